"""Reductions and descriptions of DataFrames and Series: in one pass over the rows, or one for each column with NaN."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from itertools import combinations_with_replacement
from operator import add, mul
from typing import Any

import dask
import numpy as np

from akdask.arrays import ufuncs
from akdask.arrays.array import Array, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.elementwise import cast, where
from akdask.arrays.families import COLUMN_REDUCTIONS, called, is_named
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import corr, cov, near_zero, pivot_of, reduced
from akdask.arrays.row_selection import filter_columns
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray, may_lack
from akdask.arrays.ufuncs import isnan
from akdask.columns.dtypes import BOOL, INT64, UINT64
from akdask.deferred import pd
from akdask.engine import missing
from akdask.engine.node import Frame
from akdask.engine.run import compute, run
from akdask.engine.values import Call, Constant, Value, columns_of, nearest_floats
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.frames.alignment import as_labelled, comparable, on_all_labels
from akdask.frames.columnset import VALUES, ColumnSet, axis_number
from akdask.frames.conversion import arrays_of, with_exact_rows
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import is_number, missing_rows, numbers_among
from akdask.frames.index import Index
from akdask.frames.missing import can_be_missing, how_many, present
from akdask.frames.row_labelled import RowLabelled
from akdask.frames.series import Series, by_column, column_series, series_of
from akdask.operators.reduce.plan import Aggregate, AggregateExpr
from akdask.operators.reduce.quantiles import checked_quantiles

SERIES_REDUCTIONS = (*COLUMN_REDUCTIONS, "size")
"""Names that `Series.agg` takes."""


EXTREMES: dict[str, tuple[Callable[[Any, Any], Any], float]] = {
    "min": (ufuncs.minimum, np.inf),
    "max": (ufuncs.maximum, -np.inf),
}
"""How two values become one, and which values are skipped."""


_WIDE = (np.int64, np.uint64)


ROW_REDUCTIONS = ("sum", "prod", "mean", "min", "max", "var", "std")


NUMBER_TYPES = ("int64", "uint64", "uint8", "float64", "bool")


def aggregate(series: Series, func: Any) -> Any:
    if not isinstance(func, list | tuple):
        return reduced_by(series, func)
    names = [called(one) for one in func]
    return by_column(compute(*(reduced_by(series, one) for one in func)), names)


def present_count(series: Series) -> Any:
    """Return the number of values that are not missing; of types that have no missing values none is read; lazy."""
    values = series.values
    if can_be_missing(values, values._value):
        return series.notna().values.sum()
    return reduced(pdarray(values._frame, Constant(np.bool_(True))), "count_nonzero")


def quantile(series: Series, q: float | Sequence[float], method: str, *, interpolation: str) -> Any:
    there, method = present_values(series, True), interpolation or method
    wanted = checked_quantiles(q, method)
    if isinstance(wanted, float):
        return there.quantile(wanted, method=method)
    return series._of(there.quantile(wanted, method=method), Index(list(wanted)), series.name)


def kurtosis(series: Series) -> np.float64:
    values = near_zero("kurt", present_values(series, True))
    squares = (values - values.mean()) ** 2
    count, second, fourth = compute(values.size, squares.sum(), (squares**2).sum())
    if count < 4:
        return np.float64(np.nan)
    with np.errstate(all="ignore"):
        ratio = np.float64(fourth) / np.float64(second) ** 2
        below = (count - 2) * (count - 3)
        return np.float64(count * (count + 1) * (count - 1) / below * ratio - 3 * (count - 1) ** 2 / below)


def mode(series: Series, dropna: bool) -> Series:
    found = DataFrame({"values": series.values}).mode(dropna=dropna)["values"]
    return Series(found.rename(series.name))


def correlation(series: Series, other: Any) -> float:
    one, two = _pairs(series, other)
    return corr(one, two) if one.size > 1 else float("nan")


def covariance(series: Series, other: Any) -> float:
    one, two = _pairs(series, other)
    return cov(one, two) if one.size > 1 else np.float64(np.nan) if one.size else float("nan")


def present_values(series: Series, skipna: bool | None, numpy: Mapping[str, Any] | None = None) -> Any:
    """Return the values, with `skipna` without missing ones, so that integers stay integers."""
    given = [name for name, value in (numpy or {}).items() if value not in (None, 0)]
    if given:
        raise ArgumentTypeError(f"a Series is reduced without {', '.join(given)}.")
    if not (series._rules.skipna if skipna is None else skipna):
        return series.values
    values = series.dropna().values
    apart = missing.parts(values._value)
    return values if apart is None else pdarray(values._frame, apart[0])


def truths(series: Series, skipna: bool) -> Any:
    if isinstance(series.values, Strings):
        return present_values(series, skipna) != ""
    if isinstance(series.values, Timedelta):
        return cast(present_values(series, skipna), np.int64) != 0
    if not isinstance(series.values, pdarray) or isinstance(series.values, TimeArray):
        raise ArgumentTypeError(
            f"elements of {series.values._describe()} are neither true nor false.", hint="compare them first."
        )
    return present_values(series, skipna)


def extreme(series: Series, name: str, skipna: bool | None, numpy: Mapping[str, Any]) -> Any:
    values = present_values(series, skipna, numpy)
    if isinstance(values, Strings):
        return reduced(values, name, nan_of_none=True)
    if isinstance(values, TimeArray) and values is not series.values and not values.size:
        return pd.NaT
    if skipna is False and isinstance(values, Categorical) and values.ordered and bool(values.isna().any()):
        return float("nan")
    if values is series.values or not isinstance(values, pdarray) or values._pandas_converter() is not None:
        return getattr(values, name)()
    return reduced(values, name, nan_of_none=True)


def label_of_extreme(series: Series, name: str, skipna: bool) -> Any:
    """Return the label of the first extreme."""
    there = series.dropna()
    count = len(there)
    if not count:
        raise ArgumentError(f"idx{name} of a Series finds no value that is not missing.", hint="use dropna first.")
    if not skipna and count < len(series):
        raise ArgumentError(f"idx{name}: some of the values are missing.", hint="pass skipna=True.")
    values = present_values(there, True)
    return there.index[int(getattr(values, f"arg{name}")())]


def position_of_extreme(series: Series, name: str) -> Any:
    """Return the position of the first extreme, of which missing values are none where pandas' rules hold."""
    if not series._rules.skipna or not can_be_missing(series.values, series.values._value):
        return getattr(series.values, f"arg{name}")()
    return np.int64(label_of_extreme(series.reset_index(drop=True), name, skipna=True))


