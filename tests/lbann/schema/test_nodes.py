"""Schemas are loaded, with metadata of the nodes above."""

from __future__ import annotations

import os

import pytest

from akdask.lbann import schema
from akdask.lbann.errors import LbannSchemaError, LbannWarning


def test_the_nearest_definition_wins_and_the_root_may_have_metadata():
    found = schema.load(
        "metadata: {scale: 1.0, pack: p}\na:\n  metadata: {scale: 2.0}\n  b:\n    metadata: {bias: 3}\n"
    )
    assert found.metadata("a/b") == {"bias": 3, "scale": 2.0, "pack": "p"}
    assert found.metadata("a") == {"scale": 2.0, "pack": "p"}


def test_values_are_typed_and_keys_are_not():
    found = schema.load("0.10:\n  metadata: {dims: [1, 2], scale: [1, 2.5], pack: yes, ordering: '300', coerce: }\n")
    assert found.metadata("0.10") == {
        "dims": [1, 2],
        "scale": [1.0, 2.5],
        "pack": "yes",
        "ordering": 300,
        "coerce": None,
    }


def test_a_file_is_loaded_with_its_name(tmp_path):
    (tmp_path / "data.yaml").write_text("a:\n  metadata:\n    ordering: 1\n")
    found = schema.load(tmp_path / "data.yaml")
    assert found.root.children["a"].metadata["ordering"].place == f"{tmp_path}/data.yaml, line 3 (a)"
    assert schema.load(str(tmp_path / "data.yaml")) == found


def test_unknown_keys_are_told_with_what_was_probably_meant_and_carried_along():
    with pytest.warns(LbannWarning, match=r"line 2: metadata of 'a' has the unknown key 'orderng'.*'ordering'"):
        found = schema.load("a:\n  metadata: {orderng: 1}\n")
    assert found.metadata("a") == {"orderng": 1}


def test_values_of_fields_are_ignored_with_a_warning():
    with pytest.warns(LbannWarning, match="the value '3' of field 'foo' is ignored"):
        assert schema.load("foo: 3\nbar:\n").metadata("foo") == {}
    with pytest.warns(LbannWarning, match="'metadata' map"):
        schema.load("foo:\n  scale: 3\n")
    with pytest.warns(LbannWarning, match="the values of field 'foo' are ignored"):
        schema.load("foo: [1, 2]\nbar:\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n- b\n", "no map of fields"),
        ("just\ntext\n", "no map of fields"),
        ("a:\n  metadata: 3\n", "'metadata' is no map"),
        ("a:\n  metadata: [1]\n", "'metadata' is no map"),
        ("a/b:\n  c:\n", "cannot be called 'a/b'"),
        ("'':\n  c:\n", "cannot be called ''"),
        ("a: [{b: 1}]\nc:\n", "sequence of nodes"),
    ],
)
def test_trees_that_are_no_schemas_are_refused_with_their_line(text, message):
    with pytest.raises(LbannSchemaError, match=message) as caught:
        schema.load(text, name="mine")
    assert caught.value.schema.startswith("mine, line ")


def test_files_that_cannot_be_read_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "bytes.yaml").write_bytes(bytes(range(256)))
    for path in ("nowhere.yaml", "", "pipe", "bytes.yaml", "a\0b"):
        with pytest.raises(LbannSchemaError):
            schema.load(os.path.join(tmp_path, path) if path else tmp_path)


def test_a_node_that_is_not_there_is_an_error():
    with pytest.raises(LbannSchemaError, match="no node 'b'"):
        schema.load("a:\n  c:\n").metadata("b")
