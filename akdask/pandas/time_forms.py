"""Lazy forms of `dt`: fields, days, clock times and periods of times, and fields of spans."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas

from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.deferred import loaded_module
from akdask.frames.series import Series
from akdask.pandas.encoded import Coding, EncodedArray, Narrow, Objects, Periods, coding_of, series_of
from akdask.pandas.face import words
from akdask.pandas.labels import settled
from akdask.pandas.refusals import NotLazyError

FIELDS = words(
    """year month day hour minute second microsecond nanosecond quarter dayofweek day_of_week weekday dayofyear
    day_of_year days_in_month daysinmonth"""
)

SPAN_FIELDS = words("days seconds microseconds nanoseconds")


def _times(accessor: Any) -> Any:
    values = accessor.series.values
    if not isinstance(values, Datetime):
        raise NotLazyError("the values are no times")
    return values


def field(name: str) -> Callable[..., Any]:
    """Return the form of a field, which is int32 in pandas, and a float where times are missing."""

    def read(accessor: Any) -> Any:
        arrow = loaded_module("akdask.pandas.arrow_types")
        if arrow is not None and isinstance(coding_of(accessor.series), arrow.Arrow):
            return arrow.field_of_days(accessor.series, coding_of(accessor.series), name)
        values = _times(accessor)
        found = getattr(values, name)
        if name == "microsecond":
            # The house counts from the millisecond on.
            found = values.millisecond * 1000 + found
        return series_of(accessor.series, _narrow_or_floats(found))

    return read


def _narrow_or_floats(found: Any) -> Any:
    """Return fields as 32-bit integers, or as floats if some are missing; computes where they may be."""
    plain = settled(found)
    return plain if plain._value.dtype.kind == "float" else EncodedArray(plain._frame, plain._value, Narrow("int32"))


def span_field(name: str) -> Callable[..., Any]:
    def read(accessor: Any) -> Any:
        values = accessor.series.values
        if not isinstance(values, Timedelta):
            raise NotLazyError("the values are no spans")
        found = getattr(values, name)
        if name == "days":
            return series_of(accessor.series, settled(found))
        return series_of(accessor.series, _narrow_or_floats(found))

    return read


def method(name: str) -> Callable[..., Any]:
    def call(accessor: Any, *args: Any, **options: Any) -> Any:
        return getattr(accessor, name)(*args, **options)

    return call


def _numbers(accessor: Any, coding: Coding, number: Callable[[Any], Any]) -> Any:
    """Return a Series whose numbers are computed from the times, and missing where these are."""
    values = _times(accessor)
    found = values._present_numbers(number(values))
    return series_of(accessor.series, EncodedArray(found._frame, found._value, coding))


def date(accessor: Any) -> Any:
    """Return the days as objects of Python."""
    values = _times(accessor)
    if len(values) and not accessor.series.count():
        raise NotLazyError("pandas makes times of days that are all missing")
    return _numbers(accessor, Objects("date", _gap(values)), lambda values: _clock(values) // _per_day(values))


def time(accessor: Any) -> Any:
    """Return the clock times as objects of Python."""

    def number(values: Any) -> Any:
        return _clock(values) % _per_day(values) * (DAY // _per_day(values))

    return _numbers(accessor, Objects("time", _gap(_times(accessor))), number)


def _gap(times: Any) -> str:
    """Return the sign of missing objects: NaT where a time is missing, and NaN for what later steps leave out."""
    return "NaN" if times._form.may_lack is False or not bool(Series(times).isna().any()) else "NaT"


DAY = 86_400 * 10**9


def _per_day(values: Any) -> int:
    return DAY // {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[values.unit]


def _clock(values: Any) -> Any:
    from akdask.arrays.pdarray import pdarray

    return pdarray(values._frame, values._clock)


def to_period(accessor: Any, freq: Any = None) -> Any:
    """Return months, quarters, years or days as periods."""
    if not isinstance(freq, str):
        raise NotLazyError("the frequency is not given by text")
    frequency = pandas.PeriodDtype(freq).name[len("period[") : -1]
    if frequency not in ("M", "D", "Y-DEC", "Q-DEC"):
        raise NotLazyError("periods of other lengths have no lazy form")
    if _times(accessor).tz is not None:
        raise NotLazyError("the zone is dropped")
    if frequency == "D":
        return _numbers(accessor, Periods("D"), lambda values: _clock(values) // _per_day(values))

    def number(values: Any) -> Any:
        form = values._form
        there = values if form.may_lack is False else values._like(values._frame, values._value)
        years = _plain(there.year) - 1970
        if frequency == "Y-DEC":
            return years
        if frequency == "Q-DEC":
            return years * 4 + (_plain(there.quarter) - 1)
        return years * 12 + (_plain(there.month) - 1)

    return _numbers(accessor, Periods(frequency), number)


def _plain(numbers: Any) -> Any:
    """Return numbers without gaps, any where they are missing."""
    from akdask.arrays.pdarray import pdarray
    from akdask.engine.values import apart

    value = numbers._value
    return pdarray(numbers._frame, apart(value)[0]) if value.dtype.is_nullable_number else numbers


def unit(accessor: Any) -> str:
    return str(accessor.series.values.unit)


def zone(accessor: Any) -> Any:
    found = accessor.series.head(0).to_pandas()
    return found.dt.tz


FORMS: Mapping[str, Callable[..., Any]] = {
    **{name: field(name) for name in FIELDS},
    **{name: span_field(name) for name in SPAN_FIELDS},
    **{
        name: method(name)
        for name in (
            *("month_name", "day_name", "strftime", "floor", "ceil", "round", "normalize", "total_seconds"),
            *("tz_localize", "tz_convert"),
        )
    },
    "date": date,
    "time": time,
    "to_period": to_period,
    "tz": zone,
    "unit": unit,
}
"""Lazy forms of fields and methods of `dt`."""
