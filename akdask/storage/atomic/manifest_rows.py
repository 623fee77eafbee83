"""The rows of a manifest, one for each file of a set: the state in which a file was described, and its description.

Files of a set are mostly made alike, so what they are made of is kept once, as JSON in the metadata of the table; what
differs, the numbers, is kept in columns.  Which columns these are is a matter of the format.

A manifest is believed about a file only if this user or the file's owner owns the manifest.  It describes files by
name, size and checksums; the state of a file (`akdask.storage.paths.files.state_of`) only says that a file in place
needs no look.  So a file that a manifest names stands in one of three ways:

========== ========================================= ================================================================
standing   when                                      what follows
========== ========================================= ================================================================
in place   size and state are those of the manifest  all is believed, and the file is not opened
unproven   the size is, the state is not: a copy, or the file is inspected as if there were no manifest; where it agrees
           one whose rights or names were changed    with the row, the checksums are kept, to be compared when asked
                                                     for.  Bounds are used once the bytes have been compared
other      the size is another; or this very         the file was written anew: the row is passed over
           manifest was written beside the file, and
           the file has been modified since
========== ========================================= ================================================================

A manifest knows that it is no copy by its own inode and time (`akdask.storage.atomic.manifest.is_original`).  A file
that it names and that is not there is lost if another of its files is there, in place or unproven.  A manifest all of
whose files are other is that of an earlier set, and loses none.

Unproven bytes that differ from their checksum are damage, unless what describes them, such as the header of an HDF5
file or a footer, differs as well: then another program has written the file since.

Only local files of sets have manifests.
"""

from __future__ import annotations

import json
import os
import re
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, partial
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

import numpy as np

from akdask.columns.arrow import arrow_bytes, arrow_numbers
from akdask.deferred import pa
from akdask.storage.atomic.manifest import is_original, later_than, manifest_path, read_manifest, write_manifest
from akdask.storage.paths.files import FileIdentity, is_remote, last_changed, owner_of
from akdask.storage.paths.locales import sort_key, split_locale


class OfFile(Protocol):
    """What is told of one file."""

    @property
    def file(self) -> FileIdentity:
        """Which file, in which state."""
        ...


Description = TypeVar("Description", bound=OfFile)


class Standing(Enum):
    """How a file stands to the row of a manifest that has its name; see the module."""

    IN_PLACE = auto()
    UNPROVEN = auto()
    OTHER = auto()


