"""Times and spans as int64 numbers of a unit, the smallest of which is NaT: arithmetic, calendar fields, rounding.

NaT propagates, and times beyond 64 bits are an error. Kernels check the bounds of the rows for both first, which is
cheap. They check rows one by one only if the bounds leave room for either.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.caches import cached_results
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NOT_A_TIME, PER_SECOND, STR, ColumnType
from akdask.deferred import pd
from akdask.engine.operations import Operation
from akdask.errors import ArgumentError, TimeOverflowError

DAY = 86_400 * 10**9
"""Nanoseconds of a day."""

LATEST = np.iinfo(np.int64).max

# ------------------------------------------------------------------------------------------------------------ calendar


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
    """Return the day of the week, 0 for Monday; day 0 was a Thursday."""
    return (days + 3) % 7


def _thursday(days: Any) -> Any:
    """Return the Thursday of each day's week; ISO weeks belong to the year of their Thursday."""
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


def _field_of(field: str, days: Any) -> Any:
    """Return a field of each day; where days repeat, it is computed once for each day between the first and last."""
    if not days.size:
        return FIELDS[field](days)
    first, last = int(days.min()), int(days.max())
    if last - first >= days.size // VALUES_PER_DAY:
        return FIELDS[field](days)
    return FIELDS[field](np.arange(first, last + 1)).take(days - first)


VALUES_PER_DAY = 4
"""Values for each day from the first to the last, at which a table of these days takes less time than all values."""


def _calendar(times: Any, out: Any = None, *, field: str, unit: str = "ns", missing: bool = False) -> Any:
    lacks = missing_among(times)
    days = np.asarray(times) // (86_400 * PER_SECOND[unit])
    if lacks is not None:
        if not missing:
            raise _has_no_value(field)
        days = np.where(lacks, 0, days)
    found = _field_of(field, days)
    if lacks is not None and found.dtype == np.bool_:
        found = found & ~lacks
    return _placed(found, out)


def _calendar_type(times: ColumnType, *, field: str, unit: str = "ns", missing: bool = False) -> ColumnType | None:
    if times != INT64:
        return None
    return BOOL if field == "is_leap_year" else INT64


def _part(
    times: Any, out: Any = None, *, name: str, step: int, count: int, factor: int = 1, missing: bool = False
) -> Any:
    """Return the number of steps since the last multiple of `count` steps; for a count of 0, all steps.

    If a step is a fraction of the times' unit, there are `factor` steps in a unit.
    """
    lacks = missing_among(times)
    if lacks is not None and not missing:
        raise _has_no_value(name)
    steps = times if step == 1 else times // step
    found = steps % count if count else steps
    if factor != 1:
        found = _multiplied(found, np.int64(factor))
    return _placed(found if lacks is None else np.where(lacks, 0, found), out)


