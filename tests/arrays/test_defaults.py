"""What arguments are unless given: those of Arkouda for its names, and those of NumPy for functions of its names."""

from __future__ import annotations

import inspect

import numpy as np

import akdask as ak
from akdask.arkouda.parity_page import BEHAVIOUR, _attribute, _owner, difference, listed_names


def test_arguments_that_arkouda_has_are_those_of_arkouda_unless_given():
    compared, found = 0, {}
    for name in listed_names():
        owner = _owner(name.where)
        item = None if owner is None else _attribute(owner, name.name)
        if str(getattr(item, "__module__", "")).startswith("akdask.arrays.") and name.path not in BEHAVIOUR:
            compared += bool(name.signature)
            if (differs := difference(name.signature, item, owner)) is not None:
                found[name.path] = differs
    assert compared > 400
    assert found == {}


OTHERWISE = {
    "argsort": {"axis": 0},
    "array": {"copy": False},
    "cov": {"y": inspect.Parameter.empty},
    "eye": {"M": inspect.Parameter.empty},
    "percentile": {"q": 0.5},
    "quantile": {"q": 0.5},
    "round": {"decimals": None},
    "where": {"x": inspect.Parameter.empty, "y": inspect.Parameter.empty},
    **{name: {"where": None} for name in ("arctan2", "ceil", "floor", "trunc")},
    **{name: {"dtype": np.float64} for name in ("linspace", "logspace", "ones", "zeros")},
}
"""Functions with other defaults than NumPy's: those of Arkouda, or names of the same."""


def test_arguments_that_numpy_has_are_those_of_numpy_unless_given():
    compared, found = 0, {}
    for name in sorted(set(dir(ak)) & set(dir(np))):
        own, theirs = getattr(ak, name), getattr(np, name)
        if not str(getattr(own, "__module__", "")).startswith("akdask.arrays.") or inspect.isclass(own):
            continue
        try:
            pair = [inspect.signature(function).parameters for function in (own, theirs)]
        except ValueError:  # NumPy's own loops tell none
            continue
        for word in pair[0].keys() & pair[1].keys():
            one, other = (parameters[word].default for parameters in pair)
            compared += 1
            same = one in (False, None) if repr(other) == "<no value>" else one is other or one == other
            if not same:
                found.setdefault(name, {})[word] = one
    assert compared > 120
    assert found == OTHERWISE
