"""Metadata and chunks of Zarr arrays: ``.zarray`` read, validated and written, grids of chunks, and codecs.

Sources: the specification of Zarr's storage, version 2; Arkouda's ``ZarrMsg.chpl``, whose files have only shape, chunks
and dtype, and chunks compressed by Blosc.
"""

from __future__ import annotations

import base64
import binascii
import bz2
import json
import lzma
import math
import re
import zlib
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from akdask.cluster import transfer_limit
from akdask.columns.dtypes import INT64, STR, ColumnType, column_type
from akdask.errors import FileFormatError, UnsupportedError
from akdask.records import record
from akdask.storage.objects import ObjType
from akdask.typing import NumberArray

Index: TypeAlias = tuple[int, ...]
Box: TypeAlias = tuple[tuple[int, int], ...]
"""First position and the one behind the last, of each dimension."""


@record
class Grid:
    """An array cut into chunks, the last of which reach beyond its end.

    A stripe is the least run of elements, in row-major order, that chunks make up which no other stripe needs.

    Parameters
    ----------
    shape : tuple of int
        Length of each dimension, of at least one.
    chunks : tuple of int
        Length of a chunk in each dimension, at least 1.
    """

    shape: Index
    chunks: Index

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def counts(self) -> Index:
        """Number of chunks in each dimension."""
        return tuple(-(-length // chunk) for length, chunk in zip(self.shape, self.chunks, strict=True))

    @property
    def axis(self) -> int:
        """The first dimension in which a chunk has more than one position: along it lie the stripes."""
        return next((axis for axis, chunk in enumerate(self.chunks[:-1]) if chunk > 1), len(self.chunks) - 1)

    @property
    def nstripes(self) -> int:
        """Number of stripes."""
        return math.prod(self.counts[: self.axis + 1]) if self.size else 0

    def stripe_start(self, stripe: int) -> int:
        """Return the first element of a stripe; one stripe past the end gives the number of elements.

        Examples
        --------
        >>> grid = Grid((2, 5, 3), (1, 2, 3))
        >>> grid.nstripes, [grid.stripe_start(stripe) for stripe in range(7)]
        (6, [0, 6, 12, 15, 21, 27, 30])
        """
        if stripe >= self.nstripes:
            return self.size
        run, place = divmod(stripe, self.counts[self.axis])
        return (run * self.shape[self.axis] + place * self.chunks[self.axis]) * math.prod(self.shape[self.axis + 1 :])

    def stripe_at(self, element: int) -> int:
        """Return the stripe of an element.

        Examples
        --------
        >>> grid = Grid((2, 5, 3), (1, 2, 3))
        >>> [grid.stripe_at(element) for element in (0, 5, 6, 14, 15)]
        [0, 0, 1, 2, 3]
        """
        row = element // math.prod(self.shape[self.axis + 1 :])
        run, place = divmod(row, self.shape[self.axis])
        return run * self.counts[self.axis] + place // self.chunks[self.axis]

    def stripe_prefix(self, stripe: int) -> Index:
        """Return the numbers that the chunks of a stripe begin with.

        Examples
        --------
        >>> Grid((2, 5, 3), (1, 2, 2)).stripe_prefix(4)
        (1, 1)
        """
        prefix = []
        for count in reversed(self.counts[: self.axis + 1]):
            stripe, number = divmod(stripe, count)
            prefix.append(number)
        return tuple(reversed(prefix))

    def stripe_chunks(self, stripe: int) -> Iterator[Index]:
        """Yield the chunks of a stripe.

        Examples
        --------
        >>> list(Grid((2, 5, 3), (1, 2, 2)).stripe_chunks(4))
        [(1, 1, 0), (1, 1, 1)]
        """
        prefix = self.stripe_prefix(stripe)
        yield from ((*prefix, *inner) for inner in product(*map(range, self.counts[self.axis + 1 :])))

    def box_of(self, chunk: Index) -> Box:
        """Return the positions of a chunk that the array has."""
        sides = zip(chunk, self.chunks, self.shape, strict=True)
        return tuple((index * length, min((index + 1) * length, end)) for index, length, end in sides)


def runs(shape: Index, start: int, stop: int) -> Iterator[tuple[int, Box]]:
    """Yield the boxes that a run of elements of an array is, each with the place of its first element in the run.

    They are at most two for each dimension, and one more.

    Examples
    --------
    >>> list(runs((3, 4), 2, 9))
    [(0, ((0, 1), (2, 4))), (2, ((1, 2), (0, 4))), (6, ((2, 3), (0, 1)))]
    """
    rest = shape[1:]
    if not rest:
        if start < stop:
            yield 0, ((start, stop),)
        return
    width = math.prod(rest)
    position = start
    while position < stop:
        row, column = divmod(position, width)
        if column or stop - position < width:
            end = min(stop, (row + 1) * width)
            for place, box in runs(rest, column, end - row * width):
                yield position - start + place, ((row, row + 1), *box)
        else:
            last = stop // width
            yield position - start, ((row, last), *((0, length) for length in rest))
            end = last * width
        position = end


def common(first: Box, second: Box) -> Box | None:
    """Return the positions that two boxes share, None if they share none.

    Examples
    --------
    >>> common(((0, 4), (2, 5)), ((3, 9), (0, 3))), common(((0, 4),), ((4, 5),))
    (((3, 4), (2, 3)), None)
    """
    found = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(first, second, strict=True))
    return found if all(low < high for low, high in found) else None


def inside(box: Box, origin: Box) -> tuple[slice, ...]:
    """Return the slices of a box, counted from the first positions of another."""
    return tuple(slice(low - base, high - base) for (low, high), (base, _) in zip(box, origin, strict=True))


VERSION = 2
NOTE = "akdask"
"""The attribute for akdask's additions to Zarr's metadata."""

_DTYPE = re.compile(r"[<>|=]?([biuf][1248]|[SU]\d{1,7}|[mM]8\[(ns|us|ms|s|m|h|D)\]|O)")
_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "D": 86400 * 10**9}
_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_MOST_DIMENSIONS = 32
_MOST_ELEMENTS = 2**60
_MOST_FILTERS = 8
TEXT_FILTER = "vlen-utf8"
COMPRESSORS = ("blosc", "bz2", "gzip", "lz4", "lzma", "zlib", "zstd")
CHECKSUMS = ("crc32c", "fletcher32")
FILTERS = ("delta", "shuffle", "fletcher32", TEXT_FILTER)


