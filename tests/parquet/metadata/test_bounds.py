"""Bounds of row groups, pages and partitions against the values that pyarrow reads from the same rows."""

from __future__ import annotations

import datetime
import io
import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from akdask.columns.dtypes import (
    BIGINT,
    BOOL,
    FLOAT64,
    INT64,
    NULLABLE_INT64,
    NULLABLE_STR,
    STR,
    UINT8,
    bigint_of,
    list_of,
)
from akdask.columns.strings import SENTINEL
from akdask.errors import UnsupportedError
from akdask.formats.parquet import columns as parquet_columns
from akdask.formats.parquet.columns import KEY, Annotation, decode, encode
from akdask.formats.parquet.file_set import ColumnAgreement, ParquetSource, open_set
from akdask.formats.parquet.footers import ParquetManifest, inspect_file
from akdask.formats.parquet.page_lists import ChunkPlace, PageList
from akdask.formats.parquet.reader import partitions_of
from akdask.formats.parquet.statistics import bounds_of, concat_chunks, constant, unbounded, without_values
from akdask.formats.parquet.thrift import (
    CHUNK,
    CODECS,
    PHYSICAL,
    PROBLEMS,
    CutShortError,
    Leaf,
    ThriftError,
    integers,
    read_struct,
    row_groups_of,
)
from akdask.storage.files import identify
from akdask.storage.objects import VALUES, ObjType
from akdask.storage.ranges import range_reader

GROUPS, ROWS = 4, 60
NAT = -(2**63)
TOP = b"\xff" * 16
DAY = 86_400


def columns() -> dict[str, pa.Array]:
    """Return columns of every kind that has bounds: the first row group without nulls, the last of nulls alone."""
    count = GROUPS * ROWS
    numbers = np.random.default_rng(1).permutation(count)
    nulls = (np.arange(count) >= count - ROWS) | ((np.arange(count) >= ROWS) & (numbers % 5 == 0))
    texts = [f"{'long ' * (number % 6)}{number}" for number in numbers]
    return {
        "int": pa.array(numbers - 100),
        "short": pa.array((numbers - 100).astype(np.int16)),
        "some": pa.array(numbers - 100, mask=nulls),
        "uint": pa.array(numbers.astype(np.uint64) + 2**63 - 100),
        "byte": pa.array((numbers % 250).astype(np.uint8)),
        "float": pa.array(numbers / 7),
        "half": pa.array((numbers / 4).astype(np.float32), mask=nulls),
        "flag": pa.array(numbers < 20),
        "flags": pa.array(numbers < 20, mask=nulls),
        "text": pa.array(texts),
        "texts": pa.array(texts, mask=nulls),
        "time": pa.array((numbers - 100).astype("datetime64[ms]"), mask=nulls),
        "date": pa.array((numbers - 100).astype("datetime64[D]"), mask=nulls),
        "span": pa.array((numbers - 100).astype("timedelta64[us]")),
    }


def in_memory(value: Any) -> Any:
    """Return a value of pyarrow as bounds have it: text by its first bytes, times in the unit of the file."""
    if isinstance(value, str):
        return value.encode()[:16]
    if isinstance(value, datetime.datetime):
        return round((value - datetime.datetime(1970, 1, 1)) / datetime.timedelta(milliseconds=1))
    if isinstance(value, datetime.date):
        return (value - datetime.date(1970, 1, 1)).days * DAY
    if isinstance(value, datetime.timedelta):
        return round(value / datetime.timedelta(microseconds=1))
    return value


def expected(name: str, rows: pa.Array) -> tuple[Any, Any, bool]:
    """Return the least and the largest value of some rows, and whether rows beside these may be missing."""
    known = [in_memory(value) for value in rows.to_pylist() if value is not None]
    has_nulls, least, most = rows.null_count > 0, min(known, default=None), max(known, default=None)
    if name in ("time", "date", "span"):
        # Missing times are the least.
        return (NAT if has_nulls else least), most, False
    if name == "texts":
        # Missing text is the last.
        return least, (TOP if has_nulls else most), False
    return least, most, has_nulls or name in ("float", "half")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("bounds") / "x.parquet"
    options = {"row_group_size": ROWS, "write_page_index": True, "data_page_size": 1, "write_batch_size": 20}
    pq.write_table(pa.table(columns()), path, use_dictionary=False, **options)
    return str(path)


