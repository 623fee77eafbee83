"""Plots of two columns, drawn from the numbers of rows in bins or hexagons in place of a mark for each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import numpy as np

from akdask.arrays.elementwise import cast, elementwise, where
from akdask.arrays.groupby import GroupBy
from akdask.arrays.statistics import counted_in_shape
from akdask.deferred import pd
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.plotting.axes import (
    MOST_POINTS,
    NOTHING,
    AxisValues,
    DrawnRows,
    by_pandas,
    drawing_axes,
    extents,
    label_axes,
    on_common_rows,
    optional_package,
    split_options,
    step_numbers,
)
from akdask.records import record

FINE = 256
"""Bins of each axis of a density plot."""

REDUCTIONS: dict[Any, str] = {
    np.mean: "mean",
    np.sum: "sum",
    np.min: "min",
    np.max: "max",
    np.median: "median",
    np.std: "std",
    np.var: "var",
    len: "count",
}
"""Functions that pandas is given for the values in a hexagon, and the reductions of groups that they are."""


@record
class Bins2D:
    """Numbers of rows in bins of two columns, in memory.

    Parameters
    ----------
    counts : ndarray of int64, shape (x bins, y bins)
        Rows in each bin; last bins include their right edges.
    x_edges, y_edges : ndarray of float64, datetime64 or timedelta64
        Edges of the bins, one more than bins.
    x_label, y_label : str
        Labels of the axes.
    """

    counts: np.ndarray[Any, Any]
    x_edges: np.ndarray[Any, Any]
    y_edges: np.ndarray[Any, Any]
    x_label: str
    y_label: str

    @property
    def x_middles(self) -> np.ndarray[Any, Any]:
        """The middles of the bins along the first axis.

        Examples
        --------
        >>> bins = ak.bins2d(ak.array([0, 1, 1]), ak.array([0, 2, 2]), bins=2)
        >>> bins.x_middles.tolist()
        [0.25, 0.75]
        """
        return _middles(self.x_edges)

    @property
    def y_middles(self) -> np.ndarray[Any, Any]:
        """The middles of the bins along the second axis.

        Examples
        --------
        >>> bins = ak.bins2d(ak.array([0, 1, 1]), ak.array([0, 2, 2]), bins=2)
        >>> bins.y_middles.tolist()
        [0.5, 1.5]
        """
        return _middles(self.y_edges)

    def to_pandas(self) -> pd.DataFrame:
        """Return the counts as a pandas DataFrame, labelled by the middles: rows along y, columns along x.

        Examples
        --------
        >>> ak.bins2d(ak.array([0, 1, 1]), ak.array([0, 2, 2]), bins=2).to_pandas().to_numpy().tolist()
        [[1, 0], [0, 2]]
        """
        index, columns = pd.Index(self.y_middles, name=self.y_label), pd.Index(self.x_middles, name=self.x_label)
        return pd.DataFrame(self.counts.T, index, columns)

    def to_xarray(self) -> Any:
        """Return the counts as a DataArray of xarray, which datashader shades and hvplot draws.

        Raises
        ------
        ArgumentError
            If xarray is not installed.

        Examples
        --------
        >>> bins = ak.bins2d(ak.arange(10), ak.arange(10), 5)
        >>> bins.to_xarray().hvplot.image()  # doctest: +SKIP
        >>> datashader.transfer_functions.shade(bins.to_xarray())  # doctest: +SKIP
        """
        xarray = optional_package("xarray")
        x, y = self._dimensions
        coordinates = {y: self.y_middles, x: self.x_middles}
        return xarray.DataArray(self.counts.T, coords=coordinates, dims=(y, x), name="rows")

    def to_holoviews(self) -> Any:
        """Return the counts as an Image of HoloViews.

        Raises
        ------
        ArgumentError
            If HoloViews is not installed.

        Examples
        --------
        >>> bins = ak.bins2d(ak.array([0, 1, 1]), ak.array([0, 2, 2]), bins=2)
        >>> bins.to_holoviews()  # doctest: +SKIP
        :Image   [x,y]   (rows)
        """
        holoviews = optional_package("holoviews")
        data = (self.x_middles, self.y_middles, self.counts.T)
        return holoviews.Image(data, kdims=list(self._dimensions), vdims=["rows"])

    def draw(self, ax: Any = None, *, log: bool = False, colorbar: bool = True, **options: Any) -> Any:
        """Draw the counts as an image, and return it; bins without rows stay empty.

        Parameters
        ----------
        ax : object, optional
            Matplotlib axes to draw into; a new figure by default.
        log : bool
            Color by the logarithm of the counts.
        colorbar : bool, default True
            Draw a color bar.
        **options
            ``figsize``, ``title``, ``xlabel`` and pandas' other options of axes; further ones are passed to
            `matplotlib.axes.Axes.pcolormesh`.

        Returns
        -------
        QuadMesh
            Of Matplotlib.

        Examples
        --------
        >>> bins = ak.bins2d(ak.array([0, 1, 1]), ak.array([0, 2, 2]), bins=2)
        >>> type(bins.draw(colorbar=False)).__name__
        'QuadMesh'
        """
        of_axes, others = split_options(options)
        ax = drawing_axes(ax, of_axes.get("figsize"))
        drawn = np.ma.masked_equal(self.counts.T, 0)
        if log and self.counts.any() and not {"norm", "vmin", "vmax"} & others.keys():
            others["norm"] = optional_package("matplotlib.colors").LogNorm(1, max(2, int(self.counts.max())))
        image = ax.pcolormesh(self._drawn(self.x_edges), self._drawn(self.y_edges), drawn, **others)
        for axis, edges in ((ax.xaxis, self.x_edges), (ax.yaxis, self.y_edges)):
            if edges.dtype.kind == "M":
                dates = optional_package("matplotlib.dates")
                axis.set_major_formatter(dates.ConciseDateFormatter(axis.get_major_locator()))
        label_axes(
            ax, of_axes, xlabel=_with_unit(self.x_label, self.x_edges), ylabel=_with_unit(self.y_label, self.y_edges)
        )
        if colorbar:
            ax.figure.colorbar(image, ax=ax, label="rows")
        return image

    @property
    def _dimensions(self) -> tuple[str, str]:
        x, y = self.x_label or "x", self.y_label or "y"
        return x, y if x != y else f"{y} (y)"

    @staticmethod
    def _drawn(edges: np.ndarray[Any, Any]) -> Any:
        return edges / np.timedelta64(1, "s") if edges.dtype.kind == "m" else edges


def _with_unit(label: str, edges: np.ndarray[Any, Any]) -> str:
    return f"{label} (s)" if edges.dtype.kind == "m" else label


def _middles(edges: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    middles: np.ndarray[Any, Any] = edges[:-1] + (edges[1:] - edges[:-1]) / 2
    return middles


def bins2d(x: Any, y: Any, bins: int | Sequence[int] = FINE, range: Any = None) -> Bins2D:
    """Count rows in bins of two columns, for a plot; computes, and this process receives only the bins.

    Parameters
    ----------
    x, y : pdarray, Datetime, Timedelta or Series
        The columns; they share rows.
    bins : int or (int, int), default 256
        Bins of equal width, for both axes or for each.
    range : ((low, high), (low, high)), optional
        First and last edges; None for either finds the smallest and the largest value.

    Returns
    -------
    Bins2D
        Can draw itself, and works with HoloViews, hvplot and datashader.

    Raises
    ------
    AlignmentError
        If the columns do not share rows.
    ArgumentTypeError
        If one has no numbers or times.
    ArgumentError
        If a range does not ascend, or there are no bins.

    Notes
    -----
    Passes over the rows once if ranges are given, otherwise twice: edges depend on all rows.  Rows with NaN, an
    infinity or NaT on either axis are left out.

    Examples
    --------
    >>> bins = ak.bins2d(ak.array([0, 1, 1]), ak.array([5, 6, 6]), bins=2)
    >>> bins.counts.tolist(), bins.y_edges.tolist()
    ([[1, 0], [0, 2]], [5.0, 5.5, 6.0])
    """
    return bins_of([AxisValues.of("bins2d", item) for item in (x, y)], bins, range)


def bins_of(columns: Sequence[AxisValues], bins: int | Sequence[int], range: Any) -> Bins2D:
    """Return the bins of two columns; see `bins2d`."""
    columns = on_common_rows("bins2d", columns)
    each = [bins, bins] if isinstance(bins, int | np.integer) else list(bins)
    given = [None, None] if range is None else list(range)
    if len(each) != 2 or len(given) != 2:
        raise ArgumentError("bins2d takes bins and a range for each of two axes.", hint="pass bins=(100, 50).")
    found = [None, None] if None not in given else extents(columns, in_pairs=True)
    reach = [
        (extent or NOTHING) if bounds is None else column.limits(bounds)
        for column, bounds, extent in zip(columns, given, found, strict=True)
    ]
    counted = [column.counted_from(extent) for column, extent in zip(columns, reach, strict=True)]
    sample, reached = zip(*counted, strict=True)
    counts, edges = counted_in_shape("bins2d", list(sample), each, list(reached))
    numbers, *bounds = dask.compute(counts, *edges)
    shown = [column.shown(part, extent) for column, part, extent in zip(columns, bounds, reach, strict=True)]
    return Bins2D(numbers.astype(np.int64), shown[0], shown[1], *(column.label for column in columns))


def hist2d(
    x: Any, y: Any, bins: int | Sequence[int] = 10, range: Any = None, *, ax: Any = None, **options: Any
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any], Any]:
    """Draw the number of rows in each bin of two columns; computes, and this process receives only the bins.

    Parameters
    ----------
    x, y, bins, range
        As in `bins2d`, with 10 bins as Matplotlib and NumPy have.
    ax : object, optional
        Matplotlib axes to draw into; a new figure by default.
    **options
        As of `Bins2D.draw`: ``log``, ``colorbar``, ``cmap``, ``title`` and so on.

    Returns
    -------
    counts : ndarray of int64, shape (x bins, y bins)
    x_edges, y_edges : ndarray
    image : QuadMesh
        Of Matplotlib.

    Raises
    ------
    AlignmentError, ArgumentTypeError, ArgumentError
        As `bins2d`.

    Examples
    --------
    >>> counts, x_edges, y_edges, drawn = ak.hist2d(ak.array([0, 1, 1]), ak.array([0, 2, 2]), bins=2)
    >>> counts.tolist()
    [[1, 0], [0, 2]]
    """
    found = bins2d(x, y, bins, range)
    return found.counts, found.x_edges, found.y_edges, found.draw(ax, **options)


def draw_density(rows: DrawnRows, x: Any, y: Any, options: dict[str, Any]) -> Any:
    """Draw the number of rows in each bin of two columns, and return the axes."""
    bins, bounds = options.pop("bins", FINE), options.pop("range", None)
    options.setdefault("log", True)
    if "colormap" in options:
        options["cmap"] = options.pop("colormap")
    columns = rows.axis_values("density", [rows.named(name) for name in (x, y)])
    return bins_of(columns, bins, bounds).draw(options.pop("ax", None), **options).axes


def draw_scatter(rows: DrawnRows, columns: Sequence[Any], s: Any, c: Any, options: dict[str, Any]) -> Any:
    """Draw a mark for each row; for many rows their density, or the mean of another column, in bins."""
    names = x, y = [rows.named(column) for column in columns]
    c = rows.named(c) if isinstance(c, int) or (isinstance(c, str) and c in rows.columns.values) else c
    s = rows.named(s) if isinstance(s, str) else s
    needed = [*names, *(item for item in (s, c) if isinstance(item, str) and item in rows.columns.values)]
    if len(rows) <= MOST_POINTS:
        given = {name: value for name, value in (("s", s), ("c", c)) if value is not None}
        only = DrawnRows.of_columns(rows.columns.only(dict.fromkeys(needed)))
        return by_pandas(only.bring(), "scatter", x=names[0], y=names[1], **given, **options)
    if np.ndim(s) or isinstance(s, str) or np.ndim(c):
        raise ArgumentError(
            f"marks of {len(rows):,} rows have no sizes and colors of their own: what is drawn is their density.",
            hint="pass c='column' for the mean of a column in each bin, or draw a sample: df.head or ak.random.",
        )
    if c in rows.columns.values:
        return _draw_means(rows, x, y, c, options)
    if c is not None:
        colors = optional_package("matplotlib.colors", "'akdask[plot]'")
        faint = (*colors.to_rgb(c), 0.15)
        options.setdefault("cmap", colors.LinearSegmentedColormap.from_list("density", [faint, colors.to_rgba(c)]))
    return draw_density(rows, x, y, options)


def _draw_means(rows: DrawnRows, x: str, y: str, c: str, options: dict[str, Any]) -> Any:
    """Draw the mean of a column in bins of two others."""
    columns = on_common_rows("scatter", rows.axis_values("scatter", [x, y, c]))
    if any(column.time for column in columns):
        raise ArgumentTypeError("means of many rows are drawn over columns of numbers.", hint="leave c out.")
    bins = options.pop("bins", FINE)
    reach = [extent or NOTHING for extent in extents(columns[:2], in_pairs=True)]
    (one, is_one), (other, is_other) = (step_numbers(*item, bins) for item in zip(columns[:2], reach, strict=True))
    groups = GroupBy(where(is_one & is_other, one * bins + other, -1))
    at, means = dask.compute(*groups.mean(columns[2].array))
    table = np.full(bins * bins, np.nan)
    table[at[at >= 0]] = means[at >= 0]
    of_axes, others = split_options(options)
    ax = drawing_axes(others.pop("ax", None), of_axes.get("figsize"))
    with_colorbar = others.pop("colorbar", True)
    others["cmap"] = others.pop("colormap", others.get("cmap"))
    edges = [np.linspace(*extent, bins + 1) for extent in reach]
    image = ax.pcolormesh(*edges, np.ma.masked_invalid(table.reshape(bins, bins).T), **others)
    label_axes(ax, of_axes, xlabel=x, ylabel=y)
    if with_colorbar:
        ax.figure.colorbar(image, ax=ax, label=f"mean of {c}")
    return ax


def draw_hexbin(rows: DrawnRows, columns: Sequence[Any], reduce: Any, gridsize: Any, options: dict[str, Any]) -> Any:
    """Draw the number of rows in each hexagon of two columns, or a reduction of a third."""
    x, y, C = columns
    if {options.get("xscale"), options.get("yscale")} & {"log"}:
        raise UnsupportedError(
            "hexagons are of equal size.", hint="draw a column of logarithms: df['x'] = ak.log10(…)."
        )
    names = [rows.named(name) for name in (x, y, *([] if C is None else [C]))]
    how = "size" if C is None else REDUCTIONS.get(np.mean if reduce is None else reduce)
    if how is None:
        known = ", ".join(getattr(function, "__name__", str(function)) for function in REDUCTIONS)
        raise ArgumentError(f"hexbin reduces values by {known}, not by {reduce!r}.", hint="pass np.mean.")
    columns = on_common_rows("hexbin", rows.axis_values("hexbin", names))
    if any(column.time for column in columns):
        raise ArgumentTypeError("hexbin draws columns of numbers.", hint="plot.scatter draws times.")
    across = 100 if gridsize is None else gridsize
    grid = tuple(across) if isinstance(across, Sequence) else (int(across), int(int(across) / np.sqrt(3)))
    given = options.pop("extent", None)
    if given is None:
        found = [extent or NOTHING for extent in extents(columns[:2], in_pairs=True)]
        given = [
            float(bound) for low, high in found for bound in ((low, high) if low < high else (low - 0.1, high + 0.1))
        ]
    frame = hexagons(columns, tuple(given), grid, how)
    least = options.pop("mincnt", None)
    if C is None and least is not None:
        frame = frame[frame["value"] >= least]
    elif C is not None:
        frame = frame[frame["value"].notna()]
    frame = frame.rename(columns={"x": names[0], "y": names[1]})
    drawn = {"C": "value", "reduce_C_function": np.sum, "gridsize": grid, "extent": tuple(given)}
    ax = by_pandas(frame, "hexbin", x=names[0], y=names[1], **drawn, **options)
    if options.get("colorbar", True):
        ax.collections[-1].colorbar.set_label("rows" if C is None else f"{how} of {names[2]}")
    return ax


def hexagons(
    columns: Sequence[AxisValues], extent: tuple[float, ...], grid: tuple[int, int], reduction: str
) -> pd.DataFrame:
    """Return the centres of all hexagons, and the reduced rows of each; computes, in one pass.

    Parameters
    ----------
    columns : sequence of AxisValues
        The columns along the axes, and perhaps one to reduce.
    extent : (x low, x high, y low, y high)
        Reduction to draw.
    grid : (int, int)
        Hexagons along the axes.
    reduction : str
        ``"size"``, or a reduction of groups.

    Notes
    -----
    Hexagons are the points that are nearest to one of two shifted grids, distances along y counting three times: the
    way of Carr et al. (1987), which Matplotlib follows.
    """
    x_low, x_high, y_low, y_high = extent
    nx, ny = grid
    # Matplotlib widens the extent so that rounding leaves no row outside.
    x_low, x_high = x_low - 1e-9 * (x_high - x_low), x_high + 1e-9 * (x_high - x_low)
    y_low, y_high = y_low - 1e-9 * (y_high - y_low), y_high + 1e-9 * (y_high - y_low)
    x_step, y_step = (x_high - x_low) / nx, (y_high - y_low) / ny
    # Pictures have floats.
    x, y = (cast(column.array, np.float64) for column in columns[:2])
    inside = (x >= x_low) & (x <= x_high) & (y >= y_low) & (y <= y_high)
    across = where(inside, (x - x_low) / x_step, 0.0)
    up = where(inside, (y - y_low) / y_step, 0.0)
    corner = elementwise("round", across), elementwise("round", up)
    middle = elementwise("floor", across), elementwise("floor", up)
    to_corner = (across - corner[0]) ** 2 + 3 * (up - corner[1]) ** 2
    to_middle = (across - middle[0] - 0.5) ** 2 + 3 * (up - middle[1] - 0.5) ** 2
    corners = (nx + 1) * (ny + 1)
    # Points on the last edges belong to corners.
    at_middle = (
        corners + where(middle[0] > nx - 1, nx - 1, middle[0]) * ny + where(middle[1] > ny - 1, ny - 1, middle[1])
    )
    number = where(to_corner < to_middle, corner[0] * (ny + 1) + corner[1], at_middle)
    groups = GroupBy(cast(where(inside, number, -1.0), np.int64))
    reduced = groups.size()[1] if reduction == "size" else groups.reduce_column(reduction, columns[2].array)
    at, found = dask.compute(groups.unique_keys, reduced)
    value = np.full(corners + nx * ny, 0.0 if reduction == "size" else np.nan)
    value[at[at >= 0]] = found[at >= 0]
    xs = np.concatenate([np.repeat(np.arange(nx + 1.0), ny + 1), np.repeat(np.arange(nx) + 0.5, ny)])
    ys = np.concatenate([np.tile(np.arange(ny + 1.0), nx + 1), np.tile(np.arange(ny) + 0.5, nx)])
    return pd.DataFrame({"x": x_low + xs * x_step, "y": y_low + ys * y_step, "value": value})