def reduced_by(series: Series, func: Any) -> Any:
    """Return a reduction of the values by its name, or the result of a function of the Series."""
    name = called(func)
    if not is_named(func):
        return unlabelled(func(series))
    if name not in SERIES_REDUCTIONS:
        raise ArgumentError(
            f"a Series is not reduced by {func!r}.", details=[f"reductions: {', '.join(SERIES_REDUCTIONS)}"]
        )
    found = getattr(series, name)
    return found() if callable(found) else found


def _pairs(series: Series, other: Any) -> tuple[Any, Any]:
    """Return the values of both, without rows where either is missing."""
    other = as_labelled(other)
    values: list[Any] = [series.values, unlabelled(other)]
    if isinstance(other, Series):
        if comparable(series._row_labels, other._row_labels) is None:
            return (DataFrame({"one": [np.nan]})["one"],) * 2
        joined = on_all_labels(series._row_labels, values[:1], other._row_labels, values[1:])
        values = [*joined.ones, *joined.others]
    both = DataFrame(dict(zip(("one", "other"), values, strict=True))).dropna()
    return _of_present(both["one"]), _of_present(both["other"])


def _of_present(values: Any) -> Any:
    """Return integers and times none of which is missing any more as integers."""
    if isinstance(values, TimeArray):
        return values.values
    apart = missing.parts(values._value)
    return values if apart is None or apart[0].dtype == BOOL else values._like(values._frame, apart[0])


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
        Skip NaN; a row of NaN alone has NaN, the sum 0 or the product 1.
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
        return pdarray(columns.frame, Constant({"sum": 0.0, "prod": 1.0}.get(how, np.nan)))
    values = [columns.values[name] for name in names]
    stay = all(value.dtype.plain in (INT64, UINT64) for value in values) and how in ("sum", "prod", *EXTREMES)
    given = [pdarray(columns.frame, value if stay else _with_nan(value)) for value in values]
    arrays: list[Any] = [cast(array, np.int64) if array.dtype == np.bool_ else array for array in given]
    valid = pdarray(columns.frame, how_many([present(columns, name) for name in names]))
    if how in EXTREMES:
        return _extreme(arrays, valid, how, skipna)
    if skipna:
        arrays = [_filled(array, 1 if how == "prod" else 0) for array in arrays]
    common = np.result_type(*(array.dtype for array in arrays))
    if how == "prod":
        return reduce(mul, [_of_type(array, common) for array in arrays])
    count = valid if skipna else len(names)
    if how != "sum" and all(array.dtype in _WIDE for array in arrays):
        return _moments(given, _total_of_integers(arrays) / count, count, how, skipna, ddof)
    # Sums of some of the columns would wrap before they meet the others.
    if common == np.float64 and all(array.dtype.kind in "iu" for array in arrays):
        total: Any = _total_of_integers(arrays)
    else:
        total = reduce(add, [_of_type(array, np.uint64 if common == np.uint8 else common) for array in arrays])
    return total if how == "sum" else _moments(given, total / count, count, how, skipna, ddof)


