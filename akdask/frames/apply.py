"""Functions applied to columns, rows, or values one by one, and reductions by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import dask
import numpy as np

from akdask.arrays.array import Array, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.functions import apply
from akdask.arrays.group_reductions import called, is_named
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import BIGINT, NOT_A_TIME, NULLABLE_STR
from akdask.deferred import pd
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames import lookups
from akdask.frames.alignment import RowLabelled, RowLabels, on_rows_of
from akdask.frames.columnset import ColumnSet, axis_number
from akdask.frames.conversion import with_exact_rows
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import as_other_type
from akdask.frames.reductions import reduced_by
from akdask.frames.series import Series, by_column, column_series, series_of

SAMPLED = 64
"""Values that tell of which type a function's results are."""


REDUCTIONS = ("sum", "mean", "min", "max", "std", "var", "median", "prod", "count", "nunique", "any", "all")
"""Names that `agg` takes."""


def map_values(series: Series, arg: Any, na_action: Any) -> Series:
    if isinstance(arg, Series):
        return series._with(on_rows_of(RowLabels(series.values._frame, (series.values,)), arg))
    if callable(arg):
        if na_action is not None and series.values._value.dtype == NULLABLE_STR:
            return series._with(_text_applied(series.values, arg, lambda missing: missing))
        found: Series = series.apply(arg)
        is_text = isinstance(found.values, Strings)
        return found if na_action is None or is_text else found.where(series.notna(), np.nan)
    return series._with(lookups.map(series.values, arg, None))


def apply_values(series: Series, func: Any, args: Sequence[Any], *, result_dtype: Any, **kwargs: Any) -> Any:
    if isinstance(func, str):
        return reduced_by(series, func)
    if isinstance(func, np.ufunc):
        return func(series, *args, **kwargs)
    if not callable(func):
        raise ArgumentTypeError(f"a {type(func).__name__} is no function.", hint="pass a callable.")
    call = (lambda value: func(value, *args, **kwargs)) if args or kwargs else func
    values = as_other_type(series.values, str) if isinstance(series.values, Categorical) else series.values
    if result_dtype is None and values._value.dtype == NULLABLE_STR:
        return series._with(_text_applied(values, call, call))
    if isinstance(values, TimeArray):
        return series._with(_applied_to_times(values, call, result_dtype))
    wanted = _type_of_results(values, call) if result_dtype is None else result_dtype
    if wanted is np.float64:
        return series._with(apply(values, lambda value: _float_or_nan(call(value)), wanted))
    return series._with(apply(values, call, wanted))


def transform(series: Series, func: Any) -> Series:
    found = getattr(series, func)() if isinstance(func, str) else func(series)
    sizes = {one.rows.size for one in (series, found) if isinstance(one, Series)} - {None}
    if not isinstance(found, Array | Series) or len(sizes) > 1:
        raise ArgumentTypeError(
            f"transform returns a value for each row, not {type(found).__name__}.", hint="agg takes reductions."
        )
    return series._with(found) if isinstance(found, Array) else found


def _applied_to_times(values: Any, call: Callable[[Any], Any], result_dtype: Any) -> Any:
    """Apply a function to times or spans, which it gets as pandas' scalars; lazy."""
    made = partial(_as_time, values._dtype_kind, values.unit, values._form.zone)
    numbers = values.values
    results = [call(made(number)) for number in _first_of(numbers)]
    kinds = (pd.Timestamp, type(pd.NaT)) if values._dtype_kind == "M" else (pd.Timedelta, type(pd.NaT))
    if results and all(isinstance(result, kinds) for result in results):
        found = apply(numbers, partial(_number_of_time, values.unit, call, made), np.int64)
        return values._lacking()._like(found._frame, found._value)
    wanted = _type_in_common(results) if result_dtype is None else result_dtype
    return apply(numbers, lambda number: _float_or_nan(call(made(number))), wanted)


