"""Methods of groups that only pandas has, such as functions of users: pandas is called on chunks of whole groups.

The keys are computed, and pandas numbers the groups.  Each chunk of the rows holds all rows of some groups that follow
each other, in the order of the rows; pandas answers the call for each as it would for all, and the results are put
together by what the method returns: a row for each group, a row for each row, or some of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas

from akdask import config
from akdask.engine.values import assumed_width
from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.pandas import labels as labelling
from akdask.pandas import tuning
from akdask.pandas.arguments import bound_arguments
from akdask.pandas.chunks import by_chunk
from akdask.pandas.face import NDFrame, in_pandas, lazy_kind, words
from akdask.pandas.refusals import NotLazyError
from akdask.pandas.selection import asked, taken
from akdask.pandas.steps import Step

BY_GROUP = words(
    """sum prod mean median min max std var sem skew kurt first last any all count nunique idxmin idxmax size quantile
    describe agg aggregate corr cov corrwith ohlc unique nlargest nsmallest value_counts is_monotonic_increasing
    is_monotonic_decreasing"""
)
"""Methods that have one or several rows for each group, labelled by the keys, groups in order."""

BY_ROW = words("transform cumsum cumprod cummin cummax cumcount shift diff rank pct_change ffill bfill")
"""Methods that have a row for each row."""

CHOOSING = words("head tail nth")
"""Methods that choose rows of each group by their places in it."""

METHODS = BY_GROUP | BY_ROW | CHOOSING | {"apply", "filter"}

WINDOWS = words("rolling expanding ewm resample")
"""Steps from groups whose methods have a row for each row of a group, groups in order."""


def answered(chain: list[Step], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of groups, or of windows of groups, of pandas on chunks of rows.

    NotImplemented if it is none that is known to go by groups.

    Raises
    ------
    ArrangementError
        With the error that pandas raises.
    NotLazyError
        If what it returns for chunks does not say what it returns for all rows.
    """
    first, further = chain[0], [one._step for one in chain[1:]]
    if not {*further} <= WINDOWS | {"__getitem__"}:
        return NotImplemented
    in_windows = not WINDOWS.isdisjoint(further)
    if not in_windows and name not in METHODS:
        return NotImplemented
    call = Replay(chain[1:], name, in_pandas(args), in_pandas(kwargs))
    rows = GroupedRows(first, call)
    if len(rows.chunks) < 2:
        return asked(lambda all_rows: call(rows.all_in_groups(all_rows)), rows.all())
    if "engine" in kwargs or name == "corrwith":
        raise NotLazyError("an argument asks for all groups at once")
    if in_windows:
        return keyed(rows, rows.call(call))
    if name == "filter":
        return filtered(rows, call)
    if name in CHOOSING:
        return chosen(rows, call)
    if name == "apply":
        return applied(rows, call)
    if name in BY_ROW:
        return like_rows(rows, rows.call(call))
    if name == "value_counts" or (name == "describe" and not rows.options["group_keys"]):
        raise NotLazyError("all groups have a say in the order of the results")
    return by_group(rows, rows.call(call))


