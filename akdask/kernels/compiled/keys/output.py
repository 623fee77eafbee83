"""A loop that leaves out the rows that have no mark."""

from __future__ import annotations

import numpy as np

from akdask.kernels.compiled.compiler import compiled
from akdask.typing import NumberArray


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
