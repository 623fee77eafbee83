"""Tables of words, of strings and of keys beside dicts."""

from __future__ import annotations

from contextlib import nullcontext
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.keys import hashing, loops, tables, tuning
from akdask.operators.keys.keys import WORD_BITS
from akdask.operators.keys.tables import KeyTable, TextTable, WordTable, number_words

WORD = st.integers(0, 5) | st.sampled_from([2**63, 2**64 - 1, 2**40]) | st.integers(0, 2**64 - 1)


def words(values):
    return np.array(values, np.uint64)


@given(st.lists(st.lists(WORD, max_size=40), max_size=5), st.integers(1, 60))
def test_words_get_numbers_as_they_are_met_until_they_are_too_many(blocks, most):
    table, wanted = WordTable(), {}
    for block in blocks:
        found = table.numbers(words(block), most)
        known = len(wanted)
        numbers = [wanted.setdefault(value, len(wanted)) for value in block]
        if len(wanted) > most:
            assert found is None
            return
        assert found[0].tolist() == numbers
        assert [block[row] for row in found[1].tolist()] == list(wanted)[known:]
    assert table.find(words([*wanted, 77])).tolist() == [*range(len(wanted)), wanted.get(77, -1)]


@pytest.mark.parametrize("count", [10, 50_000])
def test_a_table_of_words_grows(count):
    values = np.random.default_rng(count).integers(0, count, 100_000).astype(np.uint64) << np.uint64(30)
    table = WordTable()
    numbers, met = table.numbers(values)
    assert np.array_equal(values.take(met).take(numbers), values)
    assert table.count == len(met) == len(np.unique(values))
    assert np.array_equal(table.find(values), numbers)


@given(values=st.lists(WORD, max_size=80), others=st.lists(WORD, max_size=20))
def test_first_rows_of_words_are_found(values, others):
    table, firsts = WordTable.of_rows(words(values))
    wanted = [values.index(value) for value in values]
    assert (list(range(len(values))) if firsts is None else firsts.tolist()) == wanted
    assert (firsts is None) == (len(set(values)) == len(values))
    assert table.find(words(others)).tolist() == [values.index(value) if value in values else -1 for value in others]


@pytest.mark.parametrize("threads", [1, 2, 8])
@given(st.lists(WORD | st.integers(0, 2**7).map(lambda number: number << 3), max_size=80))
def test_parts_of_tables_by_threads_have_the_same_numbers(threads, values):
    one, firsts = WordTable.of_rows(words(values))
    with patch.object(tuning, "ROWS_OF_THREADS", 0), patch.object(tables, "_cores", return_value=threads):
        several, same_firsts = WordTable.of_rows(words(values))
    assert several.count == one.count == len(set(values))
    assert (firsts is None and same_firsts is None) or np.array_equal(firsts, same_firsts)
    assert np.array_equal(several.find(words([*values, 99])), one.find(words([*values, 99])))


def test_words_of_one_place_go_from_part_to_part():
    # Words that all begin their search in the last slot of the table, or of a part of it.
    candidates = np.random.default_rng(7).integers(0, 2**63, 2**16).astype(np.uint64)
    mixed = candidates.copy()
    loops.mix(mixed)
    for lead in (2**9 - 1, 2**8 - 1):
        chosen = candidates[mixed >> np.uint64(WORD_BITS - 9) == lead]
        given_words = np.concatenate([chosen, chosen[::-1]])[:100]
        with patch.object(tuning, "ROWS_OF_THREADS", 0), patch.object(tables, "_cores", return_value=2):
            table, firsts = WordTable.of_rows(given_words)
        wanted = [given_words.tolist().index(value) for value in given_words.tolist()]
        assert (np.arange(100) if firsts is None else firsts).tolist() == wanted
        assert table.find(given_words).tolist() == wanted
        assert table.count == len(set(wanted))


COLUMNS = {
    "close": st.integers(-2, 2),
    "far": st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1]),
    "float": st.sampled_from([0.0, -0.0, float("nan"), -float("nan"), 1.5, -1.5]),
    "text": st.text("ab", max_size=2) | st.just("a text of more than twenty-four bytes"),
}
KINDS = st.lists(st.sampled_from(list(COLUMNS)), min_size=1, max_size=3)


def column(kind, values):
    if kind == "text":
        return pa.array(values, pa.large_string())
    return np.array(values, np.float64 if kind == "float" else np.int64)


def zeros(columns):
    return np.zeros(len(columns[0]), np.uint64)


def key(row):
    return tuple("nan" if value != value else value for value in row)  # noqa: PLR0124


@pytest.mark.parametrize("hashes", ["mixed", "the same"])
@given(data=st.data(), kinds=KINDS)
def test_first_rows_of_keys_are_those_of_a_dict(hashes, data, kinds):
    row = st.tuples(*map(COLUMNS.get, kinds))
    rows, others = data.draw(st.lists(row, max_size=30)), data.draw(st.lists(row, max_size=30))
    of_rows, of_others = ([column(k, [r[n] for r in some]) for n, k in enumerate(kinds)] for some in (rows, others))
    alike = {"hash_words": zeros, "hash_rows": zeros}
    with patch.multiple(hashing, **alike) if hashes == "the same" else nullcontext():
        table = KeyTable(of_rows)
        found = table.find(of_others)
    firsts = {}
    wanted = [firsts.setdefault(key(each), number) for number, each in enumerate(rows)]
    assert (list(range(len(rows))) if table.firsts is None else table.firsts.tolist()) == wanted
    assert found.tolist() == [firsts.get(key(each), -1) for each in others]


