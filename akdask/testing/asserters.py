"""Checks of arrays, in the manner of `pandas.testing`: they raise AssertionError with what is different.

Elements are compared where they are; this process gets numbers of differences, and elements only to show them.
Sources: Arkouda's ``testing/_asserters.py``, and pandas for how messages look.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from typing import Any, NoReturn

import numpy as np

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.elementwise import elementwise
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.shaped.ndarray import ArrayView
from akdask.collections.arrays.sorting import sort
from akdask.collections.core.array import Array
from akdask.collections.core.wrap import wrap
from akdask.collections.frame_core.index import Index
from akdask.collections.lists.segarray import SegArray
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.strings import Strings
from akdask.collections.time.ipv4 import IPv4
from akdask.collections.time.timearray import TimeArray
from akdask.errors import ArgumentTypeError
from akdask.plan.expr.values import Call
from akdask.plan.task.align import align

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
    """Raise an AssertionError that says what is different, in pandas' words; computes what it shows.

    Parameters
    ----------
    obj : str
        What has been compared.
    message : str
        What is different.
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
        What messages call them.
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
        What messages call them.
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
    """
    __tracebackhide__ = True
    values = seq if isinstance(seq, Array) else getattr(seq, "values", seq)
    values = values if isinstance(values, Array) else array(values)
    if not values.is_sorted():
        assert_arkouda_array_equal(values, sort(values))


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
        What the error says instead of what is different.
    check_same : {None, "copy", "same"}
        Also demand that the two are one object, or are not.
    obj : str
        What messages call them.
    index_values : array or Index, optional
        The labels of both, for messages.
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
    """Check that two Strings have the same elements in the same order; missing text equals such.  Computes.

    Parameters
    ----------
    left, right : Strings
        The strings.
    err_msg, check_same, obj, index_values
        As in `assert_arkouda_pdarray_equal`.
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

    Of Categoricals the labels are compared, whatever their codes.

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
        What messages call them.
    """
    __tracebackhide__ = True
    check_class(left, right, Categorical)
    own, its = left.categories, right.categories
    if check_category_order:
        assert_arkouda_array_equal(own, its, obj=f"{obj}.categories")
        assert_arkouda_array_equal(left.codes, right.codes, check_dtype=check_dtype, obj=f"{obj}.codes")
        return
    assert_arkouda_array_equal(sort(own), sort(its), obj=f"{obj}.categories")
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
    """Return how many elements of two arrays of one kind and size are not equal, or not near each other; lazy."""
    if isinstance(left, Strings):
        frame, values = align("compare", [left._as_operand(), right._as_operand()])
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
    """Raise the error of two arrays of which some elements differ."""
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
