"""The chart of the demo."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from akdask.typing import NumberArray

COLOURS = ("#1f4e79", "#e08e2b", "#7a7a7a")


def can_draw() -> bool:
    """Whether matplotlib is there."""
    return find_spec("matplotlib") is not None


def draw_traffic(path: Path, hourly: Mapping[str, NumberArray], title: str) -> None:
    """Draw the traffic of each hour of a day as stacked bars.

    Parameters
    ----------
    path : Path
        The PNG to write.
    hourly : mapping of str to ndarray, shape (24,)
        Bytes in each hour, by protocol.
    title : str
        Above the chart.
    """
    import matplotlib as mpl
    import numpy as np
    from matplotlib.figure import Figure

    with mpl.rc_context({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(9, 4.6), layout="constrained")
        axes = figure.subplots()
        below = np.zeros(24)
        for (name, nbytes), colour in zip(hourly.items(), COLOURS, strict=True):
            gigabytes = np.asarray(nbytes, np.float64) / 1e9
            label = f"{name}  ({gigabytes.sum():,.2f} GB)"
            axes.bar(np.arange(24) + 0.5, gigabytes, 0.86, bottom=below, color=colour, label=label)
            below += gigabytes
        axes.set(xlabel="hour of the day (UTC)", ylabel="traffic (GB per hour)", xlim=(0, 24))
        axes.set_xticks(range(0, 25, 3), [f"{hour:02d}:00" for hour in range(0, 25, 3)])
        axes.set_title(title, loc="left", fontweight="bold")
        axes.grid(axis="y", color="#dddddd", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, loc="upper left")
        figure.savefig(path, dpi=130)
