"""pandas' own tests of extension arrays, on lazy arrays of each type."""

from __future__ import annotations

import io
import operator
from inspect import signature

import pandas as pd
import pytest
from pandas.tests.extension import base
from pandas.tests.extension.conftest import *  # noqa: F403 - the fixtures that the tests want

import akdask

COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}


class NamesOfTypes(base.BaseDtypeTests):
    """pandas finds a type by its name; as in Arkouda, a lazy type has NumPy's name and is found with ``ak_`` before."""

    def test_is_dtype_from_name(self, dtype):
        assert type(dtype).is_dtype(f"ak_{dtype.name}")
        assert not type(dtype).is_dtype(dtype.name)

    def test_construct_from_string_own_name(self, dtype):
        assert type(dtype.construct_from_string(f"ak_{dtype.name}")) is type(dtype)
        with pytest.raises(TypeError, match=f"Cannot construct.*from '{dtype.name}'"):
            dtype.construct_from_string(dtype.name)

    def test_eq_with_str(self, dtype):
        assert dtype == f"ak_{dtype.name}"
        assert dtype != dtype.name

    test_eq = test_eq_with_str

    def test_check_dtype(self, data):
        frame = pd.DataFrame({"A": pd.Series(data), "B": ["x"] * len(data), "C": [1] * len(data)})
        assert (frame.dtypes == f"ak_{data.dtype.name}").tolist() == [True, False, False]


def _with_lazy_names(tests):
    return NamesOfTypes if tests is base.BaseDtypeTests else tests


# Arrays of pandas may have two dimensions, those here have one.
OF_ONE_DIMENSION = [
    _with_lazy_names(tests) for tests in base.ExtensionTests.__bases__ if tests is not base.Dim2CompatTests
]


MISSING = {"all_data", "data_for_grouping", "data_missing", "data_missing_for_sorting", "na_cmp", "na_value"}

OF_EXACT_VALUES = [
    base.BaseCastingTests,
    base.BaseComparisonOpsTests,
    base.BaseConstructorsTests,
    NamesOfTypes,
    base.BaseInterfaceTests,
    base.BaseUnaryOpsTests,
]

OF_INTEGERS = [*OF_EXACT_VALUES, base.BaseAccumulateTests, base.BaseArithmeticOpsTests, base.BaseReduceTests]


def without(*fixtures):
    """Leave out pandas' tests of what a type has not; a decorator of classes."""

    def leaving_out(cls):
        for name in dir(cls):
            if name.startswith("test") and not set(fixtures).isdisjoint(signature(getattr(cls, name)).parameters):
                setattr(cls, name, None)
        return cls

    return leaving_out


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


@pytest.fixture
def invalid_scalar():
    return object()


def _make(dtype, numbers):
    if dtype in ("ak_string", "ak_category"):
        return pd.array([None if number is None else f"s{number:02}" for number in numbers], dtype=dtype)
    return pd.array(list(numbers), dtype=dtype)


def _is_text_of_pandas(items):
    return isinstance(items, pd.Series) and isinstance(items.dtype, pd.StringDtype)


class Lazy:
    """What all types have in common."""

    _combine_le_expected_dtype = "ak_bool"

    def test_from_dtype(self, data):
        for given in (data.dtype, f"ak_{data.dtype.name}"):
            assert type(pd.Series(list(data), dtype=given).array) is type(data)

    @pytest.mark.parametrize("size", ["big", "small"])
    def test_array_repr(self, data, size):
        # As in Arkouda, the class around what the array inside prints.
        for given in (data[:5], type(data)._concat_same_type([data] * 20)):
            assert repr(given) == f"{type(data).__name__}({given._data})"

    @pytest.mark.parametrize("engine", ["c", "python"])
    def test_EA_types(self, engine, data):
        text = io.StringIO(pd.DataFrame({"x": data}).to_csv(index=False))
        found = pd.read_csv(text, dtype={"x": f"ak_{data.dtype.name}"}, engine=engine).x.array
        assert type(found) is type(data)
        assert found.equals(data)

    def test_astype_str(self, data):
        # As in Arkouda, a type that lazy arrays have gives one.
        for given in (str, "string", "U"):
            found = pd.array(data[:2]).astype(given)
            assert isinstance(found, akdask.ArkoudaStringArray)
            assert found.tolist() == [str(item) for item in data[:2]]

    def test_astype_string(self, data):
        assert pd.Series(data).astype("string[pyarrow]").dtype == "ak_string"

    def _cast_pointwise_result(self, op_name, obj, other, pointwise_result):
        # pandas expects its own bools of comparisons unless it is told what else.
        return pointwise_result.astype("ak_bool") if op_name.strip("_") in COMPARISONS else pointwise_result


