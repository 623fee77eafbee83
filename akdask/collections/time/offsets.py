"""Times and offsets of the calendar: ``t + pd.DateOffset(months=1)``, ``t - pd.offsets.BDay(2)``."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import replace
from typing import Any

from akdask.collections.time.frequencies import is_offset
from akdask.deferred import pd
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.values import Call
from akdask.schema.times import TIME


def moved(operation: str, items: tuple[Any, ...]) -> Any:
    """Return the sum or difference of times and an offset; lazy.

    Raises
    ------
    ArgumentTypeError
        If the operation is another one, or spans of time are to go by the calendar.
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
        span = pd.Timedelta(days=offset.n) if isinstance(offset, pd.offsets.Day) else pd.Timedelta(offset)
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
        except (ValueError, TypeError, OverflowError) as error:
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
