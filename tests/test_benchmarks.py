"""The benchmarks keep working: every task runs on little data, and its answers are compared there."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import dask
import numpy as np
import pytest

import akdask as ak
from benchmarks.__main__ import _parser
from benchmarks.data import floats, make_set, stored_bytes
from benchmarks.page import BEGIN, END, fill
from benchmarks.peers.numpy_h5py import map_columns, read_columns
from benchmarks.peers.text_h5py import read_arrays
from benchmarks.report import MILLISECONDS, Result, Work, table
from benchmarks.setting import Setting
from benchmarks.text_data import make_text_set
from benchmarks.timing import Timed, WrongAnswerError, interleave

ROOT = Path(__file__).parents[1]

PARTS = 8
"""Tests that the tasks are dealt out to: one test of all of them keeps one of several processes busy at the end."""


@pytest.mark.slow
@pytest.mark.cluster
@pytest.mark.parametrize("part", range(PARTS))
def test_every_task_runs_on_little_data_and_writes_its_figures(part, tmp_path):
    # Groups and joins are timed beside these engines only.
    pytest.importorskip("duckdb")
    pytest.importorskip("polars")
    from benchmarks.tasks import TASKS

    figures, tasks = tmp_path / "figures.json", list(TASKS)[part::PARTS]
    command = [sys.executable, "-m", "benchmarks", "--rows", "1000", "--repeat", "1", "--sparse-rows", "200000000"]
    subprocess.run([*command, "--folder", tmp_path, "--json", figures, *tasks], cwd=ROOT, check=True)
    results = json.loads(figures.read_text())["results"]
    assert len(results) >= len(tasks), "a task leaves no figures"
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


@pytest.mark.parametrize("rows", [0, 2, 400, 1003])
def test_rows_are_the_same_however_many_files_they_are_in(tmp_path, rows):
    def read(files):
        made = make_set(tmp_path, "numbers", {"a": floats, "b": floats}, rows, files)
        parts = [read_columns(path, ("a", "b")) for path in made.paths]
        return np.concatenate(parts, axis=1)

    few = read(4)
    assert few.shape == (2, rows)
    assert len(np.unique(few)) == 2 * rows
    assert few.tolist() == read(400).tolist()


def test_text_that_is_written_is_read_as_strings_and_as_a_categorical(tmp_path):
    labels = [f"label {number}" for number in range(7)]
    files = make_text_set(Setting(100, 1, tmp_path, 1), "text", labels, floats)
    stored = ak.read_hdf(files.pattern)
    strings = [text for path in files.paths for text in read_arrays(path, ("s",))[0].to_pylist()]
    assert set(strings) == set(labels)
    assert stored["s"].tolist() == strings
    assert stored["c"].tolist() == strings
    assert stored["v"].size == 100


def test_bytes_of_columns_are_those_of_their_datasets(tmp_path):
    files = make_text_set(Setting(100, 1, tmp_path, 1), "text", ["é"], floats)
    assert stored_bytes(files, ("v",)) == 800
    assert stored_bytes(files, ("s", "v")) == 800 + 800 + 300


def test_the_page_shows_the_best_peer_between_its_markers(tmp_path):
    page = tmp_path / "benchmarks.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    values = {"akdask": 0.002, "slow": 0.008, "fast": 0.006}
    sort = Result("sort", MILLISECONDS, values, {"slow": 4.0, "fast": 4.0}, work=Work(8_000, 64_000))
    plan = Result("plan", MILLISECONDS, {"akdask": 0.5}, limit=10.0)
    fill(page, {"machine": "two cores"}, [sort, plan], 2, [tmp_path / "plots" / "rows.png"])
    text = page.read_text()
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    assert "old" not in text
    assert "| sort | 2 ms | fast 6 ms | 3.00 | ≥ 4.00x | no |" in text
    assert "| plan | 500 ms |  |  | < 10,000 ms | yes |" in text
    assert "| sort | 2.0 | 16 |" in text
    assert "0.9 million rows and 7.1 MB for each core" in text
    assert "![rows](plots/rows.png)" in text


def test_the_page_that_is_published_can_be_filled_by_the_command_on_it():
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert 0 < text.index(BEGIN) < text.index(END)
    (command,) = re.findall(r"^python -m benchmarks (engine .*)$", text, re.MULTILINE)
    options = _parser().parse_args(command.split())
    assert (ROOT / options.report, ROOT / options.plots) == (
        ROOT / "docs" / "benchmarks.md",
        ROOT / "benchmarks" / "plots",
    )


def test_a_page_without_markers_is_left_as_it_is(tmp_path):
    page = tmp_path / "benchmarks.md"
    page.write_text("text")
    with pytest.raises(LookupError, match="no lines"):
        fill(page, {}, [], 1, [])
    assert page.read_text() == "text"


@pytest.mark.slow
def test_plots_are_drawn_for_every_question(tmp_path):
    for package in ("duckdb", "matplotlib", "polars"):
        pytest.importorskip(package)
    from benchmarks.curves import draw

    with dask.config.set(scheduler="threads"):
        paths = draw(tmp_path / "plots", Setting(1000, 1, tmp_path, 1))
    assert [path.name for path in paths] == ["rows.png", "partitions.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
