from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.table import concat_text, decoded, is_encoded

TEXT = st.text("ab", max_size=2)


@given(st.lists(st.tuples(st.booleans(), st.lists(TEXT, max_size=4)), min_size=1, max_size=4))
def test_joined_text_has_the_rows_of_its_parts_and_is_encoded_if_all_are(drawn):
    plain = [(encoded, pa.array(rows, pa.large_string())) for encoded, rows in drawn]
    found = concat_text([strings.dictionary_encode() if encoded else strings for encoded, strings in plain])
    assert is_encoded(found) == all(encoded for encoded, _ in plain)
    assert decoded(found).equals(pa.concat_arrays([strings for _, strings in plain]))
