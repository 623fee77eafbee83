"""Pieces of HDF5 files by themselves: filters of chunks, places in grids, names, clocks, heaps and hashes."""

from __future__ import annotations

import datetime
import math
import struct
import zlib
from itertools import product

import h5py
import numpy as np
import pyarrow as pa
import pytest
from h5py import h5z

from akdask.errors import TransferError
from akdask.formats import tuning
from akdask.formats.hdf5 import binary, chunks, global_heaps, netcdf, null_terminated, validation
from akdask.formats.hdf5.binary import UNKNOWN, UnknownStructureError
from akdask.formats.hdf5.chunks import ChunkError, ChunkIndex, ChunkStore, applied, check_size, fletcher32, undo
from akdask.formats.hdf5.netcdf import Clock, clock_of
from akdask.formats.hdf5.null_terminated import PrefixRange, StringError, decode, encode, segments_of

DEFLATE, SHUFFLE, SUM, LZF = h5z.FILTER_DEFLATE, h5z.FILTER_SHUFFLE, h5z.FILTER_FLETCHER32, h5z.FILTER_LZF

# ---- filters of chunks


def filters_of(*numbers):
    return [(number, (4,) if number == SHUFFLE else ()) for number in numbers]


def test_a_mask_has_a_bit_for_each_filter_that_was_left_out():
    filters = filters_of(SHUFFLE, DEFLATE, SUM)
    for mask in range(8):
        assert applied(filters, mask) == [one for number, one in enumerate(filters) if not (mask >> number) % 2]


@pytest.mark.parametrize(
    ("filters", "size", "fits"),
    [
        ((), 100, True), ((), 99, False), ((), 101, False), ((SHUFFLE,), 100, True), ((SHUFFLE,), 104, False),
        ((SUM,), 104, True), ((SUM,), 100, False), ((SUM, SUM), 108, True), ((SHUFFLE, SUM), 104, True),
        ((DEFLATE,), 1, True), ((DEFLATE,), 0, False), ((DEFLATE,), 10**6, True), ((DEFLATE, SUM), 4, False),
        ((DEFLATE, SUM), 5, True), ((SUM, DEFLATE), 1, True), ((SUM, DEFLATE), 0, False),
        ((DEFLATE, SUM, SUM), 8, False),
        ((DEFLATE, SUM, SUM), 9, True), ((SUM, DEFLATE, SUM), 4, False), ((SUM, DEFLATE, SUM), 5, True),
    ],
)  # fmt: skip
def test_chunks_have_a_size_that_their_filters_make(filters, size, fits):
    if fits:
        check_size(filters_of(*filters), size, 100)
    else:
        with pytest.raises(ChunkError, match=f"has {size} bytes stored"):
            check_size(filters_of(*filters), size, 100)


def shuffled(raw, width):
    """Return bytes as HDF5 shuffles them: the first bytes of all elements, then the second ones; a rest as it is."""
    whole = len(raw) // width * width
    return b"".join(raw[at:whole:width] for at in range(width)) + raw[whole:]


def with_sum(raw):
    return raw + struct.pack("<I", fletcher32(np.frombuffer(raw, np.uint8)))


DO = {SHUFFLE: lambda raw: shuffled(raw, 4), SUM: with_sum, DEFLATE: zlib.compress}
RAW = np.random.default_rng(0).integers(0, 9, 4003).astype(np.uint8).tobytes()


@pytest.mark.parametrize("order", [(), (SHUFFLE,), (SUM,), (DEFLATE,), *product((SHUFFLE, SUM, DEFLATE), repeat=2)])
def test_filters_are_undone_from_the_last_to_the_first(order):
    stored = RAW
    for number in order:
        stored = DO[number](stored)
    assert undo(np.frombuffer(stored, np.uint8), filters_of(*order), len(RAW)).tobytes() == RAW
    for nbytes in (len(RAW) - 1, len(RAW) + 1):
        with pytest.raises(ChunkError, match="unpacks to"):
            undo(np.frombuffer(stored, np.uint8), filters_of(*order), nbytes)


