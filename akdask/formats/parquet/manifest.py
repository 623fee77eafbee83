"""Manifests of Parquet sets: the content of the footers of all files; see `akdask.storage.manifest`.

Files of the same schema share the footer of one of them.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask import config
from akdask.columns.arrow import arrow_numbers, numpy_numbers
from akdask.errors import AkdaskError
from akdask.formats.parquet.columns import FileSchema, ParquetColumn, ParquetFileDescription
from akdask.formats.parquet.footers import PARQUET_ERRORS, parsed
from akdask.formats.parquet.thrift import CHUNK, CODECS, PROBLEMS
from akdask.storage.files import FileIdentity
from akdask.storage.manifest import ManifestRows, from_struct, rows_batch, to_struct
from akdask.storage.summed_files import SumsOfRows, sum_columns


class ParquetManifest(ManifestRows[ParquetFileDescription]):
    """The rows of a manifest: rows of each row group and places of all column chunks for each file."""

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
