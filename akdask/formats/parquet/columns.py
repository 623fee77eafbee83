"""The columns of a Parquet file: the type that each stored type becomes, and the types that cannot be read.

Types are widened to 64 bits.  Times keep their unit and zone, days become seconds, decimals floats.  Integers and bools
with nulls are of a nullable type; in lists with nulls they are floats.  Lists hold neither times nor lists: such items
are text.  Bytes are text where they are UTF-8, else hex digits.  Each leaf of a schema is a column: fields of structs,
and keys and values of maps, have the names of all that they are in.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import field as dataclass_field
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.columns.dtypes import (
    BOOL,
    FLOAT64,
    INT64,
    NULLABLE_STR,
    PER_SECOND,
    STR,
    UINT8,
    UINT64,
    ColumnType,
    bigint_of,
    list_of,
)
from akdask.deferred import pa, pq
from akdask.errors import FileFormatError
from akdask.formats.parquet.thrift import PROBLEMS, Leaf
from akdask.records import record
from akdask.storage.files import FileIdentity
from akdask.storage.manifest import FileSums
from akdask.storage.objects import ObjType, unique_names

KEY = b"akdask"
_VERSION = 1
_MOST_BYTES = 2**24  # bytes of the JSON; akdask writes at most some hundred for a column, and `MOST_LABELS`

MOST_LABELS = 2**16
"""Bytes of a Categorical's labels that are stored as a note; larger sets of labels are read from the rows."""


@record
class Annotation:
    """Properties of one column beyond its stored type.

    Parameters
    ----------
    kind : ObjType
        The kind of the object.
    max_bits : int, default -1
        Of integers of any size: their bits, -1 for no limit.
    labels : tuple of str, optional
        For a Categorical: its labels, in order; None where they are too large for a note.
    na : int, optional
        For a Categorical with `labels`: the position of the missing label.
    ordered : bool, default False
        Of a Categorical with `labels`: whether their order means something.
    is_bigint : bool, default False
        Whether bytes of fixed length are integers, two's complement with the lowest byte first.
    is_uint8 : bool, default False
        Whether uint64 replaces uint8, which servers do not read.
    unit : str, optional
        For times: their unit, nanoseconds by default.
    zone : str, optional
        Of times: their zone.
    """

    kind: ObjType
    max_bits: int = -1
    labels: tuple[str, ...] | None = None
    na: int | None = None
    ordered: bool = False
    is_bigint: bool = False
    is_uint8: bool = False
    unit: str | None = None
    zone: str | None = None


def encode(annotations: Mapping[str, Annotation]) -> dict[bytes, bytes]:
    """Return the key-value metadata for annotated columns; empty without annotations."""
    if not annotations:
        return {}
    columns = {name: _encoded(annotation) for name, annotation in annotations.items()}
    return {KEY: json.dumps({"version": _VERSION, "columns": columns}, separators=(",", ":")).encode()}


def _encoded(annotation: Annotation) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": annotation.kind.name}
    if annotation.is_bigint:
        found["max_bits"] = annotation.max_bits
    if annotation.is_uint8:
        found["dtype"] = UINT8.name
    found |= {name: told for name in ("unit", "zone") if (told := getattr(annotation, name)) is not None}
    if annotation.labels is not None:
        found["labels"], found["na"] = list(annotation.labels), annotation.na
    if annotation.ordered:
        found["ordered"] = True
    return found


def decode(metadata: Mapping[bytes, bytes] | None) -> dict[str, Annotation]:
    """Return the annotations of columns in the key-value metadata of a file, ignoring malformed ones.

    Examples
    --------
    >>> decode(encode({"t": Annotation(ObjType.DATETIME)}))["t"].kind.name
    'DATETIME'
    >>> decode({KEY: b"[1, 2"})
    {}
    """
    text = (metadata or {}).get(KEY, b"")
    if not text or len(text) > _MOST_BYTES:
        return {}
    try:
        noted = json.loads(text)
        if noted["version"] != _VERSION:
            return {}
        found = {str(name): _decoded(item) for name, item in noted["columns"].items()}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return {}
    return {name: item for name, item in found.items() if item is not None}


