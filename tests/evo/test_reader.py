import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask import evo
from akdask.errors import AkdaskError, ArgumentError, MissingColumnError, MissingFileError
from akdask.evo.errors import BlobFormatError, ContentError, EvoError, KindError, ShapeError

UTC = pa.timestamp("us", "UTC")


def written(path, columns, **options):
    """Write columns as others do, and return the path."""
    options = {"compression": "gzip", "version": "2.4", **options}
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path, **options)
    return path


@pytest.fixture
def vertices(tmp_path):
    table = {"a": np.arange(10.0), "b": np.arange(10.0) + 100, "c": np.arange(10.0) + 200}
    return written(tmp_path / "vertices", table, row_group_size=4)


def test_section_11_columns_are_found_by_position_whatever_their_names(tmp_path):
    table = pa.Table.from_arrays([pa.array([1.0]), pa.array([2.0]), pa.array([3.0])], names=["z", "", "z"])
    frame = evo.read_blob(written(tmp_path / "blob", table))
    assert isinstance(frame, ak.DataFrame)
    assert frame.to_pandas().to_dict("list") == {"x": [1.0], "y": [2.0], "z": [3.0]}


def test_a_blob_is_read_lazily_one_partition_for_each_run_of_row_groups(tmp_path):
    path = written(tmp_path / "blob", {"a": np.arange(1000)}, row_group_size=100)
    with ak.config.set(partition_size=8 * 250):
        frame = evo.read_blob(path)
        assert frame["data"]._frame.rows.lengths == (200,) * 5
        part = evo.read_blob(path, rows=slice(150, 430))
    assert part["data"]._frame.rows.lengths == (50, 200, 30)
    assert int(frame["data"].sum()) == 999 * 500
    assert part["data"].tolist() == list(range(150, 430))


@pytest.mark.parametrize(
    ("columns", "names"),
    [(["z", "x"], ["z", "x"]), ("y", ["y"]), (1, ["y"]), ([-1, 0], ["z", "x"]), (["c", "y"], ["z", "y"])],
)
def test_columns_are_named_or_numbered(vertices, columns, names):
    expected = pd.read_parquet(vertices).set_axis(["x", "y", "z"], axis=1)[names]
    assert evo.read_blob(vertices, columns=columns).to_pandas().equals(expected)
    assert evo.read_arrow(vertices, columns=columns).to_pandas().equals(expected)


@pytest.mark.parametrize("columns", [["q"], [3], [-4], [None]])
def test_columns_that_are_not_there_are_told(vertices, columns):
    with pytest.raises(MissingColumnError, match="x, y, z"):
        evo.read_blob(vertices, columns=columns)


@pytest.mark.parametrize("columns", [[], ["x", "x"], ["x", 0]])
def test_columns_are_one_or_more_each_once(vertices, columns):
    with pytest.raises(ArgumentError):
        evo.read_blob(vertices, columns=columns)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=30)
@given(
    st.slices(12).filter(lambda rows: rows.step is None or rows.step > 0),
)
def test_rows_are_those_of_the_slice(vertices, rows):
    expected = pd.read_parquet(vertices, columns=["b"])["b"].to_numpy()[rows].tolist()
    assert evo.read_blob(vertices, columns="y", rows=rows)["y"].tolist() == expected
    assert evo.read_arrow(vertices, columns="y", rows=rows)["y"].to_pylist() == expected


@pytest.mark.parametrize("rows", [slice(None, None, -1), 3, slice("a", None), [1, 2]])
def test_rows_are_an_ascending_slice(vertices, rows):
    with pytest.raises(ArgumentError):
        evo.read_blob(vertices, rows=rows)


