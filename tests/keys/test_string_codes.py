from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.group.dictionary import DictionaryColumns
from akdask.operators.keys import string_codes as codings
from akdask.operators.keys import string_codes as texts
from akdask.operators.keys.string_codes import LONGEST, EncodedStrings, StringEncoder

# NUL bytes at the end tell strings apart; two letters alone make long ones that differ in few bits.
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12) | st.text("ab\0", max_size=LONGEST)
OF_ONE_LENGTH = st.integers(0, 20).flatmap(
    lambda length: st.lists(st.text("0123456789a", min_size=length, max_size=length))
)


def strings_of(plain):
    return pa.array(plain, pa.large_string())


def in_order(codes):
    """Return the rows by their codes, the first the most significant, found by Python alone."""
    rows = list(zip(*[code.tolist() for code in codes], strict=True))
    return sorted(range(len(rows)), key=lambda row: rows[row])


def coded(blocks, expected=0):
    coding = StringEncoder(expected)
    for block in blocks:
        # A slice, whose bytes do not begin where the buffer does.
        coding.append(strings_of(["xyz", *block])[1:])
    return coding.finish()


@given(st.lists(st.lists(TEXT) | OF_ONE_LENGTH, max_size=5), st.integers(1, 4), st.integers(0, 20))
def test_codes_are_in_the_order_of_bytes_and_give_the_strings_back(blocks, block_rows, expected):
    plain = [text for block in blocks for text in block]
    with pytest.MonkeyPatch.context() as patch:
        for module in (texts, codings):
            patch.setattr(module, "BLOCK_ROWS", block_rows)
        found = coded(blocks, expected)
        if not isinstance(found, EncodedStrings):
            assert not plain or max(map(len, map(str.encode, plain))) > LONGEST
            assert found.to_pylist() == plain
            return
        assert len(found) == len(plain)
        assert [plain[row] for row in in_order(found.codes)] == sorted(plain, key=str.encode)
        assert found.strings().to_pylist() == plain
        assert len(set(zip(*map(np.ndarray.tolist, found.codes), strict=True))) == len(set(plain))


def test_strings_of_one_form_take_no_more_bits_than_those_in_which_they_differ():
    found = coded([[f"station {number:03d} of the line" for number in range(1000)]])
    assert found.form.bits == 12
    assert found.codes[0].tolist() == [int(f"0x{number}", 16) for number in range(1000)]


def test_numbers_that_ascend_widen_their_form_by_whole_digits():
    found = coded([[f"user {number:06d}" for number in range(start, start + 1000)] for start in range(0, 12_000, 1000)])
    assert found.form.bits == 5 * 4
    assert found.codes[0].tolist() == [int(f"0x{number}", 16) for number in range(12_000)]


def test_strings_stay_as_they_are_from_the_first_on_that_is_too_long():
    blocks = [["a", "ab"], ["b" * (LONGEST + 1)], ["c"]]
    assert coded(blocks).to_pylist() == [text for block in blocks for text in block]


@given(st.lists(st.tuples(TEXT | st.text(min_size=20, max_size=90), st.integers(-3, 3)), min_size=1))
def test_columns_of_numbers_stand_for_strings_beside_numbers(rows):
    plain = [text for text, _ in rows]
    numbers = np.array([number for _, number in rows])
    numbered = DictionaryColumns([strings_of(plain), numbers])
    order = in_order(numbered.columns)
    assert [rows[row] for row in order] == sorted(rows, key=lambda row: (row[0].encode(), row[1]))
    text, same = numbered.restored([column[order] for column in numbered.columns])
    assert text.to_pylist() == sorted(plain, key=str.encode)
    assert same.tolist() == numbers[order].tolist()
