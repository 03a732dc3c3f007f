"""Which stretch of a text to show for a query: strided BM25 windows over unigrams and bigrams."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from .analysis import kept_terms, token_bounds, token_terms
from .memory import MEMORY
from .word_break import Offsets

Floats: TypeAlias = npt.NDArray[np.float64]

K1 = 1.2
B = 0.75

Event: TypeAlias = tuple[int, int]
"""Positions of the first and the last token of one occurrence of a feature."""


def snippet_span(query: str, content: str, window_size: int, stride: int, language: str) -> tuple[int, int]:
    """Give the code point span of ``content`` that best answers ``query``; sizes count source tokens."""
    starts, ends, content_terms = MEMORY.tokens(content)
    if len(starts) <= window_size:
        return 0, len(content)
    first = _window_starts(len(starts), window_size, stride)
    kept = kept_terms(content_terms, language)
    terms = [term for term, _ in kept_terms(token_terms(query, *token_bounds(query)), language)]
    scores = np.zeros(len(first))

    is_kept = np.zeros(len(starts) + 1, dtype=np.int64)
    is_kept[[position + 1 for _, position in kept]] = 1
    kept_before = np.cumsum(is_kept)
    lengths = (kept_before[first + window_size] - kept_before[first]).astype(np.float64)
    _add_scores(scores, _unigram_events(terms, kept), lengths, first, window_size)
    _add_scores(scores, _bigram_events(terms, kept), np.maximum(0.0, lengths - 1.0), first, window_size)

    best = int(first[np.argmax(scores)])  # the earliest of the highest
    return int(starts[best]), int(ends[best + window_size - 1])


def _window_starts(tokens: int, size: int, stride: int) -> Offsets:
    """Give the first position of every window."""
    last = tokens - size
    starts = np.arange(0, last + 1, min(stride, tokens))
    return starts if starts[-1] == last else np.append(starts, last)


def _unigram_events(terms: list[str], kept: list[tuple[str, int]]) -> Iterable[list[Event]]:
    """Give the events of every distinct query term, in order of its first appearance."""
    events: dict[str, list[Event]] = {term: [] for term in terms}
    for term, position in kept:
        if term in events:
            events[term].append((position, position))
    return events.values()


def _bigram_events(terms: list[str], kept: list[tuple[str, int]]) -> Iterable[list[Event]]:
    """Give the events of every distinct pair of neighbouring query terms, in order of its first appearance."""
    events: dict[tuple[str, str], list[Event]] = {pair: [] for pair in pairwise(terms)}
    for (left, left_position), (right, right_position) in pairwise(kept):
        if (left, right) in events:
            events[left, right].append((left_position, right_position))
    return events.values()


def _add_scores(
    scores: Floats, features: Iterable[list[Event]], lengths: Floats, first: Offsets, window_size: int
) -> None:
    """Add each feature's BM25 part to the windows that hold an event of it."""
    average = float(lengths.sum() / len(lengths))
    if average == 0.0:
        return
    for events in features:
        if not events:
            continue
        windows, frequencies = _frequencies(events, first, window_size)
        idf = math.log(1.0 + (len(first) - len(windows) + 0.5) / (len(windows) + 0.5))
        norm = K1 * (1.0 - B + B * lengths[windows] / average)
        scores[windows] += idf * (frequencies * (K1 + 1.0)) / (frequencies + norm)


def _frequencies(events: list[Event], first: Offsets, window_size: int) -> tuple[Offsets, Floats]:
    """Give the windows that hold an event whole, and how many each holds."""
    left, right = np.array(events, dtype=np.int64).T
    # The windows that hold each event, less those that hold the one before it; both ends only go up.
    begin = np.searchsorted(first, right - window_size, side="right")
    end = np.searchsorted(first, left, side="right")
    begin[1:] = np.maximum(begin[1:], np.maximum.accumulate(end)[:-1])
    counts = np.maximum(0, end - begin)
    offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    windows = np.repeat(begin, counts) + offsets
    held = np.searchsorted(right, first[windows] + window_size) - np.searchsorted(left, first[windows])
    return windows, held.astype(np.float64)