def test_other_row_groups_are_not_touched(tmp_path, vertices):
    data = bytearray(vertices.read_bytes())
    chunk = pq.ParquetFile(vertices).metadata.row_group(1).column(0)
    start = chunk.data_page_offset if chunk.dictionary_page_offset is None else chunk.dictionary_page_offset
    data[start : start + chunk.total_compressed_size] = bytes(chunk.total_compressed_size)
    vertices.write_bytes(data)
    assert evo.read_blob(vertices, rows=slice(0, 4))["x"].tolist() == [0, 1, 2, 3]
    assert evo.read_blob(vertices, rows=slice(8, None))["x"].tolist() == [8, 9]
    assert evo.read_blob(vertices, columns="y")["y"].tolist() == list(range(100, 110))
    with pytest.raises(BlobFormatError, match=r"column 'x', row group 1") as caught:
        evo.read_blob(vertices)["x"].tolist()
    assert isinstance(caught.value, EvoError)
    assert str(vertices) in str(caught.value)


@pytest.mark.parametrize("rows", [0, 1, 10])
@pytest.mark.parametrize("name", ["float64", "int32", "int64", "uint8", "uint32", "uint64", "bool", "string"])
def test_section_3_every_type_comes_back(tmp_path, name, rows):
    stored = pa.array([number % 2 for number in range(rows)], pa.int64()).cast(evo.kinds.TYPES[name])
    path = written(tmp_path / "blob", {"a": stored}, row_group_size=3)
    assert evo.read_blob(path)["data"].tolist() == stored.to_pylist()
    assert evo.read_arrow(path)["data"].combine_chunks().equals(stored)


def test_files_without_row_groups_are_empty(tmp_path):
    with pq.ParquetWriter(tmp_path / "blob", pa.schema([("a", pa.string())]), compression="gzip"):
        pass
    assert evo.read_blob(tmp_path / "blob")["data"].tolist() == []
    assert evo.read_arrow(tmp_path / "blob").num_rows == 0


def test_section_4_what_is_missing_is_nan_among_numbers_and_null_among_text(tmp_path):
    path = written(tmp_path / "a", {"a": pa.array([1.5, None, np.nan])})
    assert np.isnan(evo.read_blob(path)["data"].to_ndarray()).tolist() == [False, True, True]
    path = written(tmp_path / "b", {"a": pa.array([1, None, -(2**31)], pa.int32())}, row_group_size=1)
    found = evo.read_blob(path)["data"].to_ndarray()
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [1, np.nan, -(2**31)])
    path = written(tmp_path / "c", {"a": pa.array(["", None, "x"])})
    assert evo.read_blob(path).to_arrow().column(0).to_pylist() == ["", None, "x"]


@pytest.mark.parametrize("has_statistics", [False, True])
def test_section_4_nulls_are_counted_in_the_data_where_no_statistics_tell(tmp_path, has_statistics):
    table = {"a": pa.array([1, None, 3], pa.int64())}
    path = written(tmp_path / "a", table, write_statistics=has_statistics)
    np.testing.assert_array_equal(evo.read_blob(path)["data"].to_ndarray(), [1, np.nan, 3])
    path = written(tmp_path / "b", {"a": pa.array([1, 3], pa.int64())}, write_statistics=has_statistics)
    assert evo.read_blob(path)["data"].dtype == np.int64


def test_section_4_numbers_that_no_float_holds_are_an_error_beside_missing_ones(tmp_path):
    path = written(tmp_path / "a", {"a": pa.array([2**53 + 1, None], pa.int64())})
    with pytest.raises(ContentError, match="read_arrow"):
        evo.read_blob(path)["data"].to_ndarray()
    assert evo.read_arrow(path)["data"].to_pylist() == [2**53 + 1, None]


@pytest.mark.parametrize("values", [[1.0, None], [1.0, np.nan]])
def test_section_4_geometry_without_values_is_an_error_when_it_is_read(tmp_path, values):
    path = written(tmp_path / "a", {"a": pa.array(values, pa.float64())})
    with pytest.raises(ContentError, match=r"column 'data', row group 0") as caught:
        evo.read_blob(path, role="geometry")["data"].to_ndarray()
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("given", [{"values": [-999, 7]}, [-999, 7], np.array([-999, 7])])
def test_section_3_values_that_stand_for_missing_are_missing(tmp_path, given):
    for name in ("float64", "int32", "int64"):
        path = written(tmp_path / name, {"a": pa.array([-999, 1, 7, 2], evo.kinds.TYPES[name])})
        found = evo.read_blob(path, nan_description=given)["data"].to_ndarray()
        np.testing.assert_array_equal(found, [np.nan, 1, np.nan, 2])


