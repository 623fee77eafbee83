"""Editors and type checkers know the names of pandas' face, and what common calls give."""

import ast

from tests.pandas_face.stub import STUB, stub

CLASSES = {item.name: item for item in ast.parse(stub()).body if isinstance(item, ast.ClassDef)}


def _result(owner: str, name: str) -> str:
    (found,) = [item for item in CLASSES[owner].body if isinstance(item, ast.FunctionDef) and item.name == name]
    assert found.returns is not None
    return ast.unparse(found.returns)


def test_the_stub_is_what_pandas_has():
    assert STUB.read_text(encoding="utf-8") == stub(), "run python -m tests.pandas_face.stub"


def test_common_chains_keep_their_types():
    chain = [
        ("DataFrame", "head", "Self"),
        ("DataFrame", "merge", "DataFrame"),
        ("DataFrame", "groupby", "DataFrameGroupBy"),
        ("DataFrameGroupBy", "sum", "DataFrame"),
        ("SeriesGroupBy", "mean", "Series"),
        ("Series", "rolling", "Rolling"),
        ("Series", "str", "StringMethods"),
        ("StringMethods", "upper", "Series"),
        ("DataFrame", "persist", "Self"),
    ]
    assert [(owner, name, _result(owner, name)) for owner, name, _ in chain] == chain
