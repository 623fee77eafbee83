from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.engine import sources
from akdask.errors import AkdaskError, FileFormatError
from akdask.formats.parquet import statistics
from akdask.formats.parquet.file_set import open_set
from akdask.formats.parquet.footers import inspect_file
from akdask.formats.parquet.page_lists import ChunkPlace, NoPlainPagesError, PageField, PageList
from akdask.formats.parquet.statistics import page_locations, page_statistics
from akdask.formats.parquet.thrift import ThriftError, read_struct
from akdask.storage.files import identify
from akdask.storage.objects import VALUES
from akdask.storage.ranges import range_reader

ROWS = 3000


def table(seed, order):
    random = np.random.default_rng(seed)
    keys = random.integers(-50, 50, ROWS)
    keys = {"sorted": np.sort(keys), "falling": np.sort(keys)[::-1], "clusters": np.repeat(keys[::100], 100)}.get(
        order, keys
    )
    missing = (keys % 7 == 0) | (np.arange(ROWS) // 200 % 3 == 0)
    return pa.table(
        {
            "i": pa.array(keys),
            "u": pa.array(keys.astype(np.uint64)),
            "h": pa.array(keys.astype(np.int16)),
            "f": pa.array(np.where(keys % 11 == 0, np.nan, keys / 4)),
            "n": pa.array(keys / 4, mask=missing),
            "o": pa.array(keys, mask=missing),
            "t": pa.array(keys.astype("datetime64[s]"), mask=missing),
            "s": pa.array([f"key {key + 50:03d}" + "x" * (key % 40) for key in keys], mask=missing),
            "v": pa.array(np.arange(ROWS)),
            "w": pa.array(np.arange(ROWS) / 8),
        }
    )


def predicate(name, operation, bound):
    """Return a function that makes the same mask of akdask's columns and of pandas's."""
    value = {"t": np.datetime64(bound, "s"), "s": f"key {bound + 50:03d}", "f": bound / 4, "n": bound / 4}.get(
        name, bound
    )
    if name == "u":
        value = np.uint64(bound % 2**64)

    def mask(frame):
        column = frame[name]
        side = ak.Datetime([value])[0] if name == "t" and not isinstance(frame, pd.DataFrame) else value
        return {
            "<": lambda: column < side,
            "<=": lambda: column <= side,
            ">": lambda: column > side,
            ">=": lambda: column >= side,
            "==": lambda: column == side,
            "!=": lambda: column != side,
        }[operation]()

    return mask


NUMBERS = st.sampled_from(["i", "u", "h", "f", "n", "o"])
OPERATIONS = st.sampled_from(["<", "<=", ">", ">=", "==", "!="])


@settings(max_examples=10)
@given(data=st.data())
def test_filtered_rows_are_those_of_pandas_with_and_without_an_index(tmp_path_factory, data):
    rows = table(data.draw(st.integers(0, 5)), data.draw(st.sampled_from(["sorted", "falling", "clusters", "random"])))
    folder = tmp_path_factory.mktemp("index")
    options = {
        "compression": data.draw(st.sampled_from(["none", "snappy", "zstd", "gzip"])),
        "use_dictionary": data.draw(st.booleans()),
        "data_page_version": data.draw(st.sampled_from(["1.0", "2.0"])),
        "row_group_size": data.draw(st.sampled_from([700, 10_000])),
        "data_page_size": data.draw(st.sampled_from([300, 4000])),
        "write_batch_size": data.draw(st.sampled_from([16, 100])),
    }
    paths = {has_index: str(folder / f"{has_index}.parquet") for has_index in (True, False)}
    for has_index, path in paths.items():
        pq.write_table(rows, path, write_page_index=has_index, **options)
    masks = [
        predicate(name, data.draw(OPERATIONS), data.draw(st.integers(-55, 55)))
        for name in data.draw(st.lists(NUMBERS, min_size=1, max_size=2))
    ]
    expected = rows.to_pandas()
    for mask in masks:
        expected = expected[mask(expected)]
    # Ranges are told apart that are few rows from each other, as if units were short.
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sources, "UNIT", data.draw(st.sampled_from([1, 64, 2**15])))
        for path in paths.values():
            frame = ak.DataFrame(ak.read_parquet(path))
            for mask in masks:
                frame = frame[mask(frame)]
            np.testing.assert_array_equal(frame["v"].to_ndarray(), expected["v"])
            np.testing.assert_array_equal(frame["w"].to_ndarray(), expected["w"])
            found = [None if pd.isna(text) else text for text in expected["s"]]
            assert [None if pd.isna(text) else text for text in pd.Series(frame["s"])] == found


