"""Rows come to others by their labels; the reference is pandas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, ArgumentTypeError, NonUniqueError
from akdask.frames import alignment
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
    options: dict[str, Any] = {
        "check_dtype": False,
        "check_index_type": False,
        "check_names": False,
        "check_freq": False,
    }
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


@pytest.mark.sampled(one_of=3)
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
        # Labels in memory are looked at when they are assigned.
        with pytest.raises(NonUniqueError, match="comes twice"):
            mine.assign(d=repeated).to_pandas()


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


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_the_same_rows_cost_no_task(layout: str) -> None:
    mine = lazy(pd.DataFrame({"x": np.arange(6), "y": np.arange(6) * 2}, index=list("abcdef")), layout)
    chosen = mine[mine["x"] > 2]
    for frame in (mine, chosen):
        before = len(dict(frame.dask))
        frame["c"] = frame.x + frame.y
        assert len(dict(frame.dask)) == before


PAIRS: dict[str, tuple[list[Any], list[Any]]] = {
    "equal": ([3, 1, 2], [3, 1, 2]),
    "other order": ([3, 1, 2], [1, 2, 3]),
    "some missing": ([3, 1, 2], [2, 9]),
    "none in common": ([3, 1], [2, 9, 4]),
    "repeated": ([1, 1, 5], [1, 7, 1, 2]),
    "repeated and equal": ([1, 1, 2], [1, 1, 2]),
    "repeated on the left": ([2, 1, 2], [1, 2]),
    "text": (["b", "a", "é"], ["a", "c", "b"]),
    "missing labels": ([np.nan, 1.0, np.nan], [1.0, np.nan, 0.5]),
    "integers and floats": ([1, 2, 3], [2.0, 1.5, 3.0]),
    "times": (list(pd.to_datetime(["2024-01-03", "2024-01-01"])), list(pd.to_datetime(["2024-01-01", "1999-01-01"]))),
    "no rows": ([3, 1, 2], []),
}


def pair_of(case: str) -> tuple[pd.Series, pd.Series]:
    first, second = PAIRS[case]
    kind = "int64" if not second else None
    return (
        pd.Series(np.arange(1, 1 + len(first), dtype=np.int64) * 10, index=pd.Index(first)),
        pd.Series(np.arange(1, 1 + len(second), dtype=np.int64), index=pd.Index(second, dtype=kind)),
    )


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("case", PAIRS)
@pytest.mark.parametrize("operation", [np.add, np.subtract, np.maximum])
def test_operators_of_series_meet_on_all_labels(case: str, operation: Any, layout: str) -> None:
    one, other = pair_of(case)
    first, second = one.align(other, join="outer")
    # What one side lacks is 0, as in Arkouda; pandas has NaN.
    expected = operation(first.fillna(0), second.fillna(0))
    assert_same(operation(lazy(one, layout), lazy(other, layout)), expected)


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize("case", PAIRS)
def test_operators_of_frames_meet_on_all_labels_and_names(case: str, layout: str) -> None:
    one, other = pair_of(case)
    left = pd.DataFrame({"b": one, "a": one * 2.5})
    right = pd.DataFrame({"c": other, "a": other})
    mine, its = lazy(left, layout), lazy(right, layout)
    assert_same(mine + its, left + right)
    assert_same(mine - its[["a"]], left - right[["a"]])
    assert_same(mine.mul(its, fill_value=7), left.mul(right, fill_value=7))
    assert_same(mine.lt(its), left.lt(right))
    assert_same(mine.ne(its), left.ne(right))
    if (one.index.is_unique and other.index.is_unique) or one.index.equals(other.index):
        assert_same(mine.add(lazy(other, layout), axis=0), left.add(other, axis=0))
    assert_same((mine > 20) & (its > 1), (left > 20) & (right > 1))
    assert_same((mine > 20) | (its > 1), (left > 20) | (right > 1))


@pytest.mark.parametrize("case", [case for case in PAIRS if "repeated" not in case and case != "missing labels"])
def test_operators_in_place_keep_the_cells_of_a_frame(case: str, layout: str) -> None:
    one, other = pair_of(case)
    left, right = pd.DataFrame({"b": one, "a": one * 2.5}), pd.DataFrame({"c": other, "a": other})
    mine = lazy(left, layout)
    left += right
    mine += lazy(right, layout)
    assert_same(mine, left)


@pytest.mark.parametrize("case", PAIRS)
def test_comparisons_need_the_same_labels(case: str, layout: str) -> None:
    one, other = pair_of(case)
    pairs: list[tuple[Any, Any]] = [(one, other), (one.to_frame("x"), other.to_frame("x"))]
    for first, second in pairs:
        mine, its = lazy(first, layout), lazy(second, layout)
        if first.index.equals(second.index):
            assert_same(mine > its, first > second)
            assert_same(mine == its, first == second)
            continue
        with pytest.raises(AkdaskError, match="same labels in the same order") as raised:
            (mine == its).to_pandas()
        assert isinstance(raised.value, ValueError)


def test_names_of_columns_in_another_order_are_not_compared() -> None:
    frame = ak.DataFrame({"x": [1], "y": [2]})
    with pytest.raises(ValueError, match="same columns"):
        frame == frame[["y", "x"]]  # noqa: B015 - it is the comparison that fails
    assert frame.eq(frame[["y", "x"]]).to_pandas().to_numpy().all()


def test_labels_of_several_levels_meet(layout: str) -> None:
    one = pd.Series([10, 20, 30], index=pd.MultiIndex.from_tuples([(2, "a"), (1, "b"), (1, "a")]))
    other = pd.Series([1, 2, 3], index=pd.MultiIndex.from_tuples([(1, "b"), (0, "z"), (1, "b")]))
    first, second = one.align(other, join="outer")
    assert_same(ak.Series(one) + ak.Series(other), first.fillna(0) + second.fillna(0))
    assert_same(ak.Series(one) + ak.Series(one), one + one)


def test_rows_of_one_plan_keep_their_integers(layout: str) -> None:
    plain = pd.DataFrame({"k": [1, 2, 1], "x": [3, 1, 2]})
    mine = lazy(plain, layout)
    assert_same(mine.x - mine.sort_values("x").x, plain.x - plain.sort_values("x").x)
    found = mine - mine.sort_values("x", ascending=False)
    assert_same(found, plain - plain.sort_values("x", ascending=False))
    assert found.dtypes == {"k": "int64", "x": "int64"}


@pytest.mark.sampled(one_of=3)
@pytest.mark.filterwarnings("ignore:reindexing with a fill_value:pandas.errors.Pandas4Warning")
@pytest.mark.parametrize("case", PAIRS)
def test_conditions_and_others_go_by_labels(case: str, layout: str) -> None:
    one, other = pair_of(case)
    if not other.index.is_unique and not one.index.equals(other.index):
        other = other[~other.index.duplicated()]
    condition = other > 1
    pairs: list[tuple[Any, Any]] = [(one, other), (one.to_frame("x"), other.to_frame("x"))]
    for plain, rest in pairs:
        mine, theirs, cond = lazy(plain, layout), lazy(rest, layout), lazy(condition, layout)
        assert_same(mine.where(cond, 0), plain.where(condition, 0))
        assert_same(mine.mask(cond), plain.mask(condition))
        assert_same(mine.where(mine > 10, theirs), plain.where(plain > 10, rest))
        assert_same(mine.mask(mine > 10, theirs), plain.mask(plain > 10, rest))


def test_plans_of_many_sums_grow_with_their_number(layout: str) -> None:
    one, other = lazy(pd.Series([1, 2, 3], index=[3, 1, 2]), layout), lazy(pd.Series([1, 2], index=[1, 9]), layout)
    tasks = []
    found = one
    for _ in range(12):
        found = found + other
        tasks.append(len(dict(found.dask)))
    assert tasks[-1] <= 3 * tasks[len(tasks) // 2 - 1]


def test_first_rows_of_a_sort_lack_the_labels_of_the_others(layout: str) -> None:
    plain = pd.DataFrame({"x": [30, 10, 20, 40]})
    mine = lazy(plain, layout)
    for frame in (plain, mine):
        frame["few"] = frame.sort_values("x").head(2).x
        frame["top"] = frame.nlargest(1, "x").x
    assert_same(mine, plain)
    few, some = plain[plain["x"] > 10].reset_index(drop=True), mine[mine["x"] > 10].reset_index(drop=True)
    for frame in (few, some):
        frame["last"] = frame.tail(1).x
    assert_same(some, few)


def test_values_that_are_not_assigned_to_stay_where_labels_lack(layout: str) -> None:
    plain, given = pd.Series([1.0, 2.0, 3.0], index=[5, 6, 7]), pd.Series([10.0, 20.0], index=[6, 9])
    mine = lazy(plain, layout)
    plain[plain > 1] = given
    mine[mine > 1] = lazy(given, layout)
    assert_same(mine, plain)
    assert mine.tolist()[0] == 1.0


def test_repeated_labels_within_default_ones_are_repeated(layout: str) -> None:
    one, other = pd.Series([1.0, 2.0, 3.0]), pd.Series([10, 20, 30], index=[0, 2, 2])
    assert_same(lazy(one, layout).sub(lazy(other, layout)), one.sub(other))


def test_products_need_all_labels_of_both_in_any_order(layout: str) -> None:
    one, other = pd.Series([1, 2, 3], index=list("abc")), pd.Series([10, 100, 1000], index=list("cab"))
    assert int(lazy(one, layout).dot(lazy(other, layout))) == one.dot(other)
    for first, second in ((one, other[:2]), (other[:2], one)):
        with pytest.raises(ValueError, match="not aligned"):
            first.dot(second)
        with pytest.raises(AkdaskError):
            lazy(first, layout).dot(lazy(second, layout)).compute()


SELECTED: list[Callable[[Any], Any]] = [
    lambda f: f[f["x"] > 3],
    lambda f: f[f["x"] > 3].query("y % 2 == 0"),
    lambda f: f[f["x"] > 3].head(4),
    lambda f: f[f["x"] > 3].iloc[1:6],
    lambda f: f[f["x"] > 3].sort_values("y"),
]


@pytest.mark.parametrize("labels", ["default", "distinct", "repeated"])
@pytest.mark.parametrize("selected", SELECTED)
def test_columns_of_all_rows_come_to_selected_ones(
    selected: Callable[[Any], Any], labels: str, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(3)
    given = pd.DataFrame({"x": rng.integers(0, 9, 20), "y": rng.integers(0, 99, 20), "t": rng.choice(["a", "é"], 20)})
    index = {"default": None, "distinct": rng.permutation(20), "repeated": rng.integers(0, 9, 20)}[labels]
    given.index = given.index if index is None else index

    def assigned(frame: Any) -> Any:
        some = selected(frame).copy()
        some["half"], some["text"] = frame.y / 2, frame.t
        some["of_some"], some["of_others"] = some.y + 1, frame[frame["x"] > 5].y
        return some

    if labels == "repeated" and len(selected(given)):
        with pytest.raises(ValueError, match="duplicate labels"):
            assigned(given)
        with pytest.raises(AkdaskError):
            assigned(lazy(given, layout)).to_pandas()
        return
    found = assigned(lazy(given, layout))
    assert_same(found, assigned(given))
    monkeypatch.setattr(alignment, "_selected_like", lambda *_: None)
    pd.testing.assert_frame_equal(assigned(lazy(given, layout)).to_pandas(), found.to_pandas())


@pytest.mark.lazy_only
@pytest.mark.few_rows_only
def test_columns_of_the_rows_before_a_selection_are_not_joined(layout: str) -> None:
    frame = lazy(pd.DataFrame({"x": np.arange(20), "y": np.arange(20)[::-1]}), layout)
    some = frame[frame["x"] > 3]
    found = some[some["y"] > 5].copy()
    found["half"], found["more"] = frame.y / 2, some.x + 1
    assert "join" not in str(found.explain()).lower()
    assert found.to_pandas()["half"].tolist() == [value / 2 for value in range(15, 5, -1)]


def test_rows_are_aligned_by_labels_of_one_kind_alone():
    values = ak.array([1.0, 2.0, 4.0])
    labels = {
        "text": ak.array(["a", "b", "c"]), "labels": ak.Categorical(ak.array(["c", "b", "a"])),
        "integers": ak.array([0, 1, 2]), "floats": ak.array([2.0, 1.0, 0.0]), "times": ak.Datetime(ak.array([0, 1, 2])),
    }  # fmt: skip
    rows = {kind: ak.Series(values, index=index) for kind, index in labels.items()}
    for one, other in (("text", "labels"), ("labels", "text"), ("integers", "floats"), ("floats", "integers")):
        assert (rows[one] + rows[other]).to_pandas().tolist() == [5.0, 4.0, 5.0]
    for one, other in (("times", "integers"), ("floats", "times"), ("text", "integers"), ("times", "labels")):
        with pytest.raises(ArgumentTypeError):
            rows[one] + rows[other]
