"""Creation of arrays: from a caller's data, or by a rule such as `arange`, `zeros` or `full`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence, Sized
from operator import index
from typing import Any, SupportsIndex

import numpy as np

from akdask.arrays.array import Array, class_asked_for, special, wrap
from akdask.arrays.elementwise import PLAIN, cast
from akdask.arrays.ndarray import ArrayView, reshaped
from akdask.arrays.pdarray import pdarray
from akdask.arrays.scalar import value_of
from akdask.arrays.sorting import insertion_points, invert_permutation
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, STR, UINT8, UINT64, ColumnType, bigint_of, column_type
from akdask.columns.summation import nearest
from akdask.deferred import is_pandas, pd
from akdask.engine.sources import as_column, at_hand, counted, literal, refuses_foreign
from akdask.engine.values import Call, Constant, Value
from akdask.engine.values import cast as cast_value
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    CallError,
    ConversionError,
    UnfitArgumentError,
    ZeroDivisorError,
)


@refuses_foreign()
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
        A NumPy array of any shape, list, tuple, range or other iterable, pandas Series or Index, Arrow array, or a lazy
        array.  Numbers widen to 64 bits; strings give `Strings`, times `Datetime` and `Timedelta`, ints of more than 64
        bits a pdarray of bigint.
    dtype : dtype-like, optional
        Type to convert to.
    copy : bool
        Whether a lazy array that has the type already is copied, so that assignments to one do not change the other.
    max_bits : int, default -1
        Make integers of any size and take them modulo ``2**max_bits``; no limit if not positive.
    unsafe, any_neg, num_bits
        Accepted for compatibility with Arkouda; they describe large integers in advance.

    Returns
    -------
    pdarray, Strings, Datetime, Timedelta or ArrayView

    Raises
    ------
    ArgumentError
        If the data are of no type that a column can hold.
    ArgumentTypeError
        If they are no data but a single value.

    Examples
    --------
    >>> array([3, 1, 2]).tolist()
    [3, 1, 2]
    >>> array(["a", "bc"]).size
    2
    """
    if isinstance(a, ArrayView):
        return ArrayView(array(a.base, dtype, max_bits=max_bits), a.shape)
    if dtype is not None and isinstance(a, list | tuple | np.ndarray):
        if column_type(dtype) == FLOAT64:
            a = _with_floats(a)
        elif column_type(dtype) == BIGINT:
            _check_numeric(a)
    if _is_of_dlpack(a):
        a = from_dlpack(a)
    if not isinstance(a, Iterable) or isinstance(a, str | bytes | dict | set):
        raise ArgumentTypeError(f"an array is made of several elements, not of {a!r:.100}.", hint="put it into a list.")
    if isinstance(a, list | tuple) and a and isinstance(a[0], list | tuple | np.ndarray):
        a = np.ma.array(a) if any(isinstance(row, np.ma.MaskedArray) for row in a) else at_hand(a)
    if isinstance(a, np.ndarray) and a.ndim > 1:
        return reshaped(array(a.ravel(), dtype, max_bits=max_bits), a.shape)
    if isinstance(a, np.ndarray) and not a.ndim and a.dtype.kind not in "biuf":
        raise ArgumentTypeError(f"an array is made of several elements, or of a number, not of {a!r:.100}.")
    if isinstance(a, Array) and a._value.dtype == STR and dtype is not None and column_type(dtype) != STR:
        raise ArgumentTypeError(f"array makes no {dtype} of text.", hint="ak.cast(a, dtype) reads text as numbers.")
    if isinstance(a, Array):
        made: Any = a.copy() if copy else a
    else:
        if is_pandas(a, "Series", "Index") and is_pandas(a.dtype, "CategoricalDtype"):
            a = a.astype(str)
        made = special(a)
        if made is None:
            is_sequence = isinstance(a, Sequence) and not isinstance(a, range)
            name = getattr(a, "name", None) if is_pandas(a, "Series", "Index") else None
            column = as_column(a if is_sequence or _is_array(a) else list(a))
            made = wrap(*literal(column, name if isinstance(name, str) else 0))
    try:
        return _typed(made, dtype, max_bits)
    except ConversionError as error:
        raise ArgumentTypeError(error.message, details=error.details, hint=error.hint) from error


