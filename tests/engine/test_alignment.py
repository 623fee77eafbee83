"""Columns that filters have left combine by position if as many rows are left, which is counted where they meet."""

import operator

import numpy as np
import pytest

import akdask as ak
from akdask.errors import AlignmentError
from akdask.testing.memory import MemorySource

VALUES = np.arange(24) * 7 % 24
LOW, HIGH = VALUES < 10, VALUES >= 14


@pytest.fixture(params=[[24], [5, 0, 11, 8]], ids=["1 partition", "4 partitions"])
def source(request):
    # Plans of equal sources share their nodes; each test is to see its own reads.
    return MemorySource({"x": VALUES, "s": [f"s{v % 5}" for v in VALUES]}, request.param, request.node.name)


@pytest.fixture
def both(source):
    """Return what two filters leave of a column: as many rows, in other places."""
    x = source.arrays()["x"]
    return x[x < 10], x[x >= 14]


@pytest.mark.parametrize("name", ["add", "eq", "floordiv", "lt", "iadd"])
def test_operators_combine_what_different_filters_have_left(both, name):
    low, high = both
    wanted = getattr(operator, name)(VALUES[LOW], VALUES[HIGH])
    assert np.array_equal(getattr(operator, name)(low, high).to_ndarray(), wanted)


def test_rows_are_counted_once(source):
    x = source.arrays()["x"]
    low, high = x[x < 10], x[x >= 14]
    low + high
    reads = len(source.reads)
    assert reads == 2 * len([length for length in source.lengths if length])
    low * high, low == high
    assert len(source.reads) == reads


def test_rows_of_one_filter_are_not_counted(source):
    x = source.arrays()["x"]
    x[x < 10] + (x * 2)[x < 10]
    assert source.reads == []


def test_distinct_values_compare_with_an_array_at_hand(source):
    words, counts = ak.value_counts(source.arrays()["s"])
    wanted, times = np.unique([f"s{v % 5}" for v in VALUES], return_counts=True)
    assert (words == ak.array(wanted)).all()
    assert (counts == times).all()
    assert (ak.unique(source.arrays()["x"]) + ak.arange(24)).tolist() == (np.arange(24) * 2).tolist()


def test_sorted_rows_combine_with_rows_as_they_were(source):
    x = source.arrays()["x"]
    assert (ak.sort(x) - x).tolist() == (np.arange(24) - VALUES).tolist()


def test_where_and_choices_take_what_different_filters_have_left(both):
    low, high = both
    a, b = VALUES[LOW], VALUES[HIGH]
    assert ak.where(low > 4, high, low).tolist() == np.where(a > 4, b, a).tolist()
    assert ak.power(low, 2, where=high > 17).tolist() == np.where(b > 17, a**2, a).tolist()
    assert low[high > 17].tolist() == a[b > 17].tolist()


def test_frames_groups_and_keys_are_made_of_what_different_filters_have_left(both):
    low, high = both
    a, b = VALUES[LOW], VALUES[HIGH]
    frame = ak.DataFrame({"a": low, "b": high})
    frame["c"] = high - low
    assert frame["c"].tolist() == (b - a).tolist()
    _, sums = ak.GroupBy([low % 2, high % 3]).sum(high)
    wanted = [b[(a % 2 == i) & (b % 3 == j)].sum() for i in range(2) for j in range(3)]
    assert sums.tolist() == [total for total in wanted if total]
    assert ak.coargsort([low % 2, high]).tolist() == np.lexsort([b, a % 2]).tolist()
    assert ak.in1d([low, high], [high, low]).tolist() == [False] * 10


def test_lists_and_concatenations_are_made_of_what_different_filters_have_left(both):
    low, high = both
    assert ak.concatenate([low, high]).tolist() == [*VALUES[LOW], *VALUES[HIGH]]
    starts = ak.arange(24)[ak.arange(24) % 5 == 0]
    lists = ak.SegArray(starts[starts < 10], high)
    assert lists.tolist() == [VALUES[HIGH][:5].tolist(), VALUES[HIGH][5:].tolist()]


def test_rows_of_other_numbers_are_refused_where_they_meet(source):
    x = source.arrays()["x"]
    with pytest.raises(AlignmentError, match=r"10 rows in (.|\n)*24 rows in "):
        x[x < 10] + x
    with pytest.raises(AlignmentError, match="column 'b' has 11 rows, 'a' has 10"):
        ak.DataFrame({"a": x[x < 10], "b": x[x >= 13]})


def test_rows_that_are_known_to_differ_are_not_counted(source):
    x = source.arrays()["x"]
    with pytest.raises(AlignmentError):
        ak.sort(x) + x[:3] + x[x < 10]
    assert len(source.reads) == 0
