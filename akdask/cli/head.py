"""``akdask head``: the first rows of sets of files, objects of equal rows side by side."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from itertools import islice
from typing import Any

import akdask as ak
from akdask.cli.console import counted, print_json, printable, table
from akdask.cli.sets import NamedSet, Stored, add_files, named_sets, stored_objects
from akdask.errors import AkdaskError, ArgumentError


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "head",
        help="show the first rows",
        description="Show the first rows of sets of files.  Only the partitions that hold them are read.  In JSON, "
        "floats that it does not have are the text nan, inf or -inf.",
    )
    add_files(parser)
    parser.add_argument("-n", "--rows", type=int, default=10, metavar="N", help="how many rows (default: 10)")
    parser.add_argument("-o", "--object", action="append", metavar="NAME", help="only this object; may be repeated")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the rows; return the exit code, 2 if an object cannot be read."""
    if options.rows < 0:
        raise ArgumentError(f"the number of rows must not be negative, got {options.rows}.")
    sets = named_sets(options.files)
    for files in sets:
        files.demand_complete()
    found = [(files, _Heads(stored_objects(files, options.object), options.rows)) for files in sets]
    if options.json:
        print_json([{"set": files.path, "objects": heads.as_json()} for files, heads in found])
    else:
        for number, (files, heads) in enumerate(found):
            _show(files, heads, is_first=number == 0, is_titled=len(sets) > 1)
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


def _show(files: NamedSet, heads: _Heads, *, is_first: bool, is_titled: bool) -> None:
    if is_titled:
        print(f"{'' if is_first else chr(10)}{printable(files.name)}")
    for number, (rest, columns) in enumerate(heads.tables()):
        if number:
            print()
        print(table([printable(name) for name in columns], zip(*columns.values(), strict=True), separator=""))
        if rest > 0:
            print(f"… {counted(rest, 'more row')}")
