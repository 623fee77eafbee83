"""Arrays of several dimensions: NumPy is the reference."""

import numpy as np
import pytest

import akdask as ak
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError, PositionError, UnsupportedError

GRID = np.arange(24).reshape(2, 3, 4)


@pytest.fixture(params=[1, 2])
def grid(request):
    with ak.config.set(small_array=100 if request.param == 1 else 1):
        return ak.arange(24).reshape(2, 3, 4)


def test_shapes_are_those_of_numpy(grid):
    for shape in ((24,), (4, 6), (2, 12, 1), (-1, 8), (3, -1), (1, 1, 24)):
        found = grid.reshape(shape)
        expected = GRID.reshape(shape)
        assert found.shape == expected.shape
        np.testing.assert_array_equal(found.to_ndarray(), expected)
    assert type(grid.reshape(24)) is ak.pdarray
    assert grid.reshape(ak.array([4, 6])).shape == (4, 6)
    assert (grid.ndim, grid.size, len(grid), grid.dtype) == (3, 24, 2, np.int64)
    np.testing.assert_array_equal(grid.flatten().to_ndarray(), GRID.ravel())
    np.testing.assert_array_equal(np.asarray(grid), GRID)
    assert grid.tolist() == GRID.tolist()
    assert repr(grid[0]) == "array([array([0 1 2 3]) array([4 5 6 7]) array([8 9 10 11])])"
    assert repr(ak.zeros((2, 3))[:, :0]) == "array([array([]) array([])])"
    assert repr(ak.zeros((50, 50))).startswith("<ArrayView(float64, shape (50, 50)): lazy")


def test_data_at_hand_of_several_dimensions_are_taken():
    for given in (GRID, GRID.astype(np.float32), GRID > 5, [[1, 2], [3, 4]], np.asfortranarray(GRID), GRID[:, ::2]):
        found = ak.array(given)
        assert isinstance(found, ak.ArrayView)
        np.testing.assert_array_equal(found.to_ndarray(), np.asarray(given))
    assert ak.array(np.empty((0, 3))).shape == (0, 3)


def test_operators_work_element_by_element(grid):
    np.testing.assert_array_equal((grid * 2 + grid).to_ndarray(), GRID * 3)
    np.testing.assert_array_equal((10 - grid).to_ndarray(), 10 - GRID)
    np.testing.assert_array_equal((grid % 2 == 0).to_ndarray(), GRID % 2 == 0)
    np.testing.assert_array_equal((grid + GRID).to_ndarray(), GRID * 2)
    np.testing.assert_array_equal((grid - grid.base.max()).to_ndarray(), GRID - 23)
    np.testing.assert_allclose(np.sqrt(grid).to_ndarray(), np.sqrt(GRID))
    before = grid.flatten()
    grid += 1
    np.testing.assert_array_equal(grid.to_ndarray(), GRID + 1)
    np.testing.assert_array_equal(before.to_ndarray(), GRID.ravel())


def test_positions_choose_what_numpy_chooses(grid):
    assert grid[1, 2, 3] == GRID[1, 2, 3]
    assert grid[-1, 0, -2] == GRID[-1, 0, -2]
    np.testing.assert_array_equal(grid[1].to_ndarray(), GRID[1])
    np.testing.assert_array_equal(grid[0, 2].to_ndarray(), GRID[0, 2])
    assert type(grid[0, 2]) is ak.pdarray
    for key in (slice(1), slice(1, None), slice(-1, None), slice(5, 9), slice(1, 0), slice(None)):
        np.testing.assert_array_equal(grid[key].to_ndarray(), GRID[key])
    for wrong, error in (((2,), PositionError), ((0, 0, 0, 0), PositionError), ("a", ArgumentTypeError)):
        with pytest.raises(error):
            grid[wrong]


