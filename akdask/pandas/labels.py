"""Labels that a frame of pandas may have and a lazy one has not: columns not named by text, rows of several levels.

A lazy frame names its columns by different texts.  `FrameLabels` says what pandas calls them, and which of them are
levels of the labels of the rows.  pandas answers methods that only arrange columns and labels: a `probe` is a
frame of one row, whose cells and labels are the numbers of the columns, so that its result tells where each goes.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import islice
from typing import Any

import dask
import numpy as np
import pandas

from akdask.arrays.array import Array
from akdask.arrays.pdarray import pdarray
from akdask.deferred import loaded_module
from akdask.engine.missing import is_missing
from akdask.engine.node import Frame
from akdask.engine.run import CollectionRows
from akdask.engine.values import Value, apart, nearest_floats, token
from akdask.frames.columnset import INDEX, VALUES, ColumnSet, level_column
from akdask.frames.conversion import ToPandas, ToSeries
from akdask.frames.dataframe import DataFrame
from akdask.frames.elementwise import EXACT, rounded_sides
from akdask.frames.series import Series
from akdask.pandas import tuning
from akdask.pandas.arguments import bound_arguments
from akdask.pandas.face import Face
from akdask.pandas.lazy import (
    LazyFrame,
    LazySeries,
    as_labels,
    check_names,
    column_of,
    counted_labels,
    labels_of,
    lazy_frame,
    plain,
)
from akdask.pandas.refusals import ArrangementError, NotLazyError
from akdask.records import record

ROW_NUMBER = 0
"""Label of the row of a probe whose rows are labelled by their numbers."""


@record
class FrameLabels:
    """What pandas calls the columns of a lazy frame.

    Parameters
    ----------
    columns : pandas.Index
        Labels of the columns, without the levels.
    levels : tuple of (str, hashable)
        Columns of the lazy frame that are levels of the labels of rows, and the names of the levels; none where the
        rows have one level, which the lazy frame knows itself.
    """

    columns: pandas.Index
    levels: tuple[tuple[str, Hashable], ...] = ()


def labels_of_frame(frame: DataFrame) -> FrameLabels | None:
    """Return the labels that a lazy frame has beside its own, None if there are none."""
    found: FrameLabels | None = frame.__dict__.get("_labels")
    return found


def labelled(frame: LazyFrame, labels: FrameLabels | None) -> LazyFrame:
    """Return a lazy frame with labels of pandas, or its own names where these say the same."""
    made = frame._of(frame._columns)
    if labels is not None and not (not labels.levels and _are_names(labels.columns, frame)):
        object.__setattr__(made, "_labels", labels)
    return made


def _are_names(labels: pandas.Index, frame: LazyFrame) -> bool:
    try:
        check_names(labels)
    except NotLazyError:
        return False
    return list(labels) == list(frame._columns.values)


def data_names(frame: LazyFrame) -> list[str]:
    """Return the columns of a lazy frame that are no levels."""
    labels = labels_of_frame(frame)
    levels = {name for name, _ in labels.levels} if labels else ()
    return [name for name in frame._columns.values if name not in levels]


def column_labels(frame: LazyFrame) -> pandas.Index:
    """Return the names that pandas has for the columns."""
    labels = labels_of_frame(frame)
    return pandas.Index(list(frame._columns.values), dtype=None) if labels is None else labels.columns


def computed(frame: Any) -> Any:
    """Return a lazy frame or Series as pandas has it."""
    labels = labels_of_frame(frame) if isinstance(frame, DataFrame) else None
    masked = _masked(frame)
    rows: Any = frame.to_pandas()
    if labels is None or not labels.levels:
        columns = frame._columns if isinstance(frame, DataFrame) else frame._labelled._columns
        rows.index = counted_labels(columns, rows.index)
    return with_labels(_with_types_of_gaps(frame, rows, masked), labels, masked)


def _with_types_of_gaps(lazy: Any, rows: Any, masked: frozenset[Hashable]) -> Any:
    """Return computed rows with the types that pandas has for integers and bools after some of them were missing."""
    columns: ColumnSet = lazy._columns if isinstance(lazy, DataFrame) else lazy._labelled._columns
    had = [name for name in _noted(lazy, masked) if _shows_gaps(rows, name) and had_gaps(_array_of(columns, name))]
    return _retyped(rows, had)


def _noted(lazy: Any, masked: frozenset[Hashable]) -> list[Hashable]:
    """Return the columns of integers and bools, and the labels, which may have been missing in a step before."""
    columns: ColumnSet = lazy._columns if isinstance(lazy, DataFrame) else lazy._labelled._columns
    names = [*columns.values, *([INDEX] if columns.index is not None else [])]
    return [
        name
        for name in names
        if name not in masked and type(array := _array_of(columns, name)) is pdarray and array._earlier
    ]


def coding_of_array(array: Any) -> Any:
    """Return what the numbers of an array stand for, None if they stand for themselves."""
    return vars(array).get("coding")


def _array_of(columns: ColumnSet, name: Hashable) -> Array:
    return columns.index_array() if name is INDEX else columns.array(str(name))


def _shows_gaps(rows: Any, name: Hashable) -> bool:
    """Return whether the type of a column, or of the labels, would be another one after some were missing."""
    if name is INDEX:
        return rows.index.dtype.kind in "iu"
    dtype = rows.dtype if isinstance(rows, pandas.Series) else rows.dtypes[name]
    return isinstance(dtype, np.dtype) and dtype.kind in "iub"


def _retyped(rows: Any, names: Sequence[Hashable]) -> Any:
    """Return computed rows with floats in place of integers in some columns, and objects in place of bools."""
    if not names:
        return rows
    types = dict.fromkeys(names, rows.dtype) if isinstance(rows, pandas.Series) else rows.dtypes
    wanted = {name: np.dtype(object if types[name].kind == "b" else np.float64) for name in names if name is not INDEX}
    if wanted:
        rows = rows.astype(wanted if isinstance(rows, pandas.DataFrame) else wanted[VALUES])
    if INDEX in names:
        rows.index = rows.index.astype(np.float64)
    return rows


def had_gaps(array: Any, *, or_has: bool = False) -> bool:
    """Return whether integers or bools were missing in a step before, so that pandas has another type; computes.

    With `or_has`, also whether some are missing now.
    """
    if type(array) is not pdarray:
        return False
    steps = dict.fromkeys(array._with_gaps() if or_has else array._earlier)
    if not steps:
        return False
    first, *others = [pdarray(*_lacks(step)).any() for step in steps]
    return bool(first.value()) or any(dask.compute(*others))


def _lacks(step: tuple[Frame, Value]) -> tuple[Frame, Value]:
    frame, value = step
    return frame, is_missing(value)


def settled(array: Any) -> Any:
    """Return integers as pandas has them: floats if some were missing, otherwise without note of that; computes."""
    if type(array) is not pdarray or array._value.dtype.kind not in ("int", "uint") or not array._with_gaps():
        return array
    value = array._value
    if had_gaps(array, or_has=True):
        return pdarray(array._frame, nearest_floats(value))
    return pdarray(array._frame, apart(value)[0] if value.dtype.is_nullable_number else value)


def settled_columns(lazy: Any) -> Any:
    """Return a lazy frame or Series with settled columns, the same one if all are; computes."""
    columns: ColumnSet = lazy._columns if isinstance(lazy, DataFrame) else lazy._labelled._columns
    changed = {
        name: after for name in columns.values if (after := settled(before := columns.array(name))) is not before
    }
    if not changed:
        return lazy
    for name, array in changed.items():
        columns = columns.having(name, array)
    return relabelled(lazy._of(columns), lazy) if isinstance(lazy, DataFrame) else lazy._on_columns(columns)


def settled_operands(name: str, items: Sequence[Any]) -> list[Any]:
    """Return the operands of an operator; integers are floats where they were missing, or are compared with floats."""
    made = _settled_operands(name, items)
    sides = [item for item in made if isinstance(item, Series)]
    are_bools = list(map(_is_of_bools, sides))
    are_counted = len(made) == 2 and name.strip("_") not in COMPARISONS and all(map(_has_bools, made))
    if are_counted and not made[0]._row_labels.are_those_of(made[1]._row_labels):
        raise NotLazyError("truth values of frames are lined up by their labels")
    is_counted = len(sides) == 2 and all(are_bools) and name.strip("_") not in (*LOGIC, *COMPARISONS)
    if is_counted and ("pow" in name or not sides[0]._row_labels.are_those_of(sides[1]._row_labels)):
        raise NotLazyError("truth values are counted, or lined up by their labels")
    if any(are_bools) and not all(are_bools) and name.strip("_") in LOGIC:
        raise NotLazyError("truth values beside numbers")
    if name.strip("_") not in COMPARISONS or len(made) != 2:
        return made
    return [*_rounded(*made)]


def _has_bools(item: Any) -> bool:
    return isinstance(item, DataFrame) and any(value.dtype.kind == "bool" for value in item._columns.values.values())


COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")

LOGIC = ("and", "or", "xor", "rand", "ror", "rxor")


def _rounded(one: Any, other: Any) -> tuple[Any, Any]:
    """Return the sides of a comparison with integers rounded as NumPy rounds them beside floats."""
    if isinstance(one, DataFrame) or isinstance(other, DataFrame):
        return _rounded_frames(one, other)
    arrays = [item._labelled._columns.array(VALUES) if isinstance(item, Series) else item for item in (one, other)]
    pairs = zip((one, other), arrays, rounded_sides(*arrays), strict=True)
    sides = [
        item if made is array else LazySeries.under(item._with(made)) if isinstance(item, Series) else made
        for item, array, made in pairs
    ]
    return sides[0], sides[1]


def _rounded_frames(one: Any, other: Any) -> tuple[Any, Any]:
    if not isinstance(one, DataFrame):
        return _rounded_frames(other, one)[::-1]
    if isinstance(other, Series) or not isinstance(other, DataFrame | int | float | np.number):
        return one, other
    sides: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
    values = []
    for name in one._columns.values:
        array = one._columns.array(name)
        if isinstance(other, DataFrame) and name not in other._columns.values:
            continue
        beside = other._columns.array(name) if isinstance(other, DataFrame) else other
        found, its = rounded_sides(array, beside)
        if found is not array:
            sides[0][name] = found
        if not isinstance(other, DataFrame):
            values.append(its)
        elif its is not beside:
            sides[1][name] = its
    if any(type(value) is not type(values[0]) for value in values):
        raise NotLazyError("columns of floats and of integers are compared with a large integer")
    other = values[0] if values else other
    changed = [
        relabelled(item._with_columns(_arrays_of(item) | made), item) if made else item
        for item, made in zip((one, other), sides, strict=True)
    ]
    return changed[0], changed[1]


def _arrays_of(frame: Any) -> dict[str, Any]:
    return {name: frame._columns.array(name) for name in frame._columns.values}


def _settled_operands(name: str, items: Sequence[Any]) -> list[Any]:
    given = [item for item in items if isinstance(item, DataFrame | Series)]
    values: list[Any] = [item for item in items if isinstance(item, int | float | np.number)]
    are_exact = len(values) == len(items) - 1 and all(abs(value) < EXACT for value in values)
    if (
        not any(_may_lack_integers(item) for item in given)
        or any(isinstance(value, float) for value in values)
        or name.strip("_") in ("truediv", "rtruediv")
        or (name.strip("_") in COMPARISONS and are_exact)
    ):
        return list(items)
    made = [settled_columns(item) if isinstance(item, DataFrame | Series) else item for item in items]
    if all(isinstance(item, Series) for item in made) and any(_is_of_floats(item) for item in made):
        # NumPy rounds integers before it compares them with floats.
        return [item if _is_of_floats(item) else item.astype("float64") for item in made]
    return made


def _is_of_bools(series: Series) -> bool:
    return series._labelled._columns.array(VALUES)._value.dtype.kind == "bool"


def _is_of_floats(series: Series) -> bool:
    array = series._labelled._columns.array(VALUES)
    return type(array) is not pdarray or array._value.dtype.kind not in ("int", "uint")


def _may_lack_integers(lazy: Any) -> bool:
    columns: ColumnSet = lazy._columns if isinstance(lazy, DataFrame) else lazy._labelled._columns
    return any(
        type(columns.kinds[name]) is pdarray and value.dtype.kind != "bool" and columns.array(name)._with_gaps()
        for name, value in columns.values.items()
    )


def _masked(lazy: Any) -> frozenset[Hashable]:
    """Return which columns have pandas' nullable types by themselves; the column of a Series is `VALUES`."""
    encoded = loaded_module("akdask.pandas.encoded")
    return frozenset() if encoded is None else encoded.masked(lazy)


