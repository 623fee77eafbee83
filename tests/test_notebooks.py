"""The notebooks run from top to bottom, as plain Python, so that no Jupyter is needed to know it."""

from __future__ import annotations

import json
import os
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


@each_notebook
def test_every_cell_runs(path, notebooks, tmp_path):
    """Each notebook runs in a process of its own, as for users."""
    pytest.importorskip("matplotlib")
    environment = {**os.environ, "MPLBACKEND": "Agg", "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, notebooks.__file__, path]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=250, check=False)
    assert run.returncode == 0, run.stderr
    for source, outputs in zip(notebooks.cells_of(path), json.loads(run.stdout), strict=True):
        shown = [content for _, content in outputs]
        assert FAULTS.isdisjoint(shown), f"the cell\n{source}\nshows {[one for one in shown if one in FAULTS]}"


def test_what_is_printed_drawn_and_given_is_shown(notebooks):
    pytest.importorskip("matplotlib")
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
