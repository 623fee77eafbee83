"""Grids as columns: generalised column-major order, in which the first spatial axis varies fastest.

Cell (i, j, k) of a grid of nx, ny, nz cells is row ``i + nx * (j + ny * k)``.  An array does not name its axes, so all
functions take them: ``axes="kji"`` for an array indexed [k, j, i], as in rasters, VTK and netCDF, ``axes="ijk"`` for
one indexed [i, j, k].

Data outside memory stays lazy: Dask arrays, datasets of HDF5 files and mapped files become Dask arrays, in which a row
of chunks of the grid is a chunk of the column.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any, Literal
from weakref import WeakValueDictionary

import numpy as np

from akdask.errors import ArgumentError
from akdask.evo import tuning
from akdask.evo.errors import ContentError, ShapeError
from akdask.formats.hdf5.library import open_hdf5
from akdask.storage.files import state_of

At = Literal["cells", "vertices"]

_SPATIAL = "ijk"


def flatten(
    grid: Any,
    axes: str,
    *,
    size: Sequence[int] | None = None,
    at: At = "cells",
    flip: str = "",
    mask: Any = None,
) -> Any:
    """Return the values of a grid as a column.

    Parameters
    ----------
    grid : array_like of two or three dimensions
        A NumPy array, a Dask array, or a dataset of an HDF5 file.
    axes : str
        Which spatial axis each dimension is: a permutation of ``"ij"`` or ``"ijk"``.
    size : sequence of int, optional
        Numbers of cells (nx, ny) or (nx, ny, nz) that the grid is to have.
    at : {"cells", "vertices"}, default "cells"
        Whether there is a value for each cell, or for each of the (nx + 1)(ny + 1)(nz + 1) vertices.
    flip : str, default ""
        Axes that the array has in descending order, such as ``"j"`` for a raster whose first row is the top.
    mask : array_like of bool, optional
        Active cells, whose values alone are taken: of the shape and axes of the grid, or a column already.

    Returns
    -------
    numpy.ndarray, shape (n,)
        The column, without a copy where the array has this order.  A lazy Dask array for data outside memory.  An array
        that is chunked along its slowest spatial axis alone is reordered chunk by chunk.  Others are rechunked first.

    Raises
    ------
    ArgumentError
        If `axes`, `flip` or `at` makes no sense.
    ShapeError
        If the grid has another size, or the mask another number of cells.
    ContentError
        If the mask is not of bools.

    Examples
    --------
    >>> grid = np.array([[[0, 100], [10, 110]], [[1, 101], [11, 111]]])  # indexed [k, j, i]
    >>> flatten(grid, axes="kji").tolist()
    [0, 100, 10, 110, 1, 101, 11, 111]
    """
    order = _order(axes, getattr(grid, "ndim", np.ndim(grid)))
    array = _ordered(_opened(grid, order), order, flip)
    if size is not None:
        expected = vertex_size(size) if _at(at) == "vertices" else _size(size, len(axes))
        _check_size(array.shape[::-1], expected, at)
    _at(at)
    column = _flat(array)
    return column if mask is None else column[_mask_column(mask, axes, flip, array.shape)]


def unflatten(
    column: Any,
    size: Sequence[int],
    axes: str,
    *,
    at: At = "cells",
    flip: str = "",
    mask: Any = None,
    fill: Any = None,
) -> Any:
    """Return the values of a column as a grid; the inverse of `flatten`.

    Parameters
    ----------
    column : array_like of one dimension
        The values: a NumPy array, an Arrow array without nulls, a lazy array or a Dask array.
    size : sequence of int
        Numbers of cells: (nx, ny) or (nx, ny, nz).
    axes : str
        Which spatial axis each dimension of the result is: a permutation of ``"ij"`` or ``"ijk"``.
    at : {"cells", "vertices"}, default "cells"
        Whether there is a value for each cell or for each vertex.
    flip : str, default ""
        Axes that the result has in descending order.
    mask : array_like of bool, optional
        Active cells, to which the values of the column belong: a column of all cells, or an array of the shape and axes
        of the result.
    fill : scalar, optional
        The value of inactive cells; NaN by default, which only floats have.

    Returns
    -------
    numpy.ndarray
        The grid, without a copy where there is no mask.  A lazy Dask array for data outside memory.

    Raises
    ------
    ArgumentError
        If `axes`, `flip` or `at` makes no sense, or `fill` is missing.
    ShapeError
        If the column or the mask has another number of values than the grid has cells, vertices or active cells.
    ContentError
        If the mask is not of bools.

    Examples
    --------
    >>> unflatten(np.arange(6), size=(2, 3), axes="ij").tolist()
    [[0, 2, 4], [1, 3, 5]]
    """
    order = _order(axes, len(axes))
    extent = vertex_size(size) if _at(at) == "vertices" else _size(size, len(axes))
    values = _as_column(column)
    if mask is not None:
        values = _spread(values, _mask_column(mask, axes, flip, extent[::-1]), fill)
    elif not _is_unknown(values) and len(values) != math.prod(extent):
        raise ShapeError(
            f"a column of {len(values)} values is no grid of {_shown(extent)} {at}.",
            details=[f"the grid has {math.prod(extent)} {at}"],
            hint="compare the sizes; at='vertices' is for values at vertices, mask= for those of active cells.",
        )
    array = _unflat(values, extent[::-1])
    array = array[_flips(_reversed(axes), flip)]
    return array.transpose(tuple(np.argsort(order)))


def count_active(mask: Any) -> int:
    """Return the number of active cells in a mask; computes where it is lazy.

    Raises
    ------
    ContentError
        If the mask is not of bools.
    """
    values = mask if is_dask_array(mask) else np.asarray(mask)
    _check_bools(values)
    return int(values.sum())


def cell_count(size: Sequence[int]) -> int:
    """Return the number of cells of a grid.

    Examples
    --------
    >>> cell_count((2, 3, 2)), cell_count((4, 5))
    (12, 20)
    """
    return math.prod(_size(size, None))


def vertex_size(size: Sequence[int]) -> tuple[int, ...]:
    """Return the numbers of vertices along the axes of a grid of cells.

    Examples
    --------
    >>> vertex_size((2, 3, 2))
    (3, 4, 3)
    """
    return tuple(count + 1 for count in _size(size, None))


def _order(axes: Any, ndim: int) -> tuple[int, ...]:
    """Return the dimensions of an array by their spatial axes, the slowest first."""
    if not isinstance(axes, str) or len(axes) not in (2, 3) or sorted(axes) != list(_SPATIAL[: len(axes)]):
        raise ArgumentError(
            f"axes is a permutation of 'ij' or 'ijk', not {axes!r:.100}.",
            hint="axes='kji' is of an array that is indexed [k, j, i], 'ij' of one that is indexed [column, row].",
        )
    if ndim != len(axes):
        raise ShapeError(
            f"an array of {ndim} dimensions has not the {len(axes)} axes {axes!r}.", hint="name each dimension once."
        )
    return tuple(axes.index(axis) for axis in _reversed(axes))


def _reversed(axes: str) -> str:
    return _SPATIAL[: len(axes)][::-1]


def _flips(axes: str, flip: Any) -> tuple[slice, ...]:
    """Return the slices that reverse some of the axes of an array."""
    if not isinstance(flip, str) or len(set(flip)) < len(flip) or set(flip) - set(axes):
        raise ArgumentError(f"flip names some of the axes {''.join(sorted(axes))!r}, each once, not {flip!r:.100}.")
    return tuple(slice(None, None, -1 if axis in flip else None) for axis in axes)


def _at(at: Any) -> At:
    if at not in ("cells", "vertices"):
        raise ArgumentError(f"at is 'cells' or 'vertices', not {at!r:.100}.")
    return at  # type: ignore[no-any-return]


def _size(size: Sequence[int], ndim: int | None) -> tuple[int, ...]:
    try:
        found = tuple(int(count) for count in size)
        is_fine = all(count == given and count >= 0 for count, given in zip(found, size, strict=True))
    except (TypeError, ValueError):
        is_fine = False
    if not is_fine or len(found) not in ((2, 3) if ndim is None else (ndim,)):
        shape = "(nx, ny) or (nx, ny, nz)" if ndim is None else "(nx, ny)" if ndim == 2 else "(nx, ny, nz)"
        raise ArgumentError(f"size is {shape}, numbers of cells, not {size!r:.100}.")
    return found


def _check_size(found: tuple[int, ...], expected: tuple[int, ...], at: str) -> None:
    if found != expected:
        raise ShapeError(
            f"the grid has {_shown(found)} {at}, not {_shown(expected)}.",
            details=["along i, j" + (", k" if len(found) == 3 else "")],
            hint="compare axes= and size=; at='vertices' is for values at vertices.",
        )


def _shown(size: tuple[int, ...]) -> str:
    return " x ".join(map(str, size))


def _opened(grid: Any, order: tuple[int, ...]) -> Any:
    """Return a grid as an array of NumPy if it is in memory, else of Dask in chunks along the slowest axis."""
    if is_dask_array(grid):
        return grid
    if _is_dataset(grid):
        return _from_storage(StoredGrid.of(grid), grid.chunks, order)
    if isinstance(grid, np.memmap) and not grid.transpose(order).flags.c_contiguous:
        return _from_storage(grid, None, order)
    return np.asarray(grid)


def _from_storage(stored: Any, chunks: tuple[int, ...] | None, order: tuple[int, ...]) -> Any:
    """Return stored data as a Dask array, chunked along the slowest axis in multiples of stored chunks."""
    import dask.array as da

    shape = stored.shape
    slowest = order[0]
    plane = stored.dtype.itemsize * math.prod(shape) // max(shape[slowest], 1)
    step = max(tuning.CHUNK_BYTES // max(plane, 1), 1)
    if chunks is not None and chunks[slowest] * plane <= tuning.LARGE_CHUNKS * tuning.CHUNK_BYTES:
        step = max(step // chunks[slowest], 1) * chunks[slowest]
    wanted = [-1] * len(shape)
    wanted[slowest] = min(step, max(shape[slowest], 1))
    return da.from_array(stored, chunks=tuple(wanted), name=None, asarray=True)


_OPEN: WeakValueDictionary[tuple[str, str], Any] = WeakValueDictionary()
"""Datasets of files that this process has open, by path and name."""


class StoredGrid:
    """A dataset of an HDF5 file, read through the user's open file in this process, else through a new handle.

    Parameters
    ----------
    path : str
        The file.
    name : str
        The dataset in it.
    shape : tuple of int
        Its shape.
    dtype : numpy.dtype
        The type of its elements.
    """

    def __init__(self, path: str, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
        self.path = path
        self.name = name
        self.shape = shape
        self.dtype = dtype
        self._dataset: Any = None  # prevents closing

    @classmethod
    def of(cls, dataset: Any) -> StoredGrid:
        """Return the picklable form of an open dataset."""
        path = os.path.abspath(os.fsdecode(dataset.file.filename))
        made = cls(path, str(dataset.name), tuple(dataset.shape), dataset.dtype)
        made._dataset = _OPEN[made.path, made.name] = dataset
        return made

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    def __reduce__(self) -> tuple[Any, ...]:
        return StoredGrid, (self.path, self.name, self.shape, self.dtype)

    def __dask_tokenize__(self) -> tuple[Any, ...]:
        status = os.stat(self.path) if os.path.exists(self.path) else None
        state = None if status is None else (status.st_size, state_of(status))
        return self.path, self.name, self.shape, str(self.dtype), state

    def __getitem__(self, part: Any) -> np.ndarray[Any, Any]:
        # An open file is not opened again, as the library refuses a second open with other flags.
        dataset = _OPEN.get((self.path, self.name))
        if dataset:
            return np.asarray(dataset[part])
        file = open_hdf5(self.path)
        try:
            return np.asarray(file[self.name][part])
        finally:
            file.close()


def _ordered(array: Any, order: tuple[int, ...], flip: str) -> Any:
    """Return an array with the slowest spatial axis first, the axes that are to be flipped reversed."""
    return array.transpose(order)[_flips(_reversed(_SPATIAL[: len(order)]), flip)]


def _flat(array: Any) -> Any:
    if not is_dask_array(array):
        return array.reshape(-1)
    return _in_order(array).reshape(-1)


def _in_order(array: Any) -> Any:
    """Return a Dask array in chunks that are runs of its elements in C order."""
    fast = array.shape[1:]
    if all(len(lengths) == 1 for lengths in array.chunks[1:]):
        return array
    plane = array.dtype.itemsize * math.prod(fast)
    step = min(max(tuning.CHUNK_BYTES // max(plane, 1), 1), max(array.chunks[0], default=1))
    return array.rechunk((max(step, 1), *(-1 for _ in fast)))


def _unflat(column: Any, shape: tuple[int, ...]) -> Any:
    """Return a column as an array in C order, a lazy one in chunks along the first axis."""
    if not is_dask_array(column):
        return column.reshape(shape)
    plane = math.prod(shape[1:])
    if not math.prod(shape):
        return column.reshape(shape)
    mean = max(len(column) // max(column.numblocks[0], 1), 1)
    step = min(max(round(mean / plane), 1), shape[0])
    lengths = [min(step, shape[0] - start) for start in range(0, shape[0], step)]
    rows = column.rechunk((tuple(length * plane for length in lengths),))
    return rows.map_blocks(
        _block,
        shape[1:],
        dtype=column.dtype,
        chunks=(tuple(lengths), *((n,) for n in shape[1:])),
        new_axis=list(range(1, len(shape))),
    )


def _block(rows: np.ndarray[Any, Any], shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return rows.reshape(-1, *shape)


def _as_column(column: Any) -> Any:
    """Return a column as an array of NumPy or Dask."""
    if hasattr(column, "to_dask") and not is_dask_array(column):
        column = column.to_dask()
    if hasattr(column, "null_count"):
        if column.null_count:
            raise ContentError(
                f"{column.null_count} values of a column are null.",
                hint="fill them: column.fill_null(…), or cast integers to float64 first.",
            )
        column = np.asarray(column)
    found = column if is_dask_array(column) else np.asarray(column)
    if found.ndim != 1:
        raise ShapeError(f"a column has one dimension, not {found.ndim}.", hint="select one column of the table.")
    return found


def _mask_column(mask: Any, axes: str, flip: str, shape: tuple[int, ...]) -> Any:
    """Return a mask as a column of all cells; `shape` is the grid's, slowest axis first."""
    if not is_dask_array(mask) and not _is_dataset(mask):
        mask = _as_column(mask) if hasattr(mask, "to_dask") or hasattr(mask, "null_count") else np.asarray(mask)
    if mask.ndim == 1:
        found, count = mask, len(mask)
    else:
        order = _order(axes, mask.ndim)
        array = _ordered(_opened(mask, order), order, flip)
        if array.shape != shape:
            _check_size(array.shape[::-1], shape[::-1], "cells of a mask")
        found, count = _flat(array), math.prod(array.shape)
    _check_bools(found)
    if count != math.prod(shape):
        raise ShapeError(
            f"the mask has {count} values, the grid {math.prod(shape)} cells.", hint="a mask is over all cells."
        )
    return found


