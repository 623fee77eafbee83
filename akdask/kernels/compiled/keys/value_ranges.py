"""Loops that find the ranges of rows between few splitters, and write the values of each range side by side."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.compiled.keys.floats import float_word
from akdask.kernels.core.words import Words
from akdask.typing import NumberArray

NUMBERED = 2**11
"""Values that are compared with one splitter after the other: they stay in the fastest cache."""


@compiled
def number_words(
    words: Words, flipped: np.uint64, splitters: Words, numbers: npt.NDArray[np.uint8], beyond: Words
) -> None:
    """Count for each word the splitters that are no larger, and for each splitter the words that are no smaller.

    Parameters
    ----------
    words : ndarray of uint64
        What is compared, once the bits `flipped` are the other way round.
    splitters : ndarray of uint64
        Ascending; fewer than 256.
    numbers, beyond : ndarray of uint8 and of uint64
        The results.
    """
    for start in range(0, len(words), NUMBERED):
        some, found = words[start : start + NUMBERED], numbers[start : start + NUMBERED]
        for row in range(len(found)):
            found[row] = 0
        for number in range(len(splitters)):
            splitter, count = splitters[number], np.uint64(0)
            for row in range(len(found)):
                is_beyond = (some[row] ^ flipped) >= splitter
                found[row] += np.uint8(is_beyond)
                count += np.uint64(is_beyond)
            beyond[number] += count


@compiled
def find_ranges(
    bits: Words,
    flipped: np.uint64,
    are_floats: bool,
    low: np.uint64,
    span: np.uint64,
    shift: np.uint64,
    firsts: npt.NDArray[np.uint16],
    shifts: npt.NDArray[np.uint8],
    numbers: npt.NDArray[np.uint16],
    counts: NumberArray,
) -> None:
    """Find the range of each number in a table of slots of equal width, some of which are cut into several ranges.

    Parameters
    ----------
    bits : ndarray of uint64
        The bits of numbers, floats or not.  Their words are looked up, once the bits `flipped` are the other way round.
    low, span, shift : uint64
        The slot of a word is its distance from the lowest one, at most `span`, without this number of lowest bits.
    firsts, shifts : ndarray of uint16 and of uint8
        For each slot, the number of its first range, and how many of the lowest bits do not tell its ranges apart.
    numbers : ndarray of uint16
        The ranges of the numbers.
    counts : ndarray of int64, shape (ranges, 2)
        To be added to: numbers of each range, in two sums, since the next one is often of the same range.
    """
    within = (np.uint64(1) << shift) - np.uint64(1)
    for row in range(len(bits)):
        word = float_word(bits[row], flipped) if are_floats else bits[row] ^ flipped
        distance = (word if word > low else low) - low
        distance = distance if distance < span else span
        slot = distance >> shift
        number = firsts[slot] + ((distance & within) >> shifts[slot])
        numbers[row] = number
        counts[number, row & 1] += 1


@compiled
def number_equals(
    words: Words, splitters: Words, rows: NumberArray, first: int, numbers: npt.NDArray[np.uint8], counts: NumberArray
) -> None:
    """Lower the numbers of rows that come before splitters whose leading words are theirs, and count rows by number.

    Parameters
    ----------
    words, splitters : ndarray of uint64, shape (words, rows)
        The words of rows and of splitters, the most significant first; splitters ascend.
    rows : ndarray of int64
        The row numbers from which on rows that equal a splitter are beyond it.
    first : int
        The number of the first row.
    numbers : ndarray of uint8
        How many splitters begin with no larger words than each row: changed to how many are not after it.
    counts : ndarray of int64
        To be added to.
    """
    nwords, leading = len(words), splitters[0]
    for row in range(len(numbers)):
        number = np.int64(numbers[row])
        while number and leading[number - 1] == words[0, row]:
            place = 1
            while place < nwords and words[place, row] == splitters[place, number - 1]:
                place += 1
            if place == nwords:
                if rows[number - 1] <= first + row:
                    break
            elif splitters[place, number - 1] < words[place, row]:
                break
            number -= 1
        numbers[row] = number
        counts[number] += 1


@compiled
def write_ranges(
    numbers: NumberArray, values: NumberArray, positions: npt.NDArray[np.uint64], out: NumberArray
) -> None:
    """Write each value to the next position of its range; `positions` are moved on."""
    for row in range(len(values)):
        number = numbers[row]
        at = positions[number]
        out[at] = values[row]
        positions[number] = at + np.uint64(1)
