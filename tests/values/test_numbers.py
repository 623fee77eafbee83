"""Operations on numbers with rules of their own: Python's integers and fractions are the reference."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import to_ints
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT64, column_type
from akdask.columns.nullable import NullableColumn
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, ArgumentTypeError, ConversionError
from akdask.operators.values import random
from akdask.operators.values.random import poisson, standard_gamma

pytestmark = pytest.mark.light

INT64S = st.integers(-99, 99) | st.sampled_from(
    [-(2**63), 2**63 - 1, 2**53 + 1, -(2**53) - 1, 25, 35, -25, 450, 10**18]
)
UINT64S = st.integers(0, 99) | st.sampled_from([2**64 - 1, 2**63, 2**53 + 1])
FLOATS = st.sampled_from([0.0, -1.5, 2.0**53, 2.0**63, 2.0**64, np.nan, np.inf, -np.inf, 7.0])


def evaluated(name, *columns, **params):
    """Return the results of an operation, with memory for them and without."""
    operation = OPERATIONS[name]
    found = operation.evaluate(*columns, **params)
    out = np.empty_like(found)
    assert operation.evaluate(*columns, out=out, **params) is out
    np.testing.assert_array_equal(out, found)
    return found


@given(st.lists(INT64S | UINT64S, max_size=8), st.integers(-20, 2))
def test_integers_are_rounded_to_powers_of_ten_with_halves_to_even(numbers, decimals):
    for dtype in ("int64", "uint64", "uint8"):
        limits = np.iinfo(dtype)
        fitting = [number for number in numbers if limits.min <= number <= limits.max]
        wanted = [round(number, decimals) if decimals < 0 else number for number in fitting]
        if decimals == -19 and any(abs(number) > 5 * 10**18 for number in fitting):
            with pytest.raises(ArgumentError, match="18 places"):
                evaluated("round", np.array(fitting, dtype), decimals=decimals)
            continue
        wanted = [(number - limits.min) % (limits.max - limits.min + 1) + limits.min for number in wanted]
        assert evaluated("round", np.array(fitting, dtype), decimals=decimals).tolist() == wanted
    assert evaluated("round", np.array([True, False])).tolist() == [1.0, 0.0]
    assert OPERATIONS["round"].result_type(BOOL) == FLOAT64


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9)), min_size=1, max_size=6), st.integers(1, 3))
def test_ranges_have_as_many_numbers_as_those_of_python(ranges, stride):
    starts = np.array([start for start, _ in ranges])
    ends = starts + np.array([length for _, length in ranges])
    wanted = [len(range(start, end, stride)) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    assert evaluated("range_length", starts, ends, stride=stride).tolist() == wanted
    with pytest.raises(ArgumentError, match=f"from {starts[0]} to {starts[0] - 1} ends"):
        evaluated("range_length", starts, np.append(starts[0] - 1, ends[1:]), stride=stride)


def test_numbers_are_given_back_if_all_are_within_bounds():
    for values in (np.array([1, 5, 3]), np.array([], np.int64), np.array([1.0, 5.0])):
        assert evaluated("within", values, low=1, high=5).tolist() == values.tolist()
    for low, high, wrong in ((2, 5, 1), (1, 4, 5)):
        with pytest.raises(ArgumentError, match=f"{wrong} is not from {low} to {high}"):
            evaluated("within", np.array([1, 5, 3]), low=low, high=high)


def test_permutations_have_each_position_once():
    rows, positions = np.array([2, 0, 1]), np.arange(3)
    assert evaluated("inverse_position", rows, positions, positions).tolist() == [2, 0, 1]
    with pytest.raises(ArgumentError, match="it has 5 at position 1"):
        evaluated("inverse_position", rows, np.array([0, 5, 2]), positions)


@given(st.lists(st.tuples(INT64S, INT64S), min_size=1, max_size=8), st.lists(st.tuples(UINT64S, UINT64S), min_size=1))
def test_differences_of_integers_are_rounded_once(signed, unsigned):
    for pairs, dtype in ((signed, np.int64), (unsigned, np.uint64)):
        columns = np.array(pairs, dtype).T
        assert evaluated("difference", *columns).tolist() == [float(one - other) for one, other in pairs]


def clipped(value, low, high):
    if any(isinstance(item, float) and np.isnan(item) for item in (value, low, high)):
        return None
    found = min(max(value, low), high)
    # Of bounds in the wrong order, the upper one holds.
    return high if low > high else found


@given(st.lists(st.tuples(INT64S, FLOATS, FLOATS), min_size=1, max_size=8))
def test_bounds_apply_before_integers_become_floats(rows):
    values, low, high = (np.array(column) for column in zip(*rows, strict=True))
    wanted = [clipped(*row) for row in rows]
    if any(item is not None and not np.isinf(item) and Fraction(float(item)) != item for item in wanted):
        with pytest.raises(ConversionError):
            evaluated("clip", values, low, high)
        return
    found = evaluated("clip", values, low, high).tolist()
    assert [None if np.isnan(item) else item for item in found] == [None if w is None else float(w) for w in wanted]


@given(st.lists(st.tuples(st.booleans(), INT64S, FLOATS), min_size=1, max_size=8))
def test_integers_that_are_chosen_beside_floats_equal_them(rows):
    condition = np.array([row[0] for row in rows])
    integers, floats = np.array([row[1] for row in rows], np.int64), np.array([row[2] for row in rows])
    chosen = [one if holds else other for holds, one, other in rows]
    if any(isinstance(item, int) and int(float(item)) != item for item in chosen):
        with pytest.raises(ConversionError):
            evaluated("where", condition, integers, floats)
        return
    np.testing.assert_array_equal(evaluated("where", condition, integers, floats), np.array(chosen, float))
    np.testing.assert_array_equal(evaluated("where", ~condition, floats, integers), np.array(chosen, float))


def double(x):
    return x * 2


def to_text(x):
    return f"<{x}>"


def too_large(x):
    return 2**53 + 1


def as_list(x):
    return [x, x]


def apply(function, values, dtype):
    return OPERATIONS["apply_function"].evaluate(values, pickled=pickle.dumps(function), dtype=dtype)


def test_functions_of_users_give_columns_of_the_type_that_is_asked_for():
    numbers, text = np.array([1, 2]), pa.array(["a", "b"], pa.large_string())
    for dtype in ("int64", "uint64", "uint8", "float64"):
        found = apply(double, numbers, dtype)
        assert (found.dtype, found.tolist()) == (np.dtype(dtype), [2, 4])
        assert evaluated("apply_function", numbers, pickled=pickle.dumps(double), dtype=dtype).tolist() == [2, 4]
    assert to_ints(apply(double, np.array([2**62, 1]), "bigint")) == [2**63, 2]
    assert apply(double, np.array([2**62, 1]), "uint64").tolist() == [2**63, 2]
    assert apply(to_text, numbers, "str").to_pylist() == ["<1>", "<2>"]
    assert apply(double, text, "str").to_pylist() == ["aa", "bb"]
    assert apply(bool, numbers - 1, "bool").tolist() == [False, True]
    assert (apply(double, np.int64(4), "int64"), str(apply(double, "a", "str"))) == (8, "aa")
    assert OPERATIONS["apply_function"].result_type(STR, pickled=b"", dtype="bool") == BOOL
    with pytest.raises(ConversionError, match=f"the integer {2**53 + 1} that"):
        apply(too_large, numbers, "float64")
    wrong = [(double, np.array([2**62]), "int64"), (double, np.array([200]), "uint8"), (as_list, numbers, "int64"),
             (to_text, numbers, "int64"), (double, np.array([0.25]), "int64"), (double, numbers, "str")]  # fmt: skip
    for function, values, dtype in wrong:
        with pytest.raises(ArgumentError, match="the function that is applied returns"):
            apply(function, values, dtype)


def test_numbers_with_missing_rows_are_made_of_two_parts():
    integers, missing = np.array([1, 2, 3]), np.array([False, True, False])
    column = OPERATIONS["nullable"].evaluate(integers, missing)
    assert isinstance(column, NullableColumn)
    assert OPERATIONS["missing_numbers"].evaluate(column).tolist() == missing.tolist()
    assert OPERATIONS["present_numbers"].evaluate(column)[~missing].tolist() == [1, 3]
    whole = OPERATIONS["nullable"].evaluate(integers, np.zeros(3, np.bool_))
    assert OPERATIONS["missing_numbers"].evaluate(whole, out=np.ones(3, np.bool_)).tolist() == [False] * 3
    kind = OPERATIONS["nullable"].result_type(INT64, BOOL)
    assert OPERATIONS["present_numbers"].result_type(kind) == INT64
    assert OPERATIONS["missing_numbers"].result_type(kind) == BOOL
    for name, types in (
        ("nullable", (FLOAT64, BOOL)), ("nullable", (STR, BOOL)), ("nullable", (INT64, UINT64)),
        ("present_numbers", (INT64,)), ("missing_numbers", (column_type("float64"),)),
    ):  # fmt: skip
        with pytest.raises(ArgumentTypeError):
            OPERATIONS[name].result_type(*types)


def test_random_text_and_ranges_depend_on_positions_alone():
    rows, given = np.arange(50), {"lengths": ("uniform", 0, 7), "alphabet": "abc"}
    draw = OPERATIONS["random_texts"].evaluate
    whole = draw(rows, seed=3, **given).to_pylist()
    assert set(map(len, whole)) == set(range(7))
    assert set("".join(whole)) == set("abc")
    assert draw(rows[20:], seed=3, **given).to_pylist() == whole[20:]
    assert draw(rows[::-3], seed=3, **given).to_pylist() == whole[::-3]
    assert draw(rows[:0], seed=3, **given).to_pylist() == []
    assert whole != draw(rows, seed=4, **given).to_pylist()
    found = evaluated("of_range", np.array([0, 4, 5, 9, 10, 99]), starts=(0, 5, 10), numbers=(7, 3, 8))
    assert found.tolist() == [7, 7, 3, 3, 8, 8]


def test_characters_of_a_row_are_those_after_all_rows_before(monkeypatch):
    given = {"seed": 5, "alphabet": "xyz"}
    for lengths in (("uniform", 1, 9), ("lognormal", 1.0, 0.5)):
        whole = random.strings(np.arange(3000), lengths=lengths, **given).to_pylist()
        monkeypatch.setattr(random, "CHUNK", 7)
        random._bytes_of.cache_clear()
        far = random.strings(np.array([2950, 2999, 2960]), lengths=lengths, **given)
        assert far.to_pylist() == [whole[2950], whole[2999], whole[2960]]
        monkeypatch.undo()
        random._bytes_of.cache_clear()


def test_variates_go_into_given_memory_and_differ_by_seed():
    positions = np.arange(100)
    for name, draw, parameter in (("random_poisson", poisson, 4.0), ("random_gamma", standard_gamma, 2.5)):
        found = evaluated(name, positions, np.float64(parameter), seed=1)
        assert found.tolist() == draw(positions, np.full(100, parameter), seed=1).tolist()
        assert found.tolist() != evaluated(name, positions, np.float64(parameter), seed=2).tolist()
    for size in (1, 2, 7, 64, 65, 1000):
        found = evaluated("shuffled", np.arange(size), key=5, size=size, rounds=16)
        assert sorted(found.tolist()) == list(range(size))
        assert (
            evaluated("shuffled", np.arange(size)[::-1], key=5, size=size, rounds=16).tolist() == found[::-1].tolist()
        )
