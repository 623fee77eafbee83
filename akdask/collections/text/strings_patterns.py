"""Regular expressions on strings: what matches, where, and what it is replaced by."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from akdask.collections.text.match import Match, MatchType
from akdask.collections.text.matcher import Matcher
from akdask.collections.text.strings_parts import StringsParts

if TYPE_CHECKING:
    from akdask.collections.arrays.pdarray import pdarray


class StringsPatterns(StringsParts):
    """Methods that take a regular expression; all lazy.  What patterns can be is told by `Matcher`."""

    def search(self, pattern: str | bytes) -> Match:
        """Return the first match of a regular expression in each string, wherever it is; lazy.

        Missing text does not match.

        Parameters
        ----------
        pattern : str or bytes
            The regular expression, as RE2 reads it.

        Raises
        ------
        ArgumentError
            If it is no regular expression.
        ArgumentTypeError
            If it is neither text nor bytes.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.array(["1_2___", "____", "3"]).search("_+")
        <ak.Match object: matched=True, span=(1, 2); matched=True, span=(0, 4); matched=False>
        """
        return self._matcher(pattern).get_match(MatchType.SEARCH)

    def match(self, pattern: str | bytes) -> Match:
        """Return the match of a regular expression at the beginning of each string; lazy.  See `search`.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.array(["1_2___", "____", "3"]).match("_")
        <ak.Match object: matched=False; matched=True, span=(0, 1); matched=False>
        """
        return self._matcher(pattern).get_match(MatchType.MATCH)

    def fullmatch(self, pattern: str | bytes) -> Match:
        """Return the match of a regular expression with all of each string; lazy.  See `search`.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.array(["_2", "____", "3"]).fullmatch("_|_+")
        <ak.Match object: matched=False; matched=True, span=(0, 4); matched=False>
        """
        return self._matcher(pattern).get_match(MatchType.FULLMATCH)

    def find_locations(self, pattern: str | bytes) -> tuple[pdarray, pdarray, pdarray]:
        """Return where a regular expression matches; lazy.

        Parameters
        ----------
        pattern : str or bytes
            The regular expression; see `search`.

        Returns
        -------
        num_matches : pdarray of int64
            The number of matches in each string; 0 in missing text.
        starts : pdarray of int64
            The bytes of their strings at which all matches begin, those of the first string first.
        lengths : pdarray of int64
            The bytes of all matches.

        Examples
        --------
        >>> import akdask as ak
        >>> found = ak.array(["1 string 1", "ä2"]).find_locations("[0-9]")
        >>> [part.tolist() for part in found]
        [[2, 1], [0, 9, 2], [1, 1, 1]]
        """
        matcher = self._matcher(pattern)
        matcher.find_locations()
        return matcher.num_matches, matcher.starts, matcher.lengths

    def findall(self, pattern: str | bytes, return_match_origins: bool = False) -> Any:
        """Return the text of all matches of a regular expression, those of all strings end to end; lazy.

        Parameters
        ----------
        pattern : str or bytes
            The regular expression; see `search`.  Unlike Python's, all of the match is returned if it has groups.
        return_match_origins : bool, default False
            Return the numbers of the strings that the matches are from, too.

        Returns
        -------
        matches : Strings
            Their number is unknown until they are counted.
        origins : pdarray of int64
            The number of the string of each match.

        Examples
        --------
        >>> import akdask as ak
        >>> matches, origins = ak.array(["1_2___", "____", "3"]).findall("_+", return_match_origins=True)
        >>> matches.tolist(), origins.tolist()
        (['_', '___', '____'], [0, 0, 1])
        """
        return self._matcher(pattern).findall(return_match_origins)

    def sub(self, pattern: str | bytes, repl: str | bytes, count: int = 0) -> Self:
        r"""Return the strings with other text in place of matches of a regular expression; lazy.

        Parameters
        ----------
        pattern : str or bytes
            The regular expression; see `search`.
        repl : str or bytes
            The other text.  As in Python, ``\1`` and ``\g<name>`` stand for groups, and ``\\`` for a backslash; an
            Arkouda server takes it all literally.  All of the match is ``\0`` or ``\g<0>``.
        count : int, default 0
            The most matches of each string to replace; 0 for all.

        Returns
        -------
        Strings
            With the rows of the strings; missing text stays missing.

        Raises
        ------
        ArgumentError
            If the pattern is no regular expression, or lacks a group that `repl` has, or `count` is negative.
        UnsupportedError
            If `repl` has more than nine different groups.
        ArgumentTypeError
            If pattern or `repl` are neither text nor bytes, or `count` is no integer.

        Examples
        --------
        >>> import akdask as ak
        >>> s = ak.array(["1_2___", "____", "3", "__4___5____6___7"])
        >>> s.sub(pattern="_+", repl="-", count=2).tolist()
        ['1-2-', '-', '3', '-4-5____6___7']
        >>> ak.array(["Isaac Newton"]).sub(r"(\w+) (?P<last>\w+)", r"\g<last>, \1").tolist()
        ['Newton, Isaac']
        """
        return self._matcher(pattern).sub(repl, count)

    def subn(self, pattern: str | bytes, repl: str | bytes, count: int = 0) -> tuple[Self, pdarray]:
        """Return what `sub` does, and how many matches of each string are replaced, as int64; lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> changed, counts = ak.array(["1_2___", "3"]).subn("_+", "-", count=1)
        >>> changed.tolist(), counts.tolist()
        (['1-2___', '3'], [1, 0])
        """
        return self._matcher(pattern).sub(repl, count, return_num_subs=True)

    def cached_regex_patterns(self) -> list[str]:
        """Return the patterns that this array has been searched for, of which an Arkouda server keeps the matches.

        Examples
        --------
        >>> import akdask as ak
        >>> s = ak.array(["a1"])
        >>> _ = s.findall("[0-9]")
        >>> s.cached_regex_patterns()
        ['[0-9]']
        """
        return list(self._patterns)

    def purge_cached_regex_patterns(self) -> None:
        """Forget the patterns that this array has been searched for; there is nothing else to free."""
        self._patterns.clear()

    @cached_property
    def _patterns(self) -> dict[str, None]:
        return {}

    def _matcher(self, pattern: str | bytes) -> Matcher:
        matcher = Matcher(pattern, self)
        self._patterns[matcher.pattern] = None
        return matcher