class MetadataError(Exception):
    """An error in metadata; callers add the name of the file."""


@record
class ZarrCodec:
    """One step in which chunks are packed.

    Parameters
    ----------
    name : str
        One of `COMPRESSORS`, `CHECKSUMS` or `FILTERS`.
    size : int
        Bytes of an element, of ``shuffle``.
    dtype, stored : str
        Of ``delta``: the type of the numbers, and of their differences.
    """

    name: str
    size: int = 1
    dtype: str = ""
    stored: str = ""


@record
class ArrayMetadata:
    """The metadata of an array.

    Parameters
    ----------
    grid : Grid
        Its shape, and that of its chunks.
    dtype : dtype
        The stored type; object for strings of any length.
    order : {"C", "F"}
        How the elements of a chunk follow each other.
    separator : {".", "/"}
        Separator of the numbers in the name of a chunk.
    fill : value
        Value of elements in missing chunks, of `dtype`, or bytes or a str for strings.
    compressor : ZarrCodec, optional
        How chunks are packed at last.
    filters : tuple of ZarrCodec
        Filters applied before compression, in this order.
    prefix : str
        What the names of chunks begin with.
    axes : tuple of int, optional
        The order in which the dimensions of a chunk are stored.
    shard : ArrayMetadata, optional
        The array that each chunk is: its shape, and smaller chunks.
    index : ArrayMetadata, optional
        Of a shard: the array of the offsets and sizes of its chunks.
    index_is_first : bool
        Of a shard: whether the index comes before the chunks.
    is_single : bool
        Whether the array has no dimensions.
    """

    grid: Grid
    dtype: np.dtype[Any]
    order: Literal["C", "F"] = "C"
    separator: str = "."
    fill: Any = None
    compressor: ZarrCodec | None = None
    filters: tuple[ZarrCodec, ...] = ()
    prefix: str = ""
    axes: Index | None = None
    shard: ArrayMetadata | None = None
    index: ArrayMetadata | None = None
    index_is_first: bool = False
    is_single: bool = False

    @property
    def is_text(self) -> bool:
        """Whether the elements are strings."""
        return self.dtype.kind in "OSU"

    @property
    def column(self) -> ColumnType:
        """The type of the elements when they are read: 64-bit numbers, bool or strings."""
        if self.is_text:
            return STR
        return INT64 if self.dtype.kind in "mM" else column_type(self.dtype)

    @property
    def unit(self) -> int:
        """Nanoseconds per unit of a time; 1 for all other types."""
        return _UNITS[np.datetime_data(self.dtype)[0]] if self.dtype.kind in "mM" else 1

    @property
    def kind(self) -> ObjType:
        """The kind of object that the array is."""
        if len(self.grid.shape) > 1:
            return ObjType.ARRAYVIEW
        if self.is_text:
            return ObjType.STRINGS
        return {"M": ObjType.DATETIME, "m": ObjType.TIMEDELTA}.get(self.dtype.kind, ObjType.PDARRAY)

    @property
    def chunk_elements(self) -> int:
        """Number of elements of a chunk."""
        return math.prod(self.grid.chunks)

    def name_of(self, chunk: tuple[int, ...]) -> str:
        """Return the name of the file of a chunk."""
        if self.prefix and self.is_single:
            return self.prefix
        return self.separator.join([*([self.prefix] if self.prefix else []), *map(str, chunk)])


