"""Calendar fields of times, and rounding to multiples of a span; times are int64 nanoseconds since 1970, without zone.

The smallest int64, which NumPy and pandas call NaT, is a time like any other here, as it is to Arkouda.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.deferred import pd
from akdask.errors import ArgumentError
from akdask.kernels.core.rules import Operation
from akdask.schema import BOOL, INT64, STR, ColumnType

DAY = 86_400 * 10**9


def _year(days: Any) -> Any:
    return days.astype("M8[D]").astype("M8[Y]").astype(np.int64) + 1970


def _month(days: Any) -> Any:
    return days.astype("M8[D]").astype("M8[M]").astype(np.int64) % 12 + 1


def _day(days: Any) -> Any:
    return _since(days, "M8[M]")


def _day_of_year(days: Any) -> Any:
    return _since(days, "M8[Y]")


def _since(days: Any, unit: str) -> Any:
    """Count days from the first of the month or year, which is 1."""
    dates = days.astype("M8[D]")
    return (dates - dates.astype(unit).astype("M8[D]")).astype(np.int64) + 1


def _day_of_week(days: Any) -> Any:
    """Monday is 0; day 0 was a Thursday."""
    return (days + 3) % 7


def _thursday(days: Any) -> Any:
    """ISO weeks belong to the year of their Thursday."""
    return days - _day_of_week(days) + 3


def _iso_year(days: Any) -> Any:
    return _year(_thursday(days))


def _week(days: Any) -> Any:
    return (_day_of_year(_thursday(days)) - 1) // 7 + 1


def _is_leap_year(days: Any) -> Any:
    year = _year(days)
    return (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))


FIELDS: dict[str, Callable[[Any], Any]] = {
    "year": _year,
    "month": _month,
    "day": _day,
    "day_of_year": _day_of_year,
    "day_of_week": _day_of_week,
    "week": _week,
    "iso_year": _iso_year,
    "is_leap_year": _is_leap_year,
}


def _calendar(times: Any, out: Any = None, *, field: str) -> Any:
    found = FIELDS[field](np.asarray(times) // DAY)
    return _placed(found, out)


def _calendar_type(times: ColumnType, *, field: str) -> ColumnType | None:
    if times != INT64:
        return None
    return BOOL if field == "is_leap_year" else INT64


def _floor(times: Any, step: int) -> Any:
    return times // step * step


def _ceil(times: Any, step: int) -> Any:
    return -(-times // step) * step


def _round(times: Any, step: int) -> Any:
    """Halves go to the even multiple, as in pandas."""
    quotient, rest = np.divmod(times, step)
    up = (rest > step - rest) | ((rest == step - rest) & (quotient % 2 == 1))
    return (quotient + up) * step


ROUNDINGS: dict[str, Callable[[Any, int], Any]] = {"floor": _floor, "ceil": _ceil, "round": _round}


def _round_time(times: Any, out: Any = None, *, how: str, step: int) -> Any:
    return _placed(ROUNDINGS[how](times, step), out)


def _round_type(times: ColumnType, *, how: str, step: int) -> ColumnType | None:
    if step < 1:
        raise ArgumentError(f"times are rounded to a span of at least 1 ns, not {step} ns.")
    return INT64 if times == INT64 else None


def _placed(found: Any, out: Any) -> Any:
    if out is None:
        return found[()]
    out[...] = found
    return out


def nanoseconds(items: Any, kind: str) -> Any:
    """Return times or spans as int64 nanoseconds.

    Parameters
    ----------
    items : array-like
        What pandas reads as times or spans: NumPy arrays of either, ISO 8601 text, Python objects.  Times with a zone
        are taken to UTC.
    kind : {"M", "m"}
        Times or spans.

    Raises
    ------
    ArgumentError
        If they are none, or beyond what 64 bits hold: the years 1677 to 2262.
    """
    try:
        found = _times(items) if kind == "M" else pd.TimedeltaIndex(pd.to_timedelta(items))
        return np.array(found.as_unit("ns").to_numpy(), copy=True).view(np.int64)
    except (ValueError, TypeError) as error:
        wanted = "time" if kind == "M" else "span of time"
        raise ArgumentError(
            f"the elements are not all a {wanted}.",
            details=[str(error).splitlines()[0]],
            hint="text is read as ISO 8601, such as 2026-01-31T12:00:00.5.",
        ) from error


def _times(items: Any) -> pd.DatetimeIndex:
    """Return times without zone; text of mixed precision is read as a whole."""
    is_text = pd.api.types.infer_dtype(items, skipna=True) == "string"
    found = pd.DatetimeIndex(pd.to_datetime(items, format="ISO8601", utc=True) if is_text else items)
    return found if found.tz is None else found.tz_convert(None)


def _parse(text: Any, out: Any = None, *, kind: str) -> Any:
    if isinstance(text, str):
        return nanoseconds([text], kind)[0]
    return _placed(nanoseconds(np.array(text.to_pylist(), object), kind), out)


TIME_OPERATIONS: dict[str, Operation] = {
    "calendar": Operation("calendar", 1, _calendar_type, _calendar),
    "round_time": Operation("round_time", 1, _round_type, _round_time),
    "parse_time": Operation("parse_time", 1, lambda dtype, kind: INT64 if dtype == STR else None, _parse),
}
