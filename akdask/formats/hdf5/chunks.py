"""Read datasets in chunks past HDF5, which only gives the addresses of the chunks and does not unpack them.

An unpacked chunk is cached while its rows are read, as a partition is read a few megabytes at a time.
"""

from __future__ import annotations

import bz2
import math
import zlib
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.caches import Cache
from akdask.cluster import check_memory
from akdask.columns.memory import new_array
from akdask.deferred import pa
from akdask.formats import tuning
from akdask.formats.hdf5 import loops
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.low_level import h5d, h5z
from akdask.records import record
from akdask.storage.files import FileIdentity
from akdask.storage.ranges import RangeReader
from akdask.storage.tuning import BLOCK_BYTES
from akdask.typing import NumberArray

Filter: TypeAlias = tuple[int, tuple[int, ...]]
"""Number and parameters of a filter."""

Bytes: TypeAlias = npt.NDArray[np.uint8]

DEFLATE, SHUFFLE, FLETCHER32, LZF = 1, 2, 3, 32000  # as HDF5 and h5py number them
BZIP2, BLOSC, LZ4, ZSTD = 307, 32001, 32004, 32015  # as registered with the HDF Group
OWN = frozenset({DEFLATE, SHUFFLE, FLETCHER32, LZF, BZIP2, LZ4, ZSTD})
"""Filters that are undone here."""

_PACKERS = OWN - {SHUFFLE, FLETCHER32} | {BLOSC}
_BLOSC_HEADER = 16
_PLUGINS = {
    BZIP2: "bzip2",
    BLOSC: "Blosc",
    LZ4: "LZ4",
    ZSTD: "Zstandard",
    305: "LZO",
    32008: "bitshuffle",
    32013: "ZFP",
    32017: "SZ",
    32018: "FCIDECOMP",
    32019: "JPEG",
    32026: "Blosc2",
}
"""Names of filters that do not come with HDF5."""


@cache
def can_undo(number: int) -> bool:
    """Whether a filter is undone here."""
    return number in OWN or (number == BLOSC and find_spec("numcodecs") is not None)


def missing_filter(numbers: Sequence[int]) -> str | None:
    """Return the reason why chunks with some filters cannot be unpacked, None if they can.

    Filters of hdf5plugin are registered, where it is installed.
    """
    for number in numbers:
        if can_undo(number) or h5z.filter_avail(number):
            continue
        with suppress(ImportError):
            import_module("hdf5plugin")
        if not h5z.filter_avail(number):
            name = _PLUGINS.get(number, "a filter")
            bring = "akdask[zarr]" if number == BLOSC else "hdf5plugin"
            if number == 305:
                return f"is packed by {name} (filter {number}), which only PyTables brings"
            return f"is packed by {name} (filter {number}), which is not installed: pip install {bring!r}"
    return None


_SUM = 4  # bytes of a checksum
_WORDS = 2**20  # words of a checksum that are summed at a time, so that the sums fit 64 bits


class ChunkError(ValueError):
    """A chunk cannot be as it was written; the text gives the reason."""


def applied(filters: Sequence[Filter], mask: int) -> list[Filter]:
    """Return the filters that a chunk went through, in order: its mask has a bit for each that it did not."""
    return [one for number, one in enumerate(filters) if not mask >> number & 1]


def check_size(filters: Sequence[Filter], size: int, nbytes: int) -> None:
    """Refuse a chunk whose stored size its filters cannot have made, before any of them sees it.

    Parameters
    ----------
    filters : sequence of Filter
        Filters that the chunk went through.
    size : int
        Bytes that are stored.
    nbytes : int
        Bytes of the elements.

    Raises
    ------
    ChunkError
        If the size is wrong: only compression makes it unpredictable, and never 0.
    """
    sums = [number == FLETCHER32 for number, _ in filters]
    packs = [number not in {SHUFFLE, FLETCHER32} for number, _ in filters]
    if not any(packs):
        if size != nbytes + _SUM * sum(sums):
            raise ChunkError(f"a chunk has {size} bytes stored where its filters make {nbytes + _SUM * sum(sums)}")
        return
    after = sum(sums[len(packs) - packs[::-1].index(True) :])
    if size <= _SUM * after:
        raise ChunkError(f"a chunk has {size} bytes stored, too few for its filters")


