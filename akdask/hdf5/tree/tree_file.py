"""An open file of samples: its descriptor, from which bytes are read, and the library for all that is not plain."""

from __future__ import annotations

import os
from threading import Lock

from akdask.hdf5.tree.library_file import LibraryFile
from akdask.storage.paths.directory import open_regular
from akdask.storage.paths.files import FileIdentity, has_status, identity_of


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

    def is_current(self) -> bool:
        """Whether the path still leads to this file, and the file is as it was when it was opened."""
        try:
            return has_status(self.identity, os.stat(self.path))
        except OSError:
            return False

    def close(self) -> None:
        """Close the file."""
        os.close(self.descriptor)
        if self._library is not None:
            self._library.close()
