"""Pictures: what is drawn, not how it looks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, MissingColumnError, PositionError, UnsupportedError
from akdask.plotting import axes, density

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
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
    for number, unit in ((0, 1), (5, 86400e9)):
        np.testing.assert_allclose(drawn[number].values, counts)
        np.testing.assert_allclose(drawn[number].edges * unit, edges, atol=0.5)
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


@pytest.fixture
def few(monkeypatch):
    """Let pictures be of many rows from 20 on."""
    for module in (axes, density):
        monkeypatch.setattr(module, "MOST_POINTS", 20)
    monkeypatch.setattr(axes, "CURVE_PIXELS", 4)


ROWS = pd.DataFrame(
    {
        "x": [3.0, 1, np.nan, 2, 8, 5],
        "y": [1, 2, 3, 4, 5, 9],
        "t": pd.date_range("2026-01-01", periods=6, freq="6h"),
        "k": list("abaabb"),
        "b": [True, False] * 3,
    }
)


def lines(ax):
    return [line.get_xydata() for line in ax.lines]


def heights(ax):
    return [[bar.get_height() for bar in bars] for bars in ax.containers]


@pytest.mark.parametrize("kind", ["line", "area", "bar", "barh"])
@pytest.mark.parametrize("chosen", [{}, {"x": "x", "y": "y"}, {"x": "k", "y": ["y"]}, {"y": 1}])
def test_few_rows_are_drawn_as_by_pandas(kind, chosen):
    rows = ROWS[["x", "y", "k", "b"]]
    rows = rows.dropna() if kind == "area" else rows
    one, other = ak.DataFrame(rows).plot(kind=kind, **chosen), rows.plot(kind=kind, **chosen)
    for drawn, wanted in zip(lines(one), lines(other), strict=True):
        np.testing.assert_array_equal(drawn, wanted)
    assert [[bar.get_bbox().bounds for bar in bars] for bars in one.containers] == [
        [bar.get_bbox().bounds for bar in bars] for bars in other.containers
    ]
    assert [text.get_text() for text in one.get_xticklabels()] == [text.get_text() for text in other.get_xticklabels()]


def test_series_are_drawn_along_their_labels():
    drawn = ak.DataFrame(ROWS).y.plot()
    np.testing.assert_array_equal(lines(drawn)[0], np.column_stack([range(6), ROWS["y"]]))
    assert (drawn.get_ylabel(), drawn.get_legend()) == ("y", None)
    plt.close("all")
    sizes = ak.DataFrame(ROWS).groupby("k").size()
    assert heights(sizes.plot.bar()) == [[3, 3]]
    plt.close("all")
    assert [wedge.theta2 - wedge.theta1 for wedge in sizes.plot.pie().patches] == [180, 180]
    plt.close("all")
    several = ak.DataFrame(ROWS).groupby(["k", "b"]).size().plot("bar")
    assert [text.get_text() for text in several.get_xticklabels()] == [
        "(a, False)",
        "(a, True)",
        "(b, False)",
        "(b, True)",
    ]


def test_rows_by_hour_and_day_are_lines_and_bars():
    df = ak.DataFrame(ROWS)
    by_day = df.resample("D", on="t").size().plot.bar()
    assert heights(by_day) == [ROWS.resample("D", on="t").size().tolist()]
    counts, edges, bars = ak.hist(df.t, bins="D", title="rows by day")
    assert counts.tolist() == [4, 2] == [bar.get_height() for bar in bars]
    assert edges.tolist() == np.array(["2026-01-01", "2026-01-02", "2026-01-03"], "M8[ns]").tolist()
    assert (plt.gca().get_title(), plt.gca().get_xlabel(), plt.gca().get_ylabel()) == ("rows by day", "t", "rows")
    drawn = df.t.plot.hist(bins="D", figsize=(3, 2))
    assert heights(drawn)[-1] == [4, 2]


@pytest.mark.parametrize("along", [{}, {"x": "t"}])
def test_lines_of_many_rows_go_through_the_least_and_most_of_each_pixel(few, along):
    y = np.random.default_rng(1).normal(size=40)
    times = pd.date_range("2026-01-01", periods=40, freq="h")
    ax = ak.DataFrame({"y": y, "z": -y, "t": times}).plot.line(**along)
    wanted = pd.Series(y).groupby(np.arange(40) // 10).agg(["min", "max"]).to_numpy()
    np.testing.assert_array_equal(lines(ax)[0][:, 1], wanted.ravel())
    np.testing.assert_array_equal(lines(ax)[1][:, 1], -wanted[:, ::-1].ravel())
    assert ax.get_xlabel() == along.get("x", "")


def test_lines_of_many_rows_may_show_times_and_gaps(few):
    times = pd.Series(pd.date_range("2026-01-01", periods=40, freq="h"))
    times[::3] = pd.NaT
    ax = ak.Series(times).plot.line()
    wanted = times.groupby(np.arange(40) // 10).agg(["min", "max"]).to_numpy().ravel()
    np.testing.assert_allclose(ax.lines[0].get_ydata(orig=False), matplotlib.dates.date2num(wanted))
    none = ak.DataFrame({"x": np.full(40, np.nan), "y": np.arange(40.0)})
    assert len(lines(none.plot.line(x="x"))[0]) == 0
    assert np.isnan(lines(none.plot.line(y="x"))[0][:, 1]).all()


def test_areas_of_many_rows_show_means_that_add_up(few):
    y = np.arange(40.0)
    ax = ak.Series(y, name="y").plot.area()
    np.testing.assert_array_equal(lines(ax)[0][:, 1], y.reshape(4, 10).mean(axis=1))
    assert ax.get_ylabel() == "y"


def test_histograms_of_a_frame_have_the_bins_and_counts_of_pandas():
    df = ak.DataFrame(ROWS)[["x", "y", "k", "b"]]
    for options in ({"bins": 3}, {"bins": [0, 2, 9]}, {"bins": 2, "range": (1, 5), "stacked": True}, {"density": True}):
        one, other = df.plot.hist(**options), ROWS[["x", "y"]].plot.hist(**options)
        assert heights(one) == heights(other)
        assert [bar.get_x() for bar in one.patches] == [bar.get_x() for bar in other.patches]
    plt.close("all")
    assert heights(df.plot(kind="hist", y="y", bins=2)) == [[4, 2]]
    assert heights(df.plot.hist(column=["y"], bins=2)) == [[4, 2]]
    assert [len(heights(ax)) for ax in df.plot.hist(subplots=True)] == [1, 1]


def test_groups_have_histograms_in_the_same_bins():
    axes = ak.DataFrame(ROWS).plot.hist(by="k", column=["x", "y"], bins=3)
    edges = np.histogram_bin_edges(ROWS[["x", "y"]].to_numpy()[~ROWS[["x", "y"]].isna()], 3)
    assert [ax.get_title() for ax in axes] == ["a", "b"]
    for ax, (_, rows) in zip(axes, ROWS.groupby("k"), strict=True):
        assert heights(ax) == [np.histogram(rows[name].dropna(), edges)[0].tolist() for name in ("x", "y")]
    wanted = pd.crosstab([ROWS["k"], ROWS["b"]], ROWS["t"].dt.day)
    by_day = ak.DataFrame(ROWS[["t", "k", "b"]]).plot.hist(by=["k", "b"], bins="D")
    assert [ax.get_title() for ax in by_day] == ["(a, False)", "(a, True)", "(b, False)", "(b, True)"]
    assert [heights(ax) for ax in by_day] == [[row] for row in wanted.to_numpy().tolist()]


def test_a_histogram_is_drawn_as_by_matplotlib():
    values = np.array([0.5, 1, np.nan, 4, 4])
    for options in ({}, {"density": True}, {"cumulative": True}, {"orientation": "horizontal"}):
        found, edges, _ = ak.hist(ak.Series(values, name="v"), 4, xlabel=None, **options)
        wanted, wanted_edges, _ = plt.hist(values[~np.isnan(values)], 4, **options)
        assert found.tolist() == wanted.tolist()
        assert edges.tolist() == wanted_edges.tolist()
    _, _, bars = ak.hist(ak.Timedelta(ak.array([0, 10**9, 4 * 10**9])), 2)
    assert [bar.get_x() for bar in bars] == [0, 2]


def test_smooth_densities_are_drawn_as_lines():
    df = ak.DataFrame({"x": [0.0, 1, 3], "y": [5, 6, 9]})
    ax = df.plot.kde(ind=50)
    assert [len(line) for line in lines(ax)] == [100, 100]
    assert ax.get_ylabel() == "Density"
    assert df.x.plot.density().get_xlabel() == "x"


def test_scatter_plots_have_a_mark_for_each_of_few_rows():
    df = ak.DataFrame(ROWS)
    for options in ({}, {"c": "y"}, {"s": "y", "c": "red"}):
        one, other = (frame.plot.scatter("x", "y", **options).collections[0] for frame in (df, ROWS))
        np.testing.assert_array_equal(one.get_offsets(), other.get_offsets())
        np.testing.assert_array_equal(one.get_sizes(), other.get_sizes())
    assert len(df.plot.scatter("t", 1).collections[0].get_offsets()) == 6


def test_scatter_plots_of_many_rows_show_how_many_are_where(few):
    x, y = np.random.default_rng(2).normal(size=(2, 40))
    df = ak.DataFrame({"x": x, "y": y, "z": x + y})
    ax = df.plot.scatter("x", "y", bins=4, c="blue")
    wanted = np.histogram2d(x, y, 4)[0].T
    (image,) = ax.collections
    np.testing.assert_array_equal(image.get_array().filled(0), wanted)
    assert image.norm.vmax == wanted.max()
    assert (ax.get_xlabel(), ax.get_ylabel(), image.colorbar.ax.get_ylabel()) == ("x", "y", "rows")
    means = df.plot.scatter("x", "y", c="z", bins=4).collections[0].get_array()
    sums = np.histogram2d(x, y, 4, weights=x + y)[0].T
    np.testing.assert_allclose(means.filled(0), np.divide(sums, wanted, out=np.zeros((4, 4)), where=wanted > 0))
    plain = df.plot.density("x", "y", bins=4, log=False, cmap="magma", colorbar=False)
    np.testing.assert_array_equal(plain.collections[0].get_array().filled(0), wanted)
    with pytest.raises(ArgumentError, match="what is drawn is their density"):
        df.plot.scatter("x", "y", s="z")


def test_two_columns_are_drawn_in_bins_with_dates_along_times():
    counts, x_edges, y_edges, image = ak.hist2d(ak.Datetime(ROWS["t"]), ak.array(ROWS["x"]), (2, 3))
    wanted = np.histogram2d(ROWS["t"].astype("int64").dropna()[[0, 1, 3, 4, 5]], ROWS["x"].dropna(), (2, 3))[0]
    assert counts.tolist() == wanted.tolist() == image.get_array().filled(0).T.tolist()
    assert (x_edges.dtype.kind, y_edges.tolist()) == ("M", np.linspace(1, 8, 4).tolist())
    assert type(image.axes.xaxis.get_major_formatter()).__name__ == "ConciseDateFormatter"


@pytest.mark.parametrize("options", [{}, {"mincnt": 1}, {"C": "z"}, {"C": "z", "reduce_C_function": np.sum}])
def test_hexagons_are_those_of_matplotlib(options):
    x, y = np.random.default_rng(4).random((2, 200))
    rows = pd.DataFrame({"x": x * 5, "y": y, "z": x - y})
    one, other = (
        frame.plot.hexbin("x", "y", gridsize=7, **options).collections[0] for frame in (ak.DataFrame(rows), rows)
    )
    np.testing.assert_allclose(one.get_array(), other.get_array())
    np.testing.assert_allclose(one.get_offsets(), other.get_offsets(), atol=1e-6)


@pytest.mark.parametrize("by", [None, "k"])
def test_boxes_are_those_of_pandas(by):
    rows = pd.DataFrame({"v": np.random.default_rng(5).standard_t(2, 80), "k": ["a", "b"] * 40})
    rows.loc[::9, "v"] = np.nan
    one, other = ak.DataFrame(rows).plot.box(by=by), rows.plot.box(by=by, column="v")
    one, other = (axes if by is None else axes["v"] for axes in (one, other))
    for drawn, wanted in zip(lines(one), lines(other), strict=True):
        np.testing.assert_allclose(np.sort(drawn[:, 1]), np.sort(wanted[:, 1]))
    assert [text.get_text() for text in one.get_xticklabels()] == ["v"] if by is None else ["a", "b"]
    assert (one.get_title(), one.get_xlabel()) == (("", "") if by is None else ("v", "k"))


def test_boxes_take_options_of_axes_and_of_matplotlib():
    _, ax = plt.subplots()
    df = ak.DataFrame(ROWS)
    assert df.plot.box(column="y", ax=ax, showfliers=False, title="all", ylim=(0, 10), grid=True, color="red") is ax
    assert (ax.get_title(), ax.get_ylim(), len(ax.lines)) == ("all", (0, 10), 6)
    with pytest.raises(ArgumentTypeError, match="beside the keys"):
        df[["y"]].plot.box(by="y")


def test_what_cannot_be_drawn_says_what_to_do():
    df = ak.DataFrame(ROWS)
    text, many = df[["k"]], ak.DataFrame({"x": ak.arange(20_000), "k": ["a"] * 20_000})
    for kind in ("line", "bar", "hist", "box", "kde", "area"):
        with pytest.raises(
            ArgumentTypeError, match=r"draws numbers, and no column has some.[\s\S]*groupby\('x'\).size"
        ):
            text.plot(kind=kind)
    with pytest.raises(ArgumentError, match=r"20,000: up to 1,000 have room.\nHint: reduce them first"):
        many.plot.bar()
    with pytest.raises(ArgumentTypeError, match=r"needs numbers or times along the axis[\s\S]*pass x="):
        many.plot.line(x="k")
    with pytest.raises(ArgumentError, match="no plot of the kind 'map'"):
        df.plot(kind="map")
    with pytest.raises(ArgumentError, match="two columns of a DataFrame"):
        df.y.plot(kind="hexbin", x="y", y="y")
    with pytest.raises(ArgumentError, match="as wide as each other"):
        df.plot.hist(by="k", bins=[0, 1])
    with pytest.raises(ArgumentError, match="300 groups, and up to 36 have room"):
        ak.DataFrame({"x": ak.arange(300), "k": ak.arange(300)}).plot.hist(by="k")
    with pytest.raises(ArgumentError, match="not by"):
        df.plot.hexbin("x", "y", "y", reduce_C_function=print)
    with pytest.raises(UnsupportedError, match="equal size"):
        df.plot.hexbin("x", "y", xscale="log")
    with pytest.raises(MissingColumnError, match="no column 'z'"):
        df.plot.line(x="z")
    with pytest.raises(PositionError, match="no column 9 of 5"):
        df.plot.line(y=9)
    with pytest.raises(ArgumentError, match="pie draws one column"):
        df.plot.pie()
    with pytest.raises(ArgumentError, match="a Series has no columns"):
        df.y.plot.line(x="x")
    with pytest.raises((ArgumentError, ArgumentTypeError), match="line"):
        df.plot.line(y="y", wrong=1)


def test_rows_of_unknown_number_and_no_rows_are_drawn():
    df = ak.DataFrame(ROWS)
    some = df[df["y"] > 3]
    np.testing.assert_array_equal(lines(some.plot.line(y="y"))[0], [[3, 4], [4, 5], [5, 9]])
    none = df[df["y"] > 99]
    assert ak.hist(none["x"], 2)[0].tolist() == [0, 0]
    assert heights(none[["x", "y"]].plot.hist(bins=2)) == [[0, 0], [0, 0]]
    assert none.plot.density("x", "y").collections[0].get_array().count() == 0
    assert len(none.plot.box(column="y", by="k")["y"].lines) == 0
    with pytest.raises(ArgumentError, match="there is none"):
        none.plot.bar()
    assert none.plot.hexbin("x", "y", gridsize=3).collections[0].get_array().sum() == 0


@pytest.mark.parametrize("orientation", ["vertical", "horizontal"])
def test_a_histogram_of_a_series_names_the_axis_of_its_values(orientation):
    ax = ak.Series([0.5, 1, 4, 4], name="v").plot.hist(bins=2, orientation=orientation)
    wanted = pd.Series([0.5, 1, 4, 4], name="v").plot.hist(bins=2, orientation=orientation, ax=plt.figure().gca())
    counted = (wanted.get_xlabel(), wanted.get_ylabel())
    assert (ax.get_xlabel(), ax.get_ylabel()) == (("v", counted[1]) if orientation == "vertical" else counted)
