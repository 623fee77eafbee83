"""Rows of large CSV files as the loops of the house parse them, where that is as pandas does.

One scan of all bytes finds the classes of all cells, hence the types that pandas infers; only columns that are needed
are parsed.  pandas gives text whose rows of some stretch are all numbers or bools objects of both kinds: such columns,
integers beyond 64 bits, bools that are missing, and arguments that are not known here are for pandas to parse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas
import pyarrow as pa

from akdask.columns.dtypes import NULLABLE_STR, STR
from akdask.columns.strings import from_nulls
from akdask.formats.csv.lines import (
    AFTER_T,
    BIG,
    DAY,
    FAR,
    FINE,
    FLOAT,
    FORM,
    FRACTION,
    FRACTION_AFTER_T,
    MISSING,
    NO_VALUE,
    SECOND,
    SMALL,
    TEXT,
    TIME,
    UNSIGNED,
    WORD,
    ZERO,
    ByteRange,
    Bytes,
    Lines,
    UnclosedQuoteError,
    scanned,
)
from akdask.formats.csv.loops import find_missing
from akdask.formats.csv.parse import RowParser
from akdask.formats.csv.text_file import TextFile
from akdask.formats.csv.types import CsvColumn
from akdask.pandas.face import words
from akdask.pandas.refusals import NotLazyError
from akdask.records import record

KNOWN = words(
    """sep delimiter header names index_col usecols dtype engine skiprows na_values keep_default_na na_filter
    parse_dates comment encoding decimal low_memory compression on_bad_lines"""
)
"""Arguments of `read_csv` with which the house parses as pandas does."""


@record
class OwnRows(RowParser):
    """How the loops of the house parse a part of a file; see `RowParser`."""

    def parse(self, data: Bytes, columns: Mapping[str, CsvColumn], start: int, nrows: int) -> dict[str, Any]:
        """Return columns of the rows that some bytes are; text may be missing."""
        plain = {name: replace(one, dtype=STR) if one.dtype == NULLABLE_STR else one for name, one in columns.items()}
        made = RowParser.parse(self, data, plain, start, nrows)
        return {
            name: self._or_missing(made[name]) if column.dtype == NULLABLE_STR else made[name]
            for name, column in columns.items()
        }

    def _or_missing(self, text: Any) -> Any:
        _, offsets, data = text.buffers()
        valid = np.empty((len(text) + 7) // 8, np.uint8)
        bounds = np.frombuffer(offsets, np.int64, len(text) + 1)
        missing = find_missing(np.frombuffer(data, np.uint8), bounds, self.lines.options, valid)
        if not missing:
            return text
        return from_nulls(pa.LargeStringArray.from_buffers(len(text), offsets, data, pa.py_buffer(valid), missing))


def rules_of(options: Mapping[str, Any]) -> Lines:
    """Return the rules that arguments of `read_csv` are.

    Raises
    ------
    NotLazyError
        If the house does not know an argument, or reads rows otherwise than pandas with it.
    """
    given = {word: value for word, value in options.items() if value is not pandas.api.extensions.no_default}
    unknown = sorted(given.keys() - KNOWN)
    delimiter = given.get("sep", given.get("delimiter")) or ","
    comment, decimal = given.get("comment"), given.get("decimal", ".")
    refused = {
        f"the argument {unknown and unknown[0]}": bool(unknown),
        "the delimiter": not _is_mark(delimiter) or delimiter in (decimal, comment, *"+-.eE"),
        "comment": comment is not None and (not _is_mark(comment) or comment == decimal),
        "decimal": not _is_mark(decimal),
        "encoding": (given.get("encoding") or "utf-8").lower() not in ("utf-8", "utf8", "utf_8"),
        "on_bad_lines": given.get("on_bad_lines", "error") != "error",
        "the release of pandas": not _has_nearest_floats(),
    }
    reasons = [what for what, is_refused in refused.items() if is_refused]
    if reasons:
        raise NotLazyError(f"{reasons[0]} is for pandas")
    return Lines(
        delimiter.encode(), keeps_blank=False, comment=comment or "", decimal=decimal, missing=_missing_of(given)
    )


def _is_mark(mark: Any) -> bool:
    return isinstance(mark, str) and len(mark) == 1 and mark.isascii() and mark not in '"\r\n\0 0123456789'


def _has_nearest_floats() -> bool:
    """Whether pandas reads the floats that are nearest to what is written, as it does since 3.1."""
    major, minor = map(int, pandas.__version__.split(".")[:2])
    return (major, minor) >= (3, 1)


def _missing_of(options: Mapping[str, Any]) -> tuple[bytes, ...]:
    """Return the words for missing values."""
    given = options.get("na_values")
    own = [] if given is None else [given] if isinstance(given, str) else given
    is_known = isinstance(own, list | tuple | set) and all(map(_is_known, own))
    flags = [options.get(word, True) for word in ("na_filter", "keep_default_na")]
    if not is_known or not all(isinstance(flag, bool) for flag in flags):
        raise NotLazyError("missing values are for pandas")
    if not flags[0]:
        return ()
    return tuple(dict.fromkeys([*(MISSING if flags[1] else ()), *(word.encode() for word in own)]))


def _is_known(word: Any) -> bool:
    """Whether cells that are a word are neither numbers nor bools; numbers are looked for among values, too."""
    if not isinstance(word, str) or len(word.encode()) > _LONGEST or word.strip().lower() in _VALUES:
        return False
    return not any(mark.isdigit() for mark in word)


_LONGEST = 255
_VALUES = {"true", "false", "nan", *(f"{sign}{word}" for sign in ("", "+", "-") for word in ("inf", "infinity"))}


def types_of(
    files: Sequence[tuple[TextFile, int]],
    lines: Lines,
    limit: int,
    width: int,
    given: Mapping[str, str],
    times: Sequence[str],
    names: Sequence[str],
) -> tuple[list[Sequence[ByteRange]], dict[str, str]]:
    """Scan files; return their parts with their rows, and the types that pandas gives the columns.

    Parameters
    ----------
    files : sequence of (FileIdentity, int)
        The files, and where their rows begin.
    lines : Lines
        Rules that delimit rows.
    limit : int
        Bytes of a part.
    width : int
        How many cells a row has.
    given : mapping of str to str
        Types that the user has given.
    times : sequence of str
        Columns that are to be times.
    names : sequence of str
        The columns that are wanted: their positions, as text.

    Raises
    ------
    NotLazyError
        If the house might read a cell otherwise than pandas.
    LongRowError
        If a row has more cells than the first.
    """
    try:
        found = [scanned(file, start, lines, limit, columns=width, check=_check_encoding) for file, start in files]
    except UnclosedQuoteError:
        raise NotLazyError("a quote is never closed") from None
    found_types = {}
    for name in names:
        place = int(name)
        of_files = [
            _type_of(name, int(one.classes[place, 0]), int(one.without_text[place]), given.get(name), name in times)
            for one in found
            if any(part.nrows for part in one.ranges)
        ]
        kinds = set(of_files)
        if kinds == {"int64", "float64"}:
            if any(one.classes[place, 0] & ZERO for one in found):
                raise NotLazyError("zeros have a minus")
            kinds = {"float64"}
        if len(kinds) != 1:
            raise NotLazyError(f"column {name} has other types in other files")
        (found_types[name],) = kinds
    return [one.ranges for one in found], found_types


def _check_encoding(rows: Bytes) -> None:
    if rows.max() >= _NO_ASCII:
        try:
            rows.tobytes().decode()
        except UnicodeDecodeError:
            raise NotLazyError("the text is not UTF-8") from None


_NO_ASCII = 128

_INTEGERS = SMALL | UNSIGNED | BIG


def _type_of(name: str, seen: int, without_text: int, given: str | None, is_time: bool) -> str:
    """Return the type that pandas gives cells of some classes."""
    numbers, has_text = seen & (_INTEGERS | FLOAT), seen & (TEXT | TIME)
    if given == "str":
        return "str"
    if is_time:
        forms = [form for form in (DAY, SECOND, AFTER_T, FRACTION, FRACTION_AFTER_T, FORM) if seen & form]
        if given or len(forms) != 1 or seen & (numbers | WORD | TEXT | FORM | FAR | FINE):
            raise NotLazyError(f"times of column {name} are for pandas")
        return "datetime64[us]"
    if has_text or (numbers and seen & WORD):
        kind = "str"
        if without_text & (_INTEGERS | FLOAT | WORD):
            raise NotLazyError(f"cells of column {name} are of several types")
    elif seen & WORD:
        kind = "bool"
        if seen & NO_VALUE:
            raise NotLazyError(f"bools of column {name} are missing")
    else:
        kind = "float64" if seen & (FLOAT | NO_VALUE) else "int64"
        if seen & (UNSIGNED | BIG) or (kind == "float64" and seen & ZERO):
            raise NotLazyError(f"integers of column {name} are for pandas")
    if given == "float64" and kind == "int64" and not seen & ZERO:
        return "float64"
    if given is not None and given != kind:
        raise NotLazyError(f"cells of column {name} are not of the type")
    return kind
