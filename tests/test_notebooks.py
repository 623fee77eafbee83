"""The notebooks run from top to bottom, as plain Python, so that no Jupyter is needed to know it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import akdask as ak

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
STARTS_PROCESSES = {"cluster_job"}

# No cell is there to show one of these.
FAULTS = {"", "False", "nan", "inf", "-inf"}


def marked(paths):
    cluster = [pytest.mark.cluster, pytest.mark.slow]
    return [pytest.param(path, marks=cluster if path.stem in STARTS_PROCESSES else []) for path in paths]


each_notebook = pytest.mark.parametrize("path", marked(NOTEBOOKS), ids=[path.stem for path in NOTEBOOKS])


@pytest.fixture(scope="module")
def notebooks():
    """Return the module that runs notebooks, for the site as well."""
    spec = spec_from_file_location("run_notebook", ROOT / "docs" / "extensions" / "run_notebook.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.sampled(one_of=3)
@each_notebook
def test_every_cell_runs(path, notebooks, tmp_path):
    """Each notebook runs in a process of its own, as for users."""
    pytest.importorskip("matplotlib")
    environment = {**os.environ, "MPLBACKEND": "Agg", "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    assert_cells_run(notebooks, path, environment)


def assert_cells_run(notebooks, path, environment, seconds=250):
    """Fail with the number and source of the first cell that does not run or shows a fault, and what came out."""
    command = [sys.executable, notebooks.__file__, path]
    with subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        try:
            out, errors = run.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            run.kill()
            out, errors = run.communicate()
            errors += f"\nIt was still running after {seconds} s."
    cells = list(map(json.loads, out.splitlines()))
    for number, source in enumerate(notebooks.cells_of(path), 1):
        about = f"cell {number} of {path.name}:\n{source}\n"
        if number > len(cells):
            pytest.fail(f"{about}does not run:\n{errors}")
        shown = [content for kind, content in cells[number - 1] if kind != "png"]
        if not FAULTS.isdisjoint(shown):
            pytest.fail(f"{about}shows {shown}")
    assert run.returncode == 0, errors


@pytest.mark.parametrize(
    ("cell", "seconds", "message"),
    [
        ("print('half')\n1 / 0", 60, "does not run:.*ZeroDivisionError.*had printed 'half"),
        ("float('nan')", 60, "shows .'nan'"),
        ("import os\nos._exit(3)", 60, "does not run:"),
        ("import time\ntime.sleep(60)", 3, "does not run:.*still running after 3 s"),
    ],
    ids=["error", "fault", "exit", "too long"],
)
def test_a_cell_that_fails_is_told_with_what_came_out(cell, seconds, message, notebooks, tmp_path):
    path = tmp_path / "two.ipynb"
    cells = [{"cell_type": "code", "source": [source]} for source in ("a = 1", cell, "b = 2")]
    path.write_text(json.dumps({"cells": cells}))
    with pytest.raises(pytest.fail.Exception, match=f"(?s)cell 2 of two.ipynb:\n{re.escape(cell)}\n{message}"):
        assert_cells_run(notebooks, path, dict(os.environ), seconds)


def test_what_is_printed_drawn_and_given_is_shown(notebooks):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.close("all")  # Figures that other tests of the process have left are none of the cell.
    names: dict[str, object] = {}
    drawing = "import matplotlib.pyplot as plt\nplt.figure(figsize=(1, 1))"
    assert notebooks.shown_by("print(1)\n2", names) == [("text", "1\n"), ("text", "2")]
    assert notebooks.shown_by("a = 3", names) == notebooks.shown_by("a;", names) == []
    assert [kind for kind, _ in notebooks.shown_by(drawing, names)] == ["png"]
    names["a"] = ak.arange(3)
    assert [kind for kind, _ in notebooks.shown_by("a", names)] == ["html"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_are_stored_without_outputs(path):
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert cells
    for cell in cells:
        assert cell["outputs"] == []
        assert cell["execution_count"] is None
