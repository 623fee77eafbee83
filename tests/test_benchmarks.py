"""The benchmarks keep working: every task runs on little data, and its answers are compared there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
import pytest

import akdask as ak
from benchmarks.__main__ import _parser
from benchmarks.data import floats, make_set, stored_bytes
from benchmarks.page import APART, PAGE, SUMMARIES, named_tasks, write_page
from benchmarks.peers.numpy_h5py import map_columns, read_columns
from benchmarks.peers.text_h5py import read_arrays
from benchmarks.process import HERE, fresh
from benchmarks.record import RESULTS, Record, keep, kept
from benchmarks.report import MILLISECONDS, Result, Work, table
from benchmarks.setting import Setting
from benchmarks.text_data import make_text_set
from benchmarks.timing import Timed, WrongAnswerError, interleave

ROOT = Path(__file__).parents[1]

PARTS = 4
"""Tests that the tasks are dealt out to: one test of all of them keeps one of several processes busy at the end."""

EVERY = 19 if "CI" in os.environ else 1
"""Of so many tasks one is run."""


@pytest.mark.slow
@pytest.mark.cluster
@pytest.mark.parametrize("part", range(PARTS))
def test_every_task_runs_on_little_data_and_writes_its_figures(part, tmp_path):
    # Groups and joins are timed beside these engines only.
    pytest.importorskip("duckdb")
    pytest.importorskip("polars")
    from benchmarks.tasks import TASKS

    figures, tasks = tmp_path / "figures", list(TASKS)[part * EVERY :: PARTS * EVERY]
    command = [
        sys.executable,
        "-m",
        "benchmarks",
        "--rows",
        "1000",
        "--repeat",
        "1",
        "--patience",
        "0",
        "--one-process",
    ]
    sizes = ["--sparse-rows", "200000000", "--curve-rows", "1000", "--folder", tmp_path, "--record", figures]
    subprocess.run([*command, *sizes, *tasks], cwd=ROOT, check=True)
    records = kept(figures)
    assert records.keys() == set(tasks)
    assert all(record.results for record in records.values()), "a task leaves no figures"
    results = [result for record in records.values() for result in record.results]
    assert all(value >= 0 for result in results for value in result.values.values())


def test_what_depends_on_what_came_before_has_a_process_of_its_own():
    assert fresh(os.getpid) != os.getpid()
    before = HERE.set(True)
    try:
        assert fresh(os.getpid) == os.getpid()
        assert fresh(os.path.splitext, "a.b") == ["a", ".b"], "what travels between processes is the same as JSON"
    finally:
        HERE.reset(before)


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
    turns = iter([Timed(None, 0.009), Timed(None, 0.001), Timed(None, 0.003), Timed(None, 0.002)])
    assert interleave({"one": lambda: next(turns)}, repeat=3) == {"one": 0.002}


def test_whoever_uses_up_the_patience_in_the_first_turn_runs_once():
    turns = iter([Timed(None, 100.0)])
    assert interleave({"one": lambda: next(turns)}, repeat=3) == {"one": 100.0}


def test_table_shows_ratios_bars_and_whether_they_are_met():
    result = Result("task", MILLISECONDS, {"akdask": 0.002, "peer": 0.006}, {"peer": 4.0}, limit=1.0)
    header, _, ours, theirs = table([result]).splitlines()
    assert header.split() == ["task", "by", "value", "ratio", "of", "CPU", "bar", "met"]
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


def test_seconds_of_processors_come_with_the_seconds_that_pass_where_they_are_known():
    def busy():
        end = process_time() + 0.002
        while process_time() < end:
            pass

    seconds = interleave({"akdask": busy, "other process": lambda: Timed(None, 0.02)}, repeat=1)
    assert seconds["other process"] == 0.02
    assert list(seconds.cpu) == ["akdask"]
    assert seconds.cpu["akdask"] >= 0.002
    assert Result("task", MILLISECONDS, seconds).cpu == seconds.cpu


SORT = Result(
    "sort",
    MILLISECONDS,
    {"akdask": 0.002, "slow": 0.008, "fast": 0.006},
    {"slow": 4.0, "fast": 4.0},
    work=Work(8_000, 64_000),
    cpu={"akdask": 0.002, "fast": 0.003},
)
PLAN = Result("plan", MILLISECONDS, {"akdask": 0.5}, limit=10.0)
QUICK = Result("no goal", MILLISECONDS, {"akdask": 0.5, "peer": 0.25})


def record(task, *results):
    return Record(task, {"machine": "two cores"}, 8_000, 2, 3, list(results))


def page_of(tmp_path, block, *records):
    """Return what a page shows of records."""
    for each in records:
        keep(tmp_path / "results", each)
    page = tmp_path / "page.md"
    page.write_text(f"before\n<!-- figures: {block} -->\nold\n<!-- end -->\nafter\n")
    write_page(page, tmp_path / "results")
    return page.read_text()


def test_figures_that_are_kept_are_those_that_were_found(tmp_path):
    given = record("sort", SORT, PLAN, replace(QUICK, case="1,000 rows"))
    keep(tmp_path, given)
    assert kept(tmp_path) == {"sort": given}


def test_figures_of_a_task_replace_its_own_and_no_others(tmp_path):
    for each in (record("sort", SORT), record("plan", PLAN), record("sort", QUICK)):
        keep(tmp_path, each)
    assert kept(tmp_path) == {"plan": record("plan", PLAN), "sort": record("sort", QUICK)}


def test_the_page_shows_the_peer_by_which_the_bar_is_missed_most(tmp_path):
    text = page_of(tmp_path, "sort plan", record("sort", SORT), record("plan", PLAN))
    assert text.startswith("before\n<!-- figures: sort plan -->\n")
    assert text.endswith("\n<!-- end -->\nafter\n")
    assert "old" not in text
    assert "| sort | 2 ms | fast 6 ms | 3.00 | 1.50 | ≥ 4.00x | **no** |" in text
    assert "| plan | 500 ms |  |  |  | < 10,000 ms | yes |" in text


def test_the_page_is_the_same_when_it_is_written_again(tmp_path):
    text = page_of(tmp_path, "sort", record("sort", SORT))
    page = tmp_path / "page.md"
    write_page(page, tmp_path / "results")
    assert page.read_text() == text


def test_the_page_says_which_tasks_were_not_measured(tmp_path):
    assert "Not measured yet: `join`." in page_of(tmp_path, "sort join", record("sort", SORT))


def test_the_page_counts_the_bars_and_shows_those_that_are_missed(tmp_path):
    worse = replace(SORT, task="worse", values={"akdask": 0.02, "fast": 0.006})
    text = page_of(tmp_path, "losses", record("sort", SORT, PLAN, QUICK), record("more", worse))
    assert "1 of 3 bars are met." in text
    assert "| plan |" not in text
    assert (
        0 < text.index("| worse |") < text.index("| sort |") < text.index("Without a bar") < text.index("| no goal |")
    )


def test_the_page_tells_the_geometric_mean_of_questions_that_were_asked_in_one_place(tmp_path):
    asked = [Result("q", MILLISECONDS, {"akdask": 1.0, "peer": ratio}, case="in memory") for ratio in (4.0, 1.0)]
    text = page_of(tmp_path, "database-groups", record("database-groups", *asked))
    assert "| geometric mean of 2 questions, in memory | 1 | best of each 2 | 2.00 |  | ≥ 1.50x | yes |" in text


def test_the_page_tells_of_each_record_on_what_it_was_measured(tmp_path):
    other = replace(record("plan", PLAN), machine={"machine": "another"})
    text = page_of(tmp_path, "setup", record("sort", SORT), record("join", SORT), other)
    assert "- machine: two cores\n- 8,000 rows, 2 threads, medians of 3: `join`, `sort`\n\n- machine: another\n" in text


def test_the_page_tells_where_other_programs_kept_the_machine_busy(tmp_path):
    quiet, busy = (replace(record(task, SORT), load=load) for task, load in (("sort", 3.9), ("join", 4.1)))
    text = page_of(tmp_path, "setup", quiet, busy)
    assert text.endswith("busy, so that *of CPU* tells more: `join`\n\n<!-- end -->\nafter\n")


def test_the_page_tells_the_range_of_ratios_over_kinds_of_data(tmp_path):
    found = [replace(SORT, values={"akdask": 1.0, "peer": ratio}, case=f"kind {ratio}") for ratio in (0.5, 3.0, 2.0)]
    text = page_of(tmp_path, "variants", record("held-back", *found))
    assert "| sort | 0.50 | 2.00 | 3.00 |  | kind 0.5, beside peer |" in text


def test_the_page_tells_what_a_core_does_in_a_second(tmp_path):
    text = page_of(tmp_path, "throughput", record("sort", SORT))
    assert "| sort | 2.0 | 16 |" in text
    assert "0.9 million rows and 7.1 MB for each core" in text


def test_the_page_draws_time_against_rows(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.setattr("benchmarks.page.PLOTS", tmp_path / "plots")
    points = [replace(SORT, work=Work(rows, 0), case=f"{rows} rows") for rows in (1000, 10_000)]
    text = page_of(tmp_path, "curves", record("curves", *points))
    assert "Seconds that pass, against rows of tables in memory:" in text
    assert "](plots/curves.png)" in text
    assert "| rows | 1,000 | 10,000 |" in text
    assert "| sort | 3.00 (1.50) | 3.00 (1.50) |" in text
    assert (tmp_path / "plots" / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_that_is_published_shows_every_task_and_names_the_command(tmp_path):
    from benchmarks.tasks import TASKS

    text = PAGE.read_text(encoding="utf-8")
    shown = named_tasks(text)
    assert not (TASKS.keys() - APART | SUMMARIES.keys()) - set(shown)
    assert len(set(shown)) == len(shown)
    for command in re.findall(r"^python -m benchmarks (.*)$", text, re.MULTILINE):
        assert ROOT / _parser().parse_args(command.split()).page == PAGE


def test_the_page_that_is_published_shows_the_figures_that_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.page.PLOTS", tmp_path / "benchmarks" / "plots")
    monkeypatch.setattr("benchmarks.page.draw", lambda path, results, of_cpu: path)
    page = tmp_path / "docs" / "benchmarks.md"
    page.parent.mkdir()
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    write_page(page, RESULTS)
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")


def test_a_page_without_blocks_is_left_as_it_is(tmp_path):
    page = tmp_path / "benchmarks.md"
    page.write_text("text")
    with pytest.raises(LookupError, match="no lines"):
        write_page(page, tmp_path)
    assert page.read_text() == "text"