@pytest.mark.parametrize("hashes", ["mixed", "the same"])
@given(rows=st.integers(1, 3).flatmap(lambda count: st.lists(st.tuples(*[WORD] * count), min_size=1, max_size=40)))
def test_keys_of_several_words_get_numbers_as_they_are_met(hashes, rows):
    one_hash = hashing.hash_words if hashes == "mixed" else lambda found: np.zeros_like(found[0])
    with patch.object(hashing, "hash_words", one_hash):
        numbers, firsts = number_words([words(some) for some in zip(*rows, strict=True)])
    wanted = {}
    assert numbers.tolist() == [wanted.setdefault(each, len(wanted)) for each in rows]
    assert [rows[row] for row in firsts.tolist()] == list(wanted)


@given(st.lists(st.text("ab\0", max_size=40)), st.lists(st.text("ab\0", max_size=40)))
def test_strings_are_found_that_have_been_numbered(strings, others):
    table = TextTable()
    table.numbers(pa.array(strings, pa.large_string()), len(strings))
    known = list(dict.fromkeys(strings))
    found = table.find(pa.array(others, pa.large_string()))
    assert found.tolist() == [known.index(text) if text in known else -1 for text in others]


def test_few_strings_are_found_among_those_of_other_lengths():
    random = np.random.default_rng(11)
    for longest, count in ((8, 3), (20, 2), (90, 1), (90, 5), (90, 64), (200, 65), (90, 0)):
        lengths = random.integers(0, longest, 3_000)
        others = ["".join("ab"[bit] for bit in random.integers(0, 2, length)) for length in lengths]
        others += ["a" * 70, "a" * 6, ""] * 3
        strings = [others[row] for row in random.integers(0, len(others), count)]
        table, known = TextTable(), list(dict.fromkeys(strings))
        table.numbers(pa.array(strings, pa.large_string()), len(strings))
        found = table.find(pa.array(others, pa.large_string()))
        assert found.tolist() == [known.index(text) if text in known else -1 for text in others]


@pytest.mark.parametrize("length", [4, 300])
def test_a_table_of_strings_grows(length):
    values = np.random.default_rng(length).integers(0, 5000, 12_000)
    strings = pa.array([f"{value:0{length}}" for value in values], pa.large_string())
    table, (distinct, firsts, wanted) = TextTable(), np.unique(values, return_index=True, return_inverse=True)
    order = np.sort(firsts)
    numbers = table.numbers(strings, len(distinct))
    assert np.array_equal(numbers, np.searchsorted(order, firsts[wanted]))
    assert table.strings().equals(strings.take(order))
    assert np.array_equal(table.find(strings), numbers)
    assert len(table._text) <= 32 * tuning.FEWEST_KEYS + 2 * length * len(distinct)
    assert TextTable().numbers(strings, len(distinct) - 1) is None


@pytest.mark.parametrize("spare", range(10))
def test_memory_for_strings_grows_where_the_bytes_written_at_a_time_do_not_fit(spare):
    table = TextTable()
    first = len(table._text) - spare
    strings = pa.array(["a" * first, "b", "a" * first, ""], pa.large_string())
    assert table.numbers(strings, 9).tolist() == [0, 1, 0, 2]
    assert table.strings().to_pylist() == ["a" * first, "b", ""]


@pytest.mark.parametrize(("most", "size"), [(3, 100), (9, 28)])
def test_strings_stop_at_the_one_that_memory_is_missing_for(most, size):
    # There is memory for three strings, or for their 20 bytes and the 8 that are written at a time.
    offsets, text = words([0, 2, 4, 13, 22, 23]), np.frombuffer(b"ababcdefghijklmnopqrsu" + bytes(64), np.uint8)
    slots, tags, ends, known, count = TextTable()._table
    table = slots, tags, ends[: most + 1], known[:size], count
    row, count = loops.number_strings(offsets, text, 0, *table, np.empty(5, np.uint64))
    assert (row, count, ends[1:4].tolist()) == (4, 3, [2, 11, 20])


def test_loops_refuse_tables_that_do_not_fit():
    slots = np.zeros((4, 2), np.uint64)
    few, room, numbers = words([1, 2, 3]), np.empty(8, np.int64), np.empty(3, np.int64)
    with pytest.raises(ValueError, match="without a vacant slot"):
        loops.number_words(few, room[:0], 0, slots, 0, room, numbers)
    with pytest.raises(ValueError, match="no table of words"):
        loops.find_words(few, slots[:3], numbers)
    with pytest.raises(ValueError, match="without a vacant slot"):
        loops.find_words(few, np.full((4, 2), 9, np.uint64), numbers)
    with pytest.raises(ValueError, match="not there"):
        loops.check_words(few, few[:1], np.array([0, 1, 0]))
    offsets, text = words([0, 1, 2]), np.frombuffer(b"ab", np.uint8)
    with pytest.raises(ValueError, match="not there"):
        loops.check_strings(offsets, text, offsets, text, np.array([0, 2]))
    with pytest.raises(ValueError, match="fewer strings"):
        loops.check_strings(offsets, text, offsets, text, np.array([0, 1, 1]))
    for given_text, known in ((text, text[:1]), (text[:1], text)):
        with pytest.raises(ValueError, match="beyond their text"):
            loops.check_strings(offsets, given_text, offsets, known, np.array([0, 1]))
    with pytest.raises(ValueError, match="no larger table"):
        loops.move_words(slots, np.zeros((4, 2), np.uint64))


def test_keys_beyond_the_ranges_of_a_table_are_not_found():
    # Side by side, 4 beside 0 has the bits of 0 beside 1.
    table = KeyTable([np.array([0, 1, 0]), np.array([0, 0, 3])])
    assert table.find([np.array([0, 1, 0, 2, -1]), np.array([4, 0, 3, 0, 0])]).tolist() == [-1, 1, 2, -1, -1]
