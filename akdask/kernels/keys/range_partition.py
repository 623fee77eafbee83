"""Range partitioning: the ranges of keys that rows belong to, found by a compiled loop without sorting."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from akdask.columns import new_array
from akdask.kernels.core.words import Words
from akdask.typing import NumberArray

SLOT_BITS = 15
"""Leading bits by which splitters are looked up: most slots have at most one splitter, so that searches are rare."""


class RangePartitioner:
    """Ranges of rows in order of one key, which begin at splitters.

    Parameters
    ----------
    splitters : ndarray of uint64
        Words of the keys at which the second and all further ranges begin; ascending.
    rows : ndarray of int64
        Row numbers of the splitters, to divide rows with equal keys; 0 where these stay in one range.
    low, high : int
        The smallest and the largest word that there is.

    Examples
    --------
    >>> ranges = RangePartitioner(np.array([5, 9], np.uint64), np.array([0, 2]), 1, 20)
    >>> ranges.of(np.array([1, 5, 9, 9, 20], np.uint64), np.arange(5)).tolist()
    [0, 1, 2, 2, 2]
    """

    def __init__(self, splitters: Words, rows: NumberArray, low: int, high: int) -> None:
        self._splitters = splitters
        self._rows = rows
        self._low = np.uint64(low)
        self._shift = np.uint64(max((high - low).bit_length() - SLOT_BITS, 0))
        slots = np.arange(2**SLOT_BITS + 1, dtype=np.uint64)
        self._before = np.searchsorted((splitters - self._low) >> self._shift, slots).astype(np.uint16)

    def of(self, words: Words, rows: NumberArray, out: npt.NDArray[np.uint16] | None = None) -> npt.NDArray[np.uint16]:
        """Return the range of each row, given the words of their keys and their numbers."""
        from akdask.kernels.compiled.compiler import read_only
        from akdask.kernels.compiled.keys.range_partition import number_ranges

        found = np.empty(len(words), np.uint16) if out is None else out
        splitters = read_only(self._splitters), read_only(self._rows)
        number_ranges(words, read_only(rows), *splitters, self._low, self._shift, self._before, found)
        return found

    def pack(self, words: Words, rows: NumberArray, lost: int, shift: int, out: Words) -> Words:
        """Write words without their lost bits, with row numbers in the lowest `shift` bits; return the full keys.

        Both are counted from the smallest word.
        """
        from akdask.kernels.compiled.compiler import read_only
        from akdask.kernels.compiled.keys.range_partition import pack_rows

        full_keys = new_array(len(words), np.uint64)
        pack_rows(words, self._low, np.uint64(lost), np.uint64(shift), read_only(rows), full_keys, out)
        return full_keys