def test_section_3_no_values_that_stand_for_missing_leave_types_as_they_are(tmp_path):
    path = written(tmp_path / "a", {"a": pa.array([1, 2], pa.int32())})
    assert evo.read_blob(path, nan_description={"values": []})["data"].dtype == np.int64
    for wrong in ("text", {"other": []}, 5):
        with pytest.raises(ArgumentError):
            evo.read_blob(path, nan_description=wrong)


def test_section_6_colours_that_are_described_as_uint32_and_stored_as_int32_are_read(tmp_path):
    store = evo.Store(tmp_path)
    stored = store.put({"a": pa.array([-16744193, None, 255], pa.int32())})
    described = {"data": stored["data"], "length": 3, "data_type": "uint32"}
    with pytest.warns(UserWarning, match="int32 is taken for uint32, as it is described"):
        np.testing.assert_array_equal(store.get(described)["data"].to_ndarray(), [4278223103, np.nan, 255])
    with pytest.warns(UserWarning, match="int32 is taken for uint32"):
        exact = store.get_arrow(described, rows=slice(0, 2))
    assert exact.to_pydict() == {"data": [4278223103, None]}
    assert exact.schema.field(0).type == pa.uint32()
    store.check(described)
    assert [(f.severity, f.code) for f in evo.validate(store.path(described), described, role="color")] == [
        ("warning", "int32-for-uint32")
    ]
    with pytest.raises(ShapeError, match="int32, its description says int64"):
        store.get({**stored, "data_type": "int64"})


def test_section_6_colours_that_are_int32_are_taken_for_uint32_and_said_to_be(tmp_path):
    path = written(tmp_path / "a", {"a": pa.array([-16744193, 255], pa.int32())})
    with pytest.warns(UserWarning, match="int32 is taken for uint32"):
        assert evo.read_blob(path, role="color")["data"].tolist() == [4278223103, 255]
    path = written(tmp_path / "b", {"a": pa.array([4278223103, None], pa.uint32())})
    np.testing.assert_array_equal(evo.read_blob(path, role="color")["data"].to_ndarray(), [4278223103, np.nan])
    with pytest.raises(KindError, match="color"):
        evo.read_blob(written(tmp_path / "c", {"a": pa.array([1.0])}), role="color")


def test_section_11_indices_that_are_int64_are_taken_for_uint64_and_said_to_be(tmp_path):
    path = written(tmp_path / "a", {"a": pa.array([1, 2], pa.int64())})
    with pytest.warns(UserWarning, match="int64 is taken for uint64"):
        found = evo.read_blob(path, role="index")["data"]
    assert found.dtype == np.uint64
    assert found.tolist() == [1, 2]
    with pytest.warns(UserWarning, match="int64"), pytest.raises(ContentError, match="below 0"):
        evo.read_blob(written(tmp_path / "b", {"a": pa.array([-1], pa.int64())}), role="index")["data"].tolist()


def test_section_7_times_are_datetimes_where_nanoseconds_reach_them_and_else_microseconds(tmp_path):
    path = written(tmp_path / "a", {"a": pa.array([-2208988800000000, None, 1709163296789012], UTC)})
    found = evo.read_blob(path)["data"]
    assert isinstance(found, ak.Datetime)
    expected = pd.Series(["1900-01-01", None, "2024-02-28 23:34:56.789012"], dtype="M8[ns, UTC]")
    assert found.to_pandas().tolist()[::2] == expected.tolist()[::2]
    assert found.to_pandas().isna().tolist() == [False, True, False]
    micros = evo.read_blob(path, times="microseconds")["data"].tolist()
    assert micros == [-2208988800000000, -(2**63), 1709163296789012]
    path = written(tmp_path / "b", {"a": pa.array([-(2**62), 0, 2**62], UTC)})
    assert evo.read_blob(path)["data"].tolist() == [-(2**62), 0, 2**62]
    with pytest.raises(ContentError, match="1677 to 2262"):
        evo.read_blob(path, times="datetime")["data"].tolist()
    with pytest.raises(ArgumentError):
        evo.read_blob(path, times="ns")


