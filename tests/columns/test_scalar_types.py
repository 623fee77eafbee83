"""Types of single values, and NumPy's names."""

from __future__ import annotations

import numpy as np
import pytest

import akdask as ak
from akdask.arkouda.dtypes import dtype_for_chapel, isSupportedInt
from akdask.columns.scalar_types import is_string_dtype_hint
from akdask.errors import ArgumentTypeError


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (True, "bool"),
        (np.bool_(False), "bool"),
        (1, "int64"),
        (np.int8(1), "int64"),
        (-(2**63), "int64"),
        (2**63, "uint64"),
        (np.uint64(1), "uint64"),
        (2**64, "bigint"),
        (ak.bigint(2**64), "bigint"),
        (1.5, "float64"),
        (np.float32(1), "float64"),
        (1j, "float64"),
        ("a", "str"),
        (np.str_("a"), "str"),
        (np.datetime64(1, "ns"), "datetime64[ns]"),
        (None, "<class 'NoneType'>"),
        ([1], "<class 'list'>"),
    ],
)
def test_the_type_of_a_value_is_named(value, name):
    assert ak.resolve_scalar_dtype(value) == name


@pytest.mark.parametrize(
    ("value", "is_int", "is_float", "is_bool", "is_dtype"),
    [
        (5, True, False, False, True),
        (np.uint16(5), True, False, False, False),
        (5.5, False, True, False, True),
        (np.float32(5), False, True, False, False),
        (np.bool_(True), False, False, True, True),
        ("a", False, False, False, True),
        (1j, False, False, False, False),
        (ak.bigint(5), True, False, False, True),
    ],
)
def test_supported_values_are_known(value, is_int, is_float, is_bool, is_dtype):
    assert ak.is_supported_int(value) is is_int
    assert ak.is_supported_float(value) is is_float
    assert ak.is_supported_number(value) is (is_int or is_float)
    assert ak.is_supported_bool(value) is is_bool
    assert ak.is_supported_dtype(value) is is_dtype
    assert isSupportedInt(value) is is_int
    assert isinstance(value, ak.numeric_scalars) is (is_int or is_float)


def test_unions_tell_single_values():
    assert isinstance(np.int8(1), ak.int_scalars)
    assert isinstance("a", ak.all_scalars)
    assert not isinstance(None, ak.all_scalars)
    assert set(ak.numeric_and_bool_scalars.__args__) >= {bool, int, float}


def test_names_of_types_are_those_of_arkouda():
    assert str(ak.DType.FLOAT64) == repr(ak.DType.FLOAT64) == "float64"
    assert {"int64", "bigint", "str"} <= ak.DTypes
    assert np.int64 in ak.DTypeObjects
    assert "float64" in ak.ScalarDTypes & ak.NumericDTypes
    assert np.dtype("uint8") in ak.intTypes
    assert ak.bitType is np.uint64
    assert ak.NUMBER_FORMAT_STRINGS["int64"].format(5) == "5"
    assert ak.SeriesDTypes["string"] is np.str_


def test_bigint_is_a_dtype_and_makes_numbers():
    assert ak.bigint() is ak.dtype("bigint") is ak.bigint
    assert isinstance(ak.dtype(2**70), ak.bigint)
    assert not isinstance(np.dtype("int64"), ak.bigint)
    assert repr(ak.bigint("0xff")) == "ak.bigint_(255)"
    assert str(ak.bigint_(b"0b11")) == "3"
    assert ak.bigint_() == 0


def test_types_of_chapel_are_known():
    assert dtype_for_chapel("int") == dtype_for_chapel("int(64)") == np.int64
    assert dtype_for_chapel("real(32)") == np.float32
    assert dtype_for_chapel("bigint") == ak.bigint
    assert dtype_for_chapel("string") == np.dtype(str)
    for wrong in ("integer", "int(7)", ""):
        with pytest.raises(ArgumentTypeError):
            dtype_for_chapel(wrong)


def test_byte_orders_are_told():
    assert [ak.get_byteorder(np.dtype(order)) for order in ("<i8", ">i8", "i1")] == ["<", ">", "|"]
    assert ak.get_server_byteorder() in {"little", "big"}


@pytest.mark.parametrize("hint", ["str", "str_", str, np.str_, np.dtype("U5"), ak.Strings])
def test_hints_of_text_are_known(hint):
    assert is_string_dtype_hint(hint)
    assert not any(map(is_string_dtype_hint, ["int64", np.dtype("i8"), int, None, 5]))


def test_numpys_names_are_numpys():
    assert (ak.int32, ak.float32, ak.True_, ak.finfo) == (np.int32, np.float32, np.True_, np.finfo)
    assert ak.Int64DType is np.dtypes.Int64DType
    assert ak.issubdtype(ak.int8, ak.signedinteger)
