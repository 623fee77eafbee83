"""Types of columns: which are numbers, conversion to other types, and the value that marks a missing element."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import Array, class_asked_for
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, column_type
from akdask.engine.alignment import align_by_plan
from akdask.engine.missing import is_missing, lacks_numbers
from akdask.engine.node import Frame
from akdask.engine.times import with_missing_times
from akdask.engine.values import Call, Constant, Value, with_missing
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.frames.columnset import ColumnSet

if TYPE_CHECKING:
    from akdask.frames.dataframe import DataFrame

NUMBERS = ("int", "uint", "float", "bool")


NUMBER_TYPES = ("int64", "uint64", "uint8", "float64")


_GENERIC: dict[str, tuple[str, ...]] = {
    "number": (*NUMBER_TYPES, "bigint", "Timedelta"),
    "integer": ("int64", "uint64", "uint8", "bigint"),
    "floating": ("float64",),
    "int": ("int64",),
    "float": ("float64",),
    "bool": ("bool",),
    "bool_": ("bool",),
    "object": ("str",),
    "object_": ("str",),
    "str": ("str",),
    "string": ("str",),
    "category": ("Categorical",),
    "Categorical": ("Categorical",),
    "datetime": ("Datetime",),
    "datetime64": ("Datetime",),
    "timedelta": ("Timedelta",),
    "timedelta64": ("Timedelta",),
}


def is_number(array: Array) -> bool:
    """Whether a column has numbers or bool, of a type of NumPy, that show as such."""
    return isinstance(array, pdarray) and array._pandas_converter() is None and array._value.dtype.kind in NUMBERS


def numbers_among(columns: ColumnSet) -> list[str]:
    """Return the names of the columns of numbers."""
    return [
        name for name, value in columns.values.items() if value.dtype.kind in NUMBERS and _shows_numbers(columns, name)
    ]


def _shows_numbers(columns: ColumnSet, name: str) -> bool:
    kind = columns.kinds[name]
    return isinstance(kind, pdarray) and kind._pandas_converter() is None


def demand_numbers(operation: str, columns: ColumnSet, names: Iterable[str]) -> Sequence[str]:
    """Return names of columns, all of which have to be of numbers.

    Raises
    ------
    ArgumentTypeError
        If one is not.
    """
    names = list(names)
    numbers = set(numbers_among(columns))
    others = [f"{name}: {columns.kinds[name]._type_name()}" for name in names if name not in numbers]
    if others:
        raise ArgumentTypeError(
            f"{operation} needs columns of numbers.",
            details=others,
            hint="choose columns first, as in df[['x', 'y']], or pass numeric_only=True where it is taken.",
        )
    return names


def demand_some_numbers(operation: str, columns: ColumnSet) -> Sequence[str]:
    """Return the names of columns, at least one of which has numbers; the choice among them may come later.

    Raises
    ------
    ArgumentTypeError
        If none is.
    """
    return list(columns.values) if numbers_among(columns) else demand_numbers(operation, columns, columns.values)


def missing_where(array: Array, value: Value, lacks: Value, column: str = "") -> Value:
    """Return the values of a column with its missing value in some rows; errors name the column.

    Raises
    ------
    UnsupportedError
        If the kind has nothing for it, as lists have not.
    """
    from akdask.arrays.categorical import Categorical
    from akdask.arrays.timearray import TimeArray

    if isinstance(array, Categorical):
        return Call("where", lacks, array._category_table.na_code, value)
    if isinstance(array, TimeArray):
        return with_missing_times(value, lacks)
    kind = value.dtype.kind
    if kind == "str":
        return Call("make_missing", value, lacks)
    if value.dtype == FLOAT64:
        return Call("where", lacks, Constant(np.nan), value)
    is_plain = isinstance(array, pdarray) and array._pandas_converter() is None
    if kind in NUMBERS and (is_plain or array.flags_missing):
        return with_missing(value, lacks, column)
    raise UnsupportedError(
        f"a column of {array._type_name()} has nothing for missing elements.", hint="leave the column out."
    )


def as_other_type(array: Any, dtype: Any) -> Any:
    """Return a column of a frame or Series converted to another type; missing values stay missing as text.

    Raises
    ------
    UnsupportedError
        If times are to become text.
    ArgumentTypeError
        If times are to become numbers other than int64.
    ConversionError
        When computed, if a missing or infinite number becomes an integer, or an integer or bool that is missing a bool.
    """
    from akdask.arrays.categorical import Categorical
    from akdask.arrays.timearray import TimeArray

    if isinstance(dtype, str) and dtype == "category":
        return array if isinstance(array, Categorical) else array.astype(Categorical)
    if class_asked_for(dtype) is not Strings and not _is_text(dtype):
        return _convertible(array, dtype).astype(dtype)
    if isinstance(array, TimeArray):
        raise UnsupportedError("times are not converted to text.", hint="write t.dt.strftime('%Y-%m-%d %H:%M:%S').")
    found = array.astype(dtype)
    value = array._value
    if isinstance(array, Categorical):
        lacks: Value = array._missing_among(value)
    elif lacks_numbers(value.dtype):
        lacks = is_missing(value)
    else:
        return found
    frame, (text, lacking) = align_by_plan("astype", [(found._frame, found._value), (array._frame, lacks)])
    return missing_rows(found, frame, text, lacking)


def _convertible(array: Any, dtype: Any) -> Any:
    """Return an array ready for conversion; floats that become integers raise at compute if one is not finite."""
    from akdask.arrays.timearray import TimeArray

    wanted = column_type(dtype) if class_asked_for(dtype) is None else None
    if wanted is None:
        return array
    value = array._value
    if isinstance(array, TimeArray) and wanted.kind in ("int", "uint", "float", "bigint") and wanted != INT64:
        raise ArgumentTypeError(
            f"times are not converted to {wanted.name}.",
            hint=f"the numbers that they count are integers: t.astype('int64').astype({wanted.name!r}).",
        )
    if not isinstance(array, pdarray) or not is_number(array) or not lacks_numbers(value.dtype):
        return array
    if value.dtype.nullable:
        lacks = is_missing(value) if wanted == BOOL else None
    else:
        lacks = Call("logical_not", Call("isfinite", value)) if wanted.kind in ("int", "uint", "bigint") else None
    if lacks is None:
        return array
    return array._like(array._frame, Call("demand_integers", value, lacks, wanted=wanted.name))


def _is_text(dtype: Any) -> bool:
    try:
        return column_type(dtype).kind == "str"
    except ArgumentTypeError:
        return False


def missing_rows(array: Array, frame: Frame, value: Value, lacks: Value) -> Any:
    """Return an array of a kind whose elements are missing in some rows; see `missing_where`."""
    from akdask.arrays.timearray import may_lack

    return may_lack(array)._like(frame, missing_where(array, value, lacks))


def plain(item: Any) -> Any:
    """Return a scalar of NumPy as Python has it."""
    return item.item() if isinstance(item, np.generic) else item


def select_dtypes(frame: DataFrame, include: Any, exclude: Any) -> DataFrame:
    wanted, unwanted = _type_names(include), _type_names(exclude)
    if not wanted and not unwanted:
        raise ArgumentError("select_dtypes needs include or exclude.")
    if wanted & unwanted:
        raise ArgumentError(f"select_dtypes includes and excludes {', '.join(sorted(wanted & unwanted))}.")
    names = [name for name, dtype in frame.dtypes.items() if (not wanted or dtype in wanted) and dtype not in unwanted]
    return frame._of(frame._columns.only(names))


def astype(frame: DataFrame, dtype: Any) -> DataFrame:
    columns = frame._columns
    wanted = dict(dtype) if isinstance(dtype, Mapping) else dict.fromkeys(columns.values, dtype)
    made: dict[str, Array] = {name: columns.array(name) for name in columns.values}
    for name, kind in wanted.items():
        made[name] = as_other_type(columns.array(name), kind)
    return frame._of(columns.beside(made))


def _type_names(types: Any) -> set[str]:
    """Return types as `DataFrame.dtypes` names them."""
    if types is None:
        return set()
    found: set[str] = set()
    for one in types if isinstance(types, list | tuple | set | frozenset) else [types]:
        known = _GENERIC.get(one if isinstance(one, str) else getattr(one, "__name__", ""))
        if known is not None:
            found |= set(known)
            continue
        try:
            name = np.dtype(one).name
        except TypeError:
            name = one if isinstance(one, str) else getattr(one, "__name__", str(one))
        found.add(name)
    return found
