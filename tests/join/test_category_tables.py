"""Tables of categories: one row for each label, one of which stands for what is missing."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.columns.dtypes import STR
from akdask.columns.table import Table
from akdask.engine.node import lower
from akdask.errors import FileFormatError, NonUniqueError, TransferError
from akdask.operators.join.plan import CODE, IS_NA, LABEL, CategoryTable, _checked, _completed, _marked


def table_of(labels):
    return Table({0: pa.array(labels, pa.large_string())}, len(labels))


def rows_of(table):
    return [table.columns[name].tolist() for name in (CODE, LABEL, IS_NA)]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["b", "a"], [[0, 1, 2], ["b", "a", "N/A"], [False, False, True]]),
        (["N/A", "a"], [[0, 1], ["N/A", "a"], [True, False]]),
        ([], [[0], ["N/A"], [True]]),
    ],
)
def test_the_label_of_what_is_missing_comes_last_unless_it_is_there(labels, expected):
    assert rows_of(_completed([table_of(labels)], "N/A")) == expected


def test_codes_of_what_is_missing_are_those_of_labels():
    labels = table_of(["b", "a", "c"])
    for code in (0, 2):
        marks = [row == code for row in range(3)]
        found = _marked([labels, Table({0: np.array([code])}, 1)])
        assert rows_of(found) == [[0, 1, 2], ["b", "a", "c"], marks]
    for code in (-1, 3):
        with pytest.raises(FileFormatError, match=f"the NA code {code} names none"):
            _marked([labels, Table({0: np.array([1, code])}, 2)])


def test_labels_come_once():
    assert _checked([table_of(["b", "a"])]).columns[0].tolist() == ["b", "a"]
    with pytest.raises(NonUniqueError, match="category 'a' occurs more than once"):
        _checked([table_of(["b", "a", "c", "a"])])


def test_labels_have_an_order_of_their_own_that_sorts_or_comparisons_too_use():
    plain = CategoryTable(ak.array(["b", "a"])._frame, "N/A")
    arranged, ordered = plain.arranged(), plain.in_order()
    orders = [(table.is_arranged, table.is_ordered) for table in (plain, arranged, ordered)]
    assert orders == [(False, False), (True, False), (True, True)]
    assert ordered.arranged() is ordered.in_order() is ordered
    assert plain.in_order(False) is plain
    again = ordered.in_order(False)
    assert (again.is_arranged, again.is_ordered) == (True, False)
    assert plain.npartitions == ordered.npartitions == 1


def test_labels_that_take_too_much_memory_are_refused_when_they_are_computed():
    table = CategoryTable(ak.array(["a"] * 1000)._frame, "N/A")
    with ak.config.set(max_transfer_bytes=4 * 1000 * STR.itemsize):
        lower(table)
    with ak.config.set(max_transfer_bytes=1000 * STR.itemsize), pytest.raises(TransferError, match="fewer categories"):
        lower(table)
