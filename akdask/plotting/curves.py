"""Lines and areas: of more rows than a picture has pixels across, what each pixel shows of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import numpy as np

from akdask.collections.arrays.elementwise import where
from akdask.collections.groups.groupby import GroupBy
from akdask.deferred import pd
from akdask.errors import ArgumentTypeError
from akdask.plotting.axis_values import NOTHING, extents, on_common_rows
from akdask.plotting.canvas import by_pandas
from akdask.plotting.drawn_rows import MOST_POINTS, DrawnRows
from akdask.plotting.steps import middles, step_numbers

PIXELS = 2000
"""Steps along the axis of a line of many rows: a wide picture on a fine screen has as many."""


def draw_lines(rows: DrawnRows, options: dict[str, Any]) -> Any:
    """Draw a line for each column: through all rows, or through the least and the most of each pixel."""
    return _draw("line", rows, ("min", "max"), options)


def draw_areas(rows: DrawnRows, options: dict[str, Any]) -> Any:
    """Draw the area below each column: of all rows, or of the mean of each pixel, as means add up."""
    return _draw("area", rows, ("mean",), options)


def _draw(kind: str, rows: DrawnRows, reductions: Sequence[str], options: dict[str, Any]) -> Any:
    if len(rows) <= MOST_POINTS:
        return rows.drawn_by_pandas(kind, options)
    drawn: Any = by_pixel(kind, rows, reductions, PIXELS)
    if rows.is_series:
        drawn = drawn.iloc[:, 0].rename(rows.name)
    return by_pandas(drawn, kind, **rows.labelled(kind, options))


def by_pixel(kind: str, rows: DrawnRows, reductions: Sequence[str], number: int) -> pd.DataFrame:
    """Return what columns come to in each of a number of steps along the labels; computes, in two passes.

    Parameters
    ----------
    kind : str
        What is drawn.
    rows : DrawnRows
        The columns, on labels that are numbers or times.
    reductions : sequence of str
        Names of reductions: each gives a row for each step that has rows.
    number : int
        How many steps.

    Returns
    -------
    pandas.DataFrame
        Labelled by the middles of the steps.  NaN and infinities are left out of a step
        that has others.

    Raises
    ------
    ArgumentTypeError
        If the labels have no place on an axis, or no column has numbers.
    """
    names = rows.numbers(kind) if "mean" in reductions else rows.plottable(kind)
    try:
        labels = rows.labels(kind)
    except ArgumentTypeError as error:
        raise ArgumentTypeError(
            f"{kind} of {len(rows):,} rows needs numbers or times along the axis.",
            details=[error.message],
            hint="pass x=, a column of numbers or times, or reduce rows first: groupby, head.",
        ) from error
    labels, *values = on_common_rows(kind, [labels, *rows.axis_values(kind, names)])
    extent = extents([labels])[0] or NOTHING
    place, inside = step_numbers(labels, extent, number)
    groups = GroupBy(where(inside, place, -1))
    keys, found = groups.reduce_at_once(
        [(column.finite, name) for column in values for name in reductions], skipna=True
    )
    at, *results = dask.compute(keys, *found)
    is_inside = at >= 0
    index = middles(labels, extent, number)[at[is_inside]]
    columns = {
        name: np.column_stack(results[start : start + len(reductions)])[is_inside].ravel()
        for name, start in zip(names, range(0, len(results), len(reductions)), strict=True)
    }
    return pd.DataFrame(columns, index=pd.Index(np.repeat(index, len(reductions)), name=labels.label or None))
