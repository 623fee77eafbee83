"""Lazy forms of `str`: methods of text, of lists of text, and of categories of text.

Fields of the house answer the commonest methods; all others run in pandas, block by block, as the methods of one row
know nothing of other rows.  Lists are no column of the engine: they are kept as the text and the methods that make
lists of it, and made where they leave, or are taken on to text by the next method.
"""

from __future__ import annotations

import inspect
import pickle
import re
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import cloudpickle
import numpy as np
import pandas

from akdask.arrays.array import Array, wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.engine.values import Call, Value, token, with_missing
from akdask.frames.columnset import VALUES
from akdask.frames.dtypes import as_other_type
from akdask.pandas.arguments import NOT_GIVEN
from akdask.pandas.encoded import Coding, EncodedArray, ObjectText, columns_of, series_of
from akdask.pandas.face import words
from akdask.pandas.lazy import LazyFrame
from akdask.pandas.refusals import NotLazyError
from akdask.records import record

Step = tuple[str, tuple[Any, ...], dict[str, Any]]


@record
class Lists(Coding):
    """Text, and methods that make lists of it."""

    is_ordered: ClassVar[bool] = False

    pickled: bytes
    of: str

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        return token("lists", self.pickled, self.of)

    @property
    def dtype(self) -> Any:
        """Python's objects."""
        return np.dtype(object)

    def __call__(self, column: Any) -> Any:
        """Return a Series of lists."""
        from akdask.operators.text.chains import applied

        return applied(column, pickle.loads(self.pickled), self.of)


class TextOf:
    """Methods of the text of a lazy Series.

    Parameters
    ----------
    series : Series
        Text, categories of text, or lists of text.
    """

    def __init__(self, series: Any) -> None:
        array = columns_of(series).array(VALUES)
        self.series = series
        self.dtype = "str"
        self.steps: tuple[Step, ...] = ()
        if isinstance(array, EncodedArray) and isinstance(array.coding, Lists):
            self.steps, self.dtype = pickle.loads(array.coding.pickled), array.coding.of
            self.text: Any = wrap(array._frame, array._value)
        elif isinstance(array, EncodedArray) and isinstance(array.coding, ObjectText):
            self.text, self.dtype = wrap(array._frame, array._value), "object"
        elif isinstance(array, Categorical):
            self.text, self.dtype = as_other_type(array, str), "object"
        elif isinstance(array, Strings):
            self.text = array
        else:
            raise NotLazyError("the values are no text")

    @property
    def house(self) -> Any:
        """The methods of the house; they are for text alone."""
        if self.steps or self.dtype == "object":
            raise NotLazyError("lists and objects have no such method")
        return series_of(self.series, self.text).str

    def value(self, steps: tuple[Step, ...], gives: str, column: int = -1) -> Value:
        """Return the text after a chain of methods."""
        return Call(
            "text_chain", self.text._value, pickled=_pickled(steps), gives=gives, column=column, dtype=self.dtype
        )

    def with_text(self, steps: tuple[Step, ...]) -> Any:
        """Return the Series with the text that methods make of it; of lists and of objects these are objects."""
        value = self.value(steps, "text")
        if not self.steps and self.dtype == "str":
            return self.with_values(value)
        return self.with_values(EncodedArray(self.text._frame, value, ObjectText()))

    def with_values(self, value: Value) -> Any:
        """Return the Series with other values."""
        array: Any = value if isinstance(value, Array) else wrap(self.text._frame, value)
        return series_of(self.series, array)


def _pickled(steps: tuple[Step, ...]) -> bytes:
    try:
        return pickle.dumps(steps)
    except (pickle.PicklingError, AttributeError, TypeError):
        found: bytes = cloudpickle.dumps(steps)
        return found


TO_TEXT = words(
    """lower upper title capitalize swapcase casefold strip lstrip rstrip replace slice slice_replace pad center ljust
    rjust zfill removeprefix removesuffix repeat wrap normalize translate"""
)

