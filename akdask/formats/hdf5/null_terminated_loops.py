"""Loops that take the NUL off the end of each string, or put it there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from akdask.columns.memory import new_array
from akdask.columns.strings import offsets_and_bytes
from akdask.compiler import compiled, read_only
from akdask.operators.keys.keys import Words
from akdask.operators.keys.loop_words import (
    BYTES,
    CHUNK,
    MARGIN,
    NONE,
    ONE,
    Text,
    copy_chunk,
    copy_text,
    readable,
    word_at,
)
from akdask.operators.keys.string_loops import leading_bytes, swapped
from akdask.typing import NumberArray

WORDS_PER_STEP = np.uint64(CHUNK)
LAST_ASCII = np.uint8(127)


def without_nuls(values: NumberArray, bounds: NumberArray) -> tuple[NumberArray, NumberArray, bool] | None:
    """Return offsets, bytes without the NUL of each string, some more of no meaning, and whether all are ASCII.

    None if one does not end with NUL, or there are others.
    """
    count = len(bounds) - 1
    offsets, text = new_array(count + 1, np.int64), new_array(len(values) + MARGIN, np.uint8)
    found = _take_off(read_only(values), read_only(bounds), offsets, text)
    if found < 0 or (found and len(values) - np.count_nonzero(values) != count):
        return None
    text = text[: int(offsets[-1]) + MARGIN]
    # So a caller that reads a little further need not copy.
    text[-MARGIN:] = 1
    return offsets, text, not found


@compiled
def _take_off(values: Text, bounds: NumberArray, offsets: NumberArray, text: Text) -> int:
    """Copy strings without their last bytes; return -1 if one is not NUL or missing, 1 if others are, or not ASCII.

    The bounds have not been validated; only their number is known.
    """
    base, size = bounds[0], len(values)
    seen = NONE
    offsets[0] = 0
    for row in range(len(bounds) - 1):
        start, stop = bounds[row] - base, bounds[row + 1] - base
        if not 0 <= start < stop <= size or values[stop - 1]:
            return -1
        at, into = np.uint64(start), np.uint64(start - row)
        offsets[row + 1] = stop - row - 1
        if stop + CHUNK <= size:
            # Bytes copied beyond the end are overwritten.
            for left in range(stop - start - 1, 0, -CHUNK):
                used = (ONE << min(np.uint64(left), WORDS_PER_STEP)) - ONE
                seen |= copy_text(values, at, text, into) & used
                at, into = at + WORDS_PER_STEP, into + WORDS_PER_STEP
        else:
            for ahead in range(NONE, np.uint64(stop - start - 1), ONE):
                byte = values[at + ahead]
                seen |= np.uint64(byte > LAST_ASCII or not byte)
                text[into + ahead] = byte
    return 1 if seen else 0


def with_nuls(strings: pa.LargeStringArray, least: Words, most: Words) -> NumberArray | None:
    """Return the bytes of strings with a NUL behind each; None if one contains NUL.

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
    """Copy strings with a NUL behind each, and widen a range; there is room for a chunk behind the last.

    Return 0 unless there is a NUL among the bytes, or close behind them.
    """
    nuls, at = NONE, NONE
    low, high = least[0], most[0]
    for row in range(np.uint64(len(offsets) - 1)):
        # There is a NUL for each string before.
        stop, into = offsets[row + ONE] - offsets[0], at + row
        first = swapped(leading_bytes(word_at(text, at), at, stop))
        # Most strings lie between, and the second word need not be compared.
        if not low < first < high:
            second = swapped(leading_bytes(word_at(text, at + BYTES), at + BYTES, stop))
            if first < least[0] or (first == least[0] and second < least[1]):
                low = least[0] = first
                least[1] = second
            if first > most[0] or (first == most[0] and second > most[1]):
                high = most[0] = first
                most[1] = second
        # Bytes copied beyond the end are overwritten.
        nuls |= copy_chunk(text, at, values, into)
        for ahead in range(WORDS_PER_STEP, stop - at, WORDS_PER_STEP):
            nuls |= copy_chunk(text, at + ahead, values, into + ahead)
        values[stop + row] = 0
        at = stop
    return nuls
