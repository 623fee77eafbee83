"""The metadata of one file: opened once, described completely, cached until the file changes."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from threading import Lock

import numpy as np

from akdask.errors import AkdaskError, FileFormatError
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.codecs import describe_object
from akdask.formats.hdf5.description import FileDescription, ObjectSchema, Slot, datasets_of
from akdask.formats.hdf5.file_templates import Templates
from akdask.formats.hdf5.metadata import root_of
from akdask.formats.hdf5.opening import open_file
from akdask.storage.files import FileIdentity, changed_error, is_remote, is_unchanged
from akdask.storage.remote import concurrently

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


def describe_file(file: FileIdentity) -> FileDescription:
    """Describe all root objects of an HDF5 file, without caching; see `inspect_file`."""
    with open_file(file.path, file) as opened:
        root = root_of(opened)
        found = [describe_object(root, name) for name in root.names if name != layout.METADATA_GROUP.encode()]
        described = [one for one in found if one is not None]
        slots = [slot for found in described for slot in found.slots]
        _check_ends(file, tuple(found.schema for found in described), slots)
        return FileDescription(
            file,
            tuple(found.schema for found in described),
            np.array(slots, np.int64).reshape(-1, 2),
            root.text(layout.COLUMN_ORDER),
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
