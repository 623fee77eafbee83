from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from akdask import compiled
from akdask.operators.windows import kernels

values = st.lists(
    st.sampled_from([0.0, -0.0, 1.5, -2.25, 1e300, 0.1, np.nan, np.inf, -np.inf]), min_size=1, max_size=30
)


@pytest.mark.skipif(not compiled.INSTALLED, reason="compares with what Numba compiles")
@given(values, st.integers(1, 8), st.integers(-9, 9), st.sampled_from(kernels.WINDOWS), st.integers(0, 3))
@settings(max_examples=30)
def test_compiled_windows_are_those_of_the_general_path(rows, width, first, name, least):
    rows = np.array(rows)
    phase, count = -first % width, max(len(rows) - width + 1, 0)
    with np.errstate(all="ignore"):
        general = kernels._by_blocks(name, rows, width, phase, least=least, ddof=1)[:count]
    out = np.empty(count)
    kernels._fill(name, rows, width, phase, least=least, ddof=1, out=out)
    assert np.array_equal(general, out, equal_nan=True)


@pytest.mark.skipif(not compiled.INSTALLED, reason="compares with what Numba compiles")
@given(values, st.lists(st.integers(0, 3), min_size=30, max_size=30), st.sampled_from(kernels.RUNNING), st.booleans())
@settings(max_examples=30)
def test_compiled_running_results_are_those_of_the_general_path(rows, groups, name, whole):
    from akdask.operators.windows.loops import fill_running

    rows = np.array(range(len(rows))) if whole else np.array(rows)
    groups = np.sort(np.array(groups[: len(rows)]))
    identity = kernels._identity(name, rows.dtype)
    states = [np.array([2], rows.dtype) for _ in range(2)]
    general = kernels._run_each(name, rows, groups, group=1, state=states[0], identity=identity)
    out = np.empty_like(rows)
    fill_running(kernels.RUNNING.index(name), rows, groups, 1, states[1], np.array([identity], rows.dtype), out)
    assert np.array_equal(general, out, equal_nan=not whole)
    assert np.array_equal(*states, equal_nan=not whole)
