"""Named columns of one partition, which tasks pass to each other."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns.rows import concat_rows, nbytes, own_rows, slice_rows, take_rows
from akdask.deferred import is_arrow
from akdask.typing import Column, NumberArray


@dataclass(frozen=True, slots=True)
class Table:
    """Columns with the same number of rows.

    Parameters
    ----------
    columns : mapping of name to column
        NumPy arrays of numbers, Arrow arrays of anything else.
    nrows : int
        Number of rows, stored because a table may have no columns.
    """

    columns: Mapping[Hashable, Column]
    nrows: int

    def __sizeof__(self) -> int:
        return 64 + self.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows alone: Arrow would pickle all that a slice was cut from."""
        columns = {name: own_rows(item) if is_slice(item) else item for name, item in self.columns.items()}
        return Table, (columns, self.nrows)

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

    def own(self) -> Table:
        """Return a copy, which keeps only its own rows in memory."""
        return Table({name: own_rows(column) for name, column in self.columns.items()}, self.nrows)

    @staticmethod
    def concat(tables: Sequence[Table]) -> Table:
        """Join tables with the same columns end to end; at least one must be given."""
        if len(tables) == 1:
            return tables[0]
        columns = {name: concat_rows([table.columns[name] for table in tables]) for name in tables[0].columns}
        return Table(columns, sum(table.nrows for table in tables))


def is_slice(column: Column) -> bool:
    """Whether an Arrow array holds much more memory than its rows take."""
    return not isinstance(column, np.ndarray) and column.get_total_buffer_size() > 2 * nbytes(column)


class Sized:
    """Base of classes whose instances hold columns; `sys.getsizeof` counts them.

    Examples
    --------
    >>> held = Sized()
    >>> held.columns = [np.zeros(1000), np.zeros(1000)]
    >>> sys.getsizeof(held) >= 16_000
    True
    """

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(map(_bytes, vars(self).values()))


def _bytes(item: Any) -> int:
    if isinstance(item, list | tuple):
        return sum(map(_bytes, item))
    return nbytes(item) if isinstance(item, np.ndarray) or is_arrow(item, "Array") else sys.getsizeof(item)
