"""Matches of regular expressions: their positions, text and replacements; and splits of strings.

Arrow's functions find the first match of a row, and replace all. A replacement also gives the positions of all matches:
it puts each between two bytes that do not occur in UTF-8. So rows need not be searched one by one. RE2, the engine of
an Arkouda server, does the matching without holding Python's lock. Strings are split into fields between delimiters,
characters, and bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from akdask.caches import cached_results
from akdask.columns.arrow import lists_of, numpy_numbers, offsets_of, values_of
from akdask.columns.dtypes import INT64, STR, UINT8, ColumnType, list_of
from akdask.columns.strings import offsets_and_bytes
from akdask.columns.table import filter_rows, take_rows
from akdask.deferred import pa, pc
from akdask.engine.operations import Operation
from akdask.errors import ArgumentError, UnsupportedError
from akdask.operators.text import loops
from akdask.operators.text.characters import WHITE_SPACE, strip
from akdask.operators.text.strings import check_pattern, text_lengths
from akdask.records import record
from akdask.typing import NumberArray, StringArray

REWRITTEN = 9
"""Most groups that RE2's replacements can name."""

_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}

_SYNTAX = re.compile(
    r"""
    \\Q .*? (?: \\E | \Z )                                  # literal text
    | \\ .                                                  # an escape
    | \[ \^? \]? (?: \[:\^?\w+:\] | \\. | [^\]\\] )* \]     # a class of characters
    | (?P<opening> \( (?: \?P?<(?P<name>\w+)> | (?!\?) ) )  # a group that captures
    """,
    re.DOTALL | re.VERBOSE,
)

_REFERENCE = re.compile(
    r"\\(?: g<(?P<name>[^>]*)> | (?P<number>0|[1-9]\d?) | (?P<escaped>.)? )", re.DOTALL | re.VERBOSE
)


def group_names(pattern: str) -> tuple[str | None, ...]:
    r"""Return the names of the capturing groups, in order; None for groups without a name.

    Examples
    --------
    >>> group_names(r"(\d+)[(](?P<unit>m|(?:km))\(")
    (None, 'unit')
    """
    return tuple(found["name"] for found in _openings(pattern))


def check_group(pattern: str, group: int) -> None:
    """Refuse a group that a regular expression does not have; group 0 is the whole match.

    Raises
    ------
    ArgumentError
        If there is no such group.
    """
    count = len(group_names(pattern))
    if not 0 <= group <= count:
        raise ArgumentError(f"{pattern!r} has no group {group}.", details=[f"it has {count} besides group 0"])


def capturing(pattern: str, groups: Iterable[int]) -> str:
    """Return a regular expression that captures only some of its groups, each named by its number.

    Examples
    --------
    >>> capturing("(a)(?P<name>b)(c)", [2])
    '(?:a)(?P<g2>b)(?:c)'
    """
    wanted = frozenset(groups)
    openings = [f"(?P<g{number}>" if number in wanted else "(?:" for number in range(len(group_names(pattern)) + 1)]
    parts, end = [], 0
    for number, found in enumerate(_openings(pattern), 1):
        parts += [pattern[end : found.start()], openings[number]]
        end = found.end()
    return "".join([*parts, pattern[end:]])


def _openings(pattern: str) -> Iterator[re.Match[str]]:
    return (found for found in _SYNTAX.finditer(pattern) if found["opening"])


@record
class Replacement:
    """A regular expression and its replacement, both in the syntax of RE2.

    Parameters
    ----------
    pattern : str
        The expression, which captures the groups of the replacement.
    rewrite : str
        The replacement.
    """

    pattern: str
    rewrite: str


@cached_results("replacements of text", 256)
def replacement(pattern: str, template: str) -> Replacement:
    r"""Return a replacement as Python's `re.sub` reads it: ``\1`` and ``\g<name>`` stand for groups, ``\n`` for itself.

    As in RE2, ``\0`` is all of the match, where Python has a NUL.

    Raises
    ------
    ArgumentError
        If the pattern is no regular expression, or the template refers to groups that it does not have.
    UnsupportedError
        If the template has more than nine different groups.

    Examples
    --------
    >>> replacement("(a)|(b)", r"<\2>")
    Replacement(pattern='(?:a)|(?P<g2>b)', rewrite='<\\1>')
    """
    check_pattern(pattern)
    parts = list(_parts(template, group_names(pattern)))
    groups = sorted({part for part in parts if isinstance(part, int) and part})
    if len(groups) > REWRITTEN:
        raise UnsupportedError(f"a replacement has at most {REWRITTEN} different groups, not {len(groups)}.")
    numbers = {0: 0} | {group: number for number, group in enumerate(groups, 1)}
    rewrite = "".join(f"\\{numbers[part]}" if isinstance(part, int) else part.replace("\\", r"\\") for part in parts)
    return Replacement(capturing(pattern, groups), rewrite)


