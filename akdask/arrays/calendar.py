"""Calendars and clocks: frequencies, and the fields, names, text, zones and times of day of times."""

from __future__ import annotations

import datetime
import pickle
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from akdask.arrays.array import Array, unlabelled
from akdask.arrays.creation import array
from akdask.arrays.elementwise import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.rules import Rules
from akdask.arrays.scalar import value_of
from akdask.columns.dtypes import NOT_A_TIME, TIME, TimeForm
from akdask.deferred import pd
from akdask.engine import times as time_values
from akdask.engine.alignment import align
from akdask.engine.values import Call, Constant, Value
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.values.times import DAY, checked_zone
from akdask.records import record

EXAMPLES = "such as '15min', 'h', 'D', 'W', 'MS' (first of the month), 'ME' (its last day) or pd.offsets.MonthEnd()."

UNIT_SPANS = {
    "w": 7 * DAY,
    "d": DAY,
    "h": DAY // 24,
    "m": DAY // 1440,
    "s": 10**9,
    "ms": 10**6,
    "us": 10**3,
    "ns": 1,
    "weeks": 7 * DAY,
    "days": DAY,
    "hours": DAY // 24,
    "hrs": DAY // 24,
    "minutes": DAY // 1440,
    "t": DAY // 1440,
    "seconds": 10**9,
    "milliseconds": 10**6,
    "l": 10**6,
    "microseconds": 10**3,
    "u": 10**3,
    "nanoseconds": 1,
    "n": 1,
}
"""Nanoseconds of Arkouda's units by their names, `_unit2factor` and `_unit2normunit` of its ``timeclass.py``."""


@record
class Frequency:
    """A frequency: an offset of pandas, and its length if that is constant.

    Parameters
    ----------
    offset : pandas.tseries.offsets.BaseOffset
        The offset.
    span : int, optional
        Nanoseconds of a fixed length; None where the calendar decides.
    """

    offset: Any
    span: int | None

    @property
    def is_days(self) -> bool:
        """Whether it counts days, which have 23 or 25 hours if clocks change."""
        return isinstance(self.offset, pd.offsets.Day)


def frequency_of(freq: Any, *, asked: str) -> Frequency:
    """Return a user's frequency as pandas reads it.

    Parameters
    ----------
    freq : str, pandas offset, timedelta, numpy.timedelta64 or lazy scalar of a span
        The frequency; upper and lower case differ.
    asked : str
        The operation that needs it, for messages.

    Raises
    ------
    ArgumentError
        If pandas refuses the text.
    ArgumentTypeError
        If it is of another type.
    """
    freq = value_of(freq)
    if isinstance(freq, np.timedelta64):
        freq = pd.Timedelta(freq)
    if not (isinstance(freq, str | datetime.timedelta) or is_offset(freq)) or freq is pd.NaT:
        raise ArgumentTypeError(f"{asked} takes a frequency, not {type(freq).__name__}.", hint=EXAMPLES)
    if type(freq) in (pd.offsets.BaseOffset, pd.offsets.Tick):
        raise ArgumentTypeError(f"{asked}: {type(freq).__name__} is the base of frequencies, and none.", hint=EXAMPLES)
    try:
        offset: Any = pd.tseries.frequencies.to_offset(freq)
    except (ValueError, TypeError) as error:
        raise ArgumentError(f"{asked}: {error}", hint=EXAMPLES) from error
    if isinstance(offset, pd.offsets.Day):
        return Frequency(offset, offset.n * DAY)
    return Frequency(offset, int(offset.nanos) if isinstance(offset, pd.offsets.Tick) else None)


def is_offset(item: Any) -> bool:
    """Whether an object is one of pandas' offsets, such as ``pd.DateOffset(months=1)``."""
    return "pandas" in sys.modules and isinstance(item, pd.offsets.BaseOffset)


def fixed_span(freq: Any, *, asked: str) -> int:
    """Return the nanoseconds of a frequency of fixed length.

    Raises
    ------
    ArgumentError
        If pandas refuses it, its length depends on the calendar, or its length is not positive.
    ArgumentTypeError
        If it is no frequency.
    """
    found = frequency_of(freq, asked=asked)
    if found.span is None:
        raise ArgumentError(
            f"{asked}: {found.offset} is a non-fixed frequency.",
            hint="use a fixed one such as 'D', '7D' or 'h'; the calendar is for resample, Grouper and + pd.offsets.",
        )
    if found.span < 1:
        raise ArgumentError(f"{asked}: a frequency is longer than nothing, which {freq!r} is not.")
    return found.span


def rounding_span(freq: Any, rules: Rules, *, asked: str) -> int:
    """Return the nanoseconds that times are rounded to multiples of.

    Where the rules keep them, Arkouda's names of units precede pandas' reading: ``m`` is a minute.  The beginning of
    a full name is enough, as in Arkouda.

    Raises
    ------
    ArgumentError
        If it is no frequency of fixed length.
    ArgumentTypeError
        If it is no frequency.
    """
    if rules.rounds_to_units and isinstance(freq, str) and freq:
        span = UNIT_SPANS.get(freq)
        if span is None and freq.islower():
            span = next((UNIT_SPANS[name] for name in UNIT_SPANS if len(freq) > 2 and name.startswith(freq)), None)
        if span is not None:
            return span
    return fixed_span(freq, asked=asked)


