"""Summaries of datasets, made from the blocks that are written while they are in the processor's cache.

A summary is one record.  Minimum and maximum are stored as eight bytes of the dataset's type.  For strings they are the
first eight bytes, which have the order of the strings, except that they may tie.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT8, UINT64, ColumnType
from akdask.formats.hdf5.null_terminated import PrefixRange
from akdask.storage.checksums import Checksum
from akdask.storage.source import TEXT_BYTES, Bounds
from akdask.typing import NumberArray

SUMMARY = np.dtype(
    [
        ("known", "?"),  # the checksum holds
        ("bounded", "?"),  # minimum, maximum and nans hold
        ("spelled", "?"),  # low and high are bytes of strings
        ("ascending", "?"),  # no element is less than the one before
        ("checksum", "<u8"),
        ("minimum", "<u8"),
        ("maximum", "<u8"),
        ("nans", "<i8"),
        ("low", f"S{TEXT_BYTES}"),
        ("high", f"S{TEXT_BYTES}"),
    ]
)
"""The summary of one dataset of one file."""

_GLANCE = 64  # elements that usually suffice to see that a block is unsorted
_STORED = {INT64: "<i8", UINT64: "<u8", UINT8: "|u1", FLOAT64: "<f8", BOOL: "|u1", STR: "|u1"}
"""Types of columns that have bounds, and how they must be stored."""

_WIDEST: dict[ColumnType, tuple[Any, Any]] = {
    INT64: (-(2**63), 2**63 - 1),
    UINT64: (0, 2**64 - 1),
    UINT8: (0, 2**8 - 1),
    FLOAT64: (-np.inf, np.inf),
    BOOL: (False, True),
    STR: (b"", b"\xff" * TEXT_BYTES),
}


class DatasetSummary:
    """The summary of one dataset, whose elements come in blocks.

    Parameters
    ----------
    dtype : str
        NumPy's name of the stored type.
    prefixes : PrefixRange, optional
        If the dataset holds the bytes of strings: the range of these, to be taken instead of that of the bytes.
    """

    def __init__(self, dtype: str, prefixes: PrefixRange | None = None) -> None:
        self._prefixes = prefixes
        self._checksum = Checksum()
        self._dtype = np.dtype(dtype)
        self._range: tuple[Any, Any] | None = None
        self._nans = 0
        self._ascending = True
        self._last: Any = None

    def add(self, block: NumberArray) -> None:
        """Add the next elements, a contiguous array of the stored type; fastest where it fits into the cache."""
        self._checksum.add(block)
        if self._prefixes is None and len(block):
            rises = _rises(block[:_GLANCE]) and _rises(block)
            self._ascending = self._ascending and rises and (self._last is None or bool(block[0] >= self._last))
            self._last = block[-1]
            self._widen(*(block[[0, -1]] if rises else self._extremes(block)))

    def _extremes(self, block: NumberArray) -> tuple[Any, Any]:
        """Return the smallest and largest element, inverted infinities if all are NaN; counts NaN."""
        low, high = block.min(), block.max()
        if not np.isnan(low):
            return low, high
        missing = np.isnan(block)
        self._nans += int(np.count_nonzero(missing))
        return np.min(block, initial=np.inf, where=~missing), np.max(block, initial=-np.inf, where=~missing)

    def _widen(self, low: Any, high: Any) -> None:
        self._range = (low, high) if self._range is None else (min(self._range[0], low), max(self._range[1], high))

    @property
    def record(self) -> npt.NDArray[np.void]:
        """The summary, shape (), dtype `SUMMARY`."""
        found = np.zeros((), SUMMARY)
        found["known"], found["checksum"] = True, self._checksum.value
        if self._prefixes is not None:
            bounds = self._prefixes.bounds
            if bounds is not None:
                found["spelled"] = True
                found["low"], found["high"] = bounds
            return found
        found["ascending"], found["nans"] = self._ascending, self._nans
        if self._range is not None:
            found["bounded"] = True
            found["minimum"], found["maximum"] = (_bits(value, self._dtype) for value in self._range)
        return found


def _rises(block: NumberArray) -> bool:
    """Whether no element is less than the one before; False with NaN, which compares False."""
    return bool((block[1:] >= block[:-1]).all()) and bool(block[0] == block[0])


def _bits(value: Any, dtype: np.dtype[Any]) -> int:
    return int.from_bytes(np.asarray(value, dtype).tobytes(), "little")


def has_bounds(dtype: ColumnType, stored: str) -> bool:
    """Whether the summary of a column's first dataset of this stored type can bound the column."""
    return _STORED.get(dtype) == stored


def bounds_of(dtype: ColumnType, summaries: npt.NDArray[np.void]) -> Bounds | None:
    """Return the bounds of a column in some files, from the summaries of its first dataset in each of them.

    A missing summary is zeros.  None if there are no bounds at all.
    """
    bounded = summaries["spelled" if dtype == STR else "bounded"]
    if not bounded.any():
        return None
    if dtype == STR:
        minima, maxima = summaries["low"], summaries["high"]
    else:
        minima, maxima = (_numbers(summaries[side], dtype) for side in ("minimum", "maximum"))
    low, high = (np.asarray(side, minima.dtype) for side in _WIDEST[dtype])
    nans = np.where(bounded, summaries["nans"] > 0, dtype == FLOAT64)
    return Bounds(np.where(bounded, minima, low), np.where(bounded, maxima, high), nans)


def _numbers(bits: NumberArray, dtype: ColumnType) -> NumberArray:
    if dtype.itemsize == 1:
        return bits.astype(dtype.numpy)
    return np.ascontiguousarray(bits).view(_STORED[dtype])
