"""Calls that pandas refuses raise its errors, too, where nothing may go through pandas."""

from __future__ import annotations

import pandas
import pytest

import akdask.pandas as pd
from akdask import config
from akdask.errors import AkdaskError
from akdask.pandas import tuning
from akdask.pandas.refusals import FallbackError

CALLS = [
    (ValueError, lambda frame: frame.sample(n=3.2)),
    (KeyError, lambda frame: frame.groupby("z")),
    (ValueError, lambda frame: frame["n"].rolling("x")),
    (AttributeError, lambda frame: frame["n"].str),
    (AttributeError, lambda frame: frame.apply(lambda row: row.z, axis=1)),
    (ValueError, lambda frame: frame.__setitem__(["n"], frame[["n", "t"]])),
    (TypeError, lambda frame: frame["t"] - 1),
]


@pytest.fixture
def frame():
    with config.set(pandas_fallback="error"):
        yield pd.DataFrame({"n": [1, 2, 3], "t": ["a", "b", "c"]})


@pytest.mark.parametrize(("kind", "call"), CALLS)
def test_error_of_pandas_is_raised(frame, kind, call):
    with pytest.raises(kind) as raised:
        call(frame)
    assert isinstance(raised.value, AkdaskError)
    assert not isinstance(raised.value, FallbackError)


def test_first_rows_tell_what_types_lack(frame, monkeypatch):
    monkeypatch.setattr(tuning, "EAGER_VALUES", 0)
    with pytest.raises(TypeError) as raised:
        frame["t"].mean()
    assert not isinstance(raised.value, FallbackError)


def test_call_that_makes_sense_changes_nothing(frame):
    before = frame.to_pandas()
    with pytest.raises(FallbackError):
        frame.compare(frame)
    pandas.testing.assert_frame_equal(frame.to_pandas(), before)


INVALID = [
    (KeyError, lambda frame: frame.groupby("z")),
    (KeyError, lambda frame: frame.merge(frame, on="z")),
    (KeyError, lambda frame: frame.sort_values("z")),
    (KeyError, lambda frame: frame.astype({"z": float})),
    (KeyError, lambda frame: frame.dropna(subset=["z"])),
    (NameError, lambda frame: frame.query("z > 1")),
    (TypeError, lambda frame: frame["t"] + 1),
    (AttributeError, lambda frame: frame["n"].str),
    (TypeError, lambda frame: frame.head("x")),
]


@pytest.mark.parametrize(("kind", "call"), INVALID)
def test_first_rows_tell_what_is_wrong_before_all_rows_are_computed(kind, call, tmp_path, monkeypatch, recwarn):
    """Of files larger than memory, an error costs what a look at them costs."""
    path = tmp_path / "rows.parquet"
    pandas.DataFrame({"n": range(300_000), "t": "a"}).to_parquet(path)
    monkeypatch.setattr(tuning, "EAGER_VALUES", 0)
    frame = pd.read_parquet(path)
    with config.set(memory_limit=2_000_000), pytest.raises(kind) as raised:
        call(frame)
    assert not isinstance(raised.value, FallbackError)
    assert not recwarn.list