def source_of(path: str, limit: int) -> ParquetSource:
    found = open_set(path)._source
    return ParquetSource(found._files, found._found, partitions_of(found._files, limit), "x")


def test_bounds_of_partitions_are_the_extremes_of_their_rows(stored):
    source = source_of(stored, 2 * ROWS * 8)
    assert source.lengths == (2 * ROWS,) * 2
    for name, rows in columns().items():
        found = source.bounds(name)
        assert (found.minima[0], found.maxima[0], found.nans[0]) == expected(name, rows[: 2 * ROWS])
        if rows[-ROWS:].null_count:
            # Of a row group without values nothing is known.
            assert found.maxima[1] == unbounded(source.columns[name], 1).maxima[0]


def test_row_groups_have_the_bounds_of_their_rows(stored):
    source = source_of(stored, 2**30)
    for name, column in columns().items():
        with source.part(0, [name]).open() as reader:
            starts, found = reader.row_bounds(name, np.empty((0, 2), np.int64))
        assert starts.tolist() == [0, ROWS, 2 * ROWS, 3 * ROWS]
        for index, start in enumerate(starts.tolist()):
            rows = column[start : start + ROWS]
            if rows.null_count < ROWS:
                assert (found.minima[index], found.maxima[index], found.nans[index]) == expected(name, rows)


def test_pages_in_wanted_ranges_have_the_bounds_of_their_rows(stored):
    for name in ("int", "some", "float", "text", "date"):
        for start, stop in ((0, 240), (10, 130), (20, 120), (60, 61), (119, 200)):
            check_pages(stored, name, start, stop)


