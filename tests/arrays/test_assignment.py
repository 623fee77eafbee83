import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError, PositionError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource

ROWS = np.arange(12) * 10
TEXT = np.array([f"s{row}" for row in range(12)])


@pytest.fixture
def x():
    return MemorySource({"x": ROWS}, [4, 0, 3, 5]).arrays()["x"]


@pytest.fixture
def s():
    return MemorySource({"s": TEXT}, [4, 0, 3, 5]).arrays()["s"]


def changed(array, key, item):
    array = array.astype("U9").copy() if array.dtype.kind == "U" and isinstance(array, np.ndarray) else array.copy()
    array[key] = item
    return array


KEYS = [
    0,
    -1,
    np.int64(6),
    slice(None),
    slice(2, 9),
    slice(1, None, 3),
    slice(-5, -2),
    slice(9, 2),
    ROWS % 30 == 0,
    ROWS < 0,
    np.array([11, 0, -2]),
    [3],
]


@pytest.mark.parametrize("key", KEYS, ids=str)
def test_a_scalar_is_put_where_numpy_puts_it(x, s, key):
    assert_equal(changed(x, key, -7), changed(ROWS, key, -7), lazy=True, lengths=[4, 0, 3, 5])
    assert_equal(changed(s, key, "newer"), changed(TEXT, key, "newer"), lazy=True)


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=4),
    st.lists(st.integers(0, 30), max_size=3),
    st.sampled_from(["i8", "f8", "?", "u1", "U3"]),
    st.tuples(*[st.none() | st.integers(-22, 22)] * 2, st.none() | st.integers(-4, 7).filter(bool)),
)
@settings(max_examples=40)
def test_slices_take_items_whatever_the_partitions_of_both(lengths, cuts, dtype, bounds):
    rows, key = np.arange(sum(lengths)).astype(dtype), slice(*bounds)
    items = np.arange(100, 100 + len(rows[key])).astype(dtype)
    before = MemorySource({"x": rows}, lengths).arrays()["x"]
    pieces = np.split(items, sorted(min(cut, len(items)) for cut in cuts))
    for given_items in [ak.concatenate([ak.array(piece) for piece in pieces]), *items[:1]]:
        wanted = rows.copy()
        wanted[key] = items if isinstance(given_items, ak.pdarray | ak.Strings) else given_items
        lazy = before[:]
        lazy[key] = given_items
        # Rows are collected into the result, and in tables of partitions for what is computed further.
        assert_equal(lazy, wanted)
        assert_equal(ak.concatenate([lazy, lazy])[len(rows) :], wanted)
    assert_equal(before, rows)


@pytest.mark.parametrize("key", [slice(2, 20, 3), slice(9, None, 7), slice(3, 12), slice(21, 4, -4)], ids=str)
def test_slices_are_put_into_the_result_of_many_partitions(key):
    rows, items = np.arange(23), np.arange(100, 123)[key]
    with ak.config.set(small_array=5):
        lazy = ak.array(rows)
    assert lazy.npartitions > 1
    for given_items in (items, -1):
        assert np.array_equal(changed(lazy, key, given_items).to_ndarray(), changed(rows, key, given_items))


@pytest.mark.parametrize("key", KEYS[3:], ids=str)
def test_an_array_is_put_where_numpy_puts_it(x, s, key):
    count = ROWS[key].size
    items = np.arange(count) + 1000
    words = np.array([f"n{item}" for item in items], dtype="U9")
    for form in (items, ak.array(items), items.tolist()):
        if count:
            assert_equal(changed(x, key, form), changed(ROWS, key, items), lazy=True)
    assert_equal(changed(x, key, ak.array(items)), changed(ROWS, key, items))
    assert_equal(changed(s, key, ak.array(words)), changed(TEXT, key, words))


def test_lazy_masks_and_positions_are_keys(x):
    assert_equal(changed(x, x > 50, 0), np.where(ROWS > 50, 0, ROWS))
    assert_equal(changed(x, ak.array([1, 2]), 5), changed(ROWS, [1, 2], 5))
    assert_equal(changed(x, x > 50, x[x > 50] + 1), ROWS + (ROWS > 50))


