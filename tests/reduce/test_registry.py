from __future__ import annotations

import pickle
from functools import reduce

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from akdask.columns.dtypes import FLOAT64, INT64, STR, column_type
from akdask.engine.reduction import select_rows, sum_rows
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.operators.reduce.reductions import REDUCTIONS, ScalarReduction

pytestmark = pytest.mark.light

NUMBERS = ["int64", "uint64", "float64", "bool", "uint8"]
EXPECTED = {
    "sum": np.sum,
    "prod": np.prod,
    "count": lambda rows: np.int64(len(rows)),
    "count_nonzero": lambda rows: np.int64(np.count_nonzero(rows)),
    "mean": lambda rows: np.mean(rows, dtype=np.float64),
    "var": lambda rows: np.var(rows, dtype=np.float64),
    "std": lambda rows: np.std(rows, dtype=np.float64),
    "any": np.any,
    "all": np.all,
    "min": np.min,
    "max": np.max,
    "argmin": np.argmin,
    "argmax": np.argmax,
    "nunique": lambda rows: np.int64(len(np.unique(rows))),
    "is_sorted": lambda rows: np.bool_(np.all(rows[:-1] <= rows[1:])),
}
NOT_OF_NOTHING = ("min", "max", "argmin", "argmax")


@st.composite
def blocks(draw, masked=False):
    """Rows of any type, a mask, and the blocks that they are cut into, empty ones too."""
    dtype = draw(st.sampled_from(NUMBERS))
    rows = draw(npst.arrays(dtype, st.integers(0, 40), elements=values_of(dtype)))
    if draw(st.booleans()):
        rows.sort()
    cuts = sorted(draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    mask = draw(npst.arrays(np.bool_, len(rows))) if masked else np.ones(len(rows), np.bool_)
    pieces = [slice(*cut) for cut in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    return rows, mask, pieces


def values_of(dtype):
    """Moderate floats: the order of operations matters little, and products stay above 0; any integers."""
    if dtype == "float64":
        return st.floats(-1e6, 1e6).map(lambda number: round(number, 6)) | st.sampled_from(
            [np.nan, np.inf, -np.inf, 0.0, -0.0]
        )
    return npst.from_dtype(np.dtype(dtype)) | st.integers(0, 3).map(np.dtype(dtype).type)


def check(name, rows, mask, states):
    reduction = ScalarReduction(name, column_type(rows.dtype.name))
    state = pickle.loads(pickle.dumps(reduce(reduction.merge, states)))
    selected = rows[mask]
    if not len(selected) and name in NOT_OF_NOTHING:
        with pytest.raises(ArgumentError, match=f"{name} of no rows"):
            reduction.finalize(state)
        return
    found = reduction.finalize(state)
    assert found.dtype == REDUCTIONS[name].result_type(column_type(rows.dtype.name)).numpy
    with np.errstate(all="ignore"):
        expected = (
            EXPECTED[name](selected) if len(selected) or name not in ("mean", "var", "std") else np.float64("nan")
        )
    assert found.dtype == expected.dtype
    if found.dtype.kind == "f" and name not in ("min", "max"):
        scale = np.abs(selected.astype(float)[np.isfinite(selected.astype(float))]).max(initial=1.0)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * scale ** (2 if name == "var" else 1))
    else:
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", EXPECTED)
@given(cut=blocks())
def test_any_cut_into_blocks_merges_to_what_numpy_makes_of_the_whole(name, cut):
    rows, mask, pieces = cut
    reduction = ScalarReduction(name, column_type(rows.dtype.name))
    check(name, rows, mask, [reduction.partial(rows[piece]) for piece in pieces])


@pytest.mark.parametrize("name", EXPECTED)
@given(cut=blocks(masked=True))
@example(cut=(np.array([3.0, 2.0, 5.0, 7.0]), np.array([True, False, True, False]), [slice(0, 3), slice(3, 4)]))
def test_a_mask_reduces_the_rows_where_it_holds(name, cut):
    rows, mask, pieces = cut
    reduction = ScalarReduction(name, column_type(rows.dtype.name))
    check(name, rows, mask, [reduction.partial(rows[piece], mask[piece]) for piece in pieces])


@pytest.mark.parametrize("dtype", ["int64", "uint64", "uint8", "bool"])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.02, 0.5, 0.95, 1.0])
def test_sums_under_a_mask_are_those_of_the_rows_that_it_selects(dtype, share):
    source = np.random.default_rng(5)
    rows = source.integers(0, 2 if dtype == "bool" else 200, 20_000).astype(dtype)
    mask = source.random(20_000) < share
    np.testing.assert_array_equal(select_rows(rows, mask), rows[mask])
    found = sum_rows(rows, mask)
    assert found.dtype == rows.sum().dtype
    assert found == rows[mask].sum()
    assert sum_rows(rows[::2], mask[::2]) == rows[::2][mask[::2]].sum()