def check_pages(stored, name, start, stop):
    part = replace(source_of(stored, 2**30).part(0, [name]), start=start, stop=stop)
    within = np.array([[0, 5], [40, 41]])
    with part.open() as reader:
        starts, found = reader.row_bounds(name, within)
    assert starts.tolist() == sorted(set(starts.tolist()))
    assert (starts[0], starts[-1] < part.nrows) == (0, True)
    wanted = {(start + row) // ROWS for first, last in within.tolist() for row in range(first, last)}
    begins = {
        row
        for group in range(GROUPS)
        for row in range(group * ROWS, (group + 1) * ROWS, 20 if group in wanted else ROWS)
    }
    before = max(begin for begin in begins if begin <= start)
    begun = sorted(begin for begin in begins if before <= begin < stop)
    assert starts.tolist() == [max(begin - start, 0) for begin in begun]
    for index, begin in enumerate(begun):
        end = min((other for other in begins if other > begin), default=GROUPS * ROWS)
        rows = columns()[name][begin:end]
        if rows.null_count < len(rows):
            assert (found.minima[index], found.maxima[index], found.nans[index]) == expected(name, rows)


def test_a_single_row_group_has_no_bounds_of_row_groups(stored):
    with source_of(stored, ROWS * 8).part(1, ["int"]).open() as reader:
        assert reader.row_bounds("int", np.empty((0, 2), np.int64)) is None


def chunks_of(path, name):
    (file,) = open_set(path)._files
    return file.columns[name], file.chunks_of(file.columns[name])


def test_bounds_in_another_type_are_those_of_the_numbers(stored):
    column, chunks = chunks_of(stored, "short")
    assert bounds_of(column, FLOAT64, chunks).minima.tolist() == [
        float(min(columns()["short"][row : row + ROWS].to_pylist())) for row in range(0, GROUPS * ROWS, ROWS)
    ]
    assert bounds_of(column, FLOAT64, chunks).nans.tolist() == [False] * GROUPS
    # Integers that int64 does not hold bound nothing: they are an error where they are read.
    column, chunks = chunks_of(stored, "uint")
    found = bounds_of(column, INT64, chunks)
    fits = [max(columns()["uint"][row : row + ROWS].to_pylist()) < 2**63 for row in range(0, GROUPS * ROWS, ROWS)]
    assert ((found.maxima < 2**63 - 1) <= np.array(fits)).all()
    small = chunks.copy()
    small["minimum"], small["maximum"] = 3, 2**63 - 1
    assert bounds_of(column, INT64, small).minima.tolist() == [3] * GROUPS
    small["maximum"] = 2**63
    assert bounds_of(column, INT64, small).minima.tolist() == [NAT] * GROUPS


def test_extremes_that_contradict_each_other_bound_nothing(stored):
    for name in ("int", "float", "text"):
        column, chunks = chunks_of(stored, name)
        changed = chunks.copy()
        for low, high in (("minimum", "maximum"), ("low", "high")):
            changed[low][1], changed[high][1] = chunks[high][1], chunks[low][1]
        found, everything = bounds_of(column, column.dtype, changed), unbounded(column.dtype, 1)
        assert (found.minima[1], found.maxima[1]) == (everything.minima[0], everything.maxima[0])
        kept = bounds_of(column, column.dtype, chunks)
        assert (found.minima[0], found.maxima[2]) == (kept.minima[0], kept.maxima[2])
        changed["bounded"] = changed["spelled"] = False
        assert bounds_of(column, column.dtype, changed) is None


def test_an_extreme_alone_is_both_bounds(stored):
    for name, low, high in (("int", "minimum", "maximum"), ("text", "low", "high")):
        column, chunks = chunks_of(stored, name)
        same = chunks.copy()
        same[high] = same[low]
        found = bounds_of(column, column.dtype, same)
        assert found.minima.tolist() == found.maxima.tolist() == bounds_of(column, column.dtype, chunks).minima.tolist()


def test_days_beyond_64_bits_bound_nothing(stored):
    column, chunks = chunks_of(stored, "date")
    column = replace(column, scale=DAY * 10**9)
    most = (2**63 - 1) // column.scale
    for days, is_known in ((most, True), (most + 1, False)):
        for sign in (1, -1):
            changed = chunks.copy()
            changed["nulls"] = 0
            changed["minimum"] = changed["maximum"] = sign * days % 2**32
            found = bounds_of(column, INT64, changed)
            limits = [sign * days * column.scale] * 2 if is_known else [NAT, 2**63 - 1]
            assert [found.minima[0], found.maxima[0]] == limits


def test_only_chunks_of_nulls_alone_have_no_values(stored):
    check_empty(stored, FLOAT64, np.inf, -np.inf)
    check_empty(stored, NULLABLE_INT64, 2**63 - 1, NAT)
    check_empty(stored, NULLABLE_STR, SENTINEL, TOP)
    check_empty(stored, INT64, NAT, 2**63 - 1)


def check_empty(stored, dtype, low, high):
    _, chunks = chunks_of(stored, "some")
    everything = unbounded(dtype, GROUPS)
    found = without_values(unbounded(dtype, GROUPS), dtype, chunks)
    assert found.minima[:-1].tolist() == everything.minima[:-1].tolist()
    assert (found.minima[-1], found.maxima[-1]) == (low, high)
    empty = chunks[-1:].copy()
    empty["values"] = empty["nulls"] = 0
    assert without_values(unbounded(dtype, 1), dtype, empty).minima.tolist() == everything.minima[:1].tolist()


def test_a_constant_bounds_its_rows():
    found = constant("a text of many letters", STR)
    assert [side.tolist() for side in (found.minima, found.maxima)] == [[b"a text of many l"]] * 2
    assert found.nans.tolist() == [False]
    found = constant(7, UINT8)
    assert (found.minima.tolist(), found.maxima.tolist(), found.nans.tolist()) == ([7], [7], [False])
    for value, dtype in ((np.nan, FLOAT64), (None, NULLABLE_INT64), (None, NULLABLE_STR)):
        for side in ("minima", "maxima", "nans"):
            assert getattr(constant(value, dtype), side) == getattr(unbounded(dtype, 1), side)
    assert constant(7, bigint_of(-1)) is None
    assert unbounded(bigint_of(-1), 2) is None
    assert unbounded(BOOL, 2).maxima.tolist() == [True, True]


# ---------------------------------------------------------------------------------------------------- folders, notes


def test_folders_without_a_name_or_a_value_are_read_as_hive_does(tmp_path):
    for folder in ("k=1/=2/plain/a%20b=x%2Fy", "k=2/=3/plain/a%20b=", "k=__HIVE_DEFAULT_PARTITION__/=3/plain/a%20b=z"):
        (tmp_path / folder).mkdir(parents=True)
        pq.write_table(pa.table({"v": [1]}), tmp_path / folder / "x.parquet")
    found = open_set(tmp_path)
    assert set(found.kinds) == {"v", "k", "a b"}
    source = found.objects(["a b", "k"])["a b"].members[VALUES].source
    assert source.column("k").values == [1, 2, None]
    assert source.column("a b").values == ["x/y", "", "z"]
    assert source.bounds("a b").minima.tolist() == [b"x/y", b"", b"z"]


def test_notes_are_read_as_they_were_written():
    notes = {
        "big": Annotation(ObjType.PDARRAY, is_bigint=True),
        "few": Annotation(ObjType.PDARRAY, 70, is_bigint=True),
        "byte": Annotation(ObjType.PDARRAY, is_uint8=True),
        "kinds": Annotation(ObjType.CATEGORICAL, labels=("x", "y"), na=1, ordered=True),
        "first": Annotation(ObjType.CATEGORICAL, labels=("x", "y"), na=0),
        "time": Annotation(ObjType.DATETIME, unit="ms", zone="Europe/Berlin"),
    }
    assert decode(encode(notes)) == notes
    assert notes["byte"].max_bits == -1


def test_zones_that_are_none_are_not_believed():
    for zone, is_kept in (("Europe/" + "x" * 92, True), ("Europe/" + "x" * 93, False), (7, False), ("\ud800", False)):
        noted = {"version": 1, "columns": {"t": {"kind": "DATETIME", "unit": "s", "zone": zone}}}
        assert decode({KEY: json.dumps(noted).encode()})["t"].zone == (zone if is_kept else None)


def test_labels_that_cannot_be_are_not_believed():
    for change in ({"na": 2}, {"na": -1}, {"labels": ["x", "x"]}, {"labels": ["x", 1]}, {"labels": "xy"}):
        item = {"kind": "CATEGORICAL", "labels": ["x", "y"], "na": 0, "ordered": True} | change
        found = decode({KEY: json.dumps({"version": 1, "columns": {"c": item}}).encode()})
        assert not found or found["c"].labels is None


def test_notes_of_another_version_or_too_large_are_not_read():
    good = encode({"t": Annotation(ObjType.DATETIME)})[KEY]
    assert decode({KEY: good.replace(b'"version":1', b'"version":2')}) == {}
    assert decode({KEY: good + b" " * (2**24 - len(good))}) != {}
    assert decode({KEY: good + b" " * (2**24 - len(good) + 1)}) == {}


# ------------------------------------------------------------------------------------------------ headers and footers


def footer() -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table({"a": [1.5, None] * 9, "s": ["x", "y"] * 9}), file, row_group_size=5)
    data = file.getvalue()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def test_a_structure_that_is_cut_short_needs_more_bytes():
    whole = footer()
    for size in range(len(whole)):
        with pytest.raises(CutShortError):
            read_struct(whole[:size])


