"""`EncodedArray`: a lazy column of a type of pandas that the engine lacks, as 64-bit numbers that stand for its values.

Numbers of fewer bits, categories that are no text, periods, and days and clock times as Python's objects are `Coding`s
by which equal values have equal numbers, in the same order; values of any other type are the numbers of their rows in
an array that pandas made, and only move.  A column keeps its coding wherever rows are chosen, ordered, grouped or
joined, and is decoded where its values leave.  As no other operation knows what the numbers mean, `admitted` lets
through only those which need not know, and gives others plain numbers where these have the same answer.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import Any, ClassVar, Self

import numpy as np
import pandas
import pyarrow as pa
from numpy.lib.mixins import NDArrayOperatorsMixin

from akdask.arrays.array import Array, wrap
from akdask.arrays.pdarray import pdarray
from akdask.columns.nullable import NullableColumn
from akdask.columns.table import Table
from akdask.deferred import loaded_module, module_named
from akdask.engine.node import Frame
from akdask.engine.values import Value, nearest_floats, token
from akdask.errors import UnsupportedError
from akdask.frames.columnset import INDEX, VALUES, ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.pandas.arguments import bound_arguments
from akdask.pandas.face import OPERATORS, words
from akdask.pandas.refusals import NotLazyError
from akdask.records import record


@record
class Coding:
    """How numbers stand for values."""

    is_ordered: ClassVar[bool] = True
    """Whether numbers are equal, and in order, where the values are."""

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        raise NotImplementedError

    @property
    def dtype(self) -> Any:
        """The type of the values as pandas has it."""
        raise NotImplementedError

    @property
    def gap(self) -> str:
        """What stands for missing values where the column began; rows that joins do not find are NaN."""
        return "NaN"

    def shares_numbers(self, other: Coding) -> bool:
        """Return whether numbers of another coding are equal, and in order, where values are."""
        return self == other

    def in_common(self, other: Coding) -> Coding:
        """Return a coding of the values of both.

        Raises
        ------
        NotLazyError
            If there is none.
        """
        if self != other:
            raise NotLazyError("columns are of different types")
        return self

    def is_number(self, *, floats: bool, nullable: bool) -> bool:
        """Return whether plain numbers may be in the place of values, if `floats` of fewer bits, or `nullable`, may."""
        return False

    def decoded(self, numbers: Any, missing: Any) -> Any:
        """Return the values of numbers as pandas holds them; `missing` is a mask, or None if none is missing."""
        raise NotImplementedError

    def parts(self, how: str) -> tuple[tuple[str, str], ...]:
        """Return the reductions of numbers from which a reduction of values is made: names in `PARTS`, and theirs.

        Raises
        ------
        NotLazyError
            If there are none.
        """
        if how in ("count", "nunique") and self.is_ordered:
            return (("", how),)
        raise NotLazyError(f"{how} of {self.dtype} has no lazy form")

    def reduced(self, how: str, found: Sequence[pandas.Series]) -> Any:
        """Return a reduction of values, made of its parts."""
        return found[0]

    def __call__(self, column: Any) -> Any:
        """Return the values of a computed column."""
        if isinstance(column, NullableColumn):
            return self.decoded(column.values, column.missing)
        return self.decoded(np.asarray(column), None)


@record
class Narrow(Coding):
    """Numbers of fewer than 64 bits."""

    name: str

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        return f"narrow {self.name}"

    @property
    def dtype(self) -> Any:
        """The type of NumPy."""
        return np.dtype(self.name)

    def is_number(self, *, floats: bool, nullable: bool) -> bool:
        """Return True for integers."""
        return floats or self.dtype.kind != "f"

    def decoded(self, numbers: Any, missing: Any) -> Any:
        """Return numbers of the type, or floats where some are missing."""
        if missing is not None and missing.any():
            return np.where(missing, np.nan, numbers)
        return numbers.astype(self.name)

    def parts(self, how: str) -> tuple[tuple[str, str], ...]:
        """Return the reduction of 64-bit numbers."""
        if how not in EXTREMES and (self.dtype.kind == "f" or how not in REDUCED):
            return Coding.parts(self, how)
        return (("", how),)

    def reduced(self, how: str, found: Sequence[pandas.Series]) -> Any:
        """Return a reduction: extremes are narrow, and sums if all of them fit."""
        (made,) = found
        if how not in EXTREMES and how != "sum":
            return made
        if made.isna().any():
            return made.astype("float64")
        narrow = made.astype(self.dtype)
        return narrow if how in EXTREMES or (narrow == made).all() else made.astype(np.dtype(f"{self.dtype.kind}8"))


@record
class AnyCategories(Coding):
    """Positions among categories of any type."""

    categories: pandas.CategoricalDtype
    number: int

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        return token("categories", self.number)

    @property
    def dtype(self) -> Any:
        """The type of pandas."""
        return self.categories

    def decoded(self, numbers: Any, missing: Any) -> Any:
        """Return a Categorical."""
        codes = numbers if missing is None else np.where(missing, -1, numbers)
        return pandas.Categorical.from_codes(codes, dtype=self.categories)


_numbers = count()
_known: list[AnyCategories] = []


def categories(dtype: pandas.CategoricalDtype) -> AnyCategories:
    """Return the coding of a type; equal types have one coding."""
    for known in reversed(_known[-RECENT_CODINGS:]):
        if known.categories is dtype or (
            known.categories.ordered == dtype.ordered
            and known.categories.categories.dtype == dtype.categories.dtype
            and known.categories.categories.identical(dtype.categories)
        ):
            return known
    made = AnyCategories(dtype, next(_numbers))
    _known.append(made)
    del _known[:-RECENT_CODINGS]
    return made


RECENT_CODINGS = 64
"""Types of categories that are remembered, to be told equal."""


@record
class Periods(Coding):
    """Ordinals of periods."""

    frequency: str

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        return f"periods {self.frequency}"

    @property
    def dtype(self) -> Any:
        """The type of pandas."""
        return pandas.PeriodDtype(self.frequency)

    def decoded(self, numbers: Any, missing: Any) -> Any:
        """Return an array of periods."""
        ordinals = np.array(numbers, np.int64)
        if missing is not None:
            ordinals[missing] = np.iinfo(np.int64).min
        periods: Any = pandas.PeriodIndex
        return periods.from_ordinals(ordinals, freq=self.frequency).array


@record
class Objects(Coding):
    """Days since 1970 as dates, nanoseconds since midnight as clock times, or digits of decimals, in Python's objects.

    Parameters
    ----------
    what : {"date", "time", "decimal"}
        What the objects are.
    gap : {"NaT", "NaN", "None"}
        What stands for missing ones.
    scale, digits : int, default 0
        Digits of decimals behind the point, and all of them.
    """

    what: str
    gap: str = "NaT"
    scale: int = 0
    digits: int = 0

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        return token("objects", self.what, self.gap, self.scale)

    @property
    def dtype(self) -> Any:
        """Python's objects."""
        return np.dtype(object)

    def shares_numbers(self, other: Coding) -> bool:
        """Return whether the other one's objects are of the same class and scale."""
        return isinstance(other, Objects) and (self.what, self.scale) == (other.what, other.scale)

    def decoded(self, numbers: Any, missing: Any) -> Any:
        """Return an array of objects, with the gap where they are missing."""
        distinct, positions = np.unique(numbers, return_inverse=True)
        found = np.empty(len(distinct), object)
        found[:] = list(map(self._object, distinct.tolist()))
        found = found[positions] if len(distinct) else np.empty(0, object)
        if missing is not None:
            found[missing] = GAPS[self.gap]
        return pandas.Series(found, dtype=object)

    def parts(self, how: str) -> tuple[tuple[str, str], ...]:
        """Return the reductions of numbers from which a reduction of objects is made."""
        if how in EXTREMES:
            return (("", how),)
        if how == "sum" and self.what == "decimal":
            return SUMMED
        return Coding.parts(self, how)

    def reduced(self, how: str, found: Sequence[pandas.Series]) -> Any:
        """Return a reduction of objects: of nothing, extremes are NaN, the first and last are None, the sum is 0."""
        if how in EXTREMES:
            numbers = found[0].fillna(0).to_numpy(np.int64)
            gap = "NaN" if how in ("min", "max") else "None"
            return replace(self, gap=gap).decoded(numbers, np.asarray(found[0].isna()))
        if how == "sum":
            sums = zip(sums_of_halves(found), found[2], strict=True)
            totals = [self._object(total) if count else 0 for total, count in sums]
            return pandas.Series(totals, dtype=object)
        return found[0]

    def _object(self, number: int) -> Any:
        if self.what == "decimal":
            return decimal.Decimal(number).scaleb(-self.scale)
        return _as_date(number) if self.what == "date" else _as_time(number)


