"""Attributes of NumPy and pandas that akdask's objects do not have: the error says what to write, and that works."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.arrays.missing_attributes import METHODS_OF_SERIES, SUBSTITUTES
from akdask.errors import AkdaskError


@pytest.fixture
def names():
    """Return objects by the names that the substitutes use."""
    plt = pytest.importorskip("matplotlib.pyplot")
    a, s = ak.array([3.0, 1.0, 2.0]), ak.array(["ax", "b", "ax"])
    df = ak.DataFrame({"k": [1, 2, 1], "x": [1.0, 2.0, 3.0], "y": [4.0, 5.0, 7.0]})
    keys = ak.array([1, 2, 1])
    return {
        "ak": ak, "np": np, "pd": pd, "plt": plt, "a": a, "b": ak.array([2.0, 2.0, 1.0]), "s": s, "other": s,
        "c": ak.Categorical(s), "t": ak.Datetime(["2024-01-01", "2024-01-02"]), "df": df, "index": ak.Index(keys),
        "g": ak.GroupBy(keys), "keys": keys, "groups": df.groupby("k"), "v": ak.arange(6).reshape(2, 3),
        "mask": a > 1, "series": ak.Series([3, 1, 2]),
    }  # fmt: skip


OBJECTS = {
    "Array": "s",
    "pdarray": "a",
    "TimeArray": "t",
    "Strings": "s",
    "Categorical": "c",
    "DataFrame": "df",
    "Index": "index",
    "GroupBy": "g",
    "DataFrameGroupBy": "groups",
    "ArrayView": "v",
    "Series": "series",
}

CASES = [(kind, name) for kind, table in SUBSTITUTES.items() for name in table]


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_what_is_to_be_written_works(names, kind, name):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(names["plt"], "plot", np.asarray)
        found = eval(SUBSTITUTES[kind][name], names)
    parts = found if isinstance(found, tuple) else (found,)
    # `ak.putmask` changes the array that it is given.
    assert (found is None) == (name == "put")
    for part in parts:
        if hasattr(part, "compute"):
            part.compute()


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_the_error_names_the_substitute(names, kind, name):
    item = names[OBJECTS[kind]]
    if hasattr(type(item), name):
        # What a base class lacks, its subclasses may have.
        assert kind == "Array"
        return
    with pytest.raises(AttributeError, match=f"has no attribute (or column )?'{name}'") as caught:
        getattr(item, name)
    assert isinstance(caught.value, AkdaskError)
    assert caught.value.hint.startswith("write ")


def test_substitutes_are_only_named_for_what_is_not_there(names):
    there = [(kind, name) for kind, name in CASES if kind != "Array" and name in vars(type(names[OBJECTS[kind]]))]
    assert there == []


@pytest.mark.parametrize(
    ("item", "name", "advice"),
    [
        ("a", "interpolate", "pd.Series(a)"),
        ("s", "byteswap", "a.to_ndarray()"),
        ("df", "asof", "df.to_pandas()"),
        ("df", "swaplevel", "df.to_pandas()"),
        ("index", "get_indexer", "index.to_pandas()"),
        ("g", "rolling", "pd.Series(a).groupby"),
        ("groups", "corrwith", "df.to_pandas().groupby"),
        ("v", "trace", "v.to_ndarray()"),
    ],
)
def test_for_all_else_of_numpy_and_pandas_the_way_there_is_named(names, item, name, advice):
    with pytest.raises(AttributeError, match=name) as caught:
        getattr(names[item], name)
    assert advice in caught.value.hint
    assert f"gives what {'numpy' if advice.endswith('to_ndarray()') else 'pandas'} has it for" in caught.value.hint


@pytest.mark.parametrize("item", ["a", "s", "c", "t", "df", "index", "g", "groups", "v"])
def test_what_nobody_has_is_a_plain_attribute_error(names, item):
    assert not hasattr(names[item], "no_such_thing")
    assert not hasattr(names[item], "__array_interface__")
    with pytest.raises(AttributeError, match="no_such_thing") as caught:
        _ = names[item].no_such_thing
    assert caught.value.hint is None


def test_objects_and_the_errors_are_pickled(names):
    assert pickle.loads(pickle.dumps(names["a"])).tolist() == [3.0, 1.0, 2.0]
    with pytest.raises(AttributeError) as caught:
        _ = names["a"].idxmax
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    assert str(caught.value).endswith("Hint: write a.argmax()")


def test_columns_of_groups_are_attributes(names):
    assert names["groups"].x.sum().tolist() == [4.0, 2.0]


@pytest.mark.parametrize("name", sorted(METHODS_OF_SERIES))
def test_columns_take_methods_of_series(names, name):
    item = names[{"str": "s", "dt": "t"}.get(name, "a")]
    assert callable(getattr(item, name)) or name in ("str", "dt")
    assert hasattr(ak.Series, name)


@pytest.mark.parametrize(
    ("item", "name", "hint"),
    [("a", "summ", "sum"), ("s", "uper", "upper"), ("df", "grupby", "groupby"), ("groups", "sise", "size")],
)
def test_a_slip_is_told_by_the_name_that_is_near(names, item, name, hint):
    with pytest.raises(AttributeError, match=name) as caught:
        getattr(names[item], name)
    assert caught.value.hint == f"did you mean {hint!r}?"


def test_columns_are_nearer_than_methods():
    with pytest.raises(AttributeError, match="did you mean 'port'"):
        _ = ak.DataFrame({"port": [1]}).prot


@pytest.mark.parametrize("add", [lambda s: s + 1, lambda s: 1.5 + s, lambda s: s + ak.arange(2)])
def test_numbers_that_are_added_to_text_are_told_by_the_operator(add):
    with pytest.raises(ak.errors.ArgumentTypeError, match=r"^\+ does not take arguments .*str(.|\n)*ak.cast\(b, str\)"):
        add(ak.array(["x", "y"]))


def test_nothing_near_is_sought_for_who_only_asks_whether_it_is_there(names, monkeypatch):
    sought = []
    monkeypatch.setattr("akdask.arrays.missing_attributes.nearby", lambda name, *_: sought.append(name))
    assert not any(hasattr(names[item], "summ") for item in ("a", "s", "df", "index", "g", "groups"))
    assert sought == []
    with pytest.raises(AttributeError, match="summ") as caught:
        _ = names["a"].summ
    assert str(caught.value)
    assert caught.value.hint is None
    assert set(sought) == {"summ"}
