"""Bounds of columns from the statistics of their chunks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.columns.missing_text import SENTINEL
from akdask.parquet.metadata.columns import ParquetColumn
from akdask.parquet.reading.decoding import NAT
from akdask.schema import BOOL, FLOAT64, INT64, NULLABLE_STR, STR, UINT8, UINT64, ColumnType
from akdask.storage.data.source import TEXT_BYTES, Bounds
from akdask.storage.formats.objects import ObjType

_WIDEST: dict[ColumnType, tuple[Any, Any]] = {
    INT64: (-(2**63), 2**63 - 1),
    UINT64: (0, 2**64 - 1),
    UINT8: (0, 2**8 - 1),
    FLOAT64: (-np.inf, np.inf),
    BOOL: (False, True),
    STR: (b"", b"\xff" * TEXT_BYTES),
    NULLABLE_STR: (b"", b"\xff" * TEXT_BYTES),
}
_PHYSICAL = {"INT32": "<i4", "INT64": "<i8", "FLOAT": "<f4", "DOUBLE": "<f8", "BOOLEAN": "?"}


def unbounded(dtype: ColumnType, count: int) -> Bounds | None:
    """Return the bounds of a type, None if it has none."""
    if dtype not in _WIDEST:
        return None
    kind = f"S{TEXT_BYTES}" if dtype.kind == "str" else dtype.numpy
    low, high = (np.full(count, side, kind) for side in _WIDEST[dtype])
    return Bounds(low, high, np.full(count, dtype == FLOAT64))


def constant(value: Any, dtype: ColumnType) -> Bounds | None:
    """Return the bounds of a column with one value in all rows."""
    if dtype not in _WIDEST:
        return None
    if value is None:
        return unbounded(dtype, 1)
    if dtype.kind == "str":
        start = np.array([value.encode()[:TEXT_BYTES]], f"S{TEXT_BYTES}")
        return Bounds(start, start, np.zeros(1, np.bool_))
    side = np.array([value], dtype.numpy)
    missing = np.isnan(side)
    if missing.any():
        return unbounded(dtype, 1)
    return Bounds(side, side, missing)


def bounds_of(column: ParquetColumn, dtype: ColumnType, chunks: npt.NDArray[np.void]) -> Bounds | None:
    """Return the bounds of a column in each of its chunks, None if nothing is known.

    Parameters
    ----------
    column : ParquetColumn
        The column as its file has it.
    dtype : ColumnType
        The type that it has in all files.
    chunks : ndarray, dtype `CHUNK`
        What the file tells of it.
    """
    found = unbounded(dtype, len(chunks))
    if found is None or not column.is_flat:
        return None
    has_none = chunks["nulls"] == 0 if column.is_optional else np.ones(len(chunks), np.bool_)
    if dtype.kind == "str":
        return _of_text(found, dtype, chunks, has_none)
    return _of_numbers(found, column, dtype, chunks, has_none)


def without_values(bounds: Bounds, dtype: ColumnType, chunks: npt.NDArray[np.void]) -> Bounds:
    """Return bounds between which there is no value where all rows are null, as these are in a column of the type."""
    empty = (chunks["nulls"] == chunks["values"]) & (chunks["values"] > 0)
    if dtype == FLOAT64:
        bounds.minima[empty], bounds.maxima[empty] = np.inf, -np.inf
    elif dtype == NULLABLE_STR:
        bounds.minima[empty] = SENTINEL
    return bounds


def of_stretches(of_groups: Bounds, everything: Bounds, stretches: Iterable[tuple[int, int]]) -> Bounds:
    """Return the bounds of partitions from those of row groups; of the type where a partition has none.

    Parameters
    ----------
    of_groups : Bounds
        Those of the row groups.
    everything : Bounds
        Those of the type, for each partition; these are changed.
    stretches : iterable of (int, int)
        Of each partition, its first row group and the one behind its last.
    """
    lows, highs = of_groups.minima.tolist(), of_groups.maxima.tolist()
    for index, (first, last) in enumerate(stretches):
        if first < last:
            everything.minima[index] = min(lows[first:last])
            everything.maxima[index] = max(highs[first:last])
            everything.nans[index] = of_groups.nans[first:last].any()
    return everything


def _of_text(
    found: Bounds, dtype: ColumnType, chunks: npt.NDArray[np.void], has_none: npt.NDArray[np.bool_]
) -> Bounds | None:
    known = chunks["spelled"] & (chunks["low"] <= chunks["high"])
    if not known.any():
        return None
    if dtype == NULLABLE_STR:
        # What is missing comes after all text.
        found.minima[known] = chunks["low"][known]
        high = known & has_none
        found.maxima[high] = chunks["high"][high]
        return found
    found.minima[known], found.maxima[known] = chunks["low"][known], chunks["high"][known]
    return found


def _of_numbers(
    found: Bounds,
    column: ParquetColumn,
    dtype: ColumnType,
    chunks: npt.NDArray[np.void],
    has_none: npt.NDArray[np.bool_],
) -> Bounds | None:
    values = sides_of(column, chunks)
    if values is None or not chunks["bounded"].any():
        return None
    low, high = values
    with np.errstate(invalid="ignore"):
        known = chunks["bounded"] & (low <= high)
    if column.kind in (ObjType.DATETIME, ObjType.TIMEDELTA):
        most = np.int64((2**63 - 1) // column.scale)
        known &= (-most <= low) & (high <= most)
        low, high = (np.where(known, side, 0).astype(np.int64) * column.scale for side in values)
        low = np.where(has_none, low, NAT)
    if dtype == INT64 and low.dtype.kind == "u":
        known &= high < 2**63  # others are an error where they are read
    found.minima[known] = low.astype(dtype.numpy)[known]
    found.maxima[known] = high.astype(dtype.numpy)[known]
    if dtype == FLOAT64 and not pa.types.is_floating(column.stored):
        # Whole numbers are NaN where they are null; of floats nobody counts those that are NaN.
        found.nans[known & has_none] = False
    return found


def sides_of(column: ParquetColumn, chunks: npt.NDArray[np.void]) -> tuple[Any, Any] | None:
    """Return minima and maxima as they are stored, None where their order is not that of the column's values."""
    if column.physical not in _PHYSICAL or pa.types.is_decimal(column.stored):
        return None
    stored = np.dtype(_PHYSICAL[column.physical])
    if pa.types.is_unsigned_integer(column.stored):
        stored = np.dtype(f"<u{stored.itemsize}")
    raw = (np.ascontiguousarray(chunks[side]) for side in ("minimum", "maximum"))
    sides = [bits.astype(f"<u{stored.itemsize}").view(stored) for bits in raw]
    return sides[0], sides[1]
