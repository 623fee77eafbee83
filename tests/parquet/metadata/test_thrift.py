import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.formats.parquet.thrift import Field, ThriftError, read_fields, read_struct, write_fields


def footer_of(table, **options):
    file = io.BytesIO()
    pq.write_table(table, file, **options)
    data = file.getvalue()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


@pytest.mark.parametrize(
    "options",
    [{}, {"version": "1.0"}, {"write_statistics": False}, {"row_group_size": 1}, {"write_page_index": True}],
    ids=repr,
)
def test_footers_of_pyarrow_are_written_as_they_were_read(options):
    table = pa.table({"a": [1.5, None] * 9, "s": ["x", "y"] * 9, "t": pa.array(range(18), pa.timestamp("us", "UTC"))})
    footer = footer_of(table, **options)
    fields, size = read_fields(footer)
    assert size == len(footer)
    assert write_fields(fields) == footer


_KINDS = st.one_of(
    st.builds(Field, st.sampled_from([4, 5, 6]), st.integers(-(2**63), 2**63 - 1)),
    st.booleans().map(lambda value: Field(1 if value else 2, value)),
    st.builds(Field, st.just(8), st.binary(max_size=20)),
    st.builds(Field, st.just(7), st.binary(min_size=8, max_size=8)),
)
_STRUCTS = st.recursive(
    st.dictionaries(st.integers(1, 40), _KINDS, max_size=4),
    lambda inner: st.dictionaries(
        st.integers(1, 40),
        st.one_of(
            _KINDS,
            st.builds(Field, st.just(12), inner),
            st.builds(Field, st.just(9), st.tuples(st.just(12), st.lists(inner, max_size=20))),
            st.builds(Field, st.just(9), st.tuples(st.just(6), st.lists(st.integers(-9, 9), max_size=20))),
        ),
        max_size=4,
    ),
    max_leaves=6,
)


@given(_STRUCTS)
def test_structures_are_read_as_they_were_written(fields):
    data = write_fields(fields)
    assert read_fields(data) == (fields, len(data))


@given(_STRUCTS)
def test_fields_have_the_values_of_the_structure(fields):
    assert _plain(fields) == read_struct(write_fields(fields))[0]


def _plain(fields):
    return {number: _value(*field) for number, field in fields.items()}


def _value(kind, value):
    if kind == 12:
        return _plain(value)
    if kind == 9:
        return [_value(value[0], item) for item in value[1]]
    return value


@given(st.binary(max_size=60))
def test_bytes_that_are_no_structure_are_an_error(data):
    try:
        expected = read_struct(data)[1]
    except ThriftError:
        with pytest.raises(ThriftError):
            read_fields(data)
    else:
        assert read_fields(data)[1] == expected
