"""Whole notebooks of pandas' words give, cell by cell, what they give with pandas, most of them lazily."""

from __future__ import annotations

import matplotlib as mpl
import pytest

from akdask.pandas import tuning
from tests.pandas_face import notebook_cells
from tests.pandas_face.notebooks import data

ROWS, QUICK_ROWS = 50_000, 2_000

LEAST_SAME = {"flows": 26, "retail": 41, "sensors": 37, "survey": 41, "weblog": 37}
"""Cells of each notebook that give what pandas gives."""

LEAST_LAZY = {"flows": 19, "retail": 16, "sensors": 28, "survey": 3, "weblog": 8}
"""Cells of each notebook that moreover compute nothing for pandas."""


@pytest.mark.parametrize("subject", notebook_cells.SUBJECTS)
def test_cells_give_what_pandas_gives(subject, tmp_path, request, monkeypatch):
    quick = request.config.getoption("--quick")
    if quick:  # small data takes the ways of the larger
        scale = QUICK_ROWS / ROWS
        monkeypatch.setattr(tuning, "EAGER_VALUES", int(tuning.EAGER_VALUES * scale))
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    for folder in (theirs, ours):
        folder.mkdir()
        data.write(subject, folder, QUICK_ROWS if quick else ROWS)
    with mpl.rc_context({"backend": "Agg"}):
        ran = list(notebook_cells.run(subject, theirs, ours))
    wrong = [f"cell {cell.number}:\n{cell.source}\n-> {cell.different}" for cell in ran if cell.different]
    assert len(ran) - len(wrong) >= LEAST_SAME[subject], "\n\n".join(wrong)
    passed = [f"cell {cell.number}: {', '.join(cell.through_pandas)}" for cell in ran if cell.through_pandas]
    assert len(ran) - len(passed) >= LEAST_LAZY[subject], "\n".join(passed)
