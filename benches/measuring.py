"""How works are measured: by turns, so that a change of the machine's speed touches all implementations.

In each round every implementation does the same work, and the ratio of a round is formed from times that lie next to
each other. The result of a run is the median of its rounds' ratios. Before a work is timed, all implementations must
come to the same result on its inputs; while it is timed, texts must be as new, or as well remembered, as it says.
"""

from __future__ import annotations

import gc
import math
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

from loading import NATIVE, PEER, PURE, Implementation
from works import Asks, Columns, Task

__all__ = [
    "DifferentResults",
    "Effort",
    "Invalid",
    "Measurement",
    "Row",
    "ThreadsRow",
    "Timed",
    "WrongMemory",
    "batches_for",
    "collected",
    "forget",
    "timed",
]

_ORDERS = ((NATIVE, PEER, PURE), (PEER, NATIVE, PURE))
"""Who is timed after whom, by turns. The two of which the ratio is formed always follow one another."""

_PATIENCE = 6.0
"""Seconds of timed work after which an implementation sits out the remaining rounds of a row."""


class Timed(Protocol):
    """What is timed: `works.Task`, and others that time themselves."""

    batch: int
    asks: Asks | None

    def seconds(self, batches: int) -> float:
        """Time so many batches of calls."""

    def outcomes(self) -> list[Any]:
        """Give what a batch of calls leads to."""


class Invalid(Exception):
    """A row's times would mean nothing."""


class DifferentResults(Invalid):
    """Implementations came to different results."""


class WrongMemory(Invalid):
    """Texts that were to be new were remembered, or the other way round."""


@dataclass(frozen=True)
class Effort:
    """How long to measure.

    Attributes
    ----------
    rounds
        How often each implementation has its turn, at most.
    least
        How many seconds a turn lasts, at least.
    """

    rounds: int
    least: float


@dataclass(frozen=True)
class Measurement:
    """What one run measured for a row.

    Attributes
    ----------
    values
        By implementation the median of all rounds: seconds per call, or what the row measures instead.
    ratios
        What is held against the bar, by round; empty if it could not be formed.
    """

    values: Mapping[str, float]
    ratios: Sequence[float]


@dataclass(frozen=True)
class Row:
    """A row of the table: a work of which the native backend's speed over sid-sdk's is wanted.

    Attributes
    ----------
    work
        What is done.
    bar
        How many times faster it should be, if that is set.
    make
        Makes the work for an implementation.
    """

    work: str
    bar: float | None
    make: Callable[[Implementation], Timed]

    unit = "s"
    """Of the values: seconds, or ``x`` for a ratio."""

    over = PEER
    """What the ratio is over."""

    def measure(self, implementations: Sequence[Implementation], effort: Effort) -> Measurement:
        """Measure the row once.

        Raises
        ------
        Invalid
            If times would mean nothing.
        """
        forget(implementations)
        by_name = {implementation.name: implementation for implementation in implementations}
        tasks = {name: self.make(implementation) for name, implementation in by_name.items()}
        _check(tasks)
        samples: dict[str, list[float]] = {name: [] for name in tasks}
        with collected():
            batches = {name: batches_for(task, by_name[name], effort.least) for name, task in tasks.items()}
            spent = dict.fromkeys(tasks, 0.0)
            for turn in range(effort.rounds):
                for name in _ORDERS[turn % len(_ORDERS)]:
                    if name in tasks and spent[name] < _PATIENCE:
                        seconds = timed(tasks[name], by_name[name], batches[name])
                        spent[name] += seconds
                        samples[name].append(seconds / (batches[name] * tasks[name].batch))
        # A sample can be nothing only where something was subtracted from it.
        pairs = zip(samples.get(PEER, []), samples[NATIVE], strict=False)
        ratios = [peer / native for peer, native in pairs if peer > 0 and native > 0]
        return Measurement({name: statistics.median(each) for name, each in samples.items()}, ratios)


