import copy
import math
import operator
import pickle

import dask
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.columns.dtypes import FLOAT64
from akdask.errors import ArgumentError
from akdask.testing import assert_equal
from akdask.testing.memory import MemorySource

ROWS = np.array([3, 1, 4, 1, 5, 9, 2, 6])


@pytest.fixture
def source():
    return MemorySource({"x": ROWS}, [3, 0, 5])


@pytest.fixture
def x(source):
    return source.arrays()["x"]


def test_a_scalar_is_a_number_where_one_is_expected(x):
    total, mean = x.sum(), x.mean()
    assert int(total) == 31
    assert float(mean) == 3.875
    assert complex(total) == 31
    assert bool(total)
    assert not bool((x > 100).any())
    assert round(mean, 1) == 3.9
    assert round(mean) == 4
    assert math.floor(mean) == 3
    assert math.sqrt(x.max()) == 3
    assert list(range(x.argmax()))[-1] == 4
    assert ["a", "b"][x.argmin()] == "b"
    assert abs(-mean) == 3.875


def test_a_scalar_is_formatted_as_its_value(x):
    assert f"{x.mean():.2f} of {x.sum()}" == "3.88 of 31"
    assert str(x.sum()) == "31"
    assert repr(x.sum()) == repr(np.int64(31))
    assert "%d" % x.sum() == "31"  # noqa: UP031 - as older scripts do


def test_a_scalar_compares_and_hashes_as_its_value(x):
    total = x.sum()
    assert total == 31
    assert total != 30
    assert 30 < total <= 31
    assert total == ROWS.sum()
    assert x.max() == ROWS.max() == 9
    assert x.max() > x.min()
    assert hash(total) == hash(31)
    assert {31: "found"}[total] == "found"
    assert max(x.min(), x.max()) == 9


@pytest.mark.parametrize(
    "function", [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, divmod]
)
def test_arithmetic_with_numbers_finds_the_value(x, function):
    assert function(x.sum(), 4) == function(31, 4)
    assert function(400, x.sum()) == function(400, 31)
    assert function(x.sum(), x.max()) == function(31, 9)
    assert function(x.sum(), np.float64(0.5)) == function(31, 0.5)


def test_bit_operators_find_the_value(x):
    some, none = (x > 5).any(), (x > 50).any()
    assert (some & True) == True  # noqa: E712
    assert (some | none) == True  # noqa: E712
    assert not some & none
    assert ~x.max() == -10
    assert x.max() << 1 == 18
    assert x.max() ** 2 == 81


def test_numpy_functions_find_the_value(x):
    assert np.sqrt(x.max()) == 3
    assert np.isnan(x.mean()) == False  # noqa: E712
    assert np.array([x.min(), x.max()]).tolist() == [1, 9]
    assert np.maximum(x.min(), 5) == 5
    assert np.add(x.min(), np.arange(2)).tolist() == [1, 2]


def test_a_scalar_has_the_attributes_of_its_value(x):
    assert x.sum().item() == 31
    assert isinstance(x.sum().item(), int)
    assert x.sum().dtype == np.int64
    assert x.mean().is_integer() is False
    assert sum([x.sum(), x.sum()]) == 62


def test_a_value_is_found_once(x, source):
    total = x.sum()
    assert total == 31
    source.reads.clear()
    assert f"{total} {total + 1} {float(total)} {np.sqrt(total):.1f}" == "31 32 31.0 5.6"
    assert source.reads == []


@pytest.mark.lazy_only
def test_arithmetic_with_arrays_stays_lazy(x, source):
    for lazy, wanted in [
        (x - x.mean(), ROWS - ROWS.mean()),
        (x.mean() - x, ROWS.mean() - ROWS),
        (x * x.max(), ROWS * 9),
        (x > x.mean(), ROWS.mean() < ROWS),
        (x.mean() >= x, ROWS.mean() >= ROWS),
        (np.maximum(x, x.mean()), np.maximum(ROWS, ROWS.mean())),
        (np.add(x.min(), x), ROWS + 1),
        (np.float64(2) * x, ROWS * 2.0),
        (ak.where(x > x.mean(), x, x.min()), np.where(ROWS.mean() < ROWS, ROWS, 1)),
    ]:
        assert source.reads == []
        assert_equal(lazy, wanted, lazy=True)
        source.reads.clear()


