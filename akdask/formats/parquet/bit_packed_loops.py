"""Loops over numbers of few bits, packed end to end between runs, as Parquet stores positions in a dictionary."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.compiler import compiled, read_only
from akdask.operators.keys.loop_words import ONE, Text, word_at
from akdask.typing import NumberArray

MARGIN = 16
"""Bytes read beyond the end of packed data."""

WIDEST = 32
"""Bits of a position."""

_SEVEN, _THREE, _TWO = np.uint64(7), np.uint64(3), np.uint64(2)
_MOST_BY_GROUP = np.uint64(15)  # widest positions, four of which fit into a word that begins with any bit of a byte
_LONGEST = np.int64(2**40)


def look_up(packed: NumberArray, width: int, words: NumberArray, out: NumberArray) -> bool:
    """Fill an array with the words at packed positions; False if the count differs or a position is invalid.

    Parameters
    ----------
    packed : ndarray of uint8
        Runs and groups of eight positions, and `MARGIN` bytes of no meaning.
    width : int
        Bits of a position, at most `WIDEST`.
    words : ndarray of uint64
        The dictionary, with at least one word.
    out : ndarray of uint64
        As many as there are positions.
    """
    last = len(packed) - MARGIN
    return bool(look_up_some(read_only(packed), 0, last, width, read_only(words), len(words), 0, out))


@compiled
def look_up_some(
    packed: Text, first: int, last: int, width: int, words: NumberArray, nwords: int, skipped: int, out: NumberArray
) -> bool:
    """Do the same with the bytes from `first` to `last`, and leave out the first positions.

    `words` may continue behind the first `nwords`, for positions that no valid file has: if it is as long as the range
    of positions, no position needs a check before the lookup.
    """
    at, stop, bits = np.uint64(first), np.uint64(last), np.uint64(width)
    count, known = np.int64(len(out)), np.uint64(nwords)
    mask = (ONE << bits) - ONE
    two, three, half = bits + bits, bits + bits + bits, bits << _TWO
    by_group = bits <= _MOST_BY_GROUP and mask < np.uint64(len(words))
    row = -np.int64(skipped)
    while row < count:
        # The header of a run: a varint of its length, whose lowest bit means packed positions rather than one repeated.
        header, shift = np.uint64(0), np.uint64(0)
        while True:
            if at >= stop or shift > np.uint64(35):
                return False
            byte = np.uint64(packed[at])
            at += ONE
            header |= (byte & np.uint64(127)) << shift
            shift += _SEVEN
            if byte < np.uint64(128):
                break
        length = np.int64(header >> ONE)
        if header & ONE:
            nbytes, length = np.uint64(length) * bits, length * 8
        else:
            nbytes = (bits + _SEVEN) >> _THREE
        if nbytes > stop - at or not 0 < length < _LONGEST:
            return False
        # The rows of the run within the output; the highest position is checked once for the run.
        begin = row if row > 0 else np.int64(0)
        end = row + length if row + length < count else count
        if begin < end:
            highest = np.uint64(0)
            if header & ONE:
                bit = np.uint64(begin - row) * bits
                place: Any = begin
                if by_group and not (begin - row) & 7:
                    # Eight positions begin with a byte, and four of them are in one word.
                    here = at + (bit >> _THREE)
                    while place + 8 <= end:
                        word = word_at(packed, here)
                        a, b, c, d = word & mask, (word >> bits) & mask, (word >> two) & mask, (word >> three) & mask
                        word = word_at(packed, here + (half >> _THREE)) >> (half & _SEVEN)
                        e, f, g, h = word & mask, (word >> bits) & mask, (word >> two) & mask, (word >> three) & mask
                        highest = max(highest, a, b, c, d, e, f, g, h)
                        out[place], out[place + 1], out[place + 2], out[place + 3] = (
                            words[a],
                            words[b],
                            words[c],
                            words[d],
                        )
                        place += 4
                        out[place], out[place + 1], out[place + 2], out[place + 3] = (
                            words[e],
                            words[f],
                            words[g],
                            words[h],
                        )
                        place += 4
                        here += bits
                    bit = np.uint64(place - row) * bits
                # The remaining positions, one by one.
                for rest in range(place, end):
                    position = (word_at(packed, at + (bit >> _THREE)) >> (bit & _SEVEN)) & mask
                    bit += bits
                    highest = position if position > highest else highest
                    out[rest] = words[position if position < known else np.uint64(0)]
            else:
                highest = word_at(packed, at) & mask
                word = words[highest if highest < known else np.uint64(0)]
                for place in range(begin, end):
                    out[place] = word
            if highest >= known:
                return False
        row, at = row + length, at + nbytes
    return True
