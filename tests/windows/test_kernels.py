"""Kernels of windows and of running results of groups, beside plain loops over the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from akdask.columns.table import Table
from akdask.operators.windows import kernels, loops, plan, tuning

pytestmark = pytest.mark.light

values = st.lists(
    st.sampled_from([0.0, -0.0, 1.5, -2.25, 1e300, 1e16, -1e16, 0.1, 0.7, np.nan, np.inf, -np.inf]),
    min_size=1,
    max_size=30,
)


def added(rows):
    """Return the number, mean and squared distances of rows, one by one."""
    count, mean, square = 0, 0.0, 0.0
    for row in rows:
        count += 1
        step = row - mean
        mean += step / count
        square += step * (row - mean)
    return count, mean, square


def window(name, rows, split, least):
    """Return the result of a window that ends one block and begins another, from the rows on both sides."""
    ending, following = ([row for row in part if np.isfinite(row)] for part in (rows[:split][::-1], rows[split:]))
    known = len(ending) + len(following)
    if known < max(least, {"sum": 0, "var": 2, "std": 2}.get(name, 1)):
        return np.nan
    if name in ("min", "max"):
        return getattr(np, name)(ending + following)
    if name in ("sum", "mean"):
        total = sum(following, start=0.0) + sum(ending, start=0.0)
        return total / known if name == "mean" else total
    (one, mean, square), (other, another, squares) = added(following), added(ending)
    apart = mean - another
    found = (square + squares + apart * apart * one * other / known) / (known - 1)
    return np.sqrt(found) if name == "std" else found


@given(values, st.integers(1, 8), st.integers(-9, 9), st.sampled_from(kernels.WINDOWS), st.integers(0, 3))
@settings(max_examples=60)
def test_windows_merge_the_parts_of_two_blocks(rows, width, first, name, least):
    rows = np.array(rows)
    with np.errstate(all="ignore"):
        expected = [
            window(name, rows[start : start + width], -(first + start) % width or width, least)
            for start in range(len(rows) - width + 1)
        ]
    found = kernels.reduced_windows(name, rows, width, first, least=least)
    assert np.array_equal(found, expected, equal_nan=True)


@given(
    values,
    st.lists(st.integers(0, 3), min_size=30, max_size=30),
    st.sampled_from(kernels.RUNNING),
    st.sampled_from(["float64", "int64", "uint64", "uint8"]),
)
@settings(max_examples=60)
def test_running_results_begin_again_with_each_group(rows, groups, name, dtype):
    rows = np.array(rows) if dtype == "float64" else np.arange(len(rows), dtype=dtype)
    groups = np.sort(np.array(groups[: len(rows)]))
    ufunc = {"cumsum": np.add, "cumprod": np.multiply, "cummin": np.fmin, "cummax": np.fmax}[name]
    start = rows.dtype.type(2)
    expected, running = [], {1: start} if groups[0] == 1 else {}
    with np.errstate(all="ignore"):
        for row, group in zip(rows, groups, strict=True):
            if not np.isnan(row):
                running[group] = ufunc(running[group], row) if group in running else row
            expected.append(row if np.isnan(row) else running[group])
    found, last = kernels.running_by_group(name, rows, groups, (1, start))
    assert found.dtype == rows.dtype
    assert np.array_equal(found, np.array(expected, dtype), equal_nan=dtype == "float64")
    if groups[-1] in running:
        assert last[0] == groups[-1]
        assert np.array_equal(last[1], running[groups[-1]], equal_nan=dtype == "float64")


def test_variances_need_more_rows_than_degrees_of_freedom():
    rows = np.array([1.0, 4.0, 9.0])
    for name in ("var", "std"):
        assert np.isnan(kernels.reduced_windows(name, rows, 2, 0, least=1, ddof=2)).all()
        assert np.isfinite(kernels.reduced_windows(name, rows, 3, 0, least=1, ddof=2)).all()


def test_loops_refuse_windows_that_do_not_fit():
    with pytest.raises(ValueError, match="no window"):
        loops.fill_sums(np.zeros(3), 0, 0, 0, False, np.zeros(4))
    with pytest.raises(ValueError, match="no room"):
        loops.fill_sums(np.zeros(3), 2, 0, 0, False, np.zeros(1))
    with pytest.raises(ValueError, match="other lengths"):
        loops.fill_running(0, np.zeros(3), np.zeros(2, np.int64), 0, np.zeros(1), np.zeros(1), np.zeros(3))


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=4), st.integers(1, 12))
def test_windows_start_within_their_group_and_their_span(groups, span):
    numbers = np.repeat(np.arange(len(groups)), [len(rows) for rows in groups])
    measure = np.array([row for rows in groups for row in sorted(rows)], np.int64)
    wanted = [
        min(
            other for other in range(row + 1) if numbers[other] == numbers[row] and measure[other] > measure[row] - span
        )
        for row in range(len(measure))
    ]
    assert kernels.span_starts(numbers, measure, span).tolist() == wanted


@given(st.lists(st.lists(st.integers(0, 9), max_size=5).map(sorted), max_size=3), st.integers(1, 9), st.booleans())
def test_other_partitions_get_no_more_than_the_rows_of_their_windows(groups, span, with_bound):
    rows = [(group, measure) for group, measures in enumerate(groups) for measure in measures]
    columns = zip((plan.GROUP, plan.MEASURE), np.array(rows, int).reshape(-1, 2).T, strict=True)
    table = Table(dict(columns), len(rows))
    most = span if with_bound else span - 1
    ends = [row for row in rows if row[0] == rows[-1][0] and rows[-1][1] - row[1] <= most]
    heads = [row for row in rows if row[0] == rows[0][0] and row[1] - rows[0][1] <= span]
    for found, wanted in ((plan._span_end([table], span, with_bound), ends), (plan._head([table], span), heads)):
        assert list(zip(*map(np.ndarray.tolist, found.columns.values()), strict=True)) == wanted


def test_groups_further_apart_than_one_number_can_tell_are_searched_one_by_one():
    numbers, measure = np.array([0, 0, 1, 1]), np.array([0, 2**61, 5, 6])
    assert kernels.span_starts(numbers, measure, 3).tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize("name", kernels.SPANS)
def test_reductions_are_those_of_each_window(monkeypatch, name):
    monkeypatch.setattr(tuning, "WINDOW_VALUES", 7)
    draw = np.random.default_rng(0)
    rows = np.where(draw.random(30) > 0.7, np.nan, draw.normal(size=30))
    starts = np.maximum(np.arange(30) - draw.integers(0, 6, 30), 0)
    functions = {
        "quantile": lambda v: np.quantile(v, 0.4),
        "var": lambda v: v.var(ddof=1),
        "std": lambda v: v.std(ddof=1),
    }
    function = functions.get(name, getattr(np, name, None))
    for first, least in ((0, 1), (4, 2)):
        found = kernels.reduced_spans(name, rows, starts, slice(first, len(rows)), least=least, q=0.4)
        for row, value in enumerate(found, first):
            known = rows[starts[row] : row + 1]
            known = known[np.isfinite(known)]
            enough = max(least, 2) if name in ("var", "std") else least
            wanted = function(known) if len(known) >= enough else np.nan
            np.testing.assert_allclose(value, wanted)


@pytest.mark.parametrize("dtype", [np.int64, np.uint64, np.uint8])
def test_running_results_of_groups_of_any_length_are_those_of_numpy(dtype):
    random = np.random.default_rng(3)
    sizes = np.concatenate([random.integers(1, 9, 40), random.integers(60, 300, 20)])
    groups = np.repeat(np.arange(len(sizes)), random.permutation(sizes))
    rows = random.integers(0, np.iinfo(dtype).max, len(groups), dtype, endpoint=True)
    limits = np.iinfo(dtype)
    kinds = [(np.add, 0), (np.multiply, 1), (np.minimum, limits.max), (np.maximum, limits.min)]
    for kind, (function, identity) in enumerate(kinds):
        state, found = np.array([identity], dtype), np.empty_like(rows)
        loops.fill_running(kind, rows, groups, 0, state, np.array([identity], dtype), found)
        wanted = [function.accumulate(rows[groups == group], dtype=dtype) for group in range(len(sizes))]
        np.testing.assert_array_equal(found, np.concatenate(wanted))
        assert state[0] == found[-1]


@pytest.mark.parametrize("name", ["sum", "mean", "min", "max"])
@pytest.mark.parametrize("width", [1, 7, 100])
@pytest.mark.parametrize("with_bound", [False, True])
def test_blocks_change_no_window(name, width, with_bound, monkeypatch):
    monkeypatch.setattr(tuning, "BLOCK_VALUES", 0)
    rng = np.random.default_rng(5)
    groups = np.sort(rng.integers(0, 3, 200))
    measure = np.sort(rng.integers(-50, 150, 200) + 1000 * groups) - 1000 * groups
    column = np.where(rng.random(200) < 0.2, np.nan, rng.integers(-9, 9, 200).astype(np.float64))
    starts = kernels.span_starts(groups, measure, width, with_bound=with_bound)
    blocks = kernels.span_blocks(groups, measure, width)
    for ends in (None, kernels.first_of_equals(groups, measure)):
        for least in (0, 1, 3):
            given = (name, column, starts, slice(20, 190))
            found = kernels.reduced_spans(*given, least=least, ends=ends, blocks=blocks)
            np.testing.assert_allclose(found, kernels.reduced_spans(*given, least=least, ends=ends), rtol=1e-12)


@given(
    st.lists(st.tuples(st.sampled_from([0.0, 0.5, 0.9, 1.0, -1.0, 1e-200, np.nan]), st.floats(-1e9, 1e9)), max_size=700)
)
@example([(0.5, 1.0)] * 1100)
@example([(-0.5, 1e9)] + [(0.9, 0.0)] * 300)
def test_a_recurrence_is_that_of_a_loop(rows):
    factors, terms = np.array(rows, np.float64).reshape(-1, 2).T
    products, results = kernels.linear_recurrence(factors, terms)
    product, result = 1.0, 0.0
    for row, (factor, term) in enumerate(rows):
        product *= factor
        if abs(product) < np.finfo(float).tiny:
            product = 0.0
        result = factor * result + term
        np.testing.assert_equal(products[row], product)
        np.testing.assert_equal(results[row], result)
    assert len(products) == len(results) == len(rows)
