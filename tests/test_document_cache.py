"""`DocumentCache`: documents under ids, views of them, and the ledger of what was shown."""

from __future__ import annotations

import copy
import enum
import gc
import inspect
import itertools
import math
import pickle
import re
import uuid
import weakref
from collections import ChainMap, Counter, OrderedDict, UserDict, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, initialize, invariant, multiple, rule

import models
from models import points, runs
from sid import DocumentCache, DocumentView, DocumentViewWithSnippet, InvalidCharacterRange
from sid.document_cache import SUPPORTED_LANGUAGES, bm25_snippet_with_stride, stride_size
from sid.id_stream import IdSpaceExhausted, IdStream
from strategies import (
    LONE_SURROGATES,
    data_ids,
    field_names,
    languages,
    non_empty_texts,
    searches,
    spans,
    texts,
    values,
)

WORDS = "zero one two three four five six seven eight nine"
DOCUMENT = {"title": "Numbers", "content": WORDS, "year": 1999}


def cache_of(document: Mapping[Any, Any] = DOCUMENT, data_id: Any = "d", **options: Any) -> DocumentCache:
    cache = DocumentCache(**options)
    cache.add_document(data_id, document)
    return cache


def seeded(alphabet: str = "0123456789", length: int = 6) -> DocumentCache:
    cache = DocumentCache()
    cache.model_facing_id_stream = IdStream(alphabet, length, seed=1)
    return cache


def shown(view: DocumentViewWithSnippet) -> str:
    content = view.document[view.snippet_field]
    return "".join(content[start:end] for start, end in view.snippet_display_spans)


def assert_holds_nothing(cache: DocumentCache) -> None:
    assert (cache.documents, cache.seen_ledger) == ({}, {})
    cache._validate_store()


# --- construction -----------------------------------------------------------------------------------------------------


def test_defaults():
    cache = DocumentCache()
    assert (cache.language, cache.range_mode) == ("english", "lenient")
    assert isinstance(cache.model_facing_id_stream, IdStream)
    assert (cache.model_facing_id_stream.alphabet, cache.model_facing_id_stream.length) == ("0123456789", 6)
    assert_holds_nothing(cache)


@pytest.mark.parametrize(
    ("function", "parameters"),
    [
        (DocumentCache, {"language": "english", "range_mode": "lenient"}),
        (DocumentCache.snippet_fn, {"query": ..., "content": ..., "snippet_size": ..., "language": "english"}),
        (DocumentCache.add_document, {"self": ..., "data_id": ..., "document": ...}),
        (
            DocumentCache.apply_snippet,
            {"self": ..., "data_id": ..., "snippet_field": ..., "query": ..., "snippet_size": 50}
            | {"min_seen_overlap": 100, "display_fields": None, "language": None},
        ),
        (
            DocumentCache.get_single_span_document_view,
            {"self": ..., "data_id": ..., "snippet_field": None, "snippet_display_span": None, "display_fields": None},
        ),
        (
            bm25_snippet_with_stride,
            {"query": ..., "content": ..., "window_size": 50, "stride": 10, "language": "english"},
        ),
        (IdStream, {"alphabet": "0123456789", "length": 6, "seed": None}),
        (DocumentView._render_parts, {"self": ..., "display_fields": None}),
    ],
    ids=lambda value: getattr(value, "__qualname__", ""),
)
def test_signatures(function, parameters):
    found = inspect.signature(function).parameters.values()
    assert {each.name: ... if each.default is each.empty else each.default for each in found} == parameters


@pytest.mark.parametrize("language", SUPPORTED_LANGUAGES)
@pytest.mark.parametrize("range_mode", ["lenient", "strict"])
def test_options(language, range_mode):
    cache = DocumentCache(language, range_mode)
    [fork] = cache.fork(1)
    assert (cache.language, cache.range_mode) == (fork.language, fork.range_mode) == (language, range_mode)


@pytest.mark.parametrize("range_mode", ["", "Lenient", None, True])
def test_other_range_modes_are_refused(range_mode):
    with pytest.raises(ValueError, match=re.escape(repr(range_mode))):
        DocumentCache(range_mode=range_mode)


def test_caches_share_nothing_unless_forked():
    one, other = cache_of(), DocumentCache()
    assert_holds_nothing(other)
    assert one.model_facing_id_stream is not other.model_facing_id_stream


# --- adding -----------------------------------------------------------------------------------------------------------


def test_adding_gives_an_id_that_leads_back():
    cache = DocumentCache()
    model_id = cache.add_document("d", DOCUMENT)
    assert re.fullmatch(r"\d{6}", model_id)
    assert cache.to_data_id(model_id) == "d"
    assert cache.to_model_facing_id("d") == model_id
    assert "d" in cache
    assert "e" not in cache
    assert cache.contains_model_facing_id(model_id)
    assert not cache.contains_model_facing_id("d")
    assert model_id not in cache
    assert cache.get_document("d") == cache.get_document_from_model_facing_id(model_id) == DOCUMENT
    assert cache.get_document("d") is cache.documents["d"]
    assert cache.seen_ledger == {"d": []}


def test_ids_come_from_the_stream_in_order():
    cache = seeded()
    assert [cache.add_document(data_id, {}) for data_id in "abc"] == [IdStream(seed=1)[index] for index in range(3)]
    assert cache.model_facing_id_stream.minted == 3


class Watched(Mapping):
    """A document that counts what is done to it."""

    def __init__(self) -> None:
        self.copied = self.read = 0

    def __deepcopy__(self, memo: object) -> dict[str, str]:
        self.copied += 1
        return {"content": WORDS}

    def __getitem__(self, key: object) -> str:
        self.read += 1
        return WORDS

    def __iter__(self) -> Iterator[str]:
        self.read += 1
        return iter(["content"])

    def __len__(self) -> int:
        self.read += 1
        return 1


def test_a_document_is_copied_once_and_then_not_looked_at():
    cache, document = DocumentCache(), Watched()
    model_id = cache.add_document("d", document)
    assert document.copied == 1
    assert cache.add_document("d", document) == model_id
    cache.update_seen(cache.apply_snippet("d", "content", "two"))
    cache.fork(2)[0].add_document("d", document)
    assert (document.copied, document.read) == (1, 0)
    assert cache.model_facing_id_stream.minted == 1


@pytest.mark.parametrize("document", [{"content": "other"}, {}, None, object(), 5], ids=repr)
def test_adding_again_gives_the_same_id_whatever_the_document(document):
    cache = cache_of()
    [fork] = cache.fork(1)
    model_id = cache.to_model_facing_id("d")
    assert cache.add_document("d", document) == fork.add_document("d", document) == model_id
    assert cache.documents == {"d": DOCUMENT}


def test_what_the_caller_does_later_does_not_reach_the_document():
    tags = ["x", {"deep": [1]}]
    document = {"content": "before", "tags": tags}
    cache = cache_of(document)
    document["content"] = "after"
    document["new"] = 1
    tags[1]["deep"].append(2)
    tags.clear()
    assert cache.get_document("d") == {"content": "before", "tags": ["x", {"deep": [1]}]}


