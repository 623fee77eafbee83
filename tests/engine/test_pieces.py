"""Pieces that plans and their tasks are made of, each by itself: numbers, bounds and choices stated in tables."""

from __future__ import annotations

import gc
import pickle
import sys
from itertools import accumulate, product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask import cluster
from akdask._dask import Alias, DataNode, List, Task, TaskRef
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import (
    BIGINT,
    BOOL,
    FLOAT64,
    INT64,
    NULLABLE_INT64,
    NULLABLE_STR,
    STR,
    UINT8,
    UINT64,
    list_of,
)
from akdask.columns.strings import make_missing
from akdask.columns.table import Table
from akdask.engine import (
    alignment,
    blocks,
    cache,
    exchange,
    file_writes,
    memory,
    node,
    optimizer,
    reduction,
    run,
    scheduler,
    slices,
    spill,
    tuning,
    values,
)
from akdask.engine.memory import CountedBytes, MemoryBudget, SpillableResult
from akdask.engine.node import RowSpace, Work
from akdask.engine.optimizer import EVERY_ROW, Need, ReaderNeed
from akdask.engine.scheduler import OrderedTasks
from akdask.engine.slices import ChainedSlices, CutSlices, SlicesInMemory, SlicesOnDisk, SplitIndex
from akdask.engine.values import Call, ColumnRef, Constant
from akdask.errors import InconsistentFilesError, TransferError
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.testing.memory import MemorySource

# ---- rows of partitions


def of_rows(lengths, wanted):
    """Return the slices that each wanted partition has of the given ones, found row by row."""
    rows = [(partition, row) for partition, length in enumerate(lengths) for row in range(length)]
    found = []
    for start, stop in zip(accumulate(wanted, initial=0), accumulate(wanted), strict=False):
        of_one = {}
        for partition, row in rows[start:stop]:
            first, _ = of_one.get(partition, (row, row))
            of_one[partition] = first, row + 1
        found.append([(partition, *bounds) for partition, bounds in of_one.items()])
    return found


@pytest.mark.parametrize("lengths", [[3, 2], [5], [0, 5], [2, 0, 0, 3], [1, 1, 1, 1, 1], [0, 0, 5, 0]])
@pytest.mark.parametrize("wanted", [[4, 1], [5], [0, 5, 0], [1, 1, 1, 1, 1], [2, 0, 3], [0, 0, 2, 3]])
def test_rows_are_cut_from_the_partitions_that_they_lie_in(lengths, wanted):
    assert alignment.row_slices(lengths, wanted) == of_rows(lengths, wanted)
    assert alignment.row_bounds(wanted) == [
        (sum(wanted[:number]), sum(wanted[: number + 1])) for number in range(len(wanted))
    ]


@pytest.mark.parametrize("count", [-9, -3, -1, 0, 1, 4, 5, 9])
def test_first_and_last_rows_are_those_of_a_list(count):
    rows = list(range(5))
    tables = [Table({"n": np.array(part)}, len(part)) for part in (rows[:2], rows[2:2], rows[2:])]
    wanted = rows[:count] if count >= 0 else rows[max(5 + count, 0) :]
    assert alignment._concat_limited(tables, count).columns["n"].tolist() == wanted
    source = MemorySource({"x": np.arange(5)}, [2, 0, 3]).arrays()["x"]
    limit = alignment.Limit(alignment.Project(source._frame, (0,), (source._value,)), count)
    assert limit.rows.lengths == (len(wanted),)
    assert limit.describe() == (f"First {count} rows" if count >= 0 else f"Last {-count} rows")
    assert alignment._reverse(tables[2:]).columns["n"].tolist() == [4, 3, 2]


