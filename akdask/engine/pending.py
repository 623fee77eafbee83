"""Results of tasks that wait in this process for others, or are persisted: the oldest go to disk where memory is short.

Dask's workers do the same with theirs; its scheduler for threads keeps all.  Only tables can wait on disk: they are
most of what plans hand from task to task.  Slices of an exchange are kept or spilled where they are made (spill.py).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import ref

from akdask import machine
from akdask._dask import DataNode, Task
from akdask.columns.table import Table
from akdask.deferred import DeferredModule
from akdask.engine.budget import memory_budget
from akdask.operators.group.strategy import PartialTable

if TYPE_CHECKING:
    from akdask.engine import tables_on_disk
    from akdask.operators.group import sorted as group_tables
    from akdask.operators.group import table_on_disk as group_table_on_disk
else:
    group_tables = DeferredModule("akdask.operators.group.sorted")
    group_table_on_disk = DeferredModule("akdask.operators.group.table_on_disk")
    tables_on_disk = DeferredModule("akdask.engine.tables_on_disk")


TINY_BYTES = 2**12
"""Bytes up to which a result is not spilled: what tells where it is takes as many, and it would keep a file there of
which all else is not needed any more."""

SMALL_BYTES = 2**17
"""Bytes up to which a table that plans keep stays in memory: to look after it would take longer."""

_in_memory: dict[ref[PendingResult], None] = {}
"""Results that are in memory, the oldest first."""


class PendingResult:
    """A result that is in memory or on disk.

    Parameters
    ----------
    result : Table or PartialTable
        What a task has returned.
    """

    def __init__(self, result: Any) -> None:
        self.nbytes = sys.getsizeof(result)
        self._result = result
        self._on_disk: tables_on_disk.TableOnDisk | group_table_on_disk.GroupTableOnDisk | None = None
        self._is_persisted = False
        self._holders = 0
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the result, for other processes."""
        return fetch, (self.fetch(),)

    def fetch(self) -> Any:
        """Return the result, from wherever it is.

        On disk it stays: columns are read from there when they are asked for, and tables of groups by range.
        """
        result, on_disk = self._result, self._on_disk
        if on_disk is None:
            return result
        return on_disk.open() if isinstance(on_disk, tables_on_disk.TableOnDisk) else on_disk

    @property
    def in_memory(self) -> Any:
        """The result, None if it is on disk."""
        return self._result

    @property
    def nrows(self) -> int:
        """Number of rows of a table."""
        result, on_disk = self._result, self._on_disk
        return int(result.nrows if on_disk is None else on_disk.nrows)

    @property
    def needed_bytes(self) -> int:
        """Bytes that a task needs for the result beside those that the process has in any case."""
        return 0 if self._is_persisted else self.nbytes

    def keep(self) -> None:
        """Note that plans keep the result, and make room if there is too little memory for all that they keep."""
        with self._lock:
            self._is_persisted = True
            if self._on_disk is None:
                memory_budget.keep(self, self.nbytes)
        _spill_oldest(self.nbytes, persisted=True)

    @property
    def is_in_use(self) -> bool:
        """Whether a task that runs has fetched it: memory would not be freed before this ends."""
        return self._holders > 0

    def hold(self, by: int) -> None:
        """Note that one more task has fetched it, or one less."""
        with self._lock:
            self._holders += by

    def spill(self) -> int:
        """Write the result to disk, and return the bytes of memory that it had."""
        with self._lock:
            if self._on_disk is not None:
                return 0
            is_sorted = isinstance(self._result, group_tables.GroupTable)
            self._on_disk = (
                group_table_on_disk.GroupTableOnDisk.of(self._result.rows)
                if is_sorted
                else tables_on_disk.TableOnDisk(self._result)
            )
            self._result = None
            memory_budget.discard(self)
        return self.nbytes


def pend(result: Any) -> Any:
    """Return a result of a task as it waits for others: a table as a `PendingResult`, anything else as it is.

    Those that have waited longest make room for it.
    """
    if not isinstance(result, Table | PartialTable):
        return result
    pending = PendingResult(result)
    memory_budget.add(pending, pending.nbytes)
    _spill_oldest(pending.nbytes)
    if pending.nbytes > TINY_BYTES:
        _in_memory[ref(pending, _forget)] = None
    return pending


def persisted(key: Any, result: Any) -> Any:
    """Return a result that a plan keeps, as its graph has it under a key: few rows as they are, in memory.

    A large table is the result of a task, for whatever scheduler; that for threads has it wait as it is.
    """
    if isinstance(result, Table):
        result = result if result.nbytes <= SMALL_BYTES else pend(result)
    if not isinstance(result, PendingResult):
        return result
    result.keep()
    return Task(key, fetch, result)


def result_in(item: Any) -> Any:
    """Return the result that a graph has under some key, pending if it is; another task as it is."""
    if isinstance(item, DataNode):
        return item.value
    return item.args[0] if isinstance(item, Task) and item.func is fetch else item


def _spill_oldest(nbytes: int, *, persisted: bool = False) -> None:
    """Spill the oldest results, as much as has come, for as long as memory is short."""
    freed = 0
    while freed < nbytes and memory_budget.is_short(persisted=persisted) and (oldest := _oldest()) is not None:
        freed += oldest.spill()


def _oldest() -> PendingResult | None:
    """Take the oldest result that only memory holds out of their list."""
    for name in list(_in_memory):
        result = name()
        if result is None or not result.is_in_use:
            _forget(name)
        if result is not None and not result.is_in_use:
            return result
    return None


def _forget(name: ref[PendingResult]) -> None:
    _in_memory.pop(name, None)


class InputsInUse:
    """The pending results that a task has fetched, until it ends.

    Parameters
    ----------
    pending : mapping
        The inputs of the task, by key.
    fetched : mapping
        What has been fetched of them.
    """

    def __init__(self, pending: Mapping[Any, Any], fetched: Mapping[Any, Any]) -> None:
        self._inputs = [(item, fetched[key]) for key, item in pending.items() if isinstance(item, PendingResult)]
        for item, _ in self._inputs:
            item.hold(1)

    def let_go(self, result: Any) -> Any:
        """Note that the task has ended, and return its result as it waits for others: an input as it has waited."""
        same = next((item for item, fetched in self._inputs if fetched is result), None)
        found = pend(result) if same is None else same
        for item, _ in self._inputs:
            item.hold(-1)
        return found


def fetch_all(results: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return the inputs of a task, all at once.

    Raises
    ------
    MemoryError
        If they take more than this process may use, instead of the end that the system would make of it.
    """
    needed = sum(result.needed_bytes for result in results.values() if isinstance(result, PendingResult))
    if needed and needed > machine.memory():
        raise MemoryError(f"a task needs {needed:,} bytes at once, and this process may use {machine.memory():,}.")
    return {key: fetch(result) for key, result in results.items()}


def fetch(result: Any) -> Any:
    """Return what a task has returned."""
    return result.fetch() if isinstance(result, PendingResult) else result