def _total_of_integers(arrays: Sequence[Any]) -> Any:
    """Return the floats nearest to sums of integers, summed in halves of 32 bits, which do not wrap."""
    low = reduce(add, [cast(array & 0xFFFFFFFF, np.int64) for array in arrays])
    high = reduce(add, [cast(array >> 32, np.int64) for array in arrays]) + (low >> 32)
    return cast(high, np.float64) * 2.0**32 + cast(low & 0xFFFFFFFF, np.float64)


def _extreme(arrays: Sequence[Any], valid: pdarray, how: str, skipna: bool) -> Any:
    smaller, nothing = EXTREMES[how]
    if not skipna or not any(missing.lacks_numbers(array._value.dtype) for array in arrays):
        return reduce(smaller, arrays)
    found: Any = reduce(smaller, [_filled(array, nothing) for array in arrays])
    return missing_rows(found, found._frame, found._value, (valid == 0)._value)


def _moments(given: Sequence[Any], mean: Any, count: Any, how: str, skipna: bool, ddof: int) -> Any:
    if how == "mean":
        return mean
    # Distances from a mean that is a float are rounded as floats are.
    squares = [(cast(array, np.float64) - mean) ** 2 for array in given]
    total = reduce(add, [_filled(square, 0) for square in squares] if skipna else squares)
    variance = where(count - ddof > 0, total / (count - ddof), np.nan) if skipna else total / (count - ddof)
    return variance if how == "var" else ufuncs.sqrt(variance)


def _with_nan(value: Value) -> Value:
    """Return integers with missing rows as floats, other numbers as they are."""
    return nearest_floats(value) if value.dtype.is_nullable_number else value


def _of_type(array: Any, dtype: Any) -> Any:
    return array if array.dtype == dtype else cast(array, dtype)


def _filled(array: Any, value: float) -> Any:
    if array._value.dtype.is_nullable_number:
        limits = np.iinfo(array.dtype)
        number = array.dtype.type(min(max(value, limits.min), limits.max))
        return array._like(array._frame, missing.filled(array._value, Constant(number)))
    return where(ufuncs.isnan(array), float(value), array) if array.dtype == np.float64 else array


