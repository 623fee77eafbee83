"""Objects by the names that they are registered under."""

from __future__ import annotations

import json

import numpy as np
import pytest

import akdask as ak
from akdask.arrays import writable
from akdask.errors import ArgumentTypeError, RegistrationError
from akdask.testing import assert_equal


@pytest.fixture(autouse=True)
def empty(monkeypatch):
    monkeypatch.setattr(writable, "_objects", {})


OBJECTS = {
    "array": lambda: ak.arange(3),
    "strings": lambda: ak.array(["a", "b"]),
    "categorical": lambda: ak.Categorical(["a", "b", "a"]),
    "lists": lambda: ak.SegArray.from_multi_array([[1], [2, 3]]),
    "times": lambda: ak.Datetime(ak.arange(3)),
    "spans": lambda: ak.Timedelta(ak.arange(3)),
    "addresses": lambda: ak.ip_address(["1.2.3.4"]),
    "grid": lambda: ak.arange(6).reshape(2, 3),
    "index": lambda: ak.Index(ak.arange(3), name="i"),
    "levels": lambda: ak.MultiIndex([ak.arange(3), ak.arange(3)]),
    "groups": lambda: ak.GroupBy(ak.array([1, 2, 1])),
    "series": lambda: ak.Series([1, 2], index=["a", "b"], name="s"),
    "frame": lambda: ak.DataFrame({"x": [1, 2], "y": ["a", "b"]}),
}


@pytest.mark.parametrize("kind", OBJECTS)
def test_every_kind_of_object_is_found_by_its_name(kind):
    item = OBJECTS[kind]()
    assert item.registered_name is None
    assert not item.is_registered()
    assert item.register("mine") is item
    assert (item.registered_name, item.is_registered(), ak.is_registered("mine")) == ("mine", True, True)
    assert ak.attach("mine") is item
    assert ak.list_registry()["Objects"] == ["mine"]
    assert ak.list_registry(detailed=True)["Objects"] == [("mine", type(item).__name__.upper())]
    assert json.loads(ak.information("mine"))[0]["registered"] is True
    item.unregister()
    assert (item.registered_name, item.is_registered(), ak.list_registry()["Objects"]) == (None, False, [])


def test_names_are_given_once():
    a, b = ak.arange(3).register("a"), ak.arange(4)
    with pytest.raises(RegistrationError, match=r"registered object 'a' already"):
        b.register("a")
    with pytest.raises(RegistrationError, match="already registered as 'a'"):
        a.register("b")
    a.copy().register("b")
    assert ak.list_symbol_table()[:2] == ["a", "b"]


def test_arrays_and_strings_are_listed_while_something_refers_to_them():
    number, text = ak.zeros(3), ak.array(["x"])
    names = [number.name, text.name]
    assert set(names) <= set(ak.list_symbol_table())
    found = {entry["name"]: entry for entry in json.loads(ak.information(ak.AllSymbols))}
    assert [(found[name]["size"], found[name]["registered"]) for name in names] == [(3, False), (1, False)]
    assert json.loads(ak.information(names[0]))[0]["dtype"] == "float64"
    assert json.loads(ak.information(ak.RegisteredSymbols)) == []
    del number, text
    assert not set(names) & set(ak.list_symbol_table())


def test_names_that_nobody_has_are_errors():
    with pytest.raises(RegistrationError, match=r"no registered object 'x'.\n  registered: none"):
        ak.attach("x")
    with pytest.raises(RegistrationError):
        ak.unregister("x")
    with pytest.raises(RegistrationError, match="not registered"):
        ak.arange(3).unregister()
    with pytest.raises(RuntimeError):
        ak.attach("x")


@pytest.mark.parametrize("call", [ak.attach, ak.unregister, ak.arange(3).register])
def test_names_are_text(call):
    with pytest.raises(ArgumentTypeError, match="by a name, not by int"):
        call(5)


def test_several_objects_are_registered_at_once():
    objects = {"a": ak.arange(3), "b": ak.array(["x"])}
    ak.register_all(objects)
    assert ak.attach_all(["b", "a"]) == {"b": objects["b"], "a": objects["a"]}
    ak.unregister_all(["a", "b"])
    assert not ak.is_registered("a")


def test_what_is_assigned_to_an_attached_object_is_assigned_to_all():
    a = ak.zeros(3).register("a")
    ak.attach("a")[0] = 5
    assert a.tolist() == [5, 0, 0]


def test_unregistering_by_name_is_seen_by_the_object():
    a = ak.arange(3).register("a")
    assert ak.unregister("a") == "Unregistered PDARRAY a"
    assert not a.is_registered()


def test_copies_and_results_are_not_registered():
    a = ak.arange(3).register("a")
    assert not any(item.is_registered() for item in (a.copy(), a + 1, a[:2]))


def test_the_arrays_of_an_object_are_its_components():
    df = ak.DataFrame({"x": ak.arange(3), "y": ak.arange(3) * 2}).register("df")
    names = ak.list_registry()["Components"]
    assert names == [df["x"].name, df["y"].name]
    assert ak.is_registered(names[0], as_component=True)
    assert not ak.is_registered("df", as_component=True)


def test_facts_of_an_array_are_told(capsys):
    a = ak.array(np.arange(6).reshape(2, 3))
    (facts,) = json.loads(a.info())
    assert {**facts, "name": ""} == {
        "name": "",
        "dtype": "int64",
        "size": 6,
        "ndim": 2,
        "shape": [2, 3],
        "itemsize": facts["itemsize"],
        "registered": False,
    }
    ak.arange(3).register("a").pretty_print_info()
    ak.pretty_print_information()
    ak.pretty_print_information(["a"])
    line = "InfoEntry(name=a, dtype=int64, size=3, ndim=1, shape=[3], itemsize=8, registered=True)\n"
    assert capsys.readouterr().out == line * 3
    assert ak.information(ak.RegisteredSymbols) == ak.information("a")
    assert json.loads(ak.information(ak.AllSymbols))[:1] == json.loads(ak.information("a"))


def test_registering_computes_nothing(monkeypatch):
    a = ak.arange(5)
    filtered = a[a > 2]
    monkeypatch.setattr("akdask.engine.run.run", None)
    filtered.register("filtered")
    assert ak.attach("filtered") is filtered


def test_clearing_keeps_objects():
    g = ak.GroupBy(ak.array([2, 1, 2]))
    sizes = g.size()[1].tolist()
    ak.clear()
    assert g.size()[1].tolist() == sizes == [1, 2]


@pytest.mark.cluster
def test_a_second_client_finds_what_the_first_has_registered(cluster_client):
    from distributed import Client

    values = np.arange(6)
    kept = (ak.array(values) * 2).persist().register("kept")
    ak.DataFrame({"x": ak.array(values), "s": ak.array(list("aabbcc"))}).register("frame")
    ak.GroupBy(ak.array([1, 2, 1])).register("groups")
    with pytest.raises(RegistrationError):
        ak.arange(3).register("kept")
    with Client(cluster_client.scheduler.address, set_as_default=False) as second, second.as_current():
        assert ak.list_registry()["Objects"] == ["frame", "groups", "kept"]
        found = ak.attach("kept")
        assert_equal(found, values * 2)
        assert (found.registered_name, found.is_registered()) == ("kept", True)
        assert ak.attach("frame").groupby("s").sum()["x"].tolist() == [1, 5, 9]
        assert ak.attach("groups").size()[1].tolist() == [2, 1]
        found.unregister()
    assert not kept.is_registered()
    ak.unregister_all(["frame", "groups"])
    assert cluster_client.list_datasets() == ()
