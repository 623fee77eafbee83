import hashlib
import os
import uuid

import dask.array as da
import dask.dataframe as dd
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask import evo
from akdask.errors import AkdaskError, ArgumentError
from akdask.evo.errors import BlobWriteError, ContentError, EvoError, KindError, ShapeError, UnsupportedTableError
from akdask.testing.strategies import partition_lengths, partitioned

UTC = pa.timestamp("us", "UTC")


def stored(folder, description):
    return pq.read_table(folder / description.data)


def values(folder, description):
    return stored(folder, description).to_pydict()


@pytest.fixture
def xyz():
    random = np.random.default_rng(7)
    return {name: random.normal(size=1000) for name in "xyz"}


def test_section_2_a_blob_is_version_2_gzip_in_every_chunk_plain_and_in_row_groups(tmp_path, xyz):
    described = evo.write_blob(xyz, tmp_path, role="geometry", row_group_rows=300)
    metadata = pq.ParquetFile(tmp_path / described.data).metadata
    assert metadata.format_version == "2.6"  # which stands for 2.4 as well
    assert [metadata.row_group(number).num_rows for number in range(metadata.num_row_groups)] == [300, 300, 300, 100]
    chunks = [metadata.row_group(group).column(leaf) for group in range(4) for leaf in range(3)]
    assert {chunk.compression for chunk in chunks} == {"GZIP"}
    assert metadata.metadata is None
    assert os.listdir(tmp_path) == [described.data]


def test_section_2_other_libraries_read_what_is_spliced(tmp_path, xyz):
    duckdb, polars = pytest.importorskip("duckdb"), pytest.importorskip("polars")
    table = {**xyz}
    path = tmp_path / "vertices.parquet"
    evo.write_blob(table, path, row_group_rows=128)
    expected = pa.table(table)
    assert pq.read_table(path).equals(expected)
    assert pq.ParquetFile(path).read_row_group(5, ["y"]).column(0).to_numpy().tolist() == xyz["y"][640:768].tolist()
    assert polars.read_parquet(path).to_arrow().equals(expected)
    assert duckdb.sql(f"from '{path}'").arrow().read_all().equals(expected)
    assert pd.read_parquet(path).equals(pd.DataFrame(xyz))


@pytest.mark.parametrize("rows", [0, 1, 10, 100])
def test_section_2_any_number_of_rows_is_written(tmp_path, rows):
    table = pa.table(
        {"a": pa.array(np.arange(rows), pa.int32()), "b": pa.array([str(k) for k in range(rows)], pa.string())}
    )
    described = evo.write_blob(table, tmp_path, role="lookup", row_group_rows=10, dictionaries=True)
    assert described.to_json() == {
        "data": described.data,
        "length": rows,
        "keys_data_type": "int32",
        "values_data_type": "string",
    }
    assert stored(tmp_path, described).equals(table.rename_columns(["key", "value"]))


RANDOM = np.random.default_rng(5)


@pytest.mark.parametrize(
    ("values", "is_coded"),
    [
        (RANDOM.integers(0, 50, 2**14), True),
        (RANDOM.integers(0, 2**40, 3000)[RANDOM.integers(0, 3000, 2**14)], True),
        (np.round(RANDOM.random(2**14), 1), True),
        (np.repeat(np.arange(2**12), 4), False),
        (np.repeat(RANDOM.integers(0, 50, 2**11), 8), True),
        (np.sort(RANDOM.integers(0, 1000, 2**14)), False),
        (np.sort(RANDOM.integers(0, 50, 2**17)), True),
        (RANDOM.random(5000)[RANDOM.integers(0, 5000, 2**14)], True),
        (RANDOM.integers(0, 40, 2**14).astype(str), True),
        (RANDOM.integers(0, 50, 2**14) * np.timedelta64(1, "D") + np.datetime64("2024-01-01", "us"), True),
        (np.arange(2**14), False),
        (RANDOM.random(2**14), False),
        (RANDOM.integers(0, 2**13, 2**14), False),
        (RANDOM.integers(0, 2, 2**14) == 1, False),
        (np.full(3, np.nan), True),
        (np.zeros(0), False),
    ],
)
def test_section_2_columns_whose_values_repeat_have_dictionaries_and_no_file_is_larger(tmp_path, values, is_coded):
    table = pa.table({"data": values})
    written = {
        choice: tmp_path / evo.write_blob(table, tmp_path, dictionaries=choice, time_zone="UTC").data
        for choice in (None, True, False)
    }
    chunk = pq.ParquetFile(written[None]).metadata.row_group(0).column(0)
    assert chunk.has_dictionary_page == is_coded
    assert chunk.compression == "GZIP"
    if len(values) > 3:
        assert written[None].stat().st_size <= 1.01 * min(written[True].stat().st_size, written[False].stat().st_size)
    np.testing.assert_array_equal(*(pq.read_table(written[choice])["data"].to_numpy() for choice in (None, False)))
    assert evo.validate(written[None]) == []


