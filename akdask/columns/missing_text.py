"""Text that may be missing: how a partition holds it, and how it goes to and from Arrow's nulls.

A missing string is the one byte 0xFF, which no text in UTF-8 has and which orders after all of it, much as NaT is the
number that no time has.  So whatever moves, hashes, compares or sorts strings takes missing ones for one value, which
comes last, and columns of which none is missing are held and read as ever.  `NULLABLE_STR`, the type of a column, says
that there may be such bytes; they become nulls where rows leave the plan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.columns.strings import offsets_and_bytes
from akdask.deferred import is_arrow, pa, pc
from akdask.errors import ArgumentError
from akdask.typing import NumberArray, StringArray

SENTINEL = b"\xff"
"""What stands for a missing string."""


def from_nulls(strings: Any) -> StringArray:
    """Return an array of large strings whose nulls have become sentinels.

    Examples
    --------
    >>> missing_rows(from_nulls(pa.array(["a", None], pa.large_string()))).tolist()
    [False, True]
    """
    if not strings.null_count:
        return strings
    return strings.view(pa.large_binary()).fill_null(SENTINEL).view(pa.large_string())


def make_missing(strings: StringArray, missing: NumberArray) -> StringArray:
    """Return strings of which those of some rows are missing."""
    sentinel = pa.scalar(SENTINEL, pa.large_binary())
    return pc.if_else(pa.array(missing), sentinel, strings.view(pa.large_binary())).view(pa.large_string())


def missing_rows(strings: StringArray) -> NumberArray:
    """Return which strings are missing."""
    offsets, data = offsets_and_bytes(strings)
    found: NumberArray = np.diff(offsets) == len(SENTINEL)
    rows = np.flatnonzero(found)
    found[rows] = data[offsets[rows] - offsets[0]] == SENTINEL[0]
    return found


def with_nulls(strings: Any) -> Any:
    """Return an array, or a chunked one, whose sentinels have become nulls.

    Examples
    --------
    >>> with_nulls(from_nulls(pa.array(["a", None], pa.large_string()))).to_pylist()
    ['a', None]
    """
    if is_arrow(strings, "ChunkedArray"):
        return pa.chunked_array([with_nulls(chunk) for chunk in strings.chunks], strings.type)
    missing = missing_rows(strings)
    return pc.if_else(pa.array(missing), pa.scalar(None, pa.large_string()), strings) if missing.any() else strings


def demanded(strings: StringArray) -> StringArray:
    """Return strings none of which may be missing.

    Raises
    ------
    ArgumentError
        If one is.
    """
    missing = missing_rows(strings)
    if missing.any():
        raise ArgumentError(
            "some of the text is missing, where there is nothing for what is missing to become.",
            details=[f"row {int(missing.argmax())} of a block of {len(missing)}"],
            hint="put other text in its place, with fillna('…'), or leave it out, with dropna().",
        )
    return strings


def text_at(strings: StringArray, position: int) -> str | None:
    """Return one string, None if it is missing."""
    data: bytes = strings[position].as_buffer().to_pybytes()
    return None if data == SENTINEL else data.decode()


def filled(strings: StringArray, text: Any) -> StringArray:
    """Return the strings with others in place of those that are missing: one, or one for each row."""
    missing = missing_rows(strings)
    if not missing.any():
        return strings
    instead = text if is_arrow(text, "Array") else pa.scalar(text, pa.large_string())
    return pc.if_else(pa.array(missing), instead, strings)
