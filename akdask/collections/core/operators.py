"""Operators and NumPy's ufuncs on lazy columns: they build values and compute nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from akdask.collections.core.array import Array
from akdask.collections.core.base import unlabelled
from akdask.collections.core.later import later
from akdask.collections.core.scalar import Scalar
from akdask.collections.core.wrap import class_asked_for, wrap
from akdask.deferred import is_na, is_pandas
from akdask.error_state import check_divisor
from akdask.errors import AlignmentError, ArgumentTypeError, refuses_foreign
from akdask.kernels.core.exact import COMPARISONS, are_floats, comparable_with
from akdask.kernels.rowwise.operations import UFUNCS
from akdask.plan.expr.created import as_column, literal
from akdask.plan.expr.missing_text import call, missing_text
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import Constant, Value
from akdask.plan.run.alignment import align
from akdask.schema import BOOL, FLOAT64, INT64, UINT64, column_type, unlimited

Operand = tuple[Frame | None, Value]

DIVISIONS = frozenset({"divide", "floor_divide"})


@refuses_foreign()
def operand(item: Any, like: Value | None = None) -> Operand:
    """Return the frame and value of anything that can stand in an expression; scalars have no frame.

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
        item.encode()  # text that UTF-8 does not hold is refused here, not where rows are computed
    if isinstance(item, bool | int | float | str | np.generic):
        return None, Constant(item, like.dtype if like is not None else None)
    if isinstance(item, np.ndarray | list | tuple):
        return literal(as_column(item))
    raise ArgumentTypeError(f"cannot compute with {type(item).__name__}.", hint="make it an array with ak.array(…).")


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
    """Return what is compared, with a plain number as one of the other's type where none lies between the two.

    Compiled loops and bounds of files compare numbers of one type; others are compared exactly, which takes longer.
    """
    if isinstance(right, Constant):
        return [left, _constant_beside(operation, right, left)]
    if isinstance(left, Constant):
        return [_constant_beside(COMPARISONS[operation], left, right), right]
    return [left, right]


def _constant_beside(operation: str, constant: Constant, other: Value) -> Constant:
    kinds = constant.dtype.kind, other.dtype
    if kinds[0] == "float" and kinds[1] in (INT64, UINT64):
        comparable = comparable_with(operation, float(constant.value), other.dtype.kind)
        return constant if comparable is None else Constant(other.dtype.numpy.type(comparable))
    if kinds[0] in ("int", "uint") and kinds[1] == FLOAT64 and are_floats(constant.value):
        return Constant(float(constant.value))
    return constant


def on_common_rows(operation: str, items: list[Any]) -> tuple[Frame, list[Value]]:
    """Return a frame on which lazy arrays and scalars are found, and their values there.

    Raises
    ------
    AlignmentError
        If arrays among them do not share rows.
    """
    items = [unlabelled(item) for item in items]
    arrays = [item._value for item in items if isinstance(item, Array)]
    # Scalars take the type of what they stand beside, which is not the condition of `where`.
    numbers = next((value for value in arrays if value.dtype != BOOL), next(iter(arrays), None))
    like = arrays[-1] if arrays and arrays[-1].dtype.kind == "str" else numbers
    operands = [operand(item, like) for item in items]
    framed = [(frame, value) for frame, value in operands if frame is not None]
    try:
        frame, aligned = align(operation, framed)
    except AlignmentError:
        if not _has_single_rows(framed):
            raise
        # An array of one element stands for all rows, as in NumPy.
        return on_common_rows(operation, [_spread(item, framed) for item in items])
    remaining = iter(aligned)
    return frame, [next(remaining) if own is not None else value for own, value in operands]


def _has_single_rows(framed: list[tuple[Frame, Value]]) -> bool:
    sizes = {frame.rows.size for frame, _ in framed}
    # One list or one text does not stand for all: Arkouda refuses Strings of other sizes.
    are_numbers = all(value.dtype.kind not in ("list", "str") for _, value in framed)
    return sizes > {1} and len(sizes) == 2 and None not in sizes and are_numbers


def _spread(item: Any, framed: list[tuple[Frame, Value]]) -> Any:
    """Return an array of one element with as many as the others have."""
    given = item if isinstance(item, Array | np.ndarray | list | tuple) else None
    if given is None or np.ndim(given) == 0 or len(given) != 1:
        return item
    sizes = {frame.rows.size for frame, _ in framed} - {1}
    return later("spread", item if isinstance(item, Array) else wrap(*literal(as_column(item))), tuple(sizes))


def categories_of(dtype: Any, made: Any) -> Any:
    """Return a Categorical with the categories of the pandas type that was asked for, if it was one that has some."""
    return made._of_dtype(dtype) if is_pandas(dtype, "CategoricalDtype") else made


class OperatorMethods(NDArrayOperatorsMixin, Array):
    """Python's operators and NumPy's ufuncs, which are the same thing: NumPy's mixin spells each by its ufunc."""

    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    def _operate(self, operation: str, *items: Any, **params: Any) -> Any:
        if any(isinstance(item, np.ndarray) and item.ndim > 1 for item in items):
            return later("operated", operation, *items, **params)
        return wrap(*combine(operation, list(items), **params))

    def astype(self, dtype: Any) -> Any:
        """Return the elements converted to another type, or to `Strings` or `Categorical`; lazy.

        Raises
        ------
        ArgumentTypeError
            If no column can hold the type.
        """
        asked_for = class_asked_for(dtype)
        if asked_for is not None:
            return categories_of(dtype, asked_for._cast_from(self))
        wanted = column_type(dtype)
        return self.copy() if wanted == unlimited(self._value.dtype) else self._operate("cast", self, dtype=wanted.name)

    def __eq__(self, other: object) -> Any:
        """Return where elements are equal, row by row; False for None, as Arkouda does."""
        return False if other is None else super().__eq__(other)

    def __ne__(self, other: object) -> Any:
        """Return where elements differ, row by row; True for None."""
        return True if other is None else super().__ne__(other)

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Build the value of a ufunc on arrays and scalars; ``out=`` is what in-place operators pass."""
        operation = UFUNCS.get(ufunc)
        if ufunc.signature is not None and method == "__call__" and not kwargs:
            # Of ufuncs that take whole dimensions, `matmul` stands for an operator.
            return later(ufunc.__name__, *inputs) if ufunc.__name__ in ("matmul", "vecdot") else NotImplemented
        out = kwargs.pop("out", None)
        if method != "__call__" or kwargs or operation is None:
            return NotImplemented
        if any(
            isinstance(item, OperatorMethods) and item.__array_priority__ > self.__array_priority__ for item in inputs
        ):
            # NumPy asks the other array next.
            return NotImplemented
        if operation in DIVISIONS:
            check_divisor(inputs[1])
        result = self._operate(operation, *inputs)
        if out is None:
            return result
        (target,) = out
        return target._become(result, operation) if isinstance(target, OperatorMethods) else NotImplemented

    def _become(self, changed: Any, operation: str) -> Any:
        """Take on a new expression of the same type; what was derived from the array before keeps the old one."""
        sizes = {self.rows.size, changed.rows.size} - {None}
        if changed.ndim != self.ndim or len(sizes) > 1:
            raise AlignmentError(
                f"{operation} in place needs arrays of one shape.", details=[f"shapes: {self.shape}, {changed.shape}"]
            )
        if changed._value.dtype != self._value.dtype:
            raise ArgumentTypeError(
                f"{operation} in place would change the type from {self._value.dtype} to {changed._value.dtype}.",
                hint="write a = a + b instead of a += b.",
            )
        self._frame, self._value = changed._frame, changed._value
        return self
