"""Laws that hold for all data, in any partitions."""

import functools
import operator
import pickle
from itertools import pairwise

import dask
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.engine.alignment import row_slices
from akdask.engine.sources import block_split
from akdask.engine.values import token
from akdask.testing import assert_equal
from akdask.testing.strategies import DTYPES, arrays, elements, partition_lengths, partitioned

any_array = st.sampled_from(DTYPES).flatmap(arrays)


@st.composite
def masked(draw):
    """Return a lazy array of distinct numbers, a lazy mask, and what NumPy has of both."""
    lengths = draw(partition_lengths())
    rows = sum(lengths)
    mask = np.array(draw(st.lists(st.booleans(), min_size=rows, max_size=rows)), dtype=bool)
    return partitioned(np.arange(rows) * 10, lengths), partitioned(mask, lengths), np.arange(rows) * 10, mask


@given(any_array)
def test_what_goes_in_comes_out(pair):
    lazy, expected = pair
    assert_equal(lazy, expected, lazy=True)
    assert lazy.size == len(expected)


@given(any_array)
def test_persisting_and_pickling_change_nothing(pair):
    lazy, expected = pair
    assert_equal(lazy.persist(), expected, lazy=True)
    assert_equal(pickle.loads(pickle.dumps(lazy)), expected, lazy=True)


@given(any_array)
def test_reversing_twice_gives_the_same_rows(pair):
    lazy, expected = pair
    assert_equal(lazy[::-1], expected[::-1])
    assert_equal(lazy[::-1][::-1], expected)


@given(any_array, st.slices(40), st.slices(40))
def test_a_slice_of_a_slice_is_numpys(pair, first, second):
    lazy, expected = pair
    assert_equal(lazy[first][second], expected[first][second])


@given(masked())
def test_a_mask_and_its_inverse_share_out_the_rows(case):
    lazy, mask, array, plain = case
    assert_equal(ak.concatenate([lazy[mask], lazy[~mask]]), np.concatenate([array[plain], array[~plain]]))
    assert int(lazy[mask].sum()) + int(lazy[~mask].sum()) == array.sum()


@given(masked(), st.integers(0, 300))
def test_filtering_twice_is_filtering_by_both(case, threshold):
    lazy, mask, array, plain = case
    kept = lazy[mask]
    both = array[plain & (array > threshold)]
    assert_equal(kept[kept > threshold], both)
    assert_equal(lazy[mask & (lazy > threshold)], both)


@given(masked())
def test_taking_by_the_positions_of_a_mask_is_filtering(case):
    lazy, mask, array, plain = case
    positions = ak.arange(len(array))[mask]
    assert_equal(lazy[positions], array[plain])
    assert_equal(lazy[mask], array[plain])


@given(masked(), st.randoms(use_true_random=False))
def test_what_is_put_in_rows_is_found_in_them(case, random):
    lazy, mask, array, plain = case
    items = array[plain] + 1
    by_mask, by_position = lazy.copy(), lazy.copy()
    by_mask[mask] = ak.array(items)
    order = random.sample(range(len(items)), len(items))
    positions = np.flatnonzero(plain)[order]
    by_position[positions.astype(np.int64)] = ak.array(items[order])
    expected = array.copy()
    expected[plain] = items
    assert_equal(by_mask, expected)
    assert_equal(by_position, expected)
    assert_equal(lazy, array)


@given(masked())
def test_counted_lengths_are_those_of_the_partitions(case):
    lazy, mask, array, plain = case
    bounds = np.cumsum([0, *lazy.rows.lengths])
    wanted = [int(plain[start:stop].sum()) for start, stop in pairwise(bounds)]
    assert_equal(lazy[mask], array[plain], lengths=wanted)


@given(masked())
def test_the_total_of_parts_is_the_total(case):
    lazy, mask, array, plain = case
    kept = lazy[mask]
    total, count, mean = dask.compute(kept.sum(), mask.sum(), ak.concatenate([kept, kept]).mean())
    assert total == array[plain].sum()
    assert count == plain.sum()
    assert mean == array[plain].mean() if plain.any() else np.isnan(mean)


@given(partition_lengths(), st.integers(0, 2**32))
def test_created_numbers_do_not_depend_on_the_partitions(lengths, seed):
    rows = sum(lengths)
    with ak.config.set(small_array=4):
        cut_up = [ak.uniform(rows, seed=seed), ak.randint(-5, 5, rows, seed=seed), ak.standard_normal(rows, seed=seed)]
    whole = [ak.uniform(rows, seed=seed), ak.randint(-5, 5, rows, seed=seed), ak.standard_normal(rows, seed=seed)]
    for left, right in zip(dask.compute(*cut_up), dask.compute(*whole), strict=True):
        assert_equal(left, right)


@given(partition_lengths(), st.data())
def test_rows_cut_anew_are_all_there_once_and_in_order(given_lengths, data):
    wanted = data.draw(partition_lengths(sum(given_lengths)))
    starts = np.cumsum([0, *given_lengths])
    pieces = row_slices(given_lengths, wanted)
    rows = [[starts[k] + row for k, start, stop in piece for row in range(start, stop)] for piece in pieces]
    assert [len(piece) for piece in rows] == wanted
    assert functools.reduce(operator.iadd, rows, []) == list(range(sum(given_lengths)))


@given(st.integers(0, 10_000), st.integers(1, 200))
def test_the_block_split_is_even(size, count):
    lengths = block_split(size, count)
    assert sum(lengths) == size
    assert len(lengths) == count
    assert max(lengths) - min(lengths) <= 1


plain_parts = st.recursive(
    st.text("a'\"\\\x1e\x1f(), ") | st.integers() | st.floats(allow_nan=False) | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=3).map(tuple),
    max_leaves=6,
)


def exact(part):
    """Tell apart what Python holds for equal: 1, 1.0 and True."""
    return tuple(map(exact, part)) if isinstance(part, tuple) else (type(part).__name__, repr(part))


@given(st.lists(plain_parts, max_size=3), st.lists(plain_parts, max_size=3))
def test_tokens_are_equal_only_for_equal_parts(left, right):
    assert (token(*left) == token(*right)) == (exact(tuple(left)) == exact(tuple(right)))


@given(st.sampled_from(["int64", "uint64", "float64", "bool"]).flatmap(elements))
def test_a_full_array_holds_its_value(item):
    item = np.asarray(item).item() if not isinstance(item, np.generic) else item
    assert_equal(ak.full(3, item), np.full(3, item))
