"""Facts about data that rules check, found in one pass, block by block: memory does not grow with the data."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from akdask.errors import FileFormatError
from akdask.formats.hdf5.chunks import ChunkReader, ChunkStore, index_of
from akdask.formats.hdf5.metadata import MAX_COMPRESSION_RATIO, NotFlatError, StoredDataset
from akdask.operators.values.random import STEP, mix_bits
from akdask.storage.files import identify, is_remote
from akdask.storage.ranges import range_reader
from akdask.typing import NumberArray

_BLOCK = 4 * 2**20  # bytes
_MAX_FILL_BYTES = 2**30  # bytes that are scanned even if they are not stored in the file


@dataclass(frozen=True, slots=True)
class NumberFacts:
    """Of integers: how many, the first, last, smallest and largest, and the first row that is below the one before."""

    count: int
    first: int
    last: int
    minimum: int
    maximum: int
    fall: int | None = None


@dataclass(frozen=True, slots=True)
class StringFacts:
    """Of bytes that should be strings.

    Parameters
    ----------
    nuls : int
        How many strings they are.
    is_terminated : bool
        Whether the last byte is NUL.
    astray : int or None
        The first row whose segment differs from the start that the NULs give.
    not_utf8 : str or None
        The error of the first byte that is not UTF-8, and its position.
    checksum : int
        Equal for equal bytes.
    """

    nuls: int = 0
    is_terminated: bool = True
    astray: int | None = None
    not_utf8: str | None = None
    checksum: int = 0


class OpenFile(NamedTuple):
    """A file that is open in HDF5, possibly under the name of a descriptor."""

    path: str
    hdf5: Any


def blocks(opened: OpenFile, dataset: StoredDataset) -> Iterator[NumberArray]:
    """Yield the elements of a dataset of an open file, along its first dimension."""
    step = max(1, _BLOCK // max(1, dataset.type.size))
    if dataset.shape is None or len(dataset.shape) != 1:
        node = _checked(opened, dataset)
        yield from (node[start : start + step] for start in range(0, dataset.nrows, step))
        return
    read = _reading(opened, dataset)
    for start in range(0, dataset.nrows, step):
        yield read(start, min(start + step, dataset.nrows))


def _reading(opened: OpenFile, dataset: StoredDataset) -> Callable[[int, int], NumberArray]:
    """Return a reader of row ranges of a one-dimensional dataset."""
    node = _checked(opened, dataset)
    if dataset.storage != "chunked" or is_remote(opened.path) or not _is_numbers(node):
        return lambda start, stop: node[start:stop]
    file = identify(opened.path)
    index = index_of(file, dataset.path, node.id)
    if not index.is_own:
        return lambda start, stop: node[start:stop]
    reader = ChunkReader(index, node.dtype, dataset.path, ChunkStore())

    def read(start: int, stop: int) -> NumberArray:
        out = np.empty(stop - start, node.dtype)
        with range_reader(file) as ranges:
            reader.read_into(ranges, out, start)
        return out

    return read


def _is_numbers(node: Any) -> bool:
    """Whether NumPy can compute with the stored elements; text of variable length is stored elsewhere in the file."""
    try:
        return StoredDataset(node.id, "").is_plain(node.dtype)
    except NotFlatError:
        return False


def _checked(opened: OpenFile, dataset: StoredDataset) -> Any:
    """Open a dataset whose data is in the file; one that was never written may claim any size and is refused."""
    if dataset.is_outside:
        raise FileFormatError(f"dataset {dataset.path!r} keeps its data in other files, and these are not read.")
    node = opened.hdf5[dataset.path.encode(errors="surrogateescape")]
    stored = node.id.get_storage_size()
    if node.shape is not None and node.size * node.dtype.itemsize > _MAX_FILL_BYTES + stored * MAX_COMPRESSION_RATIO:
        raise FileFormatError(
            f"dataset {dataset.path!r} claims {node.size:,} elements, for which {stored:,} bytes are stored."
        )
    return node


def number_facts(blocks: Iterable[NumberArray]) -> NumberFacts | None:
    """Find the facts of integers, None if there are none.

    Examples
    --------
    >>> number_facts([np.array([0, 4]), np.array([3])])
    NumberFacts(count=3, first=0, last=3, minimum=0, maximum=4, fall=2)
    """
    found = None
    for block in blocks:
        new = _facts_of(block)
        found = new if found is None else _joined(found, new)
    return found


def _facts_of(block: NumberArray) -> NumberFacts:
    falls = np.flatnonzero(block[1:] < block[:-1])
    fall = int(falls[0]) + 1 if len(falls) else None
    return NumberFacts(len(block), int(block[0]), int(block[-1]), int(block.min()), int(block.max()), fall)


def _joined(left: NumberFacts, right: NumberFacts) -> NumberFacts:
    fall = left.fall
    if fall is None and right.first < left.last:
        fall = left.count
    elif fall is None and right.fall is not None:
        fall = left.count + right.fall
    return NumberFacts(
        left.count + right.count,
        left.first,
        right.last,
        min(left.minimum, right.minimum),
        max(left.maximum, right.maximum),
        fall,
    )


def fingerprint(blocks: Iterable[NumberArray]) -> int:
    """Return a number that depends on which integers there are, and not on their order.

    Two different collections of integers have the same one with a probability of 2**-64.

    Examples
    --------
    >>> fingerprint([np.array([2, 0]), np.array([1])]) == fingerprint([np.arange(3)])
    True
    """
    total = 0
    for block in blocks:
        total += int(mix_bits(block.astype(np.uint64) + STEP).sum(dtype=np.uint64))
    return total % 2**64


def counted(size: int) -> Iterator[NumberArray]:
    """Yield the integers from 0 to `size`, in blocks."""
    step = _BLOCK // 8
    for start in range(0, size, step):
        yield np.arange(start, min(start + step, size))


def string_facts(opened: OpenFile, values: StoredDataset, segments: StoredDataset | None) -> StringFacts:
    """Find the facts of strings of an open file, and where the segments, if given, leave them."""
    starts = None if segments is None else _reading(opened, segments)
    count = 0 if segments is None else segments.nrows
    decoder = _Utf8()
    facts = StringFacts()
    position = 0
    for block in blocks(opened, values):
        data = block.view(np.uint8)
        ends = np.flatnonzero(data == 0) + position
        astray = facts.astray
        if starts is not None and astray is None:
            row = min(facts.nuls + 1, count)
            astray = _first_astray(starts(row, min(row + len(ends), count)), row, ends + 1)
        decoder.feed(data, position)
        facts = replace(
            facts,
            nuls=facts.nuls + len(ends),
            is_terminated=not data[-1],
            astray=astray,
            checksum=zlib.crc32(data.data, facts.checksum),
        )
        position += len(data)
    return replace(facts, not_utf8=decoder.problem)


def _first_astray(given: NumberArray, row: int, expected: NumberArray) -> int | None:
    """Compare segments with the starts that NULs give; the last NUL of all starts no string."""
    differs = np.flatnonzero(given != expected[: len(given)])
    return row + int(differs[0]) if len(differs) else None


class _Utf8:
    """Whether bytes that come in blocks are UTF-8."""

    def __init__(self) -> None:
        self.problem: str | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def feed(self, data: NumberArray, position: int) -> None:
        waiting = len(self._decoder.getstate()[0])
        if self.problem is not None or (not waiting and data.max() < 0x80):
            return
        try:
            self._decoder.decode(data.tobytes())
        except UnicodeDecodeError as error:
            self.problem = f"{error.reason} at byte {position - waiting + error.start}"
