"""`DocumentCache.seen_ledger`: a mapping that behaves as a dict of lists, and what forks and ledgers cost."""

from __future__ import annotations

import copy
import operator
import pickle
import sys
import threading
from collections import OrderedDict, UserDict
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from itertools import chain, pairwise
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from models import points, runs
from sid import DocumentCache
from sid.seen_ledger import SeenLedger, SeenSpans
from strategies import ledgers as span_lists

DOCUMENT = {"c": "x" * 100}


def cache_with(entries: Mapping[Any, list[tuple[int, int]]]) -> DocumentCache:
    """Give a cache whose ledger has these entries by way of its methods."""
    cache = DocumentCache()
    for data_id, held in entries.items():
        cache.add_document(data_id, DOCUMENT)
        for span in held:
            cache.update_seen(cache.get_single_span_document_view(data_id, "c", span))
    return cache


ENTRIES = {"d": [], "e": [(1, 3), (5, 8)], 7: [(0, 9)]}
FORMS = [dict, OrderedDict, UserDict, MappingProxyType, lambda entries: cache_with(entries).seen_ledger]


# --- reading ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
def test_it_equals_any_mapping_of_the_same_from_both_sides(form):
    ledger = cache_with(ENTRIES).seen_ledger
    reordered = dict(reversed(ENTRIES.items()))
    for same in (form(ENTRIES), form(reordered)):
        assert ledger == same
        assert same == ledger
        assert (ledger != same, same != ledger) == (False, False)
    for other in ({}, {"d": []}, {**ENTRIES, "f": []}, {**ENTRIES, "d": [(0, 1)]}, {**ENTRIES, 7: [(0, 8)]}):
        assert ledger != form(other)
        assert form(other) != ledger


@pytest.mark.parametrize("other", [None, 5, [], [("d", [])], "d", object(), set(ENTRIES)])
def test_it_equals_nothing_but_mappings(other):
    ledger = cache_with(ENTRIES).seen_ledger
    assert ledger != other
    assert other != ledger


def test_it_reads_as_a_dict():
    cache = cache_with(ENTRIES)
    ledger = cache.seen_ledger
    assert isinstance(ledger, MutableMapping)
    assert repr(ledger) == str(ledger) == f"{ledger}" == repr(ENTRIES)
    assert (len(ledger), bool(ledger), bool(DocumentCache().seen_ledger)) == (3, True, False)
    assert list(ledger) == list(ledger.keys()) == list(ENTRIES)
    assert list(reversed(ledger)) == list(reversed(ENTRIES))
    assert list(ledger.items()) == list(ENTRIES.items())
    assert list(ledger.values()) == list(ENTRIES.values())
    assert ("e", [(1, 3), (5, 8)]) in ledger.items()
    assert ("d" in ledger, "f" in ledger, 7.0 in ledger) == (True, False, True)
    assert (ledger["e"], ledger.get("e"), ledger.get("f"), ledger.get("f", 3)) == (*[ENTRIES["e"]] * 2, None, 3)
    assert {**ledger} == dict(ledger) == dict(ledger.items()) == ledger.copy() == ENTRIES
    assert type(ledger.copy()) is dict
    match ledger:
        case {"e": [first, *_]}:
            assert first == (1, 3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(ledger)


@pytest.mark.parametrize("key", ["absent", None, (), "c"])
def test_an_absent_entry_is_a_key_error_that_names_the_key(key):
    ledger = cache_with(ENTRIES).seen_ledger
    for call in (operator.getitem, operator.delitem, type(ledger).pop):
        with pytest.raises(KeyError) as caught:
            call(ledger, key)
        assert caught.value.args == (key,)
    assert ledger == ENTRIES


def test_a_document_that_only_another_fork_knows_is_absent():
    cache = cache_with({"d": []})
    [fork] = cache.fork(1)
    cache.add_document("e", DOCUMENT)
    assert "e" not in fork.seen_ledger
    assert fork.seen_ledger == {"d": []}
    with pytest.raises(KeyError):
        del fork.seen_ledger["e"]
    assert cache.seen_ledger == {"d": [], "e": []}


@pytest.mark.parametrize(
    "call", [operator.getitem, operator.delitem, operator.contains, lambda ledger, key: ledger.get(key)]
)
def test_what_cannot_be_hashed_is_no_key(call):
    with pytest.raises(TypeError, match="unhashable"):
        call(cache_with(ENTRIES).seen_ledger, [])


def test_it_follows_the_fork():
    cache = cache_with({"d": []})
    ledger = cache.seen_ledger
    items = ledger.items()
    cache.add_document("e", DOCUMENT)
    cache.update_seen(cache.get_single_span_document_view("d", "c", (2, 4)))
    assert ledger == cache.seen_ledger == {"d": [(2, 4)], "e": []}
    assert list(items) == [("d", [(2, 4)]), ("e", [])]


def test_entries_are_in_the_order_in_which_the_fork_got_them():
    cache = DocumentCache()
    one, other = cache.fork(2)
    for data_id in "abc":
        one.add_document(data_id, DOCUMENT)
    for data_id in "cab":
        other.update_seen(other.get_single_span_document_view(data_id, "c", (0, 1)))
    cache.add_document("b", {})
    assert [list(member.seen_ledger) for member in (one, other, cache)] == [["a", "b", "c"], ["c", "a", "b"], ["b"]]
    assert list(other.fork(1)[0].seen_ledger) == ["c", "a", "b"]


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value)), lambda value: value.copy()],
    ids=["copy", "deepcopy", "pickle", "method"],
)
def test_copies_are_plain_and_apart(duplicate):
    cache = cache_with(ENTRIES)
    copied, listed = duplicate(cache.seen_ledger), duplicate(cache.seen_ledger["e"])
    assert type(copied) is dict
    assert type(listed) is type(copied["e"]) is list
    assert list(copied.items()) == list(ENTRIES.items())
    assert listed == ENTRIES["e"]
    copied["d"].append((0, 1))
    copied["new"] = []
    listed.clear()
    cache.update_seen(cache.get_single_span_document_view("d", "c", (50, 60)))
    assert cache.seen_ledger == {**ENTRIES, "d": [(50, 60)]}
    assert copied["d"] == [(0, 1)]


