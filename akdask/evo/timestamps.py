"""Timestamps: microseconds since 1970 in UTC, converted from any zone and unit.

Microseconds stay microseconds: they reach 292,000 years, where the nanoseconds of pandas reach 292.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import pyarrow as pa

from akdask.columns.dtypes import NOT_A_TIME
from akdask.deferred import pc, pd
from akdask.errors import ArgumentError
from akdask.evo.errors import ContentError, KindError

MICROSECONDS = pa.timestamp("us", "UTC")
"""The Arrow type of timestamps in blobs."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FRACTION = re.compile(r"(?<=\.)(\d{6})(\d+)")
_FINEST = 1000  # nanoseconds
_UNITS = {"s": 1_000_000, "ms": 1_000, "us": 1}
_MOST = np.iinfo(np.int64).max

Choice = Literal["raise", "earliest", "latest"]


def to_utc(
    values: Any,
    *,
    zone: str | None = None,
    unit: str | None = None,
    truncate: bool = False,
    ambiguous: Choice = "raise",
    nonexistent: Choice = "raise",
) -> Any:
    """Return timestamps as blobs hold them: an Arrow array of ``timestamp[us, tz=UTC]``, null where a time is missing.

    Parameters
    ----------
    values : array_like
        An Arrow array, a pandas Series or index, NumPy's datetime64, a sequence of datetimes or of ISO 8601 text, or
        integers in `unit`.
    zone : str, optional
        Where clocks showed times that have no zone, such as ``"UTC"`` or ``"Pacific/Auckland"``.
    unit : {"s", "ms", "us", "ns"}, optional
        Unit of integers, which count since 1970 in UTC.
    truncate : bool, default False
        Drop digits below a microsecond, rounding down.
    ambiguous, nonexistent : {"raise", "earliest", "latest"}
        Which of two instants is meant where clocks showed a time twice, and the replacement for a time that they never
        showed.

    Raises
    ------
    ContentError
        If times have no zone and none is given; if they are finer than a microsecond, or too far from 1970 for
        microseconds; if clocks showed them twice or never.
    KindError
        If the values are no times.
    ArgumentError
        If there is no such zone or unit.

    Examples
    --------
    >>> to_utc(["2024-02-29T12:34:56.789012+13:00"]).cast(pa.int64()).to_pylist()
    [1709163296789012]
    """
    if zone is not None:
        _check_zone(zone)
    array = _as_arrow(values, unit, truncate)
    kind = array.type
    if pa.types.is_date(kind):
        array, kind = (found := array.cast(pa.timestamp("ms"))), found.type
    if not pa.types.is_timestamp(kind):
        raise KindError(f"values of {kind} are no timestamps.", hint="pass times, or integers with unit='us'.")
    is_naive = kind.tz is None
    if is_naive and zone is None:
        raise ContentError(
            "timestamps have no zone.",
            details=[f"type: {kind}", f"{len(array)} values"],
            hint="tell where clocks showed them, with zone='UTC' or another zone.",
        )
    exact = _in_microseconds(array, truncate)
    if not is_naive:
        return exact.cast(MICROSECONDS)
    if zone == "UTC":
        return exact.cast(pa.int64()).cast(MICROSECONDS)
    try:
        local = pc.assume_timezone(exact, zone, ambiguous=ambiguous, nonexistent=nonexistent)
    except pa.ArrowInvalid as error:
        raise ContentError(
            f"clocks in {zone} showed a time twice or never.",
            details=str(error).splitlines(),
            hint="choose with ambiguous='earliest' or 'latest', and nonexistent= likewise.",
        ) from None
    return local.cast(MICROSECONDS)


def to_numpy(values: Any) -> np.ndarray[Any, Any]:
    """Return timestamps of any zone and unit as ``datetime64[us]`` in UTC, NaT where one is missing.

    Raises
    ------
    KindError
        If the values are no Arrow array of timestamps.
    """
    array = _combined(values)
    if not isinstance(array, pa.Array) or not pa.types.is_timestamp(array.type):
        raise KindError(f"{type(values).__name__} is no Arrow array of timestamps.")
    numbers = _in_microseconds(array, truncate=False).cast(pa.int64())
    counts: np.ndarray[Any, Any] = numbers.fill_null(NOT_A_TIME).to_numpy(zero_copy_only=False)
    return counts.view("M8[us]")


