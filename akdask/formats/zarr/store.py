"""A Zarr store as one thing: the arrays in its folder, or in its zip archive, each an object."""

from __future__ import annotations

import json
import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, pairwise
from types import TracebackType
from typing import Any, TypeAlias

import numpy as np

from akdask import config
from akdask.cluster import check_memory, partition_size
from akdask.columns.arrow import arrow_bytes, arrow_numbers
from akdask.columns.dtypes import ColumnType
from akdask.columns.memory import full_array, new_array
from akdask.columns.table import concat_rows, slice_rows
from akdask.deferred import pa
from akdask.errors import (
    ArgumentError,
    FileFormatError,
    InconsistentFilesError,
    MissingDatasetError,
    MissingFileError,
    UnsupportedError,
)
from akdask.formats import tuning
from akdask.formats.zarr.archive import ArchiveMember, damages_in, members_of
from akdask.formats.zarr.metadata import NOTE, ArrayMetadata, Grid, Index, common, decoded, inside, parsed, runs
from akdask.formats.zarr.version_3 import METADATA, parsed_node
from akdask.records import record
from akdask.storage.files import FileIdentity, absolute, identities_below, is_remote, last_changed, owner_of
from akdask.storage.locales import Filenames, names_of
from akdask.storage.manifest import checksum, differing_error, is_original, read_manifest, write_manifest
from akdask.storage.objects import VALUES, ObjType, StoredColumn, StoredObject, warn_of_left_out
from akdask.storage.ranges import range_reader
from akdask.storage.recovery import settled_folder
from akdask.storage.source import PartReader, Source
from akdask.typing import Column, NumberArray

NAME = ".akdask"

_MOST_NAMED = 10

StoreFile: TypeAlias = FileIdentity | ArchiveMember
"""A file of a store: in its folder, or in its archive."""


@record
class WrittenFile:
    """A file of a store: its path in the folder, and its size and checksum at the time of writing."""

    name: str
    size: int
    checksum: int

    @classmethod
    def of(cls, name: str, content: bytes) -> WrittenFile:
        """Return the description of a file to be written."""
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


