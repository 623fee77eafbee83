from __future__ import annotations

from functools import cmp_to_key
from math import isnan
from unittest.mock import Mock, patch

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.columns.bigint import from_ints
from akdask.columns.strings import from_nulls, offsets_and_bytes
from akdask.columns.table import take_rows
from akdask.operators.group import grouping
from akdask.operators.group import tuning as group_tuning
from akdask.operators.sort import kernels, loops
from akdask.operators.sort.kernels import (
    _Digits,
    _order_few,
    argsort,
    argsort_by_words,
    argsort_packed,
    is_ascending,
    split_sorted,
)

SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1.5, -1.5]
WIDE = st.integers(-(2**63), 2**63 - 1)


def numbers(nrows):
    few = st.lists(st.integers(-2, 2), min_size=nrows, max_size=nrows)
    many = st.lists(WIDE | st.integers(-2, 2), min_size=nrows, max_size=nrows)
    floats = st.lists(st.sampled_from(SPECIAL) | st.floats(), min_size=nrows, max_size=nrows)
    return st.one_of(
        (few | many).map(lambda items: np.array(items, np.int64)),
        many.map(lambda items: np.array(items, np.int64).view(np.uint64)),
        few.map(lambda items: np.array(items, np.int64) > 0),
        floats.map(lambda items: np.array(items, np.float64)),
    )


def strings(nrows):
    texts = st.text("ab\0é", max_size=3) | st.text("ab", min_size=6, max_size=30)
    return st.lists(texts, min_size=nrows, max_size=nrows).map(lambda items: pa.array(items, pa.large_string()))


@st.composite
def tables(draw):
    nrows = draw(st.integers(0, 40))
    columns = draw(st.lists(numbers(nrows) | strings(nrows), min_size=1, max_size=3))
    return columns, draw(st.lists(st.booleans(), min_size=len(columns), max_size=len(columns)))


def items_of(column):
    return column.tolist() if isinstance(column, np.ndarray) else [text.encode() for text in column.to_pylist()]


def compare(left, right, upwards):
    missing = [isinstance(item, float) and isnan(item) for item in (left, right)]
    if any(missing):
        return missing[0] - missing[1]
    return ((left > right) - (left < right)) * (1 if upwards else -1)


def expected(columns, ascending):
    """Sort rows as Python does, by comparing pairs of them."""
    rows = list(zip(*map(items_of, columns), strict=True))

    def by(left, right):
        pairs = zip(rows[left], rows[right], ascending, strict=True)
        return next((found for pair in pairs if (found := compare(*pair))), 0)

    return sorted(range(len(rows)), key=cmp_to_key(by))


@given(tables())
def test_argsort_orders_rows_as_pairwise_comparison_does(table):
    assert argsort(*table).tolist() == expected(*table)


@given(tables())
def test_sorting_by_words_gives_what_sorting_packed_gives(table):
    assert argsort_by_words(*table).tolist() == argsort_packed(*table).tolist()


def test_keys_that_fill_64_bits_are_sorted_with_their_ties():
    random = np.random.default_rng(0)
    wide = random.integers(-(2**63), 2**63 - 1, 5000)
    column = np.concatenate([wide, wide[::2], wide + 1])
    assert np.array_equal(argsort([column], [True]), np.argsort(column, kind="stable"))


def test_rows_that_differ_in_their_lowest_bits_only_are_sorted():
    column = np.random.default_rng(0).permutation(10_000) + 2**40
    column[0] = -(2**62)
    assert np.array_equal(argsort([column], [True]), np.argsort(column, kind="stable"))


def test_long_strings_that_begin_alike_are_sorted():
    random = np.random.default_rng(0)
    items = [f"https://example.org/path/{number}/{'x' * (number % 5)}" for number in random.integers(0, 999, 3000)]
    found = argsort([pa.array(items, pa.large_string())], [True])
    assert np.array_equal(found, np.argsort(np.array(items), kind="stable"))


def test_several_columns_sort_as_in_pandas():
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"a": random.integers(0, 5, 999), "b": random.random(999).round(1), "c": random.integers(0, 9, 999)}
    )
    wanted = frame.sort_values(["a", "b", "c"], ascending=[True, False, True], kind="stable").index
    found = argsort([frame[name].to_numpy() for name in frame], [True, False, True])
    assert np.array_equal(found, wanted)


@given(tables(), st.data())
def test_rows_cut_at_marks_are_those_that_come_before(table, data):
    columns, ascending = table
    nrows = len(columns[0])
    chosen = np.array(data.draw(st.lists(st.integers(0, nrows - 1), max_size=4) if nrows else st.just([])), np.int64)
    order = argsort(columns, ascending)
    position = np.empty(nrows, np.int64)
    position[order] = np.arange(nrows)
    chosen = chosen[np.argsort(position[chosen])]
    marks = [take_rows(column, chosen) for column in columns]
    # A row comes before itself neither as a value nor as a row.
    in_order = [take_rows(column, order) for column in columns]
    assert split_sorted(in_order, ascending, order, marks, chosen).tolist() == position[chosen].tolist()