def _check_numeric(items: Any) -> None:
    """Refuse elements that become no integers of any size: bools, and objects that are neither numbers nor text."""
    found = np.asarray(items, None if isinstance(items, np.ndarray) else object)
    for item in found.flat if found.dtype.kind == "O" else found.flat[:1]:
        if isinstance(item, bool | np.bool_) or not isinstance(item, int | float | np.number | str):
            raise ArgumentTypeError(f"integers of any size are made of numbers, not of {item!r:.100}.")


def _is_of_dlpack(item: Any) -> bool:
    """Return whether an array of another library, such as a tensor of torch, hands on its memory by DLPack."""
    return (
        hasattr(item, "__dlpack__")
        and not isinstance(item, Array | np.ndarray)
        and type(item).__module__.partition(".")[0] not in ("akdask", "pyarrow")
    )


def from_dlpack(x: Any) -> Any:
    """Return the numbers of an array of another library, such as torch, CuPy or JAX, as a lazy array.

    Parameters
    ----------
    x : object
        Any with ``__dlpack__``, in the memory of the processor; numbers of 64 bits are not copied.

    Raises
    ------
    ArgumentTypeError
        If it has no such method.
    ArgumentError
        If its memory or type is of a kind that NumPy does not take.

    Examples
    --------
    >>> from_dlpack(np.array([1.5, 2.5])).tolist()
    [1.5, 2.5]
    """
    try:
        found = np.from_dlpack(x)
    except AttributeError:
        raise ArgumentTypeError(
            f"a {type(x).__name__} hands on no numbers by DLPack.", hint="use ak.array(…)."
        ) from None
    except (BufferError, RuntimeError, ValueError, TypeError) as error:
        raise ArgumentError(
            f"NumPy does not take the numbers: {error}", hint="move them to the processor first, such as by x.cpu()."
        ) from error
    return array(found)


def _with_floats(items: Any) -> Any:
    """Return elements with integers replaced by the nearest floats, if the wanted type is a float."""
    if isinstance(items, np.ma.MaskedArray) or (isinstance(items, np.ndarray) and items.dtype.kind != "O"):
        return items
    if isinstance(items, list | tuple):
        return [_with_floats(item) for item in items]
    if isinstance(items, np.ndarray) and items.ndim:
        return np.array([*map(_with_floats, items.ravel().tolist()), None], object)[:-1].reshape(items.shape)
    return float(nearest(items, 1)) if isinstance(items, int) and not isinstance(items, bool) else items


def _is_array(items: Any) -> bool:
    return isinstance(items, Sized) and (hasattr(items, "__array__") or hasattr(items, "__arrow_array__"))


def _typed(made: Any, dtype: Any, max_bits: int | None) -> Any:
    """Return an array in the wanted type; a limit of bits makes integers of any size."""
    if dtype is not None and column_type(dtype) != BIGINT:
        has_type = type(made).__name__ in ("pdarray", "Strings") and made._value.dtype == column_type(dtype)
        return made if has_type else cast(made, dtype)
    if bigint_of(max_bits) != BIGINT:
        return wrap(made._frame, cast_value(made._value, bigint_of(max_bits)))
    return made if dtype is None else cast(made, BIGINT)


