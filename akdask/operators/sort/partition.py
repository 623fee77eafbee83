"""Range partitioning for sorts: splits rows at the splitters, and into ranges within the new partitions.

Splitters are keys that cut sorted rows into partitions, chosen from samples of the old partitions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, reduce
from itertools import accumulate, chain, pairwise
from typing import Any, TypeAlias

import numpy as np

from akdask._dask import Expr
from akdask.cluster import memory_share
from akdask.columns.memory import new_array, with_capacity
from akdask.columns.table import Table, concat_rows, empty, slice_rows, take_rows
from akdask.engine.blocks import Partition, PartitionBatch, RowPositions
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.pipeline import Compile, partition_batches, pipeline
from akdask.engine.rowwise import Tasks
from akdask.engine.sinks import ColumnBuffer, Sink
from akdask.engine.slices import CutTable, CutTables, Slices, spilled
from akdask.engine.values import BroadcastInput, Load, Program, Value, describe
from akdask.operators.group.grouping import RadixSlices
from akdask.operators.keys.keys import (
    WORD_BITS,
    Key,
    Words,
    combine,
    row_bits,
    sort_words,
    span,
    with_words,
    word,
    word_count,
)
from akdask.operators.keys.string_codes import StringLayout, layout_of
from akdask.operators.sort import tuning
from akdask.operators.sort.kernels import argsort, split_sorted
from akdask.operators.sort.ranges import (
    ROW,
    By,
    FineRanges,
    PackedKeys,
    RangedRows,
    RangePartitioner,
    TextCodes,
    TextRanges,
    ValueRanges,
    join_runs,
)
from akdask.records import record
from akdask.typing import Column, NumberArray

Span: TypeAlias = tuple[int, int] | None
"""The smallest and the largest word of a key column."""

KEYS, NUMBERS, TEXT = "keys", "numbers", "text"
"""Kinds of sorts: rows by keys; one column of numbers alone; one column of text, or its row numbers."""


SPREAD = 40503
"""An odd number that spreads the sampled rows over their strides."""


@record
class PartitionSample:
    """The sample of one partition.

    Parameters
    ----------
    nrows : int
        Number of rows of the partition.
    spans : tuple
        For each key column, its smallest and largest word; None for values of several words, or without rows.
    words : tuple of int
        For each key column, the number of words of its values.
    samples : tuple of columns
        Sampled rows of the key columns.
    positions : ndarray of int64
        Their positions in the partition.
    layout : StringLayout, optional
        The layout of all rows of a text column; None if they are too long, or there are none.
    """

    nrows: int
    spans: tuple[Span, ...]
    words: tuple[int, ...]
    samples: tuple[Column, ...]
    positions: NumberArray
    layout: StringLayout | None


@record
class Splitters:
    """The bounds between ranges of sorted rows: the new partitions, each of several ranges.

    Ranges are small enough to be sorted within the cache of the core, which is several times faster than in memory.

    Parameters
    ----------
    columns : tuple of columns
        Ascending values of the key columns. Rows from the first splitter on belong to the second range, and so on.
    rows : ndarray of int64
        Row numbers of the splitters, to divide rows with equal keys; 0 if these stay in one partition.
    spans : tuple of (int, int), optional
        Smallest and largest word of each key column; None if one has values of several words.
    words : tuple of int
        Number of words of each key column.
    nrows : int
        Number of rows of all partitions.
    within : int
        Ranges of a partition.
    ascending : tuple of bool
        Direction of each key column.
    alike : bool
        Whether some sampled keys share the leading bits that fit in a word beside a row number.
    layout : StringLayout, optional
        The layout of all rows of the only column, if it is text; None if it is not needed, or some are too long.
    """

    columns: tuple[Column, ...]
    rows: NumberArray
    spans: tuple[tuple[int, int], ...] | None
    words: tuple[int, ...]
    nrows: int
    within: int
    ascending: tuple[bool, ...]
    alike: bool
    layout: StringLayout | None

    def coarser(self) -> Splitters:
        """Return the splitters of coarse ranges."""
        some = slice(tuning.COARSER - 1, None, tuning.COARSER)
        columns = tuple(slice_rows(column, some.start, len(self.rows), some.step) for column in self.columns)
        return replace(self, columns=columns, rows=self.rows[some], within=self.within // tuning.COARSER)

    def of_numbers(self) -> ValueRanges:
        """Return the new partitions as ranges of the only key, a number."""
        some = slice(self.within - 1, None, self.within)
        return ValueRanges(self.columns[0][some], self.rows[some], self.ascending[0])

    def of_cached_numbers(self) -> FineRanges:
        """Return all ranges of the only key, a 64-bit number."""
        return FineRanges(self.columns[0], self.rows, self.within, self.ascending[0])

    def of_text(self) -> TextRanges | None:
        """Return the new partitions as ranges of the only key, text; None if some of it is too long."""
        if self.layout is None:
            return None
        first, stop, step = self.within - 1, len(self.rows), self.within
        splitters = slice_rows(self.columns[0], first, stop, step)
        return TextRanges(self.layout, splitters, self.rows[first:stop:step], self.ascending[0])

    @property
    def shift(self) -> int:
        """Bits of a row number."""
        return row_bits(self.nrows)

    @property
    def lost(self) -> int:
        """Bits of the keys that do not fit in 64 bits beside a row number."""
        return lost_bits(self.spans, self.shift) if self.spans is not None else WORD_BITS

    @property
    def fits(self) -> bool:
        """Whether keys and a row number fit in 64 bits."""
        return not self.lost

    @property
    def nearly_fits(self) -> bool:
        """Whether enough bits of the only key fit that few rows are equal in them."""
        return self.spans is not None and len(self.spans) == 1 and not self.alike

    @property
    def word_span(self) -> tuple[int, int] | None:
        """Bounds of `words_of` for all rows; None if keys have several words that do not fit one."""
        if self.spans is None or len(self.spans) == 1:
            return None if self.spans is None else self.spans[0]
        bits = sum((high - low).bit_length() for low, high in self.spans)
        return None if bits > WORD_BITS else (0, (1 << bits) - 1)

    def words_of(self, columns: Sequence[Column]) -> Words:
        """Return the keys as one word each, in an order that all partitions share; see `word_span`."""
        return word(columns[0], 0, self.ascending[0]) if len(columns) == 1 else self.codes(columns)

    def codes(self, columns: Sequence[Column]) -> Words:
        """Return the keys as one number each, counted from the least, in an order that all partitions share."""
        assert self.spans is not None, "keys have one word each"
        keys = [
            Key(word(column, 0, upwards), low, (high - low).bit_length())
            for column, upwards, (low, high) in zip(columns, self.ascending, self.spans, strict=True)
        ]
        key = combine(keys)
        assert key is not None, "they fit, or there is one only"
        return key.codes


def lost_bits(spans: Sequence[tuple[int, int]], shift: int) -> int:
    """Return the bits of keys that do not fit in a word beside a row number of `shift` bits."""
    return max(sum((high - low).bit_length() for low, high in spans) + shift - WORD_BITS, 0)


class ChooseSplitters(Frame):
    """The splitters of the new partitions of a frame: a list with one `Splitters`, in one partition.

    One row in every `stride` is sampled.  If `straddle`, rows with equal keys may be divided, by row number. The `kind`
    of sort tells which facts about all rows are needed.
    """

    frame: Frame
    by: tuple[Value, ...]
    ascending: tuple[bool, ...]
    wanted: int
    stride: int
    straddle: bool
    kind: str

    @property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])


@record
class SampleKeys:
    """Samples rows of the key columns; finds the extremes of all keys, and the layout of all text."""

    program: Program
    ascending: tuple[bool, ...]
    stride: int
    kind: str
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> list[PartitionSample]:
        # One by one: the sampled positions must not depend on the batch.
        return [self._found(part) for part in partition.each()]

    def _found(self, partition: Partition) -> PartitionSample:
        nrows = 0
        spans: tuple[Span, ...] = (None,) * len(self.ascending)
        words = np.ones(len(self.ascending), np.int64)
        samples = [tuple(map(empty, self.program.dtypes))]
        positions = [np.empty(0, np.int64)]
        layout: StringLayout | None = None
        for block in partition.blocks():
            columns = block.evaluate(self.program)
            chosen = sample_positions(nrows, nrows + block.nrows, self.stride)
            positions.append(chosen)
            samples.append(tuple(take_rows(column, chosen - nrows) for column in columns))
            found = [
                span(column, upwards) if self.kind == KEYS else None
                for column, upwards in zip(columns, self.ascending, strict=True)
            ]
            spans = tuple(_join(old, new) for old, new in zip(spans, found, strict=True)) if nrows else tuple(found)
            words = np.maximum(words, list(map(word_count, columns)))
            if self.kind == TEXT and (layout is not None or not nrows):
                layout = layout_of(columns[0], layout)
            nrows += block.nrows
        joined = tuple(concat_rows(parts) for parts in zip(*samples, strict=True))
        return PartitionSample(int(nrows), spans, tuple(words.tolist()), joined, np.concatenate(positions), layout)


def sample_positions(start: int, stop: int, stride: int) -> NumberArray:
    """Return the sampled positions from `start` to `stop`: one in each stride, at varying offsets.

    They depend only on these, so that equal rows are partitioned alike in all plans.
    """
    strides = np.arange(start // stride, -(-stop // stride))
    positions = strides * stride + strides * SPREAD % stride
    return positions[(positions >= start) & (positions < stop)]


def _join(left: Span, right: Span) -> Span:
    return None if left is None or right is None else (min(left[0], right[0]), max(left[1], right[1]))


def choose_splitters(
    found_by_task: Sequence[Sequence[PartitionSample]], ascending: tuple[bool, ...], wanted: int, straddle: bool
) -> list[Splitters]:
    """Return the splitters that cut the rows of all partitions into about equal ranges.

    This is the function of a task.
    """
    found = list(chain.from_iterable(found_by_task))
    starts = list(accumulate((item.nrows for item in found), initial=0))
    columns = [concat_rows(parts) for parts in zip(*[item.samples for item in found], strict=True)]
    numbers = [item.positions + start for item, start in zip(found, starts, strict=False)]
    # Sort the samples of all partitions, and take rows at equal distances as splitters of ranges.
    order = argsort(columns, ascending)
    within = tuning.COARSER * max(
        min(starts[-1] // tuning.RANGE_ROWS, tuning.MOST_RANGES) // (wanted * tuning.COARSER), 1
    )
    ranges = wanted * within
    chosen = order[np.arange(1, ranges) * len(order) // ranges] if len(order) else order
    rows = np.concatenate(numbers)[chosen]
    # Merge the facts about all rows, which decide how keys are packed: spans of words, and the layout of text.
    given = [item.spans for item in found if item.nrows]
    joined = tuple(reduce(_join, column) for column in zip(*given, strict=True))
    spans = tuple(span for span in joined if span is not None)
    is_known = bool(joined) and len(spans) == len(joined)
    layouts = [item.layout for item in found if item.nrows and item.layout is not None]
    has_layout = bool(layouts) and len(layouts) == len(given)
    return [
        Splitters(
            tuple(take_rows(column, chosen) for column in columns),
            rows if straddle else np.zeros_like(rows),
            spans if is_known else None,
            tuple(np.max([item.words for item in found], axis=0).tolist()),
            starts[-1],
            within,
            ascending,
            not is_known or _alike(columns, ascending, lost_bits(spans, row_bits(starts[-1]))),
            reduce(StringLayout.joined, layouts) if has_layout else None,
        )
    ]


def _alike(columns: Sequence[Column], ascending: Sequence[bool], lost: int) -> bool:
    """Whether some sampled rows differ in at most the lowest bits of their only key."""
    if len(columns) > 1:
        return True
    leading = word(columns[0], 0, ascending[0]) >> np.uint64(min(lost, WORD_BITS - 1))
    sort_words(leading)
    return bool((leading[1:] == leading[:-1]).any())


@lower.register
def _(frame: ChooseSplitters) -> Expr:
    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        return SampleKeys(compile_these(values), frame.ascending, frame.stride, frame.kind)

    keys = zip(frame.by, frame.ascending, strict=True)
    shown = ", ".join(describe(key) + ("" if upwards else " descending") for key, upwards in keys)
    # Sorts of the same keys may need other facts and other samples of them.
    purpose = f"sample one in {frame.stride} {frame.kind} of {shown}"
    found = pipeline(frame.frame, frame.by, sink, purpose, batches=partition_batches(frame.frame))
    calls = (
        (tuple((0, index) for index in range(found.npartitions)), (frame.ascending, frame.wanted, frame.straddle)),
    )
    return Tasks(frame._name, choose_splitters, calls, found)


class RadixPartitioning:
    """The ranges of rows by keys that are one word together.

    Parameters
    ----------
    splitters : Splitters
        Bounds of the ranges.
    expected : int
        Expected number of rows; repeated rows may be more.
    """

    def __init__(self, splitters: Splitters, expected: int) -> None:
        assert splitters.word_span is not None, "keys are one word"
        self.nrows = 0
        self._splitters = splitters
        self._ranges = RangePartitioner(splitters.words_of(splitters.columns), splitters.rows, *splitters.word_span)
        self._numbers, self._packed = new_array(expected, np.uint16), new_array(expected, np.uint64)

    def add(self, keys: Sequence[Column], rows: NumberArray | None) -> None:
        """Find the ranges of some rows."""
        numbers = np.zeros(len(keys[0]), np.int64) if rows is None else rows
        self._find(self._splitters.words_of(keys), numbers)

    def add_packed(self, keys: Sequence[Column], rows: NumberArray) -> Words:
        """Find the ranges of some rows, pack their keys with row numbers, and return the full keys."""
        start, words = self.nrows, self._splitters.words_of(keys)
        self._find(words, rows)
        self._packed = with_capacity(self._packed, start, self.nrows)
        return self._ranges.pack(
            words, rows, self._splitters.lost, self._splitters.shift, self._packed[start : self.nrows]
        )

    def _find(self, words: Words, rows: NumberArray) -> None:
        start, self.nrows = self.nrows, self.nrows + len(words)
        self._numbers = with_capacity(self._numbers, start, self.nrows)
        self._ranges.of(words, rows, self._numbers[start : self.nrows])

    @property
    def packed(self) -> Words:
        """The packed keys of all rows, by range."""
        return self.partitioned(self._packed)

    def partitioned(self, column: Column) -> Column:
        """Return a column of all rows, by range."""
        return self._slices.partitioned(column[: self.nrows])

    @property
    def bounds(self) -> NumberArray:
        """The first position of each range, and the end of the last."""
        return self._slices.bounds

    def partitions(self) -> Iterator[tuple[int, int, list[int]]]:
        """Yield the first and last position of each new partition, and the bounds of its ranges."""
        bounds = self._slices.bounds[:: self._splitters.within].tolist()
        for number, (start, stop) in enumerate(pairwise(bounds)):
            first = number * self._splitters.within
            yield start, stop, (self._slices.bounds[first : first + self._splitters.within + 1] - start).tolist()

    @cached_property
    def _slices(self) -> RadixSlices:
        return RadixSlices(self._numbers[: self.nrows], len(self._splitters.rows) + 1)


PACKED_BYTES = 16
"""Bytes of a packed key and of the full key."""


@record
class RangePartition:
    """Split the rows of a partition at the splitters between the new ones.

    `columns` are the outputs of the program, `names` the wanted ones. If only row numbers are wanted, and the keys
    leave room for them, both are packed in one word. Slices of more than `memory_budget` bytes go to a spill file; None
    keeps them in this process.
    """

    columns: tuple[Hashable, ...]
    names: tuple[Hashable, ...]
    by: tuple[Hashable, ...]
    ascending: tuple[bool, ...]
    program: Program
    splitters: BroadcastInput
    count: int
    memory_budget: int | None
    leave_last_mask: bool = False
    numbered: bool = True

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> Slices:
        splitters: Splitters = partition.replicas[self.splitters.position][self.splitters.field]
        # Keys with lost bits must be available wherever their rows are sorted.
        stays = self.memory_budget is None and PACKED_BYTES * splitters.nrows <= memory_share()
        has_ranges = self._has_radix_ranges(splitters)
        fits = splitters.fits or (splitters.nearly_fits and stays)
        if has_ranges and fits and self.numbered and self.names == (ROW,):
            partitioned = self._radix_words(partition, splitters)
            return spilled([[part] for part in partitioned], self.memory_budget, join_runs)
        if has_ranges and all(dtype.is_number for dtype in self.program.dtypes):
            return self._cut(self._radix_runs(partition, splitters), splitters)
        splitters = splitters.coarser()
        return self._cut(self._runs(partition, splitters), splitters)

    def _cut(self, tables: Iterator[CutTable], splitters: Splitters) -> Slices:
        """Return the slices of tables whose rows are in ranges; few rows may have fewer ranges than planned."""
        ranges = self.count * splitters.within
        cut = [(table, np.pad(bounds, (0, ranges + 1 - len(bounds)), "edge")) for table, bounds in tables]
        slices = CutTables(self.count, cut, _RangesBy(self._by(splitters)), within=splitters.within)
        return spilled(slices, self.memory_budget, join_runs)

    def _has_radix_ranges(self, splitters: Splitters) -> bool:
        """Whether the ranges are those of keys that are one word together, and few enough for radix partitioning."""
        return splitters.word_span is not None and 0 < len(splitters.rows) < tuning.MOST_RADIX_RANGES

    def _radix_words(self, partition: Partition | PartitionBatch, splitters: Splitters) -> list[PackedKeys]:
        """Radix-partition packed keys by range."""
        ranges = RadixPartitioning(splitters, partition.nrows)
        full_keys: dict[int, Words] = {}
        for block in partition.blocks():
            columns = self._named(block.evaluate(self.program))
            keys = ranges.add_packed([columns[name] for name in self.by], columns[ROW])
            if splitters.lost:
                full_keys[int(columns[ROW][0])] = keys
        partitioned = ranges.packed
        return [
            PackedKeys(partitioned[start:stop], splitters.shift, bounds, full_keys)
            for start, stop, bounds in ranges.partitions()
        ]

    def _radix_runs(self, partition: Partition | PartitionBatch, splitters: Splitters) -> Iterator[CutTable]:
        """Radix-partition rows by range."""
        buffered, ranges = ColumnBuffer(self.program, partition.nrows), RadixPartitioning(splitters, partition.nrows)
        for block in partition.blocks():
            columns = dict(zip(self.columns, buffered.add(block), strict=True))
            ranges.add([columns[name] for name in self.by], columns.get(ROW))
        by = self._by(splitters)
        columns = dict(zip(self.columns, buffered.columns(), strict=True))
        del buffered
        columns |= self._with_words(columns, splitters)
        wanted = dict.fromkeys([*self.names, *(name for name, _ in by)])
        partitioned = {name: ranges.partitioned(columns.pop(name)) for name in wanted}
        yield Table(partitioned, ranges.nrows), ranges.bounds

    def _runs(self, partition: Partition | PartitionBatch, splitters: Splitters) -> Iterator[CutTable]:
        """Sort the rows of each block."""
        by = self._by(splitters)
        names, ascending = zip(*by, strict=True)
        at = self._with_words(dict(zip(self.by, splitters.columns, strict=True)), splitters)
        for found, nrows in self._blocks(partition):
            order = argsort([found[name] for name in self.by], self.ascending)
            columns = found | self._with_words(found, splitters)
            wanted = dict.fromkeys([*self.names, *names])
            # Consecutive row numbers need no look-up for the sorted rows.
            first = int(columns[ROW][0]) if ROW in columns and self.numbered else 0
            taken = {
                name: order + first if name == ROW and self.numbered else take_rows(columns[name], order)
                for name in wanted
            }
            bounds = split_sorted(
                [taken[name] for name in names], ascending, order, [at[name] for name in names], splitters.rows - first
            )
            yield Table(taken, nrows), np.concatenate([[0], bounds, [nrows]])

    def _by(self, splitters: Splitters) -> By:
        """Return the columns to sort by after the split: wanted keys and long text themselves, the words of others."""
        by: list[tuple[Hashable, bool]] = []
        for name, upwards, count in zip(self.by, self.ascending, splitters.words, strict=True):
            if self._keeps(name, count):
                by.append((name, upwards))
            else:
                by.extend((("word", name, number), True) for number in range(count))
        return tuple(by)

    def _with_words(self, columns: Mapping[Hashable, Any], splitters: Splitters) -> dict[Hashable, Any]:
        """Return the key columns, with words in place of unwanted short ones."""
        found: dict[Hashable, Any] = {}
        for name, upwards, count in zip(self.by, self.ascending, splitters.words, strict=True):
            if self._keeps(name, count):
                found[name] = columns[name]
            else:
                column = with_words(columns[name], count)
                found |= {("word", name, number): word(column, number, upwards) for number in range(count)}
        return found

    def _keeps(self, name: Hashable, count: int) -> bool:
        """Whether a key of so many words goes to the new partitions itself."""
        is_text = self.program.dtypes[self.columns.index(name)].kind == "str"
        return name in self.names or (is_text and count > tuning.MOST_WORDS)

    def _blocks(self, partition: Partition | PartitionBatch) -> Iterator[tuple[dict[Hashable, Any], int]]:
        """Yield the columns of some rows at a time, and the number of rows."""
        if self.count < tuning.MANY_SLICES:
            for block in partition.blocks():
                yield self._named(block.evaluate(self.program)), block.nrows
            return
        buffered = ColumnBuffer(self.program, partition.nrows)
        for block in partition.blocks():
            buffered.add(block)
        if buffered.nrows:
            yield self._named(buffered.columns()), buffered.nrows

    def _named(self, columns: Sequence[Any]) -> dict[Hashable, Any]:
        return dict(zip(self.columns, columns, strict=True))


@record
class _RangesBy:
    """Makes runs of rows in ranges, to be sorted by some columns."""

    by: By

    def __call__(self, table: Table, _: int, bounds: list[int]) -> RangedRows:
        return RangedRows(table, self.by, bounds)


WORD = 8
"""Bytes of these values."""

Parts = list[RangedRows] | list[TextCodes]
"""The slices of some rows, one for each new partition."""


@record
class SplitColumn:
    """Split one column of a partition at the splitters between the new ones.

    `rows` is the general split, which text that is too long for codes uses. Its program has the column, and then the
    row numbers if equal rows may be divided.
    """

    rows: RangePartition
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return self.rows.programs

    def run(self, partition: Partition | PartitionBatch) -> Slices:
        rows = self.rows
        splitters: Splitters = partition.replicas[rows.splitters.position][rows.splitters.field]
        split = self._splitting(splitters)
        if split is None:
            return rows.run(partition)
        numbers_in_memory = self._numbers_in_memory(partition, splitters)
        if numbers_in_memory is not None:
            return spilled(self._in_ranges(*numbers_in_memory), rows.memory_budget, join_runs)
        slices: list[list[Any]] = [[] for _ in range(rows.count)]
        for block in partition.blocks():
            column, *numbers = block.evaluate(rows.program)
            for parts, part in zip(slices, split(column, int(numbers[0][0]) if numbers else 0), strict=True):
                parts.append(part)
        return spilled(slices, rows.memory_budget, join_runs)

    def _splitting(self, splitters: Splitters) -> Callable[[Column, int], Parts] | None:
        """Return the function that splits rows, given the number of the first; None if text is too long."""
        if self.rows.program.dtypes[0].is_number:
            numbers = splitters.of_numbers()
            return lambda values, first: self._split_numbers(numbers, values, first)
        text = splitters.of_text()
        if text is None:
            return None
        return lambda strings, first: self._split_text(text, strings, first)

    def _numbers_in_memory(
        self, partition: Partition | PartitionBatch, splitters: Splitters
    ) -> tuple[FineRanges, list[NumberArray], int] | None:
        """Return ranges that fit the cache, all numbers of a partition, and that of the first row.

        None unless numbers are in memory already; columns of files are split block by block, in the cache.
        """
        program = self.rows.program
        is_wide = program.dtypes[0].is_number and program.dtypes[0].itemsize == WORD
        if not is_wide or partition.nrows < tuning.WORTH_RANGES or not len(splitters.rows):
            return None
        several = partition.partitions if isinstance(partition, PartitionBatch) else [partition]
        columns = [column for item in several if (column := _column_in_memory(item, program)) is not None]
        first = _first_row(several[0], program)
        if len(columns) < len(several) or first is None:
            return None
        ranges = splitters.of_cached_numbers()
        return (ranges, columns, first) if ranges.is_cut_quickly else None

    def _in_ranges(self, ranges: FineRanges, parts: Sequence[NumberArray], first: int) -> list[list[RangedRows]]:
        """Split all numbers of a partition into ranges that fit the cache, given the number of the first row."""
        values, bounds = ranges.split(parts, first)
        (name,), (ascending,) = self.rows.names, self.rows.ascending
        table, by = Table({name: values}, len(values)), ((name, ascending),)
        return [
            [RangedRows(table.slice(within[0], within[-1]), by, [bound - within[0] for bound in within])]
            for within in bounds
        ]

    def _split_numbers(self, ranges: ValueRanges, values: Column, first: int) -> list[RangedRows]:
        split, bounds = ranges.split(np.asarray(values), first)
        (name,), (ascending,) = self.rows.names, self.rows.ascending
        table = Table({name: split}, len(split))
        return [
            RangedRows(table.slice(start, stop), ((name, ascending),), [0, stop - start])
            for start, stop in pairwise(bounds)
        ]

    def _split_text(self, ranges: TextRanges, strings: Column, first: int) -> list[TextCodes]:
        codes, numbers, bounds = ranges.split(strings, first)
        wants_rows, (ascending,) = self.rows.names == (ROW,), self.rows.ascending
        return [
            TextCodes(
                [part[start:stop] for part in codes],
                numbers[start:stop] if wants_rows else None,
                ranges.layout,
                ascending,
            )
            for start, stop in pairwise(bounds)
        ]


def _column_in_memory(partition: Partition, program: Program) -> NumberArray | None:
    """Return the first result of a program if it is a column in memory with all its rows, None otherwise."""
    step = program.steps[program.outputs[0]]
    table = partition.inputs[step.base] if isinstance(step, Load) and not partition.selections else None
    return np.asarray(table.columns[step.column]) if isinstance(table, Table) and isinstance(step, Load) else None


def _first_row(partition: Partition, program: Program) -> int | None:
    """Return the number of the first row, 0 if rows have none; None if computing it is needed."""
    if len(program.outputs) == 1:
        return 0
    step = program.steps[program.outputs[1]]
    positions = partition.inputs[step.base] if isinstance(step, Load) else None
    return positions.start if isinstance(positions, RowPositions) else None
