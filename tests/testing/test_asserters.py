"""Checks of arrays and of small things, in the manner of `pandas.testing`."""

from __future__ import annotations

import numpy as np
import pytest

import akdask as ak
from akdask.errors import ArgumentTypeError
from akdask.testing import strategies  # noqa: F401 - what else the package ships

NAN = float("nan")

PAIRS = {
    "numbers": (lambda: ak.array([1, 2, 3]), lambda: ak.array([1, 5, 3])),
    "floats": (lambda: ak.array([1.0, NAN]), lambda: ak.array([NAN, 1.0])),
    "bools": (lambda: ak.array([True, False]), lambda: ak.array([True, True])),
    "bigints": (lambda: ak.array([2**70, 1]), lambda: ak.array([2**70, 2])),
    "strings": (lambda: ak.array(["a", "é"]), lambda: ak.array(["a", "e"])),
    "categorical": (lambda: ak.Categorical(["a", "b"]), lambda: ak.Categorical(["a", "a"])),
    "lists": (lambda: ak.SegArray.from_multi_array([[1], [2, 3]]), lambda: ak.SegArray.from_multi_array([[1, 2], [3]])),
    "times": (lambda: ak.Datetime(ak.array([1, 2])), lambda: ak.Datetime(ak.array([1, 3]))),
    "addresses": (lambda: ak.ip_address(["1.2.3.4"]), lambda: ak.ip_address(["1.2.3.5"])),
    "grids": (lambda: ak.arange(4).reshape(2, 2), lambda: ak.arange(1, 5).reshape(2, 2)),
    "nothing": (lambda: ak.array([], dtype="int64"), lambda: ak.array([0])),
}


@pytest.mark.parametrize("kind", PAIRS)
@pytest.mark.parametrize("check", [ak.assert_arkouda_array_equal, ak.assert_equal, ak.assert_equivalent])
def test_arrays_of_any_kind_are_compared_by_their_elements(kind, check):
    make, make_other = PAIRS[kind]
    check(make(), make())
    with pytest.raises(AssertionError, match="different"):
        check(make(), make_other())


def test_partitions_do_not_matter():
    joined = ak.concatenate([ak.arange(2), ak.arange(0), ak.arange(2, 5)])
    ak.assert_equal(joined, ak.arange(5))
    ak.assert_equal(joined[joined > 1], ak.arange(2, 5))


def test_messages_are_in_the_style_of_pandas():
    with pytest.raises(AssertionError) as caught:
        ak.assert_arkouda_array_equal(ak.array([1, 2, 3]), ak.array([1, 5, 3]), index_values=ak.array([7, 8, 9]))
    assert str(caught.value).splitlines() == [
        "pdarray are different",
        "",
        "pdarray values are different (33.33333 %)",
        "[index]: [7, 8, 9]",
        "[left]:  [1, 2, 3]",
        "[right]: [1, 5, 3]",
    ]
    with pytest.raises(AssertionError, match=r"shapes are different\n\[left\]:  \(2,\)\n\[right\]: \(3,\)"):
        ak.assert_equal(ak.arange(2), ak.arange(3))


def test_long_arrays_are_shown_in_part():
    with pytest.raises(AssertionError, match=r"98, 99, \.\.\.\]\n"):
        ak.assert_equal(ak.arange(1000), ak.zeros(1000, dtype=ak.int64))


def test_own_messages_go_before():
    for other in (ak.array([2]), ak.array([1, 1])):
        with pytest.raises(AssertionError, match=r"^mine$"):
            ak.assert_arkouda_pdarray_equal(ak.array([1]), other, err_msg="mine")


def test_classes_and_types_are_compared():
    with pytest.raises(AssertionError, match=r"classes are different\n\[left\]:  Strings\n\[right\]: Categorical"):
        ak.assert_equal(ak.array(["a"]), ak.Categorical(["a"]))
    with pytest.raises(AssertionError, match='Attribute "dtype" are different'):
        ak.assert_equal(ak.array([1]), ak.array([1.0]))
    ak.assert_arkouda_pdarray_equal(ak.array([1]), ak.array([1.0]), check_dtype=False)
    with pytest.raises(AssertionError, match="Expected type"):
        ak.assert_arkouda_strings_equal(ak.arange(3), ak.arange(3))
    with pytest.raises(AssertionError, match="Datetime"):
        ak.assert_equal(ak.Datetime(ak.arange(3)), ak.arange(3))