@pytest.mark.parametrize(
    ("nrows", "count", "per_file", "lengths"),
    [
        (10, 4, 2, (3, 2, 3, 2)), (10, 4, 1, (3, 2, 3, 2)), (10, 1, 1, (10,)), (0, 2, 1, (0, 0)), (2, 3, 1, (1, 0, 1)),
        (7, 4, 4, (2, 2, 1, 2)),
    ],
)  # fmt: skip
def test_rows_of_files_are_split_as_servers_split_them(nrows, count, per_file, lengths):
    found = file_writes.file_split(nrows, count, per_file)
    assert sum(found) == nrows
    assert len(found) == count
    of_files = [sum(found[start : start + per_file]) for start in range(0, count, per_file)]
    assert of_files == list(file_writes.block_split(nrows, count // per_file))
    assert max(found) - min(found) <= 2
    if nrows == 10:
        assert found == lengths


@pytest.mark.parametrize(
    ("rows", "block", "few", "found"),
    [(10, 4, 8, 4), (8, 4, 8, 8), (9, 4, 8, 4), (8, 5, 8, 5), (7, 5, 8, 7), (0, 4, 8, 8), (5, 20, 8, 20)],
)
def test_few_rows_are_one_block(monkeypatch, rows, block, few, found):
    monkeypatch.setattr(blocks, "UNIT", 4)
    monkeypatch.setattr(tuning, "FEW_BLOCK_ROWS", few)
    inputs = [blocks.RowPositions(0, rows)] * 2
    assert blocks.sizes_of(inputs, block) == (rows, found)
    with pytest.raises(InconsistentFilesError) as error:
        blocks.sizes_of([*inputs, blocks.RowPositions(0, rows + 1)], block)
    assert error.value.details == (f"rows of one partition: {rows}, {rows + 1}",)


@pytest.mark.parametrize(("start", "stop"), [(0, 0), (0, 1), (0, 4), (2, 7), (5, 5), (3, 4)])
def test_positions_are_read_as_they_are_counted(start, stop):
    reader = blocks.PositionReader(blocks.RowPositions(100, 9))
    wanted = list(range(100 + start, 100 + stop))
    assert reader.read("x", start, stop).tolist() == wanted
    out = np.zeros(stop - start, np.int64)
    assert reader.read("x", start, stop, out) is out
    assert out.tolist() == wanted
    assert reader.stretches("x") is None
    assert reader.row_bounds("x", np.empty((0, 2))) is None
    assert reader.read_rows("x", np.array([0])) is None


def test_tables_are_read_by_slices_and_positions():
    table = Table({"n": np.arange(6), "every": np.arange(12)[::2], "s": pa.array(list("abcdef"), pa.large_string())}, 6)
    reader = blocks.TableReader(table)
    assert reader.read("n", 1, 3).tolist() == [1, 2]
    assert reader.read_text("s", 4, 6).to_pylist() == ["e", "f"]
    assert reader.read_rows("s", np.array([0, 5])).to_pylist() == ["a", "f"]
    assert [stretch.nrows for stretch in reader.stretches("n")] == [6]
    assert reader.stretches("every") is None
    assert reader.stretches("s") is None
    assert blocks.selected_rows(np.arange(9), slice(1, 8, 3)).tolist() == [1, 4, 7]
    assert blocks.selected_rows(np.arange(9), np.array([8, 0])).tolist() == [8, 0]


# ---- names and rounds of nodes


def test_rows_are_described_and_compared():
    of = RowSpace.of_lengths
    assert [of(lengths).describe() for lengths in ([3], [3, 2], [1] * 6, [1] * 7)] == [
        "1 partition, lengths (3)", "2 partitions, lengths (3, 2)", "6 partitions, lengths (1, 1, 1, 1, 1, 1)",
        "7 partitions, lengths (1, 1, 1, 1, 1, 1, …)",
    ]  # fmt: skip
    unknown = RowSpace("a", 2)
    counted = RowSpace("a", 2, (3, 2))
    assert unknown.describe() == "2 partitions, lengths unknown"
    assert [rows.size for rows in (unknown, counted, RowSpace("a", 2, None, 5), of([]))] == [None, 5, 5, 0]
    assert [one.same_rows(other) for one, other in ((unknown, counted), (counted, of([3, 2])), (of([3, 2]), counted))]
    for one, other in (
        (unknown, RowSpace("b", 2)),
        (counted, of([2, 3])),
        (unknown, of([3, 2])),
        (of([5]), of([3, 2])),
    ):
        assert not one.same_rows(other)
        assert not other.same_rows(one)
    assert (of([1]).is_fixed, unknown.is_fixed) == (True, False)


def value_of(rounds=0, awaits=0, steps=0, replica_depth=0):
    return SimpleNamespace(rounds=rounds, awaits=awaits, steps=steps, replica_depth=replica_depth)


@pytest.mark.parametrize(
    ("own", "given", "expected"),
    [
        (0, [], 0), (2, [], 2), (0, [value_of(3)], 3), (4, [value_of(3)], 4), (0, [value_of(0, 1)], 1),
        (1, [value_of(0, 1)], 1), (1, [value_of(0, 2)], 2), (0, [value_of(2, 1)], 2),
        (0, [value_of(2), value_of(0, 3)], 3),
        (5, [value_of(0, 9)], 6), (0, [value_of(-1, 0)], 0),
    ],
)  # fmt: skip
def test_values_on_rows_take_a_round_more_where_they_await_one(own, given, expected):
    assert Work(own).on(given)[0] == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([], 5), ([value_of(steps=1)], 5), ([value_of(steps=4)], 6), ([value_of(replica_depth=5)], 5),
        ([value_of(replica_depth=9), value_of(steps=4)], 9),
    ],
)  # fmt: skip
def test_the_depth_of_values_is_the_longest_chain_before_them(given, expected):
    assert Work(depth=2, selection=3).on(given)[1] == expected


def test_class_names_are_words():
    assert [node.in_words(name) for name in ("RowNumbers", "Sort", "TopKRows", "A")] == [
        "Row numbers", "Sort", "Top krows", "A"
    ]  # fmt: skip


# ---- values

X, Y = ColumnRef("rows", "x", INT64), ColumnRef("rows", "y", FLOAT64)
S, N = ColumnRef("rows", "s", STR), ColumnRef("other", "n", NULLABLE_INT64)


def test_calls_count_operations_and_know_where_their_columns_are():
    one, two = Constant(1), Constant(2.5)
    added = Call("add", X, one)
    both = Call("multiply", added, Call("add", Call("add", Y, two), two))
    assert [(value.steps, value.rounds, value.awaits, value.replica_depth) for value in (X, one, added, both)] == [
        (0, 0, 0, 0), (0, -1, 0, 0), (1, 0, 0, 0), (3, 0, 0, 0)
    ]  # fmt: skip
    assert (X.sources, one.sources, both.sources) == ({"rows"}, frozenset(), {"rows"})
    mixed = Call("equal", X, ColumnRef("other", "x", INT64))
    assert mixed.sources == {"rows", "other"}
    assert [values.assumed_width(value) for value in (X, S, N, Call("equal", X, one))] == [8, 32, 32, 1]
    assert added == Call("add", X, Constant(1))
    assert added != Call("add", one, X)
    assert len({added, Call("add", X, one), both}) == 2
    assert added != "add"


