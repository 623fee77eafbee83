"""Manifests of HDF5 sets: descriptions and summaries of all files, as one table with a row for each.

Files of a set are mostly made alike, so what they are made of is kept once, as JSON in the metadata of the table; what
differs, the numbers, is kept in columns.

A manifest is believed about a file only if this user or the file's owner owns it, and if the file is of the size, time
of modification, inode and owner that it was when its writer described it.  What it says must fit into the file.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.errors import AkdaskError
from akdask.hdf5.encoding.statistics import SUMMARY, DatasetSummary
from akdask.hdf5.reading.checksums import check_extent
from akdask.hdf5.reading.read import ExtentReader
from akdask.hdf5.schema.description import FileDescription, ObjectSchema, datasets_of
from akdask.hdf5.sets.schema_json import decode, encode
from akdask.storage.atomic.manifest import later_than, manifest_path, read_manifest, write_manifest
from akdask.storage.atomic.recovery import settled
from akdask.storage.data.extents import Extent
from akdask.storage.paths.files import FileIdentity, identify, is_remote, modified, owner_of
from akdask.storage.paths.locales import Filenames, sort_key, split_locale

Made: TypeAlias = tuple[tuple[ObjectSchema, ...], str | None]
"""What files have in common that are made alike: their objects, and the order of columns that they keep."""

_SLOT = np.dtype([("offset", "<i8"), ("length", "<i8")])
_MADE = b"made"
_MAX_COMPRESSION_RATIO = 1024
"""How many times more bytes than their file data may have that HDF5 unpacks; of more the file itself must tell."""


def described(files: Sequence[FileIdentity]) -> dict[FileIdentity, FileDescription]:
    """Return descriptions of the files that manifests describe as they are now; the others must be inspected.

    Only local files of sets have manifests: what a remote file system tells of a file is not what is kept here.
    """
    return described_and_lost(files, ())[0]


def described_and_lost(
    files: Sequence[FileIdentity], patterns: Sequence[re.Pattern[str]]
) -> tuple[dict[FileIdentity, FileDescription], list[str]]:
    """Return what `described` does, and the files that patterns mean and manifests name, and that are gone.

    At the end of the numbering nothing else tells of them.  A manifest that describes none of the files that are there
    is older than they are, and tells of nothing.

    Parameters
    ----------
    files : sequence of FileIdentity
        All files that are there.
    patterns : sequence of re.Pattern
        Whole paths of the files that are meant match one of them.
    """
    found: dict[FileIdentity, FileDescription] = {}
    lost: list[str] = []
    present = {file.path for file in files} if patterns else set()
    for (path, owner), members in _by_set(files).items():
        entries = _Entries.of_set(path, owner)
        if entries is None:
            continue
        known = {file: entry for file in members if (entry := entries.find(file)) is not None}
        found.update(known)
        if known and patterns and len(known) < len(entries.names):
            named = (os.path.join(os.path.dirname(path), name) for name in sorted(entries.names, key=sort_key))
            absent = (path for path in named if path not in present)
            lost.extend(path for path in absent if any(pattern.fullmatch(path) for pattern in patterns))
    return found, list(dict.fromkeys(lost))


def _by_set(files: Sequence[FileIdentity]) -> dict[tuple[str, int], list[FileIdentity]]:
    """Group files by the path under which their set was written, and by their owner."""
    sets: defaultdict[tuple[str, int], list[FileIdentity]] = defaultdict(list)
    for file in files:
        found = None if is_remote(file.path) else split_locale(file.path)
        if found is not None:
            sets[found[0], owner_of(file)].append(file)
    return sets


def write(path: str, files: Sequence[FileDescription]) -> None:
    """Write the manifest of a set to a new file.

    Parameters
    ----------
    path : str
        The file.
    files : sequence of FileDescription
        The files of the set, all of one folder, in the state in which they will be there.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    # A file that changes again within the same tick of the clock has the same time of modification as before.  So a
    # time is only good if the clock is past it.
    now = later_than(max(modified(file.file) for file in files), path)
    write_manifest(path, _to_batch([file for file in files if modified(file.file) < now]))


def summarized(file: FileDescription, summaries: Mapping[str, DatasetSummary]) -> FileDescription:
    """Return the description of a file with summaries of its datasets, given by path."""
    found = np.zeros(len(file.slots), SUMMARY)
    for position, dataset in enumerate(datasets_of(file.objects)):
        if dataset.path in summaries:
            found[position] = summaries[dataset.path].record
    return replace(file, summaries=found)


