"""Operations on columns of narrow and of nullable types: NumPy's functions, which pandas computes piece by piece.

Whatever the types are, a piece of a column is an array of its type, pandas does the work, and the numbers that stand
for the results go back.  pandas gives the type of the result, on one row.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import Array, unlabelled, wrap
from akdask.arrays.elementwise import on_common_rows
from akdask.arrays.pdarray import pdarray
from akdask.columns.dtypes import FLOAT64, INT64, UINT8, UINT64, ColumnType, column_type
from akdask.columns.nullable import NullableColumn
from akdask.columns.table import is_scalar
from akdask.engine.values import Call, as_floats
from akdask.frames.arithmetic import BY_OPERATOR
from akdask.pandas.arrow_types import is_bool
from akdask.pandas.encoded import Coding, EncodedArray, Narrow
from akdask.pandas.masked_types import Masked, of_masked
from akdask.pandas.refusals import NotLazyError
from akdask.records import record

COMPARISONS = frozenset({np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal})

DIVISIONS = frozenset({np.floor_divide, np.remainder})
"""Functions whose results are of another type where integers are divided by zero."""

LOGIC = frozenset({np.bitwise_and, np.bitwise_or, np.bitwise_xor})

SUMS_AND_PRODUCTS = frozenset({np.add, np.subtract, np.multiply})

WIDE = frozenset({INT64, UINT64, FLOAT64})


@record
class Plain:
    """Values of a type of NumPy that the engine computes with."""

    name: str

    @property
    def dtype(self) -> Any:
        """The type."""
        return np.dtype(self.name)

    def __call__(self, column: Any) -> Any:
        """Return the values of a column."""
        return np.asarray(column)


@record
class Constantly:
    """A plain value beside columns."""

    value: Any


Side = Plain | Coding | Constantly


@record
class Piecewise:
    """Computes a function of NumPy of pieces of columns as pandas does.

    Parameters
    ----------
    function : str
        Name of the function.
    sides : tuple of Plain, Coding or Constantly
        What the arguments are.
    made : str
        Type of the result.
    dtype : str
        Type of the numbers that stand for it in the engine.
    """

    function: str
    sides: tuple[Side, ...]
    made: str
    dtype: str

    def __call__(self, *columns: Any) -> Any:
        """Return the numbers of the results."""
        count = max((len(column) for column in columns if not is_scalar(column)), default=1)
        given = iter([np.full(count, column) if is_scalar(column) else column for column in columns])
        arrays = [side.value if isinstance(side, Constantly) else side(next(given)) for side in self.sides]
        found = computed(self.function, arrays)
        if str(found.dtype) != self.made:
            raise NotLazyError(f"{self.function} gives {found.dtype} for some rows, and {self.made} for others")
        return _numbers(found, column_type(self.dtype))


def computed(function: str, arrays: Sequence[Any]) -> Any:
    """Return a function of arrays and plain values, as pandas has it for columns."""
    if not any(isinstance(array, pandas.api.extensions.ExtensionArray) for array in arrays):
        arrays = [
            pandas.arrays.NumpyExtensionArray(array) if isinstance(array, np.ndarray) else array for array in arrays
        ]
    with np.errstate(all="ignore"):
        ufunc = getattr(np, function)
        found = BY_OPERATOR.get(ufunc, ufunc)(*arrays)
    return found.to_numpy() if isinstance(found, pandas.arrays.NumpyExtensionArray) else found


def _numbers(found: Any, dtype: ColumnType) -> Any:
    """Return the numbers that stand for results, as columns of the engine."""
    if isinstance(found, np.ndarray):
        return found.astype(dtype.numpy, copy=False)
    values, missing = of_masked(found)
    values = values.astype(dtype.numpy, copy=False)
    if dtype.kind == "float":
        return np.where(missing, np.nan, values) if missing.any() else values
    return NullableColumn.of(values, missing)


@lru_cache(maxsize=1024)
def _result(function: str, sides: tuple[Side, ...], kinds: tuple[type, ...]) -> Any:
    """Return the type of results; `kinds` tell plain values apart that are equal."""
    arrays = [side.value if isinstance(side, Constantly) else pandas.array([1], dtype=side.dtype) for side in sides]
    plain = [array.to_numpy() if isinstance(array, pandas.arrays.NumpyExtensionArray) else array for array in arrays]
    return computed(function, plain).dtype


def operated(function: np.ufunc, inputs: Sequence[Any]) -> Array:
    """Return a function of columns, one of which is encoded.

    Raises
    ------
    NotLazyError
        If a column is of another type, and where the type of the result depends on the values.
    """
    inputs = [unlabelled(item) for item in inputs]
    arrays = [_settled(item) if isinstance(item, Array) else item for item in inputs]
    wide = _wide(function, arrays)
    if wide is not None:
        found: Array = function(*wide)
        return found
    sides = tuple(_side(item) for item in arrays)
    kinds = tuple(type(side.value) for side in sides if isinstance(side, Constantly))
    try:
        dtype = _result(function.__name__, sides, kinds)
    except TypeError as error:
        raise NotLazyError(f"pandas refuses {function.__name__} of these types") from error
    keeps_type = dtype == np.float64 or (isinstance(sides[0], Masked) and sides[0].kind in "iu")
    is_division = function in DIVISIONS and not keeps_type
    if function is np.power or is_division:
        _check_divisor(function, arrays)
    if function in LOGIC and len({side.dtype == np.bool_ for side in sides if isinstance(side, Plain | Narrow)}) > 1:
        raise NotLazyError("truth values beside numbers have no lazy form")
    name, coding = _form(dtype)
    columns = [item.plain() if isinstance(item, EncodedArray) else item for item in arrays if isinstance(item, Array)]
    frame, values = on_common_rows("compute", columns)
    plain = name.removeprefix("nullable ")
    call = Piecewise(function.__name__, sides, str(dtype), plain)
    value = Call("piecewise", *values, function=call, dtype=plain, nullable=name != plain)
    return wrap(frame, value) if coding is None else EncodedArray(frame, value, coding)


def _settled(array: Array) -> Array:
    """Return a column of pandas' type: floats where integers are missing; computes whether they are."""
    dtype, coding = array._value.dtype, getattr(array, "coding", None)
    if isinstance(coding, Masked) or is_bool(coding) or not dtype.is_nullable_number:
        return array
    if coding is not None and not isinstance(coding, Narrow):
        return array
    plain: Any = array.plain() if isinstance(array, EncodedArray) else array
    if dtype.kind == "bool":
        raise NotLazyError("truth values are missing")
    if bool(plain.isna().any()):
        return pdarray(array._frame, as_floats(array._value))
    return array._like(array._frame, Call("present_numbers", array._value))


