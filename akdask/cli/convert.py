"""``akdask convert`` and ``repack``: rewrite files of any layout in the present one, elsewhere or in place."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from akdask.arrays.categorical import Categorical
from akdask.arrays.writing import write_objects
from akdask.cli.console import counted, print_json, printable, size
from akdask.cli.sets import (
    NamedSet,
    add_files,
    add_json,
    delimiter_of_plain,
    demand_format,
    named_files,
    named_sets,
    readable_objects,
)
from akdask.errors import ArgumentError, ExistsError
from akdask.io.files import storables
from akdask.records import record
from akdask.storage.files import absolute, exists, identify_all, identities_below, is_folder, written_path
from akdask.storage.locales import locale_files, split_extension
from akdask.storage.registry import Format, format_named, format_written, formats

Objects = Mapping[str, Any]


def register(commands: Any) -> None:
    """Add the subcommands to the parser."""
    parser = commands.add_parser(
        "convert",
        help="write all objects of files to other files, as many as wanted",
        description="Write all objects of some files to a new set, or to one file, in Arkouda's present layout.  "
        "Several input files are one set, in the order of their locale numbers or as given.  An object that cannot be "
        "read and written as it is stops the conversion before anything is written; CSV files hold times and addresses "
        "as their numbers.",
    )
    parser.add_argument("files", nargs="+", metavar="IN", help="files, patterns or prefixes")
    parser.add_argument("out", metavar="OUT", help="prefix and extension of the new set, or path of a single file")
    parser.add_argument(
        "--file-type", choices=("distribute", "single"), default="distribute", help="a set of files, or one file"
    )
    parser.add_argument("--num-locales", type=int, metavar="N", help="number of files of a set (default: as the input)")
    parser.add_argument(
        "--format", metavar="NAME", help="format of the new files (default: by the extension of OUT, else HDF5)"
    )
    parser.add_argument(
        "--input-format", metavar="NAME", help="format of IN, such as CSV for text with another extension"
    )
    for what, files in (("--input-delimiter", "IN"), ("--delimiter", "OUT")):
        parser.add_argument(what, metavar="TEXT", help=f"what stands between the fields of {files} in CSV (default: ,)")
    parser.add_argument("--compression", metavar="CODEC", help="how pages of Parquet files are packed (default: not)")
    parser.add_argument("--overwrite", action="store_true", help="replace files that exist")
    add_json(parser)
    parser.set_defaults(run=_convert)
    parser = commands.add_parser(
        "repack",
        help="rewrite files in place, without unused room",
        description="Rewrite sets of HDF5 files, in as many files, without the room that removed or replaced "
        "objects have left; files of old layouts become ones of the present layout, and attributes of others are not "
        "kept.  A set is replaced as a whole, or not at all; an object that cannot be read and written as it is stops "
        "it.",
    )
    add_files(parser)
    parser.set_defaults(run=_repack_sets)


def _convert(options: argparse.Namespace) -> int:
    """Convert; return the exit code."""
    if options.num_locales is not None and (options.file_type == "single" or options.num_locales < 1):
        raise ArgumentError("--num-locales is at least 1, and not for a single file.")
    target = written_path(options.out)
    taken = written_files(target)
    if taken and not options.overwrite:
        raise ExistsError(
            "there are files already.", details=taken, hint="--overwrite replaces them, name OUT otherwise."
        )
    paths = [path for name in options.files for path in named_files(name)]
    file_format = _format_of_target(target) if options.format is None else format_named(options.format)
    source = NamedSet(absolute(options.files[0]), tuple(paths))
    delimiter = options.input_delimiter
    read_as = None if options.input_format is None else format_named(options.input_format)
    if read_as is None and delimiter is None and {split_extension(path)[1].lower() for path in paths} == {".csv"}:
        # Text of any other name is read as CSV if that is asked for.
        delimiter = delimiter_of_plain(source)
        read_as = format_named("CSV")
    objects: Objects = readable_objects(source, read_as, column_delim=delimiter or ",")
    objects = _as_text(objects, file_format.name)
    count = None if options.file_type == "single" else options.num_locales or len(paths)
    written = rewrite_set(
        objects,
        target,
        num_locales=count,
        file_format=file_format.name,
        column_delim=options.delimiter,
        compression=options.compression,
    )
    if options.json:
        print_json({"from": paths, "set": target, "files": written, "objects": list(objects), "bytes": total(written)})
    else:
        made = f"{counted(len(objects), 'object')} of {counted(len(paths), 'file')}"
        print(f"{made} to {counted(len(written), 'file')}, {size(total(written))}: {printable(written[0])}")
    return 0


def _format_of_target(target: str) -> Format:
    """Return the format that the extension of a target names; HDF5 without an extension.

    Raises
    ------
    ArgumentError
        If no format has the extension.
    """
    extension = split_extension(target)[1].lower()
    known = {name: each.name for each in formats().values() for name in each.extensions}
    if extension[1:2].isalpha() and extension not in known:
        raise ArgumentError(
            f"no format has the extension {extension!r}.",
            details=[f"known: {', '.join(f'{name} ({each})' for name, each in known.items())}"],
            hint="name the format with --format, or one of these extensions.",
        )
    return format_written(target)


def _as_text(objects: Objects, file_format: str) -> Objects:
    """Return objects with the labels of Categoricals in their places, for formats that have no Categoricals."""
    if file_format not in {"CSV", "Zarr"}:
        return objects
    found = [name for name, item in objects.items() if isinstance(item, Categorical)]
    if found:
        print(f"akdask: labels of Categoricals are written as text: {', '.join(found)}", file=sys.stderr)
    return {**objects, **{name: objects[name].to_strings() for name in found}}


def rewrite_set(
    objects: Objects, target: str, *, num_locales: int | None, file_format: str = "HDF5", **options: Any
) -> list[str]:
    """Write objects to a set of some number of files, or to a single file, and show progress.

    Parameters
    ----------
    objects : mapping of str to lazy objects
        Objects to write.
    target : str
        Absolute path; an existing target is replaced as a whole.
    num_locales : int or None
        Number of files; None for a single one.
    file_format : str, default "HDF5"
        Name of a registered format.
    **options
        Options of the format's writer.

    Returns
    -------
    list of str
        The files.
    """
    file_type = "single" if num_locales is None else "distribute"
    with warnings.catch_warnings(record=True) as told:
        warnings.filterwarnings("always", "missing text of", UserWarning)
        warnings.filterwarnings("ignore", "[0-9]+ existing files", UserWarning)  # the user has chosen to
        stored = storables(objects, None)
        written = write_objects(
            stored, target, "truncate", file_type, num_locales=num_locales, file_format=file_format, **options
        )
    for warning in told:
        print(f"akdask: {str(warning.message).partition(';')[0]}", file=sys.stderr)
    return written


def written_files(target: str) -> list[str]:
    """Return files that a write to a path would replace, or be confused with."""
    return [*([target] if exists(target) else []), *locale_files(target)]


def total(paths: Sequence[str]) -> int:
    """Return the bytes of files, and of all files in folders that are sets."""
    folders = [path for path in paths if is_folder(path)]
    inside = sum(file.size for folder in folders for file in identities_below(folder).values())
    return inside + sum(file.size for file in identify_all([path for path in paths if path not in folders]))


@record
class _Outcome:
    """A set that was rewritten."""

    files: NamedSet
    objects: int
    before: int
    after: int


def _repack_sets(options: argparse.Namespace) -> int:
    """Repack; return the exit code."""
    sets = named_sets(options.files)
    demand_format(sets, ["HDF5"], "repack")
    for files in sets:
        _demand_complete(files)
    done = [_repacked(files) for files in sets]
    if options.json:
        print_json([_outcome_as_json(outcome) for outcome in done])
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


def _repacked(files: NamedSet) -> _Outcome:
    objects = readable_objects(files)
    before = total(files.files)
    written = rewrite_set(objects, files.path, num_locales=None if files.is_single else len(files.files))
    return _Outcome(files, len(objects), before, total(written))


def _outcome_as_json(outcome: _Outcome) -> dict[str, Any]:
    return {
        "set": outcome.files.path,
        "objects": outcome.objects,
        "bytes_before": outcome.before,
        "bytes_after": outcome.after,
        "saved": outcome.before - outcome.after,
    }
