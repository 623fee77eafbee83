"""Groups by long text are made by hashes, and sorted once at the end if anybody minds their order."""

from itertools import count

import dask
import numpy as np
import pandas
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.table import Table
from akdask.engine import tuning as engine_tuning
from akdask.engine.optimizer import inputs_first, optimize
from akdask.operators.group import aggregation as aggregations
from akdask.operators.group import grouping as groupings
from akdask.operators.group import plan, tuning
from akdask.operators.group.aggregation import (
    HASH,
    Aggregation,
    AggregationStep,
    DistinctValues,
    by_hash,
    in_order,
    is_hashed,
    without_hashes,
)
from akdask.operators.group.grouping import Grouping, HashedGrouping
from akdask.operators.group.plan import Groups
from akdask.operators.group.strategies import (
    DirectIndexAggregation,
    GroupTable,
    HashSplitters,
    KeySplitters,
    as_one_kind,
    choose_splitters,
    have_long_text,
)
from akdask.operators.keys.hashing import are_same_keys, hash_rows

FEW_HASHES = 3
TEXT = st.sampled_from(["", "a", "b", "ab", "url number 17", "url number 18", "\x00", "ä"])


def strings(values):
    return pa.array(values, pa.large_string())


@pytest.fixture(params=[False, True], ids=["usual hashes", "few hashes"])
def _hashes(request, monkeypatch):
    """Have many keys share a hash, or not."""
    if request.param:
        hash_to_few(monkeypatch)


def few_hashes(columns):
    return hash_rows(columns) % np.uint64(FEW_HASHES)


def hash_to_few(patch):
    for module in (aggregations, groupings):
        patch.setattr(module, "hash_rows", few_hashes)


def sums_of(table):
    """Return the finished rows of an aggregation by any keys and one sum, by key."""
    columns = [
        column.to_pylist() if isinstance(column, pa.Array) else column.tolist()
        for column in without_hashes(table).columns.values()
    ]
    rows = list(zip(*columns, strict=True))
    assert len({row[:-1] for row in rows}) == len(rows)
    return {row[:-1]: row[-1] for row in rows}


def wanted_sums(keys, values):
    found = {}
    for *key, value in zip(*keys, values, strict=True):
        found[tuple(key)] = found.get(tuple(key), 0) + value
    return found


def hashed_rows(sums, keys, values):
    return sums.grouped(sums.group_by_hash(keys), values)


def hashes_of(table):
    return np.asarray(table.columns[HASH]).tolist()


@pytest.mark.parametrize("few", [False, True])
@given(
    st.lists(st.tuples(TEXT, st.integers(-2, 2), st.integers(0, 9)), max_size=40),
    st.lists(st.booleans(), min_size=1, max_size=4),
)
def test_tables_of_both_kinds_have_the_sums_of_all_rows(few, rows, kinds):
    sums = Aggregation(2, (AggregationStep("sum", (0,)),))
    text, numbers, values = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    with pytest.MonkeyPatch.context() as patch:
        if few:
            hash_to_few(patch)
        parts = zip(
            kinds,
            *(np.array_split(np.array(column, object), len(kinds)) for column in (text, numbers, values)),
            strict=True,
        )
        tables = [
            (hashed_rows if hashed else Aggregation.rows)(
                sums, [strings(t.tolist()), n.astype(np.int64)], [v.astype(np.int64)]
            )
            for hashed, t, n, v in parts
        ]
        assert [is_hashed(table) for table in tables] == kinds
        merged = sums.merge(tables)
        wanted = wanted_sums((text, numbers), values)
        assert is_hashed(merged) is any(kinds)
        assert sums_of(sums.finish(merged)) == wanted
        again, grouping = sums.merge_cached(tables, None)
        assert sums_of(sums.finish(sums.merge_cached(tables, grouping)[0])) == sums_of(sums.finish(again)) == wanted
        if any(kinds):
            assert hashes_of(merged) == sorted(hashes_of(merged))
            assert hashes_of(merged) == aggregations.hash_rows(sums.keys(merged)).tolist()
    ordered = in_order(sums.finish(merged), 2)
    assert list(sums_of(ordered)) == sorted(wanted, key=lambda key: (key[0].encode(), key[1]))
    assert not is_hashed(ordered)


