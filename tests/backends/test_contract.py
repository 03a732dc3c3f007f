"""What holds for every index, in SQLite and in Qdrant alike."""

from __future__ import annotations

import asyncio
import threading

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sid.analysis import kept_terms, query_terms
from sid.backends import InvalidFilter, SearchBackend, UnusableIndex, asearch, search_many
from sid.backends.protocol import LIMIT_MAX
from strategies import characters, texts

BIRDS = [
    {"id": "owl", "title": "Owls", "family": "Strigidae", "published": "2023-05-01", "wings": 2,
     "content": "An owl hunts at night and hears a mouse under snow."},
    {"id": "kite", "title": "Kites", "family": "Accipitridae", "published": "2024-05-01T12:00:00+02:00", "wings": 2.0,
     "content": "A kite hunts by day and sees heat."},
    {"id": "moa", "title": "Moas", "family": "Dinornithidae", "published": "1850", "wings": 0, "extinct": True,
     "content": "No moa hunts; all are gone."},
]  # fmt: skip


@pytest.fixture
def index(make_index):
    made = make_index()
    made.add(BIRDS)
    return made


def ids(hits) -> list[str]:
    return [hit["id"] for hit in hits]


def test_a_hit_is_the_document(index) -> None:
    assert isinstance(index, SearchBackend)
    (hit,) = index.search("mouse", limit=3)
    assert hit == BIRDS[0]
    assert list(hit) == ["id", "title", "family", "published", "wings", "content"]
    assert index.get("owl") == BIRDS[0]


def test_any_word_is_enough_and_the_best_comes_first(index) -> None:
    assert ids(index.search("mouse heat day", limit=3)) == ["kite", "owl"]
    assert set(ids(index.search("hunts", limit=3))) == {"owl", "kite", "moa"}
    assert ids(index.search("owls", limit=1)) == ["owl"]


def test_limits(index) -> None:
    for limit in (0, -1, -(10**9)):
        with pytest.raises(ValueError, match="limit must be at least 1"):
            index.search("hunts", limit=limit)
    for limit in (1.0, "1", None, True):
        with pytest.raises(TypeError, match="limit must be an integer"):
            index.search("hunts", limit=limit)
    for limit in (3, LIMIT_MAX, 10**9, 10**4000):
        assert len(index.search("hunts", limit=limit)) == 3
    assert len(index.search("hunts", limit=2)) == 2


def test_a_limit_beyond_the_most_is_that(make_index) -> None:
    index = make_index()
    index.add({"id": str(number), "content": "same"} for number in range(LIMIT_MAX + 5))
    assert len(index.search("same", limit=10**6)) == LIMIT_MAX


@pytest.mark.parametrize("query", ["", " ", "!?", '"', "\x00", "\ud800", "...", "-"])
def test_queries_without_a_word(index, query) -> None:
    assert list(index.search(query, limit=5)) == []


def test_a_query_of_stopwords_is_still_one(index) -> None:
    assert ids(index.search("at", limit=5)) == ["owl"]
    assert ids(index.search("at the kite", limit=5)) == ["kite"]


@pytest.mark.parametrize("query", [None, 5, b"owl", ["owl"]])
def test_a_query_that_is_no_text(index, query) -> None:
    with pytest.raises(TypeError, match="query must be a str"):
        index.search(query, limit=5)


def test_an_empty_index(make_index) -> None:
    index = make_index()
    assert len(index) == 0
    assert list(index.search("owl", limit=5, filters={"family": "x", "published_after": "2024"})) == []
    index.add([])
    assert len(index) == 0
    with pytest.raises(KeyError, match="'owl'"):
        index.get("owl")


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, {"owl", "kite", "moa"}),
        ({"family": "Strigidae"}, {"owl"}),
        ({"family": "strigidae"}, set()),
        ({"family": ["Strigidae", "Accipitridae"]}, {"owl", "kite"}),
        ({"wings": 2}, {"owl", "kite"}),
        ({"wings": 2.0}, {"owl", "kite"}),
        ({"wings": "2"}, set()),
        ({"wings": 0}, {"moa"}),
        ({"wings": False}, set()),
        ({"extinct": True}, {"moa"}),
        ({"extinct": 1}, set()),
        ({"none": "x"}, set()),
        ({"published_after": "2023-05-01"}, {"owl", "kite"}),
        ({"published_after": "2023-05-01T00:00:00.000001Z"}, {"kite"}),
        ({"published_before": "2023-05-01"}, {"moa"}),
        ({"published_before": "2024-05-01T10:00:00Z"}, {"owl", "moa"}),
        ({"published_before": "2024-05-01T12:00:00.000001+02:00"}, {"owl", "kite", "moa"}),
        ({"published_after": "1850", "published_before": "2024"}, {"owl", "moa"}),
        ({"published_after": "2024", "published_before": "1850"}, set()),
        ({"published_after": "2020", "family": "Accipitridae"}, {"kite"}),
        ({"family_after": "2020"}, set()),
    ],
)
def test_filters(index, filters, expected) -> None:
    assert set(ids(index.search("hunts", limit=5, filters=filters))) == expected