def test_structures_have_sixteen_levels_at_most():
    assert read_struct(b"\x1c" * 16 + b"\x00" * 17)[1] == 33
    with pytest.raises(ThriftError, match="nested"):
        read_struct(b"\x1c" * 17 + b"\x00" * 18)


def test_numbers_have_ten_bytes_at_most():
    assert read_struct(b"\x16" + b"\xff" * 9 + b"\x01\x00") == ({1: -(2**63)}, 12)
    with pytest.raises(ThriftError, match="64 bits"):
        read_struct(b"\x16" + b"\xff" * 10 + b"\x01\x00")


def test_integers_are_fields_that_are_whole_numbers():
    assert integers({1: 7, 2: True, 3: 0.5, 4: b"x"}, 1, 2, 3, 4, 5) == (7, -1, -1, -1, -1)
    assert integers([7], 0, 1) == (-1, -1)


@pytest.mark.parametrize("is_local", [True, False])
def test_headers_of_any_size_are_read(tmp_path, monkeypatch, is_local):
    for size in (10, 60, 100, 1500, 2000, 4000):
        check_headers(tmp_path, monkeypatch, size, is_local)


def check_headers(tmp_path, monkeypatch, size, is_local):
    path = str(tmp_path / "x.parquet")
    values = pa.table({"s": [f"{number:05d}" + "x" * size for number in range(40)]})
    pq.write_table(values, path, use_dictionary=False, data_page_size=1, write_batch_size=10, compression="none")
    (file,) = open_set(path)._files
    column = file.columns["s"]
    with range_reader(identify(path)) as ranges:
        if not is_local:
            monkeypatch.setattr(type(ranges), "dense_file", None)
        (place,) = ChunkPlace.all_of(file.chunks_of(column)[:1], [40])
        found = PageList(ranges, place, column, 0, lambda: None).up_to(40)
    assert found[:, 1].tolist() == [10] * 4
    assert found[:, 3].tolist() == [10 * (size + 9) + 6] * 4


