"""Exact conversion, comparison, matching and selection of integers beside floats, and of integers of either sign.

NumPy converts int64 and uint64 to float64 when it compares them with floats or with each other, which rounds integers
beyond 2**53.  Here no integer becomes another: comparisons are those of mathematical values, 0.0 equals -0.0, and all
NaN are one key.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.deferred import pa
from akdask.errors import ConversionError
from akdask.typing import NumberArray

EXACT = 2**53
"""Up to here each integer is a float."""


def are_floats(integers: Any) -> bool:
    """Return whether all numbers are exact as floats, by their type alone where possible.

    Examples
    --------
    >>> are_floats(np.array([2**53, -3])), are_floats(np.array([2**53 + 1])), are_floats(np.array([2**53 + 2]))
    (True, False, True)
    """
    if not is_wide(integers) or not np.size(integers):
        return True
    if int(np.max(integers)) <= EXACT and int(np.min(integers)) >= -EXACT:
        return True
    return not np.any(_rounded(integers))


def first_changed(numbers: Any, wanted: Any = True) -> int | None:
    """Return the first integer that would be another as a float, None if there is none.

    Parameters
    ----------
    numbers : ndarray or scalar
        Mask of the numbers to check; objects may be Python integers of any size.
    wanted : ndarray of bool, optional
        Mask of the numbers to check.

    Examples
    --------
    >>> first_changed(np.array([2**53, 2**53 + 3, 2**53 + 1])), first_changed(np.array([5, 0.5]))
    (9007199254740995, None)
    """
    if np.asarray(numbers).dtype.kind == "O":
        return next((int(number) for number in np.ravel(np.asarray(numbers)) if not _is_float(number)), None)
    if are_floats(numbers):
        return None
    changed = np.atleast_1d(_rounded(numbers) & wanted)
    return int(np.broadcast_to(numbers, changed.shape)[changed][0]) if changed.any() else None


def first_changed_text(floats: Any, strings: Any) -> tuple[int, str] | None:
    """Return row and text of the first integer that has become another as text was read as floats.

    Examples
    --------
    >>> first_changed_text(np.array([0.5, 2.0**53]), pa.array(["0.5", "9007199254740993"]))
    (1, '9007199254740993')
    """
    for row in np.flatnonzero(np.abs(floats) >= EXACT).tolist():
        text = strings[row].as_py()
        try:
            number = int(text)
        except ValueError:
            continue  # Text with a point or an exponent is that of a float.
        if not np.isfinite(floats[row]) or int(floats[row]) != number:
            return row, text
    return None


def _is_float(number: Any) -> bool:
    try:
        return not isinstance(number, int | np.integer) or int(float(number)) == number
    except OverflowError:
        return False


def is_wide(numbers: Any) -> bool:
    """Return whether numbers have a type with values beyond floats: integers of 64 bits."""
    dtype = np.asarray(numbers).dtype
    return dtype.kind in "iu" and dtype.itemsize == 8


def is_mixed(left: Any, right: Any) -> bool:
    """Return whether NumPy would convert two types to float64 although one of them holds wide integers."""
    one, other = np.asarray(left).dtype, np.asarray(right).dtype
    return one != other and (is_wide(left) or is_wide(right)) and np.result_type(one, other) == np.float64


def as_floats(numbers: Any, wanted: Any = True) -> Any:
    """Return numbers as floats, none of them another than before.

    Parameters
    ----------
    numbers : ndarray or scalar
        Numbers to convert.
    wanted : ndarray of bool, optional
        Mask of the numbers that are used; the others may become any number.

    Raises
    ------
    ConversionError
        If a used integer is not exact as a float.
    """
    number = first_changed(numbers, wanted)
    if number is not None:
        raise ConversionError(
            f"the integer {number} would become {int(float(number))} as a float, which is the type that it has in "
            "common with other numbers.",
            hint="make all of them one type first, for example with astype('int64') or astype('uint64'), or "
            "integers floats with astype('float64').",
        )
    return np.asarray(numbers).astype(np.float64, copy=False)[()]


def _rounded(integers: Any) -> Any:
    """Return which integers are not exact as floats: their lowest bits would be lost."""
    magnitude = np.abs(integers).view(np.uint64) if np.asarray(integers).dtype.kind == "i" else np.asarray(integers)
    bits = np.asarray(magnitude, np.uint64)
    # Dividing by the lowest set bit leaves the digits that a float must store.
    lowest = bits & (~bits + np.uint64(1))
    return bits // np.maximum(lowest, np.uint64(1)) > np.uint64(EXACT)


# -------------------------------------------------------------------------------------------------------- comparisons

LIMITS = {"i": (-(2.0**63), 2.0**63), "u": (0.0, 2.0**64)}
"""Floats from the first on and below the second have their whole part among the integers of a kind."""

SWAPPED: dict[np.ufunc, np.ufunc] = {
    np.less: np.greater,
    np.less_equal: np.greater_equal,
    np.greater: np.less,
    np.greater_equal: np.less_equal,
    np.equal: np.equal,
    np.not_equal: np.not_equal,
}

COMPARISONS = {ufunc.__name__: swapped.__name__ for ufunc, swapped in SWAPPED.items()}
"""The comparison that gives the same with its sides the other way round."""


def compare(ufunc: np.ufunc, left: Any, right: Any, out: Any = None) -> Any:
    """Compare numbers by their mathematical values, by one of NumPy's six comparisons.

    Examples
    --------
    >>> compare(np.equal, np.array([2**53 + 1, 2**53]), 2.0**53).tolist()
    [False, True]
    >>> compare(np.less, np.float64(2**63), np.array([2**63, 2**63 + 1], np.uint64)).tolist()
    [False, True]
    """
    of_floats = [np.asarray(side).dtype.kind == "f" for side in (left, right)]
    if of_floats == [False, True] and is_wide(left):
        integers, floats = left, right
    elif of_floats == [True, False] and is_wide(right):
        integers, floats, ufunc = right, left, SWAPPED[ufunc]
    else:
        # NumPy compares integers of different signs exactly.
        return ufunc(left, right, out=out)
    if are_floats(integers):
        return ufunc(integers, floats, out=out)
    found = _compared(ufunc, integers, floats)
    if out is None:
        return found
    out[...] = found
    return out


def _compared(ufunc: np.ufunc, integers: Any, floats: Any) -> Any:
    """Compare integers with whole floats: rounded up or down, so that none is between them and the float."""
    integers, floats = np.asarray(integers), np.asarray(floats, np.float64)
    low, high = LIMITS[integers.dtype.kind]
    below, above = floats < low, floats >= high
    within = np.where((floats >= low) & (floats < high), floats, 0.0)
    upwards = ufunc in (np.less, np.greater_equal)
    rounded = (np.ceil(within) if upwards else np.floor(within)).astype(integers.dtype)
    found = ufunc(integers, rounded)
    if ufunc in (np.equal, np.not_equal):
        found = np.where(np.floor(within) == within, found, ufunc is np.not_equal)
    found = np.where(below, ufunc(1, 0), np.where(above, ufunc(0, 1), found))
    return np.where(np.isnan(floats), ufunc is np.not_equal, found)[()]


def comparable_with(operation: str, number: float, kind: str) -> int | None:
    """Return the integer that compares with integers of a kind like a given float does; None if there is none.

    Examples
    --------
    >>> [comparable_with(operation, 2.5, "int") for operation in ("less", "greater", "equal")]
    [3, 2, None]
    >>> comparable_with("less", float("inf"), "int"), comparable_with("less", -1.0, "uint")
    (None, None)
    """
    low, high = LIMITS[kind[0]]
    if not low <= number < high:
        return None
    if operation in ("equal", "not_equal"):
        return int(number) if number == int(number) else None
    return int(np.ceil(number) if operation in ("less", "greater_equal") else np.floor(number))


# ----------------------------------------------------------------------------------------------------------- choosing


def choose(condition: Any, x: Any, y: Any) -> Any:
    """Return `x` where a condition holds and `y` elsewhere, as floats; selected values must be exact.

    Raises
    ------
    ConversionError
        If an integer that is chosen is no float.
    """
    condition = np.asarray(condition)
    return np.where(condition, as_floats(x, condition), as_floats(y, ~condition))[()]


def extreme(ufunc: np.ufunc, left: Any, right: Any, out: Any = None) -> Any:
    """Return the smaller or larger of two numbers, NaN where one is; see `choose`.

    Examples
    --------
    >>> float(extreme(np.minimum, np.int64(2**53 + 1), np.float64(2**53)))
    9007199254740992.0
    """
    if not is_mixed(left, right) or (are_floats(left) and are_floats(right)):
        return ufunc(left, right, out=out)
    first = compare(np.less if ufunc is np.minimum else np.greater, left, right)
    first = first | (np.isnan(left) if np.asarray(left).dtype.kind == "f" else False)
    found = choose(first, left, right)
    if out is None:
        return found
    out[...] = found
    return out


# --------------------------------------------------------------------------------------------------------------- keys

NATURAL, NEGATIVE, OTHER = 0, 1, 2
"""Kind of a key's word: an integer from 0 on, one below 0, or the bits of a float that is neither."""


