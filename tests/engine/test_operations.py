"""The common type of numbers, text and integers of any size: NumPy's, as far as it has them."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from akdask.columns.dtypes import (
    BIGINT,
    BOOL,
    FLOAT64,
    INT64,
    NULLABLE_BOOL,
    NULLABLE_INT64,
    NULLABLE_STR,
    NULLABLE_UINT8,
    STR,
    UINT8,
    UINT64,
    bigint_of,
    column_type,
    list_of,
)
from akdask.engine.operations import promote, scalar_type
from akdask.errors import ArgumentTypeError

NUMBERS = [BOOL, UINT8, INT64, UINT64, FLOAT64]
WHOLE = [BOOL, UINT8, INT64, UINT64]

pytestmark = pytest.mark.light


@pytest.mark.parametrize(("one", "other"), [*product(NUMBERS, NUMBERS)], ids=str)
def test_numbers_have_the_common_type_that_numpy_gives_them(one, other):
    common = column_type(np.result_type(one.numpy, other.numpy))
    assert promote(one, other) == common
    assert promote(one, other, one) == common
    if FLOAT64 not in (one, other):
        nullable = common if common == FLOAT64 else replace(common, nullable=True)
        assert promote(replace(one, nullable=True), other) == nullable
        assert promote(one, replace(other, nullable=True)) == nullable


@pytest.mark.parametrize("other", WHOLE, ids=str)
def test_integers_of_any_size_take_in_other_integers(other):
    assert promote(BIGINT, other) == promote(other, BIGINT) == BIGINT
    assert promote(other, bigint_of(70)) == bigint_of(70)
    assert promote(bigint_of(70), other, bigint_of(90)) == bigint_of(90)
    assert promote(bigint_of(70), other, BIGINT) == BIGINT


def test_text_and_lists_have_no_common_type_with_numbers():
    assert promote(STR, NULLABLE_STR) == promote(NULLABLE_STR, NULLABLE_STR) == NULLABLE_STR
    assert promote(STR, STR) is None
    assert promote(NULLABLE_INT64, NULLABLE_BOOL, NULLABLE_UINT8) == NULLABLE_INT64
    for other in (STR, NULLABLE_STR, list_of(INT64), list_of(BIGINT)):
        assert [promote(*pair) for pair in ((INT64, other), (other, FLOAT64), (BIGINT, other))] == [None] * 3
    assert promote(BIGINT, FLOAT64) is None


@pytest.mark.parametrize(
    ("number", "alone", "beside"),
    [
        (0, INT64, {UINT64: UINT64, UINT8: UINT8, INT64: INT64, FLOAT64: INT64, BOOL: INT64}),
        (255, INT64, {UINT64: UINT64, UINT8: UINT8}),
        (256, INT64, {UINT64: UINT64, UINT8: INT64}),
        (-1, INT64, {UINT64: INT64, UINT8: INT64}),
        (2**63 - 1, INT64, {UINT64: UINT64}),
        (2**63, UINT64, {UINT64: UINT64, INT64: UINT64}),
        (2**64 - 1, UINT64, {UINT64: UINT64}),
        (2**64, BIGINT, {UINT64: BIGINT}),
        (-(2**63) - 1, BIGINT, {UINT64: BIGINT}),
        (True, BOOL, {UINT8: BOOL}),
        (0.5, FLOAT64, {UINT8: FLOAT64}),
        ("a", STR, {}),
        (np.uint8(1), UINT8, {INT64: UINT8}),
        (np.int16(1), INT64, {UINT8: INT64}),
        (np.float32(1), FLOAT64, {}),
    ],
)
def test_a_plain_number_has_a_type_of_its_own_or_that_of_the_column_beside_it(number, alone, beside):
    assert scalar_type(number) == alone
    assert {other: scalar_type(number, other) for other in beside} == beside


def test_what_no_column_holds_has_no_type():
    with pytest.raises(ArgumentTypeError):
        scalar_type(object())
