"""Boxes: quartiles, whiskers and outliers, of columns or groups of rows; and reductions per pixel of lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import numpy as np

from akdask.arrays.creation import array
from akdask.arrays.elementwise import cast, elementwise, where
from akdask.arrays.groupby import GroupBy
from akdask.columns.dtypes import FLOAT64
from akdask.deferred import pd
from akdask.engine.run import run
from akdask.engine.values import cast as to_type
from akdask.errors import ArgumentTypeError
from akdask.operators.reduce.plan import Aggregate, AggregateExpr
from akdask.plotting.axes import (
    MOST_POINTS,
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
    pyplot,
    split_options,
    step_numbers,
)
from akdask.records import record

PIXELS = 500
"""Steps of the axis; in each the smallest and largest value beyond the whiskers are drawn."""

MOST_BOXES = 200

QUARTILES = (0.25, 0.5, 0.75)


@record
class Box:
    """The drawn statistics of some values.

    Parameters
    ----------
    label : str
        Label of the values.
    quartiles : ndarray of float64, shape (3,)
        NaN of no values.
    whiskers : tuple of float
        The least and the most value that is not beyond.
    beyond : ndarray of float64
        Values beyond the whiskers, in order; of many, only distinguishable ones.
    """

    label: str
    quartiles: np.ndarray[Any, Any]
    whiskers: tuple[float, float]
    beyond: np.ndarray[Any, Any]

    def statistics(self) -> dict[str, Any]:
        """Return them by the names that Matplotlib has."""
        low, middle, high = self.quartiles
        ends = {"whislo": self.whiskers[0], "whishi": self.whiskers[1], "fliers": self.beyond}
        return {"label": self.label, "q1": low, "med": middle, "q3": high, **ends}


def draw_boxes(rows: DrawnRows, columns: DrawnRows, by: Any, options: dict[str, Any]) -> Any:
    """Draw a box for each of some columns, or for each group in axes for each column; return the axes."""
    keys = rows.keys(by)
    names = columns.beside("box", keys, columns.numbers("box"))
    whis = options.pop("whis", 1.5)
    of_axes, others = split_options(options)
    ax, color = others.pop("ax", None), others.pop("color", None)
    others.pop("legend", None)
    if color is not None:
        others |= {f"{part}props": {"color": color} for part in ("box", "whisker", "cap", "median")}
    if not keys:
        ax = drawing_axes(ax, of_axes.get("figsize"))
        boxes = boxes_of_columns(rows.axis_values("box", names), whis)
        ax.bxp([box.statistics() for box in boxes], **others)
        label_axes(ax, of_axes)
        return ax
    groups = [rows.columns.array(name) for name in keys]
    if ax is None:
        _, axes = pyplot().subplots(1, len(names), figsize=of_axes.get("figsize"), squeeze=False, layout="constrained")
    else:
        axes = np.array(ax, object).reshape(1, -1)
    for each, name, values in zip(axes.flat, names, rows.axis_values("box", names), strict=True):
        boxes = boxes_of_groups(values, groups, whis)
        if boxes:
            each.bxp([box.statistics() for box in boxes], **others)
        label_axes(each, {"title": name, **of_axes}, xlabel=", ".join(keys))
    return pd.Series(list(axes[0]), index=names)


def boxes_of_columns(columns: Sequence[AxisValues], whis: float = 1.5) -> list[Box]:
    """Return a box of each column; computes, in two passes and further ones for quantiles."""
    columns = on_common_rows("box", columns)
    floats = [to_type(column.value, FLOAT64) for column in columns]
    frame = columns[0].frame
    wanted = [AggregateExpr("quantile", value, q=QUARTILES, method="linear", skipna=True) for value in floats]
    (found,) = run(Aggregate(frame, tuple(wanted)))
    return [
        _boxes([column.label], AxisValues(column.label, frame, value), np.array([quartiles]), None, whis)[0]
        for column, value, quartiles in zip(columns, floats, found, strict=True)
    ]


def boxes_of_groups(values: AxisValues, keys: Sequence[Any], whis: float = 1.5) -> list[Box]:
    """Return a box of the values of each group, in the order of the keys; computes."""
    groups = DrawnGroups.of(keys, MOST_BOXES)
    # Pictures have floats.
    numbers = cast(values.array, np.float64)
    quartiles = dask.compute(*[groups.by.quantile(numbers, q)[1] for q in QUARTILES])
    return _boxes(groups.labels, AxisValues.of("box", numbers), np.column_stack(quartiles), groups.number, whis)


def _boxes(
    labels: Sequence[str], values: AxisValues, quartiles: np.ndarray[Any, Any], number: Any, whis: float
) -> list[Box]:
    """Return the boxes of groups, given each row's group number as float, or of one group if None; in two passes."""
    low, _, high = quartiles.T
    fences = (low - whis * (high - low), high + whis * (high - low))
    floats = values.array
    place, drawn = step_numbers(values, extents([values])[0] or NOTHING, PIXELS)
    if number is None:
        group: Any = 0
        lower, upper = (fence[0] for fence in fences)
    else:
        drawn &= elementwise("isfinite", number)
        group = cast(where(drawn, number, 0.0), np.int64)
        lower, upper = (array(fence)[group] for fence in fences)
    is_near = (floats >= lower) & (floats <= upper)
    cell = where(is_near, PIXELS, place) + group * (PIXELS + 1)
    keys, ends = GroupBy(where(drawn, cell, -1)).reduce_at_once([(floats, "min"), (floats, "max")])
    at, least, most = dask.compute(keys, *ends)
    boxes = []
    for row, label in enumerate(labels):
        first, last = np.searchsorted(at, [row * (PIXELS + 1), (row + 1) * (PIXELS + 1)])
        near = at[first:last] % (PIXELS + 1) == PIXELS
        smallest, largest = least[first:last], most[first:last]
        # As in Matplotlib, whiskers do not end inside the box.
        whiskers = (
            np.fmin.reduce([quartiles[row][0], *smallest[near]]),
            np.fmax.reduce([quartiles[row][2], *largest[near]]),
        )
        beyond = np.unique(np.concatenate([smallest[~near], largest[~near]]))
        boxes.append(Box(label, quartiles[row], whiskers, beyond))
    return boxes