@dataclass(frozen=True)
class ThreadsRow(Row):
    """A row of which the native backend's throughput with several threads over that with one is wanted.

    Attributes
    ----------
    make
        Makes the work of one thread, which must be new to the thread each time.
    threads
        How many.
    """

    make: Callable[[Implementation], Task]
    threads: int = 2

    unit = "x"
    over = "one thread"

    def measure(self, implementations: Sequence[Implementation], effort: Effort) -> Measurement:
        """Measure the row once.

        Raises
        ------
        Invalid
            If times would mean nothing.
        """
        forget(implementations)
        tasks = {implementation.name: self.make(implementation) for implementation in implementations}
        _check(tasks)
        gains: dict[str, list[float]] = {name: [] for name in tasks}
        with collected():
            spent = dict.fromkeys(tasks, 0.0)
            batches = {each.name: batches_for(tasks[each.name], each, 2 * effort.least) for each in implementations}
            for turn in range(effort.rounds):
                for implementation in implementations:
                    name = implementation.name
                    if spent[name] >= _PATIENCE:
                        continue
                    seconds = {}
                    for threads in (1, self.threads) if turn % 2 else (self.threads, 1):
                        with _remembering(tasks[name], implementation, threads * batches[name]):
                            seconds[threads] = _threaded(tasks[name], threads, batches[name])
                    gains[name].append(self.threads * seconds[1] / seconds[self.threads])
                    spent[name] += sum(seconds.values())
        return Measurement({name: statistics.median(each) for name, each in gains.items()}, gains[NATIVE])


def timed(task: Timed, implementation: Implementation, batches: int) -> float:
    """Time so many batches of calls, and see that texts are as remembered as the work says.

    Raises
    ------
    WrongMemory
        If they are not.
    """
    with _remembering(task, implementation, batches):
        return task.seconds(batches)


def batches_for(task: Timed, implementation: Implementation, least: float) -> int:
    """Find how many batches a turn must have to last so many seconds."""
    batches = 1
    while (seconds := timed(task, implementation, batches)) < least / 4:
        batches *= 2
    return max(1, math.ceil(batches * least / seconds))


def forget(implementations: Sequence[Implementation]) -> None:
    """Let all forget the texts that they remember."""
    for implementation in implementations:
        if implementation.analysis_cache is not None:
            implementation.analysis_cache.clear()


@contextmanager
def collected() -> Iterator[None]:
    """Collect garbage now, and then not for a while."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _check(tasks: Mapping[str, Timed]) -> None:
    """Let all do a batch, and compare."""
    (first, expected), *others = [(name, task.outcomes()) for name, task in tasks.items()]
    for name, got in others:
        for number, (one, other) in enumerate(zip(expected, got, strict=True)):
            if one != other:
                raise DifferentResults(f"call {number}: {first} gives {one!r:.300}, {name} gives {other!r:.300}")


@contextmanager
def _remembering(task: Timed, implementation: Implementation, batches: int) -> Iterator[None]:
    """See that so many batches find their texts remembered, or do not, as the work says."""
    if task.asks is None or implementation.analysis_cache is None:
        yield
        return
    before = implementation.analysis_cache.info()
    yield
    after = implementation.analysis_cache.info()
    texts = batches * task.batch * task.asks.texts
    expected = (texts, 0) if task.asks.warm else (0, texts)
    found = after.hits - before.hits, after.misses - before.misses
    if found != expected:
        raise WrongMemory(
            f"{implementation.name}: of {texts} texts {found[0]} were remembered and {found[1]} were not, "
            f"but {expected[0]} and {expected[1]} should have been"
        )


def _threaded(task: Task, threads: int, batches: int) -> float:
    """Time so many threads, each of which does so many batches of its own."""
    inputs = [[task.inputs() for _ in range(batches)] for _ in range(threads)]
    errors: list[BaseException] = []
    start = threading.Barrier(threads + 1)

    def work(own: Sequence[Columns]) -> None:
        start.wait()
        try:
            for columns in own:
                task.run(columns)
        except BaseException as error:
            errors.append(error)

    workers = [threading.Thread(target=work, args=(own,)) for own in inputs]
    for worker in workers:
        worker.start()
    start.wait()
    begin = time.perf_counter()
    for worker in workers:
        worker.join()
    seconds = time.perf_counter() - begin
    if errors:
        raise errors[0]
    return seconds
