"""Footers: the metadata at the end of each file, read for many files at once and cached until a file changes.

The manifest of a set has the content of the footers of all files; see `akdask.storage.manifest`.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow._parquet import ParquetReader

from akdask import config
from akdask.caches import Cache
from akdask.columns.arrow import arrow_numbers, numpy_numbers
from akdask.deferred import pd, pq
from akdask.errors import AkdaskError, FileFormatError, WriteError
from akdask.formats import tuning
from akdask.formats.parquet.columns import FileSchema, ParquetColumn, ParquetFileDescription, leaves_of
from akdask.formats.parquet.thrift import CHUNK, CODECS, PROBLEMS, read_row_groups
from akdask.storage.files import FileIdentity, concurrently, identify, is_remote
from akdask.storage.manifest import ManifestRows, SumsOfRows, from_struct, rows_batch, sum_columns, to_struct
from akdask.storage.ranges import range_reader

MAGIC = b"PAR1"

PARQUET_ERRORS = (
    pa.ArrowException,
    OSError,
    ValueError,
    KeyError,
    IndexError,
    TypeError,
    RuntimeError,
    NotImplementedError,
    MemoryError,
    OverflowError,
    UnicodeDecodeError,
)
"""pyarrow's errors for damaged files and unsupported features."""

_TAIL = 8  # bytes of the footer's length and the magic
_MOST = 2**30
_MAX_ROWS_PER_BYTE = 2**20  # a row group of Arkouda's, all of whose rows are the same, has some hundred thousand


_DESCRIPTIONS: Cache[FileIdentity, ParquetFileDescription] = Cache(
    "descriptions of Parquet files", entries=2**16, size=lambda found: found.rows.nbytes + found.chunks.nbytes
)
_METADATA: Cache[FileIdentity, pq.FileMetaData] = Cache(
    "Parquet footers", entries=256, size=lambda found: int(found.serialized_size)
)


def inspect_file(file: FileIdentity) -> ParquetFileDescription:
    """Describe a file by its footer, from memory if it has not changed since.

    Raises
    ------
    FileFormatError
        If the file is not Parquet, truncated or damaged.
    FileError
        If it has changed since it was inspected.
    """
    found = _DESCRIPTIONS.get(file)
    return _inspected(file)[1] if found is None else found


def _inspected(file: FileIdentity) -> tuple[pq.FileMetaData, ParquetFileDescription]:
    """Read a footer once, and cache its answers to all later questions."""
    metadata, found = _described(file)
    return _METADATA.put(file, metadata), _DESCRIPTIONS.put(file, found)


def inspect_ahead(files: Sequence[FileIdentity]) -> None:
    """Inspect many files concurrently, so that `inspect_file` finds them cached; errors are left to it."""
    far = [file for file in files if is_remote(file.path)]
    concurrently(_try_to_inspect, far)


def _try_to_inspect(file: FileIdentity) -> None:
    try:
        inspect_file(file)
    except AkdaskError:
        return


def metadata_of(file: FileIdentity) -> pq.FileMetaData:
    """Return pyarrow's footer of a file, after validating what pyarrow does not; see `inspect_file`."""
    found = _METADATA.get(file)
    return _inspected(file)[0] if found is None else found


def describe_file(file: FileIdentity) -> ParquetFileDescription:
    """Describe a file by its footer, without caching; see `inspect_file`."""
    return _described(file)[1]


def _described(file: FileIdentity) -> tuple[pq.FileMetaData, ParquetFileDescription]:
    footer = read_footer(file)
    metadata = parsed(file.path, footer)
    try:
        schema = _shared(metadata, footer)
        rows, chunks = read_row_groups(footer, leaves_of(metadata), file.size - _TAIL - len(footer))
        chunks = _without_wrong_counts(metadata, schema, chunks)
    except PARQUET_ERRORS as error:
        raise _damaged(file.path, error) from error
    if sum(rows.tolist()) > file.size * _MAX_ROWS_PER_BYTE:
        raise FileFormatError(
            f"{file.path!r} claims {sum(rows.tolist()):,} rows in {file.size:,} bytes.",
            hint="the file is damaged or made up; leave it out or write it again.",
        )
    return metadata, ParquetFileDescription(file, schema, rows, chunks)


_WRITER = re.compile(r"parquet-cpp-arrow version ([0-7])\.")
"""Arrow before version 8, which did not count nulls within dictionaries and lists."""


