from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.operators.sort.top_k import MANY, PREFIX_BYTES, SAMPLE, PrefixRange, bound_of, first_rows, rows_within

# Few letters, so that strings often begin alike; the first of four bytes in UTF-8.
STRINGS = st.lists(st.text(st.sampled_from("\U0001f600éaz"), max_size=24), min_size=1, max_size=40)


@given(st.lists(STRINGS, max_size=3))
@example([["a" * 16 + "z", "a" * 17]])
@example([["a" * 8], ["a" * 7], ["a" * 9]])
@example([[""]])
def test_the_smallest_and_the_largest_string_are_found_by_their_first_bytes(pieces):
    found = PrefixRange()
    for texts in pieces:
        found.add(pa.array(texts, pa.large_string()))
    spelled = sorted(text.encode() for texts in pieces for text in texts)
    assert found.bounds == ((spelled[0][:PREFIX_BYTES], spelled[-1][:PREFIX_BYTES]) if spelled else None)


@pytest.mark.parametrize("count", [3, -3])
@pytest.mark.parametrize("ascending", [True, False])
@given(
    st.sampled_from([np.float64, np.int64, np.uint8, np.bool_]),
    st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, np.nan, np.inf]), min_size=1, max_size=9),
    st.integers(0, 2**32),
)
def test_rows_that_may_be_the_first_hold_those_of_pandas_block_by_block(count, ascending, dtype, items, seed):
    with np.errstate(invalid="ignore"):
        drawn = np.array(items).astype(dtype)
    rows = np.random.default_rng(seed).choice(drawn, SAMPLE * abs(count) * MANY + 40)
    ordered = pd.Series(rows).sort_values(ascending=ascending, kind="stable")
    wanted = (ordered.head(count) if count > 0 else ordered.tail(-count)).index
    first, second = rows[:-30], rows[-30:]
    few = rows_within([first], [ascending], count, None)
    kept = few[first_rows([first[few]], [ascending], count)]
    later = len(first) + rows_within([second], [ascending], count, bound_of([first[kept]], [ascending], count))
    assert set(wanted) <= {*few.tolist(), *later.tolist()}
