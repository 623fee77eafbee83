"""Strings at given positions of a table that is larger than the caches."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from akdask.columns.memory import new_array
from akdask.columns.strings import offsets_and_bytes
from akdask.compiler import compiled, read_only
from akdask.operators.keys.keys import Words
from akdask.operators.keys.loop_words import CHUNK, NONE, ONE, Text, copy_chunk
from akdask.operators.keys.prefetch import AHEAD, prefetch
from akdask.typing import NumberArray


def gather_strings(strings: pa.LargeStringArray, positions: NumberArray, *, fill: bool) -> pa.LargeStringArray | None:
    """Return the strings at some positions.

    Where the table has none at a position, it is an empty string if `fill`; otherwise nothing is returned at all.
    """
    offsets, text = offsets_and_bytes(strings)
    count = len(positions)
    starts, ends = new_array(count, np.uint64), new_array(count + 1, np.uint64)
    if not _find(read_only(offsets.view(np.uint64)), read_only(positions.view(np.uint64)), starts, ends) and not fill:
        return None
    into = new_array(int(ends[-1]) + CHUNK, np.uint8)
    _copy(read_only(text), read_only(starts), read_only(ends), into)
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(into))


@compiled
def _find(offsets: Words, positions: Words, starts: Words, ends: Words) -> bool:
    """Note where the strings at some positions begin, and where they will end; tell whether all are there."""
    base, size, last = offsets[0], np.uint64(len(offsets) - 1), len(positions) - 1
    end, all_there = NONE, True
    ends[0] = NONE
    for row in range(len(positions)):
        prefetch(offsets, positions[min(row + AHEAD, last)])
        position = positions[row]
        is_there = position < size
        all_there &= is_there
        start = offsets[position] if is_there else base
        end += (offsets[position + ONE] if is_there else base) - start
        starts[row], ends[row + 1] = start - base, end
    return all_there


@compiled
def _copy(text: Text, starts: Words, ends: Words, into: Text) -> None:
    """Copy strings by chunks: what is copied behind the end of one is written over by the next."""
    size, last, chunk = np.uint64(len(text)), len(starts) - 1, np.uint64(CHUNK)
    for row in range(len(starts)):
        ahead = min(row + AHEAD, last)
        prefetch(text, starts[ahead])
        # Where a string ends is often in another line of the cache.
        prefetch(text, starts[ahead] + (ends[ahead + 1] - ends[ahead]))
        start, target, stop = starts[row], ends[row], ends[row + 1]
        if start + (stop - target) + chunk <= size:
            copy_chunk(text, start, into, target)
            while target + chunk < stop:
                start += chunk
                target += chunk
                copy_chunk(text, start, into, target)
        else:
            while target < stop:
                into[target] = text[start]
                start += ONE
                target += ONE


@compiled
def copy_masked(mask: NumberArray, column: NumberArray, out: NumberArray) -> np.uint64:
    """Write the values whose mark is not 0 one after the other, and return how many there are.

    There is room for one more: each is written, and only counted where it has a mark.
    """
    count = np.uint64(0)
    for row in range(len(column)):
        out[count] = column[row]
        count += np.uint64(mask[row] != 0)
    return count
