"""Types of the columns of CSV files without Arkouda's header: given by the user, or found from samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.csv.compressed import TextFile, read_text
from akdask.csv.head import Head
from akdask.csv.lines import Lines, StrayQuoteError, last_end
from akdask.csv.parse import CsvColumn, RowParser
from akdask.deferred import pc
from akdask.errors import ArgumentTypeError, FileFormatError, MissingDatasetError
from akdask.schema import BOOL, FLOAT64, INT64, STR, UINT64, ColumnType, column_type
from akdask.storage.paths.remote import AT_ONCE

SAMPLE = 2**18
"""Bytes of each of the first files from which types are found."""

FILES = 8
"""Files of which samples are that large."""

LATER = 2**14
"""Bytes of each of the others, which may be many."""

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
    """Return all columns, with types that the samples of some files agree on; a sample has whole rows.

    What has digits only is an integer, unless cells of the column are empty, which integers cannot be; text where some
    are beyond 64 bits.

    Returns
    -------
    mapping of str to CsvColumn
        The columns.
    mapping of str to mapping of str to str
        Of those that are integers in some files and other numbers in others: each type, and the first file of it.
    """
    seen: dict[str, list[pa.DataType]] = {name: [] for name in names if name not in known}
    of_files: dict[str, dict[str, str]] = {name: {} for name in seen}
    sizes = [SAMPLE if number < FILES else min(LATER, SAMPLE) for number in range(len(files))]
    with ThreadPoolExecutor(AT_ONCE) as threads:
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
    """Return of each column of a file the type that holds a sample of it, and that of the cells that have a value."""
    sample = _sample(file, head.start, lines, size)
    if not sample:
        return {}
    rows = RowParser(file.path, head.names, lines, file=file)
    try:
        table = rows.table(sample, None)
    except pa.ArrowInvalid as error:
        rows.refuse(error, head.start, sample)
    refined = [_refined(rows, sample, str(position), found) for position, found in enumerate(table.columns)]
    # Empty cells make floats of integers, whichever file has them.
    stored = (
        found.type if pa.types.is_integer(found.type) else kind
        for found, kind in zip(table.columns, refined, strict=True)
    )
    return {name: (kind, str(own)) for name, kind, own in zip(head.names, refined, stored, strict=True)}


def _sample(file: TextFile, start: int, lines: Lines, size: int) -> bytes:
    """Return the first rows of a file, of about so many bytes."""
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
    """Return the column that can hold what all samples were taken for; text can hold anything."""
    kinds = {_kind(found) for found in seen if not pa.types.is_null(found)}
    if kinds == {_TIME}:
        return CsvColumn(position, INT64, is_time=True)
    types = {STR if isinstance(kind, CsvColumn) else kind for kind in kinds}
    has_empty = any(map(pa.types.is_null, seen))  # files of nothing but empty cells, as others have some
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