def test_one_object_or_two_may_be_demanded():
    a = ak.arange(3)
    ak.assert_arkouda_array_equal(a, a, check_same="same")
    ak.assert_arkouda_array_equal(a, a.copy(), check_same="copy")
    for other, demanded in ((a, "copy"), (a.copy(), "same")):
        with pytest.raises(AssertionError, match=" is "):
            ak.assert_arkouda_array_equal(a, other, check_same=demanded)


def test_categoricals_are_compared_by_labels_and_codes():
    a = ak.Categorical.from_codes(ak.array([0, 1]), ak.array(["x", "y", "N/A"]))
    b = ak.Categorical.from_codes(ak.array([1, 0]), ak.array(["y", "x", "N/A"]))
    ak.assert_arkouda_array_equal(a, b)
    ak.assert_categorical_equal(a, a)
    ak.assert_categorical_equal(a, b, check_category_order=False)
    with pytest.raises(AssertionError, match=r"Categorical\.categories values are different"):
        ak.assert_categorical_equal(a, b)
    with pytest.raises(AssertionError, match="Expected type"):
        ak.assert_categorical_equal(a, ak.array(["x"]))


def test_missing_text_equals_missing_text():
    a = ak.array(np.array(["a", None], object))
    ak.assert_equal(a, a.copy())
    with pytest.raises(AssertionError):
        ak.assert_equal(a, ak.array(["a", ""]))


def test_order_is_checked():
    ak.assert_is_sorted(ak.array([1, 1, 2]))
    ak.assert_is_sorted(ak.Index(ak.array(["a", "b"])))
    ak.assert_is_sorted([1, 2])
    with pytest.raises(AssertionError, match="values are different"):
        ak.assert_is_sorted(ak.array([2, 1]))


def test_attributes_classes_and_members_are_checked():
    ak.assert_attr_equal("size", ak.arange(3), ak.zeros(3))
    ak.assert_attr_equal("real", 1, 1)
    with pytest.raises(AssertionError, match='Attribute "size" are different'):
        ak.assert_attr_equal("size", ak.arange(3), ak.zeros(4))
    with pytest.raises(AssertionError, match='Attribute "x"'):
        ak.assert_attr_equal("x", type("A", (), {"x": None}), type("A", (), {"x": 5}))
    ak.assert_class_equal(1, 2)
    with pytest.raises(AssertionError, match="thing classes are different"):
        ak.assert_class_equal(1, 2.0, obj="thing")
    ak.assert_contains_all([1, 2], {1: "a", 2: "b"})
    with pytest.raises(AssertionError, match="Did not contain item: 3"):
        ak.assert_contains_all([3], {1: "a"})


def test_dicts_are_compared_key_by_key():
    ak.assert_dict_equal({"a": ak.array([1.0])}, {"a": ak.array([1.0 + 1e-12])})
    ak.assert_dict_equal({"a": 1}, {"a": 1, "b": 2}, compare_keys=False)
    for wrong in ({"b": 1}, {"a": 2}, [("a", 1)]):
        with pytest.raises(AssertionError):
            ak.assert_dict_equal({"a": 1}, wrong)


def test_copies_are_equal_and_not_the_same():
    a, b = ak.arange(3), ak.arange(3)
    ak.assert_copy([a], [b])
    with pytest.raises(AssertionError, match="one object twice"):
        ak.assert_copy([a], [a])


def test_numbers_may_be_a_little_apart():
    a = ak.array([1.0, NAN, np.inf, 0.0])
    ak.assert_almost_equal(a, a * (1 + 1e-9))
    ak.assert_almost_equal(1.0, 1.0 + 1e-9)
    ak.assert_almost_equal(True, np.bool_(True))
    ak.assert_almost_equal(a, ak.array([2.0, NAN, np.inf, 1.0]), atol=1)
    ak.assert_almost_equal(ak.array(["a"]), ak.array(["a"]))
    for wrong in (
        a + 1e-3,
        a[:2],
        ak.array([1, 2, 3, 4]),
        ak.array([1.0, 2.0, np.inf, 0.0]),
        ak.array([1.0, NAN, -np.inf, 0]),
    ):
        with pytest.raises(AssertionError):
            ak.assert_almost_equal(a, wrong)
    for left, right in ((1.0, 1.1), (1.0, [1.0])):
        with pytest.raises(AssertionError):
            ak.assert_almost_equal(left, right)


def test_only_lazy_arrays_are_compared_as_such():
    with pytest.raises(ArgumentTypeError, match="lazy arrays are compared, not ndarray"):
        ak.assert_arkouda_array_equal(np.arange(3), np.arange(3))
