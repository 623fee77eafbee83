import json
import os
import random
import struct

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from akdask import evo
from akdask.errors import ArgumentError
from akdask.evo.errors import ContentError
from akdask.evo.findings import errors_among, exit_code
from akdask.evo.validation import validate, validate_many
from akdask.formats.parquet.thrift import Field, read_fields, write_fields

UTC = pa.timestamp("us", "UTC")


def written(path, columns, **options):
    """Write columns by the rules, but for what options say."""
    options = {"compression": "gzip", "version": "2.4", "use_dictionary": False, **options}
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), path, **options)
    return path


def codes(findings, severity=None):
    return {finding.code for finding in findings if severity in (None, finding.severity)}


def only(findings, code):
    found = [finding for finding in findings if finding.code == code]
    assert found, f"no {code} among {findings}"
    return found[0]


@pytest.fixture
def vertices(tmp_path):
    return written(tmp_path / "v", {name: np.arange(10.0) for name in "xyz"}, row_group_size=4)


def edited(path, edit):
    """Write a file again with another footer."""
    data = path.read_bytes()
    (length,) = struct.unpack("<I", data[-8:-4])
    footer, _ = read_fields(data[-8 - length : -8])
    changed = write_fields(edit(footer))
    path.write_bytes(data[: -8 - length] + changed + struct.pack("<I", len(changed)) + b"PAR1")
    return path


def test_section_10_nothing_is_found_of_what_is_written_here(tmp_path):
    tables = [
        ({name: np.arange(100.0) for name in "xyz"}, "geometry"),
        ({"a": pa.array([1.0, None, np.nan])}, "attribute"),
        ({"a": pa.array([0, 1], pa.uint64()), "b": pa.array([1, 2], pa.uint64())}, "index"),
        ({"k": pa.array([0, 1], pa.int32()), "v": ["x", "y"]}, "lookup"),
        ({"a": pa.array([0, None, 1], pa.int32())}, "category"),
        ({"a": [True, False]}, "mask"),
        ({"a": pa.array([4278223103, None], pa.uint32())}, "color"),
        ({"a": pa.array([-1, None, 2**62], UTC)}, "time"),
        ({"a": pa.array([], pa.string())}, "attribute"),
    ]
    for table, role in tables:
        described = evo.write_blob(table, tmp_path, role=role)
        assert validate(tmp_path / described.data, described, role=role) == []
        assert validate(tmp_path / described.data, described.to_json(), role=role, footer_only=True) == []
        assert validate(tmp_path / described.data) == []


@pytest.mark.parametrize(
    "content", [b"", b"x", b"PAR1", b"PAR1" * 5, b"hello, world" * 99, b"PAR1\xff\xff\xff\xffPAR1"]
)
def test_section_10_what_is_not_parquet_is_found(tmp_path, content):
    (tmp_path / "a").write_bytes(content)
    (finding,) = validate(tmp_path / "a")
    assert finding.is_error
    assert finding.code in ("parquet", "footer")
    assert finding.blob == str(tmp_path / "a")


def test_section_10_what_is_not_there_is_found(tmp_path):
    assert codes(validate(tmp_path / "a")) == {"missing"}
    assert codes(validate(tmp_path)) == {"unreadable"}


def test_section_10_version_1_is_found_and_the_printed_version_is_not_believed(tmp_path):
    table = {"data": [1.0]}
    assert only(validate(written(tmp_path / "a", table, version="1.0")), "version").is_error
    assert validate(written(tmp_path / "b", table, version="2.6")) == []


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd"])
def test_section_10_each_chunk_that_is_not_gzip_is_found(tmp_path, codec):
    path = written(
        tmp_path / "a", {"x": [1.0, 2.0], "y": [1.0, 2.0]}, compression={"x": "gzip", "y": codec}, row_group_size=1
    )
    found = [finding for finding in validate(path) if finding.code == "codec"]
    assert [(finding.column, finding.row_group) for finding in found] == [("y", 0), ("y", 1)]
    assert all(finding.is_error for finding in found)


def test_section_10_encrypted_files_are_found(tmp_path, vertices):
    data = vertices.read_bytes()
    (tmp_path / "a").write_bytes(b"PARE" + data[4:-4] + b"PARE")
    assert codes(validate(tmp_path / "a")) == {"encrypted"}
    signed = edited(vertices, lambda footer: {**footer, 8: Field(12, {1: Field(12, {})})})
    assert "encrypted" in codes(validate(signed), "error")


