"""Parse rows of CSV into columns, by a loop over their bytes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa

from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import BIGINT, BOOL, STR, ColumnType
from akdask.columns.exact import first_changed_text
from akdask.columns.loops import copy_strings
from akdask.columns.memory import new_array
from akdask.columns.nullable import NullableColumn
from akdask.errors import ConversionError, FileError, FileFormatError
from akdask.formats.csv.lines import MARGIN, Bytes, Lines, count_breaks, padded
from akdask.formats.csv.loops import parse as parse_fields
from akdask.formats.csv.text_file import TextFile, read_text
from akdask.formats.csv.types import CsvColumn
from akdask.records import record
from akdask.typing import Column, NumberArray

_KINDS = {"int64": 0, "uint64": 1, "float64": 2, "bool": 4, "str": 7}
_FOUND_WORDS, _NANOSECONDS, _MICROSECONDS = 3, 5, 6
"""Kinds of columns: see `Kind` in loops.cpp."""

_NO_SUCH_VALUE, _OTHER_FIELDS, _UNCLOSED = 1, 2, 3
"""Failures: see `Failure` in loops.cpp."""

_SHOWN = 200


@record
class RowParser:
    """Where bytes are from, and how they are parsed.

    Parameters
    ----------
    path : str
        The file.
    names : tuple of str
        All columns of the file.
    lines : Lines
        Rules that delimit rows.
    allow_errors : bool
        Give the smallest value of its type for a cell that does not fit.
    types : tuple of ColumnType, optional
        Types in the header of the file, where the user has given none; None for a column of the set's type.
    file : FileIdentity or CompressedFile, optional
        The file, for messages that name a line.
    """

    path: str
    names: tuple[str, ...]
    lines: Lines
    allow_errors: bool = False
    types: tuple[ColumnType | None, ...] | None = None
    file: TextFile | None = None

    @property
    def identity(self) -> Hashable:
        """What columns that are parsed alike have in common."""
        return self

    def column_of(self, name: str, column: CsvColumn) -> CsvColumn:
        """Return a column of the set with its position and type in this file."""
        position = self.names.index(name)
        own = None if self.types is None else self.types[position]
        return replace(column, position=position, dtype=own or column.dtype)

    def parse(self, data: Bytes, columns: Mapping[str, CsvColumn], start: int, nrows: int) -> dict[str, Column]:
        """Return columns of the rows that some bytes are.

        Parameters
        ----------
        data : ndarray of uint8
            Whole rows, with a margin behind them: see `padded`. Quotes are taken out of them.
        columns : mapping of str to CsvColumn
            The columns to make, at least one.
        start : int
            Where the rows begin in the file, for messages.
        nrows : int
            How many rows they are.

        Raises
        ------
        FileFormatError
            If rows have too many fields, a field is not of the type of its column, or there are not as many rows.
        ConversionError
            If a cell of a column that was found to be floats is an integer that no float is equal to.
        """
        doubtful = {name: CsvColumn(column.position, STR) for name, column in columns.items() if column.may_change}
        # A copy, from which quotes are taken.
        written = self.parse(data.copy(), doubtful, start, nrows) if doubtful else {}
        is_ascii = len(data) == MARGIN or data.max() < 128
        if not is_ascii and self.lines.encoding != "utf8":
            data = self._in_utf8(data)
        numbers = [name for name, column in columns.items() if column.is_number]
        strings = [name for name in columns if name not in numbers]
        values = new_array(len(numbers) * nrows, np.uint64).reshape(len(numbers), nrows)
        starts = new_array(len(strings) * nrows, np.uint64).reshape(len(strings), nrows)
        ends = new_array(len(strings) * (nrows + 1), np.uint64).reshape(len(strings), nrows + 1)
        found, failure, row_start, number, cell_start, cell_stop = parse_fields(
            data,
            len(data) - MARGIN,
            self.lines.delimiter,
            self.lines.options,
            len(self.names),
            np.array([column.position for column in columns.values()], np.int64),
            np.array([_kind(column) for column in columns.values()], np.int64),
            np.concatenate([_instead(column) for column in columns.values()]),
            self.allow_errors,
            values,
            starts,
            ends,
        )
        if failure == _OTHER_FIELDS:
            self.refuse_fields(number, start + row_start, start, found + 1)
        if failure == _UNCLOSED:
            self.refuse_end()
        if failure == _NO_SUCH_VALUE:
            cell = data[cell_start:cell_stop].tobytes().decode(errors="replace")
            name, column = list(columns.items())[number]
            reason = f"invalid value {cell[:_SHOWN]!r}" if cell else "a cell without a value"
            self._refuse(name, reason, _type_for(cell, column), (start, row_start, found + 1))
        if failure or found != nrows:
            raise FileFormatError(
                f"{self.path!r} has other rows than lines from byte {start} on.",
                details=[f"{nrows} lines end there"],
                hint="the file has changed; open it again.",
            )
        made: dict[str, Column] = {}
        for name, words in zip(numbers, values, strict=True):
            dtype = columns[name].dtype
            if dtype.kind != "bool":
                made[name] = words.view(dtype.numpy)
            else:
                made[name] = NullableColumn(words == 1, words == 2) if dtype.nullable else words == 1
        for name, begins, stops in zip(strings, starts, ends, strict=True):
            text = self._text(name, data, begins, stops, start, is_ascii=is_ascii)
            made[name] = from_ints(list(map(int, text.to_pylist()))) if columns[name].dtype == BIGINT else text
        for name, text in written.items():
            self._demand_equal(name, made[name], text, start)
        return {name: made[name] for name in columns}

    def _in_utf8(self, data: Bytes) -> Bytes:
        try:
            text = data[: len(data) - MARGIN].tobytes().decode(self.lines.encoding).encode()
        except UnicodeError as error:
            raise FileFormatError(
                f"{self.path!r} is not text in {self.lines.encoding}: {error}."[:_SHOWN],
                hint="give the encoding of the file, such as encoding='latin-1'.",
            ) from None
        converted = padded(len(text))
        converted[: len(text)] = np.frombuffer(text, np.uint8)
        return converted

    def _text(
        self, name: str, data: Bytes, starts: NumberArray, ends: NumberArray, start: int, *, is_ascii: bool
    ) -> pa.LargeStringArray:
        """Return a column of text, given where its cells are."""
        size = int(ends[-1])
        text = padded(size)
        copy_strings(data, starts, ends, text)
        made = pa.LargeStringArray.from_buffers(
            len(starts), pa.py_buffer(ends.view(np.int64)), pa.py_buffer(text[:size])
        )
        if not is_ascii:
            try:
                made.validate(full=True)
            except pa.ArrowInvalid:
                row = next(row for row, cell in enumerate(made.cast(pa.large_binary())) if not _is_utf8(cell.as_py()))
                self._refuse(name, "invalid UTF8 data", "str", (start, int(starts[row]), row + 1))
        return made

    def _demand_equal(self, name: str, floats: Column, written: Column, start: int) -> None:
        """Refuse integers that have become others, given how numbers are written."""
        changed = first_changed_text(floats, written)
        if changed is not None:
            row, cell = changed
            raise ConversionError(
                f"the integer {cell[:_SHOWN]} in column {name!r} of {self.path!r} would become another as a float, "
                "which the column is, since other cells are floats or empty.",
                details=[f"row {row + 1} of those from byte {start}" if start else f"row {row + 1}"],
                hint=f"read its text, which ak.to_numeric takes, or the nearest floats: read_csv(…, dtypes={{{name!r}: "
                "'str'}) or 'float64'.",
            )

    # errors

    def refuse_end(self) -> NoReturn:
        """Raise an error about a quote that is never closed."""
        raise FileFormatError(
            f"{self.path!r} ends inside a field in quotes.", hint="a quote is never closed, or the file is truncated."
        ) from None

    def refuse_fields(self, count: int, row_start: int, start: int = 0, row: int | None = None) -> NoReturn:
        """Raise an error about a row with other fields than there are columns."""
        raise FileFormatError(
            f"{self.path!r} is not read as CSV: Expected {len(self.names)} columns, got {count}.",
            details=[self._place(row_start, start, row)],
            hint="a row has no more fields than there are names; give the delimiter of the file as column_delim, or "
            "leave out such rows: on_bad_lines='skip'.",
        ) from None

    def _refuse(self, name: str, reason: str, kind: str, place: tuple[int, int, int]) -> NoReturn:
        """Raise an error about a cell, in a row that is given by where the rows and it begin, and its number."""
        start, row_start, row = place
        hint = (
            f"give another type: read_csv(…, dtypes={{{name!r}: {kind!r}}}); allow_errors=True reads such cells as "
            "the smallest number."
        )
        if "UTF8" in reason:
            hint = "name the encoding of the file, such as encoding='latin-1'; or name the other columns to read."
        raise FileFormatError(
            f"column {name!r} of {self.path!r} holds what is not of its type: {reason}.",
            details=[self._place(start + row_start, start, row)],
            hint=hint,
        ) from None

    def _place(self, row_start: int, start: int, row: int | None) -> str:
        """Return at which line of the file a row is, as far as that is known."""
        counted = "" if row is None else f": row {row} of those from byte {start}" if start else f": row {row}"
        try:
            if self.file is not None and self.lines.encoding == "utf8":
                before = np.frombuffer(read_text(self.file, 0, row_start), np.uint8)
                return f"line {count_breaks(before) + 1}{counted}"
        except FileError:
            pass
        return counted.removeprefix(": ") or f"byte {row_start}"


def _kind(column: CsvColumn) -> int:
    if column.is_time:
        return _NANOSECONDS if column.unit == "ns" else _MICROSECONDS
    if column.dtype.kind == "bool" and column.is_found:
        return _FOUND_WORDS
    return _KINDS[column.dtype.name if column.is_number else "str"]


def _instead(column: CsvColumn) -> NumberArray:
    """Return the smallest value of a column as a word."""
    if not column.is_number or column.dtype.kind == "bool":
        return np.zeros(1, np.uint64)
    return np.array([smallest(column.dtype)], column.dtype.numpy).view(np.uint64)


def smallest(dtype: ColumnType) -> Any:
    """Return the smallest finite value of a type of numbers."""
    match dtype.kind:
        case "bool":
            return False
        case "float":
            return np.finfo(np.float64).min
    return np.iinfo(dtype.numpy).min


def _is_utf8(cell: bytes) -> bool:
    try:
        cell.decode()
    except UnicodeDecodeError:
        return False
    return True


def _type_for(cell: str, column: CsvColumn) -> str:
    """Return the name of a type for a cell that does not fit."""
    if column.dtype == BOOL or column.is_time:
        return "bool" if cell in {"0", "1"} and column.dtype == BOOL else "str"
    if not cell:
        return "float64"
    if cell.isascii() and cell.isdecimal():
        return "uint64" if int(cell) < 2**64 else "str"
    try:
        float(cell)
    except ValueError:
        return "str"
    return "float64"