@refuses_foreign()
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

    Raises
    ------
    ArgumentError
        If there are no numbers.
    ArgumentTypeError
        If there are more than three, or something else.
    ZeroDivisorError
        If the step is 0.

    Examples
    --------
    >>> arange(2, 11, 3).tolist()
    [2, 5, 8]
    """
    if not args:
        raise UnfitArgumentError("arange needs a number to stop at.")
    if len(args) > 3:
        raise CallError(f"arange takes 1 to 3 numbers, not {len(args)}.")
    args = tuple(map(value_of, args))
    _check_numbers("arange", *args)
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    if step == 0:
        raise ZeroDivisorError("arange: the step is 0.", hint="pass a step that leads from start to stop.")
    if all(isinstance(item, int | np.integer) for item in (start, stop, step)):
        made = _integer_range(range(int(start), int(stop), int(step)))
    else:
        rows = counted(max(0, math.ceil((stop - start) / step)))
        made = pdarray(rows, _stepping(Call("cast", rows.position, dtype=FLOAT64.name), start, step))
    return _typed(made, dtype, max_bits)


def _integer_range(numbers: range) -> pdarray:
    """Return whole numbers of any size, in the smallest type that holds all of them."""
    rows = counted(len(numbers))
    position, start, step = rows.position, numbers.start, numbers.step
    bounds = (start, numbers[-1]) if len(numbers) else (0,)
    if min(bounds) < 0 or max(bounds) >= 2**64:
        wide = min(bounds) < -(2**63) or max(bounds) >= 2**63 or abs(step) >= 2**63
        return pdarray(rows, _stepping(cast_value(position, BIGINT) if wide else position, start, step))
    if max(bounds) < 2**63 and abs(step) < 2**63:
        return pdarray(rows, _stepping(position, start, step))
    # Modulo 2**64, a step back is a large one forward.
    return pdarray(rows, _stepping(cast_value(position, UINT64), np.uint64(start), np.uint64(step % 2**64)))


def _stepping(position: Value, start: Any, step: Any) -> Value:
    value = position if step == 1 else Call("multiply", position, Constant(step))
    return value if start == 0 else Call("add", value, Constant(start))


@refuses_foreign()
def linspace(  # noqa: PLR0917 - NumPy's signature
    start: Any,
    stop: Any,
    num: Any = 50,
    endpoint: bool = True,
    dtype: Any = np.float64,
    axis: int = 0,
    *,
    length: int | None = None,
) -> pdarray:
    """Return evenly spaced numbers from `start` to `stop`; lazy.

    Parameters
    ----------
    start, stop : number or pdarray
        The first number, and the last one or the end; for arrays, of each element.
    num : int, default 50
        Number of elements.
    endpoint : bool, default True
        Whether `stop` is the last number.
    dtype : dtype-like
        float64, as in Arkouda.
    axis : int, default 0
        Where the dimension of the numbers is, between arrays.
    length : int, optional
        The name of `num` in older releases of Arkouda.

    Raises
    ------
    ArgumentTypeError
        If `start` or `stop` is no number, `num` not whole, or `dtype` not float64.
    ArgumentError
        If `num` is below 0.

    Examples
    --------
    >>> linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    if isinstance(num, str):
        raise ArgumentTypeError(f"num is a whole number from 0, not {num!r:.100}.")
    _check_is_float("linspace", dtype)
    count = row_count(num if length is None else length)
    if axis and not isinstance(start, pdarray) and not isinstance(stop, pdarray):
        raise ArgumentError("linspace between two numbers has one dimension, and takes no axis.")
    if isinstance(start, pdarray) or isinstance(stop, pdarray):
        from akdask.arrays.shapes import spaced_between

        spaced: pdarray = spaced_between(start, stop, count, bool(endpoint), axis)
        return spaced
    _check_numbers("linspace", start, stop)
    rows, bounds = counted(count), {"start": float(start), "stop": float(stop)}
    return pdarray(rows, Call("linspace", rows.position, **bounds, num=count, endpoint=bool(endpoint)))


