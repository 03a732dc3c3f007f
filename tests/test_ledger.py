"""The kernel behind the ledger of a fork, against dicts of sets of code points."""

from __future__ import annotations

import random
import sys
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

import models
from models import points, runs
from sid._kernels import Ledger
from strategies import ledgers as span_lists
from strategies import spans

Model = dict[int, set[int]]

numbers = st.one_of(st.integers(0, 20), st.sampled_from([255, 256, 2**32, 2**64 - 1]))
wide = st.one_of(spans(), spans(4000))


class Forks(RuleBasedStateMachine):
    """Any order of changing, reading and forking ledgers; all forks are looked at after each step."""

    ledgers = Bundle("ledgers")

    @initialize(target=ledgers)
    def begin(self) -> int:
        self.forks: list[tuple[Ledger, Model]] = [(Ledger(), {})]
        return 0

    @rule(target=ledgers, at=ledgers, count=st.integers(0, 3))
    def fork(self, at: int, count: int) -> Any:
        ledger, model = self.forks[at]
        first = len(self.forks)
        self.forks += [(ledger.fork(), {number: set(seen) for number, seen in model.items()}) for _ in range(count)]
        return multiple(*range(first, first + count))

    @rule(at=ledgers, number=numbers)
    def register(self, at: int, number: int) -> None:
        ledger, model = self.forks[at]
        assert ledger.register(number) is None
        model.setdefault(number, set())

    @rule(at=ledgers, number=numbers, recorded=st.lists(wide, max_size=5))
    def record(self, at: int, number: int, recorded: list[tuple[int, int]]) -> None:
        ledger, model = self.forks[at]
        assert ledger.record(number, recorded) is None
        model.setdefault(number, set()).update(points(recorded))

    @rule(at=ledgers, number=numbers, recorded=st.lists(wide, max_size=3), empty=st.tuples(st.integers(0, 9)))
    def record_in_vain(self, at: int, number: int, recorded: list[tuple[int, int]], empty: tuple[int]) -> None:
        ledger, _ = self.forks[at]
        with pytest.raises(AssertionError, match="empty"):
            ledger.record(number, [*recorded, (*empty, *empty)])
        with pytest.raises(TypeError, match="span"):
            ledger.record(number, [*recorded, empty])

    @rule(at=ledgers, number=numbers, held=span_lists())
    def assign(self, at: int, number: int, held: list[tuple[int, int]]) -> None:
        ledger, model = self.forks[at]
        assert ledger.assign(number, held) is None
        model[number] = points(held)

    @rule(at=ledgers, number=numbers)
    def remove(self, at: int, number: int) -> None:
        ledger, model = self.forks[at]
        assert ledger.remove(number) == (runs(model.pop(number)) if number in model else None)

    @rule(at=ledgers, number=numbers, expected=st.one_of(st.none(), span_lists()))
    def exchange(self, at: int, number: int, expected: list[tuple[int, int]] | None) -> None:
        ledger, model = self.forks[at]
        held = runs(model[number]) if number in model else None
        after = [(1, 3), (5, 7)]
        if expected != held:
            assert ledger.exchange(number, expected, after) is None
        assert ledger.exchange(number, held, after) == after
        model[number] = points(after)

    @rule(at=ledgers)
    def clear(self, at: int) -> None:
        ledger, model = self.forks[at]
        assert ledger.clear() is None
        model.clear()

    @rule(at=ledgers, number=st.one_of(numbers, st.none()), span=wide, minimum=st.integers(-1, 30))
    def mask(self, at: int, number: int | None, span: tuple[int, int], minimum: int) -> None:
        ledger, model = self.forks[at]
        assert ledger.mask(number, span, minimum) == models.masked(span, model.get(number, set()), minimum)

    @invariant()
    def agree(self) -> None:
        for ledger, model in self.forks:
            expected = [(number, runs(seen)) for number, seen in model.items()]
            assert ledger.items() == expected
            assert ledger.numbers() == list(model)
            assert len(ledger) == len(model)
            for number, seen in expected:
                assert number in ledger
                assert ledger.spans(number) == seen
            absent = next(number for number in range(40, 99) if number not in model)
            assert (absent in ledger, ledger.spans(absent)) == (False, None)


TestForks = Forks.TestCase
TestForks.settings = settings(max_examples=100, stateful_step_count=30, deadline=None)


