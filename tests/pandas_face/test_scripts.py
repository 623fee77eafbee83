"""Scripts and notebooks that import pandas run with this face in its place, and libraries with pandas itself."""

from __future__ import annotations

import builtins
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
import pandas
import pytest

import akdask.pandas as pd
from akdask import config
from akdask.pandas import scripts, tuning

SCRIPT = """
import sys
import pandas as pd
import pandas.testing as tm
from pandas import DataFrame, concat
from pandas.api.types import is_numeric_dtype
from pandas.plotting import scatter_matrix
from pandas.testing import assert_frame_equal
from helper import total
from library import module

df = pd.DataFrame({"k": ["a", "b"] * 4, "x": range(8)})
assert type(df).__module__ == "akdask.pandas.frame" and isinstance(df, DataFrame) and __name__ == "__main__"
assert total(df) == 28 and is_numeric_dtype(df["x"]) and module == "pandas"
assert_frame_equal(df, df)
tm.assert_frame_equal(concat([df, df]).head(8), df)
assert scatter_matrix is pd.plotting.scatter_matrix
from pandas import *
assert merge is pd.merge and pd.__version__ >= "3"
print(sys.argv[1:], df.groupby("k")["x"].sum().tolist())
if "fail" in sys.argv:
    raise SystemExit(3)
"""

HELPER = """
import pandas as pd

def total(df):
    return pd.Series(df["x"]).sum() if pd.__name__ == "akdask.pandas" else None
"""

LIBRARY = """
import pandas as pd

module = pd.__name__
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "site-packages").mkdir()
    (tmp_path / "site-packages" / "library.py").write_text(LIBRARY)
    return tmp_path


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PYTHONPATH": f"{Path(scripts.__file__).parents[2]}:{folder / 'site-packages'}", "PATH": ""}
    return subprocess.run(
        [sys.executable, "-m", "akdask.pandas", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("program", [["script.py"], ["-m", "script"]])
def test_a_script_and_the_modules_beside_it_get_this_face_and_libraries_get_pandas(folder, program):
    done = _run(folder, *program, "one", "two")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['one', 'two'] [12, 16]\n"
    assert done.stderr.startswith("akdask.pandas: ")
    assert "small, by pandas" in done.stderr


@pytest.mark.slow
def test_a_script_that_fails_fails_and_is_reported(folder):
    done = _run(folder, "script.py", "fail")
    assert done.returncode == 3
    assert "akdask.pandas: " in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "code"), [([], 2), (["-m"], 2), (["--help"], 0)])
def test_how_to_run_scripts_is_told(folder, arguments, code):
    done = _run(folder, *arguments)
    assert done.returncode == code
    assert "usage: python -m akdask.pandas script.py" in done.stdout + done.stderr


def test_cells_of_a_notebook_get_this_face_until_the_extension_is_unloaded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(scripts, "measure", lambda: None)
    names = {"__name__": "__main__"}
    pd.load_ipython_extension(None)
    try:
        exec("import pandas", names)
        assert names["pandas"] is pd
        exec("import pandas", others := {"__name__": "library", "__file__": "/usr/lib/library.py"})
        assert others["pandas"] is pandas
    finally:
        pd.unload_ipython_extension(None)
    assert builtins.__import__ is scripts._import
    exec("import pandas", names)
    assert names["pandas"] is pandas


def test_the_report_tells_ways_and_times_and_why_pandas_computed(capsys, monkeypatch):
    for kind, name, _ in scripts.MEASURED:
        monkeypatch.setattr(kind, name, getattr(kind, name))
    monkeypatch.setattr(scripts, "_counted", Counter())
    monkeypatch.setattr(scripts, "_seconds", defaultdict(float))
    scripts.measure()
    scripts.measure()
    monkeypatch.setattr(tuning, "EAGER_VALUES", 0)
    rows = pandas.DataFrame({"k": ["a", "b"], "x": [1, 2]})
    frame = pd.DataFrame._of(pd.DataFrame(rows).lazy())
    frame.head(1).to_pandas()
    frame.head(2)
    with config.set(pandas_fallback="silent"):
        frame.combine(rows, lambda mine, theirs: mine)  # no plan holds what a function of Python does with columns
    scripts.report()
    first, *lines = capsys.readouterr().out.splitlines()
    assert first.startswith("akdask.pandas: 4 calls, ")
    assert [line.split()[:3] for line in lines[:3]] == [
        ["planned", "lazily", "2"],
        ["computed", "1", lines[1].split()[2]],
        ["through", "pandas", "1"],
    ]
    assert lines[3].split()[0] == "DataFrame.combine"


LIBRARIES = {
    "numpy": lambda df: np.asarray(df[["a", "b"]]).sum(),
    "numpy, a column": lambda df: np.polyfit(df["a"], df["b"], 1).round(6).tolist(),
    "numpy, where": lambda df: np.where(df["a"] > 2, 1, 0).sum(),
    "python": lambda df: (
        sorted(df["a"]),
        sum(df["b"]),
        set(df["k"]),
        len(df),
        list(zip(df["a"], df["k"], strict=True)),
    ),
    "pandas": lambda df: pandas.DataFrame(df if isinstance(df, pandas.DataFrame) else df.to_pandas())["a"].sum(),
    "pyarrow": lambda df: pytest.importorskip("pyarrow").table(df).num_rows,
    "narwhals": lambda df: pytest.importorskip("narwhals").from_native(df)["a"].sum(),
    "narwhals, a column": lambda df: pytest.importorskip("narwhals").from_native(df["a"], series_only=True).sum(),
    "matplotlib": lambda df: [
        line.get_xydata().tolist() for line in pytest.importorskip("matplotlib.pyplot").plot(df["a"], df["b"])
    ],
    "seaborn": lambda df: len(pytest.importorskip("seaborn").scatterplot(data=df, x="a", y="b", hue="k").collections),
    "scikit-learn": lambda df: (
        pytest.importorskip("sklearn.linear_model")
        .LinearRegression()
        .fit(df[["a"]], df["b"])
        .feature_names_in_.tolist()
    ),
}


@pytest.mark.parametrize("lazily", [False, True])
@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_take_frames_as_they_take_those_of_pandas(library, lazily, monkeypatch):
    rows = pandas.DataFrame({"a": [1, 2, 3, 4], "b": [1.5, 2.5, 0.5, 4.0], "k": ["x", "y", "x", "y"]})
    frame = pd.DataFrame(rows)
    if lazily:
        monkeypatch.setattr(tuning, "EAGER_VALUES", 0)
        frame = pd.DataFrame._of(frame.lazy())
    assert LIBRARIES[library](frame) == LIBRARIES[library](rows)


def test_libraries_below_the_folder_of_a_script_are_not_its_modules(tmp_path, monkeypatch):
    monkeypatch.setattr(scripts, "_folders", [f"{tmp_path.resolve()}/"])
    for path, is_own in (
        ("helper.py", True),
        (".venv/site-packages/library.py", False),
        ("a/dist-packages/b.py", False),
    ):
        assert scripts.is_own({"__name__": "library", "__file__": str(tmp_path / path)}) is is_own
    assert not scripts.is_own({"__name__": "library"})
