"""``akdask evo``: what it prints, its exit codes, and errors in one line."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask import evo
from akdask.cli import main

FRAME = pd.DataFrame({"x": [1.0, 2, 3], "y": [4.0, 5, 6], "z": [7.0, 8, 9], "t": ["a", "b", None]})


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_parquet("rows.parquet")
    return tmp_path


@pytest.fixture
def run(capsys):
    def run(*words):
        code = main(["evo", *map(str, words)])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def blob(run):
    _, out, _ = run("put", "store", "rows.parquet", "--columns", "x,y,z", "--role", "geometry")
    return json.loads(out)


def test_rows_of_files_are_put_and_shown(run, blob):
    assert (blob["length"], blob["width"], blob["data_type"]) == (3, 3, "float64")
    assert evo.Store("store").get(blob)["y"].tolist() == [4.0, 5.0, 6.0]
    assert run("get", "store", blob["data"])[1].splitlines() == [
        "  x    y    z",
        "1.0  4.0  7.0",
        "2.0  5.0  8.0",
        "3.0  6.0  9.0",
    ]
    code, out, _ = run("get", "store", json.dumps(blob), "--columns", "z", "--rows", "1:", "--json")
    assert (code, json.loads(out)) == (0, {"z": [8.0, 9.0]})


def test_types_of_parquet_files_stay_and_other_formats_are_read(run):
    pq.write_table(pa.table({"a": pa.array([1, None], pa.int32())}), "narrow.parquet")
    assert json.loads(run("put", "store", "narrow.parquet")[1])["data_type"] == "int32"
    ak.DataFrame({"x": ak.arange(5)}).to_hdf("rows.h5")
    found = json.loads(run("put", "store", "rows.h5", "--columns", "x", "--data-type", "uint64", "--role", "index")[1])
    assert (found["length"], found["data_type"]) == (5, "uint64")
    many = json.loads(run("put", "store", "narrow.parquet", "narrow.parquet", "--uuid")[1])
    assert [len(item["data"]) for item in many] == [36, 36]


def test_text_is_put_as_categories(run):
    found = json.loads(run("put", "store", "rows.parquet", "--columns", "t", "--categories")[1])
    out = run("get", "store", found["values"]["data"], "--lookup", found["table"]["data"], "--json")[1]
    assert json.loads(out) == {"data": ["a", "b", None]}


def test_blobs_are_taken_and_given_as_files(run, blob):
    assert json.loads(run("get", "store", blob["data"], "--out", "out.parquet")[1]) == blob
    assert json.loads(run("put", "other", "--as-blob", "out.parquet")[1]) == blob
    assert run("validate", "out.parquet", "--description", json.dumps(blob), "--role", "geometry")[:2] == (
        0,
        "all is well\n",
    )
    assert json.loads(run("get", "store", blob["data"], "--out", "some.parquet", "--rows", "0:1")[1])["length"] == 1


def test_ls_lists_kinds_rows_and_bytes(run, blob):
    code, out, _ = run("ls", "store")
    assert code == 0
    assert "1 blob" in out
    assert "float-array-3" in out
    (item,) = json.loads(run("ls", "store", "--json")[1])
    assert (item["name"], item["kind"], item["length"], item["problem"]) == (blob["data"], "float-array-3", 3, None)
    assert run("ls", "empty")[:1] == (2,)


def test_validate_tells_all_findings_and_exits_with_1(run):
    code, out, _ = run("validate", "rows.parquet")
    assert code == 1
    assert "codec" in out
    assert "large_string" in out
    code, out, _ = run("validate", "rows.parquet", "rows.parquet", "--json", "--footer-only")
    assert code == 1
    assert {"severity", "code", "message", "blob", "column", "row_group"} == set(json.loads(out)[0])


def test_validate_checks_objects(run, blob, folder):
    document = {"schema": "/objects/pointset/1.2.0/pointset.schema.json", "locations": {"coordinates": blob}}
    (folder / "points.json").write_text(json.dumps(document))
    assert run("validate", "--object", "points.json", "--store", "store")[0] == 0
    document["locations"]["coordinates"] = {**blob, "length": 4}
    (folder / "points.json").write_text(json.dumps(document))
    assert run("validate", "--object", "points.json", "--store", "store")[0] == 1
    assert run("validate", "--object", "points.json")[0] == 0


def test_verify_finds_damage_and_exits_with_1(run, blob):
    assert run("verify", "store")[:2] == (0, "all is well\n")
    assert run("verify", "store", blob["data"])[0] == 0
    with open(evo.Store("store").path(blob), "r+b") as file:
        file.truncate(50)
    code, out, _ = run("verify", "store", "--json")
    assert (code, json.loads(out)[0]["code"]) == (1, "digest")
    assert run("get", "store", blob["data"])[0] == 2
    assert "!" in run("ls", "store")[1]
    assert run("verify", "store", "--remove")[0] == 1
    assert run("verify", "store")[0] == 0


def test_gc_removes_what_no_document_refers_to(run, blob, folder):
    (folder / "object.json").write_text(json.dumps({"a": blob}))
    evo.Store("store").put(np.arange(3.0))
    assert "1 recent one left" in run("gc", "store", "object.json")[1]
    assert "would be removed" in run("gc", "store", "object.json", "--grace", "0", "--dry-run")[1]
    found = json.loads(run("gc", "store", "object.json", "--grace", "0", "--json")[1])
    assert len(found["removed"]) == 1
    assert [entry.name for entry in evo.Store("store").ls()] == [blob["data"]]


@pytest.mark.parametrize(
    "words",
    [
        ("put", "store", "nothing.h5"),
        ("put", "store", "rows.parquet"),
        ("put", "store", "rows.parquet", "--columns", "q"),
        ("put", "store", "rows.parquet", "--columns", "x", "--level", "12"),
        ("put", "store", "--as-blob", "rows.parquet"),
        ("put", "store", "rows.parquet", "--storage-options", "{"),
        ("get", "store", "../../etc"),
        ("get", "store", "ab" * 32),
        ("get", "store", '{"data": 3}'),
        ("get", "store", "{"),
        ("get", "store", "ab" * 32, "--rows", "x"),
        ("ls", "rows.parquet"),
        ("validate",),
        ("validate", "--object", "nothing.json"),
        ("validate", "a", "b", "--description", "{}"),
        ("verify", "store", "x"),
        ("gc", "store", "nothing.json"),
        ("gc", "store", "ab" * 32, "--grace", "-1"),
    ],
)
def test_errors_are_one_line_and_exit_with_2(run, words):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert err.startswith("akdask: ")
    assert err.count("\n") == 1


@pytest.mark.parametrize("words", [("verify", "stroe"), ("gc", "stroe", "ab" * 32)])
def test_a_folder_that_is_not_there_is_no_store_in_good_order(run, words):
    code, out, err = run(*words)
    assert (code, out) == (2, "")
    assert "no folder" in err
    assert "stroe" in err


def test_wrong_words_are_wrong_use(run):
    for words in ([], ["put"], ["put", "store"], ["put", "store", "f", "--role", "x"], ["nothing"]):
        with pytest.raises(SystemExit) as caught:
            run(*words)
        assert caught.value.code == 2


def test_csv_of_others_is_put(run):
    FRAME.assign(when=pd.date_range("2024-01-01", periods=3)).to_csv("rows.csv", index=False)
    found = json.loads(run("put", "store", "rows.csv", "--columns", "x,y,z")[1])
    assert evo.Store("store").get_arrow(found)["z"].to_pylist() == [7.0, 8.0, 9.0]
    code, _, err = run("put", "store", "rows.csv", "--columns", "when")
    assert (code, "--time-zone UTC" in err, "time_zone" in err) == (2, True, False)
    found = json.loads(run("put", "store", "rows.csv", "--columns", "when", "--time-zone", "UTC")[1])
    assert found["data_type"] == "timestamp"


def test_labels_of_a_pandas_file_are_no_column(run):
    pd.DataFrame({"x": [1.0, 2]}, index=[7, 3]).to_parquet("filtered.parquet")
    assert pq.read_schema("filtered.parquet").names == ["x", "__index_level_0__"]
    found = json.loads(run("put", "store", "filtered.parquet")[1])
    assert (found["width"], found["length"]) == (1, 2)


def test_blobs_with_an_extension_are_seen(run, blob, folder):
    (folder / "fetched").mkdir()
    (folder / "store" / blob["data"]).rename(folder / "fetched" / f"{blob['data']}.parquet")
    code, out, _ = run("ls", "fetched", "--json")
    assert (code, [item["name"] for item in json.loads(out)]) == (0, [blob["data"]])
    store = evo.Store("fetched")
    assert store.get(blob)["y"].tolist() == [4.0, 5.0, 6.0]
    assert store.verify() == store.verify([blob]) == []
    assert store.gc([], grace=0).names == []
    assert store.copy(None, evo.Store("other")) == [blob["data"]]
    with open(store.path(blob), "r+b") as file:
        file.truncate(100)
    assert [finding.code for finding in evo.Store("fetched").verify()] == ["digest"]


def test_folders_that_are_not_there_are_told(run, blob):
    code, _, err = run("get", "nowhere", blob["data"])
    assert (code, "no folder" in err) == (2, True)


def test_rows_of_findings_are_counted_within_the_blob(run):
    values = [float("nan") if number == 77 else 1.0 for number in range(100)]
    pq.write_table(pa.table({"x": values}), "late.parquet", row_group_size=30, compression="gzip", version="2.4")
    assert "first at row 77," in run("validate", "late.parquet", "--role", "geometry")[1]
    assert "first at row 77," in run("put", "store", "late.parquet", "--role", "geometry", "--row-group-rows", 30)[2]