def moved(operation: str, items: tuple[Any, ...]) -> Any:
    """Return the sum or difference of times and an offset; lazy.

    Raises
    ------
    ArgumentTypeError
        If the operation is another one, or spans of time would have to follow the calendar.
    ArgumentError
        If pandas refuses the offset.
    """
    is_first = is_offset(items[0])
    offset: Any = items[0] if is_first else items[1]
    times: Any = items[1] if is_first else items[0]
    if operation not in ("add", "subtract") or (is_first and operation == "subtract") or is_offset(times):
        raise ArgumentTypeError(
            f"{operation} has no meaning for times and {offset}.", hint="add or subtract it: t + it."
        )
    form = times._form
    if isinstance(offset, pd.offsets.Tick) or (isinstance(offset, pd.offsets.Day) and form.zone is None):
        span = pd.Timedelta(days=offset.n).as_unit("s") if isinstance(offset, pd.offsets.Day) else pd.Timedelta(offset)
        return times._operate(operation, span, times) if is_first else times._operate(operation, times, span)
    if form.kind != TIME:
        raise ArgumentTypeError(
            f"a span of time has no calendar, by which {offset} goes.", hint="add spans such as pd.Timedelta('30D')."
        )
    return moved_times(times, offset, subtract=operation == "subtract")


def moved_times(times: Any, offset: Any, *, subtract: bool = False) -> Any:
    """Return times before or after an offset; lazy."""
    form = times._form
    one = pd.DatetimeIndex(["2000-01-03"]).as_unit(form.unit)
    one = one if form.zone is None else one.tz_localize(form.zone)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found: Any = one - offset if subtract else one + offset
        except (ValueError, TypeError, OverflowError, NotImplementedError) as error:
            raise ArgumentError(
                f"times are not moved by {offset}: {error}", hint="such as pd.offsets.MonthEnd()."
            ) from error
    # pandas warns of offsets that it has no loop for.
    in_arrays = not any(issubclass(one.category, pd.errors.PerformanceWarning) for one in told)
    # An offset of microseconds makes times of seconds finer.
    value = Call(
        "move_by_offset",
        times._value,
        pickled=pickle.dumps(offset),
        subtract=subtract,
        in_arrays=in_arrays,
        unit=form.unit,
        finer=found.unit,
        zone=form.zone,
    )
    return times.of(times._frame, value, replace(form, unit=found.unit))


DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""Days of the months of a year that is no leap year."""


# fields


def integers(times: Any, field: str, of_field: Callable[[Any], Any] = lambda number: number) -> pdarray:
    """Return a field of the calendar, or integers computed from it, with NaN for NaT; lazy."""
    found: pdarray = times._present_numbers(of_field(_field(times, field, missing=bool(times._form.may_lack))))
    return found


def _field(times: Any, field: str, *, missing: bool = True) -> Any:
    """Return a field of the calendar; NaT gives an arbitrary number with `missing`, otherwise an error."""
    value = Call("calendar", times._clock, field=field, unit=times._form.unit, missing=missing)
    return pdarray(times._frame, value)


def days_in_month(times: Any) -> pdarray:
    """Return the number of days of the month; lazy."""
    days: Any = array(np.array(LENGTHS))[_field(times, "month") - 1]
    is_february = _field(times, "month") == 2
    found: pdarray = times._present_numbers(where(is_february & _field(times, "is_leap_year"), 29, days))
    return found


# text


def named(times: Any, names: Sequence[str], field: str, first: int = 0) -> Any:
    """Return the name of each time's field, which counts from `first`; lazy Strings, missing for NaT."""
    return _text(times, array(list(names))[_field(times, field) - first])


def formatted(times: Any, date_format: str) -> Any:
    """Return the times as text; see `Datetime.strftime`."""
    from akdask.arrays.functions import apply

    numbers = pdarray(times._frame, times._value)
    return _text(times, apply(numbers, Formatted(times._form, date_format), str))


def _text(times: Any, found: Any) -> Any:
    """Return text that is missing where the time is."""
    frame, (value, lacks) = times._beside(found)
    return found._like(frame, Call("make_missing", value, lacks))


@record
class Formatted:
    """Makes text of a number of a time.

    Parameters
    ----------
    form : TimeForm
        Unit and zone of the numbers.
    date_format : str
        How it is written.
    """

    form: TimeForm
    date_format: str

    def __call__(self, number: int) -> str:
        """Return the text, none for NaT."""
        return "" if number == NOT_A_TIME else str(self.form(number).strftime(self.date_format))


# zones


def converted(times: Any, tz: Any) -> Any:
    """Return times as the clocks of another zone show them; see `Datetime.tz_convert`."""
    if times._form.zone is None:
        raise ArgumentTypeError(
            "times without a zone are not converted to another.", hint="tz_localize says where their clocks are."
        )
    zone = None if tz is None else checked_zone(tz)
    return times.of(times._frame, times._value, replace(times._form, zone=zone))


