"""`DiffAggregate`: differences of successive values of groups, and reductions of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.collections.arrays.creation import full
from akdask.collections.arrays.elementwise import cast
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.groups.groupby import GroupBy
from akdask.collections.text.concatenation import concatenate
from akdask.errors import ArgumentTypeError

if TYPE_CHECKING:
    from akdask.collections.frame.groupby import DataFrameGroupBy
    from akdask.collections.frame_core.rows import RowMethods


def _method(name: str) -> Callable[[DiffAggregate], RowMethods]:
    """Declare the method of one reduction."""

    def method(self: DiffAggregate) -> RowMethods:
        return self._reduced(name)

    method.__name__ = name
    method.__doc__ = f"Return ``{name}`` of the differences of each group, without NaN; lazy."
    return method


class DiffAggregate:
    """Differences of successive values of each group of a DataFrame, as `DataFrameGroupBy.diff` gives them.

    Parameters
    ----------
    groups : DataFrameGroupBy
        The groups.
    colname : str
        The column of numbers.

    Raises
    ------
    ArgumentTypeError
        If the column has no numbers.

    Notes
    -----
    Reductions are DataFrames with one row for each group, as those of `DataFrameGroupBy` are.
    """

    def __init__(self, groups: DataFrameGroupBy, colname: str) -> None:
        self._groups = groups
        self._colname = colname
        self.gb = groups.gb
        self.values = _differences(self.gb, groups.df._columns.array(colname))

    sum, prod, mean, var, std, count = map(_method, ("sum", "prod", "mean", "var", "std", "count"))
    min, max, median, argmin, argmax = map(_method, ("min", "max", "median", "argmin", "argmax"))
    any, all, first, mode = map(_method, ("any", "all", "first", "mode"))
    nunique, unique = map(_method, ("nunique", "unique"))

    def _reduced(self, name: str) -> RowMethods:
        keys, found = self.gb.aggregate(self.values, name)
        return self._groups._frame(keys, {self._colname: found})


def _differences(groups: GroupBy, values: Array) -> pdarray:
    """Return each value less the one before it in its group, as float64 on the rows of the values.

    NaN for the first ones of groups, and for rows that are in none.
    """
    if type(values) is not pdarray or values._value.dtype.kind not in ("int", "uint", "float"):
        raise ArgumentTypeError(f"differences need a column of numbers, not {values._describe()}.")
    permutation = groups.permutation
    # Unsigned numbers would wrap around where they fall.
    together = (cast(values, "float64") if values._value.dtype.kind == "uint" else values)[permutation]
    steps: Any = cast(together - concatenate([together[:1], together[:-1]]), "float64")
    steps[groups.segments] = np.nan
    found = full(len(values), np.nan)
    found[permutation] = steps
    return found
