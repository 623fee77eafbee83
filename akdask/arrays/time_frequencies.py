"""Frequencies: the steps between times that text, pandas offsets and spans of time describe.

A frequency has a fixed length, such as hours, or follows the calendar, such as months.  pandas' parser reads all of
them.
"""

from __future__ import annotations

import datetime
import pickle
import sys
import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from akdask.arrays.rules import Rules
from akdask.arrays.scalar import value_of
from akdask.columns.dtypes import TIME
from akdask.deferred import pd
from akdask.engine.values import Call
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.values.times import DAY

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


@dataclass(frozen=True, slots=True)
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