@pytest.mark.lazy_only
def test_a_lazy_scalar_is_put_lazily(x):
    source = x._frame.source
    x[x > 50] = x.min()
    x[0] = x.max()
    assert {read.column for read in source.reads} == set()
    assert x.tolist() == [50, 10, 20, 30, 40, 50, 0, 0, 0, 0, 0, 0]


def test_of_several_items_for_one_position_the_last_wins(x):
    assert_equal(changed(x, [3, 3, -9], ak.array([1, 2, 3])), changed(ROWS, [3], 3))


def test_what_was_derived_before_keeps_the_old_values(x):
    doubled, alias, copy = x * 2, x, x.copy()
    x[x > 50] = 0
    assert_equal(doubled, ROWS * 2)
    assert_equal(copy, ROWS)
    assert_equal(alias, np.where(ROWS > 50, 0, ROWS))


def test_assignments_add_up(x):
    x[0] = 1
    x[x == 10] = 2
    x[2:4] = ak.array([3, 4])
    x[[4, 5]] = ak.array([5, 6])
    x += 1
    x[-1] *= 2
    assert x.tolist() == [2, 3, 4, 5, 6, 7, 61, 71, 81, 91, 101, 222]


def test_rows_of_unknown_number_can_be_assigned_to(x):
    kept = x[x > 50]
    kept[1:3] = 0
    kept[kept == 110] = -1
    assert kept.tolist() == [60, 0, 0, 90, 100, -1]


def test_fill_sets_every_element(x):
    x.fill(3)
    assert_equal(x, np.full(12, 3))


@pytest.mark.parametrize(
    ("made", "item", "wanted"),
    [
        (ak.array([1.5, 2.5]), 1, [1.0, 2.5]),
        (ak.array([1.5, 2.5]), True, [1.0, 2.5]),
        (ak.array([1, 2]), True, [1, 2]),
        (ak.array([1, 2], dtype="uint64"), 5, [5, 2]),
        (ak.array([1, 2], dtype="uint64"), -1, [2**64 - 1, 2]),
        (ak.array([True, False]), False, [False, False]),
        (ak.array([1, 2], dtype="uint8"), np.uint8(5), [5, 2]),
        (ak.array([1, 2], dtype="uint8"), 255, [255, 2]),
        (ak.array([True, False]), 0, [False, False]),
        (ak.array([False, False]), 1.0, [True, False]),
        (ak.array([1, 2], dtype="uint64"), 5.0, [5, 2]),
        (ak.array([1, 2]), np.uint64(5), [5, 2]),
        (ak.array([1, 2]), 2**63 - 1, [2**63 - 1, 2]),
        (ak.array([1.5, 2.5]), 2**70, [2.0**70, 2.5]),
        (ak.array([2**70, 1]), 5.0, [5, 1]),
    ],
)
def test_an_array_keeps_its_type(made, item, wanted):
    dtype = made.dtype
    made = changed(made, 0, item)
    assert made.dtype == dtype
    assert made.tolist() == wanted


@pytest.mark.parametrize(
    ("made", "item"),
    [
        (ak.array([1]), 0.5),
        (ak.array([1]), "x"),
        (ak.array(["a"]), 1),
        (ak.array([True]), 2),
        (ak.array([True]), -1.0),
        (ak.array([1], dtype="uint64"), -1.0),
        (ak.array([1], dtype="uint64"), 2.0**64),
        (ak.array([1], dtype="uint64"), -(2**63) - 1),
        (ak.array([1], dtype="uint8"), 256),
        (ak.array([1]), 2**63),
        (ak.array([1]), 2**70),
        (ak.array([1]), np.nan),
        (ak.array([1]), 1e300),
        (ak.array([1]), ak.array(["x"])),
        (ak.array([1]), None),
        (ak.array([1]), {}),
    ],
)
def test_items_of_types_that_do_not_fit_are_refused_at_once(made, item):
    before = made.tolist()
    with pytest.raises(ArgumentTypeError):
        made[:] = item
    assert made.tolist() == before


@pytest.mark.parametrize("key", [slice(0, 3), ROWS < 30, [0, 1, 2]], ids=str)
def test_items_of_another_number_are_refused_at_once(x, key):
    for count in (0, 2, 4, 12):
        with pytest.raises((ArgumentError, AlignmentError), match="assign"):
            x[key] = ak.arange(count)


