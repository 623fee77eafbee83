"""Frames and Series are shown as pandas shows them, whether their rows were computed or not."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

import numpy as np
import pandas
import pytest

import akdask as ak
import akdask.pandas as pd
from akdask import caches
from akdask.pandas import cached_rows, display, selection, tuning
from akdask.pandas.frame import DataFrame

ROWS = 300

BOUNDS = [
    (5, 9),
    (-4, None),
    (None, None, -1),
    (9, 5),
    (5, 5),
    (2, 10**9, 7),
    (-(10**9), 3),
    (250, 20, -3),
    (None, None),
]


def _rows() -> pandas.DataFrame:
    rng = np.random.default_rng(0)
    return pandas.DataFrame(
        {
            "a": np.arange(ROWS),
            "x": rng.random(ROWS) * 10.0 ** rng.integers(-3, 8, ROWS),
            "t": rng.choice(np.array(["a", "bbb", "[7 rows x 2", None], object), ROWS),
            "d": pandas.Timestamp("2026-01-01") + pandas.to_timedelta(rng.integers(0, 10**6, ROWS), unit="s"),
            "c": pandas.Categorical(rng.choice(["u", "v", "w"], ROWS)),
            "n": np.where(rng.random(ROWS) < 0.9, np.nan, 1.5),
            "b": rng.random(ROWS) > 0.5,
        }
    )


FRAMES = {
    "plain": _rows(),
    "labelled by text": _rows().set_index("t"),
    "labelled by times": _rows().set_index("d"),
    "two levels": _rows().set_index(["c", "a"]),
    "numbers as names": _rows().set_axis(range(7), axis=1),
    "61 rows": _rows().head(61),
    "3 rows": _rows().head(3),
    "no rows": _rows().head(0),
    "wide": pandas.DataFrame(np.arange(8000).reshape(200, 40), columns=[f"c{number}" for number in range(40)]),
}

OPTIONS = [
    ("display.max_rows", 60),
    ("display.max_rows", 10),
    ("display.max_rows", None),
    ("display.max_rows", 1),
    ("display.max_rows", 11, "display.min_rows", 5),
    ("display.min_rows", None),
    ("display.max_columns", 4),
    ("display.precision", 2),
    ("display.show_dimensions", False),
    ("display.show_dimensions", True),
    ("display.max_colwidth", 5),
    ("display.width", 40),
    ("display.float_format", "{:.1f}".format),
    ("display.large_repr", "info"),
    ("display.notebook_repr_html", False),
    ("styler.render.repr", "latex"),
]


def _lazily(rows: pandas.DataFrame) -> Any:
    """Return a frame that has its rows in no other form."""
    return DataFrame._of(pd.DataFrame(rows).lazy())


def _without_memory(text: str | None) -> str | None:
    """Return text without the bytes that rows take: Arrow's text may have room left."""
    return None if text is None else re.sub("memory usage: .*", "", text)


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: str(options[0]))
@pytest.mark.parametrize("name", FRAMES)
def test_lazy_rows_are_shown_as_pandas_shows_them_by_its_options(name, options, monkeypatch):
    monkeypatch.setattr(tuning, "CACHED_VALUES", 50)
    rows = FRAMES[name]
    with pandas.option_context(*options):
        frame = _lazily(rows)
        assert _without_memory(repr(frame)) == _without_memory(repr(rows))
        assert _without_memory(frame._repr_html_()) == _without_memory(rows._repr_html_())
        assert frame._repr_latex_() == rows._repr_latex_()
        for label in list(rows.columns)[:7]:
            assert repr(frame[label]) == repr(rows[label])