def count(frame: DataFrame, axis: int | str, numeric_only: bool) -> Series | pdarray:
    columns = frame._columns
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


def quantiles(frame: DataFrame, q: float | Sequence[float], interpolation: str) -> Series | pd.DataFrame:
    wanted = checked_quantiles(q, interpolation)
    names, found = _reduced_numbers(frame, "quantile", q=wanted, method=interpolation, skipna=True)
    if isinstance(wanted, float):
        return by_column(found, names, name=wanted)
    return pd.DataFrame(dict(zip(names, found, strict=True)), index=pd.Index(wanted, dtype=np.float64))


def correlations(frame: DataFrame) -> DataFrame:
    names, found = _products(frame)
    widths = np.sqrt(found.diagonal())
    with np.errstate(all="ignore"):
        return _of_pairs(frame, names, found / np.outer(widths, widths))


def covariances(frame: DataFrame, ddof: int) -> DataFrame:
    count = len(frame) - ddof
    if count <= 0:
        names = list(_numbers(frame._columns))
        return _of_pairs(frame, names, np.full((len(names), len(names)), np.nan))
    names, found = _products(frame)
    return _of_pairs(frame, names, _covariances_of_pairs(frame, ddof) if np.isnan(found).any() else found / count)


def _covariances_of_pairs(frame: DataFrame, ddof: int) -> np.ndarray[Any, Any]:
    """Return the covariances of each two columns of numbers in the rows where neither is missing."""
    _, (counts, products, _, _) = moments_of_pairs(frame)
    with np.errstate(all="ignore"):
        return np.where(counts > ddof, products / (counts - ddof), np.nan)


def moments_of_pairs(frame: DataFrame) -> tuple[list[str], np.ndarray[Any, Any]]:
    """Return the columns of numbers, and for each two of them moments of the rows where neither is missing.

    These are the number of rows, and sums of the distances from the means: of products, and of squares of the first
    and the second column.  Distances are of floats, as pandas' are.
    """
    numbers = _numbers(frame._columns)
    floats = list(map(nearest_floats, numbers.values()))
    pairs = list(combinations_with_replacement(range(len(floats)), 2))
    gaps = [
        missing.is_missing(floats[number]) if can_be_missing(frame._columns.kinds[name], value) else None
        for number, (name, value) in enumerate(numbers.items())
    ]
    lacks = [reduce(_either, {gaps[one]: None, gaps[other]: None}) for one, other in pairs]

    def summed(lacking: Value | None, value: Value) -> AggregateExpr:
        return AggregateExpr("sum", value if lacking is None else Call("where", lacking, Constant(0.0), value))

    sums = [
        summed(lacking, value)
        for lacking, (one, other) in zip(lacks, pairs, strict=True)
        for value in (Constant(1.0), floats[one], floats[other])
    ]
    counts, *totals = np.array(_reduced(frame._columns, sums), float).reshape(len(pairs), 3).T
    with np.errstate(all="ignore"):
        means = np.array(totals).T / counts[:, None]
    wanted = []
    for lacking, numbers_of_pair, mean in zip(lacks, pairs, means, strict=True):
        left, right = (Call("subtract", floats[at], Constant(of)) for at, of in zip(numbers_of_pair, mean, strict=True))
        wanted += [summed(lacking, Call("multiply", *both)) for both in ((left, right), (left, left), (right, right))]
    products = np.array(_reduced(frame._columns, wanted), float).reshape(len(pairs), 3)
    found = np.zeros((4, len(floats), len(floats)))
    for (one, other), count, (product, first, second) in zip(pairs, counts, products, strict=True):
        found[:, one, other] = count, product, first, second
        found[:, other, one] = count, product, second, first
    return list(numbers), found


def _either(one: Value | None, other: Value | None) -> Value | None:
    """Return where one of two conditions holds, of which None never holds."""
    return one or other if one is None or other is None else Call("logical_or", one, other)