def localized(times: Any, tz: Any, ambiguous: Any, nonexistent: Any) -> Any:
    """Return the times at which the clocks of a zone show clock times; see `Datetime.tz_localize`."""
    if tz is None:
        return times.of(times._frame, times._clock, replace(times._form, zone=None))
    if times._form.zone is not None:
        raise ArgumentTypeError("the times have a zone already.", hint="tz_convert takes them to another.")
    form = replace(times._form, zone=checked_zone(tz))
    if isinstance(ambiguous, str) and ambiguous == "infer":
        ambiguous = _are_first(times, form.zone, nonexistent)
    how = {"nonexistent": nonexistent}
    if isinstance(ambiguous, str | bool | np.bool_):
        how["ambiguous"] = bool(ambiguous) if isinstance(ambiguous, np.bool_) else ambiguous
        found = time_values.utc(times._value, form.zone, form.unit, **how)
        frame = times._frame
    else:
        flags: Any = unlabelled(ambiguous)
        given = flags if isinstance(flags, Array) else array(np.asarray(flags, np.bool_))
        frame, (value, flag) = align("localize", [(times._frame, times._value), (given._frame, given._value)])
        found = time_values.utc(value, form.zone, form.unit, flag, **how)
    lacks = "NaT" in (ambiguous if isinstance(ambiguous, str) else "", nonexistent) or form.may_lack
    return times.of(frame, found, form.lacking(lacks))


def _are_first(times: Any, zone: str | None, nonexistent: Any) -> np.ndarray[Any, Any]:
    """Return which times are the first of both where clocks show them twice, by their order; computes."""
    clocks = pd.DatetimeIndex(times.to_ndarray())
    try:
        found = clocks.tz_localize(zone, ambiguous="infer", nonexistent=nonexistent)
        first = clocks.tz_localize(zone, ambiguous=np.ones(len(clocks), np.bool_), nonexistent=nonexistent)
    except ValueError as error:
        raise ArgumentError(
            f"the order of the times does not tell which are the first of both in {zone}.",
            details=[str(error).splitlines()[0]],
            hint="pass an array of bool, or ambiguous='NaT'.",
        ) from error
    return np.asarray(found == first)


# times of day


DAY_IN_MICROSECONDS = 86_400 * 10**6
"""Microseconds of a day, the finest that a `datetime.time` has."""

INCLUSIVE = {"both": (True, True), "left": (True, False), "right": (False, True), "neither": (False, False)}


def within_day(asked: str, times: Any, start: Any, end: Any, inclusive: str = "both") -> pdarray:
    """Return which times lie between two times of day; if the first is the later one, over midnight.  Lazy.

    Raises
    ------
    ArgumentTypeError
        If they are no times.
    ArgumentError
        If a bound is no time of day, or `inclusive` is something else than pandas has.
    """
    from akdask.arrays.datetimes import Datetime

    if not isinstance(times, Datetime):
        raise ArgumentTypeError(
            f"{asked} needs rows that are labelled by times, not by {times._type_name()}.",
            hint="label them: df.set_index('t').",
        )
    if inclusive not in INCLUSIVE:
        raise ArgumentError(
            f"Inclusive has to be either 'both', 'neither', 'left' or 'right', not {inclusive!r}.", hint="leave it out."
        )
    first, last = _microseconds(asked, start), _microseconds(asked, end)
    with_first, with_last = INCLUSIVE[inclusive]
    after = Call("greater_equal" if with_first else "greater", _of_day(times), Constant(np.int64(first)))
    before = Call("less_equal" if with_last else "less", _of_day(times), Constant(np.int64(last)))
    found = Call("logical_and" if first <= last else "logical_or", after, before)
    return pdarray(times._frame, Call("logical_and", found, time_values.is_present_time(times._value)))


def _of_day(times: Any) -> Value:
    """Return the microseconds since midnight, by the clock."""
    per_second = times._form.per_second
    if per_second > 10**6:
        seconds = Call("floor_divide", times._clock, Constant(np.int64(per_second // 10**6)))
        return Call("remainder", seconds, Constant(np.int64(DAY_IN_MICROSECONDS)))
    of_day = Call("remainder", times._clock, Constant(np.int64(86_400 * per_second)))
    return Call("multiply", of_day, Constant(np.int64(10**6 // per_second)))


def _microseconds(asked: str, time: Any) -> int:
    if isinstance(time, str):
        try:
            time = pd.Timestamp(f"2000-01-01 {time}").time()
        except ValueError as error:
            raise ArgumentError(f"{asked}: {time!r} is no time of day.", hint="such as '09:30'.") from error
    if not isinstance(time, datetime.time):
        raise ArgumentTypeError(f"{asked} takes a time of day, not {type(time).__name__}.", hint="such as '09:30'.")
    if time.tzinfo is not None:
        raise ArgumentError(f"{asked} goes by the clocks of the labels.", hint="leave the zone of the time out.")
    return ((time.hour * 60 + time.minute) * 60 + time.second) * 10**6 + time.microsecond
