from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.group_reductions import of_any_type
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.operators.group import tuning
from akdask.testing.strategies import columns, partition_lengths, partitioned

NUMBERS = ("int64", "uint64", "float64", "bool")
KEYS = (*NUMBERS, "str")
BY_PANDAS = ("sum", "prod", "mean", "var", "std", "min", "max", "median", "count", "nunique")


def test_counts_without_values_are_those_of_rows():
    groups = ak.GroupBy([ak.array([2, 1, 2]), ak.array(["a", "b", "a"])])
    (numbers, text), found = groups.count()
    assert (numbers.tolist(), text.tolist(), found.tolist()) == ([1, 2], ["b", "a"], [1, 2])
    assert groups.count(ak.array([1.0, np.nan, np.nan]))[1].tolist() == [0, 1]


@pytest.fixture(autouse=True)
def cut_everything(monkeypatch):
    """Small tables stay whole in real use; here they are cut at keys like large ones."""
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", 0)
    monkeypatch.setattr(tuning, "RANGE_ROWS", 4)


@st.composite
def grouped_rows(draw, values="float64", max_keys=2):
    """Keys of any types and a column of values, as pandas and as lazy arrays in any partitions."""
    lengths = draw(partition_lengths())
    rows = sum(lengths)
    names = [f"key{number}" for number in range(draw(st.integers(1, max_keys)))]
    plain = {name: draw(columns(draw(st.sampled_from(KEYS)), rows)) for name in names}
    if rows and draw(st.booleans()):
        # Few distinct keys.
        chosen = draw(st.lists(st.integers(0, min(rows, 3) - 1), min_size=rows, max_size=rows))
        plain = {name: column[chosen] for name, column in plain.items()}
    plain["v"] = draw(columns(values, rows))
    if values == "float64":
        # Sums of extremes depend on their order.
        plain["v"] = np.where(np.abs(plain["v"]) > 1e9, np.inf, plain["v"]) + 0.0
    table = pd.DataFrame({name: column.astype(object) if column.dtype.kind == "U" else column
                          for name, column in plain.items()})  # fmt: skip
    lazy = {name: partitioned(column, lengths) for name, column in plain.items()}
    return names, table, lazy


def groups_of(names, table, dropna=True):
    """Group by pandas, with the keys in the order of their bytes."""
    return table.groupby(names, dropna=dropna, sort=True)


def keys_as_lists(found, count):
    return [with_one_zero(key.tolist()) for key in (found if count > 1 or isinstance(found, tuple) else [found])]


def without_signs(keys):
    """Return keys with zeros that have no sign: -0.0 and 0.0 are one key, and either may stand for it."""
    return [[part + 0.0 if isinstance(part, float) else part for part in key] for key in keys]


def in_order(names, table, result):
    """Return keys and results of pandas in ascending order, text by its bytes and NaN last."""
    frame = result.rename("result").reset_index()
    by_bytes = frame.assign(**{name: [x.encode() if isinstance(x, str) else x for x in frame[name]] for name in names})
    order = by_bytes.sort_values(names, kind="stable").index
    return [with_one_zero(frame[name][order].tolist()) for name in names], frame["result"][order].to_numpy()


def with_one_zero(key):
    """Drop the sign of zeros: pandas gives all groups the first one that it meets."""
    return [item + 0.0 if isinstance(item, float) else item for item in key]


@given(grouped_rows(), st.sampled_from(BY_PANDAS), st.booleans())
def test_reductions_are_those_of_pandas(rows, name, dropna):
    names, table, lazy = rows
    groups = ak.GroupBy([lazy[key] for key in names], dropna=dropna)
    keys, found = of_any_type(groups, name, lazy["v"])
    with np.errstate(all="ignore"):
        wanted_keys, wanted = in_order(names, table, getattr(groups_of(names, table, dropna)["v"], name)())
    np.testing.assert_equal(without_signs(keys_as_lists(keys, 2)), without_signs(wanted_keys))
    np.testing.assert_allclose(found.to_ndarray(), wanted.astype(float), rtol=1e-7, atol=1e-9)


