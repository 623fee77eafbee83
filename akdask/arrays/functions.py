"""Functions of whole arrays: equality, `hash`, `take`, `diff`, `putmask`, `apply`, and NumPy's own on lazy arrays.

NumPy's functions stay lazy where akdask has them. All others compute and get NumPy arrays.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from inspect import signature
from operator import index
from typing import Any

import cloudpickle
import numpy as np

from akdask.arrays import creation, matrices, reductions, shapes
from akdask.arrays.array import Array, check_axis, unlabelled, wrap
from akdask.arrays.axes import along_axis
from akdask.arrays.creation import arange, full_like
from akdask.arrays.creation import array as make_array
from akdask.arrays.elementwise import ElementwiseArray, clip, elementwise, fitting, rounded, where
from akdask.arrays.keys import as_arrays
from akdask.arrays.ndarray import ArrayView, as_array, reshaped, shaped, spread
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import known_lengths
from akdask.arrays.scalar import Scalar
from akdask.arrays.shapes import chained, checked_axis
from akdask.arrays.strided_layout import nonzero_positions
from akdask.columns.dtypes import BOOL, FLOAT64, STR, column_type
from akdask.engine.alignment import align
from akdask.engine.missing import call
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.values import Call, Value, cast
from akdask.errors import ArgumentError, ArgumentTypeError, CallError
from akdask.operators.windows.plan import Differences, Shifted


def array_equal(pda_a: Any, pda_b: Any, equal_nan: bool = False) -> bool:
    """Whether two arrays have the same shape and elements; computes.

    Parameters
    ----------
    pda_a, pda_b : pdarray, Strings, Categorical or ArrayView
        Text is never equal to numbers.
    equal_nan : bool
        Whether NaN are equal to each other.

    Raises
    ------
    ArgumentTypeError
        If one of them is no lazy array.

    Examples
    --------
    >>> a = ak.array([1.0, float("nan")])
    >>> array_equal(a, a), array_equal(a, a, equal_nan=True)
    (False, True)
    """
    for item in (pda_a, pda_b):
        if not isinstance(item, Array | ArrayView):
            raise ArgumentTypeError(f"array_equal compares lazy arrays, got {type(item).__name__}.")
    if pda_a.shape != pda_b.shape:
        return False
    left, right = (item.base if isinstance(item, ArrayView) else item for item in (pda_a, pda_b))
    if (left.dtype == np.dtype(str)) != (right.dtype == np.dtype(str)):
        return False
    equal = left == right
    if equal_nan and {left.dtype, right.dtype} == {np.dtype(float)}:
        equal |= elementwise("isnan", left) & elementwise("isnan", right)
    return bool(equal.all())


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether numbers differ by no more than a tolerance, ``atol + rtol * abs(b)``; computes.

    Parameters
    ----------
    a, b : pdarray, ArrayView or number
        One of them may be a number, and has that distance of all elements then.
    rtol, atol : float
        Tolerance relative to `b`, and beside that.
    equal_nan : bool
        Whether NaN are close to each other.

    Raises
    ------
    AlignmentError
        If the arrays are not of one size.
    ArgumentTypeError
        If neither is an array.

    Examples
    --------
    >>> allclose(ak.array([1.0, 2.0]), ak.array([1.0, 2.0 + 1e-9])), allclose(ak.array([1.0, 2.0]), 1.0)
    (True, False)
    """
    left, right = (_as_array(item, other) for item, other in ((a, b), (b, a)))
    distance = elementwise("fabs", elementwise("subtract", left, right))
    near = (distance <= elementwise("fabs", right) * rtol + atol) & elementwise("isfinite", right)
    # Infinities are close to themselves, but their distance is no number.
    near |= elementwise("equal", left, right)
    if equal_nan:
        near |= elementwise("isnan", left) & elementwise("isnan", right)
    return bool(near.all())


def _as_array(item: Any, other: Any) -> Any:
    """Return a flat array; a plain number becomes an array with the rows of the other."""
    if isinstance(item, ArrayView):
        return item.base
    if isinstance(item, int | float | np.number | Scalar) and isinstance(other, Array | ArrayView):
        return full_like(_as_array(other, item), 0) + float(item)
    if not isinstance(item, Array):
        raise ArgumentTypeError(f"allclose compares lazy arrays, got {type(item).__name__}.")
    return item