def _in_microseconds(array: Any, truncate: bool) -> Any:
    """Return times of any unit in microseconds of the same zone, losslessly unless `truncate`."""
    kind = array.type
    numbers = array.cast(pa.int64())
    if kind.unit == "ns":
        numbers = _without_nanoseconds(numbers, truncate)
    else:
        factor = _UNITS[kind.unit]
        try:
            # Seconds are never cast directly: Parquet would store them as milliseconds.
            numbers = pc.multiply_checked(numbers, pa.scalar(factor, pa.int64()))
        except pa.ArrowInvalid:
            raise _too_far(kind.unit) from None
    return numbers.cast(pa.timestamp("us", kind.tz))


def _without_nanoseconds(numbers: Any, truncate: bool) -> Any:
    given = numbers.fill_null(0).to_numpy(zero_copy_only=False)
    counts, rest = np.divmod(given, _FINEST)  # rounds down, before 1970 as well
    finer = np.flatnonzero(rest)
    if len(finer) and not truncate:
        raise ContentError(
            "timestamps are finer than a microsecond.",
            details=[f"{len(finer)} of {len(given)}; the first is row {finer[0]}: {given[finer[0]]} ns since 1970"],
            hint="drop what is finer with truncate=True.",
        )
    mask = numbers.is_null().to_numpy(zero_copy_only=False) if numbers.null_count else None
    return pa.array(counts, pa.int64(), mask=mask)


def _as_arrow(values: Any, unit: str | None, truncate: bool) -> Any:
    """Return given times as one Arrow array; text and objects become timestamps."""
    if isinstance(values, pd.DatetimeIndex | pd.Series):
        if isinstance(values.dtype, pd.DatetimeTZDtype) or values.dtype.kind == "M":
            values = pa.array(values, from_pandas=True)
        elif values.dtype == object or isinstance(values.dtype, pd.StringDtype):
            values = [None if pd.isna(item) else item for item in values]
        else:
            values = pa.array(values, from_pandas=True)
    array = _combined(values)
    if isinstance(array, str | bytes) or not hasattr(array, "__iter__"):
        raise KindError(f"a {type(array).__name__} is no array of timestamps.", hint="pass several in a list.")
    if isinstance(array, np.ndarray) and array.dtype.kind == "M":
        array = _of_numpy(array)
    elif isinstance(array, np.ndarray) and array.dtype.kind in "iu":
        array = pa.array(array)
    elif not isinstance(array, pa.Array):
        array = _of_objects(list(array), truncate)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_string(array.type) or pa.types.is_large_string(array.type):
        array = _of_text(array.to_pylist(), truncate)
    if pa.types.is_integer(array.type):
        array = _of_integers(array, unit)
    return array


def _combined(values: Any) -> Any:
    if isinstance(values, pa.ChunkedArray):
        found = values.combine_chunks()
        return found if isinstance(found, pa.Array) else pa.concat_arrays(found.chunks)
    return values


def _of_integers(array: Any, unit: str | None) -> Any:
    if unit is None:
        raise ContentError(
            "integers are no timestamps unless it is told what they count.",
            hint="pass unit='s', 'ms', 'us' or 'ns'; they count since 1970 in UTC.",
        )
    if unit not in (*_UNITS, "ns"):
        raise ArgumentError(f"unit is one of 's', 'ms', 'us', 'ns', not {unit!r:.100}.")
    try:
        return array.cast(pa.int64()).cast(pa.timestamp(unit, "UTC"))
    except pa.ArrowInvalid:
        raise _too_far(unit) from None


