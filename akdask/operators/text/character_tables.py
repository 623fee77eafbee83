"""Tables of all characters: to which classes they belong, and what they become in another case.

They are made at first use, of what the `str` of the running Python knows, whose Unicode they so follow.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

CHARACTERS = 0x110000
"""The number of characters."""

ASCII = 128

Bools = npt.NDArray[np.bool_]
Points = npt.NDArray[np.uint32]
Words = npt.NDArray[np.uint64]
Positions = npt.NDArray[np.int64]

# Letters are in the first two planes, and so are characters that words continue behind; others of these are tags.
_CASED = np.r_[1 : ord("\n"), ord("\n") + 1 : 0xD800, 0xE000:0x20000, 0xE0000:0xE1000].astype(np.uint32)

_CASED_BIT, _IGNORED_BIT = 8, 16
"""Bits of `Cases` in the loops."""

_TESTS: dict[str, Callable[[npt.NDArray[np.str_]], Bools]] = {
    name: getattr(np.strings, name)
    for name in ("isalnum", "isalpha", "isdigit", "isdecimal", "isnumeric", "isspace", "islower", "isupper", "istitle")
}


@cache
def members(name: str, count: int = CHARACTERS) -> Bools:
    """Return which of the first characters are of a class, named as the method of `str` is.

    Examples
    --------
    >>> np.flatnonzero(members("isdigit", 128)).tolist() == list(b"0123456789")
    True
    """
    found: Bools = _TESTS[name](np.arange(count, dtype=np.uint32).view("U1"))
    return found


@cache
def allowed_and_needed(name: str, count: int = CHARACTERS) -> tuple[Bools, Bools]:
    """Return of which characters all text of a class consists, and which of them it needs."""
    if name == "islower":
        return ~(members("isupper", count) | members("istitle", count)), members(name, count)
    if name == "isupper":
        is_title = members("istitle", count) & ~members("isupper", count)
        return ~(members("islower", count) | is_title), members(name, count)
    return members(name, count), members(name, count)


@cache
def cases(change: Callable[[str], str]) -> Words:
    """Return each character in another case, if it is alone, in the form that the loops take."""
    table = np.zeros(CHARACTERS, np.uint64)
    table[_CASED] = _letters()
    points, starts, stops = _changed(change, _lines(_CASED))
    is_other = (stops - starts != 1) | (points[starts] != _CASED)
    for at in np.flatnonzero(is_other).tolist():
        text = points[starts[at] : stops[at]].tobytes().decode("utf-32-le").encode()
        table[_CASED[at]] |= np.uint64(int.from_bytes(text, "little") << 8 | len(text))
    return table


@cache
def _letters() -> npt.NDArray[np.uint8]:
    """Return bits that tell which characters have a case, and behind which words go on regardless."""
    # Behind a letter a word goes on, so that what follows stays in lower case.
    points, _, stops = _changed(str.title, _lines(_CASED, ord("a")))
    found = np.where(points[stops - 1] == ord("a"), _CASED_BIT, 0).astype(np.uint8)
    # A sigma is the last letter of a word where such characters follow, unless a letter does behind them.
    is_last = [_sigmas(_lines(ord("A"), ord("Σ"), _CASED, *behind)) == ord("ς") for behind in ([], [ord("A")])]
    found[is_last[0] & ~is_last[1]] |= _IGNORED_BIT
    return found


def _lines(*characters: Points | int) -> Points:
    """Return lines of so many characters each."""
    columns = np.broadcast_arrays(_CASED, *characters, np.uint32(ord("\n")))[1:]
    return np.stack(columns, axis=1).astype(np.uint32).ravel()


def _changed(change: Callable[[str], str], lines: Points) -> tuple[Points, Positions, Positions]:
    """Return lines in another case, and where each begins and ends."""
    changed = change(lines.tobytes().decode("utf-32-le")).encode("utf-32-le")
    points = np.frombuffer(changed, np.uint32)
    stops = np.flatnonzero(points == ord("\n"))
    return points, np.append(0, stops[:-1] + 1), stops


def _sigmas(lines: Points) -> Points:
    points, starts, _ = _changed(str.lower, lines)
    second: Points = points[starts + 1]
    return second