def hash(pda: Any, full: bool = True) -> Any:
    """Return a hash of each element of an array, or of each row of several; lazy.

    Equal elements have equal hashes, whatever array they are in, provided that it is of the same type; all NaN have the
    same.  The hash function is SipHash-2-4; its hashes do not protect secrets.

    Parameters
    ----------
    pda : pdarray, Strings, Categorical, SegArray, or sequence of them
        The elements to hash; several arrays share rows.
    full : bool, default True
        Return all 128 bits; otherwise the first 64, where two of some billion rows probably collide.

    Returns
    -------
    tuple of two pdarrays of uint64, or one of them
        The first and the last 64 bits of each hash; only the first with ``full=False``.

    Raises
    ------
    ArgumentTypeError
        If it is no array, or one has several dimensions.
    AlignmentError
        If several arrays do not share rows.

    Examples
    --------
    >>> high, low = ak.hash(ak.array([7, 8, 7]))
    >>> (high == high[0]).tolist()
    [True, False, True]
    >>> (ak.hash([ak.array([1, 1]), ak.array(["a", "b"])], full=False) == high[0]).tolist()
    [False, False]
    """
    if isinstance(pda, list | tuple) and not all(isinstance(unlabelled(item), Array) for item in pda):
        raise ArgumentTypeError("hash takes lazy arrays, one or several.", hint="make one with ak.array(…).")
    if isinstance(pda, Array) and pda._value.dtype == BOOL:
        raise ArgumentTypeError("hash takes no bools.", hint="hash pda.astype(int), or a list with other arrays.")
    arrays = as_arrays(pda)
    halves = [half for item in arrays for half in _digest(item)]
    frame, values = align("hash", halves)
    if len(arrays) > 1:
        values = [Call("number_hash", *values, part=part) for part in (0, 1)]
    high, low = (pdarray(frame, value) for value in values)
    return (high, low) if full else high


def _digest(item: Array) -> list[tuple[Frame, Value]]:
    """Return both halves of the hash of each element."""
    if hasattr(type(item), "hash"):
        return [half._as_operand() for half in item.hash()]
    frame, value = item._as_operand()
    # Equal integers of any size may differ in their layout in memory, but not in their digits.
    operation, value = ("text_hash", cast(value, STR)) if value.dtype.kind == "bigint" else ("number_hash", value)
    return [(frame, call(operation, value, part=part)) for part in (0, 1)]


