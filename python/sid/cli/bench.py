"""``sid bench``: how fast this installation is, on the language reference that ships inside CPython."""

from __future__ import annotations

import argparse
import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, cycle, islice, repeat
from typing import Any

from .._kernels import BACKEND, PURE_VARIABLE
from ..document_cache import DocumentCache, bm25_snippet_with_stride
from .doctor import installed_version

__all__ = ["run"]

QUERY = "how does a class with a custom metaclass look up an attribute"
RESULTS = 16
READ = 10_000
FORKS = 8
TURNS = 5
BATCH_CHARACTERS = 1 << 18


@dataclass(frozen=True)
class Work:
    """Something that is timed: ``call`` once for each of the inputs, which are made beforehand, a batch at a time."""

    name: str
    call: Callable[[Any], object]
    batches: Iterator[list[Any]]
    characters: int = 0  # of text that a call looks at, if that is what it does

    def seconds_per_call(self, seconds: float) -> float:
        """Time batches for so long, and give the median of `TURNS` parts of that time at least."""
        samples: list[float] = []
        left = seconds
        while left > 0 or len(samples) < TURNS:
            inputs = next(self.batches)
            started = time.perf_counter()
            deque(map(self.call, inputs), maxlen=0)
            spent = time.perf_counter() - started
            samples.append(spent / len(inputs))
            left -= spent
        return statistics.median(samples)


def run(arguments: argparse.Namespace) -> int:
    """Time everything, with the pure backend too if there is another; give 0, or 1 if that is impossible."""
    try:
        works = _works()
    except ImportError as error:
        print(f"sid bench: {error}; use a Python with its whole standard library", file=sys.stderr)
        return 1
    pure = None
    if BACKEND == "native":
        pure = _pure(arguments.seconds)
        if pure is None:
            return 1
    rows = []
    gc.collect()
    gc.disable()
    try:
        for work in works:
            _progress(work.name)
            row: dict[str, Any] = {"work": work.name, "seconds": work.seconds_per_call(arguments.seconds)}
            if work.characters:
                row["characters_per_second"] = work.characters / row["seconds"]
            if pure is not None:
                row["pure_seconds"] = pure[work.name]
                row["ratio"] = pure[work.name] / row["seconds"]
            rows.append(row)
    finally:
        gc.enable()
    report = {
        "version": installed_version(),
        "backend": BACKEND,
        "python": platform.python_version(),
        "machine": platform.machine(),
        "processors": os.cpu_count(),
        "rows": rows,
    }
    print(json.dumps(report) if arguments.json else _table(report))
    return 0


def _works() -> list[Work]:
    """Make the works; `ImportError` if this Python lacks the text."""
    from pydoc_data.topics import topics

    prose = "\n\n".join(topics.values())
    return [
        *(_new_text(prose, size, name) for size, name in ((1 << 10, "1 K"), (1 << 12, "4 K"), (1 << 16, "64 K"))),
        *(_known_text(prose, size, name) for size, name in ((1 << 12, "4 K"), (1 << 16, "64 K"))),
        _search(prose),
        _read(prose),
        _fork(prose),
    ]


