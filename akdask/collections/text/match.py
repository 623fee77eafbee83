"""What a regular expression finds in strings: one match for each, at most."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any

from akdask.collections.core.display import EDGE, SHOWN, HtmlDisplay, counted
from akdask.collections.core.selection import position
from akdask.collections.core.wrap import wrap
from akdask.collections.text.strings_parts import StringsParts
from akdask.errors import ArgumentTypeError
from akdask.plan.expr.missing_text import call
from akdask.plan.expr.values import Call, Value
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.run.run import run

if TYPE_CHECKING:
    from akdask.collections.arrays.pdarray import pdarray


class MatchType(Enum):
    """Where a string has to match: anywhere, at its beginning, or from its beginning to its end."""

    SEARCH = 1
    MATCH = 2
    FULLMATCH = 3

    def anchored(self, pattern: str) -> str:
        """Return a regular expression that matches in the right place only."""
        return {"SEARCH": pattern, "MATCH": rf"\A(?:{pattern})", "FULLMATCH": rf"\A(?:{pattern})\z"}[self.name]


def first_matches(strings: Value, pattern: str) -> tuple[Value, Value, Value]:
    """Return whether each string matches a pattern, where the first match begins, and how long it is."""
    text = call("match_text", strings, pattern=pattern, group=0)
    start = call("match_start", strings, pattern=pattern)
    return call("contains", strings, substr=pattern, regex=True), start, Call("byte_length", text)


class Match(HtmlDisplay):
    """The first match of a regular expression in each string that has one; made by `Strings.search` and its like.

    Parameters
    ----------
    matched : pdarray of bool
        Which strings match.
    starts, lengths : pdarray of int64
        Where matches begin and how long they are, in bytes as in Arkouda, one for each string that matches.
    indices : pdarray of int64
        For each string, how many before it match.
    parent_entry_name : Strings
        The strings themselves; an Arkouda server has them under a name.
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
        parent_entry_name: StringsParts,
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
        matches : Strings
            One for each string that matches.
        origins : pdarray of int64
            The numbers of these strings.

        Examples
        --------
        >>> import akdask as ak
        >>> matches, origins = ak.array(["1_2___", "3", "__"]).search("_+").find_matches(return_match_origins=True)
        >>> matches.tolist(), origins.tolist()
        (['_', '__'], [0, 2])
        """
        return self.group(0, return_match_origins)

    def group(self, group_num: int = 0, return_group_origins: bool = False) -> Any:
        r"""Return what a group of the regular expression took in each match; lazy.

        Parameters
        ----------
        group_num : int, default 0
            Which group, counted from 1; 0 is all of the match.
        return_group_origins : bool, default False
            Return the numbers of the strings that the matches are from, too.

        Returns
        -------
        groups : Strings
            One for each string that matches.  A group that takes no part in a match is empty; an Arkouda server leaves
            such matches out.
        origins : pdarray of int64
            The numbers of these strings.

        Raises
        ------
        ArgumentError
            If there is no such group.
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
        """Return whether strings match, and where, if that is cheap to know; of many the first and the last."""
        strings = self._parent
        if not strings._is_cheap() or not strings.rows.is_fixed:
            return f"<ak.Match object: {self.match_type()} of {self.re!r}, lazy; .matched() and .start() tell more>"
        if strings.size <= SHOWN:
            shown = self._spans(strings)
        else:
            shown = [*self._spans(strings[:EDGE]), "... ", *self._spans(strings[-EDGE:])]
        return f"<ak.Match object: {'; '.join(shown)}>"

    def _title(self) -> str:
        return f"Match: {counted(self._parent.rows, 'string')}"

    def _spans(self, strings: StringsParts) -> list[str]:
        """Return whether some of the strings match, and where, in words."""
        values = first_matches(strings._value, self._match_type.anchored(self.re))
        matched, starts, lengths = run(*(wrap(strings._frame, value).expr for value in values))
        return [
            f"matched=True, span=({start}, {start + length})" if found else "matched=False"
            for found, start, length in zip(matched, starts, lengths, strict=True)
        ]
