"""Statistics of a DataFrame's columns, in one pass over the rows; with NaN skipped, one pass for each column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import combinations_with_replacement
from operator import add
from typing import Any, Self

import dask
import numpy as np

from akdask.arrays import ufuncs
from akdask.arrays.array import Array
from akdask.arrays.base import unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.column_names import axis_number
from akdask.arrays.creation import array
from akdask.arrays.group_columns import called, is_named
from akdask.arrays.operators import cast, where
from akdask.arrays.pdarray import pdarray, pivot_of
from akdask.arrays.selection import filter_columns
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray, may_lack
from akdask.arrays.ufuncs import isnan
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT64
from akdask.deferred import pd
from akdask.engine import missing
from akdask.engine.run import run
from akdask.engine.values import Call, Constant, Value
from akdask.engine.values import cast as cast_value
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.frames.alignment import RowLabelled
from akdask.frames.base import FrameBase
from akdask.frames.build import arrays_of
from akdask.frames.columnset import ColumnSet
from akdask.frames.missing import can_be_missing, how_many, present
from akdask.frames.series import Series, by_column, column_series, series_of
from akdask.frames.to_pandas import with_exact_rows
from akdask.operators.reduce.aggregate import Aggregate, AggregateExpr
from akdask.operators.reduce.quantiles import checked_quantiles

EXTREMES: dict[str, tuple[Callable[[Any, Any], Any], float]] = {
    "min": (ufuncs.minimum, np.inf),
    "max": (ufuncs.maximum, -np.inf),
}
"""How two values become one, and what is passed over."""

_WIDE = (np.int64, np.uint64)

ROW_REDUCTIONS = ("sum", "mean", "min", "max", "var", "std")


def reduced_rows(columns: ColumnSet, names: Sequence[str], how: str, *, skipna: bool, ddof: int = 1) -> pdarray:
    """Return a reduction of each row over some columns of numbers; lazy.

    Parameters
    ----------
    columns : ColumnSet
        The rows.
    names : sequence of str
        The columns of numbers.
    how : str
        One of `ROW_REDUCTIONS`.
    skipna : bool
        Skip NaN; a row of NaN alone has NaN, or the sum 0.
    ddof : int
        Of variances: subtracted from the number of values.

    Raises
    ------
    UnsupportedError
        If rows are not reduced that way.
    """
    if how not in ROW_REDUCTIONS:
        raise UnsupportedError(
            f"rows have no {how} of their own.", hint=f"with axis=1 there are {', '.join(ROW_REDUCTIONS)}."
        )
    if not names:
        return pdarray(columns.frame, Constant(0.0 if how == "sum" else np.nan))
    given = [columns.array(name) for name in names]
    arrays: list[Any] = [cast(array, np.int64) if array.dtype == np.bool_ else array for array in given]
    valid = pdarray(columns.frame, how_many([present(columns, name) for name in names]))
    if how in EXTREMES:
        return _extreme(arrays, valid, how, skipna)
    if skipna:
        arrays = [_filled(array, 0) for array in arrays]
    count = valid if skipna else len(names)
    if how != "sum" and all(array.dtype in _WIDE for array in arrays):
        return _moments(given, _total_of_integers(arrays) / count, count, how, skipna, ddof)
    # Sums of some of the columns would wrap before they meet the others.
    common = np.result_type(*(array.dtype for array in arrays))
    if common == np.float64 and all(array.dtype.kind in "iu" for array in arrays):
        total: Any = _total_of_integers(arrays)
    else:
        total = reduce(add, [cast(array, np.uint64 if common == np.uint8 else common) for array in arrays])
    return total if how == "sum" else _moments(given, total / count, count, how, skipna, ddof)


def _total_of_integers(arrays: Sequence[Any]) -> Any:
    """Return the floats nearest to sums of integers, summed in halves of 32 bits, which do not wrap."""
    low = reduce(add, [cast(array & 0xFFFFFFFF, np.int64) for array in arrays])
    high = reduce(add, [cast(array >> 32, np.int64) for array in arrays]) + (low >> 32)
    return cast(high, np.float64) * 2.0**32 + cast(low & 0xFFFFFFFF, np.float64)


def _extreme(arrays: Sequence[Any], valid: pdarray, how: str, skipna: bool) -> Any:
    smaller, nothing = EXTREMES[how]
    if not skipna or all(array.dtype != np.float64 for array in arrays):
        return reduce(smaller, arrays)
    return where(valid > 0, reduce(smaller, [_filled(array, nothing) for array in arrays]), np.nan)


def _moments(  # noqa: PLR0917 - intermediate results of its caller
    given: Sequence[Any], mean: Any, count: Any, how: str, skipna: bool, ddof: int
) -> Any:
    if how == "mean":
        return mean
    # Distances from a mean that is a float are rounded as floats are.
    squares = [(cast(array, np.float64) - mean) ** 2 for array in given]
    total = reduce(add, [_filled(square, 0) for square in squares] if skipna else squares)
    variance = where(count - ddof > 0, total / (count - ddof), np.nan) if skipna else total / (count - ddof)
    return variance if how == "var" else ufuncs.sqrt(variance)


def _filled(array: Any, value: float) -> Any:
    return where(ufuncs.isnan(array), float(value), array) if array.dtype == np.float64 else array


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
            Leave NaN out, the default of pandas.  Otherwise NaN give NaN, the default of Arkouda.
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
        """Return the smallest value of each column, or of each row; computes for columns, lazy for rows.

        Parameters
        ----------
        axis : {0, 1, "index", "columns"}
            Reduce each column, or each row.
        skipna : bool, default False
            Leave missing values out.  See `sum`.
        numeric_only : bool, default False
            Leave out columns that have neither numbers nor bool.

        Returns
        -------
        Series, or pandas.Series of object
            By the names of the columns, or by the labels of the rows.  It is pandas' where text or times stand beside
            values of another type.

        Raises
        ------
        ArgumentError
            If there is no such axis.
        ArgumentTypeError
            If values have no order, or values of a row cannot be compared with each other.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [3, 1], "s": ["b", "a"]})
        >>> df.min().to_dict(), df.min(numeric_only=True).to_dict()
        ({'x': 1, 's': 'a'}, {'x': 1})
        """
        return self._extremes("min", axis, skipna, numeric_only)

    def max(self, axis: int | str = 0, skipna: bool = False, numeric_only: bool = False) -> Any:
        """Return the largest value of each column, or of each row.  See `min`."""
        return self._extremes("max", axis, skipna, numeric_only)

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

        Its rows are labelled by the names of the columns.  A pair gives NaN if a value of either is NaN, as in Arkouda,
        or if a column is constant.  Strings and Categoricals are left out, as their codes measure nothing.

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
            Subtracted from the number of rows.

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
        # Covariances are of floats, as pandas' are.
        floats = [cast_value(value, FLOAT64) for value in _numbers(self._columns).values()]
        pairs = list(combinations_with_replacement(range(len(floats)), 2))
        lacks = [Call("logical_or", *(missing.is_missing(floats[number]) for number in numbers)) for numbers in pairs]

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
        floats = [cast_value(value, FLOAT64) for value in given]
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

    def _extremes(self, name: str, axis: int | str, skipna: bool, numeric_only: bool) -> Any:
        columns = self._columns
        numbers = _numbers(columns)
        if numeric_only or len(numbers) == len(columns.values):
            return self._each(name, axis, skipna)
        if axis_number(axis) == 1:
            return series_of(columns, _extreme_time(columns, name, skipna))
        found = {column: getattr(column_series(self, column), name)(skipna=skipna) for column in columns.values}
        return _mixed(dict(zip(found, dask.compute(*found.values()), strict=True)), columns)

    def _reduced(self, name: str, **params: Any) -> tuple[list[str], list[Any]]:
        """Return the columns of numbers, and a reduction of each."""
        numbers = _numbers(self._columns)
        return list(numbers), _reduced(
            self._columns, [AggregateExpr(name, value, **params) for value in numbers.values()]
        )


def _numbers(columns: ColumnSet) -> dict[str, Value]:
    """Return the columns of numbers, without codes of Categoricals and numbers that stand for other values."""
    return {
        name: value
        for name, value in columns.values.items()
        if isinstance(columns.kinds[name], pdarray) and columns.kinds[name]._pandas_converter() is None
    }


def _mixed(found: Mapping[str, Any], columns: ColumnSet) -> Any:
    """Return one value of each column, as a Series where they are of one kind, else as one of pandas."""
    is_text = all(isinstance(columns.kinds[name], Strings | Categorical) for name in found)
    plain = [str(one) if isinstance(one, np.str_) else one for one in found.values()]
    made = pd.Series(plain, list(found), "str" if is_text else None)
    return made if made.dtype == object else Series(made)


def _extreme_time(columns: ColumnSet, how: str, skipna: bool) -> Any:
    """Return the first or last time of each row, where all columns have times of one kind."""
    arrays: list[Any] = [columns.array(name) for name in columns.values]
    kinds = {array._is if isinstance(array, TimeArray) else array._type_name() for array in arrays}
    if len(kinds) > 1 or not isinstance(arrays[0], TimeArray):
        raise ArgumentTypeError(
            f"values of a row are compared for their {how} where all are numbers, or all times.",
            details=[f"{name}: {columns.kinds[name]._type_name()}" for name in columns.values],
            hint="choose columns first, as in df[['x', 'y']], or pass numeric_only=True.",
        )
    return reduce(lambda one, other: _further(one, other, how, skipna), arrays)


def _further(one: Any, other: Any, how: str, skipna: bool) -> Any:
    """Return the lower or higher of two times; with `skipna` a time wins over NaT, otherwise NaT wins."""
    is_taken = one < other if how == "min" else one > other
    # No time is before or after NaT.
    is_taken = is_taken | (other.isna() if skipna else one.isna())
    return may_lack(where(is_taken, one, other))


def _without_missing(columns: ColumnSet, name: str, value: Value, reduction: str, params: Any) -> Aggregate:
    """Return the plan of a reduction of the values of a column that are not missing."""
    frame, chosen = columns.frame, value
    if value.dtype == FLOAT64:
        there = (missing.parts(value) or (value,))[0]
        frame, (chosen,) = filter_columns(frame, [there], frame, present(columns, name))
    return Aggregate(frame, (AggregateExpr(reduction, chosen, **params, **of_none(reduction, chosen)),))


def of_none(reduction: str, value: Value) -> dict[str, bool]:
    """Return the parameter that makes extremes of no values NaN, as in pandas, instead of an error."""
    return {"nan_of_none": True} if reduction in ("min", "max") and value.dtype.kind != "bigint" else {}


def _means(columns: ColumnSet, values: Sequence[Value]) -> list[Any]:
    return _reduced(columns, [AggregateExpr("mean", value) for value in values])


def _reduced(columns: ColumnSet, reductions: Sequence[AggregateExpr]) -> list[Any]:
    if not reductions:
        return []
    (results,) = run(Aggregate(columns.frame, tuple(reductions)))
    return results


NUMBER_TYPES = ("int64", "uint64", "uint8", "float64", "bool")

REDUCTIONS = ("sum", "mean", "min", "max", "std", "var", "median", "prod", "count", "nunique", "any", "all")
"""Names that `agg` takes."""


class AggregationMethods(FrameBase):
    """Functions of whole columns, and of single values."""

    def agg(self, func: Any, axis: int | str = 0) -> Any:
        """Return reductions of the columns by their names; computes all at once.

        Parameters
        ----------
        func : str or callable, list of them, or mapping of str to such
            Reductions of all columns, or of each one that is named: ``"sum"``, ``"mean"``, ``"min"``, ``"max"``,
            ``"std"``, ``"var"``, ``"median"``, ``"prod"``, ``"count"``, ``"nunique"``, ``"any"``, ``"all"``.  A
            callable takes a column as a Series.
        axis : 0
            Columns are reduced; ``df.sum(axis=1)`` and its like reduce rows.

        Returns
        -------
        Series, or pandas.DataFrame where `func` is or has a list
            By the names of the columns; a row for each reduction.

        Raises
        ------
        ArgumentError
            If there is no such reduction, or no column to reduce.
        MissingColumnError
            If there is no column of a name.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3.0, 5.0]})
        >>> df.agg({"x": "sum", "y": "mean"}).to_dict()
        {'x': 3.0, 'y': 4.0}
        >>> df.agg(["min", "max"])
             x    y
        min  1  3.0
        max  2  5.0
        """
        if axis_number(axis) == 1:
            raise ArgumentError("agg reduces columns.", hint="df.sum(axis=1) and its like reduce rows.")
        wanted = dict(func) if isinstance(func, Mapping) else dict.fromkeys(self._columns.values, func)
        self._columns.only(wanted)
        is_table = any(_is_several(one) for one in wanted.values())
        calls = [(name, one) for name, given in wanted.items() for one in (given if _is_several(given) else [given])]
        if not calls:
            raise ArgumentError("agg needs columns, and what to reduce them by.")
        results = dask.compute(*(_reduced_by(column_series(self, name), one) for name, one in calls))
        if not is_table:
            return by_column(results, wanted)
        rows = list(dict.fromkeys(called(one) for _, one in calls))
        table = pd.DataFrame(index=rows, columns=list(wanted), dtype=object)
        for (name, one), result in zip(calls, results, strict=True):
            table.loc[called(one), name] = result
        return table.infer_objects()

    aggregate = agg

    def apply(self, func: Any, axis: int | str = 0, args: Sequence[Any] = (), **kwargs: Any) -> Any:
        """Apply a function to each column, or to each row.

        Parameters
        ----------
        func : callable or str
            Takes a column as a lazy Series, and returns a scalar or a Series or array on the same rows.  With
            ``axis=1`` it takes a row as a pandas Series, and returns a scalar.
        axis : {0, 1, "index", "columns"}
            0 gives it columns; 1 rows, one by one in this process, so that all of them must fit into its memory.
        args : sequence, optional
            Further arguments of the function, as `kwargs`.
        **kwargs
            Arguments of the function by name.

        Returns
        -------
        Series or DataFrame
            A DataFrame, which is lazy, of columns; otherwise a Series of scalars, which is computed.

        Raises
        ------
        ArgumentTypeError
            If the function returns something else.
        TransferError
            If the rows would take more memory than the setting ``max_transfer_bytes`` allows.

        Notes
        -----
        Where an expression of columns will do, such as ``df["x"] + df["y"]``, it is much faster than rows one by one.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 5]})
        >>> df.apply(lambda column: column.max() - column.min()).to_dict()
        {'x': 1, 'y': 2}
        >>> df.apply(lambda row: row["x"] + row["y"], axis=1).tolist()
        [4, 7]
        """
        if axis_number(axis) == 1:
            return self._applied_to_rows(func, args, kwargs)
        if is_named(func) and called(func) in REDUCTIONS:
            return self.agg(func)
        columns = self._columns
        found = {name: func(column_series(self, name), *args, **kwargs) for name in columns.values}
        if found and all(isinstance(unlabelled(one), Array) for one in found.values()):
            labels = [one._row_labels for one in found.values() if isinstance(one, RowLabelled)]
            if all(self._row_labels.are_those_of(one) for one in labels):
                return self._of(columns.beside({name: unlabelled(one) for name, one in found.items()}))
            from akdask.frames.dataframe import DataFrame

            return DataFrame(found)
        return by_column(dask.compute(*found.values()), list(found))

    def map(self, func: Callable[[Any], Any] | Mapping[Any, Any], na_action: str | None = None) -> Self:
        """Apply a function or a mapping to each value; lazy.  See `Series.map`.

        Parameters
        ----------
        func : callable or mapping
            Takes one value.
        na_action : {None, "ignore"}
            Whether the function sees missing values, or they stay.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [1, 2]}).map(lambda x: x * 10).to_pandas()["x"].tolist()
        [10, 20]
        """
        columns = self._columns
        made = {name: column_series(self, name).map(func, na_action) for name in columns.values}
        return self._of(columns.beside({name: unlabelled(one) for name, one in made.items()}))

    def idxmin(self, numeric_only: bool = False) -> Any:
        """Return the label of the row with the first smallest value of each column; computes.

        Parameters
        ----------
        numeric_only : bool, default False
            Leave out columns that have neither numbers nor bool.

        Raises
        ------
        ArgumentError
            If all values of a column are missing.
        ArgumentTypeError
            If values have no order.
        """
        return self._labels_of_extremes("argmin", numeric_only)

    def idxmax(self, numeric_only: bool = False) -> Any:
        """Return the label of the row with the first largest value of each column.  See `idxmin`."""
        return self._labels_of_extremes("argmax", numeric_only)

    def equals(self, other: Any) -> bool:
        """Whether another DataFrame has the same columns, rows and labels, missing ones in the same places; computes.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1.0, float("nan")]})
        >>> df.equals(df.copy()), df.equals(df.head(1))
        (True, False)
        """
        if not isinstance(other, FrameBase) or list(other.columns) != list(self.columns):
            return False
        if self.dtypes != other.dtypes or len(self) != len(other):
            return False
        mine, its = (frame._columns for frame in (self, other))
        pairs = [(mine.array(name), its.array(name)) for name in mine.values]
        pairs += [(mine.index_array(), its.index_array())] if mine.index is not None or its.index is not None else []
        same = [_are_equal(one, another) for one, another in pairs]
        return all(bool(one) for one in dask.compute(*same))

    def _labels_of_extremes(self, how: str, numeric_only: bool) -> Series:
        columns = self._columns
        names = [name for name in columns.values if columns.kinds[name]._type_name() in NUMBER_TYPES]
        others = [] if numeric_only else [name for name in columns.values if name not in names]
        arrays: list[Any] = [columns.array(name) for name in names]
        lacking = [isnan(one).any() if one.dtype == np.float64 else False for one in arrays]
        some_lack = dict(zip(names, dask.compute(*lacking), strict=True))
        full = [name for name in names if not some_lack[name]]
        found = dask.compute(*(getattr(columns.array(name), how)() for name in full))
        labels = columns.index_array()[array(np.array(found, np.int64))].tolist() if full else []
        by_name = dict(zip(full, labels, strict=True))
        for name in (*others, *names):
            if name in others or some_lack[name]:
                by_name[name] = getattr(column_series(self, name), how.replace("arg", "idx"))()
        order = [name for name in columns.values if name in by_name]
        return by_column([by_name[name] for name in order], order)

    def _applied_to_rows(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        rows: Any = with_exact_rows(self.compute())
        found = rows.apply(func, axis=1, args=tuple(args), **kwargs)
        if isinstance(found, pd.DataFrame):
            from akdask.frames.dataframe import DataFrame

            return DataFrame(found)
        return series_of(self._columns, array(found.to_numpy()))


def _is_several(func: Any) -> bool:
    return isinstance(func, list | tuple)


def _reduced_by(series: Any, func: Any) -> Any:
    """Return a column reduced by a name, as pandas reduces it, or by a function."""
    name = called(func) if is_named(func) else None
    if name is None and callable(func):
        return unlabelled(func(series))
    if name not in REDUCTIONS:
        raise ArgumentError(f"columns are not reduced by {func!r}.", details=[f"reductions: {', '.join(REDUCTIONS)}"])
    if name in ("min", "max"):
        return getattr(series, name)(skipna=True)
    given = series if name in ("count", "nunique") else series.dropna()
    return getattr(given, name)(1) if name in ("std", "var") else getattr(given, name)()


def _are_equal(one: Array, other: Array) -> Any:
    """Return whether all elements are equal, or missing on both sides; lazy."""
    both = ColumnSet.of({"one": one, "other": other})
    lacks = [Call("logical_not", present(both, name)) for name in both.values]
    is_equal: Any = one == other
    return (is_equal | pdarray(both.frame, Call("logical_and", *lacks))).all()


class TruthMethods(FrameBase):
    """Reductions of the columns of bool; others are left out, as in Arkouda."""

    def any(self, axis: int | str | None = 0) -> Series | bool:
        """Return whether any value of the columns of bool is true; lazy for rows, otherwise it computes.

        Parameters
        ----------
        axis : {0, 1, "index", "columns", None}
            Of each column, of each row, or of all of them.

        Returns
        -------
        Series or bool
            By the names of the columns, by the labels of the rows, or a single bool.  False without values.

        Raises
        ------
        ArgumentError
            If there is no such axis.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"a": [True, False], "b": [False, False], "x": [1, 2]})
        >>> df.any().to_dict(), df.any(axis=1).tolist(), df.any(axis=None)
        ({'a': True, 'b': False}, [True, False], True)
        """
        return self._holding("any", axis)

    def all(self, axis: int | str | None = 0) -> Series | bool:
        """Return whether all values of the columns of bool are true, True without values; see `any`."""
        return self._holding("all", axis)

    def _holding(self, name: str, axis: int | str | None) -> Series | bool:
        columns = self._columns
        bools = {column: value for column, value in columns.values.items() if value.dtype == BOOL}
        if axis is not None and axis_number(axis) == 1:
            operation = {"any": "logical_or", "all": "logical_and"}[name]
            nothing: Value = Constant(np.bool_(name == "all"))
            holding = reduce(lambda one, other: Call(operation, one, other), bools.values(), nothing)
            return series_of(columns, pdarray(columns.frame, holding))
        found = []
        if bools:
            (found,) = run(Aggregate(columns.frame, tuple(AggregateExpr(name, value) for value in bools.values())))
        if axis is None:
            return bool(any(found) if name == "any" else all(found))
        return by_column(found, bools, np.bool_)
