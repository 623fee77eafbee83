"""The vendor's own SDK, ``evo-objects``: it reads what akdask writes, and akdask what it writes.

Skipped, and told of at the end of the run, where the package is not installed.
"""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask import evo

REASON = "evo-objects is not installed; pip install 'akdask[test]'"
exceptions = pytest.importorskip("evo.objects.exceptions", reason=REASON)
formats = pytest.importorskip("evo.objects.utils.table_formats", reason=REASON)
data = pytest.importorskip("evo.objects.utils.data", reason=REASON)
parquet = pytest.importorskip("evo.objects.parquet", reason=REASON)

TIMES = pa.timestamp("us", "UTC")
COLUMNS = {
    "float64": pa.array([0.5, None, -1.5]),
    "int32": pa.array([1, None, -3], pa.int32()),
    "int64": pa.array([2**60, None, -3], pa.int64()),
    "uint8": pa.array([0, 7, 255], pa.uint8()),
    "uint32": pa.array([0, None, 2**32 - 1], pa.uint32()),
    "uint64": pa.array([0, 1, 2**63], pa.uint64()),
    "bool": pa.array([True, None, False]),
    "string": pa.array(["x", None, "Ä"]),
    "timestamp": pa.array([0, None, -(10**15)], TIMES),
}
KINDS = {
    "float-array-1": ["float64"],
    "float-array-2": ["float64"] * 2,
    "float-array-3": ["float64"] * 3,
    "float-array-6": ["float64"] * 6,
    "float-array-md": ["float64"] * 5,
    "index-array-1": ["uint64"],
    "index-array-2": ["uint64"] * 2,
    "index-array-3": ["uint64"] * 3,
    "index-array-4": ["uint64"] * 4,
    "index-array-8": ["uint64"] * 8,
    "integer-array-1-int32": ["int32"],
    "integer-array-1-int64": ["int64"],
    "integer-array-md-int32": ["int32"] * 2,
    "integer-array-md-int64": ["int64"] * 3,
    "bool-array-1": ["bool"],
    "bool-array-md": ["bool"] * 2,
    "brep-container-brep": ["uint8"],
    "color-array": ["uint32"],
    "date-time-array": ["timestamp"],
    "string-array": ["string"],
    "downhole-collection-location-holes": ["int32", "uint64", "uint64"],
    "unstructured-grid-geometry-cells": ["int32", "uint64", "int32"],
    "lines-2d-indices": ["uint64", "uint64", "float64"],
    "lookup-table-int32": ["int32", "string"],
    "lookup-table-int64": ["int64", "string"],
}


def table_of(kind):
    table = pa.table([COLUMNS[name] for name in KINDS[kind]], names=[f"c{n}" for n in range(len(KINDS[kind]))])
    if kind == "unstructured-grid-geometry-cells":
        shapes = pa.array([4, 5, 6], pa.int32())
        table = table.set_column(0, "shape", shapes).set_column(2, "count", shapes)
    return table.drop_null() if kind.startswith("lookup") else table


def loaded_by_the_sdk(store, described):
    with parquet.ParquetLoader(pa.OSFile(store.path(described))) as loader:
        loader.validate_with_table_info(described)
        return loader.load_as_table()


@pytest.fixture
def store(tmp_path):
    (tmp_path / "blobs").mkdir()
    return evo.Store(tmp_path / "blobs")


@pytest.fixture
def client(store):
    """Return the SDK's client of data, whose cache is the folder of the store; nothing is sent anywhere."""
    cache = SimpleNamespace(get_location=lambda environment, scope: Path(store.place))
    return data.ObjectDataClient(SimpleNamespace(org_id=UUID(int=0), workspace_id=UUID(int=1)), None, cache)


@pytest.mark.parametrize("kind", KINDS)
def test_the_sdk_loads_what_akdask_writes(store, kind):
    table = table_of(kind)
    described = store.put(table)
    assert formats.get_known_format(store.get_arrow(described)).name == kind
    loaded = loaded_by_the_sdk(store, described)
    assert [column.to_pylist() for column in loaded.columns] == [column.to_pylist() for column in table.columns]


