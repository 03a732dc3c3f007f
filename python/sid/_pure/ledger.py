"""The seen ledger of a fork: what of each document was shown, in a form that forks share until one of them writes."""

from __future__ import annotations

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from operator import itemgetter

from .intervals import Span, checked_span, mask

Spans = tuple[Span, ...]

_start, _end = itemgetter(0), itemgetter(1)


class Ledger:
    """What was shown of each document, by the number that the document has in its fork family.

    Entries are in the order in which they were made. Several threads may use a ledger at once.
    """

    def __init__(self) -> None:
        self._entries: dict[int, Spans] = {}
        # Whether a fork has the same dict, which must then be copied before it is written to.
        self._is_shared = False
        # Re-entrant: a finalizer or a signal handler may use the ledger between any two steps.
        self._lock = threading.RLock()

    def fork(self) -> Ledger:
        """Give a ledger that holds the same and then goes its own way, in constant time."""
        fork = Ledger()
        with self._lock:
            fork._entries = self._entries
            fork._is_shared = self._is_shared = True
        return fork

    def register(self, number: int) -> None:
        """Give a document an entry without spans, unless it has one."""
        with self._lock:
            if number not in self._entries:
                self._own_entries()[number] = ()

    def record(self, number: int, spans: Iterable[Sequence[int]]) -> None:
        """Add spans to a document's entry, which is made if need be: all of them or, on an error, none."""
        recorded = list(map(_recordable, spans))
        with self._lock:
            known = self._entries.get(number)
            after = known or ()
            for span in recorded:
                after = _inserted(after, span)
            if after != known:
                self._own_entries()[number] = after

    def mask(self, number: int | None, whole: Sequence[int], min_seen_overlap: int) -> tuple[list[Span], list[Span]]:
        """Plan how ``whole`` is shown: ``(displayed, seen)``. No number is that of a document without an entry."""
        start, end = whole = checked_span(whole)
        known = () if number is None else self._entries.get(number, ())
        return mask(
            whole, known[bisect_right(known, start, key=_end) : bisect_left(known, end, key=_start)], min_seen_overlap
        )

    def snippet(
        self,
        number: int | None,
        query: str,
        content: str,
        window_size: int,
        stride: int,
        language: str,
        min_seen_overlap: float,
    ) -> tuple[list[Span], list[Span]]:
        """Plan how the span of ``content`` that best answers ``query`` is shown: ``(displayed, seen)``.

        Raises
        ------
        TypeError
            If the minimum is not an integer.
        """
        from . import snippet_span

        if not isinstance(min_seen_overlap, int):
            raise TypeError(f"min_seen_overlap must be an integer, got {min_seen_overlap!r}")
        span = snippet_span(query, content, window_size, stride, language)
        return self.mask(number, span, min_seen_overlap)

    def spans(self, number: int) -> list[Span] | None:
        """Give the spans of a document's entry, or ``None``."""
        known = self._entries.get(number)
        return None if known is None else list(known)

    def assign(self, number: int, spans: Iterable[Sequence[int]]) -> None:
        """Replace a document's entry, or make it."""
        after = _span_set(spans)
        with self._lock:
            self._own_entries()[number] = after

    def exchange(
        self, number: int, expected: Iterable[Sequence[int]] | None, spans: Iterable[Sequence[int]]
    ) -> list[Span] | None:
        """Replace a document's entry if it is as expected, or make it if there is none and none is expected.

        Says whether it did.
        """
        before = None if expected is None else tuple(map(checked_span, expected))
        after = _span_set(spans)
        with self._lock:
            if self._entries.get(number) != before:
                return None
            self._own_entries()[number] = after
            return list(after)

    def remove(self, number: int) -> list[Span] | None:
        """Remove a document's entry and give its spans, or ``None`` if there was none."""
        with self._lock:
            if number not in self._entries:
                return None
            return list(self._own_entries().pop(number))

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            self._entries = {}
            self._is_shared = False

    def numbers(self) -> list[int]:
        """Give the numbers of the entries, in the order in which they were made."""
        with self._lock:
            return list(self._entries)

    def items(self) -> list[tuple[int, list[Span]]]:
        """Give the numbers and spans of the entries, in the order in which they were made."""
        with self._lock:
            return [(number, list(spans)) for number, spans in self._entries.items()]

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, number: int) -> bool:
        return number in self._entries

    def _own_entries(self) -> dict[int, Spans]:
        """Give the entries to be written to; the lock must be held."""
        if self._is_shared:
            self._entries = self._entries.copy()
            self._is_shared = False
        return self._entries


def _recordable(value: Sequence[int]) -> Span:
    span = checked_span(value)
    if span[0] >= span[1]:
        raise AssertionError(f"the interval {value!r} is empty: only a start below its end can be recorded")
    return span


def _inserted(known: Spans, new: Span) -> Spans:
    """Add a span to sorted spans, merging it with every one that it touches or overlaps."""
    first = bisect_left(known, new[0], key=_end)
    past = bisect_right(known, new[1], key=_start)
    if first < past:
        new = min(new[0], known[first][0]), max(new[1], known[past - 1][1])
    return (*known[:first], new, *known[past:])


def _span_set(values: Iterable[Sequence[int]]) -> Spans:
    """Give sorted, disjoint spans; those that touch become one."""
    merged: list[Span] = []
    for index, span in enumerate(list(map(checked_span, values))):
        if span[0] >= span[1] or (merged and span[0] < merged[-1][1]):
            raise ValueError(
                "the spans of a document must be sorted and disjoint, each with its start below its end; the one at "
                f"index {index} is {span}"
            )
        if merged and merged[-1][1] == span[0]:
            merged[-1] = merged[-1][0], span[1]
        else:
            merged.append(span)
    return tuple(merged)
