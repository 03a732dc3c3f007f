"""The one door to the algorithms: the native or the pure backend, chosen once.

Everything here has the same signature and the same results in both. Only this module imports either.
"""

from __future__ import annotations

import importlib
import os
import warnings
from typing import TYPE_CHECKING, Final, Literal

__all__ = [
    "BACKEND",
    "NATIVE_SPACE_BITS",
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
    "ids",
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

PURE_VARIABLE: Final = "SID_PURE_PYTHON"
"""Name of the environment variable that selects the pure backend; unset, empty and ``0`` leave the choice open."""

NATIVE_SPACE_BITS: Final = 128
"""Id spaces of more bits than this are permuted by the pure backend, whose integers have no limit."""


_OWN = ("BACKEND", "NATIVE_SPACE_BITS", "ids")


def _pure_wanted() -> bool:
    return os.environ.get(PURE_VARIABLE, "") not in ("", "0")


def _native_usable() -> bool:
    try:
        # By its whole name: an import from the package that is being imported fails with words about circles.
        extension = importlib.import_module("._native", __package__)
        missing = [name for name in __all__ if name not in _OWN and not hasattr(extension, name)]
        if missing:
            raise ImportError(f"the extension is of another version: it lacks {', '.join(missing)}")
    except ImportError as error:
        warnings.warn(
            f"sid runs without its native extension, many times slower: {error}. Reinstall sid-native to get it, "
            f"or set {PURE_VARIABLE}=1 to choose the pure backend without this warning.",
            RuntimeWarning,
            stacklevel=2,
        )
        return False
    return True


BACKEND: Final[Literal["native", "python"]] = "native" if not _pure_wanted() and _native_usable() else "python"

if TYPE_CHECKING or BACKEND == "native":
    from ._native import (
        Ids,
        Ledger,
        Registry,
        Rendered,
        analysis_cache_info,
        analyze,
        append_coalescing,
        bm25_scores,
        clear_analysis_cache,
        deep_copy,
        insert_interval,
        markdown_table,
        overlap,
        overlap_list,
        plan_segments,
        render_results,
        resize_analysis_cache,
        snippet_span,
        snippet_spans,
        snippet_xml,
        view_body,
        word_segments,
        xml_element,
    )

else:
    from ._pure import (
        Ids,
        Ledger,
        Registry,
        Rendered,
        analysis_cache_info,
        analyze,
        append_coalescing,
        bm25_scores,
        clear_analysis_cache,
        deep_copy,
        insert_interval,
        markdown_table,
        overlap,
        overlap_list,
        plan_segments,
        render_results,
        resize_analysis_cache,
        snippet_span,
        snippet_spans,
        snippet_xml,
        view_body,
        word_segments,
        xml_element,
    )


def ids(alphabet: str, length: int, space: int, key: int) -> Ids:
    """Give the ids of a stream; see ``sid.id_stream.IdStream``."""
    if space.bit_length() > NATIVE_SPACE_BITS:
        from ._pure import Ids as Unlimited

        return Unlimited(alphabet, length, space, key)  # type: ignore[return-value]
    return Ids(alphabet, length, space, key)
