"""Whether words stand in a passage: whole words of its document, at both ends."""

from __future__ import annotations

from bisect import bisect_left

from .. import _kernels
from .locators import Locator

__all__ = ["QuotedText"]


class QuotedText:
    """A document's text that quotes are looked up in.

    Parameters
    ----------
    text
        All of it, as words are told apart by what stands around them.

    Examples
    --------
    >>> from sid.governed import VersionKey
    >>> text = QuotedText("At most 15 bar is unsafe.")
    >>> where = Locator(VersionKey("A", 1), 0, 25)
    >>> [text.holds(quote, where) for quote in ("15 bar", "5 bar", "safe", "is unsafe.")]
    [True, False, False, True]
    """

    def __init__(self, text: str) -> None:
        self._text = text
        # Where UAX #29 lets a word begin or end.
        self._boundaries = [start for start, _, _ in _kernels.word_segments(text)] + [len(text)]

    def holds(self, quote: str, locator: Locator) -> bool:
        """Say whether a quote stands within a passage, from one word boundary to another.

        What is copied out of a rendering has ``&``, ``<`` and ``>`` escaped, and counts as what it stands for.
        """
        unescaped = quote.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
        return any(self._stands(words, locator) for words in dict.fromkeys((quote, unescaped)))

    def _stands(self, words: str, locator: Locator) -> bool:
        if not words.strip():
            return False
        at = locator.start
        while (at := self._text.find(words, at, locator.end)) >= 0:
            if self._is_boundary(at) and self._is_boundary(at + len(words)):
                return True
            # It can begin at the next boundary at the earliest.
            at = self._boundaries[bisect_left(self._boundaries, at + 1)]
        return False

    def _is_boundary(self, place: int) -> bool:
        return self._boundaries[bisect_left(self._boundaries, place)] == place
