"""Lazy arrays in pandas: what they compute, what builds plans, what is refused."""

from __future__ import annotations

import copy
import operator
import pickle

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, RefusedMethodError
from akdask.extension.arrays import _ArkoudaBaseDtype
from akdask.extension.base import CACHED_ROWS


def _fail(*args, **kwargs):
    pytest.fail("this computed")


@pytest.fixture
def is_lazy():
    """Have what computes fail; scheduler of the test's own."""
    with dask.config.set(scheduler=_fail):
        yield


@pytest.fixture
def numbers():
    return pd.Series(ak.ArkoudaArray(ak.arange(8)))


def test_operators_masks_and_assignment_build_plans(numbers, is_lazy):
    mask = (numbers % 2 == 0) & ~(numbers > 5)
    chosen = numbers.array[mask.array._data]
    numbers.array[2:4] = 7
    text = numbers.astype("ak_float64").astype("ak_string")
    total = np.sqrt(numbers + 1) * 2 - numbers
    assert (mask.dtype.name, total.dtype.name) == ("bool_", "float64")
    assert (chosen.dtype.name, text.dtype.name) == ("int64", "string")


def test_text_builds_plans(is_lazy):
    text = pd.Series(ak.ArkoudaStringArray(ak.array(["a", "b"])))
    assert ((text + "x").dtype.name, (text == "a").dtype.name) == ("string", "bool_")
    assert text.astype("ak_category").dtype == "ak_category"


def test_masks_choose_rows_as_in_pandas(numbers):
    plain = pd.Series(np.arange(8))
    assert numbers[numbers % 3 == 0].tolist() == plain[plain % 3 == 0].tolist()
    assert numbers.sum() == plain.sum()


@pytest.mark.parametrize("dtype", ["ak_float64", "ak_int64"])
def test_methods_of_arrays_take_what_is_not_given_for_what_series_take(dtype):
    items = [4, 1, 4, 9, 1, 2]
    array, plain = pd.array(items, dtype=dtype), pd.Series(items, dtype=dtype.removeprefix("ak_"))
    for name in ("sum", "prod", "min", "max", "mean", "median", "var", "std", "sem", "skew", "kurt", "any", "all"):
        assert getattr(array, name)() == pytest.approx(getattr(plain, name)()), name
    with_gaps, wanted = pd.array([2, None, 7, 3, 3], dtype=dtype), pd.Series([2, None, 7, 3, 3])
    for name in ("sum", "prod", "min", "max", "mean", "median", "var", "std", "sem", "skew", "kurt", "any", "all"):
        assert getattr(with_gaps, name)() == pytest.approx(getattr(wanted, name)()), name
        if name not in ("any", "all"):
            assert pd.isna(getattr(with_gaps, name)(skipna=False)), name
    for values in ([0, 1], [0, 0], [1, 1]):
        truths, wanted = pd.array(values, dtype=dtype), pd.Series(values, dtype=dtype.removeprefix("ak_"))
        assert (truths.any(), truths.all()) == (wanted.any(), wanted.all())
    assert (array.var(ddof=0), array.std(ddof=0)) == pytest.approx((plain.var(ddof=0), plain.std(ddof=0)))
    assert array.duplicated().tolist() == plain.duplicated().tolist()
    for keep in ("first", "last", False):
        assert array.duplicated(keep).tolist() == plain.duplicated(keep).tolist()
    assert (array.argmin(), array.argmax()) == (plain.argmin(), plain.argmax())
    assert array.argsort(kind="stable").tolist() == plain.argsort(kind="stable").tolist()
    assert [array[at] for at in range(-6, 6)] == items * 2
    for at in (-7, 6):
        with pytest.raises(IndexError):
            array[at]
    assert array.shift().isna().tolist() == plain.shift().isna().tolist()
    assert array.take([5, -1, -6]).tolist() == [2, 2, 4]
    codes, uniques = array.factorize()
    assert (codes.tolist(), uniques.tolist()) == (pd.factorize(plain)[0].tolist(), [4, 1, 9, 2])


