"""The matches of a regular expression in strings: all of them, the first of each, and what they are replaced by."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from akdask.collections.core.selection import filter_columns
from akdask.collections.core.wrap import wrap
from akdask.collections.text.match import Match, MatchType, first_matches
from akdask.collections.text.strings_parts import StringsParts, as_str, count_of
from akdask.kernels.keys.strings import check_pattern
from akdask.plan.expr.missing_text import call, is_present, without_missing
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Constant, Value
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.rows.lists import Flatten
from akdask.plan.run.alignment import align
from akdask.schema import INT64

if TYPE_CHECKING:
    from akdask.collections.arrays.pdarray import pdarray


class Matcher:
    r"""All that a regular expression finds in strings; lazy.

    Regular expressions are RE2's, as in Arkouda: those of Python without look-around and back-references.  Positions
    and lengths are in bytes.  A match may take no character, but not where another has just ended; an Arkouda server
    refuses ``$``, and patterns that match empty text where some of the strings are empty.

    Parameters
    ----------
    pattern : str or bytes
        The regular expression.
    parent_entry_name : Strings
        The strings; an Arkouda server has them under a name.

    Attributes
    ----------
    num_matches : pdarray of int64
        How many matches each string has; this and what follows is there after `find_locations`.
    starts, lengths : pdarray of int64
        Where each match begins in its string, and how many bytes it takes.
    indices : pdarray of int64
        For each string, how many matches there are in those before.
    search_bool, match_bool, full_match_bool : pdarray of bool
        Which strings match anywhere, at their beginning, and from beginning to end.
    search_ind, match_ind, full_match_ind : pdarray of int64
        For each string, how many of those before match.

    Raises
    ------
    ArgumentError
        If the pattern is no regular expression.
    ArgumentTypeError
        If it is neither text nor bytes.

    Examples
    --------
    >>> import akdask as ak
    >>> from akdask.collections.text.matcher import Matcher
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

    def __init__(self, pattern: str | bytes, parent_entry_name: StringsParts) -> None:
        self.pattern = as_str(pattern)
        check_pattern(self.pattern)
        # What is assigned to the strings later changes nothing here.
        self.parent_entry_name = parent_entry_name.copy()
        self.populated = False

    def find_locations(self) -> None:
        """Give the attributes that tell where matches are their arrays; lazy."""
        strings = self.parent_entry_name
        self.num_matches = self._of_rows(call("match_count", strings._value, pattern=self.pattern))
        self.starts, self.lengths = self._of_matches(self._spans)
        self.indices = strings._starts(self.num_matches._value)
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
        before = strings._starts(Call("cast", found, dtype=INT64.name))
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
        """Return columns with a row for each match: lists of the strings taken apart, and columns that are repeated."""
        frame, (strings, *repeated) = align("findall", [self.parent_entry_name._as_operand(), *others])
        if strings.dtype.nullable:
            # What is missing has no matches, though there may be some in empty text.
            frame, (strings, *repeated) = filter_columns(frame, [strings, *repeated], frame, is_present(strings))
        values = (*lists(without_missing(strings)), *repeated)
        flat = Flatten(Project(frame, tuple(range(len(values))), values))
        return tuple(wrap(flat, flat.column(number)) for number in range(len(values)))
