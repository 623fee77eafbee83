"""Which sets of files the names on a command line mean: files, patterns and prefixes."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from akdask.errors import FileFormatError, InconsistentFilesError, UnsupportedError
from akdask.storage.atomic.recovery import recover, settled
from akdask.storage.formats.registry import format_of_files, format_of_folder
from akdask.storage.paths.files import absolute, exists, is_remote, matching
from akdask.storage.paths.locales import files_of_prefix, locale_files, missing_locales, sort_key, split_locale

EXIT_CODES = (
    "exit codes: 0 fine; 1 violations or differences found; 2 wrong use, or files that cannot be read or written"
)
_MOST_MISSING = 10


@dataclass(frozen=True, slots=True)
class NamedSet:
    """Files of one set.

    Parameters
    ----------
    path : str
        Absolute path under which the set is written: prefix and extension, or the path of a single file.
    files : tuple of str
        Those that were named, in the order of the locales.
    """

    path: str
    files: tuple[str, ...]

    @property
    def is_single(self) -> bool:
        """Whether this is one file without a locale number."""
        return self.files == (self.path,)

    @property
    def name(self) -> str:
        """The path as it is shown: relative if that is shorter."""
        relative = self.path if is_remote(self.path) else os.path.relpath(self.path)
        return min(relative, self.path, key=len)

    def demand_complete(self) -> None:
        """Refuse a set of several files that lacks some.

        Raises
        ------
        InconsistentFilesError
            If a locale between those that are there is missing.
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
        If a name means nothing.
    """
    files = dict.fromkeys(path for name in names for path in named_files(name))
    sets: dict[tuple[str, bool], list[str]] = {}
    for path in files:
        found = split_locale(path)
        sets.setdefault((path, True) if found is None else (found[0], False), []).append(path)
    return [NamedSet(path, tuple(sorted(members, key=sort_key))) for (path, _), members in sets.items()]


def named_files(name: str) -> list[str]:
    """Return the files that one name means, in order: the file itself, else a set, else what a pattern finds.

    Raises
    ------
    MissingFileError
        If it means none.
    """
    path = absolute(name)
    if name.strip() and format_of_folder(path) is not None:
        return [path]
    if not name.strip() or exists(path):
        return settled(name, list)
    if not is_remote(path):
        recover(path)
    # Commands tell of sets that lack files, where reading refuses them.
    found = locale_files(path) or files_of_prefix(path) or sorted(matching(path), key=sort_key)
    return settled(found or name, list)


def format_of_set(files: NamedSet) -> str:
    """Return the name of the format of a set by its first file; HDF5 of what nothing recognizes, whose reader says why.

    Raises
    ------
    MissingFileError
        If the file is gone.
    """
    try:
        return format_of_files(list(files.files)).name
    except FileFormatError:
        return "HDF5"


def demand_format(sets: Sequence[NamedSet], allowed: Sequence[str], command: str) -> None:
    """Refuse sets of formats that a command has nothing to do with.

    Raises
    ------
    UnsupportedError
        If there are such sets; all are told.
    """
    found = [(files.name, format_of_set(files)) for files in sets]
    others = [f"{name}: {file_format}" for name, file_format in found if file_format not in allowed]
    if others:
        raise UnsupportedError(
            f"akdask {command} is for files of {' and '.join(allowed)}.",
            details=others,
            hint="akdask ls and akdask head show files of every format, akdask convert writes HDF5 of them.",
        )
