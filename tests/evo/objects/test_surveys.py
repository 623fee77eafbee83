"""Section 3: surveys, geological models and variograms hold the arrays that their schemas ask for."""

import hashlib
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from akdask import evo


@pytest.fixture
def store(tmp_path):
    return evo.Store(tmp_path / "blobs")


def schema(name, version):
    return f"/objects/{name}/{version}/{name}.schema.json"


def attribute(store, values, kind="scalar", **more):
    return {"attribute_type": kind, "nan_description": {"values": []}, "values": store.put(np.asarray(values)), **more}


def line(store):
    """Channels of a line have each their own step, and so their own rows."""
    codes = {"attribute_type": "category", "nan_description": {"values": []}, **store.put_categories({"a": ["x", "y"]})}
    gates = attribute(store, np.ones((4, 3)), "ensemble_continuous")
    channels = [attribute(store, [1.0, 2.0, 3.0]), gates, codes]
    return {"channel_attributes": [{"name": str(n), "attribute": one} for n, one in enumerate(channels)]}


def lines(name, *places):
    def make(store):
        document = {"schema": schema(name, "1.1.0")}
        for place in places or ("line_list",):
            outer, _, inner = place.rpartition("[].")
            document |= {outer: [{inner: [line(store)]}]} if outer else {inner: [line(store), line(store)]}
        return document

    return make


def collection(store):
    times = pa.table({"t": pa.array([0, 1], pa.timestamp("us", "UTC"))})
    return {
        "locations": {"coordinates": store.put(np.zeros((5, 3)), role="geometry")},
        "survey_attributes": [
            {"key": "g", "values": store.put(np.ones((3, 2)))},
            {"key": "t", "values": store.put(times, role="time")},
            {"key": "s", "values": store.put({"s": ["a", "b"]})},
        ],
    }


def survey(name, *lists):
    def make(store):
        document = {"schema": schema(name, "2.0.0"), "collections": [collection(store)]}
        if name != "radiometric":
            document["base_stations"] = [{"collections": [collection(store)]}]
        return document | {one: [collection(store)] for one in lists}

    return make


def model(store):
    triangles = store.put(np.array([[0, 1, 2], [1, 2, 3]], np.uint64), role="index")
    vertices = store.put(np.eye(4, 3), role="geometry")
    return {
        "schema": schema("geological-model-meshes", "2.2.0"),
        "folders": [{"name": "all", "items": [{"volume_index": 0}, {"name": "more", "items": []}]}],
        "triangle_geometry": {
            "triangles": {"vertices": vertices, "indices": triangles},
            "parts": {
                "triangle_indices": store.put(np.array([1, 0, 1], np.uint64), role="index"),
                "chunks": store.put(np.array([[0, 2], [2, 1]], np.uint64)),
                "attributes": [attribute(store, [1.0, 2.0])],
            },
        },
        "volumes": [{"name": "a", "feature": "Vein", "parts": []}, {"name": "b", "feature": "Void", "parts": []}],
        "volume_attributes": [attribute(store, [1.0, 2.0])],
        "surfaces": [{"name": "c", "feature": "Fault", "parts": []}],
        "surface_attributes": [attribute(store, [1.0])],
    }


def sections(store):
    return {
        "schema": schema("geological-sections", "1.2.0"),
        "line_geometry": {
            "vertices": store.put(np.zeros((3, 2)), role="geometry"),
            "chunks": store.put(np.array([[0, 3]], np.uint64)),
        },
        "sections": [{"name": "s"}],
        "section_attributes": [attribute(store, [1.0])],
        "volumes": [],
        "surfaces": [],
    }


def mixed_table(store, folder, data_type):
    """Store a table of no kind as others write it."""
    types = {"uint64": pa.uint64(), "string": pa.string(), "float64": pa.float64()}
    columns = [pa.array(["1"] * 2 if t == "string" else [1] * 2, types[t]) for t in data_type.split("/")]
    out = io.BytesIO()
    pq.write_table(pa.table(columns, [str(n) for n in range(len(columns))]), out, compression="gzip", version="2.4")
    name = hashlib.sha256(out.getvalue()).hexdigest()
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(out.getvalue())
    return {"data": name, "length": 2, "width": len(columns), "data_type": data_type}


