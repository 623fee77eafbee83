"""Making arrays: from data at hand, from a rule, or from a seed."""

from __future__ import annotations

import math
import secrets
from collections.abc import Sequence
from operator import index
from typing import Any, SupportsIndex

import numpy as np
import pandas as pd

from akdask.collections.array import Array
from akdask.collections.elementwise import cast
from akdask.collections.ndarray import reshaped
from akdask.collections.pdarray import pdarray
from akdask.collections.scalar import Scalar
from akdask.collections.wrap import special, wrap
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.created import as_column, counted, literal
from akdask.plan.values import Call, Constant, Value
from akdask.plan.values import cast as cast_value
from akdask.schema import BIGINT, FLOAT64, INT64, UINT64, bigint_of, column_type


def array(
    a: Any,
    dtype: Any = None,
    copy: bool = False,
    max_bits: int | None = -1,
    *,
    unsafe: bool = False,
    any_neg: bool | None = None,
    num_bits: int | None = None,
) -> Any:
    """Turn data in this process into a lazy array.

    Parameters
    ----------
    a : array-like
        A NumPy array of any shape, list, tuple, range, pandas Series or Index, Arrow array, or a lazy array.  Numbers
        widen to 64 bits; strings give `Strings`, times `Datetime` and `Timedelta`, ints of more than 64 bits a pdarray
        of bigint.
    dtype : dtype-like, optional
        Type to convert to.
    copy : bool
        Accepted as Arkouda spells it; the data are never changed.
    max_bits : int, default -1
        Make integers of any size and take them modulo ``2**max_bits``; no limit if not positive.
    unsafe, any_neg, num_bits
        Accepted as Arkouda spells them: what is known of large integers beforehand.

    Returns
    -------
    pdarray, Strings, Datetime, Timedelta or ArrayView

    Raises
    ------
    ArgumentError
        If the data are of no type that a column can hold.

    Examples
    --------
    >>> array([3, 1, 2]).tolist()
    [3, 1, 2]
    >>> array(["a", "bc"]).size
    2
    """
    if isinstance(a, list) and a and isinstance(a[0], list | tuple | np.ndarray):
        a = np.asarray(a)
    if isinstance(a, np.ndarray) and a.ndim > 1:
        return reshaped(array(a.ravel(), dtype), a.shape)
    if isinstance(a, Array):
        made: Any = a.copy()
    else:
        if isinstance(a, pd.Series | pd.Index) and isinstance(a.dtype, pd.CategoricalDtype):
            a = a.astype(str)
        made = special(a)
        if made is None:
            made = wrap(*literal(as_column(list(a) if isinstance(a, range | set) else a)))
    return _typed(made, dtype, max_bits)


def _typed(made: Any, dtype: Any, max_bits: int | None) -> Any:
    """Return an array in the type wanted; a limit of bits asks for integers of any size."""
    if dtype is not None and column_type(dtype) != BIGINT:
        return cast(made, dtype)
    if bigint_of(max_bits) != BIGINT:
        return wrap(made._frame, cast_value(made._value, bigint_of(max_bits)))
    return made if dtype is None else cast(made, BIGINT)


def arange(*args: int | float, dtype: Any = None, max_bits: int | None = None) -> pdarray:
    """Return evenly spaced numbers: ``arange(stop)``, ``arange(start, stop)`` or ``arange(start, stop, step)``.

    Parameters
    ----------
    *args : int or float
        Start (0), stop (excluded) and step (1).
    dtype : dtype-like, optional
        int64 unless given, or unless an argument is a float or needs more bits.
    max_bits : int, optional
        Make integers of any size and take them modulo ``2**max_bits``.

    Examples
    --------
    >>> arange(2, 11, 3).tolist()
    [2, 5, 8]
    """
    if not 1 <= len(args) <= 3:
        raise ArgumentTypeError(f"arange takes 1 to 3 numbers, not {len(args)}.")
    args = tuple(item.value() if isinstance(item, Scalar) else item for item in args)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    if step == 0:
        raise ArgumentError("arange: the step is 0.", hint="pass a step that leads from start to stop.")
    whole = all(isinstance(item, int | np.integer) for item in (start, stop, step))
    # Whole numbers of any size are counted exactly.
    rows = counted(len(range(*map(int, (start, stop, step)))) if whole else max(0, math.ceil((stop - start) / step)))
    value: Value = rows.position if whole else Call("cast", rows.position, dtype=FLOAT64.name)
    if step != 1:
        value = Call("multiply", value, Constant(step))
    if start != 0:
        value = Call("add", value, Constant(start))
    return _typed(pdarray(rows, value), dtype, max_bits)


