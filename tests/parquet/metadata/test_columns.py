"""What each stored type becomes, with the values that pyarrow, pandas, polars and duckdb wrote."""

from __future__ import annotations

import datetime as dt
import decimal
import json
import math
from pathlib import Path
from uuid import UUID

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import AkdaskError, TimeOverflowError, UnsupportedError
from akdask.formats.parquet.file_set import open_set
from tests.parquet.conftest import many_kinds, read_set


@pytest.fixture
def stored(tmp_path):
    """Return what writes one column and reads it back as the object that akdask makes of it."""

    def roundtrip(values, **options):
        path = tmp_path / "x.parquet"
        pq.write_table(pa.table({"x": values}), path, **options)
        return ak.read_parquet(path)["x"]

    return roundtrip


@pytest.mark.parametrize("name", ["int8", "int16", "int32", "int64"])
def test_signed_integers_widen(stored, name):
    bounds = np.iinfo(name)
    found = stored(np.array([bounds.min, -1, 0, bounds.max], name))
    assert found.dtype == np.int64
    assert found.tolist() == [bounds.min, -1, 0, bounds.max]


@pytest.mark.parametrize("name", ["uint8", "uint16", "uint32", "uint64"])
def test_unsigned_integers_widen(stored, name):
    found = stored(np.array([0, 1, np.iinfo(name).max], name))
    assert found.dtype == "uint64"
    assert found.tolist() == [0, 1, np.iinfo(name).max]


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
def test_floats_widen_and_null_is_nan(stored, name):
    found = stored(pa.array([0.5, None, float("nan"), -2.0], pa.from_numpy_dtype(name)))
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found.to_ndarray(), [0.5, math.nan, math.nan, -2.0])


@pytest.mark.parametrize("dtype", [pa.int64(), pa.int32(), pa.uint8(), pa.bool_()])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_whole_numbers_with_nulls_keep_their_type(stored, dtype, place):
    values = [1, 0, 1]
    values[place] = None
    found = stored(pa.array([None if value is None else bool(value) for value in values]).cast(dtype))
    assert found.dtype == (np.bool_ if dtype == pa.bool_() else np.uint64 if dtype == pa.uint8() else np.int64)
    np.testing.assert_array_equal(found.to_ndarray(), [math.nan if v is None else v for v in values])
    assert ak.isnan(found).tolist() == [v is None for v in values]


def test_nulls_are_found_where_statistics_do_not_tell(stored):
    found = stored(pa.array([1, None, 3]), write_statistics=False)
    np.testing.assert_array_equal(found.to_ndarray(), [1, math.nan, 3])
    assert stored(pa.array([1, 2, 3]), write_statistics=False).dtype == np.int64


@pytest.mark.parametrize("dtype", [pa.decimal128(10, 2), pa.decimal128(38, 4), pa.decimal256(60, 3)])
@pytest.mark.parametrize("as_integer", [False, True])
def test_decimals_have_their_scale(stored, dtype, as_integer):
    values = [decimal.Decimal("1.25"), None, decimal.Decimal("-33.50")]
    found = stored(pa.array(values, dtype), store_decimal_as_integer=as_integer)
    np.testing.assert_array_equal(found.to_ndarray(), [1.25, math.nan, -33.5])


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC", "Europe/Berlin"])
def test_timestamps_are_datetimes_in_utc(stored, unit, zone):
    times = pd.to_datetime(["2024-02-29 12:30:05", None, "1969-12-31 23:59:59"])
    expected = times.to_numpy("datetime64[ns]")
    found = stored(pa.array(times).cast(pa.timestamp(unit)).cast(pa.timestamp(unit, zone)))
    assert isinstance(found, ak.Datetime)
    np.testing.assert_array_equal(found.to_ndarray(), expected)


def test_int96_is_a_datetime(stored):
    times = np.array(["2024-02-29T12:30:05.123456", "1960-01-01"], "datetime64[ns]")
    found = stored(times, use_deprecated_int96_timestamps=True)
    np.testing.assert_array_equal(found.to_ndarray(), times)


