"""Plots by Matplotlib: ``df.plot`` as in pandas, and the functions of ``arkouda.plotting``; and those of hvPlot.

By Matplotlib only bins, groups and a few rows come into this process, however many rows there are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from akdask.errors import ArgumentError
from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.plotting.axes import DrawnRows, draw_areas, draw_boxes, draw_lines
from akdask.plotting.density import Bins2D, bins2d, draw_density, draw_hexbin, draw_scatter, hist2d
from akdask.plotting.histogram import draw_densities, draw_histograms, hist, hist_all, plot_dist
from akdask.plotting.interactive import InteractivePlots

__all__ = ["Bins2D", "InteractivePlots", "Plots", "bins2d", "hist", "hist2d", "hist_all", "plot_dist"]

KINDS = ("line", "bar", "barh", "hist", "box", "kde", "density", "area", "pie", "scatter", "hexbin")


class Plots:
    """Plots of a DataFrame or Series, like pandas' ``plot`` with Matplotlib.

    Parameters
    ----------
    data : DataFrame or Series
        The rows.

    Notes
    -----
    Each method computes, and few rows come into this process, however many there are:

    - histograms, densities, hexagons and boxes are drawn from bins and groups, in two passes over the rows, and further
      ones for quantiles;
    - a line or area of more than 10,000 rows is drawn from 2,000 steps along the axis, one for each pixel: a line
      through the minimum and maximum of each, an area to the mean;
    - a scatter plot of more than 10,000 rows shows their density;
    - bars and slices are for up to 1,000 rows, and more are an `ArgumentError`.

    Up to 10,000 rows pandas draws lines, areas and marks.  Columns of text and bool are left out, as in pandas; if none
    is left, that is an `ArgumentTypeError`.  Other options are passed to pandas.

    Examples
    --------
    >>> df = ak.DataFrame({"x": ak.arange(10), "y": ak.arange(10) ** 2})
    >>> axes = df.plot.line(x="x")  # doctest: +SKIP
    >>> axes = df.plot(kind="hist", bins=5)  # doctest: +SKIP
    """

    def __init__(self, data: DataFrame | Series) -> None:
        self._rows = DrawnRows.of(data)

    def __call__(self, *args: Any, kind: str = "line", **options: Any) -> Any:
        """Draw one of the kinds of plots: ``df.plot(kind="bar")`` is ``df.plot.bar()``.

        Parameters
        ----------
        *args
            ``x``, ``y`` and ``kind`` by position; for a Series its ``kind``.
        kind : str, default "line"
            ``line``, ``bar``, ``barh``, ``hist``, ``box``, ``kde`` or ``density``, ``area``, ``pie``, ``scatter`` or
            ``hexbin``.
        **options
            Options of the method.

        Raises
        ------
        ArgumentError
            If there is no such kind.
        """
        names = ("kind",) if self._rows.is_series else ("x", "y", "kind")
        if len(args) > len(names):
            raise ArgumentError(f"plot takes {', '.join(names)} by position, and the others by name.")
        given = dict(zip(names, args, strict=False))
        kind = given.pop("kind", kind)
        if kind not in KINDS:
            raise ArgumentError(f"there is no plot of the kind {kind!r}.", details=[f"kinds: {', '.join(KINDS)}"])
        options |= {name: value for name, value in given.items() if value is not None}
        return getattr(self, kind)(**options)

    def line(self, x: Any = None, y: Any = None, **options: Any) -> Any:
        """Draw columns as lines; for more than 10,000 rows the minimum and maximum per pixel.

        Parameters
        ----------
        x : str or int, optional
            The column along the axis; the labels of the rows by default.  For many rows it has numbers or times, and
            the line goes from the smallest to the largest, whatever the order of the rows.
        y : str, int or list, optional
            Columns to draw; all numeric columns by default.
        **options
            Options of ``pandas.DataFrame.plot``.

        Returns
        -------
        Axes or ndarray of them
            Of Matplotlib.

        Raises
        ------
        ArgumentTypeError
            If no column has numbers, or of many rows the axis has none.
        """
        return draw_lines(self._rows.chosen(x, y), options)

    def area(self, x: Any = None, y: Any = None, stacked: bool = True, **options: Any) -> Any:
        """Draw the areas below columns; for more than 10,000 rows the mean per pixel.  See `line`."""
        return draw_areas(self._rows.chosen(x, y), {"stacked": stacked, **options})

    def bar(self, x: Any = None, y: Any = None, **options: Any) -> Any:
        """Draw an upright bar for each row, of up to 1,000.

        Parameters
        ----------
        x : str or int, optional
            The column of labels; the labels of the rows by default.
        y : str, int or list, optional
            Columns to draw; all numeric columns by default.
        **options
            Options of ``pandas.DataFrame.plot``.

        Raises
        ------
        ArgumentError
            If there are more rows; reduce them first, for instance by groups.
        """
        return self._one_each("bar", x, y, options)

    def barh(self, x: Any = None, y: Any = None, **options: Any) -> Any:
        """Draw a level bar for each row, of up to 1,000.  See `bar`."""
        return self._one_each("barh", x, y, options)

    def pie(self, y: Any = None, **options: Any) -> Any:
        """Draw a slice for each row, of up to 1,000.  See `bar`."""
        if y is None and not self._rows.is_series and not options.get("subplots"):
            raise ArgumentError("pie draws one column.", hint="pass y='x', or subplots=True for all.")
        return self._one_each("pie", None, y, options)

    def hist(self, by: Any = None, bins: Any = 10, **options: Any) -> Any:
        """Draw histograms of columns in the same bins; this process receives only the counts.

        Parameters
        ----------
        by : str or list of str, optional
            Columns that the rows are grouped by, up to 36 groups: each has axes, with bins that all have in common.
        bins : int, str or sequence, default 10
            As of `hist`.
        **options
            ``range``, ``column`` and options of ``pandas.DataFrame.plot``.

        Raises
        ------
        ArgumentError
            If there are more groups, or the bins are as `hist` refuses them.
        """
        return draw_histograms(self._rows, self._columns(options), by, bins, options)

    def box(self, by: Any = None, **options: Any) -> Any:
        """Draw quartiles, whiskers and outliers of columns or groups of rows.

        Parameters
        ----------
        by : str or list of str, optional
            Columns that the rows are grouped by, up to 200 groups.
        **options
            ``column``, the columns to draw; ``whis``, the length of whiskers in heights of the box; ``figsize``,
            ``title`` and other options of axes; further ones are passed to `matplotlib.axes.Axes.bxp`, such as
            ``showfliers``.

        Returns
        -------
        Axes, or pandas Series of them with groups
            Matplotlib axes; one for each column, by its name.

        Raises
        ------
        ArgumentError
            If there are more groups.

        Notes
        -----
        Of values beyond the whiskers the least and the most of each of 500 steps is drawn: all that differ to the eye.
        """
        return draw_boxes(self._rows, self._columns(options), by, options)

    def kde(self, bw_method: Any = None, ind: Any = None, **options: Any) -> Any:
        """Draw smooth densities of columns, from counts in 16,384 bins.

        Parameters
        ----------
        bw_method : {"scott", "silverman"} or float, optional
            The width of the Gaussian kernels in standard deviations, or its rule; at least the width of a bin.
        ind : int or sequence of float, optional
            Points at which the density is drawn, or their number, 1000 by default.
        **options
            ``column`` and options of ``pandas.DataFrame.plot``.

        Raises
        ------
        ArgumentError
            If a column has fewer than two different values.
        """
        return draw_densities(self._columns(options), bw_method, ind, options)

    def density(self, x: Any = None, y: Any = None, **options: Any) -> Any:
        """Draw the density of two columns, in 256 x 256 bins; without `x` and `y` like `kde`, as in pandas.

        Parameters
        ----------
        x, y : str or int, optional
            The columns.
        **options
            ``bins`` and ``range`` as in `bins2d`, and options of `Bins2D.draw`; ``log=False`` colors by counts instead
            of their logarithms.

        Returns
        -------
        Axes
            Of Matplotlib.
        """
        if x is None and y is None:
            return self.kde(**options)
        self._demand_columns("density", x, y)
        return draw_density(self._rows, x, y, options)

    def scatter(self, x: Any, y: Any, s: Any = None, c: Any = None, **options: Any) -> Any:
        """Draw a mark for each row; for more than 10,000 rows their density in bins, on a logarithmic scale.

        Parameters
        ----------
        x, y : str or int
            The columns.
        s : str, float or sequence, optional
            Sizes of marks; for many rows only a number, which has no effect.
        c : str, color or sequence, optional
            Colors of marks; for many rows the column whose mean is drawn in each bin, or a color.
        **options
            Options of ``pandas.DataFrame.plot``; for many rows, of `density`.

        Returns
        -------
        Axes
            Of Matplotlib.

        Raises
        ------
        ArgumentError
            If many rows have sizes or colors of their own.
        """
        self._demand_columns("scatter", x, y)
        return draw_scatter(self._rows, (x, y), s, c, options)

    def hexbin(
        self,
        x: Any,
        y: Any,
        C: Any = None,
        reduce_C_function: Callable[..., Any] | None = None,
        gridsize: int | Sequence[int] | None = None,
        **options: Any,
    ) -> Any:
        """Draw the number of rows in each hexagon of two columns, or a reduction of another column.

        Parameters
        ----------
        x, y : str or int
            The columns.
        C : str or int, optional
            The column that is reduced.
        reduce_C_function : callable, optional
            ``np.mean``, the default, or ``np.sum``, ``min``, ``max``, ``median``, ``std`` or ``var``.
        gridsize : int or (int, int), optional
            Hexagons along the axes, 100 by default.
        **options
            ``extent``, ``mincnt``, ``bins`` and options of ``pandas.DataFrame.plot``.

        Raises
        ------
        ArgumentError
            If there is no reduction for the function.
        """
        self._demand_columns("hexbin", x, y)
        return draw_hexbin(self._rows, (x, y, C), reduce_C_function, gridsize, options)

    def _one_each(self, kind: str, x: Any, y: Any, options: dict[str, Any]) -> Any:
        rows = self._rows.chosen(x, y)
        rows.demand_few(kind)
        return rows.drawn_by_pandas(kind, options)

    def _columns(self, options: dict[str, Any]) -> DrawnRows:
        """Return the rows with the columns that options choose."""
        column, y = options.pop("column", None), options.pop("y", None)
        if column is None and y is None:
            return self._rows
        return self._rows.chosen(y=y if column is None else [column] if isinstance(column, str) else column)

    def _demand_columns(self, kind: str, x: Any, y: Any) -> None:
        if self._rows.is_series or x is None or y is None:
            raise ArgumentError(f"{kind} draws two columns of a DataFrame.", hint="pass x= and y=.")
