"""Every operation on rows after every other gives what pandas gives, kept copies of rows between them or not."""

import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.engine.values import Call
from tests.gaps import merged_with_gaps
from tests.thresholds import small_data_as_large

ROWS = {
    "k": [1, 2, 1, 3, 2, 1, 2],
    "s": [3.0, 1.0, float("nan"), 2.0, 5.0, 2.0, -1.0],
    "t": [5, 6, 9, -4, 0, 2**60, 7],
}
OTHER = {"k": [1, 3, 4], "z": [0.5, 1.5, 2.5]}


def _merged(d):
    other = ak.DataFrame(OTHER) if isinstance(d, ak.DataFrame) else pd.DataFrame(OTHER)
    found = d.merge(other, on="k", how="left")
    # pandas' left joins keep the order of rows, Arkouda's sort by key.
    return found.sort_values(["k", "t"]).drop("z", axis=1).reset_index(drop=True)


def _concatenated(d):
    both = ak if isinstance(d, ak.DataFrame) else pd
    return both.concat([d, d.head(2)], ignore_index=True)


def _with(d, name, series):
    if isinstance(d, ak.DataFrame):
        d = d.copy()
        d[name] = series
        return d
    return d.assign(**{name: series})


STEPS: dict[str, Callable] = {
    "shift": lambda d: _with(d, "s", d.groupby("k").s.shift(1)),
    "cumsum": lambda d: _with(d, "s", d.groupby("k").s.cumsum()),
    "running": lambda d: _with(d, "s", d.s.cumsum()),
    "rank": lambda d: _with(d, "s", d.s.rank(method="dense")),
    "rank of groups": lambda d: _with(d, "s", d.groupby("k").s.rank()),
    "nth": lambda d: d.groupby("k").nth(0),
    "head of groups": lambda d: d.groupby("k").head(2),
    "diff": lambda d: _with(d, "s", d.s.diff()),
    "diff of groups": lambda d: _with(d, "s", d.groupby("k").s.diff()),
    "transform": lambda d: _with(d, "s", d.groupby("k").s.transform("max")),
    "rolling": lambda d: _with(d, "s", d.s.rolling(2, min_periods=1).max()),
    "filled along": lambda d: _with(d, "s", d.s.ffill()),
    "filled": lambda d: _with(d, "s", d.s.fillna(0.5)),
    "sort": lambda d: d.sort_values(["k", "t"]),
    "filter": lambda d: d[(d.k > 1) | (d.t > 5)],
    "head": lambda d: d.head(4),
    "tail": lambda d: d.tail(3),
    "concat": _concatenated,
    "merge": _merged,
    "drop_duplicates": lambda d: d.drop_duplicates("k"),
    "dropna": lambda d: d.dropna(),
    "where": lambda d: _with(d, "s", d.s.where(d.t > 0, -2.0)),
    "clip": lambda d: _with(d, "s", d.s.clip(-0.5, 2.5)),
}


MODES: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "as it is": nullcontext,
    "kept at each step": lambda: small_data_as_large(materialized=True),
    "as large data": small_data_as_large,
    "eager": lambda: ak.config.set(eager=True),
}


@pytest.fixture(params=MODES)
def keeping(request) -> Iterator[str]:
    with MODES[request.param]():
        yield request.param


@cache
def of_pandas(*names: str) -> tuple[pd.DataFrame, pd.Series]:
    """Return the rows after some steps, and the running sums of a column, which are the same whatever is kept."""
    rows = pd.DataFrame(ROWS)
    for name in names:
        rows = STEPS[name](rows)
    return rows, rows.s.cumsum()


def assert_is_that_of_pandas(found, *names):
    wanted, summed = of_pandas(*names)
    pd.testing.assert_frame_equal(
        found.to_pandas(), wanted, check_dtype=False, check_names=False, check_column_type=False
    )
    running = found.s.cumsum().to_pandas()
    pd.testing.assert_series_equal(running, summed, check_dtype=False, check_names=False)


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("first", STEPS)
def test_each_step_after_each_other_is_that_of_pandas(first, keeping):
    begun = STEPS[first](ak.DataFrame(ROWS))
    # Two steps are run in each mode; where CI is set, in one mode, and next ones in others.
    modes, turn = 1 if "CI" not in os.environ else len(MODES), list(STEPS).index(first) + list(MODES).index(keeping)
    for number, (second, step) in enumerate(STEPS.items()):
        if (number + turn) % modes == 0:
            assert_is_that_of_pandas(step(begun), first, second)


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("seed", range(3))
def test_random_chains_are_those_of_pandas(seed, keeping):
    random = np.random.default_rng(seed)
    for _ in range(12):
        names = random.choice(list(STEPS), 3).tolist()
        found = ak.DataFrame(ROWS)
        for name in names:
            found = STEPS[name](found)
        assert_is_that_of_pandas(found, *names)


@pytest.mark.parametrize(
    "chain",
    [
        lambda d: d.groupby("k").s.shift(1).cumsum(),
        lambda d: d.s.rank(method="dense").cumsum(),
        lambda d: d.groupby("k").nth(0).t.diff(),
    ],
)
def test_what_follows_on_kept_rows_finds_their_columns(chain):
    # Three rows in memory, which were mixed with their kept copies.
    rows = {"k": [1, 2, 1], "s": [3.0, 1.0, 2.0], "t": [4, 5, 6]}
    pd.testing.assert_series_equal(chain(ak.DataFrame(rows)).to_pandas(), chain(pd.DataFrame(rows)), check_names=False)


def test_kept_integers_with_gaps_stay_integers(keeping):
    big = 2**53 + 1
    found = merged_with_gaps(ak.DataFrame({"k": [1, 2]}), ak.DataFrame({"k": [1], "i": [big]}), "k", "left")
    for _ in range(40):
        found = found[found["k"] > 0]
    assert found.to_pandas(nullable=True)["i"].tolist() == [big, pd.NA]


def test_values_of_rows_as_they_were_meet_kept_ones_on_the_frame_of_either():
    rows = ak.array([1.0, 2.0, 3.0])
    for given, wanted in ((rows, [1.0, 2.0, 3.0]), (rows[rows > 1], [2.0, 3.0]), (rows[1:], [2.0, 3.0])):
        with small_data_as_large(materialized=True):
            kept = given + 1
            twice = kept * 2
            assert given._frame is not kept._frame is not twice._frame
            for frame in (given._frame, kept._frame, twice._frame):
                both = ak.pdarray(frame, Call("add", Call("add", kept._value, given._value), twice._value))
                assert both.tolist() == [(x + 1) + x + (x + 1) * 2 for x in wanted]