def test_section_7_times_that_stand_for_missing_are_missing(tmp_path):
    path = written(tmp_path / "a", {"a": pa.array([0, 7], UTC)})
    for value in (0, "1970-01-01T00:00:00Z"):
        assert evo.read_blob(path, nan_description=[value])["data"].to_pandas().isna().tolist() == [True, False]


def test_section_7_zones_that_a_writer_names_are_utc(tmp_path):
    path = written(tmp_path / "a", {"a": pa.array([7], pa.timestamp("us", "Pacific/Auckland"))})
    assert evo.read_blob(path, times="microseconds")["data"].tolist() == [7]
    assert evo.read_arrow(path).schema.types == [UTC]


@pytest.mark.parametrize("layout", [pa.large_string(), pa.dictionary(pa.int32(), pa.string())], ids=str)
def test_section_9_text_of_other_layouts_is_read(tmp_path, layout):
    path = written(tmp_path / "a", {"a": pa.array(["x", None, "y"]).cast(layout)})
    assert evo.read_blob(path).to_arrow().column(0).to_pylist() == ["x", None, "y"]
    assert evo.read_arrow(path).schema.types == [pa.string()]


@pytest.mark.parametrize(
    "lookup",
    [
        {10: "x", 20: "y"},
        pa.table({"k": pa.array([20, 10], pa.int32()), "v": ["y", "x"]}),
        pd.DataFrame({"key": [20, 10], "value": ["y", "x"]}),
    ],
    ids=["dict", "arrow", "pandas"],
)
def test_section_9_codes_are_looked_up_by_key_and_unknown_ones_are_null(tmp_path, lookup):
    path = written(tmp_path / "a", {"a": pa.array([20, None, 10, 0, 20], pa.int32())})
    frame = evo.read_blob(path, lookup=lookup)
    assert frame.to_arrow().column(0).to_pylist() == ["y", None, "x", None, "y"]
    frame = evo.read_blob(path, lookup=lookup, nan_description=[20])
    assert frame.to_arrow().column(0).to_pylist() == [None, None, "x", None, None]


def test_section_9_a_lookup_table_may_be_a_blob_itself(tmp_path):
    codes = written(tmp_path / "a", {"a": pa.array([1, 0], pa.int32()), "b": pa.array([0, 0], pa.int32())})
    lookup = written(tmp_path / "b", {"k": pa.array([0, 1], pa.int64()), "v": ["x", None]})
    frame = evo.read_blob(codes, lookup=lookup)
    assert frame.to_arrow().to_pydict() == {"c0": [None, "x"], "c1": ["x", "x"]}


def test_section_4_lookup_tables_with_null_or_repeated_keys_are_refused(tmp_path):
    path = written(tmp_path / "a", {"a": pa.array([1], pa.int32())})
    for keys in ([1, 1], [1, None]):
        with pytest.raises(ContentError, match="keys"):
            evo.read_blob(path, lookup=pa.table({"k": pa.array(keys, pa.int32()), "v": ["x", "y"]}))
    with pytest.raises(ArgumentError):
        evo.read_blob(path, lookup=pa.table({"v": ["x"], "k": [1]}))


