from __future__ import annotations

import math
import pickle
import shutil
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset
import pyarrow.feather
import pyarrow.orc
import pytest

import akdask as ak
from akdask.io.tables.source import column_of, stored_type

ROWS = pa.table(
    {
        "number": pa.array([2**60 + 1, None, -3, 4, 5, 6], pa.int64()),
        "small": pa.array([1, 2, 3, 4, 5, 6], pa.int32()),
        "real": pa.array([1.5, None, float("nan"), 4.0, 5.0, 6.0]),
        "flag": pa.array([True, None, False, True, True, False]),
        "text": pa.array(["é", None, "", "d", "e", "d"]),
        "time": pa.array([datetime(2026, 1, 1) + timedelta(hours=n) if n != 1 else None for n in range(6)]),
        "part": pa.array(["a", "a", "a", "b", "b", "b"]),
    }
)


def in_arrow(path: Path) -> Any:
    pa.feather.write_feather(ROWS, path / "rows.feather")
    return str(path / "rows.feather")


def in_orc(path: Path) -> Any:
    pa.orc.write_table(ROWS, path / "rows.orc")
    return path / "rows.orc"


def in_memory(path: Path) -> Any:
    return pyarrow.dataset.dataset(ROWS)


def in_folders(path: Path) -> Any:
    pyarrow.dataset.write_dataset(ROWS, path, format="parquet", partitioning=["part"], partitioning_flavor="hive")
    return pyarrow.dataset.dataset(path, format="parquet", partitioning="hive")


def in_delta(path: Path) -> Any:
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(path, ROWS, partition_by=["part"])
    return path


def in_lance(path: Path) -> Any:
    lance = pytest.importorskip("lance")
    lance.write_dataset(ROWS, path / "rows.lance", max_rows_per_file=4)
    return path / "rows.lance"


def in_hugging_face(path: Path) -> Any:
    datasets = pytest.importorskip("datasets")
    datasets.Dataset(ROWS).save_to_disk(path / "saved")
    return path / "saved"


def in_iceberg(path: Path) -> Any:
    catalogs = pytest.importorskip("pyiceberg.catalog.sql")
    pytest.importorskip("sqlalchemy")
    catalog = catalogs.SqlCatalog("mine", uri=f"sqlite:///{path}/catalog.db", warehouse=f"file://{path}")
    catalog.create_namespace("net")
    table = catalog.create_table("net.rows", schema=ROWS.schema)
    table.append(ROWS.slice(0, 3))
    table.append(ROWS.slice(3))
    return table


KINDS = [in_arrow, in_orc, in_memory, in_folders, in_delta, in_lance, in_hugging_face, in_iceberg]


@pytest.fixture(params=KINDS, ids=[kind.__name__ for kind in KINDS])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    make: Callable[[Path], Any] = request.param
    return make(tmp_path)


def expected(rows: pa.Table) -> list[tuple[Any, ...]]:
    columns = [
        [None if isinstance(value, float) and math.isnan(value) else value for value in column.to_pylist()]
        for column in rows.columns
    ]
    return [*zip(*columns, strict=True)]


def in_arrow_again(frame: ak.DataFrame) -> pa.Table:
    return pa.table(
        {
            name: frame.to_arrow().column(name).cast(field.type)
            for name, field in zip(ROWS.column_names, ROWS.schema, strict=True)
        }
    )


def test_tables_have_the_rows_that_were_written(table):
    found = in_arrow_again(ak.scan_table(table)).sort_by("small")
    assert expected(found) == expected(ROWS)


def test_filters_leave_out_rows(table):
    for filters in [[("small", ">", 1), ("part", "==", "a")], [[("small", "in", [2, 3])]]]:
        found = in_arrow_again(ak.scan_table(table, filters=filters)).sort_by("small")
        assert expected(found) == expected(ROWS.slice(1, 2))
    either = ak.scan_table(table, filters=[[("text", "==", "é")], [("small", ">=", 5)]])
    assert sorted(either["small"].tolist()) == [1, 5, 6]
    nothing = ak.scan_table(table, filters=[("small", ">", 10)])
    assert (len(nothing), nothing["number"].sum(), nothing["text"].tolist()) == (0, 0, [])


