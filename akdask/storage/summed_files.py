"""Manifests that know of each file its checksums alone, or besides what a format keeps."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Protocol

import numpy as np

from akdask.columns.arrow import arrow_numbers
from akdask.deferred import pa
from akdask.errors import AkdaskError, FileError
from akdask.storage.checksums import FileSums
from akdask.storage.files import FileIdentity, exists
from akdask.storage.manifest import ManifestRows, Told, by_set, manifest_path, rows_batch
from akdask.storage.staged_files import staged_files

# it writes, and few who read do that


class OfSummedFile(Protocol):
    """What is told of one file that has checksums."""

    @property
    def file(self) -> FileIdentity:
        """Which file, in which state."""
        ...

    @property
    def sums(self) -> FileSums | None:
        """Its checksums, None if they are not known."""
        ...


@dataclass(frozen=True, slots=True)
class SummedFile:
    """A file of which no more is known than its checksums.

    Parameters
    ----------
    file : FileIdentity
        Which file, in which state.
    sums : FileSums, optional
        Its checksums.
    is_proven : bool, default True
        Whether they are those of this file, and not of what it may be a copy of.
    """

    file: FileIdentity
    sums: FileSums | None
    is_proven: bool = True

    def at(self, path: str) -> SummedFile:
        """Return what is told of the file when it is in another place."""
        return replace(self, file=replace(self.file, path=path))


def sum_columns(files: Sequence[OfSummedFile]) -> dict[str, pa.Array]:
    """Return the columns of a manifest that have the checksums of files; `SumsOfRows` reads them."""
    known = [file.sums for file in files]
    return {
        "stop": arrow_numbers([-1 if sums is None else sums.stop for sums in known], np.int64),
        "data": arrow_numbers([0 if sums is None else sums.data for sums in known], np.uint64),
        "rest": arrow_numbers([0 if sums is None else sums.rest for sums in known], np.uint64),
    }


class SumsOfRows:
    """The checksums that a manifest has of its files.

    Parameters
    ----------
    batch : pyarrow.RecordBatch
        The table of the manifest.

    Raises
    ------
    ValueError
        If more bytes are data than there are.
    """

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._rows = list(zip(*(batch[name].to_pylist() for name in ("stop", "data", "rest")), strict=True))
        sizes = batch["size"].to_pylist()
        if any(not -1 <= row[0] <= size for row, size in zip(self._rows, sizes, strict=True)):
            raise ValueError("no manifest")

    def __getitem__(self, row: int) -> FileSums | None:
        found = self._rows[row]
        return None if found[0] < 0 else FileSums(*found)


class SummedManifest(ManifestRows[SummedFile]):
    """The rows of a manifest of files whose checksums alone are known: those of CSV."""

    key: ClassVar[bytes] = b"summed"

    def __init__(self, batch: pa.RecordBatch, *, original: bool = False) -> None:
        super().__init__(batch, original=original)
        self._sums = SumsOfRows(batch)

    def describe(self, file: FileIdentity, row: int) -> SummedFile:
        """Return what a row tells of a file."""
        return SummedFile(file, self._sums[row])

    @classmethod
    def to_batch(cls, files: Sequence[SummedFile]) -> pa.RecordBatch:
        """Return the table that describes some files."""
        return rows_batch(cls.key, [file.file for file in files], [None], [0] * len(files), sum_columns(files))

    @classmethod
    def compared(cls, found: SummedFile, claimed: SummedFile) -> SummedFile:
        """Return an unproven file with the checksums that are claimed of it."""
        return replace(claimed, is_proven=False)


def differing_files(manifest: type[ManifestRows[Any]], files: Sequence[FileIdentity]) -> Iterable[tuple[str, str]]:
    """Read all bytes of files whose manifests know their checksums, and yield what is wrong: path, and words.

    Files that are missing are named as well.  A manifest that was copied with its files, all of which are what was
    written, is then theirs.
    """
    told = manifest.told(files, [re.compile(".*", re.DOTALL)])
    lost, is_right = [path for path in told.lost if not exists(path)], True
    for path in lost:
        yield path, "the file is missing from the set."
    for path, found in [*told.in_place.items(), *told.unproven.items()]:
        if found.sums is not None:
            try:
                is_right = found.sums.check_once(found.file, is_proven=path in told.in_place) and is_right
            except AkdaskError as error:
                is_right = False
                yield path, " ".join([error.message, *error.details])
    if told.unproven and is_right and not lost:
        adopt(manifest, told)


def adopt(manifest: type[ManifestRows[Any]], told: Told[Any]) -> None:
    """Have manifests say that their files are in place; those of which a file is missing stay as they are.

    So they do where this user may not write, and while another process writes the set.

    Parameters
    ----------
    manifest : subclass of ManifestRows
        The manifests of the format.
    told : Told
        What they tell of files, all of which were found to be what was written.
    """
    known = told.in_place | told.unproven
    for (path, owner), members in by_set([found.file for found in told.unproven.values()]).items():
        rows = manifest.of_set(path, owner)
        files = [] if rows is None else [known.get(os.path.join(os.path.dirname(path), name)) for name in rows.names]
        if members and files and all(file is not None for file in files):
            with suppress(FileError), staged_files(path, [manifest_path(path)]) as add:
                add(manifest_path(path), partial(manifest.write, files=files))
