"""Lazy conversion of columns to other types: `astype`, `to_datetime`, `to_timedelta` and `to_numeric`."""

from __future__ import annotations

import datetime
import pickle
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import SPAN, TIME, TimeForm
from akdask.deferred import loaded_module
from akdask.engine.values import Call, with_missing
from akdask.frames.columnset import VALUES
from akdask.pandas.encoded import NARROW, EncodedArray, Narrow, Objects, ObjectText, columns_of, series_of
from akdask.pandas.refusals import NotLazyError


def converted(series: Any, dtype: Any) -> Any:
    """Return a Series of another type."""
    array: Any = columns_of(series).array(VALUES)
    wanted = _dtype(dtype)
    if isinstance(wanted, pandas.CategoricalDtype):
        from akdask.pandas.category_forms import as_categories

        return as_categories(series, wanted if isinstance(dtype, pandas.CategoricalDtype) else "category")
    if isinstance(array, EncodedArray):
        return _of_encoded(series, array, wanted)
    if wanted == "str":
        return _as_text(series, array)
    if not isinstance(wanted, np.dtype):
        from akdask.pandas.masked_forms import as_nullable

        return as_nullable(series, array, wanted)
    if isinstance(array, TimeArray):
        if isinstance(array, Datetime) and array.tz is None and wanted.kind == "M":
            return _in_unit(series, array, np.datetime_data(wanted)[0])
        raise NotLazyError("times are converted in pandas")
    if wanted == np.bool_ and isinstance(array, Strings):
        # Text is true unless it is empty, also where it is missing.
        return series_of(series, array != "")
    if wanted.str[1:] in ("i8", "f8", "b1"):
        if isinstance(array, Categorical):
            raise NotLazyError("categories are converted in pandas")
        found = columns_of(series.astype(wanted)).array(VALUES)
        return series_of(series, pdarray(found._frame, found._value))
    if wanted.name in NARROW and wanted.kind == "i" and _is_integer(array):
        return _narrow(series, array, wanted.name)
    if wanted == np.float32 and type(array) is pdarray and array._value.dtype.name in _ROUNDED and not array._earlier:
        rounded = EncodedArray(array._frame, Call("nearest_narrow", array._value), Narrow("float32"))
        return series_of(series, rounded)
    if wanted.kind == "M" and isinstance(array, Strings):
        raise NotLazyError("text is converted by to_datetime")
    raise NotLazyError("the type has no lazy form")


_ROUNDED = frozenset({"int64", "uint64", "float64", "bool"})


def _dtype(dtype: Any) -> Any:
    try:
        return pandas.api.types.pandas_dtype(dtype) if dtype is not str else pandas.StringDtype(na_value=np.nan)
    except TypeError:
        raise NotLazyError("pandas knows no such type") from None


def _is_integer(array: Any) -> bool:
    return type(array) is pdarray and array._value.dtype.name == "int64"


def _narrow(series: Any, plain: Any, name: str) -> Any:
    """Return 64-bit integers as narrow ones; they wrap around as NumPy's do."""
    bits = np.iinfo(name).bits
    half = 1 << (bits - 1)
    found = ((plain + half) & ((1 << bits) - 1)) - half
    return series_of(series, EncodedArray(found._frame, found._value, Narrow(name)))


def _of_encoded(series: Any, array: EncodedArray, wanted: Any) -> Any:
    if isinstance(array.coding, ObjectText) and wanted == "str":
        return series_of(series, wrap(array._frame, array._value))
    arrow = loaded_module("akdask.pandas.arrow_types")
    if arrow is not None and isinstance(array.coding, arrow.Arrow):
        return arrow.converted(series, array.coding, wanted)
    if isinstance(array.coding, Objects) and isinstance(wanted, np.dtype):
        from akdask.pandas import object_forms

        if wanted.kind == "M":
            return object_forms.as_times(series, array.coding, np.datetime_data(wanted)[0])
        if wanted == np.float64:
            return object_forms.as_floats(series, array.coding)
    if not isinstance(array.coding, Narrow) or array._value.dtype.nullable:
        raise NotLazyError("the type has no lazy form")
    plain = series_of(series, array.plain())
    kind = array.dtype.kind
    if getattr(wanted, "na_value", None) is pandas.NA:
        from akdask.pandas.masked_forms import as_nullable

        return as_nullable(plain, columns_of(plain).array(VALUES), wanted)
    if isinstance(wanted, np.dtype) and wanted == array.dtype:
        return series
    if isinstance(wanted, np.dtype) and wanted.str[1:] in ("i8", "f8") and (kind in "iu" or wanted.kind == "f"):
        return plain.astype(wanted)
    if kind == "i" and (wanted == "str" or (isinstance(wanted, np.dtype) and wanted.kind == "i")):
        return converted(plain, wanted)
    raise NotLazyError("the type has no lazy form")


def _as_text(series: Any, array: Any) -> Any:
    if isinstance(array, Strings):
        return series
    if array._earlier:
        raise NotLazyError("integers that were missing are floats")
    if _is_integer(array) or array._value.dtype.name == "bool":
        return series.astype(str)
    raise NotLazyError("pandas writes the values")


def _in_unit(series: Any, times: Any, unit: str) -> Any:
    order = ("s", "ms", "us", "ns")
    if unit not in order or order.index(unit) < order.index(times.unit):
        raise NotLazyError("times lose digits")
    return series_of(series, times.as_unit(unit))


# functions


def _of_text(series: Any) -> Any:
    if not hasattr(series, "_labelled"):
        raise NotLazyError("the values are no Series")
    array: Any = columns_of(series).array(VALUES)
    if isinstance(array, EncodedArray) and isinstance(array.coding, ObjectText):
        return wrap(array._frame, array._value)
    return array


