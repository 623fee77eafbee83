"""pandas' table layout: one dataset of records, whose fields are columns, or blocks of columns of one type.

Source: ``Table`` and its subclasses in ``pandas/io/pytables.py``.  What the fields mean is told by attributes that are
pickles of lists of names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.deferred import pd
from akdask.errors import FileFormatError, UnsupportedError
from akdask.hdf5.pandas_file.labels import Encoding, is_timed, label_missing, labels, timed
from akdask.hdf5.pandas_file.nodes import ArrayNode, GroupNode

_INDEX = "index"
_SERIES = "series_table"
_UNNAMED = "values"
"""The column of a Series without a name."""


def table_frame(node: GroupNode) -> pd.DataFrame:
    """Read a DataFrame, or a Series as a DataFrame of one column.

    Raises
    ------
    FileFormatError
        If its parts do not fit together.
    UnsupportedError
        If names are pickled objects, or rows or columns have several levels of labels.
    """
    array = node.array("table")
    if node.plain("index_cols") != [(0, _INDEX)] or isinstance(node.plain("levels"), list):
        raise UnsupportedError(f"{node.place} has several levels of labels, or is transposed, which is not read.")
    records = array.read()
    if records.ndim != 1 or records.dtype.names is None or _INDEX not in records.dtype.names:
        raise FileFormatError(f"{array.place} is no table of pandas.")
    columns = dict(_columns(node, array, records))
    order = _order(node, columns)
    frame = pd.DataFrame({name: columns[name] for name in order}, index=_rows(node, array, records))
    is_unnamed = node.plain("pandas_type") == _SERIES and order == [_UNNAMED]
    return frame.rename(columns={_UNNAMED: 0}) if is_unnamed else frame


def _columns(node: GroupNode, array: ArrayNode, records: npt.NDArray[Any]) -> Iterator[tuple[Any, Any]]:
    """Yield the columns by name."""
    encoding = Encoding.of(node)
    for field in _names(node, "values_cols"):
        names = _names(array, f"{field}_kind")
        if field not in (records.dtype.names or ()):
            raise FileFormatError(f"{array.place} has no field {field!r}.")
        values = records[field]
        if values.ndim == 1:
            values = values.reshape(len(records), 1)
        if values.shape != (len(records), len(names)):
            raise FileFormatError(f"the field {field!r} of {array.place} is not as many columns as it has names.")
        for name, column in zip(names, values.T, strict=True):
            yield name, _column(node, array, field, column, encoding)


def _column(node: GroupNode, array: ArrayNode, field: str, values: npt.NDArray[Any], encoding: Encoding) -> Any:
    kind = array.plain(f"{field}_dtype")
    if array.plain(f"{field}_meta") == "category":
        return _categorical(node, field, values)
    if values.dtype.kind == "S":
        own = bool(node.plain("data_col_nan_rep"))
        missing = array.plain(f"{field}_nan_rep") if own else node.plain("nan_rep") or "nan"
        return encoding.decode(values, missing)
    if kind == "bool":
        return values != 0
    if not is_timed(values, kind) and kind != values.dtype.name:
        raise UnsupportedError(f"the field {field!r} of {array.place} is of type {kind!r}, which is not read.")
    return timed(values, kind)


def _categorical(node: GroupNode, field: str, codes: npt.NDArray[Any]) -> pd.Categorical:
    """Return a column of codes with its categories, which are a Series of their own."""
    categories = _categories(node, field)
    if codes.dtype.kind not in "iu" or (len(codes) and not -1 <= codes.min() <= codes.max() < len(categories)):
        raise FileFormatError(f"codes of the field {field!r} of {node.place} are beyond its categories.")
    known = np.flatnonzero(categories.notna())
    if len(known) < len(categories):  # a category that is spelt as missing text is
        numbers = np.full(len(categories) + 1, -1)
        numbers[known] = np.arange(len(known))
        codes = numbers[codes]
    return pd.Categorical.from_codes(codes, pd.Index(categories.iloc[known]).rename(None))


def _categories(node: GroupNode, field: str) -> pd.Series:
    stored = node
    for name in ("meta", field, "meta"):
        if name not in stored.names:
            return pd.Series([], dtype=object)
        stored = stored.group(name)
    return table_frame(stored).iloc[:, 0]


def _rows(node: GroupNode, array: ArrayNode, records: npt.NDArray[Any]) -> pd.Index:
    info = node.attribute("info")
    about = info.get(_INDEX) if isinstance(info, Mapping) else None
    name = about.get("index_name") if isinstance(about, Mapping) else None
    values, kind = records[_INDEX], array.plain(f"{_INDEX}_kind")
    if kind == "bool":
        values = values != 0
    if kind == "integer" and isinstance(about, Mapping) and about.get("freq") is not None:
        raise UnsupportedError(f"the rows of {node.place} are labelled by periods, which are not read.")
    missing = label_missing(array.plain(f"{_INDEX}_nan_rep"))
    return labels(array, values, kind=kind, encoding=Encoding.of(node), missing=missing, name=name)


def _order(node: GroupNode, columns: Mapping[Any, Any]) -> list[Any]:
    """Return the names of the columns in their order."""
    axes = node.plain("non_index_axes")
    match axes:
        case [(1, list() as names)]:
            order = _checked(node, "non_index_axes", names)
        case _:
            raise FileFormatError(f"{node.place} does not name its columns.")
    if len(set(order)) != len(order) or set(order) != set(columns):
        raise FileFormatError(f"the columns of {node.place} are not those that it names.")
    return order


def _names(node: GroupNode, attribute: str) -> list[Any]:
    return _checked(node, attribute, node.plain(attribute))


def _checked(node: GroupNode, attribute: str, names: Any) -> list[Any]:
    """Refuse what is no list of plain names."""
    if isinstance(names, list) and all(isinstance(name, str | int | float) for name in names):
        return names
    raise UnsupportedError(
        f"the attribute {attribute!r} of {node.place} is no list of plain names.",
        hint="pickled Python objects are not read, since pickles can run any program; name columns by text.",
    )
