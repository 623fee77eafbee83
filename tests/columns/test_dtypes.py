"""Types of columns against NumPy's names, and times of one number against those of pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.dtypes import (
    BIGINT,
    BOOL,
    BY_NAME,
    FLOAT64,
    INT64,
    NOT_A_TIME,
    NULLABLE_BOOL,
    NULLABLE_INT64,
    NULLABLE_STR,
    PER_SECOND,
    STR,
    UINT8,
    UINT64,
    ColumnType,
    TimeForm,
    bigint_of,
    column_type,
    dtype,
    finer,
    list_of,
    some_lack,
    unlimited,
)
from akdask.errors import ArgumentTypeError

pytestmark = pytest.mark.light

WIDENED = {
    INT64: ("i1", "i2", "i4", "i8", "u2", "u4", int, "int64", np.int16),
    UINT64: ("u8", "uint64", np.uint64),
    UINT8: ("u1", "uint8", np.uint8),
    FLOAT64: ("f2", "f4", "f8", float, "float64"),
    BOOL: ("?", bool, "bool"),
    STR: ("U5", "S", str, "str"),
    BIGINT: (ak.bigint, ak.bigint_, "bigint"),
}


@pytest.mark.parametrize("expected", WIDENED, ids=str)
def test_numbers_widen_to_the_types_of_columns(expected):
    assert [column_type(given) for given in (*WIDENED[expected], expected)] == [expected] * (len(WIDENED[expected]) + 1)


@pytest.mark.parametrize("given", ["c16", "O", "M8[ns]", "V3", "f16", object(), "no type"])
def test_what_no_column_holds_is_refused(given):
    with pytest.raises(ArgumentTypeError, match="no column"):
        column_type(given)


@pytest.mark.parametrize(
    "kind", [*BY_NAME.values(), NULLABLE_BOOL, NULLABLE_INT64, NULLABLE_STR, list_of(INT64)], ids=str
)
def test_types_tell_what_their_rows_are(kind):
    is_numeric = kind.kind in ("int", "uint", "float", "bool")
    assert kind.is_numeric == is_numeric
    assert kind.is_number == (is_numeric and not kind.nullable)
    assert kind.is_nullable_number == (is_numeric and kind.nullable)
    assert kind.numpy == (np.dtype(kind.name) if is_numeric else np.dtype(object))
    assert kind.plain == ColumnType(kind.name, kind.kind, kind.itemsize, kind.item)
    assert str(kind) == kind.name + ("?" if kind.nullable and is_numeric else "")
    if is_numeric:
        assert kind.itemsize == kind.numpy.itemsize


def test_limits_are_left_out_at_any_depth():
    assert unlimited(bigint_of(7)) == BIGINT
    assert unlimited(list_of(list_of(bigint_of(7)))) == list_of(list_of(BIGINT))
    assert unlimited(NULLABLE_STR) == STR
    assert unlimited(NULLABLE_INT64) == NULLABLE_INT64
    assert [bigint_of(bits).max_bits for bits in (None, -1, 0, 1, 64)] == [-1, -1, -1, 1, 64]
    assert list_of(None).name == "list[]"


def test_a_dtype_is_that_of_numpy_or_bigint():
    given = [2**64, -(2**63) - 1, "BigInt", ak.bigint, ak.dtypes.bigint_, ak.array([2**70])]
    assert [dtype(item) for item in given] == [ak.bigint] * len(given)
    known = [2**64 - 1, -(2**63), True, 1.5, "f4", np.int8(1), np.zeros(2, "?"), ak.arange(2)]
    assert [dtype(item) for item in known] == ["u8", "i8", "?", "f8", "f4", "i1", "?", "i8"]
    with pytest.raises(ArgumentTypeError, match="no dtype"):
        dtype("nonsense")


@given(
    st.sampled_from(["time", "span"]), st.sampled_from(list(PER_SECOND)), st.booleans(), st.integers(-(2**31), 2**31)
)
def test_one_number_is_the_time_that_pandas_has(kind, unit, ordered, count):
    form = TimeForm(kind, unit, ordered=ordered)
    found = form(np.int64(count - ordered))
    expected = (pd.Timestamp if kind == "time" else pd.Timedelta)(count, unit=unit)
    assert (found, type(found)) == (expected, type(expected))
    assert found.unit == unit
    assert form.per_second == {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[unit]
    assert form.numpy == np.dtype(f"{'M' if kind == 'time' else 'm'}8[{unit}]")
    assert form(np.nan) is pd.NaT


@pytest.mark.parametrize("kind", ["time", "span"])
def test_nat_is_the_least_number_and_the_largest_where_it_is_last(kind):
    assert TimeForm(kind)(NOT_A_TIME) is pd.NaT
    assert TimeForm(kind, ordered=True)(2**63 - 1) is pd.NaT
    assert TimeForm(kind)(2**63 - 1).value == 2**63 - 1
    assert TimeForm(kind, ordered=True)(2**63 - 2).value == 2**63 - 1
    assert TimeForm(kind, ordered=True)(NOT_A_TIME).value == NOT_A_TIME + 1


def test_times_of_a_zone_are_counted_in_utc():
    form = TimeForm("time", "s", "Europe/Berlin")
    assert form(0) == pd.Timestamp("1970-01-01 01:00", tz="Europe/Berlin")
    assert str(form) == "datetime64[s, Europe/Berlin]"
    assert form.of_span() == TimeForm("span", "s")
    assert str(form.of_span()) == "timedelta64[s]"


@given(
    st.lists(st.sampled_from([True, False, None]), max_size=4), st.lists(st.sampled_from(list(PER_SECOND)), min_size=1)
)
def test_forms_together_may_lack_what_one_lacks_and_have_the_finest_unit(lacking, units):
    forms = [TimeForm("time").lacking(may) for may in lacking]
    assert [form.may_lack for form in forms] == lacking
    assert some_lack(forms) is (True if True in lacking else None if None in lacking else False)
    assert finer(*units) == max(units, key=["s", "ms", "us", "ns"].index)
    assert len({form.token for form in forms}) == len(set(forms))
