"""Writing columns to a set of Parquet files, one for each partition, or to a single file.

The client makes a `ParquetWriter`, calls `begin`, sends it to the workers that call `write`, and calls `commit` with
what they return, or `abort`.  Until `commit` nothing that was there is touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from akdask import config
from akdask.columns import Table
from akdask.errors import (
    AkdaskError,
    ArgumentError,
    ExistsError,
    InconsistentFilesError,
    MissingFileError,
    SchemaError,
    WriteError,
    warn,
)
from akdask.parquet.metadata import manifest
from akdask.parquet.metadata.annotations import Annotation, encode
from akdask.parquet.metadata.columns import columns_of
from akdask.parquet.metadata.description import ParquetFileDescription
from akdask.parquet.metadata.footers import PARQUET_ERRORS, describe_file, inspect_file
from akdask.parquet.metadata.row_groups import CODECS as STORED_CODECS
from akdask.parquet.reading.chunks import errors_naming, open_parquet
from akdask.parquet.writing.encoding import EncodedColumn, check_specs, encode_column, text_leaves
from akdask.storage.atomic.commit import staging, write_error
from akdask.storage.atomic.manifest import manifest_path
from akdask.storage.data.ranges import range_reader
from akdask.storage.formats.objects import Columns, FileLayout, Mode, ObjectSpec, ObjType
from akdask.storage.paths.files import FileIdentity, exists, identify, is_remote, is_unchanged, written_path
from akdask.storage.paths.locales import locale_files, locale_path, set_path

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


@dataclass(frozen=True, slots=True)
class FileReceipt:
    """What one partition has written, for the commit.

    Parameters
    ----------
    index : int
        The partition.
    file : ParquetFileDescription, optional
        Its file, for the manifest.
    """

    index: int
    file: ParquetFileDescription | None = None


class ParquetWriter:
    """One write of columns to a set.  Picklable once it has begun.

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
    """

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
    ) -> None:
        check_specs(specs)
        if not isinstance(checksums, (bool, np.bool_)):
            raise ArgumentError(f"checksums is True or False, not {checksums!r}.")
        self.path = written_path(path)
        self.npartitions = npartitions
        self._specs = tuple(specs)
        self._mode = mode
        self._is_single = file_type == "single"
        self._overwrite = overwrite
        self._compression = _codec(compression)
        self._as_strings = convert_categoricals
        self._checksums = bool(checksums)
        self._staging = staging(self.path)
        self._names = [os.path.basename(locale_path(self.path, index)) for index in range(npartitions)]
        self._targets = [self.path] if self._is_single else [locale_path(self.path, n) for n in range(npartitions)]
        self._added_to: tuple[FileIdentity, ...] = ()
        # A set that is named like a locale of another shares its hidden folder, which takes files of the other only.
        self._has_manifest = (
            bool(config.get("manifest"))
            and not self._is_single
            and set_path(self.path) == self.path
            and not is_remote(self.path)
        )

    def begin(self) -> None:
        """Check that the write can succeed, and make the hidden folder for it.

        Raises
        ------
        WriteError
            If the folder is missing or not writable, or another write of the set is under way.
        ExistsError
            If a column is to be added that is there already.
        InconsistentFilesError
            If columns are to be added to a set with another number of files.
        MissingFileError
            If columns are to be replaced in a set that is not there.
        """
        self._staging.create(replaces=self._present)
        try:
            if self._mode == "append":
                self._begin_append()
        except BaseException:
            self.abort()
            raise

    def _begin_append(self) -> None:
        present = self._present()
        if not present:
            if self._overwrite:
                raise MissingFileError(f"there is no set {self.path!r} to update.", hint="write it first.")
            return
        if len(present) != self.npartitions:
            raise InconsistentFilesError(
                f"{self.path!r} has {len(present)} files, the columns to add have {self.npartitions} partitions.",
                hint=f"cut the rows anew with num_locales={len(present)}, or write the whole set with mode='truncate'.",
            )
        self._targets = present
        self._added_to = tuple(map(identify, present))
        names = {spec.name for spec in self._specs}
        found = {file.path: inspect_file(file).columns.keys() & names for file in self._added_to}
        taken = [f"{path}: {name!r}" for path, both in found.items() for name in sorted(both)]
        if taken and not self._overwrite:
            raise ExistsError("columns of these names exist already.", details=taken, hint="use mode='truncate'.")

    def _present(self) -> list[str]:
        """Return the files that are there now: of a set those of any number, of a single file that path only."""
        if not self._is_single:
            return locale_files(self.path)
        return [self.path] if exists(self.path) else []

    def write(self, index: int, table: Table, tables: Columns | None = None) -> FileReceipt:
        """Write the rows of one partition; may be called again, also at the same time.

        Raises
        ------
        WriteError
            If the disk is full, or the folder cannot be seen from here.
        SchemaError
            If the columns do not have as many rows each.
        """
        encoded = [encode_column(s, table.columns, tables or {}, as_strings=self._as_strings) for s in self._specs]
        lengths = {column.field.name: len(column.values) for column in encoded}
        if len(set(lengths.values())) > 1:
            raise SchemaError(
                "the columns of a Parquet file have as many rows each.",
                details=[f"{name!r}: {count:,}" for name, count in lengths.items()],
                hint="write columns of different lengths to sets of their own, or with to_hdf.",
            )
        with _errors_naming(self._targets[index] if index < len(self._targets) else self.path):
            attempt = self._staging.attempt(self._names[index])
            if self._added_to:
                self._copy_with(self._added_to[index], encoded, attempt)
            else:
                self._write_new(encoded, attempt)
            file = describe_file(identify(attempt)) if self._has_manifest else None
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
            with errors_naming(file.path, "schema"):
                old = open_parquet(ranges)
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
            noted = {column.name: Annotation(column.kind) for column in old_columns if column.kind in _REANNOTATED}
            noted |= {column.name: column.annotation for column in old_columns if column.annotation is not None}
            noted |= {name: column.annotation for name, column in new.items() if column.annotation is not None}
            with self._opened(path, fields, noted, _codec_of(inspect_file(file))) as writer:
                row = 0
                for group in range(old.metadata.num_row_groups):
                    with errors_naming(file.path, "rows"):
                        part = old.read_row_group(group, [column.name for column in old_columns], use_threads=False)
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
            store_schema=False,
            write_page_checksum=self._checksums,
            **_PAGES,
        ) as writer:
            # Arkouda's servers and others pass over it; the schema's own metadata is not written.
            writer.add_key_value_metadata(encode(noted))
            yield writer

    def commit(self, receipts: Sequence[FileReceipt]) -> list[str]:
        """Put all files into place, and remove those that they make obsolete.

        Returns
        -------
        list of str
            The files of the set.

        Raises
        ------
        WriteError
            If a partition is missing, a file that was added to has changed meanwhile, or one cannot be put into place;
            the old set is there unchanged.

        Warns
        -----
        UserWarning
            If files are replaced in truncate mode.
        """
        try:
            renames = self._complete({receipt.index: receipt for receipt in receipts})
            changed = [file.path for file in self._added_to if not is_unchanged(file)]
            if changed:
                raise WriteError(
                    f"cannot write {self.path!r}: its files were changed while columns were added to them.",
                    details=changed,
                    hint="add the columns again.",
                )
        except BaseException:
            self.abort()
            raise
        replaced = self._present() if self._mode == "truncate" else []
        self._staging.commit(renames, sorted(set(replaced).difference(self._targets)))
        if replaced:
            warn(f"{len(replaced)} existing files of {self.path!r} were replaced.", UserWarning)
        return self._targets

    def _complete(self, written: Mapping[int, FileReceipt]) -> list[tuple[str, str]]:
        """Return the finished files and their places, after merging them if there is to be only one; manifest last."""
        missing = [index for index in range(self.npartitions) if index not in written]
        if missing:
            raise WriteError(f"{self.path!r} is not written: partitions {missing} are missing.")
        if self._is_single and self.npartitions > 1:
            with _errors_naming(self.path):
                return [(self._merged([self._staging.local(name) for name in self._names]), self.path)]
        staged = [self._staging.path(name) for name in self._names]
        return [*zip(staged, self._targets, strict=True), *self._manifest(written)]

    def _manifest(self, written: Mapping[int, FileReceipt]) -> list[tuple[str, str]]:
        """Return the finished manifest and its place; nothing if it cannot be written, for no set needs one."""
        files = [file.at(self._targets[index]) for index, found in written.items() if (file := found.file) is not None]
        if len(files) < self.npartitions:
            return []
        attempt = self._staging.attempt("manifest")
        try:
            manifest.write(attempt, files)
            return [(self._staging.finish(attempt, "manifest"), manifest_path(self.path))]
        except OSError:
            return []

    def _merged(self, staged: Sequence[str]) -> str:
        """Return where one file waits that has the row groups of all."""
        name = os.path.basename(self.path)
        attempt = self._staging.attempt(name)
        first = pq.ParquetFile(staged[0])
        noted = {c.name: c.annotation for c in columns_of(first.metadata) if c.annotation is not None}
        with self._opened(attempt, list(first.schema_arrow), noted) as writer:
            for path in staged:
                opened = pq.ParquetFile(path)
                for group in range(opened.num_row_groups):
                    part = opened.read_row_group(group, use_threads=False)
                    writer.write_table(part.replace_schema_metadata(), max(part.num_rows, 1))
        return self._staging.finish(attempt, name)

    def abort(self) -> None:
        """Remove all that was prepared; what was there before stays."""
        self._staging.discard()


@contextmanager
def _errors_naming(path: str) -> Iterator[None]:
    """Turn what the operating system and pyarrow raise into an error that names the file to be written."""
    try:
        yield
    except AkdaskError:
        raise
    except OSError as error:
        raise write_error(path, error) from error
    except PARQUET_ERRORS as error:
        raise WriteError(f"cannot write {path!r}: {error}.") from error


def _codec(compression: Any) -> str | None:
    """Return the name of a codec as pyarrow has it, None if there is none."""
    if compression is None:
        return None
    if not isinstance(compression, str) or compression.lower() not in CODECS:
        raise ArgumentError(f"compression is None or one of {', '.join(CODECS[1:])}, not {compression!r}.")
    return compression.lower()


def _codec_of(file: ParquetFileDescription) -> str:
    """Return the codec of the first pages of a file that can be written."""
    codecs = (STORED_CODECS[number] for number in file.chunks["codec"].ravel().tolist() if number >= 0)
    names = (codec.lower().removesuffix("_raw") for codec in codecs)
    return next((name for name in names if name in CODECS), "none")
