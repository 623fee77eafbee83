"""Values of columns one by one: bounds, rounding, replacement, choice by a condition, and functions of users."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import numpy as np

from akdask.arrays import elementwise as operators
from akdask.arrays import ufuncs
from akdask.arrays.array import Array, Labelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.datetimes import Timedelta
from akdask.arrays.elementwise import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray, form_of
from akdask.columns.dtypes import BIGINT, INT64, NOT_A_TIME, NULLABLE_STR, UINT64
from akdask.deferred import is_na, pd
from akdask.engine.alignment import align_by_plan
from akdask.engine.missing import negated
from akdask.engine.values import Call, Constant, nearest_floats
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.alignment import (
    Matched,
    RowLabels,
    as_labelled,
    columns_on_rows_of,
    condition_on_rows_of,
    conditions_on_rows_of,
    on_rows_of,
)
from akdask.frames.columnset import ColumnSet
from akdask.frames.dtypes import as_other_type, demand_numbers, is_number, missing_rows
from akdask.frames.missing import can_be_missing, present_among
from akdask.frames.row_labelled import NOT_GIVEN, Owner, RowLabelled
from akdask.frames.series import Series

_UNEQUAL = (float, np.floating, np.datetime64, np.timedelta64, datetime, timedelta)
"""Types of which one value, NaN or NaT, does not equal itself."""


def clip(owner: Owner, lower: Any, upper: Any) -> Owner:
    arrays = _arrays(owner)
    if all(item is not None and pd.api.types.is_scalar(item) for item in (lower, upper)) and lower > upper:
        lower, upper = upper, lower
    is_series = isinstance(owner, Labelled)
    bounds = [(_bounds(owner, lower, arrays), np.less), (_bounds(owner, upper, arrays), np.greater)]
    made = dict(arrays)
    for name, array in arrays.items():
        given = [by_column[name][0] for by_column, _ in bounds if name in by_column]
        if not (is_number(array) or getattr(array, "ordered", False) or _are_times(array, given)):
            if is_series and isinstance(array, TimeArray):
                raise ArgumentTypeError(f"bounds of a {array._type_name()} are of its kind, and not {given!r:.60}.")
            continue
        for by_column, is_outside in bounds:
            if name in by_column:
                made[name] = _bounded(made[name], *by_column[name], is_outside)
    return owner._with_columns(made)


def absolute(owner: Owner) -> Owner:
    columns = owner._value_columns()
    demand_numbers("abs", columns, [name for name in columns.values if not isinstance(columns.kinds[name], Timedelta)])
    return owner._with_columns({name: ufuncs.abs(array) for name, array in _arrays(owner).items()})


def round_values(owner: Owner, decimals: int | Mapping[str, int]) -> Owner:
    arrays = _arrays(owner)
    wanted = decimals if isinstance(decimals, Mapping) else dict.fromkeys(arrays, decimals)
    return owner._with_columns(
        {
            name: operators.rounded(array, wanted[name]) if _is_rounded(array, wanted.get(name)) else array
            for name, array in arrays.items()
        }
    )


def replace(owner: Owner, to_replace: Any, value: Any) -> Owner:
    arrays = _arrays(owner)
    if isinstance(to_replace, Mapping) and any(isinstance(item, Mapping) for item in to_replace.values()):
        pairs = {name: dict(to_replace[name]) for name in to_replace if name in arrays}
    elif value is not NOT_GIVEN and (isinstance(to_replace, Mapping) or isinstance(value, Mapping)):
        pairs = _pairs_by_column(owner, to_replace, value, arrays)
    else:
        pairs = dict.fromkeys(arrays, _pairs(to_replace, value))
    return owner._with_columns(
        {name: _replaced(array, pairs[name]) if name in pairs else array for name, array in arrays.items()}
    )


def _arrays(owner: Owner) -> dict[str, Array]:
    columns = owner._value_columns()
    return {name: columns.array(name) for name in columns.values}


def choose(owner: Owner, cond: Any, other: Any, *, invert: bool) -> Owner:
    cond = cond(owner) if callable(cond) and not isinstance(cond, Array | Labelled | RowLabelled) else cond
    other = other(owner) if callable(other) and not isinstance(other, Array | Labelled | RowLabelled) else other
    arrays = _arrays(owner)
    # Cells that a condition has no label for get the other value, in both directions, as in pandas.
    conditions = _by_column(owner, cond if invert else _inverted(as_labelled(cond)), arrays, is_condition=True)
    others = _by_column(owner, other, arrays)
    return owner._with_columns(
        {name: _masked(array, conditions.get(name), others.get(name), True) for name, array in arrays.items()}
    )


def _bounds(owner: Owner, item: Any, arrays: Mapping[str, Array]) -> dict[str, tuple[Any, Array | None]]:
    """Return the bound of each column on these rows, and which rows it lacks; none for columns without a bound."""
    item = as_labelled(item)
    if not isinstance(item, RowLabelled):
        bound = item.values if isinstance(item, Labelled) else item
        return {} if is_nothing(item) else dict.fromkeys(arrays, (bound, None))
    given: Any = item
    if isinstance(item, Labelled):
        bounds = dict.fromkeys(arrays, given.values)
    else:
        bounds = {name: given._value_columns().array(name) for name in arrays if name in given._value_columns().values}
    if owner._row_labels.are_those_of(item._row_labels):
        return {name: (bound, None) for name, bound in bounds.items()}
    matched = Matched.of(owner._row_labels, item._row_labels, list(bounds.values()))
    lacks = None if matched.lacks is None else pdarray(matched.frame, matched.lacks)
    return {name: (matched.array(number), lacks) for number, name in enumerate(bounds)}


def _by_column(owner: Owner, item: Any, arrays: Mapping[str, Array], *, is_condition: bool = False) -> dict[str, Any]:
    """Return the operand for each column, aligned to these rows: a column of that name, or the item itself.

    Names that a DataFrame lacks have no operand; a condition is False there.
    """
    item = as_labelled(item)
    if not isinstance(item, RowLabelled) or isinstance(item, Labelled):
        move = condition_on_rows_of if is_condition else on_rows_of
        return dict.fromkeys(arrays, move(owner._row_labels, item))
    columns = item._value_columns()
    names = [name for name in arrays if name in columns.values]
    move_all = conditions_on_rows_of if is_condition else columns_on_rows_of
    found = move_all(owner._row_labels, item._row_labels, [columns.array(name) for name in names])
    lacking = dict.fromkeys(arrays, pdarray(owner._value_columns().frame, Constant(np.False_))) if is_condition else {}
    return lacking | dict(zip(names, found, strict=True))


def _inverted(cond: Any) -> Any:
    """Return a condition the other way round."""
    is_array = isinstance(cond, pdarray) and cond.dtype == np.bool_
    return ~cond if is_array or isinstance(cond, RowLabelled) else np.logical_not(cond)


def _bounded(array: Any, bound: Any, lacks: Array | None, is_outside: np.ufunc) -> Any:
    """Return numbers bounded on one side, where the bound is not missing; missing where its label lacks."""
    if isinstance(array, Categorical):
        is_beyond = array < bound if is_outside is np.less else array > bound
        return where(is_beyond, bound, array)
    if isinstance(bound, float | np.floating) and array._value.dtype in (INT64, UINT64):
        # As in pandas, integers stay integers if the bound is one.  A bound beyond their type is applied to floats.
        limits = np.iinfo(array._value.dtype.numpy)
        if float(bound).is_integer() and limits.min <= int(bound) <= limits.max:
            bound = array._value.dtype.numpy.type(int(bound))
    if not isinstance(bound, Array | np.ndarray | list):
        return operators.clip(array, *((bound, None) if is_outside is np.less else (None, bound)))
    found = where(is_outside(array, bound), bound, array)
    if lacks is None:
        return found
    frame, (value, missing) = align_by_plan("clip", [(found._frame, found._value), (lacks._frame, lacks._value)])
    return missing_rows(found, frame, value, missing)


def _masked(array: Array, condition: Any, other: Any, invert: bool) -> Array:
    if not isinstance(condition, pdarray) or condition.dtype != np.bool_:
        raise ArgumentTypeError(f"a condition is an array of bool, not {condition!r:.60}.")
    if not is_nothing(other):
        found: Array = where(condition, array, other) if invert else where(condition, other, array)
        return found
    frame, (value, chosen) = align_by_plan("mask", [(array._frame, array._value), (condition._frame, condition._value)])
    return missing_rows(array, frame, value, Call("logical_not", chosen) if invert else chosen)


def _are_times(array: Array, bounds: Sequence[Any]) -> bool:
    """Whether bounds are of the kind of times that an array has."""
    if not isinstance(array, TimeArray):
        return False
    given = [array._operand(bound) for bound in bounds if bound is not None]
    return all(form is not None and form.kind == array._is for form in map(form_of, given))


def is_nothing(item: Any) -> bool:
    """Whether an item stands for a missing value: None, NaN, NaT, or ``pandas.NA``."""
    # Checks the type of the item itself: a lazy scalar shows the class of a value that is still to be computed.
    return item is None or is_na(item) or (issubclass(type(item), _UNEQUAL) and str(item) in ("nan", "NaT"))


def _is_rounded(array: Array, decimals: int | None) -> bool:
    kind = array._value.dtype.kind if decimals is not None and is_number(array) else ""
    return kind == "float" or (kind in ("int", "uint") and decimals is not None and decimals < 0)


def _is_float(array: Array) -> bool:
    return is_number(array) and array._value.dtype.kind == "float"


def _pairs_by_column(owner: Owner, to_replace: Any, value: Any, names: Iterable[str]) -> dict[str, dict[Any, Any]]:
    """Return new values by old ones for each column that has both; a mapping has them by column."""
    if isinstance(owner, Labelled):
        raise ArgumentError("a Series is replaced by a mapping of old values to new ones, or by a value.")
    by_column = [item for item in (to_replace, value) if isinstance(item, Mapping)]
    return {
        name: _pairs(*(item[name] if isinstance(item, Mapping) else item for item in (to_replace, value)))
        for name in names
        if all(name in item for item in by_column)
    }


def _pairs(to_replace: Any, value: Any) -> dict[Any, Any]:
    """Return new values by old ones."""
    if isinstance(to_replace, Mapping):
        return dict(to_replace)
    if value is NOT_GIVEN:
        raise ArgumentError("replace needs a value, or a mapping of old values to new ones.")
    old = list(to_replace) if isinstance(to_replace, list | tuple | np.ndarray) else [to_replace]
    new = list(value) if isinstance(value, list | tuple | np.ndarray) else [value] * len(old)
    if len(new) != len(old):
        raise ArgumentError(f"replace: {len(old)} old values need as many new ones, got {len(new)}.")
    return dict(zip(old, new, strict=True))


def _replaced(array: Array, pairs: Mapping[Any, Any]) -> Array:
    """Return an array with old values replaced; a new value is never replaced in turn."""
    found: Any = array
    for old, new in pairs.items():
        if not _is_of_kind(array, old):
            continue
        at = pdarray(array._frame, negated(present_among(array, array._value))) if is_nothing(old) else array == old
        found = _masked(found, at, None if is_nothing(new) else new, invert=False)
    return found


def _is_of_kind(array: Array, old: Any) -> bool:
    """Whether elements of an array may equal a value."""
    if is_nothing(old):
        return can_be_missing(array, array._value)
    if isinstance(array, Strings | Categorical):
        return isinstance(old, str)
    if isinstance(array, TimeArray):
        return isinstance(old, pd.Timestamp | pd.Timedelta | np.datetime64 | np.timedelta64)
    is_text = isinstance(old, str)
    return not is_text and is_number(array) and isinstance(old, bool | np.bool_) == (array._value.dtype.kind == "bool")


def between(array: Any, left: Any, right: Any, inclusive: str = "both") -> Any:
    """Return which elements lie between two bounds; lazy.

    Parameters
    ----------
    array : array
        The elements.
    left, right : scalar or array
        The bounds.
    inclusive : {"both", "neither", "left", "right"}
        Which of them count as between.

    Raises
    ------
    ArgumentError
        If `inclusive` is something else.
    """
    if inclusive not in ("both", "neither", "left", "right"):
        raise ArgumentError(f"inclusive={inclusive!r} is none of 'both', 'neither', 'left', 'right'.")
    above = array >= left if inclusive in ("both", "left") else array > left
    below = array <= right if inclusive in ("both", "right") else array < right
    return above & below


# functions of users

SAMPLED = 64
"""Values that tell of which type a function's results are."""


