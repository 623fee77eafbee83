"""Parquet's entry in the registry of formats.  pyarrow.parquet is imported when a set is opened or written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from akdask.storage.formats.objects import FileLayout, Mode, ObjectSpec, StoredSet, Writer
from akdask.storage.formats.registry import Format
from akdask.storage.paths.locales import Filenames


class ParquetFormat(Format):
    """Parquet files."""

    name = "Parquet"
    signatures = (b"PAR1",)
    extensions = (".parquet", ".pq")
    read_options = frozenset({"allow_errors", "read_nested", "null_indices"})
    write_options = frozenset({"compression", "convert_categoricals"})
    is_tabular = True
    has_missing_text = True

    def open(self, filenames: Filenames, **options: Any) -> StoredSet:
        """Open files as one set; see `akdask.parquet.sets.file_set.open_set`."""
        from akdask.parquet.sets.file_set import open_set

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
        """Return a writer; see `akdask.parquet.writing.writer.ParquetWriter`."""
        from akdask.parquet.writing.writer import ParquetWriter

        return ParquetWriter(
            path, specs, npartitions=npartitions, mode=mode, file_type=file_type, overwrite=overwrite, **options
        )


FORMAT = ParquetFormat()
