"""``sid demo``: the main job on real input, the language reference that ships inside CPython."""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .._kernels import BACKEND
from ..document_cache import DocumentCache
from ..document_rendering import DocumentView, parse_rendered_model_facing_id
from ._events import print_event
from ._indexes import cached, word_llama
from ._scripted import ScriptedModel

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
QUESTION = "What happens to an exception that is raised inside a with statement?"
SCRIPTED_SEARCHES = (
    ("text_search", {"query": "with statement exception __exit__ return value suppressed", "limit": 3}),
    ("text_search", {"query": "exception exit context manager suppressed", "limit": 3}),
)
RESULTS = 3
READ_CHARACTERS = 600


@dataclass
class Totals:
    """What was shown, in code points, and how long it took."""

    whole: int = 0
    shown: int = 0
    masked: int = 0
    seconds: list[float] = field(default_factory=list)  # of each view


def run(arguments: argparse.Namespace) -> int:
    """Search, show every observation as a model would see it, read a range, add up, and run an episode."""
    from ..backends.errors import MissingExtra

    missing = []
    embedder: Embedder | None = None
    try:
        embedder = word_llama()
    except MissingExtra as error:
        missing.append(f"search by meaning: {error}")
    try:
        index = _indexed(embedder)
    except ImportError as error:
        print(f"sid demo: {error}; use a Python with its whole standard library, SQLite with FTS5 too", file=sys.stderr)
        return 1
    failed = False
    with contextlib.closing(index):
        _demonstrate(index)
        try:
            failed = not _episode(index)
        except ImportError as error:
            missing.append(f"an episode: {error}")
    for what in missing:
        print(f"Not shown: {what}")
    return int(failed)


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
        f"\n{len(cache.documents)} documents cached, {len(totals.seconds)} views on the {BACKEND} backend, half of "
        f"them in {statistics.median(totals.seconds) * 1e6:.0f} µs or less each.\n"
        f"Shown {totals.shown:,} characters of text instead of the {totals.whole:,} of the whole documents: "
        f"{1 - totals.shown / totals.whole:.1%} saved. {totals.masked:,} characters of snippets were masked, having "
        "been shown before."
    )


def _episode(index: SqliteBackend) -> bool:
    """Run an episode, show it, and run it again from its transcript; say whether that went as it should.

    Raises
    ------
    ImportError
        If a package that episodes need is not installed.
    """
    from ..backends.corpus import Corpus
    from ..episode import Episode, EpisodeError, replay
    from ..episode.client import KEY_VARIABLE

    print(f"\n=== An episode: {QUESTION}")
    scripted = None
    if not os.environ.get(KEY_VARIABLE, "").strip():
        scripted = ScriptedModel(SCRIPTED_SEARCHES, READ_CHARACTERS)
        print(
            f"{KEY_VARIABLE} is not set, so no model is asked: a script stands in for its turns. The loop, the "
            "searches and what is shown are real."
        )
    print()
    corpus = Corpus(
        contents="The reference of the Python language, a topic a document.",
        text_search=index,
        search=index.semantic() if index.embedder is not None else None,
    )
    try:
        result = Episode(QUESTION, corpora=corpus, client=scripted, on_event=print_event).run()
        replay(result.transcript)
    except EpisodeError as error:
        print(f"sid demo: the episode failed: {error}", file=sys.stderr)
        return False
    for rank, data_id in enumerate(result.data_ids, start=1):
        print(f"{rank}. {data_id}")
    print(
        f"{result.turns} turns; ended: {result.ended}. Run again from its transcript, it showed and reported the same."
    )
    return True


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
    totals.seconds.append(time.perf_counter() - started)
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
