"""``_LOCALE####`` names: prefix and extension, the order of a set, and which files a user means.

A set of files is named by a prefix and an extension; partition 3 of ``d/flows.h5`` is ``d/flows_LOCALE0003.h5``.
"""

from __future__ import annotations

import difflib
import glob
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from akdask.caches import cached_results
from akdask.errors import ArgumentError, ArgumentTypeError, InconsistentFilesError, MissingFileError
from akdask.storage import tuning
from akdask.storage.files import absolute, concurrently, exists, files_below, is_folder, is_remote, matching, names_in
from akdask.storage.single_file import OF_A_FOLDER, OF_FILES, is_hidden_folder

Found = TypeVar("Found")

Filenames: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_LOCALE = re.compile(r"_LOCALE(\d+)(\.[^./]*)?$")
_LOCALES = re.compile(r"(?:_LOCALE\d+)+(\.[^./]*)?$")
_NUMBERED = re.compile(r"_\d{4,}(\.[^./]*)?$")
MAGIC = re.compile(r"[*?\[]")
"""Characters that make a name a pattern."""

MISSING_HINT = "check the name; relative ones begin at the working directory."
"""Advice for names that match no file."""

_MOST_NAMED = 10


def split_extension(path: str) -> tuple[str, str]:
    """Split at the last dot of the file name; a leading dot does not start an extension.

    Examples
    --------
    >>> split_extension("d/foo.tar.gz"), split_extension("d.v1/foo"), split_extension("d/.hid")
    (('d/foo.tar', '.gz'), ('d.v1/foo', ''), ('d/.hid', ''))
    """
    folder, slash, name = path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    return (f"{folder}{slash}{stem}", f".{extension}") if stem and dot else (path, "")


def locale_path(path: str, index: int) -> str:
    """Return the file of one partition of the set that is written under `path`.

    Examples
    --------
    >>> locale_path("d/foo.h5", 3), locale_path("d/foo", 10000)
    ('d/foo_LOCALE0003.h5', 'd/foo_LOCALE10000')
    """
    prefix, extension = split_extension(path)
    return f"{prefix}_LOCALE{index:04d}{extension}"


def set_path(path: str) -> str:
    """Return the path by which a file's set is written; a file that is no locale is a set of its own.

    Examples
    --------
    >>> set_path("d/foo_LOCALE0003.h5"), set_path("d/foo.h5")
    ('d/foo.h5', 'd/foo.h5')
    """
    return _LOCALES.sub(r"\1", path)


def numbered_set_path(path: str) -> str:
    """Return the set of a samples file, by the number in its name; other paths are returned unchanged.

    Examples
    --------
    >>> numbered_set_path("d/train_0003.h5"), numbered_set_path("d/train.h5")
    ('d/train.h5', 'd/train.h5')
    """
    return _NUMBERED.sub(r"\1", path)


def list_path(path: str) -> str:
    """Return the list of the samples that are written under a path.

    Examples
    --------
    >>> list_path("d/train.h5"), list_path("d/train")
    ('d/train.samples', 'd/train.samples')
    """
    return f"{split_extension(path)[0]}.samples"


def is_of_set(name: str, own: str) -> bool:
    """Whether a file's name belongs to the set `own`: a locale of it, its samples or their list.

    Examples
    --------
    >>> [is_of_set(name, "x.h5") for name in ("x_LOCALE0000.h5", "x_0000.h5", "x.samples", "xy_0000.h5", "y.samples")]
    [True, True, True, False, False]
    """
    return own in (set_path(name), numbered_set_path(name)) or name == list_path(own)


@cached_results("sets of files", tuning.KNOWN_SETS, lambda sets: sum(map(sys.getsizeof, sets)))
def sets_of(paths: tuple[str, ...]) -> Sequence[str]:
    """Return the distinct sets that files belong to, including those that samples belong to by number."""
    sets = dict.fromkeys(map(set_path, paths))
    return list(sets | dict.fromkeys(map(numbered_set_path, sets)))


def hidden_folder(path: str) -> str:
    """Return the hidden folder for writes of the set; writes of the same files share one.

    Examples
    --------
    >>> hidden_folder("d/foo.h5"), hidden_folder("d/foo_LOCALE0003.h5")
    ('d/.foo.h5.akdask-write', 'd/.foo.h5.akdask-write')
    """
    return _hidden(set_path(path), OF_FILES)


def hidden_folder_of_folder(path: str) -> str:
    """Return the hidden folder for writes of a whole folder.

    Examples
    --------
    >>> hidden_folder_of_folder("d/foo.zarr"), set_of("d/.foo.zarr.akdask-folder")
    ('d/.foo.zarr.akdask-folder', 'd/foo.zarr')
    """
    return _hidden(path, OF_A_FOLDER)


def _hidden(path: str, suffix: str) -> str:
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}.{name}{suffix}"


