"""Parse rows of CSV into columns by pyarrow, and infer their types."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT64, ColumnType, column_type
from akdask.columns.exact import EXACT, first_changed_text
from akdask.columns.memory import new_array
from akdask.columns.strings import StringsBuilder
from akdask.deferred import pc
from akdask.errors import ArgumentTypeError, ConversionError, FileError, FileFormatError, MissingDatasetError
from akdask.formats.csv.lines import Head, Lines, StrayQuoteError, count_breaks, last_end, row_start
from akdask.formats.csv.text_file import TextFile, read_text
from akdask.records import record
from akdask.storage import tuning as storage_tuning
from akdask.storage.tuning import BLOCK_BYTES
from akdask.typing import Column, NumberArray

_SPARE = tuple(bytes([code]) for code in (0x1F, 0x1E, 0x1D, 0x1C, *range(1, 9), *range(0x0E, 0x1C)))
"""Bytes that text hardly ever has: one of them replaces a delimiter of several bytes."""

_TRUE, _FALSE = ("true", "True", "TRUE"), ("false", "False", "FALSE")
_TRUE_OR_1, _FALSE_OR_0 = (*_TRUE, "1"), (*_FALSE, "0")
"""Digits are parsed as bools only in columns declared bool; among words they would be changed."""

_PARSING = re.compile(r"CSV parse error: Row #(\d+): (.*)", re.DOTALL)
_VALUE = re.compile(r"invalid value '([^']*)'")
_CONVERSION = re.compile(r"In CSV column #(\d+): (?:Row #(\d+): )?(?:CSV conversion error to \S+: )?(.*)", re.DOTALL)
_LONG_ROW = "straddling object"
_SHOWN = 200


@record
class CsvColumn:
    """One column of CSV files.

    Parameters
    ----------
    position : int
        Of the field in a row.
    dtype : ColumnType
        The type of the column.
    is_time : bool
        Whether the text is a date or a time, which becomes nanoseconds since 1970.
    is_found : bool
        Whether the type was inferred from cells rather than chosen by the user: then no float may differ from the
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

    def column_of(self, name: str, column: CsvColumn) -> CsvColumn:
        """Return a column of the set with its position and type in this file."""
        position = self.names.index(name)
        own = None if self.types is None else self.types[position]
        return replace(column, position=position, dtype=own or column.dtype)

    def parse(
        self, data: NumberArray, columns: Mapping[str, CsvColumn], start: int, nrows: int, block: int = BLOCK_BYTES
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
        """Return the fields at given positions with their types; all fields, with inferred types, if None."""
        return pa.concat_tables(self._read(data, types, len(data) + 1))

    def _read(
        self,
        data: bytes | NumberArray,
        types: Mapping[str, pa.DataType] | None,
        block: int,
        *,
        has_digits: bool = False,
    ) -> Iterator[pa.Table]:
        """Yield the fields of blocks of rows, in order; at least one table, which may be empty."""
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
                use_threads=False,
                block_size=block,
                column_names=list(map(str, range(len(self.names)))),
                encoding=self.lines.encoding,
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
        """Raise an error that explains a failure of the parser.

        Parameters
        ----------
        error : pyarrow.ArrowInvalid
            The parser's error.
        start : int
            Where the rows begin in the file.
        data : bytes or ndarray of uint8
            The rows, to find the line of the failure.
        other : str, default "str"
            A type that accepts the failing cell, unless it is a number.
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
            hint = "name the encoding of the file, such as encoding='latin-1'; or name the other columns to read."
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
        """Return a column of a table from a row on."""
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
    """Return numbers as a NumPy array, with a value for missing ones."""
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
    """Return a column parsed cell by cell, with the smallest value for cells of another type."""
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
    """Return the name of a type for a cell that does not fit: bool or text if `is_bool`, else a number or text."""
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
    if column.is_time:
        return lambda cell: pa.scalar(cell).cast(pa.timestamp("ns")).value
    match column.dtype.kind:
        case "bool":
            false, true = (_FALSE, _TRUE) if column.is_found else (_FALSE_OR_0, _TRUE_OR_1)
            return lambda cell: (*false, *true).index(cell) >= len(false)
        case "float":
            return float
    return int


SAMPLE = 2**18
"""Bytes of each of the first files from which types are found."""

FILES = 8
"""Number of the first files, with samples of `SAMPLE` bytes."""

LATER = 2**14
"""Bytes of each sample of further files, which may be many."""

_LARGEST = 2**30
_NUMBERS = {"int64", "uint64", "double"}
_TIME = CsvColumn(0, INT64, is_time=True)
_DIGITS = r"^\s*[+-]?[0-9]+\s*$"


def given_types(dtypes: Any, names: Sequence[str]) -> dict[str, CsvColumn]:
    """Return the columns whose types a user has given.

    Parameters
    ----------
    dtypes : mapping of str to dtype, dtype or None
        Types by name, or one for all columns.
    names : sequence of str
        The columns.

    Raises
    ------
    MissingDatasetError
        If there is no column of a name.
    ArgumentTypeError
        If text cannot be read as values of a type.
    """
    if dtypes is None:
        return {}
    given = dtypes if isinstance(dtypes, Mapping) else dict.fromkeys(names, dtypes)
    missing = [name for name in given if name not in names]
    if missing:
        raise MissingDatasetError(
            f"there is no column {', '.join(map(repr, missing))} to give a type.",
            details=[f"columns: {', '.join(names)}"],
        )
    return {name: _given(names.index(name), dtype) for name, dtype in given.items()}


def _given(position: int, dtype: Any) -> CsvColumn:
    if (isinstance(dtype, str) and dtype.startswith("datetime64")) or getattr(dtype, "kind", "") == "M":
        return CsvColumn(position, INT64, is_time=True)
    found = column_type(dtype)
    if found not in (INT64, UINT64, FLOAT64, BOOL, STR):
        raise ArgumentTypeError(
            f"CSV files are not read as {found}.", hint="use int64, uint64, float64, bool, str or datetime64[ns]."
        )
    return CsvColumn(position, found)


def found_types(
    files: Sequence[tuple[TextFile, Head]], names: Sequence[str], lines: Lines, known: Mapping[str, CsvColumn]
) -> tuple[dict[str, CsvColumn], dict[str, dict[str, str]]]:
    """Return all columns, with types that the samples of some files agree on. A sample has whole rows.

    Columns of digits only are integers, unless cells are empty, since integers have no missing value. Integers beyond
    64 bits become text.

    Returns
    -------
    mapping of str to CsvColumn
        The columns.
    mapping of str to mapping of str to str
        For columns that are integers in some files and other numbers in others: each type, and the first file of it.
    """
    seen: dict[str, list[pa.DataType]] = {name: [] for name in names if name not in known}
    of_files: dict[str, dict[str, str]] = {name: {} for name in seen}
    sizes = [SAMPLE if number < FILES else min(LATER, SAMPLE) for number in range(len(files))]
    with ThreadPoolExecutor(storage_tuning.AT_ONCE) as threads:
        told = threads.map(lambda entry, size: _types_of(entry[0], entry[1], lines, size), files if seen else (), sizes)
        for (file, _), found in zip(files if seen else (), told, strict=True):
            for name, (refined, stored) in found.items():
                if name in seen:
                    seen[name].append(refined)
                    of_files[name].setdefault(stored, file.path)
    made = {name: _agreed(position, seen[name]) for position, name in enumerate(names) if name in seen}
    differing = {
        name: {kind: path for kind, path in found.items() if kind in _NUMBERS}
        for name, found in of_files.items()
        if made[name].dtype == FLOAT64 and len(_NUMBERS.intersection(found)) > 1
    }
    return {name: known[name] if name in known else made[name] for name in names}, differing


def _types_of(file: TextFile, head: Head, lines: Lines, size: int) -> dict[str, tuple[pa.DataType, str]]:
    """Return for each column of a file the type of its sample, and the type of its cells with a value."""
    sample = _sample(file, head.start, lines, size)
    if not sample:
        return {}
    rows = RowParser(file.path, head.names, lines, file=file)
    try:
        table = rows.table(sample, None)
    except pa.ArrowInvalid as error:
        rows.refuse(error, head.start, sample)
    refined = [_refined(rows, sample, str(position), found) for position, found in enumerate(table.columns)]
    # Empty cells in any file turn integers into floats.
    stored = (
        found.type if pa.types.is_integer(found.type) else kind
        for found, kind in zip(table.columns, refined, strict=True)
    )
    return {name: (kind, str(own)) for name, kind, own in zip(head.names, refined, stored, strict=True)}


def _sample(file: TextFile, start: int, lines: Lines, size: int) -> bytes:
    """Return the first rows of a file, of about `size` bytes."""
    while True:
        data = read_text(file, start, start + size)
        if len(data) < size:
            return data
        try:
            end = last_end(data, lines)
        except StrayQuoteError:
            end = data.rfind(b"\n") + 1
        if end:
            return data[:end]
        if size >= _LARGEST:
            raise FileFormatError(
                f"{file.path!r} has a row of more than {size:,} bytes.", hint="it has a quote that is never closed."
            )
        size *= 8


def _refined(rows: RowParser, sample: bytes, field: str, found: pa.ChunkedArray) -> pa.DataType:
    """Look twice where pyarrow's answer would lose values: empty cells, and integers beyond the signed ones."""
    if found.null_count and (pa.types.is_integer(found.type) or pa.types.is_boolean(found.type)):
        return pa.float64() if pa.types.is_integer(found.type) else pa.large_string()
    if not pa.types.is_floating(found.type) or found.null_count or not _may_be_integers(found):
        return found.type
    try:
        rows.table(sample, {field: pa.uint64()})
    except pa.ArrowInvalid:
        text = rows.table(sample, {field: pa.large_string()}).column(field)
        return pa.large_string() if pc.all(pc.match_substring_regex(text, _DIGITS)).as_py() else found.type
    return pa.uint64()


def _may_be_integers(found: pa.ChunkedArray) -> bool:
    """Whether floats are that large that they may be integers beyond the signed ones."""
    most: float | None = pc.max(pc.abs(found)).as_py()
    return most is not None and most >= 2.0**63


def _agreed(position: int, seen: Sequence[pa.DataType]) -> CsvColumn:
    """Return the column that can hold the inferred types of all samples; text can hold anything."""
    kinds = {_kind(found) for found in seen if not pa.types.is_null(found)}
    if kinds == {_TIME}:
        return CsvColumn(position, INT64, is_time=True)
    types = {STR if isinstance(kind, CsvColumn) else kind for kind in kinds}
    has_empty = any(map(pa.types.is_null, seen))  # files with only empty cells, where other files have some too
    numbers: set[ColumnType] = {INT64, UINT64, FLOAT64}
    dtype: ColumnType = STR
    if types and types <= numbers:
        dtype = FLOAT64 if FLOAT64 in types or has_empty else UINT64 if UINT64 in types else INT64
    elif types == {BOOL} and not has_empty:
        dtype = BOOL
    return CsvColumn(position, dtype, is_found=True)


def _kind(found: pa.DataType) -> ColumnType | CsvColumn:
    if pa.types.is_timestamp(found) or pa.types.is_date(found):
        return _TIME
    if found in (pa.int64(), pa.uint64(), pa.float64(), pa.bool_()):
        return column_type(np.dtype(found.to_pandas_dtype()))
    return STR
