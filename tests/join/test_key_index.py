from __future__ import annotations

import sys
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import from_ints
from akdask.operators.join import loops, tuning
from akdask.operators.join.key_tables import (
    DirectIndex,
    DirectSet,
    GroupingIndex,
    HashSet,
    IndexSet,
    OpenAddressingTable,
    PackedIndex,
    RankedIndex,
    StringIndex,
    index_keys,
    key_set,
)
from akdask.operators.keys import tables as shared_tables
from akdask.operators.keys import tuning as key_tuning
from akdask.operators.keys.keys import FIRST, HALF, SECOND, VACANT, SlotGrid, span, word
from akdask.operators.keys.tables import KeyTable
from akdask.testing.strategies import DTYPES, columns


def as_column(plain):
    return pa.array(plain.tolist(), pa.large_string()) if plain.dtype.kind == "U" else plain


def rows_of(plain):
    items = [["nan" if isinstance(item, float) and np.isnan(item) else item for item in c.tolist()] for c in plain]
    return list(zip(*items, strict=True))


@st.composite
def tables(draw, dtypes=DTYPES, max_keys=2):
    """Two tables of the same types, whose rows are drawn from few."""
    kinds = draw(st.lists(st.sampled_from(dtypes), min_size=1, max_size=max_keys))
    pool = draw(st.integers(1, 8))
    values = [draw(columns(kind, pool)) for kind in kinds]
    made = []
    for _ in range(2):
        rows = draw(st.integers(0, 20))
        picks = [draw(st.lists(st.integers(0, pool - 1), min_size=rows, max_size=rows)) for _ in kinds]
        made.append([column[np.array(pick, int)] for column, pick in zip(values, picks, strict=True)])
    return made


def check(index, table, wanted):
    firsts = {}
    expected = [firsts.setdefault(row, number) for number, row in enumerate(rows_of(table))]
    assert (list(range(len(expected))) if index.firsts is None else index.firsts.tolist()) == expected
    keys = [as_column(column) for column in wanted]
    assert index.find(keys).tolist() == [firsts.get(row, -1) for row in rows_of(wanted)]
    out = np.empty(len(wanted[0]), np.int64)
    assert index.find(keys, out) is out
    assert out.tolist() == [firsts.get(row, -1) for row in rows_of(wanted)]


@given(tables())
def test_the_first_row_with_the_same_keys_is_found(both):
    table, wanted = both
    check(index_keys([as_column(column) for column in table]), table, wanted)


@given(tables())
def test_rows_find_their_keys_among_distinct_ones(both):
    table, wanted = both
    known = sorted({row: number for number, row in reversed(list(enumerate(rows_of(table))))}.values())
    table = [column[known] for column in table]
    found = index_keys([as_column(column) for column in table]).find([as_column(column) for column in wanted])
    places = {row: number for number, row in enumerate(rows_of(table))}
    assert found.tolist() == [places.get(row, -1) for row in rows_of(wanted)]


@given(st.lists(st.integers(-(2**90), 2**90), unique=True, min_size=1), st.lists(st.integers(-(2**70), 2**70)))
def test_integers_of_any_size_find_themselves_in_whatever_width(table, others):
    for wanted in (others, table + others, []):
        found = index_keys([from_ints(table)]).find([from_ints(wanted)])
        assert found.tolist() == [table.index(item) if item in table else -1 for item in wanted]


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=1),
    st.lists(st.tuples(st.integers(-9, 9), st.booleans())),
)
def test_integers_of_a_small_range_are_found_directly(rows, others):
    table, wanted = (
        [np.array([a for a, _ in some], int), np.array([b for _, b in some], bool)] for some in (rows, others)
    )
    for kind in DirectIndex, RankedIndex:
        check(kind(table, SlotGrid.around(table)), table, wanted)
        check(kind(table[:1], SlotGrid.around(table[:1])), table[:1], wanted[:1])


@given(tables(["str"], max_keys=1))
def test_strings_are_found_by_their_numbers(both):
    table, wanted = both
    check(StringIndex([as_column(table[0])]), table, wanted)


def test_what_lies_outside_the_range_is_not_found():
    extremes = np.array([-(2**63), -1, 4, 5, 6, 7, 2**63 - 1])
    index = index_keys([np.array([5, 6])])
    assert isinstance(index, DirectIndex)
    assert index.find([extremes]).tolist() == [-1, -1, -1, 0, 1, -1, -1]
    assert index_keys([np.array([2**63], np.uint64)]).find([np.array([0, 2**63], np.uint64)]).tolist() == [-1, 0]


@given(
    st.lists(st.tuples(st.integers(-(2**30), 2**30), st.integers(0, 1)), min_size=1),
    st.lists(st.tuples(st.integers(-(2**31), 2**31), st.integers(-1, 2))),
)
def test_keys_of_small_ranges_are_packed_with_row_numbers(rows, others):
    table, wanted = ([np.array([row[k] for row in some], int) for k in (0, 1)] for some in (rows, others + rows))
    check(PackedIndex(table, [span(key) for key in table]), table, wanted)
    check(PackedIndex(table[:1], [span(table[0])]), table[:1], wanted[:1])


