"""Plots of time against rows, a panel for each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.report import OURS, Result

ACROSS = 2
"""Panels beside each other."""

COLOURS = {OURS: "#0072b2", "polars": "#e69f00", "duckdb": "#009e73"}
OTHERS = "#8c8c8c"

Curve = dict[int, Mapping[str, float]]
"""By rows, the seconds of everybody."""


def draw(path: Path, results: Sequence[Result], *, of_cpu: bool = False) -> Path:
    """Draw the seconds of everybody against rows.

    Parameters
    ----------
    path : Path
        The picture; its folder is made if it is not there.
    results : sequence of Result
        Each tells its rows; those of one task are one panel.
    of_cpu : bool
        Whether seconds of processors are drawn, and not those that pass.

    Returns
    -------
    Path
        The picture.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    curves: dict[str, Curve] = {}
    for result in results:
        if result.work:
            curves.setdefault(result.task, {})[result.work.rows] = result.cpu if of_cpu else result.values
    path.parent.mkdir(parents=True, exist_ok=True)
    down = -(-len(curves) // ACROSS)
    with mpl.rc_context({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(9, 0.6 + 2.5 * down), layout="constrained")
        grid = figure.subplots(down, ACROSS, sharex=True, sharey=True, squeeze=False)
        for axes, (task, curve) in zip(grid.flat, curves.items(), strict=False):
            _draw_curve(axes, curve)
            axes.set_title(task, loc="left", fontsize=11, fontweight="bold")
        for axes in grid.flat[len(curves) :]:
            axes.set_axis_off()
        figure.supxlabel("rows", fontsize=11)
        figure.supylabel("seconds of processors" if of_cpu else "seconds", fontsize=11)
        lines = {line.get_label(): line for axes in grid.flat for line in axes.get_lines()}
        figure.legend(handles=list(lines.values()), frameon=False, ncols=len(lines), loc="outside upper center")
        # The same figures give the same bytes, whatever draws them.
        figure.savefig(path, dpi=100, metadata={"Software": None})
    return path


def _draw_curve(axes: Any, curve: Curve) -> None:
    names = dict.fromkeys(name for seconds in curve.values() for name in seconds)
    for name in names:
        points = sorted((rows, seconds[name]) for rows, seconds in curve.items() if name in seconds)
        ours = name == OURS
        axes.plot(
            *zip(*points, strict=True),
            "o-",
            color=COLOURS.get(name, OTHERS),
            linewidth=2.6 if ours else 1.5,
            markersize=4.5 if ours else 3.5,
            zorder=3 if ours else 2,
            label=name,
        )
    axes.set(xscale="log", yscale="log")
    axes.grid(color="#dddddd", linewidth=0.8)
