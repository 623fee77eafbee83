"""Methods that pandas answers for chunks of rows, or column by column.

They are those of windows, with the rows that windows of a chunk reach; of bins of time; of text and times; and such as
call functions of users with one row, one value or one column at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas

from akdask import config
from akdask.frames.series import Series
from akdask.pandas import labels as labelling
from akdask.pandas import selection, tuning
from akdask.pandas.arguments import bound_arguments
from akdask.pandas.chunks import by_chunk
from akdask.pandas.face import Face, in_pandas, words
from akdask.pandas.group_chunks import Replay, demand_alike
from akdask.pandas.refusals import NotLazyError
from akdask.pandas.selection import asked
from akdask.pandas.steps import Step

WINDOW_METHODS = words(
    """sum mean median std var min max corr cov skew kurt sem apply agg aggregate quantile rank count first last nunique
    """
)
"""Methods of windows; each has a row, or several, for each row."""

UPSAMPLING = words("asfreq ffill bfill nearest")
"""Methods of bins that choose a row for each bin by labels."""

BIN_METHODS = words(
    """sum prod mean median min max std var sem first last count size nunique quantile ohlc agg aggregate apply"""
)
"""Methods of bins that have a row for each bin."""


OF_ALL_ROWS = words("cat to_period")
"""Methods of text and times that look at all values together, or at their labels."""


def answered(chain: list[Step], name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of windows or bins of pandas; NotImplemented if the method is of neither.

    Raises
    ------
    ArrangementError
        With the error that pandas raises.
    NotLazyError
        If what it returns for chunks does not say what it returns for all rows.
    """
    first, further = chain[0], [one._step for one in chain[1:]]
    if not {*further} <= {"__getitem__"}:
        return NotImplemented
    call = Replay(chain[1:], name, in_pandas(args), in_pandas(kwargs))
    if first._step in ("rolling", "expanding", "ewm") and name in WINDOW_METHODS:
        return of_windows(first, call)
    if first._step in ("str", "dt") and not further and name not in OF_ALL_ROWS:
        return of_values(first, call)
    if first._step == "resample" and name in BIN_METHODS | UPSAMPLING:
        return of_bins(first, call)
    return NotImplemented


def _given(step: Step) -> dict[str, Any]:
    given = bound_arguments(step._origin.pandas_class, step._step, step._args or (), step._kwargs or {})
    return {word: in_pandas(value) for word, value in given.items()}


def _at_once(step: Step, call: Callable[[Any], Any], given: dict[str, Any]) -> Any:
    """Call a method on all rows."""
    return asked(lambda rows: call(getattr(rows, step._step)(**given)), step._origin.to_pandas())


def _labels(lazy: Any) -> pandas.Index:
    return labelling.row_labels(labelling.framed(lazy, lazy.name) if isinstance(lazy, Series) else lazy)


def _is_few(origin: Face, labels: pandas.Index) -> bool:
    """Return whether all rows are one chunk."""
    in_memory = config.get("pandas_fallback") != "error" and getattr(origin, "_in_memory", None) is not None
    return in_memory or len(labels) <= tuning.CHUNK_ROWS


# windows


class WindowBounds(pandas.api.indexers.BaseIndexer):
    """Windows whose first rows, and those behind their last ones, are given.

    Parameters
    ----------
    start, end : array
        The bounds.
    window_size : int
        Fewest values that a window must have unless a number is given.
    """

    def __init__(self, start: Any, end: Any, window_size: int) -> None:
        super().__init__(None, window_size)
        self.start, self.end = start, end

    def get_window_bounds(
        self,
        num_values: int = 0,
        min_periods: int | None = None,
        center: bool | None = None,
        closed: str | None = None,
        step: int | None = None,
    ) -> Any:
        """Return the bounds."""
        return self.start, self.end


