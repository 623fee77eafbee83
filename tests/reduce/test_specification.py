from __future__ import annotations

import pytest

from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, STR, UINT8, UINT64, bigint_of
from akdask.errors import ArgumentTypeError
from akdask.operators.reduce.reductions import REDUCTIONS

pytestmark = pytest.mark.light


def test_every_reduction_has_a_form():
    for name, item in REDUCTIONS.items():
        assert name == item.name
        assert any(form is not None for form in (item.scalar, item.integers, item.grouped, item.distinct))
        # Groups of a type are reduced in one pass, or by their distinct values.
        assert item.grouped is None or item.distinct is None or set(item.grouped.types or ()) < set(item.types)


def test_forms_take_no_types_that_the_reduction_does_not_take():
    for item in REDUCTIONS.values():
        assert set(item.group_types) <= set(item.types)
        for dtype in item.types:
            assert item.result_type(dtype) == item.types[dtype]


@pytest.mark.parametrize(
    ("name", "dtype", "column", "groups"),
    [
        ("sum", UINT8, UINT64, UINT64),
        ("sum", BOOL, INT64, INT64),
        ("prod", INT64, INT64, FLOAT64),
        ("mean", UINT64, FLOAT64, FLOAT64),
        ("nunique", STR, INT64, INT64),
        ("argmax", FLOAT64, INT64, INT64),
        ("max", BIGINT, BIGINT, BIGINT),
    ],
)
def test_results_have_the_types_of_arkouda(name, dtype, column, groups):
    assert (REDUCTIONS[name].result_type(dtype), REDUCTIONS[name].group_result_type(dtype)) == (column, groups)


def test_limits_of_bits_stay_and_choose_the_form():
    assert REDUCTIONS["sum"].result_type(bigint_of(70)).max_bits == 70
    forms = {REDUCTIONS["sum"].scalar_form(dtype).merge for dtype in (INT64, BIGINT)}
    assert REDUCTIONS["sum"].scalar_form(bigint_of(3)).merge(5, 6) == 3
    assert all(merge(5, 6) == 11 for merge in forms)


def test_other_types_are_refused_by_name():
    with pytest.raises(ArgumentTypeError, match="var does not take a column of type str"):
        REDUCTIONS["var"].result_type(STR)
    with pytest.raises(ArgumentTypeError, match="min of groups does not take a column of type bool"):
        REDUCTIONS["min"].group_result_type(BOOL)
    assert REDUCTIONS["min"].takes(BOOL), "as another reduction"