def test_columns_are_chosen_and_filtered_by_others(table):
    found = ak.scan_table(table, ["number", "text"], filters=[("small", ">", 3)])
    assert list(found.columns) == ["number", "text"]
    assert sorted(found["number"].tolist()) == [4, 5, 6]
    assert found[found["number"] > 4]["text"].to_ndarray().tolist() in (["e", "d"], ["d", "e"])


def test_questions_read_what_they_need(table):
    frame = ak.scan_table(table)
    groups = frame.groupby("part")["small"].sum()
    assert groups.to_pandas().to_dict() == {"a": 6, "b": 15}
    assert frame["small"].max() == 6
    assert frame["number"].isna().sum() == 1
    assert frame[frame["text"].isna()]["small"].tolist() == [2]
    assert frame.sort_values("small")["text"].to_arrow().to_pylist() == ["é", None, "", "d", "e", "d"]
    assert sorted(frame["text"].dropna().tolist()) == ["", "d", "d", "e", "é"]
    part = frame["small"]._frame.source.part(0, ["small"])
    assert pickle.loads(pickle.dumps(part)).nrows == part.nrows


def test_columns_that_are_not_there_are_told(table):
    with pytest.raises(KeyError, match="no column 'nobody'"):
        ak.scan_table(table, ["nobody"])


def test_versions_of_delta(tmp_path):
    deltalake = pytest.importorskip("deltalake")
    deltalake.write_deltalake(tmp_path, ROWS)
    deltalake.write_deltalake(tmp_path, ROWS, mode="append")
    assert [len(ak.scan_table(tmp_path, version=number)) for number in (0, 1)] == [6, 12]
    assert len(ak.scan_table(deltalake.DeltaTable(tmp_path))) == 12


def test_rows_deleted_from_iceberg_are_left_out(tmp_path):
    table = in_iceberg(tmp_path)
    table.delete("small = 2")
    assert sorted(ak.scan_table(table)["small"].tolist()) == [1, 3, 4, 5, 6]
    assert len(ak.scan_table(table.metadata_location)) == 5
    assert len(ak.scan_table(table.location().removeprefix("file://"))) == 5


def test_splits_of_hugging_face(tmp_path):
    datasets = pytest.importorskip("datasets")
    parts = datasets.DatasetDict({"train": datasets.Dataset(ROWS.slice(0, 4)), "test": datasets.Dataset(ROWS.slice(4))})
    parts.save_to_disk(tmp_path)
    assert ak.scan_table(tmp_path, split="test")["small"].tolist() == [5, 6]
    with pytest.raises(ValueError, match="splits train, test"):
        ak.scan_table(tmp_path)
    chosen = parts["train"].select([3, 0])
    assert ak.scan_table(chosen)["small"].tolist() == [4, 1]


NUMBERS = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]


@pytest.mark.parametrize("kind", NUMBERS, ids=str)
@pytest.mark.parametrize("nullable", [True, False])
def test_extremes_of_numbers_stay_exact(kind, nullable):
    extremes = np.iinfo(kind.to_pandas_dtype())
    items = [int(extremes.max), int(extremes.min), *([None] if nullable else [])]
    rows = pa.table([pa.array(items, kind)], schema=pa.schema([pa.field("n", kind, nullable)]))
    found = ak.scan_table(pyarrow.dataset.dataset(rows))["n"]
    assert found.to_arrow().to_pylist() == items


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, None], pa.date32()),
        pa.array([86_400_000, None], pa.date64()),
        pa.array([1, None], pa.timestamp("ms", "Europe/Zurich")),
        pa.array([1, None], pa.duration("us")),
        pa.array(["a", None]).dictionary_encode(),
        pa.array([None, None], pa.float32()),
        pa.array(["1.5", None]).cast(pa.decimal128(5, 2)),
        pa.array(["a", None], pa.large_string()),
    ],
    ids=lambda column: str(column.type),
)
def test_other_types_become_what_parquet_has(column, tmp_path):
    rows = pa.table({"x": column})
    pa.parquet.write_table(rows, tmp_path / "x.parquet")
    found = ak.scan_table(pyarrow.dataset.dataset(rows)).to_pandas()["x"]
    asked = ak.scan(tmp_path / "x.parquet").to_pandas()["x"]
    assert found.isna().tolist() == [value is None for value in column.to_pylist()]
    assert found.dropna().astype(str).tolist() == asked.dropna().astype(str).tolist()


