from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Short = TypeVar("Short", np.uint8, np.uint32)

# `first` is the position of the first number; words are from `low` to `low + largest`, which may go around.

def draw_words(words: NDArray[np.uint64], seed: int, first: int, low: int, largest: int) -> None: ...
def draw_short(words: NDArray[Short], seed: int, first: int, low: int, largest: int) -> None: ...
def draw_floats(numbers: NDArray[np.float64], seed: int, first: int, low: float, high: float) -> None: ...