class Replay:
    """Steps from groups, and the call at their end, on groups of pandas.

    Parameters
    ----------
    steps : sequence of Step
        The steps after ``groupby``.
    name : str
        The method.
    args, kwargs
        Its arguments.
    """

    def __init__(self, steps: Sequence[Step], name: str, args: Any, kwargs: Any) -> None:
        self.steps = [(one._step, in_pandas(one._args), in_pandas(one._kwargs)) for one in steps]
        self.name, self.args, self.kwargs = name, args, kwargs

    def __call__(self, groups: Any) -> Any:
        """Return the result for groups."""
        for step, args, kwargs in self.steps:
            groups = getattr(groups, step)(*args, **kwargs)
        found = getattr(groups, self.name)
        return found(*self.args, **self.kwargs) if callable(found) else found

    def cut(self, rows_of: Callable[[Any], Any]) -> Replay:
        """Return the call with another form of each argument."""
        made = Replay([], self.name, tuple(map(rows_of, self.args)), {k: rows_of(v) for k, v in self.kwargs.items()})
        made.steps = self.steps
        return made

    @property
    def columns(self) -> list[Any] | None:
        """The columns that it asks for; None if these may be all."""
        if self.steps:
            step, args, _ = self.steps[0]
            if step != "__getitem__":
                return None
            return args[0] if isinstance(args[0], list) else [args[0]]
        if self.name not in ("agg", "aggregate"):
            return None
        if not self.args and self.kwargs:
            return [one[0] for one in self.kwargs.values()] if all(map(_is_pair, self.kwargs.values())) else None
        return list(self.args[0]) if len(self.args) == 1 and isinstance(self.args[0], dict) else None

    @property
    def has_one_column(self) -> bool:
        """Whether a column was chosen last."""
        return bool(self.steps) and not isinstance(self.steps[-1][1][0], list)


def _is_pair(given: Any) -> bool:
    return isinstance(given, tuple) and len(given) == 2


class GroupedRows:
    """Lazy rows, the numbers of their groups, and chunks of them.

    Parameters
    ----------
    step : Step
        The call of ``groupby``.
    call : Replay
        The steps after it, and the call at their end.
    """

    def __init__(self, step: Step, call: Replay) -> None:
        origin = self.origin = step._origin
        self.lazy: Any = origin.lazy()
        given = bound_arguments(origin.pandas_class, "groupby", step._args or (), step._kwargs or {})
        self.options = {"sort": True, "as_index": True, "group_keys": True, "dropna": True, **given}
        self.is_list = isinstance(given.get("by"), list)
        self.keys = _keys(self.lazy, given.get("by"))
        self.given = {word: value for word, value in given.items() if word != "by"}
        self.labels = labelling.row_labels(_frame(self.lazy))
        in_memory = config.get("pandas_fallback") != "error" and getattr(origin, "_in_memory", None) is not None
        self.chunks = [np.arange(len(self.labels))]
        if len(self.labels) > tuning.CHUNK_ROWS and not in_memory:
            chosen = call.columns
            if chosen is not None and isinstance(self.lazy, DataFrame):
                self.lazy = self._with_columns(chosen)
            columns = getattr(self.lazy, "_labelled", self.lazy)._columns
            if len(self.labels) * sum(map(assumed_width, columns.all_values())) > tuning.GROUPED_BYTES:
                self.ids = self._numbered()
                self.chunks = _chunks(self.ids)

    def all(self) -> Any:
        """Return all rows, as pandas has them; at least the columns that are asked for."""
        return self.origin.to_pandas() if self.lazy is self.origin.lazy() else labelling.computed(self.lazy)

    def _with_columns(self, chosen: list[Any]) -> Any:
        """Return the rows with columns that are chosen from the groups, and keys."""
        names = labelling.column_labels(self.lazy)
        wanted = [*_labels_of_keys(self.keys, names), *chosen]
        if not names.is_unique or not all(isinstance(one, Hashable) and one in names for one in wanted):
            return self.lazy
        chosen = [one for one in names if one in wanted]
        return labelling.arrangement(self.lazy, "__getitem__", (chosen,), {})

    def all_in_groups(self, rows: Any) -> Any:
        """Return all rows, as pandas has them, in groups."""
        return rows.groupby(self._by(self.keys), **self.given)

    def _by(self, keys: list[Any]) -> Any:
        return keys if self.is_list else keys[0]

    def _numbered(self) -> Any:
        """Return the number of the group of each row, -1 for rows whose key is missing."""
        if any(isinstance(key, pandas.Grouper) and key.freq is not None for key in self.keys):
            raise NotLazyError("bins of time are groups without rows, too")
        if isinstance(self.lazy, Series):
            rows: Any = pandas.Series(np.zeros(len(self.labels), np.int8), self.labels, name=self.lazy.name)
        else:
            rows = _columns_of_keys(self.lazy, self.keys, self.labels)
        self.checks_categories(rows)
        found = asked(lambda rows: self.all_in_groups(rows).ngroup(), rows).to_numpy()
        return np.where(np.isnan(found), -1, found).astype(np.int64) if found.dtype.kind == "f" else found

    def checks_categories(self, rows: Any) -> None:
        """Raise NotLazyError if a key is of categories, some of which chunks may lack."""
        found = [] if self.has_arrays else asked(self._types_of_keys, rows)
        arrays = [getattr(key, "dtype", None) for key in self.keys]
        if any(isinstance(dtype, pandas.CategoricalDtype) for dtype in (*found, *arrays)):
            raise NotLazyError("categories are groups without rows, too")

    def _types_of_keys(self, rows: Any) -> list[Any]:
        # Where keys are columns of results, their index tells nothing of them.
        index = rows.iloc[:0].groupby(self._by(self.keys), **self.given | {"as_index": True}).size().index
        return [index.get_level_values(number).dtype for number in range(index.nlevels)]

    @property
    def has_arrays(self) -> bool:
        return any(_is_array(key) for key in self.keys)

    def in_groups(self, rows: Any, number: int) -> Any:
        """Return the rows of a chunk, as pandas has them, in groups."""
        own = self.chunks[number]
        return rows.groupby(self._by([_cut(key, own, rows.index) for key in self.keys]), **self.given)

    def call(self, call: Callable[[Any], Any]) -> list[Any]:
        """Return the results of a call for the groups of each chunk."""
        return by_chunk(self.lazy, self.chunks, lambda rows, number: call(self.in_groups(rows, number)))


