from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from akdask.columns.bigint import from_ints, to_ints
from akdask.columns.dtypes import FLOAT64, INT64, STR, UINT8, column_type
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, ArgumentTypeError, ConversionError

pytestmark = pytest.mark.light

CAST = OPERATIONS["cast"]
NUMBERS = ["int64", "uint64", "float64", "bool", "uint8"]


def strings(words):
    return pa.array(words, pa.large_string())


@given(given=st.sampled_from(NUMBERS), wanted=st.sampled_from(NUMBERS), data=st.data())
def test_numbers_convert_as_in_numpy(given, wanted, data):
    in_range = st.floats(0, 255) if given == "float64" and wanted != "bool" else npst.from_dtype(np.dtype(given))
    values = data.draw(npst.arrays(given, 5, elements=in_range))
    with np.errstate(all="ignore"):
        expected = values.astype(wanted)
    out = np.empty(5, wanted)
    assert CAST.evaluate(values, dtype=wanted, out=out) is out
    for found in (out, CAST.evaluate(values, dtype=wanted)):
        assert found.dtype == wanted
        np.testing.assert_array_equal(found, expected)
    assert CAST.evaluate(values[0], dtype=wanted) == expected[0]


@given(given=st.sampled_from(["int64", "uint64", "float64", "bool"]), data=st.data())
def test_numbers_are_rounded_to_narrow_floats_once(given, data):
    values = data.draw(npst.arrays(given, 5))
    with np.errstate(all="ignore"):
        expected = values.astype(np.float32)
    out = np.empty(5)
    assert OPERATIONS["nearest_narrow"].evaluate(values, out=out) is out
    for found in (out, OPERATIONS["nearest_narrow"].evaluate(values)):
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found.astype(np.float32).view(np.uint32), expected.view(np.uint32))
        np.testing.assert_array_equal(found, expected)


def test_an_integer_between_two_narrow_floats_is_rounded_once():
    # By way of the nearest float of 64 bits it is half way between both.
    values = np.array([2**62 + 2**38 + 1], np.int64)
    assert OPERATIONS["nearest_narrow"].evaluate(values).tolist() == [2.0**62 + 2.0**39]


def test_floats_become_uint64_by_way_of_int64():
    values = np.array([-1.5, 0.0, 2.0**63, 2.0**64 - 2048, -(2.0**63), 3.9] * 5)
    expected = [2**64 - 1, 0, 2**63, 2**64 - 2048, 2**63, 3] * 5
    assert CAST.evaluate(values, dtype="uint64").tolist() == expected


@given(values=npst.arrays(st.sampled_from(NUMBERS), 6))
def test_numbers_are_written_as_python_writes_them_and_read_back(values):
    text = CAST.evaluate(values, dtype="str")
    assert text.type == pa.large_string()
    assert text.to_pylist() == [repr(value) for value in values.tolist()]
    np.testing.assert_array_equal(CAST.evaluate(text, dtype=values.dtype.name), values)
    assert CAST.evaluate(values[0], dtype="str") == repr(values.tolist()[0])


@pytest.mark.parametrize(
    ("dtype", "words", "expected"),
    [
        ("int64", ["1", " -2 ", "+3", "1_000", "0x10", "-0b11", str(-(2**63))], [1, -2, 3, 1000, 16, -3, -(2**63)]),
        ("uint64", [str(2**64 - 1), "+1"], [2**64 - 1, 1]),
        ("uint8", ["255", " 0"], [255, 0]),
        ("float64", ["1", " 2.5", "-inf", "+1e3", "1e-400"], [1.0, 2.5, -np.inf, 1000.0, 0.0]),
        ("bool", ["True", "false", "1", " 0", "TRUE"], [True, False, True, False, True]),
    ],
)
def test_text_is_read_as_numbers(dtype, words, expected):
    out = np.empty(len(words), dtype)
    assert CAST.evaluate(strings(words), dtype=dtype, out=out) is out
    for found in (out, CAST.evaluate(strings(words), dtype=dtype)):
        assert found.dtype == dtype
        assert found.tolist() == expected
    assert [CAST.evaluate(word, dtype=dtype) for word in words] == expected