@pytest.mark.parametrize(
    "filters",
    [
        {"published_after": "yesterday"},
        {"published_before": 2024},
        {"published_after": ["2024"]},
        {"published_after": None},
        {"family": None},
        {"family": {}},
        {"family": []},
        {"family": [None]},
        {"family": ["x"] * 1001},
        {"wings": float("nan")},
        {"wings": float("inf")},
        {"wings": 10**5000},
        {"id": "owl"},
        {"content": "x"},
        {"": "x"},
        {5: "x"},
        {str(number): "x" for number in range(101)},
        [("family", "x")],
        "family",
    ],
)
def test_what_is_no_filter(index, filters) -> None:
    with pytest.raises(InvalidFilter):
        index.search("hunts", limit=5, filters=filters)


def test_filters_apply_before_the_limit(make_index) -> None:
    index = make_index()
    index.add({"id": str(number), "content": "owl " * (100 - number), "n": number} for number in range(100))
    assert ids(index.search("owl", limit=1, filters={"n": [97, 98]})) in (["97"], ["98"])
    assert len(index.search("owl", limit=50, filters={"n": list(range(60, 80))})) == 20


HOSTILE = (
    "'; DROP TABLE document; --", '"', "a.b[0]", "name' OR '1'='1", "\x00", "\ud800", "\ud83d\ude00", "😀", "x" * 5000,
    "published_after_x", "%_", "../../etc/passwd", "/etc/passwd", "a#b:c", "\n", " ", "NULL", "base64:AAAA",
)  # fmt: skip


def test_hostile_names_values_ids_and_texts(make_index) -> None:
    index = make_index()
    documents = [
        {"id": text, text: text, "list": [text, "all"], "deep": {text: [text]}, "content": f"owl {text} owl"}
        for text in HOSTILE
    ]
    assert index.add(documents).added == len(documents)
    assert index.add(documents).unchanged == len(documents)
    for document in documents:
        name = document["id"]
        assert index.get(name) == document
        assert index.search("owl", limit=99, filters={name: name}) == [document]
        assert index.search("owl", limit=99, filters={"list": name}) == [document]
        assert list(index.search("owl", limit=99, filters={name: name + "x"})) == []
    assert len(index.search("owl", limit=99, filters={"list": "all"})) == len(HOSTILE)


def test_the_same_id_again(make_index) -> None:
    index = make_index()
    assert index.add([{"id": "a", "content": "one", "n": 1, "at": "2020"}]).added == 1
    assert index.add([{"id": "a", "content": "one", "n": 1, "at": "2020"}]).unchanged == 1
    assert index.add([{"id": "a", "content": "two", "n": 2, "at": "2021"}]).replaced == 1
    assert len(index) == 1
    assert list(index.search("one", limit=5)) == []
    assert index.search("two", limit=5) == [{"id": "a", "content": "two", "n": 2, "at": "2021"}]
    assert list(index.search("two", limit=5, filters={"n": 1})) == []
    assert list(index.search("two", limit=5, filters={"at_before": "2021"})) == []
    assert len(index.search("two", limit=5, filters={"n": 2, "at_after": "2021"})) == 1
    # A field that is no longer there.
    assert index.add([{"id": "a", "content": "two"}]).replaced == 1
    assert list(index.search("two", limit=5, filters={"n": 2})) == []
    index.remove(["a", "never there"])
    assert len(index) == 0
    assert list(index.search("two", limit=5)) == []
    index.remove([])


def test_the_last_of_an_id_stays(make_index) -> None:
    index = make_index()
    index.add([{"id": "a", "content": f"text {number}"} for number in range(3)])
    assert index.search("text", limit=5) == [{"id": "a", "content": "text 2"}]


BAD_DOCUMENTS = [
    (5, TypeError), ("text", TypeError), (None, TypeError), ({}, ValueError),
    ({"id": "x"}, ValueError), ({"content": "x"}, ValueError), ({"id": "", "content": "x"}, ValueError),
    ({"id": "x", "content": ""}, ValueError), ({"id": 1, "content": "x"}, TypeError),
    ({"id": "x", "content": b"x"}, TypeError), ({"id": "x", "content": "x", 5: 1}, TypeError),
    ({"id": "x", "content": "x", "f": float("nan")}, ValueError), ({"id": "x", "content": "x", "f": {1: 2}}, TypeError),
    ({"id": "x", "content": "x", "f": {1, 2}}, TypeError), ({"id": "x", "content": "x", "f": object()}, TypeError),
    ({"id": "x", "content": "x", "f": [10**5000]}, ValueError),
]  # fmt: skip


@pytest.mark.parametrize(("document", "error"), BAD_DOCUMENTS)
def test_what_is_no_document(make_index, document, error) -> None:
    index = make_index()
    with pytest.raises(error):
        index.add([{"id": "good", "content": "fine"}, document])
    assert len(index) == 0  # a batch in whole or not at all
    index.add([{"id": "good", "content": "fine"}])
    assert len(index) == 1


