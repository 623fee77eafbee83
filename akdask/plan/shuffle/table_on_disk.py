"""A table on disk, of which each column is read when it is asked for: a task may need few of those that are kept."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from akdask.columns import Table
from akdask.plan.shuffle.spill import SpillFile
from akdask.typing import Column


class TableOnDisk:
    """The columns of a table in a spill file.

    Parameters
    ----------
    table : Table
        What is written.

    Raises
    ------
    WriteError
        If the disk is full or cannot be written to.
    """

    def __init__(self, table: Table) -> None:
        self.nrows = table.nrows
        self.numbers = {name: number for number, name in enumerate(table.columns)}
        # Tables of one column each, which pickle no more of it than its rows.
        self.file = SpillFile(Table({name: column}, table.nrows) for name, column in table.columns.items())

    def open(self) -> Table:
        """Return the table; what has been read of it stays in memory as long as this."""
        return Table(ColumnsOnDisk(self), self.nrows)


class ColumnsOnDisk(Mapping[Hashable, Column]):
    """The columns of a table that is on disk, by name.

    Parameters
    ----------
    table : TableOnDisk
        The table.
    """

    def __init__(self, table: TableOnDisk) -> None:
        self._table = table
        self._read: dict[Hashable, Column] = {}

    def __getitem__(self, name: Hashable) -> Column:
        found = self._read.get(name)
        if found is None:
            found = self._read[name] = self._table.file[self._table.numbers[name]].columns[name]
        return found

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._table.numbers)

    def __len__(self) -> int:
        return len(self._table.numbers)

    def __contains__(self, name: object) -> bool:
        return name in self._table.numbers
