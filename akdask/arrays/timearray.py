"""The base class of `Datetime` and `Timedelta`: int64 numbers of a unit, of which the smallest is NaT."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from akdask.arrays.array import Array, check_axis, special, unlabelled, wrap
from akdask.arrays.elementwise import assigned, on_common_rows
from akdask.arrays.pdarray import pdarray
from akdask.arrays.scalar import Scalar
from akdask.arrays.strings import Strings
from akdask.columns.dtypes import (
    FLOAT64,
    INT64,
    NANOSECONDS,
    NOT_A_TIME,
    PER_SECOND,
    SPAN,
    TIME,
    TimeForm,
    finer,
    some_lack,
)
from akdask.columns.table import Table
from akdask.deferred import is_na, is_pandas, pd
from akdask.engine import times
from akdask.engine.alignment import align
from akdask.engine.missing import call, lacks_numbers
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.sources import as_column, literal, refuses_foreign
from akdask.engine.values import Call, Constant, Value, cast, with_missing
from akdask.errors import ArgumentError, ArgumentTypeError, TimeOverflowError, errors_end_at_caller
from akdask.operators.reduce.plan import Aggregate, AggregateExpr, Element
from akdask.operators.values.times import DAY, checked_zone, numbers_of
from akdask.records import record
from akdask.storage.objects import ObjType

if TYPE_CHECKING:
    from akdask.arrays.writing import Storable

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
ABBREVIATIONS |= {"u": "microseconds", "ns": "nanoseconds", "hr": "hours", "hrs": "hours"}

NUMBER = "number"

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
    ("divide", SPAN, NUMBER): SPAN,
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
"""Operations with the kinds of their arguments and results: Arkouda's tables, and operations that choose elements."""


