"""Rows of unknown number: who needs to count them, and that it happens once."""

import gc
import pickle

import numpy as np
import pytest

import akdask as ak
from akdask.engine import node
from akdask.engine.alignment import rows_at_most
from akdask.engine.optimizer import inputs_first, optimize
from akdask.engine.rowwise import Filter
from akdask.errors import AlignmentError
from akdask.operators.group.plan import GroupAggregate
from akdask.operators.sort.plan import Sort
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource


@pytest.fixture
def source():
    return MemorySource({"x": np.arange(12)}, [4, 0, 3, 5])


@pytest.fixture(autouse=True)
def _nothing_is_known():
    node.forget_lengths()


def unknown(x):
    """Return arrays whose lengths nobody knows, with what NumPy has."""
    plain = np.arange(12)
    kept, wanted = x[x % 5 > 1], plain[plain % 5 > 1]
    return {
        "filter": (kept, wanted),
        "two filters": (kept[kept > 3], wanted[wanted > 3]),
        "head": (kept.head(2), wanted[:2]),
        "tail": (kept.tail(2), wanted[-2:]),
        "concatenation": (ak.concatenate([kept, kept]), np.concatenate([wanted, wanted])),
        "take": (x[kept], plain[wanted]),
        "persisted filter": (kept.persist(), wanted),
        "assignment": (assigned(kept, 7), np.where(wanted > 7, 0, wanted)),
        "head of a concatenation": (ak.concatenate([kept, kept]).head(100), np.concatenate([wanted, wanted])),
    }


def assigned(array, threshold):
    array = array.copy()
    array[array > threshold] = 0
    return array


KINDS = list(unknown(ak.arange(12)))


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_counted_where_their_number_is_asked_for(kind, source):
    found, wanted = unknown(source.arrays()["x"])[kind]
    assert found.rows.lengths is None
    assert len(found) == len(wanted)
    assert found.size == len(wanted)
    assert found.shape == (len(wanted),)
    assert sum(found.rows.lengths) == len(wanted)


@pytest.mark.parametrize("kind", KINDS)
def test_positions_count_in_what_a_filter_has_left(kind, source):
    found, wanted = unknown(source.arrays()["x"])[kind]
    assert found[1] == wanted[1]
    assert_equal(found[-3:], wanted[-3:])
    assert_equal(found[::-1], wanted[::-1])
    assert_equal(found[[1, 0, -1]], wanted[[1, 0, -1]])
    found[0] = 100
    assert found[0] == 100


@pytest.mark.parametrize("kind", KINDS)
def test_head_and_tail_do_not_count(kind, source):
    found, wanted = unknown(source.arrays()["x"])[kind]
    assert_equal(found.head(3), wanted[:3])
    assert_equal(found.tail(3), wanted[-3:])
    assert found.rows.lengths is None
    for number in (0, -1):
        assert_equal(found.head(number), wanted[:number])
        assert_equal(found.tail(number), wanted[-number:] if number else wanted[:0])


def test_a_count_is_kept_for_all_columns_of_the_rows(source):
    x = source.arrays()["x"]
    kept = x[x > 4]
    assert (kept * 2).rows.lengths is None
    kept.resolve_lengths()
    source.reads.clear()
    assert len(kept * 2) == len(x[x > 4]) == 7
    assert source.reads == []


def test_the_same_condition_on_other_rows_is_another_mask(source):
    x = source.arrays()["x"]
    first, second = x[0:4], x[4:8]
    low, high = first[first > 2], second[second > 2]
    assert len(low) == 1
    assert len(high) == 4
    assert high.tolist() == [4, 5, 6, 7]
    for start in range(0, 12, 3):
        part = x[start : start + 3]
        assert len(part[part % 2 == 0]) == len([row for row in range(start, start + 3) if row % 2 == 0])


def test_the_same_condition_on_other_rows_does_not_combine(source):
    x = source.arrays()["x"]
    first, second = x[0:4], x[4:8]
    # Two elements and four: one element would stand for all, as in NumPy.
    with pytest.raises(AlignmentError):
        first[first > 1] + second[second > 1]


