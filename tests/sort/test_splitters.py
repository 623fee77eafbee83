"""What is found of the rows of a partition before its ranges are chosen."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.columns.dtypes import INT64
from akdask.columns.table import Table
from akdask.engine.blocks import Partition
from akdask.engine.values import ColumnRef, compile_values
from akdask.operators.keys.keys import span
from akdask.operators.sort.partition import KEYS, SampleKeys


@pytest.mark.parametrize("ascending", [True, False])
@pytest.mark.parametrize("numbers", [[5, 9, 3, 4, -7, 0, 8], [9, 8, 7, 6, 5, 4, 3], [1, 2, 3, 4, 5, 6, 7]])
@pytest.mark.parametrize("block_rows", [1, 2, 3, 10])
def test_keys_span_those_of_all_blocks(monkeypatch, ascending, numbers, block_rows):
    monkeypatch.setattr("akdask.engine.tuning.FEW_BLOCK_ROWS", 1)
    column = np.array(numbers)
    program = compile_values([ColumnRef("here", "k", INT64)], {"here": 0}, {})
    with Partition([Table({"k": column}, len(column))], (), (), block_rows) as partition:
        (found,) = SampleKeys(program, (ascending,), 2, KEYS).run(partition)
    assert found.nrows == len(column)
    assert found.spans == (span(column, ascending),)
