"""Sums and means of windows of integers are those of whole numbers, whatever floats hold of them on the way."""

from __future__ import annotations

from itertools import accumulate, pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.frames.rows_in_groups import running_of_groups
from akdask.operators.windows.kernels import running_sums_by_group
from akdask.operators.windows.plan import TOTAL
from akdask.testing.strategies import partition_lengths, partitioned

ROWS = {
    "int64": st.integers(-9, 9) | st.sampled_from([-(2**63), 2**63 - 1, 2**53, 2**53 + 1, -(2**40) - 1, 2**31]),
    "uint64": st.integers(0, 9) | st.sampled_from([2**64 - 1, 2**63, 2**53 + 1, 2**32]),
}


@st.composite
def columns(draw):
    """Integers in order of their groups, and the partitions of their rows."""
    dtype = draw(st.sampled_from(sorted(ROWS)))
    groups = draw(st.lists(st.integers(0, 2), min_size=1, max_size=12).map(sorted))
    rows = draw(st.lists(ROWS[dtype], min_size=len(groups), max_size=len(groups)))
    return np.array(rows, dtype), np.array(groups), draw(partition_lengths(len(groups)))


def reduced(rows, windows, name, least):
    """Return the sums or means of windows, each the numbers of its rows."""
    found = []
    for window in windows:
        total = sum(int(rows[row]) for row in window)
        enough = len(window) >= (least if name == "sum" else max(least, 1))
        found.append((total if name == "sum" else total / len(window)) if enough else np.nan)
    return [float(value) for value in found]


def check(windows_of_lazy, rows, windows, least):
    for name in ("sum", "mean"):
        found = getattr(windows_of_lazy, name)().to_pandas()
        found = (found if isinstance(found, pd.Series) else found["x"]).to_numpy()
        # Of a mean, the sum and the quotient are rounded.
        np.testing.assert_allclose(found, reduced(rows, windows, name, least), rtol=0 if name == "sum" else 3e-16)


@given(columns(), st.integers(1, 5), st.integers(0, 5), st.booleans())
def test_windows_of_a_number_of_rows(drawn, width, least, center):
    rows, _, lengths = drawn
    least, after = min(least, width), (width - 1) // 2 if center else 0
    windows = [range(max(row + after + 1 - width, 0), min(row + after + 1, len(rows))) for row in range(len(rows))]
    check(ak.Series(partitioned(rows, lengths)).rolling(width, least, center), rows, windows, least)


@given(columns(), st.integers(0, 5))
def test_windows_of_all_rows_so_far(drawn, least):
    rows, _, lengths = drawn
    windows = [range(row + 1) for row in range(len(rows))]
    check(ak.Series(partitioned(rows, lengths)).expanding(least), rows, windows, least)


@given(columns(), st.integers(0, 4))
def test_windows_of_all_rows_of_a_group_so_far(drawn, least):
    rows, groups, lengths = drawn
    windows = [range(int(np.searchsorted(groups, groups[row])), row + 1) for row in range(len(rows))]
    lazy = ak.DataFrame({"k": partitioned(groups, lengths), "x": partitioned(rows, lengths)})
    check(lazy.groupby("k")[["x"]].expanding(least), rows, windows, least)


@given(columns(), st.integers(1, 4), st.integers(0, 4))
def test_windows_of_some_rows_of_a_group(drawn, width, least):
    rows, groups, lengths = drawn
    least = min(least, width)
    firsts = np.searchsorted(groups, groups)
    windows = [range(max(int(first), row + 1 - width), row + 1) for row, first in enumerate(firsts)]
    lazy = ak.DataFrame({"k": partitioned(groups, lengths), "x": partitioned(rows, lengths)})
    check(lazy.groupby("k")[["x"]].rolling(width, least), rows, windows, least)


@given(columns(), st.integers(1, 3), st.integers(0, 3), st.sampled_from(["right", "left", "both", "neither"]))
def test_windows_of_a_span_of_time(drawn, span, least, closed):
    rows, seconds, lengths = drawn
    times = partitioned(seconds * 10**9, lengths)
    lazy = ak.DataFrame({"t": ak.Datetime(times), "x": partitioned(rows, lengths)})
    windows = [
        [
            other
            for other, before in enumerate(seconds)
            if (second - span < before < second)
            or (before == second - span and closed in ("left", "both"))
            or (before == second and other <= row and closed in ("right", "both"))
        ]
        for row, second in enumerate(seconds)
    ]
    check(lazy.rolling(f"{span}s", least, on="t", closed=closed)[["x"]], rows, windows, least)


def sums_so_far(rows, groups, before=(0, 0)):
    """Return running sums by group as integers of any size; `before` is the group and sum of the rows before."""
    sums = dict([before])
    found = []
    for row, group in zip(rows.tolist(), groups.tolist(), strict=True):
        sums[group] = sums.get(group, 0) + row
        found.append(float(sums[group]))
    return found


@given(columns())
def test_sums_of_groups_go_on_in_the_next_partition(drawn):
    rows, groups, lengths = drawn
    values, numbers = partitioned(rows, lengths), partitioned(groups, lengths)
    found = running_of_groups(TOTAL, values, numbers)
    assert found.dtype == np.float64
    assert found.tolist() == sums_so_far(rows, groups)
    wrapping = running_of_groups("cumsum", values, numbers)
    assert wrapping.dtype == rows.dtype
    assert np.array_equal(wrapping.to_ndarray(), np.concatenate([rows[groups == one].cumsum() for one in range(3)]))


@given(columns(), st.integers(-1, 3), st.integers(-(2**70), 2**70))
def test_sums_of_groups_begin_with_the_sum_of_earlier_rows(drawn, group, total):
    rows, groups, _ = drawn
    found = running_sums_by_group(rows, groups, (group, total) if group <= groups[0] else None)
    assert found.tolist() == sums_so_far(rows, groups, (group, total) if group <= groups[0] else (-1, 0))


@given(st.lists(st.integers(-(2**90), 2**90), min_size=1, max_size=12), st.data())
def test_sums_so_far_of_integers_of_any_size(numbers, data):
    lengths = data.draw(partition_lengths(len(numbers)))
    starts = np.cumsum([0, *lengths]).tolist()
    parts = [ak.array(numbers[start:stop], ak.bigint) for start, stop in pairwise(starts) if stop > start]
    assert ak.cumsum(ak.concatenate(parts)).tolist() == list(accumulate(numbers))


@given(st.lists(st.one_of(st.none(), st.integers(-(2**62), 2**62)), min_size=1, max_size=12), st.data())
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "cummin", "cummax"])
def test_running_results_are_missing_from_the_first_missing_integer_on(name, numbers, data):
    ufunc = {"cumsum": np.add, "cumprod": np.multiply, "cummin": np.minimum, "cummax": np.maximum}[name]
    upto = numbers.index(None) if None in numbers else len(numbers)
    wanted = ufunc.accumulate(np.array(numbers[:upto], np.int64)).tolist() + [pd.NA] * (len(numbers) - upto)
    starts = np.cumsum([0, *data.draw(partition_lengths(len(numbers)))]).tolist()
    parts = [ak.array(pd.array(numbers[start:stop], "Int64")) for start, stop in pairwise(starts) if stop > start]
    found = ak.Series(getattr(ak, name)(ak.concatenate(parts))).to_pandas()
    assert found.astype("Int64").tolist() == wanted


@given(columns())
def test_products_so_far_wrap_as_those_of_numpy(drawn):
    rows, _, lengths = drawn
    np.testing.assert_array_equal(ak.cumprod(partitioned(rows, lengths)).to_ndarray(), np.cumprod(rows))
