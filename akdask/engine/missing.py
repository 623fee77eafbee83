"""Missing values in integers, bools and text: expressions that keep the values exact.

Integers or bools with missing rows are one column of a nullable type (`akdask.columns.nullable`). A rule of an
operation says what it does with the integers and with the mask of missing rows. Without a rule an operation computes
with floats, NaN where a row is missing, and raises an error if it meets an integer that equals no float. Text with
missing rows has a type of its own, too, and every operation a rule for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

import numpy as np

from akdask.columns.dtypes import (
    BOOL,
    FLOAT64,
    NULLABLE_BOOL,
    NULLABLE_STR,
    STR,
    ColumnType,
    column_type,
)
from akdask.engine.values import Call, Constant, Value, apart, column_in_errors, with_missing
from akdask.errors import ArgumentError


def parts(value: Value) -> tuple[Value, Value] | None:
    """Return the integers, and where they are missing; None for values of a type without missing rows."""
    return apart(value) if value.dtype.is_nullable_number else None


def lacks_numbers(dtype: ColumnType) -> bool:
    """Whether numbers of a type may be missing: floats, and integers and bools of a nullable type."""
    return dtype == FLOAT64 or dtype.is_nullable_number


def present(value: Value, column: str) -> Value:
    """Return integers and bools none of which may be missing; computing them raises if one is."""
    given = parts(value)
    return value if given is None else Call("demand_stored", *given, column=column)


# results of operations on them


def is_missing(value: Value) -> Value:
    """Return the mask of missing floats, without making floats of integers."""
    given = parts(value)
    return Call("isnan", value) if given is None else given[1]


def as_mask(value: Value) -> Value:
    """Return bools with missing rows as bools, False where they are missing; other values stay as they are."""
    if value.dtype != NULLABLE_BOOL:
        return value
    bools, missing = apart(value)
    return Call("logical_and", bools, negated(missing))


def filled(value: Value, filling: Value) -> Value:
    """Fill missing numbers with others; integers filled with integers stay integers."""
    given = parts(value)
    if given is not None and filling.dtype.kind in _EXACT:
        if given[0].dtype.kind == "uint":
            filling = _as_unsigned(filling)
        return Call("where", given[1], filling, given[0])
    return Call("where", is_missing(value), filling, value)


def rule(operation: str, args: Sequence[Value], params: Mapping[str, Any]) -> Value | None:
    """Return the result of an operation on integers with missing rows; None if the operation takes them as floats."""
    found = _RULES.get(operation)
    return None if found is None else found(operation, args, params)


_EXACT = ("int", "uint", "bool")


def integers_and_missing(value: Value) -> tuple[Value, Value]:
    """Return the integers of a value, and their mask of missing rows, if any; a lone NaN is a missing integer."""
    given = parts(value)
    if given is not None:
        return given
    if isinstance(value, Constant) and value.dtype == FLOAT64 and np.isnan(value.value):
        return Constant(np.int64(0)), Constant(np.bool_(True))
    return value, Constant(np.bool_(False))


def _missing_in(args: Iterable[Value]) -> Value:
    found: Value | None = None
    for given in filter(None, map(parts, args)):
        found = given[1] if found is None else Call("logical_or", found, given[1])
    assert found is not None, "a rule is asked for where something may be missing"
    return found


def _compared(operation: str, args: Sequence[Value], params: Mapping[str, Any]) -> Value:
    """Return a comparison; it is False where an integer is missing."""
    present = negated(_missing_in(args))
    return Call("logical_and", Call(operation, *[integers_and_missing(arg)[0] for arg in args], **params), present)


def _different(operation: str, args: Sequence[Value], params: Mapping[str, Any]) -> Value:
    return negated(_compared("equal", args, params))


def _tested(operation: str, args: Sequence[Value], params: Mapping[str, Any]) -> Value:
    missing = is_missing(args[0])
    return missing if operation == "isnan" else negated(missing)


def _chosen(operation: str, args: Sequence[Value], params: Mapping[str, Any]) -> Value | None:
    """Return a choice among integers as integers, if all alternatives are integers."""
    condition, *sides = args
    apart = [integers_and_missing(side) for side in sides]
    for at, taken in enumerate((condition, negated(condition))):
        # Rows that take an integer take no missing one here.
        if negated(apart[at][1]) == taken:
            apart[at] = (apart[at][0], Constant(np.bool_(False)))
    kinds = {integers.dtype.kind for integers, _ in apart}
    if kinds == {"int", "uint"}:
        apart = [(_as_unsigned(integers), missing) for integers, missing in apart]
    if not kinds <= set(_EXACT) or ("bool" in kinds and len(kinds) > 1):
        return None
    integers, missing = (Call("where", condition, *(side[part] for side in apart)) for part in (0, 1))
    if integers.dtype == FLOAT64:
        return None
    if all(isinstance(missing, Constant) and not missing.value for _, missing in apart):
        return integers
    return with_missing(integers, missing, next(filter(None, map(column_in_errors, sides)), ""))


def _as_unsigned(integers: Value) -> Value:
    """Return a natural number as an unsigned integer, other values unchanged."""
    if isinstance(integers, Constant) and integers.dtype.kind == "int" and integers.value >= 0:
        return Constant(np.uint64(integers.value))
    return integers


def _inverted(operation: str, args: Sequence[Value], params: Mapping[str, Any]) -> Value | None:
    if args[0].dtype != NULLABLE_BOOL:
        return _computed(operation, args, params)
    bools, missing = apart(args[0])
    return with_missing(Call("logical_not", bools), missing, column_in_errors(args[0]))


def _joined(operation: str, args: Sequence[Value], params: Mapping[str, Any]) -> Value | None:
    """Return `and` or `or` of bools in three-valued logic: missing unless the other side decides."""
    (one, one_missing), (other, other_missing) = map(integers_and_missing, args)
    if one.dtype != BOOL or other.dtype != BOOL:
        return _computed(operation, args, params)
    decides: Callable[[Value], Value] = (lambda side: side) if operation.endswith("or") else negated
    found = Call("logical_or" if operation.endswith("or") else "logical_and", one, other)
    decided = Call(
        "logical_or",
        Call("logical_and", decides(one), negated(one_missing)),
        Call("logical_and", decides(other), negated(other_missing)),
    )
    missing = Call("logical_and", Call("logical_or", one_missing, other_missing), negated(decided))
    if operation.endswith("or"):
        found = decided
    return with_missing(found, missing, next(filter(None, map(column_in_errors, args)), ""))


def _computed(operation: str, args: Sequence[Value], params: Mapping[str, Any]) -> Value | None:
    """Return arithmetic of integers, missing where one of them is; bools alone and floats are computed as floats."""
    if all(arg.dtype.kind == "bool" for arg in args) and not operation.endswith("xor"):
        return None
    found = Call(operation, *[(parts(arg) or (arg,))[0] for arg in args], **params)
    if found.dtype == FLOAT64:
        return None
    return with_missing(found, _missing_in(args), next(filter(None, map(column_in_errors, args)), ""))


def _raised(operation: str, args: Sequence[Value], params: Mapping[str, Any]) -> Value | None:
    """Return powers of integers; 1 to any power and any base to the power of 0 are 1, of missing ones, too."""
    (base, no_base), (exponent, no_exponent) = map(integers_and_missing, args)
    found = Call(operation, base, Call("where", no_exponent, Constant(exponent.dtype.numpy.type(1)), exponent))
    if found.dtype.kind not in ("int", "uint"):
        return None
    lacks_base = Call("logical_and", no_base, Call("not_equal", exponent, Constant(0)))
    lacks_exponent = Call("logical_and", no_exponent, Call("not_equal", base, Constant(1)))
    lacks = Call(
        "logical_or", Call("logical_or", lacks_base, lacks_exponent), Call("logical_and", no_base, no_exponent)
    )
    return with_missing(found, lacks, next(filter(None, map(column_in_errors, args)), ""))


def _converted(operation: str, args: Sequence[Value], params: Mapping[str, Any]) -> Value | None:
    """Convert integers to another type; missing ones stay missing in text, are True in bools, and raise in integers."""
    (integers, missing), wanted = integers_and_missing(args[0]), column_type(params["dtype"])
    made = Call(operation, integers, **params)
    if wanted.kind == "str":
        return Call("make_missing", made, missing)
    if wanted == BOOL:
        return Call("logical_or", made, missing)
    if wanted.kind not in ("int", "uint", "bigint") or params.get("errors", "strict") != "strict":
        return None
    return Call(operation, Call("demand_integers", integers, missing, wanted=wanted.name), **params)


def negated(value: Value) -> Value:
    """Return the mask where bools are False; the negation of a negation is its argument."""
    return value.args[0] if getattr(value, "operation", "") == "logical_not" else Call("logical_not", value)


_RULES: dict[str, Callable[[str, Sequence[Value], Mapping[str, Any]], Value | None]] = {
    **dict.fromkeys(("equal", "less", "less_equal", "greater", "greater_equal"), _compared),
    "not_equal": _different,
    **dict.fromkeys(("isnan", "isfinite"), _tested),
    **dict.fromkeys(("isinf", "signbit"), _compared),
    "where": _chosen,
    "cast": _converted,
    **dict.fromkeys(("add", "subtract", "multiply", "divide", "floor_divide", "remainder"), _computed),
    **dict.fromkeys(("minimum", "maximum", "clip", "fmod", "square", "sign"), _computed),
    **dict.fromkeys(("floor", "ceil", "trunc", "round", "negative", "positive", "absolute"), _computed),
    **dict.fromkeys(("popcount", "parity", "clz", "ctz", "rotl", "rotr"), _computed),
    **dict.fromkeys(("bitwise_xor", "logical_xor", "left_shift", "right_shift"), _computed),
    "power": _raised,
    **dict.fromkeys(("invert", "logical_not"), _inverted),
    **dict.fromkeys(("bitwise_and", "bitwise_or", "logical_and", "logical_or"), _joined),
}


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def call(operation: str, *args: Value, **params: Any) -> Value:
    """Return an operation on values whose text and integers may have missing rows; a plain `Call` if none may.

    As in pandas, tests of missing text are False, ``!=`` is True, and changed text stays missing.  Its length is 0, as
    no integer stands for a missing one. Operations without a rule raise when they meet missing text.
    """
    if params and any(type(param) is str and not _is_utf8(param) for param in params.values()):
        raise ArgumentError(
            f"{operation} takes text that UTF-8 can hold, without halves of surrogates.", hint="correct the text."
        )
    for arg in args:
        if arg.dtype.is_nullable_number:
            found = rule(operation, args, params)
            if found is not None:
                return found
            break
    if operation in _AWARE or NULLABLE_STR not in [arg.dtype for arg in args if arg.dtype.nullable]:
        return Call(operation, *args, **params)
    return _TEXT_RULES.get(operation, _demanded)(operation, args, params)


def is_missing_text(value: Value) -> Value:
    """Return the mask of missing text."""
    return Call("is_missing", value)


def is_present(value: Value) -> Value:
    """Return the mask of text that is not missing."""
    return Call("logical_not", is_missing_text(value))


def filled_text(value: Value, text: str = "") -> Value:
    """Fill missing text with other text."""
    return Call("fill_missing", value, Constant(text)) if value.dtype == NULLABLE_STR else value


def demanded(value: Value) -> Value:
    """Return text that must not be missing; computing it raises if some is."""
    return Call("demand_text", value) if value.dtype == NULLABLE_STR else value


def missing_text() -> Value:
    """Return one missing string."""
    return Call("make_missing", Constant(""), Constant(True))


def without_missing(value: Value) -> Value:
    """Return text of the type without missing values, after it has been filled; other values unchanged."""
    return Call("as_text", value) if value.dtype == NULLABLE_STR else value


Args = tuple[Value, ...]
Params = Mapping[str, Any]


def _nullable(args: Args) -> list[Value]:
    return [arg for arg in args if arg.dtype == NULLABLE_STR]


def _only_present(found: Value, args: Args) -> Value:
    return reduce(lambda test, arg: Call("logical_and", test, is_present(arg)), _nullable(args), found)


def _equal(operation: str, args: Args, params: Params) -> Value:
    """Return where text is equal; a sentinel equals only another sentinel."""
    found = Call("equal", *args)
    return _only_present(found, args[:1]) if len(_nullable(args)) == len(args) else found


def _not_equal(operation: str, args: Args, params: Params) -> Value:
    return Call("logical_not", _equal(operation, args, params))


def _tested_as_bytes(operation: str, args: Args, params: Params) -> Value:
    """Return a test that accepts any bytes."""
    return _only_present(Call(operation, *map(without_missing, args), **params), args)


def _tested_text(operation: str, args: Args, params: Params) -> Value:
    return _only_present(Call(operation, *map(filled_text, args), **params), args)


def _changed(operation: str, args: Args, params: Params) -> Value:
    missing = reduce(lambda one, other: Call("logical_or", one, other), map(is_missing_text, _nullable(args)))
    return Call("make_missing", Call(operation, *map(filled_text, args), **params), missing)


def _of_filled(operation: str, args: Args, params: Params) -> Value:
    return Call(operation, *map(filled_text, args), **params)


def _counted(operation: str, args: Args, params: Params) -> Value:
    """Count substrings; missing text has none, though an empty pattern may be found in empty text."""
    return Call("where", is_missing_text(args[0]), Constant(0), _of_filled(operation, args, params))


def _applied(operation: str, args: Args, params: Params) -> Value:
    """Apply a function to text, and leave missing text missing; functions with number results raise on it."""
    return (_changed if column_type(params["dtype"]) == STR else _demanded)(operation, args, params)


def _of_bytes(operation: str, args: Args, params: Params) -> Value:
    """Apply a function to any bytes; a missing row gives a result that no text gives."""
    return Call(operation, *map(without_missing, args), **params)


def _demanded(operation: str, args: Args, params: Params) -> Value:
    return Call(operation, *map(demanded, args), **params)


def _cast(operation: str, args: Args, params: Params) -> Value:
    """Cast text to another type; missing text becomes NaN, and an error for types without it."""
    wanted = column_type(params["dtype"])
    if wanted == STR:
        return args[0]
    if wanted == FLOAT64:
        return Call(
            "where", is_missing_text(args[0]), Constant(np.nan), Call(operation, filled_text(args[0], "nan"), **params)
        )
    return _of_filled(operation, args, params)


def _parse_time(operation: str, args: Args, params: Params) -> Value:
    return Call(operation, filled_text(args[0], "NaT"), **params)


_AWARE = ("where", "is_missing", "fill_missing", "make_missing")
"""Rules of operations that accept missing text."""

Rule = Callable[[str, Args, Params], Value]

_TEXT_RULES: dict[str, Rule] = {
    "equal": _equal,
    "not_equal": _not_equal,
    "cast": _cast,
    "parse_time": _parse_time,
    **dict.fromkeys(("less", "less_equal", "greater", "greater_equal"), _tested_as_bytes),
    **dict.fromkeys(("contains", "startswith", "endswith"), _tested_as_bytes),
    **dict.fromkeys(("islower", "isupper", "istitle", "isalnum", "isalpha", "isdigit"), _tested_text),
    **dict.fromkeys(("isdecimal", "isnumeric", "isspace", "isempty", "isin"), _tested_text),
    **dict.fromkeys(("lower", "upper", "title", "capitalize", "swapcase", "casefold"), _changed),
    **dict.fromkeys(("strip", "stick", "peel", "text_slice", "without_affix", "partition", "pad", "repeat"), _changed),
    **dict.fromkeys(("replace_matches", "replace_text", "extract", "transcode"), _changed),
    # The sentinel of missing text has one character, itself, or none.
    "text_get": lambda operation, args, params: Call(operation, *map(without_missing, args), **params),
    "text_hash": _of_bytes,
    **dict.fromkeys(("byte_length", "text_length", "text_find", "match_start", "match_text"), _of_filled),
    **dict.fromkeys(("match_count", "text_count", "count_matches"), _counted),
    "apply_function": _applied,
}
