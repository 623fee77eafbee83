"""Steps of a few lines of columns, each by itself: NumPy, Arrow and Python's own numbers are the reference."""

from __future__ import annotations

import weakref
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns import exact, memory, strings
from akdask.columns import tuning as columns_tuning
from akdask.columns.arrow import lists_of, offsets_of, values_of
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, STR, TimeForm, finer, some_lack
from akdask.columns.memory import GRAIN, LARGE, LargePages, new_array, with_capacity
from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import StringsBuilder
from akdask.columns.table import put_rows, to_objects
from akdask.errors import ArgumentError, PositionError

BEYOND = 2**53 + 1
"""The first integer that is no float."""


def same(found, wanted):
    """Compare rows and their types; NaN is NaN."""
    assert np.asarray(found).dtype == np.asarray(wanted).dtype
    np.testing.assert_array_equal(found, wanted)


# ---- exact numbers


def test_integers_that_floats_have_changed_are_found_by_their_text():
    for number, text, is_changed in (
        (0.5, "0.5", False),
        (float(2**53 - 1), str(2**53 - 1), False),
        (float(2**53), str(2**53), False),
        (float(2**53), str(BEYOND), True),
        (-float(2**53), str(-BEYOND), True),
        (float(2**53 + 2), str(2**53 + 2), False),
        (1e300, "1e300", False),
        (float(2**60), f"{2**60 + 1}.0", False),
        (np.inf, "inf", False),
        (np.inf, "9" * 400, True),
        (np.nan, "nan", False),
    ):
        floats, texts = np.array([1.0, number, 2.0**53]), pa.array(["1", text, str(BEYOND)])
        # The first one counts, and others come later.
        assert exact.first_changed_text(floats, texts) == ((1, text) if is_changed else (2, str(BEYOND))), text
        assert exact.first_changed_text(floats[:2], texts[:2]) == ((1, text) if is_changed else None), text


def test_the_first_object_that_is_no_float_is_found():
    large = 10**400
    for items, wanted in (
        ([5, 0.5, None], None),
        ([2**53, BEYOND, 2**53 + 3], BEYOND),
        ([np.int64(2**53), np.int64(BEYOND)], BEYOND),
        ([large], large),
        ([2**80, 2**80 + 1], 2**80 + 1),
    ):
        assert exact.first_changed(np.array(items, object)) == wanted, items
    assert exact.first_changed(np.int64(BEYOND)) == BEYOND
    assert exact.first_changed(np.int64(BEYOND), np.array([False, False])) is None
    assert exact.first_changed(np.array([BEYOND, BEYOND + 2]), np.array([False, True])) == BEYOND + 2


def test_types_with_integers_beyond_floats_are_told_and_mixed():
    wide = ("i8", "u8")
    types = ("i4", "u4", "i8", "u8", "f4", "f8", "?")
    for left, right in product(types, types):
        given = np.zeros(1, left), np.zeros(1, right)
        assert exact.is_wide(given[0]) == (left in wide)
        becomes_float = np.result_type(left, right) == np.float64
        is_mixed = left != right and bool({left, right} & {*wide}) and becomes_float
        assert exact.is_mixed(*given) == is_mixed, (left, right)


def test_extremes_of_two_numbers_are_those_of_python_whatever_their_types():
    columns = {
        "f8": [0.5, -1.0, 2.0**53, float(2**53 + 2), np.nan, 7.0],
        "i8": [1, -2, 2**53, BEYOND, BEYOND, 7],
        "u8": [1, 2, BEYOND, 2**53 + 2, 2**63, 6],
        "i4": [1, -2, 3, -4, 5, 7],
    }
    for (left, mine), (right, theirs) in product(columns.items(), columns.items()):
        for ufunc, choose in ((np.minimum, min), (np.maximum, max)):
            wanted = []
            for one, other in zip(mine, theirs, strict=True):
                wanted.append(np.nan if one != one or other != other else choose(one, other))  # noqa: PLR0124 - NaN
            dtype = np.result_type(left, right)
            is_exact = dtype != np.float64 or all(item != item or float(item) == item for item in wanted)  # noqa: PLR0124
            sides = np.array(mine, left), np.array(theirs, right)
            if not is_exact:
                continue
            found = exact.extreme(ufunc, *sides)
            same(found, np.array(wanted, dtype))
            out = np.empty(len(mine), dtype)
            exact.extreme(ufunc, *sides, out)
            same(out, found)


