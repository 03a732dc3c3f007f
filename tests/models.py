"""Slow, literal models of what the library must do, to compare it with.

They are written from the protocol, with sets of code points and plain loops. What they need of Unicode's data they take
from the library's tables, which have tests of their own.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

from sid import DocumentView, DocumentViewWithSnippet, _kernels
from sid._pure.unicode_tables import CLASS_MASK, PICTOGRAPHIC, PROPERTY_RUNS, WordBreak

Span = tuple[int, int]

# --- spans ------------------------------------------------------------------------------------------------------------


def points(spans: Iterable[Sequence[int]]) -> set[int]:
    """Give all code points that any of the spans covers."""
    return {point for start, end in spans for point in range(start, end)}


def runs(of: Iterable[int]) -> list[Span]:
    """Give the maximal runs of neighbouring code points, in order."""
    found: list[list[int]] = []
    for point in sorted(of):
        if found and found[-1][1] == point:
            found[-1][1] = point + 1
        else:
            found.append([point, point + 1])
    return [(start, end) for start, end in found]


def planned(span: Span, seen: set[int], min_seen_overlap: float) -> tuple[list[Span], list[Span]]:
    """Give (displayed, masked) of a span when these code points were seen before."""
    inside = points([span])
    masked = [run for run in runs(inside & seen) if run[1] - run[0] >= min_seen_overlap]
    return runs(inside - points(masked)), masked


def masked(span: Span, seen: set[int], min_seen_overlap: float) -> tuple[list[Span], list[Span]]:
    """Plan, but mask a span that was seen whole however short it is."""
    return ([], [span]) if points([span]) <= seen else planned(span, seen, min_seen_overlap)


# --- word boundaries --------------------------------------------------------------------------------------------------

_RUN_STARTS = [start for start, _ in PROPERTY_RUNS]

_AHLETTER = {WordBreak.ALETTER, WordBreak.HEBREW_LETTER}
_MIDNUMLETQ = {WordBreak.MIDNUMLET, WordBreak.SINGLE_QUOTE}
_LINE_ENDS = {WordBreak.CR, WordBreak.LF, WordBreak.NEWLINE}
_SKIPPED = {WordBreak.EXTEND, WordBreak.FORMAT, WordBreak.ZWJ}


def properties(character: str) -> int:
    return PROPERTY_RUNS[bisect_right(_RUN_STARTS, ord(character)) - 1][1]


def break_class(character: str) -> WordBreak:
    return WordBreak(properties(character) & CLASS_MASK)


def has_joined_pictograph(text: str) -> bool:
    """Say whether WB3c has anything to do in a text."""
    return any(left == "\u200d" and properties(right) & PICTOGRAPHIC for left, right in pairwise(text))


def boundaries(text: str) -> list[int]:
    """Find the word boundaries of a text in which WB3c has nothing to do, rule by rule."""
    if not text:
        return []
    classes = [break_class(character) for character in text]
    # WB4: what it skips belongs to the code point before, unless there is none or it ends a line.
    skipped = [at > 0 and classes[at] in _SKIPPED and classes[at - 1] not in _LINE_ENDS for at in range(len(classes))]
    base = [at for at in range(len(classes)) if not skipped[at]]
    found = [0]
    for number in range(1, len(base)):
        if _is_boundary(classes, base, number):
            found.append(base[number])
    return [*found, len(text)]


def _is_boundary(classes: list[WordBreak], base: list[int], number: int) -> bool:
    """Say whether there is a boundary before the base code point of this number."""

    def class_at(index: int) -> WordBreak | None:
        return classes[base[index]] if 0 <= index < len(base) else None

    at = base[number]
    before_that, before, after, after_that = map(class_at, range(number - 2, number + 2))
    if before is WordBreak.CR and after is WordBreak.LF:
        return False  # WB3
    if before in _LINE_ENDS or after in _LINE_ENDS:
        return True  # WB3a, WB3b
    if classes[at - 1] is WordBreak.WSEGSPACE and after is WordBreak.WSEGSPACE:
        return False  # WB3d
    if after is WordBreak.REGIONAL_INDICATOR and before is WordBreak.REGIONAL_INDICATOR:
        count = 0
        while class_at(number - 1 - count) is WordBreak.REGIONAL_INDICATOR:
            count += 1
        return count % 2 == 0  # WB15, WB16
    letters_and_numbers = {*_AHLETTER, WordBreak.NUMERIC, WordBreak.KATAKANA}
    middle_of_letters = {WordBreak.MIDLETTER, *_MIDNUMLETQ}
    middle_of_numbers = {WordBreak.MIDNUM, *_MIDNUMLETQ}
    number_class, hebrew, extender = WordBreak.NUMERIC, WordBreak.HEBREW_LETTER, WordBreak.EXTENDNUMLET
    return not (
        (before in _AHLETTER and after in _AHLETTER)  # WB5
        or (before in _AHLETTER and after in middle_of_letters and after_that in _AHLETTER)  # WB6
        or (before_that in _AHLETTER and before in middle_of_letters and after in _AHLETTER)  # WB7
        or (before is hebrew and after is WordBreak.SINGLE_QUOTE)  # WB7a
        or (before is hebrew and after is WordBreak.DOUBLE_QUOTE and after_that is hebrew)  # WB7b
        or (before_that is hebrew and before is WordBreak.DOUBLE_QUOTE and after is hebrew)  # WB7c
        or (before is number_class and after is number_class)  # WB8
        or (before in _AHLETTER and after is number_class)  # WB9
        or (before is number_class and after in _AHLETTER)  # WB10
        or (before_that is number_class and before in middle_of_numbers and after is number_class)  # WB11
        or (before is number_class and after in middle_of_numbers and after_that is number_class)  # WB12
        or (before is WordBreak.KATAKANA and after is WordBreak.KATAKANA)  # WB13
        or (before in {*letters_and_numbers, extender} and after is extender)  # WB13a
        or (before is extender and after in letters_and_numbers)  # WB13b
    )


# --- snippets ---------------------------------------------------------------------------------------------------------


def snippet(query: str, content: str, size: int, stride: int, language: str) -> Span:
    """Choose the span that BM25 over strided windows chooses, window by window and feature by feature."""
    bounds = [(start, end) for _, _, start, end in _kernels.analyze(content, "generic")]
    if len(bounds) <= size:
        return 0, len(content)
    windows = list(range(0, len(bounds) - size + 1, stride))
    if windows[-1] != len(bounds) - size:
        windows.append(len(bounds) - size)
    kept = [(term, position) for term, position, _, _ in _kernels.analyze(content, language)]
    terms = [term for term, *_ in _kernels.analyze(query, language)]

    unigrams = list(dict.fromkeys(terms))
    bigrams = list(dict.fromkeys(pairwise(terms)))
    unigram_lengths = [sum(1 for _, position in kept if start <= position < start + size) for start in windows]
    bigram_lengths = [max(0, length - 1) for length in unigram_lengths]
    features = [([_unigram_tf(term, kept, start, size) for start in windows], unigram_lengths) for term in unigrams] + [
        ([_bigram_tf(pair, kept, start, size) for start in windows], bigram_lengths) for pair in bigrams
    ]

    scores = []
    for window in range(len(windows)):
        score = 0.0
        for frequencies, lengths in features:
            score += _bm25(frequencies, lengths, window)
        scores.append(score)
    best = windows[scores.index(max(scores))]
    return bounds[best][0], bounds[best + size - 1][1]


def _unigram_tf(term: str, kept: list[tuple[str, int]], start: int, size: int) -> int:
    return sum(1 for other, position in kept if other == term and start <= position < start + size)


def _bigram_tf(pair: tuple[str, str], kept: list[tuple[str, int]], start: int, size: int) -> int:
    events = [(left, right) for (one, left), (other, right) in pairwise(kept) if (one, other) == pair]
    return max(0, sum(right < start + size for _, right in events) - sum(left < start for left, _ in events))


def _bm25(frequencies: list[int], lengths: list[int], window: int) -> float:
    k1, b = 1.2, 0.75
    tf, n, df = frequencies[window], len(frequencies), sum(tf > 0 for tf in frequencies)
    average = sum(lengths) / n
    if tf == 0 or average == 0:
        return 0.0
    idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
    return idf * (tf * (k1 + 1)) / (tf + k1 * (1 - b + b * lengths[window] / average))


# --- rendering --------------------------------------------------------------------------------------------------------


def _escape(text: str) -> str:
    return "".join({"&": "&amp;", "<": "&lt;", ">": "&gt;"}.get(character, character) for character in text)


def _text_of(value: object) -> str:
    return ", ".join(str(item) for item in value) if isinstance(value, list) else str(value)


def _reference_and_body(view: DocumentViewWithSnippet) -> tuple[str, str]:
    content = view.document[view.snippet_field]
    displayed, seen = view.snippet_display_spans, view.snippet_seen_spans
    pieces = [(span, content[slice(*span)]) for span in displayed]
    pieces += [(span, f'[seen: "#{span[0]}:{span[1]}"]') for span in seen]
    body = "".join(piece for _, piece in sorted(pieces))
    start, end = min(span[0] for span, _ in pieces), max(span[1] for span, _ in pieces)
    if not displayed:
        return view.model_facing_id, body
    before, after = "... " if start > 0 else "", " ..." if end < len(content) else ""
    whole = start == 0 and end == len(content)
    return view.model_facing_id if whole else f"{view.model_facing_id}#{start}:{end}", before + body + after


def xml(view: DocumentView) -> str:
    """Render a view as a ``<doc>`` element."""
    reference, inner, attributes = view.model_facing_id, "", {}
    if isinstance(view, DocumentViewWithSnippet):
        reference, body = _reference_and_body(view)
        inner = f"\n{_escape(body)}\n"
        attributes["doc_length"] = len(view.document[view.snippet_field])
    hidden = {view.snippet_field} if isinstance(view, DocumentViewWithSnippet) else set()
    attributes |= {field: view.document[field] for field in view.display_fields if field not in hidden}
    written = f'<doc id="{_escape(reference)}"'
    for name, value in attributes.items():
        if value:
            quote = "" if isinstance(value, int) else '"'
            written += f" {name}={quote}{_escape(_text_of(value))}{quote}"
    return f"{written}>{inner}</doc>"


def markdown(views: Sequence[DocumentView], display_fields: Sequence[Any] | None = None) -> str:
    """Render views as a Markdown table."""
    if not views:
        return ""
    fields = list(views[0].display_fields if display_fields is None else display_fields)
    rows = []
    for view in views:
        row: dict[Any, Any] = {"id": view.model_facing_id}
        if isinstance(view, DocumentViewWithSnippet):
            row["id"], body = _reference_and_body(view)
            row["doc_length"] = len(view.document[view.snippet_field])
            row |= {field: view.document[field] for field in fields}
            row[view.snippet_field] = body
        else:
            row |= {field: view.document[field] for field in fields}
        rows.append(row)
    columns = ["id", *[key for key in rows[0] if key != "id" and key not in fields], *fields]
    lines = [
        "| " + " | ".join(map(str, columns)) + " |",
        "|" + "|".join("-" * (len(str(column)) + 2) for column in columns) + "|",
    ]
    for row in rows:
        cells = [
            _text_of(row[column]).replace("|", "\\|").replace("\n", " ") if column in row else "" for column in columns
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)