def test_scalars_serve_inside_filters(x):
    assert_equal(x[x > x.mean()], ROWS[ROWS.mean() < ROWS])
    above = x[x > x.mean()]
    assert_equal(above[above < above.max()], [4, 5, 6])
    assert ((x - x.mean()) ** 2).mean() == pytest.approx(ROWS.var())


def test_scalars_of_other_rows_serve_everywhere(x):
    other = ak.array([1.0, 2.0])
    assert_equal(x * other.sum(), ROWS * 3.0)


def test_a_persisted_scalar_is_known(x, source):
    (total,) = dask.persist(x.sum())
    source.reads.clear()
    assert total == 31
    assert source.reads == []


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_extremes_of_nothing_are_an_error_when_computed(x, name):
    nothing = getattr(x[x > 100], name)()
    with pytest.raises(ArgumentError, match=f"{name} of no rows"):
        nothing.compute()
    with pytest.raises(ArgumentError, match=f"{name} of no rows"):
        int(getattr(ak.array([], dtype="int64"), name)())


def test_other_reductions_of_nothing_have_values(x):
    nothing = x[x > 100]
    assert nothing.sum() == 0
    assert nothing.prod() == 1
    assert np.isnan(nothing.mean())
    assert nothing.all() == True  # noqa: E712
    assert nothing.any() == False  # noqa: E712
    assert nothing.count_nonzero() == 0
    assert nothing.nunique() == 0
    assert nothing.is_sorted() == True  # noqa: E712


@pytest.mark.parametrize(
    ("reduce", "kinds"),
    [
        (lambda x: x.sum(), (np.int64, np.integer, np.generic)),
        (lambda x: (x > 2).sum(), (np.integer,)),
        (lambda x: x.argmax(), (np.int64,)),
        (lambda x: (x > 2).any(), (np.bool_,)),
        (lambda x: x.mean(), (np.floating, np.number)),
        (lambda x: x.sum() / 2, (np.floating,)),
    ],
)
def test_scalars_are_instances_of_the_type_of_their_value_and_stay_lazy(x, source, reduce, kinds):
    scalar = reduce(x)
    assert all(isinstance(scalar, kind) for kind in kinds)
    assert not isinstance(scalar, str)
    dask.base.tokenize([scalar])
    assert source.reads == []
    assert all(isinstance(scalar.value(), kind) for kind in kinds)
    assert pickle.loads(pickle.dumps(scalar)) == copy.copy(scalar) == scalar


def test_lists_and_text_are_repeated_by_a_scalar(x):
    assert [0] * x.min() == [0]
    assert "ab" * (x.min() + 1) == "abab"
    assert (1, 2) * x.min() == (1, 2)


def test_ipython_shows_the_values_of_lazy_floats_wherever_they_are():
    # IPython goes through the classes of `__class__`, and asks `repr` if one of them before `object` defines it.
    value = ak.array([1.5, 2.5]).mean()
    assert next(kind for kind in value.__class__.__mro__ if "__repr__" in vars(kind)) is not object
    pretty = pytest.importorskip("IPython.lib.pretty").pretty
    assert pretty((value, {"mean": value})) == "(np.float64(2.0), {'mean': np.float64(2.0)})"


@pytest.mark.parametrize("name", ["max", "min", "sum"])
def test_scalars_of_integers_that_may_be_missing_are_floats_beside_rows(name):
    rows = ak.Series(pd.Series([7, None, 3], dtype="Int64")).values
    present = rows[~ak.isnan(rows)]
    reduced, lacks = getattr(present, name)(), getattr(rows, name)()
    assert reduced.as_value().dtype == lacks.as_value().dtype == FLOAT64
    wanted = getattr(np.array([7.0, 3.0]), name)()
    assert_equal(ak.array([1, 2]) + reduced, np.array([1, 2]) + wanted)
    assert_equal(ak.array([1, 2]) + lacks, np.array([np.nan, np.nan]))
