"""Undoing HDF5's own filters without HDF5: from the stored bytes of a chunk to its elements.

HDF5 believes what a file says of sizes: a chunk that is too short is read past its end, one that unpacks to more than
a chunk takes any amount of memory.  Here every step knows how many bytes it may make.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from h5py import h5z

from akdask.kernels.compiled import should_compile
from akdask.typing import NumberArray

Filter: TypeAlias = tuple[int, tuple[int, ...]]
"""Number of a filter, and what it was told."""

Bytes: TypeAlias = npt.NDArray[np.uint8]

DEFLATE, SHUFFLE, FLETCHER32 = h5z.FILTER_DEFLATE, h5z.FILTER_SHUFFLE, h5z.FILTER_FLETCHER32
LZF = h5z.FILTER_LZF
OWN = frozenset({DEFLATE, SHUFFLE, FLETCHER32, LZF})
"""Filters that are undone here."""

_SUM = 4  # bytes of a checksum
_FED = 2**16  # compressed bytes that are unpacked at a time
_WORDS = 2**20  # words of a checksum that are summed at a time, so that the sums fit 64 bits


class ChunkError(ValueError):
    """A chunk cannot be what was stored; the text says why."""


def applied(filters: Sequence[Filter], mask: int) -> list[Filter]:
    """Return the filters that a chunk went through, in order: its mask has a bit for each that it did not."""
    return [one for number, one in enumerate(filters) if not mask >> number & 1]


def check_size(filters: Sequence[Filter], size: int, nbytes: int) -> None:
    """Refuse a chunk whose stored size its filters cannot have made, before any of them sees it.

    Parameters
    ----------
    filters : sequence of Filter
        Those that the chunk went through.
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
        The chunk as it is in the file.
    filters : sequence of Filter
        Those that it went through, all of `OWN`.
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
    if len(data) != nbytes:
        raise ChunkError(f"a chunk unpacks to {len(data)} bytes instead of {nbytes}")
    return data


def _size_before(filters: Sequence[Filter], nbytes: int) -> int:
    """Return how many bytes a chunk may have after the given filters."""
    for number, _ in filters:
        nbytes += _SUM if number == FLETCHER32 else nbytes // 16 + 64 if number in {DEFLATE, LZF} else 0
    return nbytes


def _unpacked(data: Bytes, limit: int) -> Bytes:
    out = np.empty(limit, np.uint8)
    unpacker, done = zlib.decompressobj(), 0
    try:
        for start in range(0, len(data), _FED):
            rest: bytes = data[start : start + _FED].tobytes()
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


def _without_lzf(data: Bytes, limit: int) -> Bytes:
    """Undo LZF: runs of literal bytes and copies of earlier bytes, each after its length."""
    if should_compile(limit):
        from akdask.kernels.compiled.lzf import unpack_lzf

        found = unpack_lzf(data, limit)
    else:
        found = _unpack_lzf(data.tobytes(), limit)
    if found is None:
        raise ChunkError("a chunk cannot be unpacked: it is cut off, or copies from before its start or past its end")
    return found


def _unpack_lzf(packed: bytes, limit: int) -> Bytes | None:
    """Return what was packed, None if it is damaged or more than `limit` bytes."""
    out = bytearray()
    position, end = 0, len(packed)
    try:
        while position < end and len(out) <= limit:
            control = packed[position]
            position += 1
            if control < 32:
                out += packed[position : position + control + 1]
                position += control + 1
                continue
            length = control >> 5
            if length == 7:
                length += packed[position]
                position += 1
            start = len(out) - ((control & 31) << 8) - packed[position] - 1
            position, length = position + 1, length + 2
            if start < 0:
                return None
            part = out[start : start + length]
            # A copy may reach into what it makes itself, which repeats then.
            out += part if len(part) == length else (part * (length // len(part) + 1))[:length]
    except IndexError:
        return None
    return np.frombuffer(out, np.uint8) if position == end and len(out) <= limit else None


def _unshuffled(data: Bytes, width: int) -> Bytes:
    """Undo the shuffle filter: the bytes of each element become adjacent; a remainder at the end stays as it is."""
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