@given(
    st.lists(st.tuples(st.integers(-(2**60), 2**60 - 1), st.integers(0, 3)), min_size=20, unique_by=lambda row: row[0]),
    st.lists(st.integers(-(2**63), 2**63 - 1)),
)
def test_leading_bits_that_have_no_room_beside_the_row_number_are_left_out(rows, others):
    table = np.array([row for row, copies in rows for _ in range(1 + copies)] + [-(2**60), 2**60 - 1])
    index = PackedIndex([table], [span(table)])
    assert index._dropped_bits
    if index.is_sound:
        check(index, [table], [np.array(others + [row + more for row, _ in rows for more in (0, 2**57, 2**61)])])


def test_keys_of_a_range_that_leaves_no_room_are_hashed():
    keys = np.arange(3_000) * (2**57 // 3_000)
    assert isinstance(index_keys([keys]), PackedIndex)
    assert isinstance(index_keys([keys * 64]), KeyTable)


def unmixed(tags, spare):
    """Return the keys that have the given tags."""
    undo = [pow(int(factor), -1, 2**64) for factor in (SECOND, FIRST)]
    tags = [tag * undo[0] % 2**64 for tag in tags]
    return [(tag ^ ((tag >> int(HALF)) >> spare << spare)) * undo[1] % 2**64 >> spare for tag in tags]


@pytest.mark.parametrize(("count", "is_sound"), [(128, True), (129, False), (300, False)])
@pytest.mark.parametrize("first", [0, 2**64 - 300 * 2**6])
def test_keys_too_many_of_whose_words_belong_to_one_place_are_hashed(first, count, is_sound):
    spare = 6
    crowd = unmixed([first + (number << spare) for number in range(count)], spare)
    rest = np.random.default_rng(0).integers(0, 2**58, 2_700).tolist()
    keys = np.array([0, 2**58 - 1, *crowd, *rest])
    index = PackedIndex([keys], [span(keys)])
    assert (index._spare, index._dropped_bits, index.is_sound) == (spare, 6, is_sound)
    assert isinstance(index_keys([keys]), PackedIndex if is_sound else KeyTable)
    check(index_keys([keys]), [keys], [np.append(keys[::-1], keys + 1)])


def places_of(words, layout):
    """Return the slots of ascending words, each the first free one from its own on, and the number of all slots."""
    first = (words >> np.uint64(layout.shift)).astype(np.int64)
    number = np.arange(len(words))
    slots = np.maximum.accumulate(first - number) + number
    return slots, layout.end(int(slots.max(initial=-1)) + 1)


def laid_out(index, table):
    """Return the table of a packed index, the largest distance of a word, and rows with repeated keys, by sorting."""
    tags = np.zeros(len(table[0]), np.uint64)
    for key, (low, high) in zip(table, index._spans, strict=True):
        tags = (tags << np.uint64((high - low).bit_length())) | (word(key, 0) - np.uint64(low))
    spare = np.uint64(index._spare)
    tags = (tags << spare) * FIRST
    tags = (tags ^ ((tags >> HALF) >> spare << spare)) * SECOND
    order = np.argsort(tags, kind="stable")
    is_first = np.append(True, np.diff(tags[order]) != 0)
    rows = order[is_first].astype(np.uint64)
    words = (tags[order][is_first] << np.uint64(index._dropped_bits)) | rows
    positions, size = places_of(tags[order][is_first], index._layout)
    slots = np.full(size, VACANT)
    slots[positions] = words
    furthest = positions - (tags[order][is_first] >> np.uint64(index._layout.shift)).astype(np.int64)
    return slots, int(furthest.max()), sorted(order[~is_first].tolist())


@given(
    st.lists(st.tuples(st.integers(0, 2**58 - 1) | st.integers(0, 9), st.integers(0, 2)), min_size=1),
    st.integers(0, 57),
    st.booleans(),
    st.sampled_from([1, 2, 8]),
)
def test_words_are_inserted_where_sorting_puts_them(rows, shift, with_another, threads):
    keys = np.array([key >> shift for key, copies in rows for _ in range(1 + copies)])
    table = [keys, np.arange(len(keys)) % 2] if with_another and shift else [keys]
    index = PackedIndex(table, [span(column) for column in table])
    with patch.object(key_tuning, "ROWS_OF_THREADS", 0), patch.object(shared_tables, "_cores", return_value=threads):
        slots, furthest, later = index._inserted()
    expected, expected_furthest, expected_later = laid_out(index, table)
    assert sorted(later.tolist()) == expected_later
    assert (slots.tolist(), furthest) == (expected.tolist(), expected_furthest)


def test_rows_for_whom_a_part_has_no_slot_left_are_inserted_in_those_of_the_next():
    for crowded in (1, 7):
        # Eight rows belong in the last slot of one of eight parts.
        slots = OpenAddressingTable(10)
        last = (crowded << slots.bits >> 3) - 1
        crowd = unmixed([(last << slots.shift) + (number << 6) for number in range(8)], 6)
        table = [np.array([0, 2**58 - 1, *crowd])]
        index = PackedIndex(table, [span(column) for column in table])
        with patch.object(key_tuning, "ROWS_OF_THREADS", 0), patch.object(shared_tables, "_cores", return_value=8):
            words, furthest, later = index._inserted()
        expected, expected_furthest, _ = laid_out(index, table)
        assert (words.tolist(), furthest, later.tolist()) == (expected.tolist(), expected_furthest, []), crowded


def test_a_tag_like_that_of_vacant_slots_is_found_where_it_is():
    """Three rows leave two bits for their numbers: all bits set are those of a row that is not there."""
    (key,) = unmixed([2**64 - 4], 2)
    for last, expected in ((key, 2), (5, -1)):
        keys = np.array([0, 2**62 - 1, last])
        assert PackedIndex([keys], [span(keys)]).find([np.array([key])]).tolist() == [expected]


@given(st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 40) | st.integers(2**64 - 9, 2**64 - 1)))
def test_hashes_are_inserted_where_sorting_puts_them(hashes):
    hashes = np.array(hashes, np.uint64)
    layout = OpenAddressingTable(len(hashes))
    table = layout.vacant(len(hashes))
    # A hash like that of vacant slots is not in the table.
    distinct = np.unique(hashes[hashes != VACANT])
    slots, size = places_of(distinct, layout)
    assert layout.end(loops.insert_hashes(hashes, layout.shift, table)) == size
    expected = np.full(len(table), VACANT)
    expected[slots] = distinct
    assert table.tolist() == expected.tolist()


