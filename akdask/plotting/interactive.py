"""Interactive pictures by hvPlot, which is handed the columns that a picture names."""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType, NoneType
from typing import Any

from akdask.plotting.axes import optional_package

DRAW_NAMED = frozenset(
    {None, "line", "step", "scatter", "area", "bar", "barh", "box", "violin", "hist", "kde", "density", "hexbin"}
    | {"bivariate"}
)
"""Kinds of pictures that draw no columns but those that their arguments name."""

AXES = ("by", "groupby", "row", "col", "hover_cols")
"""Options that name columns, beside x and y; others may, such as ``color``, or hold a name of something else."""


class InteractivePlots:
    """Pictures of a DataFrame or Series by hvPlot, which is loaded when something is drawn.

    Methods and arguments are those of hvPlot for frames of pandas: ``df.hvplot.scatter("x", "y", by="kind")``,
    ``df.hvplot(x="x", y="y", kind="line")``.

    Parameters
    ----------
    data : DataFrame or Series
        The rows, of either face.

    Raises
    ------
    ArgumentError
        At a call, if hvPlot is not installed.
    """

    def __init__(self, data: Any) -> None:
        self._data = data

    def _plots(self) -> Any:
        hvplot = optional_package("hvplot")
        hvplot.post_patch(check_loaded=True)
        return type("NamedColumnPlots", (NamedColumns, hvplot.hvPlotTabular), {})(self._data)

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Draw a picture of the kind ``kind=``, by default lines."""
        return self._plots()(*args, **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._plots(), name)

    def __dir__(self) -> list[str]:
        return [name for name in dir(self._plots()) if not name.startswith("_")]


class NamedColumns:
    """What hvPlot's class for frames of pandas does otherwise here: it computes the columns that a picture names."""

    _data: Any

    def _get_converter(self, x: Any = None, y: Any = None, kind: str | None = None, **options: Any) -> Any:
        names = None if self._data.ndim == 1 else columns_drawn(list(self._data.columns), kind, x, y, options)
        return self._in_pandas(names)._get_converter(x, y, kind, **options)

    def explorer(self, x: Any = None, y: Any = None, **options: Any) -> Any:
        """Return hvPlot's explorer of all rows; computes them."""
        return self._in_pandas(None).explorer(x, y, **options)

    def _in_pandas(self, names: list[Any] | None) -> Any:
        rows = self._data if names is None else self._data[names]
        return optional_package("hvplot").hvPlotTabular(rows.to_pandas())


def columns_drawn(columns: list[Any], kind: str | None, x: Any, y: Any, options: Mapping[str, Any]) -> list[Any] | None:
    """Return the columns that a picture draws, in their order; None for all, if it may draw some without naming them.

    Examples
    --------
    >>> columns_drawn(["a", "b", "c"], "scatter", "b", "a", {"color": "red"})
    ['a', 'b']
    >>> columns_drawn(["a", "b", "c"], "scatter", "b", None, {}) is None
    True
    """
    named = [*_entries(y), *_entries(x), *(name for option in AXES for name in _entries(options.get(option)))]
    plain = (str, int, float, list, tuple, FunctionType, NoneType)
    is_told = kind in DRAW_NAMED and y is not None and all(isinstance(item, plain) for item in options.values())
    if not is_told or not set(named) <= {*columns, "index"} or options.get("use_index") is False:
        return None
    wanted = {*named, *(item for option in options.values() for item in _entries(option) if isinstance(item, str))}
    return [name for name in columns if name in wanted] or None


def _entries(item: Any) -> list[Any]:
    """Return the entries of a list, or an item alone; none of None."""
    if isinstance(item, list | tuple):
        return [*item]
    return [] if item is None else [item]
