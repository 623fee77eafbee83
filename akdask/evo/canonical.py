"""Convert rows to the form of blobs: exact types, and column names that depend only on the kind of array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from akdask.deferred import pc
from akdask.errors import ArgumentError
from akdask.evo.errors import ContentError, KindError, ShapeError, UnsupportedTableError
from akdask.evo.kinds import TYPES, ArrayKind, Role, kind_of_schema
from akdask.evo.timestamps import to_utc
from akdask.formats.parquet.write import RowGroupEncoding
from akdask.records import record

Names: TypeAlias = Sequence[str] | Literal["keep"] | None
"""Names for the columns of a blob: given ones, the names of the table, or the canonical ones."""

_ROWS, _ROWS_OF_FLOATS = 2**19, 2**17
"""Rows of a row group, which is unpacked for each row of it: slowly for floats, which hardly repeat.  Of other types
each dictionary costs bytes: of 5,000 values they made a file 12 percent larger in groups of 2**17 rows, 2 in these."""

_GROUP_BYTES = 2**27
_FEWEST_ROWS = 2**12
DEFAULT_LEVEL = 6
"""Level of gzip: level 9, Arrow's default, takes up to 15 times as long for a few bytes."""

_NOMINAL = 16
"""Estimated bytes of a string, with its offset."""

_NAMES = {
    "float-array-2": ("x", "y"),
    "float-array-3": ("x", "y", "z"),
    "index-array-2": ("start", "end"),
    "downhole-collection-location-holes": ("hole_index", "offset", "count"),
    "unstructured-grid-geometry-cells": ("shape", "offset", "vertex_count"),
    "lines-2d-indices": ("start", "end", "distance"),
    "lookup-table-int32": ("key", "value"),
    "lookup-table-int64": ("key", "value"),
}


def canonical_names(kind: str, width: int) -> tuple[str, ...]:
    """Return the names of the columns of a kind of array.

    Examples
    --------
    >>> canonical_names("float-array-3", 3), canonical_names("index-array-4", 4), canonical_names("bool-array-1", 1)
    (('x', 'y', 'z'), ('n0', 'n1', 'n2', 'n3'), ('data',))
    """
    if kind in _NAMES:
        return _NAMES[kind]
    if width == 1:
        return ("data",)
    prefix = "n" if kind.startswith("index-array") else "c"
    return tuple(f"{prefix}{number}" for number in range(width))


