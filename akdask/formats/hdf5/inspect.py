"""The metadata of one file: opened once, described completely, cached until the file changes."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import lru_cache
from threading import Lock
from typing import Any

import h5py
import numpy as np
from h5py import h5d, h5f, h5g, h5p

from akdask.errors import AkdaskError, FileFormatError
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.codecs import describe_object
from akdask.formats.hdf5.description import FileDescription, ObjectSchema, Slot, datasets_of
from akdask.formats.hdf5.file_templates import Templates
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.members import Members, NotFlatError, is_dataset, is_outside, open_path
from akdask.storage.directory import open_regular, path_of_open
from akdask.storage.files import FileIdentity, changed_error, identify, is_remote, is_unchanged
from akdask.storage.remote import concurrently
from akdask.storage.remote_file import RemoteFile

HDF5_ERRORS = (
    OSError,
    KeyError,
    ValueError,
    RuntimeError,
    TypeError,
    NotImplementedError,
    # A callback that fails without setting an error; sizes beyond memory or integers.
    SystemError,
    MemoryError,
    OverflowError,
)
"""Errors that h5py raises for the library's: it chooses the class by the library's error number."""

_ONE_BY_ONE = 2
_MOST_DATASETS = 2**21  # datasets cached in all; about 16 bytes each


class _Cache:
    """Descriptions by file state, least recently used first out, bounded by the number of datasets."""

    def __init__(self) -> None:
        self.found: OrderedDict[FileIdentity, FileDescription] = OrderedDict()
        self.weight = 0
        self.lock = Lock()

    def get(self, file: FileIdentity) -> FileDescription | None:
        with self.lock:
            if file in self.found:
                self.found.move_to_end(file)
            return self.found.get(file)

    def add(self, description: FileDescription) -> None:
        with self.lock:
            self.found[description.file] = description
            self.weight += len(description.slots) + 1
            while self.weight > _MOST_DATASETS and len(self.found) > 1:
                _, dropped = self.found.popitem(last=False)
                self.weight -= len(dropped.slots) + 1


_CACHE = _Cache()


def _start_anew() -> None:
    """Make a new lock in a forked process: a thread of the parent may hold the old one, and does not exist here."""
    _CACHE.lock = Lock()


os.register_at_fork(after_in_child=_start_anew)


def inspect_file(file: FileIdentity) -> FileDescription:
    """Describe all root objects of an HDF5 file, from memory if the file has not changed since.

    Raises
    ------
    FileFormatError
        If the file is not HDF5, truncated or damaged.
    FileError
        If it has changed since it was checked.
    """
    known = _CACHE.get(file)
    if known is None:
        try:
            known = _TEMPLATES.describe(file)
            if known is None:
                known = describe_file(file)
                _TEMPLATES.add(known)
        finally:
            # Opened by name after it was checked: another file may have the name by now.
            if not is_remote(file.path) and not is_unchanged(file):
                raise changed_error(file)
        _CACHE.add(known)
    return known


def inspect_ahead(files: Sequence[FileIdentity]) -> None:
    """Inspect remote files concurrently and cache their descriptions; errors are left to `inspect_file`."""
    far = [file for file in files if is_remote(file.path)]
    # The first two make the template that others are compared with.
    for file in far[:_ONE_BY_ONE]:
        _try_to_inspect(file)
    concurrently(_try_to_inspect, far[_ONE_BY_ONE:])


def _try_to_inspect(file: FileIdentity) -> None:
    with suppress(AkdaskError):
        inspect_file(file)


@contextmanager
def open_file(path: str, file: FileIdentity | None = None) -> Iterator[Any]:
    """Open an HDF5 file to read its metadata; for `file` see `open_hdf5`.

    Raises
    ------
    FileFormatError
        In place of any error of the library, also later inside the ``with``.
    """
    with hdf5_errors_naming(path), open_hdf5(path, file) as opened:
        yield opened


@contextmanager
def hdf5_errors_naming(path: str) -> Iterator[None]:
    """Turn errors of the library into `FileFormatError`; an `AkdaskError` is left as it is."""
    try:
        yield
    except AkdaskError:
        raise
    except HDF5_ERRORS as error:
        raise FileFormatError(
            f"{path!r} cannot be read as HDF5.",
            details=[str(error)],
            hint="the file is damaged, truncated or of another format; leave it out or write it again.",
        ) from error


def open_hdf5(path: str, file: FileIdentity | None = None) -> Any:
    """Open an HDF5 file for reading; the caller closes it.

    Where the identity of a remote file is known, giving it as `file` saves a request.
    """
    if is_remote(path):
        return h5py.File(RemoteFile(file or identify(path)), "r")
    # The library opens by name and waits at a FIFO, which may have replaced a file after it was checked.
    descriptor = open_regular(path, follows=True)
    try:
        return h5py.File(_open(os.fsencode(path_of_open(descriptor, path))))
    except HDF5_ERRORS as error:
        raise type(error)(str(error).replace(path_of_open(descriptor, path), path)) from error
    finally:
        os.close(descriptor)


def _open(name: bytes) -> H5Object:
    try:
        return h5f.open(name, h5f.ACC_RDONLY, _access())
    except OSError as error:
        if not _is_open_otherwise(error):
            raise
    # The user has the file open in this process, and all opens must agree on flags: try h5py's default.
    try:
        return h5f.open(name, h5f.ACC_RDONLY, h5p.create(h5p.FILE_ACCESS))
    except OSError as error:
        if not _is_open_otherwise(error):
            raise
        access = h5p.create(h5p.FILE_ACCESS)
        access.set_file_locking(False, True)
        return h5f.open(name, h5f.ACC_RDONLY, access)


def _is_open_otherwise(error: OSError) -> bool:
    return "file locking flag" in str(error) or "file close degree" in str(error)


@lru_cache(maxsize=1)
def _access() -> H5Object:
    """Readers take no lock: a set may be on a file system without locks, or be appended to by another process."""
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_fclose_degree(h5f.CLOSE_STRONG)
    access.set_file_locking(False, True)
    return access


def describe_file(file: FileIdentity) -> FileDescription:
    """Describe all root objects of an HDF5 file, without caching; see `inspect_file`."""
    with open_file(file.path, file) as opened:
        root = h5g.open(opened.id, b"/")
        members = Members(root, "")
        found = [describe_object(members, name) for name in members.names if name != layout.METADATA_GROUP.encode()]
        described = [one for one in found if one is not None]
        slots = [slot for found in described for slot in found.slots]
        _check_ends(file, tuple(found.schema for found in described), slots)
        return FileDescription(
            file,
            tuple(found.schema for found in described),
            np.array(slots, np.int64).reshape(-1, 2),
            layout.read_text(root, layout.COLUMN_ORDER),
        )


def _check_ends(file: FileIdentity, objects: Sequence[ObjectSchema], slots: Sequence[Slot]) -> None:
    """Refuse data that would lie past the end of the file."""
    # No element has more than eight bytes.
    if not slots or max([offset + 8 * length for offset, length in slots]) <= file.size:
        return
    for dataset, (offset, length) in zip(datasets_of(objects), slots, strict=True):
        # The name of a type ends with its bytes.
        if offset + length * int(dataset.dtype[2:]) > file.size and offset >= 0:
            raise FileFormatError(
                f"dataset {dataset.path!r} of {file.path!r} would end {offset + length * int(dataset.dtype[2:]):,} "
                f"bytes into a file of {file.size:,}.",
                hint="the file is damaged or truncated; write it again.",
            )


_TEMPLATES = Templates(describe_file)


_DEEPEST = 8  # virtual datasets of virtual datasets
_SAME = "."
"""Name by which a virtual dataset means its own file."""


def allow_outside(node: H5Object, path: str, access: H5Object) -> None:
    """Check the external files of a dataset, and set `access` so that only these are read.

    Parameters
    ----------
    node : low-level h5py dataset
        A dataset whose data may be in other files.
    path : str
        Its file.
    access : low-level h5py property list
        With which the dataset will be opened.

    Raises
    ------
    NotFlatError
        If a file is missing, is none, or is not below the folder.
    """
    if is_remote(path):
        raise NotFlatError("it keeps its data in other files, which are read on this machine only")
    folder = os.path.dirname(os.path.abspath(path))
    _check(node, path, os.path.realpath(folder), _DEEPEST)
    access.set_efile_prefix(os.fsencode(folder))
    access.set_virtual_prefix(os.fsencode(folder))


def _check(node: H5Object, path: str, folder: str, depth: int) -> None:
    if not depth:
        raise NotFlatError("its data is in virtual datasets of virtual datasets without end")
    for name, dataset in _sources(node.get_create_plist()):
        found = path if name == _SAME and dataset is not None else _below(folder, os.path.dirname(path), name)
        if dataset is not None:
            _check_source(found, dataset, folder, depth)


def _sources(made: H5Object) -> Iterator[tuple[str, str | None]]:
    """Yield the files with data, and the datasets in them; None if all bytes of the file are data."""
    for index in range(made.get_external_count()):
        yield os.fsdecode(made.get_external(index)[0]), None
    if made.get_layout() == h5d.VIRTUAL:
        for index in range(made.get_virtual_count()):
            name, dataset = made.get_virtual_filename(index), made.get_virtual_dsetname(index)
            if "%" in name or "%" in dataset:
                raise NotFlatError(f"its data is in files of the pattern {name!r}, and these are not read")
            yield name, dataset


def _below(folder: str, start: str, name: str) -> str:
    found = os.path.realpath(os.path.join(start, name))
    if os.pardir in name.split("/") or os.path.commonpath([folder, found]) != folder:
        raise NotFlatError(f"its data is in {name!r}, which is not below the folder of the file")
    if not os.path.isfile(found):
        raise NotFlatError(f"its data is in {name!r}, which is no file")
    return found


def _check_source(path: str, dataset: str, folder: str, depth: int) -> None:
    """Check the file of a virtual dataset's source: its data may be elsewhere again."""
    with open_hdf5(path) as opened:
        source = open_path(h5g.open(opened.id, b"/"), dataset)
        if not is_dataset(source):
            raise NotFlatError(f"its data is in {dataset!r} of {path!r}, which is no dataset")
        if is_outside(source.get_create_plist()):
            _check(source, path, folder, depth - 1)