def test_row_groups_have_fewer_rows_than_64_bits_count():
    for rows, is_refused in ((2**62, True), (2**62 - 1, False)):
        claimed = {3: 2**62 + rows, 4: [{1: [], 3: 2**62}, {1: [], 3: rows}]}
        if is_refused:
            with pytest.raises(ThriftError, match="rows"):
                row_groups_of(claimed, [], 100)
        else:
            assert row_groups_of(claimed, [], 100)[0].tolist() == [2**62, rows]
    with pytest.raises(ThriftError, match="rows"):
        row_groups_of({3: 0, 4: [{1: [], 3: -1}, {1: [], 3: 1}]}, [], 100)


def test_a_manifest_with_numbers_that_cannot_be_is_refused(stored):
    (file,) = open_set(stored)._files
    size = file.chunks["size"][0, 0]
    limits = {
        "offset": (0, -1, file.file.size - size, file.file.size - size + 1),
        "nulls": (-1, -2, ROWS, ROWS + 1),
        "codec": (-1, None, len(CODECS) - 1, len(CODECS)),
        "problem": (0, -1, len(PROBLEMS) - 1, len(PROBLEMS)),
        "size": (0, -1, None, file.file.size),
    }
    for field, (least, below, most, above) in limits.items():
        for value in (least, below, most, above):
            changed = replace(file, chunks=file.chunks.copy())
            if value is not None:
                changed.chunks[field][0, 0] = value
            batch = ParquetManifest.to_batch([changed])
            if value in (below, above) and value is not None:
                with pytest.raises(ValueError, match="no manifest"):
                    ParquetManifest(batch)
            else:
                found = ParquetManifest(batch).describe(file.file, 0)
                assert found.chunks.tolist() == changed.chunks.tolist()
    with pytest.raises(ValueError, match="no manifest"):
        ParquetManifest(ParquetManifest.to_batch([replace(file, rows=np.array([ROWS] * 3 + [-1]))]))
    with pytest.raises(ValueError, match="no manifest"):
        ParquetManifest(ParquetManifest.to_batch([replace(file, rows=file.rows[1:])]))


