"""Series beside those of pandas: made, indexed, assigned to, sorted, converted."""

from __future__ import annotations

import pickle

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import (
    AlignmentError,
    ArgumentError,
    ArgumentTypeError,
    MissingAttributeError,
    MissingLabelError,
    PositionError,
)
from akdask.testing.strategies import partition_lengths, partitioned

LABELS = ["a", "b", "a", "c"]
VALUES = [10, 20, 30, 40]


@pytest.fixture
def letters():
    return ak.Series(VALUES, index=LABELS, name="n")


@st.composite
def pairs(draw):
    """A Series of floats and NaN in any partitions, and that of pandas."""
    lengths = draw(partition_lengths())
    size = sum(lengths)
    keys = np.array(draw(st.lists(st.integers(-3, 3), min_size=size, max_size=size)), np.int64)
    values = np.array(draw(st.lists(st.sampled_from([0.5, 2.0, -1.0, np.nan]), min_size=size, max_size=size)), float)
    return ak.Series(partitioned(values, lengths), index=partitioned(keys, lengths)), pd.Series(values, index=keys)


def same(found, wanted, **options):
    pd.testing.assert_series_equal(found.to_pandas(), wanted, check_index_type=False, check_names=False, **options)


def plain(values=VALUES, labels=LABELS):
    return pd.Series(values, index=labels)


# making


@pytest.mark.parametrize(
    "data",
    [
        VALUES,
        np.array(VALUES),
        range(10, 50, 10),
        pd.Series(VALUES),
        pd.Index(VALUES),
        ["x", "", "y", None],
        pd.Categorical(["x", "y", "x", "x"]),
        pd.date_range("2024", periods=4),
        pd.Series([1.5, None, 2.0, 3.0], name="q"),
    ],
    ids=lambda data: f"{type(data).__name__} {getattr(data, 'dtype', '')}",
)
def test_series_are_made_of_what_pandas_makes_them_of(data):
    found, wanted = ak.Series(data).to_pandas(), pd.Series(data)
    assert found.index.tolist() == [0, 1, 2, 3]
    assert (
        found.astype(object).where(found.notna(), None).tolist()
        == wanted.astype(object).where(wanted.notna(), None).tolist()
    )
    assert found.name == wanted.name


def test_labels_and_values_are_given_apart_as_a_pair_or_as_a_mapping():
    wanted = pd.Series([1, 2], index=["x", "y"])
    labels, values = ak.array(["x", "y"]), ak.array([1, 2])
    for made in (
        ak.Series(values, index=labels),
        ak.Series((labels, values)),
        ak.Series([labels, values]),
        ak.Series((["x", "y"], values)),
        ak.Series({"x": 1, "y": 2}),
        ak.Series(wanted),
        ak.Series(ak.Series(wanted)),
        ak.Series([1, 2], index=ak.Index(labels)),
    ):
        same(made, wanted)


def test_a_list_of_two_numbers_is_two_values():
    same(ak.Series([5, 6]), pd.Series([5, 6]))


def test_results_of_groups_are_labelled_by_their_keys():
    keys = [np.array([3, 1, 3]), np.array(["x", "y", "x"])]
    one = ak.Series(ak.GroupBy(ak.array(keys[0])).sum(ak.array([1, 2, 3])))
    same(one, pd.Series([1, 2, 3]).groupby(keys[0]).sum())
    two = ak.Series(ak.GroupBy([ak.array(key) for key in keys]).sum(ak.array([1, 2, 3])))
    wanted = pd.Series([1, 2, 3]).groupby(keys).sum()
    assert two.to_pandas().to_dict() == wanted.to_dict()
    assert two.index.nlevels == 2
    assert two.locate((3, "x")).tolist() == [4]
    assert two.sort_index(ascending=False).to_pandas().index.tolist() == [(3, "x"), (1, "y")]


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: ak.Series(5), ArgumentTypeError),
        (lambda: ak.Series("text"), ArgumentTypeError),
        (lambda: ak.Series((1, 2, 3)), ArgumentTypeError),
        (lambda: ak.Series([1, 2, 3], index=[1, 2]), AlignmentError),
        (lambda: ak.Series([1, 2]) + ak.arange(3), AlignmentError),
    ],
)
def test_what_makes_no_series_is_refused(make, error):
    with pytest.raises(error):
        make()


def test_what_is_assigned_to_the_array_or_the_series_leaves_the_other_alone():
    values = ak.array(VALUES)
    s = ak.Series(values)
    values[0] = 99
    s[1] = -1
    assert (s.tolist(), values.tolist()) == ([10, -1, 30, 40], [99, 20, 30, 40])


