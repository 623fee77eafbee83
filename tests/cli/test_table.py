from __future__ import annotations

import json

import pytest

from akdask.cli.console import print_json, printable, table


def test_columns_are_aligned_and_numbers_are_on_the_right():
    assert table(["a", "count"], [["x", 1], ["longer", None], ["y", 12_345]]).splitlines() == [
        "a        count",
        "x            1",
        "longer       -",
        "y       12,345",
    ]


def test_a_table_without_rows_is_its_header():
    assert table(["a", "b"], []) == "a  b"


@pytest.mark.parametrize("text", ["日本", "e\u0301e"])
def test_wide_and_combining_characters_take_their_room(text):
    assert table(["a", "b"], [[text, "x"], ["abcd", "y"]]).splitlines()[1].endswith("x")
    lines = table(["a", "b"], [[text, "x"], ["abcd", "y"]]).splitlines()
    spaces = lines[1].count(" ")
    assert spaces == 2 + 4 - {"日本": 4, "e\u0301e": 2}[text]


def test_long_text_is_cut_and_dangerous_text_escaped():
    assert table(["a"], [["x" * 100]], widest=5).splitlines()[1] == "xxxx…"
    assert printable("a\x07\udc80\u202eb") == "a\\x07\\udc80\\u202eb"


def test_json_is_strict(capsys):
    print_json({"a": [float("nan"), float("-inf"), 1.5, None, True], "b": {"c": "\udc80"}})
    assert json.loads(capsys.readouterr().out) == {"a": ["nan", "-inf", 1.5, None, True], "b": {"c": "\udc80"}}
