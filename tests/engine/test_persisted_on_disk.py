"""Persisted rows that memory does not hold: from disk they give the same answers, and they leave nothing."""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from itertools import pairwise

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask import cluster
from akdask.engine import memory, spill
from akdask.engine.cache import spilled_bytes
from akdask.testing import assert_equal

LIMIT = 2**22
ROWS = 24_000


@pytest.fixture(autouse=True)
def on_threads(monkeypatch):
    monkeypatch.setattr("akdask.engine.tuning.WAITING_SHARE_ANYWAY", 2**40)
    monkeypatch.setattr("akdask.engine.tuning.UNCOUNTED_BYTES", 0)
    with dask.config.set(scheduler="threads"), ak.config.set(small_array=0):
        yield


def plain(rows, seed=0):
    random = np.random.default_rng(seed)
    keys = random.integers(0, max(rows // 8, 1), rows)
    return pd.DataFrame(
        {
            "k": keys,
            "v": random.random(rows),
            "w": random.permutation(rows),
            "s": [f"host-{key}.example.org" for key in keys],
        }
    )


def persisted(given, parts=6, limit=LIMIT):
    """Return the same rows persisted, in partitions that all go to disk if there is a limit."""
    cuts = np.linspace(0, len(given), parts + 1).astype(int)
    frame = ak.DataFrame({name: given[name].to_numpy() for name in given})
    frame = ak.concat([frame[first:last] for first, last in pairwise(cuts)])
    with ak.config.set(memory_limit=limit):
        return frame.persist()


def joined(frame):
    other = ak.DataFrame({"k": frame["k"], "x": frame["w"] + 1})[frame["v"] > 0.9]
    return ak.merge(frame, other, on="k", sort=False)


QUESTIONS = {
    "rows": lambda frame: frame,
    "one column": lambda frame: frame[["v"]],
    "filter": lambda frame: frame[frame["v"] > 0.5],
    "sort": lambda frame: frame.sort_values("w"),
    "first rows of a sort": lambda frame: frame.sort_values("v").head(3),
    "sort by text": lambda frame: frame.sort_values(["s", "w"]),
    "groups": lambda frame: frame.groupby("s", as_index=False).agg(w=("w", "sum"), v=("v", "max")),
    "join": joined,
    "persisted again": lambda frame: frame[["k", "s"]].persist(),
}


@pytest.fixture(scope="module")
def rows():
    return plain(ROWS)


@pytest.mark.parametrize("name", QUESTIONS)
def test_answers_are_those_of_rows_in_memory(name, rows):
    wanted = QUESTIONS[name](persisted(rows, limit=None))
    on_disk = persisted(rows)
    assert spilled_bytes() > 0
    with ak.config.set(memory_limit=LIMIT, replicate_size=0):
        found = QUESTIONS[name](on_disk).to_pandas()
    pd.testing.assert_frame_equal(found, wanted.to_pandas())


@given(st.integers(0, 40), st.integers(1, 5), st.integers(0, 9), st.sampled_from(list(QUESTIONS)))
def test_few_rows_in_any_partitions_answer_alike(count, parts, seed, name):
    rows = plain(count, seed)
    wanted = QUESTIONS[name](persisted(rows, parts, None)).to_pandas()
    pd.testing.assert_frame_equal(QUESTIONS[name](persisted(rows, parts)).to_pandas(), wanted)


OBJECTS = {
    "series": lambda frame: ak.Series(frame["w"] * 2),
    "labelled series": lambda frame: ak.Series(frame["w"], index=frame["k"]),
    "labelled frame": lambda frame: frame.set_index("w"),
    "text": lambda frame: frame["s"],
    "categorical": lambda frame: ak.Categorical(frame["s"]),
    "lists": lambda frame: ak.SegArray(ak.arange(0, ROWS, 3), frame["w"]),
    "shaped": lambda frame: frame["w"].reshape(-1, 3),
    "integers of any size": lambda frame: frame["w"].astype("bigint") + 2**70,
    "groups": lambda frame: ak.GroupBy(frame["s"]).sum(frame["w"])[1],
}


@pytest.mark.parametrize("name", OBJECTS)
def test_every_kind_of_object_comes_back(name, rows):
    frame = ak.DataFrame({name: rows[name].to_numpy() for name in rows})
    wanted = OBJECTS[name](frame)
    with ak.config.set(memory_limit=LIMIT // 8):
        found = OBJECTS[name](frame).persist()
    assert spilled_bytes() > 0
    assert_equal(found, wanted)


def test_rows_on_disk_are_written_to_files(rows, tmp_path):
    with ak.config.set(memory_limit=LIMIT):
        persisted(rows).to_hdf(tmp_path / "found")
    found = ak.DataFrame(ak.read_hdf(f"{tmp_path}/found_LOCALE*")).to_pandas()
    pd.testing.assert_frame_equal(found[list(rows)], rows)


def test_memory_and_disk_are_given_back_with_the_object(rows, tmp_path):
    before = spilled_bytes(), memory.memory_budget._persisted.nbytes
    files = _open_files()
    with dask.config.set(temporary_directory=str(tmp_path)):
        frame = persisted(rows)
        assert spilled_bytes() - before[0] > 900_000
        assert any(name.startswith(str(tmp_path)) for name in _open_files() - files)
        del frame
        gc.collect()
    assert (spilled_bytes(), memory.memory_budget._persisted.nbytes) == before
    assert not any(name.startswith(str(tmp_path)) for name in _open_files() - files)


def _open_files():
    found = set()
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found.add(os.readlink(f"/proc/self/fd/{number}"))
    return found


def test_a_report_of_memory_tells_what_is_on_disk(rows):
    frame = persisted(rows)
    report = ak.memory()
    (line,) = [line for line in report.objects if line.object == "frame" and line.what == "persisted"]
    assert frame.columns == list(rows)
    assert 900_000 < report.processes[0].spilled <= line.nbytes


def test_later_results_make_older_ones_go_to_disk(rows, monkeypatch):
    monkeypatch.setattr(cluster, "memory_in_use", lambda: 0)
    first = persisted(rows, limit=2**40)
    before = spilled_bytes()
    second = persisted(rows, limit=3_000_000)
    assert before < spilled_bytes()
    pd.testing.assert_frame_equal(first.to_pandas(), rows)
    pd.testing.assert_frame_equal(second.to_pandas(), rows)


def test_columns_that_are_not_asked_for_are_not_read(rows, monkeypatch):
    frame = persisted(rows)
    read = []
    get = spill.ColumnsOnDisk.__getitem__
    monkeypatch.setattr(spill.ColumnsOnDisk, "__getitem__", lambda self, name: [read.append(name), get(self, name)][1])
    assert int(frame["w"].sum()) == ROWS * (ROWS - 1) // 2
    assert len(set(read)) == 1


def test_other_schedulers_find_what_is_on_disk(rows):
    frame = persisted(rows)
    for scheduler in ("sync", "threads"):
        (found,) = dask.compute(frame["w"].sum(), scheduler=scheduler)
        assert int(found) == ROWS * (ROWS - 1) // 2
