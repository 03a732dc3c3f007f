"""``sid demo``: the main job on real input, the language reference that ships inside CPython."""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._kernels import BACKEND
from ..document_cache import DocumentCache
from ..document_rendering import DocumentView, parse_rendered_model_facing_id
from ._indexes import cached, word_llama

if TYPE_CHECKING:
    from ..backends.embedder import Embedder
    from ..backends.protocol import SearchBackend
    from ..backends.sqlite import SqliteBackend

__all__ = ["run"]

TEXT_QUERIES = (
    "context manager exception",
    "default parameter values evaluation order",
    "precedence lambda conditional expression",
    "exception raised inside with statement",
)
QUERIES = (
    "how can I make sure that a file is closed whatever happens",
    "giving an argument a value that is used when the caller leaves it out",
)
RESULTS = 3
READ_CHARACTERS = 600


@dataclass
class Totals:
    """What was shown, in code points, and how long it took."""

    views: int = 0
    whole: int = 0
    shown: int = 0
    masked: int = 0
    seconds: float = 0.0


def run(arguments: argparse.Namespace) -> int:
    """Search, show every observation as a model would see it, read a range, and add up."""
    from ..backends.errors import MissingExtra

    missing = ""
    embedder: Embedder | None = None
    try:
        embedder = word_llama()
    except MissingExtra as error:
        missing = str(error)
    try:
        index = _indexed(embedder)
    except ImportError as error:
        print(f"sid demo: {error}; use a Python with its whole standard library, SQLite with FTS5 too", file=sys.stderr)
        return 1
    with contextlib.closing(index):
        _demonstrate(index)
    if missing:
        print(f"Not shown: {missing}")
    return 0


def _demonstrate(index: SqliteBackend) -> None:
    cache = DocumentCache()
    totals = Totals()
    reference = ""
    for query in (*TEXT_QUERIES, TEXT_QUERIES[0]):
        first = _search(index, "text_search", query, cache, totals)
        reference = reference or first
    if index.embedder is not None:
        for query in QUERIES:
            _search(index.semantic(), "search", query, cache, totals)
    _read(reference, cache, totals)
    print(
        f"\n{len(cache.documents)} documents cached, {totals.views} views in {totals.seconds * 1e3:.1f} ms on the "
        f"{BACKEND} backend ({totals.seconds / totals.views * 1e6:.0f} µs a view).\n"
        f"Shown {totals.shown:,} characters of text instead of the {totals.whole:,} of the whole documents: "
        f"{1 - totals.shown / totals.whole:.1%} saved. {totals.masked:,} characters of snippets were masked, having "
        "been shown before."
    )


def _search(backend: SearchBackend, tool: str, query: str, cache: DocumentCache, totals: Totals) -> str:
    """Search and show; give the reference of the first result."""
    print(f"\n>>> {tool}(query={query!r}, limit={RESULTS})\n")
    references = []
    for hit in backend.search(query, limit=RESULTS):
        started = time.perf_counter()
        view = cache.apply_snippet(cached(cache, hit), "content", query)
        references.append(view._render_parts()[0])
        totals.masked += _length(view.snippet_seen_spans)
        _show(cache, view, totals, started)
    return references[0]


def _read(reference: str, cache: DocumentCache, totals: Totals) -> None:
    """Read on from where a reference begins."""
    model_id, span = parse_rendered_model_facing_id(reference)
    start = span[0] if span else 0
    reference = f"{model_id}#{start}:{start + READ_CHARACTERS}"
    print(f"\n>>> read(id={reference!r})\n")
    started = time.perf_counter()
    model_id, span = parse_rendered_model_facing_id(reference)
    read = cache.get_single_span_document_view(cache.to_data_id(model_id), "content", span, ["content"])
    _show(cache, read, totals, started)


def _show(cache: DocumentCache, view: DocumentView, totals: Totals, started: float) -> None:
    observation = view.render_xml()
    cache.update_seen(view)
    totals.seconds += time.perf_counter() - started
    totals.views += 1
    totals.whole += len(view.document["content"])
    totals.shown += _length(view.snippet_display_spans)
    print(observation)


def _length(spans: list[tuple[int, int]]) -> int:
    return sum(end - start for start, end in spans)


def _indexed(embedder: Embedder | None) -> SqliteBackend:
    """Give an index of the topics; `ImportError` if this Python lacks a part that it needs."""
    from pydoc_data.topics import topics

    from ..backends.sqlite import SqliteBackend

    index = SqliteBackend(embedder=embedder)
    index.add({"id": name, "title": name, "content": content} for name, content in topics.items())
    return index
