"""Writing columns to a set of Parquet files, one for each partition, or to a single file."""

from __future__ import annotations

import os
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from inspect import signature
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from akdask.columns.arrow import are_null, arrow_numbers, numpy_numbers, offsets_of
from akdask.columns.bigint import from_limbs, limbs_of, with_limbs
from akdask.columns.dtypes import INT64, NOT_A_TIME, UINT8, ColumnType
from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import with_nulls
from akdask.columns.table import Table, arrow_type
from akdask.deferred import pc
from akdask.errors import ArgumentError, InconsistentFilesError, SchemaError, UnsupportedError
from akdask.formats.parquet.bit_pages import Page, codes_of, packed_pages
from akdask.formats.parquet.chunks import errors_naming, exact_times, open_parquet
from akdask.formats.parquet.columns import MOST_LABELS, Annotation, ParquetFileDescription, columns_of, encode
from akdask.formats.parquet.footers import (
    MAGIC,
    PARQUET_ERRORS,
    ParquetManifest,
    describe_file,
    footer_start,
    inspect_file,
)
from akdask.formats.parquet.thrift import CODECS as STORED_CODECS
from akdask.formats.parquet.thrift import Field, Fields, changed_fields, read_fields, write_fields
from akdask.formats.tuning import PARQUET_GROUP_ROWS, PARQUET_PAGE_ROWS
from akdask.records import record
from akdask.storage.files import FileIdentity, identify
from akdask.storage.manifest import FileSums
from akdask.storage.objects import (
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
    FileLayout,
    Mode,
    ObjectSpec,
    ObjType,
)
from akdask.storage.ranges import range_reader
from akdask.storage.staged_writer import DescribedFile, FileReceipt, StagedWriter, checked_codec
from akdask.typing import Column

_PLAIN = (ObjType.PDARRAY, ObjType.STRINGS, ObjType.SEGARRAY)
_NOTED = (ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4, ObjType.INDEX)
_MOST_CODES = 2**31


@record
class EncodedColumn:
    """One column of one file.

    Parameters
    ----------
    field : pyarrow.Field
        Name and type.
    values : pyarrow.Array
        The rows.
    annotation : Annotation, optional
        Annotation of the column.
    """

    field: Any
    values: Any
    annotation: Annotation | None


def check_specs(specs: Sequence[ObjectSpec]) -> None:
    """Refuse objects that a Parquet file cannot store.

    Raises
    ------
    ArgumentError
        If there are no objects, or names are ambiguous or no text.
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
    """Return the stored form of one column.

    Parameters
    ----------
    spec : ObjectSpec
        Kind of the object.
    rows : mapping of name to column
        The rows of one partition.
    tables : mapping of name to column
        The small tables that every partition is given whole.
    as_strings : bool
        Whether a Categorical is to be read again as plain Strings.
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
    if item.plain == UINT8:
        return Annotation(spec.kind, is_uint8=True)
    unit = spec.params.get(UNIT)
    return Annotation(spec.kind, unit=None if unit == "ns" else unit) if spec.kind in _NOTED else None


def _timestamps(spec: ObjectSpec, column: Column, unit: str, zone: str | None) -> EncodedColumn:
    """Return times in Parquet's units, which lack seconds; the name of their zone is annotated."""
    numbers = np.asarray(column)
    missing = numbers == NOT_A_TIME
    times = arrow_numbers(numbers, missing=missing if missing.any() else None).cast(pa.timestamp(unit, zone and "UTC"))
    if unit == "s":
        times = times.cast(pa.timestamp("ms", zone and "UTC"))
    return EncodedColumn(pa.field(spec.name, times.type), times, Annotation(spec.kind, zone=zone))