def with_labels(rows: Any, labels: FrameLabels | None, masked: frozenset[Hashable] = frozenset()) -> Any:
    """Return computed rows with the labels and types that pandas has for them."""
    found = plain(rows, masked)
    if labels is None:
        return found
    if labels.levels:
        found = found.set_index([name for name, _ in labels.levels])
        found.index.names = [name for _, name in labels.levels]
    found.columns = labels.columns
    return found


@record
class InPandas:
    """Makes what pandas has of the rows of a lazy frame or Series.

    Parameters
    ----------
    form : ToPandas or ToSeries
        Makes rows of a table, as the lazy object does.
    labels : FrameLabels, optional
        Labels that the rows get.
    masked : frozenset
        Columns that have pandas' nullable types by themselves.
    noted : tuple of (hashable, int)
        Columns of integers and bools of which some may have been missing in a step before, and how many of the last
        further arguments tell whether they were; those of the first column come first.
    """

    form: ToPandas | ToSeries
    labels: FrameLabels | None
    masked: frozenset[Hashable] = frozenset()
    noted: tuple[tuple[Hashable, int], ...] = ()

    @property
    def token(self) -> str:
        """Names the form in plans."""
        given = self.labels
        return token(
            "in pandas",
            self.form.token,
            None if given is None else (list(given.columns), given.levels),
            sorted(map(str, self.masked)),
            [(str(name), count) for name, count in self.noted],
        )

    def __call__(self, table: Any, *extras: Any, **options: Any) -> Any:
        """Return the rows."""
        begin = len(extras) - sum(count for _, count in self.noted)
        given, flags = extras[:begin], iter(extras[begin:])
        had = [name for name, count in self.noted if any(map(bool, [*islice(flags, count)]))]
        rows = self.form(table, *given, **options)
        rows = _retyped(rows, [name for name in had if _shows_gaps(rows, name)])
        return with_labels(rows, self.labels, self.masked)


