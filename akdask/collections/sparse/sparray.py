"""`sparray`: a lazy square matrix that is stored by its elements that are not zero."""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.display import HtmlDisplay
from akdask.collections.groups.groupby import GroupBy
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.plan.expr.values import Call
from akdask.plan.run.alignment import align

Layout = Literal["CSR", "CSC"]


class sparray(HtmlDisplay):
    """A lazy square matrix, of which only some elements are stored: rows, columns and values.

    Made by `create_sparse_matrix`, `random_sparse_matrix` and `sparse_matrix_matrix_mult`.  Rows and columns are
    counted from 1, as an Arkouda server does.

    Parameters
    ----------
    size : int
        Number of rows, and of columns.
    rows, cols : pdarray of int64
        Where the elements are, in the order of the layout, each place once.
    vals : pdarray
        The elements.
    layout : {"CSR", "CSC"}
        Whether elements are stored row by row or column by column.

    Examples
    --------
    >>> import akdask as ak
    >>> m = ak.create_sparse_matrix(3, ak.array([3, 1]), ak.array([1, 2]), ak.array([30, 12]), layout="CSR")
    >>> [part.tolist() for part in m.to_pdarray()]
    [[1, 3], [2, 1], [12, 30]]
    >>> m, m.nnz
    (<sparray(int64, 3 x 3, CSR)>, 2)
    """

    ndim = 2

    def __init__(self, size: int, rows: pdarray, cols: pdarray, vals: pdarray, layout: Layout) -> None:
        self._size = size
        self._at = rows, cols
        self._vals = vals
        self.layout = layout

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the elements."""
        return cast("np.dtype[Any]", self._vals.dtype)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._vals.itemsize

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self._size, self._size

    @property
    def size(self) -> int:
        """Number of rows times that of columns."""
        return self._size**2

    @property
    def nnz(self) -> int:
        """Number of elements that are stored; counts them, once."""
        return self._vals.size

    def __len__(self) -> int:
        return self.nnz

    def __getitem__(self, key: Any) -> Any:
        """Refuse: elements are not found by their place."""
        raise UnsupportedError("elements of a sparse matrix are not found by their place.", hint="see to_pdarray().")

    def to_pdarray(self) -> list[pdarray]:
        """Return rows, columns and values of the elements that are stored, in the order of the layout; lazy."""
        rows, cols = self._at
        return [rows.copy(), cols.copy(), self._vals.copy()]

    def fill_vals(self, a: pdarray) -> None:
        """Replace the values of the elements that are stored; lazy, but for counting them.

        Parameters
        ----------
        a : pdarray
            One value for each, in the order of the layout, of the type that they have.

        Raises
        ------
        ArgumentTypeError
            If it is no pdarray.
        ArgumentError
            If the type differs, or the number of values.
        """
        if not isinstance(a, pdarray):
            raise ArgumentTypeError(f"values are a pdarray, not a {type(a).__name__}.")
        if a.dtype != self.dtype:
            raise ArgumentError(f"values are of the type {self.dtype} of the matrix, not of {a.dtype}.")
        if a.size != self.nnz:
            raise ArgumentError(f"the matrix stores {self.nnz} elements, not {a.size}.")
        self._vals = a.copy()

    def _title(self) -> str:
        return f"sparray: {self.dtype}, {self._size:,} x {self._size:,}"

    def __repr__(self) -> str:
        return f"<sparray({self.dtype}, {self._size} x {self._size}, {self.layout})>"


def create_sparse_matrix(size: int, rows: Any, cols: Any, vals: Any, layout: Layout) -> sparray:
    """Return the square matrix of some elements; lazy.

    Parameters
    ----------
    size : int
        Number of rows, and of columns.
    rows, cols : pdarray of int64
        Where the elements are, counted from 1.  Those in one place are added up.
    vals : pdarray of numbers
        The elements.
    layout : {"CSR", "CSC"}
        Whether to store elements row by row or column by column.

    Raises
    ------
    ArgumentTypeError
        If these are no pdarrays, or the elements no numbers.
    ArgumentError
        If there is no such layout, or rows and columns are not of int64; when it is computed, if one of them is not
        from 1 to `size`.
    AlignmentError
        If they are not as many.
    """
    check_layout(layout)
    kinds = [type(item).__name__ for item in (rows, cols, vals) if not isinstance(item, pdarray)]
    if kinds or vals._value.dtype.kind not in ("int", "uint", "float", "bool"):
        raise ArgumentTypeError("rows, columns and elements are pdarrays of numbers.", details=kinds)
    if {rows._value.dtype.name, cols._value.dtype.name} != {"int64"}:
        raise ArgumentError(f"rows and columns are int64, not {rows.dtype} and {cols.dtype}.")
    frame, (row, col, val) = align("make a matrix of", [item._as_operand() for item in (rows, cols, vals)])
    positions = [pdarray(frame, Call("within", item, low=1, high=int(size))) for item in (row, col)]
    return by_layout(int(size), positions, pdarray(frame, val), layout)


def check_layout(layout: str) -> None:
    """Refuse what is no layout.

    Raises
    ------
    ArgumentError
        If it is neither ``CSR`` nor ``CSC``.
    """
    if layout not in ("CSR", "CSC"):
        raise ArgumentError(f"a matrix is laid out as 'CSR' or 'CSC', not {layout!r}.")


def by_layout(size: int, positions: list[pdarray], vals: Array, layout: Layout) -> sparray:
    """Return the matrix of elements in any order, those in one place added up."""
    step = 1 if layout == "CSR" else -1
    groups = GroupBy(positions[::step])
    reduce = groups.any if vals._value.dtype.kind == "bool" else groups.sum
    keys, found = reduce(vals)
    rows, cols = keys[::step]
    return sparray(size, rows, cols, found, layout)