def unit_of(text: str) -> int:
    """Return the nanoseconds of a unit: ``w``, ``d``, ``h``, ``m``, ``s``, ``ms``, ``us``, ``ns`` or a longer name.

    The beginning of a full name is enough, as are pandas' frequencies of fixed length such as ``15min``.

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


@errors_end_at_caller
class TimeArray(pdarray):
    """Times or spans of time: int64 numbers of a unit, nanoseconds unless files or pandas have another.

    NaT is the smallest int64, as in NumPy.  It is missing everywhere: comparisons with it are False, but for ``!=``,
    results computed from it are NaT, it is last in every order, and reductions of an array that has it give it.

    Parameters
    ----------
    pda : pdarray of int, Strings, or times at hand
        Numbers of `unit`, ISO 8601 text, or values that pandas converts to such times.
    unit : str, default "ns"
        The unit of the numbers; pandas and NumPy arrays have their own.
    """

    __array_priority__ = 2000
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    _is: ClassVar[str]
    _dtype_kind: ClassVar[str]
    _objtype: ClassVar[ObjType]
    _refused: ClassVar[frozenset[str]] = frozenset({"prod", "var"})
    _gap = "... "

    _form: TimeForm

    @refuses_foreign()
    def __init__(self, pda: Any, unit: str = "ns") -> None:
        frame, value, self._form = _nanoseconds(pda, unit, self._dtype_kind)
        super().__init__(frame, value)

    @classmethod
    def of(cls, frame: Frame, value: Value, form: TimeForm | None = None) -> Self:
        """Return the times of int64 numbers on the rows of a frame; nanoseconds unless `form` differs."""
        self = cls.__new__(cls)
        self._form = NANOSECONDS[cls._is] if form is None else form
        Array.__init__(self, frame, value)
        return self

    @classmethod
    def at_hand(cls, items: Any) -> Self:
        """Return times at hand with the unit and zone of their dtype; nanoseconds if it has none."""
        has_dtype = getattr(getattr(items, "dtype", None), "kind", "O") in ("M", "m")
        numbers, unit, zone = numbers_of(items, cls._dtype_kind, None if has_dtype else "ns")
        form = TimeForm(cls._is, unit, zone, bool((numbers == NOT_A_TIME).any()))
        return cls.of(*literal(numbers), form)

    @classmethod
    def counted(cls, numbers: pdarray, unit: str, *, coerce: bool = False) -> Self:
        """Return numbers of a unit, also with fractions, as times.

        NaN is NaT.  Numbers beyond 64 bits are NaT with `coerce`, and an error at compute otherwise.

        Examples
        --------
        >>> ak.Timedelta.counted(ak.array([1, 2]), "s").total_seconds().tolist()
        [1.0, 2.0]
        """
        may_lack = coerce or lacks_numbers(numbers._value.dtype)
        form = NANOSECONDS[cls._is].lacking(may_lack)
        return cls.of(numbers._frame, _counted(numbers._value, unit, coerce=coerce), form)

    def _like(self, frame: Frame, value: Value) -> Self:
        return self.of(frame, value, self._form)

    @property
    def unit(self) -> str:
        """The unit of the numbers: ``s``, ``ms``, ``us`` or ``ns``.

        Examples
        --------
        >>> t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])
        >>> t.unit
        'ns'
        """
        return self._form.unit

    def as_unit(self, unit: str) -> Self:
        """Return the times in another unit, rounded down if it is coarser; lazy.

        Parameters
        ----------
        unit : {"s", "ms", "us", "ns"}
            The unit.

        Raises
        ------
        ArgumentError
            If it is something else.
        TimeOverflowError
            When computed, if 64 bits of a finer unit do not hold a time.

        Examples
        --------
        >>> ak.Datetime(["2024-02-28T12:44:01.5"]).as_unit("s").to_ndarray().dtype
        dtype('<M8[s]')
        """
        if unit not in PER_SECOND:
            raise ArgumentError(f"times count {', '.join(PER_SECOND)}, not {unit!r}.")
        return self.of(self._frame, times.in_unit(self._value, self._form.unit, unit), replace(self._form, unit=unit))

    def _lacking(self, may_lack: bool = True) -> Self:
        """Return the same times, of which some may be NaT, or none is."""
        return self.of(self._frame, self._value, self._form.lacking(may_lack))

    def _sort_key(self, ascending: bool = True) -> tuple[Frame, Value]:
        return self._frame, times.ordered(self._value) if ascending else self._value

    def _in_common(self, operation: str, others: Sequence[Any]) -> list[Any]:
        arrays = [self, *others]
        forms = [form_of(array) for array in arrays]
        if any(form is None or form.kind != self._is for form in forms):
            return arrays
        known = [form for form in forms if form is not None]
        unit, zone = finer(*(form.unit for form in known)), zone_of(operation, known)
        form = TimeForm(self._is, unit, zone, some_lack(known))
        return [array.of(array._frame, times.in_unit(array._value, array._form.unit, unit), form) for array in arrays]

    def _key(self) -> tuple[Frame, Value]:
        return self._frame, times.ordered(self._value)

    def _of_key(self, frame: Frame, key: Value) -> Self:
        return self._like(frame, times.of_order(key))

    @property
    def values(self) -> pdarray:
        """The numbers of the unit, as int64; lazy.  They are nanoseconds unless the array has another unit.

        Examples
        --------
        >>> ak.Timedelta(ak.array([5, 7])).values.tolist()
        [5, 7]
        """
        return pdarray(self._frame, self._value)

    def _storable(self) -> Storable:
        return replace(super()._storable(), kind=self._objtype, form=self._form)

    # operators

    def _operate(self, operation: str, *items: Any, **params: Any) -> Any:
        from akdask.arrays.calendar import is_offset, moved

        if any(map(is_offset, items)):
            return moved(operation, items)
        if operation in ("where", "clip"):
            items = tuple([NOTHING if item is None or _is_nan(item) else item for item in items])
        given = [self._operand(item) for item in items]
        if operation == "add" and self._is == TIME:
            # No time is added to a time; the missing operand is a span.
            given = [
                Moment.of(NOTHING, SPAN) if isinstance(one, Moment) and is_missing(item) else one
                for item, one in zip(items, given, strict=True)
            ]
        forms = [form_of(item) for item in given]
        kinds = tuple(NUMBER if form is None else form.kind for form in forms)
        result = RULES.get((operation, *kinds))
        if result is None:
            raise ArgumentTypeError(f"{operation} has no meaning for {', '.join(kinds)}.", hint=".values are numbers.")
        return operated(operation, given, forms, result, **params)

    def _operand(self, item: Any) -> Any:
        """Return a lazy array, a lazy scalar, a number, or a time or span that is known."""
        item = unlabelled(item)
        if isinstance(item, np.ndarray) and not item.ndim:
            item = item[()]
        if isinstance(item, str):
            return self._read(item)
        if isinstance(item, np.datetime64 | np.timedelta64 | datetime.date | datetime.timedelta) or is_missing(item):
            return Moment.of(item, self._is)
        found = None if isinstance(item, Array | Scalar) else special(item)
        return item if found is None else found

    def _read(self, text: str) -> Moment:
        """Return a time or span from text; text without a zone is clock time in the array's zone."""
        try:
            if self._is == SPAN:
                return Moment.of(pd.Timedelta(text), SPAN)
            time: Any = pd.Timestamp(text)
            if is_missing(time):
                return Moment.of(time, TIME)
            if self._form.zone is not None and time.tz is None:
                time = time.tz_localize(self._form.zone)
            elif self._form.zone is None and time.tz is not None:
                time = time.tz_convert("UTC").tz_localize(None)
            return Moment.of(time, TIME)
        except ValueError as error:
            wanted = "time" if self._is == TIME else "span of time"
            raise ArgumentError(f"{text!r:.100} is no {wanted}.", details=[str(error).splitlines()[0]]) from error

    def _become(self, changed: Any, operation: str) -> Any:
        if type(changed) is not type(self):
            raise ArgumentTypeError(f"{operation} in place would make a {type(changed).__name__} of the array.")
        return super()._become(changed, operation)

    def __setitem__(self, key: Any, item: Any) -> None:
        """Assign a time, or an array of them, to rows; see `pdarray.__setitem__`."""
        found = self._operand(NOTHING if item is None else item)
        form = form_of(found)
        if form is None or form.kind != self._is:
            raise ArgumentTypeError(f"cannot assign {type(item).__name__} to elements of a {type(self).__name__}.")
        zone_of("assign", [self._form, form])
        item = found.number_in(self._form.unit) if isinstance(found, Moment) else numbers_in(found, self._form.unit)
        self._frame, self._value = assigned(self.values, key, item)
        self._form = self._form.lacking(some_lack((self._form, form)))

    def astype(self, dtype: Any) -> Any:
        """Return the numbers converted to another type, or the times to another unit: ``"datetime64[us]"``; lazy.

        Raises
        ------
        ArgumentTypeError
            If the type is one of times and the elements are spans, or the other way round.

        Examples
        --------
        >>> ak.Timedelta(ak.array([5, 7])).astype(ak.int64).tolist()
        [5, 7]
        """
        kind = _time_dtype(dtype)
        if kind is None:
            return self.values.astype(dtype)
        if kind.kind != self._dtype_kind:
            raise ArgumentTypeError(f"a {type(self).__name__} does not become {kind}.")
        zone = getattr(kind, "tz", None)
        unit = getattr(kind, "unit", None) or np.datetime_data(kind)[0]
        found: Any = self if unit == "generic" else self.as_unit(unit)
        if zone is not None:
            return found.tz_convert(zone)
        if self._form.zone is not None:
            raise ArgumentTypeError(
                "times with a zone do not lose it by astype.", hint="tz_localize(None), or tz_convert(None) for UTC."
            )
        return found

    def equals(self, other: Any) -> bool:
        """Whether the other array has the same elements in the same order; computes.

        Examples
        --------
        >>> t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])
        >>> t.equals(t.copy())
        True
        """
        if type(other) is not type(self) or (self._form.zone is None) != (other._form.zone is None):
            return False
        one, another = self._in_common("equals", [other])
        return bool(one.values.equals(another.values))

    def floor(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Self:
        """Return the times rounded down to multiples of a fixed frequency; lazy.

        Parameters
        ----------
        freq : str, pandas offset or timedelta
            A unit in Arkouda's words, such as ``m`` for minutes, or a frequency of pandas, such as ``15min`` or ``7D``.
            Multiples are counted from 1970, by the clocks of the zone where there is one.
        ambiguous, nonexistent : str, bool or timedelta
            How to treat times that the clocks of a zone show twice or not at all; see `Datetime.tz_localize`.

        Raises
        ------
        ArgumentError
            If the frequency is unknown, or its length depends on the calendar, as with ``W`` and ``MS``.

        Examples
        --------
        >>> ak.Datetime(["2024-02-28T12:44"]).floor("15min")[0]
        Timestamp('2024-02-28 12:30:00')
        """
        return self._rounded("floor", freq, ambiguous=ambiguous, nonexistent=nonexistent)

    def ceil(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Self:
        """Return the times rounded up to multiples of a fixed frequency; lazy.  See `floor`.

        Examples
        --------
        >>> t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])
        >>> t.ceil("h").hour.tolist()
        [14, 0]
        """
        return self._rounded("ceil", freq, ambiguous=ambiguous, nonexistent=nonexistent)

    def round(self, freq: Any, ambiguous: Any = "raise", nonexistent: Any = "raise") -> Self:
        """Return the times rounded to multiples of a fixed frequency, halves to even multiples; lazy.  See `floor`.

        Examples
        --------
        >>> t = ak.Datetime(["2024-02-29 13:45:10", "2023-12-31 00:00:00"])
        >>> t.round("h").hour.tolist()
        [14, 0]
        """
        return self._rounded("round", freq, ambiguous=ambiguous, nonexistent=nonexistent)

    def _rounded(self, how: str, freq: Any, **zoned: Any) -> Self:
        from akdask.arrays.calendar import rounding_span

        step = rounding_span(freq, self._rules, asked=how)
        count, rest = divmod(step * self._form.per_second, 10**9)
        if rest:
            # A step within the unit: no time is between two of its multiples, or they would be finer than the unit.
            if (10**9 // self._form.per_second) % step:
                raise ArgumentError(
                    f"{how} to {step} ns is finer than the unit of the times, {self.unit}.", hint="as_unit('ns') first."
                )
            return self._like(self._frame, self._value)
        rounded = Call("round_time", self._clock, how=how, step=count)
        return self._like(self._frame, times.utc(rounded, self._form.zone, self.unit, **zoned))

    @property
    def _clock(self) -> Value:
        """The clock times in the zone, or the spans themselves."""
        return times.local(self._value, self._form.zone, self._form.unit)

    def _part(self, name: str, step: int, count: int) -> pdarray:
        """Return the number of steps of `step` nanoseconds since the last multiple of `count` steps."""
        nanoseconds = 10**9 // self._form.per_second
        coarser, finer = max(step // nanoseconds, 1), max(nanoseconds // step, 1)
        # Of steps within a unit there are multiples only.
        count = max(count // finer, 1) if count else 0
        params = {"name": name, "step": coarser, "count": count, "factor": finer, "missing": bool(self._form.may_lack)}
        return self._present_numbers(pdarray(self._frame, Call("time_part", self._clock, **params)))

    def _present_numbers(self, found: pdarray) -> pdarray:
        """Return integers computed from the times, with NaN for NaT if the array may contain NaT."""
        if not self._form.may_lack or found._value.dtype != INT64:
            return found
        frame, (value, lacks) = self._beside(found)
        return pdarray(frame, with_missing(value, lacks))

    def _beside(self, found: Array) -> tuple[Frame, list[Value]]:
        """Return a field of the times, and where they are missing, on common rows."""
        lacks = times.is_missing_time(self._value)
        return align("mark what is missing", [(found._frame, found._value), (self._frame, lacks)])

    # reductions

    def _reduced(self, name: str, axis: int | None, keepdims: bool, **params: Any) -> Scalar:
        if name in self._refused:
            raise ArgumentTypeError(f"{name} has no meaning for a {type(self).__name__}.")
        if keepdims:
            form = self._form.of_span() if name == "std" else self._form if name in TIMELY else None
            return super()._reduced(name, axis, keepdims, form=form, **params)
        check_axis(name, axis)
        reduction, value, form = reduction_of(name, self._value, self._form)
        return Scalar(Element(Aggregate(self._frame, (AggregateExpr(reduction, value, **params),)), 0, form))

    def quantile(
        self, q: float | Sequence[float] = 0.5, axis: int | None = None, method: str = "linear", keepdims: bool = False
    ) -> Any:
        """Return one or several quantiles, as times; see `pdarray.quantile`.  NaT where an element is NaT.

        Examples
        --------
        >>> ak.Timedelta(ak.array([5, 7])).quantile(0.5)
        Timedelta('0 days 00:00:00.000000006')
        """
        from akdask.operators.reduce.quantiles import checked_quantiles

        wanted = checked_quantiles(q, method)
        if isinstance(wanted, float):
            return self._reduced("quantile", axis, keepdims, q=wanted, method=method)
        check_axis("quantile", axis)
        expr = AggregateExpr("time_quantile", self._value, q=wanted, method=method)
        found = Scalar(Element(Aggregate(self._frame, (expr,)), 0, None)).value()
        return self._like(*literal(np.asarray(found, np.int64)))._lacking()

    def _scanned(self, name: str, *, skipna: bool = False) -> Self:
        """Return running results: NaT from the first NaT on, or only there if `skipna`."""
        from akdask.operators.windows.plan import RunningScan

        if name == "cumprod" or (name == "cumsum" and self._is == TIME):
            raise ArgumentTypeError(f"{name} has no meaning for a {type(self).__name__}.")
        value, lacks = self._value, times.is_missing_time(self._value)
        if name == "cumsum":
            halves = times.halves(value)
            project = Project(self._frame, (0, 1, 2), (*halves, cast(lacks, INT64)))
            sums = [RunningScan(Project(project, (0,), (project.column(number),)), "cumsum") for number in range(3)]
            frame, (high, low, count, here) = align(
                "add up", [*((scan, scan.result) for scan in sums), (self._frame, lacks)]
            )
            lacks = here if skipna else Call("greater", count, Constant(0))
            return self._like(frame, times.with_missing_times(times.of_halves(high, low), lacks))
        if skipna and name == "cummin":
            value = Call("where", lacks, Constant(np.int64(-NOT_A_TIME - 1)), value)
        if not skipna and name == "cummax":
            value = times.ordered(value)
        scan = RunningScan(Project(self._frame, (0,), (value,)), name)
        if not skipna:
            return self._like(scan, times.of_order(scan.result) if name == "cummax" else scan.result)
        frame, (found, here) = align("run along", [(scan, scan.result), (self._frame, lacks)])
        return self._like(frame, times.with_missing_times(found, here))

    # conversion

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return NumPy's times or spans; as objects of pandas, where NumPy would give numbers."""
        found = self.to_ndarray()
        if dtype is not None and np.dtype(dtype) == object:
            return np.asarray(pd.Series(found), object)
        return np.asarray(found, dtype=dtype)

    def _converter(self) -> Callable[..., Any]:
        return AsTimes(self._form.numpy.str)

    def _pandas_converter(self) -> Callable[..., Any]:
        return PandasTimes(self._form.lacking(False))

    @property
    def _arrow_meaning(self) -> str:
        name = "timestamp" if self._is == TIME else "duration"
        return " ".join(filter(None, (name, self._form.unit, self._form.zone)))

    def _type_name(self) -> str:
        return type(self).__name__

    def _plain_one(self, number: Any) -> Any:
        """Return one element as pandas has it."""
        return self._form(number)

    def _element(self, position: int) -> Any:
        return self._plain_one(super()._element(position).view(np.int64))

    def _printed(self, items: np.ndarray[Any, Any]) -> list[str]:
        from akdask.arrays.display import quoted

        return quoted([self._plain_one(item) for item in items.view(np.int64)])

    @property
    def _footer(self) -> str:
        return f"dtype='{self._form}'"

    def tolist(self) -> list[Any]:
        """Return the elements as NumPy lists them, times with a zone as pandas Timestamps; computes.

        Examples
        --------
        >>> ak.Timedelta(ak.array([5, 7])).tolist()
        [5, 7]
        """
        return super().tolist() if self._form.zone is None else list(self)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the elements as pandas Timestamp or Timedelta; computes them all."""
        return map(self._plain_one, self.to_ndarray().view(np.int64))


CLASSES: dict[str, type[TimeArray]] = {}
"""The class of times, and that of spans."""


@record
class Moment:
    """A known time or span: a number, and its unit and zone."""

    number: int
    form: TimeForm

    @classmethod
    def of(cls, item: Any, kind: str = "") -> Moment:
        """Return a time or span of pandas, NumPy or Python; missing ones are of `kind`."""
        if is_missing(item):
            return cls(NOT_A_TIME, TimeForm(kind, "s", may_lack=True))
        if isinstance(item, np.datetime64 | np.timedelta64):
            kind = TIME if isinstance(item, np.datetime64) else SPAN
            if np.isnat(item):
                return cls(NOT_A_TIME, TimeForm(kind, "s", may_lack=True))
            made: Any = pd.Timestamp if kind == TIME else pd.Timedelta
            item = made(item)
        elif not is_pandas(item, "Timestamp", "Timedelta"):
            item = (pd.Timestamp if isinstance(item, datetime.date) else pd.Timedelta)(item)
        is_time = is_pandas(item, "Timestamp")
        zone = None if not is_time or item.tz is None else checked_zone(item.tz)
        return cls(int(item._value), TimeForm(TIME if is_time else SPAN, item.unit, zone))

    @property
    def is_missing(self) -> bool:
        """Whether it is NaT."""
        return self.number == NOT_A_TIME

    def coarsest(self) -> Moment:
        """Return the same in the coarsest unit that has it exactly."""
        for unit, per_second in PER_SECOND.items():
            factor = self.form.per_second // per_second
            if factor and not self.number % factor:
                return Moment(self.number // factor, replace(self.form, unit=unit))
        return self

    def number_in(self, unit: str) -> np.int64:
        """Return the number of a unit.

        Raises
        ------
        ArgumentError
            If it is not a whole number of that unit.
        TimeOverflowError
            If it does not fit 64 bits.
        """
        if self.is_missing:
            return np.int64(NOT_A_TIME)
        exact = Fraction(self.number * PER_SECOND[unit], self.form.per_second)
        if exact.denominator != 1:
            raise ArgumentError(
                f"{self.form(self.number)} is no whole number of {unit}.", hint=f"as_unit({self.form.unit!r}) has it."
            )
        if not NOT_A_TIME < exact < -NOT_A_TIME:
            raise TimeOverflowError(
                f"{self.form(self.number)} is beyond what 64 bits of {unit} hold.",
                hint=f"as_unit({self.form.unit!r}) has it.",
            )
        return np.int64(int(exact))


def may_lack(array: Array) -> Any:
    """Return an array with the same elements; if they are times, some may be NaT."""
    return array._lacking() if isinstance(array, TimeArray) else array


def is_missing(item: Any) -> bool:
    """Whether an item is a missing value."""
    return item is NOTHING or is_na(item) or type(item).__name__ == "NaTType"


def _is_nan(item: Any) -> bool:
    return isinstance(item, float) and item != item  # noqa: PLR0124


NOTHING = object()
"""Stands for missing values."""


def form_of(item: Any) -> TimeForm | None:
    """Return the unit and zone of an array, a lazy scalar or a moment, None for plain numbers."""
    if isinstance(item, TimeArray):
        return item._form
    if isinstance(item, Scalar):
        return item._element.form
    return item.form if isinstance(item, Moment) else None


def zone_of(operation: str, forms: Sequence[TimeForm | None]) -> str | None:
    """Return the zone of the result of several times, UTC if theirs differ.

    Raises
    ------
    ArgumentTypeError
        If some have a zone and others none.
    """
    zones = list(dict.fromkeys(form.zone for form in forms if form is not None and form.is_time))
    if None in zones and len(zones) > 1:
        raise ArgumentTypeError(
            f"{operation} does not take times with a zone and times without one.",
            details=[f"zones: {', '.join(map(str, zones))}"],
            hint="tz_localize('UTC') gives times a zone, tz_localize(None) takes it away.",
        )
    return zones[0] if len(zones) == 1 else "UTC" if zones else None


def numbers_in(item: Any, unit: str) -> Any:
    """Return the numbers of an array or a lazy scalar of times in a unit, as an array or scalar of numbers."""
    if isinstance(item, TimeArray):
        return pdarray(item._frame, times.in_unit(item._value, item._form.unit, unit))
    return item


def operated(operation: str, given: Sequence[Any], forms: Sequence[TimeForm | None], result: str, **params: Any) -> Any:
    """Return the result of an operation some of whose operands are times, by their `forms`.

    Parameters
    ----------
    operation : str
        Its name.
    given : sequence
        Arrays, lazy scalars, moments and numbers.
    forms : sequence of TimeForm or None
        Unit and zone of their numbers.
    result : {"time", "span", "number"}
        The kind of the result.
    **params
        Other parameters of the operation.
    """
    zone = zone_of(operation, forms)
    if zone is not None:
        # A known time takes the zone of its neighbours.
        zone = zone_of(operation, [form_of(item) for item in given if not isinstance(item, Moment)]) or zone
    if operation not in ARITHMETIC:
        # A known time takes the unit of its neighbours, if that holds it exactly.
        given = [item.coarsest() if isinstance(item, Moment) else item for item in given]
        forms = [form_of(item) for item in given]
    frame, values = on_common_rows(operation, [_plain(item) for item in given])
    values = [
        times.of_order(value) if form is not None and form.ordered else value
        for form, value in zip(forms, values, strict=True)
    ]
    known = [form for form in forms if form is not None]
    may_lack = some_lack(known)
    if operation in COMPARISONS:
        return wrap(frame, _comparison(operation, given, forms, values))
    unit = finer(*(form.unit for form in known))
    values = [
        value
        if form is None
        else _constant(item, unit)
        if isinstance(item, Moment)
        else times.in_unit(value, form.unit, unit)
        for item, form, value in zip(given, forms, values, strict=True)
    ]
    found = _expression(operation, values, forms, bool(may_lack), **params)
    if result == NUMBER:
        return wrap(frame, found)
    if operation in ("divide", "floor_divide", "remainder") or FLOAT64 in [value.dtype for value in values]:
        may_lack = True
    return CLASSES[result].of(frame, found, TimeForm(result, unit, zone if result == TIME else None, may_lack))


def _plain(item: Any) -> Any:
    if isinstance(item, TimeArray):
        return item.values
    return np.int64(item.number) if isinstance(item, Moment) else item


def _constant(item: Moment, unit: str) -> Value:
    return Constant(item.number_in(unit))


def _comparison(how: str, given: Sequence[Any], forms: Sequence[Any], values: Sequence[Value]) -> Value:
    (left, right), units = given, (forms[0].unit, forms[1].unit)
    if isinstance(right, Moment) and not right.is_missing:
        return times.compared_with(how, values[0], right.number, (units[1], units[0]))
    if isinstance(left, Moment) and not left.is_missing:
        return times.compared_with(times.swapped(how), values[1], left.number, units)
    return times.compared(how, values[0], values[1], units)


def _expression(
    operation: str, values: Sequence[Value], forms: Sequence[TimeForm | None], may_lack: bool, **params: Any
) -> Value:
    """Return an operation on numbers of one unit."""
    are_times = [form is not None for form in forms]
    match operation:
        case "add":
            return Call("add_times", *values)
        case "subtract":
            return Call("subtract_times", *values)
        case "multiply":
            return Call("multiply_times", *(values if are_times[0] else reversed(values)))
        case "divide" | "floor_divide" if not are_times[1]:
            return Call("divide_times", *values, round_down=operation == "floor_divide")
        case "divide":
            return Call("time_ratio", *values)
        case "floor_divide":
            found = Call("whole_time_ratio", *values, missing=may_lack)
            lacks = [times.is_missing_time(value) for value in values]
            return with_missing(found, Call("logical_or", *lacks)) if may_lack else found
        case "remainder":
            return Call("remaining_time", *values)
        case "maximum":
            return times.largest(*values)
        case "clip":
            return times.clipped(*values)
    return call(operation, *values, **params)


ARITHMETIC = ("add", "subtract", "multiply", "divide", "floor_divide", "remainder")
TIMELY = ("min", "max", "mean", "sum", "median", "quantile")
"""Reductions of times to times."""


def reduction_of(name: str, value: Value, form: TimeForm) -> tuple[str, Value, TimeForm | None]:
    """Return the reduction that propagates NaT, its argument, and the unit of its result."""
    match name:
        case "min" | "argmin":
            # NaT is the smallest number already.
            return name, value, form if name == "min" else None
        case "max" | "argmax":
            return name, times.ordered(value), replace(form, ordered=True) if name == "max" else None
        case "sum" | "mean":
            return f"time_{name}", value, form
        case "median" | "quantile":
            return "time_quantile", value, form
        case "std":
            return name, times.as_floats(value), form.of_span()
    return name, value, None


def _nanoseconds(items: Any, unit: str, kind: str) -> tuple[Frame, Value, TimeForm]:
    """Return times or spans in any form as frame and value."""
    form = NANOSECONDS[CLASSES_OF[kind]]
    if isinstance(items, TimeArray):
        # Times count from 1970 in UTC, as spans of that length do.
        found = items.as_unit("ns")
        return found._frame, found._value, found._form if items._dtype_kind == kind else form.lacking()
    if isinstance(items, Strings):
        value = call("parse_time", items._value, kind=kind)
        return items._frame, value, form.lacking()
    if not isinstance(items, Array):
        if not _are_numbers(items):
            given = getattr(getattr(items, "dtype", None), "kind", kind)
            given = given if given in CLASSES_OF else kind
            numbers, _, zone = numbers_of(items, given, "ns")
            form = replace(form, zone=zone if given == kind else None, may_lack=bool((numbers == NOT_A_TIME).any()))
            return *literal(numbers), form
        items = pdarray(*literal(as_column(items)))
    if items._value.dtype.kind not in ("int", "uint"):
        raise ArgumentTypeError(f"times are made of integers, not of {items._value.dtype}.")
    value = _counted(items._value, unit)
    return items._frame, value, form


def _counted(numbers: Value, unit: str, *, coerce: bool = False) -> Value:
    """Return numbers of a unit as nanoseconds; beyond 64 bits an error, or NaT if `coerce`."""
    factor = unit_of(unit)
    if factor == 1 and numbers.dtype == INT64:
        return numbers
    return Call("counted_time", numbers, step=factor, **({"coerce": True} if coerce else {}))


CLASSES_OF = {"M": TIME, "m": SPAN}


def _are_numbers(items: Any) -> bool:
    """Whether data at hand are plain numbers, which count a unit, rather than times or text."""
    if isinstance(items, str | bytes) or not hasattr(items, "__len__"):
        raise ArgumentTypeError(f"times are made of an array or sequence, not of {type(items).__name__}.")
    kind = getattr(getattr(items, "dtype", None), "kind", None)
    if kind in ("M", "m"):
        return False
    # Of fractions and truth values pandas would make times without a word.
    return pd.api.types.infer_dtype(items, skipna=True) in {"integer", "floating", "boolean", "mixed-integer-float"}


def _time_dtype(dtype: Any) -> Any:
    """Return the dtype if it is one of times or spans, None for others."""
    if is_pandas(dtype, "DatetimeTZDtype"):
        return dtype
    if isinstance(dtype, str) and not dtype.startswith(("datetime64", "timedelta64", "M8", "m8", "<M8", "<m8")):
        return None
    try:
        if isinstance(dtype, str) and "," in dtype:
            return pd.DatetimeTZDtype.construct_from_string(dtype)
        found = np.dtype(dtype)
    except TypeError as error:
        if isinstance(dtype, str):
            raise ArgumentTypeError(f"{dtype!r} is no dtype of times.", details=[str(error)]) from None
        return None
    return found if found.kind in ("M", "m") else None


@record
class PandasTimes:
    """Converts a column of numbers for pandas: to NumPy's times or spans, or to times with a zone."""

    form: TimeForm

    @property
    def token(self) -> str:
        """Names the converter in plans."""
        return f"times {self.form.token}"

    def __call__(self, column: Any) -> Any:
        """Return the column as pandas holds it."""
        found = column.view(self.form.numpy)
        if self.form.zone is None:
            return found
        return pd.DatetimeIndex(found).tz_localize("UTC").tz_convert(self.form.zone).array


@record
class AsTimes:
    """Makes NumPy's times or spans of the only column of a table."""

    dtype: str

    @property
    def token(self) -> str:
        """Names the converter in plans."""
        return f"as {self.dtype}"

    def __call__(self, table: Table) -> np.ndarray[Any, Any]:
        """Return the column, as the user's own."""
        return np.array(table.columns[0]).view(self.dtype)