def replaces_folder(hidden: str) -> bool:
    """Whether a hidden folder is for the write of a whole folder, rather than of files."""
    return hidden.endswith(OF_A_FOLDER)


def is_in_hidden_folder(folder: str) -> bool:
    """Whether this is a folder of the finished files of a write."""
    return folder.rpartition("/")[0].endswith(OF_FILES)


def set_of(hidden: str) -> str:
    """Return the set or folder that a hidden folder belongs to.

    Examples
    --------
    >>> set_of("d/.foo.h5.akdask-write")
    'd/foo.h5'
    """
    parent, slash, name = hidden.rpartition("/")
    return f"{parent}{slash}{name.removeprefix('.').removesuffix(OF_FILES).removesuffix(OF_A_FOLDER)}"


def hidden_folders(folder: str) -> list[str]:
    """Return the hidden folders of writes under way, or of dead writers, in a folder."""
    return [os.path.join(folder, name) for name in names_in(folder) if is_hidden_folder(name)]


def split_locale(path: str) -> tuple[str, str] | None:
    """Return a file's set path and the digits of its locale; None for other files.

    Examples
    --------
    >>> split_locale("d/foo_LOCALE0003.h5"), split_locale("d/foo.h5")
    (('d/foo.h5', '0003'), None)
    """
    found = _LOCALE.search(path)
    return (path[: found.start()] + (found[2] or ""), found[1]) if found else None


def sort_key(path: str) -> str:
    """Order files as their locales are numbered, beyond four digits too.

    Examples
    --------
    >>> sorted(["x_LOCALE10000", "x_LOCALE1001", "x_LOCALE0002"], key=sort_key)
    ['x_LOCALE0002', 'x_LOCALE1001', 'x_LOCALE10000']
    """
    return _LOCALE.sub(lambda found: f"_LOCALE{int(found[1]):020d}{found[2] or ''}", path)


def locale_files(path: str) -> list[str]:
    """Return the files of exactly this set, in order, without files of a longer prefix."""
    return _files_of_set(absolute(path))


def _files_of_set(path: str) -> list[str]:
    folder, slash, name = path.rpartition("/")
    prefix, extension = split_extension(name)
    names = [name for name in names_in(folder or slash) if name.startswith(prefix)]
    if not names:
        return names
    wanted = re.compile(re.escape(prefix) + r"_LOCALE\d+" + re.escape(extension))
    return sorted((f"{folder}{slash}{name}" for name in names if wanted.fullmatch(name)), key=sort_key)


def expand(filenames: Filenames) -> list[str]:
    """Return the files that a user means.

    Each name is first taken literally; a folder means all files below it.  Otherwise it is taken as a set's name, as in
    writing: ``d/x.h5`` means ``d/x_LOCALE0000.h5`` and so on, or just ``d/x``.  Otherwise it is a pattern. Files of one
    name are put in the order of the locales; several names keep the order given.

    Raises
    ------
    ArgumentError
        If no name is given, or a blank one.
    MissingFileError
        If a name or a pattern matches no file.
    InconsistentFilesError
        If a file is missing from within the numbering of a set that a pattern finds.
    """
    names = names_of(filenames)
    if not names or not all(name.strip() for name in names):
        raise ArgumentError(
            "file names must not be empty.",
            details=[f"given: {filenames!r}"],
            hint="name files, a glob pattern, or what they were written as.",
        )
    found = _of_each(_expand_one, map(absolute, names))
    missing = [name for name, files in zip(names, found, strict=True) if not files]
    if missing:
        details = [f"{name!r}: {_nearby(absolute(name))}" for name in missing]
        raise MissingFileError("no files found for the names given.", details=details, hint=MISSING_HINT)
    return [path for files in found for path in files]


def names_of(filenames: Any) -> list[str]:
    """Return the names as text, one or several.

    Raises
    ------
    ArgumentTypeError
        If they are neither text nor paths.
    """
    given = [filenames] if isinstance(filenames, str) or not isinstance(filenames, Sequence) else filenames
    try:
        return [os.fsdecode(name) for name in given]
    except TypeError:
        raise ArgumentTypeError(
            "files are named by a str or path, or by a list of them.", details=[f"given: {filenames!r}"]
        ) from None


def names_without_files(filenames: Filenames) -> list[str]:
    """Return the names and patterns for which `expand` would find no file."""
    names = names_of(filenames)
    found = _of_each(_expand_one, map(absolute, names))
    return [name for name, files in zip(names, found, strict=True) if not files]


def patterns_of(filenames: Filenames) -> list[re.Pattern[str]]:
    """Return patterns of the paths that names stand for, where they are patterns, folders or sets."""
    given = list(map(absolute, names_of(filenames)))
    found: list[str] = []
    for name, is_there in zip(given, _of_each(exists, given), strict=True):
        if not is_there:
            found.append(_glob_expression(name if has_magic(name) else _pattern_of_set(name)))
        elif not is_remote(name) and is_folder(name):
            found.append(f"{re.escape(name.rstrip('/'))}/.*")
    return list(map(re.compile, found))


