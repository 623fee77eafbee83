from __future__ import annotations

import math
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.table import Table
from akdask.operators.group import strategies, tuning
from akdask.operators.group.aggregation import Aggregation, AggregationStep
from akdask.operators.group.grouping import ranked
from akdask.operators.group.strategies import Dictionary, NumberDictionary

SUMS = Aggregation(1, (AggregationStep("sum", (0,)), AggregationStep("first", (0, 1))))


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    """Divide rows that would fit the cache anyway."""
    monkeypatch.setattr(tuning, "SLICE_ROWS", 2)


def as_lists(table: Table) -> list[list[object]]:
    return [column.tolist() for column in table.columns.values()]


def at_once(make, *args):
    """Group without dividing the rows, as few rows are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "SLICE_ROWS", 2**16)
        return make(*args)


KEYS = st.sampled_from([-(2**63), -5, 0, 3, 4, 2**63 - 1]) | st.integers(-40, 40)


@given(st.lists(KEYS, max_size=60), st.integers(1, 4))
def test_rows_in_pieces_give_what_all_at_once_give(plain, parts):
    keys, values = np.array(plain, np.int64), np.arange(len(plain))
    whole = at_once(SUMS.rows, [keys], [values, values])
    assert as_lists(SUMS.rows([keys], [values, values])) == as_lists(whole)
    tables = [
        SUMS.rows([keys[rows]], [values[rows], values[rows]]) for rows in np.array_split(np.arange(len(keys)), parts)
    ]
    assert as_lists(SUMS.merge(tables)) == as_lists(at_once(SUMS.merge, tables)) == as_lists(whole)


@given(st.lists(KEYS, max_size=60))
def test_sorting_rows_gives_what_numbering_cells_gives(plain):
    keys, values = np.array(plain, np.int64) % 50, np.arange(len(plain))
    numbered = SUMS.rows([keys], [values, values])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tuning, "SLOTS_PER_ROW", 0)
        assert as_lists(SUMS.rows([keys], [values, values])) == as_lists(numbered)
    distinct = np.unique(keys)
    assert as_lists(numbered)[:2] == [distinct.tolist(), [values[keys == key].sum() for key in distinct]]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=30))
def test_strings_are_ranked_by_their_bytes(plain):
    ranks, strings = ranked(pa.array(plain, pa.large_string()))
    assert strings.to_pylist() == sorted(set(plain), key=str.encode)
    assert [strings[rank].as_py() for rank in ranks.tolist()] == plain


@pytest.mark.few_rows_only
@given(st.lists(st.lists(st.text("ab", max_size=3), min_size=1, max_size=9), max_size=4))
def test_a_dictionary_grows_from_block_to_block(blocks):
    known = Dictionary()
    strings = [pa.array(block, pa.large_string()) for block in blocks]
    # Every second one comes encoded, as files may have it.
    mixed = [block.dictionary_encode() if number % 2 else block for number, block in enumerate(strings)]
    codes = [known.codes(block) for block in mixed]
    texts = known.values.to_pylist()
    assert [[texts[code] for code in block] for block in codes] == blocks
    assert len(set(texts)) == len(texts)


FAR = {
    "int64": st.sampled_from([-(2**63), -3, 0, 1, 2**40, 2**63 - 1]) | st.integers(-(2**63), 2**63 - 1),
    "uint64": st.sampled_from([0, 1, 2**63, 2**64 - 1]) | st.integers(0, 2**64 - 1),
    "float64": st.sampled_from([0.0, -0.0, math.nan, -math.nan, math.inf, -math.inf, 5e-324]) | st.floats(width=16),
}


@pytest.mark.parametrize("dtype", FAR)
@given(data=st.data())
def test_numbers_far_apart_get_numbers_as_they_are_met(dtype, data):
    plain = data.draw(st.lists(st.lists(FAR[dtype], min_size=1, max_size=40), min_size=1, max_size=4))
    known = NumberDictionary(dtype)
    blocks = [np.array(block, dtype) for block in plain]
    with patch.object(strategies, "are_too_many", return_value=False):
        codes = [known.codes(block) for block in blocks]
    found, different = pd.factorize(np.concatenate(blocks), use_na_sentinel=False)
    assert np.concatenate(codes).tolist() == found.tolist()
    np.testing.assert_array_equal(known.values, different)
    assert known.values.dtype == dtype


@pytest.mark.few_rows_only
@pytest.mark.parametrize("step", [1, 2**20, 2**40], ids=["close", "far", "farther"])
def test_a_dictionary_of_numbers_grows(step):
    random = np.random.default_rng(0)
    known = NumberDictionary("int64")
    for most in (10, 900, 4000):
        block = random.integers(0, most, 50_000) * step
        codes = known.codes(block)
        assert known.values.take(codes).tolist() == block.tolist()
    assert len(np.unique(known.values)) == len(known.values) == 4000
    assert known.codes(np.arange(10**6, 10**6 + 2**15) * step) is None
    assert NumberDictionary("int64").codes(np.arange(2**16) * step) is None


def test_a_dictionary_does_not_grow_without_end(monkeypatch):
    monkeypatch.setattr("akdask.operators.group.tuning.MOST_STRINGS", 2)
    known = Dictionary()
    assert known.codes(pa.array(["a", "b", "c"], pa.large_string())) is None
    assert known.codes(pa.array(["a", "b"], pa.large_string())) is not None
    assert known.codes(pa.array(["c"], pa.large_string())) is None


@given(st.lists(st.tuples(KEYS, st.text("ab\0z", max_size=12)), max_size=60), st.integers(1, 4))
def test_pieces_are_cut_by_the_leading_keys_where_all_do_not_fit_one_word(rows, parts):
    by_two = Aggregation(2, (AggregationStep("sum", (0,)),))
    keys = [np.array([key for key, _ in rows], np.int64), pa.array([text for _, text in rows], pa.large_string())]
    values = np.arange(len(rows))
    totals = {}
    for (key, text), value in zip(rows, values.tolist(), strict=True):
        totals[key, text.encode()] = totals.get((key, text.encode()), 0) + value
    wanted = [(key, text.decode(), totals[key, text]) for key, text in sorted(totals)]
    tables = [
        by_two.rows([keys[0][part], keys[1].take(pa.array(part))], [values[part]])
        for part in np.array_split(np.arange(len(rows)), parts)
    ]
    merged = by_two.finish(by_two.merge(tables))
    assert list(zip(*[column.tolist() for column in merged.columns.values()], strict=True)) == wanted