@given(grouped_rows("int64"), st.sampled_from(["sum", "min", "max"]))
def test_integers_are_exact_and_wrap(rows, name):
    names, table, lazy = rows
    found = getattr(ak.GroupBy([lazy[key] for key in names]), name)(lazy["v"])[1]
    wanted = [getattr(np, name)(part.to_numpy()) for _, part in by_position(names, table)]
    assert found.dtype == np.int64
    assert found.tolist() == wanted


def by_position(names, table):
    """Yield the rows of each group in the order of the keys, without asking pandas to reduce anything."""
    numbers, firsts = group_numbers(names, table)
    for number in range(len(firsts)):
        yield number, table["v"][numbers == number]


def group_numbers(names, table):
    keys = [
        tuple((0, x.encode()) if isinstance(x, str) else (1, 0) if pd.isna(x) else (0, x) for x in items)
        for items in zip(*(table[name].tolist() for name in names), strict=True)
    ]
    kept = {key for key in keys if all(part != (1, 0) for part in key)}
    order = {key: number for number, key in enumerate(sorted(kept))}
    numbers = np.array([order.get(key, -1) for key in keys], np.int64)
    return numbers, [int(np.argmax(numbers == number)) for number in range(len(order))]


@given(grouped_rows())
def test_groups_are_permuted_rows_and_hand_values_back_to_them(rows):
    names, table, lazy = rows
    groups = ak.GroupBy([lazy[key] for key in names])
    numbers, firsts = group_numbers(names, table)
    order = np.argsort(numbers, kind="stable")[np.count_nonzero(numbers < 0) :]
    sizes = np.bincount(numbers[numbers >= 0], minlength=len(firsts))
    assert groups.permutation.tolist() == order.tolist()
    assert groups.segments.tolist() == (np.cumsum(sizes) - sizes).tolist()
    assert groups.unique_key_idx.tolist() == firsts
    assert groups.size()[1].tolist() == sizes.tolist()
    assert groups.ngroups == len(groups) == len(firsts)
    assert groups.nkeys == len(names)
    spread = groups.broadcast(ak.array(np.arange(len(firsts)) + 1.0))
    assert np.nan_to_num(spread.to_ndarray(), nan=0.0).tolist() == (numbers + 1).tolist()
    assert groups.broadcast(groups.size()[1], permute=False).tolist() == np.repeat(sizes, sizes).tolist()


@given(grouped_rows("str", max_keys=1), st.sampled_from([1, 2]))
def test_rows_of_groups_are_the_first_and_the_last_ones(rows, count):
    names, table, lazy = rows
    groups = ak.GroupBy(lazy[names[0]])
    numbers, _ = group_numbers(names, table)
    inside = [np.flatnonzero(numbers == number) for number in range(numbers.max(initial=-1) + 1)]
    assert groups.head(lazy["v"], count)[1].tolist() == [row for part in inside for row in part[:count]]
    assert groups.tail(lazy["v"], count, return_indices=False)[1].tolist() == [
        table["v"][row] for part in inside for row in part[-count:]
    ]
    assert groups.first(lazy["v"])[1].tolist() == [table["v"][part[0]] for part in inside]
    if any(len(part) < count for part in inside):
        with pytest.raises(ArgumentError, match="cannot be chosen from a group of 1"):
            groups.sample(lazy["v"], n=count).tolist()
        return
    chosen = groups.sample(lazy["v"], n=count, random_state=3, return_indices=True).to_ndarray()
    assert len(set(chosen.tolist())) == len(chosen) == count * len(inside)
    assert sorted(numbers[chosen]) == [number for number, _ in enumerate(inside) for _ in range(count)]
    assert chosen.tolist() == sorted(chosen)
    permuted = groups.sample(lazy["v"], n=count, random_state=3, return_indices=True, permute_samples=True).to_ndarray()
    assert sorted(permuted) == chosen.tolist()
    assert numbers[permuted].tolist() == sorted(numbers[permuted])
    values, again = groups.sample([lazy["v"], lazy[names[0]]], n=count, random_state=3)
    np.testing.assert_array_equal(values.tolist(), table["v"].to_numpy()[chosen])
    assert again.size == len(chosen)


