"""Section 7: timestamps are microseconds since 1970 in UTC."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.errors import ArgumentError
from akdask.evo.errors import ContentError, KindError
from akdask.evo.timestamps import MICROSECONDS, to_numpy, to_utc

TEXT = "2024-02-29T12:34:56.789012+13:00"
INSTANT = 1709163296789012


def counts(found):
    assert found.type == MICROSECONDS
    return found.cast(pa.int64()).to_pylist()


@pytest.mark.parametrize(
    "given_as",
    [
        lambda: [TEXT],
        lambda: pa.array([TEXT]),
        lambda: pa.array([TEXT]).dictionary_encode(),
        lambda: [datetime.fromisoformat(TEXT)],
        lambda: pd.Series(pd.to_datetime([TEXT])),
        lambda: pd.Series([TEXT]),
        lambda: pd.DatetimeIndex([TEXT]),
        lambda: [pd.Timestamp(TEXT)],
        lambda: pa.array([INSTANT], pa.timestamp("us", "Pacific/Auckland")),
        lambda: pa.chunked_array([pa.array([INSTANT], pa.timestamp("us", "Etc/UTC"))]),
        lambda: pa.array([INSTANT * 1000], pa.timestamp("ns", "UTC")),
    ],
)
def test_section_7_zones_become_utc(given_as):
    assert counts(to_utc(given_as())) == [INSTANT]


@pytest.mark.parametrize(
    ("text", "count"), [("1970-01-01T00:00:00Z", 0), ("1900-01-01T00:00:00Z", -2208988800000000), (TEXT, INSTANT)]
)
def test_section_7_instants_of_the_reference(text, count):
    assert counts(to_utc([text])) == [count]


@pytest.mark.parametrize(
    "naive",
    [
        [datetime(2024, 1, 1)],
        [date(2024, 1, 1)],
        ["2024-01-01T00:00:00"],
        np.array(["2024-01-01"], "M8[D]"),
        pd.Series(pd.to_datetime(["2024-01-01"])),
        pa.array([0], pa.timestamp("us")),
        pa.array([0], pa.date32()),
        pa.array([0], pa.date64()),
    ],
)
def test_section_7_times_without_zone_are_refused_unless_it_is_told(naive):
    with pytest.raises(ContentError, match="no zone"):
        to_utc(naive)
    assert counts(to_utc(naive, zone="UTC"))[0] % 86400000000 == 0
    in_auckland = counts(to_utc(naive, zone="Pacific/Auckland"))[0]
    assert counts(to_utc(naive, zone="UTC"))[0] - in_auckland in {12 * 3600 * 10**6, 13 * 3600 * 10**6}


def test_times_with_and_without_zone_are_not_mixed():
    with pytest.raises(ContentError, match="others have none"):
        to_utc([datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1)])


@pytest.mark.parametrize(
    "finer",
    [
        pa.array([1_500], pa.timestamp("ns", "UTC")),
        pd.Series(pd.to_datetime([1_500], utc=True)),
        ["1970-01-01T00:00:00.0000015Z"],
    ],
)
def test_section_7_finer_than_a_microsecond_is_refused_or_dropped_on_request(finer):
    with pytest.raises(ContentError, match="finer than a microsecond"):
        to_utc(finer)
    assert counts(to_utc(finer, truncate=True)) == [1]


def test_section_7_what_is_dropped_before_1970_leaves_the_microsecond_that_has_begun():
    assert counts(to_utc(pa.array([-1], pa.timestamp("ns", "UTC")), truncate=True)) == [-1]
    assert counts(to_utc(["1969-12-31T23:59:59.9999999Z"], truncate=True)) == [-1]


def test_zeros_beyond_microseconds_are_no_loss():
    assert counts(to_utc(["1970-01-01T00:00:00.000001000Z"])) == [1]


def test_section_7_seconds_become_microseconds_and_never_milliseconds():
    assert counts(to_utc(pa.array([1, -1], pa.timestamp("s", "UTC")))) == [1_000_000, -1_000_000]
    assert counts(to_utc(np.array([1], "M8[ms]"), zone="UTC")) == [1_000]


def test_section_7_years_beyond_nanoseconds_are_kept():
    far = [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)]
    expected = [(item - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1) for item in far]
    found = to_utc(far)
    assert counts(found) == expected
    assert to_numpy(found).tolist() == [item.replace(tzinfo=None) for item in far]
    assert to_numpy(found).dtype == np.dtype("M8[us]")


def test_times_beyond_microseconds_are_refused():
    with pytest.raises(ContentError, match="further from 1970"):
        to_utc(pa.array([2**62], pa.timestamp("s", "UTC")))


def test_missing_times_are_null():
    assert counts(to_utc([None, TEXT])) == [None, INSTANT]
    assert counts(to_utc(np.array(["NaT", "1970-01-01"], "M8[s]"), zone="UTC")) == [None, 0]
    assert counts(to_utc(pd.Series([pd.NaT, pd.Timestamp(TEXT)]))) == [None, INSTANT]
    assert np.isnat(to_numpy(to_utc([None, TEXT]))).tolist() == [True, False]


def test_integers_count_what_is_told():
    assert counts(to_utc([1, None], unit="ms")) == [1000, None]
    assert counts(to_utc(np.array([1_000]), unit="ns")) == [1]
    with pytest.raises(ContentError, match="what they count"):
        to_utc([1])
    with pytest.raises(ArgumentError, match="unit"):
        to_utc([1], unit="minutes")


def test_times_that_clocks_showed_twice_or_never_are_refused_unless_chosen():
    with pytest.raises(ContentError, match="twice or never"):
        to_utc(["2024-03-31T02:30:00"], zone="Europe/Berlin")
    with pytest.raises(ContentError, match="twice or never"):
        to_utc(["2024-10-27T02:30:00"], zone="Europe/Berlin")
    early = to_utc(["2024-10-27T02:30:00"], zone="Europe/Berlin", ambiguous="earliest")
    late = to_utc(["2024-10-27T02:30:00"], zone="Europe/Berlin", ambiguous="latest")
    assert counts(late)[0] - counts(early)[0] == 3600 * 10**6


@pytest.mark.parametrize(
    "values", [[1.5], ["yesterday"], [object()], pa.array([1.5]), np.array([1.5]), [True], 5, "2024"]
)
def test_what_is_no_time_is_refused(values):
    with pytest.raises(KindError):
        to_utc(values)


def test_unknown_zones_are_refused():
    for zone in ("Mars/Olympus", "../etc/passwd", ""):
        with pytest.raises(ArgumentError, match="no zone"):
            to_utc([TEXT], zone=zone)


ZONED = st.datetimes(
    min_value=datetime(2, 1, 1),
    max_value=datetime(9998, 1, 1),
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45))]),
)


@given(st.lists(st.none() | ZONED, min_size=1))
def test_every_zone_and_moment_is_counted_as_python_counts(moments):
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    expected = [None if item is None else (item - epoch) // timedelta(microseconds=1) for item in moments]
    if any(item is not None for item in moments):
        assert counts(to_utc(moments)) == expected
        assert counts(to_utc([None if item is None else item.isoformat() for item in moments])) == expected