def _products(frame: DataFrame) -> tuple[list[str], np.ndarray[Any, Any]]:
    """Return the columns of numbers, and the sums of products of each two, less their means."""
    numbers = _numbers(frame._columns)
    given = list(map(_with_nan, numbers.values()))
    means = _means(frame._columns, given)
    pivots = [
        pivot_of(mean, value.dtype) if value.dtype in (INT64, UINT64) else None
        for value, mean in zip(given, means, strict=True)
    ]
    if any(pivot is not None for pivot in pivots):
        given = [
            value if pivot is None else Call("difference", value, Constant(pivot))
            for value, pivot in zip(given, pivots, strict=True)
        ]
        means = _means(frame._columns, given)
    # Floats have gaps only where the distances from the mean are large beside these.
    floats = list(map(nearest_floats, given))
    centred = [Call("subtract", value, Constant(mean)) for value, mean in zip(floats, means, strict=True)]
    pairs = list(combinations_with_replacement(range(len(centred)), 2))
    products = [AggregateExpr("sum", Call("multiply", centred[one], centred[other])) for one, other in pairs]
    found = np.zeros((len(centred), len(centred)))
    for (one, other), total in zip(pairs, _reduced(frame._columns, products), strict=True):
        found[one, other] = found[other, one] = total
    return list(numbers), found


def _of_pairs(frame: DataFrame, names: list[str], table: np.ndarray[Any, Any]) -> DataFrame:
    arrays = arrays_of(dict(zip(names, table.T, strict=True)))
    return frame._of(ColumnSet.of(arrays, array(names) if names else None))


def reduce_columns(frame: DataFrame, name: str, axis: int | str, skipna: bool, **params: Any) -> Any:
    columns = frame._columns
    if axis_number(axis) == 1:
        names = list(_numbers(columns))
        return series_of(columns, reduced_rows(columns, names, name, skipna=skipna, **params))
    if not skipna:
        numbers = _numbers(columns)
        reductions = [AggregateExpr(name, value, **params, **of_none(name, value)) for value in numbers.values()]
        return by_column(_reduced(columns, reductions), list(numbers))
    numbers = _numbers(columns)
    # What is computed of the same columns, such as whether text is one of many labels, is computed in one pass.
    passes = defaultdict[Any, dict[str, Aggregate]](dict)
    for column, value in numbers.items():
        plan = _without_missing(columns, column, value, name, params)
        passes[plan.frame._name, frozenset(one.token for one in columns_of(value))][column] = plan
    merged = [
        Aggregate(next(iter(plans.values())).frame, tuple(plan.reductions[0] for plan in plans.values()))
        for plans in passes.values()
    ]
    results = zip(passes.values(), run(*merged), strict=True)
    found = {column: value for plans, values in results for column, value in zip(plans, values, strict=True)}
    return by_column([found[column] for column in numbers], list(numbers))


def extremes(frame: DataFrame, name: str, axis: int | str, skipna: bool, numeric_only: bool) -> Any:
    columns = frame._columns
    numbers = _numbers(columns)
    if numeric_only or len(numbers) == len(columns.values):
        return reduce_columns(frame, name, axis, skipna)
    if axis_number(axis) == 1:
        return series_of(columns, _extreme_time(columns, name, skipna))
    found = {column: getattr(column_series(frame, column), name)(skipna=skipna) for column in columns.values}
    return _mixed(dict(zip(found, compute(*found.values()), strict=True)), columns)


def _reduced_numbers(frame: DataFrame, name: str, **params: Any) -> tuple[list[str], list[Any]]:
    """Return the columns of numbers, and a reduction of each."""
    numbers = _numbers(frame._columns)
    return list(numbers), _reduced(frame._columns, [AggregateExpr(name, value, **params) for value in numbers.values()])


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
    if missing.lacks_numbers(value.dtype):
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
    distinct = {one.token: one for one in reductions}
    (results,) = run(Aggregate(columns.frame, tuple(distinct.values())))
    found = dict(zip(distinct, results, strict=True))
    return [found[one.token] for one in reductions]


