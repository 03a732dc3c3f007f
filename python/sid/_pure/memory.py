"""The tokens of texts that were asked about before, within a budget; see ``sid.analysis_cache``."""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from typing import TypeAlias

from .analysis import token_bounds, token_terms
from .word_break import Offsets

Tokens: TypeAlias = tuple[Offsets, Offsets, list[str]]
"""Starts and ends in code points, and terms, at the index of each token's position."""

LEAST_CODE_POINTS = 1024
"""Shorter texts are not remembered."""

DEFAULT_BUDGET = 64 << 20
"""In bytes."""

_MARKS = 1 << 15
"""Texts that were asked about once are marked in so many places at most."""


class Memory:
    """Tokens by text, from the second time on that it is asked about; the longest unused are dropped first."""

    def __init__(self, budget: int) -> None:
        self._lock = threading.Lock()
        self._budget = budget
        self._begin()

    def _begin(self) -> None:
        self._remembered: OrderedDict[str, tuple[Tokens, int]] = OrderedDict()
        self._marks: dict[int, int] = {}
        self._used = self._hits = self._misses = self._evictions = 0

    def tokens(self, text: str) -> Tokens:
        """Give the tokens of a text."""
        # An exact string, whose hash and comparison are its own: no foreign code runs while the lock is held.
        text = str.__str__(text)
        if len(text) < LEAST_CODE_POINTS or not self._budget:
            return _tokens(text)
        with self._lock:
            found = self._remembered.get(text)
            if found is not None:
                self._remembered.move_to_end(text)
                self._hits += 1
                return found[0]
            self._misses += 1
            mark = hash(text)
            asked_before = self._marks.get(mark % _MARKS) == mark
            self._marks[mark % _MARKS] = mark
        tokens = _tokens(text)
        if asked_before:
            self._remember(text, tokens)
        return tokens

    def _remember(self, text: str, tokens: Tokens) -> None:
        size = _bytes(text, tokens)
        with self._lock:
            if text not in self._remembered:
                self._remembered[text] = tokens, size
                self._used += size
            self._evict()

    def _evict(self) -> None:
        while self._used > self._budget:
            _, (_, size) = self._remembered.popitem(last=False)
            self._used -= size
            self._evictions += 1

    def info(self) -> tuple[int, int, int, int, int, int]:
        """Give ``(budget, used, texts, hits, misses, evictions)``; the first two in bytes."""
        with self._lock:
            texts = len(self._remembered)
            return self._budget, self._used, texts, self._hits, self._misses, self._evictions

    def resize(self, budget: int) -> None:
        """Set the budget, and drop what no longer fits."""
        with self._lock:
            self._budget = budget
            self._marks.clear()
            self._evict()

    def clear(self) -> None:
        """Forget all texts and counts."""
        with self._lock:
            self._begin()


def _tokens(text: str) -> Tokens:
    starts, ends = token_bounds(text)
    return starts, ends, token_terms(text, starts, ends)


def _bytes(text: str, tokens: Tokens) -> int:
    """Give what a text and its tokens take, in bytes."""
    starts, ends, terms = tokens
    own = sum(sys.getsizeof(term) for term in terms)
    return sys.getsizeof(text) + starts.nbytes + ends.nbytes + sys.getsizeof(terms) + own


MEMORY = Memory(DEFAULT_BUDGET)
"""What the process remembers."""
