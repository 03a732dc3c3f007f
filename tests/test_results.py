"""`DocumentCache.render_results`: the loop over the single calls, done whole or not at all."""

from __future__ import annotations

import copy
import itertools
import threading
from collections import ChainMap, OrderedDict, UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sid import DocumentCache, render_markdown_table
from sid.id_stream import IdSpaceExhausted, IdStream
from strategies import LONE_SURROGATES, any_span, characters, languages, non_empty_texts, searches, values

TEXT = "zero one two three four five six seven eight nine"


def hit(data_id: Any = "d", content: Any = TEXT, **fields: Any) -> dict[str, Any]:
    return {"id": data_id, "title": f"about {data_id}", "content": content, **fields}


def looped(cache: DocumentCache, results: Iterable[Mapping[Any, Any]], query: str, **options: Any) -> str:
    """Do what `render_results` is to do, by the single calls."""
    id_field, snippet_field = options.get("id_field", "id"), options.get("snippet_field", "content")
    names = ("snippet_size", "min_seen_overlap", "display_fields", "language")
    asked = {name: options[name] for name in names if name in options}
    views, elements = [], []
    for result in results:
        document = {field: value for field, value in result.items() if field != id_field}
        data_id = result[id_field]
        cache.add_document(data_id, document)
        view = cache.apply_snippet(data_id, snippet_field, query, **asked)
        views.append(view)
        if options.get("format", "xml") == "xml":
            elements.append(view.render_xml())
        cache.update_seen(view)
    if options.get("format", "xml") == "markdown":
        return render_markdown_table(views, options.get("display_fields"))
    return options.get("separator", "\n").join(elements)


def seeded(kind: type[DocumentCache] = DocumentCache, language: str = "english") -> DocumentCache:
    cache = kind(language)
    cache.model_facing_id_stream = IdStream(seed=7)
    return cache


def state(cache: DocumentCache) -> Any:
    """Give all that can be seen of a cache."""
    model_ids = {data_id: cache.to_model_facing_id(data_id) for data_id in cache.documents}
    cache._validate_store()
    ledger = [(data_id, list(spans)) for data_id, spans in cache.seen_ledger.items()]
    return repr((list(cache.documents.items()), model_ids, ledger, cache.model_facing_id_stream.minted))


# --- the same as the loop ---------------------------------------------------------------------------------------------

FIELDS = ["title", "content", "body", "tags", "doc_length", 3, ("a", 1), None]
ids = st.sampled_from(["a", "b", "c", 1, 1.0, True, None, ("t", 1), b"b", "\ud800", frozenset({1})])


@st.composite
def results(draw: st.DrawFn) -> Any:
    """Give search results, most of them usable, and how to ask for them."""
    query, content, language = draw(searches())
    snippet_field = draw(st.sampled_from(["content", "content", "body", 3]))
    id_field = draw(st.sampled_from(["id", "id", "_id", ("a", 1)]))
    texts = st.one_of(st.just(content), st.integers(0, 20).map(lambda start: content[start:]), non_empty_texts)
    found = []
    for _ in range(draw(st.integers(0, 5))):
        document = draw(st.dictionaries(st.sampled_from(FIELDS), values, max_size=4))
        usable = draw(st.integers(0, 9)) > 0
        document[snippet_field] = draw(texts.filter(bool) if usable else st.one_of(values, st.just("")))
        document[id_field] = draw(ids)
        kind = draw(st.sampled_from([dict, dict, dict, OrderedDict, UserDict, ChainMap, MappingProxyType]))
        found.append(kind(document))
    options: dict[str, Any] = {"snippet_field": snippet_field, "id_field": id_field}
    if draw(st.booleans()):
        options |= {"snippet_size": draw(st.integers(1, 12)), "min_seen_overlap": draw(st.integers(0, 30))}
    if draw(st.booleans()):
        options["language"] = draw(st.sampled_from([language, None]))
    if draw(st.integers(0, 3)) == 0:
        fields = [field for field in draw(st.permutations(FIELDS))[:2] if field != id_field]
        options["display_fields"] = [*fields, snippet_field]
    if draw(st.booleans()):
        options["format"] = draw(st.sampled_from(["xml", "markdown"]))
    if draw(st.booleans()):
        options["separator"] = draw(st.text(characters, max_size=3))
    return found, query, options


