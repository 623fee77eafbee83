"""Pictures of frames and Series are pandas' own; of many values they are drawn from bins, and look alike."""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas
import pytest

import akdask.pandas as pd
from akdask.errors import ArgumentError
from akdask.pandas import tuning
from akdask.plotting import axes as house

plt = pytest.importorskip("matplotlib.pyplot")
plt.switch_backend("agg")

ROWS = 500


def _rows() -> pandas.DataFrame:
    rng = np.random.default_rng(0)
    times = pandas.Timestamp("2026-01-01") + pandas.to_timedelta(np.arange(ROWS), unit="h")
    return pandas.DataFrame(
        {"a": rng.normal(size=ROWS), "b": rng.exponential(size=ROWS), "k": rng.choice(["u", "v"], ROWS), "d": times}
    )


PICTURES = {
    "histograms": lambda df: df.hist(bins=20),
    "some histograms": lambda df: df[["a", "b"]].hist(figsize=(8, 3)),
    "a histogram": lambda df: df["a"].hist(bins=15),
    "boxes": lambda df: df.boxplot(column=["a", "b"]),
    "boxes by groups": lambda df: df.boxplot(column="a", by="k"),
    "lines": lambda df: df.plot(x="d", y="a"),
    "several lines": lambda df: df[["a", "b"]].plot(subplots=True),
    "line of a column": lambda df: df["a"].plot(title="x"),
    "bars": lambda df: df.groupby("k")["a"].mean().plot.bar(),
    "slices": lambda df: df["k"].value_counts().plot(kind="pie"),
    "counts in the same bins": lambda df: df.plot.hist(bins=10),
    "lines of groups": lambda df: df.groupby("k")["a"].plot(),
    "histograms of groups": lambda df: df.groupby("k")["a"].hist(),
    "densities of groups": lambda df: df.groupby("k")["a"].plot.hist(alpha=0.4, legend=True),
    "lines of columns of groups": lambda df: df.groupby("k")[["a", "b"]].plot.line(),
}


def _drawn(df, picture):
    """Return what a picture consists of: for each axes its labels, how many lines it has, and its bars."""
    plt.close("all")
    picture(df)
    return [
        (
            ax.get_title(),
            ax.get_xlabel(),
            ax.get_ylabel(),
            len(ax.lines),
            [
                [round(float(number), 9) for number in (bar.get_x(), bar.get_width(), bar.get_height())]
                for bar in ax.patches
                if hasattr(bar, "get_height")
            ],
        )
        for ax in plt.gcf().axes
    ]


@cache
def _drawn_by_pandas(name):
    return _drawn(_rows(), PICTURES[name])


@pytest.mark.parametrize("way", ["in memory", "lazily", "from bins"])
@pytest.mark.parametrize("name", PICTURES)
def test_pictures_consist_of_what_those_of_pandas_consist_of(name, way, monkeypatch):
    frame = pd.DataFrame(_rows())
    if way != "in memory":
        monkeypatch.setattr(tuning, "EAGER_VALUES", 0)
        frame = pd.DataFrame._of(frame.lazy())
    if way == "from bins":
        monkeypatch.setattr(tuning, "CACHED_VALUES", ROWS // 2)
    with warnings.catch_warnings():
        warnings.simplefilter("error", pd.PandasFallbackWarning)
        assert _drawn(frame, PICTURES[name]) == _drawn_by_pandas(name)


def test_many_rows_have_no_mark_each(monkeypatch):
    monkeypatch.setattr(tuning, "CACHED_VALUES", 10)
    frame = pd.DataFrame({"x": range(2000)})
    with pytest.raises(ArgumentError, match="up to 1,000 have room"):
        frame.plot.bar()
    with pytest.raises(ArgumentError, match="up to 1,000 have room"):
        frame["x"].plot(kind="bar")


def test_functions_of_plotting_take_frames_of_this_face():
    found = pd.plotting.scatter_matrix(pd.DataFrame(_rows())[["a", "b"]])
    assert found.shape == (2, 2)


def test_styles_are_those_of_pandas():
    styled = pd.DataFrame({"a": [1.25, 2.5]}).style.format("{:.1f}")
    assert styled.to_html(table_uuid="x") == pandas.DataFrame({"a": [1.25, 2.5]}).style.format("{:.1f}").to_html(
        table_uuid="x"
    )


def test_what_the_first_figure_sets_stays_set_after_it():
    # The backend of notebooks becomes interactive with the first figure, and shows the later ones by that.
    class Drawn:
        def plot(self, **options):
            assert plt.rcParams["figure.autolayout"]
            plt.rcParams["interactive"] = True

    before = plt.rcParams["figure.autolayout"]
    with plt.rc_context({"interactive": False}):
        house.by_pandas(Drawn(), "line")
        assert plt.rcParams["interactive"]
        assert plt.rcParams["figure.autolayout"] == before
