"""Which of the eligible versions support a question, and where: by the statistics of the eligible set alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from .. import _kernels
from .._options import stride_size
from ..analysis import kept_terms
from .gate import Admitted
from .locators import Locator
from .packing import sha256
from .results import Passage

__all__ = ["LANGUAGE", "QUESTION_WORDS", "Ranked", "passage", "passage_at", "question_terms", "rank", "supported"]

LANGUAGE = "english"

QUESTION_WORDS = frozenset(
    (
        *("am", "any", "can", "could", "did", "do", "does", "from", "get", "had", "has", "have", "how", "i", "i'm"),
        *("it's", "its", "may", "me", "must", "my", "need", "our", "ours", "out", "should", "so", "than", "them"),
        *("those", "us", "want", "was", "we", "were", "what", "what's", "when", "where", "which", "while", "who"),
        *("whom", "whose", "why", "would", "you", "your"),
    )
)
"""Words that ask rather than say what is asked about; stopwords are left out already."""


@dataclass(frozen=True)
class Ranked:
    """A version with what it is worth for a question.

    Parameters
    ----------
    version
        The version.
    score
        Its BM25 among the eligible versions, title and text together.
    matched
        How many of the question's terms it holds.
    length
        How many tokens of it were counted.
    """

    version: Admitted
    score: float
    matched: int
    length: int


def question_terms(question: str) -> list[str]:
    """Give the distinct terms of what is asked about, in order.

    Examples
    --------
    >>> question_terms("How do I bleed the pump, and when must the pump be bled?")
    ['bleed', 'pump', 'bled']
    """
    return [term for term in dict.fromkeys(kept_terms(question, LANGUAGE)) if term not in QUESTION_WORDS]


def rank(terms: Sequence[str], versions: Sequence[Admitted]) -> list[Ranked]:
    """Score versions for terms, best first; those of one score in order of their keys.

    The score of a version depends on the versions given and on nothing else.
    """
    texts = [f"{version.metadata.title}\n{version.text}" for version in versions]
    scored = _kernels.bm25_scores(list(terms), texts, LANGUAGE)
    ranked = [Ranked(version, *one) for version, one in zip(versions, scored, strict=True)]
    return sorted(ranked, key=lambda one: (-one.score, one.version.key))


def supported(ranked: Sequence[Ranked], terms: Sequence[str], coverage: float) -> list[Ranked]:
    """Give those that support a question: they hold at least this part of its terms, and at least one."""
    # As the number is written: a product of floats may be above the whole number that is meant.
    least = max(1, math.ceil(Fraction(repr(float(coverage))) * len(terms)))
    return [one for one in ranked if one.matched >= least]


def passage(version: Admitted, question: str, tokens: int) -> Passage:
    """Give the passage of a version, of so many tokens at most, that answers a question best."""
    span = _kernels.snippet_span(question, version.text, tokens, stride_size(tokens), LANGUAGE)
    return passage_at(version, Locator(version.key, *span))


def passage_at(version: Admitted, locator: Locator) -> Passage:
    """Give the passage that a locator names in its version."""
    text = version.text[locator.start : locator.end]
    return Passage(locator, version.metadata.title, text, sha256(text.encode()))
