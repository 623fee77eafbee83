"""Sorts as plan nodes: rows are range-partitioned at splitters, and one task sorts each new partition."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property

import numpy as np

from akdask._dask import Expr
from akdask.cluster import buffer_bytes
from akdask.columns.dtypes import BOOL, INT64, NULLABLE_STR
from akdask.columns.table import Table
from akdask.engine.alignment import (
    Aligned,
    Gather,
    OverProject,
    Reverse,
    align_by_plan,
    all_partitions,
    max_rows,
    partition_count,
)
from akdask.engine.cache import Materialized
from akdask.engine.exchange import exchange
from akdask.engine.missing import is_missing_text
from akdask.engine.node import Frame, RowSpace, lower, rows_decided_by, rows_rearranged
from akdask.engine.pipeline import Compile, partition_batches, pipeline
from akdask.engine.rowwise import Chain, Project, Tasks, column_identity
from akdask.engine.sinks import Sink
from akdask.engine.sources import row_numbers
from akdask.engine.values import (
    BroadcastInput,
    Call,
    ColumnRef,
    Replica,
    Value,
    apart,
    column_in_errors,
    key_parts,
    with_missing,
)
from akdask.operators.join.key_tables import SortedKeys
from akdask.operators.sort import tuning
from akdask.operators.sort.kernels import is_ascending, sort_tables
from akdask.operators.sort.partition import KEYS, NUMBERS, TEXT, ChooseSplitters, RangePartition, SplitColumn
from akdask.operators.sort.ranges import ROW, SortPartition
from akdask.records import record


@record
class SortOrder:
    """The order and partitions of sorted rows.

    Parameters
    ----------
    token : str
        Name of the rows; all columns sorted by the same keys share rows.
    ascending : tuple of bool
        The direction of each key.
    count : int
        Number of partitions.
    stride : int
        Rows for each sampled one.
    straddle : bool
        Whether rows with equal keys may be divided between partitions, by row number.
    numbered : bool
        Whether the column `ROW`, if present, has consecutive numbers; filtered rows have not.
    """

    token: str
    ascending: tuple[bool, ...]
    count: int
    stride: int
    straddle: bool
    numbered: bool = True

    @classmethod
    def of(
        cls, frame: Frame, keys: Sequence[Aligned], ascending: Sequence[bool], count: int | None = None
    ) -> SortOrder:
        """Return the order of a frame's rows by some keys; by default, partitions follow from the size.

        The order depends on the plan alone, since rows of unknown number may be counted later.
        """
        count, most = partition_count(frame) if count is None else count, max_rows(frame)
        # Small partitions have some sampled rows each.
        wanted = tuning.MOST_SAMPLED if most is None else most // (frame.npartitions * tuning.SAMPLES)
        stride = max(min(max(wanted, 1), tuning.MOST_SAMPLED), (most or 0) // tuning.ALL_SAMPLES)
        straddle = count > 1 and frame.rows.is_fixed
        named = [column_identity(*key) for key in keys]
        rows = rows_decided_by("sort", named, count, tuple(ascending), stride, straddle, frame.rows.token)
        return cls(rows.token, tuple(ascending), count, stride, straddle)


class Sort(OverProject):
    """The columns `names` of a projection, sorted by the columns `by`; equal rows keep their order.

    If equal rows may straddle partitions, the column `ROW` of the projection has the row numbers.
    """

    keeps_rows = True
    weight = 8

    frame: Project
    by: tuple[Hashable, ...]
    names: tuple[Hashable, ...]
    order: SortOrder

    @cached_property
    def planned_rows(self) -> RowSpace:
        rows = self.frame.rows
        if self.order.count > 1:
            return RowSpace(self.order.token, self.order.count, total=rows.size)
        return rows_rearranged("sort", [rows], 1, lambda lengths: [sum(lengths)], self.order.token)

    @property
    def keys(self) -> tuple[Value, ...]:
        """The values that rows are sorted by."""
        return tuple(self.frame.values[self.frame.names.index(name)] for name in self.by)

    def describe(self) -> str:
        keys = zip(self.keys, self.order.ascending, strict=True)
        return "Sort by " + ", ".join(f"{value!r}{'' if upwards else ' descending'}" for value, upwards in keys)


def sorted_rows(
    keys: Sequence[Aligned],
    ascending: Sequence[bool],
    payload: Sequence[Aligned] = (),
    *,
    with_row: bool = False,
    count: int | None = None,
) -> tuple[Sort, list[Value]]:
    """Return columns sorted by some keys, and last, if requested, the original number of each row.

    `count` is the number of partitions; by default it follows from the size of the rows.

    Raises
    ------
    AlignmentError
        If keys and payload do not share rows.
    """
    keys, ascending = key_order(keys, ascending)
    frame, _ = align_by_plan("sort", [*keys, *payload])
    return _sort(keys, payload, SortOrder.of(frame, keys, ascending, count), with_row)


def key_order(keys: Sequence[Aligned], ascending: Sequence[bool]) -> tuple[Sequence[Aligned], Sequence[bool]]:
    """Return keys that sort missing text last in descending order too, as ascending keys do anyway.

    Integers with missing rows become two keys, of which the first puts missing ones last.
    """
    if not any(value.dtype.nullable for _, value in keys):
        return keys, ascending
    found: list[tuple[Aligned, bool]] = []
    for (frame, value), upwards in zip(keys, ascending, strict=True):
        if value.dtype == NULLABLE_STR and not upwards:
            found.append(((frame, is_missing_text(value)), True))
        *before, last = key_parts(value)
        found += [((frame, one), True) for one in before]
        found.append(((frame, last), upwards))
    return [key for key, _ in found], [upwards for _, upwards in found]


def sorted_along(frame: Frame, values: Sequence[Value], at_frame: Frame, at: Value) -> tuple[Frame, list[Value]] | None:
    """Return columns in the order of row numbers that a sort of the same rows gives, or in the reverse of it.

    None for other positions.
    """
    if isinstance(at_frame, Reverse) and isinstance(at, ColumnRef) and at.source == at_frame._name:
        project = at_frame.frame
        found = sorted_along(frame, values, project.frame, project.values[project.names.index(at.name)])
        return None if found is None else Reverse.of(*found)
    if not isinstance(at_frame, Sort) or at != ColumnRef(at_frame._name, ROW, INT64):
        return None
    project = at_frame.frame
    if not project.rows.same_rows(frame.rows):
        return None
    keys = [(project.frame, key) for key in at_frame.keys]
    return _sort(keys, [(frame, value) for value in values], at_frame.order, False)


def _sort(
    keys: Sequence[Aligned], payload: Sequence[Aligned], order: SortOrder, with_row: bool
) -> tuple[Sort, list[Value]]:
    # Numbers with missing rows are carried as two plain columns, of which keys may be one.
    parts = [(frame, part) for frame, value in payload for part in _parts_of(value)]
    frame, values = align_by_plan("sort", [*keys, *parts])
    numbered = with_row or order.straddle
    if numbered:
        frame, values = align_by_plan("number", [*((frame, value) for value in values), row_numbers(frame)])
    names: dict[Value, Hashable] = {value: number for number, value in enumerate(values)}
    if numbered:
        names[values[-1]] = ROW
    by = tuple(names[value] for value in values[: len(keys)])
    wanted = [names[value] for value in values[len(keys) : len(keys) + len(parts)]] + [ROW] * with_row
    project = Project(frame, tuple(names.values()), tuple(names))
    sort = Sort(project, by, tuple(dict.fromkeys(wanted)), order)
    carried: Iterator[Value] = iter([sort.column(name) for name in wanted])
    found = [_of_parts(value, carried) for _, value in payload]
    return sort, [*found, *carried]


def _parts_of(value: Value) -> Sequence[Value]:
    return apart(value) if value.dtype.is_nullable_number else [value]


def _of_parts(value: Value, parts: Iterator[Value]) -> Value:
    part = next(parts)
    return with_missing(part, next(parts), column_in_errors(value)) if value.dtype.is_nullable_number else part


def ranks(frame: Frame, value: Value) -> Replica:
    """Return the rank of each row of a one-partition frame."""
    sort, (row,) = sorted_rows([(frame, value)], [True], with_row=True)
    inverse, (place,) = sorted_rows([(sort, row)], [True], with_row=True)
    # Many rows are sorted in several partitions.
    positions = inverse if inverse.npartitions == 1 else Gather(Project(inverse, (ROW,), (place,)))
    return Replica(positions, ROW, INT64)


@lower.register
def _(frame: Sort) -> Expr:
    order = frame.order
    # Few rows: one task sorts them all.
    if order.count == 1:
        everything = tuple((0, index) for index in range(frame.frame.npartitions))
        return Tasks(frame._name, sort_tables, ((everything, (frame.by, order.ascending, frame.names)),), frame.frame)
    # Many rows: sample the keys, split every partition at the splitters, and exchange and sort the slices.
    source, values = _read_twice(frame)
    by = tuple(values[name] for name in frame.by)
    kind = _kind_of(frame)
    chosen = ChooseSplitters(source, by, order.ascending, order.count, order.stride, order.straddle, kind)
    names = tuple(dict.fromkeys([*frame.by, *frame.names, *([ROW] if order.straddle else [])]))

    def sink(compile_these: Compile, given: Sequence[Value]) -> Sink:
        (splitters,) = compile_these(given[-1:]).steps
        assert isinstance(splitters, BroadcastInput), "a replica is whole"
        program = compile_these(given[:-1])
        split = RangePartition(
            names,
            frame.names,
            frame.by,
            order.ascending,
            program,
            splitters,
            order.count,
            memory_budget,
            numbered=order.numbered,
        )
        return split if kind == KEYS else SplitColumn(split)

    batches = partition_batches(source)
    memory_budget = buffer_bytes(len(batches))
    given = [*(values[name] for name in names), Replica(chosen, 0, INT64)]
    split = pipeline(source, given, sink, f"split {frame._name}", batches=batches)
    return exchange(split, order.count, SortPartition(frame.names, tuple(map(frame.dtype_of, frame.names))))


def _kind_of(frame: Sort) -> str:
    """Return the kind of sort; single columns need few enough partitions to compare each row with every splitter."""
    if not frame.order.numbered and ROW in frame.names:
        return KEYS
    dtype, are_few = frame.keys[0].dtype, len(frame.by) == 1 and frame.order.count <= tuning.MOST_COMPARED_RANGES
    if are_few and dtype.is_number and frame.names == frame.by:
        return NUMBERS
    return TEXT if are_few and dtype.kind == "str" and frame.names in (frame.by, (ROW,)) else KEYS


def _read_twice(frame: Sort) -> tuple[Frame, dict[Hashable, Value]]:
    """Return the frame and values that a sort reads twice, once for samples and once to split rows.

    Numbers in files are read again; computed columns are materialized.
    """
    project = frame.frame
    is_plain = all(isinstance(value, ColumnRef) and value.dtype.is_number for value in frame.keys)
    if is_plain and not Chain.of(project.frame).selections:
        return project.frame, dict(zip(project.names, project.values, strict=True))
    materialized = Materialized(project)
    return materialized, {name: materialized.column(name) for name in project.names}


class SortedTable(Frame):
    """All rows of the one column of `frame`, which ascends, in one partition."""

    frame: Project

    @classmethod
    def of(cls, frame: Frame, value: Value) -> SortedTable:
        """Return a sorted column of a frame."""
        return cls(Project(frame, (0,), (value,)))

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])

    def search(self, value: Value, side: str) -> Call:
        """Return the positions at which values of the same type would be inserted."""
        (column,) = self.frame.values
        return Call("searchsorted", Replica(self, 0, column.dtype), value, side=side)


@lower.register
def _(frame: SortedTable) -> Expr:
    everything = all_partitions(frame.frame.npartitions)
    return Tasks(frame._name, _in_order, ((everything, ()),), frame.frame)


def _in_order(tables: Sequence[Table]) -> list[SortedKeys]:
    (column,) = Table.concat(tables).columns.values()
    return [SortedKeys(column)]


class Cosorted(Frame):
    """Whether the rows of `frame` ascend by its columns, the first one first: one bool in one row."""

    frame: Project

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])

    @property
    def ascending(self) -> ColumnRef:
        """The answer."""
        return ColumnRef(self._name, 0, BOOL)


@lower.register
def _(frame: Cosorted) -> Expr:
    count = frame.frame.npartitions
    calls = tuple((((0, partition),), ()) for partition in range(count))
    parts = Tasks(f"ascending {frame._name}", _ascending_part, calls, frame.frame)
    everything = tuple((0, partition) for partition in range(count))
    return Tasks(frame._name, _is_ascending_across, ((everything, ()),), parts)


def _ascending_part(tables: Sequence[Table]) -> tuple[bool, Table]:
    """Return whether a partition's rows ascend, and its first and last row."""
    (table,) = tables
    edges = np.array([0, table.nrows - 1] if table.nrows else [], np.int64)
    return is_ascending(list(table.columns.values())), table.take(edges)


def _is_ascending_across(parts: Sequence[tuple[bool, Table]]) -> Table:
    edges = Table.concat([table for _, table in parts])
    ascending = all(flag for flag, _ in parts) and is_ascending(list(edges.columns.values()))
    return Table({0: np.array([ascending])}, 1)
