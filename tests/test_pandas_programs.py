"""Random programs in the words of pandas give what pandas gives; thousands run by ``python -m tests.pandas_programs``.

Each run draws other programs, but where CI is set, which runs fewer: what lands must not depend on luck.  A failure
names its seed:
``python -m tests.pandas_programs --count 1 --seed …``.
"""

import os
import random

import pytest

from tests.pandas_programs import run_programs

COUNT = int(os.environ.get("AKDASK_PANDAS_PROGRAMS", "50" if "CI" in os.environ else "200"))
IN_ONE_PROCESS = 50
FIRST = 0 if "CI" in os.environ else random.SystemRandom().randrange(10**9)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(0, COUNT, IN_ONE_PROCESS))
def test_random_programs_in_the_words_of_pandas_give_what_pandas_gives(part):
    failures = run_programs(range(FIRST + part, FIRST + part + min(IN_ONE_PROCESS, COUNT - part)))
    assert not failures, "\n\n".join(failures)
