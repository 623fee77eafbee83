"""Rows near the others of their group, reduced only when those of all partitions have come together.

Where hardly any two rows of a partition have the same key, a table of its groups is as large as the rows and takes as
long to make as that of the result.  So the rows are brought into pieces by the leading bits of their keys, the same for
all partitions, and each piece of the result is grouped once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns import Table, concat_rows, nbytes, new_array, own_rows, slice_rows
from akdask.kernels import compiled
from akdask.kernels.core.words import WORD_BITS
from akdask.kernels.group.accumulators import Accumulators
from akdask.kernels.group.aggregation import Aggregation
from akdask.kernels.group.batches import NumberedGroups, RowBuffer, SlotGroups, group_batches
from akdask.kernels.group.grouping import Grouping
from akdask.kernels.group.slices import BLOCK_ROWS, RadixSlices
from akdask.kernels.keys.normalized import span, word
from akdask.kernels.keys.output import Output
from akdask.typing import Column, NumberArray

FEWEST_ROWS = 2**17
"""Rows of a partition that are worth scattering."""

PIECE_ROWS = 2**14
"""Rows of a partition in a piece, about: several partitions together still fit the processor's cache."""

MOST_BITS = 9
"""Leading bits that tell pieces apart, at most: the processor writes to so many places at a time and hardly to more."""

ROWS_OF_A_GROUP = 2
"""Rows of a group in a partition, at most: of more, a table of groups is worth making."""

MOST_PIECE_BITS = 12
"""The same of the pieces of all partitions."""

HEAVIEST = 8
"""How many times as large as others a piece may be."""


@dataclass(frozen=True, slots=True)
class LeadingBits:
    """Where the pieces are of rows that are in the order of the leading bits of the words of their keys.

    Parameters
    ----------
    shift : int
        How many bits of the words are not among the leading ones.
    first : int
        The leading bits of the first piece; each has one more than the piece before.
    bounds : ndarray of int64
        Where each piece begins, and the last one ends.
    """

    shift: int
    first: int
    bounds: NumberArray

    @property
    def span(self) -> tuple[int, int]:
        """The smallest word that may be there, and what all are smaller than."""
        return self.first << self.shift, self.first + len(self.bounds) - 1 << self.shift

    def place(self, leading: int, shift: int) -> int:
        """Return where the rows begin whose words, without the last `shift` bits, are at least `leading`."""
        return int(self.bounds[self._piece(leading, shift)])

    def places(self, leading: range, shift: int) -> list[int]:
        """Return the same for some leading bits that follow each other, and for those behind them."""
        bounds = self.bounds.tolist()
        return [bounds[self._piece(number, shift)] for number in range(leading.start, leading.stop + 1)]

    def between(self, start: int, stop: int, shift: int) -> LeadingBits:
        """Return where the pieces are from some leading bits to others, counted from the first of them."""
        first, last = self._piece(start, shift), self._piece(stop, shift)
        return LeadingBits(self.shift, self.first + first, self.bounds[first : last + 1] - self.bounds[first])

    def _piece(self, leading: int, shift: int) -> int:
        piece = (leading << (shift - self.shift)) - self.first
        return min(max(piece, 0), len(self.bounds) - 1)


