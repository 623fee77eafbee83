"""Strings as sequences of characters, row by row: every operation answers what the method of Python's `str` does.

Loops know ASCII by themselves, and other characters by tables that Python's `str` fills.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.columns.dtypes import BOOL, INT64, NULLABLE_STR, STR, ColumnType
from akdask.columns.memory import new_array
from akdask.columns.strings import SENTINEL, offsets_and_bytes
from akdask.deferred import pa
from akdask.engine.operations import Kernel, Operation
from akdask.operators.text import character_tables as tables
from akdask.operators.text import loops
from akdask.typing import NumberArray, StringArray

WHITE_SPACE = "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000"
WHITE_SPACE += "".join(map(chr, range(0x2000, 0x200B)))
"""The characters for which ``str.isspace`` is true."""

MOST_GROWTH = 2
"""Bytes by which each byte of a character beyond ASCII grows at most in another case."""

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


# classes and case

PREDICATES = (
    *("isalnum", "isalpha", "isdigit", "isdecimal", "isnumeric", "isspace"),
    *("islower", "isupper", "istitle"),
)
"""Tests of classes of characters."""

TRANSFORMS = ("lower", "upper", "swapcase", "title", "capitalize", "casefold")
"""Changes of case."""


def _predicate(name: str) -> Kernel:
    def kernel(strings: Any, out: Any = None) -> Any:
        found = np.empty(len(strings), np.bool_) if out is None else out
        offsets, text = offsets_and_bytes(strings)
        known = tables.CHARACTERS if loops.count_beyond_ascii(text) else tables.ASCII
        if name == "istitle":
            upper = tables.members(name, known), tables.members("islower", known)
            loops.are_titles(offsets, text, *upper, found)
        else:
            loops.consist_of(offsets, text, *tables.allowed_and_needed(name, known), found)
        return found

    return kernel


def _transform(name: str) -> Kernel:
    by_word = {"capitalize": False, "title": True}
    in_ascii = {"upper": "upper", "swapcase": "swap_case"}.get(name, "lower")
    knows_sigma = name not in ("upper", "casefold")

    def kernel(strings: Any, out: Any = None) -> Any:
        offsets, text = offsets_and_bytes(strings)
        into = new_array(len(text), np.uint8)
        if name in by_word:
            loops.capitalize(offsets, text, by_word[name], into)
        else:
            getattr(loops, in_ascii)(text, into)
        count = loops.count_beyond_ascii(text)
        if not count:
            return _of_buffers(offsets - offsets[0] if offsets[0] else offsets, into)
        others = tables.cases(str.lower if name in by_word else getattr(str, name))
        if name not in by_word and loops.recase_in_place(into, others, knows_sigma):
            return _of_buffers(offsets - offsets[0] if offsets[0] else offsets, into)
        first = tables.cases(str.title) if name in by_word else others
        how = into, first, others, name in by_word, by_word.get(name, False), knows_sigma
        return _copied(loops.recase, strings, *how, nbytes=len(text) + MOST_GROWTH * count)

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
    if not part:
        # There is nothing before each character, and behind the last.
        found = _length(strings, out)
        return np.add(found, 1, out=found)
    found = new_array(len(strings), np.int64) if out is None else out
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


def strip(strings: Any, out: Any = None, *, chars: str = "", left: bool = True, right: bool = True) -> StringArray:
    """Return text without some characters at its ends, white space unless given."""
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
    times = max(times, 0)
    return _copied(loops.copy_repeated, strings, times, nbytes=times * len(offsets_and_bytes(strings)[1]))


def _get(strings: Any, out: Any = None, *, number: int) -> StringArray:
    """Return one character of each string, missing where there is none."""
    nbytes = len(offsets_and_bytes(strings)[1]) + len(strings)
    return _copied(loops.copy_character, strings, _clamped(number), SENTINEL[0], nbytes=nbytes)


def _replace(strings: Any, out: Any = None, *, part: str, other: str, most: int) -> StringArray:
    """Replace a part, at all places if `most` is negative."""
    if not part:
        return pa.array([text.replace(part, other, most) for text in strings.to_pylist()], pa.large_string())
    old, new, limit = _bytes_of(part), _bytes_of(other), END if most < 0 else most
    nbytes, growth = len(offsets_and_bytes(strings)[1]), max(len(new) - len(old), 0)
    if growth > len(old):
        nbytes += int(np.minimum(_count(strings, part=part), limit).sum()) * growth
    else:
        # At most twice as many, which is sooner had than counted; memory that is not written takes none.
        nbytes += nbytes // len(old) * growth
    return _copied(loops.copy_replaced, strings, old, new, limit, nbytes=nbytes)


def _text_to(result: ColumnType) -> Callable[..., ColumnType | None]:
    return lambda strings, **_: result if strings == STR else None


CHARACTER_OPERATIONS: dict[str, Operation] = {
    **{name: Operation(name, 1, _text_to(BOOL), _predicate(name), of_distinct=True) for name in PREDICATES},
    **{name: Operation(name, 1, _text_to(STR), _transform(name), of_distinct=True) for name in TRANSFORMS},
    **{
        operation.name: operation
        for operation in (
            Operation("text_length", 1, _text_to(INT64), _length, of_distinct=True),
            Operation("text_find", 1, _text_to(INT64), _find, of_distinct=True),
            Operation("text_count", 1, _text_to(INT64), _count, of_distinct=True),
            Operation("text_get", 1, _text_to(NULLABLE_STR), _get, of_distinct=True),
            Operation("text_slice", 1, _text_to(STR), _slice, of_distinct=True),
            Operation("strip", 1, _text_to(STR), strip, of_distinct=True),
            Operation("without_affix", 1, _text_to(STR), _without, of_distinct=True),
            Operation("partition", 1, _text_to(STR), _partition, of_distinct=True),
            Operation("pad", 1, _text_to(STR), _pad, of_distinct=True),
            Operation("repeat", 1, _text_to(STR), _repeat),
            Operation("replace_text", 1, _text_to(STR), _replace, of_distinct=True),
        )
    },
}
