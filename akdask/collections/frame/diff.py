"""`DiffAggregate`: differences of successive values of groups, and reductions of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Protocol, TypeVar

import numpy as np

from akdask.collections.arrays.creation import full
from akdask.collections.arrays.elementwise import cast, where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.ufuncs import isnan
from akdask.collections.core.array import Array
from akdask.collections.frame_core.rows import RowMethods
from akdask.collections.groups.groupby import GroupBy
from akdask.collections.text.concatenation import concatenate
from akdask.errors import ArgumentTypeError

Rows = TypeVar("Rows", bound=RowMethods)


class FrameGroups(Protocol[Rows]):
    """What is used of a `DataFrameGroupBy`."""

    gb: GroupBy
    df: Rows

    def _frame(self, keys: Any, results: Mapping[str, Array]) -> Rows:
        """Return a DataFrame of results, labelled by the keys of the groups."""
        ...


class DiffAggregate(Generic[Rows]):
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

    def __init__(self, groups: FrameGroups[Rows], colname: str) -> None:
        self._groups = groups
        self._colname = colname
        self.gb = groups.gb
        self.values = _differences(self.gb, groups.df._columns.array(colname))

    def sum(self) -> Rows:
        """Return the sum of the differences in each group, NaN left out; lazy."""
        return self._reduced("sum")

    def prod(self) -> Rows:
        """Return the product of the differences in each group, NaN left out; lazy."""
        return self._reduced("prod")

    def mean(self) -> Rows:
        """Return the mean of the differences in each group, NaN left out; lazy."""
        return self._reduced("mean")

    def var(self) -> Rows:
        """Return the variance of the differences in each group, NaN left out; lazy."""
        return self._reduced("var")

    def std(self) -> Rows:
        """Return the standard deviation of the differences in each group, NaN left out; lazy."""
        return self._reduced("std")

    def count(self) -> Rows:
        """Return the number of differences in each group, NaN left out; lazy."""
        return self._reduced("count")

    def min(self) -> Rows:
        """Return the smallest difference in each group, NaN left out; lazy."""
        return self._reduced("min")

    def max(self) -> Rows:
        """Return the largest difference in each group, NaN left out; lazy."""
        return self._reduced("max")

    def median(self) -> Rows:
        """Return the median of the differences in each group, NaN left out; lazy."""
        return self._reduced("median")

    def quantile(self, q: float = 0.5, interpolation: str = "linear") -> Rows:
        """Return a quantile of the differences in each group, NaN left out; lazy."""
        keys, found = self.gb.quantile(self.values, q, method=interpolation)
        return self._groups._frame(keys, {self._colname: found})

    def argmin(self) -> Rows:
        """Return the row of the first smallest difference in each group, NaN left out; lazy."""
        return self._reduced("argmin")

    def argmax(self) -> Rows:
        """Return the row of the first largest difference in each group, NaN left out; lazy."""
        return self._reduced("argmax")

    def any(self) -> Rows:
        """Return whether any difference is not 0 in each group, NaN left out; lazy."""
        return self._reduced("any")

    def all(self) -> Rows:
        """Return whether no difference is 0 in each group, NaN left out; lazy."""
        return self._reduced("all")

    def xor(self) -> Rows:
        """Return the differences in each group, as integers, combined by exclusive or, NaN left out; lazy."""
        return self._combined("XOR", 0)

    def or_(self) -> Rows:
        """Return the differences in each group, as integers, combined bit by bit by or, NaN left out; lazy."""
        return self._combined("OR", 0)

    def and_(self) -> Rows:
        """Return the differences in each group, as integers, combined bit by bit by and, NaN left out; lazy."""
        return self._combined("AND", -1)

    def first(self) -> Rows:
        """Return the first difference in each group, NaN left out; lazy."""
        return self._reduced("first")

    def mode(self) -> Rows:
        """Return the commonest difference in each group, NaN left out; lazy."""
        return self._reduced("mode")

    def nunique(self) -> Rows:
        """Return the number of distinct differences in each group, NaN left out; lazy."""
        return self._reduced("nunique")

    def unique(self) -> Rows:
        """Return the distinct differences in each group, NaN left out; lazy."""
        return self._reduced("unique")

    def _combined(self, name: str, nothing: int) -> Rows:
        """Return bits combined; NaN are replaced by what changes nothing, and are all that a group of one row has."""
        numbers = cast(where(isnan(self.values), float(nothing), self.values), "int64")
        keys, found = getattr(self.gb, name)(numbers)
        return self._groups._frame(keys, {self._colname: found})

    def _reduced(self, name: str) -> Rows:
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
    ordered = (cast(values, "float64") if values._value.dtype.kind == "uint" else values)[permutation]
    steps: Any = cast(ordered - concatenate([ordered[:1], ordered[:-1]]), "float64")
    steps[groups.segments] = np.nan
    found = full(len(values), np.nan)
    found[permutation] = steps
    return found
