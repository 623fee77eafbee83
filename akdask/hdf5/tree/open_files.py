"""Files that stay open between reads: a bounded number in each process, the least recently used closed first.

Objects that are sent to other processes hold paths only.  A forked process begins with no open files, since descriptors
and the library's state would be shared with its parent.
"""

from __future__ import annotations

import errno
import os
import resource
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from akdask.hdf5.tree.tree_file import TreeFile

MAX_OPEN = 256
"""Files that stay open at most; those in use may be more."""

_SPARED = 128  # descriptors that are left for everything else
_EACH = 2  # descriptors of a file that the library has opened as well
_TOO_MANY = {errno.EMFILE, errno.ENFILE}


class OpenFiles:
    """Open files by path; safe for threads.

    Parameters
    ----------
    limit : int
        Files that stay open.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._files: OrderedDict[str, TreeFile] = OrderedDict()
        self._users: dict[int, int] = {}
        self._lock = Lock()

    @contextmanager
    def lease(self, path: str) -> Iterator[TreeFile]:
        """Give a file that is open at least until the end of the ``with`` statement.

        Raises
        ------
        OSError
            If it cannot be opened, or is no regular file.
        """
        file = self._take(path)
        try:
            yield file
        finally:
            self._give_back(file)

    def _take(self, path: str) -> TreeFile:
        with self._lock:
            file = self._files.get(path)
            if file is not None and not file.is_current():
                # Replaced or changed: what is known of the old one is of no use.
                del self._files[path]
                self._close_if_idle(file)
                file = None
            if file is None:
                file = self._open(path)
                self._files[path] = file
                self._close_oldest(self._limit)
            else:
                self._files.move_to_end(path)
            self._users[id(file)] = self._users.get(id(file), 0) + 1
            return file

    def _open(self, path: str) -> TreeFile:
        try:
            return TreeFile(path)
        except OSError as error:
            if error.errno not in _TOO_MANY:
                raise
        # Others in this process hold descriptors as well: all idle files give theirs back.
        self._close_oldest(0)
        return TreeFile(path)

    def _close_oldest(self, limit: int) -> None:
        for path, file in list(self._files.items())[: max(len(self._files) - limit, 0)]:
            if id(file) not in self._users:
                del self._files[path]
                file.close()

    def _close_if_idle(self, file: TreeFile) -> None:
        if id(file) not in self._users:
            file.close()

    def _give_back(self, file: TreeFile) -> None:
        with self._lock:
            left = self._users.pop(id(file)) - 1
            if left:
                self._users[id(file)] = left
            elif self._files.get(file.path) is file:
                file.rest()
            else:
                file.close()

    def close(self) -> None:
        """Close all files that are not in use."""
        with self._lock:
            self._close_oldest(0)

    def forget(self) -> None:
        """Begin anew in a forked process, with the files of the parent left to it."""
        _OF_PARENT.extend(self._files.values())
        self.__init__(self._limit)  # type: ignore[misc]


def _limit() -> int:
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(1, min(MAX_OPEN, (allowed - _SPARED) // _EACH if allowed > 0 else MAX_OPEN))


_OF_PARENT: list[TreeFile] = []
"""Closing them would take the library's lock, which a thread of the parent may have held."""

OPEN_FILES = OpenFiles(_limit())
"""The open files of this process."""

os.register_at_fork(after_in_child=OPEN_FILES.forget)
