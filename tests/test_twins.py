"""The native and the pure backend side by side: the same results, the same errors.

Each function is called directly, with what the Python layer lets through to it.
"""

from __future__ import annotations

import copy
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sid import DocumentCache, _kernels, _pure, render_markdown_table
from sid.id_stream import IdStream
from strategies import (
    any_span,
    characters,
    field_names,
    languages,
    ledgers,
    prose,
    representative_text,
    searches,
    spans,
    texts,
    values,
)
from test_results import BAD_RESULTS, TEXT, hit, results, seeded, state, with_documents

_native = pytest.importorskip(
    "sid._native", reason="TWINS NOT COMPARED: the extension sid._native is not built", exc_type=ImportError
)

Outcome = tuple[str, str]


def outcome(call: Callable[[], Any]) -> Outcome:
    """Give what a call gave, written out so that types count too, or how it failed."""
    try:
        return "gave", repr(call())
    except BaseException as error:
        return type(error).__name__, str(error)


def assert_same(name: str, make_arguments: Callable[[], tuple[Any, ...]]) -> Outcome:
    """Compare a function of both backends on arguments made anew for each."""
    native, pure = (outcome(lambda: getattr(backend, name)(*make_arguments())) for backend in (_native, _pure))  # noqa: B023
    assert native == pure
    return native


def assert_same_for(name: str, *arguments: Any) -> Outcome:
    return assert_same(name, lambda: copy.deepcopy(arguments))


def assert_succeeds(name: str, *arguments: Any) -> None:
    assert assert_same_for(name, *arguments)[0] == "gave"


# --- text -------------------------------------------------------------------------------------------------------------

any_text = st.one_of(texts, representative_text)


@given(any_text)
def test_word_segments(text):
    assert_succeeds("word_segments", text)


@given(
    st.lists(
        st.sampled_from(
            ["\u200d", "😀", "©", " ", "a", "א", "'", '"', ".", ",", "1", "\u0301", "_", "🇩", "\n", "\ud800"]
        )
    )
)
def test_word_segments_around_joiners(parts):
    assert_succeeds("word_segments", "".join(parts))


@given(languages, any_text)
def test_analyze(language, text):
    assert_succeeds("analyze", text, language)


@given(languages.flatmap(lambda language: st.tuples(prose(language), st.just(language))))
def test_analyze_prose(arguments):
    assert_succeeds("analyze", *arguments)


def test_every_code_point():
    """Word-like tests and terms come of the same tables."""
    for first in range(0, 0x110000, 0x4000):
        text = "\n".join(map(chr, range(first, first + 0x4000)))
        assert _native.word_segments(text) == _pure.word_segments(text)
        assert _native.analyze(text, "generic") == _pure.analyze(text, "generic")


# The native backend scans 64 bytes of ASCII at once: it matters where in such a block something is, and what ends it.
_ASCII = [*"aZ1'.,:;_ \t\n\r\"-@[`{/\0\x7f", "the", "Can't", "1,000", "a.b", "__", "..", "''", "abcdefgh", "abcdefghi"]
_NOT_ASCII = [
    "é",
    "İ",
    "\u0301",
    "\u200d",
    "😀",
    "\u200d😀",
    "漢",
    "א'",
    'א"ב',
    "\ud800",
    "\u2019",
    "·",
    "🇩",
    "カ",
    "①",
]
_FILLERS = ["", "a", "1", "_", ".", "'", " ", "a ", ". ", "a'", "1,", "é", "漢"]


@given(
    st.sampled_from(_FILLERS),
    st.integers(0, 140),
    st.lists(st.one_of(st.sampled_from(_ASCII), st.sampled_from(_ASCII), st.sampled_from(_NOT_ASCII)), max_size=30),
    st.integers(1, 9),
    languages,
)
def test_texts_of_more_than_a_block(filler, length, parts, size, language):
    text = (filler * length)[:length] + "".join(parts)
    assert_succeeds("word_segments", text)
    assert_succeeds("analyze", text, language)
    assert_succeeds("snippet_span", "".join(parts[:4]), text, size, 1, language)


@pytest.mark.parametrize("filler", ["a", " ", "a ", ".", "1,"])
def test_every_pair_around_the_end_of_a_block(filler):
    pieces = [piece for piece in (*_ASCII, *_NOT_ASCII) if len(piece) == 1]
    for length in (47, 48, 62, 63, 64, 65):
        before = (filler * length)[:length]
        for left, right in itertools.product(pieces, repeat=2):
            text = f"{before}{left}{right}a"
            assert _native.word_segments(text) == _pure.word_segments(text), ascii(text)