def _is_required(dtype: ColumnType) -> bool:
    return dtype.kind not in ("str", "list") and not dtype.nullable


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
                arrow_numbers(offsets, np.int64),
                stored,
                type=pa.large_list(pa.field("item", stored.type, nullable=True)),
            )
        case "bigint":
            return from_limbs(with_limbs(limbs_of(column), limbs))
        case "str" if dtype.nullable:
            return with_nulls(column)
    if isinstance(column, NullableColumn):
        return arrow_numbers(column.values, missing=column.missing)
    return column if isinstance(column, pa.Array) else arrow_numbers(column)


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
    """Return the paths of a column's text leaves, which a dictionary compresses."""
    stored = field.type
    if pa.types.is_large_list(stored):
        return [f"{field.name}.list.element"] if pa.types.is_large_string(stored.value_type) else []
    return [field.name] if pa.types.is_large_string(stored) or pa.types.is_dictionary(stored) else []


CODECS = ("none", "snappy", "gzip", "brotli", "zstd", "lz4")
_PAGES: dict[str, Any] = {"write_batch_size": 2**15, "data_page_size": 8 * PARQUET_PAGE_ROWS}
"""Pages that end where units of rows do, so that plain ones are read and added up where they are."""

if "max_rows_per_page" in signature(pq.ParquetWriter).parameters:  # releases before had no such limit
    _PAGES["max_rows_per_page"] = PARQUET_PAGE_ROWS

_REANNOTATED = (ObjType.CATEGORICAL, ObjType.TIMEDELTA)
"""Kinds of columns that other writers note in a way that is not written again."""