def _without_wrong_counts(
    metadata: pq.FileMetaData, schema: FileSchema, chunks: npt.NDArray[np.void]
) -> npt.NDArray[np.void]:
    """Return chunks whose nulls are unknown where their writer did not count them."""
    if _WRITER.match(metadata.created_by or ""):
        for column in schema.columns:
            if column.is_nested or pa.types.is_dictionary(column.stored):
                chunks["nulls"][column.leaf] = -1
    return chunks


_last: list[tuple[pq.FileMetaData, FileSchema]] = []


def _shared(metadata: pq.FileMetaData, footer: bytes) -> FileSchema:
    """Return the columns of a file: the same object as of the file before if that is made alike."""
    made = metadata.created_by, metadata.metadata
    for known, schema in _last:
        if metadata.schema.equals(known.schema) and made == (known.created_by, known.metadata):
            return schema
    found = FileSchema.of(metadata, footer)
    _last[:] = [(metadata, found), *_last[:3]]
    return found


def read_footer(file: FileIdentity) -> bytes:
    """Return the bytes of a footer, without its length and the magic.

    Raises
    ------
    FileFormatError
        If the file does not end as Parquet does.
    """
    size = min(tuning.FIRST_BYTES, file.size)
    with range_reader(file) as ranges:
        tail = np.empty(size, np.uint8)
        ranges.read_into(tail, file.size - size, "footer")
        raw = tail.tobytes()
        if len(raw) < _TAIL + len(MAGIC) or raw[-4:] != MAGIC:
            encrypted = raw[-4:] == b"PARE"
            raise FileFormatError(
                f"{file.path!r} {'is encrypted' if encrypted else 'does not end as a Parquet file'}.",
                hint="decrypt it." if encrypted else "the file is truncated or of another format; write it again.",
            )
        length = int.from_bytes(raw[-_TAIL:-4], "little")
        if length + _TAIL + len(MAGIC) > file.size or length > _MOST:
            raise FileFormatError(
                f"the footer of {file.path!r} would have {length:,} bytes of {file.size:,}.",
                hint="the file is damaged; write it again.",
            )
        if length + _TAIL > size:
            complete = np.empty(length, np.uint8)
            ranges.read_into(complete, file.size - _TAIL - length, "footer")
            return complete.tobytes()
    return raw[len(raw) - _TAIL - length : -_TAIL]


def footer_start(file: FileIdentity) -> int:
    """Return the offset of a file's footer; for errors see `read_footer`."""
    return file.size - _TAIL - len(read_footer(file))


def parsed(path: str, footer: bytes) -> pq.FileMetaData:
    """Return a footer as pyarrow has it.

    Raises
    ------
    FileFormatError
        If it makes no sense.
    """
    ends = len(footer).to_bytes(4, "little")
    # `pyarrow.parquet`, which does the same, loads all file systems of Arrow.
    reader = ParquetReader()
    try:
        reader.open(pa.BufferReader(b"".join([MAGIC, footer, ends, MAGIC])))
    except PARQUET_ERRORS as error:
        raise _damaged(path, error) from error
    return reader.metadata


def _damaged(path: str, error: Exception) -> FileFormatError:
    return FileFormatError(
        f"the footer of {path!r} cannot be read.",
        details=[str(error)],
        hint="the file is damaged or made in a way that is not known; leave it out or write it again.",
    )


# ----------------------------------------------------------------------------------------------------------- manifests


