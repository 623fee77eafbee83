"""Case and classes of characters: those of Python's `str`, row by row.

Arrow's functions agree with Python on ASCII, and differ beyond, in letters that become two in the other case (``ß``)
and in what is a digit (``½``).  So rows with other characters, which most text has none of, are looked at one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.columns import offsets_and_bytes
from akdask.deferred import pa, pc
from akdask.kernels.core.rules import Kernel, Operation
from akdask.kernels.keys.strings import unpack_bools
from akdask.schema import BOOL, STR, ColumnType
from akdask.typing import NumberArray, StringArray

PREDICATES = {
    "islower": "utf8_is_lower",
    "isupper": "utf8_is_upper",
    "istitle": "utf8_is_title",
    "isalnum": "utf8_is_alnum",
    "isalpha": "utf8_is_alpha",
    "isdigit": "utf8_is_digit",
    "isdecimal": "utf8_is_decimal",
    "isnumeric": "utf8_is_numeric",
    "isspace": "utf8_is_space",
}

TRANSFORMS = {
    "lower": "utf8_lower",
    "upper": "utf8_upper",
    "title": "utf8_title",
    "capitalize": "utf8_capitalize",
}

_ASCII = 0x80  # bytes below are characters of ASCII


def beyond_ascii(strings: StringArray) -> NumberArray:
    """Return the numbers of the rows that have characters beyond ASCII, ascending.

    Examples
    --------
    >>> beyond_ascii(pa.array(["a", "ä", "", "日本"], pa.large_string())).tolist()
    [1, 3]
    """
    offsets, data = offsets_and_bytes(strings)
    if not len(data) or data.max() < _ASCII:
        return np.empty(0, np.int64)
    at = np.flatnonzero(data >= _ASCII) + offsets[0]
    rows = np.searchsorted(offsets, at, side="right") - 1
    is_new = np.ones(len(rows), np.bool_)
    np.not_equal(rows[1:], rows[:-1], out=is_new[1:])
    found: NumberArray = rows[is_new]
    return found


def changed_rows(
    strings: StringArray, rows: NumberArray, change: Callable[[str], Any], into: StringArray
) -> StringArray:
    """Return `into` with what a function makes of some of the strings, given by ascending rows, in place of them."""
    if not len(rows):
        return into
    changed = pa.array([change(text) for text in strings.take(pa.array(rows)).to_pylist()], into.type)
    is_changed = np.zeros(len(strings), np.bool_)
    is_changed[rows] = True
    return pc.replace_with_mask(into, pa.array(is_changed), changed)


def _predicate(name: str) -> Kernel:
    test = getattr(str, name)

    def kernel(strings: Any, out: Any = None) -> Any:
        found = unpack_bools(getattr(pc, PREDICATES[name])(strings), out)
        rows = beyond_ascii(strings)
        if len(rows):
            found[rows] = [test(text) for text in strings.take(pa.array(rows)).to_pylist()]
        return found

    return kernel


def _transform(name: str) -> Kernel:
    change = getattr(str, name)

    def kernel(strings: Any, out: Any = None) -> Any:
        return changed_rows(strings, beyond_ascii(strings), change, getattr(pc, TRANSFORMS[name])(strings))

    return kernel


def _text_to(result: ColumnType) -> Callable[[ColumnType], ColumnType | None]:
    return lambda strings: result if strings == STR else None


CHARACTER_OPERATIONS: dict[str, Operation] = {
    **{name: Operation(name, 1, _text_to(BOOL), _predicate(name)) for name in PREDICATES},
    **{name: Operation(name, 1, _text_to(STR), _transform(name)) for name in TRANSFORMS},
}
