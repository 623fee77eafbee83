"""Regular expressions of Python's `re` over text, row by row; those of `akdask.operators.text.matches` are RE2's."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.caches import cached_results
from akdask.columns.dtypes import INT64, NULLABLE_STR, STR
from akdask.columns.strings import from_nulls, offsets_and_bytes
from akdask.deferred import pa, pc
from akdask.engine.operations import Operation
from akdask.errors import ArgumentError
from akdask.operators.text import loops
from akdask.operators.text.characters import beyond_ascii
from akdask.operators.text.matches import capturing
from akdask.typing import NumberArray, StringArray

# Besides anchors, RE2 has no look-around and no references; its classes are ASCII alone.
_PLAIN = re.compile(r"(?: [^\\^$(] | \\[dws.+*?()\[\]{}|\\/-] | \((?!\?) )+", re.VERBOSE)
_ESCAPE = re.compile(r"\\.")
_CLASS = re.compile(r"(\\[dws] | \[ (?!\^) [^\\\[\]]+ \]) (\+?)", re.ASCII | re.VERBOSE)
_OF_NOTHING = re.compile(r"[|?*{]")
_WHITE_SPACE = r"[\s\v\x1c-\x1f]"
"""White space in ASCII; RE2 leaves some out."""


@cached_results("regular expressions", 256)
def compiled(pattern: str) -> re.Pattern[str]:
    """Return a compiled regular expression.

    Raises
    ------
    ArgumentError
        If Python does not accept it.
    """
    try:
        return re.compile(pattern)
    except re.error as error:
        raise ArgumentError(f"{pattern!r} is no regular expression.", details=[str(error)]) from None


def _in_re2(pattern: str) -> str | None:
    """Return a pattern of RE2 that finds the same matches in ASCII, none of which is empty; None without one."""
    if not _PLAIN.fullmatch(pattern) or compiled(pattern).search("") is not None:
        return None
    found = _ESCAPE.sub(lambda escape: _WHITE_SPACE if escape[0] == r"\s" else escape[0], pattern)
    if found != pattern and "[" in pattern:
        return None
    try:
        pc.count_substring_regex(pa.array([""]), found)
    except pa.ArrowInvalid:
        return None
    return found


@cached_results("classes of characters", 256)
def _members(characters: str) -> npt.NDArray[np.bool_]:
    """Return which characters of ASCII are in a class."""
    return np.array([compiled(characters).fullmatch(chr(number)) is not None for number in range(128)])


def _count(strings: Any, out: Any = None, *, pattern: str) -> NumberArray:
    found = np.empty(len(strings), np.int64) if out is None else out
    rows = np.arange(len(strings))
    plain, of_one_class = _in_re2(pattern), _CLASS.fullmatch(pattern)
    if of_one_class is not None and pattern.isascii():
        characters, runs = of_one_class.groups()
        loops.count_members(*offsets_and_bytes(strings), _members(characters), bool(runs), found)
        # A class that is spelled out has no other characters.
        rows = beyond_ascii(strings) if "\\" in characters else rows[:0]
    elif plain is not None:
        found[...] = np.asarray(pc.count_substring_regex(strings, plain))
        rows = beyond_ascii(strings)
    matches = compiled(pattern).finditer
    for row, text in zip(rows.tolist(), strings.take(pa.array(rows)).to_pylist(), strict=True):
        found[row] = sum(1 for _ in matches(text))
    return found


def _extract(strings: Any, out: Any = None, *, pattern: str, group: int) -> StringArray:
    """Return the text of a group in each row's first match, missing without one."""
    extracted = extracted_by_arrow(strings, pattern, group)
    if extracted is not None:
        return extracted
    search = compiled(pattern).search
    found = map(search, strings.to_pylist())
    return from_nulls(pa.array([None if one is None else one.group(group) for one in found], pa.large_string()))


def extracted_by_arrow(strings: Any, pattern: str, group: int) -> StringArray | None:
    """Return the text of a group in each row's first match, None if RE2 may find another one than Python."""
    plain = _in_re2(pattern)
    # Groups that need not match are missing to Python, and empty to RE2.
    if plain is None or _OF_NOTHING.search(pattern) or ("\\" in pattern and len(beyond_ascii(strings))):
        return None
    # RE2 names groups, and leaves text without a match missing.
    names = f"(?P<g0>{capturing(plain, [])})" if not group else capturing(plain, [group])
    return from_nulls(pc.extract_regex(strings, names).flatten()[0])


PATTERN_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("count_matches", 1, lambda strings, **_: INT64 if strings == STR else None, _count, of_distinct=True),
        Operation(
            "extract", 1, lambda strings, **_: NULLABLE_STR if strings == STR else None, _extract, of_distinct=True
        ),
    )
}
