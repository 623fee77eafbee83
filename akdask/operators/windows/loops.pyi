from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Number = TypeVar("Number", np.float64, np.int64, np.uint64, np.uint8)

# Windows of `width` rows, over blocks that begin at rows that are `phase` after a multiple of the width; `least` is how
# many rows must have a finite value.

def fill_sums(rows: Floats, width: int, phase: int, least: int, is_mean: bool, out: Floats) -> None: ...

# Smallest values, or largest where `sign` is -1.
def fill_extremes(rows: Floats, width: int, phase: int, least: int, sign: float, out: Floats) -> None: ...
def fill_variances(rows: Floats, width: int, phase: int, least: int, ddof: int, is_root: bool, out: Floats) -> None: ...

# `kind` is a position in `RUNNING`; `group` is the group of the row before the first, with the result in `state`, where
# the last group's is left.
def fill_running(
    kind: int,
    rows: NDArray[Number],
    groups: NDArray[np.int64],
    group: int,
    state: NDArray[Number],
    identity: NDArray[Number],
    out: NDArray[Number],
) -> None: ...

# The same for groups whose rows need not be adjacent; `states` has one result for each group, and is left so.
def fill_running_in_order(
    kind: int, rows: NDArray[Number], groups: NDArray[np.int64], states: NDArray[Number], out: NDArray[Number]
) -> None: ...

# Running sums, or products, merged with the one result `before` all rows if there is one.
def fill_scan(is_sum: bool, rows: NDArray[Number], before: NDArray[Number], out: NDArray[Number]) -> None: ...

Positions = NDArray[np.int64]

# Positions of the last rows of the same groups before rows, -1 for none; `states` has those of all groups, and is left
# so.
def fill_previous(groups: Positions, positions: Positions, states: Positions, out: Positions) -> None: ...

# The products of all factors up to each row, and the results of ``y = factor * y + term``, from 0.
def fill_recurrence(factors: Floats, terms: Floats, products: Floats, results: Floats) -> None: ...