def undo(stored: Bytes, filters: Sequence[Filter], nbytes: int) -> Bytes:
    """Return the bytes of a chunk's elements.

    Parameters
    ----------
    stored : ndarray, uint8
        The stored bytes of the chunk.
    filters : sequence of Filter
        Filters that it went through, all of which `can_undo` knows.
    nbytes : int
        Bytes of the elements.

    Raises
    ------
    ChunkError
        If it is damaged, or unpacks to anything but `nbytes` bytes.
    """
    data = stored
    for position in reversed(range(len(filters))):
        number, told = filters[position]
        match number:
            case h5z.FILTER_FLETCHER32:
                data = _without_sum(data)
            case h5z.FILTER_SHUFFLE:
                data = _unshuffled(data, told[0] if told else 0)
            case h5z.FILTER_DEFLATE:
                data = _unpacked(data, _size_before(filters[:position], nbytes))
            case h5z.FILTER_LZF:
                data = _without_lzf(data, _size_before(filters[:position], nbytes))
            case _:
                data = _unpacked_by(number, data.tobytes(), _size_before(filters[:position], nbytes))
    if len(data) != nbytes:
        raise ChunkError(f"a chunk unpacks to {len(data)} bytes instead of {nbytes}")
    return data


def _size_before(filters: Sequence[Filter], nbytes: int) -> int:
    """Return how many bytes a chunk may have after the given filters."""
    for number, _ in filters:
        nbytes += _SUM if number == FLETCHER32 else nbytes // 16 + 64 if number in _PACKERS else 0
    return nbytes


def _unpacked(data: Bytes, limit: int) -> Bytes:
    out = np.empty(limit, np.uint8)
    unpacker, done = zlib.decompressobj(), 0
    try:
        for start in range(0, len(data), BLOCK_BYTES):
            rest: bytes = data[start : start + BLOCK_BYTES].tobytes()
            while rest and not unpacker.eof:
                part = unpacker.decompress(rest, min(limit - done, 2**22) + 1)
                if done + len(part) > limit:
                    raise ChunkError(f"a chunk unpacks to more than {limit} bytes")
                out[done : done + len(part)] = np.frombuffer(part, np.uint8)
                done, rest = done + len(part), unpacker.unconsumed_tail
    except zlib.error as error:
        raise ChunkError(f"a chunk cannot be unpacked ({error})") from None
    if not unpacker.eof:
        raise ChunkError("a chunk ends before all of it is unpacked")
    return out[:done]


def _unpacked_by(number: int, raw: bytes, limit: int) -> Bytes:
    """Undo a filter that does not come with HDF5."""
    try:
        match number:
            case 307:
                unpacker = bz2.BZ2Decompressor()
                found = unpacker.decompress(raw, limit + 1)
                if not unpacker.eof and len(found) <= limit:
                    raise ValueError("its end is missing")
            case 32015:
                found = bytes(pa.CompressedInputStream(pa.BufferReader(raw), "zstd").read(limit + 1))
            case 32001:
                found = _without_blosc(raw, limit)
            case _:
                found = _without_lz4(raw, limit)
    except (OSError, EOFError, RuntimeError, ValueError, pa.ArrowException) as error:
        raise ChunkError(f"a chunk cannot be unpacked ({error})") from None
    if len(found) > limit:
        raise ChunkError(f"a chunk unpacks to more than {limit} bytes")
    return np.frombuffer(found, np.uint8)


def _without_blosc(raw: bytes, limit: int) -> bytes:
    nbytes, packed = int.from_bytes(raw[4:8], "little"), int.from_bytes(raw[12:_BLOSC_HEADER], "little")
    if len(raw) < _BLOSC_HEADER or packed != len(raw) or nbytes > limit:
        raise ValueError(f"{len(raw)} bytes stored of {packed}, that unpack to {nbytes}")
    return bytes(import_module("numcodecs.blosc").decompress(raw)) if nbytes else b""


def _without_lz4(raw: bytes, limit: int) -> bytes:
    """Undo HDF5's LZ4 filter: sizes of all and of a block, and blocks, each after its stored size."""
    nbytes, block = int.from_bytes(raw[:8], "big"), int.from_bytes(raw[8:12], "big")
    if nbytes > limit or (nbytes and not block):
        raise ValueError(f"{nbytes} bytes in blocks of {block}")
    parts, place, left = [], 12, nbytes
    while left:
        size, wanted = int.from_bytes(raw[place : place + 4], "big"), min(block, left)
        part = raw[place + 4 : place + 4 + size]
        if len(part) != size or not size:
            raise ValueError("it is cut off")
        parts.append(part if size == wanted else bytes(pa.Codec("lz4_raw").decompress(part, decompressed_size=wanted)))
        place, left = place + 4 + size, left - wanted
    return b"".join(parts)


