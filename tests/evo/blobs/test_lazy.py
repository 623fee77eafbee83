"""Row groups of lazy rows are handed on in order, and few of them are in memory at a time."""

from threading import Lock
from uuid import uuid4

import dask
import numpy as np
import pytest

import akdask as ak
from akdask.engine.node import materialize
from akdask.evo import rows as row_groups


class Counted:
    """Notes the rows of columns, and how many row groups have been begun and not been handed on."""

    width = 2

    def __init__(self):
        self.begun, self.most, self.done = set(), 0, []
        self._lock = Lock()

    def __reduce__(self):
        raise TypeError("it stays in this process")

    def __dask_tokenize__(self):
        return id(self)

    def __call__(self, rows, number):
        column = rows.column(number).to_pylist()
        with self._lock:
            self.begun.add(column[0] if number == 0 else -column[0])
            self.most = max(self.most, len(self.begun) - len(self.done))
        return column

    def joined(self, columns):
        return columns

    def consume(self, columns):
        first, second = columns
        assert second == [-value for value in first]
        with self._lock:
            self.done.append(first)


def run_reading_first(graph):
    """Run tasks one by one, those that hand on only when no other can run."""
    results = {}
    while len(results) < len(graph):
        ready = [key for key, task in graph.items() if key not in results and task.dependencies <= results.keys()]
        key = min(ready, key=lambda key: getattr(graph[key], "func", None) is row_groups._call)
        results[key] = graph[key]({name: results[name] for name in graph[key].dependencies})


@pytest.mark.parametrize("at_once", [1, 2, 4])
def test_section_2_few_row_groups_are_in_memory_however_fast_they_are_read(at_once):
    numbers = np.arange(1, 51)
    array = ak.array(numbers)
    encode = Counted()
    encoded = row_groups.LazyRows(ak.DataFrame({"a": array, "b": -array})).encoded(5, encode)
    run_reading_first(materialize(row_groups.InOrder(encode.consume, at_once, encoded, _determ_token=uuid4().hex)))
    assert encode.done == numbers.reshape(-1, 5).tolist()
    assert encode.most == at_once


@pytest.mark.parametrize("is_filtered", [False, True])
def test_row_groups_are_handed_on_in_order(is_filtered):
    numbers = np.arange(1, 51)
    array = ak.array(numbers)
    rows = ak.DataFrame({"a": array, "b": -array})
    encode = Counted()
    with dask.config.set(num_workers=8):
        row_groups.LazyRows(rows[array > 0] if is_filtered else rows).encoded(5, encode).results(encode.consume, 2)
    assert encode.done == numbers.reshape(-1, 5).tolist()
