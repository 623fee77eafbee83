"""Radix aggregation: partitions rows by the leading bits of their keys, and reduces them when all have arrived.

If hardly any two rows of a partition have the same key, a table of its groups is as large as the rows. It also takes as
long to make as the table of the result. So the rows are partitioned into slices by the leading bits of their first key,
the same for all partitions, and each slice of the result is grouped once. Loops group and reduce the slices of several
partitions by one integer key, without copying the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import accumulate, pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.caches import cached_results
from akdask.columns.memory import new_array
from akdask.columns.table import Table, TableBuilder, concat_rows, nbytes, own_rows, slice_rows
from akdask.operators.group import loops, tuning
from akdask.operators.group.aggregation import COUNT, Accumulators, Aggregation
from akdask.operators.group.grouping import Grouping, KeyWords, RadixSlices
from akdask.operators.group.strategies import GroupStrategy, KeyGrouping, KeySample, PartialTable, TableMerge
from akdask.operators.keys.hashing import hash_words
from akdask.operators.keys.keys import SIGN, WORD_BITS, SlotGrid, Words, sort_words, span, word
from akdask.records import record
from akdask.typing import Column, NumberArray

Codes: TypeAlias = npt.NDArray[np.int32]


def group_batches(
    batches: Sequence[Column], low: int, bits: int, buffer: RowBuffer
) -> SlotGroups | NumberedGroups | None:
    """Return the rows of several batches grouped by an integer key; None for other keys.

    Parameters
    ----------
    batches : sequence of columns
        The key of each batch of rows; at least one.
    low : int
        The smallest word that a key may have.
    bits : int
        All words are less than ``low + 2 ** bits``.
    buffer : RowBuffer
        Memory for the numbers of the rows.
    """
    key, nrows = batches[0], sum(map(len, batches))
    is_integer = isinstance(key, np.ndarray) and key.dtype in (np.int64, np.uint64)
    if not nrows or not is_integer:
        return None
    # Words count from the smallest possible number, keys from 0.
    first = low ^ int(SIGN) if key.dtype == np.int64 else low
    keys = [np.ascontiguousarray(batch).view(np.uint64) for batch in batches]
    if 1 << bits <= tuning.SLOTS_PER_ROW * nrows:
        return SlotGroups(keys, first, 1 << bits, key.dtype)
    return _numbered(keys, first, key.dtype, buffer)


@record
class RowBuffer:
    """Memory for the numbers of the groups of some rows, and for their keys.

    It is allocated for all rows at once; small pieces would each be new memory, which the system has to clear.
    """

    codes: Codes
    keys: Words

    @classmethod
    def of(cls, nrows: int) -> RowBuffer:
        """Return memory for some rows."""
        return cls(new_array(nrows, np.int32), new_array(nrows, np.uint64))

    def behind(self, nrows: int) -> RowBuffer:
        """Return the memory that is left after some rows."""
        return RowBuffer(self.codes[nrows:], self.keys[nrows:])


@record
class SlotGroups:
    """Rows grouped by slot, the distance of their key from the first key; some slots have no rows.

    Parameters
    ----------
    batches : sequence of ndarray of uint64
        The keys of each batch.
    first : int
        The key of the first slot.
    count : int
        Number of slots.
    dtype : numpy.dtype
        Type of the keys.
    """

    batches: Sequence[Words]
    first: int
    count: int
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Bytes that it takes beside the keys, which each reduction reads again."""
        return 0

    def reduce(self, aggregation: Aggregation, values: Sequence[Sequence[Column]], output: TableBuilder) -> None:
        """Append the groups, sorted by key, to the groups of smaller keys, given the values of each batch."""
        accumulators = Accumulators(aggregation, self.count, values[0])
        for key, columns in zip(self.batches, values, strict=True):
            accumulators.add(key, columns, self.first)
        keys = (_slot_numbers(self.count) + np.uint64(self.first)).view(self.dtype)
        output.add_masked(aggregation.table([keys], accumulators.states()), accumulators.occupied != 0)


@cached_results("numbers of slots", 8)
def _slot_numbers(count: int) -> Words:
    """Return the numbers of all slots; most slices share one array."""
    numbers = np.arange(count, dtype=np.uint64)
    numbers.flags.writeable = False
    return numbers


