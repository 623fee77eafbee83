"""Parse sample lists: the six types with their heads, and the words of all lines."""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa

from akdask.errors import MissingFileError
from akdask.lbann.errors import LbannListError
from akdask.storage.files import absolute


class ListType(Enum):
    """The types of sample lists, by the word that their first line begins with.

    Attributes
    ----------
    has_label_file : bool
        Whether line 4 names a label file.
    n_counts : int
        How many numbers follow the file on a line of the body.
    header_counts : tuple of str
        Meaning of the numbers in line 2.
    is_exclusion : bool
        Whether samples that are named are left out.
    """

    CONDUIT_HDF5_INCLUSION = "CONDUIT_HDF5_INCLUSION"
    CONDUIT_HDF5_EXCLUSION = "CONDUIT_HDF5_EXCLUSION"
    MULTI_SAMPLE_INCLUSION = "MULTI-SAMPLE_INCLUSION"
    MULTI_SAMPLE_EXCLUSION = "MULTI-SAMPLE_EXCLUSION"
    MULTI_SAMPLE_INCLUSION_V2 = "MULTI-SAMPLE_INCLUSION_V2"
    SINGLE_SAMPLE = "SINGLE-SAMPLE"

    @property
    def has_label_file(self) -> bool:
        """Whether line 4 names a label file."""
        return self.value in {"MULTI-SAMPLE_INCLUSION", "MULTI-SAMPLE_EXCLUSION", "SINGLE-SAMPLE"}

    @property
    def is_exclusion(self) -> bool:
        """Whether samples that are named are left out."""
        return self.value.endswith("_EXCLUSION")

    @property
    def header_counts(self) -> tuple[str, ...]:
        """Meaning of the numbers in line 2."""
        match self:
            case ListType.SINGLE_SAMPLE:
                return ("files",)
            case ListType.MULTI_SAMPLE_INCLUSION_V2:
                return ("included", "files")
        return ("included", "excluded", "files")

    @property
    def n_counts(self) -> int:
        """How many numbers follow the file on a line of the body."""
        return len(self.header_counts) - 1

    @property
    def inclusion(self) -> ListType:
        """The type as which a list of this one is written back."""
        return ListType(self.value.replace("_EXCLUSION", "_INCLUSION"))


@dataclass(frozen=True, slots=True)
class ListHeader:
    """The first lines of a sample list.

    Parameters
    ----------
    type : ListType
        Of line 1.
    counts : dict of str to int
        Counts in line 2: samples ``included`` and ``excluded``, as far as the type has them, and ``files``.
    base_directory : str
        Line 3 as written.
    label_file : str, optional
        Of line 4 where the type has one.
    """

    type: ListType
    counts: dict[str, int]
    base_directory: str
    label_file: str | None = None

    @property
    def n_lines(self) -> int:
        """Number of lines of the head."""
        return 4 if self.type.has_label_file else 3


def parse_header(lines: list[str], path: str) -> ListHeader:
    """Return the head in the first lines.

    Parameters
    ----------
    lines : list of str
        At least the first four lines, or all if there are fewer.
    path : str
        The list, for errors.

    Raises
    ------
    LbannListError
        If a line is missing, empty or malformed.
    """
    listed = _type_of(_first_word(lines, 0, "the type of the list", path), path)
    names = listed.header_counts
    _first_word(lines, 1, "counts", path)
    numbers = lines[1].split()[: len(names)]
    if len(numbers) < len(names) or not all(_is_count(number) for number in numbers):
        raise LbannListError(
            f"line 2 of the sample list {path!r} is not: {' '.join(names)}.",
            details=[f"line 2: {lines[1].strip()!r}"],
            hint=f"a list of type {listed.value} begins with {len(names)} numbers from 0 up.",
        )
    base = _first_word(lines, 2, "the base directory", path)
    label = _first_word(lines, 3, "the label file", path) if listed.has_label_file else None
    return ListHeader(listed, dict(zip(names, map(int, numbers), strict=True)), base, label)