def parsed(path: str, content: bytes) -> ArrayMetadata:
    """Return the content of a file ``.zarray``.

    Raises
    ------
    FileFormatError
        If it contradicts the specification, or itself.
    UnsupportedError
        If its arrays have elements, or are packed in a way, that cannot be read.
    """
    try:
        found = json.loads(content)
        if not isinstance(found, dict):
            raise MetadataError("it is no JSON object")
        return _checked(path, found)
    except MetadataError as error:
        raise FileFormatError(f"{path!r} describes no Zarr array: {error}.", hint="write the array again.") from None
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path!r} is no JSON: {error}."[:500], hint="write the array again.") from None


def _checked(path: str, found: Mapping[str, Any]) -> ArrayMetadata:
    if found.get("zarr_format") != VERSION:
        raise MetadataError(f"its zarr_format is {found.get('zarr_format')!r:.20}, not {VERSION}")
    grid = grid_of(found)
    dtype = _dtype(path, found.get("dtype"))
    filters = _filters(path, found.get("filters"), dtype)
    # Arkouda's servers omit the compressor, which is always Blosc.
    packing = found.get("compressor", {"id": "blosc"})
    compressor = None if packing is None else _codec(path, packing, (*COMPRESSORS, "fletcher32"), dtype)
    order, separator = found.get("order", "C"), found.get("dimension_separator", ".")
    if order not in ("C", "F"):
        raise MetadataError(f"its order is {order!r:.20}, not 'C' or 'F'")
    if separator not in (".", "/"):
        raise MetadataError(f"its dimension_separator is {separator!r:.20}, not '.' or '/'")
    fill = fill_of(found.get("fill_value"), dtype)
    return ArrayMetadata(grid, dtype, order, separator, fill, compressor, filters)


def grid_of(found: Mapping[str, Any]) -> Grid:
    """Return the ``shape`` and ``chunks`` of an array.

    Raises
    ------
    MetadataError
        If they cannot be those of an array.
    """
    shape, chunks = (_lengths(found.get(name), name) for name in ("shape", "chunks"))
    if len(shape) != len(chunks):
        raise MetadataError(f"its shape has {len(shape)} dimensions, its chunks have {len(chunks)}")
    if not all(chunk or not length for chunk, length in zip(chunks, shape, strict=True)):
        raise MetadataError("a chunk has the length 0")
    # An array without dimensions is one element, in a chunk that is named like the first of an array with one.
    shape, chunks = shape or (1,), tuple(max(chunk, 1) for chunk in chunks) or (1,)
    if math.prod(shape) > _MOST_ELEMENTS or math.prod(chunks) > _MOST_ELEMENTS:
        raise MetadataError(f"it has more than {_MOST_ELEMENTS:,} elements")
    return Grid(shape, chunks)