def _parts(template: str, names: tuple[str | None, ...]) -> Iterator[str | int]:
    """Yield the text of a template, and the numbers of the groups in between."""
    end = 0
    for found in _REFERENCE.finditer(template):
        yield template[end : found.start()]
        yield _referred(template, found, names)
        end = found.end()
    yield template[end:]


def _referred(template: str, found: re.Match[str], names: tuple[str | None, ...]) -> str | int:
    """Return the group, or the character, of an escape in a template."""
    escaped, name = found["escaped"], found["name"] or found["number"]
    if name is None:
        if escaped is None or (escaped.isalnum() and escaped not in _ESCAPES):
            raise ArgumentError(
                f"the replacement {template!r} has {found[0]!r}, which stands for nothing.",
                hint=r"write \\ for a backslash, \1 or \g<name> for a group.",
            )
        return _ESCAPES.get(escaped, found[0])
    number = int(name) if name.isdecimal() else names.index(name) + 1 if name in names else -1
    if not 0 <= number <= len(names):
        raise ArgumentError(
            f"the replacement {template!r} has {found[0]!r}, but there is no such group.",
            details=[f"groups: {len(names)}, with the names {', '.join(filter(None, names)) or 'of none'}"],
        )
    return number


MARK = b"\xfe"
"""The byte around matches."""


@record
class Matches:
    """Positions of matches among the bytes of all rows, counted from the first byte of the first row.

    Parameters
    ----------
    first : ndarray, shape (nrows + 1,), int64
        The number of the first match of each row, and of a row after the last.
    starts, stops : ndarray, int64
        Bounds of each match.
    """

    first: NumberArray
    starts: NumberArray
    stops: NumberArray

    @property
    def counts(self) -> NumberArray:
        """The number of matches of each row."""
        counts: NumberArray = np.diff(self.first)
        return counts

    def up_to(self, most: int) -> Matches:
        """Return the first `most` matches of each row; all for 0."""
        if not most or not (self.counts > most).any():
            return self
        is_wanted = self.numbers < most
        first = np.append(0, np.cumsum(np.minimum(self.counts, most)))
        return Matches(first, self.starts[is_wanted], self.stops[is_wanted])

    @property
    def numbers(self) -> NumberArray:
        """The number of each match within its row."""
        numbers: NumberArray = np.arange(len(self.starts)) - np.repeat(self.first[:-1], self.counts)
        return numbers


def find_matches(strings: StringArray, pattern: str) -> Matches:
    """Return the positions of all matches, from the left; an empty match does not follow another match at once.

    Examples
    --------
    >>> found = find_matches(pa.array(["1_2__", "3", "_"], pa.large_string()), "_+")
    >>> found.first.tolist(), found.starts.tolist(), found.stops.tolist()
    ([0, 2, 2, 3], [1, 3, 6], [2, 5, 7])
    """
    marked = pc.replace_substring_regex(strings, pattern=pattern, replacement=MARK + rb"\0" + MARK)
    first, found_at = _positions(marked, 2)
    before = np.arange(0, 2 * len(found_at), 2)
    return Matches(first, found_at[:, 0] - before, found_at[:, 1] - before - 1)


def _positions(marked: StringArray, size: int) -> tuple[NumberArray, NumberArray]:
    """Return the number of the first match of each row, and the positions of marker bytes."""
    offsets, data = offsets_and_bytes(marked)
    found = np.flatnonzero(data == MARK[0])
    return np.searchsorted(found, offsets - offsets[0]) // size, found.reshape(-1, size)


def between(strings: StringArray, found: Matches) -> StringArray:
    """Return the text of matches, one row for each."""
    _, data = offsets_and_bytes(strings)
    bounds = np.append(np.column_stack([found.starts, found.stops]).ravel(), len(data))
    parts = pa.LargeStringArray.from_buffers(len(bounds) - 1, pa.py_buffer(bounds), pa.py_buffer(data))
    return take_rows(parts, np.arange(0, len(bounds) - 1, 2))


