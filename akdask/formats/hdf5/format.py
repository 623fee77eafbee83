"""HDF5's entry in the registry of formats.  h5py is imported when a set is opened or written."""

from __future__ import annotations

from collections.abc import Callable

from akdask.storage.objects import StoredSet, Writer
from akdask.storage.registry import FileFormat, first_bytes

_SMALLEST_BLOCK, _LARGEST_BLOCK = 512, 2**16
"""Bytes of a block of the user, a power of two, within which HDF5 is looked for."""


class Hdf5Format(FileFormat):
    """Arkouda's HDF5 files."""

    name = "HDF5"
    signatures = (b"\x89HDF\r\n\x1a\n",)
    extensions = (".h5", ".hdf5")
    joins_partitions = True
    read_options = frozenset({"strict_types", "allow_errors", "calc_string_offsets", "widen"})

    def recognizes_packed(self, path: str) -> bool:
        """Whether HDF5 begins after a block of the user, as in MATLAB's files."""
        first = first_bytes(path, _LARGEST_BLOCK + 8)
        starts = (_SMALLEST_BLOCK << doubled for doubled in range(_LARGEST_BLOCK.bit_length()))
        return any(first.startswith(self.signatures, place) for place in starts if place <= _LARGEST_BLOCK)

    def opener(self) -> Callable[..., StoredSet]:
        """Return `akdask.formats.hdf5.file_set.open_set`."""
        from akdask.formats.hdf5.file_set import open_set

        return open_set

    def writer_class(self) -> Callable[..., Writer]:
        """Return `akdask.formats.hdf5.new_file.SetWriter`."""
        from akdask.formats.hdf5.new_file import SetWriter

        return SetWriter


FORMAT = Hdf5Format()