def _check_bools(mask: Any) -> None:
    if mask.dtype != bool:
        raise ContentError(f"a mask is of bool, not {mask.dtype}.", hint="compare its values first: mask != 0.")


def _spread(values: Any, mask: Any, fill: Any) -> Any:
    """Return the values of active cells, spread over all cells."""
    if fill is None and values.dtype.kind not in "fc":
        raise ArgumentError(
            f"there is no value of {values.dtype} for cells that are not active.", hint="name one with fill=."
        )
    fill = np.nan if fill is None else fill
    if not is_dask_array(values) and not is_dask_array(mask):
        return _placed(values, mask, fill)
    import dask.array as da

    lazy = da.asarray(mask)
    blocks = [lazy.blocks[number] for number in range(lazy.numblocks[0])]
    # Where the values of a chunk of cells begin is known only when the chunks before are counted.
    counts = [int(count) for count in da.compute(*(block.sum() for block in blocks))]
    ends = np.cumsum(counts, dtype=np.int64)
    given = da.asarray(values)
    if not _is_unknown(given):
        _check_active(len(given), int(ends[-1]) if counts else 0)
    else:
        given = given.compute_chunk_sizes()
        _check_active(len(given), int(ends[-1]) if counts else 0)
    parts = [
        da.map_blocks(
            _placed, given[end - count : end].rechunk(-1), block, fill, dtype=given.dtype, chunks=block.chunks
        )
        if count
        else da.full(block.shape, fill, dtype=given.dtype, chunks=block.chunks)
        for block, count, end in zip(blocks, counts, ends.tolist(), strict=True)
    ]
    return da.concatenate(parts) if parts else da.full((0,), fill, dtype=given.dtype)


def _placed(values: np.ndarray[Any, Any], mask: np.ndarray[Any, Any], fill: Any) -> np.ndarray[Any, Any]:
    _check_active(len(values), int(np.count_nonzero(mask)))
    found = np.full(len(mask), fill, values.dtype)
    found[mask] = values
    return found


def _check_active(found: int, expected: int) -> None:
    if found != expected:
        raise ShapeError(
            f"a column has {found} values for {expected} active cells.", hint="it has one for each true of the mask."
        )


def _is_unknown(column: Any) -> bool:
    """Whether the number of values is not known before they are computed."""
    return is_dask_array(column) and any(map(math.isnan, column.chunks[0]))


def is_dask_array(array: Any) -> bool:
    """Whether this is an array of Dask."""
    return hasattr(array, "map_blocks") and hasattr(array, "chunks")


def _is_dataset(grid: Any) -> bool:
    """Whether this is an open dataset of an HDF5 file."""
    return hasattr(getattr(grid, "file", None), "filename") and hasattr(grid, "chunks")
