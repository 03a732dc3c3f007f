"""From a text to its tokens and their terms."""

from __future__ import annotations

from .stopword_tables import STOPWORDS
from .unicode_tables import LOWERCASE
from .word_break import Offsets, segment_bounds


def token_bounds(text: str) -> tuple[Offsets, Offsets]:
    """Give the start and end of every source token, in code points, at the index of its position."""
    starts, ends, word_like = segment_bounds(text)
    return starts[word_like], ends[word_like]


def term_of(token: str) -> str:
    """Give a token's term: each code point's full lowercase mapping, without context."""
    return token.lower() if token.isascii() else token.translate(LOWERCASE)


def token_terms(text: str, starts: Offsets, ends: Offsets) -> list[str]:
    """Give the term of every token, at the index of its position."""
    return [term_of(text[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]


def kept_terms(terms: list[str], language: str) -> list[tuple[str, int]]:
    """Give ``(term, position)`` of every token that is not a stopword."""
    stopwords = STOPWORDS[language]
    return [(term, position) for position, term in enumerate(terms) if term not in stopwords]


def analyze(text: str, language: str) -> list[tuple[str, int, int, int]]:
    """Give the kept tokens of ``text``: ``(term, position, start, end)``, offsets in code points."""
    starts, ends = token_bounds(text)
    return [
        (term, position, int(starts[position]), int(ends[position]))
        for term, position in kept_terms(token_terms(text, starts, ends), language)
    ]
