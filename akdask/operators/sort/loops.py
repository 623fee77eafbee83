"""Loops that find the ranges of keys, and pack keys with the numbers of their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.compiler import compiled
from akdask.operators.keys.float_loops import float_word
from akdask.operators.keys.keys import Words
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


FEW = 32
"""Rows of a group up to which each is compared with those before it until its place is found."""


@compiled
def order_few(groups: Words, words: Words, order: NumberArray, left: npt.NDArray[np.bool_]) -> int:
    """Order the rows of each small group, and find the large ones whose rows are not all equal.

    Parameters
    ----------
    groups : ndarray of uint64
        The number of the group of each row; ascending.
    words : ndarray of uint64, shape (words, rows)
        What rows are ordered by, the most significant first.
    order : ndarray of int64
        The positions of the rows, in order: changed.
    left : ndarray of bool
        Filled with whether a row is in a group that is left to be ordered.

    Returns
    -------
    int
        How many rows are left.
    """
    nwords, nrows, count, start = len(words), len(groups), 0, 0
    while start < nrows:
        stop = start + 1
        while stop < nrows and groups[stop] == groups[start]:
            stop += 1
        is_left = False
        if stop - start > FEW:
            for number in range(nwords):
                for row in range(start + 1, stop):
                    is_left |= words[number, row] != words[number, start]
        else:
            for row in range(start + 1, stop):
                place = row
                while place > start:
                    before, number = order[place - 1], 0
                    while number < nwords - 1 and words[number, before] == words[number, row]:
                        number += 1
                    if words[number, before] <= words[number, row]:
                        break
                    order[place] = before
                    place -= 1
                order[place] = row
        for row in range(start, stop):
            left[row] = is_left
        count += (stop - start) * is_left
        start = stop
    return count
