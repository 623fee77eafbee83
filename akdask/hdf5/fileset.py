"""A set of HDF5 files as one thing: what it holds, whether its files agree, and the sources to scan."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from threading import Lock

import numpy as np

from akdask import config
from akdask.errors import AkdaskError, FileError, MissingDatasetError
from akdask.hdf5.agreement import check_agreement, warn_of_skipped
from akdask.hdf5.description import ColumnSchema, FileDescription, ObjectSchema, differing
from akdask.hdf5.existing import in_stored_order
from akdask.hdf5.inspect import inspect_file
from akdask.hdf5.layout import ObjType
from akdask.hdf5.read import ExtentReader, scan_starts
from akdask.hdf5.source import Hdf5Source, Layouts
from akdask.schema import STR
from akdask.storage.extents import Extent, split_rows
from akdask.storage.files import FileIdentity, identify
from akdask.storage.locales import expand
from akdask.typing import NumberArray

_MOST_SETS = 16

Filenames = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True, slots=True)
class StoredColumn:
    """One column of a source: what a plan scans."""

    source: Hdf5Source
    column: str


@dataclass(frozen=True, slots=True)
class StoredObject:
    """One object of a set.

    Parameters
    ----------
    name : str
        Its name at root.
    kind : ObjType
        What it is.
    members : mapping of str to StoredColumn
        ``values`` of a pdarray or Strings; ``codes``, ``categories``, ``NA_Codes`` and where stored ``permutation``
        and ``segments`` of a Categorical.
    """

    name: str
    kind: ObjType
    members: Mapping[str, StoredColumn]


@dataclass(frozen=True, slots=True)
class _Options:
    strict_types: bool
    calc_string_offsets: bool
    partition_size: int
    label: str


class FileSet:
    """Files that belong together, described but not read.

    Parameters
    ----------
    files : sequence of FileDescription
        In the order of the rows.
    options : _Options
        How they are read.
    allow_errors : bool
        Leave out files that lack what is asked for, with a warning.
    """

    def __init__(self, files: Sequence[FileDescription], options: _Options, *, allow_errors: bool) -> None:
        self._files = tuple(files)
        self._options = options
        self._allow_errors = allow_errors

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, in order."""
        return tuple(file.file.path for file in self._files)

    @cached_property
    def kinds(self) -> Mapping[str, ObjType]:
        """Kinds of all objects, also of those that cannot be read, by name.

        Names are in the order that the first file's writer kept, where akdask wrote it, else in byte order.
        """
        found = {schema.name: schema.kind for file in reversed(list(differing(self._files))) for schema in file.objects}
        return {name: found[name] for name in in_stored_order(found, self._files[0].column_order)}

    def select(self, datasets: Sequence[str] | None = None) -> dict[str, StoredObject]:
        """Return the objects of the given names, all if None, ready to be scanned.  Reads no data.

        Raises
        ------
        MissingDatasetError
            If a name is in none of the files.
        InconsistentFilesError
            If files disagree about one of the objects, or lack it; all disagreements are told.
        ObjTypeError, UnsupportedError
            If an object is of an unknown kind, or of one that cannot be read.
        """
        names = list(self.kinds) if datasets is None else list(dict.fromkeys(datasets))
        missing = [name for name in names if name not in self.kinds]
        if missing:
            raise MissingDatasetError(
                f"{self._options.label} has no dataset {', '.join(map(repr, missing))}.",
                details=[f"datasets: {', '.join(self.kinds)}"],
            )
        files, schemas = check_agreement(
            self._files, names, strict_types=self._options.strict_types, allow_errors=self._allow_errors
        )
        columns = {column.name: column for schema in schemas.values() for _, column in schema.members}
        sources = self._sources(files, columns)
        return {name: _stored(schema, sources) for name, schema in schemas.items()}

    def _sources(self, files: Sequence[FileDescription], columns: Mapping[str, ColumnSchema]) -> dict[str, Hdf5Source]:
        """Columns of equal lengths in every file share a source, and so a row space."""
        layouts = Layouts(files)
        rows: dict[str, NumberArray] = {}
        nbytes: dict[bytes, NumberArray] = {}
        for name, schema in columns.items():
            slots = layouts.slots(name)
            rows[name] = self._string_rows(layouts, name) if schema.dtype == STR else np.maximum(slots[:, 1], 0)
            sizes = np.maximum(slots[:, 1] * np.dtype(schema.values.dtype).itemsize, 0)
            key = rows[name].tobytes()
            nbytes[key] = np.maximum(nbytes.get(key, 0), sizes)
        groups: dict[bytes, list[str]] = {}
        for name in columns:
            groups.setdefault(rows[name].tobytes(), []).append(name)
        return {
            name: source
            for key, names in groups.items()
            for source in [self._source(layouts, {n: columns[n] for n in names}, rows[names[0]], nbytes[key])]
            for name in names
        }

    def _source(
        self, layouts: Layouts, columns: Mapping[str, ColumnSchema], rows: NumberArray, nbytes: NumberArray
    ) -> Hdf5Source:
        return Hdf5Source(
            layouts,
            {name: schema.dtype for name, schema in columns.items()},
            split_rows(rows, nbytes, self._options.partition_size),
            self._options.label,
            use_segments=not self._options.calc_string_offsets,
        )

    def _string_rows(self, layouts: Layouts, name: str) -> NumberArray:
        """Return the number of strings in every file; where there are no segments, the NULs must be counted."""
        rows = layouts.slots(name, segments=True)[:, 1]
        if self._options.calc_string_offsets:
            rows = np.full_like(rows, -1)
        for index in np.flatnonzero(rows < 0).tolist():
            place = layouts.place(index, name, STR, use_segments=False)
            rows[index] = _count_strings(layouts.files[index].file, place.values) if place.values.length else 0
        return rows


