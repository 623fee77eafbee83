"""pandas' metadata in Parquet files: the columns that are row labels."""

from __future__ import annotations

import json

import pyarrow as pa

from akdask.deferred import pd
from akdask.errors import WriteError
from akdask.formats.parquet.footers import PARQUET_ERRORS, metadata_of
from akdask.storage.files import identify

_KEY = b"pandas"
_MOST_BYTES = 2**24  # bytes of the metadata; a column takes some hundred


def labels_of(path: str) -> list[str | range]:
    """Return the levels of a file's row labels, each a column name or a range; empty without metadata.

    Malformed metadata are ignored, as anybody may have written them.
    """
    metadata = metadata_of(identify(path))
    noted = (metadata.metadata or {}).get(_KEY, b"")
    try:
        levels = json.loads(noted if len(noted) < _MOST_BYTES else b"")["index_columns"]
        return [_level(level, metadata.num_rows) for level in levels]
    except (ValueError, LookupError, TypeError, OverflowError, RecursionError):
        return []


def _level(noted: object, nrows: int) -> str | range:
    match noted:
        case str():
            return noted
        case {"kind": "range", "start": int() as start, "stop": int() as stop, "step": int() as step}:
            if len(range(start, stop, step)) == nrows:
                return range(start, stop, step)
    raise ValueError("no level of labels")


def write_frame(frame: pd.DataFrame, path: str) -> None:
    """Write a file as pandas does.

    Raises
    ------
    WriteError
        If there is no way to store a column.
    """
    try:
        frame.to_parquet(path, engine="pyarrow")
    except PARQUET_ERRORS as error:
        if isinstance(error, OSError) and not isinstance(error, pa.ArrowException):
            raise
        raise WriteError(f"pandas cannot write the columns to {path!r}: {error}.") from error
