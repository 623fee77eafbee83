"""Sorts, groups, joins and writes of more rows than a process may hold: the answers of pandas, by way of the disk."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import dask
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.arrays.sorting import in_order
from akdask.cluster import partition_size
from akdask.engine import tuning
from akdask.engine.memory import memory_budget
from akdask.engine.slices import SlicesOnDisk
from akdask.engine.spill import SpillFile
from akdask.errors import TransferError, WriteError
from akdask.testing.memory import MemorySource

LIMIT = 2**21
ROWS = 12_000
ANYWAY = 64


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr(memory_budget, "most", 0)
    monkeypatch.setattr("akdask.engine.tuning.WAITING_SHARE_ANYWAY", ANYWAY)
    with ak.config.set(small_array=100), dask.config.set(scheduler="threads"):
        yield


@pytest.fixture
def plain():
    random = np.random.default_rng(3)
    keys = random.integers(0, ROWS // 2, ROWS)
    return pd.DataFrame(
        {
            "k": keys,
            "v": random.random(ROWS),
            "w": random.permutation(ROWS),
            "s": [f"host-{key % 3000}.example.org" for key in keys],
        }
    )


@pytest.fixture
def written(monkeypatch):
    """Count the bytes that go to disk for want of memory."""
    sizes = []
    write = SpillFile._write

    def counted(self, part):
        write(self, part)
        sizes.append(len(part))

    monkeypatch.setattr(SpillFile, "_write", counted)
    return sizes


@contextmanager
def limited(folder=None):
    with ak.config.set(memory_limit=LIMIT, replicate_size=0), dask.config.set(temporary_directory=folder):
        yield


def lazy(plain):
    """Return the same rows in many partitions."""
    return ak.DataFrame(MemorySource({name: plain[name].to_numpy() for name in plain}, [ROWS // 24] * 24).arrays())


def grouped(frame, by):
    keys, sums = ak.GroupBy(frame[by]).sum(frame["w"])
    return ak.DataFrame({by: keys, "w": sums})


def joined(frame):
    other = ak.DataFrame({"k": frame["k"], "x": frame["w"] + 1})
    return ak.merge(frame[["k", "w"]], other, on="k", sort=False)


QUESTIONS = {
    "sort": (lambda frame: frame.sort_values("w"), lambda plain: plain.sort_values("w")),
    "sort by text": (
        lambda frame: frame.sort_values(["s", "w"]),
        lambda plain: plain.sort_values(["s", "w"]),
    ),
    "group": (lambda frame: grouped(frame, "k"), lambda plain: plain.groupby("k", as_index=False)["w"].sum()),
    "group by text": (lambda frame: grouped(frame, "s"), lambda plain: plain.groupby("s", as_index=False)["w"].sum()),
    "join": (
        joined,
        lambda plain: plain[["k", "w"]].merge(plain[["k", "w"]].rename(columns={"w": "x"}).eval("x = x + 1"), on="k"),
    ),
    "filter, then sort": (
        lambda frame: frame[frame["v"] > 0.25].sort_values("w"),
        lambda plain: plain[plain["v"] > 0.25].sort_values("w"),
    ),
}


@pytest.mark.parametrize("name", QUESTIONS)
def test_more_rows_than_memory_give_the_answer_of_pandas_in_files(name, plain, written, tmp_path):
    ours, of_pandas = QUESTIONS[name]
    with limited():
        ours(lazy(plain)).to_hdf(tmp_path / "found")
    assert written
    # What may wait in any case, and some partitions of those that make room by having others spilled.
    assert memory_budget.most < LIMIT // 8
    found = ak.DataFrame(ak.read_hdf(f"{tmp_path}/found_LOCALE*")).to_pandas()
    pd.testing.assert_frame_equal(
        found, of_pandas(plain)[list(found.columns)], check_dtype=False, check_index_type=False
    )


REDUCTIONS = (
    "sum",
    "prod",
    "mean",
    "var",
    "std",
    "min",
    "max",
    "median",
    "nunique",
    "first",
    "any",
    "all",
    "OR",
    "argmin",
)


def test_every_kind_of_state_of_groups_comes_back_from_disk(plain, written):
    def found():
        frame = lazy(plain)
        groups = ak.GroupBy(frame["s"])
        flags = {"any": frame["w"] > 9, "all": frame["w"] > 9}
        results = [groups.aggregate(flags.get(name, frame["w"]), name)[1] for name in REDUCTIONS]
        return [result.to_ndarray() for result in results]

    wanted = found()
    assert not written
    with limited():
        limited_results = found()
    assert written
    for name, result, other in zip(REDUCTIONS, limited_results, wanted, strict=True):
        np.testing.assert_allclose(result, other, rtol=1e-12, err_msg=name)


def test_text_of_unknown_number_of_rows_is_distinct(plain, written):
    with limited():
        frame = lazy(plain)
        found = ak.unique(frame["s"][frame["v"] > 0.5])
        assert found.to_ndarray().tolist() == sorted(set(plain["s"][plain["v"] > 0.5]))
    assert written


def test_nothing_goes_to_disk_where_memory_suffices(plain, written, tmp_path):
    for number, (ours, _) in enumerate(QUESTIONS.values()):
        ours(lazy(plain)).to_hdf(tmp_path / str(number))
    assert not written
    assert memory_budget.most > 0


def test_nothing_is_left_in_memory_or_on_disk(plain, tmp_path):
    with limited(str(tmp_path)):
        before = memory_budget.nbytes
        assert lazy(plain).sort_values("w")["w"].to_ndarray().tolist() == list(range(ROWS))
    assert memory_budget.nbytes == before
    assert os.listdir(tmp_path) == []


def test_an_answer_larger_than_half_of_the_memory_is_refused_before_it_is_computed(written):
    with limited(), pytest.raises(TransferError, match="1,600,000 bytes"):
        ak.sort(-ak.arange(200_000)).to_ndarray()
    assert not written


def test_a_task_that_would_take_all_memory_says_so(plain):
    with (
        ak.config.set(memory_limit=LIMIT // 8, max_transfer_bytes=None),
        pytest.raises(TransferError, match="more memory than there is") as caught,
    ):
        lazy(plain).sort_values("w").to_pandas()
    assert "at once" in caught.value.details[0]
    assert "memory_limit" in caught.value.hint
    assert "partition_size" in caught.value.hint


def test_a_row_that_is_larger_than_the_memory_says_so():
    texts = [letter * 300_000 for letter in "cab"]
    with ak.config.set(memory_limit=2**18), pytest.raises(TransferError, match="more memory than there is") as caught:
        in_order(ak.array(texts)).to_ndarray()
    assert "at once" in caught.value.details[0]


@pytest.mark.parametrize(("name", "reason"), [("missing", "No such file"), ("file", "Not a directory")])
def test_a_folder_that_nothing_can_be_kept_in_is_named(name, reason, plain, tmp_path):
    (tmp_path / "file").touch()
    with limited(str(tmp_path / name)), pytest.raises(WriteError, match=reason) as caught:
        lazy(plain).sort_values("w").to_hdf(tmp_path / "found")
    assert f"folder: {tmp_path / name}" in caught.value.details
    assert "temporary_directory" in caught.value.hint
    assert os.listdir(tmp_path) == ["file"]


def test_created_rows_come_in_partitions_that_fit():
    with limited():
        assert max(ak.arange(2**20).rows.lengths) * 8 <= partition_size()
    assert ak.arange(2**20).npartitions <= os.cpu_count()


@pytest.mark.parametrize("name", ["sort", "group by text", "join"])
def test_a_full_disk_is_a_clear_error_that_leaves_nothing_behind(name, plain, monkeypatch, tmp_path):
    temporary, result = tmp_path / "temporary", tmp_path / "result"
    temporary.mkdir()
    result.mkdir()
    room = [50_000]
    write = SpillFile._write

    def until_full(self, part):
        room[0] -= len(part)
        if room[0] < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(self, part)

    monkeypatch.setattr(SpillFile, "_write", until_full)
    with limited(str(temporary)), pytest.raises(WriteError, match="No space left on device") as caught:
        QUESTIONS[name][0](lazy(plain)).to_hdf(result / "found")
    assert f"folder: {temporary}" in caught.value.details
    assert os.listdir(temporary) == os.listdir(result) == []


KILLED = """
import os, signal, sys
import dask
import akdask as ak
from akdask.engine import tuning
from akdask.engine.spill import SpillFile

tuning.SMALL_ROWS = 0
append, spilled = SpillFile.append, []

def until_killed(self, item):
    starts = append(self, item)
    spilled.append(self.nbytes)
    if len(spilled) == 50:
        os.kill(os.getpid(), signal.SIGKILL)
    return starts

SpillFile.append = until_killed
with ak.config.set(memory_limit=2**21, small_array=100), dask.config.set(temporary_directory=sys.argv[1]):
    frame = ak.DataFrame({"a": -ak.arange(20_000), "b": ak.arange(20_000)})
    frame.sort_values("a").to_hdf(sys.argv[2])
"""


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_no_files_and_those_of_others_alone(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    with dask.config.set(temporary_directory=str(temporary)):
        others = SlicesOnDisk([np.arange(1000)])
    killed = subprocess.run([sys.executable, "-c", KILLED, str(temporary), str(tmp_path / "set")], check=False)
    assert killed.returncode == -signal.SIGKILL
    assert os.listdir(temporary) == []
    assert others[0].tolist() == list(range(1000))
