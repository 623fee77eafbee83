"""Steps of a few lines of plans and their tasks, each by itself."""

from __future__ import annotations

import pickle
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.columns.dtypes import BOOL, INT64, list_of
from akdask.columns.table import Table, to_objects
from akdask.engine import alignment, cache, explain, node, reduction, scheduler, slices, sources
from akdask.engine.alignment import Limit
from akdask.engine.blocks import Block
from akdask.engine.operations import OPERATIONS
from akdask.engine.rowwise import Project
from akdask.engine.slices import CutSlices, SlicesOnDisk
from akdask.engine.spill import TableOnDisk
from akdask.engine.values import Apply, Call, ColumnRef, Compiler, Constant, Load
from akdask.operators.group.grouping import GroupCodes
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.testing.memory import MemorySource

# ---- slices of partitions


class Numbers(CutSlices):
    """Slices that are their own numbers."""

    def cut(self, number):
        return [number]


@pytest.mark.parametrize("made", [lambda: Numbers(4), lambda: SlicesOnDisk([[number] for number in range(4)])])
def test_slices_are_a_sequence(made):
    found, wanted = made(), [[number] for number in range(4)]
    assert len(found) == 4
    assert list(found) == wanted
    for index in range(-4, 4):
        assert found[index] == wanted[index]
    for index in (-5, 4):
        with pytest.raises(IndexError):
            found[index]
    for part in (slice(None), slice(1, 3), slice(3, None), slice(None, None, -2), slice(-1, 9), slice(2, 1)):
        assert found[part] == wanted[part]


def test_slices_and_tables_on_disk_are_pickled_with_their_rows():
    stored = pickle.loads(pickle.dumps(SlicesOnDisk([np.arange(2), "text"], ("a", 1))))
    assert stored[0].tolist() == [0, 1]
    assert stored[1] == "text"
    assert stored.name is None
    table = pickle.loads(
        pickle.dumps(TableOnDisk(Table({"n": np.arange(3), "s": pa.array(["a", "", "é"], pa.large_string())}, 3)))
    )
    assert to_objects(table.open().columns["s"]) == ["a", "", "é"]
    assert table.open().columns["n"].tolist() == [0, 1, 2]


def test_tasks_tell_the_place_of_slices_only_where_there_are_workers(monkeypatch):
    split = [[1], [2]]
    assert slices.tell_place(split) is split
    monkeypatch.setattr(slices, "current_worker", lambda: SimpleNamespace(address="tcp://here:1"))
    assert slices.tell_place(split) == "tcp://here:1"


def test_spill_files_are_spilled_by_name(monkeypatch):
    registered, names = [], iter([None, ("split", 3), ("split", 4)])
    monkeypatch.setattr(slices, "current_task", lambda: next(names))
    monkeypatch.setattr(slices, "register_spilling", lambda *how: registered.append(how))
    monkeypatch.setattr(slices, "_spilled", {})
    slices._have_names_spilled.cache_clear()
    try:
        assert slices.task_name() is None
        assert registered == []
        named, other = (SlicesOnDisk.of_task([[1]]) for _ in range(2))
        ((kind, name_of, named_so),) = registered
        assert kind is SlicesOnDisk
        assert [name_of(one) for one in (named, other, SlicesOnDisk([[1]]))] == [("split", 3), ("split", 4), None]
        assert named_so(["split", 3]) is named
        assert list(slices._spilled) == [("split", 3), ("split", 4)]
    finally:
        slices._have_names_spilled.cache_clear()


def test_spill_files_are_kept_until_dask_has_forgotten_their_results(monkeypatch):
    names = [("here", "kept"), ("here", "forgotten"), ("there", "forgotten")]
    monkeypatch.setattr(slices, "_spilled", {name: SlicesOnDisk([np.arange(2)], name) for name in names})
    monkeypatch.setattr(slices, "current_worker", lambda: None)
    slices.clear_spill_files()
    assert list(slices._spilled) == names
    monkeypatch.setattr(slices, "current_worker", lambda: SimpleNamespace(address="here", data={"kept": None}))
    slices.clear_spill_files()
    assert list(slices._spilled) == [names[0], names[2]]
    monkeypatch.setattr(slices, "_spilled", {})
    slices.clear_spill_files()
    assert slices._spilled == {}


