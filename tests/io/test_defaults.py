"""What arguments of functions about files are unless given: those of Arkouda for its names, and what is documented."""

from __future__ import annotations

import inspect
import re

import akdask as ak
from akdask.arkouda.parity_page import BEHAVIOUR, _attribute, _owner, difference, listed_names


def is_about_files(item):
    return inspect.isfunction(item) and item.__module__.startswith("akdask.io.")


def test_arguments_that_arkouda_has_are_those_of_arkouda_unless_given():
    compared, found = 0, {}
    for name in listed_names():
        owner = _owner(name.where)
        item = None if owner is None else _attribute(owner, name.name)
        if is_about_files(item) and name.path not in BEHAVIOUR:
            compared += bool(name.signature)
            if (differs := difference(name.signature, item, owner)) is not None:
                found[name.path] = differs
    assert compared > 20
    assert found == {}


def test_arguments_are_what_is_documented_unless_given():
    compared, found = 0, {}
    for name, item in inspect.getmembers(ak, is_about_files):
        parameters = inspect.signature(item).parameters
        for words, told in re.findall(r"^(\w[\w, ]*) : .*, default (.+)$", inspect.getdoc(item), re.MULTILINE):
            for word in words.split(", "):
                compared += 1
                if repr(parameters[word].default) != told.replace('"', "'"):
                    found[name, word] = parameters[word].default, told
    assert compared > 30
    assert found == {}
