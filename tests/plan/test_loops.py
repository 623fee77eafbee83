"""Plans written by loops: they nest deeply and share parts, and must not cost more than they hold."""

import numpy as np

import akdask as ak
from akdask.plan.task.batches import FEW
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
    assert a.npartitions < 2 * FEW
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
