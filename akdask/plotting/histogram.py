"""Histograms, densities and distributions of columns, drawn from counts in bins instead of the rows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import dask
import numpy as np

from akdask.arrays.creation import arange, array
from akdask.arrays.elementwise import where
from akdask.arrays.groupby import GroupBy
from akdask.arrays.sorting import insertion_points
from akdask.arrays.statistics import histogram, histogram2d
from akdask.arrays.timearray import unit_of
from akdask.deferred import pd
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.frames.dataframe import DataFrame
from akdask.plotting.axes import (
    NOTHING,
    AxisValues,
    DrawnGroups,
    DrawnRows,
    Extent,
    by_pandas,
    drawing_axes,
    extents,
    label_axes,
    on_common_rows,
    optional_package,
    pyplot,
    split_options,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


FINEST = 2**14
"""Bins that a smooth density is found from."""

MOST_BINS = 100_000

MOST_AXES = 36
"""Groups that have axes of their own."""


def hist(
    x: Any, bins: int | str | Sequence[Any] = 10, range: Any = None, *, ax: Any = None, **options: Any
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], Any]:
    """Draw the histogram of a column; computes, and this process receives only the counts.

    Parameters
    ----------
    x : pdarray, Datetime, Timedelta or Series
        The column; bool counts as 0 and 1, and missing or infinite values are left out.
    bins : int, str or sequence, default 10
        Number of bins of equal width; for times, a unit such as ``"h"`` or ``"D"``, whose multiples are the edges; or
        the edges.
    range : (low, high), optional
        First and last edge; the smallest and the largest value by default, which takes a second pass over the rows.
    ax : object, optional
        Matplotlib axes to draw into; a new figure by default.
    **options
        ``density``, ``cumulative``, ``histtype`` and others of `matplotlib.axes.Axes.hist`, and ``figsize``,
        ``title``, ``xlabel`` and others that pandas has for axes.

    Returns
    -------
    counts : ndarray
        Rows in each bin, or their `density` or `cumulative` form.
    edges : ndarray of float64, datetime64 or timedelta64
    patches : BarContainer or list
        Of Matplotlib.

    Raises
    ------
    ArgumentTypeError
        If it has no numbers or times.
    ArgumentError
        If the range or the edges do not ascend, or there are too many bins.

    Examples
    --------
    >>> counts, edges, bars = ak.hist(ak.arange(10), bins=3)  # doctest: +SKIP
    >>> counts.tolist(), edges.tolist()  # doctest: +SKIP
    ([3.0, 3.0, 4.0], [0.0, 3.0, 6.0, 9.0])
    """
    of_axes, others = split_options(options)
    column = AxisValues.of("hist", x)
    (counts,), edges = counts_in_bins([column], bins, range)
    ax = drawing_axes(ax, of_axes.get("figsize"))
    positions = on_axis(edges)
    drawn, _, patches = ax.hist((positions[:-1] + positions[1:]) / 2, positions, weights=counts, **others)
    label = f"{column.label} (s)".strip() if edges.dtype.kind == "m" else column.label
    labels = (label, "density" if others.get("density") else "rows")
    is_flat = others.get("orientation") == "horizontal"
    x_label, y_label = labels[::-1] if is_flat else labels
    label_axes(ax, of_axes, xlabel=x_label, ylabel=y_label)
    if edges.dtype.kind == "M":
        show_dates(ax.yaxis if is_flat else ax.xaxis)
    return drawn, edges, patches


def draw_histograms(rows: DrawnRows, columns: DrawnRows, by: Any, bins: Any, options: dict[str, Any]) -> Any:
    """Draw the histograms of some columns in the same bins, as pandas does; for groups in axes for each."""
    bounds = options.pop("range", None)
    if options.pop("weights", None) is not None:
        raise UnsupportedError(
            "hist counts each row as 1.", hint="sum weights by groups: df.groupby(ak.cut(x, edges))."
        )
    keys = rows.keys(by)
    names = columns.beside("hist", keys, columns.plottable("hist"))
    values = rows.axis_values("hist", names) if keys else columns.axis_values("hist", names)
    if len({column.time for column in values}) > 1:
        raise ArgumentError("numbers and times have no bins in common.", hint="draw columns of one type: y=['x'].")
    if keys:
        groups = DrawnGroups.of([rows.columns.array(key) for key in keys], MOST_AXES)
        return _draw_groups(groups, values, _of_groups(groups, values, bins, bounds), options)
    if options.get("orientation") != "horizontal":
        options = columns.labelled("hist", options)
    return _draw_counts(names, *counts_in_bins(values, bins, bounds), options, columns if columns.is_series else None)


def _draw_counts(
    names: Sequence[str], counts: Any, edges: np.ndarray[Any, Any], options: dict[str, Any], series: DrawnRows | None
) -> Any:
    """Let pandas draw counts in bins, as weights of the middles."""
    positions = on_axis(edges)
    drawn: Any = pd.DataFrame(dict.fromkeys(names, (positions[:-1] + positions[1:]) / 2))
    weights = np.column_stack(counts)
    if series is not None:
        drawn, weights = drawn[names[0]].rename(series.name), weights[:, 0]
    made = by_pandas(drawn, "hist", bins=positions, weights=weights, **options)
    if edges.dtype.kind == "M":
        for ax in np.ravel(made):
            show_dates(ax.xaxis)
    return made


def _draw_groups(groups: DrawnGroups, columns: Sequence[AxisValues], counted: Any, options: dict[str, Any]) -> Any:
    """Draw the histograms of groups in axes for each, on shared scales; return the axes."""
    tables, edges = counted
    high = max(math.ceil(math.sqrt(len(groups.labels))), 1)
    across = max(math.ceil(len(groups.labels) / high), 1)
    size = options.pop("figsize", (max(6.4, 3.2 * across), max(4.8, 2.4 * high)))
    common = {"squeeze": False, "sharey": True, "layout": "constrained"}
    _, axes = pyplot().subplots(high, across, figsize=size, **common)
    names = [column.label for column in columns]
    for row, (ax, label) in enumerate(zip(axes.flat, groups.labels, strict=False)):
        _draw_counts(names, [table[row] for table in tables], edges, {"title": label, **options, "ax": ax}, None)
    for ax in axes.flat[len(groups.labels) :]:
        ax.set_visible(False)
    return axes.ravel()[: len(groups.labels)]


def _of_groups(groups: DrawnGroups, columns: Sequence[AxisValues], bins: Any, bounds: Any) -> Any:
    """Return the counts of each group in bins of each column, and the edges; computes."""
    if not isinstance(bins, int | np.integer | str):
        raise ArgumentError("bins of groups are as wide as each other.", hint="pass a number of bins, and range=.")
    reach, number = _steps(columns, bins, bounds)
    last = len(groups.labels) - 0.5
    lazy = []
    for column in columns:
        values, extent = column.counted_from(reach)
        lazy.append(
            histogram2d(groups.number, values, (len(groups.labels) or 1, number), ((-0.5, max(last, 0)), extent))
        )
    found = dask.compute(*lazy)
    return [counts for counts, _, _ in found], columns[0].shown(found[0][2], reach)


def draw_densities(rows: DrawnRows, bw_method: Any, ind: Any, options: dict[str, Any]) -> Any:
    """Draw smooth densities of columns, by Gaussian kernels around the middles of fine bins."""
    names = rows.numbers("density")
    curves = {}
    for name, column in zip(names, rows.axis_values("density", names), strict=True):
        (counts,), edges = counts_in_bins([column], FINEST, None)
        at, height = smooth_density(counts, edges, bw_method, ind)
        curves[name] = pd.Series(height, at)
    positions = np.unique(np.concatenate([curve.index for curve in curves.values()]))
    drawn: Any = pd.DataFrame(
        {name: np.interp(positions, curve.index, curve, 0, 0) for name, curve in curves.items()}, index=positions
    )
    options = rows.labelled("kde", {"ylabel": "Density", **options})
    return by_pandas(drawn[names[0]].rename(rows.name) if rows.is_series else drawn, "line", **options)


def smooth_density(
    counts: np.ndarray[Any, Any], edges: np.ndarray[Any, Any], bw_method: Any = None, ind: Any = None
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return places and the density there: of Gaussian kernels around the middles of bins.

    Parameters
    ----------
    counts, edges : ndarray
        Of fine bins.
    bw_method : {"scott", "silverman"} or float, optional
        The width of kernels in standard deviations, or its rule; Scott's by default.  It is at least the width of a
        bin.
    ind : int or sequence of float, optional
        Points, or their number, 1000 by default.

    Raises
    ------
    ArgumentError
        If all values are equal, or there is no such rule.
    """
    rows = int(counts.sum())
    middles = (edges[:-1] + edges[1:]) / 2
    mean = counts @ middles / max(rows, 1)
    variance = counts @ (middles - mean) ** 2 / max(rows - 1, 1)
    if np.count_nonzero(counts) < 2:
        raise ArgumentError("there is no density of fewer than two different values.", hint="draw a histogram.")
    rules = {None: rows**-0.2, "scott": rows**-0.2, "silverman": (rows * 0.75) ** -0.2}
    if isinstance(bw_method, str) and bw_method not in rules:
        raise ArgumentError(f"bw_method={bw_method!r} is no rule.", hint="pass 'scott', 'silverman' or a number.")
    factor = rules[bw_method] if bw_method is None or isinstance(bw_method, str) else float(bw_method)
    width = max(factor * np.sqrt(variance), edges[1] - edges[0])
    reach = edges[-1] - edges[0]
    number = 1000 if ind is None else ind
    at = np.linspace(edges[0] - reach / 2, edges[-1] + reach / 2, number) if np.ndim(number) == 0 else np.asarray(ind)
    there = counts > 0
    middles, shares = middles[there], counts[there] / (rows * width * np.sqrt(2 * np.pi))
    # Further away a kernel's contribution is below the precision of float64.
    first, last = (np.searchsorted(middles, at + side * 9 * width) for side in (-1, 1))
    near = [slice(*ends) for ends in zip(first, last, strict=True)]
    heights = [
        shares[part] @ np.exp(-(((place - middles[part]) / width) ** 2) / 2)
        for place, part in zip(at, near, strict=True)
    ]
    return at, np.array(heights)


