"""The memory budget of this process: bounds the bytes of waiting and kept results, and tells when memory is short."""

from __future__ import annotations

from collections import deque
from threading import Lock
from time import monotonic
from typing import Any
from weakref import finalize

from akdask import machine
from akdask.caches import after_fork
from akdask.columns.memory import spare_bytes
from akdask.engine.allocator import SPARE, give_back_freed_memory

WAITING = 2
"""The divisor of the memory that bounds waiting results, given all other memory of the process."""

LEFT_TO_TASKS = 2**32
"""Bytes left to tasks beside persisted results, if these are at most half of the memory; a quarter if that is more."""

ANYWAY = 16
"""The divisor of the memory that bounds waiting results, whatever else the process holds."""

EXHAUSTED = 0.7
"""The fraction of the memory above which no task begins beside others; Dask pauses its workers at 0.8. Where plans keep
much, it is the fraction of the memory left to tasks."""

LOOK = 0.02
"""Seconds for which a measurement of this process's memory is valid."""

INTERVAL = 0.2
"""Seconds between two attempts to give freed memory back to the system."""


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

    def start_anew(self) -> None:
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
        limit, wanted = machine.memory(), (self._persisted if persisted else self._waiting).nbytes + more
        if wanted <= limit // ANYWAY:
            return False
        most = _most_persisted(limit) if persisted else limit // WAITING
        if wanted <= most and not self._is_in_use(most - more):
            return False
        if monotonic() > self._next_attempt:
            self._next_attempt = monotonic() + INTERVAL
            give_back_freed_memory(limit)
            return wanted > most or self._is_in_use(most - more)
        return True

    def is_exhausted(self) -> bool:
        """Whether this process uses so much memory, for any purpose, that tasks had better run one by one."""
        until, found = self._seen
        if monotonic() > until:
            limit, persisted = machine.memory(), self._persisted.nbytes
            left = limit if limit - persisted < LEFT_TO_TASKS else limit - persisted
            found = self._is_in_use(limit - left + int(EXHAUSTED * left))
            self._seen = monotonic() + LOOK, found
        return found

    @staticmethod
    def _is_in_use(limit: int) -> bool:
        # Spare space for new arrays may never have been touched; then the system does not count it as in use.
        return machine.memory_in_use() - min(spare_bytes(), machine.memory() // SPARE) > limit

    def start_anew(self) -> None:
        """Replace the locks in a forked process."""
        self._waiting.start_anew()
        self._persisted.start_anew()


def _most_persisted(limit: int) -> int:
    """Return the bytes up to which plans keep results in memory."""
    return limit - max(min(limit // 2, LEFT_TO_TASKS), limit // 4)


memory_budget = MemoryBudget()

after_fork(memory_budget.start_anew)
