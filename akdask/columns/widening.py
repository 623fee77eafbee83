"""Numbers of files in the type that their column has in all files: a value that would change is an error."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.columns.exact import first_changed
from akdask.errors import ConversionError
from akdask.typing import NumberArray


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
