"""Groups in dense tables are the groups that are found by sorting."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.group import tuning
from akdask.operators.group.aggregation import Aggregation, AggregationStep
from akdask.operators.group.strategies import DenseAggregation, merge_dense_tables
from akdask.operators.reduce.reductions import REDUCTIONS

FOLDING = ("size", "count", "sum", "prod", "min", "max", "mean", "any", "all")
ALL = Aggregation(
    1,
    tuple(
        AggregationStep(name, (0,) if name != "size" else (), skipna) for name in FOLDING for skipna in (True, False)
    ),
)

ENDS = [np.iinfo(dtype) for dtype in (np.int64, np.uint64)]


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setattr(tuning, "MOST_SLOTS", 0)
    monkeypatch.setattr(tuning, "CHUNK_SLOTS", 4)
    monkeypatch.setattr(tuning, "SLOTS_PER_ROW", 50)


@st.composite
def keys(draw):
    """Keys of one type that lie close together, also at the ends of all that it holds."""
    ends = draw(st.sampled_from(ENDS))
    low = draw(st.sampled_from([ends.min, ends.max - 30, 0]) | st.integers(ends.min, ends.max - 30))
    return np.array([low + step for step in draw(st.lists(st.integers(0, 30), min_size=1, max_size=40))], ends.dtype)


def dense_table(aggregation, keys, values):
    """Return the dense table of some rows, None where they are not accepted."""
    strategy = DenseAggregation(aggregation)
    grouping = strategy.accepts(keys, values)
    if grouping is None:
        return None
    strategy.add(grouping, values)
    return strategy.finish()


VALUES = st.sampled_from([0.0, -0.0, 1.5, -2.0, np.nan, np.inf])


@given(keys(), st.data())
def test_dense_tables_of_several_batches_are_the_table_that_sorting_gives(keys, data):
    values = np.array(data.draw(st.lists(VALUES, min_size=len(keys), max_size=len(keys))))
    batches = np.array_split(np.arange(len(keys)), data.draw(st.integers(1, 3)))
    tables = [dense_table(ALL, [keys[rows]], [values[rows]]) for rows in batches if len(rows)]
    cut = int(data.draw(st.sampled_from(keys.tolist())))
    found = [merge_dense_tables([part.between(*edge) for part in tables]) for edge in ((-np.inf, cut), (cut, np.inf))]
    wanted = ALL.rows([keys], [values])
    for name, column in wanted.columns.items():
        made = np.concatenate([table.columns[name] for table in found])
        assert made.dtype == column.dtype
        np.testing.assert_array_equal(made, column)


def test_reductions_that_merge_in_place_are_known():
    assert ALL.merges_in_place
    grouped = [name for name, reduction in REDUCTIONS.items() if reduction.grouped]
    assert {name for name in grouped if Aggregation(1, (AggregationStep(name, (0,)),)).merges_in_place} == {
        *FOLDING,
        "AND",
        "OR",
        "XOR",
    }


def test_keys_far_apart_or_several_or_of_other_types_make_no_dense_table():
    near, far = np.arange(10), np.arange(10) * 1000
    sums = Aggregation(1, (AggregationStep("sum", (0,)),))
    assert dense_table(sums, [near], [near]) is not None
    assert dense_table(sums, [far], [near]) is None
    assert dense_table(sums, [near[:0]], [near[:0]]) is None
    assert dense_table(sums, [near.astype(float)], [near]) is None
    assert dense_table(Aggregation(2, ()), [near, near], []) is None
    assert dense_table(Aggregation(1, (AggregationStep("var", (0,)),)), [near], [near]) is None


def test_a_dense_table_tells_how_much_memory_it_takes():
    made = dense_table(Aggregation(1, (AggregationStep("sum", (0,)),)), [np.arange(1000)], [np.arange(1000)])
    assert made is not None
    assert 9_000 <= sys.getsizeof(made) < 10_000
