"""Read sample lists: header, words of lines, and the samples that an exclusion list leaves."""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO

import numpy as np
import pyarrow as pa

from akdask.errors import MissingFileError, warn
from akdask.lbann import tuning
from akdask.lbann.errors import LbannError, LbannListError, LbannWarning
from akdask.lbann.reader import sample_ids
from akdask.lbann.sample_list import ListType, SampleList, Words, buffers, column, file_state, parts
from akdask.records import record
from akdask.storage.files import absolute, exists
from akdask.storage.recovery import recover_naming

SampleFinder = Callable[[str, int], list[str]]
"""Returns the paths of the groups of a file that lie at a depth, 1 for the children of the root."""

_DEEPEST = 32
"""Maximum depth of the samples of an exclusion list."""


@record
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
        UTF-8 without control characters except white space.  The last line may lack its line feed.

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


_GZIP = b"\x1f\x8b"
_ZLIB_METHOD = 8
_AUTOMATIC = 47
"""Window size with which zlib detects gzip or zlib by the first bytes."""


def text_blocks(path: str | os.PathLike[str], block: int = tuning.TEXT_BLOCK) -> Iterator[bytes]:
    """Yield the text of a file in blocks of whole lines.  The last line may lack its line feed.

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


MAX_HEADER = 1 << 16
"""Bytes within which the header of a list ends."""


@record
class _Body:
    """Lines of a body: the file, the counts and the samples of each."""

    files: Words
    counts: tuple[np.ndarray, ...]
    ids: Words
    n_ids: np.ndarray
    numbers: np.ndarray


def read_list(
    path: str | os.PathLike[str], *, find_samples: SampleFinder | None = None, block: int = tuning.TEXT_BLOCK
) -> SampleList:
    """Read a sample list of any of the six types, plain or compressed by gzip or zlib.

    No file of samples is opened, except for exclusion lists, whose samples must be found.  Unfinished writes of the
    list and its samples are recovered first.

    Parameters
    ----------
    path : str or path-like
        The list.
    find_samples : callable, optional
        Finds the groups of a file at a depth, for exclusion lists; through HDF5 by default.
    block : int, default 16777216
        Bytes that are split into words at a time.

    Returns
    -------
    SampleList
        In the order of the list.

    Raises
    ------
    MissingFileError
        If there is no such list.
    LbannListError
        If it breaks a rule of its type; the message names the place and the expected form.

    Warns
    -----
    LbannWarning
        If the totals of line 2 differ from the body.
    """
    name = absolute(path)
    recover_naming([name])
    state = file_state(name)
    header, blocks = _header_and_rest(name, block)
    bodies, number = [], header.n_lines
    for text in blocks:
        lines = _split(text, name, number)
        bodies.append(_body(lines, header, name, number))
        number += lines.n_lines
    body = _joined(bodies, header.type.n_counts)
    if len(body.files) != header.counts["files"]:
        raise LbannListError(
            f"the sample list {name!r} says {header.counts['files']:,} files on line 2 and lists {len(body.files):,}.",
            hint="the list may be cut short, or a line was added without the count.",
        )
    if header.type.is_exclusion:
        samples = _excluding(body, header, name, find_samples)
    else:
        samples = _including(body, header, name)
    _compare_totals(header, samples, name)
    return samples.read_from(name, state)


def _header_and_rest(path: str, block: int) -> tuple[ListHeader, Iterator[bytes]]:
    blocks = text_blocks(path, block)
    start = b""
    for text in blocks:
        start += text
        if start.count(b"\n") >= 4 or len(start) > MAX_HEADER:
            break
    lines = start[:MAX_HEADER].split(b"\n", 4)
    header = parse_header([line.decode(errors="replace") for line in lines[:4] if line or len(lines) > 1], path)
    _split(b"\n".join(lines[: header.n_lines]), path, 0)  # refuses non-text
    rest = start.split(b"\n", header.n_lines)[header.n_lines :]

    def body() -> Iterator[bytes]:
        yield from rest
        yield from blocks

    return header, body()


def _split(text: bytes, path: str, number: int) -> LineWords:
    try:
        return split_lines(text)
    except UnicodeDecodeError as error:
        line = number + text.count(b"\n", 0, error.start) + 1
        raise LbannListError(
            f"line {line:,} of the sample list {path!r} is no text: {error.reason}.",
            hint="lists are UTF-8 without control characters.",
        ) from None


def _body(lines: LineWords, header: ListHeader, path: str, number: int) -> _Body:
    """Return lines of a body, as columns."""
    n_heads = 1 + header.type.n_counts
    lacking = np.flatnonzero(lines.counts < n_heads)
    if len(lacking):
        first = lines.words[int(lines.first[lacking[0]])].as_py()
        raise LbannListError(
            f"line {number + lines.numbers[lacking[0]] + 1:,} of the sample list {path!r} lacks a count.",
            details=[f"its file: {first!r}"],
            hint=f"a line begins with: {' '.join(_head_names(header.type))}.",
        )
    starts = lines.first[:-1]
    heads = [lines.words.take(pa.array(starts + position)) for position in range(n_heads)]
    counts = []
    for name, words in zip(_head_names(header.type)[1:], heads[1:], strict=True):
        found = as_counts(words)
        if found is None:
            raise _not_a_count(words, lines.numbers + number, name, path)
        counts.append(found)
    is_id = np.ones(len(lines.words), bool)
    for position in range(n_heads):
        is_id[starts + position] = False
    ids = lines.words.filter(pa.array(is_id))
    return _Body(heads[0], tuple(counts), ids, lines.counts - n_heads, lines.numbers + number)


def _head_names(listed: ListType) -> tuple[str, ...]:
    return ("file", *listed.header_counts[:-1])


def _not_a_count(words: Words, numbers: np.ndarray, name: str, path: str) -> LbannListError:
    wrong = next(position for position, word in enumerate(words) if as_counts(pa.array([word], words.type)) is None)
    return LbannListError(
        f"line {numbers[wrong] + 1:,} of the sample list {path!r}: {words[wrong].as_py()[:80]!r} is no number of "
        f"{name} samples.",
        hint="counts are integers from 0 up; names with blanks cannot stand in a list.",
    )


def _joined(bodies: list[_Body], n_counts: int) -> _Body:
    empty = pa.array([], pa.large_string())
    return _Body(
        pa.concat_arrays([empty, *(body.files for body in bodies)]),
        tuple(np.concatenate([np.empty(0, np.int64), *(b.counts[at] for b in bodies)]) for at in range(n_counts)),
        pa.concat_arrays([empty, *(body.ids for body in bodies)]),
        np.concatenate([np.empty(0, np.int64), *(body.n_ids for body in bodies)]),
        np.concatenate([np.empty(0, np.int64), *(body.numbers for body in bodies)]),
    )


def _including(body: _Body, header: ListHeader, path: str) -> SampleList:
    first = np.concatenate(([0], np.cumsum(body.n_ids))).astype(np.int64)
    if header.type is ListType.SINGLE_SAMPLE:
        _refuse(body, body.n_ids > 1, path, lambda line: f"names {body.n_ids[line]:,} samples of one file; 1 is meant")
        return _single(body, header)
    said = body.counts[0]
    _refuse(
        body,
        body.n_ids != said,
        path,
        lambda line: f"says {said[line]:,} samples and names {body.n_ids[line]:,}",
    )
    excluded = body.counts[1] if len(body.counts) > 1 else None
    return SampleList(
        header.type, header.base_directory, body.files, body.ids, first, excluded=excluded, label_file=header.label_file
    )


def _single(body: _Body, header: ListHeader) -> SampleList:
    """Return the list of one sample a file: the group that a line names, else the root."""
    ids = pa.array([""] * len(body.files), pa.large_string())
    if len(body.ids):
        named = np.full(len(body.files), len(body.ids))
        named[body.n_ids > 0] = np.arange(len(body.ids))
        ids = pa.concat_arrays([body.ids, pa.array([""], pa.large_string())]).take(pa.array(named))
    first = np.arange(len(body.files) + 1, dtype=np.int64)
    return SampleList(header.type, header.base_directory, body.files, ids, first, label_file=header.label_file)


def _excluding(body: _Body, header: ListHeader, path: str, find_samples: SampleFinder | None) -> SampleList:
    base = SampleList(header.type, header.base_directory, body.files, body.ids[:0], np.zeros(len(body.files) + 1, int))
    if find_samples is None:
        _refuse_absent(base, body, path)
    stops = np.cumsum(body.n_ids)
    found: list[pa.Array] = [body.ids[:0]]
    counts = []
    for line, code in enumerate(base.line_files.tolist()):
        named = body.ids[int(stops[line] - body.n_ids[line]) : int(stops[line])].to_pylist()
        included, excluded = int(body.counts[0][line]), int(body.counts[1][line])
        where = f"line {body.numbers[line] + 1:,} of the sample list {path!r}"
        samples = remaining_samples(base.paths[code], named, (included, excluded), where, find_samples)
        found.append(pa.array(samples, pa.large_string()))
        counts.append(len(samples))
    first = np.cumsum([0, *counts], dtype=np.int64)
    ids = pa.concat_arrays(found)
    return SampleList(
        header.type,
        header.base_directory,
        body.files,
        ids,
        first,
        excluded=body.counts[1],
        label_file=header.label_file,
    )


def _refuse_absent(listed: SampleList, body: _Body, path: str) -> None:
    """Refuse an exclusion list whose files are not all there: only they tell which samples are left."""
    absent = {code for code, file in enumerate(listed.paths) if not exists(file)}
    if not absent:
        return
    details = [
        f"line {number + 1:,}: no such file {listed.paths[code]!r}"
        for number, code in zip(body.numbers.tolist(), listed.line_files.tolist(), strict=True)
        if code in absent
    ]
    raise LbannListError(
        f"{len(absent):,} of {len(listed.paths):,} files of the exclusion list {path!r} are not there.",
        details=details,
        hint="it names the samples to leave out, and only the files tell which are left: correct the base directory on "
        "line 3, or make the inclusion list where the files are: samples.write(…) of what read_list gives there.",
    )


def _refuse(body: _Body, wrong: np.ndarray, path: str, said: Callable[[int], str]) -> None:
    lines = np.flatnonzero(wrong)
    if not len(lines):
        return
    details = [f"line {body.numbers[at] + 1:,}, file {body.files[int(at)].as_py()!r}: {said(at)}" for at in lines[:20]]
    raise LbannListError(
        f"{len(lines):,} of {len(body.files):,} lines of the sample list {path!r} are wrong.",
        details=details,
        hint="`akdask lbann list` makes a list from the files.",
    )


def _compare_totals(header: ListHeader, samples: SampleList, path: str) -> None:
    found = {"included": len(samples), "excluded": int(samples.excluded.sum()), "files": len(samples.files)}
    wrong = {name: (count, found[name]) for name, count in header.counts.items() if count != found[name]}
    if wrong:
        told = "; ".join(f"{name}: {said:,} said, {there:,} there" for name, (said, there) in wrong.items())
        warn(f"totals on line 2 of the sample list {path!r} are not those of its lines: {told}", LbannWarning)


def remaining_samples(
    path: str, named: Sequence[str], counts: tuple[int, int], where: str, find_samples: SampleFinder | None = None
) -> list[str]:
    """Return the samples of a file that an exclusion list leaves, in the order of the file.

    Parameters
    ----------
    path : str
        The file.
    named : sequence of str
        IDs that are left out.
    counts : (int, int)
        The counts of included and excluded samples in the list's line.
    where : str
        The line, for errors.
    find_samples : callable, optional
        Finds the groups at a depth.

    Raises
    ------
    LbannListError
        If counts disagree with the file, or an ID comes twice or is not in it.
    """
    find = find_samples or (lambda path, depth: sample_ids(path, depth=depth))
    included, excluded = counts
    left_out = ["/".join(parts(sample)) for sample in named]
    _refuse_repeated(left_out, excluded, path, where)
    try:
        there = _at_level(path, left_out, included + excluded, find)
    except LbannError as error:
        raise LbannListError(
            f"{where} cannot be followed: {error.message}", file=path, details=error.findings
        ) from None
    unknown = [sample for sample in left_out if sample not in set(there)]
    if unknown:
        raise LbannListError(
            f"{where} leaves out samples that the file does not have.",
            file=path,
            details=[f"unknown: {sample!r}" for sample in unknown] + [f"it has, among others: {there[:3]}"],
        )
    if len(there) != included + excluded:
        raise LbannListError(
            f"{where} says {included:,} included and {excluded:,} excluded samples; the file has {len(there):,}.",
            file=path,
        )
    leaving = set(left_out)
    return [sample for sample in there if sample not in leaving]


def _refuse_repeated(left_out: Sequence[str], excluded: int, path: str, where: str) -> None:
    repeated = [sample for sample, count in Counter(left_out).items() if count > 1]
    if repeated:
        details = [f"repeated: {sample!r}" for sample in repeated]
        raise LbannListError(f"{where} leaves out the same samples several times.", file=path, details=details)
    if len(left_out) != excluded:
        raise LbannListError(f"{where} says {excluded:,} excluded samples and names {len(left_out):,}.", file=path)


def _at_level(path: str, left_out: Sequence[str], count: int, find: SampleFinder) -> list[str]:
    """Return the samples at the depth of the excluded ones, else at the first depth with that many groups."""
    depths = {len(parts(sample)) for sample in left_out}
    if len(depths) > 1:
        shown = [next(sample for sample in left_out if len(parts(sample)) == depth) for depth in sorted(depths)]
        raise LbannListError("the samples left out lie at different depths.", file=path, details=map(repr, shown))
    if depths:
        return find(path, depths.pop())
    seen = []
    for depth in range(1, _DEEPEST):
        there = find(path, depth)
        if len(there) == count:
            return there
        if not there:
            break
        seen.append(f"depth {depth}: {len(there):,} groups")
    raise LbannListError(
        f"the file has {count:,} groups at no depth.", file=path, details=seen, hint="name the samples to leave out."
    )