# ---- what is shown at once


def of_plan(array):
    return array._frame, [array._value]


ROWS = MemorySource({"x": np.arange(12), "y": np.arange(12) % 5}, [4, 4, 4])


@pytest.mark.lazy_only
@pytest.mark.few_rows_only
@pytest.mark.parametrize(("count", "number"), [(3, 0), (0, 0), (-1, 2), (-5, 2)])
def test_first_and_last_rows_are_sought_in_the_partition_at_the_edge(count, number):
    arrays = ROWS.arrays()
    x, y = arrays["x"], arrays["y"]
    kept = (x[y > 1], y[y > 1])
    limit = Limit(Project(kept[0]._frame, ("a", "b"), (kept[0]._value, kept[1]._value)), count)
    values = [Call("add", limit.column("a"), Constant(np.int64(100))), limit.column("b")]
    frame, found, wanted = explain.edge_of_limit(limit, values)
    assert wanted == count
    assert frame.npartitions == 1
    assert [type(frame).__name__, frame.numbers] == ["Partitions", (number,)]
    part = slice(4 * number, 4 * number + 4)
    rows = np.arange(12)[part][np.arange(12)[part] % 5 > 1]
    assert [ak.pdarray(frame, value).tolist() for value in found] == [(rows + 100).tolist(), (rows % 5).tolist()]


@pytest.mark.lazy_only
@pytest.mark.few_rows_only
def test_only_limits_of_cheap_inputs_have_an_edge():
    x = ROWS.arrays()["x"]
    assert explain.edge_of_limit(*of_plan(x)) is None
    large = MemorySource({"x": np.arange(2 * explain.SMALL.rows)}, [explain.SMALL.rows] * 2).arrays()["x"]
    for array, is_cheap in ((ak.sort(x), True), (large, True), (ak.sort(large), False)):
        limit = Limit(Project(array._frame, (0,), (array._value,)), 3)
        assert (explain.edge_of_limit(limit, [limit.column(0)]) is not None) == is_cheap


@pytest.mark.lazy_only
@pytest.mark.few_rows_only
def test_partitions_stand_alone_where_they_need_no_others():
    x = ROWS.arrays()["x"]
    for array, stands_alone in (
        (x, True), (x[x > 3], True), (x + 1, True), (x + x.sum(), False), (x[x > x.mean()], False), (ak.sort(x), False),
    ):  # fmt: skip
        frame, values = of_plan(array)
        assert explain.partitions_stand_alone(Project(frame, (0,), tuple(values))) is stands_alone


def test_more_is_shown_where_memory_is_shared(monkeypatch):
    for shares in (True, False):
        monkeypatch.setattr(explain, "shares_memory", lambda shares=shares: shares)
        assert explain.shown_budget() is (explain.SHOWN if shares else explain.CLUSTER)


def test_tasks_of_a_cluster_are_counted_by_their_states(monkeypatch):
    steps = {
        "read": {"memory": 3, "released": 2, "processing": 1},
        "sum": {"waiting": 4, "processing": 2},
        "write": {"waiting": 1},
    }
    for known, wanted in ((steps, (5, 13, "sum")), ({"read": {"memory": 2}}, (2, 2, "read")), ({}, (0, 0, ""))):
        monkeypatch.setattr(explain, "tasks_by_step", lambda client, known=known: known)
        counted = explain._ClusterTasks(None)
        assert counted.counts() == wanted
        assert counted.taken() == explain.Estimate()


# ---- reductions


