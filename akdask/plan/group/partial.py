"""Partial aggregation: what a partition makes of its rows where they are grouped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.kernels.group import choice
from akdask.kernels.group.aggregation import Aggregation
from akdask.kernels.group.direct_index import DirectIndexAggregation
from akdask.kernels.group.distinct_values import SORTED_FAST, DistinctKeys
from akdask.kernels.group.strategy import PartialTable, RowAggregation
from akdask.plan.expr import cache
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.node import Frame
from akdask.plan.expr.tokens import token
from akdask.plan.expr.values import Value
from akdask.plan.task.batches import group_batches
from akdask.plan.task.blocks import Partition, PartitionBatch
from akdask.plan.task.operators import ColumnBuffer, Sink
from akdask.plan.task.pipeline import Compile, pipeline
from akdask.plan.task.program import Program
from akdask.typing import Column


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

    Groupings of partitions are cached under the name `cached_as`, if one is given.  `strategies` are the names of those
    that may be taken, besides the sorted one.
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

    While direct-index aggregation accepts blocks, they are aggregated one by one; what follows is buffered, and goes to
    the strategy that is chosen for it.  Where nothing but one key is wanted, each key of a block is buffered once.
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
            strategy = choice.STRATEGIES[cached.kind](self.aggregation)
            strategy.add(cached, self._values(partition))
            return strategy.finish()
        direct = DirectIndexAggregation(self.aggregation, partition.nrows) if "direct" in self.strategies else None
        rows = ColumnBuffer(self.program, partition.nrows, self.aggregation.encoded_keys)
        encoded = self.program.with_encoded(self.aggregation.nkeys)
        keys = DistinctKeys() if self._wants_one_key else None
        for block in partition.blocks():
            # Once direct-index aggregation is closed, rows are read to where they stay.
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
        """Whether nothing is computed of the groups, nor kept of how rows are grouped, but one key of numbers."""
        if not isinstance(self.aggregation, Aggregation) or self.aggregation.steps or self.cached_as is not None:
            return False
        return len(self.program.dtypes) == 1 and self.program.dtypes[0].numpy in SORTED_FAST

    def _aggregate(
        self, keys: list[Column], values: list[Column], direct: DirectIndexAggregation | None, name: cache.Key | None
    ) -> PartialTable:
        """Aggregate the rows that direct-index aggregation has not accepted."""
        is_rest = direct is not None and direct.has_rows
        strategy, grouping = choice.choose_strategy(
            self.aggregation, frozenset() if is_rest else self.strategies, keys, values
        )
        if strategy.caches and not is_rest:
            # What has been aggregated in part is quickly found again.
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
    """Add a block if it is accepted, and tell whether it is."""
    grouping = direct.accepts(keys, values)
    if grouping is not None:
        direct.add(grouping, values)
    return grouping is not None