@given(grouped_rows("int64"))
def test_positions_of_extremes_are_those_of_all_rows(rows):
    names, table, lazy = rows
    groups = ak.GroupBy([lazy[key] for key in names])
    parts = [part for _, part in by_position(names, table)]
    assert groups.argmin(lazy["v"])[1].tolist() == [part.index[np.argmin(part)] for part in parts]
    assert groups.argmax(lazy["v"])[1].tolist() == [part.index[np.argmax(part)] for part in parts]
    wanted = [next(value for value in part if value in set(part.mode())) for part in parts]
    assert groups.mode(lazy["v"])[1].tolist() == wanted
    for name, ufunc in {"OR": np.bitwise_or, "AND": np.bitwise_and, "XOR": np.bitwise_xor}.items():
        assert getattr(groups, name)(lazy["v"])[1].tolist() == [ufunc.reduce(part.to_numpy()) for part in parts]
    assert groups.any(lazy["v"] != 0)[1].tolist() == [bool(part.any()) for part in parts]
    assert groups.all(lazy["v"] != 0)[1].tolist() == [bool(part.all()) for part in parts]


@given(grouped_rows())
def test_missing_values_are_kept_where_asked_for(rows):
    names, table, lazy = rows
    groups = ak.GroupBy([lazy[key] for key in names])
    parts = [part.to_numpy() for _, part in by_position(names, table)]
    for name in ("sum", "mean", "min", "max", "median"):
        found = getattr(groups, name)(lazy["v"], skipna=False)[1].to_ndarray()
        with np.errstate(all="ignore"):
            wanted = [getattr(np, name)(part) for part in parts]
        if name == "median":
            wanted = [np.nan if np.isnan(part).any() else pd.Series(part).median() for part in parts]
        np.testing.assert_allclose(found, np.array(wanted, float), rtol=1e-7, atol=1e-9)


