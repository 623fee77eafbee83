"""Bins of times have the labels and the rows of pandas' `resample`, for all sides, origins, offsets and zones."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.arrays.time_bins import Binning, TimeExtent
from akdask.errors import ArgumentError, ArgumentTypeError

pytestmark = pytest.mark.light

TIMES = pd.DatetimeIndex(
    ["2024-02-28 22:30", "2024-02-29 00:00", "2024-02-29 07:15", "2024-02-29 23:59:59", "2024-03-02 00:00",
    "2024-03-04 12:00"]
).as_unit("ns")  # fmt: skip


def binned(times, freq, **options):
    """Return the labels and sizes of bins as akdask and pandas have them, None where pandas refuses them."""
    series = pd.Series(np.arange(len(times)), index=times)
    try:
        sizes = series.resample(freq, **options).size()
    except ValueError:
        with pytest.raises(ArgumentError):
            Binning.of("resample", freq, **options).bins(ak.Datetime(times))
        return None
    bins = Binning.of("resample", freq, **options).bins(ak.Datetime(times))
    numbers = bins.numbers.to_ndarray()
    found = pd.Series(np.bincount(numbers.astype(np.int64), minlength=bins.count), index=bins.labels().to_pandas())
    assert bins.count == len(sizes), options
    assert list(found.index) == list(sizes.index), options
    assert found.tolist() == sizes.tolist(), options
    assert bins.labels_of_rows().to_pandas().tolist() == [found.index[int(number)] for number in numbers]
    return bins


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("freq", ["D", "12h", "7h", "36h", "5D", "ME", "MS", "W", "QE", "YS", "BME", "30min"])
def test_bins_are_closed_and_labelled_on_either_side(freq):
    for closed, label in product((None, "left", "right"), (None, "left", "right")):
        assert binned(TIMES, freq, closed=closed, label=label) is not None


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("origin", ["start_day", "start", "epoch", "end", "end_day", pd.Timestamp("2024-02-28 01:00")])
def test_bins_of_a_length_begin_at_an_origin(origin):
    for freq, closed, offset in product(("7h", "D", "3D"), ("left", "right"), (None, "2h", "-1h")):
        binned(TIMES, freq, closed=closed, origin=origin, offset=offset)


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("zone", ["Europe/Berlin", "+05:30"])
def test_days_of_a_zone_follow_its_clocks(zone):
    times = pd.DatetimeIndex(["2024-03-30 12:00", "2024-03-31 01:30", "2024-03-31 12:00", "2024-04-02 00:00"]).as_unit(
        "ns"
    )
    for freq, closed in product(("D", "12h", "W", "MS", "2D"), (None, "left", "right")):
        assert binned(times.tz_localize(zone), freq, closed=closed) is not None


def test_one_time_and_none_and_missing_ones():
    for freq in "D", "ME", "7h":
        for closed in "left", "right":
            assert binned(TIMES[:1], freq, closed=closed).count == 1
            assert binned(TIMES[1:2], freq, closed=closed).count == 1
    none = Binning.of("resample", "D").bins(ak.Datetime(TIMES[:0]))
    assert (none.count, none.labels().size) == (0, 0)
    lacking = Binning.of("resample", "D").bins(ak.Datetime(TIMES.insert(1, pd.NaT)))
    assert np.isnan(lacking.numbers.to_ndarray()).tolist() == [False, True, *[False] * 5]
    assert lacking.has_missing
    assert lacking.labels_of_rows().to_pandas().isna().tolist() == [False, True, *[False] * 5]


def test_spans_are_put_into_bins_from_the_shortest_one_on():
    spans = pd.to_timedelta(["5h", "29h", "6h", "53h"]).as_unit("ns")
    series = pd.Series(np.arange(4), index=spans)
    for freq in "D", "12h", "7h", "48h":
        sizes = series.resample(freq).size()
        bins = Binning.of("resample", freq).bins(ak.Timedelta(spans))
        assert bins.labels().to_pandas().tolist() == list(sizes.index)
        assert np.bincount(bins.numbers.to_ndarray(), minlength=bins.count).tolist() == sizes.tolist()
    with pytest.raises(ArgumentTypeError, match="fixed length"):
        Binning.of("resample", "ME").bins(ak.Timedelta(spans))


def test_the_extent_of_times_is_counted_in_their_unit():
    extent = TimeExtent.of(ak.Datetime(TIMES[[2, 0, 1]]).as_unit("s"))
    assert (extent.first, extent.last, extent.has_missing) == (*(TIMES[[0, 2]].as_unit("s").asi8.tolist()), False)
    assert (extent.unit, extent.zone, extent.is_empty) == ("s", None, False)
    assert (extent.ticks(3 * 10**9), extent.stamp(extent.first)) == (3, TIMES[0])
    assert extent.ticks_of(TIMES[1]) == TIMES[1].value // 10**9
    with pytest.raises(ArgumentError, match="no whole number of s"):
        extent.ticks(10**9 + 1)
    empty = TimeExtent.of(ak.Datetime(TIMES[:0].insert(0, pd.NaT)))
    assert (empty.is_empty, empty.has_missing, TimeExtent(1, 1, False, "s", None).is_empty) == (True, True, False)


@pytest.mark.parametrize("freq", ["0h", "-1D", "xx"])
def test_bins_are_longer_than_nothing(freq):
    with pytest.raises(ArgumentError):
        Binning.of("resample", freq)
