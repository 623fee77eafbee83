"""A partial table of groups on disk, of which the rows of a range of keys are read without the rest.

Thus tables need not be written a second time when they are split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from akdask.columns import Table
from akdask.kernels.group.sorted import GroupTable, KeySplitters, TableSample, leading_keys
from akdask.kernels.group.strategy import KeyGrouping, PartialTable, TableMerge
from akdask.plan.shuffle.rows_on_disk import RowsOnDisk

STEP_BYTES = 2**13
"""Bytes of the rows from one that stays in memory to the next, about: small beside what a range takes of a table."""

FEWEST_STEPS, MOST_STEPS = 64, 1024
"""Rows of a table that stay in memory, if it has as many: they are the sample of its keys."""


@dataclass(frozen=True, slots=True)
class GroupTableOnDisk(PartialTable):
    """Rows of a partial table that is on disk.

    Parameters
    ----------
    rows : RowsOnDisk
        All rows of the table.
    starts : sequence of int
        The row that each step begins with, and the number of all rows.
    firsts : Table
        The first row of each step.
    used : range
        The steps that the rows are in.
    part : tuple of (KeySplitters, int, int), optional
        Which of the rows of these steps: the splitters on either side, the number of leading keys, and that of the
        range between the splitters.
    """

    precedence: ClassVar[int] = GroupTable.precedence

    rows: RowsOnDisk
    starts: Sequence[int]
    firsts: Table
    used: range
    part: tuple[KeySplitters, int, int] | None = None

    @classmethod
    def of(cls, table: Table) -> GroupTableOnDisk:
        """Write a table that is sorted by key to disk."""
        count = max(min(max(table.nbytes // STEP_BYTES, FEWEST_STEPS), MOST_STEPS, table.nrows), 1)
        starts = [number * table.nrows // count for number in range(count + 1)]
        firsts = table.take(np.array(starts[:-1] if table.nrows else [], np.int64)).own()
        return cls(RowsOnDisk(table), starts, firsts, range(count))

    def __sizeof__(self) -> int:
        return 0

    @property
    def nrows(self) -> int:
        """Number of rows, or more: the keys within steps are not looked at."""
        return self.starts[self.used.stop] - self.starts[self.used.start]

    def table(self) -> Table:
        table = self.rows.read(self.starts[self.used.start], self.starts[self.used.stop])
        if self.part is None:
            return table
        splitters, nkeys, number = self.part
        return splitters.split_table(table, number + 2, nkeys)[number]

    def small_table(self, most: int) -> Table | None:
        return self.table() if self.nrows <= most else None

    def sample(self, nkeys: int, most: int) -> TableSample:
        sample = TableSample.of(leading_keys(self.firsts, nkeys), most)
        return replace(sample, nrows=self.nrows)

    def split(self, splitters: Any, count: int, nkeys: int) -> list[PartialTable]:  # type: ignore[override]
        if not isinstance(splitters, KeySplitters):
            return list(GroupTable(self.table()).split(splitters, count, nkeys))
        # Rows of a range may begin in the step before the first that begins within it.
        parts = splitters.split_table(self.firsts, count, nkeys)
        found: list[PartialTable] = []
        stop = 0
        for number, part in enumerate(parts):
            start, stop = stop, stop + part.nrows
            used = range(max(start - 1, 0), stop)
            # There may be fewer splitters than ranges; those behind the last are empty.
            near = splitters.keys[max(number - 1, 0) : number + 1]
            place = min(number, 1) if number <= len(splitters.keys) else 2
            found.append(replace(self, used=used, part=(KeySplitters(near), nkeys, place)))
        return found

    def own(self) -> GroupTable:  # type: ignore[override]
        return GroupTable(self.table().own())

    @classmethod
    def merge(
        cls, merging: TableMerge, parts: Sequence[PartialTable], known: KeyGrouping | None, *, caches: bool
    ) -> tuple[Table, KeyGrouping | None]:
        return GroupTable.merge(merging, parts, known, caches=caches)
