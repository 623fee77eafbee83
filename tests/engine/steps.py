"""Steps of random plans, as akdask and pandas take them, and what is asked of the rows in the end."""

import operator
from dataclasses import dataclass
from functools import reduce

import dask
import numpy as np
import pandas as pd
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


def tables(rows, cuts):
    found = pd.DataFrame(rows, columns=[*COLUMNS, "s"]).astype({"k": int, "v": int, "x": float, "s": object})
    bounds = sorted(cut % (len(rows) + 1) for cut in cuts)
    lengths = np.diff([0, *bounds, len(rows)]).tolist()
    source = MemorySource({name: found[name].to_numpy() for name in found.columns}, lengths)
    return ak.DataFrame(source.arrays()), found


def assert_equal(ours, theirs):
    if isinstance(theirs, pd.DataFrame):
        ours, theirs = (frame.reset_index(drop=True) for frame in (ours, theirs))
        pd.testing.assert_frame_equal(ours, theirs, check_dtype=False)
    elif isinstance(theirs, np.ndarray):
        assert ours.tolist() == theirs.tolist()
    else:
        assert ours == theirs