def test_arrays_share_what_is_assigned():
    data = ak.arange(3)
    array = ak.ArkoudaArray(data)
    array[0] = 9
    assert data.tolist() == [9, 1, 2]
    data[1] = 8
    assert array.tolist() == [9, 8, 2]


def test_elements_are_not_kept_past_an_assignment():
    array = pd.array([1.0, 2.0], dtype="ak_float64")
    view = array.view()
    assert (array.tolist(), view.tolist()) == ([1.0, 2.0], [1.0, 2.0])
    array[0] = np.nan
    assert view.isna().tolist() == [True, False]


def test_elements_of_callers_are_their_own():
    array = pd.array([1, 2], dtype="ak_int64")
    array.to_numpy()[0] = 5
    assert array.tolist() == [1, 2]


def test_many_rows_compute_the_same(numbers):
    rows = CACHED_ROWS + 3
    array = ak.ArkoudaArray(ak.arange(rows) / 2)
    array[5] = np.nan
    assert array.isna().sum() == 1
    assert array[rows - 1] == (rows - 1) / 2
    text = array.astype("ak_string")
    assert (text[7], text.isna().sum()) == ("3.5", 1)
    assert np.isnan(text[5])


@pytest.mark.parametrize("name", ["and_", "or_", "xor", "add", "mul", "eq", "lt"])
def test_bools_compute_as_in_numpy(name):
    one, other = np.array([True, False, True]), np.array([True, True, False])
    compute = getattr(operator, name)
    found = compute(pd.array(one, dtype="ak_bool"), pd.array(other, dtype="ak_bool"))
    assert found.tolist() == compute(one, other).tolist()


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max", "mean", "any", "all", "std", "median"])
def test_bools_are_reduced_as_in_pandas(name):
    plain = pd.Series([True, False, True])
    assert getattr(plain.astype("ak_bool"), name)() == pytest.approx(getattr(plain, name)())


@given(st.lists(st.one_of(st.none(), st.integers(-5, 5)), min_size=1, max_size=12))
def test_orders_and_distinct_elements_are_those_of_pandas(items):
    plain = pd.Series([np.nan if item is None else item for item in items], dtype=np.float64)
    lazy = plain.astype("ak_float64")
    pd.testing.assert_series_equal(lazy.sort_values(kind="stable").ak.collect(), plain.sort_values(kind="stable"))
    assert lazy.factorize()[0].tolist() == plain.factorize()[0].tolist()
    assert lazy.duplicated().tolist() == plain.duplicated().tolist()
    assert lazy.value_counts().sort_index().tolist() == plain.value_counts().sort_index().tolist()
    np.testing.assert_array_equal(lazy.cumsum().to_numpy(), plain.cumsum().to_numpy())
    np.testing.assert_array_equal(lazy.ffill().to_numpy(), plain.ffill().to_numpy())


def test_what_is_missing_becomes_no_plain_integer():
    floats = pd.array([1.0, None], dtype="ak_float64")
    for refused in (lambda: floats.astype("ak_bigint"), lambda: pd.array([1, None], dtype="ak_bigint")):
        with pytest.raises(ValueError, match="NaN"):
            refused()
    for plain in ("int32", "i8"):
        with pytest.raises(ValueError, match="NaN"):
            pd.array([1, None], dtype="ak_int64")._plain(np.dtype(plain))
    for infinite in ([np.inf, 1.0], [np.inf, None]):
        with pytest.raises(ValueError, match="infinity"):
            pd.array(infinite, dtype="ak_float64").astype("ak_int64")


