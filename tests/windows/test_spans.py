"""Reductions of windows with bounds of their own, beside loops over the rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.windows import kernels


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=4), st.integers(1, 12))
def test_windows_start_within_their_group_and_their_span(groups, span):
    numbers = np.repeat(np.arange(len(groups)), [len(rows) for rows in groups])
    measure = np.array([row for rows in groups for row in sorted(rows)], np.int64)
    wanted = [
        min(
            other for other in range(row + 1) if numbers[other] == numbers[row] and measure[other] > measure[row] - span
        )
        for row in range(len(measure))
    ]
    assert kernels.span_starts(numbers, measure, span).tolist() == wanted


def test_groups_further_apart_than_one_number_can_tell_are_searched_one_by_one():
    numbers, measure = np.array([0, 0, 1, 1]), np.array([0, 2**61, 5, 6])
    assert kernels.span_starts(numbers, measure, 3).tolist() == [0, 1, 2, 2]


@pytest.mark.parametrize("name", kernels.SPANS)
def test_reductions_are_those_of_each_window(monkeypatch, name):
    monkeypatch.setattr(kernels, "AT_ONCE", 7)
    draw = np.random.default_rng(0)
    rows = np.where(draw.random(30) > 0.7, np.nan, draw.normal(size=30))
    starts = np.maximum(np.arange(30) - draw.integers(0, 6, 30), 0)
    functions = {
        "quantile": lambda v: np.quantile(v, 0.4),
        "var": lambda v: v.var(ddof=1),
        "std": lambda v: v.std(ddof=1),
    }
    function = functions.get(name, getattr(np, name, None))
    for first, least in ((0, 1), (4, 2)):
        found = kernels.reduced_spans(name, rows, starts, slice(first, len(rows)), least=least, q=0.4)
        for row, value in enumerate(found, first):
            known = rows[starts[row] : row + 1]
            known = known[np.isfinite(known)]
            enough = max(least, 2) if name in ("var", "std") else least
            wanted = function(known) if len(known) >= enough else np.nan
            np.testing.assert_allclose(value, wanted)
