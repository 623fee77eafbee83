"""Names and prose of the package use the terms of the field, as the glossary has them."""

from __future__ import annotations

import ast
import io
import pkgutil
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import akdask
from akdask.engine.node import Node

ROOT = Path(__file__).parents[1] / "akdask"
MODULES = sorted(ROOT.rglob("*.py"))

# fmt: off
PRIVATE = frozenset({
    "borders", "cells", "coded", "collapse", "cuts", "effort", "families", "fanout", "forgo", "gapped", "gathered",
    "held", "kept", "lanes", "lot", "lots", "marks", "nulended", "overview", "pays", "pieces", "placing", "places",
    "rack", "room", "routine", "scattered", "shelf", "slab", "slabs", "survey", "tallies", "tally", "texts", "together",
    "ways", "whole", "wish", "wishes",
})
"""Words that only this project had for what others call by the names in the glossary."""
# fmt: on

EXCEPTIONS = {
    "_whole_numbers": "whole numbers are integers in plain English",
}
"""Names that may have such a word, and why."""


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


FOREIGN = {
    "Arrow",
    "Client",
    "Dask",
    "DictionaryArray",
    "False",
    "IPv4",
    "LargeListArray",
    "LargeStringArray",
    "None",
    "NumPy",
    "Path",
    "Python",
    "Struct",
    "Timedelta",
    "Timestamp",
    "True",
}
"""Classes and proper names of others, in the types of documented parameters."""

FACES = ["DataFrame", "Series"]
"""Classes that each face has under the name that its users know."""

PHRASES = re.compile(
    r"\b(?:whoever|of which there|what it is of|who(?:ever)? asks|so many of|in so many,|is at hand)\b", re.IGNORECASE
)
"""Turns of phrase that are read twice."""


def _unwrapped(text: str) -> str:
    return re.sub(r"\s+#?\s*", " ", text)


def _prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield docstrings and comments, with the lines where they begin."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_prose = token.type == tokenize.COMMENT or (token.type == tokenize.STRING and '"""' in token.string[:4])
        if is_prose:
            yield token.start[0], _unwrapped(token.string)


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Return all modules, parsed here and not where tests are collected, which every process does."""
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}


@pytest.fixture(scope="module")
def defined(trees) -> dict[str, set[str]]:
    """Return the names that each module defines."""
    return {module: set(_defined(tree)) for module, tree in trees.items()}


def test_enough_is_looked_at():
    assert len(MODULES) > 350


def _words(name: str) -> set[str]:
    return {part.lower() for part in re.split(r"_|(?<=[a-z])(?=[A-Z])", name)}


def test_names_are_those_of_the_glossary(defined):
    private = {
        module: [name for name in sorted(names - EXCEPTIONS.keys()) if not PRIVATE.isdisjoint(_words(name))]
        for module, names in defined.items()
    }
    assert {module: names for module, names in private.items() if names} == {}


def test_docstrings_and_comments_are_plain():
    assert [
        (path.relative_to(ROOT).as_posix(), line, found)
        for path in MODULES
        # To tell prose from code takes long, and few modules have such words in either.
        if PHRASES.search(_unwrapped(source := path.read_text(encoding="utf-8")))
        for line, text in _prose(source)
        for found in PHRASES.findall(text)
    ] == []


def _documented(node: ast.FunctionDef | ast.ClassDef) -> Iterator[tuple[str, str]]:
    """Yield the parameters that a docstring describes, and their types as they are written there."""
    _, _, section = (ast.get_docstring(node) or "").partition("Parameters\n----------\n")
    for line in re.split(r"\n[A-Z][\w ]*\n-{3,}", section)[0].splitlines():
        if found := re.fullmatch(r"(\*{0,2}\w[\w, *]*?)(?: : (.*))?", line):
            yield from ((name.strip(" *"), found[2] or "") for name in found[1].split(","))


def _parameters(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    if isinstance(node, ast.FunctionDef):
        return {argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)}
    fields = {item.target.id for item in node.body if isinstance(item, ast.AnnAssign) and hasattr(item.target, "id")}
    made = [item for item in node.body if isinstance(item, ast.FunctionDef) and item.name in {"__init__", "__new__"}]
    return fields.union(*map(_parameters, made))


def test_documented_parameters_and_their_classes_exist(trees, defined):
    classes = FOREIGN.union(*defined.values())
    wrong = []
    for module, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and (real := _parameters(node)):
                for name, kind in _documented(node):
                    unknown = set(re.findall(r"(?<![\w.\"'`])[A-Z]\w+", kind)) - classes
                    wrong += [(module, node.name, name, kind)] if unknown or name not in real else []
    assert wrong == []


def test_exceptions_are_still_needed(defined):
    assert EXCEPTIONS.keys() - set().union(*defined.values()) == set()


def test_no_class_name_stands_twice(trees):
    classes = Counter(node.name for tree in trees.values() for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, count in classes.items() if count > 1] == FACES


def test_no_two_nodes_make_the_same_keys():
    for module in pkgutil.walk_packages(akdask.__path__, "akdask."):
        import_module(module.name)
    names = Counter(kind.__name__.lower() for kind in _subclasses(Node))
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []


def _subclasses(kind: Any) -> set[Any]:
    return {found for direct in kind.__subclasses__() for found in (direct, *_subclasses(direct))}
