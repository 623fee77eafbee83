"""Gathers: rows at given positions of a table that is larger than the caches.

NumPy waits for one row after the other. A compiled loop prefetches rows well before it reaches them. Measured on one
thread with random positions, in ns a row:

===================  =====  =====  =====  ======
bytes of the table   4 MiB  8 MiB  16 MiB  64 MiB
===================  =====  =====  =====  ======
``table.take``         1.6    8.0    11.2    13.4
the compiled loop      1.6    2.6     4.9     6.0
===================  =====  =====  =====  ======

Arrow waits twice for each string: for its place and for its bytes.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from akdask import compiled
from akdask.columns.memory import new_array
from akdask.columns.table import Table, concat_rows, own_rows, take_rows
from akdask.deferred import is_arrow, pa
from akdask.operators.rows import tuning
from akdask.typing import Column, NumberArray

WORD = 8
"""Bytes of the items for which there is a loop."""


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
    """Gather by the compiled loop; return None if that gains nothing.

    A row at a position outside the table gets the bits `missing`, or no text. Without these bits, the result is None.

    """
    if not isinstance(table, np.ndarray):
        return _gather_strings(table, positions, missing) if is_arrow(table, "LargeStringArray") else None
    if table.nbytes < tuning.FAR_BYTES or not _is_taken(table, positions, out):
        return None
    from akdask.compiler import read_only
    from akdask.operators.keys.prefetch import gather_words

    found: NumberArray = np.empty(len(positions), table.dtype) if out is None else out
    words = read_only(table.view(np.uint64)), read_only(positions.view(np.uint64))
    all_there = gather_words(*words, np.uint64(missing or 0), found.view(np.uint64))
    return found if all_there or missing is not None else None


def _gather_strings(table: pa.LargeStringArray, positions: Any, missing: int | None) -> Any:
    """Gather strings; missing ones are empty."""
    is_plain = isinstance(positions, np.ndarray) and positions.dtype == np.int64 and positions.flags.c_contiguous
    if not (is_plain and positions.ndim == 1 and compiled.should_compile_text(len(positions))):
        return None
    from akdask.operators.rows.loops import gather_strings

    return gather_strings(table, positions, fill=missing is not None)


def _is_taken(table: NumberArray, positions: Any, out: NumberArray | None) -> bool:
    """Whether the loop supports such arguments, and so many."""
    arrays = (table, positions) if out is None else (table, positions, out)
    return (
        all(isinstance(array, np.ndarray) for array in arrays)
        and all(array.itemsize == WORD and array.flags.c_contiguous for array in arrays)
        and positions.ndim == 1
        and compiled.should_compile(len(positions))
    )


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
        """Append the rows of a table of numbers whose mask is not 0, by a compiled loop."""
        from akdask.operators.rows.loops import copy_masked

        self._names = tuple(table.columns)
        count = 0
        for name, column in table.columns.items():
            count = int(copy_masked(mask, np.asarray(column), self._remaining(name, column)))
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
