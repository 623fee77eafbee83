"""`Match`: the first match of a regular expression in each string, and its groups."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

from akdask.arrays.array import wrap
from akdask.arrays.display import EDGE, SHOWN, captioned, counted
from akdask.arrays.row_selection import filter_columns, position
from akdask.arrays.text import as_str, count_of
from akdask.arrays.text import starts as starts_of
from akdask.columns.dtypes import INT64
from akdask.engine.alignment import align
from akdask.engine.missing import call, is_present, without_missing
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.run import run
from akdask.engine.sources import row_numbers
from akdask.engine.values import Call, Constant, Value
from akdask.errors import ArgumentTypeError
from akdask.operators.rows.plan import Flatten
from akdask.operators.values.strings import check_pattern

if TYPE_CHECKING:
    from akdask.arrays.pdarray import pdarray


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


class Match:
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
    >>> import akdask as ak
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
        >>> import akdask as ak
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
        >>> import akdask as ak
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
        strings = self._parent
        if not strings._is_cheap() or not strings.rows.is_fixed:
            return f"<ak.Match object: {self.match_type()} of {self.re!r}, lazy; .matched() and .start() tell more>"
        if strings.size <= SHOWN:
            shown = self._spans(strings)
        else:
            shown = [*self._spans(strings[:EDGE]), "... ", *self._spans(strings[-EDGE:])]
        return f"<ak.Match object: {'; '.join(shown)}>"

    def _repr_html_(self) -> str:
        return captioned(self._title(), repr(self))

    def _title(self) -> str:
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
    >>> import akdask as ak
    >>> from akdask.arrays.regular_expressions import Matcher
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
        frame, (strings, *repeated) = align("findall", [self.parent_entry_name._as_operand(), *others])
        if strings.dtype.nullable:
            # Missing text has no matches, though empty text may have some.
            frame, (strings, *repeated) = filter_columns(frame, [strings, *repeated], frame, is_present(strings))
        values = (*lists(without_missing(strings)), *repeated)
        flat = Flatten(Project(frame, tuple(range(len(values))), values))
        return tuple(wrap(flat, flat.column(number)) for number in range(len(values)))