def _lengths(given: Any, name: str) -> tuple[int, ...]:
    if (
        not isinstance(given, list)
        or len(given) > _MOST_DIMENSIONS
        or not all(type(length) is int and 0 <= length <= _MOST_ELEMENTS for length in given)
    ):
        raise MetadataError(f"its {name} is {given!r:.60}, not a list of at most {_MOST_DIMENSIONS} lengths")
    return tuple(given)


def _dtype(path: str, given: Any) -> np.dtype[Any]:
    if not isinstance(given, str) or _DTYPE.fullmatch(given) is None:
        raise UnsupportedError(
            f"the array of {path!r} has elements of type {given!r:.60}, which cannot be read.",
            hint="integers, floats, bool, times and strings can.",
        )
    try:
        return np.dtype(given)
    except TypeError:
        raise MetadataError(f"its dtype is {given!r}") from None


def _filters(path: str, given: Any, dtype: np.dtype[Any]) -> tuple[ZarrCodec, ...]:
    if given is not None and (not isinstance(given, list) or len(given) > _MOST_FILTERS):
        raise MetadataError(f"its filters are {given!r:.60}")
    found = tuple(_codec(path, entry, FILTERS, dtype) for entry in given or ())
    # Strings of any length become bytes first; no other filter maps objects to bytes.
    if [codec.name == TEXT_FILTER for codec in found] != [
        dtype.kind == "O" and not place for place in range(len(found))
    ]:
        raise MetadataError(f"its filters do not fit its dtype {dtype}")
    if dtype.kind == "O" and not found:
        raise UnsupportedError(
            f"the array of {path!r} holds Python objects, which are not read.",
            hint="write it with a type of numbers, or as text with the filter vlen-utf8.",
        )
    return found


def _codec(path: str, given: Any, allowed: tuple[str, ...], dtype: np.dtype[Any]) -> ZarrCodec:
    name = given.get("id") if isinstance(given, dict) else None
    if not isinstance(name, str):
        raise MetadataError(f"it is packed by {given!r:.60}")
    if name not in allowed:
        # Some codecs of other readers execute code of the file, as `pickle` does.
        raise UnsupportedError(
            f"the array of {path!r} is packed by {name!r:.60}, which is not unpacked.",
            details=[f"known: {', '.join(allowed)}"],
            hint="write it again with one of these, or with compressor=None.",
        )
    if name == "shuffle":
        size = given.get("elementsize", 4)
        if type(size) is not int or not 1 <= size <= 2**20:
            raise MetadataError(f"its shuffle has elements of {size!r:.20} bytes")
        return ZarrCodec(name, size)
    if name == "delta":
        types = given.get("dtype"), given.get("astype") or given.get("dtype")
        if not all(isinstance(kind, str) and re.fullmatch(r"[<>|=]?[iuf][1248]", kind) for kind in types):
            raise MetadataError(f"its delta is of {types!r:.60}")
        if np.dtype(types[0]) != dtype:
            raise MetadataError(f"its delta is of {types[0]}, its dtype is {dtype}")
        return ZarrCodec(name, dtype=str(types[0]), stored=str(types[1]))
    return ZarrCodec(name)


