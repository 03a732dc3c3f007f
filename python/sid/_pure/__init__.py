"""The pure-Python backend: every kernel again, readable, as the executable specification of the native one."""

from .analysis import analyze
from .ids import id_at
from .intervals import append_coalescing, insert_interval, mask, overlap, overlap_list, plan_segments
from .render import markdown_table, view_body, xml_element
from .snippet import snippet_span
from .word_break import word_segments

__all__ = [
    "analyze",
    "append_coalescing",
    "id_at",
    "insert_interval",
    "markdown_table",
    "mask",
    "overlap",
    "overlap_list",
    "plan_segments",
    "snippet_span",
    "view_body",
    "word_segments",
    "xml_element",
]
