from __future__ import annotations

import pyarrow as pa
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.kernels.reductions.top_k import PREFIX_BYTES, PrefixRange

# Few letters, so that strings often begin alike; the first of four bytes in UTF-8.
STRINGS = st.lists(st.text(st.sampled_from("\U0001f600éaz"), max_size=24), min_size=1, max_size=40)


@given(st.lists(STRINGS, max_size=3))
@example([["a" * 16 + "z", "a" * 17]])
@example([["a" * 8], ["a" * 7], ["a" * 9]])
@example([[""]])
def test_the_smallest_and_the_largest_string_are_found_by_their_first_bytes(pieces):
    found = PrefixRange()
    for texts in pieces:
        found.add(pa.array(texts, pa.large_string()))
    spelled = sorted(text.encode() for texts in pieces for text in texts)
    assert found.bounds == ((spelled[0][:PREFIX_BYTES], spelled[-1][:PREFIX_BYTES]) if spelled else None)