def test_shared_values_stay_shared_in_the_copy():
    shared = [1]
    cache = cache_of({"a": shared, "b": shared})
    assert cache.get_document("d")["a"] is cache.get_document("d")["b"] is not shared


class _Dict(dict):
    pass


class _Mapping(Mapping):
    def __init__(self, fields: Mapping[Any, Any]) -> None:
        self._fields = dict(fields)

    def __getitem__(self, key: Any) -> Any:
        return self._fields[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)


def _default_dict(fields: Mapping[Any, Any]) -> defaultdict[Any, Any]:
    return defaultdict(list, fields)


@pytest.mark.parametrize(
    "make", [dict, OrderedDict, _default_dict, _Dict, UserDict, ChainMap, Counter, MappingProxyType, _Mapping]
)
def test_any_mapping_is_a_document(make):
    fields = {"b": ["x", "y"], "content": WORDS, 5: {"k": [1]}, "a": 0}
    original = copy.deepcopy(fields)
    cache = cache_of(make(fields))
    fields["b"].append("z")
    fields[5]["k"].append(2)
    assert dict(cache.get_document("d")) == original
    view = cache.apply_snippet("d", "content", "three", snippet_size=2)
    assert list(view.display_fields) == list(original)
    model_id = view.model_facing_id
    assert view.render_xml() == (
        f'<doc id="{model_id}#5:13" doc_length={len(WORDS)} b="x, y" 5="{{\'k\': [1]}}">\n... one two ...\n</doc>'
    ).replace("#5:13", "#9:18").replace("one two", "two three")


@pytest.mark.parametrize(
    "document", [None, 5, "text", b"text", ["content"], [("content", "x")], object(), {1, 2}, iter(())]
)
def test_what_is_no_mapping_is_refused_and_nothing_is_stored(document):
    cache = DocumentCache()
    with pytest.raises(TypeError, match="'d'"):
        cache.add_document("d", document)
    assert_holds_nothing(cache)
    assert cache.model_facing_id_stream.minted == 0


class _Uncopyable:
    def __deepcopy__(self, memo: object) -> None:
        raise LookupError("do not copy")


def _deep(levels: int) -> list[Any]:
    nested: list[Any] = []
    for _ in range(levels):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    ("value", "error"),
    [(_Uncopyable(), LookupError), (_deep(10_000), RecursionError), ((letter for letter in "ab"), TypeError)],
    ids=["refuses", "deep", "generator"],
)
def test_a_document_that_cannot_be_copied_is_not_stored(value, error):
    cache = DocumentCache()
    with pytest.raises(error):
        cache.add_document("d", {"a": [value]})
    assert_holds_nothing(cache)
    assert cache.model_facing_id_stream.minted == 0
    assert cache.add_document("d", DOCUMENT) == cache.to_model_facing_id("d")


class _Colour(enum.Enum):
    RED = "red"


@dataclass(frozen=True)
class _Key:
    number: int


NAN = math.nan
DATA_IDS = [
    "", "x", "\ud800", 0, 1, -1, 10**40, 1.5, NAN, math.inf, None, True, (), (1, ("a", None)), b"x", frozenset({1}),
    _Colour.RED, _Key(1), uuid.UUID(int=1), str, len, np.int64(5), (NAN,), Ellipsis,
]  # fmt: skip


@pytest.mark.parametrize("data_id", DATA_IDS, ids=ascii)
def test_any_hashable_is_a_data_id(data_id):
    cache = DocumentCache()
    model_id = cache.add_document(data_id, DOCUMENT)
    assert cache.add_document(data_id, {}) == model_id == cache.to_model_facing_id(data_id)
    assert cache.to_data_id(model_id) is data_id
    assert data_id in cache
    view = cache.apply_snippet(data_id, "content", "five", snippet_size=2)
    assert view.data_id is data_id
    [fork] = cache.fork(1)
    fork.update_seen(view)
    assert fork.seen_ledger[data_id] == [(19, 28)]
    with pytest.raises(InvalidCharacterRange, match=re.escape(f"document {data_id!r}")):
        cache.resolve_char_range(data_id, "content", (5, 5))
    cache._validate_mapping()
    cache._validate_store()


def test_equal_data_ids_name_one_document():
    cache = DocumentCache()
    assert len({cache.add_document(data_id, DOCUMENT) for data_id in (1, 1.0, True, np.int64(1))}) == 1
    assert len({cache.add_document(data_id, DOCUMENT) for data_id in ("1", b"1", (1,))}) == 3
    cache._validate_store()


@pytest.mark.parametrize("data_id", [[], {}, set(), ([],)])
def test_what_cannot_be_hashed_is_no_data_id(data_id):
    cache = DocumentCache()
    with pytest.raises(TypeError, match="unhashable"):
        cache.add_document(data_id, DOCUMENT)
    assert_holds_nothing(cache)
    assert cache.model_facing_id_stream.minted == 0


@given(st.lists(data_ids, max_size=12))
def test_ids_and_documents_agree(added):
    cache = DocumentCache()
    expected: dict[Any, str] = {}
    for number, data_id in enumerate(added):
        model_id = cache.add_document(data_id, {"number": number})
        assert expected.setdefault(data_id, model_id) == model_id
    assert set(cache.documents) == set(cache.seen_ledger) == set(expected)
    assert len(set(expected.values())) == len(expected) == cache.model_facing_id_stream.minted
    for data_id, model_id in expected.items():
        assert cache.get_document(data_id) == {"number": added.index(data_id)}
        assert (cache.to_data_id(model_id), cache.to_model_facing_id(data_id)) == (data_id, model_id)
    cache._validate_store()


# --- unknown ids ------------------------------------------------------------------------------------------------------

UNKNOWN = [
    lambda cache: cache.to_data_id("unknown"),
    lambda cache: cache.to_model_facing_id("unknown"),
    lambda cache: cache.get_document("unknown"),
    lambda cache: cache.get_document_from_model_facing_id("unknown"),
    lambda cache: cache.apply_snippet("unknown", "content", "q"),
    lambda cache: cache.get_single_span_document_view("unknown", "content"),
    lambda cache: cache.get_single_span_document_view("unknown", display_fields=["title"]),
    lambda cache: cache.resolve_char_range("unknown", "content", (0, 1)),
    lambda cache: cache.update_seen(DocumentView("unknown", "m", {}, [])),
    lambda cache: cache.update_seen(DocumentViewWithSnippet("unknown", "m", DOCUMENT, "content", [], [(0, 1)], [])),
]


@pytest.mark.parametrize("call", UNKNOWN)
@pytest.mark.parametrize("make", [DocumentCache, cache_of])
def test_an_unknown_document_is_a_key_error(make, call):
    cache = make()
    before = dict(cache.seen_ledger)
    with pytest.raises(KeyError, match="unknown"):
        call(cache)
    assert cache.seen_ledger == before


# --- the id stream ----------------------------------------------------------------------------------------------------