@pytest.mark.parametrize("kind", ["ak_string", "ak_category"])
def test_missing_text_becomes_no_integer(kind):
    text = pd.array(["1", None], dtype=kind)
    assert text.astype("ak_float64").isna().tolist() == [False, True]
    with pytest.raises(ValueError, match="int64"):
        text.astype("ak_int64").to_numpy()
    with pytest.raises(ValueError, match="int64"):
        text.astype("int64").to_numpy()


@pytest.mark.parametrize(
    ("kind", "items"),
    [("ak_float64", [1.0, None, 2.0]), ("ak_string", ["b", None, "a"]), ("ak_category", ["b", None, "a"])],
)
def test_arrays_are_filled_in_place_for_all_that_share_them(kind, items):
    array = pd.array(items, dtype=kind)
    view = array.view()
    fill = 0.5 if kind == "ak_float64" else "c"
    array.fillna(fill, copy=False)
    wanted = [fill if item is None else item for item in items]
    assert (array.tolist(), view.tolist()) == (wanted, wanted)


def test_what_is_missing_stays_missing_as_text():
    floats = pd.array([1.5, None], dtype="ak_float64")
    assert floats.astype("ak_string").isna().tolist() == [False, True]
    assert floats.astype("ak_category").isna().tolist() == [False, True]
    assert pd.array([None, None], dtype="ak_string").isna().tolist() == [True, True]
    assert pd.array([None, "a"], dtype="ak_category").astype("ak_string").isna().tolist() == [True, False]


def test_integers_of_any_size_hold_nothing_missing():
    integers = pd.array([1, 2**70], dtype="ak_bigint")
    with pytest.raises(TypeError, match="missing"):
        integers[0] = None
    assert pd.Series(integers[:1]).shift().dtype == "ak_float64"
    assert pd.Series(integers).shift(fill_value=0).tolist() == [0, 1]


def test_integers_of_any_size_are_exact():
    wide = pd.Series([2**70, 2**63], dtype="ak_bigint")
    assert (wide + 1).tolist() == [2**70 + 1, 2**63 + 1]
    assert wide.sort_values().tolist() == [2**63, 2**70]
    assert pd.array([2**63, -1], dtype="ak").tolist() == [2**63, -1]


def test_missing_categories_equal_nothing():
    column = pd.Series(["a", None], dtype="ak_category")
    assert (column == "a").tolist() == [True, False]
    assert (column == "N/A").tolist() == [False, False]
    assert (column == column.copy()).tolist() == [True, False]
    assert (column != column.copy()).tolist() == [False, True]


def test_types_that_do_not_compare_are_never_equal():
    text = pd.Series(["1", None], dtype="ak_string")
    assert (text == 1).tolist() == [False, False]
    assert (text != 1).tolist() == [True, True]
    assert (text == None).tolist() == [False, False]  # noqa: E711 - what pandas' users write
    with pytest.raises(TypeError):
        text < 1  # noqa: B015


@pytest.mark.parametrize("name", ["ak_int64", "ak.int64", "akint64", "arkouda.int64", "AK_INT64"])
def test_types_have_prefixed_names(name):
    assert pd.api.types.pandas_dtype(name) == ak.ArkoudaInt64Dtype()


def test_ak_asks_for_whatever_type_fits():
    assert pd.array([1, 2], dtype="ak").dtype == "ak_int64"
    assert pd.array(["a"], dtype="ak").dtype == "ak_string"
    assert pd.api.types.pandas_dtype("int64") == np.dtype(np.int64)


def test_arrays_of_several_dimensions_are_refused():
    with pytest.raises(ArgumentError, match="one dimension"):
        ak.ArkoudaArray(ak.arange(4).reshape(2, 2))


def test_what_mixes_text_and_numbers_is_refused():
    with pytest.raises(ArgumentTypeError, match="text"):
        pd.array(["a", 1], dtype="ak")
    with pytest.raises(ArgumentTypeError, match="dict"):
        pd.array([{}], dtype="ak")