def linspace(start: float, stop: float, num: int = 50, endpoint: bool = True) -> pdarray:
    """Return `num` evenly spaced float64 numbers from `start` to `stop`; the last is `stop` itself if `endpoint`.

    Examples
    --------
    >>> linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    rows = counted(_size(num))
    return pdarray(
        rows,
        Call("linspace", rows.position, start=float(start), stop=float(stop), num=_size(num), endpoint=bool(endpoint)),
    )


def zeros(size: int, dtype: Any = np.float64, max_bits: int | None = None) -> pdarray:
    """Return `size` zeros of a type, float64 unless given; takes no memory."""
    return full(size, 0, dtype, max_bits)


def ones(size: int, dtype: Any = np.float64, max_bits: int | None = None) -> pdarray:
    """Return `size` ones of a type, float64 unless given; takes no memory."""
    return full(size, 1, dtype, max_bits)


def full(size: int, fill_value: Any, dtype: Any = None, max_bits: int | None = None) -> Any:
    """Return an array of one value, of the value's type unless another is given; takes no memory.

    Integers of any size are taken modulo ``2**max_bits`` where that is positive.

    Examples
    --------
    >>> full(3, 7).tolist()
    [7, 7, 7]
    """
    constant = Constant(fill_value)
    wanted = constant.dtype if dtype is None else column_type(dtype)
    if wanted == BIGINT:
        return _typed(wrap(counted(_size(size)), constant), wanted, max_bits)
    if wanted != constant.dtype:
        if not wanted.is_number or not constant.dtype.is_number:
            raise ArgumentTypeError(f"cannot fill an array of {wanted} with {fill_value!r}.")
        constant = Constant(wanted.numpy.type(constant.value))
    return wrap(counted(_size(size)), constant)


def zeros_like(pda: pdarray) -> pdarray:
    """Return zeros with the rows and type of an array."""
    return full_like(pda, 0)


def ones_like(pda: pdarray) -> pdarray:
    """Return ones with the rows and type of an array."""
    return full_like(pda, 1)


def full_like(pda: pdarray, fill_value: Any) -> pdarray:
    """Return one value on the rows of an array, in its type."""
    if pda._value.dtype.kind == "bigint":
        return _typed(pdarray(pda._frame, Constant(fill_value)), BIGINT, pda._value.dtype.max_bits)
    return pdarray(pda._frame, Constant(pda.dtype.type(fill_value)))


def bigint_from_uint_arrays(arrays: Sequence[pdarray], max_bits: int | None = -1) -> pdarray:
    """Join arrays of uint64 into one of bigint, the highest 64 bits first; lazy.

    Parameters
    ----------
    arrays : sequence of pdarray of uint64
        With the same rows.
    max_bits : int, default -1
        Take the integers modulo ``2**max_bits``; no limit if not positive.

    Raises
    ------
    ArgumentError
        If there are no arrays.
    ArgumentTypeError
        If one is of another type.

    Examples
    --------
    >>> high, low = array([1, 0], dtype="uint64"), array([5, 2**64 - 1])
    >>> bigint_from_uint_arrays([high, low]).tolist()
    [18446744073709551621, 18446744073709551615]
    """
    if not len(arrays):
        raise ArgumentError("bigint_from_uint_arrays needs at least one array.")
    for limb in arrays:
        if getattr(limb, "dtype", None) != UINT64.numpy or not isinstance(limb, Array):
            raise ArgumentTypeError(
                "bigint_from_uint_arrays takes arrays of uint64.", details=[f"given: {limb!r:.100}"]
            )
    joined = cast(arrays[0], BIGINT)
    for limb in arrays[1:]:
        joined = joined._operate("append_limb", joined, limb)
    return _typed(joined, BIGINT, max_bits)


def randint(low: float, high: float, size: int = 1, dtype: Any = np.int64, seed: int | None = None) -> pdarray:
    """Return random numbers, uniform in ``[low, high)``.

    Parameters
    ----------
    low, high : number
        Bounds; `high` is excluded.
    size : int
        How many.
    dtype : dtype-like
        int64, uint64, bool or float64.
    seed : int, optional
        The same seed gives the same numbers, whatever the partitioning.  Not those of an Arkouda server.
    """
    wanted = column_type(dtype)
    if wanted == FLOAT64:
        return uniform(size, low, high, seed)
    if not low < high:
        raise ArgumentError(f"randint: low ({low}) is not below high ({high}).", hint="high is excluded.")
    rows = counted(_size(size))
    value = Call("random_integers", rows.position, seed=_seed(seed), low=int(low), high=int(high))
    made = pdarray(rows, value)
    return made if wanted == INT64 else cast(made, wanted)


def uniform(size: int, low: float = 0.0, high: float = 1.0, seed: int | None = None) -> pdarray:
    """Return random float64 numbers, uniform in ``[low, high)``; see `randint` for `seed`."""
    rows = counted(_size(size))
    return pdarray(rows, Call("random_uniform", rows.position, seed=_seed(seed), low=float(low), high=float(high)))


def standard_normal(size: int, seed: int | None = None) -> pdarray:
    """Return random float64 numbers from the normal distribution of mean 0 and variance 1; see `randint` for `seed`."""
    rows = counted(_size(size))
    return pdarray(rows, Call("random_normal", rows.position, seed=_seed(seed)))


def from_series(series: pd.Series, dtype: Any = None) -> Any:
    """Turn a pandas Series into a lazy array; see `array`."""
    return array(series, dtype)


def _seed(seed: int | None) -> int:
    return secrets.randbits(63) if seed is None else int(seed)


def _size(size: Any) -> int:
    (number,) = size if isinstance(size, tuple) and len(size) == 1 else (size,)
    if isinstance(number, bool) or not isinstance(number, SupportsIndex) or index(number) < 0:
        raise ArgumentError(f"a size is a whole number from 0, not {size!r}.")
    return index(number)
