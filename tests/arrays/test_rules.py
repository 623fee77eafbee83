"""Rules of arrays as tables: rows that keys choose, single times, numbers that random functions take."""

from __future__ import annotations

import datetime
from itertools import product
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.arrays import random, row_selection, timearray
from akdask.arrays.row_selection import along_axes, row_key, slice_ranges
from akdask.arrays.timearray import NOTHING, Moment, zone_of
from akdask.columns.dtypes import TimeForm
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    AxisError,
    PositionError,
    TimeOverflowError,
    UnfitArgumentError,
)
from akdask.testing.strategies import partitioned

pytestmark = pytest.mark.light

LENGTHS = [[6], [2, 4], [0, 3, 0, 3], [1] * 6]


# ---- rows


def test_ranges_of_partitions_have_the_rows_of_a_slice():
    for lengths, start, stop, step in product(LENGTHS, range(7), range(9), (1, 2, 3, 7)):
        bounds = np.cumsum([0, *lengths])
        found = slice_ranges(lengths, start, stop, step)
        rows = [int(bounds[part]) + row for part, begin, end, by in found for row in range(begin, end, by)]
        assert rows == list(range(6))[start:stop:step]
        assert found
        assert all(begin < end <= lengths[part] for part, begin, end, _ in found) or found == ((0, 0, 0, 1),)


def test_slices_choose_the_rows_that_python_chooses():
    plain = list(range(10, 16))
    for lengths in [6], [0, 3, 0, 3]:
        array = partitioned(np.array(plain), lengths)
        for start, stop, step in product((None, 0, 2, 6, -1, -9), (None, 5, -6), (None, 2, -1, -2)):
            assert array[start:stop:step].tolist() == plain[start:stop:step], (start, stop, step)


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        (slice(1, 2), (slice(1, 2), 0, 1)), ((slice(1, 2),), (slice(1, 2), 0, 1)), (..., (slice(None), 0, 1)),
        ((..., None), (slice(None), 0, 2)), ((None, ...), (slice(None), 1, 2)), ((None, slice(2)), (slice(2), 1, 2)),
        ((slice(2), None, None), (slice(2), 0, 3)), ((None, slice(2), None), (slice(2), 1, 3)),
        ((..., slice(2)), (slice(2), 0, 1)), ((1, 2), ([1, 2], 0, 1)), ((), ([], 0, 1)),
    ],
)  # fmt: skip
def test_keys_tell_rows_and_where_their_dimension_is(key, expected):
    assert along_axes(key) == expected


def test_several_selections_and_keys_that_choose_no_rows_are_refused():
    with pytest.raises(AxisError, match="2 selections"):
        along_axes((slice(1), slice(2)))
    for key in True, np.True_:
        with pytest.raises(ArgumentTypeError, match="single bool"):
            row_key(key)
    for key in 1.5, "a", {1}:
        with pytest.raises(UnfitArgumentError):
            row_key(key)
    assert row_key(np.int8(3)) == 3
    assert row_key([2, 1]) == [2, 1]
    assert row_key([]).dtype == np.int64
    assert row_key(slice(2)) == slice(2)


def test_positions_count_from_either_end_and_exist():
    frame = partitioned(np.arange(5), [2, 3])._frame
    assert [row_selection.row_position(frame, position) for position in (0, 4, -1, -5)] == [0, 4, 4, 0]
    for position in 5, -6:
        with pytest.raises(PositionError, match="from -5 to 4"):
            row_selection.row_position(frame, position)
    with pytest.raises(PositionError, match="has no rows"):
        row_selection.row_position(ak.array(np.empty(0))._frame, 0)
    assert [row_selection.one_row(frame, position).ranges for position in (0, -1)] == [((0, 0, 1, 1),), ((1, 2, 3, 1),)]