def labels_of_extremes(frame: DataFrame, how: str, numeric_only: bool) -> Series:
    columns = frame._columns
    names = [name for name in columns.values if columns.kinds[name]._type_name() in NUMBER_TYPES]
    others = [] if numeric_only else [name for name in columns.values if name not in names]
    arrays: list[Any] = [columns.array(name) for name in names]
    lacking = [isnan(one).any() if missing.lacks_numbers(one._value.dtype) else False for one in arrays]
    some_lack = dict(zip(names, compute(*lacking), strict=True))
    full = [name for name in names if not some_lack[name]]
    found = compute(*(getattr(columns.array(name), how)() for name in full))
    labels = columns.index_array()[array(np.array(found, np.int64))].tolist() if full else []
    by_name = dict(zip(full, labels, strict=True))
    for name in (*others, *names):
        if name in others or some_lack[name]:
            by_name[name] = getattr(column_series(frame, name), how.replace("arg", "idx"))()
    order = [name for name in columns.values if name in by_name]
    return by_column([by_name[name] for name in order], order)


def column_truths(frame: DataFrame, name: str, axis: int | str | None) -> Series | bool:
    columns = frame._columns
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


QUARTILES = (0.25, 0.5, 0.75)


# descriptions


def describe(frame: DataFrame, percentiles: Sequence[float] | None, include: str | None) -> pd.DataFrame:
    if include not in (None, "all"):
        raise ArgumentError(f"describe: include={include!r} is neither None nor 'all'.")
    columns = frame._columns
    wanted = quantiles_of(percentiles)
    numbers = [name for name in numbers_among(columns) if columns.values[name].dtype.kind != "bool"]
    described = described_numbers(columns, numbers, wanted)
    times = [name for name in columns.values if isinstance(columns.kinds[name], TimeArray)]
    if times:
        parts = [described.astype(object)] if numbers else []
        parts = sorted([*parts, *(described_times(columns, [name], wanted) for name in times)], key=len)
        rows = dict.fromkeys(row for part in parts for row in part.index)
        described = pd.concat([part.reindex(list(rows)) for part in parts], axis=1)
        numbers = [name for name in columns.values if name in (*numbers, *times)]
        described = described[numbers]
    others = [name for name in columns.values if name not in numbers and _has_labels(columns, name)]
    if numbers and (include != "all" or not others):
        return described
    if not numbers and not others:
        raise ArgumentTypeError("describe needs columns of numbers, times or text.", details=[f"types: {frame.dtypes}"])
    labels = described_labels(columns, others)
    if not numbers:
        return labels
    both = labels.reindex(["count", "unique", "top", "freq"]).join(described.astype(object), how="outer")
    order = ["count", "unique", "top", "freq", *(row for row in described.index if row != "count")]
    return both.reindex(order)[[name for name in columns.values if name in both]]


def described_numbers(columns: ColumnSet, names: Sequence[str], quantiles: Sequence[float]) -> pd.DataFrame:
    """Return a description of columns of numbers, a row for each statistic; computes."""
    quantiles = sorted(set(quantiles))
    rows = ["count", "mean", "std", "min", *map(percentage, quantiles), "max"]
    if not names:
        return pd.DataFrame(index=rows)
    floats = {name: nearest_floats(columns.values[name]) for name in names}
    wanted = [
        one
        for name, value in floats.items()
        for one in (
            AggregateExpr("count_nonzero", present(columns, name)),
            *_mean_and_spread(value),
            AggregateExpr("quantile", value, q=(0.0, *quantiles, 1.0), method="linear", skipna=True),
        )
    ]
    (found,) = run(Aggregate(columns.frame, tuple(wanted)))
    by_name = {name: list(found[4 * place : 4 * place + 4]) for place, name in enumerate(names)}
    # A column with NaN has a mean of NaN, and is read once more without them.
    lacking = [name for name, (count, mean, *_) in by_name.items() if count and np.isnan(mean)]
    if lacking:
        again = run(
            *[_mean_and_spread_of_present(columns.frame, floats[name], present(columns, name)) for name in lacking]
        )
        for name, moments in zip(lacking, again, strict=True):
            by_name[name][1:3] = moments
    described = {
        name: [float(count), mean, std, *np.asarray(ranked, np.float64).tolist()]
        for name, (count, mean, std, ranked) in by_name.items()
    }
    return pd.DataFrame(described, index=rows, dtype=np.float64)


