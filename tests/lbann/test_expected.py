"""The cases of upstream's tests: what its schemas say, and what its samples become."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.lbann import schema
from akdask.lbann.errors import UnknownNameError
from akdask.lbann.reader import SampleReader
from akdask.lbann.schema import FieldMetadata, SampleFields
from tests.lbann.upstream import case_of, tree, write_tree

LEFT_OUT = {
    "transform": set(),
    "load": {"pack"},
    "pack": {"coerce", "scale", "bias", "layout", "transpose"},
    "load+pack": set(),
}
"""Which metadata is not followed in which kind of case."""


@pytest.fixture
def folder(shared_fixtures):
    return shared_fixtures / "lbann"


def fields_of(folder, case):
    data = schema.load(folder / case["data_schema"])
    experiment = schema.load(folder / case["experiment_schema"]) if "experiment_schema" in case else None
    return schema.merge(data, experiment)


@pytest.mark.parametrize("name", ["hrrl-merge", "exagan-merge"])
def test_schemas_merge_as_upstream(folder, name):
    case = case_of(folder, name)
    assert {path: dict(field) for path, field in fields_of(folder, case).items()} == case["expect"]["fields"]


@pytest.mark.parametrize(
    ("name", "added"),
    [
        ("inherit-missing", "  horse:\n    carrot:\n"),
        ("inherit-empty", "  horse:\n    metadata:\n"),
        ("inherit-partial", "  horse:\n    metadata:\n      bias: 1234.5\n"),
    ],
)
def test_metadata_trickles_down_as_upstream(folder, name, added):
    case = case_of(folder, name)
    text = (folder / case["data_schema"]).read_text().replace("Etot:\n", f"{added}Etot:\n", 1)
    found = schema.load(text)
    for path, expected in case["expect"].items():
        assert expected.items() <= found.metadata(path).items()


def test_a_bias_of_the_data_schema_is_in_the_merged_result(folder):
    case = case_of(folder, "merge-changed-bias")
    text = (folder / case["data_schema"]).read_text().replace("bias: -2.5", "bias: 77.2")
    fields = schema.merge(schema.load(text), schema.load(folder / case["experiment_schema"]))
    assert fields["alpha"]["bias"] == case["expect"]["alpha"]["bias"]


@pytest.mark.parametrize(
    "name",
    [
        "hrrl-normalise-float64",
        "hrrl-load",
        "hrrl-load-pack",
        "hrrl-pack-untransformed",
        "hrrl-pack-keep-fields",
        "repack-4x4x3",
        "c3fd-load",
        "unet3d-2x2x2-load",
    ],
)
@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_samples_become_what_upstream_makes_of_them(folder, tmp_path, name, libver):
    case = case_of(folder, name)
    content = tree(folder / case["sample_file"])
    write_tree(tmp_path / "sample.h5", content, libver=libver)
    left_out = LEFT_OUT[case["kind"]]
    fields = {
        path: FieldMetadata(path, {key: entry for key, entry in field.entries.items() if key not in left_out})
        for path, field in fields_of(folder, case).items()
        if path not in {"Xshift", "Yshift"}  # described, but not in the sample
    }
    reader = SampleReader(SampleFields(fields), keep_packed_fields=case.get("keep_packed_fields", False))
    found = reader.read(str(tmp_path / "sample.h5"), case["sample"])
    expect = case["expect"]
    for field, expected in expect.get("fields", {}).items():
        assert found[field].dtype == expected["dtype"]
        assert found[field].shape == (expected["size"],)
        wanted = np.array(expected["values"], expected["dtype"])
        np.testing.assert_array_max_ulp(found[field], wanted, maxulp=1)
    assert {field: reader.size_of(field) for field in expect.get("linearized_size", {})} == expect.get(
        "linearized_size", {}
    )
    dims = expect.get("data_dims", {})
    assert {field: list(reader.dims_of(field)) for field in dims} == dims
    assert not set(expect.get("absent", ())) & found.keys()
    for key in {"unknown_field_is_error", "absent_group_is_error"} & expect.keys():
        with pytest.raises(UnknownNameError, match=expect[key]):
            reader.size_of(expect[key])
