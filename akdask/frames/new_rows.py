"""Appended rows: assignment by `loc` to a label that no row has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import labels_in_order
from akdask.arrays.datetimes import Datetime
from akdask.arrays.timearray import TimeArray
from akdask.deferred import pd
from akdask.engine.sources import counted
from akdask.errors import LabelTypeError
from akdask.frames.alignment import missing_like
from akdask.frames.columnset import ColumnSet
from akdask.frames.construction import arrays_of
from akdask.frames.elementwise import is_nothing
from akdask.frames.rows_by_label import kind_of, label_in


def with_row(columns: ColumnSet, label: Any, items: Mapping[str, Any]) -> ColumnSet:
    """Return columns with one row more, which has a label; lazy.

    Parameters
    ----------
    columns : ColumnSet
        The columns.
    label : scalar
        The label, of a kind that labels of the rows have.
    items : mapping of str to scalar
        The items of the row by the names of columns; missing for columns that it lacks.

    Raises
    ------
    LabelTypeError
        If labels are of another kind.
    SchemaError
        If an item is of another kind than its column.
    """
    below = ColumnSet.of(_items(columns, items), _label_like(columns.index_array(), label), columns.index_name)
    from akdask.frames.join import stacked

    found: ColumnSet = stacked([columns.numbered(), below])
    return found


def with_row_of_levels(columns: ColumnSet, items: Mapping[str, Any]) -> ColumnSet:
    """Return columns, of which some are levels of labels, with one row more; lazy.  See `with_row`."""
    from akdask.frames.join import stacked

    found: ColumnSet = stacked([columns, ColumnSet.of(_items(columns, items))])
    return found


def _items(columns: ColumnSet, items: Mapping[str, Any]) -> dict[str, Array]:
    return {name: _one_like(columns.array(name), items.get(name)) for name in columns.values}


def _one_like(array: Array, item: Any) -> Array:
    """Return an item as an array of one element that may stand below another."""
    if is_nothing(item):
        return missing_like(counted(1), array)
    if isinstance(array, Categorical) and item in labels_in_order(array._category_table):
        made = arrays_of({"": [item]})[""]
        return Categorical.of(made._frame, array._category_table.code_of(made._value), array._category_table)
    if isinstance(array, Datetime) and array.tz is not None:
        item = pd.DatetimeIndex([item])
        return arrays_of({"": item.tz_convert(array.tz) if item.tz is not None else item})[""]
    if isinstance(array, TimeArray):
        return arrays_of({"": pd.Index([item])})[""]
    return arrays_of({"": [item]})[""]


def _label_like(own: Array, label: Any) -> Array:
    """Return a label as an array of one element.

    Raises
    ------
    LabelTypeError
        If it is of another kind than labels that there are.
    """
    is_real = isinstance(label, int | float | np.number) and not isinstance(label, bool | np.bool_)
    if kind_of(own) == "number" and is_real and not is_nothing(label):
        return _one_like(own, label)
    fits, found = label_in(own, label)
    if not fits:
        raise LabelTypeError(
            f"labels are {own._type_name()}, and {label!r} is no label for a new row.",
            hint="give the rows other labels first, by set_axis or set_index.",
        )
    return _one_like(own, found)
