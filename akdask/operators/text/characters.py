"""Strings as sequences of characters, row by row: every operation answers what the method of Python's `str` does.

Compiled loops change the case and tell the classes of ASCII alone; letters beyond it may become two in the other case
(``ß``), so rows with such characters, which are rare, are processed by Python one by one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from akdask.columns.arrow import numpy_numbers
from akdask.columns.dtypes import BOOL, INT64, STR, ColumnType
from akdask.columns.memory import new_array
from akdask.columns.strings import offsets_and_bytes
from akdask.deferred import pa, pc
from akdask.engine.operations import Kernel, Operation
from akdask.operators.text import loops
from akdask.typing import NumberArray, StringArray

WHITE_SPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
WHITE_SPACE += "".join(map(chr, range(0x2000, 0x200B)))
"""The characters for which ``str.isspace`` is true."""

END = sys.maxsize // 2
"""The number of a character behind the end of all strings."""


def beyond_ascii(strings: StringArray) -> NumberArray:
    """Return the numbers of the rows that have characters beyond ASCII, ascending.

    Examples
    --------
    >>> beyond_ascii(pa.array(["a", "ä", "", "日本"], pa.large_string())).tolist()
    [1, 3]
    """
    found = np.zeros(len(strings), np.bool_)
    count = loops.mark_beyond_ascii(*offsets_and_bytes(strings), found)
    return np.flatnonzero(found) if count else np.empty(0, np.int64)


def _bytes_of(text: str) -> NumberArray:
    return np.frombuffer(text.encode(), np.uint8)


def _of_buffers(offsets: NumberArray, text: NumberArray) -> StringArray:
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(text))


def _copied(copy: Callable[..., None], strings: StringArray, *args: Any, nbytes: int | None = None) -> StringArray:
    """Return the strings that a loop writes, in memory of so many bytes, as many as there are unless given."""
    offsets, text = offsets_and_bytes(strings)
    ends, into = new_array(len(offsets), np.int64), new_array(len(text) if nbytes is None else nbytes, np.uint8)
    copy(offsets, text, *args, ends, into)
    return _of_buffers(ends, into[: ends[-1]])


def _answers(strings: StringArray, rows: NumberArray, function: Callable[[str], Any], dtype: Any) -> Any:
    """Return what a function of Python answers for strings at some rows; it is called once for each distinct text."""
    distinct = strings.take(pa.array(rows)).dictionary_encode()
    return pa.array(map(function, distinct.dictionary.to_pylist()), dtype).take(distinct.indices)


# classes and case

_ALLOWED_AND_NEEDED: dict[str, tuple[Callable[[str], bool], Callable[[str], bool]]] = {
    **{
        name: (getattr(str, name), getattr(str, name))
        for name in ("isalnum", "isalpha", "isdigit", "isdecimal", "isnumeric", "isspace")
    },
    "islower": (lambda character: not character.isupper(), str.islower),
    "isupper": (lambda character: not character.islower(), str.isupper),
}
"""Of which characters of ASCII all text of a class has to be, and which of them it needs."""

PREDICATES = (*_ALLOWED_AND_NEEDED, "istitle")
"""Tests of classes of characters."""

TRANSFORMS = ("lower", "upper", "swapcase", "title", "capitalize", "casefold")
"""Changes of case."""


@cache
def _ascii_table(holds: Callable[[str], bool]) -> NumberArray:
    found = np.zeros(256, np.bool_)
    found[:128] = [holds(chr(byte)) for byte in range(128)]
    return found


def _consist(name: str, strings: StringArray, found: NumberArray) -> None:
    if name == "istitle":
        found[...] = np.asarray(pc.utf8_is_title(strings))
        return
    allowed, needed = map(_ascii_table, _ALLOWED_AND_NEEDED[name])
    loops.consist_of(*offsets_and_bytes(strings), allowed, needed, found)


def _predicate(name: str) -> Kernel:
    test = getattr(str, name)

    def kernel(strings: Any, out: Any = None) -> Any:
        found = np.empty(len(strings), np.bool_) if out is None else out
        _consist(name, strings, found)
        rows = beyond_ascii(strings)
        if len(rows):
            found[rows] = numpy_numbers(_answers(strings, rows, test, pa.bool_()))
        return found

    return kernel


def _transform(name: str) -> Kernel:
    change = getattr(str, name)

    def kernel(strings: Any, out: Any = None) -> Any:
        offsets, text = offsets_and_bytes(strings)
        into = new_array(len(text), np.uint8)
        if name in ("title", "capitalize"):
            loops.capitalize(offsets, text, name == "title", into)
        elif name == "swapcase":
            loops.swap_case(text, into)
        else:
            (loops.upper if name == "upper" else loops.lower)(text, into)
        made = _of_buffers(offsets - offsets[0] if offsets[0] else offsets, into)
        rows = beyond_ascii(strings)
        if not len(rows):
            return made
        is_other = np.zeros(len(strings), np.bool_)
        is_other[rows] = True
        return pc.replace_with_mask(made, pa.array(is_other), _answers(strings, rows, change, made.type))

    return kernel


# parts


def _length(strings: Any, out: Any = None) -> NumberArray:
    found = new_array(len(strings), np.int64) if out is None else out
    loops.count_characters(*offsets_and_bytes(strings), found)
    return found


def _find(strings: Any, out: Any = None, *, part: str, start: int = 0, from_right: bool = False) -> NumberArray:
    found = new_array(len(strings), np.int64) if out is None else out
    loops.find_character(*offsets_and_bytes(strings), _bytes_of(part), _clamped(start), from_right, found)
    return found


def _count(strings: Any, out: Any = None, *, part: str) -> NumberArray:
    found = _length(strings, out)
    if not part:
        # There is nothing before each character, and behind the last.
        return np.add(found, 1, out=found)
    loops.count_part(*offsets_and_bytes(strings), _bytes_of(part), found)
    return found


def _slice(
    strings: Any, out: Any = None, *, start: int | None = None, stop: int | None = None, step: int | None = None
) -> StringArray:
    step = 1 if step is None else _clamped(step)
    # Unless given, a bound is beyond the end or the beginning.
    first, last = (0, END) if step > 0 else (END, -END)
    first, last = first if start is None else _clamped(start), last if stop is None else _clamped(stop)
    if step == 1:
        return _copied(loops.copy_slices, strings, first, last)
    return _copied(loops.copy_every, strings, first, last, step)


def _clamped(number: int) -> int:
    """Return a number of a character; any beyond is beyond all text."""
    return min(max(number, -END), END)


def _strip(strings: Any, out: Any = None, *, chars: str = "", left: bool = True, right: bool = True) -> StringArray:
    characters = np.array(sorted(map(ord, set(chars or WHITE_SPACE))), np.uint32)
    in_ascii = np.zeros(128, np.bool_)
    in_ascii[characters[characters < len(in_ascii)]] = True
    others = characters[characters >= len(in_ascii)]
    return _copied(loops.copy_stripped, strings, in_ascii, others, left, right)


def _without(strings: Any, out: Any = None, *, affix: str, at_end: bool) -> StringArray:
    """Remove the beginning or the end of the strings that have it."""
    return _copied(loops.copy_without, strings, _bytes_of(affix), at_end)


def _partition(strings: Any, out: Any = None, *, delimiter: str, number: int, from_right: bool) -> StringArray:
    """Return one of three: the text before a delimiter, the delimiter, and the text behind it."""
    nbytes = len(strings) * len(delimiter.encode()) if number == 1 else None
    return _copied(loops.copy_side, strings, _bytes_of(delimiter), from_right, number, nbytes=nbytes)


SIDES = {"left": 0, "right": 1, "both": 2, "sign": 3}
"""Where text is padded: before, behind, on both sides, or behind a sign."""


def _pad(strings: Any, out: Any = None, *, width: int, side: str, fill: str) -> StringArray:
    character = _bytes_of(fill)
    # Memory that is not written takes none.
    nbytes = len(offsets_and_bytes(strings)[1]) + len(strings) * max(width, 0) * len(character)
    return _copied(loops.copy_padded, strings, width, character, SIDES[side], nbytes=nbytes)


def _repeat(strings: Any, out: Any = None, *, times: int) -> StringArray:
    return pc.binary_repeat(strings, max(times, 0))


def _replace(strings: Any, out: Any = None, *, part: str, other: str, most: int) -> StringArray:
    """Replace a part, at all places if `most` is negative."""
    if not part:
        return pa.array([text.replace(part, other, most) for text in strings.to_pylist()], pa.large_string())
    old, new, limit = _bytes_of(part), _bytes_of(other), END if most < 0 else most
    nbytes = len(offsets_and_bytes(strings)[1])
    if len(new) > len(old):
        nbytes += int(np.minimum(_count(strings, part=part), limit).sum()) * (len(new) - len(old))
    return _copied(loops.copy_replaced, strings, old, new, limit, nbytes=nbytes)


def _text_to(result: ColumnType) -> Callable[..., ColumnType | None]:
    return lambda strings, **_: result if strings == STR else None


CHARACTER_OPERATIONS: dict[str, Operation] = {
    **{name: Operation(name, 1, _text_to(BOOL), _predicate(name)) for name in PREDICATES},
    **{name: Operation(name, 1, _text_to(STR), _transform(name)) for name in TRANSFORMS},
    **{
        operation.name: operation
        for operation in (
            Operation("text_length", 1, _text_to(INT64), _length),
            Operation("text_find", 1, _text_to(INT64), _find),
            Operation("text_count", 1, _text_to(INT64), _count),
            Operation("text_slice", 1, _text_to(STR), _slice),
            Operation("strip", 1, _text_to(STR), _strip),
            Operation("without_affix", 1, _text_to(STR), _without),
            Operation("partition", 1, _text_to(STR), _partition),
            Operation("pad", 1, _text_to(STR), _pad),
            Operation("repeat", 1, _text_to(STR), _repeat),
            Operation("replace_text", 1, _text_to(STR), _replace),
        )
    },
}