def _is_zone(zone: Any) -> bool:
    try:
        return isinstance(zone, str) and len(zone) < 100 and pa.timestamp("s", zone) is not None
    except UnicodeEncodeError:
        return False


def _decoded(item: Mapping[str, Any]) -> Annotation | None:
    match item:
        case {"kind": "CATEGORICAL", "labels": list() as labels, "na": int() as na} if 0 <= na < len(labels):
            known = all(isinstance(label, str) for label in labels) and len(set(labels)) == len(labels)
            ordered = item.get("ordered") is True
            return Annotation(ObjType.CATEGORICAL, labels=tuple(labels), na=na, ordered=ordered) if known else None
        case {"kind": str() as kind, "max_bits": int() as max_bits}:
            return Annotation(ObjType[kind], max_bits, is_bigint=True)
        case {"kind": str() as kind, "dtype": UINT8.name}:
            return Annotation(ObjType[kind], is_uint8=True)
        case {"kind": str() as kind}:
            unit, zone = item.get("unit"), item.get("zone")
            return Annotation(
                ObjType[kind], unit=unit if unit in PER_SECOND else None, zone=zone if _is_zone(zone) else None
            )
    return None


PLAIN = {"INT32": "<i4", "INT64": "<i8", "FLOAT": "<f4", "DOUBLE": "<f8"}
"""NumPy's names of physical types that pages hold as memory does."""

UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
DAY = 86_400 * 10**9
"""Nanoseconds of a day; for other units see `UNITS`."""

EXACT_POWER = 22
"""Powers of ten up to which floats are exact."""

NAT = -(2**63)
"""The nanoseconds of a time that is missing."""

MOST_DIGITS = 18
"""Digits of decimals that are integers of 64 bits."""


