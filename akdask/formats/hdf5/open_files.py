"""Files that stay open between reads: a bounded number in each process, the least recently used closed first.

Objects that are sent to other processes hold paths only.  A forked process begins with no open files, since descriptors
and the library's state would be shared with its parent.  The HDF5 library reads any dataset of a `LibraryFile`, one at
a time.
"""

from __future__ import annotations

import errno
import math
import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.caches import Cache
from akdask.formats import tuning
from akdask.formats.hdf5.binary import root_address
from akdask.formats.hdf5.global_heaps import check_heaps
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.library import hdf5_errors_naming, open_hdf5
from akdask.formats.hdf5.low_level import h5l, h5o, h5p, h5py, h5s, h5t
from akdask.formats.hdf5.metadata import MAX_COMPRESSION_RATIO, Node, NotFlatError, StoredDataset, StoredGroup, root_of
from akdask.storage.files import FileIdentity, has_status, identity_of, open_regular

TEXT = np.dtype(np.str_)
"""Type of text elements of any length."""

_CLASSES = {
    2: "times",
    4: "bit fields",
    5: "opaque bytes",
    6: "compounds",
    7: "references",
    8: "an enumeration, as h5py stores booleans",
    9: "lists",
    10: "arrays",
}
"""Elements by the numbers of HDF5's classes of types."""


class UnknownElementsError(Exception):
    """Elements of a type that is no number of NumPy and no text."""


class StoredElements(NamedTuple):
    """Type and number of the elements of a dataset.

    Parameters
    ----------
    dtype : numpy.dtype
        The stored type, of either byte order; `TEXT`.
    size : int
        Number of elements, of any rank; 0 for a null dataspace.
    """

    dtype: np.dtype[Any]
    size: int


def elements_of(dataset: StoredDataset) -> StoredElements:
    """Return the elements of a dataset of an open file.

    Raises
    ------
    UnknownElementsError
        If they are neither numbers of up to 64 bits nor text.
    """
    shape = dataset.shape
    return StoredElements(_dtype(dataset.opened.get_type().encode()), 0 if shape is None else math.prod(shape))


@lru_cache(maxsize=256)
def _dtype(encoded: bytes) -> np.dtype[Any]:
    kind = h5t.decode(encoded)
    stored = kind.get_class()
    if stored == h5t.STRING:
        return TEXT
    if stored not in {h5t.INTEGER, h5t.FLOAT}:
        raise UnknownElementsError(_CLASSES.get(stored, "elements of an unknown class"))
    try:
        dtype: np.dtype[Any] = np.dtype(kind.dtype)
    except (TypeError, ValueError):
        raise UnknownElementsError(f"numbers of {kind.get_size()} bytes") from None
    if dtype.itemsize > 8 or (dtype.kind == "f" and dtype.itemsize < 4) or dtype.kind not in "iuf":
        raise UnknownElementsError(f"{dtype} numbers")
    return dtype


Values: TypeAlias = npt.NDArray[Any]


class NotThereError(Exception):
    """A path leads to nothing, or to another kind of object than requested; the text explains."""


class StoredData(NamedTuple):
    """Type, shape and position of a dataset.

    Parameters
    ----------
    elements : StoredElements
        Type and number.
    is_plain : bool
        Whether the stored bytes are what NumPy means by the type.
    offset : int, optional
        Offset of the data in the file; None if it is in the dataset's header, in chunks, or nowhere.
    shape : tuple of int, optional
        Dimensions; None for a null dataspace.
    """

    elements: StoredElements
    is_plain: bool
    offset: int | None
    shape: tuple[int, ...] | None = None


