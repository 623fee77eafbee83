"""The metadata of one file: opened once, described completely, cached until the file changes."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from akdask.caches import Cache
from akdask.errors import AkdaskError, FileFormatError
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.codecs import describe_object
from akdask.formats.hdf5.description import FileDescription, ObjectSchema, Slot, datasets_of
from akdask.formats.hdf5.file_templates import Templates
from akdask.formats.hdf5.library import open_file
from akdask.formats.hdf5.metadata import root_of
from akdask.storage.files import FileIdentity, changed_error, concurrently, is_remote, is_unchanged

_ONE_BY_ONE = 2
_MOST_BYTES = 2**25  # limit of the cache of descriptions
_SLOT_BYTES = 16  # of a dataset in a description, about


_DESCRIPTIONS: Cache[FileIdentity, FileDescription] = Cache(
    "descriptions of HDF5 files",
    nbytes=_MOST_BYTES,
    size=lambda found: _SLOT_BYTES * (len(found.slots) + 1),
    at_least=1,
)


def inspect_file(file: FileIdentity) -> FileDescription:
    """Describe all root objects of an HDF5 file, from memory if the file has not changed since.

    Raises
    ------
    FileFormatError
        If the file is not HDF5, truncated or damaged.
    FileError
        If it has changed since it was checked.
    """
    known = _DESCRIPTIONS.get(file)
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
        _DESCRIPTIONS.put(file, known)
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