def test_conditions_are_joined_and_taken_apart():
    conditions = [Call("less", X, Constant(number)) for number in range(3)]
    joined = values.all_of(conditions)
    assert joined.operation == "bitwise_and"
    assert values.conditions_of(joined) == conditions
    assert values.conditions_of(values.all_of(conditions, "logical_or"), values.DISJUNCTIONS) == conditions
    assert values.conditions_of(values.all_of(conditions, "logical_or")) == [values.all_of(conditions, "logical_or")]
    integers = Call("bitwise_and", X, Constant(3))
    assert values.conditions_of(integers) == [integers]
    text = Call("equal", S, Constant("a"))
    assert [values.reads_text(one) for one in (text, conditions[0], Call("equal", X, X))] == [True, False, False]
    assert values.stages_of(values.all_of([text, *conditions[:2], text])) == [
        values.all_of(conditions[:2]), values.all_of([text, text])
    ]  # fmt: skip
    for alone in (joined, text):
        assert values.stages_of(alone) == [alone]


def test_trees_are_walked_arguments_first_and_once():
    added = Call("add", X, Y)
    both = Call("multiply", added, added)
    assert values.walk(both, X) == [X, Y, added, both]
    assert values.walk(both, leaves={added.token}) == [added, both]
    assert values.columns_of(both, S) == [X, Y, S]
    moved = values.substitute(both, {X.token: N})
    assert values.columns_of(moved) == [N, Y]
    assert values.substitute(both, {S.token: N}) is both
    assert values.substitute_all([X, both], {}) == [X, both]


def test_columns_are_named_in_words():
    for name, words in {
        "a": "a",
        0: "values",
        1: "values 2",
        ("index", 0): "index",
        (0, "a"): "(0, 'a')",
        (): "()",
    }.items():
        assert values.column_in_words(name) == words
    for names, words in {
        (): "0 columns", (0,): "1 column", (0, 1): "2 columns", ("a",): "a", ("a", 3, "b"): "a, b and 1 more",
    }.items():  # fmt: skip
        assert values.columns_in_words(names) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Call("add", X, Constant(1)), "(x + 1)"), (Call("negative", X), "-x"),
        (Call("equal", S, Constant("a")), "(s == 'a')"),
        (Call("cast", X, dtype="float64"), "cast(x, dtype='float64')"), (Call("sqrt", Y), "sqrt(y)"),
        (Call("where", Call("less", X, Constant(2)), X, Constant(0)), "where((x < 2), x, 0)"),
    ],
)  # fmt: skip
def test_values_are_described_as_users_write_them(value, text):
    assert values.describe(value) == text
    with values.columns_named(lambda column: "named" if column.name == "x" else None):
        assert values.describe(value) == text.replace("x", "named").replace("namedfloat", "xfloat")
    assert values.describe(value) == text


def test_long_parts_of_values_are_not_shown():
    chain = X
    while len(values.describe(chain)) < values.SHOWN - 4:
        chain = Call("add", chain, Constant(1))
    shown = values.describe(chain)
    assert len(shown) <= values.SHOWN
    longer = Call("add", chain, Constant(1))
    assert values.describe(Call("add", longer, Constant(2))) == (
        f"(({shown} + 1) + 2)" if len(shown) + 4 <= values.SHOWN - 2 else "((…) + 2)"
    )


def test_programs_are_cut_to_what_they_hand_on():
    program = values.Program(
        (
            values.Load(0, "x", INT64), values.Load(0, "y", FLOAT64),
            values.Apply("negative", (0,), {}, INT64, (), None), values.Apply("sqrt", (1,), {}, FLOAT64, (1,), 1),
            values.Apply("absolute", (2,), {}, INT64, (2,), 2),
        ),
        (4, 3), (INT64, FLOAT64), ((2, 7), (3, 8)),
    )  # fmt: skip
    assert program.loads == list(program.steps[:2])
    assert program.with_encoded(1).encoded == {4}
    assert program.with_encoded(2).encoded == {3, 4}
    found = program.only({3})
    assert found.steps == (program.steps[1], values.Apply("sqrt", (0,), {}, FLOAT64, (0,), 0))
    assert (found.outputs, found.dtypes, found.hands_on) == ((), (), ((1, 8),))
    found = program.only({2})
    assert found.steps == (program.steps[0], values.Apply("negative", (0,), {}, INT64, (), None))
    assert found.hands_on == ((1, 7),)


def test_plans_are_pickled_as_flat_lists():
    chain = X
    for number in range(3000):
        chain = Call("add", chain, Constant(number))
    found = pickle.loads(pickle.dumps(chain))
    assert (found, found.steps, found.sources) == (chain, 3000, {"rows"})
    _, (made,) = values.flattened(Call("add", X, Y))
    assert values.rebuilt(made) == Call("add", X, Y)
    assert values.tuple_of(1, 2) == (1, 2)


def test_integers_with_missing_rows_are_taken_apart_and_put_together():
    integers, missing = values.apart(N)
    assert (integers.dtype, missing.dtype) == (INT64, BOOL)
    assert values.with_missing(integers, missing) == N
    assert values.apart(values.with_missing(X, missing)) == (X, missing)
    assert values.cast(X, INT64) is X
    assert values.cast(S, STR) is S
    assert values.cast(S, NULLABLE_STR).dtype == NULLABLE_STR
    assert values.cast(X, NULLABLE_INT64).dtype == NULLABLE_INT64
    assert values.nearest_floats(X).dtype == values.nearest_floats(N).dtype == values.as_floats(N).dtype == FLOAT64
    assert values.as_floats(X) is X
    assert values.key_parts(X) == [X]
    assert values.key_parts(N) == [missing, integers]
    assert values.split_keys([X, N, Y]) == (X, missing, integers, Y)
    assert values.present_keys([X, N]) == (X, integers)
    assert values.joined_keys([X, N, Y], values.split_keys([X, N, Y])) == [X, N, Y]
    assert [key.dtype for key in values.joined_keys([N], values.present_keys([N]))] == [NULLABLE_INT64]
    assert [values.widened(value, FLOAT64).operation for value in (X, N)] == ["exact_floats", "missing_as_nan"]
    assert values.widened(Y, FLOAT64) is Y