@lru_cache(maxsize=4096)
def _count_strings(file: FileIdentity, values: Extent) -> int:
    with ExtentReader(file) as reader:
        return len(scan_starts(reader, values)) - 1


def _stored(schema: ObjectSchema, sources: Mapping[str, Hdf5Source]) -> StoredObject:
    members = {member: StoredColumn(sources[column.name], column.name) for member, column in schema.members}
    return StoredObject(schema.name, schema.kind, members)


_SETS: OrderedDict[tuple[tuple[FileIdentity, ...], _Options], FileSet] = OrderedDict()
_LOCK = Lock()


def open_set(
    filenames: Filenames,
    *,
    strict_types: bool = True,
    allow_errors: bool = False,
    calc_string_offsets: bool = False,
    label: str | None = None,
) -> FileSet:
    """Open a set of HDF5 files: find them and read their metadata.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Each a file or a glob pattern.
    strict_types : bool, default True
        Demand that width and sign of numbers agree over the files too.
    allow_errors : bool, default False
        Leave out files that cannot be read, with one warning.
    calc_string_offsets : bool, default False
        Find where strings start from their NULs, even where segments are stored.
    label : str, optional
        How plans and messages name the set.

    Returns
    -------
    FileSet
        The same one as before, if the files have not changed.

    Raises
    ------
    MissingFileError, InconsistentFilesError, FileFormatError
        If files are missing, missing from within a set, or not readable as HDF5.
    """
    paths = expand(filenames)
    options = _Options(
        strict_types, calc_string_offsets, config.get("partition_size"), label or f"read_hdf({_shown(filenames)})"
    )
    if allow_errors:
        return FileSet(_readable(paths), options, allow_errors=True)
    key = (tuple(identify(path) for path in paths), options)
    with _LOCK:
        if key in _SETS:
            _SETS.move_to_end(key)
            return _SETS[key]
    found = FileSet([inspect_file(file) for file in key[0]], options, allow_errors=False)
    with _LOCK:
        _SETS[key] = found
        while len(_SETS) > _MOST_SETS:
            _SETS.popitem(last=False)
    return found


def _readable(paths: Sequence[str]) -> list[FileDescription]:
    """Describe the files that can be described; tell of the others in one warning."""
    found, problems = [], []
    for path in paths:
        try:
            found.append(inspect_file(identify(path)))
        except AkdaskError as error:
            problems.append(" ".join([error.message, *error.details]))
    if not found:
        raise FileError("none of the files can be read.", details=problems)
    if problems:
        warn_of_skipped(problems, len(problems))
    return found


def _shown(filenames: Filenames) -> str:
    if isinstance(filenames, (str, os.PathLike)):
        return repr(os.fspath(filenames))
    names = [os.fspath(name) for name in filenames]
    return repr(names[0]) if len(names) == 1 else f"[{names[0]!r}, … {len(names)} files]"