def _part_type(times: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if times == INT64 else None


# -------------------------------------------------------------------------------------------------------- NaT, overflow


def missing_among(*columns: Any) -> Any:
    """Return the mask of rows with NaT in any of some columns of times, None without NaT."""
    found = None
    for column in columns:
        if np.size(column) and np.min(column) == NOT_A_TIME:
            here = np.equal(column, NOT_A_TIME)
            found = here if found is None else found | here
    return found


def _bounds(column: Any) -> tuple[int, int]:
    return (int(np.min(column)), int(np.max(column))) if np.size(column) else (0, 0)


def _finished(
    found: Any,
    operands: tuple[Any, ...],
    missing: Any,
    out: Any,
    *,
    beyond: Callable[[], Any] | None = None,
    what: str = "",
) -> Any:
    """Return results with NaT where an operand is missing; raise if another result is beyond 64 bits.

    Parameters
    ----------
    found : array or scalar
        The results.
    operands : tuple of arrays or scalars
        The operands, for the message.
    missing : array or bool, optional
        The mask of rows with an operand that is NaT.
    out : ndarray, optional
        Array to write to.
    beyond : callable, optional
        Returns the mask of wrapped results; None if the bounds of the operands exclude them.
    what : str
        Name of the computation, for the message.
    """
    if beyond is not None:
        wrong = beyond() | np.equal(found, NOT_A_TIME)
        if missing is not None:
            wrong = wrong & ~missing
        if np.any(wrong):
            raise _overflow(what, wrong, operands)
    if missing is not None:
        found = np.where(missing, NOT_A_TIME, found)
    return _placed(found, out)


def _overflow(what: str, wrong: Any, operands: tuple[Any, ...]) -> TimeOverflowError:
    where = int(np.argmax(wrong))
    shown = [str(np.broadcast_to(operand, np.shape(wrong)).reshape(-1)[where]) for operand in operands]
    return TimeOverflowError(
        f"{what} is beyond what 64 bits of its unit hold.",
        details=[f"the first of {np.count_nonzero(wrong)} in a block of rows is made of {' and '.join(shown)}"],
        hint="a coarser unit holds more: as_unit('us') reaches beyond the years 1677 to 2262 of nanoseconds.",
    )


def _has_no_value(name: str) -> ArgumentError:
    return ArgumentError(
        f"some times are NaT, which have no {name} that is an integer.",
        hint="leave them out with dropna() or a mask, or put other times in their place with where(…).",
    )


def _added(left: Any, right: Any, out: Any = None) -> Any:
    (low, high), (least, most) = _bounds(left), _bounds(right)
    found = np.add(left, right)
    if low + least > NOT_A_TIME and high + most <= LATEST and NOT_A_TIME not in (low, least):
        return _placed(found, out)

    def beyond() -> Any:
        return ((left ^ found) & (right ^ found)) < 0

    return _finished(found, (left, right), missing_among(left, right), out, beyond=beyond, what="a sum of times")


def _subtracted(left: Any, right: Any, out: Any = None) -> Any:
    (low, high), (least, most) = _bounds(left), _bounds(right)
    found = np.subtract(left, right)
    if low - most > NOT_A_TIME and high - least <= LATEST and NOT_A_TIME not in (low, least):
        return _placed(found, out)

    def beyond() -> Any:
        return ((left ^ right) & (left ^ found)) < 0

    return _finished(found, (left, right), missing_among(left, right), out, beyond=beyond, what="a difference of times")


def _multiplied(spans: Any, factor: Any, out: Any = None, *, what: str = "a multiple of a span of time") -> Any:
    """Return spans or times multiplied by numbers; fractions of a unit are truncated, as in NumPy and pandas."""
    missing = missing_among(spans)
    if np.asarray(factor).dtype.kind == "f":
        # A span times a float is a float, as NumPy's is; only whole numbers multiply exactly.
        product = np.trunc(np.multiply(spans, factor, dtype=np.float64))
        return _integers(product, (spans, factor), _either(missing, np.isnan(factor)), out, what)
    factor = _signed(factor, what)
    (low, high), (least, most) = _bounds(spans), _bounds(factor)
    found = np.multiply(spans, factor)
    fits = missing is None and max(-low, high) * max(-least, most) <= LATEST

    def beyond() -> Any:
        by = np.where(np.equal(factor, 0), 1, factor)
        return np.not_equal(factor, 0) & np.not_equal(found // by, spans)

    return _finished(found, (spans, factor), missing, out, beyond=None if fits else beyond, what=what)


def _either(missing: Any, other: Any) -> Any:
    return other if missing is None else missing | other


def _integers(found: Any, operands: tuple[Any, ...], missing: Any, out: Any, what: str) -> Any:
    """Return floats with integer values as times, NaT where `missing`; infinite ones raise."""
    wrong = ~missing & ~(np.abs(found) < 2.0**63)
    if np.any(wrong):
        raise _overflow(what, wrong, operands)
    numbers = np.where(missing, 0, found).astype(np.int64)
    return _placed(np.where(missing, NOT_A_TIME, numbers), out)


def _signed(numbers: Any, what: str) -> Any:
    """Return integers or bools as int64; 2**63 and more raise."""
    numbers = np.asarray(numbers)
    if numbers.dtype == np.uint64 and numbers.size and int(numbers.max()) > LATEST:
        raise _overflow(what, numbers > LATEST, (numbers,))
    return numbers.astype(np.int64, copy=False)[()]


def _ratio(left: Any, right: Any, out: Any = None) -> Any:
    missing = missing_among(left, right)
    found = np.true_divide(left, right)
    return _placed(found if missing is None else np.where(missing, np.nan, found), out)


def _ratio_type(*times: ColumnType) -> ColumnType | None:
    return FLOAT64 if all(dtype == INT64 for dtype in times) else None


def _quotient(left: Any, right: Any, out: Any = None, *, missing: bool = False) -> Any:
    lacks = missing_among(left, right)
    if lacks is not None and not missing:
        raise _has_no_value("quotient")
    return _placed(np.floor_divide(left, right), out)


def _quotient_type(*times: ColumnType, missing: bool = False) -> ColumnType | None:
    return INT64 if all(dtype == INT64 for dtype in times) else None


def _remaining(left: Any, right: Any, out: Any = None) -> Any:
    missing = missing_among(left, right)
    # Division by no time has no remainder.
    none = np.equal(right, 0)
    lacks = _either(missing, none) if np.any(none) else missing
    return _finished(np.remainder(left, right), (), lacks, out)


def _divided(spans: Any, divisor: Any, out: Any = None, *, round_down: bool) -> Any:
    """Return spans divided by numbers, rounded down, or truncated as in pandas; NaT for divisors 0 and NaN."""
    missing = missing_among(spans)
    none = np.equal(divisor, 0)
    if np.asarray(divisor).dtype.kind == "f":
        lacks = _either(missing, none | np.isnan(divisor))
        quotient = np.true_divide(spans, np.where(none, 1.0, divisor))
        quotient = np.floor(quotient) if round_down else np.trunc(quotient)
        return _integers(quotient, (spans, divisor), lacks, out, "a part of a span of time")
    divisor = _signed(divisor, "a part of a span of time")
    lacks = _either(missing, none) if np.any(none) else missing
    by = np.where(none, 1, divisor)
    found = np.floor_divide(spans, by)
    if not round_down:
        found = found + ((found < 0) & np.not_equal(found * by, spans))
    return _finished(found, (), lacks, out)


def _times_and_number(times: ColumnType, number: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if times == INT64 and number.is_number else None


def _two_times(*times: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if all(dtype == INT64 for dtype in times) else None


# ---------------------------------------------------------------------------------------------------------------- units


def _to_unit(times: Any, out: Any = None, *, given: str, wanted: str, column: str = "") -> Any:
    """Return times in another unit: raise if a finer unit cannot hold them, round down for a coarser one."""
    before, after = PER_SECOND[given], PER_SECOND[wanted]
    if after >= before:
        return _multiplied(
            times,
            np.int64(after // before),
            out,
            what=f"a time in {wanted}{f' of column {column!r}' if column else ''}",
        )
    missing = missing_among(times)
    return _finished(np.floor_divide(times, before // after), (), missing, out)


def _to_unit_type(times: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if times == INT64 else None


def _compare(left: Any, right: Any, out: Any = None, *, how: str, units: tuple[str, str]) -> Any:
    """Compare times of different units exactly, by integers of the coarser unit and their remainders."""
    missing = missing_among(left, right)
    counts = [PER_SECOND[unit] for unit in units]
    coarse = min(counts)
    (one, rest), (other, more) = (
        np.divmod(column, count // coarse) for column, count in zip((left, right), counts, strict=True)
    )
    same = np.equal(one, other)
    match how:
        case "equal" | "not_equal":
            found = same & np.equal(rest, more)
        case "less" | "less_equal":
            found = np.less(one, other) | (same & getattr(np, how)(rest, more))
        case _:
            found = np.greater(one, other) | (same & getattr(np, how)(rest, more))
    if missing is not None:
        found = found & ~missing
    return _placed(~found if how == "not_equal" else found, out)


def _compare_type(*times: ColumnType, **_: Any) -> ColumnType | None:
    return BOOL if all(dtype == INT64 for dtype in times) else None


def _counted(numbers: Any, out: Any = None, *, step: int, coerce: bool = False) -> Any:
    """Return numbers of steps as times; NaN is NaT, and a time that is too far is NaT if `coerce`, else an error."""
    numbers, what = np.asarray(numbers), "a number of units of time"
    if numbers.dtype.kind != "f":
        if not coerce:
            return _multiplied(_signed(numbers, what), np.int64(step), out, what=what)
        most = LATEST // step
        far = numbers > most if numbers.dtype.kind == "u" else (numbers > most) | (numbers < -most)
        found = np.where(far, 0, numbers).astype(np.int64) * step
        return _placed(np.where(far, NOT_A_TIME, found), out)
    lacks = np.isnan(numbers)
    base = np.trunc(np.where(lacks, 0.0, numbers))
    wrong = ~(np.abs(base) * step < 2.0**63)
    if coerce:
        lacks, base = lacks | wrong, np.where(wrong, 0.0, base)
    elif np.any(wrong):
        raise _overflow(what, wrong, (numbers,))
    # As in pandas, so that 0.1 s are 100 ms.
    rest = np.round(np.where(lacks, 0.0, numbers) - base, len(str(step)) - 1)
    found = _added(_multiplied(base.astype(np.int64), np.int64(step)), np.trunc(rest * step).astype(np.int64))
    return _placed(np.where(lacks, NOT_A_TIME, found), out)


def _counted_type(numbers: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if numbers.is_number and numbers != BOOL else None


# ------------------------------------------------------------------------------------------------------------- rounding


def _floor(times: Any, step: int) -> Any:
    return times // step * step


def _ceil(times: Any, step: int) -> Any:
    return -(-times // step) * step


def _round(times: Any, step: int) -> Any:
    """Round to multiples of a span, halves to the even multiple, as in pandas."""
    quotient, rest = np.divmod(times, step)
    up = (rest > step - rest) | ((rest == step - rest) & (quotient % 2 == 1))
    return (quotient + up) * step


ROUNDINGS: dict[str, Callable[[Any, int], Any]] = {"floor": _floor, "ceil": _ceil, "round": _round}


def _round_time(times: Any, out: Any = None, *, how: str, step: int) -> Any:
    low, high = _bounds(times)
    found = ROUNDINGS[how](times, step)
    if low - step > NOT_A_TIME and high + step <= LATEST:
        return _placed(found, out)

    def beyond() -> Any:
        # The true result is less than a step away.
        return ((times ^ found) & ((found - times) ^ found)) < 0

    return _finished(found, (times,), missing_among(times), out, beyond=beyond, what="a rounded time")


def _round_type(times: ColumnType, *, how: str, step: int) -> ColumnType | None:
    if step < 1:
        raise ArgumentError(f"times are rounded to a span of at least 1 ns, not {step} ns.")
    return INT64 if times == INT64 else None


# ---------------------------------------------------------------------------------------------------------------- zones


def checked_zone(zone: Any) -> str:
    """Return the name of a zone: one of ``zoneinfo``, a fixed offset, or one of Python's own.

    Raises
    ------
    ArgumentError
        If there is no such zone.
    """
    name = getattr(zone, "key", None) or getattr(zone, "zone", None) or zone
    try:
        found: Any = pd.DatetimeTZDtype("ns", name).tz
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise ArgumentError(
            f"{zone!r:.100} is no zone.", details=[str(error)], hint="such as 'Europe/Berlin', 'UTC' or '+02:00'."
        ) from None
    return str(getattr(found, "key", None) or getattr(found, "zone", None) or found)


def local(times: Any, zone: str, unit: str = "ns", out: Any = None) -> Any:
    """Return the local times of UTC times in a zone, as numbers of the same unit; NaT stays.

    Parameters
    ----------
    times : ndarray of int64, or one number
        Numbers of `unit` since 1970.
    zone : str
        The zone.
    unit : {"s", "ms", "us", "ns"}
        The unit of the numbers.
    out : ndarray, optional
        Array to write to.
    """
    index = _index(times, unit).tz_localize("UTC").tz_convert(zone).tz_localize(None)
    return _numbers(index, times, out)


def utc(
    times: Any, zone: str, unit: str = "ns", *, ambiguous: Any = "raise", nonexistent: Any = "raise", out: Any = None
) -> Any:
    """Return the UTC times of local times in a zone; NaT stays.

    Parameters
    ----------
    times : ndarray of int64, or one number
        Local times, as numbers of `unit` since 1970.
    zone : str
        The zone.
    unit : {"s", "ms", "us", "ns"}
        The unit of the numbers.
    ambiguous : {"raise", "NaT"}, bool or ndarray of bool
        Treatment of local times that occur twice; a bool says whether to take the first one, of summer time.
    nonexistent : {"raise", "NaT", "shift_forward", "shift_backward"} or timedelta
        Treatment of local times that the zone skips.
    out : ndarray, optional
        Array to write to.

    Raises
    ------
    ArgumentError
        If a local time occurs twice or not at all, and its treatment is ``"raise"``.
    """
    index = _index(times, unit)
    if isinstance(ambiguous, bool | np.bool_):
        ambiguous = np.full(len(index), ambiguous)
    try:
        found = index.tz_localize(zone, ambiguous=ambiguous, nonexistent=nonexistent)
    except (ValueError, OverflowError) as error:
        raise ArgumentError(
            f"not every time is shown once by the clocks of {zone}.",
            details=[str(error)],
            hint="ambiguous= and nonexistent= say what becomes of those that come twice, or not at all.",
        ) from None
    return _numbers(found.tz_convert("UTC").tz_localize(None), times, out)


def _index(times: Any, unit: str) -> Any:
    return pd.DatetimeIndex(np.atleast_1d(times).view(f"M8[{unit}]"))


def _numbers(index: Any, like: Any, out: Any) -> Any:
    found = np.asarray(index).view(np.int64)
    return _placed(found if np.ndim(like) else found[0], out)


def _local(times: Any, out: Any = None, *, zone: str, unit: str) -> Any:
    return local(times, zone, unit, out)


def _utc(times: Any, *flags: Any, out: Any = None, zone: str, unit: str, **how: Any) -> Any:
    return utc(
        times,
        zone,
        unit,
        **({"ambiguous": np.broadcast_to(flags[0], np.shape(times))} if flags else {}),
        **how,
        out=out,
    )


def _utc_type(times: ColumnType, *flags: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if times == INT64 and all(dtype == BOOL for dtype in flags) else None


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
        Times or spans in any form that pandas reads: NumPy arrays, ISO 8601 text, Python objects. Times with a zone are
        converted to UTC.
    kind : {"M", "m"}
        Times or spans.

    Raises
    ------
    ArgumentError
        If they are no times or spans.
    TimeOverflowError
        If they are beyond 64 bits, the years 1677 to 2262.
    """
    return numbers_of(items, kind, "ns")[0]


def numbers_of(items: Any, kind: str, unit: str | None = None) -> tuple[Any, str, str | None]:
    """Return times or spans as int64 numbers of UTC, their unit, and the zone of the times, None without one.

    Parameters
    ----------
    items : array-like
        See `nanoseconds`.
    kind : {"M", "m"}
        Times or spans.
    unit : {"s", "ms", "us", "ns"}, optional
        The unit; by default the unit of their dtype.

    Raises
    ------
    ArgumentError
        If they are no times or spans.
    TimeOverflowError
        If they are beyond 64 bits.
    """
    try:
        found: Any = _times(items) if kind == "M" else pd.TimedeltaIndex(pd.to_timedelta(items))
        zone = None if kind == "m" or found.tz is None else checked_zone(found.tz)
        numbers = np.array(found.asi8, copy=True)
    except (pd.errors.OutOfBoundsDatetime, pd.errors.OutOfBoundsTimedelta) as error:
        raise TimeOverflowError("a time is beyond what 64 bits of its unit hold.", details=[str(error)]) from error
    except (ValueError, TypeError) as error:
        wanted = "time" if kind == "M" else "span of time"
        raise ArgumentError(
            f"the elements are not all a {wanted}.",
            details=[str(error).splitlines()[0]],
            hint="text is read as ISO 8601, such as 2026-01-31T12:00:00.5.",
        ) from error
    wanted = found.unit if unit is None else unit
    return _to_unit(numbers, given=found.unit, wanted=wanted), wanted, zone


def _times(items: Any) -> pd.DatetimeIndex:
    """Return times; text of mixed precision is parsed as a whole, and converted to UTC."""
    is_text = pd.api.types.infer_dtype(items, skipna=True) == "string"
    if not is_text:
        return pd.DatetimeIndex(items)
    return pd.DatetimeIndex(pd.to_datetime(items, format="ISO8601", utc=True)).tz_convert(None)


def _parse(text: Any, out: Any = None, *, kind: str) -> Any:
    if isinstance(text, str):
        return nanoseconds([text], kind)[0]
    return _placed(nanoseconds(np.array(text.to_pylist(), object), kind), out)


_OPERATIONS = (
    Operation("calendar", 1, _calendar_type, _calendar),
    Operation("time_part", 1, _part_type, _part),
    Operation("round_time", 1, _round_type, _round_time),
    Operation("parse_time", 1, lambda dtype, kind: INT64 if dtype == STR else None, _parse),
    Operation("add_times", 2, _two_times, _added, "+"),
    Operation("subtract_times", 2, _two_times, _subtracted, "-"),
    Operation("multiply_times", 2, _times_and_number, _multiplied, "*"),
    Operation("divide_times", 2, _times_and_number, _divided),
    Operation("time_ratio", 2, _ratio_type, _ratio, "/"),
    Operation("whole_time_ratio", 2, _quotient_type, _quotient),
    Operation("remaining_time", 2, _two_times, _remaining, "%"),
    Operation("time_in_unit", 1, _to_unit_type, _to_unit),
    Operation("compare_times", 2, _compare_type, _compare),
    Operation("counted_time", 1, _counted_type, _counted),
    Operation("local_time", 1, _to_unit_type, _local),
    Operation("utc_time", None, _utc_type, _utc),
)

TIME_OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in _OPERATIONS}


@cached_results("offsets of times", 64)
def _offset(pickled: bytes) -> Any:
    return pickle.loads(pickled)


def _moved(
    times: Any,
    out: Any = None,
    *,
    pickled: bytes,
    subtract: bool,
    in_arrays: bool,
    unit: str = "ns",
    finer: str = "ns",
    zone: str | None = None,
) -> Any:
    """Return times shifted by an offset, in the unit `finer`; by local time if there is a zone."""
    offset = _offset(pickled)
    index = pd.DatetimeIndex(np.atleast_1d(np.asarray(times, np.int64)).view(f"M8[{unit}]"))
    if zone is not None:
        index = index.tz_localize("UTC").tz_convert(zone)
    try:
        if in_arrays:
            found = index - offset if subtract else index + offset
        else:
            moved = [time - offset if subtract else time + offset for time in index]
            found = pd.DatetimeIndex(moved, dtype=index.dtype)
        ticks = found.as_unit(finer).asi8
    except (ValueError, OverflowError) as error:
        raise ArgumentError(
            f"a time {'less' if subtract else 'and'} {offset} is beyond what 64 bits hold, or is none in its zone.",
            details=[str(error)],
            hint="leave such times out, or make their unit coarser.",
        ) from error
    if out is None:
        return ticks.reshape(np.shape(times))[()]
    out[...] = ticks
    return out


def _moved_type(times: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if times == INT64 else None


OFFSET_OPERATIONS: dict[str, Operation] = {
    "move_by_offset": Operation("move_by_offset", 1, _moved_type, _moved),
}
