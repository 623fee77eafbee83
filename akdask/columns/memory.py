"""Memory of large arrays: freed blocks are reused for a while before they return to the system.

The C library returns the memory of arrays beyond 32 MiB to the system when they are freed. Memory for the next arrays
must be found and cleared by the system, which takes several times as long as filling them, and much longer on virtual
machines that have to ask their host.  Here freed memory is kept until it has not been used for some seconds.

Blocks are separate mappings, so that each is returned as a whole, and Arrow need not be imported.  They are on large
pages while the system has those at hand: random places are found faster there.  A virtual machine whose host takes back
what it frees has none; each has to be filled again by the host, small page by small page, while the system still has
small ones of its own.  So large pages are tried again and again.  Arrow's pools do not serve instead: mimalloc returns
memory after milliseconds, unless the environment configures it before the process starts, and jemalloc spends more
system time even with ``pa.jemalloc_set_decay_ms``.
"""

from __future__ import annotations

import mmap
import sys
import threading
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import monotonic, sleep, thread_time
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.caches import after_fork
from akdask.columns import tuning
from akdask.deferred import pa
from akdask.interruption import end_if_interrupted

LARGE = 2**20
"""Bytes from which on it matters."""

GRAIN = 2**21
"""Sizes are multiples of this, the size of the system's large pages."""

_limit: Callable[[], int] = int


def keep_freed(limit: Callable[[], int]) -> None:
    """Keep freed memory for the next arrays, up to a limit that a function returns whenever memory is requested.

    Before this call no memory is kept, as this module does not know the settings.
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
    # Algorithms that work on many rows request memory before each step.
    end_if_interrupted()
    if not _limit():
        # The C library gives memory back sooner than Arrow's pool does.
        _spare.release()
        return np.empty(nrows, dtype)
    block = _spare.take(-(-size // GRAIN) * GRAIN)
    array = np.frombuffer(block, dtype, nrows)
    # All users of these bytes refer to this array.
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
    """Return the array if it has enough items, else one of twice the length that begins with the items in use.

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
    """Return the bytes of freed memory that wait for the next arrays."""
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
        # A ulimit counts kept memory, too.
        release_unused()
        try:
            pages = _new_pages(size)
        except OSError as error:
            raise MemoryError(f"the system has no {size:,} bytes of memory left.") from error
    if hasattr(mmap, "MADV_HUGEPAGE"):
        _large_pages.advise(pages)
    return pages


class LargePages:
    """Whether new memory shall be on large pages: not for a while after one took longer than small ones would have.

    The host may have had none, or another process. After each slow one in a row, twice as much memory does without.
    """

    def __init__(self) -> None:
        self._without = 0
        self._pause = tuning.PAUSED_BYTES

    def advise(self, pages: mmap.mmap) -> None:
        """Ask for large pages, which are tried, but for as many bytes after a slow one as shall do without."""
        tried = tuning.TRIED_BYTES * -(-len(pages) // (tuning.TRIED_BYTES * tuning.MOST_TRIED))
        place = 0
        # Refused by kernels that have none.
        with suppress(OSError):
            while place < len(pages):
                size = min(self._without or tried, len(pages) - place)
                if self._without:
                    self._without -= size
                else:
                    self._try(pages, place, size)
                place += size

    def _try(self, pages: mmap.mmap, place: int, size: int) -> None:
        """Ask for large pages for some bytes, unless the one in the middle is slow."""
        pages.madvise(mmap.MADV_HUGEPAGE, place, size)
        begun = thread_time()
        pages[place + size // 2] = 0
        if thread_time() - begun > tuning.PAGE_TIME:
            self._without, self._pause = self._pause, min(2 * self._pause, tuning.MOST_PAUSED_BYTES)
            pages.madvise(mmap.MADV_NOHUGEPAGE, place, size)
        else:
            self._pause = tuning.PAUSED_BYTES


_large_pages = LargePages()


class SpareMemory:
    """Free blocks of memory, at most the bytes set by `keep_freed`.

    Blocks of each size wait in a queue of their own, the latest last, so that thousands of them cost no search.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, deque[tuple[float, mmap.mmap]]] = {}
        self._nbytes = 0
        # Blocks may come back at any moment, also while this thread holds the lock and memory is collected.
        self._returned: deque[tuple[float, mmap.mmap]] = deque()
        self._lock = threading.Lock()
        self._limit = 0
        self._watcher: threading.Thread | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of all blocks."""
        return self._nbytes + sum(len(block) for _, block in [*self._returned])

    def take(self, size: int) -> mmap.mmap:
        """Return a block of `size` to twice as many bytes: the smallest free one, or a new one."""
        with self._lock:
            self._limit = _limit()
            self._sort_in()
            fitting = min((found for found in self._blocks if size <= found <= 2 * size), default=None)
            if fitting is not None:
                return self._pop(fitting, -1)
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
            before, now = self._nbytes, monotonic()
            while self._blocks and now - self._blocks[size := self._oldest()][0][0] >= since:
                self._pop(size, 0)
            return self._nbytes < before

    def _sort_in(self) -> None:
        while self._returned:
            item = self._returned.popleft()
            size = len(item[1])
            self._blocks.setdefault(size, deque()).append(item)
            self._nbytes += size
        while self._nbytes > self._limit and self._blocks:
            self._pop(self._oldest(), 0)

    def _oldest(self) -> int:
        """Return the size whose queue begins with the block that has waited longest."""
        return min(self._blocks, key=lambda size: self._blocks[size][0][0])

    def _pop(self, size: int, place: int) -> mmap.mmap:
        """Take the first or the last block of a size out."""
        queue = self._blocks[size]
        _, block = queue[place]
        del queue[place]
        if not queue:
            del self._blocks[size]
        self._nbytes -= size
        return block

    def _watch(self) -> None:
        while True:
            sleep(tuning.IDLE_SECONDS / 4)
            if self.release(tuning.IDLE_SECONDS):
                _release_arrow()


_spare = SpareMemory()


def _reset_in_child() -> None:
    """Drop the parent's state in a forked process: a thread that does not exist here may hold the lock."""
    global _spare  # noqa: PLW0603 - there is one for the process
    _spare = SpareMemory()


after_fork(_reset_in_child)


_local = threading.local()


def scratch(nbytes: int) -> npt.NDArray[np.uint8]:
    """Return temporary memory, which is valid until this thread requests it again.

    Examples
    --------
    >>> scratch(8).shape
    (8,)
    """
    if nbytes > tuning.MOST_SCRATCH_BYTES:
        return np.empty(nbytes, np.uint8)
    memory: npt.NDArray[np.uint8] = getattr(_local, "memory", np.empty(0, np.uint8))
    if len(memory) < nbytes:
        memory = _local.memory = np.empty(nbytes, np.uint8)
    return memory[:nbytes]