def test_an_exhausted_id_space_stores_nothing():
    cache = seeded("ab", 1)
    [fork] = cache.fork(1)
    known = {data_id: cache.add_document(data_id, DOCUMENT) for data_id in ("d", "e")}
    for family_member in (cache, fork, cache):
        with pytest.raises(IdSpaceExhausted):
            family_member.add_document("f", DOCUMENT)
        assert "f" not in family_member
        assert "f" not in family_member.seen_ledger
        with pytest.raises(KeyError):
            family_member.get_document("f")
    assert set(cache.documents) == {"d", "e"}
    assert cache.seen_ledger == {"d": [], "e": []}
    assert {data_id: fork.add_document(data_id, {}) for data_id in known} == known
    cache._validate_store()


def test_a_stream_of_the_callers():
    cache = DocumentCache()
    cache.model_facing_id_stream = iter(["x", "y"])
    [fork] = cache.fork(1)
    assert [cache.add_document("a", {}), fork.add_document("b", {})] == ["x", "y"]
    for _ in range(2):
        with pytest.raises(IdSpaceExhausted):
            cache.add_document("c", {})
    assert set(fork.documents) == {"a", "b"}
    cache._validate_store()


def test_a_stream_assigned_to_a_fork_serves_the_family():
    cache = DocumentCache()
    [fork] = cache.fork(1)
    fork.model_facing_id_stream = stream = iter(["x"])
    assert cache.model_facing_id_stream is stream
    assert cache.add_document("a", {}) == "x"


@pytest.mark.parametrize("repeat", [["x", "x", "y", "x", "z"], ["x", "y", "x", "y", "z"]])
def test_ids_that_a_stream_repeats_are_passed_over(repeat):
    cache = DocumentCache()
    cache.model_facing_id_stream = iter(repeat)
    assert [cache.add_document(data_id, {}) for data_id in "abc"] == ["x", "y", "z"]
    cache._validate_store()


def test_a_stream_that_only_repeats_ids_is_exhausted():
    cache = DocumentCache()
    cache.model_facing_id_stream = itertools.cycle(["x", "y"])
    assert [cache.add_document(data_id, {}) for data_id in "ab"] == ["x", "y"]
    with pytest.raises(IdSpaceExhausted):
        cache.add_document("c", {})
    assert "c" not in cache.documents
    assert "c" not in cache.seen_ledger
    cache._validate_store()


def test_a_new_stream_may_run_through_the_ids_of_the_old_one():
    cache = seeded("abc", 1)
    ids = {cache.add_document(data_id, {}) for data_id in "de"}
    cache.model_facing_id_stream = IdStream("abc", 1, seed=2)
    assert {*ids, cache.add_document("f", {})} == set("abc")
    with pytest.raises(IdSpaceExhausted):
        cache.add_document("g", {})


def _failing_stream() -> Iterator[str]:
    yield "x"
    raise LookupError("the stream broke")


def test_an_error_of_the_stream_is_passed_on_and_nothing_is_stored():
    cache = DocumentCache()
    cache.model_facing_id_stream = _failing_stream()
    cache.add_document("a", {})
    with pytest.raises(LookupError, match="the stream broke"):
        cache.add_document("b", {})
    assert set(cache.documents) == {"a"}
    cache._validate_store()


# --- apply_snippet ----------------------------------------------------------------------------------------------------


def test_the_view_of_a_snippet():
    cache = cache_of()
    view = cache.apply_snippet("d", "content", "seven", snippet_size=3)
    assert type(view) is DocumentViewWithSnippet
    assert (view.data_id, view.model_facing_id) == ("d", cache.to_model_facing_id("d"))
    assert view.document is cache.get_document("d")
    assert (view.snippet_field, list(view.display_fields)) == ("content", ["title", "content", "year"])
    assert (view.snippet_display_spans, view.snippet_seen_spans) == ([(24, 38)], [])
    assert view.render_xml() == (
        f'<doc id="{view.model_facing_id}#24:38" doc_length={len(WORDS)} title="Numbers" year=1999>\n'
        "... five six seven ...\n</doc>"
    )


def test_applying_a_snippet_does_not_touch_the_ledger():
    cache = cache_of()
    [fork] = cache.fork(1)
    for family_member in (cache, fork):
        before = dict(family_member.seen_ledger)
        family_member.apply_snippet("d", "content", "seven")
        family_member.get_single_span_document_view("d", "content", (0, 3))
        assert family_member.seen_ledger == before


@given(searches(), st.one_of(st.integers(1, 20), st.just(50)))
def test_the_snippet_is_that_of_the_documented_stride(search, size):
    query, content, language = search
    cache = cache_of({"c": content}, language=language)
    expected = bm25_snippet_with_stride(query, content, size, stride_size(size), language)
    assert cache.apply_snippet("d", "c", query, size).snippet_display_spans == [expected]
    if size == 50:
        assert cache.apply_snippet("d", "c", query).snippet_display_spans == [expected]
    plain = cache_of({"c": content}, language="generic")
    assert plain.apply_snippet("d", "c", query, size, language=language).snippet_display_spans == [expected]


def test_the_language_of_the_cache_and_that_of_the_call():
    cache = cache_of({"c": "a b c d the e f g"}, language="english")
    assert shown(cache.apply_snippet("d", "c", "the", 2)) == "a b"
    assert shown(cache.apply_snippet("d", "c", "the", 2, language="generic")) == "d the"
    assert shown(cache.apply_snippet("d", "c", "the", 2, language=None)) == "a b"
    assert cache.language == "english"
    [fork] = cache.fork(1)
    assert shown(fork.apply_snippet("d", "c", "the", 2)) == "a b"


@pytest.mark.parametrize("language", ["", "English", "klingon", 0, False])
def test_another_language_is_refused(language):
    with pytest.raises(ValueError, match=rf"{re.escape(repr(language))}.*supported values: danish, dutch, english"):
        cache_of().apply_snippet("d", "content", "q", language=language)


@pytest.mark.parametrize("size", [0, -1, -50, False])
def test_a_snippet_has_a_token_at_least(size):
    with pytest.raises(ValueError, match="window_size"):
        cache_of().apply_snippet("d", "content", "q", snippet_size=size)


@pytest.mark.parametrize("size", ["5", None, 5.0, [5]])
def test_a_snippet_size_is_an_integer(size):
    with pytest.raises(TypeError):
        cache_of().apply_snippet("d", "content", "q", snippet_size=size)


@pytest.mark.parametrize("size", [np.int64(2), np.uint8(2), np.int32(2)], ids=lambda size: type(size).__name__)
def test_a_snippet_size_is_any_integer(size):
    view = cache_of().apply_snippet("d", "content", "seven", snippet_size=size)
    assert shown(view) == "six seven"
    assert all(type(offset) is int for offset in view.snippet_display_spans[0])


# --- fields -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "display_fields", [["content"], ("year", "content"), ["content", "title", "year"], {"content": 1}]
)
def test_display_fields_are_those_asked_for_in_their_order(display_fields):
    cache = cache_of()
    for view in (
        cache.apply_snippet("d", "content", "one", display_fields=display_fields),
        cache.get_single_span_document_view("d", "content", display_fields=display_fields),
    ):
        assert list(view._render_parts()[1]) == ["doc_length", *(name for name in display_fields if name != "content")]


