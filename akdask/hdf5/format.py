"""HDF5's entry in the registry of formats.  What needs h5py is imported when a set is opened or written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from akdask.storage.formats.objects import FileLayout, Mode, ObjectSpec, StoredSet, Writer
from akdask.storage.formats.registry import Format
from akdask.storage.paths.locales import Filenames


class Hdf5Format(Format):
    """Arkouda's HDF5 files."""

    name = "HDF5"
    signatures = (b"\x89HDF\r\n\x1a\n",)
    extensions = (".h5", ".hdf5")
    joins_partitions = True
    read_options = frozenset({"strict_types", "allow_errors", "calc_string_offsets"})

    def open(self, filenames: Filenames, **options: Any) -> StoredSet:
        """Open files as one set; see `akdask.hdf5.sets.file_set.open_set`."""
        from akdask.hdf5.sets.file_set import open_set

        return open_set(filenames, **options)

    def writer(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: Mode = "truncate",
        file_type: FileLayout = "distribute",
        overwrite: bool = False,
        **options: Any,
    ) -> Writer:
        """Return a writer; see `akdask.hdf5.sets.write.SetWriter`."""
        from akdask.hdf5.sets.write import SetWriter

        return SetWriter(
            path, specs, npartitions=npartitions, mode=mode, file_type=file_type, overwrite=overwrite, **options
        )


FORMAT = Hdf5Format()