def of_windows(step: Step, call: Replay) -> Any:
    """Call a method of moving windows on chunks of rows beside the rows that their windows reach."""
    lazy: Any = step._origin.lazy()
    given, labels = _given(step), _labels(lazy)
    if _is_few(step._origin, labels):
        return _at_once(step, call, given)
    wide = given.get("win_type") is not None or given.get("step") is not None or given.get("method") == "table"
    if step._step != "rolling" or wide:
        raise NotLazyError("windows that grow, or weigh their rows, have all rows at once")
    if call.name in ("agg", "aggregate") and given.get("min_periods") is None:
        raise NotLazyError("counts of windows ask for other numbers of values")
    start, end, least = _bounds(step, lazy, given, labels)
    if call.name == "count" and given.get("min_periods") is None:
        if isinstance(given.get("window"), pandas.api.indexers.BaseIndexer):
            raise NotLazyError("counts of windows ask for other numbers of values")
        least = 0
    numbers, owned = [], []
    for first in range(0, len(labels), tuning.CHUNK_ROWS):
        behind = min(len(labels), first + tuning.CHUNK_ROWS)
        has_rows = end[first:behind] > start[first:behind]
        low = min(first, int(start[first:behind][has_rows].min(initial=first)))
        high = max(behind, int(end[first:behind].max()))
        numbers.append(np.arange(low, high))
        owned.append((first, behind))
    same = {word: given[word] for word in ("on",) if given.get(word) is not None}

    def of_chunk(rows: Any, number: int) -> Any:
        low, high = int(numbers[number][0]), int(numbers[number][-1]) + 1
        first, behind = owned[number]
        inside = slice(low, high)
        # Windows of the rows beside the chunk are empty; bounds must be in order.
        at_once = np.full(high - low, int(start[first]), np.int64)
        at_once[behind - low :] = int(end[behind - 1])
        bounds = [at_once - low, at_once - low]
        for own, all_rows in zip(bounds, (start, end), strict=True):
            own[first - low : behind - low] = all_rows[first:behind] - low
        found = call.cut(lambda one: _rows_of(one, labels, inside))(
            rows.rolling(WindowBounds(bounds[0], bounds[1], least), min_periods=least, **same)
        )
        if not isinstance(found, pandas.DataFrame | pandas.Series) or len(found) % (high - low):
            raise NotLazyError("results have no row for each row")
        each = len(found) // (high - low)
        return found.iloc[(first - low) * each : (behind - low) * each]

    parts = by_chunk(lazy, numbers, of_chunk)
    demand_alike(parts)
    return pandas.concat(parts)


def _rows_of(given: Any, labels: pandas.Index, inside: slice) -> Any:
    """Return an argument for a chunk: rows beside those of the object."""
    if not isinstance(given, pandas.DataFrame | pandas.Series):
        return given
    if not given.index.equals(labels):
        raise NotLazyError("an argument has other labels")
    return given.iloc[inside]


def _bounds(step: Step, lazy: Any, given: dict[str, Any], labels: pandas.Index) -> tuple[Any, Any, int]:
    """Return where the window of each row begins and ends, and how many values it must have."""
    on = given.get("on")
    rows: Any = pandas.DataFrame({"number": np.zeros(len(labels), np.int8)}, labels)
    if on is not None:
        rows[on] = labelling.computed(labelling.arrangement(lazy, "__getitem__", (on,), {}))
    windows = asked(lambda rows: rows.rolling(**given), rows)
    find = getattr(windows, "_get_window_indexer", None)
    if find is None:
        raise NotLazyError("this pandas has windows otherwise")
    indexer = find()
    least = windows.min_periods if windows.min_periods is not None else indexer.window_size
    start, end = indexer.get_window_bounds(
        num_values=len(labels), min_periods=least, center=windows.center, closed=windows.closed, step=None
    )
    return np.asarray(start), np.asarray(end), int(least)


# bins of time