def test_times_beyond_nanoseconds_are_times(stored):
    times = np.array(["9999-12-31", "0001-01-01", "NaT"], "datetime64[us]")
    found = stored(pa.array(times))
    np.testing.assert_array_equal(found.to_ndarray(), times)
    assert (found.unit, found.to_ndarray().dtype) == ("us", times.dtype)
    with pytest.raises(TimeOverflowError, match="in ns"):
        found.as_unit("ns").to_ndarray()


def test_dates_are_midnight_and_times_of_day_durations(stored):
    assert stored(pa.array([19782, None], pa.date32())).to_ndarray().astype("int64").tolist() == [
        19782 * 86_400,
        -(2**63),
    ]
    assert isinstance(stored(pa.array([1, 2], pa.time64("us"))), ak.Timedelta)
    assert stored(pa.array([5], pa.time32("ms"))).to_ndarray().astype("int64").tolist() == [5]
    assert stored(pa.array([7], pa.duration("us"))).to_ndarray().astype("int64").tolist() == [7]


@pytest.mark.parametrize("dtype", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.string_view()])
def test_text_is_strings_and_null_is_missing(stored, dtype):
    found = stored(pa.array(["añb", None, "", "c"]).cast(dtype))
    assert isinstance(found, ak.Strings)
    assert found.tolist() == ["añb", None, "", "c"]


@pytest.mark.lazy_only
@pytest.mark.parametrize("kind", [pa.list_, pa.large_list])
def test_lists_are_segarrays(stored, kind):
    found = stored(pa.array([[], [1, 2], None, [], [3]], kind(pa.int32())))
    assert isinstance(found, ak.SegArray)
    assert [part.tolist() for part in found.to_ndarray()] == [[], [1, 2], [], [], [3]]


def test_lists_of_other_items(stored):
    found = stored(pa.array([["a", None], [], None, ["b"]], pa.list_(pa.string())))
    assert found.tolist() == [["a", None], [], [], ["b"]]
    assert found.values.isna().tolist() == [False, True, False]
    found = stored(pa.array([[0.5, None], []], pa.list_(pa.float32())))
    np.testing.assert_array_equal(found.to_ndarray()[0], [0.5, math.nan])
    found = stored(pa.array([[1, 2], [3, 4]], pa.list_(pa.int64(), 2)))
    assert [part.tolist() for part in found.to_ndarray()] == [[1, 2], [3, 4]]


NOON = dt.datetime(2024, 5, 17, 12, 30, 0, 5)
TIMES = {
    "times": (pa.timestamp("us"), NOON, "2024-05-17 12:30:00.000005"),
    "times in a zone": (
        pa.timestamp("ms", "Europe/Paris"),
        NOON.replace(microsecond=0),
        "2024-05-17 14:30:00.000+0200",
    ),
    "days": (pa.date32(), NOON.date(), "2024-05-17"),
    "times of day": (pa.time32("ms"), dt.time(12, 30), "12:30:00.000"),
    "durations": (pa.duration("ms"), dt.timedelta(seconds=2), "2000ms"),
}


@pytest.mark.parametrize("name", TIMES)
def test_times_in_lists_are_text(stored, name):
    kind, value, text = TIMES[name]
    rows = [[value, None], [], None, [value]]
    assert stored(pa.array(rows, pa.list_(kind))).tolist() == [[text, None], [], [], [text]]
    found = stored(pa.array([rows, None], pa.list_(pa.list_(kind))))
    assert [json.loads(one) for one in found.tolist()[0][:2]] == [[text, None], []]


def test_times_of_96_bits_in_lists_keep_their_nanoseconds(tmp_path):
    times = np.array(["2024-05-17T12:30:00.000000005"], "M8[ns]")
    for kind, file in ((times, "near"), (np.array(["2500-01-01"], "M8[us]"), "far")):
        lists = pa.ListArray.from_arrays([0, 1, 1], pa.array(kind))
        pq.write_table(pa.table({"t": lists}), tmp_path / file, use_deprecated_int96_timestamps=True)
    assert ak.read_parquet(tmp_path / "near")["t"].tolist() == [["2024-05-17 12:30:00.000000005"], []]
    with pytest.raises(UnsupportedError, match="1677"):
        ak.read_parquet(tmp_path / "far")["t"].tolist()


