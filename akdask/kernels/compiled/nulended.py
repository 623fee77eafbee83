"""Loops that take the NUL off the end of each string, or put it there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from akdask.columns import new_array, offsets_and_bytes
from akdask.kernels.compiled.compiler import compiled, read_only
from akdask.kernels.compiled.texts import cut, swapped
from akdask.kernels.compiled.words import BYTES, CHUNK, NONE, ONE, Text, copy_chunk, copy_text, readable, word_at
from akdask.kernels.keys import Words
from akdask.typing import NumberArray

AT_ONCE = np.uint64(CHUNK)
LAST_ASCII = np.uint8(127)

ROWS_AT_ONCE = 2**14
"""Rows whose bytes are looked at twice while they are in the cache."""


def without_nuls(values: NumberArray, bounds: NumberArray) -> tuple[NumberArray, NumberArray, bool] | None:
    """Return offsets, bytes without the NUL of each string, and whether all are ASCII.

    None if one does not end with NUL, or there are others.
    """
    count, is_ascii = len(bounds) - 1, True
    offsets, text = new_array(count + 1, np.int64), new_array(len(values) + CHUNK, np.uint8)
    offsets[0] = 0
    values, bounds = read_only(values), read_only(bounds)
    for first in range(0, count, ROWS_AT_ONCE):
        last = min(first + ROWS_AT_ONCE, count)
        found = _take_off(values, bounds, first, last, offsets, text)
        if found < 0:
            return None
        # What has been copied is still in the cache.
        copied = values[bounds[first] - bounds[0] : bounds[last] - bounds[0]]
        if len(copied) - np.count_nonzero(copied) != last - first:
            return None
        is_ascii &= found == 0
    return offsets, text[: int(offsets[-1])], is_ascii


@compiled
def _take_off(values: Text, bounds: NumberArray, first: int, last: int, offsets: NumberArray, text: Text) -> int:
    """Copy some strings without their last bytes; return -1 if one is not NUL or not there, 1 if not all are ASCII.

    Nothing is known yet of the bounds but their number.
    """
    base, size = bounds[0], len(values)
    seen = NONE
    for row in range(first, last):
        start, stop = bounds[row] - base, bounds[row + 1] - base
        if not 0 <= start < stop <= size or values[stop - 1]:
            return -1
        at, into = np.uint64(start), np.uint64(start - row)
        offsets[row + 1] = stop - row - 1
        if stop + CHUNK <= size:
            # What is copied from behind the end is written over.
            for _ in range(NONE, np.uint64(stop - start - 1), AT_ONCE):
                seen |= copy_text(values, at, text, into)
                at, into = at + AT_ONCE, into + AT_ONCE
        else:
            for ahead in range(NONE, np.uint64(stop - start - 1), ONE):
                byte = values[at + ahead]
                seen |= np.uint64(byte > LAST_ASCII)
                text[into + ahead] = byte
    return 1 if seen else 0


def with_nuls(strings: pa.LargeStringArray, least: Words, most: Words) -> NumberArray | None:
    """Return the bytes of strings with NUL behind each; None if one contains NUL.

    The first two words of the smallest and of the largest string, their first bytes in the highest places, take theirs
    in.
    """
    offsets, text = offsets_and_bytes(strings)
    values = new_array(len(text) + len(strings) + CHUNK, np.uint8)
    for first, bounds, part in readable(strings):
        into = int(offsets[first] - offsets[0]) + first
        if _put_on(part, bounds, values[into:], least, most):
            return None
    return values[:-CHUNK]


@compiled
def _put_on(text: Text, offsets: Words, values: Text, least: Words, most: Words) -> np.uint64:
    """Copy strings with NUL behind each, and widen a range; there is room for a chunk behind the last.

    Return 0 unless there is a NUL among the bytes, or close behind them.
    """
    nuls, at = NONE, NONE
    low, high = least[0], most[0]
    for row in range(np.uint64(len(offsets) - 1)):
        # There is a NUL for each string before.
        stop, into = offsets[row + ONE] - offsets[0], at + row
        first = swapped(cut(word_at(text, at), at, stop))
        # Mostly it lies between, so the second word need not be looked at.
        if not low < first < high:
            second = swapped(cut(word_at(text, at + BYTES), at + BYTES, stop))
            if first < least[0] or (first == least[0] and second < least[1]):
                low = least[0] = first
                least[1] = second
            if first > most[0] or (first == most[0] and second > most[1]):
                high = most[0] = first
                most[1] = second
        # What is copied from behind the end is written over.
        nuls |= copy_chunk(text, at, values, into)
        for ahead in range(AT_ONCE, stop - at, AT_ONCE):
            nuls |= copy_chunk(text, at + ahead, values, into + ahead)
        values[stop + row] = 0
        at = stop
    return nuls