def take(a: Any, indices: Any, axis: int | None = None) -> Any:
    """Return the elements of an array at some positions; lazy.

    Parameters
    ----------
    a : pdarray, Strings or Categorical
        The elements.
    indices : int, or array of int
        Positions; negative ones count from the end.  An int gives one element, in an array.
    axis : int, optional
        The dimension of an array of several dimensions to take from; unless given, the array is flattened first.

    Examples
    --------
    >>> ak.take(ak.array([4, 3, 5, 7, 6, 8]), [0, 1, 4]).tolist()
    [4, 3, 6]
    >>> ak.take(ak.arange(6).reshape(2, 3), [2, 0], axis=1).tolist()
    [[2, 0], [5, 3]]
    """
    if not isinstance(a, Array):
        raise ArgumentTypeError(f"take needs a lazy array, got {type(a).__name__}.")
    if isinstance(indices, int | np.integer):
        indices = [int(indices)]
    if a.ndim == 1:
        check_axis("take", axis)
        if isinstance(indices, Array) and indices.ndim != 1:
            raise ArgumentError(f"take: indices have one dimension, not {indices.ndim}.")
        return a[as_array(indices)] if np.ndim(indices) > 1 else a[indices]
    return a.take(indices, None if axis is None else checked_axis("take", axis, a.ndim))


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Return the difference of each element and its predecessor; lazy, but for counting rows of unknown number.

    Parameters
    ----------
    a : pdarray, Datetime or Timedelta
        The elements.  For bools, the result is True where they change.
    n : int, default 1
        Number of times to take differences; each time removes one element.
    axis : int, default -1
        The dimension along which differences are taken.
    prepend, append : array or scalar, optional
        Elements to put before and behind the array first.

    Raises
    ------
    ArgumentError
        If `n` is below 0.

    Examples
    --------
    >>> ak.diff(ak.array([1, 2, 4, 7, 0])).tolist(), ak.diff(ak.array([1, 2, 4, 7, 0]), n=2).tolist()
    ([1, 2, 3, -7], [1, 1, -10])
    """
    if not isinstance(a, Array):
        raise ArgumentTypeError(f"diff needs a lazy array, got {type(a).__name__}.")
    axis = checked_axis("diff", axis, a.ndim)
    if index(n) < 0:
        raise ArgumentError(f"diff: n is a whole number from 0, not {n!r}.")
    parts = [_beside(part, a, axis) for part in (prepend, a, append) if part is not None]
    found: Any = a if len(parts) == 1 else chained(parts, axis=axis)
    operation = "not_equal" if getattr(found, "dtype", None) == np.dtype(bool) else "subtract"
    before = (slice(None),) * axis
    for _ in range(index(n)):
        if found.size and type(getattr(found, "base", found)) is pdarray and found._value.dtype.is_number:
            found = _differences(found, axis)
        elif found.ndim == 1 and found._value.dtype.is_number:
            found = elementwise(operation, found, _one_further(found))[1:]
        else:
            found = elementwise(operation, found[(*before, slice(1, None))], found[(*before, slice(-1))])
    return found


def _differences(array: Any, axis: int) -> Any:
    """Return the differences of numbers along a dimension; along the first one, rows are as far apart as it is wide."""
    if math.prod(array.shape[:axis]) > 1:
        return along_axis("diff", array, axis)
    distance = math.prod(array.shape[axis + 1 :])
    node = Differences(Project(array._frame, (0,), (array._value,)), distance, known_lengths(array._frame))
    shape = (*array.shape[:axis], array.shape[axis] - 1, *array.shape[axis + 1 :])
    found = pdarray(node, node.result)
    return found if array.ndim == 1 else reshaped(found, shape)


def _one_further(array: Array) -> Array:
    """Return the elements shifted by one position; each partition passes one element to the next one."""
    moved = Shifted(array._project(), 1, (0,))
    return array._like(moved, moved.column(moved.frame.names[0]))


def _beside(part: Any, array: Array, axis: int) -> Any:
    """Return the part to put beside an array; a scalar fills one position along the dimension."""
    if isinstance(part, Array) and part.ndim:
        return part
    if np.ndim(part):
        return make_array(part)
    wanted = [1 if number == axis else length for number, length in enumerate(array.shape)]
    return spread(as_array(part).astype(array.dtype) if array.ndim > 1 else make_array([part]), wanted)


def putmask(A: Any, mask: Any, Values: Any) -> None:
    """Put values into an array where a mask holds; lazy.  Arrays derived from it before keep the old values.

    Parameters
    ----------
    A : pdarray or Strings
        The array to change.
    mask : pdarray of bool
        With the rows of `A`.
    Values : array or scalar
        The element at position i gets the value at position i; if there are fewer values, they repeat.

    Raises
    ------
    ArgumentError
        If there are no values.
    CallError
        If the mask is not as long as `A`, or floats are put among integers.
    ArgumentTypeError
        If the values do not fit the type of `A`, or that is no lazy array.

    Examples
    --------
    >>> a = ak.arange(6)
    >>> ak.putmask(a, a > 2, ak.array([30, 20]))
    >>> a.tolist()
    [0, 1, 2, 20, 30, 20]
    """
    if not isinstance(A, ElementwiseArray):
        raise ArgumentTypeError(f"putmask changes a lazy array, not {type(A).__name__}.")
    if isinstance(mask, Array) and mask.size != A.size:
        raise CallError(f"putmask: {A.size} elements have a mask as long, not of {mask.size}.")
    if isinstance(Values, Array) and A._value.dtype.kind in ("int", "uint") and Values._value.dtype == FLOAT64:
        raise CallError(f"putmask puts no floats into an array of {A._type_name()}.", hint="cast() converts them.")
    if isinstance(Values, Array) and Values.size != A.size:
        if not Values.size:
            raise ArgumentError("putmask needs at least one value.")
        flat = Values if Values.ndim == 1 else Values.flatten()
        Values = flat[arange(A.size) % Values.size]
    if isinstance(Values, Array):
        Values = shaped(Values._like(Values._frame, fitting(Values._value, A._value.dtype)), A.shape)
    A._become(elementwise("where", mask, Values, A), "putmask")


def apply(arr: Any, func: Callable[[Any], Any] | str, result_dtype: Any = None) -> Any:
    """Return the results of a Python function for each element of an array; lazy.

    The function runs in the tasks.  On a cluster, cloudpickle takes it to the workers, and its imports must be
    installed there.  It sees one element at a time, and holds the interpreter, so that arithmetic of arrays is much
    faster.  It can do there whatever Python can.

    Parameters
    ----------
    arr : pdarray or Strings
        Elements come to the function as int, float, bool or str.  Missing text stays missing; the function gets empty
        text in its place, and the result is dropped.
    func : callable, or str
        Takes one element, and returns one.  It may be called more than once for an element, and should not depend on
        anything else.  Text is a lambda of one parameter, such as ``"lambda x,: x + 1"``.
    result_dtype : dtype-like, optional
        The type of the function's results; the array's type unless given.  Not for functions of text.

    Returns
    -------
    pdarray or Strings
        With the rows of `arr`.

    Raises
    ------
    ArgumentTypeError
        If `arr` has other elements, `func` is no function, or a function of text has another result type.
    ArgumentError
        If text is no lambda; at compute, if the function returns a value of another type.

    Examples
    --------
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