class ParquetWriter(StagedWriter[FileReceipt]):
    """One write of columns to a set of Parquet files.

    Parameters
    ----------
    path : str or path
        Prefix and extension of the set, or the exact path of a single file.
    specs : sequence of ObjectSpec
        The columns, in the order of the user.
    npartitions : int
        Number of files, unless single.
    mode : {"truncate", "append"}, default "truncate"
        Replace the set, or add columns to its files.
    file_type : {"distribute", "single"}, default "distribute"
        One file for each partition, or one in all.
    overwrite : bool, default False
        In append mode: replace existing columns.
    compression : str, optional
        One of `CODECS`, in any case.
    convert_categoricals : bool, default False
        Whether a Categorical is read again as its strings.
    checksums : bool, default False
        Whether each page has a checksum.
    per_file : int, default 1
        How many partitions go into each file.
    """

    noun = "columns"
    library_errors = PARQUET_ERRORS

    def __init__(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: Mode = "truncate",
        file_type: FileLayout = "distribute",
        overwrite: bool = False,
        compression: str | None = None,
        convert_categoricals: bool = False,
        checksums: bool = False,
        per_file: int = 1,
    ) -> None:
        check_specs(specs)
        if not isinstance(checksums, (bool, np.bool_)):
            raise ArgumentError(f"checksums is True or False, not {checksums!r}.")
        how: Any = {"mode": mode, "file_type": file_type, "overwrite": overwrite, "per_file": per_file}
        super().__init__(path, specs, npartitions=npartitions, **how)
        self._compression = checked_codec(compression, CODECS)
        self._as_strings = convert_categoricals
        self._checksums = bool(checksums)

    @property
    def _nfiles(self) -> int:
        return self.npartitions

    def _names_in(self, file: FileIdentity) -> Iterable[str]:
        return sorted(inspect_file(file).columns)

    def write(self, index: int, table: Table, tables: Columns | None = None) -> FileReceipt:
        """Write the rows of one partition; may be called again, also at the same time.

        Raises
        ------
        WriteError
            If the disk is full, or the folder cannot be seen from here.
        SchemaError
            If the columns do not have as many rows each.
        """
        encoded = [encode_column(s, table.columns, tables or {}, as_strings=self._as_strings) for s in self.specs]
        lengths = {column.field.name: len(column.values) for column in encoded}
        if len(set(lengths.values())) > 1:
            raise SchemaError(
                "the columns of a Parquet file have as many rows each.",
                details=[f"{name!r}: {count:,}" for name, count in lengths.items()],
                hint="write columns of different lengths to sets of their own, or with to_hdf.",
            )
        with self._errors_naming(self._target_of(index)):
            attempt = self._staging.attempt(self._names[index])
            if self._added_to:
                self._copy_with(self._added_to[index], encoded, attempt)
            else:
                self._write_new(encoded, attempt)
            file = self._described(attempt) if self._has_manifest and self.per_file == 1 else None
            self._staging.finish(attempt, self._names[index])
        return FileReceipt(index, file)

    def _write_new(self, encoded: Sequence[EncodedColumn], path: str) -> None:
        fields = [column.field for column in encoded]
        noted = {column.field.name: column.annotation for column in encoded if column.annotation is not None}
        with self._opened(path, fields, noted) as writer:
            rows = pa.Table.from_arrays([column.values for column in encoded], schema=writer.schema)
            writer.write_table(rows, row_group_size=PARQUET_GROUP_ROWS)

    def _copy_with(self, file: FileIdentity, encoded: Sequence[EncodedColumn], path: str) -> None:
        """Write a file with the columns of another and new ones, row group by row group.

        New columns take the places of those that they replace; others go to the end.
        """
        new = {column.field.name: column for column in encoded}
        with range_reader(file) as ranges:
            ranges.expect([[(0, file.size)]], goes_back=True)
            with errors_naming(file.path, "schema"):
                old = open_parquet(ranges, int96_unit="ns")
                present = old.schema_arrow.names
                old_columns = [column for column in columns_of(old.metadata) if column.name not in new]
                unchanged, names = [name for name in present if name not in new], list(dict.fromkeys([*present, *new]))
                fields = [new[name].field if name in new else old.schema_arrow.field(name) for name in names]
            nrows = len(encoded[0].values)
            if old.metadata.num_rows != nrows:
                raise InconsistentFilesError(
                    f"{file.path!r} has {old.metadata.num_rows:,} rows, the columns to add have {nrows:,}.",
                    hint="columns are added to sets that have as many rows in each file.",
                )
            in_seconds = open_parquet(ranges, int96_unit="s")
            int96 = [column.name for column in old_columns if column.physical == "INT96"]
            noted = {column.name: Annotation(column.kind) for column in old_columns if column.kind in _REANNOTATED}
            noted |= {column.name: column.annotation for column in old_columns if column.annotation is not None}
            noted |= {name: column.annotation for name, column in new.items() if column.annotation is not None}
            with self._opened(path, fields, noted, _codec_of(inspect_file(file))) as writer:
                row = 0
                for group in range(old.metadata.num_row_groups):
                    with errors_naming(file.path, "rows"):
                        part = old.read_row_group(group, unchanged, use_threads=False)
                        if int96:
                            seconds = in_seconds.read_row_group(group, int96, use_threads=False)
                            for name in int96:
                                exact_times(part.column(name), seconds.column(name))
                    stop = row + old.metadata.row_group(group).num_rows
                    values = [
                        new[name].values.slice(row, stop - row) if name in new else part.column(name) for name in names
                    ]
                    writer.write_table(pa.Table.from_arrays(values, schema=writer.schema), max(stop - row, 1))
                    row = stop

    @contextmanager
    def _opened(
        self, path: str, fields: Sequence[Any], noted: Mapping[str, Annotation], codec: str = "none"
    ) -> Iterator[pq.ParquetWriter]:
        """Open a new file with the user's compression, else `codec`."""
        codec = self._compression or codec
        schema = pa.schema([field.remove_metadata() for field in fields])
        text = [leaf for field in fields for leaf in text_leaves(field)]
        # Dictionaries of numbers make files smaller, but are slow to build: they are for users who ask for small files.
        with pq.ParquetWriter(
            path,
            schema,
            version="2.6",
            data_page_version="1.0",
            compression=codec,
            use_dictionary=text if codec == "none" else True,
            # Only Arrow's own schema records that categories are ordered.
            store_schema=any(pa.types.is_dictionary(field.type) and field.type.ordered for field in fields),
            write_page_checksum=self._checksums,
            write_page_index=True,
            **_PAGES,
        ) as writer:
            # Arkouda's servers and others ignore it; the schema's own metadata is not written.
            writer.add_key_value_metadata(encode(noted))
            yield writer

    def _join(self, staged: Sequence[str], target: str, receipts: Sequence[FileReceipt], old: str | None) -> None:
        """Write one file with the row groups of several."""
        first = pq.ParquetFile(staged[0])
        noted = {c.name: c.annotation for c in columns_of(first.metadata) if c.annotation is not None}
        with self._opened(target, list(first.schema_arrow), noted) as writer:
            for path in staged:
                opened = pq.ParquetFile(path)
                for group in range(opened.num_row_groups):
                    part = opened.read_row_group(group, use_threads=False)
                    writer.write_table(part.replace_schema_metadata(), max(part.num_rows, 1))

    def _described(self, path: str) -> DescribedFile:
        file = identify(path)
        return replace(describe_file(file), sums=FileSums.of(file, footer_start(file)))

    def _write_manifest(self, path: str, files: Sequence[ParquetFileDescription], *, are_in_place: bool) -> None:
        ParquetManifest.write(path, files, are_in_place=are_in_place)


