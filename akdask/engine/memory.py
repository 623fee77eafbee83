"""Memory of this process: freed space, the budget of results, and results that go to disk when memory is short.

Dask's workers spill results too, but its scheduler for threads keeps all in memory. Here tables wait for other tasks,
or are persisted, as a `SpillableResult`, and the oldest go to disk. They are most of the data that plans pass from task
to task. Slices of an exchange are kept or spilled where they are made (slices.py).

Dask starts workers with ``MALLOC_TRIM_THRESHOLD_=65536``, to keep reserved memory close to used memory.  But the system
zeroes the pages of each new array, which takes far longer than filling them. So workers keep freed space here, and so
do other processes from their first computation on. Workers return all of it when memory runs short. Otherwise Dask
would count it as data, and spill again and again without effect.
"""

from __future__ import annotations

import ctypes
import os
import sys
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Mapping
from functools import cache, partial
from threading import Lock
from time import monotonic
from typing import Any, Protocol
from weakref import finalize, ref

from akdask import cluster, config
from akdask._dask import DataNode, Task
from akdask.caches import after_fork
from akdask.cluster import call_regularly, current_worker, data_memory, keeps_no_memory, memory_limit
from akdask.columns.memory import keep_freed, release_unused, spare_bytes
from akdask.columns.table import Table
from akdask.deferred import loaded_module
from akdask.engine import tuning

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Parameters of the C library's ``mallopt``."""

