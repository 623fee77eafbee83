"""Section 1: array descriptions stand wherever an object holds bulk numbers, and are found there."""

from __future__ import annotations

import json

import numpy as np
import pytest

from akdask import evo
from akdask.evo.errors import DescriptionError, EvoError, ObjectError
from akdask.evo.references import identifiers_in, references_in

NAME = "ab" * 32
PLAIN = {"data": NAME, "length": 2, "data_type": "bool"}


@pytest.fixture
def store(tmp_path):
    return evo.Store(tmp_path / "blobs")


def test_descriptions_are_found_at_every_depth():
    document = {
        "a": {"b": [{"values": PLAIN, "nan_description": {"values": [1]}}, [PLAIN]]},
        "c": PLAIN,
        "data": "text",
    }
    found = evo.find_references(document)
    assert [reference.path for reference in found] == ["a.b[0].values", "a.b[1][0]", "c"]
    assert [reference.nan_description for reference in found] == [{"values": [1]}, None, None]
    assert found[0].description.kind == "bool-array-1"


def test_documents_that_are_nested_very_deeply_are_searched():
    document = {"x": PLAIN}
    for _ in range(5_000):
        document = {"x": document}
    assert len(list(references_in(document))) == 1
    assert identifiers_in(document) == {NAME}


def test_all_descriptions_that_make_no_sense_are_told():
    document = {"a": PLAIN, "b": {**PLAIN, "length": -1}, "c": {**PLAIN, "data": "../x"}}
    with pytest.raises(DescriptionError, match="2 of 3") as caught:
        evo.find_references(document)
    assert [detail.partition(":")[0] for detail in caught.value.details] == ["b", "c"]
    for wrong in ([], 3, None):
        with pytest.raises(ObjectError):
            evo.find_references(wrong)


def test_everything_that_may_name_a_blob_is_kept():
    uuid = "01234567-89AB-cdef-0123-456789abcdef"
    assert identifiers_in({"x": [{"data": NAME.upper()}, uuid, "ab", 3]}) == {NAME, uuid.lower()}


def test_objects_are_fetched_verified_and_copied(store, tmp_path):
    document = {
        "a": [store.put(np.arange(3.0))],
        "b": {"values": store.put({"x": [1, -1]}), "nan_description": {"values": [-1]}},
    }
    frames = evo.fetch_object(document, store)
    assert frames["a[0]"]["data"].tolist() == [0.0, 1.0, 2.0]
    assert frames["b.values"]["data"].to_ndarray()[0] == 1
    assert np.isnan(frames["b.values"]["data"].to_ndarray()[1])
    target = evo.Store(tmp_path / "other")
    (tmp_path / "o.json").write_text(json.dumps(document))
    assert len(evo.copy_object(tmp_path / "o.json", store, target)) == 2
    assert evo.copy_object(document, store, target) == []
    assert evo.verify_object(document, target) == []


def test_missing_and_wrong_blobs_are_all_told(store):
    document = {"a": {**store.put(np.arange(3.0)), "length": 4}, "b": PLAIN, "c": {**PLAIN, "width": 0}}
    assert sorted(finding.code for finding in evo.verify_object(document, store)) == [
        "description",
        "description",
        "missing",
    ]
    with pytest.raises(EvoError):
        evo.fetch_object(document, store)
    with pytest.raises(EvoError, match="missing or damaged"):
        evo.fetch_object({"b": PLAIN}, store)