def test_states_of_sums_are_merged_in_place():
    form = REDUCTIONS["sum"].grouped
    total, more = np.array([1, 2, 3]), np.array([10, 20, -3])
    assert form.merges_in_place
    form.merge_in_place((total,), (more,))
    assert (total.tolist(), more.tolist()) == ([11, 22, 0], [10, 20, -3])
    first, second = np.array([1.0, np.nan, 3.0]), np.array([2.0, 5.0, np.nan])
    for skipna, ufunc in ((True, np.fmin), (False, np.minimum)):
        merged = first.copy()
        REDUCTIONS["min"].grouped.merge_in_place((merged,), (second,), skipna)
        np.testing.assert_array_equal(merged, ufunc(first, second))
    assert not REDUCTIONS["first"].grouped.merges_in_place


@pytest.mark.parametrize("rows", [[1.0, np.nan, 3.0, np.nan, 5.0], [1.0, 2.0, 3.0, 4.0, 5.0], [1, 2, 3, 4, 5]])
def test_values_of_groups_are_those_that_are_not_nan(rows):
    codes, column = np.array([2, 0, 2, 1, 0]), np.array(rows)
    groups = GroupCodes(codes, 4)
    present = ~np.isnan(column)
    for skipna in (True, False):
        (found,) = reduction.count_values(groups, column, skipna)
        assert found.tolist() == np.bincount(codes[present], minlength=4).tolist()


# ---- names of elements, of tasks and of operations


def test_types_that_no_column_has_are_told_with_their_first_positions():
    found = sources._types(np.array([1, "a", 2, None, "b", 2.5], object))
    assert found == ["int (position 0)", "str (position 1)", "NoneType (position 3)", "float (position 5)"]


def test_operations_are_a_mapping_of_all_families():
    names = list(OPERATIONS)
    assert len(names) == len(OPERATIONS) == len(set(names))
    assert {"add", "list_lengths", "byte_length", "cast", "where"} <= set(names)
    assert all(OPERATIONS[name].name == name for name in names)
    with pytest.raises(KeyError):
        OPERATIONS["no operation"]


def test_lists_are_compared_by_an_operation_of_their_own():
    lists = pa.array([[1, 2], [3], []], pa.large_list(pa.int64()))
    others = pa.array([[1, 2], [4], []], pa.large_list(pa.int64()))
    for name, wanted in (("equal", [True, False, True]), ("not_equal", [False, True, False])):
        assert OPERATIONS[name].result_type(list_of(INT64), list_of(INT64)) == BOOL
        assert OPERATIONS[name].evaluate(lists, others).tolist() == wanted


def test_frames_that_only_others_read_have_no_tasks():
    frame = ROWS.arrays()["x"]._frame
    assert node.has_tasks(frame) == bool(frame._layer())


def test_tasks_are_timed_where_a_recorder_is_active():
    def run(tasks):
        if tasks[0][1] is None:
            raise ValueError
        return [one for _, one in tasks]

    assert scheduler.recording(run) is run
    seconds = {}
    restore = scheduler._seconds.set(seconds)
    try:
        timed = scheduler.recording(run)
    finally:
        scheduler._seconds.reset(restore)
    assert timed([("a", 1), ("b", 2)]) == [1, 2]
    with pytest.raises(ValueError, match=r"^$"):
        timed([("c", None)])
    assert list(seconds) == ["a", "c"]
    assert all(taken >= 0 for taken in seconds.values())


# ---- joined blocks, concatenations and columns that were kept


class Rows:
    """A partition whose rows are ten times their number; notes what is read."""

    def __init__(self):
        self.asked = []

    def read_rows(self, load, rows, out):
        self.asked.append(rows.tolist())
        return rows * 10

    def unit_positions(self, start, stop):
        return np.arange(start, stop), 100


