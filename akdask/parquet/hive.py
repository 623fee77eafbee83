"""Columns that the folders of a tree name: ``year=2024/month=7/x.parquet``."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from akdask.schema import FLOAT64, INT64, STR, ColumnType

_MISSING = "__HIVE_DEFAULT_PARTITION__"
_INT = re.compile(r"-?(0|[1-9]\d{0,17})")


def folder_columns(paths: Sequence[str]) -> dict[str, tuple[ColumnType, list[Any]]]:
    """Return the columns that folders name on the way to all of some files: type, and value for each file.

    Whole numbers are such where all are; missing values are NaN then, and among text they are empty.

    Examples
    --------
    >>> found = folder_columns(["d/year=2024/a.parquet", "d/year=2025/b.parquet"])
    >>> found["year"][0].name, found["year"][1]
    ('int64', [2024, 2025])
    """
    named = {folder: _named(folder) for folder in {os.path.dirname(path) for path in paths}}
    found = [named[os.path.dirname(path)] for path in paths]
    names = [name for name in found[0] if all(name in values for values in named.values())] if found else []
    return {name: _typed([values[name] for values in found]) for name in names}


def _named(folder: str) -> dict[str, str | None]:
    parts = (part.partition("=") for part in folder.split("/"))
    return {
        unquote(name): None if value == _MISSING else unquote(value) for name, equals, value in parts if name and equals
    }


def _typed(values: list[str | None]) -> tuple[ColumnType, list[Any]]:
    known = [value for value in values if value is not None]
    if not known or not all(map(_INT.fullmatch, known)):
        return STR, [value or "" for value in values]
    if len(known) < len(values):
        return FLOAT64, [math.nan if value is None else float(value) for value in values]
    return INT64, list(map(int, known))
