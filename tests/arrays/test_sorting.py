from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.sorting import in_order, insertion_points
from akdask.errors import (
    AlignmentError,
    ArgumentError,
    ArgumentTypeError,
    AxisError,
    MissingColumnError,
    UnsupportedError,
)
from akdask.testing import assert_equal

WORDS = ["pear", "apple", "", "Zoo", "apple", "zoë"]


def test_strings_sort_by_their_bytes():
    wanted = sorted(WORDS, key=str.encode)
    assert in_order(ak.array(WORDS)).tolist() == wanted
    assert ak.array(WORDS)[ak.array(WORDS).argsort()].tolist() == wanted
    assert ak.argsort(ak.array(WORDS)).tolist() == sorted(range(len(WORDS)), key=lambda row: WORDS[row].encode())


def test_categoricals_sort_by_their_labels_whatever_their_codes():
    lazy = ak.Categorical.from_codes(ak.array([0, 2, 1, 2]), ak.array(["c", "a", "b"]))
    assert lazy.sort_values().tolist() == ["a", "b", "b", "c"]
    assert lazy.argsort().tolist() == [2, 1, 3, 0]
    assert ak.argsort(lazy, ascending=False).tolist() == [0, 3, 1, 2]
    assert isinstance(ak.sort(lazy), ak.Categorical)


@pytest.mark.parametrize("wrap", [ak.array, lambda words: ak.Categorical(ak.array(words))])
def test_text_is_sorted_if_its_bytes_ascend(wrap):
    ascending = sorted(WORDS, key=str.encode)
    for words in (ascending, WORDS, ascending[::-1], ["a"], ["a", "a"]):
        parts = ak.concatenate([wrap(words[:2]), wrap(words[2:]) if len(words) > 2 else wrap(words)[:0]])
        assert bool(ak.is_sorted(parts)) == (words == sorted(words, key=str.encode))


ROWS = st.lists(st.tuples(st.integers(0, 2), st.sampled_from(["", "a", "b"]), st.sampled_from([0.5, np.nan])))


@given(ROWS, st.booleans(), st.integers(1, 4))
def test_arrays_are_cosorted_if_sorting_their_rows_changes_nothing(rows, in_order, count):
    order = {"": 0, "a": 1, "b": 2}
    wanted = sorted(rows, key=lambda row: (row[0], order[row[1]], np.isnan(row[2]), row[2]))
    rows = wanted if in_order else rows
    bounds = np.linspace(0, len(rows), count + 1).astype(int)
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    dtypes = [np.int64, str, np.float64]
    arrays = [
        ak.concatenate([ak.array(np.array(column[a:b], dtype)) for a, b in pairwise(bounds)])
        for column, dtype in zip(columns, dtypes, strict=True)
    ]
    arrays[1] = ak.Categorical(arrays[1])
    assert bool(ak.is_cosorted(arrays)) == (str(rows) == str(wanted))


def test_several_arrays_of_different_kinds_sort_together():
    arrays = [ak.Categorical(ak.array(["b", "a", "b", "a"])), ak.array([1.5, np.nan, -1.0, 0.0])]
    assert ak.coargsort(arrays).tolist() == [3, 1, 2, 0]
    assert ak.coargsort(arrays, ascending=[False, True]).tolist() == [2, 0, 3, 1]


ELEMENTS = {
    "int64": lambda keys: keys - 2,
    "uint64": lambda keys: keys.astype(np.uint64) + np.uint64(2**63),
    "bool": lambda keys: keys > 2,
    "float64": lambda keys: np.where(keys == 4, np.nan, keys - 2.5),
    "str": lambda keys: keys.astype(str),
}


@given(st.sampled_from(sorted(ELEMENTS)), st.lists(st.integers(0, 4), max_size=12), st.integers(1, 3))
def test_downwards_equal_elements_come_from_the_last_to_the_first(dtype, keys, count):
    elements = ELEMENTS[dtype](np.array(keys, np.int64))
    upwards = np.argsort(elements, kind="stable")[::-1]
    missing = pd.isna(elements[upwards])
    wanted = [*upwards[~missing].tolist(), *upwards[missing].tolist()]
    bounds = np.linspace(0, len(keys), count + 1).astype(int)
    lazy = ak.concatenate([ak.array(elements[start:stop]) for start, stop in pairwise(bounds)])
    assert ak.argsort(lazy, ascending=False).tolist() == wanted
    assert lazy.argsort(ascending=False).tolist() == wanted
    assert ak.coargsort([lazy, lazy], ascending=False).tolist() == wanted
    assert ak.DataFrame({"x": lazy}).coargsort(["x"], ascending=False).tolist() == wanted
    assert ak.Index(lazy).argsort(ascending=False).tolist() == wanted
    if dtype == "str":
        assert ak.Categorical(lazy).argsort(ascending=False).tolist() == wanted


