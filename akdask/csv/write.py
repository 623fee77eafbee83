"""Writing columns as CSV files with Arkouda's header, one for each partition, or as a single file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from akdask.columns import Table
from akdask.csv.compressed import checked_codec
from akdask.csv.encode import encoded_rows
from akdask.csv.head import TYPES, checked_delimiter, head_bytes
from akdask.errors import AkdaskError, ArgumentError, UnsupportedError, WriteError, warn
from akdask.schema import UINT8, UINT64, ColumnType
from akdask.storage.atomic.commit import staging, write_error
from akdask.storage.formats.objects import VALUES, Columns, JoinedFile, ObjectSpec, ObjType
from akdask.storage.paths.files import exists, written_path
from akdask.storage.paths.locales import locale_files, locale_path

_WRITTEN = {ObjType.PDARRAY, ObjType.STRINGS, ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4}
_HINTS = {
    ObjType.CATEGORICAL: "write its labels: .to_strings().",
    ObjType.MULTIINDEX: "write its levels as columns.",
    ObjType.DATAFRAME: "use df.to_csv(…).",
}


@dataclass(frozen=True, slots=True)
class _Field:
    """A column of the files: its name, where partitions have it, and its type."""

    name: str
    column: Hashable
    dtype: ColumnType


class CsvWriter:
    """One write of columns to CSV files.  Picklable once it has begun.

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
    column_delim : str, default ","
        What stands between fields.
    compression : str, optional
        One of `akdask.csv.compressed.CODECS`, in any case.
    per_file : int, default 1
        How many partitions go into each file.

    Raises
    ------
    UnsupportedError
        If an object is no column of numbers or strings, or columns are to be added.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: str = "truncate",
        file_type: str = "distribute",
        column_delim: str = ",",
        compression: str | None = None,
        per_file: int = 1,
    ) -> None:
        if mode != "truncate":
            raise UnsupportedError(
                "columns cannot be added to CSV files.", hint="write all columns at once, with mode='truncate'."
            )
        self.path = written_path(path)
        self.npartitions = npartitions
        self.is_single = file_type == "single"
        self.delimiter = checked_delimiter(column_delim)
        self.codec = checked_codec(compression)
        self.fields = tuple(map(_field, specs))
        self.per_file = npartitions if self.is_single else per_file
        count = npartitions // per_file
        self.targets = [self.path] if self.is_single else [locale_path(self.path, k) for k in range(count)]
        self._file_names = [os.path.basename(target) for target in self.targets]
        self._names = (
            [f"partition-{index}" for index in range(npartitions)] if self.per_file > 1 else list(self._file_names)
        )
        self._staging = staging(self.path)

    def begin(self) -> None:
        """Make the hidden folder of the write.

        Raises
        ------
        WriteError
            If the folder is missing or not writable, or another write of the set is under way.
        """
        self._staging.create(replaces=self._present)

    def write(self, index: int, table: Table, tables: Columns | None = None) -> int:
        """Write the file of one partition into the hidden folder, and return its number.

        Raises
        ------
        WriteError
            If the disk is full, or the folder cannot be seen from here.
        """
        columns = [table.columns[field.column] for field in self.fields]
        with self._errors_naming():
            attempt = self._staging.attempt(self._names[index])
            with self._opened(attempt) as file:
                if index % self.per_file == 0:
                    file.write(self._head())
                for rows in encoded_rows(columns, self.delimiter):
                    file.write(rows)
            self._staging.finish(attempt, self._names[index])
        return index

    def _opened(self, path: str) -> Any:
        """Open a new file.  Files of any of the codecs, one after the other, are one of it."""
        return open(path, "wb") if self.codec is None else pa.CompressedOutputStream(pa.OSFile(path, "wb"), self.codec)

    def join(self, index: int, receipts: Sequence[int]) -> JoinedFile:
        """Make a file of those that its partitions have written.

        Raises
        ------
        WriteError
            If the disk is full, or the folder cannot be seen from here.
        """
        first, name = index * self.per_file, self._file_names[index]
        with self._errors_naming():
            attempt = self._staging.attempt(name)
            with open(attempt, "wb") as target:
                for part in self._names[first : first + self.per_file]:
                    with open(self._staging.local(part), "rb") as source:
                        shutil.copyfileobj(source, target, 2**22)
            self._staging.finish(attempt, name)
        return JoinedFile(index)

    def commit(self, receipts: Sequence[int | JoinedFile]) -> list[str]:
        """Put all files into place, and remove those that they make obsolete.

        Raises
        ------
        WriteError
            If a partition is missing, or a file cannot be put into place; the old set is there unchanged.

        Warns
        -----
        UserWarning
            If files are replaced.
        """
        try:
            renames = self._complete(receipts)
        except BaseException:
            self.abort()
            raise
        replaced = self._present()
        self._staging.commit(renames, sorted(set(replaced).difference(self.targets)))
        if replaced:
            warn(f"{len(replaced)} existing files of {self.path!r} were replaced.", UserWarning)
        return self.targets

    def abort(self) -> None:
        """Remove all that was prepared; what was there before stays."""
        self._staging.discard()

    def _head(self) -> bytes:
        return head_bytes([field.name for field in self.fields], [field.dtype for field in self.fields], self.delimiter)

    def _present(self) -> list[str]:
        if self.is_single:
            return [self.path] if exists(self.path) else []
        return locale_files(self.path)

    def _complete(self, receipts: Sequence[int | JoinedFile]) -> list[tuple[str, str]]:
        """Return the finished files and their places, after joining partitions that are not joined."""
        joined = {receipt.index for receipt in receipts if isinstance(receipt, JoinedFile)}
        missing = [k for k in range(self.npartitions) if k not in receipts and k // self.per_file not in joined]
        if missing:
            raise WriteError(f"{self.path!r} is not written: partitions {missing} are missing.")
        if self.per_file > 1:
            for file in sorted(set(range(len(self.targets))) - joined):
                self.join(file, range(file * self.per_file, (file + 1) * self.per_file))
        return [(self._staging.path(name), to) for name, to in zip(self._file_names, self.targets, strict=True)]

    @contextmanager
    def _errors_naming(self) -> Iterator[None]:
        """Turn what the operating system raises into an error that names the set."""
        try:
            yield
        except AkdaskError:
            raise
        except OSError as error:
            raise write_error(self.path, error) from error


def _field(spec: ObjectSpec) -> _Field:
    """Return the column that an object is; an index of one level is its labels.

    Raises
    ------
    UnsupportedError
        If it is none.
    ArgumentError
        If its name cannot stand in a header.
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
