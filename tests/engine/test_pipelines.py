"""Pipelines: which partitions a task has, how many rows its blocks have, and what each sink makes of them."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate, chain, product

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask._dask import List, Task, TaskRef
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR
from akdask.columns.table import Table
from akdask.engine import pipeline, sinks, tuning
from akdask.engine.alignment import Gather
from akdask.engine.blocks import Partition, PartitionBatch, RowPositions
from akdask.engine.node import ColumnIdentity
from akdask.engine.rowwise import Chain, Filter, MatchRows, Partitions, Project, Shared, Slice, Zip
from akdask.engine.sinks import Collect, ColumnBuffer, Count, Reduce
from akdask.engine.sources import Literal, Rows
from akdask.engine.values import Call, ColumnRef, Compiler, Constant, Mask, Range, Replica
from akdask.operators.reduce.reductions import ScalarReduction
from akdask.testing.memory import MemorySource

# ---- batches


def batches_by_hand(rows, few, most, files):
    """Put each partition into the batch with the middle of its rows, of at most so many rows and files."""
    total = max(sum(rows), 1)
    count = max(few, -(-total // most))
    found, places = [], []
    for number, nrows in enumerate(rows):
        middle = sum(rows[:number]) + Fraction(nrows, 2)
        place = middle * count // total
        inside = found and places[-1] == place
        if inside and sum(rows[one] for one in found[-1]) + nrows <= most and len(found[-1]) < files:
            found[-1].append(number)
        else:
            found.append([number])
            places.append(place)
    return tuple(map(tuple, found))


@pytest.mark.parametrize(
    "rows",
    [
        (1,) * 12, (5, 1, 1, 1, 1, 1), (0, 0, 3, 0), (0, 0, 0), (7,), (3, 4, 3, 4, 3, 4), (20, 1, 1, 20, 1, 1, 20),
        (2, 2, 2, 2, 2, 2, 2, 2, 2), (0, 1, 0, 0, 0), (6, 6, 6, 6),
    ],
)  # fmt: skip
def test_batches_have_the_partitions_with_their_middle(monkeypatch, rows):
    for few, most, files in product((1, 2, 3, 4), (1, 3, 6, 12, 100), (2, 3, 100)):
        monkeypatch.setattr(tuning, "MOST_BATCH_FILES", files)
        found = pipeline.batch_neighbours.__wrapped__(rows, few, most)
        assert found == batches_by_hand(rows, few, most, files), (few, most, files)


def literal(*lengths, name="x"):
    return Literal.of([Table({name: np.arange(rows) + 10 * number}, rows) for number, rows in enumerate(lengths)])


def unknown(*lengths):
    """Return a frame of a kind whose rows a batch does not know, though the plan does."""
    return ak.cumsum(MemorySource({"x": np.arange(sum(lengths))}, lengths).arrays()["x"])._frame


@pytest.mark.parametrize(
    ("total", "few"),
    [
        (0, 1), (16, 1), (17, 4), (49, 4), (50, 8), (80, 8), (89, 8), (90, 16), (169, 16), (170, 32), (400, 32),
        (10**6, 32),
    ],
)  # fmt: skip
def test_many_rows_are_grouped_in_more_batches(monkeypatch, total, few):
    """A batch for each ten rows, of a number that is a power of two between four and thirty-two."""
    for name, value in {"SMALL_ROWS": 16, "FEW_GROUP_ROWS": 10, "FEW_GROUP_BATCHES": 4, "GROUP_BATCHES": 32}.items():
        monkeypatch.setattr(tuning, name, value)
    frame = Rows(tuple(len(part) for part in np.array_split(np.arange(total), 64)))
    monkeypatch.setattr(tuning, "MOST_GROUP_ROWS", 10**9)
    assert pipeline.group_batches(frame, [frame.position]) == pipeline.batch_neighbours(frame.lengths, few, 2**26)
    # Batches have no more rows than memory allows.
    monkeypatch.setattr(tuning, "MOST_GROUP_ROWS", 3)
    wanted = pipeline.batch_neighbours(frame.lengths, few, 3 if total > 16 else tuning.MOST_BATCH_ROWS)
    assert pipeline.group_batches(frame, [frame.position]) == wanted


@pytest.mark.parametrize(
    ("dtypes", "rows"),
    [((), 2 * 4800 // 8), ((INT64,), 2 * 4800 // 16), ((INT64, BOOL), 2 * 4800 // 17), ((STR,), 2 * 4800 // 40)],
)
def test_memory_bounds_the_rows_of_groups_by_the_width_of_keys(dtypes, rows):
    with ak.config.set(partition_size=4800):
        assert pipeline.rows_grouped([ColumnRef("rows", dtype.name, dtype) for dtype in dtypes]) == rows + 1


def test_batches_are_chosen_by_rows_that_are_known(monkeypatch):
    monkeypatch.setattr(tuning, "FEW_PARTITIONS", 2)
    monkeypatch.setattr(tuning, "MOST_BATCH_ROWS", 6)
    monkeypatch.setattr(pipeline, "CORES", 2)
    lengths = (3, 0, 3, 1, 1, 4)
    for frame in (literal(*lengths), Rows(lengths), MemorySource({"x": np.arange(12)}, lengths).arrays()["x"]._frame):
        assert pipeline.rows_read(frame) == lengths
        assert pipeline.partition_batches(frame) == ((0, 1, 2), (3, 4, 5))
        assert pipeline.reduction_batches(frame) == pipeline.batch_neighbours(lengths, 2, 12)
        with ak.config.set(partition_size=8 * 4):
            assert pipeline.partition_batches(frame) == pipeline.batch_neighbours(lengths, 2, 4)
    hidden = unknown(*lengths)
    assert pipeline.rows_read(hidden) is None
    assert pipeline.partition_batches(hidden) == pipeline.single_partitions(hidden) == tuple((n,) for n in range(6))
    assert pipeline.group_batches(hidden, []) == pipeline.single_partitions(hidden)
    # Batches for cores may have twice as many rows.
    many = literal(*[2] * 12)
    monkeypatch.setattr(tuning, "MOST_BATCH_ROWS", 2)
    assert [len(batch) for batch in pipeline.reduction_batches(many)] == [2] * 6
    monkeypatch.setattr(tuning, "FEW_PARTITIONS", 3)
    monkeypatch.setattr(pipeline, "CORES", 3)
    monkeypatch.setattr(tuning, "MOST_BATCH_ROWS", 100)
    few = literal(1, 1, 8)
    assert pipeline.batch_neighbours((1, 1, 8), 3) == ((0, 1), (2,))
    assert pipeline.partition_batches(few) == pipeline.reduction_batches(few) == ((0,), (1,), (2,))


def test_rows_read_are_those_of_the_bases():
    one, other = literal(3, 0, 4), literal(3, 0, 4, name="y")
    x = one.column("x")
    wide, narrow = Project(one, (0,), (x,)), Project(literal(9, 9, 9), (0,), (literal(9, 9, 9).column("x"),))
    deep = Project(Project(wide, (0,), (wide.column(0),)), (0,), (wide.column(0),))
    few = Filter(one, Call("less", x, Constant(np.int64(2))), None)
    assert pipeline.rows_read(few) == (3, 0, 4)
    assert pipeline.rows_read(deep) == pipeline.rows_read(Shared(deep)) == (3, 0, 4)
    assert pipeline.rows_read(Slice(one, ((2, 0, 2, 1), (0, 1, 3, 1)))) == (4, 3)
    assert pipeline.rows_read(Partitions(one, (2, 2, 1))) == (4, 4, 0)
    both = Zip((wide, narrow))
    assert pipeline.rows_read(both) == (3, 0, 4)
    assert pipeline.rows_read(both, {narrow._name}) == (9, 9, 9)
    assert pipeline.rows_read(both, {"another"}) == (3, 0, 4)
    assert pipeline.rows_read(Zip((unknown(3, 0, 4), other))) == (3, 0, 4)
    assert pipeline.partition_batches(both, [narrow.column(0)]) == ((0,), (1,), (2,))


def test_rows_in_which_matches_are_found_count_as_those_that_find_them(monkeypatch):
    """All matches of a row are held at once, so that the rows of the other table decide the batches, too."""
    monkeypatch.setattr(tuning, "SMALL_ROWS", 16)
    monkeypatch.setattr(tuning, "FEW_GROUP_ROWS", 10)
    frame, first, second = literal(*[1] * 64), literal(30, 70), literal(400, 300)

    def matched(rows, *tables):
        for number, table in enumerate(tables):
            found = Replica(Gather(table) if isinstance(table, Project) else table, 0, INT64)
            rows = MatchRows(rows, frame.column("x"), found, False, ColumnIdentity(f"match {number}"))
        return rows

    few, many = (Project(table, (0,), (table.column("x"),)) for table in (first, second))
    running = ak.cumsum(MemorySource({"x": np.arange(5)}, [3, 2]).arrays()["x"])
    unknown_rows = Project(running._frame, (0,), (running._value,))
    for tables, rows in (((), 0), ((few,), 100), ((few, many), 700), ((many, few), 700), ((unknown_rows,), 0)):
        assert pipeline._rows_matched(matched(frame, *tables)) == rows
    for tables, count in (((), 8), ((few,), 16), ((few, many), 32)):
        wanted = pipeline.batch_neighbours((1,) * 64, count)
        assert pipeline.group_batches(matched(frame, *tables), []) == wanted


def test_rows_of_very_long_chains_are_counted():
    frame = literal(3, 4)
    node = Project(frame, (0,), (frame.column("x"),))
    for _ in range(3 * sys.getrecursionlimit()):
        node = Project(node, (0,), (node.column(0),))
    # Columns of each are in memory before the next.
    assert pipeline._rows_read_by(node) == (3, 4)


# ---- blocks


def program_of(values, positions=None):
    return Compiler([values], positions or {"rows": 0, "others": 1}, {}).last(values)


X, Y, F = ColumnRef("rows", "x", INT64), ColumnRef("rows", "y", INT64), ColumnRef("rows", "f", FLOAT64)
S, OTHER_X = ColumnRef("rows", "s", STR), ColumnRef("others", "x", INT64)


@pytest.mark.parametrize(
    ("masks", "programs", "unit", "columns"),
    [
        # The share of the cache that a number column takes is one, that of text four; temporaries take two together.
        ([], [[X]], 1, 1), ([], [[X, Y]], 1, 2), ([], [[X, OTHER_X, X]], 1, 2), ([], [[S]], 1, 4),
        ([], [[Call("add", X, X)]], 1, 3), ([], [[Call("add", Call("add", X, Y), Y)], [X]], 1, 4), ([], [[]], 1, 1),
        ([[X]], [[Y]], 1, 1.25), ([[X]], [[X, S]], 1, 2), ([[X]], [[X], [Y]], 1, 1.25), ([[X], [Y]], [], 1, 1.25),
        ([[Call("less", X, Constant(np.int64(2)))]], [[F]], 1, 3.25),
    ],
)  # fmt: skip
def test_columns_share_the_cache(monkeypatch, masks, programs, unit, columns):
    monkeypatch.setattr(tuning, "FEWEST_BLOCK_ROWS", 100)
    rows = 6000
    with ak.config.set(block_size=8 * rows):
        given = [program_of(values) for values in masks], [program_of(values) for values in programs]
        wanted = min(rows, int(2 * rows / columns))
        assert pipeline._block_rows(*given, 1) == wanted
        assert pipeline._block_rows(*given, 512) == wanted - wanted % 512
        assert pipeline._block_rows(*given, 8192) == 8192
        monkeypatch.setattr(tuning, "FEWEST_BLOCK_ROWS", 5999)
        assert pipeline._block_rows(*given, 1) == max(wanted, 5999)
        monkeypatch.setattr(tuning, "FEWEST_BLOCK_ROWS", 6001)
        assert pipeline._block_rows(*given, 1) == 6000
    with ak.config.set(block_size=8):
        assert pipeline._block_rows(*given, 1) == 1


# ---- tasks


def task_of(sink, *members, made=()):
    return Task("key", pipeline.run_batch, (sink, 8), members, List(*map(TaskRef, made)), List(), ())


COUNT, EVERY, FIRST, LAST = (
    Count(), Collect(("x",), program_of([X])), Collect(("x",), program_of([X]), 3), Collect(("x",), program_of([X]), -3)
)  # fmt: skip


class Picking(Count):
    picks_rows = True


MASK = Mask(program_of([Call("less", X, Constant(np.int64(20)))]))


@pytest.mark.parametrize(
    ("sink", "members", "made", "rows"),
    [
        (EVERY, [((), (RowPositions(0, 5),))], [], 5), (EVERY, [((), (RowPositions(5, 2),))] * 3, [], 6),
        (EVERY, [((), (None,)), ((), (None,))], ["four", "nine"], 13), (EVERY, [((), (None,))], ["lost"], 0),
        (EVERY, [((), (None, RowPositions(0, 6)))], ["four"], 6),
        (EVERY, [((), (None, RowPositions(0, 2)))], ["four"], 4),
        (COUNT, [((), (None, None)), ((), (None, None))], ["four", "four", "nine", "nine"], 13),
        (FIRST, [((), (None,))] * 2, ["four", "four"], 6), (FIRST, [((MASK,), (None,))], ["four"], 4),
        (LAST, [((), (None,))], ["four"], 4), (COUNT, [((Range(1, 3, 1),), (None,))], ["four"], 2),
        (Picking(), [((), (None,))], ["four"], 0),
    ],
)  # fmt: skip
def test_rows_of_tasks_are_told_by_the_plan(sink, members, made, rows):
    tables = {"four": 4, "nine": 9}
    assert pipeline.rows_of_task(task_of(sink, *members, made=made), tables) == rows
    of_tuple = Task("key", pipeline.run_batch, (sink, 8), tuple(members), tuple(map(TaskRef, made)), List(), ())
    assert pipeline.rows_of_task(of_tuple, tables) == rows


@pytest.mark.parametrize(
    ("selections", "rows"),
    [
        ((Range(2, 9, 1),), 4), ((Range(0, 3, 1), MASK), 3), ((Range(3, 3, 1),), 0), ((Range(5, 2, 1),), 0),
        ((MASK, Range(0, 3, 1)), 4), ((Range(0, 4, 2),), 4),
    ],
)  # fmt: skip
def test_rows_of_tasks_that_begin_with_a_range_are_no_more(selections, rows):
    assert pipeline.rows_of_task(task_of(EVERY, (selections, (None,)), made=["four"]), {"four": 4}) == rows


def test_rows_of_tasks_that_read_files_are_unknown():
    part = MemorySource({"x": [1, 2]}, [2]).part(0, ["x"])
    assert pipeline.rows_of_task(task_of(EVERY, ((), (part,))), {}) is None
    assert pipeline.rows_of_task(task_of(EVERY, ((), (RowPositions(0, 1), part))), {}) is None


# ---- sinks


def partitions_of(*lengths, selections=(), block_rows=4, **options):
    first = 0
    for number, rows in enumerate(lengths):
        text = pa.array([f"t{row}" for row in range(first, first + rows)], pa.large_string())
        table = Table({"x": np.arange(first, first + rows), "f": np.arange(first, first + rows) / 2, "s": text}, rows)
        yield Partition(
            (table,), options.pop("replicas", ()), selections, block_rows, identity=("", (number,)), **options
        )
        first += rows


@pytest.fixture
def short_blocks(monkeypatch):
    monkeypatch.setattr(tuning, "FEW_BLOCK_ROWS", 0)
    monkeypatch.setattr(tuning, "JOINED_BLOCK_SHARE", 10**6)


def run(sink, *lengths, **options):
    found = list(partitions_of(*lengths, **options))
    with found[0] if len(found) == 1 else PartitionBatch(found) as partition:
        return sink.run(partition)


VALUES = [Call("add", X, X), F, S]
NAMES = ("twice", "half", "text")


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("limit", [0, 1, 4, 5, 9, 12, 30, -1, -4, -7, -12, -30])
@pytest.mark.parametrize("lengths", [(12,), (5, 0, 7), (0, 0), (1, 1, 1, 1)])
def test_the_first_and_last_rows_are_collected(limit, lengths):
    for kept in (None, 4):
        selections = (
            []
            if kept is None
            else [
                Mask(program_of([Call("less", Call("remainder", X, Constant(np.int64(5))), Constant(np.int64(kept)))]))
            ]
        )
        rows = [row for row in range(sum(lengths)) if kept is None or row % 5 < kept]
        wanted = rows[:limit] if limit >= 0 else rows[limit:]
        table = run(Collect(NAMES, program_of(VALUES), limit), *lengths, selections=selections)
        assert table.nrows == len(wanted)
        assert table.columns["twice"].tolist() == [2 * row for row in wanted]
        assert table.columns["half"].tolist() == [row / 2 for row in wanted]
        assert table.columns["text"].to_pylist() == [f"t{row}" for row in wanted]


@pytest.mark.usefixtures("short_blocks")
def test_no_more_blocks_are_read_than_the_first_rows_need(monkeypatch):
    evaluated = []
    evaluate = sinks.Block.evaluate
    monkeypatch.setattr(
        sinks.Block, "evaluate", lambda self, *args: evaluated.append(self.nrows) or evaluate(self, *args)
    )
    for limit, count in ((0, 1), (3, 1), (4, 1), (5, 2), (8, 2), (-1, 4), (None, 4)):
        evaluated.clear()
        run(Collect(("twice",), program_of(VALUES[:1]), limit), 14)
        assert len(evaluated) == count


@pytest.mark.parametrize(
    ("lengths", "excess", "left"),
    [
        ([3, 4, 5], 0, [3, 4, 5]), ([3, 4, 5], 2, [3, 4, 5]), ([3, 4, 5], 3, [4, 5]), ([3, 4, 5], 6, [4, 5]),
        ([3, 4, 5], 7, [5]), ([3, 4, 5], 12, []), ([0, 4], 0, [4]), ([3, 4], -2, [3, 4]), ([], 3, []),
    ],
)  # fmt: skip
def test_tables_before_the_last_rows_are_dropped(lengths, excess, left):
    tables = [Table({}, length) for length in lengths]
    assert sinks._drop_before(tables, excess) == sum(lengths) - sum(left)
    assert [table.nrows for table in tables] == left


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("lengths", [(10,), (0,), (3, 8), (4, 0, 2)])
def test_all_rows_are_collected_of_one_partition_or_several(lengths):
    table = run(Collect(NAMES, program_of(VALUES)), *lengths)
    rows = range(sum(lengths))
    assert table.nrows == sum(lengths)
    assert table.columns["twice"].tolist() == [2 * row for row in rows]
    assert table.columns["half"].tolist() == [row / 2 for row in rows]
    assert table.columns["text"].to_pylist() == [f"t{row}" for row in rows]
    assert list(table.columns) == list(NAMES)


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize(("kept", "is_copied"), [(10, False), (6, False), (5, False), (4, True), (0, True)])
def test_few_rows_that_are_left_are_copied(monkeypatch, kept, is_copied):
    monkeypatch.setattr(tuning, "ENOUGH_LEFT", 2)
    mask = Mask(program_of([Call("less", X, Constant(np.int64(kept)))]))
    for reserved in (10, 3):
        monkeypatch.setattr(tuning, "MOST_RESERVED_ROWS", reserved)
        table = run(Collect(("half",), program_of([F])), 10, selections=[mask])
        column = table.columns["half"]
        assert column.tolist() == [row / 2 for row in range(kept)]
        if reserved == 10:
            assert (column.base is None) == is_copied


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("is_passed_on", [True, False])
def test_numbers_go_to_their_places_in_arrays_of_all_rows(is_passed_on):
    """The second of two partitions, whose numbers begin at row three of arrays; text is returned."""
    arrays = {"x": np.full(9, -1), "half": np.full(9, -1.0)}
    values = [X if is_passed_on else Call("add", X, Constant(np.int64(0))), F, S]
    sink = Collect(("x", "half", "text"), program_of(values), starts=(0, 3))
    _, second = partitions_of(3, 5, replicas=("other", arrays))
    second.replicas = ("other", arrays)
    with second:
        table = sink.run(second)
    assert list(table.columns) == ["text"]
    assert table.nrows == 5
    assert table.columns["text"].to_pylist() == [f"t{row}" for row in range(3, 8)]
    assert arrays["x"].tolist() == [-1, -1, -1, 3, 4, 5, 6, 7, -1]
    assert arrays["half"].tolist() == [-1, -1, -1, 1.5, 2, 2.5, 3, 3.5, -1]


def test_a_partition_knows_its_number():
    assert [sinks.only_number(one) for one in partitions_of(1, 1, 1)] == [0, 1, 2]
    assert sinks.only_number(Partition((RowPositions(0, 0),), (), [], 4)) == 0


@pytest.mark.usefixtures("short_blocks")
@pytest.mark.parametrize("kept", [0, 3, 5, 100])
@pytest.mark.parametrize("lengths", [(11,), (5, 6), (0, 11, 0)])
def test_rows_are_counted_and_reduced_under_a_mask(kept, lengths):
    mask = Mask(program_of([Call("less", Call("remainder", X, Constant(np.int64(7))), Constant(np.int64(kept)))]))
    rows = np.array([row for row in range(11) if row % 7 < kept])
    assert run(Count(), *lengths, selections=[mask], leave_last_mask=True) == len(rows)
    assert run(Count(), *lengths, selections=[mask]) == len(rows)
    calls = {
        0: ("sum", X),
        1: ("max", Call("multiply", X, X)),
        2: ("count", X),
        3: ("prod", Call("add", X, X)),
        4: ("min", X),
    }
    for plain, computed in (((0, 2, 4), (1, 3)), ((4,), (0, 3)), ((), (1,)), ((2, 0), ())):
        sink = Reduce(
            program_of([calls[number][1] for number in plain]),
            tuple((number, ScalarReduction(calls[number][0], INT64)) for number in plain),
            program_of([calls[number][1] for number in computed]),
            tuple((number, ScalarReduction(calls[number][0], INT64)) for number in computed),
            adds_floats=False,
        )
        wanted = {
            0: rows.sum(),
            1: max(rows**2, default=None),
            2: len(rows),
            3: (2 * rows).prod(),
            4: min(rows, default=None),
        }
        found = run(sink, *lengths, selections=[mask], leave_last_mask=True)
        finished = [
            None if state is None else ScalarReduction(calls[number][0], INT64).finalize(state)
            for number, state in zip(sorted((*plain, *computed)), found, strict=True)
        ]
        assert finished == [wanted[number] if len(rows) else None for number in sorted((*plain, *computed))]


def test_columns_are_collected_over_blocks_in_memory_that_grows():
    values = [X, S, F, S]
    program = program_of(values)
    for ncoded, expected in product((0, 2), (0, 3, 100)):
        buffer = ColumnBuffer(program, expected, ncoded)
        for partition in partitions_of(3, 0, 6):
            with partition:
                for block in partition.blocks():
                    columns = buffer.add(block)
                    assert columns[0].tolist() == list(range(buffer.nrows - block.nrows, buffer.nrows))
        numbers, coded, floats, text = buffer.columns()
        assert buffer.nrows == 9
        assert (numbers.tolist(), floats.tolist()) == (list(range(9)), [row / 2 for row in range(9)])
        assert text.to_pylist() == [f"t{row}" for row in range(9)]
        assert hasattr(coded, "codes") == (ncoded == 2)
        spaces = ColumnBuffer(program_of([X, F]), 2)
        spaces.nrows = 1
        assert [len(space) >= 5 for space in spaces.reserve(5)] == [True, True]
        assert [len(array) >= 6 for array in spaces._arrays.values()] == [True, True]
    assert [len(column) for column in ColumnBuffer(program, 4).columns()] == [0] * 4


# ---- words


def test_tasks_are_named_by_what_they_do():
    source = MemorySource(
        {name: np.arange(4) for name in ("a", "b", "long name of a column indeed")} | {"s": list("abcd")}, [2, 2]
    )
    arrays = source.arrays()
    scan = arrays["a"]._frame

    def step(frame, values, make_sink):
        return pipeline.pipeline(frame, values, make_sink, "test").layout.step

    def collect(compile_these, values):
        return Collect(tuple(range(len(values))), compile_these(values))

    def count(compile_these, values):
        return Count()

    columns = {name: scan.column(name) for name in source.columns}
    assert step(scan, [columns["a"]], collect) == "read+collect a"
    assert step(scan, [columns["s"], columns["a"]], collect) == "read+collect a, s"
    assert step(scan, [columns["s"], columns["a"], columns["b"]], collect) == "read+collect a, b, …"
    filtered = arrays["a"][arrays["b"] < 3]._frame
    assert step(filtered, [columns["a"]], count) == "read+filter+count b"
    assert step(scan, [columns["long name of a column indeed"]], collect) == "read+collect long name of a colum"
    rows = Rows((4,))
    assert step(rows, [rows.position], collect) == "collect"
    layout = pipeline.pipeline(scan, [columns["a"]], collect, "test").layout
    assert (layout.ntasks, layout.nread) == (2, 2)
    layout = replace(layout, batches=((0,), (), (1, 2)))
    assert (layout.ntasks, layout.nread) == (2, 3)
    assert (layout.table_bases, layout.scanned(0)) == ([], ["a"])
    assert layout.selections([(1, 2, 3)]) == (Range(1, 2, 3),)
    assert pipeline._in_words("a\ud800b") == "a?b"
    reduce = Reduce(
        program_of([X]),
        ((1, ScalarReduction("sum", INT64)),),
        program_of([X, X]),
        ((0, ScalarReduction("max", INT64)), (2, ScalarReduction("sum", INT64))),
        adds_floats=False,
    )
    assert pipeline._what(reduce) == "sum, max"
    assert pipeline._what(Reduce(program_of([]), (), program_of([]), (), adds_floats=False)) == "reduce"
    assert (reduce.leave_last_mask, EVERY.leave_last_mask, COUNT.leave_last_mask) == (True, False, True)


# ---- chains


def test_conditions_on_text_come_after_the_others():
    frame = literal(3)
    x, text = frame.column("x"), ColumnRef(frame._name, "s", STR)
    number, other, letters = (
        Call("less", x, Constant(np.int64(2))), Call("greater", x, Constant(np.int64(0))),
        Call("equal", text, Constant("a")),
    )  # fmt: skip
    joined = Call("bitwise_and", Call("bitwise_and", letters, number), other)
    stages = pipeline._in_stages(Chain.of(Filter(Slice(frame, ((0, 0, 2, 1),)), joined, None)))
    assert [type(node).__name__ for node in stages.selections] == ["Slice", "Filter", "Filter"]
    assert stages.predicates == [Call("bitwise_and", number, other), letters]
    assert pipeline._in_stages(Chain.of(Filter(frame, number, None))).predicates == [number]


def test_bases_whose_columns_are_not_used_are_left_out():
    one, other, third = literal(3), literal(3, name="y"), literal(3, name="z")
    x, y, z = one.column("x"), other.column("y"), third.column("z")
    every = Zip((one, other, third))
    assert pipeline.narrowed(every, [x, y, z]) is every
    assert pipeline.narrowed(every, [y]) is other
    assert pipeline.narrowed(every, [z, x]).bases == (one, third)
    assert pipeline.narrowed(every, []).bases == (one,)
    assert pipeline.narrowed(one, []) is one
    few = Filter(every, Call("less", z, Constant(np.int64(2))), None)
    assert pipeline.narrowed(few, [y]).bases == (other, third)
    assert Chain.of(pipeline.narrowed(few, [y])).predicates == [few.predicate]


@pytest.mark.parametrize("lengths", [(3, 4), (0, 5, 0, 2), (7,)])
def test_parts_of_a_concatenation_begin_behind_each_other(lengths):
    """Sinks know the first row of each partition, whatever they are concatenated from."""
    columns = MemorySource({"x": np.arange(sum(lengths))}, lengths).arrays()
    joined = ak.concatenate([columns["x"], columns["x"] + 1, columns["x"]])
    seen = []

    def sink(compile_these, values, starts):
        seen.append(starts)
        return Collect((0,), compile_these(values))

    every = [*lengths] * 3
    pipeline.pipeline_with_starts(joined._frame, [joined._value], every, sink, "test")
    assert tuple(chain.from_iterable(seen)) == tuple(accumulate(every[:-1], initial=0))
