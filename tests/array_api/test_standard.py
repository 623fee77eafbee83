"""Functions of the array standard on the types that akdask holds, beside NumPy, which follows the standard itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import akdask.array_api as xp

ARRAYS = {
    "int64": np.array([[3, -1, 2], [0, 5, -4]]),
    "uint64": np.array([[3, 1, 2], [0, 5, 4]], np.uint64),
    "float64": np.array([[0.5, -1.5, 2.0], [0.0, 3.25, -4.0]]),
    "bool": np.array([[True, False, True], [False, False, True]]),
}
NUMBERS = ("int64", "uint64", "float64")
FLOATS = ("float64",)


def gram(m, a):
    """Return a square matrix that can be inverted."""
    return m.matmul(a, m.matrix_transpose(a))


def flat(m, a):
    return m.reshape(a, (-1,))


AXES: tuple[dict[str, Any], ...] = ({}, {"axis": 0}, {"axis": 1, "keepdims": True})
REDUCTIONS = {
    **dict.fromkeys(("sum", "prod", "max", "min", "argmax", "argmin"), NUMBERS),
    **dict.fromkeys(("mean", "std", "var"), FLOATS),
    **dict.fromkeys(("all", "any"), tuple(ARRAYS)),
}
SUMS = {"axis": 0}, {"axis": 1, "include_initial": True}
OF_NUMBERS = {
    "diff": lambda m, a: m.diff(a, axis=1),
    "sort": lambda m, a: m.sort(a, axis=0),
    "argsort": lambda m, a: m.argsort(a, axis=1),
    "searchsorted": lambda m, a: m.searchsorted(m.sort(flat(m, a)), flat(m, a)),
    "searchsorted right": lambda m, a: m.searchsorted(m.sort(flat(m, a)), flat(m, a), side="right"),
    "matmul": gram,
    "tensordot": lambda m, a: m.tensordot(a, m.permute_dims(a, (1, 0)), axes=1),
    "vecdot": lambda m, a: m.vecdot(a, a),
}
OF_ALL = {
    "concat": lambda m, a: m.concat([a, a], axis=1),
    "concat flat": lambda m, a: m.concat([a, a], axis=None),
    "stack": lambda m, a: m.stack([a, a], axis=-1),
    "unstack": lambda m, a: m.unstack(a, axis=1)[1],
    "expand_dims": lambda m, a: m.expand_dims(a, axis=1),
    "squeeze": lambda m, a: m.squeeze(m.expand_dims(a, axis=0), axis=0),
    "flip": lambda m, a: m.flip(a, axis=1),
    "flip all": lambda m, a: m.flip(a),
    "moveaxis": lambda m, a: m.moveaxis(a, 0, 1),
    "permute_dims": lambda m, a: m.permute_dims(a, (1, 0)),
    "matrix_transpose": lambda m, a: m.matrix_transpose(a),
    "repeat": lambda m, a: m.repeat(a, 2, axis=1),
    "repeat flat": lambda m, a: m.repeat(a, 2),
    "reshape": lambda m, a: m.reshape(a, (3, -1)),
    "roll": lambda m, a: m.roll(a, 1, axis=1),
    "roll flat": lambda m, a: m.roll(a, -1),
    "tile": lambda m, a: m.tile(a, (2, 1)),
    "broadcast_to": lambda m, a: m.broadcast_to(a, (2, 2, 3)),
    "take": lambda m, a: m.take(a, m.asarray([1, 0]), axis=1),
    "where": lambda m, a: m.where(m.roll(a, 1) == a, a, m.flip(a)),
    "nonzero": lambda m, a: m.nonzero(a)[1],
    "unique_values": lambda m, a: m.sort(m.astype(m.unique_values(a), m.float64)),
    "unique_counts": lambda m, a: m.sort(m.unique_counts(a).counts),
    "unique_all": lambda m, a: m.unique_all(a).indices,
    "unique_inverse": lambda m, a: m.unique_inverse(a).inverse_indices,
}
OF_FLOATS = {
    "linalg.cholesky": lambda m, a: m.linalg.cholesky(gram(m, a)),
    "linalg.cross": lambda m, a: m.linalg.cross(a, a + 1),
    "linalg.det": lambda m, a: m.linalg.det(gram(m, a)),
    "linalg.diagonal": lambda m, a: m.linalg.diagonal(a, offset=1),
    "linalg.eigh": lambda m, a: m.linalg.eigh(gram(m, a)).eigenvalues,
    "linalg.eigvalsh": lambda m, a: m.linalg.eigvalsh(gram(m, a)),
    "linalg.inv": lambda m, a: m.linalg.inv(gram(m, a)),
    "linalg.matrix_norm": lambda m, a: m.linalg.matrix_norm(a),
    "linalg.matrix_power": lambda m, a: m.linalg.matrix_power(gram(m, a), 3),
    "linalg.matrix_rank": lambda m, a: m.linalg.matrix_rank(a),
    "linalg.outer": lambda m, a: m.linalg.outer(a[0, :], a[1, :]),
    "linalg.pinv": lambda m, a: m.linalg.pinv(a),
    "linalg.qr": lambda m, a: m.matmul(*m.linalg.qr(a)),
    "linalg.slogdet": lambda m, a: m.linalg.slogdet(gram(m, a)).logabsdet,
    "linalg.solve": lambda m, a: m.linalg.solve(gram(m, a), a),
    "linalg.svd": lambda m, a: m.linalg.svd(a, full_matrices=False).S,
    "linalg.svdvals": lambda m, a: m.linalg.svdvals(a),
    "linalg.trace": lambda m, a: m.linalg.trace(a),
    "linalg.vector_norm": lambda m, a: m.linalg.vector_norm(a),
    "linalg.vector_norm along an axis": lambda m, a: m.linalg.vector_norm(a, axis=1, ord=1),
    "fft.fftfreq": lambda m, a: m.fft.fftfreq(5, d=0.5),
    "fft.rfftfreq": lambda m, a: m.fft.rfftfreq(6),
    "fft.fftshift": lambda m, a: m.fft.fftshift(a, axes=1),
    "fft.fftshift all": lambda m, a: m.fft.fftshift(a),
    "fft.ifftshift": lambda m, a: m.fft.ifftshift(a, axes=1),
}
MADE: tuple[Any, ...] = (3, 2.5, True, [[1, 2], [3, 4]], [], np.float64(1.5), np.uint64(2**63), np.bool_(False))


def same(function, *given):
    expected = np.asarray(function(np, *given))
    found = np.asarray(function(xp, *map(xp.asarray, given)).to_ndarray())
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(found.astype(float), expected.astype(float), rtol=1e-12, atol=1e-12)


CASES = [(name, of, kind) for name, of in OF_NUMBERS.items() for kind in NUMBERS]
CASES += [(name, of, kind) for name, of in OF_ALL.items() for kind in ARRAYS]
CASES += [(name, of, kind) for name, of in OF_FLOATS.items() for kind in FLOATS]


@pytest.mark.light
@pytest.mark.parametrize(("function", "kind"), [case[1:] for case in CASES], ids=[f"{n}-{k}" for n, _, k in CASES])
def test_functions_give_what_numpy_gives(function, kind):
    same(function, ARRAYS[kind])


@pytest.mark.light
@pytest.mark.parametrize(("name", "kind"), [(name, kind) for name, kinds in REDUCTIONS.items() for kind in kinds])
@pytest.mark.parametrize("words", AXES, ids=str)
def test_reductions_give_what_numpy_gives(name, kind, words):
    same(lambda m, a: getattr(m, name)(a, **words), ARRAYS[kind])


@pytest.mark.light
@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("words", SUMS, ids=str)
@pytest.mark.parametrize("name", ["cumulative_sum", "cumulative_prod"])
def test_cumulative_functions_give_what_numpy_gives(name, words, kind):
    same(lambda m, a: getattr(m, name)(a, **words), ARRAYS[kind])


@pytest.mark.light
@pytest.mark.parametrize("given", MADE, ids=str)
def test_arrays_are_made_of_scalars_and_lists(given):
    same(lambda m: m.asarray(given))
