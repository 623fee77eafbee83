"""The page on the ways of functions and methods is current."""

from __future__ import annotations

from tests.pandas_face.methods_page import PAGE, page


def test_page_lists_the_ways_that_calls_take():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.pandas_face.methods_page"


def test_most_methods_are_lazy():
    assert page().count("| lazily |") >= 300
