"""Treat small data as large: the thresholds of all strategies, lowered together."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from akdask.engine import node

LARGE_DATA: dict[str, dict[str, Any]] = {
    "akdask.engine.tuning": {
        "SMALL_ROWS": 0,
        "FEW_GROUP_ROWS": 1,
        "FEWEST_BLOCK_ROWS": 1,
        "FEW_BLOCK_ROWS": 0,
        "FEWEST_SLICED_GROUPS": 2,
    },
    "akdask.operators.group.tuning": {
        "RANGE_ROWS": 2,
        "FEW_TABLES": 1,
        "FEW_MERGED_ROWS": 1,
        "RANGE_SAMPLES": 2,
        "FEW_SPLIT_ROWS": 0,
        "FEWEST_RADIX_ROWS": 1,
        "RADIX_SLICE_ROWS": 2,
        "MOST_SLOTS": 4,
        "FEWEST_SLOTS": 0,
        "MOST_STRINGS": 2,
        "MOST_NUMBERS": 2,
    },
    "akdask.operators.sort.tuning": {"MOST_SAMPLED": 1, "SAMPLES": 2, "WORTH_RANGES": 0, "RANGE_ROWS": 2},
    "akdask.operators.rows.tuning": {"FEW_WANTED": 0, "FEWEST_SOURCES": 1},
    "akdask.operators.join.tuning": {
        "BLOCK_ROWS": 4,
        "SLICE_ROWS": 2,
        "SAMPLED_ROWS": 2,
        "FEW_SAMPLED": 1,
        "FEW_STRINGS": -1,
    },
}
"""By module, the values at which a few rows are as many as there can be."""

MATERIALIZING: dict[str, dict[str, Any]] = {
    "akdask.engine.tuning": {
        "MOST_ROUNDS": 1,
        "MOST_STEPS": 1,
        "MOST_STEPS_OF_UNKNOWN": 1,
        "MOST_ROUNDS_OF_MANY": 1,
    },
}
"""By module, the values at which each step on rows is kept for the next."""


@contextmanager
def small_data_as_large(*, materialized: bool = False) -> Iterator[None]:
    """Choose strategies for a few rows as for very many, as long as the context lasts.

    Results are the same, but plans, tasks and their order differ.  Meant for tests; affects all threads.

    Parameters
    ----------
    materialized : bool, default False
        Whether each step on rows is kept for the next as well, as after many steps.

    Examples
    --------
    >>> import akdask as ak
    >>> with small_data_as_large():
    ...     ak.sort(ak.array([3, 1, 2])).tolist()
    [1, 2, 3]
    """
    wanted = {name: dict(items) for name, items in LARGE_DATA.items()}
    for name, items in MATERIALIZING.items() if materialized else ():
        wanted[name] |= items
    modules = {name: import_module(name) for name in wanted}
    before = {name: {item: getattr(modules[name], item) for item in items} for name, items in wanted.items()}
    try:
        _set(modules, wanted)
        yield
    finally:
        _set(modules, before)


def _set(modules: dict[str, Any], values: dict[str, dict[str, Any]]) -> None:
    for name, items in values.items():
        for item, value in items.items():
            setattr(modules[name], item, value)
    # Rows that have been counted may lie in other partitions by other thresholds.
    node.forget_lengths()