def map_values(series: Series, arg: Any, na_action: Any) -> Series:
    if isinstance(arg, Series):
        return series._with(on_rows_of(RowLabels(series.values._frame, (series.values,)), arg))
    if callable(arg):
        if na_action is not None and series.values._value.dtype == NULLABLE_STR:
            return series._with(_text_applied(series.values, arg, lambda missing: missing))
        found: Series = series.apply(arg)
        is_text = isinstance(found.values, Strings)
        return found if na_action is None or is_text else found.where(series.notna(), np.nan)
    from akdask.frames import lookups

    return series._with(lookups.map(series.values, arg, None))


def apply_values(series: Series, func: Any, args: Sequence[Any], *, result_dtype: Any, **kwargs: Any) -> Any:
    from akdask.arrays.functions import apply

    if isinstance(func, str):
        from akdask.frames.reductions import reduced_by

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
    wanted = result_dtype
    if wanted is None:
        wanted = _type_in_common([call(value) for value in _first_of(values)])
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
    from akdask.arrays.functions import apply

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


def _first_of(values: Array) -> list[Any]:
    return ColumnSet.of({"values": values}).head(SAMPLED).array("values").tolist()


def _text_applied(values: Any, call: Callable[[Any], Any], of_missing: Callable[[Any], Any]) -> Any:
    """Apply a function to text, and another one to NaN in place of missing text; lazy."""
    from akdask.arrays.functions import apply

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


def rounded_sides(one: Any, other: Any) -> tuple[Any, Any]:
    """Return the sides of a comparison, integers beside floats rounded to floats, as NumPy has them."""
    return _rounded_beside(one, other), _rounded_beside(other, one)


def _rounded_beside(item: Any, other: Any) -> Any:
    if _is_of(other, ("float",)):
        if isinstance(item, int | np.integer) and not isinstance(item, bool) and EXACT < abs(int(item)) < MOST_FLOAT:
            return float(item)
        is_rounded = isinstance(other, Array)
    else:
        # Numbers that are floats anyway are told from larger ones without rounding these.
        is_rounded = isinstance(other, float) and abs(other) >= EXACT
    if not is_rounded or not _is_of(item, ("int", "uint")):
        return item
    return pdarray(item._frame, nearest_floats(item._value))


def _is_of(item: Any, kinds: tuple[str, ...]) -> bool:
    """Return whether something is an array of numbers of some kinds, and no more than that."""
    return type(item) is pdarray and item._value.dtype.kind in kinds


EXACT = 2**53
"""Up to here all integers are floats."""

MOST_FLOAT = 2**1023
"""Integers below it have a nearest float."""