def test_display_fields_that_can_be_read_once_are_read_once():
    """No field may get lost without an error."""
    cache = cache_of()
    views = (
        lambda fields: cache.apply_snippet("d", "content", "one", display_fields=fields),
        lambda fields: cache.get_single_span_document_view("d", "content", display_fields=fields),
        lambda fields: cache.get_single_span_document_view("d", display_fields=fields),
    )
    for make in views:
        try:
            view = make(field for field in ("title", "content", "year"))
        except TypeError:
            continue
        for _ in range(2):
            assert {"title", "year"} <= set(view._render_parts()[1])


VIEWS_OF_TEXT = [
    lambda cache, field, **options: cache.apply_snippet("d", field, "q", **options),
    lambda cache, field, **options: cache.get_single_span_document_view("d", field, **options),
    lambda cache, field, **options: cache.get_single_span_document_view("d", field, (0, 1), **options),
]
views_of_text = pytest.mark.parametrize("view_of", VIEWS_OF_TEXT, ids=["snippet", "whole", "span"])


@pytest.mark.parametrize("display_fields", [[], ["title"], ("title", "year"), ["Content"]])
def test_the_snippet_field_is_among_the_display_fields(display_fields):
    with pytest.raises(ValueError, match=r"display_fields.*'content'"):
        cache_of().apply_snippet("d", "content", "q", display_fields=display_fields)


@pytest.mark.parametrize("display_fields", [[], ["title"]])
def test_an_exact_span_may_be_of_a_field_that_is_not_displayed(display_fields):
    view = cache_of().get_single_span_document_view("d", "content", (0, 4), display_fields)
    title = ' title="Numbers"' if display_fields else ""
    assert view.render_xml() == (
        f'<doc id="{view.model_facing_id}#0:4" doc_length={len(WORDS)}{title}>\nzero ...\n</doc>'
    )


@views_of_text
@pytest.mark.parametrize("value", ["", None, 5, b"text", ["text"], {"text": 1}, np.array(["text"])], ids=ascii)
def test_the_snippet_field_is_a_text(view_of, value):
    with pytest.raises(TypeError) as caught:
        view_of(cache_of({"body": value}), "body")
    for part in ("'body'", "'d'", repr(value)):
        assert part in str(caught.value)


def test_resolving_a_range_needs_a_text_too():
    with pytest.raises(TypeError, match="'body'"):
        cache_of({"body": 5}).resolve_char_range("d", "body", (0, 1))
    with pytest.raises(KeyError, match="missing"):
        cache_of().resolve_char_range("d", "missing", (0, 1))


@views_of_text
def test_a_missing_field_is_a_key_error(view_of):
    with pytest.raises(KeyError, match="missing"):
        view_of(cache_of(), "missing")
    with pytest.raises(KeyError, match="missing"):
        view_of(cache_of(), "content", display_fields=["content", "missing"]).render_xml()


def test_fields_of_any_name():
    document = {"id": "x", "doc_length": "y", 5: "five", ("t", 1): WORDS, None: "n", "\ud800": "s"}
    cache = cache_of(document)
    model_id = cache.to_model_facing_id("d")
    view = cache.apply_snippet("d", ("t", 1), "two", snippet_size=1)
    assert view.render_xml() == (
        f'<doc id="{model_id}#9:12" doc_length="y" id="x" 5="five" None="n" \ud800="s">\n... two ...\n</doc>'
    )
    assert cache.get_single_span_document_view("d", "id", display_fields=["id", "doc_length"]).render_xml() == (
        f'<doc id="{model_id}" doc_length="y">\nx\n</doc>'
    )
    assert shown(cache.get_single_span_document_view("d", 5, (1, 3))) == "iv"


# --- exact spans ------------------------------------------------------------------------------------------------------


def test_the_whole_field_and_an_exact_span_whatever_was_seen():
    cache = cache_of()
    whole = cache.get_single_span_document_view("d", "content")
    assert (whole.snippet_display_spans, whole.snippet_seen_spans) == ([(0, len(WORDS))], [])
    cache.update_seen(whole)
    span = cache.get_single_span_document_view("d", "content", (5, 8))
    assert (span.snippet_display_spans, span.snippet_seen_spans) == ([(5, 8)], [])
    assert span.render_xml() == (
        f'<doc id="{span.model_facing_id}#5:8" doc_length={len(WORDS)} title="Numbers" year=1999>\n... one ...\n</doc>'
    )
    assert cache.get_single_span_document_view("d", "content") is not whole
    assert type(span) is DocumentViewWithSnippet


@given(st.integers(-20, 80), st.integers(-20, 80), st.sampled_from(["lenient", "strict"]), st.booleans())
def test_ranges_follow_the_policy_of_the_cache(start, end, mode, forked):
    cache = cache_of(range_mode=mode)
    cache = cache.fork(1)[0] if forked else cache
    inside, wanted = set(range(len(WORDS))), set(range(start, end))
    if wanted & inside and (mode == "lenient" or wanted <= inside):
        [expected] = runs(wanted & inside)
        assert cache.resolve_char_range("d", "content", (start, end)) == expected
        view = cache.get_single_span_document_view("d", "content", (start, end))
        assert view.snippet_display_spans == [expected]
    else:
        for call in (cache.resolve_char_range, cache.get_single_span_document_view):
            with pytest.raises(InvalidCharacterRange, match=rf"document 'd' \({len(WORDS)}"):
                call("d", "content", (start, end))


@pytest.mark.parametrize(
    "char_range", [[0, 5], (0,), "05", (0.0, 5), (True, 5), (5, 5), (6, 5), (999, 1000), (-5, 0), 0, ""]
)
@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_ranges_that_no_policy_takes(char_range, mode):
    cache = cache_of(range_mode=mode)
    for call in (cache.resolve_char_range, cache.get_single_span_document_view):
        with pytest.raises(InvalidCharacterRange):
            call("d", "content", char_range)


def test_metadata_only():
    cache = cache_of()
    view = cache.get_single_span_document_view("d", display_fields=["year", "title"])
    assert type(view) is DocumentView
    assert view.snippet_display_spans == []
    assert view.render_xml() == f'<doc id="{view.model_facing_id}" year=1999 title="Numbers"></doc>'
    assert (
        cache.get_single_span_document_view("d", display_fields=[]).render_xml()
        == f'<doc id="{view.model_facing_id}"></doc>'
    )


@pytest.mark.parametrize("span", [None, (0, 1)])
def test_metadata_only_needs_display_fields(span):
    with pytest.raises(TypeError, match="display_fields"):
        cache_of().get_single_span_document_view("d", snippet_display_span=span)


# --- the ledger -------------------------------------------------------------------------------------------------------