# ---- needs of readers


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [(3, 5, 5), (5, 3, 5), (-3, -5, -5), (-5, -3, -5), (3, -3, 0), (0, 3, 0), (3, 0, 0), (-3, 0, 0), (0, 0, 0)],
)
def test_readers_of_first_or_last_rows_need_the_most_of_them(one, other, both):
    assert optimizer._more(one, other) == both
    need = Need()
    for rows in (one, other):
        need.add(None, ReaderNeed(rows=rows))
    assert need.rows == both
    assert len(need.readers) == 2


@pytest.mark.parametrize(("order", "partitions", "rows"), list(product((True, False), (True, False), (EVERY_ROW, 3))))
def test_rows_may_come_in_any_order_where_no_reader_minds(order, partitions, rows):
    need = Need()
    need.add(None, ReaderNeed(["a"], order=order, partitions=partitions, rows=rows))
    assert need.is_of_any_order == (not order and not partitions and rows == EVERY_ROW)
    need.add(None, ReaderNeed(["b"], order=False, partitions=False))
    assert (need.order, need.partitions) == (order, partitions)
    assert [need.wants(name) for name in "abc"] == [True, True, False]
    assert need.only(["c", "b", "a"]) == ["b", "a"]
    assert need.only(["c", "d"]) == ["c"]
    need.add(None, ReaderNeed(order=False, partitions=False))
    assert need.wants("c")
    assert need.only(["c", "d"]) == ["c", "d"]


# ---- slices and exchanges


@pytest.mark.parametrize(
    ("numbers", "runs"),
    [([], []), ([3], [[3]]), ([1, 2, 3, 7, 8], [[1, 2, 3], [7, 8]]), ([0, 2, 4], [[0], [2], [4]]), ([5, 6], [[5, 6]])],
)
def test_numbers_that_follow_each_other_are_a_run(numbers, runs):
    assert list(slices._runs(numbers)) == runs


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 9])
def test_items_are_cut_into_runs_of_about_equal_length(count):
    runs = exchange._runs(list("abcdefg"), count)
    assert len(runs) == count
    assert [item for run_ in runs for item in run_] == list("abcdefg")
    assert max(map(len, runs)) - min(map(len, runs)) <= 1


class Packing:
    """Finishes partitions, and packs parts to one."""

    def __call__(self, parts):
        return list(parts)

    def pack(self, parts):
        return ["+".join(parts)]


def test_parts_of_long_runs_are_packed(monkeypatch):
    monkeypatch.setattr(tuning, "MANY_PARTS", 2)
    split = {"a": [["a0"], ["a1", "a2"]], "b": [["b0"], []], "c": None, "d": [[], []]}
    runs = [["a"], ["a", "b"], ["a", "b", "c"], ["a", "lost"], ["c", "c", "c"], ["d", "d", "d"]]
    assert slices.parts_of_runs(split, runs, 0, Packing()) == [["a0"], ["a0", "b0"], ["a0+b0"], None, [], []]
    assert slices.parts_of_runs(split, runs[:3], 1, Packing()) == [["a1", "a2"], ["a1", "a2"], ["a1+a2"]]
    assert slices.taken([split["a"], None, split["b"]], 1) == ["a1", "a2"]
    answer = slices.answer(split, runs[2:4], 0, pickle.dumps(Packing()))
    assert pickle.loads(answer) == [["a0+b0"], None]


def test_an_index_knows_who_holds_which_partitions():
    assert SplitIndex.of(["t1", "t2", "t1"], ("a", "b", "c")) == SplitIndex(("a", "b", "c"), {"t1": [0, 2], "t2": [1]})
    here = [[["x"], []], None]
    found = SplitIndex.of(here, ("a", "b"))
    assert (found.holders, found.here) == ({}, here)
    assert [found.fetch(number, Packing()) for number in range(2)] == [["x"], []]
    assert pickle.loads(pickle.dumps(found)) == found


class Numbered(CutSlices):
    """Slices of numbers, which are made when they are taken."""

    def __init__(self, count, on_disk=False):
        super().__init__(count)
        self.is_on_disk = on_disk

    def cut(self, number):
        return [str(number)]

    def __sizeof__(self):
        return 10_000


@pytest.mark.parametrize("is_short", [False, True])
@pytest.mark.parametrize("budget", [None, -1, 0, 10**6])
@pytest.mark.parametrize("kind", ["cut", "cut on disk", "parts"])
def test_slices_are_kept_where_they_fit(monkeypatch, is_short, budget, kind):
    counted = []
    process = SimpleNamespace(is_short=lambda nbytes: is_short, add=lambda owner, nbytes: counted.append(nbytes))
    monkeypatch.setattr(slices, "process_budget", process)
    given = [["0"], ["1"]] if kind == "parts" else Numbered(2, kind == "cut on disk")
    nbytes = sum(sys.getsizeof(part) for parts in given for part in parts) if kind == "parts" else sys.getsizeof(given)
    # As much more, or less, than the slices take.
    budget = None if budget is None else nbytes + budget
    found = slices.spilled(given, budget, list)
    assert list(found) == [["0"], ["1"]]
    if budget is None and kind == "cut on disk":
        assert found is given
        assert not counted
    elif is_short if budget is None else nbytes > budget:
        assert isinstance(found, SlicesOnDisk)
    elif kind != "parts":
        assert found is given
        assert counted == ([nbytes] if budget is None else [])
    else:
        assert type(found) is (SlicesInMemory if budget is None else list)
        assert counted == ([nbytes] if budget is None else [])