sizes = st.one_of(st.integers(1, 12), st.integers(1, 70), st.just(2**63 - 1))


@given(searches(), sizes, sizes)
def test_snippet_span(search, size, stride):
    query, content, language = search
    assert_succeeds("snippet_span", query, content, size, stride, language)


@given(any_text, any_text, sizes, sizes, languages)
def test_snippet_span_of_unrelated_texts(query, content, size, stride, language):
    assert_succeeds("snippet_span", query, content, size, stride, language)


@given(st.lists(st.sampled_from("abc"), max_size=200), st.lists(st.sampled_from("abcd"), max_size=12), sizes, sizes)
def test_snippet_span_of_many_ties(content, query, size, stride):
    assert_succeeds("snippet_span", " ".join(query), " ".join(content), size, stride, "english")


# --- spans ------------------------------------------------------------------------------------------------------------

shapes = st.sampled_from([tuple, list])
minima = st.one_of(st.integers(-2, 20), st.sampled_from([2**63 - 1, -(2**63)]))
edges = st.sampled_from([0, 1, -1, 2**31, 2**63 - 1, -(2**63)])
wide_span = st.one_of(any_span, st.tuples(edges, edges))


@given(wide_span, wide_span, shapes)
def test_overlap(one, other, shape):
    assert_succeeds("overlap", shape(one), other)


@given(wide_span, st.lists(wide_span), shapes)
def test_overlap_list(within, intervals, shape):
    assert_succeeds("overlap_list", within, list(map(shape, intervals)))


@given(st.one_of(ledgers(), st.lists(wide_span)), wide_span)
def test_insert_interval(intervals, new):
    assert_succeeds("insert_interval", intervals, new)


@given(st.lists(any_span), any_span, shapes)
def test_append_coalescing(appended, new, shape):
    native, pure = list(map(shape, appended)), list(map(shape, appended))
    assert _native.append_coalescing(native, new) is None
    assert _pure.append_coalescing(pure, new) is None
    assert repr(native) == repr(pure)


@given(st.one_of(spans(70, -10), wide_span), st.one_of(ledgers(), st.lists(wide_span)), minima)
@example((-(2**63), 2**63 - 1), [(-(2**63), 2**62)], 1)
def test_plan_segments(whole, seen, minimum):
    assert_succeeds("plan_segments", whole, seen, minimum)


class Duck:
    """Not a Sequence by its type, but it can be measured and indexed."""

    def __init__(self, *items: object) -> None:
        self.items = items

    def __getitem__(self, index: int) -> object:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)

    def __repr__(self) -> str:
        return f"Duck{self.items}"


class Broken:
    """An integer, as long as nobody asks for it."""

    def __init__(self, error: type[BaseException]) -> None:
        self.error = error

    def __index__(self) -> int:
        raise self.error("broken")

    def __repr__(self) -> str:
        return "Broken()"


class Unwritable(list):
    def __repr__(self) -> str:
        raise LookupError("cannot be written")


ODD_SPANS = [
    (), (1,), (1, 2, 3), None, 5, 1.5, "", "12", "ab", b"ab", bytearray(b"ab"), range(2, 4), range(3), {1, 2}, {1: 2},
    (1.0, 2), (1, "2"), (None, 2), (True, False), (np.int64(1), np.int64(5)), np.array([1.0, 5.0]), np.array([1, 2, 3]),
    memoryview(b"ab"), (2**63, 0), (0, -(2**63) - 1), (0, 10**400), ((1, 2), (3, 4)), Duck(1), Duck("a", "b"),
    (1, Broken(ValueError)), (1, Broken(TypeError)), ["x", Broken(LookupError)], Unwritable([1]), object, ["\ud800", 1],
]  # fmt: skip