def _is_count(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) <= 18


def _type_of(word: str, path: str) -> ListType:
    try:
        return ListType(word.upper())
    except ValueError:
        raise LbannListError(
            f"line 1 of {path!r} names no type of sample lists.",
            details=[f"found: {word[:80]!r}", *(f"known: {known.value}" for known in ListType)],
        ) from None


def _first_word(lines: list[str], number: int, what: str, path: str) -> str:
    words = lines[number].split(maxsplit=1) if number < len(lines) else []
    if not words:
        found = "empty" if number < len(lines) else "not there"
        raise LbannListError(
            f"line {number + 1} of the sample list {path!r} is {found}; it holds {what}.",
            hint="the lines of the header are the very first ones, without blank lines between them.",
        )
    return words[0]


_BLANK = 32
_NEWLINE = 10
_FIRST_DIGIT, _LAST_DIGIT = 48, 57
_MOST_DIGITS = 18
_CONTROLS = bytes((*range(9), *range(14, 32), 127))
_FORBIDDEN = re.compile(b"[" + re.escape(_CONTROLS) + b"]")

Words: TypeAlias = pa.LargeStringArray
"""A column of words."""


class LineWords:
    """Words of lines, line by line, without blank lines.

    Parameters
    ----------
    words : LargeStringArray, shape (n_words,)
        The words of all lines.
    first : ndarray of int64, shape (n_lines + 1,)
        Number of the first word of each line; the last entry is the number of words.
    numbers : ndarray of int64, shape (n_lines,)
        The numbers of the lines in the text, from 0.
    n_lines : int
        Lines of the text, blank ones included.
    """

    def __init__(self, words: Words, first: np.ndarray, numbers: np.ndarray, n_lines: int) -> None:
        self.words = words
        self.first = first
        self.numbers = numbers
        self.n_lines = n_lines

    @property
    def counts(self) -> np.ndarray:
        """Number of words of each line."""
        return np.diff(self.first)


def split_lines(text: bytes) -> LineWords:
    r"""Split text at line feeds and, within lines, at blanks and tabs.

    Parameters
    ----------
    text : bytes
        UTF-8 without control characters except white space; the last line may lack its line feed.

    Raises
    ------
    UnicodeDecodeError
        If the text is not UTF-8, or holds control characters; its `start` is the position.

    Examples
    --------
    >>> found = split_lines(b"a  b\n\nc\n")
    >>> found.words.to_pylist(), found.first.tolist(), found.numbers.tolist()
    (['a', 'b', 'c'], [0, 2, 3], [0, 2])
    """
    # Translating is faster than a search for the position, which only errors need.
    if len(text.translate(None, _CONTROLS)) != len(text) and (forbidden := _FORBIDDEN.search(text)):
        raise UnicodeDecodeError("utf-8", text, forbidden.start(), forbidden.end(), "control character")
    data = np.frombuffer(text if text.endswith(b"\n") or not text else text + b"\n", np.uint8)
    # In the remaining text only blanks, tabs and line ends are not above a blank.
    is_space = data <= _BLANK
    edges = np.flatnonzero(np.diff(is_space, prepend=True))
    starts, stops = edges[0::2], edges[1::2]
    ends_of_lines = np.flatnonzero(data == _NEWLINE)
    # A line begins with the first word behind the end of the line before.
    first = np.searchsorted(starts, np.concatenate(([0], ends_of_lines)))
    numbers = np.flatnonzero(np.diff(first))
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(stops - starts, out=offsets[1:])
    words = column(offsets, data[~is_space])
    if not text.isascii():
        text.decode()
    return LineWords(words, np.append(first[numbers], len(starts)), numbers, len(ends_of_lines))


def column(offsets: np.ndarray, data: np.ndarray) -> Words:
    """Return the column of words from concatenated UTF-8."""
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(data))