def test_recording_is_by_what_is_displayed():
    cache = cache_of()
    cache.update_seen(cache.get_single_span_document_view("d", "content", (0, 5)))
    cache.update_seen(cache.get_single_span_document_view("d", "content", (9, 12)))
    assert cache.seen_ledger == {"d": [(0, 5), (9, 12)]}
    view = cache.apply_snippet("d", "content", "zero", snippet_size=4, min_seen_overlap=4)
    assert (view.snippet_display_spans, view.snippet_seen_spans) == ([(5, 18)], [(0, 5)])
    assert shown(view) == WORDS[5:18]
    cache.update_seen(view)
    assert cache.seen_ledger["d"] == [(0, 18)]
    again = cache.apply_snippet("d", "content", "zero", snippet_size=4, min_seen_overlap=1000)
    assert (again.snippet_display_spans, again.snippet_seen_spans) == ([], [(0, 18)])
    assert again.render_xml().startswith(f'<doc id="{again.model_facing_id}" doc_length')
    cache.update_seen(again)
    assert cache.seen_ledger == {"d": [(0, 18)]}


def test_what_a_view_masks_is_not_recorded_where_it_was_never_shown():
    cache = cache_of()
    [fork] = cache.fork(1)
    cache.update_seen(cache.get_single_span_document_view("d", "content", (0, 5)))
    view = cache.apply_snippet("d", "content", "zero", snippet_size=3, min_seen_overlap=1)
    assert (view.snippet_display_spans, view.snippet_seen_spans) == ([(5, 12)], [(0, 5)])
    fork.update_seen(view)
    assert fork.seen_ledger == {"d": [(5, 12)]}


def test_touching_spans_merge():
    cache = cache_of()
    for span in [(0, 2), (4, 6), (2, 4)]:
        cache.update_seen(cache.get_single_span_document_view("d", "content", span))
    assert cache.seen_ledger["d"] == [(0, 6)]


def test_a_view_without_text_records_no_span():
    cache = cache_of()
    [fork] = cache.fork(1)
    fork.add_document("e", DOCUMENT)
    for family_member in (cache, fork):
        for data_id in "de":
            family_member.update_seen(family_member.get_single_span_document_view(data_id, display_fields=["title"]))
    assert cache.seen_ledger == fork.seen_ledger == {"d": [], "e": []}


@pytest.mark.parametrize("empty", [(3, 3), (4, 3)])
def test_an_empty_span_is_not_recorded(empty):
    cache = cache_of()
    view = cache.get_single_span_document_view("d", "content", (0, 2))
    view.snippet_display_spans.append(empty)
    with pytest.raises(AssertionError):
        cache.update_seen(view)
    assert cache.seen_ledger == {"d": []}


def test_the_ledger_reads_as_a_mapping():
    cache = cache_of()
    cache.add_document("e", DOCUMENT)
    cache.update_seen(cache.get_single_span_document_view("e", "content", (1, 3)))
    ledger = cache.seen_ledger
    assert ledger == {"d": [], "e": [(1, 3)]}
    assert ledger != {"d": [], "e": []}
    assert (ledger["e"], ledger["d"], ledger.get("f"), len(ledger)) == ([(1, 3)], [], None, 2)
    assert ("d" in ledger, "f" in ledger) == (True, False)
    assert list(ledger) == list(ledger.keys()) == ["d", "e"]
    assert list(ledger.items()) == [("d", []), ("e", [(1, 3)])]
    assert dict(ledger) == {"d": [], "e": [(1, 3)]}
    with pytest.raises(KeyError):
        ledger["f"]


def test_lists_read_earlier_do_not_change_under_the_reader():
    cache = cache_of()
    before = cache.seen_ledger["d"]
    cache.update_seen(cache.get_single_span_document_view("d", "content", (1, 3)))
    middle = cache.seen_ledger["d"]
    cache.update_seen(cache.get_single_span_document_view("d", "content", (5, 9)))
    assert (before, middle, cache.seen_ledger["d"]) == ([], [(1, 3)], [(1, 3), (5, 9)])


minima = st.one_of(st.integers(-1, 30), st.sampled_from([100, 10**30, math.inf, 2.5]))


@given(
    searches(max_tokens=40),
    st.lists(st.tuples(st.integers(1, 12), minima, st.booleans(), st.text("abc ", max_size=4)), max_size=8),
)
def test_what_was_shown_is_masked_unless_it_is_short(search, steps):
    query, content, language = search
    cache, seen = cache_of({"c": content}, language=language), set()
    for size, minimum, record, extra in steps:
        asked = f"{query} {extra}"
        view = cache.apply_snippet("d", "c", asked, size, minimum)
        span = bm25_snippet_with_stride(asked, content, size, stride_size(size), language)
        assert (view.snippet_display_spans, view.snippet_seen_spans) == models.masked(span, seen, minimum)
        for again in runs(seen & points(view.snippet_display_spans)):
            assert again[1] - again[0] < minimum
        if record:
            cache.update_seen(view)
            seen |= points(view.snippet_display_spans)
        assert cache.seen_ledger == {"d": runs(seen)}


@given(st.lists(spans(len(WORDS)), max_size=10), spans(len(WORDS)), st.integers(0, 20))
def test_masking_depends_on_what_was_recorded_not_on_how(recorded, wanted, minimum):
    class Chosen(DocumentCache):
        snippet_fn = staticmethod(lambda *_: wanted)

    cache = Chosen()
    cache.add_document("d", DOCUMENT)
    for span in recorded:
        cache.update_seen(cache.get_single_span_document_view("d", "content", span))
    assert cache.seen_ledger["d"] == runs(points(recorded))
    view = cache.apply_snippet("d", "content", "q", min_seen_overlap=minimum)
    assert (view.snippet_display_spans, view.snippet_seen_spans) == models.masked(wanted, points(recorded), minimum)
    assert view.render_xml() == models.xml(view)


def test_the_default_of_min_seen_overlap_is_a_hundred():
    content = "x" * 99 + " " + "y" * 300
    for length, masked in ((99, []), (100, [(0, 100)]), (101, [(0, 101)])):
        cache = cache_of({"c": content})
        cache.update_seen(cache.get_single_span_document_view("d", "c", (0, length)))
        assert cache.apply_snippet("d", "c", "q").snippet_seen_spans == masked


# --- forks ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [0, 1, 5])
def test_forks_are_as_many_as_asked_for(count):
    cache = cache_of()
    forks = cache.fork(count)
    assert isinstance(forks, list)
    assert len(forks) == len({*map(id, forks)} - {id(cache)}) == count


def test_forks_share_documents_mapping_and_stream():
    cache = DocumentCache("german", "strict")
    one, other = cache.fork(2)
    [nested] = one.fork(1)
    family = [cache, one, other, nested]
    for member in family:
        assert member.documents is cache.documents
        assert member.model_facing_id_stream is cache.model_facing_id_stream
        assert (member.language, member.range_mode) == ("german", "strict")
    for number, adder in enumerate(family):
        model_id = adder.add_document(number, {"n": number})
        for member in family:
            assert member.add_document(number, {"n": "other"}) == model_id == member.to_model_facing_id(number)
            assert number in member
            assert member.contains_model_facing_id(model_id)
            assert member.to_data_id(model_id) == number
            assert member.get_document_from_model_facing_id(model_id) == {"n": number}
            member._validate_store()
    assert cache.model_facing_id_stream.minted == 4


