"""Manifests with checksums of files, alone or besides a format's own descriptions."""

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


class OfSummedFile(Protocol):
    """The description of one file with checksums."""

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
    """A file of which only checksums are known.

    Parameters
    ----------
    file : FileIdentity
        Which file, in which state.
    sums : FileSums, optional
        Its checksums.
    is_proven : bool, default True
        Whether the checksums belong to this file, and not to the original of a copy.
    """

    file: FileIdentity
    sums: FileSums | None
    is_proven: bool = True

    def at(self, path: str) -> SummedFile:
        """Return the description of the file at another path."""
        return replace(self, file=replace(self.file, path=path))


def sum_columns(files: Sequence[OfSummedFile]) -> dict[str, pa.Array]:
    """Return the manifest columns of file checksums, which `SumsOfRows` reads."""
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
    """The rows of a manifest with checksums only, as for CSV."""

    key: ClassVar[bytes] = b"summed"

    def __init__(self, batch: pa.RecordBatch, *, original: bool = False) -> None:
        super().__init__(batch, original=original)
        self._sums = SumsOfRows(batch)

    def describe(self, file: FileIdentity, row: int) -> SummedFile:
        """Return the description of a file from a row."""
        return SummedFile(file, self._sums[row])

    @classmethod
    def to_batch(cls, files: Sequence[SummedFile]) -> pa.RecordBatch:
        """Return the table that describes some files."""
        return rows_batch(cls.key, [file.file for file in files], [None], [0] * len(files), sum_columns(files))

    @classmethod
    def compared(cls, found: SummedFile, claimed: SummedFile) -> SummedFile:
        """Return the description of an unproven file with its claimed checksums."""
        return replace(claimed, is_proven=False)


def differing_files(manifest: type[ManifestRows[Any]], files: Sequence[FileIdentity]) -> Iterable[tuple[str, str]]:
    """Read all bytes of files with known checksums, and yield the path and damage of differing files.

    Missing files are yielded as well.  If a manifest was copied with its files, and all of them match it, it is adopted
    for the copies.
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
    """Rewrite manifests for copied files that all match; manifests with a missing file stay as they are.

    So they do where this user may not write, and while another process writes the set.

    Parameters
    ----------
    manifest : subclass of ManifestRows
        The manifests of the format.
    told : Told
        Descriptions of the files, all of which were found to match.
    """
    from akdask.storage.transaction import staged_files  # few who read adopt a manifest

    known = told.in_place | told.unproven
    for (path, owner), members in by_set([found.file for found in told.unproven.values()]).items():
        rows = manifest.of_set(path, owner)
        files = [] if rows is None else [known.get(os.path.join(os.path.dirname(path), name)) for name in rows.names]
        if members and files and all(file is not None for file in files):
            with suppress(FileError), staged_files(path, [manifest_path(path)]) as add:
                add(manifest_path(path), partial(manifest.write, files=files))
