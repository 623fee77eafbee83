"""How many tasks run at a time where they read remote files: more than there are cores, as they mostly wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dask.system import CPU_COUNT

from akdask._distributed import shares_memory
from akdask.plan.expr.node import Node
from akdask.plan.expr.sources import Scan
from akdask.storage.data.read_ahead import buffer_limit
from akdask.storage.data.source import Source
from akdask.storage.paths.files import is_remote
from akdask.storage.paths.remote import is_used

MOST = 32
"""Tasks; each has several requests under way."""

_FEW, _PART = 2, 4
"""Columns of a source that a plan is taken to read: these, or a part of many."""

_ITEMSIZE = 8


def tasks_at_once(plans: Sequence[Node]) -> int | None:
    """Return how many tasks of plans that read remote files run at a time in this process, None for one on each core.

    They are so many that some columns of all their partitions take no more than what may be read ahead.  So tasks on
    large partitions, each of which keeps the network busy alone, need no more memory than others.
    """
    if not is_used() or not shares_memory():
        return None
    sizes = [_nbytes(scan.source) for scan in _scans(plans) if any(map(is_remote, scan.source.paths))]
    if not sizes:
        return None
    limit = buffer_limit() // max(*sizes, 1)
    found = CPU_COUNT
    while found * 2 <= min(MOST, limit):
        found *= 2  # few different numbers, since threads of each are kept
    return found


def _scans(plans: Sequence[Node]) -> Iterator[Scan]:
    """Yield what the rows of plans are read from, each once."""
    stack, seen = list(plans), set[str]()
    while stack:
        node = stack.pop()
        if node._name not in seen:
            seen.add(node._name)
            if isinstance(node, Scan):
                yield node
            stack.extend(node.dependencies())


def _nbytes(source: Source) -> int:
    """Return the bytes of the largest partition, as far as a plan is taken to read it."""
    return max(source.lengths, default=0) * _ITEMSIZE * max(_FEW, len(source.columns) // _PART)
