import os
import sys
import time
from contextvars import copy_context
from types import SimpleNamespace

import dask
import pytest

import akdask as ak
from akdask.engine import explain, scheduler
from akdask.engine.explain import CellOutput, Line, progress_bar
from akdask.engine.run import place_of_progress, progress_shown

PARTS = 6


@pytest.fixture
def terminal(monkeypatch):
    """A terminal of 100 columns, on which progress is shown at once."""
    monkeypatch.setattr(explain, "get_terminal_size", lambda: os.terminal_size((100, 20)))
    monkeypatch.setattr(explain, "PATIENCE", 0.0)
    monkeypatch.setattr(explain, "PAUSE", 0.001)
    with ak.config.set(progress=True):
        yield


@pytest.fixture
def shown(monkeypatch):
    """What is shown, each time; computations wait until something is."""
    told = []

    class Kept(Line):
        def show(self, done, total, words):
            told.append((done, total, words))
            super().show(done, total, words)

    monkeypatch.setattr(explain, "Line", Kept)
    return told


def wait_for(condition):
    end = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < end, "nothing was shown"
        time.sleep(0.001)


def compute(part):
    """Compute some tasks, as plans are computed."""
    with progress_shown():
        return dask.compute(*[dask.delayed(part)(number) for number in range(PARTS)], scheduler=scheduler.get)


def test_steps_and_tasks_are_shown_while_a_computation_takes_long_and_wiped_out(terminal, shown, capsys):
    def part(number):
        wait_for(lambda: shown)
        return number

    assert compute(part) == tuple(range(PARTS))
    done, total, said = shown[-1]
    assert 0 <= done <= total
    assert said[0].endswith(f" of {total} tasks")
    told = capsys.readouterr().err
    assert told.endswith(" \r")
    assert "%" in told


def test_progress_ends_with_a_computation_that_fails(terminal, shown, capsys):
    def part(number):
        wait_for(lambda: shown)
        raise ValueError("no such part")

    with pytest.raises(ValueError, match="no such part"):
        compute(part)
    assert capsys.readouterr().err.endswith(" \r")
    assert explain._watch._current is None


def test_a_time_limit_ends_a_computation_after_the_task_that_runs(monkeypatch):
    ran = []
    with dask.config.set(num_workers=1), pytest.raises(scheduler.OutOfTime), scheduler.time_limit(0):
        dask.compute(*[dask.delayed(ran.append)(number) for number in range(100)], scheduler=scheduler.get)
    assert 0 < len(ran) < 10
    with scheduler.time_limit(60):
        assert compute(abs) == tuple(range(PARTS))


def test_rows_and_bytes_a_second_are_told_of_what_is_read(terminal, shown, tmp_path):
    ak.to_hdf({"x": ak.arange(1000)}, str(tmp_path / "x.h5"), num_locales=4)
    x = ak.read_hdf(str(tmp_path / "x_LOCALE*"))["x"]
    tasks = explain._Tasks()
    with scheduler.observed_by(tasks):
        assert int(x.sum()) == 499_500
    assert tasks.counts()[:2] == (sum(tasks.total.values()),) * 2
    assert (tasks.taken().rows, tasks.taken().nbytes) == (1000, 8000)
    assert "M rows/s" in explain._progress(tasks)[2][-1]


def test_all_of_a_line_is_on_the_terminal_at_once(monkeypatch):
    done = []
    terminal = SimpleNamespace(write=done.append, flush=lambda: done.append("flushed"))
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(explain, "get_terminal_size", lambda: os.terminal_size((60, 20)))
    line = Line()
    line.clear()
    assert done == []
    line.show(1, 2, ["half"])
    assert "half" in done[0]
    assert done[-1] == "flushed"
    line.clear()
    assert [text.strip() for text in done if text][-3:] == ["flushed", "", "flushed"]
    assert done[-1] == "flushed"


@pytest.mark.parametrize(
    ("setting", "is_terminal", "expected"),
    [(False, True, False), (False, False, False), ("auto", False, False), ("auto", True, True), (True, False, True)],
)
def test_progress_is_shown_where_somebody_looks_on_or_wants_it(setting, is_terminal, expected, monkeypatch):
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: is_terminal))
    with ak.config.set(progress=setting):
        assert place_of_progress() == ("terminal" if expected else None)


def test_notebooks_have_an_output_of_their_own_that_is_emptied(monkeypatch):
    pages = []

    class Handle:
        update = pages.append

    def display(page, display_id):
        assert display_id
        pages.append(page)
        return Handle

    ipython = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()))
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    assert place_of_progress() == "notebook"
    output = CellOutput(copy_context())
    output.clear()
    output.show(1, 4, ["read <x>"])
    output.show(2, 4, ["read <x>"])
    output.clear()
    assert pages[0] == "<progress value='1' max='4'></progress> read &lt;x&gt;"
    assert pages[1].startswith("<progress value='2'")
    assert pages[2:] == [""]


@pytest.mark.parametrize("columns", [1, 20, 50, 80, 500])
def test_a_bar_fits_its_terminal(columns):
    for done in (0, 1, 999, 1000):
        line = progress_bar(done, 1000, f"{done} of 1000 tasks", columns)
        assert len(line) <= max(columns - 1, 1)
    assert progress_bar(0, 0, "", 80).count("█") == 0
    assert progress_bar(1000, 1000, "", 80).count("█") == 30


def test_computations_log_their_time(caplog):
    with caplog.at_level("DEBUG", logger="akdask"):
        ak.arange(10).sum().compute()
    assert [record.getMessage()[:11] for record in caplog.records if record.name == "akdask"] == ["computed in"]


def test_the_time_left_outlives_rates_on_a_narrow_terminal():
    words = ["1,250 of 20,000 tasks", "12.50 s left", "read+filter+sum a, b, …", "1.25 GiB/s", "120.4 M rows/s"]
    line = progress_bar(1250, 20_000, words, 80)
    assert len(line) < 80
    assert line.endswith("1,250 of 20,000 tasks, 12.50 s left, read+filter+sum a, b, …")
