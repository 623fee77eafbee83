"""Tables with a cell for every value: rows and truth values there, found without any search.

The cell of a word is its distance from the lowest one; words that are further away are all in one cell more.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.compiled.prefetch import AHEAD, prefetch
from akdask.kernels.core.words import Words
from akdask.typing import NumberArray

ONE = np.uint64(1)
BYTE_SHIFT = np.uint64(3)
BIT_MASK = np.uint64(7)


@compiled
def mark(words: Words, low: np.uint64, bits: npt.NDArray[np.uint8]) -> None:
    """Set the bit of the cell of each word, all of which have one."""
    for row in range(len(words)):
        slot = words[row] - low
        bits[slot >> BYTE_SHIFT] |= ONE << (slot & BIT_MASK)


@compiled
def look_up_bits(
    words: Words, low: np.uint64, nslots: np.uint64, bits: npt.NDArray[np.uint8], found: NumberArray
) -> None:
    """Tell whether the bit of the cell of each word is set."""
    for row in range(len(words)):
        slot = min(words[row] - low, nslots)
        found[row] = (bits[slot >> BYTE_SHIFT] >> (slot & BIT_MASK)) & ONE


@compiled
def put_rows(words: Words, low: np.uint64, rows: NumberArray) -> None:
    """Put the first row of each cell there."""
    for row in range(len(words) - 1, -1, -1):
        rows[words[row] - low] = row


@compiled
def look_up_rows(words: Words, low: np.uint64, nslots: np.uint64, rows: NumberArray, found: NumberArray) -> None:
    """Find the row in the cell of each word."""
    last = len(words) - 1
    for row in range(len(words)):
        prefetch(rows, min(words[min(row + AHEAD, last)] - low, nslots))
        found[row] = rows[min(words[row] - low, nslots)]