def _wide(function: np.ufunc, arrays: Sequence[Any]) -> list[Any] | None:
    """Return plain numbers whose results are the same, if there are such: compiled loops and filters know these."""
    codings = [array.coding for array in arrays if isinstance(array, EncodedArray)]
    if any(not isinstance(coding, Narrow) for coding in codings):
        return None
    others = [array for array in arrays if not isinstance(array, EncodedArray)]
    narrow_floats = [coding for coding in codings if coding.dtype.kind == "f"]
    if narrow_floats:
        is_compared = function in COMPARISONS and len(codings) == len(others) == 1
        if not is_compared or type(others[0]) not in (int, float):
            return None
        with np.errstate(over="ignore"):
            nearest = float(np.float32(others[0]))  # NumPy compares with the nearest narrow float.
        return [array.plain() if isinstance(array, EncodedArray) else nearest for array in arrays]
    if function in COMPARISONS or function is np.true_divide:
        has_wide_results = all(type(item) in (int, float, bool) or _is_wide(item) for item in others)
    else:
        # Beside floats of 64 bits, integers become such floats.
        are_floats = all(type(item) is float or (_is_wide(item) and item._value.dtype == FLOAT64) for item in others)
        has_wide_results = function in SUMS_AND_PRODUCTS and len(others) == 1 and are_floats
    if not has_wide_results:
        return None
    return [array.plain() if isinstance(array, EncodedArray) else array for array in arrays]


def _is_wide(item: Any) -> bool:
    return type(item) is pdarray and item._value.dtype in WIDE


def _check_divisor(function: np.ufunc, arrays: Sequence[Any]) -> None:
    """Raise NotLazyError if integers are divided by a zero, or raised to a negative power; computes for columns."""
    _, other = arrays
    if not isinstance(other, Array):
        if other is not pandas.NA and other == 0 and function in DIVISIONS:
            raise NotLazyError("a divisor is zero")
        return
    column: Any = other.plain() if isinstance(other, EncodedArray) else other
    if function is np.power and column._value.dtype.kind == "float":
        return
    if bool(((column == 0) if function in DIVISIONS else (column < 0)).any()):
        raise NotLazyError("a divisor is zero, or an exponent negative")


def _side(item: Any) -> Side:
    if isinstance(item, EncodedArray):
        if not isinstance(item.coding, Narrow | Masked) and not is_bool(item.coding):
            item._as_operand()
        if item._value.dtype.kind == "str":
            raise NotLazyError("text has no lazy form here")
        return item.coding
    if isinstance(item, Array):
        if type(item) is not pdarray or not item._value.dtype.is_number or item._value.dtype.is_nullable_number:
            raise NotLazyError("the other column has no lazy form here")
        return Plain(item._value.dtype.numpy.name)
    if item is pandas.NA or isinstance(item, bool | int | float | np.number | np.bool_):
        return Constantly(item)
    raise NotLazyError("the other side has no lazy form")


def _form(dtype: Any) -> tuple[str, Coding | None]:
    """Return the engine's type for results of a type, and what the numbers stand for.

    Raises
    ------
    NotLazyError
        If there is none.
    """
    from akdask.pandas.encoded import NARROW
    from akdask.pandas.lazy import is_lazy_type
    from akdask.pandas.masked_types import coding_of_masked

    if isinstance(dtype, np.dtype) and dtype.kind in "iufb":
        if dtype.name in NARROW:
            return _wide_name(dtype.name), Narrow(dtype.name)
        if is_lazy_type(dtype):
            return dtype.name, None
    coding = coding_of_masked(dtype)
    if coding is None:
        raise NotLazyError(f"results are of type {dtype}")
    name = _wide_name(str(coding.type.to_pandas_dtype().__name__))
    return (name if name == "float64" else f"nullable {name}"), coding


def _wide_name(name: str) -> str:
    """Return the engine's type of numbers that stand for those of a type."""
    found = column_type(name)
    return "int64" if found == UINT8 else found.name
