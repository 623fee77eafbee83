"""Optimised plans give what plans give as they are written, and what pandas gives."""

import operator
from dataclasses import dataclass
from functools import reduce

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.testing.memory import MemorySource

OTHER = pd.DataFrame({"k": [0, 2, 2, 4], "w": [10, 20, 30, 40]})
COLUMNS = {"k": st.integers(0, 4), "v": st.integers(-3, 3), "x": st.sampled_from([0.5, -1.5, 2.25, np.nan])}
ROWS = st.tuples(*COLUMNS.values(), st.sampled_from(["", "a", "ab", "a long text of bytes", "b"]))


@dataclass
class Sorted:
    by: list
    ascending: bool

    def ours(self, frame):
        return frame.sort_values(self.by, ascending=self.ascending)

    def theirs(self, frame):
        # Of several keys in descending order pandas keeps ties only where it sorts by one column at a time.
        for name in reversed(self.by):
            frame = frame.sort_values(name, ascending=self.ascending, kind="stable")
        return frame


@dataclass
class Filtered:
    name: str
    least: int

    def ours(self, frame):
        return frame[frame[self.name] >= self.least]

    def theirs(self, frame):
        return frame[frame[self.name] >= self.least]


@dataclass
class FilteredBySides:
    """Conditions of one side of a join, of the other, and of both, of which some are given."""

    least: tuple

    def ours(self, frame):
        columns = [frame[name] for name in ("v", "w") if name in frame.columns]
        sums = [*columns, frame["k"] + columns[-1]]
        masks = [column >= least for column, least in zip(sums, self.least, strict=False) if least is not None]
        return frame[reduce(operator.and_, masks)] if masks else frame

    theirs = ours


@dataclass
class Cut:
    method: str
    count: int

    def ours(self, frame):
        return getattr(frame, self.method)(self.count)

    theirs = ours


@dataclass
class Joined:
    how: str
    is_sorted: bool
    replicate_size: int | None

    def ours(self, frame):
        if "w" in frame.columns:
            return frame
        with ak.config.set(replicate_size=self.replicate_size):
            return frame.merge(ak.DataFrame(OTHER), on="k", how=self.how, sort=self.is_sorted)

    def theirs(self, frame):
        if "w" in frame.columns:
            return frame
        joined = frame.merge(OTHER, on="k", how=self.how)
        return joined.sort_values("k", kind="stable", ignore_index=True) if self.is_sorted else joined


@dataclass
class Doubled:
    def ours(self, frame):
        return ak.DataFrame.concat([frame, frame])

    def theirs(self, frame):
        return pd.concat([frame, frame])


@dataclass
class Assigned:
    def ours(self, frame):
        return frame.assign(v=frame["v"] * 2 + frame["k"])

    theirs = ours


@pytest.fixture(scope="module", autouse=True)
def small_sides_are_many_rows():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("akdask.plan.optimize.joins.SMALL_ROWS", 0)
        yield


KEYS = st.lists(st.sampled_from(["k", "v", "x", "s"]), min_size=1, max_size=2, unique=True)
STEPS = st.one_of(
    st.builds(Sorted, KEYS, st.booleans()),
    st.builds(Sorted, KEYS, st.booleans()),
    st.builds(Filtered, st.sampled_from(["k", "v", "x"]), st.integers(-1, 2)),
    st.builds(FilteredBySides, st.tuples(*[st.sampled_from([None, 0, 15, 22])] * 3)),
    st.builds(Cut, st.sampled_from(["head", "tail"]), st.integers(1, 4)),
    st.builds(Joined, st.sampled_from(["left", "inner"]), st.booleans(), st.sampled_from([0, None])),
    st.builds(Assigned),
    st.builds(Doubled),
)

ENDS = {
    "rows": (lambda f: f.to_pandas(), lambda f: f),
    "one column": (lambda f: f["v"].to_ndarray(), lambda f: f["v"].to_numpy()),
    "first row": (lambda f: f["s"].head(1).to_ndarray(), lambda f: f["s"].head(1).to_numpy()),
    "sum": (lambda f: f["v"].sum(), lambda f: f["v"].sum()),
    "sum of floats": (lambda f: ak.where(ak.isnan(f["x"]), 0.0, f["x"]).sum(), lambda f: f["x"].sum()),
    "place of the largest": (lambda f: _place(f["v"]), lambda f: _place(f["v"].to_numpy())),
    "sums of groups": (lambda f: _groups(f, "sum"), lambda f: f.groupby("k")["v"].sum().to_dict()),
    "first of groups": (lambda f: _groups(f, "first"), lambda f: f.groupby("k")["v"].first().to_dict()),
    "distinct": (lambda f: ak.unique(f["s"]).tolist(), lambda f: sorted(f["s"].unique())),
    "running sum": (lambda f: ak.cumsum(f["v"]).tolist(), lambda f: f["v"].cumsum().tolist()),
    "differences": (lambda f: (f["v"] - f["v"].max()).tolist(), lambda f: (f["v"] - f["v"].max()).tolist()),
}


def _place(values):
    return int(values.argmax()) if len(values) else None


def _groups(frame, name):
    keys, values = dask.compute(*getattr(ak.GroupBy(frame["k"]), name)(frame["v"]))
    return dict(zip(keys.tolist(), values.tolist(), strict=True))


def _tables(rows, cuts):
    found = pd.DataFrame(rows, columns=[*COLUMNS, "s"]).astype({"k": int, "v": int, "x": float, "s": object})
    bounds = sorted(cut % (len(rows) + 1) for cut in cuts)
    lengths = np.diff([0, *bounds, len(rows)]).tolist()
    source = MemorySource({name: found[name].to_numpy() for name in found.columns}, lengths)
    return ak.DataFrame(source.arrays()), found


