"""Common questions have lazy forms: chunks of rows, which pandas is given where a form fails, are not asked."""

from __future__ import annotations

import pandas
import pytest

import akdask.pandas as pd
from akdask import config
from akdask.pandas import chunk_forms, group_chunks
from tests.pandas_face.compare import difference

ROWS = pandas.DataFrame(
    {
        "k": ["a", "b", "a", "c", "b", "a"],
        "x": [3, 1, 2, 6, 5, 4],
        "y": [0.5, None, 2.5, 1.5, -1.0, 0.25],
        "t": pandas.date_range("2024-01-31", periods=6, freq="9h"),
    }
)

QUESTIONS = {
    "bins": lambda rows: rows.set_index("t")[["x", "y"]].resample("1D").sum(),
    "bins by a column": lambda rows: rows[["t", "x"]].resample("1D", on="t").max(),
    "bins of a Series": lambda rows: rows.set_index("t")["y"].resample("12h").mean(),
    "rows of groups": lambda rows: rows.groupby("k").nth(0),
    "first rows of groups": lambda rows: rows.groupby("k").head(2),
    "sums of groups": lambda rows: rows.groupby("k")[["x", "y"]].sum(),
    "correlations of groups": lambda rows: rows.groupby("k")[["x", "y"]].corr(),
    "covariances of groups": lambda rows: rows.groupby("k")[["x", "y"]].cov(),
    "windows": lambda rows: rows["y"].rolling(3, min_periods=1).mean(),
    "windows of groups": lambda rows: rows.groupby("k")["x"].rolling(2).sum(),
    "parts of text": lambda rows: rows["k"].str.upper(),
    "parts of times": lambda rows: rows["t"].dt.hour,
}


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", QUESTIONS)
def test_a_common_question_is_answered_without_chunks(name, monkeypatch):
    for forms in (chunk_forms, group_chunks):
        monkeypatch.setattr(forms, "answered", lambda *args: pytest.fail("chunks of rows are asked"))
    with config.set(pandas_fallback="error"):
        found = QUESTIONS[name](pd.DataFrame(ROWS))
    assert difference(found, QUESTIONS[name](ROWS)) is None
