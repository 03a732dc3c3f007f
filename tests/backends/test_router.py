"""Corpora, the names of their tools, and the ids of their documents."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sid import DocumentCache
from sid.backends import Corpus, CorpusRouter, SqliteBackend
from strategies import non_empty_texts


class Nothing:
    """A backend that finds nothing."""

    def search(self, query, *, limit, filters=None):
        return []


BACKEND = Nothing()
names = st.from_regex(r"\A[A-Za-z_][A-Za-z0-9_]{0,20}\Z")
corpora = st.lists(names, min_size=1, max_size=4, unique=True).filter(
    # corpus `a` has a tool `a_text_search`, and so would a corpus `a_text`
    lambda found: not any(f"{name}_text" in found for name in found)
)


@given(corpora, non_empty_texts)
def test_ids_survive_the_round_trip(found, original_id) -> None:
    router = CorpusRouter([Corpus(name, text_search=BACKEND, search=BACKEND) for name in found])
    registered = {router.data_id(name, original_id): name for name in found}
    assert len(registered) == len(found)
    for data_id, name in registered.items():
        assert data_id == f"{name}:{original_id}"
        assert router.resolve(data_id) == (name, original_id)


@given(non_empty_texts)
def test_ids_of_one_corpus_without_a_name_are_as_they_are(original_id) -> None:
    router = CorpusRouter([Corpus(text_search=BACKEND)])
    assert router.data_id(None, original_id) == original_id
    assert router.resolve(original_id) == (None, original_id)


@pytest.mark.parametrize("original_id", ["a#0:5", "#", ":", "a:b:c", "email:1", "\ud800", "\x00", "#1:2#3:4"])
def test_a_reference_leads_back_to_the_original_id(original_id) -> None:
    router = CorpusRouter([Corpus("email", text_search=BACKEND), Corpus("documents", text_search=BACKEND)])
    cache = DocumentCache()
    model_ids = {
        name: cache.add_document(router.data_id(name, original_id), {"content": name})
        for name in ("email", "documents")
    }
    assert len(set(model_ids.values())) == 2
    for name, model_id in model_ids.items():
        assert router.resolve(cache.to_data_id(model_id)) == (name, original_id)


def test_tool_names() -> None:
    other = Nothing()
    email = Corpus("email", text_search=BACKEND, search=other)
    documents = Corpus("documents", search=other)
    tools = CorpusRouter([email, documents]).tool_names()
    assert dict(tools) == {
        "email_search": (email, "search"),
        "email_text_search": (email, "text_search"),
        "documents_search": (documents, "search"),
    }
    assert email.backend("text_search") is BACKEND
    assert email.backend("search") is other
    assert documents.backend("text_search") is None
    assert list(CorpusRouter([Corpus(text_search=BACKEND, search=other)]).tool_names()) == ["search", "text_search"]
    assert list(CorpusRouter([Corpus("x", text_search=BACKEND)]).tool_names()) == ["x_text_search"]
    with pytest.raises(TypeError):
        tools["more"] = (email, "search")


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "a:b", "a#b", "a-b", "1a", "é", "a" * 53, "a\n", 5, b"a", True, "a.b", "\ud800"]
)
def test_names_that_cannot_be(name) -> None:
    with pytest.raises(ValueError, match="corpus name"):
        Corpus(name, text_search=BACKEND)


def test_the_longest_name_makes_a_tool_name_of_64_characters() -> None:
    (tool,) = CorpusRouter([Corpus("a" * 52, text_search=BACKEND)]).tool_names()
    assert len(tool) == 64


@pytest.mark.parametrize("parameter", ["query", "limit", "snippet_size"])
def test_filters_that_tools_have_already(parameter) -> None:
    with pytest.raises(ValueError, match=parameter):
        Corpus("x", text_search=BACKEND, filters={parameter: {"type": "string"}})


def test_what_is_no_corpus() -> None:
    with pytest.raises(ValueError, match="no backend"):
        Corpus("x")
    with pytest.raises(ValueError, match="display_fields"):
        Corpus("x", text_search=BACKEND, display_fields="title")
    with pytest.raises(ValueError, match="unknown retrieval mode"):
        Corpus("x", text_search=BACKEND).backend("vector")
    with pytest.raises(dataclasses.FrozenInstanceError):
        Corpus("x", text_search=BACKEND).name = "y"


@pytest.mark.parametrize(
    ("found", "message"),
    [
        ([], "at least one"),
        ([Corpus(text_search=BACKEND), Corpus("x", text_search=BACKEND)], "must have a name"),
        ([Corpus(text_search=BACKEND)] * 2, "must have a name"),
        ([Corpus("x", text_search=BACKEND), Corpus("x", search=BACKEND)], "unique"),
        ([Corpus("a", text_search=BACKEND), Corpus("a_text", search=BACKEND)], "'a_text_search'"),
    ],
)
def test_corpora_that_do_not_go_together(found, message) -> None:
    with pytest.raises(ValueError, match=message):
        CorpusRouter(found)


def test_what_is_of_no_corpus() -> None:
    router = CorpusRouter([Corpus("email", text_search=BACKEND), Corpus("documents", text_search=BACKEND)])
    for data_id in ("1", "", "mail:1", "Email:1", "#:1"):
        with pytest.raises(KeyError):
            router.resolve(data_id)
    for corpus in (None, "mail", [], "email:"):
        with pytest.raises(KeyError, match="'email', 'documents'"):
            router.data_id(corpus, "1")
    with pytest.raises(TypeError):
        router.data_id("email", 1)
    with pytest.raises(TypeError):
        router.resolve(("email", "1"))


def test_what_is_of_another_type() -> None:
    """Each is refused where it is made, in a sentence, and not where it is used."""
    with SqliteBackend() as backend:
        for arguments in (
            {"contents": None},
            {"contents": b"mail"},
            {"text_search": "x"},
            {"search": 1},
            {"filters": ["after"]},
        ):
            with pytest.raises(TypeError, match=f"{next(iter(arguments))} must be"):
                Corpus("a", **{"text_search": backend, **arguments})
        for corpora in ([backend], backend, "ab", [Corpus("a", text_search=backend), None], None):
            with pytest.raises(TypeError, match="corpora must be"):
                CorpusRouter(corpora)
