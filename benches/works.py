"""The works that are timed, each for any implementation.

A work is made of calls of one public function or method. Inputs are made beforehand, in batches, so that only the
calls are timed; every input is used once.
"""

from __future__ import annotations

import importlib
import operator
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import cycle, islice, repeat
from typing import Any

from loading import PEER, Implementation
from texts import ENGLISH_QUERIES, QUERIES, ColdText, english, query_from, shuffled, variants

__all__ = [
    "FIELD",
    "RESULTS",
    "STRIDE",
    "WINDOW",
    "Asks",
    "ImportTime",
    "Task",
    "add_document",
    "batch_for",
    "cold_english",
    "cold_shuffled",
    "cold_snippet",
    "fork",
    "id_at",
    "markdown_table",
    "new_cache",
    "plan_segments",
    "render_results",
    "render_xml",
    "second_snippet",
    "take",
    "update_seen",
    "warm_matches",
    "warm_snippet",
    "whole_loop",
]

WINDOW = 50
STRIDE = 10
FIELD = "content"

RESULTS = 16
"""How many results a search gives."""

Columns = Sequence[Iterable[Any]]
Span = tuple[int, int]

_SEED = 7
_SPAN = 12
_SPAN_DISTANCE = 24
_FREE_SLOTS = 1024
_RECORDS = 64
_BATCH = 256
_BATCH_CODE_POINTS = 1 << 18
_VIEW_SIZE = 4096

_LEAST_REMEMBERED = 1024
"""Texts of fewer code points are not looked up in what is remembered."""


@dataclass(frozen=True)
class Asks:
    """How a call asks about texts.

    Attributes
    ----------
    warm
        Whether the texts are remembered, rather than new.
    texts
        How many of a call's texts are looked up in what is remembered.
    """

    warm: bool
    texts: int = 1


@dataclass
class Task:
    """Work for one implementation.

    Attributes
    ----------
    call
        What is timed.
    columns
        Makes the arguments of so many calls, from a serial number on: one iterable for each parameter, of which the
        shortest decides.
    batch
        How many calls to make inputs for at once, so that these stay in the processor's caches.
    outcome
        Makes of a result and the arguments something that is equal for all implementations.
    asks
        How each call asks about texts, if it does.
    """

    call: Callable[..., Any]
    columns: Callable[[int, int], Columns]
    batch: int = _BATCH
    outcome: Callable[..., Any] = lambda result, *_: result
    asks: Asks | None = None
    _serial: int = 0

    def inputs(self) -> Columns:
        """Make the arguments of the next batch."""
        first = self._serial
        self._serial += self.batch
        return self.columns(first, self.batch)

    def run(self, columns: Columns) -> None:
        """Make the calls."""
        deque(map(self.call, *columns), maxlen=0)

    def seconds(self, batches: int) -> float:
        """Time the calls of so many batches, inputs not counted."""
        total = 0
        for _ in range(batches):
            columns = self.inputs()
            start = time.perf_counter_ns()
            self.run(columns)
            total += time.perf_counter_ns() - start
        return total / 1e9

    def outcomes(self) -> list[Any]:
        """Give what a batch of calls leads to."""
        return [self.outcome(self.call(*arguments), *arguments) for arguments in zip(*self.inputs(), strict=False)]


