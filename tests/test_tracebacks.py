from __future__ import annotations

import logging
import pickle
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import akdask as ak
import akdask.pandas as pd
from akdask.errors import traced_to_caller


@pytest.fixture(autouse=True)
def cut() -> Iterator[None]:
    with ak.config.set(full_tracebacks=False):
        yield


def names(error: BaseException) -> list[str]:
    """Return the functions of a traceback, the outermost first."""
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


ARRAY = ak.arange(5)
TEXT = ak.array(["a", "b", "c", "d", "e"])
FRAME = ak.DataFrame({"x": ARRAY, "s": TEXT})
ARKOUDA: Any = ak
FACE: Any = pd
PANDAS: Any = pd.DataFrame({"x": [1, 2, 3], "s": ["a", "b", "c"]})
LAZY = FRAME.groupby("x")

MISTAKES = {
    "a position": lambda: ARRAY[10],
    "a column": lambda: FRAME["y"],
    "a column of pandas' face": lambda: PANDAS["y"],
    "a label": lambda: PANDAS.loc[10],
    "a position of a label": lambda: FRAME.iloc[10],
    "an operator": lambda: ARRAY + ak.array([1, 2]),
    "an operator of rows": lambda: PANDAS + "x",
    "a comparison": lambda: ak.array([1, 2]) > ARRAY,
    "an assignment": lambda: FRAME.__setitem__("x", ak.array([1, 2])),
    "a key": lambda: FRAME.groupby("z"),
    "a key of pandas' face": lambda: PANDAS.groupby("z").sum(),
    "a join": lambda: FRAME.merge(FRAME, on="z"),
    "a file": lambda: ak.read_parquet("nowhere.parquet"),
    "a file of pandas' face": lambda: FACE.read_csv("nowhere.csv"),
    "a function": lambda: ak.zeros(-1),
    "a function of pandas' face": lambda: FACE.to_datetime(PANDAS.s, format="%Y"),
    "a variable of a query": lambda: FRAME.query("x > @nobody"),
    "a name": lambda: ARKOUDA.setopt,
    "a name of pandas' face": lambda: FACE.DataFrme,
    "a setting": lambda: ak.config.set(nope=1),
    "a method": lambda: ARRAY.foo,
    "a method of pandas' face": lambda: PANDAS.foo,
    "an accessor": lambda: PANDAS.x.str,
    "a type": lambda: PANDAS.x.astype("foo"),
    "a sum of groups": lambda: ak.GroupBy(ARRAY).sum(TEXT),
    "columns of several lengths": lambda: ak.DataFrame({"a": [1, 2], "b": [1]}),
    "a value that a task refuses": lambda: ak.cast(TEXT, ak.int64).to_ndarray(),
    "SQL": lambda: ak.sql("select nobody from FRAME"),
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_tracebacks_of_errors_end_at_the_line_of_the_user(mistake):
    with pytest.raises(ak.errors.AkdaskError) as found:
        mistake()
    assert names(found.value) == ["test_tracebacks_of_errors_end_at_the_line_of_the_user", "<lambda>"]
    shown = "".join(traceback.format_exception(found.value))
    assert shown.count("Traceback") == 1, "the error that led to it is told by its message"


def test_tracebacks_of_refused_arguments_end_at_the_line_of_the_user():
    with pytest.raises(TypeError, match="positional arguments") as found:
        FRAME.head(2, 3)
    assert names(found.value) == ["test_tracebacks_of_refused_arguments_end_at_the_line_of_the_user"]


def test_a_setting_shows_all_frames():
    with ak.config.set(full_tracebacks=True), pytest.raises(IndexError) as found:
        ARRAY[10]
    assert len(names(found.value)) > 2
    with ak.config.set(full_tracebacks=True), pytest.raises(KeyError) as found:
        PANDAS["y"]
    assert found.value.__cause__ is not None


def inverse(item):
    return 1 // item


@pytest.mark.parametrize("rows", [lambda: PANDAS.x - 1, lambda: ak.arange(3)], ids=["at once", "lazily"])
def test_functions_of_users_keep_their_frames(rows):
    def ask():
        found = rows()
        return found.apply(inverse) if isinstance(found, pd.Series) else ak.apply(found, inverse).sum().compute()

    with pytest.raises(ZeroDivisionError) as found:
        ask()
    error = found.value
    last = names(error.__cause__ or error)
    assert last[-1] == "inverse"
    assert names(error)[:2] == ["test_functions_of_users_keep_their_frames", "ask"]
    assert max(len(names(error)), len(last)) <= 3, "what lies between is cut off"


def test_the_error_that_a_user_handles_is_shown():
    def handle():
        try:
            ARRAY[10]
        except IndexError as error:
            raise RuntimeError("mine") from error

    with pytest.raises(RuntimeError) as found:
        handle()
    assert names(found.value.__cause__) == ["handle"]


def test_what_led_to_an_error_is_its_context():
    with pytest.raises(KeyError) as found:
        PANDAS["y"]
    assert found.value.__cause__ is None
    assert isinstance(found.value.__context__, KeyError)


def test_errors_that_nobody_expected_keep_all_frames():
    def broken():
        raise RuntimeError

    broken.__globals__["__name__"], kept = "akdask.broken", __name__
    try:
        with pytest.raises(RuntimeError) as found:
            traced_to_caller(broken)()
    finally:
        broken.__globals__["__name__"] = kept
    assert names(found.value)[-2:] == ["call", "broken"]


def test_functions_are_found_by_their_names():
    assert pickle.loads(pickle.dumps(ak.zeros)) is ak.zeros
    assert pickle.loads(pickle.dumps(ak.DataFrame.merge)) is ak.DataFrame.merge


def test_variables_of_the_caller_are_found():
    limit = 2  # noqa: F841 -- the expressions name it
    assert FRAME.query("x > @limit")["x"].tolist() == [3, 4]
    assert PANDAS.query("x > @limit")["x"].tolist() == [3]
    assert FRAME.eval("x + @limit").tolist() == [2, 3, 4, 5, 6]
    assert pd.eval("limit + 1") == 3


SCRIPT = "import akdask as ak\n\ndef count():\n    return ak.arange(5)[10]\n\n"


@pytest.mark.slow
def test_scripts_show_the_lines_of_the_user(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + "count()\n")
    told = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False).stderr
    assert [line.split(", ")[1] for line in told.splitlines() if line.startswith("  File")] == ["line 6", "line 4"]
    assert told.splitlines()[-1].startswith("Hint")


@pytest.mark.slow
def test_pytest_shows_the_lines_of_the_user(tmp_path: Path):
    script = tmp_path / "test_script.py"
    script.write_text(SCRIPT + "def test_count():\n    count()\n")
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(script)]
    told = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout
    assert "1 failed" in told
    assert "akdask/" not in told


def test_notebooks_show_the_lines_of_the_user():
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    found = shell.run_cell(SCRIPT + "count()", silent=True).error_in_exec
    assert [name for name in names(found) if "run_c" not in name][-1] == "count"


def test_logs_show_the_lines_of_the_user(caplog: pytest.LogCaptureFixture):
    try:
        ARRAY[10]
    except IndexError:
        logging.getLogger("mine").exception("no")
    assert caplog.text.count("File ") == 1
