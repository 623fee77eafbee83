"""Row selection in a DataFrame: all columns at once, in one node of the plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays import row_selection as row_tools
from akdask.arrays.array import Array, of_rows, unlabelled
from akdask.arrays.column_names import axis_number, names_of
from akdask.arrays.row_selection import sample_of
from akdask.engine.node import Frame
from akdask.engine.sources import as_column, literal
from akdask.engine.values import Value
from akdask.errors import ArgumentError, ArgumentTypeError, MissingLabelError, PositionError, SchemaError
from akdask.frames.alignment import mask_on_rows_of
from akdask.frames.columnset import ColumnSet, Select
from akdask.frames.dataframe import DataFrame
from akdask.frames.display import Row
from akdask.frames.index import Index, MultiIndex
from akdask.frames.rows_by_label import demands_all, without_labels
from akdask.frames.series import Series

if TYPE_CHECKING:
    from akdask.frames.series import Series


def select(frame: DataFrame, key: Any) -> Any:
    key = unlabelled(mask_on_rows_of(frame._row_labels, key))
    if isinstance(key, Array):
        return frame._of(frame._columns.on(_choose(*of_rows(key)._as_operand())))
    key = row_tools.row_key(key)
    if isinstance(key, int):
        return _row(frame, key)
    if isinstance(key, slice):
        return frame._of(frame._columns.sliced(key))
    return frame._of(frame._columns.on(_choose(*literal(as_column(key)))))


def _row(frame: DataFrame, position: int) -> Row:
    columns = frame._columns
    one = row_tools.one_row(columns.frame, position)
    row = frame._of(ColumnSet(one, columns.values, columns.kinds)).compute()
    # As single elements are, text is NumPy's.
    values = {name: row[name].iloc[0] for name in columns.values}
    return Row({name: np.str_(value) if type(value) is str else value for name, value in values.items()})


def drop(
    frame: DataFrame,
    keys: Any,
    axis: int | str,
    inplace: bool,
    *,
    columns: str | Iterable[str] | None,
    index: Any,
    errors: str,
) -> DataFrame | None:
    if keys is None and columns is None and index is None:
        raise ArgumentError("nothing is left out.", hint="pass columns= or index=.")
    found = frame._columns if index is None else _without_labels(frame._columns, index, errors)
    if keys is not None and axis_number(axis) == 1:
        found = _without_columns(found, keys, errors)
    elif keys is not None:
        found = _without_positions(found, keys)
    return frame._changed(found if columns is None else _without_columns(found, columns, errors), inplace)


def reset_index(
    frame: DataFrame, size: Any, inplace: bool, *, level: Any, drop: bool | None, names: Any
) -> DataFrame | None:
    columns = frame._columns
    _check_level(columns, size if isinstance(size, str | list | tuple) else level)
    if drop is None:
        drop = columns.index_name is None and names is None and not frame._rules.keeps_unnamed_labels
    if drop:
        return frame._changed(columns.labelled(None), inplace)
    name = _column_of_labels(columns, names)
    if name in columns.values:
        raise SchemaError(f"there is a column {name!r} already.", hint="rename it first, or pass drop=True.")
    labels = columns.index_array()
    return frame._changed(columns.labelled(None).having(name, labels).only([name, *columns.values]), inplace)


def _check_level(columns: ColumnSet, level: Any) -> None:
    """Refuse levels that labels of one level do not have."""
    for one in level if isinstance(level, list | tuple) else [level]:
        if isinstance(one, int | np.integer) and one not in (0, -1):
            raise PositionError(f"the labels have one level, not one of number {one}.", hint="pass level=0.")
        if isinstance(one, str) and one != columns.index_name:
            raise MissingLabelError(f"the labels are not called {one!r}, but {columns.index_name!r}.")


def _column_of_labels(columns: ColumnSet, names: Any) -> str:
    """Return the name of the column that labels become, as pandas chooses it."""
    if names is not None:
        given = [names] if isinstance(names, str) else list(names)
        if len(given) != 1 or not isinstance(given[0], str):
            raise ArgumentTypeError(f"labels of one level take one name, not {names!r}.")
        return given[0]
    if columns.index_name is not None:
        return str(columns.index_name)
    return "level_0" if "index" in columns.values else "index"


def _without_columns(columns: ColumnSet, names: Any, errors: str) -> ColumnSet:
    left_out = names_of(names)
    if demands_all(errors):
        columns.only(left_out)
    return columns.only(name for name in columns.values if name not in left_out)


def _without_positions(columns: ColumnSet, keys: Any) -> ColumnSet:
    keys = list(keys) if isinstance(keys, Iterable) and not isinstance(keys, str) else [keys]
    is_left = np.ones(sum(columns.counted()), np.bool_)
    is_left[[row_tools.row_position(columns.frame, row_tools.position(key)) for key in keys]] = False
    return columns.on(_choose(*literal(is_left)))


def _without_labels(columns: ColumnSet, labels: Any, errors: str) -> ColumnSet:
    remaining = without_labels(Index(columns.index_array()), labels, errors)
    return columns if isinstance(remaining, slice) else columns.on(_choose(*remaining._as_operand()))


def _choose(key_frame: Frame, key: Value) -> Select:
    return lambda frame, values: row_tools.select_columns(frame, values, key_frame, key)


def drop_entries(series: Series, labels: Any, *, index: Any, errors: str) -> Series:
    if (labels is None) == (index is None):
        raise ArgumentError("drop takes labels= or index=, which mean the same.")
    left = without_labels(series.index, index if labels is None else labels, errors)
    return series[:] if isinstance(left, slice) else series._rows(left)


def sample_entries(series: Series, n: int, *, frac: float | None, random_state: Any) -> Series:
    size = len(series)
    count, draw = sample_of(size, n, frac, random_state)
    if count > size:
        raise ArgumentError(f"{count} of {size} entries cannot be chosen.")
    return series._rows(draw.choice(size, count, replace=False))


def reset_series_index(series: Series, level: Any, *, drop: bool, name: str | None, inplace: bool) -> Any:
    index = series.index
    taken = _levels(index, level)
    left = [number for number in range(index.nlevels) if number not in taken]
    labels = _some_levels(index, left)
    if drop:
        dropped = type(series)._of(series.values, labels, series.name)
        if not inplace:
            return dropped
        series._labelled, series._level_names = dropped._labelled, dropped._level_names
        return None
    if inplace:
        raise ArgumentError("labels and values are a DataFrame, which a Series cannot become in place.")
    if len(left) > 1:
        raise ArgumentError(
            "rows of a DataFrame have labels of one level.", hint=f"name all levels but one: {index.names}."
        )
    columns = {_called(index, number): index._levels[number] for number in taken}
    called = name if name is not None else "0" if series.name is None else str(series.name)
    if called in columns:
        raise SchemaError(f"labels and values cannot both be called {called!r}.", hint="pass name=.")
    named = {**columns, called: series.values}
    found = ColumnSet.of(named) if labels is None else ColumnSet.of(named, labels.values, labels.name)
    return DataFrame._of(found)


def _levels(index: Index, level: Any) -> list[int]:
    """Return the numbers of some levels of labels, all if None."""
    if level is None:
        return list(range(index.nlevels))
    found = []
    for one in level if isinstance(level, list | tuple) else [level]:
        number = index.names.index(one) if one in index.names else one
        if not isinstance(number, int | np.integer) or not -index.nlevels <= number < index.nlevels:
            raise ArgumentError(f"there is no level {one!r}.", details=[f"levels: {index.names}"])
        found.append(int(number) % index.nlevels)
    return sorted(found)


def _some_levels(index: Index, numbers: Sequence[int]) -> Index | None:
    """Return labels of some of the levels, none where rows are to be numbered."""
    if not numbers:
        return None
    if len(numbers) == 1:
        return Index(index._levels[numbers[0]], index.names[numbers[0]])
    return MultiIndex([index._levels[at] for at in numbers], names=[index.names[at] for at in numbers])


def _called(index: Index, number: int) -> str:
    """Return the name of the column for a level of labels."""
    name = index.names[number]
    if name is not None:
        return str(name)
    return f"level_{number}" if index.nlevels > 1 else "index"


def sample(frame: DataFrame, n: int, *, frac: float | None, random_state: Any) -> DataFrame:
    size = len(frame)
    count, draw = sample_of(size, n, frac, random_state)
    return frame if count >= size else frame._rows(draw.choice(size, count, replace=False))