def _frame(lazy: Any) -> Any:
    return labelling.framed(lazy, lazy.name) if isinstance(lazy, Series) else lazy


# keys


def _keys(lazy: Any, by: Any) -> list[Any]:
    """Return keys as pandas takes them: those in a list, or the only one."""
    if isinstance(by, list) and _are_values(lazy, by):
        return [pandas.Series(by, dtype=object if any(isinstance(key, str) for key in by) else None).to_numpy()]
    return [_key(lazy, key) for key in (by if isinstance(by, list) else [by])]


def _are_values(lazy: Any, by: list[Any]) -> bool:
    if any(callable(key) or isinstance(key, list | tuple | dict) or hasattr(key, "__array__") for key in by):
        return False
    if any(isinstance(key, NDFrame | pandas.Grouper) or lazy_kind(key) is not None for key in by):
        return False
    frame = _frame(lazy)
    if len(by) != len(frame):
        return False
    names = [*labelling.column_labels(frame)] if isinstance(lazy, DataFrame) else []
    return not all(key in names for key in by)


def _key(lazy: Any, key: Any) -> Any:
    """Return a key with a column of the frame by its label."""
    if isinstance(key, NDFrame) and key.pandas_class is pandas.Series and isinstance(lazy, DataFrame):
        own: Any = key.lazy()
        values = own.values
        for label, name in zip(labelling.column_labels(lazy), labelling.data_names(lazy), strict=True):
            if _is_same(label, own.name):
                column = lazy._columns.array(name)
                if column._frame is values._frame and column._value == values._value:
                    return label
    return in_pandas(key)


def _is_array(key: Any) -> bool:
    return isinstance(key, list | pandas.Series) or (hasattr(key, "__len__") and hasattr(key, "__array__"))


def _cut(key: Any, rows: Any, labels: pandas.Index) -> Any:
    """Return a key for some rows."""
    if isinstance(key, pandas.Series):
        if len(key) <= rows.max(initial=-1) or not key.index.take(rows).equals(labels):
            if not key.index.is_unique:
                raise NotLazyError("labels of a key repeat")
            return key
        return key.iloc[rows]
    if isinstance(key, list):
        return [key[number] for number in rows]
    return key[rows] if _is_array(key) else key


