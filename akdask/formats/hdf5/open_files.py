"""Files that stay open between reads: a bounded number in each process, the least recently used closed first.

Objects that are sent to other processes hold paths only.  A forked process begins with no open files, since descriptors
and the library's state would be shared with its parent.
"""

from __future__ import annotations

import errno
import os
import resource
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from threading import Lock
from typing import Any

import h5py
import numpy as np
from h5py import h5d, h5g, h5p, h5s, h5t

from akdask.caches import Cache
from akdask.formats.hdf5.binary import root_address
from akdask.formats.hdf5.library_file import LibraryFile
from akdask.storage.files import FileIdentity, has_status, identity_of, open_regular


class TreeFile:
    """A file that is held open for reading.

    Parameters
    ----------
    path : str
        The file.

    Raises
    ------
    OSError
        If it cannot be opened, or is no regular file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.descriptor = open_regular(path, follows=True)
        self.identity: FileIdentity = identity_of(path, os.fstat(self.descriptor))
        self._library: LibraryFile | None = None
        self._lock = Lock()

    @property
    def library(self) -> LibraryFile:
        """The same file as the library opens it, which it does at the first use.

        Raises
        ------
        FileFormatError
            If it is no HDF5 file.
        """
        with self._lock:
            if self._library is None:
                self._library = LibraryFile(self.path)
            return self._library

    @cached_property
    def root(self) -> int | None:
        """Address of the root group; None if addresses are not offsets from the start of this file."""
        return root_address(self.read_at)

    def read_at(self, offset: int, size: int) -> bytes:
        """Return bytes of the file; fewer at its end."""
        return os.pread(self.descriptor, size, offset)

    def is_current(self) -> bool:
        """Whether the path still leads to this file, and the file is unchanged since it was opened."""
        try:
            return has_status(self.identity, os.stat(self.path))
        except OSError:
            return False

    def rest(self) -> None:
        """Close the library's own file: it would not let others in this process open the file as they like."""
        with self._lock:
            if self._library is not None:
                self._library.close()
                self._library = None

    def close(self) -> None:
        """Close the file."""
        self.rest()
        os.close(self.descriptor)


MAX_OPEN = 256
"""Files that stay open at most; more may be in use."""

_SPARED = 128  # descriptors left for other uses
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
        self._files: Cache[str, TreeFile] = Cache("open HDF5 files", entries=limit, dropped=self._close_if_idle)
        self._users: dict[int, int] = {}

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
        with self._files.lock:
            file = self._files.get(path)
            if file is not None and not file.is_current():
                # Replaced or changed: forget what was read from the old file.
                self._files.pop(path)
                self._close_if_idle(file)
                file = None
            if file is None:
                file = self._files.put(path, self._open(path))
            self._users[id(file)] = self._users.get(id(file), 0) + 1
            return file

    def _open(self, path: str) -> TreeFile:
        try:
            return TreeFile(path)
        except OSError as error:
            if error.errno not in _TOO_MANY:
                raise
        # Others in this process hold descriptors as well: all idle files give theirs back.
        self.close()
        return TreeFile(path)

    def _close_if_idle(self, file: TreeFile) -> None:
        if id(file) not in self._users:
            file.close()

    def _give_back(self, file: TreeFile) -> None:
        with self._files.lock:
            left = self._users.pop(id(file)) - 1
            if left:
                self._users[id(file)] = left
            elif self._files.get(file.path) is file:
                file.rest()
            else:
                file.close()

    def close(self) -> None:
        """Close all files that are not in use, and the others when they are given back."""
        self._files.clear()


def _limit() -> int:
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(1, min(MAX_OPEN, (allowed - _SPARED) // _EACH if allowed > 0 else MAX_OPEN))


OPEN_FILES = OpenFiles(_limit())
"""The open files of this process."""


def write_sample_file(path: str, samples: Iterable[tuple[str, Mapping[str, np.ndarray]]]) -> None:
    """Write samples to a new file; groups track the order of creation, which LBANN's exclusion lists need.

    Parameters
    ----------
    path : str
        The file.
    samples : iterable of (str, mapping of str to ndarray)
        ID of each sample, and its fields: paths in the sample, and numbers or `str` objects of any rank.

    Raises
    ------
    OSError
        If the disk is full, or the file cannot be made.
    """
    links = h5p.create(h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    ordered = h5p.create(h5p.GROUP_CREATE)
    ordered.set_link_creation_order(h5p.CRT_ORDER_TRACKED | h5p.CRT_ORDER_INDEXED)
    with h5py.File(path, "w", track_order=True) as file:
        parents: dict[str, Any] = {"": file.id}
        for sample, fields in samples:
            parent, _, name = sample.rpartition("/")
            if parent not in parents:
                parents[parent] = h5g.create(file.id, parent.encode(), lcpl=links, gcpl=ordered)
            group = h5g.create(parents[parent], name.encode())
            for field, values in fields.items():
                _write_field(group, field, values, links)


def _write_field(group: Any, field: str, values: np.ndarray, links: Any) -> None:
    kind = h5t.py_create(h5py.string_dtype(), logical=True) if values.dtype == object else h5t.py_create(values.dtype)
    space = h5s.create_simple(values.shape) if values.ndim else h5s.create(h5s.SCALAR)
    dataset = h5d.create(group, field.encode(), kind, space, lcpl=links)
    if values.size:
        dataset.write(h5s.ALL, h5s.ALL, np.ascontiguousarray(values))