@settings(max_examples=settings().max_examples // 2)
@given(grouped_rows(max_keys=1))
def test_the_same_choice_comes_with_the_same_seed_whatever_the_partitions(rows):
    names, _, lazy = rows
    whole = ak.GroupBy(ak.array(lazy[names[0]].to_ndarray()))
    values = ak.array(lazy["v"].to_ndarray())
    chosen = whole.sample(values, frac=0.5, random_state=7, return_indices=True).tolist()
    parted = ak.GroupBy(lazy[names[0]]).sample(lazy["v"], frac=0.5, random_state=7, return_indices=True)
    assert parted.tolist() == chosen


def test_rows_are_chosen_with_replacement_by_their_odds():
    groups = ak.GroupBy(ak.array([0, 0, 1, 1, 1]))
    odds = ak.array([0.0, 1.0, 1.0, 0.0, 0.0])
    chosen = groups.sample(ak.arange(5), n=4, replace=True, weights=odds, random_state=1)
    assert chosen.tolist() == [1, 1, 1, 1, 2, 2, 2, 2]
    together = groups.sample(ak.arange(5), n=4, replace=True, weights=odds, permute_samples=True)
    assert together.tolist() == [1, 1, 1, 1, 2, 2, 2, 2]


@pytest.mark.parametrize("weights", [[1.0, 1.0, -1.0], [0.0, 0.0, 1.0], [np.nan, 1.0, 1.0], [np.inf, 1.0, 1.0]])
def test_odds_that_choose_nothing_are_refused(weights):
    with pytest.raises(ArgumentError, match="odds of rows"):
        ak.GroupBy(ak.array([0, 0, 1])).sample(ak.arange(3), weights=ak.array(weights)).tolist()


def test_rows_without_odds_are_not_chosen_to_fill_a_sample():
    groups, odds = ak.GroupBy(ak.array([0, 0, 1, 1])), ak.array([1, 0, 2, 2])
    with pytest.raises(ArgumentError, match="2 rows cannot be chosen from a group with odds above 0 for 1"):
        groups.sample(ak.arange(4), n=2, weights=odds).tolist()
    assert groups.sample(ak.arange(4), n=2, weights=odds, replace=True, random_state=1).tolist()[:2] == [0, 0]


@pytest.mark.parametrize("dropna", [True, False])
def test_the_length_of_groups_is_that_of_their_rows(dropna):
    keys = ak.array([1.0, np.nan, 1.0, 2.0])
    lengths = [ak.GroupBy(item, dropna=dropna).length for item in (keys, [keys, ak.arange(4)], ak.arange(4), keys[:0])]
    assert lengths == [3 if dropna else 4, 3 if dropna else 4, 4, 0]


def test_rows_of_several_arrays_are_values_of_groups():
    keys = ak.array([1, 1, 1, 1, 2, 2])
    numbers, words = ak.array([5, 3, 3, 3, 7, 7]), ak.array(["x", "y", "z", "y", "x", "x"])
    groups = ak.GroupBy(keys)
    assert groups.nunique([numbers, words])[1].tolist() == [3, 1]
    assert [array.tolist() for array in groups.mode([numbers, words])[1]] == [[3, 7], ["y", "x"]]
    found_keys, lists = of_any_type(groups, "unique", [numbers, words])
    assert found_keys.tolist() == [1, 2]
    rows = [set(zip(*pair, strict=True)) for pair in zip(*(item.tolist() for item in lists), strict=True)]
    assert rows == [{(5, "x"), (3, "y"), (3, "z")}, {(7, "x")}]
    labels = ak.Categorical(words)
    assert groups.nunique([labels, numbers])[1].tolist() == [3, 1]
    assert groups.mode((labels, numbers))[1][0].tolist() == ["y", "x"]
    assert of_any_type(groups, "unique", [labels])[1][0].tolist() == [["x", "y", "z"], ["x"]]


@pytest.mark.parametrize(("options", "error"), [
    ({"n": 1, "frac": 0.5}, ValueError), ({"n": -1}, ValueError), ({"n": 3}, ValueError), ({"frac": 1.5}, ValueError),
    ({"n": 1.5}, TypeError), ({"frac": "a"}, TypeError), ({"weights": ak.array([1, 1, -1, 1])}, ValueError),
    ({"weights": ak.array([0, 1, 0, 1])}, ValueError), ({"weights": ak.array([1, 1])}, ValueError),
    ({"weights": [1, 1, 1, 1]}, TypeError),
])  # fmt: skip
def test_samples_that_cannot_be_drawn_are_refused(options, error):
    with pytest.raises(error):
        ak.GroupBy(ak.array([1, 2, 1, 2])).sample(ak.arange(4), **options).compute()


@pytest.mark.parametrize("keys", [5, [ak.arange(3), 5]])
def test_what_is_no_array_is_not_grouped(keys):
    with pytest.raises(ArgumentTypeError):
        ak.GroupBy(keys)


@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), st.randoms())
def test_values_of_segments_are_spread_over_their_rows(lengths, random):
    lengths[-1] += 1
    starts = ak.array(np.cumsum(lengths) - lengths)
    wanted = np.repeat(np.arange(len(lengths)), lengths)
    assert ak.broadcast(starts, ak.arange(len(lengths)), int(sum(lengths))).tolist() == wanted.tolist()
    names = ak.array([str(number) for number in range(len(lengths))])
    rows = random.sample(range(len(wanted)), len(wanted))
    by_row = dict(zip(rows, wanted.tolist(), strict=True))
    found = ak.broadcast(starts, names, permutation=ak.array(rows))
    assert found.tolist() == [str(by_row[row]) for row in range(len(wanted))]


@pytest.mark.parametrize(("segments", "values", "size"), [([0, 2], [1], 3), ([], [], 3), ([0], [1], -1), ([0], [1], 0)])
def test_values_that_do_not_fit_segments_are_refused(segments, values, size):
    with pytest.raises(ArgumentError, match="broadcast"):
        ak.broadcast(ak.array(segments, dtype="int64"), ak.array(values, dtype="int64"), size)


