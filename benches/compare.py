"""Compare this library's two backends with each other and with sid-sdk, in one process.

Implementations take turns: in each round every one of them does the same work, and the ratio of a round is formed from
times that lie next to each other, so that a change of the machine's speed touches both. The result is the median of
the rounds' ratios. Before a work is timed, all implementations must come to the same result on its inputs.

Run, with Python 3.12 or later, NumPy and matplotlib, as::

    pip install --no-deps --target DIR sid-sdk==0.2.1
    python benches/compare.py --sid-sdk DIR --output build/benches

Without sid-sdk, the two backends are compared on any Python that this library supports.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import works
from loading import NATIVE, PEER, PEER_VARIABLE, PURE, Implementation, load_own, load_peer, own_version, peer_version
from texts import QUERIES, shuffled

__all__ = ["ROWS", "Row", "compare", "main"]

_PATIENCE = 6.0
"""Seconds of timed work after which an implementation sits out the remaining rounds of a row."""


_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))

_ORDERS = ((NATIVE, PEER, PURE), (PEER, NATIVE, PURE))
"""Who is timed after whom, by turns. The two of which the ratio is formed always follow one another."""


class Timed(Protocol):
    """What is compared: `works.Task`, and others that time themselves."""

    batch: int

    def seconds(self, batches: int) -> float:
        """Time so many batches of calls."""

    def outcomes(self) -> list[Any]:
        """Give what a batch of calls leads to."""


@dataclass(frozen=True)
class Row:
    """A row of the table.

    Attributes
    ----------
    work
        What is done.
    bar
        How many times faster than sid-sdk it should be, if that is set.
    make
        Makes the work for an implementation.
    """

    work: str
    bar: float | None
    make: Callable[[Implementation], Timed]


@dataclass
class Measurement:
    """What was measured for a row: by implementation, the seconds per call of each round."""

    row: Row
    seconds: dict[str, list[float]] = field(default_factory=dict)

    @property
    def ratios(self) -> list[float]:
        """How many times faster than sid-sdk the native backend was, by round."""
        # A sample can be nothing only where something was subtracted from it.
        pairs = zip(self.seconds.get(PEER, []), self.seconds.get(NATIVE, []), strict=False)
        return [peer / native for peer, native in pairs if peer > 0 and native > 0]

    @property
    def ratio(self) -> float | None:
        """The median of the ratios."""
        return statistics.median(self.ratios) if self.ratios else None

    @property
    def met(self) -> bool | None:
        """Whether the bar was reached, if there is one and sid-sdk was measured."""
        return None if self.ratio is None or self.row.bar is None else self.ratio >= self.row.bar


class ImportTime:
    """The time that ``import sid`` adds to the start of an interpreter."""

    batch = 1
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


def _cold_shuffled(language: str, implementation: Implementation) -> works.Task:
    texts = [shuffled(language, 1 << 16, part) for part in range(4)]
    return works.cold_snippet(implementation, texts, QUERIES[language], "generic")


ROWS = (
    Row("cold snippet, English, 200", None, partial(works.cold_english, size=200)),
    Row("cold snippet, English, 1 K", 10, partial(works.cold_english, size=1 << 10)),
    Row("cold snippet, English, 4 K", 15, partial(works.cold_english, size=1 << 12)),
    Row("cold snippet, English, 64 K", 20, partial(works.cold_english, size=1 << 16)),
    Row("cold snippet, English, 1 M", 20, partial(works.cold_english, size=1 << 20)),
    Row(
        "cold snippet, English, curly quotes, 64 K",
        None,
        partial(works.cold_english, size=1 << 16, ascii_only=False),
    ),
    *(Row(f"cold snippet, {language}, 64 K", 8, partial(_cold_shuffled, language)) for language in QUERIES),
    Row("warm apply_snippet, 4 K", 20, partial(works.warm_snippet, size=1 << 12)),
    Row("warm apply_snippet, 64 K", 150, partial(works.warm_snippet, size=1 << 16)),
    Row("render_xml of a snippet view", 3, works.render_xml),
    Row("add_document, small documents", 5, works.add_document),
    Row("whole loop, drop-in methods, 4 K", 10, partial(works.whole_loop, size=1 << 12)),
    Row("whole loop, render_results, 16 x 4 K", 18, partial(works.render_results, results=16, size=1 << 12)),
    Row("fork(8), 200 documents of 1 span each", 50, partial(works.fork, forks=8, documents=200, spans=1)),
    Row("fork(8), 200 documents of 100 spans each", 50, partial(works.fork, forks=8, documents=200, spans=100)),
    Row("update_seen, 2,000 spans held", 50, partial(works.update_seen, held=2000)),
    Row("IdStream[i]", 15, works.id_at),
    Row("IdStream.take(100,000)", 60, partial(works.take, number=100_000)),
    Row("import sid", 1, ImportTime),
)
"""What is compared. Sizes are in code points, K and M are powers of 1,024."""


class DifferentResults(Exception):
    """Implementations came to different results, so that their times mean nothing."""


def compare(row: Row, implementations: Sequence[Implementation], rounds: int, least: float) -> Measurement:
    """Measure a row.

    Parameters
    ----------
    row
        The row.
    implementations
        The implementations to compare.
    rounds
        How often each has its turn, at most.
    least
        How many seconds a turn lasts, at least.

    Raises
    ------
    DifferentResults
        If they do not all do the same.
    """
    tasks = {implementation.name: row.make(implementation) for implementation in implementations}
    _check(tasks)
    measurement = Measurement(row, {name: [] for name in tasks})
    gc.collect()
    gc.disable()
    try:
        batches = {name: _batches(task, least) for name, task in tasks.items()}
        spent = dict.fromkeys(tasks, 0.0)
        for turn in range(rounds):
            for name in _ORDERS[turn % len(_ORDERS)]:
                if name in tasks and spent[name] < _PATIENCE:
                    seconds = tasks[name].seconds(batches[name])
                    spent[name] += seconds
                    measurement.seconds[name].append(seconds / (batches[name] * tasks[name].batch))
    finally:
        gc.enable()
    return measurement


def _check(tasks: dict[str, Timed]) -> None:
    """Let all do a batch, and compare."""
    (first, expected), *others = [(name, task.outcomes()) for name, task in tasks.items()]
    for name, got in others:
        for number, (one, other) in enumerate(zip(expected, got, strict=True)):
            if one != other:
                raise DifferentResults(f"call {number}: {first} gives {one!r:.300}, {name} gives {other!r:.300}")


def _batches(task: Timed, least: float) -> int:
    """Find how many batches a turn must have to last long enough."""
    batches = 1
    while (seconds := task.seconds(batches)) < least / 4:
        batches *= 2
    return max(1, math.ceil(batches * least / seconds))


def _machine() -> dict[str, Any]:
    """Describe the machine without naming it."""
    return {
        "cpu": _cpu_model() or platform.machine(),
        "cores": os.cpu_count(),
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "os": f"{platform.system()} {platform.machine()}",
    }


def _cpu_model() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", information.read_text(encoding="utf-8"), re.MULTILINE)
        return found[1].strip() if found else ""
    return platform.processor()


def _report(
    measurements: Sequence[Measurement], versions: dict[str, str], names: Sequence[str], rounds: int
) -> dict[str, Any]:
    """Put everything into one JSON object; times are in seconds per call, to four digits."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": _machine(),
        "versions": versions,
        "implementations": list(names),
        "rounds": rounds,
        "rows": [
            {
                "work": measurement.row.work,
                "bar": measurement.row.bar,
                "ratio": None if measurement.ratio is None else _short(measurement.ratio),
                "met": measurement.met,
                "ratios": [_short(ratio) for ratio in measurement.ratios],
                "seconds": {name: _short(statistics.median(each)) for name, each in measurement.seconds.items()},
            }
            for measurement in measurements
        ],
    }