@record
class CanonicalForm:
    """The form of one blob's rows.

    Parameters
    ----------
    kind : ArrayKind
        The kind of array.
    schema : pyarrow.Schema
        The columns.
    time_zone : str, optional
        Zone of naive times.
    truncate_times : bool, default False
        Whether digits of times beyond microseconds are dropped.
    """

    kind: ArrayKind
    schema: pa.Schema
    time_zone: str | None = None
    truncate_times: bool = False

    @classmethod
    def of(
        cls,
        schema: pa.Schema,
        role: Role,
        *,
        names: Names = None,
        data_type: str | None = None,
        time_zone: str | None = None,
        truncate_times: bool = False,
    ) -> CanonicalForm:
        """Return the form for tables of some schema.

        Raises
        ------
        KindError
            If no kind of array has such columns, or the role forbids their types.
        ShapeError
            If there are not as many names or types as columns.
        """
        if not len(schema):
            raise KindError("the table has no column.", hint="an array has one column or more.")
        wanted = _wanted(data_type, schema, role)
        fields = [
            pa.field(field.name, _stored_type(field, number, wanted[number], time_zone))
            for number, field in enumerate(schema)
        ]
        kind = kind_of_schema(pa.schema(fields))
        _check_role(fields, role)
        chosen = _chosen(names, kind, schema.names)
        stored = [pa.field(name, field.type) for name, field in zip(chosen, fields, strict=True)]
        return cls(kind, pa.schema(stored), time_zone, truncate_times)

    @property
    def row_width(self) -> int:
        """Approximate bytes of a row in memory."""
        return sum(
            _NOMINAL if pa.types.is_string(field.type) else max(1, field.type.bit_width // 8) for field in self.schema
        )

    @property
    def group_rows(self) -> int:
        """Rows of a row group: a power of two that depends on the types alone."""
        most = _ROWS_OF_FLOATS if any(pa.types.is_floating(field.type) for field in self.schema) else _ROWS
        rows = max(_FEWEST_ROWS, min(most, _GROUP_BYTES // self.row_width))
        return 1 << (rows.bit_length() - 1)

    def encoding(self, level: int | None, *, dictionaries: bool | None) -> RowGroupEncoding:
        """Return the encoding of row groups; None for dictionaries where they make columns smaller."""
        names = None if dictionaries is None else tuple(self.schema.names) if dictionaries else ()
        return RowGroupEncoding(level=DEFAULT_LEVEL if level is None else level, dictionaries=names)

    def bytes_of(self, nrows: int) -> int:
        """Return about the bytes that a number of rows take in memory while they are encoded, in both forms."""
        return 2 * nrows * self.row_width

    def column(self, rows: pa.Table, number: int) -> Any:
        """Return one column of rows in this form.

        Raises
        ------
        ShapeError
            If there are other columns.
        ContentError
            If a value does not fit into its type.
        """
        if rows.num_columns != len(self.schema):
            raise ShapeError(f"rows have {rows.num_columns} columns, not {len(self.schema)}.")
        column, field, name = rows.column(number), self.schema.field(number), rows.column_names[number]
        if column.type == field.type:
            return column
        try:
            if pa.types.is_dictionary(column.type):
                column = column.cast(column.type.value_type)
            if pa.types.is_timestamp(field.type) and pa.types.is_timestamp(column.type):
                return to_utc(column, zone=self.time_zone, truncate=self.truncate_times)
            if pa.types.is_floating(column.type) and pa.types.is_integer(field.type):
                column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
            return column.cast(field.type)
        except (pa.ArrowException, ValueError) as error:
            why = [error.message, *error.details] if isinstance(error, ContentError) else [str(error)]
            raise ContentError(
                f"column {name!r} of type {column.type} cannot be stored as {field.type}.",
                details=why,
                hint=_hint_of(field.type),
            ) from error


def _hint_of(stored: Any) -> str:
    if pa.types.is_timestamp(stored):
        return (
            "round times to microseconds, or drop the rest with truncate_times=True; and tell the zone of naive ones."
        )
    if pa.types.is_string(stored):
        return "one row group holds at most 2 GiB of text: ask for fewer rows with row_group_rows=."
    return "values must fit into the type exactly; name another with data_type=."


def _meant(arrow: Any, role: Role) -> str | None:
    """Return the name of the type that replaces another one for a role, None where types are unchanged."""
    if role.name == "index":
        return "uint64"
    if pa.types.is_floating(arrow):
        # Codes are floats where whole numbers have no null, as in lazy columns.
        return "int32" if role.name == "category" else None
    return "uint32" if role.name == "color" and arrow in (pa.int64(), pa.uint64()) else None


def _wanted(data_type: str | None, schema: pa.Schema, role: Role) -> list[str | None]:
    """Return the requested type names of columns, None where any type is allowed."""
    width = len(schema)
    if data_type is None:
        return [_meant(field.type, role) for field in schema]
    parts = str(data_type).split("/")
    bad = [part for part in parts if part not in TYPES]
    if bad:
        raise KindError(f"{bad[0]!r:.100} is no type of a column.", details=[f"types: {', '.join(TYPES)}"])
    found = parts * width if len(parts) == 1 else parts
    if len(found) != width:
        raise ShapeError(f"data_type names {len(parts)} types for {width} columns.")
    return list(found)


def _stored_type(field: Any, number: int, wanted: str | None, time_zone: str | None) -> Any:
    """Return the stored type of a column.  Unsupported types are returned unchanged, to be refused."""
    arrow = field.type
    if pa.types.is_dictionary(arrow):
        arrow = arrow.value_type
    if wanted is not None:
        if not _can_become(arrow, TYPES[wanted]):
            raise KindError(f"column {number} ({field.name!r}) of type {arrow} is not stored as {wanted}.")
        return TYPES[wanted]
    if pa.types.is_large_string(arrow) or str(arrow) == "string_view":
        return pa.string()
    if pa.types.is_timestamp(arrow):
        if arrow.tz is None and time_zone is None:
            raise KindError(
                f"column {number} ({field.name!r}) has times without a zone.",
                hint="tell their zone with time_zone=, such as time_zone='UTC'.",
            )
        return TYPES["timestamp"]
    return arrow


def _can_become(arrow: Any, stored: Any) -> bool:
    types = pa.types
    if types.is_null(arrow) or arrow == stored:
        return True
    if types.is_timestamp(stored):
        return bool(types.is_timestamp(arrow))
    if types.is_string(stored):
        return bool(types.is_large_string(arrow) or str(arrow) == "string_view")
    if types.is_boolean(stored) or types.is_boolean(arrow):
        return False
    return bool(types.is_integer(arrow) or types.is_floating(arrow))


def _check_role(fields: Sequence[Any], role: Role) -> None:
    if role.types is None:
        return
    bad = [
        f"{field.name!r}: {field.type}" for field in fields if field.type not in {TYPES[name] for name in role.types}
    ]
    if bad:
        raise KindError(
            f"an array of role {role.name!r} has columns of {' or '.join(role.types)}.",
            details=bad,
            hint="name the type to store them as with data_type=, or another role.",
        )


def _chosen(names: Names, kind: ArrayKind, given: Sequence[str]) -> Sequence[str]:
    width = len(given)
    if names is None:
        return canonical_names(kind.name, width)
    chosen: Any = given if names == "keep" else names
    if isinstance(chosen, str) or not all(_is_name(name) for name in chosen):
        raise ArgumentError(f"names are 'keep' or a list of str, not {names!r:.100}.")
    if len(chosen) != width:
        raise ShapeError(f"{width} columns need as many names, got {len(chosen)}.")
    if len(set(chosen)) != width:
        raise ArgumentError("two columns cannot have the same name.", details=[", ".join(map(repr, chosen))])
    return list(chosen)


def _is_name(name: Any) -> bool:
    """Whether a name is text that Parquet can hold."""
    if not isinstance(name, str) or not name:
        return False
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def table_of(rows: Any) -> pa.Table:
    """Return rows in memory as an Arrow table.

    Parameters
    ----------
    rows : table, frame, ndarray or mapping
        A table, batch or array of Arrow, a frame or series of pandas, or one of the following. NumPy arrays have one
        column, or two dimensions (rows and columns), or named fields. A mapping has columns by name.  Labels of pandas'
        rows are left out.

    Raises
    ------
    UnsupportedTableError
        If it is none of these.
    """
    match rows:
        case pa.Table():
            return rows
        case pa.RecordBatch():
            return pa.Table.from_batches([rows])
        case pa.Array() | pa.ChunkedArray():
            return pa.table({"data": rows})
        case np.ndarray():
            return _of_array(rows)
    try:
        if is_of_pandas(rows):
            return _of_pandas(rows)
        if hasattr(rows, "keys"):
            return pa.table({str(name): _column(rows[name]) for name in rows.keys()})  # noqa: SIM118 - not only dicts
        if hasattr(rows, "__array__"):
            return _of_array(np.asarray(rows))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UnsupportedTableError(
            f"a {type(rows).__name__} cannot be stored as the rows of a blob.",
            details=[str(error)],
            hint="give columns of equal length, each of one type.",
        ) from error
    raise UnsupportedTableError(
        f"a {type(rows).__name__} is no table.",
        hint="give an akdask, pandas, Arrow or Dask DataFrame, an array, or a dict of columns.",
    )


def is_of_pandas(rows: Any) -> bool:
    """Whether an object is of a class of pandas."""
    return type(rows).__module__.partition(".")[0] == "pandas"


def _of_pandas(rows: Any) -> pa.Table:
    frame = rows.to_frame() if hasattr(rows, "to_frame") and not hasattr(rows, "columns") else rows
    if frame.columns.nlevels > 1 or not frame.columns.is_unique:
        frame = frame.set_axis([str(number) for number in range(frame.shape[1])], axis=1)
    return pa.Table.from_pandas(frame.rename(columns=str), preserve_index=False).replace_schema_metadata()


def _column(values: Any) -> Any:
    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values
    if is_of_pandas(values):
        return pa.Array.from_pandas(values)
    if isinstance(values, np.ma.MaskedArray):
        return pa.array(values.data, mask=np.ma.getmaskarray(values))
    array = np.asarray(values) if not isinstance(values, list | tuple) else None
    if array is None:
        return pa.array(values)
    if array.ndim != 1:
        raise ValueError(f"a column has one dimension, not {array.ndim}")
    # Arrow ends NumPy's fixed text at the first NUL.
    return pa.array(array.tolist(), pa.string()) if array.dtype.kind == "U" else pa.array(np.ascontiguousarray(array))


def _of_array(array: np.ndarray[Any, Any]) -> pa.Table:
    if array.dtype.names:
        return pa.table({name: _column(array[name]) for name in array.dtype.names})
    if array.ndim not in (1, 2):
        raise UnsupportedTableError(
            f"an array of {array.ndim} dimensions is no table.", hint="flatten grids with akdask.evo.flatten."
        )
    columns = array[np.newaxis] if array.ndim == 1 else array.T
    try:
        return pa.table({str(number): _column(column) for number, column in enumerate(columns)})
    except pa.ArrowException as error:
        raise UnsupportedTableError(f"an array of {array.dtype} is no table.", details=[str(error)]) from error
