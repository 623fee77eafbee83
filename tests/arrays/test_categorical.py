from __future__ import annotations

import json
import pickle

import dask
import h5py
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask import config
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array
from akdask.arrays.elementwise import where
from akdask.arrays.groupby import GroupBy
from akdask.arrays.shapes import concatenate
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError, NonUniqueError, PositionError
from akdask.io import read_hdf

TEXT = ["udp", "tcp", "udp", "", "ünï"]

words = st.lists(st.sampled_from(["", "a", "b", "N/A", "βeta", "a b"]), max_size=20)


def cut(items, lengths):
    """Make strings in several partitions, by joining pieces."""
    pieces, start = [], 0
    for length in lengths:
        pieces.append(array(np.array(items[start : start + length], dtype=object)))
        start += length
    return concatenate(pieces)


@pytest.fixture
def protocols():
    return Categorical(cut(TEXT, [2, 0, 3]))


def test_values_come_back_in_order(protocols):
    assert protocols.tolist() == TEXT
    assert protocols.to_strings().tolist() == TEXT
    assert protocols.compute().tolist() == TEXT


def test_labels_are_sorted_and_na_is_put_last(protocols):
    assert protocols.categories.tolist() == ["", "tcp", "udp", "ünï", "N/A"]
    assert protocols.codes.tolist() == [2, 1, 2, 0, 3]
    assert protocols.nlevels == 5
    assert protocols.NAvalue == "N/A"


def test_na_among_the_values_is_missing_and_not_added_again():
    found = Categorical(array(["x", "N/A", "a"]))
    assert found.categories.tolist() == ["N/A", "a", "x"]
    assert found.isna().tolist() == [False, True, False]
    assert Categorical(array(["x", "-"]), NAvalue="-").isna().tolist() == [False, True]


@given(words, words)
def test_comparisons_agree_with_numpy(left, right):
    count = min(len(left), len(right))
    ours = [Categorical(array(np.array(side[:count], dtype=object))) for side in (left, right)]
    theirs = [np.array(side[:count], dtype=object) for side in (left, right)]
    assert (ours[0] == ours[1]).tolist() == (theirs[0] == theirs[1]).tolist()
    assert (ours[0] != ours[1]).tolist() == (theirs[0] != theirs[1]).tolist()
    assert (ours[0] == "a").tolist() == (theirs[0] == "a").tolist()
    assert (ours[0] == ours[1].to_strings()).tolist() == (theirs[0] == theirs[1]).tolist()
    assert (ours[1].to_strings() == ours[0]).tolist() == (theirs[0] == theirs[1]).tolist()


@given(words, words)
def test_in1d_agrees_with_numpy(values, test):
    found = Categorical(array(np.array(values, dtype=object))).in1d(array(np.array(test, dtype=object)))
    assert found.tolist() == [value in test for value in values]


def test_predicates_follow_the_labels(protocols):
    assert protocols.contains("dp").tolist() == [True, False, True, False, False]
    assert protocols.contains("^[tu]", regex=True).tolist() == [True, True, True, False, False]
    assert protocols.startswith("t").tolist() == [False, True, False, False, False]
    assert protocols.endswith("ï").tolist() == [False, False, False, False, True]
    assert protocols.in1d(Categorical(array(["tcp", "x"]))).tolist() == [False, True, False, False, False]


def test_rows_are_chosen_without_touching_the_labels(protocols):
    chosen = protocols[protocols != "udp"]
    assert chosen.tolist() == ["tcp", "", "ünï"]
    assert chosen.categories.tolist() == protocols.categories.tolist()
    assert protocols[1:3].tolist() == TEXT[1:3]
    assert protocols[::-1].tolist() == TEXT[::-1]
    assert protocols[array([4, 0])].tolist() == [TEXT[4], TEXT[0]]
    assert protocols[-1] == TEXT[-1]


@pytest.mark.lazy_only
def test_building_computes_nothing():
    with dask.config.set(scheduler=_refuse):
        found = Categorical(array(TEXT))
        chosen, missing, members = found[found == "udp"], found.isna(), found.in1d(array(["tcp"]))
        others, joined = found.set_categories(["x"]), found.concatenate([found, Categorical(array(["new"]))])
        with pytest.raises(AssertionError, match="something was computed"):
            joined.to_ndarray()
    assert chosen.tolist() == [text for text in TEXT if text == "udp"]
    assert missing.tolist() == [False] * len(TEXT)
    assert members.tolist() == [text == "tcp" for text in TEXT]
    assert others.categories.tolist()[:1] == ["x"]
    assert joined.tolist() == [*TEXT, *TEXT, "new"]


def _refuse(*args, **kwargs):
    raise AssertionError("something was computed")


def test_codes_and_labels_make_the_same_categorical_as_in_pandas():
    found = Categorical.from_codes([1, 0, 1], ["x", "y"])
    assert found.tolist() == ["y", "x", "y"]
    assert found.to_pandas().equals(pd.Categorical.from_codes([1, 0, 1], ["x", "y", "N/A"]))


