"""Bytes of CSV rows as columns, by pyarrow's parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from akdask.columns import StringsBuilder, new_array
from akdask.csv.compressed import TextFile, read_text
from akdask.csv.lines import Lines, StrayQuoteError, count_breaks, row_start
from akdask.deferred import pc
from akdask.errors import ConversionError, FileError, FileFormatError
from akdask.kernels.core.exact import EXACT, first_changed_text
from akdask.schema import BOOL, FLOAT64, ColumnType
from akdask.typing import Column, NumberArray

_SPARE = tuple(bytes([code]) for code in (0x1F, 0x1E, 0x1D, 0x1C, *range(1, 9), *range(0x0E, 0x1C)))
"""Bytes that text hardly ever holds: one of them stands for a delimiter of several."""

_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_TRUE_OR_1, _FALSE_OR_0 = (*_TRUE, "1"), (*_FALSE, "0")
"""Digits are bools only where somebody says that a column is of bools: among words they would be changed."""

_PARSING = re.compile(r"CSV parse error: Row #(\d+): (.*)", re.DOTALL)
_VALUE = re.compile(r"invalid value '([^']*)'")
_CONVERSION = re.compile(r"In CSV column #(\d+): (?:Row #(\d+): )?(?:CSV conversion error to \S+: )?(.*)", re.DOTALL)
_LONG_ROW = "straddling object"
_SHOWN = 200

BLOCK = 2**22
"""Bytes that are parsed at a time, whose memory is used again."""


@dataclass(frozen=True, slots=True)
class CsvColumn:
    """One column of CSV files.

    Parameters
    ----------
    position : int
        Of the field in a row.
    dtype : ColumnType
        The type of the column.
    is_time : bool
        Whether the text says a date or a time, which becomes nanoseconds since 1970.
    is_found : bool
        Whether the type was found from cells, so that nobody has asked for floats: none may be another number than the
        integer in its cell.
    """

    position: int
    dtype: ColumnType
    is_time: bool = False
    is_found: bool = False

    @property
    def is_number(self) -> bool:
        """Whether partitions hold NumPy arrays."""
        return self.dtype.is_number

    @property
    def arrow(self) -> pa.DataType:
        """The type that the parser makes of the text."""
        if self.is_time:
            return pa.timestamp("ns")
        return pa.from_numpy_dtype(self.dtype.numpy) if self.dtype.is_number else pa.large_string()


@dataclass(frozen=True, slots=True)
class RowParser:
    """Where bytes are from, and how they are parsed.

    Parameters
    ----------
    path : str
        The file.
    names : tuple of str
        All columns of the file.
    lines : Lines
        How rows are told apart.
    allow_errors : bool
        Give the smallest value of its type for a cell that does not fit.
    types : tuple of ColumnType, optional
        Types that the file tells of its columns, and that the user has not given otherwise; None of a column for that
        of the set.
    file : FileIdentity or CompressedFile, optional
        The file, to tell at which line a row is.
    """

    path: str
    names: tuple[str, ...]
    lines: Lines
    allow_errors: bool = False
    types: tuple[ColumnType | None, ...] | None = None
    file: TextFile | None = None

    def column_of(self, name: str, column: CsvColumn) -> CsvColumn:
        """Return a column of the set as it is in the file: at its own position, in its own type."""
        position = self.names.index(name)
        own = None if self.types is None else self.types[position]
        return replace(column, position=position, dtype=own or column.dtype)

    def parse(
        self, data: NumberArray, columns: Mapping[str, CsvColumn], start: int, nrows: int, block: int = BLOCK
    ) -> dict[str, Column]:
        """Return columns of the rows that some bytes are.

        Parameters
        ----------
        data : ndarray of uint8
            Whole rows.
        columns : mapping of str to CsvColumn
            The columns to make, at least one.
        start : int
            Where the rows begin in the file, for messages.
        nrows : int
            How many rows they are.
        block : int
            Bytes that are parsed at a time; more where a row is longer.

        Raises
        ------
        FileFormatError
            If rows have too many or too few fields, a field is not of the type of its column, or there are not as many
            rows.
        ConversionError
            If a cell of a column that was found to be floats is an integer that no float is equal to.
        """
        words = {name for name, column in columns.items() if column.dtype == BOOL and column.is_found}
        if words and any(column.dtype == BOOL and not column.is_found for column in columns.values()):
            parts = [{name: columns[name] for name in columns if (name in words) == inside} for inside in (True, False)]
            both = [self.parse(data, part, start, nrows, block) for part in parts]
            return {name: both[name not in words][name] for name in columns}
        types = {str(column.position): column.arrow for column in columns.values()}
        try:
            tables = self._read(data, types, block, has_digits=not words)
            found = self._filled(tables, columns, start, nrows, data)
        except pa.ArrowInvalid as error:
            if _LONG_ROW in str(error) and block <= len(data):
                return self.parse(data, columns, start, nrows, len(data) + 1)
            if not self.allow_errors or _CONVERSION.match(str(error)) is None:
                self.refuse(error, start, data)
            table = self.table(data, dict.fromkeys(types, pa.large_string()))
            found = {name: _smallest_for_errors(table, column) for name, column in columns.items()}
        for name, column in columns.items():
            if column.is_found and column.dtype == FLOAT64:
                self._demand_equal(data, name, column, found[name], start)
        return found

    def _filled(
        self, tables: Iterator[pa.Table], columns: Mapping[str, CsvColumn], start: int, nrows: int, data: NumberArray
    ) -> dict[str, Column]:
        """Put the rows of several tables into columns of the final size."""
        numbers = {name: new_array(nrows, column.dtype.numpy) for name, column in columns.items() if column.is_number}
        builders = {name: StringsBuilder(nrows) for name in columns if name not in numbers}
        row = 0
        for table in tables:
            stop = row + table.num_rows
            if stop > nrows:
                row = stop
                break
            for name, column in columns.items():
                found = self._column(column, table, start, row, data)
                if name in numbers:
                    numbers[name][row:stop] = found
                else:
                    builders[name].append(found)
            row = stop
        if row != nrows:
            raise FileFormatError(
                f"{self.path!r} has other rows than lines from byte {start} on.",
                details=[f"{nrows} lines end there"],
                hint="a line break or a quote stands where it has no meaning; write the file again.",
            )
        return {name: numbers[name] if name in numbers else builders[name].finish() for name in columns}

    def _demand_equal(self, data: NumberArray, name: str, column: CsvColumn, floats: Any, start: int) -> None:
        """Refuse integers that would become others, reading their text again where floats are large."""
        if not (np.abs(floats) >= EXACT).any():
            return
        field = str(column.position)
        text = _joined(self.table(data, {field: pa.large_string()}).column(field))
        changed = first_changed_text(floats, text)
        if changed is not None:
            row, cell = changed
            raise ConversionError(
                f"the integer {cell[:_SHOWN]} in column {name!r} of {self.path!r} would become another as a float, "
                "which the column is, since other cells are floats or empty.",
                details=[self._place(row + 1, start, data)],
                hint=f"read its text, which ak.to_numeric takes, or the nearest floats: read_csv(…, dtypes={{{name!r}: "
                "'str'}) or 'float64'.",
            )

    def table(self, data: bytes | NumberArray, types: Mapping[str, pa.DataType] | None) -> pa.Table:
        """Return the fields of given positions with their types; all, with types that are guessed, if None."""
        return pa.concat_tables(self._read(data, types, len(data) + 1))

    def _read(
        self,
        data: bytes | NumberArray,
        types: Mapping[str, pa.DataType] | None,
        block: int,
        *,
        has_digits: bool = False,
    ) -> Iterator[pa.Table]:
        """Yield the fields of some rows after the other; at least one table, without rows where there are none."""
        delimiter, spare = self.lines.delimiter, None
        if len(delimiter) > 1:
            text = bytes(data)
            spare = next((byte for byte in _SPARE if byte not in text), None)
            if spare is None:
                raise FileFormatError(
                    f"{self.path!r} holds all bytes that could stand for the delimiter {delimiter.decode()!r}.",
                    hint="write the file with a delimiter of one character.",
                )
            data, delimiter = text.replace(delimiter, spare), spare
        if not len(data):
            yield pa.table({field: pa.array([], kind) for field, kind in (types or {}).items()})
            return
        reader = arrow_csv.open_csv(
            pa.BufferReader(pa.py_buffer(data)),
            arrow_csv.ReadOptions(
                use_threads=False, block_size=block, column_names=list(map(str, range(len(self.names))))
            ),
            arrow_csv.ParseOptions(
                delimiter=delimiter.decode(), newlines_in_values=True, ignore_empty_lines=not self.lines.keeps_blank
            ),
            arrow_csv.ConvertOptions(
                column_types=types,
                include_columns=list(types or ()),
                true_values=_TRUE_OR_1 if has_digits else _TRUE,
                false_values=_FALSE_OR_0 if has_digits else _FALSE,
            ),
        )
        yield reader.schema.empty_table()
        for batch in reader:
            table = pa.Table.from_batches([batch])
            yield table if spare is None else _with_delimiter(table, spare, self.lines.delimiter)

    def refuse(self, error: Exception, start: int, data: bytes | NumberArray = b"", other: str = "str") -> NoReturn:
        """Raise what tells users of an error of the parser.

        Parameters
        ----------
        error : pyarrow.ArrowInvalid
            What the parser says.
        start : int
            Where the rows begin in the file.
        data : bytes or ndarray of uint8
            The rows, where it is to be told at which line one is.
        other : str, default "str"
            A type that takes what does not fit, unless it is a number.
        """
        found = _CONVERSION.match(str(error))
        if found is None:
            broken = _PARSING.match(str(error))
            row, told = broken.groups() if broken is not None else (None, str(error).removeprefix("CSV parse error: "))
            raise FileFormatError(
                f"{self.path!r} is not read as CSV: {told[:_SHOWN]}.",
                details=[self._place(int(row), start, data)] if row else [],
                hint="a row has as many fields as there are names; give the delimiter of the file as column_delim.",
            ) from None
        number, row, reason = found.groups()
        name = self.names[int(number)]
        value = _VALUE.match(reason)
        kind = other if value is None else _type_of(value.group(1), is_bool=" to bool:" in str(error))
        hint = (
            f"give another type: read_csv(…, dtypes={{{name!r}: {kind!r}}}); allow_errors=True reads such cells as "
            "the smallest number."
        )
        if "UTF8" in reason:
            hint = "convert the file to UTF-8; name the other columns to read only those."
        raise FileFormatError(
            f"column {name!r} of {self.path!r} holds what is not of its type: {reason[:_SHOWN]}.",
            details=[self._place(int(row), start, data)] if row else [],
            hint=hint,
        ) from None

    def _place(self, row: int, start: int, data: bytes | NumberArray) -> str:
        """Return at which line of the file a row is, as far as that is known."""
        counted = f"row {row} of those from byte {start}" if start else f"row {row}"
        if self.file is None or not len(data):
            return counted
        rows = np.frombuffer(data, np.uint8)
        try:
            before = count_breaks(np.frombuffer(read_text(self.file, 0, start), np.uint8))
            return f"line {before + count_breaks(rows[: row_start(rows, self.lines, row)]) + 1}: {counted}"
        except (StrayQuoteError, FileError):
            return counted

    def _column(self, column: CsvColumn, table: pa.Table, start: int, row: int, data: NumberArray) -> Column:
        """Return a column of a table that begins with a row."""
        found = _joined(table.column(str(column.position)))
        if found.null_count and column.is_number and column.dtype.kind != "float" and not column.is_time:
            if not self.allow_errors:
                first = row + int(np.flatnonzero(np.asarray(found.is_null()))[0]) + 1
                told = f"In CSV column #{column.position}: Row #{first}: a cell without a value"
                self.refuse(pa.ArrowInvalid(told), start, data, "str" if column.dtype == BOOL else "float64")
            return _filled(found, smallest(column.dtype))
        return _as_column(found, column)


def _joined(chunks: pa.ChunkedArray) -> pa.Array:
    return chunks.chunk(0) if chunks.num_chunks == 1 else chunks.combine_chunks()


def _as_column(found: pa.Array, column: CsvColumn) -> Column:
    if column.is_time:
        return _filled(found.view(pa.int64()), np.iinfo(np.int64).min)
    if not column.dtype.is_number:
        return found
    return _filled(found, np.nan if column.dtype.kind == "float" else 0)


def _filled(found: pa.Array, value: Any) -> Column:
    """Return numbers as an array of NumPy, with a value for those that are missing."""
    filled = pc.fill_null(found, pa.scalar(value, found.type)) if found.null_count else found
    numbers: Column = filled.to_numpy(zero_copy_only=pa.types.is_primitive(found.type) and found.type != pa.bool_())
    return numbers


def smallest(dtype: ColumnType) -> Any:
    """Return the smallest finite value of a type of numbers."""
    match dtype.kind:
        case "bool":
            return False
        case "float":
            return np.finfo(np.float64).min
    return np.iinfo(dtype.numpy).min


def _with_delimiter(table: pa.Table, spare: bytes, delimiter: bytes) -> pa.Table:
    """Put the delimiter back where it stood inside quotes."""
    columns = [
        pc.replace_substring(column, pattern=spare.decode(), replacement=delimiter.decode())
        if pa.types.is_large_string(column.type) or pa.types.is_string(column.type)
        else column
        for column in table.columns
    ]
    return pa.table(columns, names=table.column_names)


def _smallest_for_errors(table: pa.Table, column: CsvColumn) -> Column:
    """Return a column cell by cell, the smallest value for those that are not of its type."""
    text = _joined(table.column(str(column.position)))
    if not column.dtype.is_number:
        return text
    value = np.iinfo(np.int64).min if column.is_time else smallest(column.dtype)
    numbers = new_array(len(text), column.dtype.numpy)
    read = _reader(column)
    for row, cell in enumerate(text.to_pylist()):
        try:
            numbers[row] = read(cell.strip())
        except (ValueError, OverflowError, pa.ArrowInvalid):
            numbers[row] = value
    return numbers


def _type_of(cell: str, *, is_bool: bool) -> str:
    """Return the name of a type that takes a cell that does not fit, beside bools or numbers."""
    if is_bool:
        return "bool" if cell in _TRUE_OR_1 + _FALSE_OR_0 else "str"
    if cell.isascii() and cell.isdecimal():
        return "uint64" if int(cell) < 2**64 else "str"
    try:
        float(cell)
    except ValueError:
        return "str"
    return "float64"


def _reader(column: CsvColumn) -> Callable[[str], Any]:
    """Return what makes a value of the text of a cell."""
    if column.is_time:
        return lambda cell: pa.scalar(cell).cast(pa.timestamp("ns")).value
    match column.dtype.kind:
        case "bool":
            false, true = (_FALSE, _TRUE) if column.is_found else (_FALSE_OR_0, _TRUE_OR_1)
            return lambda cell: (*false, *true).index(cell) >= len(false)
        case "float":
            return float
    return int
