"""Small partitions that one task goes over, so that the number of tasks follows the amount of data, not that of files.

Only for tasks whose results are put together anyway, whatever partitions they are of.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import lru_cache
from typing import TypeAlias

from dask.system import CPU_COUNT as CORES

from akdask.cluster import partition_size
from akdask.plan.expr.chain import Chain
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.sources import Literal, Rows, Scan
from akdask.plan.expr.values import Value, columns_of

Batches: TypeAlias = tuple[tuple[int, ...], ...]
"""Numbers of the partitions of each task, in order."""

ITEMSIZE = 8

SMALL_ROWS = 2**18
"""Rows that are not worth parting."""

FEW = max(4, 2 * CORES)
"""So many partitions have a task each, however small they are.  It goes by this machine, as clusters come and go."""

MOST_ROWS = 2**23
"""Rows beyond which the cost of a task does not matter."""

ITEMSIZE = 8

GROUP_BATCHES = 32
GROUP_ROWS = 2**21
"""The same of partitions that are grouped: by no machine, as floats of a group are added up lot by lot."""

MOST_FILES = 128
"""Partitions that one task goes over, at most: files that are far away take long to open."""


def partition_batches(frame: Frame, keys: Sequence[Value] = ()) -> Batches:
    """Return the partitions of a frame in lots, by the numbers of rows that are known for good, and by memory.

    If `keys` are given, only their columns are asked for the rows: so groups that are found from them are cut into
    partitions alike, whatever else is computed of them.
    """
    return _batches(frame, {column.source for column in columns_of(*keys)}, FEW, MOST_ROWS)


def group_batches(frame: Frame, keys: Sequence[Value]) -> Batches:
    """Return the same for rows that are grouped, by nothing but the numbers of rows.

    The floats of a group are added up in the order of the rows of a lot, and the lots in their order, so that sums are
    the same to the last bit with any number of threads, and on any cluster.
    """
    if frame.npartitions <= GROUP_BATCHES:
        return single_partitions(frame)
    rows = rows_read(frame, {column.source for column in columns_of(*keys)})
    return single_partitions(frame) if rows is None else batch_neighbours(rows, GROUP_BATCHES, GROUP_ROWS)


def reduction_batches(frame: Frame) -> Batches:
    """Return the partitions of a frame in lots that are reduced to some numbers each: one for a core if they are small.

    Threads take as long each, as there is nothing but rows to go over; and fewer tasks wait for each other less.
    """
    return _batches(frame, frozenset(), CORES, 2 * MOST_ROWS)


def _batches(frame: Frame, names: Set[str], few: int, most: int) -> Batches:
    rows = None if frame.npartitions <= few else rows_read(frame, names)
    return (
        single_partitions(frame)
        if rows is None
        else batch_neighbours(rows, few, min(most, partition_size() // ITEMSIZE))
    )


def single_partitions(frame: Frame) -> Batches:
    """Return each partition of a frame as a lot."""
    return tuple((number,) for number in range(frame.npartitions))


@lru_cache(64)
def batch_neighbours(rows: tuple[int, ...], few: int = FEW, most: int = MOST_ROWS) -> Batches:
    """Return partitions of so many rows in at least `few` lots of neighbours, several of them up to `most` rows.

    Examples
    --------
    >>> [len(batch) for batch in batch_neighbours((1000,) * 256, 64)][:3]
    [4, 4, 4]
    """
    limit = min(most, -(-sum(rows) // few))
    batches: list[list[int]] = []
    room = 0
    for number, count in enumerate(rows):
        if not batches or count > room or len(batches[-1]) == MOST_FILES:
            batches.append([])
            room = limit
        batches[-1].append(number)
        room -= count
    return tuple(map(tuple, batches))


def rows_read(frame: Frame, names: Set[str] = frozenset()) -> tuple[int, ...] | None:
    """Return how many rows are read for each partition of a frame, None if nothing tells.

    If there are bases of the given names, only these are asked.
    """
    return _rows_of_chain(Chain.of(frame), frame.npartitions, names)


def _rows_of_chain(chain: Chain, npartitions: int, names: Set[str] = frozenset()) -> tuple[int, ...] | None:
    for base in [base for base in chain.bases if base._name in names] or chain.bases:
        found = _lengths(base)
        if found is not None:
            sources = chain.sources(npartitions)
            return tuple(found) if sources == range(len(found)) else tuple(found[source] for source in sources)
    return None


def _lengths(base: Frame) -> Sequence[int] | None:
    match base:
        case Project():
            return _rows_read_by(base)
        case Scan() | Rows() | Literal():
            return base.rows.lengths
    return None


_READ = "_rows_read"


def _rows_read_by(project: Project) -> tuple[int, ...] | None:
    """Return how many rows are read for each partition of a projection, which keeps it; those below it first."""
    stack = [project]
    while stack:
        node = stack[-1]
        chain = Chain.of(node.frame)
        below = [base for base in chain.bases if isinstance(base, Project) and _READ not in base.__dict__]
        if below and _READ not in node.__dict__:
            stack.extend(below)
            continue
        stack.pop()
        if _READ not in node.__dict__:
            node.__dict__[_READ] = _rows_of_chain(chain, node.frame.npartitions)
    found: tuple[int, ...] | None = project.__dict__[_READ]
    return found