LEAVES = {
    "integers": (pa.int32(), [1, None, -3]),
    "floats": (pa.float32(), [0.5, None, 2.0]),
    "bools": (pa.bool_(), [True, None]),
    "text": (pa.string(), ["a", None, 'é"']),
    "bytes that are text": (pa.binary(), [b"a", None]),
    "bytes that are none": (pa.binary(), [b"\xff", None, b"a"]),
    "bytes of a fixed length": (pa.binary(1), [b"a", None]),
    "decimals": (pa.decimal128(30, 2), [decimal.Decimal("1.10"), None]),
    "nulls": (pa.null(), [None, None]),
}


@pytest.mark.parametrize("around", ["list", "large_list", "fixed", "three", "map", "struct"])
@pytest.mark.parametrize("name", LEAVES)
def test_lists_in_lists_are_json(tmp_path, name, around):
    kind, values = LEAVES[name]
    inner, rows = {
        "list": (pa.list_(kind), [values, [], None, values[:1]]),
        "large_list": (pa.large_list(kind), [values, [], None, values[:1]]),
        "fixed": (pa.list_(kind, len(values)), [values, values[::-1]]),
        "three": (pa.list_(pa.list_(kind)), [[values, None], [], None, [[], values]]),
        "map": (pa.map_(pa.string(), kind), [[("k", value) for value in values], [], None]),
        "struct": (pa.list_(pa.struct([("value", kind)])), [[{"value": value} for value in values], [], None]),
    }[around]
    array = pa.array([rows, None, [], rows[:1]], pa.list_(inner))
    pq.write_table(pa.table({"x": array}), tmp_path / "x", row_group_size=3)

    def shown(value):
        if isinstance(value, bytes):
            return value.decode() if "are text" in name else value.hex()
        return str(value) if isinstance(value, decimal.Decimal) else value

    def plain(item):
        if isinstance(item, tuple):
            return shown(item[1])
        if isinstance(item, dict):
            return shown(item["value"])
        return [plain(one) for one in item] if isinstance(item, list) else shown(item)

    found = ak.read_parquet(tmp_path / "x")
    column = found[{"map": "x.value", "struct": "x.value"}.get(around, "x")]
    told = [[None if one is None else json.loads(one) for one in row] for row in column.tolist()]
    assert told == [plain(row) if row else [] for row in pq.read_table(tmp_path / "x")["x"].to_pylist()]
    assert column[1:].tolist() == column.tolist()[1:]


def test_integers_in_lists_with_nulls_are_floats_without_their_values_changed(stored):
    found = stored(pa.array([[1, None], None, []], pa.list_(pa.int64())))
    np.testing.assert_array_equal(found.to_ndarray()[0], [1.0, math.nan])
    assert stored(pa.array([[1, 2], None, []], pa.list_(pa.int64()))).values.dtype == np.int64
    with pytest.raises(AkdaskError, match="9007199254740993"):
        stored(pa.array([[2**53 + 1, None]], pa.list_(pa.int64()))).to_ndarray()


def test_bytes_are_text_where_they_are_utf_8_else_digits(stored):
    assert stored(pa.array([b"abc", None, b"def"], pa.binary(3))).tolist() == ["616263", None, "646566"]
    assert stored(pa.array([b"abc", None, "é".encode()], pa.binary())).tolist() == ["abc", None, "é"]
    assert stored(pa.array([b"a", None, b"\xff\x00"], pa.binary())).tolist() == ["61", None, "ff00"]
    assert stored(pa.array([[b"a"], [b"\xff", None]], pa.list_(pa.binary()))).tolist() == [["61"], ["ff", None]]
    assert stored(pa.array([[b"a"], None], pa.list_(pa.binary(1)))).tolist() == [["61"], []]


def test_uuids_are_text_in_the_usual_groups(stored):
    values = [UUID(int=5), UUID(int=2**127)]
    array = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([value.bytes for value in values], pa.binary(16)))
    assert stored(array).tolist() == [str(value) for value in values]


