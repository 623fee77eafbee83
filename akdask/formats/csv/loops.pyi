import numpy as np
from numpy.typing import NDArray

# Returns where it stopped, the rows, those that were left out, where the first row with too many cells begins (or
# -1) and how many it has, and whether the text ends inside quotes.
def scan(
    text: NDArray[np.uint8],  # with a margin of NUL
    size: int,
    is_last: bool,
    delimiter: bytes,
    options: bytes,  # see `Lines.options`
    columns: int,
    limit: int,
    most: int,
    classes: NDArray[np.int64],  # three numbers for each column, or none at all
) -> tuple[int, int, int, int, int, bool]: ...

# Returns the rows, the failure that ended the loop, where its row begins, its column or the cells of its row, and where
# its cell begins and ends.  Failures are 0 for none, 1 for a cell that is not of its kind, 2 for a row with other cells
# than there are columns, 3 for a quote that is not closed, and 4 for more rows than there is room for.
def parse(
    text: NDArray[np.uint8],  # with a margin of NUL
    size: int,
    delimiter: bytes,
    options: bytes,
    columns: int,
    positions: NDArray[np.int64],
    kinds: NDArray[np.int64],  # see `Kind` in loops.cpp
    instead: NDArray[np.uint64],
    allows_errors: bool,
    values: NDArray[np.uint64],  # a row for each column of numbers
    starts: NDArray[np.uint64],  # a row for each column of text
    ends: NDArray[np.uint64],  # the same, with an item more
) -> tuple[int, int, int, int, int, int]: ...

# Returns how many cells of text are missing; a bit for each is set where there is a value.
def find_missing(
    text: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    options: bytes,  # see `Lines.options`
    has_value: NDArray[np.uint8],
) -> int: ...
