"""`clip` of integers: they become floats only if a bound that is no integer replaces some of them."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pandas

from akdask.engine.run import compute
from akdask.frames.columnset import VALUES
from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.pandas.labels import relabelled
from akdask.pandas.lazy import LazyFrame, LazySeries, column_of
from akdask.pandas.refusals import NotLazyError

Bounds: TypeAlias = tuple[Any, Any]

EXACT_FLOATS = 2.0**53
"""Below it, floats tell all integers apart, so that it does not matter as what they are compared."""


def clip(own: Any, lower: Any = None, upper: Any = None) -> Any:
    """Return values within bounds; computes the extremes of integers where a bound is no integer of their type."""
    bounds = _in_order(lower, upper)
    frame: LazyFrame = own._labelled if isinstance(own, Series) else own
    integers = [name for name in frame._columns.values if _has_integers(frame, name)]
    for bound in bounds:
        if isinstance(bound, Series | DataFrame) and _has_other_types(bound, frame, integers):
            raise NotLazyError("the type depends on whether values are replaced")
    replaced = [name for name in integers if not all(_is_exact(bound, _type_of(frame, name)) for bound in bounds)]
    if not replaced:
        return own.clip(*bounds)
    if isinstance(own, Series):
        return _of_integers(own, bounds)
    rest = own.clip(*bounds)
    arrays = {name: rest._columns.array(name) for name in rest._columns.values}
    for name in replaced:
        arrays[name] = _of_integers(column_of(frame, name, None), bounds)._labelled._columns.array(VALUES)
    return relabelled(rest._with_columns(arrays), own)


def _is_number(bound: Any) -> bool:
    return bool(pandas.api.types.is_number(bound))


def _in_order(lower: Any, upper: Any) -> Bounds:
    """Return the lower bound and the upper one; scalars that are missing bound nothing."""
    lower, upper = _unless_missing(lower), _unless_missing(upper)
    if _is_number(lower) and _is_number(upper) and lower > upper:
        return upper, lower
    return lower, upper


def _unless_missing(bound: Any) -> Any:
    return None if pandas.api.types.is_scalar(bound) and pandas.isna(bound) else bound


def _type_of(frame: LazyFrame, name: str) -> np.dtype[Any]:
    return frame._columns.values[name].dtype.numpy


def _has_integers(frame: LazyFrame, name: str) -> bool:
    dtype = frame._columns.values[name].dtype
    return dtype.kind in ("int", "uint") and not dtype.nullable and not hasattr(frame._columns.kinds[name], "coding")


def _has_other_types(bound: Series | DataFrame, frame: LazyFrame, names: list[str]) -> bool:
    columns = (bound._labelled if isinstance(bound, Series) else bound)._columns
    found = {value.dtype for value in columns.values.values()}
    return bool(names) and not all(found <= {frame._columns.values[name].dtype} for name in names)


def _is_exact(bound: Any, dtype: np.dtype[Any]) -> bool:
    """Return whether integers of a type are compared with a bound, and replaced by it, as they are."""
    if not _is_number(bound):
        return True
    if isinstance(bound, float | np.floating) and not (abs(float(bound)) < EXACT_FLOATS and float(bound).is_integer()):
        return False
    return bool(np.iinfo(dtype).min <= bound <= np.iinfo(dtype).max)


def _of_integers(column: LazySeries, bounds: Bounds) -> Any:
    extremes = compute(column.min(), column.max())
    is_replaced = [
        bound is not None and _is_less(*pair)
        for bound, pair in zip(bounds, ((extremes[0], bounds[0]), (bounds[1], extremes[1])), strict=True)
    ]
    bounds = bounds[0] if is_replaced[0] else None, bounds[1] if is_replaced[1] else None
    dtype = _type_of(column._labelled, VALUES)
    others = [bound for bound in bounds if not _is_exact(bound, dtype)]
    if any(
        not isinstance(bound, float | np.floating) or float(bound).is_integer() or np.isinf(bound) for bound in others
    ):
        raise NotLazyError("a bound is beyond the integers that floats tell apart")
    return (column.astype(np.float64) if others else column).clip(*bounds)


def _is_less(one: Any, other: Any) -> bool:
    """Return whether a number is less, as NumPy compares columns of integers with a bound."""
    if any(isinstance(side, float | np.floating) for side in (one, other)):
        return float(one) < float(other)
    return int(one) < int(other)