@pytest.mark.parametrize("operation", ["<", ">=", "==", "!="])
@pytest.mark.parametrize("name", ["s", "t"])
def test_text_and_times_are_filtered_alike_with_and_without_an_index(tmp_path, name, operation, monkeypatch):
    monkeypatch.setattr(sources, "UNIT", 1)
    rows = table(0, "sorted")
    found = []
    for has_index in (True, False):
        path = str(tmp_path / f"{has_index}.parquet")
        pq.write_table(rows, path, write_page_index=has_index, data_page_size=300, write_batch_size=16)
        frame = ak.DataFrame(ak.read_parquet(path))
        masks = [predicate(name, operation, bound)(frame) for bound in (-60, -3, 0, 49)]
        found += [frame[mask]["v"].to_ndarray().tolist() for mask in masks]
    assert found[:4] == found[4:]
    if name == "s" and operation == ">=":
        pandas = rows.to_pandas()
        assert found[1] == pandas[pandas["s"] >= "key 047"]["v"].tolist()


def test_float_sums_have_the_same_bits(tmp_path):
    random = np.random.default_rng(3)
    values, keys = random.random(200_000), np.repeat(random.integers(0, 40, 100), 2000)
    sums = set()
    for has_index in (True, False):
        for codec in ("none", "zstd"):
            path = str(tmp_path / f"{has_index}{codec}.parquet")
            fields = pa.schema([pa.field("k", pa.int64(), nullable=False), pa.field("x", pa.float64(), nullable=False)])
            pq.write_table(
                pa.table([keys, values], schema=fields),
                path,
                compression=codec,
                write_page_index=has_index,
                use_dictionary=False,
                data_page_size=8 * 2000,
                write_batch_size=1000,
            )
            frame = ak.DataFrame(ak.read_parquet(path))
            sums.add(float(frame[frame["k"] == 7]["x"].sum()))
            sums.add(float(frame[frame["k"] == 7]["x"].to_ndarray().size and frame[frame["k"] == 7]["x"].sum()))
    assert len(sums) == 1
    assert sums.pop() == pytest.approx(values[keys == 7].sum(), rel=1e-12)


def test_a_slice_before_the_filter_counts_all_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "UNIT", 1)
    path = str(tmp_path / "x.parquet")
    pq.write_table(table(0, "sorted"), path, write_page_index=True, data_page_size=300, write_batch_size=16)
    frame, pandas = ak.DataFrame(ak.read_parquet(path)), table(0, "sorted").to_pandas()
    part, expected = frame[301:2900:3], pandas[301:2900:3]
    assert part[part["i"] > 20]["v"].to_ndarray().tolist() == expected[expected["i"] > 20]["v"].tolist()
    part, expected = frame[frame["i"] > -20], pandas[pandas["i"] > -20]
    part, expected = part[5::2], expected[5::2]
    assert part[part["i"] < 20]["v"].to_ndarray().tolist() == expected[expected["i"] < 20]["v"].tolist()


@pytest.mark.parametrize("codec", ["none", "snappy", "zstd"])
def test_only_pages_that_may_have_wanted_rows_are_read(tmp_path, monkeypatch, codec):
    path = str(tmp_path / "x.parquet")
    values = np.arange(400_000)
    pq.write_table(
        pa.table({"a": values, "b": values / 2}),
        path,
        compression=codec,
        use_dictionary=False,
        write_page_index=True,
        data_page_size=8 * 4000,
        write_batch_size=1000,
        row_group_size=200_000,
    )
    frame = ak.DataFrame(ak.read_parquet(path))
    pages = []
    listed = PageList._add_page

    def noting(self, *arguments):
        pages.append(self._listed)
        listed(self, *arguments)

    monkeypatch.setattr(PageList, "_add_page", noting)
    found = frame[(frame["a"] >= 350_000) & (frame["a"] < 350_003)]["b"].to_ndarray()
    assert found.tolist() == [175_000.0, 175_000.5, 175_001.0]
    # Of each column, the page that has them: their headers, too, are the only ones read.
    assert len(pages) <= 4
    assert len(set(pages)) <= 2


