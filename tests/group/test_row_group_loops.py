"""Rows numbered in the order of their keys."""

from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import from_limbs, to_ints
from akdask.operators.group import tuning
from akdask.operators.group.grouping import Grouping, number_rows

# Of keys that do not fit a word, the leading bits are compared first.
WORDS = {"close": st.integers(-2, 2), "far": st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1])}
PATTERNS = [("far",), ("close", "far"), ("far", "close"), ("far", "far"), ("close", "far", "close"), ("far",) * 3]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_word_of_a_key_tells_rows_apart(pattern):
    words = {"close": (2, -2, 0), "far": (-(2**63), 2**63 - 1, -1, 0)}
    check_numbered(list(product(*map(words.get, pattern)))[::-1] * 2)


@given(
    st.sampled_from(PATTERNS).flatmap(
        lambda kinds: st.lists(st.tuples(*map(WORDS.get, kinds)), min_size=1, max_size=60)
    )
)
def test_rows_are_numbered_in_the_order_of_keys_of_several_words(rows):
    check_numbered(rows)


def check_numbered(rows):
    codes, firsts = number_rows([np.array(column, np.int64) for column in zip(*rows, strict=True)])
    distinct = sorted(set(rows))
    assert codes.count == len(distinct)
    assert [distinct[code] for code in codes.codes.tolist()] == rows
    assert firsts.tolist() == [rows.index(key) for key in distinct]


SPREADS = {
    "close": lambda rng, count: rng.integers(2**63, 2**63 + 900, count, np.uint64),
    "even": lambda rng, count: rng.integers(0, 2**64, count, np.uint64, endpoint=False),
    # Most leading bits are the same, so that keys are in each other's places.
    "crowded": lambda rng, count: np.uint64(2) ** rng.integers(0, 64, count, np.uint64) + np.uint64(5),
    "in crowds": lambda rng, count: (
        (rng.integers(0, 4, count, np.uint64) << np.uint64(61)) + rng.integers(0, 99, count, np.uint64)
    ),
}


@pytest.mark.parametrize("slice_rows", [2**13, 64])
@pytest.mark.parametrize("distinct", [1, 3, 700, 5000])
def test_words_are_numbered_in_their_order_however_they_are_spread(monkeypatch, distinct, slice_rows):
    monkeypatch.setattr(tuning, "SLICE_ROWS", slice_rows)
    monkeypatch.setattr(tuning, "FEWEST_SLICED_ROWS", 2 * slice_rows)
    monkeypatch.setattr(tuning, "FEW_SLOTS", 256)
    for number, (name, spread) in enumerate(SPREADS.items()):
        rng = np.random.default_rng([distinct, number])
        words = rng.choice(spread(rng, distinct), 5000)
        values, first, wanted = np.unique(words, return_index=True, return_inverse=True)
        codes, firsts = number_rows([words])
        assert codes.count == len(values), name
        assert codes.codes.tolist() == wanted.tolist(), name
        assert firsts.tolist() == first.tolist(), name
        grouping = Grouping([words])
        assert np.asarray(grouping.keys[0]).tolist() == values.tolist(), name
        ((sizes, last),) = grouping.reduce(
            lambda groups, columns: [(groups.sizes(), groups.reduce(np.maximum, columns[0]))], [np.arange(5000)]
        )
        assert sizes.tolist() == np.bincount(wanted).tolist(), name
        assert last.tolist() == [int(np.flatnonzero(words == value)[-1]) for value in values], name


def test_keys_whose_last_bits_decide_are_numbered_right():
    keys = np.array([2**63 - 1, 5, 4, 5, 4, -(2**63), 5], np.int64)
    codes, firsts = number_rows([keys])
    assert codes.codes.tolist() == [3, 2, 1, 2, 1, 0, 2]
    assert firsts.tolist() == [5, 2, 1, 0]


@pytest.mark.parametrize("ties", [3, 200])
@pytest.mark.parametrize("shift", [0, 50])
def test_keys_with_the_same_leading_bits_are_told_apart_by_further_ones(shift, ties):
    # Further bits descend within each run of equal leading ones; two words do not fit one, and then there is a third.
    rows = np.arange(3000)
    runs, further = rows // ties << shift, (rows == 0) * 2**62 + 2**61 - rows // 2
    words = [column.astype(np.uint64) for column in ([runs, rows % 2 << 62, further] if shift else [runs, further])]
    codes, firsts = number_rows(words)
    keys = list(zip(*[column.tolist() for column in words], strict=True))
    distinct = sorted(set(keys))
    assert [distinct[code] for code in codes.codes.tolist()] == keys
    assert firsts.tolist() == [keys.index(key) for key in distinct]


@pytest.mark.parametrize("repeats", [1, 40], ids=["distinct", "repeated"])
def test_values_of_several_words_group_by_their_ranks_where_they_repeat(repeats):
    rng = np.random.default_rng(repeats)
    count = 20_000 // repeats
    texts = [f"https://{rng.integers(10**9):09d}.org/{rng.integers(10**9)}?{number}" for number in range(count)]
    rows = rng.permutation(np.repeat(np.arange(len(texts)), repeats))
    other = rng.integers(0, 3, len(rows))
    strings = pa.array(texts, pa.large_string()).take(rows)
    values = from_limbs(np.stack([2**60 + rows, rows % 7], axis=1).astype(np.uint64))
    for wide, plain in ((strings, strings.to_pylist()), (values, to_ints(values))):
        grouping = Grouping([wide, other])
        wanted = sorted(set(zip(plain, other.tolist(), strict=True)))
        found = to_ints(grouping.keys[0]) if wide is values else grouping.keys[0].to_pylist()
        assert list(zip(found, grouping.keys[1].tolist(), strict=True)) == wanted
        (sizes,) = grouping.reduce(lambda groups, values: [(groups.sizes(),)], [other])
        counts = Counter(zip(plain, other.tolist(), strict=True))
        assert sizes[0].tolist() == [counts[key] for key in wanted]


def test_keys_of_many_wide_words_are_numbered_by_ranks_of_them():
    rng = np.random.default_rng(0)
    distinct = rng.integers(0, 2**64, (5, 1000), np.uint64, endpoint=False)
    distinct[:4] >>= np.uint64(1)
    distinct[0, 500:] = distinct[0, :500]
    rows = rng.integers(0, 1000, 5000)
    words = [column.take(rows) for column in distinct]
    codes, firsts = number_rows([*words, *words[::-1]])
    keys = list(zip(*[column.tolist() for column in words], strict=True))
    known = sorted(set(keys))
    assert [known[code] for code in codes.codes.tolist()] == keys
    assert firsts.tolist() == [keys.index(key) for key in known]
