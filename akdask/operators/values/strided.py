"""Strided views of arrays of several dimensions: their elements in row-major order, as in NumPy.

Element i of an arrangement has positions along the dimensions of `shape`; the last one runs fastest. In the flat array,
its position is `offset` plus the sum of these positions times `strides`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from akdask.columns.dtypes import INT64, ColumnType
from akdask.columns.table import take_rows
from akdask.engine.operations import Operation
from akdask.typing import NumberArray

Lengths = tuple[int, ...]


def strided_positions(
    rows: NumberArray, out: Any = None, *, shape: Lengths, strides: Lengths, offset: int
) -> NumberArray:
    """Return the positions of an arrangement's elements in the flat array.

    Examples
    --------
    >>> strided_positions(np.arange(6), shape=(3, 2), strides=(1, 3), offset=0).tolist()
    [0, 3, 1, 4, 2, 5]
    """
    found = np.full(len(rows), offset, np.int64) if out is None else out
    found[...] = offset
    rest = rows
    for number in range(len(shape) - 1, 0, -1):
        quotient = rest // shape[number]
        if strides[number]:
            found += (rest - quotient * shape[number]) * strides[number]
        rest = quotient
    if shape and strides[0]:
        found += rest * strides[0]
    return found


def strided(table: Any, rows: NumberArray, out: Any = None, *, shape: Lengths, strides: Lengths, offset: int) -> Any:
    """Return elements of an arrangement of a flat table: blocks of successive rows are copied without positions.

    Examples
    --------
    >>> strided(np.array([5, 6, 7, 8, 9, 10]), np.arange(1, 5), shape=(3, 2), strides=(1, 3), offset=0).tolist()
    [8, 6, 9, 7]
    """
    if not isinstance(table, np.ndarray) or not _are_successive(rows):
        return take_rows(table, strided_positions(rows, shape=shape, strides=strides, offset=offset), out)
    found = np.empty(len(rows), table.dtype) if out is None else out
    if len(rows):
        size = table.dtype.itemsize
        view = as_strided(table[offset:], shape, [stride * size for stride in strides], writeable=False)
        _copy_rows(view, int(rows[0]), int(rows[-1]) + 1, found)
    return found


def _are_successive(rows: NumberArray) -> bool:
    return bool(len(rows) == 0 or (rows[-1] - rows[0] == len(rows) - 1 and np.all(rows[1:] > rows[:-1])))


def _copy_rows(view: NumberArray, start: int, stop: int, out: NumberArray) -> None:
    """Copy elements `start` to `stop` in row-major order: part of a row, whole rows, part of a row."""
    if view.ndim <= 1:
        out[...] = view[start:stop]
        return
    inner = math.prod(view.shape[1:])
    first, last = -(-start // inner), stop // inner
    if first > last:
        _copy_rows(view[last], start - last * inner, stop - last * inner, out)
        return
    head, body = first * inner - start, (last - first) * inner
    if head:
        _copy_rows(view[first - 1], inner - head, inner, out[:head])
    out[head : head + body].reshape(last - first, *view.shape[1:])[...] = view[first:last]
    if head + body < len(out):
        _copy_rows(view[last], 0, len(out) - head - body, out[head + body :])


def _positions_type(rows: ColumnType, **_: Any) -> ColumnType | None:
    return INT64 if rows == INT64 else None


def _elements_type(table: ColumnType, rows: ColumnType, **_: Any) -> ColumnType | None:
    return table if rows == INT64 else None


STRIDED_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("strided", 2, _elements_type, strided),
        Operation("strided_position", 1, _positions_type, strided_positions),
    )
}