def number(value: int) -> bytes:
    return value.to_bytes(8, "little", signed=True)


def chunk_of(leaf: Leaf, *, has_orders: bool = True, end: int = 1000, **changes: Any) -> Any:
    """Return what a footer tells of a chunk of 10 rows with some of its fields changed."""
    about = {1: PHYSICAL.index(leaf.physical), 4: 0, 5: 10, 7: 100, 9: 50}
    about |= {int(key[1:]): value for key, value in changes.items() if key[0] == "a"}
    column = {3: about} | {int(key[1:]): value for key, value in changes.items() if key[0] == "c"}
    footer = {3: 10, 4: [{1: [column], 3: 10}]} | ({7: [{}]} if has_orders else {})
    return row_groups_of(footer, [leaf], end)[1][0, 0]


SIGNED, UNSIGNED, TEXT = Leaf("INT64", True, False), Leaf("INT64", True, True), Leaf("BYTE_ARRAY", True, False)


def test_extremes_are_believed_where_their_order_is_known():
    new = {5: number(9), 6: number(-3)}
    old = {1: number(8), 2: number(-2)}
    cases = (
        (SIGNED, True, new | old, (-3, 9)),
        (SIGNED, True, old, (-2, 8)),
        (SIGNED, True, old | {5: number(9)}, (-2, 8)),
        (SIGNED, True, old | {6: number(-3)}, (-2, 8)),
        (SIGNED, False, new | old, (-2, 8)),
        (SIGNED, False, new, None),
        (SIGNED, True, {5: number(9), 6: b"short"}, None),
        (SIGNED, True, {1: number(8)}, None),
        (UNSIGNED, True, new, (2**64 - 3, 9)),
        (UNSIGNED, True, old, None),
        (UNSIGNED, False, new, None),
        (TEXT, True, {5: b"z" * 20, 6: b"a"}, (b"a", b"z" * 16)),
        (TEXT, True, {1: b"z", 2: b"a"}, None),
        (TEXT, False, {5: b"z", 6: b"a"}, None),
    )
    for leaf, has_orders, statistics_, expected_ in cases:
        found = chunk_of(leaf, has_orders=has_orders, a12=statistics_)
        assert found["bounded"] == (expected_ is not None and leaf is not TEXT)
        assert found["spelled"] == (expected_ is not None and leaf is TEXT)
        low, high = (found["low"], found["high"]) if leaf is TEXT else (found["minimum"], found["maximum"])
        if expected_ is not None:
            assert (low, high) == tuple(side if leaf is TEXT else side % 2**64 for side in expected_)


def test_chunks_that_cannot_be_read_have_the_reason():
    assert PROBLEMS[chunk_of(SIGNED)["problem"]] == ""
    assert (chunk_of(SIGNED)["offset"], chunk_of(SIGNED, a11=20)["offset"], chunk_of(SIGNED, a11=0)["offset"]) == (
        50,
        20,
        50,
    )
    assert chunk_of(SIGNED, a11=60)["offset"] == 50
    reasons = {
        "does not tell": ({"c3": 7},),
        "another file": ({"c1": b"x"},),
        "type": ({"a1": PHYSICAL.index("INT32")}, {"a1": len(PHYSICAL)}, {"a1": -1}),
        "codec": ({"a4": -1}, {"a4": len(CODECS)}),
        "as many values": ({"a5": 9}, {"a5": -1}),
        "outside": ({"a9": 3}, {"a7": 0}, {"a7": 951}),
    }
    for reason, changes in reasons.items():
        for change in changes:
            assert reason in PROBLEMS[chunk_of(SIGNED, **change)["problem"]]
    for change in ({"a9": 4}, {"a7": 1}, {"a7": 950}, {"a4": len(CODECS) - 1}):
        assert chunk_of(SIGNED, **change)["problem"] == 0
    # Lists have another number of values than rows.
    assert chunk_of(Leaf("INT64", False, False), a5=9)["problem"] == 0
    assert [chunk_of(SIGNED, a12={3: nulls})["nulls"] for nulls in (-1, 0, 10, 11)] == [-1, 0, 10, -1]