def _columns_of_keys(frame: Any, keys: list[Any], labels: pandas.Index) -> pandas.DataFrame:
    """Return the columns that are keys, as pandas has them."""
    names = labelling.column_labels(frame)
    wanted = _labels_of_keys(keys, names)
    if not wanted:
        return pandas.DataFrame(index=labels)
    found = labelling.arrangement(frame, "__getitem__", (wanted,), {})
    return pandas.DataFrame(labelling.computed(found))


def _labels_of_keys(keys: list[Any], names: pandas.Index) -> list[Any]:
    """Return the labels of the columns that are keys."""
    labels = [key.key if isinstance(key, pandas.Grouper) else key for key in keys]
    return list(
        dict.fromkeys(key for key in labels if isinstance(key, Hashable) and not callable(key) and key in names)
    )


def _chunks(ids: Any) -> list[Any]:
    """Return the numbers of the rows of each chunk; rows without a group are in the last one."""
    counts = np.bincount(ids[ids >= 0]) if len(ids) else np.zeros(0, np.int64)
    if not len(counts):
        return [np.arange(len(ids))]
    at = np.cumsum(counts)
    # A group is in the chunk in which it begins.
    chunk_of_group = (at - counts) // tuning.CHUNK_ROWS
    _, chunk_of_group = np.unique(chunk_of_group, return_inverse=True)
    chunk = np.where(ids < 0, chunk_of_group[-1], chunk_of_group[ids])
    order = np.argsort(chunk.astype(np.int16) if chunk.max() < 2**15 else chunk, kind="stable")
    return list(np.split(order, np.cumsum(np.bincount(chunk))[:-1]))


# results of chunks, put together


def demand_alike(parts: list[Any]) -> None:
    """Raise NotLazyError unless results could be rows of one frame or Series."""
    first = parts[0]
    if not isinstance(first, pandas.DataFrame | pandas.Series) or any(type(one) is not type(first) for one in parts):
        raise NotLazyError("results of groups are of different types")
    for one in parts:
        if one.index.nlevels != first.index.nlevels or list(one.index.names) != list(first.index.names):
            raise NotLazyError("results of groups have different labels")
        if isinstance(first, pandas.Series):
            if not _is_same(one.name, first.name):
                raise NotLazyError("results of groups have different names")
        elif not one.columns.equals(first.columns) or list(one.columns.names) != list(first.columns.names):
            raise NotLazyError("results of groups have different columns")
        for own, other in zip(_types(one), _types(first), strict=True):
            if isinstance(own, pandas.CategoricalDtype):
                raise NotLazyError("categories of results may differ")
            are_floats = _is_number(own) and _is_number(other) and own.kind == other.kind == "f"
            if own != other and (are_floats or not (_is_number(own) and _is_number(other))):
                raise NotLazyError("results of groups are of different types")


def _types(found: Any) -> list[Any]:
    index = found.index
    levels = index.dtypes if isinstance(index, pandas.MultiIndex) else [index.dtype]
    return [*levels, *([found.dtype] if isinstance(found, pandas.Series) else found.dtypes)]


def _is_number(dtype: Any) -> bool:
    return isinstance(dtype, np.dtype) and dtype.kind in "iuf"


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and one == other)


def by_group(rows: GroupedRows, parts: list[Any]) -> Any:
    """Return results whose rows are labelled by the keys, or, where keys are columns, by their numbers."""
    demand_alike(parts)
    if rows.options["as_index"]:
        return pandas.concat(parts)
    if not all(isinstance(one.index, pandas.RangeIndex) for one in parts):
        raise NotLazyError("keys are columns")
    return pandas.concat(parts, ignore_index=True)


def keyed(rows: GroupedRows, parts: list[Any]) -> Any:
    """Return results that have the keys as levels."""
    demand_alike(parts)
    if parts[0].index.nlevels < 2 or not rows.options["as_index"]:
        raise NotLazyError("keys are no levels of the results")
    return pandas.concat(parts)


