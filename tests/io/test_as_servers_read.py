"""Files of other programs come as an Arkouda server has them: numbers of one byte are wide, nulls of its text empty."""

from __future__ import annotations

import h5py
import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import akdask as ak

BYTES = np.array([200, 100, 250], np.uint8)


@pytest.fixture(params=["x.h5", "x.parquet"])
def path(request, tmp_path):
    if request.param == "x.h5":
        with h5py.File(tmp_path / request.param, "w") as file:
            file["x"] = BYTES
    else:
        parquet.write_table(pa.table({"x": BYTES}), tmp_path / request.param)
    return tmp_path / request.param


def test_numbers_of_one_byte_are_64_bits_wide(path):
    by_format = ak.read_hdf if path.suffix == ".h5" else ak.read_parquet
    for read in (ak.read, by_format, ak.load_all, lambda path: ak.load(path, dataset="x")):
        found = read(str(path))["x"]
        assert found.dtype == np.uint64
        assert (found + found).tolist() == [400, 200, 500]


def test_they_stay_narrow_in_scans_and_in_files_of_arrays_that_are_narrow(path, tmp_path):
    assert ak.scan(str(path))["x"].dtype == np.uint8
    narrow = ak.array(BYTES)
    write = narrow.to_hdf if path.suffix == ".h5" else narrow.to_parquet
    write(str(tmp_path / f"own{path.suffix}"), dataset="x")
    assert ak.read(str(tmp_path / f"own_LOCALE*{path.suffix}"))["x"].dtype == np.uint8


def test_wide_numbers_keep_their_missing_rows(tmp_path):
    parquet.write_table(pa.table({"x": pa.array([200, None], pa.uint8())}), tmp_path / "x.parquet")
    found = ak.read_parquet(str(tmp_path / "x.parquet"))["x"]
    assert found.dtype == np.uint64
    assert ak.isnan(found).tolist() == [False, True]
    assert int(found[0]) == 200


def test_nulls_are_empty_text_in_columns_as_a_server_writes_them(tmp_path):
    # It gives them no logical type, and files no schema of Arrow.
    columns = {"bytes": pa.array([b"a", None, b""]), "text": pa.array(["a", None, ""])}
    parquet.write_table(pa.table(columns), tmp_path / "x.parquet", store_schema=False)
    parquet.write_table(pa.table(columns), tmp_path / "arrow.parquet")
    found = ak.read_parquet(str(tmp_path / "x.parquet"))
    assert found["bytes"].tolist() == ["a", "", ""]
    assert found["text"].tolist() == ["a", None, ""]
    assert ak.read_parquet(str(tmp_path / "arrow.parquet"))["bytes"].tolist() == ["a", None, ""]
    assert ak.get_null_indices(str(tmp_path / "x.parquet"), "bytes")["bytes"].tolist() == [0, 1, 0]
    assert ak.scan(str(tmp_path / "x.parquet"))["bytes"].tolist() == ["a", None, ""]
