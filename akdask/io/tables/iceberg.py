"""Tables of Iceberg, which `pyiceberg` opens; each of their data files is a part."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from functools import reduce
from typing import Any

from akdask.deferred import module_named, pa
from akdask.errors import ArgumentError, MissingFileError
from akdask.io.tables.source import LibraryRows, Opened
from akdask.records import record

RELATIONS = {
    "=": "EqualTo",
    "==": "EqualTo",
    "!=": "NotEqualTo",
    "<": "LessThan",
    "<=": "LessThanOrEqual",
    ">": "GreaterThan",
    ">=": "GreaterThanOrEqual",
    "in": "In",
    "not in": "NotIn",
}
"""Classes of `pyiceberg.expressions`, by relations of filters."""


def opened(source: Any, filters: Any, **options: Any) -> Opened:
    """Open a table of a catalog, or one by its metadata; ``snapshot_id=`` names an older state."""
    snapshot = options.pop("snapshot_id", None)
    table = _at(os.fspath(source), options) if isinstance(source, str | os.PathLike) else source
    condition = expression(filters)
    scan = table.scan(row_filter=condition, snapshot_id=snapshot)
    schema = module_named("pyiceberg.io.pyarrow").schema_to_pyarrow(scan.projection(), include_field_ids=False)
    parts = []
    for task in scan.plan_files():
        read = FileRows(table.metadata, table.io, scan.projection(), condition, task)
        is_complete = filters is None and not task.delete_files
        nrows = task.file.record_count if is_complete else read([schema.names[0]]).num_rows
        if nrows:
            parts.append(LibraryRows(nrows, read, task.file.file_path))
    state = scan.snapshot()
    label = f"scan_table({table.metadata_location!r})"
    return Opened(label, f"{table.metadata.table_uuid} {state and state.snapshot_id} {condition}", schema, parts)


def _at(path: str, options: dict[str, Any]) -> Any:
    """Return the table of a metadata file, or of the folder of a table, whose last metadata counts."""
    if os.path.isdir(path):
        found = glob.glob(os.path.join(glob.escape(path), "metadata", "*.metadata.json"))
        if not found:
            raise MissingFileError(f"the folder {path!r} has no metadata of an Iceberg table.")
        path = max(found)
    return module_named("pyiceberg.table").StaticTable.from_metadata(path, options)


def expression(filters: Any) -> Any:
    """Return conditions as an expression of Iceberg."""
    words = module_named("pyiceberg.expressions")
    if filters is None or (isinstance(filters, list) and not filters):
        return words.AlwaysTrue()
    if not isinstance(filters, list):
        raise ArgumentError(
            f"filters of an Iceberg table are lists of tuples, not {type(filters).__name__}.",
            hint='write them as [("port", "==", 443), ("bytes", ">", 0)].',
        )
    terms = [filters] if isinstance(filters[0], tuple) else filters
    return reduce(words.Or, [reduce(words.And, [_comparison(words, *term) for term in every]) for every in terms])


def _comparison(words: Any, column: str, relation: str, value: Any) -> Any:
    if relation not in RELATIONS:
        raise ArgumentError(f"there is no relation {relation!r}.", hint=f"relations: {', '.join(RELATIONS)}.")
    return getattr(words, RELATIONS[relation])(column, value)


@record
class FileRows:
    """Reads a data file, without the rows that were deleted."""

    metadata: Any
    files: Any
    schema: Any
    condition: Any
    task: Any

    def __call__(self, names: Sequence[str]) -> pa.Table:
        """Return some columns."""
        reader = module_named("pyiceberg.io.pyarrow").ArrowScan(
            self.metadata, self.files, self.schema.select(*names), self.condition
        )
        return reader.to_table([self.task]).select(list(names))
