from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import from_ints
from akdask.operators.join.key_tables import SortedKeys
from akdask.testing.strategies import DTYPES, columns

SIDES = st.sampled_from(["left", "right"])


@given(st.sampled_from(DTYPES), SIDES, st.data())
def test_values_are_put_where_numpy_puts_them(dtype, side, data):
    table, values = (data.draw(columns(dtype, data.draw(st.integers(0, 150)))) for _ in range(2))
    values = np.concatenate([values, table[::2]])
    table = np.sort(table)
    expected = np.searchsorted(table, values, side)
    given_these = [pa.array(c.tolist(), pa.large_string()) if dtype == "str" else c for c in (table, values)]
    keys = SortedKeys(given_these[0])
    assert keys.search(given_these[1], side).tolist() == expected.tolist()
    out = np.empty(len(values), np.int64)
    assert keys.search(given_these[1], side, out) is out
    assert out.tolist() == expected.tolist()


@given(st.lists(st.integers(-(2**90), 2**90)), st.lists(st.integers(-(2**90), 2**90)), SIDES)
def test_large_integers_are_put_where_numpy_puts_them(table, values, side):
    table = sorted(table)
    expected = np.searchsorted(np.array(table, object), np.array(values, object), side).tolist()
    assert SortedKeys(from_ints(table)).search(from_ints(values), side).tolist() == expected