def test_tables_that_are_too_small_are_refused():
    hashes = np.array([2**64 - 4, 2**64 - 3, 2**64 - 2], np.uint64)
    for some in (hashes, hashes[::-1].copy()):
        with pytest.raises(ValueError, match="too few slots"):
            loops.insert_hashes(some, 63, np.full(3, VACANT))
    with pytest.raises(ValueError, match="beyond the table"):
        loops.insert_hashes(hashes, 60, np.full(3, VACANT))


def test_the_range_of_keys_for_their_number_decides_how_they_are_looked_up(monkeypatch):
    for name, value in {
        "SLOTS_PER_ROW": 4,
        "MIN_SLOTS": 10,
        "BITS_PER_ROW": 6,
        "MIN_BITS": 15,
        "MAX_SLOTS": 50,
    }.items():
        monkeypatch.setattr(tuning, name, value)
    for count, close, most in ((2, 10, 15), (5, 20, 30), (9, 36, 50)):
        for width, expected in (
            (close, (DirectIndex, DirectSet)),
            (close + 1, (RankedIndex, DirectSet)),
            (most, (RankedIndex, DirectSet)),
            (most + 1, (PackedIndex, HashSet)),
        ):
            keys = np.append(np.arange(count - 1), width - 1)
            assert (type(index_keys([keys])), type(key_set([keys]))) == expected
    assert isinstance(index_keys([np.array([-1e300, 1e300])]), KeyTable)
    assert isinstance(key_set([np.array([0, 99]), np.array([0, 99])]), IndexSet)


def test_text_and_large_integers_have_indices_of_their_own(monkeypatch):
    monkeypatch.setattr(tuning, "FEW_STRINGS", 3)
    few, many = (pa.array([letter * 20 for letter in letters], pa.large_string()) for letters in ("abc", "abcd"))
    kinds = [type(index_keys(keys)) for keys in ([few], [many], [few, few], [from_ints([2**70, 1])])]
    assert kinds == [StringIndex, KeyTable, KeyTable, GroupingIndex]


def test_a_wider_range_is_ranked_or_packed():
    for step, kind in ((1_000, PackedIndex), (50, RankedIndex)):
        keys = np.arange(100_000) * step
        index = index_keys([keys])
        assert isinstance(index, kind)
        found = index.find([keys[::-1] + np.tile([0, 1], 50_000)])
        assert found.tolist() == [number if number % 2 else -1 for number in range(99_999, -1, -1)]


def test_nothing_is_found_in_an_empty_table():
    assert index_keys([np.empty(0, np.int64)]).find([np.arange(3)]).tolist() == [-1, -1, -1]


def test_an_index_tells_how_much_memory_it_takes():
    keys = [np.arange(1000)]
    for index in DirectIndex(keys, SlotGrid.around(keys)), PackedIndex(keys, [span(keys[0])]), KeyTable(keys):
        assert 4_000 <= sys.getsizeof(index) <= 100_000
