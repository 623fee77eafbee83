"""``akdask info`` for Parquet files: row groups, and the encodings and compression of columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from akdask.cli.console import counted, printable, size, table
from akdask.cli.sets import NamedSet
from akdask.formats.parquet.columns import ParquetColumn, ParquetFileDescription
from akdask.formats.parquet.file_set import ColumnAgreement
from akdask.formats.parquet.footers import inspect_file, metadata_of
from akdask.formats.parquet.thrift import CODECS
from akdask.storage.files import exists, identify
from akdask.storage.manifest import manifest_path


def parquet_as_text(files: NamedSet) -> str:
    """Return tables of the files, and of the columns of the first of them.

    Raises
    ------
    FileFormatError
        If a footer cannot be read.
    """
    found = _described(files)
    total = size(sum(file.file.size for file in found))
    manifest = "a manifest" if exists(manifest_path(files.path)) else "no manifest"
    about_files = [
        [os.path.basename(file.file.path), size(file.file.size), file.nrows, len(file.rows), _writer(file)]
        for file in found
    ]
    columns = [list(_about_column(found[0], column).values()) for column in found[0].schema.columns]
    return "\n".join(
        [
            f"{printable(files.name)}: {counted(len(found), 'file')}, {total}, Parquet, {manifest}",
            table(["file", "size", "rows", "row groups", "written by"], about_files),
            "",
            table(["column", "kind", "stored as", "codec", "bytes", "nulls"], columns, widest=120),
            *([f"(of {os.path.basename(found[0].file.path)})"] if len(found) > 1 else []),
            *(
                f"! {printable(name)} differs: {printable(one.reason)}"
                for name, one in ColumnAgreement(found).differences.items()
            ),
        ]
    )


def parquet_as_json(files: NamedSet) -> dict[str, Any]:
    """Return the content of `parquet_as_text` for JSON, for all files; for errors see there."""
    return {
        "set": files.path,
        "manifest": manifest_path(files.path) if exists(manifest_path(files.path)) else None,
        "files": [
            {
                "path": file.file.path,
                "bytes": file.file.size,
                "written_by": _writer(file),
                "row_groups": file.rows.tolist(),
                "objects": [_about_column(file, column) for column in file.schema.columns],
            }
            for file in _described(files)
        ],
    }


def _described(files: NamedSet) -> Sequence[ParquetFileDescription]:
    return [inspect_file(identify(path)) for path in files.files]


def _writer(file: ParquetFileDescription) -> str:
    return metadata_of(file.file).created_by or "-"


def _about_column(file: ParquetFileDescription, column: ParquetColumn) -> dict[str, Any]:
    chunks = file.chunks[column.leaf : column.leaf + column.leaves]
    nulls = chunks[0]["nulls"]
    codecs = [CODECS[codec] if codec >= 0 else "?" for codec in dict.fromkeys(chunks["codec"].ravel().tolist())]
    return {
        "name": column.name,
        "kind": column.kind.label,
        "stored_as": f"{column.physical}, {column.stored}",
        "codec": " and ".join(codecs) or None,
        "bytes": int(chunks["size"].sum()),
        "nulls": int(nulls.sum()) if (nulls >= 0).all() else None,
    }
