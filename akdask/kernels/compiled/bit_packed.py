"""Loops over numbers of few bits, packed end to end between runs, as Parquet stores positions in a dictionary."""

from __future__ import annotations

import numpy as np

from akdask.kernels.compiled.compiler import compiled, read_only
from akdask.kernels.compiled.words import ONE, Text, word_at
from akdask.typing import NumberArray

MARGIN = 16
"""Bytes that are read behind the end of what is packed."""

WIDEST = 32
"""Bits of a position."""

_SEVEN, _EIGHT, _THREE = np.uint64(7), np.uint64(8), np.uint64(3)


def look_up(packed: NumberArray, width: int, words: NumberArray, out: NumberArray) -> bool:
    """Fill an array with the words at packed positions; False if these are not as many, or one is of no word.

    Parameters
    ----------
    packed : ndarray of uint8
        Runs and groups of eight positions, and `MARGIN` bytes of no meaning.
    width : int
        Bits of a position, at most `WIDEST`.
    words : ndarray of uint64
        What positions stand for.
    out : ndarray of uint64
        As many as there are positions.
    """
    return bool(_look_up(read_only(packed), np.uint64(width), read_only(words), out))


@compiled
def _look_up(packed: Text, width: np.uint64, words: NumberArray, out: NumberArray) -> bool:
    at, stop = np.uint64(0), np.uint64(len(packed) - MARGIN)
    row, count, known = np.int64(0), np.int64(len(out)), np.uint64(len(words))
    mask = (ONE << width) - ONE
    while row < count:
        header, shift = np.uint64(0), np.uint64(0)
        while True:
            if at >= stop or shift > 35:
                return False
            byte = np.uint64(packed[at])
            at += ONE
            header |= (byte & np.uint64(127)) << shift
            shift += _SEVEN
            if byte < 128:
                break
        if header & ONE:
            nbytes = (header >> ONE) * width
            if nbytes > stop - at:
                return False
            length = np.int64(header >> ONE) * 8
            last = row + length if length < count - row else count
            bit, base = np.uint64(0), at
            highest = np.uint64(0)
            for place in range(row, last):
                position = (word_at(packed, base + (bit >> _THREE)) >> (bit & _SEVEN)) & mask
                bit += width
                highest = position if position > highest else highest
                out[place] = words[position if position < known else known - ONE]
            if highest >= known:
                return False
            row, at = last, at + nbytes
        else:
            nbytes = (width + _SEVEN) >> _THREE
            if nbytes > stop - at:
                return False
            position = word_at(packed, at) & mask
            length = np.int64(header >> ONE)
            if position >= known or not length:
                return False
            last = count if length > count - row else row + length
            word = words[position]
            for place in range(row, last):
                out[place] = word
            row, at = last, at + nbytes
    return True