@pytest.mark.parametrize(
    ("dtype", "word", "ignored"),
    [
        ("int64", "x", -(2**63)),
        ("int64", str(2**63), -(2**63)),
        ("int64", "1.5", -(2**63)),
        ("uint64", "-1", 0),
        ("uint8", "256", 0),
        ("float64", "", np.nan),
        ("bool", "yes", False),
    ],
)
def test_text_that_is_no_number_is_an_error_unless_errors_are_ignored(dtype, word, ignored):
    words = strings(["1", word])
    with pytest.raises(ArgumentError, match=r"row 1 of a block of 2"):
        CAST.evaluate(words, dtype=dtype)
    np.testing.assert_array_equal(CAST.evaluate(words, dtype=dtype, errors="ignore"), np.array([1, ignored], dtype))


def test_text_stays_text():
    words = strings(["a", ""])
    assert CAST.evaluate(words, dtype="str") is words


def test_the_type_of_the_result_is_the_one_asked_for():
    assert CAST.result_type(STR, dtype="int32") == INT64
    assert CAST.result_type(INT64, dtype=UINT8) == UINT8
    with pytest.raises(ArgumentError, match="neither"):
        CAST.result_type(STR, dtype="int64", errors="coerce")


def evaluate(operation, *args, **params):
    return OPERATIONS[operation].evaluate(*args, **params)


def test_bigints_wrap_round_are_rounded_once_and_come_from_everything():
    numbers = [0, -1, 2**64, 2**70 + 3, -(2**65) - 1, 2**1100]
    column = from_ints(numbers)
    assert evaluate("cast", column, dtype="uint64").tolist() == [number % 2**64 for number in numbers]
    assert evaluate("cast", column, dtype="int64").tolist() == [(number + 2**63) % 2**64 - 2**63 for number in numbers]
    assert evaluate("cast", column, dtype="uint8").tolist() == [number % 256 for number in numbers]
    assert evaluate("cast", column, dtype="bool").tolist() == [bool(number) for number in numbers]
    assert evaluate("cast", column, dtype="float64").tolist() == [*map(float, numbers[:-1]), np.inf]
    assert evaluate("cast", column, dtype="str").to_pylist() == list(map(str, numbers))
    assert (evaluate("cast", 2**70, dtype="str"), evaluate("cast", 2**70 + 7, dtype="int64")) == (str(2**70), 7)
    for values, wanted in (
        (np.array([1.9, -2.9, 2.0**80]), [1, -2, 2**80]),
        (np.array([5, -5]), [5, -5]),
        (strings(["12", "-0x10", str(2**90)]), [12, -16, 2**90]),
        (column, numbers),
    ):
        assert to_ints(evaluate("cast", values, dtype="bigint")) == wanted
        limited = evaluate("cast", values, dtype="bigint", max_bits=7)
        assert to_ints(limited) == [number % 2**7 for number in wanted]
    assert (evaluate("cast", "12", dtype="bigint"), evaluate("cast", np.float64(2.5), dtype="bigint")) == (12, 2)
    with pytest.raises(ArgumentError, match="nan is no integer"):
        evaluate("cast", np.array([1.0, np.nan]), dtype="bigint")


