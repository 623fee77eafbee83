"""Slices of tables whose rows are in the order of the new partitions, each cut when it is taken.

Where partitions are many, slices have few rows: an object for each, made and kept before anybody asks for it, would
take longer than its rows.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeAlias, overload

from akdask.columns import Table
from akdask.plan.shuffle.fetch import Part
from akdask.typing import NumberArray

MakePart: TypeAlias = Callable[[Table, int, list[int]], Part]

CutTable: TypeAlias = tuple[Table, NumberArray]
"""Rows, and where those for each new partition begin, and those for the last end."""


class CutSlices(Sequence[Sequence[Part]]):
    """Slices for `count` new partitions, each of which `cut` makes when it is taken; as an object, what they are of."""

    in_budget: Any

    is_on_disk: ClassVar[bool] = False
    """Whether rows are read from disk when they are taken."""

    def __init__(self, count: int) -> None:
        self._count = count

    def cut(self, number: int) -> Sequence[Part]:
        """Return the parts of one new partition."""
        raise NotImplementedError

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Sequence[Part]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Part]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self.cut(number) for number in range(*index.indices(self._count))]
        return self.cut(range(self._count)[index])


class CutTables(CutSlices):
    """For each new partition, the rows of some tables that it gets.

    Parameters
    ----------
    count : int
        Number of new partitions.
    tables : sequence of (Table, ndarray)
        Their rows are in the order of the new partitions, whose bounds are given, one more than there are of these,
        or of ranges.
    part : callable
        Makes a part of the rows for a new partition, given these, its number, and the bounds of its ranges.
    shared : sequence
        Parts that every new partition gets behind its own.
    within : int, default 1
        Number of ranges of each new partition.
    keeps_empty : bool, default False
        Whether there are parts without rows as well, which tell what columns there are.
    """

    def __init__(
        self,
        count: int,
        tables: Sequence[CutTable],
        part: MakePart,
        shared: Sequence[Part] = (),
        *,
        within: int = 1,
        keeps_empty: bool = False,
    ) -> None:
        super().__init__(count)
        self._tables, self._part, self._shared = tables, part, shared
        self._within, self._keeps_empty = within, keeps_empty

    def cut(self, number: int) -> list[Part]:
        """Return a part of each table that has rows for a new partition, and those that all get."""
        found = []
        for table, bounds in self._tables:
            own = bounds[number * self._within : (number + 1) * self._within + 1].tolist()
            start, stop = own[0], own[-1]
            if start < stop or self._keeps_empty:
                found.append(self._part(table.slice(start, stop), number, [bound - start for bound in own]))
        return [*found, *self._shared]

    def __sizeof__(self) -> int:
        of_tables = sum(sys.getsizeof(table) + bounds.nbytes for table, bounds in self._tables)
        return of_tables + sum(map(sys.getsizeof, self._shared))


class ChainedSlices(CutSlices):
    """For each new partition, its parts of several slices end to end.

    Parameters
    ----------
    chained : sequence
        The slices of some partitions, at least one.
    """

    def __init__(self, chained: Sequence[Sequence[Sequence[Part]]]) -> None:
        super().__init__(len(chained[0]))
        self._chained = chained

    def cut(self, number: int) -> list[Part]:
        """Return the parts of one new partition."""
        return [part for slices in self._chained for part in slices[number]]

    def __sizeof__(self) -> int:
        return 0
