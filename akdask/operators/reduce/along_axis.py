"""Functions along one dimension of an array, and matrix products; each partition holds whole blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.columns import summation
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, ColumnType
from akdask.columns.memory import new_array
from akdask.columns.table import Table, type_of
from akdask.engine.alignment import Gather, Realign, row_bounds, row_slices
from akdask.engine.node import Frame, Node, RowSpace, lower
from akdask.engine.reduction import TOTALS
from akdask.engine.rowwise import Project, Tasks
from akdask.engine.values import ColumnRef
from akdask.operators.reduce import loops
from akdask.operators.reduce.extremes import first_extremes
from akdask.operators.windows.kernels import SCANS
from akdask.records import record
from akdask.typing import NumberArray


@record
class AxisFunction:
    """A function along the second of three dimensions, for all positions along the others.

    Parameters
    ----------
    name : str
        Its key in ``AXIS_FUNCTIONS``.
    result_type : callable
        The type of the elements to that of the result.
    compute : callable
        Takes the block and keyword arguments, and returns a block.
    reduces : bool, default False
        Whether the dimension has the length 1 in the result; otherwise its length is unchanged.
    chooses : bool, default False
        Whether the results are elements, so that times stay times.
    change : int, default 0
        How many positions more the dimension has in the result, if it is not reduced.
    fills : bool, default False
        Whether `compute` takes an array for the result, as ``out``.
    """

    name: str
    result_type: Callable[[ColumnType], ColumnType]
    compute: Callable[..., NumberArray]
    reduces: bool = False
    chooses: bool = False
    change: int = 0
    fills: bool = False

    def length(self, length: int) -> int:
        """Return the length of a dimension of some length in the result."""
        return 1 if self.reduces else length + self.change


def _reversed_order(block: NumberArray) -> NumberArray:
    """Return numbers of reversed order; NaN stay NaN, and sort last."""
    return np.negative(block) if block.dtype.kind == "f" else np.invert(block)


def _sort(block: NumberArray, *, ascending: bool) -> NumberArray:
    return np.sort(block, axis=1) if ascending else _reversed_order(np.sort(_reversed_order(block), axis=1))


def _argsort(block: NumberArray, *, ascending: bool) -> NumberArray:
    return np.argsort(block if ascending else _reversed_order(block), axis=1, kind="stable")


def _is_sorted(block: NumberArray) -> NumberArray:
    found: NumberArray = np.all(block[:, :-1] <= block[:, 1:], axis=1, keepdims=True)
    return found


def _reduction(name: str, types: Mapping[ColumnType, ColumnType] | ColumnType | None = None) -> AxisFunction:
    reduce = getattr(np, name)

    def compute(block: NumberArray) -> NumberArray:
        found: NumberArray = reduce(block, axis=1, keepdims=True)
        return found

    def result_type(dtype: ColumnType) -> ColumnType:
        return dtype if types is None else types[dtype] if isinstance(types, Mapping) else types

    return AxisFunction(name, result_type, compute, reduces=True)


def _positions(name: str) -> AxisFunction:
    def compute(block: NumberArray) -> NumberArray:
        outer, length, inner = block.shape
        return first_extremes(block.reshape(-1), length, inner, name == "argmax").reshape(outer, 1, inner)

    return AxisFunction(name, lambda _: INT64, compute, reduces=True)


def _mean(block: NumberArray) -> NumberArray:
    if block.dtype == np.float64:
        return np.asarray(np.mean(block, axis=1, keepdims=True))
    integers = block.astype(TOTALS[type_of(block)].numpy, copy=False)
    if summation.largest_sum(integers.ravel()) <= summation.MOST:
        sums = summation.wide_totals(integers.sum(axis=1).ravel())
    else:
        sums = summation.joined_halves(*(half.sum(axis=1).ravel() for half in summation.halves(integers)))
    counts = np.full(len(sums[0]), block.shape[1])
    return summation.quotients(*sums, counts).reshape(len(block), 1, block.shape[2])


def _squares(block: NumberArray) -> NumberArray:
    """Return the sums of squared distances from the mean; integers are the nearest floats, as in NumPy."""
    outer, length, inner = block.shape
    found = np.empty(outer * inner)
    if found.size:
        loops.sum_squares(np.ascontiguousarray(block, np.float64).reshape(-1), length, inner, found)
    return found.reshape(outer, 1, inner)


def _var(block: NumberArray, ddof: float = 0) -> NumberArray:
    return _squares(block) / np.float64(max(block.shape[1] - ddof, 0))


def _diff(block: NumberArray, out: NumberArray | None = None) -> NumberArray:
    outer, length, inner = block.shape
    if out is None:
        out = new_array(outer * (length - 1) * inner, block.dtype).reshape(outer, length - 1, inner)
    difference = np.not_equal if block.dtype == np.bool_ else np.subtract
    return difference(block[:, 1:], block[:, :-1], out=out)


def _scan(name: str) -> AxisFunction:
    scan = SCANS[name]

    def compute(block: NumberArray, out: NumberArray | None = None) -> NumberArray:
        found: NumberArray = scan.ufunc.accumulate(block, axis=1, dtype=scan.types[type_of(block)].numpy, out=out)
        return found

    chooses = name in {"cummin", "cummax"}
    return AxisFunction(name, lambda dtype: scan.types[dtype], compute, chooses=chooses, fills=True)


AXIS_FUNCTIONS: dict[str, AxisFunction] = {
    function.name: function
    for function in (
        AxisFunction("sort", lambda dtype: dtype, _sort, chooses=True),
        AxisFunction("argsort", lambda _: INT64, _argsort),
        *map(_scan, SCANS),
        AxisFunction("is_sorted", lambda _: BOOL, _is_sorted, reduces=True),
        _positions("argmin"),
        _positions("argmax"),
        _reduction("sum", TOTALS),
        _reduction("prod", TOTALS),
        _reduction("min"),
        _reduction("max"),
        _reduction("any", BOOL),
        _reduction("all", BOOL),
        AxisFunction("mean", lambda _: FLOAT64, _mean, reduces=True),
        AxisFunction("squares", lambda _: FLOAT64, _squares, reduces=True),
        AxisFunction("var", lambda _: FLOAT64, _var, reduces=True),
        AxisFunction("std", lambda _: FLOAT64, lambda *args, **params: np.sqrt(_var(*args, **params)), reduces=True),
        AxisFunction("diff", lambda dtype: dtype, _diff, change=-1, fills=True),
    )
}
"""The functions by name."""


def computed_along(name: str, column: NumberArray, length: int, inner: int, **params: Any) -> NumberArray:
    """Return a function of a column whose rows are whole blocks of `length` times `inner` elements.

    The last block may have fewer positions if the function reduces them.

    Examples
    --------
    >>> computed_along("cumsum", np.arange(8), 2, 2).tolist()
    [0, 1, 2, 4, 4, 5, 10, 12]
    >>> computed_along("sum", np.arange(5), 2, 1).tolist()
    [1, 5, 4]
    """
    function = AXIS_FUNCTIONS[name]
    even = len(column) - len(column) % (length * inner)
    if even < len(column) and function.reduces:
        parts = [column[:even], column[even:]] if even else [column]
        lengths = [length, (len(column) - even) // inner][-len(parts) :]
        return np.concatenate(
            [computed_along(name, part, of, inner, **params) for part, of in zip(parts, lengths, strict=True)]
        )
    with np.errstate(all="ignore"):
        return function.compute(column.reshape(-1, length, inner), **params).reshape(-1)


class AlongAxis(Frame):
    """A function (`akdask.operators.reduce.along_axis`) of the only column of `frame`.

    The rows of each partition are blocks of `length` times `inner` elements: the positions along the dimension, and
    the elements at each.  For reductions the last one may have fewer positions.  `params` are keyword arguments of the
    function.
    """

    no_more_rows = True

    frame: Project
    function: str
    length: int
    inner: int
    params: tuple[tuple[str, Any], ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        rows = self.frame.rows
        made = AXIS_FUNCTIONS[self.function].length(self.length)
        if made == self.length or rows.lengths is None:
            return rows
        block = self.length * self.inner
        return RowSpace.of_lengths([-(-count // block) * self.inner * made for count in rows.lengths])

    @property
    def result(self) -> ColumnRef:
        """The result of the function."""
        return ColumnRef(self._name, 0, AXIS_FUNCTIONS[self.function].result_type(self.frame.values[0].dtype))

    def lower_into(self, names: Mapping[Hashable, Hashable], arrays: Node) -> Expr | None:
        return _along(self, next(iter(names)), arrays) if AXIS_FUNCTIONS[self.function].fills else None

    def describe(self) -> str:
        return f"{self.function} along {self.length}, of {self.inner} each"


@lower.register
def _(frame: AlongAxis) -> Expr:
    project, source = frame.frame, frame.frame.frame
    if isinstance(source, Realign) and project.values[0] == source.column(0) and AXIS_FUNCTIONS[frame.function].reduces:
        # Only blocks with rows of two partitions are joined.
        args = (frame.function, frame.length, frame.inner, frame.params)
        slices = [used or [(0, 0, 0)] for used in row_slices(source.given, source.lengths)]
        split = tuple(
            (tuple((0, number) for number, _, _ in used), (tuple((start, stop) for _, start, stop in used), *args))
            for used in slices
        )
        return Tasks(frame._name, _reduced, split, source.frame)
    return _along(frame, 0)


def _along(frame: AlongAxis, name: Hashable, *arrays: Node) -> Expr:
    """Return tables of results, or write them to an array of all rows."""
    lengths = (frame.rows.lengths or ()) if arrays else (0,) * frame.npartitions
    args = (frame.function, frame.length, frame.inner, frame.params)
    calls = tuple(
        (((0, number), *((1, 0) for _ in arrays)), (*args, (name, first)))
        for number, (first, _) in enumerate(row_bounds(lengths))
    )
    return Tasks(f"{frame._name} {bool(arrays)}", _computed, calls, frame.frame, *arrays)


def _computed(  # noqa: PLR0917 - the parameters of the node
    inputs: Sequence[Any],
    function: str,
    length: int,
    inner: int,
    params: Sequence[tuple[str, Any]],
    place: tuple[Hashable, int],
) -> Table:
    table, *arrays = inputs
    (column,) = table.columns.values()
    given = dict(params)
    for array in arrays:
        (name, first), made = place, AXIS_FUNCTIONS[function].length(length)
        shape = len(column) // (length * inner), made, inner
        given["out"] = array[name][first : first + math.prod(shape)].reshape(shape)
    found = computed_along(function, column, length, inner, **given)
    return Table({} if arrays else {0: found}, len(found))


def _reduced(  # noqa: PLR0917 - the parameters of the node
    tables: Sequence[Table],
    ranges: Sequence[tuple[int, int]],
    function: str,
    length: int,
    inner: int,
    params: Sequence[tuple[str, Any]],
) -> Table:
    """Return the reduction of the blocks that slices of partitions make up, one below the other."""
    block = length * inner
    found: list[NumberArray] = []
    begun: list[NumberArray] = []
    for table, (first, stop) in zip(tables, ranges, strict=True):
        (column,) = table.columns.values()
        start = first + (min(block - sum(map(len, begun)), stop - first) if begun else 0)
        begun += [column[first:start]] if first < start else []
        if sum(map(len, begun)) == block:
            found.append(np.concatenate(begun))
            begun = []
        even = start + (stop - start) // block * block
        found.append(column[start:even])
        begun += [column[even:stop]] if even < stop else []
    parts = [*found, *([np.concatenate(begun)] if begun else [])]
    made = [computed_along(function, part, length, inner, **dict(params)) for part in parts if len(part)]
    result = np.concatenate(made) if made else computed_along(function, parts[0], length, inner, **dict(params))
    return Table({0: result}, len(result))


class MatrixProduct(Frame):
    """The elements of matrix products; the matrices are the only columns of two frames, in row-major order.

    Matrices have the shapes ``(rows, common)`` and ``(common, columns)``, and all elements one type. Either both frames
    have equally many, and whole matrices in each partition. Or there is one on the right, which every task gets, and
    the partitions of the left frame hold rows of `common` elements.
    """

    left: Project
    right: Project
    sizes: tuple[int, int, int]
    is_shared: bool

    @cached_property
    def planned_rows(self) -> RowSpace:
        _, common, columns = self.sizes
        lengths = self.left.rows.lengths
        assert lengths is not None, "the partitions have been cut by their lengths"
        return RowSpace.of_lengths([count // common * columns for count in lengths])

    @property
    def result(self) -> ColumnRef:
        """The elements."""
        return ColumnRef(self._name, 0, self.left.values[0].dtype)

    def describe(self) -> str:
        rows, common, columns = self.sizes
        return f"MatrixProduct ({rows}, {common}) @ ({common}, {columns})"


@lower.register
def _(frame: MatrixProduct) -> Expr:
    right = Gather(frame.right) if frame.is_shared else frame.right
    calls = tuple(
        (((0, number), (1, 0 if frame.is_shared else number)), (frame.sizes, frame.is_shared))
        for number in range(frame.npartitions)
    )
    return Tasks(frame._name, _multiply, calls, frame.left, right)


def _multiply(tables: Sequence[Table], sizes: tuple[int, int, int], is_shared: bool) -> Table:
    rows, common, columns = sizes
    left, right = (_only(table) for table in tables)
    of_left = (-1, common) if is_shared else (-1, rows, common)
    of_right = (common, columns) if is_shared else (-1, common, columns)
    with np.errstate(all="ignore"):
        found = np.matmul(left.reshape(of_left), right.reshape(of_right)).reshape(-1)
    return Table({0: found}, len(found))


def _only(table: Table) -> Any:
    (column,) = table.columns.values()
    return column