def outcome(call: Callable[[], Any]) -> tuple[str, Any]:
    try:
        return "gave", call()
    except (KeyError, TypeError, ValueError) as error:
        return type(error).__name__, str(error)


def assert_alike(got: tuple[str, Any], expected: tuple[str, Any], options: dict[str, Any]) -> None:
    # Of several faults, the loop finds one in a column of a table last.
    if options.get("format") == "markdown" and "gave" not in (got[0], expected[0]):
        return
    assert got[0] == expected[0]


@given(st.lists(st.tuples(results(), st.integers(0, 2)), min_size=1, max_size=4), languages)
def test_what_the_loop_gives(calls, language):
    caches, models = ([cache, *cache.fork(2)] for cache in (seeded(language=language), seeded(language=language)))
    for (found, query, options), which in calls:
        before = [state(cache) for cache in caches]
        given = copy.deepcopy([dict(result) for result in found])
        expected = outcome(lambda: looped(models[which], found, query, **options))  # noqa: B023
        got = outcome(lambda: caches[which].render_results(iter(found), query, **options))  # noqa: B023
        assert [dict(result) for result in found] == given
        assert_alike(got, expected, options)
        if got[0] != "gave":
            assert "results[" in got[1]
            assert [state(cache) for cache in caches] == before
            return
        assert got[1] == expected[1]
        assert [state(cache) for cache in caches] == [state(cache) for cache in models]


@given(results(), st.lists(any_span.filter(lambda span: 0 <= span[0] < span[1]), max_size=4))
def test_what_was_seen_before_is_masked(asked, seen):
    found, query, options = asked
    cache, model = seeded(), seeded()
    for each in (cache, model):
        each.seen_ledger = {result[options["id_field"]]: [] for result in found}
        for result in found:
            view = type("View", (), {"data_id": result[options["id_field"]], "snippet_display_spans": seen})()
            each.add_document(view.data_id, {k: v for k, v in result.items() if k != options["id_field"]})
            each.update_seen(view)
    expected = outcome(lambda: looped(model, found, query, **options))
    got = outcome(lambda: cache.render_results(found, query, **options))
    assert_alike(got, expected, options)
    assert got[0] != "gave" or (got[1], state(cache)) == (expected[1], state(model))


def test_many_long_texts():
    words = [f"word{number % 97}" for number in range(4000)]
    found = [
        hit(number, " ".join([*words[number * 50 :][:1500], surrogate, "é" * number]))
        for number, surrogate in zip(range(40), itertools.cycle(["", *LONE_SURROGATES]), strict=False)
    ]
    query = "word5 word6 word90 é"
    cache, model = seeded(), seeded()
    assert cache.render_results(found, query) == looped(model, found, query)
    assert state(cache) == state(model)


def test_no_results():
    cache = seeded()
    before = state(cache)
    assert cache.render_results([], "query") == cache.render_results(iter(()), "query", format="markdown") == ""
    assert state(cache) == before


def test_what_is_asked_twice_is_shown_once():
    cache = DocumentCache()
    first, second = cache.render_results([hit(), hit()], "five", separator="\0").split("\0")
    assert "five" in first
    assert f'[seen: "#0:{len(TEXT)}"]' in second
    [fork] = cache.fork(1)
    assert "five" not in cache.render_results([hit()], "five")
    assert "five" not in fork.render_results([hit()], "five")


def test_a_known_document_is_shown_as_it_is_in_store():
    cache = DocumentCache()
    cache.add_document("d", {"content": "what is in store"})
    [fork] = cache.fork(1)
    assert "what is in store" in cache.render_results([{**hit("d", "not looked at"), "title": object()}], "q")
    assert "what is in store" in fork.render_results([{"id": "d"}], "q")
    assert "the first" in cache.render_results([hit("e", "the first"), {"id": "e", "content": 5}], "q")


