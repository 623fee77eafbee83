"""Lazy columns of pandas' types of Arrow: numbers, bools, text, days, times and decimals, by the engine's numbers.

Values may be missing, and comparisons with these are missing, too.  Floats that are read may be NaN, which is no
missing value to pandas, unless pandas has computed them.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas
import pyarrow as pa

from akdask.arrays.array import wrap
from akdask.arrays.pdarray import pdarray
from akdask.deferred import module_named
from akdask.engine.run import compute
from akdask.engine.values import apart, with_missing
from akdask.frames.columnset import VALUES
from akdask.pandas.arguments import bound_arguments
from akdask.pandas.encoded import (
    ELEMENTWISE,
    EPOCH,
    EXTREMES,
    PARTS,
    SUMMED,
    Coding,
    EncodedArray,
    coding_of,
    columns_of,
    series_of,
    sums_of_halves,
)
from akdask.pandas.face import words
from akdask.pandas.object_forms import days_as_times
from akdask.pandas.refusals import NotLazyError
from akdask.records import record

MOST_PRECISION = 38
"""Digits of decimals of 128 bits."""

EXACT = 2**53
"""Integers below it are floats."""


@record
class Arrow(Coding):
    """Values of a type of Arrow.

    Parameters
    ----------
    type : pyarrow.DataType
        The type.
    limit : int, default 0
        Of decimals: no digits, taken as an integer, are larger.
    has_nan : bool, default False
        Of floats: whether NaN are values; otherwise they are missing.
    """

    type: Any
    limit: int = 0
    has_nan: bool = False

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        return f"arrow {self.type} {self.limit} {self.has_nan}"

    @property
    def dtype(self) -> Any:
        """The type of pandas."""
        return pandas.ArrowDtype(self.type)

    @property
    def is_ordered(self) -> bool:  # type: ignore[override]
        """Whether numbers are equal, and in order, where the values are."""
        return not self.has_nan

    @property
    def gap(self) -> str:
        """What stands for missing values: nothing could beside NaN."""
        return "None" if self.has_nan else "NaN"

    @property
    def kind(self) -> str:
        """A letter for what the values are: ``iufb``, ``d`` for days, ``M`` for times, ``D`` for decimals, ``U``."""
        types = pa.types
        if types.is_decimal(self.type):
            return "D"
        if types.is_date32(self.type):
            return "d"
        if types.is_timestamp(self.type):
            return "M"
        if types.is_string(self.type) or types.is_large_string(self.type) or types.is_string_view(self.type):
            return "U"
        return str(np.dtype(self.type.to_pandas_dtype()).kind)

    def of_comparisons(self) -> Arrow:
        """Return the coding of the bools that comparisons give."""
        return Arrow(BOOL)

    def shares_numbers(self, other: Coding) -> bool:
        """Return whether the other one's values are of the same type."""
        if not isinstance(other, Arrow) or self.has_nan or other.has_nan:
            return False
        return bool(self.type == other.type)

    def in_common(self, other: Coding) -> Coding:
        """Return a coding of the values of both, where they are of one type."""
        if not isinstance(other, Arrow) or self.type != other.type or self.has_nan != other.has_nan:
            raise NotLazyError("columns are of different types")
        return Arrow(self.type, max(self.limit, other.limit), self.has_nan)

    def __call__(self, column: Any) -> Any:
        """Return the values of a computed column."""
        if self.kind == "U":
            from akdask.columns.strings import with_nulls

            return _extension(with_nulls(column).cast(self.type))
        return Coding.__call__(self, column)

    def decoded(self, numbers: Any, missing: Any) -> Any:
        """Return an array of pandas' for Arrow."""
        kind = self.kind
        if kind == "f" and not self.has_nan:
            lacks = np.isnan(numbers)
            missing = lacks if missing is None else missing | lacks
        mask = missing if missing is not None and missing.any() else None
        if kind == "D":
            wide = np.empty((len(numbers), 2), np.int64)
            wide[:, 0], wide[:, 1] = numbers, numbers >> 63
            made = pa.Array.from_buffers(self.type, len(numbers), [None, pa.py_buffer(wide.tobytes())])
            if mask is not None:
                made = _masked(made, mask)
            return _extension(made)
        if kind == "d":
            return _extension(pa.array(numbers.astype(np.int32), mask=mask).cast(self.type))
        if kind == "M":
            return _extension(pa.array(numbers, mask=mask).cast(self.type))
        return _extension(pa.array(numbers.astype(self.type.to_pandas_dtype()), self.type, mask=mask))

    def parts(self, how: str) -> tuple[tuple[str, str], ...]:
        """Return the reductions of numbers from which a reduction of values is made."""
        kind = self.kind
        if self.has_nan or (kind == "U" and how not in ("count", "nunique", "first", "last")):
            raise NotLazyError(f"{how} of {self.dtype} has no lazy form")
        if kind == "D" and how in ("sum", "mean"):
            return SUMMED
        if how in ("count", "nunique") or how in EXTREMES or (how in ("sum", "mean", "std", "var") and kind in "if"):
            return (("", how),)
        raise NotLazyError(f"{how} of {self.dtype} has no lazy form")

    def reduced(self, how: str, found: Sequence[pandas.Series]) -> Any:
        """Return a reduction of values."""
        kind, made = self.kind, found[0]
        if how == "nunique":
            return made
        if how == "count":
            return made.astype(INT64)
        if kind == "U":
            return made.astype(self.dtype)
        if how in EXTREMES:
            lacks = np.asarray(made.isna())
            return self.decoded(made.fillna(0).to_numpy(np.float64 if kind == "f" else np.int64), lacks)
        if kind == "D":
            return _of_decimals(self.type, how, found)
        if how == "sum" and kind == "i":
            narrow = made.astype(np.dtype(self.type.to_pandas_dtype()))
            return narrow.astype(self.dtype) if (narrow == made).all() else made.astype(INT64)
        return Arrow(pa.float64()).decoded(made.to_numpy(np.float64), None)


