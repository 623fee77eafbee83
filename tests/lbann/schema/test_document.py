"""YAML as text: keys, lines, limits."""

from __future__ import annotations

import pytest

from akdask.lbann import schema_document
from akdask.lbann.errors import LbannSchemaError, LbannWarning
from akdask.lbann.schema_document import YamlMap, YamlScalar, YamlSequence, parse


def test_nothing_is_typed_and_nothing_constructed():
    found = parse("a: !!python/object/apply:os.system ['true']\nb: !!int '3'\n0.10: ~\n", "s")
    assert list(found.items) == ["a", "b", "0.10"]
    assert isinstance(found.items["a"], YamlSequence)
    assert found.items["b"] == YamlScalar("3", 2, is_quoted=True)
    assert found.lines["0.10"] == 3


@pytest.mark.parametrize("text", ["a: 1\nb: 2\na: 3\n", "x: {a: 1, 'a': 2}\n", "x:\n  - {a: 1, a: 2}\n"])
def test_a_key_that_comes_twice_is_refused_with_both_lines(text):
    with pytest.raises(LbannSchemaError, match=r"^key 'a' stands twice in one map, in line \d and in line \d"):
        parse(text, "s")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "empty"),
        ("# nothing\n", "empty"),
        ("a: [1\n", "no valid YAML"),
        ("a: 'b\n", "no valid YAML"),
        ("\ta: 1\n", "no valid YAML"),
        ("? [a]\n: 1\n", "a key is a map or a sequence"),
        ("x: &k a\n*k : 1\n", "a key is an alias"),
        ("a: *nothing\n", "no anchor|no valid YAML"),
        ("a: &x {b: *x}\n", "contains itself"),
        ("a: &x {c: 1}\nb:\n  <<: *x\n", "merge keys"),
        ("\ud800: 1\n", "UTF-8|valid YAML"),
    ],
)
def test_what_is_no_schema_is_refused(text, message):
    with pytest.raises(LbannSchemaError, match=message):
        parse(text, "s")


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(LbannSchemaError):
        parse(b"a: \xff\xfe\n", "s")


@pytest.mark.parametrize("text", ["[" * 100_000, "- " * 3_000, "{a: " * 500 + "1" + "}" * 500])
def test_depth_is_bounded(text):
    with pytest.raises(LbannSchemaError, match="nested more than"):
        parse(text, "s")


def test_aliases_of_aliases_are_bounded():
    lines = ["a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    with pytest.raises(LbannSchemaError, match="nodes, aliases counted"):
        parse("\n".join(lines), "s")


def test_aliases_repeat_a_node():
    found = parse("a: &x {m: 1}\nb: *x\n", "s")
    assert found.items["a"] == found.items["b"]
    assert isinstance(found.items["b"], YamlMap)


def test_further_documents_are_left_out_with_a_warning():
    with pytest.warns(LbannWarning, match="more than one YAML document"):
        assert list(parse("a: 1\n---\nb: 2\n", "s").items) == ["a"]


def test_the_parser_of_python_reads_the_same(monkeypatch):
    text = "a:\n  metadata: {scale: [1, 2.5], x: &n 'q'}\nb: *n\n"
    found = parse(text, "s")
    monkeypatch.setattr(schema_document, "_LOADER", schema_document.yaml.BaseLoader)
    assert parse(text, "s") == found
    with pytest.raises(LbannSchemaError, match="nested more than"):
        parse("[" * 100_000, "s")
