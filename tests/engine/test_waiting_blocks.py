"""Blocks of which filters and matches leave few rows wait and become one block; the rows are those of pandas."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.engine import tuning
from akdask.engine.blocks import Block, Partition
from akdask.testing.memory import MemorySource

pytestmark = pytest.mark.lazy_only

ROWS, LENGTHS = 1000, [0, 570, 430]


@pytest.fixture(autouse=True, scope="module")
def _small_blocks():
    with pytest.MonkeyPatch.context() as patched, ak.config.set(block_size=2**9):
        patched.setattr(tuning, "FEW_BLOCK_ROWS", 0)
        patched.setattr(tuning, "FEWEST_BLOCK_ROWS", 1)
        yield


def rows_of(seed):
    random = np.random.default_rng(seed)
    text = np.array(["", "a", "long text of more than twelve letters", None], object)
    return {
        "key": random.integers(0, 40, ROWS),
        "second": random.integers(-3, 7, ROWS),
        # Their sums are exact.
        "part": random.integers(-100, 100, ROWS) / 8,
        "text": text[random.integers(0, 4, ROWS)],
        "row": np.arange(ROWS),
    }


def table_of(seed, name, count, most):
    random = np.random.default_rng(seed)
    return pd.DataFrame({name: random.integers(0, most, count), f"of_{name}": random.integers(0, 5, count)})


def selected(frame, tables, steps):
    """Apply steps to a frame of either kind."""
    for step, name, value in steps:
        match step:
            case "filter":
                frame = frame[frame[name] % 10 <= value]
            case "text":
                frame = frame[frame["text"] == "a"]
            case "computed":
                frame = frame[(frame["part"] * 2 + frame["row"]) % 4 <= value]
            case "slice":
                frame = frame[value :: value + 1]
            case "inner" | "left":
                frame = frame.merge(tables[name], on=name, how=step).drop(columns=f"of_{name}")
            case _:
                raise AssertionError(step)
    return frame


STEPS = st.one_of(
    st.tuples(st.just("filter"), st.sampled_from(["key", "second", "row"]), st.integers(0, 8)),
    st.tuples(st.sampled_from(["text", "computed"]), st.just(""), st.integers(0, 3)),
    st.tuples(st.just("slice"), st.just(""), st.integers(0, 2)),
    st.tuples(st.sampled_from(["inner", "left"]), st.sampled_from(["key", "second"]), st.just(0)),
)


@settings(max_examples=25)
@example(
    1,
    [("filter", "second", 8), ("computed", "", 3), ("left", "key", 0), ("filter", "second", 1), ("computed", "", 2)],
    1,
    (37, 4, 1),
)
@example(1, [("text", "", 2), ("inner", "second", 0), ("slice", "", 2), ("inner", "second", 0)], 16, (25, 2, 1))
@example(0, [("inner", "key", 0), ("inner", "key", 0)], 2, (26, 1, 1))
@example(0, [("left", "key", 0), ("slice", "", 1)], 2, (17, 1, 1))
@given(
    st.integers(0, 3),
    st.lists(STEPS, min_size=1, max_size=5),
    st.sampled_from([1, 2, 16]),
    st.tuples(st.integers(1, 60), st.integers(1, 12), st.sampled_from([1, 4])),
)
def test_rows_are_those_of_pandas(seed, steps, share, chosen):
    nkeys, nseconds, few_paired = chosen
    tables = {"key": table_of(seed, "key", nkeys, 45), "second": table_of(seed + 1, "second", nseconds, 9)}
    given_rows = rows_of(seed)
    wanted = selected(pd.DataFrame(given_rows), tables, steps)
    source = MemorySource(given_rows, LENGTHS)
    ours = {name: ak.DataFrame({one: table[one].to_numpy() for one in table}) for name, table in tables.items()}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tuning, "JOINED_BLOCK_SHARE", share)
        patched.setattr(tuning, "FEW_PAIRED", few_paired)
        found = selected_by_akdask(ak.DataFrame(source.arrays()), ours, steps)
        for name in wanted.columns:
            expected = [None if pd.isna(item) else item for item in wanted[name]]
            assert [None if pd.isna(item) else item for item in found[name].to_list()] == expected
        assert float(found["part"].sum()) == wanted["part"].sum()
        sums = found.groupby("second")["part"].sum().to_pandas()
        assert sums.to_dict() == wanted.groupby("second")["part"].sum().to_dict()


def selected_by_akdask(frame, tables, steps):
    for step, name, value in steps:
        if step in ("inner", "left"):
            frame = frame.merge(tables[name], on=name, how=step, sort=False)
            frame = ak.DataFrame({one: frame[one] for one in frame.columns if one != f"of_{name}"})
        else:
            frame = selected(frame, tables, [(step, name, value)])
    return frame


def blocks_that_reach_the_end(monkeypatch, ask):
    """Return the rows of each block, whole partitions of tables left out, and how many blocks were read."""
    found, read = [], []
    blocks, init = Partition.blocks, Block.__init__

    def noted(self):
        for block in blocks(self):
            if self.nrows == ROWS:
                found.append(block.nrows)
            yield block

    def made(self, partition, start, stop):
        if partition.nrows == ROWS:
            read.append((start, stop))
        init(self, partition, start, stop)

    with monkeypatch.context() as patched:
        patched.setattr(Partition, "blocks", noted)
        patched.setattr(Block, "__init__", made)
        ask()
    return found, read


def test_few_rows_of_each_block_become_one_block(monkeypatch):
    frame = ak.DataFrame(MemorySource(rows_of(0), [ROWS]).arrays())
    wanted = pd.DataFrame(rows_of(0))
    sixth = frame[frame["key"] % 6 == 1]
    sums: list[list[str | None]] = []
    blocks, _ = blocks_that_reach_the_end(monkeypatch, lambda: sums.append(sixth["text"].to_list()))
    expected = wanted["text"][wanted["key"] % 6 == 1]
    assert sums == [[None if pd.isna(item) else item for item in expected]]
    width = max(blocks)
    assert all(before + after > width / 2 for before, after in itertools.pairwise(blocks))
    assert sum(blocks) == int((wanted["key"] % 6 == 1).sum())
    assert len(blocks) <= 2 * -(-sum(blocks) // width)


def test_pairs_of_few_rows_of_each_block_become_one_block(monkeypatch):
    frame = ak.DataFrame(MemorySource(rows_of(0), [ROWS]).arrays())
    keys = pd.DataFrame({"key": [3, 17, 3], "of_key": [1, 2, 3]})
    found = frame.merge(ak.DataFrame({name: keys[name].to_numpy() for name in keys}), on="key", sort=False)
    wanted = pd.DataFrame(rows_of(0)).merge(keys, on="key")
    got = []
    blocks, _ = blocks_that_reach_the_end(monkeypatch, lambda: got.append(found["part"].to_list()))
    assert got == [wanted["part"].tolist()]
    assert sum(blocks) == len(wanted)
    assert len(blocks) <= 4
    # Each block alone would be a block of its own.
    monkeypatch.setattr(tuning, "JOINED_BLOCK_SHARE", ROWS)
    alone, _ = blocks_that_reach_the_end(monkeypatch, lambda: got.append(found["row"].to_list()))
    assert got[1] == wanted["row"].tolist()
    assert len(alone) > 10


def test_blocks_do_not_wait_where_first_rows_are_wanted(monkeypatch):
    frame = ak.DataFrame(MemorySource(rows_of(0), [ROWS]).arrays())
    found = frame[frame["key"] % 6 == 1]
    got = []
    _, read = blocks_that_reach_the_end(monkeypatch, lambda: got.append(found.head(2)["row"].to_list()))
    wanted = np.flatnonzero(rows_of(0)["key"] % 6 == 1)[:2].tolist()
    assert got == [wanted]
    assert len(read) <= 2
