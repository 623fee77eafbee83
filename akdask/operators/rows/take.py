"""Take: rows at given positions, in the order and row space of the positions.

This module chooses the strategy. The columns are broadcast, and every task looks up its rows. Or, if they are too
large, or few rows are wanted of many, each partition returns its wanted rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from akdask import config
from akdask._dask import Expr
from akdask.cluster import memory, on_cluster
from akdask.columns.dtypes import INT64
from akdask.columns.rows import empty, own_rows
from akdask.columns.table import Table
from akdask.engine.alignment import Gather, OverProject, all_partitions, concat_tables, row_bounds
from akdask.engine.blocks import Partition, PartitionBatch
from akdask.engine.exchange import max_rows
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.pipeline import Compile, Sink, partition_batches, pipeline
from akdask.engine.program import BroadcastInput, Program
from akdask.engine.rowwise import Chain, Project, Tasks, Zip
from akdask.engine.sources import Literal, Persisted, Rows, Scan
from akdask.engine.values import Call, ColumnRef, Replica, Value, assumed_width
from akdask.operators.values.lookup import from_start
from akdask.typing import NumberArray

SHARE = 16
"""The part of a worker's memory that broadcast columns may take; an index of them takes several times as much."""

SHARE_HERE = 6
"""The same part for this process, whose threads share the columns; exchanging rows takes several times as long."""


def fits_broadcast(frame: Frame, values: Iterable[Value]) -> bool:
    """Whether some columns are small enough to broadcast; rows of unknown number count as few."""
    rows = max_rows(frame)
    limit = config.get("replicate_size")
    if rows is None:
        return True
    if limit == 0:
        return False
    width = sum(map(assumed_width, dict.fromkeys(values)))
    if limit is None:
        limit = memory() // (SHARE if on_cluster() else SHARE_HERE)
    return bool(rows * width <= limit)


def broadcast(frame: Frame, value: Value) -> Replica:
    """Return a whole column of a frame, broadcast."""
    (column,) = broadcast_columns(frame, [value])
    return column


def broadcast_columns(frame: Frame, values: Sequence[Value]) -> list[Replica]:
    """Return whole columns of a frame, broadcast; columns that are read are gathered together."""
    if not values:
        return []
    columns = Gather(Project(frame, tuple(range(len(values))), tuple(values)))
    return [Replica(columns, number, value.dtype) for number, value in enumerate(values)]


class BroadcastColumn(NamedTuple):
    """A broadcast column: its frame, and its value there."""

    frame: Frame
    value: Value

    @classmethod
    def of(cls, value: Value) -> BroadcastColumn | None:
        """Return the broadcast column of a value, None for other values."""
        if not isinstance(value, Replica) or not isinstance(value.node, Gather):
            return None
        project = value.node.frame
        return cls(project.frame, project.values[project.names.index(value.field)])


FEW = 64
"""If at most one row in this number is wanted, a broadcast does not pay."""

MOST_PICKS = 2**14
"""Most tasks that pick rows; for more, partitions are concatenated first."""

FEWEST_SOURCES = 16

STORED = (Scan, Rows, Literal, Persisted)
"""Kinds of frames whose rows are read by their numbers."""

Picked: TypeAlias = tuple[Table, np.ndarray]
"""Rows of one task, and the slot of each in the result."""


class Take(OverProject):
    """The rows of `frame` at the positions that the one column of `positions` holds.

    Negative positions count from the end.  `given` are the partition lengths of `frame`.  The result has the row space
    of the positions.
    """

    weight = 8

    frame: Project
    positions: Project
    given: tuple[int, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.positions.rows

    @property
    def limiting(self) -> Project:
        return self.positions


def takes_broadcast(frame: Frame, values: Sequence[Value], at_frame: Frame) -> bool:
    """Whether rows are taken from broadcast columns; otherwise the partition lengths must be known."""
    wanted, given = max_rows(at_frame), max_rows(frame)
    are_few = wanted is not None and given is not None and wanted * FEW < given
    return not are_few and fits_broadcast(frame, values)


def take_broadcast(frame: Frame, values: Sequence[Value], at: Value) -> list[Value]:
    """Return the rows of broadcast columns at positions, on the frame of the positions."""
    return [Call("take", column, at) for column in broadcast_columns(frame, values)]


def take_exchanged(
    frame: Frame, values: Sequence[Value], at_frame: Frame, at: Value, lengths: Sequence[int]
) -> tuple[Take, list[Value]]:
    """Return the rows of a frame with known partition lengths at any number of positions."""
    source = Project(frame, tuple(range(len(values))), tuple(values))
    taken = Take(source, Project(at_frame, (0,), (at,)), tuple(lengths))
    return taken, [taken.column(number) for number in range(len(values))]


@dataclass(frozen=True, slots=True)
class PickRows:
    """Reads only the wanted rows of a partition, and returns them with their slots in the result.

    Parameters
    ----------
    program, first : Program
        The columns, and the number of each row.
    names : tuple of hashable
        The names of the columns.
    positions : BroadcastInput
        The numbers of the wanted rows.
    total : int
        The number of rows of all partitions.
    """

    names: tuple[Hashable, ...]
    program: Program
    first: Program
    positions: BroadcastInput
    total: int
    leave_last_mask: bool = False
    picks_rows: ClassVar[bool] = True

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program, self.first)

    def run(self, partition: Partition | PartitionBatch) -> Picked:
        wanted = from_start(partition.replicas[self.positions.position][self.positions.field], self.total)
        picked = [(self._nothing, np.empty(0, np.int64))]
        picked += [self._of(part, wanted) for part in partition.each() if part.nrows]
        return Table.concat([table for table, _ in picked]), np.concatenate([slots for _, slots in picked])

    @property
    def _nothing(self) -> Table:
        return Table({name: empty(dtype) for name, dtype in zip(self.names, self.program.dtypes, strict=True)}, 0)

    def _of(self, partition: Partition, wanted: NumberArray) -> Picked:
        (first,) = next(partition.blocks_of(np.zeros(1, np.int64))).evaluate(self.first)
        rows = wanted - first[0]
        slots = np.flatnonzero((rows >= 0) & (rows < partition.nrows))
        if not len(slots):
            return self._nothing, slots
        distinct, inverse = np.unique(rows[slots], return_inverse=True)
        tables = [
            Table(dict(zip(self.names, map(own_rows, block.evaluate(self.program)), strict=True)), block.nrows)
            for block in partition.blocks_of(distinct)
        ]
        return Table.concat(tables).take(inverse), slots