def test_a_dictionary_of_text_is_a_categorical(stored):
    found = stored(pa.array(["b", "a", None, "b"]).dictionary_encode())
    assert isinstance(found, ak.Categorical)
    assert found.to_strings().tolist() == ["b", "a", "N/A", "b"]
    assert found.isna().tolist() == [False, False, True, False]
    assert stored(pa.array([3, 4, 3]).dictionary_encode()).tolist() == [3, 4, 3]


def test_a_column_of_nulls_alone(stored):
    np.testing.assert_array_equal(stored(pa.nulls(3)).to_ndarray(), [math.nan] * 3)
    assert stored(pa.nulls(2, pa.string())).tolist() == [None, None]


# ---------------------------------------------------------------------------------------------------- nested columns


@pytest.fixture
def odd(tmp_path):
    path = tmp_path / "x.parquet"
    table = pa.table(
        {
            "before": [1, 2],
            "struct": [{"a": 1, "b": {"c": "x"}}, None],
            "map": pa.array([[("k", 1)], []], pa.map_(pa.string(), pa.int64())),
            "after": ["x", "y"],
            "lists": [[[1], []], [[2]]],
            "fixed": pa.array([b"abc", b"def"], pa.binary(3)),
            "last": [0.5, 1.5],
        }
    )
    pq.write_table(table, path)
    return path


def test_each_leaf_of_a_nested_column_is_a_column(odd):
    names = ["before", "struct.a", "struct.b.c", "map.key", "map.value", "after", "lists", "fixed", "last"]
    assert ak.ls(odd) == names
    found = ak.read_parquet(odd, ["last", "after", "before"])
    assert {name: array.tolist() for name, array in found.items()} == {
        "last": [0.5, 1.5],
        "after": ["x", "y"],
        "before": [1, 2],
    }
    assert set(ak.read_parquet(odd)) == set(names)


def test_fields_of_structs_and_maps_are_columns(odd):
    names = ["struct.a", "struct.b.c", "map.key", "map.value"]
    assert {name: array.tolist() for name, array in ak.read_parquet(odd, names).items()} == {
        "struct.a": pytest.approx([1, math.nan], nan_ok=True),
        "struct.b.c": ["x", None],
        "map.key": [["k"], []],
        "map.value": [[1], []],
    }


def test_structs_within_lists_and_lists_within_structs_are_columns(tmp_path):
    point = pa.struct([("x", pa.int64()), ("y", pa.struct([("z", pa.string())]))])
    table = pa.table(
        {
            "points": pa.array([[{"x": 1, "y": {"z": "a"}}, {"x": 2, "y": {"z": "b"}}], None, []] * 3, pa.list_(point)),
            "pair": pa.array([[{"x": 1}, {"x": 2}], None, [{"x": 5}, {"x": 6}]] * 3, pa.list_(point, 2)),
            "s": pa.array([{"l": [1, 2]}, None, {"l": []}] * 3, pa.struct([("l", pa.large_list(pa.int64()))])),
            "m": pa.array([[("k", {"x": 1})], None, []] * 3, pa.map_(pa.string(), pa.struct([("x", pa.float64())]))),
        }
    )
    pq.write_table(table, tmp_path / "x", row_group_size=4)
    found = ak.read_parquet(tmp_path / "x", ["points.x", "points.y.z", "pair.x", "s.l", "m.key", "m.value.x"])
    assert {name: array.tolist() for name, array in found.items()} == {
        "points.x": [[1, 2], [], []] * 3,
        "points.y.z": [["a", "b"], [], []] * 3,
        "pair.x": [[1, 2], [], [5, 6]] * 3,
        "s.l": [[1, 2], [], []] * 3,
        "m.key": [["k"], [], []] * 3,
        "m.value.x": [[1.0], [], []] * 3,
    }