# entries


def test_a_label_gives_a_value_or_all_entries_that_have_it(letters):
    assert letters["b"] == 20
    same(letters["a"], plain()["a"])
    same(letters.loc["a"], plain()["a"])
    assert letters.at["c"] == 40
    assert "b" in letters
    assert "z" not in letters


def test_labels_give_entries_in_their_order(letters):
    same(letters[["c", "a"]], plain()[["c", "a"]])
    same(letters[ak.array(["c", "b"])], plain()[["c", "b"]])
    assert letters[ak.array(["c"])] == 40
    with pytest.raises(MissingLabelError):
        letters["z"]


def test_masks_and_slices_choose_entries(letters):
    same(letters[letters > 10], plain()[plain() > 10])
    same(letters[letters.values > 10], plain()[plain() > 10])
    same(letters[1:3], plain()[1:3])
    same(ak.Series([1, 2, 3], index=[5, 6, 7]).loc[6:], pd.Series([1, 2, 3], index=[5, 6, 7]).loc[6:])
    same(ak.Series([1, 2, 3], index=[5, 6, 7]).loc[5:6], pd.Series([1, 2, 3], index=[5, 6, 7]).loc[5:6])


@given(pairs(), st.data())
def test_positions_choose_entries_as_in_pandas(pair, data):
    found, wanted = pair
    size = len(wanted)
    if size:
        positions = data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=5))
        same(found.iloc[positions], wanted.iloc[positions])
        same(found.iloc[positions[0]], wanted.iloc[[positions[0]]])
        same(found.iloc[-1], wanted.iloc[[-1]])
    start = data.draw(st.integers(0, size))
    same(found.iloc[start:size], wanted.iloc[start:size])
    same(found.head(3), wanted.head(3))
    same(found.tail(3), wanted.tail(3))


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda s: s[1], TypeError),
        (lambda s: s[("a", "b")], TypeError),
        (lambda s: s[ak.array([1, 2])], TypeError),
        (lambda s: s[ak.array(["a", "z"])], KeyError),
        (lambda s: s[ak.array([True, False])], IndexError),
        (lambda s: s.iloc["a"], TypeError),
        (lambda s: s.iloc[(1, 2)], TypeError),
        (lambda s: s.iloc[ak.array([0.5])], TypeError),
        (lambda s: s.iloc[4], IndexError),
        (lambda s: s.iloc[[0, 4]], IndexError),
        (lambda s: s.iloc[ak.array([True])], IndexError),
        (lambda s: s.iloc[2:9], IndexError),
        (lambda s: s.iloc[[]], ValueError),
        (lambda s: s.iat[7], IndexError),
        (lambda s: s.loc["a":"c":2], KeyError),
        (lambda s: s.str, AttributeError),
        (lambda s: s.dt, AttributeError),
        (lambda s: s.swapaxes, AttributeError),
        (lambda s: s.add(1), TypeError),
        (lambda s: s.map([1]), TypeError),
        (lambda s: ak.Series(["a"]).diff(), TypeError),
    ],
)
def test_what_chooses_nothing_is_refused_by_the_error_that_python_has_for_it(letters, ask, error):
    with pytest.raises(error) as caught:
        ask(letters)
    assert (
        isinstance(
            caught.value, ArgumentError | ArgumentTypeError | PositionError | MissingLabelError | MissingAttributeError
        )
        or error is AttributeError
    )


# assignment


def test_labels_masks_and_positions_are_assigned_to():
    found = ak.Series([1, 2, 3, 4], index=["a", "b", "a", "c"])
    found["a"] = 7
    assert found.tolist() == [7, 2, 7, 4]
    found["a"] = ak.array([5, 6])
    found[["c"]] = 0
    assert found.tolist() == [5, 2, 6, 0]
    found[found > 5] = -1
    found.iloc[0] = 8
    found.iloc[[1, 3]] = [20, 40]
    found.iat[2] = 30
    assert found.tolist() == [8, 20, 30, 40]
    found.loc["b"] = 21
    found.values[3] = 41
    assert found.tolist() == [8, 21, 30, 41]


def test_a_new_label_adds_an_entry(letters):
    before = letters + 0
    letters["z"] = 5
    same(letters, plain([*VALUES, 5], [*LABELS, "z"]))
    same(before, plain())


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("a", "text", TypeError),
        ("a", 0.5, TypeError),
        ("a", ak.array([0.5, 1.5]), TypeError),
        ("a", ak.array([1, 2, 3]), ValueError),
        (["a", "b"], [1, 2], ValueError),
        ("z", ak.array([1, 2]), ValueError),
        (1, 1, TypeError),
        ("a", None, TypeError),
    ],
)
def test_what_does_not_fit_is_not_assigned(letters, key, value, error):
    with pytest.raises(error):
        letters[key] = value
    same(letters, plain())