@record
class NumberedGroups:
    """Rows with the number of their group.

    Parameters
    ----------
    codes : sequence of ndarray of int32
        The number of each row, for each batch.
    keys : ndarray of int64 or uint64
        The keys of the groups, ascending.
    """

    codes: Sequence[Codes]
    keys: NumberArray

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self.keys.nbytes + sum(codes.nbytes for codes in self.codes)

    def reduce(self, aggregation: Aggregation, values: Sequence[Sequence[Column]], output: TableBuilder) -> None:
        """Append the groups, sorted by key, to the groups of smaller keys, given the values of each batch."""
        accumulators = Accumulators(aggregation, len(self.keys), values[0])
        for codes, columns in zip(self.codes, values, strict=True):
            accumulators.add(codes, columns)
        output.add(aggregation.table([self.keys], accumulators.states()))


def _numbered(keys: Sequence[Words], first: int, dtype: np.dtype[Any], buffer: RowBuffer) -> NumberedGroups:
    """Assign numbers to rows by key."""
    bounds = [0, *accumulate(map(len, keys))]
    words = new_array(bounds[-1], np.uint64)
    for key, (start, stop) in zip(keys, pairwise(bounds), strict=True):
        np.subtract(key, np.uint64(first), out=words[start:stop])
    _, firsts = KeyWords(words).number(np.array([0, len(words)]), buffer.codes)
    words = words.take(firsts, out=buffer.keys[: len(firsts)], mode="clip")
    words += np.uint64(first)
    return NumberedGroups([buffer.codes[start:stop] for start, stop in pairwise(bounds)], words.view(dtype))


@record
class LeadingBits(KeySample):
    """Bounds of slices, in rows ordered by the leading bits of their first key's words.

    Parameters
    ----------
    shift : int
        Number of trailing bits of the words.
    first : int
        The leading bits of the first slice; each further slice has one more.
    bounds : ndarray of int64
        First position of each slice, and the end of the last.
    """

    precedence: ClassVar[int] = 2

    shift: int
    first: int
    bounds: NumberArray

    @property
    def span(self) -> tuple[int, int]:
        """The smallest possible word, and the upper bound of all words."""
        return self.first << self.shift, self.first + len(self.bounds) - 1 << self.shift

    def position(self, leading: int, shift: int) -> int:
        """Return the first row whose word, without the last `shift` bits, is at least `leading`."""
        return int(self.bounds[self._slice(leading, shift)])

    def positions(self, leading: range, shift: int) -> list[int]:
        """Return the first rows for consecutive leading bits, and the end of the last."""
        bounds = self.bounds.tolist()
        return [bounds[self._slice(number, shift)] for number in range(leading.start, leading.stop + 1)]

    def between(self, start: int, stop: int, shift: int) -> LeadingBits:
        """Return the bounds of a range of slices, counted from the first of them."""
        first, last = self._slice(start, shift), self._slice(stop, shift)
        return LeadingBits(self.shift, self.first + first, self.bounds[first : last + 1] - self.bounds[first])

    def _slice(self, leading: int, shift: int) -> int:
        number = (leading << (shift - self.shift)) - self.first
        return min(max(number, 0), len(self.bounds) - 1)

    @classmethod
    def choose_splitters(cls, samples: Sequence[LeadingBits], count: int) -> RadixSplitters:
        """Return splitters that divide the rows of several partitions into some number of ranges."""
        used = [part for part in samples if part.bounds[-1]] or samples[:1]
        lows, highs = zip(*(part.span for part in used), strict=True)
        shift = max(*(part.shift for part in used), (max(highs) - 1 - min(lows)).bit_length() - tuning.MOST_GROUP_BITS)
        first, stop = min(lows) >> shift, -(-max(highs) >> shift)
        before = list(map(sum, zip(*(part.positions(range(first, stop), shift) for part in used), strict=True)))
        wanted = before[-1] * np.arange(1, count) / count
        return RadixSplitters(
            shift, (first, *(first + found for found in np.searchsorted(before, wanted).tolist()), stop)
        )