def _without_lzf(data: Bytes, limit: int) -> Bytes:
    """Undo LZF: runs of literal bytes and copies of earlier bytes, each after its length."""
    out = new_array(limit, np.uint8)
    count = loops.unpack_lzf(np.ascontiguousarray(data), out)
    if count < 0:
        raise ChunkError("a chunk cannot be unpacked: it is cut off, or copies from before its start or past its end")
    return out[:count]


def _unshuffled(data: Bytes, width: int) -> Bytes:
    """Undo the shuffle filter: the bytes of each element become adjacent; a remainder at the end is copied."""
    if width < 1:
        raise ChunkError(f"a chunk has elements of {width} bytes")
    count = len(data) // width
    if width == 1 or count < 2:
        return data
    out = np.empty_like(data)
    nfull = count * width
    np.copyto(out[:nfull].reshape(count, width), data[:nfull].reshape(width, count).T)
    out[nfull:] = data[nfull:]
    return out


def _without_sum(data: Bytes) -> Bytes:
    if len(data) < _SUM:
        raise ChunkError(f"a chunk of {len(data)} bytes has no checksum")
    content, stored = data[:-_SUM], int.from_bytes(data[-_SUM:].tobytes(), "little")
    found = fletcher32(content)
    # Releases of HDF5 before 1.6.3 exchanged the bytes of each half on little-endian machines.
    swapped = (found & 0x00FF00FF) << 8 | (found & 0xFF00FF00) >> 8
    if stored not in {found, swapped}:
        raise ChunkError(f"a chunk has the checksum {found:08x}, but {stored:08x} is stored")
    return content


def fletcher32(data: NumberArray) -> int:
    """Return HDF5's checksum of some bytes: of big-endian words of two bytes, an odd one at the end as the high byte.

    Examples
    --------
    >>> hex(fletcher32(np.frombuffer(b"abcde", np.uint8)))
    '0x4ff029c7'
    """
    even = len(data) & ~1
    words = data[:even].view(">u2")
    low = high = 0
    for start in range(0, len(words), _WORDS):
        block = words[start : start + _WORDS].astype(np.uint64)
        high += low * len(block) + int(np.dot(block, np.arange(len(block), 0, -1, dtype=np.uint64)))
        low += int(block.sum())
    if len(data) > even:
        low += int(data[-1]) << 8
        high += low
    return _folded(high) << 16 | _folded(low)


def _folded(total: int) -> int:
    """Return a sum modulo 65,535 as adding carries gives it: 65,535 in place of 0, unless the sum is 0."""
    return (total - 1) % 0xFFFF + 1 if total else 0


Box: TypeAlias = tuple[slice, ...]
"""A range along each dimension."""


