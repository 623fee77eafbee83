"""Groups that have been found, kept in this process for later computations of the same plan.

Groups are mostly few, and found from many rows.  Programs ask for their parts one after the other, as in
``keys.tolist(), sums.tolist()``, and each would go over all rows again.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from akdask import machine
from akdask._distributed import shares_memory
from akdask.columns import Table
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.cache import CacheLease, find, is_leased, lease, put
from akdask.plan.task.tables import Tables, Tasks
from akdask.typing import Column

SHARE = 64
"""The divisor of this machine's memory that bounds the groups of one plan that are kept."""


class CachedColumns(NamedTuple):
    """The names of columns of groups in the cache: that of their lease, and one for each column."""

    name: str
    columns: tuple[Hashable, ...]

    def lease(self) -> CacheLease:
        """Return the wish that the cache keeps them, for as long as somebody holds it."""
        return lease(self.name)

    def find(self, npartitions: int) -> tuple[Table, ...] | None:
        """Return the tables of all partitions, None unless every column is there."""
        if not is_leased(self.name):
            return None
        found = [self._table(number) for number in range(npartitions)]
        tables = tuple(table for table in found if table is not None)
        return tables if len(tables) == npartitions else None

    def _table(self, number: int) -> Table | None:
        columns: dict[Hashable, Column] = {}
        nrows = 0
        for position, column in enumerate(self.columns):
            table = find((self.name, column, number))
            if not isinstance(table, Table):
                return None
            columns[position], nrows = table.columns[0], table.nrows
        return Table(columns, nrows)


def cached(columns: CachedColumns, computed: Expr) -> Expr:
    """Return a node with the partitions of another, which keeps them as they are found, if they are small."""
    if not shares_memory():
        # Other processes would keep what nobody finds there.
        return computed
    most = machine.memory() // SHARE // computed.npartitions
    calls = tuple((((0, number),), (columns, number, most)) for number in range(computed.npartitions))
    return Tasks(f"keep {computed._name}", _keep, calls, computed)


def cached_tables(name: str, columns: CachedColumns, npartitions: int) -> Tables | None:
    """Return a node of the tables that are there, None unless all of them are."""
    found = columns.find(npartitions)
    return None if found is None else Tables(f"cached {name}", found, _determ_token=f"cached {name}")


def _keep(tables: Sequence[Table], columns: CachedColumns, number: int, most: int) -> Table:
    (table,) = tables
    if table.nbytes <= most:
        for column, rows in zip(columns.columns, table.columns.values(), strict=True):
            put((columns.name, column, number), Table({0: rows}, table.nrows))
    return table
