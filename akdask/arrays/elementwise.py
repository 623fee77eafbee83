"""Operators, element-wise functions such as `where` and `cast`, and assignment to rows; they compute nothing."""

from __future__ import annotations

from enum import Enum
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from akdask.arrays import row_selection as row_tools
from akdask.arrays.array import Array, at_hand, class_asked_for, computed, special, unlabelled, wrap
from akdask.arrays.scalar import Scalar
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR, STR, UINT64, ColumnType, column_type, unlimited
from akdask.columns.exact import COMPARISONS, are_floats, comparable_with
from akdask.deferred import is_na, is_pandas
from akdask.engine.alignment import Realign, align
from akdask.engine.missing import call, filled, lacks_numbers, missing_text
from akdask.engine.node import Frame
from akdask.engine.operations import OPERATIONS
from akdask.engine.rowwise import Filter, Project, Slice, column_identity
from akdask.engine.run import resolve_lengths
from akdask.engine.sources import Literal, Rows, as_column, literal, refuses_foreign
from akdask.engine.values import Call, Constant, Value, apart, widened, with_missing
from akdask.engine.values import cast as cast_value
from akdask.error_state import check_divisor
from akdask.errors import (
    AlignmentError,
    ArgumentError,
    ArgumentTypeError,
    CallError,
    ZeroDivisorError,
    errors_end_at_caller,
)
from akdask.operators.values.elementwise import UFUNCS

Operand = tuple[Frame | None, Value]

DIVISIONS = frozenset({"divide", "floor_divide"})

REDUCED = {
    np.add: "sum",
    np.multiply: "prod",
    np.maximum: "max",
    np.minimum: "min",
    np.logical_and: "all",
    np.logical_or: "any",
}
"""Reductions whose steps are ufuncs: ``np.add.reduce(a)`` is ``a.sum()``."""


@refuses_foreign()
def operand(item: Any, like: Value | None = None) -> Operand:
    """Return the frame and value of an operand of an expression; scalars have no frame.

    Raises
    ------
    ArgumentTypeError
        If it is neither a lazy array, a scalar nor convertible to a column.
    """
    if isinstance(item, Array):
        return item._as_operand()
    if isinstance(item, Scalar):
        return None, item.as_value()
    if isinstance(item, np.ndarray) and item.ndim == 0:
        item = item[()]
    if (item is None or is_na(item)) and like is not None and like.dtype.kind == "str":
        return None, missing_text()
    if isinstance(item, str):
        item.encode()  # text that UTF-8 cannot hold is refused here, not where rows are computed
    if isinstance(item, bool | int | float | str | np.generic):
        return None, Constant(item, like.dtype if like is not None else None)
    if isinstance(item, np.ndarray | list | tuple):
        return literal(as_column(item))
    hint = "make it an array with ak.array(…)."
    if isinstance(item, complex):
        hint = "no array holds complex numbers; keep real and imaginary parts in two arrays."
    raise ArgumentTypeError(f"cannot compute with {type(item).__name__}.", hint=hint)


def combine(operation: str, items: list[Any], **params: Any) -> tuple[Frame, Value]:
    """Return the frame and value of an operation on lazy arrays and scalars.

    Raises
    ------
    AlignmentError
        If arrays among them do not share rows.
    """
    frame, values = on_common_rows(operation, items)
    if operation in COMPARISONS:
        values = _compared(operation, *values)
    return frame, call(operation, *values, **params)


def _compared(operation: str, left: Value, right: Value) -> list[Value]:
    """Return the two sides of a comparison, a plain number in the other's type if no value lies between the two.

    Compiled loops and bounds of files compare numbers of one type; other comparisons are exact, but take longer.
    """
    if isinstance(right, Constant):
        return [left, _constant_beside(operation, right, left)]
    if isinstance(left, Constant):
        return [_constant_beside(COMPARISONS[operation], left, right), right]
    return [left, right]


def _constant_beside(operation: str, constant: Constant, other: Value) -> Constant:
    kind, beside = constant.dtype.kind, other.dtype.name
    if kind == "float" and beside in ("int64", "uint64"):
        comparable = comparable_with(operation, float(constant.value), other.dtype.kind)
        return constant if comparable is None else Constant(other.dtype.numpy.type(comparable))
    if kind in ("int", "uint") and beside == "float64" and are_floats(constant.value):
        return Constant(float(constant.value))
    return constant