def replaced(strings: StringArray, how: Replacement, most: int) -> StringArray:
    """Return text whose first `most` matches are replaced; all for 0."""
    if not most:
        return pc.replace_substring_regex(strings, pattern=how.pattern, replacement=how.rewrite)
    # Match and replacement stand side by side, and one is removed; RE2 then sees the text around a match unchanged.
    both = MARK + rb"\0" + MARK + how.rewrite.encode() + MARK
    marked = pc.replace_substring_regex(strings, pattern=how.pattern, replacement=both)
    first, found_at = _positions(marked, 3)
    found = Matches(first, found_at[:, 0], found_at[:, 2])
    is_replaced = found.numbers < most
    # The bytes from the first marker to the last, or the first alone and from the second on.
    starts = np.column_stack([found.starts, np.where(is_replaced, found.stops, found_at[:, 1])])
    stops = np.column_stack([np.where(is_replaced, found_at[:, 1], found.starts) + 1, found.stops + 1])
    return _without(marked, found, starts, stops)


def _without(strings: StringArray, found: Matches, starts: NumberArray, stops: NumberArray) -> StringArray:
    """Return text without some byte ranges of each match."""
    offsets, data = offsets_and_bytes(strings)
    changes = np.zeros(len(data) + 1, np.int8)
    # No two ranges begin or end in the same place; where one ends another may begin.
    changes[starts.ravel()] += 1
    changes[stops.ravel()] -= 1
    left = data[np.cumsum(changes[:-1], dtype=np.int8) == 0]
    gone = np.append(0, np.cumsum((stops - starts).sum(axis=1)))
    bounds = offsets - offsets[0] - gone[found.first]
    return pa.LargeStringArray.from_buffers(len(strings), pa.py_buffer(bounds), pa.py_buffer(left))


def _first_start(strings: Any, out: Any = None, *, pattern: str) -> NumberArray:
    """Return the first byte of each row's first match, -1 without one."""
    return numpy_numbers(pc.find_substring_regex(strings, pattern)).astype(np.int64, copy=False)


def _first_text(strings: Any, out: Any = None, *, pattern: str, group: int) -> StringArray:
    """Return the text of a group in each row's first match, empty text without one."""
    name = f"g{group}"
    extracted = pc.extract_regex(
        strings, capturing(pattern, [group]) if group else f"(?P<{name}>{capturing(pattern, [])})"
    )
    return pc.fill_null(extracted.field(name), "")


def _counts(strings: Any, out: Any = None, *, pattern: str) -> NumberArray:
    return find_matches(strings, pattern).counts


def _all_text(strings: Any, out: Any = None, *, pattern: str) -> pa.LargeListArray:
    found = find_matches(strings, pattern)
    return lists_of(found.first, between(strings, found))


def _spans(strings: Any, out: Any = None, *, pattern: str) -> pa.LargeListArray:
    """Return the first byte of each match in its row, then its length."""
    found = find_matches(strings, pattern)
    offsets, _ = offsets_and_bytes(strings)
    starts = found.starts - np.repeat(offsets[:-1] - offsets[0], found.counts)
    return lists_of(2 * found.first, np.column_stack([starts, found.stops - found.starts]).ravel())


def _part_of_spans(spans: Any, out: Any = None, *, part: int) -> pa.LargeListArray:
    """Return the starts of matches, or their lengths for part 1."""
    return lists_of(offsets_of(spans) // 2, values_of(spans, INT64)[part::2])


def _replaced(strings: Any, out: Any = None, *, pattern: str, template: str, most: int) -> StringArray:
    return replaced(strings, replacement(pattern, template), most)


def _matched(result: ColumnType) -> Callable[..., ColumnType | None]:
    """Check the pattern when the plan is made, so that a bad one raises there."""

    def rule(strings: ColumnType, *, pattern: str, group: int = 0) -> ColumnType | None:
        if strings != STR:
            return None
        check_pattern(pattern)
        check_group(pattern, group)
        return result

    return rule


def _replaced_type(strings: ColumnType, *, pattern: str, template: str, most: int) -> ColumnType | None:
    replacement(pattern, template)
    return STR if strings == STR else None


MATCH_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("match_start", 1, _matched(INT64), _first_start, of_distinct=True),
        Operation("match_text", 1, _matched(STR), _first_text, of_distinct=True),
        Operation("match_count", 1, _matched(INT64), _counts, of_distinct=True),
        Operation("match_texts", 1, _matched(list_of(STR)), _all_text),
        Operation("match_spans", 1, _matched(list_of(INT64)), _spans),
        Operation(
            "part_of_spans", 1, lambda spans, *, part: spans if spans == list_of(INT64) else None, _part_of_spans
        ),
        Operation("replace_matches", 1, _replaced_type, _replaced, of_distinct=True),
    )
}