def test_downwards_missing_elements_come_last():
    assert ak.argsort(ak.array(["a", None, "b", "a"]), ascending=False).tolist() == [2, 3, 0, 1]
    assert ak.argsort(ak.array([1, None, 2, 1]), ascending=False).tolist() == [2, 3, 0, 1]
    days = ak.Datetime(ak.array(np.array(["2020", "NaT", "2021", "2020"], "M8[ns]")))
    assert ak.argsort(days, ascending=False).tolist() == [2, 3, 0, 1]


def test_frames_sort_numbers_downwards_by_their_negatives_and_text_from_the_last():
    frame = ak.DataFrame({"x": [1, 2, 1, 2], "f": [1.5, np.nan, 1.5, 2.0], "s": ["a", "b", "a", "b"]})
    assert frame.argsort("x", ascending=False).tolist() == [1, 3, 0, 2]
    assert frame.argsort("f", ascending=False).tolist() == [3, 0, 2, 1]
    assert frame.argsort("s", ascending=False).tolist() == [3, 1, 2, 0]


@pytest.mark.parametrize("allow_list", [False, True])
def test_labels_downwards_are_reversed_with_missing_ones_where_told(allow_list):
    labels = ak.Index([2.0, np.nan, 1.0, 2.0, np.nan], allow_list=allow_list)
    for na_position, wanted in (("last", [3, 0, 2, 4, 1]), ("first", [4, 1, 3, 0, 2])):
        ordered, positions = labels.sort_values(return_indexer=True, ascending=False, na_position=na_position)
        assert (list(positions), isinstance(ordered.values, list)) == (wanted, allow_list)
        np.testing.assert_equal(ordered.tolist(), [[2.0, np.nan, 1.0, 2.0, np.nan][row] for row in wanted])


def test_index_labels_sort():
    labels = ak.Index(ak.array([3, 1, 2]), name="n")
    ordered, positions = labels.sort_values(return_indexer=True)
    assert (ordered.tolist(), positions.tolist(), ordered.name) == ([1, 2, 3], [1, 2, 0], "n")
    with pytest.raises(UnsupportedError, match="last"):
        ak.MultiIndex([ak.arange(2)]).sort_values(na_position="first")


def test_frames_sort_by_their_labels():
    frame = pd.DataFrame({"x": [1, 2, 3]}, index=["b", "c", "a"])
    pd.testing.assert_frame_equal(ak.DataFrame(frame).sort_index().compute(), frame.sort_index())
    lazy = ak.DataFrame(frame).sort_values("x", ascending=False)
    pd.testing.assert_frame_equal(lazy.sort_index(ascending=False).compute(), frame.sort_index(ascending=False))


def test_frames_sort_by_all_columns_unless_told_otherwise():
    frame = pd.DataFrame({"x": [2, 1, 2, 1], "y": [1, 2, 0, 1]})
    pd.testing.assert_frame_equal(ak.DataFrame(frame).sort_values().compute(), frame.sort_values(["x", "y"]))


def test_frames_with_categoricals_sort_by_labels():
    lazy = ak.DataFrame({"c": ak.Categorical(ak.array(["b", "a", "b"])), "x": [0, 1, 2]})
    assert lazy.sort_values(["c", "x"], [True, False]).to_pandas()["x"].tolist() == [1, 2, 0]


def test_a_permutation_is_applied_to_all_columns_in_place():
    frame = ak.DataFrame({"x": [3, 1, 2], "y": ["c", "a", "b"]})
    frame.apply_permutation(frame.argsort("x"))
    assert frame["y"].tolist() == ["a", "b", "c"]
    frame.apply_permutation(ak.array([2, 0, 1]))
    assert frame["x"].tolist() == [3, 1, 2]


def test_a_permutation_that_was_persisted_is_looked_up():
    values = ak.array([3, 1, 2])
    assert values[values.argsort().persist()].tolist() == [1, 2, 3]


