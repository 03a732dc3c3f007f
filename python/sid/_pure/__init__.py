"""The pure-Python backend: every kernel again, readable, as the executable specification of the native one.

What needs NumPy is imported when it is first called.
"""

from collections.abc import Sequence
from copy import deepcopy as deep_copy

from .ids import Ids
from .intervals import append_coalescing, insert_interval, mask, overlap, overlap_list, plan_segments
from .render import markdown_table, snippet_xml, view_body, xml_element

__all__ = [
    "Ids",
    "analyze",
    "append_coalescing",
    "deep_copy",
    "insert_interval",
    "markdown_table",
    "mask",
    "overlap",
    "overlap_list",
    "plan_segments",
    "snippet_span",
    "snippet_spans",
    "snippet_xml",
    "view_body",
    "word_segments",
    "xml_element",
]


def analyze(text: str, language: str) -> list[tuple[str, int, int, int]]:
    """Give the kept tokens of ``text``: ``(term, position, start, end)``, offsets in code points."""
    from .analysis import analyze as run

    return run(text, language)


def snippet_span(query: str, content: str, window_size: int, stride: int, language: str) -> tuple[int, int]:
    """Give the code point span of ``content`` that best answers ``query``; sizes count source tokens."""
    from .snippet import snippet_span as run

    return run(query, content, window_size, stride, language)


def snippet_spans(
    queries: Sequence[str], contents: Sequence[str], window_size: int, stride: int, language: str, threads: int
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