REDUCED = words("agg aggregate sum count nunique min max first last mean median std var")
"""Reductions of groups that ask each type for their parts."""

EXTREMES = words("min max first last")
"""Reductions whose results are some of the values."""

PARTS: Mapping[str, Callable[[Any], Any]] = {
    "": lambda numbers: numbers,
    "high": lambda numbers: numbers >> HALF,
    "low": lambda numbers: numbers & (2**HALF - 1),
}
"""What is reduced: the numbers, or halves of them, whose sums fit 64 bits."""

HALF = 32

SUMMED = (("high", "sum"), ("low", "sum"), ("", "count"))
"""The parts of sums that may exceed 64 bits, and of means."""


def sums_of_halves(found: Sequence[Iterable[Any]]) -> list[int]:
    """Return sums of integers, made of those of their halves."""
    return [(int(high) << HALF) + int(low) for high, low in zip(found[0], found[1], strict=True)]


GAPS = {"NaT": pandas.NaT, "NaN": np.nan, "None": None}


def _as_date(days: int) -> datetime.date:
    return datetime.date.fromordinal(days + EPOCH)


def _as_time(nanoseconds: int) -> datetime.time:
    microseconds = nanoseconds // 1000
    seconds, microsecond = divmod(microseconds, 10**6)
    minutes, second = divmod(seconds, 60)
    return datetime.time(*divmod(minutes, 60), second, microsecond)