@pytest.mark.parametrize("odd", ODD_SPANS, ids=lambda odd: f"{type(odd).__name__}")
@pytest.mark.parametrize(
    ("name", "arguments_of"),
    [
        ("overlap", lambda odd: (odd, (0, 9))),
        ("overlap", lambda odd: ((0, 9), odd)),
        ("overlap_list", lambda odd: ((0, 9), [(0, 1), odd])),
        ("insert_interval", lambda odd: ([odd], (5, 6))),
        ("insert_interval", lambda odd: ([(2, 3)], odd)),
        ("append_coalescing", lambda odd: ([], odd)),
        ("append_coalescing", lambda odd: ([odd], (5, 9))),
        ("plan_segments", lambda odd: (odd, [], 1)),
        ("view_body", lambda odd: ("abcdefghij", [odd], [])),
        ("view_body", lambda odd: ("abcdefghij", [(0, 1)], [odd])),
    ],
)
def test_odd_spans(odd, name, arguments_of):
    assert_same(name, lambda: arguments_of(odd))


@pytest.mark.parametrize("odd", [np.array([1, 5]), Duck(1, 5)], ids=["array", "duck"])
def test_sequences_that_are_none_by_type(odd):
    assert_same("overlap", lambda: (odd, (0, 9)))


@pytest.mark.parametrize("error", [LookupError, OverflowError, RecursionError, KeyboardInterrupt])
def test_errors_of_offsets(error):
    assert_same("overlap", lambda: ((0, Broken(error)), (0, 9)))


NO_LISTS = [None, 5, "12", (1, 2), object, [(1, 2), (3, 4, 5)]]


@pytest.mark.parametrize(
    "make", [*(lambda odd=odd: odd for odd in NO_LISTS), lambda: iter([(1, 2)]), lambda: {(1, 2): 3}]
)
def test_odd_lists_of_spans(make):
    assert_same("overlap_list", lambda: ((0, 9), make()))
    assert_same("insert_interval", lambda: (make(), (0, 9)))
    assert_same("plan_segments", lambda: ((0, 9), make(), 1))


# --- the ledger -------------------------------------------------------------------------------------------------------


