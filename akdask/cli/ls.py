"""``akdask ls``: the objects of sets of files."""

from __future__ import annotations

import argparse
from typing import Any

from akdask.cli.console import counted, print_json, printable, table
from akdask.cli.sets import NamedSet, Stored, add_files, named_sets, stored_objects


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "ls",
        help="list the objects of files: kind, type, rows",
        description="List the objects of sets of files.  Only metadata is read.",
    )
    add_files(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """List the objects; return the exit code."""
    found = [(files, stored_objects(files)) for files in named_sets(options.files)]
    if options.json:
        print_json([_as_json(files, objects) for files, objects in found])
        return 0
    for number, (files, objects) in enumerate(found):
        if number:
            print()
        print(f"{printable(files.name)}: {counted(len(files.files), 'file')}, {counted(len(objects), 'object')}")
        if objects:
            print(table(["name", "kind", "type", "rows"], [[item.name, *_about(item).values()] for item in objects]))
        for item in objects:
            if item.problem is not None:
                print(f"! {printable(item.problem.message)}")
    return 0


def _about(item: Stored) -> dict[str, Any]:
    if item.problem is not None:
        return {"kind": item.kind.label, "type": None, "rows": None}
    dtype = getattr(item.found, "dtype", None)
    shown = None if dtype is None else "str" if getattr(dtype, "kind", "") == "U" else str(dtype)
    return {"kind": item.kind.label, "type": shown, "rows": item.nrows}


def _as_json(files: NamedSet, objects: list[Stored]) -> dict[str, Any]:
    listed = [
        {"name": item.name, **_about(item), **({} if item.problem is None else {"problem": item.problem.message})}
        for item in objects
    ]
    return {"set": files.path, "files": list(files.files), "objects": listed}