def logspace(  # noqa: PLR0917 - NumPy's signature
    start: float,
    stop: float,
    num: int = 50,
    base: float = 10.0,
    endpoint: bool = True,
    dtype: Any = np.float64,
    axis: int = 0,
) -> pdarray:
    """Return numbers that are evenly spaced on a logarithmic scale, from ``base**start`` to ``base**stop``; lazy.

    Parameters
    ----------
    start, stop, num
        As for `linspace`, of the exponents.
    base : number
        The base of the powers.
    endpoint, dtype, axis
        As for `linspace`.

    Raises
    ------
    ArgumentError
        If `base` is not positive, and where `linspace` raises it.

    Examples
    --------
    >>> logspace(0, 3, 4).tolist()
    [1.0, 10.0, 100.0, 1000.0]
    """
    _check_numbers("logspace", base)
    _check_is_float("logspace", dtype)
    if not base > 0:
        raise ArgumentError(f"logspace raises a positive base, not {base}.")
    exponents: Any = linspace(start, stop, num, endpoint)
    made: pdarray = float(base) ** exponents
    return made


def _check_is_float(name: str, dtype: Any) -> None:
    if dtype is not None and column_type(dtype) != FLOAT64:
        raise ArgumentTypeError(
            f"{name} makes float64, no {dtype}.", hint="cast the result, for example with astype(…)."
        )


def _check_numbers(name: str, *items: Any) -> None:
    for item in items:
        if not isinstance(item, PLAIN):
            raise ArgumentTypeError(f"{name} takes numbers, not {item!r:.100}.")


@refuses_foreign()
def zeros(size: Any, dtype: Any = np.float64, max_bits: int | None = None) -> Any:
    """Return zeros of a type, float64 unless given; takes no memory.  See `full` for `size`.

    Examples
    --------
    >>> ak.zeros(3).tolist(), ak.zeros(2, dtype=ak.int64).tolist()
    ([0.0, 0.0, 0.0], [0, 0])
    """
    return full(size, 0, _number_type(dtype), max_bits)


@refuses_foreign()
def ones(size: Any, dtype: Any = np.float64, max_bits: int | None = None) -> Any:
    """Return ones of a type, float64 unless given; takes no memory.  See `full` for `size`.

    Examples
    --------
    >>> ak.ones(3).tolist(), ak.ones(2, dtype=ak.bool_).tolist()
    ([1.0, 1.0, 1.0], [True, True])
    """
    return full(size, 1, _number_type(dtype), max_bits)


@refuses_foreign()
def full(size: Any, fill_value: Any, dtype: Any = None, max_bits: int | None = None) -> Any:
    """Return an array of one value; takes no memory.

    Parameters
    ----------
    size : int, str of digits, or tuple of int
        Number of elements, or the shape of an `ArrayView`.
    fill_value : scalar
        The value.
    dtype : dtype-like, optional
        The value's type unless given; `Strings` of the value's text for ``str``.
    max_bits : int, optional
        Take integers of any size modulo ``2**max_bits``.

    Raises
    ------
    ArgumentError
        If a size is below 0, a shape has no dimensions, or several for text.
    ArgumentTypeError
        If a size is not whole, a value does not fit the type, or the type is none that Arkouda makes arrays of.

    Examples
    --------
    >>> full(3, 7).tolist()
    [7, 7, 7]
    """
    if isinstance(fill_value, str):
        fill_value.encode()  # text that UTF-8 cannot hold is refused here, not where rows are computed
    shape, fill_value = shape_of(size), value_of(fill_value)
    made = filled(
        math.prod(shape), fill_value, str if class_asked_for(dtype) is not None else _made_type(dtype), max_bits
    )
    if len(shape) == 1:
        return made
    if made._value.dtype == STR:
        raise ArgumentError(f"text has one dimension, and not the shape {shape}.")
    return reshaped(made, shape)


def _made_type(dtype: Any) -> Any:
    """Return a type that an array may be filled with; those of other widths are refused, as in Arkouda."""
    if dtype is None or isinstance(dtype, ColumnType):
        return dtype
    wanted = column_type(dtype)
    if wanted == UINT8 or (wanted.kind in ("int", "uint", "float") and np.dtype(dtype).itemsize < wanted.itemsize):
        raise ArgumentTypeError(
            f"arrays are not filled as {np.dtype(dtype)}.",
            details=["types: int64, uint64, float64, bool, bigint, str"],
            hint="make one of 64 bits; astype(ak.uint8) narrows it to bytes.",
        )
    return wanted


