"""Splits of strings: fields between delimiters, characters, and bytes."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask import compiled
from akdask.columns.dtypes import INT64, STR, UINT8, ColumnType, list_of
from akdask.columns.lists import lists_of, offsets_of, values_of
from akdask.columns.strings import offsets_and_bytes
from akdask.deferred import pa, pc
from akdask.engine.operations import Operation
from akdask.errors import ArgumentError
from akdask.operators.values.matches import Matches, find_matches
from akdask.operators.values.strings import check_pattern, text_lengths
from akdask.typing import NumberArray, StringArray


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
    bounds, lengths = _parts(pc.split_pattern(strings, delimiter, reverse=from_right))
    width = len(delimiter.encode())
    rows = np.repeat(np.arange(len(strings)), np.diff(bounds))
    # A part ends after all earlier parts, and a delimiter for each of them except the last of each row.
    ends = np.cumsum(lengths) + width * (np.arange(len(lengths)) - rows)
    is_last = np.zeros(len(lengths), np.bool_)
    is_last[bounds[1:] - 1] = True
    starts = ends[~is_last]
    return Matches(bounds - np.arange(len(bounds)), starts, starts + width)


def _parts(lists: Any) -> tuple[NumberArray, NumberArray]:
    """Return the start of each row's parts, the end of the last, and the bytes of each part."""
    return np.asarray(lists.offsets).astype(np.int64), text_lengths(lists.values.cast(pa.large_string()))


def _split(strings: Any, out: Any = None, *, delimiter: str, regex: bool = False, maxsplit: int = 0) -> Any:
    """Return the fields of each row as a list."""
    # Arrow's splitting by regular expressions never ends if a match is empty.
    if regex or maxsplit:
        return _fields(strings, find_delimiters(strings, delimiter, regex=regex, from_right=False).up_to(maxsplit))
    lists = pc.split_pattern(strings, delimiter)
    return lists_of(np.asarray(lists.offsets).astype(np.int64), lists.values.cast(pa.large_string()))


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
    return lists_of(found.first + np.arange(len(found.first)), fields.filter(pa.array(is_field)))


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
    if not regex and not strings.null_count and compiled.should_compile_text(len(strings)):
        from akdask.operators.values.loops import delimiter_starts

        text = delimiter.encode()
        at = delimiter_starts(strings, text, times, from_right=from_right)
        has_all = at >= 0
        if not has_all.all():
            return has_all, (at[has_all], at[has_all] + len(text))
        return None, (at, at + len(text))
    found = find_delimiters(strings, delimiter, regex=regex, from_right=from_right)
    has_all = found.counts >= times
    number = (found.first[1:] - times if from_right else found.first[:-1] + times - 1)[has_all]
    return has_all, (found.starts[number], found.stops[number])


def _sides(strings: StringArray, starts: NumberArray, limits: NumberArray, part: int) -> StringArray:
    """Return the text left or right of a cut in each row."""
    _, data = offsets_and_bytes(strings)
    offsets = np.append(np.column_stack([starts, limits]).ravel(), len(data))
    both = pa.LargeStringArray.from_buffers(2 * len(strings), pa.py_buffer(offsets), pa.py_buffer(data))
    return both.take(pa.array(np.arange(part, 2 * len(strings), 2)))


def _characters(strings: Any, out: Any = None) -> NumberArray:
    return np.asarray(pc.utf8_length(strings)).astype(np.int64)


def _slice(strings: Any, out: Any = None, *, start: int, stop: int | None) -> Any:
    return pc.utf8_slice_codeunits(strings, start=start, stop=stop)


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
            lambda strings, *, delimiter, regex=False, maxsplit=0: _delimited(list_of(STR), strings, delimiter, regex),
            _split,
        ),
        Operation(
            "peel", 1, lambda strings, *, delimiter, regex, **_: _delimited(STR, strings, delimiter, regex), _peel
        ),
        Operation("text_length", 1, lambda strings: INT64 if strings == STR else None, _characters),
        Operation("text_slice", 1, lambda strings, **_: STR if strings == STR else None, _slice),
        Operation("text_bytes", 1, lambda strings: list_of(UINT8) if strings == STR else None, _bytes),
        Operation("text_of_bytes", 1, lambda lists: STR if lists == list_of(UINT8) else None, _of_bytes),
    )
}