EPOCH = datetime.date(1970, 1, 1).toordinal()


@record
class ObjectText(Coding):
    """Text in objects of Python, as pandas takes it from lists."""

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        return "text"

    def parts(self, how: str) -> tuple[tuple[str, str], ...]:
        """Refuse all reductions."""
        raise NotLazyError(f"{how} of text in objects has no lazy form")

    @property
    def dtype(self) -> Any:
        """Python's objects."""
        return np.dtype(object)

    def __call__(self, column: Any) -> Any:
        """Return a Series of objects, NaN where text is missing."""
        from akdask.columns.strings import with_nulls

        items = with_nulls(column).to_numpy(zero_copy_only=False)
        items = np.array(items, object)
        items[[item is None for item in items]] = np.nan
        return pandas.Series(items, dtype=object)


class OpaqueRows(Coding):
    """Numbers of rows in an array that pandas made, `rows`."""

    is_ordered: ClassVar[bool] = False

    @property
    def rows(self) -> Any:
        """The array."""
        raise NotImplementedError

    @property
    def dtype(self) -> Any:
        """The type of pandas."""
        return self.rows.dtype

    def decoded(self, numbers: Any, missing: Any) -> Any:
        """Return the values of the rows; of rows that a join found none for, a missing value."""
        if not len(numbers):
            found: Any = pandas.Series([], dtype=self.dtype)
        elif missing is None or not missing.any():
            found = pandas.Series(self.rows.take(numbers), dtype=self.dtype)
        else:
            found = pandas.Series(self.rows, dtype=self.dtype).reindex(np.where(missing, -1, numbers))
        # In a frame, pandas would make text of objects that all are text.
        return found.reset_index(drop=True) if found.dtype == object else found.array


@record(eq=False)
class RowsInMemory(OpaqueRows):
    """Numbers of rows in an array in memory."""

    array: Any
    number: int

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        return token("rows", self.number)

    @property
    def rows(self) -> Any:
        """The array."""
        return self.array


