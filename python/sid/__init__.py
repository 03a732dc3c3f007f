"""The layer between a search backend and a language model.

Stable ids, BM25-chosen snippets, a ledger of the exact characters already shown, and the ``<doc>`` format that SID-2
is trained on.

Examples
--------
>>> from sid import DocumentCache
>>> cache = DocumentCache()
>>> model_id = cache.add_document("db-1", {"title": "Greeting", "content": "Hello, world."})
>>> view = cache.apply_snippet("db-1", "content", "hello")
>>> print(view.render_xml().replace(model_id, "123456"))
<doc id="123456" doc_length=13 title="Greeting">
Hello, world.
</doc>
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from . import _kernels
from .document_cache import DocumentCache
from .document_rendering import (
    DocumentView,
    DocumentViewWithSnippet,
    parse_rendered_model_facing_id,
    render_markdown_table,
)
from .ranges import InvalidCharacterRange, RangeMode

__backend__ = _kernels.BACKEND

__all__ = [
    "DocumentCache",
    "DocumentView",
    "DocumentViewWithSnippet",
    "InvalidCharacterRange",
    "RangeMode",
    "parse_rendered_model_facing_id",
    "render_markdown_table",
]


def __getattr__(name: str) -> Any:
    if name == "batch":
        return import_module(".batch", __name__)
    if name == "__version__":
        from importlib.metadata import PackageNotFoundError, version

        try:
            return version("sid-native")
        except PackageNotFoundError:  # imported from a source tree
            raise AttributeError(f"module {__name__!r} has no {name}: sid-native is not installed") from None
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