def _of_numpy(array: np.ndarray[Any, Any]) -> Any:
    unit, count = np.datetime_data(array.dtype)
    if (unit, count) in {("s", 1), ("ms", 1), ("us", 1), ("ns", 1)}:
        return pa.array(array)
    if unit == "generic":
        raise KindError("times of NumPy without a unit are no timestamps.", hint="cast them to 'datetime64[us]'.")
    finer = unit in {"ns", "ps", "fs", "as"}
    cast = array.astype("M8[ns]" if finer else "M8[us]")
    if (np.isnat(cast) != np.isnat(array)).any() or (cast.astype(array.dtype) != array)[~np.isnat(array)].any():
        raise ContentError(
            f"times of {array.dtype} are finer than nanoseconds, or too far from 1970.",
            hint="cast them to 'datetime64[us]' yourself.",
        )
    return pa.array(cast)


def _of_objects(items: Sequence[Any], truncate: bool) -> Any:
    """Return a sequence of Python's datetimes or text as an array.  Arrow would take naive ones for UTC."""
    if all(item is None or isinstance(item, str) for item in items) and any(item is not None for item in items):
        return _of_text(items, truncate)
    present = [item for item in items if item is not None and item is not pd.NaT]
    if present and all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in present):
        return pa.array(items, pa.int64())
    strange = next((item for item in present if not isinstance(item, datetime | date | np.datetime64)), None)
    if strange is not None:
        raise KindError(
            f"a {type(strange).__name__} is no timestamp.", hint="pass datetimes, or text as ISO 8601 has it."
        )
    if any(isinstance(item, pd.Timestamp | np.datetime64) for item in present):
        return _as_arrow(pd.Series(pd.to_datetime(list(items), utc=_all_have_zones(present))), None, truncate)
    times = [item if isinstance(item, datetime) else datetime(item.year, item.month, item.day) for item in present]
    if not _all_have_zones(times):
        naive = [None if item is None or item is pd.NaT else times.pop(0) for item in items]
        return pa.array(naive, pa.timestamp("us"))
    counts = [
        None if item is None or item is pd.NaT else (item - _EPOCH) // timedelta(microseconds=1) for item in items
    ]
    return pa.array(counts, pa.int64()).cast(MICROSECONDS)


def _all_have_zones(items: Sequence[Any]) -> bool:
    """Whether all times have zones.

    Raises
    ------
    ContentError
        If only some have.
    """
    zoned = [getattr(item, "tzinfo", None) is not None for item in items]
    if any(zoned) and not all(zoned):
        raise ContentError(
            "some timestamps have zones, and others have none.",
            details=[f"{zoned.count(False)} of {len(zoned)} have none; the first is {items[zoned.index(False)]}"],
            hint="give those a zone as well.",
        )
    return bool(zoned) and all(zoned)


def _of_text(items: Sequence[str | None], truncate: bool) -> Any:
    """Return times as ISO 8601 writes them."""
    if truncate:
        items = [None if item is None else _FRACTION.sub(r"\1", item) for item in items]
    finer = next((item for item in items if item is not None and _is_finer(item)), None)
    if finer is not None:
        raise ContentError(
            f"timestamps are finer than a microsecond, such as {finer:.60}.",
            hint="drop what is finer with truncate=True.",
        )
    times: list[Any] = []
    for row, item in enumerate(items):
        try:
            times.append(None if item is None else datetime.fromisoformat(item))
        except ValueError:
            raise KindError(
                f"row {row} is no timestamp: {item!r:.60}.", hint="write times as 2024-02-29T12:34:56.789012+13:00."
            ) from None
    return _of_objects(times, truncate)


def _is_finer(text: str) -> bool:
    found = _FRACTION.search(text)
    return found is not None and bool(found[2].strip("0"))


def _check_zone(zone: str) -> None:
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError, TypeError):
        raise ArgumentError(f"there is no zone {zone!r:.100}.", hint="name one as in 'Pacific/Auckland'.") from None


def _too_far(unit: str) -> ContentError:
    return ContentError(
        "timestamps are further from 1970 than microseconds reach.",
        details=[f"unit: {unit}", f"microseconds reach {_MOST}"],
        hint="they reach 292,000 years; check the unit.",
    )
