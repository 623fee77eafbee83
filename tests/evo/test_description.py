import pickle

import pyarrow as pa
import pytest

from akdask.evo.description import ArrayDescription, surplus_keys
from akdask.evo.errors import DescriptionError, EvoError, IdentifierError, KindError
from akdask.evo.kinds import TYPES

NAME = "ab" * 32

# Section 3 of the expectations: columns of two rows, and the keys beside `data`.
EXPECTED = [
    (["float64"], "float-array-1", {"length": 2, "width": 1, "data_type": "float64"}),
    (["float64"] * 3, "float-array-3", {"length": 2, "width": 3, "data_type": "float64"}),
    (["uint64"] * 3, "index-array-3", {"length": 2, "width": 3, "data_type": "uint64"}),
    (["int64"], "integer-array-1-int64", {"length": 2, "width": 1, "data_type": "int64"}),
    (["bool"], "bool-array-1", {"length": 2, "data_type": "bool"}),
    (["bool", "bool"], "bool-array-md", {"length": 2, "width": 2, "data_type": "bool"}),
    (["uint8"], "brep-container-brep", {"length": 2, "width": 1, "data_type": "uint8"}),
    (["uint32"], "color-array", {"length": 2, "data_type": "uint32"}),
    (["timestamp"], "date-time-array", {"length": 2, "data_type": "timestamp"}),
    (["string"], "string-array", {"length": 2, "data_type": "string"}),
    (
        ["int32", "string"],
        "lookup-table-int32",
        {"length": 2, "keys_data_type": "int32", "values_data_type": "string"},
    ),
    (
        ["int32", "uint64", "uint64"],
        "downhole-collection-location-holes",
        {"length": 2, "width": 3, "data_type": "int32/uint64/uint64"},
    ),
]


@pytest.mark.parametrize(("types", "kind", "keys"), EXPECTED)
def test_section_3_a_table_is_described_by_the_keys_of_its_kind(types, kind, keys):
    schema = pa.schema([(f"any{number}", TYPES[name]) for number, name in enumerate(types)])
    described = ArrayDescription.of_schema(schema, 2, NAME)
    assert described.to_json() == {"data": NAME, **keys}
    assert described.kind == kind
    again = ArrayDescription.from_json(described.to_json())
    assert again == described == pickle.loads(pickle.dumps(described))
    assert again.arrow_types == tuple(TYPES[name] for name in types)


def test_section_3_width_is_1_and_two_columns_of_lookup_tables_where_it_is_missing():
    assert ArrayDescription.from_json({"data": NAME, "length": 1, "data_type": "float64"}).width == 1
    lookup = {"data": NAME, "length": 1, "keys_data_type": "int64", "values_data_type": "string"}
    assert ArrayDescription.from_json(lookup).arrow_types == (pa.int64(), pa.string())


def test_section_3_a_list_of_equal_types_is_one_type():
    given = {"data": NAME, "length": 1, "width": 2, "data_type": "int32/int32"}
    assert ArrayDescription.from_json(given).to_json()["data_type"] == "int32"


@pytest.mark.parametrize(
    "wrong",
    [
        {"length": -1}, {"length": 1.5}, {"length": True}, {"length": "3"}, {"length": None}, {"length": 2**63},
        {"width": 0}, {"width": -1}, {"width": "3"}, {"width": None}, {"width": 2**40},
        {"data_type": None}, {"data_type": "float32"}, {"data_type": "Float64"}, {"data_type": 3}, {"data_type": ""},
        {"data_type": "int32/uint64"}, {"data_type": "float64/float64/float64/float64"}, {"data_type": "float64/"},
        {"keys_data_type": "int32"}, {"keys_data_type": "int32", "values_data_type": "string"},
        {"data": "abc"}, {"data": "../../etc/passwd"}, {"data": 5}, {"data": "g" * 64}, {"data": NAME + "\n"},
        {"data": None},
    ],
    ids=repr,
)  # fmt: skip
def test_section_3_descriptions_that_make_no_sense_are_refused(wrong):
    with pytest.raises(DescriptionError) as caught:
        ArrayDescription.from_json({"data": NAME, "length": 2, "width": 3, "data_type": "float64", **wrong})
    assert isinstance(caught.value, EvoError)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("lacking", ["data", "length", "data_type"])
def test_section_3_descriptions_that_lack_something_are_refused(lacking):
    given = {"data": NAME, "length": 2, "width": 3, "data_type": "float64"}
    del given[lacking]
    with pytest.raises(DescriptionError):
        ArrayDescription.from_json(given)


@pytest.mark.parametrize(
    "lookup",
    [
        {"keys_data_type": "int32"}, {"values_data_type": "string"}, {"keys_data_type": "int32", "width": 3},
        {"keys_data_type": "string", "values_data_type": "int32"}, {"keys_data_type": 1, "values_data_type": "string"},
        {"data_type": "int32/string", "width": 2},
    ],
    ids=repr,
)  # fmt: skip
def test_section_3_lookup_tables_have_types_of_keys_and_of_values(lookup):
    with pytest.raises((DescriptionError, KindError)):
        ArrayDescription.from_json({"data": NAME, "length": 2, **lookup})


@pytest.mark.parametrize(("width", "name"), [(5, "uint64"), (2, "string"), (2, "uint32")])
def test_section_3_descriptions_of_no_kind_are_refused(width, name):
    with pytest.raises(KindError):
        ArrayDescription.from_json({"data": NAME, "length": 2, "width": width, "data_type": name})


def test_section_8_names_are_digests_in_either_case_or_uuids_and_come_in_lower_case():
    given = {"length": 2, "data_type": "bool"}
    assert ArrayDescription.from_json({**given, "data": NAME.upper()}).data == NAME
    uuid = "01234567-89AB-CDEF-0123-456789ABCDEF"
    described = ArrayDescription.from_json({**given, "data": uuid})
    assert described.data == uuid.lower()
    assert not described.is_hashed
    with pytest.raises(IdentifierError):
        ArrayDescription.from_json({**given, "data": uuid.replace("-", "")})


def test_section_11_null_is_no_data_of_length_0():
    assert ArrayDescription.from_json({"data": None, "data_type": "float64"}).length == 0
    assert ArrayDescription.from_json({"data": None, "length": 0, "data_type": "bool"}).to_json() == {
        "data": None, "length": 0, "data_type": "bool"
    }  # fmt: skip


def test_section_10_keys_that_the_kind_does_not_have_are_told_but_for_the_width_of_bools():
    given = {"data": NAME, "length": 2, "width": 1}
    assert surplus_keys({**given, "data_type": "bool"}) == []
    assert surplus_keys({**given, "data_type": "uint32"}) == ["width"]
    assert surplus_keys({**given, "data_type": "float64"}) == []


def test_other_keys_are_passed_over():
    given = {"data": NAME, "length": 2, "data_type": "bool", "nan_description": {"values": []}}
    assert ArrayDescription.from_json(given).kind == "bool-array-1"


@pytest.mark.parametrize("given", [None, [], "text", 3])
def test_what_is_no_map_is_refused(given):
    with pytest.raises(DescriptionError):
        ArrayDescription.from_json(given)


def test_lengths_that_json_has_as_floats_are_integers():
    given = {"data": "ab" * 32, "length": 3.0, "width": 2.0, "data_type": "float64"}
    assert ArrayDescription.from_json(given).to_json() == {**given, "length": 3, "width": 2}
    with pytest.raises(DescriptionError):
        ArrayDescription.from_json({**given, "length": 3.5})
