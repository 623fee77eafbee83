"""Loops that reduce the rows of few groups in one pass: all that a column comes to is adjacent in a slot.

Rows come with codes: the slot of a row is how far its code is from the first.  Numbers of slots have no sign, since
Numba would look whether they count from the end of an array.
"""

from __future__ import annotations

import numpy as np

from akdask.compiler import compiled
from akdask.typing import NumberArray

ONE, TWO, THREE, FOUR = map(np.uint64, (1, 2, 3, 4))


@compiled
def encode(key: NumberArray, low: np.uint64, size: np.uint64, scale: np.uint64, codes: NumberArray) -> np.bool_:
    """Add the positions of a key to scaled codes, and tell whether all are within the size; `scale` is 0 at first."""
    inside: np.bool_ = np.bool_(True)
    for row in range(len(key)):
        position = np.uint64(key[row]) - low
        inside &= position < size
        codes[row] = np.uint64(codes[row]) * scale + position
    return inside


@compiled
def count_rows(codes: NumberArray, first: np.uint64, slots: NumberArray) -> None:
    """Count rows."""
    for row in range(len(codes)):
        slots[np.uint64(codes[row]) - first] += 1


@compiled
def add_values(
    codes: NumberArray, first: np.uint64, values: NumberArray, slots: NumberArray, nans: NumberArray
) -> None:
    """Add values up; NaN are counted apart."""
    for row in range(len(codes)):
        code, value = np.uint64(codes[row]) - first, values[row]
        if value == value:
            slots[code] += value
        else:
            nans[code] += 1


@compiled
def count_and_add(
    codes: NumberArray, first: np.uint64, values: NumberArray, slots: NumberArray, nans: NumberArray
) -> None:
    """Do so, and count rows."""
    for row in range(len(codes)):
        code, value = np.uint64(codes[row]) - first, values[row]
        at = TWO * code
        slots[at + ONE] += 1
        if value == value:
            slots[at] += value
        else:
            nans[code] += 1


@compiled
def count_and_compare(
    codes: NumberArray, first: np.uint64, values: NumberArray, slots: NumberArray, nans: NumberArray
) -> None:
    """Do so, and find the smallest and the largest value that is not NaN."""
    for row in range(len(codes)):
        code, value = np.uint64(codes[row]) - first, values[row]
        at = FOUR * code
        slots[at + ONE] += 1
        if value == value:
            least, most = slots[at + TWO], slots[at + THREE]
            slots[at] += value
            slots[at + TWO] = min(least, value)
            slots[at + THREE] = max(most, value)
        else:
            nans[code] += 1
