"""Results of tasks that wait in this process for others: the oldest go to disk where memory is short.

Dask's workers do the same with theirs; its scheduler for threads keeps all.  Only tables can wait on disk: they are
most of what plans hand from task to task.  Slices of an exchange are kept or spilled where they are made (spill.py).
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Mapping
from threading import Lock
from typing import Any
from weakref import ref

from akdask import machine
from akdask.columns import Table
from akdask.kernels.group.strategy import PartialTable
from akdask.plan.shuffle.budget import memory_budget
from akdask.plan.shuffle.spill import SpillFile

_in_memory: deque[ref[HeldResult]] = deque()
"""Results that are in memory, the oldest first."""


class HeldResult:
    """A result that is in memory or on disk.

    Parameters
    ----------
    result : Table or PartialTable
        What a task has returned.
    """

    def __init__(self, result: Any) -> None:
        self.nbytes = sys.getsizeof(result)
        self._result = result
        self._file: SpillFile | None = None
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the result, for other processes."""
        return fetch, (self.fetch(),)

    def fetch(self) -> Any:
        """Return the result, from wherever it is; on disk it stays."""
        result, file = self._result, self._file
        return result if file is None else file[0]

    def spill(self) -> int:
        """Write the result to disk, and return the bytes of memory that it had."""
        with self._lock:
            if self._file is not None:
                return 0
            self._file = SpillFile([self._result])
            self._result = None
        memory_budget.discard(self)
        return self.nbytes


def hold(result: Any) -> Any:
    """Return a result of a task as it waits for others: a table as a `HeldResult`, anything else as it is.

    Those that have waited longest make room for it.
    """
    if not isinstance(result, Table | PartialTable):
        return result
    held = HeldResult(result)
    memory_budget.add(held, held.nbytes)
    freed = 0
    while freed < held.nbytes and memory_budget.is_short() and _in_memory:
        try:
            oldest = _in_memory.popleft()()
        except IndexError:
            break
        freed += 0 if oldest is None else oldest.spill()
    _in_memory.append(ref(held))
    return held


def fetch_all(results: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the inputs of a task, all at once.

    Raises
    ------
    MemoryError
        If they take more than this process may use, instead of the end that the system would make of it.
    """
    needed = sum(result.nbytes for result in results.values() if isinstance(result, HeldResult))
    if needed > machine.memory():
        raise MemoryError(f"a task needs {needed:,} bytes at once, and this process may use {machine.memory():,}.")
    return {key: fetch(result) for key, result in results.items()}


def fetch(result: Any) -> Any:
    """Return what a task has returned."""
    return result.fetch() if isinstance(result, HeldResult) else result
