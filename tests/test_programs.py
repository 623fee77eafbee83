"""Random programs give what NumPy and pandas give; thousands of them run by ``python -m tests.programs``.

The seed of the run chooses them, so that each run has others, but where CI is set: there they are fewer, too.
"""

import os

import pytest

from tests.programs import run_programs

COUNT = int(os.environ.get("AKDASK_PROGRAMS", "40" if "CI" in os.environ else "160"))
IN_ONE_PROCESS = 20


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, COUNT, IN_ONE_PROCESS))
def test_random_programs_give_what_numpy_and_pandas_give(start, request):
    first = int(request.config.getoption("--hypothesis-seed") or 0) + start
    count = min(IN_ONE_PROCESS, COUNT - start)
    assert run_programs(range(first, first + count)) == count