def test_columns_are_stored_of_a_frame_that_once_had_categories(tmp_path):
    frame = ak.DataFrame({"x": ak.array([1.0, 2.0]), "rock": ak.Categorical(ak.array(["ore", "waste"]))})
    store = evo.Store(tmp_path)
    assert store.get(store.put(frame[["x"]]))["data"].tolist() == [1.0, 2.0]
    assert store.get(store.put(frame[["rock"]]))["data"].tolist() == ["ore", "waste"]


def test_section_8_the_name_is_the_digest_of_the_bytes(tmp_path, xyz):
    described = evo.write_blob(xyz, tmp_path)
    assert described.data == hashlib.sha256((tmp_path / described.data).read_bytes()).hexdigest()
    assert described.length == 1000


def test_section_8_a_uuid_is_the_name_where_it_is_asked_for(tmp_path, xyz):
    first, second = (evo.write_blob(xyz, tmp_path, identifier="uuid") for _ in range(2))
    assert str(uuid.UUID(first.data)) == first.data != second.data
    assert sorted(os.listdir(tmp_path)) == sorted([first.data, second.data])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.data())
def test_section_8_equal_rows_give_equal_bytes_however_they_are_partitioned(tmp_path, data):
    lengths = data.draw(partition_lengths())
    rows = sum(lengths)
    columns = {"x": np.arange(rows) / 3, "y": np.arange(rows) % 7 / 2, "z": np.ones(rows)}
    wanted = evo.write_blob(pa.table(columns), tmp_path, row_group_rows=4).data
    frame = ak.DataFrame({name: partitioned(column, lengths) for name, column in columns.items()})
    assert evo.write_blob(frame, tmp_path, row_group_rows=4).data == wanted
    batches = iter(pa.Table.from_pandas(pd.DataFrame(columns)).to_batches(max_chunksize=data.draw(st.integers(1, 9))))
    if rows:
        assert evo.write_blob(batches, tmp_path, row_group_rows=4).data == wanted


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.none() | st.text(max_size=5), max_size=20), st.integers(1, 7))
def test_section_8_equal_text_gives_equal_bytes_in_any_chunks_and_layout(tmp_path, text, step):
    text = [None if item is None else item.replace("\0", "") for item in text]
    wanted = evo.write_blob({"s": pa.array(text, pa.string())}, tmp_path, row_group_rows=6).data
    chunks = [text[start : start + step] for start in range(0, len(text), step)]
    for layout in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        found = pa.table(
            {"other": pa.chunked_array([pa.array(chunk, pa.string()).cast(layout) for chunk in chunks], layout)}
        )
        assert evo.write_blob(found, tmp_path, row_group_rows=6).data == wanted