def counts_in_bins(
    columns: Sequence[AxisValues], bins: Any, bounds: Any
) -> tuple[list[np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
    """Return the counts of each column in the same bins, and the edges; computes."""
    columns = on_common_rows("hist", columns)
    if not isinstance(bins, int | np.integer | str):
        return _counts_between(columns, bins)
    reach, number = _steps(columns, bins, bounds)
    lazy = [column.counted_from(reach) for column in columns]
    found = dask.compute(*[histogram(values, number, extent) for values, extent in lazy])
    return [counts for counts, _ in found], columns[0].shown(found[0][1], reach)


def _steps(columns: Sequence[AxisValues], bins: Any, bounds: Any) -> tuple[Extent, int]:
    """Return the extent of bins that a user gives, and how many there are."""
    columns = on_common_rows("hist", columns)
    reach = _common_extent(columns) if bounds is None else columns[0].limits(bounds)
    if isinstance(bins, str):
        reach, bins = _multiples(columns[0], bins, reach)
    if not 1 <= int(bins) <= MOST_BINS:
        raise ArgumentError(
            f"a histogram has 1 to {MOST_BINS:,} bins, not {int(bins):,}.",
            hint="pass a number between them, or a longer unit.",
        )
    return reach, int(bins)


def counts_of_each(columns: Sequence[AxisValues], bins: int) -> list[tuple[Any, Any]]:
    """Return counts and edges of columns, each in bins from its smallest to its largest value; in two passes."""
    columns = on_common_rows("hist", columns)
    reach = [extent or NOTHING for extent in extents(columns)]
    lazy = []
    for column, extent in zip(columns, reach, strict=True):
        values, bounds = column.counted_from(extent)
        lazy.append(histogram(values, bins, bounds))
    found = dask.compute(*lazy)
    return [
        (counts, column.shown(edges, extent))
        for column, extent, (counts, edges) in zip(columns, reach, found, strict=True)
    ]


def _common_extent(columns: Sequence[AxisValues]) -> Extent:
    found = [extent for extent in extents(columns) if extent is not None]
    return (min(low for low, _ in found), max(high for _, high in found)) if found else NOTHING


def _multiples(column: AxisValues, unit: str, reach: Extent) -> tuple[Extent, int]:
    """Return the extent from the last multiple of a unit of time before the first time, and how many units it has."""
    if not column.time:
        raise ArgumentError(
            f"bins={unit!r} is a unit of time, and the column has numbers.", hint="pass a number of bins."
        )
    span = unit_of(unit)
    low = int(reach[0]) // span * span
    number = max(-(-(int(reach[1]) + 1 - low) // span), 1)
    return (low, low + number * span), number


def _counts_between(
    columns: Sequence[AxisValues], bins: Any
) -> tuple[list[np.ndarray[Any, Any]], np.ndarray[Any, Any]]:
    """Return counts between given edges of any widths; last bins include their right edges."""
    time = columns[0].time
    dtypes: dict[str, str] = {"": "float64", "time": "datetime64[ns]", "span": "timedelta64[ns]"}
    given = np.asarray(bins, dtypes[time])
    if given.ndim != 1 or len(given) < 2 or not (given[1:] > given[:-1]).all():
        raise ArgumentError("edges of bins are two or more and ascend.", hint="pass a number of bins, or their edges.")
    edges = given.view(np.int64) if time else given
    extent = (edges[0].item(), edges[-1].item())
    last = len(edges) - 2
    lazy = []
    for column in columns:
        values, (start, stop) = column.counted_from(extent)
        positions = insertion_points(array(edges - edges[0] if time else edges), values, side="right") - 1
        inside = (values >= start) & (values <= stop)
        lazy.append(GroupBy(where(inside, where(values == stop, last, positions), -1)).size())
    counts = []
    for positions, sizes in dask.compute(*lazy):
        table = np.zeros(last + 1, np.int64)
        table[positions[positions >= 0]] = sizes[positions >= 0]
        counts.append(table)
    return counts, given


def on_axis(edges: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return edges as the numbers that Matplotlib draws: days of times, seconds of spans."""
    if edges.dtype.kind == "M":
        return np.asarray(optional_package("matplotlib.dates", "'akdask[plot]'").date2num(edges))
    return edges / np.timedelta64(1, "s") if edges.dtype.kind == "m" else edges


def show_dates(axis: Any) -> None:
    """Write numbers of days on an axis as dates."""
    dates = optional_package("matplotlib.dates")
    locator = dates.AutoDateLocator()
    axis.set_major_locator(locator)
    axis.set_major_formatter(dates.ConciseDateFormatter(locator))


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

    Examples
    --------
    >>> figure, axes = ak.hist_all(ak.DataFrame({"x": [3, 1, 3], "y": [1, 2, 2]}))
    >>> len(axes)
    2
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
