"""The benchmarks keep working: every task runs on little data, and its answers are compared there."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.data import floats, make_set
from benchmarks.peers.numpy_h5py import map_columns, read_columns
from benchmarks.report import MILLISECONDS, Result, table
from benchmarks.timing import Timed, WrongAnswerError, interleave

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
@pytest.mark.cluster
def test_every_task_runs_on_little_data_and_writes_its_figures(tmp_path):
    # Groups and joins are timed beside these engines only.
    pytest.importorskip("duckdb")
    pytest.importorskip("polars")
    from benchmarks.tasks import TASKS

    figures = tmp_path / "figures.json"
    command = [sys.executable, "-m", "benchmarks", "--rows", "1000", "--repeat", "1"]
    subprocess.run([*command, "--folder", tmp_path, "--json", figures], cwd=ROOT, check=True)
    results = json.loads(figures.read_text())["results"]
    assert len(results) >= len(TASKS), "a task leaves no figures"
    assert all(value >= 0 for result in results for value in result["values"].values())


def test_mapped_columns_hold_what_h5py_reads(tmp_path):
    for path in make_set(tmp_path, "numbers", {"a": floats, "b": floats}, rows=10, files=3).paths:
        for mapped, read in zip(map_columns(path, ("a", "b")), read_columns(path, ("a", "b")), strict=True):
            assert mapped.tolist() == read.tolist()


def test_rows_are_split_over_files_as_arkouda_splits_them(tmp_path):
    files = make_set(tmp_path, "numbers", {"a": floats}, rows=2, files=4)
    assert [len(read_columns(path, ("a",))[0]) for path in files.paths] == [1, 0, 1, 0]


def test_times_of_unequal_answers_are_refused():
    with pytest.raises(WrongAnswerError, match=r"one: 1\.0, two: 2\.0"):
        interleave({"one": lambda: 1.0, "two": lambda: 2.0}, repeat=1)


def test_median_of_turns_that_count_leaves_the_first_out():
    turns = iter([Timed(None, 9.0), Timed(None, 1.0), Timed(None, 3.0), Timed(None, 2.0)])
    assert interleave({"one": lambda: next(turns)}, repeat=3) == {"one": 2.0}


def test_whoever_uses_up_the_patience_in_the_first_turn_runs_once():
    turns = iter([Timed(None, 100.0)])
    assert interleave({"one": lambda: next(turns)}, repeat=3) == {"one": 100.0}


def test_table_shows_ratios_bars_and_whether_they_are_met():
    result = Result("task", MILLISECONDS, {"akdask": 0.002, "peer": 0.006}, {"peer": 4.0}, limit=1.0)
    header, _, ours, theirs = table([result]).splitlines()
    assert header.split() == ["task", "by", "value", "ratio", "bar", "met"]
    assert ours.split() == ["task", "akdask", "2", "ms", "<", "1,000", "ms", "yes"]
    assert theirs.split() == ["peer", "6", "ms", "3.00x", "≥", "4.00x", "NO"]
