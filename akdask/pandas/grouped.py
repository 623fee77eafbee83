"""Groups of pandas' face: the rows of a lazy frame, or the values of a lazy Series, by keys."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.groupby import ColumnGroups
from akdask.arrays.strings import Strings
from akdask.columns.dtypes import NULLABLE_INT64, NULLABLE_UINT8, NULLABLE_UINT64
from akdask.frames.alignment import on_rows_of
from akdask.frames.columnset import VALUES
from akdask.frames.groupby import DataFrameGroupBy
from akdask.frames.index import Index
from akdask.frames.series import Series
from akdask.pandas import labels as labelling
from akdask.pandas.lazy import LazyFrame, LazySeries, labels_of
from akdask.pandas.refusals import AbsentColumnError, NotLazyError


def key_column(number: int) -> str:
    return f"key {number}"


class Grouped:
    """Rows of a lazy frame, or values of a lazy Series, by keys.

    Parameters
    ----------
    rows : LazyFrame
        The columns, by names of their own: their positions.
    called : pandas.Index or list of str
        What pandas calls the columns.
    keys : list of Array
        The keys, on these rows.
    names : list of hashable
        Names of the keys.
    own : mapping of int to int
        Numbers of keys that are columns of the frame, and positions of these.
    is_series : bool
        Whether there is one column, which is a Series.
    options : mapping
        ``as_index``, ``sort``, ``dropna``, ``observed`` and ``group_keys``.
    """

    def __init__(
        self,
        rows: LazyFrame,
        called: pandas.Index | list[str],
        keys: list[Array],
        names: list[Hashable],
        own: Mapping[int, int],
        *,
        is_series: bool,
        options: Mapping[str, bool],
    ) -> None:
        self.rows, self.called, self.keys, self.names, self.own = rows, called, keys, names, own
        self.is_series, self.options = is_series, options
        self.chosen: list[int] | None = [0] if is_series else None
        self.is_wide = False
        self.key_types: dict[int, Any] = {}
        given = keys[0] if len(keys) == 1 else keys
        self._groups = ColumnGroups(given, dropna=options["dropna"])
        self.house = self.house_of(rows)

    def house_of(self, rows: LazyFrame) -> DataFrameGroupBy:
        """Return the groups of the house with other columns on the same rows."""
        names = list(map(key_column, range(len(self.keys))))
        return DataFrameGroupBy(self._groups, rows, names, False, sort=self.options["sort"])

    @cached_property
    def labels(self) -> pandas.Index:
        """What pandas calls the columns; most groups have no use for the object, which takes a fifth of their time."""
        return self.called if isinstance(self.called, pandas.Index) else pandas.Index(self.called)

    @property
    def positions(self) -> list[int]:
        """Positions of the columns that are reduced."""
        if self.chosen is not None:
            return self.chosen
        return [number for number in range(len(self.called)) if number not in self.own.values()]

    def position(self, label: Any) -> int:
        """Return the position of a column by its label."""
        try:
            found = _location(self.called, label)
        except (KeyError, TypeError, ValueError):
            raise AbsentColumnError(f"there is no column {label!r}") from None
        if not isinstance(found, int) or (self.chosen is not None and found not in self.chosen):
            raise NotLazyError(f"{label!r} is no single column")
        return found

    def column(self, position: int) -> Array:
        return self.rows._columns.array(str(position))

    def coding(self, position: int) -> Any:
        """Return the coding of the numbers of a column, None if they stand for themselves."""
        return labelling.coding_of_array(self.rows._columns.kinds[str(position)])

    def kind(self, position: int) -> str:
        return kind_of_values(self.column(position))

    def choose(self, key: Any) -> Grouped:
        """Return the same groups with some columns, or with one as a Series."""
        if any(isinstance(one, tuple) and len(one) > 1 for one in (key if isinstance(key, list) else [key])):
            raise NotLazyError("pandas refuses a tuple as the label of a column of groups")
        made = copy(self)
        made.chosen = [self.position(one) for one in key] if isinstance(key, list) else [self.position(key)]
        made.is_series = not isinstance(key, list)
        return made

    def settled(self) -> Grouped:
        """Return the same groups with floats in place of chosen integers of which some were missing; computes."""
        columns = self.rows._columns
        changed = {
            name: after
            for name in map(str, self.positions)
            if (after := labelling.settled(before := columns.array(name))) is not before
        }
        if not changed:
            return self
        made = copy(self)
        made.rows = LazyFrame._of(columns.beside({**{n: columns.array(n) for n in columns.values}, **changed}))
        made.house = self.house_of(made.rows)
        return made

    @property
    def in_house(self) -> Any:
        """The groups of the house, with the chosen columns."""
        return self.house[list(map(str, self.positions))]


def kind_of_values(column: Array) -> str:
    """Return a letter for the type of values, as NumPy has it: ``iufbMmU``, and ``C`` for categories."""
    if isinstance(column, Categorical):
        return "C"
    if isinstance(column, Strings):
        return "U"
    if isinstance(column, Datetime):
        return "M"
    if isinstance(column, Timedelta):
        return "m"
    dtype: Any = column.dtype
    return "O" if isinstance(dtype, pandas.api.extensions.ExtensionDtype) else str(np.dtype(dtype).kind)


# making groups


def of_frame(frame: LazyFrame, by: Any = None, level: Any = None, **options: Any) -> Any:
    """Return the rows of a frame in groups."""
    if by is None and level is None:
        raise NotLazyError("there are no keys")
    own_labels, data = labelling.labels_of_frame(frame), labelling.data_names(frame)
    labels = data if own_labels is None else own_labels.columns
    if isinstance(labels, pandas.Index) and not labels.is_unique:
        raise NotLazyError("columns repeat")
    given = _given_keys(by)
    types = {number: key.dtype for number, key in enumerate(given) if _is_narrow(key)}
    if level is not None:
        given = [_level(frame, one) for one in (level if isinstance(level, list | tuple) else [level])]
    elif len(given) == 1 and isinstance(given[0], pandas.Grouper):
        return _by_time(frame, given[0])
    keys, names, own = [], list[Hashable](), dict[int, int]()
    for number, key in enumerate(given):
        found, name, position = key if isinstance(key, tuple) and len(key) == 3 else _key(frame, labels, data, key)
        keys.append(found)
        names.append(name)
        if position is not None:
            own[number] = position
    if not data:
        raise NotLazyError("there are no columns")
    numbered = {name: str(position) for position, name in enumerate(data)}
    rows = LazyFrame._of(frame._columns.only(data).renamed(numbered))
    keys = [labelling.settled(key) if level is not None else _with_text(labelling.settled(key)) for key in keys]
    made = Grouped(rows, labels, keys, names, own, is_series=False, options=_options(options))
    made.is_wide, made.key_types = _is_wide(frame), types | _missing_integers(keys)
    return made


def _with_text(key: Array) -> Array:
    """Return a key with text in place of Python's objects that are text, as pandas labels groups."""
    from akdask.pandas.encoded import EncodedArray, ObjectText

    return (
        Strings(key._frame, key._value) if isinstance(key, EncodedArray) and isinstance(key.coding, ObjectText) else key
    )