def boxes(shape: Sequence[int], start: int, stop: int) -> Iterator[Box]:
    """Yield boxes that together are the elements from `start` to `stop`, in order: at most two for each dimension.

    Examples
    --------
    >>> [tuple((side.start, side.stop) for side in box) for box in boxes((3, 4), 3, 9)]
    [((0, 1), (3, 4)), ((1, 2), (0, 4)), ((2, 3), (0, 1))]
    """
    if start >= stop:
        return
    if len(shape) == 1:
        yield (slice(start, stop),)
        return
    width = math.prod(shape[1:])
    first, last = -(-start // width), stop // width
    if first > last:  # all within one row
        yield from _within(shape, last, start, stop)
        return
    yield from _within(shape, first - 1, start, first * width)
    if first < last:
        yield (slice(first, last), *(slice(0, size) for size in shape[1:]))
    yield from _within(shape, last, last * width, stop)


def _within(shape: Sequence[int], row: int, start: int, stop: int) -> Iterator[Box]:
    before = row * math.prod(shape[1:])
    for box in boxes(shape[1:], start - before, stop - before):
        yield (slice(row, row + 1), *box)


@record(eq=False)
class ChunkIndex:
    """Locations of the chunks of a dataset; each chunk has been checked to have a size that its filters can produce.

    Parameters
    ----------
    shape : tuple of int
        Elements of the dataset along each dimension.
    chunk : tuple of int
        Filters of a chunk.
    filters : tuple of Filter
        In the order in which they were applied.
    fill : bytes
        The stored fill value of one element.
    numbers : ndarray, int64
        Numbers of the stored chunks in row-major order; ascending.
    locations : ndarray, shape (nchunks, 3), int64
        Offset, size and mask of filters of each.
    """

    shape: tuple[int, ...]
    chunk: tuple[int, ...]
    filters: tuple[Filter, ...]
    fill: bytes
    numbers: npt.NDArray[np.int64]
    locations: npt.NDArray[np.int64]

    @property
    def grid(self) -> tuple[int, ...]:
        """Chunks along each dimension."""
        return tuple(-(-size // step) for size, step in zip(self.shape, self.chunk, strict=True))

    @property
    def is_own(self) -> bool:
        """Whether all filters are undone here."""
        return all(can_undo(number) for number, _ in self.filters)

    def byte_ranges(self, start: int, stop: int) -> list[tuple[int, int]]:
        """Return where the chunks with some elements, counted in row-major order, begin and end in the file."""
        beside, across = math.prod(self.shape[1:]), math.prod(self.grid[1:])
        if start >= stop or not beside:
            return []
        first, last = start // beside // self.chunk[0], (stop - 1) // beside // self.chunk[0]
        rows = slice(*np.searchsorted(self.numbers, [first * across, (last + 1) * across]))
        found = self.locations[rows]
        return list(zip(found[:, 0].tolist(), (found[:, 0] + found[:, 1]).tolist(), strict=True))

    def find(self, location: tuple[int, ...]) -> tuple[int, int, int] | None:
        """Return offset, size and mask of the chunk at a place in the grid, None if it was never written."""
        number = 0
        for at, size in zip(location, self.grid, strict=True):
            number = number * size + at
        row = int(np.searchsorted(self.numbers, number))
        if row == len(self.numbers) or self.numbers[row] != number:
            return None
        offset, size, mask = self.locations[row].tolist()
        return offset, size, mask


_INDEXES: Cache[tuple[FileIdentity, str], ChunkIndex] = Cache(
    "chunk indexes of HDF5 datasets",
    nbytes=tuning.HDF5_CHUNK_INDEX_BYTES,
    size=lambda index: index.numbers.nbytes + index.locations.nbytes,
    at_least=1,
)


def index_of(file: FileIdentity, path: str, node: H5Object) -> ChunkIndex:
    """Return the locations of an open dataset's chunks; caches those of the most recent datasets.

    Raises
    ------
    ChunkError
        If there is a chunk that cannot be: out of the file or of the dataset, or of a wrong size.
    """
    found = _INDEXES.get((file, path))
    if found is None:
        found = _INDEXES.put((file, path), _looked_up(file.size, node))
    return found


def _looked_up(file_size: int, node: H5Object) -> ChunkIndex:
    made = node.get_create_plist()
    shape, chunk = node.shape, made.get_chunk()
    filters = tuple(made.get_filter(number)[::2] for number in range(made.get_nfilters()))
    fill = np.zeros((), node.dtype)
    if made.fill_value_defined() != h5d.FILL_VALUE_UNDEFINED and made.get_fill_time() != h5d.FILL_TIME_NEVER:
        made.get_fill_value(fill)
    # More chunks than the shape has mean damage: the dataset was cut off, or the index is circular.
    stored = _Stored(math.prod(-(-size // step) for size, step in zip(shape, chunk, strict=True)))
    node.chunk_iter(stored.add)
    starts = np.array(stored.starts, np.int64).reshape(-1, len(shape))
    locations = np.array(stored.locations, np.int64).reshape(-1, 3)
    numbers = _numbers(starts, shape, chunk)
    nbytes = math.prod(chunk) * fill.itemsize
    if len(locations) and (locations[:, :2].min() < 0 or (locations[:, 0] > file_size - locations[:, 1]).any()):
        raise ChunkError("a chunk lies outside the file")
    for size, mask in np.unique(locations[:, 1:], axis=0).tolist():
        check_size(applied(filters, mask), size, nbytes)
    order = np.argsort(numbers, kind="stable")
    if (np.diff(numbers[order]) == 0).any():
        raise ChunkError("a chunk is stored twice")
    return ChunkIndex(shape, chunk, filters, fill.tobytes(), numbers[order], locations[order])


class _Stored:
    """Collects the chunks that HDF5 lists for a dataset."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.starts: list[tuple[int, ...]] = []
        self.locations: list[tuple[int, int, int]] = []

    def add(self, found: Any) -> None:
        if len(self.locations) == self.most:
            raise ChunkError(f"there are more than the {self.most} chunks that it can have")
        self.starts.append(found.chunk_offset)
        self.locations.append((found.byte_offset, found.size, found.filter_mask))


def _numbers(starts: NumberArray, shape: tuple[int, ...], chunk: tuple[int, ...]) -> npt.NDArray[np.int64]:
    """Return the number of each chunk in the grid, counted in row-major order."""
    if (starts % chunk).any() or (starts >= shape).any() or starts.min(initial=0) < 0:
        raise ChunkError("a chunk lies outside the dataset")
    numbers = np.zeros(len(starts), np.int64)
    for axis, (size, step) in enumerate(zip(shape, chunk, strict=True)):
        numbers = numbers * -(-size // step) + starts[:, axis] // step
    return numbers


class ChunkReader:
    """Reads elements of a dataset in chunks whose filters are all known here.

    Parameters
    ----------
    index : ChunkIndex
        Where its chunks are.
    dtype : dtype
        The stored type of the elements.
    name : str
        The dataset, for messages.
    cache : ChunkStore
        Cache of unpacked chunks, shared with other datasets.
    """

    def __init__(self, index: ChunkIndex, dtype: np.dtype[Any], name: str, cache: ChunkStore) -> None:
        self.index = index
        self.name = name
        self._dtype = dtype
        self._cache = cache
        self._fill = np.frombuffer(index.fill, dtype)[0]

    def read_into(self, ranges: RangeReader, out: NumberArray, start: int) -> None:
        """Fill an array of the stored type with the elements from `start` on, counted in row-major order."""
        done = 0
        for box in boxes(self.index.shape, start, start + len(out)):
            sizes = tuple(side.stop - side.start for side in box)
            count = math.prod(sizes)
            self._read_box(ranges, out[done : done + count].reshape(sizes), box)
            done += count

    def _read_box(self, ranges: RangeReader, out: NumberArray, box: Box) -> None:
        steps = self.index.chunk
        touched = (range(side.start // step, -(-side.stop // step)) for side, step in zip(box, steps, strict=True))
        for location in product(*touched):
            target, source = [], []
            for at, side, step in zip(location, box, steps, strict=True):
                low, high = max(side.start, at * step), min(side.stop, (at + 1) * step)
                target.append(slice(low - side.start, high - side.start))
                source.append(slice(low - at * step, high - at * step))
            self._copy(ranges, out[tuple(target)], location, tuple(source))

    def _copy(self, ranges: RangeReader, out: NumberArray, location: tuple[int, ...], source: Box) -> None:
        found = self.index.find(location)
        if found is None:
            out[...] = self._fill
            return
        offset, size, mask = found
        filters = applied(self.index.filters, mask)
        if not filters and len(source) == 1:
            ranges.read_into(out, offset + source[0].start * out.itemsize, self.name)
            return
        key, nbytes = (self.name, offset), math.prod(self.index.chunk) * out.itemsize
        chunk = self._cache.get(key)
        if chunk is None:
            # A row of the array crosses that many chunks, and the next rows cross the same ones.
            self._cache.reserve(self.name, nbytes, math.prod(self.index.grid[1:]))
            stored = np.empty(size, np.uint8)
            ranges.read_into(stored, offset, self.name)
            chunk = self._cache.add(key, undo(stored, filters, nbytes))
        out[...] = chunk.view(self._dtype).reshape(self.index.chunk)[source]


class ChunkStore:
    """Cache of the most recently used unpacked chunks of a task's datasets."""

    def __init__(self) -> None:
        self._chunks: OrderedDict[tuple[str, int], Bytes] = OrderedDict()

    def get(self, key: tuple[str, int]) -> Bytes | None:
        """Return a dataset's chunk at an offset, None if it is not cached."""
        if key not in self._chunks:
            return None
        self._chunks.move_to_end(key)
        return self._chunks[key]

    def add(self, key: tuple[str, int], chunk: Bytes) -> Bytes:
        """Keep a chunk, for which there is room."""
        self._chunks[key] = chunk
        return chunk

    def reserve(self, dataset: str, nbytes: int, count: int) -> None:
        """Drop chunks until another of the same size fits; its dataset needs `count` chunks at a time.

        Raises
        ------
        TransferError
            If a chunk of that size is more than this process may hold.
        """
        check_chunk(nbytes)
        own = [key for key in self._chunks if key[0] == dataset]
        for key in own[: max(len(own) + 1 - count, 0)]:
            del self._chunks[key]
        while self._chunks and sum(chunk.nbytes for chunk in self._chunks.values()) + nbytes > tuning.HDF5_CHUNK_CACHE:
            self._chunks.popitem(last=False)


def check_chunk(nbytes: int) -> None:
    """Refuse to unpack a chunk that exceeds the transfer limit of this process.

    Raises
    ------
    TransferError
        If it is.
    """
    check_memory(nbytes, "a chunk takes", "write the file in smaller chunks")
