"""Names and prose of the package use the terms of the field, as the glossary of the architecture has them."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from akdask.plan.expr.node import Node

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


CLASSES = {name for path in MODULES for name in _defined(ast.parse(path.read_text(encoding="utf-8")))}
FOREIGN = {
    "Arrow",
    "Client",
    "Dask",
    "False",
    "IPv4",
    "LargeListArray",
    "LargeStringArray",
    "None",
    "NumPy",
    "Path",
    "Python",
    "Struct",
    "True",
}
"""Classes and proper names of others, in the types of documented parameters."""

PHRASES = re.compile(
    r"\b(?:whoever|of which there|what it is of|who(?:ever)? asks|so many of|in so many,|is at hand)\b", re.IGNORECASE
)
"""Turns of phrase that are read twice."""


def _prose(source: str) -> Iterator[tuple[int, str]]:
    """Yield docstrings and comments, with the lines where they begin."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        is_prose = token.type == tokenize.COMMENT or (token.type == tokenize.STRING and '"""' in token.string[:4])
        if is_prose:
            yield token.start[0], re.sub(r"\s+#?\s*", " ", token.string)


def _ids(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_enough_is_looked_at():
    assert len(MODULES) > 350


@pytest.mark.parametrize("path", MODULES, ids=_ids)
def test_names_are_those_of_the_glossary(path):
    names = set(_defined(ast.parse(path.read_text(encoding="utf-8")))) - EXCEPTIONS.keys()
    words = {name: re.split(r"_|(?<=[a-z])(?=[A-Z])", name) for name in names}
    assert [name for name, parts in words.items() if not PRIVATE.isdisjoint(part.lower() for part in parts)] == []


@pytest.mark.parametrize("path", MODULES, ids=_ids)
def test_docstrings_and_comments_are_plain(path):
    prose = _prose(path.read_text(encoding="utf-8"))
    assert [(line, found) for line, text in prose for found in PHRASES.findall(text)] == []


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


@pytest.mark.parametrize("path", MODULES, ids=_ids)
def test_documented_parameters_and_their_classes_exist(path):
    wrong = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and (real := _parameters(node)):
            for name, kind in _documented(node):
                unknown = set(re.findall(r"(?<![\w.\"'`])[A-Z]\w+", kind)) - CLASSES - FOREIGN
                wrong += [(node.name, name, kind)] if unknown or name not in real else []
    assert wrong == []


def test_exceptions_are_still_needed():
    names = {name for path in MODULES for name in _defined(ast.parse(path.read_text(encoding="utf-8")))}
    assert EXCEPTIONS.keys() - names == set()


def test_no_class_name_stands_twice():
    classes = Counter(
        node.name
        for path in MODULES
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    # Arkouda's name for integers whose bits have names is what a schema of LBANN makes, too; both are public.
    assert [name for name, count in classes.items() if count > 1] == ["Fields"]


def test_no_two_nodes_make_the_same_keys():
    names = Counter(kind.__name__.lower() for kind in _subclasses(Node))
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []


def _subclasses(kind: Any) -> set[Any]:
    return {found for direct in kind.__subclasses__() for found in (direct, *_subclasses(direct))}
