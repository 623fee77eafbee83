"""Whole notebooks of pandas' words give, cell by cell, what they give with pandas, most of them lazily."""

from __future__ import annotations

import os

import matplotlib as mpl
import pytest

from akdask.pandas import tuning
from tests.pandas_face import notebook_cells
from tests.pandas_face.notebooks import data

LEAST_LAZY = {"flows": 35, "retail": 33, "sensors": 31, "survey": 29, "weblog": 30}
"""Cells of each notebook of 41 that compute no rows for pandas."""


def ran(subject, folder, rows):
    theirs, ours = folder / "theirs", folder / "ours"
    for place in (theirs, ours):
        place.mkdir()
        data.write(subject, place, rows)
    with mpl.rc_context({"backend": "Agg"}):
        cells = list(notebook_cells.run(subject, theirs, ours))
    wrong = [f"cell {cell.number}:\n{cell.source}\n-> {cell.different}" for cell in cells if cell.different]
    assert not wrong, "\n\n".join(wrong)
    return cells


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize("subject", notebook_cells.SUBJECTS)
def test_cells_with_lazy_rows_give_what_pandas_gives(subject, tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "EAGER_VALUES", 1500)  # results of groups are at hand, columns are not
    cells = ran(subject, tmp_path, 2000)
    passed = [f"cell {cell.number}: {', '.join(cell.through_pandas)}" for cell in cells if cell.through_pandas]
    assert len(cells) - len(passed) >= LEAST_LAZY[subject], "\n".join(passed)


@pytest.mark.slow
@pytest.mark.skipif("CI" in os.environ, reason="cells of many rows take seconds each, and few ways that others do not")
@pytest.mark.parametrize("subject", notebook_cells.SUBJECTS)
def test_cells_of_small_data_give_what_pandas_gives(subject, tmp_path):
    ran(subject, tmp_path, 50_000)
