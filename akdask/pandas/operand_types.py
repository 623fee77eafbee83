"""Plain values beside lazy columns: where pandas would make objects of a column, or refuse the values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.deferred import loaded_module
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.pandas.face import NDFrame, words
from akdask.pandas.labels import LOGIC, coding_of_array
from akdask.pandas.lazy import LazySeries
from akdask.pandas.refusals import NotLazyError

FILLS = {
    "replace": ("to_replace", "value"),
    "where": (None, "other"),
    "mask": (None, "other"),
    "fillna": ("value",),
    "shift": (None, None, None, "fill_value"),
    "clip": ("lower", "upper"),
    "isin": ("values",),
}
"""Methods that put values into columns, or look for them, and which of their arguments these are."""

DIVISIONS = words("truediv rtruediv div divide rdiv floordiv rfloordiv mod rmod pow rpow divmod rdivmod")
ROUNDING = words("floordiv rfloordiv mod rmod divmod rdivmod")


def check(lazy: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise NotLazyError where plain values do not fit columns as NumPy's rules have it.

    Parameters
    ----------
    lazy : LazyFrame or LazySeries
        The columns.
    name : str
        Method or operator.
    args, kwargs
        Its arguments, of which plain values, and columns of the face, are looked at.
    """
    items = [*_items((*args, kwargs["other"]) if "other" in kwargs else args)]
    if name not in FILLS and not items:
        return
    columns: ColumnSet = lazy._columns if isinstance(lazy, DataFrame) else lazy._labelled._columns
    kinds = [columns.array(column) for column in columns.values]
    if name not in FILLS:
        _check_operands(name.strip("_"), kinds, items)
        return
    wanted = FILLS[name]
    given = [item for word, item in zip(wanted, args, strict=False) if word]
    given += [kwargs[word] for word in wanted if word and word in kwargs]
    items = [*_items(given)]
    are_categories = any(isinstance(kind, Categorical) for kind in kinds)
    if name == "replace" and items and all(isinstance(item, str) for item in items):
        if are_categories:
            raise NotLazyError("categories are replaced in pandas")
        return
    if name == "isin":
        if any(item is pandas.NA for item in items):
            raise NotLazyError("NA is looked for in pandas")
        _check_operands(name, kinds, items)
        return
    if name == "fillna" and any(map(_is_missed, kinds, [given] * len(kinds))):
        raise NotLazyError("missing values are filled with values of another type")
    if name == "fillna":  # Columns without missing values stay as they are.
        kinds = [kind for kind in kinds if kind._value.dtype.nullable or not _has_integers(kind)]
    masked = loaded_module("akdask.pandas.masked_types")
    if masked is not None:  # Nullable columns look at the values themselves.
        kinds = [kind for kind in kinds if not isinstance(coding_of_array(kind), masked.Masked)]
        if not kinds:
            return
    bools = [_is_bool(kind) for kind in kinds]
    are_bools = [isinstance(item, bool | np.bool_) for item in items]
    is_mixed = any(are_bools) if not all(bools) else not all(are_bools)
    if any(item is pandas.NA for item in items) or (items and (any(bools) != all(bools) or is_mixed)):
        raise NotLazyError("pandas makes objects of the values")
    if name == "clip" and not all(isinstance(kind, pdarray) or coding_of_array(kind) is not None for kind in kinds):
        raise NotLazyError("values have no bounds")
    if name == "replace" and any(item is None for item in items):
        raise NotLazyError("None stands for several things")
    are_integers = any(kind._value.dtype.kind in ("int", "uint") for kind in kinds)
    if name not in ("clip", "isin") and are_integers and any(map(_is_integral_float, items)):
        raise NotLazyError("pandas keeps integers")
    for item in given:
        if isinstance(item, NDFrame):
            _check_column(item.lazy(), bools)
            if are_categories:
                raise NotLazyError("categories beside others keep their order in pandas")
    if name in ("where", "mask") and are_integers and any(isinstance(item, float | np.floating) for item in items):
        _check_replaced(name, args[0] if args else kwargs.get("cond"))


FILLED: Mapping[type, Any] = {
    pdarray: int | float | np.number | np.bool_,
    Strings: str,
    Datetime: datetime | np.datetime64,
    Timedelta: timedelta | np.timedelta64,
}
"""The plain values that columns are filled with."""


def _is_missed(kind: Array, given: list[Any]) -> bool:
    """Return whether a column has missing values and is filled with a plain value of another type; computes."""
    known = FILLED.get(type(kind))
    if known is None or all(isinstance(item, known) or not pandas.api.types.is_scalar(item) for item in given):
        return False
    return bool(LazySeries(kind).isna().any())


def _check_column(other: Any, bools: list[bool]) -> None:
    if isinstance(other, Series) and {_is_bool(other.values)} != {*bools}:
        raise NotLazyError("pandas makes objects of the values")


def _check_replaced(name: str, cond: Any) -> None:
    """Refuse a condition by which a column stays as it is: its integers stay integers; computes."""
    if isinstance(cond, NDFrame):
        replaced: Any = ~cond if name == "where" else cond  # type: ignore[operator]
        found = replaced.any()
        if not (found.all() if isinstance(found, NDFrame) else found):  # type: ignore[attr-defined]
            raise NotLazyError("no value of a column is replaced")


def _check_operands(operator: str, kinds: list[Array], items: list[Any]) -> None:
    kinds = [kind for kind in kinds if coding_of_array(kind) is None]  # Encoded columns ask pandas.
    if not kinds:
        return
    if any(item is pandas.NA for item in items):
        raise NotLazyError("NA is computed with in pandas")
    are_bools = any(isinstance(item, bool | np.bool_) for item in items)
    are_spans = any(isinstance(kind, Timedelta) for kind in kinds)
    if are_bools and are_spans:
        raise NotLazyError("spans are not computed with truth values")
    if operator in DIVISIONS and any(isinstance(item, datetime | np.datetime64) for item in items):
        raise NotLazyError("times are not divided")
    if operator in ROUNDING and are_spans and any(isinstance(item, float | np.floating) for item in items):
        raise NotLazyError("spans are divided by floats")
    if operator in LOGIC and items and any(_is_bool(kind) != are_bools for kind in kinds):
        raise NotLazyError("pandas compares truth values alone")
    if operator in DIVISIONS and items and any(_is_bool(kind) or isinstance(kind, Datetime) for kind in kinds):
        raise NotLazyError("truth values and times are not divided")


def _items(given: Any) -> Iterator[Any]:
    """Yield the plain values of arguments, those in lists and mappings among them."""
    for item in given:
        if isinstance(item, list | tuple | set):
            yield from _items(item)
        elif isinstance(item, dict):
            yield from _items((*item, *item.values()))
        elif pandas.api.types.is_scalar(item):
            yield item


def _is_bool(kind: Any) -> bool:
    return isinstance(kind, pdarray) and kind._value.dtype.name == "bool"


def _has_integers(kind: Any) -> bool:
    return isinstance(kind, pdarray) and kind._value.dtype.kind in ("bool", "int", "uint")


def _is_integral_float(item: Any) -> bool:
    return isinstance(item, float | np.floating) and bool(np.isfinite(item)) and float(item).is_integer()