def _short(value: float) -> float:
    return float(f"{value:.4g}")


def _table(report: dict[str, Any]) -> str:
    """Write a report as an aligned table."""
    names = report["implementations"]
    lines = [["work", *names, "native over sid-sdk", "bar", "met"]]
    lines += [
        [
            row["work"],
            *(_duration(row["seconds"][name]) for name in names),
            "-" if row["ratio"] is None else f"{row['ratio']:.3g}x",
            "-" if row["bar"] is None else f"{row['bar']:g}x",
            {True: "yes", False: "NO", None: "-"}[row["met"]],
        ]
        for row in report["rows"]
    ]
    if PEER not in names:
        lines = [line[: 1 + len(names)] for line in lines]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    aligned = [
        "  ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells))
        for cells in (zip(line, widths, strict=True) for line in lines)
    ]
    aligned.insert(1, "-" * len(aligned[0]))
    machine = report["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    aligned += [
        "",
        f"{machine['cpu']}, {machine['cores']} cores, Python {machine['python']}, {machine['os']}",
        f"{report['date']}, {versions}, {report['rounds']} rounds; times are medians per call",
    ]
    return "\n".join(aligned)


def _duration(seconds: float) -> str:
    unit, size = next((each for each in _UNITS if abs(seconds) >= 0.9995 * each[1]), _UNITS[-1])
    return f"{seconds / size:#.3g}".rstrip(".") + f" {unit}"


