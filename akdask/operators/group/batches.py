"""Batched grouping: compiled loops group and reduce rows of several batches by one key, without copying the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask import compiled
from akdask.caches import cached_results
from akdask.columns.memory import new_array
from akdask.operators.group.accumulators import Accumulators, readable
from akdask.operators.group.grouping import SLOTS_PER_ROW
from akdask.operators.group.table import Aggregation
from akdask.operators.keys.keys import row_bits
from akdask.operators.keys.words import SIGN, WORD_BITS, Words
from akdask.operators.rows.gather import Output
from akdask.typing import Column, NumberArray

Codes: TypeAlias = npt.NDArray[np.int32]


def group_batches(
    batches: Sequence[Column], low: int, bits: int, buffer: RowBuffer
) -> SlotGroups | NumberedGroups | None:
    """Return the rows of several batches grouped by key; None if compiled loops cannot do it.

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
    if not nrows or not is_integer or not compiled.should_compile(nrows):
        return None
    # Words count from the smallest possible number, keys from 0.
    first = np.uint64(low) ^ SIGN if key.dtype == np.int64 else np.uint64(low)
    keys = [readable(batch).view(np.uint64) for batch in batches]
    if 1 << bits <= SLOTS_PER_ROW * nrows:
        return SlotGroups(keys, first, 1 << bits, key.dtype)
    return _numbered(keys, first, bits, key.dtype, buffer)


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class SlotGroups:
    """Rows grouped by slot, the distance of their key from the first key; some slots have no rows.

    Parameters
    ----------
    batches : sequence of ndarray of uint64
        The keys of each batch.
    first : uint64
        The key of the first slot.
    count : int
        Number of slots.
    dtype : numpy.dtype
        Type of the keys.
    """

    batches: Sequence[Words]
    first: np.uint64
    count: int
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Bytes that it takes beside the keys, which each reduction reads again."""
        return 0

    def reduce(self, aggregation: Aggregation, values: Sequence[Sequence[Column]], output: Output) -> None:
        """Append the groups, sorted by key, to the groups of smaller keys, given the values of each batch."""
        accumulators = Accumulators(aggregation, self.count, values[0])
        for key, columns in zip(self.batches, values, strict=True):
            accumulators.add(key, columns, self.first)
        keys = (_slot_numbers(self.count) + self.first).view(self.dtype)
        output.add_masked(aggregation.table([keys], accumulators.states()), accumulators.occupied)


@cached_results("numbers of slots", 8)
def _slot_numbers(count: int) -> Words:
    """Return the numbers of all slots; most slices share one array."""
    numbers = np.arange(count, dtype=np.uint64)
    numbers.flags.writeable = False
    return numbers


@dataclass(frozen=True, slots=True)
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

    def reduce(self, aggregation: Aggregation, values: Sequence[Sequence[Column]], output: Output) -> None:
        """Append the groups, sorted by key, to the groups of smaller keys, given the values of each batch."""
        accumulators = Accumulators(aggregation, len(self.keys), values[0])
        for codes, columns in zip(self.codes, values, strict=True):
            accumulators.add(codes, columns)
        output.add(aggregation.table([self.keys], accumulators.states()))


def _numbered(
    keys: Sequence[Words], first: np.uint64, bits: int, dtype: np.dtype[Any], buffer: RowBuffer
) -> NumberedGroups | None:
    """Assign numbers to rows by key; None in the rare case that bits lost to row numbers change the order."""
    from akdask.compiler import read_only
    from akdask.operators.group.loops import number_sorted, pack

    bounds = [0, *accumulate(map(len, keys))]
    nrows = bounds[-1]
    shift = row_bits(nrows)
    lost = max(bits + shift - WORD_BITS, 0)
    words, packed, firsts = new_array(3 * nrows, np.uint64).reshape(3, nrows)
    for key, start in zip(keys, bounds, strict=False):
        pack(key, first, np.uint64(lost), np.uint64(shift), np.uint64(start), words, packed)
    packed.sort()
    count = int(
        number_sorted(packed, np.uint64(shift), read_only(words), not lost, buffer.codes, firsts.view(np.int64))
    )
    if count < 0:
        return None
    words = words.take(firsts[:count].view(np.int64), out=buffer.keys[:count], mode="clip")
    words += first
    return NumberedGroups([buffer.codes[start:stop] for start, stop in pairwise(bounds)], words.view(dtype))
