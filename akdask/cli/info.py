"""``akdask info``: the structure of files, from their metadata."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from akdask.cli.console import counted, print_json, printable, size, table
from akdask.cli.info_parquet import parquet_as_json, parquet_as_text
from akdask.cli.sets import NamedSet, add_files, demand_format, format_of_set, named_sets
from akdask.errors import AkdaskError, FileFormatError
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.layout import METADATA_GROUP
from akdask.formats.hdf5.metadata import (
    Attribute,
    FileMetadata,
    Foreign,
    Node,
    StoredDataset,
    StoredGroup,
    read_file_metadata,
    rows_of,
    walk,
)
from akdask.storage.files import exists
from akdask.storage.manifest import manifest_path

_VERSIONS = ("arkouda_version", "file_version")  # reported for the files, as all objects have the same ones


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "info",
        help="show how files are made: layout, sizes, rows, attributes, versions",
        description="Show how sets of files are made: the age of their layout (v2 since v2022.11.10, v1 since "
        "v2021.11.02, v0 before and from others), sizes, rows of each file, objects with their attributes, who wrote "
        "them.  Of Parquet: row groups, and how columns are stored and packed.  Only metadata is read.",
    )
    add_files(parser)
    parser.add_argument("-m", "--members", action="store_true", help="show the datasets inside objects, too")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the structure of files; return the exit code."""
    named = named_sets(options.files)
    demand_format(named, ["HDF5", "Parquet"], "info")
    sets = [(files, format_of_set(files)) for files in named]
    if options.json:
        print_json([parquet_as_json(f) if name == "Parquet" else _as_json(f, _read_all(f)) for f, name in sets])
        return 0
    told = [
        parquet_as_text(files) if name == "Parquet" else _as_text(files, _read_all(files), options.members)
        for files, name in sets
    ]
    print("\n\n".join(told))
    return 0


def _read_all(files: NamedSet) -> list[FileMetadata]:
    found_files = [read_file_metadata(path) for path in files.files]
    problems = [f"{file.path}: {file.problem}" for file in found_files if file.problem is not None]
    if problems:
        raise FileFormatError(f"{files.name} cannot be read as HDF5.", details=problems)
    return found_files


def _as_text(files: NamedSet, found_files: Sequence[FileMetadata], with_members: bool) -> str:
    eras = " and ".join(dict.fromkeys(file.era for file in found_files))
    total = size(sum(file.size for file in found_files))
    manifest = "a manifest" if exists(manifest_path(files.path)) else "no manifest"
    first = found_files[0]
    listed = [row for node in first.objects.values() for row in _rows_about(node, with_members)]
    return "\n".join(
        [
            f"{printable(files.name)}: {counted(len(found_files), 'file')}, {total}, layout {eras}, {manifest}",
            table(["file", "layout", "size", "rows", "written by"], [_about_file(file) for file in found_files]),
            "",
            table(["object", "kind", "stored as", "rows", "attributes"], listed, widest=120),
            *([f"(of {os.path.basename(first.path)}; rows of that file)"] if len(found_files) > 1 else []),
            *_differences(files),
        ]
    )


def _differences(files: NamedSet) -> Iterator[str]:
    """Yield differences between the files; none where the reader refuses them."""
    with suppress(AkdaskError):
        for name, found in open_set(list(files.files)).differences.items():
            yield f"! {printable(name)} differs: {printable(found.reason)}"


def _about_file(file: FileMetadata) -> list[str]:
    rows = dict.fromkeys(rows_of(node) for node in file.objects.values())
    shown = "; ".join("?" if count is None else f"{count:,}" for count in rows)
    return [
        os.path.basename(file.path),
        file.era,
        size(file.size),
        shown or "-",
        "; ".join(_writers(file)) or "-",
    ]


def _writers(file: FileMetadata) -> list[str]:
    """Return the releases that the objects of a file name as their writers."""
    marked = [*file.objects.values(), file.root.members.get(METADATA_GROUP)]
    found = [
        node.attributes.get("arkouda_version") for node in marked if isinstance(node, (StoredGroup, StoredDataset))
    ]
    return list(dict.fromkeys(str(attribute.value) for attribute in found if attribute is not None))


def _rows_about(node: Node, with_members: bool) -> Iterator[list[Any]]:
    for one in walk(node) if with_members else (node,):
        if isinstance(one, Foreign):
            yield [one.path, None, one.text, None, ""]
        else:
            kind = "?" if one.kind is None else one.kind.label
            told = [f"{name}={_value(found)}" for name, found in one.attributes.items() if name not in _VERSIONS]
            yield [one.path, kind if one is node else None, _stored_as(one), rows_of(one), " ".join(told)]


def _stored_as(node: StoredGroup | StoredDataset) -> str:
    if isinstance(node, StoredGroup):
        return "group"
    return " ".join([str(node.type), *([node.storage] if node.storage != "contiguous" else [])])


def _value(attribute: Attribute) -> str:
    return f"<{attribute.type}>" if attribute.value is None else str(attribute.value)


def _as_json(files: NamedSet, found_files: Sequence[FileMetadata]) -> dict[str, Any]:
    return {
        "set": files.path,
        "manifest": manifest_path(files.path) if exists(manifest_path(files.path)) else None,
        "files": [
            {
                "path": file.path,
                "bytes": file.size,
                "layout": file.era,
                "written_by": _writers(file),
                "attributes": _values(file.root),
                "objects": [_node_as_json(name, node) for name, node in file.objects.items()],
            }
            for file in found_files
        ],
    }


def _node_as_json(name: str, node: Node) -> dict[str, Any]:
    if isinstance(node, Foreign):
        return {"name": name, "problem": node.text}
    found: dict[str, Any] = {
        "name": name,
        "kind": None if node.kind is None else node.kind.label,
        "stored_as": _stored_as(node),
        "rows": rows_of(node),
        "attributes": _values(node),
    }
    if isinstance(node, StoredGroup):
        found["members"] = [_node_as_json(name, member) for name, member in node.members.items()]
    return found


def _values(node: StoredGroup | StoredDataset) -> dict[str, Any]:
    return {name: attribute.value for name, attribute in node.attributes.items()}
