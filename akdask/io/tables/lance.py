"""Data sets of Lance; each of their fragments is a part."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from akdask.deferred import module_named, pa
from akdask.io.tables.arrow import expression
from akdask.io.tables.source import LibraryRows, Opened, digest
from akdask.records import record


def opened(source: Any, filters: Any, **options: Any) -> Opened:
    """Open a version of a data set, the last unless ``version=`` names another."""
    is_path = isinstance(source, str | os.PathLike)
    data = module_named("lance").dataset(os.fspath(source), **options) if is_path else source
    condition = expression(filters)
    parts = []
    for fragment in data.get_fragments():
        nrows = fragment.count_rows() if condition is None else fragment.scanner(filter=condition).count_rows()
        if nrows:
            reader = LanceRows(data.uri, data.version, options, fragment.fragment_id, condition)
            # The files have new names when a data set is written again in the place of another.
            files = ", ".join(file.path for file in fragment.metadata.files)
            parts.append(LibraryRows(nrows, reader, f"{data.uri}: {files}"))
    return Opened(f"scan_table({data.uri!r})", f"{data.version} {digest(condition)}", data.schema, parts)


@record
class LanceRows:
    """Reads a fragment, where it is run."""

    uri: str
    version: int
    options: dict[str, Any]
    fragment: int
    condition: Any

    def __call__(self, names: Sequence[str]) -> pa.Table:
        """Return some columns."""
        data = module_named("lance").dataset(self.uri, **{**self.options, "version": self.version})
        return data.get_fragment(self.fragment).to_table(columns=list(names), filter=self.condition)
