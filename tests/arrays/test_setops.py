from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.setops import contained
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.testing.strategies import partition_lengths, partitioned, two_arrays


def keys(plain):
    """Elements in a form in which all NaN are equal, as they are in pandas."""
    return ["nan" if isinstance(item, float) and np.isnan(item) else item for item in plain.tolist()]


def ascending(items):
    """Distinct elements in order: strings by their bytes, NaN last."""
    items = {("nan" if isinstance(item, float) and np.isnan(item) else item) for item in items}
    order = {"key": lambda item: (isinstance(item, str) and item == "nan", item if item != "nan" else 0)}
    if all(isinstance(item, str) for item in items) and items != {"nan"}:
        order = {"key": str.encode}
    return sorted(items, **order)


@given(two_arrays())
def test_elements_are_looked_for_among_others(both):
    (a, plain_a), (b, plain_b) = both
    expected = [item in set(keys(plain_b)) for item in keys(plain_a)]
    assert ak.in1d(a, b).tolist() == expected
    assert ak.in1d(a, b, invert=True).tolist() == [not item for item in expected]
    forth, back = ak.in1d(a, b, symmetric=True)
    assert (forth.tolist(), back.tolist()) == (expected, [item in set(keys(plain_a)) for item in keys(plain_b)])


@given(two_arrays(["int64", "uint64", "bool"]))
def test_sets_of_numbers_are_those_of_numpy(both):
    (a, plain_a), (b, plain_b) = both
    for name in ("intersect1d", "union1d", "setdiff1d", "setxor1d"):
        expected = getattr(np, name)(plain_a, plain_b)
        found = getattr(ak, name)(a, b).to_ndarray()
        np.testing.assert_array_equal(found, expected)
        assert found.dtype == plain_a.dtype
    np.testing.assert_array_equal(ak.in1d(a, b).to_ndarray(), np.isin(plain_a, plain_b))


@given(two_arrays())
def test_set_operations_give_distinct_elements_in_order(both):
    (a, plain_a), (b, plain_b) = both
    left, right = set(keys(plain_a)), set(keys(plain_b))
    for name, expected in {
        "intersect1d": left & right,
        "union1d": left | right,
        "setdiff1d": left - right,
        "setxor1d": left ^ right,
    }.items():
        assert keys(getattr(ak, name)(a, b).to_ndarray()) == ascending(expected), name


@given(two_arrays(), two_arrays(), st.data())
def test_rows_of_several_arrays_are_elements(first, second, data):
    sides = []
    for (_, one), (_, other) in zip(first, second, strict=True):
        rows = min(len(one), len(other))
        lengths = data.draw(partition_lengths(rows))
        sides.append(([partitioned(one[:rows], lengths), partitioned(other[:rows], lengths)],
                      list(zip(keys(one[:rows]), keys(other[:rows]), strict=True))))  # fmt: skip
    (a, rows_a), (b, rows_b) = sides
    assert ak.in1d(a, b).tolist() == [row in set(rows_b) for row in rows_a]
    both = ak.intersect1d(a, b)
    found = list(zip(*[keys(array.to_ndarray()) for array in both], strict=True))
    assert len(found) == len(set(found))
    assert set(found) == set(rows_a) & set(rows_b)
    assert len(ak.union1d(a, b)[0]) == len(set(rows_a) | set(rows_b))


@given(two_arrays(["str"]))
def test_categoricals_are_compared_by_their_labels(both):
    (a, plain_a), (b, plain_b) = both
    one, other = ak.Categorical(a), ak.Categorical(b)
    expected = [item in set(plain_b.tolist()) for item in plain_a.tolist()]
    assert ak.in1d(one, other).tolist() == ak.in1d(one, b).tolist() == ak.in1d(a, other).tolist() == expected
    assert sorted(ak.union1d(one, other).tolist()) == sorted({*plain_a.tolist(), *plain_b.tolist()})
    assert sorted(ak.setdiff1d(one, other).tolist()) == sorted({*plain_a.tolist()} - {*plain_b.tolist()})


def test_data_at_hand_are_looked_for_by_frames_and_refused_here():
    assert contained(ak.array([1, 2]), [2, 3]).tolist() == [False, True]
    assert contained(ak.array(["a"]), []).tolist() == [False]
    assert contained(ak.array([3, 1]), [3.0, 2.5]).tolist() == [True, False]
    for refuses in (ak.in1d, ak.union1d, ak.setdiff1d, ak.intersect1d, ak.setxor1d):
        with pytest.raises(ArgumentTypeError, match="takes a lazy array"):
            refuses(ak.array([3, 1]), [3.0, 2.5])


def test_numbers_of_several_types_are_compared_by_value():
    assert ak.in1d(ak.array([1, 2]), ak.array([2.0, 2.5])).tolist() == [False, True]
    assert ak.in1d(ak.array([True, False]), ak.array([1, 7])).tolist() == [True, False]


def test_strings_are_not_looked_for_among_numbers():
    with pytest.raises(ArgumentTypeError, match="cannot compare str with int64"):
        ak.in1d(ak.array(["a"]), ak.array([1]))


def test_both_sides_have_as_many_arrays():
    a = ak.array([1, 2])
    with pytest.raises(ArgumentError, match="as many arrays"):
        ak.in1d([a, a], [a])
    with pytest.raises(ArgumentError, match="as many arrays"):
        ak.union1d([a, a], [a])
    with pytest.raises(AlignmentError):
        ak.in1d([a, ak.array([1])], [a, a])


def test_a_mask_of_membership_shares_the_rows_of_what_was_asked():
    a = ak.arange(10)
    chosen = a[a > 4]
    mask = ak.in1d(chosen, ak.array([3, 7, 9]))
    assert chosen[mask].tolist() == [7, 9]
    assert int((chosen * mask).sum()) == 16


@pytest.mark.cluster
def test_sets_are_found_on_a_cluster(cluster_client):
    a = ak.concatenate([ak.arange(5), ak.arange(3, 9)])
    b = ak.concatenate([ak.array([4]), ak.arange(7, 12)])
    assert ak.intersect1d(a, b).tolist() == [4, 7, 8]
    assert ak.setxor1d(ak.cast(a, "str"), ak.cast(b, "str")).tolist() == sorted(map(str, [0, 1, 2, 3, 5, 6, 9, 10, 11]))


@given(two_arrays())
def test_what_two_arrays_have_in_common_is_found_in_both(both):
    (a, plain), (b, other) = both
    here, there = ak.intersect(a, b)
    assert here.tolist() == [item in keys(other) for item in keys(plain)]
    assert there.tolist() == [item in keys(plain) for item in keys(other)]
    assert len(ak.intersect(a, b, positions=False)) == len(set(keys(plain)) & set(keys(other)))


def test_rows_that_another_frame_has_are_found():
    a = ak.DataFrame({"x": ak.arange(5), "s": list("abcde")})
    b = ak.DataFrame({"x": [4, 0, 2], "s": ["e", "b", "c"]})
    assert ak.intx(a, b).tolist() == [False, False, True, False, True]
    for other, error in ((b[["s", "x"]], ArgumentError), (b[["x"]], ArgumentError), (5, ArgumentTypeError)):
        with pytest.raises(error):
            ak.intx(a, other)
    with pytest.raises(ArgumentError):
        ak.intx(ak.DataFrame(), ak.DataFrame())
