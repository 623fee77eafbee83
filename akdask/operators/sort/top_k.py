"""First or last rows in the order of some columns: first of each partition, then of all.

Only the ordering columns are read in full; the other columns are read for the found rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from akdask._dask import Expr
from akdask.columns.arrow import numpy_numbers
from akdask.columns.dtypes import INT64, ColumnType
from akdask.columns.table import Table, concat_rows, empty, own_rows, slice_rows, take_rows
from akdask.deferred import is_arrow, pa, pc
from akdask.engine.alignment import OverProject, align_by_plan, all_partitions
from akdask.engine.blocks import Partition, PartitionBatch
from akdask.engine.node import Frame, RowSpace, lower, rows_rearranged
from akdask.engine.pipeline import Compile, pipeline
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.sinks import Sink
from akdask.engine.sources import row_numbers
from akdask.engine.values import ColumnRef, Program, Value, describe
from akdask.operators.keys.keys import Words, word, word_count
from akdask.operators.sort import tuning
from akdask.operators.sort.kernels import ALL, are_before, argsort, comparable, words_of
from akdask.records import record
from akdask.typing import Column, NumberArray


def first_rows(columns: Sequence[Column], ascending: Sequence[bool], count: int) -> NumberArray:
    """Return the positions of the `count` first rows in order, or of the ``-count`` last ones; all if there are fewer.

    Rows are ordered as by `akdask.operators.sort.kernels.argsort`. Positions ascend.

    Examples
    --------
    >>> keys = [np.array([3, 1, 2, 1, 1])]
    >>> first_rows(keys, [True], 2).tolist(), first_rows(keys, [True], -2).tolist()
    ([1, 3], [0, 2])
    """
    wanted, taken = abs(count), list[NumberArray]()
    rows: NumberArray = np.arange(len(columns[0]))
    for column, upwards in zip(columns, ascending, strict=True):
        for number in words_of(column):
            if wanted >= len(rows):
                break
            if number == ALL:
                before, same = _compared(take_rows(column, rows), upwards, wanted if count > 0 else -wanted)
            else:
                words = _words(column, number, upwards, count, rows if taken else None)
                bound = np.partition(words, wanted - 1)[wanted - 1]
                before, same = words < bound, words == bound
            taken.append(rows[before])
            wanted -= len(taken[-1])
            rows = rows[same]
    taken.append(rows[:wanted] if count > 0 else rows[max(len(rows) - wanted, 0) :])
    return np.sort(np.concatenate(taken))


def _compared(strings: pa.LargeStringArray, upwards: bool, count: int) -> tuple[Any, Any]:
    """Return which strings are certainly among the `count` first or last ones, and which may be the last of them."""
    bound = _last_text(strings, upwards, count)
    text = strings.view(bound.type)
    before = pc.less if upwards == (count > 0) else pc.greater
    return numpy_numbers(before(text, bound)), numpy_numbers(pc.equal(text, bound))


def _last_text(strings: pa.LargeStringArray, upwards: bool, count: int) -> pa.LargeBinaryScalar:
    """Return the bytes of the last of the `count` first strings, or of the first of the ``-count`` last ones."""
    order = argsort([strings], [upwards])
    return strings.view(pa.large_binary())[int(order[count - 1 if count > 0 else count])]


class Bound(NamedTuple):
    """A bound of the first columns for later rows to be among the first or last ones."""

    word: np.uint64
    """The first word of the last row among the found ones."""
    value: Any
    """The value there, bytes of Arrow for text; None for NaN, which sorts last."""
    second: np.uint64 | None = None
    """The last word of a second column of numbers among rows with that first word."""


def rows_within(columns: Sequence[Column], ascending: Sequence[bool], count: int, bound: Bound | None) -> NumberArray:
    """Return the positions of rows that may be among the first or last ones, given the bound of earlier rows."""
    if bound is None:
        return _first_rows_of_many(columns, ascending, count)
    rows = _rows_within_first(columns, ascending, count, bound)
    if bound.second is None or len(rows) <= abs(count):
        return rows
    # Many rows have the same value in the first column where it has few: missing or not, a flag, a year.
    beyond = _words(columns[1], 0, ascending[1], count, rows) > bound.second
    beyond &= _words(columns[0], 0, ascending[0], count, rows) == bound.word
    return rows[~beyond]


def _rows_within_first(columns: Sequence[Column], ascending: Sequence[bool], count: int, bound: Bound) -> NumberArray:
    """Return the positions of rows that may be among the first or last ones, as far as the first column tells."""
    # Among equal rows the earlier ones come first.
    is_text = is_arrow(columns[0], "LargeStringArray")
    ties_lose = count > 0 and len(columns) == 1 and (is_text or word_count(columns[0]) == 1)
    if bound.value is not None:
        # Many times faster than making words of all rows.
        name = ("less" if ascending[0] == (count > 0) else "greater") + ("" if ties_lose else "_equal")
        if is_text:
            return np.flatnonzero(numpy_numbers(getattr(pc, name)(columns[0].view(bound.value.type), bound.value)))
        return np.flatnonzero(getattr(np, name)(columns[0], bound.value))
    words = _words(columns[0], 0, ascending[0], count)
    return np.flatnonzero(words < bound.word if ties_lose else words <= bound.word)


def bound_of(columns: Sequence[Column], ascending: Sequence[bool], count: int) -> Bound | None:
    """Return the bound for later rows to be among the first or last ones; None while fewer rows are known."""
    column = columns[0]
    if not count or len(column) < abs(count):
        return None
    words = _words(column, 0, ascending[0], count)
    last, second = int(words.argmax()), None
    # Only numbers are equal where their first words are.
    if len(columns) > 1 and all(isinstance(one, np.ndarray) for one in columns[:2]):
        second = _words(columns[1], 0, ascending[1], count)[words == words[last]].max()
    if is_arrow(column, "LargeStringArray"):
        return Bound(words[last], _last_text(column, ascending[0], len(column) if count > 0 else -len(column)), second)
    # The last of all rows have NaN.
    is_plain = isinstance(column, np.ndarray) and column.dtype.kind in ("iubf" if count > 0 else "iub")
    value = column[last] if is_plain else None
    is_nan = isinstance(value, np.floating) and bool(np.isnan(value))
    return Bound(words[last], None if is_nan else value, second)


def _first_rows_of_many(columns: Sequence[Column], ascending: Sequence[bool], count: int) -> NumberArray:
    """Return the positions of rows that may be the first or last ones, without a bound from earlier rows."""
    several = tuning.SAMPLED_OF_EACH * max(abs(count), 1)
    if len(columns[0]) <= tuning.MANY_TIMES * several:
        return first_rows(columns, ascending, count)
    # Some rows give a bound for the others.
    some = [slice_rows(column, 0, several) for column in columns]
    found = first_rows(some, ascending, count)
    bound = bound_of([take_rows(column, found) for column in some], ascending, count)
    others = [slice_rows(column, several, len(column)) for column in columns]
    return np.concatenate([found, several + rows_within(others, ascending, count, bound)])


def _words(column: Column, number: int, upwards: bool, count: int, rows: NumberArray | None = None) -> Words:
    words = word(column, number, upwards, rows)
    return words if count > 0 else ~words


VALUE, ROW = "value", "row"


class TopK(OverProject):
    """The `count` first rows in the order of the columns `by`, or the ``-count`` last ones; the columns `names`.

    Equal rows keep their order, as in a `Sort`.
    """

    weight = 8

    frame: Project
    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    names: tuple[Hashable, ...]
    count: int

    @classmethod
    def of(cls, frame: Frame, value: Value, count: int) -> TopK:
        """Return the extremes of a column, and the numbers of their rows."""
        frame, (value, row) = align_by_plan("number", [(frame, value), row_numbers(frame)])
        return cls(Project(frame, (VALUE, ROW), (value, row)), (VALUE,), (True,), (VALUE, ROW), count)

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_rearranged("extremes", [self.frame.rows], 1, self._lengths, self.count)

    def _lengths(self, lengths: Sequence[int]) -> list[int]:
        return [min(sum(lengths), abs(self.count))]

    @property
    def values(self) -> ColumnRef:
        """The values, in order."""
        return self.column(VALUE)

    @property
    def positions(self) -> ColumnRef:
        """The numbers of their rows."""
        return self.column(ROW)

    def describe(self) -> str:
        keys = [describe(self.frame.values[self.frame.names.index(name)]) for name in self.by]
        shown = [key + ("" if upwards else " descending") for key, upwards in zip(keys, self.ascending, strict=True)]
        return f"{'First' if self.count > 0 else 'Last'} {abs(self.count)} by {', '.join(shown)}"


class Ranks(OverProject):
    """The number of each of a few rows, if all rows were in ascending order: as many rows come before it.

    All rows differ in the columns of `frame`, by which they are ordered. `few` has these columns of the few rows.
    """

    frame: Project
    few: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.few.rows

    @property
    def limiting(self) -> Project:
        return self.few

    @property
    def rank(self) -> ColumnRef:
        """The numbers."""
        return ColumnRef(self._name, 0, INT64)

    def describe(self) -> str:
        return "Count rows before few ones, by " + ", ".join(map(describe, self.frame.values))


@lower.register
def _(frame: Ranks) -> Expr:
    calls = tuple((((0, number), (1, 0)), (frame.frame.names,)) for number in range(frame.frame.npartitions))
    counted = Tasks(f"count in {frame._name}", _count_before, calls, frame.frame, frame.few)
    return Tasks(frame._name, _add_counts, ((all_partitions(counted.npartitions), ()),), counted)


def _count_before(tables: Sequence[Table], names: Sequence[Hashable]) -> NumberArray:
    """Return how many rows of the first table come before each row of the second."""
    keys, few = ([table.columns[name] for name in names] for table in tables)
    rows = ([comparable(column, number) for column in few] for number in range(tables[1].nrows))
    return np.array([np.count_nonzero(are_before(keys, row)) for row in rows], np.int64)


def _add_counts(counts: Sequence[NumberArray]) -> Table:
    return Table({0: np.sum(counts, axis=0, dtype=np.int64)}, len(counts[0]))


@record
class TopKSink:
    """Find the first or last rows of a partition.

    Parameters
    ----------
    by, carried : tuple of hashable
        Names of the columns that rows are ordered by, and of the other columns.
    ascending : tuple of bool
        The direction of each of `by`.
    keys, others : Program
        The columns.
    count : int
        Number of rows, negative for the last ones.
    """

    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    carried: tuple[Hashable, ...]
    keys: Program
    others: Program
    count: int
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.keys, self.others)

    def run(self, partition: Partition | PartitionBatch) -> Table:
        return self._first_of([self._of(part) for part in partition.each()])

    def _first_of(self, tables: Sequence[Table]) -> Table:
        """Return the first or last rows of tables; as long as these have no more, all of them as they are."""
        if sum(table.nrows for table in tables) <= abs(self.count):
            return tables[0] if len(tables) == 1 else Table.concat(tables)
        return first_of(tables, self.by, self.ascending, self.count)

    def _of(self, partition: Partition) -> Table:
        """Return the first or last rows of one partition; if possible, other rows are not read in full."""
        if not self.others.outputs or not partition.keeps_row_numbers:
            return self._candidates(partition, self.others)
        found = self._candidates(partition, None)
        rows = np.asarray(found.columns[ROW])
        order = np.argsort(rows)
        parts = [
            [own_rows(column) for column in block.evaluate(self.others)] for block in partition.blocks_of(rows[order])
        ]
        columns = [concat_rows(chunks) for chunks in zip(*parts, strict=True)] or list(map(empty, self.others.dtypes))
        inverse = np.argsort(order)
        carried = {name: take_rows(column, inverse) for name, column in zip(self.carried, columns, strict=True)}
        return Table({**{name: found.columns[name] for name in self.by}, **carried}, found.nrows)

    def _candidates(self, partition: Partition, others: Program | None) -> Table:
        """Return the keys of the rows, with the other columns, or with row numbers in their place."""
        types: dict[Hashable, ColumnType] = dict(zip(self.by, self.keys.dtypes, strict=True))
        types |= {ROW: INT64} if others is None else dict(zip(self.carried, others.dtypes, strict=True))
        found, bound = Table({name: empty(dtype) for name, dtype in types.items()}, 0), None
        for block in partition.blocks():
            keys = block.evaluate(self.keys)
            few = rows_within(keys, self.ascending, self.count, bound)
            if not len(few):
                continue
            keys = [take_rows(key, few) for key in keys]
            if others is None:
                columns: list[Column] = [*keys, block.numbers_of(few)]
            else:
                few = few[chosen := first_rows(keys, self.ascending, self.count)]
                block.select_rows(few, len(few))
                columns = [*[take_rows(key, chosen) for key in keys], *map(own_rows, block.evaluate(others))]
            table = Table(dict(zip(types, columns, strict=True)), len(columns[0]))
            found = self._first_of([found, table] if found.nrows else [table])
            bound = bound_of([found.columns[name] for name in self.by], self.ascending, self.count)
        return found


def first_of(tables: Sequence[Table], by: Sequence[Hashable], ascending: Sequence[bool], count: int) -> Table:
    """Return the first or last rows of some tables, in order."""
    table = Table.concat(tables)
    rows = first_rows([table.columns[name] for name in by], ascending, count)
    table = table.take(rows)
    return table.take(argsort([table.columns[name] for name in by], ascending))


def _finish(
    tables: Sequence[Table], ascending: Sequence[bool], count: int, wanted: Sequence[tuple[Hashable, int]]
) -> Table:
    table = first_of(tables, range(len(ascending)), ascending, count)
    return Table({name: table.columns[number] for name, number in wanted}, table.nrows)


@lower.register
def _(frame: TopK) -> Expr:
    project = frame.frame
    carried = tuple(name for name in frame.names if name not in frame.by)
    values = dict(zip(project.names, project.values, strict=True))
    columns = (*frame.by, *carried)
    given = [values[name] for name in columns]
    # Nodes that name the same columns otherwise share the pass: their columns are numbered.
    numbers = tuple(range(len(columns)))

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        split = len(frame.by)
        keys, others = compile_these(values[:split]), compile_these(values[split:])
        return TopKSink(numbers[:split], frame.ascending, numbers[split:], keys, others, frame.count)

    found = pipeline(project.frame, given, sink, frame.describe().lower())
    wanted = tuple((name, columns.index(name)) for name in frame.names)
    call = (all_partitions(found.npartitions), (frame.ascending, frame.count, wanted))
    return Tasks(frame._name, _finish, (call,), found)
