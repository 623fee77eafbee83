"""Tables built part by part, in memory reserved for the largest possible number of rows."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from akdask.columns import Table, concat_rows, new_array, own_rows
from akdask.typing import Column, NumberArray

SPARE = 4
"""If more than this multiple of the rows was reserved, memory is given back."""


class Output:
    """Tables end to end.

    To concatenate them afterwards would write everything twice, first to memory new from the system, which takes longer
    to get than to write.

    Parameters
    ----------
    most : int
        Number of rows that may come.
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
        from akdask.kernels.compiled.keys.output import copy_masked

        self._names = tuple(table.columns)
        count = 0
        for name, column in table.columns.items():
            count = int(copy_masked(mask, np.asarray(column), self._remaining(name, column)))
        self._nrows += count

    def table(self) -> Table:
        """Return all rows."""
        rows = {name: array[: self._nrows] for name, array in self._arrays.items()}
        is_sparse = SPARE * self._nrows < self._most
        columns: dict[Hashable, Column] = {
            name: own_rows(array) if is_sparse else array for name, array in rows.items()
        }
        columns |= {name: concat_rows(parts) for name, parts in self._parts.items()}
        return Table({name: columns[name] for name in self._names}, self._nrows)

    def _remaining(self, name: Hashable, column: NumberArray) -> NumberArray:
        """Return the reserved memory after the existing rows, with a row to spare."""
        if name not in self._arrays:
            self._arrays[name] = new_array(self._most + 1, column.dtype)
        return self._arrays[name][self._nrows :]
