"""Count rows in bins of two columns, from which plots of any number of rows are drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import dask
import numpy as np

from akdask.arrays.statistics import histogramdd
from akdask.deferred import pd
from akdask.errors import ArgumentError
from akdask.plotting.canvas import drawing_axes, label_axes, optional_package, split_options
from akdask.plotting.rows import NOTHING, AxisValues, extents, on_common_rows

FINE = 256
"""Bins of each axis of a density plot."""


@dataclass(frozen=True, slots=True)
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
        """The middles of the bins along the first axis."""
        return _middles(self.x_edges)

    @property
    def y_middles(self) -> np.ndarray[Any, Any]:
        """The middles of the bins along the second axis."""
        return _middles(self.y_edges)

    def to_pandas(self) -> pd.DataFrame:
        """Return the counts as a pandas DataFrame, labelled by the middles: rows along y, columns along x."""
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
        >>> import akdask as ak
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
        """
        holoviews = optional_package("holoviews")
        data = (self.x_middles, self.y_middles, self.counts.T)
        return holoviews.Image(data, kdims=list(self._dimensions), vdims=["rows"])

    def draw(self, ax: Any = None, *, log: bool = False, colorbar: bool = True, **options: Any) -> Any:
        """Draw the counts as an image, and return it; bins without rows stay empty.

        Parameters
        ----------
        ax : object, optional
            Matplotlib axes to draw into; those of a new figure by default.
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
    >>> import akdask as ak
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
    counts, edges = histogramdd([values for values, _ in counted], each, [extent for _, extent in counted])
    numbers, *bounds = dask.compute(counts, *edges)
    shown = [column.shown(part, extent) for column, part, extent in zip(columns, bounds, reach, strict=True)]
    return Bins2D(numbers.astype(np.int64), shown[0], shown[1], *(column.label for column in columns))