@pytest.mark.parametrize(
    ("column", "code"),
    [
        (pa.array([1.0], pa.float32()), "type"), (pa.array([1], pa.int16()), "type"),
        (pa.array([1], pa.uint16()), "type"), (pa.array([1], pa.int8()), "type"),
        (pa.array(["x"], pa.large_string()), "type"), (pa.array([b"x"]), "type"),
        (pa.array([1], pa.date32()), "type"), (pa.array([1], pa.decimal128(5, 2)), "type"),
        (pa.array([1], pa.timestamp("us")), "timestamp"), (pa.array([1], pa.timestamp("ms", "UTC")), "timestamp"),
        (pa.array([1], pa.timestamp("us", "Pacific/Auckland")), "timestamp"),
        (pa.array([1], pa.timestamp("us", "Etc/UTC")), "timestamp"),
        (pa.array([[1.0]]), "nested"), (pa.array([{"a": 1.0}]), "nested"),
        (pa.array([{"a": 1.0, "b": 2.0}]), "nested"),
        (pa.array(["x"]).dictionary_encode(), "type"),
    ],
    ids=lambda item: str(item.type) if isinstance(item, pa.Array) else item,
)  # fmt: skip
def test_section_10_columns_of_other_types_are_found(tmp_path, column, code):
    finding = only(validate(written(tmp_path / "a", {"grade": column})), code)
    assert finding.is_error
    assert finding.column == "grade"


def test_section_10_nanoseconds_are_found(tmp_path):
    path = written(tmp_path / "a", {"t": pa.array([1], pa.timestamp("ns", "UTC"))}, version="2.6")
    assert only(validate(path), "timestamp").column == "t"


def test_section_10_times_of_96_bits_are_found(tmp_path):
    path = written(tmp_path / "a", {"t": pa.array([1], UTC)}, use_deprecated_int96_timestamps=True)
    assert "timestamp" in codes(validate(path), "error")


def test_section_10_a_file_without_columns_is_found(tmp_path):
    path = written(tmp_path / "a", pa.table({}))
    assert "no-column" in codes(validate(path), "error")


def test_section_3_columns_of_no_kind_are_found(tmp_path):
    path = written(tmp_path / "a", {str(number): pa.array([1], pa.uint64()) for number in range(5)})
    assert "kind" in codes(validate(path), "error")


RIGHT = {"data": "01234567-89ab-cdef-0123-456789abcdef", "length": 10, "width": 3, "data_type": "float64"}


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({}, None),
        ({"length": 9}, "length"),
        ({"width": 2}, "width"),
        ({"data_type": "int64"}, "data-type"),
        ({"data_type": "uint64/uint64/float64"}, "data-type"),
        ({"data": "abc"}, "identifier"),
        ({"data": None, "length": 0}, "no-data"),
        ({"data_type": "float32"}, "description"),
        ({"length": "10"}, "description"),
    ],
)
@pytest.mark.parametrize("footer_only", [False, True])
def test_section_10_what_is_not_as_described_is_found(vertices, wrong, code, footer_only):
    found = validate(vertices, RIGHT | wrong, footer_only=footer_only)
    if code is None:
        assert found == []
    else:
        assert only(found, code).is_error


def test_section_10_types_of_keys_and_values_are_compared(tmp_path):
    path = written(tmp_path / "a", {"key": pa.array([1], pa.int32()), "value": ["x"]})
    right = {"data": RIGHT["data"], "length": 1, "keys_data_type": "int32", "values_data_type": "string"}
    assert validate(path, right) == []
    assert only(validate(path, right | {"keys_data_type": "int64"}), "data-type").column == "key"


def test_section_10_keys_that_the_kind_does_not_have_are_found_but_the_width_of_bools(tmp_path):
    given = {"data": RIGHT["data"], "length": 1, "width": 1}
    color = written(tmp_path / "a", {"data": pa.array([1], pa.uint32())})
    assert only(validate(color, given | {"data_type": "uint32"}), "description-keys").is_error
    assert validate(written(tmp_path / "b", {"data": [True]}), given | {"data_type": "bool"}) == []


def test_section_10_a_digest_of_other_bytes_is_found(tmp_path, vertices):
    described = evo.write_blob(np.arange(3.0), tmp_path)
    path = tmp_path / described.data
    assert validate(path, described.to_json() | {"data": described.data.upper()}) == []
    other = described.to_json() | {"data": "ab" * 32}
    assert only(validate(path, other), "digest").is_error
    assert validate(path, other, footer_only=True) == []
    (tmp_path / ("ab" * 32)).write_bytes(path.read_bytes())
    assert only(validate(tmp_path / ("ab" * 32)), "digest").is_error