@pytest.mark.parametrize("width", [1, 2, 3, 8, 4003, 5000])
def test_bytes_of_elements_are_put_together(width):
    stored = np.frombuffer(shuffled(RAW, width), np.uint8)
    assert undo(stored, [(SHUFFLE, (width,))], len(RAW)).tobytes() == RAW
    for told in ((), (0,)):
        with pytest.raises(ChunkError, match="elements of 0 bytes"):
            undo(stored, [(SHUFFLE, told)], len(RAW))


def sum_of(raw):
    """Return HDF5's checksum by its definition, in integers of any size."""
    words = [int.from_bytes(raw[at : at + 2].ljust(2, b"\0"), "big") for at in range(0, len(raw), 2)]
    low = high = 0
    for word in words:
        low, high = low + word, high + low + word
    fold = lambda total: (total - 1) % 0xFFFF + 1 if total else 0  # noqa: E731
    return fold(high) << 16 | fold(low)


@pytest.mark.parametrize("size", [1, 2, 5, 6, 7, 12, 13, 40])
def test_checksums_of_blocks_of_words_are_those_of_all(monkeypatch, size):
    monkeypatch.setattr(chunks, "_WORDS", 3)
    for raw in (RAW[:size], bytes(size), b"\xff" * size):
        assert fletcher32(np.frombuffer(raw, np.uint8)) == sum_of(raw)


def test_checksums_may_have_the_bytes_of_each_half_exchanged():
    found = struct.pack("<I", sum_of(RAW))
    for stored, is_right in (
        (found, True),
        (found[1::-1] + found[:1:-1], True),
        (found[::-1], False),
        (b"1234", False),
    ):
        data = np.frombuffer(RAW + stored, np.uint8)
        if is_right:
            assert undo(data, filters_of(SUM), len(RAW)).tobytes() == RAW
        else:
            with pytest.raises(ChunkError, match="has the checksum"):
                undo(data, filters_of(SUM), len(RAW))
    with pytest.raises(ChunkError, match="of 3 bytes has no checksum"):
        undo(np.frombuffer(b"123", np.uint8), filters_of(SUM), 0)


@pytest.mark.parametrize(
    ("raw", "nbytes", "block", "text"),
    [
        (b"abcdefg", 7, 3, None), (b"abc", 3, 3, None), (b"", 0, 0, None), (b"ab", 3, 0, "in blocks of 0"),
        (b"abc", 5, 3, "cut off"), (b"abcdefgh", 8, 9, None),
    ],
)  # fmt: skip
def test_blocks_of_lz4_are_put_together(raw, nbytes, block, text):
    packed = struct.pack(">QI", nbytes, block)
    for start in range(0, len(raw), block or 1):
        part = raw[start : start + block]
        packed += struct.pack(">I", len(part)) + part
    if text is None:
        assert chunks._without_lz4(packed, nbytes) == raw
        with pytest.raises(ValueError, match="in blocks of"):
            chunks._without_lz4(packed, nbytes - 1)
    else:
        with pytest.raises(ValueError, match=text):
            chunks._without_lz4(packed, nbytes)


# ---- places of chunks