def test_samples_are_a_number_or_a_share_of_rows():
    def count(n, frac):
        return row_selection.sample_of(10, n, frac, 1)[0]

    assert [count(1, None), count(0, None), count(3, 0.25), count(1, 0), count(1, 1), count(1, 0.26)] == [
        1,
        0,
        2,
        0,
        10,
        3,
    ]
    for n, frac in (-1, None), (1, -0.1), (1, 1.1), (-1, 0.5):
        with pytest.raises(ArgumentError, match="no fewer than 0"):
            count(n, frac)
    for n, frac in (1.5, None), (1, "a"):
        with pytest.raises(ArgumentTypeError):
            count(n, frac)
    with pytest.raises(ArgumentError, match="whole number from 0"):
        row_selection.sample_of(10, 1, None, -1)
    with pytest.raises(ArgumentTypeError, match="seed or generator"):
        row_selection.sample_of(10, 1, None, "a")
    drawn = [row_selection.sample_of(10, 1, None, seed)[1].integers(100) for seed in (5, np.random.default_rng(5))]
    assert drawn[0] == drawn[1]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [(0, ArgumentError), (-1, ArgumentError), (True, ArgumentError), (1.5, ArgumentError), ("2", ArgumentError)],
)
def test_rows_are_cut_into_one_partition_at_least(wrong, error):
    project = ak.arange(6)._project()
    with pytest.raises(error, match="at least 1"):
        row_selection.repartitioned(project, wrong)
    frame, _ = row_selection.repartitioned(project, np.int64(3))
    assert frame.npartitions == 3


# ---- times


NAT = -(2**63)


