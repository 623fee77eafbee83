"""Sections 3, 5 and 10: objects hold the arrays that their schema asks for, with the rows that belong together."""

from __future__ import annotations

import copy
import json

import numpy as np
import pyarrow as pa
import pytest

from akdask import evo
from akdask.evo.errors import ObjectError
from akdask.evo.families import SCHEMAS, family_name


@pytest.fixture
def store(tmp_path):
    return evo.Store(tmp_path / "blobs")


def schema(name, version="1.2.0"):
    return f"/objects/{name}/{version}/{name}.schema.json"


def scalar(store, values, name="grade", missing=()):
    return {
        "name": name,
        "key": name,
        "attribute_type": "scalar",
        "nan_description": {"values": list(missing)},
        "values": store.put(np.asarray(values, float)),
    }


def category(store, values, name="rock"):
    return {
        "name": name,
        "key": name,
        "attribute_type": "category",
        "nan_description": {"values": []},
        **store.put_categories({"a": values}),
    }


def mesh(store):
    vertices = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]])
    return {
        "schema": schema("triangle-mesh", "2.1.0"),
        "triangles": {
            "vertices": {
                **store.put(vertices, role="geometry"),
                "attributes": [scalar(store, [1, -9, 3, 4], missing=[-9]), category(store, ["x", "y", None, "x"])],
            },
            "indices": store.put(np.array([[0, 1, 2], [1, 2, 3]], np.uint64), role="index"),
        },
        "parts": {"chunks": store.put(np.array([[0, 1], [1, 1]], np.uint64)), "attributes": [scalar(store, [1, 2])]},
    }


def grid(store, name="regular-3d-grid"):
    size = [2, 3, 2]
    found = {
        "schema": schema(name),
        "size": size,
        "cell_attributes": [scalar(store, np.arange(12))],
        "vertex_attributes": [scalar(store, np.arange(36))],
    }
    if name.startswith("tensor"):
        found["grid_cells_3d"] = {f"cell_sizes_{a}": [1.0] * n for a, n in zip("xyz", size, strict=True)}
    return found


def masked(store):
    mask = np.arange(12) % 3 == 0
    return {
        "schema": schema("regular-masked-3d-grid"),
        "size": [2, 3, 2],
        "number_of_active_cells": 4,
        "mask": {"name": "mask", "attribute_type": "bool", "values": store.put(mask, role="mask")},
        "cell_attributes": [scalar(store, [1, 2, 3, 4])],
    }


def holes(store):
    table = store.put(pa.table({"k": pa.array([1, 2], pa.int32()), "v": ["A1", "A2"]}), role="lookup")
    chunk = pa.table(
        {"i": pa.array([1, 2], pa.int32()), "o": pa.array([0, 2], pa.uint64()), "c": pa.array([2, 1], pa.uint64())}
    )
    path = np.array([[0.0, 90, 60], [10, 90, 60], [0, 0, 90]])
    return {
        "schema": schema("downhole-collection", "1.3.1"),
        "location": {
            "coordinates": store.put(np.zeros((2, 3)), role="geometry"),
            "distances": store.put(np.ones((2, 3)), role="geometry"),
            "holes": store.put(chunk, role="geometry"),
            "hole_id": {"values": store.put(np.array([1, 2], np.int32), role="category"), "table": table},
            "path": {**store.put(path, role="geometry"), "attributes": [scalar(store, [1, 2, 3])]},
        },
        "collections": [
            {
                "name": "assays",
                "collection_type": "interval",
                "holes": store.put(chunk, role="geometry"),
                "from_to": {
                    "intervals": {"start_and_end": store.put(np.array([[0.0, 5], [5, 10], [0, 3]]))},
                    "attributes": [scalar(store, [0.1, 0.2, 0.3], "gold")],
                },
            },
            {
                "name": "notes",
                "collection_type": "distance",
                "holes": store.put(chunk, role="geometry"),
                "distance": {
                    "values": store.put(np.array([1.0, 2, 3])),
                    "attributes": [category(store, ["a", "b", "a"])],
                },
            },
        ],
    }


