from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.dtypes import BOOL, INT64
from akdask.columns.summation import UNIT
from akdask.engine import sources, tuning
from akdask.engine.sources import Interval, RowPruning, leaves_few, near_rows, stretches_left, windows
from akdask.engine.values import Apply, BroadcastInput, ConstantRows, Load, Mask, Program, Range, Recall
from akdask.storage.source import Bounds, RowBounds, Stretch

OPERATIONS = {"less": np.less, "greater_equal": np.greater_equal, "equal": np.equal, "not_equal": np.not_equal}


def comparison(column, operation, bound):
    """Return the selection of the rows where a column compares so with a number."""
    apply = Apply(operation, (0, 1), {}, BOOL, (), None)
    steps = (Load(0, column, INT64), ConstantRows(np.int64(bound), None), apply)
    return Mask(Program(steps, (2,), (BOOL,)))


def bounds_of(values, starts):
    """Return the true bounds of stretches of rows."""
    parts = np.split(values, starts[1:])
    low, high = (np.array([side(part) for part in parts], np.int64) for side in (np.min, np.max))
    return RowBounds(np.array(starts, np.int64), Bounds(low, high, np.zeros(len(parts), np.bool_)))


@st.composite
def columns(draw):
    """Return columns in runs of some rows, and where stretches of known bounds begin in each."""
    runs = [UNIT * length for length in draw(st.lists(st.integers(1, 3), min_size=1, max_size=5))]
    found = {}
    for name in "ab":
        values = np.repeat(draw(st.lists(st.integers(0, 5), min_size=len(runs), max_size=len(runs))), runs)
        borders = draw(st.sets(st.integers(1, sum(runs) - 1), max_size=6))
        found[name] = values, [0, *sorted(borders)]
    return found


@given(data=st.data())
def test_rows_that_are_left_out_hold_for_no_filter(data):
    found = data.draw(columns())
    wanted = [
        (
            data.draw(st.sampled_from("ab")),
            data.draw(st.sampled_from(sorted(OPERATIONS))),
            data.draw(st.integers(-1, 6)),
        )
        for _ in range(data.draw(st.integers(1, 2)))
    ]
    nrows = len(found["a"][0])
    left = RowPruning([comparison(*item) for item in wanted]).ranges(
        nrows, (), lambda load, within: bounds_of(*found[load.column]) if len(within) else None
    )
    ranges = [(0, nrows)] if left is None else left.tolist()
    outside = np.ones(nrows, np.bool_)
    for start, stop in ranges:
        outside[start:stop] = False
    for column, operation, bound in wanted:
        outside &= OPERATIONS[operation](found[column][0], bound)
    assert not outside.any()
    assert all(start - stop >= UNIT for (_, stop), (start, _) in pairwise(ranges))


def test_rows_are_left_out_where_bounds_exclude_them():
    values = np.repeat([1, 2, 3], 2 * UNIT)
    pruning = RowPruning([comparison("a", "equal", 2)])
    known = bounds_of(values, [0, 2 * UNIT, 4 * UNIT])
    assert pruning.ranges(len(values), (), lambda *_: known).tolist() == [[2 * UNIT, 4 * UNIT]]
    assert pruning.ranges(len(values), (), lambda *_: None) is None
    assert pruning.ranges(0, (), lambda *_: known) is None


