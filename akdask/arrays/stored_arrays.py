"""Stored objects as lazy collections: opens the files of a prefix, and finds the maker for each kind of object."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from typing import Any, TypeVar

from akdask.arrays.array import wrap
from akdask.deferred import registered
from akdask.engine.alignment import Gather
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.sources import Scan
from akdask.engine.values import ColumnRef
from akdask.errors import ArgumentError, MissingFileError, UnsupportedError
from akdask.storage.files import absolute, is_file
from akdask.storage.locales import split_extension
from akdask.storage.objects import VALUES, ObjType, StoredColumn, StoredObject, StoredSet
from akdask.storage.registry import Format, format_named, open_files

_makers: dict[ObjType, Callable[[StoredObject], Any]] = {}

MAKERS = dict.fromkeys(set(ObjType) - {ObjType.PDARRAY, ObjType.STRINGS}, "io.stored_objects")
"""The module of akdask that registers the makers of objects of a kind."""

Maker = TypeVar("Maker", bound=Callable[[StoredObject], Any])


def makes(kind: ObjType) -> Callable[[Maker], Maker]:
    """Register the function that makes the lazy object of a stored one of some kind."""

    def register(maker: Maker) -> Maker:
        _makers[kind] = maker
        return maker

    return register


def from_stored(stored: StoredObject) -> Any:
    """Return the lazy object that a stored one is."""
    maker = registered(_makers, stored.kind, MAKERS)
    return flat(stored.members[VALUES]) if maker is None else maker(stored)


def flat(column: StoredColumn) -> Any:
    """Return a stored column as a lazy array."""
    return wrap(*scanned(column))


def scanned(column: StoredColumn) -> tuple[Scan, ColumnRef]:
    """Return the plan of a stored column, and the column on it."""
    scan = Scan(column.source)
    return scan, scan.column(column.column)


def in_one_partition(column: StoredColumn) -> Frame:
    """Return the plan of a stored column with all rows in one partition."""
    scan, value = scanned(column)
    return Gather(Project(scan, (0,), (value,)))


def open_prefix(path_prefix: str | os.PathLike[str], file_format: str = "INFER", **options: Any) -> StoredSet:
    """Open the files that were written under a prefix, or the one that was.

    Parameters
    ----------
    path_prefix : str or path
        Prefix and extension of a set, or the path of a single file.
    file_format : str, default "INFER"
        Name of the format, told from the first bytes unless given.
    **options
        Of `akdask.read`.

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
    chosen = _chosen(file_format)
    path = absolute(path_prefix)
    if "*" in path:
        raise ArgumentError(f"load takes a prefix, not the pattern {path!r}.", hint="use read_hdf for patterns.")
    prefix, extension = split_extension(path)
    try:
        return open_files(f"{glob.escape(prefix)}_LOCALE*{glob.escape(extension)}", chosen, **options)
    except MissingFileError:
        if not is_file(path):
            raise MissingFileError(
                f"no files were written under {path!r}.",
                details=[f"looked for {prefix}_LOCALE*{extension}"],
                hint="check the prefix, and that its extension is that with which the files were written.",
            ) from None
    return open_files(path, chosen, **options)


def _chosen(file_format: Any) -> Format | None:
    """Return the format of a name, None if the files decide."""
    if isinstance(file_format, str) and file_format.upper() == "INFER":
        return None
    chosen = format_named(file_format)
    if not chosen.is_supported:
        raise UnsupportedError(f"files of format {file_format!r} cannot be read yet.", hint="use 'INFER' or 'HDF5'.")
    return chosen


def read_objects(files: StoredSet) -> dict[str, Any]:
    """Return all objects of a set, lazily."""
    return {name: from_stored(stored) for name, stored in files.objects().items()}
