"""The forms of reductions, on blocks of rows and merged, against NumPy on all rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask.arrays.array import wrap
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import BOOL, FLOAT64, INT64
from akdask.columns.strings import make_missing
from akdask.columns.summation import UnitPositions
from akdask.engine.sources import RowNumbers
from akdask.errors import AkdaskError
from akdask.operators.group.grouping import group_sorted
from akdask.operators.reduce.along_axis import AXIS_FUNCTIONS, computed_along
from akdask.operators.reduce.plan import Aggregate, AggregateExpr, CountRows, calculated
from akdask.operators.reduce.quantiles import AT_ROWS, METHODS, QUANTILE
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.storage.ranges import ALIGNED_ROWS
from akdask.testing.strategies import partitioned

BLOCKS = [np.array(rows, np.float64) for rows in ([], [3.0, 1.0, 3.0], [1.0, 4.0], [np.nan, 0.0], [2.0, np.nan, -1.0])]


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_extremes_of_two_blocks_are_those_of_all_rows(name):
    form = REDUCTIONS[name].scalar
    for first, second in product(BLOCKS, repeat=2):
        state = form.merge(form.partial(first, None), form.partial(second, None))
        rows = np.concatenate([first, second])
        if len(rows):
            np.testing.assert_equal(form.finish(state), getattr(np, name)(rows))
        else:
            with pytest.raises(AkdaskError):
                form.finish(state)


def text_of(rows):
    """Return text of which some is missing, as columns hold it."""
    text = pa.array([row or "" for row in rows], pa.large_string())
    return make_missing(text, np.array([row is None for row in rows], np.bool_))


@pytest.mark.parametrize("form", ["scalar", "integers", "strings"])
def test_extremes_of_no_rows_are_missing_where_that_is_wanted(form):
    rows = {"scalar": np.array([1.0, 2.0]), "integers": from_ints([1, 2]), "strings": text_of(["1", "2"])}[form]
    for name, best in (("min", 1), ("max", 2)):
        reduction = getattr(REDUCTIONS[name], form)
        nothing = reduction.partial(rows[:0] if form != "integers" else from_ints([]), None)
        assert np.isnan(reduction.finish(nothing, nan_of_none=True))
        for options in ({}, {"nan_of_none": True}):
            assert int(reduction.finish(reduction.partial(rows, None), **options)) == best
        for options in ({}, {"nan_of_none": False}):
            with pytest.raises(AkdaskError, match=f"{name} of no rows"):
                reduction.finish(nothing, **options)


TEXTS = [[], ["b", "a", "b"], ["a", "c"], ["b"], [None, "a"], ["c", None]]
LARGE = [[], [2**70, -5, 2**70], [-5, 2**80], [7], [-(2**70), 3]]


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
@pytest.mark.parametrize("form", ["integers", "strings"])
def test_extremes_of_blocks_that_numpy_has_not_are_those_of_all_rows(name, form):
    of = getattr(REDUCTIONS[name], form)
    for first, second in product(LARGE if form == "integers" else TEXTS, repeat=2):
        blocks = [(from_ints if form == "integers" else text_of)(rows) for rows in (first, second)]
        state = of.merge(*(of.partial(block, None) for block in blocks))
        rows = [*first, *second]
        if not rows:
            with pytest.raises(AkdaskError):
                of.finish(state)
            continue
        best = None if None in rows else (max if name.endswith("max") else min)(rows)
        if name.startswith("arg"):
            assert of.finish(state) == rows.index(best)
        elif best is None:
            assert np.isnan(of.finish(state))
        else:
            assert of.finish(state) == best


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", ["float64", "int64", "uint64", "uint8"])
def test_quantiles_of_distinct_values_with_counts_are_those_of_all_rows(method, dtype):
    groups = [[1, 2, 3, 9], [5], [0, 7], [250]]
    counts = [[1, 2, 1, 3], [4], [1, 1], [1]]
    keys = np.repeat(np.arange(4), [len(group) for group in groups])
    values = np.concatenate(groups).astype(dtype)
    of_rows = [np.repeat(np.array(group, dtype), count) for group, count in zip(groups, counts, strict=True)]
    found = QUANTILE.distinct.compute
    given = group_sorted([keys]), values, np.concatenate(counts)
    for q in (0.0, 0.3, 0.5, 0.9, 1.0):
        result = found(*given, np.zeros(len(values), np.bool_), q=q, method=method)
        assert result.dtype == (dtype if method in AT_ROWS else np.float64)
        wanted = [np.quantile(rows, q, method=method) for rows in of_rows]
        np.testing.assert_allclose(result.astype(float), np.array(wanted, float), rtol=1e-14)
    if dtype == "float64":
        values[[3, 4, 6, 7]] = np.nan
        for skipna in (False, True):
            result = found(*given[:1], values, given[2], np.isnan(values) & skipna, q=0.5, method=method)
            kept = [np.array([1.0, 2, 2, 3]), np.array([]), np.array([0.0]), np.array([])]
            wanted = [np.quantile(rows, 0.5, method=method) if skipna and len(rows) else np.nan for rows in kept]
            np.testing.assert_array_equal(result, wanted)


def test_nodes_know_how_many_rows_their_results_have():
    rows = partitioned(np.arange(12.0), [5, 4, 3])
    for bins in (1, 3):
        counts, edges = ak.histogram(rows, bins)
        assert (counts.size, edges.size) == (len(counts.to_ndarray()), len(edges.to_ndarray())) == (bins, bins + 1)
        counts, edges = ak.histogram(rows, bins, range=(0, 5))
        assert (counts.size, edges.size) == (len(counts.to_ndarray()), len(edges.to_ndarray())) == (bins, bins + 1)
    counts, x, y = ak.histogram2d(rows, rows, (2, 3))
    assert (counts.shape, x.size, y.size) == ((2, 3), 3, 4)
    several = Aggregate(rows._frame, tuple(AggregateExpr(name, rows._value) for name in ("sum", "min", "max")))
    assert several.rows.lengths == (3,)
    assert [several.result_type(k) for k in range(3)] == [FLOAT64] * 3
    assert [several.describe_result(k).partition("(")[0] for k in range(3)] == ["sum", "min", "max"]
    assert CountRows(rows._frame).rows.lengths == (3,)
    assert calculated(np.add, [1, 2.5]).aggregate.rows.lengths == (1,)


def test_products_of_partitions_are_rounded_alike_whatever_a_mask_leaves_out():
    random = np.random.default_rng(6)
    values = random.normal(1, 0.01, 3 * ALIGNED_ROWS // 2)
    form = REDUCTIONS["prod"].scalar
    units = [np.prod(values[start : start + ALIGNED_ROWS]) for start in range(0, len(values), ALIGNED_ROWS)]
    found = form.finish(form.partial(values, None, None))
    assert found == pytest.approx(np.prod(units), rel=1e-12)
    assert form.finish(form.partial(values, np.ones(len(values), np.bool_), None)) == found
    mask = np.arange(len(values)) % 3 > 0
    wanted = form.finish(form.partial(np.where(mask, values, 1.0), None, None))
    assert form.finish(form.partial(values, mask, None)) == wanted
    positions = UnitPositions(np.flatnonzero(mask), len(values))
    assert form.finish(form.partial(values[mask], None, positions)) == wanted
    few = mask & (np.arange(len(values)) % 2 == 0)
    wanted = form.finish(form.partial(np.where(few, values, 1.0), None, None))
    assert form.finish(form.partial(values[mask], few[mask], positions)) == wanted


def test_extremes_of_integers_of_any_size_are_of_the_chosen_rows():
    large = ak.array([2**70, 2**80, -(2**75), 5], dtype=ak.bigint)
    chosen = large[ak.array([True, False, False, True])]
    assert (int(chosen.min()), int(chosen.max())) == (5, 2**70)
    assert (int(large.min()), int(large.max())) == (-(2**75), 2**80)


def test_lists_know_whether_any_or_all_of_their_values_are_true():
    lists = ak.SegArray(ak.array([0, 2, 4]), ak.array([0, 0, 0, 7, 3, 4]) != 0)
    assert lists.any().tolist() == [False, True, True]
    assert lists.all().tolist() == [False, False, True]


def test_functions_along_a_dimension_have_their_name_and_type():
    for name, function in AXIS_FUNCTIONS.items():
        assert function.name == name
    assert [AXIS_FUNCTIONS[name].result_type(INT64) for name in ("sum", "mean", "any")] == [INT64, FLOAT64, BOOL]


def test_a_last_block_of_fewer_positions_is_reduced_by_itself():
    rows = np.arange(10.0)
    # Blocks of three positions of two elements: the last one has two positions.
    assert computed_along("sum", rows, 3, 2).tolist() == [0 + 2 + 4, 1 + 3 + 5, 6 + 8, 7 + 9]
    assert computed_along("sum", rows[:4], 3, 2).tolist() == [0 + 2, 1 + 3]


@pytest.mark.parametrize("first", [0.0, -0.0])
def test_of_zeros_of_both_signs_the_first_is_the_distinct_one(first):
    form = REDUCTIONS["distinct"].scalar
    for nrows in (1, 2, 20, 64, 300):
        rows = np.append([first], np.full(nrows, -first))
        assert np.signbit(form.finish(form.partial(rows, None))).tolist() == [np.signbit(first)]


@pytest.mark.parametrize("rows", [[0, None, 0], [0, 0, None, 5], [None, 3], [None, 3, 4], [None]])
def test_integers_of_which_some_are_missing_are_as_true_as_floats_with_nan(rows):
    lazy = ak.Series(pd.Series(rows, dtype="Int64")).values
    floats = np.array([np.nan if row is None else row for row in rows])
    assert (bool(lazy.any()), bool(lazy.all())) == (floats.any(), floats.all())
    assert int(ak.count_nonzero(lazy)) == np.count_nonzero(floats)
    np.testing.assert_equal(float(ak.median(lazy)), np.median(floats))


def test_rows_that_are_counted_when_they_are_numbered_have_numbers_from_0():
    rows = partitioned(np.arange(12), [5, 4, 3])
    kept = rows[rows % 3 != 1]
    numbers = RowNumbers(kept._frame)
    assert wrap(numbers, numbers.position).tolist() == list(range(8))


def test_medians_of_groups_keep_nan_where_it_is_not_skipped():
    groups = ak.GroupBy(ak.array([0, 0, 0, 1, 1]))
    floats, integers = ak.array([1.0, np.nan, 3.0, 2.0, 4.0]), ak.array([1, 2, 4, 2, 4])
    np.testing.assert_array_equal(groups.median(floats, skipna=False)[1].to_ndarray(), [np.nan, 3.0])
    np.testing.assert_array_equal(groups.median(floats)[1].to_ndarray(), [2.0, 3.0])
    np.testing.assert_array_equal(groups.median(integers)[1].to_ndarray(), [2.0, 3.0])


def test_missing_integers_count_as_true_beside_those_that_are_no_floats():
    for items in ([2**53 + 1, None], [0, None], [1, None, 0], [2**63 - 1, None, 5], [None, None], [2**53 + 1, 0, None]):
        array = ak.DataFrame(pd.DataFrame({"n": pd.array(items, "Int64")}))["n"]
        are_true = [item is None or item != 0 for item in items]
        found = [bool(ak.any(array)), bool(ak.all(array)), int(ak.count_nonzero(array))]
        assert found == [any(are_true), all(are_true), sum(are_true)], items
