from __future__ import annotations

from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.caches import clear_caches
from akdask.columns.table import concat_rows, to_objects
from akdask.errors import AkdaskError, FileFormatError
from akdask.formats import tuning
from akdask.formats.parquet import loops
from akdask.formats.parquet import reader as parquet_reader
from akdask.formats.parquet.codecs import _claimed_by_frame, claimed_size
from akdask.formats.parquet.file_set import open_set
from akdask.formats.parquet.footers import inspect_file
from akdask.formats.parquet.page_lists import ChunkPlace, NoPlainPagesError, PageField, PageList
from akdask.formats.parquet.pages import NumberPageReader
from akdask.formats.parquet.reader import ParquetPartReader, RowGroupPartReader
from akdask.storage import tuning as storage_tuning
from akdask.storage.files import identify
from akdask.storage.objects import VALUES
from akdask.storage.ranges import _LocalReader, range_reader

NUMBERS = {
    "int64": st.integers(-(2**63), 2**63 - 1),
    "int32": st.integers(-(2**31), 2**31 - 1),
    "int8": st.integers(-128, 127),
    "uint64": st.integers(0, 2**64 - 1),
    "uint32": st.integers(0, 2**32 - 1),
    "double": st.floats(allow_nan=False),
    "float": st.floats(width=32, allow_nan=False),
}


def readers_of(path, column="x"):
    """Yield the reader of each partition of a column."""
    source = open_set(path).objects([column])[column].members[VALUES].source
    for index, nrows in enumerate(source.lengths):
        with source.part(index, [column]).open() as reader:
            yield reader, nrows


