"""Arrays of integers of any size, as users have them, against Python's own integers."""

from bisect import bisect_left

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.setops import contained
from akdask.arrays.sorting import insertion_points
from akdask.errors import ArgumentError, ArgumentTypeError, SchemaError
from tests.thresholds import small_data_as_large

NUMBERS = [2**64 - 1, 2**64, 2**200, 0, 1]


@pytest.fixture(params=[1, 3])
def lazy(request):
    pieces = [ak.array(NUMBERS)] if request.param == 1 else [ak.array(NUMBERS[k : k + 2]) for k in (0, 2, 4)]
    return ak.concatenate([piece.astype(ak.bigint) for piece in pieces])


def test_large_ints_make_integers_of_any_size(lazy):
    assert lazy.dtype == ak.bigint
    assert (lazy.max_bits, lazy.size, lazy.tolist()) == (-1, 5, NUMBERS)
    assert lazy.to_ndarray().dtype == object
    assert list(lazy) == NUMBERS
    assert lazy[2] == 2**200
    assert "1606938044258990275541962092341162602522202993782792835301376" in repr(lazy)
    assert ak.array([-1, 2**63]).tolist() == [-1, 2**63]
    assert ak.array(np.array([2**70], object)).tolist() == [2**70]
    assert ak.array([1.5, 2]).dtype == np.float64


def test_a_limit_takes_integers_modulo_a_power(lazy):
    limited = ak.array(NUMBERS, max_bits=64)
    assert (limited.max_bits, limited.tolist()) == (64, [n % 2**64 for n in NUMBERS])
    assert (limited + 1).tolist() == [(n + 1) % 2**64 for n in NUMBERS]
    assert (limited - 1).max_bits == 64
    assert (limited * lazy).tolist() == [n % 2**64 * n % 2**64 for n in NUMBERS]
    assert (limited << 60).tolist() == [(n << 60) % 2**64 for n in NUMBERS]
    assert (limited**3).tolist() == [pow(n, 3, 2**64) for n in NUMBERS]
    assert int(limited.sum()) == sum(n % 2**64 for n in NUMBERS) % 2**64
    assert int((limited + 3).prod()) == (2 * 3 * 3 * 3 * 4) % 2**64
    assert ak.array([1, -1], dtype=ak.bigint, max_bits=8).tolist() == [1, 255]
    before = lazy * 1
    lazy.max_bits = 65
    assert (lazy.tolist(), before.tolist()) == ([n % 2**65 for n in NUMBERS], NUMBERS)
    lazy.max_bits = -1
    assert lazy.max_bits == -1
    with pytest.raises(ArgumentTypeError):
        ak.arange(3).max_bits = 5


def test_operations_on_bits_need_a_limit(lazy):
    limited = ak.array(NUMBERS, dtype=ak.bigint, max_bits=80)
    assert (~limited).tolist() == [~(n % 2**80) % 2**80 for n in NUMBERS]
    small, counts = ak.array([1, 2, 3]), ak.array([1, 69, 70], dtype=ak.bigint, max_bits=70)
    assert ak.rotl(small, counts).tolist() == [2, 1, 3]
    assert ak.rotr(small, counts).tolist() == [2**69, 4, 3]
    for refused in (lambda: ~lazy, lambda: ak.rotl(lazy, 3), lambda: small.rotr(lazy[:3])):
        with pytest.raises(TypeError, match="max_bits"):
            refused()


@pytest.mark.parametrize(("mine", "other"), [(-1, 70), (80, -1), (70, 80), (80, 70)])
def test_in_place_the_limit_of_the_array_that_changes_holds(mine, other):
    changed = ak.array([2**70 - 1, 3], dtype=ak.bigint, max_bits=mine)
    changed += ak.array([2**69, 4], dtype=ak.bigint, max_bits=other)
    total = 2**70 - 1 + 2**69
    assert changed.max_bits == mine
    assert changed.tolist() == [total if mine < 0 else total % 2**mine, 7]
    integers = ak.array([1, 2])
    with pytest.raises(RuntimeError, match="from int64 to bigint"):
        integers += changed


