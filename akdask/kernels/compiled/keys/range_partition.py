"""Loops that find the ranges of keys, and pack keys with the numbers of their rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.core.words import Words
from akdask.typing import NumberArray

ONE = np.uint64(1)


@compiled
def least_and_most(numbers: NumberArray) -> tuple[Any, Any]:
    """Return the smallest and the largest of some numbers, at least one, in one pass through memory."""
    least = most = numbers[0]
    for number in numbers:
        # Several numbers are compared at once, which they are not if written as `min` and `max`.
        least = number if number < least else least
        most = number if number > most else most
    return least, most


@compiled
def number_ranges(
    words: Words,
    rows: NumberArray,
    splitters: Words,
    splitter_rows: NumberArray,
    low: np.uint64,
    shift: np.uint64,
    before: NumberArray,
    ranges: NumberArray,
) -> None:
    """Count the marks that are no larger than each word, and of those that are equal, than its row.

    Parameters
    ----------
    words, rows : ndarray of uint64 and of int64
        Keys and numbers of some rows.
    splitters, splitter_rows : ndarray of uint64 and of int64
        Those of the rows where ranges begin, ascending.
    low, shift : uint64
        The slot of a word is its distance from the lowest one, without this number of lowest bits.
    before : ndarray of uint16
        For each slot, the number of splitters in the slots before it.
    ranges : ndarray of uint16
        The results.
    """
    for row in range(len(words)):
        word = words[row]
        slot = (word - low) >> shift
        first, stop = np.uint64(before[slot]), np.uint64(before[slot + ONE])
        while first < stop:
            middle = (first + stop) >> ONE
            if (splitters[middle] < word) | ((splitters[middle] == word) & (splitter_rows[middle] <= rows[row])):
                first = middle + ONE
            else:
                stop = middle
        ranges[row] = first


@compiled
def pack_rows(
    words: Words, low: np.uint64, lost: np.uint64, shift: np.uint64, rows: NumberArray, full_keys: Words, packed: Words
) -> None:
    """Count words from the lowest; write all their bits, and all but lost ones above row numbers of `shift` bits."""
    for row in range(len(words)):
        word = words[row] - low
        full_keys[row] = word
        packed[row] = ((word >> lost) << shift) | np.uint64(rows[row])
