"""The rows of both sides of a join tell which one is held, and how those of both are exchanged."""

from __future__ import annotations

import numpy as np
import pytest

import akdask as ak
from akdask.arrays.array import wrap
from akdask.columns.dtypes import STR
from akdask.engine.node import lower
from akdask.errors import TransferError
from akdask.operators.join import plan, tuning
from akdask.operators.join.plan import (
    BuildIndex,
    CategoryTable,
    HashJoin,
    JoinSide,
    has_match,
    join_row_numbers,
    join_rows,
)
from akdask.testing.memory import MemorySource

pytestmark = [pytest.mark.lazy_only, pytest.mark.few_rows_only]

FITS, TOO_LARGE = 2**60, 0


def side_of(nrows, label="t", parts=1):
    """Return a side of a join of one key of so many rows."""
    lengths = [len(part) for part in np.array_split(np.arange(nrows), parts)]
    array = MemorySource({"k": np.arange(nrows)}, lengths, label=label).arrays()["k"]
    return JoinSide(array._frame, [array._value], [array._value])


@pytest.mark.parametrize(
    ("rows", "others", "limit", "expected"),
    [
        (10, 40, FITS, True),
        (10, 39, FITS, False),
        (40, 10, FITS, False),
        (10, 10, FITS, False),
        # Both would be exchanged: the side of 80 bytes of keys is held, that of 88 is not.
        (10, 11, 80, True),
        (10, 10, 80, False),
        (10, 11, 88, False),
        (10, 40, 79, False),
        (10, 40, TOO_LARGE, False),
    ],
)
def test_a_side_is_small_beside_four_times_as_many_rows_or_beside_more_that_cannot_be_held(
    rows, others, limit, expected
):
    with ak.config.set(replicate_size=limit):
        assert side_of(rows).is_small_beside(side_of(others)) == expected


def test_a_side_is_small_beside_rows_that_nobody_has_counted(monkeypatch):
    monkeypatch.setattr(tuning, "SMALL_SIDE", 10)
    unknown = side_of(40)
    monkeypatch.setattr(plan, "max_rows", lambda frame: None if frame is unknown.frame else frame.rows.size)
    assert [side_of(rows).is_small_beside(unknown) for rows in (10, 11)] == [True, False]
    assert not unknown.is_small_beside(side_of(1000))
    with ak.config.set(replicate_size=TOO_LARGE):
        assert not side_of(10).is_small_beside(unknown)


@pytest.mark.parametrize(("lefts", "rights", "expected"), [(1, 1, 3), (9, 1, 9), (1, 9, 9), (9, 8, 9)])
def test_rows_are_exchanged_to_buckets_for_the_larger_side(lefts, rights, expected, monkeypatch):
    monkeypatch.setattr(plan, "partition_count", lambda frame: frame.npartitions if frame.npartitions > 1 else 3)
    with ak.config.set(replicate_size=TOO_LARGE):
        joined = join_rows(side_of(20, "l", lefts), side_of(20, "r", rights), keep_all=True)
    assert isinstance(joined.frame, HashJoin)
    assert (joined.frame.buckets, joined.frame.npartitions) == (expected, lefts)


@pytest.mark.parametrize("limit", [FITS, TOO_LARGE])
@pytest.mark.parametrize(("lefts", "rights"), [([3, 1, 3, 9], [3, 3, 1]), ([3, 1], [1, 2, 3, 3, 7, 8, 3, 9, 1])])
def test_pairs_of_row_numbers_are_in_order_of_both_sides(lefts, rights, limit):
    with ak.config.set(replicate_size=limit):
        sides = []
        for keys in lefts, rights:
            array = ak.array(keys)
            sides.append(JoinSide(array._frame, [array._value], [array._value]))
        joined, rows = join_row_numbers(*sides)
        expected = [(key, row) for key in lefts for row, other in enumerate(rights) if key == other]
        found = [wrap(joined.frame, value).tolist() for value in (joined.left[0], rows)]
        assert list(zip(*found, strict=True)) == expected
        frame, mask = has_match(*sides)
        assert wrap(frame, mask).tolist() == [key in rights for key in lefts]


@pytest.mark.parametrize("na", ["N/A", "codes"])
def test_categories_take_the_memory_of_their_labels_and_of_the_codes_of_those_that_are_missing(na):
    labels, codes = ak.array([f"{number}" for number in range(100)]), ak.array([0, 1])
    table = CategoryTable(labels._frame, na if na == "N/A" else codes._frame)
    nbytes = 3 * STR.itemsize * (100 if na == "N/A" else 102)
    with ak.config.set(max_transfer_bytes=nbytes):
        lower(table)
    with ak.config.set(max_transfer_bytes=nbytes - 1), pytest.raises(TransferError, match="categories"):
        lower(table)


def test_an_index_of_all_rows_has_another_result_beside_that_of_first_rows():
    array = ak.array([5, 6, 5])
    for need, count in (("rows", 1), ("unique rows", 1), ("only rows", 1), ("all rows", 2)):
        assert tuple(BuildIndex.of(array._frame, [array._value], need).rows.lengths) == (count,)
