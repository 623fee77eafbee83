"""What Matplotlib, pandas, NumPy and Python expect of arrays and tables."""

from __future__ import annotations

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentError, AxisError, UnsupportedError

mpl.use("agg")

from matplotlib import pyplot as plt

TIMES = np.array(["2024-01-01", "2024-01-03"], "M8[ns]")

ARRAYS = {
    "int": lambda: ak.arange(10),
    "float": lambda: ak.arange(10) / 2,
    "bool": lambda: ak.arange(10) > 3,
    "empty": lambda: ak.arange(0),
    "filtered": lambda: ak.arange(10)[ak.arange(10) > 3],
    "text": lambda: ak.array(["a", "b", "a"]),
    "categorical": lambda: ak.Categorical(ak.array(["a", "b", "a"])),
    "times": lambda: ak.Datetime(TIMES),
    "spans": lambda: ak.Timedelta(TIMES - TIMES[0]),
    "addresses": lambda: ak.IPv4(ak.array([1, 2])),
    "labels": lambda: ak.Index(ak.arange(4)),
}

each_array = pytest.mark.parametrize("make", ARRAYS.values(), ids=ARRAYS)


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    figure.canvas.draw()
    plt.close(figure)


@pytest.fixture
def frame():
    return ak.DataFrame({"x": ak.arange(3), "y": ak.array([0.5, 1.5, 2.5])})


@each_array
def test_arrays_are_drawn_as_numpy_s(axes, make):
    items = make()
    (line,) = axes.plot(items)
    (same,) = axes.plot(items.to_ndarray())
    np.testing.assert_array_equal(line.get_ydata(), same.get_ydata())


@each_array
def test_arrays_are_scattered_over_each_other(axes, make):
    items = make()
    found, same = axes.scatter(items, items), axes.scatter(items.to_ndarray(), items.to_ndarray())
    np.testing.assert_array_equal(found.get_offsets(), same.get_offsets())


@pytest.mark.parametrize("name", ["int", "text", "times"])
def test_arrays_are_drawn_as_bars_and_counted(axes, name):
    items = ARRAYS[name]()
    assert len(axes.bar(items, ak.arange(items.size))) == items.size
    counts, _, _ = axes.hist(items)
    assert counts.sum() == items.size


def test_columns_are_drawn_by_their_names(axes, frame):
    (line,) = axes.plot("x", "y", "", data=frame)
    assert line.get_xydata().tolist() == [[0, 0.5], [1, 1.5], [2, 2.5]]


def test_none_adds_a_dimension():
    a, plain = ak.arange(4), np.arange(4)
    for key in [(slice(None), None), (None, slice(None)), (None,), None, (..., None), (None, ...), (slice(1, 3), None)]:
        found = a[key]
        assert found.shape == plain[key].shape
        assert found.tolist() == plain[key].tolist()
    assert a[:, None, None].shape == (4, 1, 1)
    assert ak.arange(0)[:, None].shape == (0, 1)
    assert ak.Datetime(TIMES)[:, ak.newaxis].shape == (2, 1)


def test_an_ellipsis_beside_another_key_changes_nothing():
    a = ak.arange(4)
    assert a[..., 1] == 1
    assert a[1, ...] == 1
    assert a[..., a > 1].tolist() == [2, 3]
    assert a[...].tolist() == [0, 1, 2, 3]


def test_selections_along_more_dimensions_than_there_are_are_refused():
    with pytest.raises(AxisError, match="2 selections are too many"):
        ak.arange(4)[:, 0]
    with pytest.raises(IndexError, match="2 selections"):
        ak.arange(4)[1:, :]
    for make in (ARRAYS["text"], ARRAYS["categorical"]):
        with pytest.raises(UnsupportedError, match="has one dimension"):
            make()[:, None]


@each_array
def test_pandas_and_numpy_take_the_values(make):
    items = make()
    expected = items.to_ndarray()
    np.testing.assert_array_equal(np.asarray(items), expected)
    np.testing.assert_array_equal(items.to_numpy(), expected)
    assert pd.Series(items).tolist() == pd.Series(expected).tolist()
    assert pd.Index(items).tolist() == pd.Index(expected).tolist()
    assert pd.DataFrame({"q": items})["q"].tolist() == pd.Series(expected).tolist()
    assert pd.array(items).tolist() == pd.Series(expected).tolist()