def test_a_document_that_was_taken_out_comes_back_under_its_id():
    cache = seeded()
    model_id = cache.add_document("d", {"content": "old"})
    del cache.documents["d"]
    assert f'id="{model_id}"' in cache.render_results([hit("d", "new"), hit("e", "other")], "q")
    assert cache.documents["d"]["content"] == "new"
    assert cache.model_facing_id_stream.minted == 2


def test_documents_in_store_are_the_caches_own():
    tags = ["a"]
    cache = DocumentCache()
    found = [hit(tags=tags, again=tags)]
    cache.render_results(found, "q")
    tags.append("b")
    found[0]["content"] = "changed"
    stored = cache.documents["d"]
    assert type(stored) is dict
    assert "id" not in stored
    assert stored["tags"] == ["a"]
    assert stored["tags"] is stored["again"]
    assert found[0]["id"] == "d"


def test_options_are_read_once():
    cache = DocumentCache()
    shown = cache.render_results(
        (hit(number) for number in range(3)), "q", display_fields=iter(["content", "title"]), snippet_size=np.int64(2)
    )
    assert shown.count('title="about') == 3


# --- nothing is done unless all can be --------------------------------------------------------------------------------


class Broken(Mapping):
    """A mapping that cannot be read."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __getitem__(self, key: object) -> Any:
        raise self.error

    def __iter__(self) -> Iterator[Any]:
        return iter(["id"])

    def __len__(self) -> int:
        return 1


class Uncopyable:
    def __deepcopy__(self, memo: object) -> Any:
        raise LookupError("cannot be copied")


class BadHash:
    def __hash__(self) -> int:
        raise LookupError("no hash")


BAD_RESULTS = [
    (5, TypeError, "results[{}] must be a mapping from field to value, got 5"),
    (None, TypeError, "results[{}] must be a mapping"),
    ([("id", 1)], TypeError, "results[{}] must be a mapping"),
    ("text", TypeError, "results[{}] must be a mapping from field to value, got 'text'"),
    ({}, KeyError, "results[{}] must have an id in field 'id'; it has no field"),
    ({"_id": 1, "content": "text"}, KeyError, "results[{}] must have an id in field 'id'; it has the fields ['_id', "),
    (hit(["x"]), TypeError, "results[{}] must have a hashable id in field 'id', got ['x']"),
    (hit({}), TypeError, "results[{}] must have a hashable id in field 'id', got {{}}"),
    (hit((1, [])), TypeError, "results[{}] must have a hashable id"),
    (hit("x", ""), TypeError, "results[{}] must have a non-empty str in field 'content', got ''"),
    (hit("x", None), TypeError, "results[{}] must have a non-empty str in field 'content', got None"),
    (hit("x", b"text"), TypeError, "results[{}] must have a non-empty str in field 'content', got b'text'"),
    (hit("x", ["text"] * 999), TypeError, "results[{}] must have a non-empty str in field 'content', got ['text', "),
    ({"id": "x", "text": "t"}, KeyError, "results[{}] must have a text in field 'content'; beside its id it has "),
    ({"id": "x"}, KeyError, "results[{}] must have a text in field 'content'; beside its id it has no field"),
    ({"id": "known"}, TypeError, "document in store that results[{}] names, 'known', must have a non-empty str in"),
    (hit("bare"), KeyError, "document in store that results[{}] names, 'bare', must have a text in field 'content'"),
    (Broken(LookupError("cannot be read")), LookupError, "cannot be read"),
    (hit("x", lock=threading.Lock()), TypeError, "cannot pickle"),
    (hit("x", odd=[Uncopyable()]), LookupError, "cannot be copied"),
    (hit(BadHash()), LookupError, "no hash"),
]


def assert_refused(
    call: Callable[[], Any], kind: type[Exception], message: str, caches: Iterable[DocumentCache], place: str = ""
) -> None:
    before = [state(cache) for cache in caches]
    with pytest.raises(kind) as caught:
        call()
    said = "\n".join([*map(str, caught.value.args), *getattr(caught.value, "__notes__", ())])
    assert message in said
    assert place in said
    assert len(said) < 800
    assert [state(cache) for cache in caches] == before


def with_documents() -> list[DocumentCache]:
    cache = seeded()
    cache.add_document("known", {"content": ""})
    cache.add_document("bare", {"title": "bare"})
    cache.add_document("seen", {"content": TEXT})
    cache.update_seen(cache.apply_snippet("seen", "content", "five", 2))
    return [cache, *cache.fork(1)]


@pytest.mark.parametrize("place", [0, 1, 4])
@pytest.mark.parametrize(("bad", "kind", "message"), BAD_RESULTS, ids=range(len(BAD_RESULTS)))
def test_a_bad_result_is_named_and_nothing_is_done(place, bad, kind, message):
    caches = with_documents()
    found = [hit(number) for number in range(4)] + [hit("seen")]
    found.insert(place, bad)
    for which, output in itertools.product(caches, ["xml", "markdown"]):
        call = lambda: which.render_results(found, "five", format=output)  # noqa: B023, E731
        assert_refused(call, kind, message.format(place), caches, f"results[{place}]")


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"query": None}, TypeError, "query must be a str, got None"),
        ({"query": b"five"}, TypeError, "query must be a str"),
        ({"separator": None}, TypeError, "separator must be a str"),
        ({"format": "html"}, ValueError, "format must be 'xml' or 'markdown', got 'html'"),
        ({"format": None}, ValueError, "format must be"),
        ({"format": ["xml"]}, ValueError, "format must be"),
        ({"snippet_size": 0}, ValueError, "snippet_size must be greater than zero, got 0"),
        ({"snippet_size": -(10**30)}, ValueError, "snippet_size must be"),
        ({"snippet_size": "5"}, TypeError, "snippet_size must be an integer, got '5'"),
        ({"snippet_size": 2.0}, TypeError, "snippet_size must be an integer"),
        ({"min_seen_overlap": "many"}, TypeError, "min_seen_overlap must be a number"),
        ({"min_seen_overlap": None}, TypeError, "min_seen_overlap must be a number"),
        ({"language": "klingon"}, ValueError, "unknown language 'klingon'; supported values: danish"),
        ({"language": ["english"]}, ValueError, "unknown language"),
        ({"display_fields": ["title"]}, ValueError, "display_fields must hold the snippet field 'content'"),
        ({"display_fields": []}, ValueError, "display_fields must hold"),
        ({"display_fields": 5}, TypeError, "display_fields must be an iterable of fields, got 5"),
        ({"display_fields": ["content", "absent"]}, KeyError, "results[0] must have a value to display in field 'abs"),
        ({"display_fields": ["content", "id"]}, KeyError, "results[0] must have a value to display in field 'id'"),
        ({"display_fields": ["content", ["x"]]}, TypeError, "unhashable"),
        ({"id_field": ["id"]}, TypeError, "id_field must be hashable"),
        ({"snippet_field": {}}, TypeError, "snippet_field must be hashable"),
        ({"id_field": "content"}, KeyError, "results[0] must have a text in field 'content'"),
        ({"results": None}, TypeError, "results must be an iterable of mappings, got None"),
        ({"results": hit()}, TypeError, "results[0] must be a mapping from field to value, got 'id'"),
    ],
)
def test_bad_options(options, kind, message):
    caches = with_documents()
    asked = {"results": [hit()], "query": "five", **options}
    assert_refused(lambda: caches[0].render_results(**asked), kind, message, caches)
    if "results[" not in message and "unhashable" not in message:
        assert_refused(lambda: caches[0].render_results(**{"results": [], **asked}), kind, message, caches)


def test_a_table_needs_the_first_ones_fields_in_all():
    caches = with_documents()
    found = [hit("a", extra=1), hit("b")]
    message = "results[1] must have a value to display in field 'extra'"
    assert_refused(lambda: caches[0].render_results(found, "q", format="markdown"), KeyError, message, caches)
    assert caches[0].render_results(found, "q", format="markdown", display_fields=["title", "content"]).count("\n") == 3


def test_results_that_end_with_an_error():
    def found() -> Iterator[Any]:
        yield hit("a")
        raise LookupError("the search failed")

    caches = with_documents()
    assert_refused(lambda: caches[0].render_results(found(), "q"), LookupError, "the search failed", caches)


@pytest.mark.parametrize("before", [0, 1, 3])
def test_an_id_space_that_ends(before):
    cache = DocumentCache()
    cache.model_facing_id_stream = IdStream("ab", 2, seed=1)
    for number in range(before):
        cache.add_document(number, {"content": "x"})
    found = [hit(data_id) for data_id in range(5)]
    assert_refused(
        lambda: cache.render_results(found, "q"),
        IdSpaceExhausted,
        f"{5 - before} ids were asked for, and {4 - before} are left",
        [cache],
    )
    cache.render_results(found[:4], "q")
    assert cache.model_facing_id_stream.remaining == 0


def test_a_document_taken_out_does_not_come_back_when_ids_run_out():
    cache = DocumentCache()
    cache.model_facing_id_stream = IdStream("ab", 1, seed=1)
    cache.add_document("out", {"content": "x"})
    del cache.documents["out"]
    with pytest.raises(IdSpaceExhausted):
        cache.render_results([hit("out"), hit(1), hit(2)], "q")
    assert cache.documents == {}
    assert cache.model_facing_id_stream.minted == 1
    cache.render_results([hit(1), hit("out")], "q")
    assert list(cache.documents) == [1, "out"]


def test_a_foreign_stream_that_ends():
    cache = DocumentCache()
    cache.add_document("before", {"content": "x"})
    for stream in (["one", "two"], ["one"] * 5, [cache.to_model_facing_id("before")] * 9):
        cache.model_facing_id_stream = iter(stream)
        with pytest.raises(IdSpaceExhausted):
            cache.render_results([hit("a"), hit("b"), hit("c")], "q")
        assert list(cache.documents) == ["before"]
        assert cache.seen_ledger == {"before": []}
        cache._validate_store()


def test_a_stream_that_repeats_ids():
    cache = DocumentCache()
    cache.model_facing_id_stream = iter("aaab")
    cache.add_document("first", {"content": "x"})
    cache.model_facing_id_stream = iter("abacbd")
    cache.render_results([hit(1), hit(2), hit(3)], "q")
    assert [cache.to_model_facing_id(number) for number in (1, 2, 3)] == ["b", "c", "d"]


class Unwritable:
    def __str__(self) -> str:
        raise LookupError("cannot be written")


@pytest.mark.parametrize("output", ["xml", "markdown"])
def test_what_cannot_be_written_leaves_nothing_seen(output):
    caches = with_documents()
    ledgers = [copy.deepcopy(dict(cache.seen_ledger)) for cache in caches]
    found = [hit("new"), hit("a", x=1), hit("b", x=Unwritable())]
    for result in found:
        result.setdefault("x", "x")
    with pytest.raises(LookupError, match="cannot be written"):
        caches[0].render_results(found, "nine", format=output)
    for cache, ledger in zip(caches, ledgers, strict=True):
        assert cache.seen_ledger == ledger
        cache._validate_store()


# --- caches with a step of their own ----------------------------------------------------------------------------------


class Logging(DocumentCache):
    """Notes the calls of the loop, and what they are given."""

    def __init__(self, *options: Any) -> None:
        super().__init__(*options)
        self.log: list[Any] = []

    def add_document(self, data_id: Any, document: Any) -> str:
        self.log.append(("add", data_id, dict(document)))
        return super().add_document(data_id, document)

    def apply_snippet(self, *arguments: Any, **options: Any) -> Any:
        self.log.append(("apply", arguments[0]))
        return super().apply_snippet(*arguments, **options)

    def update_seen(self, document_view: Any) -> None:
        self.log.append(("seen", document_view.data_id, document_view.snippet_display_spans))
        super().update_seen(document_view)

    def get_document(self, data_id: Any) -> Any:
        self.log.append(("get", data_id))
        return super().get_document(data_id)


class Middle(DocumentCache):
    def snippet_fn(self, query: str, content: str, snippet_size: int, language: str = "english") -> tuple[int, int]:
        middle = len(content) // 2
        return middle, middle + 1


class Stubborn(DocumentCache):
    def update_seen(self, document_view: Any) -> None:
        pass


@given(st.sampled_from([Logging, Middle, Stubborn, type("Same", (DocumentCache,), {})]), results())
def test_subclasses(kind, asked):
    found, query, options = asked
    cache, model = seeded(kind), seeded(kind)
    expected = outcome(lambda: looped(model, found, query, **options))
    got = outcome(lambda: cache.render_results(found, query, **options))
    assert_alike(got, expected, options)
    if got[0] == "gave":
        assert got[1] == expected[1]
        assert state(cache) == state(model)
        assert vars(cache).get("log") == vars(model).get("log")
    else:
        assert cache.documents == {}
        assert "log" not in vars(cache) or cache.log == []


def test_a_method_of_one_object():
    cache = DocumentCache()
    cache.snippet_fn = lambda query, content, size, language: (3, 5)
    assert "... o ..." not in DocumentCache().render_results([hit()], "q")
    assert "... " + TEXT[3:5] + " ..." in cache.render_results([hit()], "q")


def test_a_span_outside_of_the_text_is_refused():
    cache = DocumentCache()
    cache.snippet_fn = lambda query, content, size, language: (0, 10**6)
    with pytest.raises(ValueError, match="document 'd'") as caught:
        cache.render_results([hit()], "q")
    assert caught.value.__notes__ == ["This came up with results[0]."]


# --- threads ----------------------------------------------------------------------------------------------------------


def test_forks_in_many_threads():
    cache = seeded()
    forks = cache.fork(8)
    found = [hit(number, f"{TEXT} {number} " * 40) for number in range(30)]
    shown: dict[int, str] = {}

    def work(number: int) -> None:
        for start in (number, 0):
            shown[number] = forks[number].render_results(found[start:], f"five {number}", snippet_size=3)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    cache._validate_store()
    assert len(cache.documents) == 30
    assert cache.seen_ledger == {}
    for number, fork in enumerate(forks):
        assert all(cache.to_model_facing_id(data_id) in shown[number] for data_id in range(30))
        assert all(fork.seen_ledger[data_id] for data_id in range(30))


class Caller:
    """Uses the cache while it is copied or written."""

    def __init__(self, cache: DocumentCache) -> None:
        self.cache = cache

    def __deepcopy__(self, memo: object) -> Any:
        self.cache.add_document("b", {"content": "from within"})
        return self

    def __str__(self) -> str:
        self.cache.render_results([hit("c")], "q")
        return "called"


def test_values_that_use_the_cache():
    cache = seeded()
    shown = cache.render_results([hit("a", x=Caller(cache)), hit("b"), hit("c")], "q")
    assert 'x="called"' in shown
    assert "from within" in shown
    cache._validate_store()
    assert set(cache.documents) == {"a", "b", "c"}


@pytest.mark.parametrize("fields", [["content", []], [[], "content"], ["content", {}]])
def test_an_error_about_a_field_says_which_result_it_came_up_with(fields: list[Any]) -> None:
    cache = DocumentCache()
    with pytest.raises(TypeError, match="unhashable") as caught:
        cache.render_results([hit()], "two", display_fields=fields)
    assert any("results[0]" in note for note in caught.value.__notes__)
    assert not cache.documents
