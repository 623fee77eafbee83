from collections import deque

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.testing import assert_equal


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ([3, 1, 2], np.array([3, 1, 2])),
        ((1.5, 2), np.array([1.5, 2.0])),
        (range(4), np.arange(4)),
        (np.array([1, 2], dtype="int8"), np.array([1, 2])),
        (np.array([1, 2], dtype="uint16"), np.array([1, 2])),
        (np.array([2**63], dtype="uint64"), np.array([2**63], dtype="uint64")),
        (np.array([1, 2], dtype="float32"), np.array([1.0, 2.0])),
        (np.array([1, 2], dtype="uint8"), np.array([1, 2], dtype="uint8")),
        (np.arange(6)[::-2], np.array([5, 3, 1])),
        ([True, False], np.array([True, False])),
        (pd.Series([1, 2], index=[5, 6]), np.array([1, 2])),
        (pd.Index([1, 2]), np.array([1, 2])),
        (pa.array([1, 2]), np.array([1, 2])),
        (pa.chunked_array([[1], [2, 3]]), np.array([1, 2, 3])),
        ([], np.array([])),
    ],
    ids=str,
)
def test_numbers_become_arrays_of_64_bits(given, wanted):
    assert_equal(ak.array(given), wanted, lazy=True)


@pytest.mark.parametrize(
    "given",
    [
        ["a", "", "日本"],
        np.array(["a", "", "日本"]),
        np.array(["a", "", "日本"], dtype=object),
        pd.Categorical(["a", "", "日本"]).astype(str),
        pa.chunked_array([["a"], ["", "日本"]]),
    ],
    ids=str,
)
def test_text_becomes_strings(given):
    made = ak.array(given)
    assert isinstance(made, ak.Strings)
    assert made.tolist() == ["a", "", "日本"]


@pytest.mark.parametrize(
    "given",
    [
        pd.Series(["a", None, "日本"]),
        pd.Series(["a", pd.NA, "日本"], dtype="string"),
        pd.Series(["a", None, "日本"], dtype="category"),
        pa.array(["a", None, "日本"]),
        pa.array(["x", "a", None, "日本"], pa.large_string())[1:],
    ],
    ids=str,
)
def test_missing_text_stays_missing(given):
    made = ak.array(given)
    assert isinstance(made, ak.Strings)
    assert made.tolist() == ["a", None, "日本"]


@pytest.mark.parametrize("given", [["a", 1], [True, 2**64], [1 + 2j], 5])
def test_what_no_column_can_hold_is_refused(given):
    with pytest.raises((ArgumentError, ArgumentTypeError)):
        ak.array(given)


@pytest.mark.parametrize(
    ("given", "dtype"),
    [([5, 2**64 - 1], "uint64"), ([-1, 2**63], "bigint"), ([2**64], "bigint"), (np.array([1, 2], object), "int64")],
)
def test_ints_keep_all_their_digits(given, dtype):
    made = ak.array(given)
    assert (made.dtype, made.tolist()) == (dtype, list(given))


def test_a_type_can_be_asked_for():
    assert ak.array([1, 2], dtype=float).dtype == np.float64
    assert ak.array(["1", "2"], dtype="int64").tolist() == [1, 2]
    assert ak.array(ak.arange(2), dtype=bool).tolist() == [False, True]


@pytest.mark.parametrize("a", [ak.arange(3), ak.array(["x", "y"]), ak.Categorical(ak.array(["x", "y", "x"]))])
def test_an_array_of_an_array_is_itself_unless_a_copy_is_wanted(a):
    assert ak.array(a) is a
    assert ak.array(a, copy=True) is not a


def test_a_copy_does_not_change_with_its_source_and_a_type_at_hand_needs_none():
    a = ak.arange(3)
    b, same = ak.array(a, copy=True), ak.array(a, dtype="int64")
    a[0] = 9
    assert b.tolist() == [0, 1, 2]
    assert same is a
    assert ak.array(a, dtype="float64") is not a


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        (2, 9),
        (2, 11, 3),
        (9, 2),
        (9, 2, -3),
        (0,),
        (-4,),
        (0.5, 3),
        (2.0,),
        (0, 1, 0.25),
        (5, 0, -0.5),
        (np.int64(4),),
    ],
)
def test_arange_is_numpys(arguments):
    assert_equal(ak.arange(*arguments), np.arange(*arguments), lazy=True)


