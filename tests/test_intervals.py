"""The ledger's arithmetic, against sets of code points."""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

import models
from models import points, runs
from sid import _kernels
from sid.document_cache import (
    MIN_SEEN_OVERLAP_DEFAULT,
    SNIPPET_SIZE_DEFAULT,
    append_coalescing,
    insert_interval,
    overlap,
    overlap_list,
    plan_segments,
    stride_size,
)
from strategies import any_span, ledgers, spans

minima = st.one_of(st.integers(-3, 20), st.floats(-3, 20), st.sampled_from([math.inf, -math.inf, 10**30, -(10**30)]))


class Index:
    def __init__(self, value: int) -> None:
        self.value = value

    def __index__(self) -> int:
        return self.value


@pytest.mark.parametrize("nothing", [math.nan, Decimal("nan"), Decimal("inf"), math.inf])
def test_no_stretch_reaches_what_is_no_number(nothing):
    assert plan_segments((0, 10), [(0, 9)], nothing) == ([(0, 10)], [])


def test_constants():
    assert (SNIPPET_SIZE_DEFAULT, MIN_SEEN_OVERLAP_DEFAULT) == (50, 100)


@pytest.mark.parametrize(
    ("size", "stride"), [(1, 1), (4, 1), (5, 1), (9, 1), (10, 2), (50, 10), (54, 10), (10**30, 2 * 10**29)]
)
def test_stride_size(size, stride):
    assert stride_size(size) == stride


@given(any_span, any_span)
def test_overlap_is_the_intersection(one, other):
    assert overlap(one, other) == next(iter(runs(points([one]) & points([other]))), None)
    assert overlap(one, other) == overlap(other, one)


@given(any_span, st.lists(any_span, max_size=8))
def test_overlap_list_keeps_the_order_and_leaves_out_what_is_empty(within, intervals):
    parts = [points([within]) & points([interval]) for interval in intervals]
    assert overlap_list(within, intervals) == [(min(part), max(part) + 1) for part in parts if part]


@given(ledgers(), spans(70, -10))
def test_insert_interval_is_the_union(ledger, new):
    before = copy.deepcopy(ledger)
    assert insert_interval(ledger, new) == runs(points(ledger) | points([new]))
    assert ledger == before


@given(st.lists(spans(), max_size=12).flatmap(lambda all_: st.tuples(st.just(all_), st.permutations(all_))))
def test_the_ledger_does_not_depend_on_the_order_of_recording(orders):
    results = []
    for order in orders:
        ledger: list[tuple[int, int]] = []
        for span in order:
            ledger = insert_interval(ledger, span)
        results.append(ledger)
    assert results == [runs(points(orders[0]))] * 2


@pytest.mark.parametrize(
    ("ledger", "new", "expected"),
    [
        ([], (3, 4), [(3, 4)]),
        ([(0, 5), (8, 9)], (5, 8), [(0, 9)]),
        ([(0, 5), (8, 9)], (6, 7), [(0, 5), (6, 7), (8, 9)]),
        ([(0, 5), (8, 9)], (5, 7), [(0, 7), (8, 9)]),
        ([(0, 5), (8, 9)], (7, 8), [(0, 5), (7, 9)]),
        ([(2, 3), (5, 6), (8, 9)], (0, 10), [(0, 10)]),
        ([(2, 9)], (3, 4), [(2, 9)]),
        ([(2, 9)], (-5, -4), [(-5, -4), (2, 9)]),
        ([(0, sys.maxsize)], (-sys.maxsize - 1, 0), [(-sys.maxsize - 1, sys.maxsize)]),
    ],
)
def test_insert_interval_merges_what_touches(ledger, new, expected):
    assert insert_interval(ledger, new) == expected


@pytest.mark.parametrize("new", [(0, 0), (5, 5), (6, 5), (0, -1)])
@pytest.mark.parametrize("ledger", [[], [(0, 9)]])
def test_an_empty_interval_is_not_recorded(ledger, new):
    with pytest.raises(AssertionError, match=rf"\({new[0]}, {new[1]}\)"):
        insert_interval(ledger, new)


@given(st.lists(spans(), max_size=10))
def test_append_coalescing_joins_only_what_touches(appended):
    made: list[tuple[int, int]] = []
    for span in appended:
        last = made[-1] if made else None
        others = made[:-1]
        assert append_coalescing(made, span) is None
        if last and last[1] == span[0]:
            assert made == [*others, (last[0], span[1])]
        else:
            assert made == [*others, *([last] if last else []), span]
    assert points(made) == points(appended)


@given(ledgers().flatmap(lambda ledger: st.tuples(st.just(ledger), st.sets(st.sampled_from(range(60))))))
def test_append_coalescing_of_pieces_in_order_gives_runs(drawn):
    ledger, cuts = drawn
    pieces = [run for start, end in ledger for run in _cut(start, end, cuts)]
    made: list[tuple[int, int]] = []
    for piece in pieces:
        append_coalescing(made, piece)
    assert made == ledger


def _cut(start: int, end: int, cuts: set[int]) -> Iterator[tuple[int, int]]:
    for point in sorted(cuts):
        if start < point < end:
            yield start, point
            start = point
    yield start, end


@pytest.mark.parametrize("not_a_list", [(), None, "", {}, iter([])])
def test_append_coalescing_changes_only_lists(not_a_list):
    with pytest.raises(TypeError, match="list"):
        append_coalescing(not_a_list, (0, 1))