@pytest.mark.parametrize("kind", ["filter", "sort", "expression", "concatenation", "slice"])
def test_section_8_rows_of_any_plan_give_the_bytes_of_the_same_rows(tmp_path, kind):
    x = np.random.default_rng(0).permutation(1000).astype(np.float64)
    lazy = partitioned(x, (300, 0, 700))
    made, rows = {
        "filter": lambda: (lazy[lazy > 500.0], x[x > 500]),
        "sort": lambda: (ak.sort(lazy), np.sort(x)),
        "expression": lambda: (lazy * 2 + 1, x * 2 + 1),
        "concatenation": lambda: (ak.concatenate([lazy, lazy]), np.concatenate([x, x])),
        "slice": lambda: (lazy[7:955:3], x[7:955:3]),
    }[kind]()
    expected = evo.write_blob(rows, tmp_path, row_group_rows=64)
    assert evo.write_blob(made, tmp_path, row_group_rows=64) == expected
    assert values(tmp_path, expected)["data"] == rows.tolist()


@pytest.mark.cluster
def test_section_8_a_cluster_gives_the_same_bytes(tmp_path, cluster_client, xyz):
    expected = evo.write_blob(xyz, tmp_path, row_group_rows=100)
    frame = ak.DataFrame({name: partitioned(column, (450, 550)) for name, column in xyz.items()})
    assert evo.write_blob(frame, tmp_path, row_group_rows=100) == expected
    text = ak.Categorical(ak.array(["b", "a", "b"]))
    assert values(tmp_path, evo.write_blob(text, tmp_path)) == {"data": ["b", "a", "b"]}
    wrong = ak.DataFrame({"x": partitioned(np.array([1.0, np.nan]), (1, 1))})
    with pytest.raises(ContentError, match="row group 1"):
        evo.write_blob(wrong, tmp_path, role="geometry", row_group_rows=1)
    assert len(os.listdir(tmp_path)) == 2


def test_all_that_has_rows_can_be_written(tmp_path, xyz):
    matrix = np.column_stack(list(xyz.values()))
    frame = pd.DataFrame(xyz, index=np.arange(1000)[::-1])
    expected = evo.write_blob(xyz, tmp_path)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        dataset = file.create_dataset("x", data=matrix)
        forms = [
            matrix,
            np.asfortranarray(matrix),
            dataset,
            iter([matrix[:300], frame[300:310], pa.table({name: c[310:] for name, c in xyz.items()})]),
            frame,
            pa.table(xyz),
            pa.table(xyz).to_reader(max_chunksize=77),
            ak.DataFrame({name: ak.array(column) for name, column in xyz.items()}),
            {name: ak.array(column) for name, column in xyz.items()},
            da.from_array(matrix, chunks=(333, 2)),
            {name: da.from_array(column, chunks=400) for name, column in xyz.items()},
            dd.from_pandas(frame.reset_index(drop=True), npartitions=3),
            frame.to_records(index=False),
        ]
        for form in forms:
            assert evo.write_blob(form, tmp_path) == expected


def test_polars_frames_are_handed_over(tmp_path, xyz):
    polars = pytest.importorskip("polars")
    assert evo.write_blob(polars.DataFrame(xyz), tmp_path) == evo.write_blob(xyz, tmp_path)


@pytest.mark.parametrize("wrong", [3, "text", None, np.zeros((2, 2, 2)), iter(()), {"a": [1, 2], "b": [1]}])
def test_what_is_no_table_is_refused(tmp_path, wrong):
    with pytest.raises((UnsupportedTableError, KindError)):
        evo.write_blob(wrong, tmp_path)
    assert os.listdir(tmp_path) == []


def test_section_11_names_are_canonical_unless_others_are_asked_for(tmp_path):
    table = {"easting": np.zeros(2), "northing": np.zeros(2), "height": np.zeros(2)}
    assert stored(tmp_path, evo.write_blob(table, tmp_path)).column_names == ["x", "y", "z"]
    assert stored(tmp_path, evo.write_blob(table, tmp_path, names="keep")).column_names == list(table)
    assert stored(tmp_path, evo.write_blob(table, tmp_path, names=["a", "b", "c"])).column_names == ["a", "b", "c"]
    with pytest.raises(ShapeError):
        evo.write_blob(table, tmp_path, names=["a"])
    with pytest.raises(ArgumentError):
        evo.write_blob(table, tmp_path, names=["a", "a", "b"])