class LibraryFile:
    """An open file.

    Parameters
    ----------
    path : str
        The file.

    Raises
    ------
    OSError
        If it cannot be opened.
    FileFormatError
        If it is no HDF5 file.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        with hdf5_errors_naming(path):
            self._file = open_hdf5(path)
            self._root = root_of(self._file)
            self._nbytes = self._file.id.get_filesize()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def description(self, path: str) -> StoredData:
        """Return type, shape and position of a dataset.

        Raises
        ------
        NotThereError
            If there is no dataset at the path.
        UnknownElementsError
            If its elements are neither numbers nor text.
        """
        with hdf5_errors_naming(self.path):
            dataset = self._dataset(path)
            elements = elements_of(dataset)
            can_be_read = elements.dtype != TEXT and dataset.is_plain(elements.dtype)
            return StoredData(elements, can_be_read, dataset.opened.get_offset(), dataset.shape)

    def n_members(self, path: str) -> int:
        """Return how many links a group has.

        Raises
        ------
        NotThereError
            If there is no group at the path.
        """
        with hdf5_errors_naming(self.path):
            return int(self._group(path).opened.get_num_objs())

    def read(self, path: str) -> Values:
        """Return the elements of a dataset, one dimension in C order, numbers in native byte order.

        Raises
        ------
        NotThereError
            If there is no dataset at the path, or its data is in other files.
        UnknownElementsError
            If its elements are neither numbers nor text.
        """
        with hdf5_errors_naming(self.path):
            dataset = self._dataset(path)
            elements = elements_of(dataset)
            if dataset.is_outside:
                raise NotThereError("keeps its data in other files, and these are not read")
            if elements.size * max(elements.dtype.itemsize, 1) > self._nbytes * MAX_COMPRESSION_RATIO:
                raise NotThereError(f"claims {elements.size:,} elements in a file of {self._nbytes:,} bytes")
            if elements.dtype == TEXT:
                return _text(dataset)
            # If a file disables fill values, the library does not touch the memory of elements that were never written.
            values: Values = np.zeros(elements.size, elements.dtype.newbyteorder("="))
            if elements.size:
                dataset.opened.read(h5s.ALL, h5s.ALL, values, h5t.py_create(values.dtype))
            return values

    def has_group(self, path: str) -> bool:
        """Whether there is a group at a path."""
        with hdf5_errors_naming(self.path):
            try:
                return isinstance(self._root.at(path), StoredGroup)
            except NotFlatError:
                return False

    def address(self, path: str) -> int:
        """Return the address of the header of a group.

        Raises
        ------
        NotThereError
            If there is no group at the path.
        """
        with hdf5_errors_naming(self.path):
            group = self._group(path)
            return int(h5o.get_info(group.opened).addr)

    def addresses(self, path: str) -> tuple[list[bytes], list[int]]:
        """Return the names of the hard links in a group, and the addresses of the headers that they lead to.

        Raises
        ------
        NotThereError
            If there is no group at the path.
        """
        names: list[bytes] = []
        addresses: list[int] = []

        def add(name: bytes, info: H5Object) -> None:
            if info.type == h5l.TYPE_HARD:
                names.append(name)
                addresses.append(info.u)

        with hdf5_errors_naming(self.path):
            group = self._group(path)  # the links do not keep it open
            group.opened.links.iterate(add, info=True)
        return names, addresses

    def members(self, path: str) -> list[tuple[str, bool]]:
        """Return the names in a group, by creation if the file records it, else sorted, and whether each is a group.

        Raises
        ------
        NotThereError
            If there is no group at the path.
        """
        with hdf5_errors_naming(self.path):
            group = self._group(path)
            names = _names(group.opened)
            found = []
            for name in names:
                try:
                    is_group = isinstance(group.open(name), StoredGroup)
                except NotFlatError:
                    is_group = False
                found.append((name.decode(errors="surrogateescape"), is_group))
            return found

    def _open(self, path: str) -> Node:
        try:
            return self._root.at(path)
        except NotFlatError as error:
            reason = str(error)
            raise NotThereError("is not there" if reason.endswith("leads nowhere") else reason) from None

    def _group(self, path: str) -> StoredGroup:
        found = self._open(path)
        if not isinstance(found, StoredGroup):
            raise NotThereError("is a dataset, not a group")
        return found

    def _dataset(self, path: str) -> StoredDataset:
        found = self._open(path)
        if not isinstance(found, StoredDataset):
            raise NotThereError("is a group, not a dataset" if isinstance(found, StoredGroup) else "is no dataset")
        return found


def _names(group: H5Object) -> list[bytes]:
    names: list[bytes] = []
    is_ordered = group.get_create_plist().get_link_creation_order() & h5p.CRT_ORDER_TRACKED
    group.links.iterate(names.append, idx_type=h5_index(bool(is_ordered)), order=0)
    return names


def h5_index(by_creation: bool) -> int:
    """Return the library's number for the order in which members of a group are listed."""
    return int(h5py.h5.INDEX_CRT_ORDER if by_creation else h5py.h5.INDEX_NAME)


def _text(dataset: StoredDataset) -> Values:
    """Return text as NumPy's, bytes that are no UTF-8 as halves of surrogates."""
    if dataset.shape is None:
        return np.empty(0, TEXT)
    check_heaps(dataset.opened, tuning.HDF5_SEARCHED_FOR_TEXT)
    stored = np.asarray(h5py.Dataset(dataset.opened)[()], object).ravel()
    return np.array(
        [one.decode("utf-8", "surrogateescape") if isinstance(one, bytes) else str(one) for one in stored], TEXT
    )


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
    return max(1, min(tuning.HDF5_OPEN_FILES, (allowed - _SPARED) // _EACH if allowed > 0 else tuning.HDF5_OPEN_FILES))


OPEN_FILES = OpenFiles(_limit())
"""The open files of this process."""
