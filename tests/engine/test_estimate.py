import numpy as np
import pytest

import akdask as ak
from akdask.engine.explain import SHOWN, Estimate, estimate, is_small
from akdask.engine.run import tasks_of
from akdask.engine.values import TEXT_BYTES
from akdask.testing.memory import MemorySource

LENGTHS = [40, 0, 30, 50]
ROWS = sum(LENGTHS)


@pytest.fixture
def columns():
    numbers = {name: np.arange(ROWS) for name in ("x", "y", "z")}
    return MemorySource({**numbers, "s": [f"s{row}" for row in range(ROWS)]}, LENGTHS).arrays()


def taken(lazy):
    return estimate([tasks_of(lazy.expr)])


def test_a_sum_reads_one_column_of_all_rows(columns):
    assert taken(columns["x"].sum())[:2] == (ROWS, ROWS * 8)


def test_what_a_filter_needs_is_read_too(columns):
    assert taken(columns["x"][columns["y"] > 3].sum()).nbytes == ROWS * 16


def test_of_text_a_width_is_taken_for_granted(columns):
    assert taken(columns["s"]).nbytes == ROWS * TEXT_BYTES


def test_of_a_slice_only_its_rows_are_read(columns):
    assert taken(columns["x"][10:15])[:2] == (5, 40)


def test_what_two_results_share_is_counted_once(columns):
    both = ak.DataFrame({"x": columns["x"], "y": columns["y"]}).groupby("x").sum("y")
    assert taken(both).nbytes == ROWS * 16


def test_created_rows_are_read_of_no_file():
    assert taken(ak.arange(1000).sum())[:2] == (1000, 0)


def test_estimates_add_up_and_tell_themselves():
    assert Estimate(1, 2, 3) + Estimate(1, 2, 3) == Estimate(2, 4, 6)
    assert Estimate(5, 0, 1).describe() == "reads 5 rows in 1 task"


def test_what_reads_more_than_the_budget_is_not_small():
    rows = SHOWN.rows + 1
    assert not is_small(*_plan(ak.sort(ak.arange(rows) % 7)), SHOWN)
    assert is_small(*_plan(ak.sort(ak.arange(1000) % 7)), SHOWN)


def _plan(array):
    return array._frame, [array._value]
