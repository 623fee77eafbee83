"""Charts of distributions: what is drawn, not how it looks."""

from __future__ import annotations

import numpy as np
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError

plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")


@pytest.fixture(autouse=True)
def without_screen():
    before = plt.get_backend()
    plt.switch_backend("agg")
    yield
    plt.close("all")
    plt.switch_backend(before)


VALUES = np.array([0, 0, 1, 2, 3, 3, 3, 9])


@pytest.mark.parametrize("extra", [0, 1])
def test_a_distribution_is_drawn_beside_the_cumulative_one(extra):
    counts, edges = np.histogram(VALUES, 3)
    figure, axes = ak.plot_dist(ak.array(edges), ak.array(counts), xlabel="bytes")
    middles = (edges[1:] + edges[:-1]) / 2
    assert len(figure.axes) == 2
    np.testing.assert_allclose(axes[0].lines[0].get_xydata(), np.column_stack([middles, counts]))
    np.testing.assert_allclose(axes[1].lines[0].get_ydata(), np.cumsum(counts) / 8)
    assert (axes[0].get_yscale(), axes[1].get_xlabel()) == ("log", "bytes")
    given = np.append(counts, [0] * extra)
    _, again = ak.plot_dist(middles, given, log=False, newfig=False)
    np.testing.assert_allclose(again[0].lines[0].get_ydata(), counts)
    assert again[0].get_yscale() == "linear"


def test_distributions_without_elements_are_flat():
    _, axes = ak.plot_dist([0, 1, 2], [0, 0])
    assert axes[1].lines[0].get_ydata().tolist() == [0, 0]
    assert axes[0].get_yscale() == "linear"


def test_counts_go_with_bins():
    for edges, counts in (([1, 2, 3, 4], [1]), ([], [])):
        with pytest.raises(ArgumentError, match="do not go with"):
            ak.plot_dist(edges, counts)


def test_each_column_has_a_histogram():
    df = ak.DataFrame(
        {
            "ints": ak.array(VALUES),
            "floats": ak.array([0.5, np.nan, np.inf, 1, 2, 3, 4, 5]),
            "bools": ak.array(VALUES > 2),
            "text": ak.array(["b", "a", "a", "a", "a", "c", "c", "c"]),
            "labels": ak.Categorical(["b", "a"] * 4),
            "times": ak.Datetime(ak.array(VALUES)),
        }
    )
    _, axes = ak.hist_all(df)
    assert axes.shape == (3, 2)
    assert [axis.get_title() for axis in axes.flat] == list(df.columns)
    drawn = [axis.patches[0].get_data() for axis in axes.flat]
    counts, edges = np.histogram(VALUES, 4)
    for number in (0, 5):
        np.testing.assert_allclose(drawn[number].values, counts)
        np.testing.assert_allclose(drawn[number].edges, edges)
    assert [int(item.values.sum()) for item in drawn] == [8, 6, 8, 8, 8, 8]
    np.testing.assert_allclose(drawn[3].values, np.histogram([1, 0, 0, 0, 0, 2, 2, 2], 4)[0])


def test_some_columns_may_be_chosen_and_have_no_rows():
    df = ak.DataFrame({"x": ak.array([], dtype="float64"), "y": ak.array([], dtype="int64")})
    _, axes = ak.hist_all(df, ["y"])
    assert [axis.get_title() for axis in axes.flat] == ["y"]


def test_what_is_no_frame_is_refused():
    with pytest.raises(ArgumentTypeError, match="draws a DataFrame, not list"):
        ak.hist_all([1])
    with pytest.raises(ArgumentError, match="without columns"):
        ak.hist_all(ak.DataFrame({}))
