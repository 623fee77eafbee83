"""Methods of Strings that split them: fields between delimiters, prefixes and suffixes, and their bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.display import TextDisplay
from akdask.arrays.operators import combine
from akdask.arrays.scalar import value_of
from akdask.arrays.selection import filter_columns
from akdask.arrays.wrap import wrap
from akdask.engine.missing import call, is_missing_text, is_present
from akdask.engine.rowwise import Project
from akdask.engine.values import Call, Constant, Value
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.rows.lists import Flatten, SegmentStarts

if TYPE_CHECKING:
    from akdask.arrays.pdarray import pdarray


class StringsParts(TextDisplay, Array):
    """Parts of strings and the bytes that store them; all lazy."""

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
        >>> import akdask as ak
        >>> fields, segments = ak.array(["a|b", "c"]).split("|", return_segments=True)
        >>> fields.tolist(), segments.tolist()
        (['a', 'b', 'c'], [0, 2])
        """
        return self._fields(call("split", self._value, delimiter=as_str(delimiter), regex=bool(regex)), return_segments)

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
        >>> import akdask as ak
        >>> ak.array(["1_2___3"]).regex_split("_+", maxsplit=1).tolist()
        ['1', '2___3']
        """
        how = {"delimiter": as_str(pattern), "regex": True, "maxsplit": count_of(maxsplit)}
        return self._fields(call("split", self._value, **how), return_segments)

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
        >>> import akdask as ak
        >>> left, right = ak.array(["a.b.c", "d"]).peel(".")
        >>> left.tolist(), right.tolist()
        (['a', ''], ['b.c', 'd'])
        """
        times = value_of(times)
        if isinstance(times, bool) or not isinstance(times, int | np.integer):
            raise ArgumentTypeError(f"times is an integer, not {type(times).__name__}.")
        if times < 1:
            raise ArgumentError(f"strings are peeled at least once, not {times} times.")
        how = {"delimiter": as_str(delimiter), "times": int(times), "regex": bool(regex)}
        how |= {"include": bool(includeDelimiter), "partial": bool(keepPartial), "from_right": bool(fromRight)}
        left, right = (self._like(self._frame, call("peel", self._value, part=part, **how)) for part in (0, 1))
        return left, right

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
        >>> import akdask as ak
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
        >>> import akdask as ak
        >>> prefixes, origins = ak.array(["one", "to", "three"]).get_prefixes(2)
        >>> prefixes.tolist(), origins.tolist()
        (['on', 'th'], [True, False, True])
        """
        count = count_of(n)
        return self._long_enough(count, call("text_slice", self._value, start=0, stop=count), return_origins, proper)

    def get_suffixes(self, n: int, return_origins: bool = True, proper: bool = True) -> Any:
        """Return the last `n` characters of each string that is longer than that; see `get_prefixes`.  Lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.array(["one", "to", "three"]).get_suffixes(2, return_origins=False, proper=False).tolist()
        ['ne', 'to', 'ee']
        """
        count = count_of(n)
        # Counted from the end there is no place of no characters.
        start, stop = (-count, None) if count else (0, 0)
        return self._long_enough(count, call("text_slice", self._value, start=start, stop=stop), return_origins, proper)

    def get_lengths(self) -> Any:
        """Return the number of bytes of each string, without a terminator, as int64; lazy."""
        return wrap(self._frame, self._lengths)

    def get_bytes(self) -> Any:
        """Return the bytes of all strings, each followed by a NUL, as uint8; lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.array(["one", "ä"]).get_bytes().tolist()
        [111, 110, 101, 0, 195, 164, 0]
        """
        return self._flat(call("text_bytes", self._value))

    def get_offsets(self) -> Any:
        """Return where each string starts in `get_bytes`, as int64; lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.array(["one", "two", "three"]).get_offsets().tolist()
        [0, 4, 8]
        """
        return self._starts(Call("add", self._lengths, Constant(1)))

    @property
    def nbytes(self) -> int:
        """Bytes of all strings, each with a terminator; computes."""
        return int(self.get_lengths().sum()) + self.size

    def hash(self) -> tuple[pdarray, pdarray]:
        """Return the SipHash of 128 bits of each string as two arrays of uint64; lazy.

        All missing strings have the hash of empty text.

        Examples
        --------
        >>> import akdask as ak
        >>> high, low = ak.array(["a", "b", "a"]).hash()
        >>> ((high == high[0]) & (low == low[0])).tolist()
        [True, False, True]
        """
        high: Any
        low: Any
        high, low = (wrap(self._frame, call("text_hash", self._value, part=part)) for part in (0, 1))
        return high, low

    @property
    def _lengths(self) -> Value:
        return call("byte_length", self._value)

    def _long_enough(self, count: int, value: Value, return_origins: bool, proper: bool) -> Any:
        """Return a value of the strings that have at least this number of characters, or more if `proper`."""
        enough = Call("greater_equal", call("text_length", self._value), Constant(count + bool(proper)))
        frame, (value,) = filter_columns(self._frame, [value], self._frame, enough)
        found = self._like(frame, value)
        return (found, wrap(self._frame, enough)) if return_origins else found

    def _fields(self, lists: Value, return_segments: bool) -> Any:
        fields = self._flat(lists)
        return (fields, self._starts(Call("list_lengths", lists))) if return_segments else fields

    def _flat(self, lists: Value) -> Any:
        flat = Flatten(Project(self._frame, (0,), (lists,)))
        return wrap(flat, flat.column(0))

    def _starts(self, lengths: Value) -> Any:
        # Through an array, as lengths may have been kept since the text was.
        starts = SegmentStarts(wrap(self._frame, lengths)._project())
        return wrap(starts, starts.starts)


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


class MissingTextMethods(Array):
    """Missing text, which is not empty text; all lazy."""

    def isna(self) -> pdarray:
        """Return which strings are missing; lazy bool array.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.array(["a", None, ""]).isna().tolist()
        [False, True, False]
        """
        value = self._value
        return self._truth(is_missing_text(value) if self._has_missing else Call("not_equal", value, value))

    def notna(self) -> pdarray:
        """Return which strings are not missing; lazy bool array."""
        value = self._value
        return self._truth(is_present(value) if self._has_missing else Call("equal", value, value))

    def isnull(self) -> pdarray:
        """Return which strings are missing, as `isna` does; lazy bool array."""
        return self.isna()

    def notnull(self) -> pdarray:
        """Return which strings are not missing, as `notna` does; lazy bool array."""
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
        >>> import akdask as ak
        >>> ak.array(["a", None, ""]).fillna("-").tolist()
        ['a', '-', '']
        """
        if not isinstance(value, str | MissingTextMethods):
            raise ArgumentTypeError(f"missing text is filled with text, not with a {type(value).__name__}.")
        if not self._has_missing:
            return self.copy()
        return self._like(*combine("fill_missing", [self, value]))

    def dropna(self) -> Self:
        """Return the strings that are not missing; lazy."""
        if not self._has_missing:
            return self.copy()
        frame, (value,) = filter_columns(self._frame, [self._value], self._frame, is_present(self._value))
        return self._like(frame, value)

    @property
    def _has_missing(self) -> bool:
        """Whether any may be missing."""
        return self._value.dtype.nullable

    def _truth(self, value: Value) -> Any:
        return wrap(self._frame, value)
