"""Zarr's entry in the registry of formats.  What unpacks chunks is imported when a store is opened or written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from akdask.storage.formats.objects import FileLayout, Mode, ObjectSpec, StoredSet, Writer
from akdask.storage.formats.registry import Format
from akdask.storage.paths.locales import Filenames


class ZarrFormat(Format):
    """Folders with an array each, or with a group of them."""

    name = "Zarr"
    # The last is of stores of version 3, which are known only to be refused by their name.
    folder_signatures = (".zarray", ".zgroup", "zarr.json")
    extensions = (".zarr",)
    write_options = frozenset({"chunk_shape"})
    chooses_partitions = True

    def open(self, filenames: Filenames, **options: Any) -> StoredSet:
        """Open one store; see `akdask.zarr.store.open_store`."""
        from akdask.zarr.store import open_store

        return open_store(filenames)

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
        """Return a writer of a new store; see `akdask.zarr.write.ZarrWriter`."""
        from akdask.zarr.write import ZarrWriter

        return ZarrWriter(path, specs, npartitions=npartitions, mode=mode, **options)


FORMAT = ZarrFormat()