class EncodedArray(NDArrayOperatorsMixin, Array):
    """A lazy column of numbers that stand for values of a type of pandas.

    Parameters
    ----------
    frame, value
        The numbers, int64, uint64 or float64, which may be missing.
    coding : Coding
        What they stand for.
    """

    objType = "EncodedArray"
    flags_missing = True
    __array_priority__ = 4000
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    def __init__(self, frame: Frame, value: Value, coding: Coding) -> None:
        super().__init__(frame, value)
        self.coding = coding

    def _like(self, frame: Frame, value: Value) -> Self:
        return type(self)(frame, value, self.coding)

    @property
    def dtype(self) -> Any:
        """The type of the values as pandas has it."""
        return self.coding.dtype

    def _type_name(self) -> str:
        return str(self.dtype)

    def _converter(self) -> Callable[..., Any]:
        return Decode(self.coding)

    def _pandas_converter(self) -> Callable[..., Any]:
        return self.coding

    def plain(self) -> Any:
        """Return the numbers, or the text."""
        return wrap(self._frame, self._value) if self._value.dtype.kind == "str" else pdarray(self._frame, self._value)

    def _key(self) -> tuple[Frame, Value]:
        self._demand_order()
        return self._frame, self._value

    def _sort_key(self, ascending: bool = True) -> tuple[Frame, Value]:
        self._demand_order()
        return self._frame, self._value

    def _demand_order(self) -> None:
        if not self.coding.is_ordered:
            raise NotLazyError(f"values of {self.dtype} have no lazy order")

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if method != "__call__" or kwargs or ufunc.nout > 1:
            return NotImplemented
        from akdask.pandas.typed_operations import operated

        return operated(ufunc, inputs)

    def _as_operand(self) -> tuple[Frame, Value]:
        raise NotLazyError(f"values of {self.dtype} have no lazy form in this operation")

    def _in_common(self, operation: str, others: Any) -> list[Any]:
        if operation.startswith("column ") or operation == "concatenate":
            coding = self.coding
            for other in others:
                coding = coding.in_common(other.coding)
            return [EncodedArray(array._frame, array._value, coding) for array in (self, *others)]
        if operation != "join" or not self.coding.is_ordered:
            self._as_operand()
        if any(not isinstance(other, EncodedArray) or not self.coding.shares_numbers(other.coding) for other in others):
            raise NotLazyError("keys are of different types")
        return [self.plain(), *(other.plain() for other in others)]

    def _storable(self) -> Any:
        raise UnsupportedError(
            f"a column of {self.dtype} is stored in no format of Arkouda.", hint="convert it with astype first."
        )


@record
class Decode:
    """Makes an array of NumPy of the only column of a table."""

    coding: Coding

    @property
    def token(self) -> str:
        """Names the converter in plans."""
        return token("decode", self.coding.token)

    def __call__(self, table: Table) -> Any:
        """Return the values."""
        return np.asarray(self.coding(table.columns[0]))


# from pandas

NARROW = frozenset({"int8", "int16", "int32", "uint16", "uint32", "float32"})


def encoded(values: Any) -> tuple[Any, Coding]:
    """Return numbers for an array or index of pandas, as lazy frames take them, and what they stand for."""
    dtype = values.dtype
    if isinstance(dtype, np.dtype) and dtype.name in NARROW:
        wide = np.float64 if dtype.kind == "f" else np.int64
        return np.asarray(values).astype(wide), Narrow(dtype.name)
    values = values.array if isinstance(values, pandas.Series | pandas.Index) else values
    if isinstance(dtype, pandas.ArrowDtype):
        from akdask.pandas.arrow_types import from_memory

        found = from_memory(values)
        if found is not None:
            return found
    if getattr(dtype, "na_value", None) is pandas.NA:
        from akdask.pandas.masked_types import from_masked

        found = from_masked(values)
        if found is not None:
            return found
    if isinstance(dtype, pandas.CategoricalDtype):
        return with_gaps(values.codes.astype(np.int64), values.codes < 0), categories(dtype)
    if isinstance(dtype, pandas.PeriodDtype):
        return with_gaps(values.asi8.copy(), values.isna()), Periods(dtype.name[len("period[") : -1])
    if isinstance(dtype, np.dtype) and dtype.kind == "O" and _is_text(np.asarray(values)):
        return pandas.array(np.asarray(values), dtype="str"), ObjectText()
    dates = _dates(np.asarray(values)) if isinstance(dtype, np.dtype) and dtype.kind == "O" else None
    if dates is not None:
        return dates
    return np.arange(len(values)), RowsInMemory(values, next(_numbers))


def _dates(values: Any) -> tuple[Any, Coding] | None:
    """Return days for objects of which all are dates, or missing in one way; None for others."""
    if pandas.api.types.infer_dtype(values, skipna=True) != "date":
        return None
    missing = np.asarray(pandas.isna(values))
    there, lacking = values[~missing], {type(item) for item in values[missing]}
    if len(lacking) > 1 or not lacking <= GAP_OF_TYPE.keys() or {*map(type, there)} != {datetime.date}:
        return None
    days = np.zeros(len(values), np.int64)
    # NumPy takes 2.3 microseconds for each date, Arrow a fraction of that.
    days[~missing] = pa.array(there, pa.date32()).view(pa.int32()).to_numpy()
    gap = GAP_OF_TYPE[lacking.pop()] if lacking else "NaN"
    found = with_gaps(days, missing)
    return found, Objects("date", gap)


GAP_OF_TYPE: Mapping[type, str] = {type(pandas.NaT): "NaT", float: "NaN", type(None): "None"}