def _write(report: dict[str, Any], folder: Path) -> None:
    """Write ``results.json`` and, if there is something to draw and matplotlib to draw it, ``chart.svg``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if all(row["ratio"] is None for row in report["rows"]):
        return
    try:
        from chart import draw
    except ModuleNotFoundError as error:
        print(f"no chart was drawn: {error}", file=sys.stderr)
    else:
        draw(report, folder / "chart.svg")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--sid-sdk",
        type=Path,
        metavar="DIR",
        default=os.environ.get(PEER_VARIABLE) or None,
        help=f"where sid-sdk was unpacked with `pip install --no-deps --target DIR sid-sdk==0.2.1` "
        f"(default: the environment variable {PEER_VARIABLE})",
    )
    parser.add_argument("--rounds", type=int, default=None, help="how often each has its turn (default: 11)")
    parser.add_argument("--quick", action="store_true", help="3 short rounds: to see that all works, not to publish")
    parser.add_argument("--filter", metavar="REGEX", default="", help="compare only the works whose names match")
    parser.add_argument("--output", type=Path, metavar="DIR", help="write results.json and chart.svg there")
    arguments = parser.parse_args()
    if arguments.rounds is None:
        arguments.rounds = 3 if arguments.quick else 11
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    return arguments


def main() -> int:
    """Compare what the command line asks for; give the exit status."""
    arguments = _arguments()
    implementations = load_own()
    versions = {"sid-native": own_version()}
    if arguments.sid_sdk is None:
        print(
            f"\n*** sid-sdk IS MISSING: nothing is compared with it. Unpack it and give its folder with --sid-sdk or "
            f"{PEER_VARIABLE}. ***\n",
            file=sys.stderr,
        )
    else:
        implementations.append(load_peer(arguments.sid_sdk))
        versions[PEER] = peer_version(arguments.sid_sdk)
    rows = [row for row in ROWS if re.search(arguments.filter, row.work, re.IGNORECASE)]
    if not rows:
        raise SystemExit(f"no work matches {arguments.filter!r}")
    measurements = []
    differing = 0
    for row in rows:
        print(f"{row.work} ...", file=sys.stderr, flush=True)
        try:
            measurements.append(
                compare(row, implementations, arguments.rounds, least=0.005 if arguments.quick else 0.02)
            )
        except DifferentResults as error:
            differing += 1
            print(f"\n*** RESULTS DIFFER, nothing is timed: {error} ***\n", file=sys.stderr)
    report = _report(measurements, versions, [each.name for each in implementations], arguments.rounds)
    print(_table(report))
    if arguments.output is not None:
        _write(report, arguments.output)
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
