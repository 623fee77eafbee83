"""Functions on arrays of any number of dimensions: NumPy is the reference."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import akdask as ak
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError, AxisError, PositionError

GRID = np.arange(24).reshape(2, 3, 4)
LINE = np.arange(7) * 1.5


def same(found, expected):
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_array_equal(found.to_ndarray(), expected)


# Under NumPy's names and Arkouda's, with the arguments of both.
CALLS = {
    "transpose": lambda at, x: at.transpose(x),
    "transpose, axes": lambda at, x: at.transpose(x, (0, 2, 1)),
    "flip": lambda at, x: at.flip(x, axis=1),
    "flip, line": lambda at, x: at.flip(x[0, 0]),
    "hstack": lambda at, x: at.hstack([x, x[:, :1]]),
    "hstack, lines": lambda at, x: at.hstack((x[0, 0], x[0, 1] * 1.5)),
    "vstack": lambda at, x: at.vstack((x[0], x[1, :1])),
    "vstack, lines": lambda at, x: at.vstack([x[0, 0], x[0, 1]]),
    "concatenate": lambda at, x: at.concatenate([x, x[:, :, :1]], axis=2),
    "append": lambda at, x: at.append(x, x[0, 0]),
    "append, axis": lambda at, x: at.append(x, x[:1], axis=0),
    "delete": lambda at, x: at.delete(x, [0, 5, -1]),
    "delete, int": lambda at, x: at.delete(x, 1, axis=1),
    "delete, slice": lambda at, x: at.delete(x, slice(None, None, 2), axis=2),
    "delete, nothing": lambda at, x: at.delete(x, [], axis=0),
    "delete, mask": lambda at, x: at.delete(x, np.array([True, False, True]), axis=1),
    "repeat": lambda at, x: at.repeat(x, 3, axis=0),
    "repeat, each": lambda at, x: at.repeat(x[0, 0], [2, 0, 1, 1]),
    "tile": lambda at, x: at.tile(x, 2),
    "tile, more": lambda at, x: at.tile(x[0], (2, 1, 3)),
    "squeeze": lambda at, x: at.squeeze(x[:1, :, :1]),
    "broadcast_to": lambda at, x: at.broadcast_to(x[:, :1], (2, 5, 4)),
    "matmul": lambda at, x: at.matmul(x, x[0].T),
    "dot": lambda at, x: at.dot(x, x[0].T),
    "dot, stacks": lambda at, x: at.dot(x, at.transpose(x, (0, 2, 1))),
    "tril": lambda at, x: at.tril(x, -1),
    "triu": lambda at, x: at.triu(x, 1),
    "take": lambda at, x: at.take(x, [3, 0], axis=2),
    "take, flat": lambda at, x: at.take(x, [23, 0]),
    "take, shaped": lambda at, x: at.take(x, np.array([[1], [2]])),
    "diff": lambda at, x: at.diff(x**2, 2, 1),
    "eye": lambda at, x: at.eye(3, 4, 1),
}


@pytest.mark.parametrize("small_array", [1, 1000])
@pytest.mark.parametrize("call", CALLS)
def test_functions_are_numpys(call, small_array):
    with ak.config.set(small_array=small_array):
        same(CALLS[call](ak, ak.array(GRID)), CALLS[call](np, GRID))


NUMPYS = {
    **{name: call for name, call in CALLS.items() if name != "eye"},
    "moveaxis": lambda at, x: at.moveaxis(x, 0, 2),
    "swapaxes": lambda at, x: at.swapaxes(x, 0, 2),
    "expand_dims": lambda at, x: at.expand_dims(x, (0, 2)),
    "roll": lambda at, x: at.roll(x, 2, axis=1),
    "reshape": lambda at, x: at.reshape(x, (4, 6)),
    "ravel": lambda at, x: at.ravel(x),
    "stack": lambda at, x: at.stack([x, x], axis=1),
    "pad": lambda at, x: at.pad(x, 1),
    "tensordot": lambda at, x: at.tensordot(x, x, ([0, 2], [0, 2])),
    "cumsum": lambda at, x: at.cumsum(x, axis=1),
    "nonzero": lambda at, x: at.nonzero(x)[2],
    "copy": lambda at, x: at.copy(x),
    "@": lambda at, x: x @ x[0].T,
}


@pytest.mark.parametrize("call", NUMPYS)
def test_numpys_functions_stay_lazy(call):
    found = NUMPYS[call](np, ak.array(GRID))
    assert isinstance(found, ak.pdarray)
    same(found, NUMPYS[call](np, GRID))


def test_numpys_functions_with_arguments_of_numpy_alone_compute():
    found = np.cumsum(ak.array(GRID), axis=1, dtype=float)
    np.testing.assert_array_equal(found, np.cumsum(GRID, axis=1, dtype=float))
    assert (np.ndim(ak.array(GRID)), np.size(ak.array(GRID)), np.shape(ak.array(GRID))) == (3, 24, (2, 3, 4))


@given(st.data(), npst.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=4), st.sampled_from([1, 1000]))
def test_any_order_of_dimensions_keeps_elements(data, shape, small_array):
    grid = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    axes = data.draw(st.permutations(range(len(shape))))
    with ak.config.set(small_array=small_array):
        found = ak.transpose(ak.array(grid), axes)
        same(found, grid.transpose(axes))
        same(ak.transpose(found * 2, np.argsort(axes).tolist()), grid * 2)


@given(st.data(), npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4), st.sampled_from([1, 1000]))
def test_operators_broadcast(data, shapes, small_array):
    left, right = (np.arange(1, np.prod(shape, dtype=int) + 1).reshape(shape) for shape in shapes.input_shapes)
    with ak.config.set(small_array=small_array):
        lazy = [ak.array(item.ravel()).reshape(item.shape) for item in (left, right)]
        found = lazy[0] * 10 - lazy[1]
        if found.ndim != 1 or left.size == right.size:
            same(found, np.asarray(left * 10 - right))
        for item, expected in zip(ak.broadcast_arrays(*lazy), np.broadcast_arrays(left, right), strict=True):
            same(item, expected)
    assert (
        ak.broadcast_dims(left.shape, right.shape)
        == shapes.result_shape
        == ak.broadcast_shapes(left.shape, right.shape)
    )


MATRICES = st.tuples(*[st.integers(0, 4)] * 3, st.sampled_from(["int64", "float64", "bool", "uint64"]))


@given(MATRICES, st.sampled_from([1, 1000]))
def test_products_of_matrices_are_numpys(drawn, small_array):
    rows, common, columns, dtype = drawn
    left = (np.arange(rows * common) % 3).reshape(rows, common).astype(dtype)
    right = (np.arange(common * columns) % 5).reshape(common, columns).astype(dtype)
    with ak.config.set(small_array=small_array):
        same(ak.matmul(ak.array(left), ak.array(right)), left @ right)
        same(
            ak.matmul(ak.array(left), ak.array(right[:, 0])) if columns else ak.array(left),
            left @ right[:, 0] if columns else left,
        )


def test_products_of_vectors_are_numpys():
    lazy = ak.array(GRID)
    same(ak.vecdot(lazy, lazy[0, 0]), np.vecdot(GRID, GRID[0, 0]))
    same(ak.vecdot(lazy, lazy, axis=0), np.vecdot(GRID, GRID, axis=0))
    assert ak.vecdot(ak.array([1, 2]), ak.array([3, 4])) == 11
    assert ak.matmul(ak.array([1, 2]), ak.array([3, 4])) == 11
    same(np.vecdot(lazy, lazy), np.vecdot(GRID, GRID))


def test_text_and_labels_are_flipped_repeated_and_deleted():
    texts = ak.array(["a", "", "cd"])
    for given_texts in (texts, ak.Categorical(texts)):
        assert ak.flip(given_texts).tolist() == ["cd", "", "a"]
        assert ak.repeat(given_texts, 2).tolist() == ["a", "a", "", "", "cd", "cd"]
        assert ak.tile(given_texts, 2).tolist() == ["a", "", "cd"] * 2
        assert ak.delete(given_texts, 1).tolist() == ["a", "cd"]
        assert ak.append(given_texts, given_texts[:1]).tolist() == ["a", "", "cd", "a"]


def test_columns_of_unknown_length_are_taken():
    few = ak.arange(10)[ak.arange(10) % 2 == 1]
    assert ak.flip(few).tolist() == [9, 7, 5, 3, 1]
    assert ak.repeat(few, 2).tolist() == np.repeat(np.arange(1, 10, 2), 2).tolist()
    assert ak.vstack([few, few]).shape == (2, 5)
    assert ak.shape(few) == (5,)


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_copies_share_nothing():
    a = ak.arange(3)
    b = ak.copy(a)
    b[0] = 7
    assert a.tolist() == [0, 1, 2]
    frame = ak.DataFrame({"a": a, "b": b})
    assert ak.shares_memory(a, a)
    assert ak.may_share_memory(frame, a)
    assert ak.shares_memory([b, a], {"a": a})
    assert not ak.shares_memory(a, ak.copy(a))
    assert not ak.shares_memory(frame, ak.arange(5))
    assert not ak.shares_memory(3, 3)
    with pytest.raises(ArgumentTypeError, match="lazy object"):
        ak.copy([1])


def test_single_elements_and_common_types():
    assert ak.scalar_array(5).tolist() == [5]
    assert ak.scalar_array(1, dtype="float64").dtype == np.float64
    dtype, arrays = ak.promote_to_common_dtype([ak.array([3]), ak.arange(2)])
    assert dtype == np.common_type(np.array([3]), np.arange(2)) == np.float64
    assert [item.tolist() for item in arrays] == [[3.0], [0.0, 1.0]]
    with pytest.raises(ArgumentTypeError, match="numbers"):
        ak.promote_to_common_dtype([1])


def test_types_of_stacked_arrays_are_those_asked_for():
    assert ak.hstack([ak.arange(2), ak.arange(2)], dtype="float64").dtype == np.float64
    assert ak.vstack([ak.zeros(2), ak.zeros(2)], dtype="int64", casting="unsafe").dtype == np.int64
    with pytest.raises(ArgumentTypeError, match="casting"):
        ak.vstack([ak.zeros(2), ak.zeros(2)], dtype="int64")


def test_what_does_not_fit_is_refused():
    lazy = ak.array(GRID)
    for wrong, error, words in (
        (lambda: ak.transpose(lazy, (0, 1)), ArgumentError, "2 axes"),
        (lambda: ak.transpose(lazy, (0, 1, 1)), ArgumentError, "twice"),
        (lambda: ak.flip(lazy, axis=3), AxisError, "3 dimensions"),
        (lambda: ak.squeeze(lazy, axis=0), ArgumentError, "length 1"),
        (lambda: ak.hstack([]), ArgumentError, "at least one"),
        (lambda: ak.vstack(5), ArgumentTypeError, "list or tuple"),
        (lambda: ak.concatenate([lazy, lazy[:, :1]], axis=0), ArgumentError, "along the axis only"),
        (lambda: ak.append(lazy, lazy[0], axis=0), ArgumentError, "dimensions"),
        (lambda: ak.delete(lazy, 2, axis=0), PositionError, "position 2"),
        (lambda: ak.delete(lazy, [True], axis=0), AlignmentError, "mask"),
        (lambda: ak.repeat(lazy, -1), ArgumentError, "below 0"),
        (lambda: ak.repeat(lazy, [1, 2], axis=1), ArgumentError, "3 positions"),
        (lambda: ak.tile(lazy, 1.5), ArgumentTypeError, "whole number"),
        (lambda: ak.broadcast_to(lazy, (2, 3)), AlignmentError, "does not broadcast"),
        (lambda: ak.broadcast_arrays(lazy, ak.arange(3)), AlignmentError, "do not broadcast"),
        (lambda: ak.matmul(lazy, lazy), AlignmentError, "one length"),
        (lambda: ak.matmul(lazy, 5), ArgumentTypeError, "scalars"),
        (lambda: ak.tril(ak.arange(3)), ArgumentError, "matrices"),
        (lambda: ak.eye(-1, 2), ArgumentError, "from 0"),
        (lambda: ak.DataFrame({"a": lazy}), ArgumentTypeError, "one dimension"),
        (lambda: ak.Index(lazy), ArgumentTypeError, "one dimension"),
        (lambda: ak.SegArray(ak.array([0]), lazy), ArgumentTypeError, "one dimension"),
        (lambda: ak.coargsort([lazy]), ArgumentTypeError, "one dimension"),
    ):
        with pytest.raises(error, match=words):
            wrong()


def test_columns_too_large_to_broadcast_are_taken_by_position():
    with ak.config.set(small_array=1, replicate_size=0):
        lazy = ak.array(GRID)
        same(ak.transpose(lazy, (2, 0, 1)), GRID.transpose(2, 0, 1))
        same(lazy[:, ::-2, 1:], GRID[:, ::-2, 1:])
        same(lazy[[1, 0], :, [[3], [2]]], GRID[[1, 0], :, [[3], [2]]])
        same(lazy + lazy[:1, :, :1], GRID + GRID[:1, :, :1])
        same(ak.matmul(lazy[0], lazy[1].T), GRID[0] @ GRID[1].T)


def test_plans_grow_with_the_number_of_steps():
    lazy, counts = ak.array(GRID), []
    for _ in range(3):
        for _ in range(4):
            lazy = ak.flip(ak.transpose(lazy + 1), axis=0)
        counts.append(len(lazy.dask))
    assert counts[2] - counts[1] <= 2 * (counts[1] - counts[0]) + 4


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2), (0, 1, 2)])
def test_several_quantiles_along_dimensions_are_numpys(axis, keepdims):
    numbers, q = np.random.default_rng(0).normal(size=(2, 3, 4)), [0.2, 0.5, 1.0]
    found = ak.quantile(ak.array(numbers), q, axis, keepdims=keepdims).to_ndarray()
    np.testing.assert_allclose(found, np.quantile(numbers, q, axis, keepdims=keepdims))
    assert ak.quantile(ak.array([1, 2, 4]), q, keepdims=True).shape == (3, 1)
