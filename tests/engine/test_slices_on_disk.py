from __future__ import annotations

import gc
import pickle
import resource
import tempfile
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns.table import Table
from akdask.engine import slices as slices_module
from akdask.engine.slices import SlicesOnDisk, spilled
from akdask.errors import WriteError


def table(start, stop):
    rows = np.arange(start, stop)
    return Table({"n": rows, "s": pa.array([f"é{row}" for row in rows], pa.large_string())}, len(rows))


def listed(slices):
    return [[(part.columns["n"].tolist(), part.columns["s"].to_pylist()) for part in parts] for parts in slices]


@pytest.fixture
def slices():
    return [[table(0, 3)], [], [table(3, 4), table(4, 1000)]]


def test_slices_come_back_from_a_spill_file_one_by_one(slices):
    spill_file = SlicesOnDisk(iter(slices))
    assert listed([spill_file[2]]) == listed(slices[2:])
    assert listed(spill_file) == listed(spill_file[:]) == listed(slices)
    assert len(spill_file) == 3
    with pytest.raises(IndexError):
        spill_file[3]


def test_arrays_from_a_spill_file_may_be_written_to(slices):
    # Sorting does, in place.
    read = SlicesOnDisk(slices)[0][0].columns["n"]
    read.sort()
    assert read.flags.writeable


def test_what_is_in_a_spill_file_travels_with_it(slices):
    assert listed(pickle.loads(pickle.dumps(SlicesOnDisk(slices)))) == listed(slices)


@pytest.mark.slow
def test_slices_in_a_spill_file_take_next_to_no_memory():
    spill_file = SlicesOnDisk([table(number, number + 10)] for number in range(1_000))
    SlicesOnDisk(spill_file)  # what libraries keep of their first call is not of the slices
    tracemalloc.start(5)
    try:
        copy = SlicesOnDisk(spill_file)
        gc.collect()
        # Threads of other tests allocate meanwhile, and libraries fill their caches: only what this makes counts.
        of_slices = tracemalloc.Filter(True, slices_module.__file__, all_frames=True)
        made = tracemalloc.take_snapshot().filter_traces([of_slices])
    finally:
        tracemalloc.stop()
    assert sum(trace.size for trace in made.traces) < 40 * len(copy)
    assert listed(copy[999:]) == listed([[table(999, 1_009)]])


@pytest.mark.parametrize("most", [0, 1000, 10_000])
def test_a_full_disk_is_told_with_the_folder(most):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, limit[1]))
    try:
        with pytest.raises(WriteError, match="do not fit in memory cannot be kept on disk: File too large") as caught:
            SlicesOnDisk([[table(number, number + 1000)] for number in range(10)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert tempfile.gettempdir() in caught.value.details[0]
    assert "TMPDIR" in caught.value.hint


def test_a_folder_that_is_not_there_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(WriteError, match="No such file") as caught:
        SlicesOnDisk([[table(0, 3)]])
    assert str(tmp_path / "missing") in caught.value.details[0]


def joined(parts):
    return [Table.concat(parts)] if parts else []


def test_slices_are_joined_and_spilled_if_they_take_more_than_the_memory_budget(slices):
    assert listed(spilled(slices, None, joined)) == listed(slices)
    wanted = listed([joined(parts) for parts in slices])
    held, stored = (spilled(slices, room, joined) for room in (2**20, 100))
    assert (type(held), type(stored)) == (list, SlicesOnDisk)
    assert listed(held) == listed(stored) == wanted