def test_arange_takes_lazy_scalars_and_types():
    a = ak.array([2, 7])
    assert_equal(ak.arange(a.min(), a.max()), np.arange(2, 7))
    assert ak.arange(3, dtype=float).dtype == np.float64


def test_arange_refuses_what_leads_nowhere():
    with pytest.raises(ZeroDivisionError, match="step is 0"):
        ak.arange(0, 5, 0)
    for wrong in [(), ("a",), (None,), (1, 2, 3, 4)]:
        with pytest.raises(ArgumentTypeError):
            ak.arange(*wrong)


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [
        ((2**63, 2**63 + 3), "uint64"),
        ((2**63 + 2, 2**63 - 2, -1), "uint64"),
        ((0, 2**64 - 1, 2**62), "uint64"),
        ((2**63 - 2, 2**63), "int64"),
        ((2**64, 2**64 + 3), "bigint"),
        ((2**64 - 2, 2**64 + 2), "bigint"),
        ((-1, 2**63 + 2, 2**62), "int64"),
        ((-5, 2**63 + 2, 2**62 + 3), "bigint"),
    ],
)
def test_large_whole_numbers_are_counted_exactly(arguments, dtype):
    made = ak.arange(*arguments)
    assert (made.dtype, made.tolist()) == (dtype, list(range(*arguments)))


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [
        ((-(2**63) - 1, -(2**63) + 1), "bigint"),
        ((-(2**63), -(2**63) + 2), "int64"),
        ((-1, 2**63, 2**63), "bigint"),
        ((-1, 2**63, 2**63 - 1), "int64"),
        ((2**63 - 1, -1, -(2**63) + 1), "int64"),
        ((2**63, -1, -(2**63)), "uint64"),
        ((0, 2**64, 2**63), "uint64"),
        ((2**64 - 1, 2**64), "uint64"),
        ((2**64, 2**64 - 2, -1), "bigint"),
        ((3, -1, -(2**64)), "uint64"),
        ((5, 5, 2**70), "uint64"),
    ],
)
def test_whole_numbers_at_the_ends_of_types_and_with_large_steps_are_exact(arguments, dtype):
    made = ak.arange(*arguments)
    assert (made.dtype, made.tolist()) == (dtype, list(range(*arguments)))


@pytest.mark.parametrize("arguments", [(0, 1, 5), (0, 1, 1), (3, -3, 7), (0, 1, 0), (5, 5, 3)])
def test_linspace_is_numpys(arguments):
    assert_equal(ak.linspace(*arguments), np.linspace(*arguments))
    assert_equal(ak.linspace(*arguments, endpoint=False), np.linspace(*arguments, endpoint=False))


def test_linspace_takes_a_type_and_its_old_names():
    assert_equal(ak.linspace(start=1, stop=0, length=5), np.linspace(1, 0, 5))
    assert_equal(ak.linspace(-3, 4, 10, dtype=None), np.linspace(-3, 4, 10))
    with pytest.raises(ArgumentTypeError, match="makes float64, no int64"):
        ak.linspace(-3, 4, 10, dtype="int64")
    assert ak.linspace(0, 1).size == 50
    for wrong in [("a", 1, 5), (0, None, 5), (0, 1, "a"), (0, 1, (2, 3)), (0, 1, 2.5)]:
        with pytest.raises((ArgumentTypeError, ArgumentError)):
            ak.linspace(*wrong)
    with pytest.raises(ArgumentTypeError):
        ak.linspace("a", 1, 5)


