"""A set of CSV files: its columns from the heads, its rows and the types of its cells from a scan of all bytes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property
from hashlib import blake2b
from types import TracebackType
from typing import Any, TypeAlias

from dask.system import CPU_COUNT

from akdask import config
from akdask.caches import cached_results
from akdask.cluster import check_memory, partition_size
from akdask.columns.dtypes import FLOAT64, INT64, STR, UINT64, ColumnType
from akdask.columns.exact import widen_into
from akdask.columns.memory import new_array
from akdask.columns.table import own_rows, slice_rows
from akdask.errors import ArgumentError, InconsistentFilesError, MissingDatasetError
from akdask.formats.csv.lines import (
    MISSING,
    ByteRange,
    Head,
    Lines,
    LongRowError,
    Scanned,
    UnclosedQuoteError,
    checked_delimiter,
    checked_encoding,
    padded,
    read_head,
    scanned,
)
from akdask.formats.csv.parse import RowParser
from akdask.formats.csv.text_file import TextFile, text_file, text_reader
from akdask.formats.csv.types import CsvColumn, found_types, given_types
from akdask.records import record
from akdask.storage import decoded_columns
from akdask.storage import tuning as storage_tuning
from akdask.storage.catalog import compare_with_catalogs
from akdask.storage.files import FileIdentity, concurrently, identify_all, is_remote
from akdask.storage.locales import Filenames, patterns_of
from akdask.storage.manifest import SummedFile, SummedManifest, Told
from akdask.storage.objects import (
    MAY_LACK,
    UNIT,
    VALUES,
    ZONE,
    Difference,
    ObjType,
    StoredColumn,
    StoredObject,
    differing_error,
    warn_of_left_out,
)
from akdask.storage.recovery import settled
from akdask.storage.registry import lost_error, readable, shown
from akdask.storage.source import PartReader, Source
from akdask.typing import Column, NumberArray


class CsvPartReader(PartReader):
    """Reads the columns of one partition; the first read parses all requested columns.

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
        return slice_rows(self._parsed[column], start, stop)


