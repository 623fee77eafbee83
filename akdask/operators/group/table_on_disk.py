"""Partial tables of groups on disk; the rows of one key range are read without the rest.

So tables need not be written a second time when they are split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from akdask.columns.table import Table
from akdask.engine.spill import CutSlices
from akdask.engine.tables_on_disk import RowsOnDisk
from akdask.operators.group.sorted import GroupTable, KeySplitters, TableSample, leading_keys
from akdask.operators.group.strategy import KeyGrouping, PartialTable, TableMerge

STEP_BYTES = 2**13
"""Approximate bytes between two rows that stay in memory; small compared to the part of a table that a range takes."""

FEWEST_STEPS, MOST_STEPS = 64, 1024
"""Largest number of rows of a table that stay in memory; they are the sample of its keys."""


@dataclass(frozen=True, slots=True)
class GroupTableOnDisk(PartialTable):
    """Rows of a partial table that is on disk.

    Parameters
    ----------
    rows : RowsOnDisk
        All rows of the table.
    count : int
        The number of steps.
    firsts : Table
        The first row of each step.
    used : range
        The steps that contain the rows.
    part : tuple of (KeySplitters, int, int), optional
        The range of rows within these steps: the splitters on either side, the number of leading keys, and the number
        of the range.
    """

    precedence: ClassVar[int] = GroupTable.precedence

    rows: RowsOnDisk
    count: int
    firsts: Table
    used: range
    part: tuple[KeySplitters, int, int] | None = None

    @classmethod
    def of(cls, table: Table) -> GroupTableOnDisk:
        """Write a table that is sorted by key to disk."""
        count = max(min(max(table.nbytes // STEP_BYTES, FEWEST_STEPS), MOST_STEPS, table.nrows), 1)
        firsts = table.take(np.arange(count if table.nrows else 0) * table.nrows // count).own()
        return cls(RowsOnDisk(table), count, firsts, range(count))

    def __sizeof__(self) -> int:
        return 0

    @property
    def nrows(self) -> int:
        """Number of rows, or more, since the keys within steps are not read."""
        start, stop = self._bounds
        return stop - start

    @property
    def _bounds(self) -> tuple[int, int]:
        start, stop = (number * self.rows.nrows // self.count for number in (self.used.start, self.used.stop))
        return start, stop

    def table(self) -> Table:
        table = self.rows.read(*self._bounds)
        if self.part is None:
            return table
        splitters, nkeys, number = self.part
        return splitters.split_table(table, number + 2, nkeys)[number]

    def small_table(self, most: int) -> Table | None:
        return self.table() if self.nrows <= most else None

    def sample(self, nkeys: int, most: int, number: int = 0) -> TableSample:
        sample = TableSample.of(leading_keys(self.firsts, nkeys), most, number)
        return replace(sample, nrows=self.nrows)

    def split(self, splitters: Any, count: int, nkeys: int) -> list[PartialTable]:  # type: ignore[override]
        if not isinstance(splitters, KeySplitters):
            return list(GroupTable(self.table()).split(splitters, count, nkeys))
        return [part for (part,) in CutTableOnDisk(self, splitters, count, nkeys)]

    def slices(self, splitters: Any, count: int, nkeys: int) -> Any:
        if not isinstance(splitters, KeySplitters):
            return super().slices(splitters, count, nkeys)
        return CutTableOnDisk(self, splitters, count, nkeys)

    def own(self) -> GroupTable:  # type: ignore[override]
        return GroupTable(self.table().own())

    @classmethod
    def merge(
        cls, merging: TableMerge, parts: Sequence[PartialTable], known: KeyGrouping | None, *, caches: bool
    ) -> tuple[Table, KeyGrouping | None]:
        return GroupTable.merge(merging, parts, known, caches=caches)


class CutTableOnDisk(CutSlices):
    """The rows of each key range of a table on disk, read when they are taken."""

    is_on_disk = True

    def __init__(self, table: GroupTableOnDisk, splitters: KeySplitters, count: int, nkeys: int) -> None:
        super().__init__(count)
        self._table, self._splitters, self._nkeys = table, splitters, nkeys
        self._bounds = splitters.bounds(table.firsts, count, nkeys)

    def cut(self, number: int) -> list[GroupTableOnDisk]:
        """Return the rows of one range; its first row may be in the step before the first one that begins within it."""
        start, stop = self._bounds[number : number + 2].tolist()
        # There may be fewer splitters than ranges; the ranges after the last splitter are empty.
        keys = self._splitters.keys
        near = KeySplitters(keys[max(number - 1, 0) : number + 1])
        place = min(number, 1) if number <= len(keys) else 2
        return [replace(self._table, used=range(max(start - 1, 0), stop), part=(near, self._nkeys, place))]

    def __sizeof__(self) -> int:
        return self._bounds.nbytes
