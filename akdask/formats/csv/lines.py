"""Find and count the rows of a CSV file, and the places where it may be cut; parse its first lines.

All bytes are scanned once, in blocks: as bits, 64 bytes in a word.  A line break ends a row unless it is inside quotes.
As fields are quoted from their first byte to their last, the parity of the quotes before a break shows whether it is.
A file with a quote anywhere else has no such rule: it is not cut, and the parser counts its rows.
"""

from __future__ import annotations

from codecs import lookup
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT64, ColumnType
from akdask.errors import ArgumentError, ArgumentTypeError, FileFormatError
from akdask.formats import tuning
from akdask.formats.csv.text_file import TextFile, read_text, text_blocks
from akdask.records import record
from akdask.storage.files import FileIdentity
from akdask.storage.objects import told_apart
from akdask.storage.ranges import ALIGNED_ROWS
from akdask.storage.tuning import MANY_RANGES

BLOCK = 2**19
"""Bytes of a block of a scan, after which a range may end: ranges depend on it, and with them sums of floats.  1 M rows
take 113, 100 and 103 ms at a quarter, at this, and at four times as many."""

_UNKNOWN = 2**62
"""Bytes of a compressed text, whose length is unknown until all is unpacked."""

_QUOTE, _FEED, _RETURN = 34, 10, 13

_ONE, _TOP = np.uint64(1), np.uint64(63)

Bytes = npt.NDArray[np.uint8]
Words = npt.NDArray[np.uint64]


class ByteRange(NamedTuple):
    """Rows of a file: bytes ``start`` to ``stop``, and how many rows they are."""

    start: int
    stop: int
    nrows: int


class StrayQuoteError(ValueError):
    """A quote inside a field that does not begin with one."""


class UnclosedQuoteError(StrayQuoteError):
    """The last quote opens a field that has no end."""


@record
class Lines:
    """Rules that delimit rows.

    Parameters
    ----------
    delimiter : bytes
        The delimiter between fields.
    keeps_blank : bool
        Whether a line without any byte is a row; otherwise it is skipped.
    encoding : str, default "utf8"
        The encoding of text, in which ASCII is as in UTF-8.
    """

    delimiter: bytes
    keeps_blank: bool
    encoding: str = "utf8"