def test_section_10_a_blob_is_compared_with_its_description(vertices):
    right = {"data": None, "length": 0, "width": 3, "data_type": "float64"} | {"data": "ab" * 32, "length": 10}
    assert evo.read_blob(vertices, right)["x"].size == 10
    for wrong in ({"length": 9}, {"width": 2}, {"data_type": "int64"}, {"data_type": "uint64/uint64/float64"}):
        with pytest.raises(ShapeError, match="description"):
            evo.read_blob(vertices, right | wrong)
        with pytest.raises(ShapeError):
            evo.read_arrow(vertices, right | wrong)


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"hello" * 100])
def test_what_is_no_parquet_file_is_refused(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    with pytest.raises(BlobFormatError):
        evo.read_blob(tmp_path / "a")


def test_what_is_not_there_is_told(tmp_path):
    with pytest.raises(MissingFileError):
        evo.read_blob(tmp_path / "a")
    with pytest.raises(AkdaskError):
        evo.read_blob(tmp_path)


@pytest.mark.parametrize(
    "table",
    [{"a": pa.array([[1.0]])}, {"a": pa.array([1.0], pa.float32())}, {"a": pa.array([{"b": 1.0}])}],
    ids=["list", "float32", "struct"],
)
def test_section_3_other_columns_are_refused(tmp_path, table):
    with pytest.raises(KindError):
        evo.read_blob(written(tmp_path / "a", table))
    with pytest.raises(KindError):
        evo.read_arrow(written(tmp_path / "a", table))


def test_urls_are_read(tmp_path, vertices):
    fsspec = pytest.importorskip("fsspec")
    memory = fsspec.filesystem("memory")
    memory.pipe("/evo/vertices", vertices.read_bytes())
    try:
        frame = evo.read_blob("memory://evo/vertices", columns=["z"], rows=slice(3, 9), storage_options={})
        assert frame["z"].tolist() == [203, 204, 205, 206, 207, 208]
        assert evo.read_arrow("memory://evo/vertices").num_rows == 10
    finally:
        memory.rm("/evo", recursive=True)


@pytest.mark.cluster
def test_a_cluster_reads_blobs(tmp_path, cluster_client):
    path = written(tmp_path / "a", {"a": pa.array([1, None, 2] * 10, pa.int32())}, row_group_size=4)
    frame = evo.read_blob(path, lookup={1: "x", 2: "y"})
    assert frame.to_arrow().column(0).to_pylist() == ["x", None, "y"] * 10


def test_section_7_times_of_a_blob_are_put_again_as_they_are(tmp_path):
    store = evo.Store(tmp_path)
    given = pa.table({"a": pa.array([0, None, 1709163296789012], UTC)})
    described = store.put(given)
    found = store.get(described)
    assert found["data"].tz == "UTC"
    assert store.put(found) == described
    assert store.get_arrow(described).column(0).equals(given.column(0))


def test_section_9_codes_are_categoricals_of_all_labels_where_asked_for(tmp_path):
    store = evo.Store(tmp_path)
    given = pd.Categorical(["sand", None, "clay", "sand"], categories=["clay", "sand", "unused"])
    both = store.put_categories(pd.DataFrame({"rock": given}))
    found = store.get(both["values"], lookup=both["table"], categoricals=True)["data"]
    assert isinstance(found, ak.Categorical)
    again = ak.DataFrame({"rock": found}).to_pandas()["rock"]
    assert again.array.tolist() == given.tolist()
    assert again.cat.categories.tolist() == given.categories.tolist()
    assert store.put_categories(ak.DataFrame({"rock": found})) == both
    assert store.get(both["values"], lookup=both["table"])["data"].tolist()[0] == "sand"


def test_section_9_categoricals_of_odd_tables_have_each_label_once(tmp_path):
    path = written(tmp_path / "a", {"a": pa.array([5, 7, 6, None, 9, 8], pa.int64())})
    found = evo.read_blob(path, lookup={5: "x", 6: "x", 7: "N/A", 8: None}, categoricals=True)["data"]
    assert found.isna().tolist() == [False, False, False, True, True, True]
    assert found.tolist()[:3] == ["x", "N/A", "x"]
