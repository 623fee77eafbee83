"""Sorted numbers in one array, of which each task puts a part in order where it is to be.

Partitions of their own would be joined in the end, by one thread, while the others wait.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

import numpy as np

from akdask._dask import Expr, List, Task, TaskRef
from akdask.columns.memory import new_array
from akdask.columns.table import Table
from akdask.deferred import without_collection
from akdask.engine.allocator import manage_freed_memory
from akdask.engine.exchange import Exchange
from akdask.engine.fetch import Slices, taken
from akdask.engine.lower import lower
from akdask.engine.node import Node
from akdask.engine.spill import SpillFile
from akdask.operators.sort.runs import RangedRows, put_in_order
from akdask.operators.sort.sort import Sort
from akdask.typing import NumberArray


class InPlaceSort(Node):
    """The numbers that the tasks of `split` return slices of, sorted, in one array: the column `column` of a table.

    Parameters
    ----------
    split : node
        The split partitions.
    count : int
        Number of slices of each.
    column : hashable
        The name of the column.
    dtype : dtype
        Of the numbers.
    """

    split: Expr
    count: int
    column: Hashable
    dtype: Any

    @property
    def npartitions(self) -> int:
        return 1

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        array, key = (f"sorted-array-{self._name}", 0), (self._name, 0)
        ordered = [(f"in-order-{self._name}", number) for number in range(self.count)]
        graph: dict[Any, Any] = {name: Task(name, _put_in_order, TaskRef(array), name[1]) for name in ordered}
        split = List(*map(TaskRef, self.split.__dask_keys__()))
        graph[array] = Task(array, _SortedArray.of, split, self.count, self.dtype)
        graph[key] = Task(key, _joined, TaskRef(array), List(*map(TaskRef, ordered)), self.column)
        return graph


def in_place(sort: Sort, name: Hashable, column: Hashable) -> InPlaceSort | None:
    """Return the column `name` of a sort of nothing else, called otherwise; None if workers keep its partitions."""
    exchange = lower(sort)
    if not isinstance(exchange, Exchange) or exchange.workers is not None:
        return None
    return InPlaceSort(exchange.split, exchange.count, column, sort.dtype_of(name).numpy)


@dataclass(frozen=True, slots=True)
class _SortedArray:
    """An array for the numbers of all slices, and where each new partition begins; None if slices are on disk."""

    split: Sequence[Slices]
    values: NumberArray | None
    starts: list[int]
    dtype: Any

    @staticmethod
    def of(split: Sequence[Slices], count: int, dtype: Any) -> _SortedArray:
        """Return the array for some split partitions: the function of a task."""
        manage_freed_memory()
        if any(isinstance(slices, SpillFile) for slices in split):
            return _SortedArray(split, None, [], dtype)
        sizes = [_size(taken(split, number)) for number in range(count)]
        return _SortedArray(split, new_array(sum(sizes), dtype), list(accumulate(sizes, initial=0)), dtype)


def _size(runs: Sequence[RangedRows]) -> int:
    return sum(run.bounds[-1] for run in runs)


def _put_in_order(array: _SortedArray, number: int) -> NumberArray:
    """Put the numbers of a new partition in order, and return them: the function of a task."""
    manage_freed_memory()
    runs = taken(array.split, number)
    if array.values is None:
        return put_in_order(runs, new_array(_size(runs), array.dtype))
    return put_in_order(runs, array.values[array.starts[number] : array.starts[number + 1]])


def _joined(array: _SortedArray, parts: Sequence[NumberArray], column: Hashable) -> Table:
    """Return the table of all numbers: the function of a task."""
    values = array.values
    if values is None:
        values = np.concatenate(parts, out=new_array(sum(map(len, parts)), array.dtype))
    return Table({column: values}, len(values))
