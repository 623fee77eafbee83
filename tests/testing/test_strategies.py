import numpy as np
import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from akdask.testing import assert_equal, strategies

KINDS = {"int64": "i", "uint64": "u", "uint8": "u", "float64": "f", "bool": "b", "str": "U"}
PATIENT = settings(max_examples=2000, database=None, deadline=None, suppress_health_check=list(HealthCheck))


@given(st.data())
def test_partition_lengths_add_up_to_the_rows_asked_for(data):
    rows = data.draw(strategies.row_counts())
    lengths = data.draw(strategies.partition_lengths(rows, max_partitions=3))
    assert sum(lengths) == rows
    assert 1 <= len(lengths) <= 3
    assert min(lengths) >= 0


def test_empty_partitions_come_at_any_place():
    for place in (0, 1, 2):
        found = find(
            strategies.partition_lengths(),
            lambda found, k=place: len(found) == 3 and found[k] == 0 < sum(found),
            settings=PATIENT,
        )
        assert found[place] == 0


@pytest.mark.parametrize("dtype", strategies.DTYPES)
@given(data=st.data())
def test_columns_have_the_type_and_length_asked_for(dtype, data):
    column = data.draw(strategies.columns(dtype, 4))
    assert column.dtype.kind == KINDS[dtype]
    assert column.shape == (4,)


@pytest.mark.parametrize(
    ("dtype", "wanted"),
    [
        ("int64", lambda column: (column == -(2**63)).any()),
        ("uint64", lambda column: (column == 2**64 - 1).any()),
        ("float64", lambda column: np.isnan(column).any()),
        ("float64", lambda column: np.isinf(column).any()),
        ("str", lambda column: (column == "").any()),
        ("str", lambda column: any(len(word.encode()) > len(word) for word in column)),
    ],
)
def test_extremes_are_among_the_columns(dtype, wanted):
    assert wanted(find(strategies.columns(dtype, 3), wanted, settings=PATIENT))


@given(strategies.columns("str"))
def test_strings_can_be_stored_in_arkouda_files(column):
    assert not any("\0" in word for word in column)
    for word in column:
        word.encode()


@given(st.data())
def test_tables_have_one_column_of_each_type(data):
    table = data.draw(strategies.tables([2, 0, 3]))
    assert set(table) == set(strategies.DTYPES)
    assert {len(column) for column in table.values()} == {5}


@pytest.mark.parametrize("dtype", strategies.DTYPES)
@given(data=st.data())
def test_lazy_arrays_come_with_the_numpy_array_that_they_equal(dtype, data):
    lazy, expected = data.draw(strategies.arrays(dtype))
    assert_equal(lazy, expected, lazy=True)


def test_rows_are_cut_into_the_partitions_asked_for():
    assert_equal(strategies.partitioned(np.arange(3), [0, 2, 1]), np.arange(3), lengths=[0, 2, 1])