@record
class StoreManifest:
    """The descriptions in a store's manifest of the present files.

    Parameters
    ----------
    files : mapping of str to WrittenFile
        Files that were not rewritten since, as far as their states show, including missing ones.
    lost : tuple of str
        Missing files.
    """

    files: Mapping[str, WrittenFile]
    lost: tuple[str, ...] = ()

    @classmethod
    def of(cls, folder: str, present: Mapping[str, FileIdentity]) -> StoreManifest:
        """Return the manifest of a store; empty if there is none, or the setting ``manifest`` is off.

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
            If a file is missing; the message names the missing files.
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
        """Read all files, and yield path and damage."""
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


_ELEMENT = 8
"""Bytes of an element in memory, about; the same for all arrays, so that arrays of one shape are cut alike."""

_MOST_PARTITIONS = 2**20


@record
class ZarrArray:
    """One array of a store.

    Parameters
    ----------
    path : str
        Its folder.
    metadata : ArrayMetadata
        Metadata of the array.
    chunks : tuple of (tuple of int, FileIdentity or ArchiveMember)
        The present chunks, in the order of their numbers.
    sums : tuple of (int or None)
        The checksum of each chunk in the manifest of the store; empty without one.
    """

    path: str
    metadata: ArrayMetadata
    chunks: tuple[tuple[Index, StoreFile], ...]
    sums: tuple[int | None, ...] = ()

    def within(self, start: int, stop: int) -> ZarrArray:
        """Return the array with only the chunks that a run of elements may need."""
        grid = self.metadata.grid
        if start >= stop:
            return replace(self, chunks=(), sums=())
        stripes, depth = (grid.stripe_at(start), grid.stripe_at(stop - 1)), grid.axis + 1
        first, last = map(grid.stripe_prefix, stripes)
        begin = bisect_left(self.chunks, first, key=lambda item: item[0][:depth])
        end = bisect_right(self.chunks, last, key=lambda item: item[0][:depth])
        boxes = [box for _, box in runs(grid.shape, start, stop)]
        needed = [
            place
            for place in range(begin, end)
            if any(common(grid.box_of(self.chunks[place][0]), box) for box in boxes)
        ]
        sums = tuple(self.sums[place] for place in needed) if self.sums else ()
        return replace(self, chunks=tuple(self.chunks[place] for place in needed), sums=sums)

    def read(self, start: int, stop: int) -> Column:
        """Return a run of elements, in row-major order; each chunk is read once.

        Raises
        ------
        FileFormatError
            If a chunk is damaged.
        TransferError
            If a chunk is larger than may be in memory.
        """
        array, grid = self.metadata, self.metadata.grid
        check_memory(
            array.chunk_elements * array.dtype.itemsize, f"a chunk of {self.path!r} takes", "write smaller ones"
        )
        out: Any = (
            np.full(stop - start, array.fill, object)
            if array.is_text
            else full_array(stop - start, _widened(np.asarray(array.fill), array)[()], array.column.numpy)
        )
        boxes = list(runs(grid.shape, start, stop))
        within = self.within(start, stop)
        verifies = bool(within.sums) and bool(config.get("verify_checksums"))
        for number, (chunk, file) in enumerate(within.chunks):
            place = grid.box_of(chunk)
            content = _content(file)
            expected = within.sums[number] if verifies else None
            if expected is not None:
                check_content(file.path, content, expected)
            elements = decoded(content, array, file.path)
            for first, box in boxes:
                shared = common(place, box)
                if shared is not None:
                    lengths = [high - low for low, high in box]
                    target = out[first : first + int(np.prod(lengths))].reshape(lengths)
                    try:
                        target[inside(shared, box)] = _widened(elements[inside(shared, place)], array)
                    except OverflowError as error:
                        raise FileFormatError(f"{file.path!r} holds times out of range: {error}.") from None
        return _strings(out, self.path) if array.is_text else out


def _content(file: StoreFile) -> NumberArray:
    check_memory(file.size, f"the file {file.path!r} takes", "look at what it is")
    if isinstance(file, ArchiveMember):
        return file.content()
    data = new_array(file.size, np.uint8)
    with range_reader(file) as reader:
        reader.read_into(data, 0, "chunk")
    return data


def _widened(elements: np.ndarray[Any, Any], array: ArrayMetadata) -> np.ndarray[Any, Any]:
    """Return stored elements in the type of a column: times as nanoseconds.

    Raises
    ------
    OverflowError
        If a time is out of range.
    """
    if array.dtype.kind == "b":
        return np.asarray(elements.view(np.uint8) != 0)
    if array.dtype.kind not in "mM":
        return elements
    numbers = elements.astype(array.dtype.newbyteorder("=")).view(np.int64)
    if array.unit == 1:
        return numbers
    missing = numbers == np.iinfo(np.int64).min
    limit = np.iinfo(np.int64).max // array.unit
    if (~missing & ((numbers > limit) | (numbers < -limit))).any():
        raise OverflowError("they have no nanoseconds of 64 bits")
    nanoseconds: np.ndarray[Any, Any] = np.where(missing, numbers, np.where(missing, 0, numbers) * array.unit)
    return nanoseconds


def _strings(elements: np.ndarray[Any, Any], path: str) -> pa.Array:
    """Return strings as an Arrow array; bytes are UTF-8."""
    try:
        found = [item.decode() if isinstance(item, bytes) else item for item in elements.tolist()]
        return pa.array(found, pa.large_string())
    except (UnicodeError, pa.ArrowException, TypeError) as error:
        raise FileFormatError(f"{path!r} holds bytes that are no UTF-8: {error}."[:400]) from None


def partition_lengths(grid: Grid) -> list[int]:
    """Return the lengths of partitions: as many stripes as fit one, or equal shares of a stripe that is larger.

    Raises
    ------
    FileFormatError
        If they are more than any honest array has.
    """
    most = max(partition_size() // _ELEMENT, 1)
    total = grid.size
    if total // most > _MOST_PARTITIONS:
        raise FileFormatError(
            f"a Zarr array says that it has {total:,} elements, which are more than {_MOST_PARTITIONS:,} partitions.",
            hint="its .zarray is damaged; or set partition_size to more bytes.",
        )
    bounds, stripe = [0], 0
    while bounds[-1] < total:
        last = max(grid.stripe_at(min(bounds[-1] + most, total - 1)), stripe + 1)
        stop = total if total - bounds[-1] <= most else grid.stripe_start(last)
        shares = -(-(stop - bounds[-1]) // most)
        start = bounds[-1]
        bounds += [start + (stop - start) * share // shares for share in range(1, shares + 1)]
        stripe = last
    return [stop - start for start, stop in pairwise(bounds)] or [0]


@record
class ZarrPart:
    """One partition: a run of elements of some arrays.

    Parameters
    ----------
    start, stop : int
        The first element, and the one behind the last.
    columns : mapping of str to ZarrArray
        The arrays that will be read, each with the chunks of the run.
    """

    start: int
    stop: int
    columns: Mapping[str, ZarrArray]

    @property
    def nrows(self) -> int:
        """Number of elements."""
        return self.stop - self.start

    def open(self) -> ZarrPartReader:
        """Return a reader, to be used in a ``with`` statement."""
        return ZarrPartReader(self)


class ZarrPartReader(PartReader):
    """Reads runs of elements of one partition; caches the last unpacked stripe of each array.

    Parameters
    ----------
    part : ZarrPart
        The partition.
    """

    def __init__(self, part: ZarrPart) -> None:
        self._part = part
        self._stripes: dict[str, tuple[int, int, Column]] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stripes.clear()

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return elements `start` to `stop` of an array, counted from the first of the partition."""
        array = self._part.columns[column]
        position, end = self._part.start + start, self._part.start + stop
        parts = []
        while position < end:
            first, last, rows = self._stripe(column, array, position)
            until = min(end, last)
            parts.append(slice_rows(rows, position - first, until - first))
            position = until
        if not parts:
            parts = [slice_rows(array.read(0, 0), 0, 0)]
        if out is None or not isinstance(parts[0], np.ndarray):
            return parts[0] if len(parts) == 1 else concat_rows(parts)
        np.concatenate(parts, out=out[: stop - start])
        return out[: stop - start]

    def _stripe(self, column: str, array: ZarrArray, position: int) -> tuple[int, int, Column]:
        """Return where the stripe of an element begins and ends, as far as the partition has it, and its elements."""
        last_read = self._stripes.get(column)
        if last_read is not None and last_read[0] <= position < last_read[1]:
            return last_read
        grid = array.metadata.grid
        stripe = grid.stripe_at(position)
        first = max(grid.stripe_start(stripe), self._part.start)
        # Small stripes go together: each read has costs of its own.
        behind = max(grid.stripe_at(min(first + tuning.ZARR_LEAST_READ, grid.size - 1)), stripe + 1)
        last = min(grid.stripe_start(behind), self._part.stop)
        found = (first, last, array.read(first, last))
        self._stripes[column] = found
        return found