# --- changing ---------------------------------------------------------------------------------------------------------


def _list_changes() -> st.SearchStrategy[Callable[[list[Any]], Any]]:
    """Give changes of a list, some of which cannot be done, or leave what is no ledger."""
    span = st.tuples(st.integers(0, 60), st.integers(0, 60))
    index = st.integers(-3, 3)
    return st.one_of(
        span.map(lambda span: lambda held: held.append(span)),
        span_lists().map(lambda other: lambda held: held.extend(other)),
        st.tuples(index, span).map(lambda drawn: lambda held: held.insert(*drawn)),
        index.map(lambda at: lambda held: held.pop(at)),
        index.map(lambda at: lambda held: operator.delitem(held, at)),
        span.map(lambda span: lambda held: held.remove(span)),
        st.tuples(index, span).map(lambda drawn: lambda held: operator.setitem(held, *drawn)),
        span_lists().map(lambda other: lambda held: operator.setitem(held, slice(1, 2), other)),
        span_lists().map(lambda other: lambda held: operator.iadd(held, other) is held),
        st.integers(0, 2).map(lambda times: lambda held: operator.imul(held, times) is held),
        st.sampled_from(
            [
                lambda held: held.clear(),
                lambda held: held.reverse(),
                lambda held: held.sort(),
                lambda held: held.sort(key=lambda span: -span[0], reverse=True),
                lambda held: held.append("no span"),
                lambda held: held.extend(5),
            ]
        ),
    )


def is_ledger_entry(held: list[Any]) -> bool:
    return all(isinstance(span, tuple) and span[0] < span[1] for span in held) and all(
        one[1] <= other[0] for one, other in pairwise(held)
    )


def attempt(call: Callable[[], Any]) -> tuple[Any, ...]:
    try:
        return "gave", call()
    except Exception as error:
        return "raised", type(error)


