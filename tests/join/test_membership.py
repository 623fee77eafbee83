from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.join import key_tables as gapped
from akdask.operators.join.key_tables import DirectSet, HashSet, IndexSet, index_keys, key_set
from akdask.operators.keys import hashing
from akdask.operators.keys.keys import FIRST, SECOND, SlotGrid
from akdask.testing.strategies import DTYPES, columns


def as_column(plain):
    return pa.array(plain.tolist(), pa.large_string()) if plain.dtype.kind == "U" else plain


def elements(plain):
    return ["nan" if isinstance(item, float) and np.isnan(item) else item for item in plain.tolist()]


@st.composite
def two_columns(draw, dtypes=DTYPES):
    pool = draw(columns(draw(st.sampled_from(dtypes)), draw(st.integers(1, 12))))
    return [pool[np.array(draw(st.lists(st.integers(0, len(pool) - 1), max_size=20)), int)] for _ in range(2)]


def check(members, table, wanted):
    expected = [item in set(elements(table)) for item in elements(wanted)]
    assert members.has([as_column(wanted)]).tolist() == expected
    out = np.empty(len(wanted), np.bool_)
    members.has([as_column(wanted)], out)
    assert out.tolist() == expected


@given(two_columns())
def test_keys_of_a_table_are_its_members(both):
    table, wanted = both
    check(key_set([as_column(table)]), table, wanted)
    check(IndexSet(index_keys([as_column(table)])), table, wanted)


@given(two_columns(["int64", "uint64", "float64", "bool"]))
def test_numbers_are_members_by_their_hashes(both):
    table, wanted = both
    check(HashSet([table]), table, wanted)


@given(st.lists(st.integers(-9, 9), min_size=1), st.lists(st.integers(-20, 20)))
def test_integers_of_a_small_range_are_members_by_their_cells(table, wanted):
    table, wanted = np.array(table), np.array(wanted, int)
    check(DirectSet([table], SlotGrid.around([table])), table, wanted)


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(100, 105)), min_size=1),
    st.lists(st.tuples(st.integers(-128, 127), st.integers(0, 255))),
)
def test_rows_of_small_integers_are_members_by_their_cells(table, wanted):
    keys, others = (
        [np.array([row[0] for row in rows], np.int8), np.array([row[1] for row in rows], np.uint8)]
        for rows in (table, wanted + table)
    )
    members = DirectSet(keys, SlotGrid.around(keys))
    assert members.has(others).tolist() == [row in table for row in wanted + table]


def test_extremes_of_integers_are_no_members_of_others():
    for dtype in np.int64, np.uint64:
        limits = np.iinfo(dtype)
        for near in limits.min, limits.max:
            table = np.array([near], dtype)
            wanted = np.array([limits.min, limits.max, 0, 9], dtype)
            members = DirectSet([table], SlotGrid.around([table]))
            assert members.has([wanted]).tolist() == (wanted == near).tolist()
            assert members.has([wanted[::-2]]).tolist() == (wanted[::-2] == near).tolist()


def number_of_hash(hashed):
    """The one word that has a hash, every step to which is undone."""
    for factor in SECOND, FIRST:
        hashed = (hashed ^ hashed >> 32) * pow(int(factor), -1, 2**64) % 2**64
    return hashed


def test_a_hash_like_that_of_vacant_slots_is_a_member_where_it_is():
    keys = np.array([number_of_hash(2**64 - 1), 5], np.uint64)
    assert hashing.hash_rows([keys])[0] == gapped.VACANT
    assert HashSet([keys]).has([keys]).tolist() == [True, True]
    assert HashSet([keys[1:]]).has([keys]).tolist() == [False, True]


@given(st.lists(st.integers(0, 300)), st.lists(st.integers(0, 300)))
def test_numbers_whose_hashes_begin_alike_are_members(table, wanted):
    table, wanted = (
        np.array([number_of_hash(2**64 - 1 - number) for number in numbers], np.uint64) for numbers in (table, wanted)
    )
    check(HashSet([table]), table, wanted)


def test_rows_of_several_columns_are_members():
    table = [np.array([1, 1, 2]), pa.array(["a", "b", "a"], pa.large_string())]
    wanted = [np.array([2, 2]), pa.array(["a", "b"], pa.large_string())]
    assert key_set(table).has(wanted).tolist() == [True, False]
