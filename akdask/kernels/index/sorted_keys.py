"""A column in order, and where other values would have to be put into it.

Measured on one thread, 20 M sorted integers of 64 bits and values in no order: 1,640 ns a value by NumPy, which waits
for memory at each of 25 steps, and 210 by the compiled loop, which takes each step for many values before the next.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from akdask.columns.bigint import to_ints
from akdask.deferred import is_arrow, pa
from akdask.kernels import compiled
from akdask.kernels.core.exact import compare, is_mixed
from akdask.kernels.core.sized import Sized
from akdask.kernels.keys.normalized import word
from akdask.typing import Column, NumberArray

Side = Literal["left", "right"]


class SortedKeys(Sized):
    """A column whose rows ascend, to be searched.

    Examples
    --------
    >>> SortedKeys(np.array([1.5, 2.5, 2.5])).search(np.array([2.5, np.nan]), "left").tolist()
    [1, 3]
    """

    def __init__(self, column: Column) -> None:
        self._dtype = column.dtype if isinstance(column, np.ndarray) else None
        self._table = _comparable(column)

    def search(self, values: Column, side: Side, out: NumberArray | None = None) -> NumberArray:
        """Return how many rows come before each value, or before what follows it.

        Numbers may be of another type than the column; they are compared as what they are.
        """
        if self._dtype is not None and values.dtype != self._dtype and is_mixed(values, np.empty(0, self._dtype)):
            return self._search_others(values, side, out)
        wanted = _comparable(values)
        found = np.empty(len(wanted), np.int64) if out is None else out
        if len(self._table) and wanted.dtype == np.uint64 and compiled.should_compile(len(wanted)):
            from akdask.kernels.compiled.compiler import read_only
            from akdask.kernels.compiled.index.search import search_sorted

            search_sorted(read_only(self._table), read_only(wanted), side == "right", found)
        else:
            found[...] = self._table.searchsorted(wanted, side)
        return found

    def _search_others(self, values: Column, side: Side, out: NumberArray | None) -> NumberArray:
        """Search for the next numbers of the column's type: upwards where equal rows come after, else downwards."""
        assert self._dtype is not None
        if self._dtype.kind == "f":
            beside = values.astype(np.float64)
            if side == "left":
                nearest = np.where(compare(np.less, beside, values), np.nextafter(beside, np.inf), beside)
            else:
                nearest = np.where(compare(np.greater, beside, values), np.nextafter(beside, -np.inf), beside)
            return self.search(nearest, side, out)
        limits = np.iinfo(self._dtype)
        below = compare(np.less, values, self._dtype.type(limits.min))
        # NaN is after all numbers.
        above = ~compare(np.less_equal, values, self._dtype.type(limits.max))
        inside = np.where(below | above, values.dtype.type(0), values)
        if values.dtype.kind == "f":
            inside = np.ceil(inside) if side == "left" else np.floor(inside)
        found = self.search(inside.astype(self._dtype), side, out)
        found[below], found[above] = 0, len(self._table)
        return found


def _comparable(column: Column) -> NumberArray:
    """Return what NumPy compares as the rows are compared: words of numbers, integers of Python, or text."""
    if isinstance(column, np.ndarray):
        return word(column, 0)
    if is_arrow(column, "FixedSizeBinaryArray"):
        return np.array(to_ints(column), object)
    # Of missing text too, whose byte is behind those of all other.
    return np.array(column.view(pa.large_binary()).to_pylist(), dtype=bytes)