def test_what_does_not_fit_is_refused(grid):
    for shape in ((5, 5), (-1, -1), (7, -1), (-2, -12), ()):
        with pytest.raises(ArgumentError, match="24 elements"):
            grid.reshape(shape)
    with pytest.raises(ArgumentTypeError, match="whole numbers"):
        grid.reshape(2.5)
    with pytest.raises(AlignmentError, match="one shape"):
        grid + grid.reshape(4, 6)
    with pytest.raises(AlignmentError, match="one shape"):
        grid + ak.arange(24)
    with pytest.raises(AlignmentError, match="one shape"):
        np.add(ak.arange(24), 1, out=grid)
    with pytest.raises(ArgumentError, match="nd is"):
        grid.to_hdf("nowhere", nd="sparse")


def test_flat_arrays_broadcast_too():
    line = ak.arange(3)
    np.testing.assert_array_equal((line + ak.array([10])).to_ndarray(), np.arange(3) + 10)
    np.testing.assert_array_equal((np.array([10]) * line).to_ndarray(), np.arange(3) * 10)
    np.testing.assert_array_equal((line + np.ones((2, 3))).to_ndarray(), np.arange(3) + np.ones((2, 3)))
    np.testing.assert_array_equal((line + ak.ones((2, 1))).to_ndarray(), np.arange(3) + np.ones((2, 1)))
    with pytest.raises(AlignmentError):
        line + ak.arange(2)


def test_methods_go_along_the_first_dimension(grid):
    np.testing.assert_array_equal(grid.head(1).to_ndarray(), GRID[:1])
    np.testing.assert_array_equal(grid.tail(1).to_ndarray(), GRID[-1:])
    np.testing.assert_array_equal(grid.take([1, 0], 2).to_ndarray(), GRID.take([1, 0], 2))
    np.testing.assert_array_equal(grid.take([[5], [6]]).to_ndarray(), GRID.take([[5], [6]]))
    np.testing.assert_array_equal(grid.persist().compute(), GRID)
    np.testing.assert_array_equal(grid.repartition(3).to_ndarray(), GRID)
    np.testing.assert_array_equal(grid.to_dask().compute(), GRID)
    assert grid.equals(ak.array(GRID))
    assert not grid.equals(ak.arange(24))
    assert (grid.nbytes, grid.T.shape) == (192, (4, 3, 2))
    grid.fill(3)
    ak.putmask(grid, grid == 3, ak.array([1, 2]))
    assert grid[0, 0].tolist() == [1, 2, 1, 2]
    with pytest.raises(UnsupportedError, match="one dimension"):
        grid.to_arrow()


def test_arrays_without_dimensions_are_single_elements():
    one = ak.array([5]).reshape(())
    assert (one.shape, one.ndim, one.size) == ((), 0, 1)
    assert (one + ak.arange(2)).tolist() == [5, 6]
    assert (one.sum(), (one * 2).to_ndarray().shape, repr(one)) == (5, (), "array([5])")
    with pytest.raises(ArgumentTypeError, match="no length"):
        len(one)


@pytest.mark.lazy_only
def test_plans_of_arrays_of_several_dimensions_are_shown_and_not_run(grid):
    plan = (grid.T + 1)[::-1].explain()
    assert "strided" in plan


def test_rows_of_several_dimensions_are_drawn_and_mixed_whole():
    lazy = ak.array(GRID[0])
    rng = ak.random.default_rng(1)
    mixed = rng.permutation(lazy)
    assert sorted(mixed.tolist()) == GRID[0].tolist()
    assert rng.choice(lazy, 2).shape == (2, 4)
    rng.shuffle(lazy)
    assert sorted(lazy.tolist()) == GRID[0].tolist()


def test_functions_and_ends_of_arrays_are_those_of_numpy(grid):
    for name in ("sum", "prod", "min", "max", "mean", "var", "std", "any", "all"):
        found, expected = getattr(ak, name)(grid, axis=1), getattr(np, name)(GRID, axis=1)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found.to_ndarray(), expected)
    rows = grid.reshape(6, 4)
    for count in (0, 1, 4, 9):
        np.testing.assert_array_equal(rows.tail(count).to_ndarray(), GRID.reshape(6, 4)[6 - min(count, 6) :])
        np.testing.assert_array_equal(rows.head(count).to_ndarray(), GRID.reshape(6, 4)[:count])
