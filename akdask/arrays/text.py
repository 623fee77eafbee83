"""Functions of Strings: fields, affixes, bytes, missing text and conversion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import wrap
from akdask.arrays.elementwise import combine
from akdask.arrays.row_selection import filter_columns
from akdask.arrays.scalar import value_of
from akdask.columns.dtypes import NULLABLE_STR, STR
from akdask.columns.strings import missing_rows, offsets_and_bytes, with_nulls
from akdask.columns.table import Table
from akdask.deferred import pc
from akdask.engine.alignment import align, joined
from akdask.engine.missing import call, is_missing_text, is_present
from akdask.engine.rowwise import Project
from akdask.engine.run import check_bytes
from akdask.engine.values import Call, Constant, Value, cast
from akdask.errors import ArgumentError, ArgumentTypeError, TransferError
from akdask.operators.rows.plan import Flatten, SegmentStarts
from akdask.operators.values.strings import unicode_array
from akdask.storage.objects import SEGMENTS

if TYPE_CHECKING:
    from akdask.arrays.pdarray import pdarray
    from akdask.arrays.writing import Storable

CHARACTER = np.dtype("U1").itemsize
"""Bytes of a character in NumPy's strings."""


def count_of(n: Any) -> int:
    """Return a number of characters or matches as an int.

    Raises
    ------
    ArgumentTypeError
        If it is no integer.
    ArgumentError
        If it is negative.
    """
    n = value_of(n)
    if isinstance(n, bool) or not isinstance(n, int | np.integer):
        raise ArgumentTypeError(f"characters and matches are counted by an integer, not by {type(n).__name__}.")
    if n < 0:
        raise ArgumentError(f"there are no {n} characters or matches.")
    return int(n)


def as_str(item: Any) -> str:
    """Return a pattern, delimiter or set of characters as text; bytes are read as UTF-8.

    Raises
    ------
    ArgumentTypeError
        If it is neither text nor bytes.
    ArgumentError
        If the bytes are not UTF-8.
    """
    if not isinstance(item, str | bytes):
        raise ArgumentTypeError(f"expected a str or bytes, got {type(item).__name__}.")
    try:
        return item.decode() if isinstance(item, bytes) else str(item)
    except UnicodeDecodeError as error:
        raise ArgumentError("the bytes are no text in UTF-8.", details=[str(error)]) from None


# fields and affixes


def fields(strings: Any, delimiter: str | bytes, return_segments: bool, **how: Any) -> Any:
    """Return the fields between delimiters, and the number of the first field of each string if wanted."""
    lists = call("split", strings._value, delimiter=as_str(delimiter), **how)
    found = flat(strings, lists)
    return (found, starts(strings, Call("list_lengths", lists))) if return_segments else found


def peeled(strings: Any, delimiter: str | bytes, times: Any, **how: Any) -> tuple[Any, Any]:
    """Return the strings cut in two at a delimiter; see `Strings.peel`."""
    times = value_of(times)
    if isinstance(times, bool) or not isinstance(times, int | np.integer):
        raise ArgumentTypeError(f"times is an integer, not {type(times).__name__}.")
    if times < 1:
        raise ArgumentError(f"strings are peeled at least once, not {times} times.")
    how |= {"delimiter": as_str(delimiter), "times": int(times)}
    left, right = (strings._like(strings._frame, call("peel", strings._value, part=part, **how)) for part in (0, 1))
    return left, right


def affixes(strings: Any, n: Any, return_origins: bool, proper: bool, *, from_end: bool = False) -> Any:
    """Return the first or last `n` characters of the strings that have more, or as many unless `proper`."""
    count = count_of(n)
    # Counted from the end there is no place of no characters.
    place = {"start": -count, "stop": None} if from_end and count else {"start": 0, "stop": count}
    value = call("text_slice", strings._value, **place)
    enough = Call("greater_equal", call("text_length", strings._value), Constant(count + bool(proper)))
    frame, (value,) = filter_columns(strings._frame, [value], strings._frame, enough)
    found = strings._like(frame, value)
    return (found, wrap(strings._frame, enough)) if return_origins else found


# bytes


def flat(strings: Any, lists: Value) -> Any:
    """Return the items of a list for each string, end to end."""
    flattened = Flatten(Project(strings._frame, (0,), (lists,)))
    return wrap(flattened, flattened.column(0))


def lengths(strings: Any) -> Any:
    """Return the number of bytes of each string, without a terminator."""
    return wrap(strings._frame, _lengths(strings))


def offsets(strings: Any) -> Any:
    """Return where each string starts among the bytes of all, each followed by a NUL."""
    return starts(strings, Call("add", _lengths(strings), Constant(1)))


def _lengths(strings: Any) -> Value:
    return call("byte_length", strings._value)


def starts(strings: Any, lengths: Value) -> Any:
    """Return where the items of each string start, by the number of items of each."""
    # Through an array, as lengths may have been kept since the text was.
    node = SegmentStarts(wrap(strings._frame, lengths)._project())
    return wrap(node, node.starts)


def hashed(strings: Any) -> tuple[pdarray, pdarray]:
    """Return both halves of the SipHash of each string."""
    high: Any
    low: Any
    high, low = (wrap(strings._frame, call("text_hash", strings._value, part=part)) for part in (0, 1))
    return high, low


