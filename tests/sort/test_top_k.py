from __future__ import annotations

import operator
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.bigint import from_ints
from akdask.columns.table import Table, slice_rows, take_rows
from akdask.operators.keys.keys import word
from akdask.operators.sort import top_k, tuning
from akdask.operators.sort.top_k import TopKSink, bound_of, first_rows, rows_within
from akdask.testing.strategies import partitioned

ITEMS = st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, np.nan, np.inf]), min_size=1, max_size=9)


def column_of(items, dtype):
    """Items of a type: integers of any size, or text that begins alike in its first eight bytes, much of it long."""
    if dtype is np.str_:
        return pd.Series([f"item number {'ä' * 40 if item > 1 else ''}{item}" for item in items], dtype=object)
    if dtype is object:
        return pd.Series([int(item) * 2**70 - 2 if np.isfinite(item) else -1 for item in items], dtype=object)
    with np.errstate(invalid="ignore"):
        return pd.Series(np.array(items).astype(dtype))


@pytest.mark.parametrize("count", [3, -3])
@given(
    st.booleans(),
    st.sampled_from([np.str_, np.float64, np.int64, np.uint8, np.bool_, object]),
    st.tuples(ITEMS, ITEMS),
    st.sampled_from([["key"], ["key", "another"]]),
)
@example(True, np.str_, ([2.0, 3.0], [1.0]), ["key"])
@example(True, object, ([2.0, 3.0], [1.0, np.inf]), ["key"])
@example(False, object, ([2.0, 1.0, np.inf], [3.0]), ["key", "another"])
@example(False, np.str_, ([2.0, 1.0], [3.0]), ["key"])
@example(True, np.bool_, ([0.0, 1.0], [0.0]), ["key", "another"])
@example(False, np.float64, ([2.0, 1.0, np.nan], [3.0, np.nan]), ["key", "another"])
def test_rows_that_may_be_the_first_hold_those_of_pandas_block_by_block(count, ascending, dtype, pools, names):
    random = np.random.default_rng(len(pools[0]))
    many = tuning.SAMPLED_OF_EACH * abs(count) * tuning.MANY_TIMES + 10
    key = column_of([*random.choice(pools[0], many), *random.choice(pools[1], 30)], dtype)
    plain = pd.DataFrame({"key": key, "another": random.integers(0, 9, len(key))})
    ordered = plain.sort_values(names, ascending=ascending, kind="stable")
    wanted = (ordered.head(count) if count > 0 else ordered.tail(-count)).index
    of_arrow = {np.str_: lambda items: pa.array(items, pa.large_string()), object: from_ints}
    columns = [of_arrow[dtype](key.tolist()) if dtype in of_arrow else key.to_numpy()]
    columns += [plain[name].to_numpy() for name in names[1:]]
    directions = [ascending] * len(columns)
    first, second = ([slice_rows(column, *part) for column in columns] for part in ((0, many), (many, len(key))))
    few = rows_within(first, directions, count, None)
    kept = few[first_rows([take_rows(column, few) for column in first], directions, count)]
    bound = bound_of([take_rows(column, kept) for column in first], directions, count)
    later = many + rows_within(second, directions, count, bound)
    assert set(wanted) <= {*few.tolist(), *later.tolist()}


@pytest.mark.parametrize("count", [3, -4])
def test_the_first_rows_of_several_partitions_are_those_of_pandas(count):
    for names, ascending in product([["k", "s"], ["k", "s", "v", "w"]], [[True, True], [False, True]]):
        check_first_rows(names, ascending, count)


def check_first_rows(names, ascending, count):
    random = np.random.default_rng(3)
    stored = {
        "k": random.integers(0, 6, 60),
        "s": random.choice(["b", "a", "é", ""], 60),
        "v": np.arange(60) * 1.5,
        "w": random.choice(["x", "yy"], 60),
    }
    lengths = [0, 25, 1, 34]
    lazy = ak.DataFrame({name: partitioned(np.array(stored[name]), lengths) for name in names})
    plain = pd.DataFrame({name: stored[name] for name in names})
    for rows, of_pandas in ((lazy, plain), (lazy[lazy["k"] > 1], plain[plain["k"] > 1])):
        ordered = rows.sort_values(["k", "s"], ascending=ascending)
        wanted = of_pandas.sort_values(["k", "s"], ascending=ascending, kind="stable")
        found, wanted = (one.head(count) if count > 0 else one.tail(-count) for one in (ordered, wanted))
        pd.testing.assert_frame_equal(found.to_pandas(), wanted)
        assert found["s"].tolist() == wanted["s"].tolist()