class ParquetManifest(ManifestRows[ParquetFileDescription]):
    """The rows of a manifest: rows of each row group and places of all column chunks for each file.

    Files of the same schema share the footer of one of them.
    """

    key = b"parquet"
    errors = (*PARQUET_ERRORS, AkdaskError, AttributeError, RecursionError)

    def __init__(self, batch: pa.RecordBatch, *, original: bool = False) -> None:
        super().__init__(batch, original=original)
        self._sums = SumsOfRows(batch)
        self._schemas = [_schema_of(text) for text in self._schemas_read]
        self._group_ends, groups = _flat(batch["rows"])
        self._groups = numpy_numbers(groups)
        self._chunk_ends, chunks = _flat(batch["chunks"])
        self._chunks = from_struct(chunks, CHUNK)
        self._check(batch)

    def _check(self, batch: pa.RecordBatch) -> None:
        """Refuse inconsistent numbers; a checksum only proves that they were written so."""
        made_of, sizes = numpy_numbers(batch["made"]), numpy_numbers(batch["size"])
        leaves = np.array([schema.leaves for schema in self._schemas], np.int64)
        counts = np.diff(self._chunk_ends)
        if (counts != leaves[made_of] * np.diff(self._group_ends)).any() or (self._groups < 0).any():
            raise ValueError("no manifest")
        found, available = self._chunks, np.repeat(sizes, counts)
        wrong = (found["offset"] < 0) | (found["size"] < 0) | (found["offset"] > available - found["size"])
        wrong |= (found["nulls"] < -1) | (found["nulls"] > found["values"])
        wrong |= (found["codec"] >= len(CODECS)) | (found["problem"] < 0) | (found["problem"] >= len(PROBLEMS))
        if wrong.any():
            raise ValueError("no manifest")

    def describe(self, file: FileIdentity, row: int) -> ParquetFileDescription | None:
        """Return the description that a row gives of a file."""
        schema = self._schemas[self._schema_of[row]]
        rows = self._groups[self._group_ends[row] : self._group_ends[row + 1]]
        chunks = self._chunks[self._chunk_ends[row] : self._chunk_ends[row + 1]].reshape(schema.leaves, len(rows))
        return ParquetFileDescription(file, schema, rows, chunks, self._sums[row])

    @classmethod
    def compared(cls, found: ParquetFileDescription, claimed: ParquetFileDescription) -> ParquetFileDescription:
        """Return an unproven file, described by its footer, with its checksums in a manifest."""
        told = ((file.schema.columns, file.rows.tolist(), file.chunks.tolist()) for file in (found, claimed))
        # The footer decides which rows are read at all, so a footer that differs is an error at once.
        if claimed.sums is not None and config.get("verify_checksums") and next(told) != next(told):
            claimed.sums.check_once(found.file, is_proven=False)
        return replace(found, sums=claimed.sums, is_proven=False)

    @classmethod
    def to_batch(cls, files: Sequence[ParquetFileDescription]) -> pa.RecordBatch:
        """Return the table that describes some files."""
        schemas: dict[tuple[ParquetColumn, ...], FileSchema] = {}
        for file in files:
            schemas.setdefault(file.schema.columns, file.schema)
        numbers = {columns: number for number, columns in enumerate(schemas)}
        rows = np.concatenate([np.empty(0, np.int64), *[file.rows for file in files]])
        tables = [file.chunks.reshape(-1) for file in files]
        chunks = np.concatenate([np.empty(0, CHUNK), *tables])
        return rows_batch(
            cls.key,
            [file.file for file in files],
            [base64.b64encode(schema.footer).decode() for schema in schemas.values()],
            [numbers[file.schema.columns] for file in files],
            {
                "rows": _lists([len(file.rows) for file in files], arrow_numbers(rows)),
                "chunks": _lists(list(map(len, tables)), to_struct(chunks)),
                **sum_columns(files),
            },
        )


def _schema_of(text: str) -> FileSchema:
    footer = base64.b64decode(text, validate=True)
    return FileSchema.of(parsed("manifest", footer), footer)


def _flat(lists: pa.ListArray) -> tuple[npt.NDArray[np.int64], Any]:
    ends = numpy_numbers(lists.offsets).astype(np.int64)
    return ends - ends[0], lists.values[int(ends[0]) : int(ends[-1])]


def _lists(counts: Sequence[int], values: pa.Array) -> pa.ListArray:
    return pa.ListArray.from_arrays(arrow_numbers(np.cumsum([0, *counts]), np.int32), values)


# ------------------------------------------------------------------------------------------- labels in pandas' metadata


_KEY = b"pandas"
_MOST_BYTES = 2**24  # bytes of the metadata; a column takes some hundred


def labels_of(path: str) -> list[str | range]:
    """Return the levels of a file's row labels, each a column name or a range; empty without metadata.

    Malformed metadata are ignored, as anybody may have written them.
    """
    metadata = metadata_of(identify(path))
    noted = (metadata.metadata or {}).get(_KEY, b"")
    try:
        levels = json.loads(noted if len(noted) < _MOST_BYTES else b"")["index_columns"]
        return [_level(level, metadata.num_rows) for level in levels]
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return []


def _level(noted: object, nrows: int) -> str | range:
    match noted:
        case str():
            return noted
        case {"kind": "range", "start": int() as start, "stop": int() as stop, "step": int() as step}:
            if len(range(start, stop, step)) == nrows:
                return range(start, stop, step)
    raise ValueError("no level of labels")


def write_frame(frame: pd.DataFrame, path: str) -> None:
    """Write a file as pandas does.

    Raises
    ------
    WriteError
        If there is no way to store a column.
    """
    try:
        frame.to_parquet(path, engine="pyarrow")
    except PARQUET_ERRORS as error:
        if isinstance(error, OSError) and not isinstance(error, pa.ArrowException):
            raise
        raise WriteError(f"pandas cannot write the columns to {path!r}: {error}.") from error
