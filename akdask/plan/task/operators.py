"""What a partition task makes of its blocks: columns, partial reductions, a count, or the first or last rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from operator import itemgetter
from typing import Any, Protocol
from weakref import WeakKeyDictionary

import numpy as np

from akdask.columns import StringsBuilder, Table, concat_rows, empty, new_array
from akdask.kernels import compiled
from akdask.kernels.aggregates.registry import ScalarReduction, merge_states
from akdask.kernels.aggregates.specification import State
from akdask.kernels.core.summation import Places
from akdask.plan.task.blocks import Block, Partition, PartitionBatch
from akdask.plan.task.program import Program
from akdask.plan.task.vectorized import VectorizedReduction
from akdask.plan.vector.program import NoInstructionError
from akdask.schema import STR, ColumnType
from akdask.typing import Column, NumberArray


class Sink(Protocol):
    """The end of a pipeline; picklable, and the same for all partitions."""

    @property
    def leave_last_mask(self) -> bool: ...

    @property
    def programs(self) -> Sequence[Program]: ...

    def run(self, partition: Partition | PartitionBatch) -> Any: ...


@dataclass(frozen=True, slots=True)
class Collect:
    """Hold the results of a program in memory as a table.

    `limit`, where given, keeps that many rows: the first ones, or the last ones if it is negative.
    """

    names: tuple[Hashable, ...]
    program: Program
    limit: int | None = None
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> Table:
        if self.limit is None and isinstance(partition, Partition) and partition.keeps_all_rows:
            return self._fill(partition)
        pieces: list[Table] = []
        rows = 0
        for block in partition.blocks():
            piece = self._own(block)
            pieces.append(piece)
            rows += piece.nrows
            if self.limit is not None and 0 <= self.limit <= rows:
                break
            if self.limit is not None and self.limit < 0:
                rows -= _drop_before(pieces, rows + self.limit)
        return self._trim(Table.concat(pieces) if pieces else self._nothing())

    def _fill(self, partition: Partition) -> Table:
        """Evaluate straight into arrays of the final size, as nothing will be dropped."""
        whole = partition.whole_columns(self.program)
        if whole is not None:
            return Table(dict(zip(self.names, whole, strict=True)), partition.nrows)
        arrays = [new_array(partition.nrows if t.is_number else 0, t.numpy) for t in self.program.dtypes]
        builders = [None if t.is_number else _builder(t, partition.nrows) for t in self.program.dtypes]
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
        return Table(dict(zip(self.names, filled, strict=True)), partition.nrows)

    def _own(self, block: Block) -> Table:
        """Copy what lies in buffers that the next block will reuse."""
        results = block.evaluate(self.program)
        owned = [np.array(item) if isinstance(item, np.ndarray) else item for item in results]
        return Table(dict(zip(self.names, owned, strict=True)), block.nrows)

    def _nothing(self) -> Table:
        return Table({name: empty(t) for name, t in zip(self.names, self.program.dtypes, strict=True)}, 0)

    def _trim(self, table: Table) -> Table:
        if self.limit is None or table.nrows <= abs(self.limit):
            return table
        return table.slice(0, self.limit) if self.limit >= 0 else table.slice(table.nrows + self.limit, table.nrows)


class _Pieces:
    """Joins columns of any kind by holding them all; answers what `StringsBuilder` does."""

    def __init__(self, dtype: ColumnType) -> None:
        self._nothing = empty(dtype)
        self._pieces: list[Column] = []

    def append(self, piece: Column) -> None:
        self._pieces.append(piece)

    def finish(self) -> Column:
        return concat_rows(self._pieces) if self._pieces else self._nothing


def _builder(dtype: ColumnType, nrows: int) -> StringsBuilder | _Pieces:
    return StringsBuilder(nrows) if dtype == STR else _Pieces(dtype)


def _drop_before(pieces: list[Table], excess: int) -> int:
    """Drop leading pieces that lie wholly before the last rows wanted; return how many rows went."""
    dropped = 0
    while pieces and dropped + pieces[0].nrows <= excess:
        dropped += pieces.pop(0).nrows
    return dropped


@dataclass(frozen=True, slots=True, eq=False, weakref_slot=True)
class Reduce:
    """Reduce results block by block to one state each; None where no row was left.

    `plain` are columns as they are read, reduced under the mask of a final filter; `computed` are evaluated on the
    selected rows only.  Calls are (position among the states, reduction), one for each output.
    `adds_floats` tells that blocks have to be of whole units of `akdask.kernels.core.summation`.
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
        found = self._by_blocks(partition) if reducer is None else self._together(partition, reducer)
        states = reduce(partial(merge_states, reductions), found, [None] * len(reductions))
        return [state for _, state in sorted(zip(calls, states, strict=True), key=itemgetter(0))]

    def _together(self, partition: Partition | PartitionBatch, reducer: VectorizedReduction) -> Iterator[list[State]]:
        """Yield the states of several partitions at a time; of the blocks of those that cannot be read so."""
        for some in partition.together():
            found = reducer.run(some)
            if found is not None:
                yield found
            else:
                yield from chain.from_iterable(map(self._by_blocks, some))

    def _by_blocks(self, partition: Partition | PartitionBatch) -> Iterator[list[State]]:
        """Yield the states of each block."""
        for block in partition.blocks():
            states = []
            if self.plain_calls:
                places = block.places() if self.adds_floats else None
                states = _partials(self.plain_calls, block.evaluate(self.plain), block.mask, places)
            if self.computed_calls:
                block.apply_mask()
                places = block.places() if self.adds_floats else None
                states += _partials(self.computed_calls, block.evaluate(self.computed), None, places)
            yield states

    def _reducer(self, partition: Partition | PartitionBatch) -> VectorizedReduction | None:
        """Return what reduces whole partitions, None where there is nothing but a block at a time."""
        if not compiled.is_at_hand():
            return None
        if partition.replicas:
            return self._new_reducer(partition)
        # The tasks of a pipeline have their end in common, and what is before it.
        if self not in _reducers:
            _reducers[self] = self._new_reducer(partition)
        return _reducers[self]

    def _new_reducer(self, partition: Partition | PartitionBatch) -> VectorizedReduction | None:
        try:
            reducer = VectorizedReduction(partition.selections, partition.replicas)
            reducer.reduce(self.plain, [reduction.name for _, reduction in self.plain_calls])
            reducer.reduce(self.computed, [reduction.name for _, reduction in self.computed_calls])
        except NoInstructionError:
            return None
        return reducer


_reducers: WeakKeyDictionary[Reduce, VectorizedReduction | None] = WeakKeyDictionary()


def _partials(
    calls: Sequence[tuple[int, ScalarReduction]],
    columns: Sequence[Column],
    mask: NumberArray | None,
    places: Places | None,
) -> list[State]:
    return [reduction.partial(column, mask, places) for (_, reduction), column in zip(calls, columns, strict=True)]


@dataclass(frozen=True, slots=True)
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
