"""Edges of numbers and of partitions at which a small slip gives a wrong answer without an error."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, AlignmentError
from akdask.testing.strategies import partitioned

NAN = np.nan


def parts(values, *lengths):
    """Return an array in partitions of the given lengths."""
    return partitioned(np.asarray(values), list(lengths))


def test_slices_of_rows_of_other_numbers_meet_by_position():
    left, right = ak.arange(5)[1:3], ak.arange(7)[1:3]
    assert (left + right).tolist() == [2, 4]
    assert (ak.arange(5)[0:2] + ak.arange(7)[5:7]).tolist() == [5, 7]


def test_masks_of_rows_that_only_look_alike_do_not_align():
    a, b = ak.arange(6), ak.arange(9)
    with pytest.raises(AlignmentError, match="do not share rows"):
        _ = a[a > 2] + b[b > 2]


@pytest.mark.parametrize("block_size", [2**5, 2**8, 2**21])
def test_ranks_of_equal_values_in_several_blocks_go_by_position(block_size):
    rows = np.array([3, 1, 1, 2, 1, 3, 1, 0, 3, 1, 2, 3, 0, 1, 3, 2] * 8)
    with ak.config.set(block_size=block_size):
        array = parts(rows, 50, 30, 48)
        for count in (1, 3, 20, 60):
            ascending = np.argsort(rows, kind="stable")
            assert ak.argmink(array, count).tolist() == ascending[:count].tolist()
            assert ak.mink(array, count).tolist() == rows[ascending[:count]].tolist()
            # Of equal values the last ones are the largest, as in a stable sort.
            assert ak.argmaxk(array, count).tolist() == ascending[-count:].tolist()
            assert ak.maxk(array, count).tolist() == rows[ascending[-count:]].tolist()


@pytest.mark.parametrize("highest", [3, 2**20, 2**50])
@pytest.mark.parametrize("block_size", [2**7, 2**21])
def test_sorts_of_repeated_keys_of_unlike_partitions_keep_their_order(highest, block_size):
    generator = np.random.default_rng(highest)
    keys = np.concatenate([generator.integers(0, 3, 500), generator.integers(0, highest, 700), np.zeros(300, int)])
    with ak.config.set(block_size=block_size):
        array = parts(keys, 500, 700, 300)
        order = ak.argsort(array)
        assert order.tolist() == np.argsort(keys, kind="stable").tolist()
        assert array[order].tolist() == np.sort(keys).tolist()
        whole = ak.sort(array)
        assert whole.tolist() == np.sort(keys).tolist()
        assert whole.size == len(keys) == len(whole.to_ndarray())


@pytest.mark.parametrize(
    "pieces",
    [
        ([1.0, NAN], [NAN, 0.5]),
        ([1.0], [NAN], [NAN]),
        ([2.0, 3.0], [2.0], [NAN, 1.0]),
        ([NAN], [NAN, 1.0]),
        ([5.0, 1.0], [1.0, 5.0]),
        ([], [NAN, 4.0], [4.0]),
    ],
)
def test_positions_of_extremes_are_those_of_numpy_whatever_is_missing(pieces):
    rows = np.concatenate([np.array(piece, float) for piece in pieces])
    array = parts(rows, *map(len, pieces))
    assert array.argmin() == np.argmin(rows)
    assert array.argmax() == np.argmax(rows)
    np.testing.assert_array_equal([float(array.min()), float(array.max())], [rows.min(), rows.max()])


@pytest.mark.parametrize("ddof", [0, 1, 2, 3, 5])
def test_the_variance_of_fewer_filtered_rows_than_it_takes_is_that_of_pandas(ddof):
    rows = np.array([1.0, 2.0, 4.0, 9.0, 7.0])
    array = parts(rows, 2, 2, 1)
    found = array[array > 3].var(ddof=ddof)
    with np.errstate(all="ignore"):
        chosen = rows[rows > 3]
        expected = np.sum((chosen - chosen.mean()) ** 2) / np.float64(max(len(chosen) - ddof, 0))
    np.testing.assert_allclose(float(found), expected)


def test_unsigned_numbers_stay_unsigned_beside_plain_ones():
    rows = np.array([0, 2**63 + 1, 2**64 - 1], np.uint64)
    for made in (ak.array(rows) + 0, 0 + ak.array(rows), ak.array(rows) * 1, ak.array(rows) - 0):
        assert made.dtype == np.uint64
        assert made.tolist() == rows.tolist()
    assert (ak.array(rows) - 1).tolist()[1] == 2**63
    assert (ak.array(rows) + -1).dtype == np.float64
    assert (ak.array(rows) == 2**63 + 1).tolist() == [False, True, False]
    assert (ak.array(rows) > 2**63).tolist() == [False, True, True]


def test_negative_integers_of_64_bits_go_around_where_they_are_assigned_to_unsigned_ones():
    unsigned = ak.array(np.arange(3, dtype=np.uint64))
    unsigned[0], unsigned[1], unsigned[2] = -1, -(2**63), 0
    assert unsigned.tolist() == [2**64 - 1, 2**63, 0]
    with pytest.raises(AkdaskError):
        unsigned[0] = -(2**63) - 1


def test_a_float_that_is_no_int64_cannot_be_assigned_to_integers():
    for value in (2.0**63, -(2.0**64), NAN, np.inf, 0.5):
        rows = ak.arange(3)
        try:
            rows[0] = value
        except AkdaskError:
            assert rows.tolist() == [0, 1, 2]
        else:
            pytest.fail(f"{value} became {rows.tolist()}")
    rows = ak.arange(3)
    rows[0] = 2.0**62
    assert rows.tolist() == [2**62, 1, 2]


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_groups_with_nan_in_any_key_are_dropped(missing):
    keys = [np.array([1.0, 1.0, 2.0, 2.0]), np.array([3.0, 3.0, 3.0, 4.0]), np.array([5.0, 6.0, 5.0, 5.0])]
    keys[missing][2] = NAN
    found = ak.GroupBy([parts(key, 3, 1) for key in keys], dropna=True).size()
    expected = pd.DataFrame(dict(enumerate(keys))).groupby([0, 1, 2], dropna=True).size()
    assert found[1].tolist() == expected.tolist()
    assert list(zip(*(key.tolist() for key in found[0]), strict=True)) == expected.index.tolist()
    kept = ak.GroupBy([parts(key, 3, 1) for key in keys], dropna=False).size()
    assert kept[1].tolist() == pd.DataFrame(dict(enumerate(keys))).groupby([0, 1, 2], dropna=False).size().tolist()


@pytest.mark.parametrize("freq", ["s", "min", "h", "D"])
def test_times_halfway_are_rounded_to_the_even_one(freq):
    step = pd.Timedelta(1, unit=freq)
    times = pd.to_datetime([step.value * number // 2 + off for number in range(-7, 8) for off in (-1, 0, 1)])
    found = ak.Datetime(ak.array(times.to_numpy()))
    for how in ("round", "floor", "ceil"):
        assert getattr(found, how)(freq).to_ndarray().tolist() == getattr(times, how)(freq).to_numpy().tolist()


def test_many_long_strings_that_differ_in_the_middle_are_different():
    middles = np.arange(400_000)
    strings = [f"sixteen letters,{number:012d}the end." for number in middles.tolist()]
    array = ak.array(strings)
    keys, sizes = ak.GroupBy(array).size()
    assert keys.size == len(strings)
    assert int(sizes.max()) == 1


# ----------------------------------------------------------------------------------------------- more of the same kind


@pytest.mark.parametrize("step", [1, 2, 3, 7])
def test_slices_across_partitions_have_neither_a_row_more_nor_less(step):
    rows = np.arange(40)
    array = parts(rows, 7, 0, 13, 1, 19)
    for start in (0, 1, 6, 7, 19, 20, 21, 39, 40):
        for stop in (start, start + 1, 7, 20, 21, 39, 40):
            assert array[start:stop:step].tolist() == rows[start:stop:step].tolist()
            assert int(array[start:stop:step].sum()) == rows[start:stop:step].sum()


def test_slices_of_filtered_rows_have_neither_a_row_more_nor_less():
    rows = np.arange(40)
    array = parts(rows, 7, 0, 13, 1, 19)
    chosen = rows[rows % 3 > 0]
    for start in (0, 1, 4, 13, 25):
        for stop in (start, start + 1, 13, 26):
            found = array[array % 3 > 0][start:stop]
            assert found.tolist() == chosen[start:stop].tolist()
            assert int(found.sum()) == chosen[start:stop].sum()


def test_every_extreme_may_lie_at_either_end_of_a_partition():
    for position in range(9):
        rows = np.zeros(9)
        rows[position] = -1
        array = parts(rows, 3, 3, 3)
        assert (array.argmin(), float(array.min())) == (position, -1.0)
        assert ((-array).argmax(), float((-array).max())) == (position, 1.0)


def test_sortedness_is_seen_across_partitions():
    assert ak.is_sorted(parts([1, 2, 2, 3], 2, 2))
    assert not ak.is_sorted(parts([1, 3, 2, 4], 2, 2))
    assert not ak.is_sorted(parts([1, 2, 1], 2, 0, 1))


def test_running_sums_go_on_over_partitions_that_are_empty():
    rows = np.array([1.5, 2.0, -1.0, 4.0])
    assert ak.cumsum(parts(rows, 1, 0, 2, 0, 1)).tolist() == np.cumsum(rows).tolist()
    assert ak.cumprod(parts(rows, 0, 2, 2)).tolist() == np.cumprod(rows).tolist()


def test_sorts_of_several_keys_are_stable_in_each():
    generator = np.random.default_rng(2)
    first, second = generator.integers(0, 3, 300), generator.integers(0, 4, 300).astype(float)
    second[::17] = NAN
    order = ak.coargsort([parts(first, 100, 150, 50), parts(second, 100, 150, 50)])
    assert order.tolist() == np.lexsort((second, first)).tolist()


def test_means_and_products_of_groups_leave_nan_out_or_not():
    keys, rows = np.array([1, 1, 2, 2, 3]), np.array([1.0, NAN, 3.0, 4.0, NAN])
    groups = ak.GroupBy(parts(keys, 2, 3))
    frame = pd.DataFrame({"k": keys, "x": rows}).groupby("k")["x"]
    for name in ("sum", "mean", "prod", "min", "max", "count", "var"):
        found = getattr(groups, name)(parts(rows, 2, 3))[1].to_ndarray()
        np.testing.assert_allclose(found, getattr(frame, name)().to_numpy(), err_msg=name)
    for name, expected in (("sum", [NAN, 7, NAN]), ("mean", [NAN, 3.5, NAN]), ("max", [NAN, 4, NAN])):
        np.testing.assert_array_equal(getattr(groups, name)(parts(rows, 2, 3), skipna=False)[1].to_ndarray(), expected)


def test_integers_wrap_alike_in_every_kind_of_sum():
    rows = np.array([2**62, 2**62, 2**62, 5])
    array = parts(rows, 2, 2)
    wrapped = int(rows.sum())
    assert int(array.sum()) == wrapped
    assert ak.GroupBy(parts([1, 1, 1, 1], 2, 2)).sum(array)[1].tolist() == [wrapped]
    assert ak.cumsum(array).tolist() == np.cumsum(rows).tolist()


def test_the_least_integer_has_no_absolute_value_and_is_still_the_least():
    least = -(2**63)
    array = parts([least, 0, 2**63 - 1], 1, 2)
    assert (int(array.min()), int(array.max()), array.argmin()) == (least, 2**63 - 1, 0)
    assert ak.abs(array).tolist() == [least, 0, 2**63 - 1]
    assert ak.sort(array).tolist() == [least, 0, 2**63 - 1]


def test_zeros_of_either_sign_are_one_key_and_nan_are_one():
    rows = parts([0.0, -0.0, NAN, NAN, 1.0], 2, 2, 1)
    assert ak.unique(rows).size == 3
    assert ak.GroupBy(rows, dropna=False).size()[1].tolist() == [2, 1, 2]


def test_numbers_beyond_those_of_float64_are_told_apart():
    rows = np.array([2**53, 2**53 + 1, 2**53 + 2])
    array = parts(rows, 1, 2)
    assert ak.unique(array).size == 3
    assert ak.GroupBy(array).size()[0].tolist() == rows.tolist()
    assert (array == 2**53 + 1).tolist() == [False, True, False]
    assert ak.in1d(array, ak.array([2**53 + 1])).tolist() == [False, True, False]


@pytest.mark.parametrize("dtype", [bool, np.uint8])
@pytest.mark.parametrize("name", ["mean", "sum", "var"])
def test_narrow_numbers_that_most_filters_leave_are_added_up(name, dtype):
    rows, first, second = np.arange(13) % 3, np.arange(13) != 4, np.arange(13) != 7
    lazy, is_first, is_second = parts(rows.astype(dtype), 13), parts(first, 13), parts(second, 13)
    left = rows.astype(dtype)[first & second]
    with ak.config.set(optimize=False):
        found = getattr(lazy[is_first][is_second[is_first]][1:], name)()
        assert found == pytest.approx(getattr(left[1:], name)())


def test_divmod_refuses_zeros_among_divisors_in_memory_unless_some_are_left_out():
    divisors = np.array([2, 0, 3])
    with pytest.raises(ZeroDivisionError, match="where="):
        ak.divmod(ak.array([5, 6, 7]), ak.array(divisors))
    quotients, remainders = ak.divmod(ak.array([5, 6, 7]), ak.array(divisors), where=ak.array(divisors) != 0)
    assert (quotients.tolist(), remainders.tolist()) == ([2, 6, 2], [1, 6, 1])
    quotients, remainders = ak.divmod(ak.array([5, 6, 7]), ak.arange(3))
    assert (quotients.tolist(), remainders.tolist()) == ([0, 6, 3], [0, 0, 1])


def test_text_is_not_read_as_numbers_by_array():
    with pytest.raises(TypeError, match=r"ak\.cast"):
        ak.array(ak.array(["1", "2"]), dtype="int64")
    assert ak.array(ak.array(["1", "2"]), dtype=str).tolist() == ["1", "2"]
    with pytest.raises(TypeError, match="several elements"):
        ak.array(np.array("a"))
