"""Functions of the array API standard: NumPy, which is a conforming namespace, is the reference.

The same calls give the same shapes, types and values, whatever the partitions.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from hypothesis.extra.array_api import make_strategies_namespace

import akdask as ak
import akdask.array_api as xp
from akdask.array_api import array_object
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError

DTYPES = ("int64", "uint64", "float64", "bool")
ELEMENTS = {
    "int64": st.integers(-9, 9),
    "uint64": st.integers(0, 9),
    "float64": st.sampled_from([-2.5, -1.0, -0.0, 0.0, 0.5, 1.0, 3.0, np.inf, -np.inf, np.nan]),
    "bool": st.booleans(),
}
SHAPES = npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
PARTITIONS = st.sampled_from([1, 1000])
# NumPy has int8 and float16 for some functions of bools, which no column has.
WIDER = {np.dtype(np.int8): np.dtype(np.uint8), np.dtype(np.float16): np.dtype(np.float64)}


def arrays(shapes=SHAPES, dtypes=DTYPES):
    return st.sampled_from(dtypes).flatmap(lambda dtype: npst.arrays(dtype, shapes, elements=ELEMENTS[dtype]))


def of_dimensions(count, **sides):
    return npst.array_shapes(min_dims=count, max_dims=3, **({"min_side": 1, "max_side": 4} | sides))


def same(found, expected, exact=True):
    expected = np.asarray(expected)
    assert isinstance(found, xp.Array)
    assert (found.shape, found.dtype) == (expected.shape, WIDER.get(expected.dtype, expected.dtype))
    if exact:
        np.testing.assert_array_equal(found.to_ndarray(), expected)
    else:
        np.testing.assert_allclose(found.to_ndarray(), expected, rtol=1e-12, atol=1e-12)


def both(name):
    return getattr(xp, name), getattr(np, name)


UNARY = {
    "iufb": ["abs", "isfinite", "isinf", "isnan", "logical_not"],
    "iuf": ["ceil", "floor", "trunc", "negative", "positive", "round", "sign", "square", "conj", "real"],
    "iub": ["bitwise_invert"],
    "f": [
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "cos",
        "cosh",
        "exp",
        "expm1",
        "log",
        "log1p",
        "log2",
        "log10",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
    ],
}
UNARY_OF = {kind: [name for kinds, names in UNARY.items() if kind in kinds for name in names] for kind in "iufb"}
BINARY = {
    "iufb": [
        "equal",
        "not_equal",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "logical_and",
        "logical_or",
        "logical_xor",
    ],
    "iuf": ["add", "subtract", "multiply", "divide", "floor_divide", "remainder"],
    "iub": ["bitwise_and", "bitwise_or", "bitwise_xor"],
    "f": ["atan2", "logaddexp", "pow"],
    "u": ["bitwise_left_shift", "bitwise_right_shift", "pow"],
}
BINARY_OF = {kind: [name for kinds, names in BINARY.items() if kind in kinds for name in names] for kind in "iufb"}


@given(st.data(), arrays(), PARTITIONS)
def test_functions_of_elements(data, array, small_array):
    name = data.draw(st.sampled_from(UNARY_OF[array.dtype.kind]))
    ours, numpys = both(name)
    with ak.config.set(small_array=small_array), np.errstate(all="ignore"):
        same(ours(xp.asarray(array)), numpys(array), exact=False)


@given(st.data(), npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=4), PARTITIONS)
def test_functions_of_two_arrays_broadcast(data, shapes, small_array):
    dtype = data.draw(st.sampled_from(DTYPES))
    left, right = (data.draw(npst.arrays(dtype, shape, elements=ELEMENTS[dtype])) for shape in shapes.input_shapes)
    name = data.draw(st.sampled_from(BINARY_OF[left.dtype.kind]))
    ours, numpys = both(name)
    with ak.config.set(small_array=small_array), np.errstate(all="ignore"):
        same(ours(xp.asarray(left), xp.asarray(right)), numpys(left, right), exact=False)


@pytest.mark.parametrize(("left", "right"), [("int64", "float64"), ("bool", "int64"), ("int64", "uint64")])
def test_types_meet_as_in_numpy(left, right):
    one, other = np.array([1, 0], left), np.array([[1], [2]], right)
    same(xp.add(xp.asarray(one), xp.asarray(other)), one + other)
    assert xp.result_type(xp.asarray(one), xp.asarray(other)) == np.result_type(one, other)


REDUCTIONS = {
    "iufb": ["all", "any"],
    "iuf": ["max", "min"],
    "iufb ": ["sum", "prod", "mean"],
    "f": ["std", "var"],
}


@given(st.data(), arrays(of_dimensions(0)), PARTITIONS, st.booleans())
def test_reductions(data, array, small_array, keepdims):
    names = [name for kinds, group in REDUCTIONS.items() if array.dtype.kind in kinds for name in group]
    ours, numpys = both(data.draw(st.sampled_from(names)))
    axes = st.integers(-array.ndim, array.ndim - 1) if array.ndim else st.none()
    axis = data.draw(st.none() | axes)
    with ak.config.set(small_array=small_array), np.errstate(all="ignore"):
        found = ours(xp.asarray(array), axis=axis, keepdims=keepdims)
        same(found, numpys(array, axis=axis, keepdims=keepdims), exact=False)


@given(st.data(), arrays(of_dimensions(1), ("int64", "float64", "uint64")), PARTITIONS, st.booleans())
def test_positions_of_extremes(data, array, small_array, keepdims):
    ours, numpys = both(data.draw(st.sampled_from(["argmin", "argmax"])))
    axis = data.draw(st.none() | st.integers(-array.ndim, array.ndim - 1))
    with ak.config.set(small_array=small_array):
        same(ours(xp.asarray(array), axis=axis, keepdims=keepdims), numpys(array, axis=axis, keepdims=keepdims))


def test_corrections_of_variances_are_numpys():
    array = np.array([[1.0, 2.0, 4.0], [3.0, 3.0, 5.0]])
    for correction in (0, 1, 0.5, 2, 3):
        with np.errstate(all="ignore"):
            expected = np.sum((array - array.mean(1, keepdims=True)) ** 2, 1) / max(3 - correction, 0)
        found = xp.var(xp.asarray(array), axis=1, correction=correction)
        np.testing.assert_allclose(found.to_ndarray(), expected)
    same(xp.std(xp.asarray(array), correction=1), array.std(ddof=1), exact=False)
    same(xp.sum(xp.asarray([True, True]), dtype=xp.float64), np.float64(2))
    same(xp.mean_shim(xp.asarray(array), 0, None, None, True), array.mean(0, keepdims=True))


@given(st.data(), arrays(of_dimensions(1, min_side=0)), PARTITIONS)
def test_orders(data, array, small_array):
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    with ak.config.set(small_array=small_array):
        lazy = xp.asarray(array)
        same(xp.sort(lazy, axis=axis), np.sort(array, axis=axis))
        same(xp.argsort(lazy, axis=axis), np.argsort(array, axis=axis, kind="stable"))


@given(st.data(), arrays(of_dimensions(1), ("int64", "uint64", "bool", "float64")), PARTITIONS, st.booleans())
def test_running_sums(data, array, small_array, include_initial):
    ours, numpys = both(data.draw(st.sampled_from(["cumulative_sum", "cumulative_prod"])))
    axis = data.draw(st.integers(-array.ndim, array.ndim - 1))
    with ak.config.set(small_array=small_array), np.errstate(all="ignore"):
        found = ours(xp.asarray(array), axis=axis, include_initial=include_initial)
        same(found, numpys(array, axis=axis, include_initial=include_initial), exact=False)


@given(arrays(), PARTITIONS)
def test_distinct_elements(array, small_array):
    with ak.config.set(small_array=small_array):
        lazy = xp.asarray(array)
        same(xp.unique_values(lazy), np.sort(np.unique_values(array)))
        for ours, numpys in (both("unique_counts"), both("unique_inverse"), both("unique_all")):
            found, expected = ours(lazy), numpys(array)
            assert found._fields == expected._fields
            for part, wanted in zip(found, expected, strict=True):
                same(part, wanted)


GRID = np.arange(24).reshape(2, 3, 4)
REARRANGED = {
    "broadcast_to": lambda at, x: at.broadcast_to(x, (2, 2, 3, 4)),
    "broadcast_arrays": lambda at, x: at.broadcast_arrays(x, x[0, :, :1])[1],
    "concat": lambda at, x: at.concat([x, x[:, :1, :]], axis=1),
    "concat, flat": lambda at, x: at.concat([x, x[0, 0, :]], axis=None),
    "stack": lambda at, x: at.stack([x, x + 1], axis=-1),
    "unstack": lambda at, x: at.unstack(x, axis=1)[2],
    "expand_dims": lambda at, x: at.expand_dims(x, axis=-2),
    "squeeze": lambda at, x: at.squeeze(x[:, :1, :], axis=1),
    "flip": lambda at, x: at.flip(x),
    "flip, along": lambda at, x: at.flip(x, axis=(0, -1)),
    "moveaxis": lambda at, x: at.moveaxis(x, (0, 1), (-1, 0)),
    "permute_dims": lambda at, x: at.permute_dims(x, (2, 0, 1)),
    "repeat": lambda at, x: at.repeat(x, 2, axis=1),
    "repeat, each": lambda at, x: at.repeat(x, at.asarray([1, 0, 3]), axis=1),
    "repeat, flat": lambda at, x: at.repeat(x, 2),
    "reshape": lambda at, x: at.reshape(x, (4, -1)),
    "reshape, one": lambda at, x: at.reshape(x[:1, :1, :1], ()),
    "roll": lambda at, x: at.roll(x, 5),
    "roll, along": lambda at, x: at.roll(x, (1, -2), axis=(0, 2)),
    "tile": lambda at, x: at.tile(x, (2, 1, 1, 2)),
    "take": lambda at, x: at.take(x, at.asarray([2, 0, 0]), axis=1),
    "nonzero": lambda at, x: at.nonzero(x % 5)[1],
    "where": lambda at, x: at.where(x > 7, x, x[0]),
    "tril": lambda at, x: at.tril(x, k=1),
    "triu": lambda at, x: at.triu(x, k=-1),
    "matrix_transpose": lambda at, x: at.linalg.matrix_transpose(x),
    "matmul": lambda at, x: at.matmul(x, at.permute_dims(x, (0, 2, 1))),
    "matmul, one matrix": lambda at, x: at.matmul(x, at.ones((4, 5))),
    "matmul, wide": lambda at, x: at.matmul(x[0, :, :], at.ones((4, 50))),
    "matmul, vector": lambda at, x: at.matmul(x, x[0, 0, :]),
    "matmul, vectors": lambda at, x: at.matmul(x[0, 0, :], x[0, 1, :]),
    "matmul, row": lambda at, x: at.matmul(x[0, 0, :3], x),
    "matmul, nothing": lambda at, x: at.matmul(x[:, :, :0], at.zeros((0, 2))),
    "tensordot": lambda at, x: at.tensordot(x, at.permute_dims(x, (1, 2, 0)), axes=2),
    "tensordot, named": lambda at, x: at.tensordot(x, x, axes=((0, 1), (0, 1))),
    "vecdot": lambda at, x: at.vecdot(x, x[0]),
    "diff": lambda at, x: at.diff(x * x, n=2, axis=1),
    "diff, beside": lambda at, x: at.diff(x, axis=0, prepend=x[:1], append=x[:1]),
    "diff, numbers": lambda at, x: at.diff(x, axis=1, prepend=3),
    "trapezoid": lambda at, x: at.trapezoid(x, axis=1),
    "trapezoid, places": lambda at, x: at.trapezoid(x, at.asarray([0.0, 1.0, 4.0]), axis=1),
    "trapezoid, apart": lambda at, x: at.trapezoid(x, dx=0.5),
    "pad": lambda at, x: at.pad(x, ((1, 0), (0, 2), (1, 1)), constant_values=7),
    "pad, edge": lambda at, x: at.pad(x, 1, mode="edge"),
    "pad, reflect": lambda at, x: at.pad(x, 5, mode="reflect"),
    "pad, symmetric": lambda at, x: at.pad(x, 5, mode="symmetric"),
    "pad, wrap": lambda at, x: at.pad(x, 5, mode="wrap"),
    "searchsorted": lambda at, x: at.searchsorted(at.asarray([3, 9, 9, 20]), x, side="right"),
    "searchsorted, unsorted": lambda at, x: at.searchsorted(at.asarray([9, 3]), x, sorter=at.asarray([1, 0])),
    "clip": lambda at, x: at.clip(x, 3, 9),
    "meshgrid": lambda at, x: at.meshgrid(x[0, 0, :], x[0, :, 0], x[:, 0, 0])[1],
    "meshgrid, ij": lambda at, x: at.meshgrid(x[0, 0, :], x[0, :, 0], indexing="ij")[1],
    "astype": lambda at, x: at.astype(x, at.float64),
    "mT": lambda at, x: x.mT,
    "T": lambda at, x: x[0, :, :].T,
    "transpose": lambda at, x: x.transpose((1, 0, 2)),
    "newaxis": lambda at, x: x[:, at.newaxis, 1, ..., ::-2],
    "by arrays": lambda at, x: x[at.asarray([1, 0]), :, at.asarray([[3], [2]])],
    "by a mask": lambda at, x: x[x % 3 == 1],
    "operators": lambda at, x: (2**x % 7 - x // 3 << 1) | (~x & 5) ^ (-x >> 1),
    "comparison": lambda at, x: (x >= x[0]) == (abs(+x) < 20),
}


@pytest.mark.parametrize("small_array", [1, 1000])
@pytest.mark.parametrize("call", REARRANGED)
def test_arrays_are_rearranged_and_multiplied(call, small_array):
    with ak.config.set(small_array=small_array):
        same(REARRANGED[call](xp, xp.asarray(GRID)), REARRANGED[call](np, GRID))


CREATED = {
    "arange": lambda at: at.arange(5),
    "arange, step": lambda at: at.arange(1, 9, 3, dtype=at.float64),
    "arange, float": lambda at: at.arange(0.5, 3.0),
    "empty_like": lambda at: at.empty_like(at.zeros((2, 2))) * 0,
    "eye": lambda at: at.eye(3, 2, k=-1, dtype=at.int64),
    "full": lambda at: at.full((2, 3), True),
    "full_like": lambda at: at.full_like(at.ones(3), 2),
    "linspace": lambda at: at.linspace(0, 1, 5, endpoint=False),
    "ones": lambda at: at.ones((2, 0)),
    "ones, none": lambda at: at.ones(()),
    "zeros_like": lambda at: at.zeros_like(at.ones(2), dtype=at.uint64),
    "asarray": lambda at: at.asarray([[1.5, 2.0]]),
    "asarray, number": lambda at: at.asarray(3),
    "from_dlpack": lambda at: at.from_dlpack(np.arange(3)),
}


@pytest.mark.parametrize("call", CREATED)
def test_arrays_are_made_as_numpy_makes_them(call):
    same(CREATED[call](xp), CREATED[call](np))


@given(st.data(), arrays(npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)))
def test_keys_choose_and_assign(data, array):
    key = data.draw(npst.basic_indices(array.shape))
    lazy = xp.asarray(array)
    same(lazy[key], array[key])
    lazy[key] = array.dtype.type(1)
    array[key] = 1
    same(lazy, array)


def test_arrays_assign_in_place_and_leave_others():
    lazy = xp.reshape(xp.arange(6), (2, 3))
    before = lazy + 0
    lazy += 1
    lazy[0, :] = xp.asarray(9)
    lazy[lazy == 5] = xp.asarray(0)
    assert lazy.tolist() == [[9, 9, 9], [4, 0, 6]]
    assert before.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(ArgumentTypeError, match="in place"):
        lazy += 0.5
    with pytest.raises(ArgumentTypeError, match="in place"):
        lazy += xp.zeros((2, 2, 3), dtype=xp.int64)


def test_attributes_and_conversions_are_the_standards():
    array = xp.reshape(xp.arange(6), (2, 3))
    assert (array.ndim, array.shape, array.size, array.device, len(array)) == (2, (2, 3), 6, "cpu", 2)
    assert array.__array_namespace__() is xp
    assert array.to_device("cpu") is array
    assert [row.tolist() for row in array] == [[0, 1, 2], [3, 4, 5]]
    assert np.from_dlpack(array).tolist() == array.tolist()
    assert array.__dlpack_device__() == (1, 0)
    assert array.chunk_info() == [[0], [0]]
    one = xp.sum(array)
    assert (one.item(), int(one), float(one), bool(one), range(20)[one], complex(one)) == (15, 15, 15.0, True, 15, 15)
    assert repr(one) == "Arkouda Array ((), int64)15"
    assert xp.isdtype(array.dtype, "integral")
    assert not xp.isdtype(array.dtype, ("bool", xp.float64))
    assert (xp.can_cast(array, xp.float64), xp.finfo(xp.float64).bits, xp.iinfo(array).max) == (True, 64, 2**63 - 1)


def test_what_the_standard_does_not_have_is_refused():
    array = xp.reshape(xp.arange(6), (2, 3))
    for wrong, error in (
        (lambda: xp.zeros(2, device="gpu"), ArgumentError),
        (lambda: array.to_device("cpu", stream=1), UnsupportedError),
        (lambda: int(array), ArgumentError),
        (array.item, ArgumentError),
        (lambda: range(3)[xp.asarray(1.0)], ArgumentTypeError),
        (lambda: xp.take(array, xp.asarray([0])), ArgumentError),
        (lambda: xp.cumulative_sum(array), ArgumentError),
        (lambda: xp.nonzero(xp.asarray(1)), ArgumentError),
        (lambda: xp.add(1, 2), ArgumentTypeError),
        (lambda: xp.isdtype(xp.int64, "whole"), ArgumentError),
        (lambda: xp.full((-1,), 0), ArgumentError),
        (lambda: xp.arange(3).mT, ArgumentError),
        (lambda: xp.mean_shim(array, out=array), UnsupportedError),
        (lambda: xp.pad(array, 1, mode="mean"), UnsupportedError),
        (lambda: len(xp.asarray(1)), ArgumentTypeError),
    ):
        with pytest.raises(error):
            wrong()


STANDARD = make_strategies_namespace(xp, api_version="2023.12")


@settings(max_examples=5)
@given(
    STANDARD.arrays(xp.int64, STANDARD.array_shapes(max_dims=2, max_side=3), elements={"max_value": 9, "min_value": -9})
)
def test_strategies_for_the_standard_draw_arrays_of_it(array):
    assert xp.sum(array).item() == array.to_ndarray().sum()


def test_functions_of_numpy_take_arrays_and_can_be_replaced(monkeypatch):
    monkeypatch.setattr(array_object, "HANDLED_FUNCTIONS", {})
    a = xp.asarray([1.0, 3.0])
    assert (np.mean(a), np.concatenate([a, a]).tolist()) == (2.0, [1.0, 3.0, 1.0, 3.0])
    assert array_object.implements_numpy(np.mean)(lambda x: x.shape)(a) == np.mean(a) == (2,)
    assert array_object.Array is type(a)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_what_is_before_all_has_one_place_along_its_dimension(axis):
    given = np.arange(1, 13).reshape(2, 3, 2)
    found = xp.cumulative_sum(xp.asarray(given), axis=axis, include_initial=True)
    same(found, np.cumulative_sum(given, axis=axis, include_initial=True))


@given(arrays(dtypes=("int64", "float64")), st.sampled_from([None, -1, 1]), st.sampled_from([None, 2, 3]))
def test_clip_takes_one_bound_or_both(items, least, most):
    same(xp.clip(xp.asarray(items), least, most), np.clip(items, least, most))
    same(xp.clip(xp.asarray(items), max=most), np.clip(items, None, most))


@pytest.mark.parametrize("name", ["minimum", "maximum", "hypot", "copysign"])
@given(st.data())
def test_two_floats_make_one(name, data):
    items = data.draw(arrays(dtypes=("float64",)))
    others = np.flip(items)
    same(getattr(xp, name)(xp.asarray(items), xp.asarray(others)), getattr(np, name)(items, others))


def test_signs_of_zeros_count():
    same(xp.signbit(xp.asarray([-0.0, 0.0, -1.0, np.nan])), np.array([True, False, True, False]))


def test_sums_of_bytes_are_wide():
    items = xp.asarray(np.full(3, 200, np.uint8))
    for found, wanted in ((xp.sum(items), 600), (xp.prod(items), 8_000_000), (xp.cumulative_sum(items)[-1], 600)):
        assert (found.dtype, found.item()) == (np.uint64, wanted)


def test_sums_and_products_have_the_type_that_is_asked_for():
    items = xp.asarray(np.full(3, 100, np.uint8))
    for found in (xp.sum(items, dtype=xp.uint8), xp.cumulative_sum(items, dtype=xp.uint8)[-1], xp.vecdot(items, items)):
        assert found.dtype == np.uint8
    assert xp.sum(items, dtype=xp.uint8).item() == 300 - 256
    assert xp.sum(items, dtype=xp.float64).dtype == np.float64
    with pytest.raises(ArgumentError, match="3 elements, and 1"):
        xp.vecdot(items, items[:1])


MATRICES = np.array([[[4.0, 1.0], [1.0, 3.0]], [[2.0, 0.0], [0.0, 5.0]]])


@pytest.mark.parametrize(
    "name", ["cholesky", "det", "eigvalsh", "inv", "matrix_norm", "matrix_rank", "pinv", "svdvals", "trace", "diagonal"]
)
def test_linalg_is_that_of_numpy(name):
    same(getattr(xp.linalg, name)(xp.asarray(MATRICES)), getattr(np.linalg, name)(MATRICES), exact=False)


@pytest.mark.parametrize("name", ["eigh", "qr", "slogdet", "svd"])
def test_parts_of_matrices_have_names(name):
    found, wanted = getattr(xp.linalg, name)(xp.asarray(MATRICES)), getattr(np.linalg, name)(MATRICES)
    assert found._fields == wanted._fields
    for part, expected in zip(found, wanted, strict=True):
        same(part, expected, exact=False)


@given(arrays(of_dimensions(2, min_side=0), ("int64", "float64")), st.integers(-5, 5))
def test_diagonals_are_those_of_numpy(items, offset):
    same(xp.linalg.diagonal(xp.asarray(items), offset=offset), np.linalg.diagonal(items, offset=offset))


@given(
    arrays(of_dimensions(1), ("int64", "float64")),
    st.sampled_from([0, 1, 2, 3, -2, np.inf, -np.inf]),
    st.sampled_from([None, 0, -1]),
    st.booleans(),
)
def test_norms_are_those_of_numpy(items, ord, axis, keepdims):
    with np.errstate(all="ignore"):
        wanted = np.linalg.vector_norm(items.astype(float), ord=ord, axis=axis, keepdims=keepdims)
    same(xp.linalg.vector_norm(xp.asarray(items), ord=ord, axis=axis, keepdims=keepdims), wanted, exact=False)


def test_equations_are_solved_or_refused():
    wanted = np.linalg.solve(MATRICES[0], [1.0, 2.0])
    same(xp.linalg.solve(xp.asarray(MATRICES[0]), xp.asarray([1.0, 2.0])), wanted, exact=False)
    same(xp.linalg.cross(xp.asarray([1, 0, 0]), xp.asarray([0, 1, 0])), np.array([0, 0, 1]))
    same(xp.linalg.matrix_power(xp.asarray([[1, 1], [0, 1]]), 3), np.array([[1, 3], [0, 1]]))
    with pytest.raises(ArgumentError, match="inv: Singular matrix"):
        xp.linalg.inv(xp.zeros((2, 2)))
    with pytest.raises(ArgumentError, match="outer is the product of vectors"):
        xp.linalg.outer(xp.zeros((2, 2)), xp.zeros(2))
    with pytest.raises(ArgumentError, match="no matrices"):
        xp.linalg.diagonal(xp.zeros(2))


@pytest.mark.parametrize("count", [1, 4, 5])
def test_frequencies_are_those_of_numpy(count):
    found = xp.fft.fftfreq(count, d=0.5)
    same(found, np.fft.fftfreq(count, 0.5))
    same(xp.fft.rfftfreq(count, d=0.5), np.fft.rfftfreq(count, 0.5))
    same(xp.fft.fftshift(found), np.fft.fftshift(np.fft.fftfreq(count, 0.5)))
    same(xp.fft.ifftshift(xp.fft.fftshift(found)), np.fft.fftfreq(count, 0.5))
    table = np.arange(6 * count).reshape(6, count)
    same(xp.fft.fftshift(xp.asarray(table), axes=1), np.fft.fftshift(table, 1))
    with pytest.raises(UnsupportedError, match="complex"):
        xp.fft.fft(found)
    with pytest.raises(ArgumentError, match="no frequencies"):
        xp.fft.rfftfreq(0)


TRANSFORMS = ("fft", "ifft", "fftn", "ifftn", "rfft", "irfft", "rfftn", "irfftn", "hfft", "ihfft")


def test_what_is_complex_says_what_to_do():
    floats = xp.asarray([1.0, 2.0])
    for name in TRANSFORMS:
        with pytest.raises(UnsupportedError, match="no complex numbers") as raised:
            getattr(xp.fft, name)(floats)
        assert raised.value.hint == f"np.fft.{name}(np.asarray(x)) does it in memory."
    for call in (
        lambda: floats + 1j,
        lambda: xp.asarray([1j]),
        lambda: xp.asarray(1j),
        lambda: xp.zeros(2, dtype=xp.complex64),
        lambda: xp.astype(floats, xp.complex128),
    ):
        with pytest.raises(ArgumentTypeError, match="complex") as raised:
            call()
        assert "real and imaginary parts" in raised.value.hint
    with pytest.raises(ArgumentError, match=r"no version .2019.12."):
        floats.__array_namespace__(api_version="2019.12")
    assert floats.__array_namespace__(api_version=xp.__array_api_version__) is xp


def test_arrays_are_shown_as_arkouda_shows_them():
    # The docstrings of arkouda/array_api/statistical_functions.py and utility_functions.py.
    items = xp.asarray(ak.arange(10, dtype=ak.float64).reshape(2, 5))
    assert repr(xp.max(items)) == "Arkouda Array ((), float64)9.0"
    assert repr(xp.max(items, axis=1)) == "Arkouda Array ((2,), float64)[4.0 9.0]"
    table = xp.asarray(ak.arange(6).reshape(2, 3))
    assert repr(table) == "Arkouda Array ((2, 3), int64)[[0 1 2] [3 4 5]]"
    assert table._repr_inline_(80) == "Arkouda Array ((2, 3), int64)"


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
@pytest.mark.parametrize("mask", [True, False])
def test_masks_without_dimensions_choose_all_or_nothing(shape, mask):
    items = np.arange(6)[: int(np.prod(shape))].reshape(shape)
    for key in (mask, xp.asarray(mask)):
        found = xp.asarray(items)
        same(found[key], items[mask])
        found[key] = 7
        same(found, np.full(shape, 7) if mask else items)


def test_the_namespace_says_what_it_offers():
    info = xp.__array_namespace_info__()
    assert info.dtypes(kind=("bool", "real floating")) == {"bool": np.dtype(bool), "float64": np.dtype(float)}
    assert set(info.default_dtypes().values()) <= set(info.dtypes().values())
    assert info.default_device() in info.devices()
    assert info.capabilities()["boolean indexing"]
    with pytest.raises(ArgumentError, match="no device"):
        info.dtypes(device="gpu")


def test_conversions_take_the_device_of_the_standard():
    items = xp.asarray([1, 2])
    assert xp.astype(items, xp.float64, device="cpu").dtype == np.float64
    assert xp.from_dlpack(np.arange(2), device="cpu", copy=True).tolist() == [0, 1]
    assert xp.expand_dims(items).shape == (1, 2)
    for call in (lambda: xp.astype(items, xp.float64, device="gpu"), lambda: xp.from_dlpack(items, device="gpu")):
        with pytest.raises(ArgumentError, match="no device"):
            call()
