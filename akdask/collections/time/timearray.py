"""What `Datetime` and `Timedelta` share: int64 nanoseconds, and what may be done with them."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.assignment import assigned
from akdask.collections.core.display import quoted
from akdask.collections.core.operators import combine
from akdask.collections.core.scalar import Scalar
from akdask.collections.core.wrap import special, wrap
from akdask.collections.core.writing import Storable
from akdask.collections.text.strings import Strings
from akdask.collections.time.frequencies import rounding_span
from akdask.columns import Table
from akdask.deferred import is_pandas, pd
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.rowwise.times import DAY, nanoseconds
from akdask.plan.expr.created import as_column, literal
from akdask.plan.expr.missing_text import call
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import Call, Constant, Value
from akdask.plan.reduce.aggregate import FORMS
from akdask.schema import INT64
from akdask.storage.formats.objects import ObjType

HOUR, MINUTE, SECOND = DAY // 24, DAY // 1440, 10**9

UNITS = {
    "weeks": 7 * DAY,
    "days": DAY,
    "hours": HOUR,
    "minutes": MINUTE,
    "seconds": SECOND,
    "milliseconds": 10**6,
    "microseconds": 10**3,
    "nanoseconds": 1,
}
ABBREVIATIONS = {"m": "minutes", "t": "minutes", "ms": "milliseconds", "l": "milliseconds", "us": "microseconds"}
ABBREVIATIONS |= {"u": "microseconds", "ns": "nanoseconds", "hrs": "hours"}

TIME, SPAN, NUMBER = "time", "span", "number"
NOT_A_TIME = np.iinfo(np.int64).min
"""The nanoseconds of NaT, as NumPy and pandas have it."""

COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
CHOICES = ("minimum", "maximum")

RULES: dict[tuple[str, ...], str] = {
    ("add", TIME, SPAN): TIME,
    ("add", SPAN, TIME): TIME,
    ("add", SPAN, SPAN): SPAN,
    ("subtract", TIME, TIME): SPAN,
    ("subtract", TIME, SPAN): TIME,
    ("subtract", SPAN, SPAN): SPAN,
    ("divide", TIME, SPAN): NUMBER,
    ("floor_divide", TIME, SPAN): NUMBER,
    ("remainder", TIME, SPAN): SPAN,
    ("divide", SPAN, SPAN): NUMBER,
    ("floor_divide", SPAN, SPAN): NUMBER,
    ("remainder", SPAN, SPAN): SPAN,
    ("multiply", SPAN, NUMBER): SPAN,
    ("multiply", NUMBER, SPAN): SPAN,
    # Rounds down, as integers do, where NumPy's spans lose their fraction.
    ("floor_divide", SPAN, NUMBER): SPAN,
    ("negative", SPAN): SPAN,
    ("positive", SPAN): SPAN,
    ("absolute", SPAN): SPAN,
    **{(comparison, kind, kind): NUMBER for comparison in COMPARISONS for kind in (TIME, SPAN)},
    **{(choice, kind, kind): kind for choice in CHOICES for kind in (TIME, SPAN)},
    **{("where", NUMBER, kind, kind): kind for kind in (TIME, SPAN)},
    **{("clip", kind, kind, kind): kind for kind in (TIME, SPAN)},
}
"""Operations, and what their arguments and results are; Arkouda's tables, and what only chooses among elements."""


def unit_of(text: str) -> int:
    """Return the nanoseconds of a unit: ``w``, ``d``, ``h``, ``m``, ``s``, ``ms``, ``us``, ``ns`` or a longer name.

    A beginning of a full name will do, and so do pandas' frequencies of fixed length such as ``15min``.

    Raises
    ------
    ArgumentError
        If it is none, or several names begin so.
    ArgumentTypeError
        If it is no text.
    """
    if not isinstance(text, str):
        raise ArgumentTypeError(
            f"a unit of time is named by text, not by {text!r:.100}.", hint="such as 's' or '15min'."
        )
    lower = text.lower()
    names = [ABBREVIATIONS[lower]] if lower in ABBREVIATIONS else [name for name in UNITS if name.startswith(lower)]
    if len(names) == 1:
        return UNITS[names[0]]
    try:
        return int(pd.Timedelta(text).as_unit("ns").value)
    except ValueError:
        raise ArgumentError(
            f"{text!r} is no unit of time.",
            details=[f"units: {', '.join(UNITS)}"],
            hint="pass one such as 's' or '15min'.",
        ) from None