def test_each_fork_starts_with_a_copy_of_the_ledger_and_goes_its_own_way():
    cache = cache_of()
    cache.update_seen(cache.get_single_span_document_view("d", "content", (0, 4)))
    one, other = cache.fork(2)
    assert cache.seen_ledger == one.seen_ledger == other.seen_ledger == {"d": [(0, 4)]}
    one.update_seen(one.get_single_span_document_view("d", "content", (4, 8)))
    cache.update_seen(cache.get_single_span_document_view("d", "content", (20, 22)))
    assert cache.seen_ledger == {"d": [(0, 4), (20, 22)]}
    assert one.seen_ledger == {"d": [(0, 8)]}
    assert other.seen_ledger == {"d": [(0, 4)]}
    assert one.fork(1)[0].seen_ledger == {"d": [(0, 8)]}


def test_the_ledgers_of_forks_are_apart_even_for_those_who_change_them():
    cache = cache_of()
    one, other = cache.fork(2)
    for member, span in ((cache, (0, 1)), (one, (2, 3)), (other, (4, 5))):
        member.seen_ledger["d"].append(span)
    assert [member.seen_ledger["d"] for member in (cache, one, other)] == [[(0, 1)], [(2, 3)], [(4, 5)]]


def test_a_document_enters_a_ledger_when_that_fork_adds_it_or_first_records_a_view_of_it():
    cache = DocumentCache()
    one, other = cache.fork(2)
    one.add_document("d", DOCUMENT)
    assert (cache.seen_ledger, one.seen_ledger, other.seen_ledger) == ({}, {"d": []}, {})
    view = other.apply_snippet("d", "content", "seven", snippet_size=1)
    assert other.seen_ledger == {}
    other.update_seen(view)
    cache.add_document("d", DOCUMENT)
    assert (cache.seen_ledger, one.seen_ledger, other.seen_ledger) == ({"d": []}, {"d": []}, {"d": [(33, 38)]})
    other.add_document("d", DOCUMENT)
    assert other.seen_ledger == {"d": [(33, 38)]}
    assert one.fork(1)[0].seen_ledger == {"d": []}


# --- subclasses -------------------------------------------------------------------------------------------------------


class StaticSnippets(DocumentCache):
    @staticmethod
    def snippet_fn(query, content, snippet_size, language="english"):
        return content.index(query), content.index(query) + snippet_size


class InstanceSnippets(DocumentCache):
    def snippet_fn(self, query, content, snippet_size, language="english"):
        self.asked = (query, content, snippet_size, language)
        return self.answer


class ClassSnippets(DocumentCache):
    answer = (5, 8)

    @classmethod
    def snippet_fn(cls, query, content, snippet_size, language="english"):
        return cls.answer


def test_a_static_method_chooses_the_span():
    cache = StaticSnippets()
    cache.add_document("d", DOCUMENT)
    view = cache.apply_snippet("d", "content", "two", snippet_size=9, min_seen_overlap=1)
    assert shown(view) == "two three"
    cache.update_seen(view)
    assert cache.apply_snippet("d", "content", "one", snippet_size=6, min_seen_overlap=1).snippet_seen_spans == [
        (9, 11)
    ]


def test_an_instance_method_chooses_the_span_and_is_told_everything():
    cache = InstanceSnippets("swedish")
    cache.add_document("d", DOCUMENT)
    cache.answer = (0, len(WORDS))
    cache.apply_snippet("d", "content", "q")
    assert cache.asked == ("q", WORDS, 50, "swedish")
    assert shown(cache.apply_snippet("d", "content", "q", 7, language="generic")) == WORDS
    assert cache.asked == ("q", WORDS, 7, "generic")


def test_a_class_method_or_an_attribute_chooses_the_span():
    cache = ClassSnippets()
    cache.add_document("d", DOCUMENT)
    assert shown(cache.apply_snippet("d", "content", "q")) == "one"
    cache.snippet_fn = lambda query, content, size, language="english": (0, 4)
    assert shown(cache.apply_snippet("d", "content", "q")) == "zero"


BAD_SPANS = [
    (-1, 5), (0, len(WORDS) + 1), (5, 5), (6, 5), (len(WORDS), len(WORDS) + 2), (-5, 0), [0, 5], (0,), (0, 1, 2), "ab",
    None, (0.0, 5), (False, 5), (0, True), (np.int64(0), 5), (None, None),
]  # fmt: skip


@pytest.mark.parametrize("answer", BAD_SPANS, ids=str)
@pytest.mark.parametrize("mode", ["lenient", "strict"])
def test_the_span_is_checked_strictly_in_either_mode(answer, mode):
    cache = InstanceSnippets(range_mode=mode)
    cache.add_document("d", DOCUMENT)
    cache.answer = answer
    with pytest.raises(InvalidCharacterRange, match=rf"document 'd' \({len(WORDS)}"):
        cache.apply_snippet("d", "content", "q")


def test_an_error_of_the_hook_is_passed_on():
    cache = StaticSnippets()
    cache.add_document("d", DOCUMENT)
    with pytest.raises(ValueError, match="substring not found"):
        cache.apply_snippet("d", "content", "eleven")


def test_forks_of_a_subclass_are_plain():
    cache = StaticSnippets()
    cache.add_document("d", DOCUMENT)
    [fork] = cache.fork(1)
    assert type(fork) is DocumentCache
    assert shown(fork.apply_snippet("d", "content", "six", snippet_size=1)) == "six"
    assert fork.documents is cache.documents


class NeedsMore(DocumentCache):
    def __init__(self, name: str) -> None:
        super().__init__("french", "strict")
        self.name = name


def test_a_subclass_with_another_constructor_can_be_forked():
    [fork] = NeedsMore("n").fork(1)
    assert (type(fork), fork.language, fork.range_mode) == (DocumentCache, "french", "strict")


# --- consistency ------------------------------------------------------------------------------------------------------


def test_a_store_that_agrees_is_valid():
    cache = cache_of()
    for member in (cache, *cache.fork(1), DocumentCache()):
        assert member._validate_mapping() is None
        assert member._validate_store() is None


def _two() -> DocumentCache:
    cache = cache_of()
    cache.add_document("e", DOCUMENT)
    return cache


@pytest.mark.parametrize(
    "damage",
    [
        lambda family: family.to_data_id.clear(),
        lambda family: family.to_model_facing_id.clear(),
        lambda family: family.to_data_id.popitem(),
        lambda family: family.to_model_facing_id.popitem(),
        lambda family: family.to_data_id.update(m="d"),
        lambda family: family.to_data_id.update(m="unknown"),
        lambda family: family.to_model_facing_id.update(unknown="m"),
        lambda family: family.to_model_facing_id.update(d=family.to_model_facing_id["e"]),
        lambda family: family.to_data_id.update({family.to_model_facing_id["d"]: "e"}),
    ],
)
def test_a_mapping_that_does_not_lead_back_is_found(damage):
    cache = _two()
    [fork] = cache.fork(1)
    damage(cache._family)
    for member in (cache, fork):
        with pytest.raises(ValueError, match=r"'(d|e|m|unknown|\d{6})'"):
            member._validate_mapping()
        with pytest.raises(ValueError, match=r"'(d|e|m|unknown|\d{6})'"):
            member._validate_store()