def _is_text(values: Any) -> bool:
    """Return whether objects are text, NaN where it is missing, and some of it is present."""
    if pandas.api.types.infer_dtype(values, skipna=True) != "string":
        return False
    missing = values[pandas.isna(values)]
    return len(missing) < len(values) and all(type(item) is float for item in missing)


def with_gaps(numbers: Any, missing: Any) -> Any:
    """Return numbers or bools that are missing where a mask holds, as lazy frames take them."""
    if not missing.any():
        return numbers
    numbers = np.where(missing, numbers.dtype.type(0), numbers)
    array = pandas.arrays.BooleanArray if numbers.dtype == np.bool_ else pandas.arrays.IntegerArray
    return array(numbers, np.asarray(missing))


# columns of lazy objects


def columns_of(lazy: Any) -> ColumnSet:
    """Return the columns of a lazy frame or Series."""
    found: ColumnSet = lazy._columns if isinstance(lazy, DataFrame) else lazy._labelled._columns
    return found


def encoded_names(lazy: Any) -> list[str]:
    """Return which columns of a lazy frame are encoded, or the column of values of a Series if it is."""
    columns = columns_of(lazy)
    if isinstance(lazy, Series):
        return [VALUES] if isinstance(columns.kinds.get(VALUES), EncodedArray) else []
    return [name for name in columns.values if isinstance(columns.kinds[name], EncodedArray)]


def masked(lazy: Any) -> frozenset[Any]:
    """Return which columns decode to pandas' nullable types."""
    kinds = columns_of(lazy).kinds
    return frozenset(
        name for name in encoded_names(lazy) if isinstance(kinds[name].dtype, pandas.api.extensions.ExtensionDtype)
    )


def for_arkouda(columns: ColumnSet) -> ColumnSet:
    """Return columns as Arkouda has them, narrow numbers as others.

    Raises
    ------
    UnsupportedError
        If Arkouda has nothing for a column.
    """
    kinds = dict(columns.kinds)
    for name, kind in columns.kinds.items():
        if not isinstance(kind, EncodedArray):
            continue
        if not isinstance(kind.coding, Narrow):
            what = "rows are labelled by values" if name is INDEX else f"the column {name!r} is"
            raise UnsupportedError(
                f"{what} of {kind.dtype}, which Arkouda lacks.", hint="convert it with astype, or leave it out."
            )
        kinds[name] = kind.plain()
    return replace(columns, kinds=kinds)


def with_codings(columns: ColumnSet, codings: dict[Any, Coding]) -> ColumnSet:
    """Return columns of numbers as those which they stand for."""
    if not codings:
        return columns
    kinds: dict[Any, Any] = dict(columns.kinds)
    for name, coding in codings.items():
        value: Any = columns.index if name is INDEX else columns.values[name]
        kinds[name] = EncodedArray(columns.frame, value, coding)
    return replace(columns, kinds=kinds)


def widened(lazy: Any, names: Any = None, *, floats: bool = False, nullable: str = "") -> Any:
    """Return a lazy object with plain numbers in place of encoded ones.

    Parameters
    ----------
    lazy : LazyFrame or LazySeries
        The columns.
    names : list of str, optional
        Which ones are plain in the result, all encoded ones unless given.
    floats : bool, default False
        Whether narrow floats may be among them.
    nullable : {"", "as they are", "as floats"}
        How nullable numbers may be among them.

    Raises
    ------
    NotLazyError
        If other columns are encoded.
    """
    columns = columns_of(lazy)
    names = encoded_names(lazy) if names is None else names
    kinds = dict(columns.kinds)
    values = dict(columns.values)
    for name in names:
        kind: Any = kinds[name]
        if not kind.coding.is_number(floats=floats, nullable=bool(nullable)):
            raise NotLazyError(f"a column is of type {kind.dtype}")
        kinds[name] = kind.plain()
        if not isinstance(kind.coding, Narrow) and nullable == "as floats":
            kinds[name] = pdarray(columns.frame, nearest_floats(kind._value))
            values[name] = kinds[name]._value
    return on_columns(lazy, replace(columns, kinds=kinds, values=values))


def on_columns(lazy: Any, columns: ColumnSet) -> Any:
    """Return a lazy object of other columns, with its labels."""
    if isinstance(lazy, DataFrame):
        from akdask.pandas.labels import relabelled

        return relabelled(lazy._of(columns), lazy)
    return lazy._on_columns(columns)


