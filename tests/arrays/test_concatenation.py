import numpy as np
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource

VALUES = np.array([0.5, -2.0, 3.25, 9.0, -0.25])
INTEGERS = np.array([5, 0, -7, 12, 1])


@pytest.fixture
def lazy():
    return MemorySource({"f": VALUES, "i": INTEGERS, "b": INTEGERS > 0}, [2, 0, 3]).arrays()


FUNCTIONS = [
    "abs", "sign", "square", "sqrt", "exp", "expm1", "log", "log10", "log1p", "log2", "floor", "ceil", "trunc", "sin",
    "cos", "tan", "arcsin", "arccos", "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "deg2rad",
    "rad2deg", "isnan", "isinf", "isfinite", "fabs", "logical_not",
]  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_elementwise_functions_are_numpys(lazy, name):
    with np.errstate(all="ignore"):
        assert_equal(getattr(ak, name)(lazy["f"]), getattr(np, name)(VALUES), lazy=True)
        assert_equal(getattr(np, name)(lazy["f"]), getattr(np, name)(VALUES), lazy=True)


@pytest.mark.parametrize("name", ["power", "mod", "fmod", "maximum", "minimum", "arctan2"])
def test_elementwise_functions_of_two_are_numpys(lazy, name):
    with np.errstate(all="ignore"):
        assert_equal(getattr(ak, name)(lazy["f"], 2.0), getattr(np, name)(VALUES, 2.0), lazy=True)
        assert_equal(getattr(ak, name)(lazy["f"], lazy["f"]), getattr(np, name)(VALUES, VALUES))


def test_functions_of_bits_count_them(lazy):
    assert ak.popcount(ak.array([0, 7, -1])).tolist() == [0, 3, 64]
    assert ak.parity(ak.array([0, 7, 3])).tolist() == [0, 1, 0]
    assert ak.clz(ak.array([1])).tolist() == [63]
    assert ak.ctz(ak.array([8])).tolist() == [3]
    assert ak.rotl(ak.array([1]), 65).tolist() == [2]


def test_functions_of_bits_are_methods_too():
    plain = [0, 7, -8]
    a = ak.array(plain)
    bits = [f"{item % 2**64:064b}" for item in plain]
    wanted = {
        "popcount": [text.count("1") for text in bits],
        "parity": [text.count("1") % 2 for text in bits],
        "clz": [64 - len(text.lstrip("0")) for text in bits],
        "ctz": [(64 - len(text.rstrip("0"))) % 64 for text in bits],  # of 0 it is 0 in Arkouda
        "logical_not": [item == 0 for item in plain],
    }
    for name, values in wanted.items():
        assert getattr(a, name)().tolist() == getattr(ak, name)(a).tolist() == values
    left = np.array([int(text[1:] + text[:1], 2) for text in bits], np.uint64).view(np.int64)
    assert a.rotl(1).tolist() == ak.rotl(a, 1).tolist() == left.tolist()
    steps = [1, 2, 3]
    turned = [text[-step:] + text[:-step] for text, step in zip(bits, steps, strict=True)]
    right = np.array([int(text, 2) for text in turned], np.uint64).view(np.int64)
    assert a.rotr(ak.array(steps)).tolist() == ak.rotr(a, ak.array(steps)).tolist() == right.tolist()


def test_bits_of_small_integers_stay_small():
    for dtype in ("int64", "uint64"):
        a = ak.array([143, 15], dtype=dtype)
        for low, high, wanted in [(1, 3, [7, 7]), (4, 9, [8, 0]), (1, 9, [71, 7]), (0, 62, [143, 15])]:
            assert a.slice_bits(low, high).tolist() == wanted
            assert a.slice_bits(low, high).dtype == dtype
    assert ak.array([-1]).slice_bits(60, 70).tolist() == [2**11 - 1]
    assert ak.array([-1]).slice_bits(0, 63).tolist() == [2**64 - 1]
    assert bin(ak.array([2**65 + (2**64 - 1)]).slice_bits(64, 65)[0]) == "0b10"


def test_a_function_applies_where_a_mask_holds(lazy):
    assert_equal(ak.sin(lazy["f"], where=lazy["i"] > 0), np.where(INTEGERS > 0, np.sin(VALUES), VALUES))


