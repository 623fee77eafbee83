"""Looking things up in a whole table: rows by position, and positions by text.

The table is the first argument and is the same for every block; it is the other argument that goes row by row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from akdask.errors import ArgumentError, PositionError
from akdask.kernels.rules import Operation
from akdask.kernels.strings import arrow_operand
from akdask.schema import INT64, STR, ColumnType


def _lookup(table: Any, positions: Any, out: Any = None) -> Any:
    """Return the table's rows at the positions, each of which must be there: -1 is not the last one."""
    _check_within(positions, len(table))
    if isinstance(table, np.ndarray):
        # Out-of-range positions are excluded, and only the clip mode of NumPy writes to `out` without a copy.
        return table.take(positions, out=out, mode="clip") if len(table) else np.empty(np.shape(positions), table.dtype)
    if np.ndim(positions) == 0:
        return table[int(positions)].as_py()
    return table.take(pa.array(positions))


def _check_within(positions: Any, size: int) -> None:
    if not np.size(positions):
        return
    low, high = np.min(positions), np.max(positions)
    if low < 0 or high >= size:
        raise PositionError(
            f"the code {low if low < 0 else high} has no category.",
            details=[f"categories: {size}"],
            hint="codes run from 0 to the number of categories less one; a damaged file can hold others.",
        )


def _lookup_type(table: ColumnType, positions: ColumnType) -> ColumnType | None:
    return table if positions == INT64 else None


def _index_in(table: Any, strings: Any, out: Any = None) -> Any:
    """Return where each string is in the table, -1 where it is not."""
    found = pc.fill_null(pc.index_in(arrow_operand(strings), value_set=table), -1)
    if isinstance(found, pa.Scalar):
        return np.int64(found.as_py())
    if out is None:
        return found.to_numpy().astype(np.int64)
    out[...] = found.to_numpy()
    return out


def _index_type(table: ColumnType, strings: ColumnType) -> ColumnType | None:
    return INT64 if table == strings == STR else None


def _searchsorted(table: Any, values: Any, out: Any = None, *, side: str) -> Any:
    """Return how many rows of the table, which is in order, come before each value; or before what follows it."""
    if not isinstance(table, np.ndarray):
        # Fixed-width text of the same width for both, in the order of its code points, which is that of its bytes.
        table, values = np.array(table.to_pylist(), dtype=str), np.array(values.to_pylist(), dtype=str)
    found = table.searchsorted(values, side)
    if out is None:
        return found
    out[...] = found
    return out


def _searchsorted_type(table: ColumnType, values: ColumnType, side: str) -> ColumnType | None:
    if side not in ("left", "right"):
        raise ArgumentError(f"searchsorted: side={side!r} is neither 'left' nor 'right'.")
    return INT64 if table.is_number == values.is_number else None


LOOKUP_OPERATIONS: dict[str, Operation] = {
    "lookup": Operation("lookup", 2, _lookup_type, _lookup),
    "index_in": Operation("index_in", 2, _index_type, _index_in),
    "searchsorted": Operation("searchsorted", 2, _searchsorted_type, _searchsorted),
}