def variogram(store, tmp_path):
    directions = "uint64/uint64/string/float64/float64/float64/float64/float64/float64"
    return {
        "schema": schema("experimental-variogram", "1.0.0"),
        "directions": {
            **mixed_table(store, tmp_path / "blobs", directions),
            "attributes": [attribute(store, [1.0, 2])],
        },
        "lags": mixed_table(store, tmp_path / "blobs", "float64/float64/float64/float64/uint64"),
        "data_variance": 1.0,
    }


QAQC = ("qaqc_magnetic_azimuth_test_list", "qaqc_noise_test_list")
GOOD = {
    "resistivity": lines("resistivity-ip"),
    "frequencies": lines("frequency-domain-electromagnetic"),
    "times": lines("time-domain-electromagnetic"),
    "radiometric lines": lines("radiometric"),
    "gravity lines": lines("gravity", "gravity_line_list", "base_stations[].gravity_line_list"),
    "magnetic lines": lines("magnetics", "magnetic_line_list", "base_stations[].magnetic_line_list", *QAQC),
    "gravity": survey("gravity"),
    "magnetics": survey("magnetics", *QAQC),
    "radiometric": survey("radiometric"),
    "model": model,
    "sections": sections,
}


@pytest.mark.parametrize("name", GOOD)
def test_good_objects_have_no_findings(store, name):
    assert evo.check_object(GOOD[name](store), store) == []


@pytest.mark.parametrize("name", GOOD)
def test_every_array_of_an_object_is_one_that_its_family_knows(store, name):
    """An array of a kind that no attribute and no rule allows is found wherever it is."""
    document = GOOD[name](store)
    wrong = evo.flatten(np.zeros((1, 1, 1), np.uint8), axes="ijk")
    brep = store.put(wrong)
    for reference in evo.find_references(document):
        steps = reference.path.replace("]", "").replace("[", ".").split(".")
        outer = document
        for step in steps[:-1]:
            outer = outer[int(step)] if step.isdigit() else outer[step]
        kept, outer[steps[-1]] = outer[steps[-1]], brep
        assert "kind" in {finding.code for finding in evo.check_object(document)}, reference.path
        outer[steps[-1]] = kept


