"""Loops over the words of strings: what they have in common, their codes and back, and their hashes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from akdask.kernels import keys
from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.compiled.words import AT_ONCE, BITS, BYTES, NONE, ONE, Text, put_word, readable, word_at
from akdask.kernels.hashing import FIRST, HALF, SECOND
from akdask.kernels.keys import Words

ALL, LAST_PLACE, QUARTER = np.uint64(2**64 - 1), np.uint64(63), np.uint64(4)
DOUBLE, BYTES_OF_PAIRS, PAIRS_OF_QUADS = np.uint64(16), np.uint64(0x00FF00FF00FF00FF), np.uint64(0x0000FFFF0000FFFF)
TEXT_BYTES, FIRST_BYTES = np.uint64(keys.TEXT_BYTES), ALL << BYTES


@compiled
def swapped(word: np.uint64) -> np.uint64:
    """Return a word with its bytes the other way round."""
    word = ((word >> BYTES) & BYTES_OF_PAIRS) | ((word & BYTES_OF_PAIRS) << BYTES)
    word = ((word >> DOUBLE) & PAIRS_OF_QUADS) | ((word & PAIRS_OF_QUADS) << DOUBLE)
    return (word >> HALF) | (word << HALF)


@compiled
def cut(word: np.uint64, at: np.uint64, stop: np.uint64) -> np.uint64:
    """Return a word without the bytes that are behind the end of its string."""
    # Half of the places twice, for a shift by all 64 is undefined; and nothing here has to be guessed.
    places = HALF - QUARTER * min(stop - min(at, stop), BYTES)
    return word & ((ALL >> places) >> places)


@compiled
def differences(offsets: Words, text: Text, common: Words, varying: Words) -> None:
    """Mark the bits in which words of strings differ from given ones."""
    nrows = np.uint64(len(offsets) - 1)
    for first in range(NONE, nrows, AT_ONCE):
        rows = min(AT_ONCE, nrows - first)
        for number in range(np.uint64(len(common))):
            ahead = BYTES * number
            differ, same = NONE, common[number]
            for row in range(first, first + rows):
                at = offsets[row] - offsets[0] + ahead
                differ |= cut(word_at(text, at), at, offsets[row + ONE] - offsets[0]) ^ same
            varying[number] |= differ


@compiled
def encode(
    offsets: Words, text: Text, shortest: np.uint64, masks: Words, moves: Words, bits: Words, into: Words, codes: Words
) -> None:
    """Append bits of the words of strings to their codes.

    Parameters
    ----------
    offsets, text : ndarray
        The strings.
    shortest : uint64
        What to take off the lengths.
    masks : ndarray of uint64
        Which bits are wanted of each word, its first byte in the highest place.
    moves : ndarray of uint64, shape (words, steps)
        Which bits move right by 1, 2, 4, … places to come together.
    bits, into : ndarray of uint64
        How many bits of each word, and last of the length, go to which code.
    codes : ndarray of uint64, shape (codes, rows)
        Zeros at first.
    """
    count, nrows = np.uint64(len(masks)), np.uint64(len(offsets) - 1)
    some = np.empty(AT_ONCE, np.uint64)
    for first in range(NONE, nrows, AT_ONCE):
        rows = min(AT_ONCE, nrows - first)
        for number in range(count + ONE):
            if not bits[number]:
                continue
            if number == count:
                for row in range(rows):
                    some[row] = offsets[first + row + ONE] - offsets[first + row] - shortest
            else:
                ahead, mask = BYTES * number, masks[number]
                for row in range(rows):
                    at = offsets[first + row] - offsets[0] + ahead
                    some[row] = swapped(cut(word_at(text, at), at, offsets[first + row + ONE] - offsets[0])) & mask
                for step in range(moves.shape[1]):
                    moved, places = moves[number, step], ONE << np.uint64(step)
                    if moved:
                        for row in range(rows):
                            moving = some[row] & moved
                            some[row] = (some[row] ^ moving) | (moving >> places)
            # A shift by all 64 bits is undefined; nothing is there to be shifted then.
            code, places = into[number], bits[number] & LAST_PLACE
            for row in range(rows):
                codes[code, first + row] = (codes[code, first + row] << places) | some[row]


@compiled
def decode(
    codes: Words,
    masks: Words,
    moves: Words,
    bits: Words,
    into: Words,
    common: Words,
    behind: Words,
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
    behind : ndarray of uint64
        How many bits of the same code are behind those of each word.
    offsets : ndarray of uint64
        Where to write the strings.
    text : ndarray of uint8
        Filled; there are 8 bytes more.
    """
    nrows = np.uint64(len(offsets) - 1)
    some = np.empty(AT_ONCE, np.uint64)
    for first in range(NONE, nrows, AT_ONCE):
        rows = min(AT_ONCE, nrows - first)
        # The last word of a string reaches into those behind it, whose first words are written later.
        for number in range(len(common) - 1, -1, -1):
            code, right, kept = into[number], behind[number], ALL >> ((BITS - bits[number]) & LAST_PLACE)
            if bits[number]:
                for row in range(rows):
                    some[row] = (codes[code, first + row] >> right) & kept
            else:
                some[:rows] = NONE
            for step in range(moves.shape[1] - 1, -1, -1):
                places = ONE << np.uint64(step)
                moved = moves[number, step] >> places
                if moved:
                    for row in range(rows):
                        moving = some[row] & moved
                        some[row] = (some[row] ^ moving) | (moving << places)
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
            word = (swapped(cut(word_at(text, at), at, stop)) & FIRST_BYTES) | min(stop - at, BYTES)
            # The first word is mixed as it is, those that follow together with what came before.
            found = ((found * FIRST) ^ word) * FIRST
            found = (found ^ (found >> HALF)) * SECOND
            found ^= found >> HALF
            at += TEXT_BYTES
            if at >= stop:
                break
        hashes[row] = found