def _assert_equal(ours, theirs):
    if isinstance(theirs, pd.DataFrame):
        ours, theirs = (frame.reset_index(drop=True) for frame in (ours, theirs))
        pd.testing.assert_frame_equal(ours, theirs, check_dtype=False)
    elif isinstance(theirs, np.ndarray):
        assert ours.tolist() == theirs.tolist()
    else:
        assert ours == theirs


@settings(suppress_health_check=[HealthCheck.differing_executors], max_examples=60)
@given(
    st.sampled_from(list(ENDS)),
    st.lists(ROWS, min_size=1, max_size=12),
    st.lists(st.integers(0, 12), max_size=3),
    st.lists(STEPS, max_size=4),
)
@example("one column", [(1, 2, 0.5, "a"), (0, 2, 0.5, "b")], [1], [Sorted(["v"], True), Sorted(["k"], False)])
@example("rows", [(1, 2, 0.5, "a"), (0, 1, 0.5, "b")], [1], [Sorted(["v"], True), Filtered("k", 0), Cut("head", 1)])
@example("sum", [(2, 2, 0.5, "a"), (0, 1, 0.5, "b")], [1], [Joined("left", True, 0), Filtered("v", 2)])
@example("rows", [(2, 2, 0.5, "a"), (0, 1, 0.5, "b")], [1], [Joined("left", True, None), Cut("head", 1)])
@example("rows", [(2, 2, 0.5, "a"), (0, 1, 0.5, "b")], [1], [Joined("left", False, 0), Cut("head", 1)])
@example(
    "rows", [(2, 2, 0.5, "a"), (2, 22, 0.5, "b")], [1], [Joined("inner", False, None), FilteredBySides((0, 22, 32))]
)
@example("rows", [(2, 2, 0.5, "a"), (2, 22, 0.5, "b")], [1], [Joined("inner", True, 0), FilteredBySides((0, 22, 32))])
@example(
    "rows", [(2, 2, 0.5, "a"), (1, 22, 0.5, "b")], [1], [Joined("left", False, None), FilteredBySides((15, 22, 32))]
)
@example("first of groups", [(2, 2, 0.5, "a"), (2, 1, 0.5, "b")], [1], [Sorted(["v"], True)])
def test_what_is_optimised_gives_what_is_written(end, rows, cuts, steps):
    ours, theirs = _tables(rows, cuts)
    for step in steps:
        ours, theirs = step.ours(ours), step.theirs(theirs)
    if not len(theirs):
        return
    find, expected = ENDS[end][0], ENDS[end][1](theirs)
    _assert_equal(find(ours), expected)
    with ak.config.set(optimize=False):
        _assert_equal(find(ours), expected)


def test_a_group_by_of_sorted_rows_finds_the_first_of_each_group_after_their_sums():
    # Sums are of the rows as they are stored, and what is kept of these must not be taken for the sorted ones.
    frame = ak.DataFrame({"k": [1, 1, 2], "v": [5, 3, 4]}).sort_values("v")
    groups = ak.GroupBy(frame["k"])
    assert groups.sum(frame["v"])[1].tolist() == [8, 4]
    assert groups.first(frame["v"])[1].tolist() == [3, 4]
    assert groups.sum(frame["v"])[1].tolist() == [8, 4]


def test_rows_of_one_side_that_is_joined_twice_are_filtered_where_they_are_asked_for():
    other = ak.DataFrame({"k": [0, 2, 2, 4], "w": [10, 20, 30, 40]})
    frame = ak.DataFrame({"k": [2, 0, 4], "m": [4, 2, 2], "v": [1, 2, 3]})
    first = frame.merge(other, on="k", sort=False)
    second = first.merge(other, left_on="m", right_on="k", sort=False, left_suffix="", right_suffix="_m")
    kept = second[(second["w"] > 10) & (second["w_m"] < 40)]
    assert list(zip(*(kept[name].tolist() for name in ("v", "w", "w_m")), strict=True)) == [(3, 40, 20), (3, 40, 30)]
    all_rows, some_rows = dask.compute(first["w"].sum(), first[first["w"] > 20]["w"].sum())
    assert (all_rows, some_rows) == (20 + 30 + 10 + 40, 30 + 40)


def test_matches_of_a_filtered_side_that_were_counted_before_are_as_many():
    other = ak.DataFrame({"k": [0, 2, 2, 4], "w": [10, 20, 30, 40]})
    joined = ak.DataFrame({"k": [2, 0, 2], "v": [1, 2, 3]}).merge(other, on="k", sort=False)
    for kept, expected in ((joined[joined["w"] > 15], [20, 30, 20, 30]), (joined[joined["v"] > 1], [10, 20, 30])):
        assert len(kept) == len(expected)
        assert kept["w"].tolist() == expected
        assert (kept["w"] + ak.arange(len(expected)))[1:].tolist() == [w + n for n, w in enumerate(expected)][1:]


def test_rows_that_were_counted_before_they_were_filtered_elsewhere_are_those_rows():
    frame = ak.DataFrame(MemorySource({"v": np.arange(9) % 4, "x": np.arange(9)}, [4, 0, 5]).arrays()).sort_values("v")
    left = frame[frame["x"] > 2]
    assert len(left) == 6
    assert left["x"][1:3].tolist() == [8, 5]
    assert (left["x"] + ak.arange(6)).tolist() == [4 + 0, 8 + 1, 5 + 2, 6 + 3, 3 + 4, 7 + 5]
    assert int(left["x"].sum()) == 33
