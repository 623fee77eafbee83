from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.table import concat_text, decoded, filter_rows, is_encoded, take_rows

TEXT = st.text("ab", max_size=2)


@given(st.lists(st.tuples(st.booleans(), st.lists(TEXT, max_size=4)), min_size=1, max_size=4))
def test_joined_text_has_the_rows_of_its_parts_and_is_encoded_if_all_are(drawn):
    plain = [(encoded, pa.array(rows, pa.large_string())) for encoded, rows in drawn]
    found = concat_text([strings.dictionary_encode() if encoded else strings for encoded, strings in plain])
    assert is_encoded(found) == all(encoded for encoded, _ in plain)
    assert decoded(found).equals(pa.concat_arrays([strings for _, strings in plain]))


LONG = st.lists(st.text(max_size=3) | st.just("x" * 70), max_size=40)


@given(LONG, st.integers(0, 3), st.booleans(), st.data())
def test_rows_of_a_dictionary_are_those_that_arrow_takes(strings, skipped, is_looked_up, data):
    plain = pa.array(strings, pa.large_string())
    encoded = plain.dictionary_encode().slice(skipped)
    plain = plain.slice(skipped)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("akdask.columns.table.MOST_LOOKED_UP", len(plain) - (not is_looked_up))
        assert decoded(encoded).equals(plain)
    places = st.lists(st.integers(0, len(plain) - 1), max_size=60) if len(plain) else st.just([])
    positions = np.array(data.draw(places), data.draw(st.sampled_from([np.int64, np.int32, np.uint64])))
    taken = take_rows(encoded, positions)
    assert is_encoded(taken)
    assert taken.dictionary_decode().equals(plain.take(pa.array(positions)))
    assert take_rows(plain, positions).equals(plain.take(pa.array(positions)))
    mask = np.array(data.draw(st.lists(st.booleans(), min_size=len(plain), max_size=len(plain))), np.bool_)
    for rows in (plain, encoded):
        assert decoded(filter_rows(rows, mask)).equals(plain.filter(pa.array(mask)))


@pytest.mark.parametrize("position", [-1, 2, 2**40])
def test_positions_outside_a_dictionary_are_refused(position):
    encoded = pa.array(["a", "b"], pa.large_string()).dictionary_encode()
    with pytest.raises(IndexError):
        take_rows(encoded, np.array([0, position]))


def test_null_positions_in_a_dictionary_stay_null():
    encoded = pa.array(["a", None, "b"], pa.large_string()).dictionary_encode()
    assert decoded(encoded).to_pylist() == ["a", None, "b"]
    assert take_rows(encoded, np.array([1, 2])).to_pylist() == [None, "b"]
