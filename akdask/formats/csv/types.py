"""The types of CSV columns: given by the user, or by the classes of all cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, STR, UINT64, ColumnType, column_type
from akdask.errors import ArgumentTypeError, MissingDatasetError
from akdask.formats.csv.lines import (
    BIG,
    FAR,
    FINE,
    FLOAT,
    INEXACT,
    NAIVE,
    NEGATIVE,
    NO_VALUE,
    SMALL,
    TEXT,
    TIME,
    UNSIGNED,
    WORD,
    ZONED,
    Classes,
    merged_classes,
)
from akdask.records import record


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
        Whether the text is a date or a time, which becomes a number since 1970.
    is_found : bool
        Whether the type was inferred from cells rather than chosen by the user: then digits are no bools.
    may_change : bool
        Whether the type was inferred, and an integer among the cells of floats has no equal float.
    unit : {"ns", "us"}
        The unit of times.
    zone : str, optional
        The zone of times.
    may_lack : bool
        Whether a time may be missing.
    """

    position: int
    dtype: ColumnType
    is_time: bool = False
    is_found: bool = False
    may_change: bool = False
    unit: str = "ns"
    zone: str | None = None
    may_lack: bool = True

    @property
    def is_number(self) -> bool:
        """Whether cells are words of 64 bits to the loop that reads them."""
        return self.dtype.is_number or self.dtype.nullable


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
    files: Sequence[tuple[str, Sequence[str], Classes]], names: Sequence[str], known: Mapping[str, CsvColumn]
) -> tuple[dict[str, CsvColumn], dict[str, dict[str, str]]]:
    """Return all columns, with the types that hold the cells of all files.

    Parameters
    ----------
    files : sequence of (str, sequence of str, ndarray)
        Path, columns and classes of each file.
    names : sequence of str
        All columns.
    known : mapping of str to CsvColumn
        Columns whose types are given.

    Returns
    -------
    mapping of str to CsvColumn
        The columns.
    mapping of str to mapping of str to str
        For columns that are integers in some files and other numbers in others: each type, and the first file of it.
    """
    columns: dict[str, CsvColumn] = {}
    differing: dict[str, dict[str, str]] = {}
    for position, name in enumerate(names):
        if name in known:
            columns[name] = known[name]
            continue
        kinds: dict[str, str] = {}
        classes = np.zeros((1, 3), np.int64)
        for path, own, found in files:
            if name in own and len(found):
                one = found[own.index(name)][None]
                classes = merged_classes(classes, one)
                kind = _kind_of_numbers(int(one[0, 0]))
                if kind:
                    kinds.setdefault(kind, path)
        columns[name] = _column(position, *classes[0].tolist())
        if columns[name].dtype == FLOAT64 and len(kinds) > 1:
            differing[name] = kinds
    return columns, differing


def _kind_of_numbers(seen: int) -> str:
    return "double" if seen & FLOAT else "uint64" if seen & UNSIGNED else "int64" if seen & SMALL else ""


def _column(position: int, seen: int, least: int, most: int) -> CsvColumn:
    """Return a column of the type that has the values of all cells, as pandas infers it; text holds anything.

    Digits are integers, unless cells are empty, since integers have no missing value.  Those that do not all have
    64 bits are bigint, or text beside floats and empty cells.
    """
    numbers = seen & (SMALL | UNSIGNED | BIG | FLOAT)
    if bool(seen & TEXT) + bool(numbers) + bool(seen & WORD) + bool(seen & TIME) > 1 or seen & TEXT:
        return CsvColumn(position, STR, is_found=True)
    if seen & TIME:
        if (seen & NAIVE and seen & ZONED) or (seen & FAR and seen & FINE):
            return CsvColumn(position, STR, is_found=True)
        zone = None if seen & NAIVE else "UTC" if least != most or not least else _offset(least)
        unit = "us" if seen & FAR else "ns"
        return CsvColumn(position, INT64, is_time=True, unit=unit, zone=zone, may_lack=bool(seen & NO_VALUE))
    if seen & WORD:
        return CsvColumn(position, replace(BOOL, nullable=bool(seen & NO_VALUE)), is_found=True)
    if (seen & BIG and seen & (FLOAT | NO_VALUE)) or (seen & UNSIGNED and seen & NO_VALUE):
        return CsvColumn(position, STR, is_found=True)
    if seen & (FLOAT | NO_VALUE):
        return CsvColumn(position, FLOAT64, is_found=True, may_change=bool(seen & INEXACT))
    is_wide = seen & BIG or (seen & UNSIGNED and seen & NEGATIVE)
    integers = UINT64 if seen & UNSIGNED else INT64
    return CsvColumn(position, BIGINT if is_wide else integers if seen else STR, is_found=True)


def _offset(minutes: int) -> str:
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"