@pytest.mark.parametrize(
    ("given", "how", "expected"),
    [
        (np.array([1, 2]), {"data_type": "int32"}, pa.int32()),
        (np.array([1, 2]), {"role": "index"}, pa.uint64()),
        (np.array([1.0, 2.0]), {"data_type": "int64"}, pa.int64()),
        (np.array([1, 2**32 - 1]), {"data_type": "uint32", "role": "color"}, pa.uint32()),
        (np.array([1, 2], np.int32), {"data_type": "float64"}, pa.float64()),
        (np.array([0, 255]), {"data_type": "uint8"}, pa.uint8()),
        (pa.array([None, None]), {"data_type": "string"}, pa.string()),
    ],
)
def test_section_3_types_are_those_that_are_asked_for(tmp_path, given, how, expected):
    table = stored(tmp_path, evo.write_blob({"a": given}, tmp_path, **how))
    assert table.schema.types == [expected]
    assert table.column(0).to_pylist() == given.tolist()


def test_section_3_types_may_differ_by_column(tmp_path):
    table = {"hole": np.arange(3), "offset": np.arange(3), "count": np.arange(3)}
    described = evo.write_blob(table, tmp_path, data_type="int32/uint64/uint64", role="geometry")
    assert described.kind == "downhole-collection-location-holes"
    assert stored(tmp_path, described).column_names == ["hole_index", "offset", "count"]


@pytest.mark.parametrize(
    ("given", "data_type"),
    [([2**31], "int32"), ([-1], "uint64"), ([1.5], "int64"), ([2**53 + 1], "float64"), ([256], "uint8")],
)
def test_section_3_numbers_that_do_not_fit_are_refused_with_their_column(tmp_path, given, data_type):
    with pytest.raises(ContentError, match="grade"):
        evo.write_blob({"grade": np.array(given)}, tmp_path, data_type=data_type)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("refused", [np.float32, np.int8, np.int16, np.uint16, "M8[D]", "m8[us]", "S3"])
def test_section_3_other_types_are_refused_and_nothing_is_left(tmp_path, refused):
    with pytest.raises((KindError, UnsupportedTableError)):
        evo.write_blob({"a": np.zeros(3, refused)}, tmp_path)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("role", "kind"), [("color", "int32"), ("mask", "float64"), ("category", "string")])
def test_section_11_roles_have_types(tmp_path, role, kind):
    with pytest.raises(KindError, match=role):
        evo.write_blob({"a": pa.array([], evo.kinds.TYPES[kind])}, tmp_path, role=role)


def test_section_4_attributes_keep_nulls_and_nan_apart(tmp_path):
    described = evo.write_blob({"a": pa.array([1.0, None, np.nan])}, tmp_path)
    column = stored(tmp_path, described).column(0)
    assert column.null_count == 1
    assert np.isnan(column[2].as_py())


@pytest.mark.parametrize("role", ["geometry", "index", "mask"])
def test_section_4_geometry_has_no_nulls(tmp_path, role):
    kind = {"geometry": pa.float64(), "index": pa.uint64(), "mask": pa.bool_()}[role]
    with pytest.raises(ContentError, match="row group 2") as caught:
        evo.write_blob({"a": pa.array([1] * 5 + [None], pa.int8()).cast(kind)}, tmp_path, role=role, row_group_rows=2)
    assert "null" in str(caught.value)
    assert os.listdir(tmp_path) == []


def test_section_4_geometry_has_no_nan(tmp_path):
    wrong = {"x": np.zeros(3), "y": np.array([0, np.nan, 0]), "z": np.zeros(3)}
    for form in (wrong, ak.DataFrame({name: ak.array(column) for name, column in wrong.items()})):
        with pytest.raises(ContentError, match=r"column 'y', row group 0") as caught:
            evo.write_blob(form, tmp_path, role="geometry")
        assert isinstance(caught.value, EvoError)
        assert "row 1" in str(caught.value)