def described_times(columns: ColumnSet, names: Sequence[str], quantiles: Sequence[float]) -> pd.DataFrame:
    """Return a description of columns of times, a row for each statistic; computes."""
    quantiles = sorted(set(quantiles))
    found = {}
    from akdask.frames.series import Series

    for name in names:
        series: Any = Series(columns.array(name)).dropna()
        count = len(series)
        spread = {} if isinstance(columns.kinds[name], Datetime) else {"std": series.std(ddof=1)}
        several = series.quantile(quantiles).to_pandas().tolist() if count else [pd.NaT] * len(quantiles)
        statistics = {
            "count": count,
            "mean": series.mean() if count else pd.NaT,
            **spread,
            "min": series.min() if count else pd.NaT,
            **dict(zip(map(percentage, quantiles), several, strict=True)),
            "max": series.max() if count else pd.NaT,
        }
        found[name] = pd.Series(dict(zip(statistics, compute(*statistics.values()), strict=True)), dtype=object)
    return pd.DataFrame(found)


def _mean_and_spread(value: Value) -> tuple[AggregateExpr, AggregateExpr]:
    return AggregateExpr("mean", value), AggregateExpr("std", value, ddof=1)


def _mean_and_spread_of_present(frame: Frame, value: Value, there: Value) -> Aggregate:
    chosen, (left,) = filter_columns(frame, [value], frame, there)
    return Aggregate(chosen, _mean_and_spread(left))


def described_labels(columns: ColumnSet, names: Sequence[str]) -> pd.DataFrame:
    """Return a description of columns of labels: count, distinct values, the commonest and its number; computes."""
    from akdask.frames.distinct import _counts

    found = {}
    for name in names:
        values, counts = _counts(columns, name)
        found[name] = [int(counts.sum()), len(counts), *_commonest(columns, name, values, counts)]
    return pd.DataFrame(found, index=["count", "unique", "top", "freq"], dtype=object)


def _commonest(columns: ColumnSet, name: str, values: np.ndarray[Any, Any], counts: np.ndarray[Any, Any]) -> Any:
    """Return the commonest of the values of a column, of several the first, and how often it occurs; computes."""
    if not len(counts):
        return np.nan, np.nan
    most = counts.max()
    tied = values[counts == most]
    if len(tied) == 1 or isinstance(columns.kinds[name], Categorical):
        return tied[0], int(most)
    from akdask.arrays.setops import contained
    from akdask.frames.distinct import _there

    rows = _there(columns, name)
    if len(tied) < len(values):
        rows = rows[contained(rows, tied.tolist())]
    return np.asarray(rows[:1].to_ndarray())[0], int(most)


def _has_labels(columns: ColumnSet, name: str) -> bool:
    return isinstance(columns.kinds[name], Strings | Categorical) or columns.values[name].dtype.kind == "bool"


def quantiles_of(percentiles: Sequence[float] | None) -> list[float]:
    """Return which quantiles describe numbers, checked; the quartiles unless given."""
    found = checked_quantiles(list(QUARTILES if percentiles is None else percentiles), "linear")
    return [found] if isinstance(found, float) else list(found)