def test_arguments_have_arkoudas_names_and_places(lazy):
    mask = np.array([True, False, True, False, True])
    assert_equal(ak.abs(pda=lazy["i"]), np.abs(INTEGERS))
    assert_equal(ak.power(pda=lazy["i"], pwr=2), INTEGERS**2)
    assert_equal(ak.power(lazy["i"], 2, ak.array(mask)), np.where(mask, INTEGERS**2, INTEGERS))
    assert_equal(ak.power(lazy["i"], 2, False), INTEGERS)
    assert_equal(ak.sqrt(abs(lazy["f"]), ak.array(mask)), np.where(mask, np.sqrt(abs(VALUES)), abs(VALUES)))
    assert_equal(ak.mod(dividend=lazy["i"], divisor=3), INTEGERS % 3)
    assert_equal(ak.maximum(x1=lazy["i"], x2=1), np.maximum(INTEGERS, 1))
    assert_equal(ak.rotl(x=lazy["i"], rot=0), INTEGERS)
    found = ak.divmod(lazy["i"], 3, ak.array(mask))
    for one, wanted in zip(found, np.divmod(INTEGERS, 3), strict=True):
        assert_equal(one, np.where(mask, wanted, INTEGERS))
    with pytest.raises(ZeroDivisionError):
        ak.divmod(lazy["i"], 0)


def test_rounding_and_angles_go_into_an_array_where_a_mask_holds(lazy):
    mask = np.array([True, False, True, False, True])
    out = ak.full(5, -1.0)
    assert ak.floor(lazy["f"], out) is out
    assert_equal(out, np.floor(VALUES))
    out = ak.full(5, -1.0)
    ak.arctan2(lazy["f"], lazy["i"], out=out, where=ak.array(mask))
    assert_equal(out, np.where(mask, np.arctan2(VALUES, INTEGERS), -1.0))
    with pytest.raises(ArgumentTypeError, match="change the type"):
        ak.ceil(lazy["f"], out=ak.arange(5))
    with pytest.raises(ArgumentTypeError, match="out is a lazy array"):
        ak.ceil(lazy["f"], out=np.zeros(5))


def test_plain_numbers_give_plain_numbers():
    assert (ak.floor(1.5), ak.ceil(1.5), ak.trunc(-1.5)) == (1.0, 2.0, -1.0)
    assert (ak.maximum(1, 2), ak.minimum(1, 2), ak.arctan2(0, 1)) == (2, 1, 0.0)
    assert (ak.where(True, 1, 0), ak.where(False, "a", "b")) == (1, "b")


def test_bools_are_whole_already_and_round_to_floats(lazy):
    for name in ("floor", "ceil", "trunc"):
        assert_equal(getattr(ak, name)(lazy["b"]), INTEGERS > 0)
    assert_equal(ak.round(lazy["b"]), (INTEGERS > 0).astype(float))
    assert_equal(np.round(ak.array([123, -155, 7]), -1), np.round([123, -155, 7], -1))
    assert_equal(ak.round(ak.array([123, -155, 7]), -1), np.array([123, -155, 7]))


def test_results_go_into_an_array_where_wanted(lazy):
    for name in ("floor", "ceil", "trunc"):
        given, function = ak.zeros(INTEGERS.size), getattr(ak, name)
        assert function(lazy["f"], given, where=lazy["b"]) is given
        assert_equal(given, np.where(INTEGERS > 0, getattr(np, name)(VALUES), 0.0))
        assert_equal(function(2.5, out=ak.zeros(2)), np.full(2, getattr(np, name)(2.5)))


def test_one_bool_chooses_one_of_two_arrays():
    assert_equal(ak.where(True, ak.arange(3), ak.ones(3)), np.arange(3))
    assert_equal(ak.where(np.False_, ak.arange(3), ak.ones(3)), np.ones(3))
    assert_equal(ak.where(True, ak.arange(3), ak.ones((2, 3))), np.where(True, np.arange(3), np.ones((2, 3))))