class Reductions:
    """pandas skips what it finds refused, and numbers of elements; these are its tests with answers for both."""

    @pytest.mark.parametrize("skipna", [True, False])
    def test_reduce_frame(self, data, all_numeric_reductions, skipna):
        series = pd.Series(data)
        if all_numeric_reductions == "count":
            assert pd.DataFrame({"a": data}).count().tolist() == [len(data)]
        elif self._supports_reduction(series, all_numeric_reductions):
            self.check_reduce_frame(series, all_numeric_reductions, skipna)
        else:
            with pytest.raises(TypeError, match=f"reduction '{all_numeric_reductions}'"):
                getattr(pd.DataFrame({"a": data}), all_numeric_reductions)(skipna=skipna)


class Numbers(Lazy):
    """Numbers have all operators and reductions."""

    divmod_exc = series_scalar_exc = frame_scalar_exc = series_array_exc = None

    def _supports_accumulation(self, ser, op_name):
        return True

    def _supports_reduction(self, ser, op_name):
        return True


class TestFloats(Reductions, Numbers, *OF_ONE_DIMENSION):  # type: ignore[misc]
    """All tests, on floats, of which NaN is missing."""

    @pytest.fixture
    def dtype(self):
        return pd.api.types.pandas_dtype("ak_float64")


class Integers(Reductions, Numbers):
    """What integers of all types have in common."""

    def _get_expected_reduction_dtype(self, arr, op_name, skipna):
        return arr.dtype if op_name in ("sum", "prod", "min", "max", "count") else "ak_float64"


@pytest.mark.sampled(one_of=5)
class TestIntegers(Integers, *OF_ONE_DIMENSION):  # type: ignore[misc]
    """All tests, on integers of which some are missing."""

    @pytest.fixture
    def dtype(self):
        return pd.api.types.pandas_dtype("ak_int64")

    @pytest.fixture(autouse=True)
    def filled_as_in_pandas(self, monkeypatch):
        # pandas' tests leave out the value of take for missing elements; `test_missing_numbers` tests Arkouda's -1.
        monkeypatch.setattr(akdask.ArkoudaArray, "default_fill_value", None)


@pytest.mark.sampled(one_of=8)
@without(*MISSING)
class TestBytes(Integers, *OF_INTEGERS):  # type: ignore[misc]
    """Integers of 8 bits from 0."""

    @pytest.fixture
    def dtype(self):
        return pd.api.types.pandas_dtype("ak_uint8")

    def _get_expected_reduction_dtype(self, arr, op_name, skipna):
        # As NumPy does, so that sums fit.
        return (
            "ak_uint64" if op_name in ("sum", "prod") else super()._get_expected_reduction_dtype(arr, op_name, skipna)
        )


@pytest.mark.sampled(one_of=8)
@without(*MISSING)
class TestUnsigned(Integers, *OF_INTEGERS):  # type: ignore[misc]
    """Integers from 0."""

    @pytest.fixture
    def dtype(self):
        return pd.api.types.pandas_dtype("ak_uint64")