@pytest.mark.parametrize("code", [-1, 3])
def test_a_code_without_label_is_an_error(code):
    with pytest.raises(ArgumentError, match="positions of labels"):
        Categorical.from_codes([0, code], ["x", "y"])
    found = Categorical.from_codes(arange(2) * code, ["x", "y"])
    with pytest.raises(PositionError, match=f"code {code}"):
        found.to_strings().tolist()
    with pytest.raises(PositionError, match=f"code {code}"):
        found.tolist()


def test_what_is_no_text_is_refused():
    with pytest.raises(ArgumentTypeError, match="strings"):
        Categorical(arange(3))
    with pytest.raises(ArgumentTypeError, match="integers"):
        Categorical.from_codes([0.5], ["x"])
    with pytest.raises(ArgumentTypeError, match="strings"):
        Categorical.from_codes([0], [1.0])


def test_codes_are_never_taken_for_numbers(protocols):
    with pytest.raises(ArgumentTypeError):
        _ = arange(5) + protocols
    with pytest.raises(ArgumentTypeError):
        _ = arange(5)[protocols]
    assert where(protocols == "udp", protocols, "other").tolist() == ["udp", "other", "udp", "other", "other"]


def test_rows_that_differ_do_not_compare(protocols):
    with pytest.raises(AlignmentError):
        _ = protocols == Categorical(array(["a"]))


def test_pandas_missing_values_become_na():
    found = Categorical(pd.Categorical(["x", None, "y"]))
    assert found.tolist() == ["x", "N/A", "y"]
    assert Categorical(pd.Series(["x", "y"], dtype="category")).tolist() == ["x", "y"]


def test_other_categories_keep_values_or_make_them_missing(protocols):
    found = protocols.set_categories(["udp", ""])
    assert found.tolist() == ["udp", "N/A", "udp", "", "N/A"]
    assert found.categories.tolist() == ["udp", "", "N/A"]
    assert protocols.set_categories(["udp"], na_value="?").tolist() == ["udp", "?", "udp", "?", "?"]
    assert protocols[:2].reset_categories().categories.tolist() == ["tcp", "udp", "N/A"]
    assert protocols[:2].reset_categories().tolist() == TEXT[:2]


def test_concatenation_merges_labels(protocols):
    other = Categorical(array(["icmp", "N/A", "udp"]))
    joined = protocols.concatenate([other])
    assert joined.tolist() == [*TEXT, "icmp", "N/A", "udp"]
    assert joined.isna().tolist() == [*[False] * 6, True, False]
    same = concatenate([protocols, protocols])
    assert same.codes.tolist() == protocols.codes.tolist() * 2


def test_standardized_categories_have_comparable_codes(protocols):
    other = Categorical(array(["icmp", "tcp"]))
    left, right = Categorical.standardize_categories([protocols, other])
    assert left.categories.tolist() == right.categories.tolist()
    assert (left.tolist(), right.tolist()) == (TEXT, ["icmp", "tcp"])


def test_equals_compares_labels_not_codes(protocols):
    assert protocols.equals(Categorical.from_codes([0, 1, 0, 2, 3], ["udp", "tcp", "", "ünï"]))
    assert not protocols.equals(protocols[:4])
    assert not protocols.equals(array(TEXT))


def test_empty_strings_make_an_empty_categorical():
    found = Categorical(array(np.array([], dtype=str)))
    assert found.tolist() == []
    assert found.categories.tolist() == ["N/A"]
    assert found.isna().tolist() == []


def test_small_ones_show_values_and_large_ones_do_not(protocols):
    assert repr(protocols) == "array(['udp', 'tcp', 'udp', '', 'ünï'])"
    many = Categorical(where(arange(200_000) > 5, "x", "y"))
    with config.set(display_seconds=0):
        assert repr(many).startswith("<Categorical(1 partition")
    with config.set(display_seconds=60):
        assert repr(many) == "array(['y', 'y', 'y', ... , 'x', 'x', 'x'])"


def test_persisted_and_pickled_ones_keep_their_labels(protocols):
    assert protocols.persist().tolist() == TEXT
    assert pickle.loads(pickle.dumps(protocols)).tolist() == TEXT


@pytest.mark.parametrize("name", ["categorical_N2_n8", "categorical_N3_n2", "categorical_single_n6"])
def test_files_of_servers_give_codes_labels_and_missing(golden, name):
    folder = golden / name
    expected = json.loads((folder / "expected.json").read_text())
    found = read_hdf([folder / file for file in expected["files"]])
    for key, values in expected["objects"].items():
        assert found[key].tolist() == values["values"]
        assert found[key].codes.tolist() == values["codes"]
        assert found[key].categories.tolist() == values["categories"]
        assert found[key].isna().tolist() == [code == values["na_code"] for code in values["codes"]]


