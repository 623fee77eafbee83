"""Find the sets of files that names on a command line mean: files, patterns and prefixes."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from akdask.arrays.stored_arrays import from_stored
from akdask.cli.console import counted, printable
from akdask.errors import AkdaskError, FileFormatError, InconsistentFilesError, MissingDatasetError, UnsupportedError
from akdask.io.files import storables
from akdask.io.scanning import delimiter_of, kind_of, scan
from akdask.records import record
from akdask.storage.files import absolute, exists, is_folder, is_remote, matching
from akdask.storage.locales import (
    files_of_prefix,
    locale_files,
    missing_locales,
    sort_key,
    split_extension,
    split_locale,
)
from akdask.storage.objects import ObjType, StoredSet
from akdask.storage.recovery import recover, settled
from akdask.storage.registry import (
    Format,
    format_named,
    format_of,
    format_of_files,
    format_of_folder,
    formats,
    open_files,
)

EXIT_CODES = (
    "exit codes: 0 fine; 1 violations or differences found; 2 wrong use, or files that cannot be read or written"
)
_MOST_MISSING = 10


@record
class NamedSet:
    """Files of one set.

    Parameters
    ----------
    path : str
        Absolute path under which the set is written: prefix and extension, or the path of a single file.
    files : tuple of str
        The named files, in the order of the locales.
    """

    path: str
    files: tuple[str, ...]

    @property
    def is_single(self) -> bool:
        """Whether this is one file without a locale number."""
        return self.files == (self.path,)

    @property
    def name(self) -> str:
        """The path for display: relative if that is shorter."""
        relative = self.path if is_remote(self.path) else os.path.relpath(self.path)
        return min(relative, self.path, key=len)

    def demand_complete(self) -> None:
        """Refuse a set of several files that lacks some.

        Raises
        ------
        InconsistentFilesError
            If a locale is missing from the numbering.
        """
        missing = (path for path in missing_locales(self.files) if not exists(path)) if len(self.files) > 1 else ()
        lost = list(islice(missing, _MOST_MISSING))
        if lost:
            raise InconsistentFilesError(
                f"files are missing from the set {self.name!r}.",
                details=[f"missing: {path}" for path in lost],
                hint="restore them; `akdask validate` tells what else is wrong.",
            )


def add_files(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that all commands on files have."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILES",
        help="files, patterns, or what to_hdf was given: flows, flows.h5 and 'flows_LOCALE*' all mean a set",
    )
    add_json(parser)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add ``--json`` and the exit codes."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")
    parser.epilog = EXIT_CODES


def named_sets(names: Sequence[str]) -> list[NamedSet]:
    """Return the sets that are meant, in the order of their first mention.

    Raises
    ------
    MissingFileError
        If a name matches no file.
    """
    files = dict.fromkeys(path for name in names for path in named_files(name))
    sets: dict[tuple[str, bool], list[str]] = {}
    for path in files:
        found = split_locale(path)
        sets.setdefault((path, True) if found is None else (found[0], False), []).append(path)
    return [NamedSet(path, tuple(sorted(members, key=sort_key))) for (path, _), members in sets.items()]


def named_files(name: str) -> list[str]:
    """Return the files of one name, in order: the file itself, else a set, else the matches of a pattern.

    Raises
    ------
    MissingFileError
        If it means none.
    """
    path = absolute(name)
    if name.strip() and format_of_folder(path) is not None:
        return [path]
    if name.strip() and not is_remote(path) and is_folder(path):
        return _known_files(path)
    if not name.strip() or exists(path):
        return settled(name, list)
    if not is_remote(path):
        recover(path)
    # Commands report on sets that lack files, where reading refuses them.
    found = locale_files(path) or files_of_prefix(path) or sorted(matching(path), key=sort_key)
    return settled(found or name, list)


def _known_files(folder: str) -> list[str]:
    """Return the files and stores in a folder and below, without files of no format, which are told; all if none has.

    Raises
    ------
    MissingFileError
        If there is no file.
    """
    is_store: dict[str, bool] = {folder: False}
    found: dict[str, bool] = {}
    for path in settled(folder, list):
        store = _store_of(os.path.dirname(path), is_store)
        if store is not None or path not in found:
            found[store or path] = store is not None or _is_of_a_format(path)
    others = [os.path.relpath(path, folder) for path, is_known in found.items() if not is_known]
    if len(others) == len(found):
        return list(found)
    if others:
        shown = ", ".join(map(printable, others[:_MOST_MISSING])) + (", …" if len(others) > _MOST_MISSING else "")
        print(f"akdask: {counted(len(others), 'file')} of {printable(folder)} left out: {shown}", file=sys.stderr)
    return [path for path, is_known in found.items() if is_known]


def _store_of(folder: str, known: dict[str, bool]) -> str | None:
    """Return the outermost store that a folder lies in or is, given which folders are none."""
    above = None if folder in known else _store_of(os.path.dirname(folder), known)
    if above is not None:
        return above
    if folder not in known:
        known[folder] = format_of_folder(folder) is not None
    return folder if known[folder] else None


def _is_of_a_format(path: str) -> bool:
    """Whether a file has a known format, by its first bytes or by its name, which damaged files keep."""
    if not os.path.isfile(path):  # a link that leads nowhere, a FIFO
        return False
    if any(split_extension(path)[1].lower() in known.extensions for known in formats().values()):
        return True
    try:
        format_of(path)
    except AkdaskError:
        # Any text may be meant as CSV.
        return (_kind_of(NamedSet(path, (path,))) or "read_csv") != "read_csv"
    return True


def format_of_set(files: NamedSet) -> str:
    """Return the format of a set by its first file, else by its name; else HDF5, whose reader explains why.

    Formats that `akdask.scan` alone opens have the names that these programs give them.

    Raises
    ------
    MissingFileError
        If the file is gone.
    """
    try:
        return format_of_files(list(files.files)).name
    except FileFormatError:
        extensions = {split_extension(path)[1].lower() for path in files.files}
        named = next((known.name for known in formats().values() if extensions <= set(known.extensions)), None)
        return named or _SCANNED.get(_kind_of(files) or "", "HDF5")


_SCANNED = {
    "read_csv": "CSV",
    "read_json": "JSON",
    "read_feather": "Feather",
    "read_orc": "ORC",
    "read_excel": "Excel",
    "read_xml": "XML",
}
"""Names of formats by the functions that `akdask.scan` chooses."""


def _kind_of(files: NamedSet) -> str | None:
    """Return the function that `akdask.scan` chooses for a set, None if it opens no such files."""
    try:
        return kind_of(list(files.files))
    except AkdaskError:
        return None


def delimiter_of_plain(files: NamedSet) -> str | None:
    """Return the delimiter of CSV files without Arkouda's header, None for other files."""
    return delimiter_of(list(files.files)) if _kind_of(files) == "read_csv" else None


