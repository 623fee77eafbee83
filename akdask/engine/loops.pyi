import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]

# The number of selected rows, or `FAILED`; ``loops.cpp`` says what each array holds.
def run(
    addresses: Integers,
    columns: Integers,
    code: Integers,  # shape (instructions, 5)
    parts: Integers,  # shape (2, 3)
    moves: Integers,
    mask: int,
    is_filtered: bool,
    lengths: Integers,
    memory: NDArray[np.uint8],  # shape (rows, bytes)
    sums: NDArray[np.float64],  # shape (sums, units)
    totals: Integers,
    moments: Integers,  # shape (variances, 2)
    stores: Integers,
) -> int: ...
