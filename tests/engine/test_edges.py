"""Graphs whose tasks and references between tasks grow as partitions do, and not with the square of their number."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from dask.base import collections_to_expr

import akdask as ak
from akdask.testing.memory import MemorySource

FEWEST = 256
"""Partitions from which on counts are compared; with fewer, thresholds for small graphs show."""

MOST_GROWTH = 2.5
"""How much more twice as many partitions may take: a level more of a tree besides, where the square would be 4."""

PLANS = {
    "broadcast": lambda k, v: ak.GroupBy(k).broadcast(ak.GroupBy(k).sum(v)[1]),
    "broadcast in the order of groups": lambda k, v: ak.GroupBy(k).broadcast(ak.GroupBy(k).sum(v)[1], permute=False),
    "permutation": lambda k, v: ak.GroupBy(k).permutation,
    "segments": lambda k, v: ak.GroupBy(k).segments,
    "first rows": lambda k, v: ak.GroupBy(k).first(v)[1],
    "sums of groups": lambda k, v: ak.GroupBy(k).sum(v)[1],
    "medians of groups": lambda k, v: ak.GroupBy(k).median(v)[1],
    "sorted": lambda k, v: ak.sort(v),
    "cumulative sum": lambda k, v: ak.cumsum(v),
    "starts of lists": lambda k, v: ak.SegArray(ak.arange(len(v)), v).segments,
    "concatenation": lambda k, v: ak.concatenate([k, v]),
    "value counts": lambda k, v: ak.value_counts(k)[1],
}


def size_of_graph(plan, partitions):
    """Return the number of tasks of a plan on rows in some partitions, and of their references to others."""
    source = MemorySource({"k": np.arange(partitions) % 7, "v": np.arange(partitions)}, [1] * partitions)
    arrays = source.arrays()
    graph = dict(collections_to_expr([plan(arrays["k"], arrays["v"])]).optimize().__dask_graph__())
    return len(graph), sum(len(task.dependencies) for task in graph.values())


@pytest.fixture
def many_small_partitions(monkeypatch):
    """Have a task for each partition, and groups come in partitions of a few rows."""
    monkeypatch.setattr("akdask.engine.pipeline.CORES", 2**20)
    monkeypatch.setattr("akdask.engine.tuning.FEW_PARTITIONS", 2**20)
    monkeypatch.setattr("akdask.operators.group.tuning.RANGE_ROWS", 1)


@pytest.mark.parametrize("name", PLANS)
def test_tasks_and_references_grow_as_partitions_do(name, many_small_partitions):
    sizes = [size_of_graph(PLANS[name], FEWEST * factor) for factor in (1, 2, 4)]
    for before, after in pairwise(sizes):
        for count, doubled in zip(before, after, strict=True):
            assert doubled <= MOST_GROWTH * count, sizes
