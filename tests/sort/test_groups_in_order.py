"""Groups come in the order of their keys, so that sorting them by the first of these takes no sort."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.engine import tuning as engine_tuning
from akdask.operators.group import tuning as group_tuning

pytestmark = [pytest.mark.lazy_only, pytest.mark.few_rows_only]

ROWS = 40
KEYS = {
    "n": np.arange(ROWS) * 7 % 11 - 4,
    "u": (np.arange(ROWS, dtype=np.uint64) * 5 % 7) + np.uint64(2**63),
    "b": np.arange(ROWS) % 3 == 0,
    "s": np.array([("é", "b", "", "zz")[number * 5 % 4] for number in range(ROWS)], dtype=object),
    "f": np.array([(np.nan, 2.5, -0.0, -1.0)[number % 4] for number in range(ROWS)]),
    "t": np.array(["NaT", "2020-01-02", "1960-05-05"], "M8[ns]")[np.arange(ROWS) % 3],
}


@pytest.fixture(autouse=True)
def several_partitions(monkeypatch):
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr(group_tuning, "RANGE_ROWS", 10)


def is_sorted(found):
    """Whether a plan sorts rows."""
    return "sort" in found.explain().partition("As it will run")[2]


@pytest.fixture
def frames(prefix):
    """Return the rows in files of which each is a partition, and as pandas has them."""
    theirs = pd.DataFrame({**KEYS, "v": np.arange(ROWS)})
    ak.DataFrame(theirs).to_hdf(prefix, num_locales=4)
    return ak.DataFrame(ak.read_hdf(f"{prefix}*")), theirs


def asked(frame, keys, by, ascending=True, *, kept=None, first=None):
    found = frame.groupby(keys, as_index=False, dropna=False).agg({"v": "sum"})
    found = found if kept is None else found[found["v"] > kept]
    # Equal rows keep their order in any sort of the house.
    stable = {"kind": "stable"} if isinstance(found, pd.DataFrame) else {}
    found = found.sort_values(by, ascending=ascending, **stable)
    return found if first is None else found.head(first)


GROUPED = (["n"], ["s"], ["n", "s"], ["b", "u"], ["s", "b"], ["t"])


def test_groups_are_not_sorted_by_their_first_keys(frames):
    ours, theirs = frames
    for keys in GROUPED:
        for by in (keys[:1], keys):
            for more in ({}, {"kept": 60}, {"first": 3}):
                found, wanted = (asked(frame, keys, by, **more) for frame in (ours, theirs))
                assert not is_sorted(found)
                pd.testing.assert_frame_equal(found.to_pandas(), wanted, check_dtype=False)


def test_other_orders_are_sorted(frames):
    ours, theirs = frames
    cases = [(["n", "s"], ["s"], True), (["n", "s"], ["s", "n"], True), (["n"], ["n"], False), (["n"], ["v"], True)]
    cases += [(["n", "s"], ["n", "s"], [True, False]), (["n", "s"], ["n", "s", "v"], True)]
    cases += [(["f"], ["f"], True)]
    for keys, by, ascending in cases:
        found, wanted = (asked(frame, keys, by, ascending) for frame in (ours, theirs))
        assert is_sorted(found), (keys, by)
        pd.testing.assert_frame_equal(found.to_pandas(), wanted, check_dtype=False)


def test_partitions_that_others_share_stay(frames):
    ours, theirs = frames
    found, wanted = (asked(frame, ["n", "s"], ["n"]) for frame in (ours, theirs))
    # The sum of rows before each needs the partitions of the sorted rows.
    pd.testing.assert_series_equal(found["v"].cumsum().to_pandas(), wanted["v"].cumsum(), check_names=False)
