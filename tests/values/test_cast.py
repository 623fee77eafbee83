from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from akdask.columns.dtypes import INT64, STR, UINT8
from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError

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
