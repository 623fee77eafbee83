"""Checks of any objects: values, dtype and order; also of NumPy's and pandas' objects, converted to akdask's."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec

import numpy as np
import pyarrow as pa

from akdask.arrays.array import Array, Collection
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.ndarray import ArrayView
from akdask.arrays.pdarray import pdarray
from akdask.deferred import pd
from akdask.errors import ArgumentTypeError
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex
from akdask.frames.series import Series
from akdask.testing.asserters import (
    Tolerance,
    assert_arkouda_array_equal,
    assert_class_equal,
    assert_frame_equal,
    assert_index_equal,
    assert_series_equal,
    check_class,
    demand,
    differences,
    raise_assert_detail,
    raise_values_differ,
)
from akdask.typing import NumberArray

P = ParamSpec("P")

SHOWN = 5


def assert_equal(left: Any, right: Any, **kwargs: Any) -> None:
    """Check that two objects are equal: objects of akdask by their own checks, others by their elements.

    Computes lazy objects.

    Parameters
    ----------
    left, right : object
        Two objects of akdask are compared as `assert_arkouda_array_equal`, `assert_index_equal`,
        `assert_series_equal` or `assert_frame_equal` do, class and labels included.

        Other elements are compared in order: lazy arrays, DataFrames or scalars, NumPy arrays, pandas objects, Arrow
        arrays, mappings of column names to any of these, lists or numbers.  A Categorical is compared by its labels.
        NaN equals NaN; 0.0 equals -0.0.  All strings are of one type, whatever their length, and the dtypes of lists
        are not compared.
    **kwargs
        ``check_dtype=False`` ignores types.  ``lazy=True`` or ``False`` also requires that `left` is lazy, or is not.
        ``lengths=[3, 2]`` requires partitions of `left` with these numbers of rows, which are counted.  Two objects of
        akdask accept the options of the check for their kind.

    Raises
    ------
    AssertionError
        If they differ; the message names the place.

    Examples
    --------
    >>> assert_equal(ak.arange(3) * 2, np.array([0, 2, 4]), lazy=True, lengths=[3])
    >>> assert_equal(ak.array([1, 5, 3]), [1, 2, 3])
    Traceback (most recent call last):
    AssertionError: 1 of 3 elements differ.
      [1]: 5 != 2
    """
    __tracebackhide__ = True
    _check_plan(left, kwargs.pop("lazy", None), kwargs.pop("lengths", None))
    check = _check_for(left) if _check_for(right) is not None else None
    if check is not None:
        check(left, right, **kwargs)
        return
    _compare(_in_memory(left), _in_memory(right), **{"check_dtype": True, **kwargs})


def _check_for(item: Any) -> Callable[..., None] | None:
    """Return the check for objects of one of akdask's kinds, None for others."""
    match item:
        case Index():
            return assert_index_equal
        case DataFrame():
            return assert_frame_equal
        case Array() | ArrayView():
            return assert_arkouda_array_equal
        case Series():
            return assert_series_equal
    return None


def _check_plan(item: Any, lazy: bool | None, lengths: Sequence[int] | None) -> None:
    """Check whether something is lazy, and how many rows its partitions have."""
    __tracebackhide__ = True
    if lazy is not None:
        found = "lazy" if isinstance(item, Collection) else "in memory"
        demand(isinstance(item, Collection) == lazy, f"left is {found}: {type(item).__name__}.")
    if lengths is not None:
        counted = list(item.resolve_lengths().rows.lengths)
        demand(counted == list(lengths), f"partition lengths are {counted}, not {list(lengths)}.")


def assert_almost_equal(left: Any, right: Any, rtol: float = 1e-5, atol: float = 1e-8, **kwargs: Any) -> None:
    """Check that two objects are equal except for numbers, which may differ a little; computes.

    Parameters
    ----------
    left, right : object
        Objects of akdask of one class, or numbers.
    rtol, atol : float
        How far numbers may be apart: relative to the right one, and beside that.
    **kwargs
        Options of the check for their kind.

    Examples
    --------
    >>> ak.assert_almost_equal(ak.array([1.0]), ak.array([1.0 + 1e-9]))
    """
    __tracebackhide__ = True
    check = _check_for(left)
    if check in {assert_index_equal, assert_series_equal, assert_frame_equal}:
        check(left, right, **{"check_exact": False, "rtol": rtol, "atol": atol, **kwargs})
    elif check is None:
        if not (np.isscalar(left) and np.isscalar(right)):
            assert_class_equal(left, right)
        is_near = np.allclose(left, right, rtol, atol, equal_nan=True)
        demand(is_near, f"expected {right!r} with tolerance {rtol}, {atol}, got {left!r}")
    elif not (isinstance(left, pdarray | ArrayView) and isinstance(right, pdarray | ArrayView)):
        assert_arkouda_array_equal(left, right)
    else:
        _check_near(left, right, (rtol, atol), kwargs.get("obj", "pdarray"))