class Entries(RuleBasedStateMachine):
    """Whatever is done to the ledgers of forks by hand, they are as plain dicts would be."""

    caches = Bundle("caches")
    keys = st.sampled_from(["a", "b", "c", 1, 1.0, None])

    @initialize(target=caches)
    def begin(self) -> int:
        self.members: list[tuple[DocumentCache, dict[Any, Any]]] = [(DocumentCache(), {})]
        return 0

    @rule(target=caches, at=caches)
    def fork(self, at: int) -> Any:
        cache, model = self.members[at]
        self.members.append((cache.fork(1)[0], copy.deepcopy(model)))
        return multiple(len(self.members) - 1)

    @rule(at=caches, key=keys)
    def add(self, at: int, key: Any) -> None:
        cache, model = self.members[at]
        cache.add_document(key, DOCUMENT)
        model.setdefault(key, [])

    @rule(at=caches, key=keys, start=st.integers(0, 60), length=st.integers(1, 20))
    def record(self, at: int, key: Any, start: int, length: int) -> None:
        cache, model = self.members[at]
        if key in cache:
            cache.update_seen(cache.get_single_span_document_view(key, "c", (start, start + length)))
            model[key] = runs(points(model.get(key, [])) | points([(start, start + length)]))

    @rule(at=caches, key=keys, held=span_lists())
    def put(self, at: int, key: Any, held: list[tuple[int, int]]) -> None:
        cache, model = self.members[at]
        cache.seen_ledger[key] = held
        model[key] = list(held)

    @rule(at=caches, key=keys, change=_list_changes())
    def change_list(self, at: int, key: Any, change: Callable[[list[Any]], Any]) -> None:
        cache, model = self.members[at]
        if key in model:
            held, expected = cache.seen_ledger[key], list(model[key])
            outcome = attempt(lambda: change(expected))
            if not is_ledger_entry(expected):
                with pytest.raises((ValueError, TypeError), match="span"):
                    change(held)
                expected = model[key]
            else:
                assert attempt(lambda: change(held)) == outcome
                expected = runs(points(expected))
            assert held == expected
            model[key] = expected

    @rule(at=caches, key=keys, change=_list_changes())
    def change_stale_list(self, at: int, key: Any, change: Callable[[list[Any]], Any]) -> None:
        """A list that the ledger has moved on from is a list like any other."""
        cache, model = self.members[at]
        if key in model:
            held = cache.seen_ledger[key]
            cache.seen_ledger[key] = model[key] = [(200, 201)] if held != [(200, 201)] else []
            expected = list(held)
            assert attempt(lambda: change(held)) == attempt(lambda: change(expected))
            assert held == expected

    @rule(at=caches, key=keys)
    def delete(self, at: int, key: Any) -> None:
        cache, model = self.members[at]
        assert attempt(lambda: operator.delitem(cache.seen_ledger, key)) == attempt(
            lambda: operator.delitem(model, key)
        )

    @rule(at=caches, key=keys, default=st.sampled_from([(), (5,)]))
    def pop(self, at: int, key: Any, default: Any) -> None:
        cache, model = self.members[at]
        assert attempt(lambda: cache.seen_ledger.pop(key, *default)) == attempt(lambda: model.pop(key, *default))

    @rule(at=caches)
    def pop_item(self, at: int) -> None:
        cache, model = self.members[at]
        assert attempt(lambda: cache.seen_ledger.popitem()) == attempt(lambda: model.popitem())

    @rule(at=caches, key=keys, held=span_lists(), more=span_lists())
    def set_default(self, at: int, key: Any, held: list[tuple[int, int]], more: list[tuple[int, int]]) -> None:
        cache, model = self.members[at]
        given, expected = cache.seen_ledger.setdefault(key, held), model.setdefault(key, list(held))
        assert given == expected
        # What was given is the entry.
        given[:] = more
        expected[:] = more

    @rule(at=caches, entries=st.dictionaries(keys, span_lists(), max_size=3))
    def update(self, at: int, entries: dict[Any, Any]) -> None:
        cache, model = self.members[at]
        cache.seen_ledger.update(entries)
        model.update(copy.deepcopy(entries))

    @rule(at=caches)
    def clear(self, at: int) -> None:
        cache, model = self.members[at]
        cache.seen_ledger.clear()
        model.clear()

    @rule(at=caches, entries=st.dictionaries(keys, span_lists(), max_size=3), form=st.sampled_from(FORMS[:-1]))
    def assign(self, at: int, entries: dict[Any, Any], form: Any) -> None:
        cache, _ = self.members[at]
        cache.seen_ledger = form(entries)
        self.members[at] = (cache, copy.deepcopy(entries))

    @rule(at=caches, other=caches)
    def assign_that_of_a_fork(self, at: int, other: int) -> None:
        cache, _ = self.members[at]
        of_fork, model = self.members[other]
        cache.seen_ledger = of_fork.seen_ledger
        self.members[at] = (cache, copy.deepcopy(model))

    @invariant()
    def agree(self) -> None:
        for cache, model in self.members:
            assert list(cache.seen_ledger.items()) == list(model.items())
            assert cache.seen_ledger == model


TestEntries = Entries.TestCase
TestEntries.settings = settings(max_examples=80, stateful_step_count=30, deadline=None)