@given(st.lists(st.tuples(st.integers(-3, 40), st.integers(-2, 6)), max_size=6))
def test_only_sorted_and_disjoint_spans_are_an_entry(drawn):
    held = [(start, start + length) for start, length in drawn]
    bad = [at for at, (start, end) in enumerate(held) if start >= end or (at > 0 and start < held[at - 1][1])]
    ledger = Ledger()
    ledger.register(1)
    for change in (lambda: ledger.assign(1, held), lambda: ledger.exchange(1, [], held)):
        if bad:
            with pytest.raises(ValueError, match=rf"index {bad[0]} is \({held[bad[0]][0]}, {held[bad[0]][1]}\)"):
                change()
            assert ledger.spans(1) == []
        else:
            change()
            # Spans that touch become one.
            assert ledger.spans(1) == runs(points(held))
            ledger.assign(1, [])


def test_thousands_of_spans_in_any_order():
    for seed, order in enumerate(["rising", "falling", "random"]):
        drawn = random.Random(seed)
        slots = [(10 * slot, 10 * slot + drawn.randint(1, 9)) for slot in range(3_000)]
        if order == "random":
            drawn.shuffle(slots)
        elif order == "falling":
            slots.reverse()
        ledger, forks = Ledger(), []
        for at, slot in enumerate(slots):
            ledger.record(7, [slot])
            if at % 500 == 0:
                forks.append((ledger.fork(), sorted(slots[: at + 1])))
        assert ledger.spans(7) == sorted(slots)
        for fork, held in forks:
            assert fork.spans(7) == held
        for _ in range(50):
            start = drawn.randrange(29_000)
            span = start, start + drawn.randint(1, 900)
            inside = points([span]) & points(slot for slot in slots if slot[0] < span[1] and span[0] < slot[1])
            assert ledger.mask(7, span, 5) == models.masked(span, inside, 5)
        ledger.record(7, [(5, 29_995)])
        assert ledger.spans(7) == runs(points([*slots, (5, 29_995)]))
        for fork, held in forks:
            assert fork.spans(7) == held


def test_many_documents():
    ledger = Ledger()
    for number in range(5_000):
        ledger.record(number, [(number, number + 1)])
    fork = ledger.fork()
    for number in range(0, 5_000, 7):
        fork.record(number, [(number + 1, number + 2)])
        ledger.remove(number)
    assert fork.items() == [(number, [(number, number + (1 if number % 7 else 2))]) for number in range(5_000)]
    assert ledger.items() == [(number, [(number, number + 1)]) for number in range(5_000) if number % 7]


def test_an_entry_that_is_made_again_comes_last():
    ledger = Ledger()
    for number in (5, 3, 9):
        ledger.register(number)
    ledger.assign(3, [(1, 2)])
    assert ledger.numbers() == [5, 3, 9]
    ledger.remove(5)
    ledger.record(5, [(0, 1)])
    assert ledger.items() == [(3, [(1, 2)]), (9, []), (5, [(0, 1)])]


def test_recording_and_forking_at_once():
    """Each fork holds a state that there was: all that each thread had recorded until then, in its order."""
    ledger, threads, each = Ledger(), 4, 300
    running = threading.Event()
    running.set()
    taken: list[list[Ledger]] = [[], []]

    def record(thread: int) -> None:
        for step in range(each):
            start = 4 * (step * threads + thread)
            ledger.record(thread % 2, [(start, start + 1), (start + 2, start + 3)])

    def fork(into: list[Ledger]) -> None:
        while running.is_set() and len(into) < 200:
            fork = ledger.fork()
            # What a fork records must not come back.
            fork.record(9, [(0, 1)])
            fork.record(0, [(4 * threads * each, 4 * threads * each + 1)])
            into.append(fork)
            time.sleep(0)

    writers = [threading.Thread(target=record, args=(thread,)) for thread in range(threads)]
    forkers = [threading.Thread(target=fork, args=(into,)) for into in taken]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    for thread in [*forkers, *writers]:
        thread.start()
    for thread in writers:
        thread.join()
    running.clear()
    for thread in forkers:
        thread.join()
    sys.setswitchinterval(interval)
    expected: dict[int, list[tuple[int, int]]] = {0: [], 1: []}
    for step in range(each):
        for thread in range(threads):
            start = 4 * (step * threads + thread)
            expected[thread % 2] += [(start, start + 1), (start + 2, start + 3)]
    assert dict(ledger.items()) == expected
    for fork in [*taken[0], *taken[1]]:
        held = dict(fork.items())
        assert held.pop(9) == [(0, 1)]
        assert held[0].pop() == (4 * threads * each, 4 * threads * each + 1)
        for number, held_spans in held.items():
            seen = set(held_spans)
            for thread in range(number, threads, 2):
                own = [span for span in expected[number] if span[0] // 4 % threads == thread]
                count = sum(span in seen for span in own)
                assert count % 2 == 0  # both spans of a record, or neither
                assert seen.issuperset(own[:count])
            assert held_spans == sorted(seen)
