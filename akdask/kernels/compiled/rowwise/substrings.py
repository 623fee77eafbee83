"""A loop that looks for a pattern in strings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.columns import offsets_and_bytes
from akdask.kernels.compiled.compiler import compiled, read_only
from akdask.kernels.compiled.words import BYTES, NONE, ONE, WIDTH, Text, word_at
from akdask.kernels.core.words import Words

CHUNK = 2**12
"""Positions that are compared at a time."""


def contain(strings: pa.LargeStringArray, pattern: bytes) -> npt.NDArray[np.bool_]:
    """Return which strings contain a pattern of one byte or more."""
    offsets, text = offsets_and_bytes(strings)
    found = np.zeros(len(strings), np.bool_)
    if len(pattern) <= len(text):
        _find(read_only(offsets.view(np.uint64)), read_only(text), np.frombuffer(pattern, np.uint8), found)
    return found


@compiled
def _find(offsets: Words, text: Text, pattern: Text, found: npt.NDArray[np.bool_]) -> None:
    """Mark the strings that contain a pattern: only where its ends fit, what is between them is compared."""
    size = np.uint64(len(pattern))
    nplaces, end = np.uint64(len(text)) - size + ONE, size - ONE
    first, last = pattern[0], pattern[end]
    fits = np.zeros(CHUNK + WIDTH, np.uint8)
    row = NONE
    for start in range(NONE, nplaces, np.uint64(CHUNK)):
        count = min(np.uint64(CHUNK), nplaces - start)
        for position in range(count):
            fits[position] = np.uint8(text[start + position] == first) & np.uint8(text[start + position + end] == last)
        fits[count : count + BYTES] = 0
        for eight in range(NONE, count, BYTES):
            if word_at(fits, eight) == NONE:
                continue
            for position in range(start + eight, start + eight + BYTES):
                if fits[position - start]:
                    while offsets[row + ONE] - offsets[0] <= position:
                        row += ONE
                    same = position + size <= offsets[row + ONE] - offsets[0]
                    inner = ONE
                    while same and inner < end:
                        same = text[position + inner] == pattern[inner]
                        inner += ONE
                    if same:
                        found[row] = True
