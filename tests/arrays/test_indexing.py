"""Keys of arrays of several dimensions: NumPy is the reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import akdask as ak
from akdask.errors import AlignmentError, ArgumentTypeError, PositionError

GRID = np.arange(24).reshape(2, 3, 4)
SHAPES = npst.array_shapes(min_dims=2, max_dims=3, min_side=0, max_side=4)
PARTITIONS = st.sampled_from([100, 1])


def numbered(shape):
    return np.arange(np.prod(shape, dtype=int)).reshape(shape)


def same(found, expected):
    if np.ndim(expected):
        assert found.shape == expected.shape
        found = found.to_ndarray()
    np.testing.assert_array_equal(found, expected)


@given(st.data(), SHAPES, PARTITIONS)
def test_slices_ints_and_new_axes_choose_what_numpy_chooses(data, shape, small_array):
    expected = numbered(shape)
    key = data.draw(npst.basic_indices(shape, allow_newaxis=True))
    with ak.config.set(small_array=small_array):
        same(ak.array(expected)[key], expected[key])


@given(st.data(), npst.array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=4), PARTITIONS)
def test_index_arrays_choose_what_numpy_chooses(data, shape, small_array):
    expected = numbered(shape)
    along = [
        st.slices(length)
        | st.integers(-length, length - 1)
        | npst.arrays(np.int64, st.sampled_from([(3,), (2, 1), (1,)]), elements=st.integers(-length, length - 1))
        for length in shape
    ]
    parts = data.draw(st.tuples(*along))
    key = parts[: data.draw(st.integers(1, len(parts)))]
    with ak.config.set(small_array=small_array):
        lazy = ak.array(expected)
        same(lazy[key], expected[key])
        as_lazy = tuple(ak.array(part) if isinstance(part, np.ndarray) else part for part in key)
        same(lazy[as_lazy], expected[key])


@given(st.data(), SHAPES, PARTITIONS)
def test_masks_choose_what_numpy_chooses(data, shape, small_array):
    expected = numbered(shape)
    first = data.draw(st.integers(0, len(shape) - 1))
    last = data.draw(st.integers(first + 1, len(shape)))
    mask = data.draw(npst.arrays(bool, shape[first:last]))
    key = (slice(None),) * first + (mask,)
    with ak.config.set(small_array=small_array):
        lazy = ak.array(expected)
        same(lazy[key], expected[key])
        same(lazy[(*key[:-1], ak.array(mask))], expected[key])


@given(st.data(), SHAPES, PARTITIONS)
def test_assignment_changes_what_numpy_changes(data, shape, small_array):
    expected = numbered(shape)
    key = data.draw(npst.basic_indices(shape))
    wanted = expected[key].shape
    items = data.draw(st.just(np.int64(-7)) | st.just(-1 - numbered(wanted)) | st.just(-1 - numbered(wanted[-1:])))
    with ak.config.set(small_array=small_array):
        lazy = ak.array(expected)
        before = lazy * 1
        lazy[key] = items
        same(before, expected)
        expected[key] = items
        same(lazy, expected)


@pytest.mark.parametrize("small_array", [100, 1])
def test_assignment_by_arrays_and_masks_changes_what_numpy_changes(small_array):
    mask, rows = GRID % 3 == 0, np.array([[1], [0]])
    for key, items in (
        (mask, 0),
        (mask, np.arange(8)),
        (mask[:, :, 0], 5),
        (mask[:, :, 0], GRID[0, :2] * 2),
        ((slice(None), [2, 0]), -GRID[:, :2]),
        ((rows, [0, 2], 1), np.array([[7, 8], [9, 10]])),
        ((..., -1), GRID[..., 0]),
    ):
        with ak.config.set(small_array=small_array):
            expected, lazy = GRID.copy(), ak.array(GRID)
        expected[key] = items
        lazy[key] = items
        same(lazy, expected)
        lazy[ak.array(key) if isinstance(key, np.ndarray) else key] = ak.array(items) if np.ndim(items) else items
        same(lazy, expected)


def test_flat_arrays_give_the_shape_of_positions():
    flat = ak.arange(10) * 10
    same(flat[ak.array([[1, 2], [3, -1]])], np.array([[10, 20], [30, 90]]))
    with pytest.raises(AlignmentError, match="2 dimensions"):
        flat[ak.array([[True], [False]])]


def test_keys_that_choose_nothing_are_refused():
    lazy = ak.array(GRID)
    for wrong, error in (
        ((0, 0, 0, 0), PositionError),
        (-3, PositionError),
        (([0, 2],), PositionError),
        (np.zeros((2, 2), bool), AlignmentError),
        ((slice(None), np.zeros(2, bool)), AlignmentError),
        (([0, 1], [0, 1, 2]), AlignmentError),
        (True, ArgumentTypeError),
        ([1.5], ArgumentTypeError),
        ("a", ArgumentTypeError),
    ):
        with pytest.raises(error):
            lazy[wrong]
    with pytest.raises(PositionError, match="position 2"):
        lazy[ak.array([0, 2])].to_ndarray()
    with pytest.raises(AlignmentError, match="does not broadcast"):
        lazy[0] = np.arange(3)
