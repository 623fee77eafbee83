"""One file out of the files of all partitions, for ``file_type="single"``: shares end to end, block by block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from akdask.hdf5.encoding.newfile import NewDataset, NewGroup, Placed
from akdask.storage.data.extents import Extent
from akdask.storage.data.ranges import RangeReader, range_reader
from akdask.storage.data.write import opened, write_at
from akdask.storage.paths.files import identify

_BLOCK = 8 * 2**20


def concat_parts(shares: Sequence[Sequence[NewGroup | NewDataset]]) -> tuple[NewGroup | NewDataset, ...]:
    """Return the parts of the file that holds all shares."""
    return tuple(
        replace(same[0], length=sum(part.length for part in same if isinstance(part, NewDataset)))
        if isinstance(same[0], NewDataset)
        else same[0]
        for same in zip(*shares, strict=True)
    )


def copy_shares(path: str, placed: Sequence[Placed], files: Sequence[str], shares: Sequence[Sequence[Placed]]) -> None:
    """Copy the bytes of all shares into place; positions local to a share move behind the shares before it."""
    positions = {place.extent.dataset: place.extent.offset for place in placed}
    lengths: defaultdict[str, int] = defaultdict(int)
    with opened(path) as descriptor:
        for file, share in zip(files, shares, strict=True):
            before = dict(lengths)
            with range_reader(identify(file)) as reader:
                for place in share:
                    name, shift = place.extent.dataset, before.get(place.dataset.local_to or "", 0)
                    positions[name] = _copy(reader, place.extent, descriptor, positions[name], shift)
                    lengths[name] += place.extent.length


def _copy(reader: RangeReader, extent: Extent, descriptor: int, position: int, shift: int) -> int:
    dtype = np.dtype(extent.dtype)
    step = _BLOCK // dtype.itemsize
    buffer = np.empty(min(step, extent.length), dtype)
    for start in range(0, extent.length, step):
        block = buffer[: min(step, extent.length - start)]
        reader.read_into(block, extent.offset + start * dtype.itemsize, extent.dataset)
        if shift:
            block += shift
        write_at(descriptor, block, position)
        position += block.nbytes
    return position
