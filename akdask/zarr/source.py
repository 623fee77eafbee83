"""The elements of Zarr arrays as the lazy layer scans them: a partition is a run of them, in row-major order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, pairwise
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa

from akdask import config
from akdask.cluster import check_memory, partition_size
from akdask.columns import concat_rows, full_array, new_array, slice_rows
from akdask.errors import FileFormatError, MissingDatasetError
from akdask.schema import ColumnType
from akdask.storage.data.ranges import range_reader
from akdask.storage.data.source import PartReader, Source
from akdask.storage.paths.files import FileIdentity
from akdask.typing import Column, NumberArray
from akdask.zarr.codecs import decoded
from akdask.zarr.grid import Grid, Index, common, inside, runs
from akdask.zarr.manifest import check_content
from akdask.zarr.metadata import ArrayMetadata

_ELEMENT = 8
"""Bytes of an element in memory, about; the same for all arrays, so that those of one shape are cut alike."""

_MOST_PARTITIONS = 2**20

_LEAST_READ = 2**16
"""Elements that are read at a time at least, where chunks are smaller."""


@dataclass(frozen=True, slots=True)
class ZarrArray:
    """One array of a store.

    Parameters
    ----------
    path : str
        Its folder.
    metadata : ArrayMetadata
        What is known of it.
    chunks : tuple of (tuple of int, FileIdentity)
        The chunks that are there, in the order of their numbers.
    sums : tuple of (int or None)
        The checksum of each chunk, as far as the manifest of the store knows it; empty without one.
    """

    path: str
    metadata: ArrayMetadata
    chunks: tuple[tuple[Index, FileIdentity], ...]
    sums: tuple[int | None, ...] = ()

    def within(self, start: int, stop: int) -> ZarrArray:
        """Return the array with those chunks only that a run of elements may need."""
        grid = self.metadata.grid
        if start >= stop:
            return replace(self, chunks=(), sums=())
        stripes, depth = (grid.stripe_at(start), grid.stripe_at(stop - 1)), grid.axis + 1
        first, last = map(grid.stripe_prefix, stripes)
        begin = bisect_left(self.chunks, first, key=lambda item: item[0][:depth])
        end = bisect_right(self.chunks, last, key=lambda item: item[0][:depth])
        boxes = [box for _, box in runs(grid.shape, start, stop)]
        needed = [
            place
            for place in range(begin, end)
            if any(common(grid.box_of(self.chunks[place][0]), box) for box in boxes)
        ]
        sums = tuple(self.sums[place] for place in needed) if self.sums else ()
        return replace(self, chunks=tuple(self.chunks[place] for place in needed), sums=sums)

    def read(self, start: int, stop: int) -> Column:
        """Return a run of elements, in row-major order; each chunk is read once.

        Raises
        ------
        FileFormatError
            If a chunk is damaged.
        TransferError
            If a chunk is larger than may be in memory.
        """
        array, grid = self.metadata, self.metadata.grid
        check_memory(
            array.chunk_elements * array.dtype.itemsize, f"a chunk of {self.path!r} takes", "write smaller ones"
        )
        out: Any = (
            np.full(stop - start, array.fill, object)
            if array.is_text
            else full_array(stop - start, _widened(np.asarray(array.fill), array)[()], array.column.numpy)
        )
        boxes = list(runs(grid.shape, start, stop))
        within = self.within(start, stop)
        verifies = bool(within.sums) and bool(config.get("verify_checksums"))
        for number, (chunk, file) in enumerate(within.chunks):
            place = grid.box_of(chunk)
            content = _content(file, array)
            expected = within.sums[number] if verifies else None
            if expected is not None:
                check_content(file.path, content, expected)
            elements = decoded(content, array, file.path)
            for first, box in boxes:
                shared = common(place, box)
                if shared is not None:
                    lengths = [high - low for low, high in box]
                    target = out[first : first + int(np.prod(lengths))].reshape(lengths)
                    try:
                        target[inside(shared, box)] = _widened(elements[inside(shared, place)], array)
                    except OverflowError as error:
                        raise FileFormatError(f"{file.path!r} holds times out of range: {error}.") from None
        return _strings(out, self.path) if array.is_text else out


def _content(file: FileIdentity, array: ArrayMetadata) -> NumberArray:
    check_memory(file.size, f"the file {file.path!r} takes", "look at what it is")
    data = new_array(file.size, np.uint8)
    with range_reader(file) as reader:
        reader.read_into(data, 0, "chunk")
    return data


def _widened(elements: np.ndarray[Any, Any], array: ArrayMetadata) -> np.ndarray[Any, Any]:
    """Return stored elements as those of a column: times as nanoseconds.

    Raises
    ------
    OverflowError
        If a time is out of range.
    """
    if array.dtype.kind == "b":
        return np.asarray(elements.view(np.uint8) != 0)
    if array.dtype.kind not in "mM":
        return elements
    numbers = elements.astype(array.dtype.newbyteorder("=")).view(np.int64)
    if array.unit == 1:
        return numbers
    missing = numbers == np.iinfo(np.int64).min
    limit = np.iinfo(np.int64).max // array.unit
    if (~missing & ((numbers > limit) | (numbers < -limit))).any():
        raise OverflowError("they have no nanoseconds of 64 bits")
    nanoseconds: np.ndarray[Any, Any] = np.where(missing, numbers, np.where(missing, 0, numbers) * array.unit)
    return nanoseconds


def _strings(elements: np.ndarray[Any, Any], path: str) -> pa.Array:
    """Return strings as Arrow has them; bytes are UTF-8."""
    try:
        found = [item.decode() if isinstance(item, bytes) else item for item in elements.tolist()]
        return pa.array(found, pa.large_string())
    except (UnicodeError, pa.ArrowException, TypeError) as error:
        raise FileFormatError(f"{path!r} holds bytes that are no UTF-8: {error}."[:400]) from None


def partition_lengths(grid: Grid) -> list[int]:
    """Return the lengths of partitions: as many stripes as fit one, or equal shares of a stripe that is larger.

    Raises
    ------
    FileFormatError
        If they are more than any honest array has.
    """
    most = max(partition_size() // _ELEMENT, 1)
    total = grid.size
    if total // most > _MOST_PARTITIONS:
        raise FileFormatError(
            f"a Zarr array says that it has {total:,} elements, which are more than {_MOST_PARTITIONS:,} partitions.",
            hint="its .zarray is damaged; or set partition_size to more bytes.",
        )
    bounds, stripe = [0], 0
    while bounds[-1] < total:
        last = max(grid.stripe_at(min(bounds[-1] + most, total - 1)), stripe + 1)
        stop = total if total - bounds[-1] <= most else grid.stripe_start(last)
        shares = -(-(stop - bounds[-1]) // most)
        start = bounds[-1]
        bounds += [start + (stop - start) * share // shares for share in range(1, shares + 1)]
        stripe = last
    return [stop - start for start, stop in pairwise(bounds)] or [0]


@dataclass(frozen=True, slots=True)
class ZarrPart:
    """One partition: a run of elements of some arrays.

    Parameters
    ----------
    start, stop : int
        The first element, and the one behind the last.
    columns : mapping of str to ZarrArray
        The arrays that will be read, each with the chunks of the run.
    """

    start: int
    stop: int
    columns: Mapping[str, ZarrArray]

    @property
    def nrows(self) -> int:
        """Number of elements."""
        return self.stop - self.start

    def open(self) -> ZarrPartReader:
        """Return a reader, to be used in a ``with`` statement."""
        return ZarrPartReader(self)


class ZarrPartReader(PartReader):
    """Reads runs of elements of one partition; keeps the stripe of each array that was unpacked last.

    Parameters
    ----------
    part : ZarrPart
        The partition.
    """

    def __init__(self, part: ZarrPart) -> None:
        self._part = part
        self._stripes: dict[str, tuple[int, int, Column]] = {}

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stripes.clear()

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return elements `start` to `stop` of an array, counted from the first of the partition."""
        array = self._part.columns[column]
        position, end = self._part.start + start, self._part.start + stop
        parts = []
        while position < end:
            first, last, rows = self._stripe(column, array, position)
            until = min(end, last)
            parts.append(slice_rows(rows, position - first, until - first))
            position = until
        if not parts:
            parts = [slice_rows(array.read(0, 0), 0, 0)]
        if out is None or not isinstance(parts[0], np.ndarray):
            return parts[0] if len(parts) == 1 else concat_rows(parts)
        np.concatenate(parts, out=out[: stop - start])
        return out[: stop - start]

    def _stripe(self, column: str, array: ZarrArray, position: int) -> tuple[int, int, Column]:
        """Return where the stripe of an element begins and ends, as far as the partition has it, and its elements."""
        last_read = self._stripes.get(column)
        if last_read is not None and last_read[0] <= position < last_read[1]:
            return last_read
        grid = array.metadata.grid
        stripe = grid.stripe_at(position)
        first = max(grid.stripe_start(stripe), self._part.start)
        # Small stripes go together: each read has costs of its own.
        behind = max(grid.stripe_at(min(first + _LEAST_READ, grid.size - 1)), stripe + 1)
        last = min(grid.stripe_start(behind), self._part.stop)
        found = (first, last, array.read(first, last))
        self._stripes[column] = found
        return found