@pytest.mark.parametrize(
    "params", [{}, {"num": 7, "base": 2.0}, {"endpoint": False}, {"num": 4, "dtype": float}, {"base": 0.5}], ids=str
)
def test_logspace_is_numpys(params):
    np.testing.assert_allclose(ak.logspace(3, -2, **params).to_ndarray(), np.logspace(3, -2, **params))
    for bounds in ((0, [2, 3]), ([0, 1], 3), ([0, 1], [2, 3])):
        lazy = [ak.array(bound) if isinstance(bound, list) else bound for bound in bounds]
        np.testing.assert_allclose(ak.logspace(*lazy, **params).to_ndarray(), np.logspace(*bounds, **params))


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "bool"])
def test_zeros_ones_and_full_have_the_type_asked_for(dtype):
    assert_equal(ak.zeros(3, dtype), np.zeros(3, dtype), lazy=True)
    assert_equal(ak.ones(3, dtype), np.ones(3, dtype), lazy=True)
    assert_equal(ak.full(3, 1, dtype), np.full(3, 1, dtype), lazy=True)


def test_full_takes_the_type_of_its_value():
    assert_equal(ak.full(2, 7), np.full(2, 7))
    assert_equal(ak.full(2, 0.5), np.full(2, 0.5))
    assert ak.full(2, "x").tolist() == ["x", "x"]
    with pytest.raises(ArgumentTypeError):
        ak.full(2, "x", "int64")
    for text in (str, "str", ak.Strings):
        assert ak.full(2, 5, dtype=text).tolist() == ["5", "5"]
    for made in (ak.zeros, ak.ones):
        with pytest.raises(ArgumentTypeError, match="no zeros and ones"):
            made(2, str)


def test_a_shape_is_a_size():
    for made, wanted in [
        (ak.zeros((2, 3)), np.zeros((2, 3))),
        (ak.ones([3, 1], dtype=bool), np.ones((3, 1), bool)),
        (ak.full((2, 0), 7), np.full((2, 0), 7)),
        (ak.zeros_like(ak.array([[1, 2]])), np.zeros((1, 2), int)),
        (ak.array(ak.array([[1, 2]]), dtype=float), np.array([[1.0, 2.0]])),
    ]:
        assert isinstance(made, ak.ArrayView)
        assert made.dtype == wanted.dtype
        np.testing.assert_array_equal(made.to_ndarray(), wanted)


def test_arrays_like_others_share_their_rows_and_type():
    a = ak.arange(5)[ak.arange(5) > 1]
    for made, wanted in [(ak.zeros_like(a), 0), (ak.ones_like(a), 1), (ak.full_like(a, 7), 7)]:
        assert made.dtype == np.int64
        assert (made + a).tolist() == [wanted + 2, wanted + 3, wanted + 4]


@pytest.mark.parametrize("size", [3, np.int64(3), (3,), "3"])
def test_a_size_is_a_whole_number(size):
    assert ak.zeros(size).size == 3
    if not isinstance(size, str):
        assert ak.uniform(size).size == 3
    assert ak.zeros(ak.array([1, 2]).sum()).size == 3


@pytest.mark.parametrize(
    ("size", "error"),
    [(-1, ValueError), ("x", TypeError), ((), ValueError), (2.5, TypeError), (None, TypeError), (True, TypeError)],
)
def test_other_sizes_are_refused(size, error):
    for make, refusal in ((ak.zeros, error), (ak.standard_normal, TypeError if isinstance(size, str) else error)):
        with pytest.raises(refusal, match="a size is a whole number"):
            make(size)


def test_only_numbers_have_others_like_them():
    for given in ([1, 2], ak.array(["a"]), 3):
        for make in (ak.zeros_like, ak.ones_like):
            with pytest.raises(ArgumentTypeError, match="expected a pdarray"):
                make(given)


def test_large_arrays_are_cut_for_every_core_and_small_ones_are_not():
    assert ak.zeros(1000).npartitions == 1
    with ak.config.set(small_array=10):
        assert ak.zeros(1000).npartitions == ak.array(np.arange(1000)).npartitions > 1


def test_a_series_becomes_an_array():
    assert_equal(ak.from_series(pd.Series([1, 2])), [1, 2])
    assert ak.from_series(pd.Series(["a", "b"], dtype="category")).tolist() == ["a", "b"]
    assert ak.from_series(pd.Series(["0.5", "2"]), dtype=float).tolist() == [0.5, 2.0]
    texts = pd.Series(["True", "False", ""])
    assert ak.from_series(texts, dtype=bool).tolist() == texts.astype(bool).tolist()