def test_section_10_all_that_is_wrong_is_found_with_columns_and_row_groups(tmp_path):
    table = {"x": [1.0, None, 3.0], "y": [1.0, 2.0, np.nan], "z": [1.0, 2.0, 3.0]}
    path = written(
        tmp_path / "a", table, version="1.0", compression={"z": "none", "x": "gzip", "y": "gzip"}, row_group_size=2
    )
    found = validate(path, RIGHT | {"width": 2}, role="geometry")
    assert {"version", "codec", "length", "width", "null", "nan"} <= codes(found, "error")
    assert (only(found, "null").column, only(found, "null").row_group) == ("x", 0)
    assert (only(found, "nan").column, only(found, "nan").row_group) == ("y", 1)
    assert len([finding for finding in found if finding.code == "null"]) == 1


@pytest.mark.parametrize("role", ["geometry", "attribute", None])
def test_section_4_null_and_nan_are_wrong_in_geometry_only(tmp_path, role):
    path = written(tmp_path / "a", {"data": pa.array([1.0, None, np.nan])})
    assert codes(validate(path, role=role)) == ({"null", "nan"} if role == "geometry" else set())


def test_section_4_nulls_are_counted_and_not_told_by_the_schema(tmp_path):
    optional = written(tmp_path / "a", {"data": pa.array([1.0, 2.0])}, write_statistics=False)
    assert validate(optional, role="geometry") == []
    hidden = written(tmp_path / "b", {"data": pa.array([1.0, None])}, write_statistics=False)
    assert codes(validate(hidden, role="geometry")) == {"null"}
    assert validate(hidden, role="geometry", footer_only=True) == []
    told = written(tmp_path / "c", {"data": pa.array([1.0, None])})
    assert codes(validate(told, role="geometry", footer_only=True)) == {"null"}


def test_section_4_a_required_column_has_no_nulls(tmp_path):
    required = pa.table([pa.array([1.0, 2.0])], pa.schema([pa.field("data", pa.float64(), nullable=False)]))
    path = written(tmp_path / "a", required, write_statistics=False)
    assert pq.ParquetFile(path).schema.column(0).max_definition_level == 0
    for footer_only in (True, False):
        assert validate(path, role="geometry", footer_only=footer_only) == []


def test_section_2_no_rows_are_one_empty_row_group_or_none(tmp_path):
    description = {"data": f"{0:08}-0000-0000-0000-{0:012}", "length": 0, "width": 1, "data_type": "float64"}
    schema = pa.schema([("data", pa.float64())])
    with pq.ParquetWriter(tmp_path / "none", schema, compression="gzip", version="2.4"):
        pass
    one = written(tmp_path / "one", schema.empty_table())
    assert [pq.read_metadata(path).num_row_groups for path in (tmp_path / "none", one)] == [0, 1]
    for path in (tmp_path / "none", one):
        assert validate(path, description, role="geometry") == []


def test_section_10_indices_out_of_range_are_found(tmp_path):
    path = written(
        tmp_path / "a", {"start": pa.array([0, 7], pa.uint64()), "end": pa.array([1, 2], pa.uint64())}, row_group_size=1
    )
    finding = only(validate(path, role="index", vertices=7), "index-range")
    assert (finding.column, finding.row_group) == ("start", 1)
    assert validate(path, role="index", vertices=8) == []
    described = {"data": None, "length": 0, "data_type": "float64"} | {"data": "ab" * 32, "length": 7}
    assert "index-range" in codes(validate(path, role="geometry", vertices=described))


def test_section_11_indices_of_int64_are_warned_of_and_checked(tmp_path):
    path = written(tmp_path / "a", {"data": pa.array([0, -1], pa.int64())})
    found = validate(path, role="index", vertices=8)
    assert codes(found, "error") == {"negative-index"}
    assert codes(found, "warning") == {"int64-for-uint64"}


def test_section_10_indices_of_lines_in_two_dimensions_are_their_first_two_columns(tmp_path):
    table = {"start": pa.array([0], pa.uint64()), "end": pa.array([9], pa.uint64()), "distance": [100.0]}
    path = written(tmp_path / "a", table)
    assert [finding.column for finding in validate(path, role="geometry", vertices=5)] == ["end"]


def test_section_3_cells_have_known_shapes(tmp_path):
    table = {"shape": pa.array([7, 8], pa.int32()), "offset": pa.array([0, 8], pa.uint64())}
    path = written(tmp_path / "a", {**table, "vertex_count": pa.array([5, 5], pa.int32())})
    assert only(validate(path), "cell-shape").column == "shape"