@pytest.mark.parametrize("spoilt", [np.nan, np.inf])
def test_rows_that_a_mask_leaves_out_cannot_spoil_a_sum(spoilt):
    rows = np.arange(100.0)
    mask = rows % 2 == 0
    rows[1] = spoilt
    total = ScalarReduction("sum", FLOAT64)
    assert total.finalize(total.partial(rows, mask)) == rows[::2].sum()
    mask[1] = True
    np.testing.assert_array_equal(total.finalize(total.partial(rows, mask)), spoilt)


def test_integer_sums_wrap():
    total = ScalarReduction("sum", INT64)
    state = total.partial(np.array([2**63 - 1]))
    assert total.merge(state, total.partial(np.array([1]))) == -(2**63)


def test_variance_keeps_its_digits_where_the_mean_is_large():
    rows = np.random.default_rng(1).normal(1e9, 1e-2, 4_000)
    states = [ScalarReduction("var", FLOAT64).partial(rows[start : start + 7]) for start in range(0, 4_000, 7)]
    np.testing.assert_allclose(
        ScalarReduction("var", FLOAT64).finalize(reduce(ScalarReduction("var", FLOAT64).merge, states)),
        rows.var(),
        rtol=1e-5,
    )


@pytest.mark.parametrize("ddof", [0, 1, 3])
def test_variance_and_deviation_take_ddof(ddof):
    rows = np.array([1.0, 2.0, 4.0])
    with np.errstate(all="ignore"), pytest.warns(RuntimeWarning) if ddof == 3 else np.errstate():
        expected = np.var(rows, ddof=ddof)
    state = ScalarReduction("var", FLOAT64).partial(rows)
    np.testing.assert_allclose(ScalarReduction("var", FLOAT64).finalize(state, ddof=ddof), expected)
    np.testing.assert_allclose(ScalarReduction("std", FLOAT64).finalize(state, ddof=ddof), np.sqrt(expected))


@pytest.mark.parametrize("name", sorted(EXPECTED.keys() - set(NOT_OF_NOTHING)))
@pytest.mark.parametrize("dtype", NUMBERS)
def test_the_empty_state_changes_nothing(name, dtype):
    reduction = ScalarReduction(name, column_type(dtype))
    rows = np.array([3, 1, 1, 2]).astype(dtype)
    alone, empty = reduction.partial(rows), reduction.empty()
    for state in (reduction.merge(alone, empty), reduction.merge(empty, alone)):
        assert reduction.finalize(state) == reduction.finalize(alone)


@given(words=st.lists(st.sampled_from(["", "a", "b", "ñ", "a\x00"])), cut=st.integers(0, 20), seed=st.integers(0, 99))
def test_strings_are_counted_compared_and_told_apart(words, cut, seed):
    column = pa.array(words, pa.large_string())
    mask = np.random.default_rng(seed).random(len(words)) < 0.5
    selected = [word for word, kept in zip(words, mask, strict=True) if kept]
    expectations = {"count": len(selected), "nunique": len(set(selected)), "is_sorted": selected == sorted(selected)}
    for name, expected in expectations.items():
        reduction = ScalarReduction(name, STR)
        left = reduction.partial(column[:cut], mask[:cut])
        right = reduction.partial(column[cut:], mask[cut:])
        assert reduction.finalize(reduction.merge(left, right)) == expected


@pytest.mark.parametrize(
    "name", sorted(EXPECTED.keys() - {"count", "nunique", "is_sorted", "min", "max", "argmin", "argmax"})
)
def test_other_reductions_refuse_strings(name):
    with pytest.raises(ArgumentTypeError, match=f"{name} does not take a column of type str"):
        REDUCTIONS[name].result_type(STR)