INT64 = pandas.ArrowDtype(pa.int64())

BOOL = pa.bool_()


def _masked(array: Any, mask: Any) -> Any:
    import pyarrow.compute as pc

    return pc.if_else(pa.array(~mask), array, pa.scalar(None, array.type))


def _extension(array: Any) -> Any:
    return pandas.arrays.ArrowExtensionArray(pa.chunked_array([array]))


def _of_decimals(kind: Any, how: str, found: Sequence[pandas.Series]) -> Any:
    """Return sums of decimals, or means, whose last digit is rounded half away from zero, as Arrow rounds it."""
    counts = found[2].tolist()
    sums = sums_of_halves(found)
    if how == "sum":
        wide = pa.decimal128(MOST_PRECISION, kind.scale)
        return _extension(pa.array([_decimal(one, kind.scale) for one in sums], wide))
    means = [
        None if not count else _decimal((1 if one >= 0 else -1) * ((2 * abs(one) + count) // (2 * count)), kind.scale)
        for one, count in zip(sums, counts, strict=True)
    ]
    return _extension(pa.array(means, kind))


def _decimal(digits: int, scale: int) -> decimal.Decimal:
    return decimal.Decimal(digits).scaleb(-scale, _CONTEXT)


_CONTEXT = decimal.Context(prec=76)


# from pandas and files


def coding_of_type(kind: Any, limit: int | None = None, *, has_nulls: bool = False) -> Arrow:
    """Return the coding of a column that is read.

    Raises
    ------
    NotLazyError
        If there is none.
    """
    types = pa.types
    if types.is_decimal128(kind) and 0 <= kind.scale <= kind.precision <= MOST_DIGITS:
        most = 10**kind.precision - 1
        return Arrow(kind, most if limit is None else min(limit, most))
    if types.is_float64(kind) and not has_nulls:
        return Arrow(kind, has_nan=True)
    others = (types.is_signed_integer, types.is_boolean, types.is_date32, types.is_string, types.is_timestamp)
    if not any(test(kind) for test in others):
        raise NotLazyError(f"{kind} has no lazy form")
    return Arrow(kind)


def coding_of_column(kind: Any, array: Any, family: type[Arrow] = Arrow) -> Arrow | None:
    """Return the coding of a stored column, None if there is none."""
    source, name = array._frame.source, array._value.name
    has_nulls = pa.types.is_floating(kind) and source.may_have_nulls(name)
    bounds = source.bounds(name) if pa.types.is_decimal(kind) else None
    limit = None
    if bounds is not None and len(bounds.minima):
        limit = max(-int(bounds.minima.min()), int(bounds.maxima.max()), 0)
    try:
        found = coding_of_type(kind, limit, has_nulls=has_nulls)
    except NotLazyError:
        return None
    return family(found.type, found.limit, found.has_nan and family is Arrow)


MOST_DIGITS = 18
"""Digits of decimals that are integers of 64 bits."""


def from_memory(values: Any) -> tuple[Any, Coding] | None:
    """Return numbers or text for an array of Arrow of pandas', and what they stand for; None if there is no coding."""
    stored: Any = values._pa_array.combine_chunks()
    try:
        coding = coding_of_type(stored.type, has_nulls=bool(stored.null_count))
    except NotLazyError:
        return None
    if coding.kind == "U":
        return pandas.array(stored.to_numpy(zero_copy_only=False), dtype="str"), coding
    if coding.kind == "f":
        return stored.to_numpy(), coding
    mask = np.asarray(stored.is_null())
    if coding.kind == "D":
        stored = stored.cast(pa.decimal128(MOST_PRECISION, stored.type.scale))
        numbers = np.frombuffer(stored.buffers()[1], "<i8").reshape(-1, 2)[stored.offset :][: len(stored), 0]
        numbers = np.where(mask, 0, numbers)
        coding = Arrow(coding.type, int(np.abs(numbers).max(initial=0)))
    elif coding.kind == "b":
        numbers = stored.fill_null(False).to_numpy(zero_copy_only=False)
        return (pandas.arrays.BooleanArray(numbers, mask) if mask.any() else numbers), coding
    else:
        narrow = stored.cast(pa.int32()) if coding.kind == "d" else stored
        numbers = narrow.cast(pa.int64()).fill_null(0).to_numpy()
    return (pandas.arrays.IntegerArray(np.array(numbers), mask) if mask.any() else np.array(numbers)), coding


# operations on one column


def plain_of(series: Any) -> Any:
    """Return a Series of the numbers or the text of a column."""
    return series_of(series, columns_of(series).array(VALUES).plain())


def of_type(plain: Any, coding: Arrow) -> Any:
    """Return a Series of numbers as values of a type."""
    array: Any = columns_of(plain).array(VALUES)
    if array._value.dtype.kind != KINDS[coding.kind]:
        raise NotLazyError("rows are not aligned lazily")
    return series_of(plain, EncodedArray(array._frame, array._value, coding))


KINDS = {"i": "int", "f": "float", "D": "int", "b": "bool"}
"""The engine's kinds of values that are computed."""


def _lacks(plain: Any, coding: Arrow) -> bool:
    """Return whether some values may be missing."""
    return bool(columns_of(plain).array(VALUES)._value.dtype.nullable) or (coding.kind == "f" and not coding.has_nan)


def as_bools(plain: Any, sides: Sequence[tuple[Any, Arrow]]) -> Any:
    """Return bools, missing where one of the sides is."""
    array = columns_of(plain).array(VALUES)
    value = array._value
    for side, coding in sides:
        if _lacks(side, coding):
            missing = columns_of(side.isna()).array(VALUES)
            if missing._frame is not array._frame and missing._frame._name != array._frame._name:
                raise NotLazyError("rows differ")
            value = with_missing(value, missing._value)
    return series_of(plain, EncodedArray(array._frame, value, sides[0][1].of_comparisons()))


Side = tuple[Any, Arrow]
"""A column as a plain Series, or a number, and its coding."""


def side_of(given: Any) -> Side:
    """Return one side of an operation.

    Raises
    ------
    NotLazyError
        If it is neither a column of Arrow nor a plain number.
    """
    from akdask.pandas.series import Series as Face

    if isinstance(given, Face):
        own = given.lazy()
        array = columns_of(own).array(VALUES)
        if isinstance(array, EncodedArray) and isinstance(array.coding, Arrow):
            return plain_of(own), array.coding
    elif type(given) is int and abs(given) < EXACT:
        return given, Arrow(pa.int64())
    elif type(given) is float:
        return given, Arrow(pa.float64(), has_nan=True)
    raise NotLazyError("the other side has no lazy form")


def as_float(side: Side) -> Any:
    """Return a side as floats, as Arrow makes them."""
    plain, coding = side
    if not isinstance(plain, int | float) and coding.kind == "D":
        if coding.limit >= EXACT:
            raise NotLazyError("decimals have more digits than floats")
        return plain * (10.0**-coding.type.scale)
    if coding.kind == "i":
        if coding.type == pa.int64() and not isinstance(plain, int):
            raise NotLazyError("integers may have more digits than floats")
        return float(plain) if isinstance(plain, int) else plain * 1.0
    if coding.kind != "f":
        raise NotLazyError("the values are no numbers")
    return plain


def digits_of(side: Side) -> tuple[Any, int, int, int]:
    """Return decimals or an integer as digits, their precision, scale and limit."""
    plain, coding = side
    if coding.kind == "D":
        return plain, coding.type.precision, coding.type.scale, coding.limit
    if coding.kind != "i" or not isinstance(plain, int):
        raise NotLazyError("columns of integers are no decimals here")
    return plain, 19, 0, abs(plain)


def computed(operation: str, left: Side, right: Side) -> Any:
    """Return the result of arithmetic as Arrow computes it.

    Raises
    ------
    NotLazyError
        If integers might exceed 64 bits, and where types have no lazy arithmetic.
    """
    kinds = {left[1].kind, right[1].kind}
    if not kinds <= {"i", "f", "D"}:
        raise NotLazyError("the values are no numbers")
    if "f" in kinds or (operation == "truediv" and kinds == {"i"}):
        if operation == "truediv" and kinds == {"i"}:
            made = APPLIED[operation](left[0], right[0])
        else:
            made = APPLIED[operation](as_float(left), as_float(right))
        return of_type(made, Arrow(pa.float64()))
    if kinds == {"i"}:
        return _computed_integers(operation, left, right)
    if operation == "truediv":
        raise NotLazyError("quotients of decimals have more digits")
    return _computed_decimals(operation, digits_of(left), digits_of(right))


def _computed_integers(operation: str, left: Side, right: Side) -> Any:
    """Return arithmetic of narrow integers and a number, which cannot exceed 64 bits."""
    column, number = (right, left) if isinstance(left[0], int) else (left, right)
    if not isinstance(number[0], int) or column[1].type == pa.int64() or abs(number[0]) >= 2**31:
        raise NotLazyError("integers might exceed 64 bits, which pandas refuses")
    return of_type(APPLIED[operation](left[0], right[0]), Arrow(pa.int64()))


def _computed_decimals(operation: str, left: Any, right: Any) -> Any:
    one, precision, scale, limit = left
    other, its_precision, its_scale, its_limit = right
    if operation == "mul":
        kind = (precision + its_precision + 1, scale + its_scale)
        limit *= its_limit
    else:
        most = max(scale, its_scale)
        kind = (max(precision - scale, its_precision - its_scale) + 1 + most, most)
        one, other = (
            side if own == most else side * 10 ** (most - own) for side, own in ((one, scale), (other, its_scale))
        )
        limit = limit * 10 ** (most - scale) + its_limit * 10 ** (most - its_scale)
    if kind[0] > MOST_PRECISION or limit >= 2**63:
        raise NotLazyError("digits might exceed those of decimals")
    return of_type(APPLIED[operation](one, other), Arrow(pa.decimal128(*kind), limit))


APPLIED: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": lambda left, right: left + right,
    "sub": lambda left, right: left - right,
    "mul": lambda left, right: left * right,
    "truediv": lambda left, right: left / right,
}

ARITHMETIC: Mapping[str, tuple[str, bool]] = {
    **{f"__{name}__": (name, False) for name in APPLIED},
    **{f"__r{name}__": (name, True) for name in APPLIED},
    **{name: (name, False) for name in ("add", "sub", "mul", "truediv")},
    "div": ("truediv", False),
}
"""Methods that compute, with the operation, and whether the other side comes first."""

COMPARISONS = {f"__{name}__": name for name in ("eq", "ne", "lt", "le", "gt", "ge")} | {
    name: name for name in ("eq", "ne", "lt", "le", "gt", "ge")
}


def compared(name: str, left: Side, other: Any) -> Any:
    """Return a comparison with a column or a value, which is missing where one of the two is."""
    plain, coding = left
    method = f"__{name}__"
    if coding.kind in "dMU" and not _is_column(other):
        fitting: Any = {"d": datetime.date, "M": pandas.Timestamp, "U": str}[coding.kind]
        if type(other) is not fitting:
            raise NotLazyError("the other side has no lazy form")
        if coding.kind == "M" and (coding.type.tz is not None or other.tz is not None):
            raise NotLazyError("times have zones")
        return as_bools(getattr(plain, method)(_number_of(coding, other)), [left])
    right = side_of(other)
    kinds = {coding.kind, right[1].kind}
    if coding.kind == right[1].kind and coding.kind in "dMU":
        if coding.type != right[1].type:
            raise NotLazyError("columns are of different types")
        return as_bools(getattr(plain, method)(right[0]), [left, right])
    sides = [left, *([right] if _is_column(other) else [])]
    if kinds == {"i"}:
        return as_bools(getattr(plain, method)(right[0]), sides)
    if kinds in ({"f"}, {"f", "i"}, {"f", "D"}):
        if type(right[0]) is float and not abs(right[0]) < EXACT:
            raise NotLazyError("the other side is no number, or a large one")
        if coding.kind == "i" and type(right[0]) is float:
            return as_bools(getattr(plain, method)(right[0]), sides)
        return as_bools(getattr(as_float(left), method)(as_float(right)), sides)
    if kinds <= {"D", "i"}:
        (one, _, scale, limit), (two, _, its_scale, its_limit) = digits_of(left), digits_of(right)
        most = max(scale, its_scale)
        if max(limit * 10 ** (most - scale), its_limit * 10 ** (most - its_scale)) >= 2**63:
            raise NotLazyError("digits might exceed 64 bits")
        one, two = one * 10 ** (most - scale), two * 10 ** (most - its_scale)
        return as_bools(getattr(one, method)(two), sides)
    raise NotLazyError("the types are not compared lazily")


def _is_column(given: Any) -> bool:
    from akdask.pandas.face import NDFrame

    return isinstance(given, NDFrame)


def _number_of(coding: Arrow, value: Any) -> Any:
    """Return the number or text that stands for a value."""
    if coding.kind == "d":
        return value.toordinal() - EPOCH
    if coding.kind == "M":
        found = value.as_unit(coding.type.unit)
        if found != value:
            raise NotLazyError("the time has more digits")
        return int(found.value if coding.type.unit == "ns" else found.asm8.astype(np.int64))
    return value


# bools


def is_bool(coding: Coding | None) -> bool:
    """Return whether numbers stand for bools that may be missing."""
    return isinstance(coding, Arrow) and coding.kind == "b"


def as_mask(series: Any) -> Any:
    """Return bools as plain ones, False where they are missing."""
    from akdask.engine.missing import as_mask as present

    array: Any = columns_of(series).array(VALUES)
    return series_of(series, pdarray(array._frame, present(array._value)))


def logical(series: Any, name: str, other: Any) -> Any:
    """Combine two columns of bools; missing where the other one does not decide."""
    from akdask.pandas.series import Series as Face

    if not isinstance(other, Face):
        raise NotLazyError("the other side is no column")
    sides = [series, other.lazy()]
    bools: Any = coding_of(series)
    plain, lacking = [], []
    for side in sides:
        array: Any = columns_of(side).array(VALUES)
        if array._value.dtype.kind != "bool" or (isinstance(array, EncodedArray) and not is_bool(array.coding)):
            raise NotLazyError("the other side has no bools")
        plain.append(as_mask(side))
        nullable = array._value.dtype.nullable
        lacking.append(series_of(side, pdarray(array._frame, apart(array._value)[1])) if nullable else None)
    (one, two), (lacks, its_lack) = plain, lacking
    made = one & two if name == "and" else one | two
    missing = None
    for own, others, other_lack in ((lacks, two, its_lack), (its_lack, one, lacks)):
        if own is None:
            continue
        open_ = (others if name == "and" else ~others) if other_lack is None or name == "or" else others | other_lack
        missing = own & open_ if missing is None else missing | (own & open_)
    if missing is None:
        return of_type(made, bools)
    array, gaps = columns_of(made & ~missing).array(VALUES), columns_of(missing).array(VALUES)
    if array._frame._name != gaps._frame._name:
        raise NotLazyError("rows differ")
    return series_of(made, EncodedArray(array._frame, with_missing(array._value, gaps._value), bools))


def inverted(series: Any) -> Any:
    """Return the other bools; missing ones stay missing."""
    array: Any = columns_of(series).array(VALUES)
    if array._value.dtype.nullable:
        raise NotLazyError("bools are missing")
    bools: Any = coding_of(series)
    return of_type(~plain_of(series), bools)


# methods of columns


def of_arrow(face: Any, own: Any, coding: Arrow, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the lazy form of a method of a column; NotImplemented leaves it to those of all columns.

    Raises
    ------
    NotLazyError
        If there is none.
    """
    left = plain_of(own), coding
    if type(coding) is not Arrow:
        if name in ELEMENTWISE and coding.kind != "U" and not _is_compiled(coding, name, args):
            return NotImplemented
        if name in REDUCTIONS and not args and not kwargs and coding.kind in "iufb":
            return reduced(face, own, coding, name)
        found = module_named("akdask.pandas.masked_forms").of_column(face, own, coding, name, args, kwargs)
        if found is not NotImplemented:
            return found
        if name in ARITHMETIC or (name == "sum" and coding.kind != "i"):
            raise NotLazyError("nullable types have no such form")
    if name in ARITHMETIC and len(args) == 1 and not kwargs:
        operation, is_reversed = ARITHMETIC[name]
        right = side_of(args[0])
        sides = (right, left) if is_reversed else (left, right)
        return face._faced(computed(operation, *sides))
    if name in COMPARISONS and len(args) == 1 and not kwargs:
        return face._faced(compared(COMPARISONS[name], left, args[0]))
    if coding.kind == "b":
        if name in ("__and__", "__or__"):
            return face._faced(logical(own, name.strip("_"), *args))
        if name == "__invert__":
            return face._faced(inverted(own))
    if name in FORMS:
        return face._faced(FORMS[name](own, coding, **bound_arguments(pandas.Series, name, args, kwargs)))
    if name in MOVED and not coding.has_nan:
        return NotImplemented
    if name in MOVED_ALWAYS:
        return NotImplemented
    raise NotLazyError(f"a column is of type {coding.dtype}")


def _is_compiled(coding: Arrow, name: str, args: tuple[Any, ...]) -> bool:
    """Return whether a comparison with an integer, or logic of bools, has a form that filters of files know."""
    from akdask.pandas.series import Series as Face

    if coding.kind == "b":
        return name in ("__and__", "__or__") and isinstance(args[0], Face) and is_bool(coding_of(args[0].lazy()))
    return coding.kind == "i" and name in COMPARISONS and len(args) == 1 and type(args[0]) is int


MOVED_ALWAYS = words(
    """head tail iloc loc take sort_index copy rename rename_axis to_frame astype reset_index str dt groupby
    __getitem__ explain"""
)

MOVED = MOVED_ALWAYS | words("sort_values isna isnull notna notnull dropna drop_duplicates nunique")
"""Methods whose lazy forms know columns of numbers that stand for values."""


def _demand_plain(axis: Any, skipna: bool, numeric_only: bool) -> None:
    if axis not in (0, None) or not skipna or numeric_only:
        raise NotLazyError("missing values are not left out")


def _extreme(name: str) -> Callable[..., Any]:
    def reduce(own: Any, coding: Arrow, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        _demand_plain(axis, skipna, numeric_only)
        if coding.has_nan or coding.kind not in "iudD":
            raise NotLazyError("the type has no lazy extremes")
        (found,) = compute(getattr(plain_of(own), name)())
        if pandas.isna(found):
            raise NotLazyError("there is no value")
        return coding.decoded(np.array([int(found)]), None)[0]

    return reduce


def total(
    own: Any, coding: Arrow, axis: Any = None, skipna: bool = True, numeric_only: bool = False, min_count: int = 0
) -> Any:
    """Return a sum, as Arrow has it."""
    _demand_plain(axis, skipna, numeric_only)
    if min_count or coding.kind not in "ifDb":
        raise NotLazyError("the sum has no lazy form")
    plain = plain_of(own)
    if coding.kind == "D":
        high, low, count = compute(*(PARTS[part](plain).sum() for part in ("high", "low")), plain.count())
        (found,) = sums_of_halves([[high], [low]])
        if not count:
            raise NotLazyError("there is no value")
        return _decimal(found, coding.type.scale)
    found, count = compute(plain.sum(skipna=not coding.has_nan), plain.size if coding.has_nan else plain.count())
    if not count:
        raise NotLazyError("there is no value")
    if type(coding) is not Arrow:
        return np.float64(found) if coding.kind == "f" else np.int64(found)
    return float(found) if coding.kind == "f" else int(found)


REDUCTIONS = words("sum mean std var median sem min max count any all")
"""Reductions of nullable columns that are those of wide numbers."""


def reduced(face: Any, own: Any, coding: Arrow, name: str) -> Any:
    """Return a reduction of a nullable column: missing where that of numbers is NaN."""
    if coding.kind == "b":
        return _reduced_bools(face, own, name)
    if coding.kind in "iu" and name in ("min", "max"):
        return _extreme(name)(own, coding)
    is_narrow = coding.dtype == pandas.Float32Dtype()
    if is_narrow and name not in ("count", "any", "all", "min", "max"):
        raise NotLazyError("pandas rounds sums of narrow floats")
    if name == "sum" and coding.kind in "iu":
        (found,) = compute(plain_of(own).sum())
        return (np.uint64 if coding.kind == "u" else np.int64)(found)
    found = type(face)._of(plain_of(own))._lazily(name, (), {})
    if name in ("count", "any", "all", "sum"):
        return found
    return pandas.NA if pandas.isna(found) else (np.float32 if is_narrow else np.float64)(found)


def _reduced_bools(face: Any, own: Any, name: str) -> Any:
    if name not in ("sum", "mean", "any", "all", "min", "max", "count"):
        raise NotLazyError(f"{name} of bools that may be missing has no lazy form")
    trues = as_mask(own)
    if name in ("sum", "any"):
        return type(face)._of(trues)._lazily(name, (), {})
    found, there = map(int, compute(trues.sum(), plain_of(own).count()))
    if name == "count":
        return np.int64(there)
    if name != "all" and not there:
        raise NotLazyError("there is no value")
    return np.float64(found / there) if name == "mean" else np.bool_(found > 0 if name == "max" else found == there)


def between(own: Any, coding: Arrow, left: Any, right: Any, inclusive: str = "both") -> Any:
    """Return whether values lie between two others."""
    from akdask.pandas.series import Series as Face

    if inclusive not in ("both", "left", "right", "neither"):
        raise NotLazyError("pandas refuses it")
    side = plain_of(own), coding
    least = compared("ge" if inclusive in ("both", "left") else "gt", side, left)
    most = compared("le" if inclusive in ("both", "right") else "lt", side, right)
    return logical(least, "and", Face._of(most))


def is_in(own: Any, coding: Arrow, values: Any) -> Any:
    """Return which values are among some; missing ones are not."""
    fitting: Any = {"i": int, "d": datetime.date, "U": str}.get(coding.kind)
    if fitting is None or not isinstance(values, list | tuple) or any(type(one) is not fitting for one in values):
        raise NotLazyError("the values sought have no lazy form")
    return plain_of(own).isin([_number_of(coding, value) for value in values])


FORMS: Mapping[str, Callable[..., Any]] = {
    "min": _extreme("min"),
    "max": _extreme("max"),
    "sum": total,
    "between": between,
    "isin": is_in,
}
"""Lazy forms of methods of columns."""


def converted(series: Any, coding: Arrow, wanted: Any) -> Any:
    """Return a column of another type."""
    if wanted == coding.dtype:
        return series
    if wanted == np.float64 and coding.kind == "D" and coding.limit < EXACT:
        return plain_of(series) / 10.0**coding.type.scale
    if isinstance(wanted, np.dtype) and wanted.kind == "M" and coding.kind == "d":
        return days_as_times(series, np.datetime_data(wanted)[0])
    raise NotLazyError("the type has no lazy form")


FIELDS = words("year month day quarter dayofyear day_of_year dayofweek day_of_week weekday")
"""Fields of days."""


def field_of_days(series: Any, coding: Arrow, name: str) -> Any:
    """Return the year, or another field, of days."""
    if coding.kind != "d" or name not in FIELDS:
        raise NotLazyError("the field has no lazy form")
    found = getattr(days_as_times(series, "s").values, name)
    return series_of(series, EncodedArray(found._frame, found._value, Arrow(pa.int64())))


PREDICATES = words("startswith endswith")
"""Methods of text whose argument is no pattern."""


def predicate(series: Any, coding: Arrow, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Return whether text has a property."""
    if name not in PREDICATES or kwargs or len(args) != 1 or type(args[0]) is not str:
        raise NotLazyError("the method of text of Arrow has no lazy form")
    plain = plain_of(series)
    array: Any = columns_of(plain).array(VALUES)
    found = getattr(wrap(array._frame, array._value), name)(args[0])
    return as_bools(series_of(series, found), [(plain, coding)])


@record
class Days:
    """What stands for ``dt`` of a column of days: its fields are forms of their own."""

    series: Any


def times_of(series: Any) -> Any:
    """Return ``dt`` of a Series."""
    coding = coding_of(series)
    return Days(series) if isinstance(coding, Arrow) else series.dt