def on_common_rows(operation: str, items: list[Any]) -> tuple[Frame, list[Value]]:
    """Return a common frame of lazy arrays and scalars, and their values in it.

    Raises
    ------
    AlignmentError
        If arrays among them do not share rows.
    """
    items = [unlabelled(item) for item in items]
    arrays = [item._value for item in items if isinstance(item, Array)]
    # Scalars take the type of their neighbour, which is not the condition of `where`.
    numbers = next((value for value in arrays if value.dtype.kind != "bool"), next(iter(arrays), None))
    like = arrays[-1] if arrays and arrays[-1].dtype.kind == "str" else numbers
    operands = [operand(item, like) for item in items]
    framed = [(frame, value) for frame, value in operands if frame is not None]
    try:
        frame, aligned = align(operation, framed)
    except AlignmentError:
        if not _has_single_rows(framed):
            raise
        # An array of one element applies to all rows, as in NumPy.
        return on_common_rows(operation, [_spread(item, framed) for item in items])
    remaining = iter(aligned)
    return frame, [next(remaining) if own is not None else value for own, value in operands]


def _has_single_rows(framed: list[tuple[Frame, Value]]) -> bool:
    sizes = {frame.rows.size for frame, _ in framed}
    # One list or one text does not apply to all rows: Arkouda refuses Strings of other sizes.
    are_numbers = all(value.dtype.kind not in ("list", "str") for _, value in framed)
    return sizes > {1} and len(sizes) == 2 and None not in sizes and are_numbers


def _spread(item: Any, framed: list[tuple[Frame, Value]]) -> Any:
    """Return an array of one element repeated to the length of the others."""
    given = item if isinstance(item, Array | np.ndarray | list | tuple) else None
    if given is None or np.ndim(given) == 0 or len(given) != 1:
        return item
    sizes: set[Any] = {frame.rows.size for frame, _ in framed} - {1}
    from akdask.arrays.ndarray import spread

    return spread(item if isinstance(item, Array) else wrap(*literal(as_column(item))), tuple(sizes))


def categories_of(dtype: Any, made: Any) -> Any:
    """Return a Categorical with the categories of the wanted pandas type, if that has some."""
    return made._of_dtype(dtype) if is_pandas(dtype, "CategoricalDtype") else made


