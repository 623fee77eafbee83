"""Lazy forms of methods of columns of dates, clock times and decimals in objects of Python, by their numbers."""

from __future__ import annotations

import datetime
import decimal
import fractions
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas

from akdask.arrays.datetimes import Datetime
from akdask.columns.dtypes import NOT_A_TIME, PER_SECOND, TIME, TimeForm
from akdask.engine.run import compute
from akdask.engine.values import Call, Constant, apart
from akdask.frames.columnset import VALUES
from akdask.pandas.arguments import bound_arguments
from akdask.pandas.encoded import (
    EPOCH,
    PARTS,
    EncodedArray,
    Objects,
    columns_of,
    least_or_most,
    narrowed,
    series_of,
    sums_of_halves,
)
from akdask.pandas.refusals import NotLazyError

MOST_EXACT_DIGITS = 15
"""Digits of decimals whose quotient by a power of ten is the nearest float."""


def number_of(coding: Objects, value: Any) -> int:
    """Return the number that stands for a value.

    Raises
    ------
    NotLazyError
        If none does.
    """
    if coding.what == "date" and type(value) is datetime.date:
        return value.toordinal() - EPOCH
    if coding.what == "decimal":
        scaled = _scaled(coding, value)
        if scaled.denominator == 1 and abs(scaled) < 2**63:
            return int(scaled)
    raise NotLazyError("the other side has no lazy form")


def _scaled(coding: Objects, value: Any) -> Any:
    if type(value) not in (int, float, np.float64, decimal.Decimal) or not math.isfinite(value):
        raise NotLazyError("the other side has no lazy form")
    return fractions.Fraction(value) * 10**coding.scale


def compared(own: Any, numbers: Any, coding: Objects, name: str, other: Any) -> Any:
    """Compare objects with one value or a column; as pandas does, exactly."""
    from akdask.pandas.series import Series as Face

    if isinstance(other, Face):
        return _compared_with_column(own, numbers, coding, name, other.lazy())
    if coding.what != "decimal" or name in ("eq", "ne"):
        return getattr(numbers, f"__{name}__")(number_of(coding, other))
    scaled = _scaled(coding, other)
    below = math.floor(scaled)
    if abs(below) >= 2**63 - 1:
        raise NotLazyError("the number has more digits")
    is_next = scaled != below and name in ("ge", "lt")
    return getattr(numbers, f"__{name}__")(below + is_next)


def _compared_with_column(own: Any, numbers: Any, coding: Objects, name: str, other: Any) -> Any:
    array = columns_of(other).array(VALUES)
    if not isinstance(array, EncodedArray) or not coding.shares_numbers(array.coding):
        raise NotLazyError("the other column is of another type")
    if not own._row_labels.are_those_of(other._row_labels):
        raise NotLazyError("rows are lined up by their labels")
    return getattr(numbers, f"__{name}__")(series_of(other, array.plain()))


def of_objects(face: Any, own: Any, coding: Objects, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call the lazy form of a method of a column of objects; NotImplemented leaves it to those of all columns."""
    form = FORMS.get(name)
    if form is None:
        return NotImplemented
    return face._faced(form(own, coding, **bound_arguments(pandas.Series, name, args, kwargs)))


def _extreme(name: str) -> Callable[..., Any]:
    def reduce(own: Any, coding: Objects, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        if axis not in (0, None) or not skipna or numeric_only:
            raise NotLazyError("missing values are not left out")
        return least_or_most(own, coding, name)

    return reduce


def total(
    own: Any, coding: Objects, axis: Any = None, skipna: bool = True, numeric_only: bool = False, min_count: int = 0
) -> Any:
    """Return the sum of decimals, exactly."""
    if coding.what != "decimal" or axis not in (0, None) or not skipna or numeric_only or min_count:
        raise NotLazyError("the sum has no lazy form")
    numbers = series_of(own, columns_of(own).array(VALUES).plain())
    high, low, count = compute(*(PARTS[part](numbers).sum() for part in ("high", "low")), numbers.count())
    (found,) = sums_of_halves([[high], [low]])
    return decimal.Decimal(found).scaleb(-coding.scale) if count else 0


def between(own: Any, coding: Objects, left: Any, right: Any, inclusive: str = "both") -> Any:
    """Return whether values lie between two others."""
    if inclusive not in ("both", "left", "right", "neither"):
        raise NotLazyError("pandas refuses it")
    numbers = series_of(own, columns_of(own).array(VALUES).plain())
    least = compared(own, numbers, coding, "ge" if inclusive in ("both", "left") else "gt", left)
    return least & compared(own, numbers, coding, "le" if inclusive in ("both", "right") else "lt", right)


def is_in(own: Any, coding: Objects, values: Any) -> Any:
    """Return which values are among some."""
    if not isinstance(values, list | tuple | set):
        raise NotLazyError("the values sought are no list")
    numbers = series_of(own, columns_of(own).array(VALUES).plain())
    return numbers.isin([number_of(coding, value) for value in values])


def as_times(own: Any, coding: Objects, unit: str) -> Any:
    """Return days as times."""
    if coding.what != "date":
        raise NotLazyError("the objects are no days")
    return days_as_times(own, unit)


def days_as_times(own: Any, unit: str) -> Any:
    """Return numbers of days since 1970 as times, NaT where they are missing."""
    array: Any = columns_of(own).array(VALUES)
    per_day = 86_400 * PER_SECOND[unit]
    value, may_lack = array._value, array._value.dtype.nullable
    if may_lack:
        value, missing = apart(value)
    value = Call("multiply", value, Constant(np.int64(per_day)))
    if may_lack:
        value = Call("where", missing, Constant(np.int64(NOT_A_TIME)), value)
    return series_of(own, Datetime.of(array._frame, value, TimeForm(TIME, unit, None, may_lack)))


def as_floats(own: Any, coding: Objects) -> Any:
    """Return decimals as the nearest floats."""
    if coding.what != "decimal" or coding.digits > MOST_EXACT_DIGITS:
        raise NotLazyError("the digits exceed those of floats")
    return series_of(own, columns_of(own).array(VALUES).plain() / float(10**coding.scale))


def unique(own: Any, coding: Objects) -> Any:
    """Return the distinct values in the order of their first rows."""
    numbers = series_of(own, columns_of(own).array(VALUES).plain())
    return narrowed(numbers.drop_duplicates(), coding).to_pandas().to_numpy()


FORMS: Mapping[str, Callable[..., Any]] = {
    "min": _extreme("min"),
    "max": _extreme("max"),
    "sum": total,
    "between": between,
    "isin": is_in,
    "unique": unique,
}
"""Lazy forms of methods of columns of objects."""
