"""Stored bytes of datasets against the checksums that their writer took."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from akdask.errors import FileFormatError
from akdask.hdf5.reading.read import ExtentReader
from akdask.storage.data.checksum import Checksum
from akdask.storage.data.extents import Extent
from akdask.storage.paths.files import FileIdentity

_BLOCK = 2**19  # bytes that stay in the core's cache between reading and summing


def check_extent(reader: ExtentReader, extent: Extent, expected: int) -> None:
    """Read a dataset whole and compare.

    Raises
    ------
    FileFormatError
        If the checksum is another, or the data cannot be read.
    """
    found = Checksum()
    step = _BLOCK // np.dtype(extent.dtype).itemsize
    buffer = np.empty(min(step, extent.length), extent.dtype)
    for start in range(0, extent.length, step):
        block = buffer[: min(step, extent.length - start)]
        reader.read_into(block, extent, start)
        found.add(block)
    if found.value != expected:
        raise FileFormatError(
            f"dataset {extent.dataset!r} of {reader.file.path!r} is not what was written.",
            details=[f"checksum {found.value:016x}, written with {expected:016x}"],
            hint="the disk or a copy has changed bytes: restore the file, or write the set again.",
        )


@lru_cache(maxsize=2**16)
def check_once(file: FileIdentity, extent: Extent, expected: int) -> None:
    """Do `check_extent` unless this process has found the dataset of the file to be fine already."""
    with ExtentReader(file) as reader:
        check_extent(reader, extent, expected)