def _check_near(left: Any, right: Any, tolerance: Tolerance, obj: str) -> None:
    """Check that the numbers of two arrays are near each other."""
    __tracebackhide__ = True
    assert_class_equal(left, right, obj=obj)
    if left.shape != right.shape:
        raise_assert_detail(obj, f"{obj} shapes are different", left.shape, right.shape)
    count = differences(left, right, tolerance)
    if int(count):
        raise_values_differ(left, right, count, obj)


def assert_dict_equal(left: Any, right: Any, compare_keys: bool = True) -> None:
    """Check that two dicts have the same keys, and values that are almost equal; computes.

    Parameters
    ----------
    left, right : dict
        The two.
    compare_keys : bool, default True
        Otherwise the right one may have more.

    Examples
    --------
    >>> ak.assert_dict_equal({"x": 1}, {"x": 1})
    """
    __tracebackhide__ = True
    check_class(left, right, dict)
    if compare_keys:
        demand(left.keys() == right.keys(), f"keys are {list(left)}, not {list(right)}.")
    for key, item in left.items():
        assert_almost_equal(item, right[key])


def assert_copy(iter1: Iterable[Any], iter2: Iterable[Any], **eql_kwargs: Any) -> None:
    """Check that the elements of two sequences are almost equal, but not the same objects.

    Parameters
    ----------
    iter1, iter2 : iterable
        The two.
    **eql_kwargs
        Options of `assert_almost_equal`.

    Examples
    --------
    >>> a = ak.array([3, 1, 3])
    >>> ak.assert_copy([a], [a.copy()])
    """
    __tracebackhide__ = True
    for own, its in zip(iter1, iter2, strict=True):
        assert_almost_equal(own, its, **eql_kwargs)
        demand(own is not its, f"expected {type(own).__name__} objects that are copies, got one object twice.")


def _in_memory(item: Any) -> Any:
    """Return a dict of columns for a table, else a list or a NumPy array; zero-dimensional for a single number."""
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
    """Return text as NumPy strings, from any array."""
    if array.dtype.kind in "OT" and all(isinstance(element, str) for element in array.ravel()):
        return array.astype(str)
    return array


def _compare(left: Any, right: Any, *, check_dtype: bool) -> None:
    __tracebackhide__ = True
    if isinstance(left, dict) and isinstance(right, dict):
        demand(list(left) == list(right), f"columns are {list(left)}, not {list(right)}.")
        for name in left:
            try:
                _compare(left[name], right[name], check_dtype=check_dtype)
            except AssertionError as error:
                raise AssertionError(f"column {name!r}: {error}") from None
        return
    demand(not isinstance(left, dict), "left is a table, right is not.")
    demand(not isinstance(right, dict), "right is a table, left is not.")
    typed = not isinstance(left, list) and not isinstance(right, list)
    _compare_arrays(_flat(np.asarray(left)), _flat(np.asarray(right)), check_dtype=check_dtype and typed)


def _compare_arrays(left: NumberArray, right: NumberArray, *, check_dtype: bool) -> None:
    __tracebackhide__ = True
    demand(left.shape == right.shape, f"shape is {left.shape}, not {right.shape}.")
    if check_dtype:
        names = _type_name(left), _type_name(right)
        demand(names[0] == names[1], f"dtype is {names[0]}, not {names[1]}.")
    left, right = np.atleast_1d(left, right)
    equal = np.broadcast_to(left == right, left.shape)
    if left.dtype.kind == right.dtype.kind == "f":
        equal = equal | (np.isnan(left) & np.isnan(right))
    wrong = np.flatnonzero(~equal)
    lines = [f"  [{position}]: {left[position]} != {right[position]}" for position in wrong[:SHOWN]]
    demand(not len(wrong), "\n".join([f"{len(wrong)} of {len(equal)} elements differ.", *lines]))


def _type_name(array: NumberArray) -> str:
    return "str" if array.dtype.kind == "U" else array.dtype.name