def test_slices_of_several_partitions_are_one_behind_the_other():
    chained = ChainedSlices([Numbered(3), [["a"], [], ["c", "d"]]])
    assert list(chained) == [["0", "a"], ["1"], ["2", "c", "d"]]
    assert (len(chained), sys.getsizeof(chained) < 100) == (3, True)
    assert exchange.concat_slices([None, None], Packing()) is None
    assert list(exchange.concat_slices([[["a"], ["b"]], None, [["c"], ["d"]]], Packing())) == [["a+c"], ["b+d"]]
    lazy = exchange.concat_slices([Numbered(2), None, Numbered(2)], Packing())
    assert isinstance(lazy, ChainedSlices)
    assert list(lazy) == [["0", "0"], ["1", "1"]]
    on_disk = exchange.concat_slices([Numbered(2, True), [["a"], ["b"]]], Packing())
    assert isinstance(on_disk, SlicesOnDisk)
    assert list(on_disk) == [["0+a"], ["1+b"]]


# ---- memory


class Owner:
    """Anything that has bytes."""


def test_bytes_are_counted_until_their_owner_is_freed_or_they_are_discarded():
    counted, owners = CountedBytes(), [Owner() for _ in range(3)]
    for number, owner in enumerate(owners):
        counted.add(owner, 10 * (number + 1))
    assert counted.nbytes == 60
    owners[0].in_budget()
    owners[0].in_budget()
    assert counted.nbytes == 50
    del owners[2], owner
    gc.collect()
    assert counted.nbytes == 20
    counted.reset_in_child()
    assert counted.nbytes == 20


@pytest.mark.parametrize(
    ("limit", "most"), [(0, 0), (100, 50), (2**33, 2**32), (3 * 2**32, 2**33), (2**34, 3 * 2**32), (2**36, 3 * 2**34)]
)
def test_plans_keep_half_or_what_tasks_leave_or_three_quarters(limit, most):
    assert memory._most_persisted(limit) == most


@pytest.mark.parametrize(
    ("waiting", "more", "used", "is_short"),
    [
        # Of a limit of 1,600 bytes, a sixteenth is for results in any case, and half of it at most.
        (0, 100, 10**6, False), (60, 40, 10**6, False), (60, 41, 10**6, True), (0, 101, 0, False), (400, 400, 0, False),
        (400, 401, 0, True), (400, 300, 500, False), (400, 300, 501, True), (0, 0, 10**6, False),
    ],
)  # fmt: skip
def test_memory_is_short_beyond_a_share_of_it(monkeypatch, waiting, more, used, is_short):
    trimmed, now = [], [5.0]
    monkeypatch.setattr(cluster, "process_memory", lambda: 1600)
    monkeypatch.setattr(cluster, "memory_in_use", lambda: used)
    monkeypatch.setattr(memory, "spare_bytes", lambda: 0)
    monkeypatch.setattr(memory, "_release_decoded_columns", lambda: False)
    monkeypatch.setattr(memory, "give_back_freed_memory", trimmed.append)
    monkeypatch.setattr(memory, "monotonic", lambda: now[0])
    budget, owner = MemoryBudget(), Owner()
    budget.add(owner, waiting)
    assert (budget.nbytes, budget.most) == (waiting, waiting)
    assert budget.is_short(more) == is_short
    # What is freed is given back before memory counts as short, but not each time.
    assert trimmed == [1600] * is_short
    assert budget.is_short(more) == is_short
    assert len(trimmed) == is_short
    now[0] += tuning.TRIM_INTERVAL + 0.01
    assert budget.is_short(more) == is_short
    assert len(trimmed) == 2 * is_short
    budget.discard(owner)
    assert (budget.nbytes, budget.most) == (0, waiting)


def test_memory_that_is_given_back_is_there_again(monkeypatch):
    used = [900]
    monkeypatch.setattr(cluster, "process_memory", lambda: 1600)
    monkeypatch.setattr(cluster, "memory_in_use", lambda: used[0])
    monkeypatch.setattr(memory, "spare_bytes", lambda: 100)
    monkeypatch.setattr(memory, "_release_decoded_columns", lambda: False)
    monkeypatch.setattr(memory, "give_back_freed_memory", lambda limit: used.__setitem__(0, 600))
    assert memory._used_bytes() == 800
    assert not MemoryBudget().is_short(300)
    assert used == [600]
    monkeypatch.setattr(memory, "spare_bytes", lambda: 10**6)
    assert memory._used_bytes() == 600 - 1600 // tuning.SPARE_SHARE


def test_columns_of_files_are_released_before_anything_waits(monkeypatch):
    used, released = [900], []
    monkeypatch.setattr(cluster, "process_memory", lambda: 1600)
    monkeypatch.setattr(cluster, "memory_in_use", lambda: used[0])
    monkeypatch.setattr(memory, "spare_bytes", lambda: 0)

    def release():
        released.append(used[0])
        used[0] -= 210
        return True

    monkeypatch.setattr(memory, "_release_decoded_columns", release)
    monkeypatch.setattr(memory, "give_back_freed_memory", lambda limit: None)
    assert not MemoryBudget().is_short(110)
    assert released == [900]
    assert MemoryBudget._is_in_use(400)
    assert released == [900, 690]


