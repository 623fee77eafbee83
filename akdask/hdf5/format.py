"""HDF5's entry in the registry of formats.  What needs h5py is imported when a set is opened or written."""

from __future__ import annotations

from collections.abc import Callable

from akdask.storage.formats.file_format import FileFormat
from akdask.storage.formats.objects import StoredSet, Writer


class Hdf5Format(FileFormat):
    """Arkouda's HDF5 files."""

    name = "HDF5"
    signatures = (b"\x89HDF\r\n\x1a\n",)
    extensions = (".h5", ".hdf5")
    joins_partitions = True
    read_options = frozenset({"strict_types", "allow_errors", "calc_string_offsets", "widen"})

    def opener(self) -> Callable[..., StoredSet]:
        """Return `akdask.hdf5.sets.file_set.open_set`."""
        from akdask.hdf5.sets.file_set import open_set

        return open_set

    def writer_class(self) -> Callable[..., Writer]:
        """Return `akdask.hdf5.sets.write.SetWriter`."""
        from akdask.hdf5.sets.write import SetWriter

        return SetWriter


FORMAT = Hdf5Format()
