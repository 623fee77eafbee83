"""Tables of Delta Lake, which `deltalake` opens; Arrow reads their Parquet files."""

from __future__ import annotations

import os
from typing import Any

from akdask.deferred import module_named
from akdask.errors import FileFormatError
from akdask.io.tables.arrow import of_dataset
from akdask.io.tables.source import Opened


def opened(source: Any, filters: Any, **options: Any) -> Opened:
    """Open a version of a table, the last unless ``version=`` names another."""
    deltalake = module_named("deltalake")
    try:
        table = (
            source if isinstance(source, deltalake.DeltaTable) else deltalake.DeltaTable(os.fspath(source), **options)
        )
        data = table.to_pyarrow_dataset()
    except deltalake.exceptions.DeltaError as error:
        raise FileFormatError(f"the Delta table cannot be read: {error}") from error
    version = table.version()
    return of_dataset(data, filters, f"scan_table({table.table_uri!r})", f"{table.table_uri} {version}")
