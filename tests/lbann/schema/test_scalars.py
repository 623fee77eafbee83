"""Scalars are typed as Conduit types them."""

from __future__ import annotations

import ctypes
import math
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.lbann.schema_document import typed


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e5", 1e5),
        ("1e-07", 1e-07),
        ("010", 10),
        ("+7", 7),
        ("-7", -7),
        ("0x10", 16.0),
        ("0x1.8p1", 3.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("inf", math.inf),
        ("-Infinity", -math.inf),
        ("1e999", math.inf),
        ("0x1p99999", math.inf),
        ("yes", "yes"),
        ("null", "null"),
        ("~", "~"),
        ("1_000", "1_000"),
        ("1 2", "1 2"),
        ("1e", "1e"),
        ("٣", "٣"),
        ("", ""),
        ("9" * 500, "9" * 500),
    ],
)
def test_values(text, value):
    found = typed(text)
    assert found == value
    assert type(found) is type(value)


def test_nan_is_a_number():
    assert math.isnan(typed("nan"))
    assert math.isnan(typed("NaN(123)"))


def _strtod(text):
    """What C makes of the text, None if it does not take all of it."""
    function = ctypes.CDLL(None).strtod
    function.restype = ctypes.c_double
    function.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p)]
    encoded = ctypes.create_string_buffer(text.encode())
    rest = ctypes.c_char_p()
    value = function(ctypes.cast(encoded, ctypes.c_char_p), ctypes.byref(rest))
    return value if text and rest.value == b"" else None


@given(st.text("0123456789+-.eExXpPaAbfFinNIty ", max_size=12))
@example("0x")
@example("0x.p1")
@example("-.")
def test_numbers_are_what_strtod_takes(text):
    expected, found = _strtod(text), typed(text)
    if expected is None:
        assert found == text
    else:
        assert float(found) == expected or (math.isnan(found) and math.isnan(expected))
        assert isinstance(found, int) == bool(re.fullmatch(r"\s*[+-]?[0-9]+", text))
