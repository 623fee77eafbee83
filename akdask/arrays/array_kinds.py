"""Wrapping: makes the user's object from a frame and a value, or from a caller's data.

Each kind of array registers for the types that it shows, or for the NumPy dtypes that it is made from.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from akdask.arrays.array import Array
from akdask.columns.dtypes import Kind
from akdask.columns.table import Table
from akdask.deferred import is_na, is_pandas, registered
from akdask.engine.missing import with_missing
from akdask.engine.node import Frame
from akdask.engine.sources import integers_apart, literal_table, without_mask
from akdask.engine.values import Value

MakeArray = TypeVar("MakeArray", bound=Callable[[Frame, Value], Array])

ArrayType = TypeVar("ArrayType", bound=type[Array])

_asked_for: dict[str, type[Array]] = {}
_shown_by: dict[Kind, Callable[[Frame, Value], Array]] = {}
_made_of: dict[str, Callable[[Any], Array]] = {}

ASKED_FOR = {"Strings": "arrays.strings", "Categorical": "arrays.categorical"}
SHOWN_BY = {**dict.fromkeys(("int", "uint", "float", "bool", "bigint"), "arrays.pdarray"), "str": "arrays.strings"}
SHOWN_BY["list"] = "arrays.segarray"
MADE_OF = {"M": "arrays.datetimes", "m": "arrays.datetimes"}
"""Modules of akdask that register classes, by the names, kinds and NumPy kinds for which they do."""


def shows(*kinds: Kind) -> Callable[[MakeArray], MakeArray]:
    """Register a class, or a function that makes its objects, for values of some kinds of column types."""

    def register(make: MakeArray) -> MakeArray:
        _shown_by.update(dict.fromkeys(kinds, make))
        return make

    return register


def wrap(frame: Frame, value: Value) -> Array:
    """Return the array of the kind that belongs to the value's type."""
    kind = value.dtype.kind
    return (_shown_by.get(kind) or registered(_shown_by, kind, SHOWN_BY))(frame, value)


def made_of(dtype_kind: str) -> Callable[[ArrayType], ArrayType]:
    """Register a class for data at hand of a kind of NumPy dtype; its ``at_hand`` converts them."""

    def register(cls: ArrayType) -> ArrayType:
        _made_of[dtype_kind] = cls
        return cls

    return register


def special(items: Any) -> Array | None:
    """Return data at hand as an array of the class that fits their dtype or their elements, None if none fits.

    Integers and bools with gaps become an array that keeps values and gaps; masked elements are missing.
    """
    items = without_mask(items)
    apart = integers_apart(items)
    if apart is not None:
        frame = literal_table(Table(dict(enumerate(apart)), len(apart[0])))
        return wrap(frame, with_missing(frame.column(0), frame.column(1)))
    kind = getattr(getattr(items, "dtype", None), "kind", "O" if isinstance(items, list | tuple) else "")
    maker: Any = registered(_made_of, _kind_of_first(items) if kind == "O" else kind, MADE_OF)
    return None if maker is None else maker.at_hand(items)


def _kind_of_first(items: Any) -> str:
    """Return the kind of NumPy dtype that times are of, by the first of them that is not missing."""
    for item in items:
        if isinstance(item, np.datetime64 | datetime.date):
            return "M"
        if isinstance(item, np.timedelta64 | datetime.timedelta):
            return "m"
        if item is not None and not is_na(item):
            break
    return ""


def can_be_asked_for(cls: ArrayType) -> ArrayType:
    """Register a class that casts can name, by itself or by its name; its ``_cast_from`` converts an array."""
    _asked_for[cls.__name__] = cls
    return cls


def class_asked_for(dtype: Any) -> Any:
    """Return the class of arrays that a cast names instead of a dtype, None for a dtype."""
    if is_pandas(dtype, "CategoricalDtype"):
        dtype = "Categorical"
    name = dtype.__name__ if isinstance(dtype, type) and issubclass(dtype, Array) else dtype
    return registered(_asked_for, name, ASKED_FOR) if isinstance(name, str) else None
