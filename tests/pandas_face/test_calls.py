"""Each argument of each method, at several values, gives what it gives in pandas, and takes the way that is listed.

``python -m tests.pandas_face.calls`` writes the list.  Small letters in it are calls that give something else than in
pandas: most are refused there and answered here, or raise no AkdaskError where pandas is ruled out.
"""

from __future__ import annotations

import pytest

from tests.pandas_face.calls import listed, methods, ways

WAYS = listed()

METHODS = methods()


@pytest.mark.sampled(one_of=16)
@pytest.mark.parametrize(("target", "name"), METHODS, ids=[".".join(method) for method in METHODS])
def test_arguments_of_a_method_give_what_they_give_in_pandas(target, name):
    letters, differences = ways(target, name)
    assert letters == WAYS[f"{target}.{name}"], "\n".join(differences)
