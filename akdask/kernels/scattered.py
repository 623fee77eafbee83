"""Rows near the others of their group, reduced only when those of all partitions have come together.

Where hardly any two rows of a partition have the same key, a table of its groups is as large as the rows and takes as
long to make as that of the result.  So the rows are brought into pieces by the leading bits of their keys, the same for
all partitions, and each piece of the result is grouped once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from akdask.columns import Table, concat_rows, nbytes, new_array, slice_rows
from akdask.kernels.collapse import Collapse
from akdask.kernels.keys import span, word
from akdask.kernels.pieces import BLOCK_ROWS, Scatter
from akdask.typing import Column

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
class Scattered:
    """Rows in the order of the leading bits of their only key.

    Parameters
    ----------
    collapse : Collapse
        What is computed of them.
    shift : int
        How many bits of the key's word are not among the leading ones.
    first : int
        The leading bits of the first piece.
    bounds : sequence of int
        Where each piece begins, and the last one ends; each has one leading bits more than the one before.
    key : column
        In that order.
    values : sequence of columns
        What is reduced, in the same order.
    """

    collapse: Collapse
    shift: int
    first: int
    bounds: Sequence[int]
    key: Column
    values: Sequence[Column]

    @classmethod
    def of(cls, collapse: Collapse, keys: Sequence[Column], values: Sequence[Column]) -> Scattered | None:
        """Return rows scattered by their key; None where it does not pay, which the keys alone decide."""
        (key, *others) = keys
        found = span(key) if not others and len(key) >= FEWEST_ROWS else None
        if found is None:
            return None
        low, high = found
        bits = min((len(key) // PIECE_ROWS).bit_length(), MOST_BITS)
        shift = max((high - low).bit_length() - bits, 0)
        first = low >> shift
        scatter = Scatter(_pieces(key, shift, first), (high >> shift) - first + 1)
        if not _pays(key, scatter):
            return None
        placed, *columns = (scatter.placed(column) for column in (key, *values))
        return cls(collapse, shift, first, scatter.bounds.tolist(), placed, columns)

    def __sizeof__(self) -> int:
        return sum(map(nbytes, (self.key, *self.values)))

    def place(self, leading: int, shift: int) -> int:
        """Return where the rows begin whose words, without the last `shift` bits, are at least `leading`."""
        piece = (leading << (shift - self.shift)) - self.first
        return self.bounds[min(max(piece, 0), len(self.bounds) - 1)]

    def between(self, start: int, stop: int, shift: int) -> tuple[Column, list[Column]]:
        """Return key and values of the rows with some leading bits, without a copy."""
        rows = self.place(start, shift), self.place(stop, shift)
        return slice_rows(self.key, *rows), [slice_rows(column, *rows) for column in self.values]

    def table(self) -> Table:
        """Return the groups, sorted by key."""
        return self.collapse.rows([self.key], self.values)


class ScatteredRange:
    """The pieces of one range of the keys, of several partitions.

    Parameters
    ----------
    parts : sequence of Scattered
        At least one.
    shift : int
        Last bits of the keys' words that do not tell pieces apart.
    pieces : range
        Leading bits of the pieces.
    """

    def __init__(self, parts: Sequence[Scattered], shift: int, pieces: range) -> None:
        self._parts = parts
        self._shift = shift
        self._pieces = pieces

    @classmethod
    def divide(cls, parts: Sequence[Scattered], count: int) -> list[ScatteredRange]:
        """Share all rows out among a number of ranges."""
        low = min(part.first << part.shift for part in parts)
        high = max((part.first + len(part.bounds) - 1 << part.shift) - 1 for part in parts)
        shift = max(*(part.shift for part in parts), (high - low).bit_length() - MOST_PIECE_BITS)
        first, stop = low >> shift, (high >> shift) + 1
        before = [sum(part.place(piece, shift) for part in parts) for piece in range(first, stop + 1)]
        wanted = before[-1] * np.arange(1, count) / count
        cuts = [first, *(first + place for place in np.searchsorted(before, wanted).tolist()), stop]
        return [cls(parts, shift, range(*pair)) for pair in pairwise(cuts)]

    def table(self) -> Table:
        """Return the groups, sorted by key."""
        collapse = self._parts[0].collapse
        tables = [collapse.rows([key], values) for key, values in self._together()]
        return Table.concat(tables) if tables else collapse.rows(*self._no_rows())

    def _no_rows(self) -> tuple[list[Column], list[Column]]:
        key, values = self._parts[0].between(0, 0, self._shift)
        return [key], values

    def _together(self) -> Iterator[tuple[Column, list[Column]]]:
        """Yield the rows of each piece that has any, those of the partitions one after the other."""
        for piece in self._pieces:
            found = [part.between(piece, piece + 1, self._shift) for part in self._parts]
            used = [rows for rows in found if len(rows[0])]
            if used:
                keys, values = zip(*used, strict=True)
                yield concat_rows(keys), [concat_rows(columns) for columns in zip(*values, strict=True)]


def _pieces(key: Column, shift: int, first: int) -> npt.NDArray[np.uint16]:
    """Return the piece of each row."""
    pieces = new_array(len(key), np.uint16)
    for start in range(0, len(key), BLOCK_ROWS):
        leading = word(slice_rows(key, start, start + BLOCK_ROWS), 0)
        leading >>= np.uint64(shift)
        leading -= np.uint64(first)
        pieces[start : start + BLOCK_ROWS] = leading
    return pieces


def _pays(key: Column, scatter: Scatter) -> bool:
    """Whether rows are spread over the pieces, and those of one piece have mostly keys of their own."""
    sizes = np.diff(scatter.bounds)
    if sizes.max() > HEAVIEST * len(key) / len(sizes):
        return False
    middle = int(np.searchsorted(scatter.bounds, len(key) // 2, "right")) - 1
    codes = word(key, 0, rows=scatter.rows(middle))
    return len(codes) <= ROWS_OF_A_GROUP * len(np.unique(codes))
