"""Statistics of the columns of a DataFrame, each in one pass over the rows; over each column where NaN is left out."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import Any, Self

import numpy as np

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.statistics import pivot_of
from akdask.collections.core.column_names import axis_number
from akdask.collections.core.selection import filter_columns
from akdask.collections.frame.columnwise.row_reductions import reduced_rows
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.build import arrays_of
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.missing import can_be_missing, how_many, present
from akdask.collections.series.series import Series, by_column, series_of
from akdask.deferred import pd
from akdask.kernels.aggregates.quantiles import checked_quantiles
from akdask.plan.expr import missing_integers
from akdask.plan.expr.values import Call, Constant, Value, cast
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr
from akdask.plan.run.run import run
from akdask.schema import FLOAT64, INT64, UINT64


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
        if axis_number(axis) == 1:
            are_present = [present(columns, name) for name in names]
            return series_of(columns, pdarray(columns.frame, how_many(are_present) if are_present else Constant(0)))
        nullable = [name for name in names if can_be_missing(columns.kinds[name], columns.values[name])]
        wanted = [present(columns, name) for name in nullable]
        size = columns.frame.rows.size
        if size is None and len(nullable) < len(names):
            # All other columns have a value in each row, and are not read for it.
            wanted.append(Constant(True))
        found = _reduced(columns, [AggregateExpr("count_nonzero", value) for value in wanted])
        counts = dict.fromkeys(names, found[-1] if size is None and found else size)
        counts |= dict(zip(nullable, found, strict=False))
        return by_column(list(counts.values()), names, np.int64)

    def sum(self, axis: int | str = 0, skipna: bool = False, numeric_only: bool = False) -> Any:
        """Return the sum of each column of numbers, or of each row; computes for columns, lazy for rows.

        Parameters
        ----------
        axis : {0, 1, "index", "columns"}
            Reduce each column, or the columns of numbers in each row.
        skipna : bool, default False
            Leave NaN out, as pandas does unless told otherwise; by itself the result is NaN where a value is, as in
            Arkouda.
        numeric_only : bool
            Accepted for compatibility with pandas: only columns of numbers and bool are reduced in any case.

        Returns
        -------
        Series
            By the names of the columns, or by the labels of the rows.

        Raises
        ------
        ArgumentError
            If there is no such axis.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1.0, float("nan")], "y": [3, 4]})
        >>> df.sum(skipna=True).to_dict(), df.sum(axis=1).tolist()
        ({'x': 1.0, 'y': 7.0}, [4.0, nan])
        """
        return self._each("sum", axis, skipna)

    def mean(self, axis: int | str = 0, skipna: bool = False, numeric_only: bool = False) -> Any:
        """Return the mean of each column of numbers, or of each row.  See `sum`."""
        return self._each("mean", axis, skipna)

    def min(self, axis: int | str = 0, skipna: bool = False, numeric_only: bool = False) -> Any:
        """Return the smallest value of each column of numbers, or of each row.  See `sum`."""
        return self._each("min", axis, skipna)

    def max(self, axis: int | str = 0, skipna: bool = False, numeric_only: bool = False) -> Any:
        """Return the largest value of each column of numbers, or of each row.  See `sum`."""
        return self._each("max", axis, skipna)

    def prod(self, skipna: bool = False, numeric_only: bool = False) -> Series:
        """Return the product of each column of numbers; computes.  See `sum`."""
        return self._each("prod", 0, skipna)

    def std(self, ddof: int = 1, axis: int | str = 0, skipna: bool = False, numeric_only: bool = False) -> Any:
        """Return the standard deviation of each column of numbers, or of each row.  See `sum`."""
        return self._each("std", axis, skipna, ddof=ddof)

    def var(self, ddof: int = 1, axis: int | str = 0, skipna: bool = False, numeric_only: bool = False) -> Any:
        """Return the variance of each column of numbers, or of each row.  See `sum`."""
        return self._each("var", axis, skipna, ddof=ddof)

    def median(self, numeric_only: bool = False) -> Series:
        """Return the median of each column of numbers, NaN left out as in pandas; computes.  See `quantile`."""
        return by_column(*reversed(self._reduced("quantile", skipna=True)))

    def quantile(
        self, q: float | Sequence[float] = 0.5, interpolation: str = "linear", numeric_only: bool = True
    ) -> Series | pd.DataFrame:
        """Return quantiles of each column of numbers, NaN left out as in pandas; computes.

        Parameters
        ----------
        q : float or sequence of float
            Which quantiles, from 0 to 1.
        interpolation : str
            How to choose between two values, by the names of ``numpy.quantile``; see `pdarray.quantile`.
        numeric_only : True
            Accepted for compatibility with pandas.

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

    def corr(self, numeric_only: bool = True) -> Self:
        """Return the correlation of each pair of columns of numbers as a DataFrame; computes, in two passes.

        Its rows are labelled by the names of the columns.  NaN where a value of either is NaN, as in Arkouda, or where
        all are the same.  Strings and Categoricals are left out: their codes measure nothing.

        Parameters
        ----------
        numeric_only : True
            Accepted for compatibility with pandas.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [1, 2], "y": [-1, -2]}).corr().to_pandas(retain_index=True)
             x    y
        x  1.0 -1.0
        y -1.0  1.0
        """
        names, found = self._products()
        widths = np.sqrt(found.diagonal())
        with np.errstate(all="ignore"):
            return self._of_pairs(names, found / np.outer(widths, widths))

    def cov(self, ddof: int = 1) -> Self:
        """Return the covariance of each pair of columns of numbers as a DataFrame; computes.

        Of each pair, rows where a value is missing are left out.

        Parameters
        ----------
        ddof : int, default 1
            What is taken from the number of rows.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [1, 2], "y": [-1, -3]}).cov().to_pandas()
             x    y
        x  0.5 -1.0
        y -1.0  2.0
        """
        count = len(self) - ddof
        if count <= 0:
            names = list(_numbers(self._columns))
            return self._of_pairs(names, np.full((len(names), len(names)), np.nan))
        names, found = self._products()
        return self._of_pairs(names, self._covariances_of_pairs(ddof) if np.isnan(found).any() else found / count)

    def _covariances_of_pairs(self, ddof: int) -> np.ndarray[Any, Any]:
        """Return the covariances of each two columns of numbers in the rows where neither is missing."""
        floats = [cast(value, FLOAT64) for value in _numbers(self._columns).values()]
        pairs = list(combinations_with_replacement(range(len(floats)), 2))
        lacks = [
            Call("logical_or", *(missing_integers.is_missing(floats[number]) for number in numbers))
            for numbers in pairs
        ]

        def summed(lacking: Value, value: Value) -> AggregateExpr:
            return AggregateExpr("sum", Call("where", lacking, Constant(0.0), value))

        sums = [
            summed(lacking, value)
            for lacking, (one, other) in zip(lacks, pairs, strict=True)
            for value in (Constant(1.0), floats[one], floats[other])
        ]
        counts, *totals = np.array(_reduced(self._columns, sums), float).reshape(len(pairs), 3).T
        with np.errstate(all="ignore"):
            means = np.array(totals).T / counts[:, None]
        products = []
        for lacking, numbers, mean in zip(lacks, pairs, means, strict=True):
            centred = [Call("subtract", floats[one], Constant(of)) for one, of in zip(numbers, mean, strict=True)]
            products.append(summed(lacking, Call("multiply", *centred)))
        found = np.full((len(floats), len(floats)), np.nan)
        for (one, other), total, count in zip(pairs, _reduced(self._columns, products), counts, strict=True):
            if count > ddof:
                found[one, other] = found[other, one] = total / (count - ddof)
        return found

    def _products(self) -> tuple[list[str], np.ndarray[Any, Any]]:
        """Return the columns of numbers, and the sums of products of each two, less their means."""
        numbers = _numbers(self._columns)
        given = list(numbers.values())
        means = _means(self._columns, given)
        pivots = [
            pivot_of(mean, value.dtype) if value.dtype in (INT64, UINT64) else None
            for value, mean in zip(given, means, strict=True)
        ]
        if any(pivot is not None for pivot in pivots):
            given = [
                value if pivot is None else Call("difference", value, Constant(pivot))
                for value, pivot in zip(given, pivots, strict=True)
            ]
            means = _means(self._columns, given)
        # Floats have gaps only where the distances from the mean are large beside these.
        floats = [cast(value, FLOAT64) for value in given]
        centred = [Call("subtract", value, Constant(mean)) for value, mean in zip(floats, means, strict=True)]
        pairs = list(combinations_with_replacement(range(len(centred)), 2))
        products = [AggregateExpr("sum", Call("multiply", centred[one], centred[other])) for one, other in pairs]
        found = np.zeros((len(centred), len(centred)))
        for (one, other), total in zip(pairs, _reduced(self._columns, products), strict=True):
            found[one, other] = found[other, one] = total
        return list(numbers), found

    def _of_pairs(self, names: list[str], table: np.ndarray[Any, Any]) -> Self:
        arrays = arrays_of(dict(zip(names, table.T, strict=True)))
        return self._of(ColumnSet.of(arrays, array(names) if names else None))

    def _each(self, name: str, axis: int | str, skipna: bool, **params: Any) -> Any:
        columns = self._columns
        if axis_number(axis) == 1:
            names = list(_numbers(columns))
            return series_of(columns, reduced_rows(columns, names, name, skipna=skipna, **params))
        if not skipna:
            numbers = _numbers(columns)
            reductions = [AggregateExpr(name, value, **params, **of_none(name, value)) for value in numbers.values()]
            return by_column(_reduced(columns, reductions), list(numbers))
        numbers = _numbers(columns)
        plans = [_without_missing(columns, column, value, name, params) for column, value in numbers.items()]
        return by_column([found for (found,) in run(*plans)], list(numbers))

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


def _without_missing(columns: ColumnSet, name: str, value: Value, reduction: str, params: Any) -> Aggregate:
    """Return the plan of a reduction of the values of a column that are there."""
    frame, chosen = columns.frame, value
    if value.dtype == FLOAT64:
        there = (missing_integers.parts(value) or (value,))[0]
        frame, (chosen,) = filter_columns(frame, [there], frame, present(columns, name))
    return Aggregate(frame, (AggregateExpr(reduction, chosen, **params, **of_none(reduction, chosen)),))


def of_none(reduction: str, value: Value) -> dict[str, bool]:
    """Return what makes extremes of no values NaN, as pandas' are, where they are an error otherwise."""
    return {"nan_of_none": True} if reduction in ("min", "max") and value.dtype.kind != "bigint" else {}


def _means(columns: ColumnSet, values: Sequence[Value]) -> list[Any]:
    return _reduced(columns, [AggregateExpr("mean", cast(value, FLOAT64)) for value in values])


def _reduced(columns: ColumnSet, reductions: Sequence[AggregateExpr]) -> list[Any]:
    if not reductions:
        return []
    (results,) = run(Aggregate(columns.frame, tuple(reductions)))
    return results
