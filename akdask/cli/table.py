"""Text for terminals and scripts: aligned tables, and names from files that cannot harm a terminal."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, widest: int = 60, separator: str = ",") -> str:
    """Return rows under their header, numbers to the right.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequences
        Values: numbers, text, or None for nothing.
    widest : int, default 60
        Longer text is cut.
    separator : str, default ","
        Between thousands.

    Examples
    --------
    >>> print(table(["name", "rows"], [["src", 1200], ["port", 7]]))
    name   rows
    src   1,200
    port      7
    """
    given = [list(row) for row in rows]
    written = [[_cell(value, widest, separator) for value in row] for row in given]
    lines = [list(header), *written]
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    right = [bool(column) and all(_is_number(value) for value in column) for column in zip(*given, strict=True)]
    right = right or [False] * len(header)
    return "\n".join(
        "  ".join(_padded(*placed) for placed in zip(line, widths, right, strict=True)).rstrip() for line in lines
    )


def _cell(value: Any, widest: int, separator: str) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return str(value)
        case int():
            return f"{value:,}".replace(",", separator)
        case float():
            return repr(value)
    text = printable(str(value))
    return text if len(text) <= widest else f"{text[: widest - 1]}…"


def counted(count: int, noun: str) -> str:
    """Return a number with its noun.

    Examples
    --------
    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def printable(text: str) -> str:
    r"""Escape what a terminal might obey rather than show.

    Examples
    --------
    >>> printable("a\x1b[2J")
    'a\\x1b[2J'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def print_json(value: Any) -> None:
    """Print a value as JSON, floats that JSON does not have as text."""
    print(json.dumps(_strict(value), indent=2, allow_nan=False))


def _strict(value: Any) -> Any:
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case dict():
            return {str(key): _strict(item) for key, item in value.items()}
        case list() | tuple():
            return [_strict(item) for item in value]
        case None | bool() | int() | float():
            return value
    return str(value)


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))


def _padded(text: str, width: int, right: bool) -> str:
    filling = " " * (width - _width(text))
    return filling + text if right else text + filling


def _width(text: str) -> int:
    """How many columns of a terminal a text takes: characters of East Asia two, accents none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)