@record
class CsvPart:
    """One partition: a range of bytes of one file.

    Parameters
    ----------
    file : FileIdentity or CompressedFile
        The file, in the state that was scanned.
    range : ByteRange
        Its rows.
    rows : RowParser
        How they are parsed.
    columns : mapping of str to CsvColumn
        Only the columns that will be read, in the types of this file.
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
        """Return the columns, from memory or parsed; for errors see `RowParser.parse`."""
        keys = {name: self._cache_key(name) for name in self.columns}
        wanted = {name for name, key in keys.items() if self._is_wanted(name, key)}
        found = {name: column for name, key in keys.items() if (column := decoded_columns.find(key)) is not None}
        rest = [name for name in keys if name not in found]
        if rest:
            found |= self._parsed(rest)
        else:
            with text_reader(self.file):
                pass  # this tells whether the file has changed
        for name in rest:
            if name in wanted:
                # Numbers of a file are rows of one array; of text, only the offsets are.
                is_number = self.columns[name].is_number
                found[name] = decoded_columns.keep(keys[name], own_rows(found[name]) if is_number else found[name])
        return found

    def _cache_key(self, name: str) -> Hashable:
        return self.file, self.range, self.rows.identity, self.columns[name], self.dtypes.get(name)

    def _is_wanted(self, name: str, key: Hashable) -> bool:
        dtype = self.columns[name].dtype
        width = dtype.itemsize if dtype.is_number else storage_tuning.TEXT_ROW_BYTES
        return not self.is_remote and decoded_columns.is_wanted(key, self.nrows * width, at_once=True)

    def _parsed(self, names: Sequence[str]) -> dict[str, Column]:
        """Read the bytes and parse some columns."""
        start, stop, nrows = self.range
        if not isinstance(self.file, FileIdentity):
            check_memory(
                stop - start, f"the text of {self.file.path!r} takes", "unpack the file, which can then be cut"
            )
        data = padded(stop - start)
        with text_reader(self.file) as reader:
            reader.read_into(data[: stop - start], start, "CSV")
        found = self.rows.parse(data, {name: self.columns[name] for name in names}, start, nrows)
        for name in self.dtypes.keys() & found.keys():
            numbers: Any = found[name]
            found[name] = new_array(nrows, self.dtypes[name].numpy)
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


File: TypeAlias = tuple[TextFile, Head]
Files: TypeAlias = Sequence[File]

_NUMBERS = {"int64", "uint64", "float64", "double"}
_HINT = "dtypes={…} gives a type to columns of files that tell none; or read the files of each type by themselves"


class CsvSet:
    """The CSV files of one set; implements `akdask.storage.objects.StoredSet`.

    Parameters
    ----------
    files : sequence of (FileIdentity or CompressedFile, Head)
        In the order of the rows.
    lines : Lines
        Rules that delimit rows, of files without a header.
    dtypes : mapping of str to dtype, dtype or None
        Types that the user has given.
    label : str
        How plans and messages name the set.
    allow_errors : bool
        Give the smallest value of its type for a cell that does not fit.
    widen : bool, default False
        Read numbers that files have in different types in one that has all of them.
    """

    def __init__(
        self,
        files: Files,
        lines: Lines,
        dtypes: Any,
        label: str,
        *,
        allow_errors: bool,
        widen: bool = False,
    ) -> None:
        self._files = files
        self._widen = widen
        self._dtypes = dtypes
        self._label = label
        self._allow_errors = allow_errors
        self._limit = max(partition_size() // 2, 1)  # text and parsed columns are in memory at the same time
        head = files[0][1]
        # A row of one empty text is a line without any byte. Other writers leave such lines where they have no rows.
        is_told = head.types is not None
        self._lines = replace(lines, keeps_blank=is_told and len(head.names) == 1, demands_all=is_told)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, in order."""
        return tuple(file.path for file, _ in self._files)

    @cached_property
    def names(self) -> list[str]:
        """Names of all columns; reads nothing.

        Raises
        ------
        MissingDatasetError
            If a user gives the type of another column.
        ArgumentTypeError
            If text cannot be read as values of a type.
        """
        found = list(dict.fromkeys(name for _, head in self._files for name in head.names))
        given_types(self._dtypes, found)
        return found

    @property
    def columns(self) -> Mapping[str, CsvColumn]:
        """All columns with their types: from the user, else the header, else samples."""
        return self._found[0]

    @property
    def differences(self) -> Mapping[str, Difference]:
        """Columns that the files have differently, and how."""
        return self._found[1]

    @cached_property
    def _found(self) -> tuple[Mapping[str, CsvColumn], Mapping[str, Difference]]:
        names = self.names
        known = given_types(self._dtypes, names)
        if self._files[0][1].types is None:
            seen = [
                (file.path, head.names, found.classes)
                for (file, head), found in zip(self._files, self._scanned(classed=len(known) < len(names)), strict=True)
            ]
            columns, of_files = found_types(seen, names, known)
        else:
            columns, of_files = self._typed_columns(names, known)
        lacking = {name: [file.path for file, head in self._files if name not in head.names] for name in names}
        differences = {
            name: Difference(f"{len(paths)} of {len(self._files)} files do not have it", paths)
            for name, paths in lacking.items()
            if paths
        }
        for name, found in of_files.items():
            numbers = found.keys() <= _NUMBERS
            if name not in differences and not (numbers and self._widen):
                told = [f"{path}: {kind}" for kind, path in found.items()]
                differences[name] = Difference(f"it is {' and '.join(found)}", told, can_widen=numbers)
        return columns, differences

    def _typed_columns(
        self, names: Sequence[str], known: Mapping[str, CsvColumn]
    ) -> tuple[dict[str, CsvColumn], dict[str, dict[str, str]]]:
        """Return the columns with types from headers, where the user has given none, like `found_types`."""
        of_files: dict[str, dict[str, str]] = {name: {} for name in names}
        types: dict[str, dict[str, ColumnType]] = {name: {} for name in names}
        for file, head in self._files:
            for name, dtype in zip(head.names, head.types or (), strict=True):
                of_files[name].setdefault(dtype.name, file.path)
                types[name].setdefault(dtype.name, dtype)
        columns = {
            name: known.get(name, CsvColumn(position, _common(list(types[name].values()))))
            for position, name in enumerate(names)
        }
        return columns, {name: found for name, found in of_files.items() if len(found) > 1 and name not in known}

    @cached_property
    def kinds(self) -> Mapping[str, ObjType]:
        """Kinds of all columns by name, in the order of the fields."""
        return {name: _kind(column) for name, column in self.columns.items()}

    def objects(self, names: Sequence[str] | None = None) -> dict[str, StoredObject]:
        """Return columns, all if no names are given; scans all bytes of files that have not been scanned.

        Raises
        ------
        MissingDatasetError
            If there is no column of a name.
        FileFormatError
            If the rows of a file cannot be delimited.
        """
        wanted = self._readable() if names is None else list(dict.fromkeys(names))
        missing = [name for name in wanted if name not in self.columns]
        if missing:
            raise MissingDatasetError(
                f"{self._label} has no dataset {', '.join(map(repr, missing))}.",
                details=[f"datasets: {', '.join(self.columns)}"],
                hint="name some of these, or none for all.",
            )
        differing = {name: self.differences[name] for name in wanted if name in self.differences}
        if differing:
            raise differing_error(differing, _HINT)
        source = self._source
        found = {}
        for name in wanted:
            column = self.columns[name]
            params = {MAY_LACK: column.may_lack, UNIT: column.unit, ZONE: column.zone} if column.is_time else {}
            found[name] = StoredObject(name, self.kinds[name], {VALUES: StoredColumn(source, name)}, params=params)
        return found

    def _readable(self) -> list[str]:
        """Return the columns read by default: all that the files have alike."""
        rest = [name for name in self.columns if name not in self.differences]
        if self.differences and not rest:
            raise differing_error(self.differences, _HINT)
        warn_of_left_out(self._label, self.differences)
        return rest

    def _own_types(self, head: Head) -> tuple[ColumnType | None, ...] | None:
        """Return the types from a file's header, None for columns whose type the user has given."""
        if head.types is None:
            return None
        given = given_types(self._dtypes, list(self.columns))
        return tuple(None if name in given else dtype for name, dtype in zip(head.names, head.types, strict=True))

    def _scanned(self, *, classed: bool) -> list[Scanned]:
        """Return the findings of scans of the files; `classed` if the classes of cells are wanted, too."""
        waits = any(is_remote(file.path) for file, _ in self._files)
        rows = [
            RowParser(file.path, head.names, self._lines, self._allow_errors, file=file) for file, head in self._files
        ]
        with ThreadPoolExecutor(min(storage_tuning.AT_ONCE if waits else CPU_COUNT, len(rows))) as threads:
            return list(
                threads.map(
                    lambda entry, parsed: _scan(entry[0], entry[1].start, parsed, self._limit, classed=classed),
                    self._files,
                    rows,
                )
            )

    @cached_property
    def _source(self) -> CsvSource:
        is_told = self._files[0][1].types is not None
        found = self._scanned(classed=not is_told and any(column.is_found for column in self.columns.values()))
        rows = [
            RowParser(file.path, head.names, self._lines, self._allow_errors, self._own_types(head), file)
            for file, head in self._files
        ]
        files, ranges = [file for file, _ in self._files], [one.ranges for one in found]
        return CsvSource(files, ranges, rows, self.columns, self._label)