def _codec_of(file: ParquetFileDescription) -> str:
    """Return the codec of the first pages of a file that can be written."""
    codecs = (STORED_CODECS[number] for number in file.chunks["codec"].ravel().tolist() if number >= 0)
    names = (codec.lower().removesuffix("_raw") for codec in codecs)
    return next((name for name in names if name in CODECS), "none")


_I64, _I32, _I16, _STRUCT = 6, 5, 4, 12
_SCHEMA, _ROWS, _GROUPS, _ORDERS = 2, 3, 4, 7
"""Fields of a footer."""

_CHILDREN = 5
"""Field of the number of children of a nested column."""

_COLUMNS, _UNPACKED, _GROUP_ROWS, _GROUP_OFFSET, _PACKED, _ORDINAL = 1, 2, 3, 5, 6, 7
"""Fields of a row group."""

_CHUNK_OFFSET, _CHUNK = 2, 3
"""Fields of a column of a row group."""

_CODEC, _CHUNK_ROWS, _CHUNK_UNPACKED, _CHUNK_PACKED, _STATISTICS, _PAGE_COUNTS, _SIZES = 4, 5, 6, 7, 12, 13, 16
"""Fields of a column chunk with its codec and sizes, and what it says about its values."""

_NULLS, _PAGE_COUNT = 3, 3
"""Fields of the number of nulls in statistics, and of pages of one type and encoding."""

_DATA_OFFSET, _DICTIONARY_OFFSET = 9, 11
_OFFSETS = (_DATA_OFFSET, 10, _DICTIONARY_OFFSET)
"""Fields of a column chunk with the positions of its pages, index and dictionary."""

_MOST_ORDINALS = 2**15