def plan(lazy: DataFrame | Series) -> CollectionRows:
    """Return the plan of what pandas has of a lazy frame or Series."""
    rows = lazy.expr
    labels = labels_of_frame(lazy) if isinstance(lazy, DataFrame) else None
    form: Any = rows.form
    masked = _masked(lazy)
    columns: ColumnSet = lazy._columns if isinstance(lazy, DataFrame) else lazy._labelled._columns
    arrays: dict[Hashable, Any] = {name: _array_of(columns, name) for name in _noted(lazy, masked)}
    flags = [pdarray(*_lacks(step)).any()._expr for array in arrays.values() for step in array._earlier]
    noted = tuple((name, len(array._earlier)) for name, array in arrays.items())
    return CollectionRows(rows.frame, InPandas(form, labels, masked, noted), (*rows.extras, *flags), rows.limit)


def relabelled(found: Any, like: Any) -> Any:
    """Return a lazy object with the labels of another one."""
    return labelled(found, labels_of_frame(like)) if isinstance(found, LazyFrame) else found


def made_of(series: LazySeries, source: LazySeries) -> LazySeries:
    """Return a Series that is made of another one, whose integers pandas has as floats if some were missing there."""
    values = series.values
    if type(values) is not pdarray or type(source.values) is not pdarray or not source.values._with_gaps():
        return series
    noted = values._like(values._frame, values._value)._made_of([source.values])
    columns = series._labelled._columns
    return LazySeries.under(series._on_columns(columns.having(VALUES, noted)))