@pytest.mark.parametrize("side", ["left", "right"])
def test_places_in_a_sorted_array_are_those_of_numpy(side):
    table, values = np.sort(np.random.default_rng(0).integers(0, 9, 20)), np.arange(-1, 11)
    assert (
        ak.searchsorted(ak.array(table), ak.array(values), side).tolist()
        == np.searchsorted(table, values, side).tolist()
    )
    assert ak.searchsorted(ak.array(table), 4, side) == np.searchsorted(table, 4, side)
    words = np.sort(np.array(["b", "aa", "b", "é"]))
    found = ak.searchsorted(ak.array(words), ak.array(["", "b", "zz", "abcdef"]), side)
    assert found.tolist() == np.searchsorted(words, ["", "b", "zz", "abcdef"], side).tolist()


MIXED = {
    "int64": np.array([-3, 0, 2, 2**60]),
    "uint64": np.array([0, 1, 2**63, 2**64 - 1], np.uint64),
    "float64": np.array([-1.5, -0.0, 0.0, 2.5, np.inf, np.nan]),
    "bool": np.array([False, True, True]),
}


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("of_table", MIXED)
@pytest.mark.parametrize("of_values", MIXED)
def test_places_are_found_in_a_type_that_both_have(of_table, of_values, side):
    table, values = MIXED[of_table], MIXED[of_values]
    found = insertion_points(ak.array(table), ak.array(values), side)
    assert found.tolist() == np.searchsorted(table, values, side).tolist()


def test_counts_and_edges_of_histograms_are_those_of_numpy():
    values = np.random.default_rng(0).normal(size=1000)
    lazy = ak.concatenate([ak.array(part) for part in np.split(values, [10, 400])])
    for bounds in ({}, {"bins": 7}, {"bins": 3, "range": (-0.5, 1)}, {"range": (2, 2)}):
        for found, wanted in zip(ak.histogram(lazy, **bounds), np.histogram(values, **bounds), strict=True):
            assert found.dtype == wanted.dtype
            assert np.array_equal(found.to_ndarray(), wanted)


def test_histograms_of_whole_numbers_bools_and_filtered_rows_are_counted():
    values = np.arange(20)
    assert ak.histogram(ak.arange(20), 4)[0].tolist() == np.histogram(values, 4)[0].tolist()
    assert ak.histogram(ak.arange(20) > 4, 2)[0].tolist() == [5, 15]
    lazy = ak.arange(20)
    assert ak.histogram(lazy[lazy > 9], 2)[0].tolist() == [5, 5]


EDGY = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, -1.0, np.nan])


@given(
    st.lists(st.tuples(EDGY, st.integers(-3, 3)), min_size=1), st.integers(1, 5), st.integers(1, 5), st.integers(1, 3)
)
def test_histograms_of_two_dimensions_are_numpys(rows, x_bins, y_bins, count):
    x, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    bounds = np.linspace(0, len(rows), count + 1).astype(int)
    lazy_x, lazy_y = (ak.concatenate([ak.array(item[a:b]) for a, b in pairwise(bounds)]) for item in (x, y))
    wanted = np.histogram2d(x, y, [x_bins, y_bins], [(-0.5, 1.0), (-3, 2)])
    found = ak.histogram2d(lazy_x, lazy_y, [x_bins, y_bins], [(-0.5, 1.0), (-3, 2)])
    for one, other in zip(found, wanted, strict=True):
        assert np.array_equal(one.to_ndarray(), other)


def test_histograms_of_many_dimensions_are_numpys_and_read_once():
    sample = np.random.default_rng(0).integers(0, 9, (300, 3)).astype(float)
    lazy = [ak.concatenate([ak.array(part) for part in np.split(column, [7, 100])]) for column in sample.T]
    for bins in (4, [2, 3, 5]):
        (counts, edges), wanted = ak.histogramdd(lazy, bins), np.histogramdd(sample, bins)
        assert counts.to_ndarray().dtype == wanted[0].dtype
        assert np.array_equal(counts.to_ndarray(), wanted[0])
        for found, wanted_edges in zip(edges, wanted[1], strict=True):
            assert np.array_equal(found.to_ndarray(), wanted_edges)


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_extremes_of_all_dimensions_are_found_in_one_pass_and_none_that_are_given():
    x, y = np.random.default_rng(1).normal(size=(2, 60))
    lazy_x, lazy_y = ak.array(x), ak.array(y)
    chosen = lazy_x > 0
    for bounds, passes in ((None, 1), ((None, np.array([-1, 1])), 1), (((0, 2), (-1, 1)), 0)):
        counts, x_edges, _ = ak.histogram2d(lazy_x[chosen], lazy_y[chosen], (3, 4), bounds)
        limits = None if bounds is None else [(x[x > 0].min(), x.max()) if bounds[0] is None else bounds[0], bounds[1]]
        wanted, wanted_edges, _ = np.histogram2d(x[x > 0], y[x > 0], (3, 4), limits)
        assert counts.tolist() == wanted.tolist()
        np.testing.assert_array_equal(x_edges.to_ndarray(), wanted_edges)
        assert str(counts.explain()).count("reduce min") == passes