def like_rows(rows: GroupedRows, parts: list[Any]) -> Any:
    """Return results with a row for each row, in the order of the rows."""
    demand_alike(parts)
    for one, numbers in zip(parts, rows.chunks, strict=True):
        if not one.index.equals(rows.labels.take(numbers)):
            raise NotLazyError("results have other labels than the rows")
    back = np.empty(len(rows.labels), np.int64)
    back[np.concatenate(rows.chunks)] = np.arange(len(back))
    return pandas.concat(parts, ignore_index=True).take(back).set_axis(rows.labels)


def applied(rows: GroupedRows, call: Callable[[Any], Any]) -> Any:
    """Return the results of a function for the groups, which pandas arranges by their type."""
    if not rows.options["as_index"]:
        raise NotLazyError("keys are columns")
    parts = rows.call(call)
    demand_alike(parts)
    if rows.options["group_keys"]:
        return pandas.concat(parts)
    # Rows whose key is missing are left out.
    pairs = [(one, own[rows.ids[own] >= 0]) for one, own in zip(parts, rows.chunks, strict=True)]
    are_like = [len(one) == len(own) and one.index.equals(rows.labels.take(own)) for one, own in pairs]
    if all(are_like):
        return pandas.concat(parts).take(np.argsort(np.concatenate([own for _, own in pairs])))
    if any(like and bool((np.diff(rows.ids[own]) < 0).any()) for like, (_, own) in zip(are_like, pairs, strict=True)):
        raise NotLazyError("some results have the labels of their rows")
    return pandas.concat(parts)


def chosen(rows: GroupedRows, call: Replay) -> Any:
    """Return rows of each group by their places in it."""
    if call.steps or not rows.options["as_index"]:
        raise NotLazyError("columns are chosen")
    if call.kwargs.get("dropna") is not None or len(call.args) > 1:
        raise NotLazyError("missing values are left out")
    own = np.flatnonzero(rows.ids >= 0)
    numbers = asked(lambda numbers: call(numbers.groupby(rows.ids[own])), pandas.Series(own))
    return taken(rows.lazy, numbers.to_numpy())


def filtered(rows: GroupedRows, call: Replay) -> Any:
    """Return the rows of the groups for which a function is true."""
    bound: Mapping[str, Any] = bound_arguments(
        pandas.api.typing.SeriesGroupBy if call.has_one_column else _class_of_groups(rows.lazy),
        "filter",
        call.args,
        call.kwargs,
    )
    func = bound.get("func")
    if not callable(func) or bound.get("dropna") is False or (call.steps and not call.has_one_column):
        raise NotLazyError("rows are not left out")

    def of_chunk(chunk: Any, number: int) -> Any:
        found: dict[Any, Any] = {}

        def asked_for(group: Any, *args: Any, **kwargs: Any) -> Any:
            answer = func(group, *args, **kwargs)
            found[group.name] = answer
            return answer

        again = Replay([], "filter", (asked_for, *call.args[1:]), {**call.kwargs})
        again.kwargs.pop("func", None)
        again.steps = call.steps
        again(rows.in_groups(chunk, number))
        own = rows.chunks[number]
        groups = np.unique(rows.ids[own])
        groups = groups[groups >= 0]
        if len(groups) != len(found):
            raise NotLazyError("names of groups are not told apart")
        answers: list[Any] = [one.squeeze() if hasattr(one, "squeeze") else one for one in found.values()]
        chosen = groups[[bool(one) if pandas.notna(one) else False for one in answers]]
        return own[np.isin(rows.ids[own], chosen)]

    chosen = np.concatenate(by_chunk(rows.lazy, rows.chunks, of_chunk))
    found = taken(rows.lazy, np.sort(chosen))
    if not call.has_one_column:
        return found
    return labelling.arrangement(found, "__getitem__", call.steps[-1][1], {})


def _class_of_groups(lazy: Any) -> type:
    return pandas.api.typing.SeriesGroupBy if isinstance(lazy, Series) else pandas.api.typing.DataFrameGroupBy
