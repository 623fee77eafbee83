"""Plans of one partition: run in this thread where nothing could run beside them, else by the scheduler."""

import threading

import dask
import numpy as np
import pytest
from dask.callbacks import Callback

import akdask as ak
from akdask.parquet.writing.writer import ParquetWriter


@pytest.fixture
def threads(monkeypatch):
    """The threads in which files were written."""
    found = []
    write = ParquetWriter.write

    def noted(self, *args):
        found.append(threading.current_thread())
        return write(self, *args)

    monkeypatch.setattr(ParquetWriter, "write", noted)
    with dask.config.set(scheduler=None):
        yield found


def frame():
    return ak.DataFrame({"a": np.arange(1000), "b": np.arange(1000) / 3})


def test_a_write_of_one_partition_runs_in_the_thread_that_asks_for_it(tmp_path, threads):
    frame().to_parquet(tmp_path / "x.parquet")

    assert threads == [threading.current_thread()]
    assert ak.DataFrame(ak.read_parquet(tmp_path / "x.parquet")).to_pandas().equals(frame().to_pandas())


def test_files_that_can_be_written_at_the_same_time_are_written_in_threads(tmp_path, threads):
    frame().to_parquet(tmp_path / "x.parquet", num_locales=2)

    assert len(threads) == 2
    assert threading.current_thread() not in threads


@pytest.mark.parametrize("scheduler", [None, "sync"])
def test_a_scheduler_that_is_watched_sees_the_tasks(tmp_path, scheduler):
    seen = []

    with Callback(pretask=lambda key, *_: seen.append(key)), dask.config.set(scheduler=scheduler):
        frame().to_parquet(tmp_path / "x.parquet")

    assert len(seen) > 1


def test_a_lack_of_memory_is_told_and_leaves_nothing_behind(tmp_path, monkeypatch):
    def fail(*_):
        raise MemoryError

    monkeypatch.setattr(ParquetWriter, "write", fail)

    with pytest.raises(ak.errors.WriteError, match="memory"):
        frame().to_parquet(tmp_path / "x.parquet")

    assert list(tmp_path.iterdir()) == []