def test_histograms_that_float64_has_no_edges_for_are_refused():
    with pytest.raises(ArgumentError, match="fewer bins"):
        ak.histogram(ak.array(np.array([2**63, 2**63 + 8], np.uint64)))[0].compute()
    assert ak.histogram(ak.array([2**70, 2**71], dtype="bigint"), 2)[0].tolist() == [1, 1]


@given(st.lists(st.integers(0, 9)), st.integers(0, 12), st.integers(1, 3), st.sampled_from(["int64", "uint64"]))
def test_whole_numbers_are_counted_as_numpy_does(numbers, fewest, count, dtype):
    plain, weights = np.array(numbers, dtype), np.arange(len(numbers)) * 0.5
    bounds = np.linspace(0, len(numbers), count + 1).astype(int)
    lazy, odds = (ak.concatenate([ak.array(item[a:b]) for a, b in pairwise(bounds)]) for item in (plain, weights))
    assert_equal(ak.bincount(lazy, minlength=fewest), np.bincount(plain.astype(int), minlength=fewest), lazy=True)
    assert_equal(ak.bincount(lazy, odds), np.bincount(plain.astype(int), weights).astype(float))


def test_numbers_that_cannot_be_counted_in_a_table_are_refused():
    for number in (-1, 2**62):
        with pytest.raises(ArgumentError, match="value_counts"):
            ak.bincount(ak.array([0, number])).compute()
    with pytest.raises(ArgumentTypeError, match="integers"):
        ak.bincount(ak.array([0.5]))
    with pytest.raises(ArgumentError, match="minlength"):
        ak.bincount(ak.arange(3), minlength=-1)


def test_wrong_arguments_are_refused():
    with pytest.raises(ArgumentError, match="nothing to sort by"):
        ak.coargsort([])
    with pytest.raises(ArgumentError, match="directions"):
        ak.coargsort([ak.arange(3)], ascending=[True, False])
    with pytest.raises(AlignmentError):
        ak.coargsort([ak.arange(3), ak.arange(4)])
    with pytest.raises(ArgumentTypeError, match="list"):
        ak.sort([1, 2])
    for wrong in (lambda: ak.argsort(ak.arange(3), axis=1), lambda: ak.sort(ak.arange(3), axis=-2)):
        with pytest.raises(AxisError, match="one dimension"):
            wrong()
    with pytest.raises(ArgumentError, match="one dimension"):
        ak.searchsorted(ak.array([[1, 2]]), 1)
    with pytest.raises(MissingColumnError):
        ak.DataFrame({"x": [1]}).sort_values("y")
    with pytest.raises(ArgumentError, match="neither"):
        ak.searchsorted(ak.arange(3), ak.arange(3), side="middle")
    for values in ([1, 2], np.arange(2), ["a"]):
        with pytest.raises(ArgumentTypeError, match=f"not a {type(values).__name__}") as error:
            ak.searchsorted(ak.arange(3), values)
        assert "ak.array" in error.value.hint
    with pytest.raises(ArgumentError, match="ascend"):
        ak.histogram(ak.arange(3), range=(2, 1))
    with pytest.raises(ArgumentError, match="from 1"):
        ak.histogram(ak.arange(3), bins=0)
    with pytest.raises(ArgumentError, match="bins and a range for each"):
        ak.histogramdd([ak.arange(3), ak.arange(3)], [1, 2, 3])
    with pytest.raises(AlignmentError):
        ak.histogram2d(ak.arange(3), ak.arange(4))
    with pytest.raises(ArgumentTypeError, match="Strings"):
        ak.histogram(ak.array(["a"]))
    with pytest.raises(ArgumentError, match="finite"):
        ak.histogram(ak.array([1.0, np.nan]))[0].compute()


@given(st.permutations(range(12)))
def test_a_permutation_is_undone_by_its_inverse(perm):
    plain = np.array(perm)
    inverse = ak.invert_permutation(ak.array(plain))
    assert inverse.tolist() == np.argsort(plain).tolist()
    assert plain[inverse.to_ndarray()].tolist() == list(range(12))
