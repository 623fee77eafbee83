"""Grouped aggregation as plan nodes: partial tables of the rows, merged by ranges of the keys."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

from akdask import machine
from akdask._dask import Expr
from akdask._distributed import shares_memory
from akdask.cluster import memory, on_cluster, partition_size
from akdask.columns.dtypes import FLOAT64, INT64
from akdask.columns.table import Table
from akdask.engine import cache
from akdask.engine.alignment import rows_at_most
from akdask.engine.cache import CacheLease, find, is_leased, lease, put
from akdask.engine.exchange import memory_share
from akdask.engine.node import ColumnIdentity, Frame, RowSpace, lower, rows_decided_by
from akdask.engine.pipeline import ITEMSIZE, group_batches, rows_grouped
from akdask.engine.rowwise import Chain, Tables, Tasks, Zip, column_identity
from akdask.engine.tokens import Made, flattened, token
from akdask.engine.values import ColumnRef, Value, columns_of, describe
from akdask.operators.group.merge import merge_by_range, merged_in_process, table_bytes
from akdask.operators.group.partial import group_partitions
from akdask.operators.group.table import Aggregation, AggregationStep, DistinctValues
from akdask.operators.reduce.registry import REDUCTIONS
from akdask.typing import Column

SHARE = 64
"""The divisor of this machine's memory that bounds one plan's cached groups."""


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
        columns: dict[Hashable, Column] = {}
        nrows = 0
        for position, column in enumerate(self.columns):
            table = find((self.name, column, number))
            if not isinstance(table, Table):
                return None
            columns[position], nrows = table.columns[0], table.nrows
        return Table(columns, nrows)


def cached(columns: CachedColumns, computed: Expr) -> Expr:
    """Return a node whose partitions are cached as they are computed, if they are small."""
    if not shares_memory():
        # Other processes would cache results that nobody uses there.
        return computed
    most = machine.memory() // SHARE // computed.npartitions
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


RANGE_ROWS = 2**21
"""Rows of the input for each planned partition of the result, or fewer if memory is short."""


ENOUGH_FOR_ROWS = 2**30
"""Bytes of a worker's memory for each thread below which it makes tables, which are smaller than rows."""


class GroupReduction:
    """One reduction of the rows of each group.

    Parameters
    ----------
    name : str
        A reduction with a grouped form in `akdask.operators.reduce.registry.REDUCTIONS`.
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
        self.values = values
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


def _reduction(name: str, skipna: bool, params: tuple[tuple[str, Any], ...], *values: Value) -> GroupReduction:
    return GroupReduction(name, *values, skipna=skipna, **dict(params))


@dataclass(frozen=True, slots=True)
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
    of_range = min(RANGE_ROWS, partition_size() // ITEMSIZE + 1, rows_grouped(keys))
    return max(1, min(most, -(-min(known) // of_range))) if known else most


def _tables(frame: Frame, keys: Sequence[Value]) -> str:
    """Name the tables that groups are made from; splitters of groups depend on them."""
    return token(frame.rows.token, tuple(map(len, group_batches(frame, keys))))


class GroupAggregate(Frame):
    """One row for each distinct combination of keys, in ascending order: the keys, and reductions of their rows.

    All reductions of the same rows by the same keys share a row space, through the `identity` of the groups.
    """

    no_more_rows = True
    keeps_replacement = True

    frame: Frame
    keys: tuple[Value, ...]
    identity: GroupIdentity
    reductions: tuple[GroupReduction, ...]

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
        """Return the groups of some columns of a frame."""
        return cls(frame, tuple(keys), GroupIdentity.of(frame, keys), tuple(reductions))

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.identity.rows("groups", self.frame, self.keys)

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
        merged = GroupAggregate(common, self.keys, self.identity, tuple(reductions.values()))
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

    def key(self, number: int) -> ColumnRef:
        """Return one of the keys."""
        return ColumnRef(self._name, number, self.keys[number].dtype)

    def result(self, number: int) -> ColumnRef:
        """Return the result of one of the reductions."""
        return ColumnRef(self._name, len(self.keys) + number, self.reductions[number].dtype)

    def describe(self) -> str:
        computed = ", ".join(map(str, self.reductions)) or "distinct"
        return f"Group by {', '.join(map(describe, self.keys))}: {computed}"


class GroupStatistic(Frame):
    """One row for each distinct combination of keys: the keys, and a statistic of a column's distinct values.

    All rows of a group meet in one partition, since partial statistics cannot be merged.  `times` tells that the values
    are int64 nanoseconds, of which the smallest is NaT; `numbers` are row numbers. `identity` is
    that of the groups, `params` the arguments of the statistic.
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
    numbers: Value
    params: tuple[tuple[str, Any], ...]

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
        rows = self.identity.rows("groups", self.frame, self.keys)
        if rows.npartitions == 1:
            return rows
        # Splitters follow the number of distinct values, so they differ from the splitters of other aggregations.
        deciding = (*self.identity.keys, column_identity(self.frame, self.value))
        return rows_decided_by("groups of", deciding, rows.npartitions, rows.token)

    def key(self, number: int) -> ColumnRef:
        """Return one of the keys."""
        return ColumnRef(self._name, number, self.keys[number].dtype)

    @property
    def result(self) -> ColumnRef:
        """The statistic."""
        dtype = REDUCTIONS[self.statistic].group_result_type(self.value.dtype, **dict(self.params))
        return ColumnRef(self._name, len(self.keys), dtype)

    def describe(self) -> str:
        return f"Group by {', '.join(map(describe, self.keys))}: {self.statistic}({describe(self.value)})"


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
    strategies = set() if aggregation.keeps_values else {"direct"}
    nbytes = table_bytes(frame.frame, (*frame.keys, *values))
    if memory() >= ENOUGH_FOR_ROWS if on_cluster() else nbytes <= memory_share():
        strategies.add("radix")
    if merged_in_process(frame.frame.npartitions, frame.npartitions, nbytes):
        strategies.add("dense")
    partials = group_partitions(
        frame.frame,
        (*frame.keys, *values),
        aggregation,
        frame.describe(),
        strategies=frozenset(strategies),
        cached_as=cached_as,
    )
    return merge_by_range(frame._name, partials, frame.npartitions, aggregation, nbytes=nbytes, cached_as=cached_as)


def _statistic(frame: GroupStatistic) -> Expr:
    distinct = DistinctValues(len(frame.keys), frame.statistic, frame.skipna, frame.times, frame.params)
    carried = (frame.numbers,) if REDUCTIONS[frame.statistic].by_position else ()
    values = (*frame.keys, frame.value, *carried)
    partials = group_partitions(
        frame.frame, values, distinct.aggregation, frame.describe(), strategies=frozenset(["direct"])
    )
    return merge_by_range(frame._name, partials, frame.npartitions, distinct, nbytes=table_bytes(frame.frame, values))