def cells(store):
    shapes = pa.table(
        {"s": pa.array([4, 4], pa.int32()), "o": pa.array([0, 4], pa.uint64()), "n": pa.array([4, 4], pa.int32())}
    )
    return {
        "schema": schema("unstructured-grid"),
        "geometry": {
            "vertices": store.put(np.random.default_rng(0).random((5, 3)), role="geometry"),
            "cells": {**store.put(shapes, role="geometry"), "attributes": [scalar(store, [1, 2])]},
            "indices": store.put(np.array([0, 1, 2, 3, 1, 2, 3, 4], np.uint64), role="index"),
        },
    }


def points(store):
    return {
        "schema": schema("pointset"),
        "locations": {
            "coordinates": store.put(np.zeros((3, 3)), role="geometry"),
            "attributes": [
                scalar(store, [1, 2, 3]),
                {
                    "name": "series",
                    "attribute_type": "continuous_time_series",
                    "nan_description": {"values": []},
                    "num_time_steps": 2,
                    "values": store.put(np.ones((3, 2))),
                },
            ],
        },
    }


GOOD = {
    "mesh": mesh,
    "grid": grid,
    "tensor": lambda store: grid(store, "tensor-3d-grid"),
    "masked": masked,
    "holes": holes,
    "cells": cells,
    "points": points,
}


def codes(findings):
    return [finding.code for finding in findings]


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.parametrize("footer_only", [False, True])
def test_good_objects_have_no_findings(store, name, footer_only):
    assert evo.check_object(GOOD[name](store), store, footer_only=footer_only) == []


@pytest.mark.parametrize("name", GOOD)
def test_documents_are_checked_without_a_store(store, name):
    assert evo.check_object(GOOD[name](store)) == []


def at(document, path):
    for step in path[:-1]:
        document = document[step]
    return document


VERTICES = ("triangles", "vertices")

