from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.coded_text import decoded, is_coded, joined

TEXT = st.text("ab", max_size=2)


@given(st.lists(st.tuples(st.booleans(), st.lists(TEXT, max_size=4)), min_size=1, max_size=4))
def test_joined_text_has_the_rows_of_its_parts_and_is_coded_if_all_are(drawn):
    plain = [(coded, pa.array(rows, pa.large_string())) for coded, rows in drawn]
    found = joined([strings.dictionary_encode() if coded else strings for coded, strings in plain])
    assert is_coded(found) == all(coded for coded, _ in plain)
    assert decoded(found).equals(pa.concat_arrays([strings for _, strings in plain]))
