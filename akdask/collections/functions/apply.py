"""Python functions on each element of an array."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import cloudpickle

from akdask.collections.core.array import Array
from akdask.collections.core.later import provides
from akdask.collections.core.wrap import wrap
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.missing_text import call
from akdask.schema import column_type


@provides("apply")
def apply(arr: Any, func: Callable[[Any], Any] | str, result_dtype: Any = None) -> Any:
    """Return what a function of Python makes of each element of an array; lazy.

    The function runs in the tasks, on a cluster in its workers, to which cloudpickle takes it: what it imports must be
    installed there.  It sees one element at a time, and holds the interpreter, so that arithmetic of arrays is much
    faster.  It can do there whatever Python can.

    Parameters
    ----------
    arr : pdarray or Strings
        Elements come to the function as int, float, bool or str.  Missing text stays missing; the function gets empty
        text for it, and what it makes of that is dropped.
    func : callable, or str
        Takes one element, and returns one.  It may be called more than once for an element, and should not depend on
        anything else.  Of text, it is a lambda of one parameter, such as ``"lambda x,: x + 1"``.
    result_dtype : dtype-like, optional
        The type of what it returns: that of the array, unless given.  Not for functions of text.

    Returns
    -------
    pdarray or Strings
        With the rows of `arr`.

    Raises
    ------
    ArgumentTypeError
        If `arr` has no such elements, `func` is no function, or a function of text has another type of results.
    ArgumentError
        If text is no lambda; when it is computed, if the function returns what is not of the type.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.apply(ak.array([1, 2, 3]), lambda x: x / 2, "float64").tolist()
    [0.5, 1.0, 1.5]
    >>> ak.apply(ak.array([1, 2, 3]), "lambda x,: x + 1").tolist()
    [2, 3, 4]
    """
    if not isinstance(arr, Array) or arr._value.dtype.kind == "list":
        raise ArgumentTypeError(f"a function is applied to numbers or text, not to a {type(arr).__name__}.")
    frame, value = arr._as_operand()
    wanted = column_type(value.dtype.name if result_dtype is None else result_dtype)
    if isinstance(func, str):
        if wanted.name != value.dtype.name:
            raise ArgumentTypeError("result_dtype must match the dtype of the array for a function of text.")
        func = _function_of(func)
    if not callable(func):
        raise ArgumentTypeError(
            f"a {type(func).__name__} is no function.", hint="pass a callable, or text of a lambda."
        )
    pickled = cloudpickle.dumps(func)
    return wrap(frame, call("apply_function", value, pickled=pickled, dtype=wanted.name))


def _function_of(text: str) -> Callable[[Any], Any]:
    try:
        parsed = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise ArgumentError(f"{text!r} is no expression of Python.", details=[str(error)]) from None
    if not isinstance(parsed.body, ast.Lambda) or len(parsed.body.args.args) != 1:
        raise ArgumentError(f"{text!r} is no lambda of one parameter.", hint="write for example 'lambda x,: x + 1'.")
    function: Callable[[Any], Any] = eval(compile(parsed, "<apply>", "eval"))
    return function
