"""Which type values of several types have together, and which types can be cast to which, as Arkouda has it.

Sources: NumPy's rules; those for integers of any size, and for single integers, are of Arkouda's ``numpy/dtypes.py``.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from akdask.schema.bigint import BigintDtype, bigint, bigint_
from akdask.schema.dtypes import dtype
from akdask.schema.scalar_types import check_casting


def _dtype_of(item: Any) -> np.dtype[Any] | BigintDtype:
    """Return the dtype of an array, a single value, a type or a name."""
    if isinstance(item, bigint_):
        return bigint
    if isinstance(item, bool | np.bool_):
        return np.dtype(bool)
    return dtype(item)


def can_cast(
    from_dt: Any, to_dt: Any, casting: Literal["no", "equiv", "safe", "same_kind", "unsafe"] | None = "safe"
) -> bool:
    """Whether values of one type can be cast to another.

    Parameters
    ----------
    from_dt, to_dt : dtype-like, array or number
        The types.  Of a single integer it is asked whether that integer fits.
    casting : {"safe", "no", "equiv", "same_kind", "unsafe"}
        The rule, by NumPy's names.

    Raises
    ------
    ArgumentError
        If there is no such rule.
    ArgumentTypeError
        If one of the two is no type.

    Notes
    -----
    Follows ``arkouda.can_cast``: integers fit into ``ak.bigint``, which can become floats but no narrower integers.

    Examples
    --------
    >>> can_cast("int64", "float64"), can_cast("bigint", "int64"), can_cast(300, "uint8"), can_cast(200, "uint8")
    (True, False, False, True)
    """
    rule = "safe" if casting is None else casting
    check_casting(rule)
    source, target = _dtype_of(from_dt), _dtype_of(to_dt)
    if isinstance(target, BigintDtype):
        return isinstance(source, BigintDtype) or source.kind in "iu"
    if isinstance(source, BigintDtype):
        return target.kind in "fO"
    is_integer = isinstance(from_dt, int) and not isinstance(from_dt, bool)
    if is_integer and rule == "safe" and target.kind in "iu":
        bounds = np.iinfo(target)
        return bool(bounds.min <= from_dt <= bounds.max)
    return np.can_cast(source, target, casting=rule)


def result_type(*args: Any) -> np.dtype[Any] | BigintDtype:
    """Return the dtype that values of some types have together.

    Parameters
    ----------
    *args : dtype-like, array or number
        The types.

    Raises
    ------
    ArgumentTypeError
        If one of them is no type.

    Notes
    -----
    Follows ``arkouda.result_type``: with ``ak.bigint`` the result is that, or float64 if there are floats; a single
    integer from 0 goes with unsigned ones.

    Examples
    --------
    >>> result_type("int64", "uint64"), result_type(2**100, 5), result_type("bigint", 1.5)
    (dtype('float64'), dtype(bigint), dtype('float64'))
    """
    found = [_dtype_of(item) for item in args]
    plain = [item for item in found if isinstance(item, np.dtype)]
    if len(plain) < len(found):
        return np.dtype(np.float64) if any(item.kind in "fc" for item in plain) else bigint
    unsigned = [item for item in plain if item.kind == "u"]
    is_natural = any(isinstance(item, int) and not isinstance(item, bool) and item >= 0 for item in args)
    if unsigned and is_natural and all(item.kind in "iu" for item in plain):
        return max(unsigned, key=lambda item: item.itemsize)
    return np.result_type(*plain)
