"""Entries of data readers are read from protocol buffers as text."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.errors import MissingFileError
from akdask.lbann.errors import LbannError, LbannSchemaError
from akdask.lbann.prototext import parse_prototext, parse_text_format, read_prototext

ENTRIES = r"""
# an experiment
trainer { mini_batch_size: 16 }
data_reader {
  reader {
    name: "hdf5_data_reader" role: 'train', shuffle: true;
    sample_list: "/a/" "train.samples"
    data_schema_filename: "d\141ta.yaml"  experiment_schema_filename: "exp\x2eyaml"
    validation_fraction: .1  tournament_fraction: 1e-1
    absolute_sample_count: 0  fraction_of_data_to_use: 1
    num_labels: 0x10
  }
  reader: < name: "hdf5" role: "test" absolute_sample_count: 7 >
}
"""


def test_entries_tell_list_schemas_role_and_fractions(tmp_path):
    (tmp_path / "reader.prototext").write_text(ENTRIES)
    train, test = read_prototext(tmp_path / "reader.prototext")
    assert (train.name, train.role, train.shuffle) == ("hdf5_data_reader", "train", True)
    assert (train.sample_list, train.data_schema, train.experiment_schema) == (
        "/a/train.samples",
        "data.yaml",
        "exp.yaml",
    )
    assert (train.validation_fraction, train.tournament_fraction) == (0.1, 0.1)
    assert (train.fraction_of_data_to_use, train.absolute_sample_count) == (1.0, None)
    assert train.others == {"num_labels": [16]}
    assert (test.role, test.absolute_sample_count, test.shuffle) == ("test", 7, False)


def test_values_of_all_kinds_are_read():
    found = parse_text_format('a: [1, -2] b: -inf c: 010 d: 1.5f e: SOME_NAME [x.y]: 3 f { g <> } h: "\\u00e4\\n"')
    assert {name: values for name, values in found.fields.items() if name != "f"} == {
        "a": [1, -2], "b": [float("-inf")], "c": [8], "d": [1.5], "e": ["SOME_NAME"], "[x.y]": [3], "h": ["ä\n"],
    }  # fmt: skip
    assert found.messages("f")[0].messages("g")[0].fields == {}


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a {",
        "a: [1 2]",
        'a: "x',
        "a: 0x",
        "a: \\",
        "}",
        "a: <",
        'a: "\\q"',
        "a {" * 200,
        "1: 2",
        'a: "\\U00200000"',
    ],
)
def test_what_is_no_such_text_is_refused_with_its_line(text):
    with pytest.raises(LbannSchemaError, match="on line 2"):
        parse_text_format("\n" + text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1", "no entry"),
        ("reader { role: 'x' }", "no name"),
        ("reader { name: 3 }", "is no str"),
        ("reader { name: 'x' shuffle: 2 }", "is no bool"),
        ("reader { name: 'x' absolute_sample_count: 1.5 }", "is no int"),
        ("reader { name: 'x' absolute_sample_count: 5 fraction_of_data_to_use: .5 }", "set one of the two"),
    ],
)
def test_entries_that_lack_something_are_refused(text, told):
    with pytest.raises(LbannSchemaError, match=told):
        parse_prototext(text)


@given(st.data())
def test_mutated_texts_are_read_or_refused(data):
    text = list(ENTRIES)
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, len(text) - 1))
        text[at : at + data.draw(st.integers(0, 9))] = data.draw(st.text('"{}[]<>:a1.-#\\', max_size=4))
    found = []
    with suppress(LbannError):
        found = parse_prototext("".join(text))
    assert all(isinstance(entry.role, str) for entry in found)


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(MissingFileError):
        read_prototext(tmp_path / "nothing")
