"""Blobs in a folder of this machine: no link in it is followed, and blobs appear by renaming."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from akdask.evo.blobs.sink import LocalSink
from akdask.evo.errors import BlobWriteError
from akdask.evo.store.entries import MARK, StoreEntry, kind_of_name
from akdask.storage.paths.directory import Directory
from akdask.storage.paths.files import state_of

_NO_LOCKS = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL, errno.EBADF}
_LONGEST_WRITE = 86400.0
"""Seconds after which a temporary file is abandoned where locks do not tell."""

IsIntact = Callable[[str], bool]
"""Tells whether a blob of a name is there and undamaged."""


class LocalFolder:
    """A folder of this machine; implements `akdask.evo.store.entries.BlobFolder`.

    Parameters
    ----------
    path : str
        Absolute path.
    is_intact : callable
        Tells whether a blob is there already.
    """

    def __init__(self, path: str, is_intact: IsIntact) -> None:
        self._path = path
        self._is_intact = is_intact

    @property
    def place(self) -> str:
        """Absolute path."""
        return self._path

    def location(self, name: str) -> str:
        """Return the path of an entry."""
        return os.path.join(self._path, name)

    def find(self, name: str) -> StoreEntry | None:
        """Return the entry of a name, None if there is none."""
        try:
            with Directory.at(self._path) as folder:
                status = folder.find(name)
        except FileNotFoundError:
            return None
        return None if status is None else _entry(name, status)

    def entries(self) -> Iterator[StoreEntry]:
        """Yield all entries; none if there is no folder."""
        try:
            with Directory.at(self._path) as folder:
                for name in folder.names():
                    status = folder.find(name)
                    if status is not None:
                        yield _entry(name, status)
        except FileNotFoundError:
            return

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading; links are not followed."""
        with Directory.at(self._path) as folder:
            return os.fdopen(folder.open(name), "rb", buffering=0)

    def sink(self) -> LocalSink:
        """Begin a new blob; makes the folder."""
        try:
            os.makedirs(self._path, exist_ok=True)
        except OSError as error:
            raise BlobWriteError(
                f"the folder {self._path!r} cannot be made.", details=[error.strerror or str(error)]
            ) from error
        return _StoreSink(self, self._is_intact)

    def mark(self, name: str) -> None:
        """Note that a blob is in use from now on; its own times stay, as readers know the file by them."""
        with Directory.at(self._path) as folder:
            descriptor = folder.open(MARK + name, os.O_WRONLY | os.O_CREAT)
            try:
                os.utime(descriptor)
            finally:
                os.close(descriptor)

    def remove(self, name: str) -> None:
        """Remove a file."""
        with Directory.at(self._path) as folder:
            folder.unlink(name)

    def is_abandoned(self, entry: StoreEntry, age: float) -> bool:
        """Whether a temporary file has not changed for so many seconds, and no process has it locked."""
        quiet = time.time() - entry.modified
        if quiet < age:
            return False
        try:
            with Directory.at(self._path) as folder:
                descriptor = folder.open(entry.name)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno in _NO_LOCKS and quiet >= _LONGEST_WRITE
        finally:
            os.close(descriptor)
        return True


class _StoreSink(LocalSink):
    """A new blob of a folder, which is dropped where the folder has it already.

    Parameters
    ----------
    folder : LocalFolder
        The folder.
    is_intact : callable
        Tells whether a blob is there already.
    """

    def __init__(self, folder: LocalFolder, is_intact: IsIntact) -> None:
        super().__init__(folder.place)
        self._blobs, self._is_intact = folder, is_intact
        # The lock ends with the process, however that ends, so that what it leaves can be told from what is written.
        with suppress(OSError):
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)

    def commit(self, name: str) -> None:
        """Give the blob its name, unless there is one that is the same."""
        if not self._is_intact(name):
            super().commit(name)
            return
        try:
            self._blobs.mark(name)
        except OSError as error:
            raise self._failed(error) from error
        self.abort()


def _entry(name: str, status: Any) -> StoreEntry:
    kind = kind_of_name(name, is_file=stat.S_ISREG(status.st_mode))
    newest = max(status.st_mtime, status.st_ctime)
    return StoreEntry(name, kind, status.st_size, status.st_mtime, state_of(status), newest)
