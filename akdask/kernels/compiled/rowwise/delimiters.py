"""A loop that looks for one delimiter in each string, and leaves the rest of it unread."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from akdask.columns import offsets_and_bytes
from akdask.kernels.compiled.compiler import compiled, read_only
from akdask.kernels.compiled.words import ONE, Text
from akdask.typing import NumberArray


def delimiter_starts(strings: pa.LargeStringArray, delimiter: bytes, times: int, *, from_right: bool) -> NumberArray:
    """Return where the delimiter of a number begins in each row, counted from the first byte of the first row.

    It is that of number `times`, from 1 on, of those that do not overlap, from the left or from the right; -1 where
    there are not as many.
    """
    offsets, text = offsets_and_bytes(strings)
    found = np.full(len(strings), -1, np.int64)
    pattern = read_only(np.frombuffer(delimiter, np.uint8))
    _find(read_only(offsets), read_only(text), pattern, times, -1 if from_right else 1, found)
    return found


@compiled
def _find(offsets: NumberArray, text: Text, pattern: Text, times: int, step: int, found: NumberArray) -> None:
    size, length, first = len(pattern), np.uint64(len(pattern)), pattern[0]
    for row in range(len(found)):
        start, last, left = offsets[row] - offsets[0], offsets[row + 1] - offsets[0] - size, times
        at = start if step > 0 else last
        while start <= at <= last:
            # Without a sign, as a negative one would count from the end.
            place = np.uint64(at)
            if text[place] != first:
                at += step
                continue
            inner = ONE
            while inner < length and text[place + inner] == pattern[inner]:
                inner += ONE
            if inner < length:
                at += step
                continue
            left -= 1
            if left == 0:
                found[row] = at
                break
            at += step * size
