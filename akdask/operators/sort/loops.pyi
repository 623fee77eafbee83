from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from akdask.operators.keys.keys import Words

Value = TypeVar("Value", bound=np.generic)  # of unsigned integers

def number_ranges(
    words: Words,
    rows: NDArray[np.int64],
    splitters: Words,
    splitter_rows: NDArray[np.int64],
    low: int | np.uint64,
    shift: int | np.uint64,
    before: NDArray[np.uint16],
    ranges: NDArray[np.uint16],
) -> None: ...
def pack_rows(
    words: Words,
    low: int | np.uint64,
    lost: int,
    shift: int,
    rows: NDArray[np.int64],
    full_keys: Words,
    packed: Words,
) -> None: ...
def number_words(
    words: Words, flipped: int | np.uint64, splitters: Words, numbers: NDArray[np.uint8], beyond: Words
) -> None: ...
def find_ranges(
    bits: Words,
    flipped: int | np.uint64,
    are_floats: bool,
    low: int | np.uint64,
    span: int | np.uint64,
    shift: int | np.uint64,
    firsts: NDArray[np.uint16],
    shifts: NDArray[np.uint8],
    numbers: NDArray[np.uint16],
    counts: NDArray[np.int64],  # shape (ranges, 2)
) -> None: ...
def number_equals(
    words: Words,  # shape (words, rows)
    splitters: Words,  # shape (words, splitters)
    rows: NDArray[np.int64],
    first: int,
    numbers: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> None: ...
def write_ranges(
    numbers: NDArray[np.uint8] | NDArray[np.uint16], values: NDArray[Value], positions: Words, out: NDArray[Value]
) -> None: ...
def order_few(
    groups: Words,
    words: Words,  # shape (words, rows)
    order: NDArray[np.int64],
    left: NDArray[np.bool_],
) -> int: ...
def order_text(
    offsets: NDArray[np.int64],
    text: NDArray[np.uint8],
    descending: bool,
    at: int,
    work: int,
    entries: Words,  # shape (2 * rows, 2): of each row no word and its number, then of ranges their stops and depths
    begins: NDArray[np.bool_],
) -> int: ...
def search_text(
    offsets: NDArray[np.int64],
    text: NDArray[np.uint8],
    sought_offsets: NDArray[np.int64],
    sought: NDArray[np.uint8],
    descending: bool,
    starts: NDArray[np.int64],
    stops: NDArray[np.int64],
) -> None: ...
