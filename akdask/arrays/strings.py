"""`Strings`: a lazy one-dimensional array of text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from akdask.arrays import sorting, text
from akdask.arrays.array import can_be_asked_for, shows
from akdask.arrays.elementwise import ElementwiseArray, assigned
from akdask.arrays.families import member, reduction, shown_by
from akdask.arrays.pdarray import Sortable, pdarray
from akdask.arrays.reductions import distinct_count, reduced_along_rows
from akdask.arrays.scalar import Scalar
from akdask.arrays.sorting import SortingAlgorithm
from akdask.arrays.text import Match, Matcher, MatchType
from akdask.engine.missing import call
from akdask.errors import ArgumentTypeError, UnfitArgumentError, errors_end_at_caller
from akdask.storage.files import takes_storage_options

if TYPE_CHECKING:
    from akdask.arrays.writing import Path


def _of_strings(strings: Strings, name: str, axis: int | None = None) -> Scalar:
    """Return {what} in the order of bytes; lazy.  Missing text wins, as NaN does: the value is NaN then.

    Raises
    ------
    AxisError
        If the array does not have that axis.
    ArgumentError
        When it is computed, if there are no elements.

    Examples
    --------
    >>> s = ak.array(["udp", "icmp", "tcp"])
    >>> s.min(), s.argmax()
    ('icmp', np.int64(0))
    """
    return reduced_along_rows(strings, name, axis, keepdims=False)


_TESTED = """
>>> s = ak.array(["b2", "B", "Bc", "½", "7", " ", ""])
>>> s[s.{name}()].tolist()
{shown}
"""


@shown_by(_TESTED)
def _tested(strings: Strings, name: str) -> pdarray:
    """Return which strings {what}; lazy bool array."""
    return strings._operate(name, strings)


def _test(name: str, what: str, shown: str) -> Callable[[Strings], pdarray]:
    return member(_tested, name, name, what=what, shown=shown)


@errors_end_at_caller
@can_be_asked_for
@shows("str")
class Strings(Sortable, ElementwiseArray):
    """A lazy array of UTF-8 strings, stored as Arrow offsets and bytes in each partition.

    Made by reading files and by `array`.  Methods that test or change strings are lazy and keep the rows.

    Examples
    --------
    >>> s = ak.array(["tcp", "udp", "tcp"])
    >>> (s == "tcp").tolist()
    [True, False, True]
    >>> s.upper().tolist()
    ['TCP', 'UDP', 'TCP']
    """

    objType = "Strings"

    BinOps = frozenset(("==", "!="))
    """Operators of two operands that an Arkouda server has for it."""

    _default_dataset = "strings_array"

    inferred_type = "string"

    _separator = ", "
    _gap = "... "

    def _printed(self, items: Any) -> list[str]:
        from akdask.arrays.display import quoted

        return quoted(items)

    @classmethod
    def _cast_from(cls, array: Any) -> Any:
        return array.astype(str)

    @property
    def dtype(self) -> np.dtype[Any]:
        """``dtype('<U')``: NumPy's type of strings of any length.

        Examples
        --------
        >>> s = ak.array(["b", "a", "B2"])
        >>> s.dtype
        dtype('<U')
        """
        return np.dtype(str)

    def to_numpy(self, dtype: Any = None, copy: bool = False) -> np.ndarray[Any, Any]:
        """Return the strings as a NumPy array; computes.

        Parameters
        ----------
        dtype : dtype-like, optional
            Type to convert to: text of fixed width unless given, which takes much memory if a few are long;
            ``np.dtypes.StringDType()`` does not.
        copy : bool
            Accepted for compatibility with pandas; the array is the caller's in any case.

        Raises
        ------
        ArgumentError
            If text is missing, and the wanted type has no ``na_object``.

        Examples
        --------
        >>> ak.array(["a", "bc"]).to_numpy(np.dtypes.StringDType())
        array(['a', 'bc'], dtype=StringDType())
        """
        return text.as_numpy(self, dtype) if isinstance(dtype, np.dtypes.StringDType) else super().to_numpy(dtype, copy)

    def tolist(self) -> list[Any]:
        r"""Return the strings as a list, None for missing text; computes.

        All bytes are kept; NumPy drops NULs at the end of text.

        Examples
        --------
        >>> ak.array(["a", "b"]).stick(ak.array(["", "\0"])).tolist()
        ['a', 'b\x00']
        """
        return text.listed(self)

    def _converter(self) -> Callable[..., Any]:
        return text.as_text_or_none if self._value.dtype.nullable else text.as_text

    def __setitem__(self, key: Any, item: Any) -> None:
        """Assign to rows; see `pdarray.__setitem__`."""
        self._frame, self._value = assigned(self, key, item)

    def __add__(self, other: Any) -> Strings:
        """Return the strings joined end to end, row by row; lazy."""
        return self._added(other)

    def __radd__(self, other: Any) -> Strings:
        """Return the strings with others put before them, row by row; lazy."""
        return self._added(other, to_left=True)

    def _added(self, other: Any, *, to_left: bool = False) -> Strings:
        try:
            return self._stuck(other, to_left=to_left)
        except UnfitArgumentError as error:
            message = error.message.replace("stick", "+", 1)
            raise UnfitArgumentError(message, hint="ak.cast(b, str) makes text of numbers and times.") from None

    # tests

    def contains(self, substr: str | bytes, regex: bool = False) -> pdarray:
        """Return which strings contain a substring, or match a regular expression anywhere; lazy bool array.

        Examples
        --------
        >>> ak.array(["Tcp", "udp"]).contains("d").tolist()
        [False, True]
        """
        text.refuse_empty(self, substr, regex=regex)
        return self._holding("contains", substr, regex)

    def startswith(self, substr: str | bytes, regex: bool = False) -> pdarray:
        """Return which strings begin with a substring or regular expression; lazy bool array.

        Examples
        --------
        >>> ak.array(["Tcp", "udp"]).startswith("T").tolist()
        [True, False]
        """
        text.refuse_empty(self, substr, regex=regex)
        return self._holding("startswith", substr, regex)

    def endswith(self, substr: str | bytes, regex: bool = False) -> pdarray:
        """Return which strings end with a substring or regular expression; lazy bool array.

        Examples
        --------
        >>> ak.array(["Tcp", "udp"]).endswith("cp").tolist()
        [True, False]
        """
        text.refuse_empty(self, substr, regex=regex)
        return self._holding("endswith", substr, regex)

    islower = _test("islower", "have letters, all in lower case", "['b2']")
    isupper = _test("isupper", "have letters, all in upper case", "['B']")
    istitle = _test("istitle", "have each word capitalized", "['B', 'Bc']")
    isalnum = _test("isalnum", "are letters and digits only", "['b2', 'B', 'Bc', '½', '7']")
    isalpha = _test("isalpha", "are letters only", "['B', 'Bc']")
    isdigit = _test("isdigit", "are digits only", "['7']")
    isdecimal = _test("isdecimal", "are decimal characters only", "['7']")
    isnumeric = _test("isnumeric", "are numeric characters only", "['½', '7']")
    isspace = _test("isspace", "are white space only", "[' ']")
    isempty = _test("isempty", "are empty", "['']")

    # changes

    def lower(self) -> Strings:
        """Return the strings in lower case; lazy.

        Examples
        --------
        >>> ak.array(["Tcp", "udp"]).lower().tolist()
        ['tcp', 'udp']
        """
        return self._operate("lower", self)

    def upper(self) -> Strings:
        """Return the strings in upper case; lazy.

        Examples
        --------
        >>> ak.array(["Tcp", "udp"]).upper().tolist()
        ['TCP', 'UDP']
        """
        return self._operate("upper", self)

    def title(self) -> Strings:
        """Return the strings with each word capitalized; lazy.

        Examples
        --------
        >>> ak.array(["two words"]).title().tolist()
        ['Two Words']
        """
        return self._operate("title", self)

    def capitalize(self) -> Strings:
        """Return the strings with the first character in upper case and the rest in lower case; lazy.

        Examples
        --------
        >>> ak.array(["two Words"]).capitalize().tolist()
        ['Two words']
        """
        return self._operate("capitalize", self)

    def stick(self, other: Any, delimiter: str | bytes = "", toLeft: bool = False) -> Strings:
        """Return the strings joined with others, row by row, with a delimiter between; lazy.

        Parameters
        ----------
        other : Strings
            The text to append, or to put before if `toLeft`.
        delimiter : str or bytes
            Put between the two.
        toLeft : bool
            Put `other` on the left.

        Examples
        --------
        >>> ak.array(["a", "b"]).stick(ak.array(["x", "y"]), "-").tolist()
        ['a-x', 'b-y']
        """
        if isinstance(other, str):
            raise ArgumentTypeError("strings are stuck to Strings, not to one text.", hint="use +.")
        return self._stuck(other, text.as_str(delimiter), to_left=toLeft)

    def _stuck(self, other: Any, delimiter: str = "", *, to_left: bool = False) -> Strings:
        return self._operate("stick", *((other, self) if to_left else (self, other)), delimiter=delimiter)

    def lstick(self, other: Any, delimiter: str | bytes = "") -> Strings:
        """Return the strings with others put before them; see `stick`.

        Examples
        --------
        >>> ak.array(["a", "b"]).lstick(ak.array(["x", "y"]), "-").tolist()
        ['x-a', 'y-b']
        """
        return self.stick(other, delimiter, toLeft=True)

    def strip(self, chars: str | bytes | None = "") -> Strings:
        """Return the strings without leading and trailing characters, white space unless given; lazy.

        Examples
        --------
        >>> ak.array([" a ", "xbx"]).strip("x").tolist()
        [' a ', 'b']
        """
        return self._operate("strip", self, chars="" if chars is None else text.as_str(chars))

    def encode(self, toEncoding: str, fromEncoding: str = "UTF-8") -> Strings:
        """Return the strings with their bytes in another encoding; lazy.

        Parameters
        ----------
        toEncoding : str
            The encoding that they get: ``idna`` for names of domains, or one that Python knows.
        fromEncoding : str, default "UTF-8"
            The encoding that they are in.

        Returns
        -------
        Strings
            Bytes that are no UTF-8 can be decoded again, counted, written to HDF5 and read by `get_bytes`, but
            not shown as text.  Missing text stays missing.  The name of a domain that has none in ASCII is empty.

        Raises
        ------
        ArgumentError
            If the encoding is unknown.
        ConversionError
            When it is computed, if one of the encodings does not have the text.

        Examples
        --------
        >>> s = ak.array(["Bücher.example", "example.com"]).encode("idna")
        >>> s.tolist(), s.decode("idna").tolist()
        (['xn--bcher-kva.example', 'example.com'], ['bücher.example', 'example.com'])
        """
        from akdask.operators.text.encodings import encoding_name

        how = {"source": encoding_name(fromEncoding), "target": encoding_name(toEncoding)}
        return self._operate("transcode", self, **how)

    def decode(self, fromEncoding: str, toEncoding: str = "UTF-8") -> Strings:
        """Return the strings, whose bytes are in another encoding, in UTF-8; lazy.  See `encode`.

        Parameters
        ----------
        fromEncoding : str
            The encoding that they are in.
        toEncoding : str, default "UTF-8"
            The encoding that they get.

        Examples
        --------
        >>> ak.array(["ä"]).encode("utf-16-le").decode("utf-16-le").tolist()
        ['ä']
        """
        return self.encode(toEncoding, fromEncoding)

    # parts and bytes

    def split(self, delimiter: str | bytes, return_segments: bool = False, regex: bool = False) -> Any:
        """Return the fields between delimiters, in the order of the strings; lazy.

        Parameters
        ----------
        delimiter : str or bytes
            The text between the fields, which is left out.
        return_segments : bool, default False
            Return where the fields of each string start, too.
        regex : bool, default False
            Read the delimiter as a regular expression.

        Returns
        -------
        fields : Strings
            For each string, one more than its delimiters.  Their number is unknown until they are counted.
        segments : pdarray of int64
            For each string the number of its first field.

        Raises
        ------
        ArgumentTypeError
            If the delimiter is neither text nor bytes.
        ArgumentError
            If the pattern is no regular expression, or matches the empty string.

        Examples
        --------
        >>> fields, segments = ak.array(["a|b", "c"]).split("|", return_segments=True)
        >>> fields.tolist(), segments.tolist()
        (['a', 'b', 'c'], [0, 2])
        """
        return text.fields(self, delimiter, return_segments, regex=bool(regex))

    def regex_split(self, pattern: str | bytes, maxsplit: int = 0, return_segments: bool = False) -> Any:
        """Return the fields between matches of a regular expression; see `split`.

        Parameters
        ----------
        pattern : str or bytes
            Matches the text between the fields.
        maxsplit : int, default 0
            The largest number of splits of a string; 0 for no limit.
        return_segments : bool, default False
            Return where the fields of each string start, too.

        Examples
        --------
        >>> ak.array(["1_2___3"]).regex_split("_+", maxsplit=1).tolist()
        ['1', '2___3']
        """
        return text.fields(self, pattern, return_segments, regex=True, maxsplit=text.count_of(maxsplit))

    def peel(  # noqa: PLR0917 - Arkouda's signature
        self,
        delimiter: str | bytes,
        times: int = 1,
        includeDelimiter: bool = False,
        keepPartial: bool = False,
        fromRight: bool = False,
        regex: bool = False,
    ) -> tuple[Self, Self]:
        """Cut each string in two at a delimiter, as `str.partition` does; lazy.

        Parameters
        ----------
        delimiter : str or bytes
            Text at which the strings are cut; it is dropped unless `includeDelimiter`.
        times : int, default 1
            Cut at the delimiter of this number, counted from the end where the strings are peeled.
        includeDelimiter : bool, default False
            Keep the delimiter at the end of the part that is peeled off.
        keepPartial : bool, default False
            Peel off strings with fewer delimiters entirely; otherwise they stay as they are.
        fromRight : bool, default False
            Peel from the right.
        regex : bool, default False
            Read the delimiter as a regular expression.

        Returns
        -------
        left : Strings
            The part that is peeled off, or the rest if `fromRight`.
        right : Strings
            The other part.  Both have the rows of the strings.

        Raises
        ------
        ArgumentTypeError
            If the delimiter is neither text nor bytes, or `times` no integer.
        ArgumentError
            If `times` is below 1; for delimiters see `split`.

        Examples
        --------
        >>> left, right = ak.array(["a.b.c", "d"]).peel(".")
        >>> left.tolist(), right.tolist()
        (['a', ''], ['b.c', 'd'])
        """
        how = {"include": includeDelimiter, "partial": keepPartial, "from_right": fromRight, "regex": regex}
        return text.peeled(self, delimiter, times, **how)

    def rpeel(
        self,
        delimiter: str | bytes,
        times: int = 1,
        includeDelimiter: bool = False,
        keepPartial: bool = False,
        regex: bool = False,
    ) -> tuple[Self, Self]:
        """Cut each string in two at a delimiter, counted from the right; see `peel`.

        Examples
        --------
        >>> left, right = ak.array(["a.b.c", "d"]).rpeel(".")
        >>> left.tolist(), right.tolist()
        (['a.b', 'd'], ['c', ''])
        """
        return self.peel(delimiter, times, includeDelimiter, keepPartial, fromRight=True, regex=regex)

    def get_prefixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """Return the first `n` characters of each string that is longer than that; lazy.

        Parameters
        ----------
        n : int
            Number of characters; an Arkouda server counts bytes.
        return_origins : bool, default True
            Return which strings are long enough, too.
        proper : bool, default True
            Leave out strings of just `n` characters.

        Returns
        -------
        prefixes : Strings
            One for each string that is long enough.
        origins : pdarray of bool
            Which strings they come from.

        Raises
        ------
        ArgumentTypeError
            If `n` is no integer.
        ArgumentError
            If it is negative.

        Examples
        --------
        >>> prefixes, origins = ak.array(["one", "to", "three"]).get_prefixes(2)
        >>> prefixes.tolist(), origins.tolist()
        (['on', 'th'], [True, False, True])
        """
        return text.affixes(self, n, return_origins, proper)

    def get_suffixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """Return the last `n` characters of each string that is longer than that; see `get_prefixes`.  Lazy.

        Examples
        --------
        >>> ak.array(["one", "to", "three"]).get_suffixes(2, return_origins=False, proper=False).tolist()
        ['ne', 'to', 'ee']
        """
        return text.affixes(self, n, return_origins, proper, from_end=True)

    def get_lengths(self) -> Any:
        """Return the number of bytes of each string, without a terminator, as int64; lazy.

        Examples
        --------
        >>> ak.array(["Tcp", "udp"]).get_lengths().tolist()
        [3, 3]
        """
        return text.lengths(self)

    def get_bytes(self) -> Any:
        """Return the bytes of all strings, each followed by a NUL, as uint8; lazy.

        Examples
        --------
        >>> ak.array(["one", "ä"]).get_bytes().tolist()
        [111, 110, 101, 0, 195, 164, 0]
        """
        return text.flat(self, call("text_bytes", self._value))

    def get_offsets(self) -> Any:
        """Return where each string starts in `get_bytes`, as int64; lazy.

        Examples
        --------
        >>> ak.array(["one", "two", "three"]).get_offsets().tolist()
        [0, 4, 8]
        """
        return text.offsets(self)

    @property
    def name(self) -> str:
        """The name of the plan in Dask: arrays of the same name have the same elements.

        Examples
        --------
        >>> s = ak.array(["b", "a", "B2"])
        >>> s.name == s.copy().name
        True
        """
        return self.expr._name

    @property
    def nbytes(self) -> int:
        """Bytes of all strings, each with a terminator; computes.

        Examples
        --------
        >>> ak.array(["a", "bc"]).nbytes
        5
        """
        return int(self.get_lengths().sum()) + self.size

    def hash(self) -> tuple[pdarray, pdarray]:
        """Return the SipHash of 128 bits of each string as two arrays of uint64; lazy.

        All missing strings have the hash of empty text.

        Examples
        --------
        >>> high, low = ak.array(["a", "b", "a"]).hash()
        >>> ((high == high[0]) & (low == low[0])).tolist()
        [True, False, True]
        """
        return text.hashed(self)

    @property
    def entry(self) -> pdarray:
        """The bytes that an Arkouda server keeps for the strings; see `get_bytes`.  Lazy.

        Examples
        --------
        >>> ak.array(["a", "bc"]).entry.tolist()
        [97, 0, 98, 99, 0]
        """
        bytes_of_all: pdarray = self.get_bytes()
        return bytes_of_all

    # regular expressions, which `Matcher` describes

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
        >>> ak.array(["1_2___", "____", "3"]).search("_+")
        <ak.Match object: matched=True, span=(1, 2); matched=True, span=(0, 4); matched=False>
        """
        return self._matcher(pattern).get_match(MatchType.SEARCH)

    def match(self, pattern: str | bytes) -> Match:
        """Return the match of a regular expression at the beginning of each string; lazy.  See `search`.

        Examples
        --------
        >>> ak.array(["1_2___", "____", "3"]).match("_")
        <ak.Match object: matched=False; matched=True, span=(0, 1); matched=False>
        """
        return self._matcher(pattern).get_match(MatchType.MATCH)

    def fullmatch(self, pattern: str | bytes) -> Match:
        """Return the match of a regular expression with all of each string; lazy.  See `search`.

        Examples
        --------
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
            The positions in bytes at which all matches begin, in the order of the strings.
        lengths : pdarray of int64
            The bytes of all matches.

        Examples
        --------
        >>> found = ak.array(["1 string 1", "ä2"]).find_locations("[0-9]")
        >>> [part.tolist() for part in found]
        [[2, 1], [0, 9, 2], [1, 1, 1]]
        """
        matcher = self._matcher(pattern)
        matcher.find_locations()
        return matcher.num_matches, matcher.starts, matcher.lengths

    def findall(self, pattern: str | bytes, return_match_origins: bool = False) -> Any:
        """Return the text of all matches of a regular expression, in the order of the strings; lazy.

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
        >>> s = ak.array(["1_2___", "____", "3", "__4___5____6___7"])
        >>> s.sub(pattern="_+", repl="-", count=2).tolist()
        ['1-2-', '-', '3', '-4-5____6___7']
        >>> ak.array(["Isaac Newton"]).sub(r"(\w+) (?P<last>\w+)", r"\g<last>, \1").tolist()
        ['Newton, Isaac']
        """
        return self._matcher(pattern).sub(repl, count)

    def subn(self, pattern: str | bytes, repl: str | bytes, count: int = 0) -> tuple[Self, pdarray]:
        """Return the strings as `sub` does, and the number of replaced matches in each, as int64; lazy.

        Examples
        --------
        >>> changed, counts = ak.array(["1_2___", "3"]).subn("_+", "-", count=1)
        >>> changed.tolist(), counts.tolist()
        (['1-2___', '3'], [1, 0])
        """
        return self._matcher(pattern).sub(repl, count, return_num_subs=True)

    def cached_regex_patterns(self) -> list[str]:
        """Return the patterns that this array has been searched for, of which an Arkouda server keeps the matches.

        Examples
        --------
        >>> s = ak.array(["a1"])
        >>> _ = s.findall("[0-9]")
        >>> s.cached_regex_patterns()
        ['[0-9]']
        """
        return list(self._patterns)

    def purge_cached_regex_patterns(self) -> None:
        """Forget the patterns that this array has been searched for; nothing else is cached.

        Examples
        --------
        >>> ak.array(["a"]).purge_cached_regex_patterns()
        """
        self._patterns.clear()

    @cached_property
    def _patterns(self) -> dict[str, None]:
        return {}

    def _holding(self, operation: str, substr: str | bytes, regex: bool = False) -> pdarray:
        return self._operate(operation, self, substr=text.as_str(substr), regex=regex)

    def _matcher(self, pattern: str | bytes) -> Matcher:
        matcher = Matcher(pattern, self)
        text.refuse_empty(self, matcher.pattern, regex=True)
        self._patterns[matcher.pattern] = None
        return matcher

    # missing text, which is not empty text

    def isna(self) -> pdarray:
        """Return which strings are missing; lazy bool array.

        Examples
        --------
        >>> ak.array(["a", None, ""]).isna().tolist()
        [False, True, False]
        """
        return text.are_missing(self)

    def notna(self) -> pdarray:
        """Return which strings are not missing; lazy bool array.

        Examples
        --------
        >>> ak.array(["a", ""]).notna().tolist()
        [True, True]
        """
        return text.are_present(self)

    def isnull(self) -> pdarray:
        """Return which strings are missing, as `isna` does; lazy bool array.

        Examples
        --------
        >>> ak.Series(ak.array(["a", "b"])).shift(1).values.isnull().tolist()
        [True, False]
        """
        return self.isna()

    def notnull(self) -> pdarray:
        """Return which strings are not missing, as `notna` does; lazy bool array.

        Examples
        --------
        >>> ak.Series(ak.array(["a", "b"])).shift(1).values.notnull().tolist()
        [False, True]
        """
        return self.notna()

    def fillna(self, value: Any) -> Self:
        """Return the strings with other text in place of missing strings; lazy.

        Parameters
        ----------
        value : str or Strings
            The text, or one for each row.

        Raises
        ------
        ArgumentTypeError
            If it is no text.
        AlignmentError
            If it is an array with other rows.

        Examples
        --------
        >>> ak.array(["a", None, ""]).fillna("-").tolist()
        ['a', '-', '']
        """
        return text.filled(self, value)

    def dropna(self) -> Self:
        """Return the strings that are not missing; lazy.

        Examples
        --------
        >>> ak.Series(ak.array(["a", "b"])).shift(1).values.dropna().tolist()
        ['a']
        """
        return text.present(self)

    @property
    def _has_missing(self) -> bool:
        """Whether any may be missing."""
        return self._value.dtype.nullable

    # order

    def argsort(self, algorithm: Any = SortingAlgorithm.RadixSortLSD, ascending: bool = True) -> pdarray:
        """Return the positions that put the strings in order, as int64; lazy.

        Parameters
        ----------
        algorithm : SortingAlgorithm
            Accepted for compatibility with Arkouda.
        ascending : bool, default True
            The direction, as in `argsort`.

        Examples
        --------
        >>> s = ak.array(["b", "a", "B2"])
        >>> s.argsort().tolist()
        [2, 1, 0]
        """
        return sorting.coargsort([self], algorithm, ascending)

    min = reduction("min", _of_strings)
    max = reduction("max", _of_strings)
    argmin = reduction("argmin", _of_strings)
    argmax = reduction("argmax", _of_strings)

    # made of other things

    @staticmethod
    def from_parts(offset_attrib: pdarray, bytes_attrib: pdarray) -> Strings:
        """Return the strings of offsets and bytes, which `get_offsets` and `get_bytes` give; lazy.

        Counts the bytes where there are several partitions and that is unknown.

        Parameters
        ----------
        offset_attrib : pdarray of int64
            Where each string starts among the bytes.
        bytes_attrib : pdarray of uint8 or int
            The bytes in UTF-8, with a NUL behind each string.

        Raises
        ------
        CallError
            If they are no arrays.
        ArgumentTypeError
            If they are no integers.
        ArgumentError
            When it is computed, if offsets do not fit the bytes, or the bytes are no text that ends in NUL.

        Examples
        --------
        >>> ak.Strings.from_parts(ak.array([0, 2]), ak.array([97, 0, 98, 99, 0])).tolist()
        ['a', 'bc']
        """
        return text.of_parts(offset_attrib, bytes_attrib)

    @staticmethod
    def concatenate_uniquely(strings: Sequence[Any]) -> Strings:
        """Return the distinct strings of several arrays, in ascending order; lazy.

        Parameters
        ----------
        strings : sequence of Strings
            At least one.

        Raises
        ------
        ArgumentError
            If there are none.
        ArgumentTypeError
            If one of them is no Strings.

        Examples
        --------
        >>> ak.Strings.concatenate_uniquely([ak.array(["b", "a"]), ak.array(["b", "c"])]).tolist()
        ['a', 'b', 'c']
        """
        return text.distinct_of_all(strings)

    @takes_storage_options
    def to_hdf(  # type: ignore[override]  # Arkouda's order of parameters
        self,
        prefix_path: Path,
        dataset: str | None = None,
        mode: str = "truncate",
        save_offsets: bool = True,
        file_type: str = "distribute",
        *,
        num_locales: int | None = None,
        na_rep: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the strings to HDF5 files, which Arkouda reads; computes.

        With `save_offsets` False a single file does not say where the strings start, and readers find out by
        ``calc_string_offsets``; in sets of files it is always written, as servers do.  For the rest see
        `pdarray.to_hdf`.

        Parameters
        ----------
        na_rep : str, optional
            Text to write for missing text, which HDF5 cannot hold; empty text, with a warning, unless given.

        Warns
        -----
        UserWarning
            If text is missing and `na_rep` is not given.

        Examples
        --------
        >>> ak.array(["b", "a"]).to_hdf("words")
        >>> ak.read_hdf("words*")["strings_array"].tolist()
        ['b', 'a']
        """
        stored = text.storable(self, save_offsets, file_type)
        self._write(stored, prefix_path, dataset, mode, file_type, num_locales, na_rep=na_rep)

    @takes_storage_options
    def save(  # type: ignore[override] # noqa: PLR0917 - Arkouda's signature
        self,
        prefix_path: Path,
        dataset: str | None = None,
        mode: str = "truncate",
        save_offsets: bool = True,
        compression: str | None = None,
        file_format: str = "HDF5",
        file_type: str = "distribute",
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the strings as `to_hdf` does: the name of old Arkouda releases; see `pdarray.save`.

        Parameters
        ----------
        storage_options : mapping of str to value, optional
            Arguments of fsspec for URLs, such as keys or ``anon=True``.

        Examples
        --------
        >>> ak.array(["b", "a"]).save("words", "word")
        >>> ak.get_datasets("words*")
        ['word']
        """
        stored = text.storable(self, save_offsets, file_type)
        self._write(stored, prefix_path, dataset, mode, file_type, file_format=file_format, compression=compression)

    def update_hdf(  # type: ignore[override]  # Arkouda's order of parameters
        self,
        prefix_path: Path,
        dataset: str | None = None,
        save_offsets: bool = True,
        repack: bool = True,
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the strings into the HDF5 files of a prefix, replacing the object of that name; computes.

        The starts of strings are written whatever `save_offsets` is; Arkouda's readers need not use them.  For the
        rest see `pdarray.update_hdf`.

        Parameters
        ----------
        storage_options : mapping of str to value, optional
            Arguments of fsspec for URLs, such as keys or ``anon=True``.

        Examples
        --------
        >>> ak.array(["b", "a"]).to_hdf("words", "first")
        >>> ak.array(["x", "y"]).update_hdf("words", "second")
        >>> ak.get_datasets("words*")
        ['first', 'second']
        """
        super().update_hdf(prefix_path, dataset, repack, storage_options=storage_options)

    # other things

    def flatten(self) -> Strings:
        """Return the array itself, which is flat.

        Examples
        --------
        >>> s = ak.array(["b", "a", "B2"])
        >>> s.flatten().tolist()
        ['b', 'a', 'B2']
        """
        return self

    def group(self) -> pdarray:
        """Return positions that bring equal strings together, as int64; lazy.

        Examples
        --------
        >>> s = ak.array(["b", "a", "B2"])
        >>> s[s.group()].tolist()
        ['B2', 'a', 'b']
        """
        return self.argsort()

    def nunique(self) -> Scalar:
        """Return the number of distinct strings as int64, without missing text; lazy.

        Examples
        --------
        >>> ak.array(["b", "a", "b"]).nunique()
        np.int64(2)
        """
        return distinct_count(self.dropna())

    def equals(self, other: Any) -> Any:
        """Whether the other array has the same strings in the same order, missing where this one's are; computes.

        Examples
        --------
        >>> s = ak.array(["b", "a", "B2"])
        >>> s.equals(s.copy()), s.equals(s.upper())
        (np.True_, np.False_)
        """
        return text.are_equal(self, other)
