"""Tables with a column of every kind, and reading columns whole, for the tests of this folder."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.columns.table import to_objects
from akdask.formats.parquet.file_set import open_set
from akdask.storage.objects import VALUES


def read_set(filenames: Any, names: Any = None, step: int | None = None, **options: Any) -> dict[str, list[Any]]:
    """Return the rows of columns as Python objects, read whole or in blocks of `step` rows."""
    found: dict[str, list[Any]] = {}
    for name, stored in open_set(filenames, **options).objects(names).items():
        column = stored.members[VALUES]
        rows = found.setdefault(name, [])
        for index, nrows in enumerate(column.source.lengths):
            with column.source.part(index, [column.column]).open() as reader:
                for start in range(0, nrows, step or max(nrows, 1)):
                    rows += to_objects(reader.read(column.column, start, min(start + (step or nrows), nrows)))
    return found


def many_kinds(nrows: int) -> pa.Table:
    """Return a table with a column of each kind that is read."""
    rows = range(nrows)
    return pa.table(
        {
            "i": pa.array(np.arange(nrows) % 50 - 7),
            "o": pa.array([None if row % 7 == 0 else row for row in rows], pa.int64()),
            "u": pa.array(np.arange(nrows, dtype=np.uint64) + 2**63),
            "f": pa.array([None if row % 5 == 0 else row / 3 for row in rows], pa.float64()),
            "s": pa.array([None if row % 11 == 0 else f"text{row % 30}" for row in rows], pa.string()),
            "l": pa.array([None if row % 13 == 0 else list(range(row % 4)) for row in rows], pa.list_(pa.int64())),
            "b": pa.array(np.arange(nrows) % 3 == 0),
            "d": pa.array([decimal.Decimal(row) / 100 for row in rows], pa.decimal128(10, 2)),
            "t": pa.array(np.arange(nrows), pa.timestamp("us")),
            "c": pa.array([f"k{row % 5}" for row in rows]).dictionary_encode(),
        }
    )