def test_text_is_not_assigned_to():
    with pytest.raises(TypeError, match="text"):
        ak.Series(["a", "b"])[0] = "c"


# operators


@given(pairs(), st.sampled_from(["add", "sub", "mul", "truediv", "lt", "ge", "eq", "ne"]))
def test_operators_with_scalars_arrays_and_series_of_the_same_labels_keep_the_labels(pair, name):
    found, wanted = pair
    operation = getattr(__import__("operator"), name)
    with np.errstate(all="ignore"):
        same(operation(found, 2.0), operation(wanted, 2.0))
        same(operation(2.0, found), operation(2.0, wanted))
        same(operation(found, found.values), operation(wanted, wanted))
        same(operation(found, found.copy()), operation(wanted, wanted))


def test_series_of_other_labels_meet_on_the_labels_of_both_and_lack_nothing():
    one, two = ak.Series([1, 2], index=["b", "a"]), ak.Series([10, 20], index=["b", "c"])
    wanted = pd.Series([1, 2], index=["b", "a"]).add(pd.Series([10, 20], index=["b", "c"]), fill_value=0)
    same(one + two, wanted.sort_index(), check_dtype=False)
    same(one.add(two), wanted.sort_index(), check_dtype=False)
    assert (one + ak.Series([5, 6], index=["b", "a"])).to_dict() == {"b": 6, "a": 8}


def test_ufuncs_unary_operators_and_assignments_of_python_work(letters):
    wanted = plain()
    same(np.sqrt(letters), np.sqrt(wanted))
    same(-letters, -wanted)
    same(~(letters > 10), ~(wanted > 10))
    same(abs(letters - 25), abs(wanted - 25))
    same(divmod(letters, 7)[1], wanted % 7)
    letters += 1
    same(letters, wanted + 1)
    assert letters.name == "n"
    same(ak.Series(["x", "y"]) == "x", pd.Series([True, False]))
    same(ak.Series(pd.Categorical(["x", "y"])) == "x", pd.Series([True, False]))


@given(pairs())
def test_missing_values_are_found_filled_and_left_out(pair):
    found, wanted = pair
    same(found.isna(), wanted.isna())
    same(found.notnull(), wanted.notna())
    same(found.fillna(3.0), wanted.fillna(3.0))
    same(found.fillna(found * 0 + 9), wanted.fillna(wanted * 0 + 9))
    same(found.dropna(), wanted.dropna())
    assert found.hasnans() == wanted.hasnans
    assert int(found.count()) == wanted.count()


def test_missing_text_and_labels_are_missing():
    assert ak.Series(["a", None]).isna().tolist() == [False, True]
    assert ak.Series(["a", None]).fillna("?").tolist() == ["a", "?"]
    assert ak.Series(pd.Categorical(["a", None])).isna().tolist() == [False, True]
    assert ak.Series([1, 2]).fillna(5).tolist() == [1, 2]
    assert not ak.Series([1, 2]).hasnans()


# order and counts


@given(pairs())
def test_entries_are_sorted_as_by_pandas(pair):
    found, wanted = pair
    same(found.sort_values(), wanted.sort_values(kind="stable"))
    same(found.sort_index(), wanted.sort_index(kind="stable"))
    same(found.isin([0.5, 2.0]), wanted.isin([0.5, 2.0]))
    same(found.diff(), wanted.diff())


@given(lengths=partition_lengths(), data=st.data())
def test_distinct_text_comes_in_the_order_of_first_rows(lengths, data):
    size = sum(lengths)
    texts = data.draw(st.lists(st.sampled_from(["b", "", "a", "é", "bb"]), min_size=size, max_size=size))
    found = ak.Series(partitioned(np.array(texts, dtype="<U2"), lengths))
    wanted = list(dict.fromkeys(texts))
    assert found.unique().tolist() == wanted
    assert found.drop_duplicates().values.tolist() == wanted