def test_section_10_indices_are_below_the_number_of_vertices(tmp_path):
    indices = {"a": pa.array([0, 1, 2], pa.uint64()), "b": pa.array([1, 2, 3], pa.uint64())}
    evo.write_blob(indices, tmp_path, role="index", vertices=4)
    with pytest.raises(ContentError, match="column 'end', row group 1"):
        evo.write_blob(indices, tmp_path, role="index", vertices=3, row_group_rows=2)
    with pytest.raises(ContentError, match="cannot be stored as uint64"):
        evo.write_blob(np.array([0, -1]), tmp_path, role="index")


@pytest.mark.parametrize("keys", [[1, 2, 1], [1, None, 2]])
def test_section_4_lookup_tables_have_each_key_once(tmp_path, keys):
    table = {"key": pa.array(keys, pa.int32()), "value": pa.array(["a", "b", "c"])}
    with pytest.raises(ContentError, match="key"):
        evo.write_blob(table, tmp_path, row_group_rows=1)
    assert os.listdir(tmp_path) == []


def test_section_4_nul_characters_are_warned_of(tmp_path):
    with pytest.warns(UserWarning, match="NUL"):
        evo.write_blob(np.array(["a\0b", "c"]), tmp_path)


@pytest.mark.parametrize(
    ("given", "micros"),
    [
        (pa.scalar(1709163296789012, UTC), 1709163296789012),
        (pa.scalar(1709163296789012, pa.timestamp("us", "Pacific/Auckland")), 1709163296789012),
        (pa.scalar(1709163296, pa.timestamp("s", "UTC")), 1709163296000000),
        (pa.scalar(1709163296789012000, pa.timestamp("ns", "+13:00")), 1709163296789012),
        (pa.scalar(-2208988800000, pa.timestamp("ms", "UTC")), -2208988800000000),
        (pa.scalar(2**62, UTC), 2**62),
    ],
)
def test_section_7_times_become_microseconds_of_utc(tmp_path, given, micros):
    described = evo.write_blob({"t": pa.array([given.value, None], given.type)}, tmp_path, role="time")
    column = stored(tmp_path, described).column(0)
    assert column.type == UTC
    assert column.cast(pa.int64()).to_pylist() == [micros, None]


def test_section_7_naive_times_are_refused_without_a_zone(tmp_path):
    naive = {"t": np.array(["2024-02-29T12:34:56.789012"], "M8[us]")}
    with pytest.raises(KindError, match="zone"):
        evo.write_blob(naive, tmp_path)
    described = evo.write_blob(naive, tmp_path, time_zone="Pacific/Auckland")
    assert stored(tmp_path, described).column(0).cast(pa.int64()).to_pylist() == [1709163296789012]
    lazy = ak.Datetime(pd.Series(naive["t"]))
    assert evo.write_blob(lazy, tmp_path, time_zone="Pacific/Auckland") == described


def test_section_7_times_of_dask_with_a_zone_are_utc(tmp_path):
    times = pd.date_range("2024-01-01", periods=3, freq="6h", tz="Pacific/Auckland")
    expected = evo.write_blob(pd.DataFrame({"t": times}), tmp_path)
    lazy = dd.from_pandas(pd.DataFrame({"t": times}), npartitions=2)
    assert evo.write_blob(lazy, tmp_path) == expected == evo.write_blob(lazy["t"], tmp_path)


def test_section_7_what_is_finer_than_microseconds_is_refused_or_dropped_on_request(tmp_path):
    fine = {"t": pa.array([-1, 1001], pa.timestamp("ns", "UTC"))}
    with pytest.raises(ContentError, match="truncate"):
        evo.write_blob(fine, tmp_path)
    described = evo.write_blob(fine, tmp_path, truncate_times=True)
    assert stored(tmp_path, described).column(0).cast(pa.int64()).to_pylist() == [-1, 1]


def test_section_9_labels_of_rows_are_left_out_and_text_of_any_layout_is_string(tmp_path):
    frame = pd.DataFrame({"s": ["a", None, "b"]}).loc[[2, 0]]
    described = evo.write_blob(frame, tmp_path)
    assert described.width == 1
    assert values(tmp_path, described) == {"data": ["b", "a"]}
    assert values(tmp_path, evo.write_blob(frame.astype("category"), tmp_path)) == {"data": ["b", "a"]}
    assert stored(tmp_path, described).schema.types == [pa.string()]