def test_a_mask_selects_the_same_rows_of_columns_of_any_origin(source):
    x = source.arrays()["x"][::2]
    other = x.copy()
    other[[0, 5]] = ak.array([100, 101])
    mask = x > 3
    columns = [x[mask], other[mask], (x * 2)[mask], ak.arange(6)[mask], x[mask].persist()]
    assert len({column.rows.token for column in columns}) == 1
    assert (columns[0] + columns[1] + columns[3]).tolist() == [4 + 4 + 2, 6 + 6 + 3, 8 + 8 + 4, 10 + 101 + 5]


def test_a_plan_does_not_depend_on_a_count_that_is_forgotten(source, monkeypatch):
    x = source.arrays()["x"]
    kept = x[x > 4]
    by_position = kept[[2, 0, -1]]
    changed = kept.copy()
    changed[[0, 1]] = ak.array([50, 60])
    aligned = kept + ak.arange(7)
    plans = pickle.dumps([by_position, changed, aligned])
    node.forget_lengths()
    for item, wanted in zip(
        pickle.loads(plans), [[7, 5, 11], [50, 60, 7, 8, 9, 10, 11], [5, 7, 9, 11, 13, 15, 17]], strict=True
    ):
        assert item.tolist() == wanted


def test_a_plan_in_another_process_has_the_counts_that_it_was_made_with(source):
    x = source.arrays()["x"]
    kept = x[x > 4]
    assert len(kept) == 7
    plan = (kept + ak.arange(7)).cumsum()
    pickled = pickle.dumps(plan)
    # Another process has none of the nodes, and nothing was counted there.
    name = plan.expr._name
    del kept, plan
    gc.collect()
    node.forget_lengths()
    found = pickle.loads(pickled)
    assert found.expr._name == name
    assert found.rows.lengths == (0, 0, 2, 5)
    assert found.tolist() == np.cumsum(np.arange(5, 12) + np.arange(7)).tolist()


def test_only_so_many_counts_are_kept(monkeypatch):
    monkeypatch.setattr(node._known, "most_entries", 2)
    for name in "abc":
        node.remember_lengths(name, (1,))
    assert [node.known_lengths(name) for name in "abc"] == [None, (1,), (1,)]


def test_rows_are_bounded_by_those_that_they_come_of(source):
    x = source.arrays()["x"]
    kept, few = x[x % 5 > 1], ak.arange(3)
    right = ak.DataFrame({"x": x})
    joined = ak.merge(ak.DataFrame({"x": few}), right, on="x")["x"]
    bounds = {
        "filter": (kept, 12),
        "filter of a filter": (kept[kept > 3], 12),
        "groups": (ak.unique(kept), 12),
        "concatenation": (ak.concatenate([kept, few, kept]), 27),
        "join": (joined, None),
        "concatenation with a join": (ak.concatenate([kept, joined, few]), None),
        "filter of a join": (joined[joined > 2], None),
    }
    assert {kind: rows_at_most(array._frame) for kind, (array, _) in bounds.items()} == {
        kind: wanted for kind, (_, wanted) in bounds.items()
    }


def test_rows_whose_sort_is_left_out_are_not_taken_for_the_sorted_ones():
    # Of one partition, so that sorted rows have as many in each partition.
    arrays = MemorySource({"v": np.arange(9) % 4, "x": np.arange(9)}, [9]).arrays()
    frame = ak.DataFrame(arrays).sort_values("v")
    kept = frame[frame["x"] > 2]
    groups = ak.GroupBy(kept["v"])
    total, (_, totals) = kept["x"].sum(), groups.sum(kept["x"])
    for written, kind in ((total, Filter), (totals, Filter), (totals, GroupAggregate)):
        plans = [written.expr.finalize_compute()]
        assert not any(isinstance(item, Sort) for item in inputs_first(optimize(plans)))
        before, after = (
            {item.rows.token for item in inputs_first(nodes) if isinstance(item, kind)}
            for nodes in (plans, optimize(plans))
        )
        assert before
        assert after
        assert before.isdisjoint(after)
    assert (int(total), totals.tolist()) == (33, [4 + 8, 5, 6, 3 + 7])
