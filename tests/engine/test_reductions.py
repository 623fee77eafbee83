"""What all reductions share: order and selection of rows, missing values of groups, and types that they take."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.dtypes import BIGINT, INT64, STR, bigint_of
from akdask.engine.reduction import limited, select_rows, sum_rows
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, SchemaError
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.testing.strategies import partition_lengths, partitioned

KINDS = {
    "int64": st.integers(-2, 2),
    "float64": st.sampled_from([0.0, -0.0, 1.5, -2.0, np.inf]),
    "bool": st.booleans(),
    "str": st.sampled_from(["", "a", "aa", "b", "é"]),
}


@st.composite
def columns(draw):
    """Rows of some kind, ascending or not, and their partitions."""
    kind = draw(st.sampled_from(sorted(KINDS)))
    rows = draw(st.lists(KINDS[kind], min_size=1, max_size=9))
    rows = sorted(rows) if draw(st.booleans()) else rows
    return rows, partitioned(np.array(rows, kind if kind != "str" else None), draw(partition_lengths(len(rows))))


@given(columns())
@settings(max_examples=20)
def test_rows_ascend_whatever_their_partitions(drawn):
    rows, lazy = drawn
    assert bool(lazy.is_sorted()) == (rows == sorted(rows))
    others = [row for row in rows if row != rows[0]]
    assert bool(lazy[lazy != rows[0]].is_sorted()) == (others == sorted(others))
    assert len(lazy) == lazy.size == len(rows)
    for extreme in (min, max):
        if not isinstance(rows[0], str):
            assert getattr(lazy, extreme.__name__)() == extreme(rows)


@pytest.mark.parametrize("numbers", [[], [1], [2**70, 2**70], [-(2**70), 5, 2**64], [5, 2**70, 6], [3, 2]])
def test_integers_of_any_size_ascend(numbers):
    parts = [ak.array(part, dtype=ak.bigint) for part in (numbers[:1], numbers[1:]) if part]
    if parts:
        assert bool(ak.concatenate(parts).is_sorted()) == (numbers == sorted(numbers))


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 255)), max_size=20))
def test_sums_of_selected_rows_wrap_in_the_type_of_results(rows):
    mask = np.array([chosen for chosen, _ in rows], np.bool_)
    for dtype, total in (("int64", np.int64), ("uint64", np.uint64), ("uint8", np.uint64), ("bool", np.int64)):
        column = np.array([number for _, number in rows]).astype(dtype)
        for chosen in (mask, None):
            found = sum_rows(column, chosen)
            wanted = column if chosen is None else column[chosen]
            assert (found, type(found)) == (wanted.astype(total).sum(), total)
            assert select_rows(column, chosen).tolist() == wanted.tolist()


@given(
    st.lists(st.tuples(st.integers(0, 2), st.sampled_from([1.0, 2.5, np.nan])), min_size=1, max_size=9), st.booleans()
)
@settings(max_examples=20)
def test_missing_values_of_groups_are_left_out_or_are_results(rows, skipna):
    keys, values = np.array([key for key, _ in rows]), np.array([value for _, value in rows])
    groups = ak.GroupBy(ak.array(keys))
    of_groups = [values[keys == key] for key in np.unique(keys)]
    known = [part[~np.isnan(part)] if skipna else part for part in of_groups]
    for name, of in (("sum", np.sum), ("prod", np.prod), ("mean", lambda part: part.mean() if len(part) else np.nan)):
        found = groups.aggregate(ak.array(values), name, skipna)[1].to_ndarray()
        np.testing.assert_allclose(found, [of(part) for part in known])
    assert groups.count(ak.array(values))[1].tolist() == [np.count_nonzero(~np.isnan(part)) for part in of_groups]
    assert groups.size()[1].tolist() == list(map(len, of_groups))


def test_extremes_of_groups_are_found_by_rank_where_numpy_has_no_order():
    keys, numbers = np.array([0, 1, 0, 1, 2]), [2**70, -1, 2**64, -(2**80), 7]
    groups = ak.GroupBy(ak.array(keys))
    lazy = ak.array(numbers, dtype=ak.bigint)
    assert groups.min(lazy)[1].tolist() == [2**64, -(2**80), 7]
    assert groups.max(lazy)[1].tolist() == [2**70, -1, 7]
    assert groups.sum(lazy)[1].tolist() == [2**70 + 2**64, -(2**80) - 1, 7]


def test_types_of_results_keep_limits_and_others_are_refused():
    assert limited(BIGINT, bigint_of(70)) == bigint_of(70)
    assert (limited(STR, STR), limited(INT64, bigint_of(70))) == (STR, INT64)
    assert REDUCTIONS["sum"].result_type(INT64) == INT64
    for name in ("sum", "mean"):
        with pytest.raises(ArgumentTypeError, match=f"{name} does not take a column of type str"):
            REDUCTIONS[name].result_type(STR)
    for name in ("min", "max", "argmin", "argmax"):
        with pytest.raises(ArgumentError, match=f"{name} of no rows"):
            float(getattr(ak.array(np.empty(0)), name)())
    with pytest.raises((ArgumentTypeError, AkdaskError)):
        ak.array(["a"]).sum()


def test_integers_below_zero_are_stored_only_with_a_limit(tmp_path):
    negative = ak.array([2**70, -1], dtype=ak.bigint)
    with pytest.raises(SchemaError, match="below 0"):
        negative.to_hdf(str(tmp_path / "x"))
    natural = ak.array([2**70, 0, 1], dtype=ak.bigint)
    natural.to_hdf(str(tmp_path / "y"))
    assert ak.read_hdf(str(tmp_path / "y*"))["array"].tolist() == [2**70, 0, 1]


def test_rows_go_to_dask_and_come_back():
    text = [f"t{number}" * (number % 3) for number in range(7)]
    plain = {"i": np.arange(7), "f": np.arange(7) / 2, "b": np.arange(7) % 2 == 0, "s": text}
    frame = ak.DataFrame({name: partitioned(np.array(column), [3, 0, 4]) for name, column in plain.items()})
    there = frame.to_dask()
    assert there.npartitions == 3
    for name, column in plain.items():
        assert there[name].compute().tolist() == list(column)
        array = frame[name].to_dask()
        assert array.chunks == ((3, 0, 4),)
        assert array.compute().tolist() == list(column)
        assert ak.from_dask(array).tolist() == list(column)
    full = ak.DataFrame({"i": partitioned(np.arange(7), [3, 4])}).to_dask()
    assert full.divisions == (0, 3, 6)
    assert full.loc[2:4].compute()["i"].tolist() == [2, 3, 4]
    assert there.divisions == (None,) * 4
    kept = frame["i"][frame["i"] > 2].to_dask()
    assert np.isnan(kept.chunks[0]).all()
    assert kept.compute().tolist() == [3, 4, 5, 6]


def test_totals_of_groups_neither_wrap_nor_round():
    keys = np.arange(600) % 2
    frame = ak.DataFrame({"k": keys, "small": ak.array(np.full(600, 255, np.uint8)), "flag": keys == 1})
    frame["large"] = ak.array([2**70 + row for row in range(600)], dtype=ak.bigint)
    groups = frame.groupby("k")
    assert groups["small"].sum().tolist() == [300 * 255] * 2
    assert groups["flag"].sum().tolist() == [0, 300]
    assert groups["large"].sum().tolist() == [sum(2**70 + row for row in range(start, 600, 2)) for start in (0, 1)]
