"""Rows at given positions, items assigned to rows, and lists of rows.

Taken rows are in the order and row space of the positions. Either the columns are broadcast, and every task looks up
its rows. Or, if they are too large, or few rows are wanted of many, each partition returns its wanted rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from akdask import config
from akdask._dask import Expr
from akdask.cluster import memory, on_cluster
from akdask.columns.arrow import lists_of, offsets_of, values_of
from akdask.columns.dtypes import INT64, list_of
from akdask.columns.memory import new_array
from akdask.columns.table import Table, empty, own_rows, put_rows, take_rows, type_of
from akdask.deferred import is_arrow, pa
from akdask.engine.alignment import Gather, OverProject, all_partitions, concat_tables, row_bounds
from akdask.engine.blocks import Partition, PartitionBatch
from akdask.engine.node import Frame, Node, RowSpace, lower, rows_decided_by
from akdask.engine.pipeline import Compile, partition_batches, pipeline, pipeline_with_starts
from akdask.engine.rowwise import Chain, Project, Tasks, Zip, column_identity
from akdask.engine.sinks import Collect, Sink, only_number
from akdask.engine.sources import Literal, Persisted, Rows, Scan
from akdask.engine.values import Apply, BroadcastInput, Call, ColumnRef, Program, Replica, Value, assumed_width
from akdask.errors import ArgumentError
from akdask.operators.rows import tuning
from akdask.records import record
from akdask.typing import NumberArray


def fits_broadcast(frame: Frame, values: Iterable[Value]) -> bool:
    """Whether some columns are small enough to broadcast; rows of unknown number count as few."""
    from akdask.engine.alignment import max_rows

    rows = max_rows(frame)
    limit = config.get("replicate_size")
    if limit == 0:
        return False
    if rows is None:
        return True
    width = sum(map(assumed_width, dict.fromkeys(values)))
    if limit is None:
        limit = memory() // (tuning.BROADCAST_SHARE if on_cluster() else tuning.BROADCAST_SHARE_HERE)
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
    from akdask.engine.alignment import max_rows

    wanted, given = max_rows(at_frame), max_rows(frame)
    are_few = wanted is not None and given is not None and wanted * tuning.FEW_WANTED < given
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


@record
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
        from akdask.operators.values.lookup import from_start

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
    from akdask.operators.values.lookup import from_start

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


def _joined_sources(frame: Take) -> tuple[Expr, Sequence[int]]:
    """Return the node to pick rows from and its partition lengths, with partitions concatenated if there are many.

    Every partition of positions picks from each partition of rows, so that tasks would grow with the product.
    """
    count = frame.frame.npartitions
    groups = max(tuning.MOST_PICKS // frame.npartitions, tuning.FEWEST_SOURCES)
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
        and wanted * tuning.FEW_WANTED <= sum(frame.given)
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

    rows = Zip(tuple(bases.values()))
    given = [*project.values, numbers.position, Replica(Gather(frame.positions), positions, INT64)]
    picked = pipeline(rows, given, sink, f"pick {frame._name}", batches=partition_batches(rows))
    return Tasks(frame._name, _reorder, ((all_partitions(picked.npartitions), ()),), picked)


@lower.register
def _(frame: Take) -> Expr:
    if _few_of_stored(frame):
        return _read_few(frame)
    source, given = _joined_sources(frame)
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


class PutSelected(Frame):
    """Column 0 of `frame`; the rows of `items`, in order, replace selected rows.

    `ranges` are the start, stop and step of those of each partition; without them column 1 holds there.  Partition k of
    `items` has as many rows as are selected in partition k.
    """

    no_more_rows = True

    frame: Project
    items: Project
    ranges: tuple[tuple[int, int, int], ...] | None = None

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def result(self) -> ColumnRef:
        """The changed column."""
        return ColumnRef(self._name, 0, self.frame.values[0].dtype)

    def lower_into(self, names: Mapping[Hashable, Hashable], arrays: Node) -> Expr | None:
        return _put_selected(self, next(iter(names)), arrays) if len(names) == 1 else None


class PutAt(Frame):
    """The column of `frame`, with `items` (positions, new values) assigned to their positions.

    Of several items for one position the last wins, as in NumPy.  `given` are the partition lengths of `frame`.
    `constant`, if given, is the only new value, a number, and `items` are the positions.
    """

    no_more_rows = True

    frame: Project
    items: Project
    given: tuple[int, ...]
    constant: Any = None

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def result(self) -> ColumnRef:
        """The changed column."""
        return ColumnRef(self._name, 0, self.frame.values[0].dtype)

    def lower_into(self, names: Mapping[Hashable, Hashable], arrays: Node) -> Expr | None:
        return _put(self, next(iter(names)), arrays) if len(names) == 1 else None


@record
class PutItems:
    """Collects a column of a partition in memory of its own, and puts items there.

    Parameters
    ----------
    collect : Collect
        Collects the column, maybe into an array of all rows, which is then the last replica.
    starts : tuple of int
        The first row of each partition.
    total : int
        Rows of all partitions.
    nitems : int
        How many of the last replicas, or of those before the array, are tables of items.
    constant : object, optional
        The item of all positions.
    """

    collect: Collect
    starts: tuple[int, ...]
    total: int
    nitems: int
    constant: Any = None
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return self.collect.programs

    def run(self, partition: Partition | PartitionBatch) -> Table:
        table, first = self.collect.run(partition), self.starts[only_number(partition)]
        new = self._own(table, first, partition)
        end = len(partition.replicas) - (self.collect.starts is not None)
        for items in partition.replicas[end - self.nitems : end]:
            rows, *values = items.values()
            given = values[0] if values else np.full(1, self.constant, new.dtype)
            new = put_rows(new, rows, given, first, self.total)
        return Table({0: new}, table.nrows) if self.collect.starts is None else table

    def _own(self, table: Table, first: int, partition: Partition | PartitionBatch) -> Any:
        """Return the column in memory that nobody else has."""
        if self.collect.starts is not None:
            (name,) = self.collect.names
            return partition.replicas[-1][name][first : first + table.nrows]
        (old,) = table.columns.values()
        program = self.collect.program
        is_computed = isinstance(program.steps[program.outputs[0]], Apply)
        if not isinstance(old, np.ndarray) or (is_computed and isinstance(partition, Partition)):
            return old
        new = new_array(len(old), old.dtype)
        np.copyto(new, old)
        return new


@lower.register
def _(frame: PutSelected) -> Expr:
    return _put_selected(frame, 0)


def _put_selected(frame: PutSelected, name: Hashable, *arrays: Node) -> Expr:
    """Return tables of the changed column, or write it to an array of all rows."""
    lengths = (frame.rows.lengths or ()) if arrays else (0,) * frame.npartitions
    ranges = frame.ranges or (None,) * frame.npartitions
    calls = tuple(
        (((0, number), (1, number), *((2, 0) for _ in arrays)), (rows, (name, first)))
        for number, (rows, (first, _)) in enumerate(zip(ranges, row_bounds(lengths), strict=True))
    )
    return Tasks(f"{frame._name} {bool(arrays)}", _put_in_order, calls, frame.frame, frame.items, *arrays)


def _put_in_order(inputs: Sequence[Any], rows: tuple[int, int, int] | None, place: tuple[Hashable, int]) -> Table:
    """Return the first column with items at the rows of a range, or where the second column holds."""
    table, (items,) = inputs[0], inputs[1].columns.values()
    (new, *masks), (name, first) = table.columns.values(), place
    if isinstance(new, np.ndarray):
        old = new
        new = new_array(len(old), old.dtype) if len(inputs) == 2 else inputs[-1][name][first : first + len(old)]
        np.copyto(new, old)
    if rows is None:
        new = put_rows(new, np.asarray(masks[0]), items, 0, len(new))
    elif isinstance(new, np.ndarray):
        new[slice(*rows)] = items
    else:
        new = put_rows(new, np.arange(*rows), items, 0, len(new))
    return Table({0: new} if len(inputs) == 2 else {}, table.nrows)


@lower.register
def _(frame: PutAt) -> Expr:
    return _put(frame, 0)


def _put(frame: PutAt, name: Hashable, *arrays: Node) -> Expr:
    """Return the tables of the changed column, or its rows in an array of all of them."""
    project = frame.frame
    # Every partition of rows takes each partition of items.
    items = frame.items if frame.items.npartitions <= tuning.FEWEST_SOURCES else Gather(frame.items)
    total = sum(frame.given)

    def sink(compile_these: Compile, values: Sequence[Value], starts: tuple[int, ...]) -> Sink:
        collect = Collect((name,), compile_these(values), starts=starts if arrays else None)
        return PutItems(collect, starts, total, items.npartitions, frame.constant)

    return pipeline_with_starts(project.frame, project.values, frame.given, sink, f"put {items._name}", items, *arrays)


class Flatten(Frame):
    """A row for each value of the lists in the first column of `frame`.

    Other columns of lists have the same lengths, and are flattened too. Columns of other types are repeated.
    """

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        project: Project = self.operands[0]
        return rows_decided_by("flatten", [column_identity(project.frame, project.values[0])], project.npartitions)

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns."""
        dtype = self.operands[0].column(name).dtype
        return ColumnRef(self._name, name, dtype.item or dtype)


