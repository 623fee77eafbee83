"""Bounds and choices of keys and their tables, each stated by itself."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns.bigint import from_ints
from akdask.operators.keys import hashing, keys, string_codes, tables, tuning
from akdask.operators.keys.keys import Key, SlotGrid, lead
from akdask.operators.keys.string_codes import StringEncoder, StringLayout, codes_of, layout_of, strings_of
from akdask.operators.keys.tables import KeyTable, TextTable


def text(*items):
    return pa.array(items, pa.large_string())


@pytest.mark.parametrize(
    ("varying", "lengths", "parts"),
    [
        ((2**64 - 1,), (3, 3), [[0]]), ((2**64 - 1,), (3, 4), [[0], [1]]), ((2**32 - 1, 2**32 - 1), (9, 9), [[0, 1]]),
        ((2**32 - 1, 2**33 - 1), (9, 9), [[0], [1]]), ((0, 1), (9, 9), [[1]]), ((1, 0), (9, 12), [[0, 2]]),
        ((0,), (2, 2), [[]]),
        ((2**32 - 1, 2**31 - 1), (9, 10), [[0, 1, 2]]), ((2**32 - 1, 2**32 - 1), (9, 10), [[0, 1], [2]]),
    ],
)  # fmt: skip
def test_words_share_a_code_where_their_bits_fit(varying, lengths, parts):
    layout = StringLayout((0,) * len(varying), varying, *lengths)
    assert layout.parts == parts
    assert layout.bits == sum(map(int.bit_count, varying)) + (lengths[1] - lengths[0]).bit_length()


@pytest.mark.parametrize(
    ("length", "is_known"), [(1, True), (string_codes.LONGEST, True), (string_codes.LONGEST + 1, False)]
)
def test_strings_up_to_a_length_have_a_layout(length, is_known):
    for strings in (text("a" * length, "b"), text("b", "a" * length)):
        layout = layout_of(strings)
        assert (layout is not None) == is_known
        if layout is not None:
            assert strings_of(layout, codes_of(strings, layout)).to_pylist() == strings.to_pylist()


@pytest.mark.parametrize("block_rows", [1, 3, 7, 100])
def test_strings_are_encoded_block_by_block(monkeypatch, block_rows):
    monkeypatch.setattr(tuning, "BLOCK_ROWS", block_rows)
    strings = text(*[f"gate {row * 7 % 13:02}" + "x" * (row % 3) for row in range(20)])
    layout = layout_of(strings)
    found = codes_of(strings, layout)
    assert strings_of(layout, found).to_pylist() == strings.to_pylist()
    order = np.lexsort(found[::-1])
    assert [strings[int(row)].as_py() for row in order] == sorted(strings.to_pylist())


def test_memory_of_an_encoder_is_reserved_for_the_rows_that_are_expected():
    strings = text("a", "b", "c")
    for expected in (0, 2, 3, 100):
        encoder = StringEncoder(expected)
        for times in range(1, 5):
            encoder.append(strings)
            assert len(encoder._codes[0]) >= 3 * times
        found = encoder.finish()
        assert found.strings().to_pylist() == strings.to_pylist() * 4


@pytest.mark.parametrize("first", [[0, 1], [5, 5], [0, 2**62], [0, 2**64 - 1]])
def test_the_lead_of_words_takes_the_highest_bits_of_the_next(first):
    second = [0, 2**63 - 1]
    found = lead([Key.of(np.array(first, np.uint64)), Key.of(np.array(second, np.uint64))])
    taken = min(63, 64 - (max(first) - min(first)).bit_length())
    assert found.tolist() == [
        ((one - min(first)) << taken) | (other >> (63 - taken)) for one, other in zip(first, second, strict=True)
    ]


@pytest.mark.parametrize("dtype", ["i8", "u8", "u1", "?", "M8[s]"])
def test_slots_of_rows_are_words_less_an_offset(dtype):
    rows = np.array([3, 1, 5, 0, 4]) if dtype != "?" else np.array([1, 0, 1, 0, 0])
    column = rows.astype(dtype)
    for low, size in ((1, 4), (0, 6), (0, 1)):
        grid = SlotGrid((low,), (size,))
        if column.dtype.kind == "M":
            continue
        words, offset = grid.offset_codes([column])
        found = words - offset
        inside = (rows >= low) & (rows < low + size)
        assert found[inside].tolist() == (rows[inside] - low).tolist()
        assert (found[~inside] >= np.uint64(size)).all()
        assert grid.codes_within([column]).tolist() == np.where(inside, rows - low, size).tolist()
    if column.dtype.kind != "M":
        pair = SlotGrid((0, 0), (6, 6))
        words, offset = pair.offset_codes([column, column])
        assert (words - offset).tolist() == (rows * 7).tolist()
    negative = SlotGrid((-2,), (5,))
    words, offset = negative.offset_codes([np.array([-2, 0, 2, 3, -3])])
    assert (words - offset)[:3].tolist() == [0, 2, 4]
    assert ((words - offset)[3:] >= np.uint64(5)).all()


@pytest.mark.parametrize(
    ("count", "dtype"), [(1, np.uint16), (2**16, np.uint16), (2**16 + 1, np.uint32), (2**31, np.uint32)]
)
def test_buckets_are_shares_of_the_last_bits(count, dtype):
    hashes = np.array([0, 2**32 - 1, 2**31, 2**63 + 2**30, 2**64 - 1], np.uint64)
    found = hashing.buckets_of(hashes, count)
    assert found.dtype == dtype
    assert found.tolist() == [(int(item) % 2**32) * count >> 32 for item in hashes]


def test_every_word_of_a_value_tells_in_its_hash():
    numbers = from_ints([5, 5 + 2**64, 5 + 2**128, 5 + 2**130, 5])
    found = hashing.hash_rows([numbers])
    assert len(set(found.tolist())) == 4
    assert found[0] == found[4]
    for columns in ([np.arange(4), np.zeros(4)], [np.zeros(4), np.arange(4)], [np.zeros(4), text(*"abcd")]):
        assert len(set(hashing.hash_rows(columns).tolist())) == 4
    assert hashing.is_exact([np.arange(2)])
    assert not hashing.is_exact([np.arange(2), np.arange(2)])
    assert not hashing.is_exact([text("a")])


@pytest.mark.parametrize(("slots", "keys_"), [(8, 5), (64, 40), (16, 10), (2**12, 2560)])
def test_three_of_eight_slots_stay_vacant(slots, keys_):
    assert tables._capacity(tables._vacant(slots)) == keys_


@pytest.mark.parametrize(
    "case",
    [(9, 4, 8, 64, 1), (10, 4, 8, 64, 4), (10, 3, 8, 64, 2), (10, 16, 8, 64, 8), (10, 4, 8, 2, 2), (10, 1, 8, 64, 1)],
)
def test_threads_make_parts_of_tables_of_many_rows(monkeypatch, case):
    rows, cores, most, nslots, parts = case
    monkeypatch.setattr(tuning, "ROWS_OF_THREADS", 10)
    monkeypatch.setattr(tuning, "MOST_PARTS", most)
    monkeypatch.setattr(tables, "_cores", lambda: cores)
    assert tables.made_in_parts(lambda part, count: (part, count), rows, nslots) == [
        (part, parts) for part in range(parts)
    ]


def test_cores_are_those_that_the_process_may_use(monkeypatch):
    monkeypatch.setattr(
        tables.os, "sched_getaffinity", lambda process: {1, 5, 7} if process == 0 else set(), raising=False
    )
    assert tables._cores() == 3
    monkeypatch.delattr(tables.os, "sched_getaffinity")
    monkeypatch.setattr(tables.os, "cpu_count", lambda: 6)
    assert tables._cores() == 6
    monkeypatch.setattr(tables.os, "cpu_count", lambda: None)
    assert tables._cores() == 1


@pytest.mark.parametrize("length", [1, 40, 10_000])
def test_memory_for_strings_holds_twice_what_is_needed(monkeypatch, length):
    monkeypatch.setattr(tuning, "FEWEST_KEYS", 2)
    table = TextTable()
    strings = [f"{number:05}".rjust(length, "x") for number in range(9)]
    assert table.numbers(text(*strings), 100).tolist() == list(range(9))
    used = sum(map(len, strings))
    assert len(table._text) >= used
    before = len(table._text)
    table._reserve(before)
    assert len(table._text) == 2 * (used + before + 8)
    table._reserve(len(table._text) - used - 8)
    assert len(table._text) == 2 * (used + before + 8)
    assert table.strings().to_pylist() == strings


ROWS = 12
WIDE = np.array([0, 2**63, 5, 2**62] * 3, np.uint64)
COLUMNS = {
    "numbers": [np.arange(ROWS) % 5],
    "narrow numbers": [np.arange(ROWS) % 3, np.arange(ROWS) % 2],
    "numbers of all bits and constants": [np.where(np.arange(ROWS) % 2 == 0, -(2**63), 2**63 - 1), np.full(ROWS, 7)],
    "constants and numbers of all bits": [np.full(ROWS, 7), np.where(np.arange(ROWS) % 2 == 0, -(2**63), 2**63 - 1)],
    "numbers of 63 bits and flags": [np.arange(ROWS) % 2 == 0, np.where(np.arange(ROWS) % 3 == 0, 0, 2**63 - 1)],
    "wide numbers": [WIDE, WIDE[::-1].copy()],
    "text": [text(*[f"t{row % 4}" for row in range(ROWS)])],
    "text and wide numbers": [text(*[f"t{row % 4}" for row in range(ROWS)]), WIDE],
    "numbers and text": [np.arange(ROWS) % 3, text(*[f"t{row % 2}" for row in range(ROWS)])],
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("are_alike", [False, True])
def test_keys_are_found_by_their_first_rows(monkeypatch, name, are_alike):
    """Where all hashes of text or of several columns are alike, numbers of the columns stand for them."""
    if are_alike:
        monkeypatch.setattr(hashing, "hash_rows", lambda columns: np.zeros(len(columns[0]), np.uint64))
        monkeypatch.setattr(hashing, "hash_words", lambda words: np.zeros(len(words[0]), np.uint64))
    columns = COLUMNS[name]
    rows = list(
        zip(
            *[column.to_pylist() if isinstance(column, pa.Array) else column.tolist() for column in columns],
            strict=True,
        )
    )
    firsts = {}
    wanted = [firsts.setdefault(row, number) for number, row in enumerate(rows)]
    monkeypatch.setattr(tuning, "BLOCK_ROWS", 5)
    table = KeyTable(columns)
    assert (list(range(ROWS)) if table.firsts is None else table.firsts.tolist()) == wanted
    assert table.find(columns).tolist() == wanted
    others = [
        text(*["t1", "t9", "t0"] * 4) if isinstance(column, pa.Array) else np.roll(column, 1).astype(column.dtype)
        for column in columns
    ]
    asked = list(
        zip(
            *[column.to_pylist() if isinstance(column, pa.Array) else column.tolist() for column in others], strict=True
        )
    )
    assert table.find(others).tolist() == [firsts.get(row, -1) for row in asked]
    out = np.full(ROWS, -5)
    assert table.find(columns, out) is out
    assert out.tolist() == wanted


def test_all_columns_tell_whether_keys_have_one_hash(monkeypatch):
    """Two keys that differ in one of two columns of text alone, the first or the last."""
    monkeypatch.setattr(hashing, "hash_rows", lambda columns: np.zeros(len(columns[0]), np.uint64))
    for first, second in ((["a", "a"], ["b", "c"]), (["a", "b"], ["c", "c"]), (["a", "a"], ["b", "b"])):
        table = KeyTable([text(*first), text(*second)])
        assert (table.firsts is None) == (len({*zip(first, second, strict=True)}) == 2)
        assert table.find([text(*first), text(*second)]).tolist() == ([0, 0] if table.firsts is not None else [0, 1])
        assert table.find([text("z", first[1]), text(second[0], "z")]).tolist() == [-1, -1]


@pytest.mark.parametrize("shift", [2, 10, 63])
def test_rows_packed_with_wide_keys_lose_low_bits_alone(shift):
    words = np.array([0, 2**63, 2**64 - 1, 1], np.uint64)
    packed = keys.pack_words(keys.Key.of(words), shift)
    assert packed.tolist() == [((word >> shift) << shift) | row for row, word in enumerate(words.tolist())]
    assert keys.unpack_rows(packed, shift).tolist() == [0, 1, 2, 3]