def byte_ranges(file: TextFile, start: int, lines: Lines, limit: int, block: int = BLOCK) -> list[ByteRange]:
    """Return the rows of a file in ranges of about `limit` bytes, at least one; a compressed file is one range.

    Parameters
    ----------
    file : FileIdentity or CompressedFile
        The file.
    start : int
        Where the first row begins.
    lines : Lines
        Rules that delimit rows.
    limit : int
        Bytes of a range.
    block : int
        Bytes per block of the scan.

    Raises
    ------
    StrayQuoteError
        If the quotes do not show where rows end, or the last field has no end.
    """
    is_cut = isinstance(file, FileIdentity)
    size = file.size if isinstance(file, FileIdentity) else _UNKNOWN
    scan = _Scan(lines, start, -(-(size - start) // limit) if is_cut else 1, size)
    buffer = np.empty(block, np.uint8)
    carried, position = 0, start
    for data, is_last in text_blocks(file, start, block - 1):
        position += len(data)
        both = buffer[: carried + len(data)]
        both[carried:] = data
        # A carriage return ends a row unless a line feed follows.
        carried = int(both[-1] == _RETURN and not is_last)
        if len(both) > carried:
            scan.add(both[: len(both) - carried])
        if carried:
            buffer[0] = _RETURN
    return scan.finish(position)


class _Scan:
    """Counts rows block by block, and cuts where enough bytes have come and a unit of rows is full."""

    def __init__(self, lines: Lines, start: int, count: int, size: int) -> None:
        self._lines = lines
        self._position = start
        self._size = size
        self._step = -(-(size - start) // max(count, 1))
        self._grain = 0
        self._rows = 0
        self._line_start = start
        self._tail = b"\n" * len(lines.delimiter)
        self._inside = False
        self._begin = start
        self._ranges: list[ByteRange] = []

    def add(self, data: Bytes) -> None:
        """Count the rows that end in a block."""
        first, last = self._line_ends(data)
        if self._position + len(data) >= self._begin + self._step:
            self._cut(np.flatnonzero(_bools(first)), np.flatnonzero(_bools(last)))
        else:
            self._rows += _count(last)
            if not self._lines.keeps_blank:
                # A line without any byte is a break behind another.
                self._rows -= _count(first & _shifted(last, self._line_start == self._position))
        word = len(last) - 1 - int(np.argmax(last[::-1] != 0))
        if last[word]:
            self._line_start = self._position + 64 * word + int(last[word]).bit_length()
        self._position += len(data)
        self._tail = (self._tail + data[-len(self._lines.delimiter) :].tobytes())[-len(self._lines.delimiter) :]
        if not self._grain and self._rows:
            # As in other formats, large ranges begin at multiples of the rows by which floats are added up.
            expected = self._rows * self._step // max(self._position - self._begin, 1)
            self._grain = ALIGNED_ROWS if expected >= MANY_RANGES * ALIGNED_ROWS else 1

    def finish(self, size: int) -> list[ByteRange]:
        """Return the ranges, after the last block of a text of some size."""
        self._size = size
        if self._inside:
            raise UnclosedQuoteError
        if self._line_start < self._size:
            self._rows += 1
        rest = self._rows - sum(found.nrows for found in self._ranges)
        if rest or not self._ranges:
            self._ranges.append(ByteRange(self._begin, self._size, rest))
        return self._ranges

    def _line_ends(self, data: Bytes) -> tuple[Words, Words]:
        """Return the first and the last byte of each line break outside quotes: a return and a line feed are one."""
        feeds = _bits(data == _FEED)
        returns = _bits(data == _RETURN) if (data == _RETURN).any() else None
        quotes = data == _QUOTE
        if self._inside or quotes.any():
            breaks = feeds if returns is None else feeds | returns
            outside = ~self._quoted(_bits(quotes), breaks | _bits(self._delimiters(data)))
            feeds &= outside
            returns = None if returns is None else returns & outside
        if returns is None:
            return feeds, feeds
        both = returns & _unshifted(feeds)
        return returns | (feeds & ~_shifted(both, False)), (returns & ~both) | feeds

    def _quoted(self, quotes: Words, parts: Words) -> Words:
        """Return the bytes inside quotes, the first of which counts as inside, and the last as outside.

        `parts` are the last bytes of delimiters, and line breaks.
        """
        inside = quotes.copy()
        for step in (1, 2, 4, 8, 16, 32):
            inside ^= inside << np.uint64(step)
        odd = (np.bitwise_count(quotes) & 1).astype(np.uint64)
        before = np.cumsum(odd) - odd + np.uint64(self._inside)
        inside ^= np.uint64(0) - (before & _ONE)
        # Before an opening quote comes a delimiter, a break, or the other half of an escaped pair.
        if (quotes & inside & ~_shifted(parts | quotes, self._opens)).any():
            raise StrayQuoteError
        self._inside = bool((before[-1] + odd[-1]) & _ONE)
        return inside

    @property
    def _opens(self) -> bool:
        """Whether a quote at the next byte would open."""
        return self._tail.endswith((self._lines.delimiter, b"\n", b"\r", b'"'))

    def _delimiters(self, data: Bytes) -> npt.NDArray[np.bool_]:
        """Return the last byte of each delimiter."""
        delimiter = self._lines.delimiter
        padded = np.concatenate([np.frombuffer(self._tail[1:], np.uint8), data]) if len(delimiter) > 1 else data
        found: npt.NDArray[np.bool_] = padded[: len(data)] == delimiter[0]
        for place, byte in enumerate(delimiter[1:], 1):
            found &= padded[place : place + len(data)] == byte
        return found

    def _cut(self, firsts: npt.NDArray[np.int64], lasts: npt.NDArray[np.int64]) -> None:
        """Count rows by the first and last bytes of line breaks, and cut behind one if enough bytes have come."""
        starts = np.concatenate([[self._line_start - self._position], lasts[:-1] + 1]) if len(lasts) else lasts
        rows = lasts if self._lines.keeps_blank else lasts[firsts > starts]
        grain = self._grain or 1
        while True:
            target = self._begin + self._step - self._position
            total = -(-(self._rows + int(np.searchsorted(rows, target)) + 1) // grain) * grain
            if target >= self._size - self._position or total - self._rows > len(rows):
                break
            stop = self._position + int(rows[total - self._rows - 1]) + 1
            done = sum(found.nrows for found in self._ranges)
            self._ranges.append(ByteRange(self._begin, stop, total - done))
            self._begin = stop
        self._rows += len(rows)


def row_start(data: Bytes, lines: Lines, row: int) -> int:
    """Return where a row begins in bytes that begin with the first, counted from 1.

    Raises
    ------
    StrayQuoteError
        If the quotes do not show where rows end.
    """
    scan = _Scan(lines, 0, 1, len(data) + 1)
    first, last = (np.flatnonzero(_bools(ends)) for ends in scan._line_ends(data))
    starts = np.concatenate([[0], last + 1])
    has_row = np.concatenate([first > starts[:-1], [True]]) | lines.keeps_blank
    found = starts[has_row]
    return int(found[min(row, len(found)) - 1])


def count_breaks(data: Bytes) -> int:
    """Return the number of line breaks, inside quotes or not: a return and a line feed are one."""
    feeds, returns = data == _FEED, data == _RETURN
    return int(np.count_nonzero(feeds) + np.count_nonzero(returns) - np.count_nonzero(returns[:-1] & feeds[1:]))


def _bits(mask: npt.NDArray[np.bool_]) -> Words:
    """Return a mask as bits, 64 in a word, the lowest first."""
    packed = np.packbits(mask, bitorder="little")
    return np.pad(packed, (0, -len(packed) % 8)).view("<u8") if len(packed) % 8 else packed.view("<u8")


def _bools(words: Words) -> npt.NDArray[np.uint8]:
    return np.unpackbits(words.view(np.uint8), bitorder="little")


def _count(words: Words) -> int:
    return int(np.bitwise_count(words).sum())


def _shifted(words: Words, carry: bool) -> Words:
    """Return bits moved to the next byte of text; `carry` is that of the byte before the first."""
    moved = words << _ONE
    moved[1:] |= words[:-1] >> _TOP
    moved[0] |= np.uint64(carry)
    return moved


def _unshifted(words: Words) -> Words:
    """Return bits moved to the previous byte of text."""
    moved = words >> _ONE
    moved[:-1] |= words[1:] << _TOP
    return moved


def last_end(data: bytes, lines: Lines) -> int:
    """Return where the last whole row of some bytes ends, 0 if there is none.

    Raises
    ------
    StrayQuoteError
        If the quotes do not show where rows end.
    """
    scan = _Scan(lines, 0, 1, len(data) + 1)
    scan.add(np.frombuffer(data.removesuffix(b"\r"), np.uint8))
    return scan._line_start


_OPEN, _CLOSE = b"**HEADER**\n", b"*/HEADER/*\n"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LARGEST = 2**26
"""Bytes that are searched for the end of the names at most."""

TYPES = {known.name: known for known in (INT64, UINT64, FLOAT64, BOOL, STR)}
"""The types that Arkouda's header can name."""


@record
class Head:
    """The names and types in the first lines of a file.

    Parameters
    ----------
    names : tuple of str
        The columns, in the order of the fields.
    types : tuple of ColumnType, optional
        Their types, from Arkouda's header.
    start : int
        Where the first row begins, in bytes.
    """

    names: tuple[str, ...]
    types: tuple[ColumnType, ...] | None
    start: int


def checked_delimiter(delimiter: object) -> bytes:
    """Return the delimiter as bytes.

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


def checked_encoding(encoding: object) -> str:
    """Return the name that Python has for an encoding of text.

    Raises
    ------
    ArgumentTypeError, ArgumentError
        If it is no text, or names no encoding in which ASCII is as in UTF-8.
    """
    if not isinstance(encoding, str):
        raise ArgumentTypeError(f"an encoding is a str, not {type(encoding).__name__}.")
    try:
        known = lookup("utf-8" if encoding.lower().replace("_", "-") == "utf-8-sig" else encoding)
        # Escapes between sets of characters hold quotes and commas.
        is_ascii = known.encode(_ASCII)[0] == _ASCII.encode() and not known.name.startswith(("iso2022", "hz"))
    except (LookupError, UnicodeError, TypeError):
        is_ascii = False
    if not is_ascii:
        raise ArgumentError(
            f"CSV files are not read in the encoding {encoding!r}.",
            hint="use 'utf-8', 'latin-1' or 'cp1252'.",
        )
    return "utf8" if known.name in {"utf-8", "ascii"} else known.name


_ASCII = "".join(map(chr, range(128)))


def read_head(file: TextFile, delimiter: bytes, names: Sequence[str] | None = None, encoding: str = "utf8") -> Head:
    """Read the head of a file.

    Parameters
    ----------
    file : FileIdentity or CompressedFile
        The file.
    delimiter : bytes
        The delimiter between the names.
    names : sequence of str, optional
        Names of the columns of a file that has none in it.
    encoding : str, default "utf8"
        As `checked_encoding` returns it.

    Raises
    ------
    FileFormatError
        If the file is empty, or its header is broken.
    """
    size = tuning.FIRST_BYTES
    while True:
        first = read_text(file, 0, size)
        found = _parsed(file.path, first, delimiter, names, encoding, is_complete=len(first) < size)
        if found is not None:
            return found
        if size >= _LARGEST:
            raise FileFormatError(
                f"{file.path!r} has no end of its first line in {size:,} bytes.", hint="it is no CSV file."
            )
        size *= 8


def _parsed(
    path: str, first: bytes, delimiter: bytes, names: Sequence[str] | None, encoding: str, *, is_complete: bool
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
    if types is None:
        start = len(first) - len(first[start:].lstrip(b"\r\n"))  # lines without any byte
    fields, stop = split_line(first, start, delimiter)
    if stop is None and not is_complete:
        return None
    if fields == [b""] and types is None:
        raise FileFormatError(f"{path!r} has no names of columns in its first line.", hint="give names=[…].")
    named = _decoded(path, fields, encoding)
    if types is not None and len(types) != len(named):
        raise FileFormatError(
            f"the header of {path!r} has {len(types)} types for {len(named)} columns.",
            hint="give the delimiter that the file was written with as column_delim.",
        )
    return Head(tuple(told_apart(named)), types, len(first) if stop is None else stop)


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


def _decoded(path: str, fields: Sequence[bytes], encoding: str) -> tuple[str, ...]:
    try:
        return tuple(field.decode(encoding) for field in fields)
    except UnicodeDecodeError as error:
        raise FileFormatError(
            f"the names of columns in {path!r} are not UTF-8: {error}.",
            hint="name the encoding of the file, such as encoding='latin-1', if it is CSV.",
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
