"""Ctrl-C ends what threads compute, not only the wait for it."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextvars import copy_context
from threading import Event, Thread

import numpy as np
import pytest

import akdask as ak
from akdask.columns import memory
from akdask.columns.memory import new_array
from akdask.engine import sources
from akdask.engine import vector_program as vectors
from akdask.interruption import end_if_interrupted, interruptible, interruptible_ranges

FOR_HOURS = """
import dask.callbacks

import akdask as ak

with ak.config.set(small_array=10**15):
    rows = ak.arange(10**14)

def begin(key, graph, state):
    if len(state["running"]) == 1:
        print("begun", flush=True)

try:
    # Python ignores an interruption in what it calls when objects go, as they do while a plan is made.
    with dask.callbacks.Callback(pretask=begin):
        {question}
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("question", ["float((rows * 2.5).sum())", "rows[rows % 1000 == 1].to_ndarray()"])
def test_a_process_that_would_compute_for_hours_ends_at_ctrl_c(question):
    script = FOR_HOURS.format(question=question)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "begun\n"
            process.send_signal(signal.SIGINT)
            # The interpreter waits for its threads when it ends.
            assert process.communicate(timeout=60)[0] == "interrupted\n"
        finally:
            # One that goes on would keep a core busy for hours.
            process.kill()
        assert process.returncode == 0


def test_tasks_end_when_their_computation_has_and_no_others_do():
    begun, ended, found = Event(), Event(), []

    def task():
        begun.set()
        ended.wait()
        try:
            end_if_interrupted()
        except KeyboardInterrupt:
            found.append("interrupted")

    @interruptible()
    def computation():
        thread.append(Thread(target=copy_context().run, args=(task,)))
        thread[0].start()
        begun.wait()
        raise ValueError("failed")

    thread = []
    with pytest.raises(ValueError, match="failed"):
        computation()
    ended.set()
    thread[0].join()
    assert found == ["interrupted"]
    end_if_interrupted()
    with interruptible():
        end_if_interrupted()


def test_loops_and_new_memory_end_tasks_between_pieces(tmp_path, monkeypatch):
    asked = []
    for module in (vectors, sources, memory):
        monkeypatch.setattr(module, "end_if_interrupted", lambda name=module.__name__: asked.append(name))
    monkeypatch.setattr(vectors, "AT_A_TIME", 2**15)
    ak.DataFrame({"x": ak.array(np.arange(2**17, dtype=float))}).to_hdf(tmp_path / "rows", num_locales=1)
    array = ak.read_hdf(str(tmp_path / "rows_LOCALE*"))["x"]
    assert array.sum() == 2**16 * (2**17 - 1)
    assert asked.count(vectors.__name__) == 4
    assert len(array[array > 0].to_ndarray()) == 2**17 - 1
    assert asked.count(vectors.__name__) == 8
    with ak.config.set(block_size=2**18):
        assert len(array[array % 1 == 0].to_ndarray()) == 2**17
    assert asked.count(sources.__name__) > 1
    new_array(memory.LARGE, np.uint8)
    assert asked[-1] == memory.__name__


def test_ranges_of_rows_and_groups_end_tasks_in_between(monkeypatch):
    monkeypatch.setattr("akdask.interruption.AT_A_TIME", 10)
    assert list(interruptible_ranges(range(1, 26))) == [(0, 10), (10, 20), (20, 25)]
    assert list(interruptible_ranges(np.array([0, 0, 100, 104, 110, 111]))) == [(0, 2), (2, 3), (3, 5), (5, 6)]
    assert list(interruptible_ranges(range(0))) == []
    asked = []
    monkeypatch.setattr("akdask.interruption.end_if_interrupted", lambda: asked.append(True))
    assert len(list(interruptible_ranges(range(1, 26)))) == len(asked) == 3
