"""Grouped aggregation as plan nodes: partial tables of the rows, merged by ranges of the keys.

A task groups the rows of its partitions with a strategy chosen by their keys. The tables are split at common keys, and
merged range by range. If there are many, small ones are merged beforehand, a few at a time. So the cost of splitting
follows the number of rows and not of tables.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from akdask import cluster
from akdask._dask import Expr
from akdask.cluster import buffer_bytes, memory, memory_share, on_cluster, partition_size, shares_memory
from akdask.columns.dtypes import BOOL, FLOAT64, INT64
from akdask.columns.table import Table
from akdask.engine import cache
from akdask.engine import tuning as engine_tuning
from akdask.engine.alignment import rows_at_most
from akdask.engine.blocks import Partition, PartitionBatch
from akdask.engine.cache import CacheLease, find, is_leased, lease, put
from akdask.engine.exchange import exchange
from akdask.engine.node import ColumnIdentity, Frame, RowSpace, lower, rows_decided_by
from akdask.engine.pipeline import ITEMSIZE, Compile, group_batches, pipeline, rows_grouped
from akdask.engine.rowwise import Chain, Tables, Tasks, Union, Zip, column_identity
from akdask.engine.sinks import ColumnBuffer, Sink
from akdask.engine.slices import CutTables, Slices, spilled
from akdask.engine.sources import Literal, Rows, Scan
from akdask.engine.values import (
    Call,
    ColumnRef,
    Constant,
    Made,
    Program,
    Value,
    apart,
    as_floats,
    assumed_width,
    cast,
    columns_of,
    describe,
    flattened,
    joined_keys,
    nearest_floats,
    split_keys,
    token,
)
from akdask.operators.group import tuning
from akdask.operators.group.aggregation import (
    SORTED_FAST,
    Aggregation,
    AggregationStep,
    DistinctKeys,
    DistinctValues,
    in_order,
    is_hashed,
    without_hashes,
)
from akdask.operators.group.radix import RadixAggregation
from akdask.operators.group.strategies import (
    DenseAggregation,
    DirectIndexAggregation,
    GroupSplitters,
    GroupStrategy,
    GroupTable,
    HashedAggregation,
    KeySample,
    KeySplitters,
    PartialTable,
    RowAggregation,
    SortedAggregation,
    TableMerge,
    as_one_kind,
    choose_splitters,
    have_long_text,
    merge_partial_tables,
    sample_of,
)
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.records import record
from akdask.typing import Column

STRATEGIES: dict[str, type[GroupStrategy]] = {
    "radix": RadixAggregation,
    "dense": DenseAggregation,
    "hashed": HashedAggregation,
    "sorted": SortedAggregation,
}
"""Strategies for all rows of a partition by name, in the order in which they are tried."""


def choose_strategy(
    aggregation: Any, allowed: frozenset[str], keys: Sequence[Any], values: Sequence[Column]
) -> tuple[GroupStrategy, Any]:
    """Return the strategy for the rows of a partition, and its grouping of them by their keys.

    Direct-index aggregation goes first, block by block while rows are read, since it needs neither all rows in memory
    nor any sorting. It closes when the keys of the blocks span more than `MOST_SLOTS` values. The remaining rows come
    here, and the first of these strategies that accepts them is used:

    - radix, if hardly any two rows of a partition have the same keys, which are numbers. A table of its groups would be
      as large as its rows, and take as long to make as the result.
    - dense, if one integer key has close values. A slot for each is faster than sorting tables. But a table of slots is
      expensive to send to another process, and only works for states that ufuncs merge in place.
    - hashed, if a sample shows text whose codes take several words. Sorting it takes long, so only groups are sorted,
      once they are complete and if anybody minds their order.
    - sorted, for all other rows: strings, several keys or floats with many rows of a group, wide integers.

    Keys, types and sizes decide, never earlier computations. All tasks of a plan agree on `allowed`, which the plan
    derives from where it runs.

    Parameters
    ----------
    aggregation : RowAggregation
        The reductions.
    allowed : set of str
        Names of strategies besides the sorted one.
    keys : sequence of columns, or of encoded strings
        The keys of the rows.
    values : sequence of columns
        The columns to reduce.
    """
    for name, strategy in STRATEGIES.items():
        if name in allowed or name == "sorted":
            found = strategy(aggregation)
            grouping = found.accepts(keys, values)
            if grouping is not None:
                return found, grouping
    raise AssertionError("sorted aggregation accepts all rows")


def group_partitions(
    frame: Frame,
    values: Sequence[Value],
    aggregation: RowAggregation,
    purpose: str,
    *,
    strategies: frozenset[str] = frozenset(),
    cached_as: str | None = None,
    is_one: bool = False,
) -> Expr:
    """Return the node that makes partial tables of the partitions of a frame; the first values are the keys.

    Groupings of partitions are cached under the name `cached_as`, if given. `strategies` are the names of the allowed
    strategies beside the sorted one, and `is_one` says that the groups are not cut to partitions.
    """

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        nkeys = aggregation.nkeys
        name = None if cached_as is None else (cached_as, token(tuple(values[:nkeys])))
        programs = compile_these(values), compile_these(values[nkeys:])
        return PartialAggregation(*programs, aggregation, strategies, name, is_one)

    purpose = f"{purpose[0].lower()}{purpose[1:]}  {token(aggregation)[:8]}"
    return pipeline(frame, values, sink, purpose, batches=group_batches(frame, values[: aggregation.nkeys]))


@record
class PartialAggregation:
    """Group the rows of a partition.

    While direct-index aggregation accepts blocks, they are aggregated one by one. Later blocks are buffered, and go to
    the strategy that is chosen for them. If only one key is wanted, each distinct key of a block is buffered once.
    """

    program: Program
    without_keys: Program
    aggregation: Any
    strategies: frozenset[str]
    cached_as: cache.Key | None = None
    is_one: bool = False
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> PartialTable:
        name = None if self.cached_as is None else (*self.cached_as, *partition.identity)
        cached: Any = cache.find(name)
        if cached is not None and cached.kind in {*STRATEGIES} - {"hashed"} | self.strategies:
            strategy = STRATEGIES[cached.kind](self.aggregation)
            strategy.add(cached, self._values(partition))
            return strategy.finish()
        direct = DirectIndexAggregation(self.aggregation, partition.nrows) if "direct" in self.strategies else None
        rows = ColumnBuffer(self.program, partition.nrows, self.aggregation.encoded_keys)
        encoded = self.program.with_encoded(self.aggregation.nkeys)
        keys = DistinctKeys() if self._wants_one_key else None
        are_hashed = False
        for block in partition.blocks():
            # Once direct-index aggregation is closed, rows are read to their final place.
            if direct is None or direct.closed or not _add_block(direct, *self._split(block.evaluate(encoded))):
                if keys is not None and not keys.closed and keys.add(np.asarray(block.evaluate(self.program)[0])):
                    continue
                if not rows.nrows and "hashed" in self.strategies:
                    are_hashed = have_long_text(self._split(block.evaluate(self.program))[0])
                    rows = ColumnBuffer(self.program, partition.nrows) if are_hashed else rows
                rows.add(block)
        if direct is not None and direct.has_rows and not rows.nrows and (keys is None or not keys.has_rows):
            return direct.finish()
        columns = rows.columns()
        if keys is not None:
            columns = [keys.with_others(np.asarray(columns[0]))]
        is_rest = direct is not None and direct.has_rows
        others = self._aggregate(*self._split(columns), is_rest, are_hashed, name)
        return others if direct is None or not direct.has_rows else direct.finish([others.table()])

    @property
    def _wants_one_key(self) -> bool:
        """Whether the result is one key of numbers, without reductions and without a cached grouping.

        Partitions of groups are cut by tables of all rows, alike for whatever is computed of them.
        """
        if not self.is_one or self.cached_as is not None:
            return False
        if not isinstance(self.aggregation, Aggregation) or self.aggregation.steps:
            return False
        return len(self.program.dtypes) == 1 and self.program.dtypes[0].numpy in SORTED_FAST

    def _aggregate(
        self,
        keys: list[Column],
        values: list[Column],
        is_rest: bool,
        are_hashed: bool,
        name: cache.Key | None,
    ) -> PartialTable:
        """Aggregate the rows that direct-index aggregation has not accepted."""
        allowed = frozenset(["hashed"] if are_hashed else [] if is_rest else self.strategies - {"hashed"})
        strategy, grouping = choose_strategy(self.aggregation, allowed, keys, values)
        if strategy.caches and not is_rest:
            # Partially aggregated rows are regrouped quickly.
            cache.put(name, grouping)
        strategy.add(grouping, values)
        return strategy.finish()

    def _values(self, partition: Partition | PartitionBatch) -> list[Column]:
        values = ColumnBuffer(self.without_keys, partition.nrows)
        for block in partition.blocks() if self.without_keys.outputs else ():
            values.add(block)
        return values.columns()

    def _split(self, columns: list[Column]) -> tuple[list[Column], list[Column]]:
        return columns[: self.aggregation.nkeys], columns[self.aggregation.nkeys :]


def _add_block(direct: DirectIndexAggregation, keys: list[Column], values: list[Column]) -> bool:
    """Add a block if it is accepted, and return whether it is."""
    grouping = direct.accepts(keys, values)
    if grouping is not None:
        direct.add(grouping, values)
    return grouping is not None


def merge_by_range(
    name: str,
    tables: Expr,
    count: int,
    merging: TableMerge,
    *,
    nbytes: int,
    cached_as: str | None = None,
    order_by: int = 0,
) -> Expr:
    """Return the node that merges the tables of another into `count` partitions, in the order of the keys.

    All tables take at most `nbytes` bytes, as far as the plan tells. Groupings of the merged rows are cached under the
    name `cached_as`, if given. Tables that are sorted by hashes are put in the order of `order_by` keys in the end, if
    any: where one task makes the result, or threads.
    """
    everything = _all(tables)
    names = [None if cached_as is None else (cached_as, _batches(tables), number) for number in range(count)]
    if count == 1:
        return Tasks(name, _merge_all, ((everything, (merging, names[0], order_by)),), tables)
    if order_by or merged_in_process(tables.npartitions, count, nbytes):
        split = Tasks(f"split {name}", _split_all, ((everything, (count, merging.cut_keys)),), tables)
        calls = tuple((((0, 0),), (number, merging, names[number], order_by)) for number in range(count))
        merged = Tasks(name, _merge_range, calls, split)
        return _in_order(name, merged, order_by) if order_by else merged
    return exchange(_split_tables(name, tables, count, merging), count, MergeGroups(merging), tables)


def merged_in_process(tables: int, count: int, nbytes: int) -> bool:
    """Whether one task takes all partial tables, which then never leave the process, and splits them into ranges."""
    is_simple = count == 1 or (tables * count <= tuning.MOST_SLICES and nbytes <= memory_share())
    return is_simple and not on_cluster()


def fits_one_task(frame: Frame, values: Sequence[Value]) -> bool:
    """Whether one task may take some columns of all rows, which then never leave the process."""
    return not on_cluster() and table_bytes(frame, values) <= memory_share()


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
    is_many = len(numbers) > tuning.FEW_TABLES and merging.reduces
    wanted = max(tuning.MOST_SAMPLES, tuning.RANGE_SAMPLES * count)
    nkeys, most = merging.cut_keys, min(tuning.TABLE_SAMPLES, max(wanted // len(numbers), 2))
    calls = tuple(
        (((0, number),), (number, nkeys, most, tuning.FEW_MERGED_ROWS if is_many else -1)) for number in numbers
    )
    samples: Expr = Tasks(f"sample {name}", _sample, calls, tables)
    while is_many and samples.npartitions > tuning.FEW_TABLES:
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
    for start in range(0, count, engine_tuning.FAN_IN):
        yield tuple((0, number) for number in range(start, min(start + engine_tuning.FAN_IN, count)))


def _batches(tables: Expr) -> tuple[Hashable, ...]:
    """Return the partitions of each table; the same rows in other batches make other tables."""
    layout = getattr(tables, "layout", None)
    return tuple(_batches(part) for part in tables.operands) if layout is None else layout.batches


@record
class MergeGroups:
    """Makes a partition of the result from the partial tables of its range."""

    merging: TableMerge

    def __call__(self, parts: Sequence[PartialTable]) -> Table:
        return without_hashes(self.merging.finish(merge_partial_tables(self.merging, parts)[0]))

    def pack(self, parts: Sequence[PartialTable]) -> list[PartialTable]:
        """Merge parts to one if these are all, or if that does not change the rounding of floats."""
        used = [part for part in parts if part.nrows] or parts[:1]
        if self.merging.rounds or len(used) == 1:
            return _own(parts if self.merging.rounds else used)
        merged, _ = merge_partial_tables(self.merging, used)
        return [GroupTable(merged)]


def _merge_all(parts: Sequence[PartialTable], merging: TableMerge, name: cache.Key | None, order_by: int) -> Table:
    """Merge the partial tables of all tasks, with cached groupings if there are any."""
    merged = _merged(parts, merging, name)
    return in_order(merged, order_by) if order_by else without_hashes(merged)


def _merged(parts: Sequence[PartialTable], merging: TableMerge, name: cache.Key | None) -> Table:
    known: Any = cache.find(name)
    table, grouping = merge_partial_tables(merging, parts, known, caches=name is not None)
    if grouping is not None:
        cache.put(name, grouping)
    return merging.finish(table)


def _split_all(parts: Sequence[PartialTable], count: int, nkeys: int) -> list[list[PartialTable]]:
    """Return the parts of all partial tables for each range."""
    parts = as_one_kind(parts)
    splitters = choose_splitters(
        [part.sample(nkeys, tuning.TABLE_SAMPLES, number) for number, part in enumerate(parts)], count
    )
    return [list(same) for same in zip(*(part.split(splitters, count, nkeys) for part in parts), strict=True)]


def _merge_range(
    ranges: Sequence[list[list[PartialTable]]], number: int, merging: TableMerge, name: cache.Key | None, order_by: int
) -> Table:
    (parts,) = ranges
    merged = _merged(parts[number], merging, name)
    return merged if order_by else without_hashes(merged)


def _in_order(name: str, tables: Expr, nkeys: int) -> Expr:
    """Return the node that cuts tables at common keys and puts them in order, if they are sorted by hashes."""
    count, everything = tables.npartitions, _all(tables)
    splitters = Tasks(f"choose bounds of {name}", _choose_bounds, ((everything, (count, nkeys)),), tables)
    calls = tuple(((*everything, (1, 0)), (number, nkeys)) for number in range(count))
    return Tasks(f"order {name}", _range_in_order, calls, tables, splitters)


def _choose_bounds(tables: Sequence[Table], count: int, nkeys: int) -> GroupSplitters | None:
    """Return the keys at which ranges begin; None if the tables are such ranges."""
    if not is_hashed(tables[0]):
        return None
    samples = enumerate(map(without_hashes, tables))
    return choose_splitters([sample_of(table, nkeys, tuning.TABLE_SAMPLES, number) for number, table in samples], count)


def _range_in_order(inputs: Sequence[Any], number: int, nkeys: int) -> Table:
    """Return the groups of one range of the keys, sorted by these."""
    *tables, splitters = inputs
    if splitters is None:
        ranged: Table = tables[number]
        return ranged
    return in_order(Table.concat([table.take(splitters.rows(table, number, nkeys)) for table in tables]), nkeys)


# ------------------------------------------------------------------------------------- where no task takes all tables


@record
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
    if not merged or sum(table.nrows for table in merged) > tuning.MOST_MERGED:
        return TableSamples(samples)
    members = frozenset().union(*(part.members for part in parts))
    return TableSamples(samples, merge_partial_tables(merging, merged)[0], members)


def _choose(parts: Sequence[TableSamples], count: int, nkeys: int) -> Chosen:
    """Return the splitters, and the numbers of the tables that were merged beforehand."""
    members = frozenset().union(*(part.members for part in parts))
    merged = [GroupTable(part.merged) for part in parts if part.merged is not None]
    samples = [part.sample(nkeys, tuning.TABLE_SAMPLES, number) for number, part in enumerate(merged)]
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


class CachedColumns(NamedTuple):
    """Names of the columns of groups in the cache: the name of their lease, and one for each column."""

    name: str
    columns: tuple[Hashable, ...]

    def lease(self) -> CacheLease:
        """Return the lease that keeps the columns in the cache."""
        return lease(self.name)

    def find(self, npartitions: int) -> tuple[Table, ...] | None:
        """Return the tables of all partitions, None unless every column is cached."""
        if not is_leased(self.name):
            return None
        found = [self._table(number) for number in range(npartitions)]
        tables = tuple(table for table in found if table is not None)
        return tables if len(tables) == npartitions else None

    def _table(self, number: int) -> Table | None:
        tables: list[Any] = [find((self.name, column, number)) for column in self.columns]
        if not all(isinstance(table, Table) for table in tables):
            return None
        return Table({place: table.columns[0] for place, table in enumerate(tables)}, tables[0].nrows)


def cached(columns: CachedColumns, computed: Expr) -> Expr:
    """Return a node whose partitions are cached as they are computed, if they are small."""
    if not shares_memory():
        # Other processes would cache results that nobody uses there.
        return computed
    most = cluster.process_memory() // tuning.CACHE_SHARE // computed.npartitions
    calls = tuple((((0, number),), (columns, number, most)) for number in range(computed.npartitions))
    return Tasks(f"keep {computed._name}", _keep, calls, computed)


def cached_tables(name: str, columns: CachedColumns, npartitions: int) -> Tables | None:
    """Return a node of the cached tables, None unless all of them are cached."""
    found = columns.find(npartitions)
    return None if found is None else Tables(f"cached {name}", found, _determ_token=f"cached {name}")


def _keep(tables: Sequence[Table], columns: CachedColumns, number: int, most: int) -> Table:
    (table,) = tables
    if table.nbytes <= most:
        for column, rows in zip(columns.columns, table.columns.values(), strict=True):
            put((columns.name, column, number), Table({0: rows}, table.nrows))
    return table


class GroupReduction:
    """One reduction of the rows of each group.

    Parameters
    ----------
    name : str
        A reduction with a grouped form in `akdask.operators.reduce.reductions.REDUCTIONS`.
    *values : Value
        The column to reduce; none for ``size``; also the row numbers if the reduction is by position.
    skipna : bool
        Whether NaN are left out.
    **params
        Arguments of the last step, such as ``ddof``.

    Raises
    ------
    ArgumentTypeError
        If there is no such reduction of values of that type.
    """

    __slots__ = ("dtype", "name", "params", "skipna", "token", "values")

    def __init__(self, name: str, *values: Value, skipna: bool = True, **params: Any) -> None:
        self.name = name
        self.values = values = tuple([_reducible(name, value, skipna) for value in values])
        self.skipna = skipna
        self.params = tuple(sorted(params.items()))
        self.dtype = REDUCTIONS[name].group_result_type(values[0].dtype, **params) if values else INT64
        self.token = token(name, values, skipna, self.params)

    def __reduce__(self) -> tuple[Any, ...]:
        return flattened(self)

    def made_of(self) -> Made:
        """Return the arguments of the reduction."""
        return _reduction, (self.name, self.skipna, self.params, *self.values)

    def __str__(self) -> str:
        return f"{self.name}({', '.join(map(describe, self.values[:1]))})"


def _reducible(name: str, value: Value, skipna: bool) -> Value:
    """Return the values to reduce where integers may be missing: floats, or truth values, of which NaN is true."""
    if not value.dtype.is_nullable_number:
        return value
    if name in ("any", "all"):
        integers, missing = apart(value)
        return Call("where", missing, Constant(np.bool_(name == "all" or not skipna)), cast(integers, BOOL))
    found = REDUCTIONS[name].group_types.get(value.dtype.plain)
    return nearest_floats(value) if found == FLOAT64 else as_floats(value)


def _reduction(name: str, skipna: bool, params: tuple[tuple[str, Any], ...], *values: Value) -> GroupReduction:
    return GroupReduction(name, *values, skipna=skipna, **dict(params))


@record
class GroupIdentity:
    """The identity of groups, decided once by the plan of their rows.

    It stays the same if the keys move to another frame, beside the reduced columns. Other frames of the same rows may
    have other bases, of which more or less is known.

    Parameters
    ----------
    keys : tuple of ColumnIdentity
        The columns that rows are grouped by.
    npartitions : int
        Number of partitions of the groups.
    """

    keys: tuple[ColumnIdentity, ...]
    npartitions: int

    def moved(self) -> GroupIdentity:
        """Return the identity of groups of the same keys among other rows."""
        return GroupIdentity(tuple([key.moved() for key in self.keys]), self.npartitions)

    @classmethod
    def of(cls, frame: Frame, keys: Sequence[Value]) -> Self:
        """Return the identity of the groups of some columns of a frame."""
        return cls(tuple(column_identity(frame, key) for key in keys), _planned_ranges(frame, keys))

    @property
    def token(self) -> str:
        """A hash of both fields."""
        return token("groups", self.keys, self.npartitions)

    def rows(self, kind: str, frame: Frame, keys: Sequence[Value], *params: Any) -> RowSpace:
        """Return the row space of the groups, the same for all groups of these keys; `frame` has the keys."""
        if self.npartitions == 1:
            return rows_decided_by(kind, self.keys, 1, *params)
        return rows_decided_by(kind, self.keys, self.npartitions, *params, _tables(frame, keys))


def _planned_ranges(frame: Frame, keys: Sequence[Value]) -> int:
    """Return the number of partitions of a frame's groups.

    Other columns of the frame do not affect it, since groups of the same keys must be partitioned alike.
    """
    names = {column.source for column in columns_of(*keys)}
    bases = Chain.of(frame).bases
    sizes = [rows_at_most(base) for base in [base for base in bases if base._name in names] or bases]
    known = [size for size in sizes if size is not None]
    most = frame.npartitions
    # Tasks that merge tables take several times their bytes.
    of_range = min(tuning.RANGE_ROWS, partition_size() // ITEMSIZE + 1, rows_grouped(keys))
    if on_cluster():
        known, of_range = known or [_rows_below(frame)], tuning.RANGES_FOR_EXCHANGE * of_range
    return max(1, min(most, -(-min(known) // of_range))) if known else most


def _rows_below(frame: Frame) -> int:
    """Return the rows of the largest source below a frame: joins of unknown size mostly leave no more."""
    return max((node.rows.size or 0 for node in frame.walk() if isinstance(node, Scan | Rows | Literal)), default=0)


def _tables(frame: Frame, keys: Sequence[Value]) -> str:
    """Name the tables that groups are made from; splitters of groups depend on them."""
    return token(frame.rows.token, tuple(map(len, group_batches(frame, keys))))


class Groups(Frame):
    """One row for each distinct combination of keys, which come first among the columns.

    Rows are sorted by the keys if they are `ordered`, else those with text may be sorted by hashes.
    """

    frame: Frame
    keys: tuple[Value, ...]
    identity: GroupIdentity
    ordered: bool

    def describe_column(self, name: Hashable) -> str | None:
        return describe(self.keys[name]) if isinstance(name, int) and name < len(self.keys) else None

    @property
    def own_rows(self) -> RowSpace:
        """The rows of all groups of the same rows by the same keys in the same order."""
        return self.identity.rows("groups" if self.ordered else "hashed groups", self.frame, self.keys)

    @cached_property
    def has_text(self) -> bool:
        """Whether some key is text, which takes long to sort."""
        return any(key.dtype.kind == "str" for key in self.keys)

    @property
    def follows_needs(self) -> bool:  # type: ignore[override]
        """Whether groups are sorted only for readers that mind their order."""
        return self.has_text and self.ordered

    @property
    def in_any_order(self) -> Self:
        """The same groups, those with text as they are found."""
        return type(self)(*self.operands[:-1], False)

    def key(self, number: int) -> ColumnRef:
        """Return one of the keys."""
        return ColumnRef(self._name, number, self.keys[number].dtype)

    def keys_of(self, given: Iterable[Value]) -> list[Value]:
        """Return the keys of the groups, each of the type of the value that rows were grouped by."""
        return joined_keys(given, map(self.key, range(len(self.keys))))


class GroupAggregate(Groups):
    """One row for each distinct combination of keys, in ascending order: the keys, and reductions of their rows.

    All reductions of the same rows by the same keys share a row space, through the `identity` of the groups.
    """

    no_more_rows = True
    keeps_replacement = True

    frame: Frame
    keys: tuple[Value, ...]
    identity: GroupIdentity
    reductions: tuple[GroupReduction, ...]
    ordered: bool

    def on_moved_rows(self) -> GroupAggregate:
        identity = self.identity.moved()
        return GroupAggregate(*[identity if item is self.identity else item for item in self.operands])

    @cached_property
    def cached_lease(self) -> cache.CacheLease:
        """The lease that keeps the groups in the cache, once they are computed."""
        return self.cached_columns.lease()

    @cached_property
    def cached_columns(self) -> CachedColumns:
        """Names of the columns in the cache, the same whatever other columns are computed."""
        return CachedColumns(
            f"columns of {self.grouping}", (*range(len(self.keys)), *(r.token for r in self.reductions))
        )

    @classmethod
    def of(cls, frame: Frame, keys: Sequence[Value], reductions: Sequence[GroupReduction] = ()) -> Self:
        """Return the groups of some columns of a frame; `keys_of` gives the keys in the types of these columns."""
        keys = split_keys(keys)
        return cls(frame, keys, GroupIdentity.of(frame, keys), tuple(reductions), True)

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.own_rows

    @cached_property
    def grouping(self) -> str:
        """The cache's name of the row groups, which all reductions of them in one process share."""
        return token("grouping", self.planned_rows.token, self.npartitions, _tables(self.frame, self.keys))

    @property
    def pass_key(self) -> tuple[str, ...]:
        # Selected rows are grouped once only if they are the same rows.
        rows = self.frame._name if Chain.of(self.frame).selections else ""
        return (self.rows.token, self.identity.token, self.frame.rows.token, rows)

    def in_one_pass(self, others: Sequence[GroupAggregate]) -> tuple[GroupAggregate, dict[str, ColumnRef]] | None:
        nodes, common = (self, *others), self.frame
        if any(node.frame is not common for node in others):
            frames = tuple({base._name: base for node in nodes for base in node.frame.bases}.values())
            common = frames[0] if len(frames) == 1 else Zip(frames)
        reductions = {item.token: item for node in nodes for item in node.reductions}
        merged = GroupAggregate(common, self.keys, self.identity, tuple(reductions.values()), self.ordered)
        if not merged.rows.same_rows(self.rows):
            # Partitions of groups have the same bounds only if they are made from the same tables.
            return None
        columns: dict[str, ColumnRef] = {}
        for node in nodes:
            node.cached_lease  # noqa: B018 -- what is kept of the merged node is for these
            columns.update({node.key(number).token: merged.key(number) for number in range(len(self.keys))})
            columns.update(node._results_in(merged))
        return merged, columns

    def _results_in(self, other: GroupAggregate) -> dict[str, ColumnRef]:
        """Return the position of each reduction's result in a node with all of them."""
        positions = {item.token: number for number, item in enumerate(other.reductions)}
        return {
            self.result(number).token: other.result(positions[item.token])
            for number, item in enumerate(self.reductions)
        }

    def result(self, number: int) -> ColumnRef:
        """Return the result of one of the reductions."""
        return ColumnRef(self._name, len(self.keys) + number, self.reductions[number].dtype)

    def describe(self) -> str:
        computed = ", ".join(map(str, self.reductions)) or "distinct"
        return f"Group by {', '.join(map(describe, self.keys))}: {computed}"

    def describe_column(self, name: Hashable) -> str | None:
        found = super().describe_column(name)
        return found or (str(self.reductions[name - len(self.keys)]) if isinstance(name, int) else None)


