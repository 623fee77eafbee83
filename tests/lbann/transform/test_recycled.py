"""Memory of large arrays is used again, when nobody uses it any more."""

from __future__ import annotations

import gc

import numpy as np
import pytest

from akdask.lbann import transform, tuning

N = 2**18


@pytest.fixture(autouse=True)
def nothing_idle():
    gc.collect()
    transform._IDLE.clear()
    yield
    transform._IDLE.clear()


def place(values):
    return values.__array_interface__["data"][0]


def test_memory_is_used_again_once_it_is_dropped():
    first = transform.empty((4, N), np.dtype("f4"))
    where = place(first)
    del first
    second = transform.empty((N * 2,), np.dtype("f8"))
    assert place(second) == where
    assert (second.shape, second.dtype, second.flags.writeable) == ((N * 2,), np.float64, True)


def test_memory_that_any_view_refers_to_is_not_used_again():
    first = transform.empty((4, N), np.dtype("f4"))
    first[...] = 7
    views = [first[2, 5:], memoryview(first)[1:2], first.reshape(-1).view("i4")[::3], first.T]
    del first
    while views:
        other = transform.empty((4, N), np.dtype("f4"))
        other[...] = 9
        view = views.pop()
        assert np.asarray(view).astype("f4").ravel()[0] in {7, np.float32(7).view("i4")}
        del view, other


def test_what_is_kept_idle_is_bounded():
    arrays = [transform.empty((64 * N,), np.dtype("f4")) for _ in range(3)]
    del arrays
    assert sum(one.nbytes for one in transform._IDLE) <= tuning.IDLE_BYTES
    assert transform.empty((N,), np.dtype("f4")).nbytes == 4 * N
    assert all(one.nbytes < 8 * N for one in transform._IDLE)


def test_small_arrays_and_objects_are_plain():
    assert transform.empty((3,), np.dtype("f4")).base is None
    assert transform.empty((N,), np.dtype(object))[0] is None
    assert not transform._IDLE
