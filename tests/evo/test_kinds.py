import pyarrow as pa
import pytest

from akdask.evo.errors import EvoError, KindError
from akdask.evo.kinds import KINDS, TYPES, data_type_of, kind_of_schema, kind_of_types, readable_name, type_name

# As section 3 of the format has them: number of columns, types, kind.
NAMED = [
    *[(["float64"] * width, f"float-array-{width}") for width in (1, 2, 3, 6)],
    *[(["float64"] * width, "float-array-md") for width in (4, 5, 7, 100)],
    *[(["uint64"] * width, f"index-array-{width}") for width in (1, 2, 3, 4, 8)],
    (["int32"], "integer-array-1-int32"),
    (["int64"], "integer-array-1-int64"),
    (["int32"] * 2, "integer-array-md-int32"),
    (["int64"] * 3, "integer-array-md-int64"),
    (["bool"], "bool-array-1"),
    (["bool"] * 4, "bool-array-md"),
    (["uint8"], "brep-container-brep"),
    (["uint32"], "color-array"),
    (["timestamp"], "date-time-array"),
    (["string"], "string-array"),
    (["int32", "uint64", "uint64"], "downhole-collection-location-holes"),
    (["int32", "uint64", "int32"], "unstructured-grid-geometry-cells"),
    (["uint64", "uint64", "float64"], "lines-2d-indices"),
    (["int32", "string"], "lookup-table-int32"),
    (["int64", "string"], "lookup-table-int64"),
]

KINDLESS = [
    *[["uint64"] * width for width in (5, 6, 7, 9)],
    ["uint8"] * 2,
    ["uint32"] * 2,
    ["timestamp"] * 2,
    ["string"] * 2,
    ["string", "int32"],
    ["float64", "int64"],
    [],
]

REFUSED = [
    pa.float32(), pa.float16(), pa.int8(), pa.int16(), pa.uint16(), pa.decimal128(10, 2), pa.date32(), pa.date64(),
    pa.list_(pa.float64()), pa.struct([("a", pa.float64())]), pa.timestamp("us"), pa.timestamp("ns", "UTC"),
    pa.timestamp("ms", "UTC"), pa.timestamp("s", "UTC"), pa.timestamp("us", "Etc/UTC"), pa.timestamp("us", "+00:00"),
    pa.timestamp("us", "Pacific/Auckland"), pa.large_string(), pa.binary(), pa.dictionary(pa.int32(), pa.string()),
    pa.null(), pa.duration("us"), pa.time64("us"),
]  # fmt: skip


@pytest.mark.parametrize(("types", "name"), NAMED)
def test_section_3_columns_have_the_kind_of_the_table(types, name):
    found = kind_of_types(types)
    assert found is not None
    assert found.name == name


def test_section_3_three_floats_are_float_array_3_whatever_they_are_called():
    schema = pa.schema([("b", pa.float64()), ("a", pa.float64()), ("", pa.float64())])
    assert kind_of_schema(schema).name == "float-array-3"


@pytest.mark.parametrize("types", KINDLESS)
def test_section_3_other_columns_have_no_kind(types):
    assert kind_of_types(types) is None
    with pytest.raises(KindError):
        kind_of_schema(pa.schema([(str(number), TYPES[name]) for number, name in enumerate(types)]))


@pytest.mark.parametrize("refused", REFUSED, ids=str)
def test_section_3_everything_else_is_refused_by_name_of_its_column(refused):
    assert type_name(refused) is None
    with pytest.raises(KindError, match="grade") as caught:
        kind_of_schema(pa.schema([("x", pa.float64()), ("grade", refused)]))
    assert isinstance(caught.value, EvoError)
    assert isinstance(caught.value, TypeError)
    assert str(refused) in str(caught.value)


def test_section_3_kinds_are_matched_in_order():
    names = [kind.name for kind in KINDS]
    order = ["float-array-6", "float-array-md", "index-array-8", "integer-array-1-int32", "integer-array-md-int64"]
    order += ["bool-array-1", "bool-array-md", "brep-container-brep", "color-array", "date-time-array", "string-array"]
    order += ["downhole-collection-location-holes", "unstructured-grid-geometry-cells", "lines-2d-indices"]
    assert [name for name in names if name in order] == order
    assert names[-2:] == ["lookup-table-int32", "lookup-table-int64"]


def test_section_3_the_data_type_is_one_name_or_all_of_them():
    assert data_type_of(["float64"] * 3) == "float64"
    assert data_type_of(["int32", "uint64", "uint64"]) == "int32/uint64/uint64"


def test_section_7_zones_of_other_names_are_read_though_they_are_refused():
    assert readable_name(pa.timestamp("us", "Pacific/Auckland")) == "timestamp"
    assert readable_name(pa.timestamp("us")) is None
    assert readable_name(pa.timestamp("ns", "UTC")) is None
