"""Arrays and attributes of objects are lazy DataFrames with the names and values of the attributes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from akdask import evo
from akdask.errors import ArgumentError, MissingColumnError
from akdask.evo.errors import DescriptionError, DigestError, ObjectError

VERTICES = np.arange(12.0).reshape(4, 3)


@pytest.fixture
def store(tmp_path):
    return evo.Store(tmp_path / "blobs")


@pytest.fixture
def document(store):
    times = pa.array([0, 1, None, 3], pa.timestamp("us", "UTC"))
    missing = {"nan_description": {"values": [-999]}}
    return {
        "schema": "/objects/triangle-mesh/2.1.0/triangle-mesh.schema.json",
        "triangles": {
            "vertices": {
                **store.put(VERTICES, role="geometry"),
                "attributes": [
                    {
                        "name": "grade",
                        "attribute_type": "scalar",
                        **missing,
                        "values": store.put({"a": [1.0, -999, 3, 4]}),
                    },
                    {
                        "name": "rock",
                        "attribute_type": "category",
                        **missing,
                        **store.put_categories({"a": ["x", None, "y", "x"]}),
                    },
                    {"name": "flow", "attribute_type": "vector", **missing, "values": store.put(VERTICES[:, :2])},
                    {
                        "name": "tint",
                        "attribute_type": "color",
                        "values": store.put(evo.colors.pack([1, 2, 3, 4], 0, 0), role="color"),
                    },
                    {
                        "name": "when",
                        "attribute_type": "date_time",
                        **missing,
                        "values": store.put({"a": times}, role="time"),
                    },
                    {"key": "flag", "attribute_type": "bool", "values": store.put({"a": [True, False, True, True]})},
                ],
            },
            "indices": store.put(np.array([[0, 1, 2], [1, 2, 3]], np.uint64), role="index"),
        },
    }


def test_attributes_are_columns_by_their_names(document, store):
    frame = evo.frame_of(document, store, "vertices.attributes")
    assert list(frame.columns) == ["grade", "rock", "flow[0]", "flow[1]", "tint", "when", "flag"]
    found = frame.to_pandas()
    assert found["grade"].isna().tolist() == [False, True, False, False]
    assert frame["rock"].to_arrow().to_pylist() == ["x", None, "y", "x"]
    assert found["flow[1]"].tolist() == VERTICES[:, 1].tolist()
    assert found["tint"].tolist() == [0xFF000001, 0xFF000002, 0xFF000003, 0xFF000004]
    assert found["when"].isna().tolist() == [False, False, True, False]
    assert found["flag"].tolist() == [True, False, True, True]


def test_some_attributes_and_rows_are_read_alone(document, store):
    frame = evo.frame_of(document, store, "triangles.vertices.attributes", columns=["flag", "grade"], rows=slice(1, 3))
    assert list(frame.columns) == ["flag", "grade"]
    assert frame["flag"].tolist() == [False, True]
    with pytest.raises(MissingColumnError, match="gold"):
        evo.frame_of(document, store, "vertices.attributes", columns=["gold"])


def test_arrays_are_named_by_their_paths_or_the_ends_of_these(document, store):
    for path in ("vertices", "triangles.vertices"):
        assert evo.frame_of(document, store, path)["y"].tolist() == VERTICES[:, 1].tolist()
    assert evo.frame_of(document, store, "indices", columns=["n2"])["n2"].tolist() == [2, 3]
    assert evo.frame_of(document, store, "vertices.attributes[0]").columns[0] == "grade"


def test_places_without_arrays_are_told(document, store):
    with pytest.raises(ObjectError, match="nothing at 'edges'"):
        evo.frame_of(document, store, "edges")
    with pytest.raises(ObjectError, match="no array at"):
        evo.frame_of(document, store, "triangles")
    with pytest.raises(ObjectError, match="several places"):
        evo.frame_of(document, store, "values")
    with pytest.raises(ObjectError):
        evo.frame_of(document, store, "")
    with pytest.raises(ObjectError, match="no attributes"):
        evo.frame_of({"attributes": []}, store, "attributes")


def test_damaged_blobs_are_not_read(document, store):
    with open(store.path(document["triangles"]["vertices"]), "r+b") as file:
        file.truncate(100)
    with pytest.raises(DigestError):
        evo.frame_of(document, store, "vertices")


def test_attributes_that_share_a_name_are_told_apart_by_their_keys(store):
    attributes = [
        {**more, "attribute_type": "scalar", "values": store.put({"a": [float(number)]})}
        for number, more in enumerate(
            [{"name": "Au", "key": "1"}, {"name": "Au", "key": "2"}, {"name": "Cu", "key": "3"}, {"name": "2"}]
        )
    ]
    frame = evo.frame_of({"attributes": attributes}, store, "attributes")
    assert {name: frame[name].tolist() for name in frame.columns} == {"1": [0.0], "2 2": [1.0], "Cu": [2.0], "2": [3.0]}
    nameless = [{**item, "key": None, "name": "x"} for item in attributes[:2]]
    assert list(evo.frame_of({"attributes": nameless}, store, "attributes").columns) == ["x", "x 2"]


def test_lookup_tables_without_data_are_errors_of_their_description(store, document):
    attribute = document["triangles"]["vertices"]["attributes"][1]
    del attribute["table"]["data"]
    with pytest.raises(DescriptionError, match="lacks the name of its blob"):
        evo.frame_of(document, store, "vertices.attributes")
    codes = [finding.code for finding in evo.check_object(document, store)]
    assert "description" in codes


@pytest.mark.parametrize("lookup", [{"a": "b"}, {1: 2}, {2**70: "x"}, {None: "x"}])
def test_lookup_tables_of_anything_else_are_refused(store, lookup):
    stored = store.put(np.arange(3, dtype=np.int32))
    with pytest.raises(ArgumentError, match="maps integers to text"):
        store.get(stored, lookup=lookup)


@pytest.mark.parametrize("value", [5, "x", None, True, []])
def test_places_that_are_no_objects_have_no_arrays(store, document, value):
    with pytest.raises(ObjectError):
        evo.frame_of({**document, "triangles": value, "attributes": value}, store, "attributes")
