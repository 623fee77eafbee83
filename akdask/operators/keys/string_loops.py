"""Loops over the words of strings: their codes and back, and their hashes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from akdask.compiler import compiled
from akdask.operators.keys import keys
from akdask.operators.keys.keys import FIRST, HALF, SECOND, Words
from akdask.operators.keys.loop_words import BITS, BYTES, NONE, ONE, WORDS_PER_STEP, Text, put_word, readable, word_at

ALL, LAST_BIT, QUARTER = np.uint64(2**64 - 1), np.uint64(63), np.uint64(4)
DOUBLE, BYTES_OF_PAIRS, PAIRS_OF_QUADS = np.uint64(16), np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
TEXT_BYTES, FIRST_BYTES = np.uint64(keys.TEXT_BYTES), ALL << BYTES


@compiled
def swapped(word: np.uint64) -> np.uint64:
    """Return a word with its bytes the other way round."""
    word = ((word >> BYTES) & BYTES_OF_PAIRS) | ((word & BYTES_OF_PAIRS) << BYTES)
    word = ((word >> DOUBLE) & PAIRS_OF_QUADS) | ((word & PAIRS_OF_QUADS) << DOUBLE)
    return (word >> HALF) | (word << HALF)


@compiled
def leading_bytes(word: np.uint64, at: np.uint64, stop: np.uint64) -> np.uint64:
    """Return a word without the bytes that are behind the end of its string."""
    # Half of the places twice, for a shift by all 64 is undefined; and nothing here has to be guessed.
    shift = HALF - QUARTER * min(stop - min(at, stop), BYTES)
    return word & ((ALL >> shift) >> shift)


@compiled
def encode(
    offsets: Words,
    text: Text,
    shortest: np.uint64,
    longest: np.uint64,
    common: Words,
    masks: Words,
    moves: Words,
    bits: Words,
    into: Words,
    codes: Words,
    odd: Words,
) -> tuple[np.uint64, np.uint64, bool]:
    """Write strings as codes, which are made of some bits of their words.

    Parameters
    ----------
    offsets, text : ndarray
        The strings.
    shortest, longest : uint64
        Bounds of their lengths; nothing is written where they are beyond.
    common : ndarray of uint64
        The words of one of them, its first byte in the highest place.
    masks : ndarray of uint64
        Which bits are wanted of each word.
    moves : ndarray of uint64, shape (words, steps)
        Which bits move right by 1, 2, 4, … places to come together.
    bits, into : ndarray of uint64
        How many bits of each word, and last of the length, go to which code.
    codes : ndarray of uint64, shape (codes, rows)
        Filled.
    odd : ndarray of uint64
        Filled with the bits of each word that are not wanted, and differ from those of `common` in some string.

    Returns
    -------
    least, most : uint64
        Lengths of the shortest and the longest string.
    bool
        Whether the codes are whole: all lengths are within the bounds, and no bits are odd.
    """
    count, nrows = np.uint64(len(masks)), np.uint64(len(offsets) - 1)
    some = np.empty(WORDS_PER_STEP, np.uint64)
    least, most, differing = ALL, NONE, NONE
    odd[:] = NONE
    for first in range(NONE, nrows, WORDS_PER_STEP):
        rows = min(WORDS_PER_STEP, nrows - first)
        fewest, length = ALL, NONE
        for row in range(first, first + rows):
            size = offsets[row + ONE] - offsets[row]
            # Several lengths are compared at once, which they are not if written as `min` and `max`.
            fewest = size if size < fewest else fewest
            length = size if size > length else length
        least, most = min(least, fewest), max(most, length)
        if least < shortest or most > longest:
            continue
        for code in range(len(codes)):
            for row in range(rows):
                codes[code, first + row] = NONE
        for number in range(count):
            ahead, mask, same = BYTES * number, masks[number], common[number]
            start = offsets[first] - offsets[0] + ahead
            if fewest == length:
                # What begins at equal distances need not be looked up, and all ends at the same place.
                used = swapped(leading_bytes(ALL, ahead, length))
                for row in range(rows):
                    some[row] = swapped(word_at(text, start + row * length)) & used
            else:
                for row in range(rows):
                    at = offsets[first + row] - offsets[0] + ahead
                    some[row] = swapped(leading_bytes(word_at(text, at), at, offsets[first + row + ONE] - offsets[0]))
            differ = NONE
            for row in range(rows):
                differ |= some[row] ^ same
                some[row] &= mask
            odd[number] |= differ & ~mask
            differing |= odd[number]
            for step in range(moves.shape[1]):
                moved, shift = moves[number, step], ONE << np.uint64(step)
                if moved:
                    for row in range(rows):
                        moving = some[row] & moved
                        some[row] = (some[row] ^ moving) | (moving >> shift)
            if mask:
                # A shift by all 64 bits is undefined; nothing is there to be shifted then.
                code, shift = into[number], bits[number] & LAST_BIT
                for row in range(rows):
                    codes[code, first + row] = (codes[code, first + row] << shift) | some[row]
        if bits[count]:
            code, shift = into[count], bits[count] & LAST_BIT
            for row in range(rows):
                beyond = offsets[first + row + ONE] - offsets[first + row] - shortest
                codes[code, first + row] = (codes[code, first + row] << shift) | beyond
    return least, most, bool(least >= shortest and most <= longest and not differing)


@compiled
def decode(
    codes: Words,
    masks: Words,
    moves: Words,
    bits: Words,
    into: Words,
    common: Words,
    bits_below: Words,
    offsets: Words,
    text: Text,
) -> None:
    """Write the strings of codes, which `encode` makes.

    Parameters
    ----------
    codes, masks, moves, bits, into
        As in `encode`.
    common : ndarray of uint64
        The words, with 0 in the places of a mask.
    bits_below : ndarray of uint64
        How many bits of the same code are behind those of each word.
    offsets : ndarray of uint64
        Where to write the strings.
    text : ndarray of uint8
        Filled; there are 8 bytes more.
    """
    nrows = np.uint64(len(offsets) - 1)
    some = np.empty(WORDS_PER_STEP, np.uint64)
    for first in range(NONE, nrows, WORDS_PER_STEP):
        rows = min(WORDS_PER_STEP, nrows - first)
        # The last word of a string reaches into those behind it, whose first words are written later.
        for number in range(len(common) - 1, -1, -1):
            code, right, used = into[number], bits_below[number], ALL >> ((BITS - bits[number]) & LAST_BIT)
            if bits[number]:
                for row in range(rows):
                    some[row] = (codes[code, first + row] >> right) & used
            else:
                some[:rows] = NONE
            for step in range(moves.shape[1] - 1, -1, -1):
                shift = ONE << np.uint64(step)
                moved = moves[number, step] >> shift
                if moved:
                    for row in range(rows):
                        moving = some[row] & moved
                        some[row] = (some[row] ^ moving) | (moving << shift)
            ahead, same = BYTES * np.uint64(number), common[number]
            for row in range(rows):
                at = offsets[first + row] + ahead
                if at < offsets[first + row + ONE]:
                    put_word(text, at, swapped(some[row] | same))


def hash_strings(strings: pa.LargeStringArray) -> Words:
    """Return the hash of each string."""
    hashes = np.empty(len(strings), np.uint64)
    for first, offsets, text in readable(strings):
        _hash_words(offsets, text, hashes[first:])
    return hashes


@compiled
def _hash_words(offsets: Words, text: Text, hashes: Words) -> None:
    """Hash strings by words of 7 bytes, with the number of bytes that are left in the lowest place."""
    for row in range(np.uint64(len(offsets) - 1)):
        at, stop = offsets[row] - offsets[0], offsets[row + ONE] - offsets[0]
        found = NONE
        while True:
            word = (swapped(leading_bytes(word_at(text, at), at, stop)) & FIRST_BYTES) | min(stop - at, BYTES)
            # The first word is mixed as it is, those that follow together with what came before.
            found = ((found * FIRST) ^ word) * FIRST
            found = (found ^ (found >> HALF)) * SECOND
            found ^= found >> HALF
            at += TEXT_BYTES
            if at >= stop:
                break
        hashes[row] = found
