"""The analysis that snippets are chosen by, for search backends that must agree with it: UAX #29 tokens, lowercased."""

from __future__ import annotations

from collections import Counter

from . import _kernels
from ._options import validate_language

__all__ = ["kept_terms", "query_terms", "term_frequencies", "token_spans"]

ALL_TOKENS = "generic"
"""The language that has no stopwords."""


def kept_terms(text: str, language: str = "english") -> list[str]:
    """Give the terms of a text in order, its language's stopwords left out.

    Parameters
    ----------
    text
        Any string.
    language
        Whose stopwords to drop: one of `sid.document_cache.SUPPORTED_LANGUAGES`; ``"generic"`` drops none.

    Raises
    ------
    ValueError
        If the language is not supported.

    Examples
    --------
    >>> kept_terms("The owl's 3.14 mice, 日本")
    ["owl's", '3.14', 'mice', '日', '本']
    """
    return [token[0] for token in _kernels.analyze(text, validate_language(language))]


def query_terms(query: str, language: str = "english") -> list[str]:
    """Give a query's distinct terms in order of first appearance.

    Stopwords are left out unless there is nothing else: "to be or not to be" is still a query.

    Raises
    ------
    ValueError
        If the language is not supported.

    Examples
    --------
    >>> query_terms("where is the owl, the white owl"), query_terms("to be or not to be")
    (['where', 'owl', 'white'], ['to', 'be', 'or', 'not'])
    """
    return list(dict.fromkeys(kept_terms(query, language) or kept_terms(query, ALL_TOKENS)))


def term_frequencies(text: str, language: str = "english") -> dict[str, int]:
    """Give each kept term's tf, in order of first appearance.

    Raises
    ------
    ValueError
        If the language is not supported.

    Examples
    --------
    >>> term_frequencies("owl and mouse and owl")
    {'owl': 2, 'mouse': 1}
    """
    return dict(Counter(kept_terms(text, language)))


def token_spans(text: str) -> list[tuple[int, int]]:
    """Give every token's span in code points, stopwords included.

    Examples
    --------
    >>> token_spans("One, two")
    [(0, 3), (5, 8)]
    """
    return [token[2:] for token in _kernels.analyze(text, ALL_TOKENS)]
