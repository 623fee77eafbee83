from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.kernels import texts
from akdask.kernels.dictionary import Numbered
from akdask.kernels.texts import LONGEST, form_of

pytestmark = pytest.mark.usefixtures("either_path")

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


@given(st.lists(TEXT) | OF_ONE_LENGTH, st.integers(1, 4))
def test_codes_are_in_the_order_of_bytes_and_give_the_strings_back(plain, block_rows):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "BLOCK_ROWS", block_rows)
        # A slice, whose bytes do not begin where the buffer does.
        strings = strings_of(["xyz", *plain])[1:]
        form = form_of(strings)
        if form is None:
            assert max(map(len, map(str.encode, plain)), default=0) in {0, *range(LONGEST + 1, 5 * LONGEST)}
            return
        codes = form.codes(strings)
        assert [plain[row] for row in in_order(codes)] == sorted(plain, key=str.encode)
        assert form.strings(codes).to_pylist() == plain
        assert len(set(zip(*map(np.ndarray.tolist, codes), strict=True))) == len(set(plain))


def test_strings_of_one_form_take_no_more_bits_than_those_in_which_they_differ():
    strings = strings_of([f"station {number:03d} of the line" for number in range(1000)])
    form = form_of(strings)
    assert form.bits == 12
    (code,) = form.codes(strings)
    assert code.tolist() == [int(f"0x{number}", 16) for number in range(1000)]


@given(st.lists(st.tuples(TEXT | st.text(min_size=20, max_size=90), st.integers(-3, 3)), min_size=1))
def test_columns_of_numbers_stand_for_strings_beside_numbers(rows):
    plain = [text for text, _ in rows]
    numbers = np.array([number for _, number in rows])
    numbered = Numbered([strings_of(plain), numbers])
    order = in_order(numbered.columns)
    assert [rows[row] for row in order] == sorted(rows, key=lambda row: (row[0].encode(), row[1]))
    text, same = numbered.restored([column[order] for column in numbered.columns])
    assert text.to_pylist() == sorted(plain, key=str.encode)
    assert same.tolist() == numbers[order].tolist()