def test_clip_takes_one_bound_and_arrays_of_them(lazy):
    assert_equal(ak.clip(lazy["i"], None, 3), np.clip(INTEGERS, None, 3))
    assert_equal(ak.clip(lazy["i"], 0.5, None), np.clip(INTEGERS, 0.5, None))
    assert_equal(ak.clip(lazy["i"], lazy["f"], 4), np.clip(INTEGERS, VALUES, 4))
    with pytest.raises(ArgumentError, match="needs a bound"):
        ak.clip(lazy["i"], None, None)


def test_where_chooses_among_categoricals():
    mask = ak.array([True, False, True, False])
    left, right = np.array(["a", "b", "N/A", "a"]), np.array(["x", "a", "y", "N/A"])
    one, other = (ak.Categorical(ak.array(side)) for side in (left, right))
    for x, y, wanted in [
        (one, other, ["a", "a", "N/A", "N/A"]),
        (one, "z", ["a", "z", "N/A", "z"]),
        ("a", other, ["a", "a", "a", "N/A"]),
    ]:
        found = ak.where(mask, x, y)
        assert isinstance(found, ak.Categorical)
        assert found.tolist() == wanted
        assert found.isna().tolist() == [label == "N/A" for label in wanted]
    with pytest.raises(ArgumentTypeError, match="two Categoricals or two Strings"):
        ak.where(mask, one, ak.array(right))


def test_where_clip_round_and_divmod_are_numpys(lazy):
    assert_equal(ak.where(lazy["b"], lazy["i"], -1), np.where(INTEGERS > 0, INTEGERS, -1), lazy=True)
    assert_equal(ak.where(lazy["b"], lazy["i"], 0.5), np.where(INTEGERS > 0, INTEGERS, 0.5))
    assert_equal(ak.clip(lazy["i"], -1, 5), INTEGERS.clip(-1, 5))
    assert_equal(ak.round(lazy["f"], 1), VALUES.round(1))
    for found, wanted in zip(ak.divmod(lazy["i"], 3), np.divmod(INTEGERS, 3), strict=True):
        assert_equal(found, wanted)


@pytest.mark.parametrize("dtype", ["int64", "float64", "bool"])
def test_casts_are_numpys(lazy, dtype):
    for name, column in [("f", VALUES), ("i", INTEGERS), ("b", INTEGERS > 0)]:
        assert_equal(ak.cast(lazy[name], dtype), column.astype(dtype), lazy=True)
        assert_equal(lazy[name].astype(dtype), column.astype(dtype))


def test_numbers_and_text_are_converted_into_each_other(lazy):
    assert ak.cast(lazy["i"], str).tolist() == INTEGERS.astype(str).tolist()
    assert ak.cast(ak.array(["1", "-2"]), "int64").tolist() == [1, -2]
    with pytest.raises(RuntimeError, match="the text 'x' is no int64"):
        ak.cast(ak.array(["x"]), "int64").compute()


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [
        ("int64", [1, -(2**63), -3]),
        ("float64", [1.0, np.nan, -3.0]),
        ("uint64", [1, 0, 0]),
        ("bool", [True, False, False]),
        ("bigint", [1, 0, -3]),
    ],
)
def test_text_that_is_no_number_may_be_ignored(dtype, wanted):
    text = ak.array(["1", "x", "-3"])
    valid = [True, False, dtype not in {"uint64", "bool"}]
    for mode in ("ignore", ak.ErrorMode.ignore):
        np.testing.assert_array_equal(ak.cast(text, dtype, mode).tolist(), wanted)
    numbers, found = ak.cast(text, dtype, errors=ak.ErrorMode.return_validity)
    np.testing.assert_array_equal(numbers.tolist(), wanted)
    assert found.tolist() == valid
    with pytest.raises(ArgumentError, match="none of strict"):
        ak.cast(text, dtype, "loose")


def test_arrays_are_cast_to_classes_by_their_names(lazy):
    text = ak.array(["b", "a", "b"])
    for wanted in (ak.Strings, "Strings", str, ak.str_):
        assert isinstance(ak.cast(lazy["i"], wanted), ak.Strings)
        assert ak.cast(lazy["i"], wanted).tolist() == INTEGERS.astype(str).tolist()
        assert ak.cast(text, wanted).tolist() == ["b", "a", "b"]
        assert isinstance(ak.cast(ak.Categorical(text), wanted), ak.Strings)
    for wanted in (ak.Categorical, "Categorical"):
        assert isinstance(ak.cast(text, wanted), ak.Categorical)
        assert ak.cast(text, wanted).tolist() == ["b", "a", "b"]
        assert isinstance(ak.cast(ak.Categorical(text), wanted), ak.Categorical)
    with pytest.raises(ArgumentError, match="cast to Strings only"):
        ak.cast(ak.Categorical(text), "int64")
    with pytest.raises(ArgumentTypeError, match="cast needs a lazy array"):
        ak.cast([1], "float64")