def _pick(tables: Sequence[Table], first: int, total: int) -> Picked:
    """Return the wanted rows of one partition, and their slots in the result."""
    table, wanted = tables
    (positions,) = wanted.columns.values()
    positions = from_start(positions, total) - first
    slots = np.flatnonzero((positions >= 0) & (positions < table.nrows))
    return table.take(positions[slots]), slots


def _reorder(picked: Sequence[Picked]) -> Table:
    """Return picked rows in the order of the positions."""
    order = np.empty(sum(len(slots) for _, slots in picked), np.int64)
    order[np.concatenate([slots for _, slots in picked])] = np.arange(len(order))
    return Table.concat([table for table, _ in picked]).take(order)


def _joined(frame: Take) -> tuple[Expr, Sequence[int]]:
    """Return the node to pick rows from and its partition lengths, with partitions concatenated if there are many.

    Every partition of positions picks from each partition of rows, so that tasks would grow with the product.
    """
    count = frame.frame.npartitions
    groups = max(MOST_PICKS // frame.npartitions, FEWEST_SOURCES)
    if count <= groups:
        return frame.frame, frame.given
    bounds = list(pairwise(group * count // groups for group in range(groups + 1)))
    calls = tuple((tuple((0, index) for index in range(start, stop)), ()) for start, stop in bounds)
    lengths = [sum(frame.given[start:stop]) for start, stop in bounds]
    return Tasks(f"join {frame._name}", concat_tables, calls, frame.frame), lengths


def _few_of_stored(frame: Take) -> bool:
    """Whether so few rows of stored columns are wanted, or of columns computed from them, that only these are read."""
    chain, wanted = Chain.of(frame.frame.frame), frame.positions.rows.size
    return (
        frame.npartitions == 1
        and wanted is not None
        and wanted * FEW <= sum(frame.given)
        and not chain.selections
        and all(isinstance(base, STORED) for base in chain.bases)
    )


def _read_few(frame: Take) -> Expr:
    project, numbers = frame.frame, Rows(frame.given)
    bases = {base._name: base for base in (*Chain.of(project.frame).bases, numbers)}
    (positions,) = frame.positions.names

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        (replica,) = compile_these(values[-1:]).steps
        assert isinstance(replica, BroadcastInput), "a replica is whole"
        columns, first = compile_these(values[:-2]), compile_these(values[-2:-1])
        return PickRows(project.names, columns, first, replica, sum(frame.given))

    rows = Zip(tuple(bases.values())) if len(bases) > 1 else numbers
    given = [*project.values, numbers.position, Replica(Gather(frame.positions), positions, INT64)]
    picked = pipeline(rows, given, sink, f"pick {frame._name}", batches=partition_batches(rows))
    return Tasks(frame._name, _reorder, ((all_partitions(picked.npartitions), ()),), picked)


@lower.register
def _(frame: Take) -> Expr:
    if _few_of_stored(frame):
        return _read_few(frame)
    source, given = _joined(frame)
    sources, total = row_bounds(given), sum(given)
    wanted = range(frame.npartitions)
    picks = tuple(
        (((0, source), (1, want)), (first, total)) for want in wanted for source, (first, _) in enumerate(sources)
    )
    picked = Tasks(f"pick {frame._name}", _pick, picks, source, frame.positions)
    orders = tuple((tuple((0, want * len(sources) + source) for source in range(len(sources))), ()) for want in wanted)
    return Tasks(frame._name, _reorder, orders, picked)


class ConcatRanges(Frame):
    """The numbers of ranges, one row each; columns of `frame` have the start and the length of each range.

    Numbers of one range are `stride` apart.
    """

    frame: Project
    stride: int

    @cached_property
    def planned_rows(self) -> RowSpace:
        return RowSpace(self._name, self.frame.npartitions)

    @property
    def number(self) -> ColumnRef:
        """The numbers."""
        return ColumnRef(self._name, 0, INT64)


@lower.register
def _(frame: ConcatRanges) -> Expr:
    calls = tuple((((0, partition),), (frame.stride,)) for partition in range(frame.npartitions))
    return Tasks(frame._name, _numbers, calls, frame.frame)


def _numbers(tables: Sequence[Table], stride: int) -> Table:
    starts: Any
    starts, lengths = tables[0].columns.values()
    total = int(lengths.sum())
    before = np.cumsum(lengths) - lengths
    numbers = np.repeat(starts - stride * before, lengths) + stride * np.arange(total)
    return Table({0: numbers}, total)