def test_columns_of_structs_are_filtered_by_their_own_statistics(tmp_path):
    x = [None if number % 7 == 0 else number for number in range(100)]
    table = pa.table({"s": pa.array([None if one is None else {"x": one, "y": -one} for one in x])})
    pq.write_table(table, tmp_path / "x", row_group_size=10)
    found = ak.DataFrame(ak.read_parquet(tmp_path / "x"))
    assert found[found["s.x"] > 84]["s.y"].tolist() == [-one for one in x if one is not None and one > 84]
    assert ak.get_null_indices(tmp_path / "x", "s.x")["s.x"].tolist() == [int(one is None) for one in x]


def test_columns_of_one_name_get_numbers(tmp_path):
    names = ["x", "x", "y", "x.1", "x"]
    pq.write_table(pa.Table.from_arrays([pa.array([number]) for number in range(5)], names), tmp_path / "x")
    found = {name: array.tolist() for name, array in ak.read_parquet(tmp_path / "x").items()}
    assert found == {"x": [0], "x.2": [1], "y": [2], "x.1": [3], "x.3": [4]}


def test_pages_that_old_writers_say_are_not_packed_are_unpacked(tmp_path):
    table = pa.table({"x": pa.array([1, 2, 3, 4] * 100)}, pa.schema([pa.field("x", pa.int64(), nullable=False)]))
    options = {"data_page_version": "2.0", "compression": "snappy", "use_dictionary": False}
    pq.write_table(table, tmp_path / "x", **options)
    data = (tmp_path / "x").read_bytes()
    own, flag = f"parquet-cpp-arrow version {pa.__version__}".encode(), b"\x15\x00\x15\x00\x11"
    assert (data.count(flag), data.count(own)) == (1, 1)
    old = b"parquet-cpp version 1.5.0".ljust(len(own))
    (tmp_path / "x").write_bytes(data.replace(flag, flag[:-1] + b"\x12").replace(own, old))
    assert ak.read_parquet(tmp_path / "x", "x")["x"].tolist() == pq.read_table(tmp_path / "x")["x"].to_pylist()


def test_columns_are_added_to_files_with_structs(odd):
    ak.update_parquet({"before": ak.array([7, 8]), "new": ak.array([0, 1])}, odd)
    assert pq.read_table(odd).column("struct").to_pylist() == [{"a": 1, "b": {"c": "x"}}, None]
    assert ak.read_parquet(odd, ["before", "struct.a", "new"])["before"].tolist() == [7, 8]


def test_lists_are_left_out_if_they_are_not_wanted(tmp_path):
    pq.write_table(pa.table({"l": [[1], [2]], "x": [1, 2]}), tmp_path / "x")
    assert list(ak.read_parquet(tmp_path / "x", read_nested=False)) == ["x"]
    assert ak.ls(tmp_path / "x", read_nested=False) == ["x"]
    assert list(ak.read_parquet(tmp_path / "x", "l", read_nested=False)) == ["l"]


# ------------------------------------------------------------------------------------------------------- other writers

FRAME = pd.DataFrame(
    {
        "i": [3, 1, 2] * 100,
        "n": pd.array([1, None, 3] * 100, "Int64"),
        "f": [0.5, math.nan, 2.5] * 100,
        "s": ["x", None, "zz"] * 100,
        "t": pd.date_range("2024-01-01", periods=300, freq="min"),
        "b": [True, False, True] * 100,
        "l": [[1, 2], [], [3]] * 100,
    }
)


def _pandas(path):
    FRAME.to_parquet(path)


def _polars(path):
    pl.from_pandas(FRAME).write_parquet(path, row_group_size=70)


def _duckdb(path):
    frame = FRAME  # noqa: F841 - duckdb finds it by name
    duckdb.sql(f"copy (select * from frame) to '{path}' (format parquet)")


@pytest.mark.parametrize("write", [_pandas, _polars, _duckdb])
@pytest.mark.parametrize("step", [None, 7])
def test_files_of_other_writers(tmp_path, write, step):
    path = tmp_path / "x.parquet"
    write(path)
    found = read_set(path, step=step)
    assert found["i"] == FRAME["i"].tolist()
    assert found["n"] == [1, None, 3] * 100
    np.testing.assert_array_equal(found["f"], FRAME["f"])
    assert found["s"] == ["x", None, "zz"] * 100
    unit = pq.read_schema(path).field("t").type.unit
    assert found["t"] == FRAME["t"].astype(f"datetime64[{unit}]").astype("int64").tolist()
    assert found["b"] == FRAME["b"].tolist()
    assert found["l"] == [[1, 2], [], [3]] * 100