def test_a_field_that_is_nested_without_end(make_index) -> None:
    index = make_index()
    endless: list[object] = []
    endless.append(endless)
    with pytest.raises(ValueError, match="nested"):
        index.add([{"id": "x", "content": "x", "f": endless}])


def test_progress_counts_up(make_index) -> None:
    index = make_index()
    seen = []
    done = index.add(({"id": str(number), "content": "x"} for number in range(1201)), progress=seen.append)
    assert [one.total for one in seen] == [500, 1000, 1201]
    assert seen[-1] == done
    assert done.added == 1201


def test_asynchronous_and_batch_forms(index) -> None:
    queries = ["mouse", "", "heat", "hunts"] * 40
    one_by_one = [ids(index.search(query, limit=2)) for query in queries]
    assert [ids(hits) for hits in search_many(index, queries, limit=2)] == one_by_one
    assert search_many(index, [], limit=2) == []
    assert ids(asyncio.run(asearch(index, "mouse", limit=2))) == ["owl"]


def test_searching_from_many_threads(index) -> None:
    expected = index.search("hunts day", limit=3)
    wrong = []

    def ask() -> None:
        for _ in range(20):
            found = index.search("hunts day", limit=3)
            if found != expected:
                wrong.append(found)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_large_document_and_a_large_query(make_index) -> None:
    index = make_index()
    content = "".join(f"word{number % 5000:036} " for number in range(260_000)) + "needle"
    assert len(content) > 10_000_000
    index.add([{"id": "large", "content": content}, {"id": "one word", "content": "x" * 3_000_000}])
    (hit,) = index.search("needle", limit=5)
    assert hit["content"] == content
    assert ids(index.search("needle " + "y" * 1_000_000, limit=5)) == ["large"]
    assert ids(index.search("x" * 3_000_000, limit=5)) == ["one word"]
    assert list(index.search("x" * 2_999_999, limit=5)) == []
    # Only so many of a query's words are looked for, the first ones.
    assert ids(index.search("needle " + " ".join(f"no{number}" for number in range(150_000)), limit=5)) == ["large"]


@pytest.mark.parametrize("kind", ["search", "text_search"])
def test_both_modes(make_index, embedder, kind) -> None:
    index = make_index(embedder=embedder)
    index.add(BIRDS)
    backend = index.semantic() if kind == "search" else index
    question = "which animal catches rodents after dark" if kind == "search" else "mouse at night"
    assert ids(backend.search(question, limit=1)) == ["owl"]
    assert ids(backend.search("mouse", limit=1, filters={"family": "Accipitridae"})) == (
        ["kite"] if kind == "search" else []
    )
    assert [ids(hits) for hits in search_many(backend, [question] * 3, limit=1)] == [["owl"]] * 3


def test_meaning_without_an_embedder(index) -> None:
    with pytest.raises(UnusableIndex, match="embedder"):
        index.semantic()


def test_adding_to_vectors_without_an_embedder(tmp_path, make_index, embedder) -> None:
    index = make_index(embedder=embedder)
    index.add(BIRDS)
    index.embedder = None
    with pytest.raises(UnusableIndex, match="embedder"):
        index.add([{"id": "x", "content": "y"}])


def test_replaced_documents_have_new_vectors(make_index, embedder) -> None:
    index = make_index(embedder=embedder)
    index.add([{"id": "a", "content": "interest rates of banks"}, {"id": "b", "content": "owls and mice"}])
    semantic = index.semantic()
    assert ids(semantic.search("money", limit=1)) == ["a"]
    index.add([{"id": "a", "content": "football"}, {"id": "b", "content": "loans and savings"}])
    assert ids(semantic.search("money", limit=1)) == ["b"]
    index.remove(["b"])
    assert ids(semantic.search("money", limit=5)) == ["a"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    documents=st.lists(st.one_of(texts, st.text(characters, max_size=20)).filter(bool), max_size=6),
    query=st.one_of(texts, st.text(characters, max_size=20)),
)
def test_what_is_found_is_what_shares_a_word(make_index, documents, query) -> None:
    """Any text is searched for literally: nothing in it is syntax, and nothing raises."""
    index = make_index(language="generic")
    index.add({"id": str(number), "content": content} for number, content in enumerate(documents))
    wanted = set(query_terms(query, "generic"))
    expected = {str(number) for number, text in enumerate(documents) if wanted & set(kept_terms(text, "generic"))}
    found = ids(index.search(query, limit=99))
    assert set(found) == expected
    assert len(found) == len(expected)
    for number, content in enumerate(documents):
        assert index.get(str(number))["content"] == content


def test_a_string_is_no_list_of_ids(make_index) -> None:
    index = make_index()
    index.add([{"id": name, "content": "x"} for name in ("d", "o", "c", "doc")])
    with pytest.raises(TypeError, match="got the str 'doc'"):
        index.remove("doc")
    assert len(index) == 4
    index.remove(["doc"])
    assert len(index) == 3
