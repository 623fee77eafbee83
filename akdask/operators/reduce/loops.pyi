from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Words = NDArray[np.uint64]
Number = TypeVar("Number", np.float64, np.int64, np.uint64, np.uint8)
Integer = TypeVar("Integer", np.int64, np.uint64, np.uint8)

# Changes the order of `values`; `found` has a row for each rank and a column for each group.
def select_ranks(
    values: Floats,
    offsets: Integers,
    low: Integers,
    high: Integers,
    found: Floats,
    start_group: int,
    stop_group: int,
) -> None: ...

# Squares of distances from the mean, along the second of three dimensions.
def sum_squares(values: Floats, rows: int, inner: int, found: Floats) -> None: ...

# The first positions of extremes along it.
def find_positions(values: NDArray[Number], rows: int, inner: int, is_largest: bool, found: Integers) -> None: ...

# `counts` become the words below `low`, and those that are found.
def keep_between(words: Words, low: int, high: int, found: Words, counts: Integers) -> None: ...

# `into` says where each list begins among those moved, and where the last ends.
def copy_lists(offsets: Integers, values: Floats, order: Integers, into: Integers, moved: Floats) -> None: ...

# Rows of the first or last string of each group, -1 where all are missing; `prefixes` is memory.
def find_extremes(
    codes: Integers,
    offsets: Integers,
    text: NDArray[np.uint8],
    positions: Integers,
    is_largest: bool,
    prefixes: NDArray[np.uint64],
    rows: Integers,
) -> None: ...
def sum_selected(column: NDArray[Integer], mask: NDArray[np.bool_]) -> int: ...
def add_pairs(counts: Integers, x: Floats, y: Floats, x_edges: Floats, y_edges: Floats) -> None: ...
