"""Footers: where they are in a file, which are refused, what pandas notes in them, and what a manifest keeps."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import FileFormatError, WriteError
from akdask.formats import tuning
from akdask.formats.parquet import footers, reader
from akdask.storage.files import identify
from akdask.storage.source import Stretch


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "one.parquet")


def written(path, table=None, **options):
    table = pa.table({"x": [1, 2, 3], "s": ["a", None, "b"]}) if table is None else table
    pq.write_table(table, path, **options)
    return identify(path)


@pytest.mark.parametrize("first_bytes", [12, 60, 10**6])
def test_footers_are_read_whatever_is_read_first(path, monkeypatch, first_bytes):
    file = written(path)
    monkeypatch.setattr(tuning, "FIRST_BYTES", first_bytes)
    content = Path(path).read_bytes()
    length = int.from_bytes(content[-8:-4], "little")
    assert footers.read_footer(file) == content[-8 - length : -8]
    assert footers.footer_start(file) == len(content) - 8 - length
    assert footers.parsed(path, footers.read_footer(file)).num_rows == 3


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"PAR1" + b"x" * 20, "does not end as a Parquet file"), (b"PAR1", "does not end as a Parquet file"),
        (b"PAR1" + bytes(4) + b"PARE", "is encrypted"), (b"1234567PAR1", "does not end as a Parquet file"),
        (b"PAR1" + b"abcd" + (5).to_bytes(4, "little") + b"PAR1", "would have 5 bytes of 16"),
        (b"PAR1" + b"abcd" + (2**31).to_bytes(4, "little") + b"PAR1", "would have 2,147,483,648 bytes of 16"),
        (b"PAR1" + b"abcd" + (4).to_bytes(4, "little") + b"PAR1", "the footer of(.|\n)*cannot be read"),
        (b"PAR1" + b"abc" + (3).to_bytes(4, "little") + b"PAR1", "cannot be read"),
    ],
)  # fmt: skip
def test_what_does_not_end_with_a_footer_is_refused(path, content, told):
    Path(path).write_bytes(content)
    with pytest.raises(FileFormatError, match=told):
        footers.inspect_file(identify(path))
    with pytest.raises(FileFormatError, match=told):
        footers.metadata_of(identify(path))


def test_files_are_inspected_once(path, monkeypatch):
    file = written(path)
    found = footers.inspect_file(file)
    assert found.rows.tolist() == [3]
    assert found.file == file
    monkeypatch.setattr(footers, "_described", lambda file: pytest.fail("is known"))
    assert footers.inspect_file(file) is found
    assert footers.metadata_of(file).num_rows == 3


@pytest.mark.parametrize(("most", "is_refused"), [(0, True), (1, False)])
def test_more_rows_than_bytes_can_hold_are_refused(path, monkeypatch, most, is_refused):
    monkeypatch.setattr(footers, "_MAX_ROWS_PER_BYTE", most)
    file = written(path)
    if is_refused:
        with pytest.raises(FileFormatError, match="claims 3 rows in"):
            footers.describe_file(file)
    else:
        assert footers.describe_file(file).rows.tolist() == [3]


def test_remote_files_are_inspected_ahead_and_errors_left(monkeypatch):
    asked = []

    def inspect(file):
        asked.append(file.path)
        if file.path.endswith("bad"):
            raise FileFormatError("damaged.")

    monkeypatch.setattr(footers, "inspect_file", inspect)
    monkeypatch.setattr(footers, "concurrently", lambda call, items: [call(item) for item in items])
    files = [SimpleNamespace(path=path) for path in ("s3://b/one", "/here", "s3://b/bad", "s3://b/two")]
    footers.inspect_ahead(files)
    assert asked == ["s3://b/one", "s3://b/bad", "s3://b/two"]


@pytest.mark.parametrize(
    ("writer", "is_counted"),
    [
        ("parquet-cpp-arrow version 7.0.0", False), ("parquet-cpp-arrow version 0.17.1", False),
        ("parquet-cpp-arrow version 8.0.0", True), ("parquet-cpp-arrow version 17.0.0", True),
        ("parquet-mr version 1.2", True),
        (None, True),
    ],
)  # fmt: skip
def test_nulls_of_old_writers_are_unknown_within_lists_and_dictionaries(writer, is_counted):
    columns = [
        SimpleNamespace(is_nested=nested, stored=stored, leaf=leaf)
        for leaf, (nested, stored) in enumerate(
            [(False, pa.int64()), (True, pa.list_(pa.int64())), (False, pa.dictionary(pa.int32(), pa.string()))]
        )
    ]
    chunks = np.zeros((3, 2), [("nulls", "i8"), ("size", "i8")])
    chunks["nulls"] = 5
    found = footers._without_wrong_counts(SimpleNamespace(created_by=writer), SimpleNamespace(columns=columns), chunks)
    assert found["nulls"].tolist() == [[5, 5], [5, 5] if is_counted else [-1, -1], [5, 5] if is_counted else [-1, -1]]


def test_columns_of_files_that_are_made_alike_are_one_object(tmp_path):
    tables = [pa.table({f"c{number}": [1]}) for number in range(5)]
    paths = [str(tmp_path / f"{number}.parquet") for number in range(5)]
    files = [written(path, table) for path, table in zip(paths, tables, strict=True)]
    footers._last.clear()
    schemas = [footers.describe_file(file).schema for file in files[:4]]
    assert [footers.describe_file(file).schema for file in files[:4]] == schemas
    assert all(one is footers.describe_file(file).schema for one, file in zip(schemas, files, strict=False))
    # The last four are known.
    footers.describe_file(files[4])
    assert len(footers._last) == 4
    assert footers.describe_file(files[3]).schema is schemas[3]
    assert footers.describe_file(files[0]).schema is not schemas[0]
    noted = tables[1].replace_schema_metadata({b"a": b"b"})
    assert footers.describe_file(written(str(tmp_path / "noted.parquet"), noted)).schema is not schemas[1]


@pytest.mark.parametrize(
    ("index", "labels"),
    [
        (pd.RangeIndex(3), [range(3)]), (pd.RangeIndex(2, 8, 2), [range(2, 8, 2)]),
        (pd.Index([5, 6, 7], name="k"), ["k"]),
        (pd.MultiIndex.from_tuples([(1, "a"), (2, "b"), (3, "c")], names=["one", "two"]), ["one", "two"]),
        (pd.Index([5, 6, 7]), ["__index_level_0__"]),
    ],
)  # fmt: skip
def test_labels_are_those_that_pandas_notes(path, index, labels):
    pd.DataFrame({"x": [1, 2, 3]}, index=index).to_parquet(path)
    assert footers.labels_of(path) == labels


@pytest.mark.parametrize(
    "noted",
    [
        None, b"", b"{", b"[]", b'{"index_columns": 5}', b'{"index_columns": [5]}', b'{"other": []}',
        json.dumps({"index_columns": [{"kind": "range", "start": 0, "stop": 4, "step": 1}]}).encode(),
        json.dumps({"index_columns": [{"kind": "range", "start": 0, "stop": 3}]}).encode(),
        json.dumps({"index_columns": [{"kind": "range", "start": 0, "stop": 3, "step": 0}]}).encode(),
        json.dumps({"index_columns": [{"kind": "other", "start": 0, "stop": 3, "step": 1}]}).encode(),
    ],
)  # fmt: skip
def test_labels_that_make_no_sense_are_none(path, noted):
    table = pa.table({"x": [1, 2, 3]})
    written(path, table if noted is None else table.replace_schema_metadata({b"pandas": noted}))
    assert footers.labels_of(path) == []


def test_labels_of_very_long_notes_are_not_read(path, monkeypatch):
    pd.DataFrame({"x": [1, 2, 3]}).to_parquet(path)
    size = len(pq.read_metadata(path).metadata[b"pandas"])
    for most, labels in ((size, []), (size + 1, [range(3)])):
        monkeypatch.setattr(footers, "_MOST_BYTES", most)
        assert footers.labels_of(path) == labels


def test_frames_are_written_as_pandas_does(path):
    frame = pd.DataFrame({"x": [1, 2]}, index=[7, 8])
    footers.write_frame(frame, path)
    pd.testing.assert_frame_equal(pd.read_parquet(path), frame)
    with pytest.raises(WriteError, match="pandas cannot write the columns"):
        footers.write_frame(pd.DataFrame({"x": [1, "a"]}), path)
    with pytest.raises(OSError, match=r"(?i)no such file|cannot") as error:
        footers.write_frame(frame, path + "/not/there.parquet")
    assert not isinstance(error.value, WriteError)


# ---- manifests of footers


def test_a_footer_is_described_by_a_manifest_as_it_was(tmp_path):
    tables = [
        pa.table({"x": range(10), "s": list("abcdefghij")}),
        pa.table({"y": [1.5]}),
        pa.table({"x": [1], "s": ["z"]}),
    ]
    files = [
        written(str(tmp_path / f"{number}.parquet"), table, row_group_size=4) for number, table in enumerate(tables)
    ]
    described = [footers.describe_file(file) for file in files]
    manifest = footers.ParquetManifest(footers.ParquetManifest.to_batch(described))
    for number, (file, wanted) in enumerate(zip(files, described, strict=True)):
        found = manifest.describe(file, number)
        assert found.rows.tolist() == wanted.rows.tolist()
        assert found.chunks.tolist() == wanted.chunks.tolist()
        assert found.schema.columns == wanted.schema.columns
        assert found.file == file
    assert manifest.describe(files[0], 0).rows.tolist() == [4, 4, 2]
    assert len(manifest._schemas) == 2


@pytest.mark.parametrize(
    ("field", "value", "is_believed"),
    [
        ("offset", -1, False), ("size", -1, False), ("offset", "end", True), ("offset", "behind", False),
        ("nulls", -1, True),
        ("nulls", -2, False), ("nulls", "values", True), ("nulls", "more", False), ("codec", 10**4, False),
        ("problem", -1, False),
        ("problem", 10**4, False), ("rows", -1, False),
    ],
)  # fmt: skip
def test_numbers_that_cannot_be_make_no_manifest(path, field, value, is_believed):
    file = written(path)
    described = footers.describe_file(file)
    chunks, rows = described.chunks.copy(), described.rows.copy()
    chunk = chunks[0, 0]
    number = {
        "end": file.size - int(chunk["size"]), "behind": file.size - int(chunk["size"]) + 1,
        "values": int(chunk["values"]),
        "more": int(chunk["values"]) + 1,
    }.get(value, value)  # fmt: skip
    if field == "rows":
        rows[0] = number
    else:
        info = np.iinfo(chunks.dtype[field])
        chunks[field][0, 0] = min(max(number, info.min), info.max)
    batch = footers.ParquetManifest.to_batch([replace(described, rows=rows, chunks=chunks)])
    if is_believed:
        assert footers.ParquetManifest(batch).describe(file, 0).rows.tolist() == [3]
    else:
        with pytest.raises(ValueError, match="no manifest"):
            footers.ParquetManifest(batch)


def test_a_footer_that_differs_from_its_checksums_is_an_error_where_these_are_checked():
    told = []
    sums = SimpleNamespace(check_once=lambda file, *, is_proven: told.append((file, is_proven)))

    def description(rows, sums=None):
        return footers.ParquetFileDescription(
            "file", SimpleNamespace(columns=()), np.array(rows), np.zeros(0, footers.CHUNK), sums
        )

    for verified, rows, with_sums, checked in (
        (True, [3], sums, False), (True, [4], sums, True), (False, [4], sums, False), (True, [4], None, False)
    ):  # fmt: skip
        told.clear()
        with ak.config.set(verify_checksums=verified):
            found = footers.ParquetManifest.compared(description([3]), description(rows, with_sums))
        assert (found.rows.tolist(), found.sums is with_sums, found.is_proven) == ([3], True, False)
        assert told == ([("file", False)] if checked else [])


# ---- which bytes a reader wants


@pytest.mark.parametrize(
    ("stop", "ranges"),
    [
        (15, [(100, 200), (300, 400)]),
        (10, [(100, 200), (300, 350)]),
        (12, [(100, 200), (300, 370)]),
        (6, [(100, 200), (300, 310)]),
        (5, [(100, 200), (300, 300)]),
    ],
)
def test_pages_are_fetched_up_to_the_last_row(stop, ranges):
    chunks = np.array([(100, 100), (300, 100)], [("offset", "i8"), ("size", "i8")])
    groups = [SimpleNamespace(first=0, nrows=5), SimpleNamespace(first=5, nrows=10)]
    part = SimpleNamespace(columns={"x": SimpleNamespace(chunks=chunks)}, groups=groups, stop=stop)
    found = reader.ParquetPartReader._chunk_ranges(SimpleNamespace(_part=part), "x")
    assert list(found) == ranges


@pytest.mark.parametrize(
    ("start", "stop", "found"),
    [
        (0, 9, [(3, 100, 4), (4, 200, 5)]), (1, 3, [(3, 108, 2)]), (4, 6, [(4, 200, 2)]),
        (3, 5, [(3, 124, 1), (4, 200, 1)]),
        (5, 5, []), (8, 20, [(4, 232, 1)]),
    ],
)  # fmt: skip
def test_stretches_are_cut_at_rows(start, stop, found):
    stretches = [Stretch(3, 100, 4), Stretch(4, 200, 5)]
    assert [tuple(one)[:3] for one in reader._within(stretches, start, stop, 8)] == found
