"""Groups by text are made by hashes, and sorted once at the end if anybody minds their order."""

import dask
import numpy as np
import pandas
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.table import Table
from akdask.engine.optimizer import inputs_first, optimize
from akdask.operators.group import aggregation as aggregations
from akdask.operators.group import tuning
from akdask.operators.group.aggregation import Aggregation, AggregationStep
from akdask.operators.group.grouping import HashedGrouping
from akdask.operators.group.plan import Groups
from akdask.operators.group.strategies import DirectIndexAggregation, KeySplitters
from akdask.operators.keys.hashing import are_same_keys, hash_rows

FEW_HASHES = 3
TEXT = st.sampled_from(["", "a", "b", "ab", "url number 17", "url number 18", "\x00", "ä"])


def strings(values):
    return pa.array(values, pa.large_string())


@pytest.fixture(params=[False, True], ids=["usual hashes", "few hashes"])
def _hashes(request, monkeypatch):
    """Have many keys share a hash, or not."""
    if request.param:
        monkeypatch.setattr(aggregations, "hash_rows", few_hashes)


def few_hashes(columns):
    return hash_rows(columns) % np.uint64(FEW_HASHES)


def sums_of(table):
    """Return the finished rows of an aggregation by any keys and one sum, by key."""
    columns = [
        column.to_pylist() if isinstance(column, pa.Array) else column.tolist() for column in table.columns.values()
    ]
    rows = list(zip(*columns, strict=True))
    assert len({row[:-1] for row in rows}) == len(rows)
    return {row[:-1]: row[-1] for row in rows}


def wanted_sums(keys, values):
    found = {}
    for *key, value in zip(*keys, values, strict=True):
        found[tuple(key)] = found.get(tuple(key), 0) + value
    return found


@pytest.mark.parametrize("few", [False, True])
@given(st.lists(st.tuples(TEXT, st.integers(-2, 2), st.integers(0, 9)), max_size=40), st.integers(1, 4))
def test_tables_of_hashed_keys_have_the_sums_of_all_rows(few, rows, parts):
    sums = Aggregation(2, (AggregationStep("sum", (0,)),), hashed=2)
    text, numbers, values = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    with pytest.MonkeyPatch.context() as patch:
        if few:
            patch.setattr(aggregations, "hash_rows", few_hashes)
        tables = [
            sums.rows([strings(t.tolist()), n.astype(np.int64)], [v.astype(np.int64)])
            for t, n, v in zip(
                *(np.array_split(np.array(column, object), parts) for column in (text, numbers, values)), strict=True
            )
        ]
        for table in tables:
            assert (np.diff(table.columns[0].astype(object)) >= 0).all()
        merged = sums.merge(tables)
        assert sums_of(sums.finish(merged)) == wanted_sums((text, numbers), values)
        again, grouping = sums.merge_cached(tables, None)
        assert sums_of(sums.finish(sums.merge_cached(tables, grouping)[0])) == sums_of(sums.finish(again))
    assert (np.diff(merged.columns[0].astype(object)) >= 0).all()


@given(st.lists(st.tuples(TEXT, st.integers(0, 3)), max_size=60), st.sampled_from([1, FEW_HASHES, 2**63]))
def test_other_keys_are_sorted_within_a_hash(rows, hashes):
    text, numbers = strings([one for one, _ in rows]), np.array([other for _, other in rows], np.int64)
    given_hashes = hash_rows([text]) % np.uint64(hashes)
    grouping = HashedGrouping(given_hashes, [text, numbers], 1)
    hashed, *keys = grouping.keys
    found = list(zip(keys[0].to_pylist(), keys[1].tolist(), strict=True))
    assert sorted(found) == sorted(set(rows))
    for key in {one for one, _ in found}:
        # Rows of a key are adjacent, its numbers ascend.
        places = [place for place, (one, _) in enumerate(found) if one == key]
        assert places == list(range(places[0], places[-1] + 1))
        assert [found[place][1] for place in places] == sorted(found[place][1] for place in places)
    assert (np.diff(hashed.astype(object)) >= 0).all()
    ((counts,),) = grouping.reduce(lambda groups, _: [(groups.sizes(),)], [])
    assert dict(zip(found, counts.tolist(), strict=True)) == {row: rows.count(row) for row in rows}


def test_numbered_hashes_leave_the_order_of_hashes():
    # So many rows repeat that hashes are numbered before the other key is looked at.
    random = np.random.default_rng(3)
    names = strings([f"name {number}" for number in random.integers(0, 50, 20_000)])
    numbers = random.integers(-(2**62), 2**62, 20_000) // 2**50 * 2**50
    grouping = HashedGrouping(hash_rows([names]), [names, numbers], 1)
    wanted = pandas.DataFrame(
        {"hash": hash_rows([names]), "name": names.to_pylist(), "number": numbers}
    ).drop_duplicates()
    wanted = wanted.sort_values(["hash", "number"])
    assert grouping.keys[0].tolist() == wanted["hash"].tolist()
    assert grouping.keys[1].to_pylist() == wanted["name"].tolist()
    assert grouping.keys[2].tolist() == wanted["number"].tolist()


@pytest.mark.parametrize(
    ("column", "others", "same"),
    [
        (strings(["a", "b", "a"]), [0, 1, 0], True),
        (strings(["a", "b", "ab"]), [0, 1, 0], False),
        (strings(["", "b", ""]), [0, 1, 0], True),
        (strings(["ab", "b", "ac"]), [0, 1, 0], False),
        (np.array([0.0, 1.0, -0.0]), [0, 1, 0], True),
        (np.array([np.nan, 1.0, np.nan]), [0, 1, 0], True),
        (np.array([1, 2, 3]), [0, 1, 1], False),
        (np.array([1, 2, 3]), [0, 1, 2], True),
        (strings([]), [], True),
    ],
)
def test_rows_are_compared_with_others(column, others, same):
    assert are_same_keys([column], np.array(others, np.int64)) is same
    assert are_same_keys([np.zeros(len(column)), column], np.array(others, np.int64)) is same