NO_ENTRIES = [
    ([(0, 0)], ValueError), ([(5, 3)], ValueError), ([(4, 6), (0, 2)], ValueError), ([(0, 5), (4, 6)], ValueError),
    ([(0, 5), (0, 5)], ValueError), ([(0, 1), (0.5, 2)], TypeError), ([5], TypeError), (5, TypeError),
    (None, TypeError), ("ab", TypeError), ([(0, 2**63)], TypeError),
]  # fmt: skip


@pytest.mark.parametrize(("spans", "error"), NO_ENTRIES, ids=str)
def test_what_is_no_entry_is_refused_and_nothing_changes(spans, error):
    cache = cache_with(ENTRIES)
    ledger = cache.seen_ledger
    for key in ("e", "new"):
        for call in (
            lambda key=key: operator.setitem(ledger, key, spans),
            lambda key=key: ledger.update({key: spans}),
            lambda key=key: setattr(cache, "seen_ledger", {"fine": [(0, 1)], key: spans}),
        ):
            with pytest.raises(error):
                call()
            assert list(cache.seen_ledger.items()) == list(ENTRIES.items())
    with pytest.raises(error):
        ledger.setdefault("new", spans)
    assert ledger == ENTRIES


def test_an_error_names_the_document_and_the_span():
    with pytest.raises(ValueError, match=r"seen_ledger\['e'\].*sorted and disjoint.*index 1 is \(2, 4\)"):
        cache_with(ENTRIES).seen_ledger["e"] = [(1, 3), (2, 4)]


@pytest.mark.parametrize("entries", [None, 5, [("d", [])], "d"])
def test_only_a_mapping_can_be_assigned(entries):
    cache = cache_with(ENTRIES)
    with pytest.raises(TypeError, match="mapping"):
        cache.seen_ledger = entries
    assert cache.seen_ledger == ENTRIES


def test_what_was_assigned_is_masked_and_recorded_upon():
    cache = DocumentCache()
    cache.add_document("d", {"c": "one two three"})
    cache.seen_ledger = {"d": [[0, 3], (3, 7)]}
    assert cache.seen_ledger == {"d": [(0, 7)]}
    view = cache.apply_snippet("d", "c", "two", min_seen_overlap=1)
    assert (view.snippet_seen_spans, view.snippet_display_spans) == ([(0, 7)], [(7, 13)])
    cache.update_seen(view)
    assert cache.seen_ledger == {"d": [(0, 13)]}
    del cache.seen_ledger["d"]
    assert cache.apply_snippet("d", "c", "two").snippet_display_spans == [(0, 13)]
    assert cache.seen_ledger == {}


def test_a_ledger_that_was_replaced_is_no_longer_the_forks():
    cache = cache_with(ENTRIES)
    before, held = cache.seen_ledger, cache.seen_ledger["d"]
    cache.seen_ledger = {"f": []}
    held.append((0, 1))
    assert cache.seen_ledger == {"f": []}
    assert before == {**ENTRIES, "d": [(0, 1)]}


def test_a_document_that_was_put_into_the_store_by_hand_can_be_recorded():
    cache = DocumentCache()
    cache.documents["raw"] = DOCUMENT
    cache.seen_ledger["other"] = [(0, 1)]
    other = cache_with({"raw": []})
    cache.update_seen(other.get_single_span_document_view("raw", "c", (2, 4)))
    assert cache.seen_ledger == {"other": [(0, 1)], "raw": [(2, 4)]}


def test_types():
    cache = cache_with(ENTRIES)
    assert type(cache.seen_ledger) is SeenLedger
    assert type(cache.seen_ledger["e"]) is SeenSpans
    assert isinstance(cache.seen_ledger["e"], list)


READING = {
    "__add__", "__contains__", "__doc__", "__eq__", "__ge__", "__getattribute__", "__getitem__", "__gt__", "__hash__",
    "__iter__", "__le__", "__len__", "__lt__", "__mul__", "__ne__", "__new__", "__repr__", "__reversed__", "__rmul__",
    "__sizeof__", "__class_getitem__", "copy", "count", "index",
}  # fmt: skip


def test_every_method_that_changes_a_list_changes_the_ledger():
    assert vars(list).keys() - READING <= vars(SeenSpans).keys()
    assert not READING - {"__doc__"} & vars(SeenSpans).keys()


# --- what it costs ----------------------------------------------------------------------------------------------------