def _kind(column: CsvColumn) -> ObjType:
    if column.is_time:
        return ObjType.DATETIME
    return ObjType.STRINGS if column.dtype == STR else ObjType.PDARRAY


@cached_results("scans of CSV files", 4096, lambda found: found.classes.nbytes + sum(map(sys.getsizeof, found.ranges)))
def _scan(file: TextFile, start: int, rows: RowParser, limit: int, *, classed: bool) -> Scanned:
    """Return the rows of a file in ranges, and the classes of its cells if they are wanted."""
    try:
        return scanned(file, start, rows.lines, limit, columns=len(rows.names) if classed else 0)
    except UnclosedQuoteError:
        rows.refuse_end()
    except LongRowError as error:
        rows.refuse_fields(error.count, error.start)


def open_set(
    filenames: Filenames,
    *,
    column_delim: str = ",",
    allow_errors: bool = False,
    dtypes: Any = None,
    names: Sequence[str] | None = None,
    widen: bool = False,
    encoding: str = "utf-8",
    on_bad_lines: str = "error",
    comment: str | None = None,
    decimal: str = ".",
    thousands: str | None = None,
    skiprows: Any = 0,
    na_values: Any = (),
) -> CsvSet:
    """Open a set of CSV files: find them and read their heads.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Each a file or a glob pattern.
    column_delim : str, default ","
        The delimiter between fields.
    allow_errors : bool, default False
        Leave out files that are missing or cannot be read, with one warning, and give the smallest value of its type
        for a cell that does not fit.
    dtypes : mapping of str to dtype, dtype or None
        Types by name, or one for all columns.
    names : sequence of str, optional
        Names of the columns, for files without a line of names.
    widen : bool, default False
        Read numbers that files have in different types in one that has all of them.
    encoding : str, default "utf-8"
        The encoding of text, in which ASCII is as in UTF-8.
    on_bad_lines, comment, decimal, thousands, skiprows, na_values : str, int or sequence
        See `akdask.read_csv`.

    Raises
    ------
    MissingFileError, FileFormatError
        If files are missing or no CSV files.
    InconsistentFilesError
        If a file named by a manifest is missing, or the files do not have the same columns; all differences are listed.
    """
    delimiter, known = checked_delimiter(column_delim), checked_encoding(encoding)
    rules = _rules(on_bad_lines, comment, decimal, thousands)
    lines = Lines(delimiter, keeps_blank=False, encoding=known, missing=_missing(na_values), **rules)
    if not isinstance(skiprows, int) or skiprows < 0:
        raise ArgumentError(f"skiprows cannot be {skiprows!r}.", hint="it is a number of lines.")
    label = f"read_csv({shown(filenames)})"

    patterns = patterns_of(filenames)

    def look(paths: Sequence[str]) -> Files:
        files = identify_all(paths)
        compare_with_catalogs(files)
        describe, lost = describer(files, patterns)
        if lost:
            raise lost_error(lost)
        return concurrently(describe, files)

    def describer(
        files: Sequence[FileIdentity], patterns: Sequence[re.Pattern[str]]
    ) -> tuple[Callable[[FileIdentity], File], list[str]]:
        nothing: Told[SummedFile] = Told({}, {}, [])
        told = SummedManifest.told(files, patterns) if config.get("manifest") else nothing

        def described(file: FileIdentity) -> File:
            if config.get("verify_checksums"):
                proven, claimed = told.in_place.get(file.path), told.unproven.get(file.path)
                found = proven or claimed
                if found is not None and found.sums is not None:
                    found.sums.check_once(file, is_proven=proven is not None)
            return _headed(file, lines, names, skiprows)

        return described, told.lost

    files = readable(filenames, describer) if allow_errors else settled(filenames, look)
    _check_agreement(files)
    return CsvSet(files, lines, dtypes, label, allow_errors=allow_errors, widen=widen)


