"""Access to a DataFrame: rows and cells by labels and positions, and columns by type."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import Labelled, unlabelled
from akdask.arrays.column_names import axis_number, check_names
from akdask.arrays.selection import position
from akdask.deferred import pd
from akdask.errors import ArgumentError, ArgumentTypeError, PositionError, SchemaError
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.frames.kinds import as_other_type

ITERATED = 10_000
"""Rows that are brought into this process at a time."""

ORIENTS = ("dict", "list", "series", "split", "tight", "records", "index")

NUMBER_TYPES = ("int64", "uint64", "uint8", "float64")


def to_dict(frame: DataFrame, orient: str) -> Any:
    if orient not in ORIENTS:
        raise ArgumentError(f"to_dict: orient={orient!r} is none of {', '.join(ORIENTS)}.")
    rows: Any = _at_hand(frame)
    return rows.to_dict(orient)


def select_dtypes(frame: DataFrame, include: Any, exclude: Any) -> DataFrame:
    wanted, unwanted = _type_names(include), _type_names(exclude)
    if not wanted and not unwanted:
        raise ArgumentError("select_dtypes needs include or exclude.")
    if wanted & unwanted:
        raise ArgumentError(f"select_dtypes includes and excludes {', '.join(sorted(wanted & unwanted))}.")
    names = [name for name, dtype in frame.dtypes.items() if (not wanted or dtype in wanted) and dtype not in unwanted]
    return frame._of(frame._columns.only(names))


def filter_columns(frame: DataFrame, items: Sequence[str] | None, like: str | None, regex: str | None) -> DataFrame:
    if sum(one is not None for one in (items, like, regex)) != 1:
        raise ArgumentError("filter takes one of items, like and regex.", hint="df[mask] chooses rows.")
    names = list(frame._columns.values)
    if items is not None:
        chosen = [name for name in items if name in names]
    elif like is not None:
        chosen = [name for name in names if like in name]
    else:
        chosen = [name for name in names if re.search(str(regex), name)]
    return frame._of(frame._columns.only(chosen))


def set_axis(frame: DataFrame, labels: Any, axis: int | str) -> DataFrame:
    changed = frame.copy()
    if axis_number(axis) == 1:
        changed.columns = list(labels)
    else:
        changed.index = labels
    return changed


def squeeze(frame: DataFrame, axis: int | str | None) -> Any:
    if len(frame.columns) != 1:
        return frame
    (name,) = frame.columns
    if axis is None and len(frame) == 1:
        return frame._column(name)[0]
    from akdask.frames.series import column_series

    return column_series(frame, name)


def set_index(frame: DataFrame, keys: Any, drop: bool, inplace: bool) -> DataFrame | None:
    if isinstance(keys, list) and len(keys) == 1:
        (keys,) = keys
    columns = frame._columns
    if isinstance(keys, str):
        labelled = columns.labelled(columns.array(keys), keys)
        if drop:
            labelled = labelled.only(name for name in columns.values if name != keys)
        return frame._changed(labelled, inplace)
    item = unlabelled(keys)
    if isinstance(item, list | tuple) and (
        not item or not pd.api.types.is_scalar(item[0]) or item[0] in columns.values
    ):
        raise ArgumentTypeError(
            "rows of a DataFrame have labels of one level.", hint="keep further keys as columns; group by several."
        )
    labels = Index(item)
    name = getattr(keys, "name", None) if isinstance(keys, Labelled) else None
    return frame._changed(columns.labelled(labels.values, name), inplace)


def insert(frame: DataFrame, loc: int, column: str, value: Any, allow_duplicates: bool) -> None:
    names = list(frame.columns)
    if column in names:
        raise SchemaError(f"there is a column {column!r} already.", hint="assign to it: df['x'] = …")
    if not 0 <= position(loc) <= len(names):
        raise PositionError(f"a column is inserted at 0 to {len(names)}, not at {loc}.")
    check_names([column])
    frame[column] = value
    frame._become(frame._columns.only([*names[:loc], column, *names[loc:]]))


def astype(frame: DataFrame, dtype: Any) -> DataFrame:
    columns = frame._columns
    wanted = dict(dtype) if isinstance(dtype, Mapping) else dict.fromkeys(columns.values, dtype)
    made: dict[str, Array] = {name: columns.array(name) for name in columns.values}
    for name, kind in wanted.items():
        made[name] = as_other_type(columns.array(name), kind)
    return frame._of(columns.beside(made))


def _at_hand(frame: DataFrame) -> pd.DataFrame:
    found: pd.DataFrame = frame.compute()
    return found


def parts_of_rows(frame: DataFrame, limit: int | None) -> Iterator[pd.DataFrame]:
    """Yield some thousand rows at a time."""
    rows = frame if limit is None else frame.head(max(int(limit), 0))
    total = len(rows)
    for start in range(0, total, ITERATED):
        part = rows._rows(slice(start, start + ITERATED))
        yield _at_hand(part)


def _type_names(types: Any) -> set[str]:
    """Return types as `DataFrame.dtypes` names them."""
    if types is None:
        return set()
    found: set[str] = set()
    for one in types if isinstance(types, list | tuple | set | frozenset) else [types]:
        known = _GENERIC.get(one if isinstance(one, str) else getattr(one, "__name__", ""))
        if known is not None:
            found |= set(known)
            continue
        try:
            name = np.dtype(one).name
        except TypeError:
            name = one if isinstance(one, str) else getattr(one, "__name__", str(one))
        found.add(name)
    return found


_GENERIC: dict[str, tuple[str, ...]] = {
    "number": (*NUMBER_TYPES, "bigint", "Timedelta"),
    "integer": ("int64", "uint64", "uint8", "bigint"),
    "floating": ("float64",),
    "int": ("int64",),
    "float": ("float64",),
    "bool": ("bool",),
    "bool_": ("bool",),
    "object": ("str",),
    "object_": ("str",),
    "str": ("str",),
    "string": ("str",),
    "category": ("Categorical",),
    "Categorical": ("Categorical",),
    "datetime": ("Datetime",),
    "datetime64": ("Datetime",),
    "timedelta": ("Timedelta",),
    "timedelta64": ("Timedelta",),
}
