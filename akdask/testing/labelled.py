"""Checks of what has labels: Index, Series and DataFrame; see `akdask.testing.asserters`."""

from __future__ import annotations

from typing import Any

import dask

from akdask.collections.arrays.sorting import argsort, coargsort
from akdask.collections.frame.dataframe import DataFrame
from akdask.collections.frame_core.index import Index, MultiIndex
from akdask.collections.series.series import Series
from akdask.collections.text.categorical import Categorical
from akdask.errors import ArgumentError
from akdask.testing.asserters import (
    Tolerance,
    assert_attr_equal,
    assert_categorical_equal,
    assert_class_equal,
    check_class,
    differences,
    raise_assert_detail,
    raise_values_differ,
)

NUMBERS = frozenset({"int", "uint", "float", "bigint"})


def assert_index_equal(  # noqa: PLR0917 - Arkouda's signature
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
    """Check that two indexes have the same labels in the same order; computes.

    Parameters
    ----------
    left, right : Index
        The two, of one level or of several.
    exact : bool, default True
        Compare classes and types of labels as well.
    check_names : bool, default True
        Compare the names of levels as well.
    check_exact : bool, default True
        Demand that numbers are the same; otherwise they may be apart by `rtol` and `atol`.
    check_categorical : bool, default True
        Compare the labels of Categoricals and their order as well.
    check_order : bool, default True
        Otherwise labels are put in order before.
    rtol, atol : float
        How far floats may be apart: relative to the right one, and beside that.
    obj : str
        What messages call them.
    """
    __tracebackhide__ = True
    check_class(left, right, Index)
    if exact:
        assert_class_equal(left, right, obj=obj)
        assert_attr_equal("inferred_type", left, right, obj=obj)
        assert_attr_equal("dtype", left, right, obj=obj)
    if left.nlevels != right.nlevels:
        raise_assert_detail(obj, f"{obj} levels are different", f"{left.nlevels}, {left}", f"{right.nlevels}, {right}")
    if len(left) != len(right):
        raise_assert_detail(obj, f"{obj} length are different", f"{len(left)}, {left}", f"{len(right)}, {right}")
    if not check_order:
        left, right = left[left.argsort()], right[right.argsort()]
    tolerance = None if check_exact else (rtol, atol)
    is_multi = isinstance(left, MultiIndex)
    names = [f"MultiIndex level [{number}]" for number in range(left.nlevels)] if is_multi else [obj]
    pairs = list(zip(left._levels, right._levels, names, strict=True))
    for own, its, name in pairs:
        _check_kinds(own, its, exact, name)
    _check_values(pairs, tolerance)
    if check_names:
        assert_attr_equal("names", left, right, obj=obj)
    if check_categorical:
        for own, its, _ in pairs:
            if isinstance(own, Categorical) and exact:
                assert_categorical_equal(own, its, obj=f"{obj} category")


def assert_series_equal(  # noqa: PLR0917 - Arkouda's signature
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
    """Check that two Series have the same values and labels in the same order; computes.

    Parameters
    ----------
    left, right : Series
        The two.
    check_dtype : bool, default True
        Compare the types of values as well.
    check_index_type : bool, default True
        Compare classes and types of labels as well.
    check_series_type : bool, default True
        Compare the classes of the two.
    check_names : bool, default True
        Compare names as well.
    check_exact : bool, default False
        Demand that numbers are the same; otherwise they may be apart by `rtol` and `atol`.
    check_categorical, check_category_order : bool, default True
        Compare the labels of Categoricals as well, and their order.
    rtol, atol : float
        How far floats may be apart: relative to the right one, and beside that.
    obj : str
        What messages call them.
    check_index : bool, default True
        Compare labels.
    check_like : bool, default False
        Put both in the order of their labels before.

    Raises
    ------
    AssertionError
        If they differ.
    ArgumentError
        If labels are not compared and yet give the order.
    """
    __tracebackhide__ = True
    if check_like and not check_index:
        raise ArgumentError("check_like must be False if check_index is False")
    check_class(left, right, Series)
    if check_series_type:
        assert_class_equal(left, right, obj=obj)
    if len(left) != len(right):
        sizes = f"{len(left)}, {left.index}", f"{len(right)}, {right.index}"
        raise_assert_detail(obj, "Series length are different", *sizes)
    own, its = left.values, right.values
    if check_like:
        own, its = own[left.index.argsort()], its[right.index.argsort()]
    if check_index:
        assert_index_equal(
            left.index,
            right.index,
            exact=check_index_type,
            check_names=check_names,
            check_exact=check_exact,
            check_categorical=check_categorical,
            check_order=not check_like,
            rtol=rtol,
            atol=atol,
            obj=f"{obj}.index",
        )
    _check_kinds(own, its, check_dtype, obj)
    _check_values([(own, its, obj)], None if check_exact else (rtol, atol), left.index)
    if check_names:
        assert_attr_equal("name", left, right, obj=obj)
    if check_categorical and isinstance(own, Categorical) and isinstance(its, Categorical):
        assert_categorical_equal(own, its, check_dtype, check_category_order, f"{obj} category")


def assert_frame_equal(  # noqa: PLR0917 - Arkouda's signature
    left: Any,
    right: Any,
    check_dtype: bool = True,
    check_index_type: bool = True,
    check_column_type: bool | str = "equiv",
    check_frame_type: bool = True,
    check_names: bool = True,
    check_exact: bool = True,
    check_categorical: bool = True,
    check_like: bool = False,
    rtol: float = 1e-5,
    atol: float = 1e-8,
    obj: str = "DataFrame",
) -> None:
    """Check that two DataFrames have the same columns and labels in the same order; computes once for all columns.

    Parameters
    ----------
    left, right : DataFrame
        The two.
    check_dtype : bool, default True
        Compare the types of columns as well.
    check_index_type : bool, default True
        Compare classes and types of labels as well.
    check_column_type : bool or {"equiv"}
        Accepted for compatibility with Arkouda: columns are named by str.
    check_frame_type : bool, default True
        Compare the classes of the two.
    check_names : bool, default True
        Compare the names of labels as well.
    check_exact : bool, default True
        Demand that numbers are the same; otherwise they may be apart by `rtol` and `atol`.
    check_categorical : bool, default True
        Compare the labels of Categoricals and their order as well.
    check_like : bool, default False
        Columns may be in another order, and rows too, with their labels.
    rtol, atol : float
        How far floats may be apart: relative to the right one, and beside that.
    obj : str
        What messages call them.
    """
    __tracebackhide__ = True
    check_class(left, right, DataFrame)
    if check_frame_type:
        assert_class_equal(left, right, obj=obj)
    if left.shape != right.shape:
        raise_assert_detail(obj, f"{obj} shape mismatch", f"{left.shape}", f"{right.shape}")
    names = sorted(left.columns), sorted(right.columns)
    if not check_like:
        names = list(left.columns), list(right.columns)
    if names[0] != names[1]:
        raise_assert_detail(f"{obj}.columns", f"{obj}.columns values are different", *names)
    if check_like:
        left, right = left[_order_of(left.index)], right[_order_of(right.index)]
    assert_index_equal(
        left.index,
        right.index,
        exact=check_index_type,
        check_names=check_names,
        check_exact=check_exact,
        check_categorical=check_categorical,
        rtol=rtol,
        atol=atol,
        obj=f"{obj}.index",
    )
    own, its = left._columns, right._columns
    pairs = [
        (own.array(name), its.array(name), f'{obj}.iloc[:, {number}] (column name="{name}")')
        for number, name in enumerate(left.columns)
    ]
    for first, second, name in pairs:
        _check_kinds(first, second, check_dtype, name)
    _check_values(pairs, None if check_exact else (rtol, atol))
    if check_categorical:
        for first, second, name in pairs:
            if isinstance(first, Categorical) and isinstance(second, Categorical):
                assert_categorical_equal(first, second, check_dtype, obj=f"{name} category")


def _order_of(index: Index) -> Any:
    return coargsort(index.levels) if isinstance(index, MultiIndex) else argsort(index.values)


def _check_kinds(left: Any, right: Any, exact: bool, obj: str) -> None:
    """Check that elements can be compared: of one class, or both numbers where types do not matter."""
    __tracebackhide__ = True
    if exact or not (_is_numeric(left) and _is_numeric(right)):
        assert_class_equal(left, right, obj=obj)
    if exact:
        assert_attr_equal("dtype", left, right, obj=f"Attributes of {obj}")


def _check_values(pairs: list[tuple[Any, Any, str]], tolerance: Tolerance | None, labels: Any = None) -> None:
    """Check that the arrays of pairs have the same elements; computes once for all of them."""
    __tracebackhide__ = True
    counts = dask.compute(*[differences(own, its, tolerance if _is_numeric(own) else None) for own, its, _ in pairs])
    for (own, its, name), count in zip(pairs, counts, strict=True):
        if count:
            raise_values_differ(own, its, count, name, labels)


def _is_numeric(values: Any) -> bool:
    return not isinstance(values, Categorical) and values._value.dtype.kind in NUMBERS