@pytest.mark.parametrize(("used", "is_short"), [(800, False), (801, True), (0, False)])
def test_freed_memory_is_given_back_near_the_limit(monkeypatch, used, is_short):
    done = []
    monkeypatch.setattr(cluster, "memory_in_use", lambda: used)
    monkeypatch.setattr(memory, "_release_decoded_columns", lambda: done.append("columns"))
    monkeypatch.setattr(memory, "release_unused", lambda: done.append("arrays"))
    memory.give_back_freed_memory(1600)
    assert done == ["columns", "arrays"] * is_short


def test_kept_results_are_tasks_of_any_scheduler():
    small, large = (Table({"n": np.arange(rows)}, rows) for rows in (4, tuning.UNCOUNTED_BYTES // 8 + 1))
    edge = large.slice(0, large.nrows - 1)
    assert memory.persisted("key", small) is small
    assert memory.persisted("key", edge) is edge
    found = memory.persisted("key", large)
    assert isinstance(found, Task)
    assert found.key == "key"
    waiting = memory.result_in(found)
    assert isinstance(waiting, SpillableResult)
    assert (waiting.nrows, waiting.needed_bytes, waiting.in_memory is large) == (large.nrows, 0, True)
    assert found() is large
    assert memory.persisted("key", 5) == 5
    assert memory.result_in(DataNode("key", small)) is small
    assert memory.result_in("anything") == "anything"
    assert SpillableResult(large).needed_bytes == sys.getsizeof(large)


def test_a_spilled_result_is_on_disk_once():
    waiting = SpillableResult(Table({"n": np.arange(100)}, 100))
    memory.memory_budget.add(waiting, waiting.nbytes)
    assert waiting.fetch() is waiting.in_memory
    assert not waiting.is_in_use
    waiting.hold(1)
    assert waiting.is_in_use
    waiting.hold(-1)
    assert not waiting.is_in_use
    assert waiting.spill() == waiting.nbytes
    assert waiting.in_memory is None
    assert waiting.spill() == 0
    assert waiting.fetch().columns["n"].tolist() == list(range(100))


# ---- tasks


def add(*numbers):
    return sum(numbers)


def graph_of(**tasks):
    """Return a graph of sums: a tuple of inputs for each key, or a number."""
    return {
        key: Task(key, add, *map(TaskRef, given)) if isinstance(given, tuple) else given for key, given in tasks.items()
    }


def test_inputs_come_before_their_readers_and_are_freed_after_the_last():
    graph = graph_of(a=1, b=("a",), c=("a", "b"), d=("c", "b"), e=("a",), unused=("a",))
    graph["same"] = Alias("same", "d")
    graph["again"] = Alias("again", "same")
    tasks = OrderedTasks(graph, ["again", ["e", "a"]])
    assert tasks.order == ["b", "c", "d", "e"]
    assert tasks.inputs("b") == {"a": 1}
    tasks.finish("b", 1)
    assert tasks.inputs("c") == {"a": 1, "b": 1}
    tasks.finish("c", 2)
    tasks.finish("d", 3)
    assert "b" not in tasks._results
    assert "c" not in tasks._results
    tasks.finish("e", 1)
    assert tasks.wanted() == (3, (1, 1))
    assert scheduler.run_here(graph, ["again", ["e", "a"], "b"]) == (3, (1, 1), 1)
    pool = scheduler._threads(2)
    assert scheduler.run_in_threads(graph, ["again", ["e", "a"], "b"], pool, 2) == (3, (1, 1), 1)
    assert scheduler.run_in_threads(graph, "a", pool, 2) == 1


def test_the_first_error_of_a_thread_ends_all():
    def fail(*_):
        raise ZeroDivisionError("of a task")

    graph = graph_of(a=1, b=("a",)) | {"c": Task("c", fail, TaskRef("b")), "d": Task("d", add, TaskRef("c"))}
    with pytest.raises(ZeroDivisionError, match="of a task"):
        scheduler.run_in_threads(graph, "d", scheduler._threads(2), 2)


def test_arguments_of_tasks_are_the_results_that_they_name():
    inputs = {"a": 1, "b": [2]}
    given = [TaskRef("a"), List(TaskRef("b"), TaskRef("a"), 5), "a", 7, Task("inner", add, TaskRef("a"), 2)]
    assert [scheduler._argument(item, inputs) for item in given] == [1, [[2], 1, 5], "a", 7, 3]
    assert scheduler._result(Task("t", add, TaskRef("a"), 4), inputs) == 5
    assert scheduler._result(Task("t", dict, x=TaskRef("a")), inputs) == {"x": 1}
    assert scheduler.input_keys(5) == ()


@pytest.mark.parametrize(
    ("tasks", "rows", "is_small"),
    [
        ({"a": 10, "b": ("a",)}, 10, True), ({"a": 10, "b": ("a",), "c": ("b",), "d": ("c",)}, 10, True),
        ({"a": 11, "b": ("a",)}, 10, True), ({"a": 101, "b": ("a",)}, 10, False),
        ({"a": 11, "b": ("a",), "c": ("a",)}, 10, False), ({"a": 5, "b": ("a",), "c": ("a",)}, 10, True),
        ({"a": 4, "b": ("a",), "c": ("a",), "d": ("b", "c")}, 10, True), ({"b": (), "c": ("b",)}, 10, False),
        ({"a": 6, "b": ("a",), "c": ("a",), "d": ("b", "c")}, 10, False),
    ],
)  # fmt: skip
def test_small_work_is_of_few_rows_in_memory(monkeypatch, tasks, rows, is_small):
    monkeypatch.setattr(tuning, "SMALL_ROWS", rows)
    monkeypatch.setattr(tuning, "SMALL_CHAIN_ROWS", 10 * rows)
    graph = {
        key: Table({"n": np.arange(given)}, given) if isinstance(given, int) else Task(key, add, *map(TaskRef, given))
        for key, given in tasks.items()
    }
    assert scheduler.is_small(graph) == is_small
    graph["same"] = Alias("same", "b")
    assert scheduler.is_small(graph) == is_small
    monkeypatch.setattr(tuning, "SMALL_TASKS", len(graph) - 1)
    assert not scheduler.is_small(graph)


# ---- results and writes


@pytest.mark.parametrize(("nbytes", "limit", "fits"), [(10, 10, True), (11, 10, False), (0, 0, True)])
def test_results_of_more_bytes_than_the_limit_are_refused(nbytes, limit, fits):
    with ak.config.set(max_transfer_bytes=limit):
        for given in (None, limit):
            if fits:
                run.check_bytes(nbytes, given)
            else:
                with pytest.raises(
                    TransferError, match=f"{nbytes} bytes into this process, more than the limit of {limit}"
                ):
                    run.check_bytes(nbytes, given)


def test_text_stays_in_chunks_unless_they_are_slices():
    letters = list("abcdefghijklmnopqrst")
    tables = [
        Table({"s": pa.array(text, pa.large_string()), "n": np.arange(len(text))}, len(text))
        for text in (letters, ["u"], [])
    ]
    found = run._in_chunks(tables)
    assert isinstance(found.columns["s"], pa.ChunkedArray)
    assert found.columns["s"].to_pylist() == [*letters, "u"]
    assert (found.columns["n"].tolist(), found.nrows) == ([*range(20), 0], 21)
    few = run._in_chunks([tables[0].slice(1, 3), tables[1]])
    assert isinstance(few.columns["s"], pa.LargeStringArray)
    assert few.columns["s"].to_pylist() == ["b", "c", "u"]
    # Of no rows nothing is kept.
    assert isinstance(run._in_chunks([tables[0].slice(1, 1), tables[1]]).columns["s"], pa.ChunkedArray)
    assert run._in_chunks(tables[:1]) is tables[0]


def test_missing_text_is_filled_where_there_is_any():
    given = pa.array(["a", "b"], pa.large_string())
    rows = {"s": make_missing(given, np.array([False, True])), "t": given, "n": np.arange(2)}
    found, names = file_writes.Filling(frozenset({"s", "t"}), "none")(rows)
    assert names == ["s"]
    assert (list(found), found["s"].to_pylist(), found["t"] is given) == (["s", "t", "n"], ["a", "none"], True)


# ---- reductions


def test_forms_of_reductions_are_chosen_by_types():
    reductions = REDUCTIONS
    assert [reductions["sum"].takes(dtype) for dtype in (INT64, BOOL, STR, NULLABLE_INT64, BIGINT)] == [
        True, True, False, True, True
    ]  # fmt: skip
    assert [reductions["min"].takes(dtype) for dtype in (BOOL, STR, list_of(INT64))] == [True, True, False]
    assert [reductions["median"].has_grouped_form(dtype) for dtype in (FLOAT64, INT64, NULLABLE_INT64)] == [
        True, False, True
    ]  # fmt: skip
    assert [reductions[name].has_grouped_form(INT64) for name in ("sum", "nunique", "mode")] == [True, False, False]
    assert {name for name, one in reductions.items() if one.by_position} == {"argmin", "argmax", "first", "mode"}
    assert {name for name, one in reductions.items() if one.by_order} == {
        "argmin", "argmax", "first", "mode", "is_sorted"
    }  # fmt: skip
    assert reductions["sum"].result_type(NULLABLE_INT64) == NULLABLE_INT64
    assert reductions["mean"].result_type(NULLABLE_INT64) == FLOAT64
    assert reductions["size"].list_types == {}
    assert reductions["min"].list_types[BIGINT] == BIGINT
    assert {name: one.identity for name, one in reductions.items() if one.identity in (0, 1, False, True)} == {
        "sum": 0, "prod": 1, "count": 0, "count_nonzero": 0, "any": False, "all": True
    }  # fmt: skip
    assert {name for name, one in reductions.items() if one.rounds} == {"sum", "prod", "mean", "var", "std"}
    assert reduction.giving(INT64) == dict.fromkeys((BOOL, UINT8, INT64, UINT64, FLOAT64), INT64)
    assert reduction.themselves(STR, INT64) == {STR: STR, INT64: INT64}


@pytest.mark.parametrize(
    ("blocks_of_rows", "ascend"),
    [
        ([[]], True), ([[], [1]], True), ([[1], []], True), ([[1, 2], [2, 3]], True), ([[1, 3], [2]], False),
        ([[2, 1], [3]], False), ([[1], [3, 2]], False), ([[1], [], [1]], True), ([[3], [], [1]], False),
    ],
)  # fmt: skip
@pytest.mark.parametrize("kind", ["numbers", "text", "integers"])
def test_blocks_ascend_where_each_does_and_follows_the_one_before(blocks_of_rows, ascend, kind):
    made = {
        "numbers": lambda rows: np.array(rows, np.int64), "integers": from_ints,
        "text": lambda rows: pa.array([str(row) for row in rows], pa.large_string()),
    }[kind]  # fmt: skip
    form = reduction.IS_SORTED.integers if kind == "integers" else reduction.IS_SORTED.scalar
    state = None
    for rows in blocks_of_rows:
        found = form.partial(made(rows), None)
        state = found if state is None else form.merge(state, found)
    assert form.finish(state) == ascend


@pytest.mark.parametrize(
    ("numbers", "limbs"), [([], 1), ([0], 1), ([2**63], 2), ([2**64 - 1], 2), ([2**64], 2), ([5, 2**130], 3)]
)
def test_limbs_are_those_that_the_largest_integer_needs(numbers, limbs):
    found = reduction.LIMBS.integers.finish(reduction.LIMBS.integers.partial(from_ints(numbers), None))
    assert found <= limbs
    assert all(number < 2 ** (64 * int(found)) for number in numbers)
    assert found == 1 or any(number >= 2 ** (64 * int(found) - 64) for number in numbers)


def test_rows_of_states_are_counted_and_chosen():
    column, mask = np.arange(5), np.array([True, False, True, False, False])
    assert (reduction.count_rows(column, None), reduction.count_rows(column, mask)) == (5, 2)
    assert reduction.select_rows(column, mask).tolist() == [0, 2]
    assert reduction.select_rows(column, None) is column
    floats = np.array([1.0, np.nan])
    assert reduction.missing_rows(floats, True).tolist() == [False, True]
    for given, skipna in (
        (floats, False),
        (column, True),
        (np.ones(2), True),
        (pa.array(["a"], pa.large_string()), True),
    ):
        assert reduction.missing_rows(given, skipna) is None
    form = reduction.AccumulatorForm.of_column("sizes", counts=False)
    assert (form.state(SimpleNamespace(sizes=column)), form.counts, form.extremes, form.exact) == (
        (column,),
        False,
        False,
        False,
    )
    assert reduction.AccumulatorForm.of_column("totals").counts


# ---- what several of a kind come to


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (1, 1, 1), (1, 2, 2), (2, 1, 2), (3, 3, 3), (-1, -1, -1), (-1, -2, -2), (-2, -1, -2), (1, -1, EVERY_ROW),
        (-1, 1, EVERY_ROW), (EVERY_ROW, 1, EVERY_ROW), (1, EVERY_ROW, EVERY_ROW), (-1, EVERY_ROW, EVERY_ROW),
        (EVERY_ROW, -1, EVERY_ROW), (EVERY_ROW, EVERY_ROW, EVERY_ROW),
    ],
)  # fmt: skip
def test_first_or_last_rows_of_two_readers(one, other, both):
    assert optimizer._more(one, other) == both


