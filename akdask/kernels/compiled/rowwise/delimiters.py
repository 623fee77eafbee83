"""A loop that looks for one delimiter in each string, and leaves the rest of it unread."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from akdask.columns import offsets_and_bytes
from akdask.kernels.compiled.compiler import compiled, read_only
from akdask.kernels.compiled.words import NONE, ONE, Text
from akdask.kernels.core.words import Words
from akdask.typing import NumberArray


def delimiter_starts(strings: pa.LargeStringArray, delimiter: bytes, times: int, *, from_right: bool) -> NumberArray:
    """Return where the delimiter of a number begins in each row, counted from the first byte of the first row.

    It is that of number `times`, from 1 on, of those that do not overlap, from the left or from the right; -1 where
    there are not as many.
    """
    offsets, text = offsets_and_bytes(strings)
    found = np.full(len(strings), -1, np.int64)
    pattern = read_only(np.frombuffer(delimiter, np.uint8))
    find = _from_right if from_right else _from_left
    find(read_only(offsets.view(np.uint64)), read_only(text), pattern, np.uint64(times), found)
    return found


@compiled
def _from_left(offsets: Words, text: Text, pattern: Text, times: np.uint64, found: NumberArray) -> None:
    size, first = np.uint64(len(pattern)), pattern[0]
    for row in range(len(found)):
        at, stop, left = offsets[row] - offsets[0], offsets[row + 1] - offsets[0], times
        while at + size <= stop:
            if text[at] == first:
                inner = ONE
                while inner < size and text[at + inner] == pattern[inner]:
                    inner += ONE
                if inner == size:
                    left -= ONE
                    if left == NONE:
                        found[row] = at
                        break
                    at += size
                    continue
            at += ONE


@compiled
def _from_right(offsets: Words, text: Text, pattern: Text, times: np.uint64, found: NumberArray) -> None:
    size, first = np.uint64(len(pattern)), pattern[0]
    for row in range(len(found)):
        start, end, left = offsets[row] - offsets[0], offsets[row + 1] - offsets[0], times
        while end >= start + size:
            at = end - size
            if text[at] == first:
                inner = ONE
                while inner < size and text[at + inner] == pattern[inner]:
                    inner += ONE
                if inner == size:
                    left -= ONE
                    if left == NONE:
                        found[row] = at
                        break
                    end -= size
                    continue
            end -= ONE
