import numpy as np
from numpy.typing import NDArray

from akdask.operators.keys.keys import Words

Rows = NDArray[np.int64]

def insert_packed(
    words: Words,
    rows: Rows,
    low: int,
    spare: int,
    dropped_bits: int,
    shift: int,
    part: int,
    parts: int,
    table: Words,
    later: Rows,
    beyond: Rows,
) -> tuple[int, int, int, int]: ...
def find_packed(
    words: Words,
    low: int,
    width: int,
    spare: int,
    dropped_bits: int,
    shift: int,
    nrows: int,
    table: Words,
    found: Words,
) -> None: ...
def insert_hashes(hashes: Words, shift: int, table: Words) -> int: ...
def find_hashed(words: Words, shift: int, table: Words, has_vacant: bool, found: NDArray[np.bool_]) -> None: ...
def matched(found: Rows, positions: Rows, rows: Rows) -> int: ...  # both results with a row to spare
def put_together(firsts: Rows, starts: Rows, order: Rows) -> None: ...  # room for two more starts than rows
def count_pairs(found: Rows, starts: Rows, keep_all: bool) -> int: ...
def pair_up(
    found: Rows, starts: Rows, order: Rows, keep_all: bool, row: int, before: int, positions: Rows, rows: Rows
) -> tuple[int, int, int]: ...
def search_sorted(table: Words, words: Words, after_equals: bool, found: Rows) -> None: ...
def mark(words: Words, low: int | np.uint64, bits: NDArray[np.uint8]) -> None: ...
def look_up_bits(
    words: Words, low: int | np.uint64, nslots: int, bits: NDArray[np.uint8], found: NDArray[np.bool_]
) -> None: ...
def put_rows(words: Words, low: int | np.uint64, rows: NDArray[np.int32] | Rows) -> None: ...
def look_up_rows(
    words: Words, low: int | np.uint64, nslots: int, rows: NDArray[np.int32] | Rows, found: Rows
) -> None: ...
def fill_cells(
    words: Words, low: int | np.uint64, cells: Words, order: NDArray[np.int32] | Rows
) -> tuple[int, bool]: ...
def look_up_cells(
    words: Words, low: int | np.uint64, nslots: int, cells: Words, order: NDArray[np.int32] | Rows, found: Rows
) -> None: ...
