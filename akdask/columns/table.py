"""A partition's worth of named columns: what partition tasks hand to each other."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from akdask.columns.rows import concat_rows, nbytes, slice_rows, take_rows
from akdask.typing import Column, NumberArray


@dataclass(frozen=True, slots=True)
class Table:
    """Columns with the same number of rows.

    Parameters
    ----------
    columns : mapping of name to column
        NumPy arrays of numbers, Arrow arrays of anything else.
    nrows : int
        Number of rows, kept because a table may have no columns.
    """

    columns: Mapping[Hashable, Column]
    nrows: int

    def __sizeof__(self) -> int:
        return 64 + self.nbytes

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return sum(nbytes(column) for column in self.columns.values())

    def slice(self, start: int, stop: int, step: int = 1) -> Table:
        """Return every `step`-th row from `start` up to `stop`."""
        columns = {name: slice_rows(column, start, stop, step) for name, column in self.columns.items()}
        return Table(columns, len(range(start, stop, step)))

    def take(self, positions: NumberArray) -> Table:
        """Return the rows at the given positions."""
        return Table({name: take_rows(column, positions) for name, column in self.columns.items()}, len(positions))

    @staticmethod
    def concat(tables: Sequence[Table]) -> Table:
        """Join tables with the same columns end to end; at least one must be given."""
        if len(tables) == 1:
            return tables[0]
        columns = {name: concat_rows([table.columns[name] for table in tables]) for name in tables[0].columns}
        return Table(columns, sum(table.nrows for table in tables))