def narrowed(series: Any, coding: Coding) -> Any:
    """Return a Series of numbers as one of what they stand for."""
    return series._on_columns(with_codings(columns_of(series), {VALUES: coding}))


def coding_of(series: Any) -> Coding | None:
    """Return the coding of the numbers of a Series, None if they stand for themselves."""
    kind = columns_of(series).kinds.get(VALUES)
    return kind.coding if isinstance(kind, EncodedArray) else None


def series_of(series: Any, array: Any) -> Any:
    """Return a Series with other values."""
    from akdask.pandas.lazy import LazySeries

    return LazySeries.under(series._with(array))


# calls

MOVES = words(
    """head tail iloc loc take sample sort_values sort_index copy reset_index set_index rename rename_axis drop filter
    to_frame groupby merge join query set_axis squeeze add_prefix add_suffix droplevel swaplevel reorder_levels cat dt
    str explain"""
)
"""Methods that only move values, or choose rows by other columns."""

BY_ORDER = MOVES | words(
    """isna isnull notna notnull count dropna nunique drop_duplicates duplicated hasnans is_unique value_counts
    is_monotonic_increasing is_monotonic_decreasing"""
)
"""Methods that moreover need to know which values are equal or missing."""

ELEMENTWISE = OPERATORS | words(
    """add radd sub rsub mul rmul truediv rtruediv div divide rdiv floordiv rfloordiv mod rmod pow rpow eq ne lt le gt
    ge subtract multiply abs"""
)
"""Methods that compute each value of the values beside it: columns decide themselves whether they do."""

AS_NUMBERS = words(
    """mean std var median quantile sum prod sem skew kurt kurtosis corr cov describe any all isin between map rolling
    expanding ewm argmax argmin idxmax idxmin pct_change autocorr"""
)
"""Methods whose results do not depend on the number of bits of their numbers."""

ROUNDED = words("describe mean std var sem median")
"""Methods of frames whose results are those of wide floats, rounded where columns have narrow ones."""

OF_FLOATS = words("corr cov")
"""Methods of frames that pandas computes with wide numbers."""

KEEPING = words("min max unique mode nlargest nsmallest cummax cummin")
"""Methods of a Series whose results are some of its numbers."""


def uses_codes(face: Any) -> bool:
    """Return whether the columns of a frame or Series of pandas' face are encoded; it has a lazy form."""
    return bool(encoded_names(face.lazy()))


