"""``sid search``: an index asked, and the results shown as a model would see them."""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import TYPE_CHECKING, Any

from ..document_cache import DocumentCache
from ._indexes import CannotStart, cached, open_index, print_view, queries

if TYPE_CHECKING:
    from ..backends.protocol import SearchBackend
    from ..backends.sqlite import SqliteBackend

__all__ = ["run"]


def run(arguments: argparse.Namespace) -> int:
    """Search and show; give 0, or 2 if something cannot be used."""
    try:
        filters = dict(_filter(text) for text in arguments.filter)
        with open_index(arguments.index, vectors=arguments.mode != "text") as index:
            _search(index, arguments, filters)
    except CannotStart as error:
        print(f"sid search: {error}", file=sys.stderr)
        return 2
    return 0


def _search(index: SqliteBackend, arguments: argparse.Namespace, filters: dict[str, Any]) -> None:
    from ..backends.protocol import InvalidFilter

    backend = _backend(index, arguments.mode)
    cache = DocumentCache(index.language)
    for query in queries(arguments.query):
        try:
            hits = backend.search(query, limit=arguments.limit, filters=filters)
        except InvalidFilter as error:
            raise CannotStart(str(error)) from None
        if not hits:
            print(f"sid search: no document answers {query!r:.200}", file=sys.stderr)
        for rank, hit in enumerate(hits, start=1):
            data_id = cached(cache, hit)
            view = cache.apply_snippet(data_id, "content", query, arguments.snippet_size)
            if not arguments.json:
                sys.stdout.write(f"{rank}. {data_id}\n")
            print_view(view, as_json=arguments.json, query=query, rank=rank)
            cache.update_seen(view)


def _backend(index: SqliteBackend, mode: str) -> SearchBackend:
    from ..backends.fused import FusedBackend

    if mode == "text":
        return index
    return index.semantic() if mode == "vector" else FusedBackend([index, index.semantic()])


def _filter(text: str) -> tuple[str, Any]:
    """Read ``name=value``; what looks like a number or a bool may be that or the text of it in the documents."""
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise CannotStart(f"--filter {text!r:.80} is not name=value")
    if name.endswith(("_after", "_before")):
        return name, value
    try:
        other = json.loads(value, parse_constant=str)
    except (ValueError, RecursionError):
        other = None
    return name, [value, other] if isinstance(other, int | float) and math.isfinite(other) else value
