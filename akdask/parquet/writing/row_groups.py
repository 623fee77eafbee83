"""Files made of columns and row groups that were encoded apart from each other, in any order and at the same time.

Arrow's writer encodes the columns and row groups of a file one after the other.  Here each is encoded as a file of its
own in memory; its pages then go into the one file as they are, and the footer tells where they have come to lie.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from akdask.parquet.metadata.footers import MAGIC
from akdask.parquet.metadata.thrift import Field, Fields, read_fields, write_fields

_I64, _I32, _I16 = 6, 5, 4
_SCHEMA, _ROWS, _GROUPS, _ORDERS = 2, 3, 4, 7
"""Fields of a footer."""

_CHILDREN = 5
"""Field of a column of columns that tells how many it has."""

_COLUMNS, _UNPACKED, _GROUP_OFFSET, _PACKED, _ORDINAL = 1, 2, 5, 6, 7
"""Fields of a row group."""

_CHUNK_OFFSET, _CHUNK = 2, 3
"""Fields of a column of a row group."""

_OFFSETS = (9, 10, 11)
"""Fields of a column chunk that tell where its pages, its index and its dictionary begin."""

_MOST_ORDINALS = 2**15


@dataclass(frozen=True, slots=True)
class EncodedRowGroup:
    """One row group, or some of its columns, ready to be put into a file.

    Parameters
    ----------
    pages : tuple of pyarrow.Buffer
        The bytes of its column chunks.
    footer : mapping of int to Field
        The footer of the file that would have nothing else.
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


@dataclass(frozen=True, slots=True)
class RowGroupEncoding:
    """How row groups are encoded: the options of Arrow's writer.

    Parameters
    ----------
    version : str, default "2.4"
        Version of the format.
    compression : str, default "gzip"
        Codec of all columns.
    level : int, optional
        Its level; that of Arrow unless given.
    dictionaries : tuple of str, optional
        Columns that may have dictionaries.
    """

    version: str = "2.4"
    compression: str = "gzip"
    level: int | None = None
    dictionaries: tuple[str, ...] = ()

    def encode(self, table: pa.Table) -> EncodedRowGroup:
        """Return the rows of a table as one row group.  Takes its time outside of Python's lock."""
        stream = pa.BufferOutputStream()
        with pq.ParquetWriter(
            stream,
            table.schema,
            version=self.version,
            flavor=None,
            data_page_version="1.0",
            compression=self.compression,
            compression_level=self.level,
            use_dictionary=list(self.dictionaries),
            store_schema=False,
        ) as writer:
            # Chunks of a table would show in the pages.
            writer.write_table(table.combine_chunks(), row_group_size=max(len(table), 1))
        data = stream.getvalue()
        length = int.from_bytes(data[-8:-4], "little")
        end = data.size - 8 - length
        footer, _ = read_fields(data[end : end + length].to_pybytes())
        return EncodedRowGroup((data.slice(len(MAGIC), end - len(MAGIC)),), footer, len(table))


class RowGroupAssembly:
    """Puts encoded row groups together to one file, whose bytes are handed on as they come."""

    def __init__(self) -> None:
        self._footer: Fields | None = None
        self._groups: list[Fields] = []
        self._position = len(MAGIC)
        self.nrows = 0

    def start(self) -> bytes:
        """Return the first bytes of the file."""
        return MAGIC

    def add(self, encoded: EncodedRowGroup) -> tuple[Any, ...]:
        """Return the next bytes of the file: those of one more row group."""
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
    """Return a row group whose bytes begin further on in a file."""
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
    """Return an offset further on; 0 stands for none."""
    return Field(field.kind, field.value + by if field.value else 0)
