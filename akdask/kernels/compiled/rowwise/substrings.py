"""A loop that looks for bytes in strings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.columns import offsets_and_bytes
from akdask.kernels.compiled.compiler import compiled, read_only
from akdask.kernels.compiled.words import BYTES, NONE, ONE, WIDTH, Text, word_at
from akdask.kernels.core.byte_sets import ByteSets
from akdask.kernels.core.words import Words

CHUNK = 2**12
"""Positions that are compared at a time."""


def contain(strings: pa.LargeStringArray, sets: ByteSets) -> npt.NDArray[np.bool_]:
    """Return which strings contain bytes of some sets, one or more, one after the other; one set has a single byte."""
    offsets, text = offsets_and_bytes(strings)
    found = np.zeros(len(strings), np.bool_)
    if len(sets) <= len(text):
        # Where two places fit, both of one byte alone if possible, the others are looked at.
        single = np.flatnonzero(sets.sum(axis=1) == 1)
        positions = single[[0, -1]].astype(np.uint64)
        bytes_there = sets[single[[0, -1]]].argmax(axis=1).astype(np.uint8)
        _find(read_only(offsets.view(np.uint64)), read_only(text), read_only(sets), positions, bytes_there, found)
    return found


@compiled
def _find(
    offsets: Words, text: Text, sets: ByteSets, positions: Words, wanted: Text, found: npt.NDArray[np.bool_]
) -> None:
    """Mark the strings that contain bytes of the sets: all are compared where two places fit."""
    size = np.uint64(len(sets))
    nplaces = np.uint64(len(text)) - size + ONE
    front, back = positions[0], positions[1]
    first, last = wanted[0], wanted[1]
    fits = np.zeros(CHUNK + WIDTH, np.uint8)
    row = NONE
    for start in range(NONE, nplaces, np.uint64(CHUNK)):
        count = min(np.uint64(CHUNK), nplaces - start)
        for position in range(count):
            at = start + position
            fits[position] = np.uint8(text[at + front] == first) & np.uint8(text[at + back] == last)
        fits[count : count + BYTES] = 0
        for eight in range(NONE, count, BYTES):
            if word_at(fits, eight) == NONE:
                continue
            for position in range(start + eight, start + eight + BYTES):
                if fits[position - start]:
                    while offsets[row + ONE] - offsets[0] <= position:
                        row += ONE
                    same = position + size <= offsets[row + ONE] - offsets[0]
                    inner = NONE
                    while same and inner < size:
                        same = sets[inner, text[position + inner]] != 0
                        inner += ONE
                    if same:
                        found[row] = True
