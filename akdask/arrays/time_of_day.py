"""`within_day`: selects times between two times of day, by the clocks of their zone."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from akdask.arrays.datetimes import Datetime
from akdask.arrays.pdarray import pdarray
from akdask.deferred import pd
from akdask.engine.times import is_present_time
from akdask.engine.values import Call, Constant, Value
from akdask.errors import ArgumentError, ArgumentTypeError

DAY = 86_400 * 10**6
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
    return pdarray(times._frame, Call("logical_and", found, is_present_time(times._value)))


def _of_day(times: Datetime) -> Value:
    """Return the microseconds since midnight, by the clock."""
    per_second = times._form.per_second
    if per_second > 10**6:
        seconds = Call("floor_divide", times._clock, Constant(np.int64(per_second // 10**6)))
        return Call("remainder", seconds, Constant(np.int64(DAY)))
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