@pytest.mark.sampled(one_of=8)
@without(*MISSING)
class TestBigints(Integers, *OF_INTEGERS):  # type: ignore[misc]
    """Integers of any size."""

    @pytest.fixture
    def dtype(self):
        return pd.api.types.pandas_dtype("ak_bigint")

    def _supports_accumulation(self, ser, op_name):
        return op_name == "cumsum"

    def test_invert(self, data):
        # As in Arkouda, integers without a limit of bits have no inverse.
        with pytest.raises(TypeError):
            operator.invert(data)

    def _get_expected_reduction_dtype(self, arr, op_name, skipna):
        # One number shows no type of its own: a small one is an int64.
        return "ak_int64" if op_name in ("sum", "prod", "min", "max", "count") else "ak_float64"


@without(*MISSING, "data_for_twos")
class TestBools(Numbers, *OF_EXACT_VALUES):  # type: ignore[misc]
    """Truth values; pandas compares their arithmetic with that of floats, `test_arrays` with NumPy's."""

    @pytest.fixture
    def dtype(self):
        return pd.api.types.pandas_dtype("ak_bool")

    @pytest.fixture
    def data(self, dtype):
        return pd.array([True, False] * 5, dtype=dtype)


class Text(Lazy, Reductions):
    """Text has no arithmetic but ``+``."""

    @pytest.mark.parametrize("skipna", [True, False])
    def test_reduce_series_numeric(self, data, all_numeric_reductions, skipna):
        if all_numeric_reductions == "count":
            assert pd.Series(data).count() == len(data)
        else:
            super().test_reduce_series_numeric(data, all_numeric_reductions, skipna)

    def test_diff(self, data):
        with pytest.raises(TypeError):
            pd.Series(data).diff()

    def test_plot_on_y_axis(self, plot_data):
        # pandas plots no text, its own neither.
        with pytest.raises(TypeError, match="no numeric data to plot"):
            super().test_plot_on_y_axis(plot_data)

    def _cast_pointwise_result(self, op_name, obj, other, pointwise_result):
        if op_name == "__radd__" and _is_text_of_pandas(other):
            # The left side decides, which is pandas' own text.
            return pd.Series(pointwise_result.tolist(), dtype=other.dtype)
        return super()._cast_pointwise_result(op_name, obj, other, pointwise_result)

    def test_arith_series_with_scalar(self, data, all_arithmetic_operators):
        if all_arithmetic_operators == "__rmod__":
            # Python's own formatting takes a Series for a mapping and does not ask it.
            assert data[0] % pd.Series(data) == data[0]
        else:
            super().test_arith_series_with_scalar(data, all_arithmetic_operators)

    def test_arith_frame_with_scalar(self, data, all_arithmetic_operators):
        if all_arithmetic_operators == "__rmod__":
            assert data[0] % pd.DataFrame({"A": data}) == data[0]
        else:
            super().test_arith_frame_with_scalar(data, all_arithmetic_operators)


@pytest.mark.sampled(one_of=2)
class TestText(Text, *OF_ONE_DIMENSION):  # type: ignore[misc]
    """All tests, on text, of which NaN stands for what is missing."""

    @pytest.fixture
    def dtype(self):
        return pd.api.types.pandas_dtype("ak_string")

    def _get_expected_exception(self, op_name, obj, other):
        return None if op_name in ("__add__", "__radd__") else TypeError


@pytest.mark.sampled(one_of=5)
class TestCategories(Text, *(tests for tests in OF_ONE_DIMENSION if tests is not base.BaseReshapingTests)):  # type: ignore[misc]
    """Text of few distinct values, which is equal or not and has no order; rows move as those of other text do."""

    @pytest.fixture
    def dtype(self):
        return pd.api.types.pandas_dtype("ak_category")

    def _get_expected_exception(self, op_name, obj, other):
        return None if op_name == "__radd__" and _is_text_of_pandas(other) else TypeError

    def _compare_other(self, ser, data, op, other):
        if op.__name__ in ("eq", "ne"):
            super()._compare_other(ser, data, op, other)
        else:
            with pytest.raises(TypeError):
                op(ser, other)