@record
class EncodedRowGroup:
    """One row group, or some of its columns, ready to be put into a file.

    Parameters
    ----------
    pages : tuple of pyarrow.Buffer
        The bytes of its column chunks.
    footer : mapping of int to Field
        The footer of a file with this row group alone.
    nrows : int
        Its rows.
    """

    pages: tuple[Any, ...]
    footer: Fields
    nrows: int

    @property
    def size(self) -> int:
        """Number of its bytes."""
        return sum(part.size for part in self.pages)

    @classmethod
    def side_by_side(cls, parts: Sequence[EncodedRowGroup]) -> EncodedRowGroup:
        """Return the row group that has the columns of all parts, which have the same rows."""
        first = parts[0]
        if len(parts) == 1:
            return first
        leaves, orders, columns = [], [], []
        unpacked = packed = position = 0
        for part in parts:
            leaves += part.footer[_SCHEMA].value[1][1:]
            orders += part.footer[_ORDERS].value[1]
            (group,) = part.footer[_GROUPS].value[1]
            columns += _moved(group, position)[_COLUMNS].value[1]
            unpacked += group[_UNPACKED].value
            packed += group[_PACKED].value
            position += part.size
        root = {**first.footer[_SCHEMA].value[1][0], _CHILDREN: Field(_I32, len(leaves))}
        group = {
            **first.footer[_GROUPS].value[1][0],
            _UNPACKED: Field(_I64, unpacked),
            _PACKED: Field(_I64, packed),
        }
        group[_COLUMNS] = _items(group[_COLUMNS], columns)
        footer = dict(first.footer)
        footer[_SCHEMA] = _items(footer[_SCHEMA], [root, *leaves])
        footer[_GROUPS] = _items(footer[_GROUPS], [group])
        footer[_ORDERS] = _items(footer[_ORDERS], orders)
        return replace(first, pages=tuple(page for part in parts for page in part.pages), footer=footer)

    def with_pages(self, pages: Sequence[Page], nrows: int, nulls: int) -> EncodedRowGroup:
        """Return a row group of one column with the same distinct values on other pages, which are packed by gzip.

        Parameters
        ----------
        pages : sequence of Page
            The dictionary, where this row group has one, and data.
        nrows : int
            Rows on the pages.
        nulls : int
            Number of these that are null.
        """
        (group,) = self.footer[_GROUPS].value[1]
        (column,) = group[_COLUMNS].value[1]
        chunk = dict(column[_CHUNK].value)
        chunk.pop(_SIZES, None)
        unpacked, packed = sum(page.unpacked for page in pages), sum(len(page.data) for page in pages)
        changes = {
            _CODEC: STORED_CODECS.index("GZIP"),
            _CHUNK_ROWS: nrows,
            _CHUNK_UNPACKED: unpacked,
            _CHUNK_PACKED: packed,
        }
        if has_dictionary := _DICTIONARY_OFFSET in chunk:
            changes[_DATA_OFFSET] = chunk[_DICTIONARY_OFFSET].value + len(pages[0].data)
        chunk = changed_fields(chunk, changes)
        chunk[_STATISTICS] = Field(_STRUCT, changed_fields(chunk[_STATISTICS].value, {_NULLS: nulls}))
        *others, data = chunk[_PAGE_COUNTS].value[1]
        data = changed_fields(data, {_PAGE_COUNT: len(pages) - has_dictionary})
        chunk[_PAGE_COUNTS] = _items(chunk[_PAGE_COUNTS], [*others, data])
        group = changed_fields(group, {_UNPACKED: unpacked, _GROUP_ROWS: nrows, _PACKED: packed})
        group[_COLUMNS] = _items(group[_COLUMNS], [{**column, _CHUNK: Field(_STRUCT, chunk)}])
        footer = changed_fields(self.footer, {_ROWS: nrows})
        footer[_GROUPS] = _items(footer[_GROUPS], [group])
        return EncodedRowGroup(tuple(pa.py_buffer(page.data) for page in pages), footer, nrows)


_DICTIONARY_BYTES = 2**27
"""Arrow's writer goes back to plain values beyond its limit, with pages of both forms; few dictionaries reach this."""

_DISTINCT_AT_MOST = 2 / 3
"""Part of the runs of equal values that may be distinct in a column with a dictionary."""

_LONG_RUN = 128
"""Rows of a run beyond which gzip, which packs a thousandfold at most, makes more of them than codes do."""

_PACKED_BYTES = 1.5
"""Bytes that packed integers take for each byte in which their values differ, in a dictionary as well."""

_SAMPLE = 2**13
"""Values whose distinct ones are counted first; those of all only where these neither repeat often nor hardly."""


_LEVEL_OF_CODES = 3
"""Highest level of gzip for codes of dictionaries: 6 took a sixth longer for less than a thousandth of the bytes."""