class GroupStatistic(Groups):
    """One row for each distinct combination of keys: the keys, and a statistic of a column's distinct values.

    All rows of a group meet in one partition, since partial statistics cannot be merged.  `times` tells that the values
    are int64 nanoseconds, of which the smallest is NaT; `numbers` has the row numbers of a statistic by position.
    `identity` is that of the groups, `params` the arguments of the statistic.
    """

    no_more_rows = True
    keeps_replacement = True

    frame: Frame
    keys: tuple[Value, ...]
    identity: GroupIdentity
    value: Value
    statistic: str
    skipna: bool
    times: bool
    numbers: tuple[Value, ...]
    params: tuple[tuple[str, Any], ...]
    ordered: bool

    def on_moved_rows(self) -> GroupStatistic:
        identity = self.identity.moved()
        return GroupStatistic(*[identity if item is self.identity else item for item in self.operands])

    @cached_property
    def cached_lease(self) -> cache.CacheLease:
        """The lease that keeps the groups in the cache, once they are computed."""
        return self.cached_columns.lease()

    @property
    def cached_columns(self) -> CachedColumns:
        """Names of the columns in the cache."""
        return CachedColumns(self._name, tuple(range(len(self.keys) + 1)))

    @cached_property
    def planned_rows(self) -> RowSpace:
        rows = self.own_rows
        if rows.npartitions == 1:
            return rows
        # Splitters follow the number of distinct values, so they differ from the splitters of other aggregations.
        deciding = (*self.identity.keys, column_identity(self.frame, self.value))
        return rows_decided_by("groups of", deciding, rows.npartitions, rows.token)

    @property
    def result(self) -> ColumnRef:
        """The statistic."""
        dtype = REDUCTIONS[self.statistic].group_result_type(self.value.dtype, **dict(self.params))
        return ColumnRef(self._name, len(self.keys), dtype)

    def describe(self) -> str:
        return f"Group by {', '.join(map(describe, self.keys))}: {self._in_words()}"

    def describe_column(self, name: Hashable) -> str | None:
        return super().describe_column(name) or self._in_words()

    def _in_words(self) -> str:
        return f"{self.statistic}({describe(self.value)})"