def read_pages(path, step=None):
    """Return the rows of a column, and fail if they need the general reader."""
    found = []
    for reader, nrows in readers_of(path):
        for start in range(0, nrows, step or max(nrows, 1)):
            stop = min(start + (step or nrows), nrows)
            found.append(reader.read("x", start, stop))
        assert all(isinstance(chunk, NumberPageReader) for _, chunk in reader._chunks.values())
        for apart in (1, 2, 37):
            rows = np.arange(nrows)[nrows // 3 :: apart]
            if len(rows):
                chosen, between = to_objects(reader.read_rows("x", rows)), to_objects(reader.read("x", 0, nrows))
                np.testing.assert_array_equal(chosen, [between[row] for row in rows])
    return concat_rows(found) if found else np.empty(0)


@given(data=st.data())
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("nullable", [False, True])
def test_pages_have_what_pyarrow_reads(tmp_path_factory, data, version, nullable):
    name = data.draw(st.sampled_from(sorted(NUMBERS)))
    item = NUMBERS[name] | st.none() if nullable else NUMBERS[name]
    few = st.lists(item, min_size=1, max_size=4).flatmap(lambda some: st.lists(st.sampled_from(some), max_size=600))
    values = pa.array(
        data.draw(st.lists(item, max_size=50) | few),
        getattr(pa, name.replace("double", "float64"))() if name != "float" else pa.float32(),
    )
    path = str(tmp_path_factory.mktemp("pages") / "x.parquet")
    pq.write_table(
        pa.table({"x": values}, schema=pa.schema([pa.field("x", values.type, nullable=nullable)])),
        path,
        compression=data.draw(st.sampled_from(["none", "snappy", "zstd"])),
        use_dictionary=data.draw(st.booleans()),
        data_page_version=version,
        data_page_size=data.draw(st.sampled_from([64, 2**20])),
        write_batch_size=data.draw(st.sampled_from([7, 1024])),
        row_group_size=data.draw(st.sampled_from([100, 2**20])),
    )
    expected = pq.read_table(path).column("x").to_pylist()
    if name in ("double", "float"):
        expected = [np.nan if row is None else row for row in expected]
    # Large pages are kept from one block to the next, small ones unpacked again.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tuning, "PARQUET_SMALL_PAGE", data.draw(st.sampled_from([0, 2**18])))
        patched.setattr(storage_tuning, "LEAST_WINDOW_BYTES", data.draw(st.sampled_from([1, 2**40])))
        if data.draw(st.booleans()):
            # As of remote files, whose pages no loop reads.
            patched.setattr(_LocalReader, "dense_file", None)
        if data.draw(st.booleans()):
            patched.setattr(ParquetPartReader, "_across", lambda *_: None)
        found = read_pages(path, data.draw(st.sampled_from([None, 33, 64]) | st.just(1 if len(values) < 200 else 100)))
    np.testing.assert_array_equal(to_objects(found), expected)


@pytest.mark.parametrize("codec", ["none", "snappy"])
@pytest.mark.parametrize("kind", ["numbers", "few numbers", "nulls", "times", "decimals"])
def test_row_groups_are_read_in_one_loop(tmp_path, monkeypatch, codec, kind):
    """Each has a dictionary of its own, or none, and rows of any of them are wanted."""
    rng = np.random.default_rng(len(kind))
    whole = rng.integers(0, 40, 9000)
    whole[3000:6000] += 1000
    column = {
        "numbers": lambda: pa.array(rng.permutation(9000)),
        "few numbers": lambda: pa.array(whole),
        "nulls": lambda: pa.array(whole, mask=rng.random(9000) < 0.1),
        "times": lambda: pa.array(whole, pa.int32()).cast(pa.date32()),
        "decimals": lambda: pa.array([Decimal(int(row)) / 100 for row in whole], pa.decimal128(9, 2)),
    }[kind]()
    path = tmp_path / "x.parquet"
    options = {"compression": codec, "row_group_size": 2500, "data_page_size": 700, "store_decimal_as_integer": True}
    pq.write_table(pa.table({"x": column}), path, **options)
    some = np.flatnonzero(rng.random(9000) < 0.3)

    def read():
        found = []
        for reader, _ in readers_of(path):
            found += [reader.read("x", *bounds) for bounds in ((0, 9000), (2400, 5100), (17, 8999))]
            found += [reader.read_rows("x", rows) for rows in (some, some[500:])]
        return [to_objects(rows) for rows in found]

    with monkeypatch.context() as patched:
        # Row groups are not opened alone.
        patched.setattr(RowGroupPartReader, "_chunk", None)
        found = read()
    monkeypatch.setattr(ParquetPartReader, "_across", lambda *_: None)
    np.testing.assert_equal(found, read())
    rows = [row for row in pq.read_table(path)["x"].to_pylist() if row is not None]
    if kind in ("numbers", "few numbers"):
        assert found[0] == rows
    elif kind == "decimals":
        assert found[0] == [float(row) for row in rows]


def test_pages_that_loops_do_not_read_are_read_row_group_by_row_group(numbers):
    values = np.arange(9000) % 700
    for options in ({"compression": "zstd"}, {"write_page_checksum": True}, {"column_encoding": "DELTA_BINARY_PACKED"}):
        more = {"use_dictionary": False} if "column_encoding" in options else {}
        path = numbers(values, row_group_size=2500, **options, **more)
        for reader, nrows in readers_of(path):
            assert reader.read("x", 0, nrows).tolist() == values.tolist()
            assert reader._joined == {"x": None}


@pytest.mark.parametrize("by_loop", [True, False])
@pytest.mark.parametrize("dictionary", [True, False])
def test_rows_of_any_page_are_read_alone(numbers, monkeypatch, by_loop, dictionary):
    """Also of remote files, whose pages no loop reads."""
    if not by_loop:
        monkeypatch.setattr(_LocalReader, "dense_file", None)
    values = np.arange(9000) // 3
    path = numbers(values, use_dictionary=dictionary, data_page_size=500, row_group_size=4000)
    rows = np.array([0, 2500, 2501, 3999, 4000, 7777, 8999])
    for first in range(len(rows)):
        for reader, _ in readers_of(path):
            assert reader.read_rows("x", rows[first:]).tolist() == values[rows[first:]].tolist()


TIMES = [
    pa.timestamp("s"),
    pa.timestamp("ms"),
    pa.timestamp("us", "UTC"),
    pa.duration("us"),
    pa.time64("us"),
    pa.date32(),
]


@given(data=st.data(), kind=st.sampled_from([*TIMES, pa.time32("ms"), pa.timestamp("ns")]))
@pytest.mark.parametrize("nullable", [False, True])
def test_times_of_any_unit_are_read_alike_page_by_page_and_through_arrow(tmp_path_factory, data, kind, nullable):
    units = {"date32[day]": 30_000, "time32[ms]": 86_399_999, "time64[us]": 86_399_999_999}
    most = units.get(str(kind), 2**62 // 10**9)
    item = st.integers(0 if "time" in str(kind)[:5] and "stamp" not in str(kind) else -most, most)
    values = data.draw(st.lists(item | st.none() if nullable else item, max_size=300))
    integers = pa.array(values, pa.int32() if kind in (pa.date32(), pa.time32("ms")) else pa.int64())
    path = str(tmp_path_factory.mktemp("times") / "x.parquet")
    pq.write_table(
        pa.table({"x": integers.cast(kind)}),
        path,
        compression=data.draw(st.sampled_from(["none", "snappy", "zstd"])),
        use_dictionary=data.draw(st.booleans()),
        data_page_size=64,
        write_batch_size=7,
    )
    # Days become seconds, and Parquet has seconds as milliseconds.
    scale = 86_400 if kind == pa.date32() else 1000 if kind == pa.timestamp("s") else 1
    expected = [-(2**63) if value is None else value * scale for value in values]
    found = read_pages(path, data.draw(st.sampled_from([None, 33])))
    assert found.tolist() == expected
    for reader, nrows in readers_of(path) if values else ():
        assert reader._general_chunk("x", 0).read(0, nrows).tolist() == expected


@pytest.mark.parametrize("compression", ["none", "snappy"])
@pytest.mark.parametrize("dictionary", [False, True])
@pytest.mark.parametrize("value", [2**62, -(2**63)])
def test_times_beyond_nanoseconds_are_read_page_by_page_as_through_arrow(numbers, compression, dictionary, value):
    times = pa.array([0, value, 1], pa.int64()).cast(pa.timestamp("us"))
    path = numbers(times, compression=compression, use_dictionary=dictionary)
    for reader, nrows in readers_of(path):
        assert reader.read("x", 0, nrows).tolist() == [0, value, 1]


@pytest.fixture
def numbers(tmp_path):
    def write(values, **options):
        path = tmp_path / "x.parquet"
        pq.write_table(pa.table({"x": values}), path, **options)
        return str(path)

    return write


@pytest.mark.parametrize("codec", ["gzip", "brotli", "lz4"])
def test_other_codecs_are_read_in_the_general_way(numbers, codec):
    path = numbers(np.arange(1000), compression=codec)
    with pytest.raises(AssertionError):
        read_pages(path)
    assert [reader.read("x", 5, 9).tolist() for reader, _ in readers_of(path)] == [[5, 6, 7, 8]]


@pytest.mark.parametrize("encoding", ["DELTA_BINARY_PACKED", "BYTE_STREAM_SPLIT"])
def test_other_encodings_are_read_in_the_general_way(numbers, encoding):
    path = numbers(np.arange(1000), use_dictionary=False, column_encoding={"x": encoding})
    assert [reader.read("x", 0, nrows).tolist() for reader, nrows in readers_of(path)] == [list(range(1000))]


@given(data=st.data())
def test_levels_are_read(tmp_path_factory, data):
    runs = data.draw(st.lists(st.tuples(st.booleans(), st.integers(1, 70)), max_size=30))
    values = pa.array([row if there else None for there, times in runs for row in range(times)], pa.int64())
    path = str(tmp_path_factory.mktemp("levels") / "x.parquet")
    pq.write_table(pa.table({"x": values}), path, compression="zstd", use_dictionary=False)
    assert to_objects(read_pages(path)) == values.to_pylist()


def test_only_pages_with_wanted_rows_are_read(numbers, monkeypatch):
    path = numbers(np.arange(100_000), use_dictionary=False, data_page_size=8000, write_batch_size=1000)
    read = []
    monkeypatch.setattr(NumberPageReader, "_decode", lambda *_, **__: 0)
    monkeypatch.setattr(NumberPageReader, "_read_page", _noting(NumberPageReader._read_page, read))
    for reader, _ in readers_of(path):
        assert reader.read("x", 50_500, 50_503).tolist() == [50_500, 50_501, 50_502]
    assert len(read) == 1


def _noting(method, calls):
    def noted(self, *arguments):
        calls.append(arguments)
        return method(self, *arguments)

    return noted


def test_rows_of_plain_pages_are_found_in_the_file(numbers):
    values = np.arange(2**17, dtype=np.float64)
    field = pa.field("x", pa.float64(), nullable=False)
    path = numbers(values)
    pq.write_table(
        pa.table([values], schema=pa.schema([field])),
        path,
        compression="none",
        use_dictionary=False,
        data_page_size=2**18,
        write_batch_size=2**15,
        max_rows_per_page=2**15,
    )
    for opened, _ in readers_of(path):
        found = opened.stretches("x")
        raw = Path(path).read_bytes()
        rows = [np.frombuffer(raw, "<f8", stretch.nrows, stretch.offset) for stretch in found]
        assert np.concatenate(rows).tolist() == values.tolist()


@pytest.mark.parametrize(
    ("lengths", "are_aligned"),
    [((5,), True), ((4, 5), True), ((5, 4), False), ((8, 4, 3), True), ((8, 3, 4), False), ((3, 8, 4), False)],
)
def test_stretches_begin_where_units_of_sums_do(tmp_path, monkeypatch, lengths, are_aligned):
    monkeypatch.setattr(parquet_reader, "ALIGNED_ROWS", 4)
    path = str(tmp_path / "x.parquet")
    schema = pa.schema([pa.field("x", pa.int64(), nullable=False)])
    with pq.ParquetWriter(path, schema, compression="none", use_dictionary=False) as file:
        for length in lengths:
            file.write_table(pa.table([np.arange(length)], schema=schema))
    for opened, _ in readers_of(path):
        found = opened.stretches("x")
        assert (found and [stretch.nrows for stretch in found]) == (list(lengths) if are_aligned else None)


# ------------------------------------------------------------------------------------------------------ damaged pages


def first_page(path):
    """Return where the first data page begins."""
    return pq.read_metadata(path).row_group(0).column(0).data_page_offset


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd", "gzip"])
@pytest.mark.parametrize("dictionary", [False, True])
@pytest.mark.parametrize("dtype", [np.int64, np.int32])
def test_pages_are_compared_with_their_checksums(numbers, codec, dictionary, dtype):
    values = np.random.default_rng(0).integers(0, 700, 1000).astype(dtype)
    path = numbers(values, use_dictionary=dictionary, compression=codec, write_page_checksum=True)
    assert [reader.read("x", 0, nrows).tolist() for reader, nrows in readers_of(path)] == [values.tolist()]
    raw = Path(path).read_bytes()
    chunk = pq.read_metadata(path).row_group(0).column(0)
    start = chunk.dictionary_page_offset or chunk.data_page_offset
    for place in (start + 400, chunk.data_page_offset + 500):
        Path(path).write_bytes(raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :])
        with pytest.raises(FileFormatError, match="checksum"):
            [reader.read("x", 900, 901) for reader, _ in readers_of(path)]


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("dictionary", [False, True])
def test_a_flipped_bit_is_an_error_or_a_value_never_anything_else(numbers, codec, dictionary):
    path = numbers(
        pa.array([None if row % 9 == 0 else row % 40 for row in range(2000)]),
        compression=codec,
        use_dictionary=dictionary,
        data_page_size=2000,
    )
    raw = Path(path).read_bytes()
    end = len(raw) - 8 - int.from_bytes(raw[-8:-4], "little")
    outcomes = set()
    for place in range(4, end, max(end // 60, 1)):
        Path(path).write_bytes(raw[:place] + bytes([raw[place] ^ 1 << place % 8]) + raw[place + 1 :])
        try:
            found = [len(reader.read("x", 0, nrows)) for reader, nrows in readers_of(path)]
        except AkdaskError:
            outcomes.add("error")
        else:
            assert sum(found) == 2000
            outcomes.add("values")
    assert outcomes == {"error", "values"}


@pytest.mark.parametrize("claimed", [8006, 8008])
def test_what_does_not_unpack_to_what_it_claims_is_refused(numbers, claimed):
    path = numbers(np.arange(1000), use_dictionary=False, compression="snappy")
    raw = Path(path).read_bytes()
    # The header's second field is the size of the page, unpacked, as a zigzag varint: levels of 7 bytes, and 8,000.
    at = first_page(path) + 3
    assert (raw[at] & 127 | raw[at + 1] << 7) >> 1 == 8007
    Path(path).write_bytes(raw[:at] + bytes([claimed << 1 & 127 | 128, claimed << 1 >> 7]) + raw[at + 2 :])
    with pytest.raises(FileFormatError, match="cannot be read"):
        [reader.read("x", 0, nrows) for reader, nrows in readers_of(path)]


@pytest.mark.parametrize("start", [0, 7, -(2**40), 2**40, 2**62])
@pytest.mark.parametrize("rows", [[0, 10], [-1, 3], [5, 2], [3, 2**62]])
@pytest.mark.parametrize("encoding", ["plain", "positions"])
def test_rows_that_pages_do_not_have_touch_no_other_memory(rows, encoding, start):
    rows = np.array(rows) - start  # of numbers that wrap around, too
    data = np.frombuffer(bytes(10 * 8) if encoding == "plain" else b"\1\4\0\0", np.uint8)
    page = np.array([[0, 10, 0, len(data), len(data), -1, 0, encoding == "plain", -1, -1]])
    out = np.full(4, 170, np.uint64)
    room = np.zeros(64, np.uint8)
    given = -1, np.append(data, room), 0, room, page, room, np.array([-1, 0, -1])
    nothing = np.zeros((0, 6), np.int64)
    with suppress(ValueError):
        loops.decode_pages(
            *(*given, start, rows, False, np.zeros(0, np.bool_), nothing),
            *(np.zeros(1, np.uint64), 1, 8, 1, 1.0, 0, out[1:3]),
        )
    assert out[[0, 3]].tolist() == [170, 170]


WIDE = np.array([3, -(2**40), 2**62, 7, 9], np.int64)
NARROW = np.array([3, -70_000, 2**30, 7, 9], np.int32)


def decode_with_dictionary(path, dictionary, width, room, into, *, known=5, factor=1, divisor=1.0, behind=None):
    """Return the rows that a loop has decoded of a page with five entries of a dictionary, and their numbers.

    It reads the file, or is given its bytes and some behind them.
    """
    page = np.array([[0, 5, 0, 5, 5, -1, 0, 0, -1, -1]])
    words, out = np.full(room + 2, 170, np.uint64), np.zeros(5, np.uint64)
    data, memory = np.full(into + 8, 170, np.uint8), np.full(into + 8, 170, np.uint8)
    with path.open("rb") as file:
        text = np.frombuffer(file.read() + bytes(behind or 0), np.uint8)
        given = (file.fileno(), text[:0]) if behind is None else (-1, text)
        given = *given, 0, data[:-8], page, memory[:-8], np.array([-1, 0, -1])
        about = words[1:-1], 0, width, factor, divisor, 0
        some = np.zeros(0, np.int64), False, np.zeros(0, np.bool_), np.array([[0, *dictionary, known]])
        done = loops.decode_pages(*given, 0, *some, *about, out)
    assert words[[0, -1]].tolist() == [170, 170]
    assert (data[-8:] == 170).all()
    assert (memory[-8:] == 170).all()
    return done, out


@pytest.mark.parametrize("codec", ["none", "snappy"])
@pytest.mark.parametrize("stored", [(WIDE, 1, 1.0), (NARROW, 1, 1.0), (NARROW, 1000, 1.0), (NARROW, 1, 100.0)])
@pytest.mark.parametrize("behind", [None, 64])
def test_a_loop_reads_the_dictionary_that_a_page_needs(tmp_path, codec, stored, behind):
    numbers, factor, divisor = stored
    # Positions of three bits: 0 to 4, as a run of eight.
    page = b"\3\3" + sum(position << 3 * position for position in range(5)).to_bytes(3, "little")
    raw = numbers.tobytes()
    packed = raw if codec == "none" else pa.Codec("snappy").compress(raw).to_pybytes()
    path = tmp_path / "x"
    path.write_bytes(page + packed)
    place = [len(page), len(packed), len(raw), codec == "snappy"]
    width, room = numbers.itemsize, 40 // 8 + 64 // 8
    about = {"factor": factor, "divisor": divisor, "behind": behind}
    done, out = decode_with_dictionary(path, place, width, room, 40 + 64, **about)
    assert done == 5
    wanted = numbers / divisor if divisor != 1 else numbers.astype(np.int64) * factor
    assert out.view(wanted.dtype).tolist() == wanted.tolist()

    def refused(place, *, width=width, room=room, into=40 + 64, **more):
        return decode_with_dictionary(path, place, width, room, into, **(about | more))[0] == 0

    assert refused(place, width=0)
    assert refused(place, known=6, room=room + 1)
    # Numbers as they are stored are read or unpacked to their own place; given bytes have theirs already.
    is_read, is_packed = behind is None, codec == "snappy"
    needed = [len(packed)] * (is_read and is_packed) + [len(raw)] * (width == 4 and (is_read or is_packed))
    assert not needed or refused(place, into=max(needed) + 63)
    assert refused(place, room=4)
    assert refused(place, room=room - 1) == (width == 8 and (is_read or is_packed))
    assert is_read or refused(place, behind=63)
    for field in range(3):
        assert refused([*place[:field], -1, *place[field + 1 :]])
    for more in (-1, 1):
        assert refused([place[0], place[1], place[2] + more, place[3]])
        assert refused([place[0], place[1] + more, place[2], place[3]])
    assert refused([2**40, *place[1:]])


@pytest.mark.parametrize("dtype", ["int64", "int32", "date32"])
def test_readers_that_share_memory_find_their_own_dictionary_again(tmp_path, dtype):
    values = np.random.default_rng(3).permutation(4000).reshape(2, 2000).repeat(3, axis=1).astype(np.int32)
    column = pa.array(values.ravel()).cast(pa.int32()).cast(getattr(pa, dtype)())
    options = {"row_group_size": values.shape[1], "compression": "snappy", "data_page_size": 2000}
    pq.write_table(pa.table({"x": column}), tmp_path / "x.parquet", **options)
    wanted = values.astype(np.int64) * (86_400 if dtype == "date32" else 1)
    for reader, _ in readers_of(tmp_path / "x.parquet"):
        for start in range(0, 6000, 700):
            for number, rows in enumerate(wanted):
                chunk = reader._chunk("x", number)
                assert isinstance(chunk, NumberPageReader)
                found = chunk.read(start, min(start + 700, 6000))
                assert found.view(np.int64).tolist() == rows[start : start + 700].tolist()


def test_a_dictionary_has_six_fields():
    page, room = np.array([[0, 4, 0, 32, 32, -1, 0, 1, -1, -1]]), np.zeros(96, np.uint8)
    given = -1, room, 0, room, page, room, np.array([-1, 0, -1])
    some = np.zeros(0, np.int64), False, np.zeros(0, np.bool_)
    with pytest.raises(ValueError, match="other fields"):
        loops.decode_pages(
            *given,
            0,
            *some,
            np.array([[0, 0, 8, 8, 0]]),
            np.zeros(9, np.uint64),
            1,
            8,
            1,
            1.0,
            0,
            np.zeros(4, np.uint64),
        )


def test_no_plain_pages_is_no_error_of_the_library():
    assert not issubclass(NoPlainPagesError, AkdaskError)


@given(st.sampled_from(["SNAPPY", "ZSTD"]), st.integers(0, 70_000) | st.sampled_from([255, 256, 65_791, 65_792, 2**21]))
def test_packed_data_tells_its_size(codec, size):
    packed = np.frombuffer(pa.Codec(codec.lower()).compress(bytes(size)), np.uint8)
    assert claimed_size(codec, packed) == size


def test_a_head_that_is_cut_or_of_another_kind_tells_no_size():
    frame = pa.Codec("zstd").compress(bytes(1000)).to_pybytes()
    assert [_claimed_by_frame(frame[:count]) for count in range(9)] == [None] * 7 + [1000] * 2
    assert _claimed_by_frame(b"\0" + frame[1:]) is None
    # Of five bytes each tells that another follows.
    assert claimed_size("SNAPPY", np.array([255] * 4 + [15], np.uint8)) == 2**32 - 1
    assert claimed_size("SNAPPY", np.array([255] * 5 + [1], np.uint8)) is None
    assert claimed_size("SNAPPY", np.array([255], np.uint8)) is None


@pytest.mark.parametrize("period", [1, 3, 11, 200, 3000])
def test_pages_that_snappy_has_packed_are_unpacked_in_one_loop(tmp_path, monkeypatch, period):
    random = np.random.default_rng(period)
    numbers = np.tile(random.integers(-(2**63), 2**63 - 1, period), 9000 // period + 1)[:9000]
    # Few of the numbers are others, so that what is copied has many lengths.
    numbers[random.integers(0, 9000, 300)] = 7
    pq.write_table(pa.table({"x": numbers}), tmp_path / "x.parquet", compression="snappy", use_dictionary=False)
    monkeypatch.setattr(NumberPageReader, "_unpack", None)
    assert np.array_equal(ak.read_parquet(tmp_path / "x.parquet")["x"].to_ndarray(), numbers)


def test_readers_of_row_groups_before_are_released():
    reader = SimpleNamespace(_chunks={}, _open_chunk=lambda column, number: (column, number))
    for column, number in [("a", 0), ("b", 0), ("a", 1), ("b", 0)]:
        assert RowGroupPartReader._chunk(reader, column, number) == (column, number)
    assert reader._chunks == {"a": (1, ("a", 1)), "b": (0, ("b", 0))}


def listed(path, monkeypatch, *, is_usual):
    """Return the pages of all chunks of numbers, by the loop or header by header, or the errors."""
    found = []
    with monkeypatch.context() as patched:
        if not is_usual:
            patched.setattr(PageList, "_list_usual", lambda *_: False)
        file = inspect_file(identify(path))
        with range_reader(file.file) as ranges:
            for column in file.columns.values():
                for chunk, nrows in zip(file.chunks_of(column), file.rows.tolist(), strict=True):
                    clear_caches()
                    pages = PageList(ranges, ChunkPlace.all_of(chunk.reshape(1), [nrows])[0], column, 8, lambda: None)
                    try:
                        found.append((pages.up_to(nrows).tolist(), pages.dictionary))
                    except (FileFormatError, NoPlainPagesError) as error:
                        found.append((type(error), str(error)))
    return found


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy"])
@pytest.mark.parametrize("has_checksums", [False, True])
def test_a_loop_lists_pages_as_each_header_tells(tmp_path, monkeypatch, version, compression, has_checksums):
    random = np.random.default_rng(1)
    x = random.integers(0, 2**60, 5000)
    columns = [x % 7, x, pa.array(x, mask=x % 3 == 0), pa.array(x, mask=x < 0), pa.array(x, mask=x >= 0)]
    names = ["few", "many", "missing", "none", "all"]
    fields = [pa.field(name, pa.int64(), name not in ("few", "many")) for name in names]
    table = pa.table(columns, pa.schema(fields))
    path = str(tmp_path / "x.parquet")
    pq.write_table(
        table,
        path,
        row_group_size=3000,
        data_page_size=500,
        write_batch_size=64,
        use_dictionary=["few", "missing"],
        data_page_version=version,
        compression=compression,
        write_page_checksum=has_checksums,
    )
    wanted = listed(path, monkeypatch, is_usual=False)
    assert sum(len(pages) for pages, _ in wanted) > 100
    assert listed(path, monkeypatch, is_usual=True) == wanted
    whole = Path(path).read_bytes()
    for _ in range(75):
        damaged = bytearray(whole)
        for listing, _ in wanted:
            # A byte of a header.
            place = random.choice(listing)[PageField.OFFSET] - random.integers(1, 25)
            damaged[place] = random.integers(256) if random.integers(2) else damaged[place] ^ 1 << random.integers(5)
        Path(path).write_bytes(damaged)
        assert listed(path, monkeypatch, is_usual=True) == listed(path, monkeypatch, is_usual=False)


@st.composite
def decimals(draw):
    """Draw decimals of some digits, few or many of them, maybe with nulls."""
    digits = draw(st.integers(1, 38))
    scale = draw(st.integers(0, digits))
    item = st.integers(-(10**digits) + 1, 10**digits - 1).map(lambda number: Decimal(f"{number}e-{scale}"))
    if draw(st.booleans()):
        item |= st.none()
    few = st.lists(item, min_size=1, max_size=4).flatmap(lambda some: st.lists(st.sampled_from(some), max_size=200))
    rows = draw(few | st.lists(item, max_size=40))
    return pa.array(rows, pa.decimal128(digits, scale))


@given(decimals(), st.data())
def test_decimals_are_the_floats_next_to_them(tmp_path_factory, values, data):
    path = str(tmp_path_factory.mktemp("decimals") / "x.parquet")
    pq.write_table(
        pa.table({"x": values}),
        path,
        store_decimal_as_integer=data.draw(st.booleans()),
        use_dictionary=data.draw(st.booleans()),
        dictionary_pagesize_limit=data.draw(st.sampled_from([16, 2**20])),
        data_page_version=data.draw(st.sampled_from(["1.0", "2.0"])),
        compression=data.draw(st.sampled_from(["none", "snappy"])),
        data_page_size=64,
        write_batch_size=5,
    )
    found = ak.read_parquet(path)["x"].to_ndarray()
    expected = [np.nan if item is None else float(item) for item in values.to_pylist()]
    assert found.tobytes() == np.array(expected, np.float64).tobytes()


@pytest.mark.parametrize("store_decimal_as_integer", [False, True])
def test_decimals_that_floats_hold_need_no_general_reader(tmp_path, store_decimal_as_integer):
    values = [Decimal(number).scaleb(-2) for number in range(-300, 300)]
    table = pa.table({"x": pa.array(values, pa.decimal128(15, 2))})
    pq.write_table(table, tmp_path / "x.parquet", store_decimal_as_integer=store_decimal_as_integer)
    assert read_pages(str(tmp_path / "x.parquet"), 70).tolist() == [float(value) for value in values]


def test_all_days_are_seconds(tmp_path):
    days = pa.array([2**31 - 1, 5, -(2**31)], pa.int32()).cast(pa.date32())
    pq.write_table(pa.table({"x": days}), tmp_path / "x.parquet")
    assert read_pages(str(tmp_path / "x.parquet")).tolist() == [(2**31 - 1) * 86_400, 432_000, -(2**31) * 86_400]
