"""Partial tables of groups on disk: the same rows of each range as in memory."""

from __future__ import annotations

import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.table import Table
from akdask.engine.exchange import concat_slices
from akdask.engine.spill import SpillFile
from akdask.operators.group import tuning
from akdask.operators.group.strategies import GroupTable, GroupTableOnDisk, KeySplitters, choose_splitters


@pytest.fixture(autouse=True)
def few_steps(monkeypatch):
    monkeypatch.setattr(tuning, "FEWEST_STEPS", 4)
    monkeypatch.setattr(tuning, "MOST_STEPS", 7)
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", 0)


def table_of(numbers, *, with_text):
    keys = [np.sort(np.array(numbers, np.int64))]
    if with_text:
        keys = [pa.array(sorted(f"é{number}" for number in numbers), pa.large_string()), *keys]
    columns = [*keys, np.arange(len(numbers))]
    return Table(dict(enumerate(columns)), len(numbers))


def rows_of(table):
    return [
        column.tolist() if isinstance(column, np.ndarray) else column.to_pylist() for column in table.columns.values()
    ]


@given(
    st.lists(st.integers(-50, 50), max_size=60),
    st.lists(st.integers(-50, 50), max_size=60),
    st.integers(1, 9),
    st.booleans(),
)
def test_ranges_have_the_rows_that_they_have_in_memory(numbers, others, count, with_text):
    tables = [table_of(some, with_text=with_text) for some in (numbers, others)]
    on_disk = [GroupTableOnDisk.of(table) for table in tables]
    splitters = choose_splitters([part.sample(1, 8, 0) for part in on_disk], count)
    for table, part in zip(tables, on_disk, strict=True):
        assert rows_of(part.table()) == rows_of(part.own().rows) == rows_of(table)
        assert part.nrows == table.nrows
        for found, wanted in zip(
            part.split(splitters, count, 1), GroupTable(table).split(splitters, count, 1), strict=True
        ):
            assert rows_of(found.table()) == rows_of(wanted.rows)
            assert found.nrows >= wanted.nrows
            assert sys.getsizeof(found) < 100


def test_a_range_reads_the_steps_that_it_is_in():
    part = GroupTableOnDisk.of(table_of(range(70), with_text=False))
    (*_, last) = part.split(KeySplitters([[10], [60]]), 3, 1)
    assert list(last.used) == [3]
    assert last.table().columns[0].tolist() == list(range(60, 70))


def test_few_rows_are_merged_beforehand():
    part = GroupTableOnDisk.of(table_of(range(20), with_text=True))
    assert part.small_table(19) is None
    assert rows_of(part.small_table(20)) == rows_of(part.table())


def test_tables_on_disk_that_are_concatenated_are_not_written_again(monkeypatch):
    tables = [table_of(range(start, start + 40), with_text=False) for start in (0, 20)]
    splitters = choose_splitters([GroupTable(table).sample(1, 256, 0) for table in tables], 3)
    slices = [GroupTableOnDisk.of(table).slices(splitters, 3, 1) for table in tables]

    monkeypatch.setattr(SpillFile, "_write", None)
    found = concat_slices(slices, None)
    assert len(found) == 3
    assert [[rows_of(part.table()) for part in parts] for parts in found] == [
        [rows_of(GroupTable(table).split(splitters, 3, 1)[number].table()) for table in tables] for number in range(3)
    ]