@record
class ParquetColumn:
    """One column of a file: a leaf of its schema.

    Parameters
    ----------
    name : str
        Its name.
    leaf : int
        Its number among all leaves of the schema.
    kind : ObjType
        Kind of the object made of it.
    dtype : ColumnType, optional
        Type of its rows without nulls; None where it cannot be read.
    stored : pyarrow.DataType
        The type as Arrow reads it, without structs.
    physical : str
        Its physical type.
    is_flat : bool
        Whether it is in no list, map or struct.
    is_optional : bool
        Whether there may be nulls.
    scale : int, default 1
        Factor of stored integers: days become seconds, and the files of a set get the finest unit of all.
    counts : str, optional
        Unit of times in all files of a set, where that differs from the file's own.
    annotation : Annotation, optional
        akdask's annotation at the time of writing.
    refusal : str, optional
        Why it cannot be read.
    width : int, default 0
        Bytes of each value of a physical type whose values have any number of bytes, but all as many.
    logical : str, default "NONE"
        The logical type, as pyarrow names it.
    is_of_server : bool, default False
        Whether it is text as an Arkouda server alone writes it: without a logical type, and without Arrow's schema.
    fraction : int, optional
        Of decimals that are read as integers: the digits after the point that these count.
    """

    name: str
    leaf: int
    kind: ObjType
    dtype: ColumnType | None
    stored: Any
    physical: str
    is_flat: bool
    is_optional: bool
    scale: int = 1
    counts: str | None = None
    annotation: Annotation | None = None
    refusal: str | None = None
    width: int = 0
    logical: str = "NONE"
    is_of_server: bool = False
    fraction: int | None = None

    def __hash__(self) -> int:
        # Keys of caches have it: what else tells columns apart takes longer.
        return hash((self.name, self.leaf, self.scale, self.counts))

    @cached_property
    def digits(self) -> bool | None:
        """Whether bytes are read as digits in base 16; None where that depends on whether all of them are text."""
        if self.physical not in {"BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"} or STR not in (self.dtype, self._item):
            return False
        if self.physical != "BYTE_ARRAY" or self.logical in _WITHOUT_TEXT:
            return True
        return None if self.logical == "NONE" and not pa.types.is_dictionary(self.stored) else False

    @property
    def _item(self) -> ColumnType | None:
        return None if self.dtype is None else self.dtype.item

    @property
    def is_nested(self) -> bool:
        """Whether it has lists."""
        return _is_list(self.stored)

    @cached_property
    def divisor(self) -> float:
        """The power of ten that the integers of decimals are divided by; 1 for other columns."""
        return 10.0**self.stored.scale if pa.types.is_decimal(self.stored) else 1.0

    @cached_property
    def plain(self) -> str | None:
        """NumPy's type name of plain pages; None unless they hold numbers, times by `scale`, or decimals of few digits.

        Where decimals have any number of bytes, these are the digits of an integer, the highest first.
        """
        if not self.is_flat or self.dtype is None:
            return None
        plain = PLAIN.get(self.physical)
        if pa.types.is_decimal(self.stored):
            if not 0 <= self.stored.scale <= EXACT_POWER:
                return None
            return f"V{self.width}" if self.physical == "FIXED_LEN_BYTE_ARRAY" and 0 < self.width <= 16 else plain
        if plain is not None and self.dtype.kind == "uint":
            return plain.replace("i", "u")
        return plain if self.dtype.is_number and not pa.types.is_null(self.stored) else None

    @property
    def unit(self) -> str | None:
        """Unit of times, ``s``, ``ms``, ``us`` or ``ns``; None for other columns."""
        if self.kind not in _TIMES:
            return None
        if self.counts is not None:
            return self.counts
        if pa.types.is_date(self.stored):
            return "s" if pa.types.is_date32(self.stored) else "ms"
        noted = None if self.annotation is None else self.annotation.unit
        return str(getattr(self.stored, "unit", noted or "ns"))

    @property
    def zone(self) -> str | None:
        """The zone of times, UTC where the file only records that they have one."""
        if self.kind != ObjType.DATETIME:
            return None
        noted = None if self.annotation is None else self.annotation.zone
        return noted or getattr(self.stored, "tz", None)

    def in_unit(self, unit: str | None) -> ParquetColumn:
        """Return the column with times that count a unit, which is no coarser than their own."""
        own = self.unit
        if unit is None or own is None or own == unit:
            return self
        return replace(self, scale=self.scale * (UNITS[own] // UNITS[unit]), counts=unit)

    def as_integer(self) -> ParquetColumn:
        """Return the column with days, times, or the digits of decimals that fit, as integers; others as they are."""
        stored, types = self.stored, pa.types
        is_short = types.is_decimal(stored) and stored.precision <= MOST_DIGITS
        is_time = types.is_timestamp(stored) and self.physical == "INT64"
        if not (is_short or is_time or types.is_date32(stored)):
            return self
        return replace(self, kind=ObjType.PDARRAY, dtype=INT64, stored=pa.int64(), scale=1, annotation=None)

    def as_count(self) -> ParquetColumn:
        """Return the column with decimals as counts of their last digit: of 64 bits, or of any size where wider."""
        stored = self.stored
        if not self.is_flat or not pa.types.is_decimal(stored):
            return self
        column = replace(self, fraction=stored.scale)
        if stored.precision <= MOST_DIGITS:
            return column.as_integer()
        limbs = pa.binary(16 if pa.types.is_decimal128(stored) else 32)
        return replace(column, kind=ObjType.PDARRAY, dtype=bigint_of(-1), stored=limbs, annotation=None)

    @property
    def shown_type(self) -> str:
        """The type as messages show it."""
        return str(self.stored) if self.fraction is None else f"decimals of {self.fraction} digits after the point"

    def with_nulls(self) -> ColumnType | None:
        """Return the type that rows have where some are null."""
        return None if self.dtype is None else with_nulls(self.dtype, self.kind)


def with_nulls(dtype: ColumnType, kind: ObjType) -> ColumnType:
    """Return the type of a column of which some rows, or items of lists, are null, the same if a value says so."""
    if dtype.item in _WITHOUT_VALUE:
        return list_of(NULLABLE_STR if dtype.item == STR else FLOAT64)
    return replace(dtype, nullable=True) if dtype in _WITHOUT_VALUE and kind not in _TIMES else dtype


_WITHOUT_VALUE = (INT64, UINT64, UINT8, BOOL, STR)
"""Types of which no value says that a row is missing."""

_TIMES = (ObjType.DATETIME, ObjType.TIMEDELTA)

_WITHOUT_TEXT = ("GEOMETRY", "GEOGRAPHY", "BSON")
"""Logical types of bytes that are no text, even where they happen to be UTF-8."""


def columns_of(metadata: pq.FileMetaData) -> tuple[ParquetColumn, ...]:
    """Return all columns of a file.

    Raises
    ------
    pyarrow.ArrowException
        If the schema makes no sense.
    """
    schema = metadata.schema
    arrow = schema.to_arrow_schema()
    annotations = decode(metadata.metadata)
    leaves = [(field, end, stored) for field in arrow for end, stored in _leaves(field.type)]
    if len(leaves) != len(schema):
        raise pa.ArrowInvalid(f"the schema has {len(schema)} leaves, other than Arrow makes of it")
    names = unique_names([field.name + end for field, end, _ in leaves])
    is_of_server = (
        metadata.metadata is None
        and (metadata.created_by or "").startswith("parquet-cpp")
        and all(_is_type_of_servers(schema.column(leaf)) for leaf in range(len(schema)))
    )
    return tuple(
        _column(name, field, stored, leaf, schema, None if end else annotations.get(name), is_of_server=is_of_server)
        for leaf, (name, (field, end, stored)) in enumerate(zip(names, leaves, strict=True))
    )


def _is_type_of_servers(leaf: Any) -> bool:
    """Whether an Arkouda server writes columns of the type of a leaf."""
    logical = leaf.logical_type.type
    is_unsigned = logical == "INT" and json.loads(leaf.logical_type.to_json()).get("isSigned") is False
    of_integers = leaf.physical_type == "INT64" and is_unsigned
    return of_integers or (logical in {"NONE", "STRING"} and leaf.physical_type in _TYPES_OF_SERVERS)


_TYPES_OF_SERVERS = ("BOOLEAN", "INT64", "DOUBLE", "BYTE_ARRAY")


def leaves_of(metadata: pq.FileMetaData) -> list[Leaf]:
    """Return the leaves of a schema, as chunks are compared with them."""
    columns = (metadata.schema.column(number) for number in range(len(metadata.schema)))
    return [
        Leaf(
            column.physical_type,
            column.max_repetition_level == 0,
            json.loads(column.logical_type.to_json()).get("isSigned") is False,
        )
        for column in columns
    ]


def _column(  # noqa: PLR0917 - what a schema tells of a leaf
    name: str,
    field: pa.Field,
    stored: Any,
    leaf: int,
    schema: Any,
    annotation: Annotation | None,
    *,
    is_of_server: bool,
) -> ParquetColumn:
    first = schema.column(leaf)
    found = ParquetColumn(
        name,
        leaf,
        ObjType.UNKNOWN,
        None,
        stored,
        first.physical_type,
        is_flat=not pa.types.is_nested(_storage(field.type)) and first.max_repetition_level == 0,
        is_optional=first.max_definition_level > 0,
        width=max(first.length or 0, 0),
        logical=first.logical_type.type,
        is_of_server=is_of_server and first.physical_type == "BYTE_ARRAY" and first.logical_type.type == "NONE",
    )
    if annotation is not None and annotation.is_bigint and _are_limbs(stored):
        bits = bigint_of(annotation.max_bits)
        return replace(
            found, kind=annotation.kind, dtype=list_of(bits) if _is_list(stored) else bits, annotation=annotation
        )
    try:
        kind, dtype, scale = _meaning(stored)
    except _RefusedError as error:
        return replace(found, kind=ObjType.SEGARRAY if _is_list(stored) else ObjType.UNKNOWN, refusal=str(error))
    if annotation is not None and annotation.is_uint8 and (dtype.item or dtype) == UINT64:
        dtype = UINT8 if dtype.item is None else list_of(UINT8)
        fits = annotation.kind in (kind, ObjType.INDEX)
        return replace(found, kind=annotation.kind if fits else kind, dtype=dtype, scale=scale, annotation=annotation)
    if annotation is None or annotation.is_bigint or not _fits(annotation.kind, kind, dtype):
        return replace(found, kind=kind, dtype=dtype, scale=scale)
    return replace(found, kind=annotation.kind, dtype=dtype, scale=scale, annotation=annotation)


class _RefusedError(Exception):
    """Why a type cannot be read."""


def _meaning(stored: Any) -> tuple[ObjType, ColumnType, int]:
    """Return the meaning of a stored type: kind, type, and factor of stored numbers."""
    types = pa.types
    if _is_list(stored):
        kind, item, _ = _meaning(_storage(stored.value_type))
        return ObjType.SEGARRAY, list_of(STR if item.kind == "list" or kind in _TIMES else item), 1
    if types.is_dictionary(stored):
        kind, dtype, scale = _meaning(_storage(stored.value_type))
        return (ObjType.CATEGORICAL if dtype == STR else kind), dtype, scale
    if types.is_boolean(stored):
        return ObjType.PDARRAY, BOOL, 1
    if types.is_signed_integer(stored):
        return ObjType.PDARRAY, INT64, 1
    if types.is_unsigned_integer(stored):
        return ObjType.PDARRAY, UINT8 if stored == pa.uint8() else UINT64, 1
    if types.is_floating(stored) or types.is_decimal(stored) or types.is_null(stored):
        return ObjType.PDARRAY, FLOAT64, 1
    if types.is_timestamp(stored):
        return ObjType.DATETIME, INT64, 1
    if types.is_date(stored):
        return ObjType.DATETIME, INT64, DAY // UNITS["s"] if types.is_date32(stored) else 1
    if types.is_time(stored) or types.is_duration(stored):
        return ObjType.TIMEDELTA, INT64, 1
    if _is_text(stored) or types.is_fixed_size_binary(stored):
        return ObjType.STRINGS, STR, 1
    raise _RefusedError(f"{stored} is not read")


def _is_text(stored: Any) -> bool:
    types = pa.types
    tests = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    views = (getattr(types, name, None) for name in ("is_string_view", "is_binary_view"))
    return any(test(stored) for test in (*tests, *filter(None, views)))


def _is_list(stored: Any) -> bool:
    types = pa.types
    return bool(types.is_list(stored) or types.is_large_list(stored) or types.is_fixed_size_list(stored))


def _are_limbs(stored: Any) -> bool:
    """Whether a type, or that of the items of a list, is bytes of whole limbs."""
    item = stored.value_type if _is_list(stored) else stored
    return bool(pa.types.is_fixed_size_binary(item)) and item.byte_width > 0 and item.byte_width % 8 == 0


def _storage(stored: Any) -> Any:
    """Return the type under an extension type."""
    return stored.storage_type if isinstance(stored, pa.BaseExtensionType) else stored


def _leaves(stored: Any) -> Iterator[tuple[str, Any]]:
    """Yield for each leaf of a type the end of its name, and its type without structs, in as many lists as it is."""
    stored = _storage(stored)
    if pa.types.is_struct(stored):
        for field in stored:
            for end, leaf in _leaves(field.type):
                yield f".{field.name}{end}", leaf
    elif pa.types.is_map(stored):
        for name, part in (("key", stored.key_type), ("value", stored.item_type)):
            for end, leaf in _leaves(part):
                yield f".{name}{end}", pa.list_(leaf)
    elif _is_list(stored):
        for end, leaf in _leaves(stored.value_type):
            yield end, pa.list_(leaf) if end else stored
    else:
        yield "", stored


_KINDS = {
    ObjType.DATETIME: (INT64,),
    ObjType.TIMEDELTA: (INT64,),
    ObjType.IPV4: (UINT64,),
    ObjType.CATEGORICAL: (STR,),
    ObjType.INDEX: (INT64, UINT64, UINT8, FLOAT64, BOOL, STR),
}


def _fits(noted: ObjType, kind: ObjType, dtype: ColumnType) -> bool:
    """Whether a column's type fits the kind in its annotation."""
    return dtype in _KINDS.get(noted, ()) and kind in (ObjType.PDARRAY, ObjType.STRINGS, noted)


@record
class FileSchema:
    """The schema that several files share.

    Parameters
    ----------
    columns : tuple of ParquetColumn
        All columns, in the order of the file.
    footer : bytes
        The footer of one of them, from which a manifest makes the columns again.
    leaves : int
        Leaves of the schema.
    integers : frozenset of str
        Days, times and decimals that are integers.
    counts_decimals : bool
        Whether all decimals are integers, of any size where they have many digits.
    """

    columns: tuple[ParquetColumn, ...]
    footer: bytes = dataclass_field(repr=False)
    leaves: int
    integers: frozenset[str] = frozenset()
    counts_decimals: bool = False

    @classmethod
    def of(cls, metadata: pq.FileMetaData, footer: bytes) -> FileSchema:
        """Return the schema in a footer; for errors see `columns_of`."""
        return cls(columns_of(metadata), footer, len(metadata.schema))

    @cached_property
    def named(self) -> Mapping[str, ParquetColumn]:
        """The columns by name."""
        return {column.name: column for column in self.columns}

    def with_integers(self, names: frozenset[str]) -> FileSchema:
        """Return the schema with some days, times and decimals as integers."""
        columns = tuple(column.as_integer() if column.name in names else column for column in self.columns)
        return replace(self, columns=columns, integers=names)

    def with_counts(self) -> FileSchema:
        """Return the schema with all decimals as integers."""
        return replace(self, columns=tuple(column.as_count() for column in self.columns), counts_decimals=True)


@record(eq=False)
class ParquetFileDescription:
    """One file.

    Parameters
    ----------
    file : FileIdentity
        Which file, in which state.
    schema : FileSchema
        Its columns.
    rows : ndarray, shape (nrowgroups,), int64
        Rows of each row group.
    chunks : ndarray, shape (nleaves, nrowgroups), dtype `CHUNK`
        Where the columns lie.
    sums : FileSums, optional
        The checksums of the file, if they are in a manifest.
    is_proven : bool, default True
        Whether the checksums belong to this very file, and not to the original of a copy.
    """

    file: FileIdentity
    schema: FileSchema
    rows: npt.NDArray[np.int64]
    chunks: npt.NDArray[np.void]
    sums: FileSums | None = None
    is_proven: bool = True

    @property
    def columns(self) -> Mapping[str, ParquetColumn]:
        """The columns by name."""
        return self.schema.named

    @property
    def nrows(self) -> int:
        """Rows of all row groups."""
        return sum(self.rows.tolist())

    def chunks_of(self, column: ParquetColumn) -> npt.NDArray[np.void]:
        """Return the chunks of a column, shape (nrowgroups,).

        Raises
        ------
        FileFormatError
            If one of them cannot be read.
        """
        found: npt.NDArray[np.void] = self.chunks[column.leaf]
        if found["problem"].any():
            group = int(np.flatnonzero(found["problem"])[0])
            raise FileFormatError(
                f"column {column.name!r} of {self.file.path!r} cannot be read: "
                f"{PROBLEMS[int(found['problem'][group])]}.",
                details=[f"row group {group}"],
                hint="the file is damaged; write it again, or read its other columns.",
            )
        return found

    def at(self, path: str) -> ParquetFileDescription:
        """Return the description of the file when it is in another place."""
        return replace(self, file=replace(self.file, path=path))