def test_powers_of_missing_integers():
    numbers = [None, 0, 1, 2]
    pairs = list(product(numbers, repeat=2))
    bases, exponents = (pd.Series(side, dtype="Int64") for side in zip(*pairs, strict=True))
    found = (ak.Series(bases) ** ak.Series(exponents)).to_pandas()
    assert [None if pd.isna(item) else item for item in found] == [
        1 if exponent == 0 or base == 1 else None if base is None or exponent is None else base**exponent
        for base, exponent in pairs
    ]


@pytest.mark.parametrize(
    ("column", "is_plain"),
    [
        (pa.array([1, 2]), True), (pa.array([1.5]), True), (pa.array([True]), True), (pa.array([1, None]), False),
        (pa.array([1, 2])[1:], False), (pa.array(["a"], pa.large_string()), True), (pa.array(["a"]), False),
        (pa.chunked_array([[1], [2]]), False), (pa.array([b"ab"], pa.binary(2)), True),
        (pa.array([[1]], pa.large_list(pa.int64())), True), (pa.array([[1, None]], pa.large_list(pa.int64())), False),
        (pa.array([[]], pa.large_list(pa.null())), True), (pa.array([[1]]), False),
    ],
)  # fmt: skip
def test_columns_whose_buffers_are_stored_as_they_are(column, is_plain):
    assert spill._is_plain(column) == is_plain


