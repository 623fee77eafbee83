"""Blocks: a partition's row-wise chain is evaluated some hundred thousand rows at a time.

Columns are read into buffers that are reused from block to block, temporaries come from a small pool, and columns
that only the selected rows need are not read where a predicate leaves none.  A task therefore needs a few MiB
however large its partition is, and its working set stays in the core's cache.

The inputs of a partition are files, tables in memory and row positions. Small partitions are read as one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import reduce
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeGuard

import numpy as np

from akdask.caches import cached_attribute, cached_results
from akdask.columns.arrow import numpy_numbers
from akdask.columns.dtypes import BOOL, ColumnType
from akdask.columns.nullable import NullableColumn
from akdask.columns.summation import UNIT, UnitPositions
from akdask.columns.table import (
    Table,
    concat_text,
    decoded,
    empty,
    is_encoded,
    is_scalar,
    own_rows,
    read_only,
    slice_rows,
    spread,
    take_rows,
)
from akdask.deferred import pa
from akdask.engine import tuning
from akdask.engine.operations import OPERATIONS
from akdask.engine.sources import RowPruning, leaves_few, near_rows, stretches_left, windows
from akdask.engine.values import (
    Apply,
    BroadcastInput,
    ColumnKey,
    ConstantRows,
    ExpandMatches,
    Load,
    Mask,
    Program,
    Range,
    Recall,
    Selection,
)
from akdask.errors import InconsistentFilesError
from akdask.records import record
from akdask.storage.remote import can_read_ahead
from akdask.storage.source import (
    IN_MEMORY,
    ConsecutiveParts,
    Part,
    PartReader,
    RowBounds,
    RowRanges,
    Stretch,
    opens_early,
    stretch_of,
)
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.engine.vector_program import CompiledPredicate
    from akdask.operators.join.key_tables import MatchMultiplicity


@record
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

    def read_rows(self, column: Any, rows: NumberArray, out: NumberArray | None = None) -> Any:
        return None

    def stretches(self, column: Any) -> Sequence[Stretch] | None: ...

    def row_bounds(self, column: Any, within: RowRanges) -> RowBounds | None: ...


class TableReader(Reader):
    """Reads columns of a table in memory."""

    def __init__(self, table: Table) -> None:
        self._columns = table.columns

    def read(self, column: Hashable, start: int, stop: int, out: NumberArray | None = None) -> Column:
        return slice_rows(self._columns[column], start, stop)

    def read_rows(self, column: Hashable, rows: NumberArray, out: NumberArray | None = None) -> Column:
        return take_rows(self._columns[column], rows, out)

    def stretches(self, column: Hashable) -> list[Stretch] | None:
        found = self._columns[column]
        if not isinstance(found, np.ndarray) or not found.flags.c_contiguous:
            return None
        return [stretch_of(found)]

    def row_bounds(self, column: Hashable, within: RowRanges) -> None:
        return None


class TablePartReader(TableReader, PartReader):
    """Reads columns of a table that is one of several parts."""

    def __exit__(self, *_: object) -> None:
        """Leave the table in memory."""


@record
class TablePart:
    """The rows of a table in memory as one part of several; implements `akdask.storage.source.Part`."""

    table: Table

    @property
    def nrows(self) -> int:
        return self.table.nrows

    def open(self) -> TablePartReader:
        return TablePartReader(self.table)


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


Given: TypeAlias = tuple[tuple[Selection, ...], Sequence[Input]]
"""The selections and inputs of one partition."""


def coalesce_partitions(members: Sequence[Given], block_rows: int) -> Iterator[Given]:
    """Yield the partitions of a batch in order; neighbours with the same selections that fit a block become one."""
    some: list[Given] = []
    nrows = 0
    for member in members:
        more = member[1][0].nrows
        if some and (
            len(some) == tuning.MOST_OPEN_FILES or nrows + more > block_rows or not _are_read_alike(some[0], member)
        ):
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
    return take_rows(column, rows, out)


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
    few = tuning.FEW_BLOCK_ROWS if block_rows % UNIT == 0 else tuning.FEW_BLOCK_ROWS - 1
    return nrows, block_rows if nrows > few else max(block_rows, few)


class Partition:
    """One partition of a pipeline: its inputs, buffers, and the blocks of rows that the selections leave.

    Parameters
    ----------
    inputs : sequence of Part, RowPositions or Table
        Sources of the columns, with equal numbers of rows.
    replicas : sequence
        Replicated results that programs refer to, each indexed by field.
    selections : sequence of Mask, ExpandMatches or Range
        Applied to each block in order.
    block_rows : int
        Rows read at a time.
    leave_last_mask : bool
        Hand the mask of a final `Mask` to the consumer as ``block.mask`` instead of applying it: a reduction of a
        plain column is faster under a mask than after copying the selected rows.
    ends_early : bool
        Whether the consumer stops after some rows, so that further ones are not read before.
    identity : tuple of hashable
        Tells the rows from other partitions with the same columns.
    """

    def __init__(
        self,
        inputs: Sequence[Input],
        replicas: Sequence[Any],
        selections: Sequence[Selection],
        block_rows: int,
        leave_last_mask: bool = False,
        *,
        ends_early: bool = False,
        identity: tuple[Hashable, ...] = (),
    ) -> None:
        self.identity, self.replicas = identity, replicas
        self.inputs = inputs
        self.selections = selections
        self.nrows, self._block_rows = nrows, block_rows = sizes_of(inputs, block_rows)
        self._leave = len(selections) - 1 if leave_last_mask and selections else None
        self._joins_blocks = not ends_early
        # Repeated rows may be more than the rows of the inputs.
        repeats = any(isinstance(selection, ExpandMatches) for selection in selections)
        self._buffer_rows = block_rows if repeats else min(block_rows, nrows)
        self._stack = ExitStack()
        self._readers: list[Reader] = []
        self._reading: dict[ColumnKey, NumberArray] = {}
        self._free: dict[ColumnType, list[NumberArray]] = {}
        self._lent: list[tuple[ColumnType, NumberArray]] = []
        self._of_distinct: dict[int, tuple[Apply, Any, Column]] = {}
        self._compiled: dict[int, CompiledPredicate | None] = {}
        self._in_memory: dict[Load, Stretch | None] = {}

    def __enter__(self) -> Self:
        self._readers = [self._open(item) for item in self.inputs]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _open(self, item: Input) -> Reader:
        match item:
            case Table():
                return TableReader(item)
            case RowPositions():
                return PositionReader(item)
            case _:
                return self._stack.enter_context(item.open())

    @property
    def opens_early(self) -> bool:
        """Whether opening the partition begins to fetch its bytes; see `opens_early` of parts."""
        return any(not isinstance(item, Table | RowPositions) and opens_early(item) for item in self.inputs)

    def each(self) -> Iterator[Partition]:
        """Yield this partition alone."""
        yield self

    def open_several(self) -> Iterator[list[Partition]]:
        """Yield this partition alone."""
        yield [self]

    @property
    def keeps_all_rows(self) -> bool:
        """Whether every row of the inputs is left."""
        return not self.selections

    @property
    def keeps_row_numbers(self) -> bool:
        """Whether the rows that are left can be read again by their numbers."""
        return all(isinstance(selection, Mask) for selection in self.selections)

    def blocks_of(self, rows: NumberArray) -> Iterator[Block]:
        """Yield blocks of the rows with some ascending numbers, as `numbers_of` returns them."""
        for start, stop in near_rows(rows, self._block_rows):
            block = Block(self, int(rows[start]), int(rows[stop - 1]) + 1)
            block.select_rows(rows[start:stop] - rows[start], stop - start)
            yield from self._selected(block, 0, _SelectionProgress(len(self.selections), joins_blocks=False))
            self._give_back(0)

    def unfiltered_columns(self, program: Program, out: Sequence[NumberArray] | None = None) -> list[Column] | None:
        """Return the results of a program that only passes on columns, None for any other program or some of the rows.

        `out`, if given, has arrays for the numbers.
        """
        if not self.keeps_all_rows:
            return None
        columns = []
        for position, register in enumerate(program.outputs):
            step = program.steps[register]
            if not isinstance(step, Load):
                return None
            if not self.nrows:
                columns.append(empty(step.dtype))  # an excluded partition has no columns
                continue
            target = out[position][: self.nrows] if out is not None and step.dtype.is_number else None
            column = self._readers[step.base].read(step.column, 0, self.nrows, target)
            if target is not None and column is not target:
                target[:] = column
            columns.append(read_only(column) if isinstance(self.inputs[step.base], Table) else column)
        return columns

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks that have rows left after the selections; each is valid until the next."""
        progress = _SelectionProgress(len(self.selections), self._joins_blocks)
        first, last = 0, self.nrows
        if self.selections and isinstance(self.selections[0], Range):
            # Rows outside a leading range need not be read.
            first, last = min(self.selections[0].start, last), min(self.selections[0].stop, last)
        for start, stop in windows(self._left, first, last, self._block_rows):
            progress.seen[:1] = [start]
            yield from self._selected(Block(self, start, stop), 0, progress)
            self._give_back(0)
        for number in range(len(self.selections)):
            yield from self._joined(number, progress)
            self._give_back(0)

    @cached_attribute
    def _left(self) -> RowRanges | None:
        """The rows that the first selections may leave, None for all."""
        return RowPruning(self.selections).ranges(self.nrows, self.replicas, self._row_bounds)

    def _row_bounds(self, load: Load, within: RowRanges) -> RowBounds | None:
        return self._readers[load.base].row_bounds(load.column, within)

    def _selected(self, block: Block, first: int, progress: _SelectionProgress) -> Iterator[Block]:
        """Apply the selections from number `first` on to a block; yields several blocks where rows are repeated.

        Blocks of which a selection leaves few rows wait until they are one block, whose cost is that of each.
        """
        for number, selection in enumerate(self.selections[first:], first):
            if not block.nrows:
                return
            if isinstance(selection, ExpandMatches):
                for part in self._expanded(block, selection):
                    lent = len(self._lent)
                    yield from self._passed_on(part, number, progress)
                    self._give_back(lent)
                return
            rows = block.nrows
            self._select(block, number, selection, progress.seen[number])
            progress.seen[number] += rows
            if isinstance(selection, Mask) and number != self._leave and progress.joins_blocks:
                yield from self._passed_on(block, number, progress)
                return
        if block.nrows:
            yield block

    def _passed_on(self, block: Block, number: int, progress: _SelectionProgress) -> Iterator[Block]:
        """Hand a block that selection `number` has left on to the next ones, or let it wait if it has few rows.

        Which are put together is told by the rows alone that are left: floats of repeated rows are summed by block.
        """
        if progress.joins_blocks and block.nrows:
            waiting = progress.waiting[number]
            is_sparse = tuning.JOINED_BLOCK_SHARE * block.nrows <= self._block_rows
            if not is_sparse or progress.nwaiting[number] + block.nrows > self._block_rows:
                lent = len(self._lent)
                yield from self._joined(number, progress)
                self._give_back(lent)
            if is_sparse:
                # The next block reuses the memory.
                block.own()
                waiting.append(block)
                progress.nwaiting[number] += block.nrows
                return
        yield from self._selected(block, number + 1, progress)

    def _joined(self, number: int, progress: _SelectionProgress) -> Iterator[Block]:
        """Hand on the blocks that wait after selection `number`, as one block."""
        waiting = progress.waiting[number]
        if waiting:
            block = Block.joined(waiting)
            waiting.clear()
            progress.nwaiting[number] = 0
            yield from self._selected(block, number + 1, progress)

    def _expanded(self, block: Block, selection: ExpandMatches) -> Iterator[Block]:
        (found,) = block.evaluate(selection.predicate)
        multiplicity: MatchMultiplicity = self.replicas[selection.multiplicity.position][selection.multiplicity.field]
        for positions, rows in multiplicity.pairs(np.ascontiguousarray(found), selection.keep_all, self._block_rows):
            yield block.expanded(positions, selection.column, rows)

    def _give_back(self, first: int) -> None:
        """Take back the buffers lent from number `first` on."""
        for dtype, buffer in self._lent[first:]:
            self.give_buffer(dtype, buffer)
        del self._lent[first:]

    def _select(self, block: Block, number: int, selection: Mask | Range, seen: int) -> None:
        if isinstance(selection, Range):
            offset = selection.start - seen
            start = max(offset, offset % selection.step)
            stop = min(selection.stop - seen, block.nrows)
            block.select_rows(slice(start, max(stop, start), selection.step), len(range(start, stop, selection.step)))
            return
        lent = len(self._lent)
        mask = self._evaluated(block, selection)
        if mask is None:
            (mask,) = block.evaluate(selection.predicate)
        count = int(np.count_nonzero(mask))
        if number == self._leave and count:
            block.mask = None if count == block.nrows else mask
        elif count < block.nrows:
            block.select_rows(np.flatnonzero(mask), count)
            # The rows that are left have been copied.
            self._give_back(lent)

    def _evaluated(self, block: Block, selection: Mask) -> NumberArray | None:
        """Return where a predicate of numbers holds in a block of all rows, by compiled loops; None for others."""
        if block.nrows < tuning.COMPILED_ROWS or not block.is_as_read:
            return None
        key = id(selection)
        if key not in self._compiled:
            from akdask.engine.vector_program import compiled_predicate  # which small queries do not load

            self._compiled[key] = compiled_predicate(selection.predicate, self.replicas)
        compiled = self._compiled[key]
        if compiled is None:
            return None
        buffer = self.take_buffer(BOOL)
        self.lend(BOOL, buffer)
        return compiled.evaluate(buffer[: block.nrows], [self._stretch(block, load) for load in compiled.columns])

    def _stretch(self, block: Block, load: Load) -> Stretch:
        """Return the rows of a block in memory, where the input has them or after reading them."""
        if load not in self._in_memory:
            first, *others = self._readers[load.base].stretches(load.column) or (None,)
            self._in_memory[load] = None if first is None or others or first.descriptor != IN_MEMORY else first
        column = self._in_memory[load]
        if column is not None:
            return column.slice(*block.rows, load.dtype.itemsize)
        return stretch_of(np.ascontiguousarray(block.load(load)))

    def read(self, load: Load, start: int, stop: int, out: NumberArray | None) -> Any:
        """Read rows of a column, text maybe encoded; numbers into `out`, or the buffer of earlier blocks."""
        if load.dtype.kind == "str":
            return self._readers[load.base].read_text(load.column, start, stop)
        if not load.dtype.is_number:
            out = None
        elif out is None:
            buffer = self._reading.get((load.base, load.column))
            if buffer is None or len(buffer) < stop - start:
                rows = max(min(self._block_rows, self.nrows), stop - start)
                buffer = self._reading[load.base, load.column] = np.empty(rows, load.dtype.numpy)
            out = buffer[: stop - start]
        return self._readers[load.base].read(load.column, start, stop, out)

    def read_rows(self, load: Load, rows: NumberArray, out: NumberArray | None) -> Any:
        """Read the rows of a column at ascending positions, at least one, text maybe encoded; numbers into `out`."""
        out = out if load.dtype.is_number else None
        found = self._readers[load.base].read_rows(load.column, rows, out)
        if found is not None:
            return found
        parts = []
        # What other blocks have read of the column stays in its buffer.
        buffer = self.take_buffer(load.dtype) if load.dtype.is_number else None
        for first, last in near_rows(rows, self._block_rows):
            start, stop = int(rows[first]), int(rows[last - 1]) + 1
            target = None if out is None else out[first:last]
            read = self.read(load, start, stop, None if buffer is None else buffer[: stop - start])
            parts.append(take_rows(read, rows[first:last] - start, target))
        if buffer is not None:
            self.give_buffer(load.dtype, buffer)
        return concat_text(parts) if out is None else out[: len(rows)]

    def stretches(self, loads: Iterable[Load]) -> list[Sequence[Stretch]] | None:
        """Return the positions in open files of the rows that may be left, for each column from the start of a unit.

        None if a column can only be read by `read`, or if so few rows may be left that `read` looks at fewer pages.
        """
        found = []
        for load in [] if leaves_few(self._left, self.nrows) else loads:
            column = self._readers[load.base].stretches(load.column)
            if column is None:
                return None
            found.append(stretches_left(column, self._left, load.dtype.itemsize))
        return found or None

    @property
    def reads_files(self) -> bool:
        """Whether all columns of a block are read from files to buffers, with rows as adjacent as in the files."""
        in_memory = (Table, RowPositions, ConsecutiveParts)
        return not any(isinstance(item, in_memory) for item in self.inputs)

    def extents(self, nblocks: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of the rows that may be left, each as long as `nblocks` blocks and from the start of a unit."""
        for start, stop in windows(self._left, 0, self.nrows, nblocks * self._block_rows):
            yield start - (0 if self._block_rows % UNIT else start % UNIT), stop

    def unit_positions(self, start: int, stop: int) -> UnitPositions | None:
        """Return the positions of the rows of a block in the units of summation, None if they are adjacent."""
        several = next(filter(is_several, self.inputs), None)
        if several is not None:
            # All parts are one block, and each part begins a unit.
            sizes = np.array([part.nrows for part in several.parts])
            extents = -(-sizes // UNIT) * UNIT
            shifts = np.cumsum(extents) - extents - (np.cumsum(sizes) - sizes)
            return UnitPositions(np.arange(start, stop) + np.repeat(shifts, sizes)[start:stop], int(extents.sum()))
        if start % UNIT == 0:
            return None
        return UnitPositions(np.arange(start % UNIT, start % UNIT + stop - start), start % UNIT + stop - start)

    def of_distinct(self, step: Apply, text: Any, others: Sequence[Any], place: int) -> Column | None:
        """Return the results of an operation for the strings of a dictionary, None if they are too many.

        Parameters
        ----------
        step : Apply
        text : pyarrow.DictionaryArray
            The argument at `place`; blocks share its dictionary, which is asked once.
        others : sequence of scalars
            The other arguments.
        place : int
        """
        dictionary = text.dictionary
        known = self._of_distinct.get(id(step))
        if known is None or known[1].buffers()[1].address != dictionary.buffers()[1].address:
            if len(dictionary) > tuning.DISTINCT_FOR_ROW * len(text):
                return None
            found = OPERATIONS[step.operation].evaluate(*others[:place], dictionary, *others[place:], **step.params)
            # The step and the dictionary are kept, so that nothing else takes their place in memory.
            known = self._of_distinct[id(step)] = step, dictionary, found
        return known[2]

    def take_buffer(self, dtype: ColumnType) -> NumberArray:
        """Return a buffer of one block's rows for a temporary."""
        free = self._free.get(dtype)
        return free.pop() if free else np.empty(self._buffer_rows, dtype.numpy)

    def give_buffer(self, dtype: ColumnType, buffer: NumberArray) -> None:
        """Take back a buffer that is not read any more."""
        self._free.setdefault(dtype, []).append(buffer)

    def take_over(self, other: Partition) -> None:
        """Take over the buffers of a finished partition: new memory would have to be zeroed."""
        read = min(self._block_rows, self.nrows)
        self._compiled = other._compiled
        self._reading = {column: buffer for column, buffer in other._reading.items() if len(buffer) >= read}
        for dtype, buffers in other._free.items():
            self._free[dtype] = [buffer for buffer in buffers if len(buffer) >= self._buffer_rows]

    def lend(self, dtype: ColumnType, buffer: NumberArray) -> None:
        """Keep a buffer with a result until the next block."""
        self._lent.append((dtype, buffer))


def _at_positions(found: NumberArray, positions: NumberArray, out: NumberArray | None) -> NumberArray:
    """Return results for the strings of a dictionary at positions in it.

    Where a truth holds for one string, or for all but one, comparing positions takes a tenth of looking truths up.
    """
    if found.dtype == np.bool_ and len(found):
        holds = np.count_nonzero(found)
        if holds == 1:
            return np.equal(positions, positions.dtype.type(found.argmax()), out=out)
        if holds == len(found) - 1:
            return np.not_equal(positions, positions.dtype.type(found.argmin()), out=out)
    taken: NumberArray = take_rows(found, positions, out)
    return taken


class _SelectionProgress:
    """For each selection of a partition, the rows that it has seen so far, and the blocks that wait after it."""

    def __init__(self, nselections: int, joins_blocks: bool) -> None:
        self.joins_blocks = joins_blocks
        self.seen = [0] * nselections
        self.waiting: list[list[Block]] = [[] for _ in range(nselections)]
        self.nwaiting = [0] * nselections


def _owned(column: Any) -> Any:
    """Return a copy of numbers, which are read into buffers; text never is."""
    return own_rows(column) if isinstance(column, np.ndarray | NullableColumn) else column


class PartitionBatch:
    """The partitions of a task, read one after the other; each is open only while it is read.

    Remote partitions are opened ahead, as long as there is room to hold their bytes.
    """

    def __init__(self, partitions: Sequence[Partition], identity: tuple[Hashable, ...] = ()) -> None:
        self.partitions = partitions
        self.identity = identity
        self.replicas = partitions[0].replicas
        self.selections = partitions[0].selections
        self.nrows = sum(partition.nrows for partition in partitions)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Abandoned partitions are closed too: closing tells whether their files were replaced.
        self._stack.__exit__(kind, error, trace)

    def each(self) -> Iterator[Partition]:
        """Yield each partition while it is open."""
        before = None
        for (partition,) in self._in_turn(1):
            if before is not None:
                partition.take_over(before)
            yield partition
            before = partition

    def open_several(self) -> Iterator[list[Partition]]:
        """Yield the partitions in groups; a group is open until the next one."""
        return self._in_turn(tuning.OPEN_PARTITIONS)

    def _in_turn(self, count: int) -> Iterator[list[Partition]]:
        opened: deque[ExitStack] = deque()
        for first in range(0, len(self.partitions), count):
            group = list(self.partitions[first : first + count])
            for partition in group[len(opened) :]:
                opened.append(self._opened(partition))
            for later in self.partitions[first + len(opened) : first + tuning.OPEN_AHEAD]:
                if not later.opens_early or not can_read_ahead():
                    break
                opened.append(self._opened(later))
            yield group
            for _ in group:
                opened.popleft().close()

    def _opened(self, partition: Partition) -> ExitStack:
        """Open a partition; it is closed with the batch, or before."""
        found = self._stack.enter_context(ExitStack())
        found.enter_context(partition)
        return found

    def blocks(self) -> Iterator[Block]:
        """Yield the blocks of all partitions that have rows left after the selections."""
        for partition in self.each():
            yield from partition.blocks()


class Block:
    """Some rows of a partition, after selections."""

    __slots__ = (
        "_columns",
        "_extent",
        "_handed_on",
        "_is_repeated",
        "_left",
        "_nexpanded",
        "_origin",
        "_selections",
        "_start",
        "_stop",
        "mask",
        "nrows",
        "partition",
    )

    def __init__(self, partition: Partition, start: int, stop: int) -> None:
        self.partition = partition
        self.nrows = stop - start
        self.mask: NumberArray | None = None
        self._origin: Block | None = None
        self._start, self._stop = start, stop
        self._selections: list[NumberArray | slice] = []
        self._nexpanded, self._extent, self._is_repeated = 0, self.nrows, False
        self._left: tuple[int, NumberArray | None] | None = None
        # Each column with the number of selections applied to it; a column that is not read again goes through no more.
        self._columns: dict[ColumnKey, tuple[Column, int]] = {}
        self._handed_on: dict[int, Column] = {}

    @property
    def is_as_read(self) -> bool:
        """Whether no row has been dropped or repeated, and no earlier program has handed on results."""
        return not self._selections and self._origin is None and not self._handed_on

    @property
    def rows(self) -> tuple[int, int]:
        """The range of the partition's rows that a block of all rows has."""
        return self._start, self._stop

    def load(self, load: Load, out: NumberArray | None = None) -> Column:
        """Return a column's rows, read at most once for each block; text may be encoded."""
        column, selected = self._columns.get(name := (load.base, load.column), (None, 0))
        if column is None:
            left = self._rows_to_read(name)
            if left is not None:
                column, selected = self._read_rows(load, left, out), len(self._selections)
            elif self._origin is not None:
                column = self._origin.load(load)
            else:
                column = self.partition.read(load, self._start, self._stop, None if self._selections else out)
        for number, rows in enumerate(self._selections[selected:], selected + 1):
            column = selected_rows(column, rows, out if number == len(self._selections) else None)
        self._columns[name] = column, len(self._selections)
        return column

    def _rows_to_read(self, name: ColumnKey) -> NumberArray | None:
        """Return the rows that are left, if a column is to be read of these alone, which may be there of more rows."""
        origin = self._origin
        if origin is None:
            return self._rows_left() if self._selections and self.nrows else None
        if not 0 < tuning.FEW_PAIRED * self.nrows <= origin.nrows:
            return None
        while origin is not None:
            if name in origin._columns:
                return None
            origin = origin._origin
        return self._rows_left()

    def _rows_left(self) -> NumberArray | None:
        """Return the positions in the partition of the rows that are left; None for all, or if they do not ascend."""
        if self._left is None or self._left[0] != len(self._selections):
            rows, start = None, self._start
            if self._origin is not None and not self._origin._has_all_rows:
                rows, start = self._origin._rows_left(), 0
                if rows is None:
                    return None
            for selected in self._selections:
                if (
                    isinstance(selected, slice)
                    and selected.step not in (None, 1)
                    and (rows is None or selected.step < 0)
                ):
                    return None
                if rows is None:
                    rows = np.arange(selected.start, selected.stop) if isinstance(selected, slice) else selected
                else:
                    rows = np.ascontiguousarray(rows[selected])
            self._left = len(self._selections), None if rows is None else rows + start
        return self._left[1]

    @property
    def _has_all_rows(self) -> bool:
        return not self._selections and (self._origin is None or self._origin._has_all_rows)

    def _read_rows(self, load: Load, rows: NumberArray, out: NumberArray | None) -> Any:
        """Read the rows of a column at ascending positions, which pairs with other rows may repeat."""
        if self._is_repeated:
            is_first = np.append(True, rows[1:] != rows[:-1])
            if not is_first.all():
                return take_rows(self.partition.read_rows(load, rows[is_first], None), np.cumsum(is_first) - 1, out)
        return self.partition.read_rows(load, rows, out)

    def recall(self, slot: int) -> Column:
        """Return a result handed on by an earlier program."""
        column = self._handed_on.get(slot)
        if column is None:
            assert self._origin is not None, "an earlier program has computed it"
            column = self._origin.recall(slot)
            for rows in self._selections:
                column = selected_rows(column, rows)
            self._handed_on[slot] = column
        return column

    def select_rows(self, rows: NumberArray | slice, count: int) -> None:
        """Drop all rows but those at the given positions or in a slice."""
        self._handed_on = {slot: selected_rows(column, rows) for slot, column in self._handed_on.items()}
        self._selections.append(rows)
        self.nrows = count

    def expanded(self, positions: NumberArray | None, column: Load, rows: NumberArray) -> Block:
        """Return the rows at the given positions (None for all), each paired with a row of some table."""
        block = Block(self.partition, self._start, self._stop)
        block.nrows = len(rows)
        block._origin, block._is_repeated = self, True
        block._selections = [] if positions is None else [positions]
        block._nexpanded, block._extent = len(block._selections), block.nrows
        block._columns[column.base, column.column] = rows, len(block._selections)
        return block

    def own(self) -> None:
        """Copy all results, and of columns the rows that are left, out of memory that the next block reuses."""
        count = len(self._selections)
        lineage = [*self._lineage()]
        names = dict.fromkeys(name for block in lineage for name in block._columns)
        slots = dict.fromkeys(slot for block in lineage for slot in block._handed_on)
        self._columns = {name: (_owned(self._known(name)), count) for name in names}
        self._handed_on = {slot: _owned(self.recall(slot)) for slot in slots}

    def _lineage(self) -> Iterator[Block]:
        """Yield this block and those whose rows it repeats."""
        block: Block | None = self
        while block is not None:
            yield block
            block = block._origin

    def _known(self, name: ColumnKey) -> Column:
        """Return the rows that are left of a column that has been read."""
        column, selected = self._columns.get(name, (None, 0))
        if column is None:
            assert self._origin is not None, "an origin has the column"
            column = self._origin._known(name)
        return reduce(selected_rows, self._selections[selected:], column)

    @staticmethod
    def joined(blocks: Sequence[Block]) -> Block:
        """Return the rows that are left of ascending blocks, which own them, as one block."""
        first, last = blocks[0], blocks[-1]
        found = Block(first.partition, first._start, last._stop)
        rows = np.concatenate([block.numbers_of(np.arange(block.nrows)) for block in blocks])
        found.select_rows(rows - first._start, len(rows))
        if first._is_repeated:
            found._nexpanded, found._extent, found._is_repeated = 1, len(rows), True
        # What only some have is not needed any more, or was read for earlier rows of an origin.
        for name in first._columns:
            if all(name in block._columns for block in blocks):
                found._columns[name] = concat_text([block._columns[name][0] for block in blocks]), 1
        for slot in first._handed_on:
            if all(slot in block._handed_on for block in blocks):
                found._handed_on[slot] = concat_text([block._handed_on[slot] for block in blocks])
        return found

    def apply_mask(self) -> None:
        """Apply the mask that was left to the consumer."""
        if self.mask is not None:
            rows = np.flatnonzero(self.mask)
            self.select_rows(rows, len(rows))
            self.mask = None

    def numbers_of(self, positions: NumberArray) -> NumberArray:
        """Return the partition's row numbers for some positions of a block."""
        for rows in reversed(self._selections):
            positions = rows.start + positions * rows.step if isinstance(rows, slice) else rows[positions]
        return positions + self._start if self._origin is None else self._origin.numbers_of(positions)

    def unit_positions(self) -> UnitPositions | None:
        """Return the positions of the rows in the units of `akdask.columns.summation`; None if they are adjacent.

        Repeated rows are counted from the start of their block, others from the start of their partition.
        """
        selections = self._selections[self._nexpanded :]
        given = None if self._is_repeated else self.partition.unit_positions(self._start, self._stop)
        if given is None and not selections:
            return None
        positions, extent = given or (None, self._extent)
        for rows in selections:
            if positions is not None:
                positions = selected_rows(positions, rows)
            else:
                positions = rows if isinstance(rows, np.ndarray) else np.arange(self._extent)[rows]
        return UnitPositions(np.asarray(positions), extent)

    def evaluate(self, program: Program, out: Sequence[NumberArray | None] | None = None) -> list[Column]:
        """Run a program on the rows.

        `out` may name arrays for the results, or None; results that could not be computed in place are returned in
        other arrays. The results are valid until the next block.
        """
        partition = self.partition
        targets = dict(zip(program.outputs, out, strict=True)) if out is not None else {}
        registers: list[Any] = [None] * len(program.steps)
        buffers: dict[int | None, tuple[ColumnType, NumberArray]] = {}
        # Each step writes one register.  Numbers are computed into buffers of the partition, or over an argument that
        # is not read again; buffers go back as soon as the program releases them.
        for register, step in enumerate(program.steps):
            match step:
                case Load():
                    registers[register] = self.load(step, targets.get(register))
                case ConstantRows():
                    registers[register] = step.value if step.rows is None else spread(step.value, step.rows, self.nrows)
                case BroadcastInput():
                    registers[register] = partition.replicas[step.position][step.field]
                case Recall():
                    registers[register] = self.recall(step.slot)
                case Apply():
                    target = targets.get(register)
                    if target is None and step.dtype.is_number:
                        lent = buffers.pop(step.reuse, None)
                        buffer = partition.take_buffer(step.dtype) if lent is None else lent[1]
                        buffers[register] = step.dtype, buffer
                        target = buffer[: self.nrows]
                    registers[register] = self._apply(step, registers, target)
                    for arg in step.release:
                        if arg in buffers:
                            partition.give_buffer(*buffers.pop(arg))
        # Results for later programs stay in their slots.
        for slot in program.forgets:
            self._handed_on.pop(slot, None)
        for register, slot in program.hands_on:
            self._handed_on[slot] = registers[register]
        # The remaining buffers hold results, which are valid until the next block.
        for lent in buffers.values():
            partition.lend(*lent)
        results = [
            spread(registers[register], dtype, self.nrows)
            for register, dtype in zip(program.outputs, program.dtypes, strict=True)
        ]
        return [
            column if register in program.encoded else decoded(column)
            for register, column in zip(program.outputs, results, strict=True)
        ]

    def _apply(self, step: Apply, registers: list[Any], out: NumberArray | None) -> Any:
        """Return the result of an operation; of text in a dictionary, it is that of each string of the dictionary."""
        operation = OPERATIONS[step.operation]
        args = [registers[arg] for arg in step.args]
        encoded = [place for place, arg in enumerate(args) if not isinstance(arg, np.ndarray) and is_encoded(arg)]
        if len(encoded) == 1 and operation.of_distinct and (step.dtype.is_number or step.dtype.kind == "str"):
            (place,) = encoded
            others = args[:place] + args[place + 1 :]
            found = (
                self.partition.of_distinct(step, args[place], others, place) if all(map(is_scalar, others)) else None
            )
            if found is not None:
                if step.dtype.is_number:
                    return _at_positions(found, numpy_numbers(args[place].indices), out)
                return pa.DictionaryArray.from_arrays(args[place].indices, found, safe=False)
        for place in encoded:
            # Other operations may need the same strings.
            args[place] = registers[step.args[place]] = decoded(args[place])
        return operation.evaluate(*args, out=out, **step.params)
