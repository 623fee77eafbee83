"""Accessors of a Series: `dt`, `cat` and `str`; their results are Series with the same labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import reduce, wraps
from operator import or_
from typing import Any, ClassVar, TypeVar

import numpy as np

from akdask.arrays.array import Array, wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import looked_up
from akdask.arrays.elementwise import cast, where
from akdask.arrays.missing_attributes import missing_attribute
from akdask.arrays.pdarray import pdarray
from akdask.arrays.segarray import SegArray
from akdask.arrays.setops import unique
from akdask.arrays.strings import Strings
from akdask.arrays.text import Matcher, words
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import INT64
from akdask.engine.alignment import align_by_plan
from akdask.engine.values import Call, Constant
from akdask.engine.values import cast as cast_value
from akdask.errors import ArgumentError, ArgumentTypeError, MissingAttributeError, errors_end_at_caller, warn
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import as_other_type, missing_where
from akdask.frames.missing import present
from akdask.frames.series import Series
from akdask.operators.text.characters import PREDICATES, TRANSFORMS
from akdask.operators.text.patterns import compiled

Accessor = TypeVar("Accessor", bound="Properties")
AccessorClass = TypeVar("AccessorClass", bound=type)


class CachedAccessor:
    """A group of methods of a class, made for an object at first access.

    Parameters
    ----------
    name : str
        Name of the group: ``s.name`` is the accessor of `s`.
    accessor : type
        Class of the group, which takes the object.

    Raises
    ------
    MissingAttributeError
        At access, if the object is of another kind than the group is for.
    """

    def __init__(self, name: str, accessor: Callable[[Any], Any]) -> None:
        self._name = name
        self._accessor = accessor

    def __get__(self, obj: Any, cls: type | None = None) -> Any:
        return self._accessor if obj is None else self._accessor(obj)


@errors_end_at_caller
class Properties:
    """Methods of the values of a Series, by their own names.

    Arrays with a value for each row become Series, DataFrames get the labels, and other results are returned as they
    are.

    Parameters
    ----------
    series : Series
        Whose values.

    Raises
    ------
    MissingAttributeError
        If the values are of another kind.
    """

    kinds: ClassVar[tuple[type, ...]] = ()
    """The kinds of arrays that have these methods."""

    accessor_name: ClassVar[str] = ""
    """What users call the accessor."""

    def __init__(self, series: Series) -> None:
        if not isinstance(series.values, self.kinds):
            raise MissingAttributeError(
                f"a Series of {series.values._type_name()} has no .{self.accessor_name}.",
                hint=f"it is for values that are {' or '.join(kind.__name__ for kind in self.kinds)}.",
            )
        self.series = series

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        values = self.__dict__["series"].values
        if not hasattr(type(values), name):
            raise missing_attribute(type(values), name)
        found = getattr(values, name)
        return self._method(found) if callable(found) else self._labelled(found)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *(name for name in dir(type(self.series.values)) if not name.startswith("_"))]

    def _method(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*args: Any, **params: Any) -> Any:
            return self._labelled(method(*args, **params))

        return call

    def _labelled(self, found: Any) -> Any:
        """Return arrays, or the columns of a DataFrame, that have the rows of the Series with its labels."""
        rows = self.series.values.rows
        if isinstance(found, Array) and found.rows.same_rows(rows):
            return self.series._with(found)
        if isinstance(found, DataFrame) and found.rows.same_rows(rows):
            columns = found._columns
            return self.series._framed({name: columns.array(name) for name in columns.values})
        return tuple(map(self._labelled, found)) if type(found) is tuple else found


@errors_end_at_caller
class DatetimeAccessor(Properties):
    """Methods and fields of times and spans: ``s.dt.year``, ``s.dt.floor("h")``."""

    kinds = (TimeArray,)
    accessor_name = "dt"

    def __init__(self, series: Series) -> None:
        super().__init__(series)
        values: Any = series.values
        if values._form.may_lack is None:
            # Unless times are known to be complete, their fields are integers that may be missing, as in pandas.
            self.series = series._with(values._lacking())


@errors_end_at_caller
class CategoricalAccessor(Properties):
    """Codes, categories and methods of Categoricals: ``s.cat.codes``."""

    kinds = (Categorical,)
    accessor_name = "cat"

    @property
    def codes(self) -> Any:
        """The codes, -1 for missing values as in pandas, as a Series of int64; lazy.

        The codes of the array, ``s.values.codes``, are Arkouda's, which include the NA code.
        """
        values: Any = self.series.values
        codes, na_code = values._value, values._category_table.na_code
        numbers = Call("subtract", codes, cast_value(Call("greater", codes, na_code), INT64))
        found = Call("where", values._missing_among(codes), Constant(np.int64(-1)), numbers)
        return self.series._with(pdarray(values._frame, found))

    @property
    def categories(self) -> Any:
        """The categories without the label for missing, as Strings; lazy."""
        values: Any = self.series.values
        return values._each_category().to_strings()


def date_operators(cls: AccessorClass) -> AccessorClass:
    """Give a class of accessors ``floor``, ``ceil`` and ``round`` of times; a decorator of classes.

    Examples
    --------
    >>> Days = ak.date_operators(type("Days", (), {}))
    >>> hasattr(Days, "floor"), hasattr(Days, "ceil")
    (True, True)
    """
    return _having(cls, ("floor", "ceil", "round"))


def string_operators(cls: AccessorClass) -> AccessorClass:
    """Give a class of accessors ``contains``, ``startswith`` and ``endswith`` of text; a decorator of classes.

    Examples
    --------
    >>> Words = ak.string_operators(type("Words", (), {}))
    >>> hasattr(Words, "contains"), hasattr(Words, "endswith")
    (True, True)
    """
    return _having(cls, ("contains", "startswith", "endswith"))


def _having(cls: AccessorClass, names: Iterable[str]) -> AccessorClass:
    for name in names:
        setattr(cls, name, _forwarding(name))
    return cls


def _forwarding(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **params: Any) -> Any:
        found = getattr(self.series.values, name)(*args, **params)
        return self.series._with(found) if isinstance(found, Array) else found

    method.__name__ = name
    return method


LOOKS_LIKE_REGEX = re.compile(r"[|]|\.[*+]|\\[dwsb]|\[[^\]]+\]")


@errors_end_at_caller
class StringAccessor(Properties):
    """Methods of text: ``s.str.contains("a")``.

    Methods of `Strings` return Series with the same labels.  pandas' methods that Arkouda lacks answer as Python's
    `str` does, and count in characters.
    """

    kinds = (Strings, Categorical, SegArray)
    accessor_name = "str"

    def __new__(cls, series: Series) -> StringAccessor:
        """Return methods of the text of each row, or of a Categorical by its categories."""
        return super().__new__(_CategoryText if isinstance(series.values, Categorical) else cls)

    # Arkouda's

    def contains(self, substr: Any, regex: bool = False, *, case: bool = True, na: bool = False) -> Any:
        """Return where text has a part, as a Series of bool; lazy.  See `Strings.contains`.

        Parameters
        ----------
        substr : str
            The part, as it is; pandas reads it as a regular expression unless told otherwise.
        regex : bool, default False
            Read it as a regular expression.
        case : bool, default True
            Tell upper from lower case.
        na : bool, default False
            Result for missing text.

        Examples
        --------
        >>> ak.Series(["Foo", "bar"]).str.contains("foo|x", regex=True, case=False).tolist()
        [True, False]
        """
        if not regex and isinstance(substr, str) and LOOKS_LIKE_REGEX.search(substr):
            warn(
                f"{substr!r} is looked for as it is, as in Arkouda; pass regex=True if it is a regular expression.",
                UserWarning,
            )
        if not case:
            substr, regex = f"(?i){substr if regex else re.escape(substr)}", True
        found = self._holding("contains", substr, regex)
        return found | self.series.isna() if na else found

    def startswith(self, substr: Any, regex: bool = False) -> Any:
        """Return where text begins so, or in one of the ways of a tuple, as bool; lazy.  See `Strings.startswith`.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.startswith("a").tolist()
        [True, False, False]
        """
        if isinstance(substr, tuple) and substr:
            return reduce(or_, [self.startswith(one, regex) for one in substr])
        return self._holding("startswith", substr, regex)

    def endswith(self, substr: Any, regex: bool = False) -> Any:
        """Return where text ends so, as a Series of bool; lazy.  See `Strings.endswith`.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.endswith("c").tolist()
        [False, True, False]
        """
        if isinstance(substr, tuple) and substr:
            return reduce(or_, [self.endswith(one, regex) for one in substr])
        return self._holding("endswith", substr, regex)

    # pandas'

    def len(self) -> Any:
        """Return the number of characters of each text, or of the elements of each list, as int64; lazy.

        Examples
        --------
        >>> ak.Series(["é", "abc"]).str.len().tolist()
        [1, 3]
        """
        if isinstance(self.series.values, SegArray):
            return self.series._with(self._unless_lacking(self.series.values.lengths))
        return self._counted("text_length")

    def match(self, pat: str, case: bool = True) -> Any:
        """Return where text begins with a match of a regular expression, as bool; lazy.  See `Strings.match`.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.match("[ab]b").tolist()
        [True, False, False]
        """
        return self._matched("match", pat, case)

    def fullmatch(self, pat: str, case: bool = True) -> Any:
        """Return where all of the text matches a regular expression, as bool; lazy.  See `Strings.fullmatch`.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.fullmatch("a.").tolist()
        [True, False, False]
        """
        return self._matched("fullmatch", pat, case)

    def replace(self, pat: Any, repl: Any, n: int = -1, case: bool = True, regex: bool = False) -> Any:
        r"""Return text with other text in place of some; lazy.

        Parameters
        ----------
        pat, repl : str
            Text to replace, and its replacement.
        n : int, default -1
            The most places of each text, all if negative.
        case : bool, default True
            Tell upper from lower case.
        regex : bool, default False
            Read `pat` as a regular expression, and references to groups such as ``\1`` in `repl`.

        Examples
        --------
        >>> ak.Series(["a.b", "c"]).str.replace(".", "-").tolist()
        ['a-b', 'c']
        """
        if not isinstance(pat, str) or not isinstance(repl, str):
            raise ArgumentTypeError("replace takes text and what takes its place, as str.")
        if not regex and case:
            return self._changed("replace_text", part=pat, other=repl, most=n)
        if n == 0:
            return self.series.copy()
        pattern = pat if regex else re.escape(pat)
        pattern = pattern if case else f"(?i){pattern}"
        return self._labelled(Matcher(pattern, self._text).sub(repl if regex else repl.replace("\\", r"\\"), max(n, 0)))

    def slice(self, start: int | None = None, stop: int | None = None, step: int | None = None) -> Any:
        """Return a slice of the characters of each text; lazy.  The same as ``s.str[start:stop:step]``.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.slice(1).tolist()
        ['b', ',c', 'a']
        """
        return self[slice(start, stop, step)]

    def get(self, i: int) -> Any:
        """Return one character of each text, or one element of each list; missing where there is none; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.get(1).tolist()
        ['b', ',', 'a']
        """
        return self[i]

    def __getitem__(self, key: Any) -> Any:
        """Return characters of each text, or an element of each list: ``s.str[:3]``, ``s.str.split(",").str[0]``."""
        if isinstance(self.series.values, SegArray):
            return self.series._with(self._unless_lacking(_element(self.series.values, key)))
        if isinstance(key, slice):
            if key.step == 0:
                raise ArgumentError("a slice has no step of 0.", hint="1 takes every character.")
            return self._changed("text_slice", start=key.start, stop=key.stop, step=key.step)
        return self._changed("text_get", number=int(key))

    def split(self, pat: str | None = None, n: int = -1, expand: bool = False, *, regex: bool = False) -> Any:
        """Return the fields between delimiters, as lists or as columns.

        Parameters
        ----------
        pat : str, optional
            Delimiter of fields, white space unless given.
        n : int, default -1
            The most delimiters of each text at which it is split, all if not positive.
        expand : bool, default False
            Return a DataFrame with a column for each field, called ``0``, ``1`` and so on, with missing values for
            texts with fewer fields; computes the number of fields.  Otherwise return a lazy Series of lists.
        regex : bool, default False
            Read `pat` as a regular expression.

        Examples
        --------
        >>> s = ak.Series(["a-b", "c"])
        >>> s.str.split("-").str[0].tolist()
        ['a', 'c']
        >>> s.str.split("-", expand=True).to_pandas()["0"].tolist()
        ['a', 'c']
        """
        text: Any = self._text
        columns = ColumnSet.of({"text": text})
        lacking = None if not text._value.dtype.nullable else ~pdarray(columns.frame, present(columns, "text"))
        text = text.fillna("")
        if pat is None:
            fields, segments = words(text, max(n, 0))
        else:
            fields, segments = text.regex_split(pat if regex else re.escape(pat), max(n, 0), return_segments=True)
        found = SegArray(segments, fields)
        lists = self.series._with(found) if lacking is None else self.series._with_lists(found, lacking)
        if not expand:
            return lists
        count = int(lists.values.lengths.max()) if len(lists) else 0
        return self.series._framed({str(number): lists.str[number].values for number in range(count)})

    def partition(self, sep: str = " ") -> Any:
        """Return the text before the first delimiter, the delimiter, and the text after it, as columns; lazy.

        Parameters
        ----------
        sep : str, default " "
            The delimiter.  Of text without one all is before it.

        Returns
        -------
        DataFrame
            With columns ``0``, ``1`` and ``2``.

        Examples
        --------
        >>> ak.Series(["a-b-c", "d"]).str.partition("-")["2"].tolist()
        ['b-c', '']
        """
        return self._in_three(sep, from_right=False)

    def rpartition(self, sep: str = " ") -> Any:
        """Return the text before the last delimiter, the delimiter, and the text after it, as columns; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["a,b,c", "d"]))
        >>> s.str.rpartition(",").to_pandas().iloc[0].tolist()
        ['a,b', ',', 'c']
        """
        return self._in_three(sep, from_right=True)

    def get_dummies(self, sep: str = "|") -> Any:
        """Return for each field that occurs between delimiters a column of 0 and 1, which tells where; computes fields.

        Examples
        --------
        >>> ak.Series(["a|b", "b"]).str.get_dummies().to_pandas()
           a  b
        0  1  1
        1  0  1
        """
        text: Any = self._text.fillna("") if self._text._value.dtype.nullable else self._text
        fields = text.regex_split(re.escape(sep), 0, return_segments=True)[0]
        known = [field for field in unique(fields).tolist() if field]
        padded = sep + text + sep
        return self.series._framed({one: cast(padded.contains(f"{sep}{one}{sep}"), np.int64) for one in known})

    def extract(self, pat: str, expand: bool = True) -> Any:
        r"""Return the first match of each group of a regular expression in each text; lazy.

        Parameters
        ----------
        pat : str
            The regular expression, with at least one group.
        expand : bool, default True
            Return a DataFrame also of one group, otherwise a Series.

        Returns
        -------
        DataFrame or Series
            Columns are named as the groups, or by their numbers from 0; missing without a match.

        Raises
        ------
        ArgumentError
            If it is no regular expression, or has no group.

        Examples
        --------
        >>> ak.Series(["a12", "b"]).str.extract(r"(\d+)", expand=False).to_pandas().tolist()[0]
        '12'
        """
        pattern = compiled(pat)
        if not pattern.groups:
            raise ArgumentError(f"{pat!r} has no group to extract.", hint="put what is wanted into parentheses.")
        named = {number: name for name, number in pattern.groupindex.items()}
        found = {
            named.get(number, str(number - 1)): self._changed("extract", pattern=pat, group=number).values
            for number in range(1, pattern.groups + 1)
        }
        if pattern.groups == 1 and not expand:
            return self.series._with(next(iter(found.values())))
        return self.series._framed(found)

    def count(self, pat: str) -> Any:
        """Return how often a regular expression matches in each text, as int64; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.count("[ab]").tolist()
        [2, 1, 1]
        """
        if pat == re.escape(pat):
            return self._counted("text_count", part=pat)
        return self._counted("count_matches", pattern=compiled(pat).pattern)

    def find(self, sub: str, start: int = 0) -> Any:
        """Return where a part begins first in each text, in characters, -1 where it does not occur; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.find("b").tolist()
        [1, 0, -1]
        """
        return self._counted("text_find", part=sub, start=start)

    def rfind(self, sub: str, start: int = 0) -> Any:
        """Return where a part begins last in each text, in characters, -1 where it does not occur; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.rfind("b").tolist()
        [1, 0, -1]
        """
        return self._counted("text_find", part=sub, start=start, from_right=True)

    def cat(self, others: Any = None, sep: str = "", na_rep: str | None = None) -> Any:
        """Join text with another Series or array, row by row; without one join all rows to a str, which computes.

        `na_rep` replaces missing text.  Unless given, missing text stays missing, and is left out of the str.

        Examples
        --------
        >>> ak.Series(["a", "b"]).str.cat(ak.Series(["x", "y"]), sep="-").tolist()
        ['a-x', 'b-y']
        """
        if others is None:
            return sep.join(text for text in self._filled(self._text, na_rep).tolist() if text is not None)
        others = self._filled(self.series._on_rows(others), na_rep)
        return self._labelled(self._filled(self._text, na_rep).stick(others, sep))

    def zfill(self, width: int) -> Any:
        """Return text with zeros before it, up to a width; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.zfill(3).tolist()
        ['0ab', 'b,c', '0 a']
        """
        return self._changed("pad", width=width, side="sign", fill="0")

    def pad(self, width: int, side: str = "left", fillchar: Any = " ") -> Any:
        """Return text with characters before it, behind it or on both sides, up to a width; lazy.

        Raises
        ------
        ArgumentError
            If `side` is none of ``left``, ``right`` and ``both``.
        ArgumentTypeError
            If `fillchar` is not one character.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.pad(4, side="both", fillchar="_").tolist()
        ['_ab_', 'b,c_', '_ a_']
        """
        sides = ("left", "right", "both")
        if side not in sides:
            raise ArgumentError(f"side={side!r} is none of {', '.join(sides)}.")
        if not isinstance(fillchar, str) or len(fillchar) != 1:
            raise ArgumentTypeError(f"fillchar={fillchar!r} is not one character.", hint="pass a str such as '0'.")
        return self._changed("pad", width=width, side=side, fill=fillchar)

    def rjust(self, width: int, fillchar: str = " ") -> Any:
        """Return text with characters before it, up to a width; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.rjust(4, "_").tolist()
        ['__ab', '_b,c', '__ a']
        """
        return self.pad(width, "left", fillchar)

    def ljust(self, width: int, fillchar: str = " ") -> Any:
        """Return text with characters behind it, up to a width; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.ljust(4, "_").tolist()
        ['ab__', 'b,c_', ' a__']
        """
        return self.pad(width, "right", fillchar)

    def center(self, width: int, fillchar: str = " ") -> Any:
        """Return text with characters on both sides, up to a width; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.center(4, "_").tolist()
        ['_ab_', 'b,c_', '_ a_']
        """
        return self.pad(width, "both", fillchar)

    def repeat(self, repeats: int) -> Any:
        """Return each text so many times; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.repeat(2).tolist()
        ['abab', 'b,cb,c', ' a a']
        """
        return self._changed("repeat", times=repeats)

    def strip(self, to_strip: str | None = None) -> Any:
        """Return text without some characters at its ends, white space unless given; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.strip().tolist()
        ['ab', 'b,c', 'a']
        """
        return self._stripped(to_strip)

    def lstrip(self, to_strip: str | None = None) -> Any:
        """Return text without some characters at its beginning, white space unless given; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.lstrip().tolist()
        ['ab', 'b,c', 'a']
        """
        return self._stripped(to_strip, right=False)

    def rstrip(self, to_strip: str | None = None) -> Any:
        """Return text without some characters at its end, white space unless given; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.rstrip("c").tolist()
        ['ab', 'b,', ' a']
        """
        return self._stripped(to_strip, left=False)

    def removeprefix(self, prefix: str) -> Any:
        """Return text without a beginning, where it has that; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.removeprefix("a").tolist()
        ['b', 'b,c', ' a']
        """
        return self._changed("without_affix", affix=prefix, at_end=False)

    def removesuffix(self, suffix: str) -> Any:
        """Return text without an end, where it has that; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.removesuffix("b").tolist()
        ['a', 'b,c', ' a']
        """
        return self._changed("without_affix", affix=suffix, at_end=True)

    def swapcase(self) -> Any:
        """Return text with upper for lower case, and the other way round; lazy.

        Examples
        --------
        >>> s = ak.Series(ak.array(["ab", "b,c", " a"]))
        >>> s.str.swapcase().tolist()
        ['AB', 'B,C', ' A']
        """
        return self._changed("swapcase")

    def casefold(self) -> Any:
        """Return text to be compared without regard to case; lazy.

        Examples
        --------
        >>> ak.Series(ak.array(["Straße", "B"])).str.casefold().tolist()
        ['strasse', 'b']
        """
        return self._changed("casefold")

    # how

    @property
    def _text(self) -> Strings:
        found: Strings = self.series.values
        return found

    def _holding(self, name: str, *args: Any) -> Any:
        values = self.series.values
        found = values._holding(name, *args) if isinstance(values, Strings) else getattr(values, name)(*args)
        return self._labelled(found)

    def _filled(self, text: Any, na_rep: str | None) -> Any:
        return text if na_rep is None else text.fillna(na_rep)

    def _unless_lacking(self, found: Array) -> Array:
        """Return one value for each list, missing for missing lists."""
        lacking = self.series._lacking
        return found if lacking is None else _without(found, lacking)

    def _changed(self, operation: str, **params: Any) -> Any:
        return self.series._with(self._text._operate(operation, self._text, **params))

    def _counted(self, operation: str, **params: Any) -> Any:
        """Return a number for each text, missing for missing text."""
        text: Any = self._text
        if not text._value.dtype.nullable:
            return self.series._with(text._operate(operation, text, **params))
        columns = ColumnSet.of({"text": text})
        text = text.fillna("")
        lacks = ~pdarray(columns.frame, present(columns, "text"))
        return self.series._with(_without(text._operate(operation, text, **params), lacks))

    def _stripped(self, chars: str | None, *, left: bool = True, right: bool = True) -> Any:
        # There is nothing to strip of no characters, while to the operation these are white space.
        if chars == "":
            return self.series.copy()
        return self._changed("strip", chars="" if chars is None else chars, left=left, right=right)

    def _in_three(self, delimiter: str, *, from_right: bool) -> Any:
        if not delimiter:
            raise ArgumentError("text is not parted at empty text.", hint="pass a delimiter of a character or more.")
        parts = {
            str(number): self._changed("partition", delimiter=delimiter, number=number, from_right=from_right).values
            for number in range(3)
        }
        return self.series._framed(parts)

    def _matched(self, how: str, pat: str, case: bool) -> Any:
        found = getattr(self._text, how)(pat if case else f"(?i){pat}")
        return self._labelled(found.matched())


BY_CATEGORY = (
    *("contains", "startswith", "endswith", "match", "fullmatch", *PREDICATES, *TRANSFORMS),
    *("len", "count", "find", "rfind", "replace", "slice", "get", "__getitem__", "partition", "rpartition", "extract"),
    *("zfill", "pad", "rjust", "ljust", "center", "repeat", "strip", "lstrip", "rstrip"),
    *("removeprefix", "removesuffix"),
)
"""Methods whose result for a row depends on its text alone."""


class _CategoryText(StringAccessor):
    """Methods of the text of a Categorical: most find results once for each category, and look up those of rows."""

    def __init__(self, series: Series) -> None:
        super().__init__(series)
        categorical: Any = series.values
        self._rows = series
        self._codes, table = categorical._value, categorical._category_table
        self.series = series._with(as_other_type(categorical, str))
        text = missing_where(Strings(table, table.label), table.label, table.is_na)
        self._categories = StringAccessor(Series(Strings(table, text)))

    def _of_rows(self, found: Any) -> Any:
        """Return a result of categories, or a DataFrame of them, for each row."""
        if isinstance(found, DataFrame):
            columns = found._columns
            return self._rows._framed({name: self._each(columns.array(name)) for name in columns.values})
        return self._rows._with(self._each(found.values))

    def _each(self, array: Array) -> Array:
        return wrap(self._rows.values._frame, looked_up(array._frame, array._value, self._codes))


def _by_category(name: str) -> Callable[..., Any]:
    @wraps(getattr(StringAccessor, name, None) or getattr(Strings, name))
    def method(self: _CategoryText, *args: Any, **params: Any) -> Any:
        return self._of_rows(getattr(self._categories, name)(*args, **params))

    return method


for _name in BY_CATEGORY:
    setattr(_CategoryText, _name, _by_category(_name))


def _without(text: Array, lacks: Array) -> Array:
    """Return text that is missing in some rows."""
    frame, (value, lacking) = align_by_plan("extract", [(text._frame, text._value), (lacks._frame, lacks._value)])
    return text._like(frame, missing_where(text, value, lacking))


def _element(lists: SegArray, key: Any) -> Array:
    """Return one element of each list, missing where there are fewer."""
    if isinstance(key, slice):
        raise ArgumentTypeError("lists have no slices.", hint="s.values.get_prefixes gives beginnings.")
    position = int(key)
    lengths, segments = lists.lengths, lists.segments
    lacks = lengths < (position + 1 if position >= 0 else -position)
    at = segments + position if position >= 0 else segments + lengths + position
    if not len(lists.values):
        columns = ColumnSet.of({"lengths": lengths})
        nothing = Constant("" if isinstance(lists.values, Strings) else lists.values._value.dtype.numpy.type(0))
        found = lists.values._like(columns.frame, nothing)
    else:
        found = lists.values[where(lacks, 0, at)]
    return _without(found, pdarray(lacks._frame, lacks._value))