@errors_end_at_caller
class ElementwiseArray(NDArrayOperatorsMixin, Array):
    """An array for Python's operators and NumPy's ufuncs; NumPy's mixin maps each operator to its ufunc."""

    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    def _operate(self, operation: str, *items: Any, **params: Any) -> Any:
        if any(isinstance(item, np.ndarray) and item.ndim > 1 for item in items):
            from akdask.arrays.ndarray import operated

            return operated(operation, *items, **params)
        return wrap(*combine(operation, list(items), **params))

    def astype(self, dtype: Any) -> Any:
        """Return the elements converted to another type, or to `Strings` or `Categorical`; lazy.

        Raises
        ------
        ArgumentTypeError
            If no column can hold the type.

        Examples
        --------
        >>> ak.array([3, 1]).astype(str).tolist()
        ['3', '1']
        """
        asked_for = class_asked_for(dtype)
        if asked_for is not None:
            return categories_of(dtype, asked_for._cast_from(self))
        wanted = column_type(dtype)
        if wanted == unlimited(self._value.dtype):
            return self.copy()
        made = self._operate("cast", self, dtype=wanted.name)
        if self._value.dtype != STR or type(self._frame) is not Literal:
            return made
        # Text in memory is read now, so that text that is no number is an error of this call.
        return wrap(*computed(made._frame, made._value))

    def __eq__(self, other: object) -> Any:
        """Return where elements are equal, row by row; False for None, as Arkouda does."""
        return False if other is None else super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        """Return where elements differ, row by row; True for None."""
        return True if other is None else super().__ne__(other)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Build the value of a ufunc on arrays and scalars; in-place operators pass ``out=``."""
        operation = UFUNCS.get(ufunc)
        if ufunc.signature is not None and method == "__call__" and not kwargs:
            # Among ufuncs of whole dimensions, `matmul` implements an operator.
            if ufunc.__name__ not in ("matmul", "vecdot"):
                return NotImplemented
            from akdask.arrays import matrices

            return getattr(matrices, ufunc.__name__)(*inputs)
        if method == "reduce" and ufunc in REDUCED and kwargs in ({}, {"axis": 0}, {"axis": None}):
            return getattr(self, REDUCED[ufunc])()
        out = kwargs.pop("out", None)
        if method != "__call__" or kwargs or operation is None:
            return NotImplemented
        if any(
            isinstance(item, Array) and getattr(item, "__array_priority__", 0) > self.__array_priority__
            for item in inputs
        ):
            # NumPy asks the other array next.
            return NotImplemented
        if operation in DIVISIONS:
            check_divisor(inputs[1])
        if operation in OF_BITS:
            check_signs(operation, inputs)
        if out is None:
            return self._operate(operation, *inputs)
        (target,) = out
        if isinstance(target, Array) and target._value.dtype.kind == "bigint":
            # The limit of bits of the array that changes holds for the result, whatever limit others have.
            inputs = tuple(item if item is target else _without_limit(item) for item in inputs)
        result = self._operate(operation, *inputs)
        return target._become(result, operation) if isinstance(target, ElementwiseArray) else NotImplemented

    def _become(self, changed: Any, operation: str) -> Any:
        """Take on a new expression of the same type; arrays derived from this one before keep the old one."""
        sizes = {self.rows.size, changed.rows.size} - {None}
        if changed.ndim != self.ndim or len(sizes) > 1:
            raise AlignmentError(
                f"{operation} in place needs arrays of one shape.", details=[f"shapes: {self.shape}, {changed.shape}"]
            )
        becomes_floats = self._value.dtype.is_nullable_number and changed._value.dtype == FLOAT64
        if changed._value.dtype.plain != self._value.dtype.plain and not becomes_floats:
            raise CallError(
                f"{operation} in place would change the type from {self._value.dtype} to {changed._value.dtype}.",
                hint="write a = a + b instead of a += b.",
            )
        self._frame, self._value = changed._frame, changed._value
        return self


OF_BITS = frozenset(("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift"))


def check_signs(operation: str, inputs: Any) -> None:
    """Refuse the bits of int64 and of uint64 together, as Arkouda and NumPy do: no type of integers holds both."""
    arrays = [item for item in inputs if isinstance(item, ElementwiseArray)]
    # Arrays such as addresses or bits take integers of both signs as their own.
    are_numbers = not any(hasattr(type(item), "_operand") for item in arrays)
    if are_numbers and {item._value.dtype.plain for item in arrays} == {INT64, UINT64}:
        raise ArgumentTypeError(
            f"{operation} does not take arrays of int64 and uint64 together.", hint="cast one to the type of the other."
        )


def _without_limit(item: Any) -> Any:
    """Return an array of integers of any size without its limit of bits, and other items as they are."""
    is_bigint = isinstance(item, ElementwiseArray) and item._value.dtype.kind == "bigint"
    return item._like(item._frame, cast_value(item._value, unlimited(item._value.dtype))) if is_bigint else item


PLAIN = int | float | np.number | np.bool_ | Scalar
"""What stands for one number."""


def elementwise(operation: str, *items: Any, **params: Any) -> Any:
    """Return the lazy result of an operation on arrays and scalars, at least one of which is an array."""
    arrays = [item for item in items if isinstance(item, ElementwiseArray)]
    if arrays:
        # Arrays with their own rules, such as times or shapes, take precedence over plain numbers, as in NumPy.
        owner = max(arrays, key=lambda array: array.__array_priority__)
        return owner._operate(operation, *items, **params)
    if not any(isinstance(item, Array) for item in items):
        kinds = ", ".join(type(item).__name__ for item in items)
        raise ArgumentTypeError(f"{operation} needs a lazy array, got {kinds}.", hint="make one with ak.array(…).")
    return wrap(*combine(operation, list(items), **params))


class ErrorMode(Enum):
    """How a cast treats text that is no number."""

    strict = "strict"
    ignore = "ignore"
    return_validity = "return_validity"


def cast(pda: Array, dt: Any, errors: ErrorMode | str = ErrorMode.strict) -> Any:
    """Return the elements converted to another type; lazy.

    Parameters
    ----------
    pda : pdarray, Strings or Categorical
        The elements to convert.
    dt : dtype-like
        The type wanted, by name, NumPy dtype or Python type; ``str`` and `Strings` give `Strings`, and `Categorical`,
        of Strings, a `Categorical`.  A Categorical becomes Strings only.
    errors : ErrorMode, or its name
        ``strict``: text that is not a number is an error, at once if it is in memory, and else at compute.
        ``ignore``: it gives NaN, the smallest int, 0 or False.  ``return_validity``: the same, and for Strings also an
        array that is True where text is a number.

    Returns
    -------
    array, or (array, pdarray of bool)
        With the rows of `pda`.

    Raises
    ------
    ArgumentTypeError
        If no column can hold the type, or `pda` is no lazy array.
    ArgumentError
        If a Categorical is cast to something else than Strings, or `errors` is not a name of an `ErrorMode`.
    ConversionError
        If some text is no number.

    Examples
    --------
    >>> cast(ak.array([1.7, -2.2]), "int64").tolist()
    [1, -2]
    >>> numbers, valid = cast(ak.array(["1", "x"]), "float64", "return_validity")
    >>> numbers.tolist(), valid.tolist()
    ([1.0, nan], [True, False])
    """
    if not isinstance(pda, Array):
        raise ArgumentTypeError(f"cast needs a lazy array, got {type(pda).__name__}.", hint="use ak.array(…, dtype=…).")
    try:
        mode = ErrorMode(errors)
    except ValueError:
        raise ArgumentError(f"cast: errors={errors!r} is none of {', '.join(ErrorMode.__members__)}.") from None
    is_parsed = pda._value.dtype == STR and class_asked_for(dt) is None and column_type(dt) != STR
    if pda.ndim > 1 and class_asked_for(dt) is None and column_type(dt) == STR:
        raise ArgumentError(f"text has one dimension, and not {pda.ndim}.", hint="pda.flatten() has one.")
    if mode == ErrorMode.strict or not is_parsed:
        return pda.astype(dt)
    name = column_type(dt).name
    numbers = elementwise("cast", pda, dtype=name, errors="ignore")
    return numbers if mode == ErrorMode.ignore else (numbers, elementwise("is_number", pda, dtype=name))


def where(condition: Any, x: Any, y: Any) -> Any:
    """Return elements of `x` where a condition holds and of `y` elsewhere; lazy.

    Parameters
    ----------
    condition : pdarray of bool
        The choice, row by row; a single bool chooses for all rows.
    x, y : pdarray, Strings, Categorical or scalar
        The elements to choose from; numbers meet in their common type.  Categoricals, or one and a str, give
        a Categorical.

    Raises
    ------
    ArgumentTypeError
        If one of them is a list or an array that is not lazy.

    Examples
    --------
    >>> a = ak.arange(4)
    >>> where(a > 1, a, -1).tolist()
    [-1, -1, 2, 3]
    """
    for item in (condition, x, y):
        if isinstance(item, list | tuple) or (isinstance(item, np.ndarray) and item.ndim):
            raise ArgumentTypeError(
                f"where takes lazy arrays and scalars, not a {type(item).__name__}.",
                hint="make it an array with ak.array(…).",
            )
    if not any(isinstance(item, Array) for item in (condition, x, y)):
        if not isinstance(condition, bool | np.bool_):
            raise ArgumentTypeError(
                f"where takes a lazy condition, or a bool for all rows, not a {type(condition).__name__}.",
                hint="make it an array with ak.array(…).",
            )
        return x if condition else y
    labelled = next((item for item in (x, y) if hasattr(item, "_chosen")), None)
    if labelled is not None and all(isinstance(item, type(labelled) | str) for item in (x, y)):
        return labelled._chosen(condition, x, y)
    if labelled is not None and any(type(item).__name__ == "Strings" for item in (x, y)):
        raise ArgumentTypeError("where chooses between two Categoricals or two Strings.", hint="use to_strings().")
    if (
        isinstance(condition, bool | np.bool_)
        and all(isinstance(item, Array) for item in (x, y))
        and x.shape == y.shape
    ):
        return x if condition else y
    return elementwise("where", condition, x, y)


def clip(pda: Array, lo: Any, hi: Any) -> Any:
    """Return the elements bounded below by `lo` and above by `hi`; lazy.

    Parameters
    ----------
    pda : pdarray
        The elements; the result has the common type of elements and bounds.
    lo, hi : pdarray, scalar or None
        The bounds; None for no bound.  If `lo` is above `hi`, elements become `hi`.

    Raises
    ------
    ArgumentError
        If both are None.

    Examples
    --------
    >>> clip(ak.arange(5), 1, 3).tolist(), clip(ak.arange(5), None, 2).tolist()
    ([1, 1, 2, 3, 3], [0, 1, 2, 2, 2])
    """
    if lo is None and hi is None:
        raise ArgumentError("clip needs a bound.", hint="pass lo, hi or both.")
    if lo is None or hi is None:
        return elementwise("minimum", pda, hi) if lo is None else elementwise("maximum", pda, lo)
    return elementwise("clip", pda, lo, hi)


def round(pda: Array, decimals: int | None = None) -> Any:
    """Return floats rounded to a number of decimals, half to even; float64 of bools, integers as they are.  Lazy.

    Examples
    --------
    >>> ak.round(ak.array([1.25, 2.5, 3.5])).tolist(), ak.round(ak.array([1.26, 2.54]), 1).tolist()
    ([1.0, 2.0, 4.0], [1.3, 2.5])
    """
    if getattr(pda, "dtype", None) in (np.int64, np.uint64, np.uint8):
        return pda.copy()
    return rounded(pda, decimals)


def rounded(array: Array, decimals: int | None = None) -> Any:
    """Return the elements rounded as NumPy rounds them, integers too; lazy."""
    return elementwise("round", array, decimals=decimals or 0)


def divmod(x: Any, y: Any, where: Any = True) -> tuple[Any, Any]:
    """Return quotient and remainder; lazy.

    Parameters
    ----------
    x, y : pdarray or scalar
        Dividend and divisor, at least one of them an array.  Integers divided by a 0 in an array that is not in memory
        give 0 and 0.
    where : bool or pdarray of bool
        Where to divide; elsewhere both results are `x`.

    Raises
    ------
    ZeroDivisorError
        If `y` is the scalar 0, or an array made from memory that has one.

    Examples
    --------
    >>> quotients, remainders = ak.divmod(ak.arange(5, 8), 3)
    >>> quotients.tolist(), remainders.tolist()
    ([1, 2, 2], [2, 0, 1])
    """
    if isinstance(y, int | float | np.number) and y == 0:
        raise ZeroDivisorError("divmod: the divisor is 0.")
    quotient, remainder = elementwise("floor_divide", x, y), elementwise("remainder", x, y)
    known = at_hand(y) if isinstance(y, Array) and where is True else None
    if known is not None and not known.all():
        raise ZeroDivisorError("divmod: a divisor is 0.", hint="where=y != 0 has others alone divided.")
    if where is True:
        return quotient, remainder
    return elementwise("where", where, quotient, x), elementwise("where", where, remainder, x)


# assignment

AssignedColumns = tuple[Frame, Value]

_NUMBERS = {"bool", "uint", "int", "float", "bigint"}


def assigned(array: Array, key: Any, item: Any) -> AssignedColumns:
    """Return frame and value of an array with an item assigned to some of its rows.

    Lazy, but rows are counted where positions matter, and selected rows if an array of other rows is assigned.

    Raises
    ------
    ArgumentTypeError
        If the item's type does not fit the array's, which does not change; or at compute, if an item array has
        numbers that do not fit the array's type, such as fractions for integers.
    ConversionError
        If an integer is assigned to floats and no float equals it; for an array, at compute.
    ArgumentError
        If the assigned array has another number of elements than rows are selected.
    """
    frame, old = array._frame, array._value
    if isinstance(key, slice) and key.step is not None and key.step < 0:
        key, item = _turned_around(key, item, sum(row_tools.known_lengths(frame)))
    if old.dtype == UINT64 and isinstance(item, int | np.integer) and -(2**63) <= item < 0:
        # A negative number of 64 bits goes around, as on a server.
        item = int(item) % 2**64
    if old.dtype.is_nullable_number:
        return _assigned_with_gaps(array, key, item)
    items = operand(item, old)
    if items[1].dtype == NULLABLE_STR and old.dtype == STR:
        old = cast_value(old, NULLABLE_STR)
    items = items[0], fitting(items[1], old.dtype)
    if not isinstance(key, Array):
        key = row_tools.row_key(key)
    if isinstance(key, int):
        position = row_tools.row_position(frame, key)
        key = slice(position, position + 1)
    if isinstance(key, slice):
        if isinstance(items[1], Constant) and items[1].dtype == old.dtype and old.dtype.is_number:
            frame, old, rows, (start, stop, step) = _numbered(frame, old, key)
            return frame, Call("put_range", old, rows, items[1], start=start, stop=stop, step=step)
        item_frame, item = items
        if item_frame is not None:
            return _assign_range(frame, old, key, item_frame, item)
        frame, old, mask = _slice_mask(frame, old, key)
        return _assign_masked(Filter(frame, mask, column_identity(frame, mask)), old, *items)
    key_frame, chosen = (key._frame, key._value) if isinstance(key, Array) else literal(as_column(key))
    if chosen.dtype.kind not in ("bool", "int", "uint"):
        raise ArgumentTypeError(f"cannot assign to rows chosen by an array of {chosen.dtype}.")
    if chosen.dtype != BOOL:
        return _assign_at(frame, old, (key_frame, chosen), *items)
    common, (old, mask) = align("assign", [(frame, old), (key_frame, chosen)])
    identity = column_identity(key_frame, chosen).partitioned_like(key_frame.rows, common.rows)
    return _assign_masked(Filter(common, mask, identity), old, *items)


def _assigned_with_gaps(array: Array, key: Any, item: Any) -> AssignedColumns:
    """Return integers of which some are missing with an item assigned: numbers and mask apart, by the same key."""
    numbers, lacks = apart(array._value)
    if isinstance(item, list | tuple | np.ndarray) and np.ndim(item):
        found = special(item)
        item = wrap(*literal(as_column(item))) if found is None else found
    gaps: Any = item is None or is_na(item) or (isinstance(item, float | np.floating) and bool(np.isnan(item)))
    if isinstance(item, Array) and lacks_numbers(item._value.dtype):
        gaps = elementwise("isnan", item)
        nothing = np.int64(0) if item._value.dtype.is_nullable_number else np.float64(0)
        item = wrap(item._frame, filled(item._value, Constant(nothing)))
    elif gaps is True:
        item = numbers.dtype.numpy.type(0)
    frame, own = array._frame, array._like
    parts = [assigned(own(frame, numbers), key, item), assigned(own(frame, lacks), key, gaps)]
    common, (numbers, lacks) = align("assign", parts)
    return common, with_missing(numbers, lacks)


def fitting(value: Value, wanted: ColumnType) -> Value:
    """Return the item in the array's type; only conversions that keep the number are silent.

    Whether an array keeps its numbers is known when it is computed.
    """
    given = value.dtype
    if given == wanted:
        return value
    if wanted.kind == given.kind == "str":
        return cast_value(value, wanted)
    if not {given.kind, wanted.kind} <= _NUMBERS:
        raise ArgumentTypeError(
            f"cannot assign {given} to elements of an array of {wanted}.",
            hint=f"convert first, with ak.cast(…, {str(wanted)!r}).",
        )
    if wanted.kind == "bigint" and given.kind == "float":
        return cast_value(fitting(value, INT64), wanted)
    if wanted == FLOAT64 and given in (INT64, UINT64):
        if isinstance(value, Constant):
            return Constant(OPERATIONS["exact_floats"].evaluate(value.value))
        return widened(value, wanted)
    if wanted.kind in ("float", "bigint") or given == BOOL:
        return cast_value(value, wanted)
    if not isinstance(value, Constant):
        return Call("cast_exactly", value, dtype=wanted.name)
    try:
        return Constant(OPERATIONS["cast_exactly"].evaluate(value.value, dtype=wanted.name))
    except ArgumentTypeError as error:
        raise ArgumentTypeError(
            f"cannot assign {value.value} to elements of an array of {wanted}.", hint=error.hint
        ) from None


def _turned_around(key: slice, item: Any, size: int) -> tuple[slice, Any]:
    """Return a slice with a negative step as an ascending slice, and its item in reverse."""
    rows = range(*key.indices(size))[::-1]
    forward = slice(rows.start, rows.stop, rows.step) if rows else slice(0, 0)
    return forward, item if np.ndim(item) == 0 else item[::-1]


def _slice_mask(frame: Frame, old: Value, key: slice) -> tuple[Frame, Value, Value]:
    """Return a mask that holds on the rows of a slice."""
    frame, old, position, (start, stop, step) = _numbered(frame, old, key)
    mask = Call("bitwise_and", _compare("greater_equal", position, start), _compare("less", position, stop))
    if step > 1:
        phase = Call("remainder", Call("subtract", position, Constant(start)), Constant(step))
        mask = Call("bitwise_and", mask, _compare("equal", phase, 0))
    return frame, old, mask


def _numbered(frame: Frame, old: Value, key: slice) -> tuple[Frame, Value, Value, tuple[int, int, int]]:
    """Return rows with their positions, and the bounds of a slice of them."""
    lengths = row_tools.known_lengths(frame)
    rows = Rows(lengths)
    frame, (old, position) = align("assign", [(frame, old), (rows, rows.position)])
    return frame, old, position, key.indices(sum(lengths))


def _compare(operation: str, value: Value, number: int) -> Value:
    return Call(operation, value, Constant(number))


def _assign_masked(chosen: Filter, old: Value, item_frame: Frame | None, items: Value) -> AssignedColumns:
    from akdask.operators.rows.plan import PutSelected

    frame, mask = chosen.frame, chosen.predicate
    if item_frame is None:
        return frame, Call("where", mask, items, old)
    put = PutSelected(Project(frame, (0, 1), (old, mask)), _cut_like(chosen, item_frame, items))
    return put, put.result


def _assign_range(frame: Frame, old: Value, key: slice, item_frame: Frame, items: Value) -> AssignedColumns:
    from akdask.operators.rows.plan import PutSelected

    lengths = row_tools.known_lengths(frame)
    chosen = row_tools.slice_ranges(lengths, *key.indices(sum(lengths)))
    wanted = {number: (start, stop, step) for number, start, stop, step in chosen}
    ranges = tuple(wanted.get(number, (0, 0, 1)) for number in range(len(lengths)))
    # Partitions without rows of the range get no items.
    rows = Slice(frame, tuple((number, *bounds) for number, bounds in enumerate(ranges)))
    put = PutSelected(Project(frame, (0,), (old,)), _cut_like(rows, item_frame, items), ranges)
    return put, put.result


def _cut_like(chosen: Filter | Slice, item_frame: Frame, items: Value) -> Project:
    """Return items in the partitions of the rows that they are put into.

    Items on the same rows are not counted; in a loop, counting would run all earlier steps in each iteration.
    """
    project = Project(item_frame, (0,), (items,))
    if chosen.rows.same_rows(item_frame.rows):
        return project
    resolve_lengths(chosen, item_frame)
    wanted, given = row_tools.known_lengths(chosen), row_tools.known_lengths(item_frame)
    if sum(given) == 1 != sum(wanted):
        raise ArgumentError("an array of one element is not spread over rows.", hint="assign the element itself, a[0].")
    if sum(wanted) != sum(given):
        raise ArgumentError(f"cannot assign {sum(given)} items to {sum(wanted)} selected rows.")
    realigned = Realign(project, given, wanted)
    return Project(realigned, (0,), (realigned.column(0),))


def _assign_at(
    frame: Frame, old: Value, key: AssignedColumns, item_frame: Frame | None, items: Value
) -> AssignedColumns:
    from akdask.operators.rows.plan import PutAt

    key_frame, positions = key
    lengths = row_tools.known_lengths(frame)
    project = Project(frame, (0,), (old,))
    if isinstance(items, Constant) and old.dtype.is_number:
        put = PutAt(project, Project(key_frame, (0,), (positions,)), lengths, items.value)
        return put, put.result
    if item_frame is None:
        pairs = key_frame, [positions, items]
    else:
        if not key_frame.rows.same_rows(item_frame.rows):
            resolve_lengths(key_frame, item_frame)
        pairs = align("assign", [(key_frame, positions), (item_frame, items)])
    put = PutAt(project, Project(pairs[0], (0, 1), tuple(pairs[1])), lengths)
    return put, put.result