def test_a_function_of_no_lazy_array_is_refused():
    with pytest.raises(ArgumentTypeError, match=r"needs a lazy array.*\nHint: make one with ak.array"):
        ak.sqrt(4.0)
    with pytest.raises(TypeError, match="takes 1 positional argument"):
        ak.abs(ak.arange(3), 2)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'pwr'"):
        ak.power(ak.arange(3))
    with pytest.raises(TypeError, match="multiple values for argument 'pda'"):
        ak.sqrt(ak.arange(3), pda=ak.arange(3))
    with pytest.raises(ArgumentTypeError, match="where is a bool"):
        ak.sqrt(ak.arange(3), 2)


REDUCTIONS = ["sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax", "count_nonzero"]


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_are_numpys_as_function_method_and_numpy_function(lazy, name):
    for key, column in [("f", VALUES), ("i", INTEGERS)]:
        wanted = getattr(np, name)(column)
        for found in (getattr(ak, name)(lazy[key]), getattr(lazy[key], name)(), getattr(np, name)(lazy[key])):
            assert isinstance(found, ak.Scalar)
            assert found == pytest.approx(wanted)
            assert found.value().dtype == found.dtype


def test_reductions_take_the_arguments_of_numpy(lazy):
    assert lazy["f"].var(ddof=1) == pytest.approx(VALUES.var(ddof=1))
    assert ak.std(lazy["f"], 1) == pytest.approx(VALUES.std(ddof=1))
    assert lazy["f"].sum(axis=0) == VALUES.sum()
    assert lazy["f"].sum(axis=(0,)) == VALUES.sum()
    for wrong in (lambda: lazy["f"].sum(axis=1), lambda: ak.cumsum(lazy["f"], axis=1)):
        with pytest.raises(IndexError, match="has one dimension"):
            wrong()
    for wrong in (len(VALUES), -1):
        with pytest.raises(ArgumentError, match="ddof"):
            lazy["f"].var(ddof=wrong)


def test_arrays_of_several_dimensions_are_reduced_as_a_whole():
    grid = np.arange(1.0, 7.0).reshape(2, 3)
    lazy = ak.array(grid)
    for name in ("sum", "prod", "min", "max", "mean", "var", "std", "any", "all", "argmin", "argmax"):
        assert getattr(ak, name)(lazy) == pytest.approx(getattr(np, name)(grid))
        assert getattr(lazy, name)() == pytest.approx(getattr(grid, name)())
    assert ak.count_nonzero(lazy) == 6
    assert ak.std(lazy, 1) == pytest.approx(grid.std(ddof=1))


def test_strings_that_are_not_empty_are_counted():
    assert ak.count_nonzero(ak.array(["hello", "", "there"])) == 2


def test_order_and_distinctness_are_reductions_too(lazy):
    assert not lazy["i"].is_sorted()
    assert ak.is_sorted(ak.arange(5))
    with ak.config.set(small_array=2):
        assert ak.is_sorted(ak.array([1, 2, 3, 3]))
        assert not ak.is_sorted(ak.array([3, 4, 1, 2]))
    assert ak.array([1, 2, 1]).nunique() == 2
    assert ak.array(["a", "b", "a"]).nunique() == 2


def test_integer_sums_wrap_and_bools_are_counted():
    assert ak.array([2**63 - 1, 1]).sum() == -(2**63)
    assert ak.array([True, True]).sum().value().dtype == np.int64
    assert ak.array([2**63], dtype="uint64").sum().value().dtype == np.uint64


def test_a_reduction_of_what_it_does_not_take_is_refused():
    with pytest.raises((ArgumentTypeError, AttributeError)):
        ak.sum(ak.array(["a"]))
    with pytest.raises(ArgumentTypeError, match="needs a lazy array"):
        ak.is_sorted(5)


