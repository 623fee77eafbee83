import numpy as np
from numpy.typing import NDArray

Offsets = NDArray[np.int64]
Text = NDArray[np.uint8]

# Writes to `found` where the delimiter of number `times` begins, counted from the left, or from the right where `step`
# is -1; strings with fewer keep what is there.
def find_delimiter(offsets: Offsets, text: Text, pattern: Text, times: int, step: int, found: Offsets) -> None: ...
def contain(offsets: Offsets, text: Text, sets: NDArray[np.bool_], found: NDArray[np.bool_]) -> None: ...
def widen(offsets: Offsets, text: Text, characters: NDArray[np.uint32]) -> None: ...
