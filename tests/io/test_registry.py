"""Names of objects: given, listed and freed, alone and together."""

from __future__ import annotations

import json

import pytest

import akdask as ak
from akdask.arrays import writable
from akdask.errors import ArgumentTypeError, FileError, RegistrationError


@pytest.fixture(autouse=True)
def objects(monkeypatch):
    monkeypatch.setattr(writable, "_objects", {})
    found = {
        "frame": ak.DataFrame({"x": ak.arange(4), "y": ak.arange(4) * 0.5}),
        "groups": ak.GroupBy([ak.array([1, 2, 1]), ak.array(["a", "b", "a"])]),
        "index": ak.Index(ak.arange(2)),
        "numbers": ak.arange(3),
        "series": ak.Series(ak.arange(5)),
        "text": ak.array(["a", "b"]),
    }
    ak.register_all(found)
    return found


def names_of(told):
    return [facts["name"] for facts in json.loads(told)]


def test_names_are_freed_together_and_alone(objects):
    assert all(map(ak.is_registered, objects))
    assert ak.attach_all(["text", "numbers"]) == {name: objects[name] for name in ("text", "numbers")}
    ak.unregister_all(["text", "numbers", "groups"])
    assert ak.list_registry()["Objects"] == ["frame", "index", "series"]
    assert ak.unregister("frame") == "Unregistered DATAFRAME frame"
    assert not ak.is_registered("frame")
    ak.unregister_all([])
    with pytest.raises(RegistrationError, match="'frame'"):
        ak.unregister_all(["index", "frame", "series"])
    assert ak.list_registry()["Objects"] == ["series"]


def test_kinds_and_components_are_listed(objects):
    kinds = ["DATAFRAME", "GROUPBY", "INDEX", "PDARRAY", "SERIES", "STRINGS"]
    assert ak.list_registry(detailed=True)["Objects"] == list(zip(objects, kinds, strict=True))
    components = ak.list_registry()["Components"]
    frame, series, index = objects["frame"], objects["series"], objects["index"]
    for array in (objects["numbers"], objects["text"], frame["x"], frame["y"], series.values, index.values):
        assert array.name in components
        assert ak.is_registered(array.name, as_component=True)
        assert not ak.is_registered(array.name)
    assert len(components) == 1 + 1 + 2 + 1 + 1 + 2
    assert not ak.is_registered("frame", True)


def test_facts_are_those_of_what_is_named(objects, capsys):
    other = ak.zeros(7)
    assert names_of(ak.information()) == names_of(ak.information(ak.RegisteredSymbols)) == list(objects)
    everything = names_of(ak.information(ak.AllSymbols))
    assert everything[:6] == list(objects)
    assert other.name in everything[6:]
    assert ak.list_symbol_table()[:6] == list(objects)
    assert other.name in ak.list_symbol_table()
    facts = json.loads(ak.information(["text", other.name, "numbers"]))
    assert [(one["name"], one["size"], one["registered"]) for one in facts] == [
        ("text", 2, True),
        (other.name, 7, False),
        ("numbers", 3, True),
    ]
    assert names_of(ak.information("text")) == ["text"]
    assert names_of(ak.information([])) == []
    ak.pretty_print_information("numbers")
    ak.pretty_print_information(["text", "numbers"])
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[0] for line in told] == [
        f"InfoEntry(name={name}" for name in ("numbers", "text", "numbers")
    ]
    with pytest.raises(RegistrationError, match="'nobody'"):
        ak.information(["text", "nobody"])


def test_arrays_that_cannot_be_computed_are_listed_without_their_size(objects, tmp_path):
    ak.arange(9).to_hdf(tmp_path / "gone")
    numbers = ak.read_hdf(f"{tmp_path / 'gone'}*")["array"]
    few = numbers[numbers > 3]
    for path in tmp_path.glob("gone*"):
        path.unlink()
    (facts,) = [one for one in json.loads(ak.information(ak.AllSymbols)) if one["name"] == few.name]
    assert (facts["dtype"], facts["size"], facts["shape"], facts["registered"]) == ("int64", None, None, False)
    with pytest.raises(FileError, match="no file"):
        _ = few.size


def test_what_has_no_name_and_is_no_name_is_refused():
    for call, given in ((ak.register_all, [("a", ak.arange(3))]), (ak.register_all, {"a": 5}), (ak.is_registered, 5)):
        with pytest.raises(ArgumentTypeError):
            call(given)
    with pytest.raises(RegistrationError, match="numbers"):
        ak.register_all({"new": ak.arange(3), "numbers": ak.arange(3), "last": ak.arange(3)})
    assert ak.is_registered("new")
    assert not ak.is_registered("last")