class ZarrSource(Source):
    """Arrays of one shape of a store.  Immutable.

    Parameters
    ----------
    arrays : mapping of str to ZarrArray
        The arrays by name, at least one.
    label : str
        How a user names the store.
    """

    def __init__(self, arrays: Mapping[str, ZarrArray], label: str) -> None:
        self._arrays = arrays
        self._label = label
        # The arrays of one shape share their rows, which are cut by the largest stripes.
        grids = [array.metadata.grid for array in arrays.values()]
        self._lengths = tuple(partition_lengths(min(grids, key=lambda grid: grid.nstripes)))
        self._bounds = tuple(accumulate(self._lengths, initial=0))

    @cached_property
    def token(self) -> str:
        """Changes whenever a chunk, the metadata of the arrays, or the partitions change."""
        told = [(name, array.path, array.metadata, array.chunks) for name, array in self._arrays.items()]
        return blake2b(repr((told, self._lengths)).encode(errors="surrogateescape"), digest_size=16).hexdigest()

    @property
    def label(self) -> str:
        """How a user names the store, for plans and messages."""
        return self._label

    @cached_property
    def columns(self) -> Mapping[str, ColumnType]:
        """All arrays with their types."""
        return {name: array.metadata.column for name, array in self._arrays.items()}

    @property
    def lengths(self) -> tuple[int, ...]:
        """Elements in each partition."""
        return self._lengths

    @property
    def paths(self) -> list[str]:
        """The folder of each partition: that of the first array."""
        return [next(iter(self._arrays.values())).path] * len(self._lengths)

    def part(self, index: int, columns: Sequence[str]) -> ZarrPart:
        """Return one partition, reduced to the given arrays.

        Raises
        ------
        MissingDatasetError
            If there is no array of a name.
        """
        missing = [name for name in columns if name not in self._arrays]
        if missing:
            raise MissingDatasetError(f"{self._label} has no array {', '.join(map(repr, missing))}.")
        start, stop = self._bounds[index], self._bounds[index + 1]
        return ZarrPart(start, stop, {name: self._arrays[name].within(start, stop) for name in columns})


