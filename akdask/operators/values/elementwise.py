"""Operations on numbers, row by row: NumPy's, with Arkouda's rules where the two differ.

Types follow NumPy's own tables, which are Arkouda's as well (``mySafeCast`` and ``doBinOpvv`` in its BinOp.chpl): int64
with uint64 gives float64, ``/`` gives float64, bool with bool gives bool under ``+ * & | ^`` and uint8 under
``// % ** << >>``, and ``bool - bool`` is an error.

Values: integers wrap. An integer divided by zero is 0, and so is the remainder. An integer to a negative integer power
is an error. ``//`` and ``%`` round down as in NumPy. Arkouda's ``%`` of negative int64, its ``>>`` of negative int64 by
64 or more, and its negation of bool differ from NumPy. Its developers treat these as bugs (issues 5259, 5115 and 5119),
so akdask follows NumPy.

Comparisons, choice by a condition and functions of users are operations on strings as well.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from akdask.caches import cached_results
from akdask.columns import exact, loops
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT8, UINT64, ColumnType, column_type
from akdask.columns.table import is_scalar, spread, to_objects
from akdask.deferred import pa
from akdask.engine.operations import Kernel, Operation, Rule, by_numpy, numbers_to, promote, scalar_type, wide_integers
from akdask.errors import ArgumentError, ConversionError
from akdask.typing import Column, NumberArray

SYMBOLS: dict[np.ufunc, str] = {
    np.add: "+",
    np.subtract: "-",
    np.multiply: "*",
    np.true_divide: "/",
    np.floor_divide: "//",
    np.remainder: "%",
    np.power: "**",
    np.bitwise_and: "&",
    np.bitwise_or: "|",
    np.bitwise_xor: "^",
    np.left_shift: "<<",
    np.right_shift: ">>",
    np.negative: "-",
    np.positive: "+",
    np.invert: "~",
}

TYPED_BY_NUMPY: tuple[np.ufunc, ...] = (
    *(np.add, np.subtract, np.multiply, np.fmod, np.floor_divide, np.remainder),
    *(np.negative, np.positive, np.absolute, np.sign, np.square, np.invert),
)
"""Types of results that depend on the arguments' types."""

ROUNDING: tuple[np.ufunc, ...] = (np.floor, np.ceil, np.trunc)

GIVING_BOOL: tuple[np.ufunc, ...] = (
    *(np.logical_and, np.logical_or, np.logical_xor, np.logical_not),
    *(np.isnan, np.isinf, np.isfinite, np.signbit),
)

GIVING_FLOAT: tuple[np.ufunc, ...] = (
    *(np.true_divide, np.arctan2, np.hypot, np.nextafter, np.copysign, np.logaddexp),
    *(np.sqrt, np.cbrt, np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p, np.fabs, np.rint),
    *(np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan),
    *(np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh, np.arctanh),
    *(np.deg2rad, np.rad2deg),
)
"""Type rule with float64 for all numbers; NumPy would compute bool and uint8 in 16 bits."""

AS_UINT8: tuple[np.ufunc, ...] = (np.fmod, np.floor_divide, np.remainder, np.square, np.left_shift, np.right_shift)
"""Functions that NumPy computes in int8 for bool."""

BITWISE: tuple[np.ufunc, ...] = (np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.left_shift, np.right_shift)


def _plain(ufunc: np.ufunc) -> Kernel:
    """Return the ufunc itself, with bool taken as uint8 if NumPy would give int8."""
    if ufunc not in AS_UINT8:
        return ufunc
    return lambda *args, out: ufunc(*_bool_as_uint8(args), out=out)