def _as_time(kind: str, unit: Any, zone: str | None, number: int) -> Any:
    """Return a time or span of pandas."""
    if number == NOT_A_TIME:
        return pd.NaT
    if kind == "m":
        return pd.Timedelta(np.timedelta64(number, unit))
    time = pd.Timestamp(np.datetime64(number, unit))
    return time if zone is None else time.tz_localize("UTC").tz_convert(zone)


def _number_of_time(unit: str, call: Callable[[Any], Any], made: Callable[[int], Any], number: int) -> int:
    found = call(made(number))
    return NOT_A_TIME if found is pd.NaT else int(found.as_unit(unit).asm8.view("i8"))


def _is_nothing(found: Any) -> bool:
    return found is None or found is pd.NA or (isinstance(found, float) and bool(np.isnan(found)))


def _float_or_nan(found: Any) -> Any:
    return np.nan if found is None else found


def _type_of_results(values: Array, func: Callable[[Any], Any]) -> Any:
    """Return the type of column for the results of a function of the first elements; computes these."""
    return _type_in_common([func(value) for value in _first_of(values)])


def _first_of(values: Array) -> list[Any]:
    return ColumnSet.of({"values": values}).head(SAMPLED).array("values").tolist()


def _text_applied(values: Any, call: Callable[[Any], Any], of_missing: Callable[[Any], Any]) -> Any:
    """Apply a function to text, and another one to NaN in place of missing text; lazy."""
    try:
        absent = of_missing(np.nan)
    except Exception:
        # It cannot take NaN, so missing text is not passed to it and stays missing.
        absent = None
    lacks = _is_nothing(absent)
    few = _first_of(values)
    results = [call(value) for value in few if isinstance(value, str)]
    if not lacks or len(results) < len(few):
        results.append(np.nan if lacks else absent)
    wanted = _type_in_common(results)
    if lacks and wanted is not np.float64:
        return apply(values, call, wanted)
    stands_in = "\0missing"

    def each(text: Any) -> Any:
        return _float_or_nan(absent if text == stands_in else call(text))

    return apply(values.fillna(stands_in), each, wanted)


def _type_in_common(results: Sequence[Any]) -> Any:
    if not results:
        return None
    are_text = [isinstance(result, str) for result in results]
    if any(are_text) and all(is_text or _is_nothing(item) for is_text, item in zip(are_text, results, strict=True)):
        return str
    if all(isinstance(result, int | np.integer) and not isinstance(result, bool) for result in results):
        return _type_of_integers(min(map(int, results)), max(map(int, results)))
    found = np.result_type(*(np.asarray(np.nan if result is None else result).dtype for result in results))
    if found.kind not in "iufb" or any(np.ndim(result) for result in results if result is not None):
        raise ArgumentTypeError(
            "a function of single values returns numbers, bool or text.",
            details=[f"results: {', '.join(sorted({type(result).__name__ for result in results}))}"],
        )
    return {"i": np.int64, "u": np.uint64, "f": np.float64, "b": np.bool_}[found.kind]


def _type_of_integers(low: int, high: int) -> Any:
    """Return the type that has integers from one to another."""
    for dtype in (np.int64, np.uint64):
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            return dtype
    return BIGINT.name


def agg(frame: DataFrame, func: Any, axis: int | str) -> Any:
    if axis_number(axis) == 1:
        raise ArgumentError("agg reduces columns.", hint="df.sum(axis=1) and its like reduce rows.")
    wanted = dict(func) if isinstance(func, Mapping) else dict.fromkeys(frame._columns.values, func)
    frame._columns.only(wanted)
    is_table = any(_is_several(one) for one in wanted.values())
    calls = [(name, one) for name, given in wanted.items() for one in (given if _is_several(given) else [given])]
    if not calls:
        raise ArgumentError("agg needs columns, and what to reduce them by.")
    results = dask.compute(*(_reduced_by(column_series(frame, name), one) for name, one in calls))
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
    if is_named(func) and called(func) in REDUCTIONS:
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
