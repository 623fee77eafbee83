"""A set of CSV files as one thing: its columns by the head and a sample, its rows by a look at all bytes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from typing import Any, TypeAlias

import pyarrow as pa
from dask.system import CPU_COUNT

from akdask import config
from akdask.cluster import partition_size
from akdask.csv.compressed import TextFile, read_text, text_file
from akdask.csv.head import Head, checked_delimiter, read_head
from akdask.csv.lines import ByteRange, Lines, StrayQuoteError, UnclosedQuoteError, byte_ranges
from akdask.csv.parse import CsvColumn, RowParser
from akdask.csv.source import CsvSource
from akdask.csv.types import found_types, given_types
from akdask.errors import FileFormatError, InconsistentFilesError, MissingDatasetError
from akdask.storage.atomic.manifest_rows import Told
from akdask.storage.atomic.object_store import compare_with_catalogs
from akdask.storage.atomic.recovery import settled
from akdask.storage.atomic.summed_files import SummedFile, SummedManifest
from akdask.storage.formats.objects import VALUES, ObjType, StoredColumn, StoredObject
from akdask.storage.formats.opening import lost_error, readable, shown
from akdask.storage.paths.files import FileIdentity, identify_all, is_remote
from akdask.storage.paths.locales import Filenames, patterns_of
from akdask.storage.paths.remote import AT_ONCE, concurrently

File: TypeAlias = tuple[TextFile, Head]
Files: TypeAlias = Sequence[File]

_TO_END = 2**62
"""More bytes than any text has."""


class CsvSet:
    """Files that belong together; implements `akdask.storage.formats.objects.StoredSet`.

    Parameters
    ----------
    files : sequence of (FileIdentity or CompressedFile, Head)
        In the order of the rows; all have the same columns.
    delimiter : bytes
        What stands between fields.
    dtypes : mapping of str to dtype, dtype or None
        Types that the user has given.
    label : str
        How plans and messages name the set.
    allow_errors : bool
        Give the smallest value of its type for a cell that does not fit.
    """

    def __init__(self, files: Files, delimiter: bytes, dtypes: Any, label: str, *, allow_errors: bool) -> None:
        self._files = files
        self._dtypes = dtypes
        self._label = label
        self._allow_errors = allow_errors
        head = files[0][1]
        # A row of one empty text is a line without any byte; other writers leave such lines where they have no rows.
        self._lines = Lines(delimiter, keeps_blank=head.types is not None and len(head.names) == 1)

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, in order."""
        return tuple(file.path for file, _ in self._files)

    @cached_property
    def columns(self) -> Mapping[str, CsvColumn]:
        """All columns with their types: those given, else of the header, else found from samples."""
        head = self._files[0][1]
        known = given_types(self._dtypes, head.names)
        if head.types is None:
            return found_types(self._files, self._lines, known)
        told = {name: CsvColumn(position, head.types[position]) for position, name in enumerate(head.names)}
        return {**told, **known}

    @cached_property
    def kinds(self) -> Mapping[str, ObjType]:
        """Kinds of all columns by name, in the order of the fields."""
        return {name: _kind(column) for name, column in self.columns.items()}

    def objects(self, names: Sequence[str] | None = None) -> dict[str, StoredObject]:
        """Return columns, all if no names are given; looks at all bytes of files that have not been looked at.

        Raises
        ------
        MissingDatasetError
            If there is no column of a name.
        FileFormatError
            If the rows of a file cannot be told apart.
        """
        wanted = list(self.columns) if names is None else list(dict.fromkeys(names))
        missing = [name for name in wanted if name not in self.columns]
        if missing:
            raise MissingDatasetError(
                f"{self._label} has no dataset {', '.join(map(repr, missing))}.",
                details=[f"datasets: {', '.join(self.columns)}"],
            )
        source = self._source
        return {name: StoredObject(name, self.kinds[name], {VALUES: StoredColumn(source, name)}) for name in wanted}

    @cached_property
    def _source(self) -> CsvSource:
        limit = max(partition_size() // 2, 1)  # text, and what it is parsed to, are in memory at the same time
        rows = [RowParser(file.path, head.names, self._lines, self._allow_errors) for file, head in self._files]
        waits = any(is_remote(file.path) for file, _ in self._files)
        with ThreadPoolExecutor(min(AT_ONCE if waits else CPU_COUNT, len(rows))) as threads:
            found = threads.map(
                lambda entry, parsed: _ranges(entry[0], entry[1].start, parsed, limit), self._files, rows
            )
            ranges = list(found)
        return CsvSource([file for file, _ in self._files], ranges, rows, self.columns, self._label)


def _kind(column: CsvColumn) -> ObjType:
    if column.is_time:
        return ObjType.DATETIME
    return ObjType.PDARRAY if column.dtype.is_number else ObjType.STRINGS


@lru_cache(maxsize=4096)
def _ranges(file: TextFile, start: int, rows: RowParser, limit: int) -> Sequence[ByteRange]:
    """Return the rows of a file, in one range if its quotes do not tell where to cut it."""
    try:
        return byte_ranges(file, start, rows.lines, limit)
    except UnclosedQuoteError:
        raise FileFormatError(
            f"{file.path!r} ends inside a field in quotes.", hint="a quote is never closed, or the file is truncated."
        ) from None
    except StrayQuoteError:
        data = read_text(file, start, _TO_END)
        try:
            return [ByteRange(start, start + len(data), rows.table(data, {"0": pa.large_string()}).num_rows)]
        except pa.ArrowInvalid as error:
            rows.refuse(error, start)


def open_set(
    filenames: Filenames,
    *,
    column_delim: str = ",",
    allow_errors: bool = False,
    dtypes: Any = None,
    names: Sequence[str] | None = None,
) -> CsvSet:
    """Open a set of CSV files: find them and read their heads.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Each a file or a glob pattern.
    column_delim : str, default ","
        What stands between fields.
    allow_errors : bool, default False
        Leave out files that are missing or cannot be read, with one warning, and give the smallest value of its type
        for a cell that does not fit.
    dtypes : mapping of str to dtype, dtype or None
        Types by name, or one for all columns.
    names : sequence of str, optional
        Names of the columns, for files without a line of names.

    Raises
    ------
    MissingFileError, FileFormatError
        If files are missing or no CSV files.
    InconsistentFilesError
        If a file is missing that a manifest names; or if the files do not have the same columns; all that differ are
        told.
    """
    delimiter = checked_delimiter(column_delim)
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
                known, claimed = told.in_place.get(file.path), told.unproven.get(file.path)
                found = known or claimed
                if found is not None and found.sums is not None:
                    found.sums.check_once(file, is_proven=known is not None)
            return _headed(file, delimiter, names)

        return described, told.lost

    files = readable(filenames, describer) if allow_errors else settled(filenames, look)
    _check_agreement(files)
    return CsvSet(files, delimiter, dtypes, label, allow_errors=allow_errors)


def _headed(file: FileIdentity, delimiter: bytes, names: Sequence[str] | None) -> File:
    """Return a file as one of text, and its head."""
    text = text_file(file)
    return text, read_head(text, delimiter, names)


def _check_agreement(files: Files) -> None:
    first = files[0][1]
    differing = [
        f"{file.path}: {_described(head)}"
        for file, head in files
        if (head.names, head.types) != (first.names, first.types)
    ]
    if differing:
        raise InconsistentFilesError(
            "the CSV files do not have the same columns.",
            details=[f"{files[0][0].path}: {_described(first)}", *differing],
            hint="read them one by one.",
        )


def _described(head: Head) -> str:
    types = head.types or ("",) * len(head.names)
    return ", ".join(f"{name!r} {kind}".strip() for name, kind in zip(head.names, types, strict=True))
