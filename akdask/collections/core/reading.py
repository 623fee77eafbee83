"""Reading lazy objects from files: the files that a prefix stands for, and the objects in them."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from typing import Any

from akdask.collections.core.stored import from_stored
from akdask.errors import ArgumentError, ArgumentTypeError, MissingFileError, UnsupportedError
from akdask.hdf5.families import combined, find_families
from akdask.hdf5.fileset import FileSet, StoredObject
from akdask.storage.files import absolute
from akdask.storage.filetype import FileType, file_type
from akdask.storage.locales import Filenames, split_extension
from akdask.storage.recovery import settled


def first_type(filenames: Filenames) -> tuple[str, FileType]:
    """Return the first of some files, and its format."""
    return settled(filenames, lambda paths: (paths[0], file_type(paths[0])))


def demand_hdf5(filenames: Filenames) -> None:
    """Refuse files of which the first is of another format.

    Raises
    ------
    UnsupportedError
        If it is.
    """
    path, found = first_type(filenames)
    if found is not FileType.HDF5:
        raise UnsupportedError(f"{path!r} is a {found.value} file, which cannot be read yet.")


def files_of(path_prefix: str | os.PathLike[str], file_format: str = "INFER") -> str:
    """Return the pattern of the files that were written under a prefix, or the path of the one that was.

    Raises
    ------
    ArgumentTypeError
        If the format is no text.
    ArgumentError
        If the prefix is a pattern, or the format unknown.
    MissingFileError
        If there are none.
    UnsupportedError
        If they are of a format that cannot be read.
    """
    check_format(file_format)
    path = absolute(path_prefix)
    if "*" in path:
        raise ArgumentError(f"load takes a prefix, not the pattern {path!r}.", hint="use read_hdf for patterns.")
    prefix, extension = split_extension(path)
    files = f"{glob.escape(prefix)}_LOCALE*{glob.escape(extension)}"
    try:
        demand_hdf5(files)
    except MissingFileError:
        if not os.path.isfile(path):
            raise MissingFileError(
                f"no files were written under {path!r}.", details=[f"looked for {prefix}_LOCALE*{extension}"]
            ) from None
        files = path
        demand_hdf5(path)
    return files


def check_format(file_format: Any) -> None:
    """Refuse formats that Arkouda does not have, and those that akdask has not yet.

    Raises
    ------
    ArgumentTypeError, ArgumentError, UnsupportedError
        If it is no text, unknown, or another than HDF5.
    """
    if not isinstance(file_format, str):
        raise ArgumentTypeError(f"a format is named by a str, not by {type(file_format).__name__}.")
    if file_format.upper() in {"PARQUET", "CSV"}:
        raise UnsupportedError(f"files of format {file_format!r} cannot be used yet.", hint="use 'INFER' or 'HDF5'.")
    if file_format.upper() not in {"INFER", "HDF5"}:
        raise ArgumentError(f"there is no format {file_format!r}.", hint="use 'INFER' or 'HDF5'.")


def read_objects(files: FileSet, names: Sequence[str] | None = None) -> dict[str, Any]:
    """Return objects of a set, all if no names are given, as lazy ones.

    What old releases stored as several root objects comes as the one that it was, unless the parts are named.
    """
    return {name: from_stored(stored) for name, stored in stored_objects(files, names).items()}


def stored_objects(files: FileSet, names: Sequence[str] | None = None) -> dict[str, StoredObject]:
    """Return objects of a set, all if no names are given, ready to be scanned; for errors see `FileSet.select`."""
    found_legacy = find_families(files)
    wanted = {name: family for name, family in found_legacy.items() if names is None or name in names}
    if not wanted:
        return files.select(names)
    parts = files.select([root for family in wanted.values() for root in family.members.values()])
    legacy = {name: made for name, family in wanted.items() if (made := combined(family, parts)) is not None}
    used = {root: name for name in legacy for root in found_legacy[name].members.values()}
    if names is not None:
        found = files.select([name for name in names if name not in legacy])
        return {name: legacy[name] if name in legacy else found[name] for name in dict.fromkeys(names)}
    rest = files.select([name for name in files.kinds if name not in used])
    order = dict.fromkeys(used.get(name, name) for name in files.kinds)
    return {name: legacy[name] if name in legacy else rest[name] for name in order}