def key_kind(numbers: Any, out: Any = None) -> Any:
    """Return the kinds of the words of `key_word`, as uint8: kind and word together identify a number.

    Examples
    --------
    >>> key_kind(np.array([-1, 1])).tolist(), key_kind(np.array([-0.0, 0.5, -2.0, np.nan, 2.0**64])).tolist()
    ([1, 0], [0, 2, 1, 2, 2])
    """
    numbers = np.asarray(numbers)
    if numbers.dtype.kind == "f":
        natural, negative = _integral(numbers)
        found = np.where(natural, NATURAL, np.where(negative, NEGATIVE, OTHER))
    else:
        found = np.where(numbers < 0, NEGATIVE, NATURAL) if numbers.dtype.kind == "i" else np.zeros(numbers.shape)
    return _given(found.astype(np.uint8), out)


def key_word(numbers: Any, out: Any = None) -> Any:
    """Return words that are equal exactly where numbers of one `key_kind` are, whatever their types.

    Examples
    --------
    >>> key_word(np.array([5.0, -0.0])).tolist(), key_word(np.array([True, False])).tolist()
    ([5, 0], [1, 0])
    """
    numbers = np.asarray(numbers)
    match numbers.dtype.kind:
        case "f":
            natural, negative = _integral(numbers)
            upper = natural & (numbers >= 2.0**63)
            low = np.where(upper, numbers - 2.0**63, numbers)
            words = np.where(natural | negative, low, 0.0).astype(np.int64).view(np.uint64)
            words = words + (upper.astype(np.uint64) << np.uint64(63))
            bits = np.where(np.isnan(numbers), np.nan, numbers).view(np.uint64)
            found = np.where(natural | negative, words, bits)
        case "i":
            found = numbers.astype(np.int64, copy=False).view(np.uint64)
        case _:
            found = numbers.astype(np.uint64)
    return _given(found, out)


