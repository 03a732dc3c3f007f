"""The pure-Python backend: every kernel again, readable, as the executable specification of the native one.

What needs NumPy is imported when it is first called.
"""

from copy import deepcopy as deep_copy

from .ids import Ids
from .intervals import append_coalescing, insert_interval, overlap, overlap_list, plan_segments
from .ledger import Ledger
from .registry import Registry
from .render import markdown_table, snippet_xml, view_body, xml_element

__all__ = [
    "Ids",
    "Ledger",
    "Registry",
    "analyze",
    "append_coalescing",
    "deep_copy",
    "insert_interval",
    "markdown_table",
    "overlap",
    "overlap_list",
    "plan_segments",
    "snippet_span",
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


def word_segments(text: str) -> list[tuple[int, int, bool]]:
    """Give the UAX #29 word segments of ``text``: ``(start, end, word_like)``, in code points."""
    from .word_break import word_segments as run

    return run(text)