def test_no_rows_are_the_first_if_none_are_asked_for():
    frame = ak.DataFrame({"k": partitioned(np.arange(9), [5, 4])})
    assert frame.sort_values("k").head(0)["k"].tolist() == frame.nlargest(0, "k")["k"].tolist() == []


def test_first_rows_of_the_same_keys_share_a_pass_where_columns_have_other_names():
    row = np.arange(500)
    coarse, fine = row // 100 * 2, row * 7919 % 50
    # The factor is a lazy number, so that sorts of the two columns stay two.
    scaled = ak.arange(500) // 100
    scaled *= 8 // scaled.max()
    keys = [scaled, ak.arange(500) * 7919 % 50]
    order = ak.coargsort(keys)
    one, other = (key[order] for key in keys)
    steps = (one[1:] - one[:-1]) * 100 + other[1:] - other[:-1]
    wanted = np.lexsort([fine, coarse])
    np.testing.assert_array_equal(steps.to_ndarray(), np.diff(coarse[wanted]) * 100 + np.diff(fine[wanted]))


def test_text_is_compared_with_the_last_of_the_rows_that_are_wanted():
    texts = ["b", "d", "a", "c", "b", "e", ""]
    strings = pa.array(texts, pa.large_string())
    for upwards in (True, False):
        ordered = sorted(texts, reverse=not upwards)
        for count in (1, 2, 3, 4, 7, -1, -2, -4, -7):
            bound = ordered[count - 1] if count > 0 else ordered[count]
            before, same = top_k._compared(strings, upwards, count)
            comes_first = operator.lt if upwards == (count > 0) else operator.gt
            assert before.tolist() == [comes_first(text, bound) for text in texts], (upwards, count)
            assert same.tolist() == [text == bound for text in texts], (upwards, count)


def test_bounds_are_those_of_the_last_row_by_the_first_two_columns_of_numbers():
    few, many = np.array([3, 1, 3, 2]), np.array([5, 9, 7, 8])
    text = pa.array(["x", "y", "z", "x"], pa.large_string())
    for columns, count, value, second in (
        ([few], 4, 3, None), ([few], 5, None, None), ([few], 0, None, None), ([few], -4, 1, None),
        ([few, many], 4, 3, 7), ([few, many], -4, 1, 9), ([few, many, text], 4, 3, 7), ([few, many, many], 3, 3, 7),
        ([few, text], 4, 3, None), ([few * 0, many], 2, 0, 9), ([few * 0, many], -2, 0, 5),
        ([np.array([0.5, np.nan])], 2, None, None), ([np.array([0.5, 1.5])], 2, 1.5, None),
        ([np.array([0.5, 1.5])], -2, None, None),
    ):  # fmt: skip
        found = bound_of(columns, [True] * len(columns), count)
        if len(few) < abs(count) or not count:
            assert found is None
            continue
        assert found.value == value, (count, columns)
        own = None if second is None else word(np.array([second]), 0)[0]
        assert found.second == (own if own is None or count > 0 else ~own), (count, columns)


def test_first_rows_of_tables_are_all_as_long_as_these_have_no_more():
    tables = [Table({0: np.array(keys)}, len(keys)) for keys in ([3, 1], [2, 0, 5])]
    for count in (1, 4, 5, 6, -1, -4, -5):
        sink = TopKSink((0,), (True,), (), None, None, count)
        found = sink._first_of(tables).columns[0].tolist()
        wanted = sorted([3, 1, 2, 0, 5])[:count] if count > 0 else sorted([3, 1, 2, 0, 5])[count:]
        assert sorted(found) == wanted, count
        assert len(sink._first_of(tables[:1]).columns[0]) == min(2, abs(count))
    alone = TopKSink((0,), (True,), (), None, None, 2)
    assert alone._first_of(tables[:1]) is tables[0]
    assert alone._first_of([tables[0], tables[1].slice(0, 0)]).columns[0].tolist() == [3, 1]
