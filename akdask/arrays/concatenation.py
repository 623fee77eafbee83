"""Functions with the names of array methods (`sum`, `min`, …), and `concatenate`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

import numpy as np

from akdask.arrays.along_axis import checked_axis
from akdask.arrays.array import Array, check_axis
from akdask.arrays.ndarray import ArrayView, rearranged, shaped
from akdask.arrays.scalar import Scalar
from akdask.arrays.strided_layout import Layout
from akdask.arrays.strings import Strings
from akdask.columns.dtypes import ColumnType, bigint_of
from akdask.engine import tuning
from akdask.engine.alignment import joined
from akdask.engine.missing import exact_type, integers_and_missing, is_in_parts, with_missing
from akdask.engine.node import Frame
from akdask.engine.operations import promote
from akdask.engine.rowwise import Concat, Project
from akdask.engine.values import Value, widened
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError


def isnumeric(pda: Any) -> Any:
    """Return which strings are numeric characters only; lazy bool array.  See `Strings.isnumeric`.

    Raises
    ------
    ArgumentTypeError
        If `pda` is no Strings.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.isnumeric(ak.array(["1", "½", "1.5", ""])).tolist()
    [True, True, False, False]
    """
    if not isinstance(pda, Strings):
        raise ArgumentTypeError(
            f"isnumeric takes Strings, not {type(pda).__name__}.", hint="numbers are numeric anyway."
        )
    return pda.isnumeric()


def sum(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the sum of an array; lazy.  See `pdarray.sum`.

    Parameters
    ----------
    pda : pdarray, ArrayView or another object with a method of that name
        The elements to reduce.
    axis : int or tuple of int, optional
        Dimensions of an `ArrayView` that are reduced, all unless given.
    keepdims : bool, default False
        Leave the dimensions that are reduced in the result, with length 1.

    Raises
    ------
    ArgumentTypeError
        If `pda` has no such method.
    """
    return _reduced("sum", pda, axis=axis, keepdims=keepdims)