def of_bins(step: Step, call: Replay) -> Any:
    """Call a method of bins of time."""
    lazy: Any = step._origin.lazy()
    given = _given(step)
    if call.name in UPSAMPLING and not call.steps and given.get("on") is None:
        fill = call.kwargs.get("fill_value")
        again = Replay(
            [], call.name, call.args, {word: one for word, one in call.kwargs.items() if word != "fill_value"}
        )
        return selection.by_labels(lazy, lambda rows: again(rows.resample(**given)), fill_value=fill)
    labels = _labels(lazy)
    if _is_few(step._origin, labels):
        return _at_once(step, call, given)
    if given.get("on") is not None or not labels.is_monotonic_increasing or call.name in UPSAMPLING:
        raise NotLazyError("rows are not in the order of their bins")
    counts = asked(lambda rows: rows.resample(**given).size(), pandas.Series(np.zeros(len(labels), np.int8), labels))
    ends = np.cumsum(counts.to_numpy())
    chunk = np.searchsorted(ends, np.arange(len(labels)), side="right")
    chunk = (ends[chunk] - 1) // tuning.CHUNK_ROWS
    numbers = np.split(np.arange(len(labels)), np.flatnonzero(np.diff(chunk)) + 1)
    if isinstance(pandas.tseries.frequencies.to_offset(given["rule"]), pandas.offsets.Tick):
        given |= {"origin": counts.index[0], "offset": None}  # Bins of all chunks are those of all rows.
    parts = by_chunk(lazy, numbers, lambda rows, _: call(rows.resample(**given)))
    demand_alike(parts)
    found = pandas.concat(parts)
    if not found.index.equals(counts.index):
        raise NotLazyError("bins without rows, or of chunks, are others")
    return found.set_axis(counts.index)


# values


def of_values(step: Step, call: Replay) -> Any:
    """Call a method of text or times that looks at one value at a time."""
    lazy: Any = step._origin.lazy()
    if any(isinstance(one, pandas.Series | pandas.DataFrame) for one in (*call.args, *call.kwargs.values())):
        raise NotLazyError("an argument has labels")
    if _is_few(step._origin, pandas.RangeIndex(len(lazy))):
        return asked(lambda rows: call(getattr(rows, step._step)), step._origin.to_pandas())
    if call.name == "get_dummies":
        raise NotLazyError("columns are those of all values")
    parts = by_chunk(lazy, _consecutive(len(lazy)), lambda rows, _: call(getattr(rows, step._step)))
    demand_alike(parts)
    return pandas.concat(parts)


def _consecutive(count: int) -> list[range]:
    first = range(0, max(count, 1), tuning.CHUNK_ROWS)
    return [range(start, min(start + tuning.CHUNK_ROWS, count)) for start in first]


# functions of rows, values and columns


def of_function(face: Face, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method that calls a function with rows, values or columns; NotImplemented for others."""
    is_series = face.pandas_class is pandas.Series
    if name not in (("map", "apply", "transform") if is_series else ("apply", "map", "agg", "aggregate", "transform")):
        return NotImplemented
    given = bound_arguments(face.pandas_class, name, args, kwargs)
    func = given.get("arg" if is_series and name == "map" else "func")
    if not callable(func) and not (isinstance(func, list) and not is_series):
        return NotImplemented
    if is_series and (given.get("by_row") is False or name == "transform" or given.get("engine") is not None):
        return NotImplemented
    args, kwargs = in_pandas(args), in_pandas(kwargs)
    lazy: Any = face.lazy()

    def call(rows: Any) -> Any:
        return getattr(rows, name)(*args, **kwargs)

    if is_series or name == "map" or given.get("axis") in (1, "columns"):
        count = len(lazy)
        if _is_few(face, pandas.RangeIndex(count)):
            return asked(call, face.to_pandas())
        parts = by_chunk(lazy, _consecutive(count), lambda rows, _: call(rows))
        demand_alike(parts)
        return pandas.concat(parts)
    if given.get("result_type") is not None:
        return NotImplemented
    return by_column(lazy, call)


def by_column(frame: Any, call: Callable[[Any], Any]) -> Any:
    """Call a method on each column of a frame, and put the results together."""
    names = labelling.column_labels(frame)
    parts = []
    for number in range(len(names)):
        column = labelling.arranged(frame, labelling.probe(frame).iloc[:, [number]])
        parts.append(asked(call, labelling.computed(column)))
    return _beside(parts, len(names))


def _beside(parts: Sequence[Any], count: int) -> Any:
    if all(isinstance(one, pandas.Series) and len(one) == 1 for one in parts):
        demand_alike(list(parts))
        return pandas.concat(parts)
    first = parts[0]
    if not all(isinstance(one, pandas.DataFrame) and one.index.equals(first.index) for one in parts):
        raise NotLazyError("results of columns have different labels")
    if any(one.index.dtype != first.index.dtype or list(one.index.names) != list(first.index.names) for one in parts):
        raise NotLazyError("results of columns have different labels")
    found = pandas.concat(parts, axis=1)
    if found.shape[1] < count:
        raise NotLazyError("columns are left out")
    return found