def _integral(floats: Any) -> tuple[Any, Any]:
    """Return which floats are integers that a column holds: from 0 on, and below."""
    integral = np.floor(floats) == floats
    return integral & (floats >= 0) & (floats < 2.0**64), integral & (floats < 0) & (floats >= -(2.0**63))


def key_text(numbers: Any, out: Any = None) -> Any:
    """Return the digits of floats that are integers, and others as Python writes them: keys beside bigints."""
    digits = [str(int(number)) if number.is_integer() else repr(number) for number in np.atleast_1d(numbers).tolist()]
    return digits[0] if np.ndim(numbers) == 0 else pa.array(digits, pa.large_string())


def _given(found: Any, out: Any) -> Any:
    if out is None:
        return found[()]
    out[...] = found
    return out


# ----------------------------------------------------------------------------------------------------- numbers of files


def widen_into(out: NumberArray, numbers: NumberArray, column: str) -> None:
    """Fill an array with numbers of another type.

    Parameters
    ----------
    out : ndarray
        The numbers in the type of the column.
    numbers : ndarray, same shape
        The stored numbers.
    column : str
        The column, for messages.

    Raises
    ------
    ConversionError
        If the type of the column does not have one of them.

    Examples
    --------
    >>> found = np.empty(2)
    >>> widen_into(found, np.array([1, 2**53]), "x")
    >>> found
    array([1.00000000e+00, 9.00719925e+15])
    """
    if len(numbers) and numbers.dtype.kind in "iu":
        if out.dtype.kind == "f":
            _check_floats(numbers, column)
        elif out.dtype.kind in "iu" and not np.can_cast(numbers.dtype, out.dtype):
            _check_integers(numbers, out.dtype, column)
    np.copyto(out, numbers, casting="unsafe")


def _check_floats(integers: NumberArray, column: str) -> None:
    number = first_changed(integers)
    if number is not None:
        raise ConversionError(
            f"the integer {number} of column {column!r} would become {int(float(number))}: the column is float64, "
            "since rows of it are null or other files have floats.",
            hint="read the files of integers by themselves, or write the column without nulls.",
        )


def _check_integers(integers: NumberArray, wanted: np.dtype[Any], column: str) -> None:
    limits = np.iinfo(wanted)
    for number in (int(integers.min()), int(integers.max())):
        if not limits.min <= number <= limits.max:
            raise ConversionError(
                f"the integer {number} of column {column!r} is no {wanted}, as the column is in other files.",
                hint="read the files of each type by themselves.",
            )
