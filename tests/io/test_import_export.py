"""Files of pandas become sets of Arkouda's, and back; pandas itself and h5py look at both."""

from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import (
    FileError,
    FileFormatError,
    MissingDatasetError,
    MissingFileError,
    SchemaError,
    UnsupportedError,
    WriteError,
)

pytest.importorskip("tables", reason="PyTables is not installed; pip install 'akdask[pytables]'")


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "n": np.array([3, -1, 2**40]),
            "u": np.array([0, 2**63, 1], np.uint64),
            "x": [0.5, np.nan, -np.inf],
            "b": [True, False, True],
            "s": ["tcp", "", "ö"],
        },
        index=[10, 20, 30],
    )


@pytest.fixture
def written(frame, tmp_path):
    path = tmp_path / "pandas.h5"
    frame.to_hdf(path, key="data", format="table")
    return path


def test_a_file_of_pandas_becomes_a_set(frame, written, prefix):
    found = ak.import_data(written, prefix)
    pd.testing.assert_frame_equal(found.to_pandas(retain_index=True), frame)
    with h5py.File(f"{prefix}_LOCALE0000") as file:
        assert sorted(set(file).difference({"_arkouda_metadata"})) == ["b", "n", "s", "u", "x"]
        assert file["n"][:].tolist() == frame["n"].tolist()
        assert file["s/values"][:].tobytes() == "tcp\0\0ö\0".encode()


def test_labels_are_written_where_they_are_asked_for(written, prefix):
    assert ak.import_data(written, prefix, return_obj=False, index=True) is None
    with h5py.File(f"{prefix}_LOCALE0000") as file:
        assert [10, 20, 30] in [node[:].tolist() for node in file.values() if isinstance(node, h5py.Dataset)]


def test_a_series_becomes_a_frame_of_one_column(tmp_path):
    pd.Series([1.5, 2.5], name="x").to_hdf(tmp_path / "series.h5", key="x")
    found = ak.import_data(tmp_path / "series.h5")
    assert found.columns == ["x"]
    assert found["x"].tolist() == [1.5, 2.5]


def test_a_set_becomes_a_file_of_pandas(frame, prefix, tmp_path):
    ak.to_hdf({name: ak.array(column.to_numpy()) for name, column in frame.items()}, prefix)
    target = tmp_path / "out.h5"
    assert ak.export(prefix, "flows", target, return_obj=False) is None
    pd.testing.assert_frame_equal(pd.read_hdf(target, "flows"), frame.reset_index(drop=True), check_like=True)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".out.h5")] == []


def test_what_is_exported_comes_back(prefix, tmp_path):
    given = ak.DataFrame({"n": ak.arange(4), "c": ak.Categorical(ak.array(["u", "v", "u", ""]))})
    given.to_hdf(prefix)
    exported = ak.export(prefix, write_file=tmp_path / "out.h5")
    assert exported["c"].tolist() == ["u", "v", "u", ""]
    found = ak.import_data(tmp_path / "out.h5")
    assert found["n"].tolist() == [0, 1, 2, 3]
    assert found["c"].tolist() == ["u", "v", "u", ""]


@pytest.mark.parametrize("kept", [True, False])
def test_labels_are_exported_where_they_are_asked_for(kept, prefix):
    df = ak.DataFrame({"n": ak.arange(3)}, index=ak.array([10, 20, 30]))
    df.to_hdf(prefix, index=True)
    labels = ak.export(prefix, index=kept).index.tolist()
    assert labels == ([10, 20, 30] if kept else [0, 1, 2])


def test_files_that_pandas_did_not_write_are_refused(prefix, tmp_path):
    ak.arange(3).to_hdf(prefix, "n")
    with pytest.raises(FileFormatError, match="pandas cannot read"):
        ak.import_data(f"{prefix}_LOCALE0000")
    with pytest.raises(MissingFileError, match="missing"):
        ak.import_data(tmp_path / "missing.h5")
    pd.DataFrame({"n": [1]}).to_hdf(tmp_path / "n.h5", key="n")
    with pytest.raises(FileError, match="pattern"):
        ak.import_data(tmp_path / "*.h5")
    ak.to_csv({"n": ak.arange(3)}, tmp_path / "n.csv")
    with pytest.raises(UnsupportedError, match="CSV"):
        ak.import_data(tmp_path / "n_LOCALE0000.csv")


def test_of_several_objects_one_is_named(frame, written):
    frame.to_hdf(written, key="other")
    with pytest.raises(FileFormatError, match="several objects"):
        ak.import_data(written)
    frame[["n"]].iloc[:1].to_hdf(written, key="one/row")
    assert len(ak.import_data(written, key="/one/row")) == len(ak.scan(written, key="one/row")) == 1
    with pytest.raises(MissingDatasetError, match="two"):
        ak.import_data(written, key="two")


def test_an_export_that_fails_leaves_what_was_there(prefix, tmp_path):
    ak.DataFrame({"lists": ak.SegArray(ak.array([0, 1]), ak.arange(3))}).to_hdf(prefix)
    target = tmp_path / "out.h5"
    target.write_bytes(b"precious")
    with pytest.raises(SchemaError, match="lists"):
        ak.export(prefix, write_file=target)
    assert target.read_bytes() == b"precious"
    with pytest.raises(MissingFileError):
        ak.export(tmp_path / "no set")
    ak.arange(3).to_hdf(tmp_path / "other", "n")
    with pytest.raises(WriteError, match="create the folder first"):
        ak.export(tmp_path / "other", write_file=tmp_path / "no" / "out.h5")