def _rules(on_bad_lines: object, comment: object, decimal: object, thousands: object) -> dict[str, Any]:
    """Return the rules that arguments of a user are.

    Raises
    ------
    ArgumentError
        If one of them has no meaning.
    """
    if on_bad_lines not in ("error", "skip"):
        raise ArgumentError(
            f"rows with too many fields are not treated by {on_bad_lines!r}.", hint="'error' or 'skip'."
        )
    characters = {"comment": comment or "", "decimal": decimal, "thousands": thousands or ""}
    for word, mark in characters.items():
        is_mark = isinstance(mark, str) and mark.isascii() and len(mark) <= 1 and mark not in set('"\r\n0123456789')
        if not is_mark or (word == "decimal" and not mark):
            raise ArgumentError(f"{word} cannot be {mark!r}.", hint="it is one character of ASCII.")
    return {"skips_long": on_bad_lines == "skip", **characters}


def _missing(na_values: Any) -> tuple[bytes, ...]:
    """Return the cells that have no value: those that a user names, and the common ones.

    Raises
    ------
    ArgumentError
        If what is named is neither text nor a number, or is too long.
    """
    given = [na_values] if isinstance(na_values, str | int | float) else na_values or []
    if isinstance(given, Mapping) or not all(isinstance(one, str | int | float) for one in given):
        raise ArgumentError(f"na_values cannot be {na_values!r}.", hint="it is a text, a number or a list of these.")
    words = [str(one).encode() for one in given]
    if any(len(word) > _LONGEST_WORD for word in words):
        raise ArgumentError(f"a missing value has at most {_LONGEST_WORD} bytes.", hint="name a shorter one.")
    return tuple(dict.fromkeys([*MISSING, *words]))


_LONGEST_WORD = 255


def _headed(file: FileIdentity, lines: Lines, names: Sequence[str] | None, skiprows: int) -> File:
    """Return a file as text, and its head."""
    text = text_file(file)
    return text, read_head(text, lines.delimiter, names, lines.encoding, lines.comment, skiprows=skiprows)


def _check_agreement(files: Files) -> None:
    """Refuse sets of two kinds: lines without text are rows of one and no rows of the other."""
    first, *rest = [(file.path, head.types is None) for file, head in files]
    other = next((path for path, is_bare in rest if is_bare != first[1]), None)
    if other is not None:
        raise InconsistentFilesError(
            "some of the CSV files begin with Arkouda's header, and others do not.",
            details=[f"with: {other if first[1] else first[0]}", f"without: {first[0] if first[1] else other}"],
            hint="read them one by one.",
        )


def _common(dtypes: Sequence[ColumnType]) -> ColumnType:
    """Return the common type of several number types; the first type unless all are numbers."""
    found = set(dtypes)
    if len(found) == 1 or not found <= {INT64, UINT64, FLOAT64}:
        return dtypes[0]
    return FLOAT64 if FLOAT64 in found else INT64
