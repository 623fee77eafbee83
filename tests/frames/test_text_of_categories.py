"""Methods of the text of a Categorical, which are asked of its categories, are those of the text of its rows."""

from __future__ import annotations

import pytest

import akdask as ak
from akdask.frames.series_accessors import BY_CATEGORY, StringAccessor

NAMES = ["Ab c", "x-12", "é1", " ab", "N/A", ""]

ARGUMENTS = {
    "contains": ("b",),
    "startswith": (("A", "x"),),
    "endswith": ("2",),
    "match": ("[a-z]",),
    "fullmatch": ("[a-z]-\\d+",),
    "count": ("[a-z]",),
    "find": ("1",),
    "rfind": ("b",),
    "replace": ("b", "-"),
    "slice": (1, 3),
    "get": (1,),
    "__getitem__": (slice(None, -1),),
    "partition": ("-",),
    "rpartition": (" ",),
    "extract": ("([a-z])(.)",),
    "zfill": (6,),
    "pad": (6,),
    "rjust": (6,),
    "ljust": (6,),
    "center": (6,),
    "repeat": (2,),
    "removeprefix": ("A",),
    "removesuffix": ("2",),
}


@pytest.fixture
def categories():
    codes = ak.array([4, 0, 1, 1, 2, 5, 3, 4, 0])
    return ak.Series(ak.Categorical.from_codes(codes, ak.array(NAMES)), index=ak.arange(9) * 2)


@pytest.mark.parametrize("name", BY_CATEGORY)
def test_methods_are_those_of_the_text_of_rows(name, categories):
    arguments = ARGUMENTS.get(name, ())
    found = getattr(categories.str, name)(*arguments).to_pandas()
    expected = getattr(categories.astype(str).str, name)(*arguments).to_pandas()
    assert found.equals(expected)


def test_each_category_is_asked_once(categories, monkeypatch):
    asked = []
    original = StringAccessor._changed

    def changed(self, operation, **params):
        asked.append(len(self.series))
        return original(self, operation, **params)

    monkeypatch.setattr(StringAccessor, "_changed", changed)
    assert categories.str.zfill(4).to_pandas().dropna().tolist()[0] == "Ab c"
    assert asked == [len(NAMES)]


def test_fields_of_rows_are_those_of_text_that_rows_have(categories):
    assert categories.str.cat(categories, sep="+").tolist()[1] == "Ab c+Ab c"
    assert categories.str.split("-").to_pandas().tolist()[2] == ["x", "12"]
    assert isinstance(categories.str, StringAccessor)
