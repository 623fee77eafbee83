"""Whether a function takes what Arkouda's takes: names, order and defaults of parameters."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from enum import Enum
from inspect import Parameter
from typing import Any

import numpy as np

from akdask.collections.session.registry import RegisteredSymbols

POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
VARIABLE = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)

STANDS_FOR = {"maxTransferBytes": "None", "RegisteredSymbols": RegisteredSymbols}
"""Defaults that are written as names of Arkouda's client; None is the limit that is set."""


def parameters_of(item: Any, owner: Any) -> list[Parameter] | None:
    """Return the parameters of a function, a method or a class; None for what has none.

    Parameters
    ----------
    item : object
        The function, as its module or class has it.
    owner : module or class
        Whose it is: the first parameter of a method is left out.
    """
    if isinstance(item, property) or not callable(item):
        return None
    try:
        found = list(inspect.signature(item).parameters.values())
    except (TypeError, ValueError):
        return None
    # A function that is reached through its class is a method, and static methods are those that take nothing first.
    is_method = inspect.isclass(owner) and inspect.isfunction(item) and not _is_static(owner, item.__name__)
    return found[1:] if is_method else found


def _is_static(owner: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(owner, name, None), staticmethod)


def listed_parameters(signature: str) -> list[Parameter]:
    """Return the parameters of a signature that is written as text; their defaults are texts.

    Examples
    --------
    >>> [item.name for item in listed_parameters("(a, /, b=1, *args, c='x')")]
    ['a', 'b', 'args', 'c']
    """
    (function,) = ast.parse(f"def f{signature}: ...").body
    assert isinstance(function, ast.FunctionDef)
    return list(_parameters(function.args))


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    first = [(item, Parameter.POSITIONAL_ONLY) for item in arguments.posonlyargs]
    named = first + [(item, Parameter.POSITIONAL_OR_KEYWORD) for item in arguments.args]
    defaults: list[Any] = [None] * (len(named) - len(arguments.defaults)) + arguments.defaults
    for (item, kind), default in zip(named, defaults, strict=True):
        yield Parameter(item.arg, kind, default=_text(default))
    if arguments.vararg is not None:
        yield Parameter(arguments.vararg.arg, Parameter.VAR_POSITIONAL)
    for item, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield Parameter(item.arg, Parameter.KEYWORD_ONLY, default=_text(default))
    if arguments.kwarg is not None:
        yield Parameter(arguments.kwarg.arg, Parameter.VAR_KEYWORD)


def _text(default: ast.expr | None) -> Any:
    return Parameter.empty if default is None else ast.unparse(default)


def difference(signature: str, item: Any, owner: Any) -> str | None:
    """Return how a function's parameters differ from those of a signature, None if they do not.

    A function may take more: by keyword, or behind the others, with defaults.  What Arkouda takes by position only may
    be called anything.

    Parameters
    ----------
    signature : str
        What Arkouda takes, such as ``(a, b=1)``; none for what is not called.
    item : object
        The function.
    owner : module or class
        Whose it is.
    """
    if not signature:
        return None
    own = parameters_of(item, owner)
    if own is None:
        return None if isinstance(item, np.ufunc) else "is no function"
    listed = listed_parameters(signature)
    if {parameter.kind for parameter in listed} == {*VARIABLE}:
        return None
    takes_any = {parameter.kind for parameter in own if parameter.kind in VARIABLE}
    by_name = {parameter.name: parameter for parameter in own if parameter.kind not in VARIABLE}
    positional = [parameter for parameter in own if parameter.kind in POSITIONAL]
    for number, parameter in enumerate(listed):
        if parameter.kind in VARIABLE:
            continue
        if parameter.kind in POSITIONAL:
            found = positional[number] if number < len(positional) else None
            wanted_name = parameter.kind is not Parameter.POSITIONAL_ONLY
            if found is not None and wanted_name and found.name != parameter.name:
                return f"parameter {number + 1} is `{found.name}`, not `{parameter.name}`"
            if found is None and Parameter.VAR_POSITIONAL in takes_any:
                continue
        else:
            found = by_name.get(parameter.name)
            if found is None and Parameter.VAR_KEYWORD in takes_any:
                continue
        if found is None:
            return f"takes no `{parameter.name}`"
        if not is_default(parameter.default, found, owner):
            return f"`{found.name}` is {_shown(found.default)} unless given, not {_shown(parameter.default)}"
    names = {parameter.name for parameter in listed}
    count = sum(parameter.kind in POSITIONAL for parameter in listed)
    beyond = [*positional[count:], *(found for found in by_name.values() if found.kind not in POSITIONAL)]
    needed = [found.name for found in beyond if found.default is Parameter.empty and found.name not in names]
    return f"needs `{needed[0]}` besides" if needed else None


def _shown(default: Any) -> str:
    if default is Parameter.empty:
        return "none"
    return f"`{default if isinstance(default, str) else _names(default)[0]}`"


def is_default(listed: Any, found: Parameter, owner: Any) -> bool:
    """Whether a parameter has the default that is listed for it."""
    if listed is Parameter.empty:
        return True
    if found.default is Parameter.empty:
        return False
    if found.name == "dataset" and found.default is None:
        # Methods that several classes share give the name that each of them has.
        return bool(listed == repr(getattr(owner, "_default_dataset", None)))
    text = STANDS_FOR.get(listed, listed).strip("'\"")
    return listed in _names(found.default) or text in _names(found.default) or _same_number(text, found.default)


def _names(default: Any) -> list[str]:
    """Return the texts that stand for a value."""
    names = [repr(default), str(default)]
    if isinstance(default, Enum):
        names.append(default.name)
    return [*names, getattr(default, "__name__", names[0])]


def _same_number(text: str, default: Any) -> bool:
    try:
        return isinstance(default, int | float) and not isinstance(default, bool) and float(text) == default
    except ValueError:
        return False
