"""What other libraries and editors ask of frames and columns, and what mistakes of newcomers are answered with."""

import numpy as np
import pytest

import akdask as ak
import akdask.pandas as pd


def test_narwhals_takes_frames_and_columns_of_both_faces():
    narwhals = pytest.importorskip("narwhals")
    for frame in (ak.DataFrame({"a": [1, 2, 3]}), pd.DataFrame({"a": [1, 2, 3]})):
        found = narwhals.from_native(frame).filter(narwhals.col("a") > 1)
        assert found["a"].to_list() == [2, 3]
        for column in (frame["a"], frame.a):
            assert narwhals.from_native(column, series_only=True).sum() == 6


@pytest.mark.parametrize("step", ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or"])
def test_steps_of_numpy_reduce_columns(step):
    values = np.array([3, 0, 5])
    frame = ak.DataFrame({"a": ak.array(values)})
    wanted = getattr(np, step).reduce(values)
    for column in (frame["a"], frame.a):
        assert getattr(np, step).reduce(column) == wanted
        assert getattr(np, step).reduce(column, axis=0) == wanted
    with pytest.raises(TypeError):
        np.subtract.reduce(frame["a"])
    with pytest.raises(TypeError):
        np.add.reduce(frame["a"], initial=4)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("set_option", None),
        ("factorize", None),
        ("arang", "ak.arange"),
        ("dataframe", "ak.DataFrame"),
        ("concaten", "ak.concatenate"),
        ("group_by", "ak.GroupBy"),
        ("_arange", None),
    ],
)
def test_hints_name_what_is_near_or_nothing(name, hint):
    with pytest.raises(AttributeError) as told:
        getattr(ak, name)
    assert (hint is None and told.value.hint is None) or hint in told.value.hint


@pytest.mark.parametrize("index", [None, ak.array(["x", "y"])])
def test_columns_of_other_lengths_are_named(index):
    with pytest.raises(ak.errors.AlignmentError, match=r"^column 'b' has 1 row, 'a' has 2"):
        ak.DataFrame({"a": [1, 2], "b": [1]}, index=index)


def test_editors_complete_columns_and_settings():
    assert ak.DataFrame({"alpha": [1], "b c": [2]})._ipython_key_completions_() == ["alpha", "b c"]
    assert pd.DataFrame({"alpha": [1], 3: [2]})._ipython_key_completions_() == ["alpha", 3]
    assert dir(ak.config) == ["SETTINGS", "get", "set"]


@pytest.mark.parametrize("array", [ak.arange(5), ak.arange(4) / 2, ak.arange(3).persist()])
def test_numbers_go_to_readers_of_dlpack(array):
    found = np.from_dlpack(array)
    assert found.dtype == array.to_ndarray().dtype
    assert found.tolist() == array.tolist()


def test_rows_and_columns_are_taken_by_position_as_scikit_learn_takes_them():
    frame = ak.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"]})
    assert frame.take([2, 0], axis=0)["a"].tolist() == [3, 1]
    assert list(frame.take([1], axis=1).columns) == ["b"]


def test_scikit_learn_splits_and_fits_frames_of_both_faces():
    selection = pytest.importorskip("sklearn.model_selection", reason="scikit-learn is not installed")
    linear = pytest.importorskip("sklearn.linear_model")
    for face in (ak, pd):
        frame = face.DataFrame({"a": list(range(20)), "y": [0] * 10 + [1] * 10})
        known, unknown, labels, wanted = selection.train_test_split(frame[["a"]], frame["y"], random_state=0)
        model = linear.LogisticRegression().fit(known, labels)
        assert model.score(unknown, wanted) > 0.7
