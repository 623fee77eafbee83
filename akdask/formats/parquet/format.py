"""Parquet's entry in the registry of formats.  pyarrow.parquet is imported when a set is opened or written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from akdask.storage.files import identify_all
from akdask.storage.objects import StoredSet, Writer
from akdask.storage.registry import FileFormat


class ParquetFormat(FileFormat):
    """Parquet files."""

    name = "Parquet"
    signatures = (b"PAR1",)
    extensions = (".parquet", ".pq")
    read_options = frozenset({"allow_errors", "read_nested", "null_indices", "widen", "as_integers", "decimals"})
    write_options = frozenset({"compression", "convert_categoricals", "checksums"})
    is_tabular = True
    joins_partitions = True
    has_missing_rows = True
    has_time_units = True

    def opener(self) -> Callable[..., StoredSet]:
        """Return `akdask.formats.parquet.file_set.open_set`."""
        from akdask.formats.parquet.file_set import open_set

        return open_set

    def writer_class(self) -> Callable[..., Writer]:
        """Return `akdask.formats.parquet.write.ParquetWriter`."""
        from akdask.formats.parquet.write import ParquetWriter

        return ParquetWriter

    def damages(self, files: Sequence[str]) -> Iterable[tuple[str, str]]:
        """Compare files with their manifest; see `Format.damages`."""
        from akdask.formats.parquet.footers import ParquetManifest
        from akdask.storage.manifest import differing_files

        return differing_files(ParquetManifest, identify_all(files))


FORMAT = ParquetFormat()