@given(tables())
def test_rows_are_ascending_if_sorting_leaves_them(table):
    columns, _ = table
    order = expected(columns, [True] * len(columns))
    assert is_ascending([take_rows(column, np.array(order, np.int64)) for column in columns])
    assert is_ascending(columns) == (order == sorted(order))


@pytest.mark.parametrize("ascending", [[True, False, True], [False, True, True]])
def test_rows_whose_leading_bits_are_equal_are_ordered_by_the_rest_few_or_many(ascending):
    for groups in (3, 300, 1500):
        check_groups(groups, ascending)


def check_groups(groups, ascending):
    random = np.random.default_rng(groups)
    wide = random.integers(-(2**63), 2**63 - 1, groups)
    first = wide[random.integers(0, groups, 3000)]
    second = random.choice(random.integers(-(2**63), 2**63 - 1, 50), 3000) * (first % 3)
    columns = [first, second, random.normal(size=3000).round(1)]
    signed = [column if upwards else ~column for column, upwards in zip(columns[:2], ascending, strict=False)]
    assert np.array_equal(argsort(columns, ascending), np.lexsort([columns[2], *signed[::-1]]))


@given(st.lists(st.text("ab", max_size=20) | st.text("0123456789", min_size=20, max_size=40), min_size=1, max_size=99))
def test_strings_are_ordered_by_their_codes_as_by_their_bytes(plain):
    found = argsort([pa.array(plain, pa.large_string()), np.arange(len(plain))], [False, True])
    assert found.tolist() == sorted(range(len(plain)), key=plain.__getitem__, reverse=True)


def test_few_tied_numbers_are_ordered_by_the_loop_and_text_is_left():
    for column, is_ordered in ((np.array([7, 3, 5]), True), (pa.array(["b", "a", "c"], pa.large_string()), False)):
        rows, slots = np.arange(3), np.arange(3)
        left, groups = _order_few([column], [True], rows, slots, np.zeros(3, np.uint64))
        assert rows.tolist() == ([1, 2, 0] if is_ordered else [0, 1, 2])
        assert len(left) == len(groups) == (0 if is_ordered else 3)


def test_groups_of_rows_that_are_equal_in_all_words_that_are_left_are_dropped():
    wide = from_ints([2**200 + 1, 2**200 + 1, 2**201 + 1, 2**201 + 2])
    digits = _Digits([wide], [True])
    digits.take(2)
    rows = np.arange(4)
    groups = np.array([0, 0, 1, 1], np.uint64)
    slots, left = digits.without_equals(rows, rows, groups)
    assert slots.tolist() == [2, 3]
    assert left.tolist() == [0, 0]
    texts = _Digits([wide, pa.array(["p" * 9] * 4, pa.large_string())], [True, True])
    assert texts.without_equals(rows, rows, groups)[0].tolist() == [0, 1, 2, 3]


# Text that shares beginnings of any length, ends in NULs, and goes on beyond what is compared at a time.
BEGINNINGS = ["", "a", "https://example.org/" * 5, "ä" * 40, "\0" * 9, "a" * 7, "a" * 8, "日本" * 20]
ENDS = st.text("ab\0é", max_size=9) | st.integers(0, 50).map(lambda number: f"{number:09d}" * 2)
LONG_TEXTS = st.builds("".join, st.tuples(st.sampled_from(BEGINNINGS), ENDS)) | st.none()


@given(
    st.lists(LONG_TEXTS, min_size=1, max_size=120),
    st.lists(st.integers(0, 2), min_size=120, max_size=120),
    st.booleans(),
    st.integers(1, 50),
)
def test_rows_of_groups_are_ordered_by_text(texts, numbers, upwards, work):
    column = from_nulls(pa.array([None, *texts], pa.large_string()))[1:]
    kept = [b"\xff" if text is None else text.encode() for text in texts]
    groups = np.sort(np.array(numbers[: len(texts)], np.uint64))
    rows, slots = np.arange(len(texts))[::-1].copy(), np.arange(len(texts))
    with patch.object(kernels, "AT_A_TIME", work):
        begins = kernels._order_text(column, upwards, rows, slots, groups)
    wanted = []
    for group in range(3):
        mine = [row for row, number in zip(range(len(texts))[::-1], groups.tolist(), strict=True) if number == group]
        wanted += sorted(mine, key=kept.__getitem__, reverse=not upwards)
    # Python reverses equal rows neither.
    assert rows.tolist() == wanted
    same = [
        bool(number) and groups[number] == groups[number - 1] and kept[row] == kept[wanted[number - 1]]
        for number, row in enumerate(wanted)
    ]
    assert begins.tolist() == [not one for one in same]