def test_classes_hold_only_their_arrays():
    with pytest.raises(ArgumentTypeError, match="pdarray"):
        ak.ArkoudaArray(ak.array(["a"]))
    assert ak.ArkoudaStringArray(ak.ArkoudaStringArray(["a", None])).isna().tolist() == [False, True]
    assert ak.ArkoudaCategorical(ak.array(["a"])).tolist() == ["a"]
    assert ak.ArkoudaArray([1, 2], dtype="ak_float64").dtype == "ak_float64"
    assert ak.ArkoudaArray(ak.arange(2), dtype=np.uint64).dtype == "ak_uint64"


@pytest.mark.parametrize("array", [ak.ArkoudaStringArray(["a"]), ak.ArkoudaCategorical(["a"])])
def test_reductions_of_text_are_refused_with_advice(array):
    with pytest.raises(RefusedMethodError, match="collect"):
        array.std()
    with pytest.raises(TypeError, match="sum"):
        pd.Series(array).sum()
    with pytest.raises(RefusedMethodError, match="one dimension"):
        array.squeeze()


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("ak_int64", "ak_float64", "ak_float64"),
        ("ak_int64", "int64", "ak_int64"),
        ("ak_int64", "ak_uint64", "ak_float64"),
        ("ak_uint8", "ak_uint64", "ak_uint64"),
        ("ak_uint8", "ak_int64", "ak_int64"),
        ("ak_bigint", "ak_int64", "ak_bigint"),
        ("ak_bigint", "float64", "ak_float64"),
        ("ak_int64", "ak_bool", "object"),
    ],
)
def test_columns_of_several_types_are_put_together_in_one_that_holds_them(one, other, wanted):
    found = pd.concat([pd.Series([1, 0], dtype=one), pd.Series([1, 0], dtype=other)])
    assert found.dtype == wanted
    assert found.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize("dtype", [ak.bigint, "bigint", "ak_bigint", ak.array([2**70]).dtype])
def test_integers_are_made_ones_of_any_size_by_each_name_of_the_type(dtype):
    found = pd.array([1, 2**62], dtype="ak_int64").astype(dtype)
    assert (found.dtype, (found * 2**10).tolist()) == ("ak_bigint", [2**10, 2**72])


def test_text_and_categories_are_put_together_as_text():
    found = pd.concat([pd.Series(["a"], dtype="ak_string"), pd.Series(["b", None], dtype="ak_category")])
    assert found.dtype == "ak_string"
    assert found.isna().tolist() == [False, False, True]


def test_str_of_pandas_says_where_it_is():
    with pytest.raises(NotImplementedError, match=r"to_ak_legacy\(\)\.str\.upper"):
        pd.Series(["a"], dtype="ak_string").str.upper()


def test_arrow_takes_the_elements():
    pa = pytest.importorskip("pyarrow")
    assert pa.array(pd.array(["a", None], dtype="ak_string")).to_pylist() == ["a", None]


def test_columns_of_files_are_read_when_asked_for(tmp_path):
    ak.DataFrame({"x": ak.arange(5), "s": ak.array(list("abcde"))}).to_hdf(tmp_path / "set")
    columns = ak.read_hdf(str(tmp_path / "set*"))
    frame = pd.DataFrame({"x": ak.ArkoudaArray(columns["x"]), "s": ak.ArkoudaStringArray(columns["s"])})
    assert frame[frame["x"] > 2]["s"].tolist() == ["d", "e"]


def test_rows_of_filters_and_of_several_partitions_are_those_of_pandas():
    data = ak.concatenate([ak.arange(6), ak.arange(6) - 3])
    plain = pd.Series(np.concatenate([np.arange(6), np.arange(6) - 3]))
    wanted = plain[plain > 0].reset_index(drop=True)
    lazy = pd.Series(ak.ArkoudaArray(data[data > 0]))
    pd.testing.assert_series_equal((lazy * 2 + 1).ak.collect(), wanted * 2 + 1, check_index_type=False)
    assert lazy.value_counts().sort_index().tolist() == wanted.value_counts().sort_index().tolist()
    assert lazy.sort_values(kind="stable").index.tolist() == wanted.sort_values(kind="stable").index.tolist()
    assert lazy[lazy > 2].tolist() == wanted[wanted > 2].tolist()
    assert (lazy.mean(), lazy.argmax()) == (wanted.mean(), wanted.argmax())