def _missing_integers(keys: Sequence[Array]) -> dict[int, Any]:
    """Return the numbers of keys that pandas has as floats, since some integers are missing."""
    nullable = (NULLABLE_INT64, NULLABLE_UINT64, NULLABLE_UINT8)
    return {
        number: np.dtype(np.float64)
        for number, key in enumerate(keys)
        if key._value.dtype in nullable and kind_of_values(key) in "iu" and bool(Series(key).isna().any())
    }


def of_series(series: LazySeries, by: Any = None, level: Any = None, **options: Any) -> Grouped:
    """Return the values of a Series in groups."""
    columns = series._labelled._columns
    frame = labelling.framed(series, series.name)
    if isinstance(by, str) or (by is None and level is None):
        raise NotLazyError("the key is no array")
    if level is not None:
        given = [_level(frame, one) for one in (level if isinstance(level, list | tuple) else [level])]
    else:
        given = [_array_key(frame, key) for key in (by if isinstance(by, list) else [by])]
    rows = LazyFrame._of(columns.only([VALUES]).renamed({VALUES: "0"}))
    keys, names = [key for key, _, _ in given], [name for _, name, _ in given]
    keys = [labelling.settled(key) if level is not None else _with_text(labelling.settled(key)) for key in keys]
    labels = pandas.Index([series.name])
    made = Grouped(rows, labels, keys, names, {}, is_series=True, options=_options(options))
    made.is_wide, made.key_types = _is_wide(frame), _missing_integers(keys)
    return made


def _is_wide(frame: LazyFrame) -> bool:
    labels = labelling.labels_of_frame(frame)
    return labels is not None and bool(labels.levels)


def _by_time(frame: LazyFrame, grouper: Any) -> Any:
    """Return rows in bins of a Grouper."""
    if grouper.freq is None or labelling.labels_of_frame(frame) is not None or grouper.level is not None:
        raise NotLazyError("a Grouper without a frequency, or of a level")
    from akdask.pandas.resample_forms import Binned

    return Binned(frame.groupby(grouper), grouper.freq)


def _options(given: Mapping[str, Any]) -> dict[str, bool]:
    defaults = {"as_index": True, "sort": True, "group_keys": True, "observed": True, "dropna": True}
    return {**defaults, **given}