TO_BOOL = words(
    """contains match fullmatch startswith endswith isalnum isalpha isascii isdecimal isdigit islower isnumeric isspace
    istitle isupper"""
)

TO_INT = words("len find rfind count index rindex")

TO_LISTS = words("split rsplit findall")

OF_LISTS = words("get join len")

IN_HOUSE = words("contains match fullmatch startswith endswith len slice")
"""Methods whose commonest arguments the house takes."""


def chained(name: str) -> Callable[..., Any]:
    """Return the form of a method that gives text, bools, integers or lists for each row."""

    def method(text: TextOf, **given: Any) -> Any:
        if text.steps and name not in OF_LISTS:
            raise NotLazyError("lists have no such method")
        if name in IN_HOUSE and not text.steps and text.dtype == "str":
            found = _in_house(text, name, given)
            if found is not None:
                return found
        if name in ("split", "rsplit") and given.pop("expand", False):
            return _fields(text, name, given)
        step = _step(name, given)
        steps = (*text.steps, step)
        if name in TO_LISTS:
            return text.with_values(
                EncodedArray(text.text._frame, text.text._value, Lists(_pickled(steps), text.dtype))
            )
        if name in TO_BOOL:
            if text.dtype == "object" and given.get("na", NOT_GIVEN) is NOT_GIVEN:
                raise NotLazyError("missing text gives NaN")
            na = given.get("na", NOT_GIVEN)
            if na is not NOT_GIVEN and not isinstance(na, bool):
                raise NotLazyError("missing text gives what is no bool")
            return text.with_values(text.value(steps, "bool"))
        if name in TO_INT:
            return text.with_values(with_missing(text.value(steps, "int"), text.value(steps, "missing")))
        return text.with_text(steps)

    method.__signature__ = _signature(name)  # type: ignore[attr-defined]
    return method


def _signature(name: str) -> inspect.Signature:
    """Return the signature of a method of pandas, all of whose arguments are given by name."""
    methods: Any = vars(pandas.Series)["str"]._accessor
    _, *others = inspect.signature(getattr(methods, name)).parameters.values()
    text = inspect.Parameter("text", inspect.Parameter.POSITIONAL_ONLY)
    return inspect.Signature([text, *(one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in others)])


def _step(name: str, given: dict[str, Any]) -> Step:
    for item in given.values():
        if isinstance(item, Array) or hasattr(item, "_labelled"):
            raise NotLazyError("an argument is a column")
    pandas_method = getattr(pandas.Series([], dtype="str").str, name)
    # What pandas refuses, it refuses at the call.
    if name != "get":
        pandas_method(**given)
    return name, (), given


def _in_house(text: TextOf, name: str, given: dict[str, Any]) -> Any:
    """Return the result for the commonest arguments, None for others."""
    house = text.house
    if name == "len":
        found = house.len()
        lacking = text.text._value
        if lacking.dtype.nullable:
            return None
        return found
    if name == "slice":
        parts = [given.get(word) for word in ("start", "stop", "step")]
        return house[slice(*parts)] if all(part is None or type(part) is int for part in parts) else None
    pat = given["pat"]
    if given.get("na", NOT_GIVEN) not in (NOT_GIVEN, False) or given.get("flags") or not isinstance(pat, str):
        return None
    if name in ("startswith", "endswith"):
        return getattr(house, name)(pat)
    case = given.get("case", True)
    if case is not True:
        return None
    if name == "contains" and not given.get("regex", True):
        return house.contains(pat, regex=False)
    if name == "contains" and re.escape(pat) == pat:
        return house.contains(pat, regex=False)
    if name == "contains" and re.compile(pat).groups:
        return None  # pandas warns
    return house.contains(pat, regex=True) if name == "contains" else None


# columns


def _framed(text: TextOf, steps: tuple[Step, ...], columns: pandas.Index) -> Any:
    """Return columns of text that a chain of methods gives."""
    from akdask.pandas.labels import FrameLabels, labelled

    if text.dtype == "object":
        raise NotLazyError("parts of objects are objects")
    names = [f"column {number}" for number in range(len(columns))]
    if columns.inferred_type == "string" and columns.is_unique:
        names = list(columns)
    arrays = {name: wrap(text.text._frame, text.value(steps, "text", number)) for number, name in enumerate(names)}
    found = text.series._framed(arrays)
    return labelled(LazyFrame.under(found), FrameLabels(columns))