def test_times_as_objects_are_those_of_pandas():
    assert np.asarray(ak.Datetime(TIMES), object).tolist() == list(pd.DatetimeIndex(TIMES))
    spans = TIMES - TIMES[0]
    assert np.asarray(ak.Timedelta(spans), object).tolist() == list(pd.TimedeltaIndex(spans))


def test_labels_of_several_levels_are_tuples():
    index = ak.MultiIndex([ak.array([1, 2]), ak.array(["a", "b"])])
    assert np.asarray(index).tolist() == [(1, "a"), (2, "b")]


def test_a_frame_is_its_values_to_pandas_and_numpy(frame):
    expected = np.array([[0, 0.5], [1, 1.5], [2, 2.5]])
    for found in (np.asarray(frame), np.array(frame), frame.to_numpy(), pd.DataFrame(frame).to_numpy()):
        np.testing.assert_array_equal(found, expected)
    assert np.asarray(frame, np.float32).dtype == np.float32
    assert np.asarray(frame[frame["x"] > 1]).tolist() == [[2, 2.5]]
    mixed = ak.DataFrame({"x": ak.arange(2), "s": ak.array(["a", "b"])})
    assert np.asarray(mixed).tolist() == [[0, "a"], [1, "b"]]
    assert np.asarray(frame[:0]).shape == (0, 2)
    assert np.asarray(ak.DataFrame()).size == 0


def test_a_frame_is_a_mapping_of_names_to_python(frame):
    assert list(frame) == ["x", "y"]
    assert {name: column.tolist() for name, column in dict(frame).items()} == {"x": [0, 1, 2], "y": [0.5, 1.5, 2.5]}
    assert len(frame) == 3
    assert "x" in frame
    assert 5 not in frame


def test_an_assigned_attribute_that_is_no_column_is_warned_of(frame):
    with pytest.warns(UserWarning, match=r"df.kb = … makes no column; write df\['kb'\] = …") as caught:
        frame.kb = frame["x"] * 2
    assert caught[0].filename == __file__
    assert list(frame.columns) == ["x", "y"]
    with pytest.warns(UserWarning, match="makes no column"):
        frame.other = [1, 2, 3]
    frame.note = "no column is meant"
    assert frame.note == "no column is meant"


def test_an_assigned_attribute_that_is_a_column_changes_it(frame):
    frame.x = frame["x"] + 10
    assert frame["x"].tolist() == [10, 11, 12]
    frame.y = 0
    assert frame.to_pandas()["y"].tolist() == [0, 0, 0]


def test_columns_are_renamed_by_assigning_their_names(frame):
    frame["z"] = ["a", "b", "c"]
    frame.columns = ["y", "x", "z"]
    pd.testing.assert_frame_equal(
        frame.to_pandas(), pd.DataFrame({"y": [0, 1, 2], "x": [0.5, 1.5, 2.5], "z": ["a", "b", "c"]})
    )
    for wrong in (["a"], ["a", "a", "b"]):
        with pytest.raises(ArgumentError, match="3 columns need as many names"):
            frame.columns = wrong


def test_info_is_text_and_prints_it_when_called(frame, capsys):
    assert frame.info == str(frame) == "DataFrame(['x', 'y'], 3 rows, 72.00 B)"
    assert frame.info() is None
    assert capsys.readouterr().out.splitlines() == [frame.info, "  x: int64", "  y: float64"]


@pytest.mark.parametrize(
    "write",
    [
        lambda f: f["proto"] == "tcp" & f["port"] == 443,
        lambda f: f["port"] == 443 & f["proto"] == "tcp",
        lambda f: f["proto"] == "tcp" | f["proto"] == "udp",
        lambda f: f["x"] > 0.5 & f["x"] < 1.5,
    ],
)
def test_comparisons_without_parentheses_are_told_of_them(write):
    flows = ak.DataFrame({"proto": ["tcp", "udp"], "port": [443, 53], "x": [0.7, 2.5]})
    with pytest.raises((TypeError, ValueError), match=r"write \(a == 1\) & \(b == 2\), with parentheses"):
        write(flows)


@pytest.mark.parametrize("write", [lambda a: a > 1 and a < 3, lambda a: 1 < a < 3, lambda a: a == 443 & a == 1])
def test_truth_of_many_elements_tells_how_conditions_are_joined(write):
    with pytest.raises(ValueError, match=r"write \(a > 1\) & \(b < 2\)"):
        write(ak.arange(5))