def types_of(frame: LazyFrame) -> pandas.Series:
    """Return the types of the columns as pandas has them; looks for missing values where these change the type."""
    found = computed(by_rows(frame, lambda rows: rows.head(0))).dtypes
    types = [
        type_with_gaps(column_of(frame, name, None), dtype)
        for name, dtype in zip(data_names(frame), found, strict=True)
    ]
    return found if all(map(operator.is_, types, found)) else pandas.Series(types, found.index, dtype=object)


def type_with_gaps(series: Series, dtype: Any) -> Any:
    """Return the type that pandas has for a column whose type without missing values is given; may compute."""
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iub":
        return dtype
    if not had_gaps(series.values, or_has=True):
        return dtype
    return np.dtype(object if dtype.kind == "b" else np.float64)


def row_labels(frame: LazyFrame) -> pandas.Index:
    """Return the labels of the rows as pandas has them; computes them alone, and counts rows without any."""
    known: pandas.Index | None = frame.__dict__.get("_row_labels_at_hand")
    if known is None:
        labels = labels_of_frame(frame)
        if labels is None or not labels.levels:
            known = labels_of(frame)
        else:
            levels = frame._of(frame._columns.only([name for name, _ in labels.levels])).to_pandas()
            known = pandas.MultiIndex.from_frame(levels, names=[name for _, name in labels.levels])
        object.__setattr__(frame, "_row_labels_at_hand", known)
    return known


