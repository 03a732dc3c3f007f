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

if TYPE_CHECKING:
    import sqlite3

__all__ = ["run"]

QUERIES = (
    "how does a context manager handle an exception",
    "order in which default parameter values are evaluated",
    "precedence of lambda and conditional expressions",
    "exception raised inside a with statement",
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
    try:
        index, topics = _indexed()
    except ImportError as error:
        print(f"sid demo: {error}; use a Python with its whole standard library, SQLite with FTS5 too", file=sys.stderr)
        return 1
    with contextlib.closing(index):
        _demonstrate(index, topics)
    return 0


def _demonstrate(index: sqlite3.Connection, topics: dict[str, str]) -> None:
    cache = DocumentCache()
    totals = Totals()
    reference = ""
    for query in (*QUERIES, QUERIES[0]):
        print(f"\n>>> text_search(query={query!r}, limit={RESULTS})\n")
        for name in _search(index, query):
            started = time.perf_counter()
            cache.add_document(name, {"title": name, "content": topics[name]})
            view = cache.apply_snippet(name, "content", query)
            reference = reference or view._render_parts()[0]
            _show(cache, view, totals, started)
            totals.masked += _length(view.snippet_seen_spans)

    model_id, span = parse_rendered_model_facing_id(reference)
    start = span[0] if span else 0
    reference = f"{model_id}#{start}:{start + READ_CHARACTERS}"
    print(f"\n>>> read(id={reference!r})\n")
    started = time.perf_counter()
    model_id, span = parse_rendered_model_facing_id(reference)
    read = cache.get_single_span_document_view(cache.to_data_id(model_id), "content", span, ["content"])
    _show(cache, read, totals, started)

    print(
        f"\n{len(cache.documents)} documents cached, {totals.views} views in {totals.seconds * 1e3:.1f} ms on the "
        f"{BACKEND} backend ({totals.seconds / totals.views * 1e6:.0f} µs a view).\n"
        f"Shown {totals.shown:,} characters of text instead of the {totals.whole:,} of the whole documents: "
        f"{1 - totals.shown / totals.whole:.1%} saved. {totals.masked:,} characters of snippets were masked, having "
        "been shown before."
    )


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


def _indexed() -> tuple[sqlite3.Connection, dict[str, str]]:
    """Give the topics by name and an index of them; `ImportError` if this Python lacks a part that it needs."""
    import sqlite3
    from pydoc_data.topics import topics

    index = sqlite3.connect(":memory:")
    try:
        index.execute("CREATE VIRTUAL TABLE topic USING fts5(name, content, tokenize='porter unicode61')")
    except sqlite3.OperationalError as error:
        index.close()
        raise ImportError(str(error)) from None
    index.executemany("INSERT INTO topic VALUES (?, ?)", topics.items())
    return index, topics


def _search(index: sqlite3.Connection, query: str) -> list[str]:
    """Give the names of the best topics by BM25."""
    # Each word in quotes: nothing in a query is FTS5 syntax.
    words = " OR ".join('"' + word.replace('"', '""') + '"' for word in query.split())
    found = index.execute("SELECT name FROM topic WHERE topic MATCH ? ORDER BY rank LIMIT ?", (words, RESULTS))
    return [name for (name,) in found]