class ZarrSource(Source):
    """Arrays of one shape of a store.  Immutable.

    Parameters
    ----------
    arrays : mapping of str to ZarrArray
        The arrays by name, at least one.
    label : str
        How a user names the store.
    """

    def __init__(self, arrays: Mapping[str, ZarrArray], label: str) -> None:
        self._arrays = arrays
        self._label = label
        # The arrays of one shape share their rows: the one with the largest stripes says where they are cut.
        grids = [array.metadata.grid for array in arrays.values()]
        self._lengths = tuple(partition_lengths(min(grids, key=lambda grid: grid.nstripes)))
        self._bounds = tuple(accumulate(self._lengths, initial=0))

    @cached_property
    def token(self) -> str:
        """Changes whenever a chunk, what is said of the arrays, or the partitions change."""
        told = [(name, array.path, array.metadata, array.chunks) for name, array in self._arrays.items()]
        return blake2b(repr((told, self._lengths)).encode(errors="surrogateescape"), digest_size=16).hexdigest()

    @property
    def label(self) -> str:
        """How a user names the store, for plans and messages."""
        return self._label

    @cached_property
    def columns(self) -> Mapping[str, ColumnType]:
        """All arrays with their types."""
        return {name: array.metadata.column for name, array in self._arrays.items()}

    @property
    def lengths(self) -> tuple[int, ...]:
        """Elements in each partition."""
        return self._lengths

    @property
    def paths(self) -> list[str]:
        """The folder of each partition: that of the first array."""
        return [next(iter(self._arrays.values())).path] * len(self._lengths)

    def part(self, index: int, columns: Sequence[str]) -> ZarrPart:
        """Return one partition, reduced to the given arrays.

        Raises
        ------
        MissingDatasetError
            If there is no array of a name.
        """
        missing = [name for name in columns if name not in self._arrays]
        if missing:
            raise MissingDatasetError(f"{self._label} has no array {', '.join(map(repr, missing))}.")
        start, stop = self._bounds[index], self._bounds[index + 1]
        return ZarrPart(start, stop, {name: self._arrays[name].within(start, stop) for name in columns})
