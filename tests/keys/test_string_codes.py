from __future__ import annotations

import functools
from operator import or_

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.group.grouping import DictionaryColumns
from akdask.operators.keys import tuning
from akdask.operators.keys.string_codes import LONGEST, EncodedStrings, StringEncoder, codes_of, layout_of
from akdask.testing.strategies import strings_in_buffers

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
        patch.setattr(tuning, "BLOCK_ROWS", block_rows)
        found = coded(blocks, expected)
        if not isinstance(found, EncodedStrings):
            assert not plain or max(map(len, map(str.encode, plain))) > LONGEST
            assert found.to_pylist() == plain
            return
        assert len(found) == len(plain)
        assert [plain[row] for row in in_order(found.codes)] == sorted(plain, key=str.encode)
        assert found.strings().to_pylist() == plain
        assert len(set(zip(*map(np.ndarray.tolist, found.codes), strict=True))) == len(set(plain))


@given(strings_in_buffers(st.text("ab", min_size=9, max_size=9) | TEXT).filter(len))
def test_a_layout_has_the_bits_in_which_strings_differ_and_codes_are_made_of_them(strings):
    plain = strings.cast(pa.large_binary()).to_pylist()
    longest = max(map(len, plain))
    nwords = max(-(-longest // 8), 1)
    words = [np.frombuffer(text.ljust(8 * nwords, b"\0"), ">u8").tolist() for text in plain]
    layout = layout_of(strings)
    assert (layout.shortest, layout.longest) == (min(map(len, plain)), longest)
    assert layout.common == tuple(words[0])
    differing = [
        functools.reduce(or_, (word ^ words[0][at] for word in column))
        for at, column in enumerate(zip(*words, strict=True))
    ]
    assert layout.varying == tuple(differing)
    # The bits of each word side by side, then those of the length, in as few words as hold them whole.
    fields = [
        [pulled(word, mask) for word, mask in zip(row, differing, strict=True)] + [len(text) - layout.shortest]
        for row, text in zip(words, plain, strict=True)
    ]
    for row, values in enumerate(fields):
        codes = [
            functools.reduce(lambda code, at: code << layout.word_bits[at] | values[at], part, 0)
            for part in layout.parts
        ]
        assert [int(code[row]) for code in codes_of(strings, layout)] == codes


@given(strings_in_buffers(TEXT).filter(len), strings_in_buffers(TEXT).filter(len))
def test_a_layout_of_some_strings_and_of_others_is_that_of_all(strings, others):
    first, both = layout_of(strings), pa.concat_arrays([strings, others])
    longest = max(len(text) for text in both.cast(pa.large_binary()).to_pylist())
    found = None if first is None else layout_of(others, first)
    assert found == (None if longest > LONGEST else layout_of(both))


SOME = st.lists(st.text("ab\0", max_size=30), min_size=1, max_size=3)


@given(SOME, SOME)
def test_joined_layouts_fit_the_strings_of_both(strings, others):
    one, other = layout_of(strings_of(strings)), layout_of(strings_of(others))
    both = layout_of(strings_of([*strings, *others]))
    assert one.joined(other) == both
    turned = other.joined(one)
    assert (turned.varying, turned.shortest, turned.longest) == (both.varying, both.shortest, both.longest)


def pulled(word, mask):
    """The bits of a mask, side by side."""
    bits = [word >> place & 1 for place in range(64) if mask >> place & 1]
    return sum(bit << place for place, bit in enumerate(bits))


@given(st.lists(strings_in_buffers(TEXT) | strings_in_buffers(st.text("ab", min_size=9, max_size=9)), max_size=4))
def test_codes_give_strings_back_from_wherever_they_lie(blocks):
    coding = StringEncoder(0)
    for block in blocks:
        coding.append(block)
    found = coding.finish()
    if isinstance(found, EncodedStrings):
        found = found.strings()
    found.validate()
    wanted = pa.concat_arrays([pa.array([], pa.large_string()), *blocks])
    assert found.cast(pa.large_binary()).equals(wanted.cast(pa.large_binary()))


@given(
    st.lists(st.tuples(st.lists(TEXT, max_size=4), st.lists(st.integers(0, 3), max_size=12), st.booleans()), max_size=5)
)
def test_positions_in_dictionaries_are_encoded_as_their_strings(blocks):
    coding, plain = StringEncoder(0), []
    for strings, positions, is_encoded in blocks:
        within = [position for position in positions if position < len(strings)]
        rows = pa.DictionaryArray.from_arrays(pa.array(within, pa.int32()), strings_of(strings))
        coding.append(rows if is_encoded else rows.dictionary_decode())
        plain += [strings[position] for position in within]
    found = coding.finish()
    assert (found.strings() if isinstance(found, EncodedStrings) else found).to_pylist() == plain


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


def test_no_strings_leave_the_layout_to_those_that_come():
    texts = pa.array([f"the same beginning {number}" for number in (3, 1, 2)], pa.large_string())
    nothing = texts[:0]
    alone = StringEncoder(3)
    alone.append(texts)
    wanted = alone.finish()
    for blocks in ([nothing, texts], [nothing.dictionary_encode(), texts], [texts, nothing.dictionary_encode()]):
        coding = StringEncoder(3)
        for block in blocks:
            coding.append(block)
        found = coding.finish()
        assert found.form == wanted.form
        assert [codes.tolist() for codes in found.codes] == [codes.tolist() for codes in wanted.codes]
