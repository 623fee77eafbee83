"""Statistics of the columns of a DataFrame, each in one pass over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, Self

import numpy as np

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.column_names import axis_number
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.build import arrays_of
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.missing import how_many, present
from akdask.collections.series.series import Series, by_column, series_of
from akdask.deferred import pd
from akdask.kernels.aggregates.quantiles import checked_quantiles
from akdask.plan.expr.values import Call, Constant, Value, cast
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr
from akdask.plan.run.run import run
from akdask.schema import FLOAT64


class StatisticsMethods(FrameBase):
    """Reductions of all columns of numbers.  They compute at once, since their results are small."""

    def count(self, axis: int | str = 0, numeric_only: bool = False) -> Series | pdarray:
        """Return the number of values that are not missing, of each column or row; computes for columns.

        NaN is missing, and so are NaT and the label for missing of a Categorical.

        Parameters
        ----------
        axis : {0, 1, "index", "columns"}
            Count the values of each column, or of each row.
        numeric_only : bool
            Look at columns of numbers and bool only.

        Returns
        -------
        Series of int64
            By the names of the columns, or lazy by the labels of the rows.

        Raises
        ------
        ArgumentError
            If there is no such axis.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1.0, float("nan")], "y": [1, 2]})
        >>> df.count().to_dict(), df.count(axis=1).tolist()
        ({'x': 1, 'y': 2}, [2, 1])
        """
        columns = self._columns
        names = list(_numbers(columns)) if numeric_only else list(columns.values)
        are_present = [present(columns, name) for name in names]
        if axis_number(axis) == 1:
            return series_of(columns, pdarray(columns.frame, how_many(are_present) if are_present else Constant(0)))
        counts = _reduced(columns, [AggregateExpr("count_nonzero", is_present) for is_present in are_present])
        return by_column(counts, names, np.int64)

    def sum(self) -> Series:
        """Return the sum of each column of numbers; computes."""
        return self._each("sum")

    def mean(self) -> Series:
        """Return the mean of each column of numbers; computes.  NaN where a value is NaN, as in Arkouda."""
        return self._each("mean")

    def min(self) -> Series:
        """Return the smallest value of each column of numbers; computes."""
        return self._each("min")

    def max(self) -> Series:
        """Return the largest value of each column of numbers; computes."""
        return self._each("max")

    def std(self, ddof: int = 1) -> Series:
        """Return the standard deviation of each column of numbers; computes."""
        return self._each("std", ddof=ddof)

    def var(self, ddof: int = 1) -> Series:
        """Return the variance of each column of numbers; computes."""
        return self._each("var", ddof=ddof)

    def median(self) -> Series:
        """Return the median of each column of numbers, NaN left out as in pandas; computes.  See `quantile`."""
        return self._each("quantile", skipna=True)

    def quantile(self, q: float | Sequence[float] = 0.5, interpolation: str = "linear") -> Series | pd.DataFrame:
        """Return quantiles of each column of numbers, NaN left out as in pandas; computes.

        Parameters
        ----------
        q : float or sequence of float
            Which quantiles, from 0 to 1.
        interpolation : str
            How to choose between two values, by the names of ``numpy.quantile``; see `pdarray.quantile`.

        Returns
        -------
        Series, or pandas.DataFrame with a row for each of several quantiles
            By the names of the columns.

        Raises
        ------
        ArgumentError
            If `q` is not from 0 to 1, there is no such method, or a column of integers has no rows to choose from.
        """
        wanted = checked_quantiles(q, interpolation)
        names, found = self._reduced("quantile", q=wanted, method=interpolation, skipna=True)
        if isinstance(wanted, float):
            return by_column(found, names, name=wanted)
        return pd.DataFrame(dict(zip(names, found, strict=True)), index=pd.Index(wanted, dtype=np.float64))

    def corr(self) -> Self:
        """Return the correlation of each pair of columns of numbers as a DataFrame; computes, in two passes.

        Its rows are labelled by the names of the columns.  NaN where a value of either is NaN, as in Arkouda, or where
        all are the same.  Strings and Categoricals are left out: their codes measure nothing.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [1, 2], "y": [-1, -2]}).corr().to_pandas(retain_index=True)
             x    y
        x  1.0 -1.0
        y -1.0  1.0
        """
        numbers = _numbers(self._columns)
        floats = [cast(value, FLOAT64) for value in numbers.values()]
        means = _reduced(self._columns, [AggregateExpr("mean", value) for value in floats])
        centred = [Call("subtract", value, Constant(mean)) for value, mean in zip(floats, means, strict=True)]
        pairs = list(combinations_with_replacement(range(len(centred)), 2))
        products = [AggregateExpr("sum", Call("multiply", centred[one], centred[other])) for one, other in pairs]
        found = np.zeros((len(centred), len(centred)))
        for (one, other), total in zip(pairs, _reduced(self._columns, products), strict=True):
            found[one, other] = found[other, one] = total
        widths = np.sqrt(found.diagonal())
        with np.errstate(all="ignore"):
            correlations = found / np.outer(widths, widths)
        arrays = arrays_of(dict(zip(numbers, correlations.T, strict=True)))
        return self._of(ColumnSet.of(arrays, array(list(numbers)) if numbers else None))

    def _each(self, name: str, **params: Any) -> Series:
        names, found = self._reduced(name, **params)
        return by_column(found, names)

    def _reduced(self, name: str, **params: Any) -> tuple[list[str], list[Any]]:
        """Return the columns of numbers, and a reduction of each."""
        numbers = _numbers(self._columns)
        return list(numbers), _reduced(
            self._columns, [AggregateExpr(name, value, **params) for value in numbers.values()]
        )


def _numbers(columns: ColumnSet) -> dict[str, Value]:
    """Return the columns of numbers; codes of a Categorical are none, nor is what shows as something else."""
    return {
        name: value
        for name, value in columns.values.items()
        if isinstance(columns.kinds[name], pdarray) and columns.kinds[name]._pandas_converter() is None
    }


def _reduced(columns: ColumnSet, reductions: Sequence[AggregateExpr]) -> list[Any]:
    if not reductions:
        return []
    (results,) = run(Aggregate(columns.frame, tuple(reductions)))
    return results
