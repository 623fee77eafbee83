"""Methods of public classes hand their arguments on to functions under the same names."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from akdask.frames.dataframe import DataFrame
from akdask.frames.groupby import DataFrameGroupBy
from akdask.frames.row_labelled import RowLabelled
from akdask.frames.series import Series
from akdask.frames.series_groupby import SeriesGroupBy

CLASSES = [RowLabelled, DataFrame, Series, DataFrameGroupBy, SeriesGroupBy]

ACCEPTED = {
    "allow_duplicates",
    "copy",
    "group_keys",
    "numeric_only",
    "ordered",
    "repack",
    "sort_index",
    "storage_options",
}
"""Arguments that some methods take for compatibility, or that a decorator uses."""


def methods(cls: type) -> Iterator[ast.FunctionDef]:
    (found,) = ast.parse(inspect.getsource(cls)).body
    assert isinstance(found, ast.ClassDef)
    for node in found.body:
        if (
            isinstance(node, ast.FunctionDef)
            and node.name != "_persisted"
            and "raise NotImplementedError" not in ast.unparse(node)
            and not any("overload" in ast.unparse(one) for one in node.decorator_list)
        ):
            yield node


def parameters(method: ast.FunctionDef) -> list[str]:
    given = method.args
    return [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)][1:]


def imported(method: ast.FunctionDef) -> dict[str, Any]:
    """Return the modules and functions of frames that a method imports, by name."""
    found: dict[str, Any] = {}
    for node in ast.walk(method):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("akdask.frames"):
            for name in node.names:
                try:
                    found[name.name] = import_module(f"{node.module}.{name.name}")
                except ModuleNotFoundError:
                    found[name.name] = getattr(import_module(str(node.module)), name.name)
    return found


def calls(method: ast.FunctionDef) -> Iterator[tuple[ast.Call, Any]]:
    """Yield the calls of functions that a method imports."""
    names = imported(method)
    for node in ast.walk(method):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if module in names:
                yield node, getattr(names[module], name)
            case ast.Call(func=ast.Name(id=name)) if name in names:
                yield node, names[name]


@pytest.mark.parametrize("cls", CLASSES)
def test_arguments_go_to_parameters_of_the_same_names(cls):
    wrong = []
    for method in methods(cls):
        own = parameters(method)
        for call, function in calls(method):
            if not inspect.isfunction(function):
                continue
            named = list(inspect.signature(function).parameters)
            given = [*zip(named, call.args, strict=False), *((one.arg, one.value) for one in call.keywords)]
            for name, value in given:
                if isinstance(value, ast.Name) and value.id in own and value.id != name and name in own:
                    wrong.append(f"{method.name}: {value.id} for {name}")
    assert wrong == []


@pytest.mark.parametrize("cls", CLASSES)
def test_arguments_are_used(cls):
    unused = {}
    for method in methods(cls):
        used = {node.id for node in ast.walk(method) if isinstance(node, ast.Name)}
        if left := set(parameters(method)) - used - ACCEPTED:
            unused[method.name] = left
    assert unused == {}