@pytest.mark.parametrize("name", ["ak_int64", "ak_float64", "ak_string", "ak_category", "ak_bool", "ak_bigint"])
def test_no_rows_are_rows_too(name):
    empty = pd.Series([], dtype=name)
    assert (len(empty), empty.dtype, empty.tolist()) == (0, name, [])
    assert empty.isna().tolist() == []
    assert empty.unique().tolist() == []
    assert pd.concat([empty, empty]).dtype == name
    assert empty.dtype.name in repr(empty)


def test_copies_and_pickles_are_arrays_of_their_own():
    array = pd.array([1, 2], dtype="ak_int64")
    for made in (copy.deepcopy(array), pickle.loads(pickle.dumps(array))):
        made[0] = 5
        assert made.tolist() == [5, 2]
    assert array.tolist() == [1, 2]


# What follows is stated by the docstrings and the source of arkouda/pandas/extension.


def test_the_types_have_the_names_of_arkouda_and_one_base():
    names = {"int64": "int64", "uint8": "uint8", "bool": "bool_", "string": "string", "category": "category"}
    for prefixed, name in names.items():
        kind = _ArkoudaBaseDtype.construct_from_string(f"ak.{prefixed}")
        assert isinstance(kind, _ArkoudaBaseDtype)
        assert kind.name == name
        assert repr(kind) == f"{type(kind).__name__}({name!r})"
        with pytest.raises(TypeError, match="Cannot construct"):
            _ArkoudaBaseDtype.construct_from_string(name)
    assert isinstance(ak.ArkoudaInt64Dtype.construct_from_string("akfloat64"), ak.ArkoudaFloat64Dtype)
    assert ak.ArkoudaStringDtype().numpy_dtype == np.dtype(np.str_)


def test_one_element_is_compared_and_computed_with_all():
    numbers = ak.ArkoudaArray([1, 2, 3])
    assert (numbers == [2]).tolist() == [False, True, False]
    assert (numbers + ak.array([10])).tolist() == [11, 12, 13]
    assert (ak.ArkoudaStringArray(["a", "b"]) == ["b"]).tolist() == [False, True]
    assert (ak.ArkoudaCategorical(["a", "b"]) != ["b"]).tolist() == [True, False]
    with pytest.raises(ValueError, match="Lengths must match"):
        numbers == [1, 2]  # noqa: B015


def test_what_cannot_be_equal_is_not():
    text = ak.ArkoudaStringArray(["1", "b"])
    for other in (1, [1, 2], ak.arange(2), None):
        assert (text == other).tolist() == [False, False]
        assert (text != other).tolist() == [True, True]
    assert (ak.ArkoudaArray([1, 2]) == "1").tolist() == [False, False]
    assert (ak.ArkoudaArray([1, 2]) == ["1", "2"]).tolist() == [False, False]


def test_the_hooks_of_pandas_operators_compute():
    numbers = ak.ArkoudaArray([1, 2])
    assert numbers._cmp_method(2, operator.lt).tolist() == [True, False]
    assert numbers._cmp_method("a", operator.eq).tolist() == [False, False]
    assert numbers._arith_method(numbers, operator.add).tolist() == [2, 4]
    assert numbers._arith_method(3, operator.mul).tolist() == [3, 6]
    assert numbers._arith_method([1, 2], operator.add) is NotImplemented


