"""Writing arrays as a Zarr store: chunks by the workers, into a folder that appears whole."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from operator import index as as_int
from typing import Any
from uuid import uuid4

import numpy as np

from akdask import config
from akdask.columns.table import Table, to_objects
from akdask.errors import ArgumentError, ArgumentTypeError, ExistsError, UnsupportedError, WriteError
from akdask.formats import tuning
from akdask.formats.zarr.metadata import (
    BLOSC,
    LARGEST_CHUNK,
    NOTE,
    TEXT_FILTER,
    VERSION,
    ArrayMetadata,
    Grid,
    Index,
    ZarrCodec,
    demand_numcodecs,
    encoded,
    inside,
    packed,
)
from akdask.formats.zarr.store import ARRAY, ATTRIBUTES, GROUP, KIND, NAME, ORDER, WrittenFile, write_names
from akdask.records import record
from akdask.storage.files import is_remote, is_single_name, written_path
from akdask.storage.objects import VALUES, Columns, FileLayout, Mode, ObjectSpec, ObjType
from akdask.storage.recovery import recover_folders
from akdask.storage.transaction import FolderTransaction, errors_naming

_WRITTEN = (ObjType.PDARRAY, ObjType.ARRAYVIEW, ObjType.STRINGS, ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4)
_TIMES = {ObjType.DATETIME: "<M8[ns]", ObjType.TIMEDELTA: "<m8[ns]"}
_HINTS = {
    ObjType.CATEGORICAL: "write its labels: .to_strings().",
    ObjType.MULTIINDEX: "write its levels.",
    ObjType.DATAFRAME: "write its columns.",
}
_OURS = (ARRAY, GROUP, ATTRIBUTES, ".zmetadata", "zarr.json", NAME)
_PARTIAL = ".partial-"


@record
class _NewArray:
    """An array to be written.

    Parameters
    ----------
    folder : str
        Its folder in that of the store, empty for the store itself.
    column : hashable
        Where partitions have its elements.
    kind : ObjType
        Kind of the object.
    shape : tuple of int, optional
        Its shape; one-dimensional by default.
    chunks : tuple of int, optional
        That of its chunks, which the user has given.
    metadata : ArrayMetadata
        Its stored metadata, with the final grid once the number of rows is known.
    stripes : tuple of int
        The first stripe of each partition, and the one behind the last.
    """

    folder: str
    column: Hashable
    kind: ObjType
    shape: Index | None
    chunks: Index | None
    metadata: ArrayMetadata
    stripes: tuple[int, ...] = ()


@record
class ZarrReceipt:
    """The receipt of one written partition, for the commit.

    Parameters
    ----------
    index : int
        The partition.
    files : tuple of WrittenFile
        Its chunks.
    """

    index: int
    files: tuple[WrittenFile, ...]


class ZarrWriter:
    """One write of a store.  Picklable once it has begun.

    Parameters
    ----------
    path : str or path
        The folder of the store.
    specs : sequence of ObjectSpec
        The arrays: the members of a group, or the store itself if there is one and its chunks have a shape.
    npartitions : int
        Number of tasks that write.
    mode : {"truncate", "append"}
        Only the former: a store is replaced as a whole.
    file_type : {"distribute", "single"}
        Without effect: a store is one folder, and a chunk one file.
    overwrite : bool
        Without effect, since it applies to objects that are added to.
    chunk_shape : int or sequence of int, optional
        Shape of the chunks of a single array.

    Raises
    ------
    UnsupportedError
        If an object is no array that Zarr has, or arrays are to be added.
    ArgumentError, ArgumentTypeError
        If a chunk has no such shape, or an array no such name.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: Mode = "truncate",
        file_type: FileLayout = "distribute",
        overwrite: bool = False,
        chunk_shape: Any = None,
    ) -> None:
        demand_numcodecs()
        self.path = written_path(path)
        self.npartitions = npartitions
        if mode != "truncate":
            raise UnsupportedError("arrays are not added to Zarr stores.", hint="write all of them at once.")
        if is_remote(self.path):
            raise UnsupportedError(
                f"Zarr stores are written to folders of this machine, not to {self.path!r}.",
                details=["object stores cannot rename a folder: its chunks would change one by one."],
                hint="write one here, and upload the folder.",
            )
        if chunk_shape is not None and len(specs) != 1:
            raise ArgumentError("chunk_shape is that of one array.", hint="leave it out to write several.")
        self.arrays = {spec.name: _planned(spec, chunk_shape) for spec in specs}
        self._folder = ""
        self._staging: FolderTransaction | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for workers, without the lock of the write."""
        return {**self.__dict__, "_staging": None}

    def cut(self, names: Sequence[str], nrows: int) -> list[int]:
        """Return the rows of each partition of arrays with the same rows, so that no chunk is in two of them."""
        made = [_with_grid(self.arrays[name], nrows) for name in names]
        grids = [array.metadata.grid for array in made]
        finest = min(grids, key=lambda grid: grid.nstripes)
        wanted = [
            finest.stripe_start(finest.nstripes * number // self.npartitions) for number in range(self.npartitions)
        ]
        shared = [bound for bound in wanted[1:] if all(_is_bound(grid, bound) for grid in grids)]
        bounds = [0, *shared, *[nrows] * (self.npartitions - len(shared))]
        for name, array in zip(names, made, strict=True):
            grid = array.metadata.grid
            stripes = tuple(grid.nstripes if bound == nrows else grid.stripe_at(bound) for bound in bounds)
            self.arrays[name] = replace(array, stripes=stripes)
        return [stop - start for start, stop in pairwise(bounds)]

    def begin(self) -> None:
        """Make the hidden folder of the write.

        Raises
        ------
        ExistsError
            If there is something of that name that is no Zarr store.
        WriteError
            If the folder cannot be written, or another write of the store is under way.
        """
        recover_folders(os.path.dirname(self.path))
        if os.path.lexists(self.path):
            _demand_store(self.path)
        self._staging = FolderTransaction(self.path)
        self._folder = self._staging.create()
        with errors_naming(self.path):
            for array in self.arrays.values():
                if array.folder:
                    os.mkdir(os.path.join(self._folder, array.folder))

    def write(self, index: int, table: Table, tables: Columns | None = None) -> ZarrReceipt:
        """Write the chunks of one partition; may be called again, also at the same time.

        Raises
        ------
        WriteError
            If the disk is full, or the folder cannot be seen from here.
        """
        files: list[WrittenFile] = []
        with errors_naming(self.path):
            for array in self.arrays.values():
                stored = _stored(table.columns[array.column], array.metadata)
                files += self._write_stripes(array, index, stored)
        return ZarrReceipt(index, tuple(files))

    def _write_stripes(self, array: _NewArray, index: int, elements: np.ndarray[Any, Any]) -> Iterator[WrittenFile]:
        grid, first = array.metadata.grid, array.stripes[index]
        start = grid.stripe_start(first)
        for stripe in range(first, array.stripes[index + 1]):
            begin, end = grid.stripe_start(stripe), grid.stripe_start(stripe + 1)
            prefix = grid.stripe_prefix(stripe)
            lead = grid.box_of((*prefix, *[0] * (len(grid.shape) - len(prefix))))[: len(prefix)]
            origin = (*lead, *((0, length) for length in grid.shape[len(prefix) :]))
            box = elements[begin - start : end - start].reshape([high - low for low, high in origin])
            for chunk in grid.stripe_chunks(stripe):
                place = grid.box_of(chunk)
                part = box[inside(place, origin)]
                if part.shape != grid.chunks:
                    # Chunks are whole in their files, also where the array has ended.
                    padded = np.full(grid.chunks, array.metadata.fill, part.dtype)
                    padded[tuple(map(slice, part.shape))] = part
                    part = padded
                yield self._write_file(array.folder, array.metadata.name_of(chunk), packed(np.ascontiguousarray(part)))

    def _write_file(self, folder: str, name: str, content: bytes) -> WrittenFile:
        target = os.path.join(self._folder, folder, name)
        attempt = os.path.join(self._folder, f"{_PARTIAL}{uuid4().hex}")
        with open(attempt, "xb") as file:
            file.write(content)
        os.replace(attempt, target)
        return WrittenFile.of(os.path.join(folder, name), content)

    def commit(self, receipts: Sequence[ZarrReceipt]) -> list[str]:
        """Put the new store into place, and remove the old one.

        Raises
        ------
        WriteError
            If a partition is missing, or the folder cannot be put into place. The old store stays unchanged.
        """
        assert self._staging is not None, "who commits has begun"
        try:
            missing = sorted(set(range(self.npartitions)).difference(receipt.index for receipt in receipts))
            if missing:
                raise WriteError(f"{self.path!r} is not written: partitions {missing} are missing.")
            with errors_naming(self.path):
                told = self._describe()
                if config.get("manifest"):
                    chunks = [file for receipt in receipts for file in receipt.files]
                    write_names(self._folder, [*told, *chunks])
                for name in os.listdir(self._folder):
                    if name.startswith(_PARTIAL):  # of attempts whose worker has died
                        os.unlink(os.path.join(self._folder, name))
            self._staging.commit(_demand_store, preserves=False)
        finally:
            self.abort()
        return [self.path]

    def _describe(self) -> list[WrittenFile]:
        files = []
        for array in self.arrays.values():
            files.append(self._write_file(array.folder, ARRAY, encoded(array.metadata, BLOSC)))
            if array.kind is ObjType.IPV4:
                files.append(self._write_file(array.folder, ATTRIBUTES, _json({NOTE: {KIND: array.kind.label}})))
        if all(array.folder for array in self.arrays.values()):
            files.append(self._write_file("", GROUP, _json({"zarr_format": VERSION})))
            files.append(self._write_file("", ATTRIBUTES, _json({NOTE: {ORDER: list(self.arrays)}})))
        return files

    def abort(self) -> None:
        """Remove the prepared files; existing files stay."""
        if self._staging is not None:
            self._staging.discard()


def _json(content: Mapping[str, Any]) -> bytes:
    return json.dumps(content, indent=4).encode()


def _planned(spec: ObjectSpec, chunk_shape: Any) -> _NewArray:
    """Return the array to be written for an object; an index of one level becomes its labels.

    Raises
    ------
    UnsupportedError
        If it is no array that Zarr has.
    ArgumentError
        If its name is that of no folder.
    """
    inner = next(iter(spec.children.values())) if spec.kind is ObjType.INDEX and len(spec.children) == 1 else spec
    dtype = inner.dtype
    if inner.kind not in _WRITTEN or dtype is None or dtype.kind not in {"int", "uint", "float", "bool", "str"}:
        what = inner.kind.label if inner.kind not in _WRITTEN else str(dtype)
        raise UnsupportedError(
            f"{spec.name!r} is a {what}, which Zarr stores cannot hold.",
            hint=_HINTS.get(inner.kind, "write it to HDF5 files."),
        )
    is_root = chunk_shape is not None
    if not is_root and (not is_single_name(spec.name) or spec.name.startswith(".")):
        raise ArgumentError(f"{spec.name!r} is no name of a folder for an array.", hint="rename it.")
    stored = np.dtype(object) if dtype.kind == "str" else np.dtype(_TIMES.get(inner.kind, dtype.numpy.str))
    metadata = ArrayMetadata(
        Grid((0,), (1,)),
        stored,
        fill="" if dtype.kind == "str" else np.zeros((), stored)[()],
        compressor=ZarrCodec("blosc"),
        filters=(ZarrCodec(TEXT_FILTER),) if dtype.kind == "str" else (),
    )
    shape = tuple(inner.params["shape"]) if inner.kind is ObjType.ARRAYVIEW else None
    chunks = _chunk_shape(chunk_shape, shape, stored.itemsize) if is_root else None
    return _NewArray("" if is_root else spec.name, inner.members[VALUES], inner.kind, shape, chunks, metadata)


def _chunk_shape(given: Any, shape: Index | None, itemsize: int) -> Index:
    """Return the shape of chunks that a user has given.

    Raises
    ------
    ArgumentTypeError
        If it is not made of whole numbers.
    ArgumentError
        If it does not have the array's dimensions, or is too large to be compressed.
    """
    try:
        lengths = tuple(map(as_int, given)) if isinstance(given, Sequence | np.ndarray) else (as_int(given),)
    except TypeError:
        raise ArgumentTypeError(f"chunk_shape is a whole number for each dimension, not {given!r:.100}.") from None
    rank = 1 if shape is None else len(shape)
    if len(lengths) != rank or min(lengths) < 1:
        raise ArgumentError(
            f"chunk_shape is {rank} number{'s' if rank > 1 else ''} of at least 1, not {given!r:.100}.",
            hint="a chunk has as many dimensions as its array.",
        )
    if math.prod(lengths) * itemsize > LARGEST_CHUNK:
        raise ArgumentError(
            f"a chunk of {math.prod(lengths):,} elements is too large.",
            details=[f"at most {LARGEST_CHUNK // itemsize:,} can be packed at a time"],
        )
    return lengths


def _with_grid(array: _NewArray, nrows: int) -> _NewArray:
    """Return an array of known shape, with the shape of its chunks."""
    shape = (nrows,) if array.shape is None else array.shape
    # Where the array is smaller than the chunk that the user wants, its only one is as small as it.
    chunks = array.chunks or _default_chunks(shape)
    return replace(array, metadata=replace(array.metadata, grid=Grid(shape, chunks)))


def _default_chunks(shape: Index) -> Index:
    """Return chunks of about `ZARR_CHUNK` elements that follow each other in the array.

    Examples
    --------
    >>> _default_chunks((10**7,)), _default_chunks((0,)), _default_chunks((100, 2**12, 2**10))
    ((1048576,), (1,), (1, 1024, 1024))
    """
    chunks: list[int] = []
    remaining = tuning.ZARR_CHUNK
    for length in reversed(shape):
        chunks.append(max(min(length, remaining), 1))
        remaining = remaining // max(length, 1) if chunks[-1] == length else 1
    return tuple(reversed(chunks))


def _is_bound(grid: Grid, element: int) -> bool:
    """Whether a stripe begins at an element, or the element is past the end."""
    return element >= grid.size or grid.stripe_start(grid.stripe_at(element)) == element


def _stored(column: Any, metadata: ArrayMetadata) -> np.ndarray[Any, Any]:
    """Return the stored form of a partition's elements."""
    if metadata.is_text:
        found = np.empty(len(column), object)
        found[:] = ["" if text is None else text for text in to_objects(column)]
        return found
    numbers = np.asarray(column)
    return numbers.view(metadata.dtype) if metadata.dtype.kind in "mM" else numbers.astype(metadata.dtype, copy=False)


def _demand_store(path: str) -> None:
    """Refuse to have something replaced that is no Zarr store, or holds anything else than one.

    Raises
    ------
    ExistsError
        If it is.
    """
    is_store = stat.S_ISDIR(os.lstat(path).st_mode) and any(os.path.lexists(os.path.join(path, name)) for name in _OURS)
    foreign = [] if not is_store else sorted(name for name in os.listdir(path) if not _may_be_ours(path, name))
    if not is_store or foreign:
        raise ExistsError(
            f"{path!r} is no Zarr store, and is not replaced by one.",
            details=[f"it holds {name!r}" for name in foreign],
            hint="choose another name, or move it away.",
        )


def _may_be_ours(path: str, name: str) -> bool:
    """Whether an entry of a folder is of a kind that stores have: metadata, chunks, or folders of these."""
    if name in _OURS or name.replace(".", "").isdigit():
        return True
    inner = os.path.join(path, name)
    return stat.S_ISDIR(os.lstat(inner).st_mode) and all(_may_be_ours(inner, below) for below in os.listdir(inner))
