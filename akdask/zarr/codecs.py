"""Chunks as bytes of files: packed by Blosc when they are written, unpacked to as many bytes as they can be at most.

What a file says of its packing decides which of a few functions is called, never what is imported or run.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.cluster import transfer_limit
from akdask.errors import FileFormatError, UnsupportedError
from akdask.typing import NumberArray
from akdask.zarr.metadata import TEXT_FILTER, ArrayMetadata, ZarrCodec

BLOSC: Mapping[str, Any] = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
"""How akdask packs: as zarr did unless told, which every Blosc unpacks, that of Arkouda's servers too."""

LARGEST_CHUNK = 2**31 - 2**10
"""Bytes that Blosc packs at a time."""

_BLOSC_HEADER = 16
_LZMA_MEMORY = 2**28

_UNPACK_ERRORS = (
    zlib.error,
    lzma.LZMAError,
    pa.ArrowException,
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    TypeError,
    MemoryError,
)


def demand_numcodecs() -> Any:
    """Return the package that knows Blosc, and strings of any length.

    Raises
    ------
    UnsupportedError
        If it is not installed.
    """
    try:
        import numcodecs
    except ImportError:
        raise UnsupportedError(
            "Zarr stores need the package numcodecs, which is not installed.", hint="pip install 'akdask[zarr]'"
        ) from None
    return numcodecs


def decoded(data: NumberArray, array: ArrayMetadata, path: str) -> np.ndarray[Any, Any]:
    """Return the elements of a chunk, in its shape.

    Parameters
    ----------
    data : ndarray of uint8
        The bytes of its file.
    array : ArrayMetadata
        The array of the chunk.
    path : str
        The file, for messages.

    Raises
    ------
    FileFormatError
        If the bytes are not those of such a chunk.
    """
    is_object = array.dtype.kind == "O"
    size = array.chunk_elements * array.dtype.itemsize
    # Of strings of any length nothing tells how many bytes they are, but that they must fit in memory.
    most = int(min(transfer_limit(), LARGEST_CHUNK)) if is_object else _most_bytes(array, size)
    try:
        found = data.tobytes() if array.compressor is None else _unpacked(data, array.compressor, most)
        for codec in reversed(array.filters):
            if codec.name != TEXT_FILTER:
                found = _unfiltered(found, codec)
        if is_object:
            elements = _strings(found, array.chunk_elements)
        elif len(found) != size:
            raise ValueError(f"it holds {len(found):,} bytes, not {size:,}")
        else:
            elements = np.frombuffer(found, array.dtype)
    except _UNPACK_ERRORS as error:
        raise FileFormatError(
            f"{path!r} is not a chunk of its array: {error}."[:400],
            details=[f"wanted: {array.chunk_elements:,} elements of {array.dtype}"],
            hint="the file is damaged or truncated; write the array again.",
        ) from error
    return elements.reshape(array.grid.chunks, order=array.order)


def _most_bytes(array: ArrayMetadata, size: int) -> int:
    """Return the bytes of a chunk before it was packed at last: differences may be wider than numbers."""
    widths = [np.dtype(codec.stored).itemsize for codec in array.filters if codec.name == "delta"]
    return max([size, *(array.chunk_elements * width for width in widths)])


def _unpacked(data: NumberArray, codec: ZarrCodec, most: int) -> bytes:
    """Return the bytes that a compressor has packed; an error if they are more than `most`."""
    raw = data.tobytes()
    match codec.name:
        case "blosc":
            return _unpacked_blosc(raw, most)
        case "lz4":
            size = int.from_bytes(raw[:4], "little", signed=True)
            if len(raw) < 4 or not 0 <= size <= most:
                raise ValueError(f"it would be {size:,} bytes")
            return bytes(pa.Codec("lz4_raw").decompress(raw[4:], decompressed_size=size))
        case "zstd":
            found = bytes(pa.CompressedInputStream(pa.BufferReader(raw), "zstd").read(most + 1))
        case "zlib" | "gzip":
            found = _streamed(zlib.decompressobj(15 if codec.name == "zlib" else 31), raw, most)
        case "bz2":
            found = _streamed(bz2.BZ2Decompressor(), raw, most)
        case _:
            found = _streamed(lzma.LZMADecompressor(memlimit=_LZMA_MEMORY), raw, most)
    if len(found) > most:
        raise ValueError(f"it would be more than {most:,} bytes")
    return found


def _streamed(unpacker: Any, raw: bytes, most: int) -> bytes:
    """Return what an object of the standard library unpacks, up to one byte more than may be."""
    found: bytes = unpacker.decompress(raw, most + 1)
    if len(found) <= most and not unpacker.eof:
        raise ValueError("its end is missing")
    return found


def _unpacked_blosc(raw: bytes, most: int) -> bytes:
    """Unpack what Blosc has packed, if the sizes in its header are those of the file and of the chunk."""
    if len(raw) < _BLOSC_HEADER:
        raise ValueError(f"it has {len(raw)} bytes")
    nbytes, _, packed = (int.from_bytes(raw[place : place + 4], "little") for place in (4, 8, 12))
    if packed != len(raw) or nbytes > most:
        raise ValueError(f"it would be {packed:,} bytes, that unpack to {nbytes:,}")
    return bytes(demand_numcodecs().blosc.decompress(raw)) if nbytes else b""


def _unfiltered(data: bytes, codec: ZarrCodec) -> bytes:
    if codec.name == "shuffle":
        return np.frombuffer(data, np.uint8).reshape(codec.size, -1).T.tobytes()
    return np.cumsum(np.frombuffer(data, codec.stored), dtype=codec.dtype).astype(codec.dtype).tobytes()


def _strings(data: bytes, count: int) -> np.ndarray[Any, Any]:
    if int.from_bytes(data[:4], "little") != count or len(data) < 4 * (count + 1):
        raise ValueError("it has another number of strings")
    found: np.ndarray[Any, Any] = demand_numcodecs().VLenUTF8().decode(data)
    return found


def packed(elements: np.ndarray[Any, Any]) -> bytes:
    """Return the bytes of the file of a chunk; strings are objects.

    Parameters
    ----------
    elements : ndarray
        All elements of the chunk, contiguous in row-major order.
    """
    numcodecs = demand_numcodecs()
    data = numcodecs.VLenUTF8().encode(elements.ravel()) if elements.dtype.kind == "O" else elements
    settings = {name: value for name, value in BLOSC.items() if name != "id"}
    return bytes(numcodecs.Blosc(**settings).encode(data))