@pytest.mark.parametrize("dtype", ["int64", np.dtype("int64"), "ak_int64", pd.Int64Dtype(), np.int64, int])
def test_types_of_lazy_arrays_give_lazy_arrays(dtype):
    for array in (ak.ArkoudaArray([1.0, 2.0]), ak.ArkoudaStringArray(["1", "2"]), ak.ArkoudaCategorical(["1", "2"])):
        found = array.astype(dtype)
        assert isinstance(found, ak.ArkoudaArray)
        assert (found.dtype.name, found.tolist()) == ("int64", [1, 2])


def test_other_types_give_arrays_of_their_own():
    numbers = ak.ArkoudaArray([1, 2])
    assert numbers.astype("int64", copy=False) is numbers
    assert numbers.astype("int64") is not numbers
    assert numbers.astype(object).dtype == object
    assert numbers.astype("float32").dtype == np.float32
    assert numbers.astype("category").dtype == "category"
    assert isinstance(ak.ArkoudaStringArray(["a"]).astype("category"), ak.ArkoudaCategorical)
    fixed = pd.CategoricalDtype(["a", "b"])
    assert ak.ArkoudaStringArray(["a"]).astype(fixed).dtype == fixed


def test_reductions_have_the_names_of_arkouda():
    numbers = ak.ArkoudaArray([3, 0, 5])
    assert [numbers._reduce(name) for name in ("first", "argmin", "argmax", "or", "and")] == [3, 1, 2, True, False]
    assert ak.ArkoudaStringArray(["b", "a"])._reduce("first") == "b"
    with pytest.raises(ValueError, match="first of no elements"):
        numbers[:0]._reduce("first")
    with pytest.raises(TypeError, match="mode"):
        numbers._reduce("mode")


def test_sorted_positions_are_found():
    assert ak.ArkoudaArray([1, 3, 5]).searchsorted(4) == 2
    assert ak.ArkoudaStringArray(["a", "c"]).searchsorted(["b", "c"], side="right").tolist() == [1, 2]


def test_numbers_in_memory_are_written_as_text():
    assert ak.ArkoudaStringArray([1, 2]).tolist() == ["1", "2"]
    with pytest.raises(TypeError, match="holds a Strings"):
        ak.ArkoudaStringArray(ak.arange(2))


def test_missing_elements_go_to_a_named_end():
    assert ak.ArkoudaArray([3.0, np.nan, 1.0]).argsort(na_position="first").tolist() == [1, 2, 0]
    with pytest.raises(ValueError, match="na_position"):
        ak.ArkoudaArray([1.0]).argsort(na_position="middle")


def test_groups_reduce_arrays_of_pandas():
    groups, values = ak.GroupBy(ak.array([1, 2, 1])), ak.ArkoudaArray(ak.array([1.0, 2.0, 5.0]))
    for held in (values, pd.Series(values), pd.Index(values)):
        assert groups.mean(held)[1].tolist() == [3.0, 2.0]
        assert groups.aggregate(held, "max")[1].tolist() == [5.0, 2.0]
    with pytest.raises(TypeError, match="takes a lazy array"):
        groups.mean(pd.Series([1.0, 2.0, 5.0]))


def test_elements_of_text_are_numpys():
    for array in (ak.ArkoudaStringArray(["a", "b"]), ak.ArkoudaCategorical(ak.Categorical(ak.array(["a", "b"])))):
        assert isinstance(array[1], np.str_)
    assert ak.ArkoudaStringArray(["a", "bc"]).to_ndarray().dtype == "<U2"
    assert ak.ArkoudaArray(ak.array([2, 2, 1])).value_counts().name is None


