"""Draw results as SVG: how many times faster than sid-sdk each work is, and how times grow. Needs matplotlib."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from loading import NATIVE, PEER
from report import circumstances_line, duration

__all__ = ["draw_governed", "draw_growth", "draw_speed"]

_REACHED = "#2a7f62"
_MISSED = "#d9822b"
_NO_TARGET = "#8a94a3"
_TICK = "#1f2933"
_QUIET = "#52606d"

_COLUMNS = 2
"""Growth curves side by side."""

_NAME_SHARE = 0.22
"""What part of a growth curve's width is added for names."""

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
        axes.set_xlabel(circumstances_line(results), fontsize=8, color=_QUIET, labelpad=8)
        _save(figure, path)


def draw_growth(results: dict[str, Any], path: Path) -> None:
    """Write the chart of growth curves, as `growth` writes them to ``growth.json``."""
    curves = results["curves"]
    rows = math.ceil(len(curves) / _COLUMNS)
    with matplotlib.rc_context(_STYLE):
        figure, grid = pyplot.subplots(
            rows, _COLUMNS, figsize=(8.6, 1 + 2.6 * rows), squeeze=False, layout=ConstrainedLayoutEngine(hspace=0.08)
        )
        figure.suptitle("How times grow (logarithmic; flatter is better)", x=0.01, ha="left", fontsize=12)
        for axes, curve in zip(grid.flat, curves, strict=False):
            _draw_curve(axes, curve)
        for axes in grid.flat[len(curves) :]:
            axes.set_axis_off()
        figure.supxlabel(circumstances_line(results), fontsize=8, color=_QUIET)
        _save(figure, path)


def draw_governed(results: dict[str, Any], titles: dict[str, str], path: Path) -> None:
    """Write the chart of what a question costs, as `governed` writes it to ``governed.json``."""
    axis_names = {"store": ("versions", "versions stored"), "eligible": ("eligible", "versions that the asker may see")}
    with matplotlib.rc_context(_STYLE):
        figure, grid = pyplot.subplots(
            1, 2, figsize=(8.6, 3.4), sharey=True, layout=ConstrainedLayoutEngine(wspace=0.08)
        )
        figure.suptitle("What a governed question costs (logarithmic)", x=0.01, ha="left", fontsize=12)
        for axes, (name, rows) in zip(grid.flat, results["series"].items(), strict=True):
            key, label = axis_names[name]
            axes.plot(
                [row[key] for row in rows],
                [row["seconds"] for row in rows],
                color=_REACHED,
                linewidth=1.8,
                marker="o",
                markersize=3.5,
            )
            _time_by_size(axes)
            axes.set_ylim(1e-3, 1)
            axes.set_title(titles[name], loc="left", fontsize=9.5)
            axes.set_xlabel(label, fontsize=8)
        figure.supxlabel(circumstances_line(results), fontsize=8, color=_QUIET)
        _save(figure, path)


def _draw_curve(axes: Axes, curve: dict[str, Any]) -> None:
    """Draw each implementation's times by size, named where its line ends, with its exponent."""
    most = max(size for size, _ in curve["seconds"][NATIVE])
    for name, points in curve["seconds"].items():
        color = _NO_TARGET if name == PEER else _REACHED if curve["met"] else _MISSED
        axes.plot(*zip(*points, strict=True), color=color, linewidth=1.8, marker="o", markersize=3.5)
        axes.annotate(
            f"{name}\n{curve['exponents'][name]:z.2f}",
            points[-1],
            xytext=(6, 0),
            textcoords="offset points",
            # Apart, even where the lines meet.
            verticalalignment="bottom" if name == PEER else "top",
            fontsize=8,
            color=color,
        )
    _time_by_size(axes)
    # Room for the names.
    axes.set_xlim(right=most ** (1 + _NAME_SHARE) / min(size for size, _ in curve["seconds"][NATIVE]) ** _NAME_SHARE)
    axes.set_title(f"{curve['work']}\n", loc="left", fontsize=9.5)
    axes.annotate(
        f"exponent expected: {curve['expected']}, ≤ {curve['bound']:g}",
        (0, 1),
        xytext=(0, 5),
        xycoords="axes fraction",
        textcoords="offset points",
        fontsize=8,
        color=_QUIET,
    )
    axes.set_xlabel(curve["axis"], fontsize=8)


def _time_by_size(axes: Axes) -> None:
    """Make both axes logarithmic, of times against sizes."""
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.xaxis.set_major_formatter(_count)
    axes.yaxis.set_major_formatter(_time)
    axes.minorticks_off()
    axes.grid(color="#e4e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0, labelsize=8)


def _count(number: float, _: float) -> str:
    """Write a number of things in short."""
    unit, size = next(((unit, size) for unit, size in (("M", 1e6), ("K", 1e3)) if number >= size), ("", 1))
    return f"{number / size:g} {unit}".rstrip()


def _time(seconds: float, _: float) -> str:
    """Write a time in short."""
    return duration(seconds).replace(".00", "").replace(".0 ", " ")


def _save(figure: Figure, path: Path) -> None:
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
    axes.axvline(1, color=_QUIET, linewidth=1)


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