FAULTS = {
    "volume": (model, ("volume_attributes", 0, "values"), lambda s: s.put(np.ones(3)), ["rows"]),
    "part": (model, ("triangle_geometry", "parts", "attributes", 0, "values"), lambda s: s.put(np.ones(3)), ["rows"]),
    "run": (
        model,
        ("triangle_geometry", "parts", "chunks"),
        lambda s: s.put(np.array([[0, 3], [3, 1]], np.uint64)),
        ["chunk-range"],
    ),
    "triangle": (
        model,
        ("triangle_geometry", "parts", "triangle_indices"),
        lambda s: s.put(np.array([1, 0, 2], np.uint64), role="index"),
        ["index-range"],
    ),
    "volumes": (model, ("volumes",), lambda s: 3, ["size"]),
    "section": (sections, ("section_attributes", 0, "values"), lambda s: s.put(np.ones(2)), ["rows"]),
    "channel": (
        lines("gravity", "gravity_line_list"),
        ("gravity_line_list", 1, "channel_attributes", 0, "attribute"),
        lambda s: [],
        ["attributes"],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_section_10_each_fault_is_found(store, fault):
    make, path, value, expected = FAULTS[fault]
    document = outer = make(store)
    for step in path[:-1]:
        outer = outer[step]
    outer[path[-1]] = value(store)
    assert [finding.code for finding in evo.check_object(document, store) if finding.is_error] == expected


@pytest.mark.parametrize("footer_only", [False, True])
def test_tables_of_variograms_are_of_no_kind_and_right(store, tmp_path, footer_only):
    assert evo.check_object(variogram(store, tmp_path), store, footer_only=footer_only) == []


VARIOGRAM_FAULTS = {
    "types": ({"data_type": "float64/float64/float64/uint64/float64"}, "kind"),
    "columns": ({"width": 4}, "kind"),
    "rows": ({"length": None}, "description"),
    "name": ({"data": "../lags"}, "description"),
    "missing": ({"data": "ab" * 32}, "missing"),
}


@pytest.mark.parametrize("fault", VARIOGRAM_FAULTS)
def test_section_10_faults_of_tables_of_no_kind_are_found(store, tmp_path, fault):
    change, expected = VARIOGRAM_FAULTS[fault]
    document = variogram(store, tmp_path)
    document["lags"] |= change
    assert [(item.code, item.blob[:4]) for item in evo.check_object(document, store)] == [(expected, "lags")]


def test_section_10_attributes_have_the_rows_of_a_table_of_no_kind(store, tmp_path):
    document = variogram(store, tmp_path)
    document["directions"]["attributes"][0]["values"] = store.put(np.ones(3))
    assert [finding.code for finding in evo.check_object(document, store)] == ["rows"]


def test_section_8_damaged_tables_of_no_kind_are_found(store, tmp_path):
    document = variogram(store, tmp_path)
    path = tmp_path / "blobs" / document["lags"]["data"]
    data = bytearray(path.read_bytes())
    data[9] ^= 1
    path.write_bytes(data)
    assert [finding.code for finding in evo.check_object(document, store)] == ["digest"]


def folders(store, depth):
    """Return a model whose mesh is in a folder in folders."""
    mesh = {
        "vertices": {**store.put(np.eye(3), role="geometry"), "attributes": [attribute(store, [1.0, 2.0, 3.0])]},
        "indices": store.put(np.array([[0, 1, 2]], np.uint64), role="index"),
    }
    items = [mesh]
    for _ in range(depth):
        items = [{"name": "folder", "items": items}]
    return {"schema": schema("geological-model-meshes", "1.0.1"), "folders": items}, mesh


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_folders_of_geological_models_are_in_folders(store, depth):
    document, mesh = folders(store, depth)
    assert evo.check_object(document, store) == []
    mesh["indices"] = store.put(np.array([[0, 1, 3]], np.uint64), role="index")
    mesh["vertices"]["attributes"][0]["values"] = store.put(np.arange(2.0))
    found = evo.check_object(document, store)
    assert sorted(finding.code for finding in found) == ["index-range", "rows"]
    assert all(str(finding.blob).startswith("folders[0]" + depth * ".items[0]") for finding in found)


def campaign(store, **path):
    holes = pa.table(
        [pa.array([0], pa.int32()), pa.array([0], pa.uint64()), pa.array([2], pa.uint64())], names=list("abc")
    )
    collar = {
        "coordinates": store.put(np.zeros((1, 3))),
        "distances": store.put(np.zeros((1, 3))),
        "holes": store.put(holes),
    }
    steps = {
        "deviation_type": "mixed",
        "segment_type": store.put({"a": ["natural", "directed"]}),
        "segment_properties": store.put(np.zeros((2, 8))),
        **path,
    }
    return {
        "schema": schema("drilling-campaign", "1.0.0"),
        "hole_id": store.put_categories({"a": ["hole 1"]}),
        "planned": {"collar": collar, "path": steps},
    }


def test_paths_of_mixed_deviations_are_two_arrays(store):
    assert evo.check_object(campaign(store), store) == []
    short = campaign(store, segment_type=store.put({"a": ["natural"]}), segment_properties=store.put(np.zeros((1, 8))))
    assert [finding.code for finding in evo.check_object(short, store)] == ["chunk-range"]
    lacking = campaign(store)
    del lacking["planned"]["path"]["segment_properties"]
    assert [(f.code, f.blob) for f in evo.check_object(lacking)] == [
        ("missing-array", "planned.path.segment_properties")
    ]