def _is_narrow(key: Any) -> bool:
    """Return whether a key is an array whose type the house does not keep."""
    return isinstance(key, np.ndarray | pandas.Index) and key.dtype.kind in "iuf"


def _given_keys(by: Any) -> list[Any]:
    if not isinstance(by, list):
        return [by]
    if not by:
        raise NotLazyError("there are no keys")
    return by


def _location(called: pandas.Index | list[str], label: Any) -> Any:
    """Return the position of a label, or what pandas has for labels that repeat."""
    return called.get_loc(label) if isinstance(called, pandas.Index) else called.index(label)


def _only_position(labels: pandas.Index | list[str], label: Any) -> int:
    found = _location(labels, label)
    if not isinstance(found, int):
        raise NotLazyError(f"{label!r} is no single column")
    return found


def _key(
    frame: LazyFrame, labels: pandas.Index | list[str], data: list[str], key: Any
) -> tuple[Array, Hashable, int | None]:
    if isinstance(key, pandas.Grouper):
        return _bins(frame, labels, key)
    if isinstance(key, Hashable) and not callable(key) and not isinstance(key, Array | Series | Index):
        levels = _level_names(frame)
        is_column = key in labels
        if is_column and key in levels:
            raise NotLazyError(f"{key!r} is a column and a level")
        if is_column:
            position = _only_position(labels, key)
            return frame._columns.array(data[position]), key, position
        if key is not None and key in levels:
            return _level(frame, key)
        raise AbsentColumnError(f"there is no column {key!r}")
    found, name, _ = _array_key(frame, key)
    if isinstance(key, Series) and name in labels and not labelling.labels_of_frame(frame):
        own = frame._columns.array(str(name)) if name in frame._columns.values else None
        if own is not None and own._frame is found._frame and own._value == found._value:
            return found, name, _only_position(labels, name)
    return found, name, None


def _bins(frame: LazyFrame, labels: pandas.Index | list[str], grouper: Any) -> tuple[Array, Hashable, int | None]:
    """Return the labels of the bins of a Grouper beside other keys."""
    from akdask.frames.resampling import _grouped_by

    if labelling.labels_of_frame(frame) is not None or grouper.level is not None:
        raise NotLazyError("a Grouper of a level")
    if grouper.freq is None:
        return _key(frame, labels, labelling.data_names(frame), grouper.key)
    name, found = _grouped_by(frame, grouper)
    return found, name, None if grouper.key is None else _only_position(labels, grouper.key)


def _array_key(frame: LazyFrame, key: Any) -> tuple[Array, Hashable, None]:
    """Return a key that is an array, a Series, labels, or a function of the labels of rows."""
    labels = labelling.labels_of_frame(frame)
    if isinstance(key, Series) and labels is not None and labels.levels:
        raise NotLazyError("labels of several levels are not aligned")
    if isinstance(key, Series):
        return on_rows_of(frame._row_labels, key), key.name, None
    if isinstance(key, Array):
        return key, None, None
    if isinstance(key, pandas.Grouper):
        raise NotLazyError("a Grouper of a Series")
    if callable(key) or isinstance(key, dict):
        if labels is not None and labels.levels:
            raise NotLazyError("functions of several levels")
        key = labels_of(frame).map(key.get if isinstance(key, dict) else key)
        return _as_array(key), key.name, None
    if isinstance(key, np.ndarray | pandas.Index) and key.ndim == 1 and not isinstance(key, pandas.MultiIndex):
        if len(key) != len(frame):
            raise NotLazyError("the key has another length")
        return _as_array(key), getattr(key, "name", None), None
    raise NotLazyError("a key has no lazy form")


def _as_array(given: Any) -> Array:
    values = pandas.Series(given)
    if values.dtype == object or isinstance(values.dtype, pandas.CategoricalDtype):
        raise NotLazyError(f"a key is of type {values.dtype}")
    found: Array = LazySeries(values.reset_index(drop=True)).values
    return found


def _level_names(frame: LazyFrame) -> list[Hashable]:
    labels = labelling.labels_of_frame(frame)
    if labels is not None and labels.levels:
        return [name for _, name in labels.levels]
    return [frame._columns.index_name]


def _level(frame: LazyFrame, level: Any) -> tuple[Array, Hashable, None]:
    names, labels = _level_names(frame), labelling.labels_of_frame(frame)
    if level in names and level is not None:
        number = names.index(level)
    elif isinstance(level, int) and not isinstance(level, bool) and -len(names) <= level < len(names):
        number = level % len(names)
    else:
        raise NotLazyError(f"there is no level {level!r}")
    if labels is not None and labels.levels:
        return frame._columns.array(labels.levels[number][0]), names[number], None
    return frame._columns.index_array(), names[number], None
