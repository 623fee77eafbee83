import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.formats.parquet import thrift
from akdask.formats.parquet.columns import leaves_of
from akdask.formats.parquet.thrift import (
    Field,
    ThriftError,
    read_fields,
    read_row_groups,
    read_struct,
    row_groups_of,
    write_fields,
)


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


ALL_TYPES = pa.table({
    "i": pa.array([3, None, -2**63] * 6, pa.int64()),
    "u": pa.array([3, 2**32 - 1, None] * 6, pa.uint32()),
    "f": [1.5, None, -0.0] * 6,
    "b": [True, False, None] * 6,
    "s": ["x", "longer than sixteen bytes", ""] * 6,
    "n": pa.array([None] * 18, pa.string()),
    "w": pa.array([b"ab", None, b"zz"] * 6, pa.binary(2)),
    "l": [[1, 2], [], None] * 6,
    "t": pa.array(range(18), pa.timestamp("us", "UTC")),
})  # fmt: skip
FORMS = [
    {},
    {"version": "1.0"},
    {"write_statistics": False},
    {"row_group_size": 1, "compression": "gzip"},
    {"write_page_index": True, "use_dictionary": False},
]


def both_ways(footer, leaves, end):
    """Return row groups by the loop, None where it leaves them to the general way, and by that, None if it refuses."""
    plain = thrift._plain_row_groups(footer, leaves, end)
    try:
        general = row_groups_of(read_struct(footer)[0], leaves, end)
    except (ThriftError, IndexError, TypeError, AttributeError, OverflowError):
        return plain, None
    return plain, general


def are_same(plain, general):
    return plain[0].tolist() == general[0].tolist() and plain[1].tobytes() == general[1].tobytes()


def written(options):
    footer = footer_of(ALL_TYPES, **options)
    file = io.BytesIO()
    pq.write_table(ALL_TYPES, file, **options)
    return footer, leaves_of(pq.read_metadata(file)), len(file.getvalue()) - 8 - len(footer)


WRITTEN = [written(options) for options in FORMS]


@pytest.mark.parametrize("form", range(len(FORMS)))
def test_row_groups_of_footers_as_most_writers_have_them_are_read_by_the_loop(form):
    plain, general = both_ways(*WRITTEN[form])
    assert are_same(plain, general)
    assert are_same(read_row_groups(*WRITTEN[form]), general)


@given(
    st.integers(0, len(FORMS) - 1),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=2),
    st.none() | st.floats(0, 1),
)
@example(0, [], 0.5)
def test_row_groups_of_spoilt_footers_are_those_of_the_general_way(form, changes, kept):
    footer, leaves, end = WRITTEN[form]
    spoilt = bytearray(footer)
    for place, byte in changes:
        spoilt[int(place * len(footer))] = byte
    plain, general = both_ways(bytes(spoilt[: None if kept is None else int(kept * len(footer))]), leaves, end)
    assert plain is None or are_same(plain, general)


@given(st.data())
def test_row_groups_with_other_fields_are_those_of_the_general_way(data):
    form = data.draw(st.integers(0, len(FORMS) - 1))
    footer, leaves, end = WRITTEN[form]
    fields, _ = read_fields(footer)
    group = data.draw(st.sampled_from(fields[4].value[1]))
    column = data.draw(st.sampled_from(group[1].value[1]))
    about = column[3].value
    changed = [fields, group, column, about, *([about[12].value] if 12 in about else [])]
    changed = data.draw(st.sampled_from(changed))
    number = data.draw(st.sampled_from(sorted(changed)) | st.integers(1, 13))
    if data.draw(st.booleans()):
        changed.pop(number, None)
    else:
        near = st.integers(-2, 20) | st.integers(end - 9, end + 9)
        changed[number] = data.draw(st.builds(Field, st.sampled_from([5, 6]), near) | _KINDS)
    plain, general = both_ways(write_fields(fields), leaves, end)
    assert plain is None or are_same(plain, general)