def test_section_10_rows_are_those_of_the_component(vertices):
    assert validate(vertices, rows=10) == []
    assert only(validate(vertices, rows=11), "rows").is_error


def test_section_10_masks_have_the_cells_and_the_active_ones(tmp_path):
    path = written(tmp_path / "a", {"data": [True, False, True]}, row_group_size=1)
    assert validate(path, role="mask", rows=3, active=2) == []
    assert codes(validate(path, role="mask", rows=4, active=1)) == {"rows", "active-count"}
    null = written(tmp_path / "b", {"data": [True, None]})
    assert codes(validate(null, role="mask")) == {"null"}


@pytest.mark.parametrize(("keys", "code"), [([1, 2, 1], "repeated-key"), ([1, None, 2], "null-key")])
def test_section_10_lookup_keys_are_there_once_each(tmp_path, keys, code):
    path = written(tmp_path / "a", {"key": pa.array(keys, pa.int64()), "value": ["x", "y", "z"]}, row_group_size=1)
    for role in (None, "lookup"):
        finding = only(validate(path, role=role), code)
        assert finding.is_error
        assert finding.row_group == (2 if code == "repeated-key" else 1)


def test_section_10_codes_without_key_are_warned_of(tmp_path):
    path = written(tmp_path / "a", {"data": pa.array([1, 5, None, 5], pa.int32())})
    found = validate(path, role="category", lookup={1: "x"})
    assert codes(found) == {"unknown-code"}
    assert codes(found, "warning") == {"unknown-code"}
    assert validate(path, role="category", lookup={1: "x", 5: "y"}) == []


def test_section_11_colours_of_int32_are_warned_of(tmp_path):
    path = written(tmp_path / "a", {"data": pa.array([-1], pa.int32())})
    assert codes(validate(path, role="color"), "warning") == {"int32-for-uint32"}
    assert codes(validate(written(tmp_path / "b", {"data": [1.0]}), role="color"), "error") == {"role-type"}


def test_section_4_nul_characters_are_warned_of(tmp_path):
    path = written(tmp_path / "a", {"data": ["a", "b\0"]})
    assert codes(validate(path), "warning") == {"nul-character"}


def test_section_10_one_huge_row_group_many_tiny_ones_and_names_are_warned_of_and_dictionaries_are_not(tmp_path):
    tiny = written(tmp_path / "a", {"data": np.zeros(20)}, row_group_size=1)
    assert codes(validate(tiny)) == codes(validate(tiny), "warning") == {"tiny-row-groups"}
    huge = written(tmp_path / "b", {"data": np.zeros(2**20 + 1)}, row_group_size=2**21, compression_level=1)
    assert codes(validate(huge, footer_only=True), "warning") == {"huge-row-group"}
    assert validate(written(tmp_path / "c", {"data": [1.0]}, use_dictionary=True)) == []
    assert codes(validate(written(tmp_path / "d", {"grade": [1.0]}))) == {"column-names"}
    index = written(tmp_path / "e", {"data": [1.0], "__index_level_0__": [3.0]})
    assert only(validate(index), "column-names").column == "__index_level_0__"


def test_text_that_is_not_utf_8_is_found(tmp_path):
    path = written(tmp_path / "a", {"data": ["abcdefgh"]}, write_statistics=False, compression="none")
    path.write_bytes(path.read_bytes().replace(b"abcdefgh", b"abc\xff\xfefgh"))
    finding = only(validate(path), "data")
    assert (finding.column, finding.row_group) == ("data", 0)


@pytest.mark.parametrize("is_remote", [False, True])
def test_files_with_any_bit_flipped_give_findings_and_no_crash(tmp_path, is_remote):
    random_rows = np.random.default_rng(0).normal(size=60)
    described = evo.write_blob({"x": random_rows, "y": random_rows, "z": random_rows}, tmp_path, row_group_rows=20)
    data = (tmp_path / described.data).read_bytes()
    places = random.Random(0)
    for number in range(150):
        flipped = bytearray(data)
        end = len(data) - 1 if number % 2 else len(data) - 500
        flipped[places.randrange(len(data) - 500, len(data)) if number % 2 else places.randrange(end)] ^= (
            1 << number % 8
        )
        path = tmp_path / "flipped"
        path.write_bytes(flipped)
        found = validate(f"file://{path}" if is_remote else path, described, role="geometry")
        assert "digest" in codes(found, "error")