class Counting:
    """A data id that counts how often it is hashed and compared."""

    asked = 0

    def __init__(self, number: int) -> None:
        self.number = number

    def __hash__(self) -> int:
        Counting.asked += 1
        return self.number

    def __eq__(self, other: object) -> bool:
        Counting.asked += 1
        return isinstance(other, Counting) and other.number == self.number


def asked_by(call: Callable[[], Any]) -> int:
    before = Counting.asked
    call()
    return Counting.asked - before


@pytest.mark.parametrize("documents", [1, 100, 2_000])
def test_forking_asks_no_id_and_an_update_only_its_own(documents):
    cache = DocumentCache()
    for number in range(documents):
        cache.add_document(Counting(number), DOCUMENT)
    views = [cache.get_single_span_document_view(Counting(0), "c", (start, start + 1)) for start in (3, 9)]
    assert asked_by(lambda: cache.fork(8)) == 0
    [fork] = cache.fork(1)
    counts = {asked_by(lambda view=view: fork.update_seen(view)) for view in views}
    assert max(counts) <= 2 * 2  # two tables, in each a hash and a comparison
    assert len(fork.seen_ledger) == documents


def blocks_taken(call: Callable[[], Any]) -> int:
    """Count the memory blocks of Python's that the result of a call holds, the least of some tries."""
    counts = []
    for _ in range(5):
        before = sys.getallocatedblocks()
        result = call()
        counts.append(sys.getallocatedblocks() - before)
        del result
    return min(counts)


def test_a_fork_takes_as_much_memory_whatever_the_ledger_holds():
    empty, full = DocumentCache(), DocumentCache()
    for number in range(500):
        full.add_document(number, DOCUMENT)
        full.seen_ledger[number] = [(2 * start, 2 * start + 1) for start in range(40)]
    few, many = (blocks_taken(lambda cache=cache: cache.fork(16)) for cache in (empty, full))
    assert few == many


# --- threads ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("frequent_switches")
def test_entries_made_and_taken_by_many_threads_are_made_and_taken_once():
    cache, rounds, threads = DocumentCache(), 200, 4
    taken: list[list[Any]] = [[] for _ in range(threads)]

    def work(thread: int) -> None:
        for number in range(rounds):
            cache.seen_ledger.setdefault(number, [(thread, thread + 1)])
            spans = cache.seen_ledger.pop((number * 7) % rounds, None)
            if spans is not None:
                taken[thread].append(((number * 7) % rounds, spans))

    workers = [threading.Thread(target=work, args=(thread,)) for thread in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for _, spans in [*chain(*taken), *cache.seen_ledger.items()]:
        [(start, end)] = spans
        assert end == start + 1


@pytest.mark.usefixtures("frequent_switches")
def test_lists_changed_while_others_record_lose_no_recorded_span():
    cache = cache_with({"d": []})
    running = threading.Event()
    running.set()

    def change() -> None:
        while running.is_set():
            held = cache.seen_ledger["d"]
            held[:] = [*(span for span in held if span[0] < 1000), (1000, 1001)]

    def record(thread: int) -> None:
        for step in range(10):
            at = 4 * step + thread
            cache.update_seen(cache.get_single_span_document_view("d", "c", (2 * at, 2 * at + 1)))

    changers = [threading.Thread(target=change) for _ in range(2)]
    recorders = [threading.Thread(target=record, args=(thread,)) for thread in range(4)]
    for thread in [*changers, *recorders]:
        thread.start()
    for thread in recorders:
        thread.join()
    running.clear()
    for thread in changers:
        thread.join()
    assert [span for span in cache.seen_ledger["d"] if span[0] < 1000] == [(2 * at, 2 * at + 1) for at in range(40)]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 90)), max_size=30))
def test_numbers_of_ids_are_their_own(order):
    """Forks that meet the documents in any order agree on which is which."""
    cache = DocumentCache()
    forks = cache.fork(4)
    for fork, start in order:
        data_id = f"d{start % 10}"
        forks[fork].add_document(data_id, DOCUMENT)
        forks[fork].update_seen(forks[fork].get_single_span_document_view(data_id, "c", (start, start + 1)))
    for number, fork in enumerate(forks):
        expected: dict[str, set[int]] = {}
        for at, start in order:
            if at == number:
                expected.setdefault(f"d{start % 10}", set()).add(start)
        assert list(fork.seen_ledger.items()) == [(data_id, runs(seen)) for data_id, seen in expected.items()]