def filled(size: int, fill_value: Any, dtype: Any, max_bits: int | None = None) -> Any:
    """Return a number of elements of one value, of any type that a column holds."""
    constant = Constant(fill_value)
    wanted = constant.dtype if dtype is None else column_type(dtype)
    if wanted == BIGINT:
        return _typed(wrap(counted(size), constant), wanted, max_bits)
    if wanted == STR:
        constant = Constant(str(fill_value))
    elif wanted != constant.dtype:
        if not constant.dtype.is_number:
            raise ArgumentTypeError(f"cannot fill an array of {wanted} with {fill_value!r}.")
        if wanted.kind in ("int", "uint") and constant.dtype.kind in ("int", "uint"):
            limits = np.iinfo(wanted.numpy)
            if not limits.min <= int(constant.value) <= limits.max:
                raise ArgumentTypeError(
                    f"{fill_value} does not fit {wanted}, which has numbers from {limits.min} to {limits.max}.",
                    hint="leave dtype out, or ask for ak.bigint.",
                )
        constant = Constant(wanted.numpy.type(constant.value))
    return wrap(counted(size), constant)


def _number_type(dtype: Any) -> ColumnType:
    wanted: ColumnType = _made_type(dtype)
    if wanted == STR:
        raise ArgumentTypeError(f"there are no zeros and ones of type {wanted}.", hint="use ak.full(size, text).")
    return wanted


def zeros_like(pda: Any) -> Any:
    """Return zeros with the rows, shape and type of an array.

    Examples
    --------
    >>> ak.zeros_like(ak.array([3, 1, 3])).tolist()
    [0, 0, 0]
    """
    return full_like(pda, 0)


def ones_like(pda: Any) -> Any:
    """Return ones with the rows, shape and type of an array.

    Examples
    --------
    >>> ak.ones_like(ak.array([0.5, 2.5])).tolist()
    [1.0, 1.0]
    """
    return full_like(pda, 1)


@refuses_foreign()
def full_like(pda: Any, fill_value: Any) -> Any:
    """Return one value on the rows of an array of numbers, in its shape and type.

    Raises
    ------
    ArgumentTypeError
        If it is no lazy array of numbers.

    Examples
    --------
    >>> ak.full_like(ak.array([3, 1, 3]), 7).tolist()
    [7, 7, 7]
    """
    if isinstance(pda, ArrayView):
        return ArrayView(full_like(pda.base, fill_value), pda.shape)
    if not isinstance(pda, pdarray):
        raise ArgumentTypeError(f"expected a pdarray, got {type(pda).__name__}.", hint="ak.full takes a size.")
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
    ArgumentTypeError
        If one is of another type, or of another size.

    Examples
    --------
    >>> high, low = array([1, 0], dtype="uint64"), array([5, 2**64 - 1])
    >>> bigint_from_uint_arrays([high, low]).tolist()
    [18446744073709551621, 18446744073709551615]
    """
    arrays = list(arrays)
    for limb in arrays:
        if getattr(limb, "dtype", None) != UINT64.numpy or not isinstance(limb, Array):
            raise ArgumentTypeError(
                "bigint_from_uint_arrays takes arrays of uint64.", details=[f"given: {limb!r:.100}"]
            )
    sizes = {limb.rows.size for limb in arrays} - {None}
    if len(sizes) > 1:
        raise UnfitArgumentError("bigint_from_uint_arrays takes arrays of one size.", details=[f"sizes: {sizes}"])
    if not arrays:
        return full(0, 0, BIGINT, max_bits)
    joined = cast(arrays[0], BIGINT)
    for limb in arrays[1:]:
        joined = joined._operate("append_limb", joined, limb)
    return _typed(joined, BIGINT, max_bits)


def from_series(series: pd.Series, dtype: Any = None) -> Any:
    """Turn a pandas Series into a lazy array.

    Parameters
    ----------
    series : pandas.Series
        Of numbers, bools, strings, times or spans.
    dtype : dtype-like, optional
        Type to convert to.  As in pandas, the bools of strings are True where the text is not empty.

    Raises
    ------
    ArgumentTypeError
        If it is no Series.
    ArgumentError
        If no column can hold the type.

    Examples
    --------
    >>> from_series(pd.Series(["1", "20"]), dtype="int64").tolist()
    [1, 20]
    """
    if not is_pandas(series, "Series"):
        raise ArgumentTypeError(f"expected a pandas Series, got {type(series).__name__}.", hint="use ak.array(…).")
    try:
        is_bool = dtype is not None and column_type(dtype) == BOOL
        return array(series.to_numpy(dtype=bool)) if is_bool else array(series, dtype)
    except ArgumentTypeError as error:
        raise ArgumentError(error.message, details=error.details, hint=error.hint) from error


def row_count(size: Any) -> int:
    """Return a number of rows from a user's argument that may not be a shape."""
    shape = shape_of(size)
    if len(shape) != 1:
        raise ArgumentTypeError(f"expected a number of elements, not the shape {shape}.")
    return shape[0]


