"""Tables that are sorted by key, one for each partition, cut at common keys and merged range by range.

Where to cut is found from samples when the tables are there.  Few rows stay together in the first range.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.columns import Table, concat_rows, take_rows, to_objects
from akdask.kernels.collapse import Collapse, Merging
from akdask.kernels.group import group_rows
from akdask.plan import kept
from akdask.plan._dask import Expr
from akdask.plan.exchange import Pieces, exchanged, join_pieces, on_cluster
from akdask.plan.pipeline import Pipeline
from akdask.plan.tables import Tasks
from akdask.typing import Column

SAMPLES = 256
"""Rows that stand for a table where the cuts are chosen."""

WHOLE_ROWS = 2**18
"""Rows that are not worth cutting."""


MOST_SLICES = 2**14
"""Slices of tables that threads share sooner made by one task than by two tasks for each table."""


def merge_by_range(name: str, tables: Expr, count: int, merging: Merging, kept_as: str | None = None) -> Expr:
    """Return the node that merges the tables of another into `count` partitions, in the order of the keys.

    Groupings of what is merged are kept under the name `kept_as`, if one is given.
    """
    everything = tuple((0, partition) for partition in range(tables.npartitions))
    names = [None if kept_as is None else (kept_as, _gone_over(tables), number) for number in range(count)]
    if count == 1:
        return Tasks(name, _merge_all, ((everything, (merging, names[0])),), tables)
    if tables.npartitions * count <= MOST_SLICES and not on_cluster():
        divided = Tasks(f"divide {name}", _divide, ((everything, (count, merging.cut_keys)),), tables)
        calls = tuple((((0, 0),), (number, merging, names[number])) for number in range(count))
        return Tasks(name, _merge_range, calls, divided)
    one_by_one = tuple((((0, partition),), (merging.cut_keys,)) for partition in range(tables.npartitions))
    samples = Tasks(f"sample {name}", _sample, one_by_one, tables)
    cuts = Tasks(f"cut {name}", _choose_cuts, ((everything, (count,)),), samples)
    with_cuts = tuple((((0, partition), (1, 0)), (count, merging.cut_keys)) for partition in range(tables.npartitions))
    split = Tasks(f"split {name}", _split, with_cuts, tables, cuts)
    return exchanged(split, count, MergeTables(merging))


@dataclass(frozen=True, slots=True)
class MergeTables:
    """Make a partition of the result of the tables that belong to its range."""

    merging: Merging

    def __call__(self, tables: Sequence[Table]) -> Table:
        # One without rows stands for all where nothing else came, and says what the columns are.
        return self.merging.finish(self.merging.merge(_used(tables)))

    def pack(self, tables: Sequence[Table]) -> list[Table]:
        """Return one table, merged as far as these are all."""
        used = _used(tables)
        return [self.merging.merge(used)] if len(used) > 1 else [used[0].own()]


def _used(tables: Sequence[Table]) -> list[Table]:
    return [table for table in tables if table.nrows] or list(tables[:1])


def _merge_all(tables: Sequence[Table], merging: Merging, name: kept.Key | None) -> Table:
    """Merge tables; by groups that are kept, where there are any."""
    used = _used(tables)
    if name is None or len(used) == 1 or not isinstance(merging, Collapse):
        return MergeTables(merging)(used)
    grouping = kept.find(name) or kept.keep(name, merging.group_again(used))
    return merging.finish(merging.merge_grouped(grouping, used))


def _merge_range(divided: Sequence[Pieces], number: int, merging: Merging, name: kept.Key | None) -> Table:
    (pieces,) = divided
    return _merge_all(pieces[number], merging, name)


def _divide(tables: Sequence[Table], count: int, nkeys: int) -> Pieces:
    """Return the rows of each range of all tables."""
    cuts = _choose_cuts([_sample([table], nkeys) for table in tables], count)
    return join_pieces([_split((table, cuts), count, nkeys) for table in tables])


def _gone_over(tables: Expr) -> tuple[Hashable, ...]:
    """Return which partitions each table is of: the same rows in other lots make other tables."""
    if isinstance(tables, Pipeline):
        return tables.layout.lots
    return tuple(_gone_over(part) for part in tables.operands)


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
    return [[_plain(key, place) for key in keys] for place in places.tolist()]


def _split(inputs: tuple[Table, list[list[Any]]], count: int, nkeys: int) -> list[list[Table]]:
    """Return the rows of each range, without a copy; ranges for which there are no cuts get none."""
    table, cuts = inputs
    keys = [table.columns[number] for number in range(nkeys)]
    places = [0, *(_place(keys, cut) for cut in cuts), *([table.nrows] * (count - len(cuts)))]
    return [[table.slice(start, stop)] for start, stop in pairwise(places)]


def _plain(column: Column, position: int) -> Any:
    """Return a value in a form that is compared like the column's."""
    if isinstance(column, np.ndarray):
        return column[position]
    if isinstance(column, pa.FixedSizeBinaryArray):
        return to_objects(column.slice(position, 1))[0]
    return column[position].as_py().encode()


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
        found = _plain(column, middle)
        if found < value or (side == "right" and found == value):
            start = middle + 1
        else:
            stop = middle
    return start
