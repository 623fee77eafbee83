from __future__ import annotations

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import AlignmentError, ArgumentError, MissingColumnError, SchemaError
from akdask.testing.strategies import partition_lengths, partitioned, two_arrays


def keys(plain):
    """Elements in a form in which all NaN are equal, as they are in pandas."""
    return ["nan" if isinstance(item, float) and np.isnan(item) else item for item in plain.tolist()]


def pairs(left, right):
    return [(i, j) for i, one in enumerate(keys(left)) for j, other in enumerate(keys(right)) if one == other]


@given(two_arrays())
def test_a_left_join_has_every_element_of_the_left(both):
    (left, plain_left), (right, plain_right) = both
    matched = pairs(plain_left, plain_right)
    alone = [(row, -1) for row in range(len(plain_left)) if row not in [first for first, _ in matched]]
    lefts, rights = dask.compute(*ak.left_join(left, right))
    assert list(zip(lefts.tolist(), rights.tolist(), strict=True)) == sorted(matched + alone)


def test_rows_of_several_arrays_are_left_joined():
    left = [ak.array([1, 1, 2]), ak.Categorical(ak.array(["a", "b", "a"]))]
    right = [ak.array([2, 1]), ak.Categorical(ak.array(["a", "b"]))]
    assert [found.tolist() for found in ak.join.left_join(left, right)] == [[0, 1, 2], [-1, 1, 0]]
    with pytest.raises(ArgumentError, match="as many arrays"):
        ak.left_join(left, [ak.array([1])])


@given(two_arrays())
def test_the_size_of_a_join_is_the_number_of_its_pairs(both):
    (left, plain_left), (right, plain_right) = both
    count = len(pairs(plain_left, plain_right))
    assert ak.compute_join_size(left, right) == (count, 16 * count)


ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(-9, 9)), min_size=1, max_size=15)


@given(ROWS, ROWS, st.integers(0, 5), st.data())
def test_pairs_are_kept_by_their_times(left, right, dt, data):
    sides = []
    for rows in (left, right):
        lengths = data.draw(partition_lengths(len(rows), 3))
        sides.append([partitioned(np.array(column), lengths) for column in zip(*rows, strict=True)])
    (a1, t1), (a2, t2) = sides
    tests = {"true_dt": lambda gap: True, "abs_dt": lambda gap: abs(gap) <= dt, "pos_dt": lambda gap: 0 <= gap <= dt}
    for pred, is_close in tests.items():
        wanted = [
            (i, j)
            for i, (one, first) in enumerate(left)
            for j, (other, second) in enumerate(right)
            if one == other and is_close(second - first)
        ]
        for limit in (1000, 3):
            found = ak.join_on_eq_with_dt(a1, a2, t1, t2, dt, pred, limit)
            assert list(zip(*(column.tolist() for column in found), strict=True)) == wanted[:limit]


def test_times_that_are_close_may_be_datetimes():
    keys, times = ak.array([1, 1]), ak.Datetime(["2020-01-01", "2020-01-03"])
    lefts, rights = ak.join_on_eq_with_dt(keys, keys, times, times, pd.Timedelta("1D"), "abs_dt")
    assert (lefts.tolist(), rights.tolist()) == ([0, 1], [0, 1])


def test_mistakes_in_joins_by_time_are_told():
    array = ak.arange(3)
    with pytest.raises(ArgumentError, match="no predicate"):
        ak.join_on_eq_with_dt(array, array, array, array, 1, "near")
    with pytest.raises(ArgumentError, match="result_limit"):
        ak.join_on_eq_with_dt(array, array, array, array, 1, "abs_dt", -1)


@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 9)), max_size=10), st.integers(1, 4), st.integers(1, 3))
def test_ranges_are_those_of_python_end_to_end(bounds, stride, count):
    starts, ends = (np.array([side(pair) for pair in bounds], np.int64) for side in (min, max))
    lengths = [len(part) for part in np.array_split(starts, count)]
    wanted = [range(start, end, stride) for start, end in zip(starts, ends, strict=True)]
    segments, ranges, sizes = ak.gen_ranges(partitioned(starts, lengths), partitioned(ends, lengths), stride, True)
    assert ranges.tolist() == [number for numbers in wanted for number in numbers]
    assert sizes.tolist() == list(map(len, wanted))
    assert segments.tolist() == [sum(map(len, wanted[:row])) for row in range(len(wanted))]


@pytest.mark.lazy_only
def test_mistakes_in_ranges_are_told():
    with pytest.raises(ArgumentError, match="stride"):
        ak.gen_ranges(ak.arange(2), ak.arange(2), 0)
    with pytest.raises(AlignmentError):
        ak.gen_ranges(ak.arange(2), ak.arange(3))
    with pytest.raises(ArgumentError, match="from 3 to 2 ends before it starts"):
        ak.gen_ranges(ak.array([1, 3]), ak.array([1, 2]))
    many = ak.arange(200_000)
    _, numbers = ak.gen_ranges(many, many[::-1])
    with pytest.raises(ArgumentError, match="ends before it starts"):
        numbers.compute()


LEFT = pd.DataFrame({"x": [1, 2, 3], "k": ["a", "b", "z"]}, index=["b", "c", "d"])
RIGHT = pd.DataFrame({"y": [10.0, 20.0, 30.0]}, index=["b", "a", "b"])


@pytest.mark.parametrize("how", ["left", "inner", "right", "outer"])
def test_frames_join_by_the_labels_of_their_rows(how):
    joined = ak.DataFrame(LEFT[["x"]]).join(ak.DataFrame(RIGHT), how=how, sort=True)
    wanted = LEFT[["x"]].join(RIGHT, how=how).sort_index(kind="stable")
    pd.testing.assert_frame_equal(joined.compute(), wanted.astype(joined.compute().dtypes), check_index_type=False)


def test_frames_without_labels_join_by_the_numbers_of_their_rows():
    left, right = ak.DataFrame({"x": [1, 2, 3]}), ak.DataFrame({"y": [10, 20]})
    assert left.join(right, how="inner").to_pandas().to_numpy().tolist() == [[1, 10], [2, 20]]
    assert left.join(right, how="anti").to_pandas()["x"].tolist() == [3]


def test_a_column_may_have_the_labels_of_the_other_frame():
    joined = ak.DataFrame(LEFT).join(ak.DataFrame(RIGHT), on="k")
    pd.testing.assert_frame_equal(joined.to_pandas(), LEFT.join(RIGHT, on="k"))


def test_columns_of_the_same_name_need_suffixes():
    frame = ak.DataFrame({"x": [1, 2]})
    assert frame.join(frame, lsuffix="_l", rsuffix="_r").columns == ["x_l", "x_r"]
    with pytest.raises(SchemaError):
        frame.join(frame)
    with pytest.raises(MissingColumnError):
        frame.join(frame, on="y")