def shape_of(size: Any) -> tuple[int, ...]:
    """Return the shape that a size describes: a number of elements, its digits, or a tuple of lengths.

    Raises
    ------
    ArgumentError
        If it is below 0, or nothing.
    ArgumentTypeError
        If it is not whole, or text that is no number.
    """
    given = tuple(size) if isinstance(size, tuple | list) else (size,)
    lengths = [int(length) if isinstance(length, str) and length.isdecimal() else length for length in given]
    for length in lengths:
        if isinstance(length, bool) or not isinstance(length, SupportsIndex):
            raise ArgumentTypeError(f"a size is a whole number from 0, not {size!r:.100}.")
        if not 0 <= index(length) < 2**63:
            raise ArgumentError(f"a size is a whole number from 0 and below 2**63, not {size!r:.100}.")
    if not lengths:
        raise ArgumentError("a size is a whole number from 0, or a shape with at least one dimension.")
    return tuple(map(index, lengths))


def broadcast(segments: Any, values: Any, size: int = -1, permutation: Any = None) -> Any:
    """Spread one value per segment over the rows of each; lazy.

    Parameters
    ----------
    segments : pdarray of int
        Where each segment starts, ascending from 0.  Some may be empty.
    values : pdarray, Strings or Categorical
        One value for each segment.
    size : int
        Number of rows; counted if a permutation is given.
    permutation : pdarray of int, optional
        Row numbers sorted by segment, as in ``GroupBy.permutation``; the result is then in the order of the rows.
        Otherwise the rows are in the order of the segments.

    Returns
    -------
    array like `values`
        With as many rows as are given.

    Raises
    ------
    ArgumentError
        If there are no segments, not as many values, or no rows.
    ArgumentTypeError
        If segments or values are no lazy arrays.

    Examples
    --------
    >>> starts, numbers = ak.array([0, 2, 5]), ak.arange(3)
    >>> ak.broadcast(starts, numbers, 7).tolist()
    [0, 0, 1, 1, 1, 2, 2]
    >>> ak.broadcast(starts, numbers, permutation=ak.arange(6, -1, -1)).tolist()
    [2, 2, 1, 1, 1, 0, 0]
    """
    for name, item in (("segments", segments), ("values", values)):
        if not isinstance(item, Array):
            raise ArgumentTypeError(f"broadcast: {name} is a lazy array, not {type(item).__name__}.")
    if segments.size != values.size:
        raise ArgumentError(f"broadcast takes one value for each of {segments.size} segments, got {values.size}.")
    nrows = index(size) if permutation is None else permutation.size
    if not segments.size or nrows < 1:
        raise ArgumentError(
            f"broadcast has {segments.size} segments for {nrows} rows.", hint="pass the size, or a permutation."
        )
    rows: Any = arange(nrows) if permutation is None else invert_permutation(permutation)
    return values[insertion_points(segments, rows, side="right") - 1]
