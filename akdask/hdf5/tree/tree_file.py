"""An open file of samples: its descriptor, from which bytes are read, and the library for all that is not plain."""

from __future__ import annotations

import os
from functools import cached_property
from threading import Lock

from akdask.hdf5.tree.library_file import LibraryFile
from akdask.storage.paths.directory import open_regular
from akdask.storage.paths.files import FileIdentity, has_status, identity_of

_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_NOWHERE = b"\xff" * 8
_WIDTHS = b"\x08\x08"  # bytes of addresses and of lengths


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
        """Address of the root group; None if addresses do not count bytes of this file from its beginning."""
        head = self.read_at(0, 96)
        if len(head) < 96 or not head.startswith(_SIGNATURE):
            return None
        address = None
        match head[8]:
            case 0 | 1:  # no base, and no block that says how another driver spreads the file
                base = 24 + 4 * head[8]
                if head[13:15] == _WIDTHS and not any(head[base : base + 8]) and head[base + 24 :][:8] == _NOWHERE:
                    address = head[base + 40 :][:8]
            case 2 | 3:  # no base, and no extension
                if head[9:11] == _WIDTHS and not any(head[12:20]) and head[20:28] == _NOWHERE:
                    address = head[36:44]
        return None if address is None else int.from_bytes(address, "little")

    def read_at(self, offset: int, size: int) -> bytes:
        """Return bytes of the file; fewer at its end."""
        return os.pread(self.descriptor, size, offset)

    def is_current(self) -> bool:
        """Whether the path still leads to this file, and the file is as it was when it was opened."""
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