def to_datetime(
    arg: Any,
    errors: str = "raise",
    dayfirst: bool = False,
    yearfirst: bool = False,
    utc: bool = False,
    format: Any = None,
    exact: Any = True,
    unit: Any = None,
) -> Any:
    """Return text as times, all of it written as the first one, or numbers of a unit."""
    array = _of_text(arg)
    if isinstance(array, EncodedArray) and isinstance(array.coding, Objects) and format is None and not utc:
        from akdask.pandas import object_forms

        days: Any = pandas.to_datetime([SOME_DAY])
        return object_forms.as_times(arg, array.coding, days.unit)
    options = {"errors": errors, "dayfirst": dayfirst, "yearfirst": yearfirst, "utc": utc, "format": format}
    if exact is not True:
        options["exact"] = exact
    if isinstance(array, Datetime):
        if not utc:
            return arg
        return series_of(arg, array.tz_localize("UTC") if array.tz is None else array.tz_convert("UTC"))
    if not isinstance(array, Strings):
        if format is not None or errors != "raise" or utc:
            raise NotLazyError("numbers are read as text")
        return _counted(arg, array, unit or "ns", Datetime, pandas.to_datetime)
    if unit is not None:
        raise NotLazyError("text has no unit")
    first = series_of(arg, array).dropna().head(1).to_pandas()
    if not len(first):
        raise NotLazyError("there is no text")
    if format is None:
        found = pandas.tseries.api.guess_datetime_format(first.iloc[0], dayfirst=dayfirst)
        if found is None:
            raise NotLazyError("the first text does not tell how times are written")
        options["format"] = found
    if "%z" in str(options["format"]) or "%Z" in str(options["format"]) or options["format"] == "mixed":
        raise NotLazyError("zones may differ from row to row")
    function: Any = pandas.to_datetime
    dtype = function(first.reset_index(drop=True), **options).dtype
    zone = "UTC" if utc else None
    unit = dtype.unit if isinstance(dtype, pandas.DatetimeTZDtype) else np.datetime_data(dtype)[0]
    value = _computed(array, ("to_datetime", (), options), f"times {unit}")
    return series_of(arg, Datetime.of(array._frame, value, TimeForm(TIME, unit, zone, True)))


SOME_DAY = datetime.date(1970, 1, 1)
"""A day, whose type of time is that of all days."""


def to_timedelta(arg: Any, unit: Any = None, errors: str = "raise") -> Any:
    """Return text as spans of time, or numbers of a unit."""
    array = _of_text(arg)
    if isinstance(array, Timedelta):
        return arg
    if not isinstance(array, Strings):
        if errors != "raise":
            raise NotLazyError("numbers beyond the range are missing")
        return _counted(arg, array, unit or "ns", Timedelta, pandas.to_timedelta)
    if unit is not None:
        raise NotLazyError("text has units of its own")
    function: Any = pandas.to_timedelta
    first = series_of(arg, array).dropna().head(1).to_pandas()
    if not len(first):
        raise NotLazyError("there is no text")
    found = np.datetime_data(function(first.reset_index(drop=True), errors=errors).dtype)[0]
    value = _computed(array, ("to_timedelta", (), {"errors": errors}), f"times {found}")
    return series_of(arg, Timedelta.of(array._frame, value, TimeForm(SPAN, found, None, True)))


UNITS = {"D": 86_400 * 10**9, "h": 3600 * 10**9, "m": 60 * 10**9, "min": 60 * 10**9, "s": 10**9, "ms": 10**6}
UNITS |= {"us": 10**3, "ns": 1}
"""Units of numbers of times, and their nanoseconds."""


def _counted(series: Any, array: Any, unit: str, kind: Any, function: Any) -> Any:
    """Return integers of a unit as times or spans, where pandas keeps the unit."""
    if not _is_integer(array):
        raise NotLazyError("numbers are no integers")
    dtype = function(pandas.Series([1]), unit=unit).dtype
    found = np.datetime_data(dtype)[0]
    if unit not in UNITS or UNITS[unit] % UNITS[found]:
        raise NotLazyError("numbers may exceed the range of times")
    factor = UNITS[unit] // UNITS[found]
    form = TimeForm(TIME if kind is Datetime else SPAN, found, None, False)
    if factor > 1 and array.size and max(abs(int(array.min())), abs(int(array.max()))) >= 2**63 // factor:
        raise NotLazyError("numbers may exceed the range of times")
    plain = array * factor if factor > 1 else array
    return series_of(series, kind.of(plain._frame, plain._value, form))


def to_numeric(arg: Any, errors: str = "raise", downcast: Any = None) -> Any:
    """Return text as numbers: integers if all text is such, which is found out, else floats."""
    if downcast is not None or errors not in ("raise", "coerce"):
        raise NotLazyError("the type depends on the values, or errors are ignored")
    array = _of_text(arg)
    if isinstance(array, pdarray) and not isinstance(array, TimeArray):
        return arg
    if not isinstance(array, Strings):
        raise NotLazyError("the values are no text")
    step = ("to_numeric", (), {"errors": errors})
    is_integral = pdarray(array._frame, _computed(array, step, "whole"))
    if bool(is_integral.all()):
        numbers = _computed(array, step, "int")
        return series_of(arg, pdarray(array._frame, with_missing(numbers, _computed(array, step, "missing"))))
    return series_of(arg, pdarray(array._frame, _computed(array, step, "float")))


def _computed(text: Any, step: Any, gives: str) -> Any:
    return Call("text_chain", text._value, pickled=pickle.dumps((step,)), gives=gives)