def with_row_labels(frame: LazyFrame, rows: pandas.Index) -> LazyFrame:
    """Return a frame with labels of pandas for its rows."""
    if labels_of_frame(frame) is not None:
        raise NotLazyError("columns or rows have labels of their own")
    is_range = isinstance(rows, pandas.RangeIndex) and rows.equals(pandas.RangeIndex(len(frame))) and rows.name is None
    return LazyFrame._of(frame._columns.labelled(None if is_range else as_labels(rows).values, rows.name))


def named(lazy: Any, index: list[Hashable] | None = None, columns: list[Hashable] | None = None) -> Any:
    """Return a lazy object with other names of its levels; the same one if it has these names."""
    if isinstance(lazy, Series):
        if index is None or lazy._level_names or lazy._labelled._columns.index_name == index[0]:
            return lazy
        return lazy._on_columns(_with_name(lazy._labelled._columns, index[0]))
    labels = labels_of_frame(lazy)
    if labels is not None and labels.levels:
        names = [name for _, name in labels.levels]
        levels = tuple(zip([column for column, _ in labels.levels], index or names, strict=True))
    else:
        names, levels = [lazy._columns.index_name], ()
    known = column_labels(lazy)
    if (index is None or index == names) and (columns is None or columns == list(known.names)):
        return lazy
    own = lazy._columns if levels or index is None else _with_name(lazy._columns, index[0])
    return labelled(LazyFrame._of(own), FrameLabels(known if columns is None else known.set_names(columns), levels))


def _with_name(columns: ColumnSet, name: Hashable) -> ColumnSet:
    return columns.labelled(None if columns.index is None else columns.index_array(), name)


# probes


def probe(frame: LazyFrame) -> pandas.DataFrame:
    """Return a row of the numbers of the columns, from 1, labelled by the numbers of the levels, from -1 down."""
    labels, columns = labels_of_frame(frame), frame._columns
    names = column_labels(frame)
    # As an array, which pandas takes as it is: a list takes it six times as long.
    numbers = np.arange(1, len(names) + 1, dtype=np.int64).reshape(1, -1)
    if labels is not None and labels.levels:
        levels = [[-number] for number in range(1, len(labels.levels) + 1)]
        index: Any = pandas.MultiIndex.from_arrays(levels, names=[name for _, name in labels.levels])
    elif columns.index is not None:
        index = pandas.Index([-1], name=columns.index_name)
    else:
        index = pandas.RangeIndex(ROW_NUMBER, ROW_NUMBER + 1, name=columns.index_name)
    return pandas.DataFrame(numbers, columns=names, index=index)