def as_counts(words: Words) -> np.ndarray | None:
    """Return words as integers from 0 up, None if one of them is no such number.

    Examples
    --------
    >>> as_counts(pa.array(["7", "012"], pa.large_string()))
    array([ 7, 12])
    >>> as_counts(pa.array(["-1"], pa.large_string())) is None
    True
    """
    data, offsets = buffers(words)
    digits = data[offsets[0] : offsets[-1]]
    lengths = np.diff(offsets)
    if not len(lengths):
        return np.empty(0, np.int64)
    if lengths.min() == 0 or lengths.max() > _MOST_DIGITS or digits.min() < _FIRST_DIGIT or digits.max() > _LAST_DIGIT:
        return None
    return np.asarray(words.cast(pa.int64()))


def buffers(words: Words) -> tuple[np.ndarray, np.ndarray]:
    """Return UTF-8 and offsets of a column of words."""
    _, offsets, data = words.buffers()
    first = words.offset
    starts = np.frombuffer(offsets, np.int64)[first : first + len(words) + 1] if offsets else np.zeros(1, np.int64)
    return np.frombuffer(data, np.uint8) if data else np.empty(0, np.uint8), starts


BLOCK = 1 << 24
"""Bytes of text that are split into words at a time."""

_GZIP = b"\x1f\x8b"
_ZLIB_METHOD = 8
_AUTOMATIC = 47
"""Window size with which zlib detects gzip or zlib by the first bytes."""


def text_blocks(path: str | os.PathLike[str], block: int = BLOCK) -> Iterator[bytes]:
    """Yield the text of a file in blocks of whole lines; the last line may lack its line feed.

    Parameters
    ----------
    path : str or path-like
        A local file, which may be compressed by gzip or zlib.
    block : int, default 16777216
        Bytes of a block, or more where a line is longer.

    Raises
    ------
    MissingFileError
        If there is no such file.
    LbannListError
        If it cannot be read, or is compressed and damaged.
    """
    name = absolute(path)
    rest = [b""]
    for data in _unpacked(name, block):
        head, feed, tail = data.rpartition(b"\n")
        if feed:
            yield b"".join((*rest, head, feed))
            rest = [tail]
        else:
            rest.append(data)
    if last := b"".join(rest):
        yield last


def _unpacked(path: str, block: int) -> Iterator[bytes]:
    try:
        with open(path, "rb") as file:
            start = file.read(2)
            file.seek(0)
            if not is_compressed(start):
                yield from iter(lambda: file.read(block), b"")
                return
            yield from _decompressed(file, path, block)
    except FileNotFoundError:
        raise MissingFileError(f"no sample list {path!r}.") from None
    except OSError as error:
        raise LbannListError(f"cannot read the sample list {path!r}: {error.strerror or error}.") from error


def is_compressed(start: bytes) -> bool:
    r"""Whether text that begins with these two bytes is compressed by gzip or zlib.

    Examples
    --------
    >>> is_compressed(b"\x1f\x8b"), is_compressed(b"\x78\x9c"), is_compressed(b"CO")
    (True, True, False)
    """
    if start == _GZIP:
        return True
    # No list begins with such letters: the check bits of zlib's header allow few pairs.
    return len(start) == 2 and start[0] & 15 == _ZLIB_METHOD and start[0] >> 4 <= 7 and int.from_bytes(start) % 31 == 0


def _decompressed(file: BinaryIO, path: str, block: int) -> Iterator[bytes]:
    """Yield decompressed data, at most a block at a time whatever the compression ratio."""
    unpacker, data = zlib.decompressobj(_AUTOMATIC), b""
    try:
        while data or (data := file.read(1 << 20)):
            if unpacker.eof:  # gzip files may follow one another in one file
                unpacker = zlib.decompressobj(_AUTOMATIC)
            yield unpacker.decompress(data, block)
            data = unpacker.unused_data or unpacker.unconsumed_tail
        yield unpacker.flush()
    except zlib.error as error:
        raise LbannListError(f"the compressed sample list {path!r} is damaged: {error}.") from error
    if not unpacker.eof:
        raise LbannListError(f"the compressed sample list {path!r} is cut short.", hint="copy it once more.")