def index_of(shape, chunk, left_out=()):
    """Return the index of a dataset some of whose chunks were never written, each at 1,000 times its number."""
    grid = [-(-size // step) for size, step in zip(shape, chunk, strict=True)]
    numbers = np.array([number for number in range(math.prod(grid)) if number not in left_out], np.int64)
    locations = np.column_stack([1000 * numbers, numbers + 1, numbers * 0])
    return ChunkIndex(shape, chunk, (), b"", numbers, locations)


@pytest.mark.parametrize(("shape", "chunk"), [((7,), (3,)), ((6,), (3,)), ((4, 5), (2, 2)), ((3, 4, 5), (2, 4, 3))])
@pytest.mark.parametrize("left_out", [(), (1,), (0, 2)])
def test_chunks_are_found_by_their_place_in_the_grid(shape, chunk, left_out):
    index = index_of(shape, chunk, left_out)
    assert index.grid == tuple(math.ceil(size / step) for size, step in zip(shape, chunk, strict=True))
    for number, location in enumerate(product(*map(range, index.grid))):
        found = None if number in left_out else (1000 * number, number + 1, 0)
        assert index.find(location) == found
    chunk_of = np.zeros(shape, np.int64)
    for at in np.ndindex(shape):
        place = tuple(one // step for one, step in zip(at, chunk, strict=True))
        chunk_of[at] = np.ravel_multi_index(place, index.grid)
    # All chunks of the rows of the first dimension that the elements lie in.
    beside = math.prod(shape[1:])
    size = math.prod(shape)
    for start, stop in product(range(size + 1), repeat=2):
        rows = chunk_of[start // beside : -(-stop // beside)].ravel() if start < stop else []
        first = {int(one) for one in rows}
        across = math.prod(index.grid[1:])
        layers = {one // across for one in first}
        wanted = [one for one in range(math.prod(index.grid)) if one // across in layers and one not in left_out]
        assert index.byte_ranges(start, stop) == [(1000 * one, 1001 * one + 1) for one in wanted]


def test_chunks_outside_of_their_dataset_are_refused():
    numbers = chunks._numbers(np.array([[0, 0], [2, 3], [0, 3], [2, 0]]), (4, 5), (2, 3))
    assert numbers.tolist() == [0, 3, 1, 2]
    for start in ([1, 0], [0, 1], [4, 0], [0, 6], [-2, 0]):
        with pytest.raises(ChunkError, match="outside the dataset"):
            chunks._numbers(np.array([[0, 0], start]), (4, 5), (2, 3))
    stored = chunks._Stored(2)
    found = type("Found", (), {"chunk_offset": (0,), "byte_offset": 5, "size": 3, "filter_mask": 1})
    stored.add(found)
    stored.add(found)
    with pytest.raises(ChunkError, match="more than the 2 chunks"):
        stored.add(found)
    assert (stored.starts, stored.locations) == ([(0,)] * 2, [(5, 3, 1)] * 2)


def test_chunks_that_are_used_again_stay_in_memory(monkeypatch):
    monkeypatch.setattr(tuning, "HDF5_CHUNK_CACHE", 30)
    store, chunk = ChunkStore(), np.zeros(10, np.uint8)
    for offset in range(3):
        store.reserve("x", 10, 9)
        assert store.add(("x", offset), chunk) is chunk
    assert store.get(("x", 0)) is chunk
    assert store.get(("x", 7)) is None
    # There is no room for a fourth one: the one that was used longest ago goes.
    store.reserve("x", 10, 9)
    store.add(("x", 3), chunk)
    assert list(store._chunks) == [("x", 2), ("x", 0), ("x", 3)]
    # Another dataset needs two at a time.
    store.reserve("y", 10, 2)
    store.add(("y", 0), chunk)
    store.reserve("y", 10, 2)
    store.add(("y", 1), chunk)
    store.reserve("y", 10, 2)
    assert [key for key in store._chunks if key[0] == "y"] == [("y", 1)]
    store.reserve("z", 31, 1)
    assert not store._chunks
    with pytest.raises(TransferError, match="a chunk takes"):
        store.reserve("z", 2**60, 1)


# ---- nodes of old groups


@pytest.mark.parametrize(
    ("read", "magic", "size", "first"),
    [(binary._tree_node, b"TREE\0", 32 + 16 * 3, 24), (binary._table, b"SNOD\1", 128, 8)],
)
def test_kind_level_and_number_of_entries_of_nodes_are_the_same_in_files_of_a_template(read, magic, size, first):
    asked = []

    class Walk:
        def peek(self, address, length):
            asked.append((address, length))
            return magic + b"\0" * (6 - len(magic)) + struct.pack("<H", 3) + bytes(length - 8)

        def block(self, address, length, start):
            asked.append((address, length, start))
            return self

        def fix(self, start, stop):
            asked.append((start, stop))

    assert isinstance(read(Walk(), 700), Walk)
    assert asked == [(700, first), (700, size, magic), (5, 8)]


# ---- clocks


DAY, HOUR = 86_400 * 10**9, 3_600 * 10**9


def micros(*parts):
    return (datetime.datetime(*parts) - datetime.datetime(1970, 1, 1)) // datetime.timedelta(microseconds=1)


@pytest.mark.parametrize(
    ("units", "calendar", "clock"),
    [
        ("days since 1970-01-01", "", Clock(DAY, 0)), ("Days Since 1970-1-1", "standard", Clock(DAY, 0)),
        ("d since 1970-01-02", "gregorian", Clock(DAY, micros(1970, 1, 2))),
        (" hours since 2000-02-29T12:30 ", "", Clock(HOUR, micros(2000, 2, 29, 12, 30))),
        ("hr since 2000-01-01 6", "", Clock(HOUR, micros(2000, 1, 1, 6))),
        ("min since 1969-12-31 23:59:58.25", "", Clock(60 * 10**9, -1_750_000)),
        ("s since 1970-01-01 00:00:00.1234567", "", Clock(10**9, 123_456)),
        ("sec since 1970-01-01 0:0:0.", "", Clock(10**9, 0)),
        ("ms since 1970-01-01 00:00 +01:30", "", Clock(10**6, -5_400 * 10**6)),
        ("us since 1970-01-01 00:00 -2", "", Clock(10**3, 7_200 * 10**6)),
        ("ns since 1970-01-01T00:00:00Z", "", Clock(1, 0)), ("seconds since 1970-01-01 00:00 UTC", "", Clock(10**9, 0)),
        ("days since 1582-10-15", "", Clock(DAY, micros(1582, 10, 15))),
        ("days since 1582-10-14", "proleptic_gregorian", Clock(DAY, micros(1582, 10, 14))),
        # The day before 1582-10-15 was the fourth of October; the first of January 1 was two days before that of ours.
        ("days since 1582-10-04", "", Clock(DAY, micros(1582, 10, 14))),
        ("days since 1582-10-4", "Standard ", Clock(DAY, micros(1582, 10, 14))),
        ("days since 0001-01-03", "", Clock(DAY, micros(1, 1, 1))),
        ("days since 1500-02-29", "", Clock(DAY, micros(1500, 3, 10))),
        ("days since 1500-03-01", "", Clock(DAY, micros(1500, 3, 11))),
        ("days since 1499-12-31", "", Clock(DAY, micros(1500, 1, 9))),
        ("days since 1500-02-29", "proleptic_gregorian", None), ("days since 1400-13-01", "", None),
        ("days since 2000-13-01", "", None), ("days since 2001-02-29", "", None),
        ("days since 2000-01-01", "noleap", None),
        ("weeks since 2000-01-01", "", None), ("days", "", None), ("days since yesterday", "", None), ("", "", None),
    ],
)  # fmt: skip
def test_clocks_count_from_a_day_of_our_calendar(units, calendar, clock):
    assert clock_of(units, calendar) == clock


def test_units_of_times_have_many_names():
    for names, step in {
        ("day", "days", "d"): DAY, ("hour", "hours", "hr", "hrs", "h"): HOUR,
        ("minute", "minutes", "min", "mins"): 60 * 10**9, ("second", "seconds", "sec", "secs", "s"): 10**9,
        ("millisecond", "milliseconds", "msec", "msecs", "ms"): 10**6, ("microsecond", "microseconds", "us"): 10**3,
        ("nanosecond", "nanoseconds", "ns"): 1,
    }.items():  # fmt: skip
        for name in names:
            assert clock_of(f"{name} since 1970-01-01", "") == Clock(step, 0)


@pytest.mark.parametrize(
    ("given", "dtype", "stored"),
    [
        ([-1, 255, 256, 7.0, 7.5, np.nan, np.inf], "u1", [255, 7]), ([-128, 127, 128, -129], "i1", [-128, 127]),
        ([1.5, np.nan, 9], "f4", [1.5, 9.0]), ([0.1], "f4", [float(np.float32(0.1))]), ([], "i8", []),
        ([2.0**63, -(2.0**63)], "i8", [-(2**63)]),
    ],
)  # fmt: skip
def test_missing_values_are_numbers_that_elements_can_be(given, dtype, stored):
    assert list(netcdf._as_stored([np.float64(one) for one in given], np.dtype(dtype))) == stored


# ---- text


@pytest.mark.parametrize(
    ("values", "bounds", "row", "text"),
    [
        (b"ab\0c\0", [0, 3, 5], None, ["ab", "c"]), (b"", [0], None, []), (b"\0\0", [0, 1, 2], None, ["", ""]),
        (b"ab\0c\0", [10, 13, 15], None, ["ab", "c"]), (b"\xc3\xa9\0", [0, 3], None, ["é"]),
        (b"ab\0c\0", [0, 2, 5], 0, "does not end"), (b"a\0b\0c\0", [0, 2, 6], 1, "does not end"),
        (b"ab\0cd", [0, 3, 5], 1, "does not end"), (b"ab\0cd", [0, 3], 0, "after its NUL"),
        (b"a\0\0", [0, 2], 0, "after its NUL"),
        (b"a\0\xff\0b\0", [0, 2, 4, 6], 1, "not UTF-8"),
    ],
)  # fmt: skip
def test_bytes_are_text_that_ends_with_one_nul(values, bounds, row, text):
    given = np.frombuffer(values, np.uint8), np.array(bounds, np.int64)
    if row is None:
        assert decode(*given).to_pylist() == text
    else:
        with pytest.raises(StringError, match=text) as found:
            decode(*given)
        assert found.value.row == row


@pytest.mark.parametrize(("rows", "nbytes"), [(2, 100), (100, 4), (100, 1), (3, 5), (100, 100)])
def test_text_is_written_in_blocks(monkeypatch, rows, nbytes):
    monkeypatch.setattr(tuning, "BLOCK_ROWS", rows)
    monkeypatch.setattr(null_terminated, "BLOCK_BYTES", nbytes)
    texts = ["a", "", "bcd", "é" * 9, "", "", "zz", "c"]
    strings = pa.array(["skipped", *texts, "behind"], pa.large_string())[1:-1]
    prefixes = PrefixRange()
    blocks = [block.tobytes() for block in encode(strings, prefixes)]
    assert b"".join(blocks) == b"".join(text.encode() + b"\0" for text in texts)
    assert all(block.count(0) <= rows for block in blocks)
    # A block has no more bytes of text than are read at a time, unless it is of one string.
    assert all(len(block) - block.count(0) <= nbytes or block.count(0) == 1 for block in blocks)
    coded = [text.encode()[:16] for text in texts]
    assert prefixes.bounds == (min(coded), max(coded))
    segments = np.concatenate(list(segments_of(strings)))
    assert segments.tolist() == np.cumsum([0, *(len(text.encode()) + 1 for text in texts[:-1])]).tolist()
    assert PrefixRange().bounds is None
    for row in (0, 3, 7):
        wrong = [*texts[:row], "a\0b", *texts[row + 1 :]]
        with pytest.raises(StringError, match="contains NUL") as found:
            list(encode(pa.array(["skipped", *wrong], pa.large_string())[1:], PrefixRange()))
        assert found.value.row == row


# ---- heaps and hashes


@pytest.mark.parametrize("gap", range(12, 40))
def test_heaps_are_found_across_what_is_read_at_a_time(tmp_path, monkeypatch, gap):
    monkeypatch.setattr(global_heaps, "_BLOCK", 32)
    head = struct.pack("<4sB3xQ", b"GCOL", 1, 16)
    other = struct.pack("<4sB3xQ", b"GCOL", 2, 16)
    beyond = struct.pack("<4sB3xQ", b"GCOL", 1, 17)
    raw = bytes(gap) + head + bytes(gap) + other + head + bytes(3) + beyond
    path = tmp_path / "x"
    path.write_bytes(raw)
    with path.open("rb") as file:
        found = list(global_heaps._heaps(file.fileno(), len(raw)))
    assert found == [(gap, 16), (2 * gap + 32, 16)]


def head_of(version, **changes):
    """Return the first bytes of a file whose root group has the address 800, or with other bytes at some places."""
    head = bytearray(96)
    head[:9] = binary.SIGNATURE + bytes([version])
    if version < 2:
        base = 24 + 4 * version
        head[13:15] = b"\x08\x08"
        head[base + 24 : base + 32] = b"\xff" * 8
        head[base + 40 : base + 48] = struct.pack("<Q", 800)
    else:
        head[9:11] = b"\x08\x08"
        head[20:28] = b"\xff" * 8
        head[36:44] = struct.pack("<Q", 800)
    for place, byte in changes.items():
        head[int(place[1:])] = byte
    return bytes(head)


@pytest.mark.parametrize(
    ("head", "address"),
    [
        *((head_of(version), 800 if version < 4 else None) for version in range(5)),
        (head_of(0)[:95], None), (b"x" + head_of(0)[1:], None), (head_of(0, p13=4), None), (head_of(0, p14=4), None),
        (head_of(0, p24=1), None), (head_of(0, p31=1), None), (head_of(0, p48=0), None), (head_of(0, p55=0), None),
        (head_of(1, p28=1), None), (head_of(1, p52=0), None), (head_of(2, p9=4), None), (head_of(2, p10=4), None),
        (head_of(2, p12=1), None), (head_of(2, p19=1), None), (head_of(3, p20=0), None), (head_of(3, p27=0), None),
    ],
)  # fmt: skip
def test_the_root_is_found_where_addresses_are_those_of_the_file(head, address):
    assert binary.root_address(lambda start, size: head[start : start + size]) == address


@pytest.mark.parametrize(("count", "width"), [(1, 1), (255, 1), (256, 2), (65_535, 2), (65_536, 3), (2**24, 4)])
def test_counts_have_as_many_bytes_as_they_need(count, width):
    assert binary._width(count) == width


def test_levels_of_an_index_have_widths_of_two_counts():
    tree = binary._Index(512, 11, 3)
    assert tree.most_in_leaf == (512 - 10) // 11 == 45
    # 45 in a leaf; of pointers of 9 bytes 24 in a node, of 25 leaves; then of 11 bytes 22.
    assert tree.count_widths() == [(0, 0), (1, 0), (1, 2), (1, 2)]
    with pytest.raises(UnknownStructureError):
        binary._Index(28, 11, 2).count_widths()


def test_rows_of_a_heap_double():
    heap = binary._Heap(4, 512, 4096, 4, 2, 0)
    sizes = [512, 512, 1024, 2048, 4096, 8192]
    start = 0
    for row, size in enumerate(sizes):
        assert (heap.block_size(row), heap.row_start(row)) == (size, start)
        assert heap.row_of(start) == heap.row_of(start + 4 * size - 1) == row
        start += 4 * size
    assert heap.head == 17
    # A table of 8,192 bytes has rows of 2,048, 2,048 and 4,096 bytes.
    assert [heap.rows_below(row) for row in (4, 5, 6)] == [2, 3, 4]


def link(name, flags=0, kind=b"", address=b"A" * 8, version=1):
    """Return a link message."""
    width = 1 << (flags & 3)
    order = bytes(8) if flags & 4 else b""
    text = b"\0" if flags & 16 else b""
    return bytes([version, flags]) + kind + order + text + len(name).to_bytes(width, "little") + name + address


@pytest.mark.parametrize("flags", range(32))
def test_the_address_of_a_link_is_behind_its_name(flags):
    kind = b"\0" if flags & 8 else b""
    content = link(b"name", flags, kind)
    place = binary._place_of_hard_link(content, b"name")
    assert content[place : place + 8] == b"A" * 8
    assert binary._place_of_hard_link(content, b"nam") is None
    assert binary._place_of_hard_link(content, b"other") is None
    if flags & 8:
        assert binary._place_of_hard_link(link(b"name", flags, b"\1"), b"name") is None
    with pytest.raises(UnknownStructureError):
        binary._place_of_hard_link(link(b"name", flags, kind, version=2), b"name")


def test_walks_end_where_files_do():
    content = bytes(range(64))
    walk = binary.Walk(lambda start, size: content[start : start + size], 8)
    block = walk.block(0, 16, bytes([8, 9]))
    assert (block.content, block.fixed) == (content[8:24], [(0, 2)])
    assert walk.block(0, 16) is block
    assert walk.number(block, 0) == walk.number(block, 0) == 1
    assert walk.number(block, 8, 2) == 2
    assert walk.numbers == [8, int.from_bytes(content[8:16], "little"), int.from_bytes(content[16:18], "little")]
    assert walk.peek(0, 4, 2) == content[10:14]
    assert walk.blocks == [block]
    for call in (
        lambda: walk.block(0, 8, b"x"), lambda: walk.peek(0, 57), lambda: walk.number(block, 9),
        lambda: walk.peek(0, -1),
        lambda: walk.peek(1, 1), lambda: walk.peek(0, binary._MOST_BYTES + 1),
    ):  # fmt: skip
        with pytest.raises(UNKNOWN):
            call()


def test_walks_read_neither_too_much_nor_beyond_the_largest_offset(monkeypatch):
    monkeypatch.setattr(binary, "_MOST_BYTES", 48)
    monkeypatch.setattr(binary, "_MOST_BLOCKS", 3)
    asked = []

    def read(start, size):
        asked.append((start, size))
        return (2**63 - 1).to_bytes(8, "little") + (2**63).to_bytes(8, "little") + bytes(size - 16)

    walk = binary.Walk(read)
    block = walk.block(0, 16)
    assert [walk.number(block, 0), walk.number(block, 8)] == [1, 2]
    assert len(walk.peek(0, 48)) == 48
    assert len(walk.peek(1, 20)) == 20
    assert asked == [(0, 16), (0, 48), (2**63 - 1, 20)]
    for address, size, skipped in ((0, 49, 0), (0, -1, 0), (2, 16, 0), (1, 16, 1), (0, 16, -1)):
        with pytest.raises(UNKNOWN):
            walk.peek(address, size, skipped)
    assert len(asked) == 3
    # Three blocks, and so many bytes of all together.
    walk.block(0, 16)
    walk.block(1, 16)
    with pytest.raises(UNKNOWN):
        walk.block(0, 17)
    assert len(walk.blocks) == 2
    walk = binary.Walk(read)
    assert [len(walk.block(0, size).content) for size in (16, 15 + 1, 17)] == [16, 16, 17]
    walk = binary.Walk(lambda start, size: bytes(size))
    for size in (1, 2, 3):
        walk.block(0, size)
    with pytest.raises(UNKNOWN):
        walk.block(0, 4)


def old_header(*messages):
    """Return an object header of the first version, of messages of a kind and bytes."""
    body = b"".join(struct.pack("<HHB3x", kind, len(content), 0) + content for kind, content in messages)
    return struct.pack("<BxHIIxxxx", 1, len(messages), 1, len(body)) + body


def test_headers_go_on_in_further_blocks_up_to_a_limit(monkeypatch):
    monkeypatch.setattr(binary, "_MOST_HEADER_BLOCKS", 3)

    def header_of(count, size=16):
        # Each block has a message of its own, and tells where the next one is.
        content = bytearray(old_header((1, b"first..."), (16, struct.pack("<QQ", 100, 32 + size)[:size])))
        for number in range(1, count):
            content += bytes(100 * number - len(content)) + struct.pack("<HHB3x", 1, 8, 0) + b"block  %d" % number
            if number + 1 < count:
                content += struct.pack("<HHB3xQQ", 16, 16, 0, 100 * (number + 1), 48)
        content += bytes(100)
        return binary.read_header(binary.Walk(lambda start, size: bytes(content[start : start + size])), 0)

    for count in (2, 3):
        found = header_of(count)
        assert len(found.blocks) == count
        own = [message.content for message in found.of_kind(1)]
        assert own == [b"first...", *(b"block  %d" % number for number in range(1, count))]
    for count, size in ((4, 16), (2, 8), (2, 15)):
        with pytest.raises(UnknownStructureError):
            header_of(count, size)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("days", "days"), (b"days", "days"), (np.array(["days"], h5py.string_dtype()), "days"),
        (np.bytes_("days"), "days"), (np.array([b"days"]), "days"),
        (np.array([[b"days"]]), "days"), (np.array([b"a", b"b"]), ""), (5, ""),
        (np.array([5]), ""), (np.array([b"\xff"]), "\ufffd"), (h5py.Empty("S1"), ""), (None, ""),
    ],
)  # fmt: skip
def test_attributes_of_one_text_are_told(tmp_path, value, told):
    with h5py.File(tmp_path / "x.nc", "w") as file:
        file["x"] = np.arange(2)
        if value is not None:
            file["x"].attrs["units"] = value
        assert netcdf._told(file["x"], "units") == told


@pytest.mark.parametrize(
    ("oldest", "newest", "is_empty"),
    [
        (None, None, False), ("v2023.05.05", None, False), (None, "v2023.05.05", False),
        ("v2023.05.05", "v2023.05.05", False), ("v2023.05.05", "v2024.06.21", False),
        ("v2024.06.21", "v2023.05.05", True),
    ],
)  # fmt: skip
def test_no_release_is_both_later_than_the_oldest_and_earlier_than_the_newest(oldest, newest, is_empty):
    reach = validation.Reach(oldest, newest, ())
    assert reach.is_empty is is_empty
    assert ("no release" in str(reach)) is is_empty