def test_what_is_no_series_of_columns_is_refused():
    with pytest.raises(ArgumentTypeError, match="expected a pandas Series"):
        ak.from_series([1, 2])
    with pytest.raises(ArgumentError, match="no column can hold"):
        ak.from_series(pd.Series([1j]))
    with pytest.raises(ArgumentError, match="no column can hold"):
        ak.from_series(pd.Series([1]), dtype="no such type")


@pytest.mark.parametrize(
    "given",
    [deque, lambda items: (item for item in items), lambda items: dict.fromkeys(items).keys()],
    ids=["deque", "generator", "keys"],
)
def test_iterables_become_arrays(given):
    assert ak.array(given([1, 2])).tolist() == [1, 2]
    assert ak.array({"a": 1, "b": 2}.values()).tolist() == [1, 2]


@pytest.mark.parametrize("given", [3, None, 1.5, "abc", b"abc", {1, 2}])
def test_a_single_value_is_no_array(given):
    with pytest.raises(ArgumentTypeError, match="several elements"):
        ak.array(given)


def test_eager_arrays_are_computed_as_they_are_made():
    with ak.config.set(eager=True):
        a = ak.arange(3)
        b = a[a > 0] * 2 + 1
    assert type(a._frame).__name__ == type(b._frame).__name__ == "Persisted"
    assert b.explain().splitlines()[1].strip() == "Choose values"
    assert_equal(b, [3, 5])


@pytest.mark.parametrize("dtype", [ak.int64, ak.uint64, ak.float64, ak.bool_, ak.bigint])
def test_dtypes_have_the_names_that_scripts_use(dtype):
    assert ak.dtype(dtype) == ak.zeros(2, dtype=dtype).dtype
    assert ak.dtype(ak.zeros(2, dtype=dtype)) == ak.dtype(dtype)
    assert ak.cast(ak.array([0, 1]), dtype).dtype == dtype


def test_dtypes_of_values_and_names_are_those_of_numpy():
    assert ak.dtype("float64") == ak.dtype(1.5) == np.dtype(float)
    assert ak.dtype(str) == np.dtype(ak.str_)
    assert ak.dtype(2**70) == ak.dtype("bigint") == ak.bigint
    with pytest.raises(ak.AkdaskError, match="is no dtype"):
        ak.dtype("no such type")


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_linspace_between_arrays_is_numpys(axis, endpoint):
    for start, stop in (([0, 5], [2.5, -3]), ([0.1, 1.0], 7), ([[1], [2]], [3, 4, 5])):
        lows, highs = (ak.array(side) if isinstance(side, list) else side for side in (start, stop))
        found = ak.linspace(lows, highs, 4, endpoint, axis=axis)
        np.testing.assert_allclose(found.to_ndarray(), np.linspace(start, stop, 4, endpoint, axis=axis), rtol=1e-15)
    assert ak.linspace(ak.array([0, 5]), 2.5, 1).tolist() == np.linspace([0, 5], 2.5, 1).tolist()


@pytest.mark.parametrize(
    "given",
    [
        [1, 2], (1, 2), np.array([1, 2]), np.array([1.0, 2.5]), np.array(["1", "2"]), ["1", "2"],
        np.array([1, 2.9], object), [np.uint64(1), np.float64(2)],
    ],
)  # fmt: skip
def test_integers_of_any_size_are_made_of_numbers_and_their_text(given):
    assert ak.array(given, dtype="bigint").tolist() == [1, 2]
    assert ak.array(given[:0], dtype="bigint").tolist() == []


@pytest.mark.parametrize(
    "given",
    [
        [True, False], [1, True], np.array([True]), np.array([1, True], object), [np.True_], [1, None],
        np.array([1, None], object), [b"1"], np.array(["2020-01-01"], "M8[D]"), (1, [2]),
    ],
)  # fmt: skip
def test_integers_of_any_size_are_not_made_of_bools_and_other_objects(given):
    with pytest.raises(ArgumentTypeError, match="integers of any size are made of numbers"):
        ak.array(given, dtype="bigint")
