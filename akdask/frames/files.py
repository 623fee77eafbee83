"""Files of a DataFrame: written as a set of columns, or as one object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akdask.arrays.categorical import Categorical
from akdask.arrays.elementwise import cast
from akdask.arrays.writing import Path, Storable, count_files, write_objects
from akdask.errors import ArgumentError
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.storage.objects import ROW_LABELS, ObjType


def to_parquet(
    frame: DataFrame,
    path: Path,
    index: bool | None,
    columns: Sequence[str] | None,
    compression: str | None,
    convert_categoricals: bool,
    *,
    num_locales: int | None,
    file_size: int | None,
) -> None:
    chosen = frame._columns if columns is None else frame._columns.only(columns)
    write_objects(
        storables(frame, index, columns),
        path,
        "truncate",
        "distribute",
        num_locales=count_files(map(chosen.array, chosen.values), num_locales, file_size),
        file_format="Parquet",
        compression=compression,
        convert_categoricals=convert_categoricals,
    )


def storables(frame: DataFrame, index: bool | None, names: Sequence[str] | None) -> dict[str, Storable]:
    columns = frame._columns if names is None else frame._columns.only(names)
    labelled = columns.index is not None if index is None else index
    columns = columns.numbered() if labelled else columns
    objects = {name: columns.array(name)._storable() for name in columns.values}
    if labelled:
        _check_names(columns, "be written with its labels")
        objects[ROW_LABELS] = columns.index_array()._storable()
    return objects


def storable(frame: DataFrame) -> Storable:
    """Return the frame as one object, as snapshots hold it."""
    columns = frame._columns.numbered()
    _check_names(columns, "be written as one object")
    children = {ROW_LABELS: _labels(columns)}
    children.update((name, columns.array(name)._storable()) for name in columns.values)
    return Storable(ObjType.DATAFRAME, columns.frame, children=children)


def _check_names(columns: ColumnSet, purpose: str) -> None:
    taken = [name for name in columns.values if name.lower() == ROW_LABELS.lower()]
    if taken:
        raise ArgumentError(
            f"a DataFrame with a column {taken[0]!r} cannot {purpose}.",
            hint="the labels of the rows have that name in files; rename the column, or leave them with index=False.",
        )


def _labels(columns: ColumnSet) -> Storable:
    """Return the labels of the rows in a form that servers take: 64-bit numbers or Strings."""
    labels: Any = columns.index_array()
    if isinstance(labels, Categorical):
        labels = labels.to_strings()
    elif labels._value.dtype.kind == "bool":
        labels = cast(labels, "int64")
    return labels._storable().as_inner()