def test_labels_of_pandas_are_a_column(tmp_path):
    FRAME[["i"]].set_index(np.arange(300) ** 2).to_parquet(tmp_path / "x")
    found = ak.read_parquet(tmp_path / "x")
    assert list(found) == ["i", "__index_level_0__"]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("codec", ["none", "snappy", "gzip", "brotli", "zstd", "lz4"])
@pytest.mark.parametrize("step", [None, 150])
def test_all_kinds_by_every_codec(tmp_path, version, codec, step):
    table = many_kinds(400)
    pq.write_table(
        table, tmp_path / "x", compression=codec, data_page_version=version, row_group_size=170, data_page_size=500
    )
    found = read_set(tmp_path / "x", step=step)
    expected = table.to_pandas()
    for name in ("i", "u", "b"):
        assert found[name] == expected[name].tolist()
    assert found["o"] == table["o"].to_pylist()
    for name in ("f", "d"):
        np.testing.assert_array_equal(found[name], expected[name].astype(float))
    assert found["s"] == table["s"].to_pylist()
    assert found["c"] == expected["c"].astype(str).tolist()
    assert found["t"] == np.arange(400).tolist()
    assert found["l"] == [[] if row is None else list(row) for row in expected["l"]]


def test_real_files(shared_fixtures):
    folder = shared_fixtures / "arkouda"
    expected = json.loads((folder / "expected.json").read_text())
    files = {name: about for name, about in expected.items() if name.startswith("parquet/")}
    assert len(files) == 16
    for name, about in files.items():
        found = read_set(folder / name)
        assert len(found) == len(about["columns"])
        for column in about["columns"]:
            rows = found[column["name"]]
            assert len(rows) == about["rows"]
            if "values" in column and column["physical"] not in {"INT96", "FLOAT"}:
                stored = column["values"]
                whole = stored if isinstance(stored, list) else stored["first"]
                assert rows[: len(whole)] == [_text(value) for value in whole]


def _text(value):
    """Return a value as it is read: bytes that no annotation tells to be text are noted as such."""
    return value["bytes"] if isinstance(value, dict) else value


def test_a_set_of_a_server_is_one(shared_fixtures):
    folder = shared_fixtures / "arkouda" / "parquet" / "arkouda_2loc"
    found = ak.load(folder / "fifth_order.pq")["array"]
    assert (found.size, found.sum()) == (100_000, 100_481)


def test_sets_are_kept_open_while_they_do_not_change(tmp_path):
    pq.write_table(pa.table({"x": [1, 2]}), tmp_path / "x")
    assert open_set(tmp_path / "x") is open_set(tmp_path / "x")
    pq.write_table(pa.table({"x": [1, 2, 3]}), tmp_path / "x")
    assert ak.read_parquet(tmp_path / "x")["x"].size == 3
    assert Path(tmp_path / "x").stat().st_size > 0


@pytest.mark.parametrize(
    ("stored_type", "plain"),
    [
        (pa.int8(), "<i4"), (pa.uint16(), "<u4"), (pa.int64(), "<i8"), (pa.uint64(), "<u8"), (pa.float32(), "<f4"),
        (pa.float16(), None), (pa.bool_(), None), (pa.null(), None), (pa.string(), None),
        (pa.decimal128(10, 2), "V5"), (pa.decimal128(38, 23), None), (pa.list_(pa.int64()), None),
    ],
)  # fmt: skip
def test_plain_pages_are_of_numbers_that_memory_holds(tmp_path, stored_type, plain):
    pq.write_table(pa.table({"x": pa.array([None], stored_type)}), tmp_path / "x.parquet")
    (file,) = open_set(str(tmp_path / "x.parquet"))._files
    (column,) = file.columns.values()
    assert column.plain == plain
