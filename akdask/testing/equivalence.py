"""Checks that also accept objects of NumPy and pandas on either side, converted to akdask's."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.arrays.array import Collection
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.ndarray import ArrayView
from akdask.deferred import pd
from akdask.errors import ArgumentTypeError
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex
from akdask.frames.series import Series
from akdask.testing.asserters import (
    assert_arkouda_array_equal,
    assert_frame_equal,
    assert_index_equal,
    assert_series_equal,
    demand,
)
from akdask.testing.equality import assert_almost_equal


def _made_lazy(item: Any) -> Any:
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


def _check_takes(name: str, left: Any, right: Any, *kinds: type) -> None:
    """Refuse objects that a check does not support.

    Raises
    ------
    ArgumentTypeError
        If one of the two is no object of the class.
    """
    for item in (left, right):
        if not isinstance(item, kinds):
            wanted = sorted({kind.__name__ for kind in kinds})
            raise ArgumentTypeError(f"{name} compares {' or '.join(wanted)}, not {type(item).__name__}.")


def assert_almost_equivalent(left: Any, right: Any, rtol: float = 1e-5, atol: float = 1e-8) -> None:
    """Check that two objects are equal except for slightly different numbers; see `assert_almost_equal`.

    Parameters
    ----------
    left, right : object
        Objects of akdask, NumPy or pandas, or numbers.
    rtol, atol : float
        How far numbers may be apart: relative to the right one, and beside that.
    """
    __tracebackhide__ = True
    assert_almost_equal(_made_lazy(left), _made_lazy(right), rtol, atol)


def assert_arkouda_array_equivalent(  # noqa: PLR0917 - Arkouda's signature
    left: Any,
    right: Any,
    check_dtype: bool = True,
    err_msg: str | None = None,
    check_same: str | None = None,
    obj: str = "pdarray",
    index_values: Any = None,
) -> None:
    """Check that two arrays have the same elements in the same order; see `assert_arkouda_array_equal`.

    Parameters
    ----------
    left, right : pdarray, Strings, Categorical, SegArray, numpy.ndarray or pandas.Categorical
        The arrays.
    check_dtype, err_msg, check_same, obj, index_values
        As in `assert_arkouda_pdarray_equal`.
    """
    __tracebackhide__ = True
    own, its = _made_lazy(left), _made_lazy(right)
    assert_arkouda_array_equal(own, its, check_dtype, err_msg, check_same, obj, index_values)


def assert_index_equivalent(  # noqa: PLR0917 - Arkouda's signature
    left: Any,
    right: Any,
    exact: bool = True,
    check_names: bool = True,
    check_exact: bool = True,
    check_categorical: bool = True,
    check_order: bool = True,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    obj: str = "Index",
) -> None:
    """Check that two indexes have the same labels; see `assert_index_equal`.

    Parameters
    ----------
    left, right : Index or pandas.Index
        The two.
    exact, check_names, check_exact, check_categorical, check_order, rtol, atol, obj
        As in `assert_index_equal`.
    """
    __tracebackhide__ = True
    _check_takes("assert_index_equivalent", left, right, Index, pd.Index)
    options = exact, check_names, check_exact, check_categorical, check_order, rtol, atol, obj
    assert_index_equal(_made_lazy(left), _made_lazy(right), *options)


def assert_series_equivalent(  # noqa: PLR0917 - Arkouda's signature
    left: Any,
    right: Any,
    check_dtype: bool = True,
    check_index_type: bool = True,
    check_series_type: bool = True,
    check_names: bool = True,
    check_exact: bool = False,
    check_categorical: bool = True,
    check_category_order: bool = True,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    obj: str = "Series",
    *,
    check_index: bool = True,
    check_like: bool = False,
) -> None:
    """Check that two Series have the same values and labels; see `assert_series_equal`.

    Parameters
    ----------
    left, right : Series or pandas.Series
        The two.
    check_dtype, check_index_type, check_series_type, check_names, check_exact, check_categorical, check_category_order
        As in `assert_series_equal`.
    rtol, atol, obj, check_index, check_like
        As in `assert_series_equal`.
    """
    __tracebackhide__ = True
    _check_takes("assert_series_equivalent", left, right, Series, pd.Series)
    assert_series_equal(
        _made_lazy(left),
        _made_lazy(right),
        check_dtype,
        check_index_type,
        check_series_type,
        check_names,
        check_exact,
        check_categorical,
        check_category_order,
        rtol,
        atol,
        obj,
        check_index=check_index,
        check_like=check_like,
    )


def assert_frame_equivalent(  # noqa: PLR0917 - Arkouda's signature
    left: Any,
    right: Any,
    check_dtype: bool = True,
    check_index_type: bool = True,
    check_column_type: bool = True,
    check_frame_type: bool = True,
    check_names: bool = True,
    check_exact: bool = True,
    check_categorical: bool = True,
    check_like: bool = False,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    obj: str = "DataFrame",
) -> None:
    """Check that two DataFrames have the same columns and labels; see `assert_frame_equal`.

    Parameters
    ----------
    left, right : DataFrame or pandas.DataFrame
        The two.
    check_dtype, check_index_type, check_column_type, check_frame_type, check_names, check_exact, check_categorical
        As in `assert_frame_equal`.
    check_like, rtol, atol, obj
        As in `assert_frame_equal`.
    """
    __tracebackhide__ = True
    _check_takes("assert_frame_equivalent", left, right, DataFrame, pd.DataFrame)
    assert_frame_equal(
        _made_lazy(left),
        _made_lazy(right),
        check_dtype,
        check_index_type,
        check_column_type,
        check_frame_type,
        check_names,
        check_exact,
        check_categorical,
        check_like,
        rtol,
        atol,
        obj,
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
    >>> import akdask as ak
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
