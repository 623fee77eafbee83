import numpy as np
import pyarrow as pa
import pytest

from akdask.evo.canonical import CanonicalForm, canonical_names, table_of
from akdask.evo.kinds import ROLES


@pytest.mark.parametrize(("width", "rows"), [(1, 2**17), (3, 2**17), (128, 2**17), (129, 2**16), (4096, 2**12)])
def test_section_2_rows_of_a_row_group_are_decided_by_the_types_alone(width, rows):
    schema = pa.schema([(str(number), pa.float64()) for number in range(width)])
    assert CanonicalForm.of(schema, ROLES["attribute"]).group_rows == rows


@pytest.mark.parametrize(
    "kind", [pa.int64(), pa.int32(), pa.uint32(), pa.bool_(), pa.string(), pa.timestamp("us", "UTC")]
)
def test_section_2_row_groups_of_types_whose_values_repeat_are_larger(kind):
    form = CanonicalForm.of(pa.schema([("a", kind)]), ROLES["attribute"])
    assert form.group_rows == 2**19


def test_section_11_names_are_those_of_the_kind():
    assert canonical_names("float-array-3", 3) == ("x", "y", "z")
    assert canonical_names("lookup-table-int64", 2) == ("key", "value")
    assert canonical_names("index-array-8", 8) == tuple(f"n{number}" for number in range(8))
    assert canonical_names("float-array-md", 4) == ("c0", "c1", "c2", "c3")


def test_section_4_text_of_numpy_keeps_its_nul_characters():
    assert table_of(np.array(["a\0b", "c"]))["0"].to_pylist() == ["a\0b", "c"]


def test_masked_arrays_have_nulls():
    masked = np.ma.masked_array([1.0, 2.0], mask=[False, True])
    assert table_of({"a": masked})["a"].to_pylist() == [1.0, None]
    assert table_of(masked)["0"].to_pylist() == [1.0, None]
