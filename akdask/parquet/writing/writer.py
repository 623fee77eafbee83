"""Writing columns to a set of Parquet files, one for each partition, or to a single file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from akdask.columns import Table
from akdask.errors import ArgumentError, InconsistentFilesError, SchemaError
from akdask.parquet.metadata.annotations import Annotation, encode
from akdask.parquet.metadata.columns import columns_of
from akdask.parquet.metadata.description import ParquetFileDescription
from akdask.parquet.metadata.footers import PARQUET_ERRORS, describe_file, footer_start, inspect_file
from akdask.parquet.metadata.manifest import ParquetManifest
from akdask.parquet.metadata.row_groups import CODECS as STORED_CODECS
from akdask.parquet.reading.chunks import errors_naming, exact_times, open_parquet
from akdask.parquet.writing.encoding import EncodedColumn, check_specs, encode_column, text_leaves
from akdask.storage.data.compared import FileSums
from akdask.storage.data.ranges import range_reader
from akdask.storage.formats.objects import Columns, FileLayout, Mode, ObjectSpec, ObjType
from akdask.storage.formats.staged_writer import DescribedFile, FileReceipt, StagedWriter, checked_codec
from akdask.storage.paths.files import FileIdentity, identify

CODECS = ("none", "snappy", "gzip", "brotli", "zstd", "lz4")
ROWS = 2**20
"""Rows of a row group, at most: so many can be skipped, or read by a task, at a time."""

_PAGE_ROWS = 2**17
_PAGES: dict[str, Any] = {"write_batch_size": 2**15, "data_page_size": 8 * _PAGE_ROWS}
"""Pages that end where units of rows do, so that plain ones are read and added up where they are."""

if "max_rows_per_page" in signature(pq.ParquetWriter).parameters:  # releases before had no such limit
    _PAGES["max_rows_per_page"] = _PAGE_ROWS

_REANNOTATED = (ObjType.CATEGORICAL, ObjType.TIMEDELTA)
"""Kinds of columns that other writers note in a way that is not written again."""


class ParquetWriter(StagedWriter[FileReceipt]):
    """One write of columns to a set of Parquet files.

    Parameters
    ----------
    path : str or path
        Prefix and extension of the set, or the exact path of a single file.
    specs : sequence of ObjectSpec
        The columns, in the order of the user.
    npartitions : int
        Number of files, unless single.
    mode : {"truncate", "append"}, default "truncate"
        Replace the set, or add columns to its files.
    file_type : {"distribute", "single"}, default "distribute"
        One file for each partition, or one in all.
    overwrite : bool, default False
        With append: replace columns that are there already.
    compression : str, optional
        One of `CODECS`, in any case.
    convert_categoricals : bool, default False
        Whether a Categorical is read again as its strings.
    checksums : bool, default False
        Whether each page has a checksum.
    per_file : int, default 1
        How many partitions go into each file.
    """

    noun = "columns"
    library_errors = PARQUET_ERRORS

    def __init__(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: Mode = "truncate",
        file_type: FileLayout = "distribute",
        overwrite: bool = False,
        compression: str | None = None,
        convert_categoricals: bool = False,
        checksums: bool = False,
        per_file: int = 1,
    ) -> None:
        check_specs(specs)
        if not isinstance(checksums, (bool, np.bool_)):
            raise ArgumentError(f"checksums is True or False, not {checksums!r}.")
        how: Any = {"mode": mode, "file_type": file_type, "overwrite": overwrite, "per_file": per_file}
        super().__init__(path, specs, npartitions=npartitions, **how)
        self._compression = checked_codec(compression, CODECS)
        self._as_strings = convert_categoricals
        self._checksums = bool(checksums)

    @property
    def _nfiles(self) -> int:
        return self.npartitions

    def _names_in(self, file: FileIdentity) -> Iterable[str]:
        return sorted(inspect_file(file).columns)

    def write(self, index: int, table: Table, tables: Columns | None = None) -> FileReceipt:
        """Write the rows of one partition; may be called again, also at the same time.

        Raises
        ------
        WriteError
            If the disk is full, or the folder cannot be seen from here.
        SchemaError
            If the columns do not have as many rows each.
        """
        encoded = [encode_column(s, table.columns, tables or {}, as_strings=self._as_strings) for s in self.specs]
        lengths = {column.field.name: len(column.values) for column in encoded}
        if len(set(lengths.values())) > 1:
            raise SchemaError(
                "the columns of a Parquet file have as many rows each.",
                details=[f"{name!r}: {count:,}" for name, count in lengths.items()],
                hint="write columns of different lengths to sets of their own, or with to_hdf.",
            )
        with self._errors_naming(self._target_of(index)):
            attempt = self._staging.attempt(self._names[index])
            if self._added_to:
                self._copy_with(self._added_to[index], encoded, attempt)
            else:
                self._write_new(encoded, attempt)
            file = self._described(attempt) if self._has_manifest and self.per_file == 1 else None
            self._staging.finish(attempt, self._names[index])
        return FileReceipt(index, file)

    def _write_new(self, encoded: Sequence[EncodedColumn], path: str) -> None:
        fields = [column.field for column in encoded]
        noted = {column.field.name: column.annotation for column in encoded if column.annotation is not None}
        with self._opened(path, fields, noted) as writer:
            rows = pa.Table.from_arrays([column.values for column in encoded], schema=writer.schema)
            writer.write_table(rows, row_group_size=ROWS)

    def _copy_with(self, file: FileIdentity, encoded: Sequence[EncodedColumn], path: str) -> None:
        """Write a file with the columns of another and new ones, row group by row group.

        New columns are in the places of those that they replace, others behind all.
        """
        new = {column.field.name: column for column in encoded}
        with range_reader(file) as ranges:
            ranges.expect([[(0, file.size)]], goes_back=True)
            with errors_naming(file.path, "schema"):
                old = open_parquet(ranges, int96_unit="ns")
                present = columns_of(old.metadata)
                old_columns = [column for column in present if column.name not in new]
                names = list(dict.fromkeys([*(column.name for column in present), *new]))
                fields = [new[name].field if name in new else old.schema_arrow.field(name) for name in names]
            nrows = len(encoded[0].values)
            if old.metadata.num_rows != nrows:
                raise InconsistentFilesError(
                    f"{file.path!r} has {old.metadata.num_rows:,} rows, the columns to add have {nrows:,}.",
                    hint="columns are added to sets that have as many rows in each file.",
                )
            in_seconds = open_parquet(ranges, int96_unit="s")
            int96 = [column.name for column in old_columns if column.physical == "INT96"]
            noted = {column.name: Annotation(column.kind) for column in old_columns if column.kind in _REANNOTATED}
            noted |= {column.name: column.annotation for column in old_columns if column.annotation is not None}
            noted |= {name: column.annotation for name, column in new.items() if column.annotation is not None}
            with self._opened(path, fields, noted, _codec_of(inspect_file(file))) as writer:
                row = 0
                for group in range(old.metadata.num_row_groups):
                    with errors_naming(file.path, "rows"):
                        part = old.read_row_group(group, [column.name for column in old_columns], use_threads=False)
                        if int96:
                            seconds = in_seconds.read_row_group(group, int96, use_threads=False)
                            for name in int96:
                                exact_times(part.column(name), seconds.column(name))
                    stop = row + old.metadata.row_group(group).num_rows
                    values = [
                        new[name].values.slice(row, stop - row) if name in new else part.column(name) for name in names
                    ]
                    writer.write_table(pa.Table.from_arrays(values, schema=writer.schema), max(stop - row, 1))
                    row = stop

    @contextmanager
    def _opened(
        self, path: str, fields: Sequence[Any], noted: Mapping[str, Annotation], codec: str = "none"
    ) -> Iterator[pq.ParquetWriter]:
        """Open a new file, packed as the user says, else by `codec`."""
        codec = self._compression or codec
        schema = pa.schema([field.remove_metadata() for field in fields])
        text = [leaf for field in fields for leaf in text_leaves(field)]
        # A dictionary makes numbers small, and takes as long to make as they do: small files are asked for.
        with pq.ParquetWriter(
            path,
            schema,
            version="2.6",
            data_page_version="1.0",
            compression=codec,
            use_dictionary=text if codec == "none" else True,
            # Only Arrow's own schema tells that categories are ordered.
            store_schema=any(pa.types.is_dictionary(field.type) and field.type.ordered for field in fields),
            write_page_checksum=self._checksums,
            write_page_index=True,
            **_PAGES,
        ) as writer:
            # Arkouda's servers and others pass over it; the schema's own metadata is not written.
            writer.add_key_value_metadata(encode(noted))
            yield writer

    def _join(self, staged: Sequence[str], target: str, receipts: Sequence[FileReceipt], old: str | None) -> None:
        """Write one file that has the row groups of all."""
        first = pq.ParquetFile(staged[0])
        noted = {c.name: c.annotation for c in columns_of(first.metadata) if c.annotation is not None}
        with self._opened(target, list(first.schema_arrow), noted) as writer:
            for path in staged:
                opened = pq.ParquetFile(path)
                for group in range(opened.num_row_groups):
                    part = opened.read_row_group(group, use_threads=False)
                    writer.write_table(part.replace_schema_metadata(), max(part.num_rows, 1))

    def _described(self, path: str) -> DescribedFile:
        file = identify(path)
        return replace(describe_file(file), sums=FileSums.of(file, footer_start(file)))

    def _write_manifest(self, path: str, files: Sequence[ParquetFileDescription], *, are_in_place: bool) -> None:
        ParquetManifest.write(path, files, are_in_place=are_in_place)


def _codec_of(file: ParquetFileDescription) -> str:
    """Return the codec of the first pages of a file that can be written."""
    codecs = (STORED_CODECS[number] for number in file.chunks["codec"].ravel().tolist() if number >= 0)
    names = (codec.lower().removesuffix("_raw") for codec in codecs)
    return next((name for name in names if name in CODECS), "none")