def index_of(path, column="a"):
    """Return what tells of the first chunk of a column: the open file's reader, chunk and column."""
    file = inspect_file(identify(path))
    stored = file.columns[column]
    return file.file, file.chunks_of(stored)[0], stored


@pytest.fixture
def indexed(tmp_path):
    path = str(tmp_path / "x.parquet")
    values = pa.array([None if row % 10 == 3 or row >= 900 else row for row in range(1000)], pa.int64())
    pq.write_table(
        pa.table({"a": values, "b": np.arange(1000)}),
        path,
        write_page_index=True,
        use_dictionary=False,
        compression="none",
        data_page_size=1,
        write_batch_size=100,
    )
    return path


def test_pages_have_the_minima_and_nulls_that_pyarrow_wrote(indexed):
    file, chunk, column = index_of(indexed)
    with range_reader(file) as ranges:
        locations, pages = page_statistics(ranges, chunk, column)
    rows = pq.read_table(indexed)["a"].to_pandas()
    for first, count, page in zip(locations.firsts.tolist(), locations.rows.tolist(), pages, strict=True):
        some = rows[first : first + count]
        assert page["nulls"] == some.isna().sum()
        assert bool(page["bounded"]) == bool(some.notna().any())
        if page["bounded"]:
            assert (int(page["minimum"]), int(page["maximum"])) == (some.min(), some.max())


def test_pages_are_found_by_the_index_without_those_before_them(indexed):
    file, chunk, column = index_of(indexed, "b")
    with range_reader(file) as ranges:
        pages = PageList(
            ranges, ChunkPlace.all_of(chunk.reshape(1), [1000])[0], column, 8, lambda: page_locations(ranges, chunk)
        )
        assert pages.covering(810, 820)[:, PageField.FIRST].tolist() == [800]
        assert pages.covering(399, 501)[:, PageField.FIRST].tolist() == [300, 400, 500]
        assert pages.up_to(150)[:2, PageField.FIRST].tolist() == [0, 100]


def set_item(field, position, value):
    def change(index):
        index[field] = [*index[field][:position], value, *index[field][position + 1 :]]

    return change


