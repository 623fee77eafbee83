"""Columns that the folders of a tree name: ``year=2024/month=7/x.parquet``."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from akdask.schema import FLOAT64, INT64, NULLABLE_STR, STR, ColumnType
from akdask.storage.paths.files import absolute, exists, is_folder
from akdask.storage.paths.locales import MAGIC, Filenames, has_magic, names_of

_MISSING = "__HIVE_DEFAULT_PARTITION__"
_INT = re.compile(r"-?(0|[1-9]\d{0,17})")


def roots_of(filenames: Filenames) -> tuple[str, ...]:
    """Return the folders under which folders name columns: those that a user names, and those before a pattern."""
    found = []
    for name in map(absolute, names_of(filenames)):
        if has_magic(name) and not exists(name):
            found.append(MAGIC.split(name)[0].rpartition("/")[0])
        elif is_folder(name):
            found.append(name.rstrip("/"))
    return tuple(found)


def folder_columns(paths: Sequence[str], roots: Sequence[str]) -> dict[str, tuple[ColumnType, list[Any]]]:
    """Return the columns that folders name on the way to all of some files: type, and value for each file.

    Only folders below `roots` do: how other folders are called says nothing of the rows.  Whole numbers are such where
    all are, or floats if some are missing; what is missing is None.

    Examples
    --------
    >>> found = folder_columns(["d/year=2024/a.parquet", "d/year=2025/b.parquet"], ["d"])
    >>> found["year"][0].name, found["year"][1]
    ('int64', [2024, 2025])
    """
    named = {folder: _named(_below(folder, roots)) for folder in {os.path.dirname(path) for path in paths}}
    found = [named[os.path.dirname(path)] for path in paths]
    names = [name for name in found[0] if all(name in values for values in named.values())] if found else []
    return {name: _typed([values[name] for values in found]) for name in names}


def _below(folder: str, roots: Sequence[str]) -> str:
    """Return what is behind the longest of some folders, nothing if a folder is in none of them."""
    inside = [root for root in roots if folder.startswith(f"{root}/")]
    return folder[len(max(inside, key=len)) + 1 :] if inside else ""


def _named(folder: str) -> dict[str, str | None]:
    parts = (part.partition("=") for part in folder.split("/"))
    return {
        unquote(name): None if value == _MISSING else unquote(value) for name, equals, value in parts if name and equals
    }


def _typed(values: list[str | None]) -> tuple[ColumnType, list[Any]]:
    known = [value for value in values if value is not None]
    if not known or not all(map(_INT.fullmatch, known)):
        return STR if len(known) == len(values) else NULLABLE_STR, list(values)
    if len(known) < len(values):
        return FLOAT64, [None if value is None else float(value) for value in values]
    return INT64, list(map(int, known))