def _texts(prose: str, size: int) -> Iterator[str]:
    """Give texts of a size without end, each other than all before."""
    prose *= -(-size // len(prose)) + 1
    for number, start in enumerate(cycle(range(0, len(prose) - size, 997))):
        label = f"{number} "
        yield label + prose[start : start + size - len(label)]


def _batched(inputs: Iterable[Any], length: int) -> Iterator[list[Any]]:
    source = iter(inputs)
    while batch := list(islice(source, length)):
        yield batch


def _new_text(prose: str, size: int, name: str) -> Work:
    """Choose a snippet of a text that was never seen."""

    def call(text: str) -> object:
        return bm25_snippet_with_stride(QUERY, text)

    batches = _batched(_texts(prose, size), max(1, BATCH_CHARACTERS // size))
    return Work(f"snippet of a new text, {name}", call, batches, size)


def _known_text(prose: str, size: int, name: str) -> Work:
    """Choose a snippet of a text that is searched again and again."""
    text = next(_texts(prose, size))
    words = [word for word in prose[:20_000].split() if word.isalpha()]
    queries = (" ".join((word, words[-number % len(words)])) for number, word in enumerate(cycle(words)))

    def call(query: str) -> object:
        return bm25_snippet_with_stride(query, text)

    for query in islice(queries, 3):  # it is remembered from the second time on
        call(query)
    return Work(f"snippet of a known text, {name}", call, _batched(queries, max(1, BATCH_CHARACTERS // size)), size)


def _search(prose: str) -> Work:
    """Show the results of a search to a model that has seen nothing."""
    texts = _texts(prose, 1 << 12)

    def searches() -> Iterator[tuple[DocumentCache, list[dict[str, str]]]]:
        while True:
            yield DocumentCache(), [{"id": f"{n}", "content": text} for n, text in enumerate(islice(texts, RESULTS))]

    def call(search: tuple[DocumentCache, list[dict[str, str]]]) -> object:
        cache, results = search
        return cache.render_results(results, QUERY)

    return Work(f"results of a search, {RESULTS} x 4 K", call, _batched(searches(), 4), RESULTS << 12)


def _read(prose: str) -> Work:
    """Show a part of a document, and note that it was shown."""
    cache = DocumentCache()
    cache.add_document("document", {"content": next(_texts(prose, 1 << 16))})

    def call(start: int) -> object:
        view = cache.get_single_span_document_view("document", "content", (start, start + READ))
        rendered = view.render_xml()
        cache.update_seen(view)
        return rendered

    starts = chain.from_iterable(repeat(range(0, (1 << 16) - READ, 101)))
    return Work(f"read of {READ:,} characters", call, _batched(starts, 64), READ)


def _fork(prose: str) -> Work:
    """Fork what a model was shown of 200 documents."""
    cache = DocumentCache()
    texts = _texts(prose, 1 << 10)
    cache.render_results([{"id": f"{n}", "content": text} for n, text in enumerate(islice(texts, 200))], QUERY)
    return Work(f"fork into {FORKS}, 200 documents seen", cache.fork, _batched(repeat(FORKS), 16))


def _pure(seconds: float) -> dict[str, float] | None:
    """Time the pure backend, which only another process can use; tell and give nothing if that fails."""
    command = [sys.executable, "-m", "sid", "bench", "--json", "--seconds", str(seconds)]
    variables = {**os.environ, PURE_VARIABLE: "1"}
    _progress("the pure backend")
    try:
        child = subprocess.run(command, env=variables, stdout=subprocess.PIPE, check=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"sid bench: the pure backend could not be timed: {error}; run: sid doctor", file=sys.stderr)
        return None
    return {row["work"]: row["seconds"] for row in json.loads(child.stdout)["rows"]}


def _progress(name: str) -> None:
    if sys.stderr is not None and sys.stderr.isatty():
        print(f"timing: {name}", file=sys.stderr)


def _table(report: dict[str, Any]) -> str:
    rows = report["rows"]
    width = max(len(row["work"]) for row in rows)
    compared = "ratio" in rows[0]
    pure = f"  {'pure':>10}  {'ratio':>7}" if compared else ""
    lines = [f"{'work':<{width}}  {report['backend']:>10}  {'MB/s':>8}{pure}"]
    for row in rows:
        speed = f"{row['characters_per_second'] / 1e6:,.0f}" if "characters_per_second" in row else ""
        pure = f"  {_time(row['pure_seconds']):>10}  {row['ratio']:6,.1f}x" if compared else ""
        lines.append(f"{row['work']:<{width}}  {_time(row['seconds']):>10}  {speed:>8}{pure}")
    lines.append(
        f"\nsid-native {report['version']}, {report['backend']} backend, Python {report['python']}, "
        f"{report['machine']}, {report['processors']} processors. Times are medians of a call; a megabyte is a "
        "million characters."
    )
    return "\n".join(lines)


def _time(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f} µs" if seconds < 1e-3 else f"{seconds * 1e3:,.1f} ms"
