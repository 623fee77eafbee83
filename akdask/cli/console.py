"""Terminal output of commands: steps with their durations, progress, checks and tables."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np

from akdask.testing import assert_equal

INDENT = " " * 6


def say(text: object = "") -> None:
    """Print text, indented below its step."""
    print("\n".join((INDENT + line).rstrip() for line in str(text).splitlines()) or "", flush=True)


def duration(seconds: float) -> str:
    """Write a duration with a fitting unit.

    Examples
    --------
    >>> duration(0.0123), duration(2.5)
    ('12.3 ms', '2.5 s')
    """
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.1f} s"


def size(nbytes: float) -> str:
    """Write a number of bytes with a fitting unit.

    Examples
    --------
    >>> size(812), size(123_456_789)
    ('812 B', '123.5 MB')
    """
    for unit in ("B", "kB", "MB", "GB"):
        if nbytes < 1000:
            return f"{nbytes:.0f} B" if unit == "B" else f"{nbytes:.1f} {unit}"
        nbytes /= 1000
    return f"{nbytes:,.1f} TB"


class Steps:
    """Numbered steps, each announced when it begins and timed when it ends.

    Parameters
    ----------
    total : int
        How many there will be.
    """

    def __init__(self, total: int) -> None:
        self.total = total
        self.begun = 0

    @contextmanager
    def __call__(self, title: str) -> Iterator[None]:
        """Announce a step, and print how long the block took."""
        self.begun += 1
        print(f"\n[{self.begun}/{self.total}] {title}", flush=True)
        start = perf_counter()
        yield
        say(f"({duration(perf_counter() - start)})")


class Checks:
    """Comparisons of answers with the answers of another method."""

    def __init__(self) -> None:
        self.count = 0
        self.failed: list[str] = []

    def number(self, what: str, found: Any, expected: Any) -> None:
        """Compare numbers: floats up to rounding, for their sums depend on the order."""
        equal = np.isclose(float(found), expected, rtol=1e-9) if isinstance(expected, float) else found == expected
        self._note(what, None if equal else f"{found} != {expected}")

    def arrays(self, what: str, found: Any, expected: Any) -> None:
        """Compare arrays: every value, the order and the type."""
        try:
            assert_equal(found, expected)
        except AssertionError as error:
            self._note(what, str(error))
        else:
            self._note(what)

    def _note(self, what: str, problem: str | None = None) -> None:
        self.count += 1
        if problem is not None:
            self.failed.append(what)
            say(f"WRONG {what}: {problem}")


def table(header: Sequence[str], rows: Iterable[Sequence[Any]], *, widest: int = 60, separator: str = ",") -> str:
    """Return rows under their header, numbers to the right.

    Parameters
    ----------
    header : sequence of str
        Names of the columns.
    rows : iterable of sequences
        Values: numbers, text, or None for a blank.
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
    r"""Escape characters that a terminal would interpret.

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
    """Return the number of terminal columns of a text; East Asian characters take two, accents none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)
