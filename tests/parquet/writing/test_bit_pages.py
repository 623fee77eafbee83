import io
import zlib

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from akdask.formats.parquet import bit_pages, loops, write
from akdask.formats.parquet.thrift import read_struct
from akdask.formats.parquet.write import RowGroupAssembly, RowGroupEncoding

TYPES = {
    "int32": (pa.int32(), [7, -3, 2**31 - 1, 8, 9]),
    "near int32": (pa.int32(), [7, -3, 12, 8, 9]),
    "int64": (pa.int64(), [-(2**63), 2**63 - 1, 5, 6, 2**53 + 1]),
    "near int64": (pa.int64(), [2**53 + 1, 2**53, 2**53 + 2, 2**53 + 9]),
    "uint8": (pa.uint8(), [0, 255, 3]),
    "uint64": (pa.uint64(), [2**64 - 1, 1, 2]),
    "float": (pa.float64(), [0.5, float("nan"), -1.5, float("inf")]),
    "string": (pa.string(), ["ore", "", "Schiefer", "é" * 30]),
    "time": (pa.timestamp("us", "UTC"), [0, -1, 10**15]),
    "bool": (pa.bool_(), [True, False]),
}


@pytest.fixture
def small_pages(monkeypatch):
    monkeypatch.setattr(bit_pages, "PARQUET_PAGE_ROWS", 40)
    monkeypatch.setattr(
        write, "has_repeats", lambda column: column.null_count < len(column) and not pa.types.is_boolean(column.type)
    )


@st.composite
def columns(draw):
    kind, known = TYPES[draw(st.sampled_from(sorted(TYPES)))]
    item = st.sampled_from([*known, None] if draw(st.booleans()) else known)
    runs = draw(st.lists(st.tuples(item, st.sampled_from([1, 1, 2, 3, 8, 9, 50])), min_size=1, max_size=60))
    rows = [value for value, times in runs for _ in range(times)]
    array = pa.array(rows, kind)
    cut = draw(st.integers(0, len(rows)))
    return pa.chunked_array([array[:cut], array[cut:]])


def assembled(groups):
    assembly = RowGroupAssembly()
    parts = [assembly.start()]
    for group in groups:
        parts += map(bytes, assembly.add(group))
    return b"".join([*parts, *assembly.finish()])


def arrow_file(table, names):
    out = io.BytesIO()
    pq.write_table(table, out, compression="gzip", use_dictionary=names, version="2.4", store_schema=False)
    return pq.ParquetFile(out)


def facts(statistics):
    return statistics.null_count, statistics.has_min_max, str(statistics.min), str(statistics.max)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns(), columns(), st.booleans())