def test_elements_are_counted_in_the_order_that_arkouda_has():
    counts = ak.ArkoudaArray(ak.array([2.5, 1.0, 2.5, np.nan, 2.5])).value_counts()
    assert counts.index.tolist() == [1.0, 2.5]
    assert counts.tolist() == [1, 3]
    assert counts.dtype == np.int64
    assert ak.ArkoudaArray(ak.array([2.5, np.nan])).value_counts(dropna=False).tolist() == [1, 1]
    assert ak.ArkoudaStringArray(["b", "a", "b", "c"]).value_counts().index.tolist() == ["b", "a", "c"]
    assert ak.ArkoudaStringArray(["b", "a", "b", "c"]).value_counts().tolist() == [2, 1, 1]
    empty = ak.ArkoudaArray(ak.array([], dtype="int64")).value_counts()
    assert (len(empty), empty.dtype) == (0, np.int64)


@pytest.mark.parametrize("made", [ak.ArkoudaArray([1, 2]), ak.ArkoudaStringArray(["a", "b"])])
def test_keys_that_choose_no_elements_are_refused_as_in_arkouda(made):
    for key in (np.array([0.5]), ["a"], [0.5]):
        with pytest.raises(TypeError, match="by integers or bools"):
            made[key]
    for change in (made.__getitem__, lambda key: made.__setitem__(key, made[0])):
        with pytest.raises(NotImplementedError, match="not both"):
            change([True, 1])
        with pytest.raises(NotImplementedError, match="found: int, str"):
            change([1, "a"])
    assert made[[np.int64(1), 0]].tolist() == [made[1], made[0]]
    assert len(made[[]]) == 0


def test_numbers_of_a_categorical_are_its_codes():
    labels = ak.Categorical(ak.array(["b", "a", "b"]))
    assert ak.ArkoudaArray._from_sequence(labels).tolist() == labels.codes.tolist()


def test_a_class_of_ones_own_takes_elements():
    class Mine(ak.ArkoudaExtensionArray):
        pass

    assert Mine(ak.array([1, 2, 3])).take([0, -1, 2], allow_fill=True, fill_value=99).to_numpy().tolist() == [1, 99, 3]
    none = Mine(ak.zeros(0, ak.int64))
    assert none.take([-1, -1], allow_fill=True, fill_value=7).to_numpy().tolist() == [7, 7]


def test_a_sequence_of_labels_makes_a_categorical():
    cls = ak.ArkoudaCategorical
    for labels in (["a", "b", "a"], ak.array(["a", "b", "a"]), ak.Categorical(ak.array(["a", "b", "a"]))):
        made = cls._from_sequence(labels)
        assert (type(made), made.dtype.name, made.tolist()) == (cls, "category", ["a", "b", "a"])
    assert type(cls._from_sequence(["a"], dtype="ak_string")) is ak.ArkoudaStringArray
    assert cls._from_sequence(["a", None]).isna().tolist() == [False, True]
    # Results of functions have types of their own.
    assert pd.Series(cls(["a", "b"])).map({"a": 1, "b": 2}).tolist() == [1, 2]


def test_numbers_that_are_put_together_have_the_widest_of_their_types():
    for one, other, wanted in (
        ("ak_uint8", "uint8", "ak_uint8"), ("ak_uint8", "uint16", "ak_uint64"), ("ak_uint8", "int8", "ak_int64"),
        ("ak_uint8", "ak_int64", "ak_int64"), ("ak_uint8", "ak_uint64", "ak_uint64"), ("ak_uint8", "bool", "object"),
        ("ak_uint8", "float32", "ak_float64"), ("ak_int64", "int8", "ak_int64"), ("ak_uint64", "uint8", "ak_uint64"),
        ("ak_int64", "ak_uint64", "ak_float64"), ("ak_bigint", "ak_int64", "ak_bigint"),
        ("ak_bigint", "float64", "ak_float64"), ("ak_string", "ak_string", "ak_string"),
        ("ak_string", "str", "ak_string"),
    ):  # fmt: skip
        items = ["a"] if one == "ak_string" else [1]
        for parts in ((one, other), (other, one)):
            found = pd.concat([pd.Series(items, dtype=dtype) for dtype in parts])
            assert found.dtype == wanted, parts
            assert found.tolist() == items * 2