ARRAY, GROUP, ATTRIBUTES = ".zarray", ".zgroup", ".zattrs"

ROOT = "array"
"""Name of an array that is a store itself; Arkouda uses it for arrays in files."""

ORDER = "order"
KIND = "kind"
_MOST_BYTES = 2**24


@record
class _Listing:
    """The files of a store by their path in its folder."""

    path: str
    files: Mapping[str, StoreFile]
    manifest: StoreManifest

    def content(self, name: str) -> bytes:
        """Return the content of a file.

        Raises
        ------
        FileFormatError
            If it is too large for metadata.
        """
        file = self.files[name]
        if file.size > _MOST_BYTES:
            raise FileFormatError(f"{file.path!r} has {file.size:,} bytes, and says of a Zarr array what it is.")
        data = _content(file)
        if config.get("verify_checksums"):
            self.manifest.check(name, file.path, data)
        return data.tobytes()

    def note(self, folder: str) -> Mapping[str, Any]:
        """Return akdask's note in the attributes of an array or a group; empty if others wrote them."""
        name = f"{folder}{ATTRIBUTES}"
        try:
            noted = json.loads(self.content(name))[NOTE] if name in self.files else {}
        except (ValueError, KeyError, TypeError, RecursionError):
            return {}
        return noted if isinstance(noted, dict) else {}


class ZarrStore:
    """The arrays of a store; implements `akdask.storage.objects.StoredSet`.

    Parameters
    ----------
    path : str
        The folder.
    arrays : mapping of str to ZarrArray
        By name, in the order of the user.
    notes : mapping of str to mapping
        akdask's notes on the arrays.
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
        """Return arrays, all readable ones by default; arrays of one shape share their rows.

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
    """Open a store: list its files, and read the metadata of the arrays.

    Parameters
    ----------
    filenames : str, path or sequence of one
        The folder of an array or of a group, or a zip archive of its files.

    Raises
    ------
    ArgumentError
        If several are named.
    MissingFileError
        If there is no such folder.
    FileFormatError
        If it is no Zarr store, or its metadata contradict the specification.
    UnsupportedError
        If the store is of another version.
    InconsistentFilesError
        If files are missing that akdask has written.
    """
    names = names_of(filenames)
    if len(names) != 1:
        raise ArgumentError(
            f"a Zarr store is one folder or archive, not {len(names)} names.", hint="open them one by one."
        )
    path = absolute(names[0]).rstrip("/")
    if is_remote(path) or os.path.isfile(path):
        return _read(_listed(path))
    return settled_folder(path, lambda folder: _read(_listed(folder)))


def _listed(path: str) -> _Listing:
    if not is_remote(path) and os.path.isfile(path):
        return _Listing(path, members_of(path), StoreManifest({}))
    if not is_remote(path) and not os.path.isdir(path):
        raise MissingFileError(
            f"no Zarr store {path!r}: there is no such folder.",
            hint="check the name; relative ones begin at the working directory, and patterns are not expanded.",
        )
    files = identities_below(path)
    return _Listing(path, files, StoreManifest.of(path, files))


def damages_of(path: str) -> Iterator[tuple[str, str]]:
    """Read all files of an archive, or of a store that akdask has written, and yield path and damage."""
    found = _listed(path)
    archived = {name: file for name, file in found.files.items() if isinstance(file, ArchiveMember)}
    return damages_in(archived) if archived else found.manifest.damages(found.path)


