"""Rows numbered by group, and reduced."""

from __future__ import annotations

import numpy as np

from akdask.compiler import compiled
from akdask.operators.keys import keys
from akdask.operators.keys.keys import FIRST, HALF, SECOND, Words
from akdask.typing import NumberArray

MOST_MOVES = np.uint64(4)
"""By how many rows a row is moved to its place, at most and on average: of more, hashing is faster."""

NONE, ONE, WORD_BITS = np.uint64(0), np.uint64(1), np.uint64(keys.WORD_BITS)


@compiled
def least_and_most(numbers: Words) -> tuple[np.uint64, np.uint64]:
    """Return the smallest and the largest of some numbers, at least one, in one pass through memory."""
    least = most = numbers[0]
    for number in numbers:
        least = number if number < least else least
        most = number if number > most else most
    return least, most


@compiled
def pack(
    keys: Words, first: np.uint64, lost: np.uint64, shift: np.uint64, start: np.uint64, words: Words, packed: Words
) -> None:
    """Write keys counted from the first, and their bits but lost ones with the row numbers, from some row on."""
    for row in range(np.uint64(len(keys))):
        key = keys[row] - first
        words[start + row] = key
        packed[start + row] = ((key >> lost) << shift) | (start + row)


@compiled
def pack_keys(first: Words, second: Words, shift: np.uint64, packed: Words) -> int:
    """Write the leading bits of keys of two words with the row numbers; all of the first fit, or nothing is written.

    One call looks for the ranges of the words as well, since there are many slices of rows, and threads wait for each
    other between calls.

    Parameters
    ----------
    first, second : ndarray of uint64
        The words; no first ones if there is only one of each key.
    shift : uint64
        How many bits the row number has.
    packed : ndarray of uint64
        The results.

    Returns
    -------
    int
        1 if all bits of the keys are there, 0 if not all of the second word, -1 if nothing has been written.
    """
    first_low, first_bits = _range(first)
    low, bits = _range(second)
    free = WORD_BITS - shift
    if first_bits >= free:
        return -1
    taken = min(free - first_bits, bits)
    lost = bits - taken
    for row in range(np.uint64(len(second))):
        key = (second[row] - low) >> lost
        if len(first):
            key |= (first[row] - first_low) << taken
        packed[row] = (key << shift) | row
    return 0 if lost else 1


@compiled
def _range(words: Words) -> tuple[np.uint64, np.uint64]:
    """Return the smallest word, and how many bits tell the others from it; 0 bits if there are none."""
    if not len(words):
        return NONE, NONE
    low, high = least_and_most(words)
    bits, span = NONE, high - low
    while span:
        bits, span = bits + ONE, span >> ONE
    return low, bits


@compiled
def number_sorted(
    packed: Words, bits: np.uint64, rest: Words, is_complete: bool, codes: NumberArray, firsts: NumberArray
) -> np.int64:
    """Give the rows of sorted words the number of their key, and note the first row of each key.

    Parameters
    ----------
    packed : ndarray of uint64
        Leading bits of the keys with the row numbers, in order.
    bits : uint64
        How many bits the row number has.
    rest : ndarray of uint64
        The further bits of the keys, or all, of each row.
    is_complete : bool
        Whether the words have all bits of the keys.
    codes, firsts : ndarray of int32 and of int64
        The results, as long as there are rows.

    Returns
    -------
    int
        Number of different keys; -1 where bits that the words lack would change the order.
    """
    mask = (ONE << bits) - ONE
    descends = False
    groups = ONE
    row = packed[0] & mask
    firsts[0] = row
    codes[row] = 0
    leading, further = packed[0] >> bits, ONE if is_complete else rest[row]
    for position in range(1, len(packed)):
        row = packed[position] & mask
        key, others = packed[position] >> bits, ONE if is_complete else rest[row]
        descends |= (key == leading) & (others < further)
        # Branches would be mispredicted: where no group begins, the next row overwrites what was written.
        firsts[groups] = row
        groups += np.uint64((key != leading) | (others != further))
        codes[row] = groups - ONE
        leading, further = key, others
    return np.int64(-1) if descends else np.int64(groups)


@compiled
def sort_ties(packed: Words, bits: np.uint64, rest: Words) -> bool:
    """Bring the rows of sorted words that have the same leading bits in the order of further ones.

    Return whether that is done: of many rows it is not, as hashing is faster.

    Parameters
    ----------
    packed, bits, rest
        As `number_sorted` takes them.
    """
    mask, limit = (ONE << bits) - ONE, MOST_MOVES * np.uint64(len(packed))
    moves = NONE
    for position in range(ONE, np.uint64(len(packed))):
        entry, at = packed[position], np.uint64(position)
        if entry >> bits != packed[at - ONE] >> bits:
            continue
        further = rest[entry & mask]
        while at and packed[at - ONE] >> bits == entry >> bits and further < rest[packed[at - ONE] & mask]:
            packed[at] = packed[at - ONE]
            at -= ONE
        packed[at] = entry
        moves += position - at
        if moves > limit:
            return False
    return True


