"""Partial aggregation: groups the rows of a partition with a strategy chosen by their keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.engine import cache
from akdask.engine.blocks import Partition, PartitionBatch
from akdask.engine.node import Frame
from akdask.engine.pipeline import ColumnBuffer, Compile, Sink, group_batches, pipeline
from akdask.engine.program import Program
from akdask.engine.tokens import token
from akdask.engine.values import Value
from akdask.operators.group.dense import DenseAggregation
from akdask.operators.group.direct_index import DirectIndexAggregation
from akdask.operators.group.radix import RadixAggregation
from akdask.operators.group.sorted import SortedAggregation
from akdask.operators.group.strategy import GroupStrategy, PartialTable, RowAggregation
from akdask.operators.group.table import SORTED_FAST, Aggregation, DistinctKeys
from akdask.typing import Column

STRATEGIES: dict[str, type[GroupStrategy]] = {
    "radix": RadixAggregation,
    "dense": DenseAggregation,
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

    - radix, if hardly any two rows of a partition have the same key. A table of its groups would be as large as its
      rows, and take as long to make as the result.
    - dense, if one integer key has close values. A slot for each is faster than sorting tables. But a table of slots is
      expensive to send to another process, and only works for states that ufuncs merge in place.
    - sorted, for all other rows: several keys, strings, floats with many rows of a group, wide integers.

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
) -> Expr:
    """Return the node that makes partial tables of the partitions of a frame; the first values are the keys.

    Groupings of partitions are cached under the name `cached_as`, if given. `strategies` are the names of the allowed
    strategies beside the sorted one.
    """

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        nkeys = aggregation.nkeys
        name = None if cached_as is None else (cached_as, token(tuple(values[:nkeys])))
        return PartialAggregation(compile_these(values), compile_these(values[nkeys:]), aggregation, strategies, name)

    purpose = f"{purpose[0].lower()}{purpose[1:]}  {token(aggregation)[:8]}"
    return pipeline(frame, values, sink, purpose, batches=group_batches(frame, values[: aggregation.nkeys]))


@dataclass(frozen=True, slots=True)
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
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | PartitionBatch) -> PartialTable:
        name = None if self.cached_as is None else (*self.cached_as, *partition.identity)
        cached: Any = cache.find(name)
        if cached is not None:
            strategy = STRATEGIES[cached.kind](self.aggregation)
            strategy.add(cached, self._values(partition))
            return strategy.finish()
        direct = DirectIndexAggregation(self.aggregation, partition.nrows) if "direct" in self.strategies else None
        rows = ColumnBuffer(self.program, partition.nrows, self.aggregation.encoded_keys)
        encoded = self.program.with_encoded(self.aggregation.nkeys)
        keys = DistinctKeys() if self._wants_one_key else None
        for block in partition.blocks():
            # Once direct-index aggregation is closed, rows are read to their final place.
            if direct is None or direct.closed or not _add_block(direct, *self._split(block.evaluate(encoded))):
                if keys is not None and not keys.closed and keys.add(np.asarray(block.evaluate(self.program)[0])):
                    continue
                rows.add(block)
        if direct is not None and direct.has_rows and not rows.nrows and (keys is None or not keys.has_rows):
            return direct.finish()
        columns = rows.columns()
        if keys is not None:
            columns = [keys.with_others(np.asarray(columns[0]))]
        others = self._aggregate(*self._split(columns), direct, name)
        return others if direct is None or not direct.has_rows else direct.finish([others.table()])

    @property
    def _wants_one_key(self) -> bool:
        """Whether the result is one key of numbers, without reductions and without a cached grouping."""
        if not isinstance(self.aggregation, Aggregation) or self.aggregation.steps or self.cached_as is not None:
            return False
        return len(self.program.dtypes) == 1 and self.program.dtypes[0].numpy in SORTED_FAST

    def _aggregate(
        self, keys: list[Column], values: list[Column], direct: DirectIndexAggregation | None, name: cache.Key | None
    ) -> PartialTable:
        """Aggregate the rows that direct-index aggregation has not accepted."""
        is_rest = direct is not None and direct.has_rows
        strategy, grouping = choose_strategy(
            self.aggregation, frozenset() if is_rest else self.strategies, keys, values
        )
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
