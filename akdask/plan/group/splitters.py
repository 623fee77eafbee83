"""Where tables that are sorted by key are cut, so that each range of keys holds about as many rows.

The cuts are found from samples when the tables are there.  Few rows are not cut at all.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.columns import Table, concat_rows, take_rows, to_objects
from akdask.kernels.group.row_groups import group_rows
from akdask.typing import Column

SAMPLES = 256
"""Rows that stand for a table."""

WHOLE_ROWS = 2**18
"""Rows that are not worth cutting."""

Cuts = list[list[Any]]
"""The keys with which ranges begin, all but the first."""


@dataclass(frozen=True, slots=True)
class TableSample:
    """Some keys of a table, and how many rows they stand for."""

    nrows: int
    keys: list[Column]

    @classmethod
    def of(cls, keys: Sequence[Column], most: int = SAMPLES) -> TableSample:
        """Return evenly spaced rows of sorted keys."""
        nrows = len(keys[0])
        positions = np.linspace(0, max(nrows - 1, 0), min(nrows, most)).astype(np.int64)
        return cls(nrows, [take_rows(key, positions) for key in keys])


def splitter_keys(table: Table, nkeys: int) -> list[Column]:
    """Return the leading keys of a table, those by which it is cut."""
    return [table.columns[number] for number in range(nkeys)]


def choose_splitters(samples: Sequence[TableSample], count: int) -> Cuts:
    """Return keys that cut the rows into parts of about the same size, fewer than `count` where there are few rows."""
    total = sum(sample.nrows for sample in samples)
    if total <= WHOLE_ROWS:
        return []
    used = [sample for sample in samples if sample.nrows]
    keys = [concat_rows(columns) for columns in zip(*(sample.keys for sample in used), strict=True)]
    weights = np.concatenate([np.full(len(item.keys[0]), item.nrows / len(item.keys[0])) for item in used])
    runs = group_rows(keys)
    assert runs.permutation is not None
    before = np.cumsum(weights[runs.permutation])
    wanted = total * np.arange(1, count) / count
    places = runs.permutation[np.searchsorted(before, wanted).clip(max=len(before) - 1)]
    return [[_plain(key, place) for key in keys] for place in places.tolist()]


def split_table(table: Table, cuts: Cuts, count: int, nkeys: int) -> list[list[Table]]:
    """Return the rows of each range, without a copy; ranges for which there are no cuts get none."""
    keys = splitter_keys(table, nkeys)
    places = [0, *(_place(keys, key) for key in cuts), table.nrows]
    nothing = [table.slice(0, 0)]
    found = [[table.slice(start, stop)] if start < stop else nothing for start, stop in pairwise(places)]
    return found + [nothing] * (count - len(found))


def _plain(column: Column, position: int) -> Any:
    """Return a value in a form that is compared like the column's."""
    if isinstance(column, np.ndarray):
        return column[position]
    if isinstance(column, pa.FixedSizeBinaryArray):
        return to_objects(column.slice(position, 1))[0]
    return column[position].as_py().encode()


def _place(keys: Sequence[Column], split_table: Sequence[Any]) -> int:
    """Return the position of the first row whose keys are not before a cut."""
    start, stop = 0, len(keys[0])
    for key, value in zip(keys, split_table, strict=True):
        start, stop = (_bisect(key, value, start, stop, side) for side in ("left", "right"))
    return start


def _bisect(column: Column, value: Any, start: int, stop: int, side: Any) -> int:
    if isinstance(column, np.ndarray):
        return start + int(np.searchsorted(column[start:stop], value, side))
    while start < stop:
        middle = (start + stop) // 2
        found = _plain(column, middle)
        if found < value or (side == "right" and found == value):
            start = middle + 1
        else:
            stop = middle
    return start
