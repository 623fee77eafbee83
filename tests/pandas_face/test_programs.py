"""Random programs in pandas' words end with `akdask.pandas` as they do with pandas.

Each run draws other programs, but where CI is set: what lands must not depend on luck.  A failure names its seed:
``python -m tests.pandas_face.programs 1 --first …``.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.pandas_face.programs import failure

FIRST = 3010 if "CI" in os.environ else random.SystemRandom().randrange(10**9)


@pytest.mark.sampled(one_of=2)
@pytest.mark.slow
@pytest.mark.parametrize("number", range(60))
def test_program_ends_as_in_pandas(number):
    different = failure(FIRST + number)
    assert different is None, f"program {FIRST + number}:\n{different}"