def find_delimiters(strings: StringArray, delimiter: str, *, regex: bool, from_right: bool) -> Matches:
    """Return the positions of all delimiters; of overlapping ones the first counts, or the last if `from_right`.

    Matches of a regular expression are found from the left in any case.

    Examples
    --------
    >>> found = find_delimiters(pa.array(["a.b", "c", "..d"], pa.large_string()), ".", regex=False, from_right=False)
    >>> found.first.tolist(), found.starts.tolist(), found.stops.tolist()
    ([0, 1, 1, 3], [1, 4, 5], [2, 5, 6])
    """
    return find_matches(strings, delimiter) if regex else _occurrences(strings, delimiter, from_right)


def _occurrences(strings: StringArray, delimiter: str, from_right: bool) -> Matches:
    bounds, lengths = _offsets_of_parts(pc.split_pattern(strings, delimiter, reverse=from_right))
    width = len(delimiter.encode())
    rows = np.repeat(np.arange(len(strings)), np.diff(bounds))
    # A part ends after all earlier parts, and a delimiter for each of them except the last of each row.
    ends = np.cumsum(lengths) + width * (np.arange(len(lengths)) - rows)
    is_last = np.zeros(len(lengths), np.bool_)
    is_last[bounds[1:] - 1] = True
    starts = ends[~is_last]
    return Matches(bounds - np.arange(len(bounds)), starts, starts + width)


def _offsets_of_parts(lists: Any) -> tuple[NumberArray, NumberArray]:
    """Return the start of each row's parts, the end of the last, and the bytes of each part."""
    return numpy_numbers(lists.offsets).astype(np.int64), text_lengths(lists.values.cast(pa.large_string()))


def _split(strings: Any, out: Any = None, *, delimiter: str, regex: bool, maxsplit: int = 0) -> Any:
    """Return the fields of each row as a list."""
    # Arrow's splitting by regular expressions never ends if a match is empty.
    if regex or maxsplit:
        return _fields(strings, find_delimiters(strings, delimiter, regex=regex, from_right=False).up_to(maxsplit))
    lists = pc.split_pattern(strings, delimiter)
    return lists_of(numpy_numbers(lists.offsets).astype(np.int64), lists.values.cast(pa.large_string()))


def _split_words(strings: Any, out: Any = None, *, most: int) -> pa.LargeListArray:
    """Return the text between white space; of at most so many splits, all unless `most` is positive."""
    # Not by Arrow's function, which sometimes leaves white space at the end of the last text.
    strings = strip(strings, right=False)
    lists = _fields(strings, find_matches(strings, f"[{WHITE_SPACE}]+").up_to(most))
    # Text ends in an empty field behind white space, and is one if it has nothing else.
    fields: StringArray = values_of(lists, STR)
    is_word = text_lengths(fields) > 0
    if is_word.all():
        return lists
    return lists_of(np.append(0, np.cumsum(is_word))[offsets_of(lists)], filter_rows(fields, is_word))


def _fields(strings: StringArray, found: Matches) -> pa.LargeListArray:
    """Return the fields between delimiters: every other part of the rows split on both sides of each delimiter."""
    offsets, data = offsets_and_bytes(strings)
    rows = np.arange(len(strings))
    before = 2 * np.arange(len(found.starts)) + np.repeat(rows, np.diff(found.first))
    limits = np.empty(2 * len(found.starts) + len(strings) + 1, np.int64)
    limits[2 * found.first[:-1] + rows] = offsets[:-1] - offsets[0]
    limits[before + 1], limits[before + 2], limits[-1] = found.starts, found.stops, len(data)
    is_field = np.ones(len(limits) - 1, np.bool_)
    is_field[before + 1] = False
    fields = pa.LargeStringArray.from_buffers(len(is_field), pa.py_buffer(limits), pa.py_buffer(data))
    return lists_of(found.first + np.arange(len(found.first)), filter_rows(fields, is_field))


def _peel(
    strings: Any,
    out: Any = None,
    *,
    part: int,
    delimiter: str,
    times: int,
    include: bool,
    partial: bool,
    from_right: bool,
    regex: bool,
) -> Any:
    """Return the text on one side of a delimiter, the left for part 0; see `Strings.peel`."""
    offsets, _ = offsets_and_bytes(strings)
    starts, stops = offsets[:-1] - offsets[0], offsets[1:] - offsets[0]
    has_all, found = _delimiters(strings, delimiter, times, from_right=from_right, regex=regex)
    # A row with too few delimiters stays whole on one side; the delimiter is kept by the peeled part, or dropped.
    keeps = include and from_right == bool(part)
    limit = found[int(keeps != bool(part))]
    if has_all is None:
        return _sides(strings, starts, limit, part)
    limits = (stops if partial != from_right else starts).copy()
    limits[has_all] = limit
    return _sides(strings, starts, limits, part)