# NumPy's functions

LAZY: dict[Callable[..., Any], Callable[..., Any]] = {
    np.sum: reductions.sum,
    np.prod: reductions.prod,
    np.min: reductions.min,
    np.max: reductions.max,
    np.mean: reductions.mean,
    np.var: reductions.var,
    np.std: reductions.std,
    np.median: reductions.median,
    np.quantile: reductions.quantile,
    np.percentile: reductions.percentile,
    np.any: reductions.any,
    np.all: reductions.all,
    np.argmin: reductions.argmin,
    np.argmax: reductions.argmax,
    np.count_nonzero: reductions.count_nonzero,
    np.concatenate: shapes.chained,
    np.where: where,
    np.clip: clip,
    np.round: rounded,
    np.zeros_like: creation.zeros_like,
    np.ones_like: creation.ones_like,
    np.full_like: creation.full_like,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
    np.shape: shapes.shape,
    np.transpose: shapes.transpose,
    np.moveaxis: shapes.moveaxis,
    np.swapaxes: shapes.swapaxes,
    np.flip: lambda m, axis=None: shapes.flip(m, axis=axis),
    np.squeeze: shapes.squeeze,
    np.expand_dims: shapes.expand_dims,
    np.roll: shapes.roll,
    np.reshape: lambda a, shape: reshaped(a if a.ndim == 1 else a.flatten(), shape),
    np.ravel: lambda a: a.copy() if a.ndim == 1 else a.flatten(),
    np.hstack: shapes.hstack,
    np.vstack: shapes.vstack,
    np.stack: shapes.stack,
    np.append: shapes.append,
    np.delete: shapes.delete,
    np.tile: shapes.tile,
    np.repeat: shapes.repeat,
    np.pad: shapes.pad,
    np.broadcast_to: shapes.broadcast_to,
    np.broadcast_arrays: shapes.broadcast_arrays,
    np.meshgrid: shapes.meshgrid,
    np.dot: matrices.dot,
    np.tensordot: matrices.tensordot,
    np.tril: matrices.tril,
    np.triu: matrices.triu,
    np.diff: diff,
    np.take: lambda a, indices, axis=None: a.take(indices, axis) if np.isscalar(indices) else take(a, indices, axis),
    np.copy: lambda a: a.copy(),
    np.cumsum: reductions.cumsum,
    np.cumprod: reductions.cumprod,
    np.nonzero: lambda a: tuple(nonzero_positions(a)),
}


def array_function(func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    """Answer NumPy's dispatch protocol (NEP 18)."""
    lazy = LAZY.get(func)
    if lazy is not None and _takes(lazy, args, kwargs):
        return lazy(*args, **kwargs)
    return func(*[_at_hand(item) for item in args], **{name: _at_hand(item) for name, item in kwargs.items()})


def _takes(function: Callable[..., Any], args: Any, kwargs: Any) -> bool:
    """Whether a function has these parameters; NumPy handles others of its own, such as ``out``."""
    try:
        signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _at_hand(item: Any) -> Any:
    if isinstance(item, Array):
        return item.to_ndarray()
    if isinstance(item, Scalar):
        return item.value()
    if isinstance(item, list | tuple):
        return type(item)(map(_at_hand, item))
    return item
