"""Idioms give with lazy columns of files what they give with pandas.

Where CI is set, every sixteenth is run: all of them are run on rows in memory.
"""

from __future__ import annotations

import os

import pandas
import pytest

import akdask.pandas
from akdask import config
from akdask.pandas import lazy_csv, tuning
from tests.pandas_face.compare import difference, subjects, value

CASES = [
    pytest.param(data, idiom, id=f"{subject}-{number}")
    for subject, (data, idioms) in subjects().items()
    for number, idiom in enumerate(idioms)
    if "memory_usage" not in idiom  # which depends on how text is held
]

STEP = 16 if "CI" in os.environ else 1


@pytest.fixture
def _large(monkeypatch):
    monkeypatch.setattr(tuning, "READ_VALUES", 0)
    monkeypatch.setattr(tuning, "READ_BYTES", 0)
    monkeypatch.setattr(lazy_csv, "partition_size", lambda: 4000)


def by_parquet(pd, frame, path):
    """Write a frame with pandas, and read it."""
    try:
        frame.to_parquet(path)
    except Exception:  # objects of Python
        return None
    return pd.read_parquet(path)


def by_csv(pd, frame, path):
    """Write a frame with pandas, and read it."""
    frame.to_csv(path, index=False)
    if not len(frame.columns):
        return None
    times = [name for name, dtype in frame.dtypes.items() if dtype.kind == "M"]
    return pd.read_csv(path, parse_dates=times)


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize(("data", "idiom"), CASES[::STEP])
@pytest.mark.usefixtures("_large")
@pytest.mark.filterwarnings("ignore")
def test_idiom_on_a_large_parquet_file_gives_what_pandas_gives(data, idiom):
    check(data, idiom, by_parquet)


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize(("data", "idiom"), CASES[STEP // 2 :: max(STEP, 5)])
@pytest.mark.usefixtures("_large")
@pytest.mark.filterwarnings("ignore")
def test_idiom_on_a_large_csv_file_gives_what_pandas_gives(data, idiom):
    check(data, idiom, by_csv)


def check(data, idiom, through_file):
    """Compare the value of an idiom with pandas' on the same file."""
    try:
        wanted = value(idiom, pandas, data, through_file)
    except Exception:
        pytest.skip("a CSV file holds other types than the idiom wants")
    with config.set(pandas_fallback="silent"):
        found = value(idiom, akdask.pandas, data, through_file)
    assert difference(found, wanted) is None