def test_joining_keeps_order_and_partitions(lazy):
    joined = ak.concatenate([lazy["i"], ak.arange(2), lazy["i"]])
    assert_equal(joined, np.concatenate([INTEGERS, np.arange(2), INTEGERS]), lazy=True, lengths=[2, 0, 3, 2, 2, 0, 3])
    assert ak.concatenate([ak.array(["a"]), ak.array(["b", ""])]).tolist() == ["a", "b", ""]


def test_joined_numbers_meet_in_their_common_type(lazy):
    joined = np.concatenate([lazy["b"], lazy["i"], lazy["f"]])
    assert_equal(joined, np.concatenate([INTEGERS > 0, INTEGERS, VALUES]))
    with pytest.raises(ArgumentError, match="numbers of one type"):
        ak.concatenate([lazy["b"], lazy["i"]])


def test_arrays_of_several_dimensions_are_joined_along_any():
    one, other = np.arange(6).reshape(2, 3), np.arange(3.0).reshape(1, 3)
    joined = ak.concatenate([ak.array(one), ak.array(other)])
    np.testing.assert_array_equal(joined.to_ndarray(), np.concatenate([one, other]))
    beside = ak.concatenate([ak.array(one), ak.array(one)], axis=1)
    np.testing.assert_array_equal(beside.to_ndarray(), np.concatenate([one, one], axis=1))
    with pytest.raises(ArgumentError, match="along the axis only"):
        ak.concatenate([ak.array(one), ak.array(one.T)])


@pytest.mark.parametrize("given", [[1, 2], "ab", np.arange(3), {1: 2}], ids=str)
def test_what_is_no_list_of_arrays_is_not_joined(given):
    with pytest.raises(ArgumentTypeError):
        ak.concatenate(given)
    with pytest.raises(IndexError):
        ak.concatenate([ak.arange(2), ak.arange(2)], axis=1)


def test_what_does_not_go_together_is_not_joined(lazy):
    with pytest.raises(ArgumentError, match="at least one"):
        ak.concatenate([])
    with pytest.raises(ArgumentTypeError, match="arrays of one kind"):
        ak.concatenate([lazy["i"], ak.array(["a"])])


def test_numpys_functions_that_akdask_has_stay_lazy(lazy):
    assert_equal(np.where(lazy["b"], lazy["i"], 0), np.where(INTEGERS > 0, INTEGERS, 0), lazy=True)
    assert_equal(np.concatenate([lazy["i"], lazy["i"]]), np.concatenate([INTEGERS, INTEGERS]), lazy=True)
    assert_equal(np.clip(lazy["i"], 0, 5), INTEGERS.clip(0, 5), lazy=True)
    assert_equal(np.zeros_like(lazy["i"]), np.zeros_like(INTEGERS), lazy=True)


def test_numpys_other_functions_compute(lazy):
    assert np.median(lazy["f"]) == np.median(VALUES)
    assert_equal(np.cumsum(lazy["i"]), INTEGERS.cumsum())
    assert_equal(np.sort(lazy["i"]), np.sort(INTEGERS))
    assert np.dot(lazy["i"], INTEGERS) == INTEGERS @ INTEGERS
    assert np.allclose(lazy["f"], VALUES)


def test_arrays_of_equal_elements_are_equal(lazy):
    assert lazy["i"].equals(ak.array(INTEGERS))
    assert not lazy["i"].equals(ak.array(INTEGERS + 1))
    assert not lazy["i"].equals(ak.arange(4))
    assert not lazy["i"].equals(INTEGERS)
    assert ak.array(["a", "b"]).equals(ak.array(["a", "b"]))
    assert not ak.array(["a", "b"]).equals(ak.array(["a", "c"]))


def test_joined_bigints_have_the_bits_of_the_largest_limit():
    free, four, eight = (ak.array([2**70 + 5, 300], dtype="bigint", max_bits=bits) for bits in (-1, 4, 8))
    assert ak.concatenate([free, free]).tolist() == [2**70 + 5, 300] * 2
    joined = ak.concatenate([free, four, eight])
    assert (joined.max_bits, joined.tolist()) == (8, [5, 44, 5, 12, 5, 44])
