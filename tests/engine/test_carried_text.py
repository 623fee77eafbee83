"""Sorted rows that carry positions give the text that they would have carried, and what pandas sorts."""

from itertools import pairwise

import dask
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.engine import alignment
from akdask.engine import tuning as engine_tuning
from akdask.engine.optimizer import inputs_first, optimize
from akdask.operators import rewrite_rules
from akdask.operators.sort import tuning as sort_tuning
from akdask.operators.sort.plan import Sort
from akdask.testing.memory import MemorySource


@pytest.fixture(scope="module", autouse=True)
def many_small_partitions():
    with pytest.MonkeyPatch.context() as patch, ak.config.set(small_array=10, block_size=2**10):
        patch.setattr(engine_tuning, "SMALL_ROWS", 0)
        patch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", 16)
        patch.setattr(alignment, "CPU_COUNT", 3)
        patch.setattr(sort_tuning, "RANGE_ROWS", 4)
        patch.setattr(sort_tuning, "MOST_SAMPLED", 8)
        yield


TEXT = ["", "a", "ab", "é", "a long text of more bytes than a chunk of them has", None]
OTHER = pd.DataFrame({"k": [0, 2, 2, 4], "name": ["zero", None, "two", "four"]})


def frames(rows, parts=3, *, in_memory=True):
    """Return rows as a frame of some partitions, in memory or read, and as one of pandas."""
    columns = zip(*rows, strict=True) if rows else ([], [], [])
    keys, numbers, text = (list(column) for column in columns)
    frame = pd.DataFrame({"k": np.array(keys, int), "v": np.array(numbers, float), "s": np.array(text, object)})
    bounds = np.linspace(0, len(frame), parts + 1).astype(int)
    if not in_memory:
        source = MemorySource({name: frame[name].to_numpy() for name in frame.columns}, np.diff(bounds).tolist())
        return ak.DataFrame(source.arrays()), frame
    text = pa.array(text, pa.large_string())
    pieces = [
        ak.DataFrame({"k": part["k"].to_numpy(), "v": part["v"].to_numpy(), "s": ak.from_arrow(text[start:stop])})
        for start, stop in pairwise(bounds.tolist())
        for part in [frame.iloc[start:stop]]
    ]
    return ak.DataFrame.concat(pieces).persist(), frame


def carried(frame):
    """Return for each sort in the plan of a frame whether text is among what it carries."""
    nodes = inputs_first(optimize([frame._columns.project()]))
    return [any(node.dtype_of(name).kind == "str" for name in node.names) for node in nodes if isinstance(node, Sort)]


def rows_of(frame):
    return frame.astype({"s": object}).where(frame.notna(), None).to_numpy().tolist()


def sorted_frame(frame, by):
    for name in reversed(by):
        # One at a time: so pandas keeps the order of rows that are equal.
        frame = frame.sort_values(name, kind="stable")
    return frame


STEPS = {
    "by numbers": lambda f, by: by(f, ["k"]),
    "by text": lambda f, by: by(f, ["s"]),
    "by both": lambda f, by: by(f, ["k", "s"]),
    "some rows": lambda f, by: f[f["v"] >= 2],
    "first rows": lambda f, by: f.head(5),
    "last rows": lambda f, by: f.tail(5),
}
ROWS = st.tuples(st.integers(0, 4), st.integers(0, 5), st.sampled_from(TEXT))


@given(st.lists(ROWS, max_size=60), st.integers(1, 4), st.lists(st.sampled_from(list(STEPS)), max_size=4))
def test_sorted_text_is_that_of_pandas(rows, parts, steps):
    ours, theirs = frames(rows, parts)
    for step in steps:
        ours = STEPS[step](ours, lambda frame, by: frame.sort_values(by))
        theirs = STEPS[step](theirs, sorted_frame)
    assert rows_of(ours.to_pandas()) == rows_of(theirs)
    assert rows_of(ours.persist()[::2].to_pandas()) == rows_of(theirs[::2])
    with ak.config.set(optimize=False):
        assert rows_of(ours.to_pandas()) == rows_of(theirs)


def some_rows(count=60):
    random = np.random.default_rng(3)
    return [(int(k), float(v), TEXT[v % len(TEXT)]) for k, v in random.integers(0, 50, (count, 2))]


@pytest.mark.parametrize("by", [["k"], ["s"], ["k", "s"]])
def test_text_in_memory_is_not_sorted_along(by):
    ours, _ = frames(some_rows())
    ordered = ours.sort_values(by)
    assert ordered.npartitions > 1
    assert carried(ordered) == [False]
    with ak.config.set(optimize=False):
        assert carried(ordered) == [True]


def test_positions_are_carried_on_by_the_next_sort():
    ours, theirs = frames(some_rows())
    twice = ours.sort_values("v").sort_values("k")
    assert carried(twice) == [False, False]
    assert rows_of(twice.to_pandas()) == rows_of(theirs.sort_values("v", kind="stable").sort_values("k", kind="stable"))


@pytest.mark.parametrize("how", ["inner", "left"])
def test_text_that_a_join_looks_up_is_not_sorted_along(how):
    ours, theirs = frames(some_rows(), in_memory=False)
    joined = ours[["k", "v"]].merge(ak.DataFrame(OTHER), on="k", how=how, sort=False).sort_values("v")
    wanted = theirs[["k", "v"]].merge(OTHER, on="k", how=how).sort_values("v", kind="stable")
    assert carried(joined) == [False]
    assert joined.to_pandas().fillna("-").to_numpy().tolist() == wanted.fillna("-").to_numpy().tolist()


def test_text_of_files_and_of_selected_rows_is_sorted_along():
    ours, _ = frames(some_rows(), in_memory=False)
    assert carried(ours.sort_values("k")) == [True]
    ours, theirs = frames(some_rows())
    kept = ours[ours["v"] > 20].sort_values("k")
    assert carried(kept) == [True]
    assert rows_of(kept.to_pandas()) == rows_of(theirs[theirs["v"] > 20].sort_values("k", kind="stable"))


def test_text_for_which_there_is_no_room_is_sorted_along(monkeypatch):
    ours, _ = frames(some_rows())
    monkeypatch.setattr(rewrite_rules, "memory", lambda: 2**10)
    assert carried(ours.sort_values("k")) == [True]


def test_tasks_elsewhere_sort_text_along():
    ours, _ = frames(some_rows())
    with dask.config.set(scheduler="processes"):
        assert carried(ours.sort_values("k")) == [True]


def test_text_is_carried_by_a_sort_of_the_same_column_twice():
    numbers = ak.array([2, 1, 2])
    frame = ak.DataFrame({"a": numbers, "b": numbers, "s": ak.array(["x", "yé", ""])})
    assert frame.sort_values(["a", "b"])["s"].tolist() == ["yé", "x", ""]
    few = frame[frame["a"] > 0].merge(ak.DataFrame({"a": [1, 2], "t": ["p", "q"]}), "a", sort=False)
    assert few.assign(c=few["a"]).sort_values(["a", "c"])["t"].tolist() == ["p", "q", "q"]