@pytest.mark.parametrize("is_repeated", [True, False])
def test_rows_of_joined_blocks_are_read_once_though_pairs_repeat_them(is_repeated):
    partition, table = Rows(), Load(1, "found", INT64)
    chosen = [np.array([0, 0, 2]), np.array([1, 1, 3])] if is_repeated else [np.array([0, 2]), np.array([1, 3])]
    made = []
    for start, positions in zip((0, 4), chosen, strict=True):
        block = Block(partition, start, start + 4)
        if is_repeated:
            block = block.expanded(positions, table, positions + 50)
        else:
            block.select_rows(positions, len(positions))
        block.own()
        made.append(block)
    joined = Block.joined(made)
    wanted = np.concatenate([chosen[0], chosen[1] + 4])
    rows = joined.numbers_of(np.arange(joined.nrows))
    assert rows.tolist() == wanted.tolist()
    assert joined._read_rows(Load(0, "x", INT64), rows, None).tolist() == (wanted * 10).tolist()
    assert partition.asked == [sorted(set(wanted.tolist()))]
    found = joined.unit_positions()
    if is_repeated:
        # Pairs are counted from the start of their block.
        assert found is None
    else:
        assert (found.offsets.tolist(), found.extent) == (wanted.tolist(), 100)


@pytest.mark.lazy_only
@pytest.mark.few_rows_only
@pytest.mark.parametrize(("size", "count"), [(160, 11), (1760, 4), (161, 11), (176, 10), (1, 1760)])
def test_concatenations_of_counted_rows_have_partitions_of_a_size(monkeypatch, size, count):
    for name, value in {"SMALL_ROWS": 0, "FEW_PARTITIONS": 4, "MOST_CONCATENATED": 0}.items():
        monkeypatch.setattr(alignment.tuning, name, value)
    monkeypatch.setattr(alignment, "partition_size", lambda: size)
    bases = [MemorySource({"x": np.arange(110)}, [11] * 10).arrays()["x"]._frame for _ in range(2)]
    concat = alignment.Concat(tuple(Project(base, (0,), (base.column("x"),)) for base in bases))
    assert alignment._partitions(concat) == count


def test_columns_of_values_become_those_of_the_frame_that_they_have_in_common(monkeypatch):
    arrays = ROWS.arrays()
    frame, x, y = arrays["x"]._frame, arrays["x"]._value, arrays["y"]._value
    monkeypatch.setattr(cache, "align_by_plan", lambda asked, pairs: ("common", [y for _ in pairs]))
    assert cache.rejoined(frame, [Call("add", x, x), x]) == ("common", [Call("add", y, y), y])


X = ColumnRef("rows", "x", INT64)
DOUBLED, ONE = Call("add", X, X), Constant(np.int64(1))
MORE = Call("add", DOUBLED, ONE)
PRODUCT = Call("multiply", MORE, DOUBLED)


@pytest.mark.parametrize(
    ("programs", "released"),
    [
        ([[MORE]], [(0,), (1, 2)]),
        ([[DOUBLED, MORE]], [(0,), (2,)]),
        ([[PRODUCT]], [(0,), (2,), (3, 1)]),
        ([[PRODUCT, MORE]], [(0,), (2,), (1,)]),
        ([[PRODUCT, DOUBLED, X]], [(), (2,), (3,)]),
        ([[PRODUCT, PRODUCT]], [(0,), (2,), (3, 1)]),
        # What a later program recalls is kept.
        ([[MORE], [DOUBLED]], [(0,), (2,)]),
        ([[DOUBLED], [PRODUCT]], [(0,)]),
    ],
)
def test_registers_are_released_after_their_last_use_unless_they_are_results(programs, released):
    compiler = Compiler(programs, {"rows": 0}, {})
    program = compiler.next(programs[0])
    assert [step.release for step in program.steps if isinstance(step, Apply)] == released
    for step in program.steps:
        if isinstance(step, Apply):
            assert not set(step.release) & set(program.outputs)
            assert not set(step.release) & {register for register, _ in program.hands_on}