def fill_of(given: Any, dtype: np.dtype[Any]) -> Any:
    """Return the value of elements in missing chunks.

    Raises
    ------
    MetadataError
        If it is of another type.
    """
    try:
        match dtype.kind:
            case "O" | "U":
                if given is None or (given == 0 and dtype.kind == "U"):
                    return ""
                # zarr writes 0 for its strings of any length as their fill value, and fills with the text.
                if isinstance(given, str) or (type(given) is int and dtype.kind == "O"):
                    return str(given)
            case "S":
                if given is None or given == 0:
                    return b""
                return base64.b64decode(given, validate=True).rstrip(b"\0")
            case "f":
                number = _FLOATS[given] if isinstance(given, str) else given
                if number is None or isinstance(number, int | float):
                    return dtype.type(number or 0)
            case "b":
                if given is None or given in (0, 1):
                    return dtype.type(given or 0)
            case _:
                number = 0 if given is None else np.iinfo(np.int64).min if given == "NaT" else given
                if isinstance(number, int | float) and number == int(number):
                    integers = np.int64 if dtype.kind in "mM" else dtype
                    return np.array(int(number), integers).astype(dtype)[()]
    except (KeyError, OverflowError, TypeError, ValueError, binascii.Error):
        pass
    raise MetadataError(f"its fill_value is {given!r:.60}, which is no {dtype}")


def encoded(metadata: ArrayMetadata, blosc: Mapping[str, Any]) -> bytes:
    """Return the file ``.zarray`` of an array that akdask writes.

    Parameters
    ----------
    metadata : ArrayMetadata
        With a fill value of 0 or "".
    blosc : mapping of str to value
        Name of the compressor.
    """
    said = {
        "zarr_format": VERSION,
        "shape": list(metadata.grid.shape),
        "chunks": list(metadata.grid.chunks),
        "dtype": metadata.dtype.str,
        "compressor": dict(blosc),
        "fill_value": "" if metadata.is_text else False if metadata.dtype.kind == "b" else 0,
        "order": metadata.order,
        "filters": [{"id": codec.name} for codec in metadata.filters] or None,
    }
    return json.dumps(said, indent=4).encode()


