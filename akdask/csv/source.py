"""The rows of CSV files as the lazy layer scans them: a partition is a range of bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from types import TracebackType
from typing import Any

import numpy as np

from akdask.cluster import check_memory
from akdask.columns import new_array, slice_rows
from akdask.csv.compressed import TextFile, text_reader
from akdask.csv.lines import ByteRange
from akdask.csv.parse import CsvColumn, RowParser
from akdask.errors import MissingDatasetError
from akdask.kernels.core.widening import widen_into
from akdask.schema import ColumnType
from akdask.storage.data.source import PartReader, Source
from akdask.storage.paths.files import FileIdentity, is_remote
from akdask.typing import Column, NumberArray


class CsvPartReader(PartReader):
    """Reads the columns of one partition; all that are asked for are parsed at once, when the first is.

    Parameters
    ----------
    part : CsvPart
        The partition.
    """

    def __init__(self, part: CsvPart) -> None:
        self._part = part
        self._parsed: Mapping[str, Column] | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._parsed = None

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows of a column; for errors see `RowParser.parse`."""
        if self._parsed is None:
            self._parsed = self._part.parse()
        rows = slice_rows(self._parsed[column], start, stop)
        if out is None or not isinstance(rows, np.ndarray):
            return rows
        out[: len(rows)] = rows
        return out[: len(rows)]


@dataclass(frozen=True, slots=True)
class CsvPart:
    """One partition: a range of bytes of one file.

    Parameters
    ----------
    file : FileIdentity or CompressedFile
        The file, in the state that was looked at.
    range : ByteRange
        Its rows.
    rows : RowParser
        How they are parsed.
    columns : mapping of str to CsvColumn
        Only the columns that will be read, as this file has them.
    dtypes : mapping of str to ColumnType
        The types that they have in all files, where these are others.
    """

    file: TextFile
    range: ByteRange
    rows: RowParser
    columns: Mapping[str, CsvColumn]
    dtypes: Mapping[str, ColumnType]

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return self.range.nrows

    @property
    def is_remote(self) -> bool:
        """Whether the file is not on this machine."""
        return is_remote(self.file.path)

    def open(self) -> CsvPartReader:
        """Return a reader, to be used in a ``with`` statement."""
        return CsvPartReader(self)

    def parse(self) -> Mapping[str, Column]:
        """Read the bytes and parse them; for errors see `RowParser.parse`."""
        start, stop, nrows = self.range
        if not isinstance(self.file, FileIdentity):
            check_memory(
                stop - start, f"the text of {self.file.path!r} takes", "unpack the file, which can then be cut"
            )
        data = new_array(stop - start, np.uint8)
        with text_reader(self.file) as reader:
            reader.read_into(data, start, "CSV")
        found = self.rows.parse(data, self.columns, start, nrows)
        for name, dtype in self.dtypes.items():
            numbers: Any = found[name]
            found[name] = new_array(nrows, dtype.numpy)
            widen_into(found[name], numbers, name)
        return found


class CsvSource(Source):
    """The rows of a set of CSV files.  Immutable.

    Parameters
    ----------
    files : sequence of FileIdentity or CompressedFile
        In the order of the rows.
    ranges : sequence of sequence of ByteRange
        The partitions of each file.
    rows : sequence of RowParser
        How each file is parsed.
    columns : mapping of str to CsvColumn
        All columns.
    label : str
        How a user names the set.
    """

    def __init__(
        self,
        files: Sequence[TextFile],
        ranges: Sequence[Sequence[ByteRange]],
        rows: Sequence[RowParser],
        columns: Mapping[str, CsvColumn],
        label: str,
    ) -> None:
        self._parts = [
            (file, found, parsed)
            for file, of_file, parsed in zip(files, ranges, rows, strict=True)
            for found in of_file
        ]
        self._columns = columns
        self._label = label

    @cached_property
    def token(self) -> str:
        """Changes whenever a file, the partitions, the columns or the way of parsing change."""
        told = [(file, found, rows.lines, rows.allow_errors) for file, found, rows in self._parts]
        return blake2b(repr((told, self._columns)).encode(errors="surrogateescape"), digest_size=16).hexdigest()

    @property
    def label(self) -> str:
        """How a user names the set, for plans and messages."""
        return self._label

    @cached_property
    def columns(self) -> Mapping[str, ColumnType]:
        """All columns with their types."""
        return {name: column.dtype for name, column in self._columns.items()}

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """RowParser in each partition."""
        return tuple(found.nrows for _, found, _ in self._parts)

    @property
    def paths(self) -> list[str]:
        """The file of each partition."""
        return [file.path for file, _, _ in self._parts]

    def part(self, index: int, columns: Sequence[str]) -> CsvPart:
        """Return one partition, reduced to the given columns.

        Raises
        ------
        MissingDatasetError
            If there is no column of a name.
        """
        missing = [name for name in columns if name not in self._columns]
        if missing:
            raise MissingDatasetError(f"{self._label} has no column {', '.join(map(repr, missing))}.")
        file, found, rows = self._parts[index]
        own = {name: rows.column_of(name, self._columns[name]) for name in columns}
        wanted = {name: self._columns[name].dtype for name in columns}
        others = {name: dtype for name, dtype in wanted.items() if own[name].dtype != dtype}
        return CsvPart(file, found, rows, own, others)
