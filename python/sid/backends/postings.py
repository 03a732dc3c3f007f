"""Terms written so that SQLite's full-text search takes each as one word, and none as syntax."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable

from ..analysis import ALL_TOKENS, kept_terms, query_terms

__all__ = ["QUERY_TERMS_MAX", "match_expression", "posting_text"]

QUERY_TERMS_MAX = 512
"""Only this many of a query's distinct terms are looked for, the first ones."""

TERM_CHARACTERS = 255
"""A longer term is replaced by its digest."""

# FTS5's tokenizer `ascii` takes every character beyond ASCII as part of a word, and so the ASCII punctuation that is
# common in terms (can't, 3.14, x_y) moves to the private-use area. A term with anything else that could be
# misunderstood, private-use characters included, is replaced by its digest behind a mark of its own: no two terms
# are written the same.
_PRIVATE = 0xE000
_MARK = "\uf8ff"
_MOVED = {ord(character): _PRIVATE + ord(character) for character in "'\"._:,;"}
_MISUNDERSTOOD = re.compile("[\x00-\x09\x0b-!#-&(-+\\-/<-@\\[-^`{-\x7f\ud800-\udfff\ue000-\uf8ff]")
_BETWEEN = "\n"


def posting_text(texts: Iterable[str]) -> str:
    """Give the words of texts for a full-text index, stopwords included."""
    return " ".join(_words([term for text in texts for term in kept_terms(text, ALL_TOKENS)]))


def match_expression(query: str, language: str) -> str | None:
    """Give what to look for: any of a query's terms; ``None`` if it has none.

    Examples
    --------
    >>> match_expression('owl NEAR "mouse*"', "english")
    '"owl" OR "near" OR "mouse"'
    """
    terms = query_terms(query, language)[:QUERY_TERMS_MAX]
    return " OR ".join(f'"{word}"' for word in _words(terms)) or None


def _words(terms: list[str]) -> list[str]:
    if not terms:
        return []
    # All in one: almost no text has a term that needs more.
    joined = _BETWEEN.join(terms)
    if joined.count(_BETWEEN) == len(terms) - 1 and not _MISUNDERSTOOD.search(joined):
        words = joined.translate(_MOVED).split(_BETWEEN)
        if max(map(len, words)) <= TERM_CHARACTERS:
            return words
    return [_word(term) for term in terms]


def _word(term: str) -> str:
    if len(term) > TERM_CHARACTERS or _BETWEEN in term or _MISUNDERSTOOD.search(term):
        return _MARK + hashlib.blake2b(term.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return term.translate(_MOVED)