@lower.register(GroupAggregate)
@lower.register(GroupStatistic)
def _(frame: GroupAggregate | GroupStatistic) -> Expr:
    found = cached_tables(frame._name, frame.cached_columns, frame.npartitions)
    if found is not None:
        return found
    frame.cached_lease  # noqa: B018 -- the frame keeps it from here on
    return cached(frame.cached_columns, _aggregated(frame) if isinstance(frame, GroupAggregate) else _statistic(frame))


def _aggregated(frame: GroupAggregate) -> Expr:
    values = tuple(dict.fromkeys(value for item in frame.reductions for value in item.values))
    steps = tuple(
        AggregationStep(item.name, tuple(values.index(value) for value in item.values), item.skipna, item.params)
        for item in frame.reductions
    )
    rounds = any(REDUCTIONS[item.name].rounds and item.dtype == FLOAT64 for item in frame.reductions)
    aggregation = Aggregation(len(frame.keys), steps, rounds)
    cached_as = frame.grouping if cache.is_leased(frame.grouping) and not on_cluster() else None
    nbytes = table_bytes(frame.frame, (*frame.keys, *values))
    strategies = _keeping_rows(nbytes) if aggregation.keeps_values else {"direct", *_keeping_rows(nbytes)}
    if merged_in_process(frame.frame.npartitions, frame.npartitions, nbytes):
        strategies.add("dense")
    hashed, order_by = _hashing(frame, nbytes)
    partials = group_partitions(
        frame.frame,
        (*frame.keys, *values),
        aggregation,
        frame.describe(),
        strategies=hashed.union(strategies),
        cached_as=cached_as,
        is_one=frame.npartitions == 1,
    )
    return merge_by_range(
        frame._name,
        partials,
        frame.npartitions,
        aggregation,
        nbytes=nbytes,
        cached_as=cached_as,
        order_by=order_by,
    )


