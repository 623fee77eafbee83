"""Labels of rows with a frequency, as `pandas.date_range` makes them.

`RegularTimes` and `RegularSpans` are labels that remember the regular ones that rows had in the first place.  Where
they leave, pandas itself says, by the places of the labels that are left, whether they have a frequency: rows at equal
distances have one.  `lazily` lets through methods whose labels pandas finds in this way, hands plain labels to methods
whose results are not labelled by them, and refuses others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import pandas

from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.timearray import TimeArray
from akdask.engine.values import token
from akdask.frames.columnset import INDEX, ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.pandas.face import OPERATORS, NDFrame, words
from akdask.pandas.refusals import NotLazyError
from akdask.records import record


@record(eq=False)
class Regular:
    """Makes labels of pandas of numbers of times, with the frequency that pandas finds for rows of regular labels.

    Parameters
    ----------
    convert : callable
        Makes times of the numbers.
    labels : pandas.DatetimeIndex or pandas.TimedeltaIndex
        The regular labels.
    by_mask : bool, default False
        Whether the rows were chosen as masks of labels are, which leave a frequency to neighbours alone.
    """

    convert: Callable[..., Any]
    labels: Any
    by_mask: bool = False

    @property
    def token(self) -> str:
        """Names the converter in plans."""
        labels = self.labels
        ends = (str(labels[0]), str(labels[-1])) if len(labels) else ()
        own = str(labels.dtype), labels.freqstr, len(labels), ends
        return token("regular", own, self.by_mask, getattr(self.convert, "token", ""))

    def __call__(self, column: Any) -> Any:
        """Return the labels."""
        found = pandas.Index(self.convert(column))
        own, numbers = self.labels.asi8, found.asi8
        if not len(own):
            return self.labels if not len(found) else found
        falls = own[0] > own[-1]
        ordered = own[::-1] if falls else own
        positions = np.searchsorted(ordered, numbers)
        positions[positions == len(own)] = 0
        if not (ordered[positions] == numbers).all():
            return found
        positions = len(own) - 1 - positions if falls else positions
        if self.by_mask and len(positions) > 1 and positions[1] - positions[0] != 1:
            return found
        return self.labels.take(positions)


class RegularLabels(TimeArray):
    """What labels with a frequency have beside times."""

    _plain: ClassVar[type[TimeArray]]
    _regular: Any
    _home: Any
    """The rows whose labels are all the regular ones."""

    _by_mask: bool

    @classmethod
    def of(cls, *args: Any, **options: Any) -> Any:
        """Return plain times: what is computed from labels is not regular."""
        return cls._plain.of(*args, **options)

    @classmethod
    def on(cls, times: TimeArray, labels: Any, home: Any = None, *, by_mask: bool = False) -> Self:
        """Return times as labels that regular ones are the source of."""
        made = cls.__new__(cls)
        made.__dict__.update(times.__dict__)
        made._regular, made._home, made._by_mask = labels, times._frame if home is None else home, by_mask
        return made

    def _like(self, frame: Any, value: Any) -> Self:
        times = self.of(frame, value, self._form)
        return self.on(times, self._regular, self._home, by_mask=self._by_mask)

    def plain(self) -> TimeArray:
        """Return the times without their frequency."""
        found: TimeArray = self.of(self._frame, self._value, self._form)
        return found

    def _pandas_converter(self) -> Callable[..., Any]:
        return Regular(super()._pandas_converter(), self._regular, self._by_mask)


class RegularTimes(RegularLabels, Datetime):
    """Times with a frequency."""

    _plain = Datetime


class RegularSpans(RegularLabels, Timedelta):
    """Spans of time with a frequency."""

    _plain = Timedelta


def without_frequency(labels: pandas.Index) -> pandas.Index:
    """Return labels of pandas without their frequency."""
    found = labels.copy()
    found.freq = None  # type: ignore[attr-defined]
    return found


def with_frequency(columns: ColumnSet, labels: Any) -> ColumnSet:
    """Return columns, labelled by times, as labelled by the regular times that these are."""
    return replace(columns, kinds={**columns.kinds, INDEX: _on(columns.index_array(), labels)})


def index_of(labels: Any) -> Index:
    """Return labels of pandas with a frequency as lazy ones."""
    plain: Any = Index(without_frequency(labels), name=labels.name)
    return Index(_on(plain.values, labels), name=labels.name)


def _on(times: Any, labels: Any) -> Any:
    return (RegularTimes if isinstance(labels, pandas.DatetimeIndex) else RegularSpans).on(times, labels)


def is_regular(lazy: Any) -> bool:
    """Return whether the labels of a lazy frame or Series have a frequency."""
    return isinstance(_columns_of(lazy).kinds.get(INDEX), RegularLabels)


def plain(array: Any) -> Any:
    """Return an array without a frequency."""
    return array.plain() if isinstance(array, RegularLabels) else array


def _columns_of(lazy: Any) -> ColumnSet:
    found: ColumnSet = lazy._columns if isinstance(lazy, DataFrame) else lazy._labelled._columns
    return found


def without(lazy: Any) -> Any:
    """Return a lazy frame or Series whose labels have no frequency."""
    from akdask.pandas.labels import relabelled

    columns = _columns_of(lazy)
    found = replace(columns, kinds={**columns.kinds, INDEX: plain(columns.kinds[INDEX])})
    return relabelled(lazy._of(found), lazy) if isinstance(lazy, DataFrame) else lazy._on_columns(found)


def settled(lazy: Any) -> Any:
    """Return a lazy frame or Series whose rows are all that its regular labels are of; may compute the labels.

    Rows that were chosen have a frequency or none, by which rows they are; rows chosen of them have none again.
    """
    from akdask.pandas.labels import relabelled
    from akdask.pandas.lazy import labels_of

    columns = _columns_of(lazy)
    kind = columns.kinds.get(INDEX)
    if not isinstance(kind, RegularLabels) or kind._home is columns.frame:
        return lazy
    labels: Any = labels_of(lazy)
    if labels.freq is None:
        return without(lazy)
    found = with_frequency(columns, labels)
    return relabelled(lazy._of(found), lazy) if isinstance(lazy, DataFrame) else lazy._on_columns(found)


def _by_mask(found: Any) -> Any:
    """Return a Series of the face whose rows were chosen by a mask of labels."""
    lazy = found.lazy()
    columns = _columns_of(lazy)
    kind = columns.kinds.get(INDEX)
    if not isinstance(kind, RegularLabels):
        return found
    kind = kind.on(kind.plain(), kind._regular, kind._home, by_mask=True)
    return type(found)._of(lazy._on_columns(replace(columns, kinds={**columns.kinds, INDEX: kind})))


# calls

KEEPING = OPERATORS | words(
    """abs round isna isnull notna notnull fillna ffill bfill astype clip where mask replace isin map cumsum cumprod
    cummax cummin diff shift pct_change rank between filter rename rename_axis add_prefix add_suffix set_axis
    to_frame squeeze copy assign apply equals select select_dtypes str dt cat first_valid_index last_valid_index
    idxmax idxmin get pop describe transform add sub mul div truediv floordiv mod pow radd rsub rmul rdiv rtruediv
    rfloordiv rmod rpow eq ne lt le gt ge transpose stack unstack unique value_counts convert_dtypes infer_objects
    interpolate corr cov explain"""
)
"""Methods whose results have the labels of the rows, or take them from pandas."""

MOVING = words(
    """__getitem__ head tail take iloc loc at iat truncate xs sort_index sort_values dropna drop_duplicates duplicated
    drop reindex sample query between_time at_time nlargest nsmallest rename"""
)
"""Methods that choose rows."""

OF_MASKS = words("dropna drop_duplicates")
"""Methods that choose rows of a Series by a mask of its labels."""

UNLABELLED = words(
    """sum prod product mean median min max std var sem skew kurt kurtosis count nunique any all quantile agg
    aggregate mode reset_index set_index is_unique is_monotonic_increasing is_monotonic_decreasing hasnans autocorr
    argmax argmin memory_usage"""
)
"""Methods whose results are not labelled by the rows."""

ACROSS = words("sum prod product mean median min max std var sem skew kurt kurtosis count nunique any all quantile agg")
"""Methods that reduce rows as well as columns."""

OF_GROUPS = words(
    "sum prod mean median min max std var sem skew kurt count nunique any all quantile agg size first last"
)
"""Methods of groups whose results are labelled by groups."""

OF_ROWS = words("cumsum cumprod cummax cummin shift diff rank cumcount ngroup transform ffill bfill")
"""Methods of groups whose results are labelled by rows."""

OF_WINDOWS = words("sum mean median min max std var sem skew kurt count quantile rank nunique first last")
"""Methods of windows."""

OF_VALUES = words("str dt cat")
"""Accessors of values."""

INDEXERS = words("loc iloc at iat")

Call = Callable[[Any, str, tuple[Any, ...], dict[str, Any]], Any]


def lazily(face: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], call: Call) -> Any:
    """Call the lazy form of a method by a function, or refuse it, where labels have a frequency."""
    own = face._root().lazy()
    others = [item for item in (*args, *kwargs.values()) if isinstance(item, NDFrame)]
    if not is_regular(own) and not any(is_regular(item.lazy()) for item in others):
        return call(face, name, args, kwargs)
    if hasattr(face, "_origin"):
        return _from_step(face, name, args, kwargs, call)
    _demand_same_rows(own, others)
    axis = kwargs.get("axis", args[0] if args and name in ACROSS else 0)
    if kwargs.get("freq") is not None or (name in ("shift", "pct_change") and len(args) > 1) or kwargs.get("append"):
        raise NotLazyError(REASON)
    if name in KEEPING or (name in ACROSS and axis in (1, "columns")):
        return call(face, name, args, kwargs)
    if name in UNLABELLED and not others:
        return call(type(face)._of(without(own)), name, args, kwargs)
    if name not in MOVING:
        raise NotLazyError(REASON)
    settled_face = face if (found := settled(own)) is own else type(face)._of(found)
    is_series = not isinstance(own, DataFrame)
    if name == "__getitem__" and isinstance(args[0], slice) and args[0].step not in (None, 1):
        return _stepped(settled_face, args[0])
    if is_series and name == "reindex":
        from akdask.pandas.selection import by_labels

        return face._faced(by_labels(settled_face.lazy(), lambda rows: rows.reindex(*args, **kwargs)))
    result = call(settled_face, name, args, kwargs)
    if is_series and (
        name in OF_MASKS or (name == "__getitem__" and isinstance(result, NDFrame) and _is_mask(args[0]))
    ):
        return _by_mask(result)
    return result


REASON = "labels have a frequency"


def _is_mask(key: Any) -> bool:
    return isinstance(key, NDFrame) or (hasattr(key, "dtype") and key.dtype == bool) or isinstance(key, list)


def _stepped(face: Any, rows: slice) -> Any:
    """Return every so many rows, whose frequency pandas knows whatever their number."""
    from akdask.pandas.selection import by_labels

    return face._faced(by_labels(face.lazy(), lambda numbers: numbers.iloc[rows]))


def _demand_same_rows(own: Any, others: list[Any]) -> None:
    from akdask.pandas.selection import labels_of_rows

    for other in others:
        lazy = other.lazy()
        if is_regular(own) != is_regular(lazy) or not labels_of_rows(own).are_those_of(labels_of_rows(lazy)):
            raise NotLazyError(REASON)


def _from_step(step: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], call: Call) -> Any:
    """Call a method of groups, windows or accessors."""
    from akdask.pandas.encoded_steps import again

    root, chain = step, []
    while hasattr(root, "_origin"):
        chain.append(root)
        root = root._origin
    first, own = chain[-1], root.lazy()
    given = [item for one in chain for item in (*(one._args or ()), *(one._kwargs or {}).values())]
    others = [item for item in (*given, *args, *kwargs.values()) if isinstance(item, NDFrame)]
    _demand_same_rows(own, others)
    if first._step in OF_VALUES:
        return call(step, name, args, kwargs)
    if first._step in INDEXERS:
        found = root if (ready := settled(own)) is own else type(root)._of(ready)
        if first._step == "iloc" and isinstance(args[0], slice) and args[0].step not in (None, 1):
            return _stepped(found, args[0])
        return call(step if found is root else again(chain, found), name, args, kwargs)
    if first._step in ("rolling", "expanding", "ewm") and (name in OF_WINDOWS or name == "__getitem__"):
        kind: Any = _columns_of(own).kinds[INDEX]
        window = (first._args or (None,))[0] if first._args else (first._kwargs or {}).get("window")
        is_ordered = isinstance(kind, Datetime) and kind._regular.is_monotonic_increasing
        if (isinstance(window, int | None) or is_ordered) and "on" not in (first._kwargs or {}):
            return call(step, name, args, kwargs)
    by = first._args[0] if first._args else (first._kwargs or {}).get("by")
    is_by_columns = isinstance(by, str) or (isinstance(by, list) and all(isinstance(one, str) for one in by))
    if (
        first._step == "groupby"
        and (is_by_columns or isinstance(by, NDFrame))
        and name in OF_ROWS
        and "freq" not in kwargs
    ):
        return call(step, name, args, kwargs)
    if (first._step == "groupby" and is_by_columns and name in OF_GROUPS) or (
        first._step == "resample" and name != "transform"
    ):
        return call(again(chain, type(root)._of(without(own))), name, args, kwargs)
    raise NotLazyError(REASON)
