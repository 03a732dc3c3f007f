"""UAX #29 word boundaries (default rules, untailored) and the word-like test.

Where WB3c meets the other rules, the reference analyzer is a little off the letter of UAX #29, and offsets must be the
reference's. So here, as there:

- a pictograph that only WB3c joins is not seen by later rules, as if WB4 had skipped it (``a ZWJ 😀 b`` is one
  segment);
- WB3c does not join to a ZWJ that directly follows white space, nor to one that follows a middle character (as in WB6)
  whose look-ahead failed.

No line of WordBreakTest tells the difference.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .unicode_tables import CLASS_MASK, PICTOGRAPHIC, PROPERTY_RUNS, WORD_LIKE, WordBreak

Bools: TypeAlias = npt.NDArray[np.bool_]
Classes: TypeAlias = npt.NDArray[np.uint8]
Offsets: TypeAlias = npt.NDArray[np.int64]

_CODE_POINTS = 0x110000
_CLASSES = len(WordBreak)

_LETTERS = (WordBreak.ALETTER, WordBreak.HEBREW_LETTER)
_JOINED = (*_LETTERS, WordBreak.NUMERIC, WordBreak.KATAKANA)
_LINE_ENDS = (WordBreak.CR, WordBreak.LF, WordBreak.NEWLINE)
_SKIPPED = (WordBreak.EXTEND, WordBreak.FORMAT, WordBreak.ZWJ)


def _among(classes: Iterable[WordBreak]) -> Bools:
    table = np.zeros(_CLASSES, dtype=np.bool_)
    table[list(classes)] = True
    return table


def _pairs(*rules: tuple[Iterable[WordBreak], Iterable[WordBreak]]) -> Bools:
    table = np.zeros((_CLASSES, _CLASSES), dtype=np.bool_)
    for before, after in rules:
        table[np.ix_(list(before), list(after))] = True
    return table


_IS_LETTER = _among(_LETTERS)
_IS_LINE_END = _among(_LINE_ENDS)
_IS_SKIPPED = _among(_SKIPPED)

# [before, after]: no boundary between two neighbours, by the rules that look no further.
_JOINS = _pairs(
    (_LETTERS, _LETTERS),  # WB5
    ([WordBreak.HEBREW_LETTER], [WordBreak.SINGLE_QUOTE]),  # WB7a
    ([WordBreak.NUMERIC], [WordBreak.NUMERIC]),  # WB8
    (_LETTERS, [WordBreak.NUMERIC]),  # WB9
    ([WordBreak.NUMERIC], _LETTERS),  # WB10
    ([WordBreak.KATAKANA], [WordBreak.KATAKANA]),  # WB13
    ((*_JOINED, WordBreak.EXTENDNUMLET), [WordBreak.EXTENDNUMLET]),  # WB13a
    ([WordBreak.EXTENDNUMLET], _JOINED),  # WB13b
)

# [before, middle]: which kind of middle character it is there, and [kind, after]: what it joins to.
_NO_MIDDLE, _LETTER_MIDDLE, _HEBREW_MIDDLE, _NUMBER_MIDDLE = range(4)
_MIDDLE_KIND = np.full((_CLASSES, _CLASSES), _NO_MIDDLE, dtype=np.uint8)
_MIDDLE_KIND[np.ix_(_LETTERS, [WordBreak.MIDLETTER, WordBreak.MIDNUMLET])] = _LETTER_MIDDLE
_MIDDLE_KIND[WordBreak.ALETTER, WordBreak.SINGLE_QUOTE] = _LETTER_MIDDLE
_MIDDLE_KIND[WordBreak.HEBREW_LETTER, WordBreak.DOUBLE_QUOTE] = _HEBREW_MIDDLE
_MIDDLE_KIND[WordBreak.NUMERIC, [WordBreak.MIDNUM, WordBreak.MIDNUMLET, WordBreak.SINGLE_QUOTE]] = _NUMBER_MIDDLE
_MIDDLE_JOINS = np.stack([_among([]), _IS_LETTER, _among([WordBreak.HEBREW_LETTER]), _among([WordBreak.NUMERIC])])


@cache
def _property_table() -> Classes:
    """Give the property byte of every code point."""
    starts = np.array([start for start, _ in PROPERTY_RUNS] + [_CODE_POINTS])
    values = np.array([value for _, value in PROPERTY_RUNS], dtype=np.uint8)
    return np.repeat(values, np.diff(starts))


def _segment_starts(properties: Classes) -> Bools:
    """Say of each code point whether there is a boundary before it."""
    classes = properties & np.uint8(CLASS_MASK)
    line_end = _IS_LINE_END[classes]
    skipped = _IS_SKIPPED[classes]
    skipped[0] = False
    skipped[1:] &= ~line_end[:-1]  # WB4
    for at in _joined_pictographs(properties, skipped):
        skipped[at] = True  # WB3c

    seen = np.flatnonzero(~skipped)
    rest = classes[seen]
    joined = np.zeros(len(seen), dtype=np.bool_)
    joined[1:] = _JOINS[rest[:-1], rest[1:]]
    # WB3, and WB3d, which needs the very next code point.
    joined[1:] |= (rest[:-1] == WordBreak.CR) & (rest[1:] == WordBreak.LF)
    directly_before = classes[np.maximum(seen - 1, 0)]
    joined[1:] |= (directly_before[1:] == WordBreak.WSEGSPACE) & (rest[1:] == WordBreak.WSEGSPACE)
    # WB6 and WB7, WB7b and WB7c, WB11 and WB12: a middle character joins on both sides.
    through = _MIDDLE_JOINS[_MIDDLE_KIND[rest[:-2], rest[1:-1]], rest[2:]]
    joined[1:-1] |= through
    joined[2:] |= through
    # WB7 after WB7a.
    joined[2:] |= (rest[:-2] == WordBreak.HEBREW_LETTER) & (rest[1:-1] == WordBreak.SINGLE_QUOTE) & _IS_LETTER[rest[2:]]
    # WB15, WB16: within a run of regional indicators, every second one joins the one before it.
    indicator = rest == WordBreak.REGIONAL_INDICATOR
    number = np.arange(len(rest))
    run_start = np.maximum.accumulate(np.where(indicator, 0, number + 1))
    joined |= indicator & ((number - run_start) % 2 == 1)

    starts = np.zeros(len(classes), dtype=np.bool_)
    starts[seen] = ~joined
    return starts


def _joined_pictographs(properties: Classes, skipped: Bools) -> list[int]:
    """Find the pictographs that only WB3c joins. ``skipped`` marks the code points that WB4 skips."""
    classes = properties & np.uint8(CLASS_MASK)
    candidates = np.flatnonzero((classes[:-1] == WordBreak.ZWJ) & ((properties[1:] & PICTOGRAPHIC) != 0)) + 1
    if not len(candidates):
        return []
    seen = np.flatnonzero(~skipped)
    found: list[int] = []
    # Of a place in `seen`, the place before it that later rules see, where that is not simply the one before.
    seen_before: dict[int, int] = {}
    for at, place in zip(candidates.tolist(), np.searchsorted(seen, candidates).tolist(), strict=True):
        if at >= 2 and classes[at - 2] == WordBreak.WSEGSPACE:
            continue
        before = seen_before.get(place - 1, place - 1)
        before_that = seen_before.get(before - 1, before - 1)
        left = classes[seen[before]]
        further_left = classes[seen[before_that]] if before_that >= 0 else WordBreak.OTHER
        if _MIDDLE_KIND[further_left, left] != _NO_MIDDLE:
            continue
        after_hebrew_quote = left == WordBreak.SINGLE_QUOTE and further_left == WordBreak.HEBREW_LETTER
        if _JOINS[left, classes[at]] or (after_hebrew_quote and _IS_LETTER[classes[at]]):
            continue
        found.append(at)
        seen_before[place] = before
    return found


def segment_bounds(text: str) -> tuple[Offsets, Offsets, Bools]:
    """Give the start and end of every segment, in code points, and whether it is word-like."""
    if not text:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.bool_)
    code_points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    properties = _property_table()[code_points]
    starts = np.flatnonzero(_segment_starts(properties))
    ends = np.append(starts[1:], len(code_points))
    word_like = np.logical_or.reduceat((properties & WORD_LIKE) != 0, starts)
    return starts, ends, word_like


def word_segments(text: str) -> list[tuple[int, int, bool]]:
    """Give the UAX #29 word segments of ``text``: ``(start, end, word_like)``, in code points."""
    starts, ends, word_like = segment_bounds(text)
    return list(zip(starts.tolist(), ends.tolist(), word_like.tolist(), strict=True))
