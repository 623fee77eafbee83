"""Inputs of partition tasks: selections, and open readers of files and tables; small partitions are read as one."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeGuard

import numpy as np

from akdask.caches import cached_results
from akdask.columns.rows import slice_rows
from akdask.columns.summation import UNIT
from akdask.columns.table import Table
from akdask.engine.program import BroadcastInput, Load, Program
from akdask.errors import InconsistentFilesError
from akdask.operators.rows.gather import gather
from akdask.storage.ranges import ConsecutiveParts
from akdask.storage.source import IN_MEMORY, Part, PartReader, RowBounds, RowRanges, Stretch
from akdask.typing import Column, NumberArray


@dataclass(frozen=True, slots=True)
class Mask:
    """Keep the rows where a predicate holds."""

    predicate: Program


@dataclass(frozen=True, slots=True)
class ExpandMatches:
    """Repeat the rows for every match; `column` has the matching row of the other table."""

    predicate: Program
    multiplicity: BroadcastInput
    keep_all: bool
    column: Load


@dataclass(frozen=True, slots=True)
class Range:
    """Keep every `step`-th row from `start` to `stop`, counted after the earlier selections."""

    start: int
    stop: int
    step: int


Selection = Mask | ExpandMatches | Range


@dataclass(frozen=True, slots=True)
class RowPositions:
    """The input of rows without columns: the first position and the number of rows."""

    start: int
    nrows: int


Input = Part | RowPositions | Table


class Reader(Protocol):
    """An input, open for reading."""

    def read(self, column: Any, start: int, stop: int, out: NumberArray | None = None) -> Column: ...

    def read_text(self, column: Any, start: int, stop: int) -> Any:
        return self.read(column, start, stop)

    def stretches(self, column: Any) -> Sequence[Stretch] | None: ...

    def row_bounds(self, column: Any, within: RowRanges) -> RowBounds | None: ...


class TableReader(Reader):
    """Reads columns of a table in memory."""

    def __init__(self, table: Table) -> None:
        self._columns = table.columns

    def read(self, column: Hashable, start: int, stop: int, out: NumberArray | None = None) -> Column:
        return slice_rows(self._columns[column], start, stop)

    def stretches(self, column: Hashable) -> list[Stretch] | None:
        found = self._columns[column]
        if not isinstance(found, np.ndarray) or not found.flags.c_contiguous:
            return None
        return [Stretch(IN_MEMORY, found.__array_interface__["data"][0], len(found), found.dtype.name)]

    def row_bounds(self, column: Hashable, within: RowRanges) -> None:
        return None


class CopyingTableReader(TableReader, PartReader):
    """Reads columns of a table that is one of several parts; their rows are read to one array."""

    def __exit__(self, *_: object) -> None:
        """Leave the table in memory."""

    def read(self, column: Hashable, start: int, stop: int, out: NumberArray | None = None) -> Column:
        found = super().read(column, start, stop)
        if out is None:
            return found
        np.copyto(out, found)
        return out


@dataclass(frozen=True, slots=True)
class TablePart:
    """The rows of a table in memory as one part of several; implements `akdask.storage.source.Part`."""

    table: Table

    @property
    def nrows(self) -> int:
        return self.table.nrows

    def open(self) -> CopyingTableReader:
        return CopyingTableReader(self.table)


class PositionReader(Reader):
    """Reads the positions of counted rows."""

    def __init__(self, positions: RowPositions) -> None:
        self._start = positions.start

    def read(self, column: Hashable, start: int, stop: int, out: NumberArray | None = None) -> Column:
        if out is None:
            return np.arange(self._start + start, self._start + stop)
        return np.add(_numbers(1 << int(stop - start).bit_length())[: stop - start], self._start + start, out=out)

    def stretches(self, column: Hashable) -> None:
        return None

    def row_bounds(self, column: Hashable, within: RowRanges) -> None:
        return None


@cached_results("row numbers", 4)
def _numbers(count: int) -> NumberArray:
    """Return the numbers from 0, from one array that all blocks share."""
    numbers = np.arange(count)
    numbers.flags.writeable = False
    return numbers


FEW_ROWS = 4 * UNIT

MOST_OPEN = 16
"""Largest number of files that a thread keeps open."""

Given: TypeAlias = tuple[tuple[Selection, ...], Sequence[Input]]
"""The selections and inputs of one partition."""


def coalesce_partitions(members: Sequence[Given], block_rows: int) -> Iterator[Given]:
    """Yield the partitions of a batch in order; neighbours with the same selections that fit a block become one."""
    some: list[Given] = []
    nrows = 0
    for member in members:
        more = member[1][0].nrows
        if some and (len(some) == MOST_OPEN or nrows + more > block_rows or not _are_read_alike(some[0], member)):
            yield _as_one(some)
            some, nrows = [], 0
        some.append(member)
        nrows += more
    yield _as_one(some)


def _are_read_alike(first: Given, second: Given) -> bool:
    """Whether both have the same selections, none of which counts rows, and no input is row numbers."""
    selections = zip(first[0], second[0], strict=True)
    if any(one is not other or isinstance(one, Range) for one, other in selections):
        return False
    inputs = (*first[1], *second[1])
    return not any(isinstance(item, RowPositions) for item in inputs) and _agree(first) and _agree(second)


def _agree(member: Given) -> bool:
    """Whether the inputs have equal numbers of rows; otherwise the partition stays alone, and raises there."""
    return len({item.nrows for item in member[1]}) == 1


def _as_one(members: Sequence[Given]) -> Given:
    if len(members) == 1:
        return members[0]
    (selections, _), *_ = members
    return selections, [_consecutive(items) for items in zip(*(inputs for _, inputs in members), strict=True)]


def _consecutive(items: Sequence[Any]) -> ConsecutiveParts:
    return ConsecutiveParts([TablePart(item) if isinstance(item, Table) else item for item in items])


def is_several(item: Input) -> TypeGuard[ConsecutiveParts]:
    """Whether an input is several parts, one after the other."""
    return isinstance(item, ConsecutiveParts) and len(item.parts) > 1


def selected_rows(column: Column, rows: NumberArray | slice, out: NumberArray | None = None) -> Column:
    """Return the rows at the given positions or in a slice; numbers at positions are written to `out` if given."""
    if isinstance(rows, slice):
        return slice_rows(column, rows.start, rows.stop, rows.step)
    return gather(column, rows, out)


def read_only(column: Column) -> Column:
    """Return a read-only view of a column, which a caller must copy to change; plans keep tables in memory."""
    if isinstance(column, np.ndarray):
        column = column.view()
        column.flags.writeable = False
    return column


def common_nrows(inputs: Sequence[Input]) -> int:
    """Return the common number of rows of a partition's inputs.

    Raises
    ------
    InconsistentFilesError
        If they differ.
    """
    counts = {item.nrows for item in inputs}
    if len(counts) > 1:
        told = f"rows of one partition: {', '.join(map(str, sorted(counts)))}"
        raise InconsistentFilesError(
            "columns that were aligned when they were combined have different numbers of rows now.",
            details=[told],
            hint="a file has probably changed since it was opened; open the set again.",
        )
    return counts.pop()


def sizes_of(inputs: Sequence[Input], block_rows: int) -> tuple[int, int]:
    """Return the rows of a partition and of its blocks; few rows are one block, since each block has a fixed cost.

    Blocks of whole units of summation stay such blocks.
    """
    nrows = common_nrows(inputs)
    few = FEW_ROWS if block_rows % UNIT == 0 else FEW_ROWS - 1
    return nrows, block_rows if nrows > few else max(block_rows, few)