def test_of_many_rows_only_those_that_are_shown_are_computed(monkeypatch):
    monkeypatch.setattr(tuning, "CACHED_VALUES", 50)
    rows = _rows()
    frame = _lazily(rows)
    chosen, wanted = frame[frame["x"] > 1], rows[rows["x"] > 1]
    monkeypatch.setattr(pd.DataFrame, "_computed", lambda self: pytest.fail("all rows are computed"))
    assert repr(chosen) == repr(wanted)
    assert len(display.edges(chosen, len(wanted))) == 62
    monkeypatch.setattr(display, "_ends", lambda *_: pytest.fail("the rows are computed once more"))
    assert chosen._repr_html_() == wanted._repr_html_()


@pytest.mark.parametrize("least", [0, 100, 280])
def test_ends_are_taken_from_as_many_partitions_as_have_them(least, tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "CACHED_VALUES", 10)
    rows = pandas.DataFrame({"x": range(ROWS), "y": np.arange(ROWS) % 7})
    for number in range(30):
        rows[number * 10 : number * 10 + 10].to_parquet(tmp_path / f"{number:02}.parquet")
    frame = pd.DataFrame(ak.DataFrame(ak.read_parquet(str(tmp_path / "*.parquet"))))[["x", "y"]]
    assert len(frame.lazy()._columns.counted()) > 1
    chosen, wanted = frame[(frame["x"] >= least) & (frame["y"] != 3)], rows[(rows["x"] >= least) & (rows["y"] != 3)]
    with pandas.option_context("display.max_rows", 10):
        assert repr(chosen) == repr(wanted)
        assert repr(chosen["y"]) == repr(wanted["y"])


def test_the_ends_of_sorted_rows_are_found_without_sorting_the_others(monkeypatch):
    monkeypatch.setattr(tuning, "CACHED_VALUES", 50)
    rows = _rows()
    frame = _lazily(rows).sort_values("x", ascending=False, kind="stable")
    assert display._is_sorted(frame.lazy())
    monkeypatch.setattr(display, "_ends", lambda *_: pytest.fail("all rows are sorted, and their partitions counted"))
    assert repr(frame) == repr(rows.sort_values("x", ascending=False, kind="stable"))


def test_few_rows_are_computed_once_and_counted_in_memory_as_long_as_the_frame_lives(monkeypatch):
    frame = _lazily(_rows())
    repr(frame)
    monkeypatch.setattr(pd.DataFrame, "_computed", lambda self: pytest.fail("the rows are computed once more"))
    assert frame._repr_html_() == _rows()._repr_html_()
    assert frame["a"].sum() == sum(range(ROWS))
    held = {cache.name: cache for cache in caches.caches()}["rows computed for pandas"]
    assert held.nbytes >= ROWS * 8 * 4
    before = len(cached_rows._cached)
    del frame
    assert len(cached_rows._cached) == before - 1


def test_rows_that_were_used_longest_ago_are_computed_again(monkeypatch):
    frame = _lazily(_rows())
    repr(frame)
    monkeypatch.setattr(cached_rows._cached, "most_bytes", 1)
    other = _lazily(_rows().assign(z=1))
    repr(other)
    assert frame._in_memory is None
    assert repr(frame) == repr(_rows())


def test_names_given_to_labels_after_a_look_are_those_of_the_lazy_rows():
    frame = _lazily(_rows())
    repr(frame)
    frame.index.name = "row"
    frame.columns.name = "column"
    with ak.config.set(pandas_fallback="error"):
        assert frame.head(2).to_pandas().index.name == "row"
    wanted = _rows()
    wanted.index.name, wanted.columns.name = "row", "column"
    assert repr(frame) == repr(wanted)


@pytest.mark.parametrize(
    "options", [{}, {"show_counts": True}, {"verbose": False}, {"max_cols": 2}, {"memory_usage": False}]
)
@pytest.mark.parametrize("name", ["plain", "labelled by times", "two levels", "numbers as names"])
def test_the_outline_of_many_rows_is_written_from_types_and_counts(name, options, monkeypatch):
    frame, found, wanted = _lazily(FRAMES[name]), StringIO(), StringIO()
    FRAMES[name].info(buf=wanted, **options)
    monkeypatch.setattr(tuning, "CACHED_VALUES", 10)
    monkeypatch.setattr(pd.DataFrame, "_computed", lambda self: pytest.fail("all rows are computed"))
    frame.info(buf=found, **options)
    assert _without_memory(found.getvalue()) == _without_memory(wanted.getvalue())


