"""Global heaps, which hold text and lists of any length: HDF5 itself reads them, and never returns from damaged ones.

Files are searched for such heaps before HDF5 is asked for what may be in them.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

import numpy as np

from akdask.caches import Cache
from akdask.formats.hdf5 import loops
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.low_level import h5fd, h5i

_HEAD = struct.Struct("<4sB3xQ")
_SIGNATURE, _VERSION = b"GCOL", 1
_BLOCK = 2**22  # bytes that are searched at a time

_SOUND: Cache[tuple[int, ...], bool] = Cache("HDF5 files whose heaps are sound", entries=256)


def check_heaps(node: H5Object, most: int) -> None:
    """Raise if HDF5 would read a heap of the file of an open object for ever.

    A file is searched once while it is not changed.  Files of more than `most` bytes, and those that are not one local
    file, are not searched.

    Raises
    ------
    OSError
        If there is such a heap, as the library does where it finds damage.
    """
    file = h5i.get_file_id(node)
    if file.get_access_plist().get_driver() != h5fd.SEC2:
        return
    descriptor = file.get_vfd_handle()
    status = os.fstat(descriptor)
    identity = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    if status.st_size > most or _SOUND.get(identity):
        return
    for start, size in _heaps(descriptor, status.st_size):
        if loops.has_endless_object(np.frombuffer(os.pread(descriptor, size, start), np.uint8)):
            raise OSError(f"HDF5 would read the heap at byte {start:,} for ever: an object in it has no bytes")
    _SOUND.put(identity, True)


def _heaps(descriptor: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield where heaps begin, and their bytes."""
    for start in range(0, size, _BLOCK):
        block = os.pread(descriptor, _BLOCK + _HEAD.size - 1, start)
        found = block.find(_SIGNATURE)
        while 0 <= found < _BLOCK and found + _HEAD.size <= len(block):
            _, version, nbytes = _HEAD.unpack_from(block, found)
            if version == _VERSION and _HEAD.size <= nbytes <= size - start - found:
                yield start + found, nbytes
            found = block.find(_SIGNATURE, found + 1)