@pytest.mark.parametrize("kind", KINDS)
def test_akdask_reads_what_the_sdk_writes(store, client, kind):
    table = table_of(kind)
    described = client.save_table(table)
    ours = evo.ArrayDescription.from_json(described)
    assert ours.kind == kind
    assert ours.to_json() == described
    assert store.verify([described]) == []
    assert store.describe(described) == described
    found = store.get_arrow(described)
    assert [column.to_pylist() for column in found.columns] == [column.to_pylist() for column in table.columns]
    assert [item for item in evo.validate(store.path(described), described) if item.is_error] == []
    assert len(store.get(described)) == table.num_rows


@pytest.mark.parametrize("kind", KINDS)
def test_descriptions_are_those_of_the_sdk(store, client, kind):
    theirs, ours = client.save_table(table_of(kind)), store.put(table_of(kind))
    assert {**theirs, "data": None} == {**ours, "data": None}
    assert list(theirs) == list(ours)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "float" in kind or "integer" in kind])
def test_lazy_frames_are_loaded_by_the_sdk(store, kind):
    table = table_of(kind).drop_null()
    described = store.put(ak.from_arrow(table), data_type=KINDS[kind][0])
    loaded = loaded_by_the_sdk(store, described)
    assert [column.to_pylist() for column in loaded.columns] == [column.to_pylist() for column in table.columns]


def test_frames_of_pandas_are_stored_alike(store, client):
    frame = pd.DataFrame({"a": [1.5, np.nan, 2.5]})
    theirs, ours = client.save_dataframe(frame), store.put(frame)
    assert {**theirs, "data": None} == {**ours, "data": None}
    assert (
        store.get_arrow(theirs).column(0).to_pylist() == store.get_arrow(ours).column(0).to_pylist() == [1.5, None, 2.5]
    )


@pytest.mark.parametrize(
    "columns",
    [
        {"a": pa.array([1.0], pa.float32())},
        {"a": pa.array([1], pa.int16())},
        {f"c{n}": pa.array([1], pa.uint64()) for n in range(5)},
        {"a": pa.array(["x"]), "b": pa.array([1], pa.int32())},
        {"a": pa.array([1.0]), "b": pa.array([1])},
        {"a": pa.array(["x"]), "b": pa.array(["x"])},
        {"a": pa.array([datetime(2024, 1, 1, tzinfo=UTC)], pa.timestamp("us", "Etc/UTC"))},
    ],
)
def test_what_the_sdk_refuses_has_no_kind(client, columns):
    table = pa.table(columns)
    with pytest.raises((TypeError, exceptions.TableFormatError)):
        client.save_table(table)
    assert evo.kinds.kind_of_types([evo.kinds.type_name(kind) for kind in table.schema.types]) is None


def test_categories_have_the_codes_of_the_sdk(store, client, monkeypatch):
    frames = [
        pd.DataFrame({"a": ["x", "y", None, "x"], "b": ["z", "x", "z", None]}),
        pd.DataFrame({"a": pd.Categorical(["b", None, "a"], categories=["c", "b", "a", "q"])}),
    ]

    async def kept(table, fb=None, table_format=None):
        return client.save_table(table, table_format=table_format)

    monkeypatch.setattr(client, "upload_table", kept)
    for frame in frames:
        theirs = asyncio.run(client.upload_category_dataframe(frame))
        ours = store.put_categories(frame)
        for part in ("values", "table"):
            assert {**theirs[part], "data": None} == {**ours[part], "data": None}
            mine = store.get_arrow(ours[part])
            assert [c.to_pylist() for c in store.get_arrow(theirs[part]).columns] == [
                c.to_pylist() for c in mine.columns
            ]


def test_references_are_those_of_the_sdk(store):
    document = {"a": [store.put(np.arange(3.0))], "b": {"c": {"d": store.put(np.arange(4.0))}}}
    theirs = list(data._iter_refs(json.loads(json.dumps(document))))
    assert theirs == [reference.description.data for reference in evo.find_references(document)]
