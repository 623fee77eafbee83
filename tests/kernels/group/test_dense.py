"""Groups in slabs are the groups that are found by sorting."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.kernels.group import dense as slab
from akdask.kernels.group.aggregation import Aggregation, AggregationStep
from akdask.kernels.group.dense import DenseTable, merge_dense_tables
from akdask.kernels.aggregates.registry import REDUCTIONS

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
    monkeypatch.setattr(slab, "MOST_CELLS", 0)
    monkeypatch.setattr(slab, "CHUNK", 4)
    monkeypatch.setattr(slab, "CELLS_PER_ROW", 50)


@st.composite
def keys(draw):
    """Keys of one type that lie close together, also at the ends of all that it holds."""
    ends = draw(st.sampled_from(ENDS))
    low = draw(st.sampled_from([ends.min, ends.max - 30, 0]) | st.integers(ends.min, ends.max - 30))
    return np.array([low + step for step in draw(st.lists(st.integers(0, 30), min_size=1, max_size=40))], ends.dtype)


VALUES = st.sampled_from([0.0, -0.0, 1.5, -2.0, np.nan, np.inf])


@given(keys(), st.data())
def test_slabs_of_several_lots_of_rows_are_the_table_that_sorting_gives(keys, data):
    values = np.array(data.draw(st.lists(VALUES, min_size=len(keys), max_size=len(keys))))
    lots = np.array_split(np.arange(len(keys)), data.draw(st.integers(1, 3)))
    slabs = [DenseTable.of(ALL, [keys[lot]], [values[lot]]) for lot in lots if len(lot)]
    cut = int(data.draw(st.sampled_from(keys.tolist())))
    found = [merge_dense_tables([part.between(*edge) for part in slabs]) for edge in ((-np.inf, cut), (cut, np.inf))]
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


def test_keys_far_apart_or_several_or_of_other_types_make_no_slab():
    near, far = np.arange(10), np.arange(10) * 1000
    sums = Aggregation(1, (AggregationStep("sum", (0,)),))
    assert DenseTable.of(sums, [near], [near]) is not None
    assert DenseTable.of(sums, [far], [near]) is None
    assert DenseTable.of(sums, [near[:0]], [near[:0]]) is None
    assert DenseTable.of(sums, [near.astype(float)], [near]) is None
    assert DenseTable.of(Aggregation(2, ()), [near, near], []) is None
    assert DenseTable.of(Aggregation(1, (AggregationStep("var", (0,)),)), [near], [near]) is None


def test_a_slab_tells_how_much_memory_it_takes():
    made = DenseTable.of(Aggregation(1, (AggregationStep("sum", (0,)),)), [np.arange(1000)], [np.arange(1000)])
    assert made is not None
    assert 9_000 <= sys.getsizeof(made) < 10_000
