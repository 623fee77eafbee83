"""Memory of large arrays: freed blocks are kept for a while and used again.

The C library gives the space of arrays beyond 32 MiB back to the system when they are freed, and asks for new space for
the next ones, whose pages the system must then find and clear: several times as long as it takes to fill them.  On
virtual machines it may have to ask the host for them, which takes fifty times as long.  Here freed memory is kept until
it has not been used for `IDLE` seconds.

Blocks are mappings of their own, on large pages where the system has them, so that each goes back whole, and Arrow is
not loaded for them.  Its pools do not serve instead.  Arrays of 2 to 64 MiB, filled by two threads in rounds with
pauses of 50 ms, take 0.03 s of system time with this module, 0.87 s with Arrow's mimalloc, which gives memory back
after milliseconds unless the environment says otherwise before the process starts, and 2.4 s with the C library.
Without pauses Arrow's jemalloc takes 1.5 to 1.8 s, although ``pa.jemalloc_set_decay_ms`` is 30 s, this module 0.06 to
0.15 s.
"""

from __future__ import annotations

import mmap
import os
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.deferred import pa
from akdask.interruption import end_if_interrupted

LARGE = 2**20
"""Bytes from which on it matters."""

GRAIN = 2**21
"""What sizes are multiples of: that of the system's large pages."""

IDLE = 30.0
"""Seconds for which freed memory is kept."""

_limit: Callable[[], int] = int


def keep_freed(limit: Callable[[], int]) -> None:
    """Keep freed memory for the next arrays, at most as many bytes as a function says whenever memory is wanted.

    Nothing is kept before: settings are not known here.
    """
    global _limit  # noqa: PLW0603 - there is one for the process
    _limit = limit


def new_array(nrows: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an array of one dimension whose items are not set.

    Examples
    --------
    >>> array = new_array(2**20, np.float64)
    >>> array.dtype, len(array), array.flags.writeable
    (dtype('float64'), 1048576, True)
    """
    dtype = np.dtype(dtype)
    size = nrows * dtype.itemsize
    if size < LARGE or dtype.hasobject:
        return np.empty(nrows, dtype)
    # Whatever works on many rows asks for memory before each step.
    end_if_interrupted()
    if not _limit():
        # The C library gives memory back sooner than Arrow's pool does.
        _spare.release()
        return np.empty(nrows, dtype)
    block = _spare.take(-(-size // GRAIN) * GRAIN)
    array = np.frombuffer(block, dtype, nrows)
    # All that looks at these bytes refers to this array.
    weakref.finalize(array, _spare.give, block).atexit = False
    return array


def full_array(nrows: int, value: Any, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return an array of one dimension whose items are all the same.

    Examples
    --------
    >>> full_array(3, 7, np.uint8)
    array([7, 7, 7], dtype=uint8)
    """
    array = new_array(nrows, dtype)
    np.copyto(array, value, casting="unsafe")
    return array


def with_capacity(array: npt.NDArray[Any], used: int, needed: int) -> npt.NDArray[Any]:
    """Return the array if it has as many items as needed, else one twice as long that begins with those in use.

    Examples
    --------
    >>> array = with_capacity(np.array([1, 2, 3]), 2, 4)
    >>> array[:2].tolist(), len(array)
    ([1, 2], 8)
    """
    if needed <= len(array):
        return array
    longer = new_array(2 * needed, array.dtype)
    longer[:used] = array[:used]
    return longer


def spare_bytes() -> int:
    """Return the bytes of freed memory that are kept for the next arrays."""
    return _spare.nbytes


def release_unused() -> None:
    """Give freed memory back to the system."""
    _spare.release()
    _release_arrow()


def _release_arrow() -> None:
    if "pyarrow" in sys.modules:
        pa.default_memory_pool().release_unused()


def _new_pages(size: int) -> mmap.mmap:
    return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def _new_block(size: int) -> mmap.mmap:
    """Return new memory, whose bytes are all 0."""
    if not hasattr(mmap, "MAP_ANONYMOUS"):
        return mmap.mmap(-1, size)
    try:
        pages = _new_pages(size)
    except OSError:
        # A ulimit counts what is kept for later, too.
        release_unused()
        try:
            pages = _new_pages(size)
        except OSError as error:
            raise MemoryError(f"the system has no {size:,} bytes of memory left.") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        # Refused by kernels that have none.
        with suppress(OSError):
            pages.madvise(mmap.MADV_HUGEPAGE)
    return pages


class SpareMemory:
    """Free blocks of memory, the latest last; at most the bytes set by `keep_freed`."""

    def __init__(self) -> None:
        self._blocks: list[tuple[float, mmap.mmap]] = []
        # Blocks may come back at any moment, also while this thread holds the lock and memory is collected.
        self._returned: deque[tuple[float, mmap.mmap]] = deque()
        self._lock = threading.Lock()
        self._limit = 0
        self._watcher: threading.Thread | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of all blocks."""
        return sum(len(block) for _, block in [*self._blocks, *self._returned])

    def take(self, size: int) -> mmap.mmap:
        """Return a block of `size` bytes, or up to twice as many: the smallest that there is, or a new one."""
        with self._lock:
            self._limit = _limit()
            self._sort_in()
            sizes = [(len(block), place) for place, (_, block) in enumerate(self._blocks)]
            fitting = [item for item in sizes if size <= item[0] <= 2 * size]
            if fitting:
                return self._blocks.pop(min(fitting)[1])[1]
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="akdask-spare-memory", daemon=True)
                self._watcher.start()
        return _new_block(size)

    def give(self, block: mmap.mmap) -> None:
        """Take back a block that is not used any more."""
        self._returned.append((monotonic(), block))
        if self._lock.acquire(blocking=False):
            try:
                self._sort_in()
            finally:
                self._lock.release()

    def release(self, since: float = 0.0) -> bool:
        """Release blocks that have not been used for some seconds, and return whether there were any."""
        with self._lock:
            self._sort_in()
            count = len(self._blocks)
            self._blocks = [item for item in self._blocks if monotonic() - item[0] < since]
            return len(self._blocks) < count

    def _sort_in(self) -> None:
        while self._returned:
            self._blocks.append(self._returned.popleft())
        excess = sum(len(block) for _, block in self._blocks) - self._limit
        while excess > 0:
            excess -= len(self._blocks.pop(0)[1])

    def _watch(self) -> None:
        while True:
            sleep(IDLE / 4)
            if self.release(IDLE):
                _release_arrow()


_spare = SpareMemory()


def _start_anew() -> None:
    """Leave what a forked process has of its parent: a thread that is not here may hold the lock for ever."""
    global _spare  # noqa: PLW0603 - there is one for the process
    _spare = SpareMemory()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_anew)


LARGEST_REUSED = 2**26
"""Bytes that a thread keeps."""

_local = threading.local()


def scratch(nbytes: int) -> npt.NDArray[np.uint8]:
    """Return memory for what is used up before this thread asks the next time.

    Examples
    --------
    >>> scratch(8).shape
    (8,)
    """
    if nbytes > LARGEST_REUSED:
        return np.empty(nbytes, np.uint8)
    memory: npt.NDArray[np.uint8] = getattr(_local, "memory", np.empty(0, np.uint8))
    if len(memory) < nbytes:
        memory = _local.memory = np.empty(nbytes, np.uint8)
    return memory[:nbytes]