@record
class RadixPlan:
    """The slice of each row of a partition, and the keys in the order of the slices.

    Parameters
    ----------
    bits : LeadingBits
        Leading bits of the first key.
    slices : RadixSlices
        The slice of each row.
    keys : sequence of columns
        The keys of each row, in the order of the slices.
    """

    kind: ClassVar[str] = "radix"

    bits: LeadingBits
    slices: RadixSlices
    keys: Sequence[Column]

    @classmethod
    def of(cls, keys: Sequence[Column]) -> RadixPlan | None:
        """Return the slices of rows by their first key; None if sorting is faster, which the keys alone decide."""
        key = keys[0]
        # For other types than numbers, other partitions may have more words.
        are_numbers = all(isinstance(column, np.ndarray) for column in keys)
        found = span(key) if are_numbers and len(key) >= tuning.FEWEST_RADIX_ROWS else None
        if found is None:
            return None
        low, high = found
        wanted = min((len(key) // tuning.RADIX_SLICE_ROWS).bit_length(), tuning.MOST_RADIX_BITS)
        shift = max((high - low).bit_length() - wanted, 0)
        first, count = low >> shift, (high >> shift) - (low >> shift) + 1
        some = _slice_numbers(key[:: max(len(key) // tuning.DICTIONARY_SAMPLE, 1)], shift, first)
        if np.bincount(some).max() > 2 * tuning.HEAVIEST * len(some) / count:
            return None
        slices = RadixSlices(_slice_numbers(key, shift, first), count)
        if not _is_worth_it(keys, slices):
            return None
        return cls(LeadingBits(shift, first, slices.bounds), slices, list(map(slices.partitioned, keys)))

    def partitioned(self, column: Column) -> Column:
        """Return a column in the order of the slices."""
        return self.slices.partitioned(column)

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        return self.slices.nbytes + sum(map(nbytes, self.keys))


class RadixAggregation(GroupStrategy):
    """Partitions rows by the leading bits of their first key; all keys must be numbers."""

    _rows: RadixPartitioned

    def accepts(self, keys: Sequence[Column], values: Sequence[Column]) -> RadixPlan | None:
        """Return the slices of the rows; None if rows are few, or groups have several rows."""
        return RadixPlan.of(keys)

    def add(self, grouping: RadixPlan, values: Sequence[Column]) -> None:
        """Take all rows of the partition."""
        columns = [*grouping.keys, *map(grouping.partitioned, values)]
        self._rows = RadixPartitioned(self.aggregation, grouping.bits, columns)

    def finish(self) -> RadixPartitioned:
        """Return the rows, which are reduced together with the rows of other partitions."""
        return self._rows


@record
class RadixPartitioned(PartialTable):
    """Rows of a partition in the order of the leading bits of their first key.

    Parameters
    ----------
    aggregation : Aggregation
        The reductions.
    bits : LeadingBits
        Leading bits of the first key.
    columns : sequence of columns
        The keys, and the columns to reduce.
    """

    precedence: ClassVar[int] = 2

    aggregation: Aggregation
    bits: LeadingBits
    columns: Sequence[Column]

    def __sizeof__(self) -> int:
        return sum(map(nbytes, self.columns))

    @property
    def nrows(self) -> int:
        return len(self.columns[0])

    def table(self) -> Table:
        return RadixRange.of([self]).table()

    def sample(self, nkeys: int, most: int, number: int) -> LeadingBits:
        return self.bits

    def between(self, start: int, stop: int, shift: int) -> list[Column]:
        """Return keys and values of the rows with some leading bits, without a copy."""
        return self.rows(self.bits.position(start, shift), self.bits.position(stop, shift))

    def rows(self, start: int, stop: int) -> list[Column]:
        """Return keys and values of some rows, without a copy."""
        return [slice_rows(column, start, stop) for column in self.columns]

    def split(self, splitters: RadixSplitters, count: int, nkeys: int) -> list[RadixPartitioned]:
        bounds = [(*pair, splitters.shift) for pair in pairwise(splitters.leading)]
        return [RadixPartitioned(self.aggregation, self.bits.between(*pair), self.between(*pair)) for pair in bounds]

    def own(self) -> RadixPartitioned:
        return RadixPartitioned(self.aggregation, self.bits, list(map(own_rows, self.columns)))

    @classmethod
    def merge(
        cls, merging: TableMerge, parts: Sequence[PartialTable], known: KeyGrouping | None, *, caches: bool
    ) -> tuple[Table, KeyGrouping | None]:
        rows: list[Any] = [part for part in parts if part.precedence == cls.precedence]
        others = [part.table() for part in parts if part.precedence != cls.precedence]
        all_rows = RadixRange.of(rows, others)
        if not caches:
            return all_rows.table(), None
        groupings: Any = known if known is not None and known.kind == "radix" else None
        return all_rows.grouped(groupings)


@record
class RadixSplitters:
    """Leading bits at which key ranges begin, and the last one ends.

    Parameters
    ----------
    shift : int
        Number of trailing bits of the words.
    leading : tuple of int
        One more than there are ranges, ascending.
    """

    shift: int
    leading: tuple[int, ...]

    def split_table(self, table: Table, count: int, nkeys: int) -> list[Table]:
        """Return the groups of each range, from a table sorted by key; the outer ranges have all keys beyond them."""
        words = word(table.columns[0], 0)
        limits = [leading << self.shift for leading in self.leading[1:-1]]
        # The limit after the largest word is no word.
        inner = [int(words.searchsorted(np.uint64(limit))) if limit < 2**WORD_BITS else table.nrows for limit in limits]
        return [table.slice(start, stop) for start, stop in pairwise([0, *inner, table.nrows])]


SliceGroups: TypeAlias = Grouping | SlotGroups | NumberedGroups
"""The rows of a slice by group; the parts of several partitions are joined, or stay in place."""


@record
class SliceGroupings:
    """The rows of each slice of a range grouped by key."""

    kind: ClassVar[str] = "radix"

    groupings: Sequence[SliceGroups]

    @property
    def nbytes(self) -> int:
        """Bytes that they take."""
        return sum(grouping.nbytes for grouping in self.groupings)


class RadixRange:
    """The slices of one range of the keys, of several partitions.

    Parameters
    ----------
    parts : sequence of RadixPartitioned
        At least one.
    shift : int
        Number of trailing bits of the keys' words.
    slices : range
        Leading bits of the slices.
    tables : sequence of Table
        Groups of other partitions, in the same range.
    """

    def __init__(self, parts: Sequence[RadixPartitioned], shift: int, slices: range, tables: Sequence[Table]) -> None:
        self._parts = parts
        self._shift = shift
        self._slices = slices
        self._tables = tables

    @classmethod
    def of(cls, parts: Sequence[RadixPartitioned], tables: Sequence[Table] = ()) -> RadixRange:
        """Return all rows of some partitions as one range, with the groups of partitions that have tables."""
        parts = [part for part in parts if part.nrows] or parts[:1]
        splitters = LeadingBits.choose_splitters([part.bits for part in parts], 1)
        return cls(parts, splitters.shift, range(*splitters.leading), tables)

    def table(self) -> Table:
        """Return the groups, sorted by key."""
        counted = self._counted()
        if counted is not None:
            return self._merged(counted)
        output, buffer = TableBuilder(self._nrows), RowBuffer.of(self._nrows)
        for leading, parts in self._rows():
            self._reduce(leading, parts, None, buffer, output)
        return self._merged(output.table())

    def grouped(self, known: SliceGroupings | None = None) -> tuple[Table, SliceGroupings]:
        """Return the groups, sorted by key, and groupings that speed up the next call when passed as `known`."""
        output, buffer = TableBuilder(self._nrows), RowBuffer.of(self._nrows)
        found: list[SliceGroups] = []
        for number, (leading, parts) in enumerate(self._rows()):
            grouping = None if known is None else known.groupings[number]
            found.append(self._reduce(leading, parts, grouping, buffer, output))
            buffer = buffer.behind(sum(len(columns[0]) for columns in parts))
        return self._merged(output.table()), SliceGroupings(found)

    def _counted(self) -> Table | None:
        """Return the groups with their sizes; None for other reductions, and if the keys do not fit one word.

        The words alone are sorted, without the numbers of their rows, and tell the keys of the groups.
        """
        if self._aggregation.steps != COUNT:
            return None
        parts = [columns for columns in self._columns() if len(columns[0])]
        # Before rows are copied, which is in vain where the keys do not fit.
        grids = [grid for grid in map(SlotGrid.around, parts) if grid is not None]
        if not parts or len(grids) < len(parts):
            return None
        grid = reduce(SlotGrid.united, grids).with_bits()
        if not tuning.SLOTS_PER_ROW * self._nrows < grid.nslots <= SIGN:
            return None
        keys = [concat_rows(column) for column in zip(*parts, strict=True)]
        codes = grid.codes(keys)
        words = (codes.copy() if codes is keys[0] else codes).view(np.uint64)
        sort_words(words)
        counts = new_array(len(words), np.int64)
        count = loops.count_runs(words, counts)
        groups = grid.keys(words[:count].view(np.int64), [key.dtype for key in keys])
        return self._aggregation.table(groups, [(counts[:count],)])

    def _reduce(
        self,
        leading: int,
        parts: Sequence[Sequence[Column]],
        known: SliceGroups | None,
        buffer: RowBuffer,
        output: TableBuilder,
    ) -> SliceGroups:
        """Append the groups of a slice, and return its rows by group."""
        nkeys = self._aggregation.nkeys
        values = [columns[nkeys:] for columns in parts]
        if nkeys == 1 and not isinstance(known, Grouping) and Accumulators.accept(self._aggregation, values[0]):
            keys = [columns[0] for columns in parts]
            found = known or group_batches(keys, leading << self._shift, self._shift, buffer)
            if found is not None:
                found.reduce(self._aggregation, values, output)
                return found
        columns = [concat_rows(columns) for columns in zip(*parts, strict=True)]
        grouping = known if isinstance(known, Grouping) else Grouping(columns[:nkeys])
        output.add(self._aggregation.grouped(grouping, columns[nkeys:]))
        return grouping

    @property
    def _aggregation(self) -> Aggregation:
        return self._parts[0].aggregation

    def _columns(self) -> list[list[Column]]:
        """Return keys and values of the rows of each partition."""
        return [part.between(self._slices.start, self._slices.stop, self._shift) for part in self._parts]

    @property
    def _nrows(self) -> int:
        return sum(len(columns[0]) for columns in self._columns())

    def _merged(self, table: Table) -> Table:
        return self._aggregation.merge([table, *(other for other in self._tables if other.nrows)])

    def _rows(self) -> Iterator[tuple[int, list[list[Column]]]]:
        """Yield each slice that has rows, at least one, with the key and values of each partition."""
        nothing = True
        positions = [pairwise(part.bits.positions(self._slices, self._shift)) for part in self._parts]
        for leading, *bounds in zip(self._slices, *positions, strict=True):
            used = [part.rows(*rows) for part, rows in zip(self._parts, bounds, strict=True) if rows[0] < rows[1]]
            if used:
                nothing = False
                yield leading, used
        if nothing:
            yield 0, [self._parts[0].between(0, 0, self._shift)]


def _slice_numbers(key: Column, shift: int, first: int) -> npt.NDArray[np.uint16]:
    """Return the slice of each row."""
    numbers = new_array(len(key), np.uint16)
    for start in range(0, len(key), tuning.BLOCK_ROWS):
        block = slice(start, start + tuning.BLOCK_ROWS)
        loops.lead(word(slice_rows(key, block.start, block.stop), 0), shift, first, numbers[block])
    return numbers


def _is_worth_it(keys: Sequence[Column], slices: RadixSlices) -> bool:
    """Whether rows are spread over the slices, and rows of a slice mostly have distinct keys."""
    sizes, nrows = np.diff(slices.bounds), len(keys[0])
    # Ranges of the result begin with slices; those of an only key have few rows for each value.
    is_spread = len(keys) == 1 or np.count_nonzero(sizes) >= tuning.FEWEST_SLICES
    if not is_spread or sizes.max() > tuning.HEAVIEST * nrows / len(sizes):
        return False
    middle = int(np.searchsorted(slices.bounds, nrows // 2, "right")) - 1
    rows = slices.rows_of(middle)
    words = [word(key, 0, rows=rows) for key in keys]
    codes = words[0] if len(words) == 1 else hash_words(words)
    # NumPy's own search for distinct values would hold the lock that other threads need.
    sort_words(codes)
    return len(codes) <= tuning.ROWS_OF_A_GROUP * (1 + int(np.count_nonzero(codes[1:] != codes[:-1])))
