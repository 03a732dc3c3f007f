"""Draw a comparison's results as an SVG: how many times faster than sid-sdk each work is.

Run as ``python benches/chart.py results.json chart.svg``; needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

__all__ = ["draw_speed"]

_REACHED = "#2a7f62"
_MISSED = "#d9822b"
_NO_TARGET = "#8a94a3"
_TICK = "#1f2933"

_LABEL_FACTOR = 2.2
"""What a number's width multiplies a place on the logarithmic axis by."""

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "sid",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
}


def draw_speed(results: dict[str, Any], path: Path) -> None:
    """Write the chart of a comparison's results, as `compare` writes them to ``results.json``.

    Raises
    ------
    ValueError
        If no work was compared with sid-sdk.
    """
    rows = [row for row in results["rows"] if row["ratio"] is not None]
    if not rows:
        raise ValueError("there is nothing to draw: no work was compared with sid-sdk")
    with matplotlib.rc_context(_STYLE):
        size = 8.6, 1.5 + 0.29 * len(rows)
        figure, axes = pyplot.subplots(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.15))
        _draw_rows(axes, rows)
        title = f"Speed over sid-sdk {results['versions']['sid-sdk']} (logarithmic; longer is faster)"
        axes.set_title(title, loc="left", fontsize=12, pad=30)
        _draw_legend(axes, rows)
        machine = results["machine"]
        axes.set_xlabel(
            f"{machine['cpu']}, {machine['cores']} cores · Python {machine['python']} · {machine['os']} · "
            f"{results['date']}",
            fontsize=8,
            color="#52606d",
            labelpad=8,
        )
        figure.savefig(path, format="svg", facecolor="white", metadata={"Date": None})
        pyplot.close(figure)


def _draw_rows(axes: Axes, rows: list[dict[str, Any]]) -> None:
    """Draw a bar from 1 to the ratio for each row, and a tick where it should reach."""
    ratios = [row["ratio"] for row in rows]
    for place, row in enumerate(rows):
        ratio, bar = row["ratio"], row["bar"]
        axes.barh(place, ratio - 1, left=1, height=0.62, color=_color(row))
        if bar is not None:
            axes.plot([bar, bar], [place - 0.42, place + 0.42], color=_TICK, linewidth=2, solid_capstyle="butt")
        # The number stands right of what is drawn, and past the tick if it would run into that.
        end = max(ratio, 1)
        if bar is not None and end < _LABEL_FACTOR * bar and bar < _LABEL_FACTOR * end:
            end = max(end, bar)
        axes.annotate(
            f"{ratio:.3g}x",
            (end, place),
            xytext=(5, 0),
            textcoords="offset points",
            verticalalignment="center",
        )
    axes.set_xscale("log")
    axes.set_xlim(min(0.8, *(0.8 * ratio for ratio in ratios)), 2 * max(*ratios, *(row["bar"] or 1 for row in rows)))
    axes.xaxis.set_major_formatter("{x:g}x")
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_yticks(range(len(rows)), [row["work"] for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#e4e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.axvline(1, color="#52606d", linewidth=1)


def _draw_legend(axes: Axes, rows: list[dict[str, Any]]) -> None:
    meanings = {_REACHED: "target reached", _MISSED: "target not reached", _NO_TARGET: "no target"}
    used = {_color(row) for row in rows}
    handles: list[Patch | Line2D] = [
        Patch(color=color, label=meaning) for color, meaning in meanings.items() if color in used
    ]
    handles.append(
        Line2D([], [], color=_TICK, linewidth=2, linestyle="none", marker="|", markersize=11, label="target")
    )
    axes.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=len(handles),
        frameon=False,
        borderaxespad=0.2,
        borderpad=0.2,
        handlelength=1.2,
        columnspacing=1.6,
    )


def _color(row: dict[str, Any]) -> str:
    if row["bar"] is None:
        return _NO_TARGET
    return _REACHED if row["met"] else _MISSED


def main() -> None:
    """Draw the chart that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=Path, help="results.json of a comparison")
    parser.add_argument("chart", type=Path, help="the SVG to write")
    arguments = parser.parse_args()
    draw_speed(json.loads(arguments.results.read_text(encoding="utf-8")), arguments.chart)


if __name__ == "__main__":
    main()