class TimeArray(pdarray):
    """Times or spans of time, in int64 nanoseconds.

    NaT is the smallest int64, as in NumPy.  It counts as missing in `isna`, `dropna`, keys of groups and reductions of
    groups; for everything else, arithmetic and reductions of all rows included, it is the integer that it is for
    Arkouda.

    Parameters
    ----------
    pda : pdarray of int, Strings, or times at hand
        Numbers of `unit`, ISO 8601 text, or what pandas makes such times of.
    unit : str, default "ns"
        What numbers count; pandas and NumPy arrays know their own.
    """

    __array_priority__ = 2000
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    _is: ClassVar[str]
    _dtype_kind: ClassVar[str]
    _objtype: ClassVar[ObjType]
    _refused: ClassVar[frozenset[str]] = frozenset({"prod", "var"})
    _gap = "... "

    def __init__(self, pda: Any, unit: str = "ns") -> None:
        super().__init__(*_nanoseconds(pda, unit, self._dtype_kind))

    @classmethod
    def of(cls, frame: Frame, value: Value) -> Self:
        """Return the times that int64 nanoseconds on the rows of a frame are."""
        self = cls.__new__(cls)
        Array.__init__(self, frame, value)
        return self

    def _like(self, frame: Frame, value: Value) -> Self:
        return self.of(frame, value)

    @property
    def values(self) -> pdarray:
        """The nanoseconds, as int64; lazy."""
        return pdarray(self._frame, self._value)

    def _storable(self) -> Storable:
        return replace(super()._storable(), kind=self._objtype)

    # operators

    def _operate(self, operation: str, *items: Any, **params: Any) -> Any:
        given = [self._operand(item) for item in items]
        kinds = tuple(_kind_of(item) for item in given)
        result = RULES.get((operation, *kinds))
        if result is None:
            raise ArgumentTypeError(f"{operation} has no meaning for {', '.join(kinds)}.", hint=".values are numbers.")
        frame, value = combine(operation, [_number(item) for item in given], **params)
        if result == NUMBER:
            return wrap(frame, value)
        if value.dtype != INT64:
            raise ArgumentTypeError(f"{operation} with {value.dtype} would not keep nanoseconds whole.")
        return CLASSES[result].of(frame, value)

    def _operand(self, item: Any) -> Any:
        """Return a lazy array, or a scalar that is a number, Timestamp or Timedelta."""
        if isinstance(item, str):
            return self._plain_one(nanoseconds([item], self._dtype_kind)[0])
        if isinstance(item, np.ndarray) and not item.ndim:
            item = item[()]
        if isinstance(item, np.datetime64 | datetime.datetime):
            return FORMS[TIME](nanoseconds([item], "M")[0])
        if isinstance(item, np.timedelta64 | datetime.timedelta):
            return FORMS[SPAN](nanoseconds([item], "m")[0])
        found = None if isinstance(item, Array | Scalar) else special(item)
        return item if found is None else found

    def _become(self, changed: Any, operation: str) -> Any:
        if type(changed) is not type(self):
            raise ArgumentTypeError(f"{operation} in place would make a {type(changed).__name__} of the array.")
        return super()._become(changed, operation)

    def __setitem__(self, key: Any, item: Any) -> None:
        """Assign a time, or an array of them, to rows; see `pdarray.__setitem__`."""
        found = self._operand(item)
        if _kind_of(found) != self._is:
            raise ArgumentTypeError(f"cannot assign {type(item).__name__} to elements of a {type(self).__name__}.")
        self._frame, self._value = assigned(self.values, key, _number(found))

    def astype(self, dtype: Any) -> Any:
        """Return the nanoseconds converted to another type; lazy."""
        return self.values.astype(dtype)

    def equals(self, other: Any) -> bool:
        """Whether the other array has the same elements in the same order; computes."""
        return type(other) is type(self) and self.values.equals(other.values)

    def floor(self, freq: Any) -> Self:
        """Return the times rounded down to multiples of a fixed frequency; lazy.

        Parameters
        ----------
        freq : str, pandas offset or timedelta
            A unit in Arkouda's words, such as ``m`` for minutes, or a frequency of pandas, such as ``15min`` or ``7D``.
            Multiples are counted from 1970.

        Raises
        ------
        ArgumentError
            If it is none, or its length depends on the calendar, as with ``W`` and ``MS``.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Datetime(["2024-02-28T12:44"]).floor("15min")[0]
        Timestamp('2024-02-28 12:30:00')
        """
        return self._rounded("floor", freq)

    def ceil(self, freq: Any) -> Self:
        """Return the times rounded up to multiples of a fixed frequency; lazy.  See `floor`."""
        return self._rounded("ceil", freq)

    def round(self, freq: Any) -> Self:
        """Return the times rounded to multiples of a fixed frequency, halves to even ones; lazy.  See `floor`."""
        return self._rounded("round", freq)

    def _rounded(self, how: str, freq: Any) -> Self:
        step = rounding_span(freq, self._rules, asked=how)
        return self.of(self._frame, Call("round_time", self._value, how=how, step=step))

    def _part(self, unit: int, count: int) -> pdarray:
        """Return how many of a unit are past the last multiple of `count` of them."""
        units = Call("floor_divide", self._value, Constant(unit))
        return pdarray(self._frame, Call("remainder", units, Constant(count)))

    # reductions

    def _reduced(self, name: str, axis: int | None, keepdims: bool, **params: Any) -> Scalar:
        if name in self._refused:
            raise ArgumentTypeError(f"{name} has no meaning for a {type(self).__name__}.")
        form = SPAN if name == "std" else self._is if name in {"min", "max", "mean", "sum"} else None
        return super()._reduced(name, axis, keepdims, form=form, **params)

    # conversion

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return NumPy's times or spans; as objects those of pandas, where NumPy would give numbers."""
        found = self.to_ndarray()
        if dtype is not None and np.dtype(dtype) == object:
            return np.asarray(pd.Series(found), object)
        return np.asarray(found, dtype=dtype)

    def _converter(self) -> Callable[..., Any]:
        return as_datetimes if self._dtype_kind == "M" else as_timedeltas

    def _pandas_converter(self) -> Callable[..., Any]:
        return datetimes if self._dtype_kind == "M" else timedeltas

    def _type_name(self) -> str:
        return type(self).__name__

    def _plain_one(self, number: Any) -> Any:
        """Return one element as pandas has it."""
        return FORMS[self._is](number)

    def _element(self, position: int) -> Any:
        return self._plain_one(super()._element(position).view(np.int64))

    def _printed(self, items: np.ndarray[Any, Any]) -> list[str]:
        return quoted([self._plain_one(item) for item in items.view(np.int64)])

    @property
    def _footer(self) -> str:
        return f"dtype='{type(self).__name__.lower()}64[ns]'"

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements as pandas Timestamp or Timedelta; computes them all."""
        return map(self._plain_one, self.to_ndarray().view(np.int64))


CLASSES: dict[str, type[TimeArray]] = {}
"""The class of times, and that of spans."""


def _kind_of(item: Any) -> str:
    if isinstance(item, TimeArray):
        return item._is
    if isinstance(item, Scalar):
        return item._element.form or NUMBER
    return TIME if is_pandas(item, "Timestamp") else SPAN if is_pandas(item, "Timedelta") else NUMBER


def _number(item: Any) -> Any:
    if isinstance(item, TimeArray):
        return item.values
    return int(item.as_unit("ns").value) if is_pandas(item, "Timestamp", "Timedelta") else item


def _nanoseconds(items: Any, unit: str, kind: str) -> tuple[Frame, Value]:
    """Return times or spans as frame and value, from whatever a user has."""
    if isinstance(items, TimeArray):
        return items._frame, items._value
    if isinstance(items, Strings):
        return items._frame, call("parse_time", items._value, kind=kind)
    if not isinstance(items, Array):
        if not _are_numbers(items):
            return literal(nanoseconds(items, kind))
        items = pdarray(*literal(as_column(items)))
    if items._value.dtype.kind not in ("int", "uint"):
        raise ArgumentTypeError(f"times are made of integers, not of {items._value.dtype}.")
    value = items._value if items._value.dtype == INT64 else Call("cast", items._value, dtype=INT64.name)
    factor = unit_of(unit)
    return items._frame, value if factor == 1 else Call("multiply", value, Constant(factor))


def _are_numbers(items: Any) -> bool:
    """Whether data at hand are plain numbers, which count a unit, rather than times or text."""
    if isinstance(items, str | bytes) or not hasattr(items, "__len__"):
        raise ArgumentTypeError(f"times are made of an array or sequence, not of {type(items).__name__}.")
    kind = getattr(getattr(items, "dtype", None), "kind", None)
    if kind in ("M", "m"):
        return False
    # Of fractions and truth values pandas would make times without a word.
    return pd.api.types.infer_dtype(items, skipna=True) in {"integer", "floating", "boolean", "mixed-integer-float"}


def datetimes(column: Any) -> Any:
    """Return nanoseconds as NumPy's times."""
    return column.view("M8[ns]")


def timedeltas(column: Any) -> Any:
    """Return nanoseconds as NumPy's spans."""
    return column.view("m8[ns]")


def as_datetimes(table: Table) -> np.ndarray[Any, Any]:
    """Return the only column of a table as NumPy's times."""
    return np.array(table.columns[0]).view("M8[ns]")


def as_timedeltas(table: Table) -> np.ndarray[Any, Any]:
    """Return the only column of a table as NumPy's spans."""
    return np.array(table.columns[0]).view("m8[ns]")
