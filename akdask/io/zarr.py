"""Reading and writing Zarr stores, under Arkouda's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from akdask.arrays.writable import Writable
from akdask.arrays.writing import write_objects
from akdask.columns.dtypes import column_type
from akdask.errors import ArgumentError, ArgumentTypeError, FileError
from akdask.io.files import Path, read_objects, storables
from akdask.storage.files import takes_storage_options
from akdask.storage.objects import StoredObject
from akdask.storage.registry import format_named, open_files

__all__ = ["read_zarr", "to_zarr"]

_ROOT = "array"


@takes_storage_options
def read_zarr(
    store_path: Path, ndim: int | None = None, dtype: Any = None, *, storage_options: Mapping[str, Any] | None = None
) -> Any:
    """Open the array of a Zarr store of version 2 or 3, from Arkouda, zarr or other writers, as a lazy array.

    Opening lists the folder and reads the metadata of the array; chunks are read when values are needed.  A partition
    is a run of chunks; missing chunks are the fill value, or zeros.  Numbers are widened to 64 bits, times become
    Datetime and Timedelta of nanoseconds, and text of any kind Strings.  Chunks may be uncompressed, or compressed by
    Blosc, bz2, gzip, lz4, lzma, zlib or zstd, after delta or shuffle, in shards, and with checksums. Other codecs are
    refused, since some execute code in the file.  For stores with several arrays see `akdask.read`.

    Parameters
    ----------
    store_path : str or path
        The folder of the store, or its URL.
    ndim : int, optional
        Expected number of dimensions, which Arkouda requires.
    dtype : dtype, optional
        Type that its elements should have once they are widened, as for `ndim`.

    Returns
    -------
    pdarray, Datetime, Timedelta, IPv4, Strings or ArrayView
        An ArrayView of several dimensions.

    Raises
    ------
    MissingFileError
        If there is no such store.
    FileFormatError
        If it is no Zarr store, or its metadata contradict the specification; on computing, if a chunk is damaged.
    FileError
        If it is a group of arrays.
    ArgumentError
        If the array has another number of dimensions or type.
    UnsupportedError
        If elements, packing or version are not known, or the package for them is not installed.

    Examples
    --------
    >>> ak.to_zarr("grid", ak.arange(6), 2)
    >>> ak.read_zarr("grid").tolist()
    [0, 1, 2, 3, 4, 5]
    """
    opened = open_files(store_path, format_named("Zarr"))
    if list(opened.kinds) != [_ROOT]:
        raise FileError(
            f"the store {str(store_path)!r} is no single array.",
            details=[f"arrays: {', '.join(opened.kinds) or 'none'}"],
            hint="ak.read gives all of a group; or name the folder of one.",
        )
    (found,) = read_objects(opened, None).values()
    _check(opened.objects()[_ROOT], found, ndim, dtype)
    return found


def _check(stored: StoredObject, found: Any, ndim: int | None, dtype: Any) -> None:
    shape = stored.params.get("shape", (len(found),))
    if ndim is not None and ndim != len(shape):
        raise ArgumentError(f"the array has {len(shape)} dimensions, not {ndim}.", details=[f"shape: {shape}"])
    column = next(iter(stored.members.values()))
    is_type = column.source.columns[column.column]
    if dtype is not None and column_type(dtype) != is_type:
        raise ArgumentError(
            f"the elements of the array are {is_type}, not {column_type(dtype)}.", hint="leave dtype out, and cast."
        )


def to_zarr(store_path: Path, arr: Any, chunk_shape: int | Sequence[int]) -> None:
    """Write an array as a Zarr store of version 2, which Arkouda, zarr and others read; computes.

    The store appears completely or not at all, even where it replaces another. A folder with other content is not
    replaced.  Chunks are compressed by Blosc.  Arkouda's servers read integers and floats; others read bool, times and
    Strings as well, and an IPv4 as its numbers.

    Parameters
    ----------
    store_path : str or path
        The folder of the store, on this machine's file systems.  A URL is refused: an object store cannot rename a
        folder, and programs that read Zarr know no catalogs, so that they could mix chunks of two stores.
    arr : pdarray, Datetime, Timedelta, IPv4, Strings or ArrayView
        The array to write.
    chunk_shape : int or sequence of int
        Length of a chunk in each dimension.

    Raises
    ------
    ArgumentTypeError
        If `arr` is no array, or `chunk_shape` is not made of whole numbers.
    ArgumentError
        If a chunk has other dimensions than the array, or is too large.
    ExistsError
        If the path exists and is no Zarr store.
    UnsupportedError
        If elements are lists, labels or integers of any size; the path is a URL; or numcodecs is not installed.
    WriteError
        If the store cannot be written; an existing store stays.

    Examples
    --------
    >>> ak.to_zarr("grid", ak.arange(6).reshape(2, 3), (1, 3))
    >>> ak.read_zarr("grid").shape
    (2, 3)
    """
    if not isinstance(arr, Writable):
        raise ArgumentTypeError(f"an array is written to a Zarr store, not a {type(arr).__name__}.")
    if chunk_shape is None:
        raise ArgumentTypeError("chunk_shape is a whole number for each dimension, not None.")
    stored = storables({_ROOT: arr}, None)
    write_objects(stored, store_path, "truncate", "distribute", file_format="Zarr", chunk_shape=chunk_shape)
