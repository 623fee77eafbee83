"""Metadata of Zarr arrays of version 3: ``zarr.json``, its codecs, and shards, which are chunks of smaller chunks.

Source: the specification of Zarr's core protocol, version 3, with the codecs and data types that zarr-python writes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from akdask.errors import FileFormatError, UnsupportedError
from akdask.formats.zarr.metadata import (
    CHECKSUMS,
    COMPRESSORS,
    TEXT_FILTER,
    ArrayMetadata,
    MetadataError,
    ZarrCodec,
    fill_of,
    grid_of,
)

METADATA = "zarr.json"

_NUMBERS = {
    "bool": "|b1",
    **{f"int{8 * size}": f"i{size}" for size in (1, 2, 4, 8)},
    **{f"uint{8 * size}": f"u{size}" for size in (1, 2, 4, 8)},
    **{f"float{8 * size}": f"f{size}" for size in (2, 4, 8)},
}
_UNITS = {"ns", "us", "ms", "s", "m", "h", "D"}
_MEMBERS = {
    *("zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"),
    *("attributes", "dimension_names", "storage_transformers", "consolidated_metadata"),
}
_MOST_CODECS = 16
_MOST_TEXT = 2**20  # bytes of an element


def parsed_node(path: str, content: bytes) -> ArrayMetadata | None:
    """Return the array that a file ``zarr.json`` describes, None if it describes a group.

    Raises
    ------
    FileFormatError
        If it contradicts the specification, or itself.
    UnsupportedError
        If the array has elements, or is packed in a way, that cannot be read.
    """
    try:
        found = json.loads(content)
        if not isinstance(found, dict) or found.get("zarr_format") != 3:
            raise MetadataError("it is no JSON object with the zarr_format 3")
        if found.get("node_type") == "group":
            return None
        if found.get("node_type") != "array":
            raise MetadataError(f"its node_type is {found.get('node_type')!r:.20}")
        return _array(path, found)
    except MetadataError as error:
        raise FileFormatError(f"{path!r} describes no Zarr array: {error}.", hint="write the array again.") from None
    except (ValueError, RecursionError) as error:
        raise FileFormatError(f"{path!r} is no JSON: {error}."[:500], hint="write the array again.") from None


def _array(path: str, found: Mapping[str, Any]) -> ArrayMetadata:
    odd = [name for name in found if name not in _MEMBERS and not _is_optional(found[name])]
    if odd or found.get("storage_transformers"):
        what = odd[0] if odd else "storage_transformers"
        raise UnsupportedError(f"the array of {path!r} has {what!r:.60}, which is not known.")
    name, about = _extension(found.get("chunk_grid"), "chunk_grid")
    if name != "regular":
        raise UnsupportedError(f"the array of {path!r} has a grid of chunks {name!r:.60}, which is not read.")
    key, told = _extension(found.get("chunk_key_encoding", "default"), "chunk_key_encoding")
    separator = told.get("separator", "." if key == "v2" else "/")
    if key not in {"default", "v2"} or separator not in {".", "/"}:
        raise UnsupportedError(f"the array of {path!r} has names of chunks {key!r:.60}, which are not known.")
    dtype = _dtype(path, found.get("data_type"))
    return _packed_array(
        path,
        {"shape": found.get("shape"), "chunks": about.get("chunk_shape")},
        dtype,
        found.get("codecs"),
        fill=_fill(found.get("fill_value"), dtype),
        separator=separator,
        prefix="c" if key == "default" else "",
    )


def _packed_array(
    path: str, lengths: Mapping[str, Any], dtype: np.dtype[Any], codecs: Any, **about: Any
) -> ArrayMetadata:
    """Return an array whose chunks went through codecs: of arrays, one from array to bytes, of bytes."""
    if not isinstance(codecs, list) or not 0 < len(codecs) <= _MOST_CODECS:
        raise MetadataError(f"its codecs are {codecs!r:.60}")
    grid = grid_of(lengths)
    axes, filters, shard, has_bytes = tuple(range(len(grid.shape))), [], None, False
    for codec in codecs:
        name, told = _extension(codec, "codec")
        name = name.removeprefix("numcodecs.")
        if has_bytes:
            filters.append(_of_bytes(path, name, told))
        elif name == "transpose":
            axes = tuple(axes[axis] for axis in _axes(told.get("order"), axes))
        elif name == "bytes" and dtype.kind != "O":
            has_bytes, endian = True, told.get("endian", "little")
            if endian not in {"little", "big"}:
                raise MetadataError(f"its endian is {endian!r:.20}")
            dtype = dtype.newbyteorder("<" if endian == "little" else ">")
        elif name == TEXT_FILTER and dtype.kind == "O":
            has_bytes = True
            filters.append(ZarrCodec(name))
        elif name == "sharding_indexed":
            inner = [grid.chunks[axis] for axis in axes]
            has_bytes, shard = True, _shard(path, inner, dtype, told, about["fill"])
        else:
            raise _unknown(path, name)
    if not has_bytes:
        raise MetadataError("no codec makes bytes of its elements")
    is_single = lengths["shape"] == []
    return ArrayMetadata(grid, dtype, filters=tuple(filters), axes=axes, shard=shard, is_single=is_single, **about)


def _shard(path: str, chunks: Any, dtype: np.dtype[Any], told: Mapping[str, Any], fill: Any) -> ArrayMetadata:
    """Return the array that a shard is, with the packing of its index as an array of two numbers for each chunk."""
    inner = _packed_array(
        path, {"shape": chunks, "chunks": told.get("chunk_shape")}, dtype, told.get("codecs"), fill=fill
    )
    if any(length % chunk for length, chunk in zip(inner.grid.shape, inner.grid.chunks, strict=True)):
        raise MetadataError("its shards are no multiples of their chunks")
    place = told.get("index_location", "end")
    if place not in {"start", "end"}:
        raise MetadataError(f"its index_location is {place!r:.20}")
    shape = [*inner.grid.counts, 2]
    codecs = told.get("index_codecs")
    index = _packed_array(path, {"shape": shape, "chunks": shape}, np.dtype("<u8"), codecs, fill=0)
    if any(codec.name not in CHECKSUMS for codec in index.filters) or index.shard is not None:
        raise UnsupportedError(f"the array of {path!r} has shards with a packed index, which is not read.")
    return ArrayMetadata(
        inner.grid,
        inner.dtype,
        fill=inner.fill,
        filters=inner.filters,
        axes=inner.axes,
        shard=inner.shard,
        index=index,
        index_is_first=place == "start",
    )


def _axes(given: Any, axes: tuple[int, ...]) -> tuple[int, ...]:
    natural = list(range(len(axes)))
    order = {"C": natural, "F": natural[::-1]}.get(given) if isinstance(given, str) else given
    if not isinstance(order, list) or not all(type(axis) is int for axis in order):
        raise MetadataError(f"its transpose has the order {given!r:.60}")
    if not order and axes == (0,):  # a single element is an array of one dimension here
        return axes
    if sorted(order) != natural:
        raise MetadataError(f"its transpose has the order {given!r:.60}")
    return tuple(order)


def _of_bytes(path: str, name: str, told: Mapping[str, Any]) -> ZarrCodec:
    if name == "shuffle":
        size = told.get("elementsize", 4)
        if type(size) is not int or not 1 <= size <= _MOST_TEXT:
            raise MetadataError(f"its shuffle has elements of {size!r:.20} bytes")
        return ZarrCodec(name, size)
    if name not in {*COMPRESSORS, *CHECKSUMS}:
        raise _unknown(path, name)
    return ZarrCodec(name)


def _unknown(path: str, name: str) -> UnsupportedError:
    return UnsupportedError(
        f"the array of {path!r} is packed by {name!r:.60}, which is not unpacked.",
        details=[f"known: bytes, transpose, sharding_indexed, {TEXT_FILTER}, {', '.join((*COMPRESSORS, *CHECKSUMS))}"],
        hint="write it again with one of these.",
    )


def _extension(given: Any, what: str) -> tuple[str, Mapping[str, Any]]:
    """Return name and configuration of a point of extension."""
    if isinstance(given, str):
        return given, {}
    name = given.get("name") if isinstance(given, dict) else None
    about = given.get("configuration") or {} if isinstance(given, dict) else None
    if not isinstance(name, str) or not isinstance(about, dict):
        raise MetadataError(f"its {what} is {given!r:.60}")
    return name, about


def _is_optional(value: Any) -> bool:
    return isinstance(value, dict) and value.get("must_understand") is False


def _dtype(path: str, given: Any) -> np.dtype[Any]:
    name, about = _extension(given, "data_type")
    if name in _NUMBERS:
        return np.dtype(_NUMBERS[name])
    size, unit = about.get("length_bytes"), about.get("unit")
    match name:
        case "string" | "variable_length_utf8":
            return np.dtype(object)
        case "fixed_length_utf32" if type(size) is int and 0 < size <= _MOST_TEXT and not size % 4:
            return np.dtype(f"<U{size // 4}")
        case "null_terminated_bytes" if type(size) is int and 0 < size <= _MOST_TEXT:
            return np.dtype(f"S{size}")
        case "numpy.datetime64" | "numpy.timedelta64" if unit in _UNITS and about.get("scale_factor", 1) == 1:
            return np.dtype(f"{'M' if name == 'numpy.datetime64' else 'm'}8[{unit}]")
    raise UnsupportedError(
        f"the array of {path!r} has elements of type {given!r:.60}, which cannot be read.",
        hint="integers, floats, bool, times and strings can.",
    )


def _fill(given: Any, dtype: np.dtype[Any]) -> Any:
    """Return the value of elements in missing chunks; floats may be given by their bits."""
    if dtype.kind == "f" and isinstance(given, str) and given.startswith("0x"):
        try:
            bits = int(given, 16).to_bytes(dtype.itemsize, "big")
        except (ValueError, OverflowError):
            raise MetadataError(f"its fill_value is {given!r:.60}") from None
        return np.frombuffer(bits, dtype.newbyteorder(">"))[0].astype(dtype)
    return fill_of(given, dtype)
