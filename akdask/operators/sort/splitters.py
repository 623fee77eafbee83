"""Splitters: keys that cut sorted rows into partitions, chosen from samples of the old partitions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import accumulate, chain
from typing import TypeAlias

import numpy as np

from akdask._dask import Expr
from akdask.columns.rows import concat_rows, empty, slice_rows, take_rows
from akdask.engine.blocks import Partition, PartitionBatch
from akdask.engine.node import Frame, RowSpace, lower
from akdask.engine.pipeline import Compile, Sink, partition_batches, pipeline
from akdask.engine.program import Program
from akdask.engine.rowwise import Tasks
from akdask.engine.values import Value, describe
from akdask.operators.keys.keys import Key, combine, row_bits, span, word, word_count
from akdask.operators.keys.string_codes import StringLayout, layout_of
from akdask.operators.keys.words import WORD_BITS, Words
from akdask.operators.sort.kernels import argsort
from akdask.operators.sort.ranges import FineRanges, TextRanges, ValueRanges
from akdask.typing import Column, NumberArray

Span: TypeAlias = tuple[int, int] | None
"""The smallest and the largest word of a key column."""

KEYS, NUMBERS, TEXT = "keys", "numbers", "text"
"""Kinds of sorts: rows by keys; one column of numbers alone; one column of text, or its row numbers."""

RANGE = 2**15
"""Rows of a range: several of its columns fit in the cache of the core."""

COARSER = 4
"""Fine ranges in a coarse one; sorts of blocks use coarse ranges, to have enough rows in each."""

MOST_RANGES = 2**11
"""Most ranges, unless there are more partitions; more write streams would be slow."""

SPREAD = 40503
"""An odd number that spreads the sampled rows over their strides."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
        some = slice(COARSER - 1, None, COARSER)
        columns = tuple(slice_rows(column, some.start, len(self.rows), some.step) for column in self.columns)
        return replace(self, columns=columns, rows=self.rows[some], within=self.within // COARSER)

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

    def codes(self, columns: Sequence[Column]) -> Words:
        """Return the keys as one number each, in an order that all partitions share."""
        assert self.spans is not None, "keys have one word each"
        keys = [
            Key(word(column, 0, upwards), low, (high - low).bit_length())
            for column, upwards, (low, high) in zip(columns, self.ascending, self.spans, strict=True)
        ]
        key = combine(keys)
        assert key is not None, "they fit, or there is one only"
        return key.codes

    def pack(self, codes: Words, rows: NumberArray) -> Words:
        """Return the leading bits of keys packed with row numbers."""
        packed = (codes >> np.uint64(self.lost) if self.lost else codes) << np.uint64(self.shift)
        packed |= rows.view(np.uint64)
        return packed


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


@dataclass(frozen=True, slots=True)
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
    within = COARSER * max(min(starts[-1] // RANGE, MOST_RANGES) // (wanted * COARSER), 1)
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
    leading.sort()
    return bool((leading[1:] == leading[:-1]).any())


@lower.register
def _(frame: ChooseSplitters) -> Expr:
    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        return SampleKeys(compile_these(values), frame.ascending, frame.stride, frame.kind)

    purpose = "sample " + ", ".join(map(describe, frame.by))
    found = pipeline(frame.frame, frame.by, sink, purpose, batches=partition_batches(frame.frame))
    calls = (
        (tuple((0, index) for index in range(found.npartitions)), (frame.ascending, frame.wanted, frame.straddle)),
    )
    return Tasks(frame._name, choose_splitters, calls, found)
