"""Tables that are sorted by key, one for each partition, cut at common keys and merged range by range.

Where to cut is found from samples when the tables are there.  Few rows stay together in the first range.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from akdask.columns import Table, concat_rows, take_rows
from akdask.kernels.collapse import Merging
from akdask.kernels.group import group_rows
from akdask.plan._dask import Expr
from akdask.plan.tables import Tasks
from akdask.typing import Column

SAMPLES = 256
"""Rows that stand for a table where the cuts are chosen."""

WHOLE_ROWS = 2**18
"""Rows that are not worth cutting."""


def merge_by_range(name: str, tables: Expr, count: int, collapse: Merging) -> Expr:
    """Return the node that merges the tables of another into `count` partitions, in the order of the keys."""
    everything = tuple((0, partition) for partition in range(tables.npartitions))
    if count == 1:
        return Tasks(name, _merge_all, ((everything, (collapse,)),), tables)
    one_by_one = tuple((((0, partition),), (collapse.cut_keys,)) for partition in range(tables.npartitions))
    samples = Tasks(f"sample {name}", _sample, one_by_one, tables)
    cuts = Tasks(f"cut {name}", _choose_cuts, ((everything, (count,)),), samples)
    calls = tuple(((*everything, (1, 0)), (number, count, collapse)) for number in range(count))
    return Tasks(name, _merge_range, calls, tables, cuts)


def _merge_all(tables: Sequence[Table], collapse: Merging) -> Table:
    return collapse.finish(collapse.merge(tables))


def _sample(tables: Sequence[Table], nkeys: int) -> tuple[int, list[Column]]:
    """Return the number of rows, and the keys of some, evenly spaced."""
    (table,) = tables
    positions = np.linspace(0, max(table.nrows - 1, 0), min(table.nrows, SAMPLES)).astype(np.int64)
    return table.nrows, [take_rows(table.columns[number], positions) for number in range(nkeys)]


def _choose_cuts(samples: Sequence[tuple[int, list[Column]]], count: int) -> list[list[Any]]:
    """Return keys that cut the rows into parts of about the same size, fewer than `count` where there are few rows."""
    total = sum(nrows for nrows, _ in samples)
    if total <= WHOLE_ROWS:
        return []
    used = [(nrows, keys) for nrows, keys in samples if nrows]
    keys = [concat_rows(columns) for columns in zip(*(keys for _, keys in used), strict=True)]
    weights = np.concatenate([np.full(len(columns[0]), nrows / len(columns[0])) for nrows, columns in used])
    runs = group_rows(keys)
    assert runs.permutation is not None
    before = np.cumsum(weights[runs.permutation])
    wanted = total * np.arange(1, count) / count
    places = runs.permutation[np.searchsorted(before, wanted).clip(max=len(before) - 1)]
    return [[_plain(key, place) for key in keys] for place in places]


def _merge_range(items: Sequence[Any], number: int, count: int, collapse: Merging) -> Table:
    *tables, cuts = items
    pieces = []
    for table in tables:
        keys = collapse.keys(table)[: collapse.cut_keys]
        start = _place(keys, cuts[number - 1]) if 0 < number <= len(cuts) else 0 if number == 0 else table.nrows
        stop = _place(keys, cuts[number]) if number < len(cuts) else table.nrows
        if stop > start:
            pieces.append(table.slice(start, stop))
    return collapse.finish(collapse.merge(pieces or [tables[0].slice(0, 0)]))


def _plain(column: Column, position: int) -> Any:
    return column[position] if isinstance(column, np.ndarray) else column[int(position)].as_py().encode()


def _place(keys: Sequence[Column], cut: Sequence[Any]) -> int:
    """Return the position of the first row whose keys are not before a cut."""
    start, stop = 0, len(keys[0])
    for key, value in zip(keys, cut, strict=True):
        start, stop = (_bisect(key, value, start, stop, side) for side in ("left", "right"))
    return start


def _bisect(column: Column, value: Any, start: int, stop: int, side: Any) -> int:
    if isinstance(column, np.ndarray):
        return start + int(np.searchsorted(column[start:stop], value, side))
    while start < stop:
        middle = (start + stop) // 2
        text = column[middle].as_py().encode()
        if text < value or (side == "right" and text == value):
            start = middle + 1
        else:
            stop = middle
    return start