keep_freed(lambda: min(config.get("spare_memory"), data_memory(cluster.process_memory()) // tuning.SPARE_SHARE))


@cache
def manage_freed_memory() -> None:
    """Let a process with enough memory keep the space of freed arrays; a worker returns it when memory runs short.

    Only workers that Dask told not to keep any look at their memory: at intervals, also while Dask pauses the worker
    for lack of memory, as no task would run then that could free any, and the pause would never end.
    """
    worker = current_worker() if keeps_no_memory() else None
    if worker is None:
        is_configured = any(name.startswith("MALLOC_") for name in os.environ)
        if config.get("spare_memory") and not is_configured and cluster.process_memory() >= 2 * tuning.ENOUGH_MEMORY:
            _keep_space_of_arrays()
        return
    limit = memory_limit(worker) or sys.maxsize
    is_enough = limit >= tuning.ENOUGH_MEMORY
    config.set(spare_memory=min(config.get("spare_memory"), limit // tuning.SPARE_SHARE if is_enough else 0))
    if is_enough:
        _keep_space_of_arrays()
    call_regularly(worker, partial(give_back_freed_memory, limit), int(1000 * tuning.TRIM_INTERVAL))


def _keep_space_of_arrays() -> None:
    """Have the C library keep the space of freed arrays at once: it would come to that in the course of time."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(MMAP_THRESHOLD, tuning.MOST_CACHED_BYTES)
        mallopt(TRIM_THRESHOLD, 2 * tuning.MOST_CACHED_BYTES)


def _release_decoded_columns() -> bool:
    """Drop columns of files that were kept, and return whether there were any; only some formats keep them."""
    decoded_columns = loaded_module("akdask.storage.decoded_columns")
    return decoded_columns is not None and decoded_columns.release()


def give_back_freed_memory(limit: int) -> None:
    """Return the space of freed arrays to the system if this process comes close to a limit in bytes."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if cluster.memory_in_use() > tuning.SHORT_OF_MEMORY * limit:
        _release_decoded_columns()
        release_unused()
        if trim is not None:
            trim(0)


class CountedBytes:
    """The bytes of some objects, each counted until it is freed or discarded."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._nbytes = 0
        # A finalizer may run in this thread while it holds the lock, so it only appends here.
        self._returned: deque[int] = deque()

    @property
    def nbytes(self) -> int:
        """Bytes of all objects now."""
        with self._lock:
            while self._returned:
                self._nbytes -= self._returned.popleft()
            return self._nbytes

    def add(self, owner: Any, nbytes: int) -> None:
        """Count the bytes of an object."""
        ending = finalize(owner, self._returned.append, nbytes)
        ending.atexit = False
        with self._lock:
            self._nbytes += nbytes
        owner.in_budget = ending

    def reset_in_child(self) -> None:
        """Replace the lock in a forked process; a thread of the parent may hold the old one for ever."""
        self._lock = Lock()


class MemoryBudget:
    """Bytes in this process's memory of results that wait for other tasks, and of results that plans keep.

    The memory that running tasks take is measured, not counted. Waiting results leave at least half of the limit to
    tasks; kept results leave `LEFT_TO_TASKS` or a quarter.
    """

    def __init__(self) -> None:
        self._waiting, self._persisted = CountedBytes(), CountedBytes()
        self._next_attempt = 0.0
        self._seen = 0.0, False
        self.most = 0

    @property
    def nbytes(self) -> int:
        """Bytes of waiting results."""
        return self._waiting.nbytes

    def add(self, owner: Any, nbytes: int) -> None:
        """Count some bytes as waiting until the object is freed or `discard` is called."""
        self._waiting.add(owner, nbytes)
        self.most = max(self.most, self.nbytes)

    def keep(self, owner: Any, nbytes: int) -> None:
        """Count the bytes of an object as kept by a plan; no task waits for it."""
        self.discard(owner)
        self._persisted.add(owner, nbytes)

    def discard(self, owner: Any) -> None:
        """Stop counting the bytes of an object."""
        owner.in_budget()

    def is_short(self, more: int = 0, *, persisted: bool = False) -> bool:
        """Whether there is no memory for so many more bytes of waiting results, or of kept ones."""
        limit, wanted = cluster.process_memory(), (self._persisted if persisted else self._waiting).nbytes + more
        if wanted <= limit // tuning.WAITING_SHARE_ANYWAY:
            return False
        most = _most_persisted(limit) if persisted else limit // tuning.WAITING_SHARE
        if wanted <= most and not self._is_in_use(most - more):
            return False
        if monotonic() > self._next_attempt:
            self._next_attempt = monotonic() + tuning.TRIM_INTERVAL
            give_back_freed_memory(limit)
            return wanted > most or self._is_in_use(most - more)
        return True

    def is_exhausted(self) -> bool:
        """Whether this process uses so much memory, for any purpose, that tasks had better run one by one."""
        until, found = self._seen
        if monotonic() > until:
            limit, persisted = cluster.process_memory(), self._persisted.nbytes
            left = limit if limit - persisted < tuning.LEFT_TO_TASKS else limit - persisted
            found = self._is_in_use(limit - left + int(tuning.EXHAUSTED * left))
            self._seen = monotonic() + tuning.MEASURED_SECONDS, found
        return found

    @staticmethod
    def _is_in_use(limit: int) -> bool:
        # What can be read again goes before anything waits or is spilled.
        return _used_bytes() > limit and not (_release_decoded_columns() and _used_bytes() <= limit)

    def reset_in_child(self) -> None:
        """Replace the locks in a forked process."""
        self._waiting.reset_in_child()
        self._persisted.reset_in_child()


def _used_bytes() -> int:
    """Return the bytes that this process uses, but for spare space, which the system may not count as in use."""
    return cluster.memory_in_use() - min(spare_bytes(), cluster.process_memory() // tuning.SPARE_SHARE)


def _most_persisted(limit: int) -> int:
    """Return the bytes up to which plans keep results in memory."""
    return limit - max(min(limit // 2, tuning.LEFT_TO_TASKS), limit // 4)


memory_budget = MemoryBudget()

after_fork(memory_budget.reset_in_child)


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
        from akdask.engine.spill import TableOnDisk

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
    if waiting.nbytes > tuning.TINY_BYTES:
        _in_memory[ref(waiting, _forget)] = None
    return waiting


def persisted(key: Any, result: Any) -> Any:
    """Return the graph's entry for a result that a plan keeps: a small table unchanged.

    A large table becomes the result of a task, for any scheduler; the scheduler for threads takes the spillable result
    directly.
    """
    if isinstance(result, Table):
        result = result if result.nbytes <= tuning.UNCOUNTED_BYTES else make_spillable(result)
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
    if needed and needed > cluster.process_memory():
        raise MemoryError(
            f"a task needs {needed:,} bytes at once, and this process may use {cluster.process_memory():,}."
        )
    return {key: fetch(result) for key, result in results.items()}


def fetch(result: Any) -> Any:
    """Return the result of a task, read from disk if need be."""
    return result.fetch() if isinstance(result, SpillableResult) else result
