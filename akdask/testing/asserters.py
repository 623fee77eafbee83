"""Checks of arrays, in the manner of `pandas.testing`: they raise AssertionError that shows the difference.

Elements are compared on the workers; this process receives the numbers of differences, and only the elements to show.
Sources: Arkouda's ``testing/_asserters.py``, and pandas for the form of messages.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, NoReturn

import dask
import numpy as np

from akdask.arrays.array import Array, wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.elementwise import elementwise
from akdask.arrays.ipv4 import IPv4
from akdask.arrays.ndarray import ArrayView
from akdask.arrays.pdarray import pdarray
from akdask.arrays.segarray import SegArray
from akdask.arrays.sorting import argsort, coargsort, in_order
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.engine.alignment import align_by_plan
from akdask.engine.values import Call
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex
from akdask.frames.series import Series

SHOWN = 100

Tolerance = tuple[float, float]
"""How far floats may be apart: relative to the right one, and beside that."""


def raise_assert_detail(  # noqa: PLR0917 - Arkouda's signature
    obj: str,
    message: str,
    left: Any,
    right: Any,
    diff: Any = None,
    first_diff: Any = None,
    index_values: Any = None,
) -> NoReturn:
    """Raise an AssertionError about a difference, in pandas' words; computes the values that it shows.

    Parameters
    ----------
    obj : str
        The compared objects.
    message : str
        The difference.
    left, right : object
        The two.
    diff, first_diff : object, optional
        The difference, and a line about the first one.
    index_values : array or Index, optional
        The labels of both.

    Raises
    ------
    AssertionError
        In any case.
    """
    __tracebackhide__ = True
    lines = [f"{obj} are different", "", message]
    if index_values is not None:
        lines.append(f"[index]: {_shown(index_values)}")
    lines += [f"[left]:  {_shown(left)}", f"[right]: {_shown(right)}"]
    if diff is not None:
        lines.append(f"[diff]: {_shown(diff)}")
    if first_diff is not None:
        lines.append(str(first_diff))
    raise AssertionError("\n".join(lines))


def _shown(item: Any) -> str:
    """Return the first elements of an array, or anything else as text."""
    if isinstance(item, Index):
        item = item.values
    if isinstance(item, Array):
        item = item[:SHOWN].tolist() + [...] * (item.size > SHOWN)
    elif isinstance(item, ArrayView):
        item = item.to_ndarray()
    if isinstance(item, np.ndarray):
        item = item.tolist()
    return str(item).replace("Ellipsis", "...")


def assert_class_equal(left: Any, right: Any, exact: bool = True, obj: str = "Input") -> None:
    """Check that two objects are of one class.

    Parameters
    ----------
    left, right : object
        The objects.
    exact : bool
        Accepted for compatibility with Arkouda.
    obj : str
        Name of the objects in messages.

    Examples
    --------
    >>> ak.assert_class_equal(ak.array([1]), ak.array([2.5]))
    """
    __tracebackhide__ = True
    if type(left) is not type(right):
        names = type(left).__name__, type(right).__name__
        raise_assert_detail(obj, f"{obj} classes are different", *names)


def assert_attr_equal(attr: str, left: Any, right: Any, obj: str = "Attributes") -> None:
    """Check that an attribute of two objects is equal.

    Parameters
    ----------
    attr : str
        The attribute, which both must have.
    left, right : object
        The objects.
    obj : str
        Name of the objects in messages.

    Examples
    --------
    >>> ak.assert_attr_equal("dtype", ak.array([1, 2]), ak.array([3]))
    """
    __tracebackhide__ = True
    own, its = getattr(left, attr), getattr(right, attr)
    if own is its:
        return
    try:
        equal = own == its
    except TypeError:
        equal = False
    if (own is None) != (its is None):
        equal = False
    if not (equal if isinstance(equal, bool) else bool(np.all(equal))):
        raise_assert_detail(obj, f'Attribute "{attr}" are different', own, its)


def assert_contains_all(iterable: Iterable[Any], dic: Container[Any]) -> None:
    """Check that all items are keys of a dict, or elements of another container.

    Parameters
    ----------
    iterable : iterable
        The items.
    dic : container
        Where they must be.

    Examples
    --------
    >>> ak.assert_contains_all(["x"], {"x": 1, "y": 2})
    """
    __tracebackhide__ = True
    for item in iterable:
        demand(item in dic, f"Did not contain item: {item!r}")


def assert_is_sorted(seq: Any) -> None:
    """Check that elements are in ascending order.

    Parameters
    ----------
    seq : array, Index, Series or data at hand
        The elements.

    Examples
    --------
    >>> ak.assert_is_sorted(ak.array([1, 2, 2]))
    """
    __tracebackhide__ = True
    values = seq if isinstance(seq, Array) else getattr(seq, "values", seq)
    values = values if isinstance(values, Array) else array(values)
    if not values.is_sorted():
        assert_arkouda_array_equal(values, in_order(values))


def assert_arkouda_pdarray_equal(  # noqa: PLR0917 - Arkouda's signature
    left: Any,
    right: Any,
    check_dtype: bool = True,
    err_msg: str | None = None,
    check_same: str | None = None,
    obj: str = "pdarray",
    index_values: Any = None,
) -> None:
    """Check that two arrays of numbers have the same elements in the same order; NaN equal each other.  Computes.

    Parameters
    ----------
    left, right : pdarray
        The arrays, of one class: one of times is not equal to one of numbers.
    check_dtype : bool, default True
        Compare dtypes as well.
    err_msg : str, optional
        Message in place of the difference.
    check_same : {None, "copy", "same"}
        Also demand that the two are one object, or are not.
    obj : str
        Name of the objects in messages.
    index_values : array or Index, optional
        The labels of both, for messages.

    Examples
    --------
    >>> ak.assert_arkouda_pdarray_equal(ak.array([1, 2]), ak.arange(1, 3))
    """
    __tracebackhide__ = True
    assert_class_equal(left, right, obj=obj)
    check_class(left, right, pdarray if isinstance(left, pdarray) else ArrayView)
    _check_elements(left, right, err_msg, check_same, obj, index_values)
    if check_dtype:
        assert_attr_equal("dtype", left, right, obj=obj)


def assert_arkouda_strings_equal(  # noqa: PLR0917 - Arkouda's signature
    left: Any,
    right: Any,
    err_msg: str | None = None,
    check_same: str | None = None,
    obj: str = "Strings",
    index_values: Any = None,
) -> None:
    """Check that two Strings have the same elements in the same order; missing texts are equal.  Computes.

    Parameters
    ----------
    left, right : Strings
        The strings.
    err_msg, check_same, obj, index_values
        As in `assert_arkouda_pdarray_equal`.

    Examples
    --------
    >>> ak.assert_arkouda_strings_equal(ak.array(["a", "b"]), ak.array(["A", "B"]).lower())
    """
    __tracebackhide__ = True
    assert_class_equal(left, right, obj=obj)
    check_class(left, right, Strings)
    _check_elements(left, right, err_msg, check_same, obj, index_values)


def assert_arkouda_segarray_equal(  # noqa: PLR0917 - Arkouda's signature
    left: Any,
    right: Any,
    check_dtype: bool = True,
    err_msg: str | None = None,
    check_same: str | None = None,
    obj: str = "segarray",
) -> None:
    """Check that two SegArrays have the same lists in the same order; computes.

    Parameters
    ----------
    left, right : SegArray
        The lists.
    check_dtype, err_msg, check_same, obj
        As in `assert_arkouda_pdarray_equal`.

    Examples
    --------
    >>> lists = ak.SegArray(ak.array([0, 2]), ak.array([2, 4, 3]))
    >>> ak.assert_arkouda_segarray_equal(lists, lists.copy())
    """
    __tracebackhide__ = True
    assert_class_equal(left, right, obj=obj)
    check_class(left, right, SegArray)
    if check_dtype:
        assert_attr_equal("dtype", left, right, obj=obj)
    _check_same(left, right, check_same)
    values = left.values, right.values
    assert_arkouda_array_equal(*values, check_dtype, err_msg, obj=f"{obj} values")
    assert_arkouda_pdarray_equal(left.segments, right.segments, obj=f"{obj} segments")


def assert_arkouda_array_equal(  # noqa: PLR0917 - Arkouda's signature
    left: Any,
    right: Any,
    check_dtype: bool = True,
    err_msg: str | None = None,
    check_same: str | None = None,
    obj: str = "pdarray",
    index_values: Any = None,
) -> None:
    """Check that two arrays of any one kind have the same elements in the same order; computes.

    For Categoricals the labels are compared, whatever their codes.

    Parameters
    ----------
    left, right : pdarray, Strings, Categorical or SegArray
        The arrays.
    check_dtype, err_msg, check_same, obj, index_values
        As in `assert_arkouda_pdarray_equal`.

    Raises
    ------
    AssertionError
        If they differ.
    ArgumentTypeError
        If they are no arrays.

    Examples
    --------
    >>> ak.assert_arkouda_array_equal(ak.array([1, 2]), ak.arange(1, 3))
    """
    __tracebackhide__ = True
    assert_class_equal(left, right)
    match left:
        case Strings():
            assert_arkouda_strings_equal(left, right, err_msg, check_same, obj, index_values)
        case Categorical():
            _check_elements(left, right, err_msg, check_same, obj, index_values)
        case SegArray():
            assert_arkouda_segarray_equal(left, right, check_dtype, err_msg, check_same, obj)
        case pdarray() | ArrayView():
            assert_arkouda_pdarray_equal(left, right, check_dtype, err_msg, check_same, obj, index_values)
        case _:
            raise ArgumentTypeError(
                f"lazy arrays are compared, not {type(left).__name__}.",
                hint="assert_equivalent takes those of NumPy and pandas too.",
            )


def assert_categorical_equal(
    left: Any, right: Any, check_dtype: bool = True, check_category_order: bool = True, obj: str = "Categorical"
) -> None:
    """Check that two Categoricals have the same elements and the same labels; computes.

    Parameters
    ----------
    left, right : Categorical
        The two.
    check_dtype : bool, default True
        Compare the dtypes of their codes as well.
    check_category_order : bool, default True
        Demand that labels are in the same order, and so that codes are the same.
    obj : str
        Name of the objects in messages.

    Examples
    --------
    >>> ak.assert_categorical_equal(ak.Categorical(ak.array(["a"])), ak.Categorical(ak.array(["a"])))
    """
    __tracebackhide__ = True
    check_class(left, right, Categorical)
    own, its = left.categories, right.categories
    if check_category_order:
        assert_arkouda_array_equal(own, its, obj=f"{obj}.categories")
        assert_arkouda_array_equal(left.codes, right.codes, check_dtype=check_dtype, obj=f"{obj}.codes")
        return
    assert_arkouda_array_equal(in_order(own), in_order(its), obj=f"{obj}.categories")
    assert_arkouda_array_equal(left, right, obj=f"{obj}.values")


# ------------------------------------------------------------------------------------------------------- for all checks


def demand(condition: Any, message: str) -> None:
    """Unlike the statement `assert`, also when Python runs with -O."""
    __tracebackhide__ = True
    if not condition:
        raise AssertionError(message)


def check_class(left: Any, right: Any, cls: type) -> None:
    """Check that two objects are of a class or one below it."""
    __tracebackhide__ = True
    for item in (left, right):
        demand(isinstance(item, cls), f"{cls.__name__} Expected type {cls}, found {type(item)} instead")


def differences(left: Any, right: Any, tolerance: Tolerance | None = None) -> Any:
    """Return the number of unequal elements, within a tolerance, of two arrays of one kind and size; lazy."""
    if isinstance(left, Strings):
        frame, values = align_by_plan("compare", [left._as_operand(), right._as_operand()])
        return (~wrap(frame, Call("equal", *values))).sum()
    if isinstance(left, Categorical | SegArray):
        return (left != right).sum()
    own, its = plain(left), plain(right)
    unequal = own != its
    if own._value.dtype.kind == its._value.dtype.kind == "float":
        unequal &= ~(elementwise("isnan", own) & elementwise("isnan", its))
    if tolerance is not None:
        rtol, atol = tolerance
        distance = elementwise("fabs", elementwise("subtract", own, its))
        near = distance <= elementwise("fabs", its) * rtol + atol
        unequal &= ~(near & elementwise("isfinite", its))
    return unequal.sum()


def plain(item: Any) -> Any:
    """Return the numbers that times, addresses, and the elements of several dimensions are."""
    if isinstance(item, ArrayView):
        return plain(item.base)
    return item.values if isinstance(item, TimeArray | IPv4) else item


def raise_values_differ(left: Any, right: Any, count: Any, obj: str, index_values: Any = None) -> NoReturn:
    """Raise the error for two arrays with unequal elements."""
    __tracebackhide__ = True
    share = np.round(int(count) * 100.0 / max(left.size, 1), 5)
    raise_assert_detail(obj, f"{obj} values are different ({share} %)", left, right, index_values=index_values)


def _check_elements(  # noqa: PLR0917 - the options of all checks
    left: Any, right: Any, err_msg: str | None, check_same: str | None, obj: str, index_values: Any
) -> None:
    """Check that two arrays of one class have one shape and the same elements."""
    __tracebackhide__ = True
    _check_same(left, right, check_same)
    shapes = left.shape, right.shape
    if shapes[0] != shapes[1]:
        if err_msg is not None:
            raise AssertionError(err_msg)
        raise_assert_detail(obj, f"{obj} shapes are different", *shapes)
    count = differences(left, right)
    if int(count):
        if err_msg is not None:
            raise AssertionError(err_msg)
        raise_values_differ(left, right, count, obj, index_values)


def _check_same(left: Any, right: Any, check_same: str | None) -> None:
    """Check that two arrays are one object, or are not."""
    __tracebackhide__ = True
    if check_same == "same":
        demand(left is right, f"{left!r} is not {right!r}")
    elif check_same == "copy":
        demand(left is not right, f"{left!r} is {right!r}")


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
        Require equal numbers; otherwise they may differ by `rtol` and `atol`.
    check_categorical : bool, default True
        Compare the labels of Categoricals and their order as well.
    check_order : bool, default True
        Otherwise labels are sorted before.
    rtol, atol : float
        How far floats may be apart: relative to the right one, and beside that.
    obj : str
        Name of the objects in messages.

    Examples
    --------
    >>> ak.assert_index_equal(ak.Index(ak.array([1, 2])), ak.Index(ak.arange(1, 3)))
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
        Require equal numbers; otherwise they may differ by `rtol` and `atol`.
    check_categorical, check_category_order : bool, default True
        Compare the labels of Categoricals as well, and their order.
    rtol, atol : float
        How far floats may be apart: relative to the right one, and beside that.
    obj : str
        Name of the objects in messages.
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

    Examples
    --------
    >>> ak.assert_series_equal(ak.Series([1, 2]), ak.Series([1, 2]))
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
        Require equal numbers; otherwise they may differ by `rtol` and `atol`.
    check_categorical : bool, default True
        Compare the labels of Categoricals and their order as well.
    check_like : bool, default False
        Columns may be in another order, and rows too, with their labels.
    rtol, atol : float
        How far floats may be apart: relative to the right one, and beside that.
    obj : str
        Name of the objects in messages.

    Examples
    --------
    >>> df = ak.DataFrame({"x": [1, 2]})
    >>> ak.assert_frame_equal(df, df.copy())
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