def prod(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the product of an array; lazy.  See `sum` and `pdarray.prod`."""
    return _reduced("prod", pda, axis=axis, keepdims=keepdims)


def min(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the smallest element of an array; lazy.  See `sum` and `pdarray.min`."""
    return _reduced("min", pda, axis=axis, keepdims=keepdims)


def max(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the largest element of an array; lazy.  See `sum` and `pdarray.max`."""
    return _reduced("max", pda, axis=axis, keepdims=keepdims)


def mean(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the mean of an array; lazy.  See `sum` and `pdarray.mean`."""
    return _reduced("mean", pda, axis=axis, keepdims=keepdims)


def var(pda: Any, ddof: int = 0, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the variance of an array; lazy.  See `sum` and `pdarray.var`."""
    return _reduced("var", pda, axis=axis, keepdims=keepdims, ddof=ddof)


def std(pda: Any, ddof: int = 0, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the standard deviation of an array; lazy.  See `sum` and `pdarray.std`."""
    return _reduced("std", pda, axis=axis, keepdims=keepdims, ddof=ddof)


def median(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the median of an array; lazy.  See `sum` and `pdarray.median`."""
    return _reduced("median", pda, axis=axis, keepdims=keepdims)


def quantile(a: Any, q: Any = 0.5, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Return one or several quantiles of an array; lazy if it is one.  See `sum` and `pdarray.quantile`.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.quantile(ak.arange(5), 0.25)
    np.float64(1.0)
    """
    return _reduced("quantile", a, q=q, axis=axis, method=method, keepdims=keepdims)


def percentile(a: Any, q: Any = 0.5, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
    """Return one or several percentiles of an array, from 0 to 100; see `quantile`."""
    return quantile(a, np.true_divide(q, 100), axis, method, keepdims)


def any(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether any element is not 0; lazy.  See `sum` and `pdarray.any`."""
    return _reduced("any", pda, axis=axis, keepdims=keepdims)


def all(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether no element is 0; lazy.  See `sum` and `pdarray.all`."""
    return _reduced("all", pda, axis=axis, keepdims=keepdims)


def argmin(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the position of the first smallest element of an array; lazy.  See `sum` and `pdarray.argmin`."""
    return _reduced("argmin", pda, axis=axis, keepdims=keepdims)


def argmax(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return the position of the first largest element of an array; lazy.  See `sum` and `pdarray.argmax`."""
    return _reduced("argmax", pda, axis=axis, keepdims=keepdims)


def is_sorted(pda: Any, axis: Any = None, keepdims: bool = False) -> Any:
    """Return whether the elements are in ascending order; lazy.  See `sum` and `pdarray.is_sorted`."""
    return _reduced("is_sorted", pda, axis=axis, keepdims=keepdims)


def count_nonzero(pda: Any) -> Scalar:
    """Return the number of elements that are not zero, or of nonempty Strings, as int64; lazy.

    Examples
    --------
    >>> import akdask as ak
    >>> count_nonzero(ak.array([3, 0, 5])), count_nonzero(ak.array(["a", ""]))
    (np.int64(2), np.int64(1))
    """
    if isinstance(pda, Strings):
        return _reduced("count_nonzero", pda != "")
    return _reduced("count_nonzero", pda)


def _reduced(name: str, pda: Any, **params: Any) -> Any:
    """Call a method by name with the given parameters; not all objects take all of them."""
    if not hasattr(pda, name) or isinstance(pda, np.ndarray):
        raise ArgumentTypeError(f"{name} needs a lazy array of numbers, got {type(pda).__name__}.")
    given = {param: value for param, value in params.items() if value is not None and value is not False}
    try:
        return getattr(pda, name)(**given)
    except (TypeError, NotImplementedError) as error:
        if isinstance(error, AkdaskError):
            raise
        raise ArgumentTypeError(
            f"{name} needs a lazy array of numbers, got {type(pda).__name__}.", details=[str(error)]
        ) from error


def concatenate(arrays: Any, axis: int | None = 0, ordered: bool = True) -> Any:
    """Join arrays end to end; lazy.  The partitions of the arrays follow one another.

    Parameters
    ----------
    arrays : sequence of pdarray, or of Strings, Categorical, …
        At least one, of one type; ints and floats meet in their common type.  Arrays of several dimensions have the
        same lengths but for that along `axis`.
    axis : int or None
        The dimension along which arrays of several dimensions are joined; None flattens them first.
    ordered : bool
        Accepted for compatibility with Arkouda; the order is always kept.

    Raises
    ------
    ArgumentError
        If there are none.
    ArgumentTypeError
        If the types do not go together, or an argument is no lazy array.
    AxisError
        If `axis` is not an axis of the arrays.

    Examples
    --------
    >>> import akdask as ak
    >>> concatenate([ak.arange(2), ak.arange(3)]).tolist()
    [0, 1, 0, 1, 2]
    """
    if not isinstance(arrays, Sequence) or isinstance(arrays, str):
        raise ArgumentTypeError(f"concatenate takes a list or tuple of arrays, not a {type(arrays).__name__}.")
    arrays = list(arrays)
    if not arrays:
        raise ArgumentError("concatenate needs at least one array.")
    for item in arrays:
        if type(item) is not type(arrays[0]):
            kinds = ", ".join(type(array).__name__ for array in arrays)
            raise ArgumentTypeError(f"concatenate needs arrays of one kind, got {kinds}.")
    if isinstance(arrays[0], ArrayView):
        return concatenate([array.base for array in arrays]) if axis is None else _joined_along(arrays, axis)
    if not isinstance(arrays[0], Array):
        raise ArgumentTypeError(f"concatenate needs lazy arrays, got {type(arrays[0]).__name__}.")
    check_axis("concatenate", axis)
    if hasattr(arrays[0], "concatenate"):
        return arrays[0].concatenate(arrays[1:], ordered=ordered)
    arrays = arrays[0]._in_common("concatenate", arrays[1:])
    if (
        builtins.any(is_in_parts(array._value) for array in arrays)
        and len({exact_type(array._value) for array in arrays}) == 1
    ):
        apart = [(array._frame, integers_and_missing(array._value)) for array in arrays]
        frame = joined([Project(frame, (0, 1), values) for frame, values in apart])
        return arrays[0]._like(frame, with_missing(frame.column(0), frame.column(1)))
    wanted = _common_type([array._value.dtype for array in arrays])
    values = [(array._frame, widened(array._value, wanted)) for array in arrays]
    parts = [part for frame, value in values for part in _parts(frame, value)]
    if len(parts) > tuning.MOST_CONCATENATED_PARTS:
        parts = [Project(frame, (0,), (value,)) for frame, value in values]
    frame = joined(parts)
    return arrays[0]._like(frame, frame.column(0))


def _common_type(given: Sequence[ColumnType]) -> ColumnType:
    """Return the type of the elements of joined arrays; bigints take the largest limit of bits, if any."""
    found = promote(*given) or given[0]
    limits = [dtype.max_bits for dtype in given if dtype.kind == "bigint"]
    return bigint_of(builtins.max(limits)) if found.kind == "bigint" else found


def _joined_along(arrays: Sequence[ArrayView], axis: int) -> Any:
    """Join arrays along one of several dimensions, which becomes the first one meanwhile."""
    ndim = arrays[0].ndim
    axis = checked_axis("concatenate", axis, ndim)
    if len({(*array.shape[:axis], *array.shape[axis + 1 :]) for array in arrays}) > 1:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ArgumentError(
            "arrays that are joined differ in the length along the axis only.", details=[f"shapes: {shapes}"]
        )
    order = [axis, *range(axis), *range(axis + 1, ndim)]
    first = [rearranged(array, Layout.of(array.shape).permuted(order)) for array in arrays]
    shape = (builtins.sum(array.shape[0] for array in first), *first[0].shape[1:])
    joined_first = shaped(concatenate([array.flatten() for array in first]), shape)
    return rearranged(joined_first, Layout.of(shape).permuted([order.index(number) for number in range(ndim)]))


def _parts(frame: Frame, value: Value) -> tuple[Project, ...]:
    """Return the parts of an array that was joined before, so that joining in a loop does not nest."""
    if isinstance(frame, Concat) and frame.frames[0].names == (0,) and value == frame.column(0):
        return frame.frames
    return (Project(frame, (0,), (value,)),)
