"""Objects are made of frames, and frames of objects are what they were."""

from __future__ import annotations

import base64
import hashlib

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask import evo
from akdask.evo.errors import KindError, MissingBlobError, ObjectError
from akdask.evo.families import LATEST, SCHEMAS

TIMES = pd.DatetimeIndex(["2024-01-01", "NaT", "2024-01-03"]).tz_localize("UTC")
FRAME = pd.DataFrame(
    {
        "x": [0.0, 1, 2],
        "y": [3.0, 4, 5],
        "z": [6.0, 7, 8],
        "grade": [0.5, np.nan, 1.5],
        "count": [1, 2, 3],
        "rock": pd.Categorical(["b", None, "a"], categories=["b", "a", "unused"]),
        "note": ["one", None, "three"],
        "when": TIMES,
        "flag": [True, False, True],
        "flow[0]": [1.0, 2, 3],
        "flow[1]": [4.0, 5, 6],
    }
)
TYPES = ["scalar", "integer", "category", "string", "date_time", "bool", "vector"]


@pytest.fixture
def store(tmp_path):
    return evo.Store(tmp_path / "blobs")


@pytest.mark.parametrize("of", [pd.DataFrame, ak.DataFrame, pa.Table.from_pandas])
def test_points_and_their_attributes_are_what_they_were(store, of):
    base = {"name": "assays", "locations": {"note": 1}}
    made = evo.to_object(of(FRAME), "pointset", store, document=base)
    assert evo.check_object(made, store) == []
    assert made["name"] == "assays"
    assert made["locations"]["note"] == 1
    assert base == {"name": "assays", "locations": {"note": 1}}
    assert [item["attribute_type"] for item in made["locations"]["attributes"]] == TYPES
    assert evo.frame_of(made, store, "coordinates").to_pandas().equals(FRAME[["x", "y", "z"]])
    found = evo.frame_of(made, store, "locations.attributes", categoricals=True)
    assert isinstance(found["rock"], ak.Categorical)
    again = found.to_pandas()
    assert list(again.columns) == list(FRAME.columns[3:])
    assert again["when"].tolist()[::2] == FRAME["when"].tolist()[::2]
    assert again["rock"].cat.categories.tolist() == ["b", "a", "unused"]
    for name in ("grade", "count", "flag", "flow[0]", "flow[1]"):
        assert again[name].equals(FRAME[name])
    for name in ("rock", "note", "when"):
        assert again[name].isna().tolist() == FRAME[name].isna().tolist()
    twice = evo.to_object(found, "pointset", store, "locations.attributes", document=made)
    # The first has null or NaN, lazy rows have NaN.
    assert twice["locations"]["attributes"][1:] == made["locations"]["attributes"][1:]
    assert evo.to_object(found, "pointset", store, "locations.attributes", document=twice) == twice


def test_arrays_go_to_the_places_that_are_named(store):
    made = evo.to_object(
        FRAME[["x", "y", "z", "grade"]], "/objects/triangle-mesh/2.1.0/triangle-mesh.schema.json", store
    )
    assert made["schema"] == "/objects/triangle-mesh/2.1.0/triangle-mesh.schema.json"
    cells = np.array([[0, 1, 2]], np.uint64)
    made = evo.to_object(cells, "triangle-mesh", store, "triangles.indices", document=made)
    made = evo.to_object({"area": [0.5]}, "triangle-mesh", store, "indices.attributes", document=made)
    assert evo.check_object(made, store) == []
    assert evo.frame_of(made, store, "indices.attributes")["area"].tolist() == [0.5]
    assert evo.frame_of(made, store, "vertices.attributes")["grade"].to_ndarray()[2] == 1.5
    grid = evo.to_object({"a": np.arange(6.0)}, "regular-2d-grid", store, document={"size": [2, 3]})
    assert evo.check_object(grid, store) == []
    holes = {"a": [1.0], "b": [2.0]}
    made = evo.to_object(holes, "downhole-collection", store, "collections[0].from_to.intervals.start_and_end")
    made = evo.to_object(
        {"Au": [0.1]}, "downhole-collection", store, "collections[0].from_to.attributes", document=made
    )
    assert len(made["collections"]) == 1
    assert evo.frame_of(made, store, "from_to.attributes")["Au"].tolist() == [0.1]


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("points", None),
        ("pointset", "edges"),
        ("triangle-mesh", "attributes"),
        ("downhole-collection", "collections[3].attributes"),
        ("downhole-collection", "collections[].attributes"),
        ("variogram", None),
    ],
)
def test_places_that_a_schema_lacks_are_told(store, schema, path):
    with pytest.raises(ObjectError):
        evo.to_object({"a": [1.0]}, schema, store, path)


def test_columns_of_no_attribute_are_refused(store):
    with pytest.raises(KindError, match="no attribute"):
        evo.to_object({"a": pa.array([1], pa.uint8())}, "pointset", store)


def test_each_schema_has_a_version():
    assert LATEST.keys() == SCHEMAS.keys()


def test_section_8_blocks_of_an_upload_cover_a_blob(store):
    described = store.put({"a": np.random.default_rng(0).random(1_200_000)})
    blocks = store.blocks(described)
    with open(store.path(described), "rb") as file:
        data = file.read()
    assert hashlib.sha256(b"".join(data[block.start : block.stop] for block in blocks)).hexdigest() == described["data"]
    assert len(blocks) == -(-len(data) // 2**22) > 1
    assert [base64.b64decode(block.name) for block in blocks] == [b"%032d" % (2**22 * n) for n in range(len(blocks))]
    with pytest.raises(MissingBlobError):
        store.blocks("ab" * 32)
