"""Alignment decided by plans alone: bounds of rows, numbers of partitions, and which rows are taken for the same."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import akdask as ak
from akdask.columns.table import Table
from akdask.engine import alignment, memory, tuning
from akdask.engine.alignment import Compact, Gather, Limit, Realign, Reverse
from akdask.engine.cache import Materialized
from akdask.engine.node import RowSpace
from akdask.engine.rowwise import Concat, Filter, Partitions, Project, Slice, Zip
from akdask.engine.sources import Literal, Rows
from akdask.engine.values import Call, Constant
from akdask.errors import AlignmentError


def literal(*lengths, name="x"):
    return Literal.of([Table({name: np.arange(rows)}, rows) for rows in lengths])


def project(frame, name="x"):
    return Project(frame, (name,), (frame.bases[0].column("x"),))


def few_of(frame):
    """Return rows of unknown number."""
    x = frame.column("x")
    return ak.pdarray(frame, x)[ak.pdarray(frame, x) < 2]._frame


@pytest.mark.parametrize(
    ("rows", "size", "count"),
    [
        # Four threads; partitions that are exchanged have ten rows, others as many as fit the size; sixteen are fine.
        (8, 800, 1), (9, 800, 4), (40, 800, 4), (41, 800, 8), (80, 800, 8), (150, 800, 16), (161, 800, 16),
        (10**4, 800, 100),
        (1600, 800, 16), (1601, 800, 17), (30, 40, 8), (100, 8, 100),
    ],
)  # fmt: skip
def test_rows_are_exchanged_into_partitions_by_size(monkeypatch, rows, size, count):
    for name, value in {"SMALL_ROWS": 8, "EXCHANGED_ROWS": 10, "FINE_PARTITIONS": 16}.items():
        monkeypatch.setattr(tuning, name, value)
    monkeypatch.setattr(alignment, "CPU_COUNT", 4)
    with ak.config.set(partition_size=size):
        assert alignment.exchanged_partition_size() == min(size, 80)
        assert alignment.partition_count(Rows((rows, 0))) == count
        assert alignment.partition_count(few_of(literal(rows - 1, 1))) == count


def test_rows_of_unknown_number_are_exchanged_into_as_many_partitions():
    frame = few_of(literal(3, 2))
    sums = ak.GroupBy(ak.pdarray(frame, frame.bases[0].column("x"))).sum(ak.pdarray(frame, frame.bases[0].column("x")))[
        1
    ]
    assert alignment.max_rows(sums._frame) is None
    assert alignment.partition_count(sums._frame) == sums._frame.npartitions


def test_bounds_of_rows_are_those_of_what_they_are_selected_from():
    frame = literal(3, 2)
    few = few_of(frame)
    assert not few.rows.is_fixed
    for node, bound, most in (
        (frame, 5, 5), (few, 5, 5), (project(few), 5, 5), (Gather(project(few)), 5, None),
        (Reverse(project(few)), 5, None),
        (Slice(frame, ((0, 0, 2, 1),)), 2, 2), (Partitions(few, (1,)), 5, 5), (Limit(project(few), 2), 5, None),
        (Concat((project(few), project(few), project(frame))), 15, None),
    ):  # fmt: skip
        assert (alignment.rows_at_most(node), alignment.max_rows(node)) == (bound, most), type(node)
    grouped = ak.unique(ak.pdarray(few, frame.column("x")))._frame
    assert alignment.max_rows(few_of(frame)) == 5
    assert alignment.rows_at_most(grouped) in (None, 5)


@pytest.mark.parametrize(
    ("lengths", "times", "most", "wanted"),
    [
        # Parts of two partitions, repeated; concatenations of few partitions stay as they are, as do few times as many.
        ((3, 2), 2, 2, None), ((3, 2), 3, 2, 2), ((3, 2), 3, 3, None), ((3, 2), 8, 2, 2), ((30, 20), 3, 2, 2),
        ((300, 200), 3, 2, 15), ((300, 200), 4, 2, 20), ((5,), 2, 1, 2),
    ],
)  # fmt: skip
def test_repeated_parts_are_packed(monkeypatch, lengths, times, most, wanted):
    for name, value in {"MOST_CONCATENATED": most, "SMALL_ROWS": 20, "FEW_PARTITIONS": 2}.items():
        monkeypatch.setattr(tuning, name, value)
    with ak.config.set(partition_size=800):
        frame = literal(*lengths)
        concat = Concat((project(frame),) * times)
        assert alignment._partitions(concat) == wanted
        found = alignment.joined([project(frame)] * times)
        if wanted is None or len(lengths) * times < 2 * wanted:
            assert isinstance(found, Concat)
        else:
            assert isinstance(found, Compact)
            assert sum(found.counts) == len(lengths) * times
            assert len(found.counts) == wanted
            assert max(found.counts) - min(found.counts) <= 1
            assert found.rows.size == sum(lengths) * times
            assert ak.pdarray(found, found.column("x")).tolist() == [
                n for _ in range(times) for rows in lengths for n in range(rows)
            ]


def test_rows_of_unknown_number_are_packed_to_the_partitions_of_their_bases(monkeypatch):
    for name, value in {"MOST_CONCATENATED": 2, "SMALL_ROWS": 4, "FEW_PARTITIONS": 2}.items():
        monkeypatch.setattr(tuning, name, value)
    few = few_of(literal(3, 2, 4))
    concat = Concat((project(few),) * 2)
    # The base of the parts is in memory and in few partitions.
    assert alignment._partitions(concat) is None
    unknown = ak.cumsum(ak.pdarray(few, few.bases[0].column("x")))
    other = Project(unknown._frame, ("x",), (unknown._value,))
    count = other.npartitions
    found = alignment._partitions(Concat((other, other)))
    assert found == max(2, min(count, 2 * count))


def test_the_partitions_of_an_origin_are_seen_through_steps():
    frame = literal(3, 2, 4)
    part = project(frame)
    for node, inputs, count in (
        (Concat((part, part)), [3, 2], 3), (part, [7], 7), (Gather(part), [7], 1), (frame, [], 3),
        (Filter(frame, Call("less", frame.column("x"), Constant(np.int64(2))), None), [5], 5),
        (Zip((frame, part)), [2, 4], 4), (Materialized(part), [7], 7),
    ):  # fmt: skip
        assert alignment._origin(node, inputs) == count


def test_the_item_of_most_partitions_keeps_its_rows():
    narrow, wide, other = literal(5), literal(2, 1, 2), literal(1, 2, 2)
    items = [(frame, frame.column("x")) for frame in (narrow, wide, other)]
    frame, values = alignment.align_by_plan("add", items)
    assert frame.rows.lengths == (2, 1, 2)
    assert values[1] == items[1][1]
    assert [ak.pdarray(frame, value).tolist() for value in values] == [
        [0, 1, 2, 3, 4],
        [0, 1, 0, 0, 1],
        [0, 0, 1, 0, 1],
    ]
    kept, values = alignment.align_by_plan("add", items, keeps_rows=True)
    assert kept.rows.lengths == (5,)
    assert [ak.pdarray(kept, value).tolist() for value in values] == [[0, 1, 2, 3, 4], [0, 1, 0, 0, 1], [0, 0, 1, 0, 1]]
    same, values = alignment.align_by_plan("add", [items[1], items[1]])
    assert same is wide
    assert values == [items[1][1]] * 2
    with pytest.raises(AlignmentError, match="cannot add columns that do not share rows") as error:
        alignment.align_by_plan("add", [items[0], (literal(4), literal(4).column("x"))])
    assert error.value.details == (
        "left:  5 rows in 1 partition, lengths (5)   from Rows in memory",
        "right: 4 rows in 1 partition, lengths (4)   from Rows in memory",
    )


def test_sides_are_told_with_their_rows():
    one = literal(1)
    assert alignment._side_in_words("left", one) == "left:  1 row in 1 partition, lengths (1)   from Rows in memory"
    assert alignment._side_in_words("right", few_of(literal(3, 2))) == (
        "right: 2 partitions, lengths unknown   from selection from Rows in memory"
    )
    assert alignment._side_in_words("left", Zip((one, literal(1, name="y"), Rows((1,))))).endswith(
        "from Rows in memory, Row numbers"
    )


@pytest.mark.parametrize(
    ("rows", "may"),
    [
        ([(3, 2), None], True), ([None, None], True), ([(3, 2), (5,)], False), ([(3, 2), (5,), None], True),
        ([(3, 2), (4,), None], False), ([None], True), ([(5,)], False),
    ],
)  # fmt: skip
def test_rows_are_counted_where_they_may_be_as_many(rows, may):
    frames = [
        SimpleNamespace(rows=RowSpace("unknown", 2) if lengths is None else RowSpace.of_lengths(lengths))
        for lengths in rows
    ]
    assert alignment._may_share_rows(frames) == may


def test_equal_selections_meet_side_by_side():
    one, other = literal(3, 2), literal(3, 2, name="y")
    assert alignment._side_by_side(one, one) is one
    both = alignment._side_by_side(one, other)
    assert both.bases == (one, other)
    ranges = ((0, 1, 3, 1), (1, 0, 1, 1))
    cut = alignment._side_by_side(Slice(one, ranges), Slice(other, ranges))
    assert isinstance(cut, Slice)
    assert cut.frame.bases == (one, other)
    assert alignment._side_by_side(Slice(one, ranges), Slice(other, ((0, 0, 2, 1), (1, 0, 1, 1)))) is None
    assert alignment._side_by_side(Slice(one, ranges), other) is None
    assert alignment._side_by_side(one, Slice(other, ranges)) is None
    assert alignment._side_by_side(Slice(one, ranges), Slice(literal(9, 9), ranges)) is None
    settled, values = alignment._settled(Slice(one, ranges), [one.column("x")])
    assert isinstance(settled, Project)
    assert values == [settled.column(0)]
    assert alignment._settled(one, [one.column("x")]) == (one, [one.column("x")])
    assert alignment._zip(one, one) is one


def test_packed_rows_are_packed_and_unpacked_like_others():
    part = project(literal(3, 2, 1, 4))
    packed = Compact(part, (2, 1, 1))
    assert packed.runs == [(0, 2), (2, 3), (3, 4)]
    assert packed.rows.lengths == (5, 1, 4)
    same, values = alignment._packed_like(packed, part, [part.column("x")])
    assert isinstance(same, Compact)
    assert same.counts == packed.counts
    assert values == [same.column(0)]
    assert alignment._packed_like(part, packed, values) == (packed, values)
    other = literal(9)
    assert alignment._packed_like(packed, other, values) == (other, values)
    frame, value = alignment._unpacked_like(part, packed, packed.column("x"))
    assert (frame, value) == (part, part.column("x"))
    assert alignment._unpacked_like(other, packed, value) == (packed, value)
    frame, values = alignment.align_by_plan("add", [(part, part.column("x")), (packed, packed.column("x"))])
    assert frame.npartitions == 3
    assert [ak.pdarray(frame, value).tolist() for value in values] == [[0, 1, 2, 0, 1, 0, 0, 1, 2, 3]] * 2


@pytest.mark.parametrize("wanted", [(5,), (1, 4), (0, 5, 0), (2, 2, 1)])
def test_rows_are_repartitioned(wanted):
    part = project(literal(3, 2))
    frame = Realign(part, (3, 2), wanted)
    assert frame.rows.lengths == wanted
    assert ak.pdarray(frame, frame.column("x")).tolist() == [0, 1, 2, 0, 1]
    (backwards, (x,)) = Reverse.of(part, [part.column("x")])
    assert backwards.rows.lengths == (2, 3)
    assert ak.pdarray(backwards, x).tolist() == [1, 0, 2, 1, 0]


def test_columns_that_the_first_rows_do_not_need_are_left_out():
    frame = Literal.of([Table({"x": np.arange(3), "y": np.arange(3)}, 3)])
    limit = Limit(Project(frame, ("a", "b"), (frame.column("x"), frame.column("y"))), -2)
    assert limit.of_columns(["a", "b", "c"]) is limit
    found = limit.of_columns(["b"])
    assert (found.frame.names, found.frame.values, found.count) == (("b",), (frame.column("y"),), -2)
    assert limit.of_columns([]).frame.names == ("a",)
    assert Limit(project(few_of(literal(3, 2))), 0).rows.lengths == (0,)


# ---- results that wait


@pytest.fixture
def shortage(monkeypatch):
    """Have memory that is short until so many bytes are freed, and begin without results that wait."""
    state = SimpleNamespace(short=0, freed=0)
    monkeypatch.setattr(memory, "_in_memory", {})
    monkeypatch.setattr(
        memory, "memory_budget", SimpleNamespace(
            is_short=lambda persisted=False: state.freed < state.short, add=lambda *_: None, keep=lambda *_: None,
            discard=lambda waiting: setattr(state, "freed", state.freed + waiting.nbytes),
        ),
    )  # fmt: skip
    return state


def table_of(rows):
    return Table({"n": np.arange(rows)}, rows)


def test_results_that_have_waited_longest_are_spilled_first(shortage):
    waiting = [memory.make_spillable(table_of(1000)) for _ in range(4)]
    (nbytes,) = {one.nbytes for one in waiting}
    assert memory.make_spillable("text") == "text"
    assert all(one.in_memory is not None for one in waiting)
    waiting[1].hold(1)
    shortage.short = nbytes + 1
    memory._spill_oldest(3 * nbytes)
    assert [one.in_memory is None for one in waiting] == [True, False, True, False]
    # No more is spilled than was added.
    shortage.short, shortage.freed = 10**9, 0
    memory._spill_oldest(1)
    assert [one.in_memory is None for one in waiting] == [True, False, True, True]
    memory._spill_oldest(10**9)
    assert waiting[1].in_memory is not None
    waiting[1].hold(-1)
    memory._spill_oldest(10**9)
    assert waiting[1].in_memory is None
    assert [memory.fetch(one).columns["n"].tolist() for one in waiting] == [list(range(1000))] * 4


def test_tiny_results_and_those_that_are_gone_are_not_spilled(shortage):
    shortage.short = 10**9
    tiny = memory.make_spillable(table_of(1))
    assert tiny.nbytes <= tuning.TINY_BYTES
    shortage.short = 0
    gone = memory.make_spillable(table_of(1000))
    assert len(memory._in_memory) == 1
    del gone
    assert not memory._in_memory
    assert memory._oldest() is None
    assert tiny.in_memory is not None


def test_inputs_are_held_until_their_task_ends(shortage):
    one, other = memory.make_spillable(table_of(1000)), memory.make_spillable(table_of(1000))
    inputs = {"a": one, "b": other, "c": 5}
    fetched = memory.fetch_all(inputs)
    assert fetched["c"] == 5
    task = memory.InputsInUse(inputs, fetched)
    assert one.is_in_use
    assert other.is_in_use
    assert task.let_go(fetched["b"]) is other
    assert not one.is_in_use
    assert not other.is_in_use
    assert memory.InputsInUse(inputs, fetched).let_go(7) == 7
    made = memory.InputsInUse(inputs, fetched).let_go(table_of(3))
    assert made.nrows == 3


@pytest.mark.parametrize(("limit", "fits"), [(0, True), (1, True), (-1, False)])
def test_inputs_beyond_the_memory_are_refused(shortage, monkeypatch, limit, fits):
    inputs = {
        "a": memory.make_spillable(table_of(1000)),
        "b": memory.make_spillable(table_of(10)),
        "c": table_of(10**4),
    }
    needed = inputs["a"].nbytes + inputs["b"].nbytes
    monkeypatch.setattr(memory.cluster, "process_memory", lambda: needed + limit)
    if fits:
        assert memory.fetch_all(inputs)["c"] is inputs["c"]
    else:
        with pytest.raises(
            MemoryError, match=f"needs {needed:,} bytes at once, and this process may use {needed - 1:,}"
        ):
            memory.fetch_all(inputs)
        # What a plan keeps takes no more memory than it has.
        inputs["a"].keep()
        inputs["b"].keep()
        assert memory.fetch_all(inputs)["a"].nrows == 1000
