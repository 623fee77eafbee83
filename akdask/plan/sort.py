"""Rows in order of their keys: cut into ranges of about equal size, each put in order by one task."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from akdask.columns import Table, empty
from akdask.kernels.keys import Words, unpack_rows
from akdask.kernels.sort import argsort, cut_packed, cut_sorted
from akdask.plan import sinks
from akdask.plan._dask import Expr
from akdask.plan.align import Aligned, align
from akdask.plan.blocks import Block, Partition
from akdask.plan.boundaries import Boundaries, Marks
from akdask.plan.chain import Chain, mask_name
from akdask.plan.combine import OfProject
from akdask.plan.exchange import Pieces, exchanged, partition_count
from akdask.plan.lengths import uncounted_rows
from akdask.plan.lower import lower
from akdask.plan.node import Frame
from akdask.plan.numbered import row_numbers
from akdask.plan.pipeline import Compile, pipeline
from akdask.plan.program import Program, Whole
from akdask.plan.rowwise import Project
from akdask.plan.tables import Tasks
from akdask.plan.tokens import token
from akdask.plan.values import ColumnRef, Replica, Value
from akdask.schema import INT64, ColumnType, RowSpace

ROW = ("row",)
"""Name of the number of a row among the columns of a sort."""

MOST_SAMPLED = 2**11
"""Of so many rows, at least one is looked at to find the ranges."""

SAMPLES = 32
"""Rows of a partition that are looked at, where it has so many."""


class Sort(OfProject):
    """The columns `names` of a projection, with its rows in order of the columns `by`; equal rows stay in order.

    `order` names the rows: all that is sorted by the same keys shares rows.  `count` is the number of partitions and
    `stride` how the ranges are found (`Boundaries`).  If `straddle`, rows with equal keys may be parted by their number,
    which is the column `ROW` of the projection.
    """

    frame: Project
    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    names: tuple[Hashable, ...]
    order: str
    count: int
    stride: int
    straddle: bool

    @property
    def rows(self) -> RowSpace:
        size = self.frame.rows.size
        if self.count == 1 and size is not None:
            return RowSpace.of_lengths([size])
        return uncounted_rows(self.order, self.count, size)

    @property
    def keys(self) -> tuple[Value, ...]:
        """What the rows are ordered by."""
        return tuple(self.value(name) for name in self.by)

    def value(self, name: Hashable) -> Value:
        """Return what a column is computed by."""
        return self.frame.values[self.frame.names.index(name)]

    def describe(self) -> str:
        keys = zip(self.keys, self.ascending, strict=True)
        return "Sort by " + ", ".join(f"{value!r}{'' if upwards else ' descending'}" for value, upwards in keys)


class Kept(OfProject):
    """A projection whose results stay in memory, for those who go over them twice."""

    frame: Project

    @property
    def rows(self) -> RowSpace:
        return self.frame.rows


def sorted_rows(
    keys: Sequence[Aligned], ascending: Sequence[bool], payload: Sequence[Aligned] = (), *, with_row: bool = False
) -> tuple[Sort, list[ColumnRef]]:
    """Return columns in order of some keys, and the number that each row had if asked for, which comes last.

    Raises
    ------
    AlignmentError
        If keys and payload do not share rows.
    """
    frame, values = align("sort", [*keys, *payload])
    straddle = frame.rows.lengths is not None
    count, stride = partition_count(frame), _stride(frame)
    named = tuple(mask_name(*key) for key in keys)
    order = token("sort", frame.rows.token, named, tuple(ascending), count, stride, straddle)
    if straddle or with_row:
        frame, values = align("number", [*((frame, value) for value in values), row_numbers(frame)])
    names: dict[Value, Hashable] = {value: number for number, value in enumerate(values)}
    if straddle or with_row:
        names[values[-1]] = ROW
    by = tuple(names[value] for value in values[: len(keys)])
    wanted = [names[value] for value in values[len(keys) : len(keys) + len(payload)]] + [ROW] * with_row
    project = Project(frame, tuple(names.values()), tuple(names))
    sort = Sort(project, by, tuple(ascending), tuple(dict.fromkeys(wanted)), order, count, stride, straddle)
    return sort, [sort.column(name) for name in wanted]


def _stride(frame: Frame) -> int:
    """Look at one row in 8,192, and at some rows of each partition where these are small."""
    lengths = frame.rows.lengths
    if lengths is None:
        return MOST_SAMPLED // SAMPLES
    return min(max(sum(lengths) // (len(lengths) * SAMPLES), 1), MOST_SAMPLED)


@dataclass(frozen=True, slots=True)
class Split:
    """Cut the rows of a partition at the marks between the new ones.

    `names` are the outputs of the program; those of `kept` go to the new partitions.  If only the number of the row
    does, and the keys leave room for it, both are packed together.
    """

    names: tuple[Hashable, ...]
    kept: tuple[Hashable, ...]
    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    program: Program
    marks: Whole
    count: int
    only_row: bool
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition) -> Pieces:
        marks: Marks = partition.replicas[self.marks.position][self.marks.field]
        at = marks.pack(marks.columns, self.ascending, marks.rows) if self.only_row else None
        pieces = self._cut(partition, marks) if at is None else self._cut_packed(partition, marks, at)
        return [*pieces, *([] for _ in range(self.count - len(pieces)))]

    def _cut_packed(self, partition: Partition, marks: Marks, at: Words) -> list[list[Packed]]:
        packed = np.empty(partition.nrows, np.uint64)
        filled = 0
        for block in partition.blocks():
            columns = self._evaluate(block)
            found = marks.pack([columns[name] for name in self.by], self.ascending, columns[ROW])
            packed[filled : filled + block.nrows] = found
            filled += block.nrows
        return [[Packed(piece, marks.shift)] for piece in cut_packed(packed[:filled], at)]

    def _cut(self, partition: Partition, marks: Marks) -> list[list[Table]]:
        pieces: list[list[Table]] = [[] for _ in range(len(marks.rows) + 1)]
        for block in partition.blocks():
            columns = self._evaluate(block)
            keys = [columns[name] for name in self.by]
            order = argsort(keys, self.ascending)
            earlier = columns[ROW].searchsorted(marks.rows) if ROW in columns else np.zeros_like(marks.rows)
            bounds = cut_sorted(keys, self.ascending, order, marks.columns, earlier)
            table = Table({name: columns[name] for name in self.kept}, block.nrows).take(order)
            for piece, (start, stop) in zip(pieces, pairwise([0, *bounds.tolist(), block.nrows]), strict=True):
                if stop > start:
                    piece.append(table.slice(start, stop))
        return pieces

    def _evaluate(self, block: Block) -> dict[Hashable, Any]:
        return dict(zip(self.names, block.evaluate(self.program), strict=True))


@dataclass(frozen=True, slots=True)
class Packed:
    """Keys packed with row numbers."""

    words: Words
    shift: int


@dataclass(frozen=True, slots=True)
class PutInOrder:
    """Put the rows of one range in order."""

    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    names: tuple[Hashable, ...]
    dtypes: tuple[ColumnType, ...]

    @property
    def token(self) -> str:
        return token("put in order", self.by, self.ascending, self.names)

    def __call__(self, parts: Sequence[Any]) -> Table:
        if not parts:
            return Table({name: empty(dtype) for name, dtype in zip(self.names, self.dtypes, strict=True)}, 0)
        if isinstance(parts[0], Packed):
            words = np.concatenate([part.words for part in parts])
            words.sort()
            return Table({ROW: unpack_rows(words, parts[0].shift, out=words.view(np.int64))}, len(words))
        table = Table.concat(parts)
        order = argsort([table.columns[name] for name in self.by], self.ascending)
        return Table({name: table.columns[name] for name in self.names}, table.nrows).take(order)


@lower.register
def _(frame: Kept) -> Expr:
    return lower(frame.frame)


@lower.register
def _(frame: Sort) -> Expr:
    put_in_order = PutInOrder(
        frame.by, frame.ascending, frame.names, tuple(frame.value(name).dtype for name in frame.names)
    )
    if frame.count == 1:
        everything = tuple((0, index) for index in range(frame.frame.npartitions))
        return Tasks(frame._name, put_in_order, ((everything, ()),), frame.frame)
    kept = tuple(dict.fromkeys([*frame.by, *frame.names]))
    names = tuple(dict.fromkeys([*kept, *([ROW] if frame.straddle else [])]))
    source, values = _read_twice(frame)
    by = tuple(values[name] for name in frame.by)
    boundaries = Boundaries(source, by, frame.ascending, frame.count, frame.stride, frame.straddle)

    def sink(compile_these: Compile, given: Sequence[Value]) -> sinks.Sink:
        (marks,) = compile_these(given[-1:]).steps
        assert isinstance(marks, Whole), "a replica is whole"
        program = compile_these(given[:-1])
        only_row = frame.names == (ROW,)
        return Split(names, kept, frame.by, frame.ascending, program, marks, frame.count, only_row)

    given = [*(values[name] for name in names), Replica(boundaries, 0, INT64)]
    split = pipeline(source, given, sink, f"split {frame._name}")
    return exchanged(split, frame.count, put_in_order)


def _read_twice(frame: Sort) -> tuple[Frame, dict[Hashable, Value]]:
    """Return where to read the columns from, once to find the ranges and once to cut at them.

    Numbers are read from files again; what takes work to find is kept in memory.
    """
    project = frame.frame
    is_plain = all(isinstance(value, ColumnRef) and value.dtype.is_number for value in frame.keys)
    if is_plain and not Chain.of(project.frame).selections:
        return project.frame, dict(zip(project.names, project.values, strict=True))
    kept = Kept(project)
    return kept, {name: kept.column(name) for name in project.names}