def _delimiters(
    strings: StringArray, delimiter: str, times: int, *, from_right: bool, regex: bool
) -> tuple[NumberArray | None, tuple[NumberArray, NumberArray]]:
    """Return the rows with enough delimiters, None for all, and the bounds of the last of these delimiters."""
    if not regex and not strings.null_count:
        (offsets, data), text = offsets_and_bytes(strings), delimiter.encode()
        at = np.full(len(strings), -1, np.int64)
        # No string has more delimiters than bytes.
        number, step = min(times, len(data) + 1), -1 if from_right else 1
        loops.find_delimiter(offsets, data, np.frombuffer(text, np.uint8), number, step, at)
        has_all = at >= 0
        if not has_all.all():
            return has_all, (at[has_all], at[has_all] + len(text))
        return None, (at, at + len(text))
    found = find_delimiters(strings, delimiter, regex=regex, from_right=from_right)
    has_all = found.counts >= times
    chosen = (found.first[1:] - times if from_right else found.first[:-1] + times - 1)[has_all]
    return has_all, (found.starts[chosen], found.stops[chosen])


def _sides(strings: StringArray, starts: NumberArray, limits: NumberArray, part: int) -> StringArray:
    """Return the text left or right of a cut in each row."""
    _, data = offsets_and_bytes(strings)
    offsets = np.append(np.column_stack([starts, limits]).ravel(), len(data))
    both = pa.LargeStringArray.from_buffers(2 * len(strings), pa.py_buffer(offsets), pa.py_buffer(data))
    return take_rows(both, np.arange(part, 2 * len(strings), 2))


def _bytes(strings: Any, out: Any = None) -> Any:
    """Return the bytes of each row with a final NUL as a list, the layout of Arkouda in memory and files."""
    offsets, data = offsets_and_bytes(strings)
    bounds = offsets - offsets[0] + np.arange(len(offsets))
    ended = np.zeros(bounds[-1], np.uint8)
    is_text = np.ones(bounds[-1], np.bool_)
    is_text[bounds[1:] - 1] = False
    ended[is_text] = data
    return lists_of(bounds, ended)


def _of_bytes(lists: Any, out: Any = None) -> StringArray:
    """Return the text of lists of bytes, each with a final NUL."""
    offsets, data = offsets_of(lists), values_of(lists, UINT8)
    lengths = np.diff(offsets)
    if (lengths == 0).any() or (len(lengths) and data[offsets[1:] - 1].any()):
        raise ArgumentError("the bytes of a string end in NUL.", hint="offsets are those of get_offsets().")
    is_text = np.ones(len(data), np.bool_)
    is_text[offsets[1:] - 1] = False
    bounds, text = offsets - np.arange(len(offsets)), data[is_text]
    strings = pa.LargeStringArray.from_buffers(len(lengths), pa.py_buffer(bounds), pa.py_buffer(text))
    try:
        strings.validate(full=True)
    except pa.ArrowInvalid as error:
        raise ArgumentError("the bytes are no text in UTF-8.", details=[str(error)]) from None
    return strings


def _delimited(result: ColumnType, strings: ColumnType, delimiter: str, regex: bool) -> ColumnType | None:
    """Check the delimiter when the plan is made, so that a bad one raises there."""
    if strings != STR:
        return None
    if regex:
        check_pattern(delimiter)
    if pc.match_substring_regex(pa.array([""]), delimiter)[0].as_py() if regex else not delimiter:
        raise ArgumentError(
            f"the delimiter {delimiter!r} is found in the empty string.",
            hint="pass one that takes a character or more.",
        )
    return result


FIELD_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation(
            "split",
            1,
            lambda strings, *, delimiter, regex, **_: _delimited(list_of(STR), strings, delimiter, regex),
            _split,
        ),
        Operation("split_words", 1, lambda strings, *, most: list_of(STR) if strings == STR else None, _split_words),
        Operation(
            "peel", 1, lambda strings, *, delimiter, regex, **_: _delimited(STR, strings, delimiter, regex), _peel
        ),
        Operation("text_bytes", 1, lambda strings: list_of(UINT8) if strings == STR else None, _bytes),
        Operation("text_of_bytes", 1, lambda lists: STR if lists == list_of(UINT8) else None, _of_bytes),
    )
}
