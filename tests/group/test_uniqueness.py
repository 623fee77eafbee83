from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.testing import assert_equal
from akdask.testing.strategies import arrays

ANY = st.sampled_from(["int64", "uint64", "float64", "bool", "str"]).flatmap(arrays)


def expected(plain):
    if plain.dtype.kind != "U":
        return np.unique(plain)
    return np.array(sorted(set(plain.tolist()), key=str.encode), plain.dtype)


@given(ANY)
def test_distinct_elements_ascend_and_all_nan_are_one(pair):
    array, plain = pair
    np.testing.assert_equal(ak.unique(array).to_ndarray(), expected(plain))


@given(ANY)
def test_every_element_is_counted(pair):
    array, plain = pair
    elements, counts = ak.value_counts(array)
    np.testing.assert_equal(elements.to_ndarray(), expected(plain))
    missing = np.isnan(plain) if plain.dtype.kind == "f" else np.zeros(len(plain), bool)
    same = [np.count_nonzero(plain == x) or np.count_nonzero(missing) for x in expected(plain)]
    assert counts.tolist() == same


def test_what_groups_equal_elements_comes_with_them():
    elements, permutation, segments, nkeys, firsts = ak.unique(
        ak.array([3, 1, 3]), return_groups=True, return_indices=True
    )
    assert (elements.tolist(), permutation.tolist(), segments.tolist()) == ([1, 3], [1, 0, 2], [0, 1])
    assert (nkeys, firsts.tolist()) == (1, [1, 0])


def test_distinct_rows_of_several_arrays():
    a, b = ak.unique([ak.array([1, 1, 0]), ak.array(["x", "x", "y"])])
    assert (a.tolist(), b.tolist()) == ([0, 1], ["y", "x"])


def test_categoricals_stay_so():
    labels = ak.unique(ak.Categorical(ak.array(["b", "a", "b"])))
    assert isinstance(labels, ak.Categorical)
    assert labels.tolist() == ["a", "b"]
    few = ak.Categorical(ak.array(["b", "a", "b"]))[ak.array([0, 2])].unique()
    assert isinstance(few, ak.Categorical)
    assert few.tolist() == ["b"]


@given(ANY)
def test_arrays_of_numbers_count_their_elements_themselves(pair):
    array, _ = pair
    if not isinstance(array, ak.Strings):
        for found, wanted in zip(array.value_counts(), ak.value_counts(array), strict=True):
            assert_equal(found, wanted)


def test_equal_text_is_brought_together():
    words = np.array(["b", "a", "b", "c", "a"])
    for array in (ak.array(words), ak.Categorical(ak.array(words))):
        grouped = words[array.group().to_ndarray()]
        assert sorted(grouped) == sorted(words)
        assert np.count_nonzero(grouped[1:] != grouped[:-1]) == 2


@pytest.mark.cluster
def test_distinct_elements_are_found_on_a_cluster(cluster_client):
    a = ak.concatenate([ak.array(["b", "a"]), ak.array(["c", "a"])])
    assert ak.unique(a).tolist() == ["a", "b", "c"]
