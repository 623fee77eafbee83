"""``akdask repack``: rewrite files in place, without the space of removed objects."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Any

from akdask.cli.console import print_json, printable, size
from akdask.cli.convert import total, write_anew
from akdask.cli.sets import NamedSet, add_files, demand_format, named_sets, readable_objects
from akdask.errors import ArgumentError
from akdask.storage.locales import locale_files


@dataclass(frozen=True, slots=True)
class _Outcome:
    """A set that was rewritten."""

    files: NamedSet
    objects: int
    before: int
    after: int


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "repack",
        help="write files anew in place, without room that nothing uses",
        description="Write sets of HDF5 files anew, in as many files, without the room that removed or replaced "
        "objects have left; files of old layouts become ones of the present layout, and attributes of others are not "
        "kept.  A set is replaced as a whole, or not at all; an object that cannot be read and written as it is stops "
        "it.",
    )
    add_files(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Repack; return the exit code."""
    sets = named_sets(options.files)
    demand_format(sets, ["HDF5"], "repack")
    for files in sets:
        _demand_complete(files)
    done = [_repack(files) for files in sets]
    if options.json:
        print_json([_as_json(outcome) for outcome in done])
    else:
        for outcome in done:
            saved = outcome.before - outcome.after
            change = f"saved {size(saved)}" if saved >= 0 else f"grew by {size(-saved)}"
            print(f"{printable(outcome.files.name)}: {size(outcome.before)} to {size(outcome.after)}, {change}")
    return 0


def _demand_complete(files: NamedSet) -> None:
    """Refuse a part of a set: the rest would be removed when it is replaced as a whole."""
    rest = [] if files.is_single else sorted(set(locale_files(files.path)).difference(files.files))
    if rest:
        raise ArgumentError(
            f"only a part of the set {files.name!r} is named.",
            details=[f"also there: {path}" for path in rest],
            hint=f"name the whole set: {files.name}",
        )


def _repack(files: NamedSet) -> _Outcome:
    objects = readable_objects(files)
    before = total(files.files)
    written = write_anew(objects, files.path, num_locales=None if files.is_single else len(files.files))
    return _Outcome(files, len(objects), before, total(written))


def _as_json(outcome: _Outcome) -> dict[str, Any]:
    return {
        "set": outcome.files.path,
        "objects": outcome.objects,
        "bytes_before": outcome.before,
        "bytes_after": outcome.after,
        "saved": outcome.before - outcome.after,
    }
