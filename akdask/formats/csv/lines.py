"""Find and count the rows of a CSV file, where it may be cut, and classes of cells; parse its first lines.

All bytes are scanned once, in blocks, by a loop that knows rows as pandas does.  Large files are scanned in stretches
at the same time.  Where a stretch begins is a guess, the end of the first line there; if the rows before end elsewhere,
since that line end is inside quotes, the stretch is scanned again.
"""

from __future__ import annotations

import re
from codecs import lookup
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from dask.system import CPU_COUNT

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT64, ColumnType
from akdask.columns.memory import new_array
from akdask.errors import ArgumentError, ArgumentTypeError, FileFormatError
from akdask.formats import tuning
from akdask.formats.csv.loops import scan
from akdask.formats.csv.text_file import TextFile, read_text, text_blocks, text_reader
from akdask.records import record
from akdask.storage.files import FileIdentity, is_remote
from akdask.storage.objects import unique_names
from akdask.storage.ranges import ALIGNED_ROWS
from akdask.storage.tuning import MANY_RANGES

MARGIN = 72
"""Bytes of NUL behind text that loops read: see text.hpp."""

_FEED, _RETURN = 10, 13
_NO_LIMIT = 2**62

Bytes = npt.NDArray[np.uint8]
Classes = npt.NDArray[np.int64]
"""For each column the classes of its cells as bits, and the least and most offset of times, in minutes."""


class ByteRange(NamedTuple):
    """Rows of a file: bytes ``start`` to ``stop``, and how many rows they are."""

    start: int
    stop: int
    nrows: int


class Scanned(NamedTuple):
    """What a scan of a file finds.

    Parameters
    ----------
    ranges : sequence of ByteRange
        The rows.
    classes : ndarray of int64, shape (ncolumns, 3)
        Of the cells of each column; without rows if they were not asked for.
    without_text : ndarray of int64, shape (ncolumns,)
        The classes that each column has in blocks where it has no text and no times.
    """

    ranges: Sequence[ByteRange]
    classes: Classes
    without_text: Classes


class UnclosedQuoteError(ValueError):
    """The last quote opens a field that has no end."""


class LongRowError(ValueError):
    """A row has more fields than there are columns.

    Parameters
    ----------
    start : int
        Where the row begins in the file.
    count : int
        How many fields it has.
    """

    def __init__(self, start: int, count: int) -> None:
        super().__init__(start, count)
        self.start, self.count = start, count


MISSING = tuple(
    b"|#N/A|#N/A N/A|#NA|-1.#IND|-1.#QNAN|-NaN|-nan|1.#IND|1.#QNAN|<NA>|N/A|NA|NULL|NaN|None|n/a|nan|null".split(b"|")
)
"""Cells that have no value, as pandas and Arrow have them."""


@record
class Lines:
    """Rules that delimit rows and cells.

    Parameters
    ----------
    delimiter : bytes
        The delimiter between fields.
    keeps_blank : bool
        Whether a line without any byte is a row; otherwise lines of blanks are skipped.
    encoding : str, default "utf8"
        The encoding of text, in which ASCII is as in UTF-8.
    skips_long : bool, default False
        Whether rows with more fields than columns are left out; otherwise they are errors.
    demands_all : bool, default False
        Whether rows with fewer fields than columns are errors; otherwise the rest has no value.
    comment, decimal, thousands : str, default "", "." and ""
        The character behind which the rest of a line is left out, the one before decimals, and the one within numbers.
    missing : tuple of bytes
        Cells that have no value, by default those of pandas and Arrow.
    """

    delimiter: bytes
    keeps_blank: bool
    encoding: str = "utf8"
    skips_long: bool = False
    demands_all: bool = False
    comment: str = ""
    decimal: str = "."
    thousands: str = ""
    missing: tuple[bytes, ...] = MISSING

    @property
    def options(self) -> bytes:
        """The rules, but the delimiter, as loops take them."""
        characters = [ord(one or "\0") for one in (self.comment, self.decimal, self.thousands)]
        words = b"".join(bytes([len(word)]) + word for word in self.missing)
        return bytes([self.keeps_blank, self.skips_long, self.demands_all, *characters]) + words


def padded(size: int) -> Bytes:
    """Return an array for so many bytes of text, with a margin of NUL behind them."""
    array: Bytes = new_array(size + MARGIN, np.uint8)
    array[size:] = 0
    return array