def ledger_steps(spans: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    """Give calls of a ledger's methods, each with the place of the fork that it is made on."""
    numbers = st.one_of(st.integers(0, 40), st.sampled_from([2**40, 2**64 - 1]))
    some = st.lists(spans, max_size=5)
    calls = st.one_of(
        st.tuples(st.sampled_from(["record", "assign"]), numbers, some),
        st.tuples(st.just("exchange"), numbers, st.one_of(st.none(), some), some),
        st.tuples(st.just("mask"), st.one_of(st.none(), numbers), spans, minima),
        st.tuples(st.sampled_from(["register", "remove", "spans", "__contains__"]), numbers),
        st.tuples(st.sampled_from(["fork", "fork", "numbers", "items", "__len__", "clear"])),
    )
    return st.lists(st.tuples(st.integers(0, 99), calls), max_size=40)


@given(st.one_of(ledger_steps(spans()), ledger_steps(wide_span)))
@example([(0, ("record", 0, [(-(2**63), 2**62)])), (0, ("mask", 0, (-(2**63), 2**63 - 1), 1))])
def test_ledgers(steps):
    forks = [(_native.Ledger(), _pure.Ledger())]
    for place, (name, *arguments) in steps:
        native, pure = forks[place % len(forks)]
        if name == "fork":
            forks.append((native.fork(), pure.fork()))
        else:
            assert outcome(lambda: getattr(native, name)(*arguments)) == outcome(  # noqa: B023
                lambda: getattr(pure, name)(*arguments)  # noqa: B023
            )
    for native, pure in forks:
        assert native.items() == pure.items()


def assert_same_of_ledgers(name: str, make_arguments: Callable[[], tuple[Any, ...]]) -> None:
    """Compare a method of both backends on a ledger that holds something, which an error must not change."""
    found = []
    for backend in (_native, _pure):
        ledger = backend.Ledger()
        ledger.assign(1, [(2, 4), (6, 8)])
        found.append((outcome(lambda: getattr(ledger, name)(*make_arguments())), ledger.items()))  # noqa: B023
    assert found[0] == found[1]
    if found[0][0][0] != "gave":
        assert found[0][1] == [(1, [(2, 4), (6, 8)])]


METHODS_OF_SPANS = pytest.mark.parametrize(
    ("name", "arguments_of"),
    [
        ("record", lambda odd: (1, odd)),
        ("record", lambda odd: (2, odd)),
        ("assign", lambda odd: (1, odd)),
        ("exchange", lambda odd: (1, [(2, 4), (6, 8)], odd)),
        ("exchange", lambda odd: (1, odd, [])),
    ],
)


@METHODS_OF_SPANS
@pytest.mark.parametrize("odd", [*ODD_SPANS, (4, 4), (5, 4), (3, 1)], ids=lambda odd: f"{type(odd).__name__}")
def test_odd_spans_of_ledgers(odd, name, arguments_of):
    for spans_around in ([odd], [(0, 1), odd], [odd, (8, 9)], [(3, 9), odd]):
        assert_same_of_ledgers(name, lambda spans_around=spans_around: arguments_of(copy.copy(spans_around)))
    assert_same_of_ledgers("mask", lambda: (1, odd, 1))


@METHODS_OF_SPANS
@pytest.mark.parametrize(
    "make", [*(lambda odd=odd: odd for odd in NO_LISTS), lambda: iter([(1, 2)]), lambda: {(1, 2): 3}]
)
def test_odd_lists_of_spans_of_ledgers(make, name, arguments_of):
    assert_same_of_ledgers(name, lambda: arguments_of(make()))


# --- adding -----------------------------------------------------------------------------------------------------------


def registries() -> Iterator[tuple[Any, Any, list[Any]]]:
    """Give a registry and a ledger of each backend, and the tables."""
    for backend in (_native, _pure):
        tables: list[Any] = [{}, {}, {}, {}, []]
        registry = backend.Registry(*tables, IdStream(seed=1), lambda _, document: dict(document), LookupError)
        yield registry, backend.Ledger(), tables


@given(
    st.lists(
        st.tuples(st.sampled_from(["add", "add", "add", "number", "take out", "put in"]), st.sampled_from("abcdef")),
        max_size=20,
    ),
    st.lists(st.sampled_from("xyz"), max_size=6),
)
def test_registries(steps, stream):
    found = []
    for registry, ledger, tables in registries():
        registry.stream = iter(stream)
        log = []
        for number, (what, data_id) in enumerate(steps):
            if what == "add":
                log.append(outcome(lambda: registry.add(ledger, data_id, {"n": number})))  # noqa: B023
            elif what == "number":
                log.append(outcome(lambda: registry.number(data_id)))  # noqa: B023
            elif what == "take out":
                tables[0].pop(data_id, None)
            else:
                tables[0].setdefault(data_id, {})
        assert registry.tables() == tuple(tables[:3])
        assert all(table is not copied for table, copied in zip(tables, registry.tables(), strict=False))
        found.append((log, repr(tables), ledger.items()))
    assert found[0] == found[1]


class NoIterator:
    """Has what an iterator has, but not on its type."""

    def __init__(self) -> None:
        self.__next__ = lambda: "x"


@pytest.mark.parametrize(
    "make",
    [
        lambda: None, lambda: ["x"], lambda: "xy", NoIterator, lambda: iter([]), lambda: iter([["unhashable"]]),
        lambda: iter([5, 5, 6]), lambda: itertools.repeat("x"), lambda: iter(["\ud800"] * 3), lambda: map(int, ["x"]),
    ],
    ids=range(10),
)  # fmt: skip
def test_odd_streams(make):
    found = []
    for registry, ledger, tables in registries():
        stream = make()
        registry.stream = stream
        assert registry.stream is stream
        log = [outcome(lambda data_id=data_id: registry.add(ledger, data_id, {})) for data_id in "abc"]  # noqa: B023
        found.append((log, repr(tables[:3]), ledger.items()))
    assert found[0] == found[1]


def test_a_document_that_is_no_dict_is_copied_by_the_layer_above():
    for registry, ledger, tables in registries():
        given = [("k", [1])]
        registry.add(ledger, "d", given)
        assert tables[0] == {"d": {"k": [1]}}
        with pytest.raises(TypeError):
            registry.add(ledger, "e", 5)
        assert (tables[0].keys(), tables[1].keys(), list(tables[2].values())) == ({"d"}, {"d"}, ["d"])


# --- ids --------------------------------------------------------------------------------------------------------------


def assert_same_ids(alphabet: str, length: int, key: int, indexes: Iterable[Any]) -> None:
    space = len(alphabet) ** length
    native, pure = (backend.Ids(alphabet, length, space, key) for backend in (_native, _pure))
    for index in indexes:
        assert outcome(lambda index=index: native.at(index)) == outcome(lambda index=index: pure.at(index))
    start = max(0, space - 5)
    assert (
        native.between(start, space + 3) == pure.between(start, space + 3) == [pure.at(i) for i in range(start, space)]
    )


@given(
    st.text(characters, min_size=1, max_size=8).map(lambda text: "".join(dict.fromkeys(text))),
    st.integers(1, 60),
    st.integers(0, 2**64 - 1),
    st.data(),
)
def test_ids(alphabet, length, key, data):
    if (len(alphabet) ** length).bit_length() > _kernels.NATIVE_SPACE_BITS:
        length = max(1, 120 // len(alphabet).bit_length())
    space = len(alphabet) ** length
    inside = data.draw(st.lists(st.integers(0, space - 1), max_size=3))
    assert_same_ids(alphabet, length, key, [*inside, space, space + 1, -1, -space, True, 2**200, -(2**200)])


@pytest.mark.parametrize("bits", [1, 2, 63, 64, 65, 127])
def test_ids_at_the_edges_of_spaces_of_whole_bits(bits):
    for key in (0, 1, 2**64 - 1):
        assert_same_ids("ab", bits, key, [0, 1, 2**bits - 1, 2**bits // 2, 2**64 - 1, 2**64])


@pytest.mark.parametrize("index", ["0", None, 1.0, slice(0, 2), Broken(LookupError("broken"))])
def test_what_is_no_index_of_an_id(index):
    assert_same_ids("ab", 3, 1, [index])


# --- rendering --------------------------------------------------------------------------------------------------------

attributes = st.dictionaries(st.one_of(field_names, st.none(), st.booleans(), st.tuples(texts)), values, max_size=5)


@given(st.one_of(texts, st.integers(), st.none()), attributes, st.one_of(st.none(), texts))
def test_xml_element(doc_id, attributes, body):
    assert_succeeds("xml_element", doc_id, attributes, body)


@given(texts, st.lists(any_span, min_size=1, max_size=4), st.lists(any_span, max_size=4), st.booleans())
def test_view_body(content, some, others, swapped):
    assert_succeeds("view_body", content, *((others, some) if swapped else (some, others)))


@given(st.lists(st.one_of(field_names, st.none()), max_size=4), st.lists(attributes, max_size=4), st.booleans())
def test_markdown_table(columns, rows, of_the_rows):
    names = [name for row in rows for name in row] if of_the_rows else columns
    assert_succeeds("markdown_table", ["id", *names], rows)


class Loud:
    """A value whose methods do as they are told."""

    def __init__(self, text: object = "text", truth: object = True) -> None:
        self.text, self.truth = text, truth

    def __str__(self) -> str:
        return _obey(self.text)

    def __bool__(self) -> bool:
        return _obey(self.truth)

    def __format__(self, spec: str) -> str:
        return "formatted"

    def __repr__(self) -> str:
        return "Loud()"


def _obey(order: object) -> Any:
    if isinstance(order, Exception):
        raise order
    return order


class LoudText(str):
    def __str__(self) -> str:
        return "other"

    def __format__(self, spec: str) -> str:
        return "formatted"


class LoudInt(int):
    def __str__(self) -> str:
        return "<int>"

    def __format__(self, spec: str) -> str:
        return "formatted"


class LoudList(list):
    def __iter__(self) -> Any:
        return iter(["iterated"])

    def __len__(self) -> int:
        return 7


class Measured:
    def __init__(self, length: object) -> None:
        self.length = length

    def __len__(self) -> int:
        return _obey(self.length)

    def __repr__(self) -> str:
        return "Measured()"


class Name:
    """A name written like any value, which need not have a hash."""

    def __init__(self, named: object) -> None:
        self.named = named

    def __str__(self) -> str:
        return str(self.named)

    def __format__(self, spec: str) -> str:
        return str(self)


ODD_VALUES = [
    Loud(), Loud("\ud800<"), Loud(""), Loud(LoudText("x")), Loud(5), Loud(LookupError("no text")), Loud(truth=False),
    Loud(truth=5), Loud(truth=LookupError("no truth")), LoudText("x"), LoudText(""), LoudInt(3), LoudInt(0), LoudList(),
    LoudList([1, 2]), [Loud(5)], [LoudText("x"), LoudInt(2), Loud("\udc00")], [Loud(LookupError("no text"))],
    Measured(0), Measured(3), Measured(-1), Measured(LookupError("no length")), np.array([1, 2]), np.array([]),
    np.array([0]), np.float64(0), np.str_("s"), np.True_, np.int8(3), float("nan"), 10**5000, [10**5000], 1j,
    NotImplemented, ..., type, b"", bytearray(b"x"), range(0), {0},
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:NotImplemented should not be used")
@pytest.mark.filterwarnings("ignore:The truth value of an empty array is ambiguous")
@pytest.mark.parametrize("odd", ODD_VALUES, ids=lambda odd: type(odd).__name__)
@pytest.mark.parametrize(
    ("name", "arguments_of"),
    [
        ("xml_element", lambda odd: (odd, {}, None)),
        ("xml_element", lambda odd: ("m", {"a": odd, "b": 1}, "body")),
        ("xml_element", lambda odd: ("m", {Name(odd): "value"}, None)),
        ("markdown_table", lambda odd: (["a"], [{"a": odd}])),
        ("markdown_table", lambda odd: ([Name(odd)], [{}])),
    ],
)
def test_odd_values(odd, name, arguments_of):
    assert_same(name, lambda: arguments_of(odd))


def test_names_are_written_by_str():
    assert "text=" in assert_same("xml_element", lambda: ("m", {Loud(): "value"}, None))[1]
    assert "text" in assert_same("markdown_table", lambda: ([Loud()], []))[1]


@pytest.mark.parametrize(
    ("name", "make_arguments"),
    [
        ("xml_element", lambda: ("m", {Loud(LookupError("name")): Loud(LookupError("value"))}, None)),
        ("xml_element", lambda: (Loud(LookupError("id")), {"a": Loud(truth=LookupError("truth"))}, None)),
        ("markdown_table", lambda: ([Loud(LookupError("name"))], [{"a": Loud(LookupError("value"))}])),
    ],
)
def test_what_fails_first_fails_in_both(name, make_arguments):
    assert assert_same(name, make_arguments)[0] == "LookupError"


# --- the layer above --------------------------------------------------------------------------------------------------


def flow(documents: dict[Any, Any], steps: list[Any]) -> list[Any]:
    """Store the documents, then at each step view, show and record them all; give everything that was seen of it."""
    cache, log = DocumentCache("danish"), []
    cache.model_facing_id_stream = IdStream(seed=2)
    for data_id, (fields, (_, content, _)) in documents.items():
        cache.add_document(data_id, {**fields, "c": content})
    for (query, _, language), size, minimum in steps:
        views = [cache.apply_snippet(data_id, "c", query, size, minimum, language=language) for data_id in documents]
        for view in views:
            cache.update_seen(view)
        log.append([view.render_xml() for view in views])
        log.append(render_markdown_table(views, ["c"]))
        log.append(dict(cache.seen_ledger))
    return log


@given(
    st.dictionaries(st.one_of(texts, st.integers()), st.tuples(attributes, searches()), max_size=3),
    st.lists(st.tuples(searches(4), st.integers(1, 9), st.one_of(st.integers(-1, 9), st.floats(0, 9))), max_size=4),
)
def test_whole_flows(documents, steps):
    assert_same_in_both(lambda: flow(documents, steps))


def assert_same_in_both(run: Callable[[], Any]) -> Any:
    """Run with each backend behind the door."""
    logs = []
    for backend in (_native, _pure):
        with pytest.MonkeyPatch.context() as patch:
            for name in _pure.__all__:
                patch.setattr(_kernels, name, getattr(backend, name))
            logs.append(run())
    assert logs[0] == logs[1]
    return logs[0]


def searched(calls: Iterable[tuple[list[Any], str, dict[str, Any]]]) -> list[Any]:
    """Render results, call after call; give what came of each, and what is left."""
    cache, log = seeded(), []
    for found, query, options in calls:
        try:
            log.append(cache.render_results(copy.deepcopy(found), query, **options))
        except Exception as error:
            log.append((type(error).__name__, str(error), getattr(error, "__notes__", None)))
        log.append(outcome(lambda: state(cache)))
    return log


@given(st.lists(results(), min_size=1, max_size=3))
def test_search_results(calls):
    assert_same_in_both(lambda: searched(calls))


@pytest.mark.parametrize("bad", BAD_RESULTS, ids=range(len(BAD_RESULTS)))
def test_bad_search_results(bad):
    found = [hit("a"), bad[0], hit("b")]

    def search() -> Any:
        caches = with_documents()
        gave = outcome(lambda: caches[0].render_results(found, "five"))
        return gave, [state(cache) for cache in caches]

    assert assert_same_in_both(search)[0][0] != "gave"


@pytest.mark.filterwarnings("ignore:NotImplemented should not be used")
@pytest.mark.filterwarnings("ignore:The truth value of an empty array is ambiguous")
@pytest.mark.parametrize("odd", ODD_VALUES, ids=lambda odd: type(odd).__name__)
@pytest.mark.parametrize(
    "call",
    [
        lambda odd: ([hit("a", odd=odd), hit("a", odd=odd)], "five", {}),
        lambda odd: ([hit("a", odd=odd, doc_length=odd)], "five", {"display_fields": ["odd", "content", "odd"]}),
        lambda odd: ([hit("a", odd=odd), hit("b", odd=1)], "five", {"format": "markdown"}),
        lambda odd: ([hit("a", Text(TEXT), odd=odd)], "five", {"snippet_size": 2}),
        lambda odd: ([hit("a", odd)], "five", {}),
        lambda odd: ([hit("a", lambda: odd)], "five", {}),
        lambda odd: ([hit("a"), odd], "five", {}),
    ],
)
def test_odd_search_results(odd, call):
    asked = call(odd)
    assert_same_in_both(lambda: searched([asked]))


class Text(str):
    __slots__ = ()


def test_ids_of_all_kinds_in_search_results():
    found = [hit(data_id) for data_id in ("a", 1, True, 1.0, (1,), None, b"a", Text("a"), "\ud800", 10**30, -1, "b")]
    log = assert_same_in_both(lambda: searched([(found, "five", {}), (found, "six", {"snippet_size": 1})]))
    assert "error" not in repr(log)


class Proxy:
    """An object that says it is of another's class, as proxies and mocks do."""

    def __init__(self, value: object) -> None:
        self.value = value

    @property
    def __class__(self) -> type:
        return type(self.value)

    def __iter__(self) -> Any:
        return iter(self.value)

    def __str__(self) -> str:
        return str(self.value)


def test_proxies_count_as_what_they_stand_for_where_they_are_shown():
    attributes = {"list": Proxy(["<", 2]), "number": Proxy(3), "text": Proxy("x"), "list of": [Proxy(4)]}
    _, shown = assert_same("xml_element", lambda: ("m", attributes, None))
    assert 'list="&lt;, 2" number=3 text="x" list of="4"' in shown
    assert_same("markdown_table", lambda: (list(attributes), [attributes]))


def test_proxies_are_no_spans():
    for span in (Proxy((1, 5)), Proxy([1, 5])):
        assert assert_same("overlap", lambda span=span: (span, (0, 9)))[0] == "TypeError"


@given(
    st.text(characters, max_size=30),
    st.lists(st.tuples(st.integers(-5, 35), st.integers(-5, 35)), max_size=4),
    st.lists(st.tuples(st.integers(-5, 35), st.integers(-5, 35)), min_size=1, max_size=3),
    st.lists(st.sampled_from(["text", "title", "doc_length", "id", "absent"]), max_size=4),
)
def test_snippet_xml(content, displayed, seen, fields):
    document = {"text": content, "title": content[:5], "doc_length": 3, "id": ["<", 1]}
    assert_same("snippet_xml", lambda: ("004218", document, fields, "text", displayed, seen))


@pytest.mark.parametrize("content", [5, None, b"bytes", ["text"]])
def test_a_snippet_field_without_text_is_left_to_the_caller(content):
    assert assert_same("snippet_xml", lambda: ("m", {"text": content}, ["text"], "text", [(0, 1)], [])) == (
        "gave",
        "None",
    )


@pytest.mark.parametrize(
    "arguments",
    [
        (Loud(), {"text": "t"}, ["text"], "text", [(0, 1)], []),
        ("m", {"text": "t"}, ["text"], "absent", [(0, 1)], []),
        ("m", {"text": "t", "x": Loud(LookupError("x"))}, ["x"], "text", [(0, 1)], []),
        ("m", {"text": "t", "x": Loud(truth=LookupError("x"))}, ["x"], "text", [(0, 1)], []),
        ("m", {"text": "t"}, 5, "text", [(0, 1)], []),
        ("m", {"text": "t"}, ["text"], "text", [(0, "1")], []),
        ("m\ud800", {"text": "\udfff"}, ["text"], "text", [(0, 1)], []),
    ],
)
def test_odd_arguments_of_snippet_xml(arguments):
    assert_same("snippet_xml", lambda: arguments)