def has_repeats(column: pa.ChunkedArray) -> bool:
    """Whether values repeat so often that a dictionary makes a packed column smaller.

    Examples
    --------
    >>> has_repeats(pa.chunked_array([[7, 8] * 100])), has_repeats(pa.chunked_array([list(range(200))]))
    (True, False)
    """
    count = len(column) - column.null_count
    if not count or pa.types.is_boolean(column.type) or pa.types.is_nested(column.type):
        return False
    all_runs = _count_runs(column)
    if all_runs * _LONG_RUN <= count:
        return True
    first = column.slice(0, _SAMPLE)
    distinct, runs = pc.count_distinct(first).as_py(), _count_runs(first)
    if not runs / 4 < distinct <= 0.95 * runs:
        return bool(distinct <= runs / 4)
    distinct = pc.count_distinct(column).as_py()
    if pa.types.is_integer(column.type) or pa.types.is_timestamp(column.type):
        width = column.type.bit_width / 8
        ends = pc.min_max(column if pa.types.is_integer(column.type) else column.cast(pa.int64())).as_py()
        plain = min(width, _PACKED_BYTES * max((ends["max"] - ends["min"]).bit_length(), 1) / 8)
    else:
        plain = column.nbytes / len(column)
    code = max((distinct - 1).bit_length(), 1) / 8
    return bool(distinct <= _DISTINCT_AT_MOST * all_runs and distinct * plain + all_runs * code < all_runs * plain)


def _count_runs(column: pa.ChunkedArray) -> int:
    """Return the number of runs of equal values, each of which gzip packs to little more than one value."""
    values = column.drop_null()
    changes = pc.sum(pc.not_equal(values.slice(1), values.slice(0, max(len(values) - 1, 0)))).as_py()
    return bool(len(values)) + (changes or 0)


@record
class RowGroupEncoding:
    """How row groups are encoded: the options of Arrow's writer.

    Parameters
    ----------
    version : str, default "2.4"
        Version of the format.
    compression : str, default "gzip"
        Codec of all columns.
    level : int, optional
        Compression level; Arrow's default unless given.
    dictionaries : tuple of str or None, optional
        Columns that may have dictionaries; None for those that dictionaries make smaller, by row group.
    """

    version: str = "2.4"
    compression: str = "gzip"
    level: int | None = None
    dictionaries: tuple[str, ...] | None = ()

    def encode(self, table: pa.Table) -> EncodedRowGroup:
        """Return the rows of a table as one row group.  The work runs without Python's lock."""
        names = self.dictionaries
        if names is None:
            names = tuple(name for name in table.column_names if has_repeats(table.column(name)))
        is_free = self.compression == "gzip" and self.dictionaries is None and len(table) > 0
        if is_free and all(field.name in names or pa.types.is_boolean(field.type) for field in table.schema):
            return EncodedRowGroup.side_by_side([self._in_bits(table.select([name])) for name in table.column_names])
        return self._encoded(table, names)

    def _encoded(self, table: pa.Table, names: Sequence[str]) -> EncodedRowGroup:
        stream = pa.BufferOutputStream()
        with pq.ParquetWriter(
            stream,
            table.schema,
            version=self.version,
            flavor=None,
            data_page_version="1.0",
            compression=self.compression,
            compression_level=self.level,
            use_dictionary=list(names),
            dictionary_pagesize_limit=_DICTIONARY_BYTES,
            store_schema=False,
        ) as writer:
            # Chunks of a table would show in the pages.
            writer.write_table(table.combine_chunks(), row_group_size=max(len(table), 1))
        data = stream.getvalue()
        length = int.from_bytes(data[-8:-4], "little")
        end = data.size - 8 - length
        footer, _ = read_fields(data[end : end + length].to_pybytes())
        return EncodedRowGroup((data.slice(len(MAGIC), end - len(MAGIC)),), footer, len(table))

    def _in_bits(self, table: pa.Table) -> EncodedRowGroup:
        """Return the rows of one column, with codes of a dictionary unless they are truth values.

        Arrow writes each distinct value once, which gives the dictionary, the schema and the extremes.
        """
        column, field = table.column(0), table.schema.field(0)
        present = column.drop_null()
        if is_bool := pa.types.is_boolean(field.type):
            values, dictionary = numpy_numbers(present.combine_chunks()), present.unique()
        else:
            values, dictionary = codes_of(present)
            if dictionary.nbytes > _DICTIONARY_BYTES:
                return self._encoded(table, (field.name,))
        valid = ~are_null(column.combine_chunks()) if column.null_count else np.ones(len(column), np.bool_)
        distinct = pa.concat_arrays([dictionary, pa.nulls(min(column.null_count, 1), field.type)])
        unpacked = replace(self, compression="none", level=None)
        names = () if is_bool else (field.name,)
        model = unpacked._encoded(pa.Table.from_arrays([distinct], schema=table.schema), names)
        pages = packed_pages(
            model.pages[0].to_pybytes(),
            values,
            max((len(dictionary) - 1).bit_length(), 1),
            valid,
            min(self.level or _LEVEL_OF_CODES, _LEVEL_OF_CODES),
            is_optional=field.nullable,
        )
        return model.with_pages(list(pages), len(table), column.null_count)


