"""Frames that combine rows of several partitions: gathered, repartitioned, limited, reversed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Container, Hashable, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from akdask.columns import Table
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lengths import rows_rearranged
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef, Value
from akdask.plan.task import operators
from akdask.plan.task.pipeline import Compile, pipeline
from akdask.plan.task.tables import Tasks, passed_on
from akdask.schema import ColumnType, RowSpace


class OverProject(Frame):
    """Base of frames with the columns of one projection."""

    no_more_rows = True
    weight = 1

    frame: Project

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns, to compute with further."""
        return ColumnRef(self._name, name, self.dtype_of(name))

    def dtype_of(self, name: Hashable) -> ColumnType:
        """Return the type of a column."""
        return self.operands[0].column(name).dtype


class Gather(OverProject):
    """All rows in one partition."""

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_rearranged("gather", [self.frame.rows], 1, lambda lengths: [sum(lengths)])


class Limit(OverProject):
    """The first `count` rows, or the last ``-count``, in one partition."""

    frame: Project
    count: int

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_rearranged("limit", [self.frame.rows], 1, self._limited, self.count)

    def _limited(self, lengths: Sequence[int]) -> list[int]:
        return [min(abs(self.count), sum(lengths))]

    def of_columns(self, names: Container[Hashable]) -> Limit:
        """Return the same rows with fewer columns: they are few, and each reader may as well find its own."""
        project = self.frame
        used = {name: value for name, value in zip(project.names, project.values, strict=True) if name in names}
        if len(used) == len(project.names):
            return self
        # Rows are counted by a column.
        used = used or {project.names[0]: project.values[0]}
        return Limit(Project(project.frame, tuple(used), tuple(used.values())), self.count)

    def describe(self) -> str:
        return f"{'First' if self.count >= 0 else 'Last'} {abs(self.count)} rows"


class Reverse(OverProject):
    """The rows in reverse order."""

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        rows = self.frame.rows
        return rows_rearranged("reverse", [rows], rows.npartitions, lambda lengths: lengths[::-1])


class Realign(OverProject):
    """The same rows in the same order, repartitioned from the lengths `given` to `lengths`."""

    frame: Project
    given: tuple[int, ...]
    lengths: tuple[int, ...]

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths(self.lengths)


def row_slices(lengths: Sequence[int], wanted: Sequence[int]) -> list[list[tuple[int, int, int]]]:
    """Return the slices of given partitions that each wanted partition consists of, as (partition, start, stop).

    Examples
    --------
    >>> row_slices([3, 2], [4, 1])
    [[(0, 0, 3), (1, 0, 1)], [(1, 1, 2)]]
    """
    starts = list(accumulate(lengths, initial=0))
    return [_slices_of_range(starts, first, last) for first, last in row_bounds(wanted)]


def _slices_of_range(starts: Sequence[int], first: int, last: int) -> list[tuple[int, int, int]]:
    slices = []
    partition = bisect_right(starts, first) - 1
    while first < last:
        stop = min(last, starts[partition + 1])
        if stop > first:
            slices.append((partition, first - starts[partition], stop - starts[partition]))
        first, partition = stop, partition + 1
    return slices


def row_bounds(lengths: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first row of each partition, and the row after its last."""
    return list(pairwise(accumulate(lengths, initial=0)))


def concat_tables(tables: Sequence[Table]) -> Table:
    """Return the rows of all tables: the function of a task."""
    return Table.concat(tables)


def _concat_limited(tables: Sequence[Table], count: int) -> Table:
    table = Table.concat(tables)
    return (
        table.slice(0, min(count, table.nrows)) if count >= 0 else table.slice(max(table.nrows + count, 0), table.nrows)
    )


def _reverse(tables: Sequence[Table]) -> Table:
    return tables[0].slice(tables[0].nrows - 1, -1, -1)


def _concat_slices(tables: Sequence[Table], ranges: Sequence[tuple[int, int]]) -> Table:
    slices = [table.slice(start, stop) for table, (start, stop) in zip(tables, ranges, strict=True)]
    return Table.concat(slices) if len(slices) > 1 else slices[0].own()


def all_partitions(count: int) -> tuple[tuple[int, int], ...]:
    """Return the references of a task to all partitions of its first input."""
    return tuple((0, partition) for partition in range(count))


@lower.register
def _(frame: Project) -> Expr:
    found = passed_on(frame)
    if found is not None:
        return found

    def sink(compile_these: Compile, values: Sequence[Value]) -> operators.Sink:
        return operators.Collect(frame.names, compile_these(values))

    return pipeline(frame.frame, frame.values, sink, "collect " + ", ".join(map(repr, frame.names)))


@lower.register
def _(frame: Gather) -> Expr:
    calls = ((all_partitions(frame.frame.npartitions), ()),)
    return Tasks(frame._name, concat_tables, calls, frame.frame)


@lower.register
def _(frame: Limit) -> Expr:
    project = frame.frame

    def sink(compile_these: Compile, values: Sequence[Value]) -> operators.Sink:
        return operators.Collect(project.names, compile_these(values), frame.count)

    purpose = f"{frame.describe().lower()} of " + ", ".join(map(repr, project.names))
    limited = pipeline(project.frame, project.values, sink, purpose)
    return Tasks(frame._name, _concat_limited, ((all_partitions(project.npartitions), (frame.count,)),), limited)


@lower.register
def _(frame: Reverse) -> Expr:
    count = frame.npartitions
    calls = tuple((((0, count - 1 - partition),), ()) for partition in range(count))
    return Tasks(frame._name, _reverse, calls, frame.frame)


@lower.register
def _(frame: Realign) -> Expr:
    calls = []
    for slices in row_slices(frame.given, frame.lengths):
        used = slices or [(0, 0, 0)]
        refs = tuple((0, partition) for partition, _, _ in used)
        calls.append((refs, (tuple((start, stop) for _, start, stop in used),)))
    return Tasks(frame._name, _concat_slices, tuple(calls), frame.frame)