def arranged(frame: LazyFrame, found: Any, more: Array | None = None) -> Any:
    """Return the frame as pandas has arranged its probe.

    Parameters
    ----------
    frame : LazyFrame
        The frame.
    found : pandas.DataFrame or pandas.Series
        The probe, arranged.
    more : Array, optional
        A further column, which has the next number.

    Raises
    ------
    NotLazyError
        If the probe has become something else than its numbers, arranged.
    """
    if isinstance(found, pandas.Series):
        if len(found) != 1:
            raise NotLazyError("its result is no column")
        return series_of(arranged(frame, found.to_frame(VALUES), more), found.name)
    if not isinstance(found, pandas.DataFrame) or len(found) != 1:
        raise NotLazyError("its result is no frame")
    data = [_without_frequency(_array(frame, number, more)) for number in found.iloc[0]]
    levels = [_array(frame, number) for number in _label_numbers(found.index)]
    if len(levels) > 1:
        levels = [*map(_without_frequency, levels)]
    names = _internal_names(found.columns)
    columns = dict(zip(names, data, strict=True))
    if len(levels) > 1:
        level_names = [unused(level_column(number), columns) for number in range(len(levels))]
        with_levels = {**dict(zip(level_names, levels, strict=True)), **columns}
        return labelled(
            LazyFrame._of(_beside(frame, with_levels, None, None)),
            FrameLabels(found.columns, tuple(zip(level_names, found.index.names, strict=True))),
        )
    made = LazyFrame._of(_beside(frame, columns, levels[0] if levels else None, found.index.name))
    return labelled(made, FrameLabels(found.columns))


def _beside(frame: LazyFrame, columns: dict[str, Array | None], index: Array | None, name: Hashable) -> ColumnSet:
    own = frame._columns
    if not columns:
        raise NotLazyError("no column is left")
    if any(array is None for array in columns.values()):
        numbers = own.index_array()
        columns = {key: numbers if array is None else array for key, array in columns.items()}
    made = ColumnSet.of(columns, index, name)  # type: ignore[arg-type]
    return made if index is not None else made.labelled(None, name)


def _array(frame: LazyFrame, number: Any, more: Array | None = None) -> Array | None:
    """Return the column or level of a number, None for the numbers of the rows."""
    if not isinstance(number, int) and not hasattr(number, "__index__"):
        raise NotLazyError("a cell is of another type")
    number, own, labels = int(number), frame._columns, labels_of_frame(frame)
    if number > 0:
        names = data_names(frame)
        return more if number == len(names) + 1 else own.array(names[number - 1])
    if number == ROW_NUMBER:
        return None
    return own.array(labels.levels[-number - 1][0]) if labels is not None and labels.levels else own.index_array()


def _without_frequency(array: Array | None) -> Array | None:
    regular = loaded_module("akdask.pandas.frequencies")
    return array if regular is None else regular.plain(array)


def _label_numbers(index: pandas.Index) -> Sequence[Any]:
    if isinstance(index, pandas.MultiIndex):
        return list(index[0])
    if isinstance(index, pandas.RangeIndex) or index[0] == ROW_NUMBER:
        return []
    return [index[0]]


def _internal_names(labels: pandas.Index) -> list[str]:
    try:
        check_names(labels)
    except NotLazyError:
        return [f"column {number}" for number in range(len(labels))]
    return list(labels)