@compiled
def number_sorted_wide(
    packed: Words, bits: np.uint64, keys: Words, others: Words, codes: NumberArray, firsts: NumberArray
) -> np.int64:
    """Give rows numbers so by keys of more words: the first in `keys`, `others` of shape (words - 1, rows) the further.

    Keys are looked at only where leading bits are the same: mostly few of them are, and keys lie far from each other.
    Rows that other bits have in another order are moved, unless they are many, where -1 is returned.
    """
    mask = (ONE << bits) - ONE
    nrows = np.uint64(len(packed))
    groups = start = moves = NONE
    while start < nrows:
        leading, stop = packed[start] >> bits, start + ONE
        while stop < nrows and packed[stop] >> bits == leading:
            stop += ONE
        for position in range(start + ONE, stop):
            entry, at = packed[position], np.uint64(position)
            while at > start and _order(keys, others, entry & mask, packed[at - ONE] & mask) < 0:
                packed[at] = packed[at - ONE]
                at -= ONE
            packed[at] = entry
            moves += position - at
            if moves > MOST_MOVES * nrows:
                return np.int64(-1)
        before = packed[start] & mask
        for position in range(start, stop):
            row = packed[position] & mask
            if position == start or _order(keys, others, row, before):
                firsts[groups] = row
                groups += ONE
            codes[row] = groups - ONE
            before = row
        start = stop
    return np.int64(groups)


@compiled
def _order(keys: Words, others: Words, row: np.uint64, before: np.uint64) -> int:
    """Return -1 where the key of a row is smaller than that of another, 0 where both are the same, else 1."""
    if keys[row] != keys[before]:
        return -1 if keys[row] < keys[before] else 1
    for number in range(len(others)):
        if others[number, row] != others[number, before]:
            return -1 if others[number, row] < others[number, before] else 1
    return 0


@compiled
def number_hashed(words: Words, slots: NumberArray, codes: NumberArray, firsts: NumberArray) -> int:
    """Give rows the number of their key, in the order in which keys are met, and note the first row of each key.

    Parameters
    ----------
    words : ndarray of uint64, shape (words, rows)
        The keys.
    slots : ndarray of int32
        A hash table without entries (-1), of a power of two of slots, more than there are rows.
    codes, firsts : ndarray of int32 and of int64
        The results, as long as there are rows.

    Returns
    -------
    int
        Number of different keys.
    """
    groups = 0
    last = np.uint64(len(slots) - 1)
    for row in range(words.shape[1]):
        hashed = words[0, row] * FIRST
        for number in range(1, len(words)):
            hashed = ((hashed ^ (hashed >> HALF)) + words[number, row]) * SECOND
        slot = ((hashed ^ (hashed >> HALF)) * FIRST >> HALF) & last
        while True:
            code = slots[slot]
            if code < 0:
                code = slots[slot] = groups
                firsts[groups] = row
                groups += 1
                break
            differ = np.uint64(0)
            for number in range(len(words)):
                differ |= words[number, row] ^ words[number, firsts[code]]
            if not differ:
                break
            slot = (slot + ONE) & last
        codes[row] = code
    return groups


@compiled
def count_at(codes: NumberArray, counts: NumberArray) -> None:
    """Add the number of rows of each group."""
    for row in range(len(codes)):
        counts[np.uint64(codes[row])] += 1


@compiled
def add_at(codes: NumberArray, values: NumberArray, totals: NumberArray) -> None:
    """Add values up for each group, in the order of the rows."""
    for row in range(len(codes)):
        totals[np.uint64(codes[row])] += values[row]


@compiled
def minimum_at(codes: NumberArray, values: NumberArray, least: NumberArray) -> None:
    """Find the smallest value of each group; NaN if there is one."""
    for row in range(len(codes)):
        group, value = np.uint64(codes[row]), values[row]
        so_far = least[group]
        least[group] = so_far if so_far < value or so_far != so_far else value


@compiled
def maximum_at(codes: NumberArray, values: NumberArray, most: NumberArray) -> None:
    """Find the largest value of each group; NaN if there is one."""
    for row in range(len(codes)):
        group, value = np.uint64(codes[row]), values[row]
        so_far = most[group]
        most[group] = so_far if so_far > value or so_far != so_far else value


@compiled
def fmin_at(codes: NumberArray, values: NumberArray, least: NumberArray) -> None:
    """Find the smallest value of each group that is not NaN."""
    for row in range(len(codes)):
        group, value = np.uint64(codes[row]), values[row]
        so_far = least[group]
        least[group] = so_far if so_far <= value or value != value else value


@compiled
def fmax_at(codes: NumberArray, values: NumberArray, most: NumberArray) -> None:
    """Find the largest value of each group that is not NaN."""
    for row in range(len(codes)):
        group, value = np.uint64(codes[row]), values[row]
        so_far = most[group]
        most[group] = so_far if so_far >= value or value != value else value


@compiled
def arrange(codes: NumberArray, values: NumberArray, ends: NumberArray, arranged: NumberArray) -> None:
    """Put the values of each group side by side, in their order.

    `ends` says where those of each group begin, and in the end where they end.
    """
    for row in range(len(codes)):
        group = np.uint64(codes[row])
        at = np.uint64(ends[group])
        arranged[at] = values[row]
        ends[group] = at + ONE
