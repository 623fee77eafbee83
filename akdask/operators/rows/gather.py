"""Gathers: rows at given positions of a table, and rows that are concatenated.

NumPy waits for one row after the other, and Arrow twice for each string: for its place and for its bytes. The loops
prefetch rows well before they reach them, and check positions on the way.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from akdask.columns.memory import new_array
from akdask.columns.strings import offsets_and_bytes
from akdask.columns.table import Table, concat_rows, own_rows, take_rows
from akdask.deferred import is_arrow, pa
from akdask.operators.rows import loops, tuning
from akdask.typing import Column, NumberArray

WORD = 8
"""Bytes of the items for which there is a loop."""

CHUNK = 32
"""Bytes that the loop copies of a string at a time."""


def gather(table: Column, positions: NumberArray, out: NumberArray | None = None) -> Column:
    """Return the rows of a table at some positions, all of which must exist; written to `out` if given.

    Examples
    --------
    >>> gather(np.array([0.5, 1.5]), np.array([1, 1, 0])).tolist()
    [1.5, 1.5, 0.5]
    """
    found = gather_prefetched(table, positions, out)
    if found is not None:
        return found
    if not isinstance(table, np.ndarray):
        return take_rows(table, positions)
    # Only the clip mode of NumPy writes to `out` without a copy.
    return table.take(positions, out=out, mode="raise" if out is None else "clip")


def gather_prefetched(table: Any, positions: Any, out: NumberArray | None = None, missing: int | None = None) -> Any:
    """Gather by a loop; return None where it does not support the arguments.

    A row at a position outside the table gets the bits `missing`, or no text. Without these bits, the result is None.
    """
    if not _has_words(positions):
        return None
    if is_arrow(table, "LargeStringArray"):
        return _gather_strings(table, positions, fill=missing is not None)
    if not _has_words(table) or (out is not None and not _has_words(out)):
        return None
    found: NumberArray = np.empty(len(positions), table.dtype) if out is None else out
    all_there = loops.gather_words(
        table.view(np.uint64), positions.view(np.uint64), missing or 0, found.view(np.uint64)
    )
    return found if all_there or missing is not None else None


def _gather_strings(strings: pa.LargeStringArray, positions: NumberArray, *, fill: bool) -> pa.LargeStringArray | None:
    """Gather strings; without one at a position, it is empty if `fill`, otherwise the result is None."""
    offsets, text = offsets_and_bytes(strings)
    count = len(positions)
    starts, ends = new_array(count, np.uint64), new_array(count + 1, np.uint64)
    if not loops.find_strings(offsets.view(np.uint64), positions.view(np.uint64), starts, ends) and not fill:
        return None
    into = new_array(int(ends[-1]) + CHUNK, np.uint8)
    loops.copy_strings(text, starts, ends, into)
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(into))


def _has_words(array: Any) -> bool:
    return isinstance(array, np.ndarray) and array.itemsize == WORD and array.ndim == 1 and array.flags.c_contiguous


class Output:
    """Concatenated tables, written to one allocation.

    Concatenating them later would write everything twice, first to new memory, which takes longer to get than to write.

    Parameters
    ----------
    most : int
        Largest number of rows.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._nrows = 0
        self._names: tuple[Hashable, ...] = ()
        self._arrays: dict[Hashable, NumberArray] = {}
        self._parts: dict[Hashable, list[Column]] = {}

    def add(self, table: Table) -> None:
        """Append the rows of a table."""
        self._names = tuple(table.columns)
        for name, column in table.columns.items():
            if isinstance(column, np.ndarray):
                self._remaining(name, column)[: table.nrows] = column
            else:
                self._parts.setdefault(name, []).append(column)
        self._nrows += table.nrows

    def add_masked(self, table: Table, mask: NumberArray) -> None:
        """Append the rows of a table of numbers where the mask holds."""
        self._names = tuple(table.columns)
        count = 0
        for name, column in table.columns.items():
            values = np.ascontiguousarray(column)
            count = loops.copy_masked(mask, values, self._remaining(name, values))
        self._nrows += count

    def table(self) -> Table:
        """Return all rows."""
        rows = {name: array[: self._nrows] for name, array in self._arrays.items()}
        is_sparse = tuning.SPARE_ROWS * self._nrows < self._most
        columns: dict[Hashable, Column] = {
            name: own_rows(array) if is_sparse else array for name, array in rows.items()
        }
        columns |= {name: concat_rows(parts) for name, parts in self._parts.items()}
        return Table({name: columns[name] for name in self._names}, self._nrows)

    def _remaining(self, name: Hashable, column: NumberArray) -> NumberArray:
        """Return the reserved memory after the existing rows, with one row to spare."""
        if name not in self._arrays:
            self._arrays[name] = new_array(self._most + 1, column.dtype)
        return self._arrays[name][self._nrows :]