def unused(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name = f"{name}_"
    return name


def series_of(frame: LazyFrame, name: Hashable) -> LazySeries:
    """Return the only column of a frame as a Series."""
    (column,) = data_names(frame)
    labels = labels_of_frame(frame)
    if labels is None or not labels.levels:
        return column_of(frame, column, name)
    made = LazySeries.__new__(LazySeries)
    made.name, made._level_names = name, tuple(level for _, level in labels.levels)
    renamed = {old: level_column(number) for number, (old, _) in enumerate(labels.levels)} | {column: VALUES}
    own = frame._columns.renamed(renamed)
    made._labelled = DataFrame._of(own)
    return made


def framed(series: Series, name: Hashable) -> LazyFrame:
    """Return a Series as a frame of one column, with its levels."""
    columns = series._labelled._columns
    if not series._level_names and isinstance(name, str):
        return LazyFrame._of(columns.renamed({VALUES: name}))
    levels = tuple(zip(map(level_column, range(len(series._level_names))), series._level_names, strict=True))
    return labelled(LazyFrame._of(columns), FrameLabels(pandas.Index([name]), levels))


# methods of columns below their labels


def below_labels(frame: LazyFrame) -> LazyFrame:
    """Return the columns of a frame without its levels; rows without any other labels have their numbers."""
    return LazyFrame._of(frame._columns.only(data_names(frame)))


def by_rows(frame: LazyFrame, method: Callable[[LazyFrame], Any]) -> LazyFrame:
    """Apply a method that chooses or orders rows; levels move with their rows."""
    return labelled(LazyFrame.under(method(frame._of(frame._columns))), labels_of_frame(frame))


def under_rows(frame: LazyFrame, name: str, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a method that chooses or orders rows; levels move with their rows.

    Raises
    ------
    NotLazyError
        If the labels are renumbered, or an argument is no column.
    """
    given = bound_arguments(pandas.DataFrame, name, args, kwargs)
    ignores = given.pop("ignore_index", False)
    if "key" in given and given["key"] is not None:
        raise NotLazyError("the order is that of a function of columns")
    for word in ("by", "columns", "subset"):
        if given.get(word) is not None:
            given[word] = inner_names(frame, given[word])
        elif word == "subset" and word in given:
            given[word] = data_names(frame)
    rows = call(LazyFrame._of(frame._columns), **given).lazy()
    if isinstance(rows, Series):
        return series_of(labelled(LazyFrame._of(_with_levels(frame, rows._labelled._columns)), _one_name(frame)), None)
    found = labelled(LazyFrame.under(rows), labels_of_frame(frame))
    return arrangement(found, "reset_index", (), {"drop": True}) if ignores else found


def _one_name(frame: LazyFrame) -> FrameLabels:
    labels = labels_of_frame(frame)
    return FrameLabels(pandas.Index([VALUES]), labels.levels if labels else ())


def _with_levels(frame: LazyFrame, columns: ColumnSet) -> ColumnSet:
    """Return columns on the rows of a frame with the levels of the frame."""
    labels = labels_of_frame(frame)
    levels = {name: frame._columns.array(name) for name, _ in labels.levels} if labels else {}
    return columns.beside({**levels, **{name: columns.array(name) for name in columns.values}})


def under_values(frame: LazyFrame, call: Callable[..., Any], args: Any, kwargs: Any) -> LazyFrame:
    """Call a method that gives a value for each value; labels stay."""
    if any(kwargs.get(word) is not None for word in ("freq", "inplace", "level")) or kwargs.get("axis") in (
        1,
        "columns",
    ):
        raise NotLazyError("an argument asks for labels")
    below = below_labels(frame)
    found = call(below, *(_operand(frame, one) for one in args), **{k: _operand(frame, v) for k, v in kwargs.items()})
    columns = found.lazy()._columns
    if list(columns.values) != list(below._columns.values):
        raise NotLazyError("the columns change")
    return labelled(LazyFrame._of(_with_levels(frame, columns)), labels_of_frame(frame))


def _operand(frame: LazyFrame, given: Any) -> Any:
    """Return an argument without labels, if these are those of the frame.

    Raises
    ------
    NotLazyError
        If they may differ, or a mapping names columns.
    """
    from akdask.pandas.selection import labels_of_rows

    if isinstance(given, dict | pandas.Series | pandas.DataFrame | list | tuple):
        raise NotLazyError("an argument names columns")
    if isinstance(given, Face):
        given = given.lazy()
        if not labels_of_rows(frame).are_those_of(labels_of_rows(given)):
            raise NotLazyError("labels are not aligned lazily")
        if isinstance(given, Series):
            raise NotLazyError("a Series names columns")
        if not column_labels(given).equals(column_labels(frame)):
            raise NotLazyError("columns are not aligned lazily")
        names = dict(zip(data_names(given), data_names(frame), strict=True))
        return LazyFrame._of(below_labels(given)._columns.renamed(names))
    return given


def under_reductions(frame: LazyFrame, call: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Call a method that reduces columns or rows; what is left of the columns or rows has their labels."""
    if any(isinstance(one, dict | Face) for one in (*args, *kwargs.values())):
        raise NotLazyError("an argument names columns")
    found = call(below_labels(frame), *args, **kwargs)
    if not isinstance(found, Face):
        return found
    if kwargs.get("axis") in (1, "columns") or (args and args[0] in (1, "columns")):
        columns = found.lazy()._labelled._columns
        made = labelled(LazyFrame._of(_with_levels(frame, columns)), _one_name(frame))
        return series_of(made, found.lazy().name)
    rows = found.to_pandas()
    if len(rows) > max(len(data_names(frame)), tuning.REDUCED_ROWS):
        raise NotLazyError("its result is no reduction")
    names, inner = column_labels(frame), pandas.Index(data_names(frame))
    for axis in range(rows.ndim):
        numbers = inner.get_indexer(rows.axes[axis])
        if (numbers >= 0).all():
            rows = rows.set_axis(names.take(numbers), axis=axis)
    return rows


def inner_names(frame: LazyFrame, given: Any) -> Any:
    """Return the columns of the lazy frame that one or several labels name, levels of rows among them.

    Raises
    ------
    NotLazyError
        If a label names none, or several.
    """
    if isinstance(given, list):
        return [inner_names(frame, one) for one in given]
    names, labels = column_labels(frame), labels_of_frame(frame)
    levels = {name: column for column, name in labels.levels} if labels else {}
    is_column = list(names).count(given)
    if is_column == 1 and given not in levels:
        return data_names(frame)[list(names).index(given)]
    if not is_column and given in levels:
        return levels[given]
    raise NotLazyError(f"{given!r} is not one column")


def flattened(frame: LazyFrame, levels: Iterable[Hashable] | None = None) -> LazyFrame:
    """Return a frame with its levels, or some of them, as columns of their names.

    Raises
    ------
    NotLazyError
        If names are not text, or repeat.
    """
    labels, inner = labels_of_frame(frame), list(frame._columns.values)
    if labels is None:
        return frame
    outer = dict(zip(data_names(frame), labels.columns, strict=True)) | dict(labels.levels)
    wanted = [name for name in inner if levels is None or name in data_names(frame) or outer[name] in [*levels]]
    names = [outer[name] for name in wanted]
    if len({*names}) < len(names) or not all(isinstance(name, str) for name in names):
        raise NotLazyError("names of columns and levels are not text, or repeat")
    return LazyFrame._of(frame._columns.only(wanted).renamed({name: str(outer[name]) for name in wanted}))


# from pandas


def lazily(rows: pandas.DataFrame) -> LazyFrame:
    """Return rows of pandas as a lazy frame, whatever their columns are called and how many levels their labels have.

    Raises
    ------
    NotLazyError
        If a column or level is of a type that the engine does not compute with, or there are no columns.
    """
    names = _internal_names(rows.columns)
    if not names:
        raise NotLazyError("there are no columns")
    renamed = rows.set_axis(pandas.Index(names), axis=1)
    index, levels = rows.index, list[tuple[str, Hashable]]()
    if isinstance(index, pandas.MultiIndex):
        if index.nlevels == 1:
            raise NotLazyError("rows have levels of which there is one")
        levels = [(unused(level_column(number), names), name) for number, name in enumerate(index.names)]
        values = {column: index.get_level_values(number) for number, (column, _) in enumerate(levels)}
        renamed = pandas.concat([pandas.DataFrame(values), renamed.reset_index(drop=True)], axis=1)
    return labelled(lazy_frame(renamed), FrameLabels(rows.columns, tuple(levels)))


def chosen_by_name(frame: LazyFrame, key: Any) -> LazyFrame | LazySeries | None:
    """Return a column, or the columns of a list, of a frame without labels beside its own, as its probe would.

    None where a key is no text, repeats or names no column: pandas has more to say of these.
    """
    names = [key] if type(key) is str else key
    own = frame._columns
    if type(names) is not list or not names or not all(type(name) is str and name in own.values for name in names):
        return None
    if len({*names}) < len(names):
        return None
    chosen = own.only(names)
    for name in names:
        if _without_frequency(own.kinds[name]) is not own.kinds[name]:
            chosen = chosen.having(name, _without_frequency(own.array(name)))  # type: ignore[arg-type]
    return LazyFrame._of(chosen) if names is key else column_of(LazyFrame._of(chosen), key, key)


def arrangement(frame: LazyFrame, name: str, args: Any, kwargs: Any) -> Any:
    """Apply a method of pandas that only arranges columns and labels to a frame."""
    kwargs = {word: value for word, value in kwargs.items() if word != "inplace"}
    if (
        name == "__getitem__"
        and labels_of_frame(frame) is None
        and (chosen := chosen_by_name(frame, *args)) is not None
    ):
        return chosen
    try:
        found = getattr(probe(frame), name)(*args, **kwargs)
    except Exception as error:
        raise ArrangementError(error) from error
    return arranged(frame, found)
