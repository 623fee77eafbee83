"""Columns of akdask as Parquet stores them: types that every Arkouda server since 2022 reads, and other readers too.

Numbers are required and have 64 bits.  Text and lists may be null for the schema, as servers ask for that; missing text
is, and lists never are.  What types do not tell is noted: see `akdask.parquet.metadata.annotations`.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.columns.bigint import from_limbs, limbs_of, with_limbs
from akdask.columns.lists import offsets_of
from akdask.columns.missing_text import with_nulls
from akdask.columns.rows import arrow_type
from akdask.errors import ArgumentError, SchemaError, UnsupportedError
from akdask.parquet.metadata.annotations import MOST_LABELS, Annotation
from akdask.schema import INT64, UINT8, ColumnType
from akdask.schema.times import NOT_A_TIME
from akdask.storage.formats.objects import (
    CATEGORIES,
    CODES,
    LEVEL,
    LIMBS,
    NA_CODES,
    ORDERED,
    UNIT,
    VALUES,
    ZONE,
    Columns,
    ObjectSpec,
    ObjType,
)
from akdask.typing import Column

_PLAIN = (ObjType.PDARRAY, ObjType.STRINGS, ObjType.SEGARRAY)
_NOTED = (ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4, ObjType.INDEX)
_MOST_CODES = 2**31


@dataclass(frozen=True, slots=True)
class EncodedColumn:
    """One column of one file.

    Parameters
    ----------
    field : pyarrow.Field
        Name and type.
    values : pyarrow.Array
        The rows.
    annotation : Annotation, optional
        What is noted of it.
    """

    field: Any
    values: Any
    annotation: Annotation | None


def check_specs(specs: Sequence[ObjectSpec]) -> None:
    """Refuse what no Parquet file can hold.

    Raises
    ------
    ArgumentError
        If there is nothing to write, or names are not told apart or no text.
    UnsupportedError
        If an object is no column.
    """
    if not specs:
        raise ArgumentError("there is nothing to write.", hint="pass at least one column.")
    names = [spec.name for spec in specs]
    bad = [name for name in names if not name or not _is_text(name)]
    if bad:
        raise ArgumentError("Parquet cannot have columns of these names.", details=list(map(ascii, bad)))
    if len(set(names)) != len(names):
        raise ArgumentError("two columns have the same name.", details=sorted({n for n in names if names.count(n) > 1}))
    for spec in specs:
        _check_spec(spec)


def _check_spec(spec: ObjectSpec) -> None:
    is_column = spec.kind in {*_PLAIN, *_NOTED, ObjType.CATEGORICAL} and len(spec.params.get("shape", ())) <= 1
    if not is_column or (spec.kind == ObjType.INDEX and len(spec.children) != 1):
        raise UnsupportedError(
            f"{spec.name!r} is a {spec.kind.label}, which no column of a Parquet file can hold.",
            hint="write it with to_hdf, or its parts as columns of their own.",
        )


def _is_text(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def encode_column(
    spec: ObjectSpec, rows: Mapping[Hashable, Column], tables: Columns, *, as_strings: bool
) -> EncodedColumn:
    """Return one column as it is stored.

    Parameters
    ----------
    spec : ObjectSpec
        What it is.
    rows : mapping of name to column
        The rows of one partition.
    tables : mapping of name to column
        The small tables that every partition is given whole.
    as_strings : bool
        Whether a Categorical is to be nothing but its strings when it is read again.
    """
    if spec.kind == ObjType.CATEGORICAL:
        return _categorical(spec, rows, tables, as_strings=as_strings)
    if spec.kind == ObjType.INDEX:
        level = spec.children[f"{LEVEL}0"]
        inner = encode_column(level, rows, tables, as_strings=as_strings)
        return EncodedColumn(inner.field.with_name(spec.name), inner.values, inner.annotation or Annotation(spec.kind))
    dtype = spec.dtype
    if dtype is None:
        raise SchemaError(f"{spec.name!r} has no type to be written as.")
    unit, zone = spec.params.get(UNIT, "ns"), spec.params.get(ZONE)
    if spec.kind == ObjType.DATETIME and (unit != "ns" or zone is not None):
        return _timestamps(spec, rows[spec.members[VALUES]], unit, zone)
    limbs = int(tables[spec.tables[LIMBS]][0]) + 1 if LIMBS in spec.tables else 0
    values = _stored(rows[spec.members[VALUES]], dtype, limbs)
    field = pa.field(spec.name, _stored_type(dtype, limbs), nullable=not _is_required(dtype))
    return EncodedColumn(field, values.cast(field.type) if values.type != field.type else values, _noted(spec, dtype))


def _noted(spec: ObjectSpec, dtype: ColumnType) -> Annotation | None:
    item = dtype.item or dtype
    if item.kind == "bigint":
        return Annotation(spec.kind, item.max_bits, is_bigint=True)
    if item == UINT8:
        return Annotation(spec.kind, is_uint8=True)
    unit = spec.params.get(UNIT)
    return Annotation(spec.kind, unit=None if unit == "ns" else unit) if spec.kind in _NOTED else None


def _timestamps(spec: ObjectSpec, column: Column, unit: str, zone: str | None) -> EncodedColumn:
    """Return times as Parquet has them, which knows no seconds; the name of their zone is noted."""
    numbers = np.asarray(column)
    missing = numbers == NOT_A_TIME
    times = pa.array(numbers, mask=missing if missing.any() else None).cast(pa.timestamp(unit, zone and "UTC"))
    if unit == "s":
        times = times.cast(pa.timestamp("ms", zone and "UTC"))
    return EncodedColumn(pa.field(spec.name, times.type), times, Annotation(spec.kind, zone=zone))


def _is_required(dtype: ColumnType) -> bool:
    return dtype.kind not in ("str", "list")


def _stored_type(dtype: ColumnType, limbs: int) -> Any:
    match dtype.kind:
        case "list":
            # Lists that are all empty have items of no type.
            return pa.large_list(pa.field("item", _stored_type(dtype.item or INT64, limbs), nullable=True))
        case "bigint":
            return pa.binary(8 * limbs)
        case "uint":
            return pa.uint64()
    return arrow_type(dtype)


def _stored(column: Column, dtype: ColumnType, limbs: int) -> Any:
    match dtype.kind:
        case "list":
            assert isinstance(column, pa.LargeListArray), "lists are Arrow's"
            offsets = offsets_of(column)
            start = column.offsets[0].as_py() if len(column) else 0
            items = column.values.slice(start, int(offsets[-1]))
            inner = dtype.item or INT64
            if pa.types.is_null(items.type):
                items = pa.array([], _stored_type(inner, limbs))
            stored = _stored(items, inner, limbs) if inner.kind == "bigint" else items
            stored = stored.cast(pa.uint64()) if inner == UINT8 else stored
            return pa.LargeListArray.from_arrays(
                pa.array(offsets, pa.int64()), stored, type=pa.large_list(pa.field("item", stored.type, nullable=True))
            )
        case "bigint":
            return from_limbs(with_limbs(limbs_of(column), limbs))
        case "str" if dtype.nullable:
            return with_nulls(column)
    return column if isinstance(column, pa.Array) else pa.array(column)


def _categorical(
    spec: ObjectSpec, rows: Mapping[Hashable, Column], tables: Columns, *, as_strings: bool
) -> EncodedColumn:
    """Return codes and labels as a dictionary, which Parquet stores as text."""
    labels: Any = tables[spec.tables[CATEGORIES]]
    codes = np.asarray(rows[spec.members[CODES]])
    if len(labels) >= _MOST_CODES:
        raise UnsupportedError(f"{spec.name!r} has {len(labels):,} categories, more than Parquet takes.")
    if len(codes) and not 0 <= int(codes.min()) <= int(codes.max()) < len(labels):
        raise SchemaError(
            f"{spec.name!r} has codes that name none of its categories.",
            details=[f"codes from {codes.min()} to {codes.max()}, {len(labels)} categories"],
        )
    if spec.params.get(ORDERED):
        stored = _in_order(codes.astype(np.int32), labels, int(tables[spec.tables[NA_CODES]][0]))
    else:
        stored = pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), labels)
    field = pa.field(spec.name, stored.type, nullable=True)
    return EncodedColumn(field, stored, None if as_strings else _noted_labels(spec, labels, tables))


def _in_order(codes: Any, labels: Any, na: int) -> Any:
    """Return codes and labels as a dictionary in an order, in which the label for missing has no place."""
    known = labels.filter(pa.array(np.arange(len(labels)) != na))
    moved = pa.array(np.where(codes > na, codes - 1, codes), mask=codes == na)
    return pa.DictionaryArray.from_arrays(moved, known, ordered=True)


def _noted_labels(spec: ObjectSpec, labels: Any, tables: Columns) -> Annotation:
    if labels.nbytes > MOST_LABELS:
        return Annotation(ObjType.CATEGORICAL)
    na, ordered = int(tables[spec.tables[NA_CODES]][0]), bool(spec.params.get(ORDERED))
    return Annotation(ObjType.CATEGORICAL, labels=tuple(labels.to_pylist()), na=na, ordered=ordered)


def text_leaves(field: Any) -> list[str]:
    """Return the paths of the leaves of a column that are text: what a dictionary makes small."""
    stored = field.type
    if pa.types.is_large_list(stored):
        return [f"{field.name}.list.element"] if pa.types.is_large_string(stored.value_type) else []
    return [field.name] if pa.types.is_large_string(stored) or pa.types.is_dictionary(stored) else []
