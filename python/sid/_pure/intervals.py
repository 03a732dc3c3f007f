"""The seen ledger's arithmetic: half-open spans of code points."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]

_LIMIT = 1 << 63


def checked_span(value: Sequence[int]) -> Span:
    if issubclass(type(value), tuple | list) and len(value) == 2:
        try:
            start, end = map(operator.index, value)
        except (TypeError, OverflowError):
            pass
        else:
            if -_LIMIT <= start < _LIMIT and -_LIMIT <= end < _LIMIT:
                return start, end
    raise TypeError(f"a span must be a (start, end) pair of 64-bit integers, got {value!r}")


def overlap(one: Sequence[int], other: Sequence[int]) -> Span | None:
    """Give what both spans cover, if that is not empty."""
    (start, end), (other_start, other_end) = checked_span(one), checked_span(other)
    both = max(start, other_start), min(end, other_end)
    return both if both[0] < both[1] else None


def overlap_list(within: Sequence[int], intervals: Iterable[Sequence[int]]) -> list[Span]:
    """Give the parts of ``intervals`` inside ``within``, in their order."""
    within = checked_span(within)
    return [both for interval in intervals if (both := overlap(within, interval)) is not None]


def insert_interval(intervals: Iterable[Sequence[int]], new: Sequence[int]) -> list[Span]:
    """Add ``new`` to sorted intervals, merging it with every one that it touches or overlaps."""
    before: list[Span] = []
    after: list[Span] = []
    known = list(map(checked_span, intervals))
    merged = checked_span(new)
    for start, end in known:
        if end < merged[0]:
            before.append((start, end))
        elif merged[1] < start:
            after.append((start, end))
        else:
            merged = min(merged[0], start), max(merged[1], end)
    return [*before, merged, *after]


def append_coalescing(spans: list[Span], new: Sequence[int]) -> None:
    """Append ``new``, or lengthen the last span if ``new`` starts where that one ends."""
    start, end = checked_span(new)
    last = checked_span(spans[-1]) if spans else None
    if last and last[1] == start:
        spans[-1] = last[0], end
    else:
        spans.append((start, end))


def plan_segments(
    whole: Sequence[int], seen: Iterable[Sequence[int]], min_seen_overlap: int
) -> tuple[list[Span], list[Span]]:
    """Tile ``whole``: each seen stretch of at least ``min_seen_overlap`` is masked, the rest is displayed."""
    shown_to, end = checked_span(whole)
    displayed: list[Span] = []
    masked: list[Span] = []
    for stretch in overlap_list(whole, seen):
        if stretch[1] - stretch[0] < min_seen_overlap:
            continue
        if shown_to < stretch[0]:
            append_coalescing(displayed, (shown_to, stretch[0]))
        masked.append(stretch)
        shown_to = stretch[1]
    if shown_to < end:
        append_coalescing(displayed, (shown_to, end))
    return displayed, masked


def mask(whole: Sequence[int], seen: Iterable[Sequence[int]], min_seen_overlap: int) -> tuple[list[Span], list[Span]]:
    """Plan as `plan_segments` does, but mask a span that was seen whole, however short it is."""
    whole, seen = checked_span(whole), list(seen)
    # The ledger is coalesced, so that only one of its spans can cover the whole.
    if overlap_list(whole, seen) == [whole]:
        return [], [whole]
    return plan_segments(whole, seen, min_seen_overlap)
