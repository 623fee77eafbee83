"""Writing columns as CSV files with Arkouda's header, one for each partition, or as a single file."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.columns.dtypes import UINT8, UINT64, ColumnType
from akdask.columns.strings import offsets_and_bytes
from akdask.columns.table import Table, slice_rows
from akdask.deferred import pc
from akdask.errors import ArgumentError, UnsupportedError
from akdask.formats import tuning
from akdask.formats.csv.lines import TYPES, checked_delimiter, head_bytes
from akdask.formats.csv.text_file import CODECS
from akdask.records import record
from akdask.storage.files import identify
from akdask.storage.manifest import FileSums, SummedFile, SummedManifest
from akdask.storage.objects import VALUES, Columns, FileLayout, Mode, ObjectSpec, ObjType
from akdask.storage.staged_writer import FileReceipt, StagedWriter, checked_codec
from akdask.typing import Column


def encoded_rows(columns: Sequence[Column], delimiter: bytes) -> Iterator[memoryview]:
    """Yield the rows of columns as text, some at a time.

    Floats have as many digits as distinguish them. Text is quoted only where it holds the delimiter, a quote or a line
    break.

    Parameters
    ----------
    columns : sequence of ndarray or Arrow array
        Of the same number of rows, at least one.
    delimiter : bytes
        The delimiter between fields.
    """
    between, end = (pa.scalar(text, pa.large_string()) for text in (delimiter.decode(), "\n"))
    nothing = pa.scalar("", pa.large_string())
    for start in range(0, len(columns[0]), tuning.BLOCK_ROWS):
        fields = [_text(slice_rows(column, start, start + tuning.BLOCK_ROWS), delimiter) for column in columns]
        lines = pc.binary_join_element_wise(*fields, between)
        yield offsets_and_bytes(pc.binary_join_element_wise(lines, nothing, end))[1].data


def _text(column: Column, delimiter: bytes) -> pa.Array:
    if isinstance(column, np.ndarray):
        return pc.cast(pa.array(column), pa.large_string())
    data = offsets_and_bytes(column)[1].tobytes()
    # Only the first byte of a long delimiter is looked for, which is many times as fast.
    if not any(mark in data for mark in (delimiter[:1], b'"', b"\n", b"\r")):
        return column
    needs = pc.match_substring_regex(column, pattern=f'["\\n\\r]|{re.escape(delimiter.decode())}')
    doubled = pc.replace_substring(column, pattern='"', replacement='""')
    mark = pa.scalar('"', pa.large_string())
    return pc.if_else(needs, pc.binary_join_element_wise(mark, doubled, mark, pa.scalar("", pa.large_string())), column)


_WRITTEN = {ObjType.PDARRAY, ObjType.STRINGS, ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4}
_HINTS = {
    ObjType.CATEGORICAL: "write its labels: .to_strings().",
    ObjType.MULTIINDEX: "write its levels as columns.",
    ObjType.DATAFRAME: "use df.to_csv(…).",
}


@record
class _Field:
    """A column of the files: its name, where partitions have it, and its type."""

    name: str
    column: Hashable
    dtype: ColumnType


class CsvWriter(StagedWriter[FileReceipt]):
    """One write of columns to CSV files.

    Parameters
    ----------
    path : str or path
        Prefix and extension of the set, or the exact path of a single file.
    specs : sequence of ObjectSpec
        The columns, in order.
    npartitions : int
        Number of files, unless single.
    mode : {"truncate", "append"}
        Only the former: columns cannot be added to lines.
    file_type : {"distribute", "single"}
        One file for each partition, or one in all.
    overwrite : bool
        Without effect, since columns cannot be added.
    column_delim : str, default ","
        The delimiter between fields.
    compression : str, optional
        One of `akdask.formats.csv.text_file.CODECS`, in any case.
    per_file : int, default 1
        How many partitions go into each file.

    Raises
    ------
    UnsupportedError
        If an object is no column of numbers or strings, or columns are to be added.
    """

    noun = "columns"

    def __init__(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: Mode = "truncate",
        file_type: FileLayout = "distribute",
        overwrite: bool = False,
        column_delim: str = ",",
        compression: str | None = None,
        per_file: int = 1,
    ) -> None:
        if mode != "truncate":
            raise UnsupportedError(
                "columns cannot be added to CSV files.", hint="write all columns at once, with mode='truncate'."
            )
        how: Any = {"mode": mode, "file_type": file_type, "overwrite": overwrite, "per_file": per_file}
        super().__init__(path, specs, npartitions=npartitions, **how)
        self.delimiter = checked_delimiter(column_delim)
        self.codec = checked_codec(compression, CODECS)
        self.fields = tuple(map(_field, specs))

    def write(self, index: int, table: Table, tables: Columns | None = None) -> FileReceipt:
        """Write the file of one partition; see `StagedWriter.write`."""
        columns = [table.columns[field.column] for field in self.fields]
        with self._errors_naming(self.path):
            attempt = self._staging.attempt(self._names[index])
            with self._opened(attempt) as file:
                if index % self.per_file == 0:
                    file.write(self._head())
                for rows in encoded_rows(columns, self.delimiter):
                    file.write(rows)
            described = self._described(attempt) if self._has_manifest and self.per_file == 1 else None
            self._staging.finish(attempt, self._names[index])
        return FileReceipt(index, described)

    def _described(self, path: str) -> SummedFile:
        file = identify(path)
        return SummedFile(file, FileSums.of(file))

    def _write_manifest(self, path: str, files: Sequence[SummedFile], *, are_in_place: bool) -> None:
        SummedManifest.write(path, files, are_in_place=are_in_place)

    def _opened(self, path: str) -> Any:
        """Open a new file.  Concatenated files of any of the codecs are one file of that codec."""
        return open(path, "wb") if self.codec is None else pa.CompressedOutputStream(pa.OSFile(path, "wb"), self.codec)

    def _head(self) -> bytes:
        return head_bytes([field.name for field in self.fields], [field.dtype for field in self.fields], self.delimiter)

    def _join(self, staged: Sequence[str], target: str, receipts: Sequence[FileReceipt], old: str | None) -> None:
        with open(target, "wb") as joined:
            for part in staged:
                with open(part, "rb") as source:
                    shutil.copyfileobj(source, joined, 2**22)


def _field(spec: ObjectSpec) -> _Field:
    """Return an object as a column; an index of one level becomes its labels.

    Raises
    ------
    UnsupportedError
        If it is none.
    ArgumentError
        If its name is not allowed in a header.
    """
    inner = next(iter(spec.children.values())) if spec.kind is ObjType.INDEX and len(spec.children) == 1 else spec
    dtype = UINT64 if inner.dtype == UINT8 else inner.dtype
    if inner.kind not in _WRITTEN or dtype is None or dtype.name not in TYPES:
        what = inner.kind.label if inner.kind not in _WRITTEN else str(inner.dtype)
        raise UnsupportedError(
            f"{spec.name!r} is a {what}, which CSV files cannot hold.",
            details=[f"columns are of {', '.join(TYPES)}"],
            hint=_HINTS.get(inner.kind, "write it to HDF5 files."),
        )
    if not spec.name:
        raise ArgumentError("a column of CSV files needs a name.", hint="rename it.")
    return _Field(spec.name, inner.members[VALUES], dtype)
