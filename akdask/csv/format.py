"""CSV's entry in the registry of formats.  What needs pyarrow's parser is imported when a set is opened or written."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from akdask.storage.formats.objects import FileLayout, Mode, ObjectSpec, StoredSet, Writer
from akdask.storage.formats.registry import Format
from akdask.storage.paths.locales import Filenames


class CsvFormat(Format):
    """Lines of text, with Arkouda's header or without; only the former tell by their first bytes what they are."""

    name = "CSV"
    signatures = (b"**HEADER",)
    extensions = (".csv",)
    is_tabular = True
    joins_partitions = True
    read_options = frozenset({"column_delim", "allow_errors", "dtypes", "names"})
    write_options = frozenset({"column_delim", "compression"})

    def open(self, filenames: Filenames, **options: Any) -> StoredSet:
        """Open files as one set; see `akdask.csv.file_set.open_set`."""
        from akdask.csv.file_set import open_set

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
        """Return a writer of new files; see `akdask.csv.write.CsvWriter`."""
        from akdask.csv.write import CsvWriter

        return CsvWriter(path, specs, npartitions=npartitions, mode=mode, file_type=file_type, **options)


FORMAT = CsvFormat()
