from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import PositionError
from akdask.operators.rows import plan, tuning
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import DTYPES, columns, partition_lengths, partitioned

HELD, PICKED = 2**40, 0


@st.composite
def tables(draw):
    """A column of at least one row, and positions in it from either end."""
    plain = draw(columns(draw(st.sampled_from(DTYPES)), draw(st.integers(1, 12))))
    positions = draw(st.lists(st.integers(-len(plain), len(plain) - 1), min_size=1, max_size=20))
    return plain, np.array(positions, np.int64)


def is_picked(lazy):
    return "Take" in lazy.explain()


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
@given(tables(), st.data())
def test_rows_at_positions_are_those_of_numpy_however_they_are_found(drawn, data):
    plain, positions = drawn
    lazy = partitioned(plain, data.draw(partition_lengths(len(plain))))
    at = partitioned(positions, data.draw(partition_lengths(len(positions))))
    for size in HELD, PICKED:
        with ak.config.set(replicate_size=size):
            found = lazy[at]
            assert is_picked(found) == (size == PICKED)
            np.testing.assert_array_equal(found.to_ndarray(), plain[positions])


@pytest.mark.lazy_only
@pytest.mark.parametrize("size", [HELD, PICKED])
@pytest.mark.parametrize("wrong", [3, -4, 2**62, -(2**62)])
def test_a_position_that_is_nowhere_is_refused(size, wrong):
    with ak.config.set(replicate_size=size):
        found = ak.array([1, 2, 3])[ak.array([0, wrong, 1])]
        with pytest.raises(PositionError, match=f"position {wrong} is outside an array of 3 rows"):
            found.to_ndarray()


@pytest.mark.parametrize("size", [HELD, PICKED])
def test_unsigned_positions_are_taken_too(size):
    with ak.config.set(replicate_size=size):
        values = ak.array(["a", "b", "ü"])
        assert values[ak.array([2, 0], ak.uint64)].tolist() == ["ü", "a"]
        with pytest.raises(PositionError):
            values[ak.array([2**64 - 1], ak.uint64)].to_ndarray()


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_few_rows_of_many_are_picked_so_that_no_task_holds_all():
    many = ak.arange(100 * tuning.FEW_WANTED)
    assert is_picked(many[ak.array([5, -1])])
    assert many[ak.array([5, -1])].tolist() == [5, 100 * tuning.FEW_WANTED - 1]
    assert not is_picked(many[ak.arange(100)])
    assert not is_picked(many[ak.arange(200)[ak.arange(200) > 190]])


def test_rows_of_rows_of_unknown_number_are_found():
    values = ak.arange(50)
    kept = values[values > values.mean()]
    for size in HELD, PICKED:
        with ak.config.set(replicate_size=size):
            assert kept[kept - 25][ak.array([-1, 0])].tolist() == [49, 25]


def test_a_broadcast_column_tells_its_frame_and_its_value_there():
    rows = ak.arange(5)
    doubled = 2 * rows
    column = plan.broadcast(rows._frame, doubled._value)
    assert plan.BroadcastColumn.of(column) == (rows._frame, doubled._value)
    assert plan.BroadcastColumn.of(doubled._value) is None


def picks(taken):
    return sum(getattr(task, "func", None) is plan._pick for task in taken.__dask_graph__().values())


@pytest.mark.lazy_only
def test_rows_of_many_partitions_are_looked_up_in_several_at_once(monkeypatch):
    values = np.random.default_rng(0).permutation(100)
    lazy = ak.concatenate([ak.array(part) for part in np.split(values, 10)])
    positions = ak.concatenate([ak.array(part) for part in np.split(np.arange(99, -101, -2), 10)])
    with ak.config.set(replicate_size=PICKED):
        assert picks(lazy[positions]) == 10 * 10
        monkeypatch.setattr(tuning, "MOST_PICKS", 30)
        monkeypatch.setattr(tuning, "FEWEST_SOURCES", 3)
        assert picks(lazy[positions]) == 3 * 10
        assert lazy[positions].tolist() == values[np.arange(99, -101, -2)].tolist()


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_few_rows_of_stored_columns_are_read_and_nothing_else():
    stored = ak.arange(10 * tuning.FEW_WANTED)
    few, more = np.arange(-5, 5), np.arange(-5, 6)
    with ak.config.set(replicate_size=PICKED):
        for values in (stored, stored * 2, stored + ak.ones(stored.size)):
            assert picks(values[ak.array(few)]) == 0
            assert values[ak.array(few)].tolist() == values.to_ndarray()[few].tolist()
            assert picks(values[ak.array(more)]) > 0
        assert picks(stored[partitioned(few, [5, 5])]) > 0
        assert picks(stored[stored > -1][ak.array(few)]) > 0


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_columns_are_held_if_they_are_as_large_as_allowed(monkeypatch):
    values, positions = ak.arange(100), ak.arange(50)
    for size, is_large in ((800, False), (799, True), (0, True)):
        with ak.config.set(replicate_size=size):
            assert is_picked(values[positions]) == is_large
    kept = values[values > 50]
    with ak.config.set(replicate_size=799):
        assert is_picked(kept[kept - 51])
    for share, on_cluster in ((tuning.BROADCAST_SHARE_HERE, False), (tuning.BROADCAST_SHARE, True)):
        monkeypatch.setattr(plan, "on_cluster", lambda on_cluster=on_cluster: on_cluster)
        for memory, is_large in ((800 * share, False), (800 * share - 1, True)):
            monkeypatch.setattr(plan, "memory", lambda memory=memory: memory)
            assert is_picked(values[positions]) == is_large


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
@pytest.mark.parametrize("lengths", [[640], [100, 0, 200, 340], [320, 320]])
def test_few_rows_of_several_stored_partitions_are_read_from_each(lengths):
    values = np.random.default_rng(0).permutation(640)
    stored = MemorySource({"v": values}, lengths).arrays()["v"]
    positions = np.array([5, -1, 639, 0, 99, 100, 299, 300, 320, 5])
    with ak.config.set(replicate_size=PICKED):
        found = stored[ak.array(positions)]
        assert picks(found) == 0
        assert found.tolist() == values[positions].tolist()
