"""The vendor's converters, ``evo-data-converters-common``: their client stores tables where akdask reads them.

The package holds Arrow back to releases before 26, so that it has an environment of its own: ``make test-evo``.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from akdask import evo

converters = pytest.importorskip(
    "evo.data_converters.common", reason="evo-data-converters-common needs an environment of its own: make test-evo"
)

tables = pytest.importorskip("evo.objects.utils.tables", reason="evo-objects is not installed")


@pytest.fixture
def client(tmp_path):
    metadata = converters.EvoWorkspaceMetadata(
        workspace_id="00000000-0000-0000-0000-000000000001",
        org_id="00000000-0000-0000-0000-000000000002",
        hub_url="https://localhost",
        cache_root=str(tmp_path),
    )
    # Nothing is sent anywhere: only the client's cache is used.
    _, found = asyncio.run(converters.create_evo_object_service_and_data_client(evo_workspace_metadata=metadata))
    return found


@pytest.fixture
def store(client):
    return evo.Store(client.cache_location)


def test_the_cache_of_a_converter_is_a_store(client, store):
    table = pa.table({"x": [0.5, 1.5], "y": [2.5, 3.5], "z": [4.5, 5.5]})
    theirs = client.save_table(table)
    assert store.verify() == []
    assert store.get(theirs).to_arrow().to_pydict() == table.to_pydict()
    ours = store.put(table, role="geometry")
    assert {**theirs, "data": None} == {**ours, "data": None}
    assert {entry.name for entry in store.ls()} == {theirs["data"], ours["data"]}
    assert store.gc([ours], grace=0).names == ([] if theirs == ours else [theirs["data"]])


def test_integers_with_missing_values_are_floats(client, store):
    theirs = client.save_table(pa.table({"a": pa.array([1.0, None, 3.0])}))
    assert store.get(theirs)["data"].to_ndarray()[[0, 2]].tolist() == [1.0, 3.0]
    assert np.isnan(store.get(theirs)["data"].to_ndarray()[1])


@pytest.mark.filterwarnings("ignore:.*load_table is deprecated")
def test_table_formats_load_what_akdask_stores(client, store):
    ours = store.put(np.arange(6, dtype=np.uint64).reshape(2, 3), role="index")
    assert tables.KnownTableFormat.load_table(ours, Path(store.place)).num_columns == 3