def test_pandas_gets_no_codes_without_a_category_and_no_category_twice():
    with pytest.raises(PositionError, match="the code 5 has no category"):
        Categorical.from_codes(arange(2) * 5, array(["a", "b"])).to_pandas()
    with pytest.raises(NonUniqueError, match="'a' occurs twice"):
        Categorical.from_codes(array([0, 1]), array(["a", "a"])).to_pandas()


@pytest.mark.parametrize(("code", "told"), [(-1, None), (-5, "the code -5 has no category")])
def test_of_codes_below_zero_old_files_mean_missing_elements_by_one_only(tmp_path, code, told):
    with h5py.File(tmp_path / "old.h5", "w") as file:
        group = file.create_group("c")
        group.attrs["ObjType"] = np.int32(4)
        group["codes"] = np.array([0, code, 1])
        group["categories/values"] = np.frombuffer(b"a\0b\0N/A\0", np.uint8)
        group["categories/segments"] = np.array([0, 2, 4])
        group["categories"].attrs["ObjType"] = np.int32(2)
    found = read_hdf(str(tmp_path / "old.h5"))["c"]
    if told is None:
        assert found.tolist() == ["a", "N/A", "b"]
    else:
        with pytest.raises(PositionError, match=told):
            found.tolist()


@pytest.mark.parametrize("name", ["na_value", "NAvalue", "naValue"])
def test_the_label_for_missing_has_the_names_of_all_releases(name):
    found = Categorical(array(["x", "-"]), **{name: "-"})
    assert found.na_value == found.NAvalue == "-"
    assert Categorical.from_codes([1, 0], ["x", "-"], **{name: "-"}).isna().tolist() == [True, False]


def test_the_label_for_missing_is_given_once():
    with pytest.raises(ArgumentTypeError, match="more than once"):
        Categorical(array(["x"]), na_value="-", NAvalue="-")


def test_predicates_take_bytes_and_refuse_what_is_no_text(protocols):
    for method in (protocols.contains, protocols.startswith, protocols.endswith):
        assert method(b"u").tolist() == method("u").tolist()
        assert method(b"[ut]", regex=True).tolist() == method("[ut]", regex=True).tolist()
        with pytest.raises(ArgumentTypeError):
            method(5)


def test_comparisons_with_anything_but_text_are_refused(protocols):
    for same in (TEXT, tuple(TEXT), pd.Series(TEXT), pd.Index(TEXT)):
        assert (protocols == same).tolist() == [True] * 5
    assert (protocols != np.array(TEXT[::-1])).tolist() == [a != b for a, b in zip(TEXT, TEXT[::-1], strict=True)]
    for other in (5, 1.5, None, b"udp", arange(5)):
        with pytest.raises(ArgumentTypeError):
            _ = protocols == other


def test_only_categoricals_are_joined_and_standardized(protocols):
    assert protocols.concatenate(protocols).tolist() == TEXT * 2
    with pytest.raises(ArgumentTypeError, match="Strings"):
        protocols.concatenate([protocols.to_strings()])
    with pytest.raises(ArgumentTypeError, match="Strings"):
        Categorical.standardize_categories([protocols, protocols.to_strings()])


@pytest.mark.parametrize("test", [5, "udp", b"udp"])
def test_a_scalar_is_no_sequence_of_strings(protocols, test):
    for function in (Categorical, protocols.in1d, protocols.set_categories):
        with pytest.raises(ArgumentTypeError):
            function(test)


def test_new_categories_must_be_unique(protocols):
    with pytest.raises(NonUniqueError, match="'tcp'"):
        protocols.set_categories(["tcp", "udp", "tcp"]).tolist()


def test_nothing_of_any_type_makes_an_empty_categorical():
    assert Categorical(array([])).tolist() == []


def test_bytes_are_those_of_codes_and_labels(protocols):
    assert protocols.nbytes == 5 * 8 + sum(len(label.encode()) + 1 for label in [*sorted(set(TEXT)), "N/A"])


def test_positions_are_there_once_groups_are_found(tmp_path):
    made = Categorical(array(["b", "a", "b", "c"]))
    assert (made.permutation.tolist(), made.segments.tolist()) == ([1, 0, 2, 3], [0, 1, 3])
    codes, labels = array([1, 0, 1]), array(["x", "y"])
    given = Categorical.from_codes(codes, labels)
    assert given.permutation is None
    assert given.segments is None
    assert given.group().tolist() == [1, 0, 2]
    assert given.segments.tolist() == [0, 1]
    assert given.copy().permutation is given.permutation
    grouped = Categorical.from_codes(codes, labels)
    GroupBy(grouped)
    assert grouped.segments.tolist() == [0, 1]
    assert grouped[array([0, 1])].permutation is None
    grouped.to_hdf(str(tmp_path / "c"))
    assert read_hdf(str(tmp_path / "c*"))["categorical_array"].permutation.tolist() == [1, 0, 2]