def test_the_outline_is_printed_without_a_file(capsys, monkeypatch):
    monkeypatch.setattr(tuning, "CACHED_VALUES", 10)
    assert _lazily(_rows()).info() is None
    assert capsys.readouterr().out.startswith("<class 'pandas.DataFrame'>\nRangeIndex: 300 entries, 0 to 299\n")


@pytest.mark.parametrize("name", FRAMES)
def test_memory_of_columns_is_told_without_computing_numbers(name, monkeypatch):
    monkeypatch.setattr(tuning, "CACHED_VALUES", -1)
    frame, computed = _lazily(FRAMES[name]), []
    held = frame.lazy()
    rows = frame.to_pandas()
    compute = pd.Series._computed
    monkeypatch.setattr(pd.DataFrame, "_computed", lambda self: pytest.fail("all rows are computed"))
    monkeypatch.setattr(pd.Series, "_computed", lambda self: computed.append(self.name) or compute(self))
    for options in ({}, {"deep": True}, {"index": False}):
        frame = pd.DataFrame._of(held)
        found, wanted = frame.memory_usage(**options).to_pandas(), rows.memory_usage(**options)
        pandas.testing.assert_index_equal(found.index, wanted.index)
        numeric = [label for label, dtype in rows.dtypes.items() if dtype.kind in "iufbM"]
        assert found[numeric].tolist() == wanted[numeric].tolist()
        others = [label for label in found.index if label not in numeric]
        assert found[others].tolist() == wanted[others].tolist(), (options, others)
        assert not {*computed} & {*numeric}


def test_memory_of_nullable_columns_and_objects_is_that_of_pandas(monkeypatch):
    monkeypatch.setattr(tuning, "CACHED_VALUES", -1)
    day = pandas.Timestamp("2020-01-01").date()
    rows = pandas.DataFrame(
        {
            "n": pandas.array([1, None, 3], "Int64"),
            "b": pandas.array([True, None, False], "boolean"),
            "o": [day, None, day],
        }
    )
    for deep in (False, True):
        pandas.testing.assert_series_equal(
            _lazily(rows).memory_usage(deep=deep).to_pandas(), rows.memory_usage(deep=deep)
        )


@pytest.mark.parametrize("key", [*(slice(*bounds) for bounds in BOUNDS), -1, 7, np.int64(-ROWS), [3, -1]], ids=str)
def test_positions_choose_rows_without_numbering_the_others(key, monkeypatch):
    monkeypatch.setattr(tuning, "CACHED_VALUES", 50)
    rows = _rows()
    frame = _lazily(rows)
    if not isinstance(key, list):
        monkeypatch.setattr(selection, "asked", lambda *_: pytest.fail("all rows are numbered"))
    for found, wanted in ((frame.iloc[key], rows.iloc[key]), (frame["a"].iloc[key], rows["a"].iloc[key])):
        assert repr(found) == repr(wanted)
        assert np.shape(found) == np.shape(wanted)


@pytest.mark.parametrize(
    ("key", "error"),
    [
        *((key, IndexError) for key in (ROWS, -ROWS - 1)),
        (slice(None, None, 0), ValueError),
        *((key, TypeError) for key in (1.5, slice(1.5, None), True)),
    ],
    ids=str,
)
def test_positions_that_are_not_there_are_refused_as_pandas_refuses_them(key, error, monkeypatch):
    monkeypatch.setattr(tuning, "EAGER_VALUES", -1)
    with pytest.raises(error, match=r".") as wanted:
        _rows().iloc[key]
    with pytest.raises(error, match=re.escape(str(wanted.value))):
        _lazily(_rows()).iloc[key]
