"""A Zarr store as one thing: the arrays in its folder, each an object."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask import config
from akdask.errors import (
    ArgumentError,
    FileError,
    FileFormatError,
    MissingDatasetError,
    MissingFileError,
    UnsupportedError,
)
from akdask.storage.atomic.folder import recover_folders
from akdask.storage.data.ranges import range_reader
from akdask.storage.formats.differences import warn_of_left_out
from akdask.storage.formats.objects import VALUES, ObjType, StoredColumn, StoredObject
from akdask.storage.paths.files import FileIdentity, absolute, identities_below, is_remote, state_of
from akdask.storage.paths.locales import Filenames, names_of
from akdask.zarr.grid import Index
from akdask.zarr.manifest import StoreManifest
from akdask.zarr.metadata import NOTE, ArrayMetadata, parsed
from akdask.zarr.source import ZarrArray, ZarrSource

ARRAY, GROUP, ATTRIBUTES = ".zarray", ".zgroup", ".zattrs"
_OTHER_VERSION = "zarr.json"

ROOT = "array"
"""Name of an array that is a store itself: what Arkouda calls arrays in files."""

ORDER = "order"
KIND = "kind"
_MOST_BYTES = 2**24
_MOST_ATTEMPTS = 100


@dataclass(frozen=True, slots=True)
class _Listing:
    """What is in the folder of a store: its files by their path in it."""

    path: str
    files: Mapping[str, FileIdentity]
    manifest: StoreManifest

    def content(self, name: str) -> bytes:
        """Return what is in a file.

        Raises
        ------
        FileFormatError
            If it is larger than what says something of an array.
        """
        file = self.files[name]
        if file.size > _MOST_BYTES:
            raise FileFormatError(f"{file.path!r} has {file.size:,} bytes, and says of a Zarr array what it is.")
        data = np.empty(file.size, np.uint8)
        with range_reader(file) as reader:
            reader.read_into(data, 0, name)
        if config.get("verify_checksums"):
            self.manifest.check(name, file.path, data)
        return data.tobytes()

    def note(self, folder: str) -> Mapping[str, Any]:
        """Return what akdask has noted among the attributes of an array or a group; nothing of what others wrote."""
        name = f"{folder}{ATTRIBUTES}"
        try:
            noted = json.loads(self.content(name))[NOTE] if name in self.files else {}
        except (ValueError, KeyError, TypeError, RecursionError):
            return {}
        return noted if isinstance(noted, dict) else {}


class ZarrStore:
    """The arrays of a store; implements `akdask.storage.formats.objects.StoredSet`.

    Parameters
    ----------
    path : str
        The folder.
    arrays : mapping of str to ZarrArray
        By name, in the order of the user.
    notes : mapping of str to mapping
        What akdask has noted of them.
    refused : mapping of str to UnsupportedError
        Arrays that cannot be read, and why.
    """

    def __init__(
        self,
        path: str,
        arrays: Mapping[str, ZarrArray],
        notes: Mapping[str, Mapping[str, Any]],
        refused: Mapping[str, UnsupportedError],
    ) -> None:
        self.paths = (path,)
        self._arrays = arrays
        self._refused = refused
        self._kinds = {name: _kind(array.metadata, notes[name]) for name, array in arrays.items()}
        self._kinds |= dict.fromkeys(refused, ObjType.UNKNOWN)
        self._label = f"read_zarr({path!r})"

    @property
    def kinds(self) -> Mapping[str, ObjType]:
        """Kinds of all arrays by name."""
        return self._kinds

    def objects(self, names: Sequence[str] | None = None) -> dict[str, StoredObject]:
        """Return arrays, all that can be read if no names are given; those of one shape share their rows.

        Raises
        ------
        MissingDatasetError
            If there is no array of a name.
        UnsupportedError
            If one that is named cannot be read, or none can.
        """
        wanted = self._readable() if names is None else list(dict.fromkeys(names))
        missing = [name for name in wanted if name not in self._kinds]
        if missing:
            raise MissingDatasetError(
                f"{self._label} has no dataset {', '.join(map(repr, missing))}.",
                details=[f"datasets: {', '.join(self._kinds)}"],
                hint="name some of these, or none for all.",
            )
        for name in wanted:
            if name in self._refused:
                raise self._refused[name].with_traceback(None)
        by_shape: dict[Index, dict[str, ZarrArray]] = {}
        for name in wanted:
            array = self._arrays[name]
            by_shape.setdefault(array.metadata.grid.shape, {})[name] = array
        sources = {shape: ZarrSource(arrays, self._label) for shape, arrays in by_shape.items()}
        return {name: self._object(name, sources[self._arrays[name].metadata.grid.shape]) for name in wanted}

    def _readable(self) -> list[str]:
        """Return the arrays that are read where none are named: all but those that cannot be."""
        if not self._arrays:
            return list(self._refused)
        warn_of_left_out(self._label, {}, {name: error.message for name, error in self._refused.items()})
        return list(self._arrays)

    def _object(self, name: str, source: ZarrSource) -> StoredObject:
        shape, kind = self._arrays[name].metadata.grid.shape, self._kinds[name]
        params = {"shape": shape} if kind is ObjType.ARRAYVIEW else {}
        return StoredObject(name, kind, {VALUES: StoredColumn(source, name)}, params=params)


def _kind(metadata: ArrayMetadata, noted: Mapping[str, Any]) -> ObjType:
    is_address = noted.get(KIND) == ObjType.IPV4.label and metadata.dtype.kind == "u"
    return ObjType.IPV4 if is_address and metadata.kind is ObjType.PDARRAY else metadata.kind


def open_store(filenames: Filenames) -> ZarrStore:
    """Open a store: list its files, and read what they say of the arrays.

    Parameters
    ----------
    filenames : str, path or sequence of one
        The folder of an array or of a group.

    Raises
    ------
    ArgumentError
        If several are named.
    MissingFileError
        If there is no such folder.
    FileFormatError
        If it is no Zarr store, or what it says of an array contradicts the specification.
    UnsupportedError
        If the store is of another version.
    InconsistentFilesError
        If files are missing that akdask has written.
    """
    names = names_of(filenames)
    if len(names) != 1:
        raise ArgumentError(f"a Zarr store is one folder, not {len(names)} names.", hint="open them one by one.")
    path = absolute(names[0]).rstrip("/")
    if is_remote(path):
        return _read(_listed(path))
    # A store that is replaced is away for a moment, and what was listed may be gone.
    for _ in range(_MOST_ATTEMPTS):
        recover_folders(os.path.dirname(path))
        before = _state(path)
        try:
            return _read(_listed(path))
        except FileError:
            if before == _state(path):
                raise
    raise FileError(f"the store {path!r} is replaced all the time.", hint="read it when its writers rest.")


def _state(path: str) -> str | None:
    """Return what tells a folder from one that takes its place."""
    try:
        return state_of(os.stat(path))
    except OSError:
        return None


def _listed(path: str) -> _Listing:
    if not is_remote(path) and os.path.isfile(path):
        raise FileFormatError(f"{path!r} is a file, and no Zarr store.", hint="ak.read tells formats of files apart.")
    if not is_remote(path) and not os.path.isdir(path):
        raise MissingFileError(
            f"no Zarr store {path!r}: there is no such folder.",
            hint="check the name; relative ones begin at the working directory, and patterns are not expanded.",
        )
    files = identities_below(path)
    return _Listing(path, files, StoreManifest.of(path, files))


def damages_of(path: str) -> Iterator[tuple[str, str]]:
    """Read all files of a store that akdask has written, and yield what is not as it was: path, and words."""
    found = _listed(path)
    return found.manifest.damages(found.path)


def _read(found: _Listing) -> ZarrStore:
    folders = [name.removesuffix(ARRAY) for name in found.files if name == ARRAY or name.endswith(f"/{ARRAY}")]
    if not folders and GROUP not in found.files:
        if _OTHER_VERSION in found.files:
            raise UnsupportedError(
                f"{found.path!r} is a Zarr store of version 3, which is not read.", hint="write it with zarr_format=2."
            )
        if not found.files:
            raise MissingFileError(
                f"no Zarr store {found.path!r}: there is nothing below it.", hint="name the folder of a store."
            )
        raise FileFormatError(
            f"{found.path!r} is no Zarr store: it has neither {ARRAY} nor {GROUP}.",
            hint="name the folder of a store; ak.read tells formats of files apart.",
        )
    found.manifest.check_complete(found.path)
    chunks = _chunks_by_folder(found, set(folders))
    named = {_name(folder): folder for folder in _in_order(folders, found.note("").get(ORDER))}
    arrays, refused = {}, {}
    for name, folder in named.items():
        try:
            arrays[name] = _array(found, folder, chunks[folder])
        except UnsupportedError as error:
            refused[name] = error
    return ZarrStore(found.path, arrays, {name: found.note(folder) for name, folder in named.items()}, refused)


def _name(folder: str) -> str:
    return folder.rstrip("/") or ROOT


def _in_order(folders: Sequence[str], noted: Any) -> list[str]:
    """Return the folders of arrays in the order of the user who wrote them, else in that of their names."""
    order = [name for name in noted if isinstance(name, str)] if isinstance(noted, list) else []
    positions = {f"{name}/": place for place, name in enumerate(order)}
    return sorted(folders, key=lambda folder: (positions.get(folder, len(positions)), folder))


def _chunks_by_folder(found: _Listing, folders: set[str]) -> dict[str, list[tuple[str, FileIdentity]]]:
    """Return the files below each array, by their path in its folder."""
    below: dict[str, list[tuple[str, FileIdentity]]] = {folder: [] for folder in folders}
    for name, file in found.files.items():
        folder = name[: name.rfind("/") + 1]
        while folder not in folders and folder:
            folder = folder[: folder.rfind("/", 0, -1) + 1]
        if folder in folders:
            below[folder].append((name[len(folder) :], file))
    return below


def _array(found: _Listing, folder: str, files: Sequence[tuple[str, FileIdentity]]) -> ZarrArray:
    name = f"{folder}{ARRAY}"
    metadata = parsed(found.files[name].path, found.content(name))
    chunks = ((_index(inner, metadata), file) for inner, file in files)
    placed = sorted(((chunk, file) for chunk, file in chunks if chunk is not None), key=lambda item: item[0])
    written = found.manifest.files
    known = (written.get(f"{folder}{metadata.name_of(chunk)}") for chunk, _ in placed) if written else ()
    sums = tuple(None if file is None else file.checksum for file in known)
    return ZarrArray(f"{found.path}/{folder}".rstrip("/"), metadata, tuple(placed), sums)


def _index(name: str, metadata: ArrayMetadata) -> Index | None:
    """Return the numbers of a chunk by its name, None for other files."""
    parts = name.split(metadata.separator)
    counts = metadata.grid.counts
    if len(parts) != len(counts) or not all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts):
        return None
    index = tuple(map(int, parts))
    is_there = all(number < count for number, count in zip(index, counts, strict=True))
    return index if is_there and metadata.name_of(index) == name else None
