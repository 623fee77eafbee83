"""Arguments of a call by the names that pandas has for them, and those of them that a lazy form takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

import pandas

from akdask.pandas.refusals import NotLazyError

NEEDING_AXIS = frozenset(
    (
        *("agg", "aggregate", "drop", "droplevel", "idxmax", "idxmin", "interpolate", "quantile", "rank", "set_axis"),
        *("shift", "sort_index", "sort_values", "take", "tz_convert", "tz_localize", "xs"),
    )
)
"""Methods that take no None for an axis."""

NOT_GIVEN = pandas.api.extensions.no_default


@cache
def signature_of(kind: Any, name: str) -> inspect.Signature:
    if name == SELECTOR:
        from pandas.core.groupby.indexing import GroupByNthSelector  # type: ignore[import-not-found, unused-ignore]

        return inspect.signature(GroupByNthSelector.__call__)
    return inspect.signature(getattr(kind, name))


SELECTOR = "nth"
"""The attribute of groups that is called like a method."""


def bound_arguments(kind: type, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call by pandas' names, without those that have the value of pandas' default.

    Raises
    ------
    TypeError
        If pandas takes no such arguments.
    """
    names, defaults = _defaults(kind, name)
    if len(args) <= len(names) and kwargs.keys() <= defaults.keys() and kwargs.keys().isdisjoint(names[: len(args)]):
        found: dict[str, Any] = {**defaults, **dict(zip(names, args, strict=False)), **kwargs}
        if all(value is not inspect.Parameter.empty for value in found.values()):
            return {word: value for word, value in found.items() if value is not NOT_GIVEN}
    # Arguments of functions that take any, and arguments that pandas refuses.
    signature = signature_of(kind, name)
    given = signature.bind(None, *args, **kwargs)
    given.apply_defaults()
    found = {}
    for word, value in list(given.arguments.items())[1:]:
        parameter = signature.parameters[word]
        if parameter.kind is parameter.VAR_POSITIONAL:
            if value:
                found["*"] = value
        elif parameter.kind is parameter.VAR_KEYWORD:
            found.update(value)
        elif value is not NOT_GIVEN:
            found[word] = value
    return found


@cache
def _defaults(kind: type, name: str) -> tuple[Sequence[str], Mapping[Any, Any]]:
    """Return the arguments that a method takes by position, and the defaults of those that it takes by name."""
    _, *given = signature_of(kind, name).parameters.values()
    by_name: dict[Any, Any] = {
        each.name: each.default for each in given if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }
    if any(each.kind is each.POSITIONAL_ONLY for each in given):
        by_name[None] = inspect.Parameter.empty  # No call gives it, so that all calls are bound by the signature.
    return [each.name for each in given if each.kind is each.POSITIONAL_OR_KEYWORD], by_name


@cache
def _parameters(form: Callable[..., Any]) -> tuple[Mapping[str, inspect.Parameter], bool]:
    parameters = inspect.signature(form).parameters
    return parameters, any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())


EQUIVALENT: Mapping[str, tuple[Any, ...]] = {
    "axis": (0, "index", "rows", None),
    "kind": ("quicksort", "mergesort", "heapsort", "stable"),
    "copy": (True, False, None),
}
"""Values of arguments that change no answer of a lazy form, beside pandas' defaults; no form need take them."""


def accepted(kind: Any, name: str, form: Callable[..., Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments that a lazy form takes.

    Raises
    ------
    NotLazyError
        If others have values that change the answer.
    """
    parameters, takes_any = _parameters(form)
    signature = signature_of(kind, name).parameters
    found = {}
    if not _is_axis(kind, name, given.get("axis", 0)) or not isinstance(given.get("skipna", True), bool):
        raise NotLazyError("pandas refuses it")
    if kind is pandas.Series and isinstance(given.get("ascending"), list):
        raise NotLazyError("a list of orders of one column has its own rules")
    for word, value in given.items():
        if word in parameters or (takes_any and not _changes_nothing(word, value, signature)):
            found[word] = value
        elif not _changes_nothing(word, value, signature):
            raise NotLazyError(f"its argument {word} has no lazy form")
    return found


def _is_axis(kind: Any, name: str, axis: Any) -> bool:
    """Return whether a method knows an axis; where its class has no axes, what it is means something else."""
    known = getattr(kind, "_AXIS_TO_AXIS_NUMBER", None)
    if known is None:
        return True
    return name not in NEEDING_AXIS if axis is None else isinstance(axis, int | str) and axis in known


def _changes_nothing(word: str, value: Any, signature: Mapping[str, inspect.Parameter]) -> bool:
    default = signature[word].default if word in signature else inspect.Parameter.empty
    if value is default:
        return True
    if not isinstance(value, str | int | float | bool | type(None)):
        return False
    return any(type(value) is type(one) and value == one for one in (default, *EQUIVALENT.get(word, ())))
