from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.kernels.extremes import PREFIX_BYTES, prefix_range

pytestmark = pytest.mark.usefixtures("either_path")

# Few letters, so that strings often begin alike; the first of four bytes in UTF-8.
STRINGS = st.lists(st.text(st.sampled_from("\U0001f600éaz"), max_size=24), min_size=1, max_size=40)


@given(STRINGS, st.integers(0, 3))
@example(["a" * 16 + "z", "a" * 17], 0)
@example(["a" * 8, "a" * 7, "a" * 9], 0)
@example([""], 0)
def test_the_smallest_and_the_largest_string_are_found_by_their_first_bytes(texts, first):
    strings = pa.array([*"xyz"[:first], *texts], pa.large_string())[first:]
    spelled = sorted(text.encode() for text in texts)
    assert prefix_range(strings) == (spelled[0][:PREFIX_BYTES], spelled[-1][:PREFIX_BYTES])
