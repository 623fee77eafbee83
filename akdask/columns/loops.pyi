from typing import Any

import numpy as np
from numpy.typing import NDArray

def gather_words(
    table: NDArray[np.uint64], positions: NDArray[np.uint64], missing: int, out: NDArray[np.uint64]
) -> bool: ...
def find_strings(
    offsets: NDArray[np.uint64],
    positions: NDArray[np.uint64],
    starts: NDArray[np.uint64],
    ends: NDArray[np.uint64],  # one more than positions
) -> bool: ...
def copy_strings(
    text: NDArray[np.uint8],
    starts: NDArray[np.uint64],
    ends: NDArray[np.uint64],
    into: NDArray[np.uint8],  # with a chunk to spare
) -> None: ...
def copy_masked(mask: NDArray[np.bool_], column: NDArray[Any], out: NDArray[Any]) -> int: ...  # of unsigned items

# Of unsigned items; returns the number of the first position that is not there, or -1.
def put_at(positions: NDArray[np.int64], items: NDArray[Any], first: int, total: int, out: NDArray[Any]) -> int: ...
def are_successive(numbers: NDArray[np.int64]) -> bool: ...
def put_masked(mask: NDArray[np.bool_], items: NDArray[Any], out: NDArray[Any]) -> None: ...
