"""Data sets of Arrow: Feather, IPC and ORC files, and what other libraries give as a `pyarrow.dataset.Dataset`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from akdask.deferred import module_named, pa
from akdask.errors import ArgumentError, FileFormatError
from akdask.io.tables.source import LibraryRows, Opened, digest
from akdask.records import record
from akdask.storage.files import absolute


def opened(source: Any, filters: Any) -> Opened:
    """Open files, or a data set."""
    dataset = module_named("pyarrow.dataset")
    if isinstance(source, dataset.Dataset):
        return of_dataset(source, filters, "scan_table(Dataset)", uuid4().hex)
    path = absolute(os.fspath(source))
    with open(path, "rb") as file:
        kind = "orc" if file.read(3) == b"ORC" else "feather"
    found = os.stat(path)
    try:
        data = dataset.dataset(path, format=kind)
    except (pa.ArrowException, OSError) as error:
        raise FileFormatError(f"{path!r} cannot be read: {error}") from error
    return of_dataset(data, filters, f"scan_table({path!r})", f"{path} {found.st_size} {found.st_mtime_ns}")


def of_dataset(data: Any, filters: Any, label: str, identity: str) -> Opened:
    """Return a data set of Arrow as a table: each group of rows of a file is a part."""
    condition = expression(filters)
    if isinstance(data, module_named("pyarrow.dataset").InMemoryDataset):
        rows = data.to_table(filter=condition)
        return Opened(
            label, identity, data.schema, [LibraryRows(rows.num_rows, rows.select, label)] if len(rows) else []
        )
    parts = []
    for fragment in data.get_fragments(filter=condition):
        for piece in fragment.split_by_row_group() if hasattr(fragment, "split_by_row_group") else [fragment]:
            read = FragmentRows(piece, data.schema, condition)
            nrows = piece.count_rows() if condition is None else read.count()
            if nrows:
                parts.append(LibraryRows(nrows, read, str(getattr(fragment, "path", ""))))
    return Opened(label, f"{identity} {digest(condition)}", data.schema, parts)


def expression(filters: Any) -> Any:
    """Return conditions as an expression of Arrow, None for none."""
    if filters is None or isinstance(filters, module_named("pyarrow.compute").Expression):
        return filters
    if not filters:
        return None
    try:
        return module_named("pyarrow.parquet").filters_to_expression(filters)
    except (ValueError, TypeError) as error:
        raise ArgumentError(
            f"filters cannot be read: {error}", hint='write them as [("port", "==", 443), ("bytes", ">", 0)].'
        ) from error


@record
class FragmentRows:
    """Reads a fragment of a data set."""

    fragment: Any
    schema: Any
    condition: Any

    def count(self) -> int:
        """Return how many rows fulfil the condition."""
        return int(self.fragment.scanner(schema=self.schema, filter=self.condition).count_rows())

    def __call__(self, names: Sequence[str]) -> pa.Table:
        """Return some columns."""
        return self.fragment.to_table(schema=self.schema, columns=list(names), filter=self.condition)