def batch_for(size: int) -> int:
    """Give how many texts of a size to make at once."""
    return max(1, min(_BATCH, _BATCH_CODE_POINTS // size))


def cold_snippet(implementation: Implementation, texts: Sequence[str], queries: Sequence[str], language: str) -> Task:
    """Choose snippets of texts that were never seen before."""
    cold = [ColdText(text) for text in texts]

    def columns(first: int, number: int) -> Columns:
        return (
            _in_turn(queries, first, number),
            variants(cold, first, number),
            repeat(WINDOW),
            repeat(STRIDE),
            repeat(language),
        )

    snippet = implementation.document_cache.bm25_snippet_with_stride
    looked_up = int(len(texts[0]) >= _LEAST_REMEMBERED)
    return Task(snippet, columns, batch_for(len(texts[0])), asks=Asks(warm=False, texts=looked_up))


def cold_english(implementation: Implementation, size: int, *, ascii_only: bool = True) -> Task:
    """Choose snippets of English texts of a size that were never seen before."""
    texts = [english(size, part, ascii_only=ascii_only) for part in range(_texts_of(size))]
    return cold_snippet(implementation, texts, ENGLISH_QUERIES, "english")


def cold_shuffled(implementation: Implementation, language: str, size: int) -> Task:
    """Choose snippets of texts of a size in another language that were never seen before."""
    texts = [shuffled(language, size, part) for part in range(min(4, _texts_of(size)))]
    return cold_snippet(implementation, texts, QUERIES[language], "generic")


def second_snippet(implementation: Implementation, size: int) -> Task:
    """Choose snippets of texts that were asked about once before, which is when they are analysed and remembered."""
    cold = [ColdText(english(size, part)) for part in range(_texts_of(size))]
    snippet = implementation.document_cache.bm25_snippet_with_stride

    def columns(first: int, number: int) -> Columns:
        texts = variants(cold, first, number)
        for text in texts:
            snippet(ENGLISH_QUERIES[0], text, WINDOW, STRIDE, "english")
        return _in_turn(ENGLISH_QUERIES, first, number), texts, repeat(WINDOW), repeat(STRIDE), repeat("english")

    return Task(snippet, columns, batch_for(size))


def warm_snippet(implementation: Implementation, size: int) -> Task:
    """View snippets of documents that were asked about before, each time for a new query."""
    texts = [english(size, part) for part in range(max(1, _texts_of(size) // 2))]
    cache = new_cache(implementation)
    for number, text in enumerate(texts):
        cache.add_document(number, _document(number, text))
        for query in ENGLISH_QUERIES[:3]:
            cache.apply_snippet(number, FIELD, query)

    def columns(first: int, number: int) -> Columns:
        serials = range(first, first + number)
        queries = [query_from(texts[serial % len(texts)], serial) for serial in serials]
        return [serial % len(texts) for serial in serials], repeat(FIELD), queries

    return Task(cache.apply_snippet, columns, batch_for(size), _view_outcome, Asks(warm=True))


def warm_matches(implementation: Implementation, tokens: int, matches: int) -> Task:
    """View snippets of a document of so many words, remembered, in which the query's term stands so many times."""
    order = random.Random(_SEED)
    filler = ["".join(order.choices("abcdefghij", k=5)) for _ in range(1000)]
    words = order.choices(filler, k=tokens)
    for number in range(matches):
        words[number * tokens // matches] = "zebra"
    cache = new_cache(implementation)
    cache.add_document(0, _document(0, " ".join(words)))
    for serial in range(3):
        cache.apply_snippet(0, FIELD, f"zebra before{serial}")

    def columns(first: int, number: int) -> Columns:
        # Of the other word, none is in the text.
        return repeat(0), repeat(FIELD), [f"zebra query{serial}" for serial in range(first, first + number)]

    return Task(cache.apply_snippet, columns, 1, _view_outcome, Asks(warm=True))


def render_xml(implementation: Implementation) -> Task:
    """Render views of snippets as XML."""
    cache, spans = _cache_with_snippets(implementation)

    def columns(first: int, number: int) -> Columns:
        return (_views(cache, spans, first, number),)

    return Task(operator.methodcaller("render_xml"), columns)


def markdown_table(implementation: Implementation, rows: int) -> Task:
    """Render views of snippets as Markdown tables of so many rows."""
    cache, spans = _cache_with_snippets(implementation)

    def columns(first: int, number: int) -> Columns:
        return ([_views(cache, spans, serial * rows, rows) for serial in range(first, first + number)],)

    return Task(implementation.package.render_markdown_table, columns, batch_for(rows * _VIEW_SIZE))


def add_document(implementation: Implementation) -> Task:
    """Add small documents to a cache."""
    texts = [english(200, part) for part in range(_texts_of(200))]

    def columns(first: int, number: int) -> Columns:
        documents = [_document(serial, text) for serial, text in enumerate(_in_turn(texts, first, number), first)]
        return repeat(new_cache(implementation)), range(first, first + number), documents

    return Task(implementation.package.DocumentCache.add_document, columns)


def whole_loop(implementation: Implementation, size: int) -> Task:
    """Do what an agent's search does with each result: add the document, view a snippet, render and record it."""
    # Not the texts of `cold_english`, so that no variant of these was seen there.
    cold = [ColdText(english(size, _texts_of(size) + part)) for part in range(_texts_of(size))]

    def columns(first: int, number: int) -> Columns:
        documents = [_document(serial, text) for serial, text in enumerate(variants(cold, first, number), first)]
        queries = _in_turn(ENGLISH_QUERIES, first, number)
        return repeat(new_cache(implementation)), range(first, first + number), documents, queries

    return Task(_search_result, columns, batch_for(size), asks=Asks(warm=False))


def _search_result(cache: Any, data_id: int, document: dict[str, Any], query: str) -> str:
    cache.add_document(data_id, document)
    view = cache.apply_snippet(data_id, FIELD, query)
    rendered: str = view.render_xml()
    cache.update_seen(view)
    return rendered


def render_results(implementation: Implementation, size: int) -> Task:
    """Show the results of a search: in one call or, with sid-sdk, which lacks it, by the loop that it stands for."""
    cold = [ColdText(english(size, part)) for part in range(_texts_of(size))]

    def columns(first: int, number: int) -> Columns:
        texts = variants(cold, first * RESULTS, number * RESULTS)
        results = [{"id": serial, **_document(serial, text)} for serial, text in enumerate(texts, first * RESULTS)]
        searches = [results[place : place + RESULTS] for place in range(0, len(results), RESULTS)]
        return repeat(new_cache(implementation)), searches, _in_turn(ENGLISH_QUERIES, first, number)

    one_call = _search_results if implementation.name == PEER else implementation.package.DocumentCache.render_results
    return Task(one_call, columns, batch_for(size * RESULTS), asks=Asks(warm=False, texts=RESULTS))


def _search_results(cache: Any, results: Sequence[dict[str, Any]], query: str) -> str:
    rendered = []
    for result in results:
        document = {field: value for field, value in result.items() if field != "id"}
        rendered.append(_search_result(cache, result["id"], document, query))
    return "\n".join(rendered)


def fork(implementation: Implementation, forks: int, documents: int, spans: int) -> Task:
    """Fork a cache of documents of which so many spans each were seen; the forks are dropped at once."""
    cache = new_cache(implementation)
    for data_id in range(documents):
        cache.add_document(data_id, _document(data_id, english(_VIEW_SIZE, data_id % _texts_of(_VIEW_SIZE))))
        for slot in range(spans):
            cache.update_seen(_slot_view(cache, data_id, slot))

    def outcome(result: Iterable[Any], *_: Any) -> list[dict[Any, list[Span]]]:
        return [{data_id: _spans(each.seen_ledger[data_id]) for data_id in range(documents)} for each in result]

    return Task(cache.fork, lambda _, number: (repeat(forks, number),), 8, outcome)


def update_seen(implementation: Implementation, held: int) -> Task:
    """Record views with a span that touches none of the spans held; the ledger starts anew with every batch."""
    slots = list(range(held + _FREE_SLOTS))
    random.Random(_SEED).shuffle(slots)
    free = slots[held:]
    origin = new_cache(implementation)
    origin.add_document(0, _document(0, english(len(slots) * _SPAN_DISTANCE)))
    # Written at once: to record so many views one by one would take long.
    origin.seen_ledger[0] = [_slot(slot) for slot in sorted(slots[:held])]

    def columns(first: int, number: int) -> Columns:
        [cache] = origin.fork(1)
        # One more than asked for: what a fork puts off until its first change is not this work.
        before, *views = [_slot_view(cache, 0, slot) for slot in _in_turn(free, first, number + 1)]
        cache.update_seen(before)
        return repeat(cache), views

    def outcome(_: None, cache: Any, __: Any) -> list[Span]:
        return _spans(cache.seen_ledger[0])

    return Task(implementation.package.DocumentCache.update_seen, columns, _RECORDS, outcome)


def plan_segments(implementation: Implementation, held: int) -> Task:
    """Plan how spans are shown of a document that was seen in so many places."""
    seen = [_slot(slot) for slot in range(held)]

    def columns(first: int, number: int) -> Columns:
        starts = [serial * _SPAN_DISTANCE % (held * _SPAN_DISTANCE) for serial in range(first, first + number)]
        return [(start, start + 300) for start in starts], repeat(seen), repeat(5)

    kernels = importlib.import_module(f"{implementation.package.__name__}._kernels")
    return Task(kernels.plan_segments, columns)


def id_at(implementation: Implementation) -> Task:
    """Give ids by their index, without minting."""
    stream = implementation.id_stream.IdStream(seed=_SEED)

    def columns(first: int, number: int) -> Columns:
        return repeat(stream), [serial % stream.space for serial in range(first, first + number)]

    return Task(operator.getitem, columns)


def take(implementation: Implementation, number: int) -> Task:
    """Mint so many ids at once or, where that is not to be had, one after the other."""

    def minted(stream: Any) -> list[str]:
        return stream.take(number) if hasattr(stream, "take") else list(islice(stream, number))

    def columns(first: int, batch: int) -> Columns:
        return ([implementation.id_stream.IdStream(seed=serial) for serial in range(first, first + batch)],)

    return Task(minted, columns, 1)


class ImportTime:
    """The time that ``import sid`` adds to the start of an interpreter."""

    batch = 1
    asks: Asks | None = None
    _IMPORT = "import sid"

    def __init__(self, implementation: Implementation) -> None:
        # As after an installation: with byte code, which a development environment may do without.
        self._byte_code = tempfile.TemporaryDirectory()
        self._environment = {
            **os.environ,
            **implementation.variables,
            "PYTHONPATH": str(implementation.folder),
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": self._byte_code.name,
        }

    def seconds(self, batches: int) -> float:
        """Time so many starts with the import, less the starts without it."""
        return sum(self._start(self._IMPORT) - self._start("pass") for _ in range(batches))

    def outcomes(self) -> list[Any]:
        """Do the import once, which also writes the byte code."""
        self._start(f"{self._IMPORT}; sid.DocumentCache")
        return [None]

    def _start(self, code: str) -> float:
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, env=self._environment)
        return time.perf_counter() - begin


def new_cache(implementation: Implementation) -> Any:
    """Make a cache whose ids are the same for all implementations."""
    cache = implementation.package.DocumentCache()
    cache.model_facing_id_stream = implementation.id_stream.IdStream(seed=_SEED)
    return cache


def _texts_of(size: int) -> int:
    """Give how many different texts of a size to take turns with, so that no branch predictor learns one by heart."""
    return max(1, min(64, _BATCH_CODE_POINTS // size))


def _document(number: int, text: str) -> dict[str, Any]:
    return {"title": f"Section {number} <of the reference>", "year": 1991 + number % 30, FIELD: text}


def _cache_with_snippets(implementation: Implementation) -> tuple[Any, list[Span]]:
    """Make a cache of documents under the ids 0, 1, 2, …, and choose a snippet of each."""
    cache = new_cache(implementation)
    spans: list[Span] = []
    for number in range(_texts_of(_VIEW_SIZE)):
        cache.add_document(number, _document(number, english(_VIEW_SIZE, number)))
        [query] = _in_turn(ENGLISH_QUERIES, number, 1)
        spans += cache.apply_snippet(number, FIELD, query).snippet_display_spans
    return cache, spans


def _views(cache: Any, spans: Sequence[Span], first: int, number: int) -> list[Any]:
    """Make views of the documents' snippets in turn."""
    data_ids = [serial % len(spans) for serial in range(first, first + number)]
    return [cache.get_single_span_document_view(data_id, FIELD, spans[data_id]) for data_id in data_ids]


def _slot_view(cache: Any, data_id: int, slot: int) -> Any:
    """View one of a document's short spans, none of which touches another."""
    return cache.get_single_span_document_view(data_id, FIELD, _slot(slot))


def _slot(slot: int) -> Span:
    return slot * _SPAN_DISTANCE, slot * _SPAN_DISTANCE + _SPAN


def _view_outcome(view: Any, *_: Any) -> tuple[Any, list[Span], list[Span]]:
    return view.data_id, _spans(view.snippet_display_spans), _spans(view.snippet_seen_spans)


def _spans(spans: Iterable[Iterable[int]]) -> list[Any]:
    return [tuple(span) for span in spans]


def _in_turn(values: Sequence[Any], first: int, number: int) -> list[Any]:
    """Take a number of values, from the one whose turn it is on, beginning again after the last."""
    start = first % len(values)
    return list(islice(cycle([*values[start:], *values[:start]]), number))
