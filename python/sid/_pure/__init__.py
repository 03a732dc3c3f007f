"""The pure-Python backend: every kernel again, readable, as the executable specification of the native one.

What needs NumPy is imported when it is first called.
"""

import operator
from collections.abc import Sequence
from copy import deepcopy as deep_copy

from .._languages import SUPPORTED_LANGUAGES
from .ids import Ids
from .intervals import append_coalescing, insert_interval, overlap, overlap_list, plan_segments
from .ledger import Ledger
from .registry import Registry
from .render import markdown_table, snippet_xml, view_body, xml_element
from .results import Rendered, render_results

__all__ = [
    "Ids",
    "Ledger",
    "Registry",
    "Rendered",
    "analysis_cache_info",
    "analyze",
    "append_coalescing",
    "bm25_scores",
    "clear_analysis_cache",
    "deep_copy",
    "insert_interval",
    "markdown_table",
    "overlap",
    "overlap_list",
    "plan_segments",
    "render_results",
    "resize_analysis_cache",
    "snippet_span",
    "snippet_spans",
    "snippet_xml",
    "view_body",
    "word_segments",
    "xml_element",
]


def analysis_cache_info() -> tuple[int, int, int, int, int, int]:
    """Give ``(budget, used, texts, hits, misses, evictions)`` of what is remembered; the first two in bytes."""
    from .memory import MEMORY

    return MEMORY.info()


def bm25_scores(terms: list[str], texts: list[str], language: str) -> list[tuple[float, int, int]]:
    """Give ``(score, matched, length)`` of each text for the distinct terms, by BM25 among these texts alone.

    Raises
    ------
    TypeError, ValueError
        If an argument is none that it takes, in whatever words.
    """
    from .ranking import bm25_scores as run

    if not all(isinstance(text, str) for text in (*terms, *texts)):
        raise TypeError("terms and texts must be strings")
    if language not in SUPPORTED_LANGUAGES:
        raise ValueError("the language is not supported")
    return run(terms, texts, language)


def clear_analysis_cache() -> None:
    """Forget all that is remembered."""
    from .memory import MEMORY

    MEMORY.clear()


def resize_analysis_cache(budget: int) -> None:
    """Set how many bytes may be remembered."""
    from .memory import MEMORY

    MEMORY.resize(budget)


def analyze(text: str, language: str) -> list[tuple[str, int, int, int]]:
    """Give the kept tokens of ``text``: ``(term, position, start, end)``, offsets in code points."""
    from .analysis import analyze as run

    return run(text, language)


def snippet_span(query: str, content: str, window_size: int, stride: int, language: str) -> tuple[int, int]:
    """Give the code point span of ``content`` that best answers ``query``; sizes count source tokens.

    Raises
    ------
    TypeError, ValueError
        If an argument is none that it takes, in whatever words.
    """
    from .snippet import snippet_span as run

    if not (isinstance(query, str) and isinstance(content, str)):
        raise TypeError("query and content must be texts")
    if operator.index(window_size) < 1 or operator.index(stride) < 1:
        raise ValueError("sizes must be greater than zero")
    if language not in SUPPORTED_LANGUAGES:
        raise ValueError("the language is not supported")
    return run(query, content, operator.index(window_size), operator.index(stride), language)


def snippet_spans(
    queries: Sequence[str], contents: Sequence[str], window_size: int, stride: int, language: str, threads: int | None
) -> list[tuple[int, int]]:
    """Give what `snippet_span` gives for each query and the content at its place; one thread does it all."""
    return [
        snippet_span(query, content, window_size, stride, language)
        for query, content in zip(queries, contents, strict=True)
    ]


def word_segments(text: str) -> list[tuple[int, int, bool]]:
    """Give the UAX #29 word segments of ``text``: ``(start, end, word_like)``, in code points."""
    from .word_break import word_segments as run

    return run(text)