def _bool_as_uint8(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(arg.view(np.uint8) for arg in args) if all(arg.dtype == np.bool_ for arg in args) else args


def _in_float64(ufunc: np.ufunc) -> Kernel:
    # Functions whose results are floats, of integers too.
    return lambda *args, out: ufunc(*args, out=out, dtype=np.float64)


def _power(base: Any, exponent: Any, out: Any = None) -> Any:
    base, exponent = _bool_as_uint8((base, exponent))
    try:
        return np.power(base, exponent, out=out)
    except ValueError as error:
        raise ArgumentError(
            "an integer to the power of a negative integer is no integer.",
            details=[f"smallest exponent: {np.min(exponent)}"],
            hint="make one of the two float64, for example base.astype(float) ** exponent.",
        ) from error


def _bitwise_rule(ufunc: np.ufunc) -> Rule:
    """Take the type of the left argument for int64 with uint64, as Arkouda's shifts do; NumPy refuses them."""
    by_table = by_numpy(ufunc)
    return lambda *types: wide_integers(*types) or by_table(*types)


def _bitwise(ufunc: np.ufunc) -> Kernel:
    def kernel(left: Any, right: Any, out: Any = None) -> Any:
        if {left.dtype, right.dtype} == {INT64.numpy, UINT64.numpy}:
            right = right.view(left.dtype)
        elif ufunc in AS_UINT8:
            left, right = _bool_as_uint8((left, right))
        return ufunc(left, right, out=out)

    return kernel


EXTREMES: tuple[np.ufunc, ...] = (np.minimum, np.maximum)
"""Kinds of arguments that must keep their integers exact."""


def _extreme(ufunc: np.ufunc) -> Kernel:
    return lambda left, right, out=None: exact.extreme(ufunc, left, right, out)


def _clip(values: Any, low: Any, high: Any, out: Any = None) -> Any:
    if not any(exact.is_mixed(*pair) for pair in ((values, low), (values, high), (low, high))):
        return np.clip(values, low, high, out=out)
    # The limit that applies is known before any integer becomes a float.
    is_nan = np.isnan(values) | np.isnan(low) | np.isnan(high)
    upper = ~is_nan & (exact.compare(np.greater, values, high) | exact.compare(np.greater, low, high))
    lower = ~is_nan & ~upper & exact.compare(np.less, values, low)
    inside = ~(is_nan | upper | lower)
    choices = [exact.as_floats(side, wanted) for side, wanted in ((high, upper), (low, lower), (values, inside))]
    found = np.select([upper, lower, inside], choices, np.nan)[()]
    if out is None:
        return found
    out[...] = found
    return out


def _exact_floats(values: Any, out: Any = None) -> Any:
    found = exact.as_floats(values)
    return found if out is None else np.positive(found, out=out)


def _difference(values: Any, earlier: Any, out: Any = None) -> Any:
    """Return differences of integers as floats, each rounded once."""
    is_less = values < earlier
    span = np.where(is_less, earlier - values, values - earlier).view(np.uint64).astype(np.float64)
    return np.multiply(span, np.where(is_less, -1.0, 1.0), out=out)


def _round(values: Any, out: Any = None, decimals: int = 0) -> Any:
    if values.dtype.kind == "f":
        return np.round(values, decimals, out=out)
    rounded = _round_to_tens(values, -decimals) if values.dtype.kind in "iu" and decimals < 0 else values
    return np.positive(rounded, out=out) if rounded.dtype != np.bool_ else np.add(rounded, 0.0, out=out)


def _round_to_tens(values: Any, zeros: int) -> Any:
    """Round integers to a power of ten, halves to even; NumPy would divide them as floats."""
    if zeros > 18:
        if zeros == 19 and np.any(exact.compare(np.greater, np.abs(values), np.uint64(5 * 10**18))):
            raise ArgumentError("integers of 64 bits are rounded to 18 places at most.", hint="make them bigint.")
        return np.zeros_like(values)
    unit = values.dtype.type(10**zeros) if values.dtype.itemsize == 8 else 10**zeros
    wide = values if values.dtype.itemsize == 8 else values.astype(np.int64)
    tens, rest = np.divmod(wide, unit)
    half = unit // 2
    up = (rest > half) | ((rest == half) & (tens % 2 == 1))
    return ((tens + up) * unit).astype(values.dtype)


def _round_type(values: ColumnType, decimals: int = 0) -> ColumnType | None:
    """Give the type of rounded numbers; NumPy would round bool to 16 bits."""
    return None if not values.is_number else FLOAT64 if values == BOOL else values


def _integers_only(*types: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if all(t.kind == "int" for t in types) else None


def _as_it_is(values: ColumnType, **_: Any) -> ColumnType | None:
    return values if values.is_number else None


def _xlogy(x: Any, y: Any, out: Any = None) -> Any:
    """Compute ``x * log(y)``, but 0 where x is 0 and y is not NaN, as in SciPy."""
    logarithm = np.log(np.where((x == 0) & ~np.isnan(y), 1, y), dtype=np.float64)
    return np.multiply(x, logarithm, out=out, dtype=np.float64)


def _range_length(start: Any, end: Any, out: Any = None, *, stride: int) -> Any:
    """Return the number of steps of `stride` between two numbers, as `range` has them; the first is not larger."""
    above = np.atleast_1d(start > end)
    if above.any():
        where = int(above.argmax())
        first, last = np.broadcast_arrays(np.atleast_1d(start), np.atleast_1d(end))
        raise ArgumentError(
            f"a range from {first[where]} to {last[where]} ends before it starts.",
            hint="leave such ranges out, with a mask.",
        )
    return np.floor_divide(end - start + (stride - 1), stride, out=out)


def _within(values: Any, out: Any = None, *, low: int, high: int) -> Any:
    """Return numbers, all of which must be from `low` to `high`.

    Raises
    ------
    ArgumentError
        If one is outside.
    """
    if np.size(values) and (np.min(values) < low or np.max(values) > high):
        outside = np.min(values) if np.min(values) < low else np.max(values)
        raise ArgumentError(f"{outside} is not from {low} to {high}, as all of the numbers are to be.")
    return np.positive(values, out=out)


def _inverse_position(rows: Any, values: Any, positions: Any, out: Any = None) -> Any:
    """Return the inverse of a permutation, given the rows and values in order of the values.

    Raises
    ------
    ArgumentError
        If the values are not all positions, each once.
    """
    wrong = np.atleast_1d(values != positions)
    if wrong.any():
        where = int(wrong.argmax())
        value, position = (np.broadcast_to(item, wrong.shape)[where] for item in (values, positions))
        raise ArgumentError(
            f"the array is not a permutation: in ascending order it has {value} at position {position}.",
            hint="ak.argsort(…) orders any array.",
        )
    return np.positive(rows, out=out)


def _integers_as_they_are(ufunc: np.ufunc) -> Kernel:
    """Keep integers and bools unchanged; NumPy before 2.1 would make floats of them."""

    def kernel(values: Any, out: Any = None) -> Any:
        match values.dtype.kind:
            case "b":
                return np.logical_or(values, False, out=out)
            case "i" | "u":
                return np.positive(values, out=out)
        return ufunc(values, out=out)

    return kernel


def _of_ufuncs(
    ufuncs: Iterable[np.ufunc], rule: Callable[[np.ufunc], Rule], kernel: Callable[[np.ufunc], Kernel]
) -> dict[np.ufunc, Operation]:
    return {f: Operation(f.__name__, f.nin, rule(f), kernel(f), SYMBOLS.get(f), in_place=True) for f in ufuncs}


_OF_NUMBERS: dict[np.ufunc, Operation] = {
    **_of_ufuncs(TYPED_BY_NUMPY, by_numpy, _plain),
    **_of_ufuncs(GIVING_BOOL, lambda _: numbers_to(BOOL), lambda f: f),
    **_of_ufuncs(GIVING_FLOAT, lambda _: numbers_to(FLOAT64), _in_float64),
    **_of_ufuncs(ROUNDING, lambda _: _as_it_is, _integers_as_they_are),
    **_of_ufuncs(BITWISE, _bitwise_rule, _bitwise),
    **_of_ufuncs([np.power], by_numpy, lambda _: _power),
    **_of_ufuncs(EXTREMES, by_numpy, _extreme),
}

OTHERS = (
    Operation("clip", 3, promote, _clip),
    Operation("round", 1, _round_type, _round),
    Operation("within", 1, lambda values, **_: values if values.kind in ("int", "uint", "float") else None, _within),
    Operation("exact_floats", 1, numbers_to(FLOAT64), _exact_floats),
    Operation("difference", 2, lambda one, other: FLOAT64 if one == other else None, _difference),
    Operation("key_word", 1, numbers_to(UINT64), exact.key_word),
    Operation("key_kind", 1, numbers_to(UINT8), exact.key_kind),
    Operation("key_text", 1, lambda values, **_: STR if values == FLOAT64 else None, exact.key_text),
    Operation("xlogy", 2, numbers_to(FLOAT64), _xlogy),
    Operation("inverse_position", 3, _integers_only, _inverse_position),
    Operation("range_length", 2, _integers_only, _range_length),
)

NUMBER_OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in (*_OF_NUMBERS.values(), *OTHERS)}


COMPARISONS: dict[np.ufunc, str] = {
    np.equal: "==",
    np.not_equal: "!=",
    np.less: "<",
    np.less_equal: "<=",
    np.greater: ">",
    np.greater_equal: ">=",
}
"""Numbers compare exactly: int64 with uint64 as in NumPy 2, integers with floats as in Python. Arkouda and NumPy round
integers to float64 first."""


def _comparison(ufunc: np.ufunc) -> Kernel:
    def kernel(left: Any, right: Any, out: Any = None) -> Any:
        if isinstance(left, (np.ndarray, np.generic)):
            return exact.compare(ufunc, left, right, out=out)
        from akdask.operators.text.strings import compare_strings

        return compare_strings(ufunc.__name__)(left, right, out=out)

    return kernel


def _comparable(left: ColumnType, right: ColumnType) -> ColumnType | None:
    return BOOL if left == right == STR or (left.is_number and right.is_number) else None


def _equatable(left: ColumnType, right: ColumnType) -> ColumnType | None:
    """Compare text for equality; missing text has no order, but differs from all other text."""
    return BOOL if left.kind == right.kind == "str" else _comparable(left, right)


def _where(condition: Any, x: Any, y: Any, out: Any = None) -> Any:
    """Choose without a branch: ``y + (x - y) * condition`` on the bits, modulo 2**64.

    On random conditions this is several times faster than `np.where` and `np.copyto`. It works on the bits of floats,
    and so is exact for them too.

    Raises
    ------
    ConversionError
        If both sides become floats, and a chosen integer equals no float.
    """
    if not isinstance(x, (np.ndarray, np.generic)):
        from akdask.operators.text.strings import where_strings

        return where_strings(condition, x, y)
    dtype = np.result_type(x, y)
    if exact.is_mixed(x, y):
        x, y = exact.as_floats(x, condition), exact.as_floats(y, np.logical_not(condition))
    bits = np.dtype(f"u{dtype.itemsize}")
    x, y = (side.astype(dtype, copy=False).view(bits) for side in (x, y))
    place = None if out is None else out.view(bits)
    scaled = np.multiply(np.subtract(x, y, out=place), condition.view(np.uint8), out=place, dtype=bits)
    chosen = np.add(scaled, y, out=place)
    return chosen.view(dtype) if out is None else out


def _put_range(old: Any, positions: Any, item: Any, out: Any, *, start: int, stop: int, step: int) -> Any:
    """Return the rows with an item at the positions of a range; those of most blocks are successive."""
    first = int(positions[0]) if len(positions) else start
    if loops.are_successive(np.ascontiguousarray(positions)):
        # Some rows of the block are in the range; they begin at the first one or in phase with it.
        begin = start - first if start >= first else (start - first) % step
        end = max(min(stop - first, len(positions)), begin)
        if end - begin < len(positions) or step > 1:
            np.copyto(out, old)
        out[begin:end:step] = item
    else:
        inside = (positions >= start) & (positions < stop)
        if step > 1:
            inside &= (positions - start) % step == 0
        _where(inside, item, old, out)
    return out


def _range_type(old: ColumnType, positions: ColumnType, item: ColumnType, **_params: int) -> ColumnType | None:
    return old if old == item and old.is_number and positions == INT64 else None


def _where_type(condition: ColumnType, x: ColumnType, y: ColumnType) -> ColumnType | None:
    if condition != BOOL:
        return None
    return STR if x == y == STR else promote(x, y)


_OF_NUMBERS_AND_STRINGS: dict[np.ufunc, Operation] = {
    ufunc: Operation(
        ufunc.__name__,
        2,
        _equatable if ufunc is np.equal else _comparable,
        _comparison(ufunc),
        symbol,
        of_distinct=True,
    )
    for ufunc, symbol in COMPARISONS.items()
}


@cached_results("functions of users", 64)
def _user_function(pickled: bytes) -> Callable[[Any], Any]:
    function: Callable[[Any], Any] = pickle.loads(pickled)
    return function


def _applied(values: Any, out: Any = None, *, pickled: bytes, dtype: str) -> Any:
    function, wanted = _user_function(pickled), column_type(dtype)
    if is_scalar(values):
        item = values.item() if isinstance(values, np.generic) else values
        return _applied(spread(item, scalar_type(item), 1), pickled=pickled, dtype=dtype)[0]
    items = values.tolist() if isinstance(values, np.ndarray) else to_objects(values)
    made = _column_of_results([function(item) for item in items], wanted)
    if out is None or not wanted.is_number:
        return made
    out[...] = made
    return out


def _column_of_results(results: Sequence[Any], wanted: ColumnType) -> Column:
    """Return results as a column, each of the wanted type."""
    number = exact.first_changed(np.array([*results, None], object)) if wanted.kind == "float" else None
    if number is not None:
        raise ConversionError(
            f"the integer {number} that the applied function returns is no {wanted}.",
            hint="let it return float(…) for the nearest float, or name the type of its results: 'int64', 'bigint'.",
        )
    try:
        if wanted.kind == "str":
            return pa.array(results, pa.large_string())
        if wanted.kind == "bigint":
            return from_ints([int(item) for item in results])
        are_integers = wanted.kind in ("int", "uint") and all(isinstance(item, int | np.integer) for item in results)
        # NumPy makes floats of integers from 2**63 on beside others.
        found = np.array(results, wanted.numpy if are_integers else None)
        if found.ndim == 1 and _fits_type(found, wanted):
            return found.astype(wanted.numpy, copy=False)
        kinds = f"{found.dtype} of shape {found.shape}"
    except (TypeError, ValueError, OverflowError, pa.ArrowInvalid, pa.ArrowTypeError) as error:
        kinds = str(error)
    raise ArgumentError(
        f"the function that is applied returns what is no {wanted}.",
        details=[kinds],
        hint="name the type of its results: ak.apply(a, function, 'float64').",
    )


def _fits_type(found: NumberArray, wanted: ColumnType) -> bool:
    """Whether the conversion of results loses nothing but digits of floats."""
    if found.dtype.kind in "iu" and wanted.kind in ("int", "uint"):
        return bool((found.astype(wanted.numpy) == found).all())
    return np.can_cast(found.dtype, wanted.numpy, "same_kind")


def _applied_type(values: ColumnType, *, pickled: bytes, dtype: str) -> ColumnType | None:
    return column_type(dtype) if values.kind != "list" else None


GENERIC_OPERATIONS: dict[str, Operation] = {
    **{operation.name: operation for operation in _OF_NUMBERS_AND_STRINGS.values()},
    "where": Operation("where", 3, _where_type, _where),
    "put_range": Operation("put_range", 3, _range_type, _put_range),
    "apply_function": Operation("apply_function", 1, _applied_type, _applied),
}

UFUNCS: dict[np.ufunc, str] = {ufunc: op.name for ufunc, op in {**_OF_NUMBERS, **_OF_NUMBERS_AND_STRINGS}.items()}
"""NumPy's functions that have their own operation."""