class RowGroupAssembly:
    """Assembles encoded row groups to one file, whose bytes are returned as they come."""

    def __init__(self) -> None:
        self._footer: Fields | None = None
        self._groups: list[Fields] = []
        self._position = len(MAGIC)
        self.nrows = 0

    def start(self) -> bytes:
        """Return the first bytes of the file."""
        return MAGIC

    def add(self, encoded: EncodedRowGroup) -> tuple[Any, ...]:
        """Return the bytes of one more row group, to be appended to the file."""
        footer = encoded.footer
        if self._footer is None:
            self._footer = footer
        assert footer[_SCHEMA] == self._footer[_SCHEMA], "row groups of one file have one schema"
        _, groups = footer[_GROUPS].value
        for group in groups:
            moved = _moved(group, self._position - len(MAGIC))
            if moved.pop(_ORDINAL, None) is not None and len(self._groups) < _MOST_ORDINALS:
                moved[_ORDINAL] = Field(_I16, len(self._groups))
            self._groups.append(moved)
        self._position += encoded.size
        self.nrows += encoded.nrows
        return encoded.pages

    def finish(self) -> Iterator[bytes]:
        """Yield the last bytes of the file."""
        assert self._footer is not None, "a file has one row group at least"
        footer = {**self._footer, _ROWS: Field(_I64, self.nrows)}
        footer[_GROUPS] = _items(footer[_GROUPS], self._groups)
        data = write_fields(footer)
        yield data
        yield len(data).to_bytes(4, "little")
        yield MAGIC


def _items(field: Field, items: Sequence[Fields]) -> Field:
    """Return a list of other items of the same type."""
    kind, _ = field.value
    return Field(field.kind, (kind, list(items)))


def _moved(group: Fields, by: int) -> Fields:
    """Return a row group whose bytes are shifted within a file."""
    moved = dict(group)
    _, columns = group[_COLUMNS].value
    moved[_COLUMNS] = _items(group[_COLUMNS], [_moved_column(column, by) for column in columns])
    if _GROUP_OFFSET in group:
        moved[_GROUP_OFFSET] = _shifted(group[_GROUP_OFFSET], by)
    return moved


def _moved_column(column: Fields, by: int) -> Fields:
    chunk = dict(column[_CHUNK].value)
    for number in _OFFSETS:
        if number in chunk:
            chunk[number] = _shifted(chunk[number], by)
    moved = {**column, _CHUNK: Field(column[_CHUNK].kind, chunk)}
    if _CHUNK_OFFSET in column:
        moved[_CHUNK_OFFSET] = _shifted(column[_CHUNK_OFFSET], by)
    return moved


def _shifted(field: Field, by: int) -> Field:
    """Return an offset shifted by a distance; 0 means none and stays 0."""
    return Field(field.kind, field.value + by if field.value else 0)