def test_a_second_array_of_keys_is_not_taken_for_an_option():
    with pytest.raises(ArgumentTypeError, match="into a list"):
        ak.GroupBy(ak.arange(3), ak.arange(3))


def test_the_names_of_reductions_are_those_of_the_documentation():
    names = (
        "all and any argmax argmin count first max mean median min mode nunique or prod quantile std sum unique var xor"
    )
    assert set(names.split()) == ak.GROUPBY_REDUCTION_TYPES == ak.GroupBy.Reductions


def test_categoricals_are_grouped_by_their_codes_and_stay_categoricals():
    labels = ak.Categorical(ak.array(["b", "a", "b", "c"]))
    keys, sums = ak.GroupBy(labels).sum(ak.array([1, 2, 3, 4]))
    assert isinstance(keys, ak.Categorical)
    assert (keys.tolist(), sums.tolist()) == (["a", "b", "c"], [2, 4, 4])
    groups = ak.GroupBy(ak.array([1, 1, 0, 0]))
    assert groups.first(labels)[1].tolist() == ["b", "b"]
    assert groups.mode(labels)[1].tolist() == ["b", "b"]
    assert groups.nunique(labels)[1].tolist() == [2, 2]
    assert groups.broadcast(groups.first(labels)[1]).tolist() == ["b"] * 4


def test_several_keys_give_a_tuple_and_one_gives_an_array():
    a, b = ak.array([2, 1, 2]), ak.array(["x", "y", "x"])
    first, second = ak.GroupBy([a, b]).unique_keys
    assert (first.tolist(), second.tolist()) == ([1, 2], ["y", "x"])
    assert ak.GroupBy(a).unique_keys.tolist() == [1, 2]


def test_results_of_one_groupby_can_be_combined():
    groups = ak.GroupBy(partitioned(np.array([1, 0, 1, 0, 3]), [2, 0, 3]))
    values = partitioned(np.arange(5.0), [2, 0, 3])
    spread = groups.max(values)[1] - groups.min(values)[1]
    assert spread.tolist() == [2.0, 2.0, 0.0]


def test_filtered_rows_are_grouped():
    keys, values = ak.array([1, 2, 1, 2]), ak.array([1, 2, 3, 4])
    groups = ak.GroupBy(keys[values > 1])
    assert [item.tolist() for item in groups.sum(values[values > 1])] == [[1, 2], [3, 6]]


def test_aggregate_takes_the_name_of_any_reduction():
    groups, values = ak.GroupBy(ak.array([1, 1])), ak.array([5, 3])
    assert groups.aggregate(values, "XOR")[1].tolist() == [6]
    assert groups.aggregate(values, "or")[1].tolist() == [7]
    assert groups.aggregate(values, "median")[1].tolist() == [4.0]
    assert groups.aggregate(values, "var", ddof=0)[1].tolist() == [1.0]
    with pytest.raises(ArgumentError, match="reductions: all, and"):
        groups.aggregate(values, "total")


def test_what_cannot_be_reduced_is_refused_where_it_is_written():
    groups = ak.GroupBy(ak.array([1, 1]))
    with pytest.raises(ArgumentTypeError, match="sum of groups does not take a column of type str"):
        groups.sum(ak.array(["a", "b"]))
    with pytest.raises(ArgumentTypeError, match="XOR of groups"):
        groups.XOR(ak.array([1.0, 2.0]))
    with pytest.raises(AlignmentError, match="cannot group columns"):
        groups.sum(ak.arange(3))
    with pytest.raises(AlignmentError, match="one value for each of 1 groups, got 2"):
        groups.broadcast(ak.arange(2))
    with pytest.raises(ArgumentError, match="either n or frac"):
        groups.sample(ak.arange(2), n=1, frac=0.5)
    for wrong in (ak.GroupBy, lambda: ak.GroupBy([])):
        with pytest.raises(ArgumentError, match="at least one array"):
            wrong()
    with pytest.raises(ArgumentTypeError, match="assume_sorted is a bool"):
        ak.GroupBy(ak.array([1]), ak.array([2]))
    with pytest.raises(ArgumentTypeError):
        groups.sample(ak.arange(2), n=1.5)
    with pytest.raises(AlignmentError):
        groups.sample([ak.arange(2), ak.arange(3)])
    with pytest.raises(ArgumentError, match="without orig_keys, permutation, segments"):
        ak.GroupBy.build_from_components()


