"""Passing columns between the faces: functions and classes of `akdask` take frames and Series of pandas' face.

A Series is passed as its array, a frame as Arkouda's DataFrame.  Functions are wrapped when this face is loaded, so
that programs that never load it pay nothing.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from functools import wraps
from typing import Any

from akdask.deferred import adapt, loaded_module
from akdask.errors import end_at_caller
from akdask.pandas.face import Face, NDFrame

_LOOKING = frozenset({"_getframe", "currentframe"})


def accept_in_arkouda() -> None:
    """Let the functions of Arkouda's face take the objects of this one."""
    adapt("akdask", _accepting)


def _accepting(function: Any) -> Any:
    """Return a function that takes objects of pandas' face as well; anything but a function as it is.

    A function that takes nothing stays as it is, and one that looks at the variables of its caller, too: a wrapper
    would be its caller.
    """
    if not inspect.isfunction(function) or _LOOKING & {*inspect.unwrap(function).__code__.co_names}:
        return function
    if not inspect.signature(function).parameters:
        return function

    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            if _has_faces(args) or (kwargs and _has_faces(kwargs.values())):
                args, kwargs = tuple(map(_arkouda, args)), {word: _arkouda(item) for word, item in kwargs.items()}
            return function(*args, **kwargs)
        except Exception as error:
            end_at_caller(error)
            raise

    return call


def _has_faces(items: Any) -> bool:
    for item in items:
        if isinstance(item, Face):
            return True
        if type(item) in (list, tuple) and any(isinstance(inner, Face) for inner in item):
            return True
        if type(item) is dict and any(isinstance(inner, Face) for inner in item.values()):
            return True
    return False


def _arkouda(item: Any) -> Any:
    if isinstance(item, NDFrame):
        found = item._as_house()
        return found if hasattr(found, "columns") else found.values
    if type(item) in (list, tuple):
        return type(item)(map(_arkouda, item))
    if type(item) is dict:
        return {key: _arkouda(inner) for key, inner in item.items()}
    return item


# the house's own


def house_frame(frame: Any) -> Any:
    """Return a lazy frame as Arkouda's DataFrame: labels of columns become text, levels of rows columns."""
    from akdask.frames.dataframe import DataFrame
    from akdask.pandas.labels import column_labels, data_names, labels_of_frame

    columns, noted = _house_columns(frame._columns), labels_of_frame(frame)
    if noted is None:
        return DataFrame._of(columns)
    labels = column_labels(frame)
    named = dict(zip(data_names(frame), map(_text, labels), strict=True))
    levels = {name: "" if label is None else _text(label) for name, label in noted.levels}
    taken = {*named.values()}
    for number, (name, label) in enumerate(levels.items()):
        levels[name] = label if label and label not in taken else f"level_{number}"
    return DataFrame._of(columns.renamed(levels | named))


def _text(label: Any) -> str:
    return "_".join(str(part) for part in label if part != "") if isinstance(label, tuple) else str(label)


def house_series(series: Any) -> Any:
    """Return a lazy Series as Arkouda's Series."""
    from akdask.frames.series import Series

    made = Series.__new__(Series)
    made.name, made._level_names = series.name, series._level_names
    made._labelled = series._labelled._of(_house_columns(series._labelled._columns))
    return made


def _house_columns(columns: Any) -> Any:
    encoded = loaded_module("akdask.pandas.encoded")
    return columns if encoded is None else encoded.for_arkouda(columns)


SETS: Mapping[str, str] = {".parquet": "to_parquet", ".csv": "to_csv"}
"""Methods of Arkouda's DataFrame that write sets, by extension; HDF5 by any other."""


def write_set(frame: Any, prefix: Any, options: dict[str, Any]) -> None:
    """Write a set of Arkouda's files in the format of the extension; computes."""
    extension = os.path.splitext(os.fspath(prefix))[1].lower()
    getattr(frame, SETS.get(extension, "to_hdf"))(prefix, **options)
