"""The manifest of a Zarr store: a hidden file in its folder, which names all other files, with sizes and checksums.

Chunks that are not there are chunks of the fill value, says Zarr.  akdask writes every chunk, so where its manifest
names one that is missing, it is lost: as long as nobody else has written into the store since.  That shows by files
that are newer than a manifest that is no copy, or of other sizes than it tells.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from akdask import config
from akdask.columns.arrow import arrow_bytes, arrow_numbers
from akdask.deferred import pa
from akdask.errors import FileFormatError, InconsistentFilesError
from akdask.storage.atomic.manifest import is_original, read_manifest, write_manifest
from akdask.storage.data.checksum import checksum
from akdask.storage.data.compared import differing_error
from akdask.storage.paths.files import FileIdentity, is_remote, last_changed, owner_of
from akdask.typing import NumberArray

NAME = ".akdask"

_MOST_NAMED = 10


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file of a store: its path in the folder, and size and checksum of what was written."""

    name: str
    size: int
    checksum: int

    @classmethod
    def of(cls, name: str, content: bytes) -> WrittenFile:
        """Return what is to be known of a file that is written."""
        return cls(name, len(content), checksum(np.frombuffer(content, np.uint8)))


def write_names(folder: str, files: Sequence[WrittenFile]) -> None:
    """Write the manifest of a new store.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    write_manifest(os.path.join(folder, NAME), _table(files))


def _table(files: Sequence[WrittenFile]) -> pa.RecordBatch:
    columns = {
        "name": arrow_bytes([os.fsencode(file.name) for file in files], pa.binary()),
        "size": arrow_numbers([file.size for file in files], np.int64),
        "checksum": arrow_numbers([file.checksum for file in files], np.uint64),
    }
    schema = pa.schema([pa.field(name, column.type) for name, column in columns.items()])
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=schema)


@dataclass(frozen=True, slots=True)
class StoreManifest:
    """What the manifest of a store tells of the files that are there.

    Parameters
    ----------
    files : mapping of str to WrittenFile
        Those that nobody has written anew since, as far as that shows; those that are missing among them.
    lost : tuple of str
        Those that are missing.
    """

    files: Mapping[str, WrittenFile]
    lost: tuple[str, ...] = ()

    @classmethod
    def of(cls, folder: str, present: Mapping[str, FileIdentity]) -> StoreManifest:
        """Return what the manifest of a store tells; nothing if there is none, or the setting ``manifest`` is off.

        Parameters
        ----------
        folder : str
            The folder of the store.
        present : mapping of str to FileIdentity
            All files that are in it.
        """
        own = present.get(NAME)
        if own is None or is_remote(folder) or not config.get("manifest"):
            return cls({})
        path = os.path.join(folder, NAME)
        owners = {os.geteuid(), *(owner_of(file) for name, file in present.items() if name != NAME)}
        batch = read_manifest(path, owners if len(owners) <= 2 else {os.geteuid()}, lambda: _table([]).schema)
        if batch is None:
            return cls({})
        columns = (batch[name].to_pylist() for name in ("name", "size", "checksum"))
        written = {
            os.fsdecode(name): WrittenFile(os.fsdecode(name), *rest) for name, *rest in zip(*columns, strict=True)
        }
        newest = last_changed(own) if is_original(path, batch) else None
        changed = {
            name
            for name, file in present.items()
            if name != NAME and (_differs(file, written.get(name)) or (newest is not None and _modified(file) > newest))
        }
        # Who writes into an array may have left chunks of the fill value out.
        arrays = {name.rpartition("/")[0] for name in changed}
        listed = {
            name: file
            for name, file in written.items()
            if (name in present and name not in changed) or name.rpartition("/")[0] not in arrays
        }
        return cls(listed, tuple(name for name in listed if name not in present))

    def check_complete(self, folder: str) -> None:
        """Refuse a store that lacks files.

        Raises
        ------
        InconsistentFilesError
            If it does; names them.
        """
        if self.lost:
            raise InconsistentFilesError(
                f"files are missing from the Zarr store {folder!r}, which its manifest names.",
                details=[f"missing: {folder}/{name}" for name in self.lost[:_MOST_NAMED]],
                hint=f"restore them; or remove {os.path.join(folder, NAME)!r}, or set manifest=False, to read chunks "
                "that are missing as those of the fill value.",
            )

    def check(self, name: str, path: str, content: NumberArray) -> None:
        """Compare the bytes of a file with its checksum, if that is known.

        Raises
        ------
        FileFormatError
            If they differ.
        """
        if name in self.files:
            check_content(path, content, self.files[name].checksum)

    def damages(self, folder: str) -> Iterator[tuple[str, str]]:
        """Read all files, and yield what is wrong: path, and words."""
        for name, file in self.files.items():
            path = f"{folder}/{name}"
            if name in self.lost:
                yield path, "the file is missing from the store."
                continue
            try:
                check_content(path, np.fromfile(path, np.uint8), file.checksum)
            except FileFormatError as error:
                yield path, " ".join([error.message, *error.details])
            except OSError as error:
                yield path, f"it cannot be read: {error.strerror or error}."


def check_content(path: str, content: NumberArray, expected: int) -> None:
    """Compare bytes with a checksum.

    Raises
    ------
    FileFormatError
        If they differ.
    """
    found = checksum(content)
    if found != expected:
        raise differing_error(repr(path), found, expected)


def _differs(file: FileIdentity, written: WrittenFile | None) -> bool:
    return written is None or written.size != file.size


def _modified(file: FileIdentity) -> int:
    return int(file.version.partition("/")[0])
