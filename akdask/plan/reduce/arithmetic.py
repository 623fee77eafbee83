"""Arithmetic on numbers that have not been computed: NumPy's own, once their values are there."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.reduce.aggregate import Element, ScalarList
from akdask.plan.task.tables import Tasks
from akdask.schema import BOOL, FLOAT64, INT64, UINT64, ColumnType, RowSpace

NUMBERS: dict[type[Any], ColumnType] = {dtype.numpy.type: dtype for dtype in (BOOL, INT64, UINT64, FLOAT64)}
"""What NumPy's scalars are in a plan, of those that columns of 64 bits and truth values are reduced to."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        operator.pow, np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.power,
        np.negative, np.positive, np.absolute, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert,
        np.left_shift, np.right_shift, np.sqrt, np.square, np.exp, np.log, np.floor, np.ceil, np.trunc,
        np.rint, np.minimum, np.maximum,
    )
}  # fmt: skip
"""What can wait; where somebody compares, a decision is made by the value."""

Operand = Element | int | float | bool | np.generic


class Arithmetic(ScalarList):
    """A function of single results and plain numbers; the result is a list of one scalar in one partition."""

    weight = 1

    function: str
    args: tuple[Operand, ...]
    dtype: ColumnType

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])

    @property
    def elements(self) -> list[Element]:
        """The results among the arguments."""
        return [arg for arg in self.args if isinstance(arg, Element)]

    def dependencies(self) -> list[Expr]:
        return [element.aggregate for element in self.elements]

    def result_type(self, position: int) -> ColumnType:
        return self.dtype

    def describe_result(self, position: int) -> str:
        return self.describe()

    def describe(self) -> str:
        # Without what the results are: each may be made of others, and so on.
        return f"{self.function}({', '.join('…' if isinstance(arg, Element) else repr(arg) for arg in self.args)})"


def calculated(function: Callable[..., Any], args: Sequence[Any]) -> Element | None:
    """Return a function of single results and plain numbers as a plan; None where its value must be found at once.

    NumPy does the calculation, and tells the type of its result beforehand: that depends on types, not on values.  What
    it refuses for all values, such as a plain number beyond the type of the other, is refused here.
    """
    if FUNCTIONS.get(function.__name__) is not function:
        return None
    examples = [_example(arg) for arg in args]
    if any(example is None for example in examples):
        return None
    with np.errstate(all="ignore"):
        dtype = NUMBERS.get(type(function(*examples)))
    if dtype is None or dtype == BOOL:
        return None
    return Element(Arithmetic(function.__name__, tuple(args), dtype), 0, None)


def _example(arg: Any) -> Any:
    """Return a number of the type that an argument has, None if it is no number that can wait."""
    if not isinstance(arg, Element):
        return arg if type(arg) in (bool, int, float, *NUMBERS) else None
    dtype = arg.aggregate.result_type(arg.position)
    return dtype.numpy.type(1) if arg.form is None and dtype in NUMBERS.values() else None


@lower.register
def _(frame: Arithmetic) -> Expr:
    elements = frame.elements
    remaining = iter(range(len(elements)))
    given = tuple((next(remaining), arg.position) if isinstance(arg, Element) else arg for arg in frame.args)
    calls = ((tuple((number, 0) for number in range(len(elements))), (frame.function, given)),)
    return Tasks(frame._name, _calculate, calls, *frame.dependencies())


def _calculate(results: Sequence[Sequence[Any]], function: str, given: tuple[Any, ...]) -> list[Any]:
    """Apply a function to numbers, and to results that are given by where they are among others."""
    return [FUNCTIONS[function](*[results[arg[0]][arg[1]] if isinstance(arg, tuple) else arg for arg in given])]
