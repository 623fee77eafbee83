"""Windows: columns or all bytes of local files in the memory of this process, as the system's cache has them.

A call that reads copies bytes from that cache: 177 MB took 27 ms. A copy from a window takes 11 ms, and rows that a
filter has left need no copy of the rows between. Mapping pages for the first time takes as long as a call that reads,
so windows stay: the system writes nothing for them, and may take their pages away at any time.

A file may change under a window. If it gets shorter, reading the lost bytes would end the process: they become zeros
instead, and `Window.is_torn` tells so. Other bytes may change between two looks at them: code that relies on values
which it has checked copies them first, or has them in a register (`once` of `native/text.hpp`).
"""

from __future__ import annotations

import os
from time import monotonic

import numpy as np

from akdask import cluster
from akdask.caches import Cache
from akdask.storage import loops, tuning
from akdask.storage.files import FileIdentity
from akdask.typing import NumberArray


class Window:
    """Bytes of a file in memory, read-only; arrays of them hold the window.

    Parameters
    ----------
    address, nbytes : int
        Where they are.
    """

    _close = staticmethod(loops.close_window)  # which is there as long as windows are when the interpreter ends

    def __init__(self, address: int, nbytes: int) -> None:
        self._address, self.nbytes = address, nbytes
        self.used = monotonic()
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": (nbytes,), "typestr": "|u1"}

    @property
    def numbers(self) -> NumberArray:
        """The bytes."""
        return np.asarray(self)

    @property
    def is_torn(self) -> bool:
        """Whether the file has lost some of the bytes, which are zeros then."""
        return loops.is_torn(self._address)

    def __del__(self) -> None:
        self._close(self._address)


def _limit() -> int:
    """Return the bytes of all windows; a worker that has reached its own limit is paused, and windows count as well."""
    worker = cluster.current_worker()
    memory = (None if worker is None else cluster.memory_limit(worker)) or cluster.process_memory()
    return min(tuning.MOST_WINDOW_BYTES, memory // tuning.WINDOW_SHARE)


_windows: Cache[tuple[FileIdentity, int, int], Window] = Cache(
    "windows of files", nbytes=_limit, size=lambda window: window.nbytes
)


def window_of(file: FileIdentity, descriptor: int, offset: int, nbytes: int) -> Window | None:
    """Return the window of bytes of an open file, all of which it has; None if it is not worth it, or cannot be made.

    There is no room where others were in use a moment ago: columns that take more would drive each other out.
    """
    key = (file, offset, nbytes)
    found = _windows.get(key)
    if found is not None and found.is_torn:
        # By an error of the disk, if the file is as it was: the next look may find the bytes.
        _windows.pop(key)
        found = None
    if found is None:
        if offset + nbytes > file.size or not _fits(nbytes):
            return None
        address = loops.open_window(descriptor, offset, nbytes)
        if not address:
            return None
        for other in _windows:
            if other[0].path == file.path and other[0] != file:
                _windows.pop(other)  # of a file that has been replaced, whose space on the disk it holds
        found = _windows.put(key, Window(address, nbytes))
    elif not loops.guard():
        return None
    found.used = monotonic()
    return found


def _fits(nbytes: int) -> bool:
    """Whether the windows that were not used for some time leave room for another one."""
    now = monotonic()
    idle = sum(window.nbytes for window in _windows.values() if now - window.used >= tuning.IDLE_SECONDS)
    return _windows.nbytes - idle + nbytes <= _limit()


_BYTE = bytearray(1)


def are_cached(descriptor: int, first: int, last: int) -> bool:
    """Whether the system's cache has the first and the last one of some bytes of a file.

    From the disk, a call reads more at a time than faults of a window do.
    """
    try:
        return all(os.preadv(descriptor, [_BYTE], offset, os.RWF_NOWAIT) for offset in (first, last))
    except (OSError, AttributeError):  # not there, or not told by this system
        return False