def test_arithmetic_goes_with_other_numbers(lazy):
    steps = ak.arange(5)
    assert (lazy + steps).tolist() == [n + k for k, n in enumerate(NUMBERS)]
    assert (2**70 - steps).tolist() == [2**70 - k for k in range(5)]
    assert (lazy // 7).tolist() == [n // 7 for n in NUMBERS]
    assert (lazy % steps).tolist() == [0, *[n % k for k, n in enumerate(NUMBERS) if k]]
    assert (lazy / 2).tolist() == [n / 2 for n in NUMBERS]
    assert (lazy * 0.5).dtype == np.float64
    assert ((lazy & 0xFF) | (lazy ^ 3)).tolist() == [(n & 0xFF) | (n ^ 3) for n in NUMBERS]
    assert (lazy > 2**64).tolist() == [n > 2**64 for n in NUMBERS]
    assert (lazy == steps).tolist() == [False] * 5
    assert lazy[lazy > 1].tolist() == [n for n in NUMBERS if n > 1]
    assert ak.where(lazy > 1, lazy, -1).tolist() == [n if n > 1 else -1 for n in NUMBERS]
    with pytest.raises(ArgumentTypeError):
        lazy & 1.5
    with pytest.raises(ArgumentTypeError):
        ak.sqrt(lazy)


def test_reductions_are_exact(lazy):
    assert (int(lazy.sum()), int(lazy.min()), int(lazy.max())) == (sum(NUMBERS), 0, 2**200)
    assert isinstance(lazy.sum().value(), ak.bigint_)
    assert (int(lazy.argmax()), int(lazy.argmin()), int(lazy.nunique())) == (2, 3, 5)
    assert (bool(lazy.any()), bool(lazy.all()), bool(lazy.is_sorted())) == (True, False, False)
    assert float(lazy.mean()) == sum(NUMBERS) / 5
    assert (lazy - lazy.max()).tolist() == [n - 2**200 for n in NUMBERS]
    assert lazy.sum().item() == sum(NUMBERS)
    with pytest.raises(ArgumentTypeError):
        lazy.var()


def test_casts(lazy):
    assert lazy.astype("uint64").tolist() == [n % 2**64 for n in NUMBERS]
    assert lazy.astype(str).tolist() == list(map(str, NUMBERS))
    assert ak.array([str(n) for n in NUMBERS]).astype(ak.bigint).tolist() == NUMBERS
    assert ak.cast(ak.array(["x", "0x10"]), ak.bigint, errors="ignore").tolist() == [0, 16]
    assert ak.arange(3).astype("bigint").tolist() == [0, 1, 2]
    assert ak.array([True, False]).astype(ak.bigint).tolist() == [1, 0]


def test_limbs_are_taken_apart_and_put_together(lazy):
    limbs = lazy.bigint_to_uint_arrays()
    assert [limb.dtype for limb in limbs] == [np.uint64] * 4
    assert [limb.tolist() for limb in limbs] == [[n >> 64 * k & (2**64 - 1) for n in NUMBERS] for k in (3, 2, 1, 0)]
    assert ak.bigint_from_uint_arrays(limbs).tolist() == NUMBERS
    assert ak.bigint_from_uint_arrays(limbs, max_bits=65).tolist() == [n % 2**65 for n in NUMBERS]
    assert lazy.slice_bits(63, 64).tolist() == [n >> 63 & 3 for n in NUMBERS]
    with pytest.raises(SchemaError, match="max_bits"):
        (lazy - 1).bigint_to_uint_arrays()
    for wrong in (lambda: ak.bigint_from_uint_arrays([ak.arange(2)]), ak.arange(2).bigint_to_uint_arrays):
        with pytest.raises(ArgumentTypeError):
            wrong()
    with pytest.raises(ArgumentError, match="of one size"):
        ak.bigint_from_uint_arrays([limbs[0], limbs[0][:1]])
    assert (ak.bigint_from_uint_arrays([]).dtype, ak.bigint_from_uint_arrays([]).tolist()) == (ak.bigint, [])
    with pytest.raises(ArgumentError):
        lazy.slice_bits(3, 2)


def test_arrays_are_created_of_them():
    assert ak.arange(2**64, 2**64 + 3).tolist() == [2**64, 2**64 + 1, 2**64 + 2]
    assert ak.arange(5, max_bits=2).tolist() == [0, 1, 2, 3, 0]
    for made, expected in [
        (ak.zeros(2, ak.bigint, max_bits=3), [0, 0]),
        (ak.ones(2, ak.bigint), [1, 1]),
        (ak.full(2, 2**70), [2**70] * 2),
        (ak.full(2, 9, ak.bigint, max_bits=3), [1, 1]),
        (ak.zeros_like(ak.full(2, 2**70)), [0, 0]),
        (ak.full_like(ak.array([1], max_bits=3), 9), [1]),
    ]:
        assert (made.tolist(), made.dtype) == (expected, ak.bigint)


def test_rows_are_assigned_and_joined(lazy):
    lazy[0] = 7
    lazy[ak.array([1, 2])] = ak.array([2**100, 3])
    assert lazy.tolist() == [7, 2**100, 3, 0, 1]
    lazy += 1
    assert lazy.tolist() == [8, 2**100 + 1, 4, 1, 2]
    limited = ak.concatenate([ak.array([2**70]), ak.array([5], max_bits=8)])
    assert (limited.tolist(), limited.max_bits) == ([2**70 % 2**8, 5], 8)
    with pytest.raises(ArgumentTypeError):
        lazy[0] = 1.5


def test_bits_are_counted(lazy):
    limited = ak.array([0, 1, 2**69], max_bits=70)
    assert ak.popcount(lazy).tolist() == [n.bit_count() for n in NUMBERS]
    assert ak.clz(limited).tolist() == [70, 69, 0]
    assert ak.rotl(limited, 1).tolist() == [0, 2, 1]
    with pytest.raises(ArgumentTypeError):
        ak.clz(lazy)


def test_they_are_columns_of_dataframes(lazy, prefix):
    frame = ak.DataFrame({"big": lazy, "n": ak.arange(5)})
    pd.testing.assert_frame_equal(frame.to_pandas(), pd.DataFrame({"big": NUMBERS, "n": range(5)}))
    assert frame[frame["n"] > 2]["big"].tolist() == NUMBERS[3:]
    ak.to_hdf(frame, prefix)
    assert ak.read_hdf(f"{prefix}_LOCALE*")["big"].tolist() == NUMBERS


def test_the_dtype_makes_single_integers():
    assert (ak.bigint("0x10"), ak.bigint(2**70).item(), ak.bigint_(5).dtype) == (16, 2**70, ak.bigint)
    assert (str(ak.bigint), repr(ak.bigint), ak.bigint.type) == ("bigint", "dtype(bigint)", ak.bigint_)
    assert ak.bigint == "bigint" != ak.bigint_
    assert len({ak.bigint, "bigint"}) == 1


POOL = st.lists(st.integers(-(2**130), 2**130) | st.integers(-2, 2), min_size=1, max_size=5)


@given(POOL, st.data())
def test_integers_of_any_size_are_found_among_others(pool, data):
    plain = [data.draw(st.lists(st.sampled_from(pool), min_size=1, max_size=10)) for _ in range(2)]
    # In memory, small integers take less than large ones.
    arrays = [ak.concatenate([ak.array(part, dtype="bigint") for part in (p[:2], p[2:]) if part]) for p in plain]
    one, other = map(set, plain)
    assert ak.in1d(*arrays).tolist() == [item in other for item in plain[0]]
    assert ak.find(*arrays).tolist() == [plain[1].index(item) if item in other else -1 for item in plain[0]]
    assert ak.intersect1d(*arrays).tolist() == sorted(one & other)
    assert ak.setdiff1d(*arrays).tolist() == sorted(one - other)
    assert ak.union1d(*arrays).tolist() == sorted(one | other)
    lefts, rights = ak.inner_join(*arrays)
    pairs = [(i, j) for i, item in enumerate(plain[0]) for j, same in enumerate(plain[1]) if item == same]
    assert list(zip(lefts.tolist(), rights.tolist(), strict=True)) == pairs
    table = sorted(plain[1])
    assert ak.searchsorted(ak.sort(arrays[1]), arrays[0]).tolist() == [bisect_left(table, item) for item in plain[0]]


def test_integers_of_any_size_are_compared_with_others():
    numbers = ak.array([2**70, 5, -3], dtype="bigint")
    assert ak.in1d(numbers, ak.array([5, 6])).tolist() == [False, True, False]
    assert contained(numbers, []).tolist() == [False] * 3
    assert insertion_points(ak.arange(9), numbers).tolist() == [9, 5, 0]
    assert ak.lookup(ak.arange(2), numbers[:2], ak.array([1, 7])).tolist() == [5, -1]
    floats = [0.5, 5.0, 2.0**70, np.nan, np.inf]
    assert ak.in1d(numbers, ak.array(floats)).tolist() == [number in floats for number in (2**70, 5, -3)]
    assert ak.in1d(ak.array([2**70 + 1, 5], dtype="bigint"), ak.array(floats)).tolist() == [False, True]


@pytest.mark.parametrize("how", ["inner", "left", "outer"])
def test_frames_join_by_integers_of_any_size(how):
    left, right = [2**70, 5, 2**70], [5, 2**70, 2**65]
    frames = [
        ak.DataFrame({"k": ak.array(keys, dtype="bigint"), name: ak.arange(3)})
        for keys, name in ((left, "x"), (right, "y"))
    ]
    wanted = pd.DataFrame({"k": left, "x": range(3)}).merge(pd.DataFrame({"k": right, "y": range(3)}), how=how)
    found = frames[0].merge(frames[1], how=how).to_pandas()
    wanted = wanted.sort_values("k", kind="stable", ignore_index=True)
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False)


@pytest.mark.parametrize("seed", range(4))
def test_partitions_of_narrow_and_wide_integers_are_sorted_together(seed):
    """A partition has as many words of each integer as its widest one needs, and splitters as many as theirs."""
    rng = np.random.default_rng(seed)
    plain = [int(rng.integers(-3, 3)) for _ in range(6)] + [(-1) ** n * 2**127 for n in range(seed)] + [5, -7]
    with small_data_as_large():
        column = ak.concatenate([ak.array(part, dtype="bigint") for part in (plain[:3], plain[3:6], plain[6:])])
        assert ak.sort(column).tolist() == sorted(plain)
        assert ak.argsort(column).tolist() == sorted(range(len(plain)), key=plain.__getitem__)
        assert column[ak.argsort(-column)].tolist() == sorted(plain, reverse=True)
