from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Short = TypeVar("Short", np.uint8, np.uint32)

# `first` is the position of the first number; words are from `low` to `low + largest`, which may go around.

def draw_words(words: NDArray[np.uint64], seed: int, first: int, low: int, largest: int) -> None: ...
def draw_short(words: NDArray[Short], seed: int, first: int, low: int, largest: int) -> None: ...
def draw_floats(numbers: NDArray[np.float64], seed: int, first: int, low: float, high: float) -> None: ...

# Every `step` numbers have seeds of their own: that of the first ones, and those after it.

def draw_normals(numbers: NDArray[np.float64], seed: int, first: int, step: int) -> None: ...
def draw_exponentials(numbers: NDArray[np.float64], seed: int, first: int, step: int) -> None: ...
def draw_logistics(numbers: NDArray[np.float64], seed: int, first: int, step: int) -> None: ...
def draw_gammas(numbers: NDArray[np.float64], seed: int, first: int, step: int, shape: float) -> None: ...
def draw_poissons(numbers: NDArray[np.int64], seed: int, first: int, step: int, mean: float) -> None: ...

# Each writes the numbers of rows in random order.

def shuffle_rows(order: NDArray[np.int64], seed: int, position: int) -> None: ...
def permute_rows(order: NDArray[np.int64], seed: int, position: int) -> None: ...
def merge_shuffled_rows(order: NDArray[np.int64], seed: int) -> None: ...

# Each draws positions in groups, one group after the other; `begins` are the positions of their first numbers.

def draw_rows(
    drawn: NDArray[np.int64],
    sizes: NDArray[np.int64],
    counts: NDArray[np.int64],
    begins: NDArray[np.int64],
    order: NDArray[np.int64],
    seed: int,
    with_replacement: bool,
) -> None: ...
def draw_weighted_rows(
    drawn: NDArray[np.int64],
    sizes: NDArray[np.int64],
    counts: NDArray[np.int64],
    begins: NDArray[np.int64],
    weights: NDArray[np.float64],
    sums: NDArray[np.float64],
    seed: int,
    with_replacement: bool,
) -> None: ...