def test_columns_without_arrays_are_left_out_or_told():
    rows = pyarrow.dataset.dataset(pa.table({"a": [1], "b": [b"x"]}))
    with pytest.warns(UserWarning, match="b: binary"):
        assert list(ak.scan_table(rows).columns) == ["a"]
    with pytest.raises(NotImplementedError, match="no array"):
        ak.scan_table(rows, ["b"])
    assert stored_type(pa.field("b", pa.binary())) is None


def test_several_chunks_are_one_column():
    stored = pa.chunked_array([[1], [None, 3]], pa.int64())
    found = column_of(stored, stored_type(pa.field("a", pa.int64())).dtype)
    assert found.to_list() == [1, None, 3]
    assert column_of(pa.chunked_array([], pa.string()), stored_type(pa.field("a", pa.string())).dtype).to_pylist() == []


def test_a_table_that_has_changed_is_told(tmp_path):
    path = in_arrow(tmp_path)
    frame = ak.scan_table(path)
    pa.feather.write_feather(ROWS.slice(0, 2), path)
    with pytest.raises(ak.errors.FileError, match="open it again"):
        frame["small"].sum().compute()


def test_what_is_no_table_is_told(tmp_path):
    (tmp_path / "x.txt").write_text("a")
    with pytest.raises(ak.errors.FileFormatError, match="no table"):
        ak.scan_table(tmp_path / "x.txt")
    with pytest.raises(ak.errors.FileFormatError, match="no table"):
        ak.scan_table(tmp_path)
    with pytest.raises(ak.errors.FileFormatError, match="a list"):
        ak.scan_table([1])
    with pytest.raises(FileNotFoundError, match="nowhere"):
        ak.scan_table("nowhere")
    with pytest.raises(ValueError, match="no library 'foo'"):
        ak.scan_table("x", library="foo")
    with pytest.raises(ValueError, match="filters cannot be read"):
        ak.scan_table(in_memory(tmp_path), filters=[("small", "~", 1)])


def test_expressions_of_arrow_are_conditions(tmp_path):
    assert ak.scan_table(in_folders(tmp_path), filters=pc.field("small") * 2 > 8)["small"].tolist() == [5, 6]


def test_a_library_that_is_not_there_is_named(tmp_path, monkeypatch):
    (tmp_path / "_delta_log").mkdir()
    monkeypatch.setitem(__import__("sys").modules, "deltalake", None)
    with pytest.raises(NotImplementedError, match="pip install 'akdask\\[delta\\]'"):
        ak.scan_table(tmp_path)


@pytest.mark.parametrize("make", [in_delta, in_lance, in_arrow], ids=lambda make: make.__name__)
def test_a_table_in_the_place_of_another_is_read_anew(make, tmp_path, monkeypatch):
    path = make(tmp_path)
    first = ak.scan_table(path)["small"]
    assert first.sum() == 21
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    monkeypatch.setitem(globals(), "ROWS", ROWS.set_column(1, "small", pc.add(ROWS["small"], 1)))
    assert ak.scan_table(make(tmp_path))["small"].sum() == 27


def test_conditions_that_lance_does_not_know_choose_rows(tmp_path):
    lance = pytest.importorskip("lance")
    rows = pa.table({"name": pa.array(["a", "b", None, "a"], pa.large_string()), "n": [1, 2, 3, 4]})
    lance.write_dataset(rows, tmp_path / "rows.lance", max_rows_per_file=2)
    found = ak.scan_table(tmp_path / "rows.lance", filters=[("name", "==", "a"), ("n", ">", 0)])
    assert (found["n"].tolist(), found["name"].tolist()) == ([1, 4], ["a", "a"])
    assert ak.scan_table(tmp_path / "rows.lance", ["n"], filters=[("name", "in", ["b"])])["n"].tolist() == [2]


def test_long_conditions_are_told_apart(tmp_path):
    rows = in_memory(tmp_path)
    sums = [
        ak.scan_table(rows, filters=[("small", "in", [*range(100, 200), last, *range(300, 400)])])["small"].sum()
        for last in (5, 6)
    ]
    assert sums == [5, 6]
