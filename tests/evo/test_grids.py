"""Section 5: grids are flattened so that the first spatial axis varies fastest."""

from __future__ import annotations

import pickle
from itertools import permutations

import dask.array as da
import h5py
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError
from akdask.evo.errors import ContentError, ShapeError
from akdask.evo.grids import cell_count, count_active, flatten, unflatten, vertex_size

SIZE = (2, 3, 2)
ROWS = [0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121]
GRID = np.fromfunction(lambda i, j, k: 100 * i + 10 * j + k, SIZE, dtype=int)
AXES_3D = ["".join(axes) for axes in permutations("ijk")]
AXES = [*AXES_3D, "ij", "ji"]


def by_formula(size, axes, flip=""):
    """Return the rows of a grid of distinct values, and the grid, by the formula of the format."""
    grid = np.empty([size["ijk".index(axis)] for axis in axes], int)
    rows = np.empty(grid.size, int)
    for position in np.ndindex(*grid.shape):
        where = {
            axis: size["ijk".index(axis)] - 1 - at if axis in flip else at
            for axis, at in zip(axes, position, strict=True)
        }
        row = where["i"] + size[0] * (where["j"] + size[1] * where.get("k", 0))
        grid[position] = rows[row] = int(np.ravel_multi_index(position, grid.shape))
    return rows, grid


def test_section_5_the_worked_example():
    assert flatten(GRID, axes="ijk").tolist() == ROWS
    assert flatten(GRID.transpose(2, 1, 0), axes="kji").tolist() == ROWS
    assert unflatten(np.array(ROWS), size=SIZE, axes="ijk").tolist() == GRID.tolist()


def test_section_5_column_major_is_fortran_order_of_ijk_and_c_order_of_kji():
    assert flatten(GRID, axes="ijk").tolist() == GRID.flatten(order="F").tolist()
    raster = np.arange(12.0).reshape(3, 4)
    assert flatten(raster, axes="ji").tolist() == raster.flatten().tolist()


@settings(max_examples=settings().max_examples // 2)
@given(
    axes=st.sampled_from(AXES),
    size=st.tuples(*[st.integers(1, 4)] * 3),
    flip=st.sampled_from(["", "i", "j", "ij"]),
    chunk=st.integers(1, 4),
)
def test_section_5_every_order_of_axes_and_flip_is_that_of_the_formula(axes, size, flip, chunk):
    rows, grid = by_formula(size[: len(axes)], axes, flip)
    assert flatten(grid, axes, flip=flip, size=size[: len(axes)]).tolist() == rows.tolist()
    lazy = flatten(da.from_array(grid, chunks=chunk), axes, flip=flip)
    assert lazy.compute(scheduler="sync").tolist() == rows.tolist()
    assert unflatten(rows, size[: len(axes)], axes, flip=flip).tolist() == grid.tolist()
    back = unflatten(da.from_array(rows, chunks=chunk), size[: len(axes)], axes, flip=flip)
    assert back.compute(scheduler="sync").tolist() == grid.tolist()


def test_section_5_vertices_have_the_enlarged_size():
    assert vertex_size(SIZE) == (3, 4, 3)
    assert cell_count(SIZE) == 12
    vertices = np.arange(36).reshape(3, 4, 3)
    column = flatten(vertices, axes="kji", at="vertices", size=(2, 3, 2))
    assert unflatten(column, (2, 3, 2), "kji", at="vertices").tolist() == vertices.tolist()
    with pytest.raises(ShapeError, match="3 x 4 x 3 cells"):
        flatten(vertices, axes="kji", size=(2, 3, 2))
    with pytest.raises(ShapeError, match="2 x 3 x 2 vertices, not 3 x 4 x 3"):
        flatten(GRID, axes="ijk", at="vertices", size=SIZE)


def test_section_5_rasters_whose_first_row_is_the_top_are_flipped():
    raster = np.array([[1, 2], [3, 4], [5, 6]])
    assert flatten(raster, axes="ji", flip="j").tolist() == [5, 6, 3, 4, 1, 2]
    assert unflatten(np.array([5, 6, 3, 4, 1, 2]), (2, 3), "ji", flip="j").tolist() == raster.tolist()


@settings(max_examples=settings().max_examples // 4)
@given(axes=st.sampled_from(AXES_3D), data=st.data())
def test_section_5_masked_grids_have_rows_for_active_cells_alone(axes, data):
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=12, max_size=12)))
    rows, grid = by_formula(SIZE, axes)
    active = unflatten(mask, SIZE, axes)
    assert count_active(active) == mask.sum()
    expected = rows[mask].astype(float)
    chunk = data.draw(st.integers(1, 12))
    for given_mask in (active, mask, da.from_array(active, chunks=2), pa.array(mask)):
        assert np.asarray(flatten(grid.astype(float), axes, mask=given_mask)).tolist() == expected.tolist()
    back = np.where(active, grid, np.nan)
    for values in (expected, da.from_array(expected, chunks=chunk)):
        for flat in (mask, da.from_array(mask, chunks=chunk)):
            found = np.asarray(unflatten(values, SIZE, axes, mask=flat))
            np.testing.assert_array_equal(found, back)
    filled = unflatten(expected.astype(int), SIZE, axes, mask=mask, fill=-1)
    assert filled.tolist() == np.where(active, grid, -1).tolist()


