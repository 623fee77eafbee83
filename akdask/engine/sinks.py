"""Sinks: the last operators of pipelines, which collect, reduce, count or limit the rows of a task."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from operator import itemgetter
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from akdask.columns.dtypes import ColumnType
from akdask.columns.memory import new_array, with_capacity
from akdask.columns.strings import StringsBuilder
from akdask.columns.summation import UnitPositions
from akdask.columns.table import Table, concat_rows, empty
from akdask.engine import tuning
from akdask.engine.blocks import Block, Partition, PartitionBatch
from akdask.engine.reduction import State
from akdask.engine.values import (
    Program,
)
from akdask.engine.vector_program import NoInstructionError, VectorizedPipeline, blocks_in_turn, selection
from akdask.operators.reduce.reductions import ScalarReduction, merge_states
from akdask.records import record
from akdask.typing import Column, NumberArray


class Sink(Protocol):
    """The last operator of a pipeline; picklable, and the same for all partitions."""

    @property
    def leave_last_mask(self) -> bool: ...

    @property
    def programs(self) -> Sequence[Program]: ...

    def run(self, partition: Partition | PartitionBatch) -> Any: ...


@record
class Collect:
    """Collect the results of a program in memory as a table.

    `limit`, if given, is the number of rows to return: the first ones, or the last ones if negative. `starts`, if
    given, has for each partition its place in arrays of all rows, by name in the last replica: numbers are computed
    there, and the table has the other columns.
    """

    names: tuple[Hashable, ...]
    program: Program
    limit: int | None = None
    leave_last_mask: bool = False
    starts: tuple[int, ...] | None = None

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> Table:
        if self.limit is None and isinstance(partition, Partition) and (self.starts or partition.keeps_all_rows):
            return self._fill(partition)
        if self.limit is None:
            return self._buffered(partition)
        tables: list[Table] = []
        rows = 0
        for block in partition.blocks():
            part = self._own(block)
            tables.append(part)
            rows += part.nrows
            if 0 <= self.limit <= rows:
                break
            if self.limit < 0:
                rows -= _drop_before(tables, rows + self.limit)
        return self._trim(Table.concat(tables) if tables else self._nothing())

    def _fill(self, partition: Partition) -> Table:
        """Evaluate directly into arrays of the final size, since the number of rows is known."""
        arrays: list[NumberArray] | None = None
        if self.starts is not None:
            first, targets = self.starts[only_number(partition)], partition.replicas[-1]
            arrays = [targets[name][first:] if name in targets else np.empty(0) for name in self.names]
        columns = partition.unfiltered_columns(self.program, arrays)
        if columns is not None:
            return self._others(columns, partition.nrows)
        if arrays is None:
            arrays = [new_array(partition.nrows if t.is_number else 0, t.numpy) for t in self.program.dtypes]
        builders = [
            None if t.is_number else StringsBuilder(partition.nrows) if t.kind == "str" else _ColumnParts(t)
            for t in self.program.dtypes
        ]
        row = 0
        for block in partition.blocks():
            targets = [array[row : row + block.nrows] for array in arrays]
            results = block.evaluate(self.program, targets)
            for target, result, builder in zip(targets, results, builders, strict=True):
                if builder is not None:
                    builder.append(result)
                elif result is not target:
                    target[...] = result
            row += block.nrows
        filled = [
            array if builder is None else builder.finish() for array, builder in zip(arrays, builders, strict=True)
        ]
        return self._others(filled, row)

    def _others(self, columns: Sequence[Column], nrows: int) -> Table:
        """Return the columns that are not in arrays of all rows."""
        named = zip(self.names, columns, self.program.dtypes, strict=True)
        return Table({name: column for name, column, t in named if self.starts is None or not t.is_number}, nrows)

    def _buffered(self, partition: Partition | PartitionBatch) -> Table:
        """Evaluate into arrays of the largest possible size; copy the rows if few are left."""
        reserved = min(partition.nrows, tuning.MOST_RESERVED_ROWS)
        buffer = ColumnBuffer(self.program, reserved)
        buffer.add_all(partition)
        table = Table(dict(zip(self.names, buffer.columns(), strict=True)), buffer.nrows)
        return table.own() if tuning.ENOUGH_LEFT * buffer.nrows < reserved else table

    def _own(self, block: Block) -> Table:
        """Copy results that lie in buffers which the next block reuses."""
        results = block.evaluate(self.program)
        owned = [np.array(item) if isinstance(item, np.ndarray) else item for item in results]
        return Table(dict(zip(self.names, owned, strict=True)), block.nrows)

    def _nothing(self) -> Table:
        return Table({name: empty(t) for name, t in zip(self.names, self.program.dtypes, strict=True)}, 0)

    def _trim(self, table: Table) -> Table:
        assert self.limit is not None, "all rows are wanted otherwise"
        if table.nrows <= abs(self.limit):
            return table
        return table.slice(0, self.limit) if self.limit >= 0 else table.slice(table.nrows + self.limit, table.nrows)


def only_number(partition: Partition | PartitionBatch) -> int:
    """Return the number of the partition that is a batch of its own; any number if it has been left out."""
    if not partition.identity:
        return 0
    _, batch = partition.identity
    assert isinstance(batch, tuple), "partitions have numbers"
    (number,) = batch
    return int(number)


class _ColumnParts:
    """Concatenates columns of any type, with the interface of `StringsBuilder`."""

    def __init__(self, dtype: ColumnType) -> None:
        self._nothing = empty(dtype)
        self._parts: list[Column] = []

    def append(self, part: Column) -> None:
        self._parts.append(part)

    def finish(self) -> Column:
        return concat_rows(self._parts) if self._parts else self._nothing


def _drop_before(tables: list[Table], excess: int) -> int:
    """Drop leading tables before the last wanted rows; return the number of rows dropped."""
    dropped = 0
    while tables and dropped + tables[0].nrows <= excess:
        dropped += tables.pop(0).nrows
    return dropped


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Reduce:
    """Reduce results block by block to one state for each reduction, None if no row was left.

    `plain` are stored columns, reduced under the mask of a final filter. `computed` are evaluated on the selected rows
    only.  Calls are (position among the states, reduction), one for each output.  With `adds_floats`, blocks must
    consist of whole units of `akdask.columns.summation`.
    """

    plain: Program
    plain_calls: tuple[tuple[int, ScalarReduction], ...]
    computed: Program
    computed_calls: tuple[tuple[int, ScalarReduction], ...]
    adds_floats: bool = False
    leave_last_mask: bool = True

    @property
    def programs(self) -> Sequence[Program]:
        return (self.plain, self.computed)

    def run(self, partition: Partition | PartitionBatch) -> list[Any]:
        calls = (*self.plain_calls, *self.computed_calls)
        reductions = [reduction for _, reduction in calls]
        reducer = self._reducer(partition)
        found = self._by_blocks(partition) if reducer is None else self._by_vectors(partition, reducer)
        states = reduce(partial(merge_states, reductions), found, [None] * len(reductions))
        return [state for _, state in sorted(zip(calls, states, strict=True), key=itemgetter(0))]

    def _by_vectors(self, partition: Partition | PartitionBatch, reducer: VectorizedPipeline) -> Iterator[list[State]]:
        """Yield the states of groups of partitions that can be read directly, and of each block of others."""
        before: Partition | None = None
        for some in partition.open_several():
            found = reducer.run(some)
            if found is not None:
                yield found
                continue
            for one in some:
                if before is not None:
                    one.take_over(before)
                before = one
                yield from reducer.run_in_memory(one) if one.reads_files else self._by_blocks(one)

    def _by_blocks(self, partition: Partition | PartitionBatch) -> Iterator[list[State]]:
        """Yield the states of each block."""
        for block in partition.blocks():
            states = []
            if self.plain_calls:
                positions = block.unit_positions() if self.adds_floats else None
                states = _partials(self.plain_calls, block.evaluate(self.plain), block.mask, positions)
            if self.computed_calls:
                block.apply_mask()
                positions = block.unit_positions() if self.adds_floats else None
                states += _partials(self.computed_calls, block.evaluate(self.computed), None, positions)
            yield states

    def _reducer(self, partition: Partition | PartitionBatch) -> VectorizedPipeline | None:
        """Return the vectorized reduction, None if only the block interpreter works."""
        # An excluded partition has none of the selections that programs recall results of.
        if not partition.nrows:
            return None
        if partition.replicas:
            return self._new_reducer(partition)
        # The tasks of a pipeline share their end, and the selections before it.
        if self not in _reducers:
            _reducers[self] = self._new_reducer(partition)
        return _reducers[self]

    def _new_reducer(self, partition: Partition | PartitionBatch) -> VectorizedPipeline | None:
        try:
            reducer = VectorizedPipeline(partition.selections, partition.replicas)
            reducer.reduce(self.plain, [reduction.name for _, reduction in self.plain_calls])
            reducer.reduce(self.computed, [reduction.name for _, reduction in self.computed_calls])
        except NoInstructionError:
            return None
        return reducer


_reducers: WeakKeyDictionary[Reduce, VectorizedPipeline | None] = WeakKeyDictionary()


def _partials(
    calls: Sequence[tuple[int, ScalarReduction]],
    columns: Sequence[Column],
    mask: NumberArray | None,
    positions: UnitPositions | None,
) -> list[State]:
    return [reduction.partial(column, mask, positions) for (_, reduction), column in zip(calls, columns, strict=True)]


@record
class Count:
    """Count the rows."""

    leave_last_mask: bool = True

    @property
    def programs(self) -> Sequence[Program]:
        return ()

    def run(self, partition: Partition | PartitionBatch) -> int:
        rows = 0
        for block in partition.blocks():
            rows += block.nrows if block.mask is None else int(np.count_nonzero(block.mask))
        return rows


class ColumnBuffer:
    """Collects the results of a program over several blocks, in arrays of the expected size.

    Reserved memory costs nothing until it is written to.

    Parameters
    ----------
    program : Program
        The program to evaluate.
    expected : int
        Expected number of rows; repeated rows may be more.
    ncoded : int
        Number of leading columns whose strings are dictionary-encoded.
    """

    def __init__(self, program: Program, expected: int, ncoded: int = 0) -> None:
        from akdask.operators.keys.string_codes import StringEncoder

        self.nrows = 0
        self._program = program.with_encoded(ncoded)
        self._dtypes = program.dtypes
        self._arrays = {number: new_array(expected, t.numpy) for number, t in enumerate(program.dtypes) if t.is_number}
        self._strings = {
            number: StringEncoder(expected) if number < ncoded else StringsBuilder(expected)
            for number, t in enumerate(program.dtypes)
            if t.kind == "str"
        }
        self._parts: list[list[Column]] = [[] for _ in program.dtypes]

    def add(self, block: Block) -> list[Column]:
        """Append the rows of a block and return them; the next block reuses their memory."""
        stop = self.nrows + block.nrows
        self._arrays = {number: with_capacity(array, self.nrows, stop) for number, array in self._arrays.items()}
        targets = {number: array[self.nrows : stop] for number, array in self._arrays.items()}
        columns = block.evaluate(self._program, [targets.get(number) for number in range(len(self._dtypes))])
        for number, column in enumerate(columns):
            if number in targets:
                if not np.may_share_memory(targets[number], column):
                    targets[number][:] = column
            elif number in self._strings:
                self._strings[number].append(column)
            else:
                self._parts[number].append(column)
        self.nrows = stop
        return columns

    def add_all(self, partition: Partition | PartitionBatch) -> None:
        """Append all rows of a partition that are left."""
        vectorized = selection(partition, self._program)
        if vectorized is None:
            for block in partition.blocks():
                self.add(block)
            return
        for some in partition.open_several():
            if not vectorized.run_into(self, some):
                for block in blocks_in_turn(some):
                    self.add(block)

    def reserve(self, nrows: int) -> list[NumberArray]:
        """Reserve memory for at least so many more rows, and return its addresses; all columns must be numbers."""
        stop = self.nrows + nrows
        self._arrays = {number: with_capacity(array, self.nrows, stop) for number, array in self._arrays.items()}
        return [array[self.nrows :] for array in self._arrays.values()]

    def columns(self) -> list[Any]:
        """Return all rows as columns, or `EncodedStrings` for encoded columns."""
        return [
            self._arrays[number][: self.nrows]
            if number in self._arrays
            else self._strings[number].finish()
            if number in self._strings
            else concat_rows(parts)
            if parts
            else empty(dtype)
            for number, (parts, dtype) in enumerate(zip(self._parts, self._dtypes, strict=True))
        ]