CURVE_PIXELS = 2000
"""Steps along the axis of a line of many rows, as many as a wide plot on a fine screen has pixels."""


def draw_lines(rows: DrawnRows, options: dict[str, Any]) -> Any:
    """Draw a line for each column: through all rows, or through the least and the most of each pixel."""
    return _draw("line", rows, ("min", "max"), options)


def draw_areas(rows: DrawnRows, options: dict[str, Any]) -> Any:
    """Draw the area below each column: of all rows, or of the mean of each pixel, as means add up."""
    return _draw("area", rows, ("mean",), options)


def _draw(kind: str, rows: DrawnRows, reductions: Sequence[str], options: dict[str, Any]) -> Any:
    if len(rows) <= MOST_POINTS:
        return rows.drawn_by_pandas(kind, options)
    drawn: Any = by_pixel(kind, rows, reductions, CURVE_PIXELS)
    if rows.is_series:
        drawn = drawn.iloc[:, 0].rename(rows.name)
    return by_pandas(drawn, kind, **rows.labelled(kind, options))


def by_pixel(kind: str, rows: DrawnRows, reductions: Sequence[str], number: int) -> pd.DataFrame:
    """Return reductions of columns in a number of equal steps along the labels; computes, in two passes.

    Parameters
    ----------
    kind : str
        Kind of plot.
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


def middles(column: AxisValues, extent: Extent, number: int) -> Any:
    """Return the middles of the steps, as numbers or times."""
    _, (low, high) = column.counted_from(extent)
    return column.shown(low + (np.arange(number) + 0.5) * ((high - low) / number), extent)