def lazily(face: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the lazy form of a method of a frame or Series of pandas' face, or refuse it because of encoded columns."""
    if face._root() is not face:
        from akdask.pandas.encoded_steps import from_step

        return from_step(face, name, args, kwargs)
    own = face.lazy()
    args = with_plain_masks(args) if name == "__getitem__" else args
    names = encoded_names(own)
    others = [item for item in (*args, *kwargs.values()) if _is_encoded(item)]
    if not names and not others:
        return face._lazily(name, args, kwargs)
    if isinstance(own, Series):
        found = _of_series(face, own, name, args, kwargs)
        if found is not NotImplemented:
            return found
    else:
        from akdask.pandas.encoded_frames import of_frame

        found = of_frame(face, own, names, name, args, kwargs)
        if found is not NotImplemented:
            return found
    if name in ELEMENTWISE:
        return face._lazily("__abs__" if name == "abs" else name, args, kwargs)
    if name == "join":
        check_gaps(own, *(face.lazy() for face in others if not isinstance(face, list | tuple)))
    if name in ("merge", "join", "groupby", "set_axis") or not others:
        codings = [columns_of(own).kinds[column].coding for column in names]
        allowed = BY_ORDER if all(coding.is_ordered for coding in codings) else MOVES
        if name in allowed or (name == "__getitem__" and isinstance(own, DataFrame)) or name == "astype":
            return face._lazily(name, args, kwargs)
        if name == "__getitem__" and not isinstance(args[0], int | str | float):
            return face._lazily(name, args, kwargs)
    if name in ("min", "max") and not isinstance(own, Series) and _has_wide_number(own):
        return type(face)._of(widened(own))._lazily(name, args, kwargs)
    if name in AS_NUMBERS and kwargs.get("inplace") is not True:
        floats = [column for column in names if columns_of(own).kinds[column].dtype == np.float32]
        is_frame = not isinstance(own, Series)
        nullable = "as floats" if is_frame and name in OF_FLOATS else ""
        plain = type(face)._of(widened(own, floats=is_frame and name in OF_FLOATS | ROUNDED, nullable=nullable))
        found = plain._lazily(
            name, tuple(map(_plain_argument, args)), {k: _plain_argument(v) for k, v in kwargs.items()}
        )
        return _rounded(found, own, floats, name) if floats and name not in OF_FLOATS else found
    types = sorted({str(columns_of(own).kinds[column].dtype) for column in names})
    raise NotLazyError(
        f"the types {', '.join(types)} have no lazy form here" if types else "an argument has no lazy type"
    )


def with_plain_masks(args: Any) -> Any:
    """Return keys with bools of Arrow as plain ones, False where they are missing."""
    from akdask.pandas.face import NDFrame

    arrow = loaded_module("akdask.pandas.arrow_types")
    if arrow is None:
        return args
    return tuple(
        with_plain_masks(item)
        if type(item) is tuple
        else type(item)._of(arrow.as_mask(item.lazy()))
        if isinstance(item, NDFrame) and isinstance(item.lazy(), Series) and arrow.is_bool(coding_of(item.lazy()))
        else item
        for item in args
    )


def check_gaps(*lazies: Any) -> None:
    """Refuse operations that add missing rows to columns where others are None or NaT already: those are NaN.

    Raises
    ------
    NotLazyError
        If there are such columns.
    """
    for lazy in lazies:
        kinds = columns_of(lazy).kinds.values() if isinstance(lazy, DataFrame | Series) else ()
        if any(isinstance(kind, EncodedArray) and kind.coding.gap in ("None", "NaT") for kind in kinds):
            raise NotLazyError("missing objects are None or NaT, and those of other rows NaN")


def _has_wide_number(frame: Any) -> bool:
    columns = columns_of(frame)
    return any(
        isinstance(kind, pdarray)
        and kind._pandas_converter() is None
        and kind._value.dtype.name in ("int64", "float64")
        for kind in (columns.kinds[name] for name in columns.values)
    )


def _rounded(found: Any, own: Any, floats: list[str], name: str) -> Any:
    """Return reductions of the columns of a frame, those of narrow floats rounded."""
    made = found.to_pandas()
    if name == "describe":
        made = made.copy()
        for column in floats:
            made.loc[["mean", "std"], column] = made.loc[["mean", "std"], column].astype(np.float32)
    elif len(floats) == len(columns_of(own).values):
        made = made.astype(np.float32) if made.notna().any() or len(own) else made
    else:
        made = made.copy()
        made[floats] = made[floats].astype(np.float32).astype(np.float64)
    return type(found)._of(None, made)


def _is_encoded(item: Any) -> bool:
    from akdask.pandas.face import NDFrame

    if isinstance(item, NDFrame):
        return uses_codes(item)
    if isinstance(item, list | tuple):
        return any(isinstance(one, NDFrame) and uses_codes(one) for one in item)
    return False


def _plain_argument(item: Any) -> Any:
    from akdask.pandas.face import NDFrame

    if isinstance(item, NDFrame) and uses_codes(item):
        return type(item)._of(widened(item.lazy()))
    if isinstance(item, np.generic):
        raise NotLazyError("the type of a scalar of NumPy has a say in that of the result")
    return item


def _of_series(face: Any, own: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    coding = coding_of(own)
    if coding is None:
        return NotImplemented
    arrow = loaded_module("akdask.pandas.arrow_types")
    if arrow is not None and isinstance(coding, arrow.Arrow):
        return arrow.of_arrow(face, own, coding, name, args, kwargs)
    if name == "mode" and not isinstance(coding, Narrow):
        raise NotLazyError("values of the type have no lazy mode")
    if isinstance(coding, Narrow):
        if name == "quantile" and (len(args) > 1 or "interpolation" in kwargs):
            raise NotLazyError("quantiles may be some of the values")
        if name in KEEPING and not any(map(_is_encoded, args)):
            found = type(face)._of(widened(own, floats=True))._lazily(name, args, kwargs)
            return _narrow_again(found, coding)
        return module_named("akdask.pandas.narrow_forms").of_column(face, own, coding, name, args, kwargs)
    if isinstance(coding, AnyCategories | Periods | Objects | ObjectText):
        if name in COMPARED:
            return face._faced(
                _compared(own, coding, COMPARED[name], **bound_arguments(pandas.Series, name, args, kwargs))
            )
        if isinstance(coding, Objects):
            from akdask.pandas.object_forms import of_objects

            return of_objects(face, own, coding, name, args, kwargs)
        if name in ("min", "max") and not args and not kwargs and not isinstance(coding, ObjectText):
            if isinstance(coding, AnyCategories) and not coding.categories.ordered:
                raise NotLazyError("categories have no order")
            return least_or_most(own, coding, name)
    if name == "value_counts" and isinstance(coding, AnyCategories):
        from akdask.pandas.category_forms import counted

        options = {"normalize": False, "sort": True, "ascending": False, "bins": None, "dropna": True}
        return face._faced(counted(own, **{**options, **bound_arguments(pandas.Series, name, args, kwargs)}))
    if name == "unique" and coding.is_ordered and not args and not isinstance(coding, ObjectText):
        array: Any = columns_of(own).array(VALUES)
        found = series_of(own, array.plain()).drop_duplicates()
        return narrowed(found, coding).to_pandas().array if not isinstance(coding, Objects) else NotImplemented
    if (
        name == "isin"
        and isinstance(coding, ObjectText)
        and isinstance(args[0], list)
        and all(type(a) is str for a in args[0])
    ):
        array = columns_of(own).array(VALUES)
        return face._faced(series_of(own, wrap(array._frame, array._value)).isin(args[0]))
    if (
        name == "isin"
        and isinstance(coding, AnyCategories)
        and len(args) == 1
        and isinstance(args[0], list | tuple | set)
    ):
        positions = [
            place
            for place in coding.categories.categories.get_indexer_for(pandas.Index(list(args[0]), dtype=object))
            if place >= 0
        ]
        if any(pandas.isna(one) for one in args[0]):
            raise NotLazyError("missing values are among those sought")
        return face._faced(series_of(own, columns_of(own).array(VALUES).plain()).isin(positions))
    return NotImplemented


def least_or_most(own: Any, coding: Coding, name: str) -> Any:
    """Return the least or the greatest value."""
    code = getattr(series_of(own, columns_of(own).array(VALUES).plain()), name)()
    if pandas.isna(code):
        raise NotLazyError("there is no value")
    return pandas.Series(coding.decoded(np.array([int(code)]), None)).iloc[0]


def _narrow_again(found: Any, coding: Narrow) -> Any:
    from akdask.pandas.face import NDFrame

    if isinstance(found, NDFrame):
        return type(found)._of(narrowed(found.lazy(), coding))
    if isinstance(found, np.ndarray):
        return found.astype(coding.name)
    if isinstance(found, float) and np.isnan(found):
        raise NotLazyError("there is no value")
    return coding.dtype.type(found)


COMPARED = {
    **{f"__{name}__": name for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{name: name for name in ("eq", "ne", "lt", "le", "gt", "ge")},
}


def _compared(
    own: Any, coding: Coding, name: str, other: Any, level: Any = None, fill_value: Any = None, axis: Any = 0
) -> Any:
    """Compare values with one value by their numbers."""
    if level is not None or fill_value is not None:
        raise NotLazyError("levels and values for missing operands have no lazy form")
    array: Any = columns_of(own).array(VALUES)
    plain = series_of(own, array.plain()) if not isinstance(coding, ObjectText) else None
    if isinstance(coding, AnyCategories):
        if not np.isscalar(other) and not isinstance(other, pandas.Interval | pandas.Timestamp):
            raise NotLazyError("the other side is no category")
        dtype = coding.categories
        # Intervals have places also for the numbers in them, which pandas does not take for these.
        place = dtype.categories.get_loc(other) if other in dtype.categories else None
        if not isinstance(place, int | np.integer) or (name not in ("eq", "ne") and not dtype.ordered):
            raise NotLazyError("the other side is no category, or categories have no order")
        return getattr(plain, f"__{name}__")(int(place))
    if isinstance(coding, Periods) and isinstance(other, pandas.Period | str):
        try:
            period = pandas.Period(other, freq=coding.frequency)
        except ValueError as error:
            raise NotLazyError("the text is no period") from error
        if isinstance(other, pandas.Period) and other.freqstr != coding.frequency:
            raise NotLazyError("periods have different frequencies")
        return getattr(plain, f"__{name}__")(period.ordinal)
    if isinstance(coding, ObjectText) and isinstance(other, str):
        return getattr(series_of(own, wrap(array._frame, array._value)), f"__{name}__")(other)
    if isinstance(coding, Objects):
        from akdask.pandas.object_forms import compared

        return compared(own, plain, coding, name, other)
    raise NotLazyError("the other side has no lazy form")
