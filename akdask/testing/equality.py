"""One assertion for everything lazy: values, dtype, order, and where asked, laziness and partitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from akdask.collections.core.base import Collection
from akdask.deferred import pd
from akdask.typing import NumberArray

SHOWN = 5


def assert_equal(
    left: Any,
    right: Any,
    *,
    check_dtype: bool = True,
    lazy: bool | None = None,
    lengths: Sequence[int] | None = None,
) -> None:
    """Assert that two arrays, tables or numbers have the same elements of the same types in the same order.

    Computes what is lazy.

    Parameters
    ----------
    left, right : object
        Lazy arrays, DataFrames or scalars, NumPy arrays, pandas objects, Arrow arrays, mappings of column names to
        any of these, lists or numbers.  A Categorical counts as its labels.  NaN equals NaN; 0.0 equals -0.0.
    check_dtype : bool, default True
        Also compare dtypes; strings are one type, whatever their length.  Lists have no dtype to compare.
    lazy : bool, optional
        Also assert that `left` is lazy, or is not.
    lengths : sequence of int, optional
        Also assert the numbers of rows in the partitions of `left`; counts them if they are unknown.

    Raises
    ------
    AssertionError
        If they differ; the message tells where.

    Examples
    --------
    >>> assert_equal(ak.arange(3) * 2, np.array([0, 2, 4]), lazy=True, lengths=[3])
    >>> assert_equal(ak.array([1, 5, 3]), [1, 2, 3])
    Traceback (most recent call last):
    AssertionError: 1 of 3 elements differ.
      [1]: 5 != 2
    """
    __tracebackhide__ = True
    if lazy is not None:
        found = "lazy" if isinstance(left, Collection) else "in memory"
        _demand(isinstance(left, Collection) == lazy, f"left is {found}: {type(left).__name__}.")
    if lengths is not None:
        counted = list(left.resolve_lengths().rows.lengths)
        _demand(counted == list(lengths), f"partition lengths are {counted}, not {list(lengths)}.")
    _compare(_in_memory(left), _in_memory(right), check_dtype=check_dtype)


def _demand(condition: bool, message: str) -> None:
    """Unlike the statement `assert`, also when Python runs with -O."""
    __tracebackhide__ = True
    if not condition:
        raise AssertionError(message)


def _in_memory(item: Any) -> Any:
    """Return a dict of columns for a table, else a list or a NumPy array; of no dimension for a single number."""
    if isinstance(item, Collection):
        item = item.compute()
    match item:
        case pd.DataFrame():
            return {name: _in_memory(item[name]) for name in item.columns}
        case Mapping():
            return {name: _in_memory(column) for name, column in item.items()}
        case pd.Series() | pd.Index() | pd.Categorical():
            return _flat(np.asarray(item))
        case pa.Array() | pa.ChunkedArray():
            return _flat(item.to_numpy(zero_copy_only=False))
        case list() | tuple() | range():
            return list(item)
    return _flat(np.asarray(item))


def _flat(array: NumberArray) -> NumberArray:
    """Return text as NumPy strings, whatever array it came in."""
    if array.dtype.kind in "OT" and all(isinstance(element, str) for element in array.ravel()):
        return array.astype(str)
    return array


def _compare(left: Any, right: Any, *, check_dtype: bool) -> None:
    __tracebackhide__ = True
    if isinstance(left, dict) and isinstance(right, dict):
        _demand(list(left) == list(right), f"columns are {list(left)}, not {list(right)}.")
        for name in left:
            try:
                _compare(left[name], right[name], check_dtype=check_dtype)
            except AssertionError as error:
                raise AssertionError(f"column {name!r}: {error}") from None
        return
    _demand(not isinstance(left, dict), "left is a table, right is not.")
    _demand(not isinstance(right, dict), "right is a table, left is not.")
    typed = not isinstance(left, list) and not isinstance(right, list)
    _compare_arrays(_flat(np.asarray(left)), _flat(np.asarray(right)), check_dtype=check_dtype and typed)


def _compare_arrays(left: NumberArray, right: NumberArray, *, check_dtype: bool) -> None:
    __tracebackhide__ = True
    _demand(left.shape == right.shape, f"shape is {left.shape}, not {right.shape}.")
    if check_dtype:
        names = _type_name(left), _type_name(right)
        _demand(names[0] == names[1], f"dtype is {names[0]}, not {names[1]}.")
    left, right = np.atleast_1d(left, right)
    equal = np.broadcast_to(left == right, left.shape)
    if left.dtype.kind == right.dtype.kind == "f":
        equal = equal | (np.isnan(left) & np.isnan(right))
    wrong = np.flatnonzero(~equal)
    lines = [f"  [{position}]: {left[position]} != {right[position]}" for position in wrong[:SHOWN]]
    _demand(not len(wrong), "\n".join([f"{len(wrong)} of {len(equal)} elements differ.", *lines]))


def _type_name(array: NumberArray) -> str:
    return "str" if array.dtype.kind == "U" else array.dtype.name
