import os

import dask
import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.cli import console, main
from akdask.cli.console import Checks, Steps, TaskProgress


def test_steps_are_numbered_announced_and_timed(capsys):
    step = Steps(2)
    with step("first"):
        console.say("one\ntwo")
    with step("second"):
        pass
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:4] == ["[1/2] first", "      one", "      two"]
    assert lines[4].endswith("ms)")
    assert lines[6] == "[2/2] second"


@pytest.mark.parametrize(
    ("nbytes", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (25_500_000, "25.5 MB"), (3e12, "3.0 TB"), (3e16, "30,000.0 TB")],
)
def test_sizes_have_a_fitting_unit(nbytes, text):
    assert console.size(nbytes) == text


def test_checks_count_and_name_what_is_wrong(capsys):
    checks = Checks()
    checks.number("same", np.uint64(2**63), np.uint64(2**63))
    checks.number("rounded", 0.1 + 0.2, 0.3)
    checks.number("off by one", 2**53 + 1, 2**53)
    checks.number("float", 1.0, 1.001)
    checks.arrays("equal", np.array([1, 2]), np.array([1, 2]))
    checks.arrays("swapped", np.array([2, 1]), np.array([1, 2]))
    assert checks.count == 6
    assert checks.failed == ["off by one", "float", "swapped"]
    assert "WRONG swapped: 2 of 2 elements differ" in capsys.readouterr().out


@pytest.fixture
def terminal(monkeypatch):
    """Return what makes a terminal of 60 columns, and a clock that goes on by a second whenever it is looked at."""

    def make():
        clock = iter(range(10_000))
        monkeypatch.setattr(console, "perf_counter", lambda: next(clock))
        monkeypatch.setattr(console, "get_terminal_size", lambda: os.terminal_size((60, 20)))
        monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)

    return make


def shown(told):
    """Return the lines that a terminal shows one after the other, of which each takes the place of the one before."""
    return [line.rstrip() for line in told.split("\r") if line.strip()]


def test_a_bar_grows_on_a_terminal_while_a_computation_takes_long(terminal, capsys):
    terminal()
    with TaskProgress():
        dask.compute(*[dask.delayed(int)(number) for number in range(40)])
    told = capsys.readouterr().err
    lines = shown(told)
    counts = [int(line.split("%  ")[1].split(" of 40 tasks")[0]) for line in lines]
    assert counts == list(range(counts[0], 41))
    bars = [line.count("█") for line in lines]
    assert bars == sorted(bars)
    assert (bars[0], lines[-1].index("]") - lines[-1].index("[") - 1) < (3, bars[-1] + 1)
    assert all(len(line) < 60 for line in lines)
    # Nothing is left of it.
    assert told.endswith("\r" + " " * len(lines[-1]) + "\r")


def test_a_bar_is_wiped_out_when_a_computation_fails(terminal, capsys):
    terminal()
    tasks = [dask.delayed(int)(number) for number in range(10)]
    with pytest.raises(ValueError, match="invalid literal"), TaskProgress():
        dask.compute(dask.delayed(lambda found: int("x"))(tasks), scheduler="sync")
    told = capsys.readouterr().err
    assert shown(told)
    assert told.endswith(" \r")


@pytest.mark.parametrize("columns", [1, 20, 50, 80, 500])
def test_a_bar_fits_its_terminal_or_says_what_it_has_to(columns):
    for done in (0, 1, 999, 1000):
        line = console.progress_bar(done, 1000, 3.5, columns)
        assert len(line) < max(columns, 50)
        assert f"{done} of 1000 tasks" in line
    assert console.progress_bar(0, 0, 0.0, 80).count("█") == 0


def test_converting_shows_how_far_it_is(terminal, capsys, tmp_path):
    terminal()
    for number in range(8):
        with h5py.File(tmp_path / f"x_LOCALE000{number}.h5", "w") as file:
            file["a"] = np.arange(1000)
    with ak.config.set(partition_size=8000):
        assert main(["convert", str(tmp_path / "x"), str(tmp_path / "y.h5"), "--num-locales", "2"]) == 0
    found = capsys.readouterr()
    lines = shown(found.err)
    assert "100%" in lines[-1]
    assert found.out.startswith("1 object of 8 files to 2 files")


def test_progress_is_silent_where_there_is_no_terminal(monkeypatch, capsys):
    clock = iter(range(1000))
    monkeypatch.setattr(console, "perf_counter", lambda: next(clock))
    with TaskProgress():
        dask.compute(*[dask.delayed(int)(number) for number in range(4)])
    assert capsys.readouterr().err == ""
