import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.sparse import sparse_sum_help
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError, UnsupportedError

SIZE = 4
places = st.tuples(st.integers(1, SIZE), st.integers(1, SIZE), st.integers(-3, 3))


def matrix(elements, layout, dtype="i8"):
    """A sparse matrix of elements, and the same as an array of NumPy."""
    rows, cols, vals = np.array(elements, np.int64).reshape(-1, 3).T
    dense = np.zeros((SIZE, SIZE), dtype)
    np.add.at(dense, (rows - 1, cols - 1), vals.astype(dtype))
    made = ak.create_sparse_matrix(SIZE, ak.array(rows), ak.array(cols), ak.array(vals.astype(dtype)), layout)
    return made, dense


def dense(sparse):
    rows, cols, vals = (part.to_ndarray() for part in sparse.to_pdarray())
    found = np.zeros(sparse.shape, sparse.dtype)
    found[rows - 1, cols - 1] = vals
    assert len({*zip(rows, cols, strict=True)}) == len(rows) == sparse.nnz == len(sparse)
    order = np.lexsort((cols, rows) if sparse.layout == "CSR" else (rows, cols))
    assert order.tolist() == list(range(len(rows)))
    return found


@given(st.lists(places, max_size=8), st.lists(places, max_size=8), st.sampled_from(["CSR", "CSC"]))
def test_matrices_and_products_are_those_of_numpy(one, other, layout):
    left, wanted_left = matrix(one, "CSC", "f8")
    right, wanted_right = matrix(other, layout, "f8")
    assert dense(left).tolist() == wanted_left.tolist()
    product = ak.sparse_matrix_matrix_mult(left, right)
    assert product.layout == "CSR"
    assert dense(product).tolist() == (wanted_left @ wanted_right).tolist()


def test_attributes_are_told():
    sparse, _ = matrix([(1, 2, 5), (3, 1, 7)], "CSR")
    assert (sparse.shape, sparse.size, sparse.ndim, sparse.dtype, sparse.itemsize) == ((4, 4), 16, 2, np.int64, 8)
    assert repr(sparse) == str(sparse) == "<sparray(int64, 4 x 4, CSR)>"
    with pytest.raises(UnsupportedError):
        sparse[0]


def test_values_are_replaced():
    sparse, _ = matrix([(1, 2, 5), (3, 1, 7)], "CSC")
    before = sparse.to_pdarray()[2]
    sparse.fill_vals(ak.array([70, 50]))
    assert [part.tolist() for part in sparse.to_pdarray()] == [[3, 1], [1, 2], [70, 50]]
    assert before.tolist() == [7, 5]
    assert dense(ak.sparse_matrix_matrix_mult(sparse, sparse))[2, 1] == 3500
    for wrong, error in (
        (ak.array([1.5, 2.5]), ArgumentError),
        (ak.array([1]), ArgumentError),
        ([1, 2], ArgumentTypeError),
    ):
        with pytest.raises(error):
            sparse.fill_vals(wrong)


def test_matrices_are_made_at_random():
    sparse = ak.random_sparse_matrix(20, 0.1, "CSC", dtype="float64")
    assert sparse.nnz == 40
    assert ((dense(sparse) >= 0) & (dense(sparse) < 1)).all()
    assert ak.random_sparse_matrix(5, 1, "CSR").to_pdarray()[2].tolist() == [0] * 25
    assert ak.random_sparse_matrix(5, 0, "CSR").nnz == 0
    with pytest.raises(ArgumentError, match=r"range \[0,1\]"):
        ak.random_sparse_matrix(5, 1.5, "CSR")


def test_sums_of_elements():
    idx1, idx2 = ak.array([0, 1, 3, 4, 7, 9]), ak.array([0, 1, 3, 6, 9])
    found, sums = sparse_sum_help(idx1, idx2, idx1, ak.array([10, 11, 13, 16, 19]))
    assert (found.tolist(), sums.tolist()) == ([0, 1, 3, 4, 6, 7, 9], [10, 12, 16, 4, 16, 7, 28])


def test_wrong_matrices_are_refused():
    a, b = ak.array([1, 2]), ak.array([0.5, 1.5])
    with pytest.raises(ArgumentError, match="'CSR' or 'CSC'"):
        ak.create_sparse_matrix(2, a, a, a, "COO")
    with pytest.raises(ArgumentError, match="int64"):
        ak.create_sparse_matrix(2, b, a, a, "CSR")
    with pytest.raises(ArgumentTypeError, match="pdarrays"):
        ak.create_sparse_matrix(2, [1, 2], a, a, "CSR")
    with pytest.raises(AlignmentError):
        ak.create_sparse_matrix(2, a, a, ak.arange(3), "CSR")
    for places_of in (ak.array([0, 1]), ak.array([1, 3])):
        with pytest.raises(ArgumentError, match="is not from 1 to 2"):
            ak.create_sparse_matrix(2, places_of, a, a, "CSR").to_pdarray()[0].tolist()
    ints = ak.create_sparse_matrix(2, a, a, a, "CSR")
    with pytest.raises(ArgumentError, match="one size and type"):
        ak.sparse_matrix_matrix_mult(ints, ak.create_sparse_matrix(2, a, a, b, "CSR"))
    with pytest.raises(ArgumentTypeError):
        ak.sparse_matrix_matrix_mult(ints, a)
