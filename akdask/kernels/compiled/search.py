"""Searches in tables with gaps, whose words ascend, and in tables that are looked up directly.

Nearly all the time goes into fetching slots from memory.  The processor fetches those of many rows at once, for it
guesses rightly that most searches end where they begin.
"""

from __future__ import annotations

import numpy as np

from akdask.kernels.compiled.compiler import compiled
from akdask.kernels.gapped import VACANT
from akdask.kernels.keys import Words
from akdask.typing import NumberArray

ONE = np.uint64(1)
NO_ROW = np.uint64(2**64 - 1)
"""The bits of -1."""


@compiled
def meet_words(wanted: Words, slots: Words, table: Words, found: NumberArray) -> None:
    """Tell which words are in a table, from the slots on where they would be."""
    for row in range(len(wanted)):
        slot = slots[row]
        while table[slot] < wanted[row]:
            slot += ONE
        found[row] = table[slot] == wanted[row]


@compiled
def meet_packed(wanted: Words, slots: Words, table: Words, nrows: np.uint64, found: Words) -> None:
    """Find the row that is packed with each word, from the slots on where it would be."""
    for row in range(len(wanted)):
        slot = slots[row]
        # A word with the same tag is larger by its row, a vacant one by no row that there is.
        beyond = table[slot] - wanted[row]
        while np.int64(beyond) < 0 and table[slot] != VACANT:
            slot += ONE
            beyond = table[slot] - wanted[row]
        found[row] = beyond if beyond < nrows else NO_ROW


@compiled
def meet_pairs(hashes: Words, slots: Words, table: Words, found: Words) -> None:
    """Find the first row beside each hash, from the slots on where it would be; `slots` become those where it ended."""
    for row in range(len(hashes)):
        slot = slots[row]
        while table[slot, 0] < hashes[row]:
            slot += ONE
        slots[row] = slot
        # Without a branch: nobody can guess which rows have a match.
        found[row] = table[slot, 1] | (np.uint64(table[slot, 0] == hashes[row]) - ONE)