def test_pages_of_bits_hold_what_pages_of_arrow_hold(small_pages, tmp_path_factory, first, second, is_optional):
    rows = min(len(first), len(second))
    columns = [first.slice(0, rows), second.slice(0, rows)]
    optional = [is_optional or column.null_count > 0 for column in columns]
    fields = [pa.field(n, c.type, nullable=o) for n, c, o in zip("ab", columns, optional, strict=True)]
    table = pa.table(columns, schema=pa.schema(fields))
    encoding = RowGroupEncoding(level=6, dictionaries=None)
    data = assembled([encoding.encode(table), encoding.encode(table.slice(rows // 2))])
    expected = pa.concat_tables([table, table.slice(rows // 2)])
    path = tmp_path_factory.mktemp("pages") / "blob.parquet"
    path.write_bytes(data)
    assert pq.read_table(path).to_pydict().__repr__() == expected.to_pydict().__repr__()
    assert pl.read_parquet(path).to_dict(as_series=False).__repr__() == expected.to_pydict().__repr__()
    answer = duckdb.sql(f"SET TimeZone = 'UTC'; SELECT * FROM '{path}'").to_arrow_table()
    assert answer.cast(expected.schema).to_pydict().__repr__() == expected.to_pydict().__repr__()

    whole = pq.ParquetFile(path).metadata
    for number, part in enumerate([table, table.slice(rows // 2)]):
        names = [name for name in "ab" if write.has_repeats(part[name])]
        group, other = whole.row_group(number), arrow_file(part.combine_chunks(), names).metadata.row_group(0)
        assert group.num_rows == len(part)
        assert group.total_byte_size == sum(group.column(n).total_uncompressed_size for n in range(2))
        for place in range(2):
            chunk, known = group.column(place), other.column(place)
            assert facts(chunk.statistics) == facts(known.statistics)
            assert (chunk.num_values, chunk.encodings, chunk.compression) == (len(part), known.encodings, "GZIP")
            assert chunk.has_dictionary_page == known.has_dictionary_page
            check_pages(data, chunk)


def check_pages(data, chunk):
    """Check the places and sizes that a footer tells against the headers of the pages."""
    start = at = chunk.dictionary_page_offset if chunk.has_dictionary_page else chunk.data_page_offset
    unpacked = rows = 0
    while at < start + chunk.total_compressed_size:
        header, size = read_struct(data[at:])
        assert (at < chunk.data_page_offset) == (header[1] == 2)
        body = zlib.decompress(data[at + size : at + size + header[3]], 31)
        assert len(body) == header[2]
        rows += header[5][1] if header[1] == 0 else 0
        unpacked += size + header[2]
        at += size + header[3]
    assert (at, unpacked, rows) == (
        start + chunk.total_compressed_size,
        chunk.total_uncompressed_size,
        chunk.num_values,
    )


def test_chunks_of_a_column_do_not_show_and_large_dictionaries_are_those_of_arrow(small_pages, monkeypatch):
    whole = pa.table({"s": [str(number % 9) for number in range(100)]})
    pieces = pa.concat_tables([whole.slice(0, 33), whole.slice(33)])
    encoding = RowGroupEncoding(level=6, dictionaries=None)
    data = assembled([encoding.encode(whole)])
    assert assembled([encoding.encode(pieces)]) == data
    monkeypatch.setattr(write, "_DICTIONARY_BYTES", 20)
    out = io.BytesIO()
    options = {"compression": "gzip", "compression_level": 6, "version": "2.4", "store_schema": False}
    pq.write_table(whole, out, use_dictionary=["s"], dictionary_pagesize_limit=20, **options)
    assert assembled([encoding.encode(pieces)]) == out.getvalue()


def decoded(packed, width, count):
    """Return positions of runs, as the specification of Parquet has them."""
    found, at = [], 0
    while at < len(packed):
        header = shift = 0
        while True:
            byte = packed[at]
            header |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                break
        nbytes = (header >> 1) * width if header & 1 else (width + 7) // 8
        bits = int.from_bytes(packed[at : at + nbytes], "little")
        assert at + nbytes <= len(packed)
        at += nbytes
        if header & 1:
            found += [bits >> width * place & (1 << width) - 1 for place in range(8 * (header >> 1))]
        else:
            found += [bits] * (header >> 1)
    assert not any(found[count:])
    assert len(found) - count < 8
    return found[:count]


@given(st.integers(1, 31), st.lists(st.tuples(st.integers(0, 2**31 - 1), st.integers(1, 40)), max_size=80))
@example(31, [(2**31 - 1 - n, 1) for n in range(520)])
@example(1, [(n, 1) for n in range(1009)])
@example(3, [(1, 1), (5, 2000)])
def test_positions_are_packed(width, runs):
    positions = [value % 2**width for value, times in runs for _ in range(times)]
    room = np.full((len(positions) // 8 + 1) * (width + 6) + 16, 0xAB, np.uint8)
    size = loops.pack_positions(np.array(positions, np.int32), width, room)
    assert decoded(room[:size].tobytes(), width, len(positions)) == positions


def test_a_long_run_of_a_position_takes_few_bytes():
    room = np.empty(10**6, np.uint8)
    assert loops.pack_positions(np.full(10**5, 9, np.int32), 4, room) == 4


@given(
    st.lists(st.integers(-20, 20), min_size=1, max_size=90),
    st.integers(-(2**62), 2**62),
    st.sampled_from([np.int32, np.int64]),
)
def test_values_are_numbered_as_arrow_numbers_them(items, base, dtype):
    values = np.array(items, dtype) + (dtype(base) if dtype == np.int64 else dtype(5))
    column = pa.chunked_array([pa.array(values)])
    known = pa.array(values).dictionary_encode()
    positions, dictionary = bit_pages.codes_of(column)
    assert positions.tolist() == known.indices.to_pylist()
    assert dictionary.equals(known.dictionary)


RANDOM = np.random.default_rng(3)
SMALL = RANDOM.integers(0, 256, 2000, np.uint8).tobytes()


@pytest.mark.parametrize(
    ("data", "hardly_repeats"),
    [
        (np.packbits(RANDOM.random(2**19) < 0.3).tobytes(), True),
        (RANDOM.bytes(2**16), True),
        (RANDOM.bytes(2**16) + SMALL * 30, False),
        (RANDOM.bytes(30_000) * 3, False),
        (np.repeat(RANDOM.integers(0, 256, 2**13, np.uint8), RANDOM.integers(1, 4, 2**13)).tobytes(), False),
        (bytes(2**16), False),
        (b"x", True),
        (b"", True),
    ],
)
def test_a_search_is_left_out_where_it_finds_nothing(data, hardly_repeats):
    def by_zlib(strategy):
        packer = zlib.compressobj(3, zlib.DEFLATED, 31, 9, strategy)
        return packer.compress(data) + packer.flush()

    packed = bit_pages.gzipped(data, 3)
    assert zlib.decompress(packed, 31) == data
    assert packed == by_zlib(zlib.Z_HUFFMAN_ONLY if hardly_repeats else zlib.Z_DEFAULT_STRATEGY)
    assert len(packed) <= 1.01 * len(by_zlib(zlib.Z_DEFAULT_STRATEGY))


def test_columns_of_several_pages_of_bits_are_one_row_group():
    rows = 2**17 + 5
    table = pa.table({"codes": RANDOM.integers(0, 20, rows), "flags": RANDOM.random(rows) < 0.5})
    group = RowGroupEncoding(level=6, dictionaries=None).encode(table)
    assert len(group.pages) == 5
    data = assembled([group])
    assert pq.read_table(io.BytesIO(data)).equals(table)
    footer, _ = read_struct(data[-8 - int.from_bytes(data[-8:-4], "little") :])
    # Pages by their type, 2 for dictionaries, and their encoding, 8 for codes.
    counts = [column[3][13] for column in footer[4][0][1]]
    assert counts == [[{1: 2, 2: 0, 3: 1}, {1: 0, 2: 8, 3: 2}], [{1: 0, 2: 0, 3: 2}]]