def test_indexes_of_pages_are_used_where_they_can_be():
    places = {"c4": 10, "c5": 20, "c6": 30, "c7": 40}
    fields = ["pages", "pages_size", "bounds", "bounds_size"]
    for leaf, has_orders, change, expected_ in (
        (SIGNED, True, {}, [10, 20, 30, 40]),
        (SIGNED, False, {}, [10, 20, 30, 40]),
        (UNSIGNED, False, {}, [10, 20, 0, 0]),
        (TEXT, False, {}, [10, 20, 0, 0]),
        (TEXT, True, {}, [10, 20, 30, 40]),
        (SIGNED, True, {"c4": 3}, [0, 0, 30, 40]),
        (SIGNED, True, {"c4": 4, "c5": 996}, [4, 996, 30, 40]),
        (SIGNED, True, {"c4": 4, "c5": 997}, [0, 0, 30, 40]),
        (SIGNED, True, {"c7": 0}, [10, 20, 0, 0]),
    ):
        assert chunk_of(leaf, has_orders=has_orders, **places | change)[fields].tolist() == tuple(expected_)


def test_metadata_of_chunks_is_put_together_as_numpy_does():
    rng = np.random.default_rng(1)
    parts = [rng.integers(0, 256, (count, CHUNK.itemsize)).astype(np.uint8).view(CHUNK)[:, 0] for count in (1, 0, 7)]
    assert concat_chunks(parts).tobytes() == np.concatenate(parts).tobytes()
    assert len(concat_chunks(parts[:1])) == 1


@pytest.mark.parametrize(
    ("name", "dtype", "is_flat", "wanted"),
    [
        ("i", INT64, True, [(1, 3)]), ("s", STR, True, [(b"a", b"c")]),
        ("i", BIGINT, True, None), ("i", list_of(INT64), True, None), ("i", INT64, False, None),
        ("s", STR, False, None),
        ("i", list_of(INT64), False, None),
    ],
)  # fmt: skip
def test_bounds_are_those_of_flat_columns_of_types_that_have_any(tmp_path, name, dtype, is_flat, wanted):
    pq.write_table(pa.table({"i": [2, 1, 3], "s": ["b", "a", "c"]}), tmp_path / "x.parquet")
    file = inspect_file(identify(str(tmp_path / "x.parquet")))
    column = file.columns[name]
    given = column if is_flat else SimpleNamespace(is_flat=False, is_optional=True, name=name)
    found = bounds_of(given, dtype, file.chunks_of(column))
    assert (found and [*zip(found.minima.tolist(), found.maxima.tolist(), strict=True)]) == wanted


def test_columns_that_can_be_read_are_named_where_others_cannot(tmp_path, monkeypatch):
    def meaning(stored):
        if stored == pa.int32():
            raise parquet_columns._RefusedError("int32 is not read")
        return ObjType.PDARRAY, INT64, 1

    # All types that Parquet has today are read.
    monkeypatch.setattr(parquet_columns, "_meaning", meaning)
    wrong = pa.array([1], pa.int32())
    pq.write_table(pa.table({"a": [1], "wrong": wrong, "b": [2], "worse": wrong}), tmp_path / "x.parquet")
    agreed = ColumnAgreement([inspect_file(identify(str(tmp_path / "x.parquet")))])
    agreed.check_readable(["a", "b"])
    for names, told in ((["a", "wrong"], "1 column cannot"), (["worse", "b", "wrong"], "2 columns cannot")):
        with pytest.raises(UnsupportedError, match=told) as caught:
            agreed.check_readable(names)
        assert "datasets=['a', 'b']" in caught.value.hint
        assert [detail.partition(":")[0] for detail in caught.value.details] == [
            repr(name) for name in names if name.startswith("w")
        ]
