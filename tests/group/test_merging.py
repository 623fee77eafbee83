"""Where tables of groups are merged, and how much memory groupings take."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import akdask as ak
from akdask.cluster import partition_size
from akdask.columns.table import Table
from akdask.engine.alignment import rows_at_most
from akdask.operators.group.aggregation import Aggregation, AggregationStep, DistinctValues
from akdask.operators.group.plan import MergeGroups, TableSamples, table_bytes
from akdask.operators.group.radix import NumberedGroups, RowBuffer, SliceGroupings, SlotGroups, group_batches
from akdask.operators.group.rows import Arrangement, TopRows
from akdask.operators.group.strategies import GroupTable

KEYS, ROWS = np.array([1, 0, 1, 0]), np.arange(4)
SUMS = AggregationStep("sum", (0,))

MERGED = {
    "sums of integers": (Aggregation(1, (SUMS,)), True, False),
    "sums of floats": (Aggregation(1, (SUMS,), rounds=True), False, True),
    "first rows": (TopRows(1, (True,), 1), True, False),
    "all rows": (Arrangement(1), False, False),
    "distinct values": (DistinctValues(1, "nunique"), True, False),
}


def test_tables_are_merged_beforehand_where_that_drops_rows_and_rounds_nothing():
    for merging, reduces, rounds in MERGED.values():
        rows = merging.aggregation if isinstance(merging, DistinctValues) else merging
        keys = [KEYS, ROWS][: rows.nkeys]
        tables = [GroupTable(rows.grouped(rows.group(keys), [ROWS, ROWS])) for _ in range(2)]
        nothing = GroupTable(tables[0].rows.slice(0, 0))
        packed = MergeGroups(merging).pack([nothing, *tables])
        assert (merging.reduces, len(packed)) == (reduces, 3 if rounds else 1)
        wanted = MergeGroups(merging)(tables).columns
        assert [column.tolist() for column in MergeGroups(merging)(packed).columns.values()] == [
            column.tolist() for column in wanted.values()
        ]
        (alone,) = MergeGroups(merging).pack([nothing])
        assert alone.nrows == 0


def test_rows_by_key_take_the_memory_of_their_keys_and_order():
    assert TopRows(1, (True,), 1).group([KEYS, KEYS]).nbytes == 2 * 32
    assert Arrangement(1).group([KEYS, KEYS]).nbytes == 3 * 32


@pytest.mark.parametrize(("bits", "kind"), [(5, SlotGroups), (60, NumberedGroups)])
def test_groups_of_batches_take_the_memory_of_their_numbers_and_keys(bits, kind):
    batches = [KEYS * 9, KEYS[:1] * 9, np.repeat(9, 11)]
    groups = group_batches(batches, 2**63, bits, RowBuffer.of(16))
    assert isinstance(groups, kind)
    assert SliceGroupings([groups, groups]).nbytes == (0 if kind is SlotGroups else 2 * (16 * 4 + 2 * 8))
    if kind is NumberedGroups:
        assert groups.keys.tolist() == [0, 9]
        assert [codes.tolist() for codes in groups.codes] == [[1, 0, 1, 0], [1], [1] * 11]
    # With more slots than two for each row, rows are numbered.
    assert isinstance(group_batches([KEYS], 2**63, 3, RowBuffer.of(4)), SlotGroups)
    assert isinstance(group_batches([KEYS], 2**63, 4, RowBuffer.of(4)), NumberedGroups)
    assert group_batches([KEYS * 1.0], 2**63, 3, RowBuffer.of(4)) is None


@pytest.mark.parametrize(
    "made",
    [
        lambda df: df.groupby("k").head(2)["x"],
        lambda df: df.groupby("k").x.nlargest(1).values,
        lambda df: ak.GroupBy(df["k"]).broadcast(ak.GroupBy(df["k"]).sum(df["x"])[1]),
    ],
    ids=["rows by group", "first rows", "values of groups"],
)
def test_the_plan_tells_how_many_rows_there_are_at_most(made):
    df = ak.DataFrame({"k": np.arange(10) % 3, "x": np.arange(10.0)})
    assert rows_at_most(made(df[df["x"] > 3])._frame) == 10


def test_partial_tables_take_at_most_the_bytes_of_the_columns():
    rows = ak.arange(1000)
    few = rows[rows > 5]
    assert table_bytes(rows._frame, [rows._value]) == table_bytes(few._frame, [few._value]) == 8000
    joined = ak.DataFrame({"k": rows}).merge(ak.DataFrame({"k": rows, "x": rows}), on="k")["x"]
    full = joined._frame.npartitions * partition_size()
    assert table_bytes(joined._frame, [joined._value, joined._value]) == 2 * full


def test_samples_weigh_as_much_as_the_table_that_is_merged_of_them():
    merged = Table({0: np.arange(1000)}, 1000)
    assert sys.getsizeof(TableSamples({})) < 100
    assert 8000 <= sys.getsizeof(TableSamples({}, merged)) < 9000
