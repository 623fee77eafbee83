"""Ranks and edges of groups that one task finds are those of any number of rows, and those of pandas."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays import group_rows
from akdask.frames import sorting
from akdask.operators.group import row_results
from akdask.operators.group.row_results import edge_rows, ranks

METHODS = ("average", "min", "max", "first", "dense")
BIG = 2**53

KINDS = {
    "float": pd.Series([1.5, np.nan, -0.0, 0.0, np.inf, 1.5, np.nan, 2.0]),
    "int": pd.Series([BIG + 1, BIG, 3, -(2**63), BIG + 1, 3, 0, 2**63 - 1]),
    "unsigned": pd.Series([2**64 - 1, 1, 2**64 - 2, 1, 2**64 - 1, 0, 5, 5], dtype="uint64"),
    "narrow": pd.Series([7, 1, 7, 300, 1, -5, 7, 0], dtype="int16"),
    "bool": pd.Series([True, False, True, True, False, False, True, False]),
    "nullable": pd.Series([BIG + 1, None, BIG, BIG + 1, None, 3, 3, 0], dtype="Int64"),
    "text": pd.Series(["b", None, "a", "b", "", "ab", None, "a"]),
    "time": pd.to_datetime(pd.Series(["2024", None, "2023", "2024", "1999", None, "2023", "2025"]), format="%Y"),
    "span": pd.Series(pd.to_timedelta([5, None, 1, 5, -1, None, 1, 0], unit="s")),
}
GROUPS = {
    "number": pd.Series([1.0, 2.0, 1.0, np.nan, 1.0, 2.0, np.nan, 1.0]),
    "text": pd.Series(["x", "y", "x", None, "x", "x", None, "y"]),
    "whole": pd.Series([1, 1, 1, 1, 1, 1, 1, 1]),
    "own": pd.Series([5, 9, 3, 1, 7, 2, 8, 2**62]),
}


def options(number):
    """Return options of ranks, others for each number; all of them come in turn."""
    return {
        "method": METHODS[number % 5],
        "ascending": number % 2 == 0,
        "na_option": ("keep", "top", "bottom")[number % 3],
        "pct": number // 5 % 2 == 1,
    }


def floats(series):
    return np.asarray(series.to_numpy(), float)


def partitioned(columns, at):
    """Return a frame of some columns, with partitions that end at given rows."""
    frame = pd.DataFrame(columns)
    parts = [frame[start:stop].reset_index(drop=True) for start, stop in zip([0, *at], [*at, len(frame)], strict=True)]
    return frame, ak.DataFrame.concat([ak.DataFrame(part) for part in parts])


def checked(frame, lazy, keys, dropna, number):
    """Compare ranks with those of pandas: of all rows, or of the rows of each group."""
    how = options(number)
    if keys is None:
        wanted, found = frame["v"].rank(**how), lazy[["v"]].rank(**how)["v"]
    else:
        # Ranks of groups make floats of integers in pandas, and rank NaT where keys are missing.
        parts = [part["v"].rank(**how).astype(float) for _, part in frame.groupby(keys, dropna=dropna)]
        wanted, found = pd.concat(parts).reindex(frame.index), lazy.groupby(keys, dropna=dropna)["v"].rank(**how)
    np.testing.assert_array_equal(np.asarray(found.tolist(), float), floats(wanted), err_msg=f"{keys} {how}")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("at", [[], [0, 3, 3, 7]])
def test_ranks_of_each_type_are_those_of_pandas(kind, at):
    frame, lazy = partitioned({"v": KINDS[kind]}, at)
    for number in range(min(len(at), 1), 30, 7):
        checked(frame, lazy, None, True, number)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("keys", [["number"], ["text"], ["number", "text"], ["whole"], ["own"]])
@pytest.mark.parametrize("at", [[], [0, 3, 3, 7]])
def test_ranks_in_groups_of_each_type_are_those_of_pandas(kind, keys, at):
    frame, lazy = partitioned({"v": KINDS[kind], **{key: GROUPS[key] for key in keys}}, at)
    for number in range(min(len(at), 1), 30, 7):
        checked(frame, lazy, keys, number % 4 != 3, number)


values = st.lists(
    st.tuples(
        st.sampled_from(["a", "b", None, "a much longer key of a group", ""]),
        st.sampled_from([0, 1, -(2**62), 2**62]),
        st.sampled_from([1.0, -0.0, 0.0, np.nan, np.inf, -np.inf, 2.0**53]),
    ),
    min_size=1,
    max_size=30,
)


@example(given_rows=[(None, 0, np.nan)], keys=["k"], at=[], number=0, dropna=True)
@example(given_rows=[("a", 0, 1.0), ("a", 0, 1.0), ("b", 0, 1.0)], keys=["k", "n"], at=[1], number=5, dropna=True)
@given(
    values, st.sampled_from([None, ["k"], ["n"], ["n", "k"]]), st.lists(st.integers(0, 30), max_size=3),
    st.integers(0, 29), st.booleans(),
)  # fmt: skip
@settings(max_examples=25)
def test_ranks_found_by_sorting_are_those_found_by_grouping_equal_rows(given_rows, keys, at, number, dropna):
    columns = dict(zip("knv", map(pd.Series, zip(*given_rows, strict=True)), strict=True))
    _, lazy = partitioned(columns, sorted(min(end, len(given_rows)) for end in at))
    how = options(number)

    def found():
        made = lazy[["v"]].rank(**how)["v"] if keys is None else lazy.groupby(keys, dropna=dropna)["v"].rank(**how)
        return np.asarray(made.tolist(), float)

    sorted_ones = found()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "fits_one_task", lambda *_: False)
        np.testing.assert_array_equal(sorted_ones, found())


def test_no_rows_and_rows_without_ranks_have_none():
    _, lazy = partitioned({"v": pd.Series([np.nan, np.nan]), "k": pd.Series([1, 2])}, [])
    assert np.isnan(lazy.groupby("k")["v"].rank(pct=True).to_ndarray()).all()
    few = lazy[lazy["k"] > 2]
    assert few.groupby("k")["v"].rank().tolist() == [] == few[["v"]].rank()["v"].tolist()


@pytest.mark.lazy_only
@pytest.mark.few_rows_only
def test_ranks_are_one_sort_in_the_plan_where_rows_are_few_enough():
    _, lazy = partitioned({"v": KINDS["float"], "k": GROUPS["whole"]}, [])
    assert "Ranks (dense) in groups" in str(lazy.groupby("k")["v"].rank("dense").explain())


def test_rows_whose_number_is_not_known_are_ranked():
    frame, lazy = partitioned({"v": KINDS["int"], "k": GROUPS["text"]}, [2, 5])
    some = lazy[lazy["v"] > 2]
    wanted = frame[frame["v"] > 2].groupby("k")["v"].rank(pct=True)
    np.testing.assert_array_equal(some.groupby("k")["v"].rank(pct=True).to_ndarray(), wanted)


def test_the_kernel_ranks_rows_of_any_groups():
    keys, by = np.array([2, 1, 2, 2, 1]), np.array([3.0, np.nan, 1.0, 3.0, np.nan])
    assert ranks([keys, by], 1, [True], "average", pct=False).tolist() == [2.5, 1.5, 1.0, 2.5, 1.5]
    assert ranks([keys, by], 1, [False], "first", pct=True).tolist() == [1 / 3, 0.5, 1.0, 2 / 3, 1.0]
    assert ranks([by], 0, [False], "dense", pct=False).tolist() == [1.0, 3.0, 2.0, 1.0, 3.0]


@pytest.mark.parametrize("kind", [*KINDS, *(["number", "text"])])
@pytest.mark.parametrize("at", [[], [0, 3, 3, 7]])
@pytest.mark.parametrize("keep", ["first", "last", False])
def test_repeated_rows_of_each_type_are_those_of_pandas(kind, at, keep):
    columns = {"v": KINDS.get(kind, GROUPS.get(kind)), "k": GROUPS["text"]}
    frame, lazy = partitioned(columns, at)
    for subset in (["v"], ["k", "v"]):
        assert lazy.duplicated(subset, keep).tolist() == frame.duplicated(subset, keep=keep).tolist()
        if keep:
            wanted = frame.drop_duplicates(subset, keep=keep).index.tolist()
            assert lazy.drop_duplicates(subset, keep=keep).index.tolist() == wanted


@example(given_rows=[(None, 0, np.nan)], names=["k", "n", "v"], at=[1], which="only")
@example(given_rows=[("a", 0, 1.0), ("a", 0, 1.0), ("a", -(2**62), 1.0)], names=["n"], at=[0], which="only")
@given(
    values, st.sampled_from([["k"], ["n"], ["n", "k"], ["k", "n", "v"]]), st.lists(st.integers(0, 30), max_size=3),
    st.sampled_from(["first", "last", "only"]),
)  # fmt: skip
@settings(max_examples=25)
def test_edges_found_by_hashes_are_those_that_groups_have_by_their_positions(given_rows, names, at, which):
    columns = dict(zip("knv", map(pd.Series, zip(*given_rows, strict=True)), strict=True))
    frame, lazy = partitioned(columns, sorted(min(end, len(given_rows)) for end in at))
    wanted = (~frame.duplicated(names, keep=which if which != "only" else False)).tolist()

    def found(rows):
        return ak.GroupBy([rows[name] for name in names], dropna=False).edge_rows(which).tolist()

    assert found(lazy) == wanted
    some = lazy[lazy["n"] != 0]
    left = frame[frame["n"] != 0]
    assert found(some) == (~left.duplicated(names, keep=which if which != "only" else False)).tolist()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(row_results, "have_long_text", lambda _: True)
        assert found(lazy) == wanted
        patch.setattr(group_rows, "fits_one_task", lambda *_: False)
        assert found(lazy) == wanted
        assert found(some) == (~left.duplicated(names, keep=which if which != "only" else False)).tolist()


def test_rows_with_equal_hashes_are_compared(monkeypatch):
    keys = [np.array([1, 2, 1, 3, 2]), pa.array(["a", "b", "a", "a", "c"], pa.large_string())]
    wanted = {"first": [1, 1, 0, 1, 1], "last": [0, 1, 1, 1, 1], "only": [0, 1, 0, 1, 1]}
    for which, found in wanted.items():
        assert edge_rows(keys, which).tolist() == [bool(item) for item in found]
    monkeypatch.setattr(row_results, "have_long_text", lambda keys: True)
    for which, found in wanted.items():
        assert edge_rows(keys, which).tolist() == [bool(item) for item in found]
    monkeypatch.setattr(row_results, "hash_rows", lambda keys: np.zeros(len(keys[0]), np.uint64))
    for which, found in wanted.items():
        assert edge_rows(keys, which).tolist() == [bool(item) for item in found]


def test_no_rows_have_no_edges():
    none = ak.DataFrame({"x": ak.array([1.0]), "s": ak.array(["a"])})[:0]
    assert none.duplicated().tolist() == [] == none.drop_duplicates(["s"])["x"].tolist()
