"""Results as JSON and as tables."""

from __future__ import annotations

import os
import platform
import re
import statistics
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from loading import PEER
from measuring import Measurement, Row

__all__ = [
    "aligned",
    "circumstances",
    "circumstances_line",
    "comparison",
    "comparison_table",
    "duration",
    "markdown",
    "short",
    "verdict",
]

_UNITS = (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9))


def circumstances() -> dict[str, Any]:
    """Tell when and on what was measured, without naming the machine."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "machine": {
            "cpu": _cpu_model() or platform.machine(),
            "cores": os.cpu_count(),
            "python": f"{platform.python_version()} ({platform.python_implementation()})",
            "os": f"{platform.system()} {platform.machine()}",
        },
    }


def _cpu_model() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", information.read_text(encoding="utf-8"), re.MULTILINE)
        return found[1].strip() if found else ""
    return platform.processor()


def circumstances_line(report: dict[str, Any]) -> str:
    """Tell in a line when and on what a report was measured."""
    machine = report["machine"]
    return (
        f"{machine['cpu']}, {machine['cores']} cores · Python {machine['python']} · {machine['os']} · {report['date']}"
    )


def comparison(rows: Sequence[tuple[Row, Sequence[Measurement]]]) -> list[dict[str, Any]]:
    """Put the runs of each row into one JSON object; numbers have four digits."""
    return [_row(row, runs) for row, runs in rows]


def _row(row: Row, runs: Sequence[Measurement]) -> dict[str, Any]:
    ratios = [statistics.median(run.ratios) for run in runs if run.ratios]
    ratio = statistics.median(ratios) if ratios else None
    values = {name: short(statistics.median(run.values[name] for run in runs)) for name in runs[0].values}
    return {
        "work": row.work,
        "over": row.over,
        "bar": row.bar,
        "ratio": None if ratio is None else short(ratio),
        "met": None if ratio is None or row.bar is None else ratio >= row.bar,
        "runs": [short(each) for each in ratios],
        "unit": row.unit,
        "values": values,
        "rounds": [[short(each) for each in run.ratios] for run in runs],
    }


def short(value: float) -> float:
    """Round to four digits."""
    return float(f"{value:.4g}")


def comparison_table(report: dict[str, Any], *, runs: bool) -> list[list[str]]:
    """Give the cells of a comparison's table, its head first.

    Parameters
    ----------
    report
        What `compare` writes to ``results.json``.
    runs
        Whether to show each run's ratio.
    """
    names = report["implementations"]
    compared = PEER in names
    head = ["work", *names, "native over sid-sdk", *(["runs"] if runs else []), "target", "met"]
    table = [head]
    for row in report["rows"]:
        values = [_value(row["values"][name], row["unit"]) for name in names]
        ratios = [_times(row["ratio"]), *([" / ".join(f"{each:.3g}" for each in row["runs"])] if runs else [])]
        table.append([row["work"], *values, *ratios, _times(row["bar"]), verdict(row["met"])])
    return table if compared else [line[: 1 + len(names)] for line in table]


def _value(value: float, unit: str) -> str:
    return duration(value) if unit == "s" else _times(value)


def _times(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.3g}x"


def verdict(met: bool | None) -> str:
    """Say whether a bar was reached, if there is one."""
    return "-" if met is None else "yes" if met else "NO"


def duration(seconds: float) -> str:
    """Write a time to three digits."""
    unit, size = next((each for each in _UNITS if abs(seconds) >= 0.9995 * each[1]), _UNITS[-1])
    return f"{seconds / size:#.3g}".rstrip(".") + f" {unit}"


def aligned(table: Sequence[Sequence[str]]) -> str:
    """Write a table, whose head comes first, in columns of equal width."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [
        "  ".join(cell.rjust(width) if place else cell.ljust(width) for place, (cell, width) in enumerate(cells))
        for cells in (zip(line, widths, strict=True) for line in table)
    ]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def markdown(table: Sequence[Sequence[str]]) -> str:
    """Write a table, whose head comes first, in Markdown."""
    lines = [f"| {' | '.join(line)} |" for line in table]
    return "\n".join([lines[0], f"|{' --- |' * len(table[0])}", *lines[1:]])