def of_parts(offsets: Any, octets: Any) -> Any:
    """Return the strings of offsets and bytes; see `Strings.from_parts`."""
    from akdask.arrays.creation import array
    from akdask.arrays.segarray import SegArray

    lists = SegArray(offsets, array(octets).astype("uint8"))
    found: Any = wrap(lists._frame, Call("text_of_bytes", lists._value))
    return found


def storable(strings: Any, save_offsets: bool, file_type: str) -> Storable:
    """Return the strings as they are written, in a single file without offsets if wanted."""
    leaves_out = not save_offsets and str(file_type).lower() == "single"
    stored = strings._storable()
    return replace(stored, params={SEGMENTS: False}) if leaves_out else stored


# missing text


def may_lack(strings: Any) -> bool:
    """Whether any text may be missing."""
    return strings._value.dtype.nullable


def are_missing(strings: Any) -> Any:
    """Return which strings are missing."""
    value = strings._value
    return wrap(strings._frame, is_missing_text(value) if may_lack(strings) else Call("not_equal", value, value))


def are_present(strings: Any) -> Any:
    """Return which strings are not missing."""
    value = strings._value
    return wrap(strings._frame, is_present(value) if may_lack(strings) else Call("equal", value, value))


def filled(strings: Any, value: Any) -> Any:
    """Return the strings with other text in place of missing text; see `Strings.fillna`."""
    if not isinstance(value, str | type(strings)):
        raise ArgumentTypeError(f"missing text is filled with text, not with a {type(value).__name__}.")
    if not may_lack(strings):
        return strings.copy()
    return strings._like(*combine("fill_missing", [strings, value]))


def present(strings: Any) -> Any:
    """Return the strings that are not missing."""
    if not may_lack(strings):
        return strings.copy()
    frame, (value,) = filter_columns(strings._frame, [strings._value], strings._frame, is_present(strings._value))
    return strings._like(frame, value)


# several arrays


def distinct_of_all(arrays: Sequence[Any]) -> Any:
    """Return the distinct strings of several arrays; see `Strings.concatenate_uniquely`."""
    from akdask.arrays.strings import Strings
    from akdask.operators.group.plan import GroupAggregate

    others = [type(item).__name__ for item in arrays if not isinstance(item, Strings)]
    if others or not arrays:
        error = ArgumentTypeError if others else ArgumentError
        raise error(f"expected one or more Strings, got {', '.join(others) or 'none'}.")
    dtype = NULLABLE_STR if any(map(may_lack, arrays)) else STR
    frame = joined([Project(item._frame, (0,), (cast(item._value, dtype),)) for item in arrays])
    groups = GroupAggregate.of(frame, [frame.column(0)])
    return Strings(groups, groups.key(0))


def are_equal(strings: Any, other: Any) -> Any:
    """Whether another array has the same strings, missing where these are; computes."""
    if not isinstance(other, type(strings)) or strings.size != other.size:
        return False
    frame, values = align("compare", [strings._as_operand(), other._as_operand()])
    found: Any = wrap(frame, Call("equal", *values))
    return found.all().value()


# conversion


def listed(strings: Any) -> list[Any]:
    """Return the strings as a list, None for missing text; computes."""
    try:
        found: list[Any] = strings.to_arrow().to_pylist()
    except UnicodeDecodeError as error:
        raise _no_text(error) from None
    return found


def as_numpy(strings: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """Return the strings as NumPy's text of any length; computes."""
    items = strings.to_arrow().to_pylist()
    if None in items:
        if not hasattr(dtype, "na_object"):
            raise ArgumentError(
                "text is missing, and the type that is asked for has nothing for it.",
                hint="pass np.dtypes.StringDType(na_object=None), or use fillna('…').",
            )
        items = [dtype.na_object if item is None else item for item in items]
    return np.array(items, dtype)


def as_text_or_none(table: Table) -> np.ndarray[Any, Any]:
    """Return the only column of a table as `as_text` does, or as objects with None where text is missing."""
    column: Any = table.columns[0]
    if not missing_rows(column).any():
        return as_text(table)
    objects: np.ndarray[Any, Any] = with_nulls(column).to_numpy(zero_copy_only=False)
    return objects


def as_text(table: Table) -> np.ndarray[Any, Any]:
    """Return the only column of a table of strings as NumPy strings, all as wide as the longest."""
    column: Any = table.columns[0]
    offsets, _ = offsets_and_bytes(column)
    widest = int(np.diff(offsets).max(initial=0))
    try:
        check_bytes(CHARACTER * len(column) * widest)
    except TransferError:
        # No character has less than a byte, but some have several.
        check_bytes(CHARACTER * len(column) * (pc.max(pc.utf8_length(column)).as_py() or 0))
    try:
        return unicode_array(column)
    except UnicodeDecodeError as error:
        raise _no_text(error) from None


def _no_text(error: UnicodeDecodeError) -> ArgumentError:
    hint = "decode() what was encoded; get_bytes() gives the bytes."
    return ArgumentError("the bytes of some strings are no text in UTF-8.", details=[str(error)], hint=hint)