def test_without_pytables_files_are_read_and_writing_says_what_to_install(written, prefix, monkeypatch):
    monkeypatch.setattr("akdask.io.pandas_files.find_spec", lambda name: None)
    ak.import_data(written, prefix)
    with pytest.raises(UnsupportedError, match="PyTables"):
        ak.export(prefix, write_file=prefix.with_name("out.h5"))


def test_missing_text_is_exported_apart_from_text_that_is_spelt_so(prefix, tmp_path):
    ak.DataFrame({"s": ak.array(["nan", "", "_nan_"])}).to_hdf(prefix)
    ak.export(prefix, write_file=tmp_path / "out.h5", return_obj=False)
    assert pd.read_hdf(tmp_path / "out.h5")["s"].tolist() == ["nan", "", "_nan_"]
    assert ak.import_data(tmp_path / "out.h5")["s"].tolist() == ["nan", "", "_nan_"]


def test_exported_text_is_not_pickled(prefix, tmp_path):
    ak.DataFrame({"s": ak.array(["a", "b"]), "n": ak.arange(2)}).to_hdf(prefix)
    ak.export(prefix, write_file=tmp_path / "out.h5", return_obj=False)
    with h5py.File(tmp_path / "out.h5") as file:
        found = []
        file.visititems(lambda _, node: found.append("PSEUDOATOM" in node.attrs))
    assert len(found) > 1
    assert not any(found)


# ------------------------------------------------------------------------------------------------------------- Parquet


@pytest.mark.parametrize("labels", [[10, 20, 30], ["a", "b", "ä"], range(5, 11, 2), range(3)])
def test_a_parquet_file_of_pandas_becomes_a_set(frame, prefix, tmp_path, labels):
    frame = frame.set_axis(pd.Index(labels), axis=0)
    frame.to_parquet(tmp_path / "pandas.parquet")
    found = ak.import_data(tmp_path / "pandas.parquet", prefix)
    assert found.columns == list(frame.columns)
    assert found.index.to_list() == list(labels)
    assert ak.get_filetype(f"{prefix}_LOCALE*") == "Parquet"
    written = pq.read_table(f"{prefix}_LOCALE0000").to_pydict()
    for name, column in frame.items():
        np.testing.assert_array_equal(written[name], column.to_list())
    labelled = f"{prefix}_labelled"
    assert ak.import_data(tmp_path / "pandas.parquet", labelled, return_obj=False, index=True) is None
    assert list(labels) in pq.read_table(f"{labelled}_LOCALE0000").to_pydict().values()


def test_parquet_files_of_pandas_are_imported_by_pattern(tmp_path):
    for part in range(2):
        pd.DataFrame({"n": [part, 7]}, index=[5, 6]).to_parquet(tmp_path / f"part{part}.parquet")
    found = ak.import_data(tmp_path / "part*.parquet")
    assert found["n"].tolist() == [0, 7, 1, 7]
    assert found.index.to_list() == [5, 6, 5, 6]
    for part in range(2):
        pd.DataFrame({"n": [part, 7]}, index=range(5, 9, 2)).to_parquet(tmp_path / f"part{part}.parquet")
    assert ak.import_data(tmp_path / "part0.parquet").index.to_list() == [5, 7]
    assert ak.import_data(tmp_path / "part*.parquet").index.to_list() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "noted",
    [
        b"[",
        b'{"index_columns": 7}',
        b'{"index_columns": [7]}',
        b'{"index_columns": ["missing"]}',
        b'{"index_columns": ["n", "m"]}',
        b'{"index_columns": [{"kind": "range", "start": 0, "stop": 2, "step": 0}]}',
        b'{"index_columns": [{"kind": "range", "start": 0, "stop": 1000000000000000000000, "step": 2}]}',
        b'{"index_columns": [{"kind": "range", "start": 9, "stop": 99, "step": 1}]}',
    ],
)
def test_labels_that_make_no_sense_are_passed_over(tmp_path, noted):
    table = pa.table({"n": [1, 2], "m": [3, 4]}).replace_schema_metadata({b"pandas": noted})
    pq.write_table(table, tmp_path / "x.parquet")
    found = ak.import_data(tmp_path / "x.parquet")
    assert found.columns == ["n", "m"]
    assert found.index.to_list() == [0, 1]


def test_a_set_of_parquet_files_becomes_a_file_of_pandas(frame, prefix, tmp_path):
    columns = {name: ak.array(column.to_numpy()) for name, column in frame.items()}
    columns["c"] = ak.Categorical(ak.array(["u", "v", "u"]))
    columns["l"] = ak.SegArray(ak.array([0, 1, 1]), ak.arange(3))
    ak.to_parquet(columns, prefix, num_locales=2)
    target = tmp_path / "out.parquet"
    assert ak.export(prefix, write_file=target, return_obj=False) is None
    found = pd.read_parquet(target)
    pd.testing.assert_frame_equal(found[list(frame.columns)], frame.reset_index(drop=True))
    assert found["c"].tolist() == ["u", "v", "u"]
    assert [row.tolist() for row in found["l"]] == [[0], [], [1, 2]]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".out.parquet")] == []


def test_an_export_to_parquet_that_fails_leaves_what_was_there(prefix, tmp_path, monkeypatch):
    ak.to_parquet({"n": ak.arange(3)}, prefix)
    target = tmp_path / "out.parquet"
    target.write_bytes(b"precious")

    def full(self, path, **_):
        Path(path).write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", full)
    with pytest.raises(WriteError, match="No space left"):
        ak.export(prefix, write_file=target)
    assert target.read_bytes() == b"precious"
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".out")) == []