@dataclass(frozen=True, slots=True)
class RadixPlan:
    """Where the rows of a partition go, and their keys there.

    Parameters
    ----------
    bits : LeadingBits
        Of the keys.
    scatter : Scatter
        To which piece each row goes.
    key : column
        The key of each row, in the order of the pieces.
    """

    bits: LeadingBits
    scatter: RadixSlices
    key: Column

    @classmethod
    def of(cls, keys: Sequence[Column]) -> RadixPlan | None:
        """Return where rows go by their only key; None where it does not pay, which the keys alone decide."""
        (key, *others) = keys
        # Of anything but numbers, other partitions may have more words.
        is_one_number = isinstance(key, np.ndarray) and not others
        found = span(key) if is_one_number and len(key) >= FEWEST_ROWS else None
        if found is None:
            return None
        low, high = found
        wanted = min((len(key) // PIECE_ROWS).bit_length(), MOST_BITS)
        shift = max((high - low).bit_length() - wanted, 0)
        first = low >> shift
        scatter = RadixSlices(_pieces(key, shift, first), (high >> shift) - first + 1)
        if not _pays(key, scatter):
            return None
        return cls(LeadingBits(shift, first, scatter.bounds), scatter, _placed(key, scatter))

    def placed(self, column: Column) -> Column:
        """Return a column in the order of the pieces."""
        return _placed(column, self.scatter)

    @property
    def nbytes(self) -> int:
        """Bytes that it occupies."""
        return self.scatter.nbytes + nbytes(self.key)


@dataclass(frozen=True, slots=True)
class RadixPartitioned:
    """Rows of a partition in the order of the leading bits of their key.

    Parameters
    ----------
    collapse : Collapse
        What is computed of them.
    bits : LeadingBits
        Of the key.
    columns : sequence of columns
        The key, and what is reduced.
    """

    collapse: Aggregation
    bits: LeadingBits
    columns: Sequence[Column]

    @classmethod
    def of(cls, collapse: Aggregation, placement: RadixPlan, values: Sequence[Column]) -> RadixPartitioned:
        """Return rows brought to their places."""
        return cls(collapse, placement.bits, [placement.key, *map(placement.placed, values)])

    def __sizeof__(self) -> int:
        return sum(map(nbytes, self.columns))

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return len(self.columns[0])

    def between(self, start: int, stop: int, shift: int) -> list[Column]:
        """Return keys and values of the rows with some leading bits, without a copy."""
        return self.rows(self.bits.place(start, shift), self.bits.place(stop, shift))

    def rows(self, start: int, stop: int) -> list[Column]:
        """Return keys and values of some rows, without a copy."""
        return [slice_rows(column, start, stop) for column in self.columns]

    def cut(self, marks: RadixSplitters) -> list[RadixPartitioned]:
        """Return the rows of each range, without a copy."""
        bounds = [(*pair, marks.shift) for pair in pairwise(marks.leading)]
        return [RadixPartitioned(self.collapse, self.bits.between(*pair), self.between(*pair)) for pair in bounds]

    def own(self) -> RadixPartitioned:
        """Return rows that keep nothing else in memory."""
        return RadixPartitioned(self.collapse, self.bits, list(map(own_rows, self.columns)))


@dataclass(frozen=True, slots=True)
class RadixSplitters:
    """Leading bits with which ranges of the keys begin, and the last one ends.

    Parameters
    ----------
    shift : int
        How many bits of the words are not among the leading ones.
    leading : tuple of int
        One more than there are ranges, ascending.
    """

    shift: int
    leading: tuple[int, ...]

    @classmethod
    def choose(cls, parts: Sequence[LeadingBits], count: int) -> RadixSplitters:
        """Return marks that share the rows of several partitions out among so many ranges."""
        used = [part for part in parts if part.bounds[-1]] or parts[:1]
        lows, highs = zip(*(part.span for part in used), strict=True)
        shift = max(*(part.shift for part in used), (max(highs) - 1 - min(lows)).bit_length() - MOST_PIECE_BITS)
        first, stop = min(lows) >> shift, -(-max(highs) >> shift)
        before = list(map(sum, zip(*(part.places(range(first, stop), shift) for part in used), strict=True)))
        wanted = before[-1] * np.arange(1, count) / count
        return cls(shift, (first, *(first + place for place in np.searchsorted(before, wanted).tolist()), stop))

    def cut(self, table: Table) -> list[Table]:
        """Return the groups of each range, of a table sorted by key; the outer ranges have all beyond them."""
        words = word(table.columns[0], 0)
        marks = [leading << self.shift for leading in self.leading[1:-1]]
        # The mark behind the largest word is no word.
        places = [int(words.searchsorted(np.uint64(mark))) if mark < 2**WORD_BITS else table.nrows for mark in marks]
        return [table.slice(start, stop) for start, stop in pairwise([0, *places, table.nrows])]


GroupedPiece: TypeAlias = Grouping | SlotGroups | NumberedGroups
"""The rows of a piece by group: those of several partitions joined, or where they are."""


@dataclass(frozen=True, slots=True)
class SliceGroupings:
    """The rows of each piece of a range grouped by key."""

    groupings: Sequence[GroupedPiece]

    @property
    def nbytes(self) -> int:
        """Bytes that they occupy."""
        return sum(grouping.nbytes for grouping in self.groupings)


class RadixRange:
    """The pieces of one range of the keys, of several partitions.

    Parameters
    ----------
    parts : sequence of Scattered
        At least one.
    shift : int
        Last bits of the keys' words that do not tell pieces apart.
    pieces : range
        Leading bits of the pieces.
    tables : sequence of Table
        Groups of other partitions, in the same range.
    """

    def __init__(self, parts: Sequence[RadixPartitioned], shift: int, pieces: range, tables: Sequence[Table]) -> None:
        self._parts = parts
        self._shift = shift
        self._pieces = pieces
        self._tables = tables

    @classmethod
    def divide(cls, parts: Sequence[RadixPartitioned], count: int, tables: Sequence[Table] = ()) -> list[RadixRange]:
        """Share all rows, and the groups of those partitions that have tables, out among a number of ranges."""
        parts = [part for part in parts if part.nrows] or parts[:1]
        marks = RadixSplitters.choose([part.bits for part in parts], count)
        of_tables = list(zip(*map(marks.cut, tables), strict=True)) or [()] * count
        pieces = (range(*pair) for pair in pairwise(marks.leading))
        return [cls(parts, marks.shift, *each) for each in zip(pieces, of_tables, strict=True)]

    def table(self) -> Table:
        """Return the groups, sorted by key."""
        output, room = Output(self._nrows), RowBuffer.of(self._nrows)
        for piece, parts in self._rows():
            self._reduce(piece, parts, None, room, output)
        return self._merged(output)

    def grouped(self, known: SliceGroupings | None = None) -> tuple[Table, SliceGroupings]:
        """Return the groups, sorted by key, and what makes it easier the next time: to be `known` then."""
        output, room = Output(self._nrows), RowBuffer.of(self._nrows)
        found: list[GroupedPiece] = []
        for number, (piece, parts) in enumerate(self._rows()):
            grouping = None if known is None else known.groupings[number]
            found.append(self._reduce(piece, parts, grouping, room, output))
            room = room.behind(sum(len(columns[0]) for columns in parts))
        return self._merged(output), SliceGroupings(found)

    def _reduce(
        self, piece: int, parts: Sequence[Sequence[Column]], known: GroupedPiece | None, room: RowBuffer, output: Output
    ) -> GroupedPiece:
        """Append the groups of a piece, and return its rows by group."""
        values = [columns[1:] for columns in parts]
        if not isinstance(known, Grouping) and Accumulators.accept(self._collapse, values[0]):
            keys = [columns[0] for columns in parts]
            together = known or group_batches(keys, piece << self._shift, self._shift, room)
            if together is not None:
                together.reduce(self._collapse, values, output)
                return together
        key, *columns = (concat_rows(lots) for lots in zip(*parts, strict=True))
        grouping = known if isinstance(known, Grouping) else Grouping([key])
        output.add(self._collapse.grouped(grouping, columns))
        return grouping

    @property
    def _collapse(self) -> Aggregation:
        return self._parts[0].collapse

    @property
    def _nrows(self) -> int:
        return sum(len(part.between(self._pieces.start, self._pieces.stop, self._shift)[0]) for part in self._parts)

    def _merged(self, output: Output) -> Table:
        others = [table for table in self._tables if table.nrows]
        return self._collapse.merge([output.table(), *others])

    def _rows(self) -> Iterator[tuple[int, list[list[Column]]]]:
        """Yield each piece that has rows, at least one, with the key and the values of those of each partition."""
        nothing = True
        places = [pairwise(part.bits.places(self._pieces, self._shift)) for part in self._parts]
        for piece, *bounds in zip(self._pieces, *places, strict=True):
            used = [part.rows(*rows) for part, rows in zip(self._parts, bounds, strict=True) if rows[0] < rows[1]]
            if used:
                nothing = False
                yield piece, used
        if nothing:
            yield 0, [self._parts[0].between(0, 0, self._shift)]


def _placed(column: Column, scatter: RadixSlices) -> Column:
    """Return a column in the order of the pieces, read-only, as compiled loops take slices of it."""
    placed = scatter.placed(column)
    if isinstance(placed, np.ndarray):
        placed.flags.writeable = False
    return placed


def _pieces(key: Column, shift: int, first: int) -> npt.NDArray[np.uint16]:
    """Return the piece of each row."""
    pieces = new_array(len(key), np.uint16)
    for start in range(0, len(key), BLOCK_ROWS):
        words, of_block = word(slice_rows(key, start, start + BLOCK_ROWS), 0), pieces[start : start + BLOCK_ROWS]
        if compiled.pays(len(words)):
            from akdask.kernels.compiled.group.radix import lead

            lead(words, np.uint64(shift), np.uint64(first), of_block)
        else:
            of_block[:] = (words >> np.uint64(shift)) - np.uint64(first)
    return pieces


def _pays(key: Column, scatter: RadixSlices) -> bool:
    """Whether rows are spread over the pieces, and those of one piece have mostly keys of their own."""
    sizes = np.diff(scatter.bounds)
    if sizes.max() > HEAVIEST * len(key) / len(sizes):
        return False
    middle = int(np.searchsorted(scatter.bounds, len(key) // 2, "right")) - 1
    codes = word(key, 0, rows=scatter.rows(middle))
    # NumPy's own search for distinct values would have other threads wait for it.
    codes.sort()
    return len(codes) <= ROWS_OF_A_GROUP * (1 + int(np.count_nonzero(codes[1:] != codes[:-1])))
