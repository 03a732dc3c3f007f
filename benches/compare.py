"""Compare this library's two backends with each other and with sid-sdk, in one process.

The comparison is run several times as a whole. A row's ratio is the median of the runs' ratios (see `measuring`).

Run, with Python 3.12 or later, NumPy and matplotlib, as::

    pip install --no-deps --target DIR sid-sdk==0.2.1
    python benches/compare.py --sid-sdk DIR --output build/benches

Without sid-sdk, the two backends are compared on any Python that this library supports.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from loading import PEER, PEER_VARIABLE, Implementation, load_own, load_peer, own_version, peer_version
from measuring import Effort, Invalid, Measurement, Row
from report import aligned, circumstances, circumstances_line, comparison, comparison_table
from rows import ROWS

__all__ = ["compare", "main"]


def compare(
    rows: Sequence[Row], implementations: Sequence[Implementation], effort: Effort, runs: int
) -> tuple[list[tuple[Row, list[Measurement]]], list[str]]:
    """Measure rows, all of them in each run.

    Returns
    -------
    measured
        Each valid row with its runs.
    failures
        Why the other rows are not valid.
    """
    measured: dict[str, list[Measurement]] = {row.work: [] for row in rows}
    failures: dict[str, str] = {}
    for run in range(1, runs + 1):
        for row in rows:
            if row.work in failures:
                continue
            print(f"run {run} of {runs}: {row.work} ...", file=sys.stderr, flush=True)
            try:
                measured[row.work].append(row.measure(implementations, effort))
            except (Invalid, AttributeError) as error:  # the second where an implementation lacks what is timed
                failures[row.work] = f"{row.work}: {type(error).__name__}: {error}"
                print(f"\n*** NOTHING IS SAID OF {failures[row.work]} ***\n", file=sys.stderr)
    valid = [(row, measured[row.work]) for row in rows if row.work not in failures]
    return valid, list(failures.values())


def _print(report: dict[str, Any]) -> None:
    print(aligned(comparison_table(report, runs=PEER in report["implementations"])))
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    print(f"\n{circumstances_line(report)}")
    print(f"{versions}; runs: {report['runs']}, rounds of each: {report['rounds']}; ratios are medians of the runs")
    unmet = [row["work"] for row in report["rows"] if row["met"] is False]
    if unmet:
        print(f"below its target: {'; '.join(unmet)}")


def _write(report: dict[str, Any], folder: Path) -> None:
    """Write ``results.json`` and, if sid-sdk was measured and matplotlib is there to draw it, ``speed.svg``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    if PEER not in report["implementations"]:
        return
    try:
        from chart import draw_speed
    except ModuleNotFoundError as error:
        print(f"no chart was drawn: {error}", file=sys.stderr)
    else:
        draw_speed(report, folder / "speed.svg")


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
    parser.add_argument("--runs", type=int, default=None, help="how often to compare everything (default: 3)")
    parser.add_argument("--rounds", type=int, default=None, help="how often each has its turn in a run (default: 11)")
    parser.add_argument("--quick", action="store_true", help="1 run of 3 short rounds: to see that all works")
    parser.add_argument("--filter", metavar="REGEX", default="", help="compare only the works whose names match")
    parser.add_argument("--output", type=Path, metavar="DIR", help="write results.json and speed.svg there")
    arguments = parser.parse_args()
    if arguments.runs is None:
        arguments.runs = 1 if arguments.quick else 3
    if arguments.rounds is None:
        arguments.rounds = 3 if arguments.quick else 11
    if arguments.runs < 1 or arguments.rounds < 1:
        parser.error("--runs and --rounds must be at least 1")
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
    effort = Effort(arguments.rounds, least=0.005 if arguments.quick else 0.02)
    measured, failures = compare(rows, implementations, effort, arguments.runs)
    report = {
        **circumstances(),
        "versions": versions,
        "implementations": [implementation.name for implementation in implementations],
        "runs": arguments.runs,
        "rounds": arguments.rounds,
        "failures": failures,
        "rows": comparison(measured),
    }
    _print(report)
    for failure in failures:
        print(f"NOT MEASURED: {failure}")
    if arguments.output is not None:
        _write(report, arguments.output)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
