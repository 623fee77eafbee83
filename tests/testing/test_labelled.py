"""Checks of Index, Series and DataFrame, and those that take objects of NumPy and pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentTypeError


def frame(**changes):
    columns = {"x": [1, 2, 3], "y": [1.0, 2.0, 3.0], "s": ["a", "b", "c"], "c": ak.Categorical(["u", "v", "u"])}
    return ak.DataFrame({**columns, **changes})


def fails(check, left, right, match, **options):
    with pytest.raises(AssertionError, match=match):
        check(left, right, **options)


def test_frames_with_the_same_columns_are_equal():
    ak.assert_frame_equal(frame(), frame())
    ak.assert_equal(frame(), frame())
    ak.assert_frame_equal(ak.DataFrame({}), ak.DataFrame({}))
    kept = frame()[ak.array([True, False, True])]
    ak.assert_frame_equal(kept, frame()[ak.array([0, 2])])


def test_frames_that_differ_are_told_apart():
    check = ak.assert_frame_equal
    fails(check, frame(), frame(y=[1.0, 2.5, 3.0]), r'\(column name="y"\) values are different \(33')
    fails(check, frame(), frame(s=["a", "b", "d"]), r'\(column name="s"\) values are different')
    fails(check, frame(), frame(c=ak.Categorical(["u", "u", "u"])), r'\(column name="c"\)')
    fails(check, frame(), frame(x=[1.0, 2.0, 3.0]), 'Attribute "dtype" are different')
    fails(check, frame(), frame(x=ak.Datetime(ak.array([1, 2, 3]))), "classes are different")
    fails(check, frame(), frame()[["x", "y", "s"]], "shape mismatch")
    fails(check, frame(), frame()[:2], "shape mismatch")
    fails(check, frame(), frame()[["y", "x", "s", "c"]], "columns values are different")
    fails(check, frame(), {"x": [1]}, "Expected type")
    fails(check, frame(), ak.DataFrame(frame(), index=[7, 8, 9]), r"DataFrame\.index")


def test_frames_may_differ_as_far_as_is_asked():
    ak.assert_frame_equal(frame(), frame(x=[1.0, 2.0, 3.0]), check_dtype=False)
    ak.assert_frame_equal(frame(), frame(y=[1.0, 2.0 + 1e-9, 3.0]), check_exact=False)
    fails(ak.assert_frame_equal, frame(), frame(y=[1.0, 2.0 + 1e-9, 3.0]), "values are different")
    labelled = ak.DataFrame(frame(), index=[7, 8, 9])
    ak.assert_frame_equal(labelled, labelled[["s", "x", "c", "y"]][ak.array([2, 0, 1])], check_like=True)


def test_indexes_are_compared_by_labels_types_and_names():
    a = ak.Index(ak.array([1, 2, 3]), name="i")
    check = ak.assert_index_equal
    check(a, ak.Index(ak.array([1, 2, 3]), name="i"))
    check(a, ak.Index(ak.array([3, 1, 2]), name="i"), check_order=False)
    check(a, ak.Index(ak.array([1.0, 2.0, 3.0]), name="i"), exact=False)
    check(a, ak.Index(ak.array([1, 2, 3]), name="j"), check_names=False)
    check(ak.Index(ak.array([1.0])), ak.Index(ak.array([1.0 + 1e-9])), check_exact=False)
    fails(check, a, ak.Index(ak.array([1, 2, 4]), name="i"), "values are different")
    fails(check, a, ak.Index(ak.array([1, 2]), name="i"), "length are different")
    fails(check, a, ak.Index(ak.array([1, 2, 3]), name="j"), 'Attribute "names" are different')
    fails(check, a, ak.Index(ak.array([1.0, 2.0, 3.0])), "are different")
    fails(check, a, ak.array([1, 2, 3]), "Expected type")


def test_indexes_of_several_levels_are_compared_level_by_level():
    a = ak.MultiIndex([ak.array([1, 2]), ak.array(["a", "b"])], names=["n", "s"])
    b = ak.MultiIndex([ak.array([1, 2]), ak.array(["a", "c"])], names=["n", "s"])
    ak.assert_index_equal(a, a)
    ak.assert_index_equal(a, a[ak.array([1, 0])], check_order=False)
    fails(ak.assert_index_equal, a, b, r"MultiIndex level \[1\] values are different")
    fails(ak.assert_index_equal, a, ak.Index(ak.array([1, 2])), "are different")
    fails(ak.assert_index_equal, a, ak.MultiIndex([ak.array([1, 2])]), "levels are different")


def test_categorical_labels_are_compared():
    a = ak.Categorical.from_codes(ak.array([0, 1]), ak.array(["x", "y", "N/A"]))
    b = ak.Categorical.from_codes(ak.array([1, 0]), ak.array(["y", "x", "N/A"]))
    ak.assert_index_equal(ak.Index(a), ak.Index(b), check_categorical=False)
    fails(ak.assert_index_equal, ak.Index(a), ak.Index(b), "category")
    ak.assert_frame_equal(ak.DataFrame({"c": a}), ak.DataFrame({"c": b}), check_categorical=False)
    fails(ak.assert_frame_equal, ak.DataFrame({"c": a}), ak.DataFrame({"c": b}), "category")


@pytest.mark.parametrize(
    ("own", "plain"),
    [
        (lambda: ak.arange(3), np.arange(3)),
        (lambda: ak.array(["a", "b"]), np.array(["a", "b"])),
        (
            lambda: ak.arange(6).reshape(2, 3),
            np.arange(6).reshape(2, 3),
        ),
        (lambda: ak.Categorical(["a", "b", "a"]), pd.Categorical(["a", "b", "a"])),
        (lambda: ak.Index(ak.array([3, 1]), name="i"), pd.Index([3, 1], name="i")),
        (lambda: ak.MultiIndex([ak.array([1, 2]), ak.array([3, 4])]), pd.MultiIndex.from_arrays([[1, 2], [3, 4]])),
        (lambda: ak.DataFrame({"x": [1, 2], "s": ["a", "b"]}), pd.DataFrame({"x": [1, 2], "s": ["a", "b"]})),
        (lambda: "text", "text"),
        (lambda: 1.5, np.float64(1.5)),
        (lambda: True, np.bool_(True)),
    ],
)
def test_objects_of_numpy_and_pandas_are_equivalent_to_akdasks(own, plain):
    ak.assert_equivalent(own(), plain)
    ak.assert_equivalent(plain, own())
    ak.assert_almost_equivalent(own(), plain) if not isinstance(plain, str) else None


def test_what_differs_from_objects_of_numpy_and_pandas_is_told():
    fails(ak.assert_equivalent, ak.arange(3), np.arange(1, 4), "values are different")
    fails(ak.assert_equivalent, np.arange(3.0), ak.arange(3), "dtype")
    fails(ak.assert_equivalent, frame(), pd.DataFrame({"x": [1]}), "shape mismatch")
    fails(ak.assert_equivalent, "a", "b", "'a' != 'b'")
    fails(ak.assert_almost_equivalent, 1.0, 2.0, "tolerance")
    fails(ak.assert_index_equivalent, pd.Index([1]), ak.Index(ak.array([2])), "values")
    ak.assert_frame_equivalent(frame(), frame().to_pandas(), check_categorical=False)


@pytest.mark.parametrize(
    ("check", "item"),
    [
        (ak.assert_index_equivalent, [1]),
        (ak.assert_series_equivalent, [1]),
        (ak.assert_frame_equivalent, {"x": [1]}),
        (ak.assert_arkouda_array_equivalent, [1]),
        (ak.assert_equivalent, {"x": [1]}),
    ],
)
def test_other_objects_are_refused(check, item):
    with pytest.raises(ArgumentTypeError, match=r"not (list|dict)"):
        check(item, item)


def test_columns_are_compared_in_one_computation(monkeypatch):
    from akdask.testing import asserters as labelled

    calls = []
    compute = labelled.dask.compute
    monkeypatch.setattr(labelled.dask, "compute", lambda *items: calls.append(len(items)) or compute(*items))
    ak.assert_frame_equal(frame(), frame(), check_categorical=False)
    assert calls == [1, 4]


def test_series_are_compared_by_values_labels_and_names():
    a = ak.Series([1.0, 2.0], name="v", index=["a", "b"])
    check = ak.assert_series_equal
    for same in (a, ak.Series([1.0, 2.0 + 1e-9], name="v", index=["a", "b"])):
        check(a, same)
        ak.assert_equal(a, same)
        ak.assert_almost_equal(a, same)
        ak.assert_equivalent(a, same.to_pandas())
    check(a, ak.Series([2.0, 1.0], name="v", index=["b", "a"]), check_like=True)
    check(a, ak.Series([1.0, 2.0], name="v"), check_index=False)
    check(a, ak.Series([1.0, 2.0], name="w", index=["a", "b"]), check_names=False)
    check(a, ak.Series([1, 2], name="v", index=["a", "b"]), check_dtype=False)
    fails(check, a, ak.Series([1.0, 2.5], name="v", index=["a", "b"]), "Series values are different")
    fails(check, a, ak.Series([1.0, 2.0 + 1e-9], name="v", index=["a", "b"]), "values", check_exact=True)
    fails(check, a, ak.Series([1.0, 2.0], name="v", index=["a", "c"]), r"Series\.index values are different")
    fails(check, a, ak.Series([1.0, 2.0], name="w", index=["a", "b"]), 'Attribute "name"')
    fails(check, a, ak.Series([1, 2], name="v", index=["a", "b"]), "different")
    fails(check, a, a.head(1), "length are different")
    fails(check, a, a.values, "Expected type")
    with pytest.raises(ValueError, match="check_like"):
        check(a, a, check_index=False, check_like=True)


def test_series_of_labels_are_compared_by_their_categories():
    a, b = ak.Series(ak.Categorical(["x", "y"])), ak.Series(ak.Categorical(["x", "y", "z"])[:2])
    ak.assert_series_equal(a, b, check_categorical=False)
    fails(ak.assert_series_equal, a, b, "category")
