"""Put the figures of a whole `make bench` into the README, between its two marks, and the charts into ``docs``.

Run as ``python benches/publish.py build/benches``. Nothing is written unless every row was measured and compared.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from pathlib import Path
from typing import Any

from governed import SERIES, governed_table
from growth import CURVES, growth_table
from loading import PEER
from memory import memory_table
from report import circumstances_line, comparison_table, markdown
from rows import ROWS

__all__ = ["BEGIN", "END", "block", "main", "replaced"]

BEGIN = "<!-- make bench writes from here -->"
END = "<!-- make bench writes to here -->"

_ROOT = Path(__file__).resolve().parent.parent
_WIDTH = 120
_CHARTS = ("speed.svg", "growth.svg", "governed.svg")


def block(speed: dict[str, Any], growth: dict[str, Any], memory: dict[str, Any], governed: dict[str, Any]) -> str:
    """Write what stands between the marks: all tables, each with when and on what it was measured.

    Raises
    ------
    ValueError
        If something was not measured, or not compared with sid-sdk.
    """
    _check("works", [row.work for row in ROWS], [row["work"] for row in speed["rows"]])
    _check("curves", [curve.work for curve in CURVES], [curve["work"] for curve in growth["curves"]])
    for name, report in (("works", speed), ("curves", growth)):
        if PEER not in report["implementations"]:
            raise ValueError(f"the {name} were not compared with {PEER}")
    paragraphs = (
        _prose(
            f"Speed, {circumstances_line(speed)}, {PEER} {speed['versions'][PEER]}. Times are medians per call; the "
            f"ratio is the median of {speed['runs']} whole runs. The row of threads compares two threads with one."
        ),
        markdown(comparison_table(speed, runs=False)),
        "![Speed over sid-sdk, by work](docs/speed.svg)",
        _prose(
            f"Growth, {circumstances_line(growth)}. The exponent is the slope of a line through the logarithms: 1 "
            "where time is proportional to size, 0 where it does not depend on it."
        ),
        markdown(growth_table(growth)),
        "![Time by size, for each work](docs/growth.svg)",
        _prose(
            f"Memory, {circumstances_line(memory)}. What is accounted holds an analysis with all that may still be "
            "found out of it and, against a budget, the texts kept alive; what is resident is how much larger the "
            "process grew, texts left out."
        ),
        markdown(memory_table(memory)),
        _prose(
            f"A governed question, {circumstances_line(governed)}. First {SERIES['store']}; then {SERIES['eligible']}. "
            "Time is the median of a question."
        ),
        markdown(governed_table(governed)),
        "![What a governed question costs](docs/governed.svg)",
    )
    return "\n\n".join(paragraphs)


def _prose(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_on_hyphens=False)


def _check(what: str, wanted: list[str], measured: list[str]) -> None:
    missing = [name for name in wanted if name not in measured]
    if missing:
        raise ValueError(f"not all {what} were measured: {'; '.join(missing)}")


def replaced(text: str, between: str) -> str:
    r"""Replace what stands between the marks of a text.

    Raises
    ------
    ValueError
        If the text does not have the marks, once each and in their order.

    Examples
    --------
    >>> replaced(f"{BEGIN} old {END} after", "new") == f"{BEGIN}\n\nnew\n\n{END} after"
    True
    """
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end or BEGIN in rest or END in before + after:
        raise ValueError(f"there must be one {BEGIN} and then one {END}")
    return f"{before}{BEGIN}\n\n{between}\n\n{END}{after}"


def main() -> None:
    """Publish what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=Path, help="where the reports and the charts are")
    results: Path = parser.parse_args().results
    readme = _ROOT / "README.md"
    try:
        reports = [
            json.loads((results / f"{name}.json").read_text(encoding="utf-8"))
            for name in ("results", "growth", "memory", "governed")
        ]
        charts = [(results / name).read_bytes() for name in _CHARTS]
        text = replaced(readme.read_text(encoding="utf-8"), block(*reports))
    except (OSError, ValueError) as error:
        raise SystemExit(f"nothing is published: {error}") from error
    for name, chart in zip(_CHARTS, charts, strict=True):
        (_ROOT / "docs" / name).write_bytes(chart)
    readme.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
