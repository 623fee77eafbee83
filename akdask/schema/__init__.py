"""What columns are, before any byte is read: types, and the identity of rows."""

from akdask.schema.dtypes import (
    BIGINT,
    BOOL,
    FLOAT64,
    INT64,
    NULLABLE_STR,
    STR,
    UINT8,
    UINT64,
    ColumnType,
    bigint_of,
    column_type,
    list_of,
    unlimited,
)
from akdask.schema.rows import RowSpace

__all__ = [
    "BIGINT",
    "BOOL",
    "FLOAT64",
    "INT64",
    "NULLABLE_STR",
    "STR",
    "UINT8",
    "UINT64",
    "ColumnType",
    "RowSpace",
    "bigint_of",
    "column_type",
    "list_of",
    "unlimited",
]
