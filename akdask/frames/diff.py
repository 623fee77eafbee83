"""`DiffAggregate`: differences of successive values of groups, and reductions of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.creation import full
from akdask.arrays.elementwise import cast, where
from akdask.arrays.families import reduction
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.shapes import concatenate
from akdask.arrays.ufuncs import isnan
from akdask.errors import ArgumentTypeError
from akdask.frames.series import Series


def _of_groups(differences: DiffAggregate, name: str) -> Series:
    """Return {what} of the differences in each group, NaN left out; lazy."""
    keys, found = differences.gb.aggregate(differences.values, name)
    return Series((keys, found))


class DiffAggregate:
    """Differences of successive values of each group, as `DataFrameGroupBy.diff` gives them.

    Parameters
    ----------
    gb : GroupBy
        The groups.
    series : pdarray or Series
        The numbers, on the rows of the keys.

    Raises
    ------
    ArgumentTypeError
        If these are no numbers.

    Notes
    -----
    Reductions are Series labelled by the keys, as in Arkouda.
    """

    def __init__(self, gb: GroupBy, series: Any) -> None:
        self.gb = gb
        self.values = _differences(gb, series.values if isinstance(series, Series) else series)

    sum = reduction("sum", _of_groups)
    prod = reduction("prod", _of_groups)
    mean = reduction("mean", _of_groups)
    var = reduction("var", _of_groups)
    std = reduction("std", _of_groups)
    count = reduction("count", _of_groups)
    min = reduction("min", _of_groups)
    max = reduction("max", _of_groups)
    median = reduction("median", _of_groups)
    argmin = reduction("argmin", _of_groups)
    argmax = reduction("argmax", _of_groups)
    any = reduction("any", _of_groups)
    all = reduction("all", _of_groups)
    first = reduction("first", _of_groups)
    mode = reduction("mode", _of_groups)
    nunique = reduction("nunique", _of_groups)
    unique = reduction("unique", _of_groups)

    def quantile(self, q: float = 0.5, interpolation: str = "linear") -> Series:
        """Return a quantile of the differences in each group, NaN left out; lazy."""
        keys, found = self.gb.quantile(self.values, q, method=interpolation)
        return Series((keys, found))

    def xor(self) -> Series:
        """Return the differences in each group, as integers, combined by exclusive or, NaN left out; lazy."""
        return self._combined("XOR", 0)

    def or_(self) -> Series:
        """Return the differences in each group, as integers, combined bit by bit by or, NaN left out; lazy."""
        return self._combined("OR", 0)

    def and_(self) -> Series:
        """Return the differences in each group, as integers, combined bit by bit by and, NaN left out; lazy."""
        return self._combined("AND", -1)

    def _combined(self, name: str, nothing: int) -> Series:
        """Return bits combined; NaN, the only difference of a group of one row, count as the neutral element."""
        numbers = cast(where(isnan(self.values), float(nothing), self.values), "int64")
        keys, found = getattr(self.gb, name)(numbers)
        return Series((keys, found))


def _differences(groups: GroupBy, values: Array) -> pdarray:
    """Return each value less the one before it in its group, as float64 on the rows of the values.

    NaN for the first ones of groups, and for rows that are in none.
    """
    if not isinstance(values, Array):
        raise ArgumentTypeError(f"differences need numbers, not {type(values).__name__}.")
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