@pytest.mark.parametrize(
    "damage",
    [
        lambda documents: documents.pop("d"),
        lambda documents: documents.update(d2={}),
        lambda documents: documents.clear(),
    ],
)
def test_documents_and_ids_that_do_not_match_are_found(damage):
    cache = _two()
    damage(cache.documents)
    cache._validate_mapping()
    with pytest.raises(ValueError, match="'d"):
        cache._validate_store()


# --- replaced strings -------------------------------------------------------------------------------------------------


def test_everything_follows_a_string_that_is_replaced():
    cache = cache_of()
    old_view = cache.apply_snippet("d", "content", "seven", snippet_size=1)
    cache.documents["d"]["content"] = "ten eleven twelve seven"
    assert shown(cache.apply_snippet("d", "content", "seven", snippet_size=1)) == "seven"
    assert cache.apply_snippet("d", "content", "seven", snippet_size=1).snippet_display_spans == [(18, 23)]
    assert cache.resolve_char_range("d", "content", (0, 99)) == (0, 23)
    assert cache.get_single_span_document_view("d", "content").snippet_display_spans == [(0, 23)]
    assert "doc_length=23" in old_view.render_xml()
    cache.documents["d"]["content"] = WORDS
    assert shown(cache.apply_snippet("d", "content", "seven", snippet_size=1)) == "seven"
    assert "\n... seven ...\n" in old_view.render_xml()


@given(searches(), searches(), st.integers(1, 8))
def test_no_answer_is_about_a_former_string(first, second, size):
    cache = cache_of({"c": ""}, language="generic")
    for query, content, language in (first, second, first):
        cache.documents["d"]["c"] = content
        for asked in (query, second[0]):
            expected = bm25_snippet_with_stride(asked, content, size, stride_size(size), language)
            view = cache.apply_snippet("d", "c", asked, size, language=language)
            assert view.snippet_display_spans == [expected]


# --- lone surrogates --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("surrogate", LONE_SURROGATES, ids=ascii)
def test_surrogates_everywhere(surrogate):
    cache = DocumentCache()
    cache.model_facing_id_stream = iter([f"m{surrogate}"])
    document = {f"t{surrogate}": f"<{surrogate}>", "content": f"one {surrogate}two {surrogate} three"}
    assert cache.add_document(surrogate, document) == f"m{surrogate}"
    assert cache.to_data_id(f"m{surrogate}") == surrogate
    view = cache.apply_snippet(surrogate, "content", f"{surrogate}two", snippet_size=1)
    start = 4 + len(surrogate)
    assert view.render_xml() == (
        f'<doc id="m{surrogate}#{start}:{start + 3}" doc_length={14 + 2 * len(surrogate)} '
        f't{surrogate}="&lt;{surrogate}&gt;">\n... two ...\n</doc>'
    )
    cache.update_seen(view)
    whole = cache.apply_snippet(surrogate, "content", surrogate, min_seen_overlap=3)
    assert f'one {surrogate}[seen: "#{start}:{start + 3}"] {surrogate} three' in whole.render_xml()


@given(
    data_ids,
    st.dictionaries(field_names, values, max_size=4),
    texts,
    non_empty_texts,
    st.sampled_from([1, 5]),
    languages,
)
def test_any_document_can_be_stored_searched_shown_and_recorded(data_id, document, query, content, size, language):
    cache = cache_of({**document, "content": content}, data_id)
    view = cache.apply_snippet(data_id, "content", query, size, language=language)
    assert view.render_xml() == models.xml(view)
    cache.update_seen(view)
    masked = cache.apply_snippet(data_id, "content", query, size, language=language)
    assert masked.snippet_display_spans == []
    assert masked.render_xml() == models.xml(masked)
    assert cache.seen_ledger == {data_id: view.snippet_display_spans}


# --- ids that call back -----------------------------------------------------------------------------------------------


class Nosy:
    """A data id that calls back while it is hashed."""

    def __init__(self) -> None:
        self.hashed = 0
        self.act = lambda number: None

    def __hash__(self) -> int:
        self.hashed += 1
        self.act(self.hashed)
        return 1

    def __eq__(self, other: object) -> bool:
        return self is other


def hashes_per_add() -> int:
    data_id = Nosy()
    DocumentCache().add_document(data_id, DOCUMENT)
    return data_id.hashed


@pytest.mark.parametrize("number", range(1, hashes_per_add() + 1))
def test_an_id_that_adds_itself_while_it_is_added_gets_one_id(number):
    cache, data_id, added = DocumentCache(), Nosy(), []

    def act(hashed: int) -> None:
        if hashed == number:
            data_id.act = lambda _: None
            added.append(cache.add_document(data_id, DOCUMENT))

    data_id.act = act
    added.append(cache.add_document(data_id, DOCUMENT))
    assert len(set(added)) == 1
    assert [model_id for model_id in added if cache.contains_model_facing_id(model_id)] == added
    cache._validate_store()


def test_an_id_that_cannot_be_hashed_any_more_leaves_the_store_consistent():
    for number in range(1, hashes_per_add() + 1):
        cache, data_id = DocumentCache(), Nosy()

        def act(hashed: int, failing: int = number) -> None:
            if hashed == failing:
                raise LookupError("no hash")

        data_id.act = act
        with pytest.raises(LookupError, match="no hash"):
            cache.add_document(data_id, DOCUMENT)
        data_id.act = lambda _: None
        cache._validate_store()
        assert (data_id in cache) == (data_id in cache.documents)


def _calling_back(call: Callable[[], None], number: int) -> Callable[[int], None]:
    """Give what a `Nosy` id does when it is hashed: at the given time from now on, and only then, make the call."""
    times = itertools.count(1)
    return lambda _: call() if next(times) == number else None


@pytest.mark.parametrize("number", range(1, 4))
def test_an_id_that_adds_another_while_a_fork_is_made(number):
    data_id = Nosy()
    cache = cache_of(data_id=data_id)
    cache.add_document("e", DOCUMENT)
    data_id.act = _calling_back(lambda: cache.add_document("f", DOCUMENT), number)
    [fork] = cache.fork(1)
    data_id.act = lambda _: None
    assert list(fork.seen_ledger)[:2] == [data_id, "e"]


class CallsBack:
    """A value that calls back while it is copied."""

    def __init__(self, cache: DocumentCache) -> None:
        self.cache = cache

    def __deepcopy__(self, memo: object) -> str:
        self.inner = self.cache.add_document("d", {"content": "inner"})
        return "copied"


def test_a_value_that_adds_its_document_while_it_is_copied():
    cache = DocumentCache()
    value = CallsBack(cache)
    assert cache.add_document("d", {"content": value}) == value.inner
    assert cache.get_document("d") == {"content": "inner"}
    assert cache.seen_ledger == {"d": []}
    cache._validate_store()


