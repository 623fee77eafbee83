"""Manifests of Parquet sets: what the footers of all files tell, as one table with a row for each file.

Files of a set are mostly made alike, so their schema is kept once, as the footer of one of them; what differs, the
numbers, is kept in columns.  When a manifest is believed is told in `akdask.storage.atomic.manifest`.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.errors import AkdaskError
from akdask.parquet.metadata.columns import ParquetColumn
from akdask.parquet.metadata.description import FileSchema, ParquetFileDescription
from akdask.parquet.metadata.footers import PARQUET_ERRORS, parsed
from akdask.parquet.metadata.row_groups import CHUNK, CODECS, PROBLEMS
from akdask.storage.atomic.manifest import (
    are_single_names,
    from_struct,
    known_and_lost,
    later_than,
    manifest_path,
    read_manifest,
    to_struct,
    write_manifest,
)
from akdask.storage.paths.files import FileIdentity, modified

_MADE = b"parquet"


def described_and_lost(
    files: Sequence[FileIdentity], patterns: Sequence[re.Pattern[str]]
) -> tuple[dict[FileIdentity, ParquetFileDescription], list[str]]:
    """Return what manifests tell of files, and those lost; see `akdask.storage.atomic.manifest.known_and_lost`."""
    return known_and_lost(files, patterns, _FooterEntries.of_set)


def write(path: str, files: Sequence[ParquetFileDescription]) -> None:
    """Write the manifest of a set to a new file.

    Parameters
    ----------
    path : str
        The file.
    files : sequence of ParquetFileDescription
        The files of the set, all of one folder, in the state in which they will be there.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    # A file that changes again within the same tick of the clock has the same time of modification as before.
    now = later_than(max(modified(file.file) for file in files), path)
    write_manifest(path, _to_batch([file for file in files if modified(file.file) < now]))


class _FooterEntries:
    """The rows of a manifest, by name of the file."""

    def __init__(self, batch: pa.RecordBatch) -> None:
        self._schemas = [_schema_of(text) for text in json.loads(batch.schema.metadata[_MADE])]
        self._made_of = batch["made"].to_pylist()
        self._rows = {os.fsdecode(name): row for row, name in enumerate(batch["name"].to_pylist())}
        self._sizes = batch["size"].to_pylist()
        self._versions = batch["version"].to_pylist()
        self._group_ends, groups = _flat(batch["rows"])
        self._groups = groups.to_numpy()
        self._chunk_ends, chunks = _flat(batch["chunks"])
        self._chunks = from_struct(chunks, CHUNK)
        self._check(batch)

    def _check(self, batch: pa.RecordBatch) -> None:
        """Refuse numbers that do not fit together; a checksum only tells that they are those that were written."""
        made_of, sizes = batch["made"].to_numpy(), batch["size"].to_numpy()
        leaves = np.array([schema.leaves for schema in self._schemas], np.int64)
        counts = np.diff(self._chunk_ends)
        if (
            len(self._rows) != batch.num_rows
            or not are_single_names(batch["name"].to_pylist())
            or (made_of < 0).any()
            or (counts != leaves[made_of] * np.diff(self._group_ends)).any()
            or (self._groups < 0).any()
        ):
            raise ValueError("no manifest")
        found, available = self._chunks, np.repeat(sizes, counts)
        wrong = (found["offset"] < 0) | (found["size"] < 0) | (found["offset"] > available - found["size"])
        wrong |= (found["nulls"] < -1) | (found["nulls"] > found["values"])
        wrong |= (found["codec"] >= len(CODECS)) | (found["problem"] < 0) | (found["problem"] >= len(PROBLEMS))
        if wrong.any():
            raise ValueError("no manifest")

    @classmethod
    def of_set(cls, path: str, owner: int) -> _FooterEntries | None:
        """Return the rows of the manifest of a set, None if there is none that is to be believed."""
        batch = read_manifest(manifest_path(path), {os.geteuid(), owner}, _schema())
        try:
            return None if batch is None else cls(batch)
        except (*PARQUET_ERRORS, AkdaskError, AttributeError, RecursionError):
            return None

    @property
    def names(self) -> list[str]:
        """Names of the files."""
        return list(self._rows)

    def find(self, file: FileIdentity) -> ParquetFileDescription | None:
        """Return the description of a file, None if it has none in that state."""
        row = self._rows.get(os.path.basename(file.path))
        if row is None or self._sizes[row] != file.size or self._versions[row] != file.version:
            return None
        schema = self._schemas[self._made_of[row]]
        rows = self._groups[self._group_ends[row] : self._group_ends[row + 1]]
        chunks = self._chunks[self._chunk_ends[row] : self._chunk_ends[row + 1]].reshape(schema.leaves, len(rows))
        return ParquetFileDescription(file, schema, rows, chunks)


def _schema_of(text: str) -> FileSchema:
    footer = base64.b64decode(text, validate=True)
    return FileSchema.of(parsed("manifest", footer), footer)


def _flat(lists: pa.ListArray) -> tuple[npt.NDArray[np.int64], Any]:
    ends = lists.offsets.to_numpy().astype(np.int64)
    return ends - ends[0], lists.values[int(ends[0]) : int(ends[-1])]


@cache
def _schema() -> pa.Schema:
    """Return the types of all columns of a manifest."""
    return _to_batch([]).schema.remove_metadata()


def _to_batch(files: Sequence[ParquetFileDescription]) -> pa.RecordBatch:
    schemas: dict[tuple[ParquetColumn, ...], FileSchema] = {}
    for file in files:
        schemas.setdefault(file.schema.columns, file.schema)
    numbers = {columns: number for number, columns in enumerate(schemas)}
    made = [numbers[file.schema.columns] for file in files]
    rows = np.concatenate([np.empty(0, np.int64), *[file.rows for file in files]])
    tables = [file.chunks.reshape(-1) for file in files]
    chunks = np.concatenate([np.empty(0, CHUNK), *tables])
    columns = {
        "name": pa.array([os.fsencode(os.path.basename(file.file.path)) for file in files], pa.binary()),
        "size": pa.array([file.file.size for file in files], pa.int64()),
        "version": pa.array([file.file.version for file in files], pa.string()),
        "made": pa.array(made, pa.int32()),
        "rows": _lists([len(file.rows) for file in files], pa.array(rows)),
        "chunks": _lists(list(map(len, tables)), to_struct(chunks)),
    }
    footers = [schema.footer for schema in schemas.values()]
    metadata = {_MADE: json.dumps([base64.b64encode(footer).decode() for footer in footers]).encode()}
    schema = pa.schema([pa.field(name, column.type) for name, column in columns.items()], metadata)
    return pa.RecordBatch.from_arrays(list(columns.values()), schema=schema)


def _lists(counts: Sequence[int], values: pa.Array) -> pa.ListArray:
    return pa.ListArray.from_arrays(pa.array(np.cumsum([0, *counts]), pa.int32()), values)