class ManifestRows(ABC, Generic[Description]):
    """What one manifest tells of the files of its set.

    A subclass reads its own columns, and checks them, in its constructor.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        The table of the manifest, of the types that `read_manifest` has compared.
    original : bool, default False
        Whether it was written where it is, and is no copy.

    Attributes
    ----------
    key : bytes
        Under which the metadata of the table say what files are made of.
    """

    key: ClassVar[bytes]

    def __init__(self, batch: pa.RecordBatch, *, original: bool = False) -> None:
        self._is_original = original
        names = batch["name"].to_pylist()
        self._schemas_read = json.loads(batch.schema.metadata[self.key])
        self._schema_of = batch["made"].to_pylist()
        self._rows = {os.fsdecode(name): row for row, name in enumerate(names)}
        self._sizes = batch["size"].to_pylist()
        self._versions = batch["version"].to_pylist()
        if len(self._rows) != len(names) or not _are_single_names(names) or min(self._schema_of, default=0) < 0:
            raise ValueError("no manifest")

    @classmethod
    @abstractmethod
    def to_batch(cls, files: Sequence[Description]) -> pa.RecordBatch:
        """Return the table that describes some files; see `rows_batch`."""

    @abstractmethod
    def describe(self, file: FileIdentity, row: int) -> Description | None:
        """Return the description that a row gives of a file, None if it cannot be true."""

    @classmethod
    def compared(cls, found: Description, claimed: Description) -> Description:
        """Return what an unproven file was found to be, with what a manifest claims of it as far as that agrees.

        Raises
        ------
        FileFormatError
            If what describes the data is damaged; looked for where the setting ``verify_checksums`` is on.
        """
        return found

    @property
    def names(self) -> list[str]:
        """Names of the files."""
        return list(self._rows)

    def find(self, file: FileIdentity) -> tuple[Standing, Description | None]:
        """Return how a file stands to the manifest, and the description that this gives of it unless it is other."""
        # Asked of thousands of files: `os.path.basename` takes three times as long.
        row = self._rows.get(file.path[file.path.rfind("/") + 1 :])
        if row is None or self._sizes[row] != file.size:
            return Standing.OTHER, None
        told = self._versions[row]
        if told == file.version:
            standing = Standing.IN_PLACE
        elif self._is_original and told.partition("/")[0] != file.version.partition("/")[0]:
            return Standing.OTHER, None
        else:
            standing = Standing.UNPROVEN
        found = self.describe(file, row)
        return (Standing.OTHER if found is None else standing), found

    @classmethod
    def of_set(cls, path: str, owner: int) -> Self | None:
        """Return the rows of the manifest of a set, None if there is none that is to be believed.

        Parameters
        ----------
        path : str
            The set.
        owner : int
            The user who owns the files that it is asked about.
        """
        batch = read_manifest(manifest_path(path), {os.geteuid(), owner}, partial(_types, cls))
        try:
            return None if batch is None else cls(batch, original=is_original(manifest_path(path), batch))
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError, pa.ArrowException):
            return None

    @classmethod
    def write(cls, path: str, files: Sequence[Description], *, are_in_place: bool = True) -> None:
        """Write the manifest of a set to a new file.

        Parameters
        ----------
        path : str
            The file.
        files : sequence of descriptions
            The files of the set, all of one folder, in the state in which they will be there.
        are_in_place : bool, default True
            Whether they are; else they are described as copies are, since they have yet to be renamed.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        if are_in_place:
            # A file that changes again within the same tick of the clock has the same times as before.  So a time is
            # only good if the clock is past it.
            now = later_than(max(last_changed(each.file) for each in files), path)
            versions = [each.file.version if last_changed(each.file) < now else "" for each in files]
        else:
            versions = [f"{each.file.version.partition('/')[0]}/" for each in files]
        batch = cls.to_batch(files)
        index = batch.schema.get_field_index("version")
        write_manifest(path, batch.set_column(index, "version", _strings(versions)))

    @classmethod
    def described(cls, files: Sequence[FileIdentity]) -> dict[FileIdentity, Description]:
        """Return descriptions of the files that manifests describe as they are now; the others must be inspected."""
        return {found.file: found for found in cls.told(files).in_place.values()}

    @classmethod
    def told(cls, files: Sequence[FileIdentity], patterns: Sequence[re.Pattern[str]] = ()) -> Told[Description]:
        """Return what manifests tell of files, and of files that are not there.

        At the end of the numbering nothing else tells of a file that is lost.

        Parameters
        ----------
        files : sequence of FileIdentity
            All files that are there.
        patterns : sequence of re.Pattern
            Whole paths of the files that are meant match one of them; files that match none are not missed.
        """
        in_place: dict[str, Description] = {}
        unproven: dict[str, Description] = {}
        lost: list[str] = []
        present = {file.path for file in files} if patterns else set()
        for (path, owner), members in by_set(files).items():
            rows = cls.of_set(path, owner)
            if rows is None:
                continue
            known = 0
            for file in members:
                standing, found = rows.find(file)
                if found is not None:
                    (in_place if standing is Standing.IN_PLACE else unproven)[file.path] = found
                    known += 1
            if known and patterns and known < len(rows.names):
                named = (os.path.join(os.path.dirname(path), name) for name in sorted(rows.names, key=sort_key))
                absent = (path for path in named if path not in present)
                lost.extend(path for path in absent if any(pattern.fullmatch(path) for pattern in patterns))
        return Told(in_place, unproven, list(dict.fromkeys(lost)))


@dataclass(frozen=True, slots=True)
class Told(Generic[Description]):
    """What manifests tell.

    Parameters
    ----------
    in_place : mapping of str to description
        Files that are as they were described, by path.
    unproven : mapping of str to description
        Files that may be.
    lost : list of str
        Paths of files that are not there.
    """

    in_place: dict[str, Description]
    unproven: dict[str, Description]
    lost: list[str]


@cache
def _types(rows: type[ManifestRows[Any]]) -> pa.Schema:
    """Return the types of all columns of a manifest."""
    return rows.to_batch([]).schema.remove_metadata()


def rows_batch(
    key: bytes,
    files: Sequence[FileIdentity],
    schemas: Sequence[Any],
    schema_of: Sequence[int],
    columns: Mapping[str, pa.Array],
) -> pa.RecordBatch:
    """Return the table of a manifest.

    Parameters
    ----------
    key : bytes
        See `ManifestRows`.
    files : sequence of FileIdentity
        A row for each.
    schemas : sequence of str, list or dict
        What files are made of, as JSON has it.
    schema_of : sequence of int
        Which of the schemas each file has.
    columns : mapping of str to Arrow array
        What the format keeps besides, a row for each file.
    """
    found = {
        "name": arrow_bytes([os.fsencode(os.path.basename(file.path)) for file in files], pa.binary()),
        "size": arrow_numbers([file.size for file in files], np.int64),
        "version": _strings([file.version for file in files]),
        "made": arrow_numbers(schema_of, np.int32),
        **columns,
    }
    metadata = {key: json.dumps(schemas).encode()}
    schema = pa.schema([pa.field(name, column.type) for name, column in found.items()], metadata)
    return pa.RecordBatch.from_arrays(list(found.values()), schema=schema)


def by_set(files: Sequence[FileIdentity]) -> dict[tuple[str, int], list[FileIdentity]]:
    """Group local files of sets by the path under which their set was written, and by their owner."""
    sets: defaultdict[tuple[str, int], list[FileIdentity]] = defaultdict(list)
    for file in files:
        found = None if is_remote(file.path) else split_locale(file.path)
        if found is not None:
            sets[found[0], owner_of(file)].append(file)
    return sets


def _strings(values: Sequence[str]) -> pa.Array:
    return arrow_bytes([value.encode() for value in values], pa.string())


def _are_single_names(names: Sequence[bytes]) -> bool:
    """Whether each names something in a folder and nothing elsewhere; asked of thousands at once."""
    joined = b"".join(names)
    return b"/" not in joined and b"\0" not in joined and {b"", b".", b".."}.isdisjoint(names)