def percentage(quantile: float) -> str:
    """Return how pandas calls a quantile.

    Examples
    --------
    >>> percentage(0.25), percentage(0.999)
    ('25%', '99.9%')
    """
    return f"{round(100 * quantile, 10):g}%"


def describe_series(series: Series, percentiles: Sequence[float] | None) -> pd.Series:
    columns = series._value_columns()
    values = series.values
    if is_number(values) and values._value.dtype.kind != "bool":
        found = described_numbers(columns, [VALUES], quantiles_of(percentiles))
    elif isinstance(values, TimeArray):
        found = described_times(columns, [VALUES], quantiles_of(percentiles))
    elif isinstance(values, Strings | Categorical) or values._value.dtype.kind == "bool":
        found = described_labels(columns, [VALUES])
    else:
        raise ArgumentTypeError(f"describe takes numbers or text, not {values._type_name()}.")
    described: pd.Series = found[VALUES]
    described.name = series.name
    return described


# reductions by name


def agg(frame: DataFrame, func: Any, axis: int | str) -> Any:
    if axis_number(axis) == 1:
        raise ArgumentError("agg reduces columns.", hint="df.sum(axis=1) and its like reduce rows.")
    wanted = dict(func) if isinstance(func, Mapping) else dict.fromkeys(frame._columns.values, func)
    frame._columns.only(wanted)
    is_table = any(_is_several(one) for one in wanted.values())
    calls = [(name, one) for name, given in wanted.items() for one in (given if _is_several(given) else [given])]
    if not calls:
        raise ArgumentError("agg needs columns, and what to reduce them by.")
    results = compute(*(_column_reduced_by(column_series(frame, name), one) for name, one in calls))
    if not is_table:
        return by_column(results, wanted)
    rows = list(dict.fromkeys(called(one) for _, one in calls))
    table = pd.DataFrame(index=rows, columns=list(wanted), dtype=object)
    for (name, one), result in zip(calls, results, strict=True):
        table.loc[called(one), name] = result
    return table.infer_objects()


def apply_columns(frame: DataFrame, func: Any, axis: int | str, args: Sequence[Any], **kwargs: Any) -> Any:
    if axis_number(axis) == 1:
        return _applied_to_rows(frame, func, args, kwargs)
    if is_named(func) and called(func) in COLUMN_REDUCTIONS:
        return frame.agg(func)
    columns = frame._columns
    found = {name: func(column_series(frame, name), *args, **kwargs) for name in columns.values}
    if found and all(isinstance(unlabelled(one), Array) for one in found.values()):
        labels = [one._row_labels for one in found.values() if isinstance(one, RowLabelled)]
        if all(frame._row_labels.are_those_of(one) for one in labels):
            return frame._of(columns.beside({name: unlabelled(one) for name, one in found.items()}))
        return DataFrame(found)
    return by_column(dask.compute(*found.values()), list(found))


def _applied_to_rows(frame: DataFrame, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    rows: Any = with_exact_rows(frame.compute())
    found = rows.apply(func, axis=1, args=tuple(args), **kwargs)
    if isinstance(found, pd.DataFrame):
        return DataFrame(found)
    return series_of(frame._columns, array(found.to_numpy()))


def _is_several(func: Any) -> bool:
    return isinstance(func, list | tuple)


def _column_reduced_by(series: Any, func: Any) -> Any:
    """Return a column reduced by a name, as pandas reduces it, or by a function."""
    name = called(func) if is_named(func) else None
    if name is None and callable(func):
        return unlabelled(func(series))
    if name not in COLUMN_REDUCTIONS:
        raise ArgumentError(
            f"columns are not reduced by {func!r}.", details=[f"reductions: {', '.join(COLUMN_REDUCTIONS)}"]
        )
    if name in ("min", "max"):
        return getattr(series, name)(skipna=True)
    given = series if name in ("count", "nunique") else series.dropna()
    return getattr(given, name)(1) if name in ("std", "var") else getattr(given, name)()
