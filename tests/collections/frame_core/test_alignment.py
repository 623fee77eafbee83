"""Rows come to others by their labels; the reference is pandas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, NonUniqueError
from akdask.pandas_errors import MaskLabelsError
from akdask.testing.memory import MemorySource

KINDS: dict[str, list[Any]] = {
    "ints": [30, 10, 20, 50, 40],
    "floats": [1.5, np.nan, 2.5, -0.5, 9.0],
    "text": ["b", "é", "", "aa", "c"],
    "times": list(pd.to_datetime(["2024-01-03", "2024-01-01", "2025-05-05", "1999-12-31", "2024-01-02"])),
    "bools": [True, False],
}


@pytest.fixture(params=["one partition", "partitions", "by hash"], autouse=True)
def layout(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run a test with rows in one partition, in several, and with no side small enough to be held by every task."""
    limit = {"replicate_size": 0} if request.param == "by hash" else {}
    with ak.config.set(**limit):
        yield request.param


def lazy(given: Any, layout: str) -> Any:
    """Return a Series or DataFrame of pandas as one of akdask, its rows in as many partitions as asked for."""
    is_series = isinstance(given, pd.Series)
    frame = given.to_frame("values") if is_series else given
    if layout == "one partition" or not len(frame):
        return ak.Series(given) if is_series else ak.DataFrame(given)
    columns: dict[str, Any] = {str(name): frame[name].to_numpy() for name in frame.columns}
    has_labels = not isinstance(frame.index, pd.RangeIndex)
    if has_labels:
        columns["labels"] = frame.index.to_numpy()
    lengths = [len(frame) // 2, 0, len(frame) - len(frame) // 2]
    times = [name for name, column in columns.items() if column.dtype.kind == "M"]
    texts = [name for name, column in columns.items() if column.dtype.kind == "O"]
    stored = {
        name: column.astype("M8[ns]").view(np.int64) if name in times else column for name, column in columns.items()
    }
    stored |= {name: columns[name].tolist() for name in texts}
    arrays = MemorySource(stored, lengths).arrays()
    arrays |= {name: ak.Datetime(arrays[name]) for name in times}
    labels = arrays.pop("labels", None)
    return ak.Series(arrays["values"], index=labels) if is_series else ak.DataFrame(arrays, index=labels)


def assert_same(found: Any, expected: Any) -> None:
    """Check values, labels and their order; integers that may be missing are floats here and there."""
    found = found.to_pandas() if hasattr(found, "to_pandas") else found
    options = {"check_dtype": False, "check_index_type": False, "check_names": False, "check_freq": False}
    if isinstance(expected, pd.Series):
        pd.testing.assert_series_equal(found, expected, **options)
    else:
        pd.testing.assert_frame_equal(found, expected, check_column_type=False, **options)


def frame_of(labels: list[Any], name: str = "x") -> pd.DataFrame:
    return pd.DataFrame({name: np.arange(len(labels), dtype=np.int64) * 10}, index=pd.Index(labels))


def other_labels(labels: list[Any]) -> dict[str, list[Any]]:
    """Return labels that differ from given ones in each of the ways in which they can."""
    return {
        "equal": labels,
        "other order": labels[::-1],
        "some missing": labels[1:],
        "more": [*labels[:1], *labels[1:][::-1]],
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("case", ["equal", "other order", "some missing", "more"])
def test_a_series_is_assigned_by_its_labels(kind: str, case: str, layout: str) -> None:
    labels = KINDS[kind]
    target = frame_of(labels[:-1] if case == "more" else labels)
    given = pd.Series(np.arange(1, 1 + len(other_labels(labels)[case])), index=pd.Index(other_labels(labels)[case]))
    texts = given.astype(str)
    mine = lazy(target, layout)
    for name, series in {"n": given, "t": texts}.items():
        target[name] = series
        mine[name] = lazy(series, layout)
    assert_same(mine, target)


def test_repeated_labels_of_the_target_take_the_same_value(layout: str) -> None:
    target, given = frame_of([1, 1, 2, 3]), pd.Series([10, 20], index=[2, 1])
    mine = lazy(target, layout)
    target["c"], mine["c"] = given, lazy(given, layout)
    assert_same(mine, target)


def test_repeated_labels_are_assigned_to_equal_ones_only(layout: str) -> None:
    target, given = frame_of([1, 1, 2]), pd.Series([10, 20, 30], index=[1, 1, 2])
    mine = lazy(target, layout)
    target["c"], mine["c"] = given, lazy(given, layout)
    assert_same(mine, target)
    for labels in ([1, 2, 1], [1, 1], [1, 1, 2, 4], [2, 2, 7]):
        repeated = lazy(pd.Series(range(len(labels)), index=labels), layout)
        mine["d"] = repeated
        with pytest.raises(NonUniqueError, match="comes twice"):
            mine.to_pandas()


def test_what_sorted_rows_give_goes_back_to_the_rows_that_it_was_made_of(layout: str) -> None:
    plain = pd.DataFrame({"k": [1, 2, 1], "x": [3, 1, 2]})
    mine = lazy(plain, layout)
    for frame in (plain, mine):
        frame["cum"] = frame.sort_values("x").x.cumsum()
        frame["prev"] = frame.sort_values("x").groupby("k").x.shift(1)
        frame["rest"] = frame[frame["k"] == 1].x
    assert plain["cum"].tolist() == [6, 1, 3]
    assert_same(mine, plain)
    assert mine["cum"].dtype == np.int64, "all rows are found again, and integers stay such"


def test_default_labels_of_other_lengths_are_the_numbers_of_the_rows(layout: str) -> None:
    for size in (0, 1, 2, 3, 5):
        plain, given = pd.DataFrame({"x": [1, 2, 3]}), pd.Series(np.arange(size) + 0.5)
        mine = lazy(plain, layout)
        plain["c"], mine["c"] = given, lazy(given, layout)
        assert_same(mine, plain)
    assert ak.DataFrame({"x": [1, 2]}).assign(c=ak.Series([5, 6, 7]))["c"].tolist() == [5, 6]


def test_arrays_are_assigned_by_position(layout: str) -> None:
    mine = lazy(frame_of([3, 1, 2]), layout)
    for given in ([7, 8, 9], np.array([7, 8, 9]), ak.array([7, 8, 9]), ak.Index(ak.array([7, 8, 9]))):
        mine["c"] = given
        assert mine["c"].tolist() == [7, 8, 9]
    with pytest.raises(AkdaskError):
        mine["c"] = ak.array([1, 2])


def test_an_empty_frame_takes_the_labels_of_its_first_series(layout: str) -> None:
    plain, mine = pd.DataFrame(), ak.DataFrame()
    for labels in ([3, 1, 2], [1, 2, 3]):
        series = pd.Series([1.0, 2.0, 3.0], index=labels)
        plain[str(labels)], mine[str(labels)] = series, lazy(series, layout)
    assert_same(mine, plain)


def test_frames_are_assigned_column_by_column(layout: str) -> None:
    plain, other = frame_of([3, 1, 2]), pd.DataFrame({"p": [1, 2, 3], "q": ["a", "b", "c"]}, index=[1, 3, 9])
    mine = lazy(plain, layout)
    plain[["a", "b"]], mine[["a", "b"]] = other, lazy(other, layout)
    assert_same(mine, plain)


def test_data_of_pandas_have_labels_too(layout: str) -> None:
    plain = frame_of([3, 1, 2])
    mine = lazy(plain, layout)
    given = pd.Series([10, 20, 30], index=[1, 2, 3])
    plain["c"], mine["c"] = given, given
    assert_same(mine, plain)
    assert mine[given > 10].to_pandas()["x"].tolist() == plain[given.reindex(plain.index) > 10]["x"].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_masks_are_brought_to_the_rows_by_their_labels(kind: str, layout: str) -> None:
    labels = KINDS[kind]
    plain, mask = frame_of(labels), pd.Series(np.arange(len(labels)) % 2 == 0, index=pd.Index(labels[::-1]))
    mine, theirs = lazy(plain, layout), lazy(mask, layout)
    assert_same(mine[theirs], plain[mask.reindex(plain.index)])
    short = lazy(mask[1:], layout)
    with pytest.raises(MaskLabelsError) as raised:
        mine[short].to_pandas()
    assert isinstance(raised.value, pd.errors.IndexingError)


def test_masks_of_sorted_rows_choose_the_rows_that_they_were_made_of(layout: str) -> None:
    plain = pd.DataFrame({"k": [1, 2, 1], "x": [3, 1, 2]})
    mine = lazy(plain, layout)
    found = mine[mine.sort_values("x").x > 1]
    assert found.x.tolist() == [3, 2]


def test_the_same_rows_cost_no_task(layout: str) -> None:
    mine = lazy(pd.DataFrame({"x": np.arange(6), "y": np.arange(6) * 2}, index=list("abcdef")), layout)
    chosen = mine[mine["x"] > 2]
    for frame in (mine, chosen):
        before = len(dict(frame.dask))
        frame["c"] = frame.x + frame.y
        assert len(dict(frame.dask)) == before