def test_several_reductions_are_named_at_once():
    keys, (sums, medians) = ak.GroupBy(ak.array([1, 0, 1])).aggregate(ak.array([1, 2, 4]), ["sum", "median"])
    assert (keys.tolist(), sums.tolist(), medians.tolist()) == ([0, 1], [2, 5], [2.0, 2.5])


@settings(max_examples=settings().max_examples // 2)
@given(grouped_rows("int64"))
def test_groups_that_were_found_before_need_no_keys(rows):
    names, table, lazy = rows
    keys = [lazy[name] for name in names]
    plain = ak.GroupBy(keys)
    parts = {"permutation": plain.permutation, "segments": plain.segments}
    stored = ak.GroupBy.build_from_components(orig_keys=keys, unique_key_idx=plain.unique_key_idx, **parts)
    wanted = [[part.max(), part.index[0]] for _, part in by_position(names, table)]
    for groups in (stored, ak.GroupBy(keys).persist()):
        found_keys, found = groups.max(lazy["v"])
        assert found.tolist() == [largest for largest, _ in wanted]
        np.testing.assert_equal(keys_as_lists(found_keys, 2), keys_as_lists(plain.unique_keys, 2))
        assert groups.unique_key_idx.tolist() == [first for _, first in wanted]
        assert groups.permutation.tolist() == plain.permutation.tolist()
        assert groups.broadcast(found).tolist() == plain.broadcast(plain.max(lazy["v"])[1]).tolist()


@pytest.mark.lazy_only
def test_parts_that_are_no_groups_are_refused():
    not_rows = ([0, 2], [0]), ([0, -1], [0]), ([0, 0], [0])
    not_rising_from_0 = ([0, 1], [1]), ([0, 1], [0, 2, 1]), ([0, 1], [0, 0])
    for permutation, segments in (*not_rows, *not_rising_from_0):
        groups = ak.GroupBy.build_from_components(
            orig_keys=ak.arange(2), permutation=permutation, segments=segments, unique_keys=ak.arange(len(segments))
        )
        with pytest.raises(ArgumentError, match="do not describe groups"):
            groups.sum(ak.arange(2))[1].tolist()


def test_rows_that_no_group_has_are_left_out():
    keys, values = ak.array([7, 5, 7]), ak.array([1, 2, 4])
    parts = {"permutation": ak.array([2, 1]), "segments": ak.array([0, 1]), "unique_keys": ak.array([7, 5])}
    assert ak.GroupBy.build_from_components(orig_keys=keys, **parts).sum(values)[1].tolist() == [4, 2]


@pytest.mark.parametrize("order", [(0, 1, 2), (1, 2, 0), (2, 0, 1)])
def test_rows_are_left_out_where_any_key_is_missing(order):
    columns = [np.array([1.0, np.nan, 1.0, 1.0, 1.0]), np.array([2.0, 2.0, np.nan, 2.0, 2.0])]
    columns.append(np.array(["2020", "2020", "2020", "NaT", "2020"], "M8[ns]"))
    made = [ak.Datetime(column) if column.dtype.kind == "M" else ak.array(column) for column in columns]
    assert ak.GroupBy([made[number] for number in order]).size()[1].tolist() == [2]
    assert sorted(ak.GroupBy([made[number] for number in order], dropna=False).size()[1].tolist()) == [1, 1, 1, 2]


@pytest.mark.parametrize("name", ["any", "all"])
def test_truth_of_groups_is_that_of_bool_alone(name):
    groups = ak.GroupBy(ak.array([0, 0, 1]))
    with pytest.raises(TypeError, match=f"{name} of groups is of bool, not of int64"):
        getattr(groups, name)(ak.arange(3))
    assert groups.aggregate(ak.array([1, 0, 0]) == 1, name)[1].tolist() == [name == "any", False]
