from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.operators.sort import tuning
from akdask.operators.sort.top_k import bound_of, first_rows, rows_within
from akdask.testing.strategies import partitioned


@pytest.mark.parametrize("count", [3, -3])
@given(
    st.booleans(),
    st.sampled_from([np.float64, np.int64, np.uint8, np.bool_]),
    st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0, np.nan, np.inf]), min_size=1, max_size=9),
    st.integers(0, 2**32),
)
def test_rows_that_may_be_the_first_hold_those_of_pandas_block_by_block(count, ascending, dtype, items, seed):
    with np.errstate(invalid="ignore"):
        drawn = np.array(items).astype(dtype)
    rows = np.random.default_rng(seed).choice(drawn, tuning.SAMPLED_OF_EACH * abs(count) * tuning.MANY_TIMES + 40)
    ordered = pd.Series(rows).sort_values(ascending=ascending, kind="stable")
    wanted = (ordered.head(count) if count > 0 else ordered.tail(-count)).index
    first, second = rows[:-30], rows[-30:]
    few = rows_within([first], [ascending], count, None)
    kept = few[first_rows([first[few]], [ascending], count)]
    later = len(first) + rows_within([second], [ascending], count, bound_of([first[kept]], [ascending], count))
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
