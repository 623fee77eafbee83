"""Reading whole columns, and writing sets from plain lists, for the tests of this folder."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT64
from akdask.columns.table import Table, to_objects
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.new_file import SetWriter
from akdask.storage.objects import ObjectSpec, ObjType, StoredColumn
from akdask.typing import Column

DTYPES = {"i": INT64, "u": UINT64, "f": FLOAT64, "b": BOOL}


def read_column(stored: StoredColumn, step: int | None = None) -> list[Any]:
    """Read a column whole, or in blocks of `step` rows."""
    found: list[Any] = []
    for index, nrows in enumerate(stored.source.lengths):
        with stored.source.part(index, [stored.column]).open() as reader:
            for start in range(0, nrows, step or max(nrows, 1)):
                found += to_objects(reader.read(stored.column, start, min(start + (step or nrows), nrows)))
    return found


def read_set(filenames: Any, **options: Any) -> dict[str, Any]:
    """Read all objects; those with one member without naming it."""
    found = {}
    for name, stored in open_set(filenames, **options).select().items():
        members = {member: read_column(column) for member, column in stored.members.items()}
        found[name] = members["values"] if list(members) == ["values"] else members
    return found


def spec_of(name: str, values: Sequence[Any]) -> ObjectSpec:
    array = np.asarray(values)
    if array.dtype.kind == "U":
        return ObjectSpec(name, ObjType.STRINGS, {"values": name})
    return ObjectSpec(name, ObjType.PDARRAY, {"values": name}, dtype=DTYPES[array.dtype.kind])


def column_of(values: Sequence[Any]) -> Column:
    array = np.asarray(values)
    return pa.array(values, pa.large_string()) if array.dtype.kind == "U" else array


def write_set(
    path: Path | str, columns: Mapping[str, Sequence[Any]], lengths: Sequence[int], **options: Any
) -> list[str]:
    """Write columns, cut into partitions of the given lengths."""
    writer = SetWriter(path, [spec_of(k, v) for k, v in columns.items()], npartitions=len(lengths), **options)
    whole = Table({name: column_of(values) for name, values in columns.items()}, sum(lengths))
    stops = np.cumsum(lengths).tolist()
    writer.begin()
    try:
        receipts = [writer.write(k, whole.slice(stop - lengths[k], stop)) for k, stop in enumerate(stops)]
    except BaseException:
        writer.abort()
        raise
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return writer.commit(receipts)


@pytest.fixture(name="read_column")
def _read_column() -> Callable[..., list[Any]]:
    return read_column


@pytest.fixture(name="read_set")
def _read_set() -> Callable[..., dict[str, Any]]:
    return read_set


@pytest.fixture(name="write_set")
def _write_set() -> Callable[..., list[str]]:
    return write_set
