"""The memory budget of this process: how much of what waits for other tasks may be in memory, and when it is short."""

from __future__ import annotations

import os
from collections import deque
from threading import Lock
from time import monotonic
from typing import Any
from weakref import finalize

from akdask import machine
from akdask.columns.memory import spare_bytes
from akdask.engine.allocator import SPARE, give_back_freed_memory

WAITING = 2
"""The divisor of the memory up to which results may wait in it, beside all else that the process has."""

LEFT_TO_TASKS = 2**32
"""Bytes that what plans keep leaves to tasks, if these are at most half of the memory; a quarter, if that is more."""

ANYWAY = 16
"""The divisor of the memory that bounds results that may wait in it whatever else the process has."""

EXHAUSTED = 0.7
"""The fraction of the memory from which on no task begins beside others; Dask pauses its workers at 0.8.  Beside much
that plans keep, it is that of what is left to tasks."""

LOOK = 0.02
"""Seconds for which a look at the memory of this process holds."""

INTERVAL = 0.2
"""Seconds between two attempts to give freed memory back to the system."""


class CountedBytes:
    """The bytes of some objects, each for as long as it is there and not discarded."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._nbytes = 0
        # What is not needed any more may be found out while this thread has the lock.
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
        """Leave the lock of the parent, which a thread that is not here may have for ever, in a forked process."""
        self._lock = Lock()


class MemoryBudget:
    """Bytes in the memory of this process of what waits for tasks that need it, and of what plans keep.

    The memory that tasks take for themselves is not counted but measured.  Of the limit, half at least is left to them
    by what waits, and `LEFT_TO_TASKS` or a quarter by what plans keep.
    """

    def __init__(self) -> None:
        self._waiting, self._persisted = CountedBytes(), CountedBytes()
        self._next_attempt = 0.0
        self._seen = 0.0, False
        self.most = 0

    @property
    def nbytes(self) -> int:
        """Bytes that wait now."""
        return self._waiting.nbytes

    def add(self, owner: Any, nbytes: int) -> None:
        """Count some bytes for as long as an object is there and `discard` is not called."""
        self._waiting.add(owner, nbytes)
        self.most = max(self.most, self.nbytes)

    def keep(self, owner: Any, nbytes: int) -> None:
        """Count the bytes of an object from now on as those of what plans keep: it waits for nobody."""
        self.discard(owner)
        self._persisted.add(owner, nbytes)

    def discard(self, owner: Any) -> None:
        """Count the bytes of an object no longer."""
        owner.in_budget()

    def is_short(self, more: int = 0, *, persisted: bool = False) -> bool:
        """Whether no more bytes may wait in memory than do, or not so many more; or whether no more may be kept."""
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
        """Whether this process has so much memory, for whatever purpose, that tasks had better run one by one."""
        until, found = self._seen
        if monotonic() > until:
            limit, persisted = machine.memory(), self._persisted.nbytes
            left = limit if limit - persisted < LEFT_TO_TASKS else limit - persisted
            found = self._is_in_use(limit - left + int(EXHAUSTED * left))
            self._seen = monotonic() + LOOK, found
        return found

    @staticmethod
    def _is_in_use(limit: int) -> bool:
        # Of what is kept for new arrays, some may never have been touched, and is not counted as in use.
        return machine.memory_in_use() - min(spare_bytes(), machine.memory() // SPARE) > limit

    def start_anew(self) -> None:
        """Leave the locks of the parent in a forked process."""
        self._waiting.start_anew()
        self._persisted.start_anew()


def _most_persisted(limit: int) -> int:
    """Return the bytes up to which plans keep results in memory."""
    return limit - max(min(limit // 2, LEFT_TO_TASKS), limit // 4)


memory_budget = MemoryBudget()

os.register_at_fork(after_in_child=memory_budget.start_anew)
