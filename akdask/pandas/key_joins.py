"""Joins whose rows pandas finds by the keys: of both sides the keys alone are computed, other columns follow lazily.

pandas is called on *stand-ins*: frames with the keys and labels of the rows, and their numbers, whose other columns are
categories that say which column each of them is.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import Array
from akdask.engine.alignment import align_by_plan
from akdask.frames.columnset import ColumnSet
from akdask.frames.series import Series
from akdask.pandas import tuning
from akdask.pandas.labels import (
    arrangement,
    column_labels,
    computed,
    framed,
    lazily,
    row_labels,
)
from akdask.pandas.lazy import LazyFrame
from akdask.pandas.refusals import NotLazyError
from akdask.pandas.selection import asked, rows_at, with_labels_of

MARK = "\0column"
"""Begins the category of a column of stand-ins; no text of users does."""

KEYS = ("on", "left_on", "right_on", "by", "left_by", "right_by")
"""Arguments that name keys."""


def join(call: Callable[[Any, Any], Any], left: Any, right: Any, given: dict[str, Any]) -> LazyFrame:
    """Join two frames as pandas joins their stand-ins.

    Parameters
    ----------
    call : callable
        Takes the stand-ins.
    left, right : LazyFrame or LazySeries
        The sides.
    given : dict
        Arguments of the call, which name the keys.

    Raises
    ------
    ArrangementError
        With the error that pandas raises.
    NotLazyError
        If a key is no column, or a side has columns that repeat.
    """
    sides = [framed(one, one.name) if isinstance(one, Series) else LazyFrame.under(one) for one in (left, right)]
    keys = _keys(sides, given)
    found: Any = asked(lambda rows: call(*rows), [_stand_in(one, keys, number) for number, one in enumerate(sides)])
    if found.size > tuning.NUMBERED_VALUES:
        raise NotLazyError("the result has too many cells")
    positions = {name: at for at, name in enumerate(found.columns) if str(name).startswith(MARK)}
    if len(positions) < len(sides):
        raise NotLazyError("rows have no numbers")
    data = [number for number in range(found.shape[1]) if number not in positions.values()]
    arrays: dict[int, Array] = {}
    for side, frame in enumerate(sides):
        numbers = found.iloc[:, positions[f"{MARK} numbers {side}"]].to_numpy()
        wanted = {at: number for at in data if (number := _source(found.dtypes.iloc[at], side)) is not None}
        if not wanted:
            continue
        if numbers.dtype.kind == "f" and np.isnan(numbers).any():
            from akdask.pandas.encoded import check_gaps

            check_gaps(frame, frame)
        names = pandas.Index([f"column {at}" for at in wanted])
        rows = rows_at(frame, numbers, list(wanted.values()), pandas.RangeIndex(len(found)), names)
        arrays |= {at: rows._columns.array(f"column {at}") for at in wanted}
    at_hand = [at for at in data if at not in arrays]
    if at_hand:
        of_pandas = {f"column {at}": found.iloc[:, at].reset_index(drop=True) for at in at_hand}
        of_keys = lazily(pandas.DataFrame(of_pandas))
        arrays |= {at: of_keys._columns.array(f"column {at}") for at in at_hand}
    rows, values = align_by_plan("join", [(arrays[at]._frame, arrays[at]._value) for at in data])
    columns = {f"column {at}": arrays[at]._like(rows, value) for at, value in zip(data, values, strict=True)}
    labels = found.columns.take(data)
    if all(column_labels(one).dtype != object for one in sides):
        labels = labels.infer_objects()  # Beside the labels of the numbers integers were objects.
    return with_labels_of(LazyFrame._of(ColumnSet.of(columns)), found.index, labels)


def _keys(sides: list[LazyFrame], given: dict[str, Any]) -> list[set[Hashable]]:
    """Return the labels of the columns of each side that are keys, or may be."""
    named: list[Any] = []
    for word in KEYS:
        value = given.get(word)
        named += value if isinstance(value, list | tuple) else [] if value is None else [value]
    if not all(isinstance(one, Hashable) for one in named):
        raise NotLazyError("a key is no column")
    labels = [column_labels(one) for one in sides]
    if not all(one.is_unique for one in labels):
        raise NotLazyError("columns repeat")
    shared = set() if any(given.get(word) is not None for word in KEYS[:3]) else {*labels[0]} & {*labels[1]}
    return [{one for one in names if one in named or one in shared} for names in labels]


def _stand_in(frame: LazyFrame, keys: list[set[Hashable]], side: int) -> pandas.DataFrame:
    labels, names = row_labels(frame), column_labels(frame)
    own = [name for name in names if name in keys[side]]
    rows = computed(arrangement(frame, "__getitem__", (own,), {})) if own else None
    columns: list[Any] = []
    for number, name in enumerate(names):
        if rows is not None and name in keys[side]:
            columns.append(rows[name].set_axis(labels))
        else:
            codes = np.zeros(len(labels), np.int8)
            mark = pandas.CategoricalDtype([f"{MARK} {side} {number}"])
            columns.append(pandas.Series(pandas.Categorical.from_codes(codes, dtype=mark), labels))
    made = pandas.concat(columns, axis=1) if columns else pandas.DataFrame(index=labels)
    made = made.set_axis(names, axis=1)
    if names.nlevels > 1:
        raise NotLazyError("columns have several levels")
    made[f"{MARK} numbers {side}"] = np.arange(len(labels))
    return made


def _source(dtype: Any, side: int) -> int | None:
    """Return the number of the column of a side that a column of the result is."""
    if not isinstance(dtype, pandas.CategoricalDtype) or len(dtype.categories) != 1:
        return None
    mark = dtype.categories[0]
    begin = f"{MARK} {side} "
    return int(mark[len(begin) :]) if isinstance(mark, str) and mark.startswith(begin) else None


def form(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the form of a function of pandas that joins two frames."""

    def call(left: Any, right: Any, **given: Any) -> Any:
        return join(lambda one, other: function(one, other, **given), left, right, given)

    return call