def _hashing(frame: GroupAggregate | GroupStatistic, nbytes: int) -> tuple[frozenset[str], int]:
    """Return the strategy for long text, if it is allowed, and by how many keys its groups are sorted in the end."""
    is_one = frame.npartitions == 1 or merged_in_process(frame.frame.npartitions, frame.npartitions, nbytes)
    if not frame.has_text or (frame.ordered and not (is_one and frame.npartitions <= tuning.MOST_ORDERED_RANGES)):
        return frozenset(), 0
    return frozenset(["hashed"]), len(frame.keys) if frame.ordered else 0


def _keeping_rows(nbytes: int) -> set[str]:
    """Return the strategy that keeps rows, which take so many bytes, if there is memory for them."""
    is_enough = memory() >= tuning.ENOUGH_FOR_ROWS if on_cluster() else nbytes <= memory_share()
    return {"radix"} if is_enough else set()


def _statistic(frame: GroupStatistic) -> Expr:
    distinct = DistinctValues(len(frame.keys), frame.statistic, frame.skipna, frame.times, frame.params)
    values = (*frame.keys, frame.value, *frame.numbers)
    nbytes = table_bytes(frame.frame, values)
    # Slices of the first key have all rows of their groups.
    hashed, order_by = _hashing(frame, nbytes)
    strategies = hashed.union({"direct", *_keeping_rows(nbytes)})
    partials = group_partitions(frame.frame, values, distinct.aggregation, frame.describe(), strategies=strategies)
    return merge_by_range(frame._name, partials, frame.npartitions, distinct, nbytes=nbytes, order_by=order_by)