NUMBER = (5000).to_bytes(8, "little")
CHANGES = {
    "fewer minima": lambda index: index.update({2: index[2][1:]}),
    "no maxima": lambda index: index.pop(3),
    "minima that are no bytes": set_item(2, 0, 7),
    "a minimum above its maximum": set_item(2, 0, NUMBER),
    "more nulls than rows": set_item(5, 0, 101),
    "nulls below zero": set_item(5, 0, -2),
    "other nulls than the chunk": set_item(5, 0, 9),
    "a page without values that has some": set_item(1, 0, 1),
    "a page with values that has none": set_item(1, 9, 2),
    "an order that is not so": lambda index: index.update({4: 2}),
    "no page with the maximum of the chunk": set_item(3, 8, (801).to_bytes(8, "little")),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_an_index_that_contradicts_itself_is_not_used(indexed, change):
    file, chunk, column = index_of(indexed)
    with range_reader(file) as ranges:
        locations = page_locations(ranges, chunk)
    at = int(chunk["bounds"])
    index, _ = read_struct(Path(indexed).read_bytes()[at : at + int(chunk["bounds_size"])])
    assert len(statistics._statistics(dict(index), chunk, column, locations)) == 10
    change(index)
    with pytest.raises(statistics._ContradictionError):
        statistics._statistics(index, chunk, column, locations)


PLACES = {
    "rows that do not begin with the first": set_item(1, 0, {1: 4, 2: 50, 3: 1}),
    "no pages": lambda index: index.update({1: []}),
    "no list": lambda index: index.update({1: 7}),
    "rows that fall": lambda index: index[1][3].update({3: 50}),
    "rows behind the last": lambda index: index[1][9].update({3: 1000}),
    "a page outside of the chunk": lambda index: index[1][9].update({1: 2**40}),
    "a page before the chunk": lambda index: index[1][0].update({1: 2}),
    "a page of no bytes": lambda index: index[1][2].update({2: 0}),
    "a page that is left out": lambda index: index[1].pop(4),
    "sizes that wrap around": lambda index: index[1][9].update({2: 2**63 - 1}),
}


@pytest.mark.parametrize("change", PLACES.values(), ids=PLACES)
def test_places_that_cannot_be_are_not_used(indexed, change):
    _, chunk, _ = index_of(indexed)
    at = int(chunk["pages"])
    index, _ = read_struct(Path(indexed).read_bytes()[at : at + int(chunk["pages_size"])])
    assert len(statistics._locations(index, chunk).firsts) == 10
    change(index)
    with pytest.raises(statistics._ContradictionError):
        statistics._locations(index, chunk)


@pytest.mark.parametrize("size", [0, -5, 2**63 - 1])
def test_places_without_gaps_are_used_only_if_each_page_lies_in_the_chunk(indexed, size):
    """The sizes that are changed are made up for by those beside them, modulo 2**64."""
    _, chunk, _ = index_of(indexed)
    at = int(chunk["pages"])
    index, _ = read_struct(Path(indexed).read_bytes()[at : at + int(chunk["pages_size"])])
    pages = index[1]
    whole = sum(pages[number][2] for number in range(3))
    sizes = [size, size, whole - 2 * size + 2**64] if size == 2**63 - 1 else [pages[0][2], size, None]
    sizes[2] = sizes[2] or whole - sizes[0] - size
    assert sum(sizes) % 2**64 == whole
    offset = pages[0][1]
    for number, changed in enumerate(sizes):
        pages[number].update({1: (offset + 2**63) % 2**64 - 2**63, 2: changed})
        offset += changed
    with pytest.raises(statistics._ContradictionError):
        statistics._locations(index, chunk)


KINDS = {
    "int64": pa.array([3, None, -(2**63), 2**63 - 1] * 6, pa.int64()),
    "int32": pa.array([-3, 2**31 - 1, None, 5] * 6, pa.int32()),
    "uint64": pa.array([3, None, 2**64 - 1, 2**63] * 6, pa.uint64()),
    "uint32": pa.array([2**32 - 1, None, 1, 2**31] * 6, pa.uint32()),
    "float": pa.array([1.5, None, float("nan"), -0.0] * 6, pa.float32()),
    "double": pa.array([float("inf"), None, -1.5, 0.0] * 6, pa.float64()),
    "bool": pa.array([True, None, False, False] * 6),
    "text": pa.array(["x", None, "longer than sixteen bytes", "ä\0"] * 6),
    "times": pa.array([5, None, -5, 2**40] * 6, pa.timestamp("us")),
    "nulls": pa.array([None] * 8 + list(range(16)), pa.int64()),
    "rising": pa.array(range(24), pa.int16()),
    "falling": pa.array([f"{row:03d}" for row in range(24, 0, -1)]),
    "decimals": pa.array(range(24), pa.decimal128(9, 2)),
}
"""Columns whose pages have other minima, maxima and nulls each."""


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """Return for each kind of column its chunk, the column, and the bytes of both of its indexes."""
    path = str(tmp_path_factory.mktemp("kinds") / "x.parquet")
    options = {"use_dictionary": False, "data_page_size": 1, "write_batch_size": 4, "store_decimal_as_integer": True}
    pq.write_table(pa.table(KINDS), path, write_page_index=True, **options)
    raw, found = Path(path).read_bytes(), {}
    for name in KINDS:
        _, chunk, column = index_of(path, name)
        places = ((int(chunk[field]), int(chunk[f"{field}_size"])) for field in ("pages", "bounds"))
        found[name] = chunk, column, [np.frombuffer(raw[at : at + size], np.uint8) for at, size in places]
    return found


REFUSED = (statistics._ContradictionError, ThriftError, OverflowError)


def by_both_ways(chunk, column, places, bounds):
    """Return locations and statistics by the loops, None where they leave an index to the general way, and by that."""
    plain = statistics._plain_locations(places, chunk), None
    try:
        locations = statistics._locations(read_struct(places.tobytes())[0], chunk)
    except REFUSED:
        return plain, (None, None)
    plain = plain[0], statistics._plain_statistics(bounds, chunk, column, locations)
    try:
        return plain, (locations, statistics._statistics(read_struct(bounds.tobytes())[0], chunk, column, locations))
    except REFUSED:
        return plain, (locations, None)


def check_alike(plain, general):
    if plain[0] is not None:
        assert [part.tolist() for part in plain[0]] == [part.tolist() for part in general[0]]
    if plain[1] is not None:
        assert plain[1].tobytes() == general[1].tobytes()


@pytest.mark.light
@pytest.mark.parametrize("name", KINDS)
def test_indexes_as_most_writers_have_them_are_read_by_the_loops(indexes, name):
    chunk, column, raw = indexes[name]
    plain, general = by_both_ways(chunk, column, *raw)
    assert plain[0] is not None
    assert len(general[1]) > 3
    # The order of decimals is not compared.
    assert (plain[1] is None) == (name == "decimals")
    check_alike(plain, general)


def bits(value):
    return int(np.array(value).view(f"u{value.itemsize}"))


CONTRADICTED = [
    ("int32", "minimum", bits(np.int32(-4))), ("int32", "maximum", bits(np.int32(2**31 - 1))),
    ("uint32", "minimum", 0), ("uint64", "minimum", 2), ("uint64", "minimum", 4), ("bool", "maximum", 1),
    ("float", "maximum", bits(np.float32(1.625))), ("double", "minimum", bits(np.float64(-9))),
    ("double", "minimum", bits(np.float64(-1))), ("double", "maximum", bits(np.float64("nan"))),
    ("text", "low", b""), ("text", "high", b"\xff"), ("falling", "high", b"0245"), ("falling", "high", b"02"),
    ("int64", "nulls", 1), ("int64", "nulls", -1), ("int64", "nulls", 6), ("nulls", "nulls", 7),
    ("int64", "values", 23), ("int64", "values", 25), ("int64", "values", 20), ("text", "values", -1),
    ("int64", "offset", 0), ("int64", "offset", -1), ("text", "size", 1), ("text", "size", -1),
]  # fmt: skip
AGREED = [1, 4, 5, 8, 9, 13, 15, 16, 18, 19]
"""The places of those that pages do not contradict."""


@pytest.mark.light
@pytest.mark.parametrize("number", range(len(CONTRADICTED)))
def test_indexes_are_not_those_of_chunks_that_they_contradict(indexes, number):
    name, field, value = CONTRADICTED[number]
    chunk, column, raw = indexes[name]
    changed = chunk.copy()
    changed[field] = chunk[field] + value if field in ("offset", "size") and value else value
    plain, general = by_both_ways(changed, column, *raw)
    check_alike(plain, general)
    assert [part is None for part in plain] == [part is None for part in general]
    assert (general[1] is not None) == (number in AGREED)


@given(
    st.sampled_from(sorted(KINDS)),
    st.lists(st.tuples(st.booleans(), st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=2),
    st.none() | st.tuples(st.booleans(), st.floats(0, 1)),
)
@example("int64", [], (True, 0.5))
def test_spoilt_indexes_are_those_of_the_general_way(indexes, name, changes, kept):
    chunk, column, raw = indexes[name]
    spoilt = [part.copy() for part in raw]
    for which, place, byte in changes:
        spoilt[which][int(place * len(spoilt[which]))] = byte
    if kept is not None:
        spoilt[kept[0]] = spoilt[kept[0]][: int(kept[1] * len(spoilt[kept[0]]))]
    check_alike(*by_both_ways(chunk, column, *spoilt))


def header_of(fields):
    """Return a structure of integers, bools and structures as Thrift's compact protocol writes it."""
    found, before = b"", 0
    for number, value in fields.items():
        kind = 12 if isinstance(value, dict) else 1 + (not value) if isinstance(value, bool) else 6
        found += bytes([(number - before) << 4 | kind])
        before = number
        if kind == 12:
            found += header_of(value)
        elif kind == 6:
            rest = value << 1 if value >= 0 else ~(value << 1)
            while rest > 127:
                found, rest = found + bytes([rest & 127 | 128]), rest >> 7
            found += bytes([rest])
    return found + b"\0"


OF_FIRST_KIND = {1: 0, 2: 32, 3: 32, 5: {1: 4, 2: 0, 3: 3}}
OF_SECOND_KIND = {1: 3, 2: 32, 3: 32, 8: {1: 4, 4: 0, 5: 0, 6: 0}}


def written_column(path):
    """Return a column of four integers, none of which may be missing, of a file that is written for it."""
    schema = pa.schema([pa.field("x", pa.int64(), nullable=False)])
    pq.write_table(pa.table([[1, 2, 3, 4]], schema=schema), path)
    return inspect_file(identify(str(path))).columns["x"]


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({}, None), ({2: -1}, FileFormatError), ({2: 2**28 + 1}, NoPlainPagesError), ({2: 2**28}, FileFormatError),
        ({3: -1}, FileFormatError), ({3: 33}, FileFormatError), ({2: 31}, FileFormatError),
    ],
)  # fmt: skip
def test_headers_of_pages_tell_sizes_that_can_be(tmp_path, monkeypatch, change, error):
    """One page of four numbers, without levels and not packed, is all that the chunk has."""
    column = written_column(tmp_path / "x.parquet")
    for number, header in enumerate((OF_FIRST_KIND, OF_SECOND_KIND)):
        head = header_of(header | change)
        (tmp_path / str(number)).write_bytes(head + bytes(32))
        file, place = identify(str(tmp_path / str(number))), ChunkPlace(0, len(head) + 32, 0, 4)
        for is_local in (True, False):
            with range_reader(file) as ranges, monkeypatch.context() as patched:
                if not is_local:
                    patched.setattr(type(ranges), "dense_file", None)
                pages = PageList(ranges, place, column, 8, lambda: None)
                if error is not None:
                    with pytest.raises(error):
                        pages.up_to(4)
                else:
                    (page,) = pages.up_to(4)
                    assert (page[PageField.NROWS], page[PageField.FIRST]) == (4, 0)