def carry_summaries(file: FileDescription, old: FileDescription | None) -> FileDescription:
    """Return the description of a file with the summaries of those datasets that were copied from another."""
    if old is None or old.summaries is None or file.summaries is None:
        return file
    old_summaries = dict(zip(datasets_of(old.objects), old.summaries, strict=True))
    summaries = file.summaries.copy()
    for position, dataset in enumerate(datasets_of(file.objects)):
        if not summaries[position]["known"] and dataset in old_summaries:
            summaries[position] = old_summaries[dataset]
    return replace(file, summaries=summaries)


@dataclass(frozen=True, slots=True)
class Damage:
    """What is wrong with a file, or with one dataset of it."""

    path: str
    dataset: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Verification:
    """What comparing files with their manifests has shown.

    Parameters
    ----------
    checked : int
        Number of datasets that were read and compared.
    damages : tuple of Damage
        All that was found, files that are gone from a set included.
    unknown : tuple of str
        Files that cannot be verified: written by others, or changed since akdask wrote them.
    """

    checked: int
    damages: tuple[Damage, ...]
    unknown: tuple[str, ...]


def verify(filenames: Filenames) -> Verification:
    """Read all data of files whose checksums are known, and compare.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Files or glob patterns.

    Raises
    ------
    MissingFileError, InconsistentFilesError
        If files are missing, or missing from within the numbering of a set.
    """
    files = settled(filenames, lambda paths: list(map(identify, paths)))
    known = described(files)
    checked, damages = 0, _missing(files)
    for description in known.values():
        for extent, checksum in _checksums(description):
            checked += 1
            try:
                with ExtentReader(description.file) as reader:
                    check_extent(reader, extent, checksum)
            except AkdaskError as error:
                damages.append(Damage(description.file.path, extent.dataset, " ".join([error.message, *error.details])))
    return Verification(checked, tuple(damages), tuple(file.path for file in files if file not in known))


def _missing(files: Sequence[FileIdentity]) -> list[Damage]:
    """Find files that a manifest names and that are gone: at the end of the numbering nothing else tells of them."""
    return [
        Damage(path, None, "the file is missing from the set.")
        for set_path, owner in _by_set(files)
        if (entries := _Entries.of_set(set_path, owner)) is not None
        for path in (os.path.join(os.path.dirname(set_path), name) for name in entries.names)
        if not os.path.lexists(path)
    ]


def _checksums(file: FileDescription) -> Iterator[tuple[Extent, int]]:
    for dataset, slot, summary in zip(datasets_of(file.objects), file.slots.tolist(), _summaries(file), strict=True):
        if summary["known"]:
            yield Extent(dataset.path, dataset.dtype, *slot), int(summary["checksum"])