@pytest.mark.parametrize("length", [0, 1, 4, 8, 12, 100, -1, -4, -8, -100])
def test_files_cut_short_give_findings(vertices, length):
    vertices.write_bytes(vertices.read_bytes()[:length])
    assert errors_among(validate(vertices))


def _with_rows(footer, rows):
    kind, groups = footer[4].value
    changed = [{**groups[0], 3: Field(6, rows)}, *groups[1:]]
    return {**footer, 3: Field(6, footer[3].value - 4 + rows), 4: Field(9, (kind, changed))}


@pytest.mark.parametrize("rows", [0, 3, 5, 2**40, 2**62, -1])
def test_wrong_numbers_of_rows_give_findings(vertices, rows):
    assert errors_among(validate(edited(vertices, lambda footer: _with_rows(footer, rows))))


def test_pages_that_would_be_far_larger_than_their_bytes_are_not_unpacked(tmp_path):
    path = written(tmp_path / "a", {"data": np.zeros(10)})
    data = path.read_bytes()
    header, size = read_fields(data[4:200])
    for unpacked in (2**30, 2**31 - 1):
        bomb = write_fields({**header, 2: Field(5, unpacked)})
        shift = len(bomb) - size

        def moved(footer, shift=shift):
            kind, groups = footer[4].value
            column = groups[0][1].value[1][0]
            chunk = {**column[3].value, 7: Field(6, column[3].value[7].value + shift)}
            group = {**groups[0], 1: Field(9, (12, [{**column, 3: Field(12, chunk)}]))}
            return {**footer, 4: Field(9, (kind, [group]))}

        (tmp_path / "b").write_bytes(data[:4] + bomb + data[4 + size :])
        finding = only(validate(edited(tmp_path / "b", moved)), "page-size")
        assert (finding.column, finding.row_group) == ("data", 0)


def test_findings_are_json_and_exit_codes(tmp_path, vertices):
    found = validate(vertices, RIGHT | {"length": 9})
    (told,) = json.loads(json.dumps([finding.to_json() for finding in found]))
    assert set(told) == {"severity", "code", "message", "blob", "column", "row_group"}
    assert (told["severity"], told["code"], told["blob"]) == ("error", "length", str(vertices))
    assert (exit_code(found), exit_code([]), exit_code(validate(vertices))) == (1, 0, 0)
    assert "length" in str(found[0])


def test_very_many_blobs_are_checked_by_their_footers(tmp_path, vertices):
    for number in range(200):
        os.link(vertices, tmp_path / f"{number}.parquet")
    (tmp_path / "7.parquet").unlink()
    (tmp_path / "7.parquet").write_bytes(b"damaged")
    paths = [tmp_path / f"{number}.parquet" for number in range(200)]
    found = validate_many(paths, footer_only=True, role="geometry")
    assert list(found) == [str(path) for path in paths]
    assert [path for path, findings in found.items() if findings] == [str(paths[7])]
    described = {path: RIGHT | {"length": 10 + (number == 9)} for number, path in enumerate(paths)}
    told = validate_many(described)
    assert {path for path, findings in told.items() if findings} == {str(paths[7]), str(paths[9])}


@pytest.mark.cluster
def test_a_cluster_checks_row_groups(tmp_path, cluster_client):
    path = written(tmp_path / "a", {"x": np.arange(10.0), "y": np.append(np.zeros(9), np.nan)}, row_group_size=1)
    finding = only(validate(path, role="geometry"), "nan")
    assert (finding.column, finding.row_group) == ("y", 9)
    assert len(validate_many([path, path], footer_only=True)) == 1


def test_row_groups_are_checked_in_tasks_as_they_are_without(tmp_path, monkeypatch):
    values = np.append(np.zeros(999), np.nan)
    path = written(tmp_path / "a", {"data": values}, row_group_size=100)
    expected = validate(path, role="geometry")
    monkeypatch.setattr("akdask.evo.tuning.ROWS_WITHOUT_TASKS", 0)
    assert validate(path, role="geometry") == expected
    assert only(expected, "nan").row_group == 9


@pytest.mark.parametrize("wrong", [{"role": "vertex"}, {"vertices": -1}, {"rows": 1.5}, {"active": "3"}, {"lookup": 5}])
def test_arguments_that_make_no_sense_are_refused(vertices, wrong):
    with pytest.raises((ArgumentError, evo.EvoError)):
        validate(vertices, **wrong)


def test_lookup_tables_that_make_no_sense_are_refused(vertices):
    with pytest.raises(ContentError):
        validate(vertices, lookup=pa.table({"k": pa.array([1, 1]), "v": ["x", "y"]}))