def test_a_stream_that_uses_the_cache_while_it_mints():
    cache = DocumentCache()

    def stream() -> Iterator[str]:
        for number in itertools.count():
            assert "d" not in cache
            yield f"{len(cache.documents)}-{number}"

    cache.model_facing_id_stream = stream()
    assert cache.add_document("d", {}) == "0-0"


@pytest.mark.parametrize("held_by", ["stream", "document", "data id", "ledger"])
def test_a_cache_that_what_it_holds_refers_to_is_not_kept_forever(held_by):
    class Holder:
        cache: DocumentCache

        def __deepcopy__(self, memo: object) -> Holder:
            return self

    cache, holder = DocumentCache(), Holder()
    holder.cache = cache
    if held_by == "stream":

        def stream(cache: DocumentCache) -> Iterator[str]:
            for number in itertools.count():
                yield f"{len(cache.documents)}-{number}"

        cache.model_facing_id_stream = stream(cache)
        cache.add_document("d", {})
    elif held_by == "document":
        cache.add_document("d", {"value": holder})
    elif held_by == "data id":
        cache.add_document(holder, {})
    else:
        cache.seen_ledger[holder] = [(0, 1)]
    [fork] = cache.fork(1)
    gone = [weakref.ref(cache), weakref.ref(fork), weakref.ref(holder)]
    del cache, fork, holder
    gc.collect()
    assert [reference() for reference in gone] == [None] * 3


# --- everything together ----------------------------------------------------------------------------------------------


class Flows(RuleBasedStateMachine):
    """Any order of adding, viewing, recording and forking, against plain dicts and sets of characters."""

    caches = Bundle("caches")
    recordable = Bundle("recordable")

    @initialize(target=caches, language=languages)
    def begin(self, language: str) -> DocumentCache:
        self.documents: dict[Any, dict[str, Any]] = {}
        self.ids: dict[Any, str] = {}
        self.seen: dict[int, dict[Any, set[int]]] = {}
        self.members: list[DocumentCache] = []
        return self.join(DocumentCache(language), {})

    def join(self, cache: DocumentCache, seen: dict[Any, set[int]]) -> DocumentCache:
        self.members.append(cache)
        self.seen[id(cache)] = {data_id: set(characters) for data_id, characters in seen.items()}
        return cache

    @rule(cache=caches, data_id=st.integers(0, 3), search=searches(max_tokens=30), title=texts)
    def add(self, cache: DocumentCache, data_id: int, search: tuple[str, str, str], title: str) -> None:
        document = {"title": title, "content": search[1]}
        model_id = cache.add_document(data_id, document)
        if data_id not in self.ids:
            self.ids[data_id], self.documents[data_id] = model_id, dict(document)
        self.seen[id(cache)].setdefault(data_id, set())
        document.clear()
        assert model_id == self.ids[data_id]

    @rule(
        target=recordable,
        cache=caches,
        data_id=st.integers(0, 3),
        search=searches(8),
        size=st.integers(1, 8),
        minimum=minima,
    )
    def view_snippet(
        self, cache: DocumentCache, data_id: int, search: tuple[str, str, str], size: int, minimum: float
    ) -> Any:
        if data_id not in self.ids:
            with pytest.raises(KeyError):
                cache.apply_snippet(data_id, "content", search[0], size, minimum)
            return multiple()
        content = self.documents[data_id]["content"]
        span = models.snippet(search[0], content, size, max(1, size // 5), cache.language)
        view = cache.apply_snippet(data_id, "content", search[0], size, minimum)
        expected = models.masked(span, self.seen[id(cache)].get(data_id, set()), minimum)
        assert (view.snippet_display_spans, view.snippet_seen_spans) == expected
        assert view.render_xml() == models.xml(view)
        return view

    @rule(target=recordable, cache=caches, data_id=st.integers(0, 3), span=spans(80))
    def view_span(self, cache: DocumentCache, data_id: int, span: tuple[int, int]) -> Any:
        if data_id not in self.ids or span[0] >= len(self.documents[data_id]["content"]):
            return multiple()
        view = cache.get_single_span_document_view(data_id, "content", span)
        assert points(view.snippet_display_spans) == {
            at for at in range(*span) if at < len(self.documents[data_id]["content"])
        }
        return view

    @rule(cache=caches, view=consumes(recordable))
    def record(self, cache: DocumentCache, view: DocumentViewWithSnippet) -> None:
        """Record a view in any fork, perhaps one that others have written to since."""
        cache.update_seen(view)
        self.seen[id(cache)].setdefault(view.data_id, set()).update(points(view.snippet_display_spans))

    @rule(target=caches, cache=caches, count=st.integers(0, 2))
    def fork(self, cache: DocumentCache, count: int) -> Any:
        return multiple(*(self.join(fork, self.seen[id(cache)]) for fork in cache.fork(count)))

    @invariant()
    def agree(self) -> None:
        for cache in self.members:
            assert cache.documents == self.documents
            assert {data_id: cache.to_model_facing_id(data_id) for data_id in self.ids} == self.ids
            expected = {data_id: runs(characters) for data_id, characters in self.seen[id(cache)].items()}
            assert cache.seen_ledger == expected
            cache._validate_store()


TestFlows = Flows.TestCase
TestFlows.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)


# --- what is done to the public store behind the cache's back ---------------------------------------------------------


def test_a_document_taken_out_of_the_store_is_added_again_under_its_old_id():
    cache = cache_of()
    model_id = cache.to_model_facing_id("d")
    cache.documents.clear()
    assert "d" not in cache
    with pytest.raises(KeyError):
        cache.get_document("d")
    assert cache.add_document("d", {"content": "new"}) == model_id
    assert cache.get_document_from_model_facing_id(model_id) == {"content": "new"}
    cache._validate_store()


def test_a_document_put_into_the_store_gets_an_id_when_it_is_added():
    cache = cache_of()
    cache.documents["raw"] = {"content": "as it was put"}
    assert "raw" in cache
    model_id = cache.add_document("raw", {"content": "another"})
    assert cache.get_document_from_model_facing_id(model_id) == {"content": "as it was put"}
    cache._validate_store()


def test_views_can_be_pickled_and_copied():
    cache = cache_of()
    views = [
        cache.apply_snippet("d", "content", "seven", snippet_size=3),
        cache.get_single_span_document_view("d", "content", (2, 9)),
        cache.get_single_span_document_view("d", display_fields=["title"]),
    ]
    for view in views:
        for copied in (pickle.loads(pickle.dumps(view)), copy.deepcopy(view)):
            assert type(copied) is type(view)
            assert vars(copied) == vars(view)
            assert copied.render_xml() == view.render_xml()


def test_a_data_id_that_cannot_be_written_is_a_data_id():
    class Unwritable:
        def __repr__(self) -> str:
            raise LookupError("no repr")

    for data_id in (Unwritable(), 10**5000):
        cache = cache_of(data_id=data_id)
        assert cache.apply_snippet(data_id, "content", "seven").snippet_display_spans
        assert cache.resolve_char_range(data_id, "content", (0, 3)) == (0, 3)
