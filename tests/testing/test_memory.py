"""Columns in memory in the place of files."""

from akdask.testing.memory import MemorySource


def test_text_may_be_missing():
    text = MemorySource({"s": ["a", None, ""]}, lengths=[1, 2]).arrays()["s"]
    assert text.tolist() == ["a", None, ""]
    assert text[text.notna()].tolist() == ["a", ""]