@given(st.lists(st.sampled_from(["b", "", None, "é"]), max_size=9))
def test_missing_text_is_one_of_the_distinct_values(texts):
    rows = pd.Series(texts, dtype="str")
    found = ak.from_pandas(pd.DataFrame({"s": rows}))["s"]
    assert ak.Series(found).unique().isna().tolist() == pd.isna(rows.unique()).tolist()
    assert ak.Series(found).fillna("-").unique().tolist() == rows.fillna("-").unique().tolist()


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=20))
def test_values_are_counted_and_the_largest_found(values):
    found, wanted = ak.Series(ak.array(values)), pd.Series(values)
    assert found.value_counts().to_dict() == wanted.value_counts().to_dict()
    assert found.value_counts().index.tolist() == wanted.value_counts().index.tolist()
    assert found.value_counts(sort=False).index.tolist() == wanted.value_counts(sort=False).index.tolist()
    assert found.topn(3).tolist() == wanted.nlargest(3).tolist()
    assert found.unique().tolist() == wanted.unique().tolist()
    for name in ("sum", "prod", "mean", "min", "max", "any", "all", "argmin", "argmax", "idxmin", "idxmax", "median"):
        assert getattr(found, name)() == getattr(wanted, name)(), name
    assert float(found.std()) == pytest.approx(np.std(values))
    assert float(found.var(1)) == pytest.approx(wanted.var()) if len(values) > 1 else True


def test_values_are_looked_up_by_label_and_mapped():
    s = ak.Series([1, 2, 3], index=[7, 8, 9])
    assert s.locate(8).to_dict() == {8: 2}
    assert s.locate([9, 7]).to_dict() == {7: 1, 9: 3}
    assert s.locate(ak.array([9])).tolist() == [3]
    assert s.locate(ak.Index(ak.array([7]))).tolist() == [1]
    assert s.locate(ak.Series([9, 8], index=["x", "y"])).to_dict() == {"x": 3, "y": 2}
    assert ak.Series([2, 3, 2]).map({2: 30.0, 3: 5.0}).tolist() == [30.0, 5.0, 30.0]
    assert ak.Series([2, 3]).map(ak.Series(["b", "c"], index=[2, 3])).tolist() == ["b", "c"]
    assert s.has_repeat_labels() is False
    assert ak.Series([1, 2], index=[5, 5]).has_repeat_labels() is True


# accessors


def test_accessors_give_series_with_the_labels():
    words = ak.Series(["one", "two"], index=[5, 6])
    same(words.str.contains("w"), pd.Series([False, True], index=[5, 6]))
    same(words.str.startswith("o"), pd.Series([True, False], index=[5, 6]))
    same(words.str.endswith("e"), pd.Series([True, False], index=[5, 6]))
    assert words.str.upper().to_dict() == {5: "ONE", 6: "TWO"}
    times = pd.Series(pd.to_datetime(["2024-02-29 12:34", "2025-01-01 00:00"]), index=["p", "q"])
    found = ak.Series(times)
    same(found.dt.year, times.dt.year, check_dtype=False)
    same(found.dt.floor("d"), times.dt.floor("D"), check_dtype=False)
    coded = ak.Series(pd.Categorical(["x", "y", "x"]))
    assert coded.cat.codes.tolist() == [0, 1, 0]
    assert coded.cat.categories.tolist()[:2] == ["x", "y"]
    assert "upper" in dir(words.str)


def test_own_accessors_can_be_made_with_arkoudas_machinery():
    from akdask.frames.series_accessors import CachedAccessor, Properties, date_operators, string_operators

    @string_operators
    class Words(Properties):
        kinds = (ak.Strings,)

    @date_operators
    class Times(Properties):
        kinds = (ak.Datetime,)

    class Own(ak.Series):
        words = CachedAccessor("words", Words)
        times = CachedAccessor("times", Times)

    assert Own(["ab", "c"]).words.contains("b").tolist() == [True, False]
    floored = Own(pd.to_datetime(["2024-02-29 12:34"])).times.floor("d")
    assert floored.tolist() == ak.Series(pd.to_datetime(["2024-02-29"])).tolist()
    assert Own.words is Words


# ways out


def test_series_are_put_below_each_other_and_side_by_side():
    one, two = ak.Series([1, 2], index=["a", "b"]), ak.Series([3, 4], index=["a", "b"])
    assert ak.Series.concat([one, two]).to_pandas().index.tolist() == ["a", "b", "a", "b"]
    beside = ak.Series.concat([one, two], axis=1, index_labels=["k"], value_labels=["x", "y"]).to_pandas()
    assert beside.to_dict("list") == {"k": ["a", "b"], "x": [1, 2], "y": [3, 4]}
    assert one.to_dataframe(["k"], "v").to_pandas().to_dict("list") == {"k": ["a", "b"], "v": [1, 2]}
    assert one.to_frame("v").to_pandas()["v"].to_dict() == {"a": 1, "b": 2}
    pd.testing.assert_series_equal(ak.Series.pdconcat([one, two]), pd.concat([one.to_pandas(), two.to_pandas()]))
    labelled = ak.Series.pdconcat([one, two], axis=1, labels=ak.array(["x", "y"]))
    assert labelled.to_dict("list") == {"x": [1, 2], "y": [3, 4]}
    grouped = ak.GroupBy(ak.array([1, 1, 2])).sum(ak.array([1, 2, 3]))
    assert ak.Series.concat([grouped, grouped], axis=1).to_pandas()["val_1"].tolist() == [3, 3]
    with pytest.raises(IndexError):
        ak.Series.concat([])
    with pytest.raises(TypeError):
        ak.Series.concat([one, 5])


