"""The types of columns in memory, a closed set.

Arkouda computes on 64-bit numbers, uint8, bool, Strings, integers of any size and lists of these (SegArray); other
widths in files are widened on reading.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.deferred import pd
from akdask.errors import ArgumentTypeError
from akdask.records import record


class BigintDtype:
    """The dtype of arrays of integers of any size: ``ak.bigint``.

    Calling it with a value makes a single integer, and without one gives the dtype.  It equals its name, and any bigint
    dtype whatever the number of bits.

    Examples
    --------
    >>> bigint == "bigint", bigint("0x10"), bigint()
    (True, ak.bigint_(16), dtype(bigint))
    >>> isinstance(bigint, bigint)
    True
    """

    name = "bigint"
    kind = "ui"
    itemsize = 128
    ndim = 0
    shape: tuple[int, ...] = ()
    is_signed = True
    is_variable_width = True

    @property
    def type(self) -> type[bigint_]:
        """The type of single elements."""
        return bigint_

    def __call__(self, *value: Any) -> BigintDtype | bigint_:
        """Return a single integer, of a number or of text, or without one the dtype."""
        return bigint_(*value) if value else self

    def __instancecheck__(self, item: object) -> bool:
        """Whether something is the dtype: Arkouda's is a class."""
        return isinstance(item, BigintDtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BigintDtype) or (isinstance(other, str) and other.lower() == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce__(self) -> str:
        # There is one, in each process.
        return "bigint"

    def __repr__(self) -> str:
        return f"dtype({self.name})"

    def __str__(self) -> str:
        return self.name


class bigint_(int):
    """An integer of any size with a dtype; otherwise it behaves like int.

    Parameters
    ----------
    x : int or str
        The integer; as text in the notation of any base, such as ``"0xff"``.
    """

    def __new__(cls, x: Any = 0) -> Self:
        """Return the integer of a number or of text."""
        return super().__new__(cls, int(x, 0) if isinstance(x, str | bytes) else int(x))

    @property
    def dtype(self) -> BigintDtype:
        """``ak.bigint``."""
        return bigint

    def item(self) -> int:
        """Return the plain int."""
        return int(self)

    def __repr__(self) -> str:
        return f"ak.bigint_({int(self)})"

    def __str__(self) -> str:
        return str(int(self))


bigint = BigintDtype()


Kind: TypeAlias = Literal["int", "uint", "float", "bool", "str", "bigint", "list"]


@record
class ColumnType:
    """The type of a column.

    Parameters
    ----------
    name : str
        The name that Arkouda uses: ``int64``, ``uint64``, ``float64``, ``bool``, ``uint8``, ``str``, ``bigint``.
    kind : str
        Kind of values: ``int``, ``uint``, ``float``, ``bool``, ``str``, ``bigint`` or ``list``.
    itemsize : int
        Bytes of one element in memory; for elements of variable size, the size of one offset.
    item : ColumnType, optional
        Type of the values of a list; None if all lists are empty and the type is unknown.
    max_bits : int, default -1
        Bits of a bigint, -1 for no limit.
    nullable : bool, default False
        Whether rows may be missing: of text, see `akdask.columns.strings`; of integers and bools, see
        `akdask.columns.nullable`.  Floats and times have a value for it and are never of such a type.
    """

    name: str
    kind: Kind
    itemsize: int
    item: ColumnType | None = None
    max_bits: int = -1
    nullable: bool = False

    def __hash__(self) -> int:
        # Keys of caches have it: other fields tell few types apart.
        return hash(self.name)

    @property
    def numpy(self) -> np.dtype[Any]:
        """The NumPy dtype of its elements; object for types that NumPy lacks, as in `to_ndarray`."""
        return _NUMPY.get(self.name, _OBJECT)

    @property
    def is_number(self) -> bool:
        """Whether partitions hold NumPy arrays (bool included) rather than Arrow arrays or nullable columns."""
        return self.name in _NUMPY and not self.nullable

    @property
    def is_numeric(self) -> bool:
        """Whether rows are numbers or bools, of which some may be missing."""
        return self.name in _NUMPY

    @cached_property
    def is_nullable_number(self) -> bool:
        """Whether partitions hold columns of `akdask.columns.nullable`."""
        return self.nullable and self.name in _NUMPY

    @cached_property
    def plain(self) -> ColumnType:
        """The type without missing rows."""
        return replace(self, nullable=False) if self.nullable else self

    def __str__(self) -> str:
        return f"{self.name}?" if self.is_nullable_number else self.name


INT64 = ColumnType("int64", "int", 8)
UINT64 = ColumnType("uint64", "uint", 8)
FLOAT64 = ColumnType("float64", "float", 8)
BOOL = ColumnType("bool", "bool", 1)
UINT8 = ColumnType("uint8", "uint", 1)
STR = ColumnType("str", "str", 8)
NULLABLE_STR = replace(STR, nullable=True)
NULLABLE_INT64, NULLABLE_UINT64 = replace(INT64, nullable=True), replace(UINT64, nullable=True)
NULLABLE_UINT8, NULLABLE_BOOL = replace(UINT8, nullable=True), replace(BOOL, nullable=True)
BIGINT = ColumnType("bigint", "bigint", 16)

_NUMPY = {t.name: np.dtype(t.name) for t in (INT64, UINT64, FLOAT64, BOOL, UINT8)}
_OBJECT = np.dtype(object)
BY_NAME = {t.name: t for t in (INT64, UINT64, FLOAT64, BOOL, UINT8, STR, BIGINT)}


def list_of(item: ColumnType | None) -> ColumnType:
    """Return the type of lists of values of a type, which SegArrays have.

    Examples
    --------
    >>> list_of(INT64).name, list_of(STR).item == STR
    ('list[int64]', True)
    """
    return ColumnType(f"list[{'' if item is None else item.name}]", "list", 8, item)


def bigint_of(max_bits: int | None) -> ColumnType:
    """Return the type of integers of a number of bits; without limit for None and numbers that are not positive.

    Such integers are not negative: they are taken modulo ``2**max_bits``.

    Examples
    --------
    >>> bigint_of(64).max_bits, bigint_of(0) == BIGINT
    (64, True)
    """
    return replace(BIGINT, max_bits=max_bits) if max_bits is not None and max_bits > 0 else BIGINT


def unlimited(dtype: ColumnType) -> ColumnType:
    """Return a type without its limits: of bits in integers or lists of them, and of text; others unchanged."""
    if dtype.item is not None:
        return list_of(unlimited(dtype.item))
    return BIGINT if dtype.kind == "bigint" else STR if dtype.kind == "str" else dtype


def dtype(x: Any) -> np.dtype[Any] | BigintDtype:
    """Return the dtype of a name, a type, a dtype, an array or a single integer.

    ``ak.bigint``, its name, its arrays and Python integers of more than 64 bits give ``ak.bigint``; NumPy decides about
    all others.

    Parameters
    ----------
    x : object
        The object in question.

    Raises
    ------
    ArgumentTypeError
        If it is no dtype.

    Examples
    --------
    >>> dtype("bigint"), dtype(2**200), dtype("float64"), dtype(bool)
    (dtype(bigint), dtype(bigint), dtype('float64'), dtype('bool'))
    """
    x = x if isinstance(x, type) else getattr(x, "dtype", x)
    is_large = isinstance(x, int) and not isinstance(x, bool) and not -(2**63) <= x < 2**64
    is_named = isinstance(x, str) and x.lower() == BIGINT.name
    if is_large or is_named or x is bigint_ or isinstance(x, BigintDtype):
        return bigint
    try:
        return np.asarray(x).dtype if isinstance(x, int | float) else np.dtype(x)
    except TypeError:
        raise ArgumentTypeError(
            f"{x!r:.100} is no dtype.", hint="give a name such as 'int64', a type, or ak.bigint."
        ) from None


def column_type(dtype: ColumnType | BigintDtype | npt.DTypeLike | str) -> ColumnType:
    """Return the column type that holds values of a NumPy dtype, a Python type or a name.

    Narrow numbers widen as Arkouda widens them on reading: signed integers, and unsigned ones of 2 and 4 bytes, to
    int64, 8-byte unsigned to uint64, any real float to float64.  Unsigned ones of one byte are uint8.

    Raises
    ------
    ArgumentTypeError
        If no column can hold such values.

    Examples
    --------
    >>> column_type("int32").name, column_type(float).name, column_type(str).name
    ('int64', 'float64', 'str')
    """
    if isinstance(dtype, ColumnType):
        return dtype
    if isinstance(dtype, str) and dtype in BY_NAME:
        return BY_NAME[dtype]
    if isinstance(dtype, BigintDtype) or dtype is bigint_:
        return BIGINT
    try:
        found = np.dtype(dtype)
    except (TypeError, ValueError):
        found = np.dtype(object)
    match found.kind:
        case "i":
            return INT64
        case "u":
            return {1: UINT8, 8: UINT64}.get(found.itemsize, INT64)
        case "f" if found.itemsize <= FLOAT64.itemsize:
            return FLOAT64
        case "b":
            return BOOL
        case "U" | "S" | "T":
            return STR
    raise ArgumentTypeError(
        f"no column can hold values of type {dtype!r}.",
        details=[f"column types: {', '.join(BY_NAME)}"],
        hint="complex numbers are two columns, of their real and imaginary parts." if "complex" in str(dtype) else None,
    )


Unit: TypeAlias = Literal["s", "ms", "us", "ns"]

PER_SECOND: dict[str, int] = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
"""The units that times have, from coarse to fine, and how many of each make a second."""

NOT_A_TIME = np.iinfo(np.int64).min
"""The number of NaT, as NumPy and pandas have it."""

TIME, SPAN = "time", "span"


def finer(*units: str) -> str:
    """Return the finest of some units.

    Examples
    --------
    >>> finer("s", "us", "ms")
    'us'
    """
    return max(units, key=PER_SECOND.__getitem__)


@record
class TimeForm:
    """The meaning of a time's number.

    Parameters
    ----------
    kind : {"time", "span"}
        A point in time, counted from 1970, or a length.
    unit : {"s", "ms", "us", "ns"}
        Unit of the count.
    zone : str, optional
        Name of the time zone, as in ``zoneinfo``, or an offset such as ``+02:00``.  The numbers are those of UTC.  None
        for naive times.
    may_lack : bool, optional
        Whether some of the numbers may be NaT.  None where it is unknown, as in files without bounds: fields of arrays
        are integers then, and an error where a time is NaT.
    ordered : bool
        Whether numbers are one less than those of times, which puts NaT last: see `akdask.engine.times.ordered`.
    """

    kind: str
    unit: str = "ns"
    zone: str | None = None
    may_lack: bool | None = False
    ordered: bool = False

    @property
    def token(self) -> str:
        """Names the form in plans."""
        return f"{self.kind} {self.unit} {self.zone} {self.may_lack} {self.ordered}"

    @property
    def is_time(self) -> bool:
        """Whether it is a point in time."""
        return self.kind == TIME

    @property
    def numpy(self) -> np.dtype[Any]:
        """NumPy's dtype, which has no zone."""
        return np.dtype(f"{'M' if self.is_time else 'm'}8[{self.unit}]")

    @property
    def pandas(self) -> Any:
        """The dtype that pandas has for it."""
        return self.numpy if self.zone is None else pd.DatetimeTZDtype(self.unit, self.zone)  # type: ignore[call-overload]  # a str

    @property
    def per_second(self) -> int:
        """How many units make a second."""
        return PER_SECOND[self.unit]

    def lacking(self, may_lack: bool | None = True) -> TimeForm:
        """Return the form with or without NaT among its numbers, None where that is unknown."""
        return self if self.may_lack == may_lack else replace(self, may_lack=may_lack)

    def of_span(self) -> TimeForm:
        """Return the form of differences."""
        return replace(self, kind=SPAN, zone=None)

    def __call__(self, number: Any) -> Any:
        """Return one number as pandas' Timestamp or Timedelta; NaN is NaT."""
        if number != number:  # noqa: PLR0124 - so is NaN found in any type
            return pd.NaT
        count = int(number)
        if self.ordered:
            count = NOT_A_TIME if count == -NOT_A_TIME - 1 else count + 1
        if count == NOT_A_TIME:
            return pd.NaT
        if self.is_time:
            time: Any = pd.Timestamp(np.int64(count).view(self.numpy))
            return time if self.zone is None else time.tz_localize("UTC").tz_convert(self.zone)
        span: Any = np.int64(count).view(self.numpy)
        return pd.Timedelta(span)

    def __str__(self) -> str:
        return str(self.pandas)


def some_lack(forms: Iterable[TimeForm]) -> bool | None:
    """Return whether numbers of some of the forms may be NaT, None where nobody has looked."""
    known = {form.may_lack for form in forms}
    return True if True in known else None if None in known else False


NANOSECONDS = {TIME: TimeForm(TIME), SPAN: TimeForm(SPAN)}
"""The forms that Arkouda has."""