@pytest.mark.parametrize(
    ("dtype", "values", "wrong"),
    [
        ("int64", np.array([2.0, -(2.0**63)]), [0.5, 2.0**63, np.nan, np.inf]),
        ("uint64", np.array([0, 2**63 - 1]), [-1]),
        ("uint8", np.array([0, 255], np.uint64), [256]),
        ("bool", np.array([0.0, 1.0]), [2.0, -1.0]),
        ("uint64", from_ints([0, 2**64 - 1]), [2**64, -1]),
    ],
)
def test_numbers_become_integers_only_if_they_are(dtype, values, wrong):
    integers = to_ints(values) if isinstance(values, pa.Array) else [int(value) for value in values.tolist()]
    assert evaluate("cast_exactly", values, dtype=dtype).tolist() == integers
    for number in wrong:
        given_values = from_ints([0, number]) if isinstance(values, pa.Array) else np.array([0, number], values.dtype)
        with pytest.raises(ArgumentTypeError, match=f"is no {dtype}"):
            evaluate("cast_exactly", given_values, dtype=dtype)


TEXT = ["1", " -2 ", "+3", "1.5", "x", "", "0x10", str(2**63), "-1", "true", "1" * 1000, "1" * 1001, "256", "255"]


@pytest.mark.parametrize("dtype", ["int64", "uint8", "uint64", "float64", "bool", "bigint"])
def test_text_is_a_number_if_it_is_read_as_one(dtype):
    def is_read(word):
        try:
            CAST.evaluate(word, dtype=dtype)
        except ArgumentError:
            return False
        return True

    wanted = [is_read(word) for word in TEXT]
    if dtype != "bigint":
        assert evaluate("is_number", strings(TEXT), dtype=dtype).tolist() == wanted
        assert [bool(evaluate("is_number", word, dtype=dtype)) for word in TEXT] == wanted
    if dtype in ("int64", "uint8", "uint64", "bigint"):
        bounds = np.iinfo(dtype) if dtype != "bigint" else None
        are_decimal = [
            len(word) <= 1000 and word.strip().lstrip("+-").isdigit()
            and (bounds is None or bounds.min <= int(word) <= bounds.max)
            for word in TEXT
        ]  # fmt: skip
        out = np.empty(len(TEXT), np.bool_)
        assert evaluate("is_integer", strings(TEXT), dtype=dtype, out=out) is out
        assert out.tolist() == evaluate("is_integer", strings(TEXT), dtype=dtype).tolist() == are_decimal
        assert [bool(evaluate("is_integer", word, dtype=dtype)) for word in TEXT] == are_decimal


def test_integers_with_gaps_become_floats_that_are_equal_to_them():
    integers, missing = np.array([2**53, 2**53 + 1, -3]), np.array([False, True, False])
    out = np.empty(3)
    for found in (
        evaluate("missing_as_nan", integers, missing),
        evaluate("missing_as_nan", integers, missing, out=out),
    ):
        np.testing.assert_array_equal(found, [2.0**53, np.nan, -3.0])
    assert found is out
    with pytest.raises(ConversionError, match=f"integer {2**53 + 1} of column 'x' would become {2**53}"):
        evaluate("missing_as_nan", integers, ~missing, column="x")
    assert OPERATIONS["missing_as_nan"].result_type(INT64, column_type("bool")) == FLOAT64
    floats, words = np.array([1.5, 2.0**53]), strings(["1.5", str(2**53)])
    assert evaluate("demand_equal", floats, words) is floats
    with pytest.raises(ConversionError, match="row 1 of a block of 2"):
        evaluate("demand_equal", floats, strings(["1.5", str(2**53 + 1)]))


def test_columns_are_given_back_if_nothing_is_missing():
    values, none, one = np.array([1, 2, 3]), np.zeros(3, np.bool_), np.array([False, False, True])
    for name, params in (
        ("demand_present", {"column": "x", "filling": "0"}),
        ("demand_integers", {"wanted": "int64"}),
        ("demand_stored", {"column": "x"}),
    ):
        assert evaluate(name, values, none, **params) is values
        out = np.empty(3, np.int64)
        assert evaluate(name, values, none, out=out, **params) is out
        assert out.tolist() == [1, 2, 3]
        with pytest.raises((ArgumentTypeError, ConversionError), match="the first of a block of 3 at row 2"):
            evaluate(name, values, one, **params)
