"""Lists in memory: an Arrow large_list, whose values are a column of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.columns.dtypes import ColumnType
from akdask.deferred import is_arrow, pa
from akdask.typing import Column, NumberArray


def offsets_of(lists: pa.LargeListArray) -> NumberArray:
    """Return where each list starts among `values_of`, and where the last ends: shape (n + 1,), int64."""
    offsets = np.asarray(lists.offsets) if len(lists) else np.zeros(1, np.int64)
    starts: NumberArray = offsets - offsets[0]
    return starts


def values_of(lists: pa.LargeListArray, item: ColumnType) -> Column:
    """Return the values of all lists, end to end, as a column of the type `item`."""
    offsets = lists.offsets
    values = lists.values.slice(offsets[0].as_py(), offsets[-1].as_py() - offsets[0].as_py()) if len(lists) else None
    return from_arrow(lists.values.slice(0, 0) if values is None else values, item)


def lists_of(offsets: NumberArray, values: Column) -> pa.LargeListArray:
    """Return lists of values, given where each starts and the last ends."""
    items = values if is_arrow(values, "Array") else pa.array(values)
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), items)


def from_arrow(values: Any, item: ColumnType) -> Column:
    """Return an Arrow array as a column: numbers as NumPy arrays."""
    if not item.is_number:
        return values
    return values.to_numpy(zero_copy_only=False).astype(item.numpy, copy=False)