class Nest(Frame):
    """Lists made of the rows of `values`, partition by partition.

    The one column of `shape` has the start of each list, or lists of the wanted lengths. `firsts` has the number of
    each partition's first value among all values.
    """

    no_more_rows = True

    shape: Project
    values: Frame
    firsts: tuple[int, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.shape.rows

    @property
    def lists(self) -> ColumnRef:
        """The lists."""
        values = self.operands[1]
        return ColumnRef(self._name, 0, list_of(values.column(0).dtype))


@lower.register
def _(frame: Flatten) -> Expr:
    calls = tuple((((0, partition),), ()) for partition in range(frame.npartitions))
    return Tasks(frame._name, _flatten, calls, frame.frame)


@lower.register
def _(frame: Nest) -> Expr:
    calls = tuple((((0, partition), (1, partition)), (first,)) for partition, first in enumerate(frame.firsts))
    return Tasks(frame._name, _nest, calls, frame.shape, frame.values)


def _flatten(tables: Sequence[Table]) -> Table:
    (table,) = tables
    first: pa.LargeListArray = next(iter(table.columns.values()))
    offsets = offsets_of(first)
    columns = {}
    for name, column in table.columns.items():
        dtype = type_of(column)
        if dtype.kind == "list":
            columns[name] = values_of(column, dtype.item or INT64)
        else:
            columns[name] = take_rows(column, np.repeat(np.arange(table.nrows), np.diff(offsets)))
    return Table(columns, int(offsets[-1]))


def _nest(tables: Sequence[Table], first: int) -> Table:
    (shape,), (values,) = (tuple(table.columns.values()) for table in tables)
    if is_arrow(shape, "LargeListArray"):
        offsets = offsets_of(shape)
    else:
        # No lists have no starts, and the end is the only bound.
        offsets = np.append(shape - first, len(values)) if len(shape) else np.zeros(1, np.int64)
    if offsets[0] or offsets[-1] != len(values) or (np.diff(offsets) < 0).any():
        raise ArgumentError(
            "the segments do not fit the values.",
            details=[f"partition with {len(shape)} segments and the {len(values)} values from {first} on"],
            hint="segments ascend from 0 to at most the number of values.",
        )
    return Table({0: lists_of(offsets, values)}, len(shape))


class SegmentStarts(Frame):
    """The start of each segment, from the lengths in the one column of `frame`."""

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def starts(self) -> ColumnRef:
        """The starts, int64: the sum of all lengths before."""
        return ColumnRef(self._name, 0, INT64)


@lower.register
def _(frame: SegmentStarts) -> Expr:
    # One task adds up all partitions' totals; if each did so for itself, references would grow with the square.
    count = frame.npartitions
    totals = Tasks(f"total {frame._name}", _total, tuple((((0, k),), ()) for k in range(count)), frame.frame)
    firsts = Tasks(f"first {frame._name}", _firsts, ((tuple((0, k) for k in range(count)), ()),), totals)
    calls = tuple((((0, partition), (1, 0)), (partition,)) for partition in range(count))
    return Tasks(frame._name, _starts, calls, frame.frame, firsts)


def _total(tables: Sequence[Table]) -> int:
    (lengths,) = tables[0].columns.values()
    return int(lengths.sum())


def _firsts(totals: Sequence[int]) -> list[int]:
    return list(accumulate(totals, initial=0))


def _starts(inputs: Sequence[Any], partition: int) -> Table:
    table, firsts = inputs
    (lengths,) = table.columns.values()
    return Table({0: np.cumsum(lengths) - lengths + firsts[partition]}, table.nrows)