def test_lazily_masked_columns_of_unknown_length_come_back():
    mask = da.from_array(np.array(ROWS) % 3 == 0, chunks=5)
    lazy = flatten(da.from_array(GRID * 1.0, chunks=(2, 3, 1)), "ijk", mask=mask)
    found = unflatten(lazy, SIZE, "ijk", mask=mask).compute()
    np.testing.assert_array_equal(found, np.where(GRID % 3 == 0, GRID, np.nan))


def test_section_5_arrays_chunked_along_the_last_axis_are_flattened_chunk_by_chunk():
    grid = da.from_array(np.arange(5 * 4 * 6).reshape(5, 4, 6), chunks=(5, 4, (2, 3, 1)))
    column = flatten(grid, axes="ijk")
    assert column.chunks == ((40, 60, 20),)
    assert not [name for name in column.dask.layers if "rechunk" in name]
    other = flatten(grid.rechunk((2, 2, 2)), axes="ijk")
    assert [name for name in other.dask.layers if "rechunk" in name]
    assert column.compute().tolist() == other.compute().tolist()


def test_arrays_in_order_are_not_copied():
    grid = np.zeros((4, 3, 2))
    assert np.shares_memory(flatten(grid, axes="kji"), grid)
    assert (
        np.shares_memory(unflatten(np.zeros(24), (2, 3, 4), "ijk").base, unflatten(np.zeros(24), (2, 3, 4), "ijk"))
        is False
    )


@pytest.mark.parametrize("chunks", [None, (1, 2, 1), (2, 3, 2)])
@pytest.mark.parametrize("axes", ["ijk", "kji", "jki"])
def test_section_5_datasets_of_hdf5_files_stay_in_the_file(tmp_path, monkeypatch, axes, chunks):
    monkeypatch.setattr("akdask.evo.tuning.CHUNK_BYTES", 50)
    rows, grid = by_formula(SIZE, axes)
    with h5py.File(tmp_path / "g.h5", "w") as file:
        file.create_dataset("a", data=grid, chunks=None if chunks is None else tuple(map(min, chunks, grid.shape)))
    with h5py.File(tmp_path / "g.h5") as file:
        lazy = flatten(file["a"], axes)
        assert lazy.npartitions > 1 or chunks is not None
        assert lazy.compute().tolist() == rows.tolist()
        assert pickle.loads(pickle.dumps(lazy)).compute().tolist() == rows.tolist()
    # The file is opened anew where it was closed, and in other processes.
    assert lazy.compute().tolist() == rows.tolist()


def test_mapped_files_stay_on_disk(tmp_path):
    np.save(tmp_path / "g.npy", GRID)
    mapped = np.load(tmp_path / "g.npy", mmap_mode="r")
    lazy = flatten(mapped, axes="ijk")
    assert isinstance(lazy, da.Array)
    assert lazy.compute().tolist() == ROWS


def test_columns_of_other_libraries_become_grids():
    assert np.asarray(unflatten(pa.array(ROWS), SIZE, "ijk")).tolist() == GRID.tolist()
    assert np.asarray(unflatten(ak.array(ROWS), SIZE, "ijk")).tolist() == GRID.tolist()
    with pytest.raises(ContentError, match="null"):
        unflatten(pa.array([None, 1]), (1, 2), "ij")


def test_empty_grids_are_empty_columns():
    assert flatten(np.zeros((0, 3, 2)), axes="ijk").shape == (0,)
    assert flatten(da.zeros((0, 3, 2), chunks=2), axes="kji").compute().shape == (0,)
    assert unflatten(np.zeros(0), (0, 3), "ij").shape == (0, 3)


@pytest.mark.parametrize("axes", ["ijj", "xyz", "", "i", "ijkl", "IJK", None, "jk"])
def test_axes_are_never_guessed(axes):
    with pytest.raises(ArgumentError, match="axes is a permutation"):
        flatten(GRID, axes)
    with pytest.raises(TypeError, match="axes"):
        flatten(GRID)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: flatten(GRID, "ij"), ShapeError, "3 dimensions"),
        (lambda: flatten(GRID, "ijk", size=(3, 2, 2)), ShapeError, "2 x 3 x 2 cells, not 3 x 2 x 2"),
        (lambda: flatten(GRID, "ijk", flip="x"), ArgumentError, "flip"),
        (lambda: flatten(GRID, "ijk", flip="ii"), ArgumentError, "flip"),
        (lambda: flatten(GRID, "ijk", at="edges"), ArgumentError, "at is"),  # type: ignore[arg-type]
        (lambda: flatten(GRID, "ijk", size=(2, 3)), ArgumentError, "size is"),
        (lambda: flatten(GRID, "ijk", size=(2, 3, -2)), ArgumentError, "size is"),
        (lambda: flatten(GRID, "ijk", mask=np.ones(3, bool)), ShapeError, "3 values"),
        (
            lambda: flatten(GRID, "ijk", mask=np.ones(GRID.transpose(1, 0, 2).shape, bool)),
            ShapeError,
            "cells of a mask",
        ),
        (lambda: flatten(GRID, "ijk", mask=GRID), ContentError, "bool"),
        (lambda: unflatten(np.arange(11), SIZE, "ijk"), ShapeError, "11 values"),
        (lambda: unflatten(np.zeros((3, 4)), SIZE, "ijk"), ShapeError, "one dimension"),
        (lambda: unflatten(np.arange(3), (2, 2), "ij", mask=np.ones(4, bool), fill=0), ShapeError, "3 values for 4"),
        (lambda: unflatten(np.arange(3), (2, 2), "ij", mask=np.ones(4, bool)), ArgumentError, "fill"),
    ],
)
def test_sizes_that_do_not_fit_are_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()
