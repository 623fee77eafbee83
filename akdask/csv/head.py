"""The head of a CSV file: the names of its columns, and in Arkouda's files their types.

Arkouda's files begin with ``**HEADER**``, a line of types, ``*/HEADER/*`` and the line of names; those of other writers
with the line of names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from akdask.csv.compressed import TextFile, read_text
from akdask.errors import ArgumentError, ArgumentTypeError, FileFormatError
from akdask.schema import BOOL, FLOAT64, INT64, STR, UINT64, ColumnType

_OPEN, _CLOSE = b"**HEADER**\n", b"*/HEADER/*\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_FIRST = 2**16
_LARGEST = 2**26
"""Bytes that are looked at to find the end of the names, at first and at most."""

TYPES = {known.name: known for known in (INT64, UINT64, FLOAT64, BOOL, STR)}
"""The types that Arkouda's header can name."""


@dataclass(frozen=True, slots=True)
class Head:
    """What the first lines of a file say.

    Parameters
    ----------
    names : tuple of str
        The columns, in the order of the fields.
    types : tuple of ColumnType, optional
        Their types, where Arkouda's header tells them.
    start : int
        Where the first row begins, in bytes.
    """

    names: tuple[str, ...]
    types: tuple[ColumnType, ...] | None
    start: int


def checked_delimiter(delimiter: object) -> bytes:
    """Return what stands between fields as bytes.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        If it is no text, empty, or holds a quote or a line break.
    """
    if not isinstance(delimiter, str):
        raise ArgumentTypeError(f"fields are parted by a str, not by {type(delimiter).__name__}.")
    if not delimiter or any(mark in delimiter for mark in '"\r\n'):
        raise ArgumentError(
            f"fields cannot be parted by {delimiter!r}.", hint="use text without quotes and line breaks, such as ','."
        )
    return delimiter.encode()


def read_head(file: TextFile, delimiter: bytes, names: Sequence[str] | None = None) -> Head:
    """Read the head of a file.

    Parameters
    ----------
    file : FileIdentity or CompressedFile
        The file.
    delimiter : bytes
        What stands between the names.
    names : sequence of str, optional
        Names of the columns of a file that has none in it.

    Raises
    ------
    FileFormatError
        If the file is empty, or its header is broken.
    """
    size = _FIRST
    while True:
        first = read_text(file, 0, size)
        found = _parsed(file.path, first, delimiter, names, is_complete=len(first) < size)
        if found is not None:
            return found
        if size >= _LARGEST:
            raise FileFormatError(
                f"{file.path!r} has no end of its first line in {size:,} bytes.", hint="it is no CSV file."
            )
        size *= 8


def _parsed(
    path: str, first: bytes, delimiter: bytes, names: Sequence[str] | None, *, is_complete: bool
) -> Head | None:
    """Return the head that some bytes begin with, None if more of them are needed."""
    if b"\0" in first:
        raise FileFormatError(f"{path!r} is no CSV file in UTF-8: it holds NUL.", hint="convert it to UTF-8.")
    start = len(_BYTE_ORDER_MARK) if first.startswith(_BYTE_ORDER_MARK) else 0
    types = None
    if first.startswith(_OPEN, start):
        lines = first[start:].split(b"\n", 3)
        if len(lines) < 4:
            if is_complete:
                raise FileFormatError(f"the header of {path!r} has no end.", hint="the file is truncated.")
            return None
        types = _types(path, lines[1], lines[2] + b"\n")
        start += sum(len(line) + 1 for line in lines[:3])
    if names is not None and types is None:
        return Head(tuple(names), None, start)
    fields, stop = split_line(first, start, delimiter)
    if stop is None and not is_complete:
        return None
    if fields == [b""] and types is None:
        raise FileFormatError(f"{path!r} has no names of columns in its first line.", hint="give names=[…].")
    named = _decoded(path, fields)
    if types is not None and len(types) != len(named):
        raise FileFormatError(
            f"the header of {path!r} has {len(types)} types for {len(named)} columns.",
            hint="give the delimiter that the file was written with as column_delim.",
        )
    again = sorted({name for name in named if named.count(name) > 1})
    if again:
        raise FileFormatError(
            f"{path!r} has several columns of one name: {', '.join(map(repr, again))}.",
            hint="rename them in the file; names=[…] is for files without a line of names.",
        )
    return Head(named, types, len(first) if stop is None else stop)


def _types(path: str, line: bytes, closing: bytes) -> tuple[ColumnType, ...]:
    named = [name.strip() for name in line.decode(errors="replace").split(",")]
    unknown = [name for name in named if name not in TYPES]
    if unknown or closing != _CLOSE:
        raise FileFormatError(
            f"the header of {path!r} is broken.",
            details=[f"unknown types: {', '.join(map(repr, unknown))}" if unknown else f"third line: {closing!r:.80}"],
            hint=f"types are {', '.join(TYPES)}.",
        )
    return tuple(TYPES[name] for name in named)


def _decoded(path: str, fields: Sequence[bytes]) -> tuple[str, ...]:
    try:
        return tuple(field.decode() for field in fields)
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"the names of columns in {path!r} are not UTF-8: {error}.", hint="convert the file to UTF-8, if it is CSV."
        ) from None


def split_line(data: bytes, start: int, delimiter: bytes) -> tuple[list[bytes], int | None]:
    r"""Return the fields of a line, and where the next one begins; None if the line has no end in the data.

    Examples
    --------
    >>> split_line(b'a|"b""|c"|\nrest', 0, b"|")
    ([b'a', b'b"|c', b''], 11)
    """
    fields: list[bytes] = []
    field = bytearray()
    position = start
    is_first, is_quoted = True, False
    while position < len(data):
        mark = data[position : position + 1]
        if is_quoted:
            if mark == b'"' and data[position + 1 : position + 2] == b'"':
                position += 1
            elif mark == b'"':
                is_quoted = False
                position += 1
                continue
            field += mark
        elif mark == b'"' and is_first:
            is_quoted, is_first = True, False
            position += 1
            continue
        elif data.startswith(delimiter, position):
            fields.append(bytes(field))
            field, is_first = bytearray(), True
            position += len(delimiter)
            continue
        elif mark in {b"\n", b"\r"}:
            step = 2 if data[position : position + 2] == b"\r\n" else 1
            return [*fields, bytes(field)], position + step
        else:
            field += mark
        is_first = False
        position += 1
    return [*fields, bytes(field)], None


def head_bytes(names: Sequence[str], types: Sequence[ColumnType], delimiter: bytes) -> bytes:
    """Return Arkouda's header for columns; names are quoted where they must be.

    Examples
    --------
    >>> head_bytes(["a", "b"], [INT64, STR], b"|").decode().splitlines()
    ['**HEADER**', 'int64,str', '*/HEADER/*', 'a|b']
    """
    named = delimiter.join(quoted(name.encode(), delimiter) for name in names)
    return _OPEN + ",".join(known.name for known in types).encode() + b"\n" + _CLOSE + named + b"\n"


def quoted(field: bytes, delimiter: bytes) -> bytes:
    """Return a field in quotes if it would be read as something else without."""
    if any(mark in field for mark in (delimiter, b'"', b"\n", b"\r")):
        return b'"' + field.replace(b'"', b'""') + b'"'
    return field
