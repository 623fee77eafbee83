"""Plans written by loops: they nest deeply and share parts, and must not cost more than they hold."""

import numpy as np
import pytest

import akdask as ak
from akdask.engine import tuning
from akdask.engine import tuning as engine_tuning
from akdask.engine.operations import Operation
from akdask.testing import assert_equal


def test_filtering_in_a_loop():
    a = ak.arange(400)
    for number in range(300):
        a = a[a != number]
    assert_equal(a, np.arange(300, 400))


def test_slicing_in_a_loop():
    a = ak.arange(1000)
    for _ in range(900):
        a = a[1:]
    assert_equal(a, np.arange(900, 1000))


def test_assigning_in_a_loop():
    a = ak.arange(500)
    for number in range(400):
        a[number] = 0
    assert a.sum() == sum(range(400, 500))


def test_joining_in_a_loop_does_not_nest():
    a = ak.arange(3)
    for _ in range(500):
        a = ak.concatenate([a, ak.arange(3)])
    assert a.npartitions < 2 * tuning.FEW_PARTITIONS
    assert_equal(a, np.tile(np.arange(3), 501))


def test_joining_columns_of_joined_rows_keeps_what_was_computed_of_them():
    joined = ak.concatenate([ak.arange(3), ak.arange(2)])
    assert_equal(ak.concatenate([joined * 2, joined]), [0, 2, 4, 0, 2, 0, 1, 2, 0, 1])


def test_a_scalar_made_of_arrays_that_hold_scalars_is_written_once():
    a = ak.array([1.0, 2.0, 4.0])
    wanted = np.array([1.0, 2.0, 4.0])
    for number in range(25):
        # Each round counts for the result: all values change in it, none grows beyond bounds.
        before = wanted
        a = a * 1.25 - a.mean() + number
        wanted = wanted * 1.25 - wanted.mean() + number
        assert not np.isclose(wanted, before, rtol=0.01).any()
    assert len(a.sum().explain()) < 20_000
    np.testing.assert_allclose(a.to_ndarray(), wanted, rtol=1e-12)


def test_putting_at_positions_in_a_loop():
    a = ak.arange(60)
    for number in range(50):
        a[[number]] = ak.array([0])
    assert a.sum() == sum(range(50, 60))


def _search(rounds):
    """A breadth-first search along a path, of which each round asks whether it has found anything."""
    sources = ak.concatenate([ak.arange(99), ak.arange(1, 100)])
    targets = ak.concatenate([ak.arange(1, 100), ak.arange(99)])
    seen = reached = ak.array([0])
    for _ in range(rounds):
        reached = ak.unique(targets[ak.in1d(sources, reached)])
        reached = reached[ak.in1d(reached, seen, invert=True)]
        assert reached.size == 1
        seen = ak.concatenate([seen, reached])
    return seen.tolist() == list(range(rounds + 1))


def _components(rounds):
    sources, targets = ak.array([0, 1, 2, 5, 6]), ak.array([1, 2, 3, 6, 7])
    groups, labels = ak.GroupBy(targets), ak.arange(8)
    for _ in range(rounds):
        found, least = groups.min(labels[sources])
        new = labels + 0
        new[found] = ak.minimum(least, labels[found])
        assert int((new != labels).sum()) >= 0
        labels = new
    return labels.tolist() == [0, 0, 0, 0, 4, 5, 5, 5]


def _ranks(rounds):
    sources, targets = ak.array([0, 1, 2, 0]), ak.array([1, 2, 0, 2])
    groups, rank, degree = ak.GroupBy(targets), ak.ones(3) / 3, ak.array([2.0, 1.0, 1.0])
    for _ in range(rounds):
        new = ak.full(3, 0.05)
        found, sums = groups.sum((rank / degree)[sources])
        new[found] = sums * 0.85 + 0.05
        assert float(ak.abs(new - rank).sum()) < 2
        rank = new
    return abs(float(rank.sum()) - 1) < 1e-9


def _means(rounds):
    points, means = ak.array([0.0, 0.2, 4.0, 4.4, 9.0]), ak.array([0.0, 1.0, 5.0])
    for _ in range(rounds):
        distances = [ak.abs(points - means[number]) for number in range(3)]
        nearest = ak.where(distances[1] < distances[0], 1, 0)
        nearest = ak.where(distances[2] < ak.minimum(distances[0], distances[1]), 2, nearest)
        means = ak.concatenate([ak.GroupBy(nearest).mean(points)[1], ak.array([9.0, 9.0, 9.0])])[:3]
        assert means.size == 3
    return bool(means[0] >= 0)


@pytest.mark.parametrize(("loop", "some"), [(_search, 45), (_components, 20), (_ranks, 20), (_means, 20)])
def test_rounds_that_ask_for_values_are_not_computed_again(loop, some, monkeypatch):
    monkeypatch.setattr("akdask.engine.tuning.MOST_STEPS_OF_UNKNOWN", engine_tuning.MOST_STEPS)
    calls, evaluate = 0, Operation.evaluate

    def counted(self, *args, **options):
        nonlocal calls
        calls += 1
        return evaluate(self, *args, **options)

    monkeypatch.setattr(Operation, "evaluate", counted)
    work = []
    for rounds in (some, 2 * some):
        calls = 0
        assert loop(rounds)
        work.append(calls)
    assert work[1] < 2.5 * work[0], work