BLOSC: Mapping[str, Any] = {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0}
"""akdask's compression: zarr's old default, which every Blosc reads, including that of Arkouda's servers."""

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
    """Return numcodecs, which has Blosc, and strings of any length.

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
    if array.shard is not None:
        return _decoded_shard(data, array, array.shard, path)
    is_object = array.dtype.kind == "O"
    size = array.chunk_elements * array.dtype.itemsize
    # The size of strings of any length is unknown; they only have to fit in memory.
    most = int(min(transfer_limit(), LARGEST_CHUNK)) if is_object else _most_bytes(array, size)
    try:
        found = data.tobytes()
        if array.compressor is not None:
            found = _unfiltered(found, array.compressor, most)
        for codec in reversed(array.filters):
            if codec.name != TEXT_FILTER:
                found = _unfiltered(found, codec, most)
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
    if array.axes is None:
        return elements.reshape(array.grid.chunks, order=array.order)
    return _in_own_order(elements, array)


def _in_own_order(elements: np.ndarray[Any, Any], array: ArrayMetadata) -> np.ndarray[Any, Any]:
    axes = array.axes or ()
    return elements.reshape([array.grid.chunks[axis] for axis in axes]).transpose(np.argsort(axes))


_CHECKSUM_BYTES = 4
_ABSENT = 2**64 - 1
"""Offset and size of a chunk that a shard does not have."""


def _decoded_shard(data: NumberArray, array: ArrayMetadata, shard: ArrayMetadata, path: str) -> np.ndarray[Any, Any]:
    """Return the elements of a shard, in its shape."""
    index = shard.index
    if index is None:
        raise AssertionError("a shard has an index")
    try:
        for codec in reversed(array.filters):
            data = np.frombuffer(_unfiltered(data.tobytes(), codec, int(transfer_limit())), np.uint8)
        nbytes = 8 * math.prod(index.grid.shape) + _CHECKSUM_BYTES * len(index.filters)
        if len(data) < nbytes:
            raise ValueError(f"it has {len(data):,} bytes, and no index")
        extents = decoded(data[:nbytes] if shard.index_is_first else data[-nbytes:], index, path)
    except _UNPACK_ERRORS as error:
        raise FileFormatError(
            f"{path!r} is not a shard of its array: {error}."[:400],
            hint="the file is damaged or truncated; write the array again.",
        ) from error
    out = np.full(shard.grid.shape, shard.fill, object if shard.dtype.kind == "O" else shard.dtype)
    for chunk in np.ndindex(*shard.grid.counts):
        offset, size = map(int, extents[chunk])
        if offset == size == _ABSENT:
            continue
        if offset + size > len(data):
            raise FileFormatError(f"{path!r} is not a shard of its array: a chunk of it ends outside.")
        box = shard.grid.box_of(chunk)
        out[tuple(slice(low, high) for low, high in box)] = decoded(data[offset : offset + size], shard, path)
    return out if array.axes is None else _in_own_order(out, array)


def _most_bytes(array: ArrayMetadata, size: int) -> int:
    """Return the bytes of a chunk before it was packed at last: differences may be wider than numbers."""
    widths = [np.dtype(codec.stored).itemsize for codec in array.filters if codec.name == "delta"]
    sums = _CHECKSUM_BYTES * sum(codec.name in CHECKSUMS for codec in array.filters)
    return max([size, *(array.chunk_elements * width for width in widths)]) + sums


def _unpacked(data: NumberArray, codec: ZarrCodec, most: int) -> bytes:
    """Return decompressed bytes; raises if they are more than `most`."""
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
    """Return bytes decompressed by the standard library, at most one byte beyond the limit."""
    found: bytes = unpacker.decompress(raw, most + 1)
    if len(found) <= most and not unpacker.eof:
        raise ValueError("its end is missing")
    return found


def _unpacked_blosc(raw: bytes, most: int) -> bytes:
    """Decompress Blosc data, if the sizes in its header agree with the file and the chunk."""
    if len(raw) < _BLOSC_HEADER:
        raise ValueError(f"it has {len(raw)} bytes")
    nbytes, _, packed = (int.from_bytes(raw[place : place + 4], "little") for place in (4, 8, 12))
    if packed != len(raw) or nbytes > most:
        raise ValueError(f"it would be {packed:,} bytes, that unpack to {nbytes:,}")
    return bytes(demand_numcodecs().blosc.decompress(raw)) if nbytes else b""


def _unfiltered(data: bytes, codec: ZarrCodec, most: int) -> bytes:
    if codec.name in COMPRESSORS:
        return _unpacked(np.frombuffer(data, np.uint8), codec, most)
    if codec.name == "fletcher32":
        return bytes(demand_numcodecs().Fletcher32().decode(data))
    if codec.name == "crc32c":
        return _without_crc32c(data)
    if codec.name == "shuffle":
        return np.frombuffer(data, np.uint8).reshape(codec.size, -1).T.tobytes()
    return np.cumsum(np.frombuffer(data, codec.stored), dtype=codec.dtype).astype(codec.dtype).tobytes()


def _without_crc32c(data: bytes) -> bytes:
    """Return bytes without their checksum, which is compared where a package can."""
    if len(data) < 4:
        raise ValueError(f"it has {len(data)} bytes, and no checksum")
    try:
        from google_crc32c import value
    except ImportError:
        return data[:-4]
    if value(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise ValueError("its checksum differs")
    return data[:-4]


def _strings(data: bytes, count: int) -> np.ndarray[Any, Any]:
    if int.from_bytes(data[:4], "little") != count or len(data) < 4 * (count + 1):
        raise ValueError("it has another number of strings")
    found: np.ndarray[Any, Any] = demand_numcodecs().VLenUTF8().decode(data)
    return found


def packed(elements: np.ndarray[Any, Any]) -> bytes:
    """Return the stored bytes of a chunk; strings are objects.

    Parameters
    ----------
    elements : ndarray
        All elements of the chunk, contiguous in row-major order.
    """
    numcodecs = demand_numcodecs()
    data = numcodecs.VLenUTF8().encode(elements.ravel()) if elements.dtype.kind == "O" else elements
    settings = {name: value for name, value in BLOSC.items() if name != "id"}
    return bytes(numcodecs.Blosc(**settings).encode(data))