@given(st.lists(st.tuples(TEXT, st.integers(0, 3)), max_size=40), st.lists(st.booleans(), min_size=1, max_size=3))
def test_distinct_values_are_counted_in_tables_of_both_kinds(rows, kinds):
    distinct = DistinctValues(1, "nunique")
    sums = distinct.aggregation
    parts = [rows[number :: len(kinds)] for number in range(len(kinds))]
    tables = [
        (hashed_rows if hashed else Aggregation.rows)(
            sums, [strings([t for t, _ in part]), np.array([n for _, n in part], np.int64)], []
        )
        for hashed, part in zip(kinds, parts, strict=True)
    ]
    found = sums_of(in_order(distinct.finish(distinct.merge(tables)), 1))
    assert found == {(text,): len({n for t, n in rows if t == text}) for text, _ in rows}
    assert list(found) == sorted(found, key=lambda key: key[0].encode())


@pytest.mark.parametrize("few", [False, True])
@given(
    st.lists(st.lists(TEXT, max_size=30), min_size=2, max_size=4),
    st.lists(st.booleans(), min_size=4, max_size=4),
    st.integers(1, 4),
)
def test_tables_of_both_kinds_are_cut_at_common_hashes(few, texts, kinds, count):
    kinds = [True, *kinds][: len(texts)]
    sums = Aggregation(1, (AggregationStep("size", ()),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "FEW_SPLIT_ROWS", 0)
        if few:
            hash_to_few(patch)
        parts = as_one_kind(
            [
                GroupTable((hashed_rows if hashed else Aggregation.rows)(sums, [strings(text)], []))
                for hashed, text in zip(kinds, texts, strict=True)
            ]
        )
        splitters = choose_splitters([part.sample(1, 8, number) for number, part in enumerate(parts)], count)
        assert isinstance(splitters, HashSplitters)
        cut = [part.split(splitters, count, 1) for part in parts]
        assert [len(ranges) for ranges in cut] == [count] * len(parts)
        merged = [sums.merge([part.rows for part in same]) for same in zip(*cut, strict=True)]
    found = [text for table in merged for text in table.columns[0].to_pylist()]
    everything = [text for part in texts for text in part]
    assert sorted(found) == sorted(set(everything))
    sizes = {text: size for table in merged for (text,), size in sums_of(sums.finish(table)).items()}
    assert sizes == {text: everything.count(text) for text in everything}


@given(st.lists(st.tuples(TEXT, st.integers(0, 3)), max_size=60), st.sampled_from([1, FEW_HASHES, 2**63]))
def test_other_keys_are_sorted_within_a_hash(rows, hashes):
    text, numbers = strings([one for one, _ in rows]), np.array([other for _, other in rows], np.int64)
    given_hashes = hash_rows([text]) % np.uint64(hashes)
    check_within_hashes(HashedGrouping.of_hashes(given_hashes, [text, numbers], 1), rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(groupings, "hash_rows", lambda columns: hash_rows(columns) % np.uint64(hashes))
        check_within_hashes(HashedGrouping.of_rows([text, numbers], 1), rows)


def check_within_hashes(grouping, rows):
    hashed, keys = grouping.hashes, grouping.keys
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


@pytest.mark.parametrize("repeats", [True, False], ids=["repeated", "distinct"])
def test_groups_of_rows_are_in_the_order_of_hashes(repeats):
    random = np.random.default_rng(3)
    names = strings([f"name {number}" for number in random.integers(0, 50 if repeats else 10**9, 20_000)])
    numbers = random.integers(-(2**62), 2**62, 20_000) // 2**50 * 2**50
    wanted = pandas.DataFrame(
        {"hash": hash_rows([names]), "name": names.to_pylist(), "number": numbers}
    ).drop_duplicates()
    wanted = wanted.sort_values(["hash", "number"])
    for grouping in (
        HashedGrouping.of_rows([names, numbers], 1),
        HashedGrouping.of_hashes(hash_rows([names]), [names, numbers], 1),
    ):
        assert grouping.hashes.tolist() == wanted["hash"].tolist()
        assert grouping.keys[0].to_pylist() == wanted["name"].tolist()
        assert grouping.keys[1].tolist() == wanted["number"].tolist()
        ((sizes,),) = grouping.reduce(lambda groups, _: [(groups.sizes(),)], [])
        assert len(sizes) == len(wanted)
        assert sizes.sum() == 20_000


def test_rows_by_hash_tell_how_much_memory_they_take():
    names, numbers = strings(["a", "b", "a", "a"]), np.array([5, 5, 5, 5])
    by_number = Grouping([np.array([0, 1, 0, 0]), numbers])
    # Each of the two groups has a hash, a place, a number, the end of its string and a byte.
    assert HashedGrouping.of_rows([names, numbers], 1).nbytes == by_number.nbytes + 2 * (8 + 8 + 8 + 8 + 1)


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
    sums = Aggregation(1, (AggregationStep("sum", (0,)),))
    direct = DirectIndexAggregation(sums, 8)
    keys, values = strings(["b", "a", "b"]), np.array([1, 2, 4])
    direct.add(direct.accepts([keys], [values]), [values])
    others = hashed_rows(sums, [strings(["c", "a"])], [np.array([8, 16])])
    found = direct.finish([others]).table()
    assert sums_of(sums.finish(found)) == {("a",): 18, ("b",): 5, ("c",): 8}
    assert hashes_of(found) == sorted(hash_rows([strings(["a", "b", "c"])]).tolist())


def test_values_stay_in_order_where_a_table_is_sorted_by_hashes():
    table = Table({0: strings(["a", "a", "b"]), 1: np.array([4, 7, 5]), (0, 0): np.array([1, 2, 3])}, 3)
    found = by_hash(table, 1)
    numbers = dict(zip(found.columns[1].tolist(), found.columns[0, 0].tolist(), strict=True))
    assert numbers == {4: 1, 7: 2, 5: 3}
    assert found.columns[1].tolist() in ([4, 7, 5], [5, 4, 7])
    assert hashes_of(found) == sorted(hash_rows([table.columns[0]]).tolist())
    assert by_hash(found, 1) is found


@pytest.mark.parametrize(
    ("keys", "are_long"),
    [
        ([strings([f"{number:09d}" for number in range(5000)])], False),
        ([strings([f"{number * 2654435761 % 2**32:08x}" * 5 for number in range(5000)])], True),
        ([strings([f"{number * 2654435761 % 2**32:08x}" * 5 for number in range(50)])], False),
        ([strings([f"{number:09d}" * 9 for number in range(5000)])], True),
        ([strings(["x"] * 5000), np.arange(5000)], False),
        ([np.arange(5000), strings([f"{number * 2654435761 % 2**32:08x}" * 5 for number in range(5000)])], True),
        ([np.arange(5000), np.arange(5000)], False),
    ],
)
def test_text_is_long_whose_codes_take_several_words(keys, are_long):
    assert have_long_text(keys) is are_long


ROWS = pandas.DataFrame({
    "s": [f"{'text' * (number % 3 * 9)} {number * 37 % 400:03d}" for number in range(1000)],
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


def always(keys):
    return True


def by_turns():
    """Return a function that hashes the keys of every other partition."""
    turns = count()
    return lambda keys: next(turns) % 2 == 0


@pytest.mark.parametrize("kind", ["hashed", "by turns", "sorted"])
@pytest.mark.parametrize(
    ("ranges", "limits"), [(1, {}), (3, {}), (3, {"MOST_ORDERED_RANGES": 0}), (3, {"MOST_SLICES": 0})]
)
@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.usefixtures("_hashes")
def test_questions_of_text_keys_are_answered_as_pandas_does(name, ranges, limits, kind, files, monkeypatch):  # noqa: PLR0917
    chosen = {"hashed": always, "by turns": by_turns(), "sorted": lambda keys: False}[kind]
    monkeypatch.setattr(plan, "have_long_text", chosen)
    for limit, value in {"MOST_STRINGS": 0, "RANGE_ROWS": -(-1000 // ranges), "FEW_SPLIT_ROWS": 10, **limits}.items():
        monkeypatch.setattr(tuning, limit, value)
    found = QUESTIONS[name](ak.DataFrame(ak.read_parquet(files))).to_pandas()
    pandas.testing.assert_frame_equal(found, QUESTIONS[name](ROWS), check_dtype=False)


@pytest.mark.cluster
@pytest.mark.usefixtures("cluster_client")
@pytest.mark.parametrize("name", ["sums", "of groups", "distinct text"])
def test_workers_exchange_groups_of_long_text(name, tmp_path):
    rows = ROWS.loc[np.arange(20_000) % 1000].reset_index(drop=True)
    rows["s"] = [f"{number * 2654435761 % 2**32:08x}" * 9 for number in np.arange(20_000) % 7000]
    for number in range(2):
        rows[number::2].to_parquet(tmp_path / f"rows{number}.parquet", index=False)
    found = QUESTIONS[name](ak.DataFrame(ak.read_parquet(str(tmp_path / "rows*.parquet")))).to_pandas()
    pandas.testing.assert_frame_equal(found, QUESTIONS[name](rows), check_dtype=False)


@pytest.mark.parametrize("is_hashed_too", [False, True])
def test_tables_on_disk_are_cut_at_hashes(is_hashed_too, monkeypatch):
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", 0)
    sums = Aggregation(1, (AggregationStep("size", ()),))
    texts = strings([f"text {number}" for number in range(500)])
    make = hashed_rows if is_hashed_too else Aggregation.rows
    parts = [
        GroupTable(make(sums, [texts], [])).to_disk().open(),
        GroupTable(hashed_rows(sums, [texts.slice(100)], [])).to_disk().open(),
    ]
    splitters = choose_splitters([part.sample(1, 64, number) for number, part in enumerate(parts)], 3)
    cut = zip(*(part.split(splitters, 3, 1) for part in parts), strict=True)
    merged = [sums.merge([part.table() for part in same]) for same in cut]
    assert all(table.nrows > 50 for table in merged)
    assert sum(table.nrows for table in merged) == len(texts)
    found = {text: size for table in merged for (text,), size in sums_of(sums.finish(table)).items()}
    assert found == {f"text {number}": 1 + (number >= 100) for number in range(500)}


def in_rows(groups, by, ascending):
    # Sorts are stable in akdask, in pandas if asked.
    options = {"kind": "stable"} if isinstance(groups, pandas.DataFrame) else {}
    return groups.sort_values(by, ascending=ascending, **options)


def top(groups, by):
    return in_rows(groups, by, [False, *[True] * (len(by) - 1)]).head(9)


def last(groups, by):
    return in_rows(groups, by, True).tail(9)


def of_many(groups):
    return groups[groups["n"] > 0]


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
        (lambda rows: of_many(rows.groupby("s", as_index=False).agg(n=("x", "size")))["n"].sum(), False),
        (lambda rows: top(rows.groupby("s", as_index=False).agg(n=("k", "max")), ["n"])["s"], False),
        (lambda rows: top(rows.groupby(["t", "s"], as_index=False).agg(n=("k", "max")), ["s", "n"])["t"], False),
        (lambda rows: last(rows.groupby("s", as_index=False).agg(n=("k", "max")), ["n"])["s"], False),
        (lambda rows: top(of_many(rows.groupby("s", as_index=False).agg(n=("k", "max"))), ["n"])["s"], False),
        (lambda rows: top(of_many(rows.groupby("s", as_index=False).agg(n=("k", "nunique"))), ["n"])["s"], False),
    ],
)
def test_groups_by_text_are_sorted_for_readers_of_their_order(question, is_sorted, files):
    asked = question(ak.DataFrame(ak.read_parquet(files)))
    (optimized,) = optimize([asked.expr])
    assert [node.ordered for node in inputs_first([optimized]) if isinstance(node, Groups)] == [is_sorted]
    found, wanted = dask.compute(asked)[0], question(ROWS)
    missing = np.asarray(pandas.isna(wanted))
    assert np.array_equal(np.asarray(pandas.isna(pandas.Series(np.atleast_1d(found)))), np.atleast_1d(missing))
    assert np.array_equal(np.atleast_1d(found)[~missing], np.atleast_1d(np.asarray(wanted))[~missing])


def test_sorted_groups_that_are_kept_are_not_made_again(files):
    groups = ak.DataFrame(ak.read_parquet(files)).groupby("s", as_index=False).agg(n=("x", "size"))
    counts = groups["n"]
    assert counts.tolist() == ROWS.groupby("s").size().tolist()
    (optimized,) = optimize([counts.max().expr])
    assert all(node.ordered for node in inputs_first([optimized]) if isinstance(node, Groups))


@pytest.mark.usefixtures("_hashes")
@pytest.mark.parametrize("is_long", [True, False])
def test_rows_of_later_blocks_join_those_whose_first_block_was_looked_at(is_long, files, monkeypatch):
    seen = []
    monkeypatch.setattr(plan, "have_long_text", lambda keys: seen.append(len(keys[0])) or is_long)
    monkeypatch.setattr(tuning, "MOST_STRINGS", 0)
    monkeypatch.setattr(engine_tuning, "FEW_BLOCK_ROWS", 0)
    monkeypatch.setattr(engine_tuning, "FEWEST_BLOCK_ROWS", 1)
    with ak.config.set(block_size=2**9):
        found = QUESTIONS["sums"](ak.DataFrame(ak.read_parquet(files))).to_pandas()
    pandas.testing.assert_frame_equal(found, QUESTIONS["sums"](ROWS), check_dtype=False)
    # Keys are looked at until a block has left rows, which the first does.
    assert len(seen) == 1
    assert seen[0] < 500