def test_numbers_that_are_equal_have_the_same_key_and_others_another():
    numbers = [
        0,
        1,
        -1,
        5,
        2**53,
        BEYOND,
        2**63 - 1,
        -(2**63),
        2**63,
        2**64 - 1,
        0.5,
        -0.5,
        2.0**64,
        -(2.0**64),
        np.inf,
    ]
    numbers += [-0.0, 5.0, -1.0, 2.0**53, 2.0**63, -(2.0**63), -np.inf, np.nan, True, False]
    keys = []
    for number in numbers:
        dtype = "?" if isinstance(number, bool) else "f8" if isinstance(number, float) else "u8" if number > 0 else "i8"
        column = np.array([number], dtype)
        keys.append((exact.key_kind(column).tolist()[0], exact.key_word(column).tolist()[0]))
        out = [np.empty(1, np.uint8), np.empty(1, np.uint64)]
        exact.key_kind(column, out[0])
        exact.key_word(column, out[1])
        assert (out[0][0], out[1][0]) == keys[-1]
    for (one, first), (other, second) in product(zip(numbers, keys, strict=True), repeat=2):
        are_equal = one == other or (one != one and other != other)  # noqa: PLR0124 - NaN
        assert (first == second) == are_equal, (one, other)


def test_floats_are_written_as_the_integers_that_they_are():
    assert exact.key_text(np.array([5.0, -0.0, 0.5, 1e300, np.inf, np.nan])).to_pylist() == [
        "5", "0", "0.5", str(int(1e300)), "inf", "nan",
    ]  # fmt: skip
    assert exact.key_text(np.float64(-2)) == "-2"
    assert exact.key_text(np.float64(-2.5)) == "-2.5"


def test_numbers_of_files_become_those_of_other_types():
    for stored, numbers, dtype, wanted in (
        ("i8", [0, 1, -2], "?", [False, True, True]), ("i8", [0, 1], "i1", [0, 1]), ("f8", [0.0, 1.0], "i8", [0, 1]),
        ("?", [True, False], "i8", [1, 0]), ("u1", [255, 0], "u8", [255, 0]), ("i4", [5, -5], "f8", [5.0, -5.0]),
    ):  # fmt: skip
        out = np.empty(len(numbers), dtype)
        exact.widen_into(out, np.array(numbers, stored), "x")
        assert out.tolist() == wanted, (stored, dtype)


# ---- lists


def test_lists_are_their_values_from_where_each_starts():
    lists = pa.array([[9, 8], [], [1, 2, 3], [4]], pa.large_list(pa.int64()))
    for first, stop in ((0, 4), (1, 4), (1, 3), (2, 3), (1, 2), (2, 2), (0, 0), (4, 4)):
        some = lists.slice(first, stop - first)
        wanted = some.to_pylist()
        values = values_of(some, INT64)
        same(values, np.array([item for one in wanted for item in one], np.int64))
        assert offsets_of(some).tolist() == np.cumsum([0, *map(len, wanted)]).tolist()
        assert lists_of(offsets_of(some), values).to_pylist() == wanted
        assert to_objects(some) == wanted
    texts = pa.array([["x", "y"], ["z"]], pa.large_list(pa.large_string()))
    assert values_of(texts.slice(0, 0), STR).to_pylist() == []
    assert values_of(texts.slice(1), STR).to_pylist() == ["z"]
    nothing = pa.array([], pa.large_list(pa.bool_()))
    same(values_of(nothing, BOOL), np.empty(0, bool))
    with_nulls = pa.array([[0.5, None]], pa.large_list(pa.float64()))
    same(values_of(with_nulls, FLOAT64), np.array([0.5, np.nan]))
    assert values_of(pa.array([[from_ints([5])[0].as_py()]], pa.large_list(pa.binary(8))), BIGINT) == from_ints([5])


# ---- rows that are put


COLUMNS = [
    np.arange(5),
    np.arange(5) / 2,
    np.arange(5) % 2 == 0,
    NullableColumn.of(np.arange(5), np.arange(5) == 3),
    pa.array(["a", "b", "c", "d", "e"], pa.large_string()),
    from_ints([0, 1, 2, 3, 2**70]),
]


def of_rows(column, rows):
    """Return other rows of the type of a column."""
    if isinstance(column, np.ndarray):
        return column[::-1][rows].copy()
    if isinstance(column, NullableColumn):
        return NullableColumn.of(column.values[::-1][rows], np.asarray(rows) == 0)
    return column.take(pa.array(4 - np.asarray(rows, np.int64)))


def copied(column):
    return column.copy() if isinstance(column, np.ndarray) else column


