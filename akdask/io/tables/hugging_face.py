"""Data sets that Hugging Face's library `datasets` has saved, or holds: some rows at a time are a part."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from akdask.deferred import module_named, pa
from akdask.errors import ArgumentError
from akdask.io.tables.arrow import expression
from akdask.io.tables.source import LibraryRows, Opened, digest
from akdask.records import record

ROWS = 2**20
"""Rows of a part."""


def opened(source: Any, filters: Any, *, split: str | None = None, **options: Any) -> Opened:
    """Open a data set; of several splits ``split=`` names one."""
    library = module_named("datasets")
    data = library.load_from_disk(os.fspath(source), **options) if isinstance(source, str | os.PathLike) else source
    if isinstance(data, library.DatasetDict):
        if split not in data:
            raise ArgumentError(f"the data set has splits {', '.join(data)}.", hint=f"split={next(iter(data))!r}")
        data = data[split]
    elif split is not None:
        raise ArgumentError(f"the data set has no splits, such as {split!r}.", hint="leave out split=.")
    condition = expression(filters)
    plain = data.with_format("arrow")
    label = "scan_table(Dataset)" if data is source else f"scan_table({os.fspath(source)!r})"
    parts = []
    for start in range(0, len(plain), ROWS):
        read = SavedRows(plain, start, min(start + ROWS, len(plain)), condition)
        nrows = read.stop - start if condition is None else read([]).num_rows
        if nrows:
            parts.append(LibraryRows(nrows, read, label))
    return Opened(label, f"{data._fingerprint} {digest(condition)}", data.features.arrow_schema, parts)


@record
class SavedRows:
    """Reads some rows, which lie in files that are mapped to memory."""

    data: Any
    start: int
    stop: int
    condition: Any

    def __call__(self, names: Sequence[str]) -> pa.Table:
        """Return some columns."""
        rows = self.data[self.start : self.stop]
        return (rows if self.condition is None else rows.filter(self.condition)).select(list(names))