def byte_ranges(file: TextFile, start: int, lines: Lines, limit: int, block: int = tuning.CSV_BLOCK) -> list[ByteRange]:
    """Return the rows of a file in ranges of about `limit` bytes; see `scanned`."""
    return list(scanned(file, start, lines, limit, block=block).ranges)


def scanned(
    file: TextFile,
    start: int,
    lines: Lines,
    limit: int,
    *,
    columns: int = 0,
    block: int = tuning.CSV_BLOCK,
    check: Callable[[Bytes], None] | None = None,
) -> Scanned:
    """Scan a file for its rows, in ranges of about `limit` bytes, and for classes of cells.

    Parameters
    ----------
    file : FileIdentity or CompressedFile
        The file; a compressed one is one range.
    start : int
        Where the first row begins.
    lines : Lines
        Rules that delimit rows.
    limit : int
        Bytes of a range.
    columns : int, default 0
        How many columns there are, if their classes are wanted.
    block : int
        Bytes that are read at a time, and more where a row is longer.
    check : function, optional
        What looks at the bytes of some rows at a time, and may raise an error.

    Raises
    ------
    UnclosedQuoteError
        If the last field has no end.
    LongRowError
        If a row has more fields than columns, whose classes are wanted.
    """
    parts: list[_Stretch] = []
    starts = _starts(file, start)

    def look(begin: int, stop: int) -> _Stretch:
        with _reading(file, begin) as read:
            return _Stretch.of(read, begin, stop, lines, columns=columns, block=block, check=check)

    bounds = list(zip(starts, [*starts[1:], _NO_LIMIT], strict=True))
    with ThreadPoolExecutor(len(bounds)) as threads:
        guessed = threads.map(lambda pair: look(*pair), bounds) if len(bounds) > 1 else [look(*bounds[0])]
        for (begin, stop), found in zip(bounds, guessed, strict=True):
            end = parts[-1].stop if parts else begin
            parts.append(found if end == begin else look(end, stop))
    if any(part.is_unclosed for part in parts):
        raise UnclosedQuoteError
    long_row = next((part.long_row for part in parts if part.long_row is not None), None)
    if long_row is not None:
        raise LongRowError(*long_row)
    total, row_starts, classes = 0, [], parts[0].classes
    without_text: Classes = np.bitwise_or.reduce([part.without_text for part in parts])
    for part in parts:
        row_starts += [(position, total + rows) for position, rows in part.row_starts]
        total += part.rows
        classes = classes if part is parts[0] else merged_classes(classes, part.classes)
    every = ByteRange(start, parts[-1].stop, total)
    # Threads parse ranges at the same time.
    limit = min(limit, max(-(-(every.stop - start) // tuning.CSV_RANGES), tuning.CSV_SMALL_RANGE))
    if not isinstance(file, FileIdentity) or every.stop - start <= limit:
        return Scanned([every], classes, without_text)

    def walk(position: int, until: int, most: int) -> _Place:
        with _reading(file, position) as read:
            found = _Stretch.of(read, position, until, lines, columns=0, block=block, most=most)
        return found.stop, found.rows

    return Scanned(_cut(every, row_starts, limit, walk), classes, without_text)


def merged_classes(first: Classes, second: Classes) -> Classes:
    """Return the classes of the cells of both."""
    least, most = np.minimum(first[:, 1], second[:, 1]), np.maximum(first[:, 2], second[:, 2])
    bounds = np.stack([least, most], axis=1)
    for one, other in ((first, second), (second, first)):
        has_none = other[:, 0] & TIME == 0
        bounds[has_none] = one[has_none, 1:]
    return np.concatenate([(first[:, 0] | second[:, 0])[:, None], bounds], axis=1)


NO_VALUE, SMALL, NEGATIVE, UNSIGNED, BIG, FLOAT, WORD, TEXT, INEXACT, TIME, FAR, FINE, NAIVE, ZONED = (
    2**bit for bit in range(14)
)
ZERO, DAY, SECOND, AFTER_T, FORM, FRACTION, FRACTION_AFTER_T = (2**bit for bit in range(14, 21))
"""Classes of cells: see loops.cpp."""


def _starts(file: TextFile, start: int) -> list[int]:
    """Return where stretches of a file are guessed to begin: many only where threads can read it at once."""
    if not isinstance(file, FileIdentity) or is_remote(file.path):
        return [start]
    count = max(min(CPU_COUNT, (file.size - start) // tuning.CSV_STRETCH), 1)
    found = [start]
    for number in range(1, count):
        bound = start + (file.size - start) * number // count
        place = read_text(file, bound, bound + tuning.CSV_LONGEST_GUESS).find(b"\n")
        if place >= 0:
            found.append(bound + place + 1)
    return found


Read: TypeAlias = Callable[[Bytes], int]

_Place: TypeAlias = tuple[int, int]
"""Where a row begins, and how many there are before."""


@contextmanager
def _reading(file: TextFile, start: int) -> Iterator[Read]:
    """Open a text to be read from a place on; returns how many bytes there were, few only at the end."""
    if isinstance(file, FileIdentity) and not is_remote(file.path):
        position = start
        with text_reader(file) as reader:

            def read(out: Bytes) -> int:
                nonlocal position
                count = max(min(len(out), file.size - position), 0)
                reader.read_into(out[:count], position, "CSV")
                position += count
                return count

            yield read
        return
    blocks = text_blocks(file, start, tuning.CSV_BLOCK)
    rest = np.empty(0, np.uint8)

    def take(out: Bytes) -> int:
        nonlocal rest
        done = 0
        while done < len(out):
            if not len(rest):
                rest, _ = next(blocks, (rest, True))
                if not len(rest):
                    break
            some = rest[: len(out) - done]
            out[done : done + len(some)] = some
            done, rest = done + len(some), rest[len(some) :]
        return done

    with closing(blocks):
        yield take


@dataclass
class _Stretch:
    """What a scan finds of a part of a file, to its end or the first row that begins at `stop` or behind."""

    stop: int
    rows: int
    row_starts: list[_Place]
    classes: Classes
    without_text: Classes
    long_row: tuple[int, int] | None = None
    is_unclosed: bool = False

    @classmethod
    def of(
        cls,
        read: Read,
        begin: int,
        stop: int,
        lines: Lines,
        *,
        columns: int,
        block: int,
        most: int = _NO_LIMIT,
        check: Callable[[Bytes], None] | None = None,
    ) -> _Stretch:
        found = cls(begin, 0, [], np.zeros((columns, 3), np.int64), np.zeros(columns, np.int64))
        options = lines.options
        buffer, size, is_last = padded(block), 0, False
        while True:
            capacity = len(buffer) - MARGIN
            count = 0 if is_last else read(buffer[size:capacity])
            is_last = is_last or count < capacity - size
            size += count
            buffer[size : size + MARGIN] = 0
            found.row_starts.append((found.stop, found.rows))
            classes = np.zeros_like(found.classes)
            done, rows, _, long_row, nfields, is_unclosed = scan(
                buffer, size, is_last, lines.delimiter, options, columns, stop - found.stop, most - found.rows, classes
            )
            if rows:
                found.classes = merged_classes(found.classes, classes)
                seen = classes[:, 0]
                found.without_text |= np.where(seen & (TEXT | TIME), 0, seen)
            if check is not None and done:
                check(buffer[:done])
            if long_row >= 0 and found.long_row is None:
                found.long_row = (found.stop + long_row, nfields)
            found.stop, found.rows, found.is_unclosed = found.stop + done, found.rows + rows, is_unclosed
            if is_last or found.stop >= stop or found.rows >= most:
                return found
            size -= done
            buffer[:size] = buffer[done : done + size].copy()
            if not done:
                # A row is longer than the buffer.
                longer = padded(2 * capacity)
                longer[:size] = buffer[:size]
                buffer = longer


def _cut(
    every: ByteRange,
    row_starts: Sequence[tuple[int, int]],
    limit: int,
    walk: Callable[[int, int, int], tuple[int, int]],
) -> list[ByteRange]:
    """Return the rows in ranges that end at the first row behind enough bytes, where a unit of rows is full.

    `walk` goes from a row to the first one at a place or behind, or so many rows on; it returns where that is, and the
    rows before.
    """
    start, stop, total = every
    step = -(-(stop - start) // -(-(stop - start) // limit))
    # As in other formats, large ranges begin at multiples of the rows by which floats are added up.
    expected = total * step // (stop - start)
    grain = ALIGNED_ROWS if expected >= MANY_RANGES * ALIGNED_ROWS else 1
    positions = [position for position, _ in row_starts]
    ranges: list[ByteRange] = []
    begin, before = start, 0
    while begin + step < stop:
        position, row = row_starts[int(np.searchsorted(positions, begin + step, "right")) - 1]
        if position < begin:
            position, row = begin, before
        end, rows = walk(position, begin + step, _NO_LIMIT)
        row += rows
        if row % grain:
            end, rows = walk(end, _NO_LIMIT, grain - row % grain)
            row += rows
        if row >= total:
            break
        ranges.append(ByteRange(begin, end, row - before))
        begin, before = end, row
    if total > before or not ranges:
        ranges.append(ByteRange(begin, stop, total - before))
    return ranges


def count_breaks(data: Bytes) -> int:
    """Return the number of line breaks, inside quotes or not: a return and a line feed are one."""
    feeds, returns = data == _FEED, data == _RETURN
    return int(np.count_nonzero(feeds) + np.count_nonzero(returns) - np.count_nonzero(returns[:-1] & feeds[1:]))


def last_end(data: bytes, lines: Lines) -> int:
    """Return where the last whole row of some bytes ends, 0 if there is none."""
    text = padded(len(data))
    text[: len(data)] = np.frombuffer(data, np.uint8)
    classes = np.empty((0, 3), np.int64)
    end, *_ = scan(text, len(data), False, lines.delimiter, lines.options, 0, _NO_LIMIT, _NO_LIMIT, classes)
    return end


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
    if encoding.lower().replace("_", "-") in {"utf-16", "utf16"}:
        return "utf8"  # the first bytes of such files tell what they are
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


def read_head(
    file: TextFile,
    delimiter: bytes,
    names: Sequence[str] | None = None,
    encoding: str = "utf8",
    comment: str = "",
    *,
    skiprows: int = 0,
) -> Head:
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
    comment : str, default ""
        The character that begins comments.
    skiprows : int, default 0
        How many lines are passed over at the beginning.

    Raises
    ------
    FileFormatError
        If the file is empty, or its header is broken.
    """
    size = tuning.FIRST_BYTES
    while True:
        first = read_text(file, 0, size)
        found = _parsed(
            file.path,
            first,
            delimiter,
            names,
            encoding=encoding,
            comment=comment,
            skiprows=skiprows,
            is_complete=len(first) < size,
        )
        if found is not None:
            return found
        if size >= _LARGEST:
            raise FileFormatError(
                f"{file.path!r} has no end of its first line in {size:,} bytes.", hint="it is no CSV file."
            )
        size *= 8


def _parsed(
    path: str,
    first: bytes,
    delimiter: bytes,
    names: Sequence[str] | None,
    *,
    encoding: str,
    comment: str,
    skiprows: int,
    is_complete: bool,
) -> Head | None:
    """Return the head that some bytes begin with, None if more of them are needed."""
    if b"\0" in first:
        raise FileFormatError(f"{path!r} is no CSV file in UTF-8: it holds NUL.", hint="convert it to UTF-8.")
    start = len(_BYTE_ORDER_MARK) if first.startswith(_BYTE_ORDER_MARK) else 0
    for _ in range(skiprows):
        end = _BREAK.search(first, start)
        if end is None or (end.end() == len(first) and not is_complete):
            if not is_complete:
                return None
            raise FileFormatError(f"{path!r} has no more than {skiprows} lines.", hint="skip fewer rows.")
        start = end.end()
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
        start = _first_line(first, start, delimiter, comment)
    fields, stop = split_line(first, start, delimiter)
    if stop is None and not is_complete:
        return None
    if fields == [b""] and types is None and first[start : start + 1] != b'"':
        raise FileFormatError(f"{path!r} has no names of columns in its first line.", hint="give names=[…].")
    named = _decoded(path, fields, encoding)
    if types is None:
        named = tuple(name or f"Unnamed: {position}" for position, name in enumerate(named))
    if types is not None and len(types) != len(named):
        raise FileFormatError(
            f"the header of {path!r} has {len(types)} types for {len(named)} columns.",
            hint="give the delimiter that the file was written with as column_delim.",
        )
    return Head(tuple(unique_names(named)), types, len(first) if stop is None else stop)


_BREAK = re.compile(rb"\r\n|\r|\n")


def _first_line(first: bytes, start: int, delimiter: bytes, comment: str) -> int:
    """Return where the first line begins that is neither blank nor a comment."""
    blanks = bytes(byte for byte in b" \t" if byte != delimiter[0])
    skipped = rb"(?:[%b]*(?:\r\n|\r|\n))*" % blanks
    if comment:
        skipped = rb"(?:[%b]*(?:%b[^\r\n]*)?(?:\r\n|\r|\n))*" % (blanks, re.escape(comment.encode()))
    found = re.compile(skipped).match(first, start)
    return found.end() if found else start


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