def _fields(text: TextOf, name: str, given: dict[str, Any]) -> Any:
    """Return the fields of text as columns; computes how many there are."""
    step = _step(name, given)
    lengths = text.value((step, ("len", (), {})), "int")
    most = pdarray(text.text._frame, lengths).max()
    count = int(most.value() if hasattr(most, "value") else most)
    if count < 1:
        raise NotLazyError("there are no fields")
    return _framed(text, (_step(name, {**given, "expand": True}),), pandas.RangeIndex(count))


def partitioned(name: str) -> Callable[..., Any]:
    def method(text: TextOf, sep: str = " ", expand: bool = True) -> Any:
        if not expand or text.steps:
            raise NotLazyError("tuples are objects")
        return _framed(text, (_step(name, {"sep": sep, "expand": True}),), pandas.RangeIndex(3))

    return method


def extract(text: TextOf, pat: str, flags: int = 0, expand: bool = True) -> Any:
    """Return the matches of the groups of a pattern."""
    if text.steps:
        raise NotLazyError("lists have no such method")
    methods: Any = pandas.Series(["a"], dtype="str").str
    nothing = methods.extract(pat, flags=flags, expand=expand)
    step = _step("extract", {"pat": pat, "flags": flags, "expand": expand})
    if isinstance(nothing, pandas.DataFrame):
        return _framed(text, (step,), nothing.columns)
    found = text.with_text((step,))
    if nothing.name is not None:
        found.name = nothing.name
    return found


def item(text: TextOf, key: Any) -> Any:
    """Return characters of text, or one of the parts of a list."""
    if isinstance(key, slice):
        if text.steps:
            step: Step = ("slice", (key.start, key.stop, key.step), {})
            steps = (*text.steps, step)
            return text.with_values(
                EncodedArray(text.text._frame, text.text._value, Lists(_pickled(steps), text.dtype))
            )
        return text.house[key]
    return get(text, key)


def get(text: TextOf, i: Any) -> Any:
    if type(i) is not int:
        raise NotLazyError("the key is no number")
    return text.with_text((*text.steps, ("get", (i,), {})))


def cat(text: TextOf, others: Any = None, sep: Any = None, na_rep: Any = None, join: Any = "left") -> Any:
    if others is not None and not hasattr(others, "_labelled"):
        raise NotLazyError("others are no Series")
    if join != "left":
        raise NotLazyError("labels are joined")
    options = {word: value for word, value in {"sep": sep, "na_rep": na_rep}.items() if value is not None}
    if others is None:
        found: str = text.series.dropna().to_pandas().str.cat(sep=sep) if na_rep is None else ""
        if na_rep is not None:
            raise NotLazyError("missing text is written")
        return found
    if sep is None:
        options["sep"] = ""
    return text.house.cat(others, **options)


def get_dummies(text: TextOf, sep: str = "|", dtype: Any = None) -> Any:
    if dtype is not None:
        raise NotLazyError("the type has no lazy form")
    unsplit: Any = series_of(text.series, text.text)
    between: Any = unsplit.str
    lacks_part = (unsplit == "") | between.startswith(sep) | between.endswith(sep) | between.contains(sep + sep)
    if sep and bool(lacks_part.any()):
        raise NotLazyError("there are parts without text")
    return text.house.get_dummies(sep)


FORMS: Mapping[str, Callable[..., Any]] = {
    **{name: chained(name) for name in TO_TEXT | TO_BOOL | TO_INT | TO_LISTS | words("join")},
    "partition": partitioned("partition"),
    "rpartition": partitioned("rpartition"),
    "extract": extract,
    "get": get,
    "__getitem__": item,
    "cat": cat,
    "get_dummies": get_dummies,
}
"""Lazy forms of methods of `str`."""
