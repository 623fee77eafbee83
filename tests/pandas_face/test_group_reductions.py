"""Every reduction of every type, alone and in groups: lazy answers and refusals are those of pandas."""

import warnings

import numpy as np
import pandas as pd
import pytest

import akdask.pandas as face
from akdask import config
from akdask.pandas import tuning

TEXT = ["b", "a", None, "c", "a", "b", None]
COLUMNS = {
    "text": pd.Series(TEXT, dtype="str"),
    "labels": pd.Series(pd.Categorical(TEXT)),
    "ordered": pd.Series(pd.Categorical(TEXT, ordered=True)),
    "times": pd.Series(pd.to_datetime(["2020-01-02", "2020-01-01", "NaT", "2021-01-01", "2020-01-01", "NaT", "NaT"])),
    "spans": pd.Series(pd.to_timedelta([2, 1, None, 3, 1, 2, None], unit="D")),
    "bools": pd.Series([True, False, True, False, False, True, True]),
    "words": pd.Series([2**64 - 1, 1, 2**63, 5, 1, 2**64 - 1, 0], dtype="uint64"),
    "integers": pd.Series([3, 1, 2, 5, 1, 3, 2**62]),
    "floats": pd.Series([3, 1, np.nan, 5, 1, 3.0, np.nan]),
    "gaps": pd.Series([3, 1, None, 5, 1, 2**62 + 1, None], dtype="Int64"),
    "truths": pd.Series([True, False, None, False, False, True, None], dtype="boolean"),
}
ORDERED = ["min", "max", "first", "last", "idxmin", "idxmax", "argmin", "argmax", "median"]
ADDED = ["sum", "mean", "std", "var", "sem", "skew", "kurt", "prod"]
REDUCTIONS = [*ORDERED, *ADDED, "nunique", "any", "all", "count", "size"]
FRAME = pd.DataFrame({**COLUMNS, "k": [0, 0, 1, 1, 2, 2, 3]})
ROWS = {"all": FRAME, "some": FRAME[:6], "one": FRAME[1:2], "none": FRAME[:0]}


def _alone(frame, column, how):
    found = getattr(frame[column], how)
    return found() if callable(found) else found


def _ending(frame, column, how):
    try:
        found = _alone(frame, column, how)
    except Exception as error:
        return error
    return _in_memory(found)


def _in_memory(found):
    return found.to_pandas() if hasattr(found, "to_pandas") else found


def _are_same(found, wanted):
    if isinstance(wanted, Exception):
        return isinstance(found, type(wanted))
    if isinstance(wanted, pd.Series):
        pd.testing.assert_series_equal(found, wanted, check_dtype=False, check_categorical=False)
        return True
    if isinstance(wanted, float | np.floating) and not isinstance(found, Exception):
        return np.isclose(found, wanted, equal_nan=True)
    return bool(pd.isna(found) and pd.isna(wanted)) or bool(found == wanted)


@pytest.fixture(autouse=True)
def _always_lazy(monkeypatch):
    monkeypatch.setattr(tuning, "EAGER_VALUES", -1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.sampled(one_of=2)
@pytest.mark.slow
@pytest.mark.parametrize("column", COLUMNS)
def test_lazy_reductions_are_those_of_pandas(column):
    with config.set(pandas_fallback="silent"):
        for which, rows in ROWS.items():
            for how in REDUCTIONS:
                wanted, found = _ending(rows, column, how), _ending(face.DataFrame(rows), column, how)
                assert _are_same(found, wanted), f"{how} of {which}: {found!r} instead of {wanted!r}"


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize("column", COLUMNS)
@pytest.mark.parametrize("which", ROWS)
def test_lazy_reductions_of_groups_are_those_of_pandas(column, which):
    rows, taken = ROWS[which], {}
    with config.set(pandas_fallback="silent"):
        for how in REDUCTIONS:
            try:
                rows.groupby("k").agg(x=(column, how))
            except Exception as error:
                with pytest.raises(type(error)):
                    face.DataFrame(rows).groupby("k").agg(x=(column, how))
            else:
                taken[how] = (column, how)
        found = _in_memory(face.DataFrame(rows).groupby("k").agg(**taken))
    pd.testing.assert_frame_equal(
        found, rows.groupby("k").agg(**taken), check_dtype=False, check_categorical=False, rtol=1e-9
    )


LAZY = [
    (column, how) for column in ("text", "integers", "floats") for how in ("min", "max", "idxmin", "nunique", "last")
]


@pytest.mark.parametrize(("column", "how"), [*LAZY, ("floats", "skew"), ("floats", "kurt"), ("text", "any")])
def test_common_reductions_need_no_pandas(column, how):
    with config.set(pandas_fallback="error"):
        found = face.DataFrame(ROWS["some"]).groupby("k").agg(x=(column, how))["x"]
        pd.testing.assert_series_equal(_in_memory(found), ROWS["some"].groupby("k").agg(x=(column, how))["x"])


@pytest.mark.parametrize("how", ["corr", "cov"])
@pytest.mark.parametrize("keys", ["k", ["k", "text"]])
def test_pairs_of_columns_by_groups(how, keys):
    wanted = getattr(FRAME.groupby(keys)[["integers", "floats"]], how)()
    with config.set(pandas_fallback="error"):
        found = getattr(face.DataFrame(FRAME).groupby(keys)[["integers", "floats"]], how)()
    pd.testing.assert_frame_equal(_in_memory(found), wanted, rtol=1e-9)
