"""What operations make of text and integers that may be missing: they are composed of those on what is there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

import numpy as np

from akdask.errors import ArgumentError
from akdask.plan.expr import missing_integers
from akdask.plan.expr.values import Call, Constant, Value
from akdask.schema import FLOAT64, NULLABLE_STR, STR, column_type


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def call(operation: str, *args: Value, **params: Any) -> Value:
    """Return an operation on values, whose text and integers may be missing; as `Call` where none may.

    As in pandas, tests of missing text are False, ``!=`` is True, and changed text stays missing.  Its length is 0: no
    integer stands for what is missing.  Where there is no rule, missing text is an error when it is met.
    """
    if any(type(param) is str and not _is_utf8(param) for param in params.values()):
        raise ArgumentError(
            f"{operation} takes text that UTF-8 can hold, without halves of surrogates.", hint="correct the text."
        )
    for arg in args:
        if getattr(arg, "operation", "") == missing_integers.OPERATION:
            found = missing_integers.rule(operation, args, params)
            if found is not None:
                return found
            break
    if operation in _AWARE or NULLABLE_STR not in [arg.dtype for arg in args]:
        return Call(operation, *args, **params)
    return _RULES.get(operation, _demanded)(operation, args, params)


def is_missing(value: Value) -> Value:
    """Return where text is missing."""
    return Call("is_missing", value)


def is_present(value: Value) -> Value:
    """Return where text is not missing."""
    return Call("logical_not", is_missing(value))


def filled(value: Value, text: str = "") -> Value:
    """Return text with other text in place of what is missing."""
    return Call("fill_missing", value, Constant(text)) if value.dtype == NULLABLE_STR else value


def demanded(value: Value) -> Value:
    """Return text none of which may be missing: an error when it is computed, if some is."""
    return Call("demand_text", value) if value.dtype == NULLABLE_STR else value


def missing_text() -> Value:
    """Return one missing string."""
    return Call("make_missing", Constant(""), Constant(True))


def without_missing(value: Value) -> Value:
    """Return text as such that is never missing, once it has been filled; other values as they are."""
    return Call("as_text", value) if value.dtype == NULLABLE_STR else value


Args = tuple[Value, ...]
Params = Mapping[str, Any]


def _nullable(args: Args) -> list[Value]:
    return [arg for arg in args if arg.dtype == NULLABLE_STR]


def _only_present(found: Value, args: Args) -> Value:
    return reduce(lambda test, arg: Call("logical_and", test, is_present(arg)), _nullable(args), found)


def _equal(operation: str, args: Args, params: Params) -> Value:
    """Return where text is equal: a sentinel only equals another."""
    found = Call("equal", *args)
    return _only_present(found, args[:1]) if len(_nullable(args)) == len(args) else found


def _not_equal(operation: str, args: Args, params: Params) -> Value:
    return Call("logical_not", _equal(operation, args, params))


def _tested_as_bytes(operation: str, args: Args, params: Params) -> Value:
    """Return a test that any bytes can take."""
    return _only_present(Call(operation, *map(without_missing, args), **params), args)


def _tested(operation: str, args: Args, params: Params) -> Value:
    return _only_present(Call(operation, *map(filled, args), **params), args)


def _changed(operation: str, args: Args, params: Params) -> Value:
    missing = reduce(lambda one, other: Call("logical_or", one, other), map(is_missing, _nullable(args)))
    return Call("make_missing", Call(operation, *map(filled, args), **params), missing)


def _of_filled(operation: str, args: Args, params: Params) -> Value:
    return Call(operation, *map(filled, args), **params)


def _counted(operation: str, args: Args, params: Params) -> Value:
    """Return how many things are found in text: none in what is missing, though there may be some in no text."""
    return Call("where", is_missing(args[0]), Constant(0), _of_filled(operation, args, params))


def _applied(operation: str, args: Args, params: Params) -> Value:
    """Return what a function makes of text that is there: text that is missing stays so, and numbers refuse it."""
    return (_changed if column_type(params["dtype"]) == STR else _demanded)(operation, args, params)


def _of_bytes(operation: str, args: Args, params: Params) -> Value:
    """Return what any bytes give: what is missing gives what no text does."""
    return Call(operation, *map(without_missing, args), **params)


def _demanded(operation: str, args: Args, params: Params) -> Value:
    return Call(operation, *map(demanded, args), **params)


def _cast(operation: str, args: Args, params: Params) -> Value:
    """Return text as another type: what is missing is NaN, and an error where that is not."""
    wanted = column_type(params["dtype"])
    if wanted == STR:
        return args[0]
    if wanted == FLOAT64:
        return Call("where", is_missing(args[0]), Constant(np.nan), Call(operation, filled(args[0], "nan"), **params))
    return _of_filled(operation, args, params)


def _parse_time(operation: str, args: Args, params: Params) -> Value:
    return Call(operation, filled(args[0], "NaT"), **params)


_AWARE = ("where", "is_missing", "fill_missing", "make_missing")
"""Operations that take text that may be missing."""

Rule = Callable[[str, Args, Params], Value]

_RULES: dict[str, Rule] = {
    "equal": _equal,
    "not_equal": _not_equal,
    "cast": _cast,
    "parse_time": _parse_time,
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), _tested_as_bytes),
    **dict.fromkeys(("contains", "startswith", "endswith"), _tested_as_bytes),
    **dict.fromkeys(("islower", "isupper", "istitle", "isalnum", "isalpha", "isdigit"), _tested),
    **dict.fromkeys(("isdecimal", "isnumeric", "isspace", "isempty", "isin"), _tested),
    **dict.fromkeys(("lower", "upper", "title", "capitalize", "strip", "stick", "peel", "text_slice"), _changed),
    **dict.fromkeys(("replace_matches", "transcode"), _changed),
    "text_hash": _of_bytes,
    **dict.fromkeys(("byte_length", "text_length", "match_start", "match_text"), _of_filled),
    "match_count": _counted,
    "apply_function": _applied,
}