FAULTS = {
    "an index beyond the vertices": (
        mesh,
        ("triangles", "indices"),
        lambda s: s.put(np.array([[0, 1, 4], [0, 1, 2]], np.uint64), role="index"),
        ["index-range"],
    ),
    "indices of another kind": (
        mesh,
        ("triangles", "indices"),
        lambda s: s.put(np.array([[0, 1], [0, 1]], np.uint64)),
        ["kind"],
    ),
    "vertices that are missing": (mesh, (*VERTICES, "data"), lambda s: "ab" * 32, ["missing"]),
    "a description that makes no sense": (mesh, (*VERTICES, "data_type"), lambda s: "float32", ["description"]),
    "an attribute of other rows": (mesh, (*VERTICES, "attributes", 0, "values"), lambda s: s.put(np.ones(3)), ["rows"]),
    "an attribute of another kind": (
        mesh,
        (*VERTICES, "attributes", 0, "values"),
        lambda s: s.put(np.ones(4, np.int32)),
        ["kind"],
    ),
    "an attribute that names nothing missing": (
        mesh,
        (*VERTICES, "attributes", 0, "nan_description"),
        lambda s: None,
        ["nan-description"],
    ),
    "an attribute of no type": (
        mesh,
        (*VERTICES, "attributes", 0, "attribute_type"),
        lambda s: "x",
        ["attribute-type"],
    ),
    "attributes that are no list": (mesh, (*VERTICES, "attributes"), lambda s: {}, ["attributes"]),
    "a code without key": (
        mesh,
        (*VERTICES, "attributes", 1, "values"),
        lambda s: s.put(np.array([0, 1, 7, 0], np.int32), role="category"),
        ["unknown-code"],
    ),
    "parts beyond the triangles": (
        mesh,
        ("parts", "chunks"),
        lambda s: s.put(np.array([[0, 1], [1, 2]], np.uint64)),
        ["chunk-range"],
    ),
    "a size that does not fit": (grid, ("size",), lambda s: [2, 3, 3], ["rows", "rows"]),
    "no size": (grid, ("size",), lambda s: None, ["size", "size"]),
    "cell sizes of another number": (GOOD["tensor"], ("grid_cells_3d", "cell_sizes_y"), lambda s: [1.0], ["size"]),
    "another number of active cells": (masked, ("number_of_active_cells",), lambda s: 5, ["active-count", "rows"]),
    "a mask of other cells": (
        masked,
        ("mask", "values"),
        lambda s: s.put(np.array([True] * 4 + [False]), role="mask"),
        ["rows"],
    ),
    "holes beyond the path": (
        holes,
        ("location", "path"),
        lambda s: s.put(np.zeros((2, 3)), role="geometry"),
        ["chunk-range"],
    ),
    "intervals of other rows": (
        holes,
        ("collections", 0, "from_to", "attributes", 0, "values"),
        lambda s: s.put(np.ones(2)),
        ["rows"],
    ),
    "cells beyond the indices": (
        cells,
        ("geometry", "indices"),
        lambda s: s.put(np.array([0, 1], np.uint64), role="index"),
        ["chunk-range"],
    ),
    "time steps of another number": (
        points,
        ("locations", "attributes", 1, "num_time_steps"),
        lambda s: 3,
        ["time-steps"],
    ),
    "an unknown schema": (points, ("schema",), lambda s: schema("new-thing"), ["schema"]),
    "no schema": (points, ("schema",), lambda s: "pointset", ["schema"]),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_section_10_each_fault_is_found(store, fault):
    make, path, value, expected = FAULTS[fault]
    document = make(store)
    at(document, path)[path[-1]] = value(store)
    assert sorted(codes(evo.check_object(document, store))) == expected


def test_all_faults_are_told_with_their_places(store):
    document = mesh(store)
    attributes = document["triangles"]["vertices"]["attributes"]
    attributes[0]["values"] = store.put(np.ones(3))
    attributes[1]["table"]["data"] = "cd" * 32
    del document["triangles"]["indices"]
    found = evo.check_object(document, store)
    assert sorted(codes(found)) == ["missing", "missing-array", "rows"]
    assert {finding.blob.partition(" ")[0] for finding in found} == {
        "triangles.indices",
        "triangles.vertices.attributes[0]",
        "triangles.vertices.attributes[1].table",
    }


def test_geometry_with_nan_is_found(store):
    document = mesh(store)
    vertices = store.put(np.full((4, 3), np.nan))
    document["triangles"]["vertices"].update(vertices)
    found = evo.check_object(document, store)
    assert codes(found) == ["nan"] * 3
    assert [finding.column for finding in found] == ["x", "y", "z"]
    assert all(finding.row_group == 0 for finding in found)


def test_damaged_blobs_of_objects_are_found(store):
    document = mesh(store)
    path = store.path(document["triangles"]["indices"])
    with open(path, "r+b") as file:
        file.seek(60)
        byte = file.read(1)
        file.seek(60)
        file.write(bytes([byte[0] ^ 1]))
    assert "digest" in codes(evo.check_object(document, store))
    assert codes(evo.verify_object(document, store)) == ["digest"]


def test_documents_are_read_from_files(store, tmp_path):
    (tmp_path / "mesh.json").write_text(json.dumps(mesh(store)))
    assert evo.check_object(tmp_path / "mesh.json", store) == []
    for text in ("[]", "{", "3"):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(ObjectError):
            evo.check_object(tmp_path / "bad.json", store)
    with pytest.raises(ObjectError, match="cannot be read"):
        evo.check_object(tmp_path / "nothing.json", store)


def test_documents_of_any_shape_are_findings_and_no_crashes(store):
    good = mesh(store)
    places = [
        ("triangles",),
        ("triangles", "vertices"),
        ("triangles", "vertices", "attributes", 0),
        ("triangles", "vertices", "attributes", 1, "table"),
        ("parts", "chunks"),
        ("schema",),
    ]
    for path in places:
        for value in (None, 3, "x", [], {}, [None], {"data": 3}, {"data": None}, {"data": [], "length": "x"}):
            document = copy.deepcopy(good)
            at(document, path)[path[-1]] = value
            assert isinstance(evo.check_object(document, store), list)


def test_families_are_found_by_their_schemas():
    assert family_name({"schema": schema("pointset", "1.0.1")}) == "pointset"
    assert family_name({"schema": "/objects/pointset/1.0.1/other.schema.json"}) is None
    assert {"pointset", "line-segments", "triangle-mesh", "regular-2d-grid", "regular-3d-grid", "block-model"} <= set(
        SCHEMAS
    )


def test_block_models_hold_no_blobs(store):
    model = {
        "schema": schema("block-model"),
        "attributes": [{"name": "gold", "attribute_type": "Float64", "block_model_column_uuid": "0" * 8}],
    }
    assert evo.check_object(model, store) == []


def test_section_10_holes_without_a_key_are_warned_of(store):
    document = holes(store)
    chunk = {"i": pa.array([1, 7], pa.int32()), "o": pa.array([0, 2], pa.uint64()), "c": pa.array([2, 1], pa.uint64())}
    document["collections"][0]["holes"] = store.put(pa.table(chunk), role="geometry")
    (finding,) = evo.check_object(document, store)
    assert (finding.severity, finding.code, finding.column) == ("warning", "unknown-code", "hole_index")
    assert "7" in finding.message


def test_section_11_indices_of_int64_and_colours_of_int32_are_warned_of(store):
    document = mesh(store)
    triangles = np.array([[0, 1, 2], [1, 2, 3]])
    document["triangles"]["indices"] = store.put(triangles)
    colors = {"attribute_type": "color", "name": "c", "key": "c", "values": store.put(np.arange(4, dtype=np.int32))}
    document["triangles"]["vertices"]["attributes"].append(colors)
    found = evo.check_object(document, store)
    assert {finding.code for finding in found} == {"int64-for-uint64", "int32-for-uint32"}
    assert not any(finding.is_error for finding in found)


def test_arrays_of_no_kind_do_not_spoil_an_object(store, tmp_path):
    known = store.put(np.arange(3.0))
    strange = {**store.put(np.arange(4.0)), "width": 9, "data_type": "/".join(["float64"] * 8 + ["int64"])}
    document = {"schema": schema("experimental-variogram"), "a": known, "b": strange}
    assert [reference.has_kind for reference in evo.find_references(document)] == [True, False]
    assert evo.copy_object(document, store, evo.Store(tmp_path / "copy")) == [known["data"], strange["data"]]
    with pytest.warns(UserWarning, match="no kind are left out: b"):
        assert list(evo.fetch_object(document, store)) == ["a"]
    for found in (evo.check_object(document, store), evo.verify_object(document, store)):
        assert not any(finding.is_error for finding in found)
        assert "kind" in {finding.code for finding in found}


@pytest.mark.parametrize(
    ("outer", "value", "text"),
    [
        ("triangles", 7, "a map belongs here, not 7 of the type int"),
        ("triangles", [1], "a map belongs here, not [1] of the type list"),
        ("parts", "all", "a map belongs here, not 'all' of the type str"),
    ],
)
def test_what_is_no_map_where_arrays_belong_is_a_finding(store, outer, value, text):
    (found,) = evo.check_object({**mesh(store), outer: value}, store)
    assert (found.severity, found.code, found.blob) == ("error", "description", outer)
    assert text in found.message


def test_what_is_no_list_where_collections_belong_is_a_finding(store):
    collections = {"schema": schema("downhole-collection", "1.3.1"), "collections": {"name": "assay"}}
    found = evo.check_object(collections, store)
    assert [one.message for one in found if one.blob == "collections"] == [
        "a list belongs here, not {'name': 'assay'} of the type dict."
    ]
    items = evo.check_object({**collections, "collections": [5]}, store)
    assert [one.blob for one in items if one.code == "description"] == ["collections[0]"]
