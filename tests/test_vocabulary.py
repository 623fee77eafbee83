"""Names that modules define are terms of the field, as the glossary of the architecture has them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1] / "akdask"
CHECKED = sorted(
    path
    for name in ("collections", "columns", "schema", "config.py", "errors.py", "cluster.py", "typing.py")
    for path in ([ROOT / name] if name.endswith(".py") else (ROOT / name).rglob("*.py"))
)

# fmt: off
PRIVATE = frozenset({
    "lot", "lots", "shelf", "rack", "room", "cuts", "marks", "survey", "overview", "slab", "cells", "tally", "lanes",
    "scattered", "placing", "gapped", "fanout", "kept", "wish", "wishes", "held", "places", "gathered", "whole",
    "effort", "texts", "coded", "nulended", "families", "ways",
})
"""Words that only this project had for what others call by the names in the glossary."""
# fmt: on


def _defined(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name


def test_enough_is_looked_at():
    assert len(CHECKED) > 90


@pytest.mark.parametrize("path", CHECKED, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_names_are_those_of_the_glossary(path):
    names = set(_defined(ast.parse(path.read_text(encoding="utf-8"))))
    words = {name: re.split(r"_|(?<=[a-z])(?=[A-Z])", name) for name in names}
    assert [name for name, parts in words.items() if not PRIVATE.isdisjoint(part.lower() for part in parts)] == []
