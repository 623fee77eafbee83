"""Reading bytes past HDF5, through fsspec, or with h5py gives the same answer."""

import fsspec
import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from akdask.formats.hdf5.file_set import open_set

DTYPES = st.sampled_from(["<i8", "<u8", "<f8", "?", "<i4", ">i8", ">f4", "u1", "<u2"])
ARRAYS = DTYPES.flatmap(lambda dtype: hnp.arrays(dtype, st.integers(0, 50)))
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("equivalence")


def locations(path):
    """The same bytes on this machine, in memory as if they were remote, and under a file URL."""
    url = f"memory://equivalence/{path.name}"
    with fsspec.open(url, "wb") as file:
        file.write(path.read_bytes())
    return [str(path), url, f"file://{path}"]


def read(path, start, stop, out=None):
    stored = open_set(path).select()["x"].members["values"]
    with stored.source.part(0, ["x"]).open() as reader:
        return reader.read("x", start, stop, out)


def write(path, datasets, chunked):
    path.unlink(missing_ok=True)
    with h5py.File(path, "w") as file:
        for name, values in datasets.items():
            file.create_dataset(
                name, data=values, chunks=(7,) if chunked else None, maxshape=(None,) if chunked else None
            )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(values=ARRAYS, data=st.data())
def test_numbers(folder, values, data):
    start = data.draw(st.integers(0, len(values)))
    stop = data.draw(st.integers(start, len(values)))
    for chunked in (False, True):
        path = folder / f"numbers{chunked}.h5"
        write(path, {"x": values}, chunked)
        with h5py.File(path) as file:
            expected = file["x"][start:stop]
        for location in locations(path):
            found = read(location, start, stop)
            assert np.array_equal(found, expected.astype(found.dtype), equal_nan=found.dtype.kind == "f")
            into = read(location, start, stop, np.empty(len(values), found.dtype))
            assert into.tobytes() == found.tobytes()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXT, max_size=30), with_segments=st.booleans(), data=st.data())
def test_strings(folder, texts, with_segments, data):
    start = data.draw(st.integers(0, len(texts)))
    stop = data.draw(st.integers(start, len(texts)))
    encoded = [text.encode() + b"\0" for text in texts]
    datasets = {"x/values": np.frombuffer(b"".join(encoded), "u1")}
    if with_segments:
        datasets["x/segments"] = np.cumsum([0, *map(len, encoded)])[:-1].astype(int)
    for chunked in (False, True):
        path = folder / f"strings{chunked}.h5"
        write(path, datasets, chunked)
        for location in locations(path):
            assert read(location, start, stop).to_pylist() == texts[start:stop]
