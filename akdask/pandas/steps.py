"""Groups, windows, indexers and accessors of pandas' face."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar, Self

import pandas
from pandas.api import typing as kinds

from akdask import config
from akdask.errors import end_at_caller, errors_end_at_caller
from akdask.pandas.arguments import SELECTOR, accepted, bound_arguments
from akdask.pandas.face import (
    Face,
    called,
    faced,
    in_pandas,
    invalid_calls,
    is_value_at_hand,
    lazy_argument,
    words,
)
from akdask.pandas.refusals import ArrangementError, NotLazyError, refusal

STEPS_OF_LABELS = words("groupby loc iloc at iat")
"""Steps whose lazy forms look after labels of several levels, and of columns that are no text."""


@errors_end_at_caller
class Step(Face):
    """Groups, windows or an accessor: an object, and the call that leads from it to them.

    Parameters
    ----------
    origin : Face
        The object.
    name : str
        Name of the method or attribute of the object.
    args, kwargs
        Arguments of the method; both None for an attribute.
    """

    steps: ClassVar[Mapping[str, type[Step]]] = {}
    """Further steps from here: names of attributes and methods, and the classes that they lead to."""

    _origin: Face

    def __init__(
        self, origin: Face, name: str, args: tuple[Any, ...] | None = None, kwargs: dict[str, Any] | None = None
    ) -> None:
        self._origin, self._step, self._args, self._kwargs = origin, name, args, kwargs
        self._made: dict[str, Any] = {}

    def lazy(self) -> Any:
        if "lazily" not in self._made:
            self._made["lazily"] = self._make_lazy()
        return self._made["lazily"]

    def _make_lazy(self) -> Any:
        origin = self._origin
        form = origin._form(self._step)
        if form is None and self._step not in origin.lazy_methods:
            raise NotLazyError(f"{origin._named(self._step)} has no lazy form")
        own = origin.lazy()
        if vars(own).get("_labels") is not None and self._step not in STEPS_OF_LABELS:
            raise NotLazyError("columns are not named by text, or rows have labels of several levels")
        if self._args is None:
            return form(own) if form else getattr(own, self._step)
        form = form or getattr(type(own), self._step)
        if self._step.startswith("__"):
            return form(own, *map(lazy_argument, self._args))
        given = bound_arguments(origin.pandas_class, self._step, self._args, self._kwargs or {})
        return form(own, **accepted(origin.pandas_class, self._step, form, lazy_argument(given)))

    def to_pandas(self) -> Any:
        """Return the object of pandas in this place; computes."""
        rows, found = self._made.get("at once", (None, None))
        if rows is not None and rows is self._rows_at_hand():
            return found
        own = self._origin.to_pandas()
        try:
            if self._args is None:
                return getattr(own, self._step)
            return getattr(own, self._step)(*in_pandas(self._args), **in_pandas(self._kwargs))
        except Exception as error:
            raise refusal(error, self._origin, self._step) from error

    def _root(self) -> Face:
        return self._origin._root()

    def checked(self) -> Self:
        """Return the step; pandas has seen its arguments where the object is in memory and small."""
        if config.get("pandas_fallback") != "error" and self.is_at_hand():
            self._made["at once"] = self._rows_at_hand(), self.to_pandas()
        else:
            invalid_calls().try_step(self)
        return self

    def _rows_at_hand(self) -> Any:
        """Return the rows in memory that the first step comes from; another object after each change of them."""
        return getattr(self._root(), "_in_memory", None)

    def is_at_hand(self) -> bool:
        given = (*(self._args or ()), *(self._kwargs or {}).values())
        return self._origin.is_at_hand() and all(map(is_value_at_hand, given))

    def _is_arranged(self) -> bool:
        return self._origin._is_arranged()

    def _adopt(self, found: Any) -> None:
        """Nothing is left to adopt: pandas has changed the object that the step comes from."""
        raise NotImplementedError

    def _extent(self) -> tuple[int, int]:
        return self._origin._extent()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "pandas_class":
            raise AttributeError(name)
        if name in self.steps:
            return self._further(name)
        member = inspect.getattr_static(self.pandas_class, name, None)
        if name == SELECTOR:
            return Selector(self)
        return bound(self, name) if callable(member) else self._read(name)

    def _further(self, name: str) -> Any:
        kind = self.steps[name]
        if callable(inspect.getattr_static(self.pandas_class, name, None)):
            return lambda *args, **kwargs: kind(self, name, args, kwargs)
        return kind(self, name)

    def _read(self, name: str) -> Any:
        """Return an attribute."""
        at_once = config.get("pandas_fallback") != "error" and self.is_at_hand()
        form = None if at_once else self._form(name)
        if not at_once and (form is not None or name in self.lazy_methods):
            try:
                found = getattr(self.lazy(), name) if form is None else form(self.lazy())
                return self._with_notes(name, (), self._faced(found() if inspect.ismethod(found) else found))
            except Exception as reason:
                invalid_calls().try_attribute(self, name, reason)
                self._tell(name, reason)
        try:
            found = getattr(self.to_pandas(), name)
        except Exception as error:
            raise refusal(error, self) from error
        return _of_pandas(found)

    def __dir__(self) -> list[str]:
        return dir(self.pandas_class)


def bound(face: Face, name: str) -> Callable[..., Any]:
    """Return a method of an object."""

    def method(*args: Any, **kwargs: Any) -> Any:
        try:
            return face._call(name, args, kwargs)
        except Exception as error:
            end_at_caller(error)
            raise

    method.__name__, method.__qualname__ = name, f"{face.pandas_class.__name__}.{name}"
    method.__doc__ = getattr(getattr(face.pandas_class, name, None), "__doc__", None)
    return method


@errors_end_at_caller
class Indexer(Step):
    """``loc``, ``iloc``, ``at`` or ``iat`` of a frame or Series."""

    pandas_class = type(pandas.Series(dtype=float).loc)
    forms = ("selection", "INDEXERS")
    lazy_methods = words("__getitem__")

    def __call__(self, axis: Any = None) -> Any:
        """Choose along an axis, as pandas' indexers do."""
        return self.to_pandas()(axis=axis)

    def __getitem__(self, key: Any) -> Any:
        return self._call("__getitem__", (self._called(key),), {})

    def _lazily_by_type(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        from akdask.pandas.selection import check_cell

        check_cell(self._step, *args)
        return super()._lazily_by_type(name, args, kwargs)

    def checked(self) -> Self:
        """Return the indexer; results of groups are not computed before it is told what to choose."""
        return self if getattr(self._origin, "_pending", None) is not None else super().checked()

    def __setitem__(self, key: Any, value: Any) -> None:
        self._origin._set_item(self._step, self._called(key), value)

    def _called(self, key: Any) -> Any:
        """Return a key with the results of functions, which take the object, in their place."""
        return tuple(called(one, self._origin) for one in key) if isinstance(key, tuple) else called(key, self._origin)


@errors_end_at_caller
class OfRows(Step):
    """Groups, windows, text or times, whose methods pandas may be asked for chunks of the rows."""

    def _lazily_or_by_chunk(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return self._lazily_by_type(name, args, kwargs)
        except ArrangementError:
            raise
        except Exception:
            chain: list[Step] = [self]
            while isinstance(chain[0]._origin, Step):
                chain.insert(0, chain[0]._origin)
            if chain[0]._step == "groupby":
                from akdask.pandas.group_chunks import answered
            else:
                from akdask.pandas.chunk_forms import answered
            found = answered(chain, name, args, kwargs)
            if found is NotImplemented:
                raise
            return self._faced(found)


@errors_end_at_caller
class MovingWindows(OfRows):
    """Moving, growing or decaying windows."""

    pandas_class = kinds.Rolling

    forms = ("window_forms", "FORMS")
    lazy_methods = words("sum mean min max std var count median quantile")

    def __getitem__(self, key: Any) -> Any:
        return MovingWindows(self, "__getitem__", (key,), {}).checked()

    def __iter__(self) -> Any:
        return map(faced, self.to_pandas())


@errors_end_at_caller
class Text(OfRows):
    """``str`` of a Series."""

    pandas_class = vars(pandas.Series)["str"]._accessor
    forms = ("text_forms", "FORMS")

    def __getitem__(self, key: Any) -> Any:
        return self._call("__getitem__", (key,), {})


@errors_end_at_caller
class Times(OfRows):
    """``dt`` of a Series."""

    pandas_class = vars(pandas.Series)["dt"]._accessor
    forms = ("time_forms", "FORMS")

    lazy_methods = words(
        """year month day hour minute second microsecond nanosecond quarter dayofweek day_of_week weekday dayofyear
        day_of_year days_in_month daysinmonth is_month_start is_month_end is_quarter_start is_quarter_end
        is_year_start is_year_end is_leap_year floor ceil round normalize day_name month_name strftime total_seconds
        days seconds tz_localize tz_convert"""
    )


@errors_end_at_caller
class CategoryAccessor(Step):
    """``cat`` of a Series."""

    pandas_class = vars(pandas.Series)["cat"]._accessor
    forms = ("category_forms", "FORMS")


@errors_end_at_caller
class Resampled(OfRows):
    """Rows by spans of time."""

    pandas_class = kinds.Resampler
    forms = ("resample_forms", "FORMS")

    def __getitem__(self, key: Any) -> Any:
        return Resampled(self, "__getitem__", (key,), {}).checked()


@errors_end_at_caller
class SeriesGroups(OfRows):
    """Values of one column by groups."""

    pandas_class = kinds.SeriesGroupBy
    forms = ("group_forms", "FORMS")
    steps = {"rolling": MovingWindows, "expanding": MovingWindows, "ewm": MovingWindows, "resample": Resampled}

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function with the groups."""
        return piped(self, func, args, kwargs)

    def __iter__(self) -> Any:
        return ((key, faced(rows)) for key, rows in self.to_pandas())

    def __len__(self) -> int:
        return len(self.to_pandas())


def piped(step: Step, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if isinstance(func, tuple):
        func, word = func
        return func(*args, **{**kwargs, word: step})
    return func(step, *args, **kwargs)


@errors_end_at_caller
class FrameGroups(OfRows):
    """Rows by groups."""

    pandas_class = kinds.DataFrameGroupBy
    forms = ("group_forms", "FORMS")
    steps = SeriesGroups.steps

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function with the groups."""
        return piped(self, func, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        return (FrameGroups if isinstance(key, list) else SeriesGroups)(self, "__getitem__", (key,), {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or hasattr(kinds.DataFrameGroupBy, name):
            return super().__getattr__(name)
        origin = self._origin
        while isinstance(origin, FrameGroups):  # Its columns would be those of all rows, computed.
            origin = origin._origin
        return self[name] if name in getattr(origin, "columns", ()) else super().__getattr__(name)

    def __iter__(self) -> Any:
        return ((key, faced(rows)) for key, rows in self.to_pandas())

    def __len__(self) -> int:
        return len(self.to_pandas())


def called_in_pandas(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of pandas for objects of the face."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return faced(function(*in_pandas(args), **in_pandas(kwargs)))
        except Exception as error:
            raise refusal(error) from error

    return wraps(function)(call) if inspect.isroutine(function) else OfPandas(function, call)


def _of_pandas(found: Any) -> Any:
    """Return an attribute of an object of pandas as the face has it."""
    return called_in_pandas(found) if callable(found) and not isinstance(found, type) else faced(found)


class OfPandas:
    """An object of pandas that is called and has methods, such as `plot` of groups, for objects of the face."""

    def __init__(self, own: Any, call: Callable[..., Any]) -> None:
        self._own, self._call = own, call

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return _of_pandas(getattr(self._own, name))

    def __dir__(self) -> list[str]:
        return dir(self._own)


class Selector:
    """``nth`` of groups, which is called, or given positions in brackets."""

    def __init__(self, groups: Face) -> None:
        self._groups = groups

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._groups._call(SELECTOR, args, kwargs)

    def __getitem__(self, positions: Any) -> Any:
        return self(positions)
