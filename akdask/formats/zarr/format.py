"""Zarr's entry in the registry of formats.  Codecs are imported when a store is opened or written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from akdask.storage.objects import StoredSet, Writer
from akdask.storage.registry import FileFormat, first_bytes


class ZarrFormat(FileFormat):
    """Folders or zip archives with an array each, or with a group of them."""

    name = "Zarr"
    folder_signatures = (".zarray", ".zgroup", "zarr.json")
    extensions = (".zarr",)
    write_options = frozenset({"chunk_shape"})
    chooses_partitions = True

    def recognizes_packed(self, path: str) -> bool:
        """Whether a file is a zip archive of a store."""
        if not first_bytes(path).startswith(b"PK\x03\x04"):
            return False
        from akdask.formats.zarr.archive import is_store

        return is_store(path)

    def opener(self) -> Callable[..., StoredSet]:
        """Return `akdask.formats.zarr.store.open_store`."""
        from akdask.formats.zarr.store import open_store

        return open_store

    def writer_class(self) -> Callable[..., Writer]:
        """Return `akdask.formats.zarr.write.ZarrWriter`."""
        from akdask.formats.zarr.write import ZarrWriter

        return ZarrWriter

    def damages(self, files: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Compare stores with their manifests; see `Format.damages`."""
        from akdask.formats.zarr.store import damages_of

        return (damage for path in files for damage in damages_of(path))


FORMAT = ZarrFormat()