def test_series_go_through_dask_pickles_numpy_and_markdown(letters):
    found, total = dask.compute(letters, letters.sum())
    pd.testing.assert_series_equal(found, plain().rename("n"))
    assert total == 100
    same(letters.persist(), plain())
    same(pickle.loads(pickle.dumps(letters)), plain())
    assert np.asarray(letters).tolist() == letters.to_ndarray().tolist() == letters.to_numpy().tolist() == VALUES
    assert letters.astype(float).dtype == np.float64
    assert ak.Series(ak.arange(3)).memory_usage() == 48
    assert ak.Series(ak.arange(3)).memory_usage(index=False) == 24
    assert (letters.shape, letters.ndim, letters.size, len(letters)) == ((4,), 1, 4, 4)


def test_series_show_themselves_as_pandas_does_with_first_and_last_rows(letters):
    assert repr(letters) == repr(plain())
    assert repr(ak.Series([1.5, 2.0])) == repr(pd.Series([1.5, 2.0]))
    many = repr(ak.Series(ak.arange(1000)))
    assert many == f"{pd.Series(np.arange(1000)).to_string(max_rows=10)}\ndtype: int64\nLength 1000"
    assert repr(ak.Series([])) == "Series([ -- ][ 0 values : 0 B])"


# DataFrames


def test_columns_of_frames_are_series_by_attribute_and_take_what_is_assigned():
    df = ak.DataFrame({"x": [1, 2, 3], "y": ["a", "b", "a"]})
    assert isinstance(df.x, ak.Series)
    df.x[1] = 20
    assert df["x"].tolist() == [1, 20, 3]
    df["z"] = df.x + 1
    assert df["z"].tolist() == [2, 21, 4]
    assert df[df.x > 2].to_pandas().index.tolist() == [1, 2]
    assert df[df.x > 2].x.index.tolist() == [1, 2]
    assert (ak.arange(3) + df.x).tolist() == [1, 21, 5]
    assert ak.DataFrame({"s": df.x})["s"].tolist() == [1, 20, 3]


@given(partition_lengths(), st.integers(0, 3))
def test_series_of_filtered_rows_keep_their_labels_in_any_partitions(lengths, least):
    values = np.arange(sum(lengths)) % 5
    chained = ak.Series(partitioned(values, lengths))
    chained = chained[chained > least] * 2
    wanted = pd.Series(values)
    same(chained, wanted[wanted > least] * 2)


@pytest.mark.parametrize("name", ["nlargest", "nsmallest"])
@pytest.mark.parametrize("count", [0, 1, 2, 9])
def test_so_many_extremes_are_those_of_pandas(name, count):
    plain = pd.Series([3, 1, 2, 5], index=list("abcd"))
    pd.testing.assert_series_equal(
        getattr(ak.Series(plain), name)(count).to_pandas(), getattr(plain, name)(count), check_names=False
    )


@pytest.mark.parametrize("labels", [None, ["b", "c", "a"]])
def test_results_of_two_series_have_the_name_of_both(labels):
    one, other = ak.Series([1, 2, 3], "n", ["a", "b", "c"]), ak.Series([4, 5, 6], "n", labels or ["a", "b", "c"])
    renamed = other.rename("m")
    for calculate in (lambda s: one + s, one.sub, lambda s: np.add(one, s)):
        assert (calculate(other).name, calculate(renamed).name) == ("n", None)
    assert [found.name for found in one.align(renamed)] == ["n", "m"]
    assert one.combine_first(renamed).name == "n"


@pytest.mark.parametrize(("accessor", "kind"), [("dt", "TimeArray"), ("cat", "Categorical"), ("str", "Strings")])
def test_accessors_say_of_which_values_they_are(accessor, kind):
    s = ak.Series([1, 2])
    assert not hasattr(s, accessor)
    with pytest.raises(AttributeError, match=rf"a Series of int64 has no \.{accessor}.\n.*{kind}"):
        getattr(s, accessor)