def test_items_are_put_where_a_mask_holds_and_at_numbers_of_rows():
    for column in COLUMNS:
        for marks in ([0, 0, 0, 0, 0], [1, 0, 0, 1, 0], [1, 1, 1, 1, 1], [0, 0, 0, 0, 1]):
            mask = np.array(marks, bool)
            items = of_rows(column, list(range(sum(marks))))
            wanted, new = to_objects(column), iter(to_objects(items))
            wanted = [next(new) if mark else old for old, mark in zip(wanted, marks, strict=True)]
            assert to_objects(put_rows(copied(column), mask, items, 0, 5)) == wanted, marks
            with pytest.raises(ArgumentError, match=rf"{sum(marks) + 1} items to {sum(marks)} "):
                put_rows(copied(column), mask, of_rows(column, [0] * (sum(marks) + 1)), 0, 5)
        # The column is rows 2 to 6 of 9.
        for numbers in ([2, 6], [0, 1, 7, 8], [-9, -7, -3], [-2, -1], [4, 4, -5], [], [6, 2, 5]):
            items = of_rows(column, [at % 5 for at in range(len(numbers))])
            wanted = to_objects(column)
            for number, item in zip(numbers, to_objects(items), strict=True):
                if 0 <= number % 9 - 2 < 5:
                    wanted[number % 9 - 2] = item
            found = put_rows(copied(column), np.array(numbers, np.int64), items, 2, 9)
            assert to_objects(found) == wanted, numbers
            if numbers and min(numbers) >= 0:
                found = put_rows(copied(column), np.array(numbers, np.uint64), items, 2, 9)
                assert to_objects(found) == wanted, numbers
        for dtype, numbers, wrong in (
            ("i8", [3, 9], 9), ("i8", [3, -10], -10), ("i8", [9, -10], 9), ("u8", [3, 9], 9),
            ("u8", [2**64 - 1, 3], 2**64 - 1), ("u8", [2**63, 3], 2**63),
        ):  # fmt: skip
            with pytest.raises(PositionError, match=rf"position {wrong} is outside an array of 9 rows") as caught:
                put_rows(copied(column), np.array(numbers, dtype), of_rows(column, [0, 1]), 2, 9)
            assert "from -9 to 8" in str(caught.value)


# ---- times


def test_forms_of_times_are_told_together():
    for units, wanted in ((["s"], "s"), (["s", "ns"], "ns"), (["us", "ms"], "us"), (["ms", "s", "us"], "us")):
        assert finer(*units) == wanted
    known, unknown, none = (TimeForm("time", may_lack=lacks) for lacks in (True, None, False))
    for forms, wanted in (
        ([none], False), ([none, none], False), ([none, unknown], None), ([unknown, known], True),
        ([known, none], True), ([], False),
    ):  # fmt: skip
        assert some_lack(forms) is wanted


# ---- memory


def test_arrays_grow_to_twice_what_they_have_to_hold():
    for needed, length in ((3, 5), (5, 5), (6, 12), (9, 18)):
        array = np.arange(5)
        found = with_capacity(array, 2, needed)
        assert (len(found), found is array, found[:2].tolist()) == (length, length == 5, [0, 1])


def test_memory_that_is_in_use_at_exit_is_not_given_back(monkeypatch):
    monkeypatch.setattr(memory, "_limit", lambda: 2**30)
    array = new_array(LARGE, np.uint8)
    (ours,) = [one for one in list(weakref.finalize._registry) if (of := one.peek()) is not None and of[0] is array]
    assert not ours.atexit


def test_pages_are_slow_that_take_longer_than_the_limit(monkeypatch):
    class Pages(bytearray):
        def madvise(self, advice, place, size):
            advices.append(advice)

    monkeypatch.setattr(columns_tuning, "PAGE_TIME", 0.5)
    for taken, calls in ((0.25, 1), (0.5, 1), (0.75, 2)):
        advices, times = [], [1.0, 1.0 + taken]
        monkeypatch.setattr(memory, "thread_time", lambda times=times: times.pop(0))
        LargePages()._try(Pages(2 * GRAIN), 0, GRAIN)
        assert len(advices) == calls, taken


def test_memory_of_text_is_for_all_rows_that_are_to_come(monkeypatch):
    asked = []
    allocate = strings.new_array
    monkeypatch.setattr(strings, "new_array", lambda nrows, dtype: asked.append(nrows) or allocate(nrows, dtype))
    builder = StringsBuilder(100)
    for _ in range(10):
        builder.append(pa.array(["ten bytes."] * 10, pa.large_string()))
    assert builder.finish().to_pylist() == ["ten bytes."] * 100
    # The ends of all rows, none of the text, and after ten rows as much as all will take and a twentieth more.
    assert asked == [101, 0, 1050]