class _Entries:
    """The rows of a manifest, by name of the file."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._made: list[Made] = [_made(decode(item)) for item in json.loads(batch.schema.metadata[_MADE])]
        self._made_of = batch["made"].to_pylist()
        self._rows = {os.fsdecode(name): row for row, name in enumerate(batch["name"].to_pylist())}
        self._sizes = batch["size"].to_pylist()
        self._versions = batch["version"].to_pylist()
        self._ends = batch["datasets"].offsets.to_pylist()
        datasets = batch["datasets"].values[self._ends[0] : self._ends[-1]]
        self._ends = [end - self._ends[0] for end in self._ends]
        self._slots = _from_struct(datasets, _SLOT).view("<i8").reshape(-1, 2)
        self._summaries = _from_struct(datasets, SUMMARY)
        self._check(batch)
        self._doubtful = self._rows_of_doubt(batch["size"].to_numpy())

    def _check(self, batch: pa.RecordBatch) -> None:
        """Refuse inconsistent numbers; a checksum only proves that they are those that were written."""
        made_of = batch["made"].to_numpy()
        counts = np.array([len(self._itemsizes(number)) for number in range(len(self._made))], np.int64)
        if (
            len(self._rows) != batch.num_rows
            or not _are_single_names(batch["name"].to_pylist())
            or (made_of < 0).any()
            or (np.diff(self._ends) != counts[made_of]).any()
            or (self._slots < (-1, 0)).any()
            or (self._summaries["nans"] < 0).any()
            or (self._summaries["nans"] > self._slots[:, 1]).any()
        ):
            raise ValueError("no manifest")

    def _itemsizes(self, number: int) -> list[int]:
        """Return the bytes of an element of each dataset of files that are made in one way."""
        return [np.dtype(dataset.dtype).itemsize for dataset in datasets_of(self._made[number][0])]

    def _rows_of_doubt(self, sizes: npt.NDArray[np.int64]) -> set[int]:
        """Return the files with datasets that reach beyond their end, or are far larger than what is stored."""
        itemsizes = [np.array(self._itemsizes(number), np.int64) for number in range(len(self._made))]
        each = np.concatenate([np.empty(0, np.int64), *[itemsizes[number] for number in self._made_of]])
        rows = np.repeat(np.arange(len(sizes)), np.diff(self._ends))
        offsets, lengths = self._slots.T
        # Divided, not multiplied: no number here is too large for that.
        largest = np.where(offsets >= 0, (sizes[rows] - offsets) // each, sizes[rows] // each * _MAX_COMPRESSION_RATIO)
        return set(rows[(lengths > largest) & (lengths > 0)].tolist())

    @classmethod
    def of_set(cls, path: str, owner: int) -> _Entries | None:
        """Return the rows of the manifest of a set, None if there is none that is to be believed.

        Parameters
        ----------
        path : str
            The set.
        owner : int
            The user who owns the files that it is asked about.
        """
        batch = read_manifest(manifest_path(path), {os.geteuid(), owner}, _schema())
        try:
            return None if batch is None else cls(batch)
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError, pa.ArrowException):
            return None

    @property
    def names(self) -> list[str]:
        """Names of the files."""
        return list(self._rows)

    def find(self, file: FileIdentity) -> FileDescription | None:
        """Return the description of a file, None if it has none in that state."""
        row = self._rows.get(os.path.basename(file.path))
        if row is None or self._sizes[row] != file.size or self._versions[row] != file.version or row in self._doubtful:
            return None
        objects, column_order = self._made[self._made_of[row]]
        part = slice(self._ends[row], self._ends[row + 1])
        return FileDescription(file, objects, self._slots[part], column_order, self._summaries[part])


def _made(item: Any) -> Made:
    """Return what a file is made of, if that is what was decoded."""
    match item:
        case (tuple() as objects, None | str() as order) if all(isinstance(one, ObjectSchema) for one in objects):
            names = [column.name for one in objects for column in one.columns]
            if len({one.name for one in objects}) == len(objects) and len(set(names)) == len(names):
                return objects, order
    raise ValueError("no schema of a file")


def _are_single_names(names: Sequence[bytes]) -> bool:
    """Whether each names something in a folder and nothing elsewhere; asked of thousands at once."""
    joined = b"".join(names)
    return b"/" not in joined and b"\0" not in joined and {b"", b".", b".."}.isdisjoint(names)


@cache
def _schema() -> pa.Schema:
    """Return the types of all columns of a manifest."""
    return _to_batch([]).schema.remove_metadata()


def _to_batch(files: Sequence[FileDescription]) -> pa.RecordBatch:
    numbers: dict[Made, int] = {}
    made = [numbers.setdefault((file.objects, file.column_order), len(numbers)) for file in files]
    slots = np.concatenate([np.empty((0, 2), np.int64), *[file.slots for file in files]])
    summaries = np.concatenate([np.empty(0, SUMMARY), *[_summaries(file) for file in files]])
    ends = np.cumsum([0, *[len(file.slots) for file in files]])
    columns = {
        "name": pa.array([os.fsencode(os.path.basename(file.file.path)) for file in files], pa.binary()),
        "size": pa.array([file.file.size for file in files], pa.int64()),
        "version": pa.array([file.file.version for file in files], pa.string()),
        "made": pa.array(made, pa.int32()),
        "datasets": pa.ListArray.from_arrays(
            pa.array(ends, pa.int32()), _to_struct(slots.view(_SLOT).reshape(-1), summaries)
        ),
    }
    metadata = {_MADE: json.dumps([encode(item) for item in numbers]).encode()}
    schema = pa.schema([pa.field(name, column.type) for name, column in columns.items()], metadata)
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=schema)


def _summaries(file: FileDescription) -> npt.NDArray[np.void]:
    return np.zeros(len(file.slots), SUMMARY) if file.summaries is None else file.summaries


def _to_struct(*arrays: npt.NDArray[np.void]) -> pa.StructArray:
    """Return the fields of structured arrays as those of one Arrow struct."""
    columns = {name: _to_arrow(array[name]) for array in arrays for name in array.dtype.names or ()}
    return pa.StructArray.from_arrays(list(columns.values()), list(columns))


def _to_arrow(values: npt.NDArray[Any]) -> pa.Array:
    if values.dtype.kind != "S":
        return pa.array(values)
    raw = pa.py_buffer(np.ascontiguousarray(values))
    return pa.FixedSizeBinaryArray.from_buffers(pa.binary(values.itemsize), len(values), [None, raw])


def _from_struct(struct: pa.StructArray, dtype: np.dtype[np.void]) -> npt.NDArray[np.void]:
    found = np.empty(len(struct), dtype)
    for name in dtype.names or ():
        column = struct.field(name)
        if column.type == pa.binary(dtype[name].itemsize):
            found[name] = np.frombuffer(column.buffers()[1], dtype[name], len(column))
        else:
            found[name] = column.to_numpy(zero_copy_only=False)
    return found
