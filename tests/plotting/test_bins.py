"""What pictures are made of: bins, extents, densities and boxes, without Matplotlib."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.plotting import density
from akdask.plotting.axes import (
    AxisValues,
    DrawnRows,
    boxes_of_columns,
    boxes_of_groups,
    by_pixel,
    extents,
    on_common_rows,
)
from akdask.plotting.density import hexagons
from akdask.plotting.histogram import FINEST, counts_in_bins, smooth_density
from akdask.testing.strategies import partition_lengths, partitioned

EDGY = st.sampled_from([0.0, 0.1, 0.3, 1.0, -1.0, 7.5, np.nan, np.inf, -np.inf])
TIMES = np.array(["2026-01-01T00:30", "2026-01-01T01:00", "NaT", "2026-01-02T23:59", "2026-01-01T01:10"], "M8[ns]")


@given(st.lists(st.tuples(EDGY, st.integers(-3, 3))), st.integers(1, 5), st.integers(1, 5), st.data())
@settings(max_examples=10)
def test_bins_are_those_of_numpy_whatever_the_partitions(rows, x_bins, y_bins, data):
    x, y = np.array([row[0] for row in rows], float), np.array([row[1] for row in rows], np.int64)
    lengths = data.draw(partition_lengths(len(rows)))
    found = ak.bins2d(partitioned(x, lengths), partitioned(y, lengths), (x_bins, y_bins))
    there = np.isfinite(x)
    bounds = None if there.any() else [(0, 1), (0, 1)]
    counts, x_edges, y_edges = np.histogram2d(x[there], y[there], [x_bins, y_bins], bounds)
    assert found.counts.tolist() == counts.tolist()
    np.testing.assert_array_equal(found.x_edges, x_edges)
    np.testing.assert_array_equal(found.y_edges, y_edges)


def test_ranges_that_are_given_are_not_looked_for(monkeypatch, calls):
    lazy = ak.array(np.arange(10.0))
    twice = calls(lambda: ak.bins2d(lazy, lazy, 4))
    monkeypatch.setattr(density, "extents", lambda *_, **__: pytest.fail("goes over the rows once more"))
    found = ak.bins2d(lazy, lazy, 4, ((0, 5), (2, 9)))
    assert found.counts.tolist() == np.histogram2d(*[np.arange(10.0)] * 2, 4, ((0, 5), (2, 9)))[0].tolist()
    assert calls(lambda: ak.bins2d(lazy, lazy, 4, ((0, 5), (2, 9)))) < twice


def test_bins_of_times_have_edges_that_are_times():
    found = ak.bins2d(ak.Datetime(TIMES), ak.arange(5), (2, 1), (("2026-01-01", "2026-01-03"), None))
    assert found.counts.tolist() == [[3], [1]]
    assert found.x_edges.tolist() == np.array(["2026-01-01", "2026-01-02", "2026-01-03"], "M8[ns]").tolist()
    spans = ak.bins2d(ak.Timedelta(ak.array([0, 4, 10])), ak.arange(3), (2, 1))
    assert (spans.counts.tolist(), spans.x_edges.astype(int).tolist()) == ([[2], [1]], [0, 5, 10])
    assert ak.bins2d(ak.Datetime(TIMES[[2]]), ak.arange(1), 2).counts.sum() == 0


def test_bins_of_series_are_labelled_and_become_a_frame():
    df = ak.DataFrame({"x": [0.0, 1, 1], "y": [False, True, True]})
    found = ak.bins2d(df.x, df.y, 2).to_pandas()
    wanted = pd.DataFrame([[1, 0], [0, 2]], pd.Index([0.25, 0.75], name="y"), pd.Index([0.25, 0.75], name="x"))
    pd.testing.assert_frame_equal(found, wanted)


def test_bins_go_to_xarray_and_holoviews(monkeypatch):
    made = []

    def record(*args, **named):
        made.append((args, named))
        return "drawn"

    monkeypatch.setitem(sys.modules, "xarray", SimpleNamespace(DataArray=record))
    monkeypatch.setitem(sys.modules, "holoviews", SimpleNamespace(Image=record))
    bins = ak.bins2d(ak.Series([0, 1, 1], name="a"), ak.Series([0, 0, 1], name="a"), 2)
    assert (bins.to_xarray(), bins.to_holoviews()) == ("drawn", "drawn")
    ((counts,), array), (((x, y, again),), image) = made
    assert counts.tolist() == again.tolist() == [[1, 1], [0, 1]]
    assert (array["dims"], array["name"]) == (("a (y)", "a"), "rows")
    assert (x.tolist(), y.tolist()) == ([0.25, 0.75], [0.25, 0.75])
    assert image == {"kdims": ["a", "a (y)"], "vdims": ["rows"]}


def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "holoviews", None)
    with pytest.raises(ArgumentError, match="pip install holoviews"):
        ak.bins2d(ak.arange(2), ak.arange(2), 1).to_holoviews()


def test_what_has_no_bins_is_refused():
    rows = ak.arange(3)
    with pytest.raises(
        ArgumentTypeError, match=r"draws numbers and times, and this is Strings[\s\S]*size\(\).plot.bar"
    ):
        ak.bins2d(ak.array(["a", "b", "c"]), rows)
    with pytest.raises(AlignmentError):
        ak.bins2d(rows, ak.arange(4))
    for range_ in (((1, 0), None), ((0,), None), (("a", 1), None)):
        with pytest.raises(ArgumentError, match="range"):
            ak.bins2d(rows, rows, 2, range_)
    with pytest.raises(ArgumentError, match="for each of two axes"):
        ak.bins2d(rows, rows, (1, 2, 3))


@given(st.lists(st.tuples(EDGY, EDGY)), st.booleans())
@settings(max_examples=10)
def test_extents_leave_out_what_has_no_place(rows, in_pairs):
    lazy = [AxisValues.of("test", ak.array(np.array([row[place] for row in rows], float))) for place in (0, 1)]
    numbers = np.array(rows, float).reshape(-1, 2)
    there = np.isfinite(numbers)
    there = np.repeat(there.all(axis=1)[:, None], 2, axis=1) if in_pairs else there
    wanted = [column[mask] for column, mask in zip(numbers.T, there.T, strict=True)]
    found = extents(on_common_rows("test", lazy), in_pairs=in_pairs)
    assert found == [(column.min(), column.max()) if len(column) else None for column in wanted]


def test_bins_between_given_edges_and_of_units_of_time_are_counted():
    values = np.array([0.5, 1, 2, np.nan, 4, 9, -1])
    edges = [0, 1, 1.5, 4]
    (counts,), found = counts_in_bins([AxisValues.of("hist", ak.array(values))], edges, None)
    assert counts.tolist() == np.histogram(values[~np.isnan(values)], edges)[0].tolist()
    assert found.tolist() == edges
    times = AxisValues.of("hist", ak.Datetime(TIMES))
    (counts,), found = counts_in_bins([times], "h", None)
    series = pd.Series(1, TIMES[~np.isnat(TIMES)]).resample("h").sum()
    assert counts.tolist() == series.tolist()
    assert found[:-1].tolist() == series.index.to_numpy().tolist()
    days = np.array(["2026-01-01", "2026-01-02", "2026-01-03"], "M8[D]")
    assert counts_in_bins([times], days, None)[0][0].tolist() == [3, 1]
    for bins, match in (([1, 0], "ascend"), ("h", "unit of time"), (0, "1 to 100,000")):
        with pytest.raises(ArgumentError, match=match):
            counts_in_bins([AxisValues.of("hist", ak.array(values))], bins, None)


@pytest.mark.parametrize(("rule", "factor"), [(None, 200**-0.2), ("silverman", 150**-0.2), (0.5, 0.5)])
def test_densities_are_those_of_kernels_around_each_row(rule, factor):
    rows = np.random.default_rng(3).normal(size=200)
    counts, edges = np.histogram(rows, FINEST)
    at, found = smooth_density(counts, edges, rule, 20)
    width = factor * rows.std(ddof=1)
    each = np.exp(-(((at[:, None] - rows) / width) ** 2) / 2)
    np.testing.assert_allclose(found, each.mean(axis=1) / (width * np.sqrt(2 * np.pi)), atol=1e-5)
    assert at[0] == pytest.approx(rows.min() - np.ptp(rows) / 2)


def test_densities_that_there_are_not_are_refused():
    with pytest.raises(ArgumentError, match="two different values"):
        smooth_density(np.array([3, 0]), np.array([0.0, 1, 2]))
    with pytest.raises(ArgumentError, match="no rule"):
        smooth_density(np.array([3, 1]), np.array([0.0, 1, 2]), "wide")


@given(st.lists(st.tuples(st.integers(-20, 20), EDGY), min_size=1), st.integers(1, 6), st.data())
@settings(max_examples=10)
def test_each_pixel_shows_its_least_and_most(rows, number, data):
    x, y = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    lengths = data.draw(partition_lengths(len(rows)))
    df = ak.DataFrame({"y": partitioned(y, lengths)}, index=partitioned(x, lengths))
    found = by_pixel("line", DrawnRows.of(df), ("min", "max"), number)
    span = max(x.max() - x.min(), 1)
    pixel = np.minimum(np.floor((x - x.min()) * (number / span)), number - 1)
    wanted = pd.Series(np.where(np.isfinite(y), y, np.nan)).groupby(pixel).agg(["min", "max"])
    assert np.array_equal(found["y"], wanted.to_numpy().ravel(), equal_nan=True)
    if x.max() > x.min():
        middles = x.min() + (wanted.index.to_numpy() + 0.5) * (span / number)
        np.testing.assert_allclose(found.index, np.repeat(middles, 2))


VALUES = np.random.default_rng(5).standard_t(2, 300).round(3)
VALUES[::50] = np.nan
KEYS = np.random.default_rng(6).choice(["a", "b", "c"], 300)


def drawn_box(values):
    """Return what Matplotlib draws of values, as it says in words."""
    values = values[~np.isnan(values)]
    low, middle, high = np.percentile(values, [25, 50, 75])
    fences = low - 1.5 * (high - low), high + 1.5 * (high - low)
    inside = values[(values >= fences[0]) & (values <= fences[1])]
    return (low, middle, high), (inside.min(), inside.max()), np.setdiff1d(values, inside)


@pytest.mark.parametrize("grouped", [False, True])
def test_boxes_have_the_quartiles_whiskers_and_rest_of_their_rows(grouped):
    lazy = AxisValues.of("box", ak.array(VALUES), "v")
    boxes = boxes_of_groups(lazy, [ak.array(KEYS)]) if grouped else boxes_of_columns([lazy])
    parts = [VALUES[key == KEYS] for key in "abc"] if grouped else [VALUES]
    assert [box.label for box in boxes] == (["a", "b", "c"] if grouped else ["v"])
    for box, part in zip(boxes, parts, strict=True):
        quartiles, whiskers, rest = drawn_box(part)
        np.testing.assert_allclose(box.quartiles, quartiles)
        assert box.whiskers == whiskers
        assert set(box.beyond) <= set(rest)
        assert (box.beyond.min(), box.beyond.max()) == (rest.min(), rest.max())


def test_groups_of_a_box_may_have_several_keys_nothing_or_no_key():
    values = AxisValues.of("box", ak.array([1.0, 2, 3, np.nan, 5]), "v")
    boxes = boxes_of_groups(values, [ak.array([1, 1, 1, 2, 1]), ak.array(["x", "x", "y", "y", None])])
    assert [box.label for box in boxes] == ["(1, x)", "(1, y)", "(2, y)"]
    assert boxes[0].whiskers == (1, 2)
    assert np.isnan(boxes[2].quartiles).all()
    assert np.isnan(boxes[2].whiskers).all()


def test_more_groups_than_there_is_room_for_are_refused():
    values = AxisValues.of("box", ak.arange(300))
    with pytest.raises(ArgumentError, match="300 groups, and up to 200 have"):
        boxes_of_groups(values, [ak.arange(300)])


def test_rows_are_in_the_hexagon_whose_middle_is_nearest():
    random = np.random.default_rng(7)
    x, y = random.random(400) * 3, random.random(400)
    columns = on_common_rows("hexbin", [AxisValues.of("hexbin", ak.array(item)) for item in (x, y, x + y)])
    extent = (x.min(), x.max(), y.min(), y.max())
    found = hexagons(columns, extent, (6, 4), "size")
    across = (x[:, None] - found["x"].to_numpy()) / ((extent[1] - extent[0]) / 6)
    up = (y[:, None] - found["y"].to_numpy()) / ((extent[3] - extent[2]) / 4)
    nearest = (across**2 + 3 * up**2).argmin(axis=1)
    assert found["value"].tolist() == np.bincount(nearest, minlength=len(found)).tolist()
    means = hexagons(columns, extent, (6, 4), "mean")["value"]
    wanted = pd.Series(x + y).groupby(nearest).mean().reindex(range(len(found)))
    np.testing.assert_allclose(means, wanted)


def test_bins_of_many_partitions_are_added_up():
    rows = np.arange(400) % 7
    lazy = partitioned(rows, [10] * 40)
    assert ak.bins2d(lazy, lazy, 7).counts.tolist() == np.histogram2d(rows, rows, 7)[0].tolist()


@pytest.mark.cluster
def test_workers_count_the_same(cluster_client):
    x, y = np.random.default_rng(9).normal(size=(2, 50))
    lazy = [partitioned(column, [20, 30]) for column in (x, y)]
    assert ak.bins2d(*lazy, 5).counts.tolist() == np.histogram2d(x, y, 5)[0].tolist()
