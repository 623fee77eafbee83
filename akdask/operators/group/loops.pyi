import numpy as np
from numpy.typing import NDArray

from akdask.typing import NumberArray

Words = NDArray[np.uint64]
Codes = NumberArray
"""The group of each row: int64, int32, or where it says so words."""

# Rows in the order of their keys.

def count_runs(words: Words, counts: NDArray[np.int64]) -> int: ...
def rank_slices(
    words: Words,
    rest: Words,
    bounds: NDArray[np.int64],
    count: int,
    codes: NDArray[np.int32],
    firsts: NDArray[np.int64],
    memory: Words,
) -> int: ...

# Values of rows of known groups: integers of 64 bits or floats.

def count_at(codes: Codes, counts: NDArray[np.int64]) -> None: ...
def add_at(codes: Codes, values: NumberArray, totals: NumberArray) -> None: ...
def minimum_at(codes: Codes, values: NumberArray, least: NumberArray) -> None: ...
def maximum_at(codes: Codes, values: NumberArray, most: NumberArray) -> None: ...
def fmin_at(codes: Codes, values: NumberArray, least: NumberArray) -> None: ...
def fmax_at(codes: Codes, values: NumberArray, most: NumberArray) -> None: ...
def arrange(codes: Codes, values: NumberArray, ends: NDArray[np.int64], arranged: NumberArray) -> None: ...
def keep_first(
    codes: Codes,
    keys: Words,
    positions: NDArray[np.int64],
    count: int,
    words: Words,
    rows: NDArray[np.int64],
    start: int,
    stop: int,
) -> None: ...

# Few groups, reduced in one pass: `codes`, which may be words, count from the `first`.

def encode(key: NumberArray, low: int, size: int, scale: int, codes: NumberArray) -> bool: ...
def count_rows(codes: Codes, first: int, counts: NDArray[np.int64]) -> None: ...
def add_values(codes: Codes, first: int, values: NumberArray, slots: NumberArray, nans: NDArray[np.int64]) -> None: ...
def count_and_add(
    codes: Codes, first: int, values: NumberArray, slots: NumberArray, nans: NDArray[np.int64]
) -> None: ...
def count_and_compare(
    codes: Codes, first: int, values: NumberArray, slots: NumberArray, nans: NDArray[np.int64]
) -> None: ...

# Radix partitioning.

def lead(words: Words, shift: int, first: int, slices: NDArray[np.uint16]) -> None: ...
def partition(slices: NumberArray, starts: NDArray[np.int64], column: NumberArray, target: NumberArray) -> None: ...
