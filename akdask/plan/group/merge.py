"""Tables that are sorted by key, one for each partition, cut at common keys and merged range by range.

Of many tables those with few rows are merged beforehand, a few at a time, so that what cutting costs follows the rows
and not the number of tables.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias, TypeGuard

from akdask.cluster import on_cluster
from akdask.columns import Table
from akdask.kernels.group.aggregation import Aggregation, TableMerge
from akdask.kernels.group.dense import DenseTable, merge_dense_tables
from akdask.kernels.group.grouping import Grouping
from akdask.kernels.group.radix import LeadingBits, RadixPartitioned, RadixRange, RadixSplitters, SliceGroupings
from akdask.plan.expr import cache as kept
from akdask.plan.expr._dask import Expr
from akdask.plan.group.splitters import SAMPLES, Cuts, TableSample, choose_splitters, split_table, splitter_keys
from akdask.plan.shuffle.exchange import Slices, buffer_bytes, exchange
from akdask.plan.shuffle.spill import spilled
from akdask.plan.task.pipeline import Pipeline
from akdask.plan.task.tables import Tasks, Union

MOST_SAMPLES = 2**16
"""Rows that stand for all tables, but for two of each."""

MOST_SLICES = 2**14
"""Slices of tables that threads share sooner made by one task than by two tasks for each table."""

FEW_TABLES = 64
"""So many tables are cut and merged as they are."""

FEW_ROWS = 2**14
"""Rows of a table that is merged beforehand, where there are more tables."""

FAN_IN = 16
MOST_MERGED = 2**20
"""Rows beyond which tables are not merged beforehand after all."""


@dataclass(frozen=True, slots=True)
class TableSamples:
    """What is known of some tables where the cuts are chosen: samples by number, and `merged`, what `members` hold.

    Of scattered rows there are not samples but their leading bits.
    """

    samples: dict[int, TableSample | LeadingBits]
    merged: Table | None = None
    members: frozenset[int] = frozenset()

    def __sizeof__(self) -> int:
        return 0 if self.merged is None else sys.getsizeof(self.merged)


def merge_by_range(name: str, tables: Expr, count: int, merging: TableMerge, kept_as: str | None = None) -> Expr:
    """Return the node that merges the tables of another into `count` partitions, in the order of the keys.

    Groupings of what is merged are kept under the name `kept_as`, if one is given.
    """
    everything = _all(tables)
    names = [None if kept_as is None else (kept_as, _gone_over(tables), number) for number in range(count)]
    if count == 1:
        return Tasks(name, _merge_all, ((everything, (merging, names[0])),), tables)
    if merged_in_process(tables.npartitions, count):
        divided = Tasks(f"divide {name}", _divide, ((everything, (count, merging)),), tables)
        calls = tuple((((0, 0),), (number, merging, names[number])) for number in range(count))
        return Tasks(name, _merge_range, calls, divided)
    return exchange(_split_tables(name, tables, count, merging), count, MergeGroups(merging), tables)


def merged_in_process(tables: int, count: int) -> bool:
    """Whether one task looks at all tables, which then may be slabs as well, and cuts them into `count` ranges."""
    return (count == 1 or tables * count <= MOST_SLICES) and not on_cluster()


def _split_tables(name: str, tables: Expr, count: int, merging: TableMerge) -> Expr:
    """Return the node that gives the rows of each range, of each table or of some that are merged beforehand."""
    numbers = range(tables.npartitions)
    is_many = len(numbers) > FEW_TABLES and merging.reduces
    nkeys, most = merging.cut_keys, min(SAMPLES, max(MOST_SAMPLES // len(numbers), 2))
    looks = tuple((((0, number),), (number, nkeys, most, FEW_ROWS if is_many else -1)) for number in numbers)
    overviews: Expr = Tasks(f"sample {name}", _look_at, looks, tables)
    while is_many and overviews.npartitions > FEW_TABLES:
        calls = tuple((batch, (merging,)) for batch in _batches(overviews.npartitions))
        overviews = Tasks(f"merge few {name}", _merge_few, calls, overviews)
    cuts = Tasks(f"cut {name}", _choose_cuts, ((_all(overviews), (count, nkeys)),), overviews)
    room = buffer_bytes(len(numbers))
    with_cuts = tuple((((0, number), (1, 0)), (number, count, nkeys, room)) for number in numbers)
    split: Expr = Tasks(f"split {name}", _split, with_cuts, tables, cuts)
    if is_many:
        of_merged = tuple((((0, number), (1, 0)), (count, nkeys, room)) for number in range(overviews.npartitions))
        split = Union(split, Tasks(f"split few {name}", _split_merged, of_merged, overviews, cuts))
    return split


def _all(tables: Expr) -> tuple[tuple[int, int], ...]:
    return tuple((0, number) for number in range(tables.npartitions))


def _batches(count: int) -> Iterator[tuple[tuple[int, int], ...]]:
    for start in range(0, count, FAN_IN):
        yield tuple((0, number) for number in range(start, min(start + FAN_IN, count)))


@dataclass(frozen=True, slots=True)
class MergeGroups:
    """Make a partition of the result of the tables that belong to its range."""

    merging: TableMerge

    def __call__(self, parts: Sequence[Table | RadixPartitioned]) -> Table:
        scattered, others = _parted(parts)
        if scattered:
            return self.merging.finish(_everything(scattered, others).table())
        # One without rows stands for all where nothing else came, and says what the columns are.
        return self.merging.finish(self.merging.merge(_used(_as_tables(others))))

    def pack(self, parts: Sequence[Table | RadixPartitioned]) -> list[Table | RadixPartitioned]:
        """Return one part, merged as far as these are all, unless that would change the last bits of floats."""
        if self.merging.rounds:
            return _own(parts)
        scattered, others = _parted(parts)
        tables = _used(_as_tables(others))
        if scattered and len(parts) > 1:
            return [_everything(scattered, tables).table()]
        return [self.merging.merge(tables)] if len(tables) > 1 else _own(parts)


Partial: TypeAlias = Table | DenseTable | RadixPartitioned
"""What a task has made of its rows: slabs only where `merged_in_process`."""


Chosen: TypeAlias = tuple[Cuts | RadixSplitters, frozenset[int]]
"""Where tables are cut, and the numbers of those that are not, as they are merged beforehand."""


def _parted(parts: Sequence[Partial]) -> tuple[list[RadixPartitioned], list[Table | DenseTable]]:
    scattered = [part for part in parts if isinstance(part, RadixPartitioned)]
    return scattered, [part for part in parts if not isinstance(part, RadixPartitioned)]


def _everything(scattered: Sequence[RadixPartitioned], others: Sequence[Table | DenseTable]) -> RadixRange:
    (everything,) = RadixRange.divide(scattered, 1, _as_tables(others))
    return everything


def _all_slabs(parts: Sequence[Table | DenseTable]) -> TypeGuard[Sequence[DenseTable]]:
    return all(isinstance(part, DenseTable) for part in parts)


def _as_tables(parts: Sequence[Table | DenseTable]) -> list[Table]:
    return [part.table() if isinstance(part, DenseTable) else part for part in parts]


def _used(tables: Sequence[Table]) -> list[Table]:
    return [table for table in tables if table.nrows] or list(tables[:1])


def _merge_all(tables: Sequence[Partial], merging: TableMerge, name: kept.Key | None) -> Table:
    """Merge what tasks have made of their rows; by groups that are kept, where there are any."""
    scattered, others = _parted(tables)
    if scattered:
        return merging.finish(_group_scattered(_everything(scattered, others), name))
    if _all_slabs(others):
        return merging.finish(merge_dense_tables(others))
    used = _used(_as_tables(others))
    if name is None or len(used) == 1 or not isinstance(merging, Aggregation):
        return MergeGroups(merging)(used)
    found = kept.find(name)
    grouping = found if isinstance(found, Grouping) else kept.put(name, merging.group_again(used))
    return merging.finish(merging.merge_grouped(grouping, used))


def _merge_range(divided: Sequence[Any], number: int, merging: TableMerge, name: kept.Key | None) -> Table:
    (pieces,) = divided
    part = pieces[number]
    if isinstance(part, RadixRange):
        return merging.finish(_group_scattered(part, name))
    return _merge_all(part, merging, name)


def _group_scattered(part: RadixRange, name: kept.Key | None) -> Table:
    """Reduce the rows of each group; by groups that are kept, where there are any."""
    if name is None:
        return part.table()
    found = kept.find(name)
    table, groupings = part.grouped(found if isinstance(found, SliceGroupings) else None)
    kept.put(name, groupings)
    return table


def _divide(
    tables: Sequence[Partial], count: int, merging: TableMerge
) -> Sequence[Sequence[Table | DenseTable]] | list[RadixRange]:
    """Return the parts of all tables, or of all slabs, or the scattered rows, that belong to each range."""
    nkeys = merging.cut_keys
    scattered, others = _parted(tables)
    if scattered:
        return RadixRange.divide(scattered, count, _as_tables(others))
    if _all_slabs(others):
        cuts = choose_splitters([TableSample.of([slab.keys()]) for slab in others], count)
        edges = [-math.inf, *(int(key) for (key,) in cuts), math.inf]
        slabs = [[slab.between(*edge) for slab in others] for edge in pairwise(edges)]
        return slabs + [[others[0].between(0, 0)]] * (count - len(slabs))
    used = _as_tables(others)
    cuts = choose_splitters([TableSample.of(splitter_keys(table, nkeys)) for table in used], count)
    pieces = [split_table(table, cuts, count, nkeys) for table in used]
    return [[part for parts in same for part in parts] for same in zip(*pieces, strict=True)]


def _gone_over(tables: Expr) -> tuple[Hashable, ...]:
    """Return which partitions each table is of: the same rows in other lots make other tables."""
    if isinstance(tables, Pipeline):
        return tables.layout.batches
    return tuple(_gone_over(part) for part in tables.operands)


def _look_at(
    parts: Sequence[Table | RadixPartitioned], number: int, nkeys: int, most: int, few_rows: int
) -> TableSamples:
    (table,) = parts
    if isinstance(table, RadixPartitioned):
        return TableSamples({number: table.bits})
    samples: dict[int, TableSample | LeadingBits] = {number: TableSample.of(splitter_keys(table, nkeys), most)}
    return TableSamples(samples, table, frozenset([number])) if table.nrows <= few_rows else TableSamples(samples)


def _merge_few(overviews: Sequence[TableSamples], merging: TableMerge) -> TableSamples:
    """Put overviews together, and what they have merged unless it is too much."""
    samples = {number: sample for overview in overviews for number, sample in overview.samples.items()}
    merged = [overview.merged for overview in overviews if overview.merged is not None]
    if not merged or sum(table.nrows for table in merged) > MOST_MERGED:
        return TableSamples(samples)
    members = frozenset().union(*(overview.members for overview in overviews))
    return TableSamples(samples, merging.merge(_used(merged)), members)


def _choose_cuts(overviews: Sequence[TableSamples], count: int, nkeys: int) -> Chosen:
    """Return the cuts, by scattered rows if there are any, and the numbers of the tables merged beforehand."""
    members = frozenset().union(*(overview.members for overview in overviews))
    found = [item for overview in overviews for number, item in overview.samples.items() if number not in members]
    scattered = [item for item in found if isinstance(item, LeadingBits)]
    if scattered:
        return RadixSplitters.choose(scattered, count), members
    samples = [
        TableSample.of(splitter_keys(overview.merged, nkeys)) for overview in overviews if overview.merged is not None
    ]
    return choose_splitters([*samples, *(item for item in found if isinstance(item, TableSample))], count), members


def _own(parts: Sequence[Table | RadixPartitioned]) -> list[Table | RadixPartitioned]:
    return [part.own() for part in parts]


def _split(
    inputs: tuple[Table | RadixPartitioned, Chosen], number: int, count: int, nkeys: int, room: int | None
) -> Slices:
    part, (cuts, members) = inputs
    return None if number in members else spilled(_cut(part, cuts, count, nkeys), room, _own)


def _split_merged(inputs: tuple[TableSamples, Chosen], count: int, nkeys: int, room: int | None) -> Slices:
    overview, (cuts, _) = inputs
    return None if overview.merged is None else spilled(_cut(overview.merged, cuts, count, nkeys), room, _own)


def _cut(
    part: Table | RadixPartitioned, cuts: Cuts | RadixSplitters, count: int, nkeys: int
) -> Sequence[Sequence[Table | RadixPartitioned]]:
    if isinstance(part, RadixPartitioned):
        assert isinstance(cuts, RadixSplitters), "there are scattered rows"
        return [[piece] for piece in part.cut(cuts)]
    return (
        [[piece] for piece in cuts.cut(part)]
        if isinstance(cuts, RadixSplitters)
        else split_table(part, cuts, count, nkeys)
    )
