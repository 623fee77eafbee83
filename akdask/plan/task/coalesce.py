"""Small partitions of a batch read as one: a step costs as much for few rows as for many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from akdask.columns import Table
from akdask.plan.task.blocks import Input, Range, RowPositions, Selection
from akdask.storage.data.consecutive import ConsecutiveParts

MOST_OPEN = 16
"""Largest number of files that a thread keeps open."""

Given: TypeAlias = tuple[tuple[Selection, ...], Sequence[Input]]
"""The selections and inputs of one partition."""


def coalesce_partitions(members: Sequence[Given], block_rows: int) -> Iterator[Given]:
    """Yield the partitions of a batch in order; neighbours with the same selections that fit a block become one."""
    some: list[Given] = []
    nrows = 0
    for member in members:
        more = member[1][0].nrows
        if some and (len(some) == MOST_OPEN or nrows + more > block_rows or not _are_read_alike(some[0], member)):
            yield _as_one(some)
            some, nrows = [], 0
        some.append(member)
        nrows += more
    yield _as_one(some)


def _are_read_alike(first: Given, second: Given) -> bool:
    """Whether both are read from files with the same selections, none of which counts rows."""
    selections = zip(first[0], second[0], strict=True)
    if any(one is not other or isinstance(one, Range) for one, other in selections):
        return False
    inputs = (*first[1], *second[1])
    return not any(isinstance(item, Table | RowPositions) for item in inputs) and _agree(first) and _agree(second)


def _agree(member: Given) -> bool:
    """Whether the inputs have equal numbers of rows; otherwise the partition stays alone, so that it raises."""
    return len({item.nrows for item in member[1]}) == 1


def _as_one(members: Sequence[Given]) -> Given:
    if len(members) == 1:
        return members[0]
    (selections, _), *_ = members
    return selections, [ConsecutiveParts(parts) for parts in zip(*(inputs for _, inputs in members), strict=True)]