@given(spans(70, -10), ledgers(), minima)
@example((0, 100), [(0, 20), (30, 50), (55, 56)], 10)
def test_plan_segments_masks_long_stretches_and_shows_the_rest(span, ledger, minimum):
    displayed, seen = plan_segments(span, ledger, minimum)
    assert (displayed, seen) == models.planned(span, points(ledger), minimum)
    assert points(displayed) | points(seen) == points([span])
    assert not points(displayed) & points(seen)


@given(any_span.filter(lambda span: span[0] >= span[1]), ledgers(), minima)
def test_plan_segments_of_an_empty_span_is_empty(span, ledger, minimum):
    assert plan_segments(span, ledger, minimum) == ([], [])


@given(spans(), ledgers(), minima)
def test_mask_hides_a_span_that_was_seen_whole_however_short(span, ledger, minimum):
    # The kernel behind apply_snippet takes whole numbers.
    assume(isinstance(minimum, int) and abs(minimum) < sys.maxsize)
    seen = _kernels.Ledger()
    seen.assign(0, ledger)
    assert seen.mask(0, span, minimum) == models.masked(span, points(ledger), minimum)


@pytest.mark.parametrize(
    ("minimum", "masked"),
    [
        (10, True),
        (11, False),
        (10.0, True),
        (9.5, True),
        (10.000001, False),
        (True, True),
        (Fraction(21, 2), False),
        (Decimal("9.9"), True),
        (np.int64(10), True),
        (np.float64(10.5), False),
        (math.inf, False),
        (-math.inf, True),
        (np.float64("inf"), False),
        (np.float32("inf"), False),
        (Decimal("inf"), False),
        (Decimal("-inf"), True),
        (math.nan, False),
        (10**400, False),
        (-(10**400), True),
        (sys.maxsize, False),
        (1e308, False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_min_seen_overlap_is_any_real_number(minimum, masked):
    expected = ([(0, 5), (15, 20)], [(5, 15)]) if masked else ([(0, 20)], [])
    assert plan_segments((0, 20), [(5, 15)], minimum) == expected


@pytest.mark.parametrize("minimum", ["10", None, [10], 1j])
def test_min_seen_overlap_must_be_a_number(minimum):
    with pytest.raises(TypeError, match="min_seen_overlap"):
        plan_segments((0, 20), [(5, 15)], minimum)


@pytest.mark.parametrize(
    "pair",
    [(3, 7), [3, 7], (np.int64(3), np.uint8(7)), (Index(3), Index(7))],
    ids=lambda pair: type(pair).__name__,
)
def test_a_tuple_or_list_of_two_integers_is_a_span(pair):
    assert overlap(pair, (5, 9)) == (5, 7)
    assert overlap_list((5, 9), [pair]) == [(5, 7)]
    assert insert_interval([pair], (7, 8)) == insert_interval([(7, 8)], pair) == [(3, 8)]
    assert plan_segments((0, 9), [pair], 1) == ([(0, 3), (7, 9)], [(3, 7)])
    last_is_pair = [pair]
    append_coalescing(last_is_pair, (7, 9))
    append_coalescing(made := [], pair)
    assert (last_is_pair, made) == ([(3, 9)], [(3, 7)])


@pytest.mark.parametrize("make", [tuple, iter, lambda spans: (span for span in spans), dict.fromkeys], ids=str)
def test_any_iterable_of_spans_is_a_list_of_them(make):
    seen = [(1, 3), (6, 7)]
    assert overlap_list((0, 9), make(seen)) == seen
    assert insert_interval(make(seen), (3, 4)) == [(1, 4), (6, 7)]
    assert plan_segments((0, 9), make(seen), 2) == ([(0, 1), (3, 9)], [(1, 3)])


NO_SPANS = [
    (),
    (1,),
    (1, 2, 3),
    None,
    5,
    "12",
    "ab",
    {1, 2},
    {1: 2, 3: 4},
    iter([1, 2]),
    (1.0, 2),
    (1, "2"),
    (None, 2),
    (0, 2**63),
    (-(2**63) - 1, 0),
    (0, 10**400),
    ((1, 2), (3, 4)),
]


@pytest.mark.parametrize("no_span", NO_SPANS, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize(
    "call",
    [
        lambda value: overlap(value, (0, 1)),
        lambda value: overlap((0, 1), value),
        lambda value: overlap_list(value, []),
        lambda value: overlap_list((0, 1), [(0, 1), value]),
        lambda value: insert_interval([], value),
        lambda value: insert_interval([(0, 1), value], (5, 6)),
        lambda value: append_coalescing([], value),
        lambda value: append_coalescing([value], (0, 1)),
        lambda value: plan_segments(value, [], 1),
        lambda value: plan_segments((0, 9), [value], 1),
    ],
)
def test_what_is_no_span_is_refused_and_named(call, no_span):
    with pytest.raises(TypeError, match="span") as caught:
        call(no_span)
    assert repr(no_span) in str(caught.value)


@pytest.mark.parametrize("intervals", [None, 5, object()])
def test_intervals_must_be_iterable(intervals):
    with pytest.raises(TypeError):
        overlap_list((0, 1), intervals)
    with pytest.raises(TypeError):
        insert_interval(intervals, (0, 1))
    with pytest.raises(TypeError):
        plan_segments((0, 1), intervals, 1)
