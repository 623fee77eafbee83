"""Read sample lists: words are split and counted as columns, a block of lines at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from akdask.errors import warn
from akdask.lbann.errors import LbannListError, LbannWarning
from akdask.lbann.list_words import (
    BLOCK,
    LineWords,
    ListHeader,
    ListType,
    Words,
    as_counts,
    parse_header,
    split_lines,
    text_blocks,
)
from akdask.lbann.make_lists import SampleFinder, remaining_samples
from akdask.lbann.sample_list import SampleList, file_state
from akdask.storage.files import absolute
from akdask.storage.recovery import recover_naming

MAX_HEADER = 1 << 16
"""Bytes within which the header of a list ends."""


@dataclass(frozen=True, slots=True)
class _Body:
    """Lines of a body: the file, the counts and the samples of each."""

    files: Words
    counts: tuple[np.ndarray, ...]
    ids: Words
    n_ids: np.ndarray
    numbers: np.ndarray


def read_list(
    path: str | os.PathLike[str], *, find_samples: SampleFinder | None = None, block: int = BLOCK
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
