"""`Series.dt` and `Series.cat`, and what accessors share: results are Series with the same labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, ClassVar, TypeVar

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.substitutes import missing_attribute
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.series.base import SeriesBase
from akdask.collections.text.categorical import Categorical
from akdask.collections.time.timearray import TimeArray
from akdask.errors import MissingAttributeError
from akdask.plan.expr.values import Call, Constant, cast
from akdask.schema import INT64

Accessor = TypeVar("Accessor", bound="Properties")
AccessorClass = TypeVar("AccessorClass", bound=type)


class CachedAccessor:
    """A group of methods of a class, made for an object when they are first asked for.

    Parameters
    ----------
    name : str
        What the group is called: ``s.name`` is the accessor of `s`.
    accessor : type
        Its class, made of the object.

    Raises
    ------
    MissingAttributeError
        When it is asked for on an object that it is not for.
    """

    def __init__(self, name: str, accessor: Callable[[Any], Any]) -> None:
        self._name = name
        self._accessor = accessor

    def __get__(self, obj: Any, cls: type | None = None) -> Any:
        return self._accessor if obj is None else self._accessor(obj)


class Properties:
    """Methods of the values of a Series, by their own names.

    Arrays with a value for each row become Series, and DataFrames of such get the labels; all else is handed through.

    Parameters
    ----------
    series : Series
        Whose values.

    Raises
    ------
    MissingAttributeError
        If the values are of another kind.
    """

    kinds: ClassVar[tuple[type, ...]] = ()
    """The kinds of arrays that have these methods."""

    accessor_name: ClassVar[str] = ""
    """What users call the accessor."""

    def __init__(self, series: SeriesBase) -> None:
        if not isinstance(series.values, self.kinds):
            raise MissingAttributeError(
                f"a Series of {series.values._type_name()} has no .{self.accessor_name}.",
                hint=f"it is for values that are {' or '.join(kind.__name__ for kind in self.kinds)}.",
            )
        self.series = series

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        values = self.__dict__["series"].values
        if not hasattr(type(values), name):
            raise missing_attribute(type(values), name)
        found = getattr(values, name)
        return self._method(found) if callable(found) else self._labelled(found)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *(name for name in dir(type(self.series.values)) if not name.startswith("_"))]

    def _method(self, method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(*args: Any, **params: Any) -> Any:
            return self._labelled(method(*args, **params))

        return call

    def _labelled(self, found: Any) -> Any:
        """Return arrays, or the columns of a DataFrame, that have the rows of the Series with its labels."""
        rows = self.series.values.rows
        if isinstance(found, Array) and found.rows.same_rows(rows):
            return self.series._with(found)
        if isinstance(found, FrameBase) and found.rows.same_rows(rows):
            columns = found._columns
            return self.series._framed({name: columns.array(name) for name in columns.values})
        return tuple(map(self._labelled, found)) if type(found) is tuple else found


class DatetimeAccessor(Properties):
    """Methods and fields of times and spans: ``s.dt.year``, ``s.dt.floor("h")``."""

    kinds = (TimeArray,)
    accessor_name = "dt"


class CategoricalAccessor(Properties):
    """Codes, categories and methods of Categoricals: ``s.cat.codes``."""

    kinds = (Categorical,)
    accessor_name = "cat"

    @property
    def codes(self) -> Any:
        """The numbers of categories, -1 where there is none as in pandas, as a Series of int64; lazy.

        Those of the array, ``s.values.codes``, are Arkouda's, and number the label for missing as well.
        """
        values: Any = self.series.values
        codes, na_code = values._value, values._category_table.na_code
        numbers = Call("subtract", codes, cast(Call("greater", codes, na_code), INT64))
        found = Call("where", values._missing_among(codes), Constant(np.int64(-1)), numbers)
        return self.series._with(pdarray(values._frame, found))

    @property
    def categories(self) -> Any:
        """The categories without the label for missing, as Strings; lazy."""
        values: Any = self.series.values
        return values._each_category().to_strings()


def date_operators(cls: AccessorClass) -> AccessorClass:
    """Give a class of accessors ``floor``, ``ceil`` and ``round`` of times; a decorator of classes."""
    return _having(cls, ("floor", "ceil", "round"))


def string_operators(cls: AccessorClass) -> AccessorClass:
    """Give a class of accessors ``contains``, ``startswith`` and ``endswith`` of text; a decorator of classes."""
    return _having(cls, ("contains", "startswith", "endswith"))


def _having(cls: AccessorClass, names: Iterable[str]) -> AccessorClass:
    for name in names:
        setattr(cls, name, _forwarding(name))
    return cls


def _forwarding(name: str) -> Callable[..., Any]:
    def method(self: Any, *args: Any, **params: Any) -> Any:
        found = getattr(self.series.values, name)(*args, **params)
        return self.series._with(found) if isinstance(found, Array) else found

    method.__name__ = name
    return method