@pytest.mark.parametrize(
    ("item", "number", "kind", "unit", "zone"),
    [
        (pd.Timestamp("1970-01-02"), 86400, "time", "s", None),
        (pd.Timestamp(5, unit="ns"), 5, "time", "ns", None),
        (datetime.datetime(1970, 1, 1, 0, 0, 1), 10**6, "time", "us", None),
        (datetime.date(1970, 1, 2), 86400, "time", "s", None),
        (np.datetime64("1970-01-01T00:00:02"), 2, "time", "s", None),
        (np.datetime64(7, "ms"), 7, "time", "ms", None),
        (np.timedelta64(7, "us"), 7, "span", "us", None),
        (pd.Timedelta(3, unit="ms"), 3, "span", "ms", None),
        (datetime.timedelta(seconds=2), 2 * 10**6, "span", "us", None),
        (pd.Timestamp("1970-01-01 02:00", tz="+02:00"), 0, "time", "s", "+02:00"),
        (pd.Timestamp("1970-01-01", tz=ZoneInfo("Europe/Berlin")), -3600, "time", "s", "Europe/Berlin"),
        (np.datetime64("NaT"), NAT, "time", "s", None),
        (np.timedelta64("NaT"), NAT, "span", "s", None),
    ],
)  # fmt: skip
def test_single_times_are_numbers_of_their_unit(item, number, kind, unit, zone):
    found = Moment.of(item)
    exact = found.number * {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[found.form.unit]
    wanted = number * {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[unit]
    assert exact == wanted or found.number == number == NAT
    assert found.form.is_time == (kind == "time")
    assert zone is None or zone in str(found.form.zone)
    assert (found.form.zone is None) == (zone is None)
    assert found.is_missing == (number == NAT)


def test_missing_items_are_those_of_every_library():
    for item in pd.NaT, pd.NA, NOTHING:
        assert timearray.is_missing(item), item
        assert Moment.of(item, timearray.TIME).is_missing
    for item in 0, "", pd.Timestamp(0), False, None, np.nan:
        assert not timearray.is_missing(item)
    assert [timearray._is_nan(item) for item in (np.nan, np.float64("nan"), 1.0, None, "nan")] == [
        True,
        True,
        False,
        False,
        False,
    ]


def test_numbers_of_a_unit_are_whole_and_fit_64_bits():
    form = TimeForm(timearray.TIME, "ms")
    moment = Moment(5000, form)
    assert [int(moment.number_in(unit)) for unit in ("s", "ms", "us", "ns")] == [5, 5000, 5 * 10**6, 5 * 10**9]
    assert Moment(NAT, form).number_in("ns") == NAT
    with pytest.raises(ArgumentError, match="no whole number of s"):
        Moment(5001, form).number_in("s")
    edge = TimeForm(timearray.SPAN, "ns")
    assert Moment(2**63 - 1, edge).number_in("ns") == 2**63 - 1
    for number in 2**63 // 1000 + 1, -(2**63) // 1000 - 1:
        with pytest.raises(TimeOverflowError):
            Moment(number, TimeForm(timearray.SPAN, "us")).number_in("ns")
    units = [
        (5000, "ms", 5, "s"),
        (5001, "ms", 5001, "ms"),
        (0, "ns", 0, "s"),
        (-2 * 10**6, "ns", -2, "ms"),
        (1500, "us", 1500, "us"),
    ]
    for number, unit, expected, wanted in units:
        found = Moment(number, TimeForm(timearray.TIME, unit)).coarsest()
        assert (found.number, found.form.unit) == (expected, wanted)


def test_times_of_several_zones_meet_in_utc_and_none_meets_no_zone():
    def form(zone):
        return TimeForm(timearray.TIME, "ns", zone)

    span = TimeForm(timearray.SPAN, "ns")
    for forms, expected in (
        ([form("A"), form("A")], "A"), ([form("A"), form("B")], "UTC"), ([form(None), form(None)], None), ([span],
        None),
        ([form("A"), span, None], "A"), ([], None),
    ):  # fmt: skip
        assert zone_of("add", forms) == expected
    with pytest.raises(ArgumentTypeError, match="with a zone"):
        zone_of("add", [form("A"), form(None)])


# ---- random numbers


def test_counts_and_weights_are_checked_before_numbers_are_drawn():
    assert [random._count("x", given) for given in (0, 3, np.uint8(4))] == [0, 3, 4]
    for wrong in 1.5, True, "3", None:
        with pytest.raises(ArgumentTypeError):
            random._count("x", wrong)
    with pytest.raises(ArgumentError, match="below 0"):
        random._count("x", -1)
    assert random._weights([1, 0, 2], 3).tolist() == [1.0, 0.0, 2.0]
    for wrong in ([0, 0], [-1, 2], [np.nan, 1.0], [np.inf, 1.0]):
        with pytest.raises(ArgumentError, match="not all of them 0"):
            random._weights(wrong, 2)
    with pytest.raises(ArgumentError, match="3 elements have as many"):
        random._weights([1, 2], 3)
    with pytest.raises(ArgumentTypeError):
        random._weights(["a", "b"], 2)
    assert random._weights(np.empty(0), 0).size == 0


def test_orders_are_those_of_a_method_with_a_key_of_64_bits():
    rng = ak.random.default_rng(3)
    for key in 0, 2**64 - 1:
        array = ak.arange(5)
        rng.shuffle(array, method="Feistel", feistel_key=key)
        assert sorted(array.tolist()) == list(range(5))
    for options in ({"feistel_key": 2**64}, {"feistel_key": -1}, {"feistel_rounds": 0}):
        with pytest.raises(ArgumentError, match="feistel"):
            rng.shuffle(ak.arange(5), method="Feistel", **options)
    with pytest.raises(ArgumentError, match="no method"):
        rng.permutation(5, method="bogosort")
    for method in "FisherYates", "argsort", "MergeShuffle", "Feistel":
        rows = ak.arange(20)
        rng.shuffle(rows, method=method)
        assert sorted(rows.tolist()) == list(range(20))
        assert rows.tolist() != list(range(20))


@pytest.mark.parametrize("replace", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_elements_are_chosen_among_those_with_weights(replace, weighted):
    rng = ak.random.default_rng(5)
    values = ak.arange(10, 50)
    weights = np.where(np.arange(40) < 30, 0.0, 1.0) if weighted else None
    for size in (0, 1, 3, 10):
        drawn = rng.choice(values, size, replace, weights).tolist()
        assert len(drawn) == size
        assert set(drawn) <= set(range(40 if weighted else 10, 50))
        assert replace or len(set(drawn)) == size
    assert rng.choice(values, replace=replace) in range(10, 50)
    if not replace:
        with pytest.raises(ArgumentError, match=r"cannot be drawn|fewer than"):
            rng.choice(values, 11 if weighted else 41, replace, weights)
        assert sorted(rng.choice(values, 40, False).tolist()) == list(range(10, 50))
    with pytest.raises(ArgumentError, match="no elements"):
        rng.choice(ak.array(np.empty(0)), 1, replace)
    assert rng.choice(0, 0, replace).tolist() == []
