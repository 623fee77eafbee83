"""``akdask ls``, ``info`` and ``head``: the objects, the structure and the first rows of sets of files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import akdask as ak
from akdask.cli.console import counted, print_json, printable, size, table
from akdask.cli.sets import NamedSet, Stored, add_files, format_of_set, named_sets, shown_objects
from akdask.errors import AkdaskError, ArgumentError, FileFormatError
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
from akdask.formats.parquet.columns import ParquetColumn, ParquetFileDescription
from akdask.formats.parquet.file_set import ColumnAgreement
from akdask.formats.parquet.footers import inspect_file, metadata_of
from akdask.formats.parquet.thrift import CODECS
from akdask.storage.files import exists, files_below, identify, is_folder
from akdask.storage.manifest import manifest_path


def register(commands: Any) -> None:
    """Add the subcommands to the parser."""
    parser = commands.add_parser(
        "ls",
        help="list the objects of files: kind, type, rows",
        description="List the objects of sets of files.  Only metadata is read.",
    )
    add_files(parser)
    parser.set_defaults(run=_ls)
    parser = commands.add_parser(
        "info",
        help="show how files are made: layout, sizes, rows, attributes, versions",
        description="Show how sets of files are made: the age of their layout (v2 since v2022.11.10, v1 since "
        "v2021.11.02, v0 before and from others), sizes, rows of each file, objects with their attributes, who wrote "
        "them.  Of Parquet: row groups, and how columns are stored and packed.  Of others, their arrays or columns.",
    )
    add_files(parser)
    parser.add_argument("-m", "--members", action="store_true", help="show the datasets inside objects, too")
    parser.set_defaults(run=_info)
    parser = commands.add_parser(
        "head",
        help="show the first rows",
        description="Show the first rows of sets of files.  Only the partitions that hold them are read.  In JSON, "
        "floats that it does not have are the text nan, inf or -inf.",
    )
    add_files(parser)
    parser.add_argument("-n", "--rows", type=int, default=10, metavar="N", help="how many rows (default: 10)")
    parser.add_argument("-o", "--object", action="append", metavar="NAME", help="only this object; may be repeated")
    parser.set_defaults(run=_head)


def _ls(options: argparse.Namespace) -> int:
    """List the objects; return the exit code, 2 if a set cannot be read."""
    sets = named_sets(options.files)
    found: list[tuple[NamedSet, list[Stored] | AkdaskError]]
    found = [(files, shown_objects(files)) for files in sets] if len(sets) == 1 else list(map(_opened, sets))
    exit_code = 2 if any(isinstance(objects, AkdaskError) for _, objects in found) else 0
    if options.json:
        print_json([_listed_as_json(files, objects) for files, objects in found])
        return exit_code
    for number, (files, objects) in enumerate(found):
        if number:
            print()
        if isinstance(objects, AkdaskError):
            print(f"{printable(files.name)}: {counted(len(files.files), 'file')}\n! {printable(objects.message)}")
            continue
        print(f"{printable(files.name)}: {counted(len(files.files), 'file')}, {counted(len(objects), 'object')}")
        if objects:
            print(
                table(
                    ["name", "kind", "type", "rows"], [[item.name, *_about_object(item).values()] for item in objects]
                )
            )
        for item in objects:
            if item.problem is not None:
                print(f"! {printable(item.problem.message)}")
    return exit_code


def _opened(files: NamedSet) -> tuple[NamedSet, list[Stored] | AkdaskError]:
    """Open the objects of a set, or return why that is not possible, so that other sets are listed nevertheless."""
    try:
        return files, shown_objects(files)
    except AkdaskError as error:
        return files, error


def _about_object(item: Stored) -> dict[str, Any]:
    if item.problem is not None:
        return {"kind": item.kind.label, "type": None, "rows": None}
    dtype = getattr(item.found, "dtype", None)
    shown = None if dtype is None else "str" if getattr(dtype, "kind", "") == "U" else str(dtype)
    return {"kind": item.kind.label, "type": shown, "rows": item.nrows}


def _listed_as_json(files: NamedSet, objects: list[Stored] | AkdaskError) -> dict[str, Any]:
    if isinstance(objects, AkdaskError):
        return {"set": files.path, "files": list(files.files), "problem": objects.message}
    listed = [
        {
            "name": item.name,
            **_about_object(item),
            **({} if item.problem is None else {"problem": item.problem.message}),
        }
        for item in objects
    ]
    return {"set": files.path, "files": list(files.files), "objects": listed}


_VERSIONS = ("arkouda_version", "file_version")  # reported for the files, as all objects have the same ones


def _info(options: argparse.Namespace) -> int:
    """Show the structure of files; return the exit code."""
    named = named_sets(options.files)
    sets = [(files, format_of_set(files)) for files in named]
    if options.json:
        print_json([_as_json(files, name) for files, name in sets])
        return 0
    print("\n\n".join(_as_text(files, name, options.members) for files, name in sets))
    return 0


def _as_json(files: NamedSet, name: str) -> dict[str, Any]:
    if name not in {"HDF5", "Parquet"}:
        return _listed_as_json(files, shown_objects(files))
    return _parquet_as_json(files) if name == "Parquet" else _hdf5_as_json(files, _read_all(files))


def _as_text(files: NamedSet, name: str, with_members: bool) -> str:
    if name not in {"HDF5", "Parquet"}:
        return _others_as_text(files, name)
    return _parquet_as_text(files) if name == "Parquet" else _hdf5_as_text(files, _read_all(files), with_members)


def _others_as_text(files: NamedSet, name: str) -> str:
    """Return a table of the arrays of a Zarr store, or the columns of other files."""
    found = shown_objects(files)
    columns = [[item.name, *_about_object(item).values()] for item in found]
    inside = [path for one in files.files for path in (files_below(one) if is_folder(one) else [one])]
    total = size(sum(identify(path).size for path in inside))
    title = f"{printable(files.name)}: {counted(len(inside), 'file')}, {total}, {name}"
    heading = ["array" if name == "Zarr" else "column", "kind", "type", "rows"]
    problems = [f"! {printable(item.problem.message)}" for item in found if item.problem is not None]
    return "\n".join([title, table(heading, columns), *problems])


def _read_all(files: NamedSet) -> list[FileMetadata]:
    found_files = [read_file_metadata(path) for path in files.files]
    problems = [f"{file.path}: {file.problem}" for file in found_files if file.problem is not None]
    if problems:
        raise FileFormatError(f"{files.name} cannot be read as HDF5.", details=problems)
    return found_files


def _hdf5_as_text(files: NamedSet, found_files: Sequence[FileMetadata], with_members: bool) -> str:
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


def _hdf5_as_json(files: NamedSet, found_files: Sequence[FileMetadata]) -> dict[str, Any]:
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


def _parquet_as_text(files: NamedSet) -> str:
    """Return tables of the files, and of the columns of the first of them.

    Raises
    ------
    FileFormatError
        If a footer cannot be read.
    """
    found = _footers(files)
    total = size(sum(file.file.size for file in found))
    manifest = "a manifest" if exists(manifest_path(files.path)) else "no manifest"
    about_files = [
        [os.path.basename(file.file.path), size(file.file.size), file.nrows, len(file.rows), _parquet_writer(file)]
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


def _parquet_as_json(files: NamedSet) -> dict[str, Any]:
    """Return the content of `_parquet_as_text` for JSON, for all files; for errors see there."""
    return {
        "set": files.path,
        "manifest": manifest_path(files.path) if exists(manifest_path(files.path)) else None,
        "files": [
            {
                "path": file.file.path,
                "bytes": file.file.size,
                "written_by": _parquet_writer(file),
                "row_groups": file.rows.tolist(),
                "objects": [_about_column(file, column) for column in file.schema.columns],
            }
            for file in _footers(files)
        ],
    }


def _footers(files: NamedSet) -> Sequence[ParquetFileDescription]:
    return [inspect_file(identify(path)) for path in files.files]


def _parquet_writer(file: ParquetFileDescription) -> str:
    return metadata_of(file.file).created_by or "-"


def _about_column(file: ParquetFileDescription, column: ParquetColumn) -> dict[str, Any]:
    chunks = file.chunks[column.leaf]
    nulls = chunks["nulls"]
    codecs = [CODECS[codec] if codec >= 0 else "?" for codec in dict.fromkeys(chunks["codec"].tolist())]
    return {
        "name": column.name,
        "kind": column.kind.label,
        "stored_as": f"{column.physical}, {column.stored}",
        "codec": " and ".join(codecs) or None,
        "bytes": int(chunks["size"].sum()),
        "nulls": int(nulls.sum()) if (nulls >= 0).all() else None,
    }


def _head(options: argparse.Namespace) -> int:
    """Show the rows; return the exit code, 2 if an object cannot be read."""
    if options.rows < 0:
        raise ArgumentError(f"the number of rows must not be negative, got {options.rows}.")
    sets = named_sets(options.files)
    for files in sets:
        files.demand_complete()
    found = [(files, _Heads(shown_objects(files, options.object), options.rows)) for files in sets]
    if options.json:
        print_json([{"set": files.path, "objects": heads.as_json()} for files, heads in found])
    else:
        for number, (files, heads) in enumerate(found):
            _show_head(files, heads, is_first=number == 0, is_titled=len(sets) > 1)
    for _, heads in found:
        for error in heads.errors:
            print(f"akdask: {error}", file=sys.stderr)
    return 2 if any(heads.errors for _, heads in found) else 0


class _Heads:
    """First rows of objects.

    Parameters
    ----------
    objects : sequence of Stored
        The objects.
    count : int
        How many rows.
    """

    def __init__(self, objects: Sequence[Stored], count: int) -> None:
        self.objects = objects
        self.errors = [item.problem for item in objects if item.problem is not None]
        self.sizes: dict[str, int | None] = {}
        self.rows: dict[str, dict[str, list[Any]]] = {}
        for item in objects:
            if item.problem is None:
                try:
                    rows, self.sizes[item.name] = _first_rows(item.name, item.found, count), item.nrows
                    self.rows[item.name] = rows
                except AkdaskError as error:
                    self.errors.append(error)

    def tables(self) -> list[tuple[int, dict[str, list[Any]]]]:
        """Return the columns of objects of equal rows together, with the number of rows that are not shown."""
        found: dict[int | str, dict[str, list[Any]]] = {}
        for name, columns in self.rows.items():
            size = self.sizes[name]
            found.setdefault(name if size is None else size, {}).update(columns)
        shown = [len(next(iter(columns.values()), [])) for columns in found.values()]
        return [
            (size - count if isinstance(size, int) else 0, columns)
            for (size, columns), count in zip(found.items(), shown, strict=True)
        ]

    def as_json(self) -> list[dict[str, Any]]:
        """Return objects with their rows."""
        return [
            {"name": item.name, "kind": item.kind.label, "size": self.sizes[item.name], "columns": self.rows[item.name]}
            for item in self.objects
            if item.name in self.rows
        ]


def _first_rows(name: str, found: Any, count: int) -> dict[str, list[Any]]:
    """Return rows by column: one of most objects, several of tables."""
    if isinstance(found, ak.DataFrame):
        frame = found.head(count).to_pandas()
        return {f"{name}.{column}": frame[column].tolist() for column in frame.columns}
    if isinstance(found, ak.GroupBy):
        keys = found.keys if isinstance(found.keys, list) else [found.keys]
        return {f"{name}.{number}": key.head(count).tolist() for number, key in enumerate(keys)}
    if hasattr(found, "tolist"):
        return {name: list(islice(found[:count].tolist(), count))}
    return {name: repr(found).splitlines()[:count]}


def _show_head(files: NamedSet, heads: _Heads, *, is_first: bool, is_titled: bool) -> None:
    if is_titled:
        print(f"{'' if is_first else chr(10)}{printable(files.name)}")
    for number, (rest, columns) in enumerate(heads.tables()):
        if number:
            print()
        print(table([printable(name) for name in columns], zip(*columns.values(), strict=True), separator=""))
        if rest > 0:
            print(f"… {counted(rest, 'more row')}")
