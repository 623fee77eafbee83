"""Datasets that are not one run of bytes: in chunks, in other files, never written, or of types that NumPy lacks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import h5py
import numpy as np
from h5py import h5d, h5g, h5i, h5p

from akdask.errors import AkdaskError, FileFormatError
from akdask.hdf5.encoding.boxes import boxes
from akdask.hdf5.encoding.chunks import ChunkReader, ChunkStore, check_chunk, index_of
from akdask.hdf5.metadata.external import allow_outside
from akdask.hdf5.metadata.inspect import HDF5_ERRORS, open_hdf5
from akdask.hdf5.schema.datasets import NotFlatError, is_dataset, is_outside, is_plain
from akdask.hdf5.schema.layout import H5Object
from akdask.hdf5.schema.links import open_path
from akdask.storage.data.extents import OUTSIDE, Extent
from akdask.storage.data.ranges import RangeReader
from akdask.storage.data.read_ahead import Stream
from akdask.storage.paths.files import changed_error, is_remote, is_unchanged
from akdask.typing import NumberArray

ElementRange: TypeAlias = tuple[Extent, int, int]
"""Elements of a dataset, from one to another."""


class ChunkedReader:
    """Reads elements of datasets of a file that HDF5 opens besides the given reader.

    Parameters
    ----------
    ranges : RangeReader
        Reads bytes of the file.
    expected : sequence of ElementRange
        What will be read of remote files; its chunks are fetched ahead.
    """

    def __init__(self, ranges: RangeReader, expected: Sequence[ElementRange] = ()) -> None:
        self._ranges = ranges
        self._expected = expected
        self._file = ranges.file
        self._hdf5: Any = None
        self._readers: dict[tuple[str, str], ChunkReader | _LibraryReader] = {}
        self._chunks = ChunkStore()

    def close(self) -> None:
        """Close what HDF5 holds."""
        self._readers.clear()
        if self._hdf5 is not None:
            self._hdf5.close()

    def read_into(self, out: NumberArray, extent: Extent, start: int) -> None:
        """Fill an array of the stored type with the elements from `start` on.

        Raises
        ------
        FileFormatError
            If the dataset is damaged, or not what the extent says.
        """
        try:
            key = (extent.dataset, out.dtype.str)
            if key not in self._readers:
                self._readers[key] = self._reader(extent, out.dtype)
            self._readers[key].read_into(self._ranges, out, start)
        except AkdaskError:
            raise
        except (NotFlatError, *HDF5_ERRORS) as error:
            raise FileFormatError(
                f"dataset {extent.dataset!r} of {self._file.path!r} cannot be read.",
                details=[str(error)],
                hint="the file may be damaged, or compressed with a filter that is not installed.",
            ) from error

    def _expect(self) -> None:
        streams: list[Stream] = []
        for extent, start, stop in self._expected:
            # Errors are for who reads the dataset.
            with suppress(AkdaskError, NotFlatError, *HDF5_ERRORS):
                dtype = np.dtype(extent.dtype)
                reader = self._readers[extent.dataset, dtype.str] = self._reader(extent, dtype)
                if isinstance(reader, ChunkReader):
                    streams.append(reader.index.byte_ranges(start, stop))
        self._ranges.expect(streams)

    def _reader(self, extent: Extent, dtype: np.dtype[Any]) -> ChunkReader | _LibraryReader:
        if self._hdf5 is None:
            self._hdf5 = open_hdf5(self._file.path, self._file)
            # Opened by name a second time: a file that has been put in its place between both is another one.
            if not is_remote(self._file.path) and not is_unchanged(self._file):
                raise changed_error(self._file)
            self._expect()
        root = h5g.open(self._hdf5.id, b"/")
        node = open_path(root, extent.dataset)
        if not is_dataset(node) or node.shape is None or math.prod(node.shape) != extent.length:
            raise NotFlatError("it is not the dataset that the set was described with")
        made, access = node.get_create_plist(), h5p.create(h5p.DATASET_ACCESS)
        if is_outside(made) != (extent.offset == OUTSIDE):
            raise NotFlatError("it keeps its data in other files")
        if extent.offset == OUTSIDE:
            allow_outside(node, self._file.path, access)
        elif made.get_layout() == h5d.CHUNKED:
            index = index_of(self._file, extent.dataset, node)
            has_block = bool(self._hdf5.id.get_create_plist().get_userblock())
            if index.is_own and is_plain(node, dtype) and not has_block:
                return ChunkReader(index, dtype, extent.dataset, self._chunks)
            nbytes = math.prod(index.chunk) * len(index.fill)
            check_chunk(nbytes)
            access.set_chunk_cache(521, max(nbytes, 2**20), 0.75)
        elif made.get_layout() == h5d.COMPACT and node.get_storage_size() < extent.length * node.dtype.itemsize:
            raise NotFlatError("fewer bytes are stored than it has")
        # Access properties only count when a dataset is opened that is not open yet.
        name = h5i.get_name(node)
        del node
        return _LibraryReader(h5d.open(root, name, access))


class _LibraryReader:
    """Reads elements of a dataset through HDF5."""

    def __init__(self, node: H5Object) -> None:
        self._dataset = h5py.Dataset(node)

    def read_into(self, ranges: RangeReader, out: NumberArray, start: int) -> None:
        """Fill an array with the elements from `start` on, counted in row-major order."""
        # Where a file says that nothing is filled in, the library leaves memory as it is of what was never written.
        out[:] = 0
        done = 0
        for box in boxes(self._dataset.shape, start, start + len(out)):
            sizes = tuple(side.stop - side.start for side in box)
            count = math.prod(sizes)
            self._dataset.read_direct(out[done : done + count].reshape(sizes), box)
            done += count
