"""Plots of time against rows and against partitions: akdask and the two peers that are best at the last point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.report import OURS, Result
from benchmarks.setting import Setting
from benchmarks.tasks.group import sum_of_many_groups
from benchmarks.tasks.join import join_close_keys
from benchmarks.tasks.sorting import argsort

ROWS = (100_000, 1_000_000, 5_000_000)
"""And as many as the setting has."""
PARTITIONS = (4, 40, 400)
BEST = 2
PANELS: Mapping[str, Callable[[Setting], Result]] = {
    "sum of half as many groups as rows": sum_of_many_groups,
    "argsort of 37-bit integers": argsort,
    "inner join with a tenth of the rows": join_close_keys,
}
COLOURS = {
    OURS: "#1f4e79",
    "polars + h5py": "#e08e2b",
    "duckdb + h5py": "#4c8c4a",
    "pyarrow + h5py": "#a04c8c",
    "NumPy + h5py": "#7a7a7a",
    "pandas + h5py": "#b03a2e",
}

Curve: TypeAlias = dict[int, Mapping[str, float]]
"""By rows or partitions, the seconds of everybody."""


def draw(folder: Path, setting: Setting) -> list[Path]:
    """Measure, and write ``rows.png`` and ``partitions.png``.

    Parameters
    ----------
    folder : Path
        Where to; made if it is not there.
    setting : Setting
        One turn that counts is enough for a curve, however many the setting has.

    Returns
    -------
    list of Path
        The two files.
    """
    once = replace(setting, repeat=1)
    folder.mkdir(parents=True, exist_ok=True)
    sizes = sorted({*(rows for rows in ROWS if rows < setting.rows), setting.rows})
    by_rows = {rows: replace(once, rows=rows) for rows in sizes}
    by_partitions = {count: replace(once, files=count) for count in PARTITIONS}
    return [
        _draw_panels(folder / "rows.png", "rows", by_rows),
        _draw_panels(folder / "partitions.png", f"partitions of {setting.rows:,} rows", by_partitions),
    ]


def _draw_panels(path: Path, across: str, settings: Mapping[int, Setting]) -> Path:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(13, 4.6), layout="constrained")
        for axes, (title, task) in zip(figure.subplots(1, len(PANELS), sharey=True), PANELS.items(), strict=True):
            curve: Curve = {number: task(setting).values for number, setting in settings.items()}
            _draw_curve(axes, curve)
            axes.set_title(title, loc="left", fontweight="bold", fontsize=11)
            axes.set_xlabel(across)
        figure.axes[0].set_ylabel("seconds, from files to result")
        lines = {line.get_label(): line for axes in figure.axes for line in axes.get_lines()}
        figure.legend(handles=list(lines.values()), frameon=False, ncols=len(lines), loc="outside lower center")
        figure.savefig(path, dpi=110)
    return path


def _draw_curve(axes: Any, curve: Curve) -> None:
    for name, seconds in _best(curve):
        width = 2.6 if name == OURS else 1.6
        axes.plot(list(curve), seconds, "o-", color=COLOURS[name], linewidth=width, markersize=5, label=name)
    axes.set(xscale="log", yscale="log")
    axes.grid(color="#dddddd", linewidth=0.8)


def _best(curve: Curve) -> Iterator[tuple[str, list[float]]]:
    last = curve[max(curve)]
    peers = sorted((name for name in last if name != OURS), key=last.__getitem__)
    for name in (OURS, *peers[:BEST]):
        yield name, [seconds[name] for seconds in curve.values()]
