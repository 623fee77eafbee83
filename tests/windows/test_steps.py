"""Steps of tasks that compute rows from other rows, and bounds of kernels, each beside what pandas or Python give."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR
from akdask.columns.table import Table
from akdask.errors import ArgumentError
from akdask.operators.windows import kernels, plan, tuning
from akdask.operators.windows.plan import GROUP, MEASURE, OUTSIDE, TOTAL

pytestmark = pytest.mark.light


def table_of(*columns):
    made = [column if isinstance(column, pa.Array) else np.array(column) for column in columns]
    return Table(dict(enumerate(made)), len(made[0]))


def rows_of(table, name=0):
    column = table.columns[name]
    return column.to_pylist() if isinstance(column, pa.Array) else column.tolist()


# ---- shifts and halos


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1, [4]), (3, [2, 3, 4]), (4, [1, 2, 3, 4]), (9, [1, 2, 3, 4]), (-1, [1]), (-3, [1, 2, 3]), (-9, [1, 2, 3, 4])],
)
def test_ends_are_the_last_rows_or_the_first(count, expected):
    table = table_of([1, 2, 3, 4])
    nrows, rows = plan._end([table], count)
    assert (nrows, rows_of(rows)) == (4, expected)
    assert not np.shares_memory(rows.columns[0], table.columns[0])


@pytest.mark.parametrize(
    ("count", "earlier", "part", "expected"),
    [
        (2, None, (3, [7, 8]), (3, [7, 8])),
        (2, (5, [1, 2]), (3, [7, 8]), (8, [7, 8])),
        (2, (5, [1, 2]), (1, [7]), (6, [2, 7])),
        (2, (5, [1, 2]), (0, []), (5, [1, 2])),
        (3, (1, [1]), (1, [7]), (2, [1, 7])),
        # Backwards: what was met before follows the part.
        (-2, (5, [1, 2]), (3, [7, 8]), (8, [7, 8])),
        (-2, (5, [1, 2]), (1, [7]), (6, [7, 1])),
        (-3, (5, [1, 2, 3]), (1, [7]), (6, [7, 1, 2])),
    ],
)
def test_halos_are_as_many_rows_of_as_many_partitions_as_it_takes(count, earlier, part, expected):
    earlier, part = ((None if one is None else (one[0], table_of(np.array(one[1], int)))) for one in (earlier, part))
    nrows, rows = plan._further(earlier, part, count)
    assert (nrows, rows_of(rows)) == expected


@pytest.mark.parametrize("periods", [1, 2, 3, 5, -1, -2, -3, -5])
@pytest.mark.parametrize("beside", [None, 0, 1, 2, 5])
def test_rows_are_shifted_with_those_of_the_neighbours(periods, beside):
    count = min(beside or 0, abs(periods))
    own, others = np.arange(10, 13), np.arange(100, 100 + count)
    text = pa.array([f"t{number}" for number in own], pa.large_string())
    further = pa.array([f"t{number}" for number in others], pa.large_string())
    halo = None if beside is None else (9, table_of(others, further))
    found = plan._shift((table_of(own, text), halo), periods, (INT64, STR), (-1, "none"))
    rows = [*others, *own] if periods > 0 else [*own, *others]
    shifted = pd.Series(rows, dtype=object).shift(periods)
    wanted = shifted[count:] if periods > 0 else shifted[:3]
    assert rows_of(found) == [-1 if pd.isna(row) else row for row in wanted]
    assert rows_of(found, 1) == ["none" if pd.isna(row) else f"t{row}" for row in wanted]
    assert rows_of(found, OUTSIDE) == wanted.isna().tolist()


def test_no_rows_are_shifted_to_none():
    found = plan._shift((table_of(np.empty(0)), (3, table_of([1.0]))), 1, (FLOAT64,), (np.nan,))
    assert (found.nrows, rows_of(found), rows_of(found, OUTSIDE)) == (0, [], [])


@pytest.mark.parametrize("lengths", [[7], [3, 4], [0, 2, 0, 5], [1] * 7])
@pytest.mark.parametrize("distance", [1, 2, 6, 7, 9])
def test_differences_are_those_of_numpy_wherever_rows_are_cut(lengths, distance):
    rows = np.array([5, 1, 8, 8, -2, 7, 7])
    bounds = np.cumsum([0, *lengths])
    found = []
    for first, stop in pairwise(bounds.tolist()):
        # A partition has what is left of its rows when the first ones of all are left out.
        begin, end = max(first - distance, 0), max(stop - distance, 0)
        parts = [
            table_of(rows[begin : begin + (end - begin) // 2]),
            table_of(rows[begin + (end - begin) // 2 : end + distance]),
        ]
        if end > begin:
            given = [(0, part.nrows) for part in parts]
            table = plan._differences(parts, given, distance, (0, begin, end))
            found += rows_of(table)
            out = np.zeros(7, rows.dtype)
            assert plan._differences([*parts, {0: out}], given, distance, (0, begin, end)).nrows == end - begin
            assert out.tolist() == [*[0] * begin, *rows_of(table), *[0] * (7 - end)]
    assert found == (rows[distance:] - rows[:-distance]).tolist()


def test_truth_values_differ_or_not_and_integers_wrap():
    assert rows_of(plan._differences([table_of([True, True, False])], [(0, 3)], 1, (0, 0, 2))) == [False, True]
    assert rows_of(plan._differences([table_of([-(2**63), 2**63 - 1])], [(0, 2)], 1, (0, 0, 1))) == [-1]
    assert rows_of(plan._differences([table_of(np.array([1, 0], np.uint64))], [(0, 2)], 1, (0, 0, 1))) == [2**64 - 1]


# ---- windows of rows


@pytest.mark.parametrize(
    ("rows", "count", "is_after", "expected"),
    [
        (None, 2, False, [None, None]),
        ([], 2, True, [None, None]),
        ([1.0], 2, False, [None, 1.0]),
        ([1.0], 2, True, [1.0, None]),
        ([1.0, 2.0], 2, False, [1.0, 2.0]),
        ([1.0, 2.0], 2, True, [1.0, 2.0]),
        ([1.0], 3, False, [None, None, 1.0]),
        ([1.0], 3, True, [1.0, None, None]),
    ],
)
def test_rows_beyond_the_frame_are_missing(rows, count, is_after, expected):
    halo = None if rows is None else (9, table_of(np.array(rows, float)))
    found = plan._edge(halo, 0, count, is_after=is_after)
    assert [None if np.isnan(row) else row for row in found] == expected


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize(("before", "after"), [(0, 0), (2, 0), (0, 2), (1, 1), (2, 1), (9, 9)])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "quantile"])
@pytest.mark.parametrize("large", [False, True])
def test_windows_reach_into_the_partitions_before_and_after(before, after, name, large):
    if large and name not in kernels.INTEGER_WINDOWS:
        return
    rows = np.array([4, 1, 7, 3, 9, 2, 8]) * (2**59 if large else 1) + large
    column = rows if name in kernels.INTEGER_WINDOWS else rows * 1.0
    above, own, below = (table_of(part) for part in np.split(column, [3, 5]))
    halos = [plan._end([above], before)] if before else []
    halos += [plan._end([below], -after)] if after else []
    found = plan._reduce_windows((own, *halos), name, (before, after), 1, 1, 0.25)
    for number, result in enumerate(rows_of(found), 3):
        window = rows[max(number - before, 0) : number + after + 1].tolist()
        match name:
            case "sum" | "max":
                assert result == float({"sum": sum, "max": max}[name](window))
            case "mean":
                # The nearest float of the sum is divided.
                assert result == float(sum(window)) / len(window)
            case "quantile":
                assert result == np.quantile(window, 0.25)


LARGE = 2**62


@pytest.mark.parametrize(
    ("integers", "before"),
    [
        ([2**53, 1, -(2**53), 3], 0),
        ([2**53, 1, -(2**53), 3], 2**70 + 1),
        ([2**53, 1, -(2**53), 3], -(2**70) - 1),
        ([LARGE, LARGE, LARGE, 1], 0),
        ([-LARGE, -LARGE, -LARGE, -1], -(2**90)),
        ([-(2**63), 2**63 - 1, -(2**63), -1], 1),
        ([2**31, 2**32, 2**33 + 1, 2**34], 2**62),
        ([2**31, 2**32, 2**33 + 1, 2**34], 2**63 - 1),
    ],
)
def test_sums_of_integers_are_the_nearest_floats_of_any_size(integers, before):
    spans = [(0, 0), (0, 1), (0, 4), (1, 3), (2, 4), (3, 4)]
    begins, ends = np.array(spans).T
    found = kernels.sums_of_integers(np.array(integers), begins, ends, before)
    assert found.tolist() == [float(sum(integers[begin:end]) + before) for begin, end in spans]


def test_unsigned_integers_are_added_exactly():
    rows = np.array([2**64 - 1, 2**63, 5], np.uint64)
    found = kernels.sums_of_integers(rows, np.array([0, 1, 2]), np.array([3, 3, 3]))
    assert found.tolist() == [float(2**64 - 1 + 2**63 + 5), float(2**63 + 5), 5.0]


@pytest.mark.parametrize(
    ("parts", "width", "expected"),
    [
        ([[2**51]], 1, True), ([[2**51, 0, 0, 0]], 4, True), ([[2**51, 0, 0, 0, 0]], 5, False),
        ([[2**51 + 1, 0, 0, 0]], 4, False), ([[2**51, 0, 0]], 100, True), ([[], [-(2**53)]], 1, True),
        ([[1], [-(2**53)]], 2, False), ([[], []], 3, True), ([[2**53 + 1]], 1, False),
    ],
)  # fmt: skip
def test_floats_hold_sums_of_integers_up_to_2_to_the_53(parts, width, expected):
    assert kernels.are_exact_as_floats([np.array(part, np.int64) for part in parts], width) == expected


@pytest.mark.parametrize(("name", "least", "expected"), [
    ("sum", 0, [0, 3, 8]), ("sum", 1, [None, 3, 8]), ("sum", 2, [None, None, 8]), ("sum", 3, [None] * 3),
    ("mean", 0, [None, 3, 4]), ("mean", 1, [None, 3, 4]), ("mean", 2, [None, None, 4]), ("mean", 3, [None] * 3),
])  # fmt: skip
def test_windows_of_few_integers_are_missing(name, least, expected):
    begins, ends = np.array([0, 0, 0]), np.array([0, 1, 2])
    found = kernels.reduced_integers(name, np.array([3, 5]), begins, ends, least=least, before=(0, 0))
    assert [None if np.isnan(one) else one for one in found] == expected
    after = kernels.reduced_integers(name, np.array([3, 5]), begins, ends, least=least, before=(3, 12))
    wanted = [12, 15, 20] if name == "sum" else [4, 15 / 4, 4]
    assert after.tolist() == wanted


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("name", kernels.WINDOWS)
@pytest.mark.parametrize("least", [0, 1, 2])
@pytest.mark.parametrize("ddof", [0, 1, 2])
def test_expanding_and_moving_windows_of_few_rows_are_missing_as_in_pandas(name, least, ddof):
    rows = np.array([np.nan, 2.0, 4.0, np.nan, 9.0, 1.0])
    options = {"ddof": ddof} if name in ("var", "std") else {}
    series = pd.Series(rows)
    for found, windows in (
        (
            kernels.expanded_results(name, kernels.expanded_states(name, rows), least=least, ddof=ddof),
            series.expanding(least),
        ),
        (
            kernels.reduced_windows(name, np.append([np.nan] * 2, rows), 3, 0, least=least, ddof=ddof),
            series.rolling(3, least),
        ),
    ):
        wanted = getattr(windows, name)(**options)
        if name in ("var", "std"):
            # pandas gives 0/0 and worse where rows are no more than degrees of freedom.
            wanted = wanted.where(windows.count() > ddof)
        np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("name", kernels.WINDOWS)
def test_states_of_two_parts_are_merged_to_that_of_all_rows(monkeypatch, name):
    monkeypatch.setattr(tuning, "STEPS", 4)
    rows = np.array([3.0, np.nan, 5.0, 5.0, 1.0, 8.0, 8.0, 2.0, np.nan, 7.0])
    for cut in (1, 2, 4, 9):
        parts = [plan._total([table_of(part)], name) for part in np.split(rows, [cut])]
        merged = plan._merged_totals(*parts, name)
        whole = plan._total([table_of(rows)], name)
        np.testing.assert_allclose([part[0] for part in merged[0]], [part[0] for part in whole[0]], rtol=1e-12)
        later = plan._expand((table_of(rows[cut:]), parts[0]), name, 1, 1)
        at_once = plan._expand((table_of(rows), None), name, 1, 1)
        np.testing.assert_allclose(rows_of(later), rows_of(at_once)[cut:], rtol=1e-12)


def test_totals_of_integers_are_exact_and_partitions_without_rows_add_nothing():
    one, other = (plan._total([table_of(rows)], "sum") for rows in ([2**62, 2**62, 5], [2**62, -1]))
    assert one == {0: (3, 2**63 + 5)}
    merged = plan._merged_totals(one, other, "sum")
    assert merged == {0: (5, 2**63 + 2**62 + 4)}
    assert plan._total([table_of(np.empty(0))], "sum") is None
    assert plan._merged_totals(None, one, "sum") is one
    assert plan._merged_totals(one, None, "sum") is one
    found = plan._expand((table_of([3, 4]), merged), "mean", 6, 1)
    total = 2**63 + 2**62 + 4
    assert rows_of(found) == [(float(total + 3)) / 6, float(total + 7) / 7]
    assert np.isnan(rows_of(plan._expand((table_of([3]), None), "mean", 2, 1))).tolist() == [True]


@pytest.mark.parametrize("q", [0.0, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("least", [0, 1, 2])
@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_quantiles_of_windows_are_those_of_pandas(monkeypatch, q, least, at_once):
    monkeypatch.setattr(tuning, "WINDOW_VALUES", at_once)
    rows = np.array([np.nan, np.nan, np.nan, 4.0, 9.0, np.nan, 1.0, np.inf, -3.0])
    wanted = pd.Series(np.where(np.isfinite(rows), rows, np.nan)).rolling(3, max(least, 1)).quantile(q)[2:]
    np.testing.assert_allclose(kernels.window_quantiles(rows, 3, q, least=least), wanted)
    assert len(kernels.window_quantiles(rows[:2], 3, q, least=least)) == 0
    assert len(kernels.window_quantiles(rows[:3], 3, q, least=least)) == 1


# ---- running results


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("known", [None, 90])
def test_the_last_valid_row_fills_those_behind_it(backwards, known):
    rows, valid = [1, 2, 3, 4, 5], [False, True, False, True, False]
    table = table_of(rows, valid)
    before = None if known is None else table_of([known], [True])
    found = rows_of(plan._fill((table, before), backwards))
    expected = [2, 2, 4, 4, known or 5] if backwards else [known or 1, 2, 2, 4, 4]
    assert found == expected
    last = plan._last_valid([table], backwards)
    assert rows_of(last) == [2 if backwards else 4]
    assert plan._last_valid([table_of([1, 2], [False, False])], backwards) is None
    assert plan._latest(last, None) is last
    assert plan._latest(None, last) is last
    assert plan._latest(before, last) is last
    nothing = plan._fill((table_of([7, 8], [False, False]), before), backwards)
    assert rows_of(nothing) == ([7, 8] if known is None else [known, known])


@pytest.mark.parametrize("scan", ["cumsum", "cumprod", "cummin", "cummax", TOTAL])
@pytest.mark.parametrize("cuts", [[3], [1, 2], [2, 2, 5], [4, 6], [0, 7]])
def test_running_results_of_groups_go_on_across_partitions(scan, cuts):
    rows, groups = np.array([3, 1, 4, 1, 5, 9, 2]), np.array([0, 0, 0, 0, 0, 2, 2])
    before, found = None, []
    for part, some in zip(np.split(rows, cuts), np.split(groups, cuts), strict=True):
        table = table_of(part, some)
        found += rows_of(plan._run((table, before), scan))
        summary = plan._last_group([table], scan)
        before = summary[0] if before is None else plan._merged(before, summary, scan)
    grouped = pd.Series(rows).groupby(groups)
    assert found == getattr(grouped, "cumsum" if scan == TOTAL else scan)().tolist()
    assert (before[0], before[1]) == (2, found[-1])


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("scan", ["cumsum", "cumprod", "cummin", "cummax"])
def test_running_results_in_row_order_go_on_across_partitions(scan, backwards):
    rows, groups = np.array([3, 1, 4, 1, 5, 9, 2]), np.array([1, 0, -1, 1, 0, 0, 1])
    parts = [table_of(*columns) for columns in zip(np.split(rows, [2, 5]), np.split(groups, [2, 5]), strict=True)]
    before, found = None, []
    for part in parts[:: -1 if backwards else 1]:
        running = plan._run_in_order((part, before), scan, 3, backwards)
        assert rows_of(running, 1) == rows_of(part, 1)
        found.append(rows_of(running))
        before = plan._merged_states(before, plan._states_of_groups([part], scan, 3, backwards), scan)
    series = pd.Series(rows)[:: -1 if backwards else 1]
    wanted = getattr(series.groupby(pd.Series(groups)), scan)().sort_index()
    wanted[groups == -1] = rows[groups == -1]
    assert [row for part in found[:: -1 if backwards else 1] for row in part] == wanted.tolist()


def test_rows_before_rows_of_a_group_are_found_across_partitions():
    groups, positions = np.array([0, 1, 0, -1, 1, 0]), np.array([10, 11, 12, 13, 14, 15])
    before, found = None, []
    for columns in zip(np.split(groups, [2, 4]), np.split(positions, [2, 4]), strict=True):
        table = table_of(*columns)
        found += rows_of(plan._find_previous((table, before), 3))
        before = plan._later_rows(before, plan._last_rows_of_groups([table], 3))
    assert found == [-1, -1, 10, -1, 11, 12]
    assert before.tolist() == [15, 14, -1]


def test_recurrences_go_on_across_partitions():
    factors, terms = np.array([0.5, 0.25, 2.0, -1.0, 0.5]), np.array([8.0, 0.0, 1.0, 3.0, 2.0])
    value, wanted = 0.0, []
    for factor, term in zip(factors, terms, strict=True):
        wanted.append(value := factor * value + term)
    before, found = None, []
    for columns in zip(np.split(factors, [2, 2, 4]), np.split(terms, [2, 2, 4]), strict=True):
        table = table_of(*columns)
        done = plan._recur((table, before))
        found += rows_of(done, 1)
        assert rows_of(done) == columns[0].tolist()
        before = plan._continued(before, plan._last([table]))
    assert found == wanted
    assert before == (np.prod(factors), wanted[-1])


@pytest.mark.parametrize("name", kernels.SCANS)
def test_scans_go_on_from_earlier_results_into_given_memory(name):
    scan = kernels.SCANS[name]
    for rows in [3, 1, 4], [0.5, -0.0, 2.0], [True, False, True], np.array([2**64 - 1, 2, 3], np.uint64):
        column = np.array(rows)
        if column.dtype == np.bool_ and name in ("cummin", "cummax"):
            continue
        whole = (
            getattr(np, name)(column)
            if name in ("cumsum", "cumprod")
            else getattr(np, name[3:] + "imum").accumulate(column)
        )
        assert scan.accumulate(column, None).tolist() == whole.tolist()
        out = np.empty(2, whole.dtype)
        assert scan.accumulate(column[1:], whole[0], out) is out
        assert out.tolist() == whole[1:].tolist()
        assert len(scan.accumulate(column[:0], whole[0])) == 0


# ---- spans


def spans_of(groups, measure, **columns):
    return Table(
        {GROUP: np.array(groups), MEASURE: np.array(measure, np.int64), **{n: np.array(c) for n, c in columns.items()}},
        len(groups),
    )


FAR = 2**63 - 1


@pytest.mark.parametrize("with_bound", [False, True])
@pytest.mark.parametrize("span", [0, 1, 3, 2**40, FAR])
@pytest.mark.parametrize(
    "measure",
    [
        [0, 1, 3, 3, 6, 9],
        [-FAR, -FAR + 1, -1, 0, FAR - 3, FAR],
        [-FAR, FAR - 2, FAR - 1, 5, 6, 7],
        [-(2**62)] * 2 + [2**62] * 2 + [4, 4],
    ],
)
def test_windows_start_less_than_a_span_before_however_far_apart_rows_are(measure, span, with_bound):
    measure = [*sorted(measure[:4]), *sorted(measure[4:])]
    groups = [0, 0, 0, 0, 1, 1]
    found = kernels.span_starts(np.array(groups), np.array(measure, np.int64), span, with_bound=with_bound)
    for row, start in enumerate(found.tolist()):
        inside = [
            other for other in range(6)
            if groups[other] == groups[row]
            and (measure[row] - measure[other] <= span if with_bound else measure[row] - measure[other] < span)
        ]  # fmt: skip
        if inside and min(inside) <= row:
            assert start == min(inside)
        else:
            assert start > row or measure[start - 1] <= measure[row] - span


@pytest.mark.parametrize("ahead", [0, 1, 3, 2**40])
def test_windows_end_after_all_rows_no_more_than_a_distance_ahead(ahead):
    groups, measure = [0, 0, 0, 0, 1, 1], [0, 1, 3, 3, 2, 5]
    found = kernels.span_ends(np.array(groups), np.array(measure), ahead)
    assert found.tolist() == [
        1 + max(other for other in range(6) if groups[other] == groups[row] and measure[other] - measure[row] <= ahead)
        for row in range(6)
    ]


@pytest.mark.parametrize("width", [0, 1, 4, 10])
def test_blocks_are_cut_at_groups_and_at_multiples_of_a_width(width):
    groups, measure = [0, 0, 0, 0, 1, 1, 1], [-5, -1, 3, 4, 4, 7, 8]
    keys = [(group, row // max(width, 1)) for group, row in zip(groups, measure, strict=True)]
    expected = [sorted(set(keys)).index(key) for key in keys]
    assert kernels.span_blocks(np.array(groups), np.array(measure), width).tolist() == expected


def test_only_rows_that_later_windows_contain_are_handed_on():
    table = spans_of([0, 0, 1, 1, 1], [0, 5, 1, 4, 6])
    for span, with_bound, expected in (
        (2, False, [6]),
        (2, True, [4, 6]),
        (5, False, [4, 6]),
        (5, True, [1, 4, 6]),
        (99, True, [1, 4, 6]),
    ):
        assert rows_of(plan._span_end([table], span, with_bound), MEASURE) == expected
    for ahead, expected in ((0, [0]), (4, [0]), (5, [0, 5]), (99, [0, 5])):
        assert rows_of(plan._head([table], ahead), MEASURE) == expected
    earlier = spans_of([1, 1], [0, 3])
    assert rows_of(plan._span_further(earlier, spans_of([1], [5]), 3, False), MEASURE) == [3, 5]
    assert rows_of(plan._span_further(earlier, spans_of([2], [5]), 30, True), MEASURE) == [5]
    assert plan._span_further(None, earlier, 3, False) is earlier
    assert rows_of(plan._nearer(spans_of([1, 1], [5, 9]), spans_of([1], [3]), 2), MEASURE) == [3, 5]
    assert plan._nearer(None, earlier, 3) is earlier
    nothing = spans_of(np.empty(0, int), [])
    assert plan._span_end([nothing], 3, False).nrows == plan._head([nothing], 3).nrows == 0


def test_times_that_are_missing_or_in_no_order_are_refused():
    rows = spans_of([0, 0, 1], [3, 4, 1], x=[1.0, 2.0, 3.0])
    given = ("sum", 2, 1, 1, 0.5, False, True)
    assert rows_of(plan._reduce((rows, None), *given), "x") == [1.0, 3.0, 3.0]
    # The window of the first row reaches into the partition before, unless it is of another group.
    above = spans_of([0], [2], x=[10.0])
    assert rows_of(plan._reduce((rows, above), *given), "x") == [11.0, 3.0, 3.0]
    assert rows_of(plan._reduce((rows, spans_of([7], [2], x=[10.0])), *given), "x") == [1.0, 3.0, 3.0]
    with pytest.raises(ArgumentError, match="in the order of their times"):
        plan._reduce((rows, spans_of([0], [5], x=[10.0])), *given)
    with pytest.raises(ArgumentError, match="in the order of their times"):
        plan._reduce((spans_of([0, 0], [4, 3], x=[1.0, 2.0]), None), *given)
    with pytest.raises(ArgumentError, match="not missing"):
        plan._reduce((spans_of([0, 0], [plan.NOT_A_TIME, 3], x=[1.0, 2.0]), None), *given)
    # Windows of a partition that reach ahead take rows of the next one.
    below = spans_of([1], [2], x=[100.0])
    assert rows_of(plan._reduce((rows, above, below), *given, 1), "x") == [13.0, 3.0, 103.0]
    assert rows_of(plan._reduce((rows, above, below), "sum", 0, 1, 1, 0.5, False, True, 0), "x") == [1.0, 2.0, 3.0]


def test_windows_that_end_before_their_row_leave_equal_ones_out():
    rows = spans_of([0, 0, 0], [1, 3, 3], x=[1.0, 2.0, 4.0])
    found = plan._reduce((rows, None), "sum", 5, 0, 1, 0.5, False, False)
    assert rows_of(found, "x") == [0.0, 1.0, 1.0]
    found = plan._reduce((rows, None), "mean", 5, 0, 1, 0.5, False, False)
    np.testing.assert_array_equal(rows_of(found, "x"), [np.nan, 1.0, 1.0])


@pytest.mark.parametrize(("values", "is_blocked"), [(3, True), (4, False)])
def test_windows_of_many_rows_are_found_from_blocks(monkeypatch, values, is_blocked):
    # Twelve rows of all windows; three blocks, and the end of the last.
    monkeypatch.setattr(tuning, "BLOCK_VALUES", values)
    calls = []
    reduced = kernels._windows_reduced
    monkeypatch.setattr(kernels, "_windows_reduced", lambda *args: calls.append(args) or reduced(*args))
    blocks = np.array([0, 0, 1, 1, 2, 2])
    starts = np.array([0, 0, 0, 2, 3, 4])
    found = kernels._reduced_by_blocks(blocks, "sum", np.arange(6.0), starts, np.arange(1, 7), 1, 1, 0.5)
    assert found.tolist() == [0, 1, 3, 5, 7, 9]
    assert (not calls) == is_blocked


def test_types_of_results_follow_from_columns():
    assert {name: str(scan.types[INT64]) for name, scan in kernels.SCANS.items()} == {
        "cumsum": "int64", "cumprod": "int64", "cummin": "int64", "cummax": "int64",
    }  # fmt: skip
    assert kernels.SCANS["cumsum"].types[BOOL] == INT64


def test_plans_of_windows_tell_how_many_rows_they_are_of():
    for before, after, told in ((0, 0, "sum of 1 rows"), (2, 0, "sum of 3 rows"), (2, 3, "sum of 6 rows")):
        assert plan.Windows.describe(SimpleNamespace(name="sum", before=before, after=after)) == told