def _convert_to_arkouda(item: Any) -> Any:
    """Return the akdask form of an object of NumPy or pandas; akdask's objects and plain numbers unchanged."""
    match item:
        case pd.MultiIndex():
            return MultiIndex(item)
        case pd.Index():
            return Index(item)
        case pd.Series():
            return Series(item)
        case pd.DataFrame():
            return DataFrame(item)
        case pd.Categorical():
            return Categorical(item)
        case np.ndarray():
            return array(np.ascontiguousarray(item))
        case bool() | int() | float() | str() | np.generic():
            return item
    if isinstance(item, Collection | Index | ArrayView):
        return item
    raise ArgumentTypeError(
        f"objects of akdask, NumPy and pandas are compared, not {type(item).__name__}.",
        hint="make it an array with np.array(…).",
    )


def assert_almost_equivalent(left: Any, right: Any, rtol: float = 1e-5, atol: float = 1e-8) -> None:
    """Check that two objects are equal except for slightly different numbers; see `assert_almost_equal`.

    Parameters
    ----------
    left, right : object
        Objects of akdask, NumPy or pandas, or numbers.
    rtol, atol : float
        How far numbers may be apart: relative to the right one, and beside that.

    Examples
    --------
    >>> ak.assert_almost_equivalent(ak.array([1.0]), np.array([1.0 + 1e-9]))
    """
    __tracebackhide__ = True
    assert_almost_equal(_convert_to_arkouda(left), _convert_to_arkouda(right), rtol, atol)


def _equivalent(
    check: Callable[Concatenate[Any, Any, P], None], example: str, kind: str | None = None, **defaults: Any
) -> Any:
    """Return a check that takes objects of NumPy and pandas, too, of a class of both if one is named.

    Other `defaults` of options, which have no effect, are Arkouda's.

    Raises
    ------
    ArgumentTypeError
        When it is called, if one of the two is no object of the class.
    """

    @wraps(check)
    def compare(left: Any, right: Any, *args: P.args, **options: P.kwargs) -> None:
        __tracebackhide__ = True
        for item in (left, right):
            if kind is not None and not isinstance(item, (KINDS[kind], getattr(pd, kind))):
                raise ArgumentTypeError(f"{name} compares {kind}, not {type(item).__name__}.")
        check(_convert_to_arkouda(left), _convert_to_arkouda(right), *args, **options)

    name = check.__name__.replace("_equal", "_equivalent")
    compare.__name__ = compare.__qualname__ = name
    compare.__module__ = __name__
    compare.__doc__ = f"""Check that objects of akdask, NumPy or pandas are equal; see `{check.__name__}` for options.

    Parameters
    ----------
    left, right : {f"{kind} or pandas.{kind}" if kind else "array, numpy.ndarray or pandas.Categorical"}
        The two.

    Examples
    --------
    >>> ak.{name}({example})
    """
    parameters = inspect.signature(check).parameters.items()
    signature = inspect.Signature([one.replace(default=defaults.get(key, one.default)) for key, one in parameters])
    compare.__signature__ = signature  # type: ignore[attr-defined]
    return compare


KINDS = {"Index": Index, "Series": Series, "DataFrame": DataFrame}

assert_arkouda_array_equivalent = _equivalent(assert_arkouda_array_equal, "ak.array([1, 2]), np.array([1, 2])")
assert_index_equivalent = _equivalent(
    assert_index_equal, "ak.Index(ak.array([1, 2])), ak.Index(ak.arange(1, 3)).to_pandas()", "Index"
)
assert_series_equivalent = _equivalent(
    assert_series_equal, "ak.Series([1, 2]), ak.Series([1, 2]).to_pandas()", "Series"
)
assert_frame_equivalent = _equivalent(
    assert_frame_equal,
    'ak.DataFrame({"x": [1]}), ak.DataFrame({"x": [1]}).to_pandas()',
    "DataFrame",
    check_column_type=True,
)


def assert_equivalent(left: Any, right: Any, **kwargs: Any) -> None:
    """Check that two objects are equal, where either may be one of NumPy or pandas.

    Parameters
    ----------
    left, right : object
        The two.
    **kwargs
        Options of the check for their kind.

    Examples
    --------
    >>> assert_equivalent(ak.arange(3) + 1, np.array([1, 2, 3]))
    """
    __tracebackhide__ = True
    if isinstance(left, Index | pd.Index):
        assert_index_equivalent(left, right, **kwargs)
    elif isinstance(left, Series | pd.Series):
        assert_series_equivalent(left, right, **kwargs)
    elif isinstance(left, DataFrame | pd.DataFrame):
        assert_frame_equivalent(left, right, **kwargs)
    elif isinstance(left, str):
        demand(left == right, f"{left!r} != {right!r}")
    elif isinstance(left, bool | int | float | np.generic):
        assert_almost_equivalent(left, right, **kwargs)
    else:
        assert_arkouda_array_equivalent(left, right, **kwargs)