@pytest.mark.parametrize("count", [2, 7, 8, 9, 20])
def test_plans_name_eight_columns(tmp_path, count):
    pq.write_table(pa.table({f"c{number:02}": [1, 2] for number in range(count)}), tmp_path / "x.parquet")
    frame = ak.DataFrame(ak.read_parquet(str(tmp_path / "x.parquet")))
    shown = ", ".join(f"c{number:02}" for number in range(min(count, 8))) + ", …" * (count > 8)
    assert f"read {shown}  (" in frame.explain()


def test_results_of_others_are_told_by_worker(monkeypatch):
    sizes = {"a": 5, "b": 7, "c": 1}
    held = {"w1": ["a", "b"], "w2": ["c"], "w3": [], "w4": ["lost"], cache.HERE: ["a"]}
    client = SimpleNamespace(nbytes=lambda *, summary: {} if summary else sizes, has_what=lambda: held)
    monkeypatch.setattr(cache, "default_client", lambda: client)
    assert cache.other_bytes([]) == {"w1": 12, "w2": 1}
    own = [SimpleNamespace(nbytes={"w1": 5}), SimpleNamespace(nbytes={"w1": 3, "w2": 1, "w3": 2})]
    assert cache.other_bytes(own) == {"w1": 4}
    monkeypatch.setattr(cache, "default_client", lambda: None)
    assert cache.other_bytes([]) == {}
