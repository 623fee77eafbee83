"""Functions of Strings: fields, affixes, bytes, missing text, conversion, and matches of regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import SHOWN, at_hand, wrap
from akdask.arrays.elementwise import combine
from akdask.arrays.row_selection import filter_columns, position
from akdask.arrays.scalar import value_of
from akdask.arrays.writable import ShownAsArkouda
from akdask.columns.dtypes import INT64, NULLABLE_STR, STR
from akdask.columns.strings import missing_rows, offsets_and_bytes, with_nulls
from akdask.columns.table import Table
from akdask.deferred import pc
from akdask.engine.alignment import align, joined
from akdask.engine.missing import call, is_missing_text, is_present, without_missing
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.run import check_bytes, run
from akdask.engine.sources import row_numbers
from akdask.engine.values import Call, Constant, Value, cast
from akdask.errors import ArgumentError, ArgumentTypeError, CallError, TransferError, errors_end_at_caller
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


def refuse_empty(strings: Any, pattern: str | bytes, *, regex: bool) -> None:
    """Refuse to look for what empty text matches in text in memory of which some is empty, as Arkouda does.

    Text that is still to be read is not asked for empty text, and matches.
    """
    sought = as_str(pattern)
    try:
        matches_empty = sought == "$" or (re.search(sought, "") is not None if regex else not sought)
    except re.error:
        return
    known = at_hand(strings) if matches_empty else None
    if known is not None and "" in known:
        raise ArgumentError(f"some text is empty, and {sought!r} matches it.", hint="leave out s.isempty() first.")


# fields and affixes


def fields(strings: Any, delimiter: str | bytes, return_segments: bool, **how: Any) -> Any:
    """Return the fields between delimiters, and the number of the first field of each string if wanted."""
    lists = call("split", strings._value, delimiter=as_str(delimiter), **how)
    found = flat(strings, lists)
    return (found, starts_of(strings, Call("list_lengths", lists))) if return_segments else found


def words(strings: Any, most: int) -> tuple[Any, Any]:
    """Return the text between white space, and the number of the first word of each string."""
    lists = call("split_words", strings._value, most=most)
    return flat(strings, lists), starts_of(strings, Call("list_lengths", lists))


def peeled(strings: Any, delimiter: str | bytes, times: Any, **how: Any) -> tuple[Any, Any]:
    """Return the strings cut in two at a delimiter; see `Strings.peel`."""
    for item in how.values():
        if not isinstance(item, bool | np.bool_):
            raise ArgumentTypeError(f"what peel includes is told by bools, not by {item!r:.100}.")
    times = value_of(times)
    if isinstance(times, bool) or not isinstance(times, int | np.integer):
        raise ArgumentTypeError(f"times is an integer, not {type(times).__name__}.")
    if times < 1:
        raise ArgumentError(f"strings are peeled at least once, not {times} times.")
    how = {name: bool(item) for name, item in how.items()} | {"delimiter": as_str(delimiter), "times": int(times)}
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


def isnumeric(pda: Any) -> Any:
    """Return which strings are numeric characters only; lazy bool array.  See `Strings.isnumeric`.

    Raises
    ------
    ArgumentTypeError
        If `pda` is no Strings.

    Examples
    --------
    >>> ak.isnumeric(ak.array(["1", "½", "1.5", ""])).tolist()
    [True, True, False, False]
    """
    from akdask.arrays.strings import Strings

    if not isinstance(pda, Strings):
        raise ArgumentTypeError(
            f"isnumeric takes Strings, not {type(pda).__name__}.", hint="numbers are numeric anyway."
        )
    return pda.isnumeric()


def flat(strings: Any, lists: Value) -> Any:
    """Return the items of a list for each string, end to end."""
    from akdask.operators.rows.plan import Flatten

    flattened = Flatten(Project(strings._frame, (0,), (lists,)))
    return wrap(flattened, flattened.column(0))


def lengths(strings: Any) -> Any:
    """Return the number of bytes of each string, without a terminator."""
    return wrap(strings._frame, _lengths(strings))


def offsets(strings: Any) -> Any:
    """Return where each string starts among the bytes of all, each followed by a NUL."""
    return starts_of(strings, Call("add", _lengths(strings), Constant(1)))


def _lengths(strings: Any) -> Value:
    return call("byte_length", strings._value)


def starts_of(strings: Any, lengths: Value) -> Any:
    """Return where the items of each string start, by the number of items of each."""
    from akdask.operators.rows.plan import SegmentStarts

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

    for name, given in (("offsets", offsets), ("bytes", octets)):
        if isinstance(given, str) or not hasattr(given, "__len__"):
            raise CallError(
                f"the {name} of strings are an array of integers, not {type(given).__name__}.",
                hint="ak.array of a list of texts makes strings of these.",
            )
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
    from akdask.operators.text.strings import unicode_array

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


# matches of regular expressions


class MatchType(Enum):
    """Where a string has to match: anywhere, at its beginning, or from its beginning to its end."""

    SEARCH = 1
    MATCH = 2
    FULLMATCH = 3

    def anchored(self, pattern: str) -> str:
        """Return a regular expression that matches in the right place only."""
        return {"SEARCH": pattern, "MATCH": rf"\A(?:{pattern})", "FULLMATCH": rf"\A(?:{pattern})\z"}[self.name]


def first_matches(strings: Value, pattern: str) -> tuple[Value, Value, Value]:
    """Return whether each string matches a pattern, and start and length of the first match."""
    text = call("match_text", strings, pattern=pattern, group=0)
    start = call("match_start", strings, pattern=pattern)
    return call("contains", strings, substr=pattern, regex=True), start, Call("byte_length", text)


@errors_end_at_caller
class Match(metaclass=ShownAsArkouda):
    """The first match of a regular expression in each string that has one; made by `Strings.search` and its like.

    Parameters
    ----------
    matched : pdarray of bool
        Which strings match.
    starts, lengths : pdarray of int64
        Where matches begin and how long they are, in bytes as in Arkouda, one for each string that matches.
    indices : pdarray of int64
        For each string, the number of strings before it that match.
    parent_entry_name : Strings
        The strings themselves; an Arkouda server stores them under a name.
    match_type : MatchType
        Where strings have to match.
    pattern : str
        The regular expression.

    Attributes
    ----------
    re : str
        The regular expression.

    Examples
    --------
    >>> found = ak.array(["1_2___", "____", "3"]).search("_+")
    >>> found
    <ak.Match object: matched=True, span=(1, 2); matched=True, span=(0, 4); matched=False>
    >>> found.matched().tolist(), found.start().tolist(), found.end().tolist()
    ([True, True, False], [1, 0], [2, 4])
    >>> found[1], found.re, found.match_type()
    ('matched=True, span=(0, 4)', '_+', 'SEARCH')
    """

    def __init__(  # noqa: PLR0917 - Arkouda's signature
        self,
        matched: pdarray,
        starts: pdarray,
        lengths: pdarray,
        indices: pdarray,
        parent_entry_name: Any,
        match_type: MatchType,
        pattern: str,
    ) -> None:
        self._matched = matched
        self._starts = starts
        self._lengths = lengths
        self._indices = indices
        self._parent = parent_entry_name
        self._match_type = match_type
        self.re = pattern

    def matched(self) -> pdarray:
        """Return which strings match; lazy bool array."""
        return self._matched

    def start(self) -> pdarray:
        """Return the bytes at which matches begin, one for each string that matches, as int64; lazy."""
        return self._starts

    def end(self) -> pdarray:
        """Return the bytes behind matches, one for each string that matches, as int64; lazy."""
        return self._starts + self._lengths

    def match_type(self) -> str:
        """Return where strings have to match: ``SEARCH``, ``MATCH`` or ``FULLMATCH``."""
        return self._match_type.name

    def find_matches(self, return_match_origins: bool = False) -> Any:
        """Return the text of the matches; lazy.

        Parameters
        ----------
        return_match_origins : bool, default False
            Return the numbers of the strings that they are from, too.

        Returns
        -------
        matches : Any
            One for each string that matches.
        origins : pdarray of int64
            The number of the string of each match.

        Examples
        --------
        >>> matches, origins = ak.array(["1_2___", "3", "__"]).search("_+").find_matches(return_match_origins=True)
        >>> matches.tolist(), origins.tolist()
        (['_', '__'], [0, 2])
        """
        return self.group(0, return_match_origins)

    def group(self, group_num: int = 0, return_group_origins: bool = False) -> Any:
        r"""Return the text that a group of the regular expression took in each match; lazy.

        Parameters
        ----------
        group_num : int, default 0
            The number of the group, from 1; 0 is the whole match.
        return_group_origins : bool, default False
            Return the numbers of the strings that the matches are from, too.

        Returns
        -------
        groups : Any
            One for each string that matches.  A group that takes no part in a match is empty; an Arkouda server leaves
            such matches out.
        origins : pdarray of int64
            The number of the string of each match.

        Raises
        ------
        ArgumentError
            If the group is unknown.
        ArgumentTypeError
            If `group_num` is no integer.

        Examples
        --------
        >>> found = ak.array(["Isaac Newton, physics", "<-calculus->"]).search(r"(\w+) (\w+)")
        >>> found.group(2).tolist()
        ['Newton']
        """
        if isinstance(group_num, bool):
            raise ArgumentTypeError("a group has a number.", hint="0 is all of the match.")
        frame, pattern = self._parent._frame, self._match_type.anchored(self.re)
        text = call("match_text", self._parent._value, pattern=pattern, group=position(group_num))
        numbers, number = row_numbers(frame)
        columns = [wrap(frame, text), *([wrap(numbers, number)] if return_group_origins else [])]
        found = tuple(column[self._matched] for column in columns)
        return found if return_group_origins else found[0]

    def __getitem__(self, item: int) -> str:
        """Return whether a string matches, and where; computes."""
        return self._spans(self._parent[[position(item)]])[0]

    def __repr__(self) -> str:
        """Return whether strings match, and where, if that is cheap to find; of many strings the first and the last."""
        from akdask.arrays.display import EDGE

        strings = self._parent
        if not strings._is_cheap() or not strings.rows.is_fixed:
            return f"<ak.Match object: {self.match_type()} of {self.re!r}, lazy; .matched() and .start() tell more>"
        if strings.size <= SHOWN:
            shown = self._spans(strings)
        else:
            shown = [*self._spans(strings[:EDGE]), "... ", *self._spans(strings[-EDGE:])]
        return f"<ak.Match object: {'; '.join(shown)}>"

    def _repr_html_(self) -> str:
        from akdask.arrays.display import captioned

        return captioned(self._title(), repr(self))

    def _title(self) -> str:
        from akdask.arrays.display import counted

        return f"Match: {counted(self._parent.rows, 'string')}"

    def _spans(self, strings: Any) -> list[str]:
        """Return whether some of the strings match, and where, in words."""
        values = first_matches(strings._value, self._match_type.anchored(self.re))
        matched, starts, lengths = run(*(wrap(strings._frame, value).expr for value in values))
        return [
            f"matched=True, span=({start}, {start + length})" if found else "matched=False"
            for found, start, length in zip(matched, starts, lengths, strict=True)
        ]


class Matcher:
    r"""All that a regular expression finds in strings; lazy.

    Regular expressions follow RE2, as in Arkouda: Python's without look-around and back-references.  Positions
    and lengths are in bytes.  A match may take no character, but not where another has just ended; an Arkouda server
    refuses ``$``, and patterns that match empty text where some of the strings are empty.

    Parameters
    ----------
    pattern : str or bytes
        The regular expression.
    parent_entry_name : Strings
        The strings; an Arkouda server stores them under a name.

    Attributes
    ----------
    num_matches : pdarray of int64
        Number of matches in each string; this and the next attributes exist after `find_locations`.
    starts, lengths : pdarray of int64
        The position of each match in its string, and its length in bytes.
    indices : pdarray of int64
        For each string, the number of matches in the strings before it.
    search_bool, match_bool, full_match_bool : pdarray of bool
        Which strings match anywhere, at their beginning, and from beginning to end.
    search_ind, match_ind, full_match_ind : pdarray of int64
        For each string, the number of strings before it that match.

    Raises
    ------
    ArgumentError
        If the pattern is no regular expression.
    ArgumentTypeError
        If it is neither text nor bytes.

    Examples
    --------
    >>> from akdask.arrays.text import Matcher
    >>> matcher = Matcher("_+", ak.array(["1_2__", "3"]))
    >>> matcher.find_locations()
    >>> matcher.num_matches.tolist(), matcher.starts.tolist(), matcher.lengths.tolist()
    ([2, 0], [1, 3], [1, 2])
    """

    num_matches: pdarray
    starts: pdarray
    lengths: pdarray
    indices: pdarray
    search_bool: pdarray
    search_ind: pdarray
    match_bool: pdarray
    match_ind: pdarray
    full_match_bool: pdarray
    full_match_ind: pdarray

    def __init__(self, pattern: str | bytes, parent_entry_name: Any) -> None:
        from akdask.operators.text.strings import check_pattern

        self.pattern = as_str(pattern)
        check_pattern(self.pattern)
        # Later assignments to the strings change nothing here.
        self.parent_entry_name = parent_entry_name.copy()
        self.populated = False

    def find_locations(self) -> None:
        """Set the attributes with the positions of matches; lazy."""
        strings = self.parent_entry_name
        self.num_matches = self._of_rows(call("match_count", strings._value, pattern=self.pattern))
        self.starts, self.lengths = self._of_matches(self._spans)
        self.indices = starts_of(strings, self.num_matches._value)
        for name, kind in (
            ("search", MatchType.SEARCH),
            ("match", MatchType.MATCH),
            ("full_match", MatchType.FULLMATCH),
        ):
            match = self.get_match(kind)
            setattr(self, f"{name}_bool", match.matched())
            setattr(self, f"{name}_ind", match._indices)
        self.populated = True

    def get_match(self, match_type: MatchType, parent: object = None) -> Match:
        """Return the first match of each string; see `Strings.search`, `Strings.match` and `Strings.fullmatch`.

        Parameters
        ----------
        match_type : MatchType
            Where strings have to match.
        parent : object, optional
            Accepted for compatibility with Arkouda.
        """
        strings = self.parent_entry_name
        found, *spans = first_matches(strings._value, match_type.anchored(self.pattern))
        frame, columns = filter_columns(strings._frame, spans, strings._frame, found)
        starts, lengths = (wrap(frame, column) for column in columns)
        before = starts_of(strings, Call("cast", found, dtype=INT64.name))
        return Match(self._of_rows(found), starts, lengths, before, strings, match_type, self.pattern)

    def split(self, maxsplit: int = 0, return_segments: bool = False) -> Any:
        """Return the fields between matches; see `Strings.regex_split`."""
        return self.parent_entry_name.regex_split(self.pattern, maxsplit, return_segments)

    def findall(self, return_match_origins: bool = False) -> Any:
        """Return the text of all matches; see `Strings.findall`."""
        if not return_match_origins:
            return self._of_matches(self._text_lists)[0]
        frame, number = row_numbers(self.parent_entry_name._frame)
        return self._of_matches(self._text_lists, (frame, number))

    def sub(self, repl: str | bytes, count: int = 0, return_num_subs: bool = False) -> Any:
        """Return the strings with other text in place of matches; see `Strings.sub` and `Strings.subn`."""
        strings, most = self.parent_entry_name, count_of(count)
        how = {"pattern": self.pattern, "template": as_str(repl), "most": most}
        changed = strings._like(strings._frame, call("replace_matches", strings._value, **how))
        if not return_num_subs:
            return changed
        found = call("match_count", strings._value, pattern=self.pattern)
        return changed, self._of_rows(Call("minimum", found, Constant(most)) if most else found)

    def _of_rows(self, value: Value) -> Any:
        return wrap(self.parent_entry_name._frame, value)

    def _text_lists(self, strings: Value) -> tuple[Value, ...]:
        return (Call("match_texts", strings, pattern=self.pattern),)

    def _spans(self, strings: Value) -> tuple[Value, ...]:
        spans = Call("match_spans", strings, pattern=self.pattern)
        return Call("part_of_spans", spans, part=0), Call("part_of_spans", spans, part=1)

    def _of_matches(self, lists: Callable[[Value], tuple[Value, ...]], *others: tuple[Frame, Value]) -> tuple[Any, ...]:
        """Return columns with a row for each match: lists of the strings split into rows, and repeated columns."""
        from akdask.operators.rows.plan import Flatten

        frame, (strings, *repeated) = align("findall", [self.parent_entry_name._as_operand(), *others])
        if strings.dtype.nullable:
            # Missing text has no matches, though empty text may have some.
            frame, (strings, *repeated) = filter_columns(frame, [strings, *repeated], frame, is_present(strings))
        values = (*lists(without_missing(strings)), *repeated)
        flat = Flatten(Project(frame, tuple(range(len(values))), values))
        return tuple(wrap(flat, flat.column(number)) for number in range(len(values)))
