"""Plans of groups: their partitions and names, the columns that are kept, and the strategies that may serve."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import akdask as ak
from akdask.columns.dtypes import FLOAT64, INT64
from akdask.columns.table import Table
from akdask.engine import cache
from akdask.engine.rowwise import Filter, column_identity
from akdask.engine.values import Call, Constant
from akdask.operators.group import plan, rows, tuning
from akdask.operators.group.aggregation import Aggregation, AggregationStep
from akdask.operators.group.plan import (
    CachedColumns,
    GroupAggregate,
    GroupIdentity,
    GroupReduction,
    GroupStatistic,
    PartialAggregation,
)
from akdask.operators.group.rows import RowsByGroup, RowsPerGroup, TopRowsOfGroups
from akdask.testing.memory import MemorySource
from tests.thresholds import small_data_as_large

pytestmark = [pytest.mark.lazy_only, pytest.mark.few_rows_only]


def columns_of(nrows=10, parts=1, **columns):
    """Return a frame of so many rows in partitions, and its columns."""
    lengths = [len(part) for part in np.array_split(np.arange(nrows), parts)]
    made = columns or {"k": np.arange(nrows), "v": np.arange(nrows) * 0.5}
    arrays = MemorySource(made, lengths).arrays()
    return next(iter(arrays.values()))._frame, {name: array._value for name, array in arrays.items()}


@pytest.mark.parametrize(
    ("nrows", "parts", "few", "expected"),
    [
        (10, 5, 10, 1),
        (10, 5, 9, 2),
        (10, 5, 5, 2),
        (10, 5, 4, 3),
        (10, 5, 1, 5),
        (10, 1, 1, 1),
        (0, 3, 4, 1),
    ],
)
def test_groups_have_a_partition_for_so_many_rows_and_no_more_than_the_rows_have(
    monkeypatch, nrows, parts, few, expected
):
    monkeypatch.setattr(tuning, "RANGE_ROWS", few)
    frame, columns = columns_of(nrows, parts)
    assert plan._planned_ranges(frame, [columns["k"]]) == expected
    predicate = Call("less", columns["k"], Constant(1))
    few_rows = Filter(frame, predicate, column_identity(frame, predicate))
    assert plan._planned_ranges(few_rows, [columns["k"]]) == expected
    identity = GroupIdentity.of(frame, [columns["k"]])
    assert (identity.npartitions, len(identity.keys)) == (expected, 1)
    assert identity.moved().npartitions == expected
    assert identity.moved().token != identity.token


def test_memory_for_the_keys_bounds_the_rows_of_a_partition_of_groups(monkeypatch):
    frame, columns = columns_of(100, 50)
    monkeypatch.setattr(plan, "partition_size", lambda: 8 * 9)
    assert plan._planned_ranges(frame, [columns["k"]]) == 10
    monkeypatch.setattr(plan, "partition_size", lambda: 8 * 10**6)
    monkeypatch.setattr(plan, "rows_grouped", lambda keys: 20 // len(keys))
    assert plan._planned_ranges(frame, [columns["k"]]) == 5
    assert plan._planned_ranges(frame, [columns["k"], columns["v"]]) == 10


def test_workers_merge_more_groups_as_one_than_they_would_exchange(monkeypatch):
    monkeypatch.setattr(tuning, "RANGE_ROWS", 5)
    monkeypatch.setattr(tuning, "RANGES_FOR_EXCHANGE", 4)
    frame, columns = columns_of(60, 30)
    assert plan._planned_ranges(frame, [columns["k"]]) == 12
    monkeypatch.setattr(plan, "on_cluster", lambda: True)
    assert plan._planned_ranges(frame, [columns["k"]]) == 3
    # Of joins of unknown size, the rows of the largest source are taken.
    monkeypatch.setattr(plan, "rows_at_most", lambda _: None)
    predicate = Call("less", columns["k"], Constant(1))
    few_rows = Filter(frame, predicate, column_identity(frame, predicate))
    for some in frame, few_rows:
        assert plan._planned_ranges(some, [columns["k"]]) == 3


def test_rows_that_no_plan_tells_leave_groups_as_many_partitions(monkeypatch):
    frame, columns = columns_of(100, 7)
    monkeypatch.setattr(plan, "rows_at_most", lambda _: None)
    assert plan._planned_ranges(frame, [columns["k"]]) == 7


def test_nodes_of_groups_describe_what_they_group_and_compute():
    frame, columns = columns_of()
    key, value = columns["k"], columns["v"]
    identity = GroupIdentity.of(frame, (key,))
    sums = GroupAggregate.of(frame, [key, value], [GroupReduction("sum", value), GroupReduction("size")])
    assert sums.describe() == "Group by k, v: sum(v), size()"
    assert [sums.describe_column(number) for number in range(4)] == ["k", "v", "sum(v)", "size()"]
    assert sums.describe_column("name") is None
    assert [sums.result(number).name for number in (0, 1)] == [2, 3]
    assert [sums.result(number).dtype for number in (0, 1)] == [FLOAT64, INT64]
    assert [sums.key(number).name for number in (0, 1)] == [0, 1]
    assert GroupAggregate.of(frame, [key]).describe() == "Group by k: distinct"
    statistic = GroupStatistic(frame, (key,), identity, value, "median", True, False, (), ())
    assert statistic.describe() == "Group by k: median(v)"
    assert [statistic.describe_column(number) for number in (0, 1)] == ["k", "median(v)"]
    assert (statistic.result.name, statistic.result.dtype) == (1, FLOAT64)
    assert statistic.cached_columns.columns == (0, 1)
    for some, words in (
        (None, "Rows by k, v"), (RowsPerGroup("head", 2), "Head of groups by k, v"),
        (RowsPerGroup("sample", 2), "Sample of groups by k, v"),
    ):  # fmt: skip
        assert RowsByGroup(frame, (key, value), identity, (value,), some).describe() == words
    top = TopRowsOfGroups(frame, (key,), identity, (value, key), (True, False), key, 3)
    assert top.describe() == "First 3 of groups by k in order of v, k descending"


def test_reductions_are_told_apart_by_all_their_arguments():
    _, columns = columns_of()
    key, value = columns["k"], columns["v"]
    made = [
        GroupReduction("sum", value),
        GroupReduction("sum", value, skipna=False),
        GroupReduction("sum", key),
        GroupReduction("prod", value),
        GroupReduction("var", value, ddof=1),
        GroupReduction("var", value, ddof=0),
        GroupReduction("size"),
    ]
    assert len({item.token for item in made}) == len(made)
    assert made[0].skipna
    assert GroupReduction("sum", value, skipna=True).token == made[0].token
    assert [item.dtype for item in made] == [FLOAT64, FLOAT64, INT64, FLOAT64, FLOAT64, FLOAT64, INT64]
    for item in made:
        again = pickle.loads(pickle.dumps(item))
        assert (again.token, again.skipna, again.params) == (item.token, item.skipna, item.params)


@pytest.mark.parametrize(
    ("at", "nbytes", "expected"),
    [
        ((False, 0, 100), 100, {"radix"}),
        ((False, 2**40, 100), 101, set()),
        ((True, 2**30, 0), 10**9, {"radix"}),
        ((True, 2**30 - 1, 10**9), 1, set()),
    ],
)
def test_rows_are_kept_where_there_is_memory_for_them(monkeypatch, at, nbytes, expected):
    on_cluster, memory, share = at
    monkeypatch.setattr(plan, "on_cluster", lambda: on_cluster)
    monkeypatch.setattr(plan, "memory", lambda: memory)
    monkeypatch.setattr(plan, "memory_share", lambda: share)
    assert plan._keeping_rows(nbytes) == expected


def test_columns_of_groups_are_kept_up_to_a_size_and_found_where_all_are():
    columns = CachedColumns("columns of some groups", (0, "a"))
    tables = [Table({0: np.arange(n), 1: np.arange(n) * 2}, n) for n in (2, 3)]
    plan._keep([tables[0]], columns, 0, 10**6)
    # Without a lease, nothing is kept.
    assert columns.find(1) is None
    held = columns.lease()
    assert columns.find(1) is None
    assert plan._keep([tables[0]], columns, 0, 31) is tables[0]
    assert columns.find(1) is None
    plan._keep([tables[0]], columns, 0, 32)
    (found,) = columns.find(1)
    assert [column.tolist() for column in found.columns.values()] == [[0, 1], [0, 2]]
    assert (found.nrows, list(found.columns)) == (2, [0, 1])
    assert columns.find(2) is None
    plan._keep([tables[1]], columns, 1, 10**6)
    assert [table.nrows for table in columns.find(2)] == [2, 3]
    # Columns are kept each on its own, and all are needed.
    assert [list(table.columns) for table in CachedColumns(held.name, ("a",)).find(2)] == [[0], [0]]
    assert CachedColumns(held.name, ("a", "b")).find(2) is None
    assert cache.is_leased(held.name)


SUMS = Aggregation(1, (AggregationStep("sum", (0,)),))
KEYS = Aggregation(1, ())


@pytest.mark.parametrize(
    ("aggregation", "names", "cached_as", "is_one", "expected"),
    [
        (KEYS, ["k"], None, True, True),
        (KEYS, ["v"], None, True, True),
        (KEYS, ["k"], None, False, False),
        (KEYS, ["k"], ("name",), True, False),
        (SUMS, ["k", "v"], None, True, False),
        (Aggregation(2, ()), ["k", "v"], None, True, False),
        (KEYS, ["small"], None, True, False),
        (rows.TopRows(1, (True,), 1), ["k"], None, True, False),
    ],
)
def test_distinct_keys_are_found_block_by_block_where_one_key_of_numbers_is_all_that_is_wanted(
    aggregation, names, cached_as, is_one, expected
):
    frame, columns = columns_of(3, k=np.arange(3), v=np.arange(3.0), small=np.arange(3) > 1)
    found = []

    def sink(compile_these, values):
        programs = compile_these(values), compile_these([])
        found.append(PartialAggregation(*programs, aggregation, frozenset(), cached_as, is_one))
        return found[0]

    plan.pipeline(frame, [columns[name] for name in names], sink, "test")
    assert found[0]._wants_one_key == expected


def test_keys_and_sizes_that_are_computed_apart_are_cut_to_partitions_alike():
    with small_data_as_large(materialized=True):
        rows = ak.DataFrame({"n": [0, 0, -(2**62)]})
        groups = ak.GroupBy([ak.DataFrame.concat([rows[:0], rows])["n"]], dropna=False)
        sizes = groups.broadcast(groups.size()[1])
        # With them goes what was kept of the groups.
        del groups
        assert sizes.tolist() == [2, 2, 1]


def test_samples_of_many_tables_are_few_each(monkeypatch):
    calls = []
    monkeypatch.setattr(
        plan, "Tasks", lambda name, function, given, *inputs: calls.append((function, given)) or Nodes(len(given))
    )
    monkeypatch.setattr(plan, "Union", lambda *nodes: nodes)
    monkeypatch.setattr(tuning, "FEW_TABLES", 4)
    monkeypatch.setattr(tuning, "MOST_SAMPLES", 40)
    monkeypatch.setattr(tuning, "TABLE_SAMPLES", 9)
    monkeypatch.setattr(tuning, "RANGE_SAMPLES", 2)
    monkeypatch.setattr(tuning, "FEW_MERGED_ROWS", 6)
    for ntables, count, most, few_rows in (
        (4, 3, 9, -1), (5, 3, 8, 6), (8, 3, 5, 6), (100, 3, 2, 6), (10, 30, 6, 6),
    ):  # fmt: skip
        calls.clear()
        plan._split_tables("n", Nodes(ntables), count, SUMS)
        by_function = {function.__name__: given for function, given in calls}
        assert by_function["_sample"] == tuple(
            (((0, number),), (number, 1, most, few_rows)) for number in range(ntables)
        )
        assert ("_merge_few" in by_function) == ("_split_merged" in by_function) == (ntables > 4)
        ((inputs, arguments),) = by_function["_choose"]
        assert arguments == (count, 1)
        assert len(inputs) <= 4
        split = by_function["_split"]
        assert [inputs for inputs, _ in split] == [((0, number), (1, 0)) for number in range(ntables)]
        assert [given[:3] for _, given in split] == [(number, count, 1) for number in range(ntables)]
    # Tables that merging does not make smaller are not merged beforehand.
    calls.clear()
    plan._split_tables("n", Nodes(9), 3, rows.Arrangement(1))
    assert [function.__name__ for function, _ in calls] == ["_sample", "_choose", "_split"]
    assert all(given[-1] == -1 for _, given in calls[0][1])


class Nodes:
    """Stands for a node of so many partitions."""

    def __init__(self, npartitions):
        self.npartitions = npartitions


def test_values_of_groups_go_to_the_rows_of_their_keys_and_missing_values_elsewhere():
    keys, values = np.array([3, 5]), np.array([1.5, 2.5])
    groups = rows._index_groups([Table({0: keys[:1], 1: values[:1]}, 1), Table({0: keys[1:], 1: values[1:]}, 1)])
    assert groups.__sizeof__() >= values.nbytes
    found = rows._spread((Table({0: np.array([5, 4, 3, 5])}, 4), groups))
    np.testing.assert_array_equal(found.columns[0], [2.5, np.nan, 1.5, 2.5])


@pytest.mark.parametrize(
    ("permutation", "segments", "size", "expected"),
    [
        ([2, 0, 1], [0, 1], 3, [1, 1, 0]),
        ([2, 0], [0, 1], 4, [1, -1, 0, -1]),
        ([], [], 2, [-1, -1]),
        ([0, 1], [0, 0], 2, None),
        ([0, 1], [1], 2, None),
        ([0, 2], [0], 2, None),
        ([0, -1], [0], 2, None),
        ([0, 0], [0], 2, None),
        ([0, 1], [0, 2], 2, None),
        ([1, 0], [0, 1], 2, [1, 0]),
    ],
)
def test_rows_have_the_numbers_of_their_groups(permutation, segments, size, expected):
    tables = [Table({0: np.array(column, np.int64)}, len(column)) for column in (permutation, segments)]
    if expected is None:
        with pytest.raises(ak.errors.ArgumentError, match="do not describe groups"):
            rows._number_groups(tables, 1, size)
    else:
        assert rows._number_groups(tables, 1, size).columns[0].tolist() == expected
        halves = [tables[0], tables[0].slice(0, 0), tables[1]]
        assert rows._number_groups(halves, 2, size).columns[0].tolist() == expected
