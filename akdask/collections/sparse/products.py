"""Sparse matrices made at random, multiplied, and added by the numbers of their elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.groups.groupby import GroupBy
from akdask.collections.sparse.sparray import Layout, by_layout, check_layout, create_sparse_matrix, sparray
from akdask.collections.text.concatenation import concatenate
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.plan.expr.values import Call
from akdask.plan.join.join import JoinSide, join_rows
from akdask.plan.run.alignment import align
from akdask.schema import BOOL, column_type


def random_sparse_matrix(size: int, density: float, layout: Layout, dtype: Any = "int64") -> sparray:
    """Return a square matrix with elements in random places.

    Parameters
    ----------
    size : int
        Number of rows, and of columns.
    density : float
        The part of the elements that are stored, from 0 to 1.  Their places are chosen at once.
    layout : {"CSR", "CSC"}
        Whether to store elements row by row or column by column.
    dtype : dtype-like, default int64
        The type of the elements, which are uniform from 0 to 1; as integers they are 0, to be set by
        `sparray.fill_vals`.

    Raises
    ------
    ArgumentError
        If the density is not from 0 to 1, or there is no such layout.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.random_sparse_matrix(10, 0.2, "CSR", dtype="float64").nnz
    20
    """
    if not 0 <= density <= 1:
        raise ArgumentError(f"density must be in the range [0,1], not {density}.")
    check_layout(layout)
    generator = np.random.default_rng()
    at = generator.choice(size**2, round(density * size**2), replace=False, shuffle=False)
    vals = generator.random(len(at)).astype(column_type(dtype).numpy)
    return create_sparse_matrix(size, array(at // size + 1), array(at % size + 1), array(vals), layout)


def sparse_matrix_matrix_mult(A: Any, B: Any) -> sparray:
    """Return the product of two square matrices, row by row; lazy.

    Elements are paired by a join of the columns of the first with the rows of the second, and their products added up
    for each place.

    Parameters
    ----------
    A, B : sparray
        Of one size and type, whatever their layouts.

    Raises
    ------
    ArgumentTypeError
        If one of them is no sparray.
    ArgumentError
        If sizes or types differ.

    Examples
    --------
    >>> import akdask as ak
    >>> m = ak.create_sparse_matrix(2, ak.array([1, 2]), ak.array([2, 1]), ak.array([3, 5]), layout="CSC")
    >>> [part.tolist() for part in ak.sparse_matrix_matrix_mult(m, m).to_pdarray()]
    [[1, 2], [1, 2], [15, 15]]
    """
    if not (isinstance(A, sparray) and isinstance(B, sparray)):
        raise ArgumentTypeError(f"matrices are sparrays, not {type(A).__name__} and {type(B).__name__}.")
    if A.shape != B.shape or A.dtype != B.dtype:
        raise ArgumentError(
            "only matrices of one size and type are multiplied.", details=[f"left: {A!r}", f"right: {B!r}"]
        )
    left, right = _side(A, key=1), _side(B, key=0)
    joined = join_rows(left, right, keep_all=False)
    (row, one), (col, other) = joined.left, joined.right
    operation = "logical_and" if one.dtype == BOOL else "multiply"
    positions = [pdarray(joined.frame, place) for place in (row, col)]
    return by_layout(A.shape[0], positions, pdarray(joined.frame, Call(operation, one, other)), "CSR")


def _side(matrix: sparray, key: int) -> JoinSide:
    """Return elements as a side of a join by their rows or columns, with the other place and the value of each."""
    operands = [part.resolve_lengths()._as_operand() for part in matrix.to_pdarray()]
    frame, (*positions, value) = align("multiply", operands)
    return JoinSide(frame, (positions[key],), (positions[1 - key], value))


def sparse_sum_help(  # noqa: PLR0917 - Arkouda's signature
    idx1: pdarray,
    idx2: pdarray,
    val1: pdarray,
    val2: pdarray,
    merge: bool = True,
    percent_transfer_limit: int = 100,
) -> tuple[pdarray, pdarray]:
    """Return the distinct numbers of the elements of two matrices, ascending, and the sums of their values; lazy.

    Parameters
    ----------
    idx1, idx2 : pdarray of int
        The numbers of the elements.
    val1, val2 : pdarray
        Their values.
    merge, percent_transfer_limit : bool, int
        Accepted for compatibility with Arkouda.

    Examples
    --------
    >>> import akdask as ak
    >>> from akdask.collections.sparse.products import sparse_sum_help
    >>> found, sums = sparse_sum_help(ak.array([0, 2]), ak.array([2, 3]), ak.array([1, 2]), ak.array([10, 20]))
    >>> found.tolist(), sums.tolist()
    ([0, 2, 3], [1, 12, 20])
    """
    found: tuple[pdarray, pdarray] = GroupBy(concatenate([idx1, idx2])).sum(concatenate([val1, val2]))
    return found
