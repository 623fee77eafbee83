"""Regular expressions of Python's `re` over text, row by row; those of `akdask.operators.text.matches` are RE2's."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from akdask.caches import cached_results
from akdask.columns.dtypes import INT64, NULLABLE_STR, STR
from akdask.columns.strings import from_nulls
from akdask.deferred import pa, pc
from akdask.engine.operations import Operation
from akdask.errors import ArgumentError
from akdask.operators.text.characters import beyond_ascii
from akdask.typing import NumberArray, StringArray

# Besides anchors, RE2 has no look-around and no references; its classes are ASCII alone.
_PLAIN = re.compile(r"(?: [^\\^$(] | \\[dws.+*?()\[\]{}|\\/-] | \((?!\?) )+", re.VERBOSE)
_ESCAPE = re.compile(r"\\.")
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


def _count(strings: Any, out: Any = None, *, pattern: str) -> NumberArray:
    found = np.empty(len(strings), np.int64) if out is None else out
    rows = np.arange(len(strings))
    plain = _in_re2(pattern)
    if plain is not None:
        found[...] = np.asarray(pc.count_substring_regex(strings, plain))
        rows = beyond_ascii(strings)
    matches = compiled(pattern).finditer
    for row, text in zip(rows.tolist(), strings.take(pa.array(rows)).to_pylist(), strict=True):
        found[row] = sum(1 for _ in matches(text))
    return found


def _extract(strings: Any, out: Any = None, *, pattern: str, group: int) -> StringArray:
    """Return the text of a group in each row's first match, missing without one."""
    search = compiled(pattern).search
    found = map(search, strings.to_pylist())
    return from_nulls(pa.array([None if one is None else one.group(group) for one in found], pa.large_string()))


PATTERN_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("count_matches", 1, lambda strings, **_: INT64 if strings == STR else None, _count),
        Operation("extract", 1, lambda strings, **_: NULLABLE_STR if strings == STR else None, _extract),
    )
}