def test_an_array_of_one_element_is_not_spread(x):
    with pytest.raises(ArgumentError, match="assign the element itself"):
        x[x > 50] = ak.array([1])


def test_positions_outside_are_refused(x):
    with pytest.raises(PositionError, match="position 12 is outside"):
        x[12] = 0
    with pytest.raises(PositionError, match="position -13 is outside"):
        changed(x, [0, -13], 0).compute()


def test_masks_of_other_rows_are_refused_at_once(x):
    with pytest.raises(AlignmentError, match="cannot assign columns that do not share rows"):
        x[np.ones(5, bool)] = 0


@pytest.mark.parametrize("key", ["x", 1.5, None, True])
def test_keys_of_other_kinds_are_refused_at_once(x, key):
    with pytest.raises(ArgumentTypeError):
        x[key] = 0


@pytest.mark.parametrize("key", [slice(None, None, -1), slice(8, 1, -3), slice(1, 8, -1), slice(-1, -4, -2)], ids=str)
def test_slices_with_a_negative_step_take_items_from_behind(key):
    wanted = np.arange(10)
    items = -np.arange(len(wanted[key])) - 1
    made = ak.arange(10)
    wanted[key], made[key] = items, items
    assert made.tolist() == wanted.tolist()
    wanted[key], made[key] = 7, 7
    assert made.tolist() == wanted.tolist()


@pytest.mark.parametrize("key", [slice(1, None, 2), ak.arange(10) % 2 == 1, ak.array([1, 3, 5, 7, 9])], ids=str)
def test_floats_without_fractions_become_integers(key):
    made = ak.arange(10)
    made[key] = ak.zeros(5)
    assert (made.tolist(), made.dtype) == ([0, 0, 2, 0, 4, 0, 6, 0, 8, 0], np.int64)
    made[key] = -3.0
    assert made.tolist() == [0, -3, 2, -3, 4, -3, 6, -3, 8, -3]


EXACT = [0, 1, 2, 255, 256, -1, -128, 2**53, 2**63 - 1, -(2**63), 2**63, 2**64 - 1, 2**70, -(2**70)]
LIMITS = {
    "bool": (0, 1),
    "uint8": (0, 255),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
    "bigint": (-(2**80), 2**80),
}


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("wanted", LIMITS)
@pytest.mark.parametrize("given", [*LIMITS, "float64"])
@pytest.mark.parametrize("item", EXACT)
def test_an_array_of_numbers_is_assigned_where_nothing_is_lost(wanted, given, item):
    low, high = LIMITS.get(given, (0, 2**53))
    if not low <= item <= high:
        return
    made, items = ak.array([0, 0, 0], dtype=wanted), ak.array([0, item], dtype=given)
    made[ak.array([True, False, True])] = items
    low, high = LIMITS[wanted]
    if low <= item <= high:
        assert (made.dtype, made.tolist()) == (ak.array([0], dtype=wanted).dtype, [0, 0, item])
    else:
        with pytest.raises(ArgumentTypeError, match=f"{item}.* is no {wanted}"):
            made.tolist()


@pytest.mark.parametrize("item", [0.5, np.nan, np.inf, 1e300])
def test_other_floats_are_refused_when_they_are_computed(item):
    made = ak.arange(2)
    made[:] = ak.array([1.0, item])
    with pytest.raises(ArgumentTypeError, match="is no int64"):
        made.tolist()


@given(
    st.integers(0, 2),
    st.integers(0, 2),
    st.integers(0, 2),
    st.sampled_from([slice(0, 1), slice(1, None, 2), slice(None)]),
)
@example(0, 1, 0, slice(0, 1))
def test_constants_that_rows_are_computed_from_are_assigned_too(first, second, item, key):
    plain = np.full(5, first) - second
    lazy = ak.full(5, first, dtype=ak.int64) - second
    plain[key] = item
    lazy[key] = item
    assert lazy.tolist() == plain.tolist()
    assert (lazy > item).tolist() == (plain > item).tolist()
    assert (
        ak.where(lazy == item, item, lazy * second).tolist() == np.where(plain == item, item, plain * second).tolist()
    )