@pytest.mark.parametrize(
    ("starts", "values", "wanted"),
    [
        ([0], [2], [[0, 2], [4, 6]]), ([0, 5], [2, 2], [[0, 2], [4, 6]]), ([0, 5], [1, 2], [[5, 6]]),
        ([0, 5], [2, 1], [[0, 2], [4, 5]]), ([0, 1], [1, 2], [[1, 2], [4, 6]]), ([0, 3], [1, 2], [[4, 6]]),
        ([0, 3], [2, 1], [[0, 2]]), ([0, 2, 4], [1, 2, 1], []), ([0, 1, 5], [1, 2, 1], [[1, 2], [4, 5]]),
    ],
)  # fmt: skip
def test_ranges_are_cut_by_bounds_that_begin_anywhere(starts, values, wanted):
    bounds = Bounds(np.array(values), np.array(values), np.zeros(len(values), np.bool_))
    known = RowBounds(np.array(starts) * UNIT, bounds)
    ranges = np.array([[0, 2], [4, 6]]) * UNIT
    found = RowPruning([comparison("a", "equal", 2)])._left(ranges, ranges, (), lambda *_: known)
    assert (found // UNIT).tolist() == wanted


def test_bounds_are_not_asked_for_where_rows_are_counted_before():
    mask = comparison("a", "equal", 2)
    asked = []
    for selections in ([Range(0, 10, 2), mask], [mask, Range(0, 10, 2)], [mask]):
        RowPruning(selections).ranges(10, (), lambda *arguments: asked.append(arguments))
    assert len(asked) == 6
    RowPruning([Range(0, 10, 2), Range(0, 5, 1), mask]).ranges(10, (), lambda *arguments: asked.append(arguments))
    RowPruning([]).ranges(10, (), lambda *arguments: asked.append(arguments))
    assert len(asked) == 6


def test_what_is_known_anyway_comes_first():
    within = []
    pruning = RowPruning([comparison("a", "equal", 9)])
    known = bounds_of(np.arange(5), [0])
    left = pruning.ranges(5, (), lambda _, ranges: within.append(len(ranges)) or known)
    assert left.tolist() == []
    assert within == [0]


@given(data=st.data())
def test_stretches_that_are_left_have_all_rows_that_are(data):
    lengths = [UNIT * length for length in data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))]
    nrows, places = sum(lengths), np.cumsum([0, *lengths[:-1]]).tolist()
    borders = sorted(data.draw(st.sets(st.integers(0, nrows // UNIT - 1), max_size=5)))
    shift = data.draw(st.integers(0, UNIT - 1))
    left = np.array([[unit * UNIT + shift, unit * UNIT + shift + 1] for unit in borders], np.int64).reshape(-1, 2)
    # Rows are numbers of one byte that lie in a file with other bytes in front.
    stretches = [Stretch(5, 100 + place, count) for place, count in zip(places, lengths, strict=True)]
    found = stretches_left(stretches, left, 1)
    rows = [row for _, offset, count, _ in found for row in range(offset - 100, offset - 100 + count)]
    assert len(rows) == len(set(rows))
    assert set(left[:, 0].tolist()) <= set(rows)
    assert all((offset - 100) % UNIT == 0 for _, offset, _, _ in found)
    assert stretches_left(stretches, None, 1) is stretches


@given(st.integers(0, 50), st.integers(0, 50), st.integers(1, 20))
def test_windows_have_each_row_once(first, last, most):
    left = np.array([[3, 11], [14, 15], [20, 45]])
    rows = [row for start, stop in windows(left, first, last, most) for row in range(start, stop)]
    assert rows == [row for start, stop in left.tolist() for row in range(max(start, first), min(stop, last))]
    assert [pair for pair in windows(None, first, last, most) if pair[0] >= pair[1]] == []


@pytest.mark.parametrize(
    ("rows", "most", "ranges"),
    [
        ([1, 3, 9000, 9001], 2**14, [(0, 2), (2, 4)]), ([1, 4097], 2**14, [(0, 2)]),
        ([1, 4098], 2**14, [(0, 1), (1, 2)]),
        ([1, 3, 70_000], 2**16, [(0, 2), (2, 3)]), ([65_535, 65_536], 2**16, [(0, 1), (1, 2)]), ([], 8, []),
        ([5], 8, [(0, 1)]),
        ([7, 8, 9, 15, 16, 30], 8, [(0, 1), (1, 4), (4, 5), (5, 6)]),
        (range(0, 40, 2), 16, [(0, 8), (8, 16), (16, 20)]),
        # Rows that are more than one of sixteen are read together, with the gaps between them.
        ([0, *range(9000, 9600)], 2**14, [(0, 601)]), ([0, *range(9000, 9100)], 2**14, [(0, 1), (1, 101)]),
        (range(0, 33 * 5000, 5000), 2**20, [(0, 33)]),
    ],
)  # fmt: skip
def test_rows_that_are_near_are_read_together(rows, most, ranges):
    assert (tuning.NEAR_ROWS, tuning.FEW_ROWS_LEFT, tuning.MOST_READS) == (2**12, 16, 32)
    assert list(near_rows(np.array(rows, np.int64), most)) == ranges


@pytest.mark.parametrize(
    ("left", "nrows", "few"),
    [(None, 100, False), ([[0, 6]], 96, True), ([[0, 6]], 95, False), ([[0, 3], [50, 53]], 96, True), ([], 0, True)],
)
def test_few_rows_are_one_of_sixteen(left, nrows, few):
    assert leaves_few(None if left is None else np.array(left, np.int64).reshape(-1, 2), nrows) == few


def test_results_of_other_nodes_are_bounds_of_themselves():
    """Of a constant, a result of another node, a value that an earlier mask handed on, and a column without bounds."""
    x, other = Load(0, "x", INT64), Load(0, "y", INT64)
    less, is_both = (
        Apply(name, args, {}, BOOL, (), None) for name, args in (("less", (2, 1)), ("logical_and", (0, 3)))
    )
    first = Program(
        (x, BroadcastInput(1, "limit"), Apply("less", (0, 1), {}, BOOL, (), None)), (2,), (BOOL,), hands_on=((2, 7),)
    )
    second = Program(
        (Recall(7), ConstantRows(np.int64(30), None), x, less, is_both),
        (4,), (BOOL,),
    )  # fmt: skip
    columns = {x: Interval(np.array([0, 10, 20, 40]), np.array([9, 19, 29, 49]))}
    for limit, wanted in (
        (25, [True, True, True, False]),
        (10, [True, False, False, False]),
        (0, [False] * 4),
        (99, [True, True, True, False]),
    ):
        found = sources._holds([first, second], columns, [{}, {"limit": np.int64(limit)}])
        assert np.broadcast_to(found, 4).tolist() == wanted
    unknown = Program((other, x, Apply("less", (0, 1), {}, BOOL, (), None)), (2,), (BOOL,))
    assert sources._holds([unknown], columns, []) is None
    assert sources._holds([], columns, []) is None
    assert list(sources._compared(first)) == [x]
    assert list(sources._compared(unknown)) == [other, x]
    assert list(sources._compared(second)) == [x]


def test_constants_are_intervals_of_themselves():
    for value, low in (("a" * 20, b"a" * 16), ("é", "é".encode())):
        found = sources._of_constant(value)
        assert (found.low, found.high, found.exact, bool(found.nans)) == (low, low, False, False)
    assert sources._of_constant("\ud800") is None
    assert sources._of_constant(5) is None
    number = sources._of_constant(np.int64(5))
    assert (number.low, number.high, number.exact, bool(number.nans)) == (5, 5, True, False)
    assert bool(sources._of_constant(np.float64("nan")).nans)
