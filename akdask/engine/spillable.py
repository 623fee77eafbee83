"""Spillable results: tables that wait for other tasks or are persisted; the oldest go to disk when memory is short.

Dask's workers spill results too, but its scheduler for threads keeps all in memory. Only tables can wait on disk; they
are most of the data that plans pass from task to task. Slices of an exchange are kept or spilled where they are made
(slices.py).
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping
from threading import Lock
from typing import Any, Protocol
from weakref import ref

from akdask import machine
from akdask._dask import DataNode, Task
from akdask.columns.table import Table
from akdask.engine.budget import memory_budget

TINY_BYTES = 2**12
"""Bytes up to which a result is not spilled. The record of its place takes as many, and a small result could keep a
large spill file alive."""

SMALL_BYTES = 2**17
"""Bytes up to which a kept table stays in memory without being counted, which would take longer."""

_in_memory: dict[ref[SpillableResult], None] = {}
"""Results in memory, the oldest first."""


class OnDisk(Protocol):
    """A result on disk."""

    def open(self) -> Any:
        """Return the result, which may read its rows when they are used."""
        ...


class Spillable(ABC):
    """A result that may wait on disk."""

    __slots__ = ()

    @property
    @abstractmethod
    def nrows(self) -> int:
        """Number of its rows."""

    @abstractmethod
    def to_disk(self) -> OnDisk:
        """Write the result to disk."""


class SpillableResult:
    """A result that is in memory or on disk.

    Parameters
    ----------
    result : Table or Spillable
        The result of a task.
    """

    def __init__(self, result: Any) -> None:
        self.nbytes = sys.getsizeof(result)
        self.nrows: int = result.nrows
        self._result = result
        self._on_disk: OnDisk | None = None
        self._is_persisted = False
        self._holders = 0
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the result, for other processes."""
        return fetch, (self.fetch(),)

    def fetch(self) -> Any:
        """Return the result, from memory or disk.

        A spilled result stays on disk: columns are read when they are used, and tables of groups by range.
        """
        result, on_disk = self._result, self._on_disk
        return result if on_disk is None else on_disk.open()

    @property
    def in_memory(self) -> Any:
        """The result, None if it is on disk."""
        return self._result

    @property
    def needed_bytes(self) -> int:
        """Bytes that a task needs for the result beside the memory that the process uses in any case."""
        return 0 if self._is_persisted else self.nbytes

    def keep(self) -> None:
        """Mark the result as kept by a plan, and spill others if kept results take too much memory."""
        with self._lock:
            self._is_persisted = True
            if self._on_disk is None:
                memory_budget.keep(self, self.nbytes)
        _spill_oldest(self.nbytes, persisted=True)

    @property
    def is_in_use(self) -> bool:
        """Whether a running task has fetched it; spilling would then free no memory."""
        return self._holders > 0

    def hold(self, by: int) -> None:
        """Count one more task that has fetched it, or one less."""
        with self._lock:
            self._holders += by

    def spill(self) -> int:
        """Write the result to disk, and return the bytes of memory that it had."""
        from akdask.engine.tables_on_disk import TableOnDisk

        with self._lock:
            if self._on_disk is not None:
                return 0
            result = self._result
            self._on_disk = TableOnDisk(result) if isinstance(result, Table) else result.to_disk()
            self._result = None
            memory_budget.discard(self)
        return self.nbytes


def make_spillable(result: Any) -> Any:
    """Return a result as it waits for other tasks: a table as a `SpillableResult`, other objects unchanged.

    The results that have waited longest are spilled to make room.
    """
    if not isinstance(result, Table | Spillable):
        return result
    waiting = SpillableResult(result)
    memory_budget.add(waiting, waiting.nbytes)
    _spill_oldest(waiting.nbytes)
    if waiting.nbytes > TINY_BYTES:
        _in_memory[ref(waiting, _forget)] = None
    return waiting


def persisted(key: Any, result: Any) -> Any:
    """Return the graph's entry for a result that a plan keeps: a small table unchanged.

    A large table becomes the result of a task, for any scheduler; the scheduler for threads takes the spillable result
    directly.
    """
    if isinstance(result, Table):
        result = result if result.nbytes <= SMALL_BYTES else make_spillable(result)
    if not isinstance(result, SpillableResult):
        return result
    result.keep()
    return Task(key, fetch, result)


def result_in(item: Any) -> Any:
    """Return the result in a graph's entry, maybe spillable; other tasks unchanged."""
    if isinstance(item, DataNode):
        return item.value
    return item.args[0] if isinstance(item, Task) and item.func is fetch else item


def _spill_oldest(nbytes: int, *, persisted: bool = False) -> None:
    """Spill the oldest results, up to the bytes that were added, as long as memory is short."""
    freed = 0
    while freed < nbytes and memory_budget.is_short(persisted=persisted) and (oldest := _oldest()) is not None:
        freed += oldest.spill()


def _oldest() -> SpillableResult | None:
    """Take the oldest result that is only in memory off the list."""
    for name in list(_in_memory):
        result = name()
        if result is None or not result.is_in_use:
            _forget(name)
        if result is not None and not result.is_in_use:
            return result
    return None


def _forget(name: ref[SpillableResult]) -> None:
    _in_memory.pop(name, None)


class InputsInUse:
    """The spillable results that a task has fetched, until it ends.

    Parameters
    ----------
    waiting : mapping
        The inputs of the task, by key.
    fetched : mapping
        The results that have been fetched.
    """

    def __init__(self, waiting: Mapping[Any, Any], fetched: Mapping[Any, Any]) -> None:
        self._inputs = [(item, fetched[key]) for key, item in waiting.items() if isinstance(item, SpillableResult)]
        for item, _ in self._inputs:
            item.hold(1)

    def let_go(self, result: Any) -> Any:
        """Mark the task as ended, and return its result as it waits for others; an input is returned as it was."""
        same = next((item for item, fetched in self._inputs if fetched is result), None)
        found = make_spillable(result) if same is None else same
        for item, _ in self._inputs:
            item.hold(-1)
        return found


def fetch_all(results: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the inputs of a task, all at once.

    Raises
    ------
    MemoryError
        If they take more memory than this process may use; otherwise the system would kill it.
    """
    needed = sum(result.needed_bytes for result in results.values() if isinstance(result, SpillableResult))
    if needed and needed > machine.memory():
        raise MemoryError(f"a task needs {needed:,} bytes at once, and this process may use {machine.memory():,}.")
    return {key: fetch(result) for key, result in results.items()}


def fetch(result: Any) -> Any:
    """Return the result of a task, read from disk if need be."""
    return result.fetch() if isinstance(result, SpillableResult) else result