def shown_objects(files: NamedSet, names: Sequence[str] | None = None) -> list[Stored]:
    """Open objects of a set to show them, as `stored_objects`; formats that `akdask.scan` alone opens, as it does."""
    found = format_of_set(files)
    if found == "CSV":
        delimiter = delimiter_of_plain(files)
        options = {} if delimiter is None else {"column_delim": delimiter}
        return stored_objects(files, names, format_named("CSV"), **options)
    if found in {known.name for known in formats().values()}:
        return stored_objects(files, names)
    frame = scan(list(files.files))
    columns = {str(name): frame[name] for name in frame.columns}
    kinds = {name: one.kind for name, one in storables(columns, None).items()}
    return [Stored(name, kinds[name], columns[name]) for name in _wanted(files, list(columns), names)]


def demand_format(sets: Sequence[NamedSet], allowed: Sequence[str], command: str) -> None:
    """Refuse sets of formats that a command does not support.

    Raises
    ------
    UnsupportedError
        If there are such sets; all are listed.
    """
    found = [(files.name, format_of_set(files)) for files in sets]
    others = [f"{name}: {file_format}" for name, file_format in found if file_format not in allowed]
    if others:
        raise UnsupportedError(
            f"akdask {command} is for files of {' and '.join(allowed)}.",
            details=others,
            hint="akdask ls and akdask head show files of every format, akdask convert writes HDF5 of them.",
        )


@record
class Stored:
    """One object: its name and kind in the files, and the lazy object, or why there is none."""

    name: str
    kind: ObjType
    found: Any = None
    problem: AkdaskError | None = None

    @property
    def nrows(self) -> int | None:
        """Number of rows, None for objects that have none or are unreadable."""
        return len(self.found) if hasattr(self.found, "__len__") else None


def stored_objects(
    files: NamedSet, names: Sequence[str] | None = None, file_format: Format | None = None, **options: Any
) -> list[Stored]:
    """Open objects of a set, all unless named; unreadable ones have a problem.

    By default the first bytes tell the format.  `options` are passed to `akdask.read`.

    Raises
    ------
    FileError
        If the files cannot be read, or a name is in none of them.
    """
    paths = list(files.files)
    opened = open_files(paths, file_format, **options)
    kinds = opened.kinds
    wanted = _wanted(files, list(kinds), names)
    try:
        found = opened.objects(wanted)
        return [Stored(name, kinds[name], from_stored(found[name])) for name in wanted]
    except AkdaskError:
        return [_opened_alone(opened, name) for name in wanted]


def _wanted(files: NamedSet, present: Sequence[str], names: Sequence[str] | None) -> list[str]:
    """Return the names of the objects that are wanted.

    Raises
    ------
    MissingDatasetError
        If one is not there.
    """
    wanted = list(present) if names is None else list(dict.fromkeys(names))
    if missing := [name for name in wanted if name not in present]:
        raise MissingDatasetError(
            f"{files.name} has no object {', '.join(map(repr, missing))}.", details=[f"objects: {', '.join(present)}"]
        )
    return wanted


def readable_objects(files: NamedSet, file_format: Format | None = None, **options: Any) -> dict[str, Any]:
    """Open all objects of a set, to write them elsewhere; see `stored_objects`.

    Raises
    ------
    UnsupportedError
        If an object cannot be read, or would be written as another kind; all such are listed.
    """
    files.demand_complete()
    found = stored_objects(files, None, file_format, **options)
    problems = [f"{item.name}: {item.problem.message}" for item in found if item.problem is not None]
    problems = problems or list(_changed(found))
    if problems:
        raise UnsupportedError(
            f"{files.name} cannot be rewritten as it is.",
            details=problems,
            hint="nothing was written, for an object would be lost or changed.",
        )
    return {item.name: item.found for item in found}


def _opened_alone(opened: StoredSet, name: str) -> Stored:
    try:
        return Stored(name, opened.kinds[name], from_stored(opened.objects([name])[name]))
    except AkdaskError as error:
        return Stored(name, opened.kinds[name], problem=error)


def _changed(found: Sequence[Stored]) -> Iterator[str]:
    """Yield objects whose kind would change: an IPv4 that is read as integers would be written as such."""
    written = storables({item.name: item.found for item in found}, None)
    for item in found:
        kind = written[item.name].kind
        if kind != item.kind:
            yield f"{item.name}: is {item.kind.label}, and would be written as {kind.label}"
