"""How many tasks run at a time, by what a plan reads."""

import fsspec
import h5py
import numpy as np
from dask.system import CPU_COUNT

import akdask as ak
from akdask.engine import run
from akdask.engine.run import tasks_at_once
from akdask.engine.tuning import MOST_REMOTE_TASKS


def plan_of(url, rows, columns=1):
    with fsspec.open(url, "wb") as raw, h5py.File(raw, "w") as file:
        for number in range(columns):
            file.create_dataset(f"c{number}", (rows,), np.int64)
    return ak.read_hdf(url)["c0"]._frame


def test_small_remote_partitions_have_more_tasks_than_cores():
    plan = plan_of("memory://waiting/small.h5", 100)
    found = tasks_at_once([plan])
    assert found is not None
    assert MOST_REMOTE_TASKS / 2 < found <= max(MOST_REMOTE_TASKS, CPU_COUNT)
    with ak.config.set(read_ahead=1600 * CPU_COUNT):
        assert tasks_at_once([plan]) == CPU_COUNT
    with ak.config.set(read_ahead=0):
        assert tasks_at_once([plan]) == CPU_COUNT


def test_wide_and_large_partitions_have_fewer():
    few, wide = (plan_of(f"memory://waiting/{count}.h5", 1000, count) for count in (1, 80))
    with ak.config.set(read_ahead=16_000 * 4 * CPU_COUNT):
        assert tasks_at_once([few]) == 4 * CPU_COUNT
        assert tasks_at_once([wide]) == CPU_COUNT
        assert tasks_at_once([few, wide]) == CPU_COUNT


def test_local_files_have_one_for_each_core(tmp_path, monkeypatch):
    ak.arange(100).to_hdf(tmp_path / "x.h5", "a")
    local = ak.read_hdf(tmp_path / "x.h5")["a"]._frame
    assert tasks_at_once([local]) is None
    monkeypatch.setattr(run, "uses_remote_files", lambda: False)
    assert tasks_at_once([local]) is None
