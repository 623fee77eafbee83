"""What plans will take: the rows and bytes that their tasks read, told from the tasks before any of them runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from dask.utils import format_bytes

from akdask.plan.expr._dask import Expr
from akdask.plan.expr.chain import Chain
from akdask.plan.expr.sources import Scan
from akdask.plan.expr.values import TEXT_BYTES
from akdask.plan.reduce.aggregate import TreeReduce
from akdask.plan.task.pipeline import Pipeline, PipelineLayout
from akdask.plan.task.tables import PersistedResults, Tables, Tasks
from akdask.schema import ColumnType


class Estimate(NamedTuple):
    """What a node, or a plan, takes."""

    rows: int = 0
    """Rows that are read, of files and of what is in memory."""

    nbytes: int = 0
    """Bytes that are read of files, as they are in memory."""

    tasks: int = 0
    """Tasks."""

    def describe(self) -> str:
        """Return it in words.

        Examples
        --------
        >>> Estimate(2_000_000, 16_000_000, 6).describe()
        'reads 2,000,000 rows, 15.26 MiB of files, in 6 tasks'
        """
        files = f", {format_bytes(self.nbytes)} of files," if self.nbytes else ""
        return f"reads {self.rows:,} rows{files} in {self.tasks:,} task{'' if self.tasks == 1 else 's'}"

    def __add__(self, other: object) -> Estimate:
        if not isinstance(other, Estimate):
            return NotImplemented
        return Estimate(*map(sum, zip(self, other, strict=True)))


def estimate(lowered: Iterable[Expr]) -> Estimate:
    """Return what lowered plans take together; what they share is counted once."""
    total = Estimate()
    for node in distinct_nodes(lowered):
        total += estimate_node(node)
    return total


def distinct_nodes(roots: Iterable[Expr]) -> Iterator[Expr]:
    """Yield all nodes of some plans, each once, without nested calls."""
    stack, seen = list(roots), set[str]()
    while stack:
        node = stack.pop()
        if node._name not in seen:
            seen.add(node._name)
            yield node
            stack.extend(node.dependencies())


def estimate_node(node: Expr) -> Estimate:
    """Return what the tasks of one lowered node take, without those of its inputs."""
    match node:
        case Pipeline():
            return Estimate(*_read(node.layout), node.layout.ntasks)
        case TreeReduce():
            return Estimate(tasks=len(node._layer()))
        case Tasks():
            return Estimate(tasks=node.npartitions)
        case Tables() | PersistedResults():
            return Estimate()
    return Estimate(tasks=1)


def _read(layout: PipelineLayout) -> tuple[int, int]:
    """Return the rows that a pipeline goes through, and the bytes that it reads of files."""
    numbers = [number for batch in layout.batches for number in batch]
    rows = nbytes = 0
    for position, base in enumerate(layout.chain.bases):
        lengths = base.rows.lengths
        if lengths is None:
            continue
        found = _rows_of(layout.chain, numbers, lengths)
        rows = max(rows, found)
        if isinstance(base, Scan):
            columns = base.source.columns
            nbytes += found * sum(width(columns[name]) for name in layout.scanned(position))
    return rows, nbytes


def _rows_of(chain: Chain, numbers: Sequence[int], lengths: Sequence[int]) -> int:
    """Return how many rows some partitions of a chain go through, given those of the partitions of its bases."""
    if not chain.selections:
        return sum(lengths[number] for number in numbers)
    rows = 0
    for number in numbers:
        source, ranges = chain.partition(number)
        first = ranges[0] if ranges else None
        rows += lengths[source] if first is None else len(range(*first))
    return rows


def width(dtype: ColumnType) -> int:
    """Return the bytes that an element of a type takes, about."""
    return TEXT_BYTES if dtype.kind == "str" else dtype.itemsize
