"""Reductions of a Series to numbers, labels or other Series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import dask
import numpy as np

from akdask.arrays.base import unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.group_columns import called, is_named
from akdask.arrays.ordering import few_extremes
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import corr, cov, near_zero, reduced
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import BOOL
from akdask.deferred import pd
from akdask.engine import missing
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.alignment import as_labelled, comparable, on_all_labels
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.frames.series import Series, by_column
from akdask.operators.reduce.quantiles import checked_quantiles

REDUCTIONS = ("sum", "prod", "mean", "min", "max", "std", "var", "median", "count", "nunique", "any", "all", "size")
"""Names that `agg` takes."""


def aggregate(series: Series, func: Any) -> Any:
    if not isinstance(func, list | tuple):
        return reduced_by(series, func)
    names = [called(one) for one in func]
    return by_column(dask.compute(*(reduced_by(series, one) for one in func)), names)


def quantile(series: Series, q: float | Sequence[float], method: str, *, interpolation: str) -> Any:
    there, method = present_values(series, True), interpolation or method
    wanted = checked_quantiles(q, method)
    if isinstance(wanted, float):
        return there.quantile(wanted, method=method)
    return series._of(there.quantile(wanted, method=method), Index(list(wanted)), series.name)


def kurtosis(series: Series) -> np.float64:
    values = near_zero("kurt", series.dropna().values)
    squares = (values - values.mean()) ** 2
    count, second, fourth = dask.compute(values.size, squares.sum(), (squares**2).sum())
    if count < 4:
        return np.float64(np.nan)
    with np.errstate(all="ignore"):
        ratio = np.float64(fourth) / np.float64(second) ** 2
        below = (count - 2) * (count - 3)
        return np.float64(count * (count + 1) * (count - 1) / below * ratio - 3 * (count - 1) ** 2 / below)


def mode(series: Series, dropna: bool) -> Series:
    found = DataFrame({"values": series.values}).mode(dropna=dropna)["values"]
    return Series(found, series.name)


def correlation(series: Series, other: Any) -> np.float64:
    one, two = _pairs(series, other)
    return corr(one, two) if one.size > 1 else np.float64(np.nan)


def covariance(series: Series, other: Any) -> np.float64:
    one, two = _pairs(series, other)
    return cov(one, two) if one.size > 1 else np.float64(np.nan)


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
    if not isinstance(series.values, pdarray) or isinstance(series.values, TimeArray):
        raise ArgumentTypeError(
            f"elements of {series.values._describe()} are neither true nor false.", hint="compare them first."
        )
    return present_values(series, skipna)


def extreme(series: Series, name: str, skipna: bool | None, numpy: Mapping[str, Any]) -> Any:
    values = present_values(series, skipna, numpy)
    if isinstance(values, Strings):
        if not values.size or bool(series.isna().values.any() if values is series.values else False):
            return float("nan")
        return few_extremes(f"{name}k", values, 1).tolist()[0]
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
    if isinstance(values, Strings):
        # Of equal ones the first has the label.
        return there[values == few_extremes(f"{name}k", values, 1).tolist()[0]].head(1).index[0]
    return there.index[int(getattr(values, f"arg{name}")())]


def reduced_by(series: Series, func: Any) -> Any:
    """Return a reduction of the values by its name, or the result of a function of the Series."""
    name = called(func)
    if not is_named(func):
        return unlabelled(func(series))
    if name not in REDUCTIONS:
        raise ArgumentError(f"a Series is not reduced by {func!r}.", details=[f"reductions: {', '.join(REDUCTIONS)}"])
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
