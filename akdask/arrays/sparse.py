"""`sparray`: a lazy square matrix that stores only the elements that are not zero."""

from __future__ import annotations

from typing import Any, Literal, cast

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.creation import array
from akdask.arrays.display import captioned
from akdask.arrays.families import shown_as
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.shapes import chained
from akdask.columns.dtypes import BOOL, column_type
from akdask.engine.alignment import align
from akdask.engine.values import Call
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError, errors_end_at_caller
from akdask.operators.join.plan import JoinSide, join_rows

Layout = Literal["CSR", "CSC"]

_shown_by_matrix = shown_as(
    'm = ak.create_sparse_matrix(3, ak.array([1, 2]), ak.array([3, 1]), ak.array([10, 20]), "CSR")', "m.{name}"
)


@errors_end_at_caller
class sparray:
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
    @_shown_by_matrix("dtype('int64')")
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the elements."""
        return cast("np.dtype[Any]", self._vals.dtype)

    @property
    @_shown_by_matrix("8")
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._vals.itemsize

    @property
    @_shown_by_matrix("(3, 3)")
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and columns."""
        return self._size, self._size

    @property
    @_shown_by_matrix("9")
    def size(self) -> int:
        """Number of rows times number of columns."""
        return self._size**2

    @property
    @_shown_by_matrix("2")
    def nnz(self) -> int:
        """Number of stored elements; counts them once."""
        return self._vals.size

    def __len__(self) -> int:
        return self.nnz

    def __getitem__(self, key: Any) -> Any:
        """Refuse: elements are not found by their place."""
        raise UnsupportedError("elements of a sparse matrix are not found by their place.", hint="see to_pdarray().")

    def to_pdarray(self) -> list[pdarray]:
        """Return rows, columns and values of the elements that are stored, in the order of the layout; lazy.

        Examples
        --------
        >>> m = ak.create_sparse_matrix(3, ak.array([1, 2]), ak.array([3, 1]), ak.array([10, 20]), "CSR")
        >>> [part.tolist() for part in m.to_pdarray()]
        [[1, 2], [3, 1], [10, 20]]
        """
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

        Examples
        --------
        >>> m = ak.create_sparse_matrix(3, ak.array([1, 2]), ak.array([3, 1]), ak.array([10, 20]), "CSR")
        >>> m.fill_vals(ak.array([7, 8]))
        >>> m.to_pdarray()[2].tolist()
        [7, 8]
        """
        if not isinstance(a, pdarray):
            raise ArgumentTypeError(f"values are a pdarray, not a {type(a).__name__}.")
        if a.dtype != self.dtype:
            raise ArgumentError(f"values are of the type {self.dtype} of the matrix, not of {a.dtype}.")
        if a.size != self.nnz:
            raise ArgumentError(f"the matrix stores {self.nnz} elements, not {a.size}.")
        self._vals = a.copy()

    def _repr_html_(self) -> str:
        return captioned(self._title(), repr(self))

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
        Positions of the elements, counted from 1.  Elements at one position are added up.
    vals : pdarray of numbers
        The elements.
    layout : {"CSR", "CSC"}
        Whether to store elements row by row or column by column.

    Raises
    ------
    ArgumentTypeError
        If rows or columns are no pdarrays, or the elements no numbers.
    ArgumentError
        If the layout is unknown, or rows and columns are not int64; at compute, if one of them is not
        from 1 to `size`.
    AlignmentError
        If they are not as many.

    Examples
    --------
    >>> m = ak.create_sparse_matrix(3, ak.array([1, 2, 3]), ak.array([1, 3, 2]), ak.array([10, 20, 30]), "CSR")
    >>> m.nnz, [part.tolist() for part in m.to_pdarray()]
    (3, [[1, 2, 3], [1, 3, 2], [10, 20, 30]])
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
    """Refuse an unknown layout.

    Raises
    ------
    ArgumentError
        If it is neither ``CSR`` nor ``CSC``.
    """
    if layout not in ("CSR", "CSC"):
        raise ArgumentError(f"a matrix is laid out as 'CSR' or 'CSC', not {layout!r}.")


def by_layout(size: int, positions: list[pdarray], vals: Array, layout: Layout) -> sparray:
    """Return the matrix of elements in any order; elements at one position are added up."""
    step = 1 if layout == "CSR" else -1
    groups = GroupBy(positions[::step])
    reduce = groups.any if vals._value.dtype.kind == "bool" else groups.sum
    keys, found = reduce(vals)
    rows, cols = keys[::step]
    return sparray(size, rows, cols, found, layout)


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
        The type of the elements, which are uniform from 0 to 1; integers are 0, to be set by
        `sparray.fill_vals`.

    Raises
    ------
    ArgumentError
        If the density is not from 0 to 1, or the layout is unknown.

    Examples
    --------
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
    """Return elements as a side of a join by rows or columns, with the other index and the value of each."""
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
    >>> from akdask.arrays.sparse import sparse_sum_help
    >>> found, sums = sparse_sum_help(ak.array([0, 2]), ak.array([2, 3]), ak.array([1, 2]), ak.array([10, 20]))
    >>> found.tolist(), sums.tolist()
    ([0, 2, 3], [1, 12, 20])
    """
    found: tuple[pdarray, pdarray] = GroupBy(chained([idx1, idx2])).sum(chained([val1, val2]))
    return found
