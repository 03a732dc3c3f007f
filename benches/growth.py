"""Measure how times grow, and with which exponent.

For each curve the sizes take turns, so that a change of the machine's speed touches them all. The exponent is the
slope of a straight line through the logarithms of size and time, by least squares: 1 where time is proportional to
size, 0 where it does not depend on it.

Run as ``python benches/growth.py --output build/benches``, with sid-sdk as for ``compare.py``.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import works
from loading import NATIVE, PEER_VARIABLE, Implementation, load_own, load_peer
from measuring import Effort, Timed, batches_for, collected, forget, timed
from report import aligned, circumstances, duration, short, verdict

__all__ = ["CURVES", "Curve", "exponent", "growth_table", "main", "measure"]

_PATIENCE = 2.0
"""Seconds of timed work after which an implementation sits out the remaining rounds of a size."""

_LENGTHS = tuple(1 << power for power in range(12, 25, 2))
"""From 4 K to 16 M."""

_ROOM = 256 << 20
"""Bytes in which all texts of a curve can be remembered."""


@dataclass(frozen=True)
class Curve:
    """How the time of a work grows with something.

    Attributes
    ----------
    work
        What is done.
    axis
        What grows.
    sizes
        Its values.
    bound
        The largest exponent that the native backend may have.
    why
        What that stands for.
    make
        Makes the work for an implementation and a size.
    """

    work: str
    axis: str
    sizes: Sequence[int]
    bound: float
    why: str
    make: Callable[[Implementation, int], Timed]


def _shuffled(implementation: Implementation, size: int) -> Timed:
    return works.cold_shuffled(implementation, "ja", size)


def _matches(implementation: Implementation, matches: int) -> Timed:
    return works.warm_matches(implementation, 200_000, matches)


def _fork(implementation: Implementation, documents: int) -> Timed:
    return works.fork(implementation, forks=8, documents=documents, spans=1)


CURVES = (
    Curve("cold snippet, English", "code points", _LENGTHS, 1.05, "linear", works.cold_english),
    Curve("cold snippet, ja", "code points", _LENGTHS, 1.05, "linear", _shuffled),
    Curve("warm apply_snippet, English", "code points", _LENGTHS, 1.05, "linear at most", works.warm_snippet),
    Curve(
        "warm apply_snippet, 200,000 tokens",
        "matches",
        (1, 10, 100, 1_000, 10_000, 100_000),
        1.05,
        "linear at most",
        _matches,
    ),
    Curve("fork(8)", "documents with a seen span", (25, 100, 400, 1_600, 6_400), 0.1, "independent", _fork),
    Curve(
        "update_seen",
        "spans held",
        (250, 1_000, 4_000, 16_000, 64_000),
        0.2,
        "logarithmic",
        works.update_seen,
    ),
)
"""What is measured. The time of logarithmic growth over these sizes has an exponent of 0.12."""


def exponent(points: Sequence[tuple[int, float]]) -> float:
    """Give the slope of the logarithm of the second over that of the first numbers, by least squares.

    Examples
    --------
    >>> round(exponent([(10, 5.0), (100, 500.0), (1000, 50000.0)]), 3)
    2.0
    """
    sizes, times = zip(*points, strict=True)
    return statistics.linear_regression([math.log(size) for size in sizes], [math.log(time) for time in times]).slope


def measure(curve: Curve, implementations: Sequence[Implementation], effort: Effort) -> dict[str, Any]:
    """Measure a curve; give it as a JSON object, with the median times in seconds per call."""
    forget(implementations)
    tasks = {(each.name, size): curve.make(each, size) for size in curve.sizes for each in implementations}
    by_name = {implementation.name: implementation for implementation in implementations}
    samples: dict[tuple[str, int], list[float]] = {place: [] for place in tasks}
    with collected():
        batches = {place: batches_for(task, by_name[place[0]], effort.least) for place, task in tasks.items()}
        for _ in range(effort.rounds):
            for place, task in tasks.items():
                calls = batches[place] * task.batch
                if sum(samples[place]) * calls < _PATIENCE:
                    samples[place].append(timed(task, by_name[place[0]], batches[place]) / calls)
    series = {
        name: [(size, statistics.median(samples[name, size])) for size in curve.sizes]
        for name in (implementation.name for implementation in implementations)
    }
    found = exponent(series[NATIVE])
    return {
        "work": curve.work,
        "axis": curve.axis,
        "expected": curve.why,
        "bound": curve.bound,
        "exponents": {name: round(exponent(points), 3) for name, points in series.items()},
        "met": found <= curve.bound,
        "seconds": {name: [(size, short(time)) for size, time in points] for name, points in series.items()},
    }


def growth_table(report: dict[str, Any]) -> list[list[str]]:
    """Give the cells of the table of exponents, its head first."""
    names = report["implementations"]
    head = ["time of", "against", "from", "to", "first", "last", *(f"exponent, {name}" for name in names)]
    table = [[*head, "expected", "met"]]
    for curve in report["curves"]:
        (least, first), *_, (most, last) = curve["seconds"][NATIVE]
        exponents = [f"{curve['exponents'][name]:z.2f}" for name in names]
        expected = f"{curve['expected']}: <= {curve['bound']:g}"
        ends = [f"{least:,}", f"{most:,}", duration(first), duration(last)]
        table.append([curve["work"], curve["axis"], *ends, *exponents, expected, verdict(curve["met"])])
    return table


def main() -> int:
    """Measure all curves; give the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--sid-sdk", type=Path, metavar="DIR", default=os.environ.get(PEER_VARIABLE) or None, help="as of compare.py"
    )
    parser.add_argument("--rounds", type=int, default=7, help="how often each size has its turn (default: 7)")
    parser.add_argument("--output", type=Path, metavar="DIR", help="write growth.json and growth.svg there")
    arguments = parser.parse_args()
    native = next(each for each in load_own() if each.name == NATIVE)
    native.analysis_cache.resize(_ROOM)
    implementations = [native, *([] if arguments.sid_sdk is None else [load_peer(arguments.sid_sdk)])]
    curves = []
    for curve in CURVES:
        print(f"{curve.work} against {curve.axis} ...", file=sys.stderr, flush=True)
        curves.append(measure(curve, implementations, Effort(arguments.rounds, least=0.01)))
    names = [implementation.name for implementation in implementations]
    report = {**circumstances(), "implementations": names, "rounds": arguments.rounds, "curves": curves}
    print(aligned(growth_table(report)))
    if arguments.output is not None:
        arguments.output.mkdir(parents=True, exist_ok=True)
        (arguments.output / "growth.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        try:
            from chart import draw_growth
        except ModuleNotFoundError as error:
            print(f"no chart was drawn: {error}", file=sys.stderr)
        else:
            draw_growth(report, arguments.output / "growth.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
