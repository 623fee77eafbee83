"""Operations on strings, row by row: Arrow's compute functions under Arkouda's names; IPv4 addresses as text.

Lengths and comparisons work on UTF-8 bytes.  Regular expressions are RE2's, the engine behind Chapel's, so that a
pattern means here what it means to an Arkouda server; unlike Python's ``re``, RE2 has no look-around and no
back-references. Moves and comparisons treat text with missing values like other text; it has a few operations more.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from ipaddress import IPv4Address, ip_address
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.caches import cached_results
from akdask.columns.arrow import arrow_numbers, arrow_text, numpy_numbers
from akdask.columns.dtypes import BOOL, INT64, NULLABLE_STR, STR, UINT64, ColumnType
from akdask.columns.memory import new_array
from akdask.columns.strings import demanded, filled, make_missing, missing_rows, offsets_and_bytes
from akdask.deferred import is_arrow, pa, pc
from akdask.engine.operations import Kernel, Operation
from akdask.errors import ArgumentError
from akdask.operators.text import loops
from akdask.typing import NumberArray, StringArray

ByteSets = npt.NDArray[np.bool_]
"""For each place of a match, which of the 256 bytes are allowed there."""

_LONGEST = 2**10

_ITEM = re.compile(
    r"""
    (?P<literal> [^\\.^$*+?{}\[\]|()] )
    | \\ (?P<escaped> [^\w\s] )
    | \\ (?P<named> [dws] )
    | \[ (?P<members> (?: [0-9]-[0-9] | [a-z]-[a-z] | [A-Z]-[A-Z] | [^\W_] | [ _,;:/=@!%&"'<>~\#] )+ ) \]
    """,
    re.ASCII | re.DOTALL | re.VERBOSE,
)
_IGNORES_CASE = "(?i)"
_ANCHORED = re.compile(r"\\A\(\?:(.*)\)", re.DOTALL)
_WORDS = re.compile(r"(\(\?i\))?([^\\.^$*+?{}\[\]()]+)", re.DOTALL)
_MOST_BRANCHES = 8
"""Most words in a pattern that are sought one by one: RE2 takes the time of ten."""

# RE2's classes are ASCII, for any text.
_NAMED = {"d": "0-9", "w": "0-9A-Za-z_", "s": "\t\n\f\r "}


@cached_results("bytes of patterns", 256)
def leading_sets(pattern: str) -> tuple[ByteSets | None, bool]:
    r"""Return which bytes the matches of a regular expression begin with, and whether that is all to be found.

    There are none if RE2 has to find all of a match.

    Examples
    --------
    >>> found, is_all = leading_sets(r"5\d[x-z]+")
    >>> ["".join(map(chr, np.flatnonzero(positions))) for positions in found], is_all
    (['5', '0123456789', 'xyz'], True)
    >>> leading_sets("5?a") == (None, False)
    True
    """
    sets: list[set[int]] = []
    ignores_case = pattern.startswith(_IGNORES_CASE)
    at, is_all = len(_IGNORES_CASE) if ignores_case else 0, True
    while is_all and at < len(pattern):
        found = _ITEM.match(pattern, at)
        members = None if found is None else _positions(found, ignores_case)
        if found is None or members is None:
            is_all = False
            break
        at = found.end()
        # An item that occurs any number of times says nothing, and one that occurs more than once, no more at the end.
        times = pattern[at : at + 1]
        sets += [] if times in ("*", "?", "{") else members
        if times in ("*", "?", "{", "+") and times:
            is_all = times != "{" and at + 1 == len(pattern)
            break
    # What follows may be another pattern.
    has_others = not is_all and "|" in pattern[at:]
    return (None, False) if has_others or not 0 < len(sets) <= _LONGEST else (_table(sets), is_all)


def _positions(item: re.Match[str], ignores_case: bool) -> list[set[int]] | None:
    """Return which bytes an item of a pattern allows at each place; None if other characters have the same letters."""
    text = item["literal"] or item["escaped"]
    members = "" if text else item["members"] or _NAMED[item["named"]]
    if not ignores_case:
        return [{byte} for byte in text.encode()] if text else [_members(members)]
    # Among the small letters of others are k and s.
    if not text or not text.isascii() or text in "kKsS":
        return None
    return [{ord(text.lower()), ord(text.upper())}]


@cached_results("bytes of literals", 256)
def literal_sets(text: str) -> ByteSets | None:
    """Return the bytes of text at each place as sets of one; None for the empty text, which all strings contain."""
    sets = [{byte} for byte in text.encode()]
    return _table(sets) if 0 < len(sets) <= _LONGEST else None


def _members(members: str) -> set[int]:
    found: set[int] = set()
    at = 0
    while at < len(members):
        last = at + 2 if members[at + 1 : at + 2] == "-" else at
        found.update(range(ord(members[at]), ord(members[last]) + 1))
        at = last + 1
    return found


def _table(sets: list[set[int]]) -> ByteSets:
    table = np.zeros((len(sets), 256), np.bool_)
    for place, members in enumerate(sets):
        table[place, list(members)] = True
    table.flags.writeable = False
    return table


def arrow_operand(item: Any) -> Any:
    """Return an Arrow array unchanged, a str as an Arrow scalar of the same type."""
    return item if is_arrow(item, "Array") else arrow_text([str(item)])[0]


def unpack_bools(packed: Any, out: Any = None) -> Any:
    """Return Arrow's bits as NumPy bytes, a Boolean scalar as NumPy's."""
    if is_arrow(packed, "Scalar"):
        bools: Any = np.bool_(packed.as_py())
    else:
        bools = numpy_numbers(packed)
    if out is None:
        return bools
    out[...] = bools
    return out


def unicode_array(strings: pa.LargeStringArray) -> NumberArray:
    """Return strings as a NumPy array, all padded to the longest."""
    offsets, text = offsets_and_bytes(strings)
    if text.view(np.int8).min(initial=0) < 0:
        # Some characters have several bytes.
        return np.array(strings.to_pylist(), dtype=str)
    longest = max(int(np.diff(offsets).max(initial=0)), 1)
    characters = new_array(len(strings) * longest, np.uint32).reshape(len(strings), longest)
    loops.widen(offsets, text, characters)
    return characters.view(f"U{longest}").ravel()


def compare_strings(name: str) -> Kernel:
    """Return the kernel of a comparison, by its name in NumPy; strings are ordered by their bytes."""

    def kernel(left: Any, right: Any, out: Any = None) -> Any:
        if name in ("equal", "not_equal"):
            strings, other = (left, right) if is_arrow(left, "Array") else (right, left)
            if is_arrow(strings, "LargeStringArray") and not (strings.null_count or getattr(other, "null_count", 0)):
                found = are_equal(strings, other, out)
                return found if name == "equal" else np.logical_not(found, out=found)
        return unpack_bools(getattr(pc, name)(arrow_operand(left), arrow_operand(right)), out)

    return kernel


def are_equal(strings: StringArray, other: Any, out: NumberArray | None = None) -> NumberArray:
    """Return whether strings, none of which is null, are one text, or those of the same rows of another array."""
    found: NumberArray = np.empty(len(strings), np.bool_) if out is None else out
    if is_arrow(other, "Array"):
        loops.equal_rows(*offsets_and_bytes(strings), *offsets_and_bytes(other), found)
    else:
        loops.equal(*offsets_and_bytes(strings), np.frombuffer(str(other).encode(), np.uint8), found)
    return found


def where_strings(condition: Any, x: Any, y: Any) -> Any:
    """Return `x` where the condition holds, `y` elsewhere."""
    rows = arrow_numbers(condition) if np.ndim(condition) else condition
    return pc.if_else(rows, arrow_operand(x), arrow_operand(y))


def text_lengths(strings: pa.LargeStringArray, out: Any = None) -> Any:
    """Return the number of bytes of each string."""
    offsets, _ = offsets_and_bytes(strings)
    return np.subtract(offsets[1:], offsets[:-1], out=out)


def _is_empty(strings: Any, out: Any = None) -> Any:
    return np.equal(text_lengths(strings), 0, out=out)


def _contains(strings: Any, out: Any = None, *, substr: str, regex: bool = False) -> Any:
    if branches := _branches(substr) if regex else []:
        by_branch = [_contains(strings, substr=one, regex=True) for one in branches]
        return np.logical_or.reduce(by_branch, axis=0, out=out)
    anchored = _ANCHORED.fullmatch(substr) if regex else None
    pattern = anchored[1] if anchored else substr
    sets, is_all = leading_sets(pattern) if regex else (literal_sets(substr), True)
    name = "match_substring_regex" if regex else "match_substring"
    if strings.null_count or sets is None or not (anchored or _has_pair(sets)):
        return unpack_bools(getattr(pc, name)(strings, substr), out)
    found = np.zeros(len(strings), np.bool_)
    (loops.begin_with_sets if anchored else loops.contain)(*offsets_and_bytes(strings), sets, found)
    if not is_all:
        rows = np.flatnonzero(found)
        some = strings if 2 * len(rows) > len(strings) else strings.take(arrow_numbers(rows))
        found[... if some is strings else rows] = numpy_numbers(getattr(pc, name)(some, substr))
    if out is None:
        return found
    out[...] = found
    return out


@cached_results("branches of patterns", 256)
def _branches(pattern: str) -> list[str]:
    """Return the words of which one is to be found, if loops find all of them by themselves; none otherwise."""
    words = _WORDS.fullmatch(pattern)
    if words is None or not 0 < words[2].count("|") < _MOST_BRANCHES:
        return []
    branches = [(words[1] or "") + word for word in words[2].split("|")]
    found = map(leading_sets, branches)
    return branches if all(is_all and sets is not None and _has_pair(sets) for sets, is_all in found) else []


def _has_pair(sets: ByteSets) -> bool:
    """Whether searches can begin at a place, which allows one byte, or two that differ in one bit, as letters do."""
    return any(
        len(members) == 1 or (len(members) == 2 and (members[0] ^ members[1]).bit_count() == 1)
        for members in ([int(byte) for byte in np.flatnonzero(positions)] for positions in sets)
    )


def _startswith(strings: Any, out: Any = None, *, substr: str, regex: bool = False) -> Any:
    if regex:
        return _contains(strings, out, substr=rf"\A(?:{substr})", regex=True)
    return begin_with(strings, substr, out, at_end=False)


def _endswith(strings: Any, out: Any = None, *, substr: str, regex: bool = False) -> Any:
    if regex:
        return _contains(strings, out, substr=rf"(?:{substr})\z", regex=True)
    return begin_with(strings, substr, out, at_end=True)


def begin_with(strings: StringArray, affix: str, out: Any = None, *, at_end: bool) -> NumberArray:
    """Return which strings begin with a text, or end with it."""
    found: NumberArray = np.empty(len(strings), np.bool_) if out is None else out
    loops.begin_with(*offsets_and_bytes(strings), np.frombuffer(affix.encode(), np.uint8), at_end, found)
    return found


def _matched_type(strings: ColumnType, *, substr: str, regex: bool = False) -> ColumnType | None:
    """Check the pattern when the plan is made, so that a bad one raises there."""
    if strings != STR:
        return None
    if regex:
        check_pattern(substr)
    return BOOL


def check_pattern(pattern: str) -> None:
    """Refuse an invalid regular expression.

    Raises
    ------
    ArgumentError
        If RE2 does not accept it.
    """
    try:
        pc.match_substring_regex(pa.array([""]), pattern)
    except pa.ArrowInvalid as error:
        raise ArgumentError(
            f"{pattern!r} is no regular expression.",
            details=[str(error)],
            hint="the syntax is RE2's: as Python's, without look-around and back-references.",
        ) from error


def _stick(left: Any, right: Any, out: Any = None, *, delimiter: str = "") -> Any:
    joined = pc.binary_join_element_wise(arrow_operand(left), arrow_operand(right), arrow_operand(delimiter))
    return joined.as_py() if is_arrow(joined, "Scalar") else joined


def _isin(strings: Any, out: Any = None, *, values: tuple[str, ...]) -> Any:
    return unpack_bools(pc.is_in(strings, arrow_text(values)), out)


_OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_ADDRESS = "^" + r"\.".join(_OCTET.replace("(", f"(?P<o{place}>", 1) for place in range(4)) + "$"
_OCTET_SHIFTS = (24, 16, 8, 0)


def ipv4_text(numbers: Any, out: Any = None) -> Any:
    """Write addresses as dotted text; numbers beyond 32 bits are written as IPv6, as Arkouda does.

    Examples
    --------
    >>> ipv4_text(np.array([1, 2**32 - 1], np.uint64)).to_pylist()
    ['0.0.0.1', '255.255.255.255']
    """
    if np.ndim(numbers) == 0:
        return str(ip_address(int(numbers)))
    octets = [
        pc.cast(pa.array((numbers >> np.uint64(shift)) & np.uint64(255)), pa.large_string()) for shift in _OCTET_SHIFTS
    ]
    text = pc.binary_join_element_wise(*octets, pa.scalar(".", pa.large_string()))
    beyond = np.flatnonzero(numbers >> np.uint64(32))
    if not len(beyond):
        return text
    long = pa.array([str(ip_address(int(number))) for number in numbers[beyond]], pa.large_string())
    return pc.replace_with_mask(text, pa.array(numbers >> np.uint64(32) != 0), long)


def ipv4_number(text: Any, out: Any = None) -> Any:
    """Read dotted text as numbers.

    Raises
    ------
    ArgumentError
        If a text is no IPv4 address.

    Examples
    --------
    >>> ipv4_number(pa.array(["10.0.0.1"], pa.large_string())).tolist()
    [167772161]
    """
    if isinstance(text, str):
        return np.uint64(_address(text))
    octets = pc.extract_regex(text, _ADDRESS)
    if octets.null_count:
        _address(text[pc.index(octets.is_valid(), False).as_py()].as_py())
    numbers = np.zeros(len(text), np.uint64) if out is None else out
    numbers[...] = 0
    for place, shift in enumerate(_OCTET_SHIFTS):
        numbers |= numpy_numbers(pc.cast(octets.field(place), pa.uint64())) << np.uint64(shift)
    return numbers


def _address(text: str) -> int:
    try:
        return int(IPv4Address(text))
    except ValueError as error:
        raise ArgumentError(f"{text[:100]!r} is no IPv4 address.", details=[str(error)]) from None


def _strings_to(result: ColumnType) -> Callable[..., ColumnType | None]:
    return lambda *types, **_: result if all(t == STR for t in types) else None


STRING_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("byte_length", 1, _strings_to(INT64), text_lengths, of_distinct=True),
        Operation("isempty", 1, _strings_to(BOOL), _is_empty, of_distinct=True),
        Operation("contains", 1, _matched_type, _contains, of_distinct=True),
        Operation("startswith", 1, _matched_type, _startswith, of_distinct=True),
        Operation("endswith", 1, _matched_type, _endswith, of_distinct=True),
        Operation("isin", 1, _strings_to(BOOL), _isin, of_distinct=True),
        Operation("stick", 2, _strings_to(STR), _stick),
        Operation("ipv4_text", 1, lambda dtype: STR if dtype == UINT64 else None, ipv4_text),
        Operation("ipv4_number", 1, _strings_to(UINT64), ipv4_number),
    )
}


def _is_missing(strings: Any, out: Any = None) -> Any:
    found = missing_rows(strings)
    if out is None:
        return found
    out[...] = found
    return out


def _as_it_is(strings: Any, out: Any = None) -> Any:
    return strings


def _filled(strings: Any, text: Any, out: Any = None) -> Any:
    return filled(strings, text)


def _with_missing(strings: Any, missing: Any, out: Any = None) -> Any:
    if isinstance(strings, str):
        strings = pa.repeat(pa.scalar(strings, pa.large_string()), np.size(missing))
    return make_missing(strings, np.broadcast_to(missing, len(strings)))


def _text_to(result: ColumnType) -> Any:
    return lambda strings: result if strings.kind == "str" else None


def _filled_type(strings: ColumnType, text: ColumnType) -> ColumnType | None:
    return text if strings.kind == text.kind == "str" else None


def _with_missing_type(strings: ColumnType, missing: ColumnType) -> ColumnType | None:
    return NULLABLE_STR if strings.kind == "str" and missing == BOOL else None


MISSING_TEXT_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation(
            "is_missing", 1, lambda strings: BOOL if strings == NULLABLE_STR else None, _is_missing, of_distinct=True
        ),
        Operation("as_nullable", 1, _text_to(NULLABLE_STR), _as_it_is, of_distinct=True),
        Operation("as_text", 1, _text_to(STR), _as_it_is, of_distinct=True),
        Operation("demand_text", 1, _text_to(STR), lambda strings, out=None: demanded(strings)),
        Operation("fill_missing", 2, _filled_type, _filled, of_distinct=True),
        Operation("make_missing", 2, _with_missing_type, _with_missing),
    )
}