@pytest.mark.parametrize("number", range(5))
def test_rows_of_a_range_are_found_in_any_order(number):
    table = Table({0: np.array([2, 1, 3, 2, 1, 2]), 1: strings(["b", "z", "a", "a", "", "c"])}, 6)
    splitters = KeySplitters([[np.int64(1), b"z"], [np.int64(2), b"b"], [np.int64(2), b"bb"]])
    wanted = [[4], [1, 3], [0], [2, 5], []][number]
    assert splitters.rows(table, number, 2).tolist() == wanted


def test_few_strings_meet_many_by_their_hashes():
    sums = Aggregation(1, (AggregationStep("sum", (0,)),), hashed=1)
    direct = DirectIndexAggregation(sums, 8)
    keys, values = strings(["b", "a", "b"]), np.array([1, 2, 4])
    direct.add(direct.accepts([keys], [values]), [values])
    others = sums.rows([strings(["c", "a"])], [np.array([8, 16])])
    found = direct.finish([others]).table()
    assert sums_of(sums.finish(found)) == {("a",): 18, ("b",): 5, ("c",): 8}
    assert found.columns[0].tolist() == sorted(hash_rows([strings(["a", "b", "c"])]).tolist())


ROWS = pandas.DataFrame({
    "s": [f"text {number * 37 % 400:03d}" for number in range(1000)],
    "t": [None if number % 11 == 0 else "xyz"[number % 3] for number in range(1000)],
    "k": [number % 5 for number in range(1000)],
    "x": [number * 7919 % 1000 / 8 for number in range(1000)],
})  # fmt: skip

QUESTIONS = {
    "sums": lambda rows: rows.groupby("s").agg(x=("x", "sum"), k=("k", "max")),
    "two keys": lambda rows: rows.groupby(["k", "s"], as_index=False).agg(x=("x", "mean")),
    "text in the second place": lambda rows: rows.groupby(["s", "t"], as_index=False).agg(n=("x", "size")),
    "distinct numbers": lambda rows: rows.groupby("s").agg(n=("x", "nunique")),
    "distinct text": lambda rows: rows.groupby("s", as_index=False).agg(n=("t", "nunique")),
    "most frequent": lambda rows: (
        rows.groupby("s", as_index=False).agg(n=("x", "size")).sort_values(["n", "s"]).head(7)
    ),
    "of groups": lambda rows: rows.groupby("s", as_index=False).agg(n=("x", "sum")).groupby("n").agg(m=("s", "size")),
}


@pytest.fixture
def files(tmp_path):
    for number in range(4):
        ROWS[250 * number : 250 * (number + 1)].to_parquet(tmp_path / f"rows{number}.parquet", index=False)
    return str(tmp_path / "rows*.parquet")


@pytest.mark.parametrize(("ranges", "most_ordered"), [(1, 16), (3, 16), (3, 0)])
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.usefixtures("_hashes")
def test_questions_of_text_keys_are_answered_as_pandas_does(name, ranges, most_ordered, files, monkeypatch):
    monkeypatch.setattr(tuning, "RANGE_ROWS", -(-1000 // ranges))
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", 10)
    monkeypatch.setattr(tuning, "MOST_ORDERED_RANGES", most_ordered)
    found = QUESTIONS[name](ak.DataFrame(ak.read_parquet(files))).to_pandas()
    pandas.testing.assert_frame_equal(found, QUESTIONS[name](ROWS), check_dtype=False)


@pytest.mark.parametrize(
    ("question", "is_sorted"),
    [
        (lambda rows: rows.groupby("s", as_index=False).agg(n=("x", "size"))["n"], True),
        (lambda rows: rows.groupby("s", as_index=False).agg(n=("x", "nunique"))["n"], True),
        (lambda rows: rows.groupby("s", as_index=False).agg(n=("x", "size"))["n"].max(), False),
        (lambda rows: rows.groupby("s", as_index=False).agg(n=("x", "nunique"))["n"].max(), False),
        (lambda rows: rows.groupby(["k", "s"], as_index=False).agg(n=("x", "size"))["n"].sum(), False),
        (lambda rows: rows["s"].nunique(), False),
        (lambda rows: rows.groupby("k", as_index=False).agg(n=("x", "size"))["n"].max(), True),
    ],
)
def test_groups_by_text_are_sorted_for_readers_of_their_order(question, is_sorted, files):
    asked = question(ak.DataFrame(ak.read_parquet(files)))
    (plan,) = optimize([asked.expr])
    assert [node.ordered for node in inputs_first([plan]) if isinstance(node, Groups)] == [is_sorted]
    found, wanted = dask.compute(asked)[0], question(ROWS)
    assert np.array_equal(np.asarray(found), np.asarray(wanted))


def test_sorted_groups_that_are_kept_are_not_made_again(files):
    groups = ak.DataFrame(ak.read_parquet(files)).groupby("s", as_index=False).agg(n=("x", "size"))
    counts = groups["n"]
    assert counts.tolist() == ROWS.groupby("s").size().tolist()
    (plan,) = optimize([counts.max().expr])
    assert all(node.ordered for node in inputs_first([plan]) if isinstance(node, Groups))