@pytest.mark.parametrize(
    ("dictionary", "size", "error"),
    [
        ({1: 4, 2: 0}, 32, None), ({1: 4, 2: 2}, 32, None), ({1: 0, 2: 0}, 32, None),
        ({1: 5, 2: 0}, 32, FileFormatError),
        ({1: -1, 2: 0}, 32, FileFormatError), ({2: 0}, 32, FileFormatError), ({1: 2**62, 2: 0}, 32, FileFormatError),
        ({1: 1, 2: 0}, 2**28 + 1, NoPlainPagesError),
    ],
)  # fmt: skip
def test_headers_of_dictionaries_tell_numbers_that_can_be(tmp_path, monkeypatch, dictionary, size, error):
    """A dictionary of 32 bytes comes before one page of four numbers."""
    column = written_column(tmp_path / "x.parquet")
    # Checksums are numbers of 32 bits without a sign.
    checksum = {4: -7} if dictionary[2] else {}
    head = header_of({1: 2, 2: size, 3: 32, **checksum, 7: dictionary})
    raw = head + bytes(32) + header_of(OF_FIRST_KIND) + bytes(32)
    (tmp_path / "pages").write_bytes(raw)
    place = ChunkPlace(0, len(raw), 1 if error is NoPlainPagesError else 0, 4)
    for is_local in (True, False):
        with range_reader(identify(str(tmp_path / "pages"))) as ranges, monkeypatch.context() as patched:
            if not is_local:
                patched.setattr(type(ranges), "dense_file", None)
            pages = PageList(ranges, place, column, 8, lambda: None)
            if error is not None:
                with pytest.raises(error):
                    pages.up_to(4)
                continue
            (page,) = pages.up_to(4)
            assert page[PageField.NROWS] == 4
            assert pages.dictionary == (dictionary[1], len(head), 32, 32, 2**32 - 7 if checksum else -1)


