"""Slices that are cut when they are taken, in memory, on disk and in other processes."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest

from akdask.columns.table import Table
from akdask.engine import memory
from akdask.engine import slices as slices_module
from akdask.engine.memory import MemoryBudget
from akdask.engine.slices import CutTables, SlicesOnDisk, spilled

COUNT = 4
ROWS = np.array([3, 3, 5, 7, 8, 9])


def part(table, number, bounds):
    assert [bounds[0], bounds[-1]] == [0, table.nrows]
    return number, table.columns["n"].tolist()


def slices(**options):
    tables = [
        (Table({"n": ROWS}, 6), np.array([0, 2, 2, 5, 6])),
        (Table({"n": ROWS[:2]}, 2), np.array([0, 0, 0, 0, 2])),
    ]
    return CutTables(COUNT, tables, part, **options)


def test_each_partition_gets_its_rows_of_each_table():
    found = slices()
    assert len(found) == COUNT
    assert list(found) == [[(0, [3, 3])], [], [(2, [5, 7, 8])], [(3, [9]), (3, [3, 3])]]
    assert found[-1] == found[3]
    assert found[1:3] == [found[1], found[2]]
    with pytest.raises(IndexError):
        found[COUNT]


def test_parts_know_the_ranges_of_their_rows():
    bounds = np.array([0, 1, 2, 2, 5])
    found = CutTables(2, [(Table({"n": ROWS[:5]}, 5), bounds)], lambda table, number, own: own, within=2)
    assert list(found) == [[[0, 1, 2]], [[0, 0, 3]]]


def test_parts_without_rows_come_where_they_are_wanted():
    assert slices(keeps_empty=True)[1] == [(1, []), (1, [])]


def test_parts_of_all_partitions_come_last():
    assert [parts[-1] for parts in slices(shared=["all"])] == ["all"] * COUNT


def test_they_are_the_same_in_another_process():
    assert list(pickle.loads(pickle.dumps(slices()))) == list(slices())


def test_they_stay_uncut_in_memory_and_are_counted_as_long_as_they_are_there(monkeypatch):
    found = MemoryBudget()
    monkeypatch.setattr(slices_module, "process_budget", found)
    kept = spilled(slices(), None, list)
    assert isinstance(kept, CutTables)
    assert found.nbytes == sys.getsizeof(kept) > 8 * len(ROWS)
    assert isinstance(spilled(slices(), 10**6, list), CutTables)
    del kept
    assert found.nbytes == 0


@pytest.mark.parametrize("memory_budget", [None, 0])
def test_they_go_to_disk_where_memory_is_short(memory_budget, monkeypatch):
    monkeypatch.setattr(memory.MemoryBudget, "is_short", lambda self, more=0: True)
    found = spilled(slices(), memory_budget, list)
    assert isinstance(found, SlicesOnDisk)
    assert list(found) == list(slices())
