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
    is_known = condition is None or _knows(data, condition)
    for fragment in data.get_fragments():
        reader = LanceRows(data.uri, data.version, options, fragment.fragment_id, condition, is_known)
        nrows = fragment.count_rows() if condition is None else reader.count()
        if nrows:
            # The files have new names when a data set is written again in the place of another.
            files = ", ".join(file.path for file in fragment.metadata.files)
            parts.append(LibraryRows(nrows, reader, f"{data.uri}: {files}"))
    return Opened(f"scan_table({data.uri!r})", f"{data.version} {digest(condition)}", data.schema, parts)


def _knows(data: Any, condition: Any) -> bool:
    """Return whether Lance takes a condition; it refuses those on text with offsets of 64 bits, as polars writes it."""
    try:
        data.head(0, filter=condition)
    except ValueError:
        return False
    return True


@record
class LanceRows:
    """Reads a fragment, where it is run."""

    uri: str
    version: int
    options: dict[str, Any]
    fragment: int
    condition: Any
    is_known: bool
    """Whether Lance takes the condition; else Arrow applies it to all columns."""

    def count(self) -> int:
        """Return how many rows fulfil the condition."""
        if self.is_known:
            return int(self._fragment.scanner(filter=self.condition).count_rows())
        return len(self([]))

    def __call__(self, names: Sequence[str]) -> pa.Table:
        """Return some columns."""
        if self.is_known:
            return self._fragment.to_table(columns=list(names), filter=self.condition)
        return self._fragment.to_table().filter(self.condition).select(list(names))

    @property
    def _fragment(self) -> Any:
        data = module_named("lance").dataset(self.uri, **{**self.options, "version": self.version})
        return data.get_fragment(self.fragment)
