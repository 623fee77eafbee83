"""Elements that were never written: every way to read them gives what h5py shows, never left-over memory."""

from __future__ import annotations

from contextlib import closing

import h5py
import numpy as np
import pytest
from h5py import h5d, h5p, h5s, h5t, h5z
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.open_files import LibraryFile
from tests.hdf5.test_equivalence import locations

LAYOUTS = {"contiguous": h5d.CONTIGUOUS, "chunked": h5d.CHUNKED, "packed": h5d.CHUNKED, "compact": h5d.COMPACT}
LAYOUTS |= {"packed by the library": h5d.CHUNKED, "outside": h5d.CONTIGUOUS}
FILL_TIMES = {"never": h5d.FILL_TIME_NEVER, "on allocation": h5d.FILL_TIME_ALLOC, "if set": h5d.FILL_TIME_IFSET}
ALLOCATIONS = {
    "late": h5d.ALLOC_TIME_LATE,
    "early": h5d.ALLOC_TIME_EARLY,
    "step by step": h5d.ALLOC_TIME_INCR,
    "default": h5d.ALLOC_TIME_DEFAULT,
}
DTYPES = ["<i8", "<u8", "<f8", ">i8", "<i4", ">f4", "<u2", "|i1", "|u1", "<f2"]


def write(path, shape, dtype, layout, *, fill_time, allocation, fill, written):
    path.unlink(missing_ok=True)
    made = h5p.create(h5p.DATASET_CREATE)
    made.set_layout(LAYOUTS[layout])
    if LAYOUTS[layout] == h5d.CHUNKED:
        made.set_chunk(tuple(min(7, size) for size in shape))
    if layout == "packed":
        made.set_shuffle()
        made.set_deflate(4)
    if layout == "packed by the library":
        made.set_scaleoffset(h5z.SO_INT, 0) if dtype[1] in "iu" else made.set_deflate(1)
    if layout == "outside":
        outside = path.with_suffix(".raw")
        outside.unlink(missing_ok=True)
        # It is shorter than the dataset.  The sum of these is the same in any order, as floats too.
        outside.write_bytes(np.arange(1, 1 + 24 // np.dtype(dtype).itemsize).astype(dtype).tobytes())
        made.set_external(str(outside).encode(), 0, int(np.prod(shape)) * np.dtype(dtype).itemsize)
    made.set_fill_time(FILL_TIMES[fill_time])
    made.set_alloc_time(ALLOCATIONS[allocation])
    if fill is not None:
        made.set_fill_value(np.array(fill, dtype))
    with h5py.File(path, "w") as file:
        node = h5d.create(file.id, b"x", h5t.py_create(np.dtype(dtype)), h5s.create_simple(shape), made)
        found = h5py.Dataset(node)
        if written is not None:
            found[written] = 3


def expected_in(path):
    with h5py.File(path) as file:
        return file["x"][()]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=settings().max_examples * 4)
@given(data=st.data())
def test_unwritten_elements_are_what_h5py_shows(tmp_path, data):
    layout = data.draw(st.sampled_from(sorted(LAYOUTS)))
    # The library refuses late allocation of compact data, and data in other files is never allocated early.
    allowed = {"compact": ["early", "default"], "outside": ["late", "default"]}.get(layout, sorted(ALLOCATIONS))
    fill_time, allocation = data.draw(st.sampled_from(sorted(FILL_TIMES))), data.draw(st.sampled_from(allowed))
    dtype, fill = data.draw(st.sampled_from(DTYPES)), data.draw(st.sampled_from([None, 0, 5]))
    nrows = data.draw(st.integers(1, 40))
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, nrows)] * 2)))
    written = data.draw(st.sampled_from([None, slice(first, last)])) if layout != "outside" else None
    path = tmp_path / "x.h5"
    try:
        write(path, (nrows,), dtype, layout, fill_time=fill_time, allocation=allocation, fill=fill, written=written)
    except (ValueError, OSError):
        reject()  # the library does not make such a dataset
    # What would lie in new memory otherwise: what h5py shows was zeroed before it was read.
    expected = expected_in(path)
    start, stop = sorted(data.draw(st.tuples(*[st.integers(0, nrows)] * 2)))
    with ak.config.set(external_files=True):
        for location in locations(path) if layout != "outside" else [str(path)]:
            stored = open_set(location).select()["x"].members["values"]
            with stored.source.part(0, ["x"]).open() as reader:
                memory = np.full(nrows, 113, stored.source.columns["x"].numpy)
                found = reader.read("x", start, stop, memory)
            np.testing.assert_array_equal(found, expected[start:stop].astype(found.dtype))
        read = ak.read_hdf(str(path))["x"]
        np.testing.assert_array_equal(read.to_ndarray(), expected.astype(found.dtype))
        np.testing.assert_array_equal(read.sum(), expected.astype(found.dtype).sum())


@pytest.mark.parametrize("fill", [None, 5])
@pytest.mark.parametrize("fill_time", FILL_TIMES)
@pytest.mark.parametrize("layout", ["contiguous", "chunked", "packed", "packed by the library"])
def test_so_are_those_of_arrays_of_two_dimensions(tmp_path, layout, fill_time, fill):
    path = tmp_path / "x.h5"
    written = slice(2, 4) if layout != "contiguous" else None
    write(path, (9, 10), "<i4", layout, fill_time=fill_time, allocation="default", fill=fill, written=written)
    with h5py.File(path, "r+") as file:
        file["x"].attrs.update(ObjType=np.int64(0), Rank=np.int64(2), Shape=np.array([9, 10]))
        expected = file["x"][()]
    memory = np.full(10**5, 113)  # freed, and taken again
    del memory
    found = ak.read_hdf(str(path))["x"]
    np.testing.assert_array_equal(found.to_ndarray().reshape(9, 10), expected)


def test_a_virtual_dataset_shows_its_fill_value_where_nothing_is_mapped(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(tmp_path / "part.h5", "w") as file:
        file["y"] = np.arange(5)
    layout = h5py.VirtualLayout((20,), "<i8")
    layout[3:8] = h5py.VirtualSource(tmp_path / "part.h5", "y", (5,))
    for fill in (0, -7):
        with h5py.File(path, "w") as file:
            file.create_virtual_dataset("x", layout, fillvalue=fill)
        with ak.config.set(external_files=True):
            np.testing.assert_array_equal(ak.read_hdf(str(path))["x"].to_ndarray(), expected_in(path))


@pytest.mark.parametrize("fill_time", FILL_TIMES)
@pytest.mark.parametrize("layout", ["contiguous", "chunked"])
def test_fields_of_samples_are_what_h5py_shows(tmp_path, layout, fill_time):
    path = tmp_path / "x.h5"
    write(path, (20_000,), "<f8", layout, fill_time=fill_time, allocation="late", fill=None, written=None)
    expected = expected_in(path)
    freed = [np.full(20_000, 113.0) for _ in range(20)]
    del freed
    with closing(LibraryFile(str(path))) as library:
        np.testing.assert_array_equal(library.read("x"), expected)