def _of_each(function: Callable[[str], Found], names: Iterable[str]) -> list[Found]:
    """Return a function's result for each name; URLs are looked up concurrently, since each takes a request."""
    given = list(names)
    return concurrently(function, given) if any(map(is_remote, given)) else list(map(function, given))


def has_magic(name: str) -> bool:
    """Whether a name is a pattern."""
    return MAGIC.search(name) is not None


def _expand_one(name: str) -> list[str]:
    if exists(name):
        return sorted(files_below(name), key=sort_key) if is_folder(name) else [name]
    found = _files_of_set(name)
    if found:
        return list(_as_numbered(tuple(found), _pattern_of_set(name)))
    if not has_magic(name):
        return files_of_prefix(name)
    return list(_as_numbered(tuple(matching(name)), name))


def _pattern_of_set(path: str) -> str:
    """Return the pattern that finds the files of the set that is written under a path."""
    prefix, extension = map(glob.escape, split_extension(path))
    return f"{prefix}_LOCALE*{extension}"


def files_of_prefix(path: str) -> list[str]:
    """Return the files of the sets that have this prefix and some extension, in order."""
    folder, slash, _ = path.rpartition("/")
    candidates = [f"{folder}{slash}{name}" for name in names_in(folder or slash)]
    sets = [(candidate, split_locale(candidate)) for candidate in candidates]
    found = [candidate for candidate, parts in sets if parts is not None and split_extension(parts[0])[0] == path]
    return sorted(found, key=sort_key)


@cached_results("files of patterns", tuning.KNOWN_SETS, lambda files: sum(map(sys.getsizeof, files)))
def _as_numbered(files: tuple[str, ...], pattern: str) -> Sequence[str]:
    """Return the files of a pattern in the order of the locales, after checking that none is missing."""
    found = sorted(files, key=sort_key)
    _check_numbering(found, pattern)
    return found


def _check_numbering(files: Iterable[str], pattern: str) -> None:
    """Refuse a set without a locale that the pattern would have found: its rows would be lost silently."""
    wanted = re.compile(_glob_expression(pattern))
    lost = list(islice(filter(wanted.fullmatch, missing_locales(files)), _MOST_NAMED))
    if lost:
        raise InconsistentFilesError(
            f"files are missing from the set {pattern!r}.",
            details=[f"missing: {path}" for path in lost],
            hint="restore them, or name the files to read in a list.",
        )


def missing_locales(files: Iterable[str]) -> Iterator[str]:
    """Yield the files that sets lack: for each prefix, the locales below the highest that are not among the files.

    Examples
    --------
    >>> list(missing_locales(["x_LOCALE0000", "x_LOCALE0003", "y.h5"]))
    ['x_LOCALE0001', 'x_LOCALE0002']
    """
    sets: dict[tuple[str, str], list[re.Match[str]]] = {}
    for path in files:
        if found := _LOCALE.search(path):
            sets.setdefault((path[: found.start()], found[2] or ""), []).append(found)
    for (prefix, extension), members in sets.items():
        numbers = {int(found[1]) for found in members}
        width = min(len(found[1]) for found in members)
        yield from (f"{prefix}_LOCALE{k:0{width}d}{extension}" for k in range(max(numbers)) if k not in numbers)


@cached_results("expressions of patterns", tuning.KNOWN_SETS)
def _glob_expression(pattern: str) -> str:
    """Return the regular expression of paths that a glob pattern matches."""
    parts = re.split(r"(\*+|\?|\[[^\]]+\])", pattern)
    return "".join(_translated(part) for part in parts)


def _translated(part: str) -> str:
    if part.startswith("*"):
        return "[^/]*" if part == "*" else ".*"
    if part == "?":
        return "[^/]"
    if part.startswith("[") and part.endswith("]"):
        inner = part[1:-1].replace("[", r"\[")
        return f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
    return re.escape(part)


def _nearby(path: str) -> str:
    """Explain why a path matches no file, and suggest similar names in the same folder."""
    if is_folder(path):
        return "a folder without files"
    hint = nearby_files(path)
    return f"no such file; {hint}" if hint else "no such file"


def nearby_files(path: str) -> str | None:
    """Return the names in the same folder that are similar to the name of a path, None if there are none."""
    folder, slash, name = path.rpartition("/")
    names = names_in(folder or slash)
    stem = split_extension(MAGIC.split(name)[0])[0]
    alike = [n for n in names if stem and n.startswith(stem)] or difflib.get_close_matches(name, names, cutoff=0.5)
    return f"nearby: {', '.join(sorted(alike)[:3])}" if alike else None
