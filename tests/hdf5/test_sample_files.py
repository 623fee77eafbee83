"""Samples that are copied from a pattern are those that the library makes one by one."""

from __future__ import annotations

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.formats.hdf5 import sample_files
from akdask.formats.hdf5.sample_files import write_sample_file

PATTERNS = "akdask.formats.tuning.HDF5_SAMPLES_BY_PATTERN"
DTYPES = ["u1", "i1", "i2", "<i4", "i8", "u8", "f4", "f8", ">f8", ">i2"]
SHAPES = [(), (1,), (3,), (2, 3), (600,)]


def _tree(path):
    """Return all members in the order of their creation: type, shape, layout and bytes of datasets."""
    found = []

    def note(name, node):
        is_data = isinstance(node, h5py.Dataset)
        layout = node.id.get_create_plist().get_layout() if is_data else None
        found.append((name, node.dtype, node.shape, layout, node[()].tobytes()) if is_data else name)

    with h5py.File(path, track_order=True) as file:
        file.visititems(note)
    return found


@st.composite
def _fields(draw):
    n = draw(st.sampled_from([1, 7, 8, 9, 40]))
    names = draw(
        st.lists(
            st.sampled_from(["x", "in/y", "in/z", "in/deep/w", "µ", "b" * 40, *"cdefghij"]), unique=True, min_size=1
        )
    )
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    fields = {}
    for name in names:
        shape = draw(st.sampled_from(SHAPES))
        dtype = np.dtype(draw(st.sampled_from(DTYPES)))
        fields[name] = np.frombuffer(rng.bytes(n * dtype.itemsize * int(np.prod(shape))), dtype).reshape(n, *shape)
        if draw(st.booleans()):
            fields[name] = np.asfortranarray(fields[name])
    return [f"{'RUN/' * (row % 2)}{row:04}" for row in range(n)], fields


@given(given_samples=_fields())
def test_copies_of_a_pattern_are_what_the_library_makes(tmp_path_factory, given_samples):
    names, fields = given_samples
    folder = tmp_path_factory.mktemp("samples")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("akdask.formats.tuning.HDF5_SAMPLE_BLOCK", 16)
        for file, least in (("copied.h5", 1), ("made.h5", 10**9)):
            patch.setattr(PATTERNS, least)
            write_sample_file(str(folder / file), names, fields)
    assert _tree(folder / "copied.h5") == _tree(folder / "made.h5")
    with h5py.File(folder / "copied.h5") as file:
        for row, name in enumerate(names):
            for field, values in fields.items():
                native = values.dtype.newbyteorder("=")
                assert file[name][field].dtype == native
                assert file[name][field][()].tobytes() == values[row].astype(native).tobytes()


@pytest.mark.parametrize(
    ("fields", "is_copied"),
    [
        ({"x": np.zeros((5, 512))}, True),
        ({"x": np.zeros((5, 513))}, False),
        ({"x": np.zeros((5, 0))}, False),
        ({"x": np.array(list("abcde"), object)}, False),
        ({"x": [np.zeros(2)] * 4 + [np.zeros(3)]}, False),
        ({name: np.zeros(5) for name in "abcd"}, True),
        ({f"in/{name}": np.zeros(5) for name in "abcdefgh"}, True),
        ({name: np.zeros(5) for name in "abcdefghijkl"}, False),
    ],
)
def test_small_numbers_alone_are_copied(tmp_path, fields, is_copied):
    path = tmp_path / "t.h5"
    assert (sample_files._pattern_of(str(path), fields) is not None) == is_copied
    assert not path.exists()


def test_the_library_changes_files_of_copies(tmp_path, monkeypatch):
    monkeypatch.setattr(PATTERNS, 1)
    path, n = tmp_path / "t.h5", 300
    write_sample_file(
        str(path), [f"{row:04}" for row in range(n)], {"x": np.arange(n), "in/y": np.arange(2.0 * n).reshape(n, 2)}
    )
    size = path.stat().st_size
    with h5py.File(path, "r+") as file:
        assert file.id.get_filesize() == size
        for row in range(0, n, 3):
            del file[f"{row:04}"]
        for row in range(1, n, 3):
            file[f"{row:04}/in"].update({f"more{k}": np.full(9, row + k) for k in range(12)})
            file[f"{row:04}/x"].attrs["row"] = row
            file[f"{row:04}/x"][()] = -row
        for row in range(n, 2 * n):
            file[f"{row:04}/x"] = row
    with h5py.File(path) as file:
        assert list(file) == [f"{row:04}" for row in range(2 * n) if row >= n or row % 3]
        for row in range(n):
            if row % 3 == 1:
                assert (file[f"{row:04}/x"][()], file[f"{row:04}/x"].attrs["row"]) == (-row, row)
                assert all((file[f"{row:04}/in/more{k}"][()] == row + k).all() for k in range(12))
            if row % 3:
                assert file[f"{row:04}/in/y"][()].tolist() == [2.0 * row, 2.0 * row + 1]
        assert all(file[f"{row:04}/x"][()] == row for row in range(2, n, 3))


def test_groups_that_are_elsewhere_are_not_written_over(tmp_path, monkeypatch):
    monkeypatch.setattr(PATTERNS, 1)
    fill = sample_files._Pattern._fill
    monkeypatch.setattr(sample_files._Pattern, "_fill", lambda self, file, at, heads: fill(self, file, at + 8, heads))
    with pytest.raises(OSError, match="not where"):
        write_sample_file(str(tmp_path / "t.h5"), ["a", "b"], {"x": np.arange(2)})