def _read(found: _Listing) -> ZarrStore:
    folders = _folders_of(found, ARRAY)
    # Where both exist, version 2 is what other tools see that write both.
    third = set(_folders_of(found, METADATA)) - set(folders)
    if not folders and not third and GROUP not in found.files:
        if not found.files:
            raise MissingFileError(
                f"no Zarr store {found.path!r}: there is nothing below it.", hint="name the folder of a store."
            )
        raise FileFormatError(
            f"{found.path!r} is no Zarr store: it has neither {ARRAY} nor {GROUP} nor {METADATA}.",
            hint="name the folder of a store; ak.read tells formats of files apart.",
        )
    found.manifest.check_complete(found.path)
    described: dict[str, ArrayMetadata | UnsupportedError] = {}
    for folder in _in_order([*folders, *third], found.note("").get(ORDER)):
        name = f"{folder}{METADATA if folder in third else ARRAY}"
        parse = parsed_node if folder in third else parsed
        try:
            metadata = parse(found.files[name].path, found.content(name))
        except UnsupportedError as error:
            described[folder] = error
        else:
            if metadata is not None:
                described[folder] = metadata
    chunks = _chunks_by_folder(found, set(described))
    arrays: dict[str, ZarrArray] = {}
    refused: dict[str, UnsupportedError] = {}
    for folder, about in described.items():
        if isinstance(about, UnsupportedError):
            refused[_name(folder)] = about
        else:
            arrays[_name(folder)] = _array(found, folder, about, chunks[folder])
    return ZarrStore(found.path, arrays, {_name(folder): found.note(folder) for folder in described}, refused)


def _folders_of(found: _Listing, file: str) -> list[str]:
    """Return the folders with a file of a name, each with its last slash."""
    return [name.removesuffix(file) for name in found.files if name == file or name.endswith(f"/{file}")]


def _name(folder: str) -> str:
    return folder.rstrip("/") or ROOT


def _in_order(folders: Sequence[str], noted: Any) -> list[str]:
    """Return the folders of arrays in the order of the user who wrote them, else in that of their names."""
    order = [name for name in noted if isinstance(name, str)] if isinstance(noted, list) else []
    positions = {f"{name}/": place for place, name in enumerate(order)}
    return sorted(folders, key=lambda folder: (positions.get(folder, len(positions)), folder))


def _chunks_by_folder(found: _Listing, folders: set[str]) -> dict[str, list[tuple[str, StoreFile]]]:
    """Return the files below each array, by their path in its folder."""
    below: dict[str, list[tuple[str, StoreFile]]] = {folder: [] for folder in folders}
    for name, file in found.files.items():
        folder = name[: name.rfind("/") + 1]
        while folder not in folders and folder:
            folder = folder[: folder.rfind("/", 0, -1) + 1]
        if folder in folders:
            below[folder].append((name[len(folder) :], file))
    return below


def _array(found: _Listing, folder: str, metadata: ArrayMetadata, files: Sequence[tuple[str, StoreFile]]) -> ZarrArray:
    chunks = ((_index(inner, metadata), file) for inner, file in files)
    placed = sorted(((chunk, file) for chunk, file in chunks if chunk is not None), key=lambda item: item[0])
    written = found.manifest.files
    known = (written.get(f"{folder}{metadata.name_of(chunk)}") for chunk, _ in placed) if written else ()
    sums = tuple(None if file is None else file.checksum for file in known)
    return ZarrArray(f"{found.path}/{folder}".rstrip("/"), metadata, tuple(placed), sums)


def _index(name: str, metadata: ArrayMetadata) -> Index | None:
    """Return the numbers of a chunk by its name, None for other files."""
    counts = metadata.grid.counts
    if metadata.prefix and metadata.is_single:
        return (0,) if name == metadata.prefix else None
    parts = name.removeprefix(f"{metadata.prefix}{metadata.separator}" if metadata.prefix else "").split(
        metadata.separator
    )
    if len(parts) != len(counts) or not all(part.isascii() and part.isdigit() and len(part) < 20 for part in parts):
        return None
    index = tuple(map(int, parts))
    is_there = all(number < count for number, count in zip(index, counts, strict=True))
    return index if is_there and metadata.name_of(index) == name else None
