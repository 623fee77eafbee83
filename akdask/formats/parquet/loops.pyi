from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Word = TypeVar("Word", np.uint64, np.uint8)

# The positions are in the bytes from `first` to `last`, with 16 more behind them; `known` words are the dictionary.
def look_up(
    packed: Bytes, first: int, last: int, width: int, words: NDArray[Word], known: int, skipped: int, out: NDArray[Word]
) -> bool: ...
def decode_pages(
    data: Bytes,
    base: int,
    pages: Ints,
    words: Words,
    known: int,
    memory: Bytes,
    start: int,
    out: Words,
    is_optional: bool,
) -> int: ...
def list_pages(
    descriptor: int,
    state: Ints,
    end: int,
    nrows: int,
    wanted: int,
    itemsize: int,
    is_packed: bool,
    is_optional: bool,
    pages: Ints,
) -> int: ...
