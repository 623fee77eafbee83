"""Fields are packed into groups."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.errors import ArgumentError
from akdask.formats.hdf5.open_files import StoredElements
from akdask.lbann import schema
from akdask.lbann.errors import SampleSizeError, SampleTypeError
from akdask.lbann.transform import groups_of, layout_of, names_of

TEXT = """
a:
  metadata: {pack: g, ordering: 5}
b:
  metadata: {pack: g, ordering: -5, channels: 1, dims: [1, 2]}
c:
  metadata: {channels: 1, dims: [1, 3]}
d:
  metadata: {pack: g, ordering: 5.0}
e:
  metadata: {pack: a, ordering: 0}
"""


@pytest.fixture
def fields():
    return schema.merge(schema.load(TEXT))


def stored(dtypes="fffff", sizes=(1, 2, 3, 4, 5)):
    return {
        name: StoredElements(np.dtype(dtype), size) for name, dtype, size in zip("abcde", dtypes, sizes, strict=True)
    }


def test_members_stand_by_their_ordering_and_ties_in_the_order_of_the_fields(fields):
    assert [field.path for field in groups_of(fields)["g"]] == ["b", "a", "d"]


def test_packed_fields_are_gone_unless_they_are_wanted(fields):
    assert names_of(fields, keep_packed_fields=False) == ("g", "a", "c")
    assert names_of(fields, keep_packed_fields=True) == ("g", "a", "b", "c", "d", "e")


def test_a_group_stands_in_the_place_of_the_field_whose_name_it_has(fields):
    found = layout_of(fields, stored(), keep_packed_fields=True)
    assert (found.sizes["a"], found.dims["a"]) == (5, (5,))


def test_sizes_and_dims(fields):
    found = layout_of(fields, stored(), keep_packed_fields=True)
    assert found.sizes == {"g": 7, "a": 5, "b": 2, "c": 3, "d": 4, "e": 5}
    assert found.dims == {"g": (7,), "a": (5,), "b": (1, 1, 2), "c": (1, 1, 3), "d": (4,), "e": (5,)}
    arrays = found.allocate(3)
    assert {name: values.shape for name, values in arrays.items()} == {name: (3, n) for name, n in found.sizes.items()}
    assert found.fitting(arrays, 3) == arrays
    for wrong in ({}, {**arrays, "g": arrays["g"][:2]}, {**arrays, "g": arrays["g"].astype("f8")}):
        with pytest.raises(ArgumentError, match="'g' needs an array of shape"):
            found.fitting(wrong, 3)


def test_members_of_a_group_have_one_type(fields):
    with pytest.raises(SampleTypeError, match="two types") as caught:
        layout_of(fields, stored("ffffd"), keep_packed_fields=False) and layout_of(
            fields, stored("fdfff"), keep_packed_fields=False
        )
    assert caught.value.findings == ("b is float64", "a is float32", "d is float32")


def test_fields_of_later_samples_are_compared_with_the_first(fields):
    first = layout_of(fields, stored(), keep_packed_fields=False)
    first.check_same("a", layout_of(fields, stored(sizes=(1, 2, 3, 4, 9)), keep_packed_fields=False))
    with pytest.raises(SampleSizeError, match="1 elements, but 9"):
        first.check_same("a", layout_of(fields, stored(sizes=(9, 2, 3, 4, 5)), keep_packed_fields=False))
    with pytest.raises(SampleTypeError, match="float32 elements, but float64"):
        first.check_same("e", layout_of(fields, stored("ffffd"), keep_packed_fields=False))
