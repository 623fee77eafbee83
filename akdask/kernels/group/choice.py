"""Which strategy groups the rows of a partition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akdask.kernels.group.dense import DenseAggregation
from akdask.kernels.group.radix import RadixAggregation
from akdask.kernels.group.sorted import SortedAggregation
from akdask.kernels.group.strategy import GroupStrategy
from akdask.typing import Column

STRATEGIES: dict[str, type[GroupStrategy]] = {
    "radix": RadixAggregation,
    "dense": DenseAggregation,
    "sorted": SortedAggregation,
}
"""Strategies for all rows of a partition, by name, in the order in which they are asked."""


def choose_strategy(
    aggregation: Any, allowed: frozenset[str], keys: Sequence[Any], values: Sequence[Column]
) -> tuple[GroupStrategy, Any]:
    """Return the strategy for the rows of a partition, and how it groups them by their keys.

    Direct-index aggregation goes first, block by block while rows are read, since it needs neither all rows in memory
    nor any sorting: it closes when the keys of the blocks span more than `MOST_SLOTS` values.  What it has not taken
    comes here, and the first of these that accepts is taken:

    - radix, where hardly any two rows of a partition have the same key: a table of its groups would be as large as its
      rows, and take as long to make as the result;
    - dense, where one integer key has values close together: a slot for each takes half the time of sorting tables, but
      a table of slots cannot leave the process cheaply, nor can what no ufunc merges in place be merged in it;
    - sorted, for everything else: several keys, strings, floats with many rows of a group, wide integers.

    Keys, types and sizes decide, never what ran before; so do all tasks of a plan what `allowed` says, which the plan
    has found from where it runs.

    Parameters
    ----------
    aggregation : RowAggregation
        What is computed.
    allowed : set of str
        Names of strategies besides the sorted one.
    keys : sequence of columns, or of encoded strings
        The keys of the rows.
    values : sequence of columns
        What is reduced.
    """
    for name, strategy in STRATEGIES.items():
        if name in allowed or name == "sorted":
            found = strategy(aggregation)
            grouping = found.accepts(keys, values)
            if grouping is not None:
                return found, grouping
    raise AssertionError("sorted aggregation accepts all rows")