def test_section_9_lazy_text_and_categoricals_are_text(tmp_path):
    text = ak.array(["b", "a", "b"])
    assert evo.write_blob(text, tmp_path) == evo.write_blob(ak.Categorical(text), tmp_path)
    missing = ak.from_arrow(pa.table({"s": ["x", None]}))
    assert values(tmp_path, evo.write_blob(missing, tmp_path)) == {"data": ["x", None]}


class Sink:
    """Keeps what is written, and fails on request."""

    def __init__(self, fails_at=None):
        self.parts, self.names, self.aborted, self.fails_at = [], [], 0, fails_at

    def write(self, data):
        if self.fails_at is not None and len(self.parts) >= self.fails_at:
            raise BlobWriteError("the disk is full.")
        self.parts.append(bytes(data))

    def commit(self, name):
        self.names.append(name)

    def abort(self):
        self.aborted += 1


def test_a_target_of_any_kind_takes_the_bytes(tmp_path, xyz):
    sink = Sink()
    described = evo.write_blob(xyz, lambda: sink, row_group_rows=100)
    assert sink.names == [described.data]
    assert not sink.aborted
    assert hashlib.sha256(b"".join(sink.parts)).hexdigest() == described.data
    assert len(sink.parts) > 10


@pytest.mark.parametrize("is_lazy", [False, True])
def test_a_target_that_fails_is_told_to_drop_all(xyz, is_lazy):
    table = ak.DataFrame({name: ak.array(column) for name, column in xyz.items()}) if is_lazy else xyz
    sink = Sink(fails_at=3)
    with pytest.raises(BlobWriteError, match="full"):
        evo.write_blob(table, lambda: sink, row_group_rows=100)
    assert sink.aborted
    assert not sink.names


def test_an_interrupt_leaves_nothing(tmp_path, xyz):
    def tables():
        yield pa.table(xyz)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evo.write_blob(tables(), tmp_path, row_group_rows=10)
    assert os.listdir(tmp_path) == []


def test_an_old_file_stays_where_a_new_one_fails(tmp_path, xyz):
    path = tmp_path / "a.parquet"
    path.write_bytes(b"old")
    with pytest.raises(ContentError):
        evo.write_blob({"x": np.array([np.nan])}, path, role="geometry")
    assert path.read_bytes() == b"old"
    evo.write_blob(xyz, path)
    assert pq.read_table(path).num_rows == 1000
    assert os.listdir(tmp_path) == ["a.parquet"]


@pytest.mark.parametrize(
    "wrong",
    [{"role": "vertices"}, {"role": None}, {"identifier": "md5"}, {"level": 0}, {"row_group_rows": 0},
     {"row_group_rows": 2.5}, {"vertices": -1}, {"names": "other"}],
    ids=repr,
)  # fmt: skip
def test_arguments_that_make_no_sense_are_refused(tmp_path, wrong):
    with pytest.raises(AkdaskError):
        evo.write_blob(np.zeros(3), tmp_path, **wrong)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("where", ["missing/folder/a.parquet", "s3://bucket/blob"])
def test_targets_that_cannot_be_written_to_are_told(tmp_path, where):
    target = where if "://" in where else tmp_path / where
    with pytest.raises(AkdaskError):
        evo.write_blob(np.zeros(3), target)


def test_section_4_infinite_geometry_is_warned_of(tmp_path):
    with pytest.warns(UserWarning, match="infinite"):
        described = evo.write_blob({"x": [0.0, np.inf, -np.inf]}, tmp_path, role="geometry")
    (finding,) = evo.validate(tmp_path / described.data, described, role="geometry")
    assert (finding.severity, finding.code) == ("warning", "infinite")
    largest = evo.write_blob({"x": [1e308, 1e308]}, tmp_path, role="geometry")  # whose sum is infinite
    assert evo.validate(tmp_path / largest.data, largest, role="geometry") == []
