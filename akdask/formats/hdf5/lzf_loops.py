"""A loop that unpacks data compressed by HDF5's LZF filter."""

from __future__ import annotations

import numpy as np

from akdask.columns.memory import new_array
from akdask.compiler import compiled, read_only
from akdask.typing import NumberArray


def unpack_lzf(data: NumberArray, limit: int) -> NumberArray | None:
    """Return the bytes that were packed, None if the data is damaged or unpacks to more than `limit` bytes."""
    out = new_array(limit, np.uint8)
    count = _unpack(read_only(data), out)
    return None if count < 0 else out[:count]


@compiled
def _unpack(packed: NumberArray, out: NumberArray) -> int:
    """Return how many bytes were made, -1 if a step reads or writes where it may not."""
    place, done, end, limit = 0, 0, len(packed), len(out)
    while place < end:
        control = int(packed[place])
        place += 1
        if control < 32:
            count = control + 1
            if place + count > end or done + count > limit:
                return -1
            for step in range(count):
                out[done + step] = packed[place + step]
            place += count
            done += count
            continue
        count = control >> 5
        if count == 7:
            if place >= end:
                return -1
            count += int(packed[place])
            place += 1
        if place >= end:
            return -1
        start = done - ((control & 31) << 8) - int(packed[place]) - 1
        place += 1
        count += 2
        if start < 0 or done + count > limit:
            return -1
        # Byte by byte: a copy may overlap its own output, which then repeats.
        for step in range(count):
            out[done + step] = out[start + step]
        done += count
    return done
