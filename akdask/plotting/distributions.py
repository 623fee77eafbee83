"""Plots of distributions by Matplotlib, as in ``arkouda.plotting``."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.creation import arange
from akdask.arrays.groupby import GroupBy
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.dataframe import DataFrame
from akdask.plotting.canvas import pyplot
from akdask.plotting.histogram import counts_of_each, on_axis, show_dates
from akdask.plotting.rows import AxisValues

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["hist_all", "plot_dist"]


def plot_dist(
    b: Any, h: Any, *, log: bool = True, xlabel: str | None = None, newfig: bool = True, show: bool = False
) -> tuple[Figure, np.ndarray[Any, Any]]:
    """Draw a distribution, and beside it the cumulative one; computes lazy arguments.

    Parameters
    ----------
    b : array
        Edges of bins, or their middles.
    h : array
        Counts of the bins; a further one, as in older releases of Arkouda, is ignored.
    log : bool, default True
        Draw counts on a logarithmic scale.
    xlabel : str, optional
        Label of the x axis.
    newfig : bool, default True
        Draw into a new figure, rather than the current one.
    show : bool, default False
        Show it at once.

    Returns
    -------
    figure : Figure
        Of Matplotlib.
    axes : numpy.ndarray, shape (2,)
        The axes of both plots.

    Raises
    ------
    ArgumentError
        If there are not as many counts as bins.

    Examples
    --------
    >>> import akdask as ak
    >>> counts, edges = ak.histogram(ak.arange(10), 3)
    >>> figure, axes = ak.plot_dist(edges, counts)  # doctest: +SKIP
    """
    plt = pyplot()
    edges, counts = np.asarray(b, float), np.asarray(h, float)
    if len(edges) not in {len(counts) - 1, len(counts), len(counts) + 1} or not len(edges):
        raise ArgumentError(
            f"{len(edges)} edges or middles of bins do not go with {len(counts)} counts.",
            hint="pass one edge more than counts, or as many middles.",
        )
    middles = (edges[1:] + edges[:-1]) / 2 if len(edges) == len(counts) + 1 else edges
    counts = counts[: len(middles)]
    figure = plt.figure(figsize=(12, 5)) if newfig else plt.gcf()
    axes = np.array([figure.add_subplot(1, 2, number) for number in (1, 2)], object)
    axes[0].plot(middles, counts, marker=".")
    if log and (counts > 0).any():
        axes[0].set_yscale("log")
    axes[1].plot(middles, np.cumsum(counts) / (counts.sum() or 1))
    axes[1].set_ylim((0, 1))
    for axis, title in zip(axes, ("distribution", "cumulative distribution"), strict=True):
        axis.set_title(title)
        if xlabel is not None:
            axis.set_xlabel(xlabel)
    if show:
        plt.show()
    return figure, axes


def hist_all(ak_df: Any, cols: Sequence[str] | None = None) -> tuple[Figure, np.ndarray[Any, Any]]:
    """Draw a histogram of each column of a DataFrame; computes all of them together.

    Text and labels are drawn as the ranks of their values.  NaN, NaT and infinities are left out.  The number of bins
    follows Sturges' rule: one more than the logarithm to base 2 of the rows.

    Parameters
    ----------
    ak_df : DataFrame
        The columns.
    cols : sequence of str, optional
        Names of the columns; all by default.

    Returns
    -------
    figure : Figure
        Of Matplotlib.
    axes : numpy.ndarray of two dimensions
        The axes of the columns, row by row, with perhaps empty ones at the end.

    Raises
    ------
    ArgumentTypeError
        If it is no DataFrame.
    ArgumentError
        If there are no columns.
    """
    if not isinstance(ak_df, DataFrame):
        raise ArgumentTypeError(f"hist_all draws a DataFrame, not {type(ak_df).__name__}.")
    names = list(cols or ak_df.columns)
    if not names:
        raise ArgumentError("a DataFrame without columns has no histograms.")
    columns = ak_df[names]._columns
    bins = 1 + math.ceil(math.log2(max(len(ak_df), 1)))
    drawn = [_axis_values(name, columns.array(name)) for name in names]
    found = counts_of_each(drawn, bins)
    rows = math.ceil(math.sqrt(len(names)))
    across = math.ceil(len(names) / rows)
    size = (max(6.4, 3.2 * across), max(4.8, 2.4 * rows))
    figure, axes = pyplot().subplots(rows, across, squeeze=False, figsize=size, layout="constrained")
    for axis, column, (counts, edges) in zip(axes.flat, drawn, found, strict=False):
        axis.stairs(counts, on_axis(edges), fill=True)
        axis.set_title(column.label)
        if edges.dtype.kind == "M":
            show_dates(axis.xaxis)
        elif edges.dtype.kind == "m":
            axis.set_xlabel("s")
    for row in axes:
        row[0].set_ylabel("rows")
    for axis in axes.flat[len(names) :]:
        axis.set_visible(False)
    return figure, axes


def _axis_values(name: str, values: Any) -> AxisValues:
    """Return the positions of elements on an axis: for text and labels the ranks of their values."""
    if values._type_name() in ("str", "Categorical"):
        groups = GroupBy(values, dropna=False)
        values = groups.broadcast(arange(groups.ngroups))
    return AxisValues.of("hist_all", values, name)