def test_an_index_that_is_told_to_lie_outside_of_the_file_is_not_read(indexed):
    file, chunk, column = index_of(indexed)
    for field, value in (("bounds", 2**50), ("pages", 2**50), ("bounds_size", 2**40), ("pages_size", -1)):
        changed = chunk.copy()
        changed[field] = value
        with range_reader(file) as ranges:
            assert page_statistics(ranges, changed, column) is None


@settings(max_examples=15)
@given(data=st.data())
def test_flipped_bits_of_places_change_no_answer(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("flipped") / "x.parquet"
    values = np.arange(4000)
    pq.write_table(
        pa.table({"a": values, "b": values * 2}), path, write_page_index=True, data_page_size=400, write_batch_size=100
    )
    _, chunk, _ = index_of(str(path), data.draw(st.sampled_from(["a", "b"])))
    raw = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 2))):
        place = int(chunk["pages"]) + data.draw(st.integers(0, int(chunk["pages_size"]) - 1))
        raw[place] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(raw)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sources, "UNIT", 1)
        frame = ak.DataFrame(ak.read_parquet(str(path)))
        assert frame[(frame["a"] > 3000) & (frame["a"] < 3003)]["b"].to_ndarray().tolist() == [6002, 6004]


@settings(max_examples=15)
@given(data=st.data())
def test_flipped_bits_of_bounds_end_in_an_answer_or_an_error(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("flipped") / "x.parquet"
    pq.write_table(
        pa.table({"a": [f"{row:05d}" for row in range(2000)]}), path, write_page_index=True, data_page_size=900
    )
    _, chunk, _ = index_of(str(path))
    raw = bytearray(path.read_bytes())
    place = int(chunk["bounds"]) + data.draw(st.integers(0, int(chunk["bounds_size"]) - 1))
    raw[place] ^= 1 << data.draw(st.integers(0, 7))
    path.write_bytes(raw)
    try:
        found = ak.read_parquet(str(path))["a"]
        assert set(found[found == "00777"].tolist()) <= {"00777"}
    except AkdaskError:
        pass


def test_files_of_polars_are_filtered_by_their_pages(tmp_path):
    polars = pytest.importorskip("polars")
    path = str(tmp_path / "x.parquet")
    values = np.arange(50_000)
    polars.DataFrame({"a": values, "b": values / 2}).write_parquet(path, data_page_size=8000)
    source = open_set(path).objects(["a"])["a"].members[VALUES].source
    with source.part(0, ["a"]).open() as reader:
        assert len(reader.row_bounds("a", np.array([[0, 50_000]])).starts) > 10
    frame = ak.DataFrame(ak.read_parquet(path))
    assert frame[(frame["a"] > 40_000) & (frame["a"] < 40_003)]["b"].to_ndarray().tolist() == [20_000.5, 20_001.0]


def test_files_of_duckdb_are_filtered_by_their_row_groups(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = str(tmp_path / "x.parquet")
    duckdb.sql(f"copy (select range a from range(50_000)) to '{path}' (format parquet, row_group_size 10_000)")
    source = open_set(path).objects(["a"])["a"].members[VALUES].source
    with source.part(0, ["a"]).open() as reader:
        bounds = reader.row_bounds("a", np.empty((0, 2), np.int64))
    assert len(bounds.starts) == pq.read_metadata(path).num_row_groups
    assert bounds.bounds.minima.tolist() == bounds.starts.tolist()
    array = ak.read_parquet(path)["a"]
    assert array[array == 33_333].tolist() == [33_333]


def test_sets_of_ours_have_an_index(tmp_path):
    ak.to_parquet({"a": ak.arange(10)}, tmp_path / "x")
    chunk = pq.read_metadata(next(tmp_path.glob("x*"))).row_group(0).column(0)
    assert chunk.has_offset_index
    assert chunk.has_column_index


def test_what_is_not_known_of_a_page_is_nothing():
    known = SimpleNamespace(physical="INT64")
    assert statistics._extremes(b"1234", b"12345678", known)[0] is False
