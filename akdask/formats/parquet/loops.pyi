from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]
Words = NDArray[np.uint64]
Word = TypeVar("Word", np.uint64, np.uint8)
Integer = TypeVar("Integer", np.int32, np.int64)

# The positions are in the bytes from `first` to `last`, with 16 more behind them; `known` words are the dictionary.
def look_up(
    packed: Bytes, first: int, last: int, width: int, words: NDArray[Word], known: int, skipped: int, out: NDArray[Word]
) -> bool: ...
def decode_pages(
    descriptor: int,
    given: Bytes,
    base: int,
    data: Bytes,
    pages: Ints,
    memory: Bytes,
    state: Ints,
    start: int,
    rows: Ints,
    is_optional: bool,
    missing: NDArray[np.bool_],
    dictionaries: Ints,
    words: Words,
    known: int,
    width: int,
    factor: int,
    divisor: float,
    absent: int,
    out: Words,
) -> int: ...
def decode_positions(
    descriptor: int,
    given: Bytes,
    base: int,
    data: Bytes,
    pages: Ints,
    memory: Bytes,
    state: Ints,
    start: int,
    rows: Ints,
    is_optional: bool,
    missing: NDArray[np.bool_],
    known: int,
    out: NDArray[np.int32],
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
    dictionary: Ints,
    pages: Ints,
) -> int: ...

# Where the positions of some bits are written as they are; for `packed` see `look_up`.
def find_positions(packed: Bytes, first: int, last: int, width: int, known: int, out: NDArray[np.int32]) -> bool: ...

# 64 bytes can be read behind the packed bytes, and written behind the unpacked ones.
def unpack(data: Bytes, size: int, memory: Bytes) -> bool: ...

# Numbers in the bytes of pages, in the unit or as the floats of the column; false where it does not hold one.
def multiply(stored: Bytes, width: int, factor: int, out: Ints) -> bool: ...
def divide(stored: Bytes, width: int, is_big_endian: bool, divisor: float, out: NDArray[np.float64]) -> bool: ...

# Returns the bytes of all strings; -1 if they are fewer than the rows, -2 if one is not UTF-8.
def place_strings(
    data: Bytes,
    at: int,
    stop: int,
    valid: NDArray[np.bool_],
    missing: int,
    starts: NDArray[np.uint32],
    lengths: NDArray[np.uint32],
) -> int: ...
def size_of_strings(lengths: NDArray[np.uint32], positions: NDArray[np.int32]) -> int: ...
def append_strings(
    data: Bytes,
    starts: NDArray[np.uint32],
    lengths: NDArray[np.uint32],
    positions: NDArray[np.int32],
    all: bool,
    offsets: Ints,
    into: Bytes,
) -> None: ...

# Each of `leaves` has the number of its physical type, whether it is flat, and whether it is unsigned; `chunks` has
# the bytes of a `CHUNK` for each leaf and group.  `total` become the rows of all; -1 where the footer is other than
# most are.
def read_row_groups(footer: bytes, leaves: Ints, end: int, total: Ints, rows: Ints, chunks: Bytes) -> int: ...

# `chunk` has the bytes of a `CHUNK`, and so has `found` for each page; -1 and false where indexes are other than most.
def read_page_locations(index: Bytes, chunk: bytes, found: Ints) -> int: ...
def read_page_bounds(
    index: Bytes, chunk: bytes, physical: int, is_unsigned: bool, rows: Ints, found: Bytes
) -> bool: ...

# Returns how many distinct values there are; all are from `low` on, as many numbers as there are `positions`.
def number_values(
    values: NDArray[Integer], low: int, positions: NDArray[np.int32], distinct: NDArray[Integer], out: NDArray[np.int32]
) -> int: ...

# Returns how many bytes the runs are.  There is room for `width` + 6 for each 8 positions and once more, and for 16.
def pack_positions(positions: NDArray[np.int32], width: int, out: Bytes) -> int: ...