@example(["p" * 20] * 6 + ["q" * 20] * 6, True, False)
@given(st.lists(LONG_TEXTS, min_size=1, max_size=60), st.booleans(), st.booleans())
def test_long_text_between_numbers_is_ordered_by_its_bytes(texts, upwards, are_repeated):
    column = from_nulls(pa.array(["b" * 99, *texts], pa.large_string()))
    kept = ["b" * 99, *("\U0010ffff" * 2 if text is None else text for text in texts)]
    first, last = np.arange(len(kept)) % 3, np.arange(len(kept)) % 2
    with (
        patch.object(group_tuning, "DICTIONARY_SAMPLE", 1),
        patch.object(grouping, "are_too_many", return_value=not are_repeated),
    ):
        found = argsort([first, column, last], [True, upwards, False])
    packed = argsort_packed([first, column, last], [True, upwards, False])
    rows = sorted(range(len(kept)), key=lambda row: row % 2, reverse=True)
    rows = sorted(rows, key=lambda row: kept[row].encode(), reverse=not upwards)
    assert found.tolist() == packed.tolist() == sorted(rows, key=lambda row: row % 3)


@given(st.lists(LONG_TEXTS, max_size=30), st.lists(LONG_TEXTS, max_size=5), st.booleans(), st.integers(0, 9))
def test_rows_of_a_text_are_found_within_ranges(texts, sought, descending, first):
    ordered = sorted([text or "" for text in texts], key=str.encode, reverse=descending)
    sought = [text or "" for text in sought]
    first = min(first, len(ordered))
    starts, stops = np.full(len(sought), first), np.full(len(sought), len(ordered))
    columns = [offsets_and_bytes(pa.array(each, pa.large_string())) for each in (ordered, sought)]
    loops.search_text(*columns[0], *columns[1], descending, starts, stops)
    for text, start, stop in zip(sought, starts.tolist(), stops.tolist(), strict=True):
        assert ordered[start:stop] == [text] * ordered[first:].count(text)
        before = [one.encode() > text.encode() if descending else one.encode() < text.encode() for one in ordered]
        assert all(before[first:start])
        assert not any(before[start:])


def test_many_long_texts_are_ordered_by_their_bytes():
    random = np.random.default_rng(0)
    items = [f"https://example.org/{'x' * 50}/{number % 7}/{number}/" for number in random.integers(0, 10**9, 9000)]
    for column in (items, items[:99] * 80):
        wanted = np.argsort(np.array(column), kind="stable")
        assert np.array_equal(argsort([pa.array(column, pa.large_string())], [True]), wanted)


def test_sorting_of_text_ends_when_it_is_interrupted():
    column = pa.array([f"{'x' * 70}{number}" for number in range(99)], pa.large_string())
    with patch.object(kernels, "end_if_interrupted", side_effect=KeyboardInterrupt), pytest.raises(KeyboardInterrupt):
        argsort([column], [True])


def test_rows_whose_numbers_take_all_bits_of_a_word_are_sorted_by_words(monkeypatch):
    monkeypatch.setattr(kernels, "MAX_PACKED_ROWS", 4)
    by_words = Mock(wraps=argsort_by_words)
    monkeypatch.setattr(kernels, "argsort_by_words", by_words)
    for items, calls in (([2, 1, 3], 0), ([2, 1, 3, 0], 1), ([2, 1, 3, 0, 5], 1)):
        by_words.reset_mock()
        assert argsort([np.array(items)], [True]).tolist() == np.argsort(items).tolist()
        assert by_words.call_count == calls, items


def test_groups_of_equal_leading_bits_are_told_by_all_their_bits():
    # The first key leaves three groups of many rows, and the second one has all bits of a word.
    random = np.random.default_rng(4)
    few = random.choice([0, 2**61, 2**62 + 1], 400)
    many = random.integers(0, 2**64, 400, np.uint64)
    for columns in ([few, many], [few, many // 2**40 * 2**40, many], [few * 0, few, many]):
        wanted = np.lexsort(columns[::-1])
        assert argsort(columns, [True] * len(columns)).tolist() == wanted.tolist()


def test_text_is_ordered_by_the_last_bit_of_each_byte():
    # Bytes of b and c, and those of the second and third letter, differ in their last bit alone.
    random = np.random.default_rng(9)
    for letters, nrows in (("bc", 600), ("bc", 40), ("\u00e8\u00e9", 300), ("\0\1", 300)):
        texts = ["".join(random.choice([*letters], size)) for size in random.integers(0, 24, nrows)]
        keys = [text.encode() for text in texts]
        wanted = sorted(range(nrows), key=keys.__getitem__)
        for own in (texts, ["the same beginning " + text for text in texts]):
            assert argsort([pa.array(own, pa.large_string())], [True]).tolist() == wanted
