"""Batches: several small partitions run by one task, so that tasks grow with the data and not with the number of files.

Only for tasks whose results are merged anyway, so that it does not matter which partitions a result covers.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import TypeAlias

from dask.system import CPU_COUNT as CORES

from akdask.caches import cached_results
from akdask.cluster import partition_size
from akdask.engine.node import Frame
from akdask.engine.rowwise import Chain, Project
from akdask.engine.sources import Literal, Persisted, Rows, Scan
from akdask.engine.values import Value, assumed_width, columns_of

Batches: TypeAlias = tuple[tuple[int, ...], ...]
"""For each task, the numbers of its partitions, in order."""

ITEMSIZE = 8

SMALL_ROWS = 2**18
"""Up to this number of rows, splitting does not pay."""

FEW = max(4, 2 * CORES)
"""Up to this number of partitions, each has its own task.  It depends on this machine only, as clusters come and go."""

MOST_ROWS = 2**23
"""From this number of rows on, the overhead of a task does not matter."""

FEW_GROUP_BATCHES, GROUP_BATCHES = 4, 32
FEW_GROUP_ROWS, MOST_GROUP_ROWS = 2**20, 2**23
"""Numbers of batches for grouping, and rows of a batch. Few rows make few batches, since each batch finds each group
again. Many rows make enough batches to keep many threads busy. The numbers do not depend on the machine, because float
sums are merged batch by batch."""

GROUP_COLUMNS = 2
"""Memory that the keys of a batch and their groups may take where memory is short, in columns of a partition. Grouping
itself takes several times as much."""

MOST_FILES = 128
"""Largest number of partitions of a batch; remote files take long to open."""


def partition_batches(frame: Frame, keys: Sequence[Value] = ()) -> Batches:
    """Return the batches of a frame, chosen by the known partition lengths and by the partition size of the cluster.

    If `keys` are given, only the lengths of the frames with their columns count. Groupings by the same keys are then
    partitioned alike, whatever is computed from them.
    """
    return _batches(frame, {column.source for column in columns_of(*keys)}, FEW, MOST_ROWS)


def group_batches(frame: Frame, keys: Sequence[Value]) -> Batches:
    """Return the batches of rows that are grouped, chosen by partition lengths alone.

    The float sums of a group are added in row order within a batch, and batch by batch.  So results have the same bits
    for any number of threads and on any cluster whose memory holds such batches.
    """
    rows = rows_read(frame, {column.source for column in columns_of(*keys)})
    if rows is None:
        return single_partitions(frame)
    total = sum(rows)
    if total <= SMALL_ROWS:
        return batch_neighbours(rows, 1)
    few = min(GROUP_BATCHES, max(FEW_GROUP_BATCHES, total // FEW_GROUP_ROWS))
    return batch_neighbours(rows, few, min(MOST_GROUP_ROWS, rows_grouped(keys)))


def rows_grouped(keys: Sequence[Value]) -> int:
    """Return the number of rows that a task's memory allows to group by some keys."""
    return GROUP_COLUMNS * partition_size() // (sum(map(assumed_width, keys)) + ITEMSIZE) + 1


def reduction_batches(frame: Frame) -> Batches:
    """Return the batches of a frame that is reduced to a few numbers; if partitions are small, one batch for each core.

    All threads then take equally long, and fewer tasks wait for each other.
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
    """Return one batch for each partition of a frame."""
    return tuple((number,) for number in range(frame.npartitions))


@cached_results("batches of partitions", 64, lambda batches: 8 * sum(map(len, batches)))
def batch_neighbours(rows: tuple[int, ...], few: int = FEW, most: int = MOST_ROWS) -> Batches:
    """Return at least `few` batches of adjacent partitions; a batch of several partitions has up to `most` rows.

    Examples
    --------
    >>> [len(batch) for batch in batch_neighbours((1000,) * 256, 64)][:3]
    [4, 4, 4]
    """
    limit = min(most, -(-sum(rows) // few))
    batches: list[list[int]] = []
    remaining = 0
    for number, count in enumerate(rows):
        if not batches or count > remaining or len(batches[-1]) == MOST_FILES:
            batches.append([])
            remaining = limit
        batches[-1].append(number)
        remaining -= count
    return tuple(map(tuple, batches))


def rows_read(frame: Frame, names: Set[str] = frozenset()) -> tuple[int, ...] | None:
    """Return the number of rows read for each partition of a frame, None if unknown.

    If some bases have the given names, the others do not count.
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
        case Scan() | Rows() | Literal() | Persisted():
            return base.rows.lengths
    return None


_READ = "_rows_read"


def _rows_read_by(project: Project) -> tuple[int, ...] | None:
    """Return the number of rows read for each partition of a projection, None if unknown.

    The projection caches it.  Projections below come first, without recursion: chains may be very long.
    """
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
