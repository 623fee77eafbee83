"""Two schemas become one map of fields."""

from __future__ import annotations

import pickle

import pytest

from akdask.lbann import schema
from akdask.lbann.errors import LbannSchemaError, UnknownNameError

DATA = """
metadata: {coerce: double}
outputs:
  metadata: {scale: 3.0}
  b:
    metadata: {ordering: 1, bias: 1.0}
  a:
    metadata: {ordering: 2, scale: 5.0}
inputs:
  c:
"""


def merged(experiment, data=DATA):
    return schema.merge(schema.load(data, name="data"), schema.load(experiment, name="experiment"))


def test_an_inner_node_stands_for_all_leaves_below_it_in_document_order():
    fields = merged("inputs:\noutputs:\n")
    assert list(fields) == ["inputs/c", "outputs/b", "outputs/a"]
    assert dict(fields["outputs/b"]) == {"ordering": 1, "bias": 1.0, "scale": 3.0, "coerce": "double"}


def test_metadata_of_the_experiment_override_also_what_is_nearer_in_the_data_schema():
    fields = merged("outputs:\n  metadata: {scale: 7.0}\n")
    assert {path: field["scale"] for path, field in fields.items()} == {"outputs/b": 7.0, "outputs/a": 7.0}


def test_precedence_is_experiment_near_to_far_then_data_near_to_far():
    fields = merged("metadata: {coerce: float, scale: 9.0}\noutputs:\n  a:\n    metadata: {bias: 4.0}\n")
    assert dict(fields["outputs/a"]) == {"ordering": 2, "scale": 9.0, "coerce": "float", "bias": 4.0}


def test_schemas_are_not_changed_by_merging():
    data, experiment = schema.load(DATA), schema.load("outputs:\n  metadata: {scale: 7.0}\n")
    first = schema.merge(data, experiment)
    assert data.metadata("outputs/a")["scale"] == 5.0
    assert {path: dict(field) for path, field in schema.merge(data, experiment).items()} == {
        path: dict(field) for path, field in first.items()
    }


def test_without_experiment_all_fields_are_taken():
    assert list(schema.merge(schema.load(DATA))) == ["outputs/b", "outputs/a", "inputs/c"]


@pytest.mark.parametrize(
    ("experiment", "message"),
    [
        ("outputs:\n  x:\n", "selects 'outputs/x', which the data schema does not have"),
        ("inputs:\n  c:\n    d:\n", "selects 'inputs/c/d'"),
        ("metadata: {scale: 1.0}\n", "selects no field"),
        ("{}\n", "selects no field"),
    ],
)
def test_what_selects_nothing_is_an_error(experiment, message):
    with pytest.raises(LbannSchemaError, match=message):
        merged(experiment)


def test_a_data_schema_without_fields_is_an_error():
    with pytest.raises(LbannSchemaError, match="no fields"):
        schema.merge(schema.load("metadata:\n  scale: 1.0\n"))


def test_a_group_cannot_have_the_name_of_a_field_that_stays():
    with pytest.raises(LbannSchemaError, match="name of a field that is not packed"):
        merged("a:\n  metadata: {pack: b}\nb:\n", "a:\n  metadata: {ordering: 1}\nb:\n")


def test_fields_explain_where_each_value_comes_from():
    text = merged("metadata: {scale: 9.0}\noutputs:\n").explain("outputs/a")
    assert text.splitlines() == [
        "outputs/a",
        "  ordering: 2  from data, line 8 (outputs/a)",
        "  scale: 9.0  from experiment, line 1 (root); overrides 5.0  from data, line 8 (outputs/a)",
        "  coerce: double  from data, line 2 (root)",
    ]
    with pytest.raises(UnknownNameError, match="no field 'outputs/x'"):
        merged("outputs:\n\n").explain("outputs/x")


def test_fields_can_be_pickled():
    fields = merged("outputs:\n\n")
    copy = pickle.loads(pickle.dumps(fields))
    assert copy.explain() == fields.explain()
    assert copy["outputs/a"].directives == fields["outputs/a"].directives
