"""What the file ``.zarray`` of an array says, checked as what anybody may have written; and how ours say it.

Sources: the specification of Zarr's storage, version 2; Arkouda's ``ZarrMsg.chpl``, whose files have no more than
shape, chunks and dtype, and chunks that Blosc has packed.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from akdask.errors import FileFormatError, UnsupportedError
from akdask.schema import INT64, STR, ColumnType, column_type
from akdask.storage.formats.objects import ObjType
from akdask.zarr.grid import Grid

VERSION = 2
NOTE = "akdask"
"""The attribute under which akdask keeps what Zarr has no word for."""

_DTYPE = re.compile(r"[<>|=]?([biuf][1248]|[SU]\d{1,7}|[mM]8\[(ns|us|ms|s|m|h|D)\]|O)")
_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "D": 86400 * 10**9}
_FLOATS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_MOST_DIMENSIONS = 32
_MOST_ELEMENTS = 2**60
_MOST_FILTERS = 8
TEXT_FILTER = "vlen-utf8"
COMPRESSORS = ("blosc", "bz2", "gzip", "lz4", "lzma", "zlib", "zstd")
FILTERS = ("delta", "shuffle", TEXT_FILTER)


class MetadataError(Exception):
    """What is wrong with metadata; told with the name of the file by who reads it."""


@dataclass(frozen=True, slots=True)
class ZarrCodec:
    """One step in which chunks are packed.

    Parameters
    ----------
    name : str
        One of `COMPRESSORS` or `FILTERS`.
    size : int
        Bytes of an element, of ``shuffle``.
    dtype, stored : str
        Of ``delta``: the type of the numbers, and of their differences.
    """

    name: str
    size: int = 1
    dtype: str = ""
    stored: str = ""


@dataclass(frozen=True, slots=True)
class ArrayMetadata:
    """What is known of an array besides its chunks.

    Parameters
    ----------
    grid : Grid
        Its shape, and that of its chunks.
    dtype : dtype
        As it is stored; object for strings of any length.
    order : {"C", "F"}
        How the elements of a chunk follow each other.
    separator : {".", "/"}
        What stands between the numbers in the name of a chunk.
    fill : value
        What elements of missing chunks are, of `dtype`, or bytes or a str for strings.
    compressor : ZarrCodec, optional
        How chunks are packed at last.
    filters : tuple of ZarrCodec
        What is done to them before, in this order.
    """

    grid: Grid
    dtype: np.dtype[Any]
    order: Literal["C", "F"] = "C"
    separator: str = "."
    fill: Any = None
    compressor: ZarrCodec | None = None
    filters: tuple[ZarrCodec, ...] = ()

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
        """Nanoseconds of one step of a time; 1 for all else."""
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
        return self.separator.join(map(str, chunk))


def parsed(path: str, content: bytes) -> ArrayMetadata:
    """Return what a file ``.zarray`` says.

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
    grid = _grid(found)
    dtype = _dtype(path, found.get("dtype"))
    filters = _filters(path, found.get("filters"), dtype)
    # Arkouda's servers say nothing of the packing, which is always Blosc.
    packing = found.get("compressor", {"id": "blosc"})
    compressor = None if packing is None else _codec(path, packing, COMPRESSORS, dtype)
    order, separator = found.get("order", "C"), found.get("dimension_separator", ".")
    if order not in ("C", "F"):
        raise MetadataError(f"its order is {order!r:.20}, not 'C' or 'F'")
    if separator not in (".", "/"):
        raise MetadataError(f"its dimension_separator is {separator!r:.20}, not '.' or '/'")
    fill = _fill(found.get("fill_value"), dtype)
    return ArrayMetadata(grid, dtype, order, separator, fill, compressor, filters)


def _grid(found: Mapping[str, Any]) -> Grid:
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
    # Strings of any length become bytes first; no other filter takes objects, and none gives them.
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
        # Some codecs of other readers run what is in the file, as `pickle` does.
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


def _fill(given: Any, dtype: np.dtype[Any]) -> Any:
    """Return what elements of missing chunks are."""
    try:
        match dtype.kind:
            case "O" | "U":
                if given is None or given == 0:
                    return ""
                if isinstance(given, str):
                    return given
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
        What the packing is called.
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
