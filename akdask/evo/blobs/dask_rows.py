"""Frames and arrays of Dask as lazy columns, beside the exact types that they have in Arrow.

Lazy columns widen numbers to 64 bits and have no nulls.  What is lost so is noted here, and made good when the rows of
a task become an Arrow table: equal rows are stored alike, whether they come from Dask or from memory.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.collections.core.array import Array
from akdask.collections.frame.dataframe import DataFrame
from akdask.collections.functions.from_dask import from_dask
from akdask.deferred import pc, pd
from akdask.errors import ArgumentTypeError
from akdask.evo.errors import ContentError, UnsupportedTableError

_NAT = np.iinfo(np.int64).min

OwnTypes = Mapping[str, Any]
"""Arrow types of columns whose lazy type is another, by name."""


def is_dask(given: Any) -> bool:
    """Whether something is a collection of Dask."""
    return type(given).__module__.partition(".")[0] == "dask" and hasattr(given, "__dask_graph__")


def columns_of_dask(given: Any) -> tuple[DataFrame, OwnTypes]:
    """Return a Dask DataFrame, Series or array of one or two dimensions as lazy columns, and their own types.

    Raises
    ------
    UnsupportedTableError
        If an array has more dimensions, or a column is of a type that no column can hold.
    """
    try:
        if hasattr(given, "chunks"):
            return _of_array(given)
        return _of_frame(given.to_frame("data") if isinstance(given._meta, pd.Series) else given)
    except ArgumentTypeError as error:
        raise UnsupportedTableError(error.message, details=error.details, hint=error.hint) from error


def columns_of_mapping(given: Mapping[Any, Any]) -> tuple[DataFrame, OwnTypes]:
    """Return lazy columns by name, some of them of Dask, and their own types.

    Raises
    ------
    UnsupportedTableError
        If one is of a type that no column can hold, or is no column.
    AlignmentError
        If they do not share rows.
    """
    columns: dict[Hashable, Any] = {}
    own: dict[str, Any] = {}
    for name, item in given.items():
        if not is_dask(item):
            columns[str(name)] = item
            continue
        found, types = columns_of_dask(item)
        if len(found.columns) != 1:
            raise UnsupportedTableError(f"column {name!r} has {len(found.columns)} columns.", hint="name each alone.")
        columns[str(name)] = found[found.columns[0]]
        own.update({str(name): kind for kind in types.values()})
    return DataFrame(columns), own


def _of_array(given: Any) -> tuple[DataFrame, OwnTypes]:
    if given.ndim > 2:
        raise UnsupportedTableError(
            f"an array of {given.ndim} dimensions is no table.", hint="flatten grids with akdask.evo.flatten."
        )
    kind = pa.from_numpy_dtype(given.dtype) if given.dtype.kind in "iufbM" else None
    plain = given.view(np.int64) if given.dtype.kind == "M" else given
    columns = {"data": plain} if given.ndim == 1 else {str(n): plain[:, n] for n in range(given.shape[1])}
    # NaN of arrays stays NaN.
    own = {} if kind is None or kind == pa.float64() else dict.fromkeys(columns, kind)
    arrays: dict[Hashable, Array] = {name: from_dask(column) for name, column in columns.items()}
    return DataFrame(arrays), own


def _of_frame(given: Any) -> tuple[DataFrame, OwnTypes]:
    if not all(isinstance(name, str) for name in given.columns):
        given = given.rename(columns={name: str(name) for name in given.columns})
    meta = given._meta
    try:
        types = pa.Schema.from_pandas(meta, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UnsupportedTableError("a Dask DataFrame is no table.", details=[str(error)]) from error
    own = {field.name: field.type for field in types if _is_plain(field.type)}
    changed = {name: dtype for name, kind in own.items() if (dtype := _plain_type(meta[name].dtype, kind)) is not None}
    if changed:
        types_of_parts = {name: np.dtype(dtype) for name, dtype in changed.items()}
        plain = meta.assign(**{name: pd.Series([], dtype=dtype) for name, dtype in types_of_parts.items()})
        given = given.map_partitions(partial(_plain_part, own={name: own[name] for name in changed}), meta=plain)
    return from_dask(given), own


def _is_plain(kind: Any) -> bool:
    """Whether lazy columns hold a type as numbers."""
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_timestamp(kind))


def _plain_type(dtype: Any, kind: Any) -> type | None:
    """Return the type of NumPy that a column of pandas is brought into first, None where it is well as it is."""
    if pa.types.is_timestamp(kind):
        return np.int64
    return None if isinstance(dtype, np.dtype) else np.float64


def _plain_part(part: pd.DataFrame, own: OwnTypes) -> pd.DataFrame:
    """Return a partition whose columns lazy columns can hold; a function of tasks."""
    made = {name: _plain(part[name], kind) for name, kind in own.items()}
    return part.assign(**made)


def _plain(column: pd.Series[Any], kind: Any) -> Any:
    array = pa.chunked_array([pa.array(column, from_pandas=True).cast(kind)], kind)
    if pa.types.is_timestamp(kind):
        return array.cast(pa.int64()).fill_null(_NAT).to_numpy()
    try:
        numbers = array.cast(pa.uint8()) if pa.types.is_boolean(kind) else array
        return numbers.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid as error:
        raise ContentError(
            f"column {column.name!r} of {column.dtype} has numbers of more than 53 bits.",
            details=[str(error)],
            hint="fill what is missing, and cast the column to a type of NumPy.",
        ) from error


def as_own(column: Any, kind: Any) -> Any:
    """Return a column of Arrow in its own type, with nulls for what lazy columns have in their place.

    Raises
    ------
    ArrowException
        If a number does not fit, which lazy columns of such a type do not have.
    """
    if pa.types.is_timestamp(kind):
        present = pc.not_equal(column, pa.scalar(_NAT, pa.int64()))
        return pc.if_else(present, column, pa.scalar(None, pa.int64())).cast(kind)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        if pa.types.is_boolean(kind):
            column = column.cast(pa.uint8())
    return column if column.type == kind else column.cast(kind)
