"""Merges of partial tables: split at common keys, and merged range by range.

If there are many tables, small ones are merged beforehand, a few at a time. So the cost of splitting follows the number
of rows and not of tables.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from akdask._dask import Expr
from akdask.cluster import on_cluster, partition_size
from akdask.columns.table import Table
from akdask.engine import cache
from akdask.engine.alignment import rows_at_most
from akdask.engine.exchange import buffer_bytes, exchange, memory_share
from akdask.engine.node import Frame
from akdask.engine.pipeline import ITEMSIZE
from akdask.engine.rowwise import Tasks, Union
from akdask.engine.slices import CutTables, Slices, spilled
from akdask.engine.values import Value, assumed_width
from akdask.operators.group.sorted import SAMPLES, GroupTable, KeySplitters, as_one_kind
from akdask.operators.group.strategy import (
    GroupSplitters,
    KeySample,
    PartialTable,
    TableMerge,
    choose_splitters,
    merge_partial_tables,
)

MOST_SAMPLES = 2**16
"""Sampled rows of all tables, apart from two of each table, and more if there are many ranges."""

RANGE_SAMPLES = 32
"""Fewest sampled rows of a range."""

MOST_SLICES = 2**14
"""Slices of tables in threads that one task makes faster than two tasks for each table."""

FEW_TABLES = 64
"""Most tables that are split without merging some beforehand."""

FEW_ROWS = 2**14
"""Most rows of a table that is merged beforehand, if there are many tables."""

FAN_IN = 16
MOST_MERGED = 2**20
"""Rows above which tables are not merged beforehand after all."""


def merge_by_range(
    name: str, tables: Expr, count: int, merging: TableMerge, *, nbytes: int, cached_as: str | None = None
) -> Expr:
    """Return the node that merges the tables of another into `count` partitions, in the order of the keys.

    All tables take at most `nbytes` bytes, as far as the plan tells. Groupings of the merged rows are cached under the
    name `cached_as`, if given.
    """
    everything = _all(tables)
    names = [None if cached_as is None else (cached_as, _batches(tables), number) for number in range(count)]
    if count == 1:
        return Tasks(name, _merge_all, ((everything, (merging, names[0])),), tables)
    if merged_in_process(tables.npartitions, count, nbytes):
        split = Tasks(f"split {name}", _split_all, ((everything, (count, merging.cut_keys)),), tables)
        calls = tuple((((0, 0),), (number, merging, names[number])) for number in range(count))
        return Tasks(name, _merge_range, calls, split)
    return exchange(_split_tables(name, tables, count, merging), count, MergeGroups(merging), tables)


def merged_in_process(tables: int, count: int, nbytes: int) -> bool:
    """Whether one task takes all partial tables, which then never leave the process, and splits them into ranges."""
    is_simple = count == 1 or (tables * count <= MOST_SLICES and nbytes <= memory_share())
    return is_simple and not on_cluster()


def table_bytes(frame: Frame, values: Sequence[Value]) -> int:
    """Return an upper bound of the bytes of a frame's partial tables: the bytes of the columns.

    Partitions of unknown length count as full ones.
    """
    rows = rows_at_most(frame)
    if rows is None:
        rows = frame.npartitions * (partition_size() // ITEMSIZE)
    return rows * sum(map(assumed_width, values))


def _split_tables(name: str, tables: Expr, count: int, merging: TableMerge) -> Expr:
    """Return the node that provides the rows of each range, from each table or from several merged ones."""
    numbers = range(tables.npartitions)
    is_many = len(numbers) > FEW_TABLES and merging.reduces
    wanted = max(MOST_SAMPLES, RANGE_SAMPLES * count)
    nkeys, most = merging.cut_keys, min(SAMPLES, max(wanted // len(numbers), 2))
    calls = tuple((((0, number),), (number, nkeys, most, FEW_ROWS if is_many else -1)) for number in numbers)
    samples: Expr = Tasks(f"sample {name}", _sample, calls, tables)
    while is_many and samples.npartitions > FEW_TABLES:
        merges = tuple((inputs, (merging,)) for inputs in _fan_in(samples.npartitions))
        samples = Tasks(f"merge few {name}", _merge_few, merges, samples)
    splitters = Tasks(f"choose splitters {name}", _choose, ((_all(samples), (count, nkeys)),), samples)
    budget = buffer_bytes(len(numbers))
    with_splitters = tuple((((0, number), (1, 0)), (number, count, nkeys, budget)) for number in numbers)
    split: Expr = Tasks(f"split {name}", _split, with_splitters, tables, splitters)
    if is_many:
        of_merged = tuple((((0, number), (1, 0)), (count, nkeys, budget)) for number in range(samples.npartitions))
        split = Union(split, Tasks(f"split few {name}", _split_merged, of_merged, samples, splitters))
    return split


def _all(tables: Expr) -> tuple[tuple[int, int], ...]:
    return tuple((0, number) for number in range(tables.npartitions))


def _fan_in(count: int) -> Iterator[tuple[tuple[int, int], ...]]:
    for start in range(0, count, FAN_IN):
        yield tuple((0, number) for number in range(start, min(start + FAN_IN, count)))


def _batches(tables: Expr) -> tuple[Hashable, ...]:
    """Return the partitions of each table; the same rows in other batches make other tables."""
    layout = getattr(tables, "layout", None)
    return tuple(_batches(part) for part in tables.operands) if layout is None else layout.batches


@dataclass(frozen=True, slots=True)
class MergeGroups:
    """Makes a partition of the result from the partial tables of its range."""

    merging: TableMerge

    def __call__(self, parts: Sequence[PartialTable]) -> Table:
        return self.merging.finish(merge_partial_tables(self.merging, parts)[0])

    def pack(self, parts: Sequence[PartialTable]) -> list[PartialTable]:
        """Merge parts to one if these are all, or if that does not change the rounding of floats."""
        used = [part for part in parts if part.nrows] or parts[:1]
        if self.merging.rounds or len(used) == 1:
            return _own(parts if self.merging.rounds else used)
        merged, _ = merge_partial_tables(self.merging, used)
        return [GroupTable(merged)]


def _merge_all(parts: Sequence[PartialTable], merging: TableMerge, name: cache.Key | None) -> Table:
    """Merge the partial tables of all tasks, with cached groupings if there are any."""
    known: Any = cache.find(name)
    table, grouping = merge_partial_tables(merging, parts, known, caches=name is not None)
    if grouping is not None:
        cache.put(name, grouping)
    return merging.finish(table)


def _split_all(parts: Sequence[PartialTable], count: int, nkeys: int) -> list[list[PartialTable]]:
    """Return the parts of all partial tables for each range."""
    parts = as_one_kind(parts)
    splitters = choose_splitters([part.sample(nkeys, SAMPLES, number) for number, part in enumerate(parts)], count)
    return [list(same) for same in zip(*(part.split(splitters, count, nkeys) for part in parts), strict=True)]


def _merge_range(
    ranges: Sequence[list[list[PartialTable]]], number: int, merging: TableMerge, name: cache.Key | None
) -> Table:
    (parts,) = ranges
    return _merge_all(parts[number], merging, name)


# ------------------------------------------------------------------------------------- where no task takes all tables


@dataclass(frozen=True, slots=True)
class TableSamples:
    """Samples of tables to choose splitters from, by number, and the table `merged` from `members`."""

    samples: dict[int, KeySample]
    merged: Table | None = None
    members: frozenset[int] = frozenset()

    def __sizeof__(self) -> int:
        return 0 if self.merged is None else sys.getsizeof(self.merged)


Chosen = tuple[GroupSplitters, frozenset[int]]
"""GroupSplitters, and the numbers of the tables that are not split, since they are merged beforehand."""


def _sample(parts: Sequence[PartialTable], number: int, nkeys: int, most: int, few_rows: int) -> TableSamples:
    (part,) = parts
    samples, table = {number: part.sample(nkeys, most, number)}, part.small_table(few_rows)
    return TableSamples(samples) if table is None else TableSamples(samples, table, frozenset([number]))


def _merge_few(parts: Sequence[TableSamples], merging: TableMerge) -> TableSamples:
    """Join samples, and their merged tables unless these are too large."""
    samples = {number: sample for part in parts for number, sample in part.samples.items()}
    merged = [GroupTable(part.merged) for part in parts if part.merged is not None]
    if not merged or sum(table.nrows for table in merged) > MOST_MERGED:
        return TableSamples(samples)
    members = frozenset().union(*(part.members for part in parts))
    return TableSamples(samples, merge_partial_tables(merging, merged)[0], members)


def _choose(parts: Sequence[TableSamples], count: int, nkeys: int) -> Chosen:
    """Return the splitters, and the numbers of the tables that were merged beforehand."""
    members = frozenset().union(*(part.members for part in parts))
    merged = [GroupTable(part.merged) for part in parts if part.merged is not None]
    samples = [part.sample(nkeys, SAMPLES, number) for number, part in enumerate(merged)]
    others = [item for part in parts for number, item in part.samples.items() if number not in members]
    return choose_splitters([*samples, *others], count), members


def _split(inputs: tuple[PartialTable, Chosen], number: int, count: int, nkeys: int, budget: int | None) -> Slices:
    part, (splitters, members) = inputs
    return None if number in members else _slices(part, splitters, count, nkeys, budget)


def _split_merged(inputs: tuple[TableSamples, Chosen], count: int, nkeys: int, budget: int | None) -> Slices:
    part, (splitters, _) = inputs
    return None if part.merged is None else _slices(GroupTable(part.merged), splitters, count, nkeys, budget)


def _slices(part: PartialTable, splitters: GroupSplitters, count: int, nkeys: int, budget: int | None) -> Slices:
    if isinstance(part, GroupTable) and isinstance(splitters, KeySplitters):
        rows = [(part.rows, splitters.bounds(part.rows, count, nkeys))]
        return spilled(CutTables(count, rows, _of_range, keeps_empty=True), budget, _own)
    return spilled(part.slices(splitters, count, nkeys), budget, _own)


def _of_range(table: Table, *_: Any) -> GroupTable:
    return GroupTable(table)


def _own(parts: Sequence[PartialTable]) -> list[PartialTable]:
    return [part.own() for part in parts]
