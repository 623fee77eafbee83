"""Statistics of the columns of a DataFrame, each in one pass over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pandas as pd

from akdask.collections.columnset import ColumnSet
from akdask.collections.frame_base import FrameBase
from akdask.collections.frame_missing import present
from akdask.collections.pdarray import pdarray
from akdask.errors import ArgumentTypeError
from akdask.plan.reduce import Aggregate, Reduction
from akdask.plan.run import run
from akdask.plan.values import Call, Constant, Value, cast
from akdask.schema import FLOAT64

DESCRIBED: dict[str, dict[str, Any]] = {"count": {}, "mean": {}, "std": {"ddof": 1}, "min": {}, "max": {}}


class StatisticsMethods(FrameBase):
    """Reductions of all columns of numbers.  They compute, for what they return is small."""

    def count(self, axis: int = 0, numeric_only: bool = False) -> pd.Series:
        """Return the number of values that are not missing, of each column; computes.

        NaN is missing, and so is the label for missing of a Categorical.
        """
        columns = self._columns
        names = list(_numbers(columns)) if numeric_only else list(columns.values)
        marks = [present(columns, name) for name in names]
        counts = _reduced(columns, [Reduction("count_nonzero", mark) for mark in marks])
        return pd.Series(counts, index=names, dtype=np.int64)

    def sum(self) -> pd.Series:
        """Return the sum of each column of numbers; computes."""
        return self._each("sum")

    def mean(self) -> pd.Series:
        """Return the mean of each column of numbers; computes.  NaN where a value is NaN, as in Arkouda."""
        return self._each("mean")

    def min(self) -> pd.Series:
        """Return the smallest value of each column of numbers; computes."""
        return self._each("min")

    def max(self) -> pd.Series:
        """Return the largest value of each column of numbers; computes."""
        return self._each("max")

    def std(self, ddof: int = 1) -> pd.Series:
        """Return the standard deviation of each column of numbers; computes."""
        return self._each("std", ddof=ddof)

    def var(self, ddof: int = 1) -> pd.Series:
        """Return the variance of each column of numbers; computes."""
        return self._each("var", ddof=ddof)

    def describe(self) -> pd.DataFrame:
        """Return count, mean, standard deviation, minimum and maximum of each column of numbers; computes, in one pass.

        Raises
        ------
        ArgumentTypeError
            If no column has numbers.
        """
        numbers = _numbers(self._columns)
        if not numbers:
            raise ArgumentTypeError("describe needs columns of numbers.", details=[f"types: {self.dtypes}"])
        wanted = [Reduction(name, value, **params) for value in numbers.values() for name, params in DESCRIBED.items()]
        found = np.array(_reduced(self._columns, wanted), np.float64).reshape(len(numbers), len(DESCRIBED))
        return pd.DataFrame(found.T, index=list(DESCRIBED), columns=list(numbers))

    def corr(self) -> pd.DataFrame:
        """Return the correlation of each pair of columns of numbers; computes, in two passes.

        NaN where a value of either is NaN, as in Arkouda, or where all are the same.
        """
        numbers = _numbers(self._columns)
        floats = [cast(value, FLOAT64) for value in numbers.values()]
        means = _reduced(self._columns, [Reduction("mean", value) for value in floats])
        centred = [Call("subtract", value, Constant(mean)) for value, mean in zip(floats, means, strict=True)]
        pairs = list(combinations_with_replacement(range(len(centred)), 2))
        products = [Reduction("sum", Call("multiply", centred[one], centred[other])) for one, other in pairs]
        found = np.zeros((len(centred), len(centred)))
        for (one, other), total in zip(pairs, _reduced(self._columns, products), strict=True):
            found[one, other] = found[other, one] = total
        widths = np.sqrt(found.diagonal())
        with np.errstate(all="ignore"):
            return pd.DataFrame(found / np.outer(widths, widths), index=list(numbers), columns=list(numbers))

    def _each(self, name: str, **params: Any) -> pd.Series:
        numbers = _numbers(self._columns)
        found = _reduced(self._columns, [Reduction(name, value, **params) for value in numbers.values()])
        return pd.Series(found, index=list(numbers))


def _numbers(columns: ColumnSet) -> dict[str, Value]:
    """Return the columns of numbers; codes of a Categorical are none, nor is what shows as something else."""
    return {
        name: value
        for name, value in columns.values.items()
        if isinstance(columns.kinds[name], pdarray) and columns.kinds[name]._pandas_form() is None
    }


def _reduced(columns: ColumnSet, reductions: Sequence[Reduction]) -> list[Any]:
    if not reductions:
        return []
    (results,) = run(Aggregate(columns.frame, tuple(reductions)))
    return results
