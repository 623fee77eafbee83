from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentTypeError
from akdask.frames import lookups
from akdask.testing import assert_equal
from akdask.testing.strategies import two_arrays


def keys(plain):
    """Elements in a form in which all NaN are equal, as they are in pandas."""
    return ["nan" if isinstance(item, float) and np.isnan(item) else item for item in plain.tolist()]


@given(two_arrays())
def test_the_first_place_of_each_element_is_found(both):
    (query, wanted), (space, plain) = both
    places = keys(plain)
    expected = [places.index(item) if item in places else -1 for item in keys(wanted)]
    assert ak.find(query, space).tolist() == expected
    assert ak.find(query, space, remove_missing=True).tolist() == [place for place in expected if place >= 0]


@given(two_arrays())
def test_all_places_of_each_element_are_found_end_to_end(both):
    (query, wanted), (space, plain) = both
    expected = [place for item in keys(wanted) for place, other in enumerate(keys(plain)) if item == other]
    assert ak.indexof1d(query, space).tolist() == expected


@given(two_arrays(["int64", "str", "float64"]), st.data())
def test_values_are_looked_up_by_their_keys(both, data):
    (arguments, wanted), (_, plain) = both
    known = [key for number, key in enumerate(keys(plain)) if key not in keys(plain)[:number]]
    domain = np.array([np.nan if key == "nan" and plain.dtype.kind == "f" else key for key in known], plain.dtype)
    found = ak.lookup(ak.array(domain), ak.arange(100, 100 + len(known)), arguments)
    assert found.tolist() == [known.index(item) + 100 if item in known else -1 for item in keys(wanted)]


def test_looked_up_strings_are_empty_where_there_is_no_key():
    names = ak.lookup([1, 2], ak.array(["one", "two"]), ak.array([2, 3]))
    assert names.tolist() == ["two", ""]
    assert ak.lookup([1], ak.array(["one"]), ak.array([3]), fillvalue="none").tolist() == ["none"]


def test_values_and_fill_meet_in_their_common_type():
    assert ak.lookup([1], ak.array([2]), ak.array([1, 5]), fillvalue=0.5).tolist() == [2.0, 0.5]


def test_rows_of_several_arrays_are_keys():
    rows = [ak.array([1, 1, 2]), ak.array(["a", "b", "a"])]
    wanted = [ak.array([2, 1, 9]), ak.array(["a", "b", "a"])]
    assert ak.lookup(rows, ak.array([10, 20, 30]), wanted).tolist() == [30, 20, -1]
    assert ak.find(wanted, rows).tolist() == [2, 1, -1]


@pytest.mark.lazy_only
def test_of_a_key_that_comes_twice_the_first_counts_with_a_warning():
    found = ak.lookup(ak.array([5, 7, 5]), ak.arange(3), ak.array([7, 5]))
    with pytest.warns(UserWarning, match="such as 5 in rows 0 and 2"):
        assert found.tolist() == [1, 0]


def test_a_categorical_has_its_own_label_for_what_has_no_value():
    protocols = ak.Categorical(ak.array(["udp", "tcp"]), na_value="none")
    found = ak.lookup(ak.array([17, 6]), protocols, ak.array([6, 1, 17]))
    assert isinstance(found, ak.Categorical)
    assert (found.tolist(), found.na_value) == (["tcp", "none", "udp"], "none")


@given(two_arrays())
def test_lists_of_all_places_are_found(both):
    (query, wanted), (space, plain) = both
    lists = [[place for place, other in enumerate(keys(plain)) if item == other] for item in keys(wanted)]
    assert ak.find(query, space, all_occurrences=True).tolist() == lists
    assert ak.find(query, space, all_occurrences=True, remove_missing=True).tolist() == lists


def test_lists_of_all_places_of_rows_are_found():
    rows = [ak.array([1, 1, 1]), ak.array(["a", "b", "a"])]
    wanted = [ak.array([9, 1]), ak.array(["a", "a"])]
    assert ak.find(wanted, rows, all_occurrences=True).tolist() == [[], [0, 2]]


def test_text_that_is_looked_up_may_be_missing():
    keys, asked = ak.array([1, 2]), ak.array([2, 3, 1])
    plain, gaps = ak.array(["x", "y"]), ak.array(["x", None])
    assert ak.lookup(keys, plain, asked).tolist() == ["y", "", "x"]
    assert ak.lookup(keys, plain, asked, None).tolist() == ["y", None, "x"]
    # As pandas' map has it where it has no text at all.
    assert ak.lookup(keys, gaps, asked).tolist() == [None, None, "x"]
    assert ak.lookup(keys, gaps, asked, "-").tolist() == [None, "-", "x"]


def test_elements_are_mapped_by_a_dict():
    a = ak.array([2, 3, 2, 4])
    assert lookups.map(a, {2: 20, 3: 30, 4: 40}).dtype == "int64"
    assert_equal(lookups.map(a, {2: 20, 3: 30}), [20.0, 30.0, 20.0, np.nan])
    assert lookups.map(a, {2: "two", 4: "four"}).tolist() == ["two", "null", "two", "four"]
    assert lookups.map(ak.array(["a", "b"]), pd.Series({"a": 1, "b": 2})).tolist() == [1, 2]
    assert lookups.map(ak.Categorical(ak.array(["a", "b"])), {"a": "x", "b": "y"}).tolist() == ["x", "y"]
    assert_equal(lookups.map(a, {}), [np.nan] * 4)
    with pytest.raises(ArgumentTypeError, match="by a dict"):
        lookups.map(a, [1])
    with pytest.raises(ArgumentTypeError, match="elements of an array"):
        lookups.map([1], {1: 2})
