"""What netCDF-4 says about the datasets of a file: dimensions, coordinates, missing values and packing.

A dimension is a dataset that other datasets name as their scale.  It holds coordinates, or nothing but its length.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import h5py
import numpy as np

from akdask.formats.hdf5.library import open_file
from akdask.records import record

_WITHOUT_COORDINATES = b"This is a netCDF dimension but not a netCDF variable"
"""How the names begin of dimensions without coordinates."""

_MISSING = ("_FillValue", "missing_value")


@record
class Clock:
    """What numbers count that are times, such as hours since a day.

    Parameters
    ----------
    step : int
        What one is, in nanoseconds.
    origin : int
        The time of 0: microseconds since 1970, in UTC.
    """

    step: int
    origin: int


@record
class Variable:
    """A dataset as netCDF sees it.

    Parameters
    ----------
    dimensions : tuple of str or None
        The path of the scale of each dimension, None where it has none.
    shape : tuple of int
        Its dimensions.
    missing : tuple of number
        Stored numbers that stand for missing ones.
    scale, offset : float, optional
        What stored numbers are multiplied by, and what is added then.
    mask : int, optional
        The bits of numbers that are stored as signed ones, but have no sign.
    is_dimension : bool
        Whether it is the scale of a dimension.
    has_coordinates : bool
        Whether it holds numbers that mean something.
    clock : Clock, optional
        Of numbers that are times: what they count.
    """

    dimensions: tuple[str | None, ...]
    shape: tuple[int, ...]
    missing: tuple[Any, ...] = ()
    scale: float | None = None
    offset: float | None = None
    mask: int | None = None
    is_dimension: bool = False
    has_coordinates: bool = True
    clock: Clock | None = None


def variables_of(path: str) -> Mapping[str, Variable]:
    """Return the variables of a file by the paths of their datasets.

    Raises
    ------
    FileFormatError
        If it cannot be read as HDF5.
    """
    found: dict[str, h5py.Dataset] = {}
    with open_file(path) as opened:
        opened.visititems(lambda name, one: found.update({name: one}) if isinstance(one, h5py.Dataset) else None)
        return {name: _variable(dataset) for name, dataset in found.items()}


def _variable(dataset: h5py.Dataset) -> Variable:
    is_dimension = bool(h5py.h5ds.is_scale(dataset.id))
    name = h5py.h5ds.get_scale_name(dataset.id) if is_dimension else b""
    own = (dataset.name.strip("/"),) if is_dimension and len(dataset.shape or ()) == 1 else None
    found = Variable(
        own or tuple(_scale_of(dataset, axis) for axis in range(len(dataset.shape or ()))),
        dataset.shape or (),
        is_dimension=is_dimension,
        has_coordinates=not name.startswith(_WITHOUT_COORDINATES),
    )
    return found if dataset.dtype.kind not in "iuf" else _packed(found, dataset)


def _scale_of(dataset: h5py.Dataset, axis: int) -> str | None:
    scales = dataset.dims[axis].values()
    return scales[0].name.strip("/") if scales and scales[0].name else None


def _packed(variable: Variable, dataset: h5py.Dataset) -> Variable:
    """Return a variable of numbers with what its attributes say of these."""
    missing = [one for name in _MISSING for one in _numbers(dataset, name)]
    (scale, *_), (offset, *_) = ((*_numbers(dataset, name), None) for name in ("scale_factor", "add_offset"))
    # NumPy's way of text in attributes depends on their length.
    signs = str(dataset.attrs.get("_Unsigned", "")).strip("b'\"").lower()
    bits = 8 * dataset.dtype.itemsize
    return replace(
        variable,
        missing=tuple(dict.fromkeys(_as_stored(missing, dataset.dtype))),
        scale=None if scale is None else float(scale),
        offset=None if offset is None else float(offset),
        mask=2**bits - 1 if signs == "true" and dataset.dtype.kind == "i" and bits < 64 else None,
        clock=clock_of(_told(dataset, "units"), _told(dataset, "calendar")),
    )


def _told(dataset: h5py.Dataset, name: str) -> str:
    """Return an attribute of text; empty where it is absent or of another type."""
    found = dataset.attrs.get(name)
    found = found.ravel()[0] if isinstance(found, np.ndarray) and found.size == 1 else found
    return found.decode(errors="replace") if isinstance(found, bytes) else found if isinstance(found, str) else ""


_STEPS = {
    **dict.fromkeys(("day", "days", "d"), 86_400 * 10**9),
    **dict.fromkeys(("hour", "hours", "hr", "hrs", "h"), 3_600 * 10**9),
    **dict.fromkeys(("minute", "minutes", "min", "mins"), 60 * 10**9),
    **dict.fromkeys(("second", "seconds", "sec", "secs", "s"), 10**9),
    **dict.fromkeys(("millisecond", "milliseconds", "msec", "msecs", "ms"), 10**6),
    **dict.fromkeys(("microsecond", "microseconds", "us"), 10**3),
    **dict.fromkeys(("nanosecond", "nanoseconds", "ns"), 1),
}
_CLOCK = re.compile(
    r"\s*(?P<unit>[a-z]+)\s+since\s+(?P<year>\d{1,4})-(?P<month>\d{1,2})-(?P<day>\d{1,2})"
    r"(?:[t\s]\s*(?P<hour>\d{1,2})(?::(?P<minute>\d{1,2})(?::(?P<second>\d{1,2})(?:\.(?P<part>\d*))?)?)?)?"
    r"\s*(?:z|utc|gmt|(?P<sign>[+-])(?P<ahead>\d{1,2}):?(?P<minutes>\d{2})?)?\s*",
    re.IGNORECASE,
)
_CALENDARS = {"": True, "standard": True, "gregorian": True, "proleptic_gregorian": False}
"""Calendars with the years of ours, and whether their days before 1582-10-15 are those of the Julian one."""

_FIRST_GREGORIAN = (1582, 10, 15)
_EPOCH = datetime.datetime(1970, 1, 1)
_JULIAN_DAY_OF_EPOCH = 2_440_588


def clock_of(units: str, calendar: str) -> Clock | None:
    """Return what numbers count by the attributes of times; None where these tell no time of our calendar.

    Examples
    --------
    >>> clock_of("hours since 1970-01-02 06:00", "standard")
    Clock(step=3600000000000, origin=108000000000)
    >>> clock_of("days since 2000-01-01", "360_day"), clock_of("m", "")
    (None, None)
    """
    found, was_julian = _CLOCK.fullmatch(units), _CALENDARS.get(calendar.strip().lower())
    if found is None or was_julian is None or found["unit"].lower() not in _STEPS:
        return None
    date = (int(found["year"]), int(found["month"]), int(found["day"]))
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    micro = int((found["part"] or "").ljust(6, "0")[:6])
    try:
        days = _days_of_julian(*date) if was_julian and date < _FIRST_GREGORIAN else _days(*date)
        within = datetime.timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micro)
    except (ValueError, OverflowError):
        return None
    ahead = datetime.timedelta(hours=int(found["ahead"] or 0), minutes=int(found["minutes"] or 0))
    origin = datetime.timedelta(days=days) + within - (ahead if found["sign"] != "-" else -ahead)
    return Clock(_STEPS[found["unit"].lower()], origin // datetime.timedelta(microseconds=1))


def _days(year: int, month: int, day: int) -> int:
    """Return the days since 1970 of a day of the Gregorian calendar."""
    return (datetime.datetime(year, month, day) - _EPOCH).days


def _days_of_julian(year: int, month: int, day: int) -> int:
    """Return the days since 1970 of a day of the Julian calendar, in which each fourth year has a leap day.

    Raises
    ------
    ValueError
        If there is no such month.
    """
    if not 1 <= month <= 12:
        raise ValueError(month)
    # Years that begin in March end with the leap day.
    years, months = year + 4800 - (month < 3), (month + 9) % 12
    return day + (153 * months + 2) // 5 + 365 * years + years // 4 - 32_083 - _JULIAN_DAY_OF_EPOCH


def _numbers(dataset: h5py.Dataset, name: str) -> list[Any]:
    """Return an attribute of one or several numbers; nothing where it is absent or of another type."""
    found = np.asarray(dataset.attrs[name]) if name in dataset.attrs else np.empty(0)
    return list(found.ravel()) if found.dtype.kind in "iuf" else []


def _as_stored(missing: list[Any], dtype: np.dtype[Any]) -> Iterator[Any]:
    """Yield numbers that elements of a type can be equal to, as plain ones."""
    for one in missing:
        with np.errstate(all="ignore"):
            stored = dtype.type(one) if dtype.kind == "f" or _fits(one, dtype) else None
        if stored is not None and not np.isnan(stored):
            yield stored.item()


def _fits(number: Any, dtype: np.dtype[Any]) -> bool:
    bounds = np.iinfo(dtype)
    # As Python's integers: the nearest float to the largest of 64 bits is beyond it.
    return bool(np.isfinite(number) and int(number) == number and bounds.min <= int(number) <= bounds.max)
