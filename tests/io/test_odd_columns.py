"""Columns that no column can be: listed, left out with one warning, and an error where one is asked for by its name."""

import json
import warnings

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import AkdaskError, ObjTypeError, UnsupportedError
from akdask.formats.parquet import columns
from akdask.storage.registry import open_files

PARQUET = {
    "a type of a later Arrow": pa.array([b"a", b"b", None], pa.large_binary()),
}


@pytest.fixture(autouse=True)
def unknown_type(monkeypatch):
    """Take one type of Arrow as one that is not known, since all types that there are today can be read."""
    known = columns._is_text
    monkeypatch.setattr(columns, "_is_text", lambda stored: stored != pa.large_binary() and known(stored))


def created(kind):
    return lambda file: h5py.h5d.create(file.id, b"odd", kind, h5py.h5s.create_simple((3,)))


def dataset(*args, **options):
    return lambda file: file.create_dataset("odd", *args, **options)


def virtual(file):
    layout = h5py.VirtualLayout((3,), "i8")
    layout[:] = h5py.VirtualSource("other.h5", "x", (3,))
    file.create_virtual_dataset("odd", layout)


def linked(link):
    return lambda file: file.__setitem__("odd", link)


HDF = {
    "opaque": dataset(data=np.zeros(3, "V4")),
    "references": dataset((3,), dtype=h5py.ref_dtype),
    "references to regions": dataset((3,), dtype=h5py.regionref_dtype),
    "times of C": created(h5py.h5t.UNIX_D32LE),
    "a group": lambda file: file.create_group("odd"),
    "data in other files": dataset((3,), dtype="i8", external=[("other.bin", 0, 24)]),
    "a virtual dataset": virtual,
    "a link to nothing": linked(h5py.SoftLink("/nowhere")),
    "a link to another file": linked(h5py.ExternalLink("other.h5", "/x")),
}
HELD = {
    "float16": dataset(data=np.array([1, 2, 3], "f2")),
}
ZARR = {
    "compound": {"dtype": [["a", "<i4"], ["b", "<f8"]]},
    "complex": {"dtype": "<c16"},
    "bytes": {"dtype": "|V4"},
    "objects": {"dtype": "|O"},
    "packed by pickle": {"dtype": "|O", "filters": [{"id": "pickle"}]},
    "packed by others": {"compressor": {"id": "zfpy"}},
}


def parquet_file(folder, odd, *, alone=False):
    path = f"{folder}/set.parquet"
    pq.write_table(pa.table({"odd": odd} | ({} if alone else {"x": [1, 2, 3]})), path)
    return path, ak.read_parquet


def hdf_file(folder, odd, *, alone=False):
    path = f"{folder}/set.h5"
    with h5py.File(path, "w") as file:
        odd(file)
        if not alone:
            file["x"] = np.array([1, 2, 3])
    return path, ak.read_hdf


def zarr_store(folder, odd, *, alone=False):
    path = folder / "set.zarr"
    good = {"dtype": "<i8", "compressor": None}
    for name, said in [("odd", odd), *([] if alone else [("x", {})])]:
        (path / name).mkdir(parents=True)
        about = {"zarr_format": 2, "shape": [3], "chunks": [3], "fill_value": None, "order": "C", "filters": None}
        (path / name / ".zarray").write_text(json.dumps(about | good | said))
        (path / name / "0").write_bytes(np.array([1, 2, 3]).tobytes())
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    return str(path), ak.read


CASES = [
    pytest.param(make, odd, id=f"{make.__name__}: {name}")
    for make, cases in ((parquet_file, PARQUET), (hdf_file, HDF), (zarr_store, ZARR))
    for name, odd in cases.items()
]


@pytest.mark.parametrize(("make", "odd"), CASES)
def test_a_column_that_cannot_be_read_is_left_out_of_what_is_read(tmp_path, make, odd):
    path, read = make(tmp_path, odd)
    with pytest.warns(RuntimeWarning) as told:
        found = read(path)
    assert len(told) == 1
    assert "leaves out what cannot be read:\n'odd': " in str(told[0].message)
    assert {name: array.tolist() for name, array in found.items()} == {"x": [1, 2, 3]}
    assert sorted(open_files(path).kinds) == ["odd", "x"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read(path, "x")["x"].tolist() == [1, 2, 3]
    for names in ("odd", ["x", "odd"]):
        with pytest.raises((UnsupportedError, ObjTypeError), match="odd") as caught:
            read(path, names)
        assert caught.value.hint


@pytest.mark.parametrize("make", [parquet_file, hdf_file, zarr_store])
def test_files_of_nothing_that_can_be_read_are_an_error(tmp_path, make):
    odd = {parquet_file: PARQUET["a type of a later Arrow"], hdf_file: HDF["opaque"], zarr_store: ZARR["complex"]}[make]
    path, read = make(tmp_path, odd, alone=True)
    with pytest.raises(UnsupportedError, match="odd"):
        read(path)


@pytest.mark.parametrize("odd", HELD.values(), ids=HELD)
def test_rare_numbers_of_hdf5_are_read(tmp_path, odd):
    path, read = hdf_file(tmp_path, odd)
    assert read(path)["odd"].tolist() == [1, 2, 3]


def test_one_warning_tells_of_all_columns_that_are_left_out(tmp_path):
    table = {"x": [1, 2], "odd": pa.array([b"a", b"b"], pa.large_binary()), "other": [1, 2]}
    pq.write_table(pa.table(table), tmp_path / "set_LOCALE0000.parquet")
    pq.write_table(pa.table(table | {"other": [0.5, 1.5]}), tmp_path / "set_LOCALE0001.parquet")
    with pytest.warns(RuntimeWarning) as told:
        assert list(ak.read_parquet(f"{tmp_path}/set_LOCALE*")) == ["x"]
    assert len(told) == 1
    assert "'odd': large_binary is not read" in str(told[0].message)
    assert "'other': it is int64 and double" in str(told[0].message)


@pytest.mark.lazy_only
def test_bytes_that_are_no_text_behind_some_that_are_are_not_said_to_be_damaged(tmp_path, monkeypatch):
    monkeypatch.setattr("akdask.formats.tuning.PARQUET_BATCH_ROWS", 1)
    path, read = parquet_file(tmp_path, pa.array([b"b", b"\xff\xfe", None], pa.binary()))
    found = read(path)
    assert found["x"].tolist() == [1, 2, 3]
    with pytest.raises(AkdaskError, match=r"'odd' of .* not UTF-8") as caught:
        found["odd"].tolist()
    assert "damaged" not in str(caught.value)


def test_data_in_other_files_is_read_where_that_is_allowed(tmp_path):
    path, read = hdf_file(tmp_path, HDF["data in other files"])
    np.array([4, 5, 6]).tofile(tmp_path / "other.bin")
    with ak.config.set(external_files=True):
        assert read(path)["odd"].tolist() == [4, 5, 6]
