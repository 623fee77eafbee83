"""The forms of reductions, on blocks of rows and merged, against NumPy on all rows."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.arrays.array import wrap
from akdask.columns.dtypes import BOOL, FLOAT64, INT64
from akdask.engine.sources import RowNumbers
from akdask.errors import AkdaskError
from akdask.operators.reduce.along_axis import AXIS_FUNCTIONS, computed_along
from akdask.operators.reduce.reductions import REDUCTIONS
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


def test_extremes_of_no_rows_are_missing_where_that_is_wanted():
    form = REDUCTIONS["min"].scalar
    assert np.isnan(form.finish((), nan_of_none=True))
    assert form.finish(form.partial(BLOCKS[1], None), nan_of_none=True) == 1.0


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
