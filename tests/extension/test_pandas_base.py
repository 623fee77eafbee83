"""pandas' own tests of extension arrays, on lazy floats and lazy text."""

from __future__ import annotations

import pandas as pd
import pytest
from pandas.tests.extension import base
from pandas.tests.extension.conftest import *  # noqa: F403 - the fixtures that the tests want

from akdask.extension import ArkoudaFloat64Dtype, ArkoudaStringDtype


@pytest.fixture
def data(dtype):
    return _make(dtype, range(1, 11))


@pytest.fixture
def data_missing(dtype):
    return _make(dtype, [None, 1])


@pytest.fixture
def data_for_twos(dtype):
    return _make(dtype, [2] * 10)


@pytest.fixture
def data_for_sorting(dtype):
    return _make(dtype, [2, 3, 1])


@pytest.fixture
def data_missing_for_sorting(dtype):
    return _make(dtype, [2, None, 1])


@pytest.fixture
def data_for_grouping(dtype):
    return _make(dtype, [2, 2, None, None, 1, 1, 2, 3])


@pytest.fixture
def na_cmp():
    return lambda one, other: pd.isna(one) and pd.isna(other)


def _make(dtype, numbers):
    plain = [None if number is None else float(number) for number in numbers]
    if dtype == "ak_string":
        plain = [None if number is None else f"s{number:05.1f}" for number in plain]
    return pd.array(plain, dtype=dtype)


class LazyTests(base.ExtensionTests):
    """What differs for lazy arrays: comparison is lazy as well, and copies are made of plans."""

    _combine_le_expected_dtype = "ak_bool"

    def _cast_pointwise_result(self, op_name, obj, other, pointwise_result):
        if op_name in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
            return pointwise_result.astype("ak_bool")
        return pointwise_result


class TestFloats(LazyTests):
    """All tests, on floats, of which NaN is missing."""

    @pytest.fixture
    def dtype(self):
        return ArkoudaFloat64Dtype()

    def _supports_accumulation(self, ser, op_name):
        return True

    def _supports_reduction(self, ser, op_name):
        return True

    divmod_exc = None
    series_scalar_exc = None
    frame_scalar_exc = None
    series_array_exc = None


class TestText(LazyTests):
    """All tests, on text, of which NaN stands for what is missing."""

    @pytest.fixture
    def dtype(self):
        return ArkoudaStringDtype()

    def _get_expected_exception(self, op_name, obj, other):
        # Text is put together, and formats text.
        return (
            None
            if op_name in ("__add__", "__radd__", "__rmod__")
            else super()._get_expected_exception(op_name, obj, other)
        )
